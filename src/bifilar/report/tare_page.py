"""The page about a wrist sensor: readings and what the load and the bias explain of them, pose by pose."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bifilar.calibrate.wrist_doubts import AXES
from bifilar.calibrate.wrist_sensor import WristCalibration
from bifilar.dynamics.tree import Array
from bifilar.errors import Remedy
from bifilar.report.page import Drawings, Page, Words
from bifilar.report.plot import Line, Plot

READINGS = "In the sensor's frame, pose by pose."
WANDERS = " The line has the bias of the last pose: earlier readings lie off it by what the bias has wandered since."
KEYS = (("read", "ink", "points"), ("load and bias", "identified", "line"))


def tare_page(
    found: WristCalibration,
    rotation: Array,
    wrench: Array,
    *,
    title: str = "A wrist sensor",
    ahead: str = "",
    errors: Sequence[Sequence[str]] = (),
    unused: tuple[Array, Array] | None = None,
    foot: str = "",
) -> Page:
    """All about a calibration; `wrench` (poses, 6) in the sensor's frame, `ahead` and `errors` how well poses not used are
    predicted, `unused` what was read there and what was predicted.

    >>> rotation, wrench = bf.calibrate_example()
    >>> tare_page(bf.tare(rotation, wrench), rotation, wrench).sections[0].title
    'Readings'
    """
    facts = [
        (f"{found.mass:.4g} kg", f"± {found.mass_deviation:.2g}", ""),
        (" ".join(f"{1e3 * x:.1f}" for x in found.center) + " mm", "centre of mass in the sensor", ""),
        (f"{np.degrees(found.tilt):.2f}°", "gravity off the base's -z", ""),
    ]
    sections = [
        Drawings("Readings", READINGS + (WANDERS if found.drift.any() else ""), _plots(wrench, found.predict(rotation)), KEYS),
        *_unused(ahead, errors, unused, len(wrench)),
        Words("Numbers", "", _table(found)),
        Words("Findings", "" if found.findings else "Nothing looks wrong.", _findings(found), prose=True),
    ]
    return Page(title, facts=facts, sections=sections, foot=foot)


def _unused(
    words: str, errors: Sequence[Sequence[str]], unused: tuple[Array, Array] | None, poses: int
) -> list[Drawings | Words]:
    if unused is None:
        return [Words("Poses not used", words)]
    keys = (KEYS[0], ("predicted", "identified", "line"))
    return [Drawings("Poses not used", words, _plots(*unused, first=poses - len(unused[0])), keys, table=errors)]


def _plots(wrench: Array, explained: Array, first: int = 0) -> list[Plot]:
    x = first + np.arange(1.0, len(wrench) + 1)
    units = ("N", "N", "N", "N m", "N m", "N m")
    plots = []
    for k, (axis, unit) in enumerate(zip(AXES, units, strict=True)):
        lines = [Line(x, wrench[:, k], "ink", "read", "points"), Line(x, explained[:, k], "identified", KEYS[1][0])]
        plots.append(Plot(axis, f"[{unit}]", lines, x_unit="pose", y_unit=unit))
    return plots


def _table(found: WristCalibration) -> list[list[str]]:
    names = ["weight x [N]", "weight y [N]", "weight z [N]", *(f"bias {axis}" for axis in AXES[:3])]
    names += ["centre x [m]", "centre y [m]", "centre z [m]", *(f"bias {axis}" for axis in AXES[3:])]
    rows = [[n, f"{v:.5g}", f"{s:.2g}"] for n, v, s in zip(names, found.parameters, found.deviations, strict=True)]
    return [["number", "value", "±"], *rows]


def _findings(found: WristCalibration) -> list[list[str]]:
    rows = [[f.severity, f.where, f.what, Remedy.of(f.remedy).both] for f in found.findings]
    return [["", "where", "what", "remedy"], *rows] if rows else []

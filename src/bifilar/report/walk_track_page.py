"""The page about a filter over a walk: the walker as it was and as it was believed, angles with their bands, surprises."""

from __future__ import annotations

import numpy as np

from bifilar.report.page import Drawings, Page, Section
from bifilar.report.plot import Line, Plot, band_plot
from bifilar.report.walker_figure import walker_figure
from bifilar.walking.walk_track import WalkTrack

SETTLED = 1.0  # [s]


def tracked_page(found: WalkTrack, *, lead: str = "") -> Page:
    """All about it."""
    walker = found.walker
    torso = walker.planar(0).names.index(walker.base)
    known = found.truth is not None and np.isfinite(found.truth).all()
    shown = found.truth if known and found.truth is not None else found.angles
    figure = walker_figure(walker, found.time, shown, found.stance, estimated=found.angles if known else None)
    about = "Thick: as it was. Dashed: as the filter believed." if known else "As the filter believed; the log has no truth."
    truth = found.truth[:, torso] if known and found.truth is not None else None
    lean = band_plot(
        found.time,
        found.mean[:, 0],
        found.deviation[:, 0],
        title=walker.base,
        what="angle from the vertical [rad]",
        truth=truth,
    )
    keys = [("mean", "identified", "line"), ("± 2 deviations", "identified", "band")]
    sections: list[Section] = [
        Drawings("The walk", about, pictures=figure),
        Drawings(
            "The angle that no encoder sees", "", [lean], [*keys, ("truth", "ink", "dashed")] if known else keys, wide=True
        ),
    ]
    if truth is not None:
        sections.append(_errors(found, torso))
    rest = [
        band_plot(found.time, found.mean[:, k], found.deviation[:, k], title=name, what=_unit(name), height=120)
        for k, name in enumerate(found.names)
        if k > 0
    ]
    sections.append(Drawings("Other states", "Two deviations as a band.", rest, keys))
    line = Line(found.time, np.minimum(found.surprise, 20.0), "ink", "squared innovation", "thin")
    what = "in its own deviations, per channel; 1 if all is well, cut at 20"
    plot = Plot("squared innovation", what, [line])
    sections.append(Drawings("How well readings were foretold", "Before each was taken in.", [plot], wide=True))
    return Page("A walk, followed", lead, _facts(found), sections)


def _errors(found: WalkTrack, torso: int) -> Section:
    assert found.truth is not None
    error = 1e3 * (found.angles - found.truth)[:, torso]
    late = found.time - found.time[0] >= SETTLED
    reach = float(np.abs(error[late]).max() if late.any() else np.abs(error).max()) or 1.0
    band = 2e3 * found.deviation[:, 0]
    lines = [Line(found.time, np.clip(error, -3 * reach, 3 * reach), "identified", "error")]
    lines += [Line(found.time, np.clip(s * band, -3 * reach, 3 * reach), "noise", "± 2 deviations", "dashed") for s in (-1, 1)]
    plot = Plot("error of the torso's angle", "[mrad]; cut at three times the largest after 1 s", lines)
    return Drawings(
        "Its error", "", [plot], [("error", "identified", "line"), ("± 2 deviations", "noise", "dashed")], wide=True
    )


def _unit(name: str) -> str:
    return "[rad/s]" if name.endswith(" rate") else "[rad]"


def _facts(found: WalkTrack) -> list[tuple[str, str, str]]:
    error = found.torso_error(SETTLED)
    facts = [
        (str(found.touchdowns), "touchdowns", ""),
        ("lost" if found.lost else "kept", "state", "bad" if found.lost else "good"),
    ]
    if error is not None:
        facts.append((f"{1e3 * error:.3g} mrad", f"error of the torso after {SETTLED:g} s", ""))
    late = found.time - found.time[0] >= SETTLED
    if late.any():
        surprise = found.mean_surprise(SETTLED)
        facts.append((f"{surprise:.2f}", "squared innovation per channel", "good" if surprise < 2 else "warn"))
    return facts

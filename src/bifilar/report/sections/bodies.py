"""Bodies in space with their inertia ellipsoids, as described and as identified, along the judged motion."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.estimate.estimate import Estimate
from bifilar.report.markup import Html, paragraphs, table
from bifilar.report.page import Section
from bifilar.report.run import Run
from bifilar.report.scene import ellipsoid, space

WORDS = (
    "Each ellipsoid is a solid body with the link's mass, centre and inertia, dashed orange as described, blue as identified. "
    "Drag to turn, double click or Shift and wheel to zoom, point at a centre to read it."
)


@dataclass(frozen=True, eq=False)
class BodiesSection(Section):
    """A view to turn, and a table of masses and centres.

    >>> BodiesSection.title
    'Bodies'
    """

    run: Run
    title = "Bodies"
    template: ClassVar[str] = "{words}{view}{table}"

    def parts(self) -> Mapping[str, Any]:
        """The view at the poses of the judged motion, or of the fitted one."""
        run, robot = self.run, self.run.described
        before = np.array(robot.body_parameters)
        after = _after(run)
        words = [WORDS]
        if after is None:
            words = ["Base parameters are sums over links: there are no single bodies to draw but the description's. " + WORDS]
        motion = (*run.judged, *run.fitted)
        time, position = (
            (motion[0].time, motion[0].position) if motion else (np.zeros(1), np.zeros((1, len(robot.joint_names))))
        )
        told = [
            _told(name, b, None if after is None else a)
            for name, b, a in zip(robot.body_names, before, before if after is None else after)
        ]
        view = Html("") if robot.is_floating and not motion else space(
            robot, time, position, described=before, identified=after, words=told
        )  # fmt: skip
        return {"words": paragraphs(*words), "view": view, "table": _table(run, before, after)}


def _after(run: Run) -> Array | None:
    """Identified bodies; the root of a fixed base stays as described, nothing shows it."""
    if not isinstance(run.estimate, Estimate):
        return None
    return np.array(run.estimate.robot.body_parameters)


def _told(name: str, before: Array, after: Array | None) -> list[str]:
    lines = [name, f"description {before[0]:.3g} kg"]
    if after is None:
        return lines
    moved = _moved(before, after)
    return [*lines, f"identified {after[0]:.3g} kg", *([f"centre moved {1e3 * moved:.3g} mm"] if np.isfinite(moved) else [])]


def _moved(before: Array, after: Array) -> float:
    if before[0] <= 0 or after[0] <= 0:
        return float("nan")
    return float(np.linalg.norm(after[1:4] / after[0] - before[1:4] / before[0]))


def _table(run: Run, before: Array, after: Array | None) -> Html:
    estimate = run.estimate
    if after is None or not isinstance(estimate, Estimate):
        return Html("")
    deviations = dict(zip(estimate.parameters.names, estimate.parameter_deviations))
    origins = dict(zip(estimate.parameters.names, estimate.origins))
    rows = [["link", "mass before", "mass after", "±", "mass from", "centre moved", "half axes after"]]
    for name, was, now in zip(run.described.body_names, before, after):
        key = f"{name}.mass"
        if key not in deviations:
            continue
        shape = ellipsoid(now)
        sizes = "" if shape is None else " × ".join(f"{100 * x:.1f}" for x in sorted(np.linalg.norm(shape[1], axis=1))) + " cm"
        moved = _moved(was, now)
        bar = f"{deviations[key]:.2g}" if origins[key] == "data" else ""  # else the belief in the description, not measured
        rows.append(
            [
                name, f"{was[0]:.3f} kg", f"{now[0]:.3f} kg", bar, origins[key],
                f"{1e3 * moved:.0f} mm" if np.isfinite(moved) else "", sizes,
            ]
        )  # fmt: skip
    return table(rows)

"""The page about a gravity model: measured and predicted torque of every joint, at poses that were used and at others."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.estimate.gravity import GravityEstimate
from bifilar.report.page import Drawings, Page, Words
from bifilar.report.plot import Line, Plot
from bifilar.report.sweep_figures import SWEEP_KEYS, SWEEP_WORDS

KEYS = (("measured", "ink", "points"), ("gravity model", "identified", "points"), ("description", "described", "points"))


def gravity_page(
    found: GravityEstimate,
    position: Array,
    torque: Array,
    described: Array,
    *,
    by: GravityEstimate | None = None,
    title: str = "Gravity",
    errors: list[list[str]] | None = None,
    sweeps: Sequence[Plot] = (),
    per: Array | float = 1.0,
    unit: str = "N m",
    foot: str = "",
) -> Page:
    """All about a gravity model; torque (N, joints) without friction; `by`: a fit that did not use these poses.

    `sweeps`: drawings of single joints' sweeps; `per`: [N m] of one unit in which torque is drawn, such as an ampere.

    >>> robot = bf.Robot.load("two_link")
    >>> q = np.random.default_rng(0).uniform(-1, 1, (20, 2))
    >>> tau = robot.gravity_torque(q)
    >>> gravity_page(bf.identify_gravity(robot, (q, tau)), q, tau, tau).sections[0].title
    'Torque over position'
    """
    predicted = (by or found).torque(position) / per
    torque, described = torque / per, described / per
    names = found.model.arm.joint_names
    plots = []
    for j, name in enumerate(names):
        slides = name in found.model.arm.sliding
        x = position[:, j] if slides else np.degrees(position[:, j])
        said = unit.replace("N m", "N") if slides else unit
        lines = [
            Line(x, torque[:, j], "ink", "measured", "points"),
            Line(x, described[:, j], "described", "description", "points"),
            Line(x, predicted[:, j], "identified", "gravity model", "points"),
        ]
        plots.append(Plot(name, f"[{said}]", lines, x_unit="m" if slides else "deg", y_unit=said))
    numbers = [
        [name, f"{value:.5g}", f"{size:.2g}" if seen else "", "data" if seen else "not seen"]
        for name, value, size, seen in zip(
            found.model.names, found.model.values, found.model.deviations, found.seen, strict=True
        )
    ]
    swept = [Drawings("Sweeps", f"{SWEEP_WORDS} Friction and offset are taken off.", sweeps, SWEEP_KEYS)] if sweeps else []
    sections = [
        *swept,
        Drawings("Torque over position", f"{_used(by is not None)} Friction and offset are taken off.", plots, KEYS),
        Words("Errors", "Root mean square at these poses.", errors or []),
        Words("Mass moments", str(found.status) if not found.status.ok else "", [["number", "kg m", "±", "from"], *numbers]),
    ]
    facts = [(f"{int(found.seen.sum())} of {len(found.seen)}", "numbers seen", "" if found.seen.all() else "warn")]
    return Page(title, facts=facts, sections=sections, foot=foot)


def _used(apart: bool) -> str:
    if apart:
        return "Parts of the log that were not used, predicted by a fit to the rest."
    return "All of the log, which the fit has used: there is too little to keep some apart."

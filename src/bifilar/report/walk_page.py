"""Pages about walkers: a walk that was simulated, and what was identified from one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.recording.recording import Recording
from bifilar.report.markup import Html
from bifilar.report.page import Drawings, Page, Section, Words
from bifilar.report.plot import Line, Plot, colour
from bifilar.report.walker_figure import walker_figure
from bifilar.walking.demonstration import Shown
from bifilar.walking.walk_fit import WalkFit
from bifilar.walking.walk_log import link_angles
from bifilar.walking.walker import Walker

STROBE = 9  # postures of a step
STRIDES = 4  # held ones that are drawn


def simulated_page(walker: Walker, shown: Shown, log: Recording, *, lead: str = "") -> Page:
    """A walk: the figure that walks, angles, torques, readings, touchdowns."""
    angles = link_angles(walker, shown.states, shown.stance)
    figure = walker_figure(walker, shown.time, angles, shown.stance, origin=shown.origin)
    names = walker.planar(0).names
    sections: list[Section] = [Drawings("The walk", "Colours are those of the links below.", pictures=figure)]
    if shown.gait is not None:
        about = "Nine instants of one step of the gait."
        sections.append(Drawings("One step", about, pictures=Html(shown.gait.picture(STROBE))))
    lines = [Line(shown.time, angles[:, k], colour(k), name) for k, name in enumerate(names)]
    push = [Line(shown.time, shown.torques[:, k], colour(k), name) for k, name in enumerate(walker.encoders)]
    plots = [Plot("angles of the links", "from the vertical [rad]", lines), Plot("torques", "as commanded [N m]", push)]
    sections.append(Drawings("Motion", "", plots, [(name, colour(k), "line") for k, name in enumerate(names)], wide=True))
    sections.append(Drawings("What the sensors read", "With their noise.", _readings(log), wide=True))
    if shown.walk is not None:
        sections.append(Words("Touchdowns", "", _touchdowns(shown)))
    return Page("A walk", lead, _walk_facts(shown), sections)


def _readings(log: Recording) -> list[Plot]:
    plots = []
    for name, channel in log.channels.items():
        if name not in ("truth", "target_torque", "contact"):
            lines = [Line(log.time, channel.values[:, k], colour(k), column) for k, column in enumerate(channel.columns)]
            plots.append(Plot(name, f"[{channel.units[0]}]", lines))
    return plots


def _touchdowns(shown: Shown) -> list[list[str]]:
    assert shown.walk is not None
    rows = [["time [s]", "impulse along, up [N s]", "energy lost [J]", "friction needed"]]
    for hit in shown.walk.touchdowns:
        i = hit.impact
        rows.append([f"{hit.time:.3f}", f"{i.impulse[0]:.3g}, {i.impulse[1]:.3g}", f"{i.energy_lost:.3g}", f"{i.grip:.2f}"])
    return rows


def _walk_facts(shown: Shown) -> list[tuple[str, str, str]]:
    if shown.gait is None or shown.walk is None:
        return [(f"{shown.time[-1]:.3g} s", "swung", "")]
    gait, walk = shown.gait, shown.walk
    stable = "good" if gait.is_stable else "bad"
    return [
        (str(walk.steps), "steps" + (", then it fell" if walk.fell else ""), "bad" if walk.fell else "good"),
        (f"{gait.speed:.2f} m/s", "speed of the gait", ""),
        (f"{gait.period:.3f} s", "a step", ""),
        (f"{gait.multiplier:.2f}", "multiplier: stable below 1", stable),
        (f"{gait.peak_torque:.3g} N m", "largest torque", ""),
    ]


def fitted_page(found: WalkFit, *, lead: str = "") -> Page:
    """What was identified: numbers with error bars, strides that were held out, simulated."""
    rows: list[Sequence[str]] = [["parameter", "found", "± deviation", "described", "stands for"]]
    for r in found.rows():
        rows.append([str(r["name"]), f"{r['value']:.5g}", f"{r['deviation']:.2g}", f"{r['described']:.5g}", str(r["equation"])])
    better = found.error <= found.described_error
    facts = [
        (f"{1e3 * found.error:.3g} mrad", "simulation error, identified", "good" if better else "bad"),
        (f"{1e3 * found.described_error:.3g} mrad", "simulation error, description", ""),
        (f"{len(found.fitted)} + {len(found.held)}", "strides fitted + held out", ""),
        (found.estimate.status.code, found.estimate.method, "good" if found.estimate.status.ok else "bad"),
    ]
    about = (
        "Base parameters of the walker on one foot: what its motion can tell. A value belongs to the whole sum behind a name.",
        " ".join(f"{note[0].upper()}{note[1:]}." for note in (*found.notes, *found.estimate.notes)),
    )
    how = (
        f"Windows of {found.horizon:g} s, simulated with the torque from the first state that suits the encoders best, "
        "for both models alike."
    )
    keys = [("measured", "ink", "line"), ("identified", "identified", "line"), ("description", "described", "dashed")]
    sections: list[Section] = [
        Words("Parameters", about, rows),
        Drawings("Strides held out: error of the simulation", how, _errors(found), keys[1:]),
        Drawings("Strides held out: angles", how, _angles(found), keys),
    ]
    return Page("A walker, identified", lead, facts, sections)


def _angles(found: WalkFit) -> list[Plot]:
    plots = []
    for stretch, good, bad in list(zip(found.held, found.identified, found.described))[:STRIDES]:
        time = _clock(stretch.log.period, stretch.start, len(stretch.log))
        names = found.walker.pinned(stretch.stance).joint_names
        for k in range(1, len(names)):
            lines = [
                Line(time, stretch.log.position[:, k], "ink", "measured"),
                Line(time, bad.position[:, k], "described", "description", "dashed"),
                Line(time, good.position[:, k], "identified", "identified"),
            ]
            plots.append(Plot(names[k], "[rad]", lines))
    return plots


def _errors(found: WalkFit) -> list[Plot]:
    plots = []
    for stretch, good, bad in list(zip(found.held, found.identified, found.described))[:STRIDES]:
        time = _clock(stretch.log.period, stretch.start, len(stretch.log))
        names = found.walker.pinned(stretch.stance).joint_names
        for k in range(1, len(names)):
            read = stretch.log.position[:, k]
            lines = [
                Line(time, 1e3 * (bad.position[:, k] - read), "described", "description", "dashed"),
                Line(time, 1e3 * (good.position[:, k] - read), "identified", "identified"),
            ]
            plots.append(Plot(names[k], "[mrad]", lines))
    return plots


def _clock(period: float, start: int, count: int) -> Array:
    return np.asarray(period * (start + np.arange(count)), dtype=float)

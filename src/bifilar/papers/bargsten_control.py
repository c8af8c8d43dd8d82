"""Bargsten et al. 2013, Section IV-D: a circle by computed torque, a push, the identified model in the loop, torque too short.

The paper's machine disturbs its controller by torques that are not what was asked for, friction that is not all known and a
period of 10 ms. So does the virtual one: links wrong by 5 %, 70 % of the friction compensated, torque that lags by 5 ms.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from bifilar.control.cartesian import PathMotion, cartesian_motion
from bifilar.control.cartesian_path import Circle
from bifilar.control.computed_torque import ComputedTorque
from bifilar.control.gravity_pd import GravityPD
from bifilar.control.model_error import wrong_by
from bifilar.control.path_following import PathFollowing
from bifilar.control.tracking import PushResponse, Tracking, distance_to_path, push_response, rms, tracking
from bifilar.errors import RobotError
from bifilar.papers.claims import Claim, Part
from bifilar.report.envelope import envelope
from bifilar.report.plot import Line, Mark, Plot
from bifilar.robot.model import Model
from bifilar.robot.robot import Robot
from bifilar.simulate.closed_loop import LoopRun, run_loop
from bifilar.simulate.controller import Controller
from bifilar.simulate.pushes import JointPush

CENTRE, RADIUS = (-0.4, 0.0, 0.6), 0.12  # [m] of the circle, in the y-z plane
DURATION = 4.0  # [s]
WRONG, SHARE, LAG = 0.05, 0.7, 0.005  # of the model, of the friction compensated, [s] of the drives
SLOW, FAST = (0.01, 25.0), (0.001, 80.0)  # [s] period and [rad/s] omega: the paper's prototype, and what it asks for
PUSHED, PUSH, SOFT = "joint4", 20.0, 20.0  # joint, [N m], [rad/s] at which models are compared too
PUSH_FROM, PUSH_TO = 1.0, 1.6  # [s]
BOUND, OVERSHOOT, SETTLING = 0.2, 0.05, 0.6  # demands: ratio of errors, share, deviation from linear theory
CLOSE, BETTER = 1.2, 5.0  # demands on the identified model: of the true one's error, and how far below PD's
SHORT, HURRY = 0.2, 1.2  # share of the drives' torque, [s] of the circle when torque is short
PART = f", {100 * SHARE:g} % of the friction"
HALF = 0.5  # demand on path following: of computed torque's distance to the path
KEYS = (("wanted", "ink", "dashed"), ("10 ms, omega 25", "described", "line"), ("1 ms, omega 80", "identified", "line"))


@cache
def the_circle(robot: Robot, duration: float = DURATION, radius: float = RADIUS) -> PathMotion:
    """Joints that take the tool around, from rest to rest.

    >>> the_circle(bf.Robot.load("kuka_lwr4")).duration
    4.0
    """
    return cartesian_motion(robot, Circle(np.array(CENTRE), radius, plane="yz"), duration=duration)


def circle(robot: Robot) -> Part:
    """Figures 5 to 7: the tool and two joints at both sampling rates."""
    motion, model = the_circle(robot), wrong_by(robot, WRONG, seed=1)
    runs = [_run(robot, _law(model, omega), motion, period) for period, omega in (SLOW, FAST)]
    seen = [_seen(robot, run, motion) for run in runs]
    ratio = seen[1].tool_rms / seen[0].tool_rms
    texts = [f"{1e3 * one.tool_rms:.3g} mm rms, {1e3 * one.tool.max():.3g} mm at most" for one in seen]
    claims = (
        Claim("Fig. 5", "tool, 10 ms and omega 25", "visible in joints 5 to 7", texts[0], ""),
        Claim("Fig. 5", "tool, 1 ms and omega 80", '"needs 1 ms"', texts[1], ""),
        Claim("Fig. 5", "the second over the first", "-", f"{ratio:.3f}", f"at most {BOUND:g}", ratio <= BOUND),
    )
    places = [robot.pose(motion.frame, run.position)[1] for run in runs]
    wanted = motion.wanted(runs[1].time).point
    drawn = [("described", "10 ms, omega 25"), ("identified", "1 ms, omega 80")]
    lines = [Line(wanted[:, 1], wanted[:, 2], "ink", "wanted", "dashed")]
    lines += [Line(place[:, 1], place[:, 2], *which) for place, which in zip(places, drawn, strict=True)]
    plots = [Plot("Figure 5: the tool", "z [m] over y", lines, x_unit="m", height=330, equal=True)]
    off = [Line(*envelope(run.time, 1e3 * one.tool), *which) for run, one, which in zip(runs, seen, drawn, strict=True)]
    plots.append(Plot("Distance of the tool from where it should be", "[mm]", off, height=330))
    for number, joint in ((6, 0), (7, 5)):
        name = robot.joint_names[joint]
        lines = [Line(*envelope(runs[1].time, runs[1].reference.position[:, joint]), "ink", "wanted", "dashed")]
        lines += [Line(*envelope(run.time, run.position[:, joint]), *which) for run, which in zip(runs, drawn, strict=True)]
        plots.append(Plot(f"Figure {number}: {name}", "position [rad]", lines, height=170))
    table = [["joint", "rms at 10 ms [mrad]", "rms at 1 ms [mrad]", "largest at 10 ms", "largest at 1 ms"]]
    for k, name in enumerate(robot.joint_names):
        table.append(
            [name, *(f"{1e3 * one.joint_rms[k]:.3g}" for one in seen), *(f"{1e3 * one.joint_max[k]:.3g}" for one in seen)]
        )
    words = (
        f"A circle of {RADIUS:g} m in the y-z plane in {DURATION:g} s. The model is wrong by {100 * WRONG:g} % per link (one "
        f"deviation), {100 * SHARE:g} % of the friction is compensated, the torque lags by {1e3 * LAG:g} ms.",
    )
    numbers = {
        "tool rms [m]": [one.tool_rms for one in seen],
        "ratio": ratio,
        "joints rms [rad]": [one.joint_rms for one in seen],
    }
    return Part("Figures 5 to 7: the circle", words, claims, plots, KEYS, table, numbers)


def push(robot: Robot) -> Part:
    """Figure 8: joint 4 is pushed while the circle is run, in both directions."""
    motion, model = the_circle(robot), wrong_by(robot, WRONG, seed=1)
    law = _law(model, SOFT)
    calm = _run(robot, law, motion, FAST[0])
    found: list[PushResponse] = []
    runs = []
    for torque in (PUSH, -PUSH):
        hand = JointPush(joint=PUSHED, torque=torque, start=PUSH_FROM, stop=PUSH_TO)
        runs.append(_run(robot, law, motion, FAST[0], pushes=hand))
        found.append(push_response(runs[-1], calm, PUSHED, PUSH_TO, SOFT))
    over, slow = max(one.overshoot for one in found), max(one.settling for one in found)
    theory = found[0].theory
    claims = (
        Claim("Fig. 8", "overshoot after the push", '"little"', f"{100 * over:.2f} %", "below 5 %", over < OVERSHOOT),
        Claim(
            "Fig. 8", f"5 % settling, linear theory {theory:.3f} s", "-", ", ".join(f"{one.settling:.3f} s" for one in found),
            f"within {100 * SETTLING:g} % of theory",
            all(abs(one.settling / theory - 1) <= SETTLING for one in found),
        ),
    )  # fmt: skip
    k = robot.joint_names.index(PUSHED)
    plots = []
    for run, torque in zip(runs, (PUSH, -PUSH), strict=True):
        lines = [
            Line(*envelope(run.time, run.reference.position[:, k]), "ink", "wanted", "dashed"),
            Line(*envelope(run.time, run.position[:, k]), "identified", "measured"),
        ]
        mark = Mark(PUSH_FROM, PUSH_TO, "warning", "push", f"{torque:g} N m")
        plots.append(Plot(f"Figure 8: {PUSHED}, {torque:g} N m", "position [rad]", lines, marks=[mark], height=200))
    words = (
        f"{PUSH:g} N m on {PUSHED} for {PUSH_TO - PUSH_FROM:g} s at omega = {SOFT:g} rad/s and 1 ms; counted from its end, the "
        "deviation from the same run without the push. Friction is compensated at the actual velocity, as the paper has it.",
    )
    numbers = {"overshoot": over, "settling [s]": [one.settling for one in found], "theory [s]": theory, "slowest [s]": slow}
    return Part("Figure 8: a push", words, claims, plots, KEYS[:1] + (("measured", "identified", "line"),), numbers=numbers)


def identified(robot: Robot, models: dict[str, Model]) -> Part:
    """The circle with the true model, with fitted ones (the first is judged), and by PD with gravity compensation."""
    motion = the_circle(robot)
    start, first = motion.at(0.0).position[0], next(iter(models))
    laws: dict[str, Controller] = {"true model": _law(robot, SOFT, 1.0)}
    laws |= {name: _law(model, SOFT, 1.0) for name, model in models.items()}
    laws |= {"PD with gravity": GravityPD.like(robot, start, omega=SOFT)}
    laws |= {f"{name}{PART}": _law(model, SOFT) for name, model in (("true model", robot), (first, models[first]))}
    seen: dict[str, Tracking] = {}
    table = [["controller", "tool, rms [mm]", "largest [mm]", "joints, worst rms [mrad]"]]
    for name, law in laws.items():
        try:
            seen[name] = _seen(robot, _run(robot, law, motion, FAST[0]), motion)
            table.append([name, *_row(seen[name])])
        except RobotError:  # base parameters may have a place without mass
            table.append([name, "refused: the mass matrix is not positive definite", "", ""])
    errors = {name: one.tool_rms for name, one in seen.items()}
    close, better = errors[first] / errors["true model"], errors["PD with gravity"] / errors[first]
    less = errors[first + PART] / errors["true model" + PART], errors["PD with gravity"] / errors[first + PART]
    what = "tool's error, identified"
    claims = (
        Claim("Section IV-D", f"{what} over true model", "-", f"{close:.3f}", f"at most {CLOSE:g}", close <= CLOSE),
        Claim(
            "Section IV-D", "tool's error, PD over identified", "-", f"{better:.1f}", f"at least {BETTER:g}", better >= BETTER
        ),
        Claim(
            "Section IV-D", f"both ratios with {100 * SHARE:g} % of the friction", "-", f"{less[0]:.3f} and {less[1]:.2f}", ""
        ),
    )
    words = (
        f"All at 1 ms, omega = {SOFT:g} rad/s and torque that lags by {1e3 * LAG:g} ms; models compensate all of their "
        f"friction but where it says otherwise. Judged is '{first}'. PD has the gains diag(B) omega^2 and 2 diag(B) omega at "
        "the circle's first pose, the true gravity torque and no friction; much above this omega it is unstable with this lag.",
    )
    return Part("The identified model in the loop", words, claims, table=table, numbers={"tool rms [m]": errors})


def short_of_torque(robot: Robot) -> Part:
    """A circle in too little time for the drives: time gives way, or the path does."""
    motion = the_circle(robot, HURRY, 0.15)
    limits = SHORT * np.asarray(robot.limits.effort)
    model = wrong_by(robot, 0.02)
    law = PathFollowing(model, motion, omega=40.0, limits=limits)
    followed = run_loop(robot, law, motion, limits=limits, period=2e-3)
    timed = run_loop(robot, ComputedTorque(model, omega=40.0), motion, limits=limits, period=2e-3)
    off = [distance_to_path(robot.pose(motion.frame, run.position)[1], motion) for run in (followed, timed)]
    ratio = rms(off[0]) / rms(off[1])
    share = float((np.abs(timed.torque) >= limits * (1 - 1e-9)).any(axis=1).mean())
    arrived = law.s >= 1 - 5e-3
    claims = (
        Claim(
            "Section V", "distance to the path over computed torque's, same path and time", "future work", f"{ratio:.3f}",
            f"at most {HALF:g}", ratio <= HALF,
        ),
        Claim(
            "Section V", "computed torque at a limit", "-", f"{100 * share:.0f} % of the time", "limits active", share > 0
        ),
        Claim("Section V", "end of the path", "-", "reached" if arrived else "not reached", "reached", arrived),
    )  # fmt: skip
    drawn = [("identified", "path following"), ("described", "computed torque")]
    wanted = motion.target.point(np.linspace(0, 1, 400))
    lines = [Line(wanted[:, 1], wanted[:, 2], "ink", "wanted", "dashed")]
    for run, which in zip((followed, timed), drawn, strict=True):
        place = robot.pose(motion.frame, run.position)[1]
        lines.append(Line(place[:, 1], place[:, 2], *which))
    away = [Line(*envelope(run.time, 1e3 * one), *which) for run, one, which in zip((followed, timed), off, drawn, strict=True)]
    plots = [
        Plot("The tool", "z [m] over y", lines, x_unit="m", height=330, equal=True),
        Plot("Distance to the path", "[mm]", away, height=330),
    ]
    keys = (("wanted", "ink", "dashed"), *((name, shade, "line") for shade, name in drawn))
    words = (
        f"A circle of 0.15 m in {HURRY:g} s with {100 * SHORT:g} % of the drives' torque. Predictive path following chooses "
        "its speed along the path over half a second inside the torque limits; computed torque follows the clock.",
    )
    numbers = {"path rms [m]": [rms(off[0]), rms(off[1])], "ratio": ratio, "saturated": share}
    return Part("Predictive path following", words, claims, plots, keys, numbers=numbers)


def _law(model: Model, omega: float, friction: float = SHARE) -> ComputedTorque:
    return ComputedTorque(model, omega=omega, friction=friction, friction_at="actual")


def _run(robot: Robot, law: Controller, motion: PathMotion, period: float, **more: Any) -> LoopRun:
    return run_loop(robot, law, motion, period=period, torque_lag=LAG, **more)


def _seen(robot: Robot, run: LoopRun, motion: PathMotion) -> Tracking:
    return tracking(robot, run, motion.frame, motion=motion)


def _row(one: Tracking) -> list[str]:
    return [f"{1e3 * one.tool_rms:.3g}", f"{1e3 * one.tool.max():.3g}", f"{1e3 * one.joint_rms.max():.3g}"]

"""Bargsten et al. 2013, Section IV-A and B: an optimal motion, the fitted model on another motion, 57 parameters become 25.

Every experiment is a motion of its own, four periods of ten seconds, played by the virtual arm and recorded with noise; the
method is the paper's (`PeriodicFourier`). The arm has torque sensors in its joints, better than motor currents are, and
calibrated as in the paper: noise of a thousandth of the limits, our choice, and no offset.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from bifilar.control.model_error import wrong_by
from bifilar.dynamics.tree import Array
from bifilar.estimate.consistent import PhysicallyConsistent
from bifilar.estimate.estimate import BaseEstimate, Estimate
from bifilar.estimate.periodic_fourier import PeriodicFourier
from bifilar.estimate.simplify import Simplified
from bifilar.experiment.criteria import Criterion
from bifilar.experiment.design import Design, design
from bifilar.experiment.feasible import Poses
from bifilar.experiment.fourier import Fourier
from bifilar.experiment.piecewise import Piecewise, quintic
from bifilar.experiment.points import Above
from bifilar.experiment.problem import Problem
from bifilar.papers.claims import Claim, Part
from bifilar.recording.prepare import prepare
from bifilar.recording.recording import Recording
from bifilar.report.envelope import envelope
from bifilar.report.plot import Line, Plot, colour
from bifilar.robot.robot import Robot
from bifilar.simulate.sensors import Sensors
from bifilar.simulate.virtual_robot import VirtualRobot

PERIOD, PERIODS = 10.0, 4  # [s], and how many of them are played
LOWEST = 0.1  # [m] of the tool above the ground
FASTEST = 5.0  # [rad/s^2] of every joint
NATS = 40.0  # by which an optimal motion beats a random one that is allowed, at least
KEPT = 25  # parameters of the paper's reduced model
COST = 0.05  # [N m] by which any joint's error may grow for that
RATE, CONTROL, STEP, SLIP = 100.0, 500.0, 2e-3, 0.05  # [Hz] of the log and of the loop, [s] of the plant, [rad/s]
DESCRIBED = 0.2  # share by which the links of the description are wrong, one deviation
NOISE = 1e-3  # of the torque sensors, over the limits of effort
JUDGED = 1000  # seed of the motion that is judged on
KEYS = (("measured", "ink", "thin"), ("model", "identified", "line"))


def optimal_motion(robot: Robot) -> tuple[Part, Design]:
    """Figure 3, and how much better the motion is than one found by chance."""
    best = designed(robot, 0)
    problem = Problem.of(_limited(robot), duration=PERIOD, constraints=[_height(robot)], noise=_noise(robot))
    chance = []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        state = problem.motion(Poses(problem, rng).start(rng)).sample(RATE)
        rows = state.position[:-1], state.velocity[:-1], state.acceleration[:-1]
        chance.append(Criterion().value(problem.seen.matrix(*rows)))
    gain = best.value - max(chance)
    room = min(margin.room for margin in best.certificate.run().margins)
    claims = (
        Claim("Fig. 3", "log det above the best random motion", "-", f"{gain:.1f}", f"at least {NATS:g}", gain >= NATS),
        Claim("Fig. 3", "least room to any limit, proven between the samples", "-", f"{room:.2g}", "none broken", room >= 0),
    )
    played = replace(best.motion, periods=PERIODS).sample(RATE)
    plots = [
        Plot(
            name,
            "position [rad]",
            [Line(*envelope(played.time, played.position[:, k]), colour(k), name)],
            x_unit="s",
            height=130,
        )
        for k, name in enumerate(robot.joint_names[:3])
    ]
    words = (
        f"Four periods for the first three joints. Joints stay inside position, velocity and {FASTEST:g} rad/s^2, the tool "
        f"above {LOWEST:g} m. The motion begins and ends at rest by itself; the paper fades in and out.",
    )
    numbers = {"log det": best.value, "random": chance, "room": room}
    return Part("Figure 3: an optimal motion", words, claims, plots, numbers=numbers), best


def fitted(robot: Robot) -> tuple[Part, Estimate]:
    """Figure 4: torque of test motion, measured and by the model of one experiment; and a physically consistent one."""
    motion, log = experiment(robot, 0)
    found = PeriodicFourier(motions=motion, weights="per joint").fit(robot, log, friction=robot.friction)
    physical = PhysicallyConsistent(prior=described(robot)).fit(described(robot), log, friction=robot.friction)
    test = prepare(recorded(robot, random_motion(robot, JUDGED), JUDGED))
    model = test.predict(found.model)
    error, size = _rms(model - test.torque), _rms(test.torque)
    truth = _rms(test.predict(robot) - test.torque)  # what noise alone leaves
    shares = ", ".join(f"{100 * x:.1f}" for x in error / size)
    worst = float((error / truth)[:-1].max())
    whole = _rms(test.predict(physical.model) - test.torque)
    claims = (
        Claim("Fig. 4", "error of torque, joints 1 to 7 [%]", "agrees but for joint 7", shares, ""),
        Claim("Fig. 4", "the same over the true model's, joints 1 to 6", "-", f"{worst:.2f}", "at most 2", worst <= 2.0),
        Claim("Fig. 4", "the same of links that can exist", "-", f"{float((whole / truth)[:-1].max()):.2f}", ""),
        Claim("Section II-B", "parameters that are fitted", "57", str(len(found.names)), "57", len(found.names) == 57),
    )
    plots = [
        Plot(
            name, "torque [N m]",
            [
                Line(*envelope(test.time, test.torque[:, k]), "ink", "measured", "thin"),
                Line(*envelope(test.time, model[:, k]), "identified", "model"),
            ],
            x_unit="s", height=130,
        )
        for k, name in enumerate(robot.joint_names)
    ]  # fmt: skip
    words = (
        "A random motion from pose to pose, not one that was fitted. Torque of joint 7 is small, and friction and noise are "
        "most of it: there the relative error is largest, as in the paper. Links that can exist are fitted to the same "
        f"recording, beginning with a description whose links are wrong by {100 * DESCRIBED:g} % each (one deviation).",
    )
    numbers = {"error [N m]": error, "links that can exist [N m]": whole, "torque [N m]": size, "true model [N m]": truth}
    return Part("Figure 4: torque of the fitted model", words, claims, plots, KEYS, numbers=numbers), physical


def reduction(robot: Robot, count: int) -> tuple[Part, Simplified]:
    """57 parameters become 25: what comes out differently in every experiment goes."""
    played = [experiment(robot, seed) for seed in range(count)]
    motions, logs = [motion for motion, _ in played], [log for _, log in played]
    test = recorded(robot, random_motion(robot, JUDGED), JUDGED).truth
    assert test is not None
    method = PeriodicFourier(motions=motions, keep=KEPT)
    problem = method.problem(robot, logs, friction=robot.friction)
    found = method.reduced(problem)

    def off(estimate: BaseEstimate) -> Array:
        return _rms(estimate.model.inverse_dynamics(test.position, test.velocity, test.acceleration) - test.torque)

    full, small = off(found.full), off(found.estimate)
    more = float((small - full).max())
    spread = {word: _spread(robot, motions, logs, word) for word in ("equal", "per joint")}
    ratio = float(np.exp(np.mean(np.log(spread["per joint"] / spread["equal"]))))
    claims = (
        Claim("Section IV-B", "parameters left", str(KEPT), str(len(found.kept)), str(KEPT), len(found.kept) == KEPT),
        Claim(
            "Section IV-B", "cost of the reduction on another motion, worst joint", "-", f"{more:.3f} N m",
            f"at most {COST:g} N m", more <= COST,
        ),
        Claim(
            "Section II-B", "spread of weighted over plain least squares, geometric mean", "-", f"{ratio:.2f}", "at most 1",
            ratio <= 1,
        ),
        Claim("Section IV-B", "experiments", "about 30", str(count), ""),
    )  # fmt: skip
    steps = found.ladder.steps
    sizes = np.array([step.size for step in steps], dtype=float)
    errors = np.array([100 * step.held if step.held is not None else np.nan for step in steps])
    plot = Plot(
        "Held-out error of every smaller model", "error [% of torque]",
        [
            Line(sizes[::-1], errors[::-1], "identified", "held out"),
            Line([KEPT], [_at(sizes, errors, KEPT)], "ink", "25", "points"),
        ],
        x_unit="parameters", height=200, y_range=(0.0, 12.0),
    )  # fmt: skip
    words = (
        f"{count} motions, each fitted alone; the parameter that differs most between them, relative to its mean, is set to "
        f"zero, and all are solved again. Left are: {', '.join(found.kept)}. Which 25 were left in the paper is not published.",
    )
    table = [["joint", "57 parameters [N m]", "25 parameters [N m]"]]
    table += [[name, f"{a:.3f}", f"{b:.3f}"] for name, a, b in zip(robot.joint_names, full, small, strict=True)]
    numbers = {"kept": found.kept, "full [N m]": full, "reduced [N m]": small, "weighted over plain": ratio}
    return Part("Fewer parameters", words, claims, [plot], table=table, numbers=numbers), found


def designed(robot: Robot, seed: int) -> Design:
    """An optimal motion of one period; another one for every seed."""
    return design(_limited(robot), duration=PERIOD, constraints=[_height(robot)], noise=_noise(robot), seed=seed)


@cache
def described(robot: Robot) -> Robot:
    """What a user would begin with: links wrong by a stated share, friction unknown.

    >>> from bifilar.papers.bargsten2013 import arm
    >>> described(arm()).drive_values.any()
    np.False_
    """
    wrong = wrong_by(robot, DESCRIBED, seed=3)
    return wrong.with_friction(robot.friction, dict.fromkeys(wrong.drive_columns.names, 0.0))


@cache
def experiment(robot: Robot, seed: int) -> tuple[Fourier, Recording]:
    """A motion and its recording."""
    motion = replace(designed(robot, seed).motion, periods=PERIODS)
    return motion, recorded(robot, motion, seed)


def recorded(robot: Robot, motion: Fourier | Piecewise, seed: int) -> Recording:
    """What the virtual arm's sensors say of a motion."""
    sensors = replace(Sensors.realistic(), torque_offset=0.0, torque_noise=NOISE)
    machine = VirtualRobot(robot, plant_step=STEP, slip=SLIP)
    return machine.play(motion, rate=RATE, control_rate=CONTROL, seed=seed, sensors=sensors)


def random_motion(robot: Robot, seed: int, moves: int = 8) -> Piecewise:
    """From pose to pose, inside the limits.

    >>> random_motion(bf.Robot.load("kuka_lwr4"), 0).duration
    16.0
    """
    rng, limits = np.random.default_rng(seed), robot.limits
    poses = rng.uniform(-0.5, 0.5, (moves + 1, len(robot.joint_names))) * np.minimum(limits.upper, -limits.lower)
    return quintic(robot.joint_names, poses, 2.0 * np.arange(moves + 1.0))


def _limited(robot: Robot) -> Robot:
    return robot.with_limits({joint: {"acceleration": FASTEST} for joint in robot.joint_names})


def _height(robot: Robot) -> Any:
    return Above(robot.frame_names[-1], LOWEST)


def _noise(robot: Robot) -> Array:
    return 0.01 * np.asarray(robot.limits.effort)


def _rms(x: Array) -> Array:
    return np.asarray(np.sqrt((x**2).mean(axis=0)))


def _at(sizes: Array, errors: Array, size: int) -> float:
    return float(errors[int(np.argmin(np.abs(sizes - size)))])


def _spread(robot: Robot, motions: list[Fourier], logs: list[Recording], weights: Any) -> Array:
    """Deviation of every parameter over experiments that are fitted alone."""
    values = [
        PeriodicFourier(motions=motion, weights=weights).fit(robot, log, friction=robot.friction).values
        for motion, log in zip(motions, logs, strict=True)
    ]
    return np.asarray(np.std(values, axis=0, ddof=1))

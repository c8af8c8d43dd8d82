"""Proving that a motion keeps its limits: joint limits and walls for every instant, then a second opinion.

The proof is `proof`'s; the second opinion looks at some hundred instants with kinematics and dynamics that are not ours
(`recheck`) and a formula of its own for the series. What is found becomes a `Certificate`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from bifilar.dynamics.blas import one_blas_thread
from bifilar.dynamics.tree import Array
from bifilar.errors import MotionError
from bifilar.experiment.certificate import Certificate, Margin, Run
from bifilar.experiment.clearance import Clearance
from bifilar.experiment.constraints import Constraint, Wall, walls
from bifilar.experiment.envelope import QUANTITIES, Bounds
from bifilar.experiment.fingerprint import described, digest, limits_hash, robot_hash, series_of
from bifilar.experiment.fourier import Fourier
from bifilar.experiment.points import Above, Within
from bifilar.experiment.proof import Path, proven_rooms
from bifilar.experiment.recheck import Recheck
from bifilar.experiment.torque_limits import TorqueWithin
from bifilar.robot.robot import Robot

AGREE = 1e-6  # how far the second opinion may be from ours, in the wall's own scale
AT_REST = 1e-9  # share of the largest velocity (acceleration) that counts as rest
CHECKS = 401  # instants of the second opinion at least; not on the grid of the proof
UNITS = {"position": "rad", "velocity": "rad/s", "acceleration": "rad/s^2", "jerk": "rad/s^3"}


def certify(
    robot: Robot,
    motion: Fourier,
    *,
    constraints: Sequence[Constraint] = (),
    torque: bool = True,
    speeds: Sequence[float] = (1.0,),
) -> Certificate:
    """Prove that a motion, at all these speeds, keeps the robot's limits and the constraints at every instant; else a letter.

    `torque`: the effort limits too, where the robot states any.

    >>> robot = bf.Robot.load("two_link")
    >>> bf.certify(robot, bf.design(robot, duration=5.0).motion, speeds=(0.1, 1.0)).runs[1].speed
    1.0
    """
    if not isinstance(motion, Fourier):
        raise MotionError("certificate.not_proven/certify", kind=type(motion).__name__)
    if not speeds or not all(0 < speed <= 1 for speed in speeds):
        raise MotionError("certificate.speeds", speeds=tuple(speeds))
    if not np.isfinite(motion.coefficients).all() or not np.isfinite(motion.offset).all():
        raise MotionError("not_finite/certify")
    if tuple(motion.joint_names) != robot.joint_names:
        facts: dict[str, Any] = {"motion": list(motion.joint_names), "robot": list(robot.joint_names)}
        raise MotionError("motion.other_joints", **facts)
    constraints = with_torque(robot, [constraint.without_margin() for constraint in constraints], torque)
    bounds, put_up, second = Bounds.of(robot, margin=0.0), walls(robot, constraints), Recheck(robot)
    with one_blas_thread():
        runs = tuple(_run(robot, motion, speed, bounds, put_up, second) for speed in speeds)
    stated = tuple(described(constraint) for constraint in constraints)
    return Certificate(robot_hash(robot), limits_hash(robot, stated), stated, runs, _name(), _not_checked(robot, constraints))


def with_torque(robot: Robot, constraints: Iterable[Constraint], torque: bool, margin: float = 0.0) -> list[Constraint]:
    """The constraints, and torque limits with them unless there are such already or the robot states none.

    >>> [type(constraint).__name__ for constraint in with_torque(bf.Robot.load("panda"), [], True)]
    ['TorqueWithin']
    """
    given = list(constraints)
    if torque and np.isfinite(robot.limits.effort).any() and not any(isinstance(c, TorqueWithin) for c in given):
        given.append(TorqueWithin(margin=margin))
    return given


def _run(robot: Robot, motion: Fourier, speed: float, bounds: Bounds, put_up: Sequence[Wall], second: Recheck) -> Run:
    series = motion if speed == 1 else motion.slowed(1 / speed)
    path, told = Path(series), f" at {100 * speed:g} % speed" * (speed != 1)
    _at_rest(path, told)
    margins, low, high = [], *path.ranges()
    for k, what in enumerate(QUANTITIES):
        for j, joint in enumerate(robot.joint_names):
            for limit, room in (
                (bounds.lower[k, j], low[k, j] - bounds.lower[k, j]),
                (bounds.upper[k, j], bounds.upper[k, j] - high[k, j]),
            ):
                if np.isfinite(limit):
                    unit = UNITS[what].replace("rad", "m") if joint in robot.sliding else UNITS[what]
                    margins.append(Margin(f"{what} of {joint}", float(room), float(limit), unit))
    for wall in put_up:
        rooms = proven_rooms(robot, wall, path)
        margins += [Margin(w.name, float(room), w.limit, w.unit) for w, room in zip(wall.watched, rooms, strict=True)]
    _all_kept(margins, told)
    count, disagreement = _ask_again(series, bounds, put_up, second, told)
    told_of = series_of(series)
    return Run(speed, told_of, digest(told_of), tuple(margins), count, disagreement)


def _all_kept(margins: Sequence[Margin], told: str) -> None:
    broken = sorted((m for m in margins if not m.room >= 0), key=lambda m: m.room / max(abs(m.limit), 1e-9))
    if broken:
        worst = broken[0]
        facts: dict[str, Any] = {"limit": f"{worst.limit:.6g} {worst.unit}", "room": f"{worst.room:.3g} {worst.unit}"}
        others = {"others": ", ".join(dict.fromkeys(m.name for m in broken[1:6]))} if len(broken) > 1 else {}
        raise MotionError(
            "certificate.broken",
            told=told,
            name=worst.name,
            words="it cannot be held there" if "at rest" in worst.name else "or a slower one, or design one",
            **facts,
            **others,
        )


def _at_rest(path: Path, told: str) -> None:
    _, v, a, _ = path.derivatives(np.zeros(1))[:, 0]
    for what, value, largest in (("velocity", v, path.largest[1]), ("acceleration", a, path.largest[2])):
        j = int(np.argmax(np.abs(value) - AT_REST * largest))
        if abs(value[j]) > AT_REST * largest[j] + 1e-12:
            raise MotionError(
                "certificate.not_at_rest", told=told, thing=what, joint_name=path.motion.joint_names[j], value=value[j]
            )


def _ask_again(series: Fourier, bounds: Bounds, put_up: Sequence[Wall], second: Recheck, told: str) -> tuple[int, float]:
    """Instants that are not on the grid of the proof, the series by its complex form, kinematics and dynamics by MuJoCo."""
    count = max(CHECKS, 8 * max(series.harmonics) + 1)
    state = _complex_series(series, np.arange(count) / count)
    for k, what in enumerate(QUANTITIES):
        out = np.maximum(bounds.lower[k] - state[k], state[k] - bounds.upper[k]).max(axis=0)
        if np.any(out > 1e-9):
            raise MotionError(
                "certificate.second_check/certify", told=told, thing=what, joint_name=series.joint_names[int(out.argmax())]
            )
    worst = 0.0
    for wall in put_up:
        ours, theirs = wall.rooms(*state[:3]), wall.second_opinion(second, *state[:3])
        worst = max(worst, float(np.abs((ours - theirs) / wall.scales).max()))
        if worst > AGREE or (theirs / wall.scales).min() < -AGREE:
            k = int(np.argmax(np.abs(ours - theirs).max(axis=0)))
            what = f"a second check of '{wall.watched[k].name}' disagrees with the first by {worst:.2g}"
            raise MotionError("certificate.second_check/ask_again", name=wall.watched[k].name, worst=worst)
    return count, worst


def _complex_series(series: Fourier, phase: Array) -> Array:
    """Position and three derivatives at phases of a period, from q = q0 + Re sum c_k exp(2 pi i k phase)."""
    a, b = np.split(series.coefficients, 2, axis=1)
    rate = 2j * np.pi * series.base_frequency * np.array(series.harmonics)
    turning = np.exp(2j * np.pi * np.outer(phase, series.harmonics))
    velocity = (a - 1j * b).T
    values = np.array([(turning @ (rate[:, None] ** (n - 1) * velocity)).real for n in range(4)])
    values[0] += series.offset
    return values


def _not_checked(robot: Robot, constraints: Sequence[Constraint]) -> tuple[str, ...]:
    limits, torque = robot.limits, any(isinstance(constraint, TorqueWithin) for constraint in constraints)
    effort = limits.effort if torque else np.full(len(limits.effort), np.inf)
    pairs = (("acceleration", limits.acceleration), ("jerk", limits.jerk), ("effort", effort))
    spaces = (("floor", (Above, Within)), ("self-collision and obstacles", (Clearance,)))
    open_ = [f"{what} (no such constraint)" for what, kinds in spaces if not any(isinstance(c, kinds) for c in constraints)]
    followers = [
        f"effort of {joint.name}" for joint in robot.joints if joint.mimic and joint.moves and np.isfinite(joint.limits.effort)
    ]
    return tuple(
        f"{what} of {joint}" for what, most in pairs for joint, x in zip(robot.joint_names, most) if not np.isfinite(x)
    ) + tuple(followers + open_)


def _name() -> str:
    from importlib.metadata import version

    return f"MuJoCo {version('mujoco')}"

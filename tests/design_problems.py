"""Design problems by number: ten robots of the library, with durations, harmonics, margins and constraints of all kinds mixed.

    given = problem(17)
    found = bf.design(given.robot, **given.settings, constraints=given.constraints)

A constraint is drawn so that the middle of the joints' ranges keeps it; whether a motion exists is for the design to say.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from motion_checker import Limbs, Torques, segment_distance

import bifilar as bf
from bifilar.experiment.envelope import Bounds

ROBOTS = ("pendulum", "two_link", "puma560", "panda", "kuka_lwr4", "ur10e", "wam", "wam_libbarrett", "walker3", "walker5")
MISSING = {"lower": -2.0, "upper": 2.0, "velocity": 2.5, "acceleration": 10.0, "jerk": 400.0}
RUBBING = ("ur10e", "wam")  # get viscous and Coulomb friction
POSES = 200


class Problem(NamedTuple):
    """A robot, what `design` is told beside it, and what its motion must keep."""

    name: str
    robot: bf.Robot
    settings: dict[str, Any]
    constraints: tuple[Any, ...]


@cache
def limited(name: str) -> bf.Robot:
    """A robot of the library with the limits that its description does not state, two of them with friction."""
    robot = bf.Robot.load(name)
    joints = []
    for joint in robot.joints:
        if joint.moves:
            stated = {field: getattr(joint.limits, field) for field in MISSING}
            given = {field: value if np.isfinite(value) else MISSING[field] for field, value in stated.items()}
            rubs = {"damping": 0.4, "friction": 0.6} if name in RUBBING else {}
            joint = replace(joint, limits=replace(joint.limits, **given), **rubs)
        joints.append(joint)
    robot = bf.Robot.build(replace(robot.description(), joints=tuple(joints)))
    rng, limits = np.random.default_rng(0), robot.limits
    q = rng.uniform(limits.lower, limits.upper, (POSES, len(limits.lower)))
    v, a = (rng.uniform(-0.5, 0.5, q.shape) * most for most in (limits.velocity, limits.acceleration))
    enough = dict(zip(robot.joint_names, 1.2 * np.abs(Torques(robot).total(q, v, a)).max(axis=0) + 1.0))
    strong = tuple(
        replace(joint, limits=replace(joint.limits, effort=min(joint.limits.effort, enough[joint.name])))
        if joint.moves and not np.isfinite(joint.limits.effort)
        else joint
        for joint in robot.joints
    )
    return bf.Robot.build(replace(robot.description(), joints=strong))


def problem(number: int) -> Problem:
    """The same for the same number, everywhere."""
    rng = np.random.default_rng([number, 3])
    name = ROBOTS[number % len(ROBOTS)]
    robot = limited(name)
    settings = {
        "duration": float(np.round(rng.uniform(2.5, 8.0), 2)),
        "harmonics": int(rng.integers(3, 7)),
        "seed": number,
        "margin": float(rng.choice([0.0, 0.01, 0.05, 0.1])),
        "torque": bool(rng.random() < 0.7),
    }
    drawn = [kind for kind in (_height, _box, _speed, _torque, _clearance) if rng.random() < 0.4]
    found = tuple(constraint for kind in drawn for constraint in kind(robot, rng, settings))
    return Problem(name, robot, settings, found)


def middle(robot: bf.Robot) -> np.ndarray:
    """A pose in the middle of all ranges, (1, joints)."""
    return ((robot.limits.lower + robot.limits.upper) / 2)[None]


def _tip(robot: bf.Robot, rng: np.random.Generator) -> tuple[str, np.ndarray, np.ndarray, float]:
    """A point of the last frame, where it is in the middle pose, and how far it gets from there."""
    frame, point = robot.frame_names[-1], rng.uniform(-0.1, 0.1, 3).round(3)
    q = np.vstack([middle(robot), rng.uniform(robot.limits.lower, robot.limits.upper, (POSES, len(robot.joint_names)))])
    places = Limbs(robot, q, 0 * q, 0 * q, {}).point(frame, point).T
    return frame, point, places[0], float(np.linalg.norm(places - places[0], axis=1).max())


def _height(robot: bf.Robot, rng: np.random.Generator, settings: Any) -> list[Any]:
    frame, point, at, reach = _tip(robot, rng)
    normal = np.array([0, 0, 1.0]) if rng.random() < 0.7 else rng.normal(size=3)
    normal /= np.linalg.norm(normal)
    return [bf.Above(frame, float(normal @ at - rng.uniform(0.1, 0.6) * reach), point=point, normal=normal)]


def _box(robot: bf.Robot, rng: np.random.Generator, settings: Any) -> list[Any]:
    frame, point, at, reach = _tip(robot, rng)
    lower, upper = at - rng.uniform(0.2, 0.8, 3) * reach, at + rng.uniform(0.2, 0.8, 3) * reach
    upper[rng.integers(3)] = np.inf
    return [bf.Within(frame, lower, upper, point=point)]


def _speed(robot: bf.Robot, rng: np.random.Generator, settings: Any) -> list[Any]:
    frame, point, _, reach = _tip(robot, rng)
    return [bf.SpeedBelow(frame, float(rng.uniform(0.3, 2.0) * max(reach, 0.1)), point=point)]


def _torque(robot: bf.Robot, rng: np.random.Generator, settings: Any) -> list[Any]:
    settings["torque"] = False
    return [bf.TorqueWithin(uncertainty=float(rng.choice([0.0, 0.05, 0.15])))]


def _clearance(robot: bf.Robot, rng: np.random.Generator, settings: Any) -> list[Any]:
    """Links from each other and from a post somewhere around the robot; pairs that touch in the middle pose are left out."""
    own = bf.capsules(robot)
    if not own:
        return []
    _, _, at, reach = _tip(robot, rng)
    direction = rng.normal(size=3)
    place = at + direction / np.linalg.norm(direction) * rng.uniform(0.5, 1.0) * reach
    post = bf.Capsule("", place - [0, 0, 0.2], place + [0, 0, 0.3], 0.05)
    every = bf.Clearance.of(robot, obstacles=[post], least=float(rng.choice([0.0, 0.01])))
    q = middle(robot)
    limbs = Limbs(robot, q, 0 * q, 0 * q, {})
    pairs = tuple(pair for pair in every.pairs if apart(limbs, *(every.capsules[k] for k in pair)).min() > every.least + 0.05)
    return [replace(every, pairs=pairs)] if pairs else []


def apart(limbs: Limbs, one: Any, other: Any) -> np.ndarray:
    """Distance of two capsules at every instant, (N,)."""
    ends = (limbs.point(c.link, p) for c in (one, other) for p in (c.start, c.end))
    return segment_distance(*ends) - one.radius - other.radius


def touching(motion: bf.Fourier, bounds: Bounds) -> bf.Fourier:
    """Scaled as a whole until it touches a limit."""
    low, high = 0.0, 1.0
    for _ in range(40):
        middle = 0.5 * (low + high)
        inside = np.all(bounds.margins(replace(motion, coefficients=middle * motion.coefficients)) >= 0)
        low, high = (middle, high) if inside else (low, middle)
    return replace(motion, coefficients=low * motion.coefficients)

"""Proven rooms are never larger than what the independent checker finds, on machines of every kind."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from design_problems import ROBOTS, limited, middle
from motion_checker import violations
from zoo import RANDOM, random_description

import bifilar as bf
from bifilar.experiment.proof import Path, proven_rooms

pytest.importorskip("pinocchio")

MACHINES = (*ROBOTS, *RANDOM)


@cache
def machine(name: str) -> bf.Robot:
    if name in ROBOTS:
        return limited(name)
    tree = random_description(name)  # branches, slides, joints that follow others
    joints = tuple(replace(joint, limits=bf.Limits(-2, 2, 2, 8, 200, 100)) for joint in tree.joints)
    return bf.Robot.build(replace(tree, joints=joints))


def random_series(robot: bf.Robot, rng: np.random.Generator) -> bf.Fourier:
    """At rest at its ends; joints as fast as they may be, some of them beyond their range."""
    harmonics, n = int(rng.integers(3, 7)), len(robot.joint_names)
    Z = bf.rest_basis(harmonics)
    c = (Z @ rng.normal(size=(Z.shape[1], n))).T
    c *= (rng.uniform(0.1, 1.0) * robot.limits.velocity / np.abs(c).sum(axis=1))[:, None]
    settings = {"base_frequency": 1 / rng.uniform(2, 5), "harmonics": harmonics, "coefficients": c}
    return bf.Fourier(joint_names=robot.joint_names, offset=middle(robot)[0] + rng.normal(scale=0.2, size=n), **settings)


def constraints(robot: bf.Robot, rng: np.random.Generator) -> list:
    one, other = (robot.frame_names[int(k)] for k in rng.integers(1, len(robot.frame_names), 2))
    rods = [bf.Capsule(link, *rng.normal(scale=0.2, size=(2, 3)), 0.05) for link in (one, other, "")]
    pairs = [(0, 2), (1, 2)] + ([(0, 1)] if one != other else [])
    return [
        bf.Above(one, -5.0, point=rng.normal(scale=0.2, size=3), normal=rng.normal(size=3)),
        bf.Within(one, [-9, -9, -9], [9, 9, 9], point=rng.normal(scale=0.2, size=3)),
        bf.SpeedBelow(one, 40.0, point=rng.normal(scale=0.2, size=3)),
        bf.TorqueWithin(uncertainty=float(rng.choice([0.0, 0.1]))),
        bf.Clearance(tuple(rods), tuple(pairs), least=-1.0),
    ]


@pytest.mark.parametrize("name", MACHINES)
def test_what_is_proven_holds(name):
    robot, rng = machine(name), np.random.default_rng(len(name))
    motion = random_series(robot, rng)
    path = Path(motion)
    for constraint in constraints(robot, rng):
        found = violations(robot, motion, [constraint], oversampling=100 if name in ROBOTS else 20)
        seen = -max(excess for what, excess in found.items() if what.startswith("0 "))
        proven = proven_rooms(robot, constraint.on(robot), path).min()
        assert proven <= seen + 1e-9, type(constraint).__name__
    low, high = path.ranges()
    joints = [joint for joint in robot.joints if joint.moves and joint.mimic is None]
    for j, joint in enumerate(sorted(joints, key=lambda joint: robot.joint_names.index(joint.name))):
        assert found[f"position {joint.name}"] <= max(high[0, j] - joint.limits.upper, joint.limits.lower - low[0, j])
        for k, what in enumerate(("velocity", "acceleration", "jerk"), 1):
            assert found[f"{what} {joint.name}"] <= max(high[k, j], -low[k, j]) - getattr(joint.limits, what)

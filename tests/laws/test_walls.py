"""Laws of constraints: slopes are derivatives, rates are bounds, two implementations agree, proofs are no samples."""

from __future__ import annotations

import numpy as np
import pytest

import bifilar as bf
from bifilar.experiment.norms import Bodies, Span
from bifilar.experiment.proof import Path, proven_rooms
from bifilar.experiment.recheck import Recheck

FRICTION = bf.Viscous() + bf.Coulomb() + bf.PowerLaw(exponent=1.5) + bf.RotorInertia()


def slide() -> bf.Robot:
    """A turning column, a slider on it, a hinge at its end, a finger that follows the hinge."""
    body = bf.Inertia.from_center_of_mass(2.0, [0.1, 0.02, 0.3], np.diag([0.05, 0.04, 0.03]))
    links = tuple(bf.Link(name, body) for name in ("base", "column", "slider", "hand", "finger"))
    limits = bf.Limits(lower=-1.0, upper=1.0, velocity=1.0, acceleration=3.0, effort=80.0)
    joints = (
        bf.Joint("turn", "revolute", "base", "column", bf.Pose(np.eye(3), [0, 0, 0.4]), [0, 0, 1], limits),
        bf.Joint("slide", "prismatic", "column", "slider", bf.Pose(np.eye(3), [0.2, 0, 0.1]), [1, 0, 0], limits),
        bf.Joint("bend", "revolute", "slider", "hand", bf.Pose(np.eye(3), [0.3, 0, 0]), [0, 1, 0], limits),
        bf.Joint(
            "follow", "revolute", "hand", "finger", bf.Pose(np.eye(3), [0.2, 0.1, 0]), [0, 1, 0], limits, bf.Mimic("bend", 0.5)
        ),
    )
    return bf.Robot.build(bf.Description("slide", links, joints))


def panda() -> bf.Robot:
    values = {"joint1.viscous": 0.5, "joint2.coulomb": 0.8, "joint3.power_law": 0.3, "joint1.rotor_inertia": 0.2}
    robot = bf.Robot.load("panda").with_friction(FRICTION)
    return robot.with_friction(FRICTION, {name: value for name, value in values.items() if name in robot.column_names()})


def cases():
    post = bf.Capsule("", [0.5, -0.4, 0.2], [0.5, 0.6, 0.9], 0.05)
    for robot, frame in ((panda(), "flange"), (slide(), "finger")):
        point = np.array([0.05, -0.02, 0.1])
        hand = bf.Capsule(frame, [0, 0, 0], [0, 0.05, 0.1], 0.05)
        base = bf.Capsule(robot.frame_names[0], [0, 0, 0], [0, 0.1, 0.2], 0.1)
        yield robot, bf.Above(frame, -0.3, point=point, normal=(0.3, -0.2, 1.0))
        yield robot, bf.Within(frame, [-2, -2, -1], [2, np.inf, 2], point=point)
        yield robot, bf.SpeedBelow(frame, 9.0, point=point)
        yield robot, bf.TorqueWithin()
        yield robot, bf.TorqueWithin(uncertainty=0.2, margin=0.1)
        yield robot, bf.Clearance((hand, base, post), ((0, 1), (0, 2)), least=-0.5)


CASES = list(cases())
NAMES = [f"{robot.name} {type(constraint).__name__}{k}" for k, (robot, constraint) in enumerate(CASES)]


def states(robot, samples=40, seed=0):
    return np.random.default_rng(seed).uniform(-1, 1, (3, samples, len(robot.joint_names)))


@pytest.mark.parametrize(("robot", "constraint"), CASES, ids=NAMES)
def test_slopes_are_derivatives(robot, constraint):
    wall, state = constraint.on(robot), states(robot)
    rooms, slopes = wall.sloped(*state)
    assert rooms.shape == (40, len(wall.watched)) and np.allclose(rooms, wall.rooms(*state))
    along = states(robot, seed=1)
    slope = sum(np.einsum("nkj,nj->nk", by, d) for by, d in zip(slopes, along) if by is not None)
    h = 1e-5
    one, two = (wall.rooms(*(state + k * h * along)) - wall.rooms(*(state - k * h * along)) for k in (1, 2))
    assert np.allclose(slope, (8 * one - two) / (12 * h), atol=1e-6 * (1 + np.abs(slope).max()))


@pytest.mark.parametrize(("robot", "constraint"), CASES, ids=NAMES)
def test_kinematics_of_others_agree(robot, constraint):
    wall, state = constraint.on(robot), states(robot)
    assert np.allclose(wall.rooms(*state), wall.second_opinion(Recheck(robot), *state), atol=1e-9)


@pytest.mark.parametrize(("robot", "constraint"), CASES, ids=NAMES)
def test_rates_are_bounds(robot, constraint):
    """Along straight lines of jerk, no room changes faster than its bound; and the bound is not absurd."""
    wall, rng = constraint.on(robot), np.random.default_rng(2)
    tightest = 0.0
    for _ in range(30):
        q, v, a, j = rng.uniform(-1, 1, (4, 1, len(robot.joint_names)))
        h = 1e-6
        ahead, behind = ((q + s * v, v + s * a, a + s * j) for s in (h, -h))
        rate = np.abs(wall.rooms(*ahead) - wall.rooms(*behind))[0] / (2 * h)
        bound = wall.rates(Bodies(robot.tree, Span(*(np.abs(x) for x in (q, v, a, j)))))[0]
        assert np.all(rate <= bound * (1 + 1e-6) + 1e-6)
        tightest = max(tightest, float((rate / bound).max()))
    assert tightest > 0.02


@pytest.mark.parametrize(("robot", "constraint"), CASES, ids=NAMES)
def test_proven_rooms_lie_just_below_the_least(robot, constraint):
    rng, n = np.random.default_rng(3), len(robot.joint_names)
    motion = bf.Fourier(
        joint_names=robot.joint_names, base_frequency=0.25, harmonics=3, coefficients=rng.uniform(-0.15, 0.15, (n, 6))
    )
    wall, path = constraint.on(robot), Path(motion)
    proven = proven_rooms(robot, wall, path)
    least = wall.rooms(*path.derivatives(np.linspace(0, 4, 20_001))[:3]).min(axis=0)
    assert np.all(proven <= least + 1e-12)
    assert np.all(proven >= np.minimum(least - 0.06 * np.abs(least) - 3e-3 * wall.scales, least))


def test_a_peak_between_samples_is_seen():
    """A harmonic that is zero at every sample of a coarse grid sticks out between them."""
    robot, n = bf.Robot.load("pendulum"), 40
    coefficients = np.zeros((1, 2 * n))
    coefficients[0, n - 1] = 2.0  # position sin(2 pi 40 t) 2 / (2 pi 40)
    motion = bf.Fourier(joint_names=robot.joint_names, base_frequency=1.0, harmonics=n, coefficients=coefficients)
    path, size = Path(motion), 2.0 / (2 * np.pi * n)
    assert np.abs(path.derivatives(np.arange(80) / 80)[0]).max() < 1e-9
    assert path.ranges()[1][0, 0] >= size

    def height(q):
        return robot.pose("link1", [[q]])[1][0] + robot.pose("link1", [[q]])[0][0] @ [0.5, 0.5, 0.5]

    down = height(size) - height(0.0)  # which way the point goes
    wall = bf.Above("link1", -float(down @ height(0.0) / np.linalg.norm(down)) - 1e-6, point=[0.5] * 3, normal=-down).on(robot)
    assert wall.rooms(*path.derivatives(np.arange(80) / 80)[:3]).min() > 0
    assert proven_rooms(robot, wall, path)[0] < 0


@pytest.mark.parametrize("uncertainty", [0.1, 0.5])
def test_uncertain_masses_cannot_break_the_limit(uncertainty):
    """The room of an uncertain torque is at most that of any robot whose links are scaled within the uncertainty."""
    robot, rng = panda(), np.random.default_rng(5)
    state = states(robot)
    room = bf.TorqueWithin(uncertainty=uncertainty).on(robot).rooms(*state)
    for _ in range(10):
        factor = rng.choice([1 - uncertainty, 1 + uncertainty], len(robot.body_parameters))
        other = robot.with_body_parameters(robot.body_parameters * factor[:, None])
        assert np.all(bf.TorqueWithin().on(other).rooms(*state) >= room - 1e-9)


def test_friction_never_takes_more_than_was_counted():
    robot = panda()
    q, v, a = states(robot, 200)
    limit = robot.limits.effort
    room = bf.TorqueWithin().on(robot).rooms(q, v, a)
    torque = robot.inverse_dynamics(q, v, a)
    assert np.all(limit - torque >= room[:, :7] - 1e-9) and np.all(limit + torque >= room[:, 7:14] - 1e-9)

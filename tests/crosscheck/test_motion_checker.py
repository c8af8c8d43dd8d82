"""Who checks the checker: Pinocchio on files, SciPy on distances, our own series; and it sees what is broken for an instant."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from motion_checker import Limbs, Torques, broken, segment_distance, series, violations
from scipy.optimize import lsq_linear
from twins import PinocchioFile, random_motion
from zoo import MODELS, files_of

import bifilar as bf
from bifilar.experiment.clearance import _gaps, nearest_points

pytest.importorskip("pinocchio")

CASES = [(kind, name) for kind, name in MODELS if kind in ("library", "random")]
POINT = np.array([0.1, -0.2, 0.3])


@pytest.mark.parametrize("case", CASES, ids=" ".join)
def test_places_velocities_and_torques(case, dataset, tmp_path):
    files = files_of(*case, False, dataset, tmp_path)
    robot, motion = files.robot, random_motion(np.random.default_rng(3), files.robot, 10)
    twin, limbs = PinocchioFile(files.urdf, robot), Limbs(robot, motion.q, motion.v, motion.a, {})
    for link in robot.links[-4:]:
        pose = twin.pose(motion, link.name)
        assert np.allclose(limbs.point(link.name, POINT).T, pose[..., :3] @ POINT + pose[..., 3], rtol=0, atol=1e-12)
        velocity = np.einsum("nij,nj->ni", twin.jacobian(motion, link.name, POINT)[:, :3], motion.v)
        assert np.allclose(limbs.velocity(link.name, POINT).T, velocity, rtol=1e-12, atol=1e-12)
    torque, mine = twin.inverse_dynamics(motion), Torques(robot).rigid(motion.q, motion.v, motion.a)
    assert np.allclose(mine, torque, rtol=1e-11, atol=1e-11 * np.abs(torque).max(initial=1.0))


def test_friction_and_rotors():
    robot = bf.Robot.load("two_link").with_friction(bf.Viscous() + bf.Coulomb(width=0.1) + bf.Offset() + bf.RotorInertia())
    robot = robot.with_parameters({name: 0.1 * k for k, name in enumerate(robot.drive_columns.names, 1)})
    q, v, a = np.random.default_rng(1).normal(size=(3, 20, 2))
    assert np.allclose(Torques(robot).total(q, v, a), robot.inverse_dynamics(q, v, a), rtol=0, atol=1e-12)


@pytest.mark.parametrize("fade", [0.0, 0.7])
def test_series(fade):
    c = np.random.default_rng(2).normal(size=(2, 6))
    names = ("a", "b")
    motion = bf.Fourier(joint_names=names, base_frequency=0.4, harmonics=(1, 2, 5), coefficients=c, offset=[0.3, 1], fade=fade)
    time = np.linspace(0, motion.duration, 301)
    state = motion.at(time)
    for ours, theirs in zip(series(motion, time), (state.position, state.velocity, state.acceleration, state.jerk)):
        assert np.allclose(ours, theirs, rtol=0, atol=1e-9 * np.abs(theirs).max())


def test_distances_of_segments():
    rng = np.random.default_rng(4)
    ends = rng.normal(size=(4, 3, 300))
    ends[:, :, :50] = np.round(ends[:, :, :50])  # parallel ones, ones that meet, points
    ends[1, :, 50:60] = ends[0, :, 50:60]
    ends[3, :, 55:58] = ends[2, :, 55:58]
    ends[3, :, 60:80] = ends[2, :, 60:80] + ends[1, :, 60:80] - ends[0, :, 60:80]
    for ours in (_gaps, lambda *four: np.linalg.norm(np.subtract(*nearest_points(*four)), axis=-1)):
        assert np.allclose(ours(*ends.transpose(0, 2, 1)), segment_distance(*ends), rtol=0, atol=1e-9)
    for k, mine in enumerate(segment_distance(*ends)):
        a, b, c, d = ends[:, :, k]
        best = lsq_linear(np.column_stack([b - a, c - d]), c - a, bounds=(0, 1), tol=1e-15)
        assert abs(mine - np.sqrt(2 * best.cost)) < 1e-6


def swing(robot, size=0.5, **changes):
    """A calm motion of every joint about the middle of its range."""
    n, limits = len(robot.joint_names), robot.limits
    c = size * bf.rest_basis(4) @ np.random.default_rng(n).normal(size=(bf.rest_basis(4).shape[1], n))
    middle = np.where(np.isfinite(limits.upper), (limits.lower + limits.upper) / 2, 0.0)
    settings = {"base_frequency": 0.2, "harmonics": 4, "coefficients": c.T, "offset": middle} | changes
    return bf.Fourier(joint_names=robot.joint_names, **settings)


@pytest.mark.parametrize("quantity", ["position", "velocity", "acceleration", "jerk"])
def test_limits_of_joints_are_seen(quantity):
    """With the limit just above and just below the largest value there is."""
    robot = bf.Robot.load("panda")
    motion = swing(robot)
    assert not broken(violations(robot, motion))
    most = np.abs(getattr(motion.at(np.linspace(0, 5, 200_001)), quantity)[:, 2]).max()
    for share, seen in ((1 + 1e-5, set()), (1 - 1e-5, {f"{quantity} joint3"})):
        field = "upper" if quantity == "position" else quantity
        changed = {field: share * most} | ({"lower": -share * most} if quantity == "position" else {})
        joints = tuple(replace(j, limits=replace(j.limits, **changed)) if j.name == "joint3" else j for j in robot.joints)
        assert set(broken(violations(bf.Robot.build(replace(robot.description(), joints=joints)), motion))) == seen


def test_constraints_are_seen():
    """Each with its limit a little above and a little below what our own engine finds."""
    robot = bf.Robot.load("panda")
    motion = swing(robot)
    state = motion.at(np.linspace(0, 5, 50_001))
    rotation, place = robot.pose("flange", state.position)
    tool = place + rotation @ POINT
    speed = np.einsum("nij,nj->ni", robot.jacobian("flange", state.position, POINT)[:, :3], state.velocity)
    low, fast = tool[:, 2].min(), np.linalg.norm(speed, axis=1).max()
    ball, wall = bf.Capsule("link7", [0, 0, 0.1], [0, 0, 0.1], 0.05), bf.Capsule("", [1, -1, 0], [1, 1, 0], 0.1)
    rotation, place = robot.pose("link7", state.position)
    gap = (place + rotation @ [0, 0, 0.1])[:, [0, 2]] - [1, 0]
    apart = np.linalg.norm(gap, axis=1).min() - 0.15
    for e, found in ((-1e-6, 0), (1e-6, 1)):
        constraints = (
            bf.Above("flange", low + e, point=POINT),
            bf.Within("flange", tool.min(axis=0) - 1, tool.max(axis=0) + [1, -e, 1], point=POINT),
            bf.SpeedBelow("flange", fast - e, point=POINT),
            bf.Clearance((ball, wall), ((0, 1),), least=apart + e),
        )
        for constraint in constraints:
            assert len(broken(violations(robot, motion, [constraint]))) == found
    torque = np.abs(robot.inverse_dynamics(state.position, state.velocity, state.acceleration))[:, 1].max()
    for share, found in ((1 - 1e-6, 1), (1 + 1e-6, 0)):
        limits = replace(robot.joint("joint2").limits, effort=share * torque)
        joints = tuple(replace(j, limits=limits) if j.name == "joint2" else j for j in robot.joints)
        weak = bf.Robot.build(replace(robot.description(), joints=joints))
        assert len(broken(violations(weak, motion, [bf.TorqueWithin()]))) == found
        assert broken(violations(weak, motion, [bf.TorqueWithin(uncertainty=0.1)]))


def test_numbers_that_are_none_are_seen():
    robot = bf.Robot.load("two_link")
    motion = swing(robot)
    object.__setattr__(motion, "coefficients", motion.coefficients * np.nan)
    assert len(broken(violations(robot, motion, [bf.Above("tip", -9), bf.SpeedBelow("tip", 99)]))) >= 8

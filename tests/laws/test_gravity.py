"""Gravity models: two numbers per joint that hold at every pose, found from the tip to the base or all at once."""

from __future__ import annotations

import numpy as np
import oracles
import pytest
from numpy.typing import NDArray

import bifilar as bf
from bifilar.estimate.gravity_model import gravity_matrix
from bifilar.papers import ma1996
from bifilar.robot.read_dh import from_dh

Array = NDArray[np.float64]

# Ma and Hollerbach 1996, Table 2 [kg m]; the last number follows from Table 1, the print has -0.0597.
TABLE_2 = np.vstack([ma1996.TABLE_2[:6], [0.1132, -0.0594]])


def swept(robot: bf.Robot, count: int = 13, seed: int = 0) -> Array:
    """Poses of one sweep per joint, the others held."""
    rest = np.random.default_rng(seed).uniform(-1, 1, len(robot.joint_names))
    poses = np.repeat(np.tile(rest, (len(rest), 1, 1)), count, axis=1)
    for j in range(len(rest)):
        poses[j, :, j] = np.linspace(-1.5, 1.5, count)
    return poses.reshape(-1, len(rest))


@pytest.mark.parametrize("seed", range(3))
def test_table_2_follows_from_table_1(seed: int) -> None:
    masses = np.random.default_rng(seed).uniform(1, 5, 7)
    robot = ma1996.arm(masses)
    q = swept(robot)
    found = bf.identify_gravity(
        robot, bf.StaticPoses(robot.joint_names, q, robot.gravity_torque(q)).own_sensors(), method="recursive"
    )
    assert np.abs(found.model.values.reshape(7, 2) - TABLE_2).max() < 1e-4
    anywhere = np.random.default_rng(seed).uniform(-np.pi, np.pi, (50, 7))
    assert np.abs(found.torque(anywhere) - robot.gravity_torque(anywhere)).max() < 1e-9
    assert np.linalg.matrix_rank(gravity_matrix(robot, anywhere).reshape(-1, 14)) == 14


@pytest.mark.parametrize("seed", range(30))
def test_any_tree_under_any_gravity(seed: int) -> None:
    rng = np.random.default_rng(seed)
    machine = oracles.random_machine(rng)
    robot = bf.Robot.build(oracles.description_of(machine))
    robot = robot.with_gravity(rng.normal(size=3) * 6)
    q = rng.uniform(-2, 2, (20, len(robot.joint_names)))
    np.testing.assert_allclose(bf.GravityModel.of(robot).torque(q), robot.gravity_torque(q), atol=1e-9)


@pytest.mark.parametrize("name", ["panda", "puma560", "wam", "kuka_lwr4", "ur10e", "two_link"])
def test_the_regressor_says_the_same(name: str) -> None:
    """Columns of mass and first moments at rest span what the mass moments span, and fit the same torque."""
    robot = bf.Robot.load(name)
    rng = np.random.default_rng(1)
    q = rng.uniform(-2, 2, (40, len(robot.joint_names)))
    torque = robot.gravity_torque(q) + 0.1 * rng.normal(size=q.shape)
    rest = np.zeros_like(q)
    full = robot.regressor(q, rest, rest).reshape(q.size, -1)
    by_regressor = full @ np.linalg.lstsq(full, torque.ravel(), rcond=1e-10)[0]
    own = gravity_matrix(robot, q).reshape(q.size, -1)
    by_moments = own @ np.linalg.lstsq(own, torque.ravel(), rcond=1e-10)[0]
    assert np.linalg.matrix_rank(full, tol=1e-8) == np.linalg.matrix_rank(own, tol=1e-8)
    np.testing.assert_allclose(by_moments, by_regressor, atol=1e-9)


def test_recursion_and_all_at_once_agree_on_single_sensors_and_all_sensors_know_more() -> None:
    robot = ma1996.arm(np.full(7, 2.0))
    q, rng = swept(robot), np.random.default_rng(0)
    anywhere = rng.uniform(-2, 2, (50, 7))
    truth, errors = robot.gravity_torque(anywhere), []
    for _ in range(20):
        poses = bf.StaticPoses(robot.joint_names, q, robot.gravity_torque(q) + 0.05 * rng.normal(size=q.shape))
        by_joint = bf.identify_gravity(robot, poses.own_sensors(), method="recursive")
        at_once, every = (bf.identify_gravity(robot, data) for data in (poses.own_sensors(), poses))
        np.testing.assert_allclose(by_joint.model.values, at_once.model.values, atol=1e-9)
        np.testing.assert_allclose(by_joint.model.covariance, at_once.model.covariance, atol=1e-12)
        errors.append([np.sqrt(np.mean((found.torque(anywhere) - truth) ** 2)) for found in (by_joint, every)])
    recursive, globally = np.sqrt(np.mean(np.square(errors), axis=0))
    assert globally <= 0.6 * recursive


def test_deviations_cover() -> None:
    robot = ma1996.arm(np.full(7, 2.0))
    q, rng, truth = swept(robot, 9), np.random.default_rng(0), bf.GravityModel.of(ma1996.arm(np.full(7, 2.0))).values
    inside = []
    for _ in range(100):
        poses = bf.StaticPoses(robot.joint_names, q, robot.gravity_torque(q) + 0.05 * rng.normal(size=q.shape))
        model = bf.identify_gravity(robot, poses).model
        inside.append(np.abs(model.values - truth) < 1.96 * model.deviations)
    assert 0.93 <= np.mean(inside) <= 0.97


def test_stiction_cancels_when_poses_are_approached_from_both_sides() -> None:
    robot = bf.Robot.load("ur10e")
    q, rng = swept(robot, 9), np.random.default_rng(0)
    approach = np.sign(rng.normal(size=(2, *q.shape)))
    approach[1] = -approach[0]
    both = np.vstack([q, q])
    torque = robot.gravity_torque(both) + 4.0 * approach.reshape(both.shape) + 1.5
    poses = bf.StaticPoses(robot.joint_names, both, torque, approach.reshape(both.shape))
    found = bf.identify_gravity(robot, poses, friction=bf.Coulomb() + bf.Offset())
    anywhere = rng.uniform(-2, 2, (20, 6))
    np.testing.assert_allclose(found.torque(anywhere), robot.gravity_torque(anywhere), atol=1e-8)
    np.testing.assert_allclose(found.friction_values, [4.0] * 6 + [1.5] * 6, atol=1e-8)


def test_what_no_pose_can_tell_is_said() -> None:
    robot = bf.Robot.load("ur10e")  # its first axis is vertical
    q = swept(robot)
    found = bf.identify_gravity(robot, (q, robot.gravity_torque(q)))
    assert not found.seen[:2].any() and found.seen[2:].all()
    assert found.status.code == "rank deficient" and "parallel to gravity" in found.status.sentence
    still = np.repeat(q[:1], 5, axis=0)
    few = bf.identify_gravity(robot, (still, robot.gravity_torque(still)))
    assert few.status.facts["missing"]


def test_poses_of_a_recording_are_found_with_their_approach() -> None:
    robot = bf.Robot.load("two_link")
    held = [[0.0, 0.0], [0.5, 0.0], [0.5, 0.7], [0.2, 0.7]]
    motion = bf.pose_sequence(robot.joint_names, held, hold=1.5, move=1.0).sample(200)
    torque = robot.inverse_dynamics(motion.position, motion.velocity, motion.acceleration)
    log = bf.Recording(joint_names=robot.joint_names, time=motion.time, position=motion.position, torque=torque)
    poses = bf.StaticPoses.of(log)
    np.testing.assert_allclose(poses.position, held, atol=1e-6)
    np.testing.assert_allclose(poses.torque, robot.gravity_torque(held), atol=1e-6)
    assert poses.approach.tolist() == [[0, 0], [1, 0], [0, 1], [-1, 0]]


def test_too_few_poses_are_refused() -> None:
    robot = bf.Robot.load("two_link")
    q = np.array([[0.0, 0.0], [0.4, 0.0], [0.4, 0.3]])
    with pytest.raises(bf.SolveError, match="was swept through 2 poses"):
        bf.identify_gravity(robot, bf.StaticPoses(robot.joint_names, q, robot.gravity_torque(q)), method="recursive")
    with pytest.raises(bf.ShapeError, match="other joints"):
        bf.identify_gravity(robot, bf.StaticPoses(("a", "b"), q, q))


@pytest.mark.parametrize("name", ["panda", "ur10e", "puma560"])
def test_planned_sweeps_show_all_that_gravity_can_show(name: str) -> None:
    robot = bf.Robot.load(name)
    plan = bf.design(robot, kind="sweep", count=7)
    assert plan.unseen == (robot.joint_names[0],)  # its axis is vertical
    assert plan.normal[1:].min() > 0.9
    held = np.array(plan.held)
    q = plan.motion.poses
    assert np.all(q >= robot.limits.lower) and np.all(q <= robot.limits.upper)
    torque = robot.gravity_torque(q) + 0.05 * np.random.default_rng(0).normal(size=q.shape)
    step = np.sign(np.diff(q, axis=0, prepend=q[:1]))
    poses = bf.StaticPoses(robot.joint_names, q, torque + 3.0 * step, step)[held]
    found = bf.identify_gravity(robot, poses, friction=bf.Coulomb() + bf.Offset())
    anywhere = np.random.default_rng(1).uniform(robot.limits.lower, robot.limits.upper, (50, len(robot.joint_names)))
    assert found.seen[2:].all()
    assert np.sqrt(np.mean((found.torque(anywhere) - robot.gravity_torque(anywhere)) ** 2)) < 0.1


def test_a_sweep_of_two_angles_tells_no_sinusoid_with_an_offset() -> None:
    """The same two angles over and over: both ways say what is open, and neither gives a bar for it."""
    robot = bf.Robot.load("two_link")
    q = np.array([[0.0, 0.3], [1.0, 0.3]] * 4 + [[1.0, x] for x in (0.5, 1.0, 1.5, 2.0, 2.5)])
    poses = bf.StaticPoses(robot.joint_names, q, robot.gravity_torque(q) + 0.2)
    for method in ("recursive", "all at once"):
        found = bf.identify_gravity(robot, poses, friction=bf.Offset(), method=method)  # type: ignore[arg-type]
        assert found.seen.tolist() == [False, False, True, True]
        assert found.status.code == "rank deficient" and "joint1.nx" in found.status.sentence
        assert np.isinf(found.model.deviations[:2]).all()


def test_the_recursion_does_not_claim_what_rests_on_joints_without_torque() -> None:
    robot = bf.Robot.load("two_link")
    q = np.array([[x, 0.3] for x in np.linspace(0, 2, 9)])
    torque = 1.3 * robot.gravity_torque(q)
    torque[:, 1] = np.nan
    found = bf.identify_gravity(robot, bf.StaticPoses(robot.joint_names, q, torque), method="recursive")
    assert not found.seen.any() and found.status.code == "rank deficient"
    nothing = bf.StaticPoses(robot.joint_names, q, np.full_like(q, np.nan))
    for method in ("recursive", "all at once"):
        with pytest.raises(bf.SolveError):
            bf.identify_gravity(robot, nothing, method=method)  # type: ignore[arg-type]


def test_the_deviation_of_a_torque_is_a_number_wherever_the_data_told_it() -> None:
    robot, rng = bf.Robot.load("ur10e"), np.random.default_rng(0)
    q = rng.uniform(-1, 1, (30, 6))
    found = bf.identify_gravity(robot, (q, robot.gravity_torque(q) + 0.1 * rng.normal(size=q.shape)))
    spread = found.model.torque_deviation(q)
    assert np.isfinite(spread).all() and np.all(spread[:, 1:] > 0)
    error = found.torque(q) - robot.gravity_torque(q)
    assert 0.8 < np.mean(np.abs(error[:, 1:]) < 1.96 * spread[:, 1:]) <= 1.0
    unknown = bf.identify_gravity(robot, (q[:1], robot.gravity_torque(q[:1]))).model.torque_deviation(q)
    assert not np.isnan(unknown).any() and np.isinf(unknown[:, 1:]).any()


def test_samples_in_another_order_or_too_slow_for_a_sign() -> None:
    robot, t = bf.Robot.load("two_link"), np.arange(6000) / 200
    held = (t % 10) > 6  # standing: friction has no sign there
    phase = np.where(held, 6.0, t % 10) * np.pi / 3
    q = np.column_stack([np.sin(0.5 * phase) ** 2, 1.2 * np.cos(0.5 * phase)])
    v = np.gradient(q, t, axis=0)
    stuck = np.where(held[:, None], 0.9, np.sign(v))
    torque = robot.inverse_dynamics(q, v, np.gradient(v, t, axis=0)) + 0.5 * stuck
    names = robot.joint_names
    swapped = bf.Recording(joint_names=names[::-1], time=t, position=q[:, ::-1], torque=torque[:, ::-1])
    with pytest.raises(bf.ShapeError, match="another order"):
        bf.identify_gravity(robot, bf.prepare(swapped))
    samples = bf.prepare(bf.Recording(joint_names=names, time=t, position=q, torque=torque), cutoff=5.0)
    assert not samples.mask.all()
    found = bf.identify_gravity(robot, samples, friction=bf.Coulomb())
    assert found.rows <= samples.mask.sum()


def test_every_swept_pose_is_approached_from_both_sides_inside_the_limits() -> None:
    """Also for ranges that do not hold zero, and for sliding joints with short strokes."""
    rows = [{"alpha": np.pi / 2, "a": 0.1, "mass": 1.0}, {"a": 0.5, "mass": 1.0}, {"a": 0.2, "mass": 1.0}]
    robot = bf.Robot.build(from_dh(rows)).with_gravity([1.0, 2.0, -9.0])
    first, second, third = robot.joint_names
    ranges = {first: (3.5, 6.0), second: (-9.0, 9.0), third: (-np.inf, np.inf)}
    robot = robot.with_limits({name: {"lower": a, "upper": b} for name, (a, b) in ranges.items()})
    for margin in (0.0, 0.05):
        plan = bf.design(robot, kind="sweep", count=5, margin=margin)
        q = plan.motion.poses
        spare = [margin / 2 * (b - a) if np.isfinite(b - a) else 0.0 for a, b in ranges.values()]
        assert np.all(q >= robot.limits.lower + spare - 1e-9) and np.all(q <= robot.limits.upper - spare + 1e-9)
        assert np.ptp(q, axis=0).max() <= 2 * np.pi + 1e-9
        for name in robot.joint_names:
            j, mine = robot.joint_names.index(name), np.array(plan.joint) == name
            angle, step = q[mine, j], np.sign(np.diff(q[mine, j], prepend=np.nan))
            held = np.array(plan.held)[mine]
            for value in np.unique(angle[held].round(9)):
                assert set(step[held & (np.abs(angle - value) < 1e-9)]) == {-1.0, 1.0}


def test_sweeps_with_the_others_on_their_stops_and_inside_what_motors_hold() -> None:
    robot = bf.Robot.load("panda")
    plan = bf.design(robot, kind="sweep", count=5, at_stops=True)
    for name in set(plan.joint):
        mine = np.array(plan.joint) == name
        others = np.delete(plan.motion.poses[mine], robot.joint_names.index(name), axis=1)
        low, high = (np.delete(side, robot.joint_names.index(name)) for side in (robot.limits.lower, robot.limits.upper))
        assert np.all(np.minimum(np.abs(others - low), np.abs(others - high)) < 1e-9)
    weak = robot.with_limits({"joint2": {"effort": 20.0}})
    for arm in (robot, weak):
        held = bf.design(arm, kind="sweep", count=5)
        q = held.motion.poses[np.array(held.held)]
        assert np.all(np.abs(arm.gravity_torque(q)) <= arm.limits.effort)
    assert np.abs(robot.gravity_torque(bf.design(robot, kind="sweep", count=5).motion.poses))[:, 1].max() > 20.0


def test_design_says_what_a_kind_of_motion_needs() -> None:
    robot = bf.Robot.load("two_link")
    for words, what in (
        ({"kind": "sweep", "duration": 20.0}, "as long as"),
        ({}, "how long"),
        ({"kind": "sinus"}, "no kind"),
        ({"kind": "sweep", "margin": 1.5}, "margin"),
        ({"kind": "sweep", "count": 2}, "sinusoid"),
    ):
        with pytest.raises(bf.MotionError, match=what):
            bf.design(robot, **words)  # type: ignore[call-overload]
    with pytest.raises(bf.MotionError, match="shows no joint"):
        bf.design(robot.with_gravity([0.0, 9.81, 0.0]), kind="sweep")

"""Paths in space: the tool is on them, as Pinocchio sees it; joints stay inside, close their circles, have true derivatives."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bifilar as bf
from bifilar.control.cartesian import end_frame, time_law
from bifilar.control.inverse_kinematics import Posture, Target, solve_poses
from bifilar.control.rotations import turn_of, turned

CIRCLE = bf.Circle([-0.4, 0.0, 0.6], 0.12, plane="yz", turns=2)
CASES = {
    "lwr circle": ("kuka_lwr4", CIRCLE, "free"),
    "lwr circle, orientation held": ("kuka_lwr4", CIRCLE, "held"),
    "panda line, back and forth": ("panda", bf.Line([0.4, -0.2, 0.5], [0.4, 0.2, 0.6], turns=2), "held"),
    "six joints, held": ("ur10e", bf.Circle([0.5, 0.2, 0.5], 0.1, plane="xy"), "held"),
    "a plane arm": ("two_link", bf.Circle([0.2, 0.0, -0.2], 0.05, plane="zx"), "free"),
}


@pytest.fixture(scope="module", params=CASES, ids=list(CASES))
def case(request):
    name, path, orientation = CASES[request.param]
    robot = bf.Robot.load(name)
    return robot, path, bf.cartesian_motion(robot, path, duration=4.0, orientation=orientation)


def test_the_tool_is_on_the_path_as_pinocchio_sees_it(case, tmp_path):
    pin = pytest.importorskip("pinocchio")
    robot, path, motion = case
    robot.save(tmp_path / "robot.urdf")
    model = pin.buildModelFromUrdf(str(tmp_path / "robot.urdf"))
    data, frame = model.createData(), model.getFrameId(motion.frame)
    columns = [model.joints[model.getJointId(name)].idx_q for name in robot.joint_names]
    time = np.linspace(0, 4, 61)
    wanted, states = motion.wanted(time), motion.at(time)
    for k in range(len(time)):
        q = np.zeros(model.nq)
        q[columns] = states.position[k]
        pin.framesForwardKinematics(model, data, q)
        assert np.abs(data.oMf[frame].translation - wanted.point[k]).max() < 2e-6
        if wanted.rotation is not None:
            assert np.abs(data.oMf[frame].rotation - wanted.rotation[k]).max() < 2e-6


def test_velocity_and_acceleration_are_derivatives(case):
    robot, _, motion = case
    time, h = np.linspace(0.0531, 3.9417, 79), 1e-4  # never where the jerk jumps
    ahead, here, back = (motion.at(time + d) for d in (h, 0.0, -h))
    assert np.abs((ahead.position - back.position) / (2 * h) - here.velocity).max() < 1e-6
    assert np.abs((ahead.velocity - back.velocity) / (2 * h) - here.acceleration).max() < 1e-5
    tool = np.einsum("nij,nj->ni", robot.jacobian(motion.frame, here.position)[:, :3], here.velocity)
    path = (motion.wanted(time + h).point - motion.wanted(time - h).point) / (2 * h)
    assert np.abs(tool - path).max() < 1e-4


def test_it_rests_at_both_ends_and_stays_inside_the_limits(case):
    robot, _, motion = case
    states = motion.sample(200)
    for k in (0, -1):
        assert np.abs(states.velocity[k]).max() < 1e-9 and np.abs(states.acceleration[k]).max() < 1e-8
    assert (states.position > robot.limits.lower).all() and (states.position < robot.limits.upper).all()


def test_a_closed_path_is_closed_in_the_joints(case):
    _, path, motion = case
    if path.turns == 2:
        at = motion.path.at([0.0, 2.0]).position
        assert np.abs(at[0] - at[1]).max() < 1e-9


def test_what_is_free_goes_to_the_middle_of_the_ranges():
    """At the solution the slope of the posture has no part in the null space of the Jacobian."""
    robot = bf.Robot.load("panda")
    motion = bf.cartesian_motion(robot, bf.Circle([0.45, 0.0, 0.5], 0.1), duration=4.0)
    q = motion.path.at(motion.path.knots).position
    slope = Posture.of(robot, q[0]).slope(q)[0]
    J = robot.jacobian(motion.frame, q)[:, :3]
    null = np.stack([np.linalg.svd(one)[2][3:] for one in J])
    assert np.abs(np.einsum("nij,nj->ni", null, slope)).max() < 1e-6
    assert np.abs(slope).max() > 0.1


@given(st.integers(0, 10_000))
@settings(max_examples=25, deadline=None)
def test_inverse_kinematics_undo_forward_kinematics(seed):
    rng, robot = np.random.default_rng(seed), bf.Robot.load("kuka_lwr4")
    lower, upper = robot.limits.lower, robot.limits.upper
    q = rng.uniform(0.8 * lower + 0.2 * upper, 0.2 * lower + 0.8 * upper, (1, 7))
    rotation, point = robot.pose("link7", q)
    found, left = solve_poses(robot, "link7", Target(point, rotation), q + rng.normal(0, 0.05, (1, 7)), Posture.of(robot, q[0]))
    again = robot.pose("link7", found)
    assert left[0] > 1e-8 or (np.abs(again[0] - rotation).max() < 1e-7 and np.abs(again[1] - point).max() < 1e-7)
    assert (found > lower).all() and (found < upper).all()


@given(st.integers(0, 10_000), st.floats(0, np.pi))
def test_turns_and_vectors(seed, angle):
    axis = np.random.default_rng(seed).normal(size=3)
    vector = (angle / np.linalg.norm(axis) * axis)[None]
    R = turned(vector)
    assert np.abs(R @ np.swapaxes(R, 1, 2) - np.eye(3)).max() < 1e-12
    assert np.abs(turned(turn_of(R)) - R).max() < 1e-9  # at half a turn both vectors are right


def test_poses_are_passed_with_their_orientations():
    robot = bf.Robot.load("kuka_lwr4")
    postures = np.array(
        [[0.2, 0.5, 0.1, 1.2, 0.2, 0.8, 0.0], [0.4, 0.6, 0.1, 1.3, 0.3, 0.9, 0.3], [0.5, 0.4, 0.0, 1.4, 0.1, 0.7, 0.5]]
    )
    poses = [bf.Pose(R, x) for R, x in zip(*robot.pose("link7", postures), strict=True)]
    motion = bf.cartesian_motion(robot, bf.PosePath(poses), duration=3.0, start=postures[0])
    R, x = robot.pose("link7", motion.path.at([0.0, 0.5, 1.0]).position)
    for k, pose in enumerate(poses):
        assert np.abs(x[k] - pose.translation).max() < 2e-6 and np.abs(R[k] - pose.rotation).max() < 5e-6


def test_a_frame_of_ones_own():
    """The same circle, meant in a frame that is turned and moved."""
    turn = turned(np.array([[0.0, 0.0, 0.7]]))[0]
    frame = bf.Pose(turn, np.array([0.1, 0.2, 0.3]))
    s = np.linspace(0, 1, 9)
    there = bf.Circle([0.2, 0.0, 0.1], 0.1, plane="xy", frame=frame).point(s)
    assert np.allclose(there, bf.Circle([0.2, 0.0, 0.1], 0.1, plane="xy").point(s) @ turn.T + [0.1, 0.2, 0.3])


@given(st.floats(0.5, 20), st.floats(0.01, 0.5), st.floats(0.1, 5))
def test_time_laws_run_from_rest_to_rest(duration, share, turns):
    law = time_law(turns, duration, share * duration)
    ends = law.at([0.0, duration])
    assert np.allclose(ends.position.ravel(), [0, turns]) and not ends.velocity.any()
    assert (np.diff(law.sample(200 / duration).position, axis=0) > -1e-12).all()


def test_the_end_of_an_arm_is_found():
    assert [end_frame(bf.Robot.load(name)) for name in ("kuka_lwr4", "ur10e", "wam")] == ["link7", "link6", "link7"]


def test_a_circle_out_of_reach_is_told_where_and_what_would_go():
    robot = bf.Robot.load("kuka_lwr4")
    big = bf.Circle([-0.4, 0.0, 0.6], 0.9)
    with pytest.raises(bf.MotionError) as told:
        bf.cartesian_motion(robot, big, duration=4.0)
    letter = told.value
    away = float(re.search(r"stays (\S+) m away", letter.what)[1])  # type: ignore[index]
    top = big.point(np.linspace(0, 1, 400))
    assert away == pytest.approx(_farthest(robot, top), rel=0.1)
    goes = float(re.search(r"up to (\S+) m", letter.remedy)[1])  # type: ignore[index]
    assert 0.3 < goes < 0.9
    bf.cartesian_motion(robot, bf.Circle([-0.4, 0.0, 0.6], 0.9 * goes), duration=4.0)


def _farthest(robot: bf.Robot, points: np.ndarray) -> float:
    """From the shoulder the wrist's end reaches d3 + d5 + d7; joint limits only make it less."""
    reach = 0.4 + 0.39 + 0.078
    return float((np.linalg.norm(points - [0.0, 0.0, 0.3105], axis=1) - reach).max())


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: bf.Circle([0, 0, 0], 0.0), "radius"),
        (lambda: bf.Circle([0, 0], 0.1), "three finite numbers"),
        (lambda: bf.Circle([0, 0, 0], 0.1, plane="ab"), "no plane 'ab'"),
        (lambda: bf.Circle([0, 0, 0], 0.1, plane=[[1, 0, 0], [2, 0, 0]]), "not parallel"),
        (lambda: bf.Line([0, 0, 0], [0, 0, 0]), "no length"),
        (lambda: bf.Line([0, 0, 0], [1, 0, 0], turns=0), "0 ways"),
        (lambda: bf.PosePath([[0, 0, 0]]), "two poses"),
        (lambda: bf.PosePath([[0, 0, 0], bf.Pose()]), "others have none"),
        (lambda: bf.PosePath([bf.Pose(), bf.Pose(2 * np.eye(3), np.zeros(3))]), "pose 1 is no rotation"),
        (lambda: time_law(1.0, 1.0, 0.9), "do not fit"),
        (lambda: bf.cartesian_motion(bf.Robot.load("panda", floating=True), CIRCLE, duration=1.0), "floats"),
        (lambda: bf.cartesian_motion(bf.Robot.load("panda"), CIRCLE, duration=1.0, frame="hnd"), "no link 'hnd'"),
        (lambda: bf.cartesian_motion(bf.Robot.load("panda"), CIRCLE, duration=-1.0), "duration"),
        (lambda: bf.cartesian_motion(bf.Robot.load("panda"), CIRCLE, duration=1.0, start=np.full(7, 9.0)), "beyond its limit"),
        (lambda: bf.cartesian_motion(bf.Robot.load("panda"), CIRCLE, duration=1.0, orientation="up"), "no orientation"),
    ],
)
def test_letters(make, words):
    with pytest.raises(bf.BifilarError) as told:
        make()
    assert words in str(told.value)

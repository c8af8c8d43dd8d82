"""What designed motions are for: more information than chance gives, error bars as promised, what the last run left open."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from design_problems import touching

import bifilar as bf
from bifilar.errors import MotionError
from bifilar.experiment.envelope import Bounds
from bifilar.experiment.feasible import Poses
from bifilar.experiment.problem import Problem


def test_forty_nats_above_a_random_feasible_motion():
    """KUKA LWR4+ with limits of position, velocity, acceleration and of the end's height, as bargsten2013 had them."""
    robot = bf.Robot.load("kuka_lwr4")
    robot = robot.with_limits({joint: {"acceleration": 5.0} for joint in robot.joint_names})
    height = bf.Above(robot.frame_names[-1], 0.1)
    noise = 0.01 * robot.limits.effort
    found = bf.design(robot, duration=10.0, constraints=[height], noise=noise, seed=2)
    problem = Problem.of(robot, duration=10.0, constraints=[height], noise=noise)
    chance = []
    for seed in range(9):
        rng = np.random.default_rng(seed)
        x = Poses(problem, rng)._motion(rng)
        state = problem.motion(x).sample(100.0)
        assert problem.is_proven(x)
        chance.append(
            bf.Criterion().value(problem.seen.matrix(state.position[:-1], state.velocity[:-1], state.acceleration[:-1]))
        )
    assert found.value >= max(chance) + 40
    assert min(margin.room for margin in found.certificate.run().margins) >= 0


def observed(robot, base, motion, sigma, draws, rng):
    """Deviations of least squares over noise draws, on what the virtual robot really did."""
    played = bf.VirtualRobot(robot, plant_step=2e-3).play(motion, rate=100.0, control_rate=500.0)
    truth = played.truth
    values = []
    for _ in range(draws):
        torque = truth.torque + sigma * rng.normal(size=truth.torque.shape)
        data = bf.reduce(robot, (truth.position, truth.velocity, truth.acceleration, torque), columns=base)
        values.append(bf.solve(data, weights=1 / sigma).values)
    return np.std(values, axis=0, ddof=1)


def test_designed_against_random_on_the_virtual_robot():
    robot = bf.Robot.load("ur10e")
    robot = robot.with_limits({joint: {"acceleration": 6.0} for joint in robot.joint_names})
    base, sigma, rng = bf.base_parameters(robot), 0.01 * robot.limits.effort, np.random.default_rng(1)
    bounds = Bounds.of(robot)
    found = bf.design(robot, duration=5.0, noise=sigma, rate=100.0, seed=0)
    seen = observed(robot, base, found.motion, sigma, 50, rng)
    promised = np.array([found.deviations[name] for name in base.independent])
    assert np.all(seen / promised < 1.5) and np.all(promised / seen < 1.5)
    chance = []
    for _ in range(20):
        c = rng.normal(size=(6, 7)) @ bf.rest_basis(5).T
        middle = 0.5 * (bounds.lower[0] + bounds.upper[0])
        wild = bf.Fourier(joint_names=robot.joint_names, base_frequency=0.2, harmonics=5, coefficients=20 * c, offset=middle)
        chance.append(np.exp(np.mean(np.log(observed(robot, base, touching(wild, bounds), sigma, 12, rng)))))
    assert np.median(chance) >= 2 * np.exp(np.mean(np.log(seen)))


@pytest.mark.parametrize("criterion", ["worst", "A"])
def test_a_second_motion_lowers_the_worst_deviation_more_than_the_first_again(criterion):
    from bifilar.experiment.information import relative_sizes

    robot = bf.Robot.load("panda")
    sizes = relative_sizes(bf.base_parameters(robot), robot)

    def worst(information):
        return float((np.sqrt(np.diag(np.linalg.inv(information))) / sizes).max())

    first = bf.design(robot, duration=8.0, seed=0)
    second = bf.design(robot, duration=8.0, seed=1, criterion=criterion, prior=first.information)
    assert worst(second.information) < worst(2 * first.information) < worst(first.information)


def test_condition_number():
    robot = bf.Robot.load("panda")
    noise = robot.limits.effort
    found = bf.design(robot, duration=10.0, criterion="condition", noise=noise, constraints=[bf.Above("flange", 0.15)], seed=1)
    assert np.sqrt(np.linalg.cond(found.information)) <= 100


def test_only_friction_of_an_unknown_arm():
    robot = bf.Robot.load("two_link").with_friction(bf.Viscous() + bf.Coulomb(width=0.05))
    known = bf.design(robot, duration=5.0, only=["*.viscous", "*.coulomb"], others="unknown", criterion="A", seed=1)
    assert set(known.names) == set(bf.base_parameters(robot).independent)
    assert known.value > bf.Criterion(kind="A").value(np.eye(4))


def test_begins_and_ends_where_it_is_told():
    robot = bf.Robot.load("panda")
    pose = np.array([0.1, -0.4, 0.2, -1.9, 0.1, 1.7, 0.3])
    found = bf.design(robot, duration=8.0, start=pose, constraints=[bf.Above("flange", 0.15)])
    ends = found.motion.at([0.0, 8.0])
    assert np.allclose(ends.position, pose) and np.allclose(ends.velocity, 0, atol=1e-9)
    assert found.certificate.runs[-1].speed == 1.0


def test_ctrl_c_keeps_a_motion_that_is_proven():
    def stop(progress):
        if progress.iteration >= 15:
            raise KeyboardInterrupt

    robot = bf.Robot.load("panda")
    found = bf.design(robot, duration=10.0, starts=3, constraints=[bf.Above("flange", 0.15)], watch=stop)
    assert len(found.starts) == 1 and found.starts[0].status == "stopped by the user"
    assert min(margin.room for margin in found.certificate.run().margins) >= 0


PANDA = {"duration": 10.0, "constraints": []}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"constraints": [bf.Above("flange", 2.0)]}, ["no pose is inside every constraint", "flange along +z", "relax", "1.1"]),
        ({"constraints": [bf.Above("hand", 0.15)]}, ["no link 'hand'"]),
        ({"constraints": [bf.Above("flange", 1.0), bf.Within("flange", [-9] * 3, [9, 9, 0.5])]}, ["in conflict with"]),
        ({"start": [0.0, 0.0, 0.0, 0.5, 0.0, 1.0, 0.0]}, ["start pose is outside the limits", "joint4"]),
        ({"start": [0, -45.0, 0, -90.0, 0, 90.0, 0]}, ["start pose", "degrees"]),
        (
            {"start": [0, 1.6, 0, -1.0, 0, 1.8, 0], "constraints": [bf.Above("flange", 0.5)]},
            ["the start pose is", "flange along +z"],
        ),
        ({"duration": 0.2}, ["harmonic 5", "0.5 s or longer"]),
        (
            {"constraints": [bf.TorqueWithin(uncertainty=9.0)], "start": [0, 1.5, 0, -0.2, 0, 1.5, 0]},
            ["torque of joint2", "relax"],
        ),
        ({"prior": np.eye(3)}, ["prior information"]),
        ({"harmonics": 1}, ["cannot begin and end at rest"]),
    ],
)
def test_what_cannot_be_is_answered(change, words):
    with pytest.raises(bf.BifilarError) as refusal:
        bf.design(bf.Robot.load("panda"), **(PANDA | change))
    assert all(word in str(refusal.value) for word in words), str(refusal.value)


def test_missing_limits_are_asked_for_with_a_file_to_fill_in(tmp_path):
    robot = bf.Robot.load("puma560")
    with pytest.raises(MotionError) as refusal:
        bf.design(robot, duration=5.0)
    assert "velocity of joint1" in refusal.value.what and "write_limits" in refusal.value.remedy
    file = tmp_path / "limits.toml"
    bf.write_limits(robot, file)
    text = file.read_text().replace("# velocity =  ", "velocity = 2.0").replace("# effort =  ", "effort = 90.0")
    text = text.replace("# acceleration =  ", "acceleration = 6.0") + '\n[[speed]]\nframe = "link6"\nmost = 1.5\n'
    file.write_text(text)
    robot = robot.with_limits(file)
    found = bf.design(robot, duration=5.0, harmonics=3, constraints=bf.load_constraints(robot, file))
    assert any(margin.name == "speed of link6" for margin in found.certificate.run().margins)


def test_followers_keep_their_own_limits():
    arm = bf.Limits(lower=-2.0, upper=2.0, velocity=2.0, acceleration=8.0, effort=50.0)
    finger = bf.Limits(lower=-0.5, upper=1.0, velocity=1.0, acceleration=4.0)
    body = bf.Inertia.from_center_of_mass(1.0, [0.1, 0, 0.1], np.diag([0.01, 0.02, 0.03]))
    links = tuple(bf.Link(name, body) for name in ("base", "upper", "lower"))
    joints = (
        bf.Joint("lead", "revolute", "base", "upper", axis=[0, 1, 0], limits=arm),
        bf.Joint("follow", "revolute", "upper", "lower", axis=[0, 1, 0], limits=finger, mimic=bf.Mimic("lead", 2.0, 0.1)),
    )
    robot = bf.Robot.build(bf.Description("pair", links, joints))
    state = bf.design(robot, duration=5.0, harmonics=4).motion.sample(1000.0)
    follower = 2.0 * state.position + 0.1
    assert follower.min() >= -0.5 and follower.max() <= 1.0
    assert np.abs(2 * state.velocity).max() <= 1.0 and np.abs(2 * state.acceleration).max() <= 4.0


def test_a_frame_that_was_moved_is_another_robot(tmp_path):
    robot = bf.Robot.load("panda")
    found = bf.design(robot, duration=8.0, constraints=[bf.Above("flange", 0.2)])
    certificate = found.save(tmp_path / "excite.csv")
    assert certificate.covers(robot, tmp_path / "excite.csv").speed == 1.0
    assert bf.certificate_of(tmp_path / "excite_10.csv").covers(robot, tmp_path / "excite_10.csv").speed == 0.1
    description = robot.description()
    joints = tuple(
        replace(joint, pose=bf.Pose(joint.pose.rotation, joint.pose.translation + [0, 0, 1e-3]))
        if joint.child == "flange"
        else joint
        for joint in description.joints
    )
    moved = bf.Robot.build(replace(description, joints=joints))
    with pytest.raises(MotionError, match="another robot"):
        certificate.covers(moved, tmp_path / "excite.csv")
    with pytest.raises(MotionError, match="other limits"):
        certificate.covers(robot.with_limits({"joint1": {"velocity": 1.0}}), tmp_path / "excite.csv")
    text = (tmp_path / "excite.csv").read_text()
    (tmp_path / "excite.csv").write_text(text.replace("1", "2", 1))
    with pytest.raises(MotionError, match="changed"):
        certificate.covers(robot, tmp_path / "excite.csv")

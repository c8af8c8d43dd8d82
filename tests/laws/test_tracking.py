"""The virtual robot follows its motion within a stated bound, also on light joints with friction, or says that it did not."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import bifilar as bf
from bifilar.cli import main
from bifilar.estimate.closed_loop import JointController, simulate_loop
from bifilar.simulate.gains import gains, tracking_bound
from bifilar.simulate.reference import Reference

SCARA = Path(__file__).parents[1] / "mjcf" / "scara.xml"
RUBBING = bf.Viscous() + bf.Coulomb(width=0.01)


def scara() -> bf.Robot:
    robot = bf.Robot.load(SCARA)
    values = {"shoulder.coulomb": 3.0, "elbow.coulomb": 1.2, "lift.coulomb": 8.0, "roll.coulomb": 0.5, "roll.viscous": 0.01}
    return robot.with_friction(RUBBING, values)


def gantry() -> bf.Robot:
    bodies = {"bridge": (40.0, 3.0), "carriage": (12.0, 0.1), "ram": (5.0, 0.05), "wrist": (0.3, 1e-4)}
    axes = {"bridge": [1, 0, 0], "carriage": [0, 1, 0], "ram": [0, 0, 1], "wrist": [0, 0, 1]}
    links = [bf.Link(n, bf.Inertia.from_center_of_mass(m, [0.01, 0, 0], i * np.eye(3))) for n, (m, i) in bodies.items()]
    names = ["base", *bodies]
    joints = [
        bf.Joint(f"to_{n}", "revolute" if n == "wrist" else "prismatic", parent, n, bf.Pose(), axes[n])
        for parent, n in zip(names, bodies)
    ]
    robot = bf.Robot.build(bf.Description("gantry", (bf.Link("base"), *links), tuple(joints)))
    values = {"to_bridge.coulomb": 40.0, "to_carriage.coulomb": 20.0, "to_ram.coulomb": 15.0, "to_wrist.coulomb": 0.2}
    return robot.with_friction(RUBBING, values)


def moved(robot: bf.Robot) -> bf.Piecewise:
    size = np.where([name in robot.sliding for name in robot.joint_names], 0.15, 1.0)
    return bf.quintic(robot.joint_names, [0 * size, size, -0.5 * size], [0.0, 0.5, 1.0])


@pytest.mark.parametrize("robot", [scara(), gantry(), bf.Robot.load("panda")], ids=lambda robot: robot.name)
def test_light_joints_with_friction_follow(robot):
    motion = moved(robot).sample(1000) if robot.name != "panda" else _about_home(robot)
    played = bf.VirtualRobot(robot).play(motion).truth
    bound = tracking_bound(robot, motion.position)
    assert np.all(np.abs(played.position - motion.position).max(axis=0) <= bound)


def _about_home(robot: bf.Robot) -> bf.Motion:
    middle = 0.5 * (robot.limits.lower + robot.limits.upper)
    return bf.quintic(robot.joint_names, [middle, middle + 0.3, middle], [0.0, 0.5, 1.0]).sample(1000)


@pytest.mark.parametrize("robot", [scara(), gantry()], ids=lambda robot: robot.name)
def test_the_gains_of_a_bandwidth_alone_lose_them(robot):
    """What the stiffer gains are for; heavy joints keep the plain ones."""
    motion = moved(robot).sample(1000)
    wanted = Reference(motion.time, motion.position, motion.velocity)
    machine, inertia = bf.VirtualRobot(robot), robot.mass_matrix(motion.position)
    kp, _ = machine.loop_gains(wanted)
    light = len(robot.joint_names) - 1
    assert np.all(kp[:, light, light] > 3 * machine.bandwidth**2 * inertia[:, light, light])
    diagonal = machine.bandwidth**2 * np.array([np.diag(m) for m in inertia[:1]])[0]
    plain = bf.VirtualRobot(robot, gains=(diagonal, 2 * diagonal / machine.bandwidth)).play(motion).truth
    off = np.abs(plain.position - motion.position).max(axis=0)
    assert off[light] > tracking_bound(robot, motion.position)[light]


def test_plain_gains_stay_plain():
    robot = bf.Robot.load("panda")
    motion = _about_home(robot)
    kp, kd = bf.VirtualRobot(robot).loop_gains(Reference(motion.time, motion.position, motion.velocity))
    inertia = robot.mass_matrix(motion.position)
    assert np.array_equal(kp, 2500 * inertia) and np.array_equal(kd, 100 * inertia)


def test_no_direction_is_faster_than_a_sampled_loop_can_be():
    rng = np.random.default_rng(0)
    root = rng.normal(size=(20, 4, 4)) * np.geomspace(1, 1e-2, 4)[:, None]
    inertia, more = root @ root.transpose(0, 2, 1) + 1e-6 * np.eye(4), np.array([0.0, 0.1, 0.0, 1.0])
    kp, kd = gains(inertia, more, 50.0, 1.0, 400.0)
    rates = np.sqrt(np.linalg.eigvals(np.linalg.solve(inertia, kp)).real)
    assert rates.max() <= 400 * (1 + 1e-6) and rates.min() >= 50 * (1 - 1e-6)
    assert np.allclose(np.linalg.eigvals(np.linalg.solve(inertia, kd)).real.max(axis=1), 2 * rates.max(axis=1))


def test_estimators_know_the_stiffer_gains():
    robot = scara()
    motion = moved(robot).sample(1000)
    wanted = Reference(motion.time[:200], motion.position[:200], motion.velocity[:200])
    virtual = bf.VirtualRobot(robot)
    run, played = simulate_loop(robot, JointController.of(virtual, wanted), wanted), virtual.play(tuple(wanted)).truth
    assert np.abs(run.position - played.position).max() < 1e-3


@pytest.mark.parametrize(("friction", "code"), [("roll.coulomb=0.5", 0), ("roll.coulomb:width=0.5=40", 1)])
def test_a_motion_that_is_not_followed_is_told(tmp_path, capsys, friction, code):
    robot, motion, log = str(SCARA), str(tmp_path / "move.csv"), str(tmp_path / "log.parquet")
    sliding = bf.Robot.load(SCARA).sliding
    bf.save_motion(motion, moved(bf.Robot.load(SCARA)).sample(100), units=dict.fromkeys(sliding, "m"))
    words = ["simulate", robot, motion, "-o", log, "--no-page", "--noise", "none", "--friction", friction, "--json"]
    assert main(words) == code
    told = json.loads(capsys.readouterr().out)
    assert told["followed"] == (code == 0)
    codes = {finding["code"] for finding in told["findings"]}
    assert codes == ({"tracking.lost"} if code else {"tracking.error"})
    off, bound = (told["joints"]["roll"][f"tracking_{word}"] for word in ("largest", "bound"))
    assert (off > bound) == bool(code)
    assert {note.code for note in bf.Recording.load(log).notes} == codes


def test_a_model_takes_the_signs_of_the_machine(tmp_path, capsys):
    """An exact model from a file tracks as the exact model that control makes itself, though its signs are hard."""
    robot, motion = str(tmp_path / "arm.urdf"), str(tmp_path / "move.csv")
    values = {"joint1.coulomb": 0.8, "joint2.coulomb": 0.4}
    bf.Robot.load("two_link").with_friction(bf.Coulomb(), values).save(robot)
    bf.save_motion(motion, bf.quintic(["joint1", "joint2"], [[0, 0], [1, -1], [0, 0]], [0.0, 0.5, 1.0]).sample(100))
    errors = []
    for more in (["--model-error", "0"], ["--model", robot]):
        assert main(["control", robot, motion, "--no-page", "--json", *more]) == 0
        errors.append([joint["error_rms"] for joint in json.loads(capsys.readouterr().out)["joints"].values()])
    assert np.allclose(*errors, rtol=1e-6)

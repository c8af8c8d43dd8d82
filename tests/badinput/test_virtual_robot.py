"""Every refusal of the virtual robot, its sensors and recordings, with the words the user reads."""

from __future__ import annotations

import io
import zipfile
from dataclasses import replace

import numpy as np
import pytest

import bifilar as bf

T = np.linspace(0, 0.1, 11)
STILL = np.zeros((11, 2))


class Move:
    """A trajectory of joints that need not exist."""

    duration = 0.1

    def __init__(self, *joint_names):
        self.joint_names = joint_names

    def at(self, time):
        zeros = np.zeros((len(time), len(self.joint_names)))
        return bf.Recording(joint_names=self.joint_names, time=time, position=zeros, velocity=zeros, torque=zeros)


@pytest.fixture
def robot():
    return bf.Robot.load("two_link")


def refused(kind, call, *words):
    with pytest.raises(kind) as caught:
        call()
    for word in words:
        assert word in str(caught.value), str(caught.value)


def test_an_unphysical_robot_gets_the_writer_s_letter(robot):
    ghost = robot.with_parameters({"link2.mass": -1.0})
    refused(bf.RobotError, lambda: bf.VirtualRobot(ghost).play((T, STILL, STILL)), "MuJoCo has no such bodies: 'link2'", "try")
    # The PUMA's published inertias are real measurements, and two of its links could not exist.
    puma, still = bf.Robot.load("puma560"), np.zeros((11, 6))
    refused(bf.RobotError, lambda: bf.VirtualRobot(puma).play((T, still, still)), "'link1', 'link3'", "where   puma560")


def test_a_floating_robot(robot):
    floating = bf.Robot.load("two_link", floating=True)
    refused(bf.RobotError, lambda: bf.VirtualRobot(floating).play((T, STILL, STILL)), "floats", "floating=False")


def test_unknown_joints_are_listed(robot):
    play = bf.VirtualRobot(robot).play
    refused(bf.RobotError, lambda: play(Move("joint1", "jointt2", "tail")), "'jointt2', 'tail'", "joint1, joint2", "'joint2'")
    refused(bf.RobotError, lambda: play(Move("joint2")), "says nothing about 'joint1'", "locked")
    refused(bf.RobotError, lambda: play(Move("joint1", "joint2", "joint2")), "twice")


def test_motions_that_are_none(robot):
    play = bf.VirtualRobot(robot).play
    refused(bf.ShapeError, lambda: play("excite.csv"), "a str is no motion")
    refused(bf.ShapeError, lambda: play((T, STILL)), "a tuple is no motion")
    refused(bf.ShapeError, lambda: play((T[::-1], STILL, STILL)), "increasing")
    refused(bf.ShapeError, lambda: play((T, STILL[:5], STILL)), "position holds 5 samples, time 11")
    refused(bf.ShapeError, lambda: play((T, STILL[:, :1], STILL[:, :1])), "2 joints")
    refused(bf.ShapeError, lambda: play((T, STILL + np.nan, STILL)), "position of joint 'joint1' is nan")
    refused(bf.ShapeError, lambda: play((1e9 * T, STILL, STILL)), "ticks", "seconds")
    refused(bf.RobotError, lambda: play((T, STILL + 4.0, STILL)), "takes 'joint1' to 4", "limits")


@pytest.mark.parametrize("rates", [(300.0, 1000.0), (2000.0, 1000.0), (0.0, 1000.0), (100.0, np.nan)])
def test_rates_that_do_not_fit(robot, rates):
    refused(bf.ShapeError, lambda: bf.VirtualRobot(robot).play((T, STILL, STILL), rate=rates[0], control_rate=rates[1]), "rate")


def test_settings_of_the_virtual_robot(robot):
    motion = (T, STILL, STILL)
    refused(bf.ShapeError, lambda: bf.VirtualRobot(robot, bandwidth=-1), "bandwidth=-1")
    refused(bf.ShapeError, lambda: bf.VirtualRobot(robot, velocity_cutoff=0), "velocity_cutoff=0")
    refused(bf.ShapeError, lambda: bf.VirtualRobot(robot, feedback="noisy"), "no feedback 'noisy'", "'true' or 'measured'")
    refused(bf.RobotError, lambda: bf.VirtualRobot(robot, controller_model=bf.Robot.load("pendulum")), "other joints")
    refused(bf.ShapeError, lambda: bf.VirtualRobot(robot, gains=([1, 2, 3], 1)).play(motion), "gains have the shape (3,)")
    refused(
        bf.RobotError, lambda: bf.VirtualRobot(robot, stiffness={"joint3": 1e3}).play(motion), "'joint3', which is no joint"
    )
    refused(bf.RobotError, lambda: bf.VirtualRobot(robot, stiffness={"joint1": -1}).play(motion), "stiffness of 'joint1' is -1")
    refused(bf.RobotError, lambda: bf.VirtualRobot(robot, stiffness={"joint1": 1e3}).play(motion), "without rotor inertia")
    refused(bf.RobotError, lambda: bf.VirtualRobot(robot, spring_damping={"joint1": 1}).play(motion), "has no stiffness")
    refused(bf.RobotError, lambda: bf.VirtualRobot(robot, plant_step=0).play(motion), "step of 0")


def unlimited(robot):
    """The same robot, nothing said about limits."""
    joints = tuple(replace(joint, limits=bf.Limits()) for joint in robot.joints)
    return bf.Robot.build(bf.Description("free", robot.links, joints))


def test_a_loop_that_runs_away(robot):
    loop = bf.VirtualRobot(unlimited(robot), gains=(1e7, 1e6))
    refused(
        bf.SolveError, lambda: loop.play((T, STILL + 0.1 * np.sin(9 * T)[:, None], STILL)), "runs away: 'joint", "bandwidth"
    )


def test_friction_too_steep(robot):
    hard = robot.with_friction(bf.Coulomb(), {"joint2.coulomb": 3.0})
    call = lambda: bf.VirtualRobot(hard, slip=1e-6).play((T, STILL, STILL))  # noqa: E731
    refused(bf.SolveError, call, "friction of 'joint2' is too steep", "slip")


@pytest.mark.parametrize(
    "settings, word",
    [
        ({"position_noise": -1.0}, "position_noise=-1.0"),
        ({"delay": np.nan}, "delay=nan"),
        ({"dropped": 1.0}, "leaves no samples"),
        ({"torque_unit": "Nm"}, "torque unit 'Nm'"),
        ({"torque_noise": (1.0, -1.0)}, "torque_noise"),
    ],
)
def test_sensors_that_cannot_be(settings, word):
    refused(bf.ShapeError, lambda: bf.Sensors(**settings), word)


def test_sensors_that_do_not_fit_the_robot(robot):
    play = bf.VirtualRobot(robot).play
    motion = (T, STILL, STILL)
    refused(bf.ShapeError, lambda: play(motion, sensors=bf.Sensors(torque_noise=(1.0, 1.0, 1.0))), "3 values", "2 joints")
    call = lambda: bf.VirtualRobot(unlimited(robot)).play(motion, sensors=bf.Sensors.realistic())  # noqa: E731
    refused(bf.RobotError, call, "share of the effort limit", "joint1, joint2", "N m")


# ---- recordings


def small(**other):
    return bf.Recording(**({"joint_names": ("a", "b"), "time": [0, 1], "position": np.eye(2), "torque": np.eye(2)} | other))


@pytest.mark.parametrize(
    "other, word",
    [
        ({"joint_names": ("a", "a")}, "'a' is recorded twice"),
        ({"time": [[0], [1]]}, "time has the shape (2, 1)"),
        ({"torque": np.zeros((3, 2))}, "torque has the shape (3, 2)"),
        ({"velocity": np.zeros((2, 1))}, "velocity has the shape (2, 1)"),
        ({"sliding": ("c",)}, "'c' is not recorded"),
    ],
)
def test_recordings_that_do_not_fit_together(other, word):
    refused(bf.RecordingError, lambda: small(**other), word)


def test_names_and_endings(tmp_path):
    refused(bf.RecordingError, lambda: small().save(tmp_path / "a.mat"), "no form '.mat'", ".parquet, .npz or .csv")
    refused(bf.RecordingError, lambda: bf.Recording.load(tmp_path / "a"), "cannot be read")
    refused(bf.RecordingError, lambda: bf.Recording.load(tmp_path / "none.csv"), "cannot be read", "none.csv")
    refused(bf.ResourceError, lambda: small().save(tmp_path / "no" / "a.csv"), "cannot be written")
    refused(bf.RecordingError, lambda: small().part(5).rate, "0 samples have no rate")


def archive(path, **members):
    with zipfile.ZipFile(path, "w") as file:
        for name, data in members.items():
            file.writestr(f"{name}.npy", data)


def npy(array, **how):
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, np.asarray(array), **how)
    return buffer.getvalue()


def test_archives_that_lie(tmp_path):
    file = tmp_path / "log.npz"
    file.write_bytes(b"not a zip")
    refused(bf.RecordingError, lambda: bf.Recording.load(file), "no recording")
    archive(file, time=npy(np.zeros(3)))
    refused(bf.RecordingError, lambda: bf.Recording.load(file), "nothing but a clock")
    archive(file, time=npy(np.array([{}], dtype=object), allow_pickle=True))
    refused(bf.RecordingError, lambda: bf.Recording.load(file), "holds objects")
    header = npy(np.zeros((1000, 1000)))[:128].replace(b"(1000, 1000)", b"(9999, 9999)")
    archive(file, time=header)
    refused(bf.RecordingError, lambda: bf.Recording.load(file), "not as long as it says")
    small().save(file)
    file.write_bytes(file.read_bytes()[:-30])
    refused(bf.RecordingError, lambda: bf.Recording.load(file), "no recording", "interrupted")

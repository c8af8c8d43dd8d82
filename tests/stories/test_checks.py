"""Recordings of machines and of virtual robots: known traps are found, seeded mistakes named, clean ones left in peace."""

from __future__ import annotations

import numpy as np
import pytest
from clean_recordings import clean, panda_gaz, staubli_tx40

import bifilar as bf
from bifilar.validate.mistakes_seeded import MISTAKES, NAMES, spoilt

FEWEST = 12  # of 14 mistakes


def named(recording, robot, seed):
    usual = set(bf.check(recording, robot).alarms.codes)
    found = {mistake: set(bf.check(spoilt(recording, mistake, seed), robot).alarms.codes) - usual for mistake in MISTAKES}
    return [mistake for mistake, codes in found.items() if codes == {NAMES[mistake]} or (not codes and NAMES[mistake] in usual)]


@pytest.mark.parametrize("seed", [101])
def test_mistakes_on_virtual_robots_are_named(seed):
    recording, robot = clean(seed, duration=5.0)
    assert len(named(recording, robot, seed)) >= FEWEST


@pytest.mark.parametrize("seed", range(111, 117))
def test_clean_recordings_raise_no_alarm(seed):
    recording, robot = clean(seed, duration=4.0)
    found = bf.check(recording, robot).alarms
    assert found == (), str(found)


def test_panda_irregular_stamps_and_a_hand_it_did_not_carry(dataset):
    recording, robot = panda_gaz(dataset("panda_gaz"))
    found = bf.check(recording, robot)
    assert set(found.alarms.codes) == {"gap", "jitter", "held", "tool"}
    (tool,) = found.of("tool")
    assert "panda_hand" in tool.where
    bare = robot.with_inertia(dict.fromkeys(("panda_hand", "panda_leftfinger", "panda_rightfinger"), bf.Inertia.zero()))
    assert "tool" not in bf.check(recording, bare).codes


def test_mistakes_on_a_panda_are_named(dataset):
    recording, robot = panda_gaz(dataset("panda_gaz"))
    assert len(named(recording, robot, 7)) >= FEWEST


def test_a_panda_is_no_kuka(dataset):
    recording, panda = panda_gaz(dataset("panda_gaz"))
    kuka = bf.Robot.load("kuka_lwr4")
    values = {name: recording.get(name) for name in ("position", "velocity", "torque")}
    other = bf.Recording(joint_names=kuka.joint_names, time=recording.time, channels=values)
    assert "robot" in bf.check(other, kuka).alarms.codes and "robot" not in bf.check(recording, panda).codes


def test_a_tx40_has_nothing_to_hide(dataset):
    """Mistakes seeded into this long log are named in `make study-checks`."""
    recording, robot = staubli_tx40(dataset("staubli_tx40"))
    assert bf.check(recording, robot).alarms == ()


def test_tx40_motor_side_is_seen(dataset):
    folder = dataset("staubli_tx40")
    motor = np.loadtxt(folder / "pos_read_data.csv", delimiter=",", skiprows=1)
    recording, robot = staubli_tx40(folder)
    assert "motor_side" in bf.check(recording.with_channel("position", motor), robot).codes


def test_gen3_opposite_sign(dataset):
    folder = dataset("kinova_gen3")
    time, q, v, tau = (np.loadtxt(folder / f"{name}_downsampled_1.csv") for name in ("t", "q", "q_d", "tau"))
    robot = bf.Robot.load(folder / "kinova.urdf")
    recording = bf.Recording(joint_names=robot.joint_names, time=time, position=q, velocity=v, torque=tau)
    found = bf.check(recording, robot)
    assert found.worst == "error" and found.codes[0] == "sign_all"
    assert set(found.alarms.codes) == {"sign_all", "wrap", "limits", "speed"}  # it wraps, and leaves the limits of this URDF


def test_gen3_in_degrees(dataset):
    folder = dataset("kinova_gen3")
    time, q, tau = (np.loadtxt(folder / f"{name}_downsampled_1.csv") for name in ("t", "q", "tau"))
    robot = bf.Robot.load(folder / "kinova.urdf")
    wrapped = np.degrees(np.mod(q, 2 * np.pi))
    recording = bf.Recording(joint_names=robot.joint_names, time=time, position=wrapped, torque=tau)
    assert {"degrees"} <= set(bf.check(recording, robot).codes) and "motor_side" not in bf.check(recording, robot).codes


def test_lwr4_targets_are_in_the_wrong_unit(dataset):
    folder = dataset("kuka_lwr4")
    robot = bf.Robot.load(folder / "kuka_lwr4.urdf")
    data = np.load(folder / "measurements_1.npz")
    known = {name: data[name + "s"] for name in ("position", "torque", "target_position")} | {"velocity": data["velocities"]}
    recording = bf.Recording(joint_names=robot.joint_names, time=data["times"], channels=known)
    (finding,) = bf.check(recording, robot).alarms
    assert finding.code == "target_unit"


def test_rokae_has_nothing_to_hide(dataset):
    folder = dataset("rokae_xmate7")
    q, v, tau = (np.loadtxt(folder / f"excit_{name}_record.txt") for name in ("ang", "vel", "torque"))
    robot = bf.Robot.load(folder / "xmate3pro_kinematics.urdf")
    recording = bf.Recording(joint_names=robot.joint_names, time=np.arange(len(q)) / 1000, position=q, velocity=v, torque=tau)
    assert bf.check(recording, robot).alarms == ()
    assert bf.check(recording.with_channel("torque", -tau), robot).alarms.codes == ("sign_all",)

"""A folder with what README and docs take for granted: a small arm, logs of it under the names that the pages use, two runs.

The arm has the joints that the pages name (shoulder, elbow, wrist, finger1) and the links they name (hand, flange). It is
played by its own equations with noise, eight seconds each.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
from bags import joint_states
from scipy.spatial.transform import Rotation

import bifilar as bf
from bifilar.cli import main

LINK = """<link name="{name}"><inertial><origin xyz="{at}"/><mass value="{mass}"/>
 <inertia ixx="{i}" iyy="{i}" izz="{i}" ixy="0" ixz="0" iyz="0"/></inertial></link>"""
JOINT = """<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/><origin xyz="{at}"/>
 <axis xyz="{axis}"/><limit lower="-{reach}" upper="{reach}" velocity="3" effort="100"/></joint>"""
URDF = "\n".join(
    [
        '<robot name="arm"><link name="base"/>',
        LINK.format(name="upper", at="0.2 0 0.02", mass=3, i=0.04),
        LINK.format(name="fore", at="0.15 0.01 0", mass=2, i=0.02),
        LINK.format(name="palm", at="0.05 0 0.03", mass=1, i=0.005),
        LINK.format(name="hand", at="0.02 0 0", mass=0.3, i=0.0005),
        '<link name="flange"/>',
        JOINT.format(name="shoulder", kind="revolute", parent="base", child="upper", at="0 0 1", axis="0 1 0", reach=2.5),
        JOINT.format(name="elbow", kind="revolute", parent="upper", child="fore", at="0.4 0 0", axis="0 1 0", reach=2.5),
        JOINT.format(name="wrist", kind="revolute", parent="fore", child="palm", at="0.3 0 0", axis="1 0 0", reach=2.5),
        JOINT.format(name="finger1", kind="prismatic", parent="palm", child="hand", at="0.1 0 0", axis="0 0 1", reach=0.05),
        '<joint name="end" type="fixed"><parent link="hand"/><child link="flange"/><origin xyz="0.1 0 0"/></joint></robot>',
    ]
)
FRICTION = bf.Viscous() + bf.Coulomb(width=0.02)


def played(robot: bf.Robot, seed: int, *, seconds: float = 8.0, noise: float = 0.02, middle: object = 0.0) -> bf.Recording:
    """Three sinusoids per joint, inside the limits, recorded at 200 Hz."""
    rng, time = np.random.default_rng(seed), np.arange(round(200 * seconds)) / 200
    size = np.array([0.03 if joint.kind == "prismatic" else 0.8 for joint in robot.joints if joint.name in robot.joint_names])
    rates, phases = rng.uniform(1, 6, (2, 3, len(size)))
    turns = time[:, None, None] * rates + phases
    q = middle + (np.sin(turns) * size / 3).sum(axis=1)
    v, a = (np.cos(turns) * rates * size / 3).sum(axis=1), -(np.sin(turns) * rates**2 * size / 3).sum(axis=1)
    torque = robot.inverse_dynamics(q, v, a) + noise * rng.normal(size=q.shape)
    q = q + 1e-5 * rng.normal(size=q.shape)
    return bf.Recording(joint_names=robot.joint_names, time=time, position=q, torque=torque, sliding=robot.sliding)


def held(robot: bf.Robot, seed: int, *, gain: float = 1.0) -> bf.Recording:
    """Twenty poses, a second each, torques by sensors with a gain and an offset."""
    rng = np.random.default_rng(seed)
    upper = np.array([joint.limits.upper for joint in robot.joints if joint.name in robot.joint_names])
    motion = bf.pose_sequence(robot.joint_names, rng.uniform(-0.6, 0.6, (20, len(upper))) * upper, hold=1.0, move=1.0).sample(
        20
    )
    torque = gain * robot.inverse_dynamics(motion.position, motion.velocity, motion.acceleration) + 0.1
    torque += 0.005 * rng.normal(size=torque.shape)
    return bf.Recording(
        joint_names=robot.joint_names, time=motion.time, position=motion.position, torque=torque, sliding=robot.sliding
    )


def loaded(robot: bf.Robot, mass: float, at: list[float]) -> bf.Robot:
    return robot.with_payload("flange", bf.Inertia.from_center_of_mass(mass, at, 1e-4 * mass * np.eye(3)))


def without_names(log: bf.Recording, file: Path) -> None:
    """A table whose columns nobody named."""
    np.savetxt(file, np.column_stack([log.time, log.position, log.torque]), fmt="%.9g")


def shuffled(robot: bf.Robot, file: Path) -> None:
    """Positions, velocities, accelerations and torques of single instants, in no order, without a clock."""
    rng = np.random.default_rng(11)
    size = np.array([0.03 if name in robot.sliding else 0.8 for name in robot.joint_names])
    q, v, a = (scale * size * rng.normal(size=(2000, len(size))) for scale in (0.8, 1.5, 6.0))
    torque = robot.inverse_dynamics(q, v, a) + 0.02 * rng.normal(size=q.shape)
    names = [f"{name}_{word}" for word in ("pos", "vel", "acc", "torque") for name in robot.joint_names]
    np.savetxt(file, np.column_stack([q, v, a, torque]), header=",".join(names), comments="", delimiter=",", fmt="%.9g")


def wrist_log(file: Path) -> None:
    """Orientations and wrenches of a force/torque sensor that carries 1.2 kg."""
    rotation, wrench = bf.calibrate_example(mass=1.2)
    pose = Rotation.from_matrix(rotation).as_quat()
    header = "time,qx,qy,qz,qw,fx,fy,fz,tx,ty,tz"
    np.savetxt(
        file, np.column_stack([np.arange(len(pose)), pose, wrench]), header=header, comments="", delimiter=",", fmt="%.9g"
    )


def in_degrees(folder: Path) -> None:
    """run.csv as another controller would log it: degrees, and the torques of two joints with the other sign."""
    log = bf.Recording.load(folder / "run.csv")
    sign = np.array([-1.0 if name in ("elbow", "wrist") else 1.0 for name in log.joint_names])
    scale = np.array([1.0 if name == "finger1" else 180 / np.pi for name in log.joint_names])
    q, v = np.array(log.position), np.gradient(np.array(log.position), log.time, axis=0)
    table = np.column_stack([log.time, scale * q, scale * v, sign * np.array(log.torque)])
    names = ["time", *(f"{name}_{word}" for word in ("pos", "vel", "torque") for name in log.joint_names)]
    np.savetxt(folder / "run.csv", table, header=",".join(names), comments="", delimiter=",", fmt="%.9g")


def without_fingers(folder: Path) -> None:
    """run.csv without the column of the finger."""
    log = bf.Recording.load(folder / "run.csv")
    log.joints([name for name in log.joint_names if name != "finger1"]).save(folder / "run.csv")


def panda(folder: Path) -> Path:
    """run.csv and run.mcap of a Panda."""
    arm = bf.Robot.load("panda")
    log = played(arm, 0, seconds=5.0, middle=np.array([0, 0.3, 0, -1.5, 0, 1.5, 0.2]))
    log.save(folder / "run.csv")
    joint_states(log, folder / "run.mcap")
    return folder


def fitted(folder: Path) -> None:
    """runs/arm-001 and runs/arm-002, and demo/run, by the command itself."""
    for more in ((), ("third.csv",)):
        assert main(["fit", "arm.urdf", "run.csv", *more, "--test", "other.csv"]) == 0
    shutil.copytree(folder / "runs" / "arm-001", folder / "demo" / "run")


def prepared(folder: Path) -> Path:
    """Everything the pages' commands read but runs."""
    (folder / "arm.urdf").write_text(URDF)
    (folder / "my_robot.urdf").write_text(URDF)
    described = bf.Robot.load(folder / "arm.urdf")
    values = {f"{name}.{term}": size for name in described.joint_names for term, size in (("viscous", 0.2), ("coulomb", 0.3))}
    machine = described.with_body_parameters(1.15 * described.body_parameters).with_friction(FRICTION, values)
    for seed, name in enumerate(("run", "other", "third")):
        played(machine, seed).save(folder / f"{name}.csv")
        shutil.copy(folder / f"{name}.csv", folder / f"run{seed + 1}.csv")
    log = bf.Recording.load(folder / "run.csv")
    without_names(log, folder / "run.txt")
    joint_states(log, folder / "run.mcap")
    held(described, 3).save(folder / "poses.csv")
    wrist_log(folder / "wrist.csv")
    shuffled(machine, folder / "rows.csv")
    for name, load, seed in (("a", None, 5), ("b", 2.8, 6)):
        arm = machine if load is None else loaded(machine, load, [0.05, 0.03, 0.08])
        played(arm, seed).save(folder / f"{name}.csv")
    played(loaded(machine, 1.5, [0.02, 0.0, 0.05]), 10).save(folder / "loaded.csv")
    for name, at, seed in (("bare", None, 7), ("here", [0.03, 0.04, 0.1], 8), ("there", [0.13, 0.04, 0.1], 9)):
        held(described if at is None else loaded(described, 2.0, at), seed, gain=1.1).save(folder / f"{name}.csv")
    return folder

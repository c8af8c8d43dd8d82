"""Torques of a URDF or MJCF as MuJoCo and Pinocchio read it: independent programs, asked in the robot's own coordinates.

Both let mimic joints move freely; their speeds are `share` times ours, so our torque is share' theirs. MuJoCo's friction loss
is a constraint, Pinocchio's friction is not part of its recursion: both are added here as size * sign(speed), with the numbers
that the programs read. Shapes do not matter to torque and are taken out of a URDF before MuJoCo sees it, since their mesh
files may be elsewhere; so are blocks for simulators, which could change how it is read.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.errors import RobotError, one_line
from bifilar.export.parity import States
from bifilar.robot.assemble import leader_of
from bifilar.robot.read_mjcf import compiled, mujoco_words
from bifilar.robot.robot import Robot

OUT = ("visual", "collision", "gazebo", "transmission", "mujoco", "ros2_control", "material")
WORLD, FREE = "world", "base moves freely"  # what frees the base of a URDF, for the comparison only


class RefusedError(Exception):
    """The other program does not take the file, for reasons of its own.

    >>> raise RefusedError("it has no bodies without mass")
    Traceback (most recent call last):
    ...
    bifilar.export.reread.RefusedError: it has no bodies without mass
    """


def mujoco_name() -> str:
    """The program and its version.

    >>> mujoco_name().split()[0]
    'MuJoCo'
    """
    import mujoco

    return f"MuJoCo {mujoco.__version__}"


def mujoco_torque(data: bytes, robot: Robot, states: States) -> Array:
    """Torque of the file's robot by MuJoCo, (samples, rows of the robot).

    >>> from bifilar.export.parity import states_of
    >>> from bifilar.robot.write_mjcf import write_mjcf
    >>> robot = bf.Robot.load("two_link")
    >>> states = states_of(robot)
    >>> torque = mujoco_torque(write_mjcf(robot.description()).encode(), robot, states)
    >>> bool(np.allclose(torque, robot.inverse_dynamics(states.q, states.v, states.a)))
    True
    """
    import mujoco

    text, is_urdf = _for_mujoco(data, robot)
    try:
        model, _ = compiled(text, is_file=False, name="the written file")
    except RobotError as error:
        raise RefusedError(mujoco_words(error.__cause__ or error.what)) from None
    bits = mujoco.mjtDisableBit
    model.opt.disableflags |= int(bits.mjDSBL_CONSTRAINT) | int(bits.mjDSBL_SPRING)
    if is_urdf:
        model.opt.gravity[:] = robot.gravity  # a URDF cannot state it
    names = {model.joint(j).name: j for j in range(model.njnt)}
    rows = 6 if robot.is_floating else 0
    share, offset = _share(robot, model.nv, lambda name: int(model.jnt_dofadr[names[name]]), names, rows)
    at_q = {int(model.jnt_dofadr[j]): int(model.jnt_qposadr[j]) for n, j in names.items() if model.jnt_type[j] >= 2}
    data_ = mujoco.MjData(model)
    torque = np.empty((len(states.q), share.shape[1]))
    for k in range(len(states.q)):
        turned = _set_mujoco(data_, states, k, share, offset, at_q, rows)
        mujoco.mj_inverse(model, data_)
        loss = model.dof_frictionloss * np.sign(data_.qvel)
        torque[k] = turned.T @ (data_.qfrc_inverse + loss)
    return torque


def _set_mujoco(data: Any, states: States, k: int, share: Array, offset: Array, at_q: dict[int, int], rows: int) -> Array:
    """Put a state into MuJoCo; its speeds per ours (a free joint has its linear rates in the world's axes)."""
    wide = [share[:, rows:] @ row[k] for row in (states.q, states.v, states.a)]
    for dof, place in at_q.items():
        data.qpos[place] = wide[0][dof] + offset[dof]
    data.qvel[:], data.qacc[:] = wide[1], wide[2]
    turned = share.copy()
    if states.base is not None:
        turned[:3, :3] = turn = states.base.rotation[k]
        twist, push = states.base.twist[k], states.base.acceleration[k]
        x, y, z, w = states.base.pose[k, 3:]
        data.qpos[:7] = [*states.base.pose[k, :3], w, x, y, z]
        data.qvel[:6], data.qacc[:6] = np.r_[turn @ twist[:3], twist[3:]], np.r_[turn @ push[:3], push[3:]]
    return turned


def _for_mujoco(data: bytes, robot: Robot) -> tuple[str, bool]:
    """MJCF as it is; a URDF without what is not torque, its base freed if the robot floats."""
    if ElementTree.fromstring(data).tag != "robot":  # our own reader has refused a DOCTYPE before
        return data.decode(), False
    root = _bare(data)
    settings = {"fusestatic": "false", "balanceinertia": "false", "inertiafromgeom": "false", "discardvisual": "false"}
    ElementTree.SubElement(ElementTree.SubElement(root, "mujoco"), "compiler", settings)
    if robot.is_floating and not any(joint.get("type") == "floating" for joint in root.findall("joint")):
        children = {child.get("link") for child in root.findall("joint/child")}
        base = next(link.get("name", "") for link in root.findall("link") if link.get("name") not in children)
        if base == WORLD:
            raise RefusedError(f"its base is called '{WORLD}', which does not move there")
        ElementTree.SubElement(root, "link", {"name": WORLD})
        joint = ElementTree.SubElement(root, "joint", {"name": FREE, "type": "floating"})
        ElementTree.SubElement(joint, "parent", {"link": WORLD})
        ElementTree.SubElement(joint, "child", {"link": base})
    return ElementTree.tostring(root, encoding="unicode"), True


def _bare(data: bytes) -> ElementTree.Element:
    """A URDF without shapes and blocks for simulators; a link that joints name is declared, as our own reader reads it."""
    root = ElementTree.fromstring(data)
    for parent in list(root.iter()):
        for child in [child for child in parent if child.tag in OUT]:
            parent.remove(child)
    declared = {link.get("name") for link in root.findall("link")}
    named = dict.fromkeys(parent.get("link", "") for parent in root.findall("joint/parent"))
    for name in named:
        if name not in declared:
            ElementTree.SubElement(root, "link", {"name": name})
    return root


def pinocchio_name() -> str:
    """The program and its version; empty if it is not installed.

    >>> pinocchio_name().split()[:1] in ([], ["Pinocchio"])
    True
    """
    try:
        import pinocchio
    except ImportError:
        return ""
    return f"Pinocchio {pinocchio.__version__}"


def pinocchio_torque(data: bytes, robot: Robot, states: States) -> Array:
    """Torque of a URDF's robot by Pinocchio, (samples, rows of the robot)."""
    import pinocchio as pin

    rows = 6 if robot.is_floating else 0
    own_free = any(joint.kind == "floating" for joint in robot.joints)
    try:
        free = [pin.JointModelFreeFlyer()] if rows and not own_free else []
        model = pin.buildModelFromXML(ElementTree.tostring(_bare(data), encoding="unicode"), *free)
    except Exception as error:  # whatever it raises, it is its own reason
        raise RefusedError(one_line(error)[:300] or type(error).__name__) from None
    model.gravity.linear = np.array(robot.gravity)
    names = {name: k for k, name in enumerate(model.names) if k}
    share, offset = _share(robot, model.nv, lambda name: int(model.joints[names[name]].idx_v), names, rows)
    loss = np.asarray(getattr(model, "upperDryFrictionLimit", getattr(model, "friction", np.zeros(model.nv))), dtype=float)
    work = model.createData()
    torque = np.empty((len(states.q), share.shape[1]))
    for k in range(len(states.q)):
        angles, v, a = (share[:, rows:] @ row[k] for row in (states.q, states.v, states.a))
        q = pin.neutral(model)
        for joint in list(model.joints)[1:]:
            angle = angles[joint.idx_v] + offset[joint.idx_v]
            if joint.nq <= 2:
                q[joint.idx_q : joint.idx_q + joint.nq] = angle if joint.nq == 1 else (np.cos(angle), np.sin(angle))
        if states.base is not None:  # its free-flyer's acceleration is spatial: classical - omega x v
            twist, push = states.base.twist[k], states.base.acceleration[k]
            seen = model.jointPlacements[1].inverse() * pin.XYZQUATToSE3(np.array(states.base.pose[k]))
            q[:7], v[:6], a[:6] = pin.SE3ToXYZQUAT(seen), twist, push - np.r_[np.cross(twist[3:], twist[:3]), np.zeros(3)]
        tau = pin.rnea(model, work, q, v, a) + np.asarray(model.damping) * v + loss * np.sign(v)
        torque[k] = share.T @ tau
    return torque


def _share(robot: Robot, speeds: int, row_of: Callable[[str], int], names: dict[str, int], rows: int) -> tuple[Array, Array]:
    """Speeds of the other program's joints per ours, and the offsets of joints that follow; joints are matched by name."""
    moving = [joint for joint in robot.joints if joint.moves]
    missing = [joint.name for joint in moving if joint.name not in names]
    if missing or speeds != rows + len(moving):
        what = f"joint '{missing[0]}' is missing" if missing else f"{speeds} speeds instead of {rows + len(moving)}"
        raise RefusedError(f"it reads other joints: {what}")
    by_name = {joint.name: joint for joint in robot.joints}
    share, offset = np.zeros((speeds, rows + len(robot.joint_names))), np.zeros(speeds)
    share[:rows, :rows] = np.eye(rows)
    for joint in moving:
        leader, ratio, shift = leader_of(joint, by_name)
        share[row_of(joint.name), rows + robot.joint_names.index(leader)] = ratio
        offset[row_of(joint.name)] = shift
    return share, offset

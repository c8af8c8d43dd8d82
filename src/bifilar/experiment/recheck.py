"""A second opinion on where a robot is, how fast, and what torque that takes: MuJoCo's, which shares no equation with ours.

    points, speeds      mj_kinematics, mj_comPos, mj_comVel: a body's spatial velocity c is stated at the centre s of the tree's
                        mass, so that a point p of the body moves with c_linear + c_angular x (p - s)
    torque              mj_rne, then rotors: torque = share' rne + rotor a; mimic joints move by `share` of a coordinate

Every link becomes a body of its own, fixed ones too. MuJoCo's compiler refuses bodies that could not exist (no mass,
A + B < C), but its equations do not mind them: a model is compiled with stand-ins and the true numbers are put in afterwards.
A link with a first moment but (almost) no mass has no centre of mass; it is written as two bodies whose masses cancel.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bifilar.dynamics import decompose
from bifilar.dynamics.state import numbers, squeezed, states
from bifilar.dynamics.tree import Array
from bifilar.errors import RobotError, ShapeError
from bifilar.robot.description import Description, Joint, Limits, Link
from bifilar.robot.inertia import Inertia
from bifilar.robot.robot import Robot
from bifilar.robot.write_mjcf import write_mjcf

Places = Sequence[tuple[str | None, ArrayLike]]  # frame (None or "": the world) and a point in it [m]
FAR = 10.0  # [m] a centre of mass further away than this is none
STAND_IN = Inertia.from_center_of_mass(1.0, [0.1, 0.2, 0.3], np.diag([1.0, 1.1, 1.2]))


class Recheck:
    """A robot on a fixed base as MuJoCo knows it, asked by names; states are (samples, joints) or (joints,).

    >>> second = Recheck(bf.Robot.load("two_link"))
    >>> second.points([("tip", (0, 0, 0)), ("link1", (0, 0, 0.1))], np.zeros((5, 2))).shape
    (5, 2, 3)
    """

    def __init__(self, robot: Robot) -> None:
        import mujoco

        if robot.is_floating:
            raise RobotError("robot.floating/recheck", name=robot.name)
        self.robot, self._mujoco = robot, mujoco
        self._model = _compiled(robot)
        self._data = mujoco.MjData(self._model)
        self._body = {link.name: self._model.body(f"link{k}").id for k, link in enumerate(robot.links)}
        self._share, self._offset = _shares(robot, self._model)

    def points(self, places: Places, position: ArrayLike) -> Array:
        """Points of frames in the world [m], (N, points, 3). A capsule is two of them.

        >>> Recheck(bf.Robot.load("pendulum")).points([("link0", (0.1, 0.2, 0.3))], [0.5])
        array([[0.1, 0.2, 0.3]])
        """
        (q,), single = states(self.robot.joint_names, position=position)
        return squeezed(self._places(places, q, None)[0], single)

    def velocities(self, places: Places, position: ArrayLike, velocity: ArrayLike) -> Array:
        """Velocities of points of frames, axes of the world [m/s], (N, points, 3).

        >>> Recheck(bf.Robot.load("two_link")).velocities([("tip", (0, 0, 0))], [0.1, 0.2], [0.0, 0.0])
        array([[0., 0., 0.]])
        """
        (q, v), single = states(self.robot.joint_names, position=position, velocity=velocity)
        return squeezed(self._places(places, q, v)[1], single)

    def speeds(self, places: Places, position: ArrayLike, velocity: ArrayLike) -> Array:
        """How fast points of frames are [m/s], (N, points).

        >>> Recheck(bf.Robot.load("two_link")).speeds([("tip", (0, 0, 0))], [[0.1, 0.2]], [[0.0, 0.0]])
        array([[0.]])
        """
        return np.linalg.norm(self.velocities(places, position, velocity), axis=-1)

    def torque(self, position: ArrayLike, velocity: ArrayLike, acceleration: ArrayLike) -> Array:
        """Joint torque of links and rotors without friction [N m or N], (N, joints).

        >>> Recheck(bf.Robot.load("pendulum")).torque([np.pi / 2], [0.0], [0.0]).round(6)
        array([2.4525])
        """
        names = self.robot.joint_names
        (q, v, a), single = states(names, position=position, velocity=velocity, acceleration=acceleration)
        model, data, mujoco = self._model, self._data, self._mujoco
        move, rne = self._move(), mujoco.mj_rne
        qacc, forces = data.qacc, np.empty((len(q), model.nv))
        for angles, rates, pushes, force in zip(self._angles(q), v @ self._share.T, a @ self._share.T, forces):
            move(angles, rates)
            qacc[:] = pushes
            rne(model, data, 1, force)
        return squeezed(forces @ self._share + a @ self.robot._rotor.T, single)

    def _angles(self, q: Array) -> Array:
        """Positions of MuJoCo's joints, followers among them."""
        return q @ self._share.T + self._offset

    def _move(self) -> Callable[[Array, Array], None]:
        """Sets a state and lets MuJoCo find bodies and their velocities; everything is looked up once."""
        model, data, qpos, qvel = self._model, self._data, self._data.qpos, self._data.qvel
        kinematics, center, rates = self._mujoco.mj_kinematics, self._mujoco.mj_comPos, self._mujoco.mj_comVel

        def move(angles: Array, speeds: Array) -> None:
            qpos[:], qvel[:] = angles, speeds
            kinematics(model, data)
            center(model, data)
            rates(model, data)

        return move

    def _places(self, places: Places, q: Array, v: Array | None) -> tuple[Array, Array]:
        """Points and, if v is given, their velocities."""
        bodies, points = self._known(places)
        model, data, kinematics = self._model, self._data, self._mujoco.mj_kinematics
        qpos, xpos, xmat, angles = data.qpos, data.xpos, data.xmat, self._angles(q)
        origin, turn = np.empty((len(q), len(bodies), 3)), np.empty((len(q), len(bodies), 9))
        if v is None:
            for row, at, axes in zip(angles, origin, turn):
                qpos[:] = row
                kinematics(model, data)
                xpos.take(bodies, 0, at, "clip")
                xmat.take(bodies, 0, axes, "clip")
            return origin + np.einsum("npij,pj->npi", turn.reshape(*turn.shape[:2], 3, 3), points), np.empty(0)
        move, cvel, center = self._move(), data.cvel, data.subtree_com
        twist, middle = np.empty((len(q), len(bodies), 6)), np.empty((len(q), len(bodies), 3))
        roots = model.body_rootid[bodies]
        for row, rates, at, axes, rate, mean in zip(angles, v @ self._share.T, origin, turn, twist, middle):
            move(row, rates)
            xpos.take(bodies, 0, at, "clip")
            xmat.take(bodies, 0, axes, "clip")
            cvel.take(bodies, 0, rate, "clip")
            center.take(roots, 0, mean, "clip")
        where = origin + np.einsum("npij,pj->npi", turn.reshape(*turn.shape[:2], 3, 3), points)
        return where, twist[..., 3:] + np.cross(twist[..., :3], where - middle)

    def _known(self, places: Places) -> tuple[Any, Array]:
        """MuJoCo's bodies and the points in them."""
        bodies, points = [], np.empty((len(places), 3))
        for k, (frame, point) in enumerate(places):
            bodies.append(self._body[self.robot.link(frame).name] if frame else 0)
            at = numbers("point", point)
            if at.shape != (3,) or not np.isfinite(at).all():
                raise ShapeError("point.form/recheck", frame=frame or "the world", point=point)
            points[k] = at
        return np.array(bodies, dtype=np.intp), points


def _compiled(robot: Robot) -> Any:
    """MuJoCo's model: bodies and joints by number, no limits, friction or shapes; stand-ins replaced by the true inertias."""
    import mujoco

    number = {link.name: k for k, link in enumerate(robot.links)}
    links = [Link(f"link{k}", STAND_IN) for k in range(len(robot.links))]
    joints = [_bare(joint, k, number) for k, joint in enumerate(robot.joints)]
    halves = {f"link{k}": _halves(link.inertia) for k, link in enumerate(robot.links)}
    for name in [name for name, (_, rest) in halves.items() if rest]:
        links.append(Link(f"{name} rest", STAND_IN))
        joints.append(Joint(f"{name} rest", "fixed", name, f"{name} rest"))
        halves[f"{name} rest"] = (Inertia(halves[name][1], np.zeros(3), np.zeros((3, 3))), 0.0)
    text = write_mjcf(Description("recheck", tuple(links), tuple(joints)), motors=False, gravity=robot.gravity.tolist())
    model = mujoco.MjModel.from_xml_string(text)
    for name, (inertia, _) in halves.items():
        _put(model, model.body(name).id, inertia)
    model.body_sameframe[:] = 0  # no shortcuts that the compiler saw in the stand-ins
    mass = model.body_mass.copy()
    for body in range(model.nbody - 1, 0, -1):
        mass[model.body_parentid[body]] += mass[body]
    model.body_subtreemass[:] = mass
    return model


def _bare(joint: Joint, k: int, number: dict[str, int]) -> Joint:
    """The geometry of a joint; a floating joint of a robot that does not float is held."""
    kind = "fixed" if joint.kind == "floating" else joint.kind
    ends = {"parent": f"link{number[joint.parent]}", "child": f"link{number[joint.child]}"}
    nothing = {"limits": Limits(), "mimic": None, "damping": 0.0, "friction": 0.0, "armature": 0.0}
    return replace(joint, name=f"joint{k}", kind=kind, **ends, **nothing)  # type: ignore[arg-type]


def _halves(inertia: Inertia) -> tuple[Inertia, float]:
    """A body with a centre of mass, and the mass at the origin that makes it the link again."""
    away = float(np.linalg.norm(inertia.first_moment))
    if away <= FAR * abs(inertia.mass):
        return inertia, 0.0
    return replace(inertia, mass=away), inertia.mass - away


def _put(model: Any, body: int, inertia: Inertia) -> None:
    """Mass, centre of mass and principal moments, possible or not."""
    import mujoco

    m, h = inertia.mass, inertia.first_moment
    c = h / m if m else np.zeros(3)
    moments, axes = decompose.eigh(inertia.rotational - m * (c @ c * np.eye(3) - np.outer(c, c)))
    axes = axes * np.sign(np.linalg.det(axes))
    model.body_mass[body], model.body_ipos[body], model.body_inertia[body] = m, c, moments
    mujoco.mju_mat2Quat(model.body_iquat[body], np.ascontiguousarray(axes).ravel())


def _shares(robot: Robot, model: Any) -> tuple[Array, Array]:
    """Positions of MuJoCo's joints = share @ coordinates + offset, through chains of mimics."""
    share, offset = np.zeros((model.nv, len(robot.joint_names))), np.zeros(model.nv)
    by_name = {joint.name: joint for joint in robot.joints}
    for k, joint in enumerate(robot.joints):
        if joint.moves:
            ratio, shift, leader = 1.0, 0.0, joint
            while leader.mimic is not None:
                shift, ratio = shift + ratio * leader.mimic.offset, ratio * leader.mimic.ratio
                leader = by_name[leader.mimic.joint]
            row = int(model.joint(f"joint{k}").dofadr[0])
            share[row, robot.joint_names.index(leader.name)], offset[row] = ratio, shift
    return share, offset

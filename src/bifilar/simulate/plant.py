"""The plant: a robot in MuJoCo, moved by joint torques. No equation of motion here is ours.

    M(q) a + bias(q, v) = torque - friction(v)             MuJoCo solves it for a, rotors as armature
    J motor'' = torque - friction(motor') - spring          joints with a stiffness have a motor of their own (Spong 1987),
    spring = stiffness (motor - q) + damping (motor' - v)   and the spring moves the link instead of the torque

Integrated by the classical Runge-Kutta method with the torque held, in steps as small as the friction is steep. There are no
contacts and no end stops; a mimic joint is a stiff MuJoCo equality.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.errors import RobotError, SolveError, near_names
from bifilar.robot.assemble import leader_of
from bifilar.robot.robot import Robot
from bifilar.robot.write_mjcf import write_mjcf
from bifilar.simulate.plant_friction import PlantFriction
from bifilar.simulate.pushes import LinkPush

STABLE = 1.5  # largest step times slope of the friction; Runge-Kutta follows up to 2.7
MOST_STEPS = 256  # within one period of the controller
_NOTHING, _VELOCITY = 0, 2  # mjtStage: what MuJoCo need not compute again
LOAD_ROUNDS = 200  # of friction that depends on the load it changes


class Plant:
    """State of one robot in MuJoCo. Arrays are in the order of the robot's joints.

    >>> plant = Plant(bf.Robot.load("pendulum"))
    >>> plant.reset([0.5], [0.0])
    >>> plant.acceleration(np.zeros(1)).round(3)
    array([-14.105])
    """

    def __init__(
        self,
        robot: Robot,
        *,
        stiffness: Mapping[str, float] | None = None,
        spring_damping: Mapping[str, float] | None = None,
        step: float = 5e-4,
    ) -> None:
        import mujoco

        self._forward = mujoco.mj_forwardSkip  # found once: it is called several thousand times per second of motion
        if robot.is_floating:
            raise RobotError("robot.floating/plant", name=robot.name)
        if not 1e-7 <= step <= 0.1:
            raise RobotError("step.wrong", step=step)
        self.robot, self.step = robot, step
        self.friction = PlantFriction.of(robot)
        stiffness = dict(stiffness or {})
        self._soft = np.array([name in stiffness for name in robot.joint_names], dtype=bool)
        self._spring = np.array([stiffness.get(name, 0.0) for name in robot.joint_names])[self._soft]
        damping = dict(spring_damping or {})
        self._damper = np.array([damping.get(name, 0.0) for name in robot.joint_names])[self._soft]
        self.is_flexible = bool(self._soft.any())
        self._rotor = robot._rotor
        self._motor_inertia = _motor_inertia(robot, stiffness, damping, self._soft)
        self.model, self.data = _compiled(robot, self._soft)
        self._dof = np.array([int(self.model.joint(name).dofadr[0]) for name in robot.joint_names], dtype=int)
        self._mimics = _mimics(robot, self.model)
        self._load = np.zeros(len(robot.joint_names))
        self._first: Array | None = None  # acceleration at the beginning of the next step, if it is known already
        self._first_torque: Array | None = None  # under this torque
        self._outside = np.zeros(len(robot.joint_names))  # torque of the world on the joints
        self._on_links: tuple[LinkPush, ...] = ()
        self.reset(np.zeros(len(robot.joint_names)), np.zeros(len(robot.joint_names)))

    # ---- state

    def reset(self, position: Any, velocity: Any) -> None:
        """Put the robot somewhere; springs are at rest.

        >>> plant = Plant(bf.Robot.load("pendulum"))
        >>> plant.reset([0.5], [1.0])
        >>> plant.position, plant.velocity
        (array([0.5]), array([1.]))
        """
        q, v = (np.asarray(x, dtype=float) for x in (position, velocity))
        y, w = np.zeros(self.model.nv), np.zeros(self.model.nv)
        y[self._dof], w[self._dof] = q, v
        for dof, coordinate, ratio, offset in self._mimics:
            y[dof], w[dof] = ratio * q[coordinate] + offset, ratio * v[coordinate]
        self._y, self._w = np.concatenate([y, q[self._soft]]), np.concatenate([w, v[self._soft]])
        self._load = np.zeros_like(q)
        self._first = None
        self.data.qacc_warmstart[:] = 0.0

    @property
    def position(self) -> Array:
        """Of the links.

        >>> Plant(bf.Robot.load("pendulum")).position
        array([0.])
        """
        return self._y[self._dof]

    @property
    def velocity(self) -> Array:
        """Of the links.

        >>> Plant(bf.Robot.load("pendulum")).velocity
        array([0.])
        """
        return self._w[self._dof]

    @property
    def motor_position(self) -> Array:
        """Of the motors; the links' where a joint is stiff.

        >>> Plant(bf.Robot.load("pendulum")).motor_position
        array([0.])
        """
        return self._motor_side(self._y)

    @property
    def motor_velocity(self) -> Array:
        """Of the motors; the links' where a joint is stiff.

        >>> Plant(bf.Robot.load("pendulum")).motor_velocity
        array([0.])
        """
        return self._motor_side(self._w)

    def _motor_side(self, x: Array) -> Array:
        side = x[self._dof]
        if self.is_flexible:
            side[self._soft] = x[self.model.nv :]
        return side

    # ---- motion

    def acceleration(self, torque: Array) -> Array:
        """Of the links, here and now, if this torque began to act.

        >>> Plant(bf.Robot.load("pendulum")).acceleration(np.array([0.0])).round(9)
        array([0.])
        """
        self._first, self._first_torque = self._rate(self._y, self._w, torque), torque
        return self._first[self._dof]

    def push(self, torque: Array, links: tuple[LinkPush, ...] = ()) -> None:
        """What the world does to the robot from now on: torques on its joints, forces and moments on its links.

        >>> plant = Plant(bf.Robot.load("pendulum"))
        >>> plant.push(np.array([2.0]))
        >>> bool(plant.acceleration(np.array([-2.0]))[0].round(9) == 0)
        True
        """
        self._outside, self._on_links, self._first = torque, links, None
        self.data.xfrc_applied[:] = 0.0

    def advance(self, torque: Array, period: float) -> int:
        """Hold the torque for a while; how many steps it took.

        >>> plant = Plant(bf.Robot.load("pendulum"))
        >>> plant.advance(np.array([1.0]), 1e-3)
        2
        """
        known = self._first if self._first_torque is torque else None
        first = self._rate(self._y, self._w, torque) if known is None else known
        steps = max(int(np.ceil(period / self.step - 1e-9)), self._steps_for_friction(first, period))
        h = period / steps
        for number in range(steps):
            y, w = self._y, self._w
            k1 = self._rate(y, w, torque) if number else first
            w2 = w + (0.5 * h) * k1
            k2 = self._rate(y + (0.5 * h) * w, w2, torque)
            w3 = w + (0.5 * h) * k2
            k3 = self._rate(y + (0.5 * h) * w2, w3, torque)
            k4 = self._rate(y + h * w3, w + h * k3, torque)
            self._y = y + h * w + (h * h / 6) * (k1 + k2 + k3)
            self._w = w + (h / 6) * (k1 + 2 * (k2 + k3) + k4)
        self._first = None
        return steps

    def _rate(self, y: Array, w: Array, torque: Array) -> Array:
        """Accelerations of the links in MuJoCo's order, then of the motors."""
        model, data, nv = self.model, self.data, self.model.nv
        data.qpos[:] = y[:nv]
        data.qvel[:] = w[:nv]
        friction = self.friction.torque(self._motor_side(w), self._load, self._motor_side(y))
        push = self._pushed(y, w, torque - friction)
        data.qfrc_applied[self._dof] = push + self._outside
        if self._on_links:
            self._force_links()
        self._forward(model, data, _NOTHING, 1)
        if self.friction.needs_load:
            friction = self._settled(y, w, torque, friction)
            push = self._pushed(y, w, torque - friction)
        if not self.is_flexible:
            return data.qacc.copy()
        motors = (torque - friction - push)[self._soft] / self._motor_inertia
        return np.concatenate([data.qacc, motors])

    def _pushed(self, y: Array, w: Array, drive: Array) -> Array:
        """What moves the links: the torque less friction, or the spring."""
        if not self.is_flexible:
            return drive
        nv, dof = self.model.nv, self._dof[self._soft]
        push = drive.copy()
        push[self._soft] = self._spring * (y[nv:] - y[dof]) + self._damper * (w[nv:] - w[dof])
        return push

    def _force_links(self) -> None:
        """MuJoCo takes forces at the centre of mass: those at another point turn the body as well."""
        import mujoco

        data = self.data
        mujoco.mj_kinematics(self.model, data)
        data.xfrc_applied[:] = 0.0
        for push in self._on_links:
            body = self._body(push.link)
            at = data.xpos[body] + data.xmat[body].reshape(3, 3) @ push.point
            data.xfrc_applied[body, :3] += push.force
            data.xfrc_applied[body, 3:] += push.moment + np.cross(at - data.xipos[body], push.force)

    def _body(self, link: str) -> int:
        """MuJoCo's number of a link; the root, which nothing moves, is its world."""
        import mujoco

        body = int(mujoco.mj_name2id(self.model, mujoco.mjtObj.mjOBJ_BODY, link))
        if body < 0 and link != self.robot.frame_names[0]:
            raise RobotError("link.massless/plant", link=link)
        return max(body, 0)

    def _settled(self, y: Array, w: Array, torque: Array, friction: Array) -> Array:
        """Friction depends on the load, the load on friction and acceleration: repeat until it no longer changes."""
        speed, rotor = self._motor_side(w), np.where(self._soft, 0.0, 1.0)[:, None] * self._rotor
        for _ in range(LOAD_ROUNDS):
            load = (
                self._pushed(y, w, torque - friction) - rotor @ self.data.qacc[self._dof]
            )  # of the gear: pushes are behind it
            change = np.abs(load - self._load).max(initial=0.0)
            self._load = load
            if change <= 1e-12 * max(1.0, np.abs(load).max(initial=0.0)):
                return friction
            friction = self.friction.torque(speed, load, self._motor_side(y))
            self.data.qfrc_applied[self._dof] = self._pushed(y, w, torque - friction) + self._outside
            self._forward(self.model, self.data, _VELOCITY, 1)
        raise SolveError("friction.not_settled/model_torque")

    def _steps_for_friction(self, rate: Array, period: float) -> int:
        """Steps that keep explicit integration stable: the sum of slopes over inertias bounds the fastest decay."""
        change = np.abs(self._motor_side(rate)) * period
        speed = np.maximum(np.abs(self._motor_side(self._w)) - change, 0.0)  # the slowest it may get: friction is steep there
        steep = self.friction.steepness(speed, self._load)
        if not steep.any():
            return 1
        ease = self._mobility()
        ease[self._soft] = 1.0 / self._motor_inertia
        steps = int(np.ceil(min(period * float(steep @ ease) / STABLE, 1e9)))
        if steps > MOST_STEPS:
            worst = self.robot.joint_names[int(np.argmax(steep * ease))]
            raise SolveError("friction.too_steep", worst=worst, steps=steps, period=period)
        return steps

    def _mobility(self) -> Array:
        """Diagonal of the inverse mass matrix at the last pose that was evaluated, (joints,)."""
        import mujoco

        dense = np.zeros((self.model.nv, self.model.nv))
        mujoco.mj_fullM(self.model, self.data, dense)
        return np.diag(np.linalg.inv(dense))[self._dof].copy()


def _compiled(robot: Robot, soft: Array) -> tuple[Any, Any]:
    """MuJoCo's model: friction left to us, rotors as armature (coupled ones as armature of a tendon), no contacts or stops."""
    import mujoco

    bare = tuple(replace(joint, damping=0.0, friction=0.0, armature=0.0) for joint in robot.joints)
    text = write_mjcf(replace(robot.description(), joints=bare), motors=False, gravity=robot.gravity.tolist())
    spec = mujoco.MjSpec.from_string(text)
    columns, values = robot.drive_columns.columns, robot.drive_values
    armature = np.zeros(len(robot.joint_names))
    for k in np.flatnonzero(columns.is_inertia & (values != 0)):
        row = columns.effect[k]
        if np.count_nonzero(row) == 1:
            armature += values[k] * row**2
            continue
        tendon = spec.add_tendon(name=f"rotor {robot.drive_columns.names[k]}", armature=values[k])
        for name, ratio in zip(robot.joint_names, row):
            if ratio:
                tendon.wrap_joint(name, float(ratio))
    model = spec.compile()
    off = mujoco.mjtDisableBit
    model.opt.disableflags |= int(off.mjDSBL_CONTACT) | int(off.mjDSBL_LIMIT)
    for name, inertia in zip(robot.joint_names, np.where(soft, 0.0, armature)):
        model.dof_armature[int(model.joint(name).dofadr[0])] = inertia
    model.opt.timestep = 1e-4  # only bounds how stiff equalities may be
    model.eq_solref[:] = (1e-3, 1.0)
    model.eq_solimp[:] = (0.9999, 0.9999, 1e-3, 0.5, 2.0)
    model.opt.tolerance = 1e-14
    return model, mujoco.MjData(model)


def _motor_inertia(robot: Robot, stiffness: Mapping[str, float], damping: Mapping[str, float], soft: Array) -> Array:
    """Rotor inertia of the flexible joints; whatever cannot be a spring with a motor is refused by name."""
    for what, values in (("stiffness", stiffness), ("spring_damping", damping)):
        for name, value in values.items():
            if name not in robot.joint_names:
                raise RobotError(
                    "joint.unknown/plant",
                    joints=robot.joint_names,
                    thing=what,
                    name=name,
                    near=near_names(name, robot.joint_names),
                )
            if not (0 < value < np.inf or (what == "spring_damping" and value == 0)):
                raise RobotError("setting.wrong/plant", thing=what, name=name, value=value)
    loose = [name for name in damping if name not in stiffness]
    if loose:
        raise RobotError("joint.no_stiffness", loose=loose[0])
    rotor = robot._rotor
    inertia = np.diag(rotor)[soft]
    names = [name for name, flexible in zip(robot.joint_names, soft) if flexible]
    light = [name for name, value in zip(names, inertia) if value <= 0]
    if light:
        raise RobotError("joint.no_rotor", light=light[0])
    coupled = rotor - np.diag(np.diag(rotor))
    if coupled[soft].any():
        raise RobotError("joint.coupled_flexible")
    return inertia


def _mimics(robot: Robot, model: Any) -> list[tuple[int, int, float, float]]:
    """MuJoCo's place of every mimic joint, the coordinate it follows, ratio and offset."""
    by_name = {joint.name: joint for joint in robot.joints}
    found = []
    for joint in robot.joints:
        if joint.moves and joint.mimic is not None:
            leader, ratio, offset = leader_of(joint, by_name)
            found.append((int(model.joint(joint.name).dofadr[0]), robot.joint_names.index(leader), ratio, offset))
    return found

"""The same robot as another program reads it from a file, asked in the robot's own coordinates; joints matched by name.

    motion = random_motion(rng, robot, 100)                     a base that moves, turns and leans if the robot floats
    PinocchioFile("arm.urdf", robot).mass_matrix(motion)        rows and columns as the robot has them
    MujocoFile("arm.xml", robot).forward_dynamics(motion, torque)

Both programs let mimic joints move freely. Their speeds are `share` times ours, so our matrices are share' M share.
Pinocchio's free-flyer acceleration is spatial: classical - omega x v. MuJoCo's free joint has the linear rates in the world's
axes and the angular ones in the body's, and its acceleration is classical.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import bifilar as bf


@dataclass(frozen=True)
class Motion:
    """States of a robot; `base` only of a floating one."""

    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    base: bf.BaseMotion | None

    @property
    def given(self) -> dict[str, bf.BaseMotion]:
        """The base as the robot's methods take it."""
        return {} if self.base is None else {"base": self.base}


def random_motion(rng: np.random.Generator, robot: bf.Robot, samples: int) -> Motion:
    """Joints anywhere, faster than a robot is; a base anywhere in space, unless it stands."""
    q, v, a = rng.normal(size=(3, samples, len(robot.joint_names))) * np.array([2.0, 1.5, 3.0])[:, None, None]
    if not robot.is_floating:
        return Motion(q, v, a, None)
    pose = rng.normal(size=(samples, 7))
    pose[:, 3:] /= np.linalg.norm(pose[:, 3:], axis=1, keepdims=True)
    return Motion(q, v, a, bf.BaseMotion(pose, *rng.normal(size=(2, samples, 6)) * 2))


class Twin:
    """What the two programs share: the map between their joints and ours, a loop over samples."""

    def __init__(self, robot: bf.Robot, speeds: int, row_of: Callable[[str], int]) -> None:
        self.robot, self.rows, self.row_of = robot, 6 if robot.is_floating else 0, row_of
        self.share, self.offset = np.zeros((speeds, self.rows + len(robot.joint_names))), np.zeros(speeds)
        self.share[: self.rows, : self.rows] = np.eye(self.rows)
        self.moving = [joint for joint in robot.joints if joint.moves]
        for joint in self.moving:
            mimic = joint.mimic or bf.Mimic(joint.name)
            self.share[row_of(joint.name), self.rows + robot.joint_names.index(mimic.joint)] = mimic.ratio
            self.offset[row_of(joint.name)] = mimic.offset

    @property
    def follows(self) -> bool:
        """Whether some joints follow others."""
        return any(joint.mimic for joint in self.moving)

    def _wide(self, row: np.ndarray) -> np.ndarray:
        """Numbers of our joints as the other program's joints have them; zero for the base."""
        return self.share[:, self.rows :] @ row

    def _each(self, motion: Motion, one: Callable[[int], np.ndarray]) -> np.ndarray:
        return np.array([one(k) for k in range(len(motion.q))])


class PinocchioFile(Twin):
    """A URDF in Pinocchio; `held` joints are locked by Pinocchio itself."""

    def __init__(self, path: Path, robot: bf.Robot, held: dict[str, float] | None = None) -> None:
        import pinocchio as pin

        self.pin, self.last = pin, None
        self.model = pin.buildModelFromUrdf(str(path), *([pin.JointModelFreeFlyer()] if robot.is_floating else []))
        if held:
            ids = [self.model.getJointId(name) for name in held]
            start = self._position(pin.neutral(self.model), dict(zip(ids, held.values())))
            self.model = pin.buildReducedModel(self.model, ids, start)
        self.model.gravity.linear = np.array(robot.gravity)
        self.data = self.model.createData()
        super().__init__(robot, self.model.nv, lambda name: self.model.joints[self.model.getJointId(name)].idx_v)
        assert {joint.name for joint in self.moving} == set(list(self.model.names)[2 if robot.is_floating else 1 :])

    def _position(self, start: np.ndarray, angles: dict[int, float]) -> np.ndarray:
        """A continuous joint of Pinocchio's is a cosine and a sine."""
        for joint_id, angle in angles.items():
            joint = self.model.joints[joint_id]
            start[joint.idx_q : joint.idx_q + joint.nq] = angle if joint.nq == 1 else (np.cos(angle), np.sin(angle))
        return start

    def numbers(self, motion: Motion, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Pinocchio's q, v, a of sample k; kept for the motion asked about last."""
        if self.last is not motion:
            self.last, self.kept = motion, [self._numbers(motion, k) for k in range(len(motion.q))]
        return self.kept[k]

    def _numbers(self, motion: Motion, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        angles, v, a = self._wide(motion.q[k]) + self.offset, self._wide(motion.v[k]), self._wide(motion.a[k])
        q = self.pin.neutral(self.model)
        if motion.base is not None:
            twist, classical = motion.base.twist[k], motion.base.acceleration[k]
            q[:7], v[:6] = motion.base.pose[k], twist
            a[:6] = classical - np.r_[np.cross(twist[3:], twist[:3]), np.zeros(3)]
        return self._position(q, {self.model.getJointId(j.name): angles[self.row_of(j.name)] for j in self.moving}), v, a

    def _square(self, matrix: np.ndarray) -> np.ndarray:
        return self.share.T @ matrix @ self.share

    def inverse_dynamics(self, motion: Motion) -> np.ndarray:
        """(N, rows)"""
        return self._each(motion, lambda k: self.share.T @ self.pin.rnea(self.model, self.data, *self.numbers(motion, k)))

    def mass_matrix(self, motion: Motion) -> np.ndarray:
        """(N, rows, rows)"""

        def one(k: int) -> np.ndarray:
            upper = np.triu(self.pin.crba(self.model, self.data, self.numbers(motion, k)[0]))
            return self._square(upper + np.triu(upper, 1).T)

        return self._each(motion, one)

    def coriolis_matrix(self, motion: Motion) -> np.ndarray:
        """(N, rows, rows), without the base's linear velocity: with classical accelerations it does not matter."""

        def one(k: int) -> np.ndarray:
            q, v, _ = self.numbers(motion, k)
            v = np.r_[np.zeros(self.rows // 2), v[self.rows // 2 :]]
            return self._square(self.pin.computeCoriolisMatrix(self.model, self.data, q, v))

        return self._each(motion, one)

    def derivatives(self, motion: Motion) -> list[np.ndarray]:
        """By position, velocity and acceleration of our joints, (N, rows, joints) each."""

        def one(k: int) -> np.ndarray:
            data = self.data
            self.pin.computeRNEADerivatives(self.model, data, *self.numbers(motion, k))
            mass = np.triu(data.M) + np.triu(data.M, 1).T
            return np.array([self._square(m)[:, self.rows :] for m in (data.dtau_dq, data.dtau_dv, mass)])

        return list(np.moveaxis(self._each(motion, one), 1, 0))

    def regressor(self, motion: Motion) -> np.ndarray:
        """(N, rows, 10 bodies), bodies in the robot's order; the base's only if it floats."""
        joint_of = {joint.child: self.model.getJointId(joint.name) for joint in self.moving}
        ids = ([1] if self.rows else []) + [joint_of[body] for body in self.robot.body_names[1:]]
        columns = np.concatenate([10 * (i - 1) + np.arange(10) for i in ids])

        def one(k: int) -> np.ndarray:
            y = self.pin.computeJointTorqueRegressor(self.model, self.data, *self.numbers(motion, k))
            return self.share.T @ y.reshape(self.model.nv, -1)[:, columns]  # one row comes as a vector

        return self._each(motion, one)

    def forward_dynamics(self, motion: Motion, torque: np.ndarray) -> np.ndarray:
        """(N, rows), classical acceleration of the base first; by articulated bodies unless joints follow others."""
        pin, model, data = self.pin, self.model, self.data

        def one(k: int) -> np.ndarray:
            q, v, _ = self.numbers(motion, k)
            if self.follows:
                bias = pin.rnea(model, data, q, v, np.zeros(model.nv))
                upper = np.triu(pin.crba(model, data, q))
                a = np.linalg.solve(self._square(upper + np.triu(upper, 1).T), torque[k] - self.share.T @ bias)
            else:
                a = self.share.T @ pin.aba(model, data, q, v, self.share @ torque[k])
            if motion.base is not None:
                a[:3] += np.cross(v[3:6], v[:3])
            return a

        return self._each(motion, one)

    def jacobian(self, motion: Motion, link: str, point: np.ndarray) -> np.ndarray:
        """(N, 6, rows) of a link's point, axes of the root."""
        pin, model, data = self.pin, self.model, self.data
        frame = model.getFrameId(link, pin.BODY)

        def one(k: int) -> np.ndarray:
            q = self.numbers(motion, k)[0]
            jacobian = pin.computeFrameJacobian(model, data, q, frame, pin.LOCAL_WORLD_ALIGNED).reshape(6, -1) @ self.share
            pin.framesForwardKinematics(model, data, q)
            jacobian[:3] += np.cross(jacobian[3:], data.oMf[frame].rotation @ point, axis=0)
            root = data.oMi[1].rotation if self.rows else np.eye(3)
            return np.vstack((root.T @ jacobian[:3], root.T @ jacobian[3:]))

        return self._each(motion, one)

    def pose(self, motion: Motion, link: str) -> np.ndarray:
        """world_from_link, (N, 3, 4)."""
        frame = self.model.getFrameId(link, self.pin.BODY)

        def one(k: int) -> np.ndarray:
            self.pin.framesForwardKinematics(self.model, self.data, self.numbers(motion, k)[0])
            return self.data.oMf[frame].homogeneous[:3].copy()

        return self._each(motion, one)


class MujocoFile(Twin):
    """An MJCF file, or its text, in MuJoCo: no contacts, limits, equalities or springs, but damping and armature."""

    def __init__(self, xml: str | Path, robot: bf.Robot) -> None:
        import mujoco

        self.mujoco = mujoco
        load = mujoco.MjModel.from_xml_path if isinstance(xml, Path) else mujoco.MjModel.from_xml_string
        self.model = model = load(str(xml))
        bits = mujoco.mjtDisableBit
        model.opt.disableflags |= int(bits.mjDSBL_CONSTRAINT) | int(bits.mjDSBL_SPRING)
        self.data = mujoco.MjData(model)
        free = np.flatnonzero(model.jnt_type == mujoco.mjtJoint.mjJNT_FREE)
        assert len(free) == int(robot.is_floating) and (not len(free) or (model.jnt_dofadr[free[0]] == 0))
        super().__init__(robot, model.nv, lambda name: int(model.joint(name).dofadr[0]))
        self.at_q = [int(model.joint(joint.name).qposadr[0]) for joint in self.moving]
        self.at_v = [int(model.joint(joint.name).dofadr[0]) for joint in self.moving]
        assert self.rows + len(self.moving) == model.nv

    def _place(self, motion: Motion, k: int) -> np.ndarray:
        """Set the state; returns MuJoCo's speeds per ours."""
        data, share = self.data, self.share.copy()
        wide = np.array([self._wide(row[k]) for row in (motion.q, motion.v, motion.a)])
        data.qpos[self.at_q] = (wide[0] + self.offset)[self.at_v]
        data.qvel[:], data.qacc[:] = wide[1], wide[2]
        if motion.base is not None:
            share[:3, :3] = turn = motion.base.rotation[k]
            twist, push = motion.base.twist[k], motion.base.acceleration[k]
            x, y, z, w = motion.base.pose[k, 3:]
            data.qpos[:7] = [*motion.base.pose[k, :3], w, x, y, z]
            data.qvel[:6], data.qacc[:6] = np.r_[turn @ twist[:3], twist[3:]], np.r_[turn @ push[:3], push[3:]]
        return share

    def inverse_dynamics(self, motion: Motion) -> np.ndarray:
        """(N, rows)"""

        def one(k: int) -> np.ndarray:
            share = self._place(motion, k)
            self.mujoco.mj_inverse(self.model, self.data)
            return share.T @ self.data.qfrc_inverse

        return self._each(motion, one)

    def _mass(self, share: np.ndarray) -> np.ndarray:
        columns = np.zeros((self.model.nv, self.model.nv))
        for unit, column in zip(np.eye(self.model.nv), columns):
            self.mujoco.mj_mulM(self.model, self.data, column, unit)
        return share.T @ columns @ share

    def mass_matrix(self, motion: Motion) -> np.ndarray:
        """(N, rows, rows), with armature."""

        def one(k: int) -> np.ndarray:
            share = self._place(motion, k)
            self.mujoco.mj_fwdPosition(self.model, self.data)
            return self._mass(share)

        return self._each(motion, one)

    def forward_dynamics(self, motion: Motion, torque: np.ndarray) -> np.ndarray:
        """(N, rows), acceleration of the base first."""

        def one(k: int) -> np.ndarray:
            share, data = self._place(motion, k), self.data
            data.qfrc_applied[:] = 0.0 if self.follows else share @ torque[k]
            self.mujoco.mj_forward(self.model, data)
            if not self.follows:
                return share.T @ data.qacc
            pull = data.qfrc_passive - data.qfrc_bias
            return np.linalg.solve(self._mass(share), torque[k] + share.T @ pull)

        return self._each(motion, one)

    def jacobian(self, motion: Motion, body: str, point: np.ndarray) -> np.ndarray:
        """(N, 6, rows) of a body's point, axes of the root."""
        number = self.model.body(body).id

        def one(k: int) -> np.ndarray:
            share, data = self._place(motion, k), self.data
            self.mujoco.mj_fwdPosition(self.model, data)
            at = data.xpos[number] + data.xmat[number].reshape(3, 3) @ point
            both = np.zeros((2, 3, self.model.nv))
            self.mujoco.mj_jac(self.model, data, both[0], both[1], at, number)
            root = share[:3, :3] if self.rows else np.eye(3)
            return np.vstack((root.T @ both[0], root.T @ both[1])) @ share

        return self._each(motion, one)

    def pose(self, motion: Motion, body: str) -> np.ndarray:
        """world_from_body, (N, 3, 4)."""
        number = self.model.body(body).id

        def one(k: int) -> np.ndarray:
            self._place(motion, k)
            self.mujoco.mj_kinematics(self.model, self.data)
            return np.column_stack([self.data.xmat[number].reshape(3, 3), self.data.xpos[number]])

        return self._each(motion, one)

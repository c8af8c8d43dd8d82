"""Random trees for the tests, and the same machine in Pinocchio, which then computes everything its own way.

    machine = random_machine(rng, joints=6)              tree, phi; branches, prismatic joints, mimic, shuffled coordinates
    state = random_state(rng, machine, samples=5)        q, v, a and a root that moves and leans
    twin = Pinocchio(machine)                            free-flyer in front, joints in depth-first order
    twin.inverse_dynamics(state)                         rows in the engine's order, mimic joints already summed

The twin always has a free-flyer in front: a fixed base is a free-flyer that does not move, and its wrench is the base wrench.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bifilar.dynamics.tree import Tree
from bifilar.robot.description import Description, Joint, Link, Mimic, Pose
from bifilar.robot.inertia import Inertia

KINDS: dict[str, dict[str, Any]] = {  # of random machines, as `random_machine` takes them
    "arm": {"joints": 7, "branches": False, "prismatic": 0.0, "mimic": False, "shuffled": False},
    "one joint": {"joints": 1},
    "tree": {"joints": 9, "mimic": False},
    "followers": {"joints": 6},
    "floating": {"joints": 8, "floating": True},
    "humanoid": {"joints": 30, "floating": True, "prismatic": 0.1},
    "weightless": {"joints": 4, "gravity": False},
    "no joints, floating": {"joints": 0, "floating": True},
}


@dataclass(frozen=True)
class Machine:
    """A tree and the ten parameters of its bodies, (n + 1, 10)."""

    tree: Tree
    phi: np.ndarray


@dataclass(frozen=True)
class State:
    """Motion of the coordinates and of the root; `linear_velocity` must not matter to the equations."""

    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    root: np.ndarray  # (N, 9) as the engine takes it
    linear_velocity: np.ndarray  # (N, 3) of the root, root frame
    world_from_root: np.ndarray  # (N, 3, 3)

    @property
    def twist(self) -> np.ndarray:
        """Linear and angular velocity of the root, root frame."""
        return np.hstack((self.linear_velocity, self.root[:, :3]))

    def gravity_in_root(self, tree: Tree) -> np.ndarray:
        """(N, 3) [m/s^2]."""
        return np.einsum("sba,b->sa", self.world_from_root, tree.gravity)


def random_rotation(rng: np.random.Generator) -> np.ndarray:
    """A rotation matrix, uniform."""
    q, r = np.linalg.qr(rng.normal(size=(3, 3)))
    q = q * np.sign(np.diag(r))
    return q * np.linalg.det(q)


def random_body(rng: np.random.Generator) -> np.ndarray:
    """Ten parameters of a body that can exist: a handful of point masses."""
    mass, points = rng.uniform(0.1, 1.0, 6), rng.normal(scale=0.3, size=(6, 3))
    second = np.einsum("i,ia,ib->ab", mass, points, points)
    rotational = np.trace(second) * np.eye(3) - second
    return np.concatenate(([mass.sum()], mass @ points, rotational[[0, 0, 1, 0, 1, 2], [0, 1, 1, 2, 2, 2]]))


def random_machine(
    rng: np.random.Generator,
    joints: int = 6,
    *,
    branches: bool = True,
    prismatic: float = 0.3,
    mimic: bool = True,
    shuffled: bool = True,
    floating: bool = False,
    gravity: bool = True,
) -> Machine:
    """A random machine; `prismatic` is the share of sliding joints, `mimic` lets some joints follow others."""
    parent = [int(rng.integers(max(0, i - 3), i + 1)) if branches else i for i in range(joints)]
    axis = rng.normal(size=(joints, 3))
    axis[rng.random(joints) < 0.4] = np.eye(3)[rng.integers(3)]
    coordinate, ratio, offset = np.arange(joints), np.ones(joints), np.zeros(joints)
    if shuffled:
        coordinate = rng.permutation(joints)
    if mimic and joints > 1:
        follower, leader = rng.choice(joints, 2, replace=False)
        coordinate[follower] = coordinate[leader]
        coordinate = np.unique(coordinate, return_inverse=True)[1]
        ratio[follower], offset[follower] = rng.uniform(-2, 2), rng.normal()
    tree = Tree(
        parent=parent,
        prismatic=rng.random(joints) < prismatic,
        rotation=np.array([random_rotation(rng) for _ in range(joints)]).reshape(joints, 3, 3),
        translation=rng.normal(scale=0.5, size=(joints, 3)),
        axis=axis / np.linalg.norm(axis, axis=1, keepdims=True),
        coordinate=coordinate,
        ratio=ratio,
        offset=offset,
        gravity=rng.normal(scale=6.0, size=3) if gravity else np.zeros(3),
        floating=floating,
    )
    return Machine(tree, np.array([random_body(rng) for _ in range(joints + 1)]))


def random_state(rng: np.random.Generator, tree: Tree, samples: int = 4, *, moving_root: bool = True) -> State:
    """Positions over the whole circle, unit speeds; a root that turns, accelerates and leans if asked."""
    q, v, a = rng.normal(size=(3, samples, tree.n_coordinates)) * np.array([2.0, 1.0, 1.0])[:, None, None]
    world_from_root = np.array([random_rotation(rng) if moving_root else np.eye(3) for _ in range(samples)]).reshape(-1, 3, 3)
    spin, turn, push, linear = rng.normal(size=(4, samples, 3)) * float(moving_root)
    up = -np.einsum("sba,b->sa", world_from_root, tree.gravity)
    return State(q, v, a, np.hstack((spin, turn, push + up)), linear, world_from_root)


def description_of(machine: Machine) -> Description:
    """The random machine as links and joints, one per body; names that XML must escape."""
    tree = machine.tree
    links = tuple(Link(f"body {i} <&>", Inertia.from_vector(phi), has_inertia=True) for i, phi in enumerate(machine.phi))
    joints = tuple(
        Joint(
            f"joint{i}",
            "prismatic" if tree.prismatic[i] else "continuous",
            links[tree.parent[i]].name,
            links[i + 1].name,
            Pose(tree.rotation[i], tree.translation[i]),
            tree.axis[i],
            mimic=_mimic(tree, i),
        )
        for i in range(tree.n_joints)
    )
    return Description("random", links, joints, gravity=np.array(tree.gravity))


def _mimic(tree: Tree, joint: int) -> Mimic | None:
    """Whom a joint follows: the one with ratio one and offset zero that has its coordinate."""
    if tree.ratio[joint] == 1 and tree.offset[joint] == 0:
        return None
    alike = np.flatnonzero(tree.coordinate == tree.coordinate[joint])
    leader = next(int(k) for k in alike if k != joint)
    return Mimic(f"joint{leader}", float(tree.ratio[joint]), float(tree.offset[joint]))


class Pinocchio:
    """The same machine in Pinocchio. Every method returns rows and columns in the engine's order and conventions."""

    def __init__(self, machine: Machine) -> None:
        import pinocchio as pin

        self.pin, self.tree, self.phi = pin, machine.tree, machine.phi
        self.model = pin.Model()
        self.model.gravity.linear = np.array(machine.tree.gravity)
        root = self.model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "root")
        self.joint = {0: root}  # Pinocchio's joint of each body
        self._append(root, 0)
        self._grow(0)
        self.data = self.model.createData()
        n = machine.tree.n_joints
        self.rows = np.r_[0:6, [self.model.joints[self.joint[i + 1]].idx_v for i in range(n)]].astype(int)
        self.share = np.zeros((6 + n, 6 + machine.tree.n_coordinates))  # joint speeds per coordinate speed
        self.share[:6, :6] = np.eye(6)
        self.share[6 + np.arange(n), 6 + machine.tree.coordinate] = machine.tree.ratio

    def _append(self, joint: int, body: int) -> None:
        if not self.phi[body].any():
            return  # its conversion divides by the mass
        inertia = self.pin.Inertia.FromDynamicParameters(self.phi[body])
        self.model.appendBodyToJoint(joint, inertia, self.pin.SE3.Identity())

    def _grow(self, body: int) -> None:
        """Children after their parent and before its other children: Pinocchio's algorithms need that order."""
        pin, tree = self.pin, self.tree
        for i in np.flatnonzero(tree.parent == body):
            kind = pin.JointModelPrismaticUnaligned if tree.prismatic[i] else pin.JointModelRevoluteUnaligned
            placement = pin.SE3(np.array(tree.rotation[i]), np.array(tree.translation[i]))
            joint = self.model.addJoint(self.joint[body], kind(np.array(tree.axis[i])), placement, f"joint{i}")
            self.joint[int(i) + 1] = joint
            self._append(joint, int(i) + 1)
            self._grow(int(i) + 1)

    def numbers(self, state: State, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Pinocchio's q, v, a of sample k; its free-flyer acceleration is spatial: classical - omega x v."""
        tree = self.tree
        q, v, a = np.zeros(self.model.nq), np.zeros(self.model.nv), np.zeros(self.model.nv)
        q[3:7] = self.pin.Quaternion(state.world_from_root[k]).coeffs()
        omega, alpha, push = state.root[k, :3], state.root[k, 3:6], state.root[k, 6:]
        classical = push + state.gravity_in_root(tree)[k]
        v[:6] = np.r_[state.linear_velocity[k], omega]
        a[:6] = np.r_[classical - np.cross(omega, state.linear_velocity[k]), alpha]
        joint = self.rows[6:]
        q[joint + 1] = tree.ratio * state.q[k, tree.coordinate] + tree.offset
        v[joint] = tree.ratio * state.v[k, tree.coordinate]
        a[joint] = tree.ratio * state.a[k, tree.coordinate]
        return q, v, a

    def _each(self, state: State, function) -> np.ndarray:
        return np.array([function(*self.numbers(state, k)) for k in range(len(state.q))])

    def _fold(self, matrix: np.ndarray) -> np.ndarray:
        return self.share.T @ matrix[np.ix_(self.rows, self.rows)] @ self.share

    def inverse_dynamics(self, state: State) -> np.ndarray:
        """(N, 6 + nc)"""
        return self._each(state, lambda q, v, a: self.share.T @ self.pin.rnea(self.model, self.data, q, v, a)[self.rows])

    def mass_matrix(self, state: State) -> np.ndarray:
        """(N, 6 + nc, 6 + nc)"""

        def one(q, v, a):
            upper = np.triu(self.pin.crba(self.model, self.data, q))
            return self._fold(upper + np.triu(upper, 1).T)

        return self._each(state, one)

    def coriolis_matrix(self, state: State) -> np.ndarray:
        """(N, 6 + nc, 6 + nc), with the root's linear velocity left out, as the engine does."""

        def one(q, v, a):
            v = np.r_[np.zeros(3), v[3:]]
            return self._fold(self.pin.computeCoriolisMatrix(self.model, self.data, q, v).copy())

        return self._each(state, one)

    def derivatives(self, state: State) -> tuple[np.ndarray, np.ndarray]:
        """By positions and by speeds of the coordinates, (N, 6 + nc, nc) each."""

        def one(q, v, a):
            self.pin.computeRNEADerivatives(self.model, self.data, q, v, a)
            return [self._fold(m.copy())[:, 6:] for m in (self.data.dtau_dq, self.data.dtau_dv)]

        both = self._each(state, one)
        return both[:, 0], both[:, 1]

    def _bodies(self) -> np.ndarray:
        """Columns of Pinocchio's regressors in the order of our bodies."""
        return np.concatenate([10 * (self.joint[i] - 1) + np.arange(10) for i in range(self.tree.n_joints + 1)])

    def regressor(self, state: State) -> np.ndarray:
        """(N, 6 + nc, 10 (n + 1))"""

        def one(q, v, a):
            y = self.pin.computeJointTorqueRegressor(self.model, self.data, q, v, a)
            return self.share.T @ y[np.ix_(self.rows, self._bodies())]

        return self._each(state, one)

    def energy_regressors(self, state: State) -> tuple[np.ndarray, np.ndarray]:
        """Kinetic and potential, (N, 10 (n + 1)) each."""

        def one(q, v, a):
            kinetic = self.pin.computeKineticEnergyRegressor(self.model, self.data, q, v).copy()
            return [kinetic[self._bodies()], self.pin.computePotentialEnergyRegressor(self.model, self.data, q)[self._bodies()]]

        both = self._each(state, one)
        return both[:, 0], both[:, 1]

    def momentum(self, state: State) -> np.ndarray:
        """Linear and angular momentum about the root's origin, root axes, (N, 6)."""

        def one(q, v, a):
            self.pin.computeCentroidalMomentum(self.model, self.data, q, v)
            self.pin.centerOfMass(self.model, self.data, q)
            world_from_root = self.data.oMi[1].rotation
            linear = world_from_root.T @ self.data.hg.linear
            angular = world_from_root.T @ (self.data.hg.angular + np.cross(self.data.com[0], self.data.hg.linear))
            return np.r_[linear, angular]

        return self._each(state, one)

    def poses(self, state: State) -> tuple[np.ndarray, np.ndarray]:
        """root_from_body: rotation (N, n + 1, 3, 3), translation (N, n + 1, 3)."""

        def one(q, v, a):
            self.pin.forwardKinematics(self.model, self.data, q)
            root = self.data.oMi[1].inverse()
            return np.array([(root * self.data.oMi[self.joint[i]]).homogeneous for i in range(self.tree.n_joints + 1)])

        both = self._each(state, one)
        return both[..., :3, :3], both[..., :3, 3]

    def jacobian(self, state: State, body: int, point: np.ndarray) -> np.ndarray:
        """(N, 6, 6 + nc): velocity of a body's point, root axes."""

        def one(q, v, a):
            pin = self.pin
            pin.computeJointJacobians(self.model, self.data, q)
            jacobian = pin.getJointJacobian(self.model, self.data, self.joint[body], pin.LOCAL_WORLD_ALIGNED)[:, self.rows]
            to_root = self.data.oMi[1].rotation.T
            arm = self.data.oMi[self.joint[body]].rotation @ point
            linear = jacobian[:3] + np.cross(jacobian[3:], arm, axis=0)
            return np.vstack((to_root @ linear, to_root @ jacobian[3:])) @ self.share

        return self._each(state, one)

    def forward_dynamics(self, state: State, tau: np.ndarray) -> np.ndarray:
        """Floating machine without mimic: (N, 6 + nc), base's classical acceleration minus gravity first."""
        out = np.empty_like(tau)
        for k in range(len(tau)):
            q, v, _ = self.numbers(state, k)
            torque = np.zeros(self.model.nv)
            torque[self.rows] = self.share @ tau[k]
            a = self.pin.aba(self.model, self.data, q, v, torque)[self.rows]
            a[:3] += np.cross(state.root[k, :3], state.linear_velocity[k]) - state.gravity_in_root(self.tree)[k]
            out[k] = self.share.T @ a
        return out

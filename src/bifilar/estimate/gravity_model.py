"""Gravity torque from two numbers per joint: the constant mass moments of Ma and Hollerbach (1996), for any tree.

All links beyond joint i hang on its axis with the composite mass moment R_i [kg m]. The part of R_i that no joint beyond i
turns is r_i, and of r_i the joint feels only what is normal to its axis, n_i; the rest is passed on to the link before:

    r_i = m_i s_i + sum over children c of (M_c p_c + what c passes on),     M_c mass of everything from c outwards
    what a turning joint passes on: its part along the axis;   what a sliding joint passes on: all of r
    torque_i = (axis_i x g) . (sum over turning j from i outwards of n_j  +  sum over sliding k of M_k q_k axis_k)
    force_k  = -M_k g . axis_k

Signs are those of inverse dynamics: the torque that holds the arm (the paper's (3) is the torque of gravity on the joint).
n_i has two components, along x of the link made normal to the axis and along axis x (that x): for a Denavit-Hartenberg arm
these are x and y of the paper's modified link frame.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bifilar.dynamics.engine import current
from bifilar.dynamics.state import squeezed, states, table
from bifilar.dynamics.tree import Array, Tree
from bifilar.errors import RobotError, ShapeError
from bifilar.robot.model import Model


@dataclass(frozen=True, eq=False, repr=False)
class GravityModel:
    """Mass moments of an arm, and the gravity torque that follows at any pose.

    >>> robot = bf.Robot.load("panda")
    >>> model = bf.GravityModel.of(robot)
    >>> q = [0.1, 0.2, 0.3, -1.0, 0.5, 0.6, 0.7]
    >>> bool(np.allclose(model.torque(q), robot.gravity_torque(q)))
    True
    """

    arm: Model  # its geometry and gravity; its masses do not matter here
    values: Array  # (numbers,) [kg m] of turning, [kg] of sliding joints
    covariance: Array = field(default_factory=lambda: np.zeros((0, 0)))  # of the values; zeros if they are a description's

    def __post_init__(self) -> None:
        if self.arm.is_floating:
            raise RobotError("robot.floating/gravity_model")
        count = len(gravity_names(self.arm))
        object.__setattr__(self, "values", table("values", self.values, gravity_names(self.arm), "number")[0][0])
        given = np.asarray(self.covariance, dtype=np.float64)
        if given.size and given.shape != (count, count):
            raise ShapeError("shape.wrong/gravity_model", shape=given.shape, count=count)
        object.__setattr__(self, "covariance", given if given.size else np.zeros((count, count)))

    @classmethod
    def of(cls, robot: Model) -> GravityModel:
        """The mass moments that a description stands for.

        >>> bf.GravityModel.of(bf.Robot.load("pendulum")).names
        ('joint1.nx', 'joint1.ny')
        """
        return cls(robot, moments(robot.tree, robot.body_parameters))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Two numbers per turning joint, one per sliding joint.

        >>> bf.GravityModel.of(bf.Robot.load("two_link")).names
        ('joint1.nx', 'joint1.ny', 'joint2.nx', 'joint2.ny')
        """
        return gravity_names(self.arm)

    @property
    def deviations(self) -> Array:
        """Standard deviations of the values.

        >>> bf.GravityModel.of(bf.Robot.load("pendulum")).deviations
        array([0., 0.])
        """
        return np.sqrt(np.diag(self.covariance))

    def torque(self, position: ArrayLike) -> Array:
        """What holds the arm still, (N, joints) [N m].

        >>> bf.GravityModel.of(bf.Robot.load("pendulum")).torque([[0.0], [0.1]]).shape
        (2, 1)
        """
        return self._carrier.gravity_torque(position)

    @cached_property
    def _carrier(self) -> Model:
        """A model with this gravity torque; its bodies could not exist."""
        plain = Model(**{f.name: getattr(self.arm, f.name) for f in fields(Model)})
        bodies = np.zeros_like(plain.body_parameters)
        bodies[1:, :4] = carriers(self.arm.tree, self.values)
        return replace(plain, body_parameters=bodies)

    def torque_deviation(self, position: ArrayLike) -> Array:
        """Standard deviation of that torque, (N, joints) [N m]; infinite where it rests on numbers that the data did not tell.

        >>> bf.GravityModel.of(bf.Robot.load("pendulum")).torque_deviation([0.1])
        array([0.])
        """
        rows = gravity_matrix(self.arm, position)
        open_ = ~np.isfinite(np.diag(self.covariance))
        known = np.where(np.isfinite(self.covariance), self.covariance, 0.0)
        size = np.sqrt(np.maximum(np.einsum("...ij,jk,...ik->...i", rows, known, rows), 0.0))
        felt = np.abs(rows[..., open_]).max(axis=-1, initial=0.0) > 1e-9 * float(np.linalg.norm(self.arm.gravity))
        return np.where(felt, np.inf, size)

    def with_values(self, values: ArrayLike, covariance: ArrayLike | None = None) -> GravityModel:
        """The same arm with other mass moments.

        >>> bf.GravityModel.of(bf.Robot.load("pendulum")).with_values([1.0, 0.0]).values
        array([1., 0.])
        """
        given = np.zeros((0, 0)) if covariance is None else np.asarray(covariance, dtype=np.float64)
        return replace(self, values=np.asarray(values, dtype=np.float64), covariance=given)

    def __repr__(self) -> str:
        pairs = ", ".join(f"{name} {value:.4g}" for name, value in zip(self.names[:4], self.values[:4]))
        return f"GravityModel({pairs}{', ...' if len(self.names) > 4 else ''})"


def gravity_names(robot: Model) -> tuple[str, ...]:
    """Names of the numbers in a gravity model, in the order of its columns.

    >>> gravity_names(bf.Robot.load("pendulum"))
    ('joint1.nx', 'joint1.ny')
    """
    tree, names = robot.tree, joint_labels(robot)
    return tuple(
        f"{names[j]}.{part}" for j in range(tree.n_joints) for part in (("mass",) if tree.prismatic[j] else ("nx", "ny"))
    )


def joint_labels(robot: Model) -> tuple[str, ...]:
    """One name per moving body: its coordinate's, with the body's behind where several bodies follow one coordinate.

    >>> joint_labels(bf.Robot.load("pendulum"))
    ('joint1',)
    """
    leading = [robot.joint_names[k] for k in robot.tree.coordinate]
    return tuple(
        name if leading.count(name) == 1 else f"{name}({body})"
        for name, body in zip(leading, robot.body_names[1:], strict=True)
    )


def gravity_matrix(robot: Model, position: ArrayLike) -> Array:
    """What turns mass moments into torque, (N, joints, numbers): torque = matrix @ values.

    >>> gravity_matrix(bf.Robot.load("two_link"), [0.3, 0.2]).shape
    (2, 4)
    """
    tree = robot.tree
    (q,), single = states(robot.joint_names, position=position)
    rotation = current().poses(tree, q)[0][:, 1:]
    axis = np.einsum("njab,jb->nja", rotation, tree.axis)
    lever, owner = _levers(tree, q, rotation, axis)
    rows = np.einsum("nia,nca->nic", np.cross(axis, tree.gravity), lever) * _beyond(tree)[:, owner]
    for j in map(int, np.flatnonzero(tree.prismatic)):
        rows[:, j] = np.where(owner == j, -(axis[:, j] @ tree.gravity)[:, None], 0.0)
    by_coordinate = np.zeros((len(q), tree.n_coordinates, len(owner)))
    for j, (k, ratio) in enumerate(zip(tree.coordinate, tree.ratio, strict=True)):
        by_coordinate[:, k] += ratio * rows[:, j]
    return squeezed(by_coordinate, single)


def _levers(tree: Tree, q: Array, rotation: Array, axis: Array) -> tuple[Array, NDArray[np.int64]]:
    """Directions in the root frame that the numbers multiply, (N, numbers, 3), and the joint each number belongs to."""
    slide = tree.ratio * q[:, tree.coordinate] + tree.offset
    columns, owner = [], []
    for j in range(tree.n_joints):
        if tree.prismatic[j]:
            columns.append((slide[:, j, None] * axis[:, j])[:, None])
        else:
            columns.append(np.einsum("nab,kb->nka", rotation[:, j], normals(tree.axis[j])))
        owner += [j] * columns[-1].shape[1]
    return np.concatenate(columns, axis=1), np.array(owner, dtype=np.int64)


def _beyond(tree: Tree) -> Array:
    """(joints, joints) one where the second is carried by the first (or is it)."""
    carried = np.eye(tree.n_joints)
    for j in range(tree.n_joints):
        if tree.parent[j]:
            carried[:, j] = np.maximum(carried[:, j], carried[:, tree.parent[j] - 1])
    return carried


def normals(axis: Array) -> Array:
    """Two unit vectors (2, 3) normal to an axis: the link's x as far as it is normal (else its y), and axis x that.

    >>> normals(np.array([0.0, 0.0, 1.0]))
    array([[1., 0., 0.],
           [0., 1., 0.]])
    """
    start = np.eye(3)[0 if abs(axis[0]) < 0.9 else 1]
    first = start - axis * (axis @ start)
    first = first / np.linalg.norm(first)
    return np.stack([first, np.cross(axis, first)])


def carriers(tree: Tree, values: Array) -> Array:
    """Mass and first moment (joints, 4) of bodies whose gravity torque is that of the numbers: the way back of `moments`.

    >>> robot = bf.Robot.load("panda")
    >>> values = moments(robot.tree, robot.body_parameters)
    >>> bodies = np.zeros((8, 10))
    >>> bodies[1:, :4] = carriers(robot.tree, values)
    >>> bool(np.allclose(moments(robot.tree, bodies), values))
    True
    """
    own, places = np.zeros((tree.n_joints, 4)), np.cumsum([0] + [1 if slides else 2 for slides in tree.prismatic])
    hung = np.zeros((tree.n_joints, 4))  # mass and first moment that the joints beyond bring
    for j in reversed(range(tree.n_joints)):
        mine = values[places[j] : places[j + 1]]
        total = mine[0] if tree.prismatic[j] else hung[j, 0]
        moment = np.zeros(3) if tree.prismatic[j] else mine @ normals(tree.axis[j])
        own[j, 0], own[j, 1:] = total - hung[j, 0], moment - hung[j, 1:]
        if tree.parent[j]:  # nothing is passed on: the moment is normal to a turning axis, and zero at a sliding joint
            hung[tree.parent[j] - 1, 0] += total
            hung[tree.parent[j] - 1, 1:] += total * tree.translation[j]
    return own


def moments(tree: Tree, bodies: Array) -> Array:
    """The numbers of a gravity model from the ten parameters of every body (root first).

    >>> robot = bf.Robot.load("pendulum")
    >>> bool(np.allclose(moments(robot.tree, robot.body_parameters), robot.body_parameters[1, 1:3]))
    True
    """
    mass = bodies[1:, 0].copy()
    r = bodies[1:, 1:4].copy()
    for j in reversed(range(tree.n_joints)):
        parent = tree.parent[j] - 1
        if parent < 0:
            continue
        passed = r[j] if tree.prismatic[j] else tree.axis[j] * (tree.axis[j] @ r[j])
        mass[parent] += mass[j]
        r[parent] += mass[j] * tree.translation[j] + tree.rotation[j] @ passed
    parts = [[mass[j]] if tree.prismatic[j] else normals(tree.axis[j]) @ r[j] for j in range(tree.n_joints)]
    return np.concatenate(parts) if parts else np.zeros(0)

"""A walker on one foot as a handful of constants. With the angles t of the links from the vertical

    D_jk = a_jk cos(t_j - t_k) - b_jk sin(t_j - t_k)          a_jk = sum_i m_i s_ji . s_ki,  b_jk = sum_i m_i s_ji x s_ki

where s_ji is what link j contributes, in its own frame, to the way from the foot to the centre of mass of link i: the way
through j to the next link if i hangs further out, the centre itself for i = j, nothing otherwise. Inertias of the links add
to the diagonal; first moments m_j = sum_i m_i s_ji serve gravity and the unpinned model. All of them are linear in the
links' parameters; for straight links b is zero and a, m are the beta of Dolinsky 2017, (3.81) and (4.56).

Nothing is written down per number of links. The constants come from the pinned Robot's tree, and a test compares with the
engine; the loops in `kernels` make a filter a thousand times faster than calls into it. Derivatives are exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics.tree import Array, Tree
from bifilar.errors import RobotError, ShapeError

if TYPE_CHECKING:
    from bifilar.robot.robot import Robot

Method = Literal["rk4", "euler"]
TERMS = ("viscous", "coulomb", "rotor_inertia")


class Slopes(NamedTuple):
    """A rate or the end of a stretch, and how it changes.

    >>> Slopes(np.zeros(2), np.eye(2), np.zeros((2, 1)), np.zeros(2)).state.shape
    (2, 2)
    """

    value: Array  # (2 n,)
    state: Array  # (2 n, 2 n) by the state
    torque: Array  # (2 n, p) by the torques of the joints, the pivot's first
    turn: Array  # (2 n,) by gravity turning about +y [1/rad]


@dataclass(frozen=True, eq=False)
class Planar:
    """Pinned dynamics of one foot. States (K, 2 n): angles of the links, their rates; torques (K or 1, n), the pivot's first.

    >>> from bifilar.walking.walker import Walker
    >>> Walker.load("walker3").planar(0).names
    ('link4', 'link3', 'link5')
    """

    names: tuple[str, ...]  # links, from the foot outwards
    parts: Array  # (3, n, n) a, b, and what rotors add
    moment: Array  # (n, 2) [kg m] x, z
    mass: float  # [kg]
    gravity: Array  # (2,) [m/s^2] x, z
    joint: Array  # (n, n) positions of the joints = joint @ angles - offset; the first row is the pivot
    offset: Array  # (n,)
    rub: Array  # (n, 2) viscous and Coulomb friction of the joints
    width: float  # [rad/s] of the smooth sign
    ways: Array  # (n, n, 2) ways[k, j]: what link j contributes to the way from the foot to where link k hangs

    def __len__(self) -> int:
        return len(self.names)

    @classmethod
    def of(cls, pinned: Robot, tilt: Array | None = None) -> Planar:
        """The constants of a pinned robot; `tilt` [rad] of the frames in which angles are counted, zero if left out.

        >>> from bifilar.walking.walker import Walker
        >>> bool(np.isclose(Planar.of(Walker.load("walker3").pinned(0)).mass, 2.003))
        True
        """
        return _constants(pinned, np.zeros(pinned.tree.n_joints) if tilt is None else tilt)

    @cached_property
    def _head(self) -> tuple[Any, ...]:
        plain = np.array([*self.gravity, self.width])
        return self.parts, self.moment, self.rub, self.joint, plain

    @cached_property
    def _work(self) -> Array:
        n = len(self)
        return np.zeros(n * n + 9 * n + 7 * n * (3 * n + 1))

    def rates(self, states: Array, torques: Array) -> Array:
        """d/dt of every state.

        >>> from bifilar.walking.walker import Walker
        >>> Walker.load("walker3").planar(0).rates(np.zeros((1, 6)), np.zeros((1, 3)))
        array([[0., 0., 0., 0., 0., 0.]])
        """
        from bifilar.walking.kernels import swing

        states, torques = self._arrays(states, torques)
        out = np.empty_like(states)
        swing.rates(*self._head, states, torques, self._work, out)
        return out

    def rate_slopes(self, state: Array, torque: Array) -> Slopes:
        """d/dt of one state with its derivatives.

        >>> from bifilar.walking.walker import Walker
        >>> Walker.load("walker3").planar(0).rate_slopes(np.zeros(6), np.zeros(3)).state[:3, 3:]
        array([[1., 0., 0.],
               [0., 1., 0.],
               [0., 0., 1.]])
        """
        from bifilar.walking.kernels import swing

        n = len(self)
        out, slope = np.empty(2 * n), np.empty((n, 3 * n + 1))
        swing.rate_slopes(*self._head, _vector(state), _vector(torque), self._work, out, slope)
        full = np.vstack([np.hstack([np.zeros((n, n)), np.eye(n), np.zeros((n, n + 1))]), slope])
        return Slopes(out, full[:, : 2 * n], full[:, 2 * n : 3 * n], full[:, 3 * n])

    def flow(self, states: Array, torques: Array, span: float, steps: int = 1, method: Method = "rk4") -> Array:
        """Every state a `span` [s] later, torque held.

        >>> from bifilar.walking.walker import Walker
        >>> Walker.load("walker3").planar(0).flow(np.zeros((2, 6)), np.zeros((1, 3)), 0.01).shape
        (2, 6)
        """
        from bifilar.walking.kernels import swing

        states, torques = self._arrays(states, torques)
        later = states.copy()
        swing.flow(*self._head, later, torques, span / steps, steps, int(method == "euler"), self._work)
        return later

    def flow_slopes(self, state: Array, torque: Array, span: float, steps: int = 1, method: Method = "rk4") -> Slopes:
        """One state a `span` [s] later, with the exact derivatives of these steps.

        >>> from bifilar.walking.walker import Walker
        >>> Walker.load("walker3").planar(0).flow_slopes(np.zeros(6), np.zeros(3), 0.0).state.trace()
        np.float64(6.0)
        """
        from bifilar.walking.kernels import swing

        n = len(self)
        later, change = _vector(state).copy(), np.empty((2 * n, 3 * n + 1))
        swing.flow_slopes(*self._head, later, _vector(torque), span / steps, steps, int(method == "euler"), self._work, change)
        return Slopes(later, change[:, : 2 * n], change[:, 2 * n : 3 * n], change[:, 3 * n])

    def mass_matrix(self, angles: Array) -> Array:
        """D, (n, n).

        >>> from bifilar.walking.walker import Walker
        >>> Walker.load("walker3").planar(0).mass_matrix(np.zeros(3)).shape
        (3, 3)
        """
        apart = angles[:, None] - angles
        return np.asarray(self.parts[0] * np.cos(apart) - self.parts[1] * np.sin(apart) + self.parts[2])

    def unpinned_matrix(self, angles: Array) -> Array:
        """D of the walker whose foot is free, (n + 2, n + 2): angles, then x and z of the foot.

        >>> from bifilar.walking.walker import Walker
        >>> Walker.load("walker3").planar(0).unpinned_matrix(np.zeros(3))[3:, 3:]
        array([[2.003, 0.   ],
               [0.   , 2.003]])
        """
        n = len(self)
        d = np.empty((n + 2, n + 2))
        d[:n, :n], d[n:, n:] = self.mass_matrix(angles), self.mass * np.eye(2)
        d[n:, :n] = turned(angles, self.moment).T
        d[:n, n:] = d[n:, :n].T
        return d

    def way(self, link: int, point: Array) -> Array:
        """What every link contributes to the way from the foot to a point (x, z) of a link, (n, 2).

        >>> from bifilar.walking.walker import Walker
        >>> Walker.load("walker3").planar(0).way(1, np.array([0.0, 0.1]))
        array([[0.   , 0.535],
               [0.   , 0.1  ],
               [0.   , 0.   ]])
        """
        whole = self.ways[link].copy()
        whole[link] += point
        return whole

    def energy(self, state: Array) -> float:
        """Kinetic and potential energy [J]; potential zero at the foot.

        >>> from bifilar.walking.walker import Walker
        >>> round(Walker.load("walker3").planar(0).energy(np.zeros(6)), 3)
        9.671
        """
        n = len(self)
        v = state[n:]
        height = placed(state[:n], self.moment).sum(axis=0)
        return float(0.5 * v @ self.mass_matrix(state[:n]) @ v - self.gravity @ height)

    def _arrays(self, states: Array, torques: Array) -> tuple[Array, Array]:
        states, torques = np.ascontiguousarray(states, dtype=float), np.ascontiguousarray(torques, dtype=float)
        n = len(self)
        if states.ndim != 2 or states.shape[1] != 2 * n or torques.ndim != 2 or torques.shape[1] != n:
            raise ShapeError("walker.shapes", shape=states.shape, shape_2=torques.shape, n=n, n_2=2 * n)
        return states, torques


def placed(angles: Array, vectors: Array) -> Array:
    """R(t) v of every link, (n, 2): vectors of link frames seen from the ground.

    >>> placed(np.array([np.pi / 2]), np.array([[0.0, 1.0]])).round(12)
    array([[1., 0.]])
    """
    s, c = np.sin(angles), np.cos(angles)
    return np.stack([c * vectors[:, 0] + s * vectors[:, 1], c * vectors[:, 1] - s * vectors[:, 0]], axis=-1)


def turned(angles: Array, vectors: Array) -> Array:
    """d/dt (R(t) v) of every link, (n, 2).

    >>> turned(np.zeros(1), np.array([[0.0, 1.0]])) + 0.0
    array([[1., 0.]])
    """
    return placed(angles, np.stack([vectors[:, 1], -vectors[:, 0]], axis=-1))


def _vector(values: Array) -> Array:
    return np.ascontiguousarray(values, dtype=float)


def _constants(pinned: Robot, tilt: Array) -> Planar:
    tree, n = pinned.tree, pinned.tree.n_joints
    signs, base = tree.axis[:, 1], np.array([_angle(r) for r in tree.rotation])
    parent = tree.parent - 1  # -1: the ground
    joint, offset = np.zeros((n, n)), np.zeros(n)
    for k in range(n):  # angle_k = angle_parent + base_k + sign_k q_k, angles counted from the tilted frames
        joint[k, k] = signs[k]
        offset[k] = signs[k] * (base[k] - tilt[k])
        if parent[k] >= 0:
            joint[k, parent[k]] = -signs[k]
            offset[k] += signs[k] * tilt[parent[k]]
    ways = _ways(tree, parent, tilt)
    phi = pinned.body_parameters[1:]
    first = np.stack([_turn(tilt[k], phi[k, [1, 3]]) for k in range(n)])
    parts = np.zeros((3, n, n))
    moment = np.zeros((n, 2))
    for i in range(n):  # s_ji = ways[i, j], and the centre of mass for j = i
        m, s, c = phi[i, 0], ways[i], first[i]
        parts[0] += m * s @ s.T
        parts[1] += m * _cross(s)
        parts[0, i] += s @ c
        parts[0, :, i] += s @ c
        side = s[:, 0] * c[1] - s[:, 1] * c[0]
        parts[1, :, i] += side
        parts[1, i] -= side
        parts[0, i, i] += phi[i, 6]
        moment += m * s
        moment[i] += c
    drive = dict(zip(pinned.drive_columns.names, pinned.drive_values))
    _known_terms(pinned, drive)
    rub = np.array([[drive.get(f"{name}.{word}", 0.0) for word in TERMS[:2]] for name in pinned.joint_names])
    rotor = np.array([drive.get(f"{name}.rotor_inertia", 0.0) for name in pinned.joint_names])
    parts[2] = joint.T @ np.diag(rotor) @ joint
    width = next((float(term.width) for term in pinned.friction if term.word == "coulomb"), 0.0)  # type: ignore[attr-defined]
    gravity = np.asarray(pinned.gravity)[[0, 2]]
    arrays = [np.ascontiguousarray(a) for a in (parts, moment, gravity, joint, offset, rub, ways)]
    for array in arrays:
        array.flags.writeable = False
    parts, moment, gravity, joint, offset, rub, ways = arrays
    return Planar(pinned.body_names[1:], parts, moment, float(phi[:, 0].sum()), gravity, joint, offset, rub, width, ways)


def _ways(tree: Tree, parent: NDArray[np.int64], tilt: Array) -> Array:
    n = tree.n_joints
    ways = np.zeros((n, n, 2))
    for k in range(n):
        p = int(parent[k])
        if p >= 0:
            ways[k] = ways[p]
            ways[k, p] += _turn(tilt[p], tree.translation[k][[0, 2]])
    return ways


def _known_terms(pinned: Robot, drive: dict[str, float]) -> None:
    strange = [name for name in drive if name.rpartition(".")[2] not in TERMS]
    if strange:
        raise RobotError("walker.friction", strange=strange[0])


def _angle(rotation: Array) -> float:
    return float(np.arctan2(rotation[0, 2], rotation[2, 2]))


def _turn(angle: float, vector: Array) -> Array:
    s, c = np.sin(angle), np.cos(angle)
    return np.array([c * vector[0] + s * vector[1], c * vector[1] - s * vector[0]])


def _cross(s: Array) -> Array:
    return np.outer(s[:, 0], s[:, 1]) - np.outer(s[:, 1], s[:, 0])

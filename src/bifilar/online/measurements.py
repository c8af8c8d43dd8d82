"""What is measured: rows of W with reading = W phi + noise, for the columns of all bodies and drives, the root's ten first.

    Torque              joint torques
    BaseWrench          force and moment on the base, in its frame about its origin
    WristSensor         force and moment that the arm applies to what lies beyond a frame, in that frame: only what is distal
    OperationalSpace    (J+)' torque, the force at a frame that belongs to the joint torques: Joukov et al. (15). It is an image
                        of the torques, not another sensor; near singular poses it does not exist: the sample is refused

Each has its own noise: one standard deviation, one per row, or a covariance. Several are stacked in the order given.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bifilar.dynamics import decompose
from bifilar.dynamics.engine import current
from bifilar.dynamics.state import fixed_root
from bifilar.errors import ShapeError
from bifilar.filters.belief import noise_matrix
from bifilar.robot.inertia import Array
from bifilar.robot.model_data import BASE_ROWS
from bifilar.robot.robot import Robot

WRENCH = ("fx", "fy", "fz", "mx", "my", "mz")
LENGTH = 0.3  # [m] that makes a turn comparable to a shift, where poses are called singular


class Rows(NamedTuple):
    """Rows of some samples.

    >>> Rows(np.zeros((2, 7, 80)), np.eye(7)[None], np.ones(2, bool)).matrix.shape
    (2, 7, 80)
    """

    matrix: Array  # (N, rows, columns)
    covariance: Array  # (N or 1, rows, rows) of the noise
    exists: NDArray[np.bool_]  # (N,)


@dataclass(frozen=True, eq=False, kw_only=True)
class Torque:
    """Joint torques [N m, N].

    >>> Torque(noise=0.1).row_names(bf.Robot.load("two_link"))
    ('joint1', 'joint2')
    """

    noise: ArrayLike = 0.1  # [N m, N] standard deviation, or one for each joint, or a covariance

    def row_names(self, robot: Robot) -> tuple[str, ...]:
        """Names of the rows.

        >>> Torque().row_names(bf.Robot.load("pendulum"))
        ('joint1',)
        """
        return robot.joint_names

    def rows(self, robot: Robot, q: Array, v: Array, a: Array) -> Rows:
        """W and noise.

        >>> one = np.zeros((1, 1))
        >>> Torque().rows(bf.Robot.load("pendulum"), one, one, one).matrix.shape
        (1, 1, 20)
        """
        return Rows(_all_rows(robot, q, v, a)[:, 6:], covariance_of(self.noise, len(robot.joint_names)), _always(q))

    def known(self, robot: Robot, values: Array) -> Array:
        """What it sees of the parameters that are taken as known, (columns,).

        >>> Torque().known(bf.Robot.load("pendulum"), np.ones(20)).sum()
        np.float64(20.0)
        """
        return values

    def sees(self, robot: Robot, link: str) -> bool:
        """Whether a link can appear in it.

        >>> Torque().sees(bf.Robot.load("pendulum"), "link1")
        True
        """
        return True


@dataclass(frozen=True, eq=False, kw_only=True)
class BaseWrench(Torque):
    """Force and moment on the base [N, N m].

    >>> BaseWrench(noise=1.0).row_names(bf.Robot.load("pendulum"))[0]
    'base.fx'
    """

    def row_names(self, robot: Robot) -> tuple[str, ...]:
        """Names of the rows.

        >>> len(BaseWrench().row_names(bf.Robot.load("pendulum")))
        6
        """
        return BASE_ROWS

    def rows(self, robot: Robot, q: Array, v: Array, a: Array) -> Rows:
        """W and noise.

        >>> one = np.zeros((1, 1))
        >>> BaseWrench().rows(bf.Robot.load("pendulum"), one, one, one).matrix.shape
        (1, 6, 20)
        """
        return Rows(_all_rows(robot, q, v, a)[:, :6], covariance_of(self.noise, 6), _always(q))


@dataclass(frozen=True, eq=False, kw_only=True)
class WristSensor(Torque):
    """Force and moment at a frame, on what lies beyond it [N, N m].

    >>> WristSensor(link="tip").sees(bf.Robot.load("two_link"), "link1")
    False
    """

    link: str

    def row_names(self, robot: Robot) -> tuple[str, ...]:
        """Names of the rows.

        >>> WristSensor(link="tip").row_names(bf.Robot.load("two_link"))[0]
        'tip.fx'
        """
        return tuple(f"{self.link}.{word}" for word in WRENCH)

    def rows(self, robot: Robot, q: Array, v: Array, a: Array) -> Rows:
        """W and noise.

        >>> one = np.zeros((1, 2))
        >>> WristSensor(link="tip").rows(bf.Robot.load("two_link"), one, one, one).matrix[0, :, :20].any()
        np.False_
        """
        base = _all_rows(robot, q, v, a)[:, :6]
        rotation, translation = frame_of(robot, self.link, q)
        force = np.einsum("nji,njc->nic", rotation, base[:, :3])
        moment = base[:, 3:] - np.cross(translation[:, None, :], base[:, :3].swapaxes(1, 2)).swapaxes(1, 2)
        matrix = np.concatenate([force, np.einsum("nji,njc->nic", rotation, moment)], axis=1)
        first, _ = robot._frame(self.link)
        seen = {first, *_beyond(robot, first)}
        for body in range(len(robot.body_names)):
            if body not in seen:
                matrix[:, :, 10 * body : 10 * body + 10] = 0.0
        matrix[:, :, 10 * len(robot.body_names) :] = 0.0
        return Rows(matrix, covariance_of(self.noise, 6), _always(q))

    def known(self, robot: Robot, values: Array) -> Array:
        """Of the body that carries the sensor only the links beyond it.

        >>> robot = bf.Robot.load("two_link")
        >>> WristSensor(link="tip").known(robot, robot.parameters("both").values)[20]
        np.float64(0.0)
        """
        body, _ = robot._frame(self.link)
        out = values.copy()
        if not out[10 * body : 10 * body + 10].any():
            return out  # it is being estimated as a whole
        places = robot.link_map()
        parts = [
            places[link].matrix @ robot.link(link).inertia.vector for link in self._distal(robot) if places[link].body == body
        ]
        out[10 * body : 10 * body + 10] = np.sum(parts, axis=0) if parts else 0.0
        return out

    def sees(self, robot: Robot, link: str) -> bool:
        """Whether a link lies beyond the sensor.

        >>> WristSensor(link="link2").sees(bf.Robot.load("two_link"), "tip")
        True
        """
        return link in self._distal(robot)

    def _distal(self, robot: Robot) -> set[str]:
        robot.link(self.link)  # refuses an unknown name
        found, more = {self.link}, True
        while more:
            children = {joint.child for joint in robot.joints if joint.parent in found} - found
            found, more = found | children, bool(children)
        return found


@dataclass(frozen=True, eq=False, kw_only=True)
class OperationalSpace(Torque):
    """Force and moment at a frame that belong to the joint torques [N, N m], axes of the root; `noise` is that of the torques.

    >>> OperationalSpace(link="tip").row_names(bf.Robot.load("two_link"))[0]
    'tip.fx'
    """

    link: str
    smallest: float = 0.05  # singular value of the Jacobian [m/rad, turns times 0.3 m] below which the pose is singular

    def row_names(self, robot: Robot) -> tuple[str, ...]:
        """Names of the rows.

        >>> len(OperationalSpace(link="tip").row_names(bf.Robot.load("two_link")))
        6
        """
        return tuple(f"{self.link}.{word}" for word in WRENCH)

    def rows(self, robot: Robot, q: Array, v: Array, a: Array) -> Rows:
        """W and noise; poses near a singular one do not exist here.

        >>> one = np.zeros((1, 2))
        >>> OperationalSpace(link="tip").rows(bf.Robot.load("two_link"), one, one, one).exists
        array([False])
        """
        image, exists = self.image(robot, q)
        torque = covariance_of(self.noise, len(robot.joint_names))
        covariance = image @ torque @ image.swapaxes(1, 2)
        return Rows(image @ _all_rows(robot, q, v, a)[:, 6:], covariance, exists)

    def image(self, robot: Robot, q: Array) -> tuple[Array, NDArray[np.bool_]]:
        """The matrix (J+)', (N, 6, joints), and whether it exists.

        >>> OperationalSpace(link="tip").image(bf.Robot.load("two_link"), np.zeros((1, 2)))[0].shape
        (1, 6, 2)
        """
        body, pose = robot._frame(self.link)
        jacobian = current().jacobian(robot.tree, q, body, np.array(pose.translation))[:, :, 6:]
        scale = np.array([1.0, 1.0, 1.0, LENGTH, LENGTH, LENGTH])[:, None]
        sizes = decompose.svd(jacobian * scale, compute_uv=False)
        exists = (sizes.min(axis=1) > self.smallest) & (jacobian.shape[2] >= 6)
        safe = np.where(exists[:, None, None], jacobian, 0.0)
        return decompose.pinv(safe).swapaxes(1, 2), exists


Measurement = Torque | BaseWrench | WristSensor | OperationalSpace


def covariance_of(noise: ArrayLike, rows: int) -> Array:
    """(1, rows, rows) from one standard deviation, one per row, or a covariance matrix.

    >>> covariance_of([1.0, 2.0], 2)[0]
    array([[1., 0.],
           [0., 4.]])
    """
    try:
        given = np.asarray(noise, dtype=float)
    except (TypeError, ValueError):
        raise ShapeError("not_numbers/measurements", noise=noise) from None
    if not np.isfinite(given).all() or np.any((np.diag(given) if given.ndim == 2 else given) <= 0):
        raise ShapeError("noise.not_positive/measurements", smallest=given.min() if given.size else "nothing")
    if given.ndim == 1 and len(given) != rows:
        raise ShapeError("noise.count", given_count=len(given), rows=rows)
    return noise_matrix(given**2 if given.ndim < 2 else given, rows)[None]


def frame_of(robot: Robot, link: str, q: Array) -> tuple[Array, Array]:
    """root_from_link: rotation (N, 3, 3) and translation (N, 3).

    >>> frame_of(bf.Robot.load("two_link"), "tip", np.zeros((1, 2)))[1].shape
    (1, 3)
    """
    body, pose = robot._frame(link)
    rotation, translation = current().poses(robot.tree, q)
    return rotation[:, body] @ pose.rotation, translation[:, body] + rotation[:, body] @ pose.translation


def _all_rows(robot: Robot, q: Array, v: Array, a: Array) -> Array:
    columns = robot.drive_columns.columns
    return np.asarray(current().regressor(robot.tree, q, v, a, fixed_root(robot.tree.gravity), "both", columns, None))


def _always(q: Array) -> NDArray[np.bool_]:
    return np.ones(len(q), dtype=bool)


def _beyond(robot: Robot, body: int) -> set[int]:
    found: set[int] = set()
    for k in range(robot.tree.n_joints):
        if int(robot.tree.parent[k]) == body or int(robot.tree.parent[k]) in found:
            found.add(k + 1)
    return found

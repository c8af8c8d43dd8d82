"""Ellipsoids that a link's mass must lie in.

Mass inside {x : (x - c)' A (x - c) <= 1} has  tr(J Q) = integral of (1 - (x - c)' A (x - c)) dm >= 0  with

    Q = [[-A, A c], [c' A, 1 - c' A c]]

one linear inequality per body (Wensing, Kim and Slotine 2018). The smallest ellipsoid around points is found by Khachiyan's
method; a link's shapes enter through the capsules around them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from bifilar.dynamics import decompose
from bifilar.dynamics.tree import Array
from bifilar.errors import RobotError
from bifilar.estimate.bodies import traces
from bifilar.robot.capsules import capsules
from bifilar.robot.robot import Robot


@dataclass(frozen=True, eq=False)
class Ellipsoid:
    """All points x with (x - center)' shape (x - center) <= 1, in a link's frame.

    >>> bf.Ellipsoid.of_axes([0, 0, 0.1], [0.1, 0.1, 0.2]).row()[0]
    np.float64(0.75)
    """

    center: Array  # [m]
    shape: Array  # (3, 3) positive definite [1/m^2]

    def __post_init__(self) -> None:
        center, shape = np.array(self.center, dtype=float), np.array(self.shape, dtype=float)
        definite = shape.shape == (3, 3) and np.isfinite(shape).all() and decompose.eigvalsh(shape)[0] > 0
        if center.shape != (3,) or not np.isfinite(center).all() or not definite:
            raise RobotError("ellipsoid.form")
        object.__setattr__(self, "center", center)
        object.__setattr__(self, "shape", shape)

    @classmethod
    def of_axes(cls, center: ArrayLike, half_axes: ArrayLike, rotation: ArrayLike | None = None) -> Ellipsoid:
        """From its centre and half axes [m]; `rotation` holds the axes' directions in its columns.

        >>> bf.Ellipsoid.of_axes([0, 0, 0], [1, 1, 2]).shape[2, 2]
        np.float64(0.25)
        """
        turn = np.eye(3) if rotation is None else np.asarray(rotation, dtype=float)
        with np.errstate(divide="ignore"):
            inverse = 1.0 / np.asarray(half_axes, dtype=float) ** 2
        return cls(np.asarray(center, dtype=float), turn @ np.diag(inverse) @ turn.T)

    @classmethod
    def around(cls, points: ArrayLike, margin: float = 0.0) -> Ellipsoid:
        """The smallest one around points, (count, 3) [m]; `margin` makes its axes longer by that share.

        >>> corners = [[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
        >>> bf.Ellipsoid.around(corners).shape[0, 0].round(3)
        np.float64(0.333)
        """
        x = np.asarray(points, dtype=float).reshape(-1, 3)
        lifted = np.column_stack([x, np.ones(len(x))])
        u = np.full(len(x), 1.0 / len(x))
        for _ in range(2000):
            inverse = decompose.pinv(lifted.T @ (u[:, None] * lifted))
            far = np.einsum("ia,ab,ib->i", lifted, inverse, lifted)
            k = int(np.argmax(far))
            if far[k] <= 4.0 * (1 + 1e-5):
                break
            step = (far[k] - 4.0) / (4.0 * (far[k] - 1.0))
            u = (1 - step) * u
            u[k] += step
        center = u @ x
        spread = (x - center).T @ (u[:, None] * (x - center))
        spread = spread + 1e-8 * max(float(np.trace(spread)), 1e-12) * np.eye(3)
        shape = np.linalg.inv(spread) / 3.0
        reach = np.max(np.einsum("ia,ab,ib->i", x - center, shape, x - center))
        return cls(center, shape / max(reach, 1e-12) / (1 + margin) ** 2)

    def row(self) -> Array:
        """tr(J Q) as a row on the ten numbers: the mass lies inside only if row @ ten >= 0.

        >>> ball = bf.Inertia.from_center_of_mass(1.0, [0, 0, 3.0], 0.01 * np.eye(3))
        >>> bool(bf.Ellipsoid.of_axes([0, 0, 0], [1, 1, 1]).row() @ ball.vector >= 0)
        False
        """
        pull = self.shape @ self.center
        q = np.block([[-self.shape, pull[:, None]], [pull[None, :], np.array([[1.0 - self.center @ pull]])]])
        return traces(q)


def described_ellipsoids(robot: Robot, margin: float = 0.1) -> dict[str, Ellipsoid]:
    """One around the shapes of every body that has some, fixed links included, in the body's frame, by the body's name.

    >>> from bifilar.estimate.ellipsoids import described_ellipsoids
    >>> sorted(described_ellipsoids(bf.Robot.load("two_link")))
    ['link1', 'link2']
    """
    parts = robot.assembly
    places = {link.name: (body, pose) for link, body, pose in zip(robot.links, parts.link_body, parts.link_pose, strict=True)}
    clouds: dict[int, list[Array]] = {}
    ball = _sphere()
    for capsule in capsules(robot, skip_missing=True):
        if capsule.link not in places:
            continue
        body, pose = places[capsule.link]
        for end in (capsule.start, capsule.end):
            clouds.setdefault(body, []).append((end + capsule.radius * ball) @ pose.rotation.T + pose.translation)
    return {robot.body_names[body]: Ellipsoid.around(np.vstack(cloud), margin) for body, cloud in clouds.items()}


def _sphere() -> Array:
    """Points whose hull contains the unit ball."""
    steps = np.array(
        [[x, y, z] for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1) if (x, y, z) != (0, 0, 0)], dtype=float
    )
    return 1.08 * steps / np.linalg.norm(steps, axis=1, keepdims=True)

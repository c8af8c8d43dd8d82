"""Where the links are and how they move: poses, Jacobians, momentum, energy.

Poses and Jacobians are in the root frame (which is the world frame of a robot on a fixed base); poses of a floating robot
are in the world when its base motion is given.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from bifilar.dynamics.engine import current
from bifilar.dynamics.state import BaseMotion, numbers, squeezed, states
from bifilar.dynamics.tree import Array
from bifilar.errors import RobotError, ShapeError, near_names
from bifilar.robot.description import Pose
from bifilar.robot.model_data import ModelData


class Motion(ModelData):
    """Geometry, momentum and energy of a model.

    >>> bf.Robot.load("pendulum").pose("link1", [0.0])[1].shape
    (3,)
    """

    @property
    def frame_names(self) -> tuple[str, ...]:
        """Frames that can be asked for: the bodies of a model, every link of a robot.

        >>> bf.Robot.load("pendulum").frame_names[0]
        'link0'
        """
        return self.body_names

    def _frame(self, name: str) -> tuple[int, Pose]:
        """Body and body_from_frame of a frame."""
        if name not in self.body_names:
            raise RobotError(
                "link.unknown/model_motion", links=self.body_names, name=name, near=near_names(name, self.body_names)
            )
        return self.body_names.index(name), Pose()

    def pose(self, link: str, position: ArrayLike, *, base: BaseMotion | None = None) -> tuple[Array, Array]:
        """Rotation (N, 3, 3) and translation (N, 3) of a link: root_from_link, world_from_link if `base` is given.

        >>> rotation, translation = bf.Robot.load("pendulum").pose("link1", [[0.0], [0.5]])
        >>> rotation.shape, translation.shape
        ((2, 3, 3), (2, 3))
        """
        rotation, translation = self.poses(position, (link,), base=base)
        return rotation[..., 0, :, :], translation[..., 0, :]

    def poses(
        self, position: ArrayLike, links: tuple[str, ...] | None = None, *, base: BaseMotion | None = None
    ) -> tuple[Array, Array]:
        """Rotations (N, links, 3, 3) and translations (N, links, 3) of some links, all of `frame_names` if left out.

        >>> bf.Robot.load("pendulum").poses([[0.0]])[0].shape[1] == len(bf.Robot.load("pendulum").frame_names)
        True
        """
        (q,), single = states(self.joint_names, position=position)
        frames = [self._frame(name) for name in (self.frame_names if links is None else links)]
        rotation, translation = current().poses(self.tree, q)
        bodies = [body for body, _ in frames]
        fixed_rotation = np.array([pose.rotation for _, pose in frames]).reshape(-1, 3, 3)
        fixed_translation = np.array([pose.translation for _, pose in frames]).reshape(-1, 3)
        translation = translation[:, bodies] + np.einsum("nlij,lj->nli", rotation[:, bodies], fixed_translation)
        rotation = rotation[:, bodies] @ fixed_rotation
        if base is not None:
            self._root(base, len(q))
            translation = np.einsum("nij,nlj->nli", base.rotation, translation) + base.pose[:, None, :3]
            rotation = base.rotation[:, None] @ rotation
        return squeezed(rotation, single), squeezed(translation, single)

    def jacobian(self, link: str, position: ArrayLike, point: ArrayLike = (0.0, 0.0, 0.0)) -> Array:
        """Linear then angular velocity of a point of a link per unit joint velocity, axes of the root frame, (N, 6, joints).

        `point` is in the link's frame [m]. For a floating robot six columns come first: per unit linear and angular
        velocity of the base, in the base frame.

        >>> bf.Robot.load("pendulum").jacobian("link1", [0.0], point=[0.0, 0.0, -1.0]).shape
        (6, 1)
        """
        (q,), single = states(self.joint_names, position=position)
        at = numbers("point", point)
        if at.shape != (3,) or not np.isfinite(at).all():
            raise ShapeError("point.form/model_motion", point=point)
        body, pose = self._frame(link)
        result = current().jacobian(self.tree, q, body, pose.rotation @ at + pose.translation)
        return squeezed(result if self.tree.floating else result[:, :, 6:], single)

    def momentum_regressor(self, position: ArrayLike, velocity: ArrayLike, *, base: BaseMotion | None = None) -> Array:
        """Linear and angular momentum (about the root's origin, root axes) per parameter of `parameters("both")`, (N, 6, c).

        >>> robot = bf.Robot.load("pendulum")
        >>> robot.momentum_regressor([0.0], [1.0]).shape == (6, len(robot.parameters("both")))
        True
        """
        (q, v), _, single = self._states(base, position=position, velocity=velocity)
        inertial = current().momentum_regressor(self.tree, q, v, self._twist(base))
        drive = np.zeros((len(q), 6, len(self.drive_values)))  # reflected rotors are seen by their joint alone
        return squeezed(np.concatenate([inertial, drive], axis=2), single)

    def energy_regressor(
        self, position: ArrayLike, velocity: ArrayLike, *, base: BaseMotion | None = None
    ) -> tuple[Array, Array]:
        """Kinetic and potential energy per parameter of `parameters("both")`, each (N, c); zero height is the world's origin.

        >>> robot = bf.Robot.load("pendulum")
        >>> robot.energy_regressor([0.0], [1.0])[0].shape == (len(robot.parameters("both")),)
        True
        """
        (q, v), _, single = self._states(base, position=position, velocity=velocity)
        down = self.tree.gravity[None] if base is None else base.gravity(self.tree.gravity)
        kinetic, potential = current().energy_regressor(self.tree, q, v, self._twist(base), np.ascontiguousarray(down))
        if base is not None:
            potential[:, ::10] -= (base.pose[:, :3] @ self.tree.gravity)[:, None]
        columns = self.drive_columns.columns
        spin = np.where(columns.is_inertia, 0.5 * (v @ columns.drive.T) ** 2, 0.0)
        kinetic, potential = np.hstack([kinetic, spin]), np.hstack([potential, np.zeros_like(spin)])
        return squeezed(kinetic, single), squeezed(potential, single)

    def kinetic_energy(self, position: ArrayLike, velocity: ArrayLike, *, base: BaseMotion | None = None) -> Array:
        """Kinetic energy [J], rotors included, (N,).

        >>> bf.Robot.load("pendulum").kinetic_energy([[0.0]], [[0.0]])
        array([0.])
        """
        return self.energy_regressor(position, velocity, base=base)[0] @ self.parameters("both").values

    def potential_energy(self, position: ArrayLike, *, base: BaseMotion | None = None) -> Array:
        """Potential energy [J], zero for a mass at the world's origin, (N,).

        >>> robot = bf.Robot.load("pendulum")
        >>> bool(robot.potential_energy([np.pi]) != robot.potential_energy([0.0]))
        True
        """
        at_rest = np.zeros_like(numbers("position", position))
        return self.energy_regressor(position, at_rest, base=base)[1] @ self.parameters("both").values

    def _twist(self, base: BaseMotion | None) -> Array:
        return np.zeros((1, 6)) if base is None else base.twist

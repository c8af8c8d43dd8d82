"""Equations of a machine that stands on the ground, without the forces of the ground.

    Y(motion) phi = (0, torque) + J' force          6 rows of the base, then the joints; J: the feet that touch
    P Y phi = P (0, torque),    P = 1 - J^+ J       whatever the forces are: they lie in the range of J', which P takes away

A foot is a ball around its link's frame: it touches the ground `sole` below the frame, along the ground's normal. No force is
measured, no friction of the ground assumed. Rows keep their names; each touching foot takes the rank of three away.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bifilar.dynamics import decompose
from bifilar.dynamics.state import BaseMotion, states
from bifilar.dynamics.tree import Array
from bifilar.errors import RecordingError, RobotError, ShapeError, near_names
from bifilar.recording.recording import Recording
from bifilar.robot.model import Model

RANK = 1e-8  # of the largest singular value of a foot's Jacobian
UP = (0.0, 0.0, 1.0)


@dataclass(frozen=True, eq=False, kw_only=True)
class GroundMotion:
    """Motion of a floating machine, the torques of its joints, and which feet touch the ground.

    >>> two = GroundMotion(
    ...     position=np.zeros((2, 1)), velocity=np.zeros((2, 1)), acceleration=np.zeros((2, 1)), torque=np.zeros((2, 1)),
    ...     base=bf.BaseMotion(), contact=np.ones((2, 1)), feet=("foot",))
    >>> two.touches.all()
    np.True_
    """

    position: Array  # (N, joints)
    velocity: Array
    acceleration: Array
    torque: Array  # (N, joints) [N m]
    base: BaseMotion
    contact: Array  # (N, feet) 1 where a foot touches
    feet: tuple[str, ...]  # their links
    normal: tuple[float, float, float] = UP  # of the ground, in the world

    def __post_init__(self) -> None:
        count = len(self.position)
        if np.shape(self.contact) != (count, len(self.feet)):
            raise ShapeError("contacts.shape", shape=np.shape(self.contact), count=count, feet_count=len(self.feet))
        if not np.isfinite(self.contact).all():
            raise ShapeError("contacts.not_finite")

    @property
    def touches(self) -> NDArray[np.bool_]:
        """(N, feet)."""
        return np.asarray(self.contact) > 0.5

    def part(self, chosen: slice) -> GroundMotion:
        """Some samples in a row."""
        own = [np.asarray(x)[chosen] for x in (self.position, self.velocity, self.acceleration, self.torque)]
        base = self.base
        if base.samples > 1:
            base = BaseMotion(base.pose[chosen], base.twist[chosen], base.acceleration[chosen])
        names = ("position", "velocity", "acceleration", "torque")
        known = dict(zip(names, own, strict=True))
        return GroundMotion(base=base, contact=self.contact[chosen], feet=self.feet, normal=self.normal, **known)


def ground_motion(recording: Recording, feet: Sequence[str], *, spatial: bool = False) -> GroundMotion:
    """From a recording with the channels base_pose, base_twist, base_twist_rate and contact beside those of the joints.

    Twist and its rate are linear, then angular, in the base frame. `spatial`: the rate is the plain derivative of the twist's
    numbers (Pinocchio's acceleration); otherwise it is the classical acceleration of the base's origin.

    >>> joints = dict.fromkeys(("position", "velocity", "acceleration", "torque"), np.zeros((3, 2)))
    >>> recording = bf.Recording(time=np.arange(3) / 100, joint_names=("hip", "knee"), channels=joints)
    >>> ground_motion(recording, ["foot"])
    Traceback (most recent call last):
    bifilar.errors.RecordingError: the recording has no base_pose...
    """
    wanted = ("base_pose", "base_twist", "base_twist_rate", "contact", "position", "velocity", "acceleration", "torque")
    missing = [name for name in wanted if name not in recording.channels]
    if missing:
        raise RecordingError("recording.channel_missing", has=recording.channels, missing=missing[0])
    pose, twist, rate, contact, *motion, torque = (np.array(recording.channels[name].values) for name in wanted)
    pose[:, 3:] /= np.linalg.norm(pose[:, 3:], axis=1, keepdims=True)
    if spatial:
        rate[:, :3] += np.cross(twist[:, 3:], twist[:, :3])
    return GroundMotion(
        position=motion[0],
        velocity=motion[1],
        acceleration=motion[2],
        torque=torque,
        base=BaseMotion(pose, twist, rate),
        contact=contact,
        feet=tuple(feet),
    )


def contact_projection(model: Model, motion: GroundMotion, sole: float = 0.0) -> Array:
    """P of every sample, (N, 6 + joints, 6 + joints): a projection that no force at the touching points survives."""
    if not model.is_floating:
        raise RobotError("robot.fixed_base")
    unknown = [foot for foot in motion.feet if foot not in model.frame_names]
    if unknown:
        raise RobotError("link.unknown/ground", unknown=unknown[0], near=near_names(unknown[0], model.frame_names))
    (q,), _ = states(model.joint_names, position=motion.position)
    down = -sole * np.broadcast_to(motion.base.gravity(motion.normal), (len(q), 3))
    width = 6 + len(model.joint_names)
    rows = np.zeros((len(q), 3 * len(motion.feet), width))
    for k, foot in enumerate(motion.feet):
        jacobian = model.jacobian(foot, q)
        point = jacobian[:, :3] + np.cross(jacobian[:, 3:], down[:, :, None], axis=1)
        rows[:, 3 * k : 3 * k + 3] = point * motion.touches[:, k, None, None]
    _, size, right = decompose.svd(rows, full_matrices=False)
    right = right * (size > RANK * size[:, :1].clip(min=1e-300))[:, :, None]
    return np.eye(width) - np.swapaxes(right, 1, 2) @ right


def contact_free_rows(model: Model, motion: GroundMotion, sole: float = 0.0) -> tuple[Array, Array]:
    """P Y and P (0, torque), (N, 6 + joints, columns) and (N, 6 + joints); columns are those of the model's rows "both"."""
    keep = contact_projection(model, motion, sole)
    Y = model.regressor(motion.position, motion.velocity, motion.acceleration, base=motion.base, rows="both")
    right = np.hstack([np.zeros((len(Y), 6)), np.asarray(motion.torque)])
    return keep @ Y, np.einsum("nij,nj->ni", keep, right)


def touching(contact: ArrayLike) -> dict[int, int]:
    """How many samples have how many feet on the ground.

    >>> touching([[1, 1], [1, 0], [1, 1]])
    {1: 1, 2: 2}
    """
    counts = (np.asarray(contact) > 0.5).sum(axis=1)
    return {int(k): int((counts == k).sum()) for k in np.unique(counts)}

"""What the sensors make of the truth: encoder counts, noise, offset, delay, an unsteady clock, lost samples.

    position = count * round((truth + noise) / count)
    torque   = step * round(clip(truth(t - delay) + offset + noise, range) / step)
    stamp    = t + jitter

Every imperfection draws from a random stream of its own, so that switching one off leaves the others as they were.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics.tree import Array
from bifilar.errors import Remedy, RobotError, ShapeError
from bifilar.recording.recording import Truth
from bifilar.robot.limits_file import EFFORT

NO_EFFORT = Remedy(
    "or give N m: Sensors(torque_unit='N m', ...)",
    cli=f"or {EFFORT}, or --noise none",
    lead="state the limits in the robot's file, ",
)

LARGEST_JITTER = 0.45  # of a sample's duration: stamps keep their order


class Reading(NamedTuple):
    """What arrives in the log.

    >>> Reading(np.zeros(1), np.zeros((1, 1)), None, np.zeros((1, 1)), np.arange(1)).velocity is None
    True
    """

    time: Array  # (N,) stamps
    position: Array
    velocity: Array | None
    torque: Array
    kept: NDArray[np.int64]  # (N,) which samples of the truth these are


@dataclass(frozen=True, kw_only=True)
class Sensors:
    """Imperfections of the measurement; each is off at its default.

    >>> Sensors(position_noise=1e-4).torque_noise
    0.0
    """

    position_step: float = 0.0  # [rad] or [m] of one encoder count (2 pi / counts per turn)
    position_noise: float = 0.0  # [rad] or [m] standard deviation
    velocity: bool = True  # whether velocities are recorded
    velocity_noise: float = 0.0  # [rad/s] or [m/s] standard deviation
    torque_unit: Literal["N m", "limit"] = "N m"  # what the next four are counted in: N m (or N), or shares of the effort limit
    torque_noise: float | tuple[float, ...] = 0.0  # standard deviation, for all joints or one for each
    torque_offset: float | tuple[float, ...] = 0.0  # constant error, for all joints or one for each
    torque_step: float | tuple[float, ...] = 0.0  # resolution
    torque_range: float | tuple[float, ...] = np.inf  # readings saturate there
    delay: float = 0.0  # [s] by which torques arrive later than positions
    clock_jitter: float = 0.0  # [s] standard deviation of the stamps; cut off at 0.45 of a sample's duration
    dropped: float = 0.0  # share of the samples that are lost

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name in ("velocity", "torque_unit"):
                continue
            if not np.isscalar(value):
                value = tuple(float(x) for x in value)
                object.__setattr__(self, field.name, value)
            endless = field.name == "torque_range"
            numbers = np.asarray(value, dtype=float)
            signed = field.name == "torque_offset"
            if np.isnan(numbers).any() or (np.isinf(numbers).any() and not endless) or (np.any(numbers < 0) and not signed):
                raise ShapeError(
                    "sensors.setting/sensors", name=field.name, value=value, words="" if signed else " and not negative"
                )
        if self.torque_unit not in ("N m", "limit"):
            raise ShapeError("sensors.unit_unknown", torque_unit=self.torque_unit)
        if self.dropped >= 1:
            raise ShapeError("sensors.dropped", dropped=self.dropped)

    @classmethod
    def perfect(cls) -> Sensors:
        """The truth itself.

        >>> Sensors.perfect() == Sensors()
        True
        """
        return cls()

    @classmethod
    def realistic(cls) -> Sensors:
        """A decent industrial arm: 17-bit encoders, torque from current to half a percent of the limit, one sample late.

        >>> Sensors.realistic().torque_unit
        'limit'
        """
        return cls(
            position_step=2 * np.pi / 2**17,
            position_noise=1e-5,
            velocity_noise=2e-3,
            torque_unit="limit",
            torque_noise=0.005,
            torque_offset=0.002,
            torque_step=2.0**-12,
            torque_range=1.0,
            delay=1e-3,
            clock_jitter=2e-5,
            dropped=1e-3,
        )

    def encoder_noise(self, shape: tuple[int, int], seed: int) -> Array:
        """Error of the positions before they are counted, (samples, joints).

        >>> Sensors(position_noise=1e-3).encoder_noise((2, 1), seed=0).shape
        (2, 1)
        """
        return self.position_noise * np.random.default_rng([seed, 0]).standard_normal(shape)

    def read(
        self, truth: Truth, joint_names: tuple[str, ...], effort: Array, seed: int, position: Array | None = None
    ) -> Reading:
        """What is logged of evenly sampled truth; `effort` are the joints' limits [N m]. The same seed reads the same.

        `position`: readings of the encoders that were taken already, by a loop that needed them.

        >>> still = np.zeros((4, 1))
        >>> truth = Truth(time=np.arange(4.0), position=still + 0.26, velocity=still, acceleration=still, torque=still)
        >>> Sensors(position_step=0.1).read(truth, ("hip",), np.ones(1), seed=0).position[0]
        array([0.3])
        """
        streams = [np.random.default_rng([seed, k]) for k in range(5)]
        shape = truth.position.shape
        if position is None:
            exact = truth.position if truth.motor_position is None else truth.motor_position
            position = _rounded(exact + self.encoder_noise(shape, seed), self.position_step)
        speed = truth.velocity if truth.motor_velocity is None else truth.motor_velocity
        velocity = speed + self.velocity_noise * streams[1].standard_normal(shape) if self.velocity else None
        torque = self._torque(truth, joint_names, effort, streams[2])
        time = truth.time + self._jitter(truth.time, streams[3])
        kept = np.flatnonzero(streams[4].random(len(time)) >= self.dropped)
        return Reading(time[kept], position[kept], None if velocity is None else velocity[kept], torque[kept], kept)

    def _torque(self, truth: Truth, joint_names: tuple[str, ...], effort: Array, stream: np.random.Generator) -> Array:
        noise, offset, step, bound = (
            self._per_joint(name, joint_names, effort)
            for name in ("torque_noise", "torque_offset", "torque_step", "torque_range")
        )
        late = truth.torque
        if self.delay:  # before the beginning the first torque was held
            late = np.column_stack([np.interp(truth.time - self.delay, truth.time, column) for column in truth.torque.T])
        noisy = late + offset + noise * stream.standard_normal(late.shape)
        return _rounded(np.clip(noisy, -bound, bound), step)

    def _per_joint(self, name: str, joint_names: tuple[str, ...], effort: Array) -> Array:
        """A torque setting in N m, one for each joint."""
        value = np.asarray(getattr(self, name), dtype=float)
        if value.ndim and value.shape != effort.shape:
            raise ShapeError("sensors.count", joints=joint_names, name=name, size=value.size, effort_count=len(effort))
        value = np.broadcast_to(value, effort.shape)
        if self.torque_unit == "N m":
            return value
        unlimited = [
            joint for joint, limit, x in zip(joint_names, effort, value) if not np.isfinite(limit) and 0 < abs(x) < np.inf
        ]
        if unlimited:
            raise RobotError("limits.effort_missing/sensors", name=name, unlimited=unlimited)
        return value * np.where(np.isfinite(effort), effort, 1.0)  # 1: of joints without a limit only 0 and infinity are left

    def _jitter(self, time: Array, stream: np.random.Generator) -> Array:
        drawn = self.clock_jitter * stream.standard_normal(len(time))
        most = LARGEST_JITTER * (time[1] - time[0]) if len(time) > 1 else np.inf
        return np.clip(drawn, -most, most)


def _rounded(value: Array, step: float | Array) -> Array:
    """To whole steps; untouched where the step is zero."""
    width = np.where(np.asarray(step) > 0, step, 1.0)
    return np.where(np.asarray(step) > 0, width * np.round(value / width), value)

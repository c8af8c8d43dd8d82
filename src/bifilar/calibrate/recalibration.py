"""Torque sensors followed while the arm works: gain and offset drift, with the gravity model as the known load.

    reading = gain * gravity torque(q) + offset + noise

Each joint has a Kalman filter of two states that wander and are pulled back to nominal (an Ornstein-Uhlenbeck process): their
variance cannot grow beyond the stated spread, so hours of standstill do no harm. Samples are used only while the joint's arm is
slow. An alarm says that a sensor left its tolerance; the chance of a false one per run is stated (Bonferroni over joints, both
numbers, and the independent looks that a run of that length allows).
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bifilar.dynamics.state import states
from bifilar.dynamics.tree import Array
from bifilar.errors import Finding, Place, RecordingError, ShapeError
from bifilar.estimate.gravity_model import GravityModel
from bifilar.recording.findings import Findings


@dataclass(frozen=True, kw_only=True)
class SensorWatch:
    """How closely sensors are watched.

    >>> SensorWatch().memory
    600.0
    """

    memory: float = 600.0  # [s] after which a sensor's error is a new one
    gain_spread: float = 0.1  # standard deviation of gains, looked at rarely
    offset_spread: float = 1.0  # [N m] the same of offsets
    slow: float = 0.2  # [rad/s] faster samples are left out
    gain_tolerance: float = 0.03  # a gain further from one is reported
    offset_tolerance: float = 0.5  # [N m] an offset further from zero is reported
    false_alarms: float = 0.01  # chance per run that a sensor inside its tolerance is reported

    def __post_init__(self) -> None:
        positive = (self.memory, self.gain_spread, self.offset_spread)
        others = (self.slow, self.gain_tolerance, self.offset_tolerance)
        if not (all(0 < x < np.inf for x in positive) and all(x >= 0 for x in others) and 0 < self.false_alarms < 1):
            raise ShapeError("setting.wrong/recalibration")


@dataclass(frozen=True, eq=False, repr=False)
class SensorTrack:
    """Gains and offsets over time, and what left its tolerance; made by `follow_sensors`.

    >>> model = bf.GravityModel.of(bf.Robot.load("pendulum"))
    >>> t = np.arange(0, 60, 0.1)
    >>> q, v = np.sin(0.1 * t)[:, None], 0.1 * np.cos(0.1 * t)[:, None]
    >>> track = bf.follow_sensors(model, t, q, v, 1.5 * model.torque(q), noise=0.001)
    >>> bool(abs(track.gain[-1, 0] - 1.5) < 0.2), track.findings[0].code
    (True, 'gain')
    """

    joint_names: tuple[str, ...]
    time: Array  # (N,) [s]
    gain: Array  # (N, joints)
    offset: Array  # (N, joints) [N m]
    gain_deviation: Array  # (N, joints)
    offset_deviation: Array  # (N, joints) [N m]
    torque: Array  # (N, joints) [N m] readings corrected by what was known up to then
    used: int  # samples that were slow enough
    findings: Findings

    def __repr__(self) -> str:
        samples = f"{self.used} of {len(self.time)} samples"
        return f"SensorTrack({len(self.joint_names)} joints, {samples}, {len(self.findings)} findings)"


def follow_sensors(
    model: GravityModel,
    time: ArrayLike,
    position: ArrayLike,
    velocity: ArrayLike,
    reading: ArrayLike,
    *,
    noise: ArrayLike,
    watch: SensorWatch = SensorWatch(),  # noqa: B008  (frozen)
) -> SensorTrack:
    """Follow every joint's sensor through a recording; `noise` [N m] is a reading's, one number or one per joint.

    >>> model = bf.GravityModel.of(bf.Robot.load("pendulum"))
    >>> t = np.arange(0, 60, 0.1)
    >>> q, v = np.sin(0.1 * t)[:, None], 0.1 * np.cos(0.1 * t)[:, None]
    >>> bf.follow_sensors(model, t, q, v, model.torque(q), noise=0.01).findings
    Findings()
    """
    names = model.arm.joint_names
    (q, v, s), _ = states(names, position=position, velocity=velocity, torque=reading)
    t = np.asarray(time, dtype=float)
    if t.shape != (len(q),) or not len(t) or not np.all(np.diff(t) > 0) or not np.isfinite(t).all():
        raise RecordingError("clock.not_rising/recalibration", q_count=len(q))
    size = np.broadcast_to(np.asarray(noise, dtype=float), (len(names),))
    if not (np.isfinite(size).all() and np.all(size > 0)):
        raise ShapeError("noise.not_positive/recalibration")
    load, slow = model.torque(q), np.abs(v).max(axis=1) <= watch.slow
    mean, spread = _filtered(t, load, s, slow, size, watch)
    corrected = (s - mean[:, :, 1]) / mean[:, :, 0]
    findings = _alarms(names, t, mean, spread, watch)
    return SensorTrack(
        names, t, mean[..., 0], mean[..., 1], spread[..., 0], spread[..., 1], corrected, int(slow.sum()), findings
    )


def _filtered(t: Array, load: Array, reading: Array, slow: Array, noise: Array, watch: SensorWatch) -> tuple[Array, Array]:
    """Mean and deviation of (gain, offset) after every sample, (N, joints, 2)."""
    n = load.shape[1]
    prior = np.diag([watch.gain_spread**2, watch.offset_spread**2])
    nominal = np.array([1.0, 0.0])
    x, P = np.tile(nominal, (n, 1)), np.tile(prior, (n, 1, 1))
    mean, spread = np.empty((len(t), n, 2)), np.empty((len(t), n, 2))
    steps = np.diff(t, prepend=t[0])
    for k in range(len(t)):
        keep = np.exp(-steps[k] / watch.memory)
        x = nominal + keep * (x - nominal)
        P = keep**2 * P + (1 - keep**2) * prior
        if slow[k]:
            x, P = _updated(x, P, load[k], reading[k], noise)
        mean[k], spread[k] = x, np.sqrt(P[:, [0, 1], [0, 1]])
    return mean, spread


def _updated(x: Array, P: Array, load: Array, reading: Array, noise: Array) -> tuple[Array, Array]:
    """One measurement for every joint at once, in Joseph's form."""
    h = np.stack([load, np.ones_like(load)], axis=1)
    Ph = np.einsum("jab,jb->ja", P, h)
    K = Ph / (np.einsum("ja,ja->j", h, Ph) + noise**2)[:, None]
    x = x + K * (reading - np.einsum("ja,ja->j", h, x))[:, None]
    A = np.eye(2) - K[:, :, None] * h[:, None, :]
    return x, A @ P @ np.swapaxes(A, 1, 2) + (noise**2)[:, None, None] * K[:, :, None] * K[:, None, :]


def _alarms(names: tuple[str, ...], t: Array, mean: Array, spread: Array, watch: SensorWatch) -> Findings:
    """Numbers that are beyond their tolerance by more than luck."""
    looks = max((t[-1] - t[0]) / watch.memory * 10, 1.0) * len(names) * 2
    sure = NormalDist().inv_cdf(1 - watch.false_alarms / looks / 2)
    away = np.abs(mean - [1.0, 0.0]) - sure * spread - [watch.gain_tolerance, watch.offset_tolerance]
    found = []
    for j, name in enumerate(names):
        for part, key in ((0, "gain/recalibration"), (1, "offset/recalibration")):
            late = np.flatnonzero(away[:, j, part] > 0)
            if len(late):
                k = int(late[0])
                place = Place("torque", name, float(t[k]), float(t[-1]))
                facts: dict[str, Any] = {
                    "value": float(mean[-1, j, part]),
                    "deviation": float(spread[-1, j, part]),
                    "since": float(t[k]),
                }
                found.append(Finding(key, "warning", f"torque sensor of '{name}'", **facts, at=(place,)))
    return Findings(found)

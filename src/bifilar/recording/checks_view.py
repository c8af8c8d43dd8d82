"""What the checks look at: one even clock, position, velocity, acceleration and torque smoothed alike, few rows.

    x_smooth = G x,    velocity = d/dt G position,    acceleration = d2/dt2 G position,    G(f) = exp(-(f / fc)^2 ln 2 / 2)

A Gaussian low-pass has no phase and no ringing, so that torque and motion stay together to a fraction of a sample. fc follows
the motion (times 6 of the frequency below which 98 % of f |Q(f)|^2 lies), not the clock: the view is the same, but for its unit
of time, when the declared rate is wrong. A look, not a preparation for a fit: that is `prepare`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics.tree import Array
from bifilar.recording.recording import Recording
from bifilar.recording.wraps import continued, whole_turns
from bifilar.robot.robot import Robot

MOST = 1 << 14  # samples looked at: means of up to
THINNED = 8  # neighbours; of a longer recording the part with most motion
ROWS = 1500  # samples that meet the model
WIDTH = 6.0  # cut-off over the motion's own frequency
LONG_GAP = 5.0  # in steps: what lies within is not judged


@dataclass(frozen=True, eq=False)
class View:
    """Smoothed samples on an even clock, and the robot reduced to the recorded joints.

    >>> time = np.arange(500) / 100
    >>> q = np.sin(time)[:, None]
    >>> view = View.of(Recording(joint_names=("hip",), time=time, position=q, torque=0 * q))
    >>> bool(np.allclose(view.velocity[:, 0], np.cos(view.time), atol=0.02))
    True
    """

    joint_names: tuple[str, ...]
    time: Array  # (M,) [s]
    position: Array  # (M, joints)
    velocity: Array
    acceleration: Array
    torque: Array | None
    measured_velocity: Array | None  # what the velocity channel says, where there is one
    cutoff: float  # [Hz]
    robot: Robot | None  # with the recorded joints only; None: there is none, or it has others
    every_time: Array  # (K,) [s] the even clock itself, and on it
    every_torque: Array  # (K, joints) the smoothed torque: what a delay is looked for in
    stamped: bool = False  # whether the clock was recorded, not assumed
    gains: bool = True  # whether torque is one; False: up to a factor of every joint (checks_current)

    @classmethod
    def of(cls, recording: Recording, robot: Robot | None = None) -> View | None:
        """The view of a recording; None where there is too little to look at.

        >>> View.of(Recording(joint_names=("hip",), time=[0.0], position=[[0.0]], torque=[[0.0]])) is None
        True
        """
        chosen = _reduced(robot, recording.joint_names)
        if chosen is not None:
            recording = recording.joints(chosen.joint_names)
        even = _even(recording)
        if even is None:
            return None
        time, values, good = even
        values[:, : len(recording.joint_names)] -= _turns(recording, values, chosen)
        n, step = len(recording.joint_names), float(time[1] - time[0])
        if not (np.isfinite(values).all() and 0 < step < np.inf):
            return None
        cutoff = min(WIDTH * _frequency(values[:, :n], step), 0.4 / step)
        if not 0 < cutoff < np.inf:  # numbers so large or small that their squares are none
            return None
        smooth, speed, push = _smoothed(values, step, cutoff, n)
        edge = int(np.ceil(0.6 / cutoff / step))  # three deviations of the Gaussian in time
        good[:edge] = good[len(good) - edge :] = False
        rows = np.flatnonzero(good)
        if len(rows) < 50:
            return None
        rows = rows[:: -(-len(rows) // ROWS)]
        torque = smooth[rows, n : 2 * n] if recording.torque is not None else None
        measured = smooth[rows, 2 * n :] if recording.velocity is not None else None
        motion = (smooth[rows, :n], speed[rows], push[rows])
        every = (time, smooth[:, n : 2 * n])
        stamped = recording.clock == "recorded"
        return cls(recording.joint_names, time[rows], *motion, torque, measured, cutoff, chosen, *every, stamped)

    @classmethod
    def of_rows(cls, recording: Recording, robot: Robot | None = None) -> View | None:
        """The view of rows without an order in time, as they were logged; None where a channel or numbers are missing.

        >>> q, v, a, tau = np.random.default_rng(0).normal(size=(4, 90, 1))
        >>> log = Recording(joint_names=("hip",), time=-np.arange(90), position=q, velocity=v, acceleration=a, torque=tau)
        >>> View.of_rows(log).position.shape
        (90, 1)
        """
        chosen = _reduced(robot, recording.joint_names)
        recording = recording if chosen is None else recording.joints(chosen.joint_names)
        table = [recording.get(name) for name in ("position", "velocity", "acceleration", "torque")]
        if any(values is None for values in table):
            return None
        q, v, a, tau = (values for values in table if values is not None)
        good = np.flatnonzero(np.isfinite(np.hstack([q, v, a, tau])).all(axis=1) & recording.mask)
        if len(good) < 50:
            return None
        rows = good[:: -(-len(good) // ROWS)]
        time = np.arange(len(rows), dtype=float)
        q, v, a, tau = (x[rows] for x in (q, v, a, tau))
        return cls(recording.joint_names, time, q, v, a, tau, v, 1.0, chosen, time, tau)

    @cached_property
    def moves(self) -> NDArray[np.bool_]:
        """Which joints move: a thousandth of a radian, or a millimetre, and more than a thousandth of the most lively one.

        >>> still = np.zeros((300, 2))
        >>> still[:, 0] = np.sin(np.arange(300) / 50)
        >>> View.of(Recording(joint_names=("a", "b"), time=np.arange(300) / 100, position=still, torque=still)).moves
        array([ True, False])
        """
        span = np.ptp(self.position, axis=0)
        return span > max(1e-3, 1e-3 * float(span.max(initial=0.0)))


def unwrapped(recording: Recording) -> Array:
    """Positions without the jumps of a whole turn that a count modulo 2 pi makes. Prismatic joints stay.

    >>> jump = Recording(joint_names=("hip",), time=[0.0, 0.1, 0.2], position=[[3.1], [-3.1], [-3.0]])
    >>> unwrapped(jump)[:, 0].round(2)
    array([3.1 , 3.18, 3.28])
    """
    position = np.array(recording.require("position"))
    for j, joint in enumerate(recording.joint_names):
        known = np.flatnonzero(np.isfinite(position[:, j]))
        if joint in recording.sliding or len(known) < 2:
            continue
        x = position[known, j : j + 1]
        turns = whole_turns(x)
        if turns.any():
            position[known, j] = continued(x, turns)[:, 0]
    return position


def _turns(recording: Recording, values: Array, robot: Robot | None) -> Array:
    """Whole turns by which a joint that was counted modulo a turn lies beside the middle of its limits [rad]."""
    assert recording.position is not None
    n = len(recording.joint_names)
    wrapped = np.nan_to_num(np.abs(unwrapped(recording) - recording.position)).max(axis=0, initial=0.0) > 1.0
    if robot is None:
        middle = np.zeros(n)
    else:
        low, high = robot.limits.lower, robot.limits.upper
        bounded = np.isfinite(low) & np.isfinite(high)
        middle = np.where(bounded, 0.5 * (np.where(bounded, low, 0.0) + np.where(bounded, high, 0.0)), 0.0)
    turns = np.round((np.median(values[:, :n], axis=0) - middle) / (2 * np.pi))
    return np.asarray(np.where(wrapped, 2 * np.pi * turns, 0.0))


def _even(recording: Recording) -> tuple[Array, Array, NDArray[np.bool_]] | None:
    """Position, torque and velocity side by side at even times, and which rows are worth looking at."""
    if recording.position is None or not recording.joint_names:
        return None
    nothing = np.full(recording.position.shape, np.nan)
    given = [unwrapped(recording), *(nothing if x is None else x for x in (recording.torque, recording.velocity))]
    values, time = np.column_stack(given), recording.time
    known = np.isfinite(values)
    there = known.any(axis=0)
    usable = np.isfinite(time) & recording.mask & known[:, : len(recording.joint_names)].any(axis=1)
    time, values = time[usable], values[usable]
    if len(time) > 1:
        later = np.append(True, time[1:] > np.maximum.accumulate(time)[:-1])
        time, values = time[later], values[later]
    if len(time) < 60:
        return None
    time, values = _thinned(*_liveliest(time, values))
    step = float(np.median(np.diff(time)))
    even = time[0] + step * np.arange(_smooth_number(int(min((time[-1] - time[0]) / step, 4 * MOST))) + 1)
    result, good = np.zeros((len(even), values.shape[1])), np.ones(len(even), dtype=bool)
    nearest = np.clip(np.searchsorted(time, even), 0, len(time) - 1)
    for j in np.flatnonzero(there):
        fine = np.isfinite(values[:, j])
        if not fine.any():
            continue
        result[:, j] = np.interp(even, time[fine], values[fine, j])
        good &= fine[nearest]
    before = np.clip(np.searchsorted(time, even, side="right") - 1, 0, len(time) - 2)
    good &= (time[before + 1] - time[before]) < LONG_GAP * step
    return even, result, good


def _liveliest(time: Array, values: Array) -> tuple[Array, Array]:
    """The stretch with most motion of a recording that is very long."""
    most = THINNED * MOST
    if len(time) <= most:
        return time, values
    pieces = np.array_split(np.arange(len(time)), 4 * len(time) // most)
    scale = np.nanstd(values[::16], axis=0) + 1e-300
    with np.errstate(invalid="ignore"):
        life = np.nan_to_num([(values[p].max(axis=0) - values[p].min(axis=0)) / scale for p in pieces]).sum(axis=1)
    start = int(np.argmax(np.convolve(life, np.ones(4), mode="valid")))
    chosen = slice(pieces[start][0], pieces[start + 3][-1] + 1)
    return time[chosen], values[chosen]


def _thinned(time: Array, values: Array) -> tuple[Array, Array]:
    """Means of so many neighbours that few samples are left."""
    every = -(-len(time) // MOST)
    if every == 1:
        return time, values
    count = len(time) // every
    return (
        time[: count * every].reshape(count, every).mean(axis=1),
        values[: count * every].reshape(count, every, -1).mean(axis=1),
    )


def _smooth_number(most: int) -> int:
    """The largest product of 2, 3 and 5 that is not above: such transforms are fast."""
    best, five = 1, 1
    while five <= most:
        three = five
        while three <= most:
            best = max(best, three << int(np.log2(most // three)))
            three *= 3
        five *= 5
    return best


def _spectrum(values: Array) -> tuple[NDArray[np.complex128], Array]:
    """Transform of what is left beside a line through the ends, of twice the length and odd about them: no step anywhere."""
    line = values[0] + (values[-1] - values[0]) * np.linspace(0.0, 1.0, len(values))[:, None]
    rest = values - line
    return np.fft.rfft(np.concatenate([rest, -rest[-2:0:-1]]), axis=0), line


def _frequency(position: Array, step: float) -> float:
    """Below which the motion of the joints lies [Hz]; the median of those that move."""
    transform, _ = _spectrum(position)
    frequency = np.fft.rfftfreq(2 * len(position) - 2, step)
    power = np.cumsum(frequency[:, None] * np.abs(transform) ** 2, axis=0)
    span = np.ptp(position, axis=0)
    moving = span > 1e-3 * span.max(initial=0.0)
    if not moving.any():
        return 0.05 / step
    places = [int(np.searchsorted(p, 0.98 * p[-1])) for p in power[:, moving].T]
    return float(max(np.median(frequency[places]), frequency[1]))


def _smoothed(values: Array, step: float, cutoff: float, moving: int) -> tuple[Array, Array, Array]:
    """Everything smoothed; the first `moving` columns also once and twice differentiated."""
    transform, line = _spectrum(values)
    count = len(values)
    frequency = np.fft.rfftfreq(2 * count - 2, step)[:, None]
    transform = transform * np.exp(-((frequency / cutoff) ** 2) * np.log(2) / 2)
    omega = 2j * np.pi * frequency
    smooth = np.fft.irfft(transform, axis=0)[:count] + line
    once, twice = (np.fft.irfft(transform[:, :moving] * omega**k, axis=0)[:count] for k in (1, 2))
    return smooth, once + (values[-1] - values[0])[:moving] / (step * (count - 1)), twice


def _reduced(robot: Robot | None, joint_names: tuple[str, ...]) -> Robot | None:
    """The robot with just the recorded joints, the others locked; None where it cannot be compared."""
    if robot is None or robot.is_floating:
        return None
    held = {joint.name for joint in robot.joints if not joint.moves}  # may be recorded too
    if set(joint_names) - set(robot.joint_names) - held or not set(joint_names) - held:
        return None
    kept = tuple(name for name in robot.joint_names if name in joint_names)
    return robot if kept == robot.joint_names else robot.select(kept)

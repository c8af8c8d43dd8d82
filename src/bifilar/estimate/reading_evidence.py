"""What ways of reading a log are compared by: torque that a plain fit of other blocks of time predicts.

    torque = Y phi + rotor inertia + viscous + Coulomb friction + offset          least squares, rows weighted by 1/noise

fitted to all blocks of time but one, and its error on that one: for every way of reading, every block and every joint. Ways
that differ in the torque alone (moved in time) share one factorisation: they are columns on the right. All ways are compared on
the same rows, so that nothing but the way differs.

Cheap, because it decides and does not estimate: columns are computed at the rows from motion that went through the torque's
filter (the fit itself filters the columns), and rows are thinned to some hundreds. Slow rows of a joint are left out: friction
builds up after a turn of speed over some tenths of a degree, which looks like a torque that is late.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics.blas import one_blas_thread
from bifilar.dynamics.tree import Array
from bifilar.filters.butterworth import low_pass
from bifilar.filters.differences import central
from bifilar.recording.recording import Recording
from bifilar.recording.samples import Samples, Stretch
from bifilar.recording.stretches import Usable, resampled, usable
from bifilar.robot.friction import Offset, RotorInertia, Viscous
from bifilar.robot.robot import Robot

BLOCKS = 12  # of time, each predicted by the others
ROWS = 1500  # at most; thinned evenly
NUMBERS = 2e7  # of the regressor, at most
SLOW = 0.3  # of a joint's root-mean-square speed: slower rows do not count
RIDGE = 1e-8  # of the columns' mean square: directions that no row shows stay small
FEWEST = 8  # rows of a block
ROUNDS = 2  # in which the weights of the joints settle


class Motion(NamedTuple):
    """Rows of motion, filtered as the torque, (rows, joints) each.

    >>> Motion(*np.zeros((4, 5, 2))).sign.shape
    (5, 2)
    """

    position: Array
    velocity: Array
    acceleration: Array
    sign: Array  # of the velocity, through the torque's filter


class Rows(NamedTuple):
    """Rows of all recordings on which ways of reading are compared; made by `rows_of`.

    >>> Rows(Motion(*np.zeros((4, 5, 2))), None, np.zeros((5, 2, 3)), np.ones((5, 2)), np.zeros(3)).shifts
    array([0., 0., 0.])
    """

    derived: Motion
    logged: Motion | None  # None: not every recording has velocities of every joint
    torque: Array  # (rows, joints, shifts) as logged so much later, through its filter
    weight: Array  # (rows, joints) 0: slow
    shifts: Array  # [s] rising, 0 in the middle

    @property
    def blocks(self) -> NDArray[np.int64]:
        """Block of time of every row.

        >>> Rows(Motion(*np.zeros((4, 24, 1))), None, np.zeros((24, 1, 1)), np.ones((24, 1)), np.zeros(1)).blocks[-1]
        np.int64(11)
        """
        return np.arange(len(self.torque), dtype=np.int64) * BLOCKS // len(self.torque)


def rows_of(
    robot: Robot, pairs: Sequence[tuple[Recording, Samples]], reach: float, step: float, *, logged: bool
) -> Rows | None:
    """Rows of recordings and what was prepared of them, the torque moved by up to `reach` in steps of `step` [s].

    None where there are too few rows to compare anything. `logged`: whether velocities as logged are asked for.

    >>> from bifilar.recording.check import example
    >>> recording, robot = example()
    >>> rows = rows_of(robot, [(recording, bf.prepare(recording, robot=robot))], 0.02, 0.01, logged=True)
    >>> (rows.shifts * 1e3).round(9), rows.torque.shape[1:], rows.logged is not None
    (array([-16.,  -8.,   0.,   8.,  16.]), (2, 5), True)
    """
    parts = [_rows(recording.joints(robot.joint_names), samples, reach, step, logged) for recording, samples in pairs]
    found = [rows for part in parts for rows in part]
    if not found or sum(len(rows.torque) for rows in found) < BLOCKS * FEWEST:
        return None
    every = -(-sum(len(rows.torque) for rows in found) // _most(robot))
    derived = Motion(*(np.concatenate(x)[::every] for x in zip(*(rows.derived for rows in found))))
    own = [rows.logged for rows in found if rows.logged is not None]
    both = Motion(*(np.concatenate(x)[::every] for x in zip(*own))) if len(own) == len(found) else None
    torque, weight = (np.concatenate([getattr(rows, name) for rows in found])[::every] for name in ("torque", "weight"))
    fast = np.abs(derived.velocity) > SLOW * np.sqrt(np.mean(derived.velocity**2, axis=0))
    return Rows(derived, both, torque, weight * fast, found[0].shifts)


def errors(robot: Robot, rows: Rows, motion: Motion, torque: Array) -> Array:
    """Sums of squared errors of predicted blocks [N^2 m^2], (blocks, joints, ways).

    `torque`: (rows, joints, ways), all of them explained by the same motion. Joints are weighted by their noise where the sum
    is least.

    >>> from bifilar.recording.check import example
    >>> recording, robot = example()
    >>> rows = rows_of(robot, [(recording, bf.prepare(recording, robot=robot))], 0.02, 0.01, logged=False)
    >>> int(errors(robot, rows, rows.derived, rows.torque).sum(axis=(0, 1)).argmin()), len(rows.shifts) // 2
    (2, 2)
    """
    with one_blas_thread():
        columns = _columns(robot, motion)
        norm = np.sqrt(np.einsum("rjp,rj->p", columns**2, rows.weight))
        there = norm > 1e-12 * norm.max(initial=0.0)
        columns = columns[:, :, there] / norm[there]
        together = np.concatenate([columns, torque], axis=2)
        noise = np.ones(columns.shape[1])
        counts = np.maximum(np.count_nonzero(rows.weight, axis=0), 1)
        for _ in range(ROUNDS):
            found = _predicted(together * (rows.weight / noise)[:, :, None], columns.shape[2], rows.blocks)
            best = int(np.argmin(found.sum(axis=(0, 1))))
            size = noise * np.sqrt(found[:, :, best].sum(axis=0) / counts)
            last, noise = noise, np.maximum(size, 1e-9 * size.max(initial=0.0) + 1e-300)
        return found * last[None, :, None] ** 2


def in_noise(squares: Array, unit: Array) -> Array:
    """Squared errors (blocks, joints, ways) in units of each joint's own, `unit` (blocks, joints): joints count alike.

    >>> in_noise(np.full((2, 1, 1), 8.0), np.full((2, 1), 4.0)).ravel()
    array([1., 1.])
    """
    size = unit.sum(axis=0)
    return squares / np.maximum(size, 1e-18 * size.max(initial=0.0) + 1e-300)[None, :, None]


def _predicted(weighted: Array, width: int, blocks: NDArray[np.int64]) -> Array:
    """Sums of squared errors of each block, fitted to the others."""
    ways = weighted.shape[2] - width
    parts = [weighted[blocks == b] for b in range(BLOCKS)]
    grams = [part.reshape(-1, width + ways).T @ part.reshape(-1, width + ways) for part in parts]
    whole = np.sum(grams, axis=0)
    held = RIDGE * float(np.trace(whole[:width, :width])) / max(width, 1) * np.eye(width)
    out = np.empty((BLOCKS, weighted.shape[1], ways))
    for b, (part, gram) in enumerate(zip(parts, grams)):
        rest = whole - gram
        values = np.linalg.solve(rest[:width, :width] + held, rest[:width, width:])
        out[b] = np.sum((part[:, :, width:] - part[:, :, :width] @ values) ** 2, axis=0)
    return out


def _columns(robot: Robot, motion: Motion) -> Array:
    """(rows, joints, parameters): rigid bodies, rotor inertia, viscous and Coulomb friction, offset."""
    drives = robot.with_friction(Viscous() + Offset() + RotorInertia())
    bodies = drives.regressor(motion.position, motion.velocity, motion.acceleration)
    count = len(robot.joint_names)
    signs = np.zeros((len(bodies), count, count))
    signs[:, np.arange(count), np.arange(count)] = motion.sign
    return np.concatenate([bodies, signs], axis=2)


def _most(robot: Robot) -> int:
    """Rows that are worked on."""
    joints = len(robot.joint_names)
    return max(BLOCKS * FEWEST, min(ROWS, int(NUMBERS / (joints * 14 * joints))))


def _rows(recording: Recording, samples: Samples, reach: float, step: float, logged: bool) -> list[Rows]:
    """Rows of each stretch."""
    velocity = recording.get("velocity") if logged else None
    has = velocity is not None and bool(np.isfinite(velocity).any(axis=0).all())
    raw = usable(recording, derivatives=has)
    places = zip(samples.fine, samples.segments)
    found = [_of_stretch(raw, samples, stretch, rows, reach, step, has) for stretch, rows in places]
    return [rows for rows in found if rows is not None]


def _of_stretch(
    raw: Usable, samples: Samples, stretch: Stretch, rows: slice, reach: float, step: float, logged: bool
) -> Rows | None:
    time, motion, at = stretch.time, stretch.motion, stretch.rows
    rate = (len(time) - 1) / float(time[-1] - time[0])
    every = max(1, round(step * rate))
    count = int(reach * rate + 1e-9) // every
    shifts = every * np.arange(-count, count + 1)
    inside = (at + shifts[0] >= 0) & (at + shifts[-1] < len(time))
    if not inside.any():
        return None
    finer = max(1, int(np.ceil(1 / (raw.step * rate) - 0.05)))

    def put(x: Array) -> Array:
        return resampled(raw.time, x, time, finer)

    def passed(*parts: Array) -> list[Array]:
        whole = np.hstack(parts)
        whole = whole if samples.cutoff is None else low_pass(whole, rate=rate, cutoff=samples.cutoff)
        return np.hsplit(whole, len(parts))

    torque, sign = passed(put(raw.torque), np.sign(motion.velocity))
    chosen, places = np.arange(rows.start, rows.stop)[inside], at[inside]
    own = (samples.position, samples.velocity, samples.acceleration)
    q, v, a = (x[chosen] for x in own)
    derived = Motion(q, v, a, sign[places])
    told = None
    if logged and raw.velocity is not None:
        velocity = put(raw.velocity)
        acceleration = central(velocity, rate=rate) if raw.acceleration is None else put(raw.acceleration)
        speed, push, side = (x[places] for x in passed(velocity, acceleration, np.sign(velocity)))
        told = Motion(samples.position[chosen], speed, push, side)
    late = np.moveaxis(torque[places[:, None] + shifts], 1, 2)
    return Rows(derived, told, late, samples.mask[chosen].astype(float), shifts / rate)

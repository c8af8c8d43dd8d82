"""What ways of reading a log are compared by: torque that a plain fit of other blocks of time predicts.

    torque = Y phi + rotor inertia + viscous + Coulomb friction + offset          least squares, rows weighted by 1/noise

fitted to all blocks of time but one, and its error on that one: for every way of reading, every block and every joint. Ways
that differ in the torque alone (moved in time) share one factorisation: they are columns on the right. All ways are compared on
the same rows, so that nothing but the way differs.

Columns go through the torque's filter, as those of the fit do: a cut-off that is near the motion takes the harmonics out of the
torque, and columns that kept them would look like torque at another time. They are computed at ten samples per period of the
cut-off, for a thousand rows or so. Slow rows of a joint are left out: friction builds up after a turn of speed over some tenths
of a degree, which looks like a torque that is late.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics.blas import one_blas_thread
from bifilar.dynamics.tree import Array
from bifilar.filters.butterworth import Derived, impulse_response, low_pass
from bifilar.filters.differences import central
from bifilar.filters.fir import RowFilter
from bifilar.recording.recording import Recording
from bifilar.recording.samples import Samples, Stretch
from bifilar.recording.stretches import Usable, resampled, usable
from bifilar.robot.friction import Offset, RotorInertia, Viscous
from bifilar.robot.robot import Robot

BLOCKS = 12  # of time, each predicted by the others
ROWS = 1500  # at most
NUMBERS = 2e7  # of the regressor, at most
FINE = 5  # samples of the columns for each row, before their filter
WIDER = 2.0  # cut-off of logged velocities before they are thinned, in those of the torque
GROUP = 40  # rows in succession; of long recordings only every so many groups are worked on
SLOW = 0.3  # of a joint's root-mean-square speed: slower rows do not count
RIDGE = 1e-8  # of the columns' mean square: directions that no row shows stay small
FEWEST = 4  # rows of a block
ROUNDS = 2  # in which the weights of the joints settle


class Rows(NamedTuple):
    """Rows of all recordings on which ways of reading are compared; made by `rows_of`.

    >>> Rows(np.zeros((5, 2, 9)), None, np.zeros((5, 2, 2)), np.zeros((5, 2, 3)), np.ones((5, 2)), np.zeros(3)).shifts
    array([0., 0., 0.])
    """

    derived: Array  # (rows, joints, parameters) of motion from positions: bodies, rotor, viscous, offset, Coulomb last
    logged: Array | None  # the same of logged velocities; None: not every recording has those of every joint
    nominal: Array  # (rows, joints, 2) gravity and inertial torque of the nominal model
    torque: Array  # (rows, joints, shifts) as logged so much later
    weight: Array  # (rows, joints) 0: slow
    shifts: Array  # [s] rising, 0 in the middle

    @property
    def blocks(self) -> NDArray[np.int64]:
        """Block of time of every row.

        >>> empty = np.zeros((24, 1, 1))
        >>> Rows(empty, None, empty, empty, np.ones((24, 1)), np.zeros(1)).blocks[-1]
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
    every = -(-sum(len(samples) for _, samples in pairs) // _most(robot))  # groups of rows of which one is worked on
    readers = [_Reader(robot, recording.joints(robot.joint_names), samples, logged) for recording, samples in pairs]
    found = [rows for reader in readers for rows in reader.rows(reach, step, every)]
    if not found or sum(len(rows.torque) for rows in found) < BLOCKS * FEWEST:
        return None
    told = [rows.logged for rows in found if rows.logged is not None]
    both = np.concatenate(told) if len(told) == len(found) else None
    derived, nominal, torque, weight = (
        np.concatenate([getattr(rows, name) for rows in found]) for name in ("derived", "nominal", "torque", "weight")
    )
    return Rows(derived, both, nominal, torque, weight, found[0].shifts)


def errors(rows: Rows, columns: Array, torque: Array) -> Array:
    """Sums of squared errors of predicted blocks [N^2 m^2], (blocks, joints, ways).

    `torque`: (rows, joints, ways), all of them explained by the same columns. Joints are weighted by their noise where the sum
    is least.

    >>> from bifilar.recording.check import example
    >>> recording, robot = example()
    >>> rows = rows_of(robot, [(recording, bf.prepare(recording, robot=robot))], 0.02, 0.01, logged=False)
    >>> int(errors(rows, rows.derived, rows.torque).sum(axis=(0, 1)).argmin()), len(rows.shifts) // 2
    (2, 2)
    """
    with one_blas_thread():
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


def _most(robot: Robot) -> int:
    """Rows that are worked on."""
    joints = len(robot.joint_names)
    return max(BLOCKS * FEWEST, min(ROWS, int(NUMBERS / (joints * 14 * joints))))


class _Reader:
    """Rows of one recording."""

    def __init__(self, robot: Robot, recording: Recording, samples: Samples, logged: bool) -> None:
        velocity = recording.get("velocity") if logged else None
        self.logged = velocity is not None and bool(np.isfinite(velocity).any(axis=0).all())
        self.raw: Usable = usable(recording, derivatives=self.logged)
        self.samples = samples
        self.bare = robot.with_friction(())
        self.drives = robot.with_friction(RotorInertia() + Viscous() + Offset())

    def rows(self, reach: float, step: float, every: int) -> Iterator[Rows]:
        """Of each stretch, its rows as many to the second as those that are fitted, but every so many groups only."""
        for stretch, own in zip(self.samples.fine, self.samples.segments):
            yield from self._of_stretch(stretch, self.samples.mask[own], reach, step, every)

    def _of_stretch(self, stretch: Stretch, mask: NDArray[np.bool_], reach: float, step: float, every: int) -> Iterator[Rows]:
        time, fitted, cutoff = stretch.time, stretch.rows, self.samples.cutoff
        if len(time) < 2:
            return
        rate = (len(time) - 1) / float(time[-1] - time[0])
        thin = 1 if cutoff is None else max(1, int(rate / (2 * FINE * cutoff)))
        between = max(step * rate, 1.0)
        count = int(reach * rate + 1e-9) // round(between)
        shifts = round(between) * np.arange(-count, count + 1)
        stride = thin if cutoff is None else FINE * thin
        places = np.arange(int(fitted[0]), int(fitted[-1]) + 1, stride)
        places = places[(places + shifts[0] >= 0) & (places + shifts[-1] < len(time))]
        torque, motions = self._motions(time, stretch, rate)
        through = None if cutoff is None else RowFilter(impulse_response(rate=rate / thin, cutoff=cutoff))
        speed = np.abs(stretch.motion.velocity)
        fast = speed > SLOW * np.sqrt(np.mean(speed**2, axis=0))
        for first in range(0, len(places), GROUP * every):
            at = places[first : first + GROUP]
            halo = 0 if through is None else through.halo
            begin = int(at[0]) - thin * min(halo, int(at[0]) // thin)
            chosen = slice(begin, min(len(time), int(at[-1]) + thin * halo + 1), thin)
            inside = (at - begin) // thin
            parts = [self._columns(Derived(*(x[chosen] for x in motion)), through, inside) for motion in motions]
            nominal = self._nominal(Derived(*(x[chosen] for x in motions[0])), through, inside)
            near = np.clip(np.searchsorted(fitted, at), 0, len(fitted) - 1)
            late = np.moveaxis(torque[at[:, None] + shifts], 1, 2)
            weight = (mask[near] & fast[at]).astype(float)
            yield Rows(parts[0], parts[1] if len(parts) > 1 else None, nominal, late, weight, shifts / rate)

    def _motions(self, time: Array, stretch: Stretch, rate: float) -> tuple[Array, list[Derived]]:
        """The torque through its filter, and motion from positions and, if there is one, as it was logged."""
        raw, cutoff = self.raw, self.samples.cutoff
        finer = max(1, int(np.ceil(1 / (raw.step * rate) - 0.05)))

        def put(x: Array, band: float) -> Array:
            even = resampled(raw.time, x, time, finer)
            return even if cutoff is None or band * cutoff >= 0.45 * rate else low_pass(even, rate=rate, cutoff=band * cutoff)

        torque, motions = put(raw.torque, 1.0), [stretch.motion]
        if self.logged and raw.velocity is not None:
            velocity = put(raw.velocity, WIDER)
            push = central(velocity, rate=rate) if raw.acceleration is None else put(raw.acceleration, WIDER)
            motions.append(Derived(stretch.motion.position, velocity, push))
        return torque, motions

    def _columns(self, motion: Derived, through: RowFilter | None, at: NDArray[np.int64]) -> Array:
        """(rows, joints, parameters): rigid bodies, rotor inertia, viscous friction, offset, Coulomb friction."""
        bodies = self.drives.regressor(*motion)
        count = bodies.shape[1]
        signs = np.zeros((len(bodies), count, count))
        signs[:, np.arange(count), np.arange(count)] = np.sign(motion.velocity)
        columns = np.concatenate([bodies, signs], axis=2)
        return columns[at] if through is None else through.at(columns, at)

    def _nominal(self, motion: Derived, through: RowFilter | None, at: NDArray[np.int64]) -> Array:
        """(rows, joints, 2): torque of gravity, and of motion, by the nominal model."""
        still = np.zeros_like(motion.velocity)
        gravity = self.bare.inverse_dynamics(motion.position, still, still)
        both = np.stack([gravity, self.bare.inverse_dynamics(*motion) - gravity], axis=2)
        return both[at] if through is None else through.at(both, at)

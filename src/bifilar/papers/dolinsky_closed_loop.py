"""Identification from walking under feedback, an open problem of Dolinsky 2017: the noise that is read also drives the torques.

The laboratory's three-link walker walks with the gait's controller, which reads noisy angles and rates; the same angles are
recorded, so that the errors of the regressor are correlated with torque and motion. Every stride is a stretch. Three fits:

    WLS   low-pass, central differences, weighted least squares
    IV    the same rows; instruments are the columns of the mean motion of the other strides at the same time after touchdown,
          which know the motion but not this stride's noise:  theta = (Z' Y)^-1 Z' torque
    ML    maximum likelihood with the motion unknown (`stance_likelihood`)

Bias is the mean error over the runs, relative to the truth, with its own deviation.
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.errors import BifilarError
from bifilar.robot.base_parameters import BaseParameters
from bifilar.robot.robot import Robot
from bifilar.walking.feedback import upright
from bifilar.walking.gait import find_gait
from bifilar.walking.hybrid import Stepping, simulate
from bifilar.walking.phases import Phases
from bifilar.walking.stance import StanceLog, smoothed
from bifilar.walking.stance_likelihood import StanceLikelihood
from bifilar.walking.stance_rows import stance_rows
from bifilar.walking.straight import straight_base
from bifilar.walking.walker import Walker

PERIOD, SECONDS = 0.005, 10.0
ANGLE, RATE, TORQUE = 1e-3, 0.02, 0.05  # [rad], [rad/s] noise of what is read; [N m] of what is recorded
ROWS = 0.02  # [N m] for the undriven row
CUTOFF, SPAN = 0.2, 1  # of half the rate; samples of differences
SHORTEST = 40  # samples of a stride
METHODS = ("WLS", "IV", "ML")


class Machine(NamedTuple):
    """The walker and its gait.

    >>> machine().base.rank
    6
    """

    phases: Phases
    pinned: Robot
    base: BaseParameters
    start: Array  # first state, on the gait

    @property
    def truth(self) -> Array:
        """Base parameters that were simulated.

        >>> machine().truth.shape
        (6,)
        """
        return self.base.from_full(self.pinned.parameters())


@cache
def machine() -> Machine:
    """Laboratory walker on its gait.

    >>> len(machine().start)
    6
    """
    walker = Walker.load("walker3")
    phases = Phases.of(walker)
    pinned = walker.pinned(0)
    return Machine(phases, pinned, straight_base(pinned), find_gait(upright(phases)).start)


def walked(seed: int) -> list[StanceLog]:
    """Strides of one walk as recorded, torques as they acted at the samples (held between them: the mean of two)."""
    own, rng, noise = machine(), np.random.default_rng(seed), []
    feedback, planar = upright(own.phases), own.phases.planar[0]

    def controller(time: float, state: Array, stance: int) -> Array:
        error = np.concatenate([ANGLE * rng.normal(size=3), RATE * rng.normal(size=3)])
        noise.append(error)
        return feedback(time, state + error, stance)

    walk = simulate(own.phases, own.start, controller, SECONDS, stepping=Stepping(period=PERIOD))
    joint = np.asarray(planar.joint).T
    read = (walk.states[:, :3] + np.array(noise)[: len(walk.states), :3]) @ joint - planar.offset
    torque = np.stack([own.phases.torques(int(foot), u) for foot, u in zip(walk.stance, walk.torques)])
    acted = torque + TORQUE * rng.normal(size=torque.shape) * [0, 1, 1]
    edges = [0, *(np.flatnonzero(walk.touched()) + 1).tolist(), len(walk.time)]
    logs = []
    for start, stop in pairwise(edges):
        if stop - 2 - start >= SHORTEST:
            part = slice(start + 1, stop - 2)
            held = 0.5 * (acted[start + 1 : stop - 2] + acted[start : stop - 3])
            logs.append(
                StanceLog(
                    position=read[part],
                    torque=held,
                    period=PERIOD,
                    position_noise=_spread(joint),
                    torque_noise=np.array([0.0, TORQUE, TORQUE]) / np.sqrt(2),
                )
            )
    return logs


def _spread(joint: Array) -> Array:
    """Deviations of the joints' readings: links are read independently."""
    return ANGLE * np.sqrt((joint**2).sum(axis=0))


def estimates(seed: int) -> dict[str, Array | None]:
    """Base parameters by every method from one walk."""
    own, logs = machine(), walked(seed)
    smooth = [log.with_position(smoothed(log.position, CUTOFF)) for log in logs]
    noise = np.array([ROWS, *logs[0].torque_noise[1:]])
    found: dict[str, Array | None] = {}
    rows = [stance_rows(own.pinned, own.base, log.differences(SPAN), noise) for log in smooth]
    found["WLS"] = _solved(rows, rows)
    found["IV"] = _solved(_instruments(smooth, noise), rows)
    try:
        fit = StanceLikelihood(row_noise=ROWS, stencil=1).fit(
            own.pinned, logs, motion=[log.position for log in smooth], base=own.base
        )
        found["ML"] = fit.values
    except (BifilarError, np.linalg.LinAlgError):
        found["ML"] = None
    return found


def _instruments(logs: list[StanceLog], noise: Array) -> list[tuple[Array, Array]]:
    """Columns of the mean motion of the other strides, sample by sample after touchdown."""
    own, shortest = machine(), min(len(log) for log in logs)
    total = np.sum([log.position[:shortest] for log in logs], axis=0)
    rows = []
    for log in logs:
        mean = (total - log.position[:shortest]) / (len(logs) - 1)
        other = StanceLog(**{**log.__dict__, "position": mean, "torque": log.torque[:shortest]})
        rows.append(stance_rows(own.pinned, own.base, other.differences(SPAN), noise))
    return rows


def _solved(instruments: list[tuple[Array, Array]], rows: list[tuple[Array, Array]]) -> Array:
    """(Z' Y)^-1 Z' torque over all strides, each as long as its instruments."""
    cut = [slice(0, len(z)) for z, _ in instruments]
    z = np.concatenate([part.reshape(-1, part.shape[2]) for part, _ in instruments])
    y = np.concatenate([part[one].reshape(-1, part.shape[2]) for one, (part, _) in zip(cut, rows)])
    tau = np.concatenate([part[one].ravel() for one, (_, part) in zip(cut, rows)])
    return np.asarray(np.linalg.solve(z.T @ y, z.T @ tau))

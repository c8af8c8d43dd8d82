"""Tables 3.2 and 3.3 of Dolinsky 2017: one step of a three-link walker, its absolute angle read with more and more noise.

The thesis gives masses and lengths (3.80), a step of 0.68 s at 100 Hz, noise of variance 1e-10 to 1e-4 on the stance leg's
angle and 0.1 on both torques, filters and differences of the least-squares rival. It does not give the torque, the first
state, the weight of the undriven row or what was summed as error. Ours: torques that lead torso and swing leg along two
sinusoids beside a step, smooth between the samples; the error is the sum of squares of all angles and rates, simulated with
the estimate, over the 69 samples. Maximum likelihood stands there twice: with the three-point differences of the thesis, and
with five-point ones, which follow the motion better where noise is small. Lengths are taken as known and links as straight, six
parameters; the thesis has eight, which leave the lengths free.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Literal, NamedTuple

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.errors import BifilarError
from bifilar.robot.base_parameters import BaseParameters
from bifilar.robot.robot import Robot
from bifilar.walking.builtin import GRIZZLE, walker_description
from bifilar.walking.joint_filter import JointFilter
from bifilar.walking.planar import Planar
from bifilar.walking.stance import StanceLog, low_passed
from bifilar.walking.stance_likelihood import StanceLikelihood
from bifilar.walking.stance_rows import fit_recursive, fit_rows
from bifilar.walking.straight import straight_base
from bifilar.walking.walker import Walker

PERIOD, SAMPLES, FINE = 0.01, 69, 20  # [s], samples, simulation steps between samples
TORQUE_NOISE = float(np.sqrt(0.1))  # [N m]
ROW_NOISE = 0.05  # [N m] for the undriven row
LOST = 1e3  # a simulation beyond has failed
Method = Literal["ML", "ML five-point", "WLS", "RLS", "RLS 20 %", "HEKF"]
METHODS: tuple[Method, ...] = ("ML", "ML five-point", "WLS", "RLS", "RLS 20 %", "HEKF")


class Case(NamedTuple):
    """A column of Table 3.2.

    >>> CASES[4].span
    7
    """

    variance: float  # [rad^2] of the stance leg's angle
    cutoff: float  # of half the sampling rate, for least squares
    span: int  # samples of its differences


CASES = {1: Case(1e-10, 1.0, 2), 2: Case(1e-8, 0.5, 3), 3: Case(1e-6, 0.25, 5), 4: Case(1e-4, 0.1, 7)}
UNRELIABLE = Case(1e-3, 0.1, 7)  # "1e-3 and above" of the text


@dataclass(frozen=True, eq=False)
class Step:
    """The step as it was, on the clock of the samples and between them.

    >>> one_step().position.shape
    (69, 3)
    """

    pinned: Robot
    base: BaseParameters
    states: Array  # (69, 6) angles and rates of the links
    position: Array  # (69, 3) of the joints
    torque: Array  # (69, 3)
    fine_torque: Array  # (68 * 20, 3) held over each fine step

    @property
    def truth(self) -> Array:
        """The parameters that were simulated.

        >>> one_step().truth.shape
        (6,)
        """
        return self.base.from_full(self.pinned.parameters())

    def measured(self, variance: float, rng: np.random.Generator) -> StanceLog:
        """One draw of the noise.

        >>> one_step().measured(1e-4, np.random.default_rng(0)).position_noise[0]
        np.float64(0.01)
        """
        q, tau = self.position.copy(), self.torque.copy()
        q[:, 0] += np.sqrt(variance) * rng.normal(size=len(q))
        tau[:, 1:] += TORQUE_NOISE * rng.normal(size=(len(q), 2))
        noise = np.array([np.sqrt(variance), 1e-7, 1e-7])
        return StanceLog(
            position=q,
            torque=tau,
            period=PERIOD,
            position_noise=noise,
            torque_noise=np.array([0.0, TORQUE_NOISE, TORQUE_NOISE]),
        )

    def error(self, theta: Array | None) -> float:
        """Sum of squares of a simulation with the estimate; not a number if it fails.

        >>> one_step().error(one_step().truth) < 1e-20
        True
        """
        if theta is None or not np.isfinite(theta).all():
            return float("nan")
        planar, x, total = Planar.of(self.base.model(self.pinned, theta)), self.states[:1], 0.0  # type: ignore[arg-type]
        for k in range(SAMPLES - 1):
            for torque in self.fine_torque[FINE * k : FINE * (k + 1), None]:
                x = planar.flow(x, torque, PERIOD / FINE)
            if not np.abs(x).max() < LOST:
                return float("nan")
            total += float(np.sum((x[0] - self.states[k + 1]) ** 2))
        return total


@cache
def one_step() -> Step:
    """The true motion of all runs.

    >>> one_step().torque[:, 0].any()
    np.False_
    """
    pinned = Walker.build(walker_description(*GRIZZLE)).pinned(0)
    planar, h = Planar.of(pinned), PERIOD / FINE
    x = np.array([-np.pi / 8, np.pi / 6 - 0.15, np.pi / 8 - 0.05, 1.75, 0.3, -1.75])
    states, torques = [x], []
    lead = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 1.0]])  # torso; legs mirrored
    for k in range((SAMPLES - 1) * FINE):
        wave = np.array([9.0, 7.0]) * (k + 0.5) * h
        size, fast = np.array([0.15, 0.2]), np.array([9.0, 7.0])
        off = lead @ x[:3] - [np.pi / 6, 0.0] - size * np.sin(wave)
        rate = lead @ x[3:] - size * fast * np.cos(wave)
        slopes = planar.rate_slopes(x, np.zeros(3))
        wanted = -100 * off - 20 * rate - size * fast**2 * np.sin(wave)
        push = np.linalg.solve(lead @ slopes.torque[3:, 1:], wanted - lead @ slopes.value[3:])
        torques.append(np.concatenate([[0.0], push]))
        x = planar.flow(x[None], torques[-1][None], h)[0]
        states.append(x)
    path, fine = np.array(states), np.array(torques)
    at = np.concatenate([fine[:1], 0.5 * (fine[1:] + fine[:-1]), fine[-1:]])[::FINE]
    sampled = path[::FINE]
    position = sampled[:, :3] @ np.asarray(planar.joint).T - planar.offset
    return Step(pinned, straight_base(pinned), sampled, position, at, fine)


def run_errors(case: Case, seed: int, methods: tuple[Method, ...] = METHODS) -> dict[str, float]:
    """Simulation error of every method on one draw of the noise.

    >>> sorted(run_errors(CASES[1], 0, ("ML", "WLS")))
    ['ML', 'WLS']
    """
    step, rng = one_step(), np.random.default_rng(seed)
    log = step.measured(case.variance, rng)
    smooth = low_passed(log, case.cutoff).position
    filtered = log.with_position(np.column_stack([smooth[:, 0], log.position[:, 1:]]))
    guess = step.truth * (1 + 0.2 * rng.choice([-1.0, 1.0], size=len(step.truth)))
    return {name: step.error(_fitted(name, step, case, log, filtered, guess)) for name in methods}


def _fitted(name: Method, step: Step, case: Case, log: StanceLog, filtered: StanceLog, guess: Array) -> Array | None:
    base = step.base
    try:
        if name in ("ML", "ML five-point"):
            settings = StanceLikelihood(row_noise=ROW_NOISE, stencil=1 if name == "ML" else 2)
            found = settings.fit(step.pinned, log, motion=[filtered.position], base=base)
            return found.values if found.status.ok else None
        if name == "WLS":
            return fit_rows(step.pinned, filtered, span=case.span, row_noise=ROW_NOISE, base=base)
        if name == "HEKF":
            both = JointFilter(theta=guess, theta_deviation=0.2 * np.abs(step.truth))
            velocity = (np.asarray(Planar.of(step.pinned).joint) @ step.states[0, 3:]) + 0.1
            return both.fit(step.pinned, log, velocity=velocity, base=base)
        start, wide = (np.zeros(len(guess)), np.full(len(guess), 100.0))
        if name == "RLS 20 %":
            start, wide = guess, 0.2 * np.abs(step.truth)
        return fit_recursive(
            step.pinned, filtered, start=start, covariance=np.diag(wide**2), span=case.span, row_noise=ROW_NOISE, base=base
        )
    except (BifilarError, np.linalg.LinAlgError):
        return None

"""`MaximumLikelihood`: parameters and the true motion at once, with noise in torques and positions (errors in variables).

    minimise over q and theta   sum |Y(q, D q, D^2 q) theta - torque|^2 / sigma_tau^2  +  |q - measured|^2 / sigma_q^2

Nothing is filtered and no velocity is computed from noisy readings, so noise neither leaks into the columns (which biases
least squares) nor has to be cut off at a frequency that somebody chooses. See `banded` for the method, `true_motion` for
the equations.

The torque's noise, if not given, comes from its residuals: sum of squares / (equations - what the motion's freedom took up),
joint by joint, repeated with the fit. The positions' noise comes from their fastest half of the spectrum (`raw_pieces`), or is
larger, if stretches of the fitted recordings that are left out in turn are told better so: then machine and model differ by
more than the readings' noise (`noise_choice`). Give both where they are known.

Values are the best if both errors are white and independent; error bars do not need it (`likelihood_bars`). In a closed loop
errors are so if the torque that acts is measured with an error of its own, even where the loop reads the noisy positions: the
drive's torque then moves the machine, and the true motion follows it. A digital drive holds its torque from one sample to the
next (`held_torque`).

On a machine, what is faster than its rigid bodies move is no white noise: springs, gears, filters. So recordings are
first thinned out to a clock that shows twice the cut-off; `clock=inf` leaves them as they are, for simulations and for models
that are right at every frequency.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, Literal

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.errors import Note, RobotError, SolveError
from bifilar.estimate.banded import BandedSystem, Minimum, minimise
from bifilar.estimate.estimate import BaseEstimate
from bifilar.estimate.friction_choice import chosen_friction
from bifilar.estimate.least_squares import LeastSquares
from bifilar.estimate.likelihood_bars import LikelihoodBars, inverted_information, likelihood_bars
from bifilar.estimate.likelihood_parts import (
    cutoff_of,
    first_motion,
    has_signs,
    levels_of,
    rounding,
    shares,
    smooth_signs,
    with_weight,
)
from bifilar.estimate.log_reading import decided
from bifilar.estimate.noise_choice import FEWEST as FEWEST_WINDOWS
from bifilar.estimate.noise_choice import TRIED, Fitted, NoiseChoice, candidates, climbed, spread_of, unseen_drift
from bifilar.estimate.position_drift import watched
from bifilar.estimate.problem import Problem
from bifilar.estimate.problem import _with_friction as with_friction
from bifilar.estimate.raw_pieces import blur, position_noise, raw_pieces, thinned
from bifilar.estimate.sources import Data, Weighted, listed
from bifilar.estimate.status import Status
from bifilar.estimate.true_motion import Piece, TrueMotion
from bifilar.recording.log_delay import in_time
from bifilar.recording.recipes import recipe_of
from bifilar.recording.recording import Recording
from bifilar.robot.robot import Robot

OFTEN = 5.0  # samples per period of the torque's cut-off
SLOW_CLOCK = 500.0  # [Hz] below which differences take in two samples to either side
SETTLED = 0.01  # relative change of a noise level
ROUND = 4  # iterations between looks at the noise
SLIP = 0.01  # [rad/s] or [m/s] least width of a sign of speed
COLOURED = 1.2  # of the deviations of white errors: beyond, a sentence says so; simulated white noise: 0.86 to 1.12
FEWEST = 24  # equations that tell how errors follow each other


@dataclass(frozen=True, kw_only=True)
class MaximumLikelihood:
    """Settings of the errors-in-variables fit.

    >>> robot, t = bf.Robot.load("pendulum"), np.arange(1000) / 250
    >>> q = (np.sin(3 * t) + 0.5 * np.sin(7 * t))[:, None]
    >>> v, a = np.gradient(q, 1 / 250, axis=0), np.gradient(np.gradient(q, 1 / 250, axis=0), 1 / 250, axis=0)
    >>> rng = np.random.default_rng(0)
    >>> tau = robot.inverse_dynamics(q, v, a) + 0.05 * rng.normal(size=q.shape)
    >>> noisy = bf.Recording(joint_names=("joint1",), time=t, position=q + 1e-3 * rng.normal(size=q.shape), torque=tau)
    >>> MaximumLikelihood(held_torque=False).fit(robot, noisy, friction=()).identified
    array([ True, False,  True])
    """

    position_noise: float | Sequence[float] | Literal["spectrum"] | None = None  # [rad] or [m], per joint; None: chosen
    torque_noise: float | Sequence[float] | None = None  # [N m] or [N], per joint; None: from the residuals
    held_torque: bool = True  # whether the logged torque was held until the next sample, as digital drives do
    stencil: Literal[1, 2] | None = None  # samples to either side in a difference; None: 1, on clocks below 500 Hz 2
    slip: float | None = None  # [rad/s] least width of the sign of speed; None: as well as velocities are known, 0.01 or more
    clock: float | None = None  # [Hz] recordings are thinned out to; None: five times the cut-off; inf: as recorded
    rate: float | None = None  # [Hz] of positions given as arrays
    iterations: int = 60  # at most, all rounds together
    uncertainty: Literal["robust", "white"] = "robust"  # error bars: of errors that follow each other, or of white ones

    def __post_init__(self) -> None:
        positive = [x for x in (self.slip, self.clock, self.rate, self.iterations) if x is not None]
        if self.stencil not in (None, 1, 2) or not all(isinstance(x, (int, float)) and x > 0 for x in positive):
            raise SolveError("setting.wrong/max_likelihood", this=self)
        if self.uncertainty not in ("robust", "white"):
            raise SolveError("uncertainty.unknown/consistent", uncertainty=self.uncertainty)

    def fit(self, robot: Robot, recordings: Data | Iterable[Data], *, strict: bool = False, **problem: Any) -> BaseEstimate:
        """Fit to recordings as measured; other settings are those of `Problem.of`, whose least squares is the start.

        >>> robot, still = bf.Robot.load("pendulum"), np.zeros((200, 1))
        >>> at_rest = bf.Recording(joint_names=("joint1",), time=np.arange(200) / 100, position=still, torque=still)
        >>> MaximumLikelihood().fit(robot, at_rest).status.code
        'rank deficient'
        """
        begun = perf_counter()
        if robot.is_floating:
            raise RobotError("robot.floating/max_likelihood")
        recordings, weights = with_weight(recordings, problem.pop("weights", None))
        reading = decided(robot, recordings, problem.pop("recipe", "default"))
        recordings, recipe = listed(recordings), reading.recipe
        friction, chosen = problem.pop("friction", None), dict(reading.tables)
        if isinstance(friction, str) and friction == "choose":
            recordings = listed(recordings)
            _, friction, chosen["friction"] = chosen_friction(robot, recordings, recipe)
        recordings = [in_time(one, recipe_of(recipe).delay or 0.0) if isinstance(one, Recording) else one for one in recordings]
        data = raw_pieces(robot, recordings, rate=self.rate, weights=weights, held=self.held_torque)
        fitted, words = with_friction(robot, friction)
        described = smooth_signs(fitted, np.full(len(fitted.joint_names), self.slip or SLIP))
        every = recipe_of(recipe, slow=0.0, delay=0.0)  # slow rows are of use: their sign is smooth; and torque was moved above
        problem |= {"weights": shares(weights, data), "recipe": every, "friction": described.friction}
        start = LeastSquares(uncertainty="white").fit(described, data.recordings, **problem)
        own = recipe_of(recipe)
        judged = recipe_of(start.recipe, slow=own.slow, delay=own.delay)  # in the band of the start
        start = replace(start, recipe=judged, notes=(*start.notes, *data.notes, *words), tables=chosen)
        if start.described.drive_columns.columns.needs_load:
            raise RobotError("friction.not_linear/max_likelihood")
        started = perf_counter() - begun
        if start.status.code == "rank deficient":
            estimate = replace(start, method="maximum likelihood, not begun")
        else:
            estimate = self._estimate(start, data.pieces, started)
        if strict:
            estimate.status.insist()
        return estimate

    def solve(self, problem: Problem, *, strict: bool = False) -> BaseEstimate:
        """The same from a problem whose samples were not filtered (recipe=raw_pieces.RAW) or are arrays.

        >>> robot, still = bf.Robot.load("pendulum"), np.zeros((200, 1))
        >>> problem = Problem.of(robot, (still, still, still, still))
        >>> MaximumLikelihood(rate=100.0).solve(problem).status.code
        'rank deficient'
        """
        weights = [source.weight if isinstance(source, Weighted) else 1.0 for source in problem.sources]
        if any(np.ndim(weight) for weight in weights):
            raise SolveError("weights.not_taken")
        settings = {"friction": problem.robot.friction, "base": problem.base}
        given = None if all(weight == 1.0 for weight in weights) else weights
        return self.fit(problem.robot, list(problem.sources), strict=strict, weights=given, **settings)

    def _estimate(self, start: BaseEstimate, pieces: tuple[Piece, ...], seconds: float) -> BaseEstimate:
        begun = perf_counter()
        choice, (likelihood, found), system = self._chosen(start, pieces)
        sure = self._bars(likelihood, found, system)
        status = start.status  # what was odd about the recording is odd for this method too
        if not found.converged:
            status = Status("not converged", Note("cost.falls/max_likelihood", iterations=found.iterations))
            status = status.worse(start.status)
        return BaseEstimate(
            described=likelihood.model,
            base=start.base,
            values=found.theta,
            covariance=sure.covariance,
            freedom=sure.freedom,
            noise=likelihood.torque_noise,
            status=status,
            method="maximum likelihood",
            rows=likelihood.equations,
            recipe=start.recipe,
            notes=(*start.notes, *self._words(likelihood, choice), *_colour_words(sure.factor)),
            timings={"start": seconds, "solve": perf_counter() - begun},
            tables=dict(start.tables)
            | {"cost": found.costs, "iterations": found.iterations, "position_noise": likelihood.position_noise}
            | ({"noise_choice": choice} if self.position_noise is None else {}),
        )

    def _chosen(self, start: BaseEstimate, pieces: tuple[Piece, ...]) -> tuple[NoiseChoice, Fitted, BandedSystem]:
        """The fit with the noise of positions that was given or is best, and its system, factored."""
        first, cutoff = self._first_torque_noise(start, pieces), max(map(cutoff_of, pieces))
        levels, spread = self._position_noise(pieces), spread_of(pieces)
        every = self._every(pieces, cutoff)
        pieces = tuple(thinned(piece, k) for piece, k in zip(pieces, every))
        fewer = float(np.sqrt(np.mean(every)))  # the density of the noise stays
        rate = 1.0 / max(piece.period for piece in pieces)
        stencil = self.stencil or (2 if rate < SLOW_CLOCK else 1)
        begin = TrueMotion(start.described, start.base, pieces, levels[0] / fewer, first / fewer, stencil)
        system, guess = begin.system(), (first_motion(pieces), start.values)

        def fit(level: Array, last: Fitted | None) -> Fitted:
            return self._fitted(replace(begin, position_noise=level / fewer), last, guess, system, max(every))

        if self.position_noise is not None:
            return NoiseChoice(levels, np.zeros((1, 0))), fit(levels[0], None), system
        seen = watched(pieces, cutoff=cutoff)
        if sum(len(windows.first) for windows in seen) >= FEWEST_WINDOWS:
            levels = candidates(levels[0], spread)
        choice, fits = climbed(levels, fit, lambda fitted: unseen_drift(fitted, seen, levels[0], spread))
        likelihood, found = fits[choice.chosen]
        if len(fits) > 1:  # the system is that of another level
            system.clear()
            likelihood.fill(found.x, found.theta, system)
            system.step()
        return choice, fits[choice.chosen], system

    def _fitted(
        self, likelihood: TrueMotion, last: Fitted | None, guess: tuple[Array, Array], system: BandedSystem, every: int
    ) -> Fitted:
        """The fit with given levels, begun where the one before has ended, or at a guess of motion and parameters."""
        x, theta = guess if last is None else (last.found.x, last.found.theta)
        brief = self if last is None else replace(self, iterations=min(self.iterations, TRIED))
        if last is not None:
            likelihood = replace(likelihood, torque_noise=last.likelihood.torque_noise)
        likelihood = self._as_smooth_as_known(likelihood, x, theta, system, every)
        return Fitted(*brief._settled(likelihood, x, theta, system))

    def _bars(self, likelihood: TrueMotion, found: Minimum, system: BandedSystem) -> LikelihoodBars:
        if self.uncertainty == "robust" and likelihood.equations >= FEWEST:
            return likelihood_bars(likelihood, found.x, found.theta, system)
        free = max(likelihood.equations - len(found.theta) / likelihood.joints, 0.0)
        return LikelihoodBars(inverted_information(system.schur), np.full(len(found.theta), free), 1.0)

    def _every(self, pieces: tuple[Piece, ...], cutoff: float) -> list[int]:
        """Samples per one that is kept, one clock for all: faster than twice the cut-off no rigid body moves."""
        clock = OFTEN * cutoff if self.clock is None else self.clock
        return [max(1, round(1.0 / (piece.period * clock))) for piece in pieces]

    def _as_smooth_as_known(
        self, likelihood: TrueMotion, x: Array, theta: Array, system: BandedSystem, every: int
    ) -> TrueMotion:
        """A sign that changes within the uncertainty of the velocity has no useful derivative: it is made as wide as that.

        Thinning out has smoothed the friction's jumps in time, over `blur`: a sign as wide as the velocity changes meanwhile
        loses as much around a standstill.
        """
        if self.slip is not None or not has_signs(likelihood.model):
            return likelihood
        system.clear()
        likelihood.fill(x, theta, system)
        system.step()
        deviation = likelihood.velocity_deviation(system.inverse_band())
        period = likelihood.pieces[0].period
        speeding = np.std(np.diff(x.reshape(-1, likelihood.joints), n=2, axis=0), axis=0) / period**2
        widths = np.hypot(2 * deviation, blur(every) * period / every * speeding)
        return replace(likelihood, model=smooth_signs(likelihood.model, np.maximum(widths, SLIP)))

    def _settled(self, likelihood: TrueMotion, x: Array, theta: Array, system: BandedSystem) -> tuple[TrueMotion, Minimum]:
        """Motion and parameters, and noise levels that agree with their residuals."""
        left, costs, settled = self.iterations, list[float](), self.torque_noise is not None
        while True:
            found = minimise(likelihood.fill, x, theta, system, most=left if settled else min(left, ROUND))
            left -= found.iterations
            costs += found.costs
            found = replace(found, iterations=self.iterations - left, costs=tuple(costs))
            if left <= 0 or (settled and found.converged):
                return likelihood, found
            x, theta = found.x, found.theta
            if self.torque_noise is None:
                noise = self._from_residuals(likelihood, found, system)
                settled = bool(np.all(np.abs(noise / likelihood.torque_noise - 1) < SETTLED))
                likelihood = likelihood if settled else replace(likelihood, torque_noise=noise)
                if settled and found.converged:
                    return likelihood, found

    def _from_residuals(self, likelihood: TrueMotion, found: Minimum, system: BandedSystem) -> Array:
        """Noise of the torques by what the motion's freedom and the parameters have left of their residuals."""
        squares, taken = likelihood.absorbed(found.x, found.theta, system.inverse_band())
        free = np.maximum(likelihood.equations - taken - len(found.theta) / likelihood.joints, 1.0)
        return np.maximum(likelihood.torque_noise * np.sqrt(squares / free), rounding(likelihood.pieces))

    def _position_noise(self, pieces: tuple[Piece, ...]) -> Array:
        """As given, or of the spectrum, in one row."""
        if self.position_noise is None or (isinstance(self.position_noise, str) and self.position_noise == "spectrum"):
            return position_noise(pieces)[None]
        return levels_of("position_noise", self.position_noise, pieces[0].position.shape[1])[None]

    def _first_torque_noise(self, start: BaseEstimate, pieces: tuple[Piece, ...]) -> Array:
        """As given, or the start's residuals as if they went on beyond its filter at the same density."""
        joints = pieces[0].position.shape[1]
        if self.torque_noise is not None:
            return levels_of("torque_noise", self.torque_noise, joints)
        kept = cutoff_of(pieces[0]) * 2 * pieces[0].period
        return np.maximum(start.noise / np.sqrt(min(kept, 1.0)), rounding(pieces))

    def _words(self, likelihood: TrueMotion, choice: NoiseChoice) -> tuple[Note, ...]:
        names = likelihood.model.joint_names
        levels = [f"{name} {x:.2g}" for name, x in zip(names, likelihood.position_noise)]
        source = choice.words if self.position_noise is None else "as given"
        if isinstance(self.position_noise, str):
            source = "from the fastest half of the spectrum"
        widths = [getattr(term, "width", 0.0) for term in likelihood.model.friction]
        wide = (Note("friction.smooth_sign", width=max(widths)),) if has_signs(likelihood.model) else ()
        clock = Note("clock.rate", rate=1 / likelihood.pieces[0].period)
        bars = (Note("bars.white/both"),) if self.uncertainty == "white" else ()
        return clock, Note("noise.positions", levels=levels, source=source), *wide, *bars


def _colour_words(factor: float) -> tuple[Note, ...]:
    """What error bars say about the noise being white, as the method assumes."""
    if not factor > COLOURED:
        return ()
    return (Note("bars.coloured", factor=factor),)

"""How far positions are to be trusted: chosen on stretches of the fitted recordings that are left out in turn.

Readings have a noise, which their spectrum tells. But where a machine bends, has play, or does what its model does not say,
the positions that the model could follow differ from the readings by far more, at the frequencies of the motion. Readings
taken as exact then pull inertias down, as noisy columns do in any regression. Levels that are tried for joint j:

    sigma_j = sqrt(noise_j^2 + (share * spread_j)^2)        noise: of the spectrum;  spread: deviation of the joint's position

Each is judged by `position_drift` on a third of the time that its fit has not seen, which does not depend on the level
itself. The score is the mean logarithm over windows and joints: the typical factor, whatever single windows do. The
spectrum's noise is what physics says of readings, so another level must be better by more than luck: by max(1, sqrt(2 ln n))
standard errors, the largest of n gains that are nothing else, and by more than a trifle.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics.tree import Array
from bifilar.errors import SolveError
from bifilar.estimate.banded import Minimum, minimise
from bifilar.estimate.position_drift import Watched, drifts
from bifilar.estimate.true_motion import Piece, TrueMotion

SHARES = tuple(10.0 ** np.arange(-4.0, -1.9, 0.5))  # of a joint's spread
PARTS = 3
FEWEST = 6  # windows
STEPS = 3  # Gauss-Newton steps from the fit to everything to that without a part
MATTERS = 2.0  # a level must differ by such a factor from the spectrum's to be tried
TRIED = 30  # iterations at most for another level than the spectrum's
FAILURES = 2  # levels that do not converge
CLEAR = 2.0  # standard errors by which a level is worse: more of it is not tried
TRIFLE = 0.05  # of the drift: a smaller gain is no reason to distrust readings
WIDEST = 1.0  # [rad] or [m] spread, of joints that turn round and round


@dataclass(frozen=True, eq=False)
class NoiseChoice:
    """Levels tried, the drift of each on motion that was left out, and which one was taken.

    >>> drift = np.log([[2.0, 2.1, 2.2], [1.0, 1.1, 0.9]])
    >>> choice = NoiseChoice(np.array([[1e-4], [1e-3]]), drift)
    >>> choice.chosen
    1
    >>> print(choice.text())
      noise of positions  typical drift
                  0.0001          2.098  of the spectrum
                   0.001         0.9967  chosen
    """

    levels: Array  # (candidates, joints) [rad] or [m] of readings; the first is the spectrum's
    drift: Array  # (candidates, windows) mean over joints of the drift's logarithm; no windows: too few to choose by

    @property
    def chosen(self) -> int:
        """The best level if that is no luck, otherwise the spectrum's.

        >>> NoiseChoice(np.array([[1e-4], [1e-3]]), np.log([[2.0, 2.1, 2.2], [0.1, 9.0, 2.0]])).chosen
        0
        """
        if len(self.levels) < 2:
            return 0
        best = int(np.argmin(self.drift.mean(axis=1)))
        gain = self.drift[0] - self.drift[best]
        luck = max(1.0, np.sqrt(2 * np.log(len(self.levels) - 1))) * np.std(gain, ddof=1) / np.sqrt(len(gain))
        return best if np.mean(gain) > max(luck, TRIFLE) else 0

    @property
    def words(self) -> str:
        """Where the level comes from, for the notes of an estimate.

        >>> NoiseChoice(np.array([[1e-4]]), np.zeros((1, 0))).words
        'from the fastest half of the spectrum; too little motion to choose another on'
        """
        fast = "from the fastest half of the spectrum"
        if self.drift.shape[1] == 0:
            return f"{fast}; too little motion to choose another on"
        if self.chosen == 0:
            return f"{fast}; motion that was left out is not told better by a larger one"
        times = np.exp(np.mean(self.drift[self.chosen] - self.drift[0]))
        more = float(np.max(self.levels[self.chosen] / self.levels[0]))
        end = ", the largest that was tried" * (self.chosen + 1 == len(self.levels))
        return (
            f"up to {more:.2g} times that of the spectrum{end}: left-out motion drifts by {times:.2g} of what it would; "
            "machine and model differ by more than the readings' noise"
        )

    def text(self) -> str:
        """A line per level, the largest of its joints.

        >>> NoiseChoice(np.array([[1e-4]]), np.zeros((1, 2))).text().splitlines()[1]
        '                0.0001              1  of the spectrum, chosen'
        """
        lines = [f"{'noise of positions':>20}  {'typical drift':>13}"]
        for k, (levels, drift) in enumerate(zip(self.levels, self.drift, strict=True)):
            marks = ["of the spectrum"] * (k == 0) + ["chosen"] * (k == self.chosen)
            typical = f"{np.exp(np.mean(drift)):.4g}" if len(drift) else "-"
            lines.append(f"{levels.max():>20.4g}  {typical:>13}" + f"  {', '.join(marks)}" * bool(marks))
        return "\n".join(lines)


def spread_of(pieces: Sequence[Piece]) -> Array:
    """Standard deviation of every joint's position, (joints,); one that turns on and on counts as if it swung.

    >>> spread_of((Piece(np.array([[0.0, 0.0], [100.0, 0.2]]), np.zeros((2, 2)), 1.0),)).round(3)
    array([1. , 0.1])
    """
    return np.minimum(np.concatenate([piece.position for piece in pieces]).std(axis=0), WIDEST)


def candidates(noise: Array, spread: Array, shares: Sequence[float] = SHARES) -> Array:
    """Levels to try, (candidates, joints): the spectrum's first.

    >>> candidates(np.array([1e-3]), np.array([0.5])).ravel().round(5)
    array([0.001 , 0.0051])
    """
    tried = [np.hypot(noise, share * spread) for share in shares]
    return np.stack([noise, *(levels for levels in tried if np.any(levels > MATTERS * noise))])


class Part(NamedTuple):
    """A stretch of time that is left out, in samples of all pieces one after another.

    >>> Part(0, 10).holds(np.array([0, 8]), 5)
    array([ True, False])
    """

    low: int
    high: int

    def holds(self, first: NDArray[np.int64], count: int) -> NDArray[np.bool_]:
        """Which windows lie in it altogether.

        >>> Part(5, 10).holds(np.array([5]), 5)
        array([ True])
        """
        return (first >= self.low) & (first + count <= self.high)


def parts_of(samples: int, parts: int = PARTS) -> list[Part]:
    """All the time, in as many stretches.

    >>> parts_of(10, 2)
    [Part(low=0, high=5), Part(low=5, high=10)]
    """
    return [Part(int(a), int(b)) for a, b in pairwise(np.linspace(0, samples, parts + 1).round())]


def left_out(likelihood: TrueMotion, x: Array, part: Part) -> tuple[TrueMotion, Array]:
    """The likelihood without a part, and the motion without it.

    >>> robot, still = bf.Robot.load("pendulum"), np.zeros((30, 1))
    >>> whole = TrueMotion(robot, bf.base_parameters(robot), (Piece(still, still, 0.01),), np.ones(1), np.ones(1))
    >>> rest, x = left_out(whole, np.zeros(30), Part(10, 20))
    >>> len(rest.pieces), x.shape
    (2, (20,))
    """
    q, kept, rows = x.reshape(-1, likelihood.joints), [], []
    for start, piece in zip(likelihood.starts, likelihood.pieces):
        size = len(piece.position)
        for low, high in ((0, min(part.low - start, size)), (max(part.high - start, 0), size)):
            if high - low > 2 * likelihood.stencil:
                kept.append(piece._replace(position=piece.position[low:high], torque=piece.torque[low:high]))
                rows.append(q[start + low : start + high])
    return replace(likelihood, pieces=tuple(kept)), np.concatenate(rows).ravel()


class Fitted(NamedTuple):
    """A likelihood with its noise levels, and where its minimum is.

    >>> Fitted._fields
    ('likelihood', 'found')
    """

    likelihood: TrueMotion
    found: Minimum


def unseen_drift(fitted: Fitted, seen: Sequence[Watched], floor: Array, most: Array) -> Array:
    """Logarithm of the drift in windows that are left out, mean over the joints, (windows,).

    `floor`: noise of the readings, below which drifts say nothing; `most`: what a lost window counts.
    """
    (likelihood, found), errors = fitted, list[Array]()
    for part in parts_of(likelihood.starts[-1]):
        chosen = [part.holds(windows.first + start, windows.size) for start, windows in zip(likelihood.starts, seen)]
        if not any(choice.any() for choice in chosen):
            continue
        rest, own = left_out(likelihood, found.x, part)
        try:
            values = minimise(rest.fill, own, found.theta, rest.system(), most=STEPS).theta
            model = likelihood.base.model(likelihood.model, values)
            sizes = np.concatenate([drifts(model, windows, choice) for windows, choice in zip(seen, chosen) if choice.any()])
        except SolveError:  # what is left does not tell the parameters: lost, with every level alike
            sizes = np.full((sum(int(choice.sum()) for choice in chosen), likelihood.joints), np.inf)
        errors.append(np.log(np.minimum(np.hypot(sizes, floor), np.maximum(most, floor))).mean(axis=1))
    return np.concatenate(errors) if errors else np.zeros(0)


Fit = Callable[[Array, Fitted | None], Fitted]  # (level, the fit before): the fit with that level
Judge = Callable[[Fitted], Array]  # logarithms of the drift where it was not fitted, (windows,)


def climbed(levels: Array, fit: Fit, judge: Judge) -> tuple[NoiseChoice, list[Fitted]]:
    """From the spectrum's level up, each fit begun where the one before has ended, and what was chosen.

    Ends early where a level is clearly worse than one below, has no solution, or is the second that did not converge.

    >>> sure = Minimum(np.zeros(1), np.zeros(1), 0.0, 1, True, ())
    >>> judge = lambda fitted: np.log([1.0, 1.1, 1.2])
    >>> choice, fits = climbed(np.array([[1e-4], [1e-3]]), lambda level, last: Fitted(None, sure), judge)
    >>> choice.chosen, len(fits)
    (0, 2)
    """
    fits, failed = [fit(levels[0], None)], 0
    drift = [judge(fits[0]) if len(levels) > 1 else np.zeros(0)]
    for level in levels[1:]:
        try:
            fits.append(fit(level, fits[-1]))
        except SolveError:  # torques without noise do not go together with positions that have more and more of it
            break
        if fits[-1].found.converged:
            drift.append(judge(fits[-1]))
            if _clearly_worse(drift):
                break
            continue
        drift.append(np.full_like(drift[0], np.inf))
        failed += 1
        if failed == FAILURES:
            break
    return NoiseChoice(levels[: len(fits)], np.stack(drift)), fits


def _clearly_worse(drift: list[Array]) -> bool:
    """The last beside the best before it."""
    loss = drift[-1] - min(drift[:-1], key=np.mean)
    return bool(np.mean(loss) > max(CLEAR * np.std(loss, ddof=1) / np.sqrt(len(loss)), TRIFLE))

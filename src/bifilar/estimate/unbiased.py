"""Do two estimators of the same parameters say the same? The test of Durbin, Wu and Hausman, in its contrast form.

    d = phi_1 - phi_2,      |d_i| / deviation of d_i     is hardly ever above 4 for any parameter if both are right

Least squares against instrumental variables: noise in the columns biases the first alone, so a difference tells of it, and
none says that least squares had been good enough. Direct inverse against instrumental variables: the first believes the
controller's model, the second does not, so a difference tells of a wrong controller (or of a wrong robot).

The deviation comes from the errors of both fits at once, coloured as they are (`loop_solve.covariance`), not from the
textbook's difference of two covariances, which need not be positive and holds for white noise only. Parameters are judged one
by one, with Bonferroni's correction: a joint test inverts an estimated covariance and cries wolf once in ten runs. A deviation
is never taken as less than half the second estimator's own, nor than half a percent of the value: filters smear the jumps of
measured accelerations where friction changes its sign, by that much.

A wrong controller shows more plainly in how closely the simulated machine follows its reference (`Tracking`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.errors import Note

MADE_BY_FILTERS = 5e-3  # of a value
LEVEL = 0.001  # probability of a false alarm that is accepted
TOLERATED = 0.05  # of the lag behind the reference: less is no wrong controller
SURE = 5.0  # deviations


@dataclass(frozen=True, eq=False)
class Contrast:
    """A difference of two estimates and how likely chance would make one as large.

    >>> same, other = (Contrast.of(("a",), np.array([x]), np.ones(1), np.ones(1), np.ones(1)) for x in (0.5, 6.0))
    >>> same.differs, other.differs, other.worst
    (False, True, 'a')
    """

    names: tuple[str, ...]
    difference: Array  # (parameters,) first minus second
    deviations: Array  # of the difference, if both are right
    probability: float  # of a difference like this one by chance

    @classmethod
    def of(cls, names: tuple[str, ...], difference: Array, deviations: Array, own: Array, values: Array) -> Contrast:
        """From deviations of the difference and of the second estimator's `values`.

        >>> Contrast.of(("a",), np.zeros(1), np.zeros(1), np.zeros(1), np.ones(1)).probability
        1.0
        """
        from scipy.special import ndtr

        size = np.maximum(np.maximum(deviations, 0.5 * own), MADE_BY_FILTERS * np.abs(values) + 1e-12)
        worst = float(np.max(np.abs(difference) / size, initial=0.0))
        return cls(names, difference, size, min(1.0, 2 * len(names) * float(ndtr(-worst))))

    @property
    def differs(self) -> bool:
        """Whether chance is no explanation.

        >>> Contrast(("a",), np.ones(1), np.ones(1), 0.2).differs
        False
        """
        return self.probability < LEVEL

    @property
    def worst(self) -> str:
        """The parameter that differs most.

        >>> Contrast(("a", "b"), np.array([1.0, 5.0]), np.ones(2), 0.2).worst
        'b'
        """
        size = np.where(self.deviations > 0, self.deviations, np.inf)
        return self.names[int(np.argmax(np.abs(self.difference) / size))]

    def table(self) -> str:
        """One line per parameter: difference and its deviation.

        >>> print(Contrast(("a",), np.ones(1), np.full(1, 0.5), 0.2).table())
        a  1 +- 0.5
        """
        width = max(map(len, self.names), default=0)
        rows = zip(self.names, self.difference, self.deviations, strict=True)
        return "\n".join(f"{name:<{width}}  {x:.4g} +- {deviation:.2g}" for name, x, deviation in rows)


@dataclass(frozen=True, eq=False)
class Tracking:
    """How closely the real machine follows its reference, in terms of the simulated one: 1 if the controller is right.

    >>> Tracking(("hip",), np.array([1.2]), np.array([0.01])).wrong
    True
    """

    joints: tuple[str, ...]
    ratio: Array  # measured lag behind the reference over the simulated one; 1.2: the simulated loop is 1.2 times as stiff
    deviations: Array

    @classmethod
    def of(cls, joints: tuple[str, ...], measured: Array, simulated: Array) -> Tracking:
        """From lags behind the reference, (rows, joints); rows are taken as independent.

        >>> x = np.sin(np.arange(200.0))[:, None]
        >>> Tracking.of(("hip",), 1.1 * x, x).ratio.round(6)
        array([1.1])
        """
        power = np.maximum(np.sum(simulated**2, axis=0), 1e-300)
        ratio = np.sum(measured * simulated, axis=0) / power
        noise = np.sum((measured - ratio * simulated) ** 2, axis=0) / max(len(measured) - 1, 1)
        return cls(joints, ratio, np.sqrt(noise / power))

    @property
    def excess(self) -> Array:
        """By how many deviations each ratio is off, less the twentieth that is tolerated; negative: all is well.

        >>> Tracking(("hip",), np.array([1.2]), np.array([0.05])).excess.round(3)
        array([-1.])
        """
        off = np.abs(self.ratio - 1)
        return np.where(off > TOLERATED, off / np.maximum(self.deviations, 1e-12), 0.0) - SURE

    @property
    def wrong(self) -> bool:
        """Whether some joint is off by more than a twentieth and by more than chance.

        >>> Tracking(("hip",), np.array([1.04]), np.array([0.001])).wrong
        False
        """
        return bool(np.any(self.excess > 0))

    @property
    def words(self) -> Note | None:
        """What is odd; None if nothing is.

        >>> Tracking(("hip",), np.array([1.2]), np.array([0.01])).words
        "'hip' lags 1.20 times as far behind its reference as the simulated machine: the controller's gains are wrong"
        """
        if not self.wrong:
            return None
        k = int(np.argmax(self.excess))
        return Note("controller.lag", joint=self.joints[k], ratio=float(self.ratio[k]))


def least_squares_words(found: Contrast) -> Note:
    """What a comparison of least squares with instruments says.

    >>> least_squares_words(Contrast(("a",), np.ones(1), np.ones(1), 0.2))
    'no significant bias of least squares (Durbin-Wu-Hausman, p = 0.2)'
    """
    if not found.differs:
        return Note("least_squares.unbiased", probability=found.probability)
    return Note("least_squares.biased", worst=found.worst, probability=found.probability)


def controller_words(found: Contrast) -> Note | None:
    """What a comparison of the direct inverse with instruments says; None if they agree.

    >>> controller_words(Contrast(("a",), np.ones(1), np.ones(1), 0.2)) is None
    True
    """
    if not found.differs:
        return None
    return Note("controller.disagrees", worst=found.worst, probability=found.probability)

"""Scores of a simplified model and of the full one on recordings that neither the fit nor the choice has seen."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from bifilar.estimate.simplify import Simplified
from bifilar.estimate.sources import Data, listed


def scored(found: Simplified, test: Data | Iterable[Data] | None) -> Simplified:
    """The same with scores on test recordings.

    >>> robot = bf.Robot.load("pendulum")
    >>> q, v, a, e = np.random.default_rng(0).normal(size=(4, 200, 1))
    >>> data = q, v, a, robot.inverse_dynamics(q, v, a) + 0.1 * e
    >>> [name for name, _, _ in scored(bf.Simplify().fit(robot, data), data).scores]
    ['test']
    """
    if test is None:
        return found
    several = listed(test)
    names = [getattr(data, "name", "") or (f"test {k}" if len(several) > 1 else "test") for k, data in enumerate(several, 1)]
    scores = [(name, found.estimate.score(data), found.full.score(data)) for name, data in zip(names, several, strict=True)]
    return replace(found, scores=tuple(scores))

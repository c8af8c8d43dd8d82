"""Ladders of models: from all parameters to one, a rung for every size, and the rule that says what goes next.

    rule.path(triangle, experiments) -> Path        every rule of simplification has this one method

A rule sees weighted equations (`subset.Triangle`) and, where it compares experiments, those of each. It knows nothing of
held-out motion: at which rung to stop is chosen elsewhere (`stopping`), but a rule may say where it would have stopped itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.estimate.subset import Subset, Triangle


class Rung(NamedTuple):
    """A model of the ladder, and what was dropped to come to it.

    >>> Rung((0, 2), ("b",), 0.01, "contributes 1 % of the torque").size
    2
    """

    kept: tuple[int, ...]
    dropped: tuple[str, ...] = ()
    score: float = float("nan")  # by which it was chosen to go
    why: str = ""
    back: tuple[str, ...] = ()  # dropped by a rung above, and here again: a LASSO path may do so

    @property
    def size(self) -> int:
        """How many parameters are left.

        >>> Rung((0, 2)).size
        2
        """
        return len(self.kept)


@dataclass(frozen=True)
class Path:
    """Rungs from the full model to the smallest.

    >>> Path((Rung((0, 1)), Rung((1,), ("a",)))).at(1).dropped
    ('a',)
    """

    rungs: tuple[Rung, ...]
    own: int | None = None  # where the rule itself would have stopped; None: it does not say
    own_words: str = ""

    def at(self, size: int) -> Rung:
        """The largest model with at most so many parameters, or the smallest of all.

        >>> Path((Rung((0, 1, 2)), Rung((1,)))).at(2).size
        1
        """
        return next((rung for rung in self.rungs if rung.size <= size), self.rungs[-1])


class Rule(Protocol):
    """What every rule of simplification can do."""

    @property
    def words(self) -> str:
        """The rule's name in a table.

        >>> isinstance(Rule.words, property)
        True
        """
        ...

    def path(self, triangle: Triangle, experiments: Sequence[Triangle] = ()) -> Path:
        """The ladder that the rule climbs down."""
        ...


Scored = Callable[[Subset], tuple[Array, Callable[[int], str]]]  # the least goes; why, in words, for any of the kept


def one_by_one(triangle: Triangle, scored: Scored, *, least: int = 1) -> tuple[Rung, ...]:
    """Drops the parameter with the least score, solves again, and so on.

    >>> two = Triangle(("a", "b"), np.array([[2.0, 0, 6], [0, 1, 1], [0, 0, 3]]), 10)
    >>> [rung.dropped for rung in one_by_one(two, lambda model: (model.contributions, lambda k: "least"))]
    [(), ('b',)]
    """
    kept = tuple(range(len(triangle.names)))
    rungs = [Rung(kept)]
    while len(kept) > max(least, 1):
        scores, why = scored(triangle.solved(kept))
        k = int(np.argmin(scores))
        gone = triangle.names[kept[k]]
        words = why(k)
        kept = (*kept[:k], *kept[k + 1 :])
        rungs.append(Rung(kept, (gone,), float(scores[k]), words))
    return tuple(rungs)


def ordered(triangle: Triangle, order: Sequence[int], scores: Array, why: Callable[[int], str]) -> tuple[Rung, ...]:
    """Drops parameters in a given order, whatever the others become meanwhile; the last one stays.

    >>> two = Triangle(("a", "b"), np.eye(3), 10)
    >>> [rung.kept for rung in ordered(two, (1, 0), np.zeros(2), str)]
    [(0, 1), (0,)]
    """
    kept = list(range(len(triangle.names)))
    rungs = [Rung(tuple(kept))]
    for k in order[: len(kept) - 1]:
        kept.remove(k)
        rungs.append(Rung(tuple(kept), (triangle.names[k],), float(scores[k]), why(k)))
    return tuple(rungs)

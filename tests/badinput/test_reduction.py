"""What `reduce` and `solve` say to wrong calls."""

from __future__ import annotations

import numpy as np
import pytest

import bifilar as bf
from bifilar.errors import ShapeError, SolveError


def still(samples=10, joints=1):
    return np.zeros((samples, joints))


def pendulum():
    return bf.Robot.load("pendulum")


def moving():
    q, v, a = np.random.default_rng(0).normal(size=(3, 50, 1))
    return bf.reduce(pendulum(), (q, v, a, q), columns=bf.base_parameters(pendulum()))


CASES = [
    ("three arrays", lambda: bf.reduce(pendulum(), [(still(), still(), still())]), ShapeError, "neither a chunk"),
    ("a number", lambda: bf.reduce(pendulum(), 5), ShapeError, "neither a chunk"),
    ("torque too short", lambda: bf.reduce(pendulum(), (still(), still(), still(), still(9))), ShapeError, "torque holds 9"),
    ("another robot", lambda: bf.reduce(pendulum(), (still(9, 2),) * 4), ShapeError, "position has the shape (9, 2)"),
    ("NaN", lambda: bf.reduce(pendulum(), (still(), still(), still(), still() * np.nan)), ShapeError, "torque"),
    ("unknown column", lambda: bf.reduce(pendulum(), (still(),) * 4, columns=["link1.maas"]), ShapeError, "link1.maas"),
    ("column twice", lambda: bf.reduce(pendulum(), (still(),) * 4, columns=["link1.mass"] * 2), ShapeError, "twice"),
    ("negative weight", lambda: bf.reduce(pendulum(), bf.Chunk(*[still()] * 4, weight=-np.ones(10))), ShapeError, "weights"),
    ("no samples", lambda: bf.solve(bf.reduce(pendulum(), iter([]))), SolveError, "no samples"),
    ("too few", lambda: bf.solve(bf.reduce(pendulum(), (still(2),) * 4)), SolveError, "2 samples give at most 2"),
    ("standing still", lambda: bf.solve(bf.reduce(pendulum(), (still(50),) * 4)), SolveError, "do not determine"),
    ("too large", lambda: bf.reduce(pendulum(), (still(), still() + 1e200, still(), still())), SolveError, "overflows"),
    ("block", lambda: bf.reduce(pendulum(), (still(),) * 4, block=-5), ShapeError, "block is -5"),
    ("weights by name", lambda: bf.solve(moving(), weights="per joint"), SolveError, "per joint"),
    ("negative row weights", lambda: bf.solve(moving(), weights=[-1.0]), SolveError, "positive"),
    ("values too many", lambda: moving().residuals(np.zeros(11)), ShapeError, "(11,)"),
    ("a table", lambda: bf.reduce(pendulum(), np.zeros((4, 9, 1))), ShapeError, "neither a chunk"),
    ("row weights", lambda: bf.reduce(pendulum(), (still(),) * 4).triangle([1, 2]), ShapeError, "2 row weights"),
]


@pytest.mark.parametrize(("call", "kind", "words"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_letters(call, kind, words):
    with pytest.raises(kind) as caught:
        call()
    assert words in caught.value.what
    assert caught.value.remedy


def test_sums_of_different_problems_are_refused():
    one, two = (bf.reduce(bf.Robot.load(name), (still(5, n),) * 4) for name, n in (("pendulum", 1), ("two_link", 2)))
    with pytest.raises(ShapeError, match="different rows or columns"):
        one + two

"""LASSO path on the whitened base regressor: parameters enter one by one as the price of their size falls.

    least |W x - torque|^2 / 2 + price sum over j of |column j| |x_j|          columns in units of the torque they move

The whole path is piecewise linear in the price and followed exactly, knot by knot (Osborne, Presnell, Turlach 2000; Efron and
others 2004): a parameter enters when its correlation with what is left reaches the price, leaves when its value passes zero.
A rung takes the columns of a knot and fits them by least squares, as all rungs are: values are not shrunk.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bifilar.dynamics import decompose
from bifilar.dynamics.tree import Array
from bifilar.estimate.rungs import Path, Rung
from bifilar.estimate.subset import Triangle

KNOTS = 20  # per parameter, at most: real paths have one or two


@dataclass(frozen=True, kw_only=True)
class Lasso:
    """Columns in the order of the LASSO path.

    >>> three = Triangle(("a", "b", "c"), np.array([[1.0, 0, 0, 99], [0, 1, 0, 0.4], [0, 0, 1, 50], [0, 0, 0, 1]]), 9)
    >>> [rung.kept for rung in Lasso().path(three).rungs]
    [(0, 1, 2), (0, 2), (0,)]
    """

    @property
    def words(self) -> str:
        """Its name.

        >>> Lasso().words
        'LASSO path'
        """
        return "LASSO path"

    def path(self, triangle: Triangle, experiments: Sequence[Triangle] = ()) -> Path:
        """The ladder: for every size the model of the lowest price that has it.

        >>> len(Lasso().path(Triangle(("a", "b"), np.eye(3), 10)).rungs)
        2
        """
        count = len(triangle.names)
        best: dict[int, tuple[float, tuple[int, ...]]] = {count: (0.0, tuple(range(count)))}
        for price, active in knots(triangle):
            if 0 < len(active) < count:
                best[len(active)] = (price, active)  # prices fall along the path: the last one stays
        rungs, before = [], set(range(count))
        for size in sorted(best, reverse=True):
            price, kept = best[size]
            gone = tuple(triangle.names[k] for k in sorted(before - set(kept)))
            back = tuple(triangle.names[k] for k in sorted(set(kept) - before))
            why = f"not worth {price:.3g} of its torque" + (f"; {', '.join(back)} came back" if back else "")
            rungs.append(Rung(kept, gone, price, why if gone else "", back))
            before = set(kept)
        return Path(tuple(rungs))


def knots(triangle: Triangle) -> list[tuple[float, tuple[int, ...]]]:
    """Prices, falling, and the columns that are used between each and the next.

    >>> knots(Triangle(("a", "b"), np.array([[1.0, 0, 3], [0, 1, 2], [0, 0, 1]]), 9))
    [(3.0, (0,)), (2.0, (0, 1))]
    """
    size = np.linalg.norm(triangle.factor[:, :-1], axis=0)
    seen = np.flatnonzero(size > 1e-12 * size.max(initial=0.0))
    x = triangle.factor[:, seen] / size[seen]
    gram, pull = x.T @ x, x.T @ triangle.factor[:, -1]
    value, active = np.zeros(len(seen)), []  # type: ignore[var-annotated]
    price, found, left = float(np.abs(pull).max(initial=0.0)), [], -1
    for _ in range(KNOTS * max(len(seen), 1)):
        rest = pull - gram @ value
        if left < 0 and len(active) < len(seen):
            others = [k for k in range(len(seen)) if k not in active]
            active.append(max(others, key=lambda k: abs(rest[k])))
        found.append((price, tuple(int(seen[k]) for k in sorted(active))))
        step, way, left = _step(gram, rest, value, active, price)
        value[active] += step * way
        price -= step
        if left >= 0:
            value[left] = 0.0
            active.remove(left)
        if price <= 1e-9 * found[0][0] or not active:
            break
    return found


def _step(gram: Array, rest: Array, value: Array, active: list[int], price: float) -> tuple[float, Array, int]:
    """How far the price falls until a column enters or one (the third) leaves, and how the values move per unit of price."""
    signs = np.sign(rest[active])
    way: Array = decompose.lstsq(gram[np.ix_(active, active)], signs, rcond=1e-13)[0].astype(np.float64)
    slope = gram[:, active] @ way
    reach, left = price, -1
    for k in range(len(rest)):
        if k in active:
            continue
        for num, den in ((price - rest[k], 1 - slope[k]), (price + rest[k], 1 + slope[k])):
            if den > 1e-12 and 1e-12 * price < num / den < reach:
                reach = float(num / den)
    for k, w in zip(active, way, strict=True):
        crossing = -value[k] / w if w else -1.0
        if 1e-12 * price < crossing < reach:
            reach, left = float(crossing), k
    return reach, way, left

"""Which columns of a regressor are independent, and what the others are in terms of them. Plain arrays, no names.

    W phi = W_independent (phi_independent + C phi_dependent),          W_dependent = W_independent C

Two counts must agree. The singular values of W as it is: how many exceed 1e-9 of the largest, with a demanded fall (a
factor of 1000) behind the last of them. And a walk through the columns in the caller's order of preference, modified
Gram-Schmidt with a second pass (Giraud, Langou and Rozloznik 2005): a column stays if what is left of it beside those
kept before exceeds the same bound. Columns of which hardly anything is left wait until the others have been seen, so that
a nearly parallel axis does not lead to coefficients of a million. Where the counts differ, or where the fall is missing,
the answer is "ambiguous".

Columns are never divided by their own norm before a threshold: that turns a column of rounding errors into a parameter.
The spectrum of divided columns is reported beside, for those who compare with methods that do (Gautier 1991).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bifilar.dynamics import decompose
from bifilar.dynamics.tree import Array
from bifilar.errors import ShapeError

Status = Literal["clear", "ambiguous"]
TOLERANCE = 1e-9  # of the largest singular value
FALL = 1e3  # demanded between the last kept and the first dropped singular value
ROUNDING = 1e-13  # of the largest singular value: what lies below is noise and has no gaps worth telling
ROUNDS = (1e-3, 1e-6, 0.0)  # of a typical column must be left of one to be kept in the first, second, third round
TINY = 1e-10  # coefficients below are zero


class Gap(NamedTuple):
    """A fall in the singular values, both sides relative to the largest one.

    >>> Gap(rank=43, kept=0.5, dropped=0.25).ratio
    2.0
    """

    rank: int  # how many lie above
    kept: float
    dropped: float

    @property
    def ratio(self) -> float:
        """How deep the fall is.

        >>> Gap(3, 0.5, 0.0).ratio
        inf
        """
        return self.kept / self.dropped if self.dropped else np.inf


@dataclass(frozen=True, eq=False)
class Grouping:
    """Independent and dependent columns (as places in the matrix), the map between them, and how sure this is.

    >>> group([[1.0, 2.0, 0.0], [0.0, 0.0, 0.0]]).coefficients
    array([[2.]])
    """

    independent: NDArray[np.int64]  # ascending
    dependent: NDArray[np.int64]  # ascending
    no_effect: NDArray[np.int64]  # columns of zeros
    coefficients: Array  # (independent, dependent)
    singular_values: Array  # of the columns as they are, relative to the largest
    residuals: Array  # (columns,) of each column beside those kept before it, relative to the largest singular value
    gap: Gap  # behind the last singular value above the tolerance
    gaps: tuple[Gap, ...]  # every fall by 1000 or more of the columns as they are
    scaled_gaps: tuple[Gap, ...]  # the same of the columns divided by their norms, without those that have no effect
    status: Status
    reason: str  # one sentence

    @property
    def rank(self) -> int:
        """How many columns are independent.

        >>> group(np.eye(3)).rank
        3
        """
        return len(self.independent)

    @property
    def candidates(self) -> tuple[int, ...]:
        """The counts that can be defended: one if it is clear.

        >>> group(np.diag([1.0, 2e-9, 0.5e-9])).candidates
        (1, 2)
        """
        if self.status == "clear":
            return (self.rank,)
        deepest = max(self.gaps, key=lambda gap: gap.ratio, default=self.gap)
        return tuple(sorted({self.rank, self.gap.rank, deepest.rank}))

    @property
    def matrix(self) -> Array:
        """(independent, columns): base values = matrix @ all values.

        >>> group([[1.0, 2.0, 0.0], [0.0, 0.0, 0.0]]).matrix
        array([[1., 2., 0.]])
        """
        columns = len(self.independent) + len(self.dependent) + len(self.no_effect)
        matrix = np.zeros((self.rank, columns))
        matrix[np.arange(self.rank), self.independent] = 1.0
        matrix[:, self.dependent] = self.coefficients
        return matrix


def group(
    matrix: ArrayLike,
    order: Sequence[int] | None = None,
    *,
    keep: Sequence[int] = (),
    tolerance: float = TOLERANCE,
    fall: float = FALL,
) -> Grouping:
    """Group the columns of a tall matrix or of its triangular factor.

    `keep` lists columns that stay if they can; `order` all or some of the others, the preferred ones first.

    >>> found = group([[1.0, 0.0, 1.0], [0.0, 1.0, 3.0], [0.0, 0.0, 0.0]], order=[2, 0, 1])
    >>> found.independent, found.dependent, found.coefficients.round(9).tolist()
    (array([0, 2]), array([1]), [[-0.333333333], [0.333333333]])
    """
    A = _finite(matrix)
    A = _factor(A) if A.shape[0] > A.shape[1] else A
    spectrum, largest = _spectrum(A)
    bound = tolerance * largest
    gap = _gap(spectrum, int(np.count_nonzero(spectrum > tolerance)))
    first = _places(keep, A.shape[1])
    then = _places([*(order or ()), *range(A.shape[1])], A.shape[1], without=first)
    norms = np.linalg.norm(A, axis=0)
    kept, residuals, basis = _walk(A, (first, then), norms, bound)
    independent = np.sort(np.array(kept, dtype=np.int64))
    idle = np.flatnonzero(norms <= bound)
    dependent = np.setdiff1d(np.arange(A.shape[1]), np.concatenate([independent, idle]))
    status, reason = _judged(gap, len(kept), residuals[kept], residuals[dependent], fall)
    live = norms > bound
    scaled, _ = _spectrum(A[:, live] / norms[live])
    return Grouping(
        independent=independent,
        dependent=dependent,
        no_effect=idle,
        coefficients=_coefficients(A, independent, dependent, basis),
        singular_values=spectrum,
        residuals=residuals / (largest or 1.0),
        gap=gap,
        gaps=_falls(spectrum, fall),
        scaled_gaps=_falls(scaled, fall),
        status=status,
        reason=reason,
    )


def triangular_factor(blocks: Iterable[Array], columns: int) -> Array:
    """R of the stacked blocks (..., columns), one block in memory at a time; R'R is the sum of W'W.

    >>> abs(triangular_factor([np.full((4, 1), 3.0), np.full((12, 1), 3.0)], 1))
    array([[12.]])
    """
    R = np.zeros((0, columns))
    for block in blocks:
        R = _factor(np.vstack([R, block.reshape(-1, columns)]))
    return R


def _factor(A: Array) -> Array:
    return np.asarray(np.linalg.qr(A, mode="r"), dtype=np.float64)


def _finite(matrix: ArrayLike) -> Array:
    A = np.asarray(matrix, dtype=np.float64)
    if A.ndim != 2 or not np.isfinite(A).all():
        raise ShapeError("matrix.not_finite", shape=A.shape)
    return A


def _spectrum(A: Array) -> tuple[Array, float]:
    """Singular values relative to the largest, one per column (zeros where there are fewer rows), and the largest."""
    values = np.zeros(A.shape[1])
    if A.size:
        values[: min(A.shape)] = decompose.svd(A, compute_uv=False)
    largest = float(values[0]) if len(values) else 0.0
    return values / (largest or 1.0), largest


def _gap(spectrum: Array, rank: int) -> Gap:
    kept = float(spectrum[rank - 1]) if rank else np.inf
    return Gap(rank, kept, float(spectrum[rank]) if rank < len(spectrum) else 0.0)


def _falls(spectrum: Array, fall: float) -> tuple[Gap, ...]:
    gaps = [_gap(spectrum, rank) for rank in range(1, len(spectrum)) if spectrum[rank - 1] > ROUNDING]
    return tuple(gap for gap in gaps if gap.ratio >= fall)


def _places(wanted: Iterable[int], columns: int, without: Sequence[int] = ()) -> list[int]:
    """Each column once."""
    places = dict.fromkeys(int(k) for k in wanted)
    if any(not 0 <= k < columns for k in places):
        raise ShapeError("column.unknown/grouping", columns=columns - 1)
    return [k for k in places if k not in without]


def _walk(A: Array, lists: Iterable[list[int]], norms: Array, bound: float) -> tuple[list[int], Array, Array]:
    """Columns kept, list by list; what was left of each column; an orthonormal basis (rows) of those kept.

    In rounds, because a direction that stands on the last digits of a column makes every later column look independent.
    """
    basis, residuals = np.zeros((min(A.shape), A.shape[0])), np.zeros(A.shape[1])
    typical = float(np.median(norms[norms > bound])) if np.any(norms > bound) else 0.0
    kept: list[int] = []
    for columns in lists:
        for share in ROUNDS:
            for j in (j for j in columns if j not in kept):
                rest, found = A[:, j].copy(), basis[: len(kept)]
                for _ in range(2):  # a second pass: the first leaves errors of the size of rounding times the condition
                    rest -= (found @ rest) @ found
                residuals[j] = np.linalg.norm(rest)
                if residuals[j] > max(bound, share * typical) and len(kept) < len(basis):
                    basis[len(kept)] = rest / residuals[j]
                    kept.append(j)
    return kept, residuals, basis[: len(kept)]


def _coefficients(A: Array, independent: NDArray[np.int64], dependent: NDArray[np.int64], basis: Array) -> Array:
    """A_dependent = A_independent C, in the coordinates of the basis; what is smaller than rounding is zero."""
    if not len(independent) or not len(dependent):
        return np.zeros((len(independent), len(dependent)))
    C = np.linalg.solve(basis @ A[:, independent], basis @ A[:, dependent])
    return np.where(np.abs(C) < TINY, 0.0, C)


def _judged(gap: Gap, walked: int, kept: Array, dropped: Array, fall: float) -> tuple[Status, str]:
    if walked != gap.rank:
        return "ambiguous", f"{gap.rank} singular values exceed the tolerance, but {walked} columns were found independent"
    if gap.ratio < fall:
        return "ambiguous", f"the singular values fall only by {gap.ratio:.2g} behind number {gap.rank}: no clear rank"
    if len(kept) and len(dropped) and kept.min() < fall * dropped.max():
        return "ambiguous", f"the last column kept stands out only {kept.min() / dropped.max():.2g} times more than one dropped"
    return "clear", f"the singular values fall by {gap.ratio:.2g} behind number {gap.rank}"

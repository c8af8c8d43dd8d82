"""The sweeps behind `banded`, one unknown after the other; compiled where numba is, run as they are (slowly) where not.

A symmetric band is kept by rows from its diagonal on: band[i, d] = H[i, i + d], d = 0 .. width - 1. Its factor H = R'R has the
same shape and takes the same place. `side` are columns beside it, (unknowns, columns). Every inner loop runs along a row of
memory and is a multiple added to it, which compilers turn into vector instructions.
"""

from __future__ import annotations

from typing import Any


def accumulate(first: Any, jacobian: Any, border: Any, band: Any, side: Any) -> None:
    """Add J'J to the band and J'B to the side; J (K, rows, width) meets the unknowns first[k], first[k] + 1, ...

    >>> band, side = np.zeros((3, 2)), np.zeros((3, 1))
    >>> accumulate(np.array([1]), np.array([[[2.0, 3.0]]]), np.array([[[5.0]]]), band, side)
    >>> band, side.ravel()
    (array([[0., 0.],
           [4., 6.],
           [9., 0.]]), array([ 0., 10., 15.]))
    """
    samples, rows, width = jacobian.shape
    columns = border.shape[2]
    for k in range(samples):
        start = first[k]
        for r in range(rows):
            for c in range(width):
                factor = jacobian[k, r, c]
                for d in range(width - c):
                    band[start + c, d] += factor * jacobian[k, r, c + d]
                for j in range(columns):
                    side[start + c, j] += factor * border[k, r, j]


def factor(band: Any, side: Any, failed: Any) -> None:
    """R with H = R'R in place of H, and R^-T side in place of side; failed[0] is 1 more than the row that has no root, or 0.

    >>> band, side, failed = np.array([[4.0, 2.0], [5.0, 0.0]]), np.array([[2.0], [3.0]]), np.zeros(1, np.int64)
    >>> factor(band, side, failed)
    >>> band, side.ravel(), failed[0]
    (array([[2., 1.],
           [2., 0.]]), array([1., 1.]), np.int64(0))
    """
    unknowns, width = band.shape
    columns = side.shape[1]
    for i in range(unknowns):
        if not band[i, 0] > 0.0:
            failed[0] = i + 1
            return
        scale = 1.0 / band[i, 0] ** 0.5
        reach = min(width, unknowns - i)
        for d in range(reach):
            band[i, d] *= scale
        for j in range(columns):
            side[i, j] *= scale
        for d in range(1, reach):
            multiple = band[i, d]
            if multiple != 0.0:
                for e in range(reach - d):
                    band[i + d, e] -= multiple * band[i, d + e]
                for j in range(columns):
                    side[i + d, j] -= multiple * side[i, j]


def back(band: Any, x: Any) -> None:
    """Solve R x = x in place.

    >>> x = np.array([3.0, 4.0])
    >>> back(np.array([[2.0, 1.0], [2.0, 0.0]]), x)
    >>> x
    array([0.5, 2. ])
    """
    unknowns, width = band.shape
    for i in range(unknowns - 1, -1, -1):
        total = x[i]
        for d in range(1, min(width, unknowns - i)):
            total -= band[i, d] * x[i + d]
        x[i] = total / band[i, 0]


def inverse(band: Any, inside: Any) -> None:
    """Those entries of (R'R)^-1 that lie inside the band (Takahashi, Fagan and Chin 1973), kept by rows as the band is.

    >>> inside = np.zeros((2, 2))
    >>> inverse(np.array([[2.0, 1.0], [2.0, 0.0]]), inside)  # of [[4, 2], [2, 5]]
    >>> inside
    array([[ 0.3125, -0.125 ],
           [ 0.25  ,  0.    ]])
    """
    unknowns, width = band.shape
    for i in range(unknowns - 1, -1, -1):
        reach = min(width, unknowns - i)
        pivot = 1.0 / band[i, 0]
        for d in range(reach - 1, -1, -1):
            total = pivot if d == 0 else 0.0
            for e in range(1, reach):
                low, high = (d, e) if d < e else (e, d)
                value = inside[i, high] if low == 0 else inside[i + low, high - low]
                total -= band[i, e] * value
            inside[i, d] = total * pivot


def spread(first: Any, jacobian: Any, inside: Any, out: Any) -> None:
    """Diagonal of J P J' for every window, P given inside its band; out (K, rows).

    >>> out = np.zeros((1, 1))
    >>> spread(np.array([0]), np.array([[[1.0, 2.0]]]), np.array([[0.3, -0.1], [0.25, 0.0]]), out)
    >>> out.round(9)
    array([[0.9]])
    """
    samples, rows, width = jacobian.shape
    for k in range(samples):
        start = first[k]
        for r in range(rows):
            total = 0.0
            for c in range(width):
                one = jacobian[k, r, c]
                total += one * one * inside[start + c, 0]
                for d in range(1, width - c):
                    total += 2.0 * one * jacobian[k, r, c + d] * inside[start + c, d]
            out[k, r] = total

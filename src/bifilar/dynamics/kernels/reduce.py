"""Rows of the regressor straight into triangular factors, or into W' y: the matrix W of a long recording is never formed.

Every row of the equations (each joint, each base row) has a factor R of its own with the columns that can be non-zero there and, last,
the measured torque. A block of samples is eliminated by Householder reflections, column by column (Golub and Van Loan, 5.2, applied
to R stacked on the block): with u = (R_kk - alpha, column k), alpha = -sign(R_kk) sqrt(R_kk^2 + |column k|^2),

    every later column a:  a -= beta (u . a) u,        beta = 2 / (u . u)

A column of a block of 32 samples is eight registers, so each later column is read once and written once per reflection.
"""

import numpy as np

from .lanes import IN2, ONE, OUT1, SIZE, TABLE1, WIDTH, L, U, block_entry, kernel, part
from .vectors import get, put, total
from .write import DRIVES, PROBLEM, rows_block

NEGLIGIBLE = 1e-280  # a smaller sum of squares is rounding of rounding, and its reciprocal overflows
W1, W2, W3, W4, W5, W6, W7 = (U(k * WIDTH) for k in range(1, 8))


@kernel
def reflect(d, columns, first, last, k, r, row):
    """Eliminate column k of a block against R_kk and apply the reflection to the columns after it."""
    c = columns[first + k]
    v0, v1, v2, v3 = get(d, c), get(d, c + W1), get(d, c + W2), get(d, c + W3)
    v4, v5, v6, v7 = get(d, c + W4), get(d, c + W5), get(d, c + W6), get(d, c + W7)
    square = total(v0 * v0 + v1 * v1 + v2 * v2 + v3 * v3 + v4 * v4 + v5 * v5 + v6 * v6 + v7 * v7)
    if square > NEGLIGIBLE:
        corner = r[row]
        norm = np.sqrt(corner * corner + square)
        alpha = -norm if corner > 0.0 else norm
        u = corner - alpha
        beta = 2.0 / (u * u + square)
        r[row] = alpha
        for j in range(first + k + ONE, last):
            a = columns[j]
            a0, a1, a2, a3 = get(d, a), get(d, a + W1), get(d, a + W2), get(d, a + W3)
            a4, a5, a6, a7 = get(d, a + W4), get(d, a + W5), get(d, a + W6), get(d, a + W7)
            to = row + (j - first - k)
            dot = total(v0 * a0 + v1 * a1 + v2 * a2 + v3 * a3 + v4 * a4 + v5 * a5 + v6 * a6 + v7 * a7)
            step = beta * (dot + u * r[to])
            r[to] -= step * u
            put(d, a, a0 - step * v0)
            put(d, a + W1, a1 - step * v1)
            put(d, a + W2, a2 - step * v2)
            put(d, a + W3, a3 - step * v3)
            put(d, a + W4, a4 - step * v4)
            put(d, a + W5, a5 - step * v5)
            put(d, a + W6, a6 - step * v6)
            put(d, a + W7, a7 - step * v7)


@kernel
def load_rows(d, row, torque, column, first, count):
    """Measured values, or weights, of one row of the equations; absent samples are zero."""
    for b in range(count):
        d[row + b] = torque[first + b, column]
    for b in range(count, L):
        d[row + b] = 0.0


@kernel
def weigh(d, columns, begin, end, weight, column, first, count, weighted):
    """Multiply a block's columns by the samples' weights; absent samples have none."""
    for j in range(begin, end):
        c = columns[j]
        if weighted:
            for b in range(count):
                d[c + b] *= weight[first + b, column]
        for b in range(count, L):
            d[c + b] = 0.0


@part
def reduce_block(d, columns, starts, corners, torque, weight, factors, first, count):
    """All rows of the equations of one block."""
    weighted = weight.shape[0] > 0
    for row in range(U(starts.shape[0]) - ONE):
        begin, end = starts[row], starts[row + ONE]
        load_rows(d, columns[end - ONE], torque, row, first, count)
        if weighted or count < L:
            weigh(d, columns, begin, end, weight, row, first, count, weighted)
        size = end - begin
        for k in range(size):
            reflect(d, columns, begin, end, k, factors, corners[row] + k * size + k)


@block_entry(*PROBLEM, *DRIVES, TABLE1, TABLE1, TABLE1, IN2, IN2, OUT1, SIZE, SIZE)
def reduce_rows(
    s, d, c, t, q, v, a, root, pairs, starts_of, own, folds, laws, mix_starts, mix_rows, mix_weights, effect, shape, entries, factors_of, load,
    columns, starts, corners, torque, weight, factors, start, stop,
):  # fmt: skip
    """Samples start..stop into the triangular factors. Row e of the equations: columns[starts[e]:starts[e + 1]] are its block rows,
    the torque's last; its factor, row by row, begins at factors[corners[e]]."""
    for first in range(start, stop, L):
        count = min(L, stop - first)
        rows_block(
            s, d, c, t, q, v, a, root, pairs, starts_of, own, folds, laws, mix_starts, mix_rows, mix_weights, effect, shape, entries, factors_of,
            load, first, count, first == start,
        )
        reduce_block(d, columns, starts, corners, torque, weight, factors, first, count)


@kernel
def add_products(d, terms, begin, end, w, sums):
    """sums += weight . entry over a block, lane by lane, for the entries of one row of the equations."""
    w0, w1, w2, w3 = get(d, w), get(d, w + W1), get(d, w + W2), get(d, w + W3)
    w4, w5, w6, w7 = get(d, w + W4), get(d, w + W5), get(d, w + W6), get(d, w + W7)
    for k in range(begin, end):
        e = terms[k]
        low = w0 * get(d, e) + w1 * get(d, e + W1) + w2 * get(d, e + W2) + w3 * get(d, e + W3)
        high = w4 * get(d, e + W4) + w5 * get(d, e + W5) + w6 * get(d, e + W6) + w7 * get(d, e + W7)
        put(sums, k * W1, get(sums, k * W1) + low + high)


@block_entry(*PROBLEM, *DRIVES, TABLE1, TABLE1, IN2, OUT1, SIZE, SIZE)
def transposed_times(
    s, d, c, t, q, v, a, root, pairs, starts_of, own, folds, laws, mix_starts, mix_rows, mix_weights, effect, shape, entries, factors_of, load,
    terms, starts, weight, sums, start, stop,
):  # fmt: skip
    """Parts of W' weight over samples start..stop: one vector in `sums` for every entry of W that is not always zero.
    terms[starts[e]:starts[e + 1]] are the block rows of the entries in row e."""
    rows = U(weight.shape[1])
    weights = U(d.shape[0]) - rows * L
    for first in range(start, stop, L):
        count = min(L, stop - first)
        rows_block(
            s, d, c, t, q, v, a, root, pairs, starts_of, own, folds, laws, mix_starts, mix_rows, mix_weights, effect, shape, entries, factors_of,
            load, first, count, first == start,
        )
        for r in range(rows):
            load_rows(d, weights + r * L, weight, r, first, count)
            add_products(d, terms, starts[r], starts[r + ONE], weights + r * L, sums)

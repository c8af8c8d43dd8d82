"""The nearest bodies that can exist, as `bifilar.online.possible` says it; compiled, as a controller may ask every millisecond."""

# mypy: ignore-errors
from __future__ import annotations

import math

from bifilar.online.kernels.compiled import IN1, IN2, ONE, OUT1, OUT2, TABLE2, ZERO, U, entry, kernel, lanes

FOUR, TEN, SIXTEEN = U(4), U(10), U(16)
JUST = 1.0 / 0.9  # a whole step must leave a tenth of the way to the border
BACK = 0.8  # what is tried next


@kernel
def factor(a, n):
    """Lower Cholesky factor in place of a symmetric matrix; whether there is one."""
    for i in range(n):
        for j in range(i + ONE):
            total = a[i, j]
            for k in range(j):
                total -= a[i, k] * a[j, k]
            if i == j:
                if not total > 0.0:
                    return False
                a[i, i] = math.sqrt(total)
            else:
                a[i, j] = total / a[j, j]
    return True


@kernel
def solve(a, n, b):
    """b becomes the solution, with the factor above."""
    for i in range(n):
        for k in range(i):
            b[i] -= a[i, k] * b[k]
        b[i] /= a[i, i]
    for r in range(n):
        i = n - ONE - r
        for k in range(i + ONE, n):
            b[i] -= a[k, i] * b[k]
        b[i] /= a[i, i]


@kernel
def pseudo(y, step, share, places, b, units, j):
    """Pseudo-inertia of one body of y + share step."""
    for i in range(FOUR):
        for c in range(FOUR):
            total = 0.0
            for k in range(TEN):
                total += (y[places[b, k]] + share * step[places[b, k]]) * units[k, i * FOUR + c]
            j[i, c] = total


@kernel
def inside(y, step, share, places, walls, units, j):
    """Whether y + share step can exist."""
    for b in range(U(places.shape[0])):
        pseudo(y, step, share, places, b, units, j)
        if not factor(j, FOUR):
            return False
    for r in range(U(walls.shape[0])):
        value = y[U(walls[r, ZERO])] + share * step[U(walls[r, ZERO])]
        if not (walls[r, ONE] < value and value < walls[r, U(2)]):
            return False
    return True


@kernel
def barrier(y, mu, places, walls, units, slope, curvature, j, column, parts):
    """Adds the derivatives of -mu log det J and of -mu log(distances); False where y itself cannot exist."""
    for b in range(U(places.shape[0])):
        pseudo(y, y, 0.0, places, b, units, j)
        if not factor(j, FOUR):
            return False
        for k in range(TEN):  # J^-1 E_k, column by column
            for c in range(FOUR):
                for i in range(FOUR):
                    column[i] = units[k, i * FOUR + c]
                solve(j, FOUR, column)
                for i in range(FOUR):
                    parts[k, i * FOUR + c] = column[i]
        for k in range(TEN):
            for i in range(FOUR):
                slope[places[b, k]] -= mu * parts[k, i * FOUR + i]
            for c in range(TEN):
                total = 0.0
                for i in range(FOUR):
                    for r in range(FOUR):
                        total += parts[k, i * FOUR + r] * parts[c, r * FOUR + i]
                curvature[places[b, k], places[b, c]] += mu * total
    for r in range(U(walls.shape[0])):
        k = U(walls[r, ZERO])
        below, above = 1.0 / (y[k] - walls[r, ONE]), 1.0 / (walls[r, U(2)] - y[k])
        slope[k] += mu * (above - below)
        curvature[k, k] += mu * (above * above + below * below)
    return True


@entry(
    IN2, IN1, IN2, TABLE2, IN2, lanes.types.float64, lanes.types.uint64,
    OUT1, OUT1, OUT1, OUT2, OUT2, OUT1, OUT2,
)  # fmt: skip
def nearest(information, m, units, places, walls, last, most, y, slope, step, curvature, j, column, parts):
    """From y, which can exist, to the nearest to m; y[0] becomes NaN where numbers fail."""
    n, mu = U(y.shape[0]), 1.0
    for _ in range(most):
        for i in range(n):
            slope[i] = 0.0
            for k in range(n):
                curvature[i, k] = information[i, k]
                slope[i] += information[i, k] * (y[k] - m[k])
        if not barrier(y, mu, places, walls, units, slope, curvature, j, column, parts) or not factor(curvature, n):
            y[ZERO] = math.nan
            return
        for i in range(n):
            step[i] = -slope[i]
        solve(curvature, n, step)
        gain, share = 0.0, 1.0
        for i in range(n):
            gain -= slope[i] * step[i]
        while share > 1e-12 and not inside(y, step, share * JUST, places, walls, units, j):
            share *= BACK
        for i in range(n):
            y[i] += share * step[i]
        if share == 1.0 and gain < 0.01 * mu:
            if mu <= last:
                return
            mu = max(0.1 * mu, last)

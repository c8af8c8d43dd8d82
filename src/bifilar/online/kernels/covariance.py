"""The factors U D U' of a covariance, updated in place; formulas and sources as in `bifilar.filters.factors`.

Column j of U lies at u[j n ... j n + j]: every recursion runs along a column, so it is read in order.
"""

# mypy: ignore-errors
from __future__ import annotations

import math

from bifilar.online.kernels.compiled import ONE, kernel, sums

LEAST = 1e-200  # a variance is never smaller


@sums
def dot(u, o, h, p, count):
    """Sum of count products."""
    total = 0.0
    for i in range(count):
        total += u[o + i] * h[p + i]
    return total


@sums
def turn_column(u, o, b, ratio, v, count):
    """A column and the gain behind it: u = u - ratio b, b = b + v u."""
    for i in range(count):
        old = u[o + i]
        u[o + i] = old - ratio * b[i]
        b[i] += v * old


@kernel
def measure(u, d, n, h, row, variance, b):
    """Take in one row h[row ... row + n]; b becomes the gain times the innovation's variance, which is returned."""
    alpha = variance
    for j in range(n):
        f = h[row + j] + dot(u, j * n, h, row, j)
        v = d[j] * f
        b[j] = v
        if v != 0.0:
            beta = alpha
            alpha += v * f
            d[j] = max(d[j] * (beta / alpha), LEAST)
            turn_column(u, j * n, b, f / beta, v, j)
    return alpha


@kernel
def add_along(u, d, n, a, last, variance):
    """P + variance a a'; a[0 ... last] is used up."""
    c = variance
    for k in range(last + ONE):
        j = last - k
        s = a[j]
        if s == 0.0:
            continue
        grown = d[j] + c * s * s
        step = s * c / grown
        c *= d[j] / grown
        d[j] = grown
        o = j * n
        for i in range(j):
            a[i] -= s * u[o + i]
            u[o + i] += step * a[i]


@kernel
def add_noise(u, d, n, i, variance, a):
    """Variance for one state."""
    for j in range(i):
        a[j] = 0.0
    a[i] = 1.0
    add_along(u, d, n, a, i, variance)


@kernel
def variance_of(u, d, n, i):
    """One diagonal number of the covariance."""
    total = d[i]
    for j in range(i + ONE, n):
        total += u[j * n + i] * u[j * n + i] * d[j]
    return total


@kernel
def forget_along(u, d, n, h, row, keep, prior, a):
    """Information along a row times `keep`, but not below that of the first variances."""
    for i in range(n):
        a[i] = h[row + i]
    information, least = 0.0, 0.0
    for k in range(n):  # solve U a = h, from the last
        j = n - ONE - k
        s = a[j]
        information += s * s / d[j]
        least += h[row + j] * h[row + j] / prior[j]
        if s != 0.0:
            o = j * n
            for i in range(j):
                a[i] -= s * u[o + i]
    least = max(least, keep * information)
    if least < information and least > 0.0 and math.isfinite(1.0 / least):
        for i in range(n):
            a[i] = h[row + i]
        add_along(u, d, n, a, n - ONE, 1.0 / least - 1.0 / information)


@kernel
def project(u, n, m, h, f):
    """f (m, n): row r is U' h_r."""
    for r in range(m):
        for j in range(n):
            f[r * n + j] = h[r * n + j] + dot(u, j * n, h, r * n, j)


@kernel
def solve_gain(u, d, n, m, h, noise, y, f, s, answer, dx):
    """dx = P H' S^-1 y and the surprise y' S^-1 y, without touching the covariance."""
    project(u, n, m, h, f)
    for r in range(m):
        for c in range(r + ONE):
            total = 0.0
            for j in range(n):
                total += f[r * n + j] * f[c * n + j] * d[j]
            s[r * m + c] = total
        s[r * m + r] += noise[r]
    surprise = 0.0
    for r in range(m):  # Cholesky, and the forward solution beside it
        for c in range(r + ONE):
            total = s[r * m + c]
            for k in range(c):
                total -= s[r * m + k] * s[c * m + k]
            s[r * m + c] = math.sqrt(max(total, 1e-300)) if r == c else total / s[c * m + c]
        total = y[r]
        for k in range(r):
            total -= s[r * m + k] * answer[k]
        answer[r] = total / s[r * m + r]
        surprise += answer[r] * answer[r]
    for k in range(m):
        r = m - ONE - k
        total = answer[r]
        for c in range(r + ONE, m):
            total -= s[c * m + r] * answer[c]
        answer[r] = total / s[r * m + r]
    for j in range(n):
        total = 0.0
        for r in range(m):
            total += f[r * n + j] * answer[r]
        dx[j] = total * d[j]
    for j in range(n):  # U times that, in place: column j adds to earlier entries, which are finished last
        s_j = dx[j]
        for i in range(j):
            dx[i] += u[j * n + i] * s_j
    return surprise

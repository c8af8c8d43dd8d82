"""A walker's controller and its ground, in loops: feedback linearisation of virtual constraints, steps until a touchdown.

    w = H t - wanted          H acc = v      =>      u = (H D^-1 P')^-1 (v - H acc(u = 0))
    v = scale (-sign(y) |y|^a - sign(f) |f|^b),   f = w + c sign(y) |y|^e,   y = eps w'         law = eps, scale, a, b, c, e

Guard: max(angle - t_0, height of the swing foot) sinks through zero; without a height, the angle alone. guard = angle, 1 or 0.
`bifilar.walking.gait` and `hybrid` call these; P's first row is the pivot, which nothing drives.
"""

# mypy: ignore-errors
from __future__ import annotations

import math

from bifilar.walking.kernels.compiled import FLOAT, IN1, IN2, IN3, INT, OUT1, OUT2, VOID, entry, kernel
from bifilar.walking.kernels.swing import equations, factor, rate, solve, step


@kernel
def power(x, exponent):
    """sign(x) |x|^exponent."""
    if x == 0.0:
        return 0.0
    return math.copysign(abs(x) ** exponent, x)


@kernel
def above(guard, foot, x):
    """Positive as long as the walker has not touched down."""
    value = guard[0] - x[0]
    if guard[1] > 0.0:
        height = 0.0
        for j in range(foot.shape[0]):
            height += math.cos(x[j]) * foot[j, 1] - math.sin(x[j]) * foot[j, 0]
        if height > value:
            value = height
    return value


@kernel
def control(part, moment, rub, joint, plain, constraint, wanted, law, limit, x, work, u):
    """u (p,) that makes the constraints follow the law; zero at the pivot, cut off at +- limit."""
    n, m = moment.shape[0], constraint.shape[0]
    sine, matrix = work[: 2 * n].reshape((2, n)), work[2 * n : 2 * n + n * n].reshape((n, n))
    o = 2 * n + n * n
    free, column = work[o : o + n], work[o + n : o + 2 * n]
    o += 2 * n
    system, right = work[o : o + m * m].reshape((m, m)), work[o + m * m : o + m * m + m]
    for r in range(u.shape[0]):
        u[r] = 0.0
    equations(part, moment, rub, joint, plain, x, u, sine, matrix, free)
    factor(matrix, n)
    solve(matrix, n, free)
    for i in range(m):
        w, speed, drift = -wanted[i], 0.0, 0.0
        for j in range(n):
            w += constraint[i, j] * x[j]
            speed += constraint[i, j] * x[n + j]
            drift += constraint[i, j] * free[j]
        y = law[0] * speed
        f = w + law[4] * power(y, law[5])
        right[i] = law[1] * (-power(y, law[2]) - power(f, law[3])) - drift
    for r in range(m):
        for j in range(n):
            column[j] = joint[r + 1, j]
        solve(matrix, n, column)
        for i in range(m):
            e = 0.0
            for j in range(n):
                e += constraint[i, j] * column[j]
            system[i, r] = e
    eliminate(system, right, m)
    for r in range(m):
        u[r + 1] = min(max(right[r], -limit), limit)


@kernel
def eliminate(system, right, m):
    """right = system^-1 right, with pivots."""
    for k in range(m):
        best = k
        for i in range(k + 1, m):
            if abs(system[i, k]) > abs(system[best, k]):
                best = i
        if best != k:
            for j in range(m):
                system[k, j], system[best, j] = system[best, j], system[k, j]
            right[k], right[best] = right[best], right[k]
        for i in range(k + 1, m):
            f = system[i, k] / system[k, k]
            for j in range(k, m):
                system[i, j] -= f * system[k, j]
            right[i] -= f * right[k]
    for i in range(m):
        k = m - 1 - i
        for j in range(k + 1, m):
            right[k] -= system[k, j] * right[j]
        right[k] /= system[k, k]


@entry(VOID, IN3, IN2, IN2, IN2, IN1, IN2, IN1, IN1, FLOAT, IN1, OUT1, OUT1)
def torque(part, moment, rub, joint, plain, constraint, wanted, law, limit, x, work, u):
    """`control` of one state."""
    control(part, moment, rub, joint, plain, constraint, wanted, law, limit, x, work, u)


@entry(INT, IN3, IN2, IN2, IN2, IN1, OUT1, IN1, FLOAT, INT, INT, IN1, IN2, OUT1)
def until(part, moment, rub, joint, plain, x, u, h, many, euler, guard, foot, work):
    """x up to `many` steps of h further, torque held; steps that were made before the one that touches down."""
    n = moment.shape[0]
    size = 2 * n
    sine, matrix = work[: 2 * n].reshape((2, n)), work[2 * n : 2 * n + n * n].reshape((n, n))
    o = 2 * n + n * n
    k, mid, total = work[o : o + size], work[o + size : o + 2 * size], work[o + 2 * size : o + 3 * size]
    before = work[o + 3 * size : o + 4 * size]
    for count in range(many):
        high = above(guard, foot, x) > 0.0
        for i in range(size):
            before[i] = x[i]
        step(part, moment, rub, joint, plain, x, u, h, euler, sine, matrix, k, mid, total)
        if high and above(guard, foot, x) <= 0.0:
            for i in range(size):
                x[i] = before[i]
            return count
    return many


@kernel
def driven(part, moment, rub, joint, plain, constraint, wanted, law, limit, x, h, sine, matrix, k, mid, total, u, rest):
    """x one Runge-Kutta step further, the controller asked at every stage."""
    size = x.shape[0]
    for i in range(size):
        mid[i], total[i] = x[i], 0.0
    for which in range(4):
        control(part, moment, rub, joint, plain, constraint, wanted, law, limit, mid, rest, u)
        rate(part, moment, rub, joint, plain, mid, u, sine, matrix, k)
        weight = 1.0 if which == 0 or which == 3 else 2.0
        ahead = h if which == 2 else 0.5 * h
        for i in range(size):
            total[i] += weight * k[i]
            mid[i] = x[i] + ahead * k[i]
    for i in range(size):
        x[i] += h / 6.0 * total[i]


@entry(INT, IN3, IN2, IN2, IN2, IN1, IN2, IN1, IN1, FLOAT, OUT1, FLOAT, INT, IN1, IN2, OUT1, OUT2)
def driven_until(
    part, moment, rub, joint, plain, constraint, wanted, law, limit, x, h, many, guard, foot, work, history
):  # fmt: skip
    """x up to `many` steps of h further under control; steps before the one that touches down, or -1 - steps if it fell.

    history (many + 1 or 0, 2 n + p) receives states and torques."""
    n, p = moment.shape[0], joint.shape[0]
    size = 2 * n
    sine, matrix = work[: 2 * n].reshape((2, n)), work[2 * n : 2 * n + n * n].reshape((n, n))
    o = 2 * n + n * n
    k, mid, total = work[o : o + size], work[o + size : o + 2 * size], work[o + 2 * size : o + 3 * size]
    before, u, rest = work[o + 3 * size : o + 4 * size], work[o + 4 * size : o + 4 * size + p], work[o + 4 * size + p :]
    for count in range(many):
        if history.shape[0] > 0:
            control(part, moment, rub, joint, plain, constraint, wanted, law, limit, x, rest, u)
            for i in range(size):
                history[count, i] = x[i]
            for i in range(p):
                history[count, size + i] = u[i]
        high = above(guard, foot, x) > 0.0
        for i in range(size):
            before[i] = x[i]
        driven(
            part, moment, rub, joint, plain, constraint, wanted, law, limit, x, h, sine, matrix, k, mid, total, u, rest
        )  # fmt: skip
        if high and above(guard, foot, x) <= 0.0:
            for i in range(size):
                x[i] = before[i]
            return count
        if not abs(x[0]) < guard[2]:
            return -1 - count
    return many


@entry(VOID, IN3, IN2, IN2, IN2, IN1, IN2, IN1, IN1, FLOAT, OUT1, FLOAT, OUT1)
def driven_step(part, moment, rub, joint, plain, constraint, wanted, law, limit, x, h, work):
    """x one step under control."""
    n, p = moment.shape[0], joint.shape[0]
    size = 2 * n
    sine, matrix = work[: 2 * n].reshape((2, n)), work[2 * n : 2 * n + n * n].reshape((n, n))
    o = 2 * n + n * n
    k, mid, total = work[o : o + size], work[o + size : o + 2 * size], work[o + 2 * size : o + 3 * size]
    u, rest = work[o + 4 * size : o + 4 * size + p], work[o + 4 * size + p :]
    driven(part, moment, rub, joint, plain, constraint, wanted, law, limit, x, h, sine, matrix, k, mid, total, u, rest)

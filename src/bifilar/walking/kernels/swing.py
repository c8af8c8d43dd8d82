"""One walker on one foot: accelerations, their derivatives, Runge-Kutta and Euler steps with the derivatives of the step.

With the angles t of the links from the vertical, their rates v, and d = t_j - t_k (see `bifilar.walking.planar`)

    D_jk = a_jk cos d - b_jk sin d + r_jk          h_j = sum_k (a_jk sin d + b_jk cos d) v_k^2
    G_j = -g . R(t_j) (m_z, -m_x)                  F = P' (viscous P v + coulomb sign(P v)),  sign s / sqrt(s^2 + width^2)
    D acc = P' u - h - G - F

The model comes as arrays: part (3, n, n) = a, b, r; moment (n, 2); rub (p, 2) of the joints; joint (p, n) = P; plain (3,) =
gravity x, z and the width of the smooth sign. u has one torque for every row of P. work is scratch.
"""

# mypy: ignore-errors
from __future__ import annotations

import math

from bifilar.walking.kernels.compiled import FLOAT, IN1, IN2, IN3, INT, OUT1, OUT2, VOID, entry, kernel


@kernel
def smooth_sign(s, width):
    """s / sqrt(s^2 + width^2); the sign itself for width 0."""
    if s == 0.0:
        return 0.0
    return s / math.sqrt(s * s + width * width)


@kernel
def equations(part, moment, rub, joint, plain, x, u, sine, matrix, right):
    """matrix = D, right = P' u - h - G - F; sine (2, n) receives sines and cosines of the angles."""
    n, p = moment.shape[0], joint.shape[0]
    for j in range(n):
        sine[0, j], sine[1, j] = math.sin(x[j]), math.cos(x[j])
    for j in range(n):
        s, c = sine[0, j], sine[1, j]
        mx, mz = moment[j, 0], moment[j, 1]
        total = plain[0] * (mz * c - mx * s) - plain[1] * (mz * s + mx * c)
        for k in range(n):
            cd = c * sine[1, k] + s * sine[0, k]
            sd = s * sine[1, k] - c * sine[0, k]
            a, b = part[0, j, k], part[1, j, k]
            matrix[j, k] = a * cd - b * sd + part[2, j, k]
            total -= (a * sd + b * cd) * x[n + k] * x[n + k]
        right[j] = total
    for r in range(p):
        speed = 0.0
        for j in range(n):
            speed += joint[r, j] * x[n + j]
        push = u[r] - rub[r, 0] * speed
        if rub[r, 1] != 0.0:
            push -= rub[r, 1] * smooth_sign(speed, plain[2])
        for j in range(n):
            right[j] += joint[r, j] * push


@kernel
def factor(matrix, n):
    """Cholesky factor in the lower triangle."""
    for j in range(n):
        d = matrix[j, j]
        for k in range(j):
            d -= matrix[j, k] * matrix[j, k]
        d = math.sqrt(d) if d > 0.0 else math.nan
        matrix[j, j] = d
        for i in range(j + 1, n):
            e = matrix[i, j]
            for k in range(j):
                e -= matrix[i, k] * matrix[j, k]
            matrix[i, j] = e / d


@kernel
def solve(matrix, n, right):
    """right = (L L')^-1 right."""
    for j in range(n):
        e = right[j]
        for k in range(j):
            e -= matrix[j, k] * right[k]
        right[j] = e / matrix[j, j]
    for i in range(n):
        j = n - 1 - i
        e = right[j]
        for k in range(j + 1, n):
            e -= matrix[k, j] * right[k]
        right[j] = e / matrix[j, j]


@kernel
def rate(part, moment, rub, joint, plain, x, u, sine, matrix, out):
    """out = d x / d t; matrix keeps the factor of D."""
    n = moment.shape[0]
    acc = out[n:]
    equations(part, moment, rub, joint, plain, x, u, sine, matrix, acc)
    factor(matrix, n)
    solve(matrix, n, acc)
    for j in range(n):
        out[j] = x[n + j]


@kernel
def slopes(part, moment, rub, joint, plain, x, u, acc, sine, matrix, column, out):
    """out (n, 2 n + p + 1) = derivatives of the accelerations by x, by u, and by a turn of gravity; after `rate`."""
    n, p = moment.shape[0], joint.shape[0]
    for i in range(n):
        for j in range(2 * n + p + 1):
            out[i, j] = 0.0
    for j in range(n):
        s, c = sine[0, j], sine[1, j]
        mx, mz = moment[j, 0], moment[j, 1]
        own = -plain[0] * (mz * s + mx * c) - plain[1] * (mz * c - mx * s)
        for k in range(n):
            cd = c * sine[1, k] + s * sine[0, k]
            sd = s * sine[1, k] - c * sine[0, k]
            cosine, cross = part[0, j, k] * cd - part[1, j, k] * sd, part[0, j, k] * sd + part[1, j, k] * cd
            v = x[n + k]
            if k != j:
                turn = cross * acc[k] - cosine * v * v
                out[j, k] -= turn
                own += turn
            out[j, n + k] -= 2.0 * cross * v
        out[j, j] += own
        # gravity turns by +1 rad about +y: (g_x, g_z) -> (g_z, -g_x)
        out[j, 2 * n + p] = plain[1] * (mz * c - mx * s) + plain[0] * (mz * s + mx * c)
    for r in range(p):
        speed = 0.0
        for j in range(n):
            speed += joint[r, j] * x[n + j]
        slope = rub[r, 0]
        if rub[r, 1] != 0.0 and plain[2] > 0.0:
            size = speed * speed + plain[2] * plain[2]
            slope += rub[r, 1] * plain[2] * plain[2] / (size * math.sqrt(size))
        for i in range(n):
            out[i, 2 * n + r] = joint[r, i]
            for j in range(n):
                out[i, n + j] -= joint[r, i] * slope * joint[r, j]
    for j in range(2 * n + p + 1):
        for i in range(n):
            column[i] = out[i, j]
        solve(matrix, n, column)
        for i in range(n):
            out[i, j] = column[i]


@entry(VOID, IN3, IN2, IN2, IN2, IN1, IN2, IN2, OUT1, OUT2)
def rates(part, moment, rub, joint, plain, states, torques, work, out):
    """d x / d t of every state; torques (K or 1, p)."""
    n = moment.shape[0]
    sine, matrix = work[: 2 * n].reshape((2, n)), work[2 * n : 2 * n + n * n].reshape((n, n))
    for i in range(states.shape[0]):
        rate(part, moment, rub, joint, plain, states[i], torques[i % torques.shape[0]], sine, matrix, out[i])


@entry(VOID, IN3, IN2, IN2, IN2, IN1, IN1, IN1, OUT1, OUT1, OUT2)
def rate_slopes(part, moment, rub, joint, plain, x, u, work, out, slope):
    """d x / d t of one state and the derivatives of its accelerations."""
    n = moment.shape[0]
    sine, matrix = work[: 2 * n].reshape((2, n)), work[2 * n : 2 * n + n * n].reshape((n, n))
    column = work[2 * n + n * n : 3 * n + n * n]
    rate(part, moment, rub, joint, plain, x, u, sine, matrix, out)
    slopes(part, moment, rub, joint, plain, x, u, out[n:], sine, matrix, column, slope)


@kernel
def step(part, moment, rub, joint, plain, x, u, h, euler, sine, matrix, k, mid, total):
    """x one step further: Runge-Kutta of fourth order, or Euler."""
    size = x.shape[0]
    rate(part, moment, rub, joint, plain, x, u, sine, matrix, k)
    if euler:
        for i in range(size):
            x[i] += h * k[i]
        return
    for i in range(size):
        total[i] = k[i]
        mid[i] = x[i] + 0.5 * h * k[i]
    rate(part, moment, rub, joint, plain, mid, u, sine, matrix, k)
    for i in range(size):
        total[i] += 2.0 * k[i]
        mid[i] = x[i] + 0.5 * h * k[i]
    rate(part, moment, rub, joint, plain, mid, u, sine, matrix, k)
    for i in range(size):
        total[i] += 2.0 * k[i]
        mid[i] = x[i] + h * k[i]
    rate(part, moment, rub, joint, plain, mid, u, sine, matrix, k)
    for i in range(size):
        x[i] += h / 6.0 * (total[i] + k[i])


@entry(VOID, IN3, IN2, IN2, IN2, IN1, OUT2, IN2, FLOAT, INT, INT, OUT1)
def flow(part, moment, rub, joint, plain, states, torques, h, many, euler, work):
    """Every state `many` steps of h further, torque held."""
    n = moment.shape[0]
    sine, matrix = work[: 2 * n].reshape((2, n)), work[2 * n : 2 * n + n * n].reshape((n, n))
    o = 2 * n + n * n
    k, mid, total = work[o : o + 2 * n], work[o + 2 * n : o + 4 * n], work[o + 4 * n : o + 6 * n]
    for i in range(states.shape[0]):
        u = torques[i % torques.shape[0]]
        for _ in range(many):
            step(part, moment, rub, joint, plain, states[i], u, h, euler, sine, matrix, k, mid, total)


@kernel
def _stage(part, moment, rub, joint, plain, x, u, sine, matrix, column, slope, k, full, at, stage):
    """k = rate at x, stage (2 n, c) = d rate / d start, where at (2 n, c) = d x / d start, start = (x, u, turn of gravity)."""
    n, p = moment.shape[0], joint.shape[0]
    size = 2 * n
    rate(part, moment, rub, joint, plain, x, u, sine, matrix, k)
    slopes(part, moment, rub, joint, plain, x, u, k[n:], sine, matrix, column, slope)
    for c in range(full):
        for i in range(n):
            stage[i, c] = at[n + i, c]
            e = 0.0
            for j in range(size):
                e += slope[i, j] * at[j, c]
            if c >= size:
                e += slope[i, c]
            stage[n + i, c] = e
    return p


@kernel
def steps_slopes(part, moment, rub, joint, plain, x, u, h, many, euler, work, change):
    """`flow_slopes`, for other kernels."""
    n, p = moment.shape[0], joint.shape[0]
    size, full = 2 * n, 2 * n + p + 1
    sine, matrix = work[: 2 * n].reshape((2, n)), work[2 * n : 2 * n + n * n].reshape((n, n))
    o = 2 * n + n * n
    column, k, mid, total = work[o : o + n], work[o + n : o + 3 * n], work[o + 3 * n : o + 5 * n], work[o + 5 * n : o + 7 * n]
    o += 7 * n
    slope = work[o : o + n * full].reshape((n, full))
    o += n * full
    stage = work[o : o + size * full].reshape((size, full))
    at = work[o + size * full : o + 2 * size * full].reshape((size, full))
    gathered = work[o + 2 * size * full : o + 3 * size * full].reshape((size, full))
    for i in range(size):
        for c in range(full):
            change[i, c] = 1.0 if i == c else 0.0
    for _ in range(many):
        for i in range(size):
            mid[i], total[i] = x[i], 0.0
            for c in range(full):
                at[i, c], gathered[i, c] = change[i, c], 0.0
        for which in range(1 if euler else 4):
            _stage(part, moment, rub, joint, plain, mid, u, sine, matrix, column, slope, k, full, at, stage)
            weight = 6.0 if euler else (1.0 if which == 0 or which == 3 else 2.0)
            ahead = h if which == 2 else 0.5 * h
            for i in range(size):
                total[i] += weight * k[i]
                mid[i] = x[i] + ahead * k[i]
                for c in range(full):
                    gathered[i, c] += weight * stage[i, c]
                    at[i, c] = change[i, c] + ahead * stage[i, c]
        for i in range(size):
            x[i] += h / 6.0 * total[i]
            for c in range(full):
                change[i, c] += h / 6.0 * gathered[i, c]


@entry(VOID, IN3, IN2, IN2, IN2, IN1, OUT1, IN1, FLOAT, INT, INT, OUT1, OUT2)
def flow_slopes(part, moment, rub, joint, plain, x, u, h, many, euler, work, change):
    """x `many` steps further; change (2 n, 2 n + p + 1) = its derivative by the first x, by u, by a turn of gravity."""
    steps_slopes(part, moment, rub, joint, plain, x, u, h, many, euler, work, change)

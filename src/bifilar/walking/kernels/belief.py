"""Kalman filters of a walker between touchdowns, in loops: predict and correct, by derivatives and by points.

They are `predict_extended`, `update_extended`, `predict_unscented` and `update_unscented` of `bifilar.filters` with a walker's
maps inside; a test compares them. Points: 2 d, at the mean +- sqrt(d) columns of the Cholesky factor, all of the same weight.
"""

# mypy: ignore-errors
from __future__ import annotations

import math

from bifilar.walking.kernels.compiled import kernel
from bifilar.walking.kernels.eyes import read, read_slopes
from bifilar.walking.kernels.machine import from_links, lean, move, to_links, to_rows
from bifilar.walking.kernels.swing import factor, solve, steps_slopes


@kernel
def draw(z, p, low, points):
    """Points of a belief; a covariance without factor makes them not numbers."""
    d = z.shape[0]
    for i in range(d):
        for j in range(d):
            low[i, j] = d * p[i, j]
    factor(low, d)
    for i in range(d):
        for j in range(d):
            arm = low[j, i] if j >= i else 0.0
            points[i, j], points[d + i, j] = z[j] + arm, z[j] - arm


@kernel
def predict_points(machine, s, z, p, torque, noise, h, many, euler, room):
    """The belief one period later."""
    d, points = z.shape[0], room.points
    count = 2 * d
    draw(z, p, room.low, points)
    to_rows(machine, s, torque, room.u)
    for i in range(count):
        lean(machine, s, points[i], room.plain)
        to_links(machine, s, points[i], room.x)
        move(machine, s, room.x, room.u, room.plain, h, many, euler, room.work)
        from_links(machine, s, room.x, points[i])
    for j in range(d):
        total = 0.0
        for i in range(count):
            total += points[i, j]
        z[j] = total / count
    for a in range(d):
        for b in range(a + 1):
            total = 0.0
            for i in range(count):
                total += (points[i, a] - z[a]) * (points[i, b] - z[b])
            p[a, b] = p[b, a] = total / count + noise[a, b]


@kernel
def predict_slopes(machine, s, z, p, torque, noise, h, many, euler, room):
    """The belief one period later, by the derivative of the flow."""
    n, d = machine.offset.shape[1], z.shape[0]
    part, moment, rub, joint = machine.part[3 * s : 3 * s + 3], machine.moment[s], machine.rub[s], machine.joint[s]
    to_rows(machine, s, torque, room.u)
    lean(machine, s, z, room.plain)
    to_links(machine, s, z, room.x)
    steps_slopes(part, moment, rub, joint, room.plain, room.x, room.u, h, many, euler, room.work, room.change)
    from_links(machine, s, room.x, z)
    f, half = room.first, room.second
    for i in range(d):
        for j in range(d):
            f[i, j] = 1.0 if i == j else 0.0
    change = room.change
    for top in range(2):
        for i in range(n):
            for left in range(2):
                for j in range(n):
                    total = 0.0
                    for a in range(n):
                        inner = 0.0
                        for b in range(n):
                            inner += change[top * n + a, left * n + b] * machine.matrix[s, b, j]
                        total += machine.inverse[s, i, a] * inner
                    f[top * n + i, left * n + j] = total
            if d > 2 * n:
                total = 0.0
                for a in range(n):
                    total += machine.inverse[s, i, a] * change[top * n + a, 3 * n]
                f[top * n + i, 2 * n] = total
    sandwich(f, p, half, noise)


@kernel
def sandwich(f, p, half, noise):
    """p = f p f' + noise."""
    d = p.shape[0]
    for i in range(d):
        for j in range(d):
            total = 0.0
            for k in range(d):
                total += f[i, k] * p[k, j]
            half[i, j] = total
    for i in range(d):
        for j in range(i + 1):
            total = noise[i, j]
            for k in range(d):
                total += half[i, k] * f[j, k]
            p[i, j] = p[j, i] = total


@kernel
def deviation(eyes, c, reading):
    """Of a channel, at a reading."""
    return eyes.noise[c, 0] + eyes.noise[c, 1] * abs(reading)


@kernel
def correct_points(machine, eyes, s, z, p, torque, y, room):
    """The belief after readings; covariance as a sum of squares."""
    d, m, points, seen = z.shape[0], y.shape[0], room.points, room.seen
    count, mean, gain, spread = 2 * d, room.read, room.gain, room.spread
    draw(z, p, room.low, points)
    for i in range(count):
        read(machine, eyes, s, points[i], torque, room, seen[i])
    for c in range(m):
        total = 0.0
        for i in range(count):
            total += seen[i, c]
        mean[c] = total / count
    for i in range(count):
        for j in range(d):
            points[i, j] -= z[j]
        for c in range(m):
            seen[i, c] -= mean[c]
    for a in range(m):
        for b in range(a + 1):
            total = 0.0
            for i in range(count):
                total += seen[i, a] * seen[i, b]
            spread[a, b] = spread[b, a] = total / count
        spread[a, a] += deviation(eyes, a, y[a]) ** 2
    factor(spread, m)
    for j in range(d):
        for c in range(m):
            total = 0.0
            for i in range(count):
                total += seen[i, c] * points[i, j]
            room.other[c] = total / count
        solve(spread, m, room.other)
        for c in range(m):
            gain[c, j] = room.other[c]
            z[j] += gain[c, j] * (y[c] - mean[c])
    for i in range(count):
        for j in range(d):
            for c in range(m):
                points[i, j] -= gain[c, j] * seen[i, c]
    for a in range(d):
        for b in range(a + 1):
            total = 0.0
            for i in range(count):
                total += points[i, a] * points[i, b]
            total /= count
            for c in range(m):
                total += gain[c, a] * deviation(eyes, c, y[c]) ** 2 * gain[c, b]
            p[a, b] = p[b, a] = total


@kernel
def correct_slopes(machine, eyes, s, z, p, torque, y, room):
    """The belief after readings, Joseph's covariance."""
    d, m, by, gain, spread = z.shape[0], y.shape[0], room.by, room.gain, room.spread
    read_slopes(machine, eyes, s, z, torque, room, room.read, by)
    for c in range(m):
        for j in range(d):
            total = 0.0
            for k in range(d):
                total += by[c, k] * p[k, j]
            gain[c, j] = total
    for a in range(m):
        for b in range(m):
            total = 0.0
            for j in range(d):
                total += gain[a, j] * by[b, j]
            spread[a, b] = total
        spread[a, a] += deviation(eyes, a, y[a]) ** 2
    factor(spread, m)
    for j in range(d):
        for c in range(m):
            room.other[c] = gain[c, j]
        solve(spread, m, room.other)
        for c in range(m):
            gain[c, j] = room.other[c]
    left, noise = room.first, room.low
    for i in range(d):
        for c in range(m):
            z[i] += gain[c, i] * (y[c] - room.read[c])
        for j in range(d):
            left[i, j], noise[i, j] = 1.0 if i == j else 0.0, 0.0
            for c in range(m):
                left[i, j] -= gain[c, i] * by[c, j]
                noise[i, j] += gain[c, i] * deviation(eyes, c, y[c]) ** 2 * gain[c, j]
    sandwich(left, p, room.second, noise)


@kernel
def surprise(z, p, truth, low, vector):
    """Normalised squared error of a true state."""
    d, total = truth.shape[0], 0.0
    for i in range(d):
        vector[i] = truth[i] - z[i]
        for j in range(d):
            low[i, j] = p[i, j]
    factor(low, d)
    for i in range(d):
        e = vector[i]
        for k in range(i):
            e -= low[i, k] * vector[k]
        vector[i] = e / low[i, i]
        total += vector[i] * vector[i]
    return total if not math.isnan(total) else math.inf

"""Friction, offset and rotor columns of a block; the formulas stand in bifilar.dynamics.columns.

One number f per column and sample, then one row of the block for every matrix entry it fills, scaled by its effect.
"""

import numpy as np

from .lanes import ONE, ZERO, L, U, kernel, part

VISCOUS, COULOMB, OFFSET, STRIBECK, POWER, LOAD, ROTOR = 0, 1, 2, 3, 4, 5, 6


@kernel
def mix(s, to, values, weights, k, first, count):
    """to = values . weights[k], skipping zeros."""
    for b in range(L):
        s[to + b] = 0.0
    for j in range(U(weights.shape[1])):
        weight = weights[k, j]
        if weight != 0.0:
            for b in range(count):
                s[to + b] += weight * values[first + b, j]


@kernel
def soft_sign(s, source, to, width):
    """s / sqrt(s^2 + width^2); the hard sign at width zero."""
    if width > 0.0:
        square = width * width
        for b in range(L):
            x = s[source + b]
            s[to + b] = x / np.sqrt(x * x + square)
    else:
        for b in range(L):
            x = s[source + b]
            s[to + b] = (1.0 if x > 0.0 else 0.0) - (1.0 if x < 0.0 else 0.0)


@kernel
def column_value(s, k, kind, drive, effect, shape, v, a, load, first, count, to, speed, sign):
    """f of column k into row `to`. shape[k]: width, Stribeck speed, exponent, side."""
    mix(s, speed, a if kind == ROTOR else v, drive, k, first, count)
    if kind == ROTOR or kind == VISCOUS:
        for b in range(L):
            s[to + b] = s[speed + b]
    else:
        soft_sign(s, speed, sign, shape[k, 0])
        if kind == OFFSET:
            for b in range(L):
                s[to + b] = 1.0
        elif kind == COULOMB:
            for b in range(L):
                s[to + b] = s[sign + b]
        elif kind == STRIBECK:
            for b in range(L):
                x = s[speed + b] / shape[k, 1]
                s[to + b] = np.exp(-x * x) * s[sign + b]
        elif kind == POWER:
            for b in range(L):
                s[to + b] = np.abs(s[speed + b]) ** shape[k, 2] * s[sign + b]
        else:
            mix(s, to, load, effect, k, first, count)
            for b in range(L):
                s[to + b] = np.abs(s[to + b]) * s[sign + b]


@part
def drive_block(s, temporary, d, kinds, drive, effect, shape, entries, factors, v, a, load, first, count):
    """All drive columns of a block. entries (m, 2): column, offset of its row in `d`; factors: the effect there."""
    value, speed, sign = temporary, temporary + L, temporary + L + L
    previous = U(kinds.shape[0])
    for e in range(U(entries.shape[0])):
        k = entries[e, ZERO]
        if k != previous:
            column_value(s, k, kinds[k], drive, effect, shape, v, a, load, first, count, value, speed, sign)
            side = shape[k, 3]
            if side != 0.0:
                soft_sign(s, speed, sign, shape[k, 0])
                for b in range(L):
                    s[value + b] *= 0.5 * (1.0 + side * s[sign + b])
            previous = k
        factor, to = factors[e], entries[e, ONE]
        for b in range(L):
            d[to + b] = factor * s[value + b]

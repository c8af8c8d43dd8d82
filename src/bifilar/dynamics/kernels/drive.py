"""Friction, offset and rotor columns of a block; the formulas stand in bifilar.dynamics.columns.

One number f per column and sample, then one row of the block for every matrix entry it fills, scaled by its effect. Speeds and
accelerations are mixed from the joints' rows in the scratch, which the motion has loaded already.
"""

import numpy as np

from .lanes import L2, ONE, STEP, TWO, ZERO, L, U, kernel, part
from .vectors import get, hard_sign, magnitude, put, sine_cosine, square_root

VISCOUS, COULOMB, OFFSET, STRIBECK, POWER, LOAD, ROTOR, POSITION = 0, 1, 2, 3, 4, 5, 6, 7


@kernel
def mix(s, rows, weights, begin, end, shift, to):
    """to = weighted sum of rows; shift picks positions (0), velocities (1) or accelerations (2) of the joints."""
    for b in range(ZERO, L, STEP):
        put(s, to + b, 0.0)
    for k in range(begin, end):
        source, weight = rows[k] + shift * L, weights[k]
        for b in range(ZERO, L, STEP):
            put(s, to + b, get(s, to + b) + weight * get(s, source + b))


@kernel
def soft_sign(s, source, to, width):
    """s / sqrt(s^2 + width^2); the hard sign at width zero."""
    square = width * width
    for b in range(ZERO, L, STEP):
        x = get(s, source + b)
        if width > 0.0:
            put(s, to + b, x / square_root(x * x + square))
        else:
            put(s, to + b, hard_sign(x))


@kernel
def load_of(s, to, load, effect, k, first, count):
    """to = |effect . load|, the torque that presses the gears of column k together."""
    for b in range(L):
        s[to + b] = 0.0
    for j in range(U(effect.shape[1])):
        for b in range(count):
            s[to + b] += effect[k, j] * load[first + b, j]
    for b in range(ZERO, L, STEP):
        put(s, to + b, magnitude(get(s, to + b)))


@kernel
def shape_of(s, kind, speed, to, stribeck, exponent):
    """What multiplies the sign, for the shapes that are not a plain 1."""
    for b in range(L):
        if kind == STRIBECK:
            x = s[speed + b] / stribeck
            s[to + b] = np.exp(-x * x)
        else:
            s[to + b] = np.abs(s[speed + b]) ** exponent


@kernel
def wave(s, to, harmonic, phase):
    """to = sin(harmonic to + phase)."""
    for b in range(ZERO, L, STEP):
        sine, _ = sine_cosine(harmonic * get(s, to + b) + phase)
        put(s, to + b, sine)


@kernel
def multiply(s, left, to):
    """to *= left."""
    for b in range(ZERO, L, STEP):
        put(s, to + b, get(s, to + b) * get(s, left + b))


@kernel
def fill(s, to, value):
    """to = value."""
    for b in range(ZERO, L, STEP):
        put(s, to + b, value)


@kernel
def keep_side(s, sign, to, side):
    """to *= (1 + side sign) / 2: one direction of motion only."""
    for b in range(ZERO, L, STEP):
        put(s, to + b, get(s, to + b) * (0.5 + 0.5 * side * get(s, sign + b)))


@kernel
def scale(s, source, d, to, factor):
    """A column's values into one row of the block."""
    for b in range(ZERO, L, STEP):
        put(d, to + b, factor * get(s, source + b))


@part
def column_values(s, k, kind, shape, effect, load, first, count, value, speed, sign):
    """f of column k from its speed. shape[k]: width, Stribeck speed, exponent, side, harmonic, phase. A POSITION column's own
    position is in `value` already."""
    soft_sign(s, speed, sign, shape[k, 0])
    if kind == OFFSET or kind == COULOMB:
        fill(s, value, 1.0)
    elif kind == LOAD:
        load_of(s, value, load, effect, k, first, count)
    elif kind == POSITION:
        wave(s, value, shape[k, 4], shape[k, 5])
    else:
        shape_of(s, kind, speed, value, shape[k, 1], shape[k, 2])
    if kind != OFFSET:
        multiply(s, sign, value)


@part
def drive_block(
    s, temporary, d, kinds, mix_starts, mix_rows, mix_weights, effect, shape, entries, factors, load, first, count,
):  # fmt: skip
    """All drive columns of a block. entries (m, 2): column, offset of its row in `d`; factors: the effect there."""
    values, sign, speed = temporary, temporary + L, temporary + L2
    previous = U(kinds.shape[0])
    for e in range(U(entries.shape[0])):
        k = entries[e, ZERO]
        kind, side = kinds[k], shape[k, 3]
        if k != previous:
            mix(s, mix_rows, mix_weights, mix_starts[k], mix_starts[k + ONE], TWO if kind == ROTOR else ONE, speed)
            if kind == POSITION:
                mix(s, mix_rows, mix_weights, mix_starts[k], mix_starts[k + ONE], ZERO, values)
            if kind != VISCOUS and kind != ROTOR:
                column_values(s, k, kind, shape, effect, load, first, count, values, speed, sign)
            elif side != 0.0:
                soft_sign(s, speed, sign, shape[k, 0])
            if side != 0.0:
                keep_side(s, sign, speed if kind == VISCOUS or kind == ROTOR else values, side)
            previous = k
        scale(s, speed if kind == VISCOUS or kind == ROTOR else values, d, entries[e, ONE], factors[e])

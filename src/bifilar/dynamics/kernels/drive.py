"""Friction, offset and rotor columns of a block. Which laws there are stands in bifilar.dynamics.friction_laws; here a column
is a form (bits) and the address of its factor (`laws`).

One number f per column and sample, then one row of the block for every matrix entry it fills, scaled by its effect. Speeds and
accelerations are mixed from the joints' rows in the scratch, which the motion has loaded already.
"""

from bifilar.dynamics import friction_laws

from .lanes import L2, LANES, ONE, STEP, TWO, ZERO, L, U, kernel, part
from .laws import call_one, call_rows
from .vectors import get, hard_sign, put, square_root

LINEAR, SIGNED, ACCELERATION, LOADED, PLACED = (
    U(getattr(friction_laws, name)) for name in ("LINEAR", "SIGNED", "ACCELERATION", "LOADED", "PLACED")
)
X0, X1, X2, X3 = U(2), U(3), U(4), U(5)  # settings, behind width and side


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
    """to = effect . load, the torque that presses the gears of column k together."""
    for b in range(L):
        s[to + b] = 0.0
    for j in range(U(effect.shape[1])):
        for b in range(count):
            s[to + b] += effect[k, j] * load[first + b, j]


if LANES == 1:

    @kernel
    def factor_of(s, address, speed, load, position, to, shape, k):
        """to = factor of column k."""
        x = shape[k]
        s[to] = call_one(address, s[speed], s[load], s[position], x[X0], x[X1], x[X2], x[X3])

else:

    @kernel
    def factor_of(s, address, speed, load, position, to, shape, k):
        """to = factor of column k."""
        call_rows(address, s, speed, load, position, to, shape[k, X0], shape[k, X1], shape[k, X2], shape[k, X3])


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
def column_values(s, k, form, address, shape, effect, load, first, count, value, sign, speed, mix_rows, mix_weights, begin, end):
    """The row with f of column k, from its speed. shape[k]: width, side, settings."""
    side = shape[k, ONE]
    row = speed if form & LINEAR else value
    if form & SIGNED or side != 0.0:
        soft_sign(s, speed, sign, shape[k, ZERO])
    if address != ZERO:
        loads, position = speed + L, speed + L2
        if form & LOADED:
            load_of(s, loads, load, effect, k, first, count)
        if form & PLACED:
            mix(s, mix_rows, mix_weights, begin, end, ZERO, position)
        factor_of(s, address, speed, loads, position, value, shape, k)
        if form & LINEAR:
            multiply(s, speed, value)
        if form & SIGNED:
            multiply(s, sign, value)
        row = value
    elif form & SIGNED and form & LINEAR:
        fill(s, value, 1.0)
        multiply(s, speed, value)
        multiply(s, sign, value)
        row = value
    elif form & SIGNED:
        row = sign
    elif not form & LINEAR:
        fill(s, value, 1.0)
    if side != 0.0:
        keep_side(s, sign, row, side)
    return row


@part
def drive_block(
    s, temporary, d, laws, mix_starts, mix_rows, mix_weights, effect, shape, entries, factors, load, first, count,
):  # fmt: skip
    """All drive columns of a block. entries (m, 2): column, offset of its row in `d`; factors: the effect there."""
    value, sign, speed = temporary, temporary + L, temporary + L2
    previous, row = U(laws.shape[0]), value
    for e in range(U(entries.shape[0])):
        k = entries[e, ZERO]
        if k != previous:
            form, begin, end = laws[k, ZERO], mix_starts[k], mix_starts[k + ONE]
            mix(s, mix_rows, mix_weights, begin, end, TWO if form & ACCELERATION else ONE, speed)
            row = column_values(
                s, k, form, laws[k, ONE], shape, effect, load, first, count, value, sign, speed, mix_rows, mix_weights, begin, end,
            )  # fmt: skip
            previous = k
        scale(s, row, d, entries[e, ONE], factors[e])

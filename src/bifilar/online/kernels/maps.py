"""From a state to the parameters of the regressor's columns, with exact derivatives, compiled; the formulas stand in `maps` and
`body_maps`, and tests compare the two."""

# mypy: ignore-errors
from __future__ import annotations

import math

from bifilar.online.kernels.compiled import ONE, THREE, TWO, ZERO, U, kernel
from bifilar.online.tables import AXES, FIXED, LOG_CHOLESKY, MOVE, PRINCIPAL, REST, SCALAR, SECOND, SIGMOID

TEN_ROWS = U(10)
_FIXED, _SIGMOID = U(FIXED), U(SIGMOID)
_PRINCIPAL, _LOG_CHOLESKY, _SCALAR, _SECOND = U(PRINCIPAL), U(LOG_CHOLESKY), U(SCALAR), U(SECOND)
_AXES, _REST, _MOVE = U(AXES), U(REST), U(MOVE)


@kernel
def scalar_values(scalars, kinds, x, p, dp):
    """p and dp/dx of every state. scalars (n, 3): lower, upper, slope; or offset, scale, stride."""
    for i in range(U(x.shape[0])):
        if kinds[i] == _SIGMOID:
            low, high, slope = scalars[i, ZERO], scalars[i, ONE], scalars[i, TWO]
            small = math.exp(-abs(slope * x[i]))  # never overflows
            share = 1.0 / (1.0 + small)
            p[i] = low + (high - low) * (share if x[i] >= 0.0 else small * share)
            dp[i] = slope * (high - low) * small * share * share
        else:
            p[i] = scalars[i, ZERO] + scalars[i, ONE] * x[i]
            dp[i] = scalars[i, ONE]


@kernel
def value_of(slots, constants, b, slot, p):
    """Number in a slot: a state's or a fixed one."""
    return constants[b, slot] if slots[b, slot] == _FIXED else p[slots[b, slot]]


@kernel
def derivative_row(slots, b, slot, g):
    """Where the derivatives by the state in a slot go, or FIXED."""
    i = slots[b, slot]
    if i != _FIXED:
        for r in range(TEN_ROWS):
            g[i * TEN_ROWS + r] = 0.0
        return i * TEN_ROWS
    return _FIXED


@kernel
def ten_block(slots, constants, b, p, ten, g):
    """The ten numbers themselves."""
    for s in range(TEN_ROWS):
        ten[s] = value_of(slots, constants, b, s, p)
        o = derivative_row(slots, b, s, g)
        if o != _FIXED:
            g[o + s] = 1.0


@kernel
def principal_block(slots, constants, b, p, ten, g, second):
    """Mass, three moments (or second moments) at the centre of mass along axes, first moment: see body_maps.principal."""
    m = value_of(slots, constants, b, ZERO, p)
    hx, hy, hz = constants[b, U(4)] * m, constants[b, U(5)] * m, constants[b, U(6)] * m  # centre known: h = m c
    cx, cy, cz = constants[b, U(4)], constants[b, U(5)], constants[b, U(6)]
    if slots[b, U(4)] != _FIXED:
        hx, cx = p[slots[b, U(4)]], 0.0
    if slots[b, U(5)] != _FIXED:
        hy, cy = p[slots[b, U(5)]], 0.0
    if slots[b, U(6)] != _FIXED:
        hz, cz = p[slots[b, U(6)]], 0.0
    over = 1.0 / m if abs(m) > 1e-9 else (1e9 if m >= 0.0 else -1e9)
    ten[0], ten[1], ten[2], ten[3] = m, hx, hy, hz
    ten[4], ten[5], ten[6] = (hy * hy + hz * hz) * over, -hx * hy * over, (hx * hx + hz * hz) * over
    ten[7], ten[8], ten[9] = -hx * hz * over, -hy * hz * over, (hx * hx + hy * hy) * over
    o = derivative_row(slots, b, ZERO, g)
    if o != _FIXED:  # by the mass, the first moment held; a known centre moves it along
        g[o] = 1.0
        g[o + ONE], g[o + TWO], g[o + THREE] = cx, cy, cz
        for r in range(U(4), TEN_ROWS):
            g[o + r] = -ten[r] * over
        sx, sy, sz = 2.0 * cx * hx * over, 2.0 * cy * hy * over, 2.0 * cz * hz * over
        g[o + U(4)] += sy + sz
        g[o + U(5)] -= (cx * hy + hx * cy) * over
        g[o + U(6)] += sx + sz
        g[o + U(7)] -= (cx * hz + hx * cz) * over
        g[o + U(8)] -= (cy * hz + hy * cz) * over
        g[o + U(9)] += sx + sy
    o = derivative_row(slots, b, U(4), g)
    if o != _FIXED:
        g[o + ONE], g[o + U(5)], g[o + U(6)] = 1.0, -hy * over, 2.0 * hx * over
        g[o + U(7)], g[o + U(9)] = -hz * over, 2.0 * hx * over
    o = derivative_row(slots, b, U(5), g)
    if o != _FIXED:
        g[o + TWO], g[o + U(4)], g[o + U(5)] = 1.0, 2.0 * hy * over, -hx * over
        g[o + U(8)], g[o + U(9)] = -hz * over, 2.0 * hy * over
    o = derivative_row(slots, b, U(6), g)
    if o != _FIXED:
        g[o + THREE], g[o + U(4)], g[o + U(6)] = 1.0, 2.0 * hz * over, 2.0 * hz * over
        g[o + U(7)], g[o + U(8)] = -hx * over, -hy * over
    for r in range(U(6)):
        ten[U(4) + r] += constants[b, _REST + r]
    for k in range(THREE):  # moments along the axes: sum of J_k e_k e_k'
        value = value_of(slots, constants, b, ONE + k, p)
        ex, ey, ez = constants[b, _AXES + k], constants[b, _AXES + THREE + k], constants[b, _AXES + U(6) + k]
        o = derivative_row(slots, b, ONE + k, g)
        for r in range(U(6)):
            part = ex * ex
            if r == ONE:
                part = ex * ey
            elif r == TWO:
                part = ey * ey
            elif r == THREE:
                part = ex * ez
            elif r == U(4):
                part = ey * ez
            elif r == U(5):
                part = ez * ez
            if second:  # 1 - e e'
                part = (1.0 if r == ZERO or r == TWO or r == U(5) else 0.0) - part
            ten[U(4) + r] += value * part
            if o != _FIXED:
                g[o + U(4) + r] = part


@kernel
def ten_of_pseudo(s00, s01, s11, s02, s12, s22, to, o):
    """Rotational inertia from the second moments: trace 1 - S."""
    to[o + U(4)], to[o + U(6)], to[o + U(9)] = s11 + s22, s00 + s22, s00 + s11
    to[o + U(5)], to[o + U(7)], to[o + U(8)] = -s01, -s02, -s12


@kernel
def pair(to, o, a0, a1, a2, a3, b0, b1, b2, b3):
    """to = ten numbers of the pseudo-inertia a b' + b a'."""
    to[o] = 2.0 * a3 * b3
    to[o + ONE], to[o + TWO], to[o + THREE] = a0 * b3 + b0 * a3, a1 * b3 + b1 * a3, a2 * b3 + b2 * a3
    ten_of_pseudo(2.0 * a0 * b0, a0 * b1 + b0 * a1, 2.0 * a1 * b1, a0 * b2 + b0 * a2, a1 * b2 + b1 * a2, 2.0 * a2 * b2, to, o)


@kernel
def log_cholesky_block(slots, constants, b, p, ten, g):
    """Pseudo-inertia exp(2 alpha) U U'; all ten slots are states: see body_maps.log_cholesky. Column by column of U:
    J = sum of e^(2 alpha) u_k u_k', so a derivative is the pair of its column's change with the column."""
    first = slots[b, ZERO]
    scale = math.exp(2.0 * p[first])
    e1, e2, e3 = math.exp(p[first + ONE]), math.exp(p[first + TWO]), math.exp(p[first + THREE])
    s12, s23, s13 = p[first + U(4)], p[first + U(5)], p[first + U(6)]
    t1, t2, t3 = p[first + U(7)], p[first + U(8)], p[first + U(9)]
    a = scale
    ten[0], ten[1], ten[2], ten[3] = a, a * t1, a * t2, a * t3
    s00, s11, s22 = e1 * e1 + s12 * s12 + s13 * s13 + t1 * t1, e2 * e2 + s23 * s23 + t2 * t2, e3 * e3 + t3 * t3
    s01, s02, s12_ = s12 * e2 + s13 * s23 + t1 * t2, s13 * e3 + t1 * t3, s23 * e3 + t2 * t3
    ten_of_pseudo(a * s00, a * s01, a * s11, a * s02, a * s12_, a * s22, ten, ZERO)
    o = first * TEN_ROWS
    for r in range(TEN_ROWS):
        g[o + r] = 2.0 * ten[r]
    z = 0.0
    pair(g, o + U(10), a * e1, z, z, z, e1, z, z, z)
    pair(g, o + U(20), z, a * e2, z, z, s12, e2, z, z)
    pair(g, o + U(30), z, z, a * e3, z, s13, s23, e3, z)
    pair(g, o + U(40), a, z, z, z, s12, e2, z, z)
    pair(g, o + U(50), z, a, z, z, s13, s23, e3, z)
    pair(g, o + U(60), a, z, z, z, s13, s23, e3, z)
    pair(g, o + U(70), a, z, z, z, t1, t2, t3, 1.0)
    pair(g, o + U(80), z, a, z, z, t1, t2, t3, 1.0)
    pair(g, o + U(90), z, z, a, z, t1, t2, t3, 1.0)


@kernel
def move_block(constants, b, ten, g, slots):
    """Ten numbers and their derivatives into the frame of the body: ten = X ten."""
    for column in range(U(11)):
        if column < TEN_ROWS and slots[b, column] == _FIXED:
            continue
        x0 = 0.0
        o = slots[b, column] * TEN_ROWS if column < TEN_ROWS else ZERO
        for r in range(TEN_ROWS):
            x0 = 0.0
            for c in range(TEN_ROWS):
                x0 += constants[b, _MOVE + r * TEN_ROWS + c] * (g[o + c] if column < TEN_ROWS else ten[c])
            ten[TEN_ROWS + r] = x0
        for r in range(TEN_ROWS):
            if column < TEN_ROWS:
                g[o + r] = ten[TEN_ROWS + r]
            else:
                ten[r] = ten[TEN_ROWS + r]


@kernel
def parameters_of(scalars, kinds, blocks, slots, constants, known, x, p, dp, phi, ten, g):
    """phi of every column and g (n, 10): derivatives of a state's block by that state."""
    scalar_values(scalars, kinds, x, p, dp)
    for c in range(U(phi.shape[0])):
        phi[c] = known[c]
    for b in range(U(blocks.shape[0])):
        kind, column = blocks[b, ZERO], blocks[b, ONE]
        if kind == _SCALAR:
            phi[column] += value_of(slots, constants, b, ZERO, p)
            continue
        if kind == _PRINCIPAL or kind == _SECOND:
            principal_block(slots, constants, b, p, ten, g, kind == _SECOND)
        elif kind == _LOG_CHOLESKY:
            log_cholesky_block(slots, constants, b, p, ten, g)
        else:
            ten_block(slots, constants, b, p, ten, g)
        if blocks[b, TWO] != ZERO:
            move_block(constants, b, ten, g, slots)
        for r in range(TEN_ROWS):
            phi[column + r] += ten[r]


@kernel
def rows_of(blocks, slots, w, first, m, width, phi, g, dp, h, expected):
    """h (m, n) = W dphi/dx and expected (m,) = W phi, of the sample whose W begins at w[first]."""
    n = U(dp.shape[0])
    for r in range(m):
        total = 0.0
        for c in range(width):
            total += w[first + r * width + c] * phi[c]
        expected[r] = total
    for b in range(U(blocks.shape[0])):
        column = blocks[b, ONE]
        for s in range(TEN_ROWS):
            i = slots[b, s]
            if i == _FIXED:
                continue
            for r in range(m):
                o = first + r * width + column
                if blocks[b, ZERO] == _SCALAR:
                    h[r * n + i] = w[o] * dp[i]
                else:
                    total = 0.0
                    for c in range(TEN_ROWS):
                        total += w[o + c] * g[i * TEN_ROWS + c]
                    h[r * n + i] = total * dp[i]

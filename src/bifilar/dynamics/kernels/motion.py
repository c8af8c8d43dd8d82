"""Poses, joint screws, velocities and accelerations, from the root outwards.

    R_i = R_parent (A + cos q B + sin q C),  p_i = p_parent + R_parent (origin + slide q)
    screw: revolute (z, p x z), prismatic (0, z)        z = R_i axis, scaled by the mimic ratio
    v_i = v_parent + screw dq
    rate of the screw = v_i x screw
    a_i = a_parent + screw ddq + rate dq                (spatial; the root's holds minus gravity)
"""

from .lanes import L, LANES, U, kernel, sine_cosine
from .layout import (
    A,
    C_AXIS,
    C_COS,
    C_FIXED,
    C_OFFSET,
    C_ORIGIN,
    C_RATIO,
    C_SIN,
    C_SLIDE,
    DV0,
    DW,
    DZ,
    P,
    R,
    STATE,
    T_COORDINATE,
    T_PARENT,
    T_PRISMATIC,
    V,
    V0,
    W,
    Z,
)

L2 = U(2 * LANES)
L3, L4, L5 = U(3 * LANES), U(4 * LANES), U(5 * LANES)
L6, L7, L8 = U(6 * LANES), U(7 * LANES), U(8 * LANES)
ZERO, ONE = U(0), U(1)


@kernel
def load_column(scratch, row, values, column, first, count, ratio, offset):
    """One joint's numbers of a block; lanes beyond the last sample repeat it."""
    for b in range(count):
        scratch[row + b] = ratio * values[first + b, column] + offset
    last = scratch[row + count - ONE]
    for b in range(count, L):
        scratch[row + b] = last


@kernel
def load_root(scratch, root, first, count):
    """Root frame: identity pose, given angular velocity, angular acceleration and acceleration minus gravity."""
    for r in range(U(12)):
        value = 1.0 if (r == U(0) or r == U(4) or r == U(8)) else 0.0
        for b in range(L):
            scratch[R + r * L + b] = value
    moving = root.shape[0] > 1
    for r in range(U(3)):
        for b in range(L):
            k = first + min(b, count - ONE) if moving else ZERO
            scratch[W + r * L + b] = root[k, r]
            scratch[DW + r * L + b] = root[k, r + U(3)]
            scratch[A + r * L + b] = root[k, r + U(6)]
            scratch[V + r * L + b] = 0.0


@kernel
def turn(s, body, parent, state, sines, c, i):
    """Rotation of the body: R_parent times the joint's own."""
    for b in range(L):
        sine, cosine = sine_cosine(s[state + b])
        s[sines + b] = sine
        s[sines + L + b] = cosine
    a0, a1, a2, a3, a4, a5, a6, a7, a8 = c[i, 0], c[i, 1], c[i, 2], c[i, 3], c[i, 4], c[i, 5], c[i, 6], c[i, 7], c[i, 8]
    b0, b1, b2, b3, b4, b5, b6, b7, b8 = c[i, 9], c[i, 10], c[i, 11], c[i, 12], c[i, 13], c[i, 14], c[i, 15], c[i, 16], c[i, 17]
    c0, c1, c2, c3, c4, c5, c6, c7, c8 = c[i, 18], c[i, 19], c[i, 20], c[i, 21], c[i, 22], c[i, 23], c[i, 24], c[i, 25], c[i, 26]
    for k in range(U(3)):
        o = R + k * L3
        for b in range(L):
            sn, cs = s[sines + b], s[sines + L + b]
            r0, r1, r2 = s[parent + o + b], s[parent + o + L + b], s[parent + o + L2 + b]
            e0, e1, e2 = a0 + cs * b0 + sn * c0, a3 + cs * b3 + sn * c3, a6 + cs * b6 + sn * c6
            s[body + o + b] = r0 * e0 + r1 * e1 + r2 * e2
            e0, e1, e2 = a1 + cs * b1 + sn * c1, a4 + cs * b4 + sn * c4, a7 + cs * b7 + sn * c7
            s[body + o + L + b] = r0 * e0 + r1 * e1 + r2 * e2
            e0, e1, e2 = a2 + cs * b2 + sn * c2, a5 + cs * b5 + sn * c5, a8 + cs * b8 + sn * c8
            s[body + o + L2 + b] = r0 * e0 + r1 * e1 + r2 * e2


@kernel
def place(s, body, parent, state, x0, y0, z0, dx, dy, dz):
    """Origin of the body: the parent's plus the joint's, which slides if the joint is prismatic."""
    for b in range(L):
        q = s[state + b]
        x, y, z = x0 + dx * q, y0 + dy * q, z0 + dz * q
        s[body + P + b] = s[parent + P + b] + s[parent + R + b] * x + s[parent + R + L + b] * y + s[parent + R + L2 + b] * z
        s[body + P + L + b] = (
            s[parent + P + L + b] + s[parent + R + L3 + b] * x + s[parent + R + L4 + b] * y + s[parent + R + L5 + b] * z
        )
        s[body + P + L2 + b] = (
            s[parent + P + L2 + b] + s[parent + R + L6 + b] * x + s[parent + R + L7 + b] * y + s[parent + R + L8 + b] * z
        )


@kernel
def axis_in_root(s, body, to, x, y, z):
    """The joint's axis, rotated into the root frame."""
    for b in range(L):
        s[to + b] = s[body + R + b] * x + s[body + R + L + b] * y + s[body + R + L2 + b] * z
        s[to + L + b] = s[body + R + L3 + b] * x + s[body + R + L4 + b] * y + s[body + R + L5 + b] * z
        s[to + L2 + b] = s[body + R + L6 + b] * x + s[body + R + L7 + b] * y + s[body + R + L8 + b] * z


@kernel
def cross_rows(s, left, right, to):
    """to = left x right, row by row; `to` is neither of them."""
    for b in range(L):
        ax, ay, az = s[left + b], s[left + L + b], s[left + L2 + b]
        bx, by, bz = s[right + b], s[right + L + b], s[right + L2 + b]
        s[to + b] = ay * bz - az * by
        s[to + L + b] = az * bx - ax * bz
        s[to + L2 + b] = ax * by - ay * bx


@kernel
def clear_rows(s, to, rows):
    """Zero so many rows."""
    for r in range(rows):
        for b in range(L):
            s[to + r * L + b] = 0.0


@kernel
def place_body(s, body, parent, state, temporary, c, t, i):
    """Pose and screw of body i + 1."""
    turn(s, body, parent, state, temporary, c, i)
    o, d = U(C_ORIGIN), U(C_SLIDE)
    place(s, body, parent, state, c[i, o], c[i, o + ONE], c[i, o + U(2)], c[i, d], c[i, d + ONE], c[i, d + U(2)])
    x, y, z = c[i, C_AXIS], c[i, C_AXIS + 1], c[i, C_AXIS + 2]
    if t[i, T_PRISMATIC] == ZERO:
        axis_in_root(s, body, body + Z, x, y, z)
        cross_rows(s, body + P, body + Z, body + V0)
    else:
        axis_in_root(s, body, body + V0, x, y, z)
        clear_rows(s, body + Z, U(3))


@kernel
def velocity(s, body, parent, state):
    """Twist of the body and rate of its screw."""
    for r in range(U(6)):
        for b in range(L):
            s[body + W + r * L + b] = s[parent + W + r * L + b] + s[body + Z + r * L + b] * s[state + L + b]
    screw_rate(s, body + W, body + Z, body + DZ)


@kernel
def screw_rate(s, twist, screw, to):
    """Spatial cross product: (w x z, w x u + v x z)."""
    for b in range(L):
        wx, wy, wz = s[twist + b], s[twist + L + b], s[twist + L2 + b]
        zx, zy, zz = s[screw + b], s[screw + L + b], s[screw + L2 + b]
        s[to + b] = wy * zz - wz * zy
        s[to + L + b] = wz * zx - wx * zz
        s[to + L2 + b] = wx * zy - wy * zx
        vx, vy, vz = s[twist + L3 + b], s[twist + L4 + b], s[twist + L5 + b]
        ux, uy, uz = s[screw + L3 + b], s[screw + L4 + b], s[screw + L5 + b]
        s[to + L3 + b] = wy * uz - wz * uy + vy * zz - vz * zy
        s[to + L4 + b] = wz * ux - wx * uz + vz * zx - vx * zz
        s[to + L5 + b] = wx * uy - wy * ux + vx * zy - vy * zx


@kernel
def acceleration(s, body, parent, state):
    """Spatial acceleration of the body."""
    for r in range(U(6)):
        for b in range(L):
            s[body + DW + r * L + b] = (
                s[parent + DW + r * L + b] + s[body + Z + r * L + b] * s[state + L2 + b] + s[body + DZ + r * L + b] * s[state + L + b]
            )


@kernel
def move_bodies(s, stride, c, t, q, v, a, root, first, count, order):
    """All bodies of a block. order: 0 poses and screws, 1 velocities too, 2 accelerations too."""
    n = U(t.shape[0])
    states = (n + ONE) * stride
    temporary = states + n * STATE
    load_root(s, root, first, count)
    for i in range(n):
        body, parent, state, column = (i + ONE) * stride, t[i, T_PARENT] * stride, states + i * STATE, t[i, T_COORDINATE]
        load_column(s, state, q, column, first, count, c[i, C_RATIO], c[i, C_OFFSET])
        place_body(s, body, parent, state, temporary, c, t, i)
        if order > 0:
            load_column(s, state + L, v, column, first, count, 1.0, 0.0)
            velocity(s, body, parent, state)
        if order > 1:
            load_column(s, state + L2, a, column, first, count, 1.0, 0.0)
            acceleration(s, body, parent, state)

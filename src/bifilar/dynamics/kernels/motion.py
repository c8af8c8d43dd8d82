"""Poses, joint screws, velocities and accelerations, from the root outwards.

    R_i = R_parent (A + cos q B + sin q C),  p_i = p_parent + R_parent (origin + slide q)
    screw: revolute (z, p x z), prismatic (0, z)        z = R_i axis, scaled by the mimic ratio
    v_i = v_parent + screw dq
    rate of the screw = v_i x screw
    a_i = a_parent + screw ddq + rate dq                (spatial; the root's holds minus gravity)
"""

from .lanes import L2, L3, L6, ONE, STEP, THREE, ZERO, L, U, kernel, part
from .layout import (
    C_AXIS,
    C_COS,
    C_OFFSET,
    C_ORIGIN,
    C_RATIO,
    C_SIN,
    C_SLIDE,
    DW,
    DZ,
    STATE,
    T_COORDINATE,
    T_PARENT,
    T_PRISMATIC,
    V0,
    A,
    P,
    R,
    W,
    Z,
)  # fmt: skip
from .vectors import get, get3, put, put3, sine_cosine


@kernel
def load_column(s, row, values, column, first, count, ratio, offset):
    """One joint's numbers of a block; lanes beyond the last sample repeat it."""
    for b in range(count):
        s[row + b] = ratio * values[first + b, column] + offset
    last = s[row + count - ONE]
    for b in range(count, L):
        s[row + b] = last


@kernel
def load_root(s, root, first, count):
    """Root frame: identity pose, given angular velocity, angular acceleration and acceleration minus gravity."""
    for r in range(U(36)):
        value = 1.0 if (r == ZERO or r == U(4) or r == U(8)) else 0.0
        for b in range(ZERO, L, STEP):
            put(s, r * L + b, value)
    moving = root.shape[0] > 1
    for b in range(L):
        k = first + min(b, count - ONE) if moving else ZERO
        for r in range(THREE):
            s[W + r * L + b] = root[k, r]
            s[DW + r * L + b] = root[k, r + THREE]
            s[A + r * L + b] = root[k, r + U(6)]


@kernel
def joint_rotation(s, state, to, c, i):
    """The joint's own rotation A + cos q B + sin q C, nine rows."""
    for b in range(ZERO, L, STEP):
        sine, cosine = sine_cosine(get(s, state + b))
        for k in range(U(9)):
            put(s, to + k * L + b, c[i, k] + c[i, k + U(C_COS)] * cosine + c[i, k + U(C_SIN)] * sine)


@kernel
def place(s, body, parent, turn, state, c, i):
    """Pose of the body: R_parent times the joint's rotation; the parent's origin plus the joint's, which slides if prismatic."""
    o, d = U(C_ORIGIN), U(C_SLIDE)
    for b in range(ZERO, L, STEP):
        q = get(s, state + b)
        x, y, z = c[i, o] + c[i, d] * q, c[i, o + ONE] + c[i, d + ONE] * q, c[i, o + U(2)] + c[i, d + U(2)] * q
        e0, e1, e2 = get3(s, turn + b)
        e3, e4, e5 = get3(s, turn + L3 + b)
        e6, e7, e8 = get3(s, turn + L6 + b)
        for k in range(THREE):
            r0, r1, r2 = get3(s, parent + R + k * L3 + b)
            put3(
                s, body + R + k * L3 + b,
                r0 * e0 + r1 * e3 + r2 * e6, r0 * e1 + r1 * e4 + r2 * e7, r0 * e2 + r1 * e5 + r2 * e8,
            )  # fmt: skip
            put(s, body + P + k * L + b, get(s, parent + P + k * L + b) + r0 * x + r1 * y + r2 * z)


@kernel
def screw(s, body, prismatic, x, y, z):
    """The joint's axis in the root frame, and its moment about the root's origin."""
    for b in range(ZERO, L, STEP):
        r0, r1, r2 = get3(s, body + R + b)
        zx = r0 * x + r1 * y + r2 * z
        r0, r1, r2 = get3(s, body + R + L3 + b)
        zy = r0 * x + r1 * y + r2 * z
        r0, r1, r2 = get3(s, body + R + L6 + b)
        zz = r0 * x + r1 * y + r2 * z
        if prismatic:
            put3(s, body + Z + b, 0.0, 0.0, 0.0)
            put3(s, body + V0 + b, zx, zy, zz)
        else:
            px, py, pz = get3(s, body + P + b)
            put3(s, body + Z + b, zx, zy, zz)
            put3(s, body + V0 + b, py * zz - pz * zy, pz * zx - px * zz, px * zy - py * zx)


@kernel
def velocity(s, body, parent, state):
    """Twist of the body; rate of its screw, the spatial product (w x z, w x u + v x z)."""
    for b in range(ZERO, L, STEP):
        speed = get(s, state + L + b)
        zx, zy, zz = get3(s, body + Z + b)
        ux, uy, uz = get3(s, body + V0 + b)
        wx, wy, wz = get3(s, parent + W + b)
        vx, vy, vz = get3(s, parent + W + L3 + b)
        put3(s, body + DZ + b, wy * zz - wz * zy, wz * zx - wx * zz, wx * zy - wy * zx)
        put3(
            s, body + DZ + L3 + b,
            wy * uz - wz * uy + vy * zz - vz * zy, wz * ux - wx * uz + vz * zx - vx * zz, wx * uy - wy * ux + vx * zy - vy * zx,
        )  # fmt: skip
        put3(s, body + W + b, wx + zx * speed, wy + zy * speed, wz + zz * speed)
        put3(s, body + W + L3 + b, vx + ux * speed, vy + uy * speed, vz + uz * speed)


@kernel
def acceleration(s, body, parent, state):
    """Spatial acceleration of the body."""
    for b in range(ZERO, L, STEP):
        speed, rate = get(s, state + L + b), get(s, state + L2 + b)
        for k in range(U(6)):
            o = k * L + b
            put(s, body + DW + o, get(s, parent + DW + o) + get(s, body + Z + o) * rate + get(s, body + DZ + o) * speed)


@part
def move_bodies(s, stride, c, t, q, v, a, root, first, count, order, fresh):
    """All bodies of a block. order: 0 poses and screws, 1 velocities too, 2 accelerations too. fresh: the scratch is new."""
    n = U(t.shape[0])
    states = (n + ONE) * stride
    temporary = states + n * STATE
    if fresh or root.shape[0] > 1:
        load_root(s, root, first, count)
    for i in range(n):
        body, parent, state, column = (i + ONE) * stride, t[i, T_PARENT] * stride, states + i * STATE, t[i, T_COORDINATE]
        load_column(s, state, q, column, first, count, c[i, C_RATIO], c[i, C_OFFSET])
        joint_rotation(s, state, temporary, c, i)
        place(s, body, parent, temporary, state, c, i)
        screw(s, body, t[i, T_PRISMATIC] > ZERO, c[i, C_AXIS], c[i, C_AXIS + 1], c[i, C_AXIS + 2])
        if order > 0:
            load_column(s, state + L, v, column, first, count, 1.0, 0.0)
            velocity(s, body, parent, state)
        if order > 1:
            load_column(s, state + L2, a, column, first, count, 1.0, 0.0)
            acceleration(s, body, parent, state)

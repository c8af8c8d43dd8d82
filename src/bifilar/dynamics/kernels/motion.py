"""Poses, joint screws, velocities and accelerations, from the root outwards.

    R_i = R_parent (A + cos q B + sin q C),  p_i = p_parent + R_parent (origin + slide q)
    screw: revolute (z, p x z), prismatic (0, z)        z = R_i axis, scaled by the mimic ratio
    v_i = v_parent + screw dq
    rate of the screw = v_i x screw
    a_i = a_parent + screw ddq + rate dq                (spatial; the root's holds minus gravity)
"""

from .lanes import L2, L3, L6, ONE, STEP, THREE, TWO, ZERO, L, U, kernel, part
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
    for r in range(U(30)):
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
def turn(s, state, to, c, i):
    """The joint's own rotation A + cos q B + sin q C, nine rows."""
    for b in range(ZERO, L, STEP):
        sine, cosine = sine_cosine(get(s, state + b))
        put(s, to + b, sine)
        put(s, to + L + b, cosine)
    for k in range(U(9)):
        fixed, with_cosine, with_sine = c[i, k], c[i, k + U(C_COS)], c[i, k + U(C_SIN)]
        for b in range(ZERO, L, STEP):
            put(s, to + (k + TWO) * L + b, fixed + with_cosine * get(s, to + L + b) + with_sine * get(s, to + b))


@kernel
def place(s, body, parent, state, turned, prismatic, c, i):
    """Pose of a body and the screw of its joint; `turned` is the joint's rotation."""
    o, d, u = U(C_ORIGIN), U(C_SLIDE), U(C_AXIS)
    x0, y0, z0, dx, dy, dz = c[i, o], c[i, o + ONE], c[i, o + TWO], c[i, d], c[i, d + ONE], c[i, d + TWO]
    ux, uy, uz = c[i, u], c[i, u + ONE], c[i, u + TWO]
    for b in range(ZERO, L, STEP):
        q = get(s, state + b)
        x, y, z = x0 + dx * q, y0 + dy * q, z0 + dz * q
        e0, e1, e2 = get3(s, turned + b)
        e3, e4, e5 = get3(s, turned + L3 + b)
        e6, e7, e8 = get3(s, turned + L6 + b)
        for k in range(THREE):
            r0, r1, r2 = get3(s, parent + R + k * L3 + b)
            t0, t1, t2 = r0 * e0 + r1 * e3 + r2 * e6, r0 * e1 + r1 * e4 + r2 * e7, r0 * e2 + r1 * e5 + r2 * e8
            put3(s, body + R + k * L3 + b, t0, t1, t2)
            put(s, body + Z + k * L + b, t0 * ux + t1 * uy + t2 * uz)
            put(s, body + P + k * L + b, get(s, parent + P + k * L + b) + r0 * x + r1 * y + r2 * z)
        zx, zy, zz = get3(s, body + Z + b)
        if prismatic:
            put3(s, body + Z + b, 0.0, 0.0, 0.0)
            put3(s, body + V0 + b, zx, zy, zz)
        else:
            x, y, z = get3(s, body + P + b)
            put3(s, body + V0 + b, y * zz - z * zy, z * zx - x * zz, x * zy - y * zx)


@kernel
def move(s, body, parent, state, accelerates):
    """Twist of the body, rate of its screw (w x z, w x u + v x z), and, if asked for, its spatial acceleration."""
    for b in range(ZERO, L, STEP):
        speed = get(s, state + L + b)
        zx, zy, zz = get3(s, body + Z + b)
        ux, uy, uz = get3(s, body + V0 + b)
        wx, wy, wz = get3(s, parent + W + b)
        vx, vy, vz = get3(s, parent + W + L3 + b)
        ax, ay, az = wy * zz - wz * zy, wz * zx - wx * zz, wx * zy - wy * zx
        bx, by = wy * uz - wz * uy + vy * zz - vz * zy, wz * ux - wx * uz + vz * zx - vx * zz
        bz = wx * uy - wy * ux + vx * zy - vy * zx
        put3(s, body + W + b, wx + zx * speed, wy + zy * speed, wz + zz * speed)
        put3(s, body + W + L3 + b, vx + ux * speed, vy + uy * speed, vz + uz * speed)
        put3(s, body + DZ + b, ax, ay, az)
        put3(s, body + DZ + L3 + b, bx, by, bz)
        if accelerates:
            rate = get(s, state + L2 + b)
            dx, dy, dz = get3(s, parent + DW + b)
            put3(s, body + DW + b, dx + zx * rate + ax * speed, dy + zy * rate + ay * speed, dz + zz * rate + az * speed)
            dx, dy, dz = get3(s, parent + DW + L3 + b)
            put3(s, body + DW + L3 + b, dx + ux * rate + bx * speed, dy + uy * rate + by * speed, dz + uz * rate + bz * speed)


@part
def move_body(s, i, stride, states, c, t, q, v, a, first, count, order):
    """Body i + 1 of a block. order: 0 pose and screw, 1 velocity too, 2 acceleration too."""
    body, parent, state, column = (i + ONE) * stride, t[i, T_PARENT] * stride, states + i * STATE, t[i, T_COORDINATE]
    load_column(s, state, q, column, first, count, c[i, C_RATIO], c[i, C_OFFSET])
    turn(s, state, body + DZ, c, i)  # into rows that are free until the velocity is known
    place(s, body, parent, state, body + DZ + L2, t[i, T_PRISMATIC] > ZERO, c, i)
    if order > 0:
        load_column(s, state + L, v, column, first, count, 1.0, 0.0)
        if order > 1:
            load_column(s, state + L2, a, column, first, count, 1.0, 0.0)
        move(s, body, parent, state, order > 1)


@part
def move_bodies(s, stride, c, t, q, v, a, root, first, count, order, fresh):
    """All bodies of a block. fresh: the scratch is new."""
    n = U(t.shape[0])
    if fresh or root.shape[0] > 1:
        load_root(s, root, first, count)
    for i in range(n):
        move_body(s, i, stride, (n + ONE) * stride, c, t, q, v, a, first, count, order)

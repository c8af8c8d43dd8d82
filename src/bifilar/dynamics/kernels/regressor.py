"""What multiplies the inertial parameters: one joint screw dotted with a body's 6 x 10 wrench regressor.

In the body frame, with angular velocity w, angular acceleration d and acceleration minus gravity f of the body's origin,

    force  = m f + (skew(d) + skew(w)^2) h
    moment = skew(f)' h + L(d) I + w x L(w) I

so that a row is  u . force + z . moment  for the screw (z, u) of the row's joint, moved into the body frame. Only pairs of a joint
and a body it carries are computed; each has ten rows of the block (m, hx, hy, hz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz). The six
rows of the base are pairs with unit screws.
"""

from .lanes import L3, L4, L5, L6, L7, L8, L9, ONE, STEP, THREE, ZERO, L, U, kernel, part
from .layout import C_AXIS, DW, LA, LD, LW, SMALL, STATE, TAIL, UNITS, A, P, R, V, W
from .motion import load_root, move_body
from .vectors import get, get3, put, put3

NOTHING = U(2**63)  # no such rows


@kernel
def body_motion(s, body):
    """Angular velocity, angular acceleration and acceleration of the origin, a + d x p + w x (v + w x p), in the body frame."""
    for b in range(ZERO, L, STEP):
        x, y, z = get3(s, body + P + b)
        wx, wy, wz = get3(s, body + W + b)
        dx, dy, dz = get3(s, body + DW + b)
        ux, uy, uz = get3(s, body + V + b)
        ax, ay, az = get3(s, body + A + b)
        ux, uy, uz = ux + wy * z - wz * y, uy + wz * x - wx * z, uz + wx * y - wy * x
        ax, ay = ax + dy * z - dz * y + wy * uz - wz * uy, ay + dz * x - dx * z + wz * ux - wx * uz
        az = az + dx * y - dy * x + wx * uy - wy * ux
        for k in range(THREE):
            o = k * L + b
            r0, r1, r2 = get(s, body + R + o), get(s, body + R + L3 + o), get(s, body + R + L6 + o)
            put(s, body + LW + o, r0 * wx + r1 * wy + r2 * wz)
            put(s, body + LD + o, r0 * dx + r1 * dy + r2 * dz)
            put(s, body + LA + o, r0 * ax + r1 * ay + r2 * az)


@kernel
def screws_into_body(s, body, pairs, begin, end, to):
    """Screws (angular, linear at the root's origin) as the body sees them: R'(z, u + z x p)."""
    for b in range(ZERO, L, STEP):
        x, y, z = get3(s, body + P + b)
        r0, r1, r2 = get3(s, body + R + b)
        r3, r4, r5 = get3(s, body + R + L3 + b)
        r6, r7, r8 = get3(s, body + R + L6 + b)
        for k in range(begin, end):
            screw, o = pairs[k, 0] + b, to + (k - begin) * L6 + b
            zx, zy, zz = get3(s, screw)
            ux, uy, uz = get3(s, screw + L3)
            ux, uy, uz = ux + zy * z - zz * y, uy + zz * x - zx * z, uz + zx * y - zy * x
            put3(s, o, r0 * zx + r3 * zy + r6 * zz, r1 * zx + r4 * zy + r7 * zz, r2 * zx + r5 * zy + r8 * zz)
            put3(s, o + L3, r0 * ux + r3 * uy + r6 * uz, r1 * ux + r4 * uy + r7 * uz, r2 * ux + r5 * uy + r8 * uz)


@kernel
def pair_rows(s, body, screws, d, pairs, begin, end):
    """Ten numbers for each screw that moves the body. pairs: offset of the screw, offset of its ten rows."""
    for b in range(ZERO, L, STEP):
        wx, wy, wz = get3(s, body + LW + b)
        dx, dy, dz = get3(s, body + LD + b)
        fx, fy, fz = get3(s, body + LA + b)
        xx, yy, zz, xy, xz, yz = wx * wx, wy * wy, wz * wz, wx * wy, wx * wz, wy * wz
        a0, a1, a2, a3, a4, a5 = xy + dz, xy - dz, xz + dy, xz - dy, yz + dx, yz - dx
        b0, b1, b2, c0, c1, c2 = yy + zz, xx + zz, xx + yy, xx - yy, zz - xx, yy - zz
        for k in range(begin, end):
            screw, o = screws + (k - begin) * L6 + b, pairs[k, 1] + b
            z0, z1, z2 = get3(s, screw)
            put(d, o + L4, dx * z0 + xz * z1 - xy * z2)
            put(d, o + L5, a4 * z1 + c0 * z2 - a3 * z0)
            put(d, o + L6, dy * z1 + xy * z2 - yz * z0)
            put(d, o + L7, a0 * z0 + c1 * z1 - a5 * z2)
            put(d, o + L8, c2 * z0 + a2 * z2 - a1 * z1)
            put(d, o + L9, yz * z0 - xz * z1 + dz * z2)
            u0, u1, u2 = get3(s, screw + L3)
            put(d, o, u0 * fx + u1 * fy + u2 * fz)
            put(d, o + L, a0 * u1 + a3 * u2 - b0 * u0 + fy * z2 - fz * z1)
            put(d, o + L + L, a1 * u0 + a4 * u2 - b1 * u1 + fz * z0 - fx * z2)
            put(d, o + L3, a2 * u0 + a5 * u1 - b2 * u2 + fx * z1 - fy * z0)


@kernel
def own_rows(s, body, z0, z1, z2, d, o):
    """A body and its own revolute joint: the axis is constant in the body frame and passes through its origin."""
    for b in range(ZERO, L, STEP):
        wx, wy, wz = get3(s, body + LW + b)
        dx, dy, dz = get3(s, body + LD + b)
        fx, fy, fz = get3(s, body + LA + b)
        xx, yy, zz, xy, xz, yz = wx * wx, wy * wy, wz * wz, wx * wy, wx * wz, wy * wz
        put(d, o + b, 0.0)
        put3(d, o + L + b, fy * z2 - fz * z1, fz * z0 - fx * z2, fx * z1 - fy * z0)
        put(d, o + L4 + b, dx * z0 + xz * z1 - xy * z2)
        put(d, o + L5 + b, (dy - xz) * z0 + (dx + yz) * z1 + (xx - yy) * z2)
        put(d, o + L6 + b, dy * z1 + xy * z2 - yz * z0)
        put(d, o + L7 + b, (dz + xy) * z0 + (zz - xx) * z1 + (dx - yz) * z2)
        put(d, o + L8 + b, (yy - zz) * z0 + (dz - xy) * z1 + (dy + xz) * z2)
        put(d, o + L9 + b, yz * z0 - xz * z1 + dz * z2)


@kernel
def unit_screws(s, to):
    """Screws of the six base rows: force first; a screw is angular first."""
    for k in range(U(6)):
        for r in range(U(6)):
            value = 1.0 if r == (k + THREE) % U(6) else 0.0
            for b in range(ZERO, L, STEP):
                put(s, to + (k * U(6) + r) * L + b, value)


@part
def regressor_block(s, d, c, t, q, v, a, root, pairs, starts, own, folds, first, count, fresh):
    """All pairs of a block into `d`. pairs[starts[i]:starts[i + 1]] belong to body i, own[i] are the rows of its own joint."""
    n = U(t.shape[0])
    states = (n + ONE) * SMALL + TAIL
    units = states + n * STATE
    temporary = units + UNITS
    if fresh:
        unit_screws(s, units)
    if fresh or root.shape[0] > 1:
        load_root(s, root, first, count)
    for i in range(n + ONE):
        body, begin, end = i * SMALL, starts[i], starts[i + ONE]
        if i > ZERO:
            move_body(s, i - ONE, SMALL, states, c, t, q, v, a, first, count, 2)
        if end > begin or own[i] != NOTHING:
            body_motion(s, body)
            screws_into_body(s, body, pairs, begin, end, temporary)
            pair_rows(s, body, temporary, d, pairs, begin, end)
        if own[i] != NOTHING:
            own_rows(s, body, c[i - ONE, C_AXIS], c[i - ONE, C_AXIS + 1], c[i - ONE, C_AXIS + 2], d, own[i])
    for k in range(U(folds.shape[0])):  # joints on one path that follow the same coordinate add up
        to, source = folds[k, 0], folds[k, 1]
        for b in range(ZERO, U(10) * L, STEP):
            put(d, to + b, get(d, to + b) + get(d, source + b))

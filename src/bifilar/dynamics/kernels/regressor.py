"""What multiplies the inertial parameters: one joint screw dotted with a body's 6 x 10 wrench regressor.

In the body frame, with angular velocity w, angular acceleration d and acceleration minus gravity f of the body's origin,

    force  = m f + (skew(d) + skew(w)^2) h
    moment = skew(f)' h + L(d) I + w x L(w) I

so that a row is  u . force + z . moment  for the screw (z, u) of the row's joint, moved into the body frame. Only pairs of a joint
and a body it carries are computed; each has ten rows of the block (m, hx, hy, hz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz).
"""

from .lanes import L3, L4, L5, L6, L7, L8, L9, ONE, STEP, THREE, ZERO, L, U, kernel, part
from .layout import C_AXIS, DW, LA, LD, LW, SMALL, STATE, T_PARENT, T_PRISMATIC, A, P, R, V, W, Z
from .motion import move_bodies
from .vectors import get, get3, put, put3


@kernel
def body_motion(s, body):
    """Angular velocity and acceleration and the acceleration of the body's origin, a + d x p + w x (v + w x p), in the body frame."""
    for b in range(ZERO, L, STEP):
        x, y, z = get3(s, body + P + b)
        wx, wy, wz = get3(s, body + W + b)
        dx, dy, dz = get3(s, body + DW + b)
        ux, uy, uz = get3(s, body + V + b)
        ax, ay, az = get3(s, body + A + b)
        ux, uy, uz = ux + wy * z - wz * y, uy + wz * x - wx * z, uz + wx * y - wy * x
        ax, ay, az = ax + dy * z - dz * y + wy * uz - wz * uy, ay + dz * x - dx * z + wz * ux - wx * uz, az + dx * y - dy * x + wx * uy - wy * ux
        for k in range(THREE):
            o = k * L + b
            r0, r1, r2 = get(s, body + R + o), get(s, body + R + L3 + o), get(s, body + R + L6 + o)
            put(s, body + LW + o, r0 * wx + r1 * wy + r2 * wz)
            put(s, body + LD + o, r0 * dx + r1 * dy + r2 * dz)
            put(s, body + LA + o, r0 * ax + r1 * ay + r2 * az)


@kernel
def screw_into_body(s, body, screw, to):
    """A screw (angular, linear at the root's origin) seen from the body: R'(z, u + z x p)."""
    for b in range(ZERO, L, STEP):
        zx, zy, zz = get3(s, screw + b)
        ux, uy, uz = get3(s, screw + L3 + b)
        x, y, z = get3(s, body + P + b)
        ux, uy, uz = ux + zy * z - zz * y, uy + zz * x - zx * z, uz + zx * y - zy * x
        for k in range(THREE):
            o = k * L + b
            r0, r1, r2 = get(s, body + R + o), get(s, body + R + L3 + o), get(s, body + R + L6 + o)
            put(s, to + o, r0 * zx + r1 * zy + r2 * zz)
            put(s, to + L3 + o, r0 * ux + r1 * uy + r2 * uz)


@kernel
def ten_rows(s, body, screw, d, o):
    """The ten numbers of a screw and a body."""
    for b in range(ZERO, L, STEP):
        wx, wy, wz = get3(s, body + LW + b)
        dx, dy, dz = get3(s, body + LD + b)
        z0, z1, z2 = get3(s, screw + b)
        xx, yy, zz, xy, xz, yz = wx * wx, wy * wy, wz * wz, wx * wy, wx * wz, wy * wz
        put(d, o + L4 + b, dx * z0 + xz * z1 - xy * z2)
        put(d, o + L5 + b, (dy - xz) * z0 + (dx + yz) * z1 + (xx - yy) * z2)
        put(d, o + L6 + b, dy * z1 + xy * z2 - yz * z0)
        put(d, o + L7 + b, (dz + xy) * z0 + (zz - xx) * z1 + (dx - yz) * z2)
        put(d, o + L8 + b, (yy - zz) * z0 + (dz - xy) * z1 + (dy + xz) * z2)
        put(d, o + L9 + b, yz * z0 - xz * z1 + dz * z2)
        fx, fy, fz = get3(s, body + LA + b)
        u0, u1, u2 = get3(s, screw + L3 + b)
        put(d, o + b, u0 * fx + u1 * fy + u2 * fz)
        put3(
            d, o + L + b,
            (xy + dz) * u1 + (xz - dy) * u2 - (yy + zz) * u0 + fy * z2 - fz * z1,
            (xy - dz) * u0 + (yz + dx) * u2 - (xx + zz) * u1 + fz * z0 - fx * z2,
            (xz + dy) * u0 + (yz - dx) * u1 - (xx + yy) * u2 + fx * z1 - fy * z0,
        )  # fmt: skip


@kernel
def ten_rows_own_axis(s, body, z0, z1, z2, d, o):
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
def unit_screw(s, to, k):
    """Screw of base row k: rows are force first, screws are angular first."""
    for r in range(U(6)):
        value = 1.0 if r == (k + THREE) % U(6) else 0.0
        for b in range(ZERO, L, STEP):
            put(s, to + r * L + b, value)


@part
def base_rows(s, body, temporary, d, cells, i):
    """Six rows of one body."""
    for k in range(U(6)):
        unit_screw(s, temporary, k)
        screw_into_body(s, body, temporary, temporary + L6)
        ten_rows(s, body, temporary + L6, d, cells[k, i])


@part
def joint_rows(s, i, c, t, temporary, d, cells):
    """Rows of all joints that carry body i + 1."""
    body = (i + ONE) * SMALL
    if t[i, T_PRISMATIC] == ZERO:
        ten_rows_own_axis(s, body, c[i, C_AXIS], c[i, C_AXIS + 1], c[i, C_AXIS + 2], d, cells[i, i])
        carrier = t[i, T_PARENT]
    else:
        carrier = i + ONE
    while carrier > ZERO:
        screw_into_body(s, body, carrier * SMALL + Z, temporary)
        ten_rows(s, body, temporary, d, cells[carrier - ONE, i])
        carrier = t[carrier - ONE, T_PARENT]


@part
def regressor_block(s, d, c, t, q, v, a, root, joint_cells, base_cells, folds, joints, base, first, count, fresh):
    """All pairs of a block into `d`. joint_cells[j, i], base_cells[k, body]: offset of the ten rows of a pair."""
    n = U(t.shape[0])
    temporary = (n + ONE) * SMALL + n * STATE
    move_bodies(s, SMALL, c, t, q, v, a, root, first, count, 2, fresh)
    for i in range(n + ONE):
        body_motion(s, i * SMALL)
        if base:
            base_rows(s, i * SMALL, temporary, d, base_cells, i)
        if joints and i > ZERO:
            joint_rows(s, i - ONE, c, t, temporary, d, joint_cells)
    for k in range(U(folds.shape[0])):  # joints on one path that follow the same coordinate add up
        to, source = folds[k, 0], folds[k, 1]
        for b in range(ZERO, U(10) * L, STEP):
            put(d, to + b, get(d, to + b) + get(d, source + b))

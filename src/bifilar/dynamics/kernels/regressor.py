"""What multiplies the inertial parameters: one joint screw dotted with a body's 6 x 10 wrench regressor.

In the body frame, with angular velocity w, angular acceleration d and acceleration minus gravity f of the body's origin,

    force  = m f + (skew(d) + skew(w)^2) h
    moment = skew(f)' h + L(d) I + w x L(w) I

so that a row is  u . force + z . moment  for the screw (z, u) of the row's joint, moved into the body frame. Only pairs of a joint
and a body it carries are computed; each has ten rows of the block (m, hx, hy, hz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz).
"""

from .lanes import L, U, kernel
from .layout import C_AXIS, DW, LA, LD, LW, SMALL, STATE, T_PARENT, T_PRISMATIC, A, P, R, V, W, Z
from .motion import L2, L3, L4, L5, L6, L7, L8, ONE, ZERO, clear_rows, move_bodies

L9 = U(9) * L


@kernel
def into_body(s, body, source, to):
    """Rotate three rows from the root frame into the body frame."""
    for b in range(L):
        x, y, z = s[source + b], s[source + L + b], s[source + L2 + b]
        s[to + b] = s[body + R + b] * x + s[body + R + L3 + b] * y + s[body + R + L6 + b] * z
        s[to + L + b] = s[body + R + L + b] * x + s[body + R + L4 + b] * y + s[body + R + L7 + b] * z
        s[to + L2 + b] = s[body + R + L2 + b] * x + s[body + R + L5 + b] * y + s[body + R + L8 + b] * z


@kernel
def acceleration_at_origin(s, body, to):
    """Classical acceleration of the body's origin from the spatial one: a + d x p + w x (v + w x p)."""
    for b in range(L):
        x, y, z = s[body + P + b], s[body + P + L + b], s[body + P + L2 + b]
        wx, wy, wz = s[body + W + b], s[body + W + L + b], s[body + W + L2 + b]
        ux = s[body + V + b] + wy * z - wz * y
        uy = s[body + V + L + b] + wz * x - wx * z
        uz = s[body + V + L2 + b] + wx * y - wy * x
        dx, dy, dz = s[body + DW + b], s[body + DW + L + b], s[body + DW + L2 + b]
        s[to + b] = s[body + A + b] + dy * z - dz * y + wy * uz - wz * uy
        s[to + L + b] = s[body + A + L + b] + dz * x - dx * z + wz * ux - wx * uz
        s[to + L2 + b] = s[body + A + L2 + b] + dx * y - dy * x + wx * uy - wy * ux


@kernel
def screw_into_body(s, body, screw, to):
    """A screw (angular, linear at the root's origin) seen from the body: R'(z, u + z x p)."""
    for b in range(L):
        zx, zy, zz = s[screw + b], s[screw + L + b], s[screw + L2 + b]
        x, y, z = s[body + P + b], s[body + P + L + b], s[body + P + L2 + b]
        ux = s[screw + L3 + b] + zy * z - zz * y
        uy = s[screw + L4 + b] + zz * x - zx * z
        uz = s[screw + L5 + b] + zx * y - zy * x
        r, t, w = s[body + R + b], s[body + R + L3 + b], s[body + R + L6 + b]
        s[to + b] = r * zx + t * zy + w * zz
        s[to + L3 + b] = r * ux + t * uy + w * uz
        r, t, w = s[body + R + L + b], s[body + R + L4 + b], s[body + R + L7 + b]
        s[to + L + b] = r * zx + t * zy + w * zz
        s[to + L4 + b] = r * ux + t * uy + w * uz
        r, t, w = s[body + R + L2 + b], s[body + R + L5 + b], s[body + R + L8 + b]
        s[to + L2 + b] = r * zx + t * zy + w * zz
        s[to + L5 + b] = r * ux + t * uy + w * uz


@kernel
def ten_rows(s, body, screw, d, o):
    """The ten numbers of a screw and a body."""
    for b in range(L):
        wx, wy, wz = s[body + LW + b], s[body + LW + L + b], s[body + LW + L2 + b]
        dx, dy, dz = s[body + LD + b], s[body + LD + L + b], s[body + LD + L2 + b]
        fx, fy, fz = s[body + LA + b], s[body + LA + L + b], s[body + LA + L2 + b]
        z0, z1, z2 = s[screw + b], s[screw + L + b], s[screw + L2 + b]
        u0, u1, u2 = s[screw + L3 + b], s[screw + L4 + b], s[screw + L5 + b]
        xx, yy, zz, xy, xz, yz = wx * wx, wy * wy, wz * wz, wx * wy, wx * wz, wy * wz
        d[o + b] = u0 * fx + u1 * fy + u2 * fz
        d[o + L + b] = (-yy - zz) * u0 + (xy + dz) * u1 + (xz - dy) * u2 + fy * z2 - fz * z1
        d[o + L2 + b] = (xy - dz) * u0 + (-xx - zz) * u1 + (yz + dx) * u2 + fz * z0 - fx * z2
        d[o + L3 + b] = (xz + dy) * u0 + (yz - dx) * u1 + (-xx - yy) * u2 + fx * z1 - fy * z0
        d[o + L4 + b] = dx * z0 + xz * z1 - xy * z2
        d[o + L5 + b] = (dy - xz) * z0 + (dx + yz) * z1 + (xx - yy) * z2
        d[o + L6 + b] = -yz * z0 + dy * z1 + xy * z2
        d[o + L7 + b] = (dz + xy) * z0 + (zz - xx) * z1 + (dx - yz) * z2
        d[o + L8 + b] = (yy - zz) * z0 + (dz - xy) * z1 + (dy + xz) * z2
        d[o + L9 + b] = yz * z0 - xz * z1 + dz * z2


@kernel
def ten_rows_own_axis(s, body, z0, z1, z2, d, o):
    """A body and its own revolute joint: the axis is constant in the body frame and passes through its origin."""
    for b in range(L):
        wx, wy, wz = s[body + LW + b], s[body + LW + L + b], s[body + LW + L2 + b]
        dx, dy, dz = s[body + LD + b], s[body + LD + L + b], s[body + LD + L2 + b]
        fx, fy, fz = s[body + LA + b], s[body + LA + L + b], s[body + LA + L2 + b]
        xx, yy, zz, xy, xz, yz = wx * wx, wy * wy, wz * wz, wx * wy, wx * wz, wy * wz
        d[o + b] = 0.0
        d[o + L + b] = fy * z2 - fz * z1
        d[o + L2 + b] = fz * z0 - fx * z2
        d[o + L3 + b] = fx * z1 - fy * z0
        d[o + L4 + b] = dx * z0 + xz * z1 - xy * z2
        d[o + L5 + b] = (dy - xz) * z0 + (dx + yz) * z1 + (xx - yy) * z2
        d[o + L6 + b] = -yz * z0 + dy * z1 + xy * z2
        d[o + L7 + b] = (dz + xy) * z0 + (zz - xx) * z1 + (dx - yz) * z2
        d[o + L8 + b] = (yy - zz) * z0 + (dz - xy) * z1 + (dy + xz) * z2
        d[o + L9 + b] = yz * z0 - xz * z1 + dz * z2


@kernel
def body_motion(s, body, temporary):
    """Angular velocity and acceleration and the origin's acceleration, in the body frame."""
    into_body(s, body, body + W, body + LW)
    into_body(s, body, body + DW, body + LD)
    acceleration_at_origin(s, body, temporary)
    into_body(s, body, temporary, body + LA)


@kernel
def base_rows(s, body, temporary, d, cells, i):
    """Six rows of one body: the unit screws at the root's origin, force first."""
    unit, moved = temporary, temporary + L6
    for k in range(U(6)):
        clear_rows(s, unit, U(6))
        axis = (k + U(3)) % U(6)  # screws are angular first, rows are force first
        for b in range(L):
            s[unit + axis * L + b] = 1.0
        screw_into_body(s, body, unit, moved)
        ten_rows(s, body, moved, d, cells[k, i])


@kernel
def joint_rows(s, i, c, t, temporary, d, cells):
    """Rows of all joints that carry body i + 1."""
    body = (i + ONE) * SMALL
    if t[i, T_PRISMATIC] == ZERO:
        ten_rows_own_axis(s, body, c[i, C_AXIS], c[i, C_AXIS + 1], c[i, C_AXIS + 2], d, cells[i, i])
    else:
        screw_into_body(s, body, body + Z, temporary)
        ten_rows(s, body, temporary, d, cells[i, i])
    carrier = t[i, T_PARENT]
    while carrier > ZERO:
        screw_into_body(s, body, carrier * SMALL + Z, temporary)
        ten_rows(s, body, temporary, d, cells[carrier - ONE, i])
        carrier = t[carrier - ONE, T_PARENT]


@kernel
def regressor_block(s, d, c, t, q, v, a, root, joint_cells, base_cells, folds, joints, base, first, count):
    """All pairs of a block into `d`. joint_cells[j, i], base_cells[k, body]: offset of the ten rows of a pair."""
    n = U(t.shape[0])
    temporary = (n + ONE) * SMALL + n * STATE
    move_bodies(s, SMALL, c, t, q, v, a, root, first, count, 2)
    if base:
        body_motion(s, ZERO, temporary)
        base_rows(s, ZERO, temporary, d, base_cells, ZERO)
    for i in range(n):
        body = (i + ONE) * SMALL
        body_motion(s, body, temporary)
        if joints:
            joint_rows(s, i, c, t, temporary, d, joint_cells)
        if base:
            base_rows(s, body, temporary, d, base_cells, i + ONE)
    for k in range(U(folds.shape[0])):  # joints on one path that follow the same coordinate add up
        to, source = folds[k, 0], folds[k, 1]
        for r in range(U(10)):
            for b in range(L):
                d[to + r * L + b] += d[source + r * L + b]

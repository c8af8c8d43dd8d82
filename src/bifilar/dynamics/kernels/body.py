"""Inertia, momentum, wrench and Coriolis matrix of every body, about the root's origin in root axes; and products with them.

Seen from one common point, bodies that move together simply add:

    inertia  (m, h, I):    force part of a twist (w, v): m v + w x h,   moment part: I w + h x v
    momentum (PA, PL) = inertia (W, V)
    wrench = inertia (DW, A) + (w x PA + v x PL, w x PL)
    Coriolis matrix of one body, B = 1/2 [(v x*) I - I (v x) + (I v) xbar*], maps (z, u) to

        (S z - PA x z / 2,  z x PL)     S = sym([w] I) + (v.h) 1 - (h v' + v h')/2

    (the linear part of the argument drops out; Echeandia and Wensing 2021 give B, the collapsed form follows by expansion).
"""

from .lanes import L2, L3, ONE, STEP, ZERO, L, U, kernel, part
from .layout import DDZ, DW, DZ, LARGE, PA, PL, T_PARENT, F, H, I, M, N, P, R, S, V, W, Z
from .vectors import get, get3, put, put3

L4, L5 = U(4) * L, U(5) * L


@part
def inertia_about_root(s, body, b, to, m, hx, hy, hz, xx, xy, yy, xz, yz, zz):
    """Ten parameters about the body's origin, in its frame, moved to the root's origin."""
    a0, a1, a2 = get3(s, body + R + b)
    b0, b1, b2 = get3(s, body + R + L3 + b)
    c0, c1, c2 = get3(s, body + R + L3 + L3 + b)
    x, y, z = get3(s, body + P + b)
    gx, gy, gz = a0 * hx + a1 * hy + a2 * hz, b0 * hx + b1 * hy + b2 * hz, c0 * hx + c1 * hy + c2 * hz
    put(s, to + M + b, m + 0.0 * x)
    put3(s, to + H + b, gx + m * x, gy + m * y, gz + m * z)
    gx, gy, gz = gx + 0.5 * m * x, gy + 0.5 * m * y, gz + 0.5 * m * z  # 2 p.g - p g' - g p' is then the whole shift
    k0, k1, k2 = xx * a0 + xy * a1 + xz * a2, xy * a0 + yy * a1 + yz * a2, xz * a0 + yz * a1 + zz * a2
    put(s, to + I + b, a0 * k0 + a1 * k1 + a2 * k2 + 2.0 * (y * gy + z * gz))
    put(s, to + I + L + b, b0 * k0 + b1 * k1 + b2 * k2 - x * gy - y * gx)
    put(s, to + I + L3 + b, c0 * k0 + c1 * k1 + c2 * k2 - x * gz - z * gx)
    k0, k1, k2 = xx * b0 + xy * b1 + xz * b2, xy * b0 + yy * b1 + yz * b2, xz * b0 + yz * b1 + zz * b2
    put(s, to + I + L2 + b, b0 * k0 + b1 * k1 + b2 * k2 + 2.0 * (x * gx + z * gz))
    put(s, to + I + L4 + b, c0 * k0 + c1 * k1 + c2 * k2 - y * gz - z * gy)
    k0, k1, k2 = xx * c0 + xy * c1 + xz * c2, xy * c0 + yy * c1 + yz * c2, xz * c0 + yz * c1 + zz * c2
    put(s, to + I + L5 + b, c0 * k0 + c1 * k1 + c2 * k2 + 2.0 * (x * gx + y * gy))


@kernel
def body_inertia(s, body, phi, i):
    """Inertia of body i, the same parameters in every sample."""
    m, hx, hy, hz = phi[i, 0], phi[i, 1], phi[i, 2], phi[i, 3]
    xx, xy, yy, xz, yz, zz = phi[i, 4], phi[i, 5], phi[i, 6], phi[i, 7], phi[i, 8], phi[i, 9]
    for b in range(ZERO, L, STEP):
        inertia_about_root(s, body, b, body, m, hx, hy, hz, xx, xy, yy, xz, yz, zz)


@kernel
def inertia_times(s, body, twist, to):
    """Inertia of `body` times the twist at row `twist`."""
    for b in range(ZERO, L, STEP):
        zx, zy, zz = get3(s, twist + b)
        ux, uy, uz = get3(s, twist + L3 + b)
        hx, hy, hz = get3(s, body + H + b)
        m = get(s, body + M + b)
        xx, xy, yy = get3(s, body + I + b)
        xz, yz, ww = get3(s, body + I + L3 + b)
        put3(
            s, to + b,
            xx * zx + xy * zy + xz * zz + hy * uz - hz * uy,
            xy * zx + yy * zy + yz * zz + hz * ux - hx * uz,
            xz * zx + yz * zy + ww * zz + hx * uy - hy * ux,
        )  # fmt: skip
        put3(s, to + L3 + b, m * ux + zy * hz - zz * hy, m * uy + zz * hx - zx * hz, m * uz + zx * hy - zy * hx)


@kernel
def wrench_of_motion(s, body):
    """Add the velocity part to the wrench: (w x PA + v x PL, w x PL)."""
    for b in range(ZERO, L, STEP):
        wx, wy, wz = get3(s, body + W + b)
        vx, vy, vz = get3(s, body + V + b)
        ax, ay, az = get3(s, body + PA + b)
        lx, ly, lz = get3(s, body + PL + b)
        x, y, z = get3(s, body + N + b)
        put3(
            s, body + N + b,
            x + wy * az - wz * ay + vy * lz - vz * ly,
            y + wz * ax - wx * az + vz * lx - vx * lz,
            z + wx * ay - wy * ax + vx * ly - vy * lx,
        )  # fmt: skip
        x, y, z = get3(s, body + F + b)
        put3(s, body + F + b, x + wy * lz - wz * ly, y + wz * lx - wx * lz, z + wx * ly - wy * lx)


@kernel
def coriolis_part(s, body):
    """The symmetric matrix S of a body."""
    for b in range(ZERO, L, STEP):
        wx, wy, wz = get3(s, body + W + b)
        vx, vy, vz = get3(s, body + V + b)
        hx, hy, hz = get3(s, body + H + b)
        xx, xy, yy = get3(s, body + I + b)
        xz, yz, zz = get3(s, body + I + L3 + b)
        along = vx * hx + vy * hy + vz * hz
        put(s, body + S + b, wy * xz - wz * xy + along - hx * vx)
        put(s, body + S + L + b, 0.5 * (wy * yz - wz * yy + wz * xx - wx * xz - hx * vy - hy * vx))
        put(s, body + S + L2 + b, wz * xy - wx * yz + along - hy * vy)
        put(s, body + S + L3 + b, 0.5 * (wy * zz - wz * yz + wx * xy - wy * xx - hx * vz - hz * vx))
        put(s, body + S + L4 + b, 0.5 * (wz * xz - wx * zz + wx * yy - wy * xy - hy * vz - hz * vy))
        put(s, body + S + L5 + b, wx * yz - wy * xz + along - hz * vz)


@kernel
def coriolis_times(s, body, twist, to):
    """Coriolis matrix of `body` times a twist: (S z - PA x z / 2, z x PL)."""
    for b in range(ZERO, L, STEP):
        x, y, z = get3(s, twist + b)
        xx, xy, yy = get3(s, body + S + b)
        xz, yz, zz = get3(s, body + S + L3 + b)
        ax, ay, az = get3(s, body + PA + b)
        lx, ly, lz = get3(s, body + PL + b)
        put3(
            s, to + b,
            xx * x + xy * y + xz * z - 0.5 * (ay * z - az * y),
            xy * x + yy * y + yz * z - 0.5 * (az * x - ax * z),
            xz * x + yz * y + zz * z - 0.5 * (ax * y - ay * x),
        )  # fmt: skip
        put3(s, to + L3 + b, y * lz - z * ly, z * lx - x * lz, x * ly - y * lx)


@kernel
def coriolis_transposed_times(s, body, twist, to):
    """Its transpose times a twist: (S z + PA x z / 2 + PL x u, 0)."""
    for b in range(ZERO, L, STEP):
        x, y, z = get3(s, twist + b)
        ux, uy, uz = get3(s, twist + L3 + b)
        xx, xy, yy = get3(s, body + S + b)
        xz, yz, zz = get3(s, body + S + L3 + b)
        ax, ay, az = get3(s, body + PA + b)
        lx, ly, lz = get3(s, body + PL + b)
        put3(
            s, to + b,
            xx * x + xy * y + xz * z + 0.5 * (ay * z - az * y) + ly * uz - lz * uy,
            xy * x + yy * y + yz * z + 0.5 * (az * x - ax * z) + lz * ux - lx * uz,
            xz * x + yz * y + zz * z + 0.5 * (ax * y - ay * x) + lx * uy - ly * ux,
        )  # fmt: skip
        put3(s, to + L3 + b, 0.0, 0.0, 0.0)


@kernel
def twist_cross(s, left, right, to):
    """Rate of the screw `right` carried by the twist `left`: (w x z, w x u + v x z)."""
    for b in range(ZERO, L, STEP):
        wx, wy, wz = get3(s, left + b)
        vx, vy, vz = get3(s, left + L3 + b)
        zx, zy, zz = get3(s, right + b)
        ux, uy, uz = get3(s, right + L3 + b)
        put3(s, to + b, wy * zz - wz * zy, wz * zx - wx * zz, wx * zy - wy * zx)
        put3(
            s, to + L3 + b,
            wy * uz - wz * uy + vy * zz - vz * zy, wz * ux - wx * uz + vz * zx - vx * zz, wx * uy - wy * ux + vx * zy - vy * zx,
        )  # fmt: skip


@kernel
def wrench_cross(s, twist, wrench, to):
    """Rate of a wrench carried by a twist: (w x n + v x f, w x f)."""
    for b in range(ZERO, L, STEP):
        wx, wy, wz = get3(s, twist + b)
        vx, vy, vz = get3(s, twist + L3 + b)
        nx, ny, nz = get3(s, wrench + b)
        fx, fy, fz = get3(s, wrench + L3 + b)
        put3(
            s, to + b,
            wy * nz - wz * ny + vy * fz - vz * fy, wz * nx - wx * nz + vz * fx - vx * fz, wx * ny - wy * nx + vx * fy - vy * fx,
        )  # fmt: skip
        put3(s, to + L3 + b, wy * fz - wz * fy, wz * fx - wx * fz, wx * fy - wy * fx)


@kernel
def add_rows(s, source, to, rows, factor):
    """to += factor * source, so many rows."""
    for b in range(ZERO, rows * L, STEP):
        put(s, to + b, get(s, to + b) + factor * get(s, source + b))


@kernel
def clear_rows(s, to, rows):
    """to = 0, so many rows."""
    for b in range(ZERO, rows * L, STEP):
        put(s, to + b, 0.0)


@kernel
def dot6(s, left, right, to):
    """to = left . right, six rows each."""
    for b in range(ZERO, L, STEP):
        total = get(s, left + b) * get(s, right + b)
        for k in range(ONE, U(6)):
            total = total + get(s, left + k * L + b) * get(s, right + k * L + b)
        put(s, to + b, total)


@part
def body_wrench(s, body, phi, i):
    """Inertia, momentum and wrench of body i."""
    body_inertia(s, body, phi, i)
    inertia_times(s, body, body + W, body + PA)
    inertia_times(s, body, body + DW, body + N)
    wrench_of_motion(s, body)


@part
def screw_second_rate(s, body, parent, temporary):
    """Second rate of a joint's screw with the joint itself held: a_parent x screw + v_parent x rate."""
    twist_cross(s, parent + DW, body + Z, body + DDZ)
    twist_cross(s, parent + W, body + DZ, temporary)
    add_rows(s, temporary, body + DDZ, U(6), 1.0)


@part
def sum_up(s, t, first_row, rows):
    """Add rows of every body to its parent's, from the tips to the root: what a joint carries."""
    n = U(t.shape[0])
    for k in range(n):
        i = n - ONE - k
        add_rows(s, (i + ONE) * LARGE + first_row, t[i, T_PARENT] * LARGE + first_row, rows, 1.0)

"""Poses of all bodies; the Jacobian of a point of one body."""

from .lanes import IN1, IN2, L3, L6, ONE, OUT1, OUT3, OUT4, SIZE, STEP, TABLE2, THREE, ZERO, L, U, entry, kernel
from .layout import LARGE, STATE, T_COORDINATE, T_PARENT, P, R, Z
from .motion import move_bodies
from .vectors import get3, put3

ARGUMENTS = (OUT1, IN2, TABLE2, IN2, IN2)


@kernel
def set_pose(rotation, translation, i, s, body, first, count):
    """One body's pose of every sample of the block."""
    for b in range(count):
        for r in range(THREE):
            translation[first + b, i, r] = s[body + P + r * L + b]
            for k in range(THREE):
                rotation[first + b, i, r, k] = s[body + R + (THREE * r + k) * L + b]


@entry(*ARGUMENTS, OUT4, OUT3, SIZE, SIZE)
def poses(s, c, t, q, root, rotation, translation, start, stop):
    """rotation (N, bodies, 3, 3), translation (N, bodies, 3): root_from_body, root first."""
    n = U(t.shape[0])
    for first in range(start, stop, L):
        count = min(L, stop - first)
        move_bodies(s, LARGE, c, t, q, q, q, root, first, count, 0, first == start)
        for i in range(n + ONE):
            set_pose(rotation, translation, i, s, i * LARGE, first, count)


@kernel
def point_in_root(s, body, x, y, z, to):
    """A point fixed in a body, in the root frame."""
    for b in range(ZERO, L, STEP):
        px, py, pz = get3(s, body + P + b)
        r0, r1, r2 = get3(s, body + R + b)
        r3, r4, r5 = get3(s, body + R + L3 + b)
        r6, r7, r8 = get3(s, body + R + L6 + b)
        put3(s, to + b, px + r0 * x + r1 * y + r2 * z, py + r3 * x + r4 * y + r5 * z, pz + r6 * x + r7 * y + r8 * z)


@kernel
def velocity_at(s, screw, point, to):
    """Velocity (linear, angular) that a screw gives to a point: (u + z x p, z)."""
    for b in range(ZERO, L, STEP):
        zx, zy, zz = get3(s, screw + b)
        ux, uy, uz = get3(s, screw + L3 + b)
        x, y, z = get3(s, point + b)
        put3(s, to + b, ux + zy * z - zz * y, uy + zz * x - zx * z, uz + zx * y - zy * x)
        put3(s, to + L3 + b, zx, zy, zz)


@kernel
def add_column(out, column, s, source, first, count):
    """out[:, :, column] += six rows of the scratch."""
    for b in range(count):
        for r in range(U(6)):
            out[first + b, r, column] += s[source + r * L + b]


@kernel
def base_columns(out, s, point, first, count):
    """The root's velocity moves the point along; its angular velocity sweeps it round."""
    for b in range(count):
        x, y, z = s[point + b], s[point + L + b], s[point + L + L + b]
        for r in range(U(6)):
            out[first + b, r, r] = 1.0
        out[first + b, 0, 4], out[first + b, 0, 5] = z, -y
        out[first + b, 1, 3], out[first + b, 1, 5] = -z, x
        out[first + b, 2, 3], out[first + b, 2, 4] = y, -x


@entry(*ARGUMENTS, SIZE, IN1, OUT3, SIZE, SIZE)
def jacobian(s, c, t, q, root, body, point, out, start, stop):
    """out (N, 6, 6 + coordinates), zero on entry: linear, then angular velocity of the point."""
    n = U(t.shape[0])
    temporary = (n + ONE) * LARGE + n * STATE
    for first in range(start, stop, L):
        count = min(L, stop - first)
        move_bodies(s, LARGE, c, t, q, q, q, root, first, count, 0, first == start)
        point_in_root(s, body * LARGE, point[0], point[1], point[2], temporary)
        base_columns(out, s, temporary, first, count)
        k = body
        while k > ZERO:
            velocity_at(s, k * LARGE + Z, temporary, temporary + L3)
            add_column(out, t[k - ONE, T_COORDINATE] + U(6), s, temporary + L3, first, count)
            k = t[k - ONE, T_PARENT]

"""Inverse dynamics, and the products of its derivative with a vector from the right (tangent) and from the left (adjoint).

With screws psi, their rates psi' = v x psi and psi'' = a_parent x psi + v_parent x psi', wrenches f and, for the bodies that joint j
carries, summed wrenches fc_j, moving joint j changes the wrench of a carried body by

    dq_j:  psi_j x* f + I psi''_j + 2 B psi'_j        dv_j:  2 I psi'_j + 2 B psi_j        da_j:  I psi_j

and the screws of carried joints by psi_j x psi. Summed along the path to a body these give the tangent; summed over carried bodies, with
u the twist that the weights would give (u = sum of psi weight), the adjoint

    gq_j = (u_j x psi_j) . fc_j + psi''_j . A_j + 2 psi'_j . E_j      gv_j = 2 psi'_j . A_j + 2 psi_j . E_j      ga_j = psi_j . A_j

with A = sum of I u and E = sum of B' u. Both cost as much as a few inverse dynamics, whatever the number of joints.
"""

from .body import (
    add_rows,
    body_wrench,
    clear_rows,
    coriolis_part,
    coriolis_times,
    coriolis_transposed_times,
    dot6,
    inertia_times,
    screw_second_rate,
    sum_up,
    twist_cross,
    wrench_cross,
)  # fmt: skip
from .lanes import IN2, L6, ONE, OUT1, OUT2, SIZE, STEP, TABLE2, THREE, ZERO, L, U, entry, kernel, part
from .layout import DDZ, DZ, LARGE, STATE, T_COORDINATE, T_PARENT, N, T, X, Y, Z
from .motion import load_column, move_bodies
from .vectors import get, put

SIX = U(6)
L12, L18 = U(12) * L, U(18) * L
ARGUMENTS = (OUT1, IN2, TABLE2, IN2, IN2, IN2, IN2, IN2)


@kernel
def add_to_column(out, column, s, row, first, count):
    """out[:, column] += a row of the scratch."""
    for b in range(count):
        out[first + b, column] += s[row + b]


@kernel
def set_base(out, s, wrench, first, count):
    """Base rows of the output: force, then moment."""
    for b in range(count):
        for k in range(THREE):
            out[first + b, k] = s[wrench + (k + THREE) * L + b]
            out[first + b, k + THREE] = s[wrench + k * L + b]


@part
def project(s, t, temporary, row, out, first, count):
    """Every joint's screw dotted with the wrench its body carries at `row`; the root's as it is."""
    for i in range(U(t.shape[0])):
        body = (i + ONE) * LARGE
        dot6(s, body + Z, body + row, temporary)
        add_to_column(out, t[i, T_COORDINATE] + SIX, s, temporary, first, count)
    set_base(out, s, row, first, count)


@entry(*ARGUMENTS, OUT2, SIZE, SIZE)
def inverse_dynamics(s, c, t, phi, q, v, a, root, out, start, stop):
    """out (N, 6 + coordinates), zero on entry."""
    n = U(t.shape[0])
    temporary = (n + ONE) * LARGE + n * STATE
    for first in range(start, stop, L):
        count = min(L, stop - first)
        move_bodies(s, LARGE, c, t, q, v, a, root, first, count, 2, first == start)
        for i in range(n + ONE):
            body_wrench(s, i * LARGE, phi, i)
        sum_up(s, t, N, SIX)
        project(s, t, temporary, N, out, first, count)


@kernel
def mix_rates(s, body, parent, dq, dv, da):
    """Sums along the path: X of psi dq, Y of psi' dq + psi dv, T of psi'' dq + 2 psi' dv + psi da."""
    for b in range(ZERO, L, STEP):
        x, y, z = get(s, dq + b), get(s, dv + b), get(s, da + b)
        for k in range(SIX):
            o = k * L + b
            psi, rate = get(s, body + Z + o), get(s, body + DZ + o)
            put(s, body + X + o, get(s, parent + X + o) + psi * x)
            put(s, body + Y + o, get(s, parent + Y + o) + rate * x + psi * y)
            put(s, body + T + o, get(s, parent + T + o) + get(s, body + DDZ + o) * x + 2.0 * rate * y + psi * z)


@part
def wrench_change(s, body, temporary):
    """X x* f + 2 B Y + I T of a body, into its rows T (X is kept, Y used up)."""
    inertia_times(s, body, body + T, temporary)
    coriolis_times(s, body, body + Y, temporary + L6)
    wrench_cross(s, body + X, body + N, body + T)
    add_rows(s, temporary, body + T, SIX, 1.0)
    add_rows(s, temporary + L6, body + T, SIX, 2.0)


@entry(*ARGUMENTS, IN2, IN2, IN2, OUT2, SIZE, SIZE)
def tangent(s, c, t, phi, q, v, a, root, dq, dv, da, out, start, stop):
    """out (N, 6 + coordinates), zero on entry: derivative of inverse dynamics along (dq, dv, da)."""
    n = U(t.shape[0])
    temporary = (n + ONE) * LARGE + n * STATE
    for first in range(start, stop, L):
        count = min(L, stop - first)
        move_bodies(s, LARGE, c, t, q, v, a, root, first, count, 2, first == start)
        clear_rows(s, X, U(18))
        for i in range(n + ONE):
            body = i * LARGE
            body_wrench(s, body, phi, i)
            coriolis_part(s, body)
            if i > ZERO:
                parent, column = t[i - ONE, T_PARENT] * LARGE, t[i - ONE, T_COORDINATE]
                screw_second_rate(s, body, parent, temporary)
                load_column(s, temporary, dq, column, first, count, 1.0, 0.0)
                load_column(s, temporary + L, dv, column, first, count, 1.0, 0.0)
                load_column(s, temporary + L + L, da, column, first, count, 1.0, 0.0)
                mix_rates(s, body, parent, temporary, temporary + L, temporary + L + L)
        for i in range(n + ONE):
            wrench_change(s, i * LARGE, temporary)
        sum_up(s, t, N, SIX)
        sum_up(s, t, T, SIX)
        project(s, t, temporary, T, out, first, count)
        for i in range(n):  # the screws move too: (X_parent x psi) . fc
            body = (i + ONE) * LARGE
            twist_cross(s, t[i, T_PARENT] * LARGE + X, body + Z, temporary + L6)
            dot6(s, temporary + L6, body + N, temporary)
            add_to_column(out, t[i, T_COORDINATE] + SIX, s, temporary, first, count)


@kernel
def path_twist(s, body, parent, weight):
    """X = X of the parent + psi weight."""
    for b in range(ZERO, L, STEP):
        w = get(s, weight + b)
        for k in range(SIX):
            o = k * L + b
            put(s, body + X + o, get(s, parent + X + o) + get(s, body + Z + o) * w)


@entry(*ARGUMENTS, IN2, OUT2, OUT2, OUT2, SIZE, SIZE)
def adjoint(s, c, t, phi, q, v, a, root, weight, gq, gv, ga, start, stop):
    """gq, gv, ga (N, coordinates), zero on entry: gradient of weight . inverse dynamics."""
    n = U(t.shape[0])
    temporary = (n + ONE) * LARGE + n * STATE
    for first in range(start, stop, L):
        count = min(L, stop - first)
        move_bodies(s, LARGE, c, t, q, v, a, root, first, count, 2, first == start)
        for k in range(THREE):  # weights of the base rows: force first there, angular first here
            load_column(s, X + (k + THREE) * L, weight, k, first, count, 1.0, 0.0)
            load_column(s, X + k * L, weight, k + THREE, first, count, 1.0, 0.0)
        for i in range(n + ONE):
            body = i * LARGE
            body_wrench(s, body, phi, i)
            coriolis_part(s, body)
            if i > ZERO:
                load_column(s, temporary, weight, t[i - ONE, T_COORDINATE] + SIX, first, count, 1.0, 0.0)
                path_twist(s, body, t[i - ONE, T_PARENT] * LARGE, temporary)
            inertia_times(s, body, body + X, body + Y)
            coriolis_transposed_times(s, body, body + X, body + T)
        sum_up(s, t, N, SIX)
        sum_up(s, t, Y, U(12))
        for i in range(n):
            gradient(s, (i + ONE) * LARGE, t[i, T_PARENT] * LARGE, t[i, T_COORDINATE], temporary, gq, gv, ga, first, count)


@part
def gradient(s, body, parent, column, temporary, gq, gv, ga, first, count):
    """The three numbers of one joint."""
    psi_a, rate_a, rate_e, psi_e = temporary, temporary + L, temporary + L + L, temporary + THREE * L
    dot6(s, body + Z, body + Y, psi_a)
    dot6(s, body + DZ, body + Y, rate_a)
    dot6(s, body + DZ, body + T, rate_e)
    dot6(s, body + Z, body + T, psi_e)
    add_to_column(ga, column, s, psi_a, first, count)
    add_rows(s, psi_e, rate_a, ONE, 1.0)
    add_rows(s, rate_a, rate_a, ONE, 1.0)
    add_to_column(gv, column, s, rate_a, first, count)
    screw_second_rate(s, body, parent, temporary + L6)
    twist_cross(s, body + X, body + Z, temporary + L12)
    dot6(s, body + DDZ, body + Y, temporary + L18)
    add_rows(s, rate_e, temporary + L18, ONE, 2.0)
    dot6(s, temporary + L12, body + N, psi_a)
    add_rows(s, psi_a, temporary + L18, ONE, 1.0)
    add_to_column(gq, column, s, temporary + L18, first, count)

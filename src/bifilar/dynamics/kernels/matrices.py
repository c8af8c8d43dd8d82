"""Mass matrix, Coriolis matrix, derivative of inverse dynamics by position.

Screws psi of the rows (six units for the base, then the joints'), psi' their rates, psi'' second rates; composite inertia Ic_j,
Coriolis matrix Bc_j and wrench fc_j of what joint j carries. For k on the path from j to the base, or j itself,

    M_kj = psi_k . Ic_j psi_j
    C_kj = psi_k . (Ic_j psi'_j + Bc_j psi_j)               C_jk = psi'_k . Ic_j psi_j + psi_k . Bc_j' psi_j
    D_kj = psi_k . (psi_j x* fc_j + Ic_j psi''_j + 2 Bc_j psi'_j)   D_jk = psi''_k . Ic_j psi_j + 2 psi'_k . Bc_j' psi_j

D is the derivative by position. C is the Christoffel form (rate of M - 2 C is skew); the derivative by velocity is 2 C.
"""

from .body import (
    add_rows,
    body_inertia,
    body_wrench,
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
from .lanes import IN2, L6, ONE, OUT1, OUT3, SIZE, STEP, TABLE2, THREE, ZERO, L, U, entry, kernel, part
from .layout import DDZ, DZ, LARGE, PA, STATE, T_COORDINATE, T_PARENT, M, N, W, Z
from .motion import move_bodies
from .vectors import put

SIX = U(6)
L12, L18 = U(12) * L, U(18) * L
ARGUMENTS = (OUT1, IN2, TABLE2, IN2, IN2)


@kernel
def add_entry(out, row, column, s, source, first, count):
    """out[:, row, column] += a row of the scratch."""
    for b in range(count):
        out[first + b, row, column] += s[source + b]


@kernel
def add_base_column(out, column, s, wrench, first, count):
    """Add to the six base rows of a column: force first."""
    for b in range(count):
        for k in range(THREE):
            out[first + b, k, column] += s[wrench + (k + THREE) * L + b]
            out[first + b, k + THREE, column] += s[wrench + k * L + b]


@kernel
def add_base_row(out, row, s, wrench, first, count):
    """Add to the six base columns of a row: linear first."""
    for b in range(count):
        for k in range(THREE):
            out[first + b, row, k] += s[wrench + (k + THREE) * L + b]
            out[first + b, row, k + THREE] += s[wrench + k * L + b]


@kernel
def unit_twist(s, to, k):
    """Base screw k: linear directions first."""
    for r in range(SIX):
        value = 1.0 if r == (k + THREE) % SIX else 0.0
        for b in range(ZERO, L, STEP):
            put(s, to + r * L + b, value)


@entry(*ARGUMENTS, IN2, OUT3, SIZE, SIZE)
def mass_matrix(s, c, t, phi, q, root, out, start, stop):
    """out (N, 6 + coordinates, 6 + coordinates), zero on entry."""
    n = U(t.shape[0])
    temporary = (n + ONE) * LARGE + n * STATE
    for first in range(start, stop, L):
        count = min(L, stop - first)
        move_bodies(s, LARGE, c, t, q, q, q, root, first, count, 0, first == start)
        for i in range(n + ONE):
            body_inertia(s, i * LARGE, phi, i)
        sum_up(s, t, M, U(10))
        mass_entries(s, t, temporary, out, first, count)


@part
def mass_entries(s, t, temporary, out, first, count):
    """All entries from composite inertias."""
    for i in range(U(t.shape[0])):
        body, column = (i + ONE) * LARGE, t[i, T_COORDINATE] + SIX
        inertia_times(s, body, body + Z, temporary)
        add_base_column(out, column, s, temporary, first, count)
        add_base_row(out, column, s, temporary, first, count)
        k = i + ONE
        while k > ZERO:
            dot6(s, k * LARGE + Z, temporary, temporary + L6)
            row = t[k - ONE, T_COORDINATE] + SIX
            add_entry(out, row, column, s, temporary + L6, first, count)
            if k != i + ONE:
                add_entry(out, column, row, s, temporary + L6, first, count)
            k = t[k - ONE, T_PARENT]
    for k in range(SIX):
        unit_twist(s, temporary, k)
        inertia_times(s, ZERO, temporary, temporary + L6)
        add_base_column(out, k, s, temporary + L6, first, count)


@part
def coriolis_columns(s, i, t, temporary, out, first, count):
    """Entries of joint i and every joint on its path; base rows and columns too."""
    body, column = (i + ONE) * LARGE, t[i, T_COORDINATE] + SIX
    down, mass, back, product = temporary, temporary + L6, temporary + L12, temporary + L18
    inertia_times(s, body, body + DZ, down)
    coriolis_times(s, body, body + Z, mass)
    add_rows(s, mass, down, SIX, 1.0)
    inertia_times(s, body, body + Z, mass)
    coriolis_transposed_times(s, body, body + Z, back)
    add_base_column(out, column, s, down, first, count)
    # the base's own screws e turn with it: (v_0 x e) . mass = -e . (v_0 x* mass), v_0 the root's twist
    wrench_cross(s, W, mass, product)
    add_rows(s, product, product, SIX, -2.0)
    add_rows(s, back, product, SIX, 1.0)
    add_base_row(out, column, s, product, first, count)
    k = i + ONE
    while k > ZERO:
        other, row = k * LARGE, t[k - ONE, T_COORDINATE] + SIX
        dot6(s, other + Z, down, product)
        add_entry(out, row, column, s, product, first, count)
        if k != i + ONE:
            dot6(s, other + DZ, mass, product)
            add_entry(out, column, row, s, product, first, count)
            dot6(s, other + Z, back, product)
            add_entry(out, column, row, s, product, first, count)
        k = t[k - ONE, T_PARENT]


@part
def base_coriolis_column(s, k, temporary, out, first, count):
    """Base rows of base column k."""
    unit, rate, down, rest = temporary, temporary + L6, temporary + L12, temporary + L18
    unit_twist(s, unit, k)
    twist_cross(s, W, unit, rate)
    inertia_times(s, ZERO, rate, down)
    coriolis_times(s, ZERO, unit, rest)
    add_rows(s, rest, down, SIX, 1.0)
    add_base_column(out, k, s, down, first, count)


@entry(*ARGUMENTS, IN2, IN2, OUT3, SIZE, SIZE)
def coriolis_matrix(s, c, t, phi, q, v, root, out, start, stop):
    """out (N, 6 + coordinates, 6 + coordinates), zero on entry."""
    n = U(t.shape[0])
    temporary = (n + ONE) * LARGE + n * STATE
    for first in range(start, stop, L):
        count = min(L, stop - first)
        move_bodies(s, LARGE, c, t, q, v, v, root, first, count, 1, first == start)
        for i in range(n + ONE):
            body = i * LARGE
            body_inertia(s, body, phi, i)
            inertia_times(s, body, body + W, body + PA)
            coriolis_part(s, body)
        sum_up(s, t, M, U(22))
        for i in range(n):
            coriolis_columns(s, i, t, temporary, out, first, count)
        for k in range(SIX):
            base_coriolis_column(s, k, temporary, out, first, count)


@part
def position_columns(s, i, t, temporary, out, first, count):
    """Entries of the derivative by position: joint i and every joint on its path; base rows too."""
    body, column = (i + ONE) * LARGE, t[i, T_COORDINATE]
    down, mass, back, product = temporary, temporary + L6, temporary + L12, temporary + L18
    wrench_cross(s, body + Z, body + N, down)
    inertia_times(s, body, body + DDZ, mass)
    coriolis_times(s, body, body + DZ, back)
    add_rows(s, mass, down, SIX, 1.0)
    add_rows(s, back, down, SIX, 2.0)
    inertia_times(s, body, body + Z, mass)
    coriolis_transposed_times(s, body, body + Z, back)
    add_rows(s, back, back, SIX, 1.0)
    add_base_column(out, column, s, down, first, count)
    k = i + ONE
    while k > ZERO:
        other, coordinate = k * LARGE, t[k - ONE, T_COORDINATE]
        dot6(s, other + Z, down, product)
        add_entry(out, coordinate + SIX, column, s, product, first, count)
        if k != i + ONE:
            dot6(s, other + DDZ, mass, product)
            add_entry(out, column + SIX, coordinate, s, product, first, count)
            dot6(s, other + DZ, back, product)
            add_entry(out, column + SIX, coordinate, s, product, first, count)
        k = t[k - ONE, T_PARENT]


@entry(*ARGUMENTS, IN2, IN2, IN2, OUT3, OUT3, SIZE, SIZE)
def derivatives(s, c, t, phi, q, v, a, root, by_position, coriolis, start, stop):
    """by_position (N, 6 + coordinates, coordinates) and, in its joints' columns, the Coriolis matrix; both zero on entry."""
    n = U(t.shape[0])
    temporary = (n + ONE) * LARGE + n * STATE
    for first in range(start, stop, L):
        count = min(L, stop - first)
        move_bodies(s, LARGE, c, t, q, v, a, root, first, count, 2, first == start)
        for i in range(n + ONE):
            body_wrench(s, i * LARGE, phi, i)
            coriolis_part(s, i * LARGE)
            if i > ZERO:
                screw_second_rate(s, i * LARGE, t[i - ONE, T_PARENT] * LARGE, temporary)
        sum_up(s, t, M, U(28))
        for i in range(n):
            position_columns(s, i, t, temporary, by_position, first, count)
            coriolis_columns(s, i, t, temporary, coriolis, first, count)

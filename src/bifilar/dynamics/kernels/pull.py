"""How a weighted sum of regressor entries changes with the motion: the adjoint of the regressor.

    g = sum over rows k and bodies i of weight_ki . (ten entries of row k and body i)

An entry's ten weights act as the inertial parameters of a body that only row k feels: the part of pair (k, i) is psi_k . f_ki with
the wrench f_ki of a body that moves as i does and has those parameters. With its inertia I and Coriolis matrix B, as in `torque`,

    gq_j = psi''_j . A_j + 2 psi'_j . E_j - psi_j . (sum of psi_k x* f_ki over pairs with k above j and i carried by j)
    gv_j = 2 psi'_j . A_j + 2 psi_j . E_j           ga_j = psi_j . A_j

where A = sum of I psi_k, E = sum of B' psi_k over the pairs whose body joint j carries.
"""

from .body import (
    add_rows,
    clear_rows,
    coriolis_part,
    coriolis_transposed_times,
    dot6,
    inertia_about_root,
    inertia_times,
    screw_second_rate,
    sum_up,
    wrench_cross,
    wrench_of_motion,
)  # fmt: skip
from .lanes import IN2, L2, L6, ONE, OUT1, OUT2, SIZE, STEP, TABLE2, THREE, ZERO, L, U, entry, kernel, part
from .layout import DDZ, DW, DZ, LARGE, PA, STATE, T_COORDINATE, T_PARENT, N, T, W, X, Y, Z
from .matrices import unit_twist
from .motion import move_bodies
from .torque import add_to_column
from .vectors import get, put

SIX, TEN = U(6), U(10)


@kernel
def load_ten(s, to, weights, row, column, columns, first, count):
    """Ten weights of a pair, of every sample; `weights` holds `columns` numbers per row of the equations."""
    for r in range(TEN):
        for b in range(L):
            s[to + r * L + b] = weights[first + min(b, count - ONE), row * columns + column + r]


@kernel
def pair_inertia(s, body, ten, pair):
    """Inertia of the body with the weights as its parameters."""
    for b in range(ZERO, L, STEP):
        inertia_about_root(
            s, body, b, pair,
            get(s, ten + b), get(s, ten + L + b), get(s, ten + L2 + b), get(s, ten + THREE * L + b), get(s, ten + U(4) * L + b),
            get(s, ten + U(5) * L + b), get(s, ten + L6 + b), get(s, ten + U(7) * L + b), get(s, ten + U(8) * L + b),
            get(s, ten + U(9) * L + b),
        )  # fmt: skip


@kernel
def copy_motion(s, body, pair):
    """Twist and acceleration of the body."""
    for b in range(ZERO, L6, STEP):
        put(s, pair + W + b, get(s, body + W + b))
        put(s, pair + DW + b, get(s, body + DW + b))


@part
def pull_of_pair(s, body, screw, pair, ten, temporary):
    """A and E of the pair are added to the body's rows X and Y; psi x* f is left in `temporary`."""
    pair_inertia(s, body, ten, pair)
    inertia_times(s, pair, pair + W, pair + PA)
    inertia_times(s, pair, pair + DW, pair + N)
    wrench_of_motion(s, pair)
    coriolis_part(s, pair)
    inertia_times(s, pair, screw, temporary)
    add_rows(s, temporary, body + X, SIX, 1.0)
    coriolis_transposed_times(s, pair, screw, temporary)
    add_rows(s, temporary, body + Y, SIX, 1.0)
    wrench_cross(s, screw, pair + N, temporary)
    add_rows(s, temporary, body + T, SIX, 1.0)


@part
def pull_of_joint(s, body, column, temporary, gq, gv, ga, first, count):
    """The three numbers of one joint from the sums of what it carries."""
    add_rows(s, body + N, body + T, SIX, -1.0)
    dot6(s, body + Z, body + X, temporary)
    add_to_column(ga, column, s, temporary, first, count)
    dot6(s, body + DZ, body + X, temporary)
    dot6(s, body + Z, body + Y, temporary + L)
    add_rows(s, temporary + L, temporary, ONE, 1.0)
    add_rows(s, temporary, temporary, ONE, 1.0)
    add_to_column(gv, column, s, temporary, first, count)
    dot6(s, body + DDZ, body + X, temporary)
    dot6(s, body + DZ, body + Y, temporary + L)
    add_rows(s, temporary + L, temporary, ONE, 2.0)
    dot6(s, body + Z, body + T, temporary + L)
    add_rows(s, temporary + L, temporary, ONE, -1.0)
    add_to_column(gq, column, s, temporary, first, count)


@entry(OUT1, IN2, TABLE2, IN2, IN2, IN2, IN2, IN2, SIZE, SIZE, SIZE, OUT2, OUT2, OUT2, SIZE, SIZE)
def regressor_adjoint(s, c, t, q, v, a, root, weights, columns, above, skip, gq, gv, ga, start, stop):
    """gq, gv, ga (N, coordinates), zero on entry. weights (N, rows * columns); above: 6 if base rows come first, else 0;
    skip: columns before those of the first moving body; joint rows are absent if `above * columns` is all there is."""
    n = U(t.shape[0])
    ten = (n + ONE) * LARGE + n * STATE
    temporary, pair = ten + TEN * L, ten + U(32) * L
    joints = U(weights.shape[1]) > above * columns
    for first in range(start, stop, L):
        count = min(L, stop - first)
        move_bodies(s, LARGE, c, t, q, v, a, root, first, count, 2, first == start)
        for i in range(n + ONE):
            clear_rows(s, i * LARGE + N, SIX)
            clear_rows(s, i * LARGE + X, U(18))
        for i in range(n):
            body = (i + ONE) * LARGE
            screw_second_rate(s, body, t[i, T_PARENT] * LARGE, temporary)
            copy_motion(s, body, pair)
            for k in range(above):
                load_ten(s, ten, weights, k, skip + TEN * i, columns, first, count)
                unit_twist(s, temporary + L6, k)
                pull_of_pair(s, body, temporary + L6, pair, ten, temporary)
            k = i + ONE if joints else ZERO
            while k > ZERO:
                load_ten(s, ten, weights, above + t[k - ONE, T_COORDINATE], skip + TEN * i, columns, first, count)
                pull_of_pair(s, body, k * LARGE + Z, pair, ten, temporary)
                add_rows(s, temporary, k * LARGE + N, SIX, 1.0)
                k = t[k - ONE, T_PARENT]
        sum_up(s, t, N, SIX)
        sum_up(s, t, X, U(18))
        for i in range(n):
            pull_of_joint(s, (i + ONE) * LARGE, t[i, T_COORDINATE], temporary, gq, gv, ga, first, count)

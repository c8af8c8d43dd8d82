"""Forward dynamics: mass matrix and bias of a block, then a Cholesky factorisation in all lanes at once."""

from .body import body_wrench, dot6, inertia_times, sum_up
from .lanes import IN2, L6, ONE, OUT1, OUT2, SIZE, STEP, TABLE2, THREE, ZERO, L, U, entry, kernel, part
from .layout import LARGE, STATE, T_COORDINATE, T_PARENT, M, N, Z
from .matrices import unit_twist
from .motion import load_column, move_bodies
from .vectors import get, put, square_root

SIX = U(6)


@kernel
def set_up(w, size, skip, extra):
    """Matrix zero but for `extra` in the joints' block; its rows follow one another, then the right-hand side."""
    for r in range(size):
        for k in range(size):
            value = extra[r - skip, k - skip] if r >= skip and k >= skip else 0.0
            for b in range(ZERO, L, STEP):
                put(w, (r * size + k) * L + b, value)


@kernel
def add_pair(w, size, r, k, s, source):
    """w[r, k] += a row, and w[k, r] alike."""
    for b in range(ZERO, L, STEP):
        value = get(s, source + b)
        put(w, (r * size + k) * L + b, get(w, (r * size + k) * L + b) + value)
        if r != k:
            put(w, (k * size + r) * L + b, get(w, (k * size + r) * L + b) + value)


@kernel
def add_self(w, size, r, k, s, source):
    """w[r, k] += a row."""
    for b in range(ZERO, L, STEP):
        put(w, (r * size + k) * L + b, get(w, (r * size + k) * L + b) + get(s, source + b))


@part
def add_mass(w, size, skip, s, t, temporary):
    """Composite inertias into the matrix; base rows only if `skip` leaves room for them."""
    for i in range(U(t.shape[0])):
        body, column = (i + ONE) * LARGE, t[i, T_COORDINATE] + skip
        inertia_times(s, body, body + Z, temporary)
        for r in range(skip):
            add_pair(w, size, r, column, s, temporary + ((r + THREE) % SIX) * L)
        k = i + ONE
        while k > ZERO:
            dot6(s, k * LARGE + Z, temporary, temporary + L6)
            row = t[k - ONE, T_COORDINATE] + skip
            add_self(w, size, row, column, s, temporary + L6)
            if k != i + ONE:
                add_self(w, size, column, row, s, temporary + L6)
            k = t[k - ONE, T_PARENT]
    for k in range(skip):
        unit_twist(s, temporary, k)
        inertia_times(s, ZERO, temporary, temporary + L6)
        for r in range(SIX):
            add_self(w, size, r, k, s, temporary + L6 + ((r + THREE) % SIX) * L)


@kernel
def subtract_from(w, to, s, source):
    """Row `to` of the right-hand side -= a row of the scratch."""
    for b in range(ZERO, L, STEP):
        put(w, to + b, get(w, to + b) - get(s, source + b))


@part
def right_hand_side(w, size, skip, s, t, tau, temporary, first, count):
    """Torque minus what the motion takes without acceleration."""
    side = size * size * L
    for r in range(size):
        load_column(w, side + r * L, tau, r, first, count, 1.0, 0.0)
    for r in range(skip):
        subtract_from(w, side + r * L, s, N + ((r + THREE) % SIX) * L)
    for i in range(U(t.shape[0])):
        body = (i + ONE) * LARGE
        dot6(s, body + Z, body + N, temporary)
        subtract_from(w, side + (t[i, T_COORDINATE] + skip) * L, s, temporary)


@kernel
def solve_in_place(w, size):
    """Cholesky factorisation and both substitutions; the solution replaces the right-hand side."""
    side = size * size * L
    for b in range(ZERO, L, STEP):
        for k in range(size):
            for r in range(k, size):
                total = get(w, (r * size + k) * L + b)
                for j in range(k):
                    total = total - get(w, (r * size + j) * L + b) * get(w, (k * size + j) * L + b)
                if r == k:
                    put(w, (k * size + k) * L + b, square_root(total))
                else:
                    put(w, (r * size + k) * L + b, total / get(w, (k * size + k) * L + b))
        for k in range(size):
            total = get(w, side + k * L + b)
            for j in range(k):
                total = total - get(w, (k * size + j) * L + b) * get(w, side + j * L + b)
            put(w, side + k * L + b, total / get(w, (k * size + k) * L + b))
        for i in range(size):
            k = size - ONE - i
            total = get(w, side + k * L + b)
            for j in range(k + ONE, size):
                total = total - get(w, (j * size + k) * L + b) * get(w, side + j * L + b)
            put(w, side + k * L + b, total / get(w, (k * size + k) * L + b))


@kernel
def set_row(out, w, size, first, count):
    """The solution into the output."""
    for b in range(count):
        for r in range(size):
            out[first + b, r] = w[size * size * L + r * L + b]


@entry(OUT1, OUT1, IN2, TABLE2, IN2, IN2, IN2, IN2, IN2, IN2, IN2, SIZE, OUT2, SIZE, SIZE)
def forward_dynamics(s, w, c, t, phi, extra, q, v, rest, tau, root, skip, out, start, stop):
    """out (N, size), size = tau's columns; skip: 6 rows before the joints' for a floating base, 0 for a fixed one; rest: zeros."""
    n, size = U(t.shape[0]), U(tau.shape[1])
    temporary = (n + ONE) * LARGE + n * STATE
    for first in range(start, stop, L):
        count = min(L, stop - first)
        move_bodies(s, LARGE, c, t, q, v, rest, root, first, count, 2, first == start)
        for i in range(n + ONE):
            body_wrench(s, i * LARGE, phi, i)
        sum_up(s, t, M, U(10))
        sum_up(s, t, N, SIX)
        set_up(w, size, skip, extra)
        add_mass(w, size, skip, s, t, temporary)
        right_hand_side(w, size, skip, s, t, tau, temporary, first, count)
        solve_in_place(w, size)
        set_row(out, w, size, first, count)

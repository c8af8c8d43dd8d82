"""A walker on either foot as arrays, and what loops do with a state of the filter: flow, touch down, see its links.

A state z has the torso's angle, the encoders' angles, their rates, and a turn of gravity if there is one more number. x are
angles and rates of the links, from the foot s outwards: x = T_s z. See `bifilar.walking.hybrid_maps`, which this repeats.
"""

# mypy: ignore-errors
from __future__ import annotations

import math
from typing import NamedTuple

from bifilar.walking.kernels.compiled import IN1, IN2, IN3, OUT1, OUT2, kernel, record
from bifilar.walking.kernels.loop import eliminate
from bifilar.walking.kernels.swing import step


class Machine(NamedTuple):
    """Constants of both feet, one after the other."""

    part: object  # (6, n, n)
    moment: object  # (2, n, 2)
    rub: object  # (2, n, 2)
    joint: object  # (2, n, n)
    plain: object  # (2, 3) gravity x, z, width of the smooth sign
    mass: object  # (2,)
    foot: object  # (2, n, 2)
    swap: object  # (2, n)
    order: object  # (2, n - 1) rows of the encoders
    matrix: object  # (2, n, n) T
    inverse: object  # (2, n, n)
    offset: object  # (2, n)


MACHINE = record(Machine, IN3, IN3, IN3, IN3, IN2, IN1, IN3, IN2, IN2, IN3, IN3, IN2)


class Room(NamedTuple):
    """Scratch; d states, m channels, n links."""

    x: object  # (2 n,)
    rate: object  # (2 n,)
    u: object  # (n,)
    plain: object  # (3,)
    work: object
    points: object  # (2 d, d)
    seen: object  # (2 d, m)
    low: object  # (d, d)
    first: object  # (d, d)
    second: object  # (d, d)
    slope: object  # (n, 3 n + 1)
    change: object  # (2 n, 3 n + 1)
    by: object  # (m, d) derivative of readings
    gain: object  # (m, d) transposed
    spread: object  # (m, m)
    system: object  # (n + 4, n + 4)
    right: object  # (n + 4,)
    read: object  # (m,)
    other: object  # (m,)
    vector: object  # (d,)
    by_links: object  # (m, 3 n + 1) angles, rates, accelerations, turn


ROOM = record(
    Room,
    *(OUT1,) * 5,
    *(OUT2,) * 11,
    *(OUT1,) * 4,
    OUT2,
)


@kernel
def to_links(machine, s, z, x):
    """x = T z."""
    n = machine.offset.shape[1]
    for j in range(n):
        angle, rate = machine.offset[s, j], 0.0
        for i in range(n):
            angle += machine.matrix[s, j, i] * z[i]
            rate += machine.matrix[s, j, i] * z[n + i]
        x[j], x[n + j] = angle, rate


@kernel
def from_links(machine, s, x, z):
    """z = T^-1 x; a turn of gravity stays."""
    n = machine.offset.shape[1]
    for j in range(n):
        angle, rate = 0.0, 0.0
        for i in range(n):
            angle += machine.inverse[s, j, i] * (x[i] - machine.offset[s, i])
            rate += machine.inverse[s, j, i] * x[n + i]
        z[j], z[n + j] = angle, rate


@kernel
def to_rows(machine, s, torque, u):
    """Torques of the model's rows, nothing at the pivot."""
    u[0] = 0.0
    for i in range(torque.shape[0]):
        u[int(machine.order[s, i])] = torque[i]


@kernel
def lean(machine, s, z, plain):
    """Gravity as the state has it turned."""
    n = machine.offset.shape[1]
    gx, gz = machine.plain[s, 0], machine.plain[s, 1]
    plain[0], plain[1], plain[2] = gx, gz, machine.plain[s, 2]
    if z.shape[0] > 2 * n:
        c, sine = math.cos(z[2 * n]), math.sin(z[2 * n])
        plain[0], plain[1] = c * gx + sine * gz, c * gz - sine * gx


@kernel
def move(machine, s, x, u, plain, h, many, euler, work):
    """x of the links `many` steps of h further."""
    n = x.shape[0] // 2
    sine, matrix = work[: 2 * n].reshape((2, n)), work[2 * n : 2 * n + n * n].reshape((n, n))
    o = 2 * n + n * n
    k, mid, total = work[o : o + 2 * n], work[o + 2 * n : o + 4 * n], work[o + 4 * n : o + 6 * n]
    part, moment, rub, joint = machine.part[3 * s : 3 * s + 3], machine.moment[s], machine.rub[s], machine.joint[s]
    for _ in range(many):
        step(part, moment, rub, joint, plain, x, u, h, euler, sine, matrix, k, mid, total)


@kernel
def hit(machine, s, x, system, right):
    """x after a touchdown of the swing foot, in the other foot's order; `bifilar.walking.impact`."""
    n = x.shape[0] // 2
    for i in range(n + 4):
        right[i] = 0.0
        for j in range(n + 4):
            system[i, j] = 0.0
    for j in range(n):
        s_j, c_j = math.sin(x[j]), math.cos(x[j])
        for k in range(n):
            apart = x[j] - x[k]
            system[j, k] = (
                machine.part[3 * s, j, k] * math.cos(apart)
                - machine.part[3 * s + 1, j, k] * math.sin(apart)
                + machine.part[3 * s + 2, j, k]
            )
        mx, mz = machine.moment[s, j, 0], machine.moment[s, j, 1]
        system[n, j], system[n + 1, j] = c_j * mz - s_j * mx, -s_j * mz - c_j * mx
        system[j, n], system[j, n + 1] = system[n, j], system[n + 1, j]
        fx, fz = machine.foot[s, j, 0], machine.foot[s, j, 1]
        system[n + 2, j], system[n + 3, j] = c_j * fz - s_j * fx, -s_j * fz - c_j * fx
    system[n, n] = system[n + 1, n + 1] = machine.mass[s]
    system[n + 2, n] = system[n + 3, n + 1] = 1.0
    for i in range(n + 2):
        for k in range(2):
            system[i, n + 2 + k] = -system[n + 2 + k, i]
        for j in range(n):
            right[i] += system[i, j] * x[n + j]
    eliminate(system, right, n + 4)
    for j in range(n):
        x[n + j] = right[j]
        right[j] = x[j]
    for j in range(n):
        system[0, j] = x[n + j]
    for j in range(n):
        k = int(machine.swap[s, j])
        x[j], x[n + j] = right[k], system[0, k]

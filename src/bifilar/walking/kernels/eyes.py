"""Readings of a walker's sensors from angles, rates and accelerations of its links, with derivatives, channel by channel.

The formulas are those of `bifilar.walking.sensors`. A channel's numbers: offset, bias, tilt of its axes,
direction x, z of a beam.
"""

# mypy: ignore-errors
from __future__ import annotations

import math
from typing import NamedTuple

from bifilar.walking.kernels.compiled import IN1, IN2, IN3, kernel, record
from bifilar.walking.kernels.machine import lean, to_links, to_rows
from bifilar.walking.kernels.swing import rate, slopes

ANGLE, RATE, FELT_X, FELT_Y, FELT_Z, DISTANCE, HEIGHT = range(7)


class Eyes(NamedTuple):
    """Sensors seen from either foot."""

    kind: object  # (m,)
    body: object  # (2, m)
    row: object  # (2, m, n)
    way_x: object  # (2, m, n)
    way_z: object  # (2, m, n)
    numbers: object  # (2, m, 5)
    noise: object  # (m, 2) deviation, and its growth with the reading


EYES = record(Eyes, IN1, IN2, IN3, IN3, IN3, IN3, IN2)


@kernel
def felt(eyes, s, c, x, acc, plain):
    """Proper acceleration of a channel's point, along and across its axes."""
    n = acc.shape[0]
    ax, az = -plain[0], -plain[1]
    for j in range(n):
        sine, cosine = math.sin(x[j]), math.cos(x[j])
        wx, wz, v2 = eyes.way_x[s, c, j], eyes.way_z[s, c, j], x[n + j] * x[n + j]
        ahead, up = cosine * wx + sine * wz, cosine * wz - sine * wx
        ax += up * acc[j] - ahead * v2
        az += -ahead * acc[j] - up * v2
    angle = x[int(eyes.body[s, c])] + eyes.numbers[s, c, 2]
    sb, cb = math.sin(angle), math.cos(angle)
    return cb * ax - sb * az, sb * ax + cb * az, sb, cb


@kernel
def beam(eyes, s, c, x):
    """Height of a channel's point, downward part of its beam, and how that changes with its link."""
    n, height = eyes.row.shape[2], 0.0
    for j in range(n):
        height += math.cos(x[j]) * eyes.way_z[s, c, j] - math.sin(x[j]) * eyes.way_x[s, c, j]
    t, dx, dz = x[int(eyes.body[s, c])], eyes.numbers[s, c, 3], eyes.numbers[s, c, 4]
    return height, dz * math.cos(t) - dx * math.sin(t), -dz * math.sin(t) - dx * math.cos(t)


@kernel
def channel(eyes, s, c, x, acc, plain):
    """One reading without noise."""
    n, kind, value = acc.shape[0], int(eyes.kind[c]), 0.0
    if kind == ANGLE or kind == RATE:
        first = 0 if kind == ANGLE else n
        for j in range(n):
            value += eyes.row[s, c, j] * x[first + j]
        value -= eyes.numbers[s, c, 0]
    elif kind == DISTANCE or kind == HEIGHT:
        height, down, _ = beam(eyes, s, c, x)
        value = height
        if kind == DISTANCE:
            value = -height / down if down < -1e-6 else math.nan
    elif kind != FELT_Y:
        along, across, _, _ = felt(eyes, s, c, x, acc, plain)
        value = along if kind == FELT_X else across
    return value + eyes.numbers[s, c, 1]


@kernel
def read(machine, eyes, s, z, torque, room, out):
    """Readings of a state of the filter."""
    n = machine.offset.shape[1]
    to_links(machine, s, z, room.x)
    to_rows(machine, s, torque, room.u)
    lean(machine, s, z, room.plain)
    read_links(machine, eyes, s, room.x, room.u, room.plain, room.work, room.rate, out)
    return n


@kernel
def read_links(machine, eyes, s, x, u, plain, work, motion, out):
    """Readings of the links' state."""
    n = machine.offset.shape[1]
    sine, matrix = work[: 2 * n].reshape((2, n)), work[2 * n : 2 * n + n * n].reshape((n, n))
    part, moment, rub, joint = machine.part[3 * s : 3 * s + 3], machine.moment[s], machine.rub[s], machine.joint[s]
    feels = False
    for c in range(eyes.kind.shape[0]):
        feels = feels or FELT_X <= int(eyes.kind[c]) <= FELT_Z
    if feels:
        rate(part, moment, rub, joint, plain, x, u, sine, matrix, motion)
    for c in range(eyes.kind.shape[0]):
        out[c] = channel(eyes, s, c, x, motion[n:], plain)


@kernel
def channel_slope(eyes, s, c, x, acc, plain, row):
    """row (3 n + 1) = derivatives by angles, rates, accelerations, and by a turn of gravity alone."""
    n, kind = acc.shape[0], int(eyes.kind[c])
    for j in range(3 * n + 1):
        row[j] = 0.0
    body = int(eyes.body[s, c])
    if kind == ANGLE or kind == RATE:
        first = 0 if kind == ANGLE else n
        for j in range(n):
            row[first + j] = eyes.row[s, c, j]
        return
    if kind == FELT_Y:
        return
    if kind == DISTANCE or kind == HEIGHT:
        height, down, change = beam(eyes, s, c, x)
        for j in range(n):
            by = -math.sin(x[j]) * eyes.way_z[s, c, j] - math.cos(x[j]) * eyes.way_x[s, c, j]
            row[j] = by if kind == HEIGHT else -by / down
        if kind == DISTANCE:
            row[body] += height * change / (down * down)
        return
    along, across, sb, cb = felt(eyes, s, c, x, acc, plain)
    px, pz = (cb, -sb) if kind == FELT_X else (sb, cb)  # this channel's axis, seen from the ground
    for j in range(n):
        sine, cosine, v = math.sin(x[j]), math.cos(x[j]), x[n + j]
        wx, wz = eyes.way_x[s, c, j], eyes.way_z[s, c, j]
        ahead, up = cosine * wx + sine * wz, cosine * wz - sine * wx
        row[j] = px * (-ahead * acc[j] - up * v * v) + pz * (-up * acc[j] + ahead * v * v)
        row[n + j] = px * (-2.0 * ahead * v) + pz * (-2.0 * up * v)
        row[2 * n + j] = px * up - pz * ahead
    row[body] += -across if kind == FELT_X else along
    row[3 * n] = -px * plain[1] + pz * plain[0]


@kernel
def read_slopes(machine, eyes, s, z, torque, room, out, by):
    """Readings of a state of the filter and their derivative by (m, d)."""
    n, m, d = machine.offset.shape[1], eyes.kind.shape[0], z.shape[0]
    work, x = room.work, room.x
    sine, matrix = work[: 2 * n].reshape((2, n)), work[2 * n : 2 * n + n * n].reshape((n, n))
    column = work[2 * n + n * n : 3 * n + n * n]
    part, moment, rub, joint = machine.part[3 * s : 3 * s + 3], machine.moment[s], machine.rub[s], machine.joint[s]
    to_links(machine, s, z, x)
    to_rows(machine, s, torque, room.u)
    lean(machine, s, z, room.plain)
    rate(part, moment, rub, joint, room.plain, x, room.u, sine, matrix, room.rate)
    acc = room.rate[n:]
    slopes(part, moment, rub, joint, room.plain, x, room.u, acc, sine, matrix, column, room.slope)
    for c in range(m):
        out[c] = channel(eyes, s, c, x, acc, room.plain)
        row = room.by_links[c]
        channel_slope(eyes, s, c, x, acc, room.plain, row)
        for j in range(2 * n):
            for i in range(n):
                row[j] += row[2 * n + i] * room.slope[i, j]
        for j in range(n):
            angle, speed = 0.0, 0.0
            for i in range(n):
                angle += row[i] * machine.matrix[s, i, j]
                speed += row[n + i] * machine.matrix[s, i, j]
            by[c, j], by[c, n + j] = angle, speed
        if d > 2 * n:
            turn = row[3 * n]
            for i in range(n):
                turn += row[2 * n + i] * room.slope[i, 3 * n]
            by[c, 2 * n] = turn

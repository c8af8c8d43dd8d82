"""A walker and its filter, sample by sample, until the filter has to pass a touchdown; `bifilar.walking.closed_loop` in loops.

Touchdowns of the filter are rare and need saltation, points or guards: they are left to Python. The plant's are made here, at
the instant of its guard. ways: settings as numbers, in the order of WAYS.
"""

# mypy: ignore-errors
from __future__ import annotations

import math

from bifilar.walking.kernels.belief import (
    correct_points,
    correct_slopes,
    deviation,
    predict_points,
    predict_slopes,
    surprise,
)
from bifilar.walking.kernels.compiled import FLOAT, IN1, IN2, INT, OUT1, OUT2, entry, kernel
from bifilar.walking.kernels.eyes import EYES, read, read_links
from bifilar.walking.kernels.loop import above, control
from bifilar.walking.kernels.machine import MACHINE, ROOM, from_links, hit, lean, move, to_links, to_rows

WAYS = (
    *("unscented", "period", "steps", "euler", "inner steps", "lost"),
    *("by", "first", "stop", "limit", "quiet", "slope", "plant euler"),
)
FINE = 60  # halvings of the step in which the plant touches down


@kernel
def plant_on(machine, guard, s, x, torque, period, many, euler, where, room):
    """The plant one period further, torque held; the foot that stands then. where[8]: time since its touchdown."""
    n = machine.offset.shape[1]
    before, left, one = room.rate, period, n // n  # no literal: one version of `move` for all
    for _ in range(4):
        to_rows(machine, s, torque, room.u)
        lean(machine, s, x, room.plain)
        steps = max(1, math.ceil(many * left / period - 1e-9))
        h, touched = left / steps, False
        for k in range(steps):
            high = above(guard, machine.foot[s], x) > 0.0
            for i in range(2 * n):
                before[i] = x[i]
            move(machine, s, x, room.u, room.plain, h, one, euler, room.work)
            if high and above(guard, machine.foot[s], x) <= 0.0:
                low, high_end = 0.0, h
                for _ in range(FINE):
                    middle = 0.5 * (low + high_end)
                    for i in range(2 * n):
                        x[i] = before[i]
                    move(machine, s, x, room.u, room.plain, middle, one, euler, room.work)
                    if above(guard, machine.foot[s], x) > 0.0:
                        low = middle
                    else:
                        high_end = middle
                for i in range(2 * n):
                    x[i] = before[i]
                move(machine, s, x, room.u, room.plain, high_end, one, euler, room.work)
                left -= k * h + high_end
                where[8], touched = left, True
                break
        if not touched:
            return s
        hit(machine, s, x, room.system, room.right)
        s = 1 - s
        if left <= 0.0:
            return s
    return s


@kernel
def told(model, eyes, ways, s, z, torque, touched, y, room):
    """Whether a detector tells a touchdown; `bifilar.walking.detector`."""
    by, first, stop, limit = int(ways[6]), int(ways[7]), int(ways[8]), ways[9]
    if by == 0:
        return touched
    read(model, eyes, s, z, torque, room, room.read)
    if by == 1:
        most = 0.0
        for c in range(first, stop):
            most = max(most, abs(y[c] - room.read[c]))
        return most > limit
    d = z.shape[0]
    after = room.vector
    for i in range(d):
        after[i] = z[i]
    to_links(model, s, z, room.x)
    hit(model, s, room.x, room.system, room.right)
    from_links(model, 1 - s, room.x, after)
    read(model, eyes, 1 - s, after, torque, room, room.other)
    without, mapped = 0.0, 0.0
    for c in range(first, stop):
        without += (y[c] - room.read[c]) ** 2
        mapped += (y[c] - room.other[c]) ** 2
    return mapped + limit < without


@kernel
def steer(model, s, z, constraint, wanted, law, limit, torque, room):
    """The controller's torques for a state of the filter, in the robot's order."""
    part, moment, rub, joint = model.part[3 * s : 3 * s + 3], model.moment[s], model.rub[s], model.joint[s]
    to_links(model, s, z, room.x)
    lean(model, s, room.x, room.plain)
    control(part, moment, rub, joint, room.plain, constraint, wanted, law, limit, room.x, room.work, room.u)
    for i in range(torque.shape[0]):
        torque[i] = room.u[int(model.order[s, i])]


@entry(
    INT, MACHINE, EYES, MACHINE, EYES, MACHINE, IN2, IN1, IN1, FLOAT, IN1, IN2, IN1, IN2, IN2,
    OUT1, OUT1, OUT1, OUT2, OUT1, OUT1, OUT2, ROOM,
)  # fmt: skip
def walk_on(
    plant, mounted, model, eyes, steering, constraint, wanted, law, limit, guard, process, ways, noise, push,
    where, x, z, p, torque, held, history, room,
):  # fmt: skip
    """From sample where[0] on. Returns 1 where the filter must pass a touchdown first, 0 at the end or after a fall.

    where: sample, plant's foot, its foot before, filter's foot, last touchdown noticed, 1 if this sample's touchdown is done,
    fell, lost, time since the plant's touchdown [s]. history (N, 4 d + m + joints + 2): truth, mean, deviations, surprise,
    readings, torques, feet."""
    count, d, n, m = noise.shape[0], z.shape[0], plant.offset.shape[1], noise.shape[1]
    h, many, euler = ways[1] / int(ways[2]), int(ways[2]), int(ways[3])
    k = int(where[0])
    while k < count:
        row = history[k]
        foot, s = int(where[1]), int(where[3])
        y = row[4 * d : 4 * d + m]
        if where[5] == 0.0:
            to_rows(plant, foot, torque, room.u)
            lean(plant, foot, x, room.plain)
            read_links(plant, mounted, foot, x, room.u, room.plain, room.work, room.rate, y)
            for c in range(m):
                y[c] += deviation(mounted, c, y[c]) * noise[k, c]
            if int(ways[6]) == 0 or k - where[4] >= ways[10]:
                if told(model, eyes, ways, s, z, torque, where[1] != where[2], y, room):
                    where[0], where[5] = k, 1.0
                    return 1
        where[5], where[2] = 0.0, where[1]
        if ways[0] > 0.0:
            correct_points(model, eyes, s, z, p, torque, y, room)
        else:
            correct_slopes(model, eyes, s, z, p, torque, y, room)
        truth = row[:d]
        for i in range(2 * n, d):
            truth[i] = ways[11]
        from_links(plant, foot, x, truth)
        for i in range(d):
            row[d + i], row[2 * d + i] = z[i], math.sqrt(max(p[i, i], 0.0))
            if not abs(z[i]) < ways[5]:
                where[7] = 1.0
        row[3 * d] = surprise(z, p, truth, room.low, room.vector)
        for i in range(torque.shape[0]):
            row[4 * d + m + i] = held[i] = torque[i]
        row[4 * d + m + torque.shape[0]], row[4 * d + m + torque.shape[0] + 1] = foot, s
        if not abs(x[0]) < guard[2]:
            where[6] = 1.0
        k += 1
        where[0] = k
        if where[6] > 0.0 or where[7] > 0.0:
            return 0
        if ways[0] > 0.0:
            predict_points(model, s, z, p, torque, process, h, many, euler, room)
        else:
            predict_slopes(model, s, z, p, torque, process, h, many, euler, room)
        foot = plant_on(plant, guard, foot, x, torque, ways[1], int(ways[4]), int(ways[12]), where, room)
        for i in range(n):
            for j in range(n):
                x[i] += plant.matrix[foot, i, j] * push[k - 1, j]
                x[n + i] += plant.matrix[foot, i, j] * push[k - 1, n + j]
        where[1] = foot
        steer(steering, s, z, constraint, wanted, law, limit, torque, room)
    return 0

"""The parameter filter, compiled: one function for one sample or many; nothing is allocated, every update takes a bounded time.

State x, covariance U D U' (see `bifilar.filters.factors`). For every sample

    look      is it finite, newer than the last, inside the limits? if not, it is refused and nothing changes
    walk      what the random walk adds, given to a few states in turn where there are many (rank-one updates);
              a state that leans against its bound gets its first variance back, so that it may return
    expect    parameters and their derivatives by x (maps), rows H = W dphi/dx, expected reading
    gate      is the innovation believable? one strange sample is refused, several in a row open the covariance
    iterate   Gauss-Newton steps on the posterior, if asked for
    update    rows one after the other (Bierman), forgetting along each row first, if asked for

`plain_steps` does the same in NumPy; a test compares them. The regressor W comes in as an array.
"""

# mypy: ignore-errors
from __future__ import annotations

import math

from bifilar.online.kernels.compiled import IN1, IN2, ONE, OUT1, OUT2, TABLE1, TABLE2, THREE, TWO, ZERO, U, entry, kernel
from bifilar.online.kernels.covariance import add_noise, forget_along, measure, solve_gain, variance_of
from bifilar.online.kernels.maps import parameters_of, rows_of
from bifilar.online.tables import (
    ACCEPTED,
    ANNEALED,
    BEGAN,
    CHANGED,
    CLOCK,
    FIXED,
    FORGETTING,
    GATE,
    HUGE,
    ITERATIONS,
    LAST,
    LIMITS,
    LOG_CHOLESKY,
    MOVE,
    NOT_FINITE,
    OLDER,
    OUTLIER,
    PATIENCE,
    REFUSED,
    SIGMOID,
    SLOTS,
    STALE,
    STARTED,
    STRANGE,
    STRENGTH,
    SURPRISE,
    TURN,
    UNUSABLE,
    UPDATES,
    WIDEST,
)

STRIDE = 1.5  # of a sigmoid's argument: further, its slope is another one
ENOUGH = 1e-6  # smaller Gauss-Newton steps end the iteration
AT_ONCE = 16  # so many states get their noise in every sample


@kernel
def look(k, time, q, v, a, limits, reading, memory):
    """Status of a sample before anything is computed from it. limits: (4, ...) positions, speeds, readings."""
    total = time[k]
    for j in range(U(q.shape[1])):
        total += q[k, j] + v[k, j] + a[k, j]
    for j in range(U(reading.shape[1])):
        total += reading[k, j]
    if not math.isfinite(total):
        return NOT_FINITE
    if memory[STARTED] > 0.0 and not time[k] > memory[LAST]:
        memory[OLDER] = memory[OLDER] + 1.0 if memory[OLDER] > 0.0 and time[k] > memory[REFUSED] else 1.0
        memory[REFUSED] = time[k]
        if memory[OLDER] < float(CLOCK):
            return STALE
        memory[BEGAN] += time[k] - memory[LAST]  # the clock was set back: time goes on from here
        memory[LAST] = time[k]
    memory[OLDER] = 0.0
    for j in range(U(q.shape[1])):
        if q[k, j] < limits[ZERO, j] or q[k, j] > limits[ONE, j] or abs(v[k, j]) > limits[TWO, j]:
            return LIMITS
    for j in range(U(reading.shape[1])):
        if abs(reading[k, j]) > limits[THREE, j]:
            return LIMITS
    return ACCEPTED


@kernel
def walk(now, settings, prior, rates, cap, x, u, d, owed, memory, b):
    """Process noise, a few states in turn; states that lean against a bound get their first variance back."""
    n = U(x.shape[0])
    strength = 0.0 if memory[STARTED] == 0.0 else settings[STRENGTH] * (now - memory[LAST])
    if settings[ANNEALED] > 0.0 and strength > 0.0:
        strength *= math.exp(-(now - memory[BEGAN]) / settings[ANNEALED])
    if strength > 0.0:
        for i in range(n):
            owed[i] += strength * rates[i]
    many = n if n <= U(AT_ONCE) else max(ONE, U(256) // n)
    turn = U(memory[TURN])
    for _ in range(many):
        turn = turn + ONE if turn + ONE < n else ZERO
        if owed[turn] > 0.0:
            room = WIDEST * prior[turn] - variance_of(u, d, n, turn)
            if room > 0.0:
                add_noise(u, d, n, turn, min(owed[turn], room), b)
            owed[turn] = 0.0
        if abs(x[turn]) > 0.5 * cap[turn]:
            lost = prior[turn] - variance_of(u, d, n, turn)
            if lost > 0.0:
                add_noise(u, d, n, turn, lost, b)
    memory[TURN] = float(turn)


@kernel
def usable(h, size, y, m):
    """Whether the linearisation is something to compute with."""
    for i in range(size):
        if not abs(h[i]) < HUGE:
            return False
    for r in range(m):
        if not abs(y[r]) < HUGE:
            return False
    return True


@kernel
def go(x, start, dx, scalars, kinds, cap):
    """x towards start + dx, no state further than its stride, none beyond its cap; returns the longest step."""
    longest = 0.0
    for i in range(U(x.shape[0])):
        step = start[i] + dx[i] - x[i]
        if not abs(step) < HUGE:
            continue
        stride = STRIDE if kinds[i] == U(SIGMOID) else scalars[i, TWO]
        if stride > 0.0:
            step = min(max(step, -stride), stride)
        newer = min(max(x[i] + step, -cap[i]), cap[i])
        longest = max(longest, abs(newer - x[i]))
        x[i] = newer
    return longest


@kernel
def believable(settings, surprise, memory):
    """Status by the innovation: an outlier, a change, or nothing strange."""
    memory[SURPRISE] = surprise
    if settings[GATE] <= 0.0 or surprise <= settings[GATE]:
        memory[STRANGE] = 0.0
        return ACCEPTED
    memory[STRANGE] += 1.0
    if memory[STRANGE] < settings[PATIENCE]:
        return OUTLIER
    memory[STRANGE] = 0.0
    return CHANGED


@kernel
def take_in(u, d, n, m, h, noise, y, settings, prior, b, dx):
    """All rows, one after the other; dx is the change of the state that the innovation y asks for."""
    for i in range(n):
        dx[i] = 0.0
    for r in range(m):
        if settings[FORGETTING] < 1.0:
            forget_along(u, d, n, h, r * n, settings[FORGETTING], prior, b)
        alpha = measure(u, d, n, h, r * n, noise[r], b)
        left = y[r]
        for i in range(n):
            left -= h[r * n + i] * dx[i]
        left /= alpha
        for i in range(n):
            dx[i] += b[i] * left


@kernel
def remember(h, n, m, noise, prior, seen, blocks, slots, constants, w, first, width):
    """The largest effect that a parameter ever had on a reading: in deviations of the reading per deviation of its own.

    Of a log-Cholesky block that is one of the ten numbers, not one of the states: its column of W counts."""
    for b in range(U(blocks.shape[0])):
        logs, moved = blocks[b, ZERO] == U(LOG_CHOLESKY), blocks[b, TWO] != ZERO
        for slot in range(U(SLOTS)):
            i = slots[b, slot]
            if i == U(FIXED):
                continue
            for r in range(m):
                value, variance = h[r * n + i], prior[i]
                if logs:
                    o = first + r * width + blocks[b, ONE]
                    value, variance = w[o + slot], constants[b, slot]
                    if moved:
                        value = 0.0
                        for c in range(U(10)):
                            value += w[o + c] * constants[b, U(MOVE) + c * U(10) + slot]
                effect = value * value * variance / noise[r]
                if effect > seen[i]:
                    seen[i] = effect


@entry(
    OUT1, OUT1, OUT1, OUT1, OUT1, OUT1, IN2, TABLE1, TABLE2, TABLE2, IN2, IN1, IN1, IN1, IN1, IN1, IN1, IN1,
    IN1, IN2, IN2, IN2, IN2, IN1, IN2,
    OUT1, OUT1, OUT1, OUT1, OUT1, OUT1, OUT1, OUT1, OUT1, OUT1, OUT1, OUT1, OUT1, OUT2,
)  # fmt: skip
def run(
    x, u, d, owed, memory, seen, scalars, kinds, blocks, slots, constants, known, settings, prior, rates, cap, opened, noise,
    time, q, v, a, limits, w, reading,
    p, dp, phi, ten, g, h, y, b, f, s, start, dx, status, history,
):  # fmt: skip
    """All samples. u (n n,), w (N m columns,) flat; status (N,) receives codes, history (N or 0, n) the states after each."""
    n, m, width = U(x.shape[0]), U(reading.shape[1]), U(known.shape[0])
    for k in range(U(time.shape[0])):
        code = look(k, time, q, v, a, limits, reading, memory)
        if code == ACCEPTED:
            first = k * m * width
            parameters_of(scalars, kinds, blocks, slots, constants, known, x, p, dp, phi, ten, g)
            rows_of(blocks, slots, w, first, m, width, phi, g, dp, h, y)
            for r in range(m):
                y[r] = reading[k, r] - y[r]
            if not usable(h, m * n, y, m):
                code = UNUSABLE
        if code == ACCEPTED:
            if memory[STARTED] == 0.0:
                memory[BEGAN] = time[k]
            walk(time[k], settings, prior, rates, cap, x, u, d, owed, memory, b)
            memory[STARTED], memory[LAST] = 1.0, time[k]
            many = U(settings[ITERATIONS])
            if settings[GATE] > 0.0 or many > ONE:
                code = believable(settings, solve_gain(u, d, n, m, h, noise, y, f, s, ten, dx), memory)
                if code == CHANGED:
                    for i in range(n):
                        if opened[i] > 0.0:  # a state far from the middle of its bounds has a long way back
                            far = 1.0 + x[i] * x[i] if kinds[i] == U(SIGMOID) else 1.0
                            add_noise(u, d, n, i, opened[i] * far, b)
                    if many > ONE:
                        solve_gain(u, d, n, m, h, noise, y, f, s, ten, dx)
        if code == ACCEPTED or code == CHANGED:
            for i in range(n):
                start[i] = x[i]
            for _ in range(ONE, many):
                if go(x, start, dx, scalars, kinds, cap) <= ENOUGH:
                    break
                parameters_of(scalars, kinds, blocks, slots, constants, known, x, p, dp, phi, ten, g)
                rows_of(blocks, slots, w, first, m, width, phi, g, dp, h, y)
                for r in range(m):
                    y[r] = reading[k, r] - y[r]
                    for i in range(n):
                        y[r] -= h[r * n + i] * (start[i] - x[i])
                if not usable(h, m * n, y, m):
                    code = UNUSABLE
                    break
                solve_gain(u, d, n, m, h, noise, y, f, s, ten, dx)
            if code == UNUSABLE:
                for i in range(n):
                    x[i] = start[i]
            else:
                remember(h, n, m, noise, prior, seen, blocks, slots, constants, w, first, width)
                take_in(u, d, n, m, h, noise, y, settings, prior, b, dx)
                go(x, start, dx, scalars, kinds, cap)
                memory[UPDATES] += 1.0
        status[k] = float(code)
        if history.shape[0] > 0:
            for i in range(n):
                history[k, i] = x[i]

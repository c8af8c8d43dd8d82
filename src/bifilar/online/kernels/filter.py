"""The parameter filter, compiled: one function for one sample or many; nothing is allocated, every update takes a bounded time.

State x, covariance U D U' (see `bifilar.filters.factors`). For every sample

    look      is it finite, newer than the last, inside the limits? if not, it is refused and nothing changes
    renew     errors of joints that do not stand any more, or elsewhere (`standing`), go into the covariance of the others
    walk      what the random walk adds, given to a few states in turn where there are many (rank-one updates);
              a state that leans against its bound gets its first variance back, so that it may return
    expect    parameters and their derivatives by x (maps), rows H = W dphi/dx, expected reading; while all joints stand, at the x
              where the pose was linearised first: the same reading linearised at two points would say what neither says
    gate      is the innovation believable? one strange sample is refused, several in a row open the covariance, and where
              that happens again and again the noise is larger than stated and is raised
    iterate   Gauss-Newton steps on the posterior, if asked for
    update    rows one after the other (Bierman), forgetting along each row first, if asked for

`plain_steps` does the same in NumPy; a test compares them. The regressor W comes in as an array.
"""

# mypy: ignore-errors
from __future__ import annotations

import math

from bifilar.online.kernels.compiled import IN1, IN2, ONE, OUT1, OUT2, TABLE1, TABLE2, THREE, TWO, ZERO, U, entry, kernel
from bifilar.online.kernels.covariance import add_noise, forget_along, marginal, measure, solve_gain, variance_of
from bifilar.online.kernels.maps import parameters_of, rows_of
from bifilar.online.tables import (
    ACCEPTED,
    ALARMS,
    ANNEALED,
    AVERAGED,
    BEGAN,
    BENT,
    CHANGED,
    CLIPPED,
    CLOCK,
    DOUBTED,
    EXCESS,
    FADING,
    FIXED,
    FORGETTING,
    FROZEN,
    GATE,
    HUGE,
    ITERATIONS,
    LAST,
    LIMITS,
    LOG_CHOLESKY,
    MANY,
    MEAN,
    MOVE,
    MOVED,
    NOT_FINITE,
    OLDER,
    OUTLIER,
    PATIENCE,
    RECENT,
    REFUSED,
    SETTLING,
    SIGMOID,
    SLOTS,
    STALE,
    STARTED,
    STEEPEST,
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
def renew(k, stands, held, x, u, d, n, b, memory):
    """Errors whose stand is over; returns how many states count, the errors of standing joints among them."""
    errors = U(held.shape[0])
    count = n - errors
    if errors == ZERO:
        memory[FROZEN] = 0.0
    for e in range(errors):
        i = n - errors + e
        number = abs(stands[k, e])
        if held[e] != number:
            if held[e] > 0.0:
                marginal(u, d, n, i, b)
                x[i] = 0.0
            held[e] = number
            memory[FROZEN] = 0.0
        if held[e] > 0.0:
            count = i + ONE
    return count


@kernel
def at_rest(k, stands):
    """Whether all joints stand and have settled."""
    for e in range(U(stands.shape[1])):
        if stands[k, e] <= 0.0:
            return False
    return U(stands.shape[1]) > ZERO


@kernel
def silence(k, stands, h, n, y):
    """Rows of joints that stand and have not settled say nothing; how many do say something. (Elsewhere none is negative.)"""
    left = U(y.shape[0])
    for e in range(U(stands.shape[1])):
        if stands[k, e] < 0.0:
            left -= ONE
            y[e] = 0.0
            for i in range(n):
                h[e * n + i] = 0.0
    return left


@kernel
def linearise_at(settings, x, u, d, n, held, point, b, memory):
    """The point of linearisation; beyond MOVED from it the pose counts as another one."""
    if memory[FROZEN] > 0.0:
        for i in range(n - U(held.shape[0])):
            if abs(x[i] - point[i]) > MOVED:
                memory[FROZEN] = 0.0
        if memory[FROZEN] == 0.0:
            forget_errors(x, u, d, n, held, b)
    if memory[FROZEN] == 0.0:
        for i in range(n):
            point[i] = x[i]


@kernel
def forget_errors(x, u, d, n, held, b):
    """What held the joints may be another error now."""
    errors = U(held.shape[0])
    for e in range(errors):
        if held[e] > 0.0:
            marginal(u, d, n, n - errors + e, b)
            x[n - errors + e] = 0.0


@kernel
def innovation(k, reading, h, x, point, n, m, y):
    """y becomes the reading minus what is expected at x, by the rows linearised at the point where y was expected."""
    for r in range(m):
        y[r] = reading[k, r] - y[r]
        for i in range(n):
            y[r] -= h[r * n + i] * (x[i] - point[i])


@kernel
def walk(now, settings, prior, rates, cap, x, u, d, owed, memory, b, stride, count):
    """Process noise, a few states in turn; states that lean against a bound get their first variance back."""
    n = U(owed.shape[0])
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
            room = WIDEST * prior[turn] - variance_of(u, d, stride, count, turn)
            if room > 0.0:
                add_noise(u, d, stride, turn, min(owed[turn], room), b)
            owed[turn] = 0.0
        if abs(x[turn]) > 0.5 * cap[turn]:
            lost = prior[turn] - variance_of(u, d, stride, count, turn)
            if lost > 0.0:
                add_noise(u, d, stride, turn, lost, b)
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
def remember_surprise(surprise, m, memory):
    """The innovation's size, and its average per row."""
    memory[SURPRISE] = surprise
    share = 1.0 / min(memory[UPDATES] + 1.0, AVERAGED) if m > ZERO else 0.0
    memory[MEAN] += share * (min(surprise / max(m, ONE), CLIPPED) - memory[MEAN])


@kernel
def believable(settings, surprise, m, memory):
    """Status by the innovation: an outlier, a change, a doubt about the noise, or nothing strange."""
    memory[RECENT] -= memory[RECENT] / FADING
    if settings[GATE] <= 0.0 or surprise <= settings[GATE]:
        memory[STRANGE] = 0.0
        if memory[EXCESS] > 0.0:  # the noise was raised: as much as the surprise asks for
            more = (min(surprise / max(m, ONE), STEEPEST) - 1.0) / SETTLING
            memory[EXCESS] = max(0.0, (1.0 + memory[EXCESS]) * (1.0 + more) - 1.0)
        return ACCEPTED
    memory[STRANGE] += 1.0
    if memory[STRANGE] < settings[PATIENCE]:
        return OUTLIER
    memory[STRANGE] = 0.0
    memory[RECENT] += 1.0
    memory[ALARMS] += 1.0
    if memory[RECENT] < MANY:
        return CHANGED
    memory[EXCESS] = min((1.0 + memory[EXCESS]) * min(surprise / max(m, ONE), STEEPEST), HUGE) - 1.0
    return DOUBTED


@kernel
def raised(noise, memory, loud):
    """The variances of the rows: as stated, or more where that is doubted."""
    for r in range(U(noise.shape[0])):
        loud[r] = noise[r] * (1.0 + memory[EXCESS])


@kernel
def take_in(u, d, n, count, m, h, noise, y, settings, prior, b, dx):
    """All rows, one after the other; dx is the change of the state that the innovation y asks for. Returns the surprise."""
    surprise = 0.0
    for i in range(n):
        dx[i] = 0.0
    for r in range(m):
        if settings[FORGETTING] < 1.0:
            forget_along(u, d, n, count, h, r * n, settings[FORGETTING], prior, b)
        alpha = measure(u, d, n, count, h, r * n, noise[r], b)
        left = y[r]
        for i in range(count):
            left -= h[r * n + i] * dx[i]
        surprise += left * left / alpha
        left /= alpha
        for i in range(count):
            dx[i] += b[i] * left
    return surprise


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
    OUT1, OUT1, OUT1, OUT1, OUT1, OUT1, OUT1, IN2, TABLE1, TABLE2, TABLE2, IN2, IN1, IN1, IN1, IN1, IN1, IN1, IN1, TABLE2,
    IN1, IN2, IN2, IN2, IN2, OUT1, IN2, IN2, IN1,
    OUT1, OUT1, OUT1, OUT1, OUT1, OUT1, OUT1, OUT1, OUT1, OUT1, OUT1, OUT1, OUT1, OUT1, OUT1, OUT2,
)  # fmt: skip
def run(
    x, u, d, owed, memory, seen, held,
    scalars, kinds, blocks, slots, constants, known, settings, prior, rates, cap, opened, noise, quiet,
    time, q, v, a, limits, w, reading, stands, effect,
    p, dp, phi, ten, g, h, y, b, f, s, start, dx, loud, point, status, history,
):  # fmt: skip
    """All samples. u (n n,), w (N m columns,) flat; status (N,) receives codes, history (N or 0, n) the states after each.

    stands (N, errors): numbers of the stands (`standing`); effect (m errors,) or (N m errors,): of these errors on the rows.
    quiet (.., 2): columns of W that are zero while that error's joint stands, friction with a sign.
    """
    n, m, width, errors = U(x.shape[0]), U(reading.shape[1]), U(known.shape[0]), U(held.shape[0])
    each = ZERO if U(effect.shape[0]) == m * errors else m * errors
    for k in range(U(time.shape[0])):
        code = look(k, time, q, v, a, limits, reading, memory)
        count = n
        if code == ACCEPTED:
            count = renew(k, stands, held, x, u, d, n, b, memory)
            linearise_at(settings, x, u, d, n, held, point, b, memory)
            first = k * m * width
            for c in range(U(quiet.shape[0])):
                if held[quiet[c, ONE]] > 0.0:
                    for r in range(m):
                        w[first + r * width + quiet[c, ZERO]] = 0.0
            parameters_of(scalars, kinds, blocks, slots, constants, known, point, p, dp, phi, ten, g)
            rows_of(blocks, slots, w, first, m, width, phi, g, dp, h, y, effect, k * each, held, point)
            innovation(k, reading, h, x, point, n, m, y)
            telling = silence(k, stands, h, n, y)
            if not usable(h, m * n, y, m):
                code = UNUSABLE
        if code == ACCEPTED:
            if memory[STARTED] == 0.0:
                memory[BEGAN] = time[k]
            walk(time[k], settings, prior, rates, cap, x, u, d, owed, memory, b, n, count)
            memory[STARTED], memory[LAST] = 1.0, time[k]
            many = U(settings[ITERATIONS])
            looked = settings[GATE] > 0.0 or many > ONE
            raised(noise, memory, loud)
            for i in range(n):
                dx[i] = 0.0
            if looked:
                surprise = solve_gain(u, d, n, count, m, h, loud, y, f, s, ten, dx)
                remember_surprise(surprise, telling, memory)
                code = believable(settings, surprise, telling, memory)
                if code == CHANGED:
                    for i in range(n - errors, n):
                        for r in range(m):
                            y[r] += h[r * n + i] * x[i]
                    forget_errors(x, u, d, n, held, b)
                    memory[FROZEN] = 0.0
                    for i in range(U(owed.shape[0])):
                        if opened[i] > 0.0:  # a state far from the middle of its bounds has a long way back
                            far = 1.0 + x[i] * x[i] if kinds[i] == U(SIGMOID) else 1.0
                            room = WIDEST * max(prior[i], opened[i] * far) - variance_of(u, d, n, count, i)
                            if room > 0.0:
                                add_noise(u, d, n, i, min(opened[i] * far, room), b)
                if code == DOUBTED:
                    raised(noise, memory, loud)
                if (code == CHANGED or code == DOUBTED) and many > ONE:
                    solve_gain(u, d, n, count, m, h, loud, y, f, s, ten, dx)
        if code == ACCEPTED or code == CHANGED or code == DOUBTED:
            for i in range(n):
                start[i] = x[i]
            for _ in range(ONE, ONE if memory[FROZEN] > 0.0 else many):
                if go(x, start, dx, scalars, kinds, cap) <= ENOUGH:
                    break
                parameters_of(scalars, kinds, blocks, slots, constants, known, x, p, dp, phi, ten, g)
                rows_of(blocks, slots, w, first, m, width, phi, g, dp, h, y, effect, k * each, held, x)
                innovation(k, reading, h, start, x, n, m, y)
                silence(k, stands, h, n, y)
                if not usable(h, m * n, y, m):
                    code = UNUSABLE
                    break
                solve_gain(u, d, n, count, m, h, loud, y, f, s, ten, dx)
            if code == UNUSABLE:
                for i in range(n):
                    x[i] = start[i]
            else:
                remember(h, n, m, noise, prior, seen, blocks, slots, constants, w, first, width)
                surprise = take_in(u, d, n, count, m, h, loud, y, settings, prior, b, dx)
                if not looked:
                    remember_surprise(surprise, telling, memory)
                go(x, start, dx, scalars, kinds, cap)
                memory[UPDATES] += 1.0
                if settings[BENT] > 0.0 and memory[FROZEN] == 0.0 and at_rest(k, stands):
                    memory[FROZEN] = 1.0
                    for i in range(n):
                        point[i] = x[i]
        status[k] = float(code)
        if history.shape[0] > 0:
            for i in range(U(history.shape[1])):
                history[k, i] = x[i]

"""The parameter filter in NumPy: what `bifilar.online.kernels.filter` does, where numba is not, and to compare with.

Same arguments, changed in place: state, factors, memory. Steps have the same names as there.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from bifilar.filters.factors import Factors, with_measurement, with_noise
from bifilar.online import tables as t
from bifilar.robot.inertia import Array

STRIDE, ENOUGH, AT_ONCE = 1.5, 1e-6, 16  # as in the kernel


def run_plain(*arguments: Any) -> None:
    """Samples into a state; the arguments of the compiled function."""
    core, data, point, status, history = arguments[:20], arguments[20:29], *arguments[-3:]
    time, q, v, a, limits, w, reading, stands, effect = data
    step = _Step(*core, point)
    rows = w.reshape(len(time), reading.shape[1], -1) if reading.size else w
    errors = effect.reshape(-1, reading.shape[1], stands.shape[1]) if effect.size else np.zeros((1, reading.shape[1], 0))
    for k in range(len(time)):
        code = step.look(float(time[k]), np.stack([q[k], v[k], a[k]]), reading[k], limits)
        if code == t.ACCEPTED:
            with np.errstate(all="ignore"):
                step.renew(stands[k], errors[min(k, len(errors) - 1)])
                code = step.update(float(time[k]), step.quietened(rows[k]), reading[k], stands[k])
        status[k] = float(code)
        if len(history):
            history[k] = step.x[: history.shape[1]]


class _Step:
    """One update on the filter's arrays."""

    def __init__(
        self, x: Array, u: Array, d: Array, owed: Array, memory: Array, seen: Array, held: Array, *tables: Any
    ) -> None:
        self.x, self.d, self.owed, self.memory, self.seen, self.held = x, d, owed, memory, seen, held
        self.n, self.states = len(x), len(x) - len(held)  # the last are errors of joints that stand
        self.u = u.reshape(self.n, self.n).T  # a view: upper triangle without its ones
        self.scalars, self.kinds, self.blocks, self.slots, self.constants, self.known = tables[:6]
        self.settings, self.prior, self.rates, self.cap, self.opened, self.stated, self.quiet, self.point = tables[6:]
        self.effect = np.zeros((len(self.stated), len(held)))

    def factors(self) -> Factors:
        return Factors(np.triu(self.u, 1) + np.eye(self.n), self.d.copy())

    def put(self, factors: Factors) -> None:
        self.u[:] = np.triu(factors.u, 1)
        self.d[:] = factors.d

    def look(self, now: float, motion: Array, reading: Array, limits: Array) -> int:
        if not (np.isfinite(motion).all() and np.isfinite(reading).all() and math.isfinite(now)):
            return t.NOT_FINITE
        memory = self.memory
        if memory[t.STARTED] > 0 and not now > memory[t.LAST]:
            memory[t.OLDER] = memory[t.OLDER] + 1.0 if memory[t.OLDER] > 0 and now > memory[t.REFUSED] else 1.0
            memory[t.REFUSED] = now
            if memory[t.OLDER] < t.CLOCK:
                return t.STALE
            memory[t.BEGAN] += now - memory[t.LAST]
            memory[t.LAST] = now
        memory[t.OLDER] = 0.0
        n, m = motion.shape[1], len(reading)
        outside = (motion[0] < limits[0, :n]) | (motion[0] > limits[1, :n]) | (np.abs(motion[1]) > limits[2, :n])
        return t.LIMITS if outside.any() or (np.abs(reading) > limits[3, :m]).any() else t.ACCEPTED

    def renew(self, stands: Array, effect: Array) -> None:
        numbers = np.abs(stands)
        for e in np.flatnonzero(self.held != numbers):
            if self.held[e] > 0:
                self.marginal(self.states + int(e))
            self.held[e] = numbers[e]
            self.memory[t.FROZEN] = 0.0
        if self.memory[t.FROZEN] > 0 and (np.abs(self.x - self.point)[: self.states] > t.MOVED).any():
            self.memory[t.FROZEN] = 0.0
            self.forget_errors()
        if self.memory[t.FROZEN] == 0:
            self.point[:] = self.x
        self.effect = np.where(self.held > 0, effect, 0.0)

    def forget_errors(self) -> None:
        for e in np.flatnonzero(self.held > 0):
            self.marginal(self.states + int(e))

    def marginal(self, j: int) -> None:
        """P without state j, whose place is taken by an independent one of variance one."""
        (u, d), column = self.factors(), np.zeros(self.n)
        column[:j], size = u[:j, j], float(d[j])
        u[:j, j] = u[j, j + 1 :] = 0.0
        d[j], self.x[j] = 1.0, 0.0
        self.put(with_noise(Factors(u, d), column, size))

    def quietened(self, w: Array) -> Array:
        """W without friction that has a sign, where its joint stands."""
        w = w.copy()
        for column, error in self.quiet.astype(int):
            w[:, column] *= float(self.held[error] == 0)
        return w

    @property
    def noise(self) -> Array:
        """Variances as stated, or more where that is doubted."""
        return np.asarray(self.stated * (1.0 + self.memory[t.EXCESS]))

    def expect(self, w: Array, x: Array) -> tuple[Array, Array]:
        """Rows H and expected reading."""
        from bifilar.online.plain_maps import columns_of

        first, n = (self.scalars, self.kinds, self.blocks, self.slots, self.constants, self.known), self.states
        phi, slope = columns_of(first[0][:n], first[1][:n], *first[2:], x[:n])
        return np.hstack([w @ slope, self.effect]), w @ phi + self.effect @ x[n:]

    def walk(self, now: float) -> None:
        memory, n, one = self.memory, self.states, np.eye(self.n)
        strength = 0.0 if memory[t.STARTED] == 0 else self.settings[t.STRENGTH] * (now - memory[t.LAST])
        if self.settings[t.ANNEALED] > 0 and strength > 0:
            strength *= math.exp(-(now - memory[t.BEGAN]) / self.settings[t.ANNEALED])
        if strength > 0:
            self.owed += strength * self.rates
        turn, factors = int(memory[t.TURN]), self.factors()
        for _ in range(n if n <= AT_ONCE else max(1, 256 // n)):
            turn = turn + 1 if turn + 1 < n else 0
            if self.owed[turn] > 0:
                room = t.WIDEST * self.prior[turn] - np.sum(factors.u[turn] ** 2 * factors.d)
                if room > 0:
                    factors = with_noise(factors, one[turn], min(self.owed[turn], room))
                self.owed[turn] = 0.0
            if abs(self.x[turn]) > 0.5 * self.cap[turn]:
                lost = self.prior[turn] - np.sum(factors.u[turn] ** 2 * factors.d)
                if lost > 0:
                    factors = with_noise(factors, one[turn], lost)
        self.put(factors)
        memory[t.TURN] = float(turn)

    def gain(self, h: Array, y: Array) -> tuple[Array, float]:
        """Change of the state and surprise, the covariance as it is."""
        p = self.factors().covariance
        spread = h @ p @ h.T + np.diag(self.noise)
        answer = np.linalg.solve(spread, y)
        return p @ h.T @ answer, float(y @ answer)

    def remember_surprise(self, surprise: float, rows: int) -> None:
        memory = self.memory
        memory[t.SURPRISE] = surprise
        share = 1.0 / min(memory[t.UPDATES] + 1.0, t.AVERAGED) if rows else 0.0
        memory[t.MEAN] += share * (min(surprise / max(rows, 1), t.CLIPPED) - memory[t.MEAN])

    def believable(self, surprise: float, rows: int) -> int:
        memory, gate, most = self.memory, self.settings[t.GATE], min(surprise / max(rows, 1), t.STEEPEST)
        memory[t.RECENT] -= memory[t.RECENT] / t.FADING
        if gate <= 0 or surprise <= gate:
            memory[t.STRANGE] = 0.0
            if memory[t.EXCESS] > 0:
                memory[t.EXCESS] = max(0.0, (1.0 + memory[t.EXCESS]) * (1.0 + (most - 1.0) / t.SETTLING) - 1.0)
            return t.ACCEPTED
        memory[t.STRANGE] += 1.0
        if memory[t.STRANGE] < self.settings[t.PATIENCE]:
            return t.OUTLIER
        memory[t.STRANGE] = 0.0
        memory[t.RECENT] += 1.0
        memory[t.ALARMS] += 1.0
        if memory[t.RECENT] < t.MANY:
            return t.CHANGED
        memory[t.EXCESS] = min((1.0 + memory[t.EXCESS]) * most, t.HUGE) - 1.0
        return t.DOUBTED

    def opened_by_change(self, h: Array, y: Array) -> Array:
        """The covariance where something was grasped or released; the innovation without the errors that are forgotten."""
        y = y + h[:, self.states :] @ self.x[self.states :]
        self.forget_errors()
        self.memory[t.FROZEN] = 0.0
        far = np.where(self.kinds == t.SIGMOID, 1.0 + self.x**2, 1.0)
        factors = self.factors()
        for i in range(self.states):
            more = self.opened[i] * far[i]
            room = t.WIDEST * max(self.prior[i], more) - np.sum(factors.u[i] ** 2 * factors.d)
            if more > 0 and room > 0:
                factors = with_noise(factors, np.eye(self.n)[i], min(more, room))
        self.put(factors)
        return y

    def update(self, now: float, w: Array, reading: Array, stands: Array) -> int:
        h, expected = self.expect(w, self.point)
        y = reading - expected - h @ (self.x - self.point)
        unsettled = np.flatnonzero(stands < 0)
        h[unsettled], y[unsettled] = 0.0, 0.0  # rows that say nothing
        telling = len(y) - len(unsettled)
        if not _usable(h, y):
            return t.UNUSABLE
        if self.memory[t.STARTED] == 0:
            self.memory[t.BEGAN] = now
        self.walk(now)
        self.memory[t.STARTED], self.memory[t.LAST] = 1.0, now
        many, code, dx = int(self.settings[t.ITERATIONS]), t.ACCEPTED, np.zeros(self.n)
        looked = self.settings[t.GATE] > 0 or many > 1
        if looked:
            dx, surprise = self.gain(h, y)
            self.remember_surprise(surprise, telling)
            code = self.believable(surprise, telling)
            if code == t.CHANGED:
                y = self.opened_by_change(h, y)
            if code in (t.CHANGED, t.DOUBTED):
                dx, _ = self.gain(h, y)
        if code not in (t.ACCEPTED, t.CHANGED, t.DOUBTED):
            return code
        start = self.x.copy()
        for _ in range(1, 1 if self.memory[t.FROZEN] > 0 else many):
            if self.go(start + dx) <= ENOUGH:
                break
            h, expected = self.expect(w, self.x)
            y = reading - expected - h @ (start - self.x)
            h[unsettled], y[unsettled] = 0.0, 0.0
            if not _usable(h, y):
                self.x[:] = start
                return t.UNUSABLE
            dx, _ = self.gain(h, y)
        self.remember(h, w)
        surprise = self.take_in(h, y, start)
        if not looked:
            self.remember_surprise(surprise, telling)
        self.memory[t.UPDATES] += 1.0
        if self.settings[t.BENT] > 0 and self.memory[t.FROZEN] == 0 and len(stands) and (stands > 0).all():
            self.memory[t.FROZEN], self.point[:] = 1.0, self.x
        return code

    def remember(self, h: Array, w: Array) -> None:
        effect = h[:, : self.states] ** 2 * self.prior[: self.states]
        for block, slots, constants in zip(self.blocks, self.slots, self.constants):
            if block[0] == t.LOG_CHOLESKY:  # the ten numbers' own columns
                column = int(block[1])
                move = constants[t.MOVE :].reshape(10, 10)
                effect[:, slots.astype(int)] = (w[:, column : column + 10] @ move) ** 2 * constants[:10]
        np.maximum(self.seen, (effect / self.stated[:, None]).max(axis=0), out=self.seen)

    def take_in(self, h: Array, y: Array, start: Array) -> float:
        factors, dx, keep, surprise = self.factors(), np.zeros(self.n), self.settings[t.FORGETTING], 0.0
        for row, left, variance in zip(h, y, self.noise):
            if keep < 1:
                factors = self.forgotten(factors, row, keep)
            factors, gain, spread = with_measurement(factors, row, float(variance))
            surprise += float(left - row @ dx) ** 2 / spread
            dx = dx + gain * (left - row @ dx)
        self.put(factors)
        self.go(start + dx)
        return surprise

    def go(self, target: Array) -> float:
        """x towards the target, by strides; the longest step."""
        stride = np.where(self.kinds == t.SIGMOID, STRIDE, np.where(self.scalars[:, 2] > 0, self.scalars[:, 2], np.inf))
        target = np.where(np.abs(target - self.x) < t.HUGE, target, self.x)
        newer = np.clip(self.x + np.clip(target - self.x, -stride, stride), -self.cap, self.cap)
        longest, self.x[:] = float(np.abs(newer - self.x).max()), newer
        return longest

    def forgotten(self, factors: Factors, row: Array, keep: float) -> Factors:
        inside = np.linalg.solve(factors.u, row)
        information = float(np.sum(inside**2 / factors.d))
        least = max(float(np.sum(row**2 / self.prior)), keep * information)
        return with_noise(factors, row, 1.0 / least - 1.0 / information) if 0 < least < information else factors


def _usable(h: Array, y: Array) -> bool:
    return bool((np.abs(h) < t.HUGE).all() and (np.abs(y) < t.HUGE).all())

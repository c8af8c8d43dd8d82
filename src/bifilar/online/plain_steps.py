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
    core, data, status, history = arguments[:18], arguments[18:25], arguments[-2], arguments[-1]
    time, q, v, a, limits, w, reading = data
    step = _Step(*core)
    rows = w.reshape(len(time), reading.shape[1], -1) if reading.size else w
    for k in range(len(time)):
        code = step.look(float(time[k]), np.stack([q[k], v[k], a[k]]), reading[k], limits)
        if code == t.ACCEPTED:
            with np.errstate(all="ignore"):
                code = step.update(float(time[k]), rows[k], reading[k])
        status[k] = float(code)
        if len(history):
            history[k] = step.x


class _Step:
    """One update on the filter's arrays."""

    def __init__(self, x: Array, u: Array, d: Array, owed: Array, memory: Array, seen: Array, *tables: Any) -> None:
        self.x, self.d, self.owed, self.memory, self.seen = x, d, owed, memory, seen
        self.n = len(x)
        self.u = u.reshape(self.n, self.n).T  # a view: upper triangle without its ones
        self.scalars, self.kinds, self.blocks, self.slots, self.constants, self.known = tables[:6]
        self.settings, self.prior, self.rates, self.cap, self.opened, self.noise = tables[6:]

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

    def expect(self, w: Array, x: Array) -> tuple[Array, Array]:
        """Rows H and expected reading."""
        from bifilar.online.plain_maps import columns_of

        phi, slope = columns_of(self.scalars, self.kinds, self.blocks, self.slots, self.constants, self.known, x)
        return w @ slope, w @ phi

    def walk(self, now: float) -> None:
        memory, n = self.memory, self.n
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
                    factors = with_noise(factors, np.eye(n)[turn], min(self.owed[turn], room))
                self.owed[turn] = 0.0
            if abs(self.x[turn]) > 0.5 * self.cap[turn]:
                lost = self.prior[turn] - np.sum(factors.u[turn] ** 2 * factors.d)
                if lost > 0:
                    factors = with_noise(factors, np.eye(n)[turn], lost)
        self.put(factors)
        memory[t.TURN] = float(turn)

    def gain(self, h: Array, y: Array) -> tuple[Array, float]:
        """Change of the state and surprise, the covariance as it is."""
        p = self.factors().covariance
        spread = h @ p @ h.T + np.diag(self.noise)
        answer = np.linalg.solve(spread, y)
        return p @ h.T @ answer, float(y @ answer)

    def believable(self, surprise: float) -> int:
        memory, gate = self.memory, self.settings[t.GATE]
        memory[t.SURPRISE] = surprise
        if gate <= 0 or surprise <= gate:
            memory[t.STRANGE] = 0.0
            return t.ACCEPTED
        memory[t.STRANGE] += 1.0
        if memory[t.STRANGE] < self.settings[t.PATIENCE]:
            return t.OUTLIER
        memory[t.STRANGE] = 0.0
        return t.CHANGED

    def update(self, now: float, w: Array, reading: Array) -> int:
        h, expected = self.expect(w, self.x)
        y = reading - expected
        if not _usable(h, y):
            return t.UNUSABLE
        if self.memory[t.STARTED] == 0:
            self.memory[t.BEGAN] = now
        self.walk(now)
        self.memory[t.STARTED], self.memory[t.LAST] = 1.0, now
        many, code, dx = int(self.settings[t.ITERATIONS]), t.ACCEPTED, np.zeros(self.n)
        if self.settings[t.GATE] > 0 or many > 1:
            dx, surprise = self.gain(h, y)
            code = self.believable(surprise)
            if code == t.CHANGED:
                factors, far = self.factors(), np.where(self.kinds == t.SIGMOID, 1.0 + self.x**2, 1.0)
                for i in range(self.n):
                    factors = with_noise(factors, np.eye(self.n)[i], self.opened[i] * far[i])
                self.put(factors)
                dx, _ = self.gain(h, y)
        if code not in (t.ACCEPTED, t.CHANGED):
            return code
        start = self.x.copy()
        for _ in range(1, many):
            if self.go(start + dx) <= ENOUGH:
                break
            h, expected = self.expect(w, self.x)
            y = reading - expected - h @ (start - self.x)
            if not _usable(h, y):
                self.x[:] = start
                return t.UNUSABLE
            dx, _ = self.gain(h, y)
        self.remember(h, w)
        self.take_in(h, y, start)
        return code

    def remember(self, h: Array, w: Array) -> None:
        effect = h**2 * self.prior
        for block, slots, constants in zip(self.blocks, self.slots, self.constants):
            if block[0] == t.LOG_CHOLESKY:  # the ten numbers' own columns
                column = int(block[1])
                move = constants[t.MOVE :].reshape(10, 10)
                effect[:, slots.astype(int)] = (w[:, column : column + 10] @ move) ** 2 * constants[:10]
        np.maximum(self.seen, (effect / self.noise[:, None]).max(axis=0), out=self.seen)

    def take_in(self, h: Array, y: Array, start: Array) -> None:
        factors, dx, keep = self.factors(), np.zeros(self.n), self.settings[t.FORGETTING]
        for row, left, variance in zip(h, y, self.noise):
            if keep < 1:
                factors = self.forgotten(factors, row, keep)
            factors, gain, _ = with_measurement(factors, row, float(variance))
            dx = dx + gain * (left - row @ dx)
        self.put(factors)
        self.go(start + dx)
        self.memory[t.UPDATES] += 1.0

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

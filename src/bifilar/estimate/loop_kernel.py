"""The closed loop as one compiled function: controller, friction, forward dynamics, Runge-Kutta steps; nothing is allocated.

    u_k = feed_k + Kp (q*_k - q_k) + Kd (v*_k - w_k) + Ki sum_(i<k) (q*_i - q_i) period    cut off at the limits, then held
    w_k = the velocity itself, or  a w_(k-1) + (1 - a) (q_k - q_(k-1)) / period            as a drive makes it from an encoder
    M(q) q'' = u - bias(q, q') - friction(q, q')

Runge-Kutta steps are as small as friction is steep: the sum of slope times mobility bounds its fastest decay. Where that would
take more than a few, as with a light wrist and Coulomb friction, a linearly implicit method takes over (ROS2 of Verwer,
Spee, Blom and Hundsdorfer 1999, of second order whatever matrix it is given): A = -M^-1 D with the secant
D = friction / speed, which never lets friction overshoot standstill. (M + g h D) k is solved by the forward dynamics with g h D
beside the rotors. Kernels are those of
`bifilar.dynamics.kernels` for one sample; numba sees changes of this file itself, the cache folder those of the others.
"""

# mypy: ignore-errors
from __future__ import annotations

import numpy as np

from bifilar.dynamics.friction_laws import LINEAR, PLACED, SIGNED, STEEP
from bifilar.dynamics.workspace import BODY_ROWS, TEMPORARY_ROWS, kernels

_lanes = kernels(1, "lanes")
_forward = kernels(1, "forward").forward_dynamics.compiled
U, ZERO, ONE = _lanes.U, _lanes.ZERO, _lanes.ONE
IN1, IN2, TABLE2, OUT1, OUT2, SIZE = (getattr(_lanes, name) for name in ("IN1", "IN2", "TABLE2", "OUT1", "OUT2", "SIZE"))
IN3 = _lanes.types.Array(_lanes.types.float64, 3, "C", readonly=True)
FLOAT = _lanes.types.float64

_call = kernels(1, "laws").call_one
_LINEAR, _SIGNED, _PLACED, _STEEP = (U(bit) for bit in (LINEAR, SIGNED, PLACED, STEEP))
_X0, _X1, _X2, _X3 = (U(k) for k in range(2, 6))  # settings of a law, behind width and side
_NUDGE = 1e-6  # [rad/s] or [m/s] for difference quotients
_STABLE = 1.5  # largest step times decay of the friction; Runge-Kutta follows up to 2.7
_MOST = 8.0  # Runge-Kutta steps within one period; where friction asks for more, implicit ones
_IMPLICIT = 4.0  # steps within one period
_GAMMA = 1.0 + np.sqrt(0.5)  # the one of two L-stable choices whose first stage does not overshoot
_RUNAWAY = 1e4  # [rad/s] or [m/s]


@_lanes.kernel
def _factor(laws, k, drive, shape, q, s):
    """Factor of column k at the speed s; see bifilar.dynamics.friction_laws."""
    if laws[k, ONE] == ZERO:
        return 1.0
    position = 0.0
    if laws[k, ZERO] & _PLACED:
        for j in range(U(q.shape[1])):
            position += drive[k, j] * q[ZERO, j]
    return _call(laws[k, ONE], s, 0.0, position, shape[k, _X0], shape[k, _X1], shape[k, _X2], shape[k, _X3])


@_lanes.kernel
def _drive_torque(laws, drive, push, shape, q, v, u, out):
    """out = torque left for the bodies: u - friction(q, v). push (m, joints): value times effect."""
    n = U(v.shape[1])
    for j in range(n):
        out[ZERO, j] = u[j]
    for k in range(U(laws.shape[0])):
        s = 0.0
        for j in range(n):
            s += drive[k, j] * v[ZERO, j]
        form, width, side = laws[k, ZERO], shape[k, ZERO], shape[k, ONE]
        f = _factor(laws, k, drive, shape, q, s)
        if form & _LINEAR:
            f *= s
        if form & _SIGNED or side != 0.0:
            sign = s / np.sqrt(s * s + width * width)
            if form & _SIGNED:
                f *= sign
            if side != 0.0:
                f *= 0.5 * (1.0 + side * sign)
        for j in range(n):
            out[ZERO, j] -= push[k, j] * f


@_lanes.kernel
def _own_slope(laws, k, drive, shape, q, s):
    """Of a factor that is multiplied by no sign, and by the speed where its law says so: a difference quotient."""
    above, below = _factor(laws, k, drive, shape, q, s + _NUDGE), _factor(laws, k, drive, shape, q, s - _NUDGE)
    if laws[k, ZERO] & _LINEAR:
        above, below = above * (s + _NUDGE), below * (s - _NUDGE)
    return np.abs(above - below) / (2.0 * _NUDGE)


@_lanes.kernel
def _decay(laws, drive, push, shape, q, v, a, period, w, column):
    """Bound on the friction's fastest decay within the next period [1/s]. w: Cholesky factor of the mass matrix, row by row."""
    n = U(v.shape[1])
    total = 0.0
    for k in range(U(laws.shape[0])):
        form = laws[k, ZERO]
        if not form & (_LINEAR | _SIGNED | _STEEP):
            continue
        s, rate = 0.0, 0.0
        for j in range(n):
            s += drive[k, j] * v[ZERO, j]
            rate += drive[k, j] * a[ZERO, j]
        s = max(0.0, np.abs(s) - 1.5 * np.abs(rate) * period)  # as slow as it may become: the sign is steep there
        width2 = shape[k, ZERO] * shape[k, ZERO]
        slope = width2 / (s * s + width2) ** 1.5 if form & _SIGNED else 1.0
        if form & _STEEP:
            slope = _own_slope(laws, k, drive, shape, q, s)
        for i in range(n):  # drive' M^-1 push = (L^-1 drive)' (L^-1 push), drive and push being parallel but for their size
            column[i] = drive[k, i]
            for j in range(i):
                column[i] -= w[i * n + j] * column[j]
            column[i] /= w[i * n + i]
        mobility, size, reach = 0.0, 0.0, 0.0
        for i in range(n):
            mobility += column[i] * column[i]
            size += drive[k, i] * drive[k, i]
            reach += np.abs(drive[k, i] * push[k, i])
        total += slope * mobility * reach / size if size > 0.0 else 0.0
    return total


@_lanes.kernel
def _secant(laws, drive, push, shape, q, v, factor, extra, sum_, damped):
    """damped = factor D, sum_ = extra + damped; D from friction over speed, of the columns that brake."""
    n = U(v.shape[1])
    for i in range(n):
        for j in range(n):
            damped[i, j] = 0.0
    for k in range(U(laws.shape[0])):
        form = laws[k, ZERO]
        if not form & (_LINEAR | _SIGNED | _STEEP):
            continue
        s, size, along = 0.0, 0.0, 0.0
        for j in range(n):
            s += drive[k, j] * v[ZERO, j]
            size += drive[k, j] * drive[k, j]
            along += drive[k, j] * push[k, j]
        width = shape[k, ZERO]
        rate = 1.0 / np.sqrt(s * s + width * width) if form & _SIGNED else 1.0
        if form & _LINEAR:
            rate = rate * np.abs(s) if form & _SIGNED else rate
            along *= _factor(laws, k, drive, shape, q, s)
        elif form & _SIGNED:
            along *= _factor(laws, k, drive, shape, q, s)
        else:
            rate = _own_slope(laws, k, drive, shape, q, s)
        if not along > 0.0:
            continue
        for i in range(n):
            for j in range(n):
                damped[i, j] += factor * rate * along / size * drive[k, i] * drive[k, j]
    for i in range(n):
        for j in range(n):
            sum_[i, j] = extra[i, j] + damped[i, j]


@_lanes.kernel
def _command(k, n, kp, kd, ki, feed, limit, q, w, goal_q, goal_v, total, period, out):
    """Torque of tick k. total: sum of the position errors so far times the period, not fed while a torque is cut off."""
    row = k if kp.shape[0] > 1 else ZERO
    for i in range(n):
        u = feed[k, i]
        for j in range(n):
            u += kp[row, i, j] * (goal_q[k, j] - q[ZERO, j]) + kd[row, i, j] * (goal_v[k, j] - w[j]) + ki[row, i, j] * total[j]
        out[k, i] = min(max(u, -limit[i]), limit[i])
    for j in range(n):
        if np.abs(out[k, j]) < limit[j]:
            total[j] += (goal_q[k, j] - q[ZERO, j]) * period


@_lanes.kernel
def _centre(k, n, w, torque, acceleration, column):
    """Half the jump at tick k is taken off the acceleration: M^-1 (u_k - u_(k-1)) / 2, by the factor that is left in w."""
    if k == ZERO:
        return
    for i in range(n):
        column[i] = 0.5 * (torque[k, i] - torque[k - ONE, i])
        for j in range(i):
            column[i] -= w[i * n + j] * column[j]
        column[i] /= w[i * n + i]
    for m in range(n):
        i = n - ONE - m
        for j in range(i + ONE, n):
            column[i] -= w[j * n + i] * column[j]
        column[i] /= w[i * n + i]
        acceleration[k, i] -= column[i]


@_lanes.kernel
def _combine(to, start, rate, step):
    """to = start + step * rate, one row each."""
    for j in range(U(to.shape[1])):
        to[ZERO, j] = start[ZERO, j] + step * rate[ZERO, j]


@_lanes.kernel
def _explicit_step(s, w, c, t, phi, extra, root, laws, drive, push, shape, u, h, b):
    """One Runge-Kutta step; b as in `run`, its row 6 holds the acceleration at the beginning."""
    q, v, rest, y, z, left, a = b[0:1], b[1:2], b[2:3], b[3:4], b[4:5], b[5:6], b[6:7]
    k1v, k2v, k3v, k2a, k3a = b[7:8], b[8:9], b[9:10], b[10:11], b[11:12]
    _combine(y, q, v, 0.5 * h)
    _combine(k1v, v, a, 0.5 * h)
    _drive_torque(laws, drive, push, shape, y, k1v, u, left)
    _forward(s, w, c, t, phi, extra, y, k1v, rest, left, root, ZERO, k2a, ZERO, ONE)
    _combine(y, q, k1v, 0.5 * h)
    _combine(k2v, v, k2a, 0.5 * h)
    _drive_torque(laws, drive, push, shape, y, k2v, u, left)
    _forward(s, w, c, t, phi, extra, y, k2v, rest, left, root, ZERO, k3a, ZERO, ONE)
    _combine(y, q, k2v, h)
    _combine(k3v, v, k3a, h)
    _drive_torque(laws, drive, push, shape, y, k3v, u, left)
    _forward(s, w, c, t, phi, extra, y, k3v, rest, left, root, ZERO, z, ZERO, ONE)
    for j in range(U(b.shape[1])):
        q[ZERO, j] += h / 6.0 * (v[ZERO, j] + 2.0 * k1v[ZERO, j] + 2.0 * k2v[ZERO, j] + k3v[ZERO, j])
        v[ZERO, j] += h / 6.0 * (a[ZERO, j] + 2.0 * k2a[ZERO, j] + 2.0 * k3a[ZERO, j] + z[ZERO, j])


@_lanes.kernel
def _implicit_step(s, w, c, t, phi, extra, root, laws, drive, push, shape, u, h, b):
    """One step of ROS2: v += h (3 k1 + k2) / 2,  (I - g h A) k1 = F(v),  (I - g h A) k2 = F(v + h k1) - 2 k1.

    With A = -M^-1 D the second is (M + g h D) (k2 + 2 k1) = torque + 2 g h D k1.
    """
    n, half = U(b.shape[1]), 13 + b.shape[1]
    q, v, rest, y, z, left, a, ahead = b[0:1], b[1:2], b[2:3], b[3:4], b[4:5], b[5:6], b[6:7], b[7:8]
    sum_, damped = b[13:half], b[half:]
    _secant(laws, drive, push, shape, q, v, _GAMMA * h, extra, sum_, damped)
    _drive_torque(laws, drive, push, shape, q, v, u, left)
    _forward(s, w, c, t, phi, sum_, q, v, rest, left, root, ZERO, a, ZERO, ONE)
    _combine(y, q, v, h)
    _combine(ahead, v, a, h)
    _drive_torque(laws, drive, push, shape, y, ahead, u, left)
    for i in range(n):
        for j in range(n):
            left[ZERO, i] += 2.0 * damped[i, j] * a[ZERO, j]
    _forward(s, w, c, t, phi, sum_, y, ahead, rest, left, root, ZERO, z, ZERO, ONE)
    for j in range(n):
        q[ZERO, j] += h * (v[ZERO, j] + 0.5 * h * a[ZERO, j])
        v[ZERO, j] += 0.5 * h * (a[ZERO, j] + z[ZERO, j])  # 3 k1 + (k2 + 2 k1) - 2 k1


@_lanes.entry(
    *(OUT1, OUT1, IN2, TABLE2, IN2, IN2, IN2),  # scratch, work, constants, table, phi, extra, root
    *(TABLE2, IN2, IN2, IN2),  # laws, drive, push, shape of the friction columns
    *(IN3, IN3, IN3, IN2, IN1, IN2, IN2),  # kp, kd, ki, feed, limit, goals
    *(FLOAT, FLOAT, FLOAT, OUT2, OUT2),  # period, keep (negative: the velocity itself), longest step, memory, buffers
    *(OUT2, OUT2, OUT2, OUT2, OUT1, SIZE, SIZE),  # position, velocity, acceleration, torque; result; ticks
)
def run(s, w, c, t, phi, extra, root, laws, drive, push, shape, kp, kd, ki, feed, limit, goal_q, goal_v, period, keep, longest,
        memory, b, position, velocity, acceleration, torque, result, start, stop):  # fmt: skip
    """Ticks start..stop. memory (5, n): q, v, last reading, filtered velocity, integral. b (13 + 2 n, n): buffers.

    Accelerations jump with the torque; given is the mean of before and after, which belongs to the mean of both torques.
    result: [ticks that were done, all steps]; less than stop if the motion ran away or the mass matrix is not positive.

    >>> len(run.signature.args)  # of the compiled kernel; `closed_loop` fills them in
    30
    """
    n = U(memory.shape[1])
    q, v, rest, left, a, column = b[0:1], b[1:2], b[2:3], b[5:6], b[6:7], b[12]
    last, seen, total = memory[2], memory[3], memory[4]
    for j in range(n):
        q[ZERO, j], v[ZERO, j], rest[ZERO, j] = memory[0, j], memory[1, j], 0.0
    for k in range(start, stop):
        for j in range(n):
            if keep < 0.0:
                seen[j] = v[ZERO, j]
            elif k > ZERO:
                seen[j] = keep * seen[j] + (1.0 - keep) * (q[ZERO, j] - last[j]) / period
            last[j] = q[ZERO, j]
        _command(k, n, kp, kd, ki, feed, limit, q, seen, goal_q, goal_v, total, period, torque)
        u = torque[k]
        _drive_torque(laws, drive, push, shape, q, v, u, left)
        _forward(s, w, c, t, phi, extra, q, v, rest, left, root, ZERO, a, ZERO, ONE)
        wild = False
        for j in range(n):
            position[k, j], velocity[k, j], acceleration[k, j] = q[ZERO, j], v[ZERO, j], a[ZERO, j]
            if not (np.abs(v[ZERO, j]) < _RUNAWAY and np.abs(a[ZERO, j]) < 1e3 * _RUNAWAY):
                wild = True
        if wild:
            result[0] = k
            return
        _centre(k, n, w, torque, acceleration, column)
        steps, stiff = np.ceil(period / longest - 1e-9), False
        if laws.shape[0] > 0:
            needed = np.ceil(period * _decay(laws, drive, push, shape, q, v, a, period, w, column) / _STABLE)
            stiff = needed > max(_MOST, steps)
            steps = max(steps, _IMPLICIT if stiff else needed)
        h = period / steps
        result[1] += steps
        for step in range(int(steps)):
            if stiff:
                _implicit_step(s, w, c, t, phi, extra, root, laws, drive, push, shape, u, h, b)
                continue
            if step > 0:
                _drive_torque(laws, drive, push, shape, q, v, u, left)
                _forward(s, w, c, t, phi, extra, q, v, rest, left, root, ZERO, a, ZERO, ONE)
            _explicit_step(s, w, c, t, phi, extra, root, laws, drive, push, shape, u, h, b)
    for j in range(n):
        memory[0, j], memory[1, j] = q[ZERO, j], v[ZERO, j]
    result[0] = stop


def scratch(space, bodies, joints):
    """Scratch and work arrays of the forward dynamics for one sample.

    >>> from bifilar.dynamics.workspace import Workspace
    >>> tree = bf.Robot.load("pendulum").tree
    >>> [len(x) > 0 for x in scratch(Workspace.of(tree, 1), 2, 1)]
    [True, True]
    """
    rows = bodies * BODY_ROWS + 3 * (bodies - 1) + TEMPORARY_ROWS
    return space.buffer("large", rows), space.buffer("work", max(joints * (joints + 1), 1))

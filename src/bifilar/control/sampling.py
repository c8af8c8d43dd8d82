"""Whether a sampled loop is stable: the error dynamics from tick to tick, with the lag and the delay of the drives.

    B q'' = f - R q',   lag f' = u - f,   u held for a period, from `delay` after the reading on
    u[k] = -K q~[k] - D v~[k],     (q~, v~) = what the filter makes of the readings, or the state itself

One linear map takes (q, v, f, filter, last u) from one tick to the next; the loop is stable if no eigenvalue reaches one.
For computed torque B = 1, K = omega^2, D = 2 damping omega, joint by joint, as far as the model is right.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bifilar.control.friction_share import viscous_matrix
from bifilar.control.positive_mass import refuse_indefinite
from bifilar.dynamics import decompose
from bifilar.dynamics.tree import Array
from bifilar.errors import RobotError
from bifilar.filters.filtered_differences import LinearFilter
from bifilar.robot.model import Model
from bifilar.simulate.controller import Conditions

SETTLES = 1 - 1e-9  # largest eigenvalue that counts as stable
STANDS = 1 + 1e-6  # the same where nothing may hold a joint: without a spring it stays where it is
TRUE = LinearFilter(np.zeros((0, 0)), np.zeros(0), np.zeros((2, 0)), np.zeros(2))  # no filter: position and velocity are read


def error_map(stiffness: Array, damping: Array, mobility: Array, at: Conditions, rubbing: Array | float = 0.0) -> Array:
    """The map of (q, v, f, filter, last u) from one tick to the next, for gains and an inverse mass matrix (joints, joints).

    `rubbing`: viscous friction that the controller does not compensate (joints, joints).

    >>> at = Conditions(1e-3, 0.0, 0.0, None, *np.zeros((3, 1)))
    >>> error_map(np.eye(1) * 400, np.eye(1) * 40, np.eye(1), at).shape
    (3, 3)
    """
    from scipy.linalg import expm

    n = len(stiffness)
    zero, one = np.zeros((n, n)), np.eye(n)
    brake = -mobility @ (np.zeros((n, n)) + rubbing)
    if at.lag > 0:
        rate = np.block([[zero, one, zero], [zero, brake, mobility], [zero, zero, -one / at.lag]])
        push = np.vstack([zero, zero, one / at.lag])
    else:
        rate, push = np.block([[zero, one], [zero, brake]]), np.vstack([zero, mobility])
    size = len(rate)

    def flow(time: float) -> tuple[Array, Array]:
        both = expm(np.block([[rate, push], [np.zeros((n, size + n))]]) * time)
        return both[:size, :size], both[:size, size:]

    early, old = flow(at.delay)
    late, new = flow(at.period - at.delay)
    linear = getattr(at.velocity, "linear", None)  # a filter that is no matrix is taken as exact
    seen = TRUE if linear is None else linear(at.period)
    A, b, C, d = np.kron(seen.A, one), np.kron(seen.b[:, None], one), np.kron(seen.C, one), np.kron(seen.d[:, None], one)
    read = np.hstack([one, np.zeros((n, size - n))])  # position of the plant
    state = np.hstack([d @ read, C]) if linear is not None else np.eye(2 * n, size)
    gains = -np.hstack([stiffness, damping]) @ state  # u of (plant, filter)
    filters = len(A)
    moved = np.hstack([late @ early, np.zeros((size, filters)), late @ old]) + new @ np.hstack([gains, zero])
    kept = np.hstack([b @ read, A, np.zeros((filters, n))])
    return np.vstack([moved, kept, np.hstack([gains, zero])])


def growth(omega: float, damping: float, at: Conditions) -> float:
    """Largest eigenvalue of one joint under computed torque; the loop settles if it is below one.

    >>> growth(20.0, 1.0, Conditions(1e-3, 0.0, 0.0, None, *np.zeros((3, 1)))) < 1 < growth(
    ...     3000.0, 1.0, Conditions(1e-3, 0.0, 0.0, None, *np.zeros((3, 1))))
    True
    """
    one = np.ones((1, 1))
    return _largest(error_map(one * omega**2, one * 2 * damping * omega, one, at))


def largest_stable_omega(damping: float, at: Conditions) -> float:
    """[rad/s] below which every loop settles; found by doubling and halving.

    >>> round(largest_stable_omega(1.0, Conditions(1e-3, 0.0, 0.0, None, *np.zeros((3, 1)))))
    1000
    """
    return largest_stable(lambda omega: growth(omega, damping, at), 0.01 / at.period)


def largest_stable(growth_at: Callable[[float], float], start: float, limit: float = SETTLES) -> float:
    """The first value at which a loop no longer settles, from below.

    >>> round(largest_stable(lambda x: x / 7, 1.0), 6)
    7.0
    """
    low = start
    while low > 1e-9 * start and growth_at(low) >= limit:
        low /= 2
    high = low * 1.1
    while high < 1e6 * start and growth_at(high) < limit:
        low, high = high, high * 1.1
    for _ in range(40):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if growth_at(middle) < limit else (low, middle)
    return low


def refuse_unstable_omega(omega: Array, damping: float, joint_names: tuple[str, ...], at: Conditions) -> None:
    """Raise if a joint's error dynamics would not settle at this period, lag and delay.

    >>> refuse_unstable_omega(np.full(1, 20.0), 1.0, ("joint1",), Conditions(1e-3, 0.005, 0.0, None, *np.zeros((3, 1))))
    """
    worst = int(np.argmax(omega))
    if growth(float(omega[worst]), damping, at) < SETTLES:
        return
    most = largest_stable_omega(damping, at)
    raise RobotError(
        "loop.unstable/sampling",
        omega=omega[worst],
        joint_name=joint_names[worst],
        period=at.period * 1000.0,
        down=_down(most),
        **loop_facts(at),
    )


def refuse_unstable_gains(stiffness: Array, damping: Array, model: Model, at: Conditions, *, left: float = 0.0) -> None:
    """Raise if springs and dampers (joints, joints) on the arm would not settle, at the pose where the motion begins.

    `left`: share of the model's viscous friction that is not compensated; Coulomb friction, which quiets a loop that hardly
    moves, does not count.

    >>> at = Conditions(1e-3, 0.005, 0.0, None, np.zeros(1), np.zeros(1), np.ones(1))
    >>> refuse_unstable_gains(np.eye(1) * 40.0, np.eye(1) * 4.0, bf.Robot.load("pendulum"), at)
    """
    mass = model.mass_matrix(at.position)
    if decompose.eigvalsh(mass)[0] <= 0:
        refuse_indefinite(model, at.lower, at.upper, near=at.position)
    mobility, rubbing = np.asarray(np.linalg.inv(mass)), left * viscous_matrix(model, at.position)

    def growth_at(share: float) -> float:
        return _largest(error_map(stiffness * share**2, damping * share, mobility, at, rubbing))

    if growth_at(1.0) < STANDS:
        return
    most = largest_stable(growth_at, 1e-3, STANDS)
    raise RobotError(
        "loop.unstable/refuse_unstable_gains",
        where=f"at the pose {np.array2string(at.position, precision=3)}, where the motion begins",
        period=at.period * 1000.0,
        down=_down(most**2),
        down_2=_down(most),
        **loop_facts(at),
    )


def loop_facts(at: Conditions) -> dict[str, str]:
    """What the loop suffers from, in words.

    >>> loop_facts(Conditions(1e-3, 0.005, 0.0, None, *np.zeros((3, 1))))
    {'drives': 'lag 5 ms, delay 0 ms', 'velocity': 'true'}
    """
    source = "true" if at.velocity is None else type(at.velocity).__name__
    if at.velocity is not None and not hasattr(at.velocity, "linear"):
        source += ", taken as exact"
    return {"drives": f"lag {at.lag * 1e3:g} ms, delay {at.delay * 1e3:g} ms", "velocity": source}


def _largest(matrix: Array) -> float:
    return float(np.abs(np.linalg.eigvals(matrix)).max())


def _down(value: float) -> float:
    """Three digits, never rounded up."""
    size = 10.0 ** (np.floor(np.log10(value)) - 2) if value > 0 else 1.0
    return float(np.floor(value / size) * size)

"""A controller that makes a walker walk: virtual constraints, reached in finite time, by feedback linearisation.

    w = H t - wanted = 0                                     as many constraints as motors; one degree of freedom is left
    w'' = v,   v = (-sign(y) |y|^a - sign(f) |f|^(a / (2 - a))) / eps^2,   f = w + sign(y) |y|^(2 - a) / (2 - a),   y = eps w'

(Bhat and Bernstein 1998; Grizzle, Abba and Plestan 2001.) With a = 1 it is linear and critically damped. `printed` is the law
as it stands in Dolinsky 2017, (4.69) and (4.70): 1/eps, exponent a/2 - a, factor 1/2 - a. The walker falls with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.errors import RobotError, ShapeError
from bifilar.walking.phases import Phases
from bifilar.walking.planar import Planar


@dataclass(frozen=True)
class Law:
    """v of w and its rate, as six numbers.

    >>> finite_time().v(0.0, 0.0)
    0.0
    """

    eps: float
    scale: float
    rate_exponent: float
    exponent: float
    factor: float
    inner_exponent: float

    @property
    def numbers(self) -> Array:
        """As kernels take them.

        >>> finite_time(eps=0.1).numbers[1].round(6)
        np.float64(100.0)
        """
        return np.array([self.eps, self.scale, self.rate_exponent, self.exponent, self.factor, self.inner_exponent])

    def v(self, w: float, rate: float) -> float:
        """The acceleration it asks for.

        >>> finite_time(eps=1.0, alpha=1.0).v(1.0, 0.0)
        -1.0
        """
        y = self.eps * rate
        f = w + self.factor * np.sign(y) * abs(y) ** self.inner_exponent
        inner = np.sign(f) * abs(f) ** self.exponent if f != 0 else 0.0
        return float(self.scale * (-np.sign(y) * abs(y) ** self.rate_exponent - inner)) + 0.0


def finite_time(eps: float = 0.1, alpha: float = 0.9) -> Law:
    """The law above.

    >>> finite_time(alpha=2.0)
    Traceback (most recent call last):
    ...
    bifilar.errors.ShapeError: eps 0.1 and alpha 2 make no law
      try     eps > 0 [s], 0 < alpha <= 1
    """
    if not (eps > 0 and 0 < alpha <= 1):
        raise ShapeError("gait.law", eps=eps, alpha=alpha)
    return Law(eps, 1 / eps**2, alpha, alpha / (2 - alpha), 1 / (2 - alpha), 2 - alpha)


def printed(eps: float = 0.1, alpha: float = 0.9) -> Law:
    """The law as printed; kept to show that it does not work.

    >>> printed().scale
    10.0
    """
    return Law(eps, 1 / eps, alpha, alpha / 2 - alpha, 0.5 - alpha, 2 - alpha)


@dataclass(frozen=True, eq=False)
class Feedback:
    """Constraints and a law for a walker; called with a time, a state of the links and a foot, it gives the joints' torques.

    >>> from bifilar.walking.walker import Walker
    >>> feedback = upright(Phases.of(Walker.load("walker3")))
    >>> feedback(0.0, np.array([-0.39, 0.52, 0.39, 1.6, 0.0, -1.6]), 0).shape
    (2,)
    """

    phases: Phases  # the model the controller believes in
    matrix: Array  # (m, n) H, for the links from the standing foot outwards
    wanted: Array  # (m,)
    law: Law
    limit: float = np.inf  # [N m] of every motor

    def __post_init__(self) -> None:
        h, w, n = np.ascontiguousarray(self.matrix, dtype=float), np.array(self.wanted, dtype=float), len(self.phases)
        if h.shape != (n - 1, n) or w.shape != (n - 1,):
            raise ShapeError("gait.constraints_shape", shape=h.shape, shape_2=w.shape, n=n - 1, n_2=n)
        if abs(np.linalg.det(np.vstack([h, np.eye(n)[:1]]))) < 1e-9:
            raise RobotError("gait.constraints")
        object.__setattr__(self, "matrix", h)
        object.__setattr__(self, "wanted", w)

    def __call__(self, time: float, state: Array, stance: int) -> Array:
        """Torques of the joints in the robot's order."""
        from bifilar.walking.kernels import loop

        planar = self.phases.planar[stance]
        u = np.empty(len(planar))
        x = np.ascontiguousarray(state, dtype=float)
        loop.torque(*planar._head, self.matrix, self.wanted, self.law.numbers, self.limit, x, room(planar), u)
        return u[list(self.phases.encoder_rows[stance])]

    @property
    def arguments(self) -> tuple[Array, Array, Array, float]:
        """As kernels take them.

        >>> from bifilar.walking.walker import Walker
        >>> len(upright(Phases.of(Walker.load("walker3"))).arguments)
        4
        """
        return self.matrix, self.wanted, self.law.numbers, float(self.limit)

    def on_constraints(self, angle: float, rate: float) -> Array:
        """The state that keeps all constraints with the stance link at an angle [rad] and a rate [rad/s].

        >>> from bifilar.walking.walker import Walker
        >>> upright(Phases.of(Walker.load("walker3"))).on_constraints(0.39, 2.0).round(3) + 0.0
        array([ 0.39 ,  0.524, -0.39 ,  2.   ,  0.   , -2.   ])
        """
        n = len(self.phases)
        system = np.vstack([self.matrix, np.eye(n)[:1]])
        angles = np.linalg.solve(system, np.array([*self.wanted, angle]))
        rates = np.linalg.solve(system, np.array([*np.zeros(n - 1), rate]))
        return np.concatenate([angles, rates])


def upright(phases: Phases, *, torso: float = np.pi / 6, law: Law | None = None, limit: float = np.inf) -> Feedback:
    """The torso held at an angle [rad], the swing leg the mirror image of the stance leg, knees kept straight.

    >>> from bifilar.walking.walker import Walker
    >>> upright(Phases.of(Walker.load("walker3"))).matrix
    array([[0., 1., 0.],
           [1., 0., 1.]])
    """
    n = len(phases)
    if n % 2 == 0:
        raise RobotError("gait.not_biped", n=n)
    middle, rows, wanted = n // 2, [], []
    rows.append(np.eye(n)[middle])
    wanted.append(torso)
    for k in range(1, middle):  # the links of the stance leg turn together
        rows.append(np.eye(n)[k] - np.eye(n)[0])
        wanted.append(0.0)
    for k in range(middle):  # every link of the other leg mirrors its own
        rows.append(np.eye(n)[k] + np.eye(n)[n - 1 - k])
        wanted.append(0.0)
    return Feedback(phases, np.array(rows), np.array(wanted), law or finite_time(), limit)


def held(phases: Phases, constraints: Sequence[Sequence[float]], wanted: Sequence[float], law: Law | None = None) -> Feedback:
    """Any constraints, row by row.

    >>> from bifilar.walking.walker import Walker
    >>> held(Phases.of(Walker.load("walker3")), [[0, 1, 0], [1, 0, 1]], [0.5, 0.0]).wanted
    array([0.5, 0. ])
    """
    return Feedback(phases, np.array(constraints, dtype=float), np.array(wanted, dtype=float), law or finite_time())


def room(planar: Planar) -> Array:
    """Scratch for the kernels of the loop.

    >>> from bifilar.walking.walker import Walker
    >>> room(Walker.load("walker3").planar()).ndim
    1
    """
    n = len(planar)
    return np.empty(4 * n * n + 24 * n)

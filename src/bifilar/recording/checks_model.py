"""The recording beside the description: per joint, how well does the model's torque explain the measured one?

    torque_i = s_i model_i(q, v, a) + viscous v_i + coulomb sign(v_i) + rotor a_i + offset + e_i

s_i is 1 for a good description in the right unit, -1 for a wrong sign, 1000 for mN m; e_i / (spread of torque_i) is what is
`left`. Friction and rotor are never in doubt: almost no description states them. A joint *speaks* if the model explains three
quarters of what friction leaves (left halves): only such joints may accuse. Real arms with the vendor's description leave
5 to 25 % and have s between 0.6 and 2; nothing finer than that is concluded here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics import decompose
from bifilar.dynamics.tree import Array
from bifilar.recording.checks_view import View
from bifilar.robot.robot import Robot

SPEAKS = 0.5  # left with the model over left without it
WIDTH = 0.03  # of the sign of speed, in root-mean-square speeds
FLOOR = 0.01  # of `left`: a perfect fit is no better evidence than a very good one


@dataclass(frozen=True, eq=False)
class Comparison:
    """What the model says about each joint's torque; arrays of (joints,).

    >>> robot = bf.Robot.load("two_link")
    >>> q = np.sin(np.arange(600)[:, None] / [40, 25])
    >>> v, a = np.gradient(q, 0.01, axis=0), np.gradient(np.gradient(q, 0.01, axis=0), 0.01, axis=0)
    >>> recording = bf.Recording(joint_names=robot.joint_names, time=np.arange(600) / 100, position=q,
    ...                          torque=-robot.inverse_dynamics(q, v, a))
    >>> Comparison.of(View.of(recording, robot)).scale.round(1)
    array([-1., -1.])
    """

    scale: Array  # s
    left: Array  # with the model, scaled to fit
    left_without: Array  # with friction, rotor and offset only
    gravity: Array  # (M, joints) the model's
    inertial: Array  # (M, joints) the model's, all but gravity
    dissipation: Array  # mean power of fitted friction over the mean of its size: -1 .. 1
    friction_share: Array  # of what the model leaves, how much friction explains: 0 .. 1
    speaks: NDArray[np.bool_]

    @classmethod
    def of(cls, view: View) -> Comparison | None:
        """Of a view with a robot and torques; None otherwise.

        >>> still = np.zeros((100, 1))
        >>> Comparison.of(View.of(bf.Recording(joint_names=("a",), time=np.arange(100), position=still, torque=still))) is None
        True
        """
        if view.robot is None or view.torque is None:
            return None
        gravity, inertial = parts(view.robot, view.position, view.velocity, view.acceleration)
        n = len(view.joint_names)
        found = np.zeros((5, n))
        for i in range(n):
            found[:, i] = _joint(view, i, gravity[:, i] + inertial[:, i])
        scale, left, without, power, share = found
        speaks = (left < SPEAKS * without) & view.moves & (view.torque.std(axis=0) > 0)
        return cls(scale, left, without, gravity, inertial, power, share, speaks)


def parts(robot: Robot, q: Array, v: Array, a: Array) -> tuple[Array, Array]:
    """Gravity torque, and the rest of the rigid-body torque.

    >>> robot = bf.Robot.load("pendulum")
    >>> parts(robot, np.zeros((1, 1)), np.zeros((1, 1)), np.zeros((1, 1)))[1]
    array([[0.]])
    """
    rigid = robot.with_friction(None) if len(robot.drive_values) else robot
    gravity = rigid.gravity_torque(q)
    return gravity, rigid.inverse_dynamics(q, v, a) - gravity


def drive(v: Array, a: Array) -> Array:
    """Columns of one joint's friction, rotor and offset, (M, 4).

    >>> drive(np.ones(3), np.zeros(3)).shape
    (3, 4)
    """
    width = WIDTH * float(np.sqrt(np.mean(v**2))) or 1.0
    return np.column_stack([v, np.tanh(v / width), a, np.ones(len(v))])


def fit(columns: Array, target: Array) -> tuple[Array, float]:
    """Least squares: coefficients, and the share of the target's spread that is left.

    >>> fit(np.ones((4, 1)), np.array([1.0, 1.0, 3.0, 3.0]))
    (array([2.]), 1.0)
    """
    norms = np.linalg.norm(columns, axis=0)
    norms = np.where(norms > 0, norms, 1.0)
    solution = decompose.lstsq(columns / norms, target, rcond=1e-10)[0]
    spread = float(target.std()) or 1.0
    return solution / norms, float(np.sqrt(np.mean((target - columns / norms @ solution) ** 2))) / spread


def likelihood(view: View, torque: Array, model: Array) -> float:
    """How well a hypothesis explains all joints: mean of -log(left) with the better of the two global signs.

    A model that would have to be turned round for one joint alone counts as no model for it.

    >>> q = np.sin(np.arange(300) / 30)[:, None]
    >>> view = View.of(bf.Recording(joint_names=("a",), time=np.arange(300) / 100, position=q, torque=q**2))
    >>> likelihood(view, view.torque, view.torque) > likelihood(view, view.torque, 0 * view.torque)
    True
    """
    total = np.zeros(2)
    for i in np.flatnonzero(view.moves):
        friction = drive(view.velocity[:, i], view.acceleration[:, i])
        values, left = fit(np.column_stack([model[:, i], friction]), torque[:, i])
        alone = fit(friction, torque[:, i])[1]
        right = (left, alone) if values[0] > 0 else (alone, left)
        total += [-np.log(max(x, FLOOR)) for x in right]
    return float(total.max()) / max(1, int(view.moves.sum()))


def _joint(view: View, i: int, model: Array) -> tuple[float, float, float, float, float]:
    assert view.torque is not None
    v, tau = view.velocity[:, i], view.torque[:, i]
    friction = drive(v, view.acceleration[:, i])
    values, left = fit(np.column_stack([model, friction]), tau)
    without = fit(friction, tau)[1]
    plain = fit(np.column_stack([model, friction[:, 2:]]), tau)[1]
    force = friction[:, :2] @ values[1:3]
    size = float(np.abs(force * v).mean())
    power = float((force * v).mean()) / size if size else 0.0
    return float(values[0]), left, without, power, 1.0 - (left / plain) ** 2 if plain else 0.0

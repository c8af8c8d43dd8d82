"""What a loop asks of a controller: one method, whatever stands behind it.

    torque = controller.torque(state, reference, time)        once per period, in order; held by the drives until the next

`State` is what is known of the joints, `Goal` where they should be. Everything is per joint, in the robot's order. A controller
that has `check(conditions)` is asked once before the loop begins, and raises if it cannot work so.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol, runtime_checkable

from bifilar.dynamics.tree import Array


class State(NamedTuple):
    """Where the joints are and how fast they move, as far as the controller can know.

    >>> State(np.zeros(2), np.ones(2)).velocity
    array([1., 1.])
    """

    position: Array  # (joints,) [rad] or [m]
    velocity: Array  # (joints,)
    wrench: Array | None = None  # (6,) [N], [N m] of the world on the tool, axes of the world; None: not measured


class Goal(NamedTuple):
    """Where the joints should be at one instant.

    >>> Goal(np.zeros(1), np.zeros(1), np.ones(1)).acceleration
    array([1.])
    """

    position: Array  # (joints,) [rad] or [m]
    velocity: Array  # (joints,)
    acceleration: Array  # (joints,)


class Conditions(NamedTuple):
    """How a loop samples, and where; a controller with a method `check(conditions)` may refuse it before anything moves.

    >>> Conditions(1e-3, 0.0, 0.0, None, *np.zeros((3, 1))).period
    0.001
    """

    period: float  # [s] of the controller
    lag: float  # [s] of the drives' torque
    delay: float  # [s] from a reading to its command
    velocity: Any  # the filter that makes velocities from encoders; None: the true state is read
    position: Array  # (joints,) where the motion begins
    lower: Array  # (joints,) limits of the joints
    upper: Array


@runtime_checkable
class Controller(Protocol):
    """Anything that makes a torque of a state and a goal.

    >>> isinstance(bf.GravityPD(bf.Robot.load("pendulum"), kp=10.0, kd=1.0), Controller)
    True
    """

    def torque(self, state: State, reference: Goal, time: float) -> Array:
        """Torque of every joint [N m] from now on; `time` [s] is the loop's clock.

        >>> still = Goal(*np.zeros((3, 1)))
        >>> bf.GravityPD(bf.Robot.load("pendulum"), kp=10.0, kd=1.0).torque(State(np.zeros(1), np.ones(1)), still, 0.0)
        array([-1.])
        """
        ...

"""Any controller behind the limits that gravity compensation has: torque and its rate stay inside, whatever it does.

A controller that raises or sends something that is no torque is treated as a command that cannot be trusted (safety.py).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bifilar.control.safety import Guarded, Safety, SafetySettings
from bifilar.dynamics.tree import Array
from bifilar.simulate.controller import Controller, Goal, State


class SafeController:
    """One per run; `torque` never raises, `last` says what was done to the command and why.

    >>> robot = bf.Robot.load("panda")
    >>> law = bf.SafeController(bf.ComputedTorque(robot, omega=20.0), bf.SafetySettings.of(robot, fade_in=0.0))
    >>> q, still = np.array([0.0, 0.3, 0.0, -1.5, 0.0, 1.5, 0.0]), np.zeros(7)
    >>> sent = [law.torque(bf.State(q, still), bf.Goal(q, still, still), k / 1000) for k in range(1000)]
    >>> bool(np.allclose(sent[-1], robot.gravity_torque(q))), law.last.state
    (True, 'ok')
    """

    def __init__(self, controller: Controller, safety: SafetySettings, *, start: ArrayLike | None = None) -> None:
        """`start` [N m]: what the drives give when it takes over, such as what holds the arm; nothing if left out."""
        self.controller, self._safety = controller, Safety(safety, start)
        self._nothing = np.full(len(safety.torque), np.nan)
        self.last = Guarded(np.zeros(len(safety.torque)), "holding")

    def torque(self, state: State, reference: Goal, time: float) -> Array:
        """What may be sent now.

        >>> robot = bf.Robot.load("panda")
        >>> law = bf.SafeController(bf.ComputedTorque(robot, omega=20.0), bf.SafetySettings.of(robot))
        >>> lost, still = np.full(7, np.nan), np.zeros(7)
        >>> law.torque(bf.State(lost, still), bf.Goal(still, still, still), 0.0).any(), law.last.state
        (np.False_, 'holding')
        """
        self.last = self._safety.step(self._wanted(state, reference, time), state.position, state.velocity, time)
        return self.last.torque

    def _wanted(self, state: State, reference: Goal, time: float) -> Array:
        try:
            if not (np.isfinite(state.position).all() and np.isfinite(state.velocity).all()):
                return self._nothing  # a controller that remembers must not remember this
            with np.errstate(all="ignore"):
                return self.controller.torque(state, reference, time)
        except Exception:  # whatever a state does to the controller, the arm must not feel it
            return self._nothing

    def __getattr__(self, name: str) -> Any:  # whatever else is asked of the controller, such as check
        if "controller" not in self.__dict__:  # a copy that is being made
            raise AttributeError(name)
        return getattr(self.controller, name)

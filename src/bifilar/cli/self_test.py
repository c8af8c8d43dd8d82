"""A second's proof that the equations work here: the built-in Panda, two identities that hold for any state.

Y(q, v, a) phi = inverse_dynamics(q, v, a)          in the engine in use
numba engine   = NumPy engine                       where both can run
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

TOLERANCE = 1e-9  # relative to the largest torque; rounding is some 1e-15


@dataclass(frozen=True)
class Check:
    """One identity, the largest difference relative to the largest torque, and whether that is rounding.

    >>> Check("Y phi = torque", 1e-15).passed
    True
    """

    name: str
    error: float

    @property
    def passed(self) -> bool:
        """Whether the difference is rounding; not a number is a failure.

        >>> Check("Y phi = torque", float("nan")).passed
        False
        """
        return bool(self.error < TOLERANCE)


def self_test(samples: int = 200) -> list[Check]:
    """Both identities, on blocks of samples and on a single one.

    >>> all(check.passed for check in self_test())
    True
    """
    from bifilar.dynamics import engine
    from bifilar.robot.robot import Robot

    robot = Robot.load("panda")
    state = np.random.default_rng(1).uniform(-2.0, 2.0, (3, samples, len(robot.joint_names)))
    phi = robot.parameters().values
    torque = robot.inverse_dynamics(*state)
    one = robot.inverse_dynamics(*state[:, 0])
    checks = [
        Check("regressor times parameters is the torque", _difference(robot.regressor(*state) @ phi, torque)),
        Check("a sample alone gives what it gives in a block", _difference(one, torque[0])),
    ]
    if len(engine.available()) > 1:
        both = [_torque(engine.load(name), robot, state) for name in engine.available()]
        checks.append(Check("compiled engine gives what NumPy gives", _difference(*both)))
    return checks


def _torque(module: Any, robot: Any, state: np.ndarray) -> np.ndarray:
    root = np.concatenate([np.zeros(6), -robot.gravity])[None]
    return module.inverse_dynamics(robot.tree, robot.body_parameters, *np.ascontiguousarray(state), root)[:, 6:]


def _difference(one: np.ndarray, other: np.ndarray) -> float:
    return float(np.max(np.abs(one - other)) / np.max(np.abs(other)))

"""A model that is wrong by a stated amount: what a controller believes beside what the machine is.

    ten numbers of link i  ->  (1 + error z_i) times them,        z_i drawn from a normal distribution, cut at three

A link stays a body that can exist. The same seed gives the same model.
"""

from __future__ import annotations

import numpy as np

from bifilar.errors import RobotError
from bifilar.robot.robot import Robot

FARTHEST = 3.0  # deviations


def wrong_by(robot: Robot, error: float, *, seed: int = 0) -> Robot:
    """The robot with masses, first moments and inertias of every link off by `error` (a share, one deviation).

    >>> robot = bf.Robot.load("two_link")
    >>> bf.wrong_by(robot, 0.0).body_parameters.tolist() == robot.body_parameters.tolist()
    True
    >>> (bf.wrong_by(robot, 0.05, seed=1).body_parameters[1:, 0] / robot.body_parameters[1:, 0]).round(3)
    array([1.017, 1.041])
    """
    if not 0 <= error < 1 / FARTHEST:
        raise RobotError("setting.wrong/model_error", error=error, farthest=1 / FARTHEST)
    z = np.clip(np.random.default_rng(seed).normal(size=(len(robot.body_names) - 1, 1)), -FARTHEST, FARTHEST)
    bodies = np.array(robot.body_parameters)
    bodies[1:] *= 1 + error * z
    return robot.with_body_parameters(bodies)

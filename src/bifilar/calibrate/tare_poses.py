"""Poses that tell a wrist sensor's load from its bias: chosen one by one for what they add to the information (D-optimal)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bifilar.calibrate.wrist_model import TURNED, jacobian
from bifilar.calibrate.wrist_model import spread as turned
from bifilar.calibrate.wrist_sensor import LEAST_POSES
from bifilar.dynamics.tree import Array
from bifilar.errors import MotionError
from bifilar.robot.robot import Robot

TRIED = 500


class TarePoses(NamedTuple):
    """Poses, and the deviations that a calibration from them will have.

    >>> bf.propose_tare_poses(bf.Robot.load("panda"), count=8).position.shape
    (8, 7)
    """

    position: Array  # (poses, joints)
    rotation: Array  # (poses, 3, 3) base_from_sensor
    mass_deviation: Array  # (poses,) [kg] after so many poses; infinite as long as they do not suffice
    suffice: int  # poses from which on the load can be told from the bias


def propose_tare_poses(
    robot: Robot,
    link: str | None = None,
    *,
    count: int = 10,
    mass: float = 1.0,
    noise: tuple[float, float] = (0.1, 0.005),
    margin: float = 0.1,
    seed: int = 0,
) -> TarePoses:
    """Poses inside the joint limits, in the order in which to take them, for a sensor at `link` (the last one if left out).

    `mass` [kg] is a guess of the load, `noise` that of a force [N] and of a moment [N m].

    >>> poses = bf.propose_tare_poses(bf.Robot.load("ur10e"))
    >>> poses.suffice <= 4, bool(poses.mass_deviation[-1] < 0.02)
    (True, True)
    """
    if count < 4:
        raise MotionError("poses.too_few/tare_poses", count=count)
    lower, upper = np.maximum(robot.limits.lower, -np.pi) + margin, np.minimum(robot.limits.upper, np.pi) - margin
    q = np.random.default_rng(seed).uniform(lower, np.maximum(upper, lower), (TRIED, len(lower)))
    frame = robot.frame_names[-1] if link is None else link
    R = robot.pose(frame, q)[0]
    g = robot.gravity
    if not np.any(g):
        raise MotionError("gravity.none/tare_poses")
    along = g / np.linalg.norm(g)
    x = np.concatenate([mass * g, np.zeros(3), [0.0, 0.0, 0.05], np.zeros(3)])
    rows = jacobian(x, R) / np.repeat(noise, 3)[None, :, None]
    rows[:, :, 6:9] *= 0.1  # centres are known to a decimetre anyway: units for the determinant
    information = 1e-6 * np.eye(12)
    taken: list[int] = []
    spread: list[float] = []
    for _ in range(count):
        inverse = np.linalg.inv(information)
        gain = np.linalg.slogdet(np.eye(6) + rows @ inverse @ np.swapaxes(rows, 1, 2))[1]
        gain[taken] = -np.inf
        best = int(np.argmax(gain))
        taken.append(best)
        information = information + rows[best].T @ rows[best]
        spread.append(float(np.sqrt(along @ np.linalg.inv(information)[:3, :3] @ along) / np.linalg.norm(g)))
    enough = np.array([k >= LEAST_POSES and turned(R[taken[:k]], along) >= TURNED for k in range(1, count + 1)])
    if not enough[-1]:
        raise MotionError("poses.too_few/propose_tare_poses", count=count)
    return TarePoses(q[taken], R[taken], np.where(enough, np.array(spread), np.inf), int(np.argmax(enough)) + 1)

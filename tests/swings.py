"""A short log of any built-in robot, two sines per joint, for tests that need one to read."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import bifilar as bf


def swing(path: str | Path, seed: int, robot: str = "pendulum", seconds: float = 8.0) -> None:
    """Write it, with a little noise in the torque."""
    described = bf.Robot.load(robot)
    time, rng = np.arange(0, seconds, 0.01), np.random.default_rng(seed)
    rate = rng.uniform(2, 4, len(described.joint_names))
    turns = np.outer(time, rate)
    q, v, a = np.sin(turns) + 0.4 * np.sin(2.3 * turns), np.cos(turns) * rate, -np.sin(turns) * rate**2
    v, a = v + 0.92 * rate * np.cos(2.3 * turns), a - 2.116 * rate**2 * np.sin(2.3 * turns)
    torque = described.inverse_dynamics(q, v, a) + 0.01 * rng.normal(size=q.shape)
    bf.Recording(joint_names=described.joint_names, time=time, position=q, torque=torque).save(path)

"""A real recording, from its stamps to a prediction of motion that was not fitted: a Panda arm, Gaz et al. 2019.

Scored as its collection says: torque filtered at 8 Hz, first 70 % fitted, last 30 % predicted; plain weighted least squares
with viscous and Coulomb friction and offsets reaches 1.44 % there.
"""

from __future__ import annotations

import numpy as np
import pytest

import bifilar as bf

signal = pytest.importorskip("scipy.signal")
RATE, CUT = 1000.0, 8.0  # [Hz]


def filtered(x):
    return signal.sosfiltfilt(signal.butter(4, CUT, fs=RATE, output="sos"), x, axis=0)


def recorded(folder):
    """On an even clock made from the recorded stamps."""
    read = {name: np.loadtxt(folder / f"exciting_traj_{name}.txt") for name in ("time", "positions", "torques")}
    stamps = read["time"] - read["time"][0]
    time = np.arange(0, stamps[-1], 1 / RATE)
    position, torque = (
        np.stack([np.interp(time, stamps, column) for column in read[name].reshape(-1, 7).T], axis=1)
        for name in ("positions", "torques")
    )
    return position, torque


def test_unseen_motion_is_predicted(dataset):
    position, torque = recorded(dataset("panda_gaz"))
    q = filtered(position)
    v = np.gradient(q, 1 / RATE, axis=0)
    a = np.gradient(v, 1 / RATE, axis=0)
    tau, inner = filtered(torque), slice(200, len(q) - 200)
    q, v, a, tau, raw = (x[inner] for x in (q, v, a, tau, torque))
    cut = int(0.7 * len(q))

    robot = bf.Robot.load("panda").with_friction(bf.Viscous() + bf.Coulomb() + bf.Offset())
    base = bf.base_parameters(robot)
    answer = bf.solve(bf.reduce(robot, (q[:cut], v[:cut], a[:cut], tau[:cut]), columns=base))
    model = base.model(robot, answer)
    predicted = model.inverse_dynamics(q[cut:], v[cut:], a[cut:])

    def error(measured):
        return np.linalg.norm(predicted - measured) / np.linalg.norm(measured)

    description = np.linalg.norm(robot.inverse_dynamics(q[cut:], v[cut:], a[cut:]) - tau[cut:]) / np.linalg.norm(tau[cut:])
    assert len(base) == 64
    assert error(tau[cut:]) < 0.0155 and error(raw[cut:]) < 0.031
    assert error(tau[cut:]) < 0.5 * description

"""Sensors that are no encoders in the errors-in-variables likelihood: derivatives, and a pendulum that no encoder sees."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import bifilar as bf
from bifilar.dynamics.tree import Array
from bifilar.estimate.banded import minimise
from bifilar.estimate.readings import Readings, Sensed
from bifilar.estimate.true_motion import Piece, TrueMotion

G, RATE = 9.81, 100.0


@dataclass(frozen=True)
class Inertial:
    """Gyroscope and two-axis accelerometer on a pendulum's rod, `arm` from its axis; angle from hanging."""

    arm: float = 0.3

    def sensed(self, position: Array, velocity: Array, acceleration: Array) -> Sensed:
        q, v, a = position[:, 0], velocity[:, 0], acceleration[:, 0]
        nothing = np.zeros_like(q)
        value = np.stack([v, self.arm * a + G * np.sin(q), self.arm * v**2 + G * np.cos(q)], axis=1)
        by_q = np.stack([nothing, G * np.cos(q), -G * np.sin(q)], axis=1)
        by_v = np.stack([nothing + 1, nothing, 2 * self.arm * v], axis=1)
        by_a = np.stack([nothing, nothing + self.arm, nothing], axis=1)
        return Sensed(value, by_q[..., None], by_v[..., None], by_a[..., None])


def swing(count: int) -> tuple[Array, Array, Array]:
    """A motion and its exact derivatives."""
    t = np.arange(count)[:, None] / RATE
    return (
        np.sin(3 * t) + 0.5 * np.sin(5 * t),
        3 * np.cos(3 * t) + 2.5 * np.cos(5 * t),
        -9 * np.sin(3 * t) - 12.5 * np.sin(5 * t),
    )


def unseen(count: int, noise: float, seed: int = 0) -> tuple[TrueMotion, Array, Array]:
    """A pendulum without an encoder; its likelihood, its motion and its base parameters."""
    rng, robot = np.random.default_rng(seed), bf.Robot.load("pendulum")
    q, v, a = swing(count)
    base = bf.base_parameters(robot)
    torque = robot.inverse_dynamics(q, v, a) + noise * rng.normal(size=q.shape)
    readings = Inertial().sensed(q, v, a).value
    readings = readings + noise * rng.normal(size=readings.shape)
    readings[3] = np.nan
    piece = Piece(np.zeros_like(q), torque, 1 / RATE)
    sensors = (Readings(Inertial(), (readings,), np.full(3, max(noise, 1e-3))),)
    hidden, torques = np.full(1, np.inf), np.full(1, max(noise, 1e-3))
    truth = base.from_full(robot.parameters())
    return TrueMotion(robot, base, (piece,), hidden, torques, 2, sensors), q.ravel(), truth


def test_gradient_of_the_cost_is_its_slope() -> None:
    likelihood, q, truth = unseen(40, 0.01)
    rng = np.random.default_rng(1)
    x, theta = q + 0.1 * rng.normal(size=q.shape), truth * 1.1
    system = likelihood.system()
    likelihood.fill(x, theta, system)
    slope_x, slope_theta = 2 * system.side[:, -1].copy(), 2 * system.corner[:-1, -1].copy()

    def cost(x: Array, theta: Array) -> float:
        system.clear()
        likelihood.fill(x, theta, system)
        return system.cost

    along_x, along_theta = rng.normal(size=x.shape), truth * rng.normal(size=truth.shape)
    h = 1e-5
    by_x = (cost(x + h * along_x, theta) - cost(x - h * along_x, theta)) / (2 * h)
    by_theta = (cost(x, theta + h * along_theta) - cost(x, theta - h * along_theta)) / (2 * h)
    np.testing.assert_allclose([slope_x @ along_x, slope_theta @ along_theta], [by_x, by_theta], rtol=1e-6)


def test_a_joint_without_encoder_is_found_by_an_inertial_sensor() -> None:
    likelihood, q, truth = unseen(400, 0.02)
    system = likelihood.system()
    found = minimise(likelihood.fill, 0.8 * q + 0.1, truth * 0.5, system)
    assert found.converged
    deviation = np.sqrt(np.diag(np.linalg.inv(system.schur)))
    assert np.all(np.abs(found.theta - truth) < 4 * deviation)
    assert np.sqrt(np.mean((found.x - q)[5:-5] ** 2)) < 0.005

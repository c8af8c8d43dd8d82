"""Gains of the virtual robot's position loop: those of a stated bandwidth, and stiffer ones for joints that would not follow.

    Kp = bandwidth^2 (M + X),    Kd = 2 damping_ratio M^(1/2) (M^(-1/2) Kp M^(-1/2))^(1/2) M^(1/2)

M is the mass matrix that the controller believes, with the machine's own rotors. Feed-forward is gravity alone, so the loop
is off by about Kp^-1 u, where u is all other torque: friction, rotors, Coriolis. Where that is more than a joint may be off, X
makes it stiffer; no direction gets faster than a sampled loop can be (0.4 / period: critically damped ones are unstable at 1).
Without X both are what they were, bandwidth^2 M and 2 damping_ratio bandwidth M.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from bifilar.dynamics import decompose
from bifilar.dynamics.tree import Array
from bifilar.robot.model import Model
from bifilar.robot.robot import Robot
from bifilar.simulate.reference import Reference

TRACKING = 0.025  # of a joint's travel: half of the margin that a design leaves to its limits, so that the machine keeps them
LEAST = {False: 0.02, True: 0.005}  # [rad], or [m] of sliding joints: of joints that hardly move
SAFE = 0.5  # share of the bound that gains are chosen for
SAMPLED = 0.4  # [rad] bandwidth times period at most
LAGGED = 0.2  # of the cut-off of measured velocities, likewise
THINNED = 4000  # ticks that are looked at


def tracking_bound(robot: Robot, position: ArrayLike) -> Array:
    """How far every joint may be from a motion that is called followed, (joints,) [rad] or [m].

    >>> tracking_bound(bf.Robot.load("pendulum"), [[0.0], [2.0]])
    array([0.05])
    """
    least = np.array([LEAST[name in robot.sliding] for name in robot.joint_names])
    return np.maximum(TRACKING * np.ptp(np.asarray(position, dtype=float), axis=0), least)


def inertia_of(machine: Robot, believed: Model, position: Array) -> Array:
    """The mass matrix of the controller's model with the machine's rotors, (samples, joints, joints).

    >>> inertia_of(bf.Robot.load("pendulum"), bf.Robot.load("pendulum"), np.zeros((1, 1))).shape
    (1, 1, 1)
    """
    return believed.mass_matrix(position) + (machine._rotor - believed._rotor)


def stiffened(machine: Robot, believed: Model, wanted: Reference, bandwidth: float) -> Array:
    """X of the joints, zero where they follow without it, (joints,) [kg m^2] or [kg].

    >>> robot, time = bf.Robot.load("pendulum"), np.linspace(0.0, 2.0, 201)
    >>> swing = Reference(time, np.sin(3 * time)[:, None], 3 * np.cos(3 * time)[:, None])
    >>> rough = robot.with_friction(bf.Coulomb(width=0.01), {"joint1.coulomb": 40.0})
    >>> stiffened(robot, robot, swing, 50.0), stiffened(rough, robot, swing, 50.0).round(2)
    (array([0.]), array([0.64]))
    """
    if len(wanted.time) < 2:
        return np.zeros(len(machine.joint_names))
    some = slice(None, None, -(-len(wanted.time) // THINNED))
    acceleration = np.gradient(wanted.velocity, wanted.time, axis=0)[some]
    q, v = wanted.position[some], wanted.velocity[some]
    unfed = machine.inverse_dynamics(q, v, acceleration) - machine.gravity_torque(q)
    allowed = SAFE * tracking_bound(machine, wanted.position)
    inertia = inertia_of(machine, believed, q)
    try:
        np.linalg.cholesky(inertia)
        off = np.linalg.solve(inertia, unfed[:, :, None])[:, :, 0] / bandwidth**2
    except np.linalg.LinAlgError:  # a model without inertia somewhere: there is nothing to size gains by
        return np.zeros(len(allowed))
    lost = np.abs(off).max(axis=0) > allowed
    return np.where(lost, np.abs(unfed).max(axis=0) / (bandwidth**2 * allowed), 0.0)


def gains(inertia: Array, more: Array, bandwidth: float, damping_ratio: float, fastest: float) -> tuple[Array, Array]:
    """Kp and Kd of every sample, (samples, joints, joints); `more`: X. No direction is faster than `fastest` [rad/s].

    >>> [gain.ravel() for gain in gains(np.eye(1)[None], np.array([3.0]), 10.0, 1.0, 100.0)]
    [array([400.]), array([40.])]
    >>> [gain.ravel() for gain in gains(np.eye(1)[None], np.array([3.0]), 10.0, 1.0, 15.0)]
    [array([225.]), array([30.])]
    """
    if not more.any():
        return bandwidth**2 * inertia, 2 * damping_ratio * bandwidth * inertia
    root = np.linalg.cholesky(inertia)
    half = np.linalg.solve(root, np.broadcast_to(np.diag(np.sqrt(more)), inertia.shape))
    values, vectors = decompose.eigh(np.eye(len(more)) + half @ half.transpose(0, 2, 1))
    rates = np.minimum(bandwidth * np.sqrt(np.maximum(values, 1.0)), max(fastest, bandwidth))
    turned = root @ vectors
    kp, kd = (turned * scale[:, None, :] @ turned.transpose(0, 2, 1) for scale in (rates**2, 2 * damping_ratio * rates))
    return kp, kd

"""The two-joint arm of the closed-loop study: vertical, eight base parameters, a noisy encoder in the loop.

Six inertial base parameters (mcx, mcy, Izz of both links, link 2's mass and both rotors inside them) and two viscous frictions;
no centre of mass lies on an axis, so that every true value differs from zero and relative errors mean something. With
`coulomb` there are ten. The plant is MuJoCo, the loop PD with the true gravity at the reference as feed-forward, velocities are
filtered differences of the noisy positions; nothing of it is shared with the estimators but the numbers.
"""

from __future__ import annotations

import numpy as np

import bifilar as bf
from bifilar.estimate.closed_loop import JointController
from bifilar.simulate.reference import Reference

GAINS = (150.0, 40.0), (15.0, 4.0)  # [N m/rad], [N m s/rad]
POSITION_NOISE, TORQUE_NOISE = 1e-3, 0.05  # [rad], [N m]
RATE, DURATION = 1000.0, 10.0  # [Hz], [s]
HARMONICS = np.array([1, 3, 5, 8])  # of 0.1 Hz
AMPLITUDES = np.array([[0.5, 0.4, 0.25, 0.15], [0.6, 0.45, 0.3, 0.2]])  # [rad]
PHASES = np.array([[3.93, 5.64, 4.87, 1.42], [5.49, 0.03, 5.16, 5.01]])  # [rad]


def arm(coulomb: bool = False) -> bf.Robot:
    """The machine, with its true numbers."""
    links = {
        "link1": bf.Inertia.from_center_of_mass(6.5, [0.10, 0.03, 0.0], np.diag([0.01, 0.12, 0.125])),
        "link2": bf.Inertia.from_center_of_mass(2.0, [0.12, 0.04, 0.0], np.diag([0.003, 0.02, 0.021])),
    }
    robot = bf.Robot.load("two_link").with_limits({"joint1": {"effort": 100.0}, "joint2": {"effort": 40.0}})
    terms, values = bf.Friction((bf.Viscous(),)), {"joint1.viscous": 0.8, "joint2.viscous": 0.4}
    if coulomb:
        terms, values = terms + bf.Coulomb(width=0.01), values | {"joint1.coulomb": 0.9, "joint2.coulomb": 0.5}
    return robot.with_inertia(links).with_friction(terms, values)


def truth(robot: bf.Robot) -> np.ndarray:
    """True base parameters, in the order of `bf.base_parameters(robot).independent`."""
    return bf.base_parameters(robot).from_full(robot.parameters())


def motion(duration: float = DURATION) -> Reference:
    """What the arm is to do."""
    t = np.arange(round(duration * RATE) + 1) / RATE
    w = 2 * np.pi * 0.1 * HARMONICS
    angle = t[:, None, None] * w + PHASES
    return Reference(t, (AMPLITUDES * np.sin(angle)).sum(axis=2), (AMPLITUDES * w * np.cos(angle)).sum(axis=2))


def machine(robot: bf.Robot) -> bf.VirtualRobot:
    """The arm under its controller; encoder readings in the loop."""
    return bf.VirtualRobot(robot, gains=GAINS, feedback="measured", velocity_cutoff=500.0)


def controller(robot: bf.Robot, *, gain: float = 1.0, duration: float = DURATION) -> JointController:
    """The loop as an estimator is told of it; `gain` makes it wrong."""
    believed = JointController.of(machine(robot), motion(duration))
    return believed if gain == 1.0 else believed.scaled(gain)


def recorded(seed: int, robot: bf.Robot, *, duration: float = DURATION, noise: float = 1.0) -> bf.Recording:
    """One run: positions and torques at 1 kHz; `noise` scales all of it."""
    sensors = bf.Sensors(position_noise=noise * POSITION_NOISE, torque_noise=noise * TORQUE_NOISE, velocity=False)
    wanted = motion(duration)
    return machine(robot).play(tuple(wanted), rate=RATE, control_rate=RATE, seed=seed, sensors=sensors)

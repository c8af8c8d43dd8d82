"""Friction chosen by evidence: terms are added only while they predict parts of the log that were not fitted.

python examples/08_choose_friction.py
"""

import numpy as np

import bifilar as bf

robot = bf.Robot.load("two_link")

# A machine with Stribeck friction in its first joint only, and viscous and Coulomb friction in both.
terms = bf.Viscous() + bf.Coulomb() + bf.Stribeck(speed=0.15, at="joint1")
values = {"joint1.viscous": 0.3, "joint2.viscous": 0.2, "joint1.coulomb": 1.0, "joint2.coulomb": 0.5, "joint1.stribeck": 1.5}
machine = robot.with_friction(terms, values)


def recorded(seed: int) -> bf.Recording:
    """Ten seconds, slow enough to show what happens near standstill; torque with noise."""
    series = np.random.default_rng(seed).normal(size=(2, 10)) / 3  # of five harmonics, [rad/s]
    swing = bf.Fourier(joint_names=robot.joint_names, coefficients=series, base_frequency=0.1, harmonics=5)
    run = swing.sample(200)
    torque = machine.inverse_dynamics(run.position, run.velocity, run.acceleration)
    torque += np.random.default_rng(seed).normal(scale=0.05, size=torque.shape)
    return bf.Recording(joint_names=run.joint_names, time=run.time, position=run.position, torque=torque)


train, test = recorded(1), recorded(2)
choice = bf.choose_friction(robot, train)
print(choice.summary())

for name, friction in (("viscous and Coulomb", bf.Viscous() + bf.Coulomb()), ("chosen", choice.friction)):
    estimate = bf.fit(robot, train, bf.LeastSquares(), friction=friction)
    print(f"{name:20} misses {100 * bf.held_out(estimate, test).relative:.2f} % of the torque of another motion")

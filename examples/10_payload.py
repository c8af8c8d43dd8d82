"""What does the hand hold? From one recording without the load and one with it, of any motions.

    python examples/10_payload.py

Robot, friction and load are solved together: the description need not be right, and the motions need not be the same.
"""

import numpy as np

import bifilar as bf

robot = bf.Robot.load("ur10e").with_friction(
    bf.Viscous() + bf.Coulomb(width=0.05), {"joint1.viscous": 10.0, "joint2.coulomb": 5.0}
)
described = bf.Robot.load("ur10e").with_parameters({"link3.mass": 14.0})  # as wrong as descriptions are

load = bf.Inertia.from_center_of_mass(3.0, [0.02, 0.0, 0.08], np.diag([0.010, 0.012, 0.008]))
loaded = robot.with_payload("link6", load)

motions = []
for seed in range(2):
    series = np.random.default_rng(seed).normal(size=(6, 8)) * 0.5  # [rad/s], four harmonics of 0.2 Hz
    motions.append(bf.Fourier(joint_names=robot.joint_names, coefficients=series, base_frequency=0.2, harmonics=4))

# Samples as a good log gives them, without the simulation of example 04: states of the motion, torque with noise.
rng = np.random.default_rng(7)


def recorded(machine: bf.Robot, motion: bf.Fourier) -> bf.Samples:
    run = motion.sample(100)
    torque = machine.inverse_dynamics(run.position, run.velocity, run.acceleration)
    torque += rng.normal(scale=0.5, size=torque.shape)
    names = robot.joint_names
    channels = {"position": run.position, "velocity": run.velocity, "acceleration": run.acceleration, "torque": torque}
    return bf.prepare(bf.Recording(joint_names=names, time=run.time, **channels), "recorded")


friction = bf.Viscous() + bf.Coulomb(width=0.05)
found = bf.identify_payload(
    described.with_friction(friction), recorded(robot, motions[0]), recorded(loaded, motions[1]), link="link6"
)
print(found.summary())

for name, value, deviation, true in zip(("mass", "mcx", "mcy", "mcz"), found.values, found.deviations, load.vector):
    print(f"{name:5} {value:7.3f} ± {deviation:.3f}   truth {true:.3f}")

"""A robot: what it consists of, what is odd about its description, and what it weighs on its joints.

    python examples/01_look_at_a_robot.py

Any URDF, MJCF or table of Denavit-Hartenberg numbers does; "panda" is one of the built-in robots.
"""

import numpy as np

import bifilar as bf

robot = bf.Robot.load("panda")  # or "arm.urdf", "arm.xml", "arm.toml"
print(robot)

for link in robot.links:
    mass, center = link.inertia.mass, link.inertia.center_of_mass
    print(f"{link.name:8} {mass:6.3f} kg, centre of mass {np.round(center, 3)} m")

# Published descriptions contain links that could not exist, masses of zero, limits that are missing. None is an error: a robot
# with such a link still has equations of motion. `check` says what to know before believing its numbers.
for finding in robot.check():
    print(finding)

# Equations of motion take one state, or any number of them at once: (samples, joints), in rad, rad/s, rad/s^2, N m.
rest = np.clip(np.zeros(7), robot.limits.lower, robot.limits.upper)
print("holding it still takes", np.round(robot.gravity_torque(rest), 2), "N m")

rng = np.random.default_rng(0)
position, velocity, acceleration = rng.uniform(-1, 1, (3, 1000, 7))
torque = robot.inverse_dynamics(position, velocity, acceleration)
print("largest torque of each joint in a thousand random states:", np.abs(torque).max(axis=0).round(1))

# A robot is never changed: changes give another one.
loaded = robot.with_payload("flange", bf.Inertia.from_center_of_mass(1.0, [0, 0, 0.05], 1e-3 * np.eye(3)))
extra = loaded.gravity_torque(rest) - robot.gravity_torque(rest)
print("a kilogram in the hand adds", np.round(extra, 2), "N m")

"""Base parameters: what joint torque can tell of the links, and what it can never tell.

    python examples/02_base_parameters.py

A link has ten inertial parameters. Some have no effect on any joint's torque, others only in sums with their neighbours'.
"""

import numpy as np

import bifilar as bf

robot = bf.Robot.load("two_link").with_friction(bf.Viscous() + bf.Coulomb())
base = bf.base_parameters(robot)
print(base)  # how many sums there are, of how many parameters
for line in base.equations():
    print("  ", line)

# Two models with the same sums have the same torque in every motion, however different their links are. Here is one in which
# every parameter that is not the first of its sum is zero, the mass of the second link among them.
values = base.from_full(robot.parameters())
other = base.model(robot, values)
print("mass of the second link:", robot.parameters()["link2.mass"], "and", other.parameters()["link2.mass"])

rng = np.random.default_rng(1)
state = rng.uniform(-2, 2, (3, 100, 2))
print("largest difference in torque:", np.abs(robot.inverse_dynamics(*state) - other.inverse_dynamics(*state)).max())

# More is seen when more is measured. On its foot a robot presses with its whole weight, so the base wrench tells its mass.
wrench = bf.base_parameters(robot, rows="both")
print(f"joint torque tells {base.rank} sums, joint torque and base wrench together {wrench.rank}")

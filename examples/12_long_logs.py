"""Logs of any length, in constant memory: what a fit needs of them is a small triangle.

    python examples/12_long_logs.py

Rows are made, rotated into the triangle and forgotten. Triangles of several logs, or of several machines, are merged.
"""

import numpy as np

import bifilar as bf

robot = bf.Robot.load("panda").with_friction(bf.Viscous() + bf.Coulomb(width=0.05))
machine = robot.with_body_parameters(1.1 * robot.body_parameters)
base = bf.base_parameters(robot)


def chunks(seed: int, count: int = 20, rows: int = 2000):
    """Pieces of a log as they arrive; with files, `bf.Recording.stream("log.csv", robot)` gives recordings piece by piece."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        state = rng.uniform(-1.5, 1.5, (3, rows, 7))
        yield *state, machine.inverse_dynamics(*state) + rng.normal(scale=0.2, size=(rows, 7))


monday, tuesday = (bf.reduce(robot, chunks(seed), columns=base) for seed in range(2))
week = monday + tuesday
print(f"{week.samples} samples in a triangle of {week.triangle().shape[1]} columns")

answer = bf.solve(week)  # weighted least squares: values, covariance, noise of every joint
truth = base.from_full(machine.parameters())
inside = np.abs(answer.values - truth) <= 1.96 * np.sqrt(np.diag(answer.covariance))
print(f"noise {answer.noise.round(3)}; {inside.sum()} of {len(truth)} values within their 95 % interval")

# From sums back to links: the robot nearest to the description that has these base parameters, and whose links can exist.
near = bf.nearest(robot, answer.values, base=base, covariance=answer.covariance)
print(near)

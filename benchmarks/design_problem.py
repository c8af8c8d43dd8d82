"""One design problem for everyone, as numbers, and a judge that shares no code with any contestant's search.

The Panda moves for one period of 10 s, each joint a Fourier series of 5 harmonics at rest at both ends:

    q(t) = q0 + sum_k a_k/(k w) sin(k w t) - b_k/(k w) cos(k w t),        v(0) = a(0) = 0,  q(0) free

so 8 free coefficients and an offset per joint, 63 unknowns. Position, velocity and acceleration keep 95 % of the range that
the robot's own limits leave, the flange stays 0.15 m above the base, both on a grid of 100 samples. Maximise

    log det sum over the 100 samples of W' diag(1/effort limit)^2 W,         W the base columns of the regressor.

Starts are drawn from a seed. The judge is a Python loop over Pinocchio; violations are looked for on a grid ten times finer.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

import bifilar as bf

ROBOT, FRAME = "panda", "flange"
HARMONICS, DURATION, SAMPLES, FINER = 5, 10.0, 100, 10
MARGIN = 0.05  # share of each range that stays unused
HEIGHT = 0.15  # [m]

Array = np.ndarray
States = tuple[Array, Array, Array]  # position, velocity, acceleration, (samples, joints) each


def series(time: Array) -> States:
    """Rows that turn the coefficients a_1 .. a_K, b_1 .. b_K and the offset of a joint into q, v, a."""
    w = 2 * np.pi / DURATION * np.arange(1, HARMONICS + 1)
    s, c = np.sin(np.outer(time, w)), np.cos(np.outer(time, w))
    none = np.zeros((len(time), 1))
    return np.hstack([s / w, -c / w, none + 1]), np.hstack([c, s, none]), np.hstack([-s * w, c * w, none])


def at_rest() -> Array:
    """(11, 9) orthonormal: any combination of its columns has v(0) = a(0) = 0; the last one is the offset."""
    _, velocity, acceleration = series(np.zeros(1))
    _, _, turned = np.linalg.svd(np.vstack([velocity, acceleration])[:, :-1])
    free = np.zeros((2 * HARMONICS + 1, 2 * HARMONICS - 1))
    free[:-1, :-1] = turned[2:].T
    free[-1, -1] = 1.0
    return free


@dataclass(frozen=True, eq=False)
class Problem:
    """The numbers every contestant starts from."""

    robot: bf.Robot
    lower: Array  # (3, joints) of position, velocity, acceleration
    upper: Array
    weight: Array  # (joints,) 1 / torque noise
    columns: Array  # base columns among ten per link, in Pinocchio's order
    rows: States  # (samples, 9) each: states on the grid per unknown of a joint
    pinocchio: Any  # model of the same robot, from the file it saved

    @classmethod
    def panda(cls) -> Problem:
        """The problem of this benchmark."""
        robot = bf.Robot.load(ROBOT)
        limits = robot.limits
        lower = np.array([limits.lower, -limits.velocity, -limits.acceleration])
        upper = np.array([limits.upper, limits.velocity, limits.acceleration])
        off = 0.5 * MARGIN * (upper - lower)
        assert np.isfinite(off).all()
        q, v, a = (matrix @ at_rest() for matrix in series(np.arange(SAMPLES) * DURATION / SAMPLES))
        columns = np.array(bf.base_parameters(robot).columns)
        problem = cls(robot, lower + off, upper - off, 1 / limits.effort, columns, (q, v, a), _pinocchio(robot))
        problem._same_robot()
        return problem

    @property
    def joints(self) -> int:
        """Seven."""
        return len(self.robot.joint_names)

    @cached_property
    def linear(self) -> tuple[Array, Array, Array]:
        """A, lower, upper: joint limits on the grid as rows on the unknowns, joint by joint."""
        block = np.vstack(self.rows)
        lower, upper = (np.repeat(bound.T, SAMPLES, axis=1).ravel() for bound in (self.lower, self.upper))
        return np.kron(np.eye(self.joints), block), lower, upper

    def states(self, x: Array) -> States:
        """On the grid."""
        table = x.reshape(self.joints, -1).T
        q, v, a = (matrix @ table for matrix in self.rows)
        return q, v, a

    def motion(self, x: Array) -> Callable[[Array], States]:
        """At any instant."""
        table = at_rest() @ x.reshape(self.joints, -1).T

        def states(time: Array) -> States:
            q, v, a = (matrix @ table for matrix in series(time))
            return q, v, a

        return states

    def regressor(self, q: Array, v: Array, a: Array) -> Array:
        """Whitened base regressor (samples, joints, base columns) by a loop over Pinocchio."""
        import pinocchio as pin

        model, data = self.pinocchio, self._data
        w = np.empty((len(q), self.joints, len(self.columns)))
        for k in range(len(q)):
            w[k] = pin.computeJointTorqueRegressor(model, data, q[k], v[k], a[k])[:, self.columns]
        w *= self.weight[:, None]
        return w

    def heights(self, q: Array) -> Array:
        """Of the flange [m] by a loop over Pinocchio."""
        import pinocchio as pin

        model, data, point = self.pinocchio, self._data, self.tip
        z, last = np.empty(len(q)), self.joints
        for k in range(len(q)):
            pin.forwardKinematics(model, data, q[k])
            z[k] = data.oMi[last].act(point)[2]
        return z

    @cached_property
    def tip(self) -> Array:
        """Origin of the flange in the frame of the last joint."""
        frame = self.pinocchio.frames[self.pinocchio.getFrameId(FRAME)]
        assert frame.parentJoint == self.joints
        return np.array(frame.placement.translation)

    def log_det(self, q: Array, v: Array, a: Array) -> float:
        """The criterion; minus infinity where a parameter stays open."""
        w = self.regressor(q, v, a).reshape(-1, len(self.columns))
        sign, value = np.linalg.slogdet(w.T @ w)
        return float(value) if sign > 0 else -np.inf

    def start(self, seed: int) -> Array:
        """A random motion about the middle of the limits, each joint at half of what its limits allow, drawn in for height."""
        rng = np.random.default_rng(seed)
        middle, half = 0.5 * (self.upper + self.lower), 0.5 * (self.upper - self.lower)
        table = rng.normal(size=(self.joints, 2 * HARMONICS - 1))
        table[:, -1] = 0.0
        reach = np.array([np.abs(matrix @ table.T).max(axis=0) for matrix in self.rows])
        table *= 0.5 * (half / reach).min(axis=0)[:, None]
        table[:, -1] = middle[0] + 0.1 * half[0] * rng.uniform(-1, 1, self.joints)
        while self.heights(self.states(table.ravel())[0]).min() < HEIGHT + 0.01:
            table[:, :-1] *= 0.9
        return table.ravel()

    def judge(self, motion: Callable[[Array], States]) -> dict[str, float]:
        """Criterion, condition numbers and the largest violations of a motion, whoever made it."""
        q, v, a = motion(np.arange(SAMPLES) * DURATION / SAMPLES)
        w = self.regressor(q, v, a).reshape(-1, len(self.columns))
        singular = np.linalg.svd(w, compute_uv=False)
        scaled = np.linalg.svd(w / np.linalg.norm(w, axis=0), compute_uv=False)
        fine = motion(np.arange(SAMPLES * FINER) * DURATION / (SAMPLES * FINER))
        between = self.beyond(fine)
        ends = max(np.abs(x).max() for x in motion(np.array([0.0, DURATION]))[1:])
        return {
            "log_det": float(2 * np.log(singular).sum()),
            "log_det_kept": self.log_det(*self.kept(fine, (q, v, a))),
            "condition": float(singular[0] / singular[-1]),
            "condition_columns_scaled": float(scaled[0] / scaled[-1]),
            "violation_on_grid": max(0.0, ends, *self.beyond((q, v, a)).values()),
            "violation": max(0.0, ends, *between.values()),
            **{f"beyond_{name}": value for name, value in between.items()},
        }

    def kept(self, fine: States, grid: States) -> States:
        """The motion with amplitudes made smaller, joint by joint, until no joint limit is broken on the fine grid either.

        That is what a user of a search on a grid has to do before a robot may run its result; whoever keeps the limits already
        loses nothing. The height, broken by millimetres, is let pass: there is no such simple cure for it.
        """
        centre = (fine[0].mean(axis=0), 0.0, 0.0)
        factor = np.ones(self.joints)
        for x, c, low, high in zip(fine, centre, self.lower, self.upper, strict=True):
            for side, bound in ((x.max(axis=0) - c, high - c), (c - x.min(axis=0), c - low)):
                factor = np.minimum(factor, np.where(side > bound, bound / np.maximum(side, 1e-12), 1.0))
        q, v, a = (c + factor * (x - c) for x, c in zip(grid, centre, strict=True))
        return q, v, a

    def beyond(self, states: States) -> dict[str, float]:
        """How far the worst sample is beyond each limit; negative where there is room."""
        names = ("position", "velocity", "acceleration")
        over = (np.maximum(x - high, low - x).max() for x, low, high in zip(states, self.lower, self.upper, strict=True))
        return {**dict(zip(names, map(float, over))), "height": float(HEIGHT - self.heights(states[0]).min())}

    @cached_property
    def _data(self) -> Any:
        return self.pinocchio.createData()

    def _same_robot(self) -> None:
        """The file tells Pinocchio about the same robot that ours is."""
        q, v, a = np.random.default_rng(0).uniform(-1, 1, (3, 20, self.joints))
        ours = self.robot.regressor(q, v, a)[:, :, self.columns] * self.weight[:, None]
        height = self.robot.pose(FRAME, q)[1][:, 2]
        assert np.allclose(self.regressor(q, v, a), ours, atol=1e-10) and np.allclose(self.heights(q), height, atol=1e-12)


def _pinocchio(robot: bf.Robot) -> Any:
    import pinocchio as pin

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "robot.urdf"
        robot.save(path)
        model = pin.buildModelFromUrdf(str(path))
    assert tuple(model.names[1:]) == robot.joint_names
    return model

"""What a written function must give: its arguments at a few states, and the values that bifilar computes there.

States are random, the same every time. A difference of a torque counts relative to the largest torque of the same joint at
these states (or to a thousandth of the largest torque of all, where it is smaller), a difference of a matrix relative to its
largest element; where a Coriolis matrix is nothing but rounding, mass matrix times speed is what it is compared with.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from bifilar.dynamics.random_states import random_states
from bifilar.dynamics.tree import Array
from bifilar.export.parity import LEAST_SCALE
from bifilar.export.traced import Function, Program
from bifilar.robot.model import Model
from bifilar.robot.smooth import smoothed

STATES = 4
ALPHA, SLIP = 37.0, 0.05  # of an implicit solver, and of its friction
LARGEST = 1e-12  # relative difference that is still the same function

Values = dict[str, Array]


@dataclass(frozen=True, eq=False)
class Golden:
    """Arguments and values of one function, (states, size) each.

    >>> from bifilar.export.trace_model import traced
    >>> robot = bf.Robot.load("pendulum")
    >>> golden(robot, traced(robot))["inverse_dynamics"].wanted.shape
    (4, 1)
    """

    inputs: Values
    wanted: Array
    scale: Array  # (size,) what a difference of each element is measured by

    def off(self, got: Array) -> float:
        """Largest relative difference of results, (states, size); infinite where one is not a number.

        >>> Golden({}, np.ones((1, 1)), np.ones(1)).off(np.array([[1.5]]))
        0.5
        """
        if got.shape != self.wanted.shape or not np.isfinite(got).all():
            return float("inf")
        scale = np.where(self.scale > 0, self.scale, 1.0)
        return float((np.abs(got - self.wanted) / scale).max(initial=0.0))


def golden(model: Model, program: Program, states: int = STATES, seed: int = 10) -> dict[str, Golden]:
    """Of every function of a program.

    >>> from bifilar.export.trace_model import traced
    >>> robot = bf.Robot.load("pendulum")
    >>> sorted(golden(robot, traced(robot))["inverse_dynamics"].inputs)
    ['a', 'q', 'v']
    """
    rng = np.random.default_rng(seed)
    state = random_states(model.tree, model.drive_columns.columns, states, rng)
    moving = state.v + rng.normal(size=state.v.shape)
    given = {"q": state.q, "v": state.v, "a": state.a, "load": state.load, "torque": state.load}
    given |= {"s": np.hstack([state.q, state.v]), "ds": np.hstack([moving, state.a])}
    given |= {"alpha": np.full((states, 1), ALPHA), "slip": np.full((states, 1), SLIP)}
    torque = np.abs(model.inverse_dynamics(state.q, state.v, state.a)).max(initial=0.0)
    swing = np.abs(model.mass_matrix(state.q)).max(initial=0.0) * np.abs(state.v).max(initial=0.0)
    usual = {"gravity": LEAST_SCALE * torque, "friction": LEAST_SCALE * torque, "coriolis_matrix": swing}
    return {function.name: _one(model, function, given, usual.get(function.name, 0.0)) for function in program.functions}


def _one(model: Model, function: Function, given: Values, usual: float) -> Golden:
    inputs = {argument.name: given[argument.name] for argument in function.inputs}
    wanted = np.asarray(VALUES[function.name](model, inputs)).reshape(len(given["q"]), -1)
    size = np.abs(wanted).max(axis=0, initial=0.0)
    least = LEAST_SCALE if len(function.output.shape) == 1 else 1.0
    return Golden(inputs, wanted, np.maximum(size, max(usual, least * size.max(initial=0.0))))


def _friction(model: Model, x: Values) -> Array:
    return model.friction_torque(x["v"], x["load"], x["q"]) if len(model.drive_values) else np.zeros_like(x["v"])


def _residual(model: Model, x: Values) -> Array:
    (q, v), (moving, a) = np.hsplit(x["s"], 2), np.hsplit(x["ds"], 2)
    return np.hstack([v - moving, smoothed(model, SLIP).inverse_dynamics(q, v, a) - x["torque"]])


def _jacobian(model: Model, x: Values) -> Array:
    (q, v), (_, a) = np.hsplit(x["s"], 2), np.hsplit(x["ds"], 2)
    by_q, by_v, by_a = smoothed(model, SLIP).derivatives(q, v, a)
    one = np.broadcast_to(np.eye(q.shape[1]), by_q.shape)
    return np.block([[-ALPHA * one, one], [by_q, by_v + ALPHA * by_a]])


VALUES: dict[str, Callable[[Model, Values], Array]] = {
    "inverse_dynamics": lambda model, x: model.inverse_dynamics(x["q"], x["v"], x["a"]),
    "gravity": lambda model, x: model.gravity_torque(x["q"]),
    "friction": _friction,
    "mass_matrix": lambda model, x: model.mass_matrix(x["q"]),
    "coriolis_matrix": lambda model, x: model.coriolis_matrix(x["q"], x["v"]),
    "regressor": lambda model, x: model.regressor(x["q"], x["v"], x["a"]),
    "residual": _residual,
    "residual_jacobian": _jacobian,
}

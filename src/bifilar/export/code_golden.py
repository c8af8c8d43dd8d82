"""What a written function must give: its arguments at a few states, and the values that bifilar computes there.

States are random, the same every time. A difference counts relative to the largest value of the same element at these states
(or to a thousandth of the largest of all elements, where an element is smaller).
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

STATES = 5
LARGEST = 1e-11  # relative difference that is still the same function


@dataclass(frozen=True, eq=False)
class Golden:
    """Arguments and values of one function, (states, size) each.

    >>> from bifilar.export.trace_model import traced
    >>> robot = bf.Robot.load("pendulum")
    >>> golden(robot, traced(robot))["inverse_dynamics"].wanted.shape
    (5, 1)
    """

    inputs: dict[str, Array]
    wanted: Array
    scale: Array  # (size,) what a difference of each element is measured by


def golden(model: Model, program: Program, states: int = STATES) -> dict[str, Golden]:
    """Of every function of a program.

    >>> from bifilar.export.trace_model import traced
    >>> robot = bf.Robot.load("pendulum")
    >>> sorted(golden(robot, traced(robot))["inverse_dynamics"].inputs)
    ['a', 'q', 'v']
    """
    rng = np.random.default_rng(10)
    state = random_states(model.tree, model.drive_columns.columns, states, rng)
    given = {"q": state.q, "v": state.v, "a": state.a, "load": state.load}
    return {function.name: _one(model, function, given) for function in program.functions}


def _one(model: Model, function: Function, given: dict[str, Array]) -> Golden:
    inputs = {argument.name: given[argument.name] for argument in function.inputs}
    wanted = np.asarray(VALUES[function.name](model, inputs)).reshape(len(given["q"]), -1)
    size = np.abs(wanted).max(axis=0)
    return Golden(inputs, wanted, np.maximum(size, LEAST_SCALE * size.max(initial=0.0)))


VALUES: dict[str, Callable[[Model, dict[str, Array]], Array]] = {
    "inverse_dynamics": lambda model, x: model.inverse_dynamics(x["q"], x["v"], x["a"]),
}

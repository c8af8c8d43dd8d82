"""`traced(model)`: the equations of any model, as functions of expressions that can be written in another language."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from bifilar.errors import RobotError
from bifilar.export.carried_friction import formulas
from bifilar.export.code_frames import Arranged, arranged, as_given, towards_the_base
from bifilar.export.expression import ARITHMETIC, Expression, Graph, operations
from bifilar.export.trace_equations import Equations
from bifilar.export.traced import Argument, Function, Program
from bifilar.robot.model import Model

SLIP = Argument("slip", (), "least width of the sign of speed in friction, > 0 [rad/s, m/s]")


def traced(model: Model, name: str = "robot") -> Program:
    """All functions of a model on a fixed base.

    >>> program = traced(bf.Robot.load("two_link"), "two_link")
    >>> program.function("inverse_dynamics").operations
    27
    """
    if model.is_floating:
        raise RobotError("robot.floating/trace_model")
    if not model.joint_names:
        raise RobotError("robot.no_joints")
    equations = Equations(model, cheapest(model), Graph())
    functions = (*_dynamics(equations), *_matrices(equations), *_implicit(equations))
    return Program(
        name, model.joint_names, model.column_names(), tuple(model.parameters().values.tolist()), functions, formulas(model)
    )


def cheapest(model: Model) -> Arranged:
    """Frames and grouping that take the fewest operations: moving masses inwards fills places that may have been empty.

    >>> robot = bf.Robot.load("two_link")
    >>> cheapest(robot).bodies[2, 3, 3]  # the mass of the second link is counted with the first
    np.float64(0.0)
    """
    own = arranged(model.tree, model.body_parameters)
    choices = [towards_the_base(own), own, as_given(model.tree, model.body_parameters)]
    counted = []
    for choice in choices:
        equations = Equations(model, choice, Graph())
        found = operations(equations.rigid(*(equations.symbols(letter) for letter in "qva")))
        counted.append(sum(found[op] for op in ARITHMETIC))
    return choices[int(np.argmin(counted))]


def _flat(rows: Iterable[Iterable[Expression]]) -> tuple[Expression, ...]:
    return tuple(element for row in rows for element in row)


def _dynamics(equations: Equations) -> list[Function]:
    n = len(equations.model.joint_names)
    q, v, a, load = (equations.symbols(name) for name in ("q", "v", "a", "load"))
    position, velocity = Argument("q", (n,), "positions"), Argument("v", (n,), "velocities")
    acceleration, result = Argument("a", (n,), "accelerations"), Argument("torque", (n,), "(out) of every joint")
    without = Argument("load", (n,), "torque without drives; read only where friction depends on it, else it may be NULL")
    return [
        Function(
            "inverse_dynamics",
            "Torque that makes the robot move so, with friction and rotors.",
            (position, velocity, acceleration),
            result,
            tuple(equations.torque(q, v, a)),
        ),
        Function(
            "gravity",
            "Torque that holds the robot still against gravity, without friction.",
            (position,),
            result,
            tuple(equations.rigid(q)),
        ),
        Function(
            "friction",
            "Friction and torque offsets of the drives, part of the inverse dynamics.",
            (position, velocity, without),
            result,
            tuple(equations.friction(q, v, load)),
        ),
    ]


def _matrices(equations: Equations) -> list[Function]:
    n, columns = len(equations.model.joint_names), len(equations.model.column_names())
    q, v, a = (equations.symbols(name) for name in ("q", "v", "a"))
    position, velocity = Argument("q", (n,), "positions"), Argument("v", (n,), "velocities")
    acceleration = Argument("a", (n,), "accelerations")
    return [
        Function(
            "mass_matrix",
            "Mass matrix with rotors: torque = B a + C v + gravity + friction.",
            (position,),
            Argument("B", (n, n), f"(out) {n} x {n}, symmetric"),
            _flat(equations.mass(q)),
        ),
        Function(
            "coriolis_matrix",
            "Coriolis matrix by Christoffel's symbols: the rate of B minus 2 C is skew-symmetric.",
            (position, velocity),
            Argument("C", (n, n), f"(out) {n} x {n}"),
            _flat(equations.coriolis(q, v)),
        ),
        Function(
            "regressor",
            "Regressor: torque = Y times the parameters, in the order of column_name().",
            (position, velocity, acceleration),
            Argument("Y", (n, columns), f"(out) {n} x {columns}"),
            _flat(equations.regressor(q, v, a)),
        ),
    ]


def _implicit(equations: Equations) -> list[Function]:
    n = len(equations.model.joint_names)
    q, v, moving, a = (equations.symbols(name, first) for name in ("s", "ds") for first in (0, n))
    torque, slip, alpha = equations.symbols("torque"), *(equations.graph.input(name, None) for name in ("slip", "alpha"))
    state = Argument("s", (2 * n,), "positions, then velocities"), Argument("ds", (2 * n,), "their rates")
    return [
        Function(
            "residual",
            "h(s, ds) = (v - dq, inverse dynamics(q, v, dv) - torque), zero along every motion: for implicit solvers.",
            (*state, Argument("torque", (n,), "of the drives"), SLIP),
            Argument("h", (2 * n,), "(out) residual"),
            tuple(equations.residual(q, v, moving, a, torque, slip)),
        ),
        Function(
            "residual_jacobian",
            "dh/ds + alpha dh/d(ds), what an implicit solver (SUNDIALS IDA) asks for, for a torque that is given.",
            (*state, Argument("alpha", (), "factor of the derivative by the rates [1/s]"), SLIP),
            Argument("J", (2 * n, 2 * n), f"(out) {2 * n} x {2 * n}"),
            _flat(equations.jacobian(q, v, a, alpha, slip)),
        ),
    ]

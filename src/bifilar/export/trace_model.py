"""`traced(model)`: the equations of any model, as functions of expressions that can be written in another language."""

from __future__ import annotations

import numpy as np

from bifilar.errors import RobotError
from bifilar.export.code_frames import Arranged, arranged, as_given, towards_the_base
from bifilar.export.expression import ARITHMETIC, Expression, Graph, operations
from bifilar.export.trace_drives import drive_torque
from bifilar.export.trace_motion import Moved, joints_of, moved
from bifilar.export.trace_torque import to_coordinates, torques
from bifilar.export.trace_vectors import plus
from bifilar.export.traced import Argument, Function, Program
from bifilar.robot.model import Model


def traced(model: Model, name: str = "robot") -> Program:
    """All functions of a model on a fixed base.

    >>> program = traced(bf.Robot.load("two_link"), "two_link")
    >>> program.function("inverse_dynamics").operations
    27
    """
    if model.is_floating:
        raise RobotError(
            "code is written for robots on a fixed base; this one floats",
            remedy="load it with floating=False, or write its description instead (.urdf, .xml, .sdf)",
        )
    if not model.joint_names:
        raise RobotError("the robot has no joint that moves: there are no equations to write")
    graph = Graph()
    given = _cheapest(model, graph)
    functions = (_inverse_dynamics(model, graph, given),)
    return Program(name, model.joint_names, model.column_names(), tuple(model.parameters().values.tolist()), functions)


def _inputs(graph: Graph, name: str, size: int) -> list[Expression]:
    return [graph.input(name, k) for k in range(size)]


def _cheapest(model: Model, graph: Graph) -> Arranged:
    """Frames and grouping that take the fewest operations: moving masses inwards fills places that were empty."""
    own = arranged(model.tree, model.body_parameters)
    choices = [towards_the_base(own), own, as_given(model.tree, model.body_parameters)]
    counted = []
    for choice in choices:
        found = operations(_rigid(model, Graph(), choice))
        counted.append(sum(found[op] for op in ARITHMETIC))
    return choices[int(np.argmin(counted))]


def _rigid(model: Model, graph: Graph, given: Arranged) -> list[Expression]:
    """Torque of the bodies alone."""
    n = len(model.joint_names)
    q, v, a = (_inputs(graph, letter, n) for letter in "qva")
    joints = joints_of(given.tree, q)
    motion = moved(given.tree, joints, Moved.still(graph, -model.gravity), v, a)
    return to_coordinates(given.tree, torques(given, joints, motion))


def _inverse_dynamics(model: Model, graph: Graph, given: Arranged) -> Function:
    n = len(model.joint_names)
    shape = (n,)
    arguments = Argument("q", shape, "positions"), Argument("v", shape, "velocities"), Argument("a", shape, "accelerations")
    result = Argument("torque", shape, "what the drives must deliver")
    rigid = _rigid(model, graph, given)
    q, v, a = (_inputs(graph, letter, n) for letter in "qva")
    drives = drive_torque(model.drive_columns.columns, model.drive_values, q, v, a, rigid)
    meaning = "Torque that makes the robot move so, with friction and rotors."
    return Function("inverse_dynamics", meaning, arguments, result, tuple(plus(rigid, drives)))

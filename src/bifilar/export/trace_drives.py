"""Friction, offsets and rotors of one robot, written out: a function of one speed each, pushed onto the rows it loads.

The formulas are those of `dynamics.friction_laws`, called with expressions; a column whose coefficient is zero is not written.
The sign of a speed is s / sqrt(s^2 + width^2), or the sign itself where the width is zero.
"""

from __future__ import annotations

import numpy as np

from bifilar.dynamics.columns import Columns
from bifilar.dynamics.tree import Array
from bifilar.export.expression import AT_LEAST, ROOT, SIGN, Expression
from bifilar.export.trace_vectors import total


def drive_value(
    columns: Columns,
    k: int,
    q: list[Expression],
    v: list[Expression],
    a: list[Expression] | None = None,
    load: list[Expression] | None = None,
    slip: Expression | None = None,
) -> Expression:
    """The scalar of column k; without an acceleration, rotors are zero. `slip` is the least width of its sign.

    >>> from bifilar.export.expression import Graph
    >>> graph, robot = Graph(), bf.Robot.load("pendulum").with_friction(bf.Viscous())
    >>> v = [graph.input("v", 0)]
    >>> drive_value(robot.drive_columns.columns, 0, v, v) is v[0]
    True
    """
    graph, law, drive = v[0].graph, columns.laws[k], columns.drive[k]
    if law.is_inertia:
        return graph.number(0.0) if a is None else mixed(drive, a)
    speed = mixed(drive, v)
    sign = _sign(speed, float(columns.width[k]), slip)
    assert load is not None or not law.needs_load
    carried = mixed(columns.effect[k], load) if load is not None and law.needs_load else 0.0
    position = mixed(drive, q) if law.needs_position else 0.0
    settings = columns.settings[k, : len(law.settings)].tolist()
    value = graph.number(law.value(speed, sign, carried, position, settings=settings))
    side = float(columns.side[k])
    return value * ((1.0 + side * sign) * 0.5) if side else value


def drive_torque(
    columns: Columns,
    values: Array,
    q: list[Expression],
    v: list[Expression],
    a: list[Expression] | None = None,
    load: list[Expression] | None = None,
    slip: list[Expression | None] | None = None,
) -> list[Expression]:
    """All columns with their coefficients, on the rows they load; `slip` is the least width of each column's sign.

    >>> from bifilar.export.expression import Graph
    >>> graph, robot = Graph(), bf.Robot.load("pendulum").with_friction(bf.Viscous() + bf.Coulomb(), {"joint1.viscous": 2.0})
    >>> q, v = ([graph.input(name, 0)] for name in "qv")
    >>> [one.op for one in drive_torque(robot.drive_columns.columns, robot.drive_values, q, v)]
    ['multiply']
    """
    graph = v[0].graph
    rows = [graph.number(0.0)] * len(v)
    for k in np.flatnonzero(values):
        value = drive_value(columns, int(k), q, v, a, load, slip[k] if slip else None) * float(values[k])
        for row in np.flatnonzero(columns.effect[k]):
            rows[row] = rows[row] + value * float(columns.effect[k][row])
    return rows


def mixed(weights: Array, x: list[Expression]) -> Expression:
    """weights . x.

    >>> from bifilar.export.expression import Graph
    >>> x = Graph().input("v", 0)
    >>> mixed(np.array([1.0]), [x]) is x
    True
    """
    return total([x[i] * float(weights[i]) for i in range(len(x))])


def _sign(speed: Expression, width: float, slip: Expression | None) -> Expression:
    graph = speed.graph
    if slip is not None:
        wide = graph.power(slip, width, AT_LEAST) if width > 0.0 else slip
        return speed / graph.call(ROOT, speed * speed + wide * wide)
    if width <= 0.0:
        return graph.call(SIGN, speed)
    return speed / graph.call(ROOT, speed * speed + width**2)

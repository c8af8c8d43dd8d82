"""The functions of one robot, traced: which arrays each takes, which it fills, and the expressions of every element.

    inverse_dynamics(q, v, a) -> torque     gravity(q) -> torque       mass_matrix(q) -> B       coriolis_matrix(q, v) -> C
    friction(q, v, load) -> torque          regressor(q, v, a) -> Y    residual, residual_jacobian: h(s, s') = 0

Writers of languages take a `Program` and know nothing of robots.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from bifilar.export.expression import ARITHMETIC, Expression, operations


@dataclass(frozen=True)
class Argument:
    """An array that a function takes or fills; a number of its own has no shape.

    >>> Argument("q", (7,), "positions").size
    7
    """

    name: str
    shape: tuple[int, ...]
    meaning: str

    @property
    def size(self) -> int:
        """Numbers in it.

        >>> Argument("B", (7, 7), "mass matrix").size
        49
        """
        return math.prod(self.shape)


@dataclass(frozen=True, eq=False)
class Function:
    """One function with one result.

    >>> from bifilar.export.expression import Graph
    >>> x = Graph().input("q", 0)
    >>> Function("twice", "2 q", (Argument("q", (1,), ""),), Argument("y", (1,), ""), (2.0 * x,)).operations
    1
    """

    name: str
    meaning: str
    inputs: tuple[Argument, ...]
    output: Argument
    elements: tuple[Expression, ...]  # of the output, row by row

    @property
    def operations(self) -> int:
        """Additions, subtractions, products and divisions of one call."""
        counted = operations(self.elements)
        return sum(counted[op] for op in ARITHMETIC)


@dataclass(frozen=True, eq=False)
class Program:
    """All functions of a robot, with names of its joints and of the regressor's columns.

    >>> Program("arm", ("hinge",), (), (), ()).joints
    ('hinge',)
    """

    robot: str
    joints: tuple[str, ...]
    columns: tuple[str, ...]  # of the regressor
    values: tuple[float, ...]  # of these columns
    functions: tuple[Function, ...]
    about: tuple[str, ...] = ()  # lines for whoever reads the code: what its friction is

    def function(self, name: str) -> Function:
        """By its name.

        >>> Program("arm", (), (), (), (Function("f", "", (), Argument("y", (), ""), ()),)).function("f").name
        'f'
        """
        return next(function for function in self.functions if function.name == name)

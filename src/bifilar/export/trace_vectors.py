"""Vectors and matrices of expressions: three of them, or three times three; constants come as NumPy arrays."""

from __future__ import annotations

from collections.abc import Sequence

from bifilar.dynamics.tree import Array
from bifilar.export.expression import Expression, Graph

Vector = list[Expression]
Matrix = list[Vector]


def vector(graph: Graph, values: Sequence[float] | Array) -> Vector:
    """Constants.

    >>> [x.value for x in vector(Graph(), [1.0, 0.0, 2.0])]
    [1.0, 0.0, 2.0]
    """
    return [graph.number(float(x)) for x in values]


def total(terms: Sequence[Expression]) -> Expression:
    """The sum, from left to right.

    >>> graph = Graph()
    >>> total(vector(graph, [1.0, 2.0, 3.0])).value
    6.0
    """
    result = terms[0]
    for term in terms[1:]:
        result = result + term
    return result


def plus(x: Vector, y: Vector) -> Vector:
    """x + y.

    >>> [one.value for one in plus(vector(Graph(), [1, 2, 3]), vector(Graph(), [1, 1, 1]))]
    [2.0, 3.0, 4.0]
    """
    return [a + b for a, b in zip(x, y, strict=True)]


def times(x: Vector, factor: Expression | float) -> Vector:
    """x scaled.

    >>> [one.value for one in times(vector(Graph(), [1, 2, 3]), 2.0)]
    [2.0, 4.0, 6.0]
    """
    return [a * factor for a in x]


def dot(x: Vector, y: Vector) -> Expression:
    """x . y.

    >>> graph = Graph()
    >>> dot(vector(graph, [1, 2, 3]), vector(graph, [1, 1, 1])).value
    6.0
    """
    return total([a * b for a, b in zip(x, y, strict=True)])


def cross(x: Vector, y: Vector) -> Vector:
    """x times y.

    >>> graph = Graph()
    >>> [one.value for one in cross(vector(graph, [1, 0, 0]), vector(graph, [0, 1, 0]))]
    [0.0, 0.0, 1.0]
    """
    return [x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]]


def apply(matrix: Matrix | Array, x: Vector) -> Vector:
    """matrix x; the matrix may be of numbers.

    >>> import numpy as np
    >>> [one.value for one in apply(np.diag([1.0, 2.0, 3.0]), vector(Graph(), [1, 1, 1]))]
    [1.0, 2.0, 3.0]
    """
    graph = x[0].graph
    return [total([graph.number(row[k]) * x[k] for k in range(3)]) for row in matrix]


def about_z(cosine: Expression, sine: Expression, x: Vector) -> Vector:
    """x turned about z.

    >>> graph = Graph()
    >>> [one.value for one in about_z(graph.number(0.0), graph.number(1.0), vector(graph, [1, 2, 3]))]
    [-2.0, 1.0, 3.0]
    """
    return [cosine * x[0] - sine * x[1], cosine * x[1] + sine * x[0], x[2]]

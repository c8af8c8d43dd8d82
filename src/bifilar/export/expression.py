"""Numbers that are not known yet: a graph of sums and products that writes itself down once, however often it is met.

Every operation looks first whether it is one that was met before (common subexpressions), and whether it can be done at once
(constants, zeros, ones). Signs are kept outside: -a is a number of its own, so that a b and (-a) b are one product, and a - b
and b - a one difference. What is not needed for a result is never written, so a parameter that is zero costs nothing.

    x * 0 -> 0    x * 1 -> x    x + 0 -> x    x - x -> 0    2 * (3 * x) -> 6 * x    2 * x + 3 * x -> 5 * x    sin(-x) -> -sin(x)
"""

from __future__ import annotations

import math
import operator
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from bifilar.errors import RobotError

CONSTANT, INPUT, NEGATIVE = "constant", "input", "negative"
ADD, SUBTRACT, MULTIPLY, DIVIDE = "add", "subtract", "multiply", "divide"
SINE, COSINE, ROOT, EXPONENTIAL, SIZE, SIGN, TANH = "sin", "cos", "sqrt", "exp", "abs", "sign", "tanh"
POWER, SLOPE_OF_POWER = "power", "slope of power"  # x^p, and p x^(p-1), which is zero at zero here
AT_LEAST = "at least"  # the larger of x and a constant
ARITHMETIC = (ADD, SUBTRACT, MULTIPLY, DIVIDE)
KNOWN: dict[str, Callable[[float], float]] = {
    SINE: math.sin,
    COSINE: math.cos,
    ROOT: math.sqrt,
    EXPONENTIAL: math.exp,
    SIZE: abs,
    SIGN: lambda x: float((x > 0) - (x < 0)),
    TANH: math.tanh,
}
ARITHMETIC_OF: dict[str, Callable[[Any, Any], Any]] = {  # names of NumPy's functions
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.truediv,
    "power": operator.pow,
}


class Expression:
    """A node of a graph; the operators of numbers make new ones.

    >>> x = Graph().input("q", 0)
    >>> (x + 0.0) is x, (x * 0.0).value, (2.0 * (3.0 * x)).of[0].value
    (True, 0.0, 6.0)
    """

    __slots__ = ("graph", "number", "of", "op", "value")

    def __init__(self, graph: Graph, number: int, op: str, of: tuple[Expression, ...], value: object) -> None:
        self.graph = graph
        self.number = number  # in the order of making: what a node needs comes before it
        self.op = op
        self.of = of  # what it is made from
        self.value: Any = value  # of a constant, (name, place) of an input, the exponent of a power

    def __add__(self, other: Expression | float) -> Expression:
        return self.graph.add(self, self.graph.number(other))

    def __sub__(self, other: Expression | float) -> Expression:
        return self.graph.subtract(self, self.graph.number(other))

    def __rsub__(self, other: float) -> Expression:
        return self.graph.subtract(self.graph.number(other), self)

    def __mul__(self, other: Expression | float) -> Expression:
        return self.graph.multiply(self, self.graph.number(other))

    def __truediv__(self, other: Expression | float) -> Expression:
        return self.graph.divide(self, self.graph.number(other))

    def __neg__(self) -> Expression:
        return self.graph.negative(self)

    def __pow__(self, exponent: float) -> Expression:
        return self * self if exponent == 2 else self.graph.power(self, exponent)

    __radd__ = __add__
    __rmul__ = __mul__

    def __array_ufunc__(self, function: np.ufunc, method: str, *given: Any, **options: Any) -> Expression:
        """NumPy's functions of an expression are expressions, so that a formula written for arrays can be traced."""
        name = {"absolute": SIZE}.get(function.__name__, function.__name__)
        if method == "__call__" and name in KNOWN and not options:
            return self.graph.call(name, self)
        if method == "__call__" and name in ARITHMETIC_OF and not options:
            left, right = given
            return ARITHMETIC_OF[name](self.graph.number(left), right)  # type: ignore[no-any-return]
        if method == "__call__" and name == "negative":
            return -self
        raise RobotError("export.function", name=function.__name__, known=KNOWN)

    @property
    def is_zero(self) -> bool:
        """Whether it is the constant zero.

        >>> x = Graph().input("q", 0)
        >>> (x - x).is_zero
        True
        """
        return self.op == CONSTANT and self.value == 0.0


class Graph:
    """Where expressions are made, each one once.

    >>> graph = Graph()
    >>> x, y = graph.input("q", 0), graph.input("q", 1)
    >>> x * y is y * x, (x - y) is -(y - x)
    (True, True)
    """

    def __init__(self) -> None:
        self._known: dict[tuple[object, ...], Expression] = {}

    def _node(self, op: str, of: tuple[Expression, ...], value: object = None) -> Expression:
        key = (op, value, *(one.number for one in of))
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = Expression(self, len(self._known), op, of, value)
        return found

    def number(self, x: Expression | float) -> Expression:
        """A constant; an expression stays itself.

        >>> Graph().number(2.5).value
        2.5
        """
        return x if isinstance(x, Expression) else self._node(CONSTANT, (), float(x) + 0.0)

    def input(self, name: str, place: int | None) -> Expression:
        """An element of an array that a function takes, or (None) a number that it takes.

        >>> Graph().input("q", 3).value
        ('q', 3)
        """
        return self._node(INPUT, (), (name, place))

    def negative(self, x: Expression) -> Expression:
        """-x.

        >>> x = Graph().input("q", 0)
        >>> -(-x) is x
        True
        """
        if x.op == CONSTANT:
            return self.number(-x.value)
        return x.of[0] if x.op == NEGATIVE else self._node(NEGATIVE, (x,))

    def add(self, x: Expression, y: Expression) -> Expression:
        """x + y.

        >>> graph = Graph()
        >>> x, y = graph.input("q", 0), graph.input("q", 1)
        >>> (x + -y).op, (x + x).op
        ('subtract', 'multiply')
        """
        if x.op == CONSTANT and y.op == CONSTANT:
            return self.number(x.value + y.value)
        if x.is_zero or y.is_zero:
            return y if x.is_zero else x
        if y.op == NEGATIVE:
            return self.subtract(x, y.of[0])
        if x.op == NEGATIVE:
            return self.subtract(y, x.of[0])
        (m, alike), (n, other) = _parts(x), _parts(y)
        if alike is other:
            return self._scaled(m + n, alike)
        return self._node(ADD, (x, y) if x.number < y.number else (y, x))

    def subtract(self, x: Expression, y: Expression) -> Expression:
        """x - y.

        >>> x = Graph().input("q", 0)
        >>> (0.0 - x).op, (x - x).value
        ('negative', 0.0)
        """
        if x.op == CONSTANT and y.op == CONSTANT:
            return self.number(x.value - y.value)
        if x is y:
            return self.number(0.0)
        if x.is_zero or y.is_zero:
            return self.negative(y) if x.is_zero else x
        if y.op == NEGATIVE:
            return self.add(x, y.of[0])
        if x.op == NEGATIVE:
            return self.negative(self.add(x.of[0], y))
        (m, alike), (n, other) = _parts(x), _parts(y)
        if alike is other:
            return self._scaled(m - n, alike)
        return self._node(SUBTRACT, (x, y)) if x.number < y.number else self.negative(self._node(SUBTRACT, (y, x)))

    def multiply(self, x: Expression, y: Expression) -> Expression:
        """x y; constants gather in front and are positive.

        >>> x = Graph().input("q", 0)
        >>> (x * -3.0).op
        'negative'
        """
        if y.op == CONSTANT:
            x, y = y, x
        if x.op == CONSTANT:
            return self._scaled(float(x.value), y)
        if x.op == NEGATIVE or y.op == NEGATIVE:
            plain = self.multiply(*(one.of[0] if one.op == NEGATIVE else one for one in (x, y)))
            return plain if x.op == y.op else self.negative(plain)
        return self._node(MULTIPLY, (x, y) if x.number < y.number else (y, x))

    def _scaled(self, factor: float, x: Expression) -> Expression:
        if x.op == CONSTANT:
            return self.number(factor * x.value)
        if factor == 0.0:
            return self.number(0.0)
        if factor == 1.0:
            return x
        if factor < 0.0 or x.op == NEGATIVE:
            inner = self._scaled(abs(factor), x.of[0] if x.op == NEGATIVE else x)
            return inner if (factor < 0.0) == (x.op == NEGATIVE) else self.negative(inner)
        if x.op == MULTIPLY and x.of[0].op == CONSTANT:
            return self._scaled(factor * x.of[0].value, x.of[1])
        return self._node(MULTIPLY, (self.number(factor), x))

    def divide(self, x: Expression, y: Expression) -> Expression:
        """x / y; by a constant it is a product.

        >>> x = Graph().input("q", 0)
        >>> (x / 2.0).op
        'multiply'
        """
        if y.op == CONSTANT:
            return self.multiply(self.number(1.0 / y.value), x)
        if x.is_zero:
            return x
        if x.op == NEGATIVE:
            return self.negative(self.divide(x.of[0], y))
        return self.negative(self.divide(x, y.of[0])) if y.op == NEGATIVE else self._node(DIVIDE, (x, y))

    def call(self, op: str, x: Expression) -> Expression:
        """sin, cos, sqrt, exp, abs, sign or tanh.

        >>> graph = Graph()
        >>> x = graph.input("q", 0)
        >>> graph.call(COSINE, -x) is graph.call(COSINE, x), graph.call(SINE, graph.number(0.0)).value
        (True, 0.0)
        """
        if x.op == CONSTANT:
            return self.number(KNOWN[op](x.value))
        if x.op == NEGATIVE and op in (COSINE, SIZE):
            return self.call(op, x.of[0])
        if x.op == NEGATIVE and op in (SINE, SIGN, TANH):
            return self.negative(self.call(op, x.of[0]))
        return self._node(op, (x,))

    def power(self, x: Expression, exponent: float, op: str = POWER) -> Expression:
        """x^exponent for x >= 0, its slope, or (AT_LEAST) the larger of both.

        >>> Graph().power(Graph().input("q", 0), 0.5).value
        0.5
        """
        return self._node(op, (x,), float(exponent))


def _parts(x: Expression) -> tuple[float, Expression]:
    """A constant factor and the rest."""
    if x.op == MULTIPLY and x.of[0].op == CONSTANT:
        return float(x.of[0].value), x.of[1]
    return 1.0, x


def needed(results: Iterable[Expression]) -> list[Expression]:
    """Everything that results are made from, each before it is used; without inputs and constants.

    >>> x = Graph().input("q", 0)
    >>> [node.op for node in needed([x * x + 1.0])]
    ['multiply', 'add']
    """
    order: list[Expression] = []
    seen: set[int] = set()
    stack = [(one, False) for one in reversed(list(results))]
    while stack:
        node, ready = stack.pop()
        if ready:
            order.append(node)
        elif node.number not in seen:
            seen.add(node.number)
            if node.of:
                stack.append((node, True))
                stack.extend((one, False) for one in reversed(node.of) if one.number not in seen)
    return order


def operations(results: Iterable[Expression]) -> Counter[str]:
    """How many operations of each sort results take; signs are free.

    >>> x = Graph().input("q", 0)
    >>> operations([x * x + 1.0, x * x])
    Counter({'multiply': 1, 'add': 1})
    """
    return Counter(node.op for node in needed(results) if node.op != NEGATIVE)

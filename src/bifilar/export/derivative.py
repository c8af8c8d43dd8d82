"""Derivatives of expressions by inputs, as expressions: the chain rule forwards, every step of it made once.

    d(x y) = dx y + x dy      d sin x = cos x dx      d sqrt x = dx / (2 sqrt x)      d |x| = sign(x) dx      d sign x = 0

Zeros disappear, so the derivative by one joint costs only what that joint moves.
"""

from __future__ import annotations

from collections.abc import Iterable

from bifilar.export.expression import (
    ADD,
    CONSTANT,
    COSINE,
    DIVIDE,
    EXPONENTIAL,
    INPUT,
    MULTIPLY,
    NEGATIVE,
    POWER,
    ROOT,
    SIGN,
    SINE,
    SIZE,
    SLOPE_OF_POWER,
    SUBTRACT,
    TANH,
    Expression,
    Graph,
    needed,
)


class Derivative:
    """Derivative by one input.

    >>> graph = Graph()
    >>> x, y = graph.input("q", 0), graph.input("q", 1)
    >>> by_x = Derivative(x)
    >>> by_x(x * y) is y, by_x(y).value
    (True, 0.0)
    """

    def __init__(self, by: Expression) -> None:
        self._graph = by.graph
        self._zero = by.graph.number(0.0)
        self._known: dict[int, Expression] = {by.number: by.graph.number(1.0)}

    def __call__(self, x: Expression) -> Expression:
        """Of an expression.

        >>> graph = Graph()
        >>> x = graph.input("q", 0)
        >>> Derivative(x)(graph.call(SINE, x)) is graph.call(COSINE, x)
        True
        """
        return self.each([x])[0]

    def each(self, results: Iterable[Expression]) -> list[Expression]:
        """Of several expressions.

        >>> graph = Graph()
        >>> x = graph.input("q", 0)
        >>> [one.op for one in Derivative(x).each([x * x, x])]
        ['multiply', 'constant']
        """
        wanted = list(results)
        for node in needed(wanted):
            if node.number not in self._known:
                inner = tuple(self._of(one) for one in node.of)
                every_zero = all(one.is_zero for one in inner)
                self._known[node.number] = self._zero if every_zero else self._rule(node, *inner)
        return [self._of(one) for one in wanted]

    def _of(self, x: Expression) -> Expression:
        return self._known.get(x.number, self._zero) if x.op in (INPUT, CONSTANT) else self._known[x.number]

    def _rule(self, node: Expression, dx: Expression, dy: Expression | None = None) -> Expression:
        graph: Graph = self._graph
        x = node.of[0]
        if dy is not None:
            y = node.of[1]
            if node.op == ADD:
                return dx + dy
            if node.op == SUBTRACT:
                return dx - dy
            if node.op == MULTIPLY:
                return dx * y + x * dy
            assert node.op == DIVIDE
            return (dx - node * dy) / y
        if node.op == NEGATIVE:
            return -dx
        if node.op == SINE:
            return graph.call(COSINE, x) * dx
        if node.op == COSINE:
            return -(graph.call(SINE, x) * dx)
        if node.op == ROOT:
            return dx / (2.0 * node)
        if node.op == EXPONENTIAL:
            return node * dx
        if node.op == SIZE:
            return graph.call(SIGN, x) * dx
        if node.op == SIGN:
            return self._zero
        if node.op == TANH:
            return (1.0 - node * node) * dx
        assert node.op == POWER, f"no rule for {node.op}"
        return graph.power(x, float(node.value), SLOPE_OF_POWER) * dx

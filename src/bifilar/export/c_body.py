"""A function of expressions as lines of C: every intermediate a constant of its own, short ones inside others.

Inputs are read before anything is written, so the result may be the same array as an input. Signs that are left over are
written where they stand: -(a - b) as b - a. The order of operations is that of the graph, fixed by parentheses.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from bifilar.export.expression import (
    ADD,
    AT_LEAST,
    CONSTANT,
    DIVIDE,
    INPUT,
    MULTIPLY,
    NEGATIVE,
    POWER,
    SIGN,
    SIZE,
    SLOPE_OF_POWER,
    SUBTRACT,
    Expression,
    needed,
)
from bifilar.export.traced import Function

SYMBOLS = {ADD: "+", SUBTRACT: "-", MULTIPLY: "*", DIVIDE: "/"}
CALLS = {SIZE: "fabs", SIGN: "sign_of", POWER: "pow", SLOPE_OF_POWER: "slope_of_power", AT_LEAST: "fmax"}
INSIDE = 48  # characters of an expression that is used once and written inside another


class Lines:
    """Writes expressions; which words a language uses is in its class attributes.

    >>> from bifilar.export.expression import Graph
    >>> x = Graph().input("q", 0)
    >>> Lines([x * x + 1.0]).text(x * x + 1.0)
    'q0*q0 + 1.0'
    """

    symbols = SYMBOLS
    calls = CALLS

    def __init__(self, results: list[Expression]) -> None:
        self.order = needed(results)
        self.uses = Counter(one.number for node in self.order for one in node.of)
        self.uses.update(one.number for one in results)
        for node in self.order:
            if node.op == NEGATIVE:  # a sign gets no name: what is behind it is written as often
                self.uses[node.of[0].number] += self.uses[node.number] - 1
        self._text: dict[int, str] = {}
        self._named: set[int] = set()

    def intermediates(self) -> Iterator[tuple[str, str]]:
        """Name and text of everything that gets a name.

        >>> from bifilar.export.expression import Graph
        >>> x = Graph().input("q", 0)
        >>> list(Lines([x * x + 1.0, x * x]).intermediates())
        [('t0', 'q0*q0')]
        """
        for node in self.order:
            text = self._written(node)
            if node.op != NEGATIVE and (self.uses[node.number] > 1 or len(text) > INSIDE):
                name = f"t{len(self._named)}"
                self._named.add(node.number)
                yield name, text
                text = name
            self._text[node.number] = text

    def text(self, x: Expression) -> str:
        """An expression in terms of what was named before it.

        >>> from bifilar.export.expression import Graph
        >>> Lines([]).text(Graph().number(0.1))
        '0.1'
        """
        if x.op == CONSTANT:
            return number(float(x.value))
        if x.op == INPUT:
            name, place = x.value
            return name if place is None else f"{name}{place}"
        return self._text[x.number] if x.number in self._text else self._written(x)

    def _written(self, node: Expression) -> str:
        if node.op == NEGATIVE:
            inner = node.of[0]
            if inner.op == SUBTRACT and inner.number not in self._named:
                return f"{self._part(inner.of[1], ADD)} - {self._part(inner.of[0], SUBTRACT)}"
            return f"-{self._part(inner, MULTIPLY)}"
        if node.op in self.symbols:
            left, right = (self._part(one, node.op, k) for k, one in enumerate(node.of))
            space = " " if node.op in (ADD, SUBTRACT) else ""
            return f"{left}{space}{self.symbols[node.op]}{space}{right}"
        values = [self.text(one) for one in node.of]
        if node.value is not None:
            values.append(number(float(node.value)))
        return f"{self.calls.get(node.op, node.op)}({', '.join(values)})"

    def _part(self, x: Expression, op: str, side: int = 1) -> str:
        """Text inside an operation, in parentheses unless it is a name, a number, or a product in a sum."""
        text = self.text(x)
        simple = text.replace("_", "").replace(".", "").isalnum() or x.op in (CONSTANT, INPUT)
        called = text.endswith(")") and x.op not in (*SYMBOLS, NEGATIVE)
        product = op in (ADD, SUBTRACT) and x.op in (MULTIPLY, DIVIDE) and not text.startswith("-")
        first = op in (ADD, SUBTRACT) and side == 0 and x.op in (ADD, SUBTRACT)
        return text if simple or called or product or first else f"({text})"


def number(x: float) -> str:
    """A double as both C and Python read it back exactly.

    >>> number(0.1), number(3.0), number(1e-300)
    ('0.1', '3.0', '1e-300')
    """
    return repr(x)


def inputs_of(elements: list[Expression]) -> list[tuple[str, int | None]]:
    """Names and places of all inputs that elements need, in order.

    >>> from bifilar.export.expression import Graph
    >>> x = Graph().input("q", 0)
    >>> inputs_of([x * x])
    [('q', 0)]
    """
    read = {one.value for node in needed(elements) for one in node.of if one.op == INPUT}
    read |= {one.value for one in elements if one.op == INPUT}
    return sorted(read, key=lambda one: (one[0], one[1] is not None, one[1]))


def c_body(function: Function) -> Iterator[str]:
    """The lines between the braces.

    >>> from bifilar.export.expression import Graph
    >>> from bifilar.export.traced import Argument
    >>> x = Graph().input("q", 0)
    >>> twice = Function("twice", "", (Argument("q", (1,), ""),), Argument("y", (1,), ""), (2.0 * x,))
    >>> list(c_body(twice))
    ['const double q0 = q[0];', 'y[0] = 2.0*q0;']
    """
    elements = list(function.elements)
    read = inputs_of(elements)
    for argument in function.inputs:
        yield from (f"const double {name}{k} = {name}[{k}];" for name, k in read if name == argument.name and k is not None)
        if argument.name not in {name for name, _ in read}:
            yield f"(void){argument.name};"
    lines = Lines(elements)
    yield from (f"const double {name} = {text};" for name, text in lines.intermediates())
    yield from (f"{function.output.name}[{k}] = {lines.text(one)};" for k, one in enumerate(elements))

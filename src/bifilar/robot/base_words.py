"""Base parameters in words: equations, and what is seen of every link alone, in combination, or not at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from bifilar.dynamics.tree import Array

NEGLIGIBLE = 1e-8  # coefficients that are not worth a line


class Sight(NamedTuple):
    """What is seen of one link (or of one joint's drive).

    >>> Sight("link1", alone=("Izz",), combined={"mcx": ("link2.mass",)}, inside={}, hidden=("mass",)).text()
    'link1\\n  alone           Izz\\n  in combination  mcx (with link2.mass)\\n  not at all      mass'
    """

    owner: str  # link or joint
    alone: tuple[str, ...]  # words of parameters with a value of their own
    combined: dict[str, tuple[str, ...]]  # base parameters and what is added to them
    inside: dict[str, tuple[str, ...]]  # parameters that only appear within base parameters, and within which
    hidden: tuple[str, ...]  # no effect at all

    def text(self, most: int = 3) -> str:
        """A paragraph; of long lists the first `most` names and a count.

        >>> print(Sight("link2", (), {}, {"mass": ("link1.mcx", "link1.Izz")}, ()).text(most=1))
        link2
          in combination  mass (only within link1.mcx and 1 more)
        """
        together = [f"{word} (with {_short(names, most)})" for word, names in self.combined.items()]
        together += [f"{word} (only within {_short(names, most)})" for word, names in self.inside.items()]
        lines = {"alone": self.alone, "in combination": together, "not at all": self.hidden}
        return "\n".join([self.owner, *(f"  {head:<14}  {', '.join(parts)}" for head, parts in lines.items() if parts)])


def combination(terms: Mapping[str, float], digits: int = 6) -> str:
    """A sum as one writes it.

    >>> combination({"link2.mcx": 1.0, "link3.mass": 0.045, "link3.mcz": -1.0})
    'link2.mcx + 0.045*link3.mass - link3.mcz'
    """
    text = ""
    for name, value in terms.items():
        size = f"{abs(value):.{digits}g}"
        sign = (" - " if value < 0 else " + ") if text else ("-" if value < 0 else "")
        text += sign + (name if size == "1" else f"{size}*{name}")
    return text


def equations(names: Sequence[str], independent: Sequence[str], matrix: Array, digits: int = 6) -> tuple[str, ...]:
    """What each base parameter stands for.

    >>> equations(["a.mcx", "b.mass"], ["a.mcx"], np.array([[1.0, 0.3]]))
    ('a.mcx + 0.3*b.mass',)
    """
    rows = [{name: c for name, c in zip(names, row) if abs(c) > NEGLIGIBLE} for row in matrix]
    return tuple(combination({base: 1.0} | row, digits) for base, row in zip(independent, rows))


def sights(names: Sequence[str], independent: Sequence[str], matrix: Array) -> tuple[Sight, ...]:
    """What is seen of every link and drive, in the order of the columns.

    >>> [sight.owner for sight in sights(["a.mcx", "b.mass"], ["a.mcx"], np.array([[1.0, 0.3]]))]
    ['a', 'b']
    """
    terms = np.abs(matrix) > NEGLIGIBLE
    row_of = {base: k for k, base in enumerate(independent)}
    parts: dict[str, Sight] = {}
    for column, name in enumerate(names):
        owner, _, word = name.rpartition(".")
        sight = parts.setdefault(owner, Sight(owner, (), {}, {}, ()))
        if name in row_of:
            others = tuple(n for n, used in zip(names, terms[row_of[name]]) if used and n != name)
            if others:
                sight.combined[word] = others
            else:
                parts[owner] = sight._replace(alone=(*sight.alone, word))
        elif terms[:, column].any():
            sight.inside[word] = tuple(base for base, used in zip(independent, terms[:, column]) if used)
        else:
            parts[owner] = sight._replace(hidden=(*sight.hidden, word))
    return tuple(parts.values())


def _short(names: Sequence[str], most: int) -> str:
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")

"""A named vector: what a robot's numbers are called, their units, bounds and values.

Names are paths, the same in tables, covariances, reports and files: `link3.mass`, `joint3.viscous`. The order is that of
the regressor's columns, so `regressor @ parameters.values` is a torque.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from bifilar.dynamics.tree import Array
from bifilar.errors import RobotError, ShapeError, near_names
from bifilar.robot.inertia import PARAMETERS, UNITS

Kind = Literal["inertial", "friction", "drive"]


@dataclass(frozen=True, eq=False)
class Parameters:
    """Names, values, units, bounds and kinds of some of a robot's numbers.

    >>> masses = Parameters.of({"link1.mass": 2.0, "link2.mass": 3.0})
    >>> masses["link2.mass"], masses.values.sum()
    (3.0, np.float64(5.0))
    """

    names: tuple[str, ...]
    values: Array  # (count,)
    units: tuple[str, ...]
    lower: Array  # (count,) smallest physical value, -inf where there is none
    upper: Array  # (count,)
    kinds: tuple[Kind, ...]  # "inertial", "friction" (dissipates) or "drive" (offset, rotor inertia)
    of_bodies: bool = False  # whether links fixed to a moving link are counted in its ten numbers

    def __post_init__(self) -> None:
        for name in ("values", "lower", "upper"):
            array = np.array(getattr(self, name), dtype=float)
            if array.shape != (len(self.names),):
                raise ShapeError("shape.wrong/parameters", name=name, shape=array.shape, name_count=len(self.names))
            array.flags.writeable = False
            object.__setattr__(self, name, array)
        if len(self.units) != len(self.names) or len(self.kinds) != len(self.names):
            raise ShapeError(
                "parameters.count", name_count=len(self.names), unit_count=len(self.units), kind_count=len(self.kinds)
            )
        if len(set(self.names)) < len(self.names):
            twice = next(name for k, name in enumerate(self.names) if name in self.names[:k])
            raise RobotError("name.twice/parameters", twice=twice)

    @classmethod
    def of(cls, values: Mapping[str, float]) -> Parameters:
        """From names and values; units, bounds and kinds follow from the names.

        >>> Parameters.of({"joint1.offset": 0.5}).kinds
        ('drive',)
        """
        facts = [_known(name) for name in values]
        units, lower, kinds = ([fact[k] for fact in facts] for k in range(3))
        return cls(tuple(values), list(values.values()), tuple(units), lower, [np.inf] * len(units), tuple(kinds))  # type: ignore[arg-type]

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __getitem__(self, name: str) -> float:
        return float(self.values[self.index(name)])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.array(self.values, dtype=dtype)

    def index(self, name: str) -> int:
        """Place of a name.

        >>> Parameters.of({"a.mass": 1.0, "b.mass": 2.0}).index("b.mass")
        1
        """
        if name not in self.names:
            raise RobotError("parameters.unknown/parameters", name=name, near=near_names(name, self.names))
        return self.names.index(name)

    def select(self, *patterns: str) -> Parameters:
        """Those whose names match one of the patterns, in their own order; a pattern that matches nothing is an error.

        >>> Parameters.of({"a.mass": 1.0, "b.mcx": 2.0, "b.mass": 3.0}).select("*.mass").names
        ('a.mass', 'b.mass')
        """
        for pattern in patterns:
            if not any(fnmatchcase(name, pattern) for name in self.names):
                raise RobotError("parameters.no_match/physical_rules", pattern=pattern, near=near_names(pattern, self.names))
        return self._taken([k for k, name in enumerate(self.names) if any(fnmatchcase(name, p) for p in patterns)])

    def of_kind(self, *kinds: Kind) -> Parameters:
        """Those of some kinds.

        >>> Parameters.of({"a.mass": 1.0, "b.viscous": 2.0}).of_kind("friction").names
        ('b.viscous',)
        """
        return self._taken([k for k, kind in enumerate(self.kinds) if kind in kinds])

    def with_values(self, values: ArrayLike) -> Parameters:
        """The same names with other values.

        >>> Parameters.of({"a.mass": 1.0}).with_values([2.0])["a.mass"]
        2.0
        """
        return replace(self, values=np.asarray(values, dtype=float))

    def as_dict(self) -> dict[str, float]:
        """Names and values.

        >>> Parameters.of({"a.mass": 1.0}).as_dict()
        {'a.mass': 1.0}
        """
        return dict(zip(self.names, self.values.tolist()))

    def table(self) -> str:
        """One line per parameter: name, value, unit.

        >>> print(Parameters.of({"a.mass": 1.0, "long_name.mcx": -0.25}).table())
        a.mass             1 kg
        long_name.mcx  -0.25 kg m
        """
        values = [f"{value:.6g}" for value in self.values]
        wide, width = max(map(len, self.names), default=0), max(map(len, values), default=0)
        return "\n".join(f"{n:<{wide}}  {v:>{width}} {u}" for n, v, u in zip(self.names, values, self.units))

    def __str__(self) -> str:
        return self.table()

    def _taken(self, places: Sequence[int]) -> Parameters:
        names, units = (tuple(part[k] for k in places) for part in (self.names, self.units))
        kinds = tuple(self.kinds[k] for k in places)
        k = np.asarray(places, dtype=int)
        return Parameters(names, self.values[k], units, self.lower[k], self.upper[k], kinds)


INERTIAL_LOWER = np.array([0.0 if name in ("mass", "Ixx", "Iyy", "Izz") else -np.inf for name in PARAMETERS])


def kind_of(name: str) -> Kind:
    """What sort of number a name stands for.

    >>> kind_of("joint3.rotor_inertia"), kind_of("link3.Ixy"), kind_of("joint3.coulomb_forward")
    ('drive', 'inertial', 'friction')
    """
    from bifilar.robot.friction import term_of

    word = name.rpartition(".")[2]
    if word in PARAMETERS:
        return "inertial"
    term = term_of(word)
    return "friction" if term is None or term.law.dissipates else "drive"


def close_names(name: str, names: Sequence[str]) -> str:
    """A sentence about the names that look like this one.

    >>> close_names("link3.mas", ["link3.mass", "elbow.viscous"])
    "a misspelling of 'link3.mass'"
    """
    from difflib import get_close_matches

    close = get_close_matches(str(name), list(names), n=2, cutoff=0.8)
    return "a misspelling of " + " or ".join(f"'{match}'" for match in close) if close else ""


def _known(name: str) -> tuple[str, float, Kind]:
    from bifilar.robot.friction import term_of

    word = name.rpartition(".")[2]
    if word in PARAMETERS:
        k = PARAMETERS.index(word)
        return UNITS[k], float(INERTIAL_LOWER[k]), "inertial"
    if term := term_of(word):
        return term.law.units[0], -np.inf if term.law.signed or "_by_" in word else 0.0, kind_of(name)
    return "", -np.inf, kind_of(name)

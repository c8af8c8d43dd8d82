"""Base parameters: the combinations of a robot's numbers that torque (or the base wrench) depends on, and no others.

    torque = Y phi = Y_b beta,        beta = K phi,      K = [1 C] on (independent, dependent) columns

The rank is a property of the structure and is taken from random states (Gautier 1991), never from a recording; rounded
angles are made exact first where that changes the count. Of a dependent group the column closest to the base stays and,
within a link, mass goes first, then Iyy, so that equations look as in Gautier and Khalil (1990): a link's mass moves into
the first moments and inertias of the links before it, Iyy into Ixx and the inertia of the link before. Drive columns go
into inertias (a first joint's rotor inertia into its link's). `keep` prefers other columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bifilar.dynamics.blas import one_blas_thread
from bifilar.dynamics.grouping import TOLERANCE, Gap, Grouping, Status, group
from bifilar.dynamics.random_states import random_factor
from bifilar.dynamics.state import numbers
from bifilar.dynamics.tree import Array
from bifilar.errors import Finding, ShapeError
from bifilar.robot.base_columns import BaseColumns, Bodies
from bifilar.robot.base_findings import doubts, not_kept, rounded_angles
from bifilar.robot.base_words import Sight, equations, sights
from bifilar.robot.coverage import Coverage, covered
from bifilar.robot.model import Model
from bifilar.robot.model_data import Rows
from bifilar.robot.parameters import Parameters
from bifilar.robot.snapping import snapped

SUBJECT = {"joints": "joint torque", "base": "the base wrench", "both": "joint torque with the base wrench"}


@runtime_checkable
class Named(Protocol):
    """Anything with names and values, such as a Solution.

    >>> isinstance(Parameters.of({"a.mass": 1.0}), Named)
    True
    """

    names: tuple[str, ...]
    values: Array


@dataclass(frozen=True, eq=False, repr=False)
class BaseParameters:
    """Which columns are independent, what the others add to them, and how sure that is.

    >>> base = bf.base_parameters(bf.Robot.load("two_link"))
    >>> base
    BaseParameters(6 of 20, clear)
    >>> base.equations()[0]
    'link1.mcx + 0.26*link2.mass'
    """

    names: tuple[str, ...]  # all columns
    independent: tuple[str, ...]  # those that stay; they give the base parameters their names
    dependent: tuple[str, ...]
    no_effect: tuple[str, ...]
    coefficients: Array  # (independent, dependent)
    matrix: Array  # (independent, names): base values = matrix @ all values
    rows: Rows
    singular_values: Array  # of the regressor's columns as they are, relative to the largest
    gap: Gap  # behind the last singular value that counts
    gaps: tuple[Gap, ...]  # every fall by 1000 or more, as the description is written
    scaled_gaps: tuple[Gap, ...]  # the same for columns divided by their norms
    status: Status
    candidates: tuple[int, ...]  # counts that can be defended; one if the status is "clear"
    findings: tuple[Finding, ...]
    method: str
    data: Coverage | None = None  # what the given states see of it

    def __repr__(self) -> str:
        return f"BaseParameters({self.rank} of {len(self.names)}, {self.status})"

    def __len__(self) -> int:
        return len(self.independent)

    @property
    def rank(self) -> int:
        """How many base parameters there are.

        >>> bf.base_parameters(bf.Robot.load("panda")).rank
        43
        """
        return len(self.independent)

    @property
    def columns(self) -> NDArray[np.int64]:
        """Places of the independent columns among all.

        >>> bf.base_parameters(bf.Robot.load("pendulum")).columns
        array([1, 2, 9])
        """
        place = {name: k for k, name in enumerate(self.names)}
        return np.array([place[name] for name in self.independent], dtype=np.int64)

    def equations(self, digits: int = 6) -> tuple[str, ...]:
        """What each base parameter stands for, as a readable sum, in the order of `independent`.

        >>> bf.base_parameters(bf.Robot.load("two_link")).equations()[2]
        'link1.Izz + 0.0676*link2.mass'
        """
        return equations(self.names, self.independent, self.matrix, digits)

    def from_full(self, values: ArrayLike | Parameters) -> Array:
        """Base values from the values of all columns, (..., columns) -> (..., rank).

        >>> robot = bf.Robot.load("two_link")
        >>> bf.base_parameters(robot).from_full(robot.parameters()).shape
        (6,)
        """
        if isinstance(values, Parameters) and values.names != self.names:
            missing = [name for name in self.names if name not in values.names]
            if missing:
                raise ShapeError(
                    "parameters.missing", missing_count=len(missing), name_count=len(self.names), missing=missing[0]
                )
            values = np.array([values[name] for name in self.names])
        return self._sized("values", values, len(self.names)) @ self.matrix.T

    def to_full(self, base_values: ArrayLike | Named) -> Array:
        """Values of all columns that cause the same torque: the base values, and zeros elsewhere.

        >>> robot = bf.Robot.load("two_link")
        >>> base = bf.base_parameters(robot)
        >>> full = base.to_full(base.from_full(robot.parameters()))
        >>> Y = robot.regressor([0.1, 0.2], [0.3, 0.4], [0.5, 0.6])
        >>> bool(np.allclose(Y @ full, Y @ robot.parameters().values))
        True
        """
        beta = self._sized("base values", self._own(base_values), self.rank)
        full = np.zeros((*beta.shape[:-1], len(self.names)))
        full[..., self.columns] = beta
        return full

    def model(self, model: Model, base_values: ArrayLike | Named) -> Model:
        """A model with the torque that these base values (or a Solution) stand for: dependent parameters are zero.

        Its links could not exist one by one, so it is a Model, not a Robot: it predicts and controls, but has no URDF.

        >>> robot = bf.Robot.load("two_link")
        >>> base = bf.base_parameters(robot)
        >>> same = base.model(robot, base.from_full(robot.parameters()))
        >>> state = [0.1, 0.2], [1, 2], [3, 4]
        >>> bool(np.allclose(same.inverse_dynamics(*state), robot.inverse_dynamics(*state)))
        True
        """
        if self.names != model.column_names(self.rows):
            raise ShapeError("parameters.other_robot/base_parameters")
        full = self.to_full(base_values)
        bodies = np.array(model.body_parameters)
        count = len(full) - len(model.drive_values)
        bodies[len(bodies) - count // 10 :] = full[:count].reshape(-1, 10)
        plain = Model(**{f.name: getattr(model, f.name) for f in fields(Model)})
        return replace(plain, body_parameters=bodies, drive_values=full[count:])

    def regressor(self, full: ArrayLike) -> Array:
        """The independent columns of a regressor, (..., columns) -> (..., rank).

        >>> robot = bf.Robot.load("two_link")
        >>> bf.base_parameters(robot).regressor(robot.regressor([0.1, 0.2], [0, 0], [1, 1])).shape
        (2, 6)
        """
        return self._sized("the regressor", full, len(self.names))[..., self.columns]

    def sights(self) -> tuple[Sight, ...]:
        """What is seen of every link and of every joint's drive: alone, in combination, not at all.

        >>> bf.base_parameters(bf.Robot.load("two_link")).sights()[1].alone
        ('mcx', 'mcy', 'Izz')
        """
        return sights(self.names, self.independent, self.matrix)

    def describe(self) -> str:
        """All of it in words.

        >>> print(bf.base_parameters(bf.Robot.load("pendulum")).describe())
        joint torque sees 3 combinations of 10 parameters (the singular values fall by inf behind number 3)
        link1
          alone           mcx, mcy, Izz
          not at all      mass, mcz, Ixx, Ixy, Iyy, Ixz, Iyz
        """
        seen = f"{SUBJECT[self.rows]} sees {self.rank} combinations of {len(self.names)} parameters"
        fall = f"the singular values fall by {self.gap.ratio:.2g} behind number {self.gap.rank}"
        doubt = "" if self.status == "clear" else f"; ambiguous: {' or '.join(map(str, self.candidates))}"
        paragraphs = [f"{seen} ({fall}{doubt})", *(sight.text() for sight in self.sights())]
        return "\n".join([*paragraphs, *map(str, self.findings)])

    def _own(self, base_values: ArrayLike | Named) -> ArrayLike:
        """Values of a named result, such as a Solution, if they are these base parameters."""
        if not isinstance(base_values, Named):
            return base_values
        if tuple(base_values.names) != self.independent:
            raise ShapeError("parameters.other")
        return base_values.values

    def _sized(self, what: str, values: ArrayLike, columns: int) -> Array:
        array = numbers(what, np.asarray(values))
        if array.ndim == 0 or array.shape[-1] != columns:
            raise ShapeError("shape.wrong/base_parameters", thing=what, shape=array.shape, columns=columns)
        return array


def base_parameters(
    model: Model,
    *,
    rows: Rows | None = None,
    keep: Sequence[str] = (),
    gravity: bool = True,
    states: tuple[Any, ...] | None = None,
    seed: int = 0,
    per_link: bool = False,
    bodies: Bodies = "all",
) -> BaseParameters:
    """Base parameters of a model or robot, with whatever friction, offset and rotor columns it has.

    `rows`: "joints", "base" (the wrench on the base) or "both"; left out: "joints", "both" for a floating robot.
    `keep`: names (or patterns, "joint*.rotor_inertia") of columns to keep if they can be, in this order.
    `gravity=False`: as if there were none. `per_link`: ten columns for every link of a robot, not for every body.
    `bodies="moving"`: without the columns of the base. `states`: recorded (position, velocity, acceleration), for a floating
    robot with its BaseMotion as a fourth; the grouping stays structural, `.data` says what these states see of it.

    >>> bf.base_parameters(bf.Robot.load("kuka_lwr4").with_friction(bf.Viscous() + bf.Coulomb()))
    BaseParameters(57 of 84, clear)
    """
    rows = model._rows(rows)
    model = model if gravity else replace(model, tree=model.tree.with_gravity(np.zeros(3)))
    columns = BaseColumns(model, rows, per_link, bodies)
    with one_blas_thread():
        return _analysed(model, columns, keep, states, seed)


def _analysed(
    model: Model, columns: BaseColumns, keep: Sequence[str], states: tuple[Any, ...] | None, seed: int
) -> BaseParameters:
    wanted, outright = columns.wishes(keep)
    written = found = _structure(model, columns, wanted, seed)
    findings: list[Finding] = []
    exact, off = snapped(model)
    if off:  # rounded angles make parameters of their rounding errors
        straight = _structure(exact, columns, wanted, seed)
        if straight.grouping.rank != written.grouping.rank:
            found = straight
            findings.append(rounded_angles(off, written.grouping, straight.grouping, _misfit(written, straight)))
    grouping = found.grouping
    findings += [*doubts(grouping), *not_kept(outright, columns.names, grouping)]
    base_factor = found.factor[:, grouping.independent]
    data = None if states is None else covered(model, columns, grouping.independent, states, base_factor)
    return BaseParameters(
        names=columns.names,
        **_named(columns.names, grouping),
        rows=columns.rows,
        singular_values=written.grouping.singular_values,
        gap=grouping.gap,
        gaps=written.grouping.gaps,
        scaled_gaps=written.grouping.scaled_gaps,
        status=grouping.status,
        candidates=grouping.candidates,
        findings=(*findings, *(data.findings() if data else ())),
        method=_method(found.samples, seed, found is not written),
        data=data,
    )


class _Structure(NamedTuple):
    """Columns at random states, and how they group."""

    factor: Array
    samples: int
    grouping: Grouping


def _structure(model: Model, columns: BaseColumns, wanted: list[int], seed: int) -> _Structure:
    factor, samples = random_factor(model.tree, model.drive_columns.columns, columns.rows, seed=seed)
    factor = columns.taken(factor, model)
    return _Structure(factor, samples, group(factor, columns.order(), keep=wanted))


def _misfit(written: _Structure, straight: _Structure) -> float:
    """What the exact structure leaves of the columns as written, relative."""
    base = straight.grouping
    rest = written.factor - written.factor[:, base.independent] @ base.matrix
    return float(np.linalg.norm(rest) / np.linalg.norm(written.factor))


def _named(names: tuple[str, ...], found: Grouping) -> dict[str, Any]:
    def of(places: NDArray[np.int64]) -> tuple[str, ...]:
        return tuple(names[k] for k in places)

    matrix, coefficients = found.matrix, found.coefficients
    for array in (matrix, coefficients):
        array.flags.writeable = False
    groups = {"independent": of(found.independent), "dependent": of(found.dependent), "no_effect": of(found.no_effect)}
    return groups | {"coefficients": coefficients, "matrix": matrix}


def _method(samples: int, seed: int, exact: bool) -> str:
    angles = "right angles made exact" if exact else "as written"
    return (
        f"{samples} random states (seed {seed}), {angles}; singular values of unscaled columns above {TOLERANCE:g} of the "
        "largest; columns kept one by one, from the base outwards"
    )

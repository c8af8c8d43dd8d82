"""What a recorded motion sees of the base parameters. The grouping itself is structure and is not redone on data.

A recording is often badly conditioned; a rank taken from it with the tolerance of a structural analysis would drop or keep
columns by chance. Here each base parameter is asked how much torque it causes that no other one could cause as well,

    own torque_j = distance of column j from the span of the others = 1 / |row j of R^-1|        [RMS per unit]

and that is compared with the same at random states. R is the triangular factor of the base columns at the data.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics import decompose
from bifilar.dynamics.grouping import triangular_factor
from bifilar.dynamics.random_states import CHUNK
from bifilar.dynamics.state import BaseMotion
from bifilar.dynamics.state import states as checked
from bifilar.dynamics.tree import Array
from bifilar.errors import Finding, ShapeError
from bifilar.robot.base_columns import BaseColumns
from bifilar.robot.base_words import combination
from bifilar.robot.model import Model

WEAK = 1e-2  # own torque below this share of that at random states


@dataclass(frozen=True, eq=False)
class Coverage:
    """Condition numbers and weak spots of data on a given set of base parameters.

    >>> robot = bf.Robot.load("two_link")
    >>> q, v, a = np.random.default_rng(0).normal(size=(3, 200, 2))
    >>> bf.base_parameters(robot, states=(q, v, a)).data.weak
    ()
    """

    samples: int
    condition: float  # of the base columns as they are
    scaled_condition: float  # of the base columns divided by their norms
    own_torque: Array  # (base parameters,) [RMS per unit of the parameter]
    visibility: Array  # (base parameters,) own torque relative to that at random states
    weak: tuple[str, ...]  # base parameters whose visibility is below 0.01
    directions: tuple[str, ...]  # combinations of base parameters that hardly change any torque, the weakest first

    def findings(self) -> tuple[Finding, ...]:
        """What a user should know about these data.

        >>> robot = bf.Robot.load("two_link")
        >>> still = np.zeros((50, 2))
        >>> bf.base_parameters(robot, states=(still, still, still)).data.findings()[0].severity
        'warning'
        """
        if not self.weak:
            return ()
        weakest = f"; the weakest direction is {self.directions[0]}" if self.directions else ""
        return (
            Finding(
                "motion.coverage",
                "warning",
                f"data of {self.samples} samples",
                weak_count=len(self.weak),
                visibility_count=len(self.visibility),
                weak=self.weak,
                weakest=weakest,
            ),
        )


def coverage(names: tuple[str, ...], data: Array, structure: Array, samples: int) -> Coverage:
    """From the factors of the base columns at the data and at random states, each divided by sqrt(samples).

    >>> coverage(("a.mass", "b.mass"), np.diag([1.0, 1e-4]), np.eye(2), 10).weak
    ('b.mass',)
    """
    own, reference = _own_torque(data), _own_torque(structure)
    visibility = own / reference
    norms = np.linalg.norm(data, axis=0)
    scaled = data / np.where(norms > 0, norms, 1.0)
    return Coverage(
        samples=samples,
        condition=_condition(data),
        scaled_condition=_condition(scaled),
        own_torque=own,
        visibility=visibility,
        weak=tuple(name for name, seen in zip(names, visibility) if seen < WEAK),
        directions=_weak_directions(names, data, reference),
    )


def covered(
    model: Model, columns: BaseColumns, independent: NDArray[np.int64], states: tuple[Any, ...], structure: Array
) -> Coverage:
    """What recorded states see of the independent columns; `structure` is the factor of these at random states.

    >>> robot = bf.Robot.load("pendulum")
    >>> columns = BaseColumns(robot, "joints", per_link=False, bodies="all")
    >>> still = np.zeros((3, 1))
    >>> covered(robot, columns, np.array([1, 2, 9]), (still, still, still), np.eye(3)).weak
    ('link1.mcx', 'link1.Izz')
    """
    if len(states) not in (3, 4) or (len(states) == 4 and not isinstance(states[3], BaseMotion)):
        raise ShapeError("states.form")
    (q, v, a), _ = checked(model.joint_names, position=states[0], velocity=states[1], acceleration=states[2])
    base = states[3] if len(states) == 4 else None
    rows = columns.rows
    step = max(1, CHUNK // max(1, len(model.row_names(rows)) * len(model.column_names(rows))))

    def block(start: int) -> Array:
        part = slice(start, start + step)
        Y = Model.regressor(model, q[part], v[part], a[part], rows=rows, base=_part(base, part))
        return columns.taken(Y, model)[..., independent]

    factor = triangular_factor(map(block, range(0, len(q), step)), len(independent)) / np.sqrt(max(1, len(q)))
    return coverage(tuple(columns.names[k] for k in independent), factor, structure, len(q))


def _part(base: BaseMotion | None, part: slice) -> BaseMotion | None:
    if base is None or base.samples == 1:
        return base
    return BaseMotion(pose=base.pose[part], twist=base.twist[part], acceleration=base.acceleration[part])


def _own_torque(R: Array) -> Array:
    """Distance of each column from the span of the others, without a threshold: a zero singular value gives zero."""
    if not R.size:
        return np.zeros(R.shape[1])
    _, s, Vt = decompose.svd(_square(R), full_matrices=False)
    largest = float(s[0]) or 1.0
    rows = np.sqrt(np.sum((Vt.T / np.maximum(s / largest, 1e-30)) ** 2, axis=1))
    return largest / rows if s[0] else np.zeros(len(rows))


def _weak_directions(names: tuple[str, ...], data: Array, reference: Array) -> tuple[str, ...]:
    """Right singular vectors of the data, in units of what random states show, with small singular values."""
    if not data.size:
        return ()
    unit = 1.0 / reference  # so much of a parameter as causes 1 N m of its own at random states
    _, s, Vt = decompose.svd(_square(data) * unit)
    found = [row * unit for row, value in zip(Vt[::-1], s[::-1]) if value < WEAK]
    return tuple(combination({n: c for n, c in zip(names, _leading(row)) if c}) for row in found)


def _leading(row: Array) -> Array:
    """The vector with its largest entry one and small ones left out."""
    row = row / row[np.argmax(np.abs(row))]
    return np.where(np.abs(row) < 0.05, 0.0, np.round(row, 3))


def _condition(R: Array) -> float:
    s = decompose.svd(_square(R), compute_uv=False) if R.size else np.ones(1)
    return float(s[0] / s[-1]) if s[-1] > 1e-20 * s[0] else np.inf


def _square(R: Array) -> Array:
    """Rows of zeros where there are fewer rows than columns."""
    return np.vstack([R, np.zeros((max(0, R.shape[1] - R.shape[0]), R.shape[1]))])

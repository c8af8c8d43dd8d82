"""Parts of the physically consistent fit: what is known before it, and how sure its values are after it.

    covariance    C = N (N' (R'R + w H) N)^-1 N',  H the prior's curvature at the answer, N what equations and bounds leave
                  free, ellipsoids that the mass of a link touches among them
    a doubted     C + C (P S P - P) C,  P = w H + V what the prior pulls by, S how far the nominal bodies are off, in shape and
      prior       in density (`prior_strength.scales`): a pull that no data oppose picks a value, it does not measure one. S is
                  that of the nominal bodies: at the edge of what can exist, H of the answer would claim to know all
    a bound       that a coefficient of friction is held by leaves it its bar, as if it were free: it could be a little off zero
    from data     1 - (C w H)_kk > 1/2: were the prior's value of parameter k moved, its estimate would follow by less than half

The second is the resolution of inverse theory (Backus and Gilbert 1968): a mass that no torque sees stays "prior" even where
the prior ties it to a first moment that is seen.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics import decompose
from bifilar.dynamics.tree import Array
from bifilar.errors import Note, SolveError
from bifilar.estimate.bodies import curvature_roots, margins
from bifilar.estimate.estimate import MASSES_UNKNOWN, Origin
from bifilar.estimate.physical_prior import DENSITY, HEAVIEST, LIGHTEST, physical_prior
from bifilar.estimate.physical_problem import PhysicalProblem
from bifilar.estimate.physical_rules import Rows
from bifilar.estimate.prior_strength import scales
from bifilar.estimate.problem import Problem
from bifilar.robot.robot import Robot

HELD = 1e-2  # standard deviations from a bound within which a value is held by it; an interior point stops at about 1e-4
ROUNDING = 1e-15  # of the largest singular value: what is below is rounding
EDGE = 1e-9  # margin of a body below which its curvature is rounding: nothing is said to come from data
FAINT = 1e-6  # of a drive column's norm: a pull to the nominal model where the data say nothing at all
MOST_OFF = 3.0  # a nominal mass over the true one, or the other way: more is another robot, or torque in another unit
LARGEST = 3.0  # RMS of a friction term over the RMS torque of its joint: other torque may cancel some of it


@dataclass(frozen=True, eq=False)
class Known:
    """What is believed before the data.

    >>> from bifilar.estimate.consistent_parts import Known
    >>> Known(np.zeros((0, 10)), np.zeros(2), ()).drives
    array([0., 0.])
    """

    bodies: Array  # (bodies, 10) that can exist
    drives: Array  # values of the drive columns
    notes: tuple[Note, ...]
    stated: NDArray[np.bool_] | None = None  # (bodies,) whose masses somebody stated; None: all
    limits: Array | None = None  # (bodies, 2) [kg] between which each mass may be

    def beyond(self, values: Array, slack: float = 0.0) -> NDArray[np.int64]:
        """Bodies whose mass is outside of its limits, or nearer than a share of them.

        >>> Known(np.ones((2, 10)), np.zeros(0), (), None, np.array([[0.3, 3.0], [0.3, 3.0]])).beyond(np.full(20, 4.0))
        array([0, 1])
        """
        if self.limits is None:
            return np.zeros(0, dtype=np.int64)
        masses = values[: self.bodies.size : 10]
        return np.flatnonzero((masses < (1 + slack) * self.limits[:, 0]) | (masses > (1 - slack) * self.limits[:, 1]))

    def mass_pulls(self, weight: float) -> Array:
        """Curvature [1/kg^2] of the belief in each mass by itself, (bodies,): none in masses that were made up.

        >>> Known(np.full((2, 10), 2.0), np.zeros(0), (), np.array([True, False])).mass_pulls(100.0)
        array([25.,  0.])
        """
        pulls = weight / self.bodies[:, 0] ** 2
        return pulls if self.stated is None else np.where(self.stated, pulls, 0.0)


def known_bodies(problem: Problem, prior: Robot | None, triangle: Array, total: float | None = None) -> Known:
    """The prior's bodies, repaired; masses that nothing is known of are scaled so that the torque fits best.

    With the `total` [kg] of all masses, all are scaled to it. No mass may be beyond a factor of `MOST_OFF` of what is stated,
    or beyond materials in the link's outline.

    >>> from bifilar.estimate.consistent_parts import known_bodies
    >>> robot = bf.Robot.load("pendulum")
    >>> q, v, a = np.random.default_rng(0).normal(size=(3, 50, 1))
    >>> problem = bf.Problem.of(robot, (q, v, a, robot.inverse_dynamics(q, v, a)), friction=())
    >>> float(known_bodies(problem, None, problem.triangle([1.0])).bodies[0, 0])
    1.0
    """
    source = problem.robot if prior is None else prior
    if source.body_names != problem.robot.body_names:
        raise SolveError("prior.other_robot", prior=source.body_names, robot=problem.robot.body_names)
    found = physical_prior(source)
    first = len(found.bodies) - (len(problem.names) - len(problem.robot.drive_values)) // 10
    bodies, invented, notes = found.bodies[first:].copy(), found.invented[first:], found.notes
    spread = np.where(invented[:, None], np.array([LIGHTEST, HEAVIEST]) / DENSITY, np.array([1 / MOST_OFF, MOST_OFF]))
    limits = bodies[:, :1] * spread
    if total is not None:
        factor = total / float(bodies[:, 0].sum())
        bodies *= factor
        limits = np.where(invented[:, None], limits, factor * limits)
        limits = np.column_stack([np.minimum(limits[:, 0], bodies[:, 0]), np.maximum(limits[:, 1], bodies[:, 0])])
        notes = (*notes, Note("masses.scaled", factor=factor))
    elif invented.any():
        factor = _common_factor(problem, bodies, invented, triangle)
        bodies[invented] *= factor
        notes = (*notes, Note("masses.from_shapes", factor=factor))
    if not found.sized and total is None:
        notes = (*notes, Note(MASSES_UNKNOWN))
    drives = np.array(problem.robot.drive_values)
    return Known(bodies, drives, notes, ~invented, limits)


def _common_factor(problem: Problem, bodies: Array, invented: NDArray[np.bool_], triangle: Array) -> float:
    """One number for all invented bodies, by least squares beside the drives."""
    count, width = len(problem.base), len(problem.names)
    r, z = triangle[:, :count] @ problem.base.matrix, triangle[:, count]
    guess, stated = np.zeros(width), np.zeros(width)
    guess[: bodies.size] = np.where(invented[:, None], bodies, 0.0).ravel()
    stated[: bodies.size] = np.where(invented[:, None], 0.0, bodies).ravel()
    columns = np.column_stack([r @ guess, r[:, bodies.size :]])
    size = np.linalg.norm(columns, axis=0)
    size = np.where(size > 0, size, 1.0)
    factor = float((decompose.lstsq(columns / size, z - r @ stated, rcond=1e-10)[0] / size)[0])
    return float(np.clip(factor, LIGHTEST / DENSITY, HEAVIEST / DENSITY)) if factor > 0 else 1.0


def mass_rows(known: Known, width: int, weight: float) -> tuple[Array, Array]:
    """Rows (bodies, width) and right sides that hold each stated mass by itself.

    >>> from bifilar.estimate.consistent_parts import Known, mass_rows
    >>> rows, side = mass_rows(Known(np.full((1, 10), 2.0), np.zeros(0), ()), 10, 100.0)
    >>> rows[0, :2], side
    (array([5., 0.]), array([10.]))
    """
    strength = np.sqrt(known.mass_pulls(weight))
    rows = np.zeros((len(strength), width))
    rows[np.arange(len(strength)), 10 * np.arange(len(strength))] = strength
    return rows, strength * known.bodies[:, 0]


def drive_rows(factor: Array, known: Known, target: Array | None = None) -> tuple[Array, Array]:
    """Rows of a weak prior: a drive column alone is not larger than all torque, by about a standard deviation.

    Where data see a column this is less than one row among all; where two columns say the same they share what they explain.
    Without the `target`, in units of the noise, the pull is as faint as it can be.

    >>> from bifilar.estimate.consistent_parts import Known, drive_rows
    >>> drive_rows(np.eye(12), Known(np.ones((1, 10)), np.zeros(2), ()), np.ones(12))[0].shape
    (2, 12)
    """
    inertial, drives = known.bodies.size, len(known.drives)
    norms = np.linalg.norm(factor[:, inertial:], axis=0)
    torque = np.inf if target is None else max(float(np.linalg.norm(target)), 1.0)
    strength = np.maximum(FAINT, 1.0 / torque) * np.where(norms > 0, norms, max(float(norms.max(initial=0.0)), 1.0))
    rows = np.zeros((drives, factor.shape[1]))
    rows[:, inertial:] = np.diag(strength)
    return rows, strength * known.drives


def within_torque(problem: Problem, rows: Rows) -> Rows:
    """The same conditions with friction bounded by the recorded torque: a term is at most `LARGEST` times that of its joint.

    Rotor inertia is not bounded so: a fast arm's inertial torques cancel each other.

    >>> from bifilar.estimate.consistent_parts import within_torque
    >>> from bifilar.estimate.physical_rules import rules
    >>> robot = bf.Robot.load("pendulum").with_friction(bf.Offset())
    >>> still, one = np.zeros((90, 1)), np.ones((90, 1))
    >>> problem = bf.Problem.of(robot, (still, still, still, 2 * one))
    >>> within_torque(problem, rules(problem.robot)).upper[-1].round(6)
    np.float64(6.0)
    """
    columns, names = problem.robot.drive_columns.columns, problem.names
    first = len(names) - columns.count
    limit = np.full(len(names), np.inf)
    squares, torque = np.zeros(len(names)), np.zeros(len(names))
    for row in problem.merged.rows:
        own = np.sum(row.triangle[:, :-1] ** 2, axis=0)
        squares[row.columns] += own
        torque[row.columns] += np.where(own > 0, np.sum(row.triangle[:, -1] ** 2), 0.0)
    friction = first + np.flatnonzero(~columns.is_inertia)
    seen = friction[(squares[friction] > 0) & (torque[friction] > 0)]
    limit[seen] = LARGEST * np.sqrt(torque[seen] / squares[seen])
    return replace(rows, lower=np.maximum(rows.lower, -limit), upper=np.minimum(rows.upper, limit))


@dataclass(frozen=True, eq=False)
class Spread:
    """How sure values are, and where each comes from.

    >>> from bifilar.estimate.consistent_parts import Spread
    >>> Spread(np.array([[2.0]]), ("data",)).covariance
    array([[4.]])
    """

    root: Array  # (columns, directions that are free): root root' is the covariance if errors of rows are independent
    origins: tuple[Origin, ...]
    doubt: Array | None = None  # (directions, directions) to be added to the unit matrix between the roots

    @property
    def covariance(self) -> Array:
        """Of all values, the prior's part included, if errors of rows are independent.

        >>> from bifilar.estimate.consistent_parts import Spread
        >>> Spread(np.full((1, 1), 3.0), ("data",)).covariance
        array([[9.]])
        """
        return self.root @ self.root.T + self.doubted(self.root)

    def doubted(self, roots: Array) -> Array:
        """What doubts in the prior add to the covariance of values with these roots (values, directions).

        >>> from bifilar.estimate.consistent_parts import Spread
        >>> Spread(np.eye(1), ("prior",), np.full((1, 1), 3.0)).doubted(np.full((1, 1), 2.0))
        array([[12.]])
        """
        return np.zeros((len(roots), len(roots))) if self.doubt is None else roots @ self.doubt @ roots.T


def spread_of(stated: PhysicalProblem, values: Array, mass_pulls: Array | None = None, believed: float | None = None) -> Spread:
    """How sure all values are and where each comes from.

    `mass_pulls`: curvatures among the rows that are no data. `believed`: weight that the prior deserves.

    >>> from bifilar.estimate.consistent_parts import spread_of
    >>> from bifilar.estimate.physical_problem import PhysicalProblem
    >>> ball = np.array([1.0, 0, 0, 0, 0.1, 0, 0.1, 0, 0, 0.1])
    >>> one = PhysicalProblem(factor=10 * np.eye(1, 10), target=np.full(1, 10.0), prior=ball[None], weight=1.0)
    >>> spread = spread_of(one, ball)
    >>> spread.covariance[0, 0].round(4), spread.origins[0], spread.origins[4]
    (np.float64(0.0099), 'data', 'prior')
    """
    width = len(values)
    bodies, inertial = stated.bodies, 10 * stated.bodies
    free = stated.lower < stated.upper
    weight = np.asarray(stated.weight)
    strength = np.sqrt(np.where(weight > 0, weight, 1e-12))
    roots = curvature_roots(values[:inertial].reshape(-1, 10)) * strength[:, None, None]
    curvature = roots @ np.swapaxes(roots, 1, 2)
    scale = np.ones(width)
    scale[:inertial] = 1.0 / np.linalg.norm(roots, axis=2).ravel()
    norms = np.linalg.norm(stated.factor[:, inertial:], axis=0)
    scale[inertial:] = 1.0 / np.where(norms > 0, norms, 1.0)
    belief = np.zeros((inertial, width))
    for k in range(bodies):
        at = slice(10 * k, 10 * k + 10)
        _, sizes, axes = decompose.svd((scale[at, None] * roots[k]).T, full_matrices=False)
        belief[at, at] = np.maximum(sizes, ROUNDING * sizes[0])[:, None] * axes  # none is zero: every direction is held
    pulls = np.vstack([stated.factor * scale, belief])
    root = scale[:, None] * _inverse_root(pulls, _basis(stated.equal[0], free, scale))
    touched = _touched(stated, values, root)
    if len(touched):
        root = scale[:, None] * _inverse_root(pulls, _basis(np.vstack([stated.equal[0], touched]), free, scale))
    followed = np.zeros(width)
    for k in range(bodies):
        at = slice(10 * k, 10 * k + 10)
        followed[at] = np.einsum("kl,lk->k", root[at] @ root[at].T, curvature[k])
    if mass_pulls is not None:
        places = 10 * np.arange(bodies)
        followed[places] += mass_pulls * np.sum(root[places] ** 2, axis=1)
    resolved = np.repeat(margins(values[:inertial].reshape(-1, 10)) > EDGE, 10)
    seen = np.concatenate([resolved, norms > 1e-9 * norms.max(initial=0.0)])
    from_data = free & seen & (followed < 0.5) & ~_held(stated, values)
    pulls_of_masses = np.zeros(bodies) if mass_pulls is None else mass_pulls
    doubt = None if believed is None else _doubt(root, curvature, stated.prior, pulls_of_masses, believed)
    return Spread(root, tuple("data" if one else "prior" for one in from_data), doubt)


def _doubt(root: Array, curvature: Array, nominal: Array, mass_pulls: Array, believed: float) -> Array:
    """P S P - P between the roots, from the curvatures w H of the prior at the answer and the nominal bodies."""
    total = np.zeros((root.shape[1], root.shape[1]))
    for k, moved in enumerate(scales(nominal)):
        part, pull = root[10 * k : 10 * k + 10], curvature[k].copy()
        pull[0, 0] += mass_pulls[k]
        through = (pull @ moved).T @ part
        total += through.T @ through / believed - part.T @ pull @ part
    return total


def _held(stated: PhysicalProblem, values: Array) -> NDArray[np.bool_]:
    """Columns that a bound holds."""
    norms = np.linalg.norm(stated.factor, axis=0)
    near = HELD / np.where(norms > 0, norms, np.inf)  # about that share of a standard deviation
    return np.asarray((values <= stated.lower + near) | (values >= stated.upper - near))


def _touched(stated: PhysicalProblem, values: Array, root: Array) -> Array:
    """Rows of the inequalities that hold the values, (k, columns): nothing is left to them, seen in their own deviations."""
    matrix, side = stated.above
    return matrix[matrix @ values - side <= HELD * np.linalg.norm(matrix @ root, axis=1)]


def _inverse_root(pulls: Array, basis: Array) -> Array:
    """Root of the covariance in the directions that are free."""
    triangle = np.array(np.linalg.qr(pulls @ basis, mode="r"), dtype=float)
    places = np.arange(len(triangle))
    least = ROUNDING * np.abs(triangle).max(initial=np.finfo(float).tiny)
    diagonal = triangle[places, places]
    triangle[places, places] = np.where(np.abs(diagonal) < least, least, diagonal)
    return np.asarray(np.linalg.solve(triangle.T, basis.T), dtype=float).T


def _basis(a: Array, free: NDArray[np.bool_], scale: Array) -> Array:
    """Scaled directions in which the values can move: those in which all rows of `a` stay."""
    kept = np.eye(len(free))[:, free]
    if not len(a):
        return kept
    rows = (a * scale) @ kept
    rows = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), np.finfo(float).tiny)
    _, singular, directions = decompose.svd(rows)
    return kept @ directions[int(np.sum(singular > 1e-12 * singular[0])) :].T

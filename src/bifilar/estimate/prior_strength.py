"""How strongly to hold bodies near the nominal model: what the data say of its errors, checked on held-out blocks.

The weight w of the log-det prior means: every body is known beforehand to about s = 1 / sqrt(w), relative, in units of the
torque noise. Where torque shows a combination of inertial parameters, it shows by how much the nominal model is off there;
these combinations together tell s (`nominal_deviation`; few of them leave it open, so its RMS is taken), and all logs of a
machine tell about the same. c / s^2 is the standard weight:

    y_k ~ Student(0, c + s^2 g_k^2),     y = U'(z - R phi_nominal),   g: singular values of the columns in units of the prior

y: what data say in each direction beside the nominal model, friction eliminated, in units of the noise. c: variance of
errors as parameters see them, over that of white ones (`colour`): errors that follow each other, from whatever the model
lacks, tell c times less. The law is Student's with four degrees of freedom, because a nominal model has single numbers that
are plainly wrong (a rotor that no file states). s itself is taken to be 20 % to a factor of two before the data: that
decides where they are silent. The law's scale is taken for the deviation, though normal numbers of that scale have 1.2
times as much: density, turns and shifts (`scales`) are in part among the ten changes of shape and count twice.

The formula trusts the friction to be right. Held-out blocks do not, so weights around the
standard one are tried on them, too. With the errors e_k of K folds, d_k = e_k(candidate) - e_k(best), a candidate is
clearly worse if

    mean(d) > max( 2 std(d) / sqrt(K),  1 / rows,  0.01 mean(e of the best) )

two standard errors of the paired difference, more than one squared noise in all rows together, and half a per cent of the RMSE,
which nobody would notice. Of what is not clearly
worse the weight nearest to the standard one is taken. One standard error would be exceeded by luck in every fifth of logs
that are alike, and each time the weight would change by a factor of ten. Masses are held by themselves too, to 20 %
(`MASSES`): what torque sees must not decide what it does not see, and where data ask for a weak prior, masses that no
torque shows would run away.

Error bars take the nominal model to be off by s everywhere, whatever the weight that was chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from bifilar.dynamics import decompose
from bifilar.dynamics.tree import Array
from bifilar.errors import Note
from bifilar.estimate.bodies import pseudo, ten_of
from bifilar.estimate.problem import Problem

Rule = Literal["best", "standard"]
USUAL = 0.2  # deviation of a nominal model's numbers from the machine's, relative, before any data
UNSURE = float(np.log(2.0))  # deviation of the logarithm of that number
CLOSEST, WIDEST = (
    0.05,
    1.0,
)  # deviations that a standard weight stands for: weighing parts gives the first, the second is no prior
MASSES = 1.0 / USUAL**2  # weight of the masses by themselves
STEPS = tuple(10.0 ** np.array([-2, -1, -0.5, 0, 0.5, 1, 2]))  # weights that are tried, in standard weights
TAILS = 4.0  # degrees of freedom of Student's law
CLEAR = 2.0  # standard errors
MATTERS = 0.01  # of the mean squared error: half a per cent of the RMSE
QUIET = 1e-9  # of the torque: held-out errors below this are rounding, and equal
TIE = 1e-7  # relative difference of two means that the solver's tolerance makes
FOLDS = 5


def _units() -> Array:
    """Symmetric 4 x 4 matrices of norm 1, (10, 4, 4)."""
    units = np.zeros((10, 4, 4))
    for unit, i, j in zip(units, *np.tril_indices(4), strict=True):
        unit[i, j] = unit[j, i] = 1.0 if i == j else np.sqrt(0.5)
    return units


def _turns() -> Array:
    """Turns about the axes in the first three of four places, (3, 4, 4)."""
    turns = np.zeros((3, 4, 4))
    for turn, (i, j) in zip(turns, ((1, 2), (2, 0), (0, 1)), strict=True):
        turn[i, j], turn[j, i] = -1.0, 1.0
    return turns


def _shifts() -> Array:
    """Shifts along the axes, (3, 4, 4)."""
    shifts = np.zeros((3, 4, 4))
    shifts[np.arange(3), np.arange(3), 3] = 1.0
    return shifts


UNITS, TURNS, SHIFTS = _units(), _turns(), _shifts()

Solver = Callable[[Array, Array, list[float]], list[Array]]  # factor, target, falling weights -> values for each


@dataclass(frozen=True, eq=False)
class PriorStrength:
    """Held-out errors of every weight tried, and the choice.

    >>> from bifilar.estimate.prior_strength import PriorStrength
    >>> table = PriorStrength(np.array([1.0, 10.0]), np.array([[1.0, 1.2], [1.1, 1.3]]), "best", 0, 10.0, 0.3)
    >>> print(table.text())
        weight  deviation  held-out RMSE
             1      100 %          1.049  chosen
            10       32 %          1.095  standard
    """

    weights: Array  # tried, rising
    errors: Array  # (weights, folds) mean squared error of a held-out row, in units of the noise
    rule: Rule
    chosen: int
    standard: float  # weight that was begun with
    deviation: float  # of the nominal model, relative: what error bars take for true
    colour: float = 1.0  # variance of errors as parameters see them, over that of white ones

    @property
    def weight(self) -> float:
        """The choice.

        >>> from bifilar.estimate.prior_strength import PriorStrength
        >>> PriorStrength(np.array([1.0, 10.0]), np.ones((2, 3)), "best", 1, 10.0, 0.3).weight
        10.0
        """
        return float(self.weights[self.chosen])

    @property
    def mass_weight(self) -> float:
        """Of the masses by themselves: colour/(relative deviation)^2.

        >>> from bifilar.estimate.prior_strength import PriorStrength
        >>> round(PriorStrength(np.ones(1), np.ones((1, 3)), "best", 0, 1.0, 0.3).mass_weight, 9)
        25.0
        """
        return self.colour * MASSES

    @property
    def believed(self) -> float:
        """The weight that error bars take for true: that of the deviation, or a weaker one that was chosen.

        >>> from bifilar.estimate.prior_strength import PriorStrength
        >>> PriorStrength(np.full(1, 9.0), np.ones((1, 3)), "best", 0, 9.0, 0.5).believed
        4.0
        """
        return min(1.0 / self.deviation**2, self.weight)

    @property
    def notes(self) -> tuple[Note, ...]:
        """What should be known about the choice; empty if it is an ordinary one.

        >>> from bifilar.estimate.prior_strength import PriorStrength
        >>> moved = PriorStrength(np.array([1.0, 10.0]), np.array([[1.0, 1.1], [2.0, 2.1]]), "standard", 0, 10.0, 0.3)
        >>> moved.notes[0].code
        'prior.moved'
        """
        if not np.isfinite(self.errors).all():
            return (Note("prior.few_blocks"),)
        notes = []
        if self.weight != self.standard:
            side = "weaker" if self.weight < self.standard else "stronger"
            notes.append(Note("prior.moved", standard=self.standard, weight=self.weight, side=side))
        if self.weights.min() < self.weights.max() and self.weight in (self.weights.min(), self.weights.max()):
            end = "weakest" if self.weight == self.weights.min() else "strongest"
            notes.append(Note("prior.at_end", end=end))
        return tuple(notes)

    def facts(self) -> dict[str, Any]:
        """As plain values.

        >>> from bifilar.estimate.prior_strength import PriorStrength
        >>> PriorStrength(np.ones(1), np.ones((1, 3)), "best", 0, 1.0, 0.5).facts()["deviation"]
        0.5
        """
        names = ("weight", "standard", "deviation", "colour")
        return {name: float(getattr(self, name)) for name in names} | {"masses": self.mass_weight}

    def text(self) -> str:
        """A line per weight.

        >>> from bifilar.estimate.prior_strength import PriorStrength
        >>> PriorStrength(np.array([100.0]), np.ones((1, 3)), "best", 0, 1.0, 0.3).text().splitlines()[1]
        '       100       10 %              1  chosen'
        """
        lines = [f"{'weight':>10}  {'deviation':>9}  {'held-out RMSE':>13}"]
        for k, (weight, errors) in enumerate(zip(self.weights, self.errors, strict=True)):
            known = percent(1.0 / np.sqrt(weight)) if weight > 0 else "-"
            mark = ("  chosen" if k == self.chosen else "") + ("  standard" if weight == self.standard else "")
            lines.append(f"{weight:>10.3g}  {known:>9}  {np.sqrt(errors.mean()):>13.4g}{mark}")
        return "\n".join(lines)


def percent(share: float) -> str:
    """A share in words.

    >>> from bifilar.estimate.prior_strength import percent
    >>> percent(1.0), percent(0.0316)
    ('100 %', '3.2 %')
    """
    return f"{100 * share:.0f} %" if share >= 0.1 else f"{100 * share:.2g} %"


def scales(bodies: Array) -> Array:
    """Changes of a nominal body by one deviation of 100 %, columns (bodies, 10, 17).

    Ten of shape, a unit of the log-det metric each: J = G (1 + E) G' with E a symmetric unit matrix. One of density, which
    scales all ten numbers. Three turns about the centre of mass by one radian, and three shifts of that by the radius of
    gyration (RMS of the axes): the ends of the body then move as far as the others move them. Across a flat body that is
    more than the log-det metric grants, which would know its axes and its centre to a share of its thickness.

    >>> from bifilar.estimate.prior_strength import scales
    >>> ball = np.array([[2.0, 0, 0, 0, 0.1, 0, 0.1, 0, 0, 0.1]])
    >>> bool(np.isclose(np.sum(scales(ball)[0, 0, :10] ** 2), 4.0)), float(scales(ball)[0, 0, 10])
    (True, 2.0)
    >>> bool(np.abs(scales(ball)[0, :, 11:14]).max() < 1e-12)  # a ball that is turned stays the same
    True
    """
    matrices = pseudo(bodies)
    root = np.linalg.cholesky(matrices)
    turned = np.einsum("bij,ujk,blk->buil", root, UNITS, root)
    first = bodies[:, 1:4]
    about = np.zeros_like(matrices)
    about[:, :3, :3] = matrices[:, :3, :3] - first[:, :, None] * first[:, None, :] / bodies[:, 0][:, None, None]
    half = np.einsum("uij,bjk->buik", TURNS, about)
    radius = np.sqrt(np.einsum("bii->b", about) / (3 * bodies[:, 0]))
    pushed = radius[:, None, None, None] * np.einsum("uij,bjk->buik", SHIFTS, matrices)
    turned = np.concatenate([turned, matrices[:, None], _doubled(half), _doubled(pushed)], axis=1)
    return np.swapaxes(ten_of(turned), 1, 2)


def _doubled(half: Array) -> Array:
    return half + np.swapaxes(half, 2, 3)


def colour(problem: Problem, row_weights: Array) -> float:
    """Variance of errors as parameters see them, over that of white ones, at least 1: from how the sums over blocks scatter.

    With blocks R_b, z_b of the weighted equations, errors g_b = R_b'(z_b - R_b x) and A = sum R_b'R_b,

        c = tr(A^-1 sum g_b g_b') / sum tr(A^-1 A_b - A^-1 A_b A^-1 A_b)

    >>> from bifilar.estimate.prior_strength import colour
    >>> robot = bf.Robot.load("pendulum")
    >>> q, v, a, e = np.random.default_rng(0).normal(size=(4, 900, 1))
    >>> data = q, v, a, robot.inverse_dynamics(q, v, a) + e
    >>> bool(colour(bf.Problem.of(robot, data, friction=()), np.ones(1)) < 1.5)
    True
    """
    count = len(problem.base)
    blocks = [problem.choose([k]).triangle(row_weights) for k in range(len(problem.reduction.blocks))]
    whole = np.asarray(np.linalg.qr(np.vstack(blocks), mode="r"))
    left, sizes, turned = decompose.svd(whole[:, :count], full_matrices=False)
    seen = sizes > 1e-9 * sizes.max(initial=1e-300)
    back = turned[seen].T / sizes[seen]  # whitens: back' A back = 1
    values = back @ (left[:, seen].T @ whole[:, count])
    found = expected = 0.0
    for block in blocks:
        r = block[:, :count] @ back
        found += float(np.sum((r.T @ (block[:, count] - block[:, :count] @ values)) ** 2))
        expected += float(np.sum(r**2) - np.sum((r.T @ r) ** 2))
    return max(found / expected, 1.0) if expected > 0 and np.isfinite(found) else 1.0


def nominal_deviation(factor: Array, target: Array, bodies: Array, variance: float = 1.0) -> float:
    """By how much the nominal bodies are off, relative: the RMS of s, as likely as the data make each.

    `factor`: (rows, columns) of all columns in units of the noise, those of the bodies first; `target`: (rows,). `variance`: of
    the errors in these units.

    >>> from bifilar.estimate.prior_strength import nominal_deviation, scales
    >>> ball = np.array([[2.0, 0, 0, 0, 0.1, 0, 0.1, 0, 0, 0.1]])
    >>> round(nominal_deviation(np.zeros((3, 10)), np.zeros(3), ball), 2)  # data that say nothing: 20 % to a factor of two
    0.32
    >>> machine = ball[0] + 0.5 * scales(ball)[0] @ np.random.default_rng(0).normal(size=17)
    >>> bool(0.2 < nominal_deviation(1e4 * np.eye(10), 1e4 * machine, ball) < 1.2)
    True
    """
    inertial = bodies.size
    drives = factor[:, inertial:]
    beside = target - factor[:, :inertial] @ bodies.ravel()
    moved = scales(bodies)
    columns = np.hstack([factor[:, 10 * k : 10 * k + 10] @ moved[k] for k in range(len(bodies))])
    size = np.linalg.norm(drives, axis=0)
    if np.any(size > 0):
        left, sizes, _ = decompose.svd(drives[:, size > 0] / size[size > 0], full_matrices=False)
        left = left[:, sizes > 1e-10 * sizes[0]]
        beside, columns = beside - left @ (left.T @ beside), columns - left @ (left.T @ columns)
    directions, gains, _ = decompose.svd(columns, full_matrices=False)
    seen = np.square(directions.T @ beside)[gains > 0]
    gains = np.square(gains[gains > 0])

    def cost(log: float) -> float:
        total = variance + np.exp(2 * log) * gains
        tails = 0.5 * (TAILS + 1) * np.log1p(seen / (TAILS * total))
        return float(np.sum(0.5 * np.log(total) + tails)) + 0.5 * ((log - np.log(USUAL)) / UNSURE) ** 2

    logs = np.linspace(np.log(1e-3), np.log(1e2), 116)
    costs = np.array([cost(log) for log in logs])
    likely = np.exp(costs.min() - costs)
    return float(np.sqrt(likely @ np.exp(2 * logs) / likely.sum()))


def standard_weight(deviation: float, bodies: Array | None = None) -> float:
    """The weight of a log-det prior that is as wide as nominal bodies which are off by this deviation.

    Its ten deviations alone have a smaller volume than all of `scales`: the weight is that of equal volume.

    >>> from bifilar.estimate.prior_strength import standard_weight
    >>> round(standard_weight(0.2), 9), standard_weight(30.0)
    (25.0, 1.0)
    >>> standard_weight(0.2, np.array([[2.0, 0, 0, 0, 0.1, 0, 0.1, 0, 0, 0.1]])) < 25.0
    True
    """
    weight = float(1.0 / np.clip(deviation, CLOSEST, WIDEST) ** 2)
    if bodies is None or not len(bodies):
        return weight
    moved = scales(bodies)
    more = np.linalg.solve(moved[:, :, :10], moved[:, :, 10:])
    volume = np.linalg.slogdet(np.eye(10) + more @ np.swapaxes(more, 1, 2))[1]
    return weight / float(np.exp(np.mean(volume) / 10))


def folds_of(problem: Problem, folds: int = FOLDS) -> list[list[int]]:
    """Blocks of time, a stretch per fold; fewer folds if there are fewer blocks.

    >>> from bifilar.estimate.prior_strength import folds_of
    >>> robot, still = bf.Robot.load("pendulum"), np.zeros((90, 1))
    >>> [len(fold) for fold in folds_of(bf.Problem.of(robot, (still, still, still, still), friction=()), 3)]
    [4, 4, 4]
    """
    blocks = len(problem.reduction.blocks)
    return [list(map(int, part)) for part in np.array_split(np.arange(blocks), min(folds, blocks)) if len(part)]


def prior_strength(
    problem: Problem,
    row_weights: Array,
    solver: Solver,
    *,
    deviation: float = USUAL,
    variance: float = 1.0,
    bodies: Array | None = None,
    weights: Sequence[float] | None = None,
    rule: Rule = "standard",
    folds: int = FOLDS,
) -> PriorStrength:
    """Tries weights on every fold; `solver` gives the values of all columns for a factor of the base columns.

    `deviation`: of the nominal model; `variance`: of errors as parameters see them, `colour`; `bodies`: the nominal ones.
    `weights`: left out, the standard weight of these two and its neighbours.

    >>> from bifilar.estimate.prior_strength import prior_strength
    >>> robot = bf.Robot.load("pendulum")
    >>> q, v, a = np.random.default_rng(0).normal(size=(3, 90, 1))
    >>> problem = bf.Problem.of(robot, (q, v, a, robot.inverse_dynamics(q, v, a)), friction=())
    >>> nominal = lambda factor, target, weights: [robot.parameters().values for _ in weights]
    >>> found = prior_strength(problem, np.ones(1), nominal)
    >>> bool(found.errors.max() < 1e-12), round(found.weight, 9)
    (True, 25.0)
    """
    parts, standard = folds_of(problem, folds), variance * standard_weight(deviation, bodies)
    tried = np.sort(standard * np.array(STEPS) if weights is None else np.asarray(weights, dtype=float))
    standard = float(tried[np.argmin(np.abs(np.log(np.maximum(tried, 1e-300) / standard)))])
    begun = max(deviation, CLOSEST)
    if len(parts) < 2:
        unknown = np.full((len(tried), 1), np.nan)
        return PriorStrength(tried, unknown, rule, tried.tolist().index(standard), standard, begun, variance)
    errors = _errors(problem, parts, row_weights, solver, tried)
    silent = 1.0 / (problem.reduction.samples * len(problem.row_names))
    return PriorStrength(tried, errors, rule, choice(errors, rule, tried, standard, silent), standard, begun, variance)


def _errors(problem: Problem, parts: list[list[int]], row_weights: Array, solver: Solver, tried: Array) -> Array:
    """Mean squared error of a held-out row for every weight and fold, (weights, folds)."""
    errors = np.zeros((len(tried), len(parts)))
    held = [problem.choose(part) for part in parts]
    triangles = [fold.triangle(row_weights) for fold in held]
    count = len(problem.base)
    rows = problem.reduction.samples * len(problem.row_names)
    least = QUIET**2 * sum(float(outer[:, count] @ outer[:, count]) for outer in triangles) / max(rows, 1)
    for column, (fold, outer) in enumerate(zip(held, triangles, strict=True)):
        inner = np.asarray(np.linalg.qr(np.vstack([each for each in triangles if each is not outer]), mode="r"))
        found = solver(inner[:count, :count], inner[:count, count], tried[::-1].tolist())  # the strongest first
        for row, values in enumerate(reversed(found)):
            error = outer[:, :count] @ problem.base.from_full(values) - outer[:, count]
            errors[row, column] = max(float(error @ error) / (fold.reduction.samples * len(problem.row_names)), least)
    return errors


def choice(errors: Array, rule: Rule, weights: Array, standard: float, silent: float = 0.0) -> int:
    """Which weight (row) to take, from errors (weights, folds). `silent`: excess of a mean that is no evidence.

    >>> from bifilar.estimate.prior_strength import choice
    >>> errors, weights = np.array([[1.0, 1.1, 1.2], [1.0, 1.2, 1.3], [2.0, 2.0, 2.0]]), np.array([1.0, 10.0, 100.0])
    >>> choice(errors, "best", weights, 100.0), choice(errors, "standard", weights, 100.0)
    (0, 1)
    """
    mean = errors.mean(axis=1)
    best = int(np.argmax(mean <= (1.0 + TIE) * mean.min()))
    if rule == "best":
        return best
    differences = errors - errors[best]
    spread = np.std(differences, axis=1, ddof=1) / np.sqrt(errors.shape[1])
    clear = differences.mean(axis=1) > np.maximum(np.maximum(CLEAR * spread, silent), MATTERS * mean[best])
    away = np.abs(np.log(np.maximum(weights, 1e-300) / standard))
    return int(np.argmin(np.where(clear, np.inf, away)))

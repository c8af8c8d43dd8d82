"""Newton's method for bodies that can exist: primal-dual steps in coordinates where every prior body is the unit matrix.

The log-det prior is the central path of a semidefinite programme, stopped at its weight instead of zero: one method serves
both. Every step linearises the conditions of the optimum (log_det_system.py), predicts and corrects (Mehrotra 1992). The dual
value bounds what is left to gain. `newton_path` follows the optimum from a strong prior to a weak one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from bifilar.dynamics import decompose
from bifilar.dynamics.blas import lapack, one_blas_thread
from bifilar.dynamics.tree import Array
from bifilar.estimate.log_det_system import ONE, Point, Scaled, System, flipped, matrix_of, vector_of
from bifilar.estimate.physical_problem import Outcome, PhysicalAnswer, PhysicalProblem

TOLERANCE = 1e-10  # of the cost: what may be left to gain
ITERATIONS = 100
NEAREST = 0.995  # share of the way to the border that a step may go
SHORT = 0.3  # steps below this lead back to the middle of the path first
WARM = 20  # steps from a place that should be near, before it starts from the prior
INSIDE = 0.1  # least eigenvalue, seen from the prior, of a body that steps start from
OUTSIDE = -1.0  # the same of a body that lies too far outside to be drawn back
FAINT = 1e-8  # of its norm: what keeps a column that nothing sees at zero
ROUNDED = 1e-9  # of the largest eigenvalue of a multiplier: what is taken for zero where there is no prior
LOOSE = 0.02  # product of slack and multiplier, in squares of the noise, that bounds have where a path goes on


def newton(
    problem: PhysicalProblem, *, start: Array | None = None, iterations: int = ITERATIONS, tolerance: float = TOLERANCE
) -> PhysicalAnswer:
    """The optimum by Newton steps; `start` are values near it, if some are known.

    >>> from bifilar.estimate.log_det import newton
    >>> from bifilar.estimate.physical_problem import PhysicalProblem
    >>> ball = np.array([1.0, 0, 0, 0, 0.1, 0, 0.1, 0, 0, 0.1])
    >>> answer = newton(PhysicalProblem(factor=np.eye(10), target=2 * ball, prior=ball[None], weight=1e-6))
    >>> answer.solved, answer.values[0].round(4)
    (True, np.float64(2.0))
    """
    with one_blas_thread(), np.errstate(all="ignore"):
        scaled = Scaled.of(problem)
        walked = _walk(scaled, _first(scaled, start), iterations, tolerance) if start is not None else None
        walked = _afresh(scaled, iterations, tolerance) if walked is None else walked
        return walked.answer(problem, scaled)


def newton_path(
    problem: PhysicalProblem, weights: Sequence[float], *, iterations: int = ITERATIONS, tolerance: float = TOLERANCE
) -> list[Array]:
    """The optimum's values for every weight, falling ones best: each starts where the one before ended, multipliers and all.

    >>> from bifilar.estimate.log_det import newton_path
    >>> from bifilar.estimate.physical_problem import PhysicalProblem
    >>> ball = np.array([1.0, 0, 0, 0, 0.1, 0, 0.1, 0, 0, 0.1])
    >>> problem = PhysicalProblem(factor=np.eye(10), target=2 * ball, prior=ball[None], weight=1.0)
    >>> [round(float(values[0]), 3) for values in newton_path(problem, [1e6, 1e-6])]
    [1.0, 2.0]
    """
    found: list[Array] = []
    with one_blas_thread(), np.errstate(all="ignore"):
        scaled = Scaled.of(problem)
        point, before = None, 1.0
        for weight in weights:
            scaled = replace(scaled, weight=np.full(problem.bodies, float(weight)))
            walked = None if point is None else _walk(scaled, _onwards(point, weight / before), WARM, tolerance)
            if walked is None or walked.outcome != "solved":
                walked = _afresh(scaled, iterations, tolerance)
            point, before = (walked.point if walked.outcome == "solved" else None), weight
            found.append(np.clip(scaled.values(walked.point.w), problem.lower, problem.upper))
    return found


@dataclass(frozen=True, eq=False)
class _Walked:
    """Where the steps ended."""

    point: Point
    outcome: Outcome
    taken: int
    words: str

    def answer(self, problem: PhysicalProblem, scaled: Scaled) -> PhysicalAnswer:
        values = np.clip(scaled.values(self.point.w), problem.lower, problem.upper)
        low = np.flatnonzero(np.isfinite(problem.lower))
        touching, force = self.point.slack[: len(low)], self.point.y[: len(low)]
        bound = low[(touching < 1e-7) & (force > touching)]  # what a multiplier holds at its bound is on it
        on_bound = values.copy()
        on_bound[bound] = problem.lower[bound]
        cost, there = problem.cost(values), problem.cost(on_bound)
        if there <= cost * (1 + 1e-9):
            values, cost = on_bound, there
        return PhysicalAnswer(values, cost, self.outcome, self.taken, _gap(scaled, self.point), self.words)


def _walk(scaled: Scaled, point: Point, iterations: int, tolerance: float) -> _Walked:
    """Steps from a point until nothing is left to gain, or no step helps."""
    taken, words = 0, "out of iterations"
    best: tuple[float, Point] | None = None
    for taken in range(iterations + 1):
        try:
            system = System(scaled, point)
            exact = system.step(scaled.weight, 0.0)
        except np.linalg.LinAlgError:
            words = "the equations became singular"
            break
        left = system.to_gain(exact)
        if not np.isfinite(left):
            words = "the numbers left the range of the machine"
            break
        scale = system.cost() + 1e-3 * float(scaled.weight.sum()) + 1e-13 * float(scaled.z @ scaled.z) + 1e-300
        feasible = system.feasible()
        if feasible and (best is None or left / scale < best[0]):
            best = left / scale, point
        if feasible and left <= tolerance * scale:
            return _Walked(point, "solved", taken, "the optimum")
        move, reach = _corrected(system, exact, min(1.0, system.longest(exact)))
        if reach < 1e-9:
            words = "the steps became too short"
            break
        point = point.moved(reach, move)
    if best is None:
        return _Walked(point, "infeasible", taken, words)
    return _Walked(best[1], "solved" if best[0] <= 1e3 * tolerance else "not converged", taken, words)


def _afresh(scaled: Scaled, iterations: int, tolerance: float) -> _Walked:
    """From near the optimum where that is easily had, otherwise from the prior."""
    ahead = _ahead(scaled)
    if ahead is None:
        return _walk(scaled, _first(scaled, None), iterations, tolerance)
    walked = _walk(scaled, ahead, min(WARM, iterations), tolerance)
    if walked.outcome == "solved":
        return walked
    again = _walk(scaled, _first(scaled, None), iterations, tolerance)
    return replace(again, taken=walked.taken + again.taken)


def _ahead(scaled: Scaled) -> Point | None:
    """The optimum with w/2 |X - 1|^2 in the place of the prior, bodies drawn back until they are well inside.

    It saves half the steps. None where it would not: with conditions, and where data pull a body far out.
    """
    if len(scaled.a) or len(scaled.side) > len(scaled.other) or not np.all(scaled.weight > 0):
        return None
    count, width = 10 * len(scaled.body), scaled.r.shape[1]
    one = np.outer(np.ones(len(scaled.body)), ONE).ravel()
    pull = np.concatenate([np.repeat(np.sqrt(scaled.weight), 10), np.full(width - count, FAINT)])
    rows = np.asfortranarray(np.vstack([scaled.r, np.diag(pull)]))
    side = np.concatenate([scaled.z, pull[:count] * one, np.zeros(width - count)])
    w = np.asarray(lapack().dgels(rows, side, lwork=64 * len(side), overwrite_a=True)[1][:width], dtype=float)
    if not np.isfinite(w).all():
        return None
    least = np.minimum(decompose.eigvalsh(scaled.bodies_of(w))[:, 0], INSIDE)
    if least.min(initial=1.0) < OUTSIDE:
        return None
    w[:count] = one + np.repeat((1.0 - INSIDE) / (1.0 - least), 10) * (w[:count] - one)
    return _centred(scaled, w, 1e-2)


def _first(scaled: Scaled, start: Array | None) -> Point:
    """The prior, or the given values where they are well inside, with multipliers that match the data's pull in size."""
    bodies = len(scaled.body)
    w = np.concatenate([np.outer(1.0 + scaled.shift, ONE).ravel(), np.zeros(len(scaled.other))])
    if start is not None:
        near = scaled.coordinates(start)
        w = near if decompose.eigvalsh(scaled.bodies_of(near)).min(initial=1.0) > 0 else w
    if len(scaled.other) and start is None:  # the other columns by themselves, for the prior's bodies
        own = scaled.r[:, 10 * bodies :]
        w[10 * bodies :] = decompose.lstsq(own, scaled.z - scaled.r @ w, rcond=1e-10)[0]
    return _centred(scaled, w, 10.0 if start is None else 1e-4)  # too small ones make for very short steps


def _centred(scaled: Scaled, w: Array, share: float) -> Point:
    """These coordinates, with multipliers that are a share of the data's pull, and slacks that are not small."""
    count = 10 * len(scaled.body)
    pull = np.abs(scaled.r.T @ (scaled.r @ w - scaled.z) + scaled.prior_slope())
    slack = np.maximum(scaled.g @ w - scaled.side, max(1e-2 * np.abs(w).max(initial=1.0), 1e-8))
    mu = np.maximum(scaled.weight, share * max(float(pull[:count].max(initial=0.0)), 1e-12))
    force = max(float(mu.mean()) if count else 0.0, float(pull.max(initial=0.0)) * 1e-2, 1e-12)
    return Point(w, mu[:, None, None] * np.linalg.inv(scaled.bodies_of(w)), slack, force / slack)


def _onwards(point: Point, share: float) -> Point:
    """Where to start for this share of the weight: the optimum before, bodies' multipliers as strong as the new weight."""
    near = point.slack <= point.y
    slack = np.where(near, np.maximum(point.slack, LOOSE / point.y), point.slack)
    y = np.where(near, point.y, np.maximum(point.y, LOOSE / point.slack))
    return Point(point.w, share * point.z, slack, y)


def _corrected(system: System, exact: Point, reach: float) -> tuple[Point, float]:
    """Mehrotra's corrector: how far the exact goal can be followed tells how much centring is needed.

    Bodies and bounds follow one path: X Z = w + level, slack y = level. With a level for each, problems were left without a way
    out whose bounds had come too close too early. The share is squared, not cubed as usual, for the same reason.
    """
    scaled, point = system.scaled, system.point
    dx, dz = system.scaled_move
    share = (1.0 - NEAREST * reach) ** 2 if reach < 1 else 1e-8
    above = np.maximum(system.d**2 - scaled.weight[:, None], 0.0)
    level = (float(above.sum()) + float(point.slack @ point.y)) / max(above.size + len(point.y), 1)
    cross = dx @ dz
    half = reach**2 * 0.5 * (cross + flipped(cross))
    move = system.step(scaled.weight + share * level, share * level, half, reach**2 * exact.slack * exact.y)
    length = min(1.0, NEAREST * system.longest(move))
    if length >= SHORT:
        return move, length
    move = system.step(scaled.weight + level, level)  # off the path: back to its middle first, without second-order terms
    return move, min(1.0, NEAREST * system.longest(move))


def _cost(scaled: Scaled, w: Array) -> float:
    error = scaled.r @ w - scaled.z
    used = scaled.weight > 0
    values = decompose.eigvalsh(scaled.bodies_of(w)[used])
    divergence = np.maximum(values - 1.0 - np.log(values), 0.0).sum(axis=1)
    return 0.5 * float(error @ error + scaled.rest) + float(scaled.weight[used] @ divergence)


def _gap(scaled: Scaled, point: Point) -> float:
    """Cost less the dual value of multipliers that fulfil the first equation exactly; infinite if they are not multipliers.

    Without a prior, multipliers have eigenvalues of zero, and rounding makes some of them a little negative: what that could
    gain is counted with the body's size in that direction, as for columns without a body.
    """
    count = 10 * len(scaled.body)
    error = scaled.r @ point.w - scaled.z
    slope = scaled.r.T @ error + scaled.prior_slope() - scaled.g.T @ point.y
    known = slope - np.concatenate([vector_of(point.z).ravel(), np.zeros(len(scaled.other))])
    nu = decompose.lstsq(scaled.a.T, -known, rcond=None)[0] if len(scaled.a) else np.zeros(0)
    slope = slope + scaled.a.T @ nu
    values, along = decompose.eigh(matrix_of(slope[:count].reshape(-1, 10)))
    weight = scaled.weight[:, None]
    if np.any(values <= np.where(weight > 0, 0.0, -ROUNDED * values[:, -1:])):
        return np.inf
    size = 1.0 + np.einsum("bji,bjk,bki->bi", along, scaled.bodies_of(point.w), along)
    loose = float(np.abs(slope[count:]) @ (1.0 + np.abs(point.w[count:]))) - float(np.sum(np.minimum(values, 0.0) * size))
    values = np.maximum(values, 0.0)
    logs = np.where(weight > 0, weight * np.log(values / np.where(weight > 0, weight, 1.0)), 0.0).sum()
    kept = float(scaled.shift @ values.sum(axis=1))
    dual = -0.5 * error @ error - error @ scaled.z + 0.5 * scaled.rest + logs + kept
    return float(_cost(scaled, point.w) - dual - point.y @ scaled.side + nu @ scaled.b + loose)

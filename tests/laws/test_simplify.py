"""Laws of simplification: every rung is least squares on its columns, whatever the rule, the order of joints or the units."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import f as fisher

import bifilar as bf
from bifilar.estimate.contribution import relative_contributions
from bifilar.estimate.held_errors import HeldErrors
from bifilar.estimate.ladder import ladder_of
from bifilar.estimate.largest_deviation import LargestDeviation
from bifilar.estimate.lasso import knots
from bifilar.estimate.problem import Problem
from bifilar.estimate.rungs import Path
from bifilar.estimate.saved import save_estimate
from bifilar.estimate.simplify_rules import RULES
from bifilar.estimate.stopping import Condition, Halt, Stall
from bifilar.estimate.subset import Triangle

FRICTION = bf.Viscous() + bf.Coulomb() + bf.Offset()
VALUES = {"joint1.viscous": 0.2, "joint2.viscous": 0.1, "joint1.coulomb": 0.3, "joint2.coulomb": 0.15}
SAMPLES = 240
every = pytest.mark.parametrize("rule", RULES)


def truth() -> bf.Robot:
    return bf.Robot.load("two_link").with_friction(FRICTION, VALUES)


def recorded(seed: int, *, noise=(0.3, 0.1), robot: bf.Robot | None = None):
    rng, robot = np.random.default_rng(seed), robot or truth()
    q, v, a = rng.normal(size=(3, SAMPLES, 2)) * np.array([[[1.0]], [[2.0]], [[5.0]]])
    return q, v, a, robot.inverse_dynamics(q, v, a) + rng.normal(size=q.shape) * noise


def dense(robot: bf.Robot, data, base) -> tuple[np.ndarray, np.ndarray]:
    """Observation matrix of the base columns and torques, row by row, without any of our reductions."""
    q, v, a, tau = data
    w = np.asarray(robot.regressor(q, v, a))
    return w.reshape(-1, w.shape[-1])[:, base.columns], tau.ravel()


def lstsq(w: np.ndarray, tau: np.ndarray, kept) -> np.ndarray:
    values = np.zeros(w.shape[1])
    values[list(kept)] = np.linalg.lstsq(w[:, list(kept)], tau, rcond=None)[0]
    return values


@pytest.fixture(scope="module")
def problem() -> Problem:
    return Problem.of(truth(), recorded(0), friction=FRICTION)


def climbed(problem: Problem, rule, weights="equal") -> tuple[Triangle, Path]:
    return bf.Simplify(rule=rule, weights=weights).climbed(problem)


@every
def test_every_rung_is_least_squares_on_the_columns_it_keeps(rule, problem):
    triangle, path = climbed(problem, rule)
    w, tau = dense(problem.robot, recorded(0), problem.base)
    assert path.rungs[0].size == len(problem.base) and path.rungs[-1].size >= 1
    for rung in path.rungs:
        model, expected = triangle.solved(rung.kept), lstsq(w, tau, rung.kept)
        np.testing.assert_allclose(model.values, expected, rtol=1e-8, atol=1e-10)
        assert model.residual == pytest.approx(np.linalg.norm(tau - w @ expected), rel=1e-9)
        assert model.condition == pytest.approx(np.linalg.cond(w[:, list(rung.kept)]), rel=1e-6)


@every
def test_a_ladder_says_what_it_drops(rule, problem):
    names, rungs = problem.base.independent, climbed(problem, rule)[1].rungs
    for above, below in pairwise(rungs):
        assert below.size < above.size and below.why
        gone = {names[k] for k in set(above.kept) - set(below.kept)}
        assert set(below.dropped) == gone
        if rule != "lasso":  # on its path a parameter may come back
            assert set(below.kept) < set(above.kept) and len(below.dropped) == 1


@every
def test_fewer_columns_fit_worse_and_are_conditioned_better(rule, problem):
    triangle, path = climbed(problem, rule)
    models = [triangle.solved(rung.kept) for rung in path.rungs]
    for above, below in pairwise(models):
        if set(below.kept) <= set(above.kept):
            assert below.residual >= above.residual * (1 - 1e-12) and below.condition <= above.condition * (1 + 1e-9)


def test_contributions_are_shares_of_torque_counted_row_by_row(problem):
    triangle, path = climbed(problem, "contribution")
    w, tau = dense(problem.robot, recorded(0), problem.base)
    for rung, below in pairwise(path.rungs):
        values = lstsq(w, tau, rung.kept)
        sizes = np.array([np.sqrt(sum((row[k] * values[k]) ** 2 for row in w)) for k in rung.kept])
        shares = relative_contributions(triangle.solved(rung.kept))
        np.testing.assert_allclose(shares, sizes / sizes.sum(), rtol=1e-7)
        assert shares.sum() == pytest.approx(1.0, abs=1e-12)
        assert below.dropped == (problem.base.independent[rung.kept[int(np.argmin(sizes))]],)
        assert below.score == pytest.approx(sizes.min() / sizes.sum(), rel=1e-7)


def test_the_f_test_is_the_rise_of_the_residual_without_the_parameter(problem):
    """F from two fits, its limit from SciPy."""
    path = climbed(problem, LargestDeviation(level=0.99))[1]
    w, tau = dense(problem.robot, recorded(0), problem.base)
    squares = [float(np.sum((tau - w @ lstsq(w, tau, rung.kept)) ** 2)) for rung in path.rungs]
    spare = [len(tau) - rung.size for rung in path.rungs]
    found = [(b - a) / (a / n) for a, b, n in zip(squares, squares[1:], spare)]
    np.testing.assert_allclose([rung.score for rung in path.rungs[1:]], found, rtol=1e-6)
    for k, (rung, below) in enumerate(pairwise(path.rungs)):  # nobody else's loss would have cost less
        losses = [np.sum((tau - w @ lstsq(w, tau, set(rung.kept) - {gone})) ** 2) for gone in rung.kept]
        assert below.dropped == (problem.base.independent[rung.kept[int(np.argmin(losses))]],)
        if k < path.own:
            assert found[k] <= fisher.ppf(0.99, 1, spare[0]) * (1 + 1e-9)
    assert found[path.own] > fisher.ppf(0.99, 1, spare[0])


def by_coordinates(w: np.ndarray, tau: np.ndarray, price: float, rounds: int = 4000) -> np.ndarray:
    """LASSO by coordinate descent: the textbook's other algorithm."""
    sizes = np.linalg.norm(w, axis=0)
    x = w / sizes
    gram, pull, value = x.T @ x, x.T @ tau, np.zeros(w.shape[1])
    for _ in range(rounds):
        before = value.copy()
        for k in range(len(value)):
            rest = pull[k] - gram[k] @ value + value[k]
            value[k] = np.sign(rest) * max(abs(rest) - price, 0.0)
        if np.abs(value - before).max() < 1e-13 * max(np.abs(value).max(), 1e-300):
            break
    return value


def test_the_lasso_path_is_that_of_coordinate_descent(problem):
    triangle = climbed(problem, "lasso")[0]
    w, tau = dense(problem.robot, recorded(0), problem.base)
    found = knots(triangle)
    prices = [price for price, _ in found]
    assert prices == sorted(prices, reverse=True) and prices[0] == pytest.approx(
        np.abs(w.T @ tau / np.linalg.norm(w, axis=0)).max()
    )
    for (price, active), below in zip(found, [*prices[1:], 0.0]):
        value = by_coordinates(w, tau, 0.5 * (price + below))
        assert tuple(np.flatnonzero(np.abs(value) > 1e-9 * np.abs(value).max())) == active


def test_a_pair_that_cannot_be_told_apart_is_seen_by_directions_and_not_by_contributions():
    """Two columns alike but for a thousandth, with large values of opposite sign: what `contribution` says of itself."""
    draws, blind = 20, 0
    for seed in range(draws):
        rng = np.random.default_rng(seed)
        w = rng.normal(size=(400, 4))
        w[:, 3] = w[:, 2] + 1e-3 * rng.normal(size=400)
        tau = w[:, :3] @ [0.5, 0.4, 2.0] + 0.1 * rng.normal(size=400)
        four = Triangle(("a", "b", "c", "d"), np.linalg.qr(np.column_stack([w, tau]), mode="r"), 400)
        for rule in ("essential", "largest deviation"):
            assert RULES[rule].path(four).rungs[1].dropped[0] in ("c", "d")
        blind += RULES["contribution"].path(four).rungs[1].dropped[0] in ("a", "b")
    assert blind > draws / 2


@every
def test_torque_in_another_unit_changes_no_choice(rule):
    robot, (q, v, a, tau) = truth(), recorded(1)
    one = bf.Simplify(rule=rule).fit(robot, (q, v, a, tau), friction=FRICTION)
    many = bf.Simplify(rule=rule).fit(robot, (q, v, a, 1000 * tau), friction=FRICTION)
    assert [step.dropped for step in many.ladder.steps] == [step.dropped for step in one.ladder.steps]
    assert many.ladder.chosen == one.ladder.chosen
    np.testing.assert_allclose(many.estimate.values, 1000 * one.estimate.values, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose([s.held for s in many.ladder.steps], [s.held for s in one.ladder.steps], rtol=1e-6)


@every
def test_the_order_of_joints_changes_no_choice(rule):
    """Base parameters of the other order are other combinations for some links; here none is."""
    robot = truth()
    there = robot.description()
    other = bf.Robot.build(replace(there, joints=there.joints[::-1]), gravity=robot.gravity)
    assert other.joint_names == robot.joint_names[::-1]
    q, v, a, tau = recorded(1)
    turned = tuple(np.ascontiguousarray(x[:, ::-1]) for x in (q, v, a, tau))
    one = bf.Simplify(rule=rule).fit(robot, (q, v, a, tau), friction=FRICTION)
    two = bf.Simplify(rule=rule).fit(other, turned, friction=FRICTION)
    assert sorted(two.kept) == sorted(one.kept)
    assert [set(step.dropped) for step in two.ladder.steps] == [set(step.dropped) for step in one.ladder.steps]
    np.testing.assert_allclose(
        two.estimate.predict(turned)[:, ::-1], one.estimate.predict((q, v, a, tau)), rtol=1e-6, atol=1e-9
    )


@every
def test_held_out_stretches_are_predicted_by_ladders_that_did_not_see_them(rule):
    """Blocked cross-validation of one recording from its definition: dense rows, lstsq, the rule on the other stretches."""
    robot, data = truth(), recorded(2)
    problem = Problem.of(robot, data, friction=FRICTION)
    found = bf.Simplify(rule=rule, weights="equal", parts=4).solve(problem)
    w, tau = dense(problem.robot, data, problem.base)
    ends = np.cumsum([0, *(block.rows[0].samples for block in problem.reduction.blocks)])
    assert ends[-1] == SAMPLES
    groups = np.array_split(np.arange(len(ends) - 1), 4)
    sizes, squares = [step.size for step in found.ladder.steps], np.zeros(len(found.ladder.steps))
    for group in groups:
        out = np.zeros(SAMPLES, dtype=bool)
        out[ends[group[0]] : ends[group[-1] + 1]] = True
        rows = np.repeat(out, 2)
        inside = [np.repeat((a <= np.arange(SAMPLES)) & (np.arange(SAMPLES) < b), 2) for a, b in pairwise(ends)]
        others = np.array_split([k for k in range(len(inside)) if k not in group], 6)  # stand for experiments, as in the whole
        parts = [np.any([inside[k] for k in some], axis=0) for some in others]
        singles = [triangle_of(problem, w[part], tau[part]) for part in parts]
        path = RULES[rule].path(triangle_of(problem, w[~rows], tau[~rows]), singles)
        for k, size in enumerate(sizes):
            values = lstsq(w[~rows], tau[~rows], path.at(size).kept)
            squares[k] += np.sum((tau[rows] - w[rows] @ values) ** 2)
    np.testing.assert_allclose([s.held for s in found.ladder.steps], np.sqrt(squares / np.sum(tau**2)), rtol=1e-6)
    assert found.ladder.steps[found.ladder.chosen].held == pytest.approx(np.sqrt(squares.min() / np.sum(tau**2)), rel=1e-6)


def triangle_of(problem: Problem, w: np.ndarray, tau: np.ndarray) -> Triangle:
    return Triangle(problem.base.independent, np.linalg.qr(np.column_stack([w, tau]), mode="r"), len(tau))


def test_the_step_is_chosen_on_one_motion_and_scored_on_another():
    robot, train, validate = truth(), recorded(3), recorded(4)
    tests = [recorded(5), recorded(6, noise=(3.0, 1.0))]
    found = [bf.Simplify().fit(robot, train, validate=validate, test=test, friction=FRICTION) for test in tests]
    assert found[0].ladder.chosen == found[1].ladder.chosen and found[0].kept == found[1].kept
    assert found[0].scores[0][1].relative < found[1].scores[0][1].relative / 3
    weights = 1 / found[0].full.noise  # by definition, from predictions
    errors = []
    problem = Problem.of(robot, train, friction=FRICTION)
    triangle, path = bf.Simplify().climbed(problem)
    w, tau = dense(problem.robot, validate, problem.base)
    for rung in path.rungs:
        rest = (tau - w @ triangle.solved(rung.kept).values).reshape(-1, 2) * weights
        errors.append(float(np.sum(rest**2)))
    assert found[0].ladder.chosen == int(np.argmin(errors)) == found[0].ladder.turn
    swapped = bf.Simplify().fit(robot, train, validate=tests[1], test=validate, friction=FRICTION)
    assert swapped.ladder.judged_on == "other recordings" and swapped.scores[0][0] == "test"


def drawn(rng: np.random.Generator, gain: float, parts: int = 20) -> HeldErrors:
    """Squared errors of a full and a smaller model on parts of 50 rows, errors of both alike but for what differs."""
    same, own = rng.normal(size=(parts, 50)), rng.normal(size=(parts, 50))
    full, small = same, gain * (0.95 * same + np.sqrt(1 - 0.95**2) * own)
    squares = np.array([np.sum(full**2, axis=1), np.sum(small**2, axis=1)])[..., None]
    return HeldErrors(("a",), squares, np.full((parts, 1), 1e3), np.full((parts, 1), 50.0), np.ones(1))


def test_the_gain_over_the_full_model_is_known_to_its_deviation():
    """Ratios of 400 draws scatter as their deviations say, and only real gains are called so."""
    rng = np.random.default_rng(3)
    same, better = ([drawn(rng, gain).over_full(1, "noise") for _ in range(400)] for gain in (1.0, 0.95))
    values, said = np.array([r.value for r in same]), np.array([r.deviation for r in same])
    assert np.std(values) == pytest.approx(np.sqrt(np.mean(said**2)), rel=0.15) and np.mean(values) == pytest.approx(
        1, abs=2e-3
    )
    assert np.mean(["as good" in r.words for r in same]) > 0.9
    assert np.mean(["better" in r.words for r in better]) > 0.9


def test_the_ratio_knows_no_units_nor_order_of_parts():
    held = drawn(np.random.default_rng(0), 0.9)
    one = held.over_full(1, "torque")
    other = replace(held, squares=1e6 * held.squares[:, ::-1]).over_full(1, "torque")
    assert other == pytest.approx(one, rel=1e-12)
    assert replace(held, squares=held.squares[:, :1]).over_full(1, "noise").deviation == np.inf


def test_a_tolerance_takes_the_smallest_model_that_keeps_it():
    """Every smaller model of the ladder breaks it on the held-out motion, told by plain predictions."""
    robot, train, validate = truth(), recorded(3), recorded(4)
    limits = {"joint1": 0.5, "joint2": 0.2}
    found = bf.Simplify(tolerance=limits).fit(robot, train, validate=validate, test=recorded(5), friction=FRICTION)
    problem = Problem.of(robot, train, friction=FRICTION)
    triangle, path = bf.Simplify().climbed(problem)
    w, tau = dense(problem.robot, validate, problem.base)
    rms = [np.sqrt(np.mean((tau - w @ triangle.solved(rung.kept).values).reshape(-1, 2) ** 2, axis=0)) for rung in path.rungs]
    inside = [bool(np.all(each <= [limits["joint1"], limits["joint2"]])) for each in rms]
    assert inside[found.ladder.chosen] and not any(inside[found.ladder.chosen + 1 :])
    assert 0 < found.ladder.chosen < len(path.rungs) - 1 and found.keeps_tolerance
    wide = bf.Simplify(tolerance=1e6).fit(robot, train, validate=validate, friction=FRICTION)
    assert len(wide.kept) == 1
    with pytest.raises(bf.SolveError, match="keeps the tolerance") as letter:
        bf.Simplify(tolerance={"joint2": 0.01}).fit(robot, train, validate=validate, friction=FRICTION)
    assert "joint2" in str(letter.value)


def test_fixed_stops_are_options_and_not_the_default(problem):
    steps = bf.Simplify().solve(problem).ladder.steps
    conditions = np.array([step.condition for step in steps])
    limit = float(np.sqrt(conditions[2] * conditions[3])) if conditions[3] < conditions[2] else float(conditions[3])
    taken = bf.Simplify(stop=Condition(below=limit)).solve(problem).ladder.chosen
    assert conditions[taken] < limit and np.all(conditions[:taken] >= limit)
    assert bf.Simplify(stop=Stall()).solve(problem).ladder.halt.why == "the condition number stalls"
    assert "held-out" in bf.Simplify().solve(problem).ladder.halt.why


def test_the_result_is_an_ordinary_estimate(tmp_path):
    robot, data = truth(), recorded(7)
    found = bf.Simplify().fit(robot, data, validate=recorded(8), friction=FRICTION)
    estimate = found.estimate
    w, tau = dense(estimate.described, data, estimate.base)
    np.testing.assert_allclose(estimate.predict(data).ravel(), w @ estimate.values, rtol=1e-9, atol=1e-9)
    for name, value, deviation in zip(estimate.names, estimate.values, estimate.deviations):
        assert (name in found.kept) == (value != 0.0) == (deviation > 0)
    (tmp_path / "run").mkdir()
    save_estimate(estimate, tmp_path / "run")
    again = bf.load_estimate(tmp_path / "run")
    assert np.array_equal(again.values, estimate.values) and again.tables["simplify"]["chosen"] == found.ladder.chosen
    assert f"simplified from {len(estimate.names)} to {len(found.kept)} parameters" in " ".join(estimate.notes)


def test_error_bars_of_what_is_kept_cover_the_truth():
    """Terms that are zero in truth are not there; the true values of the others are in 95 % bars about that often."""
    robot, inside, total = truth(), 0, 0
    true = Problem.of(robot, recorded(0), friction=FRICTION).prior()
    for seed in range(30):
        found = bf.Simplify(uncertainty="white").fit(
            robot, recorded(100 + seed), validate=recorded(200 + seed), friction=FRICTION
        )
        for name, value, deviation, exact in zip(found.full.names, found.estimate.values, found.estimate.deviations, true):
            if name in found.kept and exact:
                inside, total = inside + (abs(value - exact) < 1.96 * deviation), total + 1
    assert total > 100 and 0.9 < inside / total <= 1.0


def test_what_comes_back_on_a_lasso_path_is_not_gone():
    """Columns much alike: a path takes up again what it left. What is told to be gone is what the model has not."""
    came_back = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        w = rng.normal(size=(60, 6)) @ (np.eye(6) + 0.9 * rng.normal(size=(6, 6)))
        y = w @ rng.normal(size=6) + 3 * rng.normal(size=60)
        triangle = Triangle(tuple("abcdef"), np.linalg.qr(np.column_stack([w, y]), mode="r"), 60)
        path = RULES["lasso"].path(triangle)
        models = [triangle.solved(rung.kept) for rung in path.rungs]
        for step, model in enumerate(models):
            ladder = ladder_of(path, models, None, Halt(step, ""), "", "", "noise")
            zero = {name for name, value in zip(triangle.names, model.values) if value == 0}
            names = [name for name, _ in ladder.dropped]
            assert set(names) == zero and len(names) == len(zero)
        came_back += any(rung.back for rung in path.rungs)
    assert came_back > 5

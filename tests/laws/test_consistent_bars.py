"""The covariance of a consistent fit is how its values follow the data, whatever holds them: bounds, equations, ellipsoids."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import bifilar as bf
from bifilar.estimate.consistent_parts import spread_of
from bifilar.estimate.log_det import newton
from bifilar.estimate.physical_problem import PhysicalProblem

BALL = np.array([2.0, 0.1, 0.0, 0.05, 0.02, 0.0, 0.03, 0.0, 0.0, 0.025])


def stated(held: str) -> PhysicalProblem:
    """A body that forty noisy numbers pull out of its prior's place, and what holds it."""
    rng = np.random.default_rng(3)
    factor = 20 * rng.normal(size=(40, 10)) * np.array([1, 5, 5, 5, 30, 30, 30, 30, 30, 30])
    pulled = BALL + np.array([0.0, 0.5, 0, 0, 0.12, 0, 0.15, 0, 0, 0.15])
    more: dict[str, object] = {}
    if held == "ellipsoid":
        more["above"] = (bf.Ellipsoid.of_axes([0, 0, 0.02], [0.2, 0.15, 0.2]).row()[None], np.zeros(1))
    if held == "equation":
        more["equal"] = (np.eye(1, 10), np.full(1, 2.0))
    return PhysicalProblem(factor=factor, target=factor @ pulled + rng.normal(size=40), prior=BALL[None], weight=1.0, **more)


@pytest.mark.parametrize("held", ["nothing", "equation", "ellipsoid"])
def test_values_follow_the_data_as_the_covariance_says(held):
    """d values / d target = C R': a small change of the data, solved again."""
    problem = stated(held)
    values = newton(problem).values
    root = spread_of(problem, values).root
    if held == "ellipsoid":
        row = problem.above[0][0]
        assert row @ values < 1e-6 * np.linalg.norm(row * values)  # the bound is what holds it
        assert np.linalg.norm(row @ root) < 1e-9 * np.linalg.norm(row) * np.linalg.norm(root)
    slope = root @ (root.T @ problem.factor.T)
    rng = np.random.default_rng(4)
    for _ in range(3):
        change = 0.05 * rng.normal(size=40)
        ends = [newton(replace(problem, target=problem.target + sign * change), tolerance=1e-12).values for sign in (1, -1)]
        moved, expected = 0.5 * (ends[0] - ends[1]), slope @ change
        deviations = np.linalg.norm(root, axis=1)
        assert np.allclose(moved, expected, atol=0.02 * np.max(np.abs(change)) * deviations.max(), rtol=0.05)


def test_a_bound_that_is_touched_makes_bars_smaller_and_one_that_is_not_changes_nothing():
    robot = bf.Robot.load("two_link")
    q, v, a = np.random.default_rng(0).normal(size=(3, 200, 2))
    tau = robot.inverse_dynamics(q, v, a) + 0.3 * np.random.default_rng(1).normal(size=(200, 2))
    tight, wide = (bf.Ellipsoid.of_axes([0.05, 0, 0], np.full(3, size)) for size in (0.1, 10.0))
    settings = {"prior_weight": 1.0, "uncertainty": "white"}
    free, held, same = (
        bf.PhysicallyConsistent(**settings, inside=inside).fit(robot, (q, v, a, tau), friction=())
        for inside in ({}, {"link2": tight}, {"link2": wide})
    )
    row = tight.row()
    before, after = (row @ e.parameter_covariance[10:20, 10:20] @ row for e in (free, held))
    assert row @ held.parameters.values[10:20] < 1e-6 and abs(after) < 1e-12 * before
    assert np.allclose(same.parameter_deviations, free.parameter_deviations, rtol=1e-3)


@pytest.mark.parametrize("name", ["pendulum", "two_link", "ur10e"])
def test_torque_that_no_body_can_cause_has_bars_too(name):
    """Turned torque without noise drives bodies to the edge of what can exist: an answer with a status, no exception."""
    robot = bf.Robot.load(name).with_friction(())
    q, v, a = np.random.default_rng(0).normal(size=(3, 200, len(robot.joint_names)))
    estimate = bf.fit(robot, (q, v, a, -robot.inverse_dynamics(q, v, a)))
    assert estimate.status.code in ("doubtful", "not converged") and "rise" in estimate.status.facts
    assert not np.isnan(estimate.parameter_covariance).any()
    assert not estimate.identified.any()

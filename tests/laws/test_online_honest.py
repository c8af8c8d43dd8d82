"""Error bars of the filters as they come, bodies that can exist at every instant, and updates that allocate nothing."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bifilar as bf
from bifilar.online.possible import _compiled, _inside, nearest_possible
from bifilar.papers.joukov_consistency import grasped, normalised_errors

PANDA = bf.Robot.load("panda")
STANCE = np.array([0.0, 0.3, 0.0, -1.5, 0.0, 1.5, 0.2])
SPEED = np.array([0.5, 0.7, 0.9, 0.6, 1.1, 1.3, 1.7])


def body(rng):
    factor = np.triu(rng.normal(size=(4, 4)))
    return bf.Inertia.from_pseudo(factor @ factor.T).vector


def swing(count):
    t = np.arange(count)[:, None] / 100
    return t[:, 0], STANCE + 0.4 * np.sin(SPEED * t), 0.4 * SPEED * np.cos(SPEED * t), -0.4 * SPEED**2 * np.sin(SPEED * t)


@given(st.integers(0, 10_000), st.integers(1, 2), st.floats(-3, 1))
def test_the_nearest_body_is_never_further_from_the_truth(seed, bodies, size):
    """Whatever the covariance: distances to every possible body shrink, and what is possible stays."""
    rng = np.random.default_rng(seed)
    true = np.concatenate([body(rng) for _ in range(bodies)])
    n = len(true)
    root = np.linalg.inv(np.linalg.cholesky(10.0**size * (lambda a: a @ a.T + 0.01 * np.eye(n))(rng.normal(size=(n, n)))))
    mean = true + np.linalg.solve(root, rng.normal(size=n))
    places = [range(10 * k, 10 * k + 10) for k in range(bodies)]
    found = nearest_possible(mean, root, places)
    assert all(bf.Inertia.from_vector(found[list(place)]).is_consistent for place in places)
    assert np.linalg.norm(root @ (found - true)) ** 2 <= np.linalg.norm(root @ (mean - true)) ** 2 + 0.02 * bodies
    away = np.linalg.norm(root @ (found - mean)) ** 2
    for _ in range(20):  # no possible body is nearer to the mean
        other = true + rng.uniform(0, 1) * (np.concatenate([body(rng) for _ in range(bodies)]) - true)
        between = found + rng.uniform(0, 1) * (other - found)
        assert np.linalg.norm(root @ (between - mean)) ** 2 >= away - 0.02 * bodies
    assert np.array_equal(nearest_possible(true, root, places), true)


@pytest.mark.parametrize("bodies", [1, 3])
def test_both_engines_find_the_same_body(bodies):
    """Compiled and plain, with bounds beside the bodies: the same to a fiftieth of a deviation, and both can exist."""
    rng = np.random.default_rng(bodies)
    for _ in range(10):
        true = np.append(np.concatenate([body(rng) for _ in range(bodies)]), 0.5)
        n = len(true)
        root = np.linalg.inv(np.linalg.cholesky((lambda a: a @ a.T + 0.01 * np.eye(n))(rng.normal(size=(n, n)))))
        mean = true + 3 * np.linalg.solve(root, rng.normal(size=n))
        places, walls = [np.arange(10 * k, 10 * k + 10) for k in range(bodies)], [(n - 1, 0.0, 1.0)]
        found = [search(mean, root.T @ root, places, walls) for search in (_compiled, _inside)]
        assert np.linalg.norm(root @ (found[0] - found[1])) < 0.02
        for one in found:
            assert 0 < one[-1] < 1 and all(bf.Inertia.from_vector(one[place]).is_consistent for place in places)


def test_walls_hold_and_what_is_not_touched_goes_along():
    root = np.linalg.inv(np.linalg.cholesky(np.array([[1.0, 0.9], [0.9, 1.0]])))
    found = nearest_possible([-2.0, 0.0], root, [], [(0, 0.0, 5.0)])
    assert 0 < found[0] < 0.01 and found[1] == pytest.approx(1.8, abs=0.01)  # the second follows by its correlation


def test_a_grasp_without_a_guess_has_error_bars_that_hold():
    errors = grasped("physical", 12, seed=31)
    assert errors.mean() <= 10.0 and np.all(errors <= grasped("ten", 12, seed=31) + 0.05)


@pytest.mark.parametrize("kind", ["physical", "sigmoid", "log"])
def test_constant_parameters_have_error_bars_that_hold_as_they_come(kind):
    assert normalised_errors(kind, 40, motions=2, tuning=bf.Tuning(relative=0.3)).mean() <= 12.0


@pytest.mark.parametrize("kind", ["physical", "log", "ten", "four"])
def test_what_a_controller_is_given_can_exist(kind):
    """Noise that hides the load's inertia: beliefs of "ten" and "four" are no bodies then, what is handed on is one."""
    tuning = bf.Tuning(process=10.0 if kind == "four" else 0.1)
    tracker = bf.attach(PANDA, "link7", noise=0.5, parameters=kind, tuning=tuning, limits=False)
    rng, (t, q, v, a) = np.random.default_rng(2), swing(300)
    torque = PANDA.inverse_dynamics(q, v, a) + 0.5 * rng.normal(size=q.shape)
    impossible = 0
    for k in range(0, 300, 10):
        tracker.run(t[k : k + 10], q[k : k + 10], v[k : k + 10], a[k : k + 10], torque[k : k + 10])
        before, after = (robot.link("link7").inertia.vector for robot in (PANDA, tracker.with_payload()))
        assert bf.Inertia.from_vector(after - before).is_consistent or np.abs(after - before).max() < 1e-9
        impossible += not tracker.payload.is_consistent
    assert impossible == 0 if kind in ("physical", "log") else impossible > 3


def test_links_are_linear_inside_and_physical_outside():
    """All links and friction of a Panda with a random walk: every robot that is told can exist, friction keeps its sign."""
    drives = {f"{joint}.{word}": 0.02 for joint in PANDA.joint_names for word in ("viscous", "coulomb")}
    arm = PANDA.with_friction(bf.Viscous() + bf.Coulomb(width=0.05), drives)
    words = {"form": "ten", "constraint": "physical", "noise": 1.0, "limits": False, "tuning": bf.Tuning(process=0.01)}
    bounds = {"*.viscous": (0.0, 2.0), "*.coulomb": (0.0, 2.0)}
    tracker = bf.ParameterFilter(arm, ("link[1-7].*", "*.viscous", "*.coulomb"), bounds=bounds, **words)
    rng, (t, q, v, a) = np.random.default_rng(3), swing(400)
    tracker.run(t, q, v, a, arm.inverse_dynamics(q, v, a) + rng.normal(size=q.shape))
    linear, told = tracker.space.values(tracker.state.mean)[0], tracker.robot
    assert (linear[-14:] < 0).any() and (told.drive_values > 0).all()
    assert all(bf.Inertia.from_vector(ten).is_consistent for ten in told.body_parameters[1:])
    left = told.inverse_dynamics(q, v, a) - arm.inverse_dynamics(q, v, a)
    assert np.sqrt(np.mean(left**2)) < 0.5  # half of the noise
    with pytest.raises(bf.RobotError, match="form='ten'"):
        bf.ParameterFilter(arm, ("link7.*",), form="log_cholesky", constraint="physical", noise=1.0)


def payload_filter():
    return bf.attach(PANDA, "link7", noise=0.2)


def links_filter():
    drives = {f"{joint}.{word}": 0.1 for joint in PANDA.joint_names for word in ("viscous", "coulomb")}
    arm = PANDA.with_friction(bf.Viscous() + bf.Coulomb(), drives)
    names = ("link[1-7].*", "*.viscous", "*.coulomb")
    return bf.ParameterFilter(arm, names, form="log_cholesky", noise=0.2, tuning=bf.Tuning(process=0.01))


def allocated(tracker):
    """Bytes that 500 updates hold at most, and that stay; allocations inside compiled code."""
    from numba.core.runtime import _nrt_python, rtsys

    t, q, v, a = swing(600)
    torque = tracker.robot_before.inverse_dynamics(q, v, a)
    rows = [tuple(np.ascontiguousarray(x[k]) for x in (q, v, a, torque)) + (float(t[k]),) for k in range(600)]
    for row in rows[:90]:
        assert tracker.update(*row)
    _nrt_python.memsys_enable_stats()
    tracemalloc.start()
    try:
        for row in rows[90:100]:
            tracker.update(*row)
        tracemalloc.reset_peak()
        before, inside = tracemalloc.get_traced_memory()[0], rtsys.get_allocation_stats()
        for row in rows[100:]:
            tracker.update(*row)
        after, peak = tracemalloc.get_traced_memory()
        return peak - before, after - before, rtsys.get_allocation_stats().alloc - inside.alloc
    finally:
        tracemalloc.stop()


def test_an_update_allocates_nothing():
    """No array: what Python holds for the moment of a call is as much for 84 states, with 56 kB of factors, as for ten."""
    pytest.importorskip("numba")
    few, many = payload_filter(), links_filter()
    if few._one is None:
        pytest.skip("the compiled engine is not in use")
    found = [allocated(few), allocated(many)]
    for peak, left, compiled in found:
        assert compiled == 0 and left < 500 and peak < 8000
    assert abs(found[0][0] - found[1][0]) < 300

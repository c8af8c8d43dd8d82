"""Laws of the least-squares family: the truth without noise; nothing but names depends on units, order or frames; rows without
weight are not there; outliers lose their say, and the cost of robust fits never rises."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from oracles import random_rotation

import bifilar as bf
from bifilar.errors import SolveError
from bifilar.estimate.problem import Problem
from bifilar.estimate.sources import Arrays

FRICTION = bf.Viscous() + bf.Coulomb(width=0.05) + bf.Offset()
METHODS = {
    "per joint": bf.LeastSquares(),
    "equal": bf.LeastSquares(weights="equal"),
    "full": bf.LeastSquares(weights="full"),
    "huber": bf.LeastSquares(robust="huber"),
    "tukey": bf.LeastSquares(robust="tukey"),
    "ridge": bf.LeastSquares(ridge=0.5),
    "truncate": bf.LeastSquares(truncate=0.02),
}
AUTOMATIC = {"ridge auto": bf.LeastSquares(ridge="auto"), "truncate auto": bf.LeastSquares(truncate="auto")}
WITHOUT_PRIOR = {name: method for name, method in METHODS.items() if name not in ("ridge", "truncate")}


def methods(table):
    return pytest.mark.parametrize("method", table.values(), ids=table.keys())


def arm(scale=1.0):
    """Four joints, a branch among them, a chain that is not in the order of the file; all numbers different."""
    rng = np.random.default_rng(3)
    links, joints = [bf.Link("base")], []
    for k, parent in enumerate(("base", "link1", "link2", "link2"), start=1):
        lengths = rng.normal(size=(3, 3)) * 0.1
        inertia = bf.Inertia.from_center_of_mass(rng.uniform(1, 3), lengths[0], lengths @ lengths.T + 0.02 * np.eye(3))
        links.append(bf.Link(f"link{k}", bf.Inertia.from_vector(scale * inertia.vector)))
        pose = bf.Pose(random_rotation(rng), rng.normal(size=3) * 0.3)
        joints.append(bf.Joint(f"joint{k}", "revolute", parent, f"link{k}", pose, np.eye(3)[k % 3]))
    return bf.Description("arm", tuple(links), tuple(joints))


def robot_of(description, scale=1.0, gravity=(0.0, 0.0, -9.81)):
    robot = bf.Robot.build(description, gravity=gravity).with_friction(FRICTION)
    words = {"viscous": 0.7, "coulomb": 1.1, "offset": 0.2}
    return robot.with_parameters({f"{j}.{word}": scale * size for j in robot.joint_names for word, size in words.items()})


def motion(samples=250, seed=0, joints=4):
    """Smooth in time, as a machine moves."""
    rng = np.random.default_rng(seed)
    t = np.arange(samples)[:, None] / 40
    w, p = rng.uniform(0.5, 4, (2, 1, joints)), rng.uniform(0, 6, (2, 1, joints))
    q = np.sin(w[0] * t + p[0]) + 0.7 * np.sin(w[1] * t + p[1])
    v = w[0] * np.cos(w[0] * t + p[0]) + 0.7 * w[1] * np.cos(w[1] * t + p[1])
    a = -(w[0] ** 2) * np.sin(w[0] * t + p[0]) - 0.7 * w[1] ** 2 * np.sin(w[1] * t + p[1])
    return q, v, a


def noisy(robot, q, v, a, seed=1):
    tau = robot.inverse_dynamics(q, v, a)
    return tau + 0.05 * tau.std(axis=0) * np.random.default_rng(seed).normal(size=tau.shape)


def same(actual, expected, rtol=1e-7):
    np.testing.assert_allclose(actual, expected, rtol=0, atol=rtol * np.abs(expected).max())


@methods(WITHOUT_PRIOR | AUTOMATIC | {"given": bf.LeastSquares(weights=(1.0, 2.0, 3.0, 4.0))})
def test_without_noise_every_method_returns_the_truth(method):
    truth, described = robot_of(arm()), robot_of(arm(1.3))
    q, v, a = motion()
    estimate = method.fit(described, (q, v, a, truth.inverse_dynamics(q, v, a)))
    assert estimate.status.ok
    same(estimate.values, estimate.base.from_full(truth.parameters()), 1e-6)


@methods(METHODS)
def test_a_prior_that_is_the_truth_stays(method):
    truth = robot_of(arm())
    q, v, a = motion()
    estimate = method.fit(truth, (q, v, a, truth.inverse_dynamics(q, v, a)))
    same(estimate.values, estimate.base.from_full(truth.parameters()), 1e-7)


@methods(METHODS | AUTOMATIC)
def test_torque_in_another_unit_scales_everything_alike(method):
    robot, described = robot_of(arm()), robot_of(arm(1.1), 1.1)
    q, v, a = motion()
    tau = noisy(robot, q, v, a)
    one = method.fit(described, (q, v, a, tau))
    other = described.with_parameters(
        bf.Parameters.of(dict(zip(described.parameters().names, 1000 * described.parameters().values)))
    )
    many = method.fit(other, (q, v, a, 1000 * tau))
    same(many.values, 1000 * one.values, 1e-6)
    same(many.deviations[np.isfinite(many.deviations)], 1000 * one.deviations[np.isfinite(one.deviations)], 1e-4)


@methods(METHODS | AUTOMATIC)
def test_lengths_in_another_unit_change_nothing_but_units(method):
    """Decimetres: torque is 100 times as large, and so are inertias; masses stay."""
    q, v, a = motion()
    one = method.fit(robot_of(arm(1.1)), (q, v, a, tau := noisy(robot_of(arm()), q, v, a)))
    small = arm(1.1)
    tens = (bf.Inertia.from_vector(link.inertia.vector * np.r_[1, [10] * 3, [100] * 6]) for link in small.links)
    links = tuple(replace(link, inertia=ten) for link, ten in zip(small.links, tens))
    joints = tuple(replace(j, pose=bf.Pose(j.pose.rotation, 10 * j.pose.translation)) for j in small.joints)
    large = robot_of(replace(small, links=links, joints=joints), scale=100, gravity=(0, 0, -98.1))
    many = method.fit(large, (q, v, a, 100 * tau))
    same(many.predict((q, v, a, tau)), 100 * one.predict((q, v, a, tau)), 1e-6)


@methods(METHODS)
def test_order_and_names_of_joints_change_nothing_but_the_order(method):
    description = arm()
    names = {f"joint{k}": f"axis{9 - k}" for k in range(1, 5)}
    joints = tuple(replace(description.joints[k], name=names[description.joints[k].name]) for k in (2, 0, 3, 1))
    one, two = robot_of(description), robot_of(replace(description, joints=joints))
    order = [list(names.values()).index(name) for name in two.joint_names]
    q, v, a = motion()
    tau = noisy(one, q, v, a)
    first = method.fit(one, (q, v, a, tau))
    second = method.fit(two, tuple(np.ascontiguousarray(x[:, order]) for x in (q, v, a, tau)))
    torque = first.predict((q, v, a, tau))[:, order]
    # whitened coordinates are drawn at random states: another order is another draw
    digits = 1e-7 if method in WITHOUT_PRIOR.values() else 3e-3
    same(second.predict(tuple(np.ascontiguousarray(x[:, order]) for x in (q, v, a, tau))), torque, digits)
    same(second.noise, first.noise[order], 1e-6 if digits < 1e-6 else 3e-2)


@methods(METHODS)
def test_other_link_frames_change_nothing(method):
    rng, description = np.random.default_rng(5), arm(1.1)
    turned = {}
    for joint in description.joints:  # turned, and moved along the joint's axis
        turned[joint.child] = bf.Pose(random_rotation(rng), rng.normal() * joint.axis)
    links = tuple(
        replace(link, inertia=link.inertia.moved(turned[link.name].inverse().rotation, turned[link.name].inverse().translation))
        if link.name in turned
        else link
        for link in description.links
    )
    joints = []
    for joint in description.joints:
        frame = turned[joint.child]
        pose = (turned[joint.parent].inverse() if joint.parent in turned else bf.Pose()) @ joint.pose @ frame
        joints.append(replace(joint, pose=pose, axis=frame.rotation.T @ joint.axis))
    one, two = robot_of(description), robot_of(replace(description, links=links, joints=tuple(joints)))
    q, v, a = motion()
    same(two.inverse_dynamics(q, v, a), one.inverse_dynamics(q, v, a), 1e-9)
    data = q, v, a, noisy(robot_of(arm()), q, v, a)
    same(method.fit(two, data).predict(data), method.fit(one, data).predict(data), 1e-6)


@methods(METHODS)
def test_rows_without_weight_are_not_there(method):
    robot = robot_of(arm())
    q, v, a = motion()
    tau = noisy(robot, q, v, a)
    more = [np.vstack([x, x[:90] + 3.0]) for x in (q, v, a, 1e4 + 0 * tau)]
    more[3][: len(tau)] = tau
    weight = np.r_[np.ones(len(tau)), np.zeros(90)]
    one, two = method.fit(robot_of(arm(1.1)), (q, v, a, tau)), method.fit(robot_of(arm(1.1)), Arrays(*more, weight))
    same(two.values, one.values, 1e-8)
    same(two.deviations, one.deviations, 1e-6)
    same(two.noise, one.noise, 1e-8)


def test_a_weight_of_two_is_noise_of_half():
    robot = robot_of(arm())
    q, v, a = motion()
    tau = noisy(robot, q, v, a)
    quiet = tau - 0.5 * (tau - robot.inverse_dynamics(q, v, a))
    alone = bf.LeastSquares().fit(robot, (q, v, a, tau))
    both = bf.LeastSquares().fit(robot, [(q, v, a, tau), (q, v, a, quiet)], weights=[1.0, 2.0])
    assert np.all(both.deviations < 0.75 * alone.deviations)


def spiked(tau, seed=2, size=200.0, share=0.01):
    rng = np.random.default_rng(seed)
    hit = rng.random(tau.shape) < share
    return tau + np.where(hit, size * rng.choice([-1.0, 1.0], tau.shape), 0.0)


@methods({name: METHODS[name] for name in ("huber", "tukey")})
def test_outliers_lose_their_weight_and_the_cost_never_rises(method):
    robot = robot_of(arm())
    q, v, a = motion(1000)
    tau = noisy(robot, q, v, a)
    clean, plain = (bf.LeastSquares().fit(robot, (q, v, a, x)) for x in (tau, spiked(tau)))
    robust = method.fit(robot, (q, v, a, spiked(tau)))
    assert np.abs((plain.values - clean.values) / clean.deviations).max() > 5
    assert np.abs((robust.values - clean.values) / clean.deviations).max() < 1
    costs = np.array(robust.tables["robust cost"])
    assert len(costs) > 1 and np.all(np.diff(costs) <= 0)
    assert "outliers" in " ".join(robust.notes)


def test_spikes_on_a_real_machine_do_not_matter(dataset):
    """1 % of the rows of TX40 off by 200 N m."""
    dataset("staubli_tx40")
    recording, robot = bf.datasets.load("staubli_tx40"), bf.datasets.robot("staubli_tx40")
    samples = bf.prepare(recording, robot=robot, cutoff=50.0)
    spoilt = replace(samples, torque=spiked(samples.torque))
    friction = FRICTION + bf.RotorInertia()
    errors = {}
    for name, data in (("clean", samples), ("plain", spoilt), ("huber", spoilt), ("tukey", spoilt)):
        method = replace(METHODS.get(name, bf.LeastSquares()), uncertainty="white")
        errors[name] = method.fit(robot, data, friction=friction).score(samples, masked=True).relative
    assert errors["plain"] > 1.2 * errors["clean"]
    assert errors["huber"] < 1.05 * errors["clean"] and errors["tukey"] < 1.05 * errors["clean"]


def test_the_covariance_of_joints_is_used():
    """Noise that two joints share is seen in one and taken out of the other."""
    robot = robot_of(arm())
    q, v, a = motion(600)
    rng = np.random.default_rng(4)
    common = rng.normal(size=(600, 1)) * [1.0, 2.0, -1.0, 3.0]
    data = q, v, a, robot.inverse_dynamics(q, v, a) + common + 0.05 * rng.normal(size=q.shape)
    alone, full = bf.LeastSquares().fit(robot, data), bf.LeastSquares(weights="full").fit(robot, data)
    truth = full.base.from_full(robot.parameters())
    assert np.median(full.deviations / alone.deviations) < 0.7
    assert np.linalg.norm((full.values - truth) / alone.deviations) < 0.7 * np.linalg.norm(
        (alone.values - truth) / alone.deviations
    )
    found = full.tables["joint covariance"]
    assert found[0, 1] > 0.9 * np.sqrt(found[0, 0] * found[1, 1])


def test_strengths_are_chosen_where_data_are_poor_and_priors_good():
    """A short, small motion, with a prior that is nearly right: drawing to it helps on motion that was not seen."""
    truth = robot_of(arm())
    described = robot_of(arm(1.03), 1.03)
    q, v, a = motion(120, seed=7)
    q, v, a = 0.3 * q, 0.3 * v, 0.3 * a
    tau = truth.inverse_dynamics(q, v, a)
    tau = tau + 0.3 * tau.std(axis=0) * np.random.default_rng(8).normal(size=tau.shape)
    other = motion(400, seed=9)
    unseen = *other, truth.inverse_dynamics(*other)
    plain = bf.LeastSquares().fit(described, (q, v, a, tau)).score(unseen).relative
    for method in AUTOMATIC.values():
        estimate = method.fit(described, (q, v, a, tau))
        assert estimate.score(unseen).relative < plain
        assert estimate.tables["degrees of freedom"] < len(estimate.values)
        assert "chosen on inner blocks" in " ".join(estimate.notes)


def test_values_of_the_prior_are_not_presented_as_identified():
    robot = robot_of(arm())
    q, v, a = motion()
    v[:, 3] = a[:, 3] = 0.0
    q[:, 3] = 0.4  # the last joint stands still
    data = q, v, a, noisy(robot, q, v, a)
    for method in (bf.LeastSquares(ridge=100.0), bf.LeastSquares(truncate=1e-3)):
        estimate = method.fit(robot, data)
        k = estimate.names.index("joint4.viscous")
        assert not estimate.identified[k] and np.isinf(estimate.deviations[k])
        assert "parameters.from_prior" in [note.code for note in estimate.notes]


def test_degrees_of_freedom_fall_from_all_to_none():
    robot = robot_of(arm())
    q, v, a = motion()
    problem = Problem.of(robot, (q, v, a, noisy(robot, q, v, a)))
    used = [bf.LeastSquares(ridge=s, uncertainty="white").solve(problem).tables["degrees of freedom"] for s in (0, 1, 1e3, 1e9)]
    assert used[0] == pytest.approx(len(problem.base)) and np.all(np.diff(used) < 0) and used[-1] < 0.01


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"weights": "by joint"}, "there are no weights 'by joint'"),
        ({"robust": "cauchy"}, "there is no robust method 'cauchy'"),
        ({"uncertainty": "none"}, "there are no error bars 'none'"),
        ({"ridge": -1.0}, "ridge is -1.0"),
        ({"truncate": "some"}, "truncate is 'some'"),
        ({"ridge": 1.0, "truncate": 0.1}, "ridge and truncate are two ways to the same end"),
        ({"robust": "huber", "weights": "full"}, "a robust fit has a weight for each joint"),
        ({"weights": "full", "uncertainty": "bootstrap"}, "blocks have no factor"),
    ],
)
def test_settings_that_mean_nothing_are_refused(settings, words):
    with pytest.raises(SolveError, match=words) as caught:
        bf.LeastSquares(**settings)
    assert caught.value.remedy


def test_a_score_is_of_the_rows_that_are_kept():
    """Rows left out, joint by joint, are as if they had never been there."""
    robot, rng = bf.Robot.load("two_link"), np.random.default_rng(0)
    q, v, a = rng.normal(size=(3, 200, 2))
    torque = robot.inverse_dynamics(q, v, a) + rng.normal(size=(200, 2))
    kept = np.arange(200) % 5 == 0
    some, mask = bf.score(robot, (q, v, a, torque), mask=kept), np.repeat(kept[:, None], 2, axis=1)
    alone = bf.score(robot, tuple(x[kept] for x in (q, v, a, torque)))
    for name in ("relative", "per_joint", "rmse", "rows"):
        assert np.allclose(getattr(some, name), getattr(alone, name)), name
        assert np.allclose(getattr(bf.score(robot, (q, v, a, torque), mask=mask), name), getattr(alone, name)), name
    one = bf.score(robot, (q, v, a, torque), mask=mask & [True, False])
    assert one.rmse[0] == pytest.approx(alone.rmse[0]) and np.isnan(one.rmse[1])
    for wrong, error in ((np.zeros(200, dtype=bool), SolveError), (np.ones((100, 2), dtype=bool), bf.BifilarError)):
        with pytest.raises(error):
            bf.score(robot, (q, v, a, torque), mask=wrong)


def test_recordings_held_out_count_by_their_rows():
    """Against the torque as measured too, two recordings are judged as one, not as the mean of two."""
    from bifilar.validate.holdout import held_out

    robot = bf.Robot.load("pendulum")
    t = np.arange(4000) / 200
    q = np.sin(2 * t) + 0.3 * np.sin(5 * t)
    v, a = np.gradient(q) * 200, np.gradient(np.gradient(q)) * 200**2
    size = np.where(t < 15, 0.02, 1.0)[:, None] * np.random.default_rng(0).normal(size=(4000, 1))
    torque = robot.inverse_dynamics(q[:, None], v[:, None], a[:, None]) + size
    whole = bf.Recording(joint_names=("joint1",), time=t, position=q[:, None], torque=torque)
    estimate = bf.LeastSquares().fit(robot, whole.part(0, 10))
    parts = [whole.part(0, 15), whole.part(15, 20)]
    scores = [estimate.score(part) for part in parts]
    samples = [bf.prepare(part, estimate.recipe, robot=estimate.described) for part in parts]
    sizes = np.array([np.linalg.norm(each.raw_torque) for each in samples])
    expected = np.linalg.norm([s.raw * n for s, n in zip(scores, sizes)]) / np.linalg.norm(sizes)
    assert held_out(estimate, parts).raw == pytest.approx(expected)


@pytest.mark.parametrize("uncertainty", ["robust", "white", "bootstrap"])
@pytest.mark.parametrize("settings", [{"truncate": 2.0}, {"ridge": 1e30}], ids=str)
def test_what_follows_the_description_alone_has_no_finite_error_bars(settings, uncertainty):
    robot, rng = bf.Robot.load("two_link"), np.random.default_rng(0)
    q, v, a = rng.normal(size=(3, 300, 2))
    data = q, v, a, robot.inverse_dynamics(q, v, a) + 0.1 * rng.normal(size=(300, 2))
    estimate = bf.LeastSquares(uncertainty=uncertainty, **settings).fit(robot, data, friction=())
    assert np.all(np.isinf(estimate.deviations)) and not np.isnan(estimate.covariance).any()

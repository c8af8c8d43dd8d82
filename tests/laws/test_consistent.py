"""Physically consistent estimates: truth comes back, every link exists, what the prior decided is said."""

from __future__ import annotations

import numpy as np
import pytest

import bifilar as bf
from bifilar.estimate.bodies import (
    curvatures,
    divergences,
    from_log_cholesky,
    is_definite,
    log_cholesky,
    log_cholesky_jacobian,
    log_dets,
    margins,
    pseudo,
    ten_of,
    traces,
)
from bifilar.estimate.log_det import newton
from bifilar.estimate.physical_prior import physical_prior
from bifilar.estimate.physical_problem import PhysicalProblem
from bifilar.estimate.prior_strength import CLOSEST

FRICTION = bf.Viscous() + bf.Coulomb() + bf.Offset() + bf.RotorInertia()


def motion(robot, samples=300, seed=0, noise=0.0):
    """Random states and the torque of a robot there."""
    rng = np.random.default_rng(seed)
    q, v, a = rng.normal(size=(3, samples, len(robot.joint_names)))
    torque = robot.inverse_dynamics(q, v, a)
    return q, v, a, torque + noise * rng.normal(size=torque.shape)


def stretched(robot, by, seed=0):
    """Another robot whose bodies are off by about this much."""
    rng = np.random.default_rng(seed)
    bodies = np.array(robot.body_parameters)
    root = np.linalg.cholesky(pseudo(bodies[1:])) @ (np.eye(4) + by * np.tril(rng.normal(size=(len(bodies) - 1, 4, 4))))
    bodies[1:] = ten_of(root @ root.transpose(0, 2, 1))
    return robot.with_body_parameters(bodies)


def exists(robot):
    """Whether all links with mass, and all bodies, can exist."""
    return all(link.inertia.is_consistent for link in robot.links) and is_definite(robot.body_parameters[1:])


class TestBodies:
    theta = np.random.default_rng(1).normal(size=(50, 10))

    def test_maps_agree_with_one_body_at_a_time(self):
        tens = from_log_cholesky(self.theta)
        for theta, ten in zip(self.theta, tens):
            body = bf.Inertia.from_log_cholesky(theta)
            assert np.allclose(body.vector, ten, rtol=1e-12)
            assert np.allclose(body.pseudo(), pseudo(ten), rtol=1e-12)
        assert np.allclose(log_cholesky(tens), self.theta, atol=1e-8)
        assert is_definite(tens)

    def test_slopes_are_those_of_differences(self):
        theta, step = self.theta[:10], 1e-6
        slope = log_cholesky_jacobian(theta)
        for k in range(10):
            move = step * np.eye(10)[k]
            change = (from_log_cholesky(theta + move) - from_log_cholesky(theta - move)) / (2 * step)
            assert np.allclose(slope[..., k], change, rtol=1e-5, atol=1e-5 * np.abs(slope).max())

    def test_curvature_is_the_slope_of_the_slope(self):
        ten = from_log_cholesky(0.3 * self.theta[0])
        gradient = lambda x: -traces(np.linalg.inv(pseudo(x)))  # noqa: E731  of -log det
        for k in range(10):
            move = 1e-5 * np.eye(10)[k]
            assert np.allclose(curvatures(ten)[k], (gradient(ten + move) - gradient(ten - move)) / 2e-5, rtol=1e-4, atol=1e-4)
            assert np.isclose((log_dets(ten + move) - log_dets(ten - move)) / 2e-5, -gradient(ten)[k], rtol=1e-5, atol=1e-5)

    def test_divergence_ignores_frames_and_units(self):
        one, other = from_log_cholesky(0.5 * self.theta[:5]), from_log_cholesky(0.5 * self.theta[5:10])
        move = np.random.default_rng(2).normal(size=(4, 4))
        seen = [ten_of(move @ pseudo(x) @ move.T) for x in (one, other)]
        assert np.allclose(divergences(*seen), divergences(one, other), rtol=1e-7)
        assert np.all(divergences(one, other) > 0) and np.allclose(divergences(one, one), 0, atol=1e-12)

    def test_margins_have_the_sign_of_existence(self):
        flat = bf.Inertia.from_center_of_mass(1.0, [0, 0, 0], np.diag([1.0, 1.0, 2.1])).vector
        assert margins(flat) < 0 < margins(from_log_cholesky(self.theta)).min()


@pytest.mark.parametrize("name", ["two_link", "panda"])
class TestTruth:
    @pytest.mark.parametrize("solver", ["newton", "clarabel"])
    def test_noise_free_torque_is_explained(self, name, solver):
        truth = bf.Robot.load(name).with_friction(FRICTION)
        names = truth.drive_columns.names
        truth = truth.with_parameters(dict(zip(names, 0.1 + np.random.default_rng(3).random(len(names)))))
        data = motion(truth)
        estimate = bf.PhysicallyConsistent(prior_weight=1.0, solver=solver).fit(stretched(truth, 0.2), data)
        assert estimate.status.ok and exists(estimate.robot)
        assert estimate.score(data).relative < 1e-5
        base = estimate.base
        scale = np.abs(base.from_full(truth.parameters())).max()
        assert np.allclose(estimate.values, base.from_full(truth.parameters()), atol=1e-4 * scale)

    def test_noise_leaves_links_that_exist(self, name):
        robot = bf.Robot.load(name)
        for seed in range(3):
            data = motion(robot, samples=60, seed=seed, noise=2.0)
            estimate = bf.PhysicallyConsistent(prior_weight=1e-2).fit(stretched(robot, 0.3, seed), data)
            drives = estimate.parameters.of_kind("friction", "drive")
            assert exists(estimate.robot) and np.all(drives.values >= drives.lower)

    def test_units_of_torque_noise_do_not_matter(self, name):
        """Twice the data are the same as half the weight of the prior."""
        robot = bf.Robot.load(name)
        q, v, a, torque = motion(robot, noise=0.5)
        twice = tuple(np.concatenate([x, x]) for x in (q, v, a, torque))
        settings = {"friction": (), "blocks": 4}
        once = bf.PhysicallyConsistent(prior_weight=1.0, weights="equal").fit(
            stretched(robot, 0.2), (q, v, a, torque), **settings
        )
        both = bf.PhysicallyConsistent(prior_weight=2.0, weights="equal").fit(stretched(robot, 0.2), twice, **settings)
        assert np.allclose(once.values, both.values, rtol=1e-2, atol=1e-2 * np.abs(once.values).max())


def test_a_mass_that_is_not_seen_stays_the_priors():
    robot = bf.Robot.load("two_link")
    estimate = bf.PhysicallyConsistent(prior_weight=1.0).fit(robot, motion(robot, noise=0.01), friction=())
    origin = dict(zip(estimate.parameters.names, estimate.origins))
    assert origin["link2.mcx"] == origin["link2.Izz"] == "data"
    assert origin["link1.mass"] == origin["link2.Ixx"] == origin["link2.mcz"] == "prior"
    assert "from data" in estimate.summary() and "from prior" in estimate.summary()


def test_everything_else_that_is_known_is_kept():
    robot = bf.Robot.load("two_link")
    ball = bf.Ellipsoid.of_axes([0.1, 0, 0], [0.3, 0.1, 0.1])
    method = bf.PhysicallyConsistent(
        prior_weight=1.0, total_mass=7.0, inside={"link2": ball}, symmetric={"link1": "xz"}, bounds={"link1.mass": (1.0, 3.0)}
    )
    estimate = method.fit(robot, motion(robot, noise=0.1), friction=())
    values = estimate.parameters
    assert estimate.status.ok and exists(estimate.robot)
    assert np.isclose(values["link1.mass"] + values["link2.mass"], 7.0, rtol=1e-7)
    assert values["link1.mass"] <= 3.0 + 1e-9
    assert ball.row() @ values.values[10:20] >= -1e-9
    assert np.allclose([values[f"link1.{word}"] for word in ("mcy", "Ixy", "Iyz")], 0, atol=1e-9)


def test_mirror_images_are_alike():
    robot = bf.Robot.load("two_link")
    estimate = bf.PhysicallyConsistent(prior_weight=1.0, alike=(("link1", "link2", "xz"),)).fit(
        robot, motion(robot, noise=0.1), friction=()
    )
    one, other = estimate.parameters.values[:10], estimate.parameters.values[10:20]
    assert np.allclose(one * [1, 1, -1, 1, 1, -1, 1, 1, -1, 1], other, atol=1e-8)


def test_conditions_that_contradict_are_infeasible():
    robot = bf.Robot.load("two_link")
    method = bf.PhysicallyConsistent(prior_weight=1.0, total_mass=1.0, bounds={"link1.mass": (2.0, 3.0)})
    estimate = method.fit(robot, motion(robot, noise=0.1), friction=())
    assert estimate.status.code == "infeasible" and not estimate.identified.any()
    assert set(estimate.origins) == {"prior"} and exists(estimate.robot)
    with pytest.raises(bf.SolveError, match="infeasible"):
        method.fit(robot, motion(robot, noise=0.1), friction=(), strict=True)


def test_weights_of_the_joints_are_those_asked_for():
    """A weak prior and exact data apart, the answer is that of least squares with the same weights."""
    robot = bf.Robot.load("two_link")
    rng = np.random.default_rng(4)
    q, v, a, torque = motion(robot, 400)
    torque = torque + rng.normal(size=torque.shape) * [0.1, 0.001]
    for weights in ("per joint", "equal", (1.0, 0.1), (30.0, 1.0)):
        free = bf.LeastSquares(weights=weights).fit(robot, (q, v, a, torque), friction=())
        ours = bf.PhysicallyConsistent(weights=weights, prior_weight=1e-4).fit(robot, (q, v, a, torque), friction=())
        assert np.allclose(ours.predict((q, v, a, torque)), free.predict((q, v, a, torque)), atol=2e-3), weights


class TestErrorBars:
    """What a consistent fit says of itself agrees with what least squares says, and with what happens."""

    def coloured(self, rows, rng, keep=0.9):
        noise = rng.normal(size=(rows + 300, 2))
        for k in range(1, len(noise)):
            noise[k] = keep * noise[k - 1] + np.sqrt(1 - keep**2) * noise[k]
        return noise[300:]

    def slow(self, robot, rows, rng, noise):
        t = np.arange(rows)[:, None] / 100
        w, p = rng.uniform(1, 6, (2, 3, 2)), rng.uniform(0, 6, (3, 2))
        q, v, a = (sum(f(w[0, k], w[0, k] * t + p[k]) for k in range(3)) for f in WAVES)
        return q, v, a, robot.inverse_dynamics(q, v, a) + 0.05 * noise(rows, rng)

    def test_they_cover_the_truth_with_coloured_noise(self):
        robot = bf.Robot.load("two_link")
        truth = bf.base_parameters(robot).from_full(robot.parameters())
        inside = {"robust": [], "white": []}
        for seed in range(20):
            data = self.slow(robot, 1500, np.random.default_rng(seed), self.coloured)
            for how, seen in inside.items():
                method = bf.PhysicallyConsistent(prior_weight=1e-2, uncertainty=how)
                estimate = method.fit(stretched(robot, 0.2), data, friction=())
                seen.append(np.abs(estimate.values - truth) <= 1.96 * estimate.deviations)
        assert np.mean(inside["robust"]) > 0.85 > np.mean(inside["white"])

    @pytest.mark.parametrize("how", ["robust", "white"])
    @pytest.mark.parametrize("weights", ["per joint", "equal"])
    def test_without_a_prior_worth_mentioning_they_are_those_of_least_squares(self, how, weights):
        robot = bf.Robot.load("two_link")
        data = self.slow(robot, 1500, np.random.default_rng(1), self.coloured)
        data[3][:, 1] *= 1.0 + 0.1 * np.random.default_rng(2).normal(size=1500)
        free = bf.LeastSquares(uncertainty=how, weights=weights).fit(robot, data, friction=())
        ours = bf.PhysicallyConsistent(prior_weight=1e-6, uncertainty=how, weights=weights).fit(robot, data, friction=())
        assert np.allclose(ours.deviations, free.deviations, rtol=0.03)
        assert np.all(ours.seen > 0.99)

    def test_a_prior_however_sure_identifies_nothing(self):
        robot = bf.Robot.load("two_link")
        data = tuple(x[:40] for x in motion(robot, noise=0.5))
        strong = bf.PhysicallyConsistent(prior_weight=1e8).fit(robot, data, friction=())
        known = np.abs(strong.values) > 1e-6
        assert np.all(strong.relative_deviations[known] < 0.01)
        assert not strong.identified.any() and np.all(strong.seen < 0.5)
        assert bf.PhysicallyConsistent(prior_weight=1e-2).fit(robot, motion(robot, noise=0.01), friction=()).identified.any()

    def test_seen_is_the_share_of_a_change_of_the_machine_that_arrives(self):
        robot = bf.Robot.load("two_link")
        q, v, a, torque = motion(robot, 200, noise=0.5)
        base = bf.base_parameters(robot)
        method = bf.PhysicallyConsistent(prior_weight=300.0, uncertainty="white", weights=(1.0, 1.0))
        here = method.fit(robot, (q, v, a, torque), friction=())
        columns = np.concatenate([robot.regressor(q, v, a)[..., base.columns]])
        for k in range(len(base)):
            moved = method.fit(robot, (q, v, a, torque + 1e-4 * columns[..., k]), friction=())
            assert np.isclose((moved.values - here.values)[k] / 1e-4, here.seen[k], atol=0.03)


WAVES = (lambda w, x: np.sin(x) / w, lambda w, x: np.cos(x), lambda w, x: -w * np.sin(x))


def test_torque_with_the_wrong_sign_is_doubted():
    robot = bf.Robot.load("panda")
    q, v, a, torque = motion(robot, noise=0.1)
    assert bf.PhysicallyConsistent(prior_weight=1.0).fit(robot, (q, v, a, -torque)).status.code == "doubtful"


def test_a_joint_that_stands_still_is_reported():
    robot = bf.Robot.load("two_link")
    q, v, a, _ = motion(robot)
    q[:, 1] = v[:, 1] = a[:, 1] = 0.0
    estimate = bf.PhysicallyConsistent(prior_weight=1.0).fit(robot, (q, v, a, robot.inverse_dynamics(q, v, a)))
    assert estimate.status.code == "rank deficient" and exists(estimate.robot)


def test_an_impossible_description_is_repaired_and_said():
    robot = bf.Robot.load("two_link")
    odd = robot.with_parameters({"link2.Izz": 0.1}).with_inertia({"link1": bf.Inertia.zero()})
    prior = physical_prior(odd)
    assert is_definite(prior.bodies[1:]) and len(prior.notes) == 2
    estimate = bf.PhysicallyConsistent(prior_weight=1.0).fit(odd, motion(robot, noise=0.01), friction=())
    assert estimate.status.ok and exists(estimate.robot)
    assert {"prior.inconsistent_link", "prior.no_mass"} <= {note.code for note in estimate.notes}


def test_links_fixed_to_others_exist_and_the_file_says_the_same(tmp_path):
    robot = bf.Robot.load("panda")
    tool = bf.Link("tool", bf.Inertia.from_center_of_mass(0.7, [0, 0, 0.1], 0.002 * np.eye(3)), has_inertia=True)
    joint = bf.Joint("mount", "fixed", robot.body_names[-1], "tool", bf.Pose(np.eye(3), [0, 0, 0.1]))
    description = robot.description()
    carrying = bf.Robot.build(
        bf.Description("carrying", (*description.links, tool), (*description.joints, joint), gravity=description.gravity)
    )
    for by in (0.1, 1.0):
        truth = stretched(robot, by, seed=4)
        estimate = bf.PhysicallyConsistent(prior_weight=1e-3).fit(carrying, motion(truth, noise=0.1), friction=())
        assert exists(estimate.robot)
        assert np.allclose(estimate.robot.parameters().values, estimate.parameters.values, atol=1e-10)
        estimate.robot.save(tmp_path / "arm.urdf")
        again = bf.Robot.load(tmp_path / "arm.urdf")
        assert np.allclose(again.body_parameters[1:], estimate.robot.body_parameters[1:], rtol=1e-9, atol=1e-12)
        assert exists(again)


def test_the_weight_is_chosen_without_the_scored_data():
    """A good prior gets a large weight, a bad one a small one; the table is part of the result."""
    robot = bf.Robot.load("panda")
    data = motion(robot, samples=60, noise=3.0)
    good = bf.PhysicallyConsistent().fit(robot, data, friction=())
    bad = bf.PhysicallyConsistent(prior=stretched(robot, 1.0)).fit(robot, data, friction=())
    strength = good.tables["prior weight"]
    assert strength.weight > 10 * bad.tables["prior weight"].weight
    assert strength.errors.shape == (len(strength.weights), 5) and "chosen" in strength.text()


def test_no_standard_weight_claims_more_than_weighing_parts_gives():
    """However well the nominal model fits: a standard weight stands for 5 % at best, and error bars too."""
    robot = bf.Robot.load("two_link")
    table = bf.PhysicallyConsistent().fit(robot, motion(robot, noise=0.01), friction=()).tables["prior weight"]
    assert table.deviation >= CLOSEST and table.standard <= table.colour / CLOSEST**2 * (1 + 1e-9)


def test_the_bound_on_the_gap_holds():
    rng = np.random.default_rng(0)
    prior = from_log_cholesky(0.3 * rng.normal(size=(2, 10)))
    factor = rng.normal(size=(20, 23))
    target = factor @ np.concatenate([prior.ravel(), [0.5, -0.5, 0.0]]) + rng.normal(size=20)
    lower = np.concatenate([np.full(20, -np.inf), np.zeros(3)])
    stated = PhysicalProblem(factor=factor, target=target, prior=prior, weight=0.1, lower=lower)
    answer = newton(stated)
    assert answer.solved and 0 <= answer.gap + 1e-12 and answer.gap < 1e-6 * answer.cost
    for _ in range(200):  # no neighbour is better
        other = np.maximum(answer.values + 1e-4 * rng.normal(size=23), lower)
        assert stated.cost(other) >= answer.cost - 1e-9


class TestNearest:
    def test_base_parameters_of_a_robot_are_reproduced(self):
        robot = bf.Robot.load("panda")
        truth = stretched(robot, 0.3)
        base = bf.base_parameters(robot)
        found = bf.nearest(robot, base.from_full(truth.parameters()))
        assert found.exact and exists(found.robot)
        assert np.allclose(found.values, base.from_full(truth.parameters()), rtol=1e-6, atol=1e-8)
        prior = physical_prior(robot).bodies[1:]
        own = found.parameters.values[:70].reshape(-1, 10)
        assert divergences(own, prior).sum() <= divergences(truth.body_parameters[1:], prior).sum()

    def test_values_of_no_robot_give_the_nearest(self):
        robot = bf.Robot.load("panda")
        base = bf.base_parameters(robot)
        wanted = np.array(base.from_full(robot.parameters()))
        wanted[list(base.independent).index("link7.Izz")] = -0.5
        found = bf.nearest(robot, wanted)
        assert not found.exact and exists(found.robot) and found.distance > 1
        assert "no robot has" in str(found)

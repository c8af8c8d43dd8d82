"""Laws that every method keeps (the least-squares family has its own file): order of joints and links, frames of links, units
and rows without weight change nothing but names, order and units."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from closed_loop_arm import GAINS, arm, motion, recorded
from oracles import random_rotation

import bifilar as bf
from bifilar.estimate.closed_loop import JointController
from bifilar.estimate.sources import Arrays

DURATION = 2.5  # [s]
RECIPE = bf.Recipe(cutoff=20.0)
CONSISTENT = bf.PhysicallyConsistent(prior_weight=1.0)
LIKELIHOOD = bf.MaximumLikelihood(position_noise=1e-3, torque_noise=0.05)
NAMES = ("consistent", "maximum likelihood", "instrumental variables", "direct inverse")
every = pytest.mark.parametrize("name", NAMES)


def fit(name: str, robot: bf.Robot, recordings, order=(0, 1), unit: float = 1.0, **problem) -> bf.BaseEstimate:
    """By one method; `order` of the arm's joints, `unit` of its torque."""
    if name == "consistent":
        return CONSISTENT.fit(robot, recordings, recipe=RECIPE, **problem)
    if name == "maximum likelihood":
        return replace(LIKELIHOOD, torque_noise=0.05 * unit).fit(robot, recordings, **problem)
    time, q, v = motion(DURATION)
    wanted = time, np.ascontiguousarray(q[:, order]), np.ascontiguousarray(v[:, order])
    kp, kd = (unit * np.array(gains)[list(order)] for gains in GAINS)
    kind = bf.InstrumentalVariables if name == "instrumental variables" else bf.DirectInverse
    law = JointController.of(bf.VirtualRobot(robot, gains=(kp, kd), feedback="measured", velocity_cutoff=500.0), wanted)
    return kind(controller=law, reference=wanted).fit(robot, recordings, recipe=RECIPE, **problem)


@pytest.fixture(scope="module")
def described() -> bf.Robot:
    """As the user believes the arm to be: the truth but for a tenth."""
    robot = arm()
    return robot.with_inertia(
        {name: bf.Inertia.from_vector(1.1 * robot.link(name).inertia.vector) for name in ("link1", "link2")}
    )


@pytest.fixture(scope="module")
def run() -> bf.Recording:
    return recorded(3, arm(), duration=DURATION)


def torque(estimate: bf.BaseEstimate, order=(0, 1)) -> np.ndarray:
    q, v, a = np.random.default_rng(0).normal(size=(3, 40, 2))
    there = (np.ascontiguousarray(x[:, order]) for x in (q, v, a))
    back = np.argsort(order)
    return estimate.model.inverse_dynamics(*there)[:, back]


def alike(one: bf.BaseEstimate, other: bf.BaseEstimate, order=(0, 1), digits: float = 1e-3) -> None:
    """To the digits at which methods that iterate stop: a fiftieth of a deviation."""
    expected = torque(one)
    np.testing.assert_allclose(torque(other, order), expected, rtol=0, atol=digits * np.abs(expected).max())
    assert one.status.code == other.status.code


@every
def test_order_of_joints_and_links_changes_nothing_but_the_order(name, described, run):
    there = described.description()
    shuffled = replace(there, joints=there.joints[::-1], links=(there.links[0], *there.links[:0:-1]))
    other = bf.Robot.build(shuffled, gravity=described.gravity).with_friction(described.friction)
    assert other.joint_names == described.joint_names[::-1]
    digits = 1e-6 if name == "consistent" else 1e-3
    alike(fit(name, described, run), fit(name, other, run, order=(1, 0)), (1, 0), digits)


@every
def test_other_link_frames_change_nothing(name, described, run):
    rng, there = np.random.default_rng(5), described.description()
    turned = {joint.child: bf.Pose(random_rotation(rng), 0.2 * rng.normal() * joint.axis) for joint in there.joints}
    links, joints = [], []
    for link in there.links:
        back = turned[link.name].inverse() if link.name in turned else bf.Pose()
        links.append(replace(link, inertia=link.inertia.moved(back.rotation, back.translation)))
    for joint in there.joints:
        before = turned[joint.parent].inverse() if joint.parent in turned else bf.Pose()
        frame = turned[joint.child] if joint.child in turned else bf.Pose()
        joints.append(replace(joint, pose=before @ joint.pose @ frame, axis=frame.rotation.T @ joint.axis))
    other = bf.Robot.build(replace(there, links=tuple(links), joints=tuple(joints)), gravity=described.gravity)
    digits = 1e-6 if name == "consistent" else 1e-3
    alike(fit(name, described, run), fit(name, other.with_friction(described.friction), run), digits=digits)


@every
def test_torque_in_another_unit_scales_everything_alike(name, described, run):
    ten = described.with_limits({"joint1": {"effort": 1000.0}, "joint2": {"effort": 400.0}}).with_parameters(
        bf.Parameters.of(dict(zip(described.parameters().names, 10 * described.parameters().values)))
    )
    one, other = fit(name, described, run), fit(name, ten, run.with_channel("torque", 10 * run.torque), unit=10.0)
    np.testing.assert_allclose(torque(other), 10 * torque(one), rtol=0, atol=1e-3 * np.abs(torque(other)).max())
    np.testing.assert_allclose(other.deviations, 10 * one.deviations, rtol=0.02)


def test_a_consistent_fit_does_not_see_rows_without_weight():
    robot = arm()
    q, v, a = np.random.default_rng(0).normal(size=(3, 200, 2))
    tau = robot.inverse_dynamics(q, v, a) + 0.1 * np.random.default_rng(1).normal(size=(200, 2))
    more = [np.vstack([x, x[:90] + 3.0]) for x in (q, v, a, 1e4 + 0 * tau)]
    more[3][:200] = tau
    weighted = Arrays(*more, np.r_[np.ones(200), np.zeros(90)])
    one, two = (CONSISTENT.fit(robot, data) for data in ((q, v, a, tau), weighted))
    np.testing.assert_allclose(two.parameters.values, one.parameters.values, rtol=0, atol=1e-7)
    np.testing.assert_allclose(two.parameter_deviations, one.parameter_deviations, rtol=1e-5, atol=1e-12)


@pytest.mark.parametrize("name", ["maximum likelihood", "instrumental variables", "direct inverse"])
def test_a_recording_without_weight_is_not_there(name, described, run):
    """The second recording's torque is nonsense, and its weight zero."""
    wrong = run.with_channel("torque", 30.0 + 0 * run.torque)
    alike(fit(name, described, run), fit(name, described, [run, wrong], weights=[1.0, 0.0]), digits=2e-3)

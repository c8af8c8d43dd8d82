"""Links that could not be built: found where a fit made them, not where the description had them; said, and never good."""

from __future__ import annotations

import numpy as np
import pytest

import bifilar as bf
from bifilar.estimate.odd_bodies import odd_bodies, words

DENSE = bf.Inertia.from_center_of_mass(90.0, [0.1, 0.0, 0.0], 0.01 * np.eye(3))
HUGE = bf.Inertia.from_center_of_mass(5e4, [0.0, 0.0, 0.0], 5e5 * np.eye(3))


@pytest.mark.parametrize("name", ("pendulum", "two_link", "panda"))
def test_a_robot_is_not_odd_beside_itself(name):
    robot = bf.Robot.load(name)
    assert odd_bodies(robot, robot) == {}


@pytest.mark.parametrize("body, said", [(DENSE, "denser than any metal"), (HUGE, "the whole robot")])
def test_dense_and_huge_bodies_are_found_unless_they_were_described(body, said):
    robot = bf.Robot.load("two_link")
    odd = robot.with_inertia({"link1": body})
    assert said in odd_bodies(robot, odd)["link1"] and list(odd_bodies(robot, odd)) == ["link1"]
    assert odd_bodies(odd, odd) == {}
    assert "not identifiable" in words(odd_bodies(robot, odd), {"link1.mass": "prior"})[0]


def test_bodies_half_as_large_again_are_not_odd():
    """Ends of last links are not stated, and descriptions are rough."""
    robot = bf.Robot.load("panda")
    bodies = np.array(robot.body_parameters)
    bodies[:, 1:4] *= 1.5
    bodies[:, 4:] *= 1.5**2
    assert odd_bodies(robot, robot.with_body_parameters(bodies)) == {}


def test_a_link_that_could_not_be_built_is_said_and_the_verdict_is_not_good():
    """A prior that nobody could build pulls an unseen mass up; torque is predicted all the same."""
    robot = bf.Robot.load("two_link")
    q, v, a = np.random.default_rng(0).normal(size=(3, 300, 2))
    tau = robot.inverse_dynamics(q, v, a)
    data = q, v, a, tau + 0.02 * np.random.default_rng(1).normal(size=tau.shape)
    ten = np.array(robot.body_parameters)
    ten[1, 0] = 5000.0  # unseen: the torque is the same
    estimate = bf.PhysicallyConsistent(prior=robot.with_body_parameters(ten), prior_weight=1.0).fit(robot, data, friction=())
    usual = bf.PhysicallyConsistent(prior_weight=1.0).fit(robot, data, friction=())
    other = tuple(x[::-1] for x in data)
    verdicts = [bf.judge(one, bf.held_out(one, other)) for one in (usual, estimate)]
    assert [verdict.level for verdict in verdicts] == ["good", "poor"]
    assert any(reason.code == "link.odd" and reason.facts["link"] == "link1" for reason in verdicts[1].reasons)
    assert any(note.code == "link.odd" and note.facts["link"] == "'link1'" for note in estimate.notes)
    assert not any(note.code == "link.odd" for note in usual.notes)

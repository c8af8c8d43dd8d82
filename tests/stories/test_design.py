"""Designed motions: inside every limit between the samples too, better than chance, and as good as they promise."""

from __future__ import annotations

import numpy as np
import pytest
from design_problems import touching

import bifilar as bf
from bifilar.errors import MotionError
from bifilar.experiment.envelope import Bounds
from bifilar.experiment.information import Information
from bifilar.experiment.interior import Box, maximise

ROBOTS = ["two_link", "puma560", "panda", "kuka_lwr4", "ur10e"]


def noise_of(robot):
    return 0.01 * np.where(np.isfinite(robot.limits.effort), robot.limits.effort, 50.0)


def limited(name: str) -> bf.Robot:
    """The library's robots state no acceleration limits but the Panda; the PUMA no speed either."""
    description = bf.Robot.load(name).description()
    joints = []
    for joint in description.joints:
        if joint.moves:
            fields = {f: getattr(joint.limits, f) for f in ("lower", "upper", "velocity", "acceleration", "jerk", "effort")}
            fields["velocity"] = min(fields["velocity"], 2.0)
            fields["acceleration"] = min(fields["acceleration"], 6.0)
            joint = bf.Joint(joint.name, joint.kind, joint.parent, joint.child, joint.pose, joint.axis, bf.Limits(**fields))
        joints.append(joint)
    return bf.Robot.build(bf.Description(name, description.links, tuple(joints)))


@pytest.mark.parametrize("name", ROBOTS)
@pytest.mark.parametrize("seed", range(2))
def test_limits_hold_at_every_instant(name, seed):
    """Checked by sampling a hundred times finer, with formulas of this test's own."""
    robot = limited(name)
    found = bf.design(robot, duration=6.0, harmonics=4, seed=seed, noise=noise_of(robot), margin=0.02)
    motion, limits = found.motion, robot.limits
    t = np.linspace(0, 6.0, 40_001)
    angle = 2 * np.pi * motion.base_frequency * np.outer(t, motion.harmonics)
    a, b = np.split(motion.coefficients, 2, axis=1)
    w = 2 * np.pi * motion.base_frequency * np.array(motion.harmonics)
    q = motion.offset + np.sin(angle) @ (a / w).T - np.cos(angle) @ (b / w).T
    v = np.cos(angle) @ a.T + np.sin(angle) @ b.T
    acceleration = np.cos(angle) @ (b * w).T - np.sin(angle) @ (a * w).T
    assert np.all(q <= limits.upper) and np.all(q >= limits.lower)
    assert np.all(np.abs(v) <= limits.velocity) and np.all(np.abs(acceleration) <= limits.acceleration)
    assert np.all(found.margins >= 0)
    for end in (0, -1):
        assert np.allclose(v[end], 0, atol=1e-9) and np.allclose(acceleration[end], 0, atol=1e-8)


def test_better_than_chance_and_more_starts_are_no_worse():
    robot = bf.Robot.load("panda")
    one, two = (bf.design(robot, duration=10.0, seed=4, starts=starts) for starts in (1, 2))
    assert two.value >= one.value - 1e-6
    seen = Information.on(robot, bf.base_parameters(robot), noise=0.01 * robot.limits.effort)
    bounds, rng, chance = Bounds.of(robot), np.random.default_rng(0), []
    for _ in range(20):
        c = bf.rest_basis(5) @ rng.normal(size=(7, 7))
        wild = bf.Fourier(
            joint_names=robot.joint_names, base_frequency=0.1, harmonics=5, coefficients=20 * c.T,
            offset=0.5 * (bounds.lower[0] + bounds.upper[0]),
        )  # fmt: skip
        state = touching(wild, bounds).sample(100.0)
        chance.append(seen.matrix(state.position[:-1], state.velocity[:-1], state.acceleration[:-1]))
    designed = np.sqrt(np.diag(np.linalg.inv(one.information)))
    random = np.median([np.sqrt(np.diag(np.linalg.inv(m))) for m in chance], axis=0)
    assert np.exp(np.mean(np.log(random / designed))) >= 2.0


def test_what_is_promised_is_what_comes_out():
    """Deviations over many noise draws, by the library's own least squares, are those the design predicts."""
    robot = bf.Robot.load("two_link").with_friction(bf.Viscous(), {"joint1.viscous": 0.2})
    sigma = np.array([0.3, 0.1])
    found = bf.design(robot, duration=5.0, seed=1, noise=sigma, rate=50.0)
    state = found.motion.sample(50.0)[:-1]
    clean = robot.inverse_dynamics(state.position, state.velocity, state.acceleration)
    base, rng = bf.base_parameters(robot), np.random.default_rng(2)
    values = []
    for _ in range(200):
        noisy = clean + sigma * rng.normal(size=clean.shape)
        data = bf.reduce(robot, (state.position, state.velocity, state.acceleration, noisy), columns=base)
        values.append(bf.solve(data, weights=1 / sigma).values)
    observed = np.std(values, axis=0)
    predicted = np.array([found.deviations[name] for name in base.independent])
    assert np.all(np.abs(observed / predicted - 1) < 0.2)


def test_the_next_motion_shows_what_the_last_did_not():
    robot = bf.Robot.load("panda")
    first = bf.design(robot, duration=8.0, seed=0)
    again = 2 * first.information
    second = bf.design(robot, duration=8.0, seed=1, criterion="A", prior=first.information)
    worst = [np.linalg.eigvalsh(m).min() for m in (again, second.information)]
    assert worst[1] > worst[0]


def test_a_search_that_is_interrupted_keeps_what_it_has():
    def judge(x):
        judge.calls += 1
        if judge.calls > 5:
            raise KeyboardInterrupt
        return -float(np.sum((x - 3) ** 2)), lambda: -2 * (x - 3)

    judge.calls = 0
    box = Box(np.eye(2), np.full((1, 2), -1.0), np.full((1, 2), 1.0))
    found = maximise(judge, box, np.zeros(2))
    assert found.status == "stopped by the user" and np.all(np.abs(found.x) < 1)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"margin": 1.5}, "margin"),
        ({"duration": -1.0}, "duration"),
        ({"criterion": "F"}, "no criterion"),
        ({"noise": 0.0}, "noise"),
    ],
)
def test_wrong_calls_get_letters(change, words):
    with pytest.raises(MotionError) as refusal:
        bf.design(bf.Robot.load("two_link"), **({"duration": 5.0} | change))
    assert words in refusal.value.what


def test_missing_limits_are_asked_for_by_name():
    with pytest.raises(MotionError, match="velocity of joint1"):
        bf.design(bf.Robot.load("puma560"), duration=5.0)

"""Laws of the verdict: a right description is not held against a fit, a better one is; likely mistakes are named."""

from __future__ import annotations

import numpy as np
import pytest

import bifilar as bf
from bifilar.recording.check import example
from bifilar.report.run import Run
from bifilar.report.sections.residuals import ResidualsSection
from bifilar.report.sections.torque import TorqueSection
from bifilar.report.sections.torque_errors import ErrorsSection
from bifilar.report.sections.trust import TrustSection
from bifilar.report.sections.verdict import VerdictSection
from bifilar.validate.holdout import held_out
from bifilar.validate.verdict import Thresholds, judge

FRICTION = bf.Viscous() + bf.Coulomb() + bf.Offset()


def machine():
    robot = bf.Robot.load("two_link").with_friction(FRICTION)
    sizes = {"viscous": 1.0, "coulomb": 1.0, "offset": 0.3}
    return robot.with_parameters({f"{joint}.{word}": x for joint in robot.joint_names for word, x in sizes.items()})


def drawn(rows, noise, seed):
    robot, rng = machine(), np.random.default_rng(seed)
    q, v, a = rng.normal(size=(3, rows, 2))
    tau = robot.inverse_dynamics(q, v, a)
    return q, v, a, tau + noise * tau.std(axis=0) * rng.normal(size=tau.shape)


METHODS = {"least squares": bf.LeastSquares(), "consistent": bf.PhysicallyConsistent(prior_weight=1.0)}


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS.keys())
def test_a_perfect_description_and_no_noise_are_good(method):
    """Both errors are rounding: which of the two is larger says nothing."""
    estimate = method.fit(machine(), drawn(300, 0.0, 0))
    seen = held_out(estimate, drawn(300, 0.0, 1))
    assert seen.described < 1e-12
    verdict = judge(estimate, seen)
    assert verdict.level == "good", verdict.reasons


@pytest.mark.parametrize("seed", range(5))
def test_a_perfect_description_is_not_beaten_by_few_noisy_rows_and_that_is_good(seed):
    estimate = bf.LeastSquares().fit(machine(), drawn(14, 0.02, seed))
    seen = held_out(estimate, drawn(400, 0.02, 100 + seed))
    verdict = judge(estimate, seen)
    assert verdict.level == "good" or seen.relative > 0.05 or np.any(seen.over_floor > 2)
    assert verdict.level != "refused" or np.any(seen.over_floor > 2)


def test_no_better_than_a_right_description_is_said():
    """Few rows: worse than the description by a fifth, within the noise."""
    found = []
    for seed in range(10):
        estimate = bf.LeastSquares().fit(machine(), drawn(14, 0.02, seed))
        seen = held_out(estimate, drawn(200, 0.02, 100 + seed))
        if seen.relative > 1.2 * seen.described and np.all(seen.rmse < 2 * seen.floor):
            found.append(judge(estimate, seen))
    found = [verdict for verdict in found if "mass matrix" not in verdict.reasons[0]]  # refused for what they say themselves
    assert found and all(verdict.level == "good" for verdict in found)
    assert all("nominal.as_good" in [reason.code for reason in verdict.reasons] for verdict in found)


def test_a_fit_that_is_worse_than_the_description_is_refused():
    """Its own noise is large because it is wrong: the description shows that noise is less."""
    q, v, a, tau = drawn(300, 0.0, 0)
    spoilt = q, v, a, tau * (1 + 0.5 * np.sin(3 * q)) + 0.3 * tau.std(axis=0) * np.random.default_rng(0).normal(size=tau.shape)
    estimate = bf.LeastSquares().fit(machine(), spoilt)
    verdict = judge(estimate, held_out(estimate, drawn(300, 0.01, 1)))
    assert verdict.level == "refused"
    assert judge(estimate, held_out(estimate, drawn(300, 0.01, 1)), Thresholds(worse=1e6)).level in ("good", "usable", "poor")


def test_a_motion_that_is_recorded_once_more_is_no_other_motion():
    from bifilar.validate.repeats import fitted_too, repeated

    clean, robot = example(noise=False)

    def pass_of(seed: int, start: float = 0.0) -> bf.Recording:
        draw = np.random.default_rng(seed)
        q = clean.position + 1e-4 * draw.standard_normal(clean.position.shape)
        tau = clean.torque + 0.05 * draw.standard_normal(q.shape)
        one = bf.Recording(joint_names=clean.joint_names, time=clean.time, position=q, velocity=clean.velocity, torque=tau)
        return one.part(start, None)

    train, again, other = pass_of(0).part(None, 4.0), pass_of(1, 0.7).part(None, 4.0), pass_of(2, 4.2)
    assert not fitted_too(train, again) and repeated([train], [again]) > 0.95
    assert not fitted_too(train, other) and repeated([train], [other]) < 0.2
    estimate = bf.fit(robot, train)
    said = [bf.judge(estimate, bf.held_out(estimate, one, fitted=[train])).reasons for one in (again, other)]
    assert any(reason.code == "test.repeats" for reason in said[0]) and "unseen" not in said[0][0]
    assert not any(reason.code == "test.repeats" for reason in said[1]) and "unseen" in said[1][0]


def test_a_page_does_not_call_the_fitted_motion_another():
    clean, robot = example(noise=False)
    draw = np.random.default_rng(0)

    def noisy(part: bf.Recording) -> bf.Recording:
        return part.with_channel("torque", part.torque + 0.05 * draw.standard_normal(part.torque.shape))

    train, again, other = noisy(clean.part(None, 4.0)), noisy(clean.part(None, 4.0)), noisy(clean.part(4.2, None))
    estimate = bf.fit(robot, train)
    pages = []
    for test in (again, other):
        verdict = judge(estimate, held_out(estimate, test, fitted=[train]))
        run = Run(estimate=estimate, verdict=verdict, train=[("train", train)], test=[("test", test)])
        sections = (VerdictSection, TrustSection, ErrorsSection, TorqueSection, ResidualsSection)
        pages.append("".join(str(section(run).html()) for section in sections))
    once_more = "samples that were not fitted, of the motion that was"
    assert "motion that was not fitted" not in pages[0] and pages[0].count(once_more) == 4
    assert "Only this motion was tried" in pages[0] and "other motion was not tried" in pages[0]
    assert "motion that was not fitted" in pages[1] and once_more not in pages[1]
    assert "motion was tried" not in pages[1] and "motion was not tried" not in pages[1]


def test_joints_that_stood_still_are_named_and_not_accused():
    robot, t = bf.Robot.load("panda"), np.arange(4000) / 100
    rng, moving = np.random.default_rng(3), 3
    pose = np.array([0.1, -0.5, 0.2, -1.8, 0.1, 1.6, 0.4])
    q, v, a = np.tile(pose, (len(t), 1)), np.zeros((len(t), 7)), np.zeros((len(t), 7))
    q[:, moving] += 0.3 * np.sin(0.5 * t)
    v[:, moving], a[:, moving] = 0.15 * np.cos(0.5 * t), -0.075 * np.sin(0.5 * t)
    tau = 1.1 * robot.inverse_dynamics(q, v, a) + 0.03 * rng.standard_normal(q.shape)
    log = bf.Recording(joint_names=robot.joint_names, time=t, position=q + 1e-6 * rng.standard_normal(q.shape), torque=tau)
    train, test = log.part(None, 28.0), log.part(28.0, None)
    estimate = bf.fit(robot, train)
    verdict = judge(estimate, held_out(estimate, test, fitted=train))
    assert not any("likely mistake" in text for text in (*verdict.reasons, *estimate.notes))
    assert any("hardly moves joint1, joint2, joint3, joint5" in reason for reason in verdict.reasons)
    assert verdict.validation.still == tuple(name for k, name in enumerate(robot.joint_names) if k != moving)


def test_errors_beyond_all_sense_are_words():
    estimate = bf.LeastSquares().fit(machine(), drawn(300, 0.02, 0))
    q, v, a, tau = drawn(300, 0.02, 1)
    seen = held_out(estimate, (q, v, a, 1e-4 * tau))
    cells = [cell for row in seen.table()[1:] for cell in row]
    assert "nothing" in cells and "> 1000 %" in cells and not any(len(cell) > 10 for cell in cells)
    verdict = judge(estimate, seen)
    assert "more than the torque itself" in verdict.reasons[0]


def test_a_joint_that_is_not_explained_is_named_and_never_good():
    """Its torque is noise in both logs: the noise of the fit is as large as its error, and others outweigh it."""
    robot = bf.Robot.load("panda")

    def drawn_with(noise: float, seed: int):
        rng = np.random.default_rng(seed)
        q, v, a = rng.normal(size=(3, 400, 7))
        tau = robot.inverse_dynamics(q, v, a) + 0.01 * rng.normal(size=q.shape)
        if noise:
            tau[:, 6] = noise * rng.normal(size=len(q))
        return q, v, a, tau

    fits = {noise: bf.PhysicallyConsistent(prior_weight=1.0).fit(robot, drawn_with(noise, 0)) for noise in (0.0, 0.1)}
    seen = {noise: held_out(fit, drawn_with(noise, 1)) for noise, fit in fits.items()}
    fine, spoilt = (judge(fits[noise], seen[noise]) for noise in fits)
    assert fine.level == "good" and "does not explain" not in " ".join(fine.reasons)
    assert seen[0.1].relative < 0.05 and seen[0.1].per_joint[6] > 0.5
    assert spoilt.level == "usable"
    assert any("does not explain joint7 (misses" in reason and "joint1" not in reason for reason in spoilt.reasons)


def test_an_error_that_follows_the_temperature_is_named():
    """Warming up by 20 degrees takes half of the friction; a channel slower than the motion, on stamps of its own, will do."""
    robot, t = bf.Robot.load("two_link"), np.arange(6000) / 200

    def swing(seed: int, warm: bool, channel: bool = True) -> bf.Recording:
        rng = np.random.default_rng(seed)
        phase, rate = rng.uniform(0, 6, (3, 1, 2)), rng.uniform(1, 5, (3, 1, 2))
        angle = rate * t[:, None] + phase
        q, v, a = np.sin(angle).sum(0), (rate * np.cos(angle)).sum(0), -(rate**2 * np.sin(angle)).sum(0)
        tau = robot.inverse_dynamics(q, v, a) + 0.5 * np.sign(v) + 0.3 * rng.normal(size=q.shape)
        heat = 20 + 20 * np.linspace(0, 1, len(t)) ** 2
        if warm:
            tau[:, 1] -= 0.0125 * (heat - 20) * np.sign(v[:, 1])
        own = bf.Channel(np.column_stack([heat[::200], heat[::200]]), robot.joint_names, units="degC", time=t[::200])
        kept = {"temperature": own} if channel else {}
        return bf.Recording(joint_names=robot.joint_names, time=t, position=q, torque=tau, channels=kept)

    estimate = bf.fit(robot, swing(0, warm=False))
    cold, warm, unknown = swing(1, warm=False), swing(1, warm=True), swing(1, warm=True, channel=False)
    found = [{d.joint for d in held_out(estimate, x).dependences if d.on == "temperature" and d.matters} for x in (cold, warm)]
    assert found == [set(), {"joint2"}]
    assert any("'joint2' follows its temperature" in reason for reason in judge(estimate, held_out(estimate, warm)).reasons)
    assert not any(d.on == "temperature" for d in held_out(estimate, [warm, unknown]).dependences)

"""A wrist sensor and its load from static poses: the truth comes back, error bars cover, mistakes are named."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation, Slerp

import bifilar as bf
from bifilar.calibrate.wrist_model import jacobian, predicted, rotations

TRUTH = np.array([0.4, -0.3, -12.0, 1.0, -2.0, 3.0, 0.004, -0.002, 0.05, 0.01, -0.02, 0.03])


def turned(count: int, seed: int = 0) -> np.ndarray:
    q = np.random.default_rng(seed).normal(size=(count, 4))
    return rotations(q / np.linalg.norm(q, axis=1, keepdims=True))


def test_the_derivative_is_the_readings_own() -> None:
    R, x = turned(5), TRUTH
    step = 1e-6 * np.eye(12)
    slopes = np.stack([(predicted(x + h, R) - predicted(x - h, R)) / 2e-6 for h in step], axis=2)
    np.testing.assert_allclose(jacobian(x, R), slopes, atol=1e-8)


@pytest.mark.parametrize("frame", ["sensor", "base"])
def test_the_truth_comes_back(frame: str) -> None:
    R = turned(8)
    wrench = predicted(TRUTH, R)
    if frame == "base":
        wrench = np.einsum("nab,nkb->nka", R, wrench.reshape(-1, 2, 3)).reshape(-1, 6)
    found = bf.tare(R, wrench, frame=frame)  # type: ignore[arg-type]
    np.testing.assert_allclose(found.parameters, TRUTH, atol=1e-9)
    assert np.abs(found.external(R, wrench, frame)).max() < 1e-9  # type: ignore[arg-type]
    assert not found.findings


def test_a_known_direction_of_gravity_is_kept() -> None:
    R = turned(10)
    x = TRUTH.copy()
    x[:3] = [0, 0, -9.81 * 1.3]
    found = bf.tare(R, predicted(x, R) + 0.01 * np.random.default_rng(0).normal(size=(10, 6)), gravity=[0, 0, -9.81])
    assert found.tilt < 1e-9
    assert abs(found.mass - 1.3) < 0.02


@pytest.mark.parametrize("wander", [0.0, 0.1])
def test_error_bars_cover(wander: float) -> None:
    """Ninety-five per cent, with constant biases and with biases that walk."""
    rng, inside = np.random.default_rng(0), []
    for seed in range(50):
        R = turned(40, seed)
        steps = wander * np.repeat([0.05, 0.002], 3) * rng.normal(size=(40, 6)) * 3
        walk = np.cumsum(steps, axis=0)
        wrench = predicted(TRUTH, R) + walk + np.repeat([0.05, 0.002], 3) * rng.normal(size=(40, 6))
        found = bf.tare(R, wrench, drift=wander > 0)
        truth = TRUTH.copy()
        truth[[3, 4, 5, 9, 10, 11]] += walk[-1]
        inside.append(np.abs(found.parameters - truth) < 1.96 * found.deviations)
    load, bias = np.mean(inside, axis=0)[[0, 1, 2, 6, 7, 8]], np.mean(inside, axis=0)[[3, 4, 5, 9, 10, 11]]
    assert (0.87 if wander else 0.91) <= load.mean() <= 0.98
    assert bias.mean() >= (0.82 if wander else 0.91)  # the size of the walk is known from forty steps only


def test_a_drift_too_small_to_be_reported_is_in_the_error_bars() -> None:
    rng, inside, quiet = np.random.default_rng(1), [], 0
    size = np.repeat([0.05, 0.002], 3)
    for seed in range(40):
        R = turned(40, seed)
        walk = np.cumsum(0.1 * size * rng.normal(size=(40, 6)), axis=0)
        found = bf.tare(R, predicted(TRUTH, R) + walk + size * rng.normal(size=(40, 6)))
        inside.append(
            np.abs(found.bias - TRUTH[[3, 4, 5, 9, 10, 11]] - walk[-1]) < 1.96 * found.deviations[[3, 4, 5, 9, 10, 11]]
        )
        quiet += not found.findings
    assert quiet > 30
    assert np.mean(inside) > 0.88


def test_poses_in_which_the_tool_was_touched_count_little_and_bars_hold() -> None:
    """A tenth of the poses is pushed; the robust fit's bars cover, least squares is some deviations off."""
    inside, pushed = [], []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        rotation, wrench = bf.calibrate_example(mass=1.2, poses=60, seed=seed)
        wrench[rng.choice(60, 6, replace=False)] += [3.0, 0.0, -4.0, 0.05, 0.1, 0.0]
        robust, plain = bf.tare(rotation, wrench, robust=True), bf.tare(rotation, wrench, drift=False)
        inside.append(abs(robust.mass - 1.2) / robust.mass_deviation)
        pushed.append((abs(robust.mass - 1.2), abs(plain.mass - 1.2)))
    assert np.mean(np.array(inside) < 2.0) > 0.8 and np.mean(pushed, axis=0)[0] < 0.3 * np.mean(pushed, axis=0)[1]
    rotation, wrench = bf.calibrate_example(mass=1.2, poses=200)
    calm = bf.tare(rotation, wrench, robust=True)
    assert calm.mass == pytest.approx(bf.tare(rotation, wrench, drift=False).mass, abs=2e-3)
    with pytest.raises(bf.BifilarError, match="takes the bias as constant"):
        bf.tare(rotation, wrench, robust=True, drift=True)


def test_a_sensor_without_a_load_says_so() -> None:
    R, rng = turned(30), np.random.default_rng(0)
    empty = np.concatenate([np.zeros(3), TRUTH[3:]])
    for noise in (0.0, 1.0):
        found = bf.tare(R, predicted(empty, R) + noise * np.repeat([0.05, 0.002], 3) * rng.normal(size=(30, 6)))
        assert [f.code for f in found.findings] == ["no load"]
        np.testing.assert_allclose(found.bias, TRUTH[[3, 4, 5, 9, 10, 11]], atol=0.05)
    assert np.isfinite(found.mass_deviation) and np.isfinite(found.direction).all()


def test_mirrors_and_strange_gravities_are_refused() -> None:
    R = turned(20)
    with pytest.raises(bf.ShapeError, match="mirrors"):
        bf.tare(-R, predicted(TRUTH, R))
    for odd in (0.0, np.nan, [0.0, 9.81], [0.0, 0.0, 0.0]):
        with pytest.raises(bf.ShapeError, match="gravity"):
            bf.tare(R, predicted(TRUTH, R), gravity=odd)


def test_an_axis_that_was_never_loaded_is_named_and_stays_nominal() -> None:
    """The noise of its readings must not be taken for a load."""
    rng = np.random.default_rng(0)
    load = rng.normal(size=(30, 6)) * [1, 1, 1, 1, 1, 0]
    found = bf.calibrate_shape(load, load + 1e-3 * rng.normal(size=(30, 6)))
    assert found.status.code == "rank deficient" and "Mz" in found.status.sentence and "Fx" not in found.status.sentence
    np.testing.assert_allclose(found.matrix, np.eye(6), atol=0.01)


def test_deviations_of_a_matrix_cover_and_noise_does_not_shrink_it() -> None:
    rng, inside, mean = np.random.default_rng(0), [], np.zeros((6, 6))
    true = np.eye(6) + 0.1 * rng.normal(size=(6, 6))
    for _ in range(100):
        load = rng.normal(size=(25, 6))
        found = bf.calibrate_shape(load, load @ np.linalg.inv(true).T + 0.05 * rng.normal(size=(25, 6)))
        inside.append(np.abs(found.matrix - true) < 2.1 * found.deviations)
        mean += found.matrix / 100
    assert 0.92 < np.mean(inside) < 0.98
    assert np.abs(mean - true).max() < 0.01


def test_a_bias_that_warms_up_is_found_and_followed() -> None:
    rng, R = np.random.default_rng(0), turned(80)
    warm = np.outer(2.0 * (1 - np.exp(-np.arange(80) / 30)), [0, 0, 1, 0, 0, 0])
    wrench = predicted(TRUTH, R) + warm + 0.02 * rng.normal(size=(80, 6))
    followed, constant = bf.tare(R[:60], wrench[:60]), bf.tare(R[:60], wrench[:60], drift=False)
    assert [f.code for f in followed.findings] == ["drift"]
    errors = [np.sqrt(np.mean(found.external(R[60:], wrench[60:])[:, :3] ** 2)) for found in (followed, constant)]
    assert errors[0] < 0.5 * errors[1]


def slow_turns(seed: int, count: int = 600) -> np.ndarray:
    """Orientations along a slow, smooth motion."""
    stops = np.linspace(0, 1, 20)
    keys = Rotation.from_quat(np.random.default_rng(seed).normal(size=(20, 4)))
    return Slerp(stops, keys)(np.linspace(0, 1, count)).as_matrix()


def test_the_way_that_predicts_held_out_poses_best_is_returned_and_its_bars_hold() -> None:
    """Slow motion, errors that follow each other: neither a walk nor white noise, as cables and friction make them."""
    rng, inside, white = np.random.default_rng(0), [], []
    size = np.repeat([0.05, 0.002], 3)
    for seed in range(6):
        R = slow_turns(seed)
        error = rng.normal(size=(len(R), 6))
        for k in range(1, len(R)):
            error[k] = 0.98 * error[k - 1] + np.sqrt(1 - 0.98**2) * error[k]
        wrench = predicted(TRUTH, R) + size * error
        found = bf.tare(R, wrench)
        assert {each.way for each in found.compared} == {"followed", "constant", "robust"}
        assert found.compared[0].error <= 1.02 * min(each.error for each in found.compared)
        told = {finding.code for finding in found.findings}
        assert ("drift" in told) == (found.compared[0].way == "followed") != ("drift.not_followed" in told)
        steady = bf.tare(R, wrench, drift=False)
        off = np.abs(steady.parameters - TRUTH)[[0, 1, 2, 6, 7, 8]]
        inside.append(off < 2 * steady.deviations[[0, 1, 2, 6, 7, 8]])
        jacobian_white = jacobian(steady.parameters, R) / np.repeat(steady.noise, 3)[:, None]
        rows = jacobian_white.reshape(-1, 12)
        white.append(off < 2 * np.sqrt(np.diag(np.linalg.inv(rows.T @ rows)))[[0, 1, 2, 6, 7, 8]])
    assert np.mean(inside) > 0.85 and np.mean(white) < 0.5


def test_a_reversed_wrench_and_inverted_rotations_are_named() -> None:
    R, rng = turned(30), np.random.default_rng(0)
    wrench = predicted(TRUTH, R) + np.repeat([0.05, 0.002], 3) * rng.normal(size=(30, 6))
    (reversed_,) = bf.tare(R, -wrench).findings
    assert (reversed_.code, reversed_.severity, reversed_.typed) == ("reversed", "warning", "--reversed")
    assert bf.tare(R, -wrench, gravity=[0, 0, -9.81]).findings[0].severity == "error"
    back, based = np.swapaxes(R, 1, 2), np.einsum("nab,nkb->nka", R, wrench.reshape(-1, 2, 3)).reshape(-1, 6)
    for rotation, readings, about in ((back, wrench, "rotations"), (R, based, "axes"), (back, based, "both")):
        for sign in (1.0, -1.0):
            found = bf.tare(rotation, sign * readings).findings[0]
            assert (found.code, found.about) == ("frame", about)
    ceiling = np.concatenate([-TRUTH[:3], TRUTH[3:]])
    assert not bf.tare(R, predicted(ceiling, R), gravity=[0, 0, 9.81]).findings


def test_mistakes_are_named() -> None:
    R, rng = turned(30), np.random.default_rng(0)
    wrench = predicted(TRUTH, R) + np.repeat([0.05, 0.002], 3) * rng.normal(size=(30, 6))
    other = np.einsum("nab,nkb->nka", R, wrench.reshape(-1, 2, 3)).reshape(-1, 6)
    assert "base frame" in bf.tare(R, other).findings[0].likely
    assert "sensor_from_base" in bf.tare(np.swapaxes(R, 1, 2), wrench).findings[0].likely
    full = bf.tare(R, np.clip(wrench, -10, 10), reach=[10, 10, 10, 1, 1, 1]).findings
    assert {"range", "clipped"} <= {finding.code for finding in full}
    assert not bf.tare(R, wrench, reach=[50, 50, 50, 5, 5, 5]).findings


def test_poses_that_do_not_tell_are_refused() -> None:
    R = turned(3)
    with pytest.raises(bf.SolveError, match="too few"):
        bf.tare(R, predicted(TRUTH, R))
    same = np.repeat(R[:1], 10, axis=0)
    with pytest.raises(bf.SolveError, match="load and bias cannot be separated"):
        bf.tare(same, predicted(TRUTH, same))
    with pytest.raises(bf.ShapeError, match="length 1"):
        bf.tare(np.ones((10, 4)), np.zeros((10, 6)))
    with pytest.raises(bf.ShapeError, match="force then moment"):
        bf.tare(turned(10), np.zeros((10, 3)))


def test_a_full_matrix_from_known_loads() -> None:
    rng = np.random.default_rng(0)
    R = turned(60)
    load = bf.hung_load(R, rng.uniform(0.5, 3, 60), rng.uniform(-0.2, 0.2, (60, 3)))
    true = np.eye(6) + 0.05 * rng.normal(size=(6, 6))
    bias = rng.normal(size=6)
    reading = load @ np.linalg.inv(true).T + bias + 1e-3 * rng.normal(size=(60, 6))
    found = bf.calibrate_shape(load, reading)
    assert found.status.ok
    assert np.mean(np.abs(found.matrix - true) < 2 * found.deviations) > 0.85
    np.testing.assert_allclose(found.bias, bias, atol=0.01)
    only_down = bf.calibrate_shape(bf.hung_load(np.repeat(R[:1], 9, axis=0), np.linspace(1, 2, 9), [0, 0, 0.1]), reading[:9])
    assert only_down.matrix.shape == (6, 6)


def test_a_hung_load_is_what_the_sensor_reads() -> None:
    R = turned(5)
    weight = 2.0 * np.array([0.0, 0.0, -9.80665])
    x = np.concatenate([weight, np.zeros(3), [0.1, 0.2, 0.3], np.zeros(3)])
    np.testing.assert_allclose(bf.hung_load(R, 2.0, [0.1, 0.2, 0.3]), predicted(x, R), atol=1e-12)


def test_proposed_poses_beat_poses_at_random() -> None:
    robot, rng = bf.Robot.load("panda"), np.random.default_rng(0)
    proposed = bf.propose_tare_poses(robot, count=8)
    assert np.all(proposed.position >= robot.limits.lower) and np.all(proposed.position <= robot.limits.upper)

    def told(R: np.ndarray) -> float:
        rows = (jacobian(TRUTH, R) / np.repeat([0.1, 0.005], 3)[None, :, None]).reshape(-1, 12)
        return float(np.linalg.slogdet(rows.T @ rows)[1])

    chance = [
        told(robot.pose(robot.frame_names[-1], rng.uniform(robot.limits.lower, robot.limits.upper, (8, 7)))[0])
        for _ in range(100)
    ]
    assert told(proposed.rotation) > np.quantile(chance, 0.9)


def test_poses_are_said_to_suffice_where_a_calibration_takes_them() -> None:
    proposed = bf.propose_tare_poses(bf.Robot.load("panda"), count=8)
    enough = proposed.rotation[: proposed.suffice]
    bf.tare(enough, predicted(TRUTH, enough))
    assert np.isinf(proposed.mass_deviation[: proposed.suffice - 1]).all()
    with pytest.raises(bf.MotionError, match="load from a bias"):
        bf.propose_tare_poses(bf.Robot.load("two_link"))  # it turns the sensor in one plane
    with pytest.raises(bf.MotionError, match="no gravity"):
        bf.propose_tare_poses(bf.Robot.load("panda").with_gravity([0, 0, 0]))

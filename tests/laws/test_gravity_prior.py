"""A gravity model drawn to the description: no worse than either, bars that cover, wrong descriptions that do no harm."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import bifilar as bf
from bifilar.estimate.gravity_prior import correlation_time, scales

Array = NDArray[np.float64]


def bench(seed: int, off: float, noise: float = 0.05) -> tuple[bf.Robot, bf.GravityModel, bf.StaticPoses, Array]:
    """A described UR10e, the true numbers, own-joint sweeps in which the wrist hardly feels gravity, and poses anywhere."""
    rng, robot = np.random.default_rng(seed), bf.Robot.load("ur10e")
    scale = scales(robot.tree, robot.body_parameters)
    true = bf.GravityModel(robot, bf.GravityModel.of(robot).values + off * scale * rng.normal(size=12))
    rest = np.array([0.0, -np.pi / 2, 0.0, -np.pi / 2, 0.0, 0.0]) + 0.02 * rng.normal(size=6)
    q = np.repeat(np.tile(rest, (6, 1, 1)), 15, axis=1)
    for j in range(6):
        q[j, :, j] += np.linspace(-0.8, 0.8, 15)
    q = q.reshape(-1, 6)
    poses = bf.StaticPoses(robot.joint_names, q, true.torque(q) + noise * rng.normal(size=q.shape)).own_sensors()
    return robot, true, poses, rng.uniform(-2, 2, (60, 6))


def error(model: bf.GravityModel, true: bf.GravityModel, q: Array) -> Array:
    return np.sqrt(np.mean((model.torque(q) - true.torque(q)) ** 2, axis=0))


def test_it_beats_the_data_alone_and_the_description_alone() -> None:
    """On every joint that gravity acts on, over many arms that differ from their description by five per cent."""
    errors = []
    for seed in range(20):
        robot, true, poses, q = bench(seed, 0.05)
        both, alone = (
            bf.identify_gravity(robot, poses, friction=bf.Offset(), method=way)  # type: ignore[arg-type]
            for way in ("with description", "all at once")
        )
        errors.append([error(m, true, q)[1:] for m in (both.model, alone.model, bf.GravityModel.of(robot))])
    both_, alone_, described = np.sqrt(np.mean(np.square(errors), axis=0))
    small = 0.05 / 10  # a tenth of a reading's noise
    assert np.all(both_ <= alone_ + small) and np.all(both_ <= described + small)
    assert both_[3] < 0.5 * alone_[3]  # the wrist joint whose axis stood parallel to gravity


@pytest.mark.parametrize("off", [0.02, 0.2])
def test_bars_cover_and_the_share_is_found(off: float) -> None:
    inside, shares = [], []
    for seed in range(40):
        robot, true, poses, _ = bench(seed, off)
        found = bf.identify_gravity(robot, poses, friction=bf.Offset(), method="with description")
        inside.append((np.abs(found.model.values - true.values) < 1.96 * found.model.deviations)[2:])
        shares.append(found.share)
    assert 0.9 <= np.mean(inside) <= 0.98
    assert np.exp(np.mean(np.log(shares))) == pytest.approx(off, rel=0.4)


def test_good_data_are_not_moved_and_a_wrong_description_does_no_harm() -> None:
    robot, rng = bf.Robot.load("kuka_lwr4"), np.random.default_rng(0)
    q = rng.uniform(-2, 2, (60, 7))
    torque = robot.gravity_torque(q) + 0.05 * rng.normal(size=q.shape)
    p = robot.parameters()
    wrong = robot.with_parameters({n: 10 * v for n, v in zip(p.names, p.values, strict=True) if n.endswith((".mass", ".mcx"))})
    for arm in (robot, wrong):
        drawn, plain = (bf.identify_gravity(arm, (q, torque), method=way) for way in ("with description", "all at once"))  # type: ignore[arg-type]
        felt = plain.seen
        assert np.all(np.abs(drawn.model.values - plain.model.values)[felt] < 2.5 * plain.model.deviations[felt])
    assert drawn.share is not None and drawn.share > 0.3
    exact = bf.identify_gravity(wrong, (q, robot.gravity_torque(q)), method="with description")
    assert np.abs(exact.torque(q) - robot.gravity_torque(q)).max() < 1e-6


def test_a_description_without_masses_is_refused() -> None:
    from bifilar.robot.read_dh import from_dh

    robot = bf.Robot.build(from_dh([{"a": 1.0}, {"a": 1.0}])).with_gravity([0, -9.81, 0])
    q = np.random.default_rng(0).uniform(-1, 1, (20, 2))
    with pytest.raises(bf.SolveError, match="no masses"):
        bf.identify_gravity(robot, (q, np.cos(q)), method="with description")


def test_what_hardly_shows_is_said() -> None:
    robot, _, poses, _ = bench(0, 0.05)
    found = bf.identify_gravity(robot, poses, friction=bf.Offset(), method="with description")
    assert not found.seen[8:10].any() and found.seen[2:6].all()
    assert "poorly identified" in found.status.sentence and robot.joint_names[4] in found.status.sentence
    assert np.isfinite(found.model.torque_deviation(poses.position)).all()
    assert "description" in found.summary()


def test_correlated_errors_count_less() -> None:
    rng = np.random.default_rng(0)
    slow = np.zeros(20000)
    for k in range(1, len(slow)):
        slow[k] = 0.8 * slow[k - 1] + rng.normal()
    assert correlation_time(slow) == pytest.approx(1.8 / 0.2, rel=0.25)  # (1 + 0.8) / (1 - 0.8)
    assert correlation_time(np.zeros(100)) == 1.0 and correlation_time(slow[:5]) == 1.0

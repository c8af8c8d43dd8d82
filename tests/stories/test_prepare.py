"""Recordings of known motions become samples: derivatives right for every joint, nothing late, holes and stamps respected,
torque and columns filtered alike, error bars that hold."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bifilar as bf
from bifilar.errors import BifilarError, RecordingError, ShapeError
from bifilar.filters.interpolate import between
from bifilar.recording.cutoff import find_cutoff
from bifilar.recording.periodic import series
from bifilar.recording.recipes import RECIPES

FRICTION = bf.Viscous() + bf.Coulomb(width=0.01)


def robot_with_friction():
    robot = bf.Robot.load("panda")
    values = {f"{name}.{word}": value for name in robot.joint_names for word, value in (("viscous", 1.0), ("coulomb", 0.8))}
    return robot.with_friction(FRICTION, values)


def motion_of(robot, seed, periods=1, period=10.0, harmonics=5):
    """A random Fourier series well inside the limits of position."""
    c = 0.4 * np.random.default_rng(seed).standard_normal((len(robot.joint_names), 2 * harmonics))
    swing = bf.Fourier(
        joint_names=robot.joint_names, base_frequency=1 / period, harmonics=harmonics, coefficients=c, periods=periods
    )
    q = swing.at(np.arange(0, period, 0.01)).position
    room = 0.4 * (robot.limits.upper - robot.limits.lower) / (q.max(axis=0) - q.min(axis=0)) * 2
    scaled = bf.Fourier(
        joint_names=robot.joint_names,
        base_frequency=1 / period,
        harmonics=harmonics,
        coefficients=c * np.minimum(room, 1)[:, None],
        periods=periods,
    )
    q = scaled.at(np.arange(0, period, 0.01)).position
    return scaled.with_offset((robot.limits.lower + robot.limits.upper - q.max(axis=0) - q.min(axis=0)) / 2)


def played(robot, seed=1, rate=1000.0, period=8.0):
    return bf.VirtualRobot(robot).play(
        motion_of(robot, seed, period=period), rate=rate, sensors=bf.Sensors.realistic(), seed=seed
    )


def relative(found, truth):
    """Root mean square error of every column, as a share of the truth's."""
    return np.sqrt(((found - truth) ** 2).mean(axis=0) / (truth**2).mean(axis=0))


@pytest.fixture(scope="module")
def smooth_log():
    return played(bf.Robot.load("panda"))


@pytest.fixture(scope="module")
def rough_logs():
    return [played(robot_with_friction(), seed, period=10.0) for seed in (1, 2)]


@pytest.mark.parametrize("recipe", ["default", "smoother", "plain", "gautier"])
def test_derivatives_of_every_joint_within_five_percent(smooth_log, recipe):
    """Realistic sensors: 17 bits, noise, jitter, lost samples. Of the last joint, too."""
    samples = bf.prepare(smooth_log, recipe)
    put = between(smooth_log.time, samples.time)
    assert (relative(samples.velocity, put.of(smooth_log.truth.velocity)) < 0.005).all()
    assert (relative(samples.acceleration, put.of(smooth_log.truth.acceleration)) < 0.05).all()
    assert len(samples.joint_names) == 7 and (samples.acceleration.std(axis=0) > 0).all()


def test_friction_corners_are_followed_up_to_the_cutoff(rough_logs):
    log = rough_logs[0]
    samples = bf.prepare(log)
    stretch = samples.fine[0]
    rate_of_change = np.gradient(log.truth.velocity, log.truth.time, axis=0)  # jumps are instants: take what the speed does
    truth = samples.filter_columns(between(log.time, stretch.time).of(rate_of_change))
    assert (relative(samples.acceleration, truth) < 0.05).all()


def test_the_torque_is_not_delayed(smooth_log):
    """Realistic sensors bring torque one sample late; preparation must not add to it."""
    samples = bf.prepare(smooth_log, decimate=False)
    true_torque = smooth_log.truth.torque
    errors = [
        relative(samples.torque, between(smooth_log.time + lag * 1e-3, samples.time).of(true_torque)).mean()
        for lag in range(-8, 9)
    ]
    assert abs(int(np.argmin(errors)) - 8 - 1) <= 1


def test_torque_and_columns_go_through_one_operator(smooth_log):
    """The exact torque of a model, prepared, is the filtered regressor times the parameters, to rounding."""
    robot = robot_with_friction()
    first = bf.prepare(smooth_log)
    stretch = first.fine[0]
    torque = robot.inverse_dynamics(*stretch.motion)
    exact = first.filter_columns(torque)
    np.testing.assert_allclose(first.predict(robot), exact, atol=1e-9)
    base = bf.base_parameters(robot)
    phi = base.from_full(robot.parameters().values)
    dense = robot.regressor(*stretch.motion)
    columns = [robot.column_names().index(name) for name in base.independent]
    filtered = first.filter_columns(dense[:, :, columns])
    np.testing.assert_allclose(filtered @ phi, exact, atol=1e-9)
    # and the streamed triangle is that of the dense filtered matrix
    reduction = bf.reduce(robot, first, columns=base)
    rows = np.concatenate([filtered, first.torque[:, :, None]], axis=2)
    rows = (rows * first.mask[:, :, None]).reshape(-1, len(base) + 1)
    theirs = np.linalg.qr(rows, mode="r")
    np.testing.assert_allclose(reduction.triangle().T @ reduction.triangle(), theirs.T @ theirs, rtol=1e-9, atol=1e-6)


def test_blocks_and_small_chunks_change_nothing(smooth_log, monkeypatch):
    robot = bf.Robot.load("panda")
    base, samples = bf.base_parameters(robot), bf.prepare(smooth_log)
    whole = bf.reduce(robot, samples, columns=base)
    monkeypatch.setattr("bifilar.recording.samples.CHUNK", 500)
    parts = bf.reduce(robot, samples, columns=base, block=40)
    assert parts.samples == whole.samples == len(samples) and [b.samples for b in parts.blocks][:2] == [40, 40]
    np.testing.assert_allclose(bf.solve(parts).values, bf.solve(whole).values, rtol=1e-6, atol=1e-8)


def test_the_truth_is_recovered_within_its_error_bars(rough_logs):
    """Filtered columns, rows at the bandwidth: bars that hold. Without decimation they would be five times too small."""
    real = robot_with_friction()
    robot = bf.Robot.load("panda").with_friction(FRICTION + bf.Offset())
    base, known = bf.base_parameters(robot), real.parameters()
    truth = base.from_full([known[name] if name in known.names else 0.0 for name in base.names])
    ours = np.array([not name.endswith(".offset") for name in base.independent])  # sensors have offsets of their own
    answer = bf.solve(bf.reduce(robot, bf.prepare(rough_logs[0]), columns=base))
    inside = (np.abs(answer.values - truth) < 2 * answer.deviations)[ours]
    assert inside.mean() > 0.85
    test = bf.prepare(rough_logs[1])
    difference = test.predict(base.model(robot, answer)) - test.predict(real)
    assert (difference.std(axis=0) < 0.05 * test.torque.std(axis=0)).all()


def test_periods_are_averaged_and_tell_the_noise():
    robot = bf.Robot.load("two_link").with_friction(bf.Viscous())
    c = 0.7 * np.random.default_rng(5).standard_normal((2, 10))
    motion = bf.Fourier(joint_names=robot.joint_names, base_frequency=0.25, harmonics=5, coefficients=c, periods=5)
    noise = {"position_step": 2 * np.pi / 2**17, "position_noise": 1e-5, "torque_noise": 0.05}
    sensors = bf.Sensors(**noise, clock_jitter=2e-5, dropped=1e-3)
    log = bf.VirtualRobot(robot).play(motion, rate=500.0, control_rate=500.0, sensors=sensors, seed=1)
    samples = bf.prepare(log, motion=motion)
    assert "mean of 4 periods of 4 s" in samples.history[0]
    white = 0.05 * np.sqrt((samples.filter.taps**2).sum() / 4)  # of four averaged readings behind the filter
    assert samples.noise == pytest.approx(white, rel=0.15)
    answer = bf.solve(bf.reduce(robot, samples, columns=bf.base_parameters(robot)))
    assert (answer.noise > 0.8 * samples.noise).all()  # no fit is better than the noise


def test_a_series_is_what_the_refit_finds():
    t, step = np.arange(400) / 100, 0.01
    x = np.cumsum(np.random.default_rng(0).standard_normal((400, 2)), axis=0)
    fit = bf.refit(t, x, base_frequency=0.25, harmonics=6, joint_names=["a", "b"]).trajectory.at(t)
    mine = series(x, step, 6)
    np.testing.assert_allclose(mine.position, fit.position, atol=1e-9)
    np.testing.assert_allclose(mine.acceleration, fit.acceleration, atol=1e-7)


def swing(time, joints=2):
    w = 2.0 + np.arange(joints)
    q = np.sin(time[:, None] * w)
    names = [f"joint{k + 1}" for k in range(joints)]
    return bf.Recording(joint_names=names, time=time, position=q, torque=np.cos(time[:, None] * w)), w


@pytest.mark.parametrize("recipe", ["default", "smoother", "plain"])
def test_nothing_is_filtered_across_a_hole(recipe):
    """What lies beyond a hole does not matter, and nothing is invented inside."""
    t = np.arange(6000) / 500
    t = t[(t < 5) | (t > 6)]
    log, _ = swing(t)
    other = bf.Recording(
        joint_names=log.joint_names,
        time=t,
        position=np.where(t[:, None] < 5, log.position, 9 - log.position),
        torque=np.where(t[:, None] < 5, log.torque, 100.0),
    )
    one, two = (bf.prepare(x, recipe, cutoff=6.0, motion_cutoff=12.0) for x in (log, other))
    assert len(one.segments) == 2 and not ((one.time > 5) & (one.time < 6)).any()
    before = one.time < 5
    for name in ("position", "velocity", "acceleration", "torque"):
        np.testing.assert_allclose(getattr(one, name)[before], getattr(two, name)[before], atol=1e-9)


def test_short_holes_are_bridged_and_masks_respected():
    t = np.arange(6000) / 500
    log, w = swing(t)
    lost = log.masked(np.random.default_rng(0).random(len(t)) > 0.02)
    samples = bf.prepare(lost, cutoff=6.0)
    assert len(samples.segments) == 1 and "masked" in samples.history[0]
    truth = -(w**2) * np.sin(samples.time[:, None] * w)
    assert (relative(samples.acceleration, truth) < 0.01).all()
    torn = np.where((t > 3) & (t < 4), np.nan, 1.0)[:, None] * log.torque
    holed = bf.prepare(bf.Recording(joint_names=log.joint_names, time=t, position=log.position, torque=torn), cutoff=6.0)
    assert len(holed.segments) == 2 and np.isfinite(holed.torque).all()


@pytest.mark.parametrize("recipe", ["default", "smoother"])
def test_the_stamps_are_the_clock(recipe):
    """Irregular stamps: with the row number as a clock velocities would be wrong by a tenth."""
    steps = np.random.default_rng(1).choice([0.0015, 0.002, 0.003], 6000)
    log, w = swing(np.cumsum(steps * (1 + 0.3 * np.sin(np.arange(6000) / 300))))
    samples = bf.prepare(log, recipe, cutoff=6.0)
    truth = w * np.cos(samples.time[:, None] * w)
    assert (relative(samples.velocity, truth) < 0.005).all()
    assert np.allclose(np.diff(samples.time), 1 / samples.rate)


def test_wraps_and_repeated_stamps_are_taken_out():
    t = np.arange(4000) / 400
    log, w = swing(t)
    turning = np.mod(4 * log.position + np.pi, 2 * np.pi) - np.pi
    wrapped = bf.Recording(
        joint_names=log.joint_names, time=np.where(np.arange(4000) == 50, t[49], t), position=turning, torque=log.torque
    )
    samples = bf.prepare(wrapped, cutoff=8.0)
    assert any("wraps: joint1, joint2" in words for words in samples.history)
    assert any("repeats a timestamp" in words for words in samples.history)
    assert (relative(samples.velocity, 4 * w * np.cos(samples.time[:, None] * w)) < 0.01).all()


def test_a_clock_that_goes_back_is_refused():
    t = np.concatenate([np.arange(500), np.arange(500)]) / 100
    with pytest.raises(RecordingError, match=r"clock goes back from 4\.99 s to 0 s"):
        bf.prepare(swing(t)[0])


@pytest.mark.parametrize("noise", [0.0, 1e-6, 1e-4, 1e-3])
@pytest.mark.parametrize("rate", [100.0, 1000.0])
def test_the_cutoff_is_never_below_the_motion(noise, rate):
    """Even if there is nothing between a slow swing and a small fast one; nor is it above where motion sinks into noise."""
    t = np.arange(20 * int(rate)) / rate
    q = np.sin(2 * np.pi * 0.2 * t) + 0.02 * np.sin(2 * np.pi * 3 * t)
    q = q + noise * np.random.default_rng(0).standard_normal(len(t))
    found = find_cutoff(q[:, None], rate=rate)
    assert 3.0 < found.value <= found.valley[0] and found.value < (100 if noise < 1e-5 else 25)


def test_rows_too_slow_for_a_sign_have_no_weight_where_signs_matter(rough_logs):
    samples = bf.prepare(rough_logs[0], slow=0.1)
    assert not samples.mask.all()
    with_signs, without = robot_with_friction(), bf.Robot.load("panda")
    assert next(iter(samples.chunks(without))).weight is None
    weights = np.concatenate([chunk.weight for chunk in samples.chunks(with_signs)])
    np.testing.assert_array_equal(weights > 0, samples.mask)
    slow = np.abs(samples.velocity) < 0.03
    assert not samples.mask[slow].any() or samples.mask[slow].mean() < 0.2


def test_samples_cannot_be_changed(smooth_log):
    samples = bf.prepare(smooth_log)
    for array in (samples.time, samples.position, samples.torque, samples.mask, *samples.fine[0].motion):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_joints_are_put_into_the_robots_order(smooth_log):
    robot = bf.Robot.load("panda")
    shuffled = smooth_log.joints(robot.joint_names[::-1])
    samples = bf.prepare(shuffled, robot=robot)
    assert samples.joint_names == robot.joint_names
    np.testing.assert_allclose(samples.torque, bf.prepare(smooth_log).torque)


@pytest.mark.parametrize("name", RECIPES)
def test_every_recipe_runs_and_says_what_it_did(rough_logs, name):
    log = rough_logs[0]
    motion = motion_of(robot_with_friction(), 1, period=5.0) if RECIPES[name][0].method == "fourier" else None
    if motion is not None:
        motion = bf.Fourier.of(
            bf.FourierBasis(base_frequency=0.2, harmonics=motion.harmonics, periods=2), motion.joint_names, motion.coefficients
        )
    samples = bf.prepare(log, name, motion=motion)
    assert len(samples) > 50 and samples.history and all(isinstance(words, str) for words in samples.history)
    assert bf.reduce(bf.Robot.load("panda"), samples).samples == len(samples)


def test_wrong_settings_are_refused(smooth_log):
    for changes, words in (
        ({"recipe": "nonsense"}, "no recipe"),
        ({"cut_off": 3.0}, "no setting"),
        ({"cutoff": -1.0}, "positive"),
        ({"method": "magic"}, "no method"),
        ({"recipe": "fourier"}, "period is known"),
        ({"slow": [0.1, 0.2]}, "2 speeds"),
    ):
        with pytest.raises(RecordingError, match=words):
            bf.prepare(smooth_log, **changes)
    with pytest.raises(ShapeError, match="fine motion"):
        bf.prepare(smooth_log).filter_columns(np.zeros((3, 1)))
    with pytest.raises(RecordingError, match="long enough"):
        bf.prepare(smooth_log.part(0.0, 0.2), cutoff=5.0)


@settings(max_examples=150)
@given(st.integers(0, 10**6), st.sampled_from(sorted(RECIPES)))
def test_any_recording_becomes_samples_or_a_letter(seed, recipe):
    rng = np.random.default_rng(seed)
    count, joints, step = int(rng.choice([0, 1, 3, 4, 10, 200, 2000])), int(rng.choice([1, 2])), 10 ** rng.uniform(-4, 0)
    time = np.cumsum(step * rng.choice([0, 1, 1, 1, 1, 1, 1, rng.uniform(0.1, 30)], count))
    time = np.arange(count) * step if rng.random() < 0.5 else time
    q = 10 ** rng.uniform(-6, 3) * np.sin(np.outer(time, rng.uniform(0, 0.3 / step, joints)))
    q += 10 ** rng.uniform(-12, 0) * rng.standard_normal(q.shape)
    q[rng.random(count) < rng.choice([0.0, 0.1])] = np.nan
    changes = {"cutoff": 10 ** rng.uniform(-2, 4)} if rng.random() < 0.3 else {}
    try:
        names = [f"joint{k + 1}" for k in range(joints)]
        log = bf.Recording(joint_names=names, time=time, position=q, velocity=0 * q, torque=rng.standard_normal(q.shape))
        samples = bf.prepare(log, recipe, **changes)
    except BifilarError as letter:
        assert letter.remedy
    else:
        assert np.isfinite(samples.acceleration).all() and len(samples) == sum(s.stop - s.start for s in samples.segments)

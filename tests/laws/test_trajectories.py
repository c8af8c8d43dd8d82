"""What holds for every motion: its rates are true derivatives, it rests where it says, slower is slower, fits come back.

Derivatives are checked against five-point differences of the next lower one, at instants away from the seams at which the
highest derivative may jump.
"""

from __future__ import annotations

import csv
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import bifilar as bf
from bifilar.experiment.compose import Shifted, Slowed

NAMES = ("shoulder", "elbow", "slide")
RATES = ("position", "velocity", "acceleration", "jerk")
numbers = st.floats(-2.0, 2.0, allow_nan=False, width=32)
seeds = st.integers(0, 2**32 - 1)


@st.composite
def series(draw, fades=(0.0, 0.3, 4.0)):
    return bf.FourierBasis(
        base_frequency=draw(st.sampled_from([0.05, 0.1, 0.7])),
        harmonics=tuple(draw(st.lists(st.integers(1, 9), min_size=1, max_size=5, unique=True))),
        periods=draw(st.integers(1, 3)),
        fade=draw(st.sampled_from(fades)),
    )


def random(seed, *shape):
    return np.random.default_rng(seed).normal(size=shape)


@st.composite
def fouriers(draw, fades=(0.0, 0.3, 4.0)):
    basis, seed = draw(series(fades)), draw(seeds)
    return bf.Fourier.of(basis, NAMES, random(seed, 3, basis.size), random(seed + 1, 3))


@st.composite
def quintics(draw):
    seed, count = draw(seeds), draw(st.integers(2, 7))
    times = np.concatenate([[0.0], np.cumsum(0.3 + np.random.default_rng(seed).random(count - 1))])
    return bf.quintic(NAMES, random(seed, count, 3), times, stop=draw(st.booleans()))


@st.composite
def splines(draw):
    seed, count = draw(seeds), draw(st.integers(2, 9))
    return bf.BSpline.at_rest(NAMES, random(seed, count, 3), duration=draw(st.sampled_from([0.5, 3.0, 20.0])))


@st.composite
def sweeps(draw):
    options = {"repeats": draw(st.integers(1, 3)), "pause": draw(st.sampled_from([0.0, 0.5]))}
    speed, joint = draw(st.sampled_from([0.05, 0.3])), draw(st.sampled_from(NAMES))
    return bf.sweep(NAMES, joint, pose=[0.1, 0.2, 0.3], lower=-0.4, upper=1.0, speed=speed, acceleration=0.5, **options)


@st.composite
def pose_sequences(draw):
    return bf.pose_sequence(
        NAMES, random(draw(seeds), draw(st.integers(1, 4)), 3), hold=1.0, move=draw(st.sampled_from([0.5, 2.0]))
    )


resting = st.one_of(quintics(), splines(), sweeps(), pose_sequences(), fouriers(fades=(0.5, 3.0)))


@st.composite
def composed(draw):
    kind = draw(st.sampled_from(["slowed", "Slowed", "offset", "Shifted", "concatenated"]))
    if kind == "concatenated":
        return bf.concatenate(draw(resting), draw(resting), draw(resting), transition=1.0)
    inner = draw(st.one_of(resting, fouriers()))
    factor = draw(st.sampled_from([1.0, 1.7, 10.0]))
    made = {
        "slowed": lambda: inner.slowed(factor),
        "Slowed": lambda: Slowed(inner, factor),
        "offset": lambda: inner.with_offset([0.1, -0.2, 0.3]),
        "Shifted": lambda: Shifted(inner, 0.4),
    }
    return made[kind]()


KINDS = {"Fourier": fouriers(), "quintic": quintics(), "spline": splines(), "sweep": sweeps()}
KINDS |= {"poses": pose_sequences(), "composed": composed()}
trajectories = st.one_of(*KINDS.values())
every_kind = pytest.mark.parametrize("kind", KINDS)


def seams(trajectory):
    """Where some derivative up to jerk (or its slope) may jump."""
    if isinstance(trajectory, Slowed | Shifted):
        return seams(trajectory.trajectory) * getattr(trajectory, "factor", 1.0)
    if hasattr(trajectory, "parts"):
        return np.concatenate([seams(part) + start for part, start in zip(trajectory.parts, trajectory.starts)])
    if isinstance(trajectory, bf.Fourier):
        return np.array([0.0, *trajectory.steady, trajectory.duration])
    return np.unique(trajectory.knots)


def away_from_seams(trajectory, count=60):
    """Instants, and steps so short that no difference reaches over a seam."""
    edges = np.unique(seams(trajectory))
    edges = edges[np.concatenate([[True], np.diff(edges) > 1e-9])]
    t = np.linspace(0, trajectory.duration, count + 2)[1:-1]
    k = np.clip(np.searchsorted(edges, t, side="right") - 1, 0, len(edges) - 2)
    width = edges[k + 1] - edges[k]
    gap = np.minimum(t - edges[k], edges[k + 1] - t)
    step = np.minimum(
        np.minimum(gap / 3, width / 50), 2e-3 * trajectory.duration / max(getattr(trajectory, "periods", 1), 1) / 3
    )
    keep = step > 1e-4 * trajectory.duration / count
    return t[keep], step[keep]


def five_points(trajectory, what, t, h):
    x = {k: getattr(trajectory.at(t + k * h), what) for k in (-2, -1, 1, 2)}
    return (x[-2] - 8 * x[-1] + 8 * x[1] - x[2]) / (12 * h[:, None])


@every_kind
@given(st.data())
def test_rates_are_true_derivatives(kind, data):
    trajectory = data.draw(KINDS[kind])
    t, h = away_from_seams(trajectory)
    assume(len(t) > 5)
    motion = trajectory.at(t)
    for lower, higher in pairwise(RATES):
        exact, scale = getattr(motion, higher), np.abs(getattr(motion, lower)).max(axis=0)
        rounding = 1e-13 * (1 + scale) / h.min()
        rough = np.abs(getattr(motion, higher)).max()
        assert np.abs(five_points(trajectory, lower, t, h) - exact).max() <= 2e-4 * rough + rounding.max() + 1e-9, higher


@given(resting)
def test_motions_rest_at_their_ends(trajectory):
    peak = trajectory.at(np.linspace(0, trajectory.duration, 200))
    ends = trajectory.at([0.0, trajectory.duration])
    for what in ("velocity", "acceleration"):
        assert np.abs(getattr(ends, what)).max() <= 1e-9 * (1 + np.abs(getattr(peak, what)).max())


@given(trajectories)
def test_outside_the_joints_stand_where_the_motion_begins_and_ends(trajectory):
    ends = trajectory.at([0.0, trajectory.duration])
    outside = trajectory.at([-1.0, trajectory.duration + 1.0])
    assert np.array_equal(outside.position, ends.position)
    assert not outside.velocity.any() and not outside.acceleration.any() and not outside.jerk.any()


@every_kind
@given(st.data())
def test_nothing_jumps_at_seams(kind, data):
    trajectory = data.draw(KINDS[kind])
    inner = np.unique(seams(trajectory))[1:-1]
    inner = inner[(inner > 1e-6) & (inner < trajectory.duration - 1e-6)]
    tiny = 1e-9
    before, after = trajectory.at(inner - tiny), trajectory.at(inner + tiny)
    states = trajectory.at(np.linspace(0, trajectory.duration, 400))
    for what, rate in pairwise(RATES):
        jump = np.abs(getattr(after, what) - getattr(before, what)).max(initial=0.0)
        slope = max(np.abs(getattr(m, rate)).max(initial=0.0) for m in (states, before, after))
        assert jump <= 4 * tiny * slope + 1e-9 * (1 + np.abs(getattr(states, what)).max()), what


@given(fouriers(fades=(0.5, 4.0)))
def test_a_fade_is_continuous_up_to_jerk(fourier):
    edges = np.array(seams(fourier))
    tiny = 1e-8
    jump = fourier.at(edges[1:-1] + tiny).jerk - fourier.at(edges[1:-1] - tiny).jerk
    assert np.abs(jump).max() <= 1e-4 * (1 + np.abs(fourier.sample(50).jerk).max())
    assert np.abs(fourier.at([0.0, fourier.duration]).jerk).max() <= 1e-9 * (1 + np.abs(fourier.coefficients).max())
    assert np.array_equal(fourier.at(0.0).position[0], fourier.offset)


@given(series(), seeds, seeds, numbers, numbers)
def test_the_fourier_basis_is_linear(basis, one, two, alpha, beta):
    t = np.linspace(0, basis.duration, 40)
    c, d, q0 = random(one, 3, basis.size), random(two, 3, basis.size), random(one, 3)
    mixed = bf.Fourier.of(basis, NAMES, alpha * c + beta * d, q0).at(t)
    for matrix, what in zip((*basis.basis(t), basis.jerk_basis(t)), RATES):
        expected = alpha * (matrix @ c.T) + beta * (matrix @ d.T) + (q0 if what == "position" else 0.0)
        assert np.allclose(getattr(mixed, what), expected, rtol=1e-9, atol=1e-9 * (1 + np.abs(matrix).max()))


@given(series(fades=(0.0,)), seeds)
def test_the_series_is_that_of_swevers(basis, seed):
    c = random(seed, basis.size)
    w, t = 2 * np.pi * basis.base_frequency, np.linspace(0, basis.duration, 30)
    a, b = c[: basis.size // 2], c[basis.size // 2 :]
    q = sum(a[i] / (w * k) * np.sin(k * w * t) - b[i] / (w * k) * np.cos(k * w * t) for i, k in enumerate(basis.harmonics))
    assert np.allclose(bf.Fourier.of(basis, ["x"], [c], [0.7]).at(t).position[:, 0], 0.7 + q, atol=1e-11)


@given(st.lists(st.integers(1, 12), min_size=3, max_size=7, unique=True), seeds, st.booleans())
def test_rest_by_construction(harmonics, seed, jerk):
    Z, E = bf.rest_basis(harmonics, jerk=jerk), bf.rest_constraints(harmonics, jerk=jerk)
    assert np.allclose(Z.T @ Z, np.eye(Z.shape[1])) and np.abs(E @ Z).max() < 1e-12 * np.abs(E).max()
    assert Z.shape[1] == 2 * len(harmonics) - len(E)
    basis = bf.FourierBasis(base_frequency=0.2, harmonics=tuple(harmonics), periods=2)
    q0 = random(seed + 1, 3)
    motion = bf.Fourier.of(basis, NAMES, random(seed, 3, Z.shape[1]) @ Z.T, q0)
    at_periods = motion.at([0.0, 5.0, 10.0])
    assert np.allclose(at_periods.position, q0, atol=1e-11)
    for what in RATES[1 : 4 if jerk else 3]:
        assert np.abs(getattr(at_periods, what)).max() < 1e-9 * np.abs(getattr(motion.sample(100), what)).max()


@given(series(fades=(0.0,)), st.sampled_from([50.0, 100.0, 1000.0]))
def test_synchronous_periods_are_whole_samples(basis, rate):
    chosen = basis.synchronous(rate)
    assert abs(chosen.period * rate - round(chosen.period * rate)) < 1e-9
    assert abs(chosen.base_frequency / basis.base_frequency - 1) < 0.5 * basis.base_frequency / rate * 1.1


@every_kind
@given(st.data(), st.sampled_from([1.0, 2.0, 4.0, 10.0]))
def test_slower_by_s_divides_rates_by_powers_of_s(kind, data, s):
    trajectory = data.draw(KINDS[kind])
    slow, t = trajectory.slowed(s), np.linspace(0, trajectory.duration, 37)[1:-1] * (1 + 1e-7)
    fast, scaled = trajectory.at(t), slow.at(s * t)
    assert np.isclose(slow.duration, s * trajectory.duration, rtol=1e-12)
    for power, what in enumerate(RATES):
        expected = getattr(fast, what) / s**power
        assert np.allclose(getattr(scaled, what), expected, rtol=1e-6, atol=1e-7 * np.abs(expected).max()), what


@given(resting)
def test_the_ladder_goes_the_same_way(trajectory):
    ladder = bf.speed_ladder(trajectory)
    assert list(ladder) == [0.1, 0.25, 0.5, 1.0] and ladder[1.0] is trajectory
    for speed, slow in ladder.items():
        assert np.allclose(slow.at(slow.duration / 3).position, trajectory.at(trajectory.duration / 3).position, atol=1e-9)
        assert np.isclose(slow.duration * speed, trajectory.duration)


@given(trajectories)
def test_an_offset_moves_positions_only(trajectory):
    t = np.linspace(0, trajectory.duration, 23)
    here, there = trajectory.at(t), trajectory.with_offset([1.0, 2.0, 3.0]).at(t)
    assert np.allclose(there.position, here.position + [1.0, 2.0, 3.0], atol=1e-12)
    for what in RATES[1:]:
        x = getattr(here, what)
        assert np.allclose(getattr(there, what), x, rtol=1e-9, atol=1e-7 * (1 + np.abs(x).max())), what


@given(quintics())
def test_quintics_pass_their_points(trajectory):
    found = trajectory.at(trajectory.knots).position
    points = np.concatenate([trajectory.control[:, 0], trajectory.control[-1:, -1]])
    assert np.allclose(found, points, atol=1e-12)


@given(seeds, st.integers(3, 8))
def test_smooth_quintics_are_continuous_up_to_snap_and_smoothest(seed, count):
    times = np.concatenate([[0.0], np.cumsum(0.3 + np.random.default_rng(seed).random(count - 1))])
    points = random(seed, count, 2)
    smooth, halting = (bf.quintic(["a", "b"], points, times, stop=stop) for stop in (False, True))
    for order in (3, 4):
        c = smooth.controls(order)
        assert np.abs(c[1:, 0] - c[:-1, -1]).max() <= 1e-7 * np.abs(c).max()
    t = np.linspace(0, times[-1], 4001)
    effort = [(path.at(t).jerk ** 2).sum(axis=0) for path in (smooth, halting)]
    assert (effort[0] <= effort[1] * (1 + 1e-3)).all()


@given(st.one_of(quintics(), splines(), sweeps(), pose_sequences()))
def test_control_values_bound_what_lies_between_the_samples(trajectory):
    motion = trajectory.at(np.linspace(0, trajectory.duration, 501))
    for order, what in enumerate(RATES):
        c, x = trajectory.controls(order).reshape(-1, 3), getattr(motion, what)
        slack = 1e-9 * (1 + np.abs(c).max())
        assert (x <= c.max(axis=0) + slack).all() and (x >= c.min(axis=0) - slack).all(), what


@given(splines())
def test_splines_are_those_of_scipy(spline):
    other = pytest.importorskip("scipy.interpolate").BSpline(spline.knots, spline.control, spline.degree)
    t = np.linspace(0, spline.duration, 50)[:-1]
    for order, what in enumerate(RATES):
        x = other(t, nu=order)
        assert np.allclose(getattr(spline.at(t), what), x, rtol=1e-9, atol=1e-9 * (1 + np.abs(x).max())), what
    for matrix, what in zip(spline.basis(t), RATES):
        assert np.allclose(matrix @ spline.control, getattr(spline.at(t), what), rtol=1e-12, atol=1e-12)


@given(sweeps())
def test_a_sweep_moves_one_joint_at_constant_speed(sweep):
    motion = sweep.sample(200)
    moving = np.ptp(motion.position, axis=0) > 1e-12
    assert moving.sum() == 1 and np.abs(motion.acceleration).max() <= 0.5 * (1 + 1e-9)
    j = int(np.argmax(moving))
    speeds = {
        side: [motion.velocity[window.contains(motion.time), j] for window in getattr(sweep, side)]
        for side in ("forth", "back")
    }
    top = np.abs(motion.velocity).max()
    assert all(np.allclose(v, top) for v in speeds["forth"]) and all(np.allclose(v, -top) for v in speeds["back"])
    assert np.allclose([motion.position[:, j].min(), motion.position[:, j].max()], [-0.4, 1.0], atol=1e-3)


@given(pose_sequences())
def test_poses_are_held(sequence):
    for pose, hold in zip(sequence.poses, sequence.holds, strict=True):
        held = sequence.at(np.linspace(*hold, 7))
        assert np.allclose(held.position, pose, atol=1e-12) and np.abs(held.velocity).max() < 1e-12
        assert np.isclose(hold.stop - hold.start, 1.0)


@given(seeds, st.sampled_from([0.3, 1.0]))
def test_moves_between_poses_keep_to_the_limits_and_touch_one(seed, margin):
    robot = bf.Robot.load("panda")
    q = np.random.default_rng(seed).uniform(robot.limits.lower, robot.limits.upper, (3, 7))
    motion = bf.pose_sequence(robot.joint_names, q, hold=1.0, limits=robot.limits, margin=margin).sample(1000)
    used = [
        np.abs(getattr(motion, what)).max(axis=0) / (margin * getattr(robot.limits, what))
        for what in ("velocity", "acceleration", "jerk")
    ]
    assert 0.99 < np.max(used) <= 1 + 1e-9


@given(series(fades=(0.0,)), seeds, st.booleans())
def test_refitting_a_series_returns_its_coefficients(basis, seed, jitter):
    truth = bf.Fourier.of(basis, NAMES, random(seed, 3, basis.size), random(seed + 1, 3))
    count = 400 * basis.periods
    t = (np.arange(count) + (0.8 * np.random.default_rng(seed).random(count) if jitter else 0)) * truth.duration / count
    start = 1000.0
    fit = bf.refit(
        start + t,
        truth.at(t).position,
        base_frequency=basis.base_frequency,
        harmonics=basis.harmonics,
        joint_names=NAMES,
        start=start,
    )
    assert np.allclose(fit.trajectory.coefficients, truth.coefficients, atol=1e-7)
    assert np.allclose(fit.trajectory.offset, truth.offset, atol=1e-8) and fit.residual.max() < 1e-8


@given(seeds)
def test_averaged_periods_give_the_same_fit_and_the_noise(seed):
    rng, sigma = np.random.default_rng(seed), np.array([0.01, 0.02])
    truth = bf.Fourier(joint_names=["a", "b"], base_frequency=0.5, harmonics=3, coefficients=random(seed, 2, 6), periods=40)
    t = np.arange(40 * 200) / 100
    q = truth.at(t).position + sigma * rng.normal(size=(len(t), 2))
    options = {"base_frequency": 0.5, "harmonics": 3, "joint_names": ["a", "b"]}
    plain, averaged = bf.refit(t, q, **options), bf.refit(t, q, **options, average=True)
    assert np.allclose(plain.trajectory.coefficients, averaged.trajectory.coefficients, atol=1e-10)
    assert np.allclose(averaged.noise, sigma, rtol=0.05) and np.allclose(plain.residual, sigma, rtol=0.05)
    off = (plain.trajectory.coefficients - truth.coefficients) / plain.deviation
    assert np.abs(off).max() < 5 and 0.2 < np.sqrt((off**2).mean()) < 2.2
    assert np.allclose(plain.deviation, averaged.deviation, rtol=0.4)
    assert plain.trajectory.periods == 40


# ---- sampled motions and files


@given(trajectories, st.sampled_from([7.0, 10.0, 100.0]))
def test_sampling_ends_at_or_just_behind_the_end(trajectory, rate):
    motion = trajectory.sample(rate)
    assert motion.time[-1] >= trajectory.duration * (1 - 1e-9) and motion.time[-2] < trajectory.duration
    assert np.array_equal(motion.time, np.arange(len(motion)) / rate)
    with pytest.raises(ValueError):
        motion.position[0] = 1.0


def test_rows_and_joints_of_a_motion():
    motion = bf.quintic(NAMES, [[0, 0, 0], [1, 2, 3]], [0, 1]).sample(10)
    assert len(motion[2:5]) == 3 and len(motion[-1]) == 1 and motion[-1].time[0] == 1.0
    assert np.array_equal(motion[motion.time > 0.5].jerk, motion.jerk[6:])
    assert np.array_equal(motion.joints(["slide", "elbow"]).position, motion.position[:, [2, 1]])


@given(resting)
def test_a_csv_reads_back_bit_for_bit(tmp_path_factory, trajectory):
    path = tmp_path_factory.mktemp("csv") / "motion.csv"
    motion = trajectory.sample(11)
    bf.save_motion(path, motion, units={"slide": "m"}, comments=["made for\na test"])
    back = bf.load_motion(path)
    assert back.joint_names == NAMES
    for what in ("time", *RATES):
        assert np.array_equal(getattr(back, what), getattr(motion, what))
    assert bf.load_motion(path, joint_names=["slide"]).position.shape == (len(motion), 1)


def test_the_header_names_joints_and_units(tmp_path):
    path = tmp_path / "m.csv"
    motion = bf.quintic(['a,"b"', "x.y\nz"], [[0, 0], [1, 1]], [0, 1]).sample(2)
    bf.save_motion(path, motion, units={"x.y\nz": "m"})
    with path.open(newline="") as file:
        header = next(csv.reader(file))
    assert header[:3] == ["time_s", 'a,"b".position_rad', 'a,"b".velocity_rad_per_s'] and header[-1] == "x.y\nz.jerk_m_per_s3"
    assert bf.load_motion(path).joint_names == motion.joint_names


def test_degrees_and_millimetres_are_converted_and_jerk_may_be_missing(tmp_path):
    path = tmp_path / "m.csv"
    joint = "a.position_deg,a.velocity_deg_per_s,a.acceleration_deg_per_s2"
    path.write_text(
        f"{joint},time_s,b.position_mm,b.velocity_m_per_s,b.acceleration_mm_per_s2\n180,90,0,0,1,2,3\n180,90,0,1,1,2,3\n"
    )
    motion = bf.load_motion(path)
    assert motion.jerk is None and motion.time.tolist() == [0, 1]
    assert np.allclose(motion.position[0], [np.pi, 1e-3]) and np.allclose(motion.velocity[0], [np.pi / 2, 2])


@given(trajectories)
def test_a_sampled_motion_is_a_trajectory_again(trajectory):
    rate = 400 / trajectory.duration
    again, motion = bf.interpolated(trajectory.sample(rate)), trajectory.sample(rate)
    back = again.at(motion.time)
    for what in RATES[:3]:
        x = getattr(motion, what)
        assert np.allclose(getattr(back, what), x, rtol=1e-6, atol=1e-7 * (1 + np.abs(x).max())), what


def test_a_ros_file_is_read_by_yaml(tmp_path):
    yaml = pytest.importorskip("yaml")
    names = ("plain", 'quote" \\ : #', "\x07\u2028é😀")
    motion = bf.quintic(names, [[0, 0, 0], [1e-7, -1e-20, 3.0]], [0, 3.5]).sample(4)
    bf.save_joint_trajectory(tmp_path / "m.yaml", motion, frame_id="base: link")
    read = yaml.safe_load((tmp_path / "m.yaml").read_text("utf-8"))
    assert tuple(read["joint_names"]) == names and read["header"]["frame_id"] == "base: link"
    for key, what in (("positions", "position"), ("velocities", "velocity"), ("accelerations", "acceleration")):
        assert np.array_equal(np.array([point[key] for point in read["points"]], dtype=float), getattr(motion, what))
        assert all(isinstance(x, float) for point in read["points"] for x in point[key])
    stamps = [p["time_from_start"]["sec"] + 1e-9 * p["time_from_start"]["nanosec"] for p in read["points"]]
    assert np.allclose(stamps, motion.time, atol=1e-9)

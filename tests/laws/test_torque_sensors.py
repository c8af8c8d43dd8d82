"""Torque sensors on the assembled arm: calibrated by a hung mass, followed at work; compensation that stays inside."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from numpy.typing import NDArray

import bifilar as bf
from bifilar.control.safety import Safety
from bifilar.robot.read_dh import from_dh

Array = NDArray[np.float64]
WAY = np.array([0.1, 0.05, 0.0])  # [m] from the first point of attachment to the second
POINT = np.array([0.03, -0.02, 0.1])


def poses_of(rng: np.random.Generator, joints: int, distal: int = 4, count: int = 7) -> Array:
    """Sweeps of every joint, for several poses of the others."""
    q = np.repeat(rng.uniform(-1.2, 1.2, (distal, 1, 1, joints)), joints, axis=1).repeat(count, axis=2)
    for j in range(joints):
        q[:, j, :, j] = np.linspace(-1.5, 1.5, count)
    return q.reshape(-1, joints)


class Bench:
    """An arm under a tilted gravity with wrong sensors, and a mass of 2 kg."""

    def __init__(self, seed: int, name: str = "kuka_lwr4") -> None:
        self.rng = np.random.default_rng(seed)
        self.robot = bf.Robot.load(name).with_gravity([3.0, 4.0, -8.4])
        self.n = len(self.robot.joint_names)
        self.frame = self.robot.frame_names[-1]
        self.gain, self.offset = self.rng.uniform(0.8, 1.2, self.n), self.rng.uniform(-1, 1, self.n)
        self.q = poses_of(self.rng, self.n)

    def read(self, at: Array | None = None, noise: float = 1e-3) -> bf.StaticPoses:
        load = None if at is None else bf.Inertia.from_center_of_mass(2.0, at, np.zeros((3, 3)))
        arm = self.robot if load is None else self.robot.with_payload(self.frame, load)
        true = self.gain * arm.gravity_torque(self.q) + self.offset
        return bf.StaticPoses(
            self.robot.joint_names, self.q, true + noise * np.abs(true).max(axis=0) * self.rng.normal(size=true.shape)
        )

    def guess(self) -> bf.Robot:
        """A description with wrong masses: nothing but its geometry may matter."""
        p = self.robot.parameters()
        return self.robot.with_parameters(
            {n: v * 1.3 for n, v in zip(p.names, p.values, strict=True) if n.endswith((".mass", ".mcx"))}
        )


@pytest.mark.parametrize("seed", range(3))
def test_gains_and_offsets_come_out(seed: int) -> None:
    bench = Bench(seed)
    loaded = [(bench.read(POINT), bf.HungMass(2.0)), (bench.read(POINT + WAY), bf.HungMass(2.0, WAY))]
    found = bf.calibrate_torque_sensors(bench.guess(), bench.read(), loaded, frame=bench.frame)
    assert found.gain_seen.all() and found.status.ok
    assert np.abs(found.gain / bench.gain - 1).max() < 0.01
    amplitude = np.ptp(loaded[0][0].torque, axis=0) / 2
    assert np.abs((found.offset - bench.offset) / amplitude).max() < 0.01
    assert np.abs(found.attachment - POINT).max() < 0.01
    reading = bench.read()
    true = bench.robot.gravity_torque(bench.q)
    assert np.sqrt(np.mean((found.torque(reading.torque) - true) ** 2)) < 0.1 * np.sqrt(np.mean((reading.torque - true) ** 2))


def test_readings_with_a_load_are_those_of_the_arm_that_carries_it() -> None:
    """Poses that were not used, with the mass moved: gain times the loaded arm's torque, and the offset."""
    robot, rng = bf.Robot.load("ur10e"), np.random.default_rng(3)
    frame, gain, at = robot.frame_names[-1], np.array([1.0, 0.9, 1.05, 1.2, 0.95, 1.1]), np.array([0.03, 0.02, 0.1])

    def poses(way: list[float] | None, count: int) -> bf.StaticPoses:
        q = rng.uniform(-1.5, 1.5, (count, 6))
        load = None if way is None else bf.Inertia.from_center_of_mass(2.0, at + way, np.zeros((3, 3)))
        arm = robot if load is None else robot.with_payload(frame, load)
        return bf.StaticPoses(robot.joint_names, q, gain * arm.gravity_torque(q) + 0.5)

    found = bf.calibrate_torque_sensors(robot, poses(None, 20), [(poses([0, 0, 0], 20), bf.HungMass(2.0))], frame=frame)
    for way in (None, [0.0, 0.0, 0.0], [0.1, -0.05, 0.2]):
        other = poses(way, 10)
        load = None if way is None else bf.HungMass(2.0, way)
        np.testing.assert_allclose(found.readings(other.position, load), other.torque, atol=1e-6)
        np.testing.assert_allclose(found.torque(other.torque)[:, 1:], found.torque_at(other.position, load)[:, 1:], atol=1e-6)


def test_a_wrist_alone_needs_two_attachments() -> None:
    """Its axes meet in a point, so it feels the mass by where it hangs; the joints before the wrist tell where that is."""
    bench = Bench(0)

    def wrist_only(poses: bf.StaticPoses) -> bf.StaticPoses:
        return bf.StaticPoses(poses.joint_names, poses.position, np.where(np.arange(bench.n) >= 4, poses.torque, np.nan))

    first, second = (bench.read(POINT), bf.HungMass(2.0)), (bench.read(POINT + WAY), bf.HungMass(2.0, WAY))
    one = bf.calibrate_torque_sensors(
        bench.guess(), wrist_only(bench.read()), [(wrist_only(first[0]), first[1])], frame=bench.frame
    )
    assert not one.gain_seen[4:].any() and "moved by a known way" in one.status.remedy
    both = bf.calibrate_torque_sensors(
        bench.guess(), wrist_only(bench.read()), [(wrist_only(p), m) for p, m in (first, second)], frame=bench.frame
    )
    assert both.gain_seen[4:].all()
    assert np.abs(both.gain[4:] / bench.gain[4:] - 1).max() < 0.01
    all_sensors = bf.calibrate_torque_sensors(bench.guess(), bench.read(), [first], frame=bench.frame)
    assert all_sensors.gain_seen.all() and np.abs(all_sensors.gain / bench.gain - 1).max() < 0.01


def test_without_a_mass_no_gain_is_claimed() -> None:
    bench = Bench(1)
    found = bf.calibrate_torque_sensors(bench.guess(), bench.read(noise=0.0), [], frame=bench.frame)
    assert not found.gain_seen.any() and "no known mass" in found.status.sentence
    assert found.offset_seen.all() and np.abs(found.offset - bench.offset).max() < 1e-6


def test_deviations_of_gains_and_offsets_cover() -> None:
    """Each joint's readings have their own noise."""
    inside = []
    for seed in range(10):
        bench = Bench(seed)
        loaded = [(bench.read(POINT), bf.HungMass(2.0)), (bench.read(POINT + WAY), bf.HungMass(2.0, WAY))]
        found = bf.calibrate_torque_sensors(bench.guess(), bench.read(), loaded, frame=bench.frame)
        errors = (found.gain - bench.gain) / found.gain_deviation, (found.offset - bench.offset) / found.offset_deviation
        inside.append(np.abs(errors) < 1.96)
    assert 0.88 < np.mean(inside) < 0.99


def test_an_open_place_of_the_mass_moves_no_gain() -> None:
    """A planar arm: where the mass hangs along the axes cannot be told, and does not matter."""
    robot, rng = bf.Robot.load("two_link"), np.random.default_rng(0)
    q = rng.uniform(-1.5, 1.5, (30, 2))
    heavy = robot.with_payload("link2", bf.Inertia.from_center_of_mass(0.5, [0.2, 0.0, 0.0], np.zeros((3, 3))))
    bare, hung = (bf.StaticPoses(robot.joint_names, q, 1.1 * arm.gravity_torque(q) + 0.2) for arm in (robot, heavy))
    found = bf.calibrate_torque_sensors(robot, bare, [(hung, bf.HungMass(0.5))], frame="link2")
    np.testing.assert_allclose(found.gain, 1.1, atol=1e-6)
    assert found.gain_seen.all() and found.status.ok


def test_gains_that_are_open_stay_near_one() -> None:
    bench = Bench(1)
    found = bf.calibrate_torque_sensors(bench.guess(), bench.read(), [], frame=bench.frame)
    ratio = found.gain[:6] / bench.gain[:6]
    np.testing.assert_allclose(ratio, ratio[0], rtol=0.01)  # what the data do tell: all but a common factor
    assert abs(found.gain[:6].mean() - 1) < 0.1


def test_a_mass_that_did_not_hang_there_is_noticed() -> None:
    bench = Bench(1)
    found = bf.calibrate_torque_sensors(bench.guess(), bench.read(), [(bench.read(), bf.HungMass(2.0))], frame=bench.frame)
    assert not found.gain_seen.any()
    assert "the mass hardly changes the readings" in found.status.sentence and "hung there" in found.status.remedy


def test_a_sensor_that_is_mounted_the_wrong_way_round_has_a_negative_gain() -> None:
    bench = Bench(1)
    bench.gain[3] *= -1
    loaded = [(bench.read(POINT), bf.HungMass(2.0)), (bench.read(POINT + WAY), bf.HungMass(2.0, WAY))]
    found = bf.calibrate_torque_sensors(bench.guess(), bench.read(), loaded, frame=bench.frame)
    assert found.status.ok and np.abs(found.gain / bench.gain - 1).max() < 0.01


def test_a_joint_without_gravity_torque_tells_its_offset_and_no_gain() -> None:
    robot, rng = bf.Robot.load("ur10e"), np.random.default_rng(0)
    q = rng.uniform(-2, 2, (40, 6))
    heavy = robot.with_payload(robot.frame_names[-1], bf.Inertia.from_center_of_mass(2.0, POINT, np.zeros((3, 3))))
    bare, hung = (
        bf.StaticPoses(robot.joint_names, q, 1.1 * arm.gravity_torque(q) + 0.7 + 0.01 * rng.normal(size=q.shape))
        for arm in (robot, heavy)
    )
    found = bf.calibrate_torque_sensors(robot, bare, [(hung, bf.HungMass(2.0))], frame=robot.frame_names[-1])
    assert found.gain_seen.tolist() == [False] + [True] * 5 and found.offset_seen.all()
    assert found.gain[0] == 1.0 and abs(found.offset[0] - 0.7) < 0.01
    assert "gravity never loads" in found.status.sentence


def test_encoders_that_are_wrong_too() -> None:
    bench = Bench(2)
    loaded = [(bench.read(POINT, noise=1e-6), bf.HungMass(2.0)), (bench.read(POINT + WAY, noise=1e-6), bf.HungMass(2.0, WAY))]
    bare = bench.read(noise=1e-6)
    slack, shift = 1 + 0.02 * bench.rng.normal(size=bench.n), 0.02 * bench.rng.normal(size=bench.n)

    def wrong(poses: bf.StaticPoses) -> bf.StaticPoses:
        return bf.StaticPoses(poses.joint_names, (poses.position - shift) / slack, poses.torque)

    found = bf.calibrate_torque_sensors(
        bench.guess(),
        wrong(bare),
        [(wrong(p), m) for p, m in loaded],
        frame=bench.frame,
        position_gain=True,
        position_offset=True,
    )
    seen = found.position_gain_seen & found.position_offset_seen
    assert seen[1:6].all()
    assert np.abs(found.position_gain - slack)[seen].max() < 1e-3
    assert np.abs(found.gain / bench.gain - 1)[found.gain_seen].max() < 0.01


def work(rng: np.random.Generator, seconds: float = 600.0) -> tuple[bf.GravityModel, Array, Array, Array]:
    """A panda that works slowly: model, time, position, velocity."""
    model = bf.GravityModel.of(bf.Robot.load("panda"))
    t = np.arange(0, seconds, 1.0)
    pace, phase = rng.uniform(0.03, 0.1, 7), rng.uniform(0, 6, 7)
    wide = np.array([1.5, 1.0, 1.5, 1.0, 1.5, 1.0, 1.5])
    angle = np.outer(t, pace) + phase
    return model, t, wide * np.sin(angle) - [0, 0, 0, 1.5, 0, -1.5, 0], wide * pace * np.cos(angle)


def test_a_drifting_gain_is_followed_and_reported() -> None:
    rng = np.random.default_rng(0)
    model, t, q, v = work(rng)
    true = model.torque(q)
    gain = 1 + np.outer(np.clip(t / 300, 0, 1), 0.1 * np.sign(rng.normal(size=7)))
    reading = gain * true + 0.05 * rng.normal(size=true.shape)
    track = bf.follow_sensors(model, t, q, v, reading, noise=0.05)
    before, after = (np.sqrt(np.mean((x - true) ** 2)) for x in (reading, track.torque))
    assert after <= before / 5
    assert {f.where for f in track.findings if f.code == "gain"} >= {f"torque sensor of 'joint{k}'" for k in (2, 4)}


def test_sensors_without_drift_raise_no_alarm() -> None:
    """Fewer than the stated one per cent of runs."""
    alarms = 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        model, t, q, v = work(rng, 200.0)
        reading = model.torque(q) + 0.05 * rng.normal(size=q.shape)
        alarms += bool(bf.follow_sensors(model, t, q, v, reading, noise=0.05).findings)
    assert alarms == 0  # `bifilar reproduce ma1996` counts a thousand


def adversary(rng: np.random.Generator, n: int) -> tuple[Array, Array, float, float | None]:
    """A state that a broken bus could deliver, and a clock that may jump, stand or run back."""
    odd = np.array([np.nan, np.inf, -np.inf, 1e300, -1e300, 1e-300, 1e6, 0.0])
    q, v = rng.uniform(-3, 3, n), rng.uniform(-3, 3, n)
    for x in (q, v):
        if rng.random() < 0.2:
            x[rng.integers(n)] = rng.choice(odd)
    return q, v, float(rng.choice([0.001, 0.001, 0.001, 0.0, -1.0, 10.0, np.nan])), float(rng.choice([0.0, 0.01, 1.0, np.nan]))


def test_compensation_never_leaves_its_limits() -> None:
    rng = np.random.default_rng(0)
    robot = bf.Robot.load("panda")
    settings = bf.SafetySettings.of(robot, seconds=0.1, fade_in=0.01, damping=np.full(7, 5.0))
    arm = bf.GravityCompensation(bf.GravityModel.of(robot), settings, damping=np.full(7, 1.0))
    clock, last, latest, states = 0.0, np.zeros(7), 0.0, set()
    for _ in range(6_000):
        q, v, step, age = adversary(rng, 7)
        clock = clock + step if np.isfinite(clock + step) else clock
        told = clock if rng.random() < 0.99 else np.nan
        torque, state = arm.step(q, v, told, None if rng.random() < 0.7 else clock - age)
        states.add(state)
        assert np.all(np.abs(torque) <= settings.torque)
        passed = max(told - latest, 0.0) if np.isfinite(told) else 0.0
        assert np.all(np.abs(torque - last) <= settings.rate * passed * (1 + 1e-9) + 1e-12)
        last, latest = torque, told if np.isfinite(told) else latest
    assert states >= {"ok", "fading in", "limited", "holding", "damping"} - {"ok"}


def test_a_lost_state_is_held_then_damped_then_faded_in_again() -> None:
    robot = bf.Robot.load("panda")
    settings = bf.SafetySettings.of(robot, fade_in=0.1, damping=np.full(7, 2.0))
    arm, model = bf.GravityCompensation(bf.GravityModel.of(robot), settings), bf.GravityModel.of(robot)
    q, rest = np.array([0.0, 0.3, 0.0, -1.5, 0.0, 1.5, 0.0]), np.zeros(7)
    for k in range(1000):
        settled = arm.step(q, rest, k / 1000)
    np.testing.assert_allclose(settled.torque, model.torque(q), rtol=1e-12)
    held = arm.step(np.full(7, np.nan), rest, 1.0)
    assert held.state == "holding"
    np.testing.assert_allclose(held.torque, settled.torque)
    for k in range(1001, 3000):
        damped = arm.step(np.full(7, np.nan), rest, k / 1000)
    assert damped.state == "damping" and np.abs(damped.torque).max() == 0
    assert arm.step(q, rest, 3.001).state == "fading in"
    assert arm.step(q, rest, 3.002, stamp=2.0).state == "holding"


def steady(fade_in: float = 1.0, **more: object) -> tuple[Safety, float]:
    """A guard of one joint that has settled at 8 N m, and the clock."""
    settings = bf.SafetySettings(torque=np.array([10.0]), rate=np.array([100.0]), fade_in=fade_in, **more)  # type: ignore[arg-type]
    guard = Safety(settings)
    for k in range(2000):
        guard.step([8.0], [0.0], [0.0], k / 1000)
    return guard, 2.0


def test_one_lost_state_does_not_drop_the_arm() -> None:
    guard, clock = steady()
    assert guard.step([np.nan], [0.0], [0.0], clock).torque[0] == 8.0
    after = [guard.step([8.0], [0.0], [0.0], clock + k / 1000).torque[0] for k in range(1, 1500)]
    assert min(after) == 8.0
    for k in range(1500, 1600):
        damped = guard.step([np.nan], [0.0], [0.0], clock + k / 1000)
    assert damped.state == "damping" and damped.torque[0] < 8.0
    back = [guard.step([8.0], [0.0], [0.0], clock + k / 1000).torque[0] for k in range(1600, 3000)]
    assert np.all(np.diff([damped.torque[0], *back]) >= -1e-12) and back[-1] == 8.0  # from where it was, not from nothing


def test_a_clock_that_jumped_and_came_back_does_not_disarm_the_watchdog() -> None:
    for glitch in (1e300, 1e6, -1e300, np.inf, 10**400):
        guard, clock = steady()
        guard.step([8.0], [0.0], [0.0], glitch)
        for k in range(1, 1000):
            lost = guard.step([np.nan], [0.0], [0.0], clock + k / 1000)
        assert lost.state == "damping" and abs(lost.torque[0]) < 1e-9


@pytest.mark.parametrize("velocity", [1e6, 1e300, np.inf, np.nan, "fast", None])
def test_damping_does_not_trust_a_velocity_that_cannot_be(velocity: object) -> None:
    guard, clock = steady(damping=np.array([2.0]), velocity=np.array([3.0]))
    for k in range(1000):
        lost = guard.step([8.0], [0.0], [velocity], clock + k / 1000)  # type: ignore[list-item]
    assert lost.state == "damping" and abs(lost.torque[0]) < 1e-9
    guard, clock = steady(damping=np.array([2.0]))
    for k in range(1000):  # nor one that is old
        lost = guard.step([8.0], [0.0], [1.0], clock + k / 1000, stamp=clock - 1.0)
    assert lost.state == "damping" and abs(lost.torque[0]) < 1e-9
    for k in range(1000, 2000):
        lost = guard.step([np.nan], [0.0], [1.0], clock + k / 1000)
    assert lost.torque[0] == -2.0


@pytest.mark.parametrize("odd", ["now", None, object(), 10**400, [1.0, 2.0], 1j, {}])
def test_nothing_makes_a_guard_raise(odd: object) -> None:
    guard, clock = steady()
    for place in range(5):
        words: list[object] = [[8.0], [0.0], [0.0], clock + place, clock + place]
        words[place] = odd
        torque, _ = guard.step(*words)  # type: ignore[arg-type]
        assert np.isfinite(torque).all() and abs(torque[0]) <= 10.0


def test_settings_that_would_drive_are_refused() -> None:
    robot = bf.Robot.load("panda")
    good, model = bf.SafetySettings.of(robot), bf.GravityModel.of(robot)
    for change in (
        {"damping": -np.ones(7)},
        {"lower": np.zeros(3)},
        {"longest": -1.0},
        {"hold": np.nan},
        {"velocity": -np.ones(7)},
    ):
        with pytest.raises(bf.ShapeError):
            Safety(dataclasses.replace(good, **change))  # type: ignore[arg-type]
    with pytest.raises(bf.ShapeError, match="negative"):
        bf.GravityCompensation(model, good, damping=-np.ones(7))
    with pytest.raises(bf.BifilarError):
        bf.GravityCompensation(bf.GravityModel.of(bf.Robot.load("two_link")), good)


def test_letters() -> None:
    bench = Bench(0)
    with pytest.raises(bf.RobotError, match="reference mass"):
        bf.HungMass(-1.0)
    with pytest.raises(bf.RobotError, match="no link"):
        bf.calibrate_torque_sensors(bench.robot, bench.read(), [], frame="flnge")
    few = bf.StaticPoses(bench.robot.joint_names, bench.q[:2], np.zeros((2, bench.n)))
    with pytest.raises(bf.SolveError, match="too few"):
        bf.calibrate_torque_sensors(bench.robot, few, [], frame=bench.frame)
    with pytest.raises(bf.RobotError, match="has no torque limit"):
        bf.SafetySettings.of(bf.Robot.build(from_dh([{"a": 1.0}])))


def test_a_watch_refuses_times_and_settings_that_mean_nothing() -> None:
    model, zero = bf.GravityModel.of(bf.Robot.load("panda")), np.zeros((2, 7))
    for odd in ([0.0, np.nan], [0.0, 0.0], [0.0, np.inf]):
        with pytest.raises(bf.RecordingError, match="rising times"):
            bf.follow_sensors(model, odd, zero, zero, zero, noise=0.1)
    with pytest.raises(bf.BifilarError):
        bf.follow_sensors(model, [], zero[:0], zero[:0], zero[:0], noise=0.1)
    for word in ("memory", "gain_spread", "false_alarms"):
        with pytest.raises(bf.ShapeError):
            bf.SensorWatch(**{word: 0.0})

"""Laws of the checks: what must not change a verdict, and what every finding owes its reader."""

from __future__ import annotations

import json

import numpy as np
import pytest

import bifilar as bf
from bifilar.recording.check import example
from bifilar.recording.checks_model import Comparison
from bifilar.recording.checks_view import View, unwrapped
from bifilar.validate.mistakes import examine
from bifilar.validate.mistakes_seeded import MISTAKES, NAMES, spoilt

RECORDING, ROBOT = example()


def test_a_clean_recording_raises_no_alarm():
    assert RECORDING.check(ROBOT).alarms == ()
    assert RECORDING.check().alarms == ()


@pytest.mark.parametrize("mistake", MISTAKES)
def test_every_mistake_is_named_and_nothing_else(mistake):
    for seed in range(3):
        found = spoilt(RECORDING, mistake, seed).check(ROBOT).alarms
        assert set(found.codes) == {NAMES[mistake]}, f"{mistake}: {found}"


@pytest.mark.parametrize("mistake", MISTAKES)
def test_every_finding_says_where_and_what_to_do(mistake):
    recording = spoilt(RECORDING, mistake)
    for finding in recording.check(ROBOT):
        assert (
            finding.where
            and finding.what
            and finding.remedy
            and finding.code
            and finding.severity in ("error", "warning", "note")
        )
        for place in finding.at:
            assert place.joint == "" or place.joint in recording.joint_names
            assert place.start <= place.stop
            assert recording.time[0] - 1e-9 <= place.start and place.stop <= recording.time[-1] + 1e-9
        json.dumps(finding.data(), allow_nan=False)


def test_the_joint_that_is_hit_is_named():
    torque = RECORDING.torque * [1, -1]
    (finding,) = RECORDING.with_channel("torque", torque).check(ROBOT).of("sign")
    assert "joint2" in finding.where and "{'joint2': -1}" in finding.remedy
    (finding,) = RECORDING.with_channel("torque", RECORDING.torque * [0, 1]).check(ROBOT).of("dead")
    assert "joint1" in finding.where


def test_units_are_told_apart():
    for factor, unit in ((1000, "mN m"), (0.001, "kN m")):
        (finding,) = RECORDING.with_channel("torque", factor * RECORDING.torque).check(ROBOT).of("unit")
        assert unit in finding.remedy


@pytest.mark.parametrize("shift", [0.0, 1e9, -50.0])
def test_when_it_was_recorded_does_not_matter(shift):
    later = RECORDING.with_clock(time=RECORDING.time + shift)
    assert later.check(ROBOT).codes == RECORDING.check(ROBOT).codes


def test_the_order_of_the_columns_does_not_matter():
    other = RECORDING.joints(RECORDING.joint_names[::-1])
    assert other.check(ROBOT).alarms == ()
    flipped = other.with_channel("torque", -other.torque)
    assert flipped.check(ROBOT).alarms.codes == ("sign_all",)


def test_a_rate_is_found_without_a_velocity_channel():
    silent = bf.Recording(
        joint_names=RECORDING.joint_names, time=RECORDING.time / 5, position=RECORDING.position, torque=RECORDING.torque
    )
    assert "rate" in silent.check(ROBOT).alarms.codes


def test_the_view_differentiates():
    view = View.of(RECORDING)
    middle = slice(len(view.time) // 4, -len(view.time) // 4)
    velocity = np.interp(view.time, RECORDING.time, RECORDING.velocity[:, 0])
    assert np.abs(view.velocity[middle, 0] - velocity[middle]).max() < 0.05 * np.abs(velocity).max()


def test_the_view_in_another_unit_of_time_is_the_same():
    fast = View.of(RECORDING.with_clock(time=RECORDING.time / 5))
    view = View.of(RECORDING)
    np.testing.assert_allclose(fast.velocity, 5 * view.velocity, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(fast.torque, view.torque, rtol=1e-6, atol=1e-6)


def test_whole_turns_are_undone():
    turning = np.linspace(-10, 10, 500)[:, None]
    wrapped = np.mod(turning, 2 * np.pi)
    undone = unwrapped(bf.Recording(joint_names=("a",), time=np.arange(500.0), position=wrapped))
    np.testing.assert_allclose(undone - undone[0], turning - turning[0], atol=1e-9)


def test_scale_is_that_of_the_torque():
    for factor in (-1.0, 0.5, 3.0):
        comparison = Comparison.of(View.of(RECORDING.with_channel("torque", factor * RECORDING.torque), ROBOT))
        np.testing.assert_allclose(comparison.scale, factor, rtol=0.1)


@pytest.mark.parametrize(
    "change",
    [
        lambda r: r.part(0, 0),
        lambda r: r.part(0, 0.01),
        lambda r: r.with_channel("torque", np.full_like(r.torque, np.nan)),
        lambda r: r.with_channel("position", np.full_like(r.position, np.nan)),
        lambda r: r.with_channel("position", np.zeros_like(r.position)),
        lambda r: r.with_channel("torque", np.full_like(r.torque, 1e300)),
        lambda r: r.with_channel("position", np.full_like(r.position, np.inf)),
        lambda r: r.with_clock(time=np.zeros(len(r))),
        lambda r: r.with_clock(time=np.full(len(r), np.nan)),
        lambda r: r.with_clock(time=r.time[::-1]),
        lambda r: r.masked(np.zeros(len(r), dtype=bool)),
        lambda r: bf.Recording(joint_names=r.joint_names, time=r.time, position=r.position),
        lambda r: bf.Recording(joint_names=r.joint_names, time=r.time, torque=r.torque),
        lambda r: bf.Recording(joint_names=(), time=r.time),
        lambda r: bf.Recording(joint_names=("stranger", "joint1"), time=r.time, position=r.position, torque=r.torque),
    ],
)
def test_whatever_is_given_findings_come_back(change):
    for robot in (None, ROBOT):
        assert isinstance(bf.check(change(RECORDING), robot), bf.Findings)


def test_a_plain_fit_betrays_itself():
    assert examine(ROBOT, RECORDING).findings == ()
    for mistake in ("rate times 5", "torque in mN m", "torque in kN m", "all signs"):
        assert NAMES[mistake] in examine(ROBOT, spoilt(RECORDING, mistake)).findings.codes
    assert examine(ROBOT, RECORDING, {"description as prior": 0.5}).findings.codes == ("strain",)


@pytest.mark.parametrize("every", [2, 3, 4])
def test_a_joint_that_is_logged_in_some_rows_only_is_judged_without_the_others(every):
    q = np.column_stack([RECORDING.position, 0.5 * RECORDING.position[:, :1]])
    q[np.arange(len(q)) % every > 0, 2] = np.nan
    torque = 3 * q + np.random.default_rng(0).standard_normal(q.shape)
    log = bf.Recording(joint_names=("a", "b", "c"), time=RECORDING.time, position=q, torque=torque)
    assert set(log.check().alarms.codes) <= {"nan", "coarse"}


def test_saturation_is_found_beside_values_that_are_missing():
    torque, position = RECORDING.torque.copy(), RECORDING.position + 2.0
    position[::10] = np.nan
    most = 0.6 * np.abs(torque).max(axis=0)
    log = RECORDING.with_channel("torque", np.clip(torque, -most, most)).with_channel("position", position)
    assert "saturation" in log.check().codes


def test_a_sensor_that_stands_still_most_of_the_time_is_not_called_smooth():
    time = np.arange(20_000) / 1000
    position = np.round(0.8 * np.sin(0.3 * time), 3)[:, None]
    noise = np.random.default_rng(0).standard_normal((2000, 1))
    torque = np.repeat(5 * np.sin(0.3 * time[::10])[:, None] + noise, 10, axis=0)
    log = bf.Recording(joint_names=("joint1",), time=time, position=position, torque=torque)
    assert not {"smooth", "simulated"} & set(log.check(bf.Robot.load("pendulum")).codes)


def test_a_stamp_that_is_no_number_does_not_hide_the_rate():
    log = bf.Recording(joint_names=(), time=[0.0, 0.1, np.nan, 0.3, 0.4, 0.5, np.nan])
    assert log.rate == pytest.approx(10.0) and log.duration == pytest.approx(0.5)


def _panda_run(robot: bf.Robot) -> bf.Recording:
    """Eight seconds of a Panda with friction and noise, some joints in ranges that only they have."""
    draw = np.random.default_rng(0)
    time = np.arange(0, 8, 0.005)
    low, high = np.array([-1.5, -1, -1.5, -2.5, -1.5, 0.5, -1.5]), np.array([1.5, 1, 1.5, -1, 1.5, 2.5, 1.5])
    w, phase = 2 * np.pi * draw.uniform(0.1, 0.25, (7, 2)), draw.uniform(0, 6, (7, 2))
    angle, size = time[:, None, None] * w + phase, 0.5 * (high - low)[:, None] * [0.6, 0.4]
    q, v, a = ((size * x).sum(axis=2) for x in (np.sin(angle), w * np.cos(angle), -w * w * np.sin(angle)))
    q += 0.5 * (low + high)
    tau = robot.inverse_dynamics(q, v, a) + 0.5 * v + 0.4 * np.tanh(v / 0.02) + 0.05 * draw.standard_normal(q.shape)
    return bf.Recording(joint_names=robot.joint_names, time=time, position=q + 1e-4 * draw.standard_normal(q.shape), torque=tau)


def test_many_joints_in_the_wrong_place_are_put_back():
    robot = bf.Robot.load("panda")
    run = _panda_run(robot)
    assert run.check(robot).alarms == ()
    for places in ([3, 0, 1, 2, 6, 5, 4], [4, 6, 0, 2, 1, 3, 5]):
        wrong = run.with_channel("position", run.position[:, places]).with_channel("torque", run.torque[:, places])
        (finding,) = wrong.check(robot).of("order")
        assert finding.severity == "error" and str([robot.joint_names[k] for k in places]) in finding.remedy
    (finding,) = run.with_channel("torque", run.torque[:, [3, 0, 1, 2, 6, 5, 4]]).check(robot).of("order")
    assert finding.where == "columns of torque" and "['joint4', 'joint1', 'joint2'" in finding.remedy


def test_positions_alone_tell_an_order_by_their_limits():
    robot = bf.Robot.load("panda")
    run = _panda_run(robot)
    alone = bf.Recording(joint_names=run.joint_names, time=run.time, position=run.position[:, [0, 1, 2, 5, 4, 3, 6]])
    (finding,) = alone.check(robot).of("order")
    assert finding.severity == "error" and "'joint4', 'joint6'" in finding.what
    one = run.position + np.eye(7)[3]  # another zero of one joint is no order
    assert "order" not in bf.Recording(joint_names=run.joint_names, time=run.time, position=one).check(robot).codes


def test_another_robot_does_not_explain_the_torques():
    panda, wam = bf.Robot.load("panda"), bf.Robot.load("wam")
    run = _panda_run(panda)
    other = bf.Recording(joint_names=wam.joint_names, time=run.time, position=run.position, torque=run.torque)
    (finding,) = other.check(wam).of("robot")
    assert "does not explain these torques" in finding.what
    noise = np.random.default_rng(1).standard_normal((16, 7)).repeat(100, axis=0).cumsum(axis=0)
    (finding,) = run.with_channel("torque", noise).check(panda).of("robot")
    assert finding.severity == "error"


def test_a_column_that_is_not_there_is_told_so():
    torque = bf.Channel(RECORDING.torque[:, 1:], ("joint2",), ("N m",))
    (finding,) = RECORDING.with_channel("torque", torque).check(ROBOT).of("missing")
    assert finding.severity == "error" and "has no column" in finding.what and "joint1" in finding.where


def test_a_joint_is_left_out_only_if_it_stood_still():
    """A lock that the fit would refuse is no remedy: a joint that moves needs its torque."""
    torque = bf.Channel(RECORDING.torque[:, 1:], ("joint2",), ("N m",))
    for log in (
        RECORDING.with_channel("torque", torque),
        RECORDING.with_channel("torque", RECORDING.torque * [0.0, 1.0]),
    ):
        found = log.check(ROBOT)
        (finding,) = found.of("missing") or found.of("dead")
        assert "--lock" not in finding.typed and "'joint1' moves" in finding.remedy
        held = log.with_channel("position", RECORDING.position * [0.0, 1.0]).check(ROBOT)
        remedies = [one.typed for one in (*held.of("missing"), *held.of("dead"))]
        assert any("--lock joint1" in remedy for remedy in remedies)


@pytest.mark.parametrize(("turned", "said"), [(("joint1",), "leave out --sign joint1=-1"), (("*",), "joint1=-1 joint2=-1")])
def test_a_sign_that_was_declared_is_not_asked_for_again(tmp_path, turned, said):
    RECORDING.save(tmp_path / "run.csv")
    log = bf.Recording.load(tmp_path / "run.csv", ROBOT, sign=dict.fromkeys(turned, -1))
    found = log.check(ROBOT)
    (finding,) = found.of("sign") or found.of("sign_all")
    assert finding.typed.endswith(said) and "declared" in finding.likely


def test_torque_from_current_is_the_way_out():
    plain = bf.Recording(
        joint_names=ROBOT.joint_names, time=RECORDING.time, position=RECORDING.position, current=RECORDING.torque
    )
    (finding,) = plain.check(ROBOT).of("missing")
    assert 'from = "current"' in finding.remedy and "factor" in finding.remedy


def test_stamps_are_not_answered_with_a_rate():
    stamped = RECORDING.with_clock(time=RECORDING.time / 5)
    silent = bf.Recording(
        joint_names=ROBOT.joint_names, time=stamped.time, position=RECORDING.position, torque=RECORDING.torque
    )
    panda = bf.Robot.load("panda")
    slow = panda.with_limits({"joint1": {"velocity": 0.3}})
    for log, robot, code in ((stamped, ROBOT, "rate"), (silent, ROBOT, "rate"), (_panda_run(panda), slow, "speed")):
        (finding,) = log.check(robot).of(code)
        assert "--rate" not in finding.remedy
    (finding,) = RECORDING.with_clock(rate=5 * RECORDING.rate).check(ROBOT).of("rate")
    assert "--rate" in finding.typed


@pytest.mark.parametrize(("times", "unit"), [(1000.0, "ms"), (1e-3, "s"), (5.0, None), (0.2, None)])
def test_stamps_are_answered_with_the_unit_that_mends_them(times, unit):
    """Stamps that were taken a thousand times too far apart are in a smaller unit; 5 times is no unit at all."""
    (finding,) = RECORDING.with_clock(time=RECORDING.time * times).check(ROBOT).of("rate")
    remedy = finding.typed
    assert f"true steps are about {1 / times:.2g} times as long" in remedy
    assert (f"--unit time={unit}, if" in remedy) if unit else "--unit" not in remedy


def test_the_proof_of_a_sign_is_an_instant_that_proves_it():
    (finding,) = RECORDING.with_channel("torque", -RECORDING.torque).check(ROBOT).of("sign_all")
    needs, recorded = (
        float(part.split()[0].rstrip(",")) for part in finding.what.split("gravity needs ")[1].split("recorded is ")
    )
    assert needs * recorded < 0


def test_degrees_that_jump_by_360_are_degrees():
    turning = RECORDING.position + [3.1, 0]
    wrapped = np.degrees(np.mod(turning, 2 * np.pi))
    tau = ROBOT.inverse_dynamics(turning, RECORDING.velocity, np.gradient(RECORDING.velocity, 1 / 250, axis=0))
    loose = bf.Recording(joint_names=ROBOT.joint_names, time=RECORDING.time, position=wrapped, torque=tau)
    assert "degrees" in loose.check(ROBOT).codes and "motor_side" not in loose.check(ROBOT).codes


def test_a_tool_that_was_not_carried_is_no_exchange_of_joints():
    """Masses may be anything: an order is doubted only if it explains more whatever the links weigh."""
    recording, robot = example()
    tool = bf.Inertia.from_center_of_mass(3.0, [0.0, 0.0, 0.1], 0.01 * np.eye(3))
    for heavy in (robot.with_payload(robot.body_names[-1], tool), robot.with_payload(robot.body_names[1], tool)):
        assert "order" not in bf.check(recording, heavy).codes

"""Velocities that were logged: taken where they are better, rows in no order of time, and what a row cannot do without."""

from __future__ import annotations

import numpy as np
import pytest

import bifilar as bf
from bifilar.errors import Remedy
from bifilar.estimate.log_reading import decided
from bifilar.recording.check import example
from bifilar.recording.recipes import Recipe


def swing(*, position_noise=0.0, lag=0.0, duration=20.0, rate=250.0, lively=False):
    """A two-link arm by formula, with velocities and accelerations as its drives would log them; `lively`: it trembles too."""
    robot = bf.Robot.load("two_link")
    time = np.arange(int(duration * rate)) / rate
    w, size = np.array([[1.9, 4.4], [2.7, 3.6]]), np.array([[0.7, 0.3], [0.6, 0.4]])
    w[:, 1], size[:, 1] = ([27.0, 33.0], 0.04) if lively else (w[:, 1], size[:, 1])

    def at(t):
        angle = t[:, None, None] * w + [[0.3, 1.0], [2.0, 0.1]]
        return ((size * x).sum(axis=2) for x in (np.sin(angle), w * np.cos(angle), -(w**2) * np.sin(angle)))

    draw = np.random.default_rng(0)
    q, v, a = at(time)
    _, late_v, late_a = at(time - lag)
    tau = robot.inverse_dynamics(q, v, a) + 0.3 * v + 0.4 * np.tanh(v / 0.02) + 0.02 * draw.standard_normal(q.shape)
    channels = {"velocity": late_v, "acceleration": late_a, "torque": tau}
    q = q + position_noise * draw.standard_normal(q.shape)
    return bf.Recording(joint_names=robot.joint_names, time=time, position=q, channels=channels), robot


def test_good_velocities_beside_poor_positions_are_taken():
    recording, robot = swing(position_noise=5e-3, lively=True)
    reading = decided(robot, recording, "default")
    choice = reading.tables["kinematics"]
    assert choice.code == "kinematics.logged" and reading.recipe.kinematics == "logged"
    assert choice.gain > 0.03 and choice.gain > 2 * choice.gain_deviation and len(choice.blocks) == 12
    estimates = {how: bf.LeastSquares().fit(robot, recording, recipe=Recipe(kinematics=how)) for how in ("auto", "derived")}
    assert estimates["auto"].recipe.kinematics == "logged"
    clean, _ = swing(lively=True)
    errors = {how: estimate.score(clean).relative for how, estimate in estimates.items()}
    assert errors["auto"] < errors["derived"]


@pytest.mark.parametrize("lag", [0.0, 0.03])
def test_velocities_that_are_no_better_or_late_are_not_taken(lag):
    recording, robot = swing(position_noise=1e-6, lag=lag)
    reading = decided(robot, recording, "default")
    assert reading.tables["kinematics"].chosen == "derived" and reading.recipe.kinematics == "derived"


def test_what_is_asked_for_is_taken():
    recording, robot = swing()
    for how, words in (("logged", "velocity as logged"), ("derived", "Butterworth")):
        samples = bf.prepare(recording, kinematics=how, robot=robot)
        assert any(words in line for line in samples.history)
        assert decided(robot, recording, Recipe(kinematics=how)).recipe.kinematics == how


def rows_of(recording):
    names = ("position", "velocity", "acceleration", "torque")
    return tuple(np.array(recording.get(name)) for name in names)


@pytest.mark.parametrize("clock", ["shuffled", "none"])
def test_rows_in_no_order_are_fitted_as_they_are(clock, tmp_path):
    recording, robot = swing(duration=8.0)
    order = np.random.default_rng(1).permutation(len(recording))
    q, v, a, tau = (x[order] for x in rows_of(recording))
    time = recording.time[order]
    log = bf.Recording(
        joint_names=robot.joint_names, time=time, position=q, velocity=v, channels={"acceleration": a, "torque": tau}
    )
    log.save(tmp_path / "rows.csv")
    if clock == "none":
        lines = (tmp_path / "rows.csv").read_text("utf-8").splitlines()
        (tmp_path / "rows.csv").write_text("\n".join(line.partition(",")[2] for line in lines), "utf-8")
        with pytest.raises(bf.RecordingError) as refused:
            bf.Recording.load(tmp_path / "rows.csv", robot)
        assert "--kinematics logged" in Remedy.of(refused.value.remedy).cli
    else:
        (back,) = bf.check(log, robot).of("back")
        assert "--kinematics logged" in Remedy.of(back.remedy).cli
        with pytest.raises(bf.RecordingError) as refused:
            bf.fit(robot, log, bf.LeastSquares())
        assert "--kinematics logged" in Remedy.of(refused.value.remedy).cli
    table = bf.Recording.load(tmp_path / "rows.csv", robot, ordered=False)
    assert table.clock == "none" and bf.check(table, robot).alarms == ()
    estimate = bf.fit(robot, table, bf.LeastSquares())
    as_arrays = bf.fit(robot, (q, v, a, tau), bf.LeastSquares())
    assert np.allclose(estimate.values, as_arrays.values, rtol=1e-9, atol=1e-12)
    assert estimate.recipe.kinematics == "logged" and estimate.score(table).relative < 0.05


def test_rows_are_checked_against_the_model():
    recording, robot = swing(duration=8.0)
    q, v, a, tau = rows_of(recording)
    table = bf.Recording(
        joint_names=robot.joint_names,
        time=np.arange(len(q)),
        clock="none",
        position=q,
        velocity=v,
        channels={"acceleration": a, "torque": -tau},
    )
    assert "sign_all" in bf.check(table, robot).codes
    assert "degrees" in bf.check(table.with_channel("position", np.degrees(q)), robot).codes


def test_a_log_with_a_clock_is_not_turned_into_rows(tmp_path):
    recording, robot = example()
    recording.save(tmp_path / "log.csv")
    assert bf.Recording.load(tmp_path / "log.csv", robot, ordered=False).clock == "recorded"

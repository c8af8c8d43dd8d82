"""A log whose torque is late, from check to rerun; rows without a clock; and options that every command shares."""

from __future__ import annotations

import json
from dataclasses import fields
from importlib import import_module

import numpy as np
import pytest

import bifilar as bf
from bifilar.cli.log_words import HowSettings, MotionSettings

READ = ("check", "convert", "fit", "validate", "simplify", "gravity", "tare", "calibrate", "track", "view")
MOVE = ("check", "fit", "validate", "simplify", "gravity", "calibrate", "track")


def log(path, seed, *, late=0.0, shuffled=False):
    """Twenty seconds of a two-link arm with friction, heavier than its description, its torque so much late [s]."""
    robot = bf.Robot.load("two_link")
    own = robot.parameters()
    heavy = robot.with_parameters({name: 1.2 * own[name] for name in own.names if name.startswith("link2")})
    draw = np.random.default_rng(seed)
    size, rate, phase = draw.uniform(0.3, 0.6, (2, 3)), draw.uniform(1, 6, (2, 3)), draw.uniform(0, 6, (2, 3))

    def motion(time):
        t = time[:, None, None]
        q = (size * np.sin(rate * t + phase)).sum(-1)
        return q, (size * rate * np.cos(rate * t + phase)).sum(-1), -(size * rate**2 * np.sin(rate * t + phase)).sum(-1)

    time = np.arange(0, 20, 0.005)
    q, v, a = motion(time)
    then = motion(time - late)
    torque = heavy.inverse_dynamics(*then) + [0.2, 0.1] * then[1] + [0.3, 0.15] * np.tanh(then[1] / 0.02)
    torque += draw.normal(size=q.shape) * [0.05, 0.02]
    order = draw.permutation(len(time)) if shuffled else np.arange(len(time))
    channels = {"velocity": v[order], "acceleration": a[order], "torque": torque[order]}
    made = bf.Recording(joint_names=robot.joint_names, time=time[order], position=q[order], channels=channels)
    made.save(path)
    return path


def said(bifilar, *words):
    code, out, err = bifilar(*words, "--json")
    assert out, err
    return code, json.loads(out)


def test_a_late_log_from_check_to_rerun(bifilar, tmp_path):
    log(tmp_path / "train.csv", 1, late=0.03)
    log(tmp_path / "test.csv", 2, late=0.03)
    log(tmp_path / "third.csv", 3, late=0.03)
    _, checked = said(bifilar, "check", "train.csv", "--robot", "two_link")
    (finding,) = [one for one in checked["findings"] if one["code"] == "delay"]
    assert finding["facts"]["delay"] == pytest.approx(0.03, abs=2e-3)
    assert "--log-delay" in finding["typed"]
    code, found = said(bifilar, "fit", "two_link", "train.csv", "--test", "test.csv", "-o", "run")
    delay = found["log_delay"]
    assert (code, delay["code"], found["verdict"]["level"]) == (0, "delay.compensated", "good")
    assert delay["delay"] == pytest.approx(0.03, abs=1e-3) and len(delay["blocks"]) == 12 and delay["deviation"] < 1e-3
    assert found["estimate"]["recipe"]["delay"] == delay["delay"]
    (answered,) = [one for one in found["findings"]["train.csv"] if one["code"] == "delay"]
    assert answered["severity"] == "note"
    code, again = said(bifilar, "rerun", "run")
    assert code == 0 and again["same"]
    code, judged = said(bifilar, "validate", "run", "third.csv")
    assert code == 0 and judged["verdict"]["level"] == "good"
    code, undone = said(bifilar, "validate", "run", "third.csv", "--log-delay", "0")
    assert undone["verdict"]["relative_error"] > 2 * judged["verdict"]["relative_error"]
    assert bifilar("report", "run", "--force")[0] == 0


def test_a_declared_delay_is_taken_as_it_is(bifilar, tmp_path):
    log(tmp_path / "train.csv", 1, late=0.03)
    (tmp_path / "late.toml").write_text("log_delay = 0.03\n", "utf-8")
    (tmp_path / "settings.toml").write_text("[fit]\nlog-delay = 0.03\n", "utf-8")
    for words in (["--log-delay", "0.03"], ["--settings", "settings.toml"]):
        code, found = said(bifilar, "fit", "two_link", "train.csv", "-o", "run", "--force", *words)
        assert code == 0 and found["log_delay"] == {"code": "delay.declared", "delay": 0.03}
        assert found["estimate"]["recipe"]["delay"] == 0.0 and found["verdict"]["level"] == "good"
        assert not [one for one in found["findings"]["train.csv"] if one["code"] == "delay"]
    _, checked = said(bifilar, "check", "train.csv", "--robot", "two_link", "--mapping", "late.toml")
    assert checked["channels"]["torque"]["delay"] == 0.03
    assert "delay" not in [one["code"] for one in checked["findings"]]
    assert bifilar("convert", "train.csv", "moved.csv", "--log-delay", "0.03")[0] == 0
    _, moved = said(bifilar, "check", "moved.csv", "--robot", "two_link")
    assert "delay" not in [one["code"] for one in moved["findings"]]


def test_a_late_log_that_is_fitted_as_it_is_says_so(bifilar, tmp_path):
    log(tmp_path / "train.csv", 1, late=0.03)
    _, kept = said(bifilar, "fit", "two_link", "train.csv", "-o", "run", "--log-delay", "0")
    assert kept["log_delay"] == {"code": "delay.declared", "delay": 0.0}
    assert [one["code"] for one in kept["findings"]["train.csv"]].count("delay") == 1


def test_rows_without_a_clock(bifilar, tmp_path):
    log(tmp_path / "rows.csv", 1, shuffled=True)
    code, sorted_rows = said(bifilar, "fit", "two_link", "rows.csv", "-o", "sorted")  # rows with stamps are put in order
    assert code == 0 and sorted_rows["verdict"]["level"] == "good"
    assert "log.rows_sorted" in {one["code"] for found in sorted_rows["findings"].values() for one in found}
    code, found = said(bifilar, "fit", "two_link", "rows.csv", "--kinematics", "logged", "-o", "run")
    assert code == 0 and found["kinematics"]["code"] == "kinematics.logged"
    assert found["verdict"]["level"] == "good"
    assert said(bifilar, "rerun", "run")[1]["same"]
    assert said(bifilar, "check", "rows.csv", "--robot", "two_link", "--kinematics", "logged")[0] == 0


@pytest.mark.parametrize("verb", READ)
def test_options_of_logs_are_declared_once(verb):
    settings = import_module(f"bifilar.cli.{verb}").Settings
    assert issubclass(settings, MotionSettings if verb in MOVE else HowSettings)
    own = set(vars(settings).get("__annotations__", {}))
    assert not own & {field.name for field in fields(MotionSettings)}

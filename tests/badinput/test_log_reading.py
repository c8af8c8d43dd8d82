"""Delays and kinematics that make no sense: one letter with a way out."""

from __future__ import annotations

import numpy as np
import pytest

import bifilar as bf
from bifilar.cli import main
from bifilar.recording.check import example
from bifilar.recording.recipes import Recipe


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    recording, _ = example()
    recording.save("log.csv")
    order = np.random.default_rng(0).permutation(len(recording))
    rows = {name: np.array(recording.get(name))[order] for name in ("position", "velocity", "torque")}
    bf.Recording(joint_names=recording.joint_names, time=recording.time[order], **rows).save("shuffled.csv")
    bare = bf.Recording(joint_names=recording.joint_names, time=recording.time, **{k: rows[k] for k in ("position", "torque")})
    bare.save("bare.csv")
    (tmp_path / "late.toml").write_text('log_delay = "soon"\n', "utf-8")
    (tmp_path / "far.toml").write_text("log_delay = 3600\n", "utf-8")
    (tmp_path / "settings.toml").write_text('[fit]\nlog-delay = "soon"\n', "utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["check", "log.csv", "--log-delay", "soon"], 2, "soon"),
        (["check", "log.csv", "--log-delay", "nan"], 2, "--log-delay"),
        (["check", "log.csv", "--log-delay", "3600"], 2, "--log-delay"),
        (["convert", "log.csv", "out.csv", "--log-delay", "inf"], 2, "--log-delay"),
        (["fit", "two_link", "log.csv", "--log-delay"], 2, "--log-delay"),
        (["fit", "two_link", "log.csv", "--kinematics", "guessed"], 2, "guessed"),
        (["convert", "log.csv", "out.csv", "--kinematics", "logged"], 2, "--kinematics"),
        (["check", "log.csv", "--mapping", "late.toml"], 3, "log_delay"),
        (["check", "log.csv", "--mapping", "far.toml"], 3, "log_delay"),
        (["fit", "two_link", "log.csv", "--settings", "settings.toml"], 3, "log-delay"),
        (["fit", "two_link", "shuffled.csv", "--kinematics", "logged"], 3, "acceleration"),
        (["fit", "two_link", "bare.csv", "--kinematics", "logged"], 3, "velocity"),
    ],
)
def test_one_letter(folder, capsys, words, code, said):
    before = set(folder.iterdir())
    assert main(words) == code
    assert said in " ".join(capsys.readouterr().err.split())
    assert set(folder.iterdir()) == before


@pytest.mark.parametrize("given", [{"delay": np.nan}, {"delay": np.inf}, {"kinematics": "guessed"}])
def test_a_recipe_is_refused(given):
    with pytest.raises(bf.RecordingError):
        Recipe(**given)


@pytest.mark.parametrize("delay", ["soon", np.nan, 60.0, None, [0.1]])
def test_a_declared_delay_is_refused_or_none(folder, delay):
    if delay is None:
        assert bf.Recording.load("log.csv", log_delay=None).channels["torque"].delay is None
        return
    with pytest.raises(bf.RecordingError):
        bf.Recording.load("log.csv", log_delay=delay)

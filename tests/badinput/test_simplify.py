"""What cannot be simplified is said by the names of parameters and joints."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from swings import swing

import bifilar as bf
from bifilar.cli import main

ROBOT = bf.Robot.load("two_link").with_friction(bf.Viscous() + bf.Coulomb())
RULES = ("contribution", "threshold", "essential", "largest deviation", "spread", "lasso")


def data(seed: int = 0, moving=(1, 1), robot: bf.Robot = ROBOT):
    rng = np.random.default_rng(seed)
    q, v, a = rng.normal(size=(3, 200, 2)) * np.array(moving)
    return q, v, a, robot.inverse_dynamics(q, v, a) + 0.1 * rng.normal(size=q.shape)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(("still", "moving"), [("joint1", (0, 1)), ("joint2", (1, 0))])
def test_a_single_joint_that_moves(rule, still, moving):
    with pytest.raises(bf.SolveError) as letter:
        bf.Simplify(rule=rule).fit(ROBOT, data(moving=moving))
    assert f"{still} hardly moves" in str(letter.value) and f"{still}.viscous" in letter.value.what


def test_data_that_leave_parameters_open():
    """All joints move, at one speed and in one direction: viscous and Coulomb friction cannot be told apart."""
    q = np.random.default_rng(0).uniform(-3, 3, size=(200, 2))
    v, a = np.ones_like(q) * [0.5, 0.7], np.zeros_like(q)
    with pytest.raises(bf.SolveError, match="parameters open, among them") as letter:
        bf.Simplify().fit(ROBOT, (q, v, a, ROBOT.inverse_dynamics(q, v, a)))
    assert "joint2.viscous" in letter.value.what or "joint2.coulomb" in letter.value.what
    assert "hardly move" not in str(letter.value)


def test_a_validation_of_another_robot():
    q, v, a, tau = data(1)
    with pytest.raises(bf.SolveError, match="no model of the fitted recordings explains") as letter:
        bf.Simplify().fit(ROBOT, data(), validate=(q, v, a, -tau))
    assert "joint1" in str(letter.value) and "another robot" in str(letter.value)
    panda = bf.Recording(
        joint_names=("panda_joint1",), time=np.arange(50) * 0.01, position=np.zeros((50, 1)), torque=np.zeros((50, 1))
    )
    with pytest.raises(bf.BifilarError, match="joint1"):
        bf.Simplify().fit(ROBOT, data(), validate=panda)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"rule": "magic"}, "there is no rule 'magic'"),
        ({"stop": "never"}, "there is no stop 'never'"),
        ({"stop": "own"}, "no stop of its own"),
        ({"parts": 1}, "1 segments held out in turn"),
        ({"tolerance": {"elbow": 1.0}}, "'elbow', which is no joint"),
        ({"tolerance": 0.0}, "no positive torque"),
        ({"tolerance": 1e-6}, "keeps the tolerance"),
    ],
)
def test_settings_that_mean_nothing(settings, words):
    with pytest.raises(bf.SolveError, match=words):
        bf.Simplify(**settings).fit(ROBOT, data())


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    home = tmp_path_factory.mktemp("simplify")
    for seed, name in enumerate(("a.csv", "b.csv", "c.csv")):
        swing(home / name, seed, "two_link")
    swing(home / "panda.csv", 4, "panda")
    (home / "mine").mkdir()
    (home / "mine" / "thesis.txt").touch()
    return home


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ("", 2, "no log is named"),
        ("a.csv --rule magic", 2, "magic"),
        ("a.csv --slack -1", 2, "--slack -1 is no share"),
        ("a.csv --slack 0.1 --stop own", 2, "--slack belongs to --stop validation"),
        ("a.csv --judged torque --stop stall", 2, "--judged belongs to --stop validation"),
        ("a.csv --judged torque --tolerance 2", 2, "--judged belongs to --stop validation"),
        ("a.csv --judged power", 2, "power"),
        ("a.csv --tolerance much", 2, "'much' is not a number"),
        ("a.csv --tolerance elbow=1 --test none", 4, "'elbow', which is no joint"),
        ("a.csv --validate a.csv", 2, "fitted"),
        ("a.csv --validate b.csv --test b.csv", 2, "chosen by"),
        ("a.csv --validate panda.csv", 3, "joint1"),
        ("nowhere.csv", 3, "nowhere.csv"),
        ("a.csv --next steps", 2, "logs are named beside --next"),
        ("--next new", 2, "--duration is missing"),
        ("--next mine --duration 5", 3, "thesis.txt"),
        ("--next a.csv --duration 5", 3, "this is a file"),
        ("--next new --duration 5 --lock joint2", 2, "does not say where it is held"),
    ],
)
def test_words_of_the_command(words, code, said, place, monkeypatch, capsys):
    monkeypatch.chdir(place)
    assert main(["simplify", "two_link", *words.split()]) == code
    err = capsys.readouterr().err
    assert said in " ".join(err.split()) and "Traceback" not in err and "try" in err
    assert not Path("new").exists() and not os.path.exists("runs")

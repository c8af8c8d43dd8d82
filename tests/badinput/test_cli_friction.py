"""`--friction` in every command that has it: what is wrong is said with what exists, before any log is read."""

from __future__ import annotations

import pytest

import bifilar as bf
from bifilar.cli import main
from bifilar.robot.friction_text import words

FIT = ("fit", "two_link", "nowhere.csv")
DESIGN = ("design", "two_link", "--duration", "5", "-o", "x.csv")
CALIBRATE = ("calibrate", "two_link", "--free", "nowhere.csv", "--loaded", "nowhere.csv", "--mass", "1")
SIMPLIFY, GRAVITY = ("simplify", "two_link", "nowhere.csv"), ("gravity", "two_link", "nowhere.csv")
EVERY = (FIT, SIMPLIFY, DESIGN, GRAVITY, CALIBRATE)

BAD = [  # what was typed; what must be said; what must be offered
    ("sticky", "there is no friction term 'sticky'", "rotor"),
    ("Stribek:speed=0.05", "there is no friction term 'stribek'", "a misspelling of 'stribeck'"),
    ("", "a friction term is empty", "viscous"),
    ("viscous++coulomb", "a friction term is empty", "viscous"),
    ("usul", "there is no friction term 'usul'", "a misspelling of 'usual'"),
    ("stribeck", "'stribeck' lacks speed", "stribeck:speed=0.05"),
    ("power:width=0.1", "'power:width=0.1' lacks exponent", "power:exponent=0.5"),
    ("stribeck:sped=0.05", "has no setting 'sped'", "speed, width, asymmetric, driven_by"),
    ("rotor:asymmetric", "has no setting 'asymmetric'", "none"),
    ("viscous:width=0.1", "has no setting 'width'", "asymmetric"),
    ("coulomb:width", "width has no value", "coulomb:width=0.01"),
    ("coulomb:width=wide", "'wide' is not a number", "coulomb:width=0.01"),
    ("coulomb:width=-1", "must be a finite positive number or zero", "1e-9"),
    ("coulomb:width=nan", "must be a finite positive number or zero", "1e-9"),
    ("coulomb:width=0.1,width=0.2", "gives width twice", "once"),
    ("position:harmonic=1.5", "'1.5' is not a whole number", "position:harmonic=2"),
    ("position:harmonic=0", "is no count", "1, 2, 3"),
    ("viscous:asymmetric=yes", "asymmetric is on or off", "viscous:asymmetric"),
    ("viscous:", "no setting follows ':'", "viscous"),
    ("viscous@", "no joint follows '@'", "viscous@elbow"),
    ("viscous@joint1,", "a joint's name is empty", "viscous@elbow"),
    ("viscous@%FF", "is no name", "%25"),
]
OF_THE_ROBOT = [
    ("viscous@jiont1", "there is no joint or motor 'jiont1'", "a misspelling of 'joint1'"),
    ("viscous@wrist*", "there is no joint or motor 'wrist*'", "joint1, joint2"),
    ("viscous:driven_by=elbow", "there is no joint or motor 'elbow'", "joint1, joint2"),
    ("viscous+viscous@joint1", "has the column 'joint1.viscous' twice", "`at`"),
]


@pytest.mark.parametrize("text, what, offered", [*BAD, *OF_THE_ROBOT], ids=[row[0] or "empty" for row in (*BAD, *OF_THE_ROBOT)])
@pytest.mark.parametrize("command", EVERY, ids=lambda command: command[0])
def test_a_wrong_text_is_told(command, text, what, offered, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    if command[0] in ("gravity", "calibrate") and text == "":
        pytest.skip("an empty text is the default there")
    assert main([*command, "--friction", text]) == 2
    out, err = capsys.readouterr()
    told = " ".join(err.split())
    assert out == "" and what in told and offered in told
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", (DESIGN, GRAVITY, CALIBRATE), ids=lambda command: command[0])
def test_nothing_is_chosen_where_nothing_is_fitted(command, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main([*command, "--friction", "choose"]) == 2
    assert "no evidence to choose by" in capsys.readouterr().err


def test_terms_that_are_not_known_are_told_with_all_that_are(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main([*FIT, "--friction", "gluon"]) == 2
    told = " ".join(capsys.readouterr().err.split())
    assert ", ".join(words()) in told and "choose, usual, none" in told


PLAYED = [
    (["sticky"], "has no value", "typical"),
    (["choose"], "has no value", "numbers"),
    (["sticky=1"], "there is no friction term 'sticky'", "rotor"),
    (["stribeck=0.3"], "'stribeck' lacks speed", "stribeck:speed=0.05=0.3"),
    (["viscous=much"], "'much' is not a number", "viscous=0.5"),
    (["joint9.viscous=1"], "no joint 'joint9'", "joint1"),
    (["viscous@joint9=1"], "no joint or motor 'joint9'", "joint1"),
    (["viscous=1/2"], "2 values for viscous@joint1, which has 1", "viscous=0.5"),
    (["position=1/2/3"], "3 values for", "joint1.position_sin1, joint1.position_cos1"),
]


@pytest.mark.parametrize("given, what, offered", PLAYED, ids=[" ".join(row[0]) for row in PLAYED])
@pytest.mark.parametrize("verb", ("simulate", "control"))
def test_a_wrong_value_is_told(verb, given, what, offered, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    bf.save_motion(tmp_path / "move.csv", bf.quintic(("joint1", "joint2"), [[0.0, 0.0], [0.5, 0.5]], [0.0, 1.0]).sample(50))
    assert main([verb, "two_link", "move.csv", "-o", "x.csv" if verb == "simulate" else "x.html", "--friction", *given]) == 2
    out, err = capsys.readouterr()
    told = " ".join(err.split())
    assert out == "" and what in told and offered in told

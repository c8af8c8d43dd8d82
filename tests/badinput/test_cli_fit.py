"""What is wrong with the words of fit, validate, rerun and demo is said in one letter with a way out, never in a traceback."""

from __future__ import annotations

import base64
import os

import pytest
from swings import swing

from bifilar.cli import main

PICTURE = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==")


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """Good logs, bad logs, a run, and things that are neither."""
    home = tmp_path_factory.mktemp("bad")
    before = os.getcwd()
    os.chdir(home)
    swing("a.csv", 1)
    swing("b.csv", 2)
    swing("arm.csv", 3, "two_link")
    swing("panda.csv", 4, "panda")
    (home / "picture.png").write_bytes(PICTURE)
    (home / "picture.csv").write_bytes(PICTURE)
    (home / "empty.csv").touch()
    (home / "empty.urdf").touch()
    (home / "words.csv").write_text("dear diary,\nnothing moved today\n")
    (home / "folder").mkdir()
    (home / "folder" / "thesis.txt").touch()
    (home / "broken").mkdir()
    (home / "broken" / "run.json").write_text("{")
    (home / "old").mkdir()
    (home / "old" / "run.json").write_text('{"format": "bifilar run 1", "settings": {}, "inputs": [{}]}')
    assert main(["fit", "pendulum", "a.csv", "--test", "none", "--no-page", "-o", "run"]) == 0
    os.chdir(before)
    return home


FIT = [
    (["fit"], 2, ""),
    (["fit", "pendulum"], 2, "no log is named"),
    (["fit", "pendulum", "nowhere.csv"], 3, "nowhere.csv"),
    (["fit", "nowhere.urdf", "a.csv"], 3, "no such file"),
    (["fit", "pendulm", "a.csv"], 3, "pendulum"),
    (["fit", "pendulum", "folder"], 3, "folder"),
    (["fit", "folder", "a.csv"], 3, "folder"),
    (["fit", "pendulum", "picture.png"], 3, "picture"),
    (["fit", "pendulum", "picture.csv"], 3, "picture"),
    (["fit", "picture.png", "a.csv"], 3, "not read as a robot"),
    (["fit", "pendulum", "empty.csv"], 3, "empty"),
    (["fit", "empty.urdf", "a.csv"], 3, "empty.urdf"),
    (["fit", "pendulum", "words.csv"], 3, "words.csv"),
    (["fit", "a.csv", "pendulum"], 2, "bifilar fit pendulum a.csv"),  # in the wrong order
    (["fit", "pendulum", "arm.csv"], 3, "joint2"),
    (["fit", "two_link", "a.csv"], 3, "joint2"),
    (["fit", "kuka_lwr4", "panda.csv"], 3, "panda.csv"),
    (["fit", "pendulum", "a.csv", "--cutoff", "abc"], 2, "UsageError: --cutoff 'abc' is not a number"),
    (["fit", "pendulum", "nowhere.csv", "--friction", "vicous"], 2, "a misspelling of 'viscous'"),  # before any log is read
    (["fit", "pendulum", "nowhere.csv", "--friction", "chose"], 2, "a misspelling of 'choose'"),
    (["simplify", "pendulum", "nowhere.csv", "--friction", "vicous"], 2, "a misspelling of 'viscous'"),
    (["fit", "pendulum", "a.csv", "--test", "a.csv"], 2, "holds samples that are fitted"),
    (["fit", "pendulum", "a.csv", "--test", "none", "b.csv"], 2, "stands alone"),
    (["fit", "pendulum", "a.csv", "--test", "nowhere.csv"], 3, "nowhere.csv"),
    (["fit", "pendulum", "a.csv", "a.csv"], 2, "named twice"),
    (["fit", "pendulum", "a.csv", "--wrong"], 2, "--wrong"),
    (["fit", "pendulum", "a.csv", "--method", "magic"], 2, "magic"),
    (["fit", "pendulum", "a.csv", "--friction", "gluon"], 2, "gluon"),
    (["fit", "pendulum", "a.csv", "--cutoff", "-3"], 2, "--cutoff"),
    (["fit", "pendulum", "a.csv", "--cutoff", "nan"], 2, "--cutoff"),
    (["fit", "pendulum", "a.csv", "--prior", "0"], 2, "--prior"),
    (["fit", "pendulum", "a.csv", "--total-mass", "0"], 2, "--total-mass"),
    (["fit", "pendulum", "a.csv", "--total-mass", "3", "-1"], 2, "--total-mass"),
    (["fit", "pendulum", "a.csv", "--total-mass", "3", "1", "2"], 2, "--total-mass"),
    (["fit", "pendulum", "a.csv", "--total-mass", "3", "--method", "least-squares"], 2, "--total-mass"),
    (["fit", "pendulum", "a.csv", "--rate", "-5"], 2, "--rate"),
    (["fit", "pendulum", "a.csv", "--lock", "elbow"], 3, "elbow"),
    (["fit", "pendulum", "a.csv", "--unit", "torque=pints"], 3, "pints"),
    (["fit", "pendulum", "a.csv", "--sign", "elbow=-1"], 3, "elbow"),
    (["fit", "pendulum", "a.csv", "--mapping", "nowhere.toml"], 3, "nowhere.toml"),
    (["fit", "pendulum", "a.csv", "-o", "folder"], 3, "thesis.txt"),
    (["fit", "pendulum", "a.csv", "-o", "folder", "--force"], 3, "thesis.txt"),
    (["fit", "pendulum", "a.csv", "-o", "run"], 3, "--force"),
    (["fit", "pendulum", "a.csv", "-o", "b.csv", "--force"], 3, "a file"),
    (["fit", "pendulum", "a.csv", "-o", "b.csv/run"], 5, "a file"),
]
OTHERS = [
    (["validate"], 2, ""),
    (["validate", "run"], 2, "no log is named"),
    (["validate", "nowhere", "b.csv"], 3, "no run here"),
    (["validate", "b.csv", "run"], 2, "bifilar validate run b.csv"),
    (["simulate", "a.csv", "pendulum", "-o", "x.csv"], 2, "bifilar simulate pendulum a.csv -o x.csv"),
    (["check", "pendulum", "a.csv"], 2, "bifilar check a.csv --robot pendulum"),
    (["validate", "folder", "b.csv"], 3, "no run here"),
    (["validate", "broken", "b.csv"], 3, "cannot be read"),
    (["validate", "old", "b.csv"], 3, "cannot be read"),
    (["validate", "run", "nowhere.csv"], 3, "nowhere.csv"),
    (["validate", "run", "folder"], 3, "folder"),
    (["validate", "run", "picture.png"], 3, "picture"),
    (["validate", "run", "empty.csv"], 3, "empty"),
    (["validate", "run", "arm.csv"], 3, "joint2"),
    (["validate", "run", "a.csv"], 2, "was fitted"),
    (["validate", "run", "b.csv", "--wrong"], 2, "--wrong"),
    (["validate", "run", "b.csv", "--good", "nan"], 2, "--good nan is no number to ask for"),
    (["validate", "run", "b.csv", "--good", "0"], 2, "--good 0 is not above 0"),
    (["validate", "run", "b.csv", "--usable", "-1"], 2, "--usable -1 is not above 0"),
    (["validate", "run", "b.csv", "--usable", "inf"], 2, "--usable inf is no number to ask for"),
    (["validate", "run", "b.csv", "--usable", "0.01"], 2, "--usable 0.01 asks for more than --good 0.05"),
    (["validate", "run", "b.csv", "--over-noise", "-2"], 2, "--over-noise -2 is not above 0"),
    (["validate", "run", "b.csv", "--over-noise", "loud"], 2, "loud"),
    (["validate", "run", "b.csv", "--worse", "0"], 2, "--worse 0 is not above 0"),
    (["validate", "run", "b.csv", "--worse", "nan"], 2, "--worse nan is no number to ask for"),
    (["validate", "run", "b.csv", "--negligible", "-0.1"], 2, "--negligible -0.1 is below 0"),
    (["validate", "run", "b.csv", "--negligible", "nan"], 2, "--negligible nan is no number to ask for"),
    (["validate", "run", "b.csv", "--least-eigenvalue", "-1e-3"], 2, "--least-eigenvalue -0.001 is below 0"),
    (["validate", "run", "b.csv", "--least-eigenvalue", "inf"], 2, "--least-eigenvalue inf is no number to ask for"),
    (["validate", "run", "b.csv", "--score-cutoff", "0"], 2, "--score-cutoff 0 is not above 0"),
    (["rerun"], 2, ""),
    (["rerun", "nowhere"], 3, "no run here"),
    (["rerun", "a.csv"], 3, "no run here"),
    (["rerun", "folder"], 3, "no run here"),
    (["rerun", "picture.png"], 3, "no run here"),
    (["rerun", "broken"], 3, "cannot be read"),
    (["rerun", "old"], 3, "cannot be read"),
    (["rerun", "run", "-o", "folder"], 3, "thesis.txt"),
    (["rerun", "run", "-o", "b.csv"], 3, "a file"),
    (["rerun", "run", "--wrong"], 2, "--wrong"),
    (["demo", "--wrong"], 2, "--wrong"),
    (["demo", "-o", "b.csv"], 3, "a file"),
    (["demo", "-o", "folder"], 3, "thesis.txt"),
    (["demo", "-o", "b.csv/demo"], 5, "a file"),
    (["demo", "--duration", "-1"], 2, "--duration"),
    (["demo", "--duration", "nan"], 2, "--duration"),
    (["demo", "--duration", "long"], 2, "long"),
    (["demo", "--unlike", "7"], 2, "--unlike"),
]


@pytest.mark.parametrize(
    ("words", "code", "said"), [*FIT, *OTHERS], ids=lambda value: None if isinstance(value, int) else str(value)
)
def test_one_letter_and_the_right_code(place, monkeypatch, capsys, words, code, said):
    monkeypatch.chdir(place)
    before = sorted(str(path) for path in place.rglob("*"))
    assert main(words) == code
    out, err = capsys.readouterr()
    assert out == "" and said in err and "Traceback" not in err and "InternalError" not in err
    assert len([line for line in err.splitlines() if "Error:" in line]) == 1
    assert "  try  " in err
    assert sorted(str(path) for path in place.rglob("*")) == before  # nothing is left behind

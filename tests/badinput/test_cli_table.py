"""Every command x everything that can be wrong with what it is given: one letter, the right code, nothing changed.

Rows are the places of a command where a file is named, columns what is there instead: nothing, a folder, a picture, an empty
file, a file that may not be read, a loop of links, words, another robot's log. Options that do not exist, options with nothing
behind them, and files of settings that are none.
"""

from __future__ import annotations

import base64
import json
import os
from pathlib import Path

import pytest
from processes import as_anybody
from swings import swing

import bifilar as bf
from bifilar.cli import VERBS, main

PICTURE = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==")

# A command's words with one file named {}, and the ending that such a file has. Codes other than 3 stand in CODES below.
PLACES = [
    (["inspect", "{}"], ".urdf"),
    (["design", "{}", "--duration", "5", "-o", "x.csv"], ".urdf"),
    (["design", "pendulum", "--duration", "5", "-o", "x.csv", "--limits", "{}"], ".toml"),
    (["design", "pendulum", "--duration", "5", "-o", "x.csv", "--after", "{}"], ".csv"),
    (["simulate", "{}", "move.csv", "-o", "x.csv"], ".urdf"),
    (["simulate", "pendulum", "{}", "-o", "x.csv"], ".csv"),
    (["simulate", "pendulum", "move.csv", "-o", "x.csv", "--limits", "{}"], ".toml"),
    (["control", "{}", "move.csv", "--no-page"], ".urdf"),
    (["control", "pendulum", "{}", "--no-page"], ".csv"),
    (["control", "pendulum", "{}", "--no-page"], ".toml"),
    (["control", "pendulum", "move.csv", "--no-page", "--model", "{}"], ".urdf"),
    (["check", "{}"], ".csv"),
    (["check", "a.csv", "--robot", "{}"], ".urdf"),
    (["check", "a.csv", "--mapping", "{}"], ".toml"),
    (["fit", "{}", "a.csv"], ".urdf"),
    (["fit", "pendulum", "{}"], ".csv"),
    (["fit", "pendulum", "a.csv", "--test", "{}"], ".csv"),
    (["fit", "pendulum", "a.csv", "--mapping", "{}"], ".toml"),
    (["validate", "{}", "b.csv"], ".run"),
    (["validate", "run", "{}"], ".csv"),
    (["export", "{}", "-o", "x.urdf"], ".urdf"),
    (["report", "{}"], ".run"),
    (["compare", "{}", "run", "--no-page"], ".run"),
    (["compare", "run", "{}", "--no-page"], ".run"),
    (["rerun", "{}"], ".run"),
    (["gravity", "{}", "a.csv"], ".urdf"),
    (["gravity", "pendulum", "{}"], ".csv"),
    (["payload", "{}", "b.csv"], ".run"),
    (["payload", "run", "{}"], ".csv"),
    (["tare", "{}"], ".csv"),
    (["calibrate", "{}", "--free", "a.csv", "--loaded", "b.csv", "--mass", "1"], ".urdf"),
    (["calibrate", "pendulum", "--free", "{}", "--loaded", "b.csv", "--mass", "1"], ".csv"),
    (["calibrate", "pendulum", "--free", "a.csv", "--loaded", "{}", "--mass", "1"], ".csv"),
    (["reproduce", "{}"], ".csv"),
    (["track", "{}", "a.csv"], ".urdf"),
    (["track", "pendulum", "{}"], ".csv"),
    (["walk", "simulate", "{}", "-o", "x.csv"], ".urdf"),
    (["walk", "simulate", "walker3", "-o", "x.csv", "--sensors", "{}"], ".toml"),
    (["walk", "fit", "walker3", "{}", "--sensors", "imu"], ".csv"),
    (["walk", "track", "walker3", "{}", "--sensors", "imu"], ".csv"),
    (["walk", "track", "walker3", "a.csv", "--sensors", "imu", "--fitted", "{}"], ".csv"),
    (["view", "{}", "--no-browser"], ".urdf"),
    (["view", "pendulum", "{}", "--no-browser"], ".csv"),
    (["convert", "{}", "x.npz"], ".csv"),
    (["convert", "a.csv", "x.npz", "--robot", "{}"], ".urdf"),
    (["convert", "a.csv", "x.npz", "--mapping", "{}"], ".toml"),
    (["benchmark-methods", "{}"], ".urdf"),
    (["datasets", "{}"], ".csv"),
    (["completion", "{}"], ".csv"),
    (["schema", "{}"], ".csv"),
    *(([verb, "--settings", "{}"], ".toml") for verb in VERBS),
]
THINGS = ("missing", "folder", "picture", "empty", "unreadable", "loop", "words")
CODES = {"completion": 2, "reproduce": 2, "schema": 2}  # names of shells, papers and commands are words, not files
MAY_BE_EMPTY = ("--settings", "--mapping", "--limits")  # such a file says nothing, and is right
LEAST = {  # enough words for a command to be understood, but for what is wrong
    "demo": [],
    "inspect": ["pendulum"],
    "design": ["pendulum", "--duration", "5", "-o", "x.csv"],
    "simulate": ["pendulum", "move.csv", "-o", "x.csv"],
    "control": ["pendulum", "move.csv", "--no-page"],
    "check": ["a.csv"],
    "fit": ["pendulum", "a.csv"],
    "validate": ["run", "b.csv"],
    "export": ["pendulum", "-o", "x.urdf"],
    "report": ["run"],
    "rerun": ["run"],
    "compare": ["run", "run"],
    "gravity": ["pendulum", "a.csv"],
    "payload": ["run", "b.csv"],
    "tare": ["a.csv"],
    "calibrate": ["pendulum", "--free", "a.csv", "--loaded", "b.csv", "--mass", "1"],
    "track": ["pendulum", "a.csv"],
    "walk": ["simulate", "leg", "-o", "x.csv"],
    "reproduce": ["joukov2015"],
    "view": ["pendulum"],
    "convert": ["a.csv", "x.npz"],
    "benchmark-methods": ["pendulum"],
    "datasets": [],
    "doctor": [],
    "schema": [],
    "completion": ["bash"],
}
OTHER_LOGS = [  # another robot's log
    (["check", "arm.csv", "--robot", "pendulum"], 1),
    (["check", "panda.csv", "--robot", "kuka_lwr4"], 1),
    (["fit", "pendulum", "arm.csv"], 3),
    (["fit", "two_link", "a.csv"], 3),
    (["fit", "kuka_lwr4", "panda.csv"], 3),
    (["fit", "pendulum", "a.csv", "--test", "arm.csv"], 3),
    (["validate", "run", "arm.csv"], 3),
    (["payload", "run", "arm.csv"], 3),
    (["simulate", "two_link", "move.csv", "-o", "x.csv"], 3),
    (["control", "two_link", "move.csv", "--no-page"], 3),
    (["design", "two_link", "--duration", "5", "-o", "x.csv", "--after", "move.csv"], 3),
]


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """Good logs, a motion and a run; and beside them what is none of these, under every ending that is asked for."""
    home = tmp_path_factory.mktemp("table")
    for seed, (name, robot) in enumerate((("a", "pendulum"), ("b", "pendulum"), ("arm", "two_link"), ("panda", "panda"))):
        swing(home / f"{name}.csv", seed, robot, seconds=6.0)
    bf.save_motion(home / "move.csv", bf.quintic(["joint1"], [[0.0], [1.0]], [0.0, 2.0]).sample(100))
    for ending in (".urdf", ".csv", ".toml", ".run"):
        (home / f"folder{ending}").mkdir()
        (home / f"folder{ending}" / "thesis.txt").touch()
        (home / f"picture{ending}").write_bytes(PICTURE)
        (home / f"empty{ending}").touch()
        (home / f"words{ending}").write_text("dear diary,\nnothing moved today\n")
        (home / f"unreadable{ending}").write_text("secret")
        (home / f"unreadable{ending}").chmod(0)
        (home / f"loop{ending}").symlink_to(f"loop{ending}")
    before = os.getcwd()
    os.chdir(home)
    assert main(["fit", "pendulum", "a.csv", "--test", "none", "--no-page", "-o", "run"]) == 0
    os.chdir(before)
    return home


def told(place: Path, words: list[str], code: int, capsys: pytest.CaptureFixture[str]) -> str:
    """The letter; it is one, has the right code, and nothing in the folder changed."""
    before = sorted(str(path) for path in place.rglob("*"))
    found = main(words)
    out, err = capsys.readouterr()
    assert "Traceback" not in err and "InternalError" not in err and found == code, f"{words}: {found}, not {code}\n{out}{err}"
    if code != 1:
        assert out == "" and len([line for line in err.splitlines() if "Error: " in line]) == 1, err
    assert sorted(str(path) for path in place.rglob("*")) == before
    return err


def needed(words: list[str]) -> None:
    if words[0] == "view":
        pytest.importorskip("viser", reason="bifilar view needs viser")


@pytest.mark.parametrize("thing", THINGS)
@pytest.mark.parametrize(("words", "ending"), PLACES, ids=[" ".join(words) for words, _ in PLACES])
def test_what_is_named_is_not_what_it_should_be(place, monkeypatch, capsys, words, ending, thing):
    if thing == "empty" and words[-2] in MAY_BE_EMPTY:
        return
    needed(words)
    monkeypatch.chdir(place)
    name = f"{thing}{ending}"
    code = 3 if "--settings" in words else CODES.get(words[0], 3)
    full = [word.replace("{}", name) for word in words]
    if thing != "unreadable":
        err = told(place, full, code, capsys)
    else:
        main(full)  # loads what is loaded later, as root may
        capsys.readouterr()
        with as_anybody(place):
            err = told(place, full, code, capsys)
    assert thing in err and "  try  " in err, err


@pytest.mark.parametrize(("words", "code"), OTHER_LOGS, ids=[" ".join(words) for words, _ in OTHER_LOGS])
def test_another_robot_s_log(place, monkeypatch, capsys, words, code):
    needed(words)
    monkeypatch.chdir(place)
    told(place, words, code, capsys)


@pytest.mark.parametrize("verb", VERBS)
def test_options_that_are_none(place, monkeypatch, capsys, verb):
    monkeypatch.chdir(place)
    if verb not in LEAST:  # a new command: what it needs is missing, that is wrong enough
        told(place, [verb, "--wrong"], 2, capsys)
        return
    least = LEAST[verb]
    assert "--wrong" in told(place, [verb, *least, "--wrong"], 2, capsys)
    assert "--settings" in told(place, [verb, *least, "--settings"], 2, capsys)
    assert main([verb, *least, "--wrong", "--json"]) == 2
    out, err = capsys.readouterr()
    assert err == "" and json.loads(out)["error"]["exit_code"] == 2
    if least and verb != "benchmark-methods":
        told(place, [verb], 2, capsys)

"""What holds for every command: settings from a file, help, JSON, results on stdout, bars on stderr, what comes next."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import bifilar as bf
from bifilar.cli import VERBS, main
from bifilar.cli.completion import verbs
from bifilar.cli.fit import Settings
from bifilar.cli.progress import steps
from bifilar.cli.settings import parse

DATASET = "sarcos"
RUNS = {  # a small run of every command that needs no more than a log; the others have their own tests
    "inspect": ["pendulum"],
    "design": ["pendulum", "--duration", "4", "--starts", "1", "--no-page", "--force", "-o", "excite.csv"],
    "simulate": ["pendulum", "move.csv", "--no-page", "--force", "-o", "sim.csv"],
    "check": ["a.csv", "--robot", "pendulum"],
    "fit": ["pendulum", "a.csv", "--test", "b.csv", "--no-page", "--force", "-o", "run"],
    "validate": ["run", "b.csv"],
    "export": ["run", "--force", "-o", "out.urdf"],
    "report": ["run", "--force", "-o", "page.html"],
    "compare": ["run", "run2", "--no-page"],
    "rerun": ["run"],
    "gravity": ["pendulum", "a.csv", "--moving"],
    "payload": ["arm", "heavy.csv"],
    "control": ["pendulum", "move.csv", "--no-page"],
    "track": ["pendulum", "a.csv", "--no-page", "--force", "-o", "track.csv"],
    "walk": ["simulate", "leg", "--seconds", "2", "--no-page", "--force", "-o", "leg_swing.csv"],
    "convert": ["a.csv", "copy.npz", "--force"],
    "benchmark-methods": ["pendulum", "--methods", "weighted", "--noise", "1e-5:0.001", "--starts", "1", "--duration", "3"],
    "datasets": [],
    "doctor": [],
    "schema": [],
    "completion": ["bash"],
}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    home = tmp_path_factory.mktemp("every verb")  # a name with a space in it
    robot = bf.Robot.load("pendulum").with_friction(bf.Viscous() + bf.Coulomb(), {"joint1.viscous": 0.1, "joint1.coulomb": 0.2})
    time = np.arange(0, 8, 0.01)
    for seed, name in enumerate(("a", "b")):
        rng = np.random.default_rng(seed)
        rate, phase = rng.uniform(1, 3, 3), rng.uniform(0, 6, 3)
        turns = np.outer(time, rate) + phase
        q, v, a = (x.sum(axis=1)[:, None] for x in (np.sin(turns), rate * np.cos(turns), -(rate**2) * np.sin(turns)))
        torque = robot.inverse_dynamics(q, v, a) + 0.01 * rng.normal(size=q.shape)
        bf.Recording(joint_names=("joint1",), time=time, position=q, torque=torque).save(home / f"{name}.csv")
    bf.save_motion(home / "move.csv", bf.quintic(["joint1"], [[0.0], [1.0]], [0.0, 2.0]).sample(100))
    arm = bf.Robot.load("two_link")
    for seed, name in enumerate(("free", "heavy")):
        rng = np.random.default_rng(10 + seed)
        rate, phase = rng.uniform(1, 3, (2, 3, 2))
        turns = time[:, None, None] * rate + phase
        q, v, a = (0.8 * x.sum(axis=1) for x in (np.sin(turns), rate * np.cos(turns), -(rate**2) * np.sin(turns)))
        load = bf.Inertia.from_center_of_mass(0.5, [0.2, 0, 0], 1e-3 * np.eye(3))
        machine = arm if name == "free" else arm.with_payload("link2", load)
        torque = machine.inverse_dynamics(q, v, a) + 0.01 * rng.normal(size=q.shape)
        bf.Recording(joint_names=arm.joint_names, time=time, position=q, torque=torque).save(home / f"{name}.csv")
    before = os.getcwd()
    os.chdir(home)
    assert main(["fit", "two_link", "free.csv", "--no-page", "-o", "arm"]) == 0
    for name in ("run", "run2"):
        assert main(["fit", "pendulum", "a.csv", "--test", "b.csv", "--no-page", "-o", name]) == 0
    os.chdir(before)
    return home


@pytest.fixture
def bifilar(place, monkeypatch, capsys):
    monkeypatch.chdir(place)
    monkeypatch.setenv("COLUMNS", "120")
    capsys.readouterr()

    def run(*words: str) -> tuple[int, str, str]:
        code = main(words)
        out, err = capsys.readouterr()
        return code, out, err

    return run


@pytest.mark.parametrize("verb", RUNS)
def test_results_on_stdout_and_the_next_command_last(bifilar, verb):
    code, out, err = bifilar(verb, *RUNS[verb])
    assert code == 0 and err == "", err
    last = [line for line in out.splitlines() if line.strip()][-1]
    assert re.match(r"(# )?next +(bifilar |open )", last), last
    again = re.search(r"next +bifilar (\S+)", last)
    assert again is None or again[1] in VERBS
    assert "\x1b" not in out


@pytest.mark.parametrize("verb", VERBS)
def test_help_opens_with_an_example_and_names_what_holds_everywhere(bifilar, verb):
    code, out, err = bifilar(verb, "--help")
    assert code == 0 and err == "" and out.lstrip().startswith(f"bifilar {verb}")
    assert "--json" in out and "--settings FILE" in out


@pytest.mark.parametrize("verb", RUNS)
def test_settings_from_a_file_and_json_is_one_object(bifilar, place, verb):
    (place / "every.toml").write_text("json = true\n")
    code, out, err = bifilar(verb, *RUNS[verb], "--settings", "every.toml")
    assert code == 0 and err == "" and isinstance(json.loads(out), dict)
    (place / "wrong.toml").write_text("jsn = true\n")
    code, out, err = bifilar(verb, *RUNS[verb], "--settings", "wrong.toml")
    assert code == 3 and out == "" and "a misspelling of 'json'" in err and "wrong.toml" in err


def test_what_is_typed_wins_and_what_was_used_is_kept(bifilar, place):
    text = 'robot = "pendulum"\nlogs = "a.csv"\n[fit]\ncutoff = 9\ntest = ["b.csv"]\nforce = true\nno-page = true\n'
    (place / "fit.toml").write_text(text + "[check]\nfull = true\n")
    code, out, err = bifilar("fit", "--settings", "fit.toml", "--cutoff", "7", "-o", "from_file", "--json")
    assert code == 0 and err == ""
    used = json.loads((place / "from_file" / "run.json").read_text("utf-8"))["settings"]
    assert (used["robot"], used["logs"], used["test"], used["cutoff"]) == ("pendulum", ["a.csv"], ["b.csv"], 7.0)
    assert used["force"] and used["no_page"]
    code, _, err = bifilar("fit", "--settings", "fit.toml", "--no-force", "-o", "from_file")
    assert code == 3 and "exists already" in err
    assert bifilar("rerun", "from_file")[0] == 0


WRONG = [
    ("cutoff = true", "is not a number"),
    ('cutoff = "8"', "is not a number"),
    ("force = 1", "true or false"),
    ("lock = [1]", "a text in quotes"),
    ('method = "magic"', "consistent, least-squares"),
    ("cutoff = ", "fit.toml:1"),
    ("[fit.deep]\nx = 1", "'deep'"),
    ("[chek]\nfull = true", "'check'"),
    ("settings = 'other.toml'", "no setting 'settings'"),
]


@pytest.mark.parametrize(("text", "said"), WRONG, ids=[text for text, _ in WRONG])
def test_settings_that_are_wrong(bifilar, place, text, said):
    (place / "fit.toml").write_text(text)
    code, out, err = bifilar("fit", "pendulum", "a.csv", "--settings", "fit.toml")
    assert code == 3 and out == "" and said in " ".join(err.split()) and "fit.toml" in err


def test_every_setting_of_a_fit_can_be_in_a_file(place, monkeypatch):
    monkeypatch.chdir(place)
    from bifilar.cli import fit

    text = """robot = "arm.urdf"\nlogs = ["a.csv", "b.csv"]\ntest = "c.csv"\nmethod = "least-squares"\nfriction = "choose"
    cutoff = 8\nscore-cutoff = 8.5\nprior = 0.1\nlock = ["finger*"]\nmapping = "m.toml"\nsign = ["elbow=-1"]
    unit = "position=deg"\nrate = 500\nby_position = true
    output = "runs/x"\nanyway = true\nno_page = true\nforce = true\njson = true"""
    (place / "all.toml").write_text(text)
    given = parse(fit, "fit", ["--settings", "all.toml"])
    expected = {"robot": "arm.urdf", "logs": ("a.csv", "b.csv"), "test": ("c.csv",), "method": "least-squares", "rate": 500.0}
    expected |= {"friction": "choose", "cutoff": 8.0, "score_cutoff": 8.5, "prior": 0.1, "lock": ("finger*",), "json": True}
    expected |= {"mapping": "m.toml", "sign": ("elbow=-1",), "unit": ("position=deg",), "by_position": True, "force": True}
    assert given == Settings(**expected, output="runs/x", anyway=True, no_page=True)


class Terminal:
    """A stderr that says it is a terminal."""

    def __init__(self) -> None:
        self.text = ""

    def write(self, text: str) -> int:
        self.text += text
        return len(text)

    def flush(self) -> None:
        pass

    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        raise OSError


def test_a_bar_where_a_person_watches_and_nowhere_else(bifilar, monkeypatch):
    terminal = Terminal()
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", terminal)
    code, out, _ = bifilar(*["fit", *RUNS["fit"]])
    assert code == 0 and "━" not in out and "verdict" in out
    for step in ("reading a.csv", "checking b.csv", "fitting", "judging", "writing"):
        assert step in terminal.text
    assert terminal.text.rstrip().endswith("\x1b[2K")  # the bar is gone at the end
    monkeypatch.setenv("TERM", "dumb")
    terminal.text = ""
    with steps(3) as tell:
        tell("reading")
    assert terminal.text == ""


def test_completion_knows_every_command_and_option(bifilar):
    for shell in ("bash", "zsh", "fish"):
        code, out, err = bifilar("completion", shell)
        assert code == 0 and err == "" and all(verb in out for verb in VERBS)
        assert all(option.word[2:] in out for verb in verbs() for option in verb.options)
    code, _, err = bifilar("completion", "csh")
    assert code == 2 and "csh" in err


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not here")
def test_bash_completes(bifilar, place):
    Path(place, "bifilar.sh").write_text(bifilar("completion", "bash")[1])
    cases = {
        "bifilar ins": "inspect",
        "bifilar fit --meth": "--method",
        "bifilar fit --method l": "least-squares",
        "bifilar inspect pendu": "pendulum",
        "bifilar completion f": "fish",
        "bifilar schema benchm": "benchmark-methods",
        "bifilar check copy": "copy.npz",
    }
    Path(place, "copy.npz").touch()
    for line, expected in cases.items():
        words = " ".join(f"'{word}'" for word in line.split())
        ask = f'source bifilar.sh; COMP_WORDS=({words}); COMP_CWORD={len(line.split()) - 1}; _bifilar; echo "${{COMPREPLY[*]}}"'
        run = subprocess.run(["bash", "-c", ask], cwd=place, capture_output=True, text=True)
        assert expected in run.stdout.split() and run.stderr == "", line


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_read_their_script(bifilar, place, shell):
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not here")
    Path(place, f"bifilar.{shell}").write_text(bifilar("completion", shell)[1])
    assert subprocess.run([shell, "-n", f"bifilar.{shell}"], cwd=place).returncode == 0

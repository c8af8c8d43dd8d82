"""Wrong words, wrong files, full disks, readers that leave: one message, the right code, never a traceback."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bifilar.cli import doctor, main
from bifilar.cli.guard import guarded
from bifilar.cli.self_test import Check
from bifilar.errors import SolveError

ROOT = Path(__file__).resolve().parents[2]
PICTURE = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"

WORDS = [
    ([], 2, "bifilar inspect panda"),
    (["inspct", "panda"], 2, "a misspelling of 'inspect'"),
    (["panda"], 2, "bifilar inspect panda"),
    (["arm.urdf"], 2, "'inspect' was left out"),
    (["--nope"], 2, "there is no option '--nope'"),
    (["inspect"], 2, "ROBOT"),
    (["inspect", "panda", "wam"], 2, "wam"),
    (["inspect", "panda", "ur10e"], 2, "one robot at a time"),
    (["inspect", "panda", "--lock"], 2, "--lock is followed by nothing"),
    (["inspect", "panda", "--lock", "--full"], 2, "--lock is followed by nothing"),
    (["inspect", "PANDA"], 3, "a misspelling of 'panda'"),
    (["PANDA"], 2, "bifilar inspect panda"),
    (["inspect", "panda", "--jsn"], 2, "--json"),
    (["inspect", "panda", "--rows", "feet"], 2, "--rows 'feet' is not one of "),
    (["inspect", "panda", "--gravity", "0", "0"], 2, "--gravity takes three numbers, not 2"),
    (["inspect", "panda", "--gravity", "0", "0", "down"], 2, "--gravity"),
    (["inspect", "panda", "--gravity", "0", "0", "nan"], 3, "three finite numbers"),
    (["inspect", "panda", "--lock", "joint9"], 3, "has no moving joint 'joint9'"),
    (["inspect", "pandda"], 3, "a misspelling of 'panda'"),
    (["inspect", "nothing_like_it"], 3, "kuka_lwr4, panda, pendulum, puma560, two_link, ur10e"),
    (["inspect", ""], 3, "there is no file and no built-in robot ''"),
    (["inspect", "x" * 5000], 3, "there is no file"),
    (["inspect", "a\x1b[31mb"], 3, r"'a\x1b[31mb'"),
    (["doctor", "now"], 2, "now"),
    (["schema", "ft"], 2, "a misspelling of 'fit'"),
    (["schema", "Fit"], 2, "bifilar schema fit"),
    (["schema", "fit", "check"], 2, "one command at a time"),
    (["schema", "zzzz"], 2, "demo, inspect, design"),
    (["schema", ""], 2, "there is no command ''"),
]

FILES = [
    ("missing.urdf", None, "no such file"),
    ("missing.xml", None, "no such file"),
    ("missing.toml", None, "No such file"),
    ("folder", "folder", "this is a folder"),
    ("folder.urdf", "folder", "this is a folder"),
    ("photo.png", PICTURE, "a .png file is not read as a robot"),
    ("photo.urdf", PICTURE, "NUL byte"),
    ("empty.urdf", b"", "the file is empty"),
    ("empty.xml", b"", "the file is empty"),
    ("empty.toml", b"", "[[row]]"),
    ("log.csv", b"t,q1\n0,1\n", "a recording, where the robot itself is asked for"),
    ("log.urdf", b"t,q1\n0,1\n", "the file is not XML"),
    ("page.xml", b"<html/>", "<html>"),
    ("arm.urdf", b"<robot name='a'><link name='b'>", "arm.urdf"),
    ("arm.xacro", b"<robot/>", "xacro"),
    ("arm", b"<robot/>", "has no extension"),
]


@pytest.mark.parametrize("words, code, message", WORDS, ids=[" ".join(words)[:40] for words, _, _ in WORDS])
def test_wrong_words(words, code, message, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    assert main(words) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert message in " ".join(err.split())
    assert "Traceback" not in err and "\x1b" not in err


@pytest.mark.parametrize("name, content, message", FILES, ids=[name for name, _, _ in FILES])
def test_wrong_files(name, content, message, capsys, tmp_path):
    path = tmp_path / name
    if content == "folder":
        path.mkdir()
    elif content is not None:
        path.write_bytes(content)
    assert main(["inspect", str(path)]) == 3
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("RobotError: ") and "Traceback" not in err
    assert message in " ".join(err.split())
    assert main(["inspect", str(path), "--json"]) == 3
    out, err = capsys.readouterr()
    assert err == ""
    assert set(json.loads(out)["error"]) == {"kind", "code", "what", "where", "likely", "remedy", "facts", "exit_code"}


@pytest.mark.parametrize(
    "words", [["inspct", "--json"], ["inspect", "panda", "--json", "--rows", "feet"], ["inspect", "--json"]]
)
def test_wrong_words_in_json(words, capsys):
    assert main(words) == 2
    out, err = capsys.readouterr()
    assert err == "" and json.loads(out)["error"]["exit_code"] == 2


def raises(error: BaseException):
    def work() -> int:
        raise error

    return work


@pytest.mark.parametrize(
    "error, code, message",
    [
        (SolveError("no rows were given"), 4, "SolveError: no rows were given"),
        (MemoryError(), 5, "not enough memory"),
        (OSError(28, "No space left on device"), 5, "No space left on device"),
        (ModuleNotFoundError("no", name="rich"), 5, "the package 'rich' is missing"),
        (ZeroDivisionError("division by zero"), 70, "a bug in bifilar (ZeroDivisionError: division by zero); BIFILAR_DEBUG=1"),
        (RecursionError(), 70, "a bug in bifilar"),
        (KeyboardInterrupt(), 130, "bifilar: stopped"),
    ],
)
def test_what_can_happen_has_a_code(error, code, message, capsys, monkeypatch):
    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)
    monkeypatch.setattr("bifilar.cli.guard._silence_stdout", lambda: None)
    assert guarded(raises(error)) == code
    out, err = capsys.readouterr()
    assert out == "" and message in " ".join(err.split()) and "Traceback" not in err


def test_a_bug_shows_where_on_request(capsys):
    assert guarded(raises(ZeroDivisionError("x")), debug=True) == 70
    assert "Traceback" in capsys.readouterr().err


def test_a_failed_self_test_is_code_1(capsys, monkeypatch):
    monkeypatch.setattr(doctor, "self_test", lambda: [Check("two and two are four", 1.0)])
    assert main(["doctor"]) == 1
    assert "Something is wrong" in capsys.readouterr().out


def test_a_broken_self_test_is_code_1(capsys, monkeypatch):
    monkeypatch.setattr(doctor, "self_test", raises(RuntimeError("the compiler is ill")))
    assert main(["doctor"]) == 1
    assert "the compiler is ill" in capsys.readouterr().out


def start(*words: str, **options: object) -> subprocess.Popen[str]:
    extra = options.pop("env", {})
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")} | extra  # type: ignore[operator]
    return subprocess.Popen([sys.executable, "-m", "bifilar", *words], text=True, env=environment, **options)  # type: ignore


def test_an_engine_that_does_not_exist():
    run = start("doctor", env={"BIFILAR_ENGINE": "abacus"}, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    out, err = run.communicate(timeout=120)
    assert run.returncode == 1 and "there is no engine 'abacus'" in out and "Traceback" not in err


def test_a_cache_that_cannot_be_written(tmp_path):
    """Kernels are then compiled in every process. Numba's own choice of another folder would mix up the two block sizes,
    which share names, and one would run on the other's memory."""
    (tmp_path / "file").write_text("no folder")
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    run = start("doctor", "--json", env={"BIFILAR_CACHE": str(tmp_path / "file")}, **options)
    said = json.loads(run.communicate(timeout=300)[0])
    assert run.returncode == 0 and said["good"] and not said["kernels"]["writable"]
    assert "cannot be written" in said["findings"][0]["what"]
    assert not list((ROOT / "src").rglob("*.nbi"))


@pytest.mark.skipif(os.name == "nt", reason="pipes end in another way")
@pytest.mark.parametrize("words", [["inspect", "panda", "--json"], ["--help"]])
def test_a_reader_that_leaves(words):
    read, write = os.pipe()
    os.close(read)
    run = start(*words, stdout=write, stderr=subprocess.PIPE)
    os.close(write)
    assert run.communicate(timeout=120)[1] == "" and run.returncode == 141


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no full device here")
@pytest.mark.parametrize("words", [["inspect", "pendulum"], ["inspect", "pendulum", "--json"], ["--help"]])
def test_a_full_disk(words):
    with open("/dev/full", "w") as full:
        run = start(*words, stdout=full, stderr=subprocess.PIPE)
    assert "No space left" in run.communicate(timeout=120)[1] and run.returncode == 5


@pytest.mark.skipif(os.name == "nt", reason="signals are different")
def test_stopped_while_compiling(tmp_path):
    """Ctrl-C ends `doctor --warm` with one line; what was compiled so far stays in the cache."""
    cache = tmp_path / "cache"
    run = start("doctor", "--warm", env={"BIFILAR_CACHE": str(cache)}, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    deadline = time.monotonic() + 120
    while not any(cache.rglob("*.nbi")) and run.poll() is None and time.monotonic() < deadline:
        time.sleep(0.05)
    run.send_signal(signal.SIGINT)
    out, err = run.communicate(timeout=120)
    assert run.returncode == 130 and out == ""
    assert err.strip().endswith("bifilar: stopped") and "Traceback" not in err

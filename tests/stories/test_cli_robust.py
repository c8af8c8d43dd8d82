"""Commands that are killed, stopped, crowded, or have no room: what was there before stays, and the reason is said in a letter.

Commands run in forks of this process, which has loaded everything: the moments of a kill then fall into the work.
"""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path

import pytest

import bifilar as bf
from bifilar.cli import main

if os.name == "nt":
    pytest.skip("Windows has neither fork nor kill -9", allow_module_level=True)

import resource

from processes import NOBODY, awake, content, start
from study_kill import Command, study, swing, whole

WRITING = {  # every command that writes files, and the files it would write
    "fit": (["fit", "two_link", "a.csv", "--test", "b.csv", "-o", "runs/arm", "--force"], "runs/arm"),
    "rerun": (["rerun", "runs/arm", "-o", "again"], "again"),
    "design": (["design", "pendulum", "--duration", "4", "--starts", "1", "-o", "excite.csv", "--force"], "excite.csv"),
    "simulate": (["simulate", "two_link", "move.csv", "-o", "sim.csv", "--force"], "sim.csv"),
    "check": (["check", "a.csv", "--robot", "two_link", "-o", "page.html", "--force"], "page.html"),
    "convert": (["convert", "a.csv", "copy.csv", "--force"], "copy.csv"),
    "export": (["export", "runs/arm", "-o", "arm.urdf", "arm.xml", "arm.csv", "--force"], "arm.xml"),
    "report": (["report", "runs/arm", "-o", "report.html", "--force"], "report.html"),
}


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """Two logs, a motion and a run; everything a command needs is loaded."""
    place = tmp_path_factory.mktemp("robust")
    before = os.getcwd()
    os.chdir(place)
    for seed, name in enumerate(("a.csv", "b.csv")):
        swing(place / name, seed)
    bf.save_motion("move.csv", bf.quintic(["joint1", "joint2"], [[0.0, 0.0], [0.5, 0.5]], [0.0, 2.0]).sample(100))
    for words, _ in WRITING.values():
        assert main(words) in (0, 1)
    for path in ("again", "copy.csv"):
        (place / path).rename(place / f"{path}.old")
    os.chdir(before)
    return place


def test_killed_at_any_moment(tmp_path):
    """Six kills; `make study-kill` does four hundred."""
    tally = study(tmp_path, 6, seed=3)
    assert not tally.wrong and sum(tally.seen[code] for code in ("code 0", "code -9")) == 6


def test_stopped_at_any_moment(tmp_path):
    tally = study(tmp_path, 4, stop=True, seed=5)
    assert not tally.wrong and sum(tally.seen[code] for code in ("code 0", "code 130")) == 4


def test_stopped_as_a_process_of_its_own(home):
    before = content(home / "runs" / "arm")
    process = start(*WRITING["fit"][0], cwd=home)
    awake(process)
    process.send_signal(signal.SIGINT)
    time.sleep(0.01)
    process.send_signal(signal.SIGINT)  # twice, as people do
    _, err = process.communicate(timeout=120)
    assert process.returncode == 130 and err == "bifilar: stopped\n"
    assert content(home / "runs" / "arm") == before and [path.name for path in (home / "runs").iterdir()] == ["arm"]


@pytest.mark.parametrize("named", [False, True], ids=["numbered", "one name"])
def test_eight_at_once_in_one_folder(tmp_path, home, named):
    for k in range(8):
        swing(tmp_path / f"log{k}.csv", k, viscous=0.1 * k)
    target = ["-o", "runs/arm", "--force"] if named else []
    fits = [["fit", "two_link", f"log{k}.csv", "--test", "none", "--no-page", *target] for k in range(8)]
    together = [Command(tmp_path, words) for words in fits]
    assert [command.end() for command in together] == [(0, "")] * 8
    names = sorted(path.name for path in (tmp_path / "runs").iterdir())
    assert names == (["arm"] if named else [f"two_link-00{k}" for k in range(1, 9)])
    logs = []
    for name in names:
        about = json.loads((tmp_path / "runs" / name / "run.json").read_text("utf-8"))
        estimate = bf.load_estimate(tmp_path / "runs" / name)
        logs += about["settings"]["logs"]
        assert about["estimate"]["rows"] == estimate.rows and about["inputs"][1]["given"] == about["settings"]["logs"][0]
        assert estimate.parameters["joint1.viscous"] == pytest.approx(0.1 * int(logs[-1][3]), abs=0.04)  # and of no other
    assert len(set(logs)) == len(names) and (named or sorted(logs) == [f"log{k}.csv" for k in range(8)])


def everything(home: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in home.rglob("*") if path.is_file()}


@pytest.mark.parametrize("verb", WRITING)
def test_a_disk_without_room(home, verb):
    """No file may be larger than 1000 bytes: writing fails in the middle."""
    words, target = WRITING[verb]
    before = everything(home)
    code, err = Command(home, words, first=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))).end()
    assert code == 5 and "ResourceError" in err and "File too large" in err and "Traceback" not in err, err
    assert "  try  " in err and everything(home) == before, target


@pytest.mark.parametrize("verb", WRITING)
@pytest.mark.skipif(os.name != "nt" and os.geteuid() != 0, reason="only root can become somebody who may not write")
def test_a_folder_that_may_not_be_written(home, verb):
    words, target = WRITING[verb]
    opened = {path: path.stat().st_mode for path in [home, *home.parents] if not path.stat().st_mode & 0o001}
    before = everything(home)
    for path, mode in opened.items():
        path.chmod(mode | 0o055)
    try:
        code, err = Command(home, words, first=lambda: os.setuid(NOBODY)).end()
    finally:
        for path, mode in opened.items():
            path.chmod(mode)
    assert code == 5 and "ResourceError" in err and "Traceback" not in err and "  try  " in err, err
    assert everything(home) == before, target


def test_what_a_killed_run_left_is_removed_and_put_back(home, tmp_path):
    """The moment between two renames: the old result is aside, the new one has no name yet."""
    runs = tmp_path / "runs"
    runs.mkdir()
    os.system(f"cp -r '{home / 'runs' / 'arm'}' '{runs / '.arm.0a1b2c3d.old'}'")
    (runs / ".arm.0a1b2c3d.part").mkdir()
    (runs / ".arm.0a1b2c3d.lock").touch()
    code, err = Command(tmp_path, ["fit", "two_link", str(home / "a.csv"), "-o", "runs/arm"]).end()
    assert code == 3 and "exists already" in err
    assert [path.name for path in runs.iterdir()] == ["arm"] and not whole(runs / "arm")

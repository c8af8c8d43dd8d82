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
from bifilar.cli.demo_story import MARK, _may_be_used
from bifilar.cli.fit_folder import may_be_made
from bifilar.export.run_folder import tidy, writing

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
    os.system(f"cp -r '{home / 'runs' / 'arm'}' '{runs / '.arm.bifilar-0a1b2c3d4e5f.old'}'")
    (runs / ".arm.bifilar-0a1b2c3d4e5f.part").mkdir()
    (runs / ".arm.bifilar-0a1b2c3d4e5f.lock").touch()
    code, err = Command(tmp_path, ["fit", "two_link", str(home / "a.csv"), "-o", "runs/arm"]).end()
    assert code == 3 and "exists already" in err
    assert [path.name for path in runs.iterdir()] == ["arm"] and not whole(runs / "arm")


def result(path: Path, word: str) -> None:
    with writing(path, replace=True) as folder:
        for name in ("run.json", "estimate.json"):
            (folder / name).write_text(word)


@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("which", [1, 2])
def test_stopped_between_the_renames(tmp_path, monkeypatch, which, moment):
    """Right before or after either rename of a replacement: one whole result has the name, and nothing else is left."""
    result(tmp_path / "arm", "old")
    rename, calls = os.rename, []

    def stopped(source, target, **words):
        calls.append(source)
        if len(calls) == which and moment == "before":
            raise KeyboardInterrupt
        rename(source, target, **words)
        if len(calls) == which:
            raise KeyboardInterrupt

    monkeypatch.setattr(os, "rename", stopped)
    with pytest.raises(KeyboardInterrupt):
        result(tmp_path / "arm", "new")
    word = "new" if (which, moment) == (2, "after") else "old"
    assert len(calls) >= which and [path.name for path in tmp_path.iterdir()] == ["arm"]
    assert {path.name: path.read_text() for path in (tmp_path / "arm").iterdir()} == {"run.json": word, "estimate.json": word}


def test_an_old_result_that_cannot_be_put_back_waits_for_the_next_run(tmp_path, monkeypatch):
    result(tmp_path / "arm", "old")
    rename, calls = os.rename, []

    def broken(source, target, **words):
        calls.append(source)
        if len(calls) > 1:
            raise PermissionError(13, "Permission denied", str(source))
        rename(source, target, **words)

    with monkeypatch.context() as patch, pytest.raises(bf.BifilarError, match="Permission denied"):
        patch.setattr(os, "rename", broken)
        result(tmp_path / "arm", "new")
    tidy(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["arm"] and (tmp_path / "arm" / "run.json").read_text() == "old"


def test_folders_of_others_are_left_alone(tmp_path):
    token = "bifilar-0a1b2c3d4e5f"
    names = [".thesis.20261116.old", ".photos.20250101.old", ".photos.20250101.part", ".a.0a1b2c3d.part", f".b.{token}.part"]
    for name in [*names, f".c.{token}.old", "thesis", "c"]:
        (tmp_path / name).mkdir()
        (tmp_path / name / "work.txt").write_text("of years")
    for name in (".photos.20250101.lock", f".c.{token}.lock"):  # the last one is named like ours; its folder is no result
        (tmp_path / name).touch()
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert tidy(tmp_path) == ()
    result(tmp_path / "myrun", "new")
    after = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file() and path.parent.name != "myrun"}
    assert after == before


def test_what_a_killed_report_or_demo_left_blocks_nothing(tmp_path):
    result(tmp_path / "arm", "old")
    (tmp_path / "arm" / ".report.html.0a1b2c3d.part").write_text("half")
    may_be_made(tmp_path / "arm", force=True)
    assert sorted(path.name for path in (tmp_path / "arm").iterdir() if path.name[0] == ".") == []
    demo = tmp_path / "demo"
    (demo / ".run.bifilar-0a1b2c3d4e5f.part").mkdir(parents=True)
    for name in (MARK, ".train.parquet.0a1b2c3d.part", ".run.bifilar-0a1b2c3d4e5f.lock"):
        (demo / name).touch()
    _may_be_used(demo)
    assert [path.name for path in demo.iterdir()] == [MARK]


def test_a_link_to_a_run_stays_one(tmp_path):
    result(tmp_path / "runs" / "arm-001", "old")
    (tmp_path / "latest").symlink_to(Path("runs", "arm-001"))
    may_be_made(tmp_path / "latest", force=True)
    result(tmp_path / "latest", "new")
    assert (tmp_path / "latest").is_symlink() and (tmp_path / "runs" / "arm-001" / "run.json").read_text() == "new"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["latest", "runs"]


def test_stopped_while_the_replaced_result_is_removed(tmp_path, monkeypatch):
    """The new result is there, and nothing of the old one stays behind."""
    import shutil

    with writing(tmp_path / "arm") as folder:
        (folder / "run.json").write_text("old")
    remove, stopped = shutil.rmtree, []

    def interrupted(path, *more, **words):
        if str(path).endswith(".gone") and not stopped:
            stopped.append(path)
            raise KeyboardInterrupt
        remove(path, *more, **words)

    monkeypatch.setattr(shutil, "rmtree", interrupted)
    with pytest.raises(KeyboardInterrupt), writing(tmp_path / "arm", replace=True) as folder:
        (folder / "run.json").write_text("new")
    assert stopped and sorted(path.name for path in tmp_path.iterdir()) == ["arm"]
    assert (tmp_path / "arm" / "run.json").read_text() == "new"

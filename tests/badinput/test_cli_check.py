"""Strangers at `bifilar check`, `convert` and `datasets`: one letter, the right code, nothing half written."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from processes import awake, start

import bifilar as bf
from bifilar.cli import main

ROOT = Path(__file__).resolve().parents[2]

BAD = [
    (["check"], 2, "LOG"),
    (["check", "a.csv", "b.csv"], 2, "one log at a time"),
    (["check", "good.csv", "--sign", "hip"], 2, "'hip' is not NAME=VALUE"),
    (["check", "good.csv", "--sign", "hip=2"], 2, "a sign is 1 or -1"),
    (["check", "good.csv", "--rate", "-5"], 2, "--rate -5"),
    (["check", "good.csv", "--rate", "fast"], 2, "fast"),
    (["check", "good.csv", "--unit", "position"], 2, "position=deg"),
    (["check", "good.csv", "--lock", "hip"], 2, "--robot"),
    (["check", "good.csv", "-o", "page.txt"], 2, "page.html"),
    (["check", "good.csv", "--run", "1"], 2, "--run"),
    (["check", "arm.urdf"], 2, "--robot arm.urdf"),
    (["check", "panda_gaz", "--rate", "100"], 2, "leave out --rate"),
    (["check", "panda_gaz", "--write-mapping", "x.toml"], 2, "--write-mapping"),
    (["check", "panda_gass"], 3, "'panda_gaz'"),
    (["check", "nowhere.csv"], 3, "nowhere.csv"),
    (["check", "nowhere/run.csv"], 3, "nowhere"),
    (["check", "empty.csv"], 3, "empty"),
    (["check", "binary.csv"], 3, "binary.csv"),
    (["check", "binary.npz"], 3, "binary.npz"),
    (["check", "binary.parquet"], 3, "binary.parquet"),
    (["check", "binary.mat"], 3, "binary.mat"),
    (["check", "prose.txt"], 3, "prose.txt"),
    (["check", "."], 3, "this is a folder where . try name a file"),
    (["check", "good.csv", "--robot", "nowhere.urdf"], 3, "nowhere.urdf"),
    (["check", "good.csv", "--robot", "pendulm"], 3, "pendulum"),
    (["check", "good.csv", "--robot", "panda"], 3, "joint"),
    (["check", "good.csv", "--sign", "elbow=-1"], 3, "'elbow'"),
    (["check", "good.csv", "--unit", "position=furlong"], 3, "furlong"),
    (["check", "good.csv", "--unit", "pos=deg"], 3, "'pos', which is not recorded"),
    (["check", "good.csv", "--write-mapping", "good.csv", "--force"], 2, "good.toml"),
    (["check", "puma560"], 3, "holds no recording"),
    (["check", "kuka_lwr4", "--run", "2"], 2, "kuka_lwr4:2 in place of kuka_lwr4"),
    (["check", "kuka_lwr4:3"], 3, "'kuka_lwr4' has no run '3'"),
    (["check", "nowhere:3"], 3, "there is no file 'nowhere:3', nor a public set of that name"),
    (["inspect", "kuka_lwr4:2"], 3, "kuka_lwr4:robot is the robot that was recorded"),
    (["inspect", "kuka_lwr4:kuka_lwr4_gass.urdf"], 3, "'kuka_lwr4_gaz.urdf'"),
    (["check", "good.csv", "--mapping", "nowhere.toml"], 3, "nowhere.toml"),
    (["check", "good.csv", "--mapping", "good.csv"], 3, "good.csv"),
    (["check", "numbers.csv"], 3, "--write-mapping"),
    (["check", "numbers.csv", "--robot", "pendulum"], 3, "--write-mapping"),
    (["check", "good.csv", "-o", "nowhere/page.html"], 3, "there is no folder 'nowhere'"),
    (["check", "good.csv", "-o", "taken.html"], 3, "--force"),
    (["convert", "good.csv"], 2, "OUT"),
    (["convert", "good.csv", "x.xlsx"], 3, ".xlsx"),
    (["convert", "good.csv", "x"], 3, "no ending"),
    (["convert", "nowhere.csv", "x.csv"], 3, "nowhere.csv"),
    (["convert", "good.csv", "nowhere/x.csv"], 3, "nowhere"),
    (["convert", "good.csv", "numbers.csv"], 3, "exists already"),
    (["convert", "good.csv", "./good.csv", "--force"], 2, "the log itself"),
    (["datasets", "nothere"], 3, "nothere"),
    (["datasets", "a", "b"], 2, "one name at a time"),
]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    moments = np.arange(300) / 100
    swing = bf.Recording(joint_names=("hip",), time=moments, position=np.sin(moments)[:, None], torque=np.cos(moments)[:, None])
    swing.save("good.csv")
    noise = np.random.default_rng(0).integers(0, 256, 5000, dtype=np.uint8).tobytes()
    for name in ("binary.csv", "binary.npz", "binary.parquet", "binary.mat"):
        (tmp_path / name).write_bytes(noise)
    (tmp_path / "empty.csv").write_bytes(b"")
    (tmp_path / "prose.txt").write_text("It was a dark and stormy night.\nSuddenly, a shot rang out.\n")
    (tmp_path / "numbers.csv").write_text("0,1,2\n0.1,2,3\n0.2,3,4\n")
    (tmp_path / "arm.urdf").write_text("<robot/>")
    (tmp_path / "taken.html").write_text("mine")
    return tmp_path


@pytest.mark.parametrize("words, code, piece", BAD, ids=[" ".join(words) for words, _, _ in BAD])
def test_bad_words(folder, capsys, words, code, piece):
    before = {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}
    assert main(words) == code
    out, err = capsys.readouterr()
    assert out == "" and piece in " ".join(err.split()) and "Traceback" not in err
    assert {path.name: path.stat().st_mtime_ns for path in folder.iterdir()} == before


@pytest.mark.parametrize("words, code, piece", BAD[14:20], ids=[" ".join(words) for words, _, _ in BAD[14:20]])
def test_letters_for_programs(folder, capsys, words, code, piece):
    import json

    assert main([*words, "--json"]) == code
    out, err = capsys.readouterr()
    assert err == "" and json.loads(out)["error"]["exit_code"] == code


@pytest.mark.skipif(os.name == "nt", reason="signals")
@pytest.mark.parametrize("words", [["check", "long.csv"], ["convert", "long.csv", "x.csv"]])
def test_stopped_by_ctrl_c(folder, words):
    """While a long log is read."""
    rows = "".join(f"{k / 100},{np.sin(k / 100)}\n" for k in range(400_000))
    (folder / "long.csv").write_text("t,hip_pos\n" + rows)
    process = start(*words, cwd=folder)
    awake(process)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130 and err == "bifilar: stopped\n"
    assert not (folder / "x.csv").exists()


def test_a_closed_pipe(folder):
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    words = f'"{sys.executable}" -m bifilar check good.csv | head -1'
    if os.name == "nt":
        pytest.skip("no head")
    run = subprocess.run(words, shell=True, cwd=folder, env=environment, capture_output=True, text=True)
    assert run.stderr == "" and run.stdout.startswith("good.csv")


def test_a_full_disk_leaves_nothing_half_written(folder, monkeypatch, capsys):
    import errno

    from bifilar.robot import write_file

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(write_file.os, "replace", full)
    assert main(["check", "good.csv", "-o", "page.html"]) in (3, 5)
    assert "No space" in capsys.readouterr().err
    assert not (folder / "page.html").exists()

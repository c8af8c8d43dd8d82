"""Strangers at `bifilar design` and `bifilar simulate`: one letter, the right code, nothing half written."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import bifilar as bf
from bifilar.cli import main

ROOT = Path(__file__).resolve().parents[2]
DESIGN = ["design", "two_link", "--duration", "5", "--starts", "1", "--no-page"]

BAD_DESIGNS = [
    (["design"], 2, "ROBOT"),
    (["design", "panda"], 2, "--duration is missing"),
    (["design", "panda", "--duration", "10"], 2, "-o is missing"),
    (["design", "panda", "--duration", "soon", "-o", "x.csv"], 2, "soon"),
    ([*DESIGN, "-o", "x.csv", "--criterion", "best"], 2, "--criterion 'best' is not one of "),
    ([*DESIGN, "-o", "x.csv", "--starts", "2.5"], 2, "UsageError: --starts '2.5' is not a whole number"),
    ([*DESIGN, "-o", "x.csv", "--friction", "sticky"], 2, "there is no friction term 'sticky'"),
    ([*DESIGN, "-o", "x.csv", "--above", "link2"], 2, "'link2' is not NAME=VALUE"),
    ([*DESIGN, "-o", "x.csv", "--above", "link2=high"], 2, "'high' is not a number"),
    ([*DESIGN, "-o", "x.csv", "--within", "link2=0,0,0"], 2, "has one corner"),
    ([*DESIGN, "-o", "x.csv", "--within", "link2=0,0:1,1,1"], 2, "is not x,y,z"),
    ([*DESIGN, "-o", "x.csv", "--start", "0.1"], 2, "1 positions, the robot has 2 joints"),
    ([*DESIGN, "-o", "x.csv", "--start", "joint1=0", "elbow=0"], 2, "there is no joint 'elbow'"),
    ([*DESIGN, "-o", "x.csv", "--noise", "-1"], 2, "above zero"),
    ([*DESIGN, "-o", "x.csv", "--noise", "1", "2", "3"], 2, "--noise takes one number, or 2, not 3"),
    ([*DESIGN, "-o", "x.xlsx"], 3, "no form '.xlsx'"),
    ([*DESIGN, "-o", "x"], 3, "has no ending"),
    ([*DESIGN, "-o", "x.csv", "--above", "hand=0.1"], 3, "hand"),
    ([*DESIGN, "-o", "x.csv", "--margin", "2"], 3, "margin"),
    ([*DESIGN, "-o", "x.csv", "--start", "99", "0"], 3, "start pose"),
    ([*DESIGN, "-o", "x.csv", "--lock", "joint9"], 3, "joint9"),
    ([*DESIGN, "-o", "x.csv", "--lock", "joint*"], 2, "--lock holds every joint"),
    ([*DESIGN, "-o", "x.csv", "--self-collision", "--mesh-folder", "nowhere"], 3, "the folder of the meshes is no folder"),
    ([*DESIGN, "-o", "x.csv", "--limits", "nowhere.toml"], 3, "nowhere.toml"),
    ([*DESIGN, "-o", "x.csv", "--after", "nowhere.csv"], 3, "nowhere.csv"),
    ([*DESIGN, "-o", "x.csv", "--only", "link9.*"], 3, "bifilar inspect ROBOT --full"),
    ([*DESIGN, "-o", "x.csv", "--starts", "0"], 2, "--starts 1 or more"),
    ([*DESIGN, "-o", "x.csv", "--clearance", "-1"], 2, "--clearance 0.01"),
    ([*DESIGN, "-o", "x.csv", "--within", "link2=0,0,0:1,1,0.01"], 3, "a smaller --clearance"),
    (["design", "panda", "--duration", "0.01", "-o", "x.csv"], 3, "0.01"),
    (["design", "panda", "--duration", "10", "-o", "x.csv", "--above", "flange=5"], 3, "flange"),
    ([*DESIGN, "-o", "nowhere/x.csv"], 3, "there is no folder 'nowhere'"),
    (["design", "nothing", "--duration", "5", "-o", "x.csv"], 3, "no built-in robot"),
]


@pytest.fixture
def empty(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    return tmp_path


@pytest.mark.parametrize("words, code, message", BAD_DESIGNS, ids=[" ".join(words[-3:])[:40] for words, _, _ in BAD_DESIGNS])
def test_designs_that_cannot_be(words, code, message, capsys, empty):
    assert main(words) == code
    out, err = capsys.readouterr()
    assert out == "" and "Traceback" not in err
    assert message in " ".join(err.split())
    assert not list(empty.iterdir()), "nothing was written"


def urdf(limit: str, kind: str = "revolute") -> str:
    inertia = '<inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>'
    return (
        f'<robot name="arm"><link name="base"/><link name="rod">{inertia}</link><joint name="hinge" type="{kind}">'
        f'<parent link="base"/><child link="rod"/><axis xyz="0 1 0"/>{limit}</joint></robot>'
    )


def test_missing_limits_are_asked_for_by_name_and_can_be_given(capsys, empty):
    (empty / "arm.urdf").write_text(urdf("", "continuous"))
    words = ["design", "arm.urdf", "--duration", "5", "--starts", "1", "--no-page", "-o", "x.csv"]
    assert main(words) == 3
    err = " ".join(capsys.readouterr().err.split())
    assert "position of hinge; velocity of hinge" in err and "--write-limits limits.toml" in err
    assert main(["design", "arm.urdf", "--write-limits", "limits.toml"]) == 0
    assert "hinge" in (empty / "limits.toml").read_text()
    capsys.readouterr()
    (empty / "limits.toml").write_text("[joints.hinge]\nlower = -1.0\nupper = 1.0\nvelocity = 2.0\n")
    assert main([*words, "--limits", "limits.toml"]) == 3
    assert "torque noise is not known: hinge" in " ".join(capsys.readouterr().err.split())
    assert main([*words, "--limits", "limits.toml", "--noise", "0.1"]) == 0
    (out, _), play = capsys.readouterr(), ["simulate", "arm.urdf", "x.csv", "--limits", "limits.toml", "-o", "x.npz"]
    assert main(play) == 3 and "or --noise none" in " ".join(capsys.readouterr().err.split())
    assert main([*play, "--noise", "none"]) == 0
    out = " ".join(out.split())
    assert "it was not asked for: acceleration, jerk and effort of hinge; floor" in out


def test_a_recording_is_no_motion_to_go_on_from(capsys, empty):
    move(empty / "good.csv", "joint1", "joint2")
    assert main(["simulate", "two_link", "good.csv", "-o", "train.parquet", "--no-page"]) == 0
    capsys.readouterr()
    assert main([*DESIGN, "-o", "x.csv", "--after", "train.parquet"]) == 3
    err = " ".join(capsys.readouterr().err.split())
    assert "this is a recording, not a motion" in err and "give the motion that was played" in err


def test_limits_in_degrees_are_seen(capsys, empty):
    (empty / "arm.urdf").write_text(urdf('<limit lower="-1" upper="1" velocity="2" effort="10"/>'))
    (empty / "limits.toml").write_text("[joints.hinge]\nlower = -170.0\nupper = 170.0\n")
    assert main(["design", "arm.urdf", "--limits", "limits.toml", "--duration", "5", "-o", "x.csv"]) == 3
    assert "degree" in capsys.readouterr().err


def test_files_that_exist_are_kept(capsys, empty):
    (empty / "excite_25.csv").write_text("mine")
    words = [*DESIGN, "-o", "excite.csv"]
    assert main(words) == 3
    err = capsys.readouterr().err
    assert "'excite_25.csv' exists already" in err and "--force" in err
    assert [path.name for path in empty.iterdir()] == ["excite_25.csv"]
    assert main([*words, "--force"]) == 0
    assert (empty / "excite_25.csv").read_text() != "mine"


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written(capsys, empty):
    (empty / "locked").mkdir(mode=0o500)
    assert main([*DESIGN, "-o", "locked/x.csv"]) == 5
    assert "may not be written" in capsys.readouterr().err


def move(path: Path, *names: str) -> str:
    bf.save_motion(path, bf.quintic(names, [[0.0] * len(names), [0.5] * len(names)], [0.0, 1.0]).sample(50))
    return str(path)


def test_motions_that_cannot_be_played(capsys, empty):
    swing = bf.Recording(joint_names=("joint1",), time=[0.0, 0.1], position=[[0], [0]], torque=[[0], [0]])
    swing.save(empty / "log.csv")
    (empty / "photo.csv").write_bytes(b"\x89PNG\x00")
    move(empty / "other.csv", "elbow", "wrist")
    move(empty / "half.csv", "joint1")
    move(empty / "good.csv", "joint2", "joint1")
    cases = [
        (["nowhere.csv"], 3, "nowhere.csv"),
        (["photo.csv"], 3, "photo.csv"),
        (["log.csv"], 3, "this is a recording, not a motion"),
        (["other.csv"], 3, "'elbow', 'wrist', which robot 'two_link' does not have"),
        (["half.csv"], 3, "says nothing about 'joint2'"),
        (["good.yaml"], 3, "not read"),
        (["good.csv", "--rate", "0"], 3, "rate"),
        (["good.csv", "--noise", "loud"], 2, "loud"),
        (["good.csv", "--friction", "sticky"], 2, "--friction 'sticky'"),
        (["good.csv", "--friction", "joint9.viscous=1"], 2, "no joint 'joint9'"),
        (["good.csv", "--payload", "hand=1"], 3, "hand"),
        (["good.csv", "--payload", "link2=-1"], 2, "weighs -1 kg"),
        (["good.csv", "--unlike", "30"], 2, "--unlike 0.3"),
    ]
    for words, code, message in cases:
        assert main(["simulate", "two_link", *words, "-o", "train.csv"]) == code, words
        out, err = capsys.readouterr()
        assert out == "" and "Traceback" not in err and message in " ".join(err.split()), (words, err)
        assert not (empty / "train.csv").exists()
    assert main(["simulate", "two_link", "good.csv", "-o", "train.mat"]) == 3
    assert main(["simulate", "good.csv", "two_link", "-o", "train.csv"]) == 2  # the wrong way round
    assert main(["simulate", "two_link", "good.csv"]) == 2


@pytest.mark.skipif(os.name == "nt", reason="signals are different")
def test_ctrl_c_keeps_the_best_motion(tmp_path):
    file = tmp_path / "excite.csv"
    command = [sys.executable, "-u", "-c", STOPPED, "design", "panda", "--duration", "10", "--starts", "500", "-o", str(file)]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    assert run.stderr is not None and run.stderr.readline() == "searching\n"
    time.sleep(0.5)
    run.send_signal(signal.SIGINT)
    out, err = run.communicate(timeout=120)
    assert run.returncode == 0, err
    assert "stopped by Ctrl-C: the best motion so far, certified like any other" in out
    robot = bf.Robot.load("panda")
    bf.Certificate.load(tmp_path / "excite.certificate.json").covers(robot, file)


STOPPED = """
import sys
from contextlib import contextmanager
import bifilar.cli.design_facts as facts
from bifilar.cli import main

@contextmanager
def watched(starts, criterion):
    def tell(progress):
        if progress.start == 1 and progress.iteration == 1:
            print("searching", file=sys.stderr, flush=True)
    yield tell

facts.watched = watched
sys.exit(main(sys.argv[1:]))
"""

"""Strangers at `bifilar export`: one letter, the right code, nothing half written; and runs, refused ones too."""

from __future__ import annotations

import json
import os
import shutil

import numpy as np
import pytest

import bifilar as bf
from bifilar.cli import main
from bifilar.export import write_model as module

PICTURE = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"

BAD = [
    (["export"], 2, "RUN|ROBOT"),
    (["export", "pendulum"], 2, "bifilar export pendulum -o pendulum.urdf"),
    (["export", "pendulum", "panda", "-o", "x.urdf"], 2, "one run or robot at a time"),
    (["export", "pendulum", "--to", "step"], 2, "step"),
    (["export", "pendulum", "--to"], 2, "--to is followed by nothing"),
    (["export", "pendulum", "--to", "urdf", "sdf", "-o", "x.urdf"], 2, "-o and --to"),
    (["export", "pendulum", "-o", "x.urdf", "-o", "./x.urdf"], 2, "named twice"),
    (["export", "pendulum", "-o", "x.urdf", "--forc"], 2, "--force"),
    (["export", "", "-o", "x.urdf"], 3, "no file and no built-in robot"),
    (["export", "pendulm", "-o", "x.urdf"], 3, "'pendulum'"),
    (["export", "nowhere.urdf", "-o", "x.urdf"], 3, "no such file"),
    (["export", "nowhere/run-001", "-o", "x.urdf"], 3, "nowhere/run-001"),
    (["export", "folder", "-o", "x.urdf"], 3, "is not one that 'bifilar fit' wrote"),
    (["export", "photo.png", "-o", "x.urdf"], 3, "a .png file is not read as a robot"),
    (["export", "photo.urdf", "-o", "x.urdf"], 3, "NUL byte"),
    (["export", "empty.urdf", "-o", "x.urdf"], 3, "the file is empty"),
    (["export", "log.csv", "-o", "x.urdf"], 3, "a recording, where the robot itself is asked for"),
    (["export", "pendulum", "-o", "x.step"], 3, "not written as '.step'"),
    (["export", "pendulum", "-o", "x"], 3, "no ending"),
    (["export", "pendulum", "-o", "x.urdf", "x.step"], 3, "not written as '.step'"),
    (["export", "pendulum", "-o", "taken.urdf"], 3, "--force"),
    (["export", "pendulum", "-o", "x.csv", "taken.urdf"], 3, "--force"),
    (["export", "pendulum", "-o", "folder.urdf"], 3, "is a folder"),
    (["export", "pendulum", "-o", "nowhere/x.urdf"], 3, "there is no folder 'nowhere'"),
    (["export", "puma560", "-o", "x.csv", "x.xml"], 3, "MuJoCo has no such bodies"),
    (["export", "refused", "-o", "x.csv"], 3, "worse than the description"),
    (["export", "base", "-o", "x.urdf"], 3, "base parameters"),
    (["export", "base", "-o", "x.csv", "x.urdf"], 3, "--method consistent"),
    (["export", "no_verdict", "-o", "x.csv"], 3, "the verdict of the run cannot be read"),
    (["export", "half", "-o", "x.csv"], 3, "it has no run.json or no estimate.json"),
    (["export", "damaged", "-o", "x.csv"], 4, "the estimate cannot be read"),
]


def data_of(robot: bf.Robot):
    rng = np.random.default_rng(1)
    q, v, a = rng.normal(size=(3, 300, len(robot.joint_names)))
    return q, v, a, robot.inverse_dynamics(q, v, a) + 0.01 * rng.normal(size=q.shape)


def as_run(folder, estimate, level="good", reasons=("it predicts",)) -> None:
    bf.save_estimate(estimate, folder)
    verdict = {"level": level, "reasons": list(reasons)}
    (folder / "run.json").write_text(json.dumps({"format": "bifilar run 1", "verdict": verdict}))


@pytest.fixture(scope="module")
def estimates():
    robot = bf.Robot.load("two_link")
    friction = bf.Viscous() + bf.Offset()
    base = bf.LeastSquares().fit(robot, data_of(robot), friction=friction)
    return base, bf.PhysicallyConsistent(prior_weight=10.0).fit(robot, data_of(robot), friction=friction)


@pytest.fixture(scope="module")
def template(tmp_path_factory, estimates):
    place = tmp_path_factory.mktemp("template")
    base, whole = estimates
    as_run(place / "run", whole)
    as_run(place / "refused", whole, "refused", ["it errs worse than the description"])
    as_run(place / "base", base)
    for name in ("no_verdict", "half", "damaged"):
        shutil.copytree(place / "base", place / name)
    (place / "no_verdict" / "run.json").write_text('{"format": "bifilar run 1"}')
    (place / "half" / "estimate.json").unlink()
    (place / "damaged" / "estimate.json").write_text('{"format": ')
    (place / "folder").mkdir()
    (place / "folder.urdf").mkdir()
    (place / "taken.urdf").write_text("mine")
    for name, content in (("photo.png", PICTURE), ("photo.urdf", PICTURE), ("empty.urdf", b""), ("log.csv", b"t,q1\n0,1\n")):
        (place / name).write_bytes(content)
    return place


@pytest.fixture
def folder(template, tmp_path, monkeypatch):
    shutil.copytree(template, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    return tmp_path


@pytest.mark.parametrize("words, code, message", BAD, ids=[" ".join(words)[:50] for words, _, _ in BAD])
def test_bad_input_is_told(words, code, message, folder, capsys):
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert main(words) == code
    out, err = capsys.readouterr()
    assert out == "" and message in " ".join(err.split()) and "Traceback" not in err
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before
    if code > 2:
        assert main([*words, "--json"]) == code
        out, err = capsys.readouterr()
        assert err == "" and json.loads(out)["error"]["exit_code"] == code


def test_a_run_is_handed_on_in_all_formats(folder, capsys, estimates):
    files = ["x.urdf", "x.xml", "x.sdf", "x.json", "x.csv", "x.yaml"]
    assert main(["export", "run", "-o", *files[:3], "-o", *files[3:]]) == 0
    out, err = capsys.readouterr()
    assert err == "" and all((folder / file).is_file() and f"{file}, " in out for file in files)
    assert "read again by MuJoCo" in out and "cannot state torque offset" in out and "bifilar inspect x.urdf" in out
    read = bf.Robot.load(folder / "x.urdf")
    assert read.link("link2").inertia.mass == pytest.approx(estimates[1].robot.link("link2").inertia.mass)
    assert main(["export", "run", "--to", "mjcf", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["verdict"] == "good" and facts["files"][0]["file"] == "two_link.xml"
    assert facts["files"][0]["torque_difference"] <= 1e-9 and any("offset" in lost for lost in facts["files"][0]["lost"])


def test_a_refused_run_needs_a_word(folder, capsys):
    assert main(["export", "refused", "-o", "x.urdf", "--anyway"]) == 0
    assert "refused; handed on anyway" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("level", "said"),
    [
        ("good", ""),
        ("usable", ""),
        ("not judged", "no motion was kept apart: nothing says how it predicts"),
        ("poor", "it leaves more of the torque than is usable"),
        ("refused", "handed on anyway"),
    ],
)
def test_what_unseen_motion_does_not_speak_for_is_handed_on_with_a_word(folder, capsys, estimates, level, said):
    as_run(folder / "some", estimates[1], level)
    assert main(["export", "some", "-o", "x.urdf", "--anyway", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["verdict"] == level and facts["doubt"] == said
    assert main(["export", "some", "-o", "y.urdf", "--anyway"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert f"verdict {level}; {said}" in out if said else f"verdict {level} wrote" in out
    assert ("next bifilar validate some other.csv" in out) == (level == "not judged")


def test_a_robot_s_file_has_no_verdict_to_doubt(folder, capsys):
    assert main(["export", "pendulum", "-o", "x.csv", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["verdict"] is None and facts["doubt"] == ""


def test_base_parameters_as_a_table(folder, capsys):
    assert main(["export", "base", "-o", "x.csv"]) == 0
    assert "base parameters" in capsys.readouterr().out
    assert (folder / "x.csv").read_text().startswith('"name","value","unit","deviation","equation"')


def test_a_file_is_replaced_if_asked(folder, capsys):
    assert main(["export", "pendulum", "-o", "taken.urdf", "--force"]) == 0
    assert "<robot" in (folder / "taken.urdf").read_text()


def test_a_format_by_name(folder, capsys):
    assert main(["export", "pendulum", "-o", "x.txt", "--to", "csv"]) == 0
    assert (folder / "x.txt").read_text().startswith('"name"')


def test_a_folder_that_may_not_be_written(folder, capsys, monkeypatch):
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert main(["export", "pendulum", "-o", "x.urdf"]) == 5
    assert "may not be written" in capsys.readouterr().err and not (folder / "x.urdf").exists()


def test_a_full_disk_leaves_nothing(folder, capsys, monkeypatch):
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    before = sorted(folder.iterdir())
    monkeypatch.setattr(os, "fsync", full)
    assert main(["export", "pendulum", "-o", "x.csv", "x.urdf"]) == 5
    assert "No space left" in capsys.readouterr().err and sorted(folder.iterdir()) == before


def test_torques_that_differ_write_nothing(folder, capsys, monkeypatch):
    """The second file is another robot: the first is not written either."""
    true = module.written
    robot = bf.Robot.load("pendulum")
    other = robot.with_body_parameters(2 * robot.body_parameters)
    monkeypatch.setattr(module, "written", lambda subject, format: true(other if format == "MJCF" else subject, format))
    before = sorted(folder.iterdir())
    assert main(["export", "pendulum", "-o", "x.urdf", "x.xml"]) == 3
    err = " ".join(capsys.readouterr().err.split())
    assert "read again by MuJoCo" in err and "nothing was written" in err and sorted(folder.iterdir()) == before


def test_names_of_strangers_are_not_markup(folder, capsys):
    body = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
    ends = '<parent link="a"/><child link="b"/><limit lower="-1" upper="1" velocity="2"/>'
    joint = f'<joint name="[red]j\u202e" type="revolute">{ends}</joint>'
    (folder / "arm.urdf").write_text(f'<robot name="r"><link name="a"/><link name="b">{body}</link>{joint}</robot>', "utf-8")
    assert main(["export", "arm.urdf", "--to", "mjcf"]) == 0
    assert "[red]j\\u202e 2 rad/s" in capsys.readouterr().out

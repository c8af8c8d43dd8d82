"""A stranger designs a motion, plays it on the virtual robot and identifies the robot: words, files, pages, codes."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import bifilar as bf

ROOT = Path(__file__).resolve().parents[2]


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_a_motion_from_the_command_line(bifilar, tmp_path):
    code, out, err = bifilar(
        "design", "panda", "--duration", "10", "--starts", "1", "-o", "excite.csv", "--above", "flange=0.15"
    )
    assert code == 0 and err == ""
    assert names(tmp_path) == {
        *("excite.csv", "excite_10.csv", "excite_25.csv", "excite_50.csv", "excite.certificate.json", "excite.html"),
    }
    for piece in ("limits and 1 constraint hold at every instant", "joint7", "of velocity", "room left", "least known"):
        assert piece in out
    assert "bifilar simulate panda excite.csv -o train.parquet" in out and "excite_10.csv first" in out
    robot, motion = bf.Robot.load("panda"), bf.load_motion("excite.csv")
    assert motion.joint_names == robot.joint_names and motion.time[-1] == 10.0
    assert np.all(np.abs(motion.velocity) < robot.limits.velocity)
    assert robot.pose("flange", motion.position)[1][:, 2].min() >= 0.15
    assert bf.Certificate.load("excite.certificate.json").covers(robot, "excite_10.csv").speed == 0.1


def test_what_a_motion_tells_in_a_narrow_terminal(bifilar, monkeypatch):
    """Counts are broken between two of them, and percentages say of what they are."""
    monkeypatch.setenv("COLUMNS", "50")
    code, out, _ = bifilar("design", "two_link", "--duration", "5", "--starts", "1", "-o", "x.csv", "--no-page", "--no-ladder")
    assert code == 0 and "\\n" not in out and "± of its size" in out and "a parameter's size: its stated value" in out


def test_words_mean_what_the_library_means(bifilar):
    words = ["design", "two_link", "--duration", "5", "--starts", "2", "--seed", "3", "--no-page", "--no-ladder", "--json"]
    code, out, err = bifilar(*words, "--friction", "none", "-o", "a.parquet")
    said = json.loads(out)
    assert code == 0 and err == ""
    ours = bf.design(bf.Robot.load("two_link"), duration=5.0, starts=2, seed=3)
    assert said["value"] == pytest.approx(ours.value, rel=1e-6)
    assert np.allclose(bf.load_motion("a.parquet").position, ours.motion.sample(100).position, atol=1e-6)
    assert {name: row["deviation"] for name, row in said["deviations"].items()} == pytest.approx(ours.deviations, rel=1e-4)
    assert set(said) == {
        *("bifilar", "robot", "duration", "harmonics", "criterion", "value", "score", "starts", "stopped", "joints", "margins"),
        *("second_opinion", "known", "deviations", "files", "certified", "constraints", "not_checked", "removed", "stale"),
    }


def test_a_second_motion_shows_what_the_first_did_not(bifilar):
    words = ["two_link", "--duration", "5", "--starts", "1", "--no-page", "--no-ladder", "--json"]
    alone = json.loads(bifilar("design", *words, "-o", "first.csv")[1])
    both = json.loads(bifilar("design", *words, "-o", "second.csv", "--after", "first.csv")[1])
    worst = [max(row["deviation"] for row in said["deviations"].values()) for said in (alone, both)]
    assert worst[1] < worst[0] / 1.3  # twice the data alone give a factor of 1.4


def test_a_start_pose_a_box_and_a_speed(bifilar):
    words = ("--start", "joint2=0.5", "joint1=0.1", "--within", "link2=-0.2,,:,,", "--speed", "link2=0.4")
    code, out, _ = bifilar("design", "two_link", "--duration", "5", "--starts", "1", "--no-page", "-o", "a.csv", *words)
    assert code == 0 and "speed of link2" in out
    motion, robot = bf.load_motion("a.csv"), bf.Robot.load("two_link")
    assert np.allclose(motion.position[[0, -1]], [0.1, 0.5], atol=1e-9)
    assert robot.pose("link2", motion.position)[1][:, 0].min() >= -0.2


def test_a_controller_gets_yaml(bifilar, tmp_path):
    yaml = pytest.importorskip("yaml")
    assert bifilar("design", "two_link", "--duration", "5", "--starts", "1", "--no-page", "--no-ladder", "-o", "a.yaml")[0] == 0
    said = yaml.safe_load((tmp_path / "a.yaml").read_text())
    assert said["joint_names"] == ["joint1", "joint2"] and len(said["points"]) == 501


def test_a_certified_motion_is_executable_and_a_changed_one_is_not(bifilar, tmp_path):
    assert bifilar("design", "two_link", "--duration", "5", "--starts", "1", "--no-page", "-o", "a.csv")[0] == 0
    code, out, err = bifilar("simulate", "two_link", "a.csv", "-o", "train.parquet", "--no-page")
    assert code == 0 and err == "" and "executable: the certificate covers" in out
    for piece in ("mrad", "of its limit", "train.parquet", "dropped"):
        assert piece in out
    (tmp_path / "a.csv").write_text((tmp_path / "a.csv").read_text() + "\n")
    code, out, _ = bifilar("simulate", "two_link", "a.csv", "-o", "b.parquet", "--no-page")
    assert code == 0 and "not certified: a.csv was changed after it was certified" in out and "executable:" not in out
    (tmp_path / "limits.toml").write_text("[joints.joint1]\nvelocity = 1.0\n")
    out = bifilar("simulate", "two_link", "a_50.csv", "-o", "c.csv", "--no-page", "--limits", "limits.toml")[1]
    assert "not certified: a_50.csv was certified for other limits" in out


def test_machines_and_sensors(bifilar):
    bf.save_motion("move.csv", bf.quintic(["joint2", "joint1"], [[0, 0], [0.5, 1]], [0, 1]).sample(100))
    machine = ("--friction", "viscous=0.5", "joint1.coulomb=0.2", "--payload", "link2=0.5:0.1,0,0")
    code, out, _ = bifilar(
        "simulate", "two_link", "move.csv", "-o", "a.npz", "--noise", "none", "--rate", "500", "--json", *machine
    )
    said = json.loads(out)
    assert code == 0 and said["samples"] == 501 and said["dropped"] == 0 and not said["certified"]
    truth = bf.Recording.load("a.npz").truth
    assert truth.parameters["joint2.viscous"] == 0.5 and truth.parameters["joint1.coulomb"] == 0.2
    mass = bf.Robot.load("two_link").parameters()["link2.mass"]
    assert truth.parameters["link2.mass"] == pytest.approx(mass + 0.5)
    assert truth.position[-1] == pytest.approx([1.0, 0.5], abs=0.05)


def test_motors_that_give_all_they_have_are_code_1(bifilar):
    bf.save_motion("fast.csv", bf.quintic(["joint1"], [[0.0], [3.0]], [0.0, 0.25]).sample(400))
    code, out, _ = bifilar("simulate", "pendulum", "fast.csv", "-o", "a.csv", "--no-page")
    assert code == 1 and "Motors gave all they have" in out


def test_pages_need_no_network_and_take_names_literally(bifilar, tmp_path):
    text = (
        '<robot name="&lt;b&gt;arm"><link name="base"/><link name="&lt;/script&gt;rod"><inertial><mass value="1"/>'
        '<origin xyz="0.2 0 0"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        '<joint name="&lt;img src=x&gt;" type="revolute"><parent link="base"/><child link="&lt;/script&gt;rod"/>'
        '<axis xyz="0 1 0"/><limit lower="-1" upper="1" velocity="2" effort="10"/></joint></robot>'
    )
    (tmp_path / "arm.urdf").write_text(text)
    assert bifilar("design", "arm.urdf", "--duration", "5", "--starts", "1", "-o", "a.csv")[0] == 0
    assert bifilar("simulate", "arm.urdf", "a.csv", "-o", "b.csv")[0] == 0
    for name in ("a.html", "b.html"):
        page = (tmp_path / name).read_text("utf-8")
        assert "default-src 'none'" in page and "<img src" not in page and "&lt;img src=x&gt;" in page
        assert not re.search(r"""(?:src|href)=["']?(?:https?:)?//""", page)
        (space,) = re.findall(r'<script type="application/json">(.*?)</script>', page, re.S)
        assert json.loads(space)["frames"] and page.count('class="plot"') >= 3


@pytest.mark.skipif(os.name == "nt", reason="no pseudo terminals")
def test_progress_is_shown_in_a_terminal_only(tmp_path):
    pty = pytest.importorskip("pty")
    command = [sys.executable, "-m", "bifilar", "design", "two_link", "--duration", "3", "--starts", "2", "--no-page", "-o"]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src"), "TERM": "xterm", "COLUMNS": "120"}
    ours, theirs = pty.openpty()
    run = subprocess.Popen([*command, str(tmp_path / "a.csv")], stdout=subprocess.PIPE, stderr=theirs, env=environment)
    os.close(theirs)
    seen = b""
    while True:
        try:
            seen += (more := os.read(ours, 4096))
        except OSError:
            break
        if not more:
            break
    assert run.communicate(timeout=120)[0] and run.returncode == 0
    assert re.search(rb"start 1 of 2 .*D \d+\.\d\d.*least room \d+\.\d %", seen)


def test_a_constraint_the_certificate_does_not_know_is_no_permission(bifilar, tmp_path):
    wall = '[[above]]\nframe = "link2"\nleast = -3.0\n'
    (tmp_path / "lp.toml").write_text(wall)
    words = ("design", "two_link", "--duration", "5", "--starts", "1", "--no-page", "--no-ladder")
    assert bifilar(*words, "-o", "a.csv")[0] == 0
    assert bifilar(*words, "-o", "b.csv", "--limits", "lp.toml")[0] == 0
    play = ("simulate", "two_link", "--no-page", "--limits", "lp.toml", "--noise", "none", "--json")
    said = json.loads(bifilar(*play, "a.csv", "-o", "a.npz")[1])
    assert not said["certified"]
    assert said["not_certified_because"] == "the certificate does not know the constraint Above (link2 -3) of lp.toml"
    said = json.loads(bifilar(*play, "b.csv", "-o", "b.npz")[1])
    assert said["certified"] and any("self-collision" in entry for entry in said["not_checked"])
    (tmp_path / "lp.toml").write_text(wall.replace("-3.0", "-2.9"))
    assert not json.loads(bifilar(*play, "b.csv", "-o", "c.npz")[1])["certified"]


def test_a_changed_machine_is_not_what_was_certified(bifilar):
    words = ("design", "two_link", "--duration", "5", "--starts", "1", "--no-page", "--no-ladder", "-o", "a.csv")
    assert bifilar(*words)[0] == 0
    code, out, _ = bifilar("simulate", "two_link", "a.csv", "-o", "a.npz", "--no-page", "--payload", "link2=500")
    out = " ".join(out.split())
    assert code == 1 and "executable on the robot as described" in out and "which --payload changed" in out
    assert "\\n" not in out and "not checked: " in out
    assert "The machine left its limits: " in out


def test_what_an_earlier_motion_left_behind_is_removed_or_named(bifilar, tmp_path):
    words = ("design", "two_link", "--duration", "5", "--starts", "1", "-o", "a.csv")
    assert bifilar(*words)[0] == 0
    page = (tmp_path / "a.html").read_text("utf-8")
    assert "position, velocity and torque limits, at every instant" in page and "not checked" in page and "floor" in page
    (tmp_path / "a_50.csv").write_text("mine now")
    code, out, _ = bifilar(*words, "--seed", "1", "--no-ladder", "--no-page", "--force")
    assert code == 0 and "removed, of the earlier motion: a_10.csv, a_25.csv" in out
    assert "certified by nothing now: a_50.csv, a.html" in out
    assert names(tmp_path) == {"a.csv", "a_50.csv", "a.html", "a.certificate.json"}


def test_margins_of_constraints(bifilar):
    words = ("design", "two_link", "--duration", "5", "--starts", "1", "--no-page", "--no-ladder", "--json")
    walls = ("--speed", "link2=0.4", "--within", "link2=-0.2,,:,,", "--clearance", "0.05", "--margin", "0.1")
    said = json.loads(bifilar(*words, *walls, "-o", "a.csv")[1])
    room = {margin["name"]: margin["room"] for margin in said["margins"]}
    assert said["certified"] and room["speed of link2"] > 0.03 and room["link2 along x, lower"] > 0.045  # bounds, from below
    robot, motion = bf.Robot.load("two_link"), bf.load_motion("a.csv")
    wall = bf.SpeedBelow("link2", 0.4, margin=0.1).on(robot)
    assert wall.rooms(motion.position, motion.velocity, motion.acceleration).min() >= -1e-9
    assert robot.pose("link2", motion.position)[1][:, 0].min() >= -0.15 - 1e-9
    assert {row["kind"] for row in said["constraints"]} >= {"SpeedBelow", "Within"}


def test_yaml_promises_no_simulation(bifilar):
    code, out, _ = bifilar("design", "two_link", "--duration", "5", "--starts", "1", "--no-page", "-o", "a.yaml")
    assert code == 0 and "without a machine" not in out and "a_10.yaml first" in out and "for a controller" in out


def test_joints_are_locked_by_pattern(bifilar):
    words = (
        "design",
        "panda",
        "--lock",
        "joint[3-7]",
        "--duration",
        "5",
        "--starts",
        "1",
        "--no-page",
        "--no-ladder",
        "--json",
    )
    assert set(json.loads(bifilar(*words, "-o", "a.csv")[1])["joints"]) == {"joint1", "joint2"}


def test_the_limits_file_of_the_readme(tmp_path):
    text = re.search(r"```toml\n(\[joints.*?)```", (ROOT / "README.md").read_text("utf-8"), re.S).group(1)
    file, robot = tmp_path / "limits.toml", bf.Robot.load("panda").renamed({"joint4": "elbow", "flange": "hand"})
    file.write_text(text.replace("lower = -2.0\nupper = 2.0", "lower = -2.0\nupper = -0.5"))
    assert robot.with_limits(file).limits.jerk[3] == 500
    kinds = [type(constraint).__name__ for constraint in bf.load_constraints(robot, file)]
    assert kinds == ["Above", "Within", "SpeedBelow", "Clearance"]

"""fit, validate, rerun and demo as a stranger uses them: again, from another folder, with the wrong log."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
from processes import content

import bifilar as bf
from bifilar.cli.validate import Settings
from bifilar.validate.verdict import Thresholds

ROOT = Path(__file__).parents[2]
FRICTION = bf.Viscous() + bf.Coulomb()
TRUE = {"joint1.viscous": 0.2, "joint2.viscous": 0.1, "joint1.coulomb": 0.3, "joint2.coulomb": 0.15}
NOISE = (0.05, 0.02)  # [N m]


def log(path: Path, seed: int, *, scale: float = 1.0, mass: float = 1.2) -> Path:
    """Six seconds of a two-link arm whose links are heavier than described, with friction that nobody described."""
    robot = bf.Robot.load("two_link")
    own = robot.parameters()
    heavy = robot.with_parameters({name: mass * own[name] for name in own.names if name.startswith("link2")})
    heavy = heavy.with_friction(FRICTION, TRUE)
    rng = np.random.default_rng(seed)
    t = np.arange(0, 6, 0.005)[:, None, None]
    size, rate, phase = rng.uniform(0.3, 0.6, (2, 3)), rng.uniform(1, 6, (2, 3)), rng.uniform(0, 6, (2, 3))
    q = (size * np.sin(rate * t + phase)).sum(-1)
    v, a = (size * rate * np.cos(rate * t + phase)).sum(-1), -(size * rate**2 * np.sin(rate * t + phase)).sum(-1)
    torque = heavy.inverse_dynamics(q, v, a) + rng.normal(size=q.shape) * NOISE
    bf.Recording(joint_names=robot.joint_names, time=t[:, 0, 0], position=q, torque=scale * torque).save(path)
    return path


@pytest.fixture
def logs(tmp_path):
    return log(tmp_path / "train.csv", 1), log(tmp_path / "test.csv", 2)


def test_a_robot_identified_judged_again_and_run_again(bifilar, logs, tmp_path, monkeypatch):
    code, out, err = bifilar("fit", "two_link", "train.csv", "--test", "test.csv")
    assert (code, err) == (0, "") and re.search(r"^verdict  good$", out, re.M)
    assert "next     bifilar export runs/two_link-001 -o two_link.xml" in out
    run = tmp_path / "runs" / "two_link-001"
    said = json.loads((run / "run.json").read_text("utf-8"))
    assert "prior.chosen" in [note["code"] for note in said["estimate"]["findings"]]
    assert said["verdict"]["relative_error"] < said["verdict"]["relative_error_of_description"] / 3
    estimate = bf.load_estimate(run)
    for name, true in TRUE.items():
        value, deviation = estimate.parameters[name], dict(zip(estimate.parameters.names, estimate.parameter_deviations))[name]
        assert abs(value - true) < 4 * deviation
    log(tmp_path / "third.csv", 3)
    assert bifilar("validate", str(run), "third.csv")[0] == 0
    monkeypatch.chdir(run)  # wherever one stands
    code, out, _ = bifilar("rerun", str(run), "--json")
    assert code == 0 and json.loads(out)["same"] is True
    monkeypatch.chdir(tmp_path)
    log(tmp_path / "train.csv", 5)
    code, _, err = bifilar("rerun", str(run))
    assert code == 3 and "not what it was" in err
    (tmp_path / "train.csv").unlink()
    code, _, err = bifilar("rerun", str(run))
    assert code == 3 and "is gone" in err


def test_a_total_mass_that_was_weighed_is_kept(bifilar, logs):
    """Exactly, or to its deviation."""
    own = bf.Robot.load("two_link").parameters()
    total = own["link1.mass"] + 1.2 * own["link2.mass"]
    for words, slack in (((f"{total:.9f}",), 1e-6), ((f"{total:.9f}", "0.1"), 0.3)):
        code, out, _ = bifilar(
            "fit", "two_link", "train.csv", "--test", "test.csv", "--total-mass", *words, "--json", "--force", "-o", "run"
        )
        assert code == 0
        masses = [p["value"] for p in json.loads(out)["estimate"]["parameters"] if p["name"].endswith(".mass")]
        assert abs(sum(masses) - total) < slack


def test_every_threshold_of_a_verdict_is_an_option(bifilar, logs, tmp_path):
    """The same defaults, and each one changes the verdict on the same log if it is moved far enough."""
    for field in fields(Thresholds):
        assert getattr(Settings(run="run", logs=()), field.name) == field.default
    assert bifilar("fit", "two_link", "train.csv", "--test", "none", "--no-page", "-o", "run")[0] == 0
    moved = {
        (): "good",
        ("--good", "1e-4", "--usable", "0.5"): "usable",
        ("--good", "1e-5", "--usable", "1e-4"): "poor",
        ("--good", "0.01"): "good",
        ("--good", "0.01", "--over-noise", "0.01"): "usable",  # one joint is beyond both
        ("--least-eigenvalue", "100"): "refused",
        ("--worse", "1e-3", "--over-noise", "0.01", "--negligible", "0"): "refused",
        ("--worse", "1e-3", "--over-noise", "0.01", "--negligible", "0.5"): "good",
    }
    for words, level in moved.items():
        code, out, _ = bifilar("validate", "run", "test.csv", *words, "--json")
        assert json.loads(out)["verdict"]["level"] == level and code == (0 if level in ("good", "usable") else 1), words


def test_a_run_again_compares_more_than_values(bifilar, logs, tmp_path):
    fit = ("fit", "two_link", "train.csv", "--test", "test.csv", "--no-page", "--score-cutoff", "8", "-o", "run")
    assert bifilar(*fit)[0] == 0
    code, out, _ = bifilar("rerun", "run")
    assert code == 0 and "the same values, deviations, verdict and score to the last digit" in " ".join(out.split())
    place = tmp_path / "run" / "run.json"
    whole = place.read_text("utf-8")
    for key, path, value in (
        ("verdict", ("verdict", "level"), "usable"),
        ("verdict", ("verdict", "relative_error"), 0.5),
        ("score", ("score", "relative_error"), 0.5),
    ):
        about = json.loads(whole)
        about[path[0]][path[1]] = value
        place.write_text(json.dumps(about), "utf-8")
        code, out, _ = bifilar("rerun", "run", "--json")
        assert code == 1 and json.loads(out)["differ"] == [key] and json.loads(out)["same"] is False
    assert json.loads(out)["compared"] == ["values", "deviations", "verdict", "score"]
    code, out, _ = bifilar("rerun", "run")
    assert code == 1 and "score differ" in out
    place.write_text(whole, "utf-8")
    numbers = dict(np.load(tmp_path / "run" / "estimate.npz"))
    np.savez(tmp_path / "run" / "estimate.npz", **{**numbers, "covariance": 1.1 * numbers["covariance"]})
    code, out, _ = bifilar("rerun", "run", "--json")
    assert code == 1 and json.loads(out)["differ"] == ["deviations"] and json.loads(out)["largest_difference"] == 0


def test_a_log_that_changes_during_the_fit_is_not_taken_for_the_one_that_was_fitted(bifilar, logs, tmp_path, monkeypatch):
    from bifilar.cli import fit_run

    def overtaken(*given, **words):
        log(tmp_path / "train.csv", 7)
        return judged(*given, **words)

    judged = fit_run.judge
    monkeypatch.setattr(fit_run, "judge", overtaken)
    assert bifilar("fit", "two_link", "train.csv", "--test", "test.csv", "--no-page", "-o", "run")[0] == 0
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    code, _, err = bifilar("rerun", "run")
    assert code == 3 and "not what it was" in " ".join(err.split())


def test_what_was_fitted_is_no_test_under_any_name(bifilar, logs):
    assert bifilar("convert", "train.csv", "copy.npz")[0] == 0
    code, _, err = bifilar("fit", "two_link", "train.csv", "--test", "copy.npz")
    assert code == 2 and "holds samples that are fitted" in err
    code, _, err = bifilar("fit", "two_link", "train.csv", "copy.npz")
    assert code == 2 and "same samples" in err
    assert bifilar("fit", "two_link", "train.csv", "--test", "none", "--no-page", "-o", "run")[0] == 0
    code, _, err = bifilar("validate", "run", "copy.npz")
    assert code == 2 and "was fitted by this run" in err
    lines = Path("train.csv").read_text().splitlines(keepends=True)
    Path("cut.csv").write_text("".join([lines[0], *lines[40::2]]))  # samples that are fewer are still the same
    code, _, err = bifilar("fit", "two_link", "train.csv", "--test", "cut.csv")
    assert code == 2 and "holds samples that are fitted" in err
    code, _, err = bifilar("validate", "run", "cut.csv")
    assert code == 2 and "was fitted by this run" in err


def test_a_verdict_does_not_blame_the_robot_for_the_log(bifilar, logs, tmp_path):
    assert bifilar("fit", "two_link", "train.csv", "--test", "none", "--no-page", "-o", "run")[0] == 0
    log(tmp_path / "milli.csv", 4, scale=1000.0)
    code, _, err = bifilar("validate", "run", "milli.csv")
    assert code == 3 and "--unit torque='mN m'" in err
    assert bifilar("validate", "run", "milli.csv", "--unit", "torque=mN m")[0] == 0
    code, out, _ = bifilar("validate", "run", "milli.csv", "--anyway")
    assert code == 1 and "poor" in out
    code, out, _ = bifilar("fit", "two_link", "milli.csv", "--anyway", "--no-page", "-o", "odd")
    assert "check    error in milli.csv: torque" in out  # it went on, and says in spite of what


def test_nobody_s_files_are_replaced(bifilar, logs, tmp_path):
    fit = ["fit", "two_link", "train.csv", "--test", "none", "--no-page", "-o"]
    assert bifilar(*fit, "run")[0] == 0
    before = content(tmp_path / "run")
    code, _, err = bifilar(*fit, "run")
    assert code == 3 and "--force" in err
    assert bifilar("rerun", "run", "-o", "run")[0] == 3 and content(tmp_path / "run") == before
    (tmp_path / "run" / "notes.txt").write_text("mine")
    code, _, err = bifilar(*fit, "run", "--force")
    assert code == 3 and "notes.txt" in err and (tmp_path / "run" / "notes.txt").read_text() == "mine"
    (tmp_path / "run" / "notes.txt").unlink()
    assert bifilar(*fit, "run", "--force")[0] == 0
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "train.parquet").write_text("mine")
    code, _, err = bifilar("demo", "-o", "work")
    assert code == 3 and "train.parquet" in err and (tmp_path / "work" / "train.parquet").read_text() == "mine"


def test_the_page_about_identification_runs(tmp_path, monkeypatch, capsys):
    page = (ROOT / "docs" / "identification.md").read_text("utf-8")
    for seed, name in enumerate(("train", "other"), 1):
        log(tmp_path / f"{name}.csv", seed)
    log(tmp_path / "loaded.csv", 3, mass=2.0)
    monkeypatch.chdir(tmp_path)
    said: dict = {}
    for block in re.findall(r"```python\n(.*?)```", page, re.S):
        exec(compile(block, "identification.md", "exec"), said)
    assert said["verdict"].level == "good" and Path("identified.urdf").is_file() and Path("identified.xml").is_file()
    capsys.readouterr()


def test_joints_that_stood_still_are_held_where_the_log_has_them(bifilar, tmp_path):
    robot = bf.Robot.load("two_link")
    rng, t = np.random.default_rng(0), np.arange(4000) / 200

    def write(name: str, phase: float, at: float, columns: tuple[str, str]) -> None:
        q = np.column_stack([0.8 * np.sin(1.1 * t + phase) + 0.5 * np.sin(2.9 * t), np.full(len(t), at)])
        v, a = np.gradient(q, t, axis=0), np.gradient(np.gradient(q, t, axis=0), t, axis=0)
        tau = robot.inverse_dynamics(q, v, a) + 0.02 * rng.standard_normal(q.shape)
        q = q + 1e-6 * rng.standard_normal(q.shape)
        head = ",".join(["t", *(f"{c}_pos" for c in columns), *(f"{c}_torque" for c in columns)])
        np.savetxt(tmp_path / name, np.column_stack([t, q, tau]), delimiter=",", header=head, comments="", fmt="%.9g")

    names = ("joint1", "joint2")
    for name, phase in (("train.csv", 0.0), ("test.csv", 2.0)):
        write(name, phase, -0.7, names)
    words = ("fit", "two_link", "train.csv", "--test", "test.csv", "--no-page", "--json")
    code, out, err = bifilar(*words, "-o", "held", "--lock", "joint2")
    said = json.loads(out)["verdict"]
    assert code == 0 and said["relative_error_of_description"] < 0.05, (err, said)  # at zero it would err by far more
    code, out, _ = bifilar(*words, "-o", "given", "--lock", "joint2=-0.7")
    assert json.loads(out)["verdict"]["relative_error"] == pytest.approx(said["relative_error"], rel=1e-2)
    code, _, err = bifilar(*words[:-1], "-o", "wrong", "--lock", "joint2=0.7")
    assert code == 2 and "stands at -0.7" in err
    code, _, err = bifilar(*words[:-1], "-o", "wrong", "--lock", "joint1")
    assert code == 2 and "it moves from" in err
    code, _, err = bifilar(*words[:-1], "-o", "wrong", "--lock", "joint2=low")
    assert code == 2 and "no position" in err
    assert bifilar("validate", "held", "test.csv")[0] == 0
    write("elsewhere.csv", 1.0, 0.4, names)
    code, _, err = bifilar("validate", "held", "elsewhere.csv")
    assert code == 2 and "stands at 0.4" in err
    code, out, _ = bifilar("check", "train.csv", "--robot", "two_link", "--lock", "joint2")
    assert code == 0 and "not in the description" not in out
    write("numbered.csv", 1.0, -0.7, ("q1", "q2"))
    text = (tmp_path / "numbered.csv").read_text()
    (tmp_path / "numbered.csv").write_text(text.replace("q1_pos,q2_pos,q1_torque,q2_torque", "q1,q2,tau1,tau2"))
    code, _, err = bifilar(
        "fit", "two_link", "numbered.csv", "--by-position", "--lock", "joint2", "--no-page", "-o", "numbered"
    )
    assert code == 0, err


def plain_text(path: Path, source: Path, head: str, scale: float = 1.0) -> None:
    """A log with a head of one's own."""
    log = bf.Recording.load(source)
    table = np.column_stack([log.time, scale * np.array(log.position), np.array(log.torque)])
    np.savetxt(path, table, header=head, comments="", delimiter=",", fmt="%.9g")


def test_one_unit_for_logs_of_two_units(bifilar, logs):
    plain_text(Path("deg.csv"), logs[0], "time,joint1_pos,joint2_pos,joint1_torque,joint2_torque", np.degrees(1.0))
    plain_text(Path("rad.csv"), logs[1], "time,joint1_pos,joint2_pos,joint1_torque,joint2_torque")
    code, _, err = bifilar("fit", "two_link", "deg.csv", "--test", "rad.csv", "--unit", "position=deg", "--no-page")
    said = " ".join(err.split())
    assert code == 3 and "'rad.csv' moves" in said and "bifilar convert deg.csv deg.parquet --unit position=deg" in said
    assert bifilar("convert", "deg.csv", "deg.parquet", "--unit", "position=deg")[0] == 0
    assert bifilar("fit", "two_link", "deg.parquet", "--test", "rad.csv", "--no-page")[0] == 0


def test_numbered_columns_of_an_arm_with_a_finger(bifilar, logs, tmp_path):
    """Six numbers of a log are not seven joints of a description; --lock says which have no column."""
    two = bf.Robot.load("two_link")
    two.save(tmp_path / "two.urdf")
    finger = """<link name="finger"><inertial><mass value="0.01"/><inertia ixx="1e-6" iyy="1e-6" izz="1e-6" ixy="0" ixz="0"
    iyz="0"/></inertial></link><joint name="finger" type="prismatic"><parent link="tip"/><child link="finger"/>
    <limit lower="0" upper="0.04" velocity="1" effort="1"/></joint></robot>"""
    (tmp_path / "hand.urdf").write_text((tmp_path / "two.urdf").read_text().replace("</robot>", finger))
    plain_text(Path("numbers.csv"), logs[0], "time,q0,q1,tau0,tau1")
    code, _, err = bifilar("fit", "hand.urdf", "numbers.csv", "--by-position", "--no-page")
    assert code == 3 and "--lock finger" in " ".join(err.split())
    for verb in (["fit", "hand.urdf", "numbers.csv", "--no-page"], ["check", "numbers.csv", "--robot", "hand.urdf"]):
        code, _, err = bifilar(*verb, "--by-position", "--lock", "finger")
        assert code == 0, err
        code, _, err = bifilar(*verb, "--lock", "finger", "--force")  # as many numbers as joints are left, in their order
        assert code == 0, err
        code, _, err = bifilar(*verb, "--by-position", "--lock", "finger", "--sign", "jont1=-1")
        assert code == 3 and "a sign is declared for 'jont1'" in err and "a misspelling of 'joint1'" in err
        code, _, err = bifilar(*verb, "--lock", "finger", "--sign", "*=-1")
        out = " ".join(err.split())
        assert code in (1, 3) and ("leave out --sign" in out or verb[0] == "check")


def test_a_description_whose_joints_have_other_names(bifilar, logs):
    plain_text(Path("named.csv"), logs[0], "time,arm_joint1_pos,arm_joint2_pos,arm_joint1_torque,arm_joint2_torque")
    code, _, err = bifilar("fit", "two_link", "named.csv", "--no-page")
    assert code == 3 and "other names than the robot's" in err and "arm_joint1_pos" in err and "joint1, joint2" in err

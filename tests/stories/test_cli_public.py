"""Public recordings from the command line, by name: each is identified with the robot it is of, none ends in a traceback."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import bifilar as bf

SETS = [  # robot, logs, what holds of the error on motion that was not fitted
    ("panda_gaz:robot", ["panda_gaz"], 0.05),
    ("tiago", ["tiago"], 0.5),
    ("kuka_lwr4:robot", ["kuka_lwr4:1", "--test", "kuka_lwr4:2"], 0.05),
    ("kinova_gen3", ["kinova_gen3:1", "kinova_gen3:2", "--test", "kinova_gen3:3"], 0.2),
    ("rokae_xmate7", ["rokae_xmate7"], 0.2),
    ("two_link:robot", ["two_link:slow", "--test", "two_link:norm"], 0.2),
    ("pendulum:robot", ["pendulum:harmonic_input_1", "--test", "pendulum:harmonic_input_2"], 0.5),
    ("staubli_tx40", ["staubli_tx40"], 0.3),
]


@pytest.mark.parametrize(("robot", "logs", "most"), SETS, ids=[robot for robot, *_ in SETS])
def test_a_public_recording_is_identified_by_its_name(robot, logs, most, bifilar, dataset):
    dataset(robot.partition(":")[0])
    code, out, err = bifilar("fit", robot, *logs, "-o", "run", "--no-page", "--json")
    assert code in (0, 1, 3) and "Traceback" not in err
    if code == 3:  # refused with a way out; taken anyway, it must work
        assert "--anyway" in " ".join(err.split())
        code, out, err = bifilar("fit", robot, *logs, "-o", "run", "--no-page", "--json", "--anyway")
    assert code in (0, 1), err
    facts = json.loads(out)
    predictor = (facts["torque_predictor"] or {}).get("verdict")
    handed = [facts["verdict"], *([predictor] if predictor else [])]
    assert 0 < min(one["relative_error"] for one in handed) < most
    if robot in ("two_link:robot", "rokae_xmate7"):  # what a run again compares is the same for all
        assert bifilar("rerun", "run")[0] == 0


def test_a_built_in_robot_goes_before_a_public_one(bifilar, dataset):
    dataset("kuka_lwr4")
    ours, theirs = (json.loads(bifilar("inspect", name, "--json")[1])["robot"] for name in ("kuka_lwr4", "kuka_lwr4:robot"))
    assert ours != theirs
    assert (
        bf.Robot.load("kuka_lwr4").joint_names == bf.datasets.robot("kuka_lwr4").joint_names or ours["name"] != theirs["name"]
    )


def test_the_robot_of_another_recording_is_told_by_its_name(bifilar, dataset):
    dataset("panda_gaz")
    code, _, err = bifilar("fit", "panda", "panda_gaz")
    assert code == 3 and "name panda_gaz:robot in place of it" in " ".join(err.split())


def test_what_the_written_urdf_misses_by_itself_is_said(bifilar, dataset):
    """Large offsets of joint torque sensors have no place in a URDF: whoever uses the file must know what that costs."""
    dataset("kinova_gen3")
    logs = ("kinova_gen3:1", "kinova_gen3:2", "--test", "kinova_gen3:3")
    code, out, _ = bifilar("fit", "kinova_gen3", *logs, "-o", "run", "--no-page", "--json")
    facts = json.loads(out)
    estimate, read, log = bf.load_estimate("run"), bf.Robot.load("run/identified.urdf"), bf.datasets.load("kinova_gen3", "3")
    samples = bf.prepare(log, estimate.recipe, robot=read)
    alone = np.linalg.norm(samples.torque - samples.predict(read)) / np.linalg.norm(samples.torque)
    files = {one["format"]: one for one in facts["files"]}
    assert code == 0 and files["URDF"]["relative_error"] == pytest.approx(alone, rel=1e-6)
    assert files["URDF"]["level"] == "poor" and facts["verdict"]["level"] in ("good", "usable")
    assert alone > 4 * facts["verdict"]["relative_error"]
    said = " ".join(bifilar("export", "run", "-o", "k.urdf")[1].split())
    assert f"NRMSE {100 * alone:.3g} %" in said
    shown = " ".join(bifilar("fit", "kinova_gen3", *logs, "-o", "run", "--no-page", "--force")[1].split())
    assert f"NRMSE {100 * alone:.3g} %" in shown and "without torque offset" in shown


def test_a_smaller_model_of_a_real_arm_can_be_handed_on(bifilar, dataset):
    """Inertias that the motion does not show are dropped: no mass matrix, but a torque model, and one figure for its error."""
    dataset("panda_gaz")
    code, out, _ = bifilar("simplify", "panda_gaz:robot", "panda_gaz", "-o", "run", "--json")
    facts = json.loads(out)
    found = facts["simplified"]
    assert (
        code == 0
        and facts["verdict"]["level"] == "usable"
        and len(found["parameters"]["kept"]) < 0.8 * found["parameters"]["full"]
    )
    assert any("it predicts torque, and is no model to simulate" in reason for reason in facts["verdict"]["reasons"])
    page = Path("run/report.html").read_text("utf-8")
    assert "for gravity compensation and feed-forward" in page and "feed-forward and simulation" not in page
    ours = next(rival for rival in found["rivals"] if rival["rule"] == "relative contribution")
    assert ours["tested"] == pytest.approx(found["tested"][0]["relative_error"], rel=1e-6)
    assert bifilar("export", "run", "-o", "panda.csv")[0] == 0

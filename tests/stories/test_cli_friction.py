"""Friction from the command line to the file: chosen, named, fed back, simulated, carried."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import bifilar as bf
from bifilar.robot.friction_data import friction_from
from bifilar.robot.friction_text import friction_from_text

SMOOTH = bf.Viscous() + bf.Coulomb(width=0.2)
VALUES = {"joint1.viscous": 0.2, "joint2.viscous": 0.1, "joint1.coulomb": 1.5, "joint2.coulomb": 0.7}


def rests(path: Path, seed: int) -> None:
    """From point to point with rests between, of a machine whose Coulomb friction has a smooth sign."""
    machine = bf.Robot.load("two_link").with_friction(SMOOTH, VALUES)
    rng = np.random.default_rng(seed)
    points = np.repeat(rng.uniform(-1.2, 1.2, (12, 2)), 2, axis=0)
    motion = bf.quintic(machine.joint_names, points, np.arange(len(points)) * 0.8).sample(200)
    torque = machine.inverse_dynamics(motion.position, motion.velocity, motion.acceleration)
    q = motion.position + 1e-5 * rng.normal(size=torque.shape)
    torque = torque + 0.02 * rng.normal(size=torque.shape)
    bf.Recording(joint_names=machine.joint_names, time=motion.time, position=q, torque=torque).save(path)


@pytest.fixture
def logs(tmp_path):
    rests(tmp_path / "train.csv", 1)
    rests(tmp_path / "test.csv", 2)


def fitted(bifilar, *words: str, verb: str = "fit") -> dict:
    code, out, err = bifilar(verb, "two_link", "train.csv", "--test", "test.csv", *words, "--anyway", "--no-page", "--json")
    assert code in (0, 1), err
    return json.loads(out)


def test_a_smooth_sign_is_chosen_by_default_and_the_text_of_a_run_fits_it_again(bifilar, logs, tmp_path):
    chosen, usual = fitted(bifilar, "-o", "chosen"), fitted(bifilar, "--friction", "usual", "-o", "usual")
    assert chosen["verdict"]["relative_error"] < 0.7 * usual["verdict"]["relative_error"]
    assert (chosen["friction"]["asked"], usual["friction"]["asked"]) == ("choose", "usual")
    assert usual["friction"]["text"] == "viscous+coulomb:width=0+offset"
    widths = [one["settings"].get("width", 0.0) for one in chosen["friction"]["terms"] if one["term"] == "coulomb"]
    assert widths and all(0.05 < width < 1.0 for width in widths)
    for said in (chosen, usual):
        assert friction_from_text(said["friction"]["text"]) == friction_from(said["estimate"]["friction"])
    again = fitted(bifilar, "--friction", chosen["friction"]["text"], "-o", "again")
    assert again["friction"]["text"] == chosen["friction"]["text"]
    assert again["verdict"]["relative_error"] == pytest.approx(chosen["verdict"]["relative_error"], rel=1e-6)
    carried = {one["term"]: (one["as"], one["how"]) for one in chosen["friction"]["urdf"]}
    assert carried["coulomb"] == ("friction", "hard sign") and carried["viscous"] == ("damping", "exact")
    assert "width" in (tmp_path / "chosen" / "identified.urdf").read_text("utf-8")


def test_terms_by_name_with_an_open_width_and_a_load(bifilar, logs, tmp_path):
    """An open width is chosen, and other signs of the joint take it; a width that is given stays; patterns are joints."""
    text = "viscous:asymmetric+coulomb+stribeck:speed=0.05@*2+power:exponent=0.5@joint1+load+position:harmonic=2,width=0"
    said = fitted(bifilar, "--friction", text, "-o", "many")["friction"]
    found = {(one["term"], joint): one["settings"] for one in said["terms"] for joint in one["joints"]}
    assert set(found) == {
        *((term, joint) for term in ("viscous", "coulomb", "load", "position") for joint in ("joint1", "joint2")),
        *(("stribeck", "joint2"), ("power", "joint1")),
    }
    for joint in ("joint1", "joint2"):
        width = found["coulomb", joint]["width"]
        assert width > 0 and found["load", joint]["width"] == width and "width" not in found["position", joint]
    assert found["stribeck", "joint2"]["width"] == found["coulomb", "joint2"]["width"]
    assert found["viscous", "joint1"]["asymmetric"] is True
    hard = fitted(bifilar, "--friction", "viscous+coulomb:width=0", "-o", "hard")["friction"]
    assert hard["text"] == "viscous+coulomb:width=0" and {one["how"] for one in hard["urdf"]} == {"exact"}
    assert "<!--" not in (tmp_path / "hard" / "identified.urdf").read_text("utf-8").partition("<robot")[2]


def test_simplify_chooses_widths_and_nothing_before_there_is_a_log(bifilar, logs, tmp_path):
    said = fitted(bifilar, "-o", "small", verb="simplify")
    assert said["friction"]["asked"] == "viscous+coulomb+offset"
    assert fitted(bifilar, "-o", "chosen", "--friction", "choose", verb="simplify")["friction"]["asked"] == "choose"
    assert any(one["settings"].get("width", 0) > 0 for one in said["friction"]["terms"])
    assert bifilar("simplify", "two_link", "--next", "steps", "--duration", "5", "--friction", "choose")[0] == 2


def test_a_settings_file_takes_the_same_text(bifilar, logs, tmp_path):
    (tmp_path / "arm.toml").write_text('[fit]\nfriction = "viscous+coulomb:width=0.25@joint1"\n')
    said = fitted(bifilar, "--settings", "arm.toml", "-o", "file")["friction"]
    assert said["text"] == "viscous+coulomb:width=0.25@joint1"
    said = fitted(bifilar, "--settings", "arm.toml", "--friction", "none", "-o", "none")["friction"]  # what is typed wins
    assert said["text"] == "none" and said["terms"] == []


def test_a_run_of_the_time_before_is_run_again_with_the_usual_terms(bifilar, logs, tmp_path):
    fitted(bifilar, "--friction", "usual", "-o", "old")
    file = tmp_path / "old" / "run.json"
    about = json.loads(file.read_text("utf-8"))
    about["settings"]["friction"] = ""
    file.write_text(json.dumps(about))
    code, out, err = bifilar("rerun", "old", "--json")
    assert code == 0 and json.loads(out)["same"] is True, err


def test_any_term_can_be_simulated(bifilar, tmp_path):
    bf.save_motion(tmp_path / "move.csv", bf.quintic(("joint1", "joint2"), [[0.0, 0.0], [0.5, 0.5]], [0.0, 1.0]).sample(100))
    words = ("viscous:asymmetric=0.1/0.2", "joint1.coulomb:width=0.02=0.3", "stribeck:speed=0.05@joint*=0.1", "load=0.01")
    words = (*words, "position:harmonic=2@joint2=0.05", "power:exponent=0.5=0.1", "rotor=0.01", "offset@joint2=0.1")
    code, _, err = bifilar("simulate", "two_link", "move.csv", "-o", "log.csv", "--no-page", "--friction", *words)
    assert code in (0, 1) and (tmp_path / "log.csv").exists(), err

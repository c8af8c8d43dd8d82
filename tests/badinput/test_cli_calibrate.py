"""Logs and numbers that calibrate, gravity and tare must not take: each is refused in one letter, before anything is found.

Gains are what calibrate looks for, so currents of any size and sign are right; what else is wrong with a log is wrong here too.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

import bifilar as bf
from bifilar.cli import main

ARM = bf.Robot.load("two_link")
HEAVY = ARM.with_payload("link2", bf.Inertia.from_center_of_mass(0.5, [0.2, 0, 0], 1e-3 * np.eye(3)))
GAINS = np.array([8.0, 5.0])  # [N m/A]


def swing(arm: bf.Robot, seed: int, speed: float = 1.0) -> bf.Recording:
    """Currents of an arm that swings, with friction and noise; each seed another motion."""
    rng, time, n = np.random.default_rng(seed), np.arange(0, 12, 0.01), len(arm.joint_names)
    rate, size = speed * rng.uniform(1.5, 4.5, (2, n)), rng.uniform(0.4, 0.8, (2, n))
    turns = rate * time[:, None, None]
    q, v, a = ((size * x).sum(axis=1) for x in (np.sin(turns), rate * np.cos(turns), -(rate**2) * np.sin(turns)))
    torque = arm.inverse_dynamics(q, v, a) + 0.3 * v + 0.2 * np.tanh(v / 0.02) + 0.01 * rng.normal(size=q.shape)
    gain = GAINS if n == 2 else np.linspace(3, 9, n)
    return bf.Recording(joint_names=arm.joint_names, time=time, position=q, torque=torque / gain)


def held(arm: bf.Robot, seed: int) -> bf.Recording:
    """Torque and the wrench of a hand, in poses that are held."""
    rng = np.random.default_rng(seed)
    poses = rng.uniform(-1.5, 1.5, (16, len(arm.joint_names)))
    motion = bf.pose_sequence(arm.joint_names, poses, hold=1.0, move=2.0).sample(50)
    torque = arm.inverse_dynamics(motion.position, motion.velocity, motion.acceleration)
    force = np.swapaxes(arm.pose(arm.frame_names[-1], motion.position)[0], 1, 2) @ [0.0, 0.0, 9.81]
    wrench = np.hstack([force, np.cross([0, 0, 0.1], force)]) + 0.01 * rng.normal(size=(len(force), 6))
    torque = torque + 0.01 * rng.normal(size=torque.shape)
    return bf.Recording(joint_names=arm.joint_names, time=motion.time, position=motion.position, torque=torque, wrench=wrench)


def spoilt(log: bf.Recording, word: str) -> bf.Recording:
    """The same log with a mistake in it."""
    if word == "order":
        both = {name: np.asarray(log.get(name))[:, ::-1] for name in ("position", "torque")}
        return bf.Recording(joint_names=log.joint_names, time=log.time, channels=both)
    if word == "dead":
        return log.with_channel("torque", log.torque * [1, 0])
    if word == "ms":
        return log.with_clock(time=1000 * log.time)
    if word == "nominal":  # currents in mA, times the gains
        return log.with_channel("torque", 1000 * GAINS * log.torque)
    name, factor = {"deg": ("position", 180 / np.pi), "motor": ("position", 500.0), "mA": ("torque", 1000.0)}[word]
    return log.with_channel(name, factor * np.asarray(log.get(name)))


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("calibrate")
    logs = {"free": swing(ARM, 1), "loaded": swing(HEAVY, 2), "poses": held(ARM, 3), "hung": held(HEAVY, 4)}
    other = bf.Robot.load("ur10e")
    logs |= {"ur1": swing(other, 5, 0.3), "ur2": swing(other, 6, 0.3), "ur": held(other, 7)}
    for name, log in logs.items():
        log.save(home / f"{name}.csv")
    for name, word in (
        ("free", "deg"),
        ("free", "motor"),
        ("free", "mA"),
        ("free", "ms"),
        ("free", "order"),
        ("loaded", "deg"),
    ):
        spoilt(logs[name], word).save(home / f"{name}_{word}.csv")
    for name, word in (
        ("loaded", "mA"),
        ("poses", "deg"),
        ("poses", "mA"),
        ("ur", "deg"),
        ("hung", "deg"),
        ("free", "nominal"),
        ("loaded", "nominal"),
        ("free", "dead"),
    ):
        spoilt(logs[name], word).save(home / f"{name}_{word}.csv")
    return home


DRIVES = ["calibrate", "two_link", "--mass", "0.5", "--cutoff", "8"]
SENSORS = ["calibrate", "two_link", "--mass", "0.5", "--sensors"]
DEGREES = "likely it is in degrees try --unit position=deg; --anyway takes it as it is"
REFUSED = [
    ([*DRIVES, "--free", "free_deg.csv", "--loaded", "loaded.csv"], 3, DEGREES),
    ([*DRIVES, "--free", "free.csv", "--loaded", "loaded_deg.csv"], 3, DEGREES),
    ([*DRIVES, "--free", "free_motor.csv", "--loaded", "loaded.csv"], 3, "likely it is that of the motors, before the gears"),
    ([*DRIVES, "--free", "free_order.csv", "--loaded", "loaded.csv"], 3, "joints: are in another order: 'joint1' holds"),
    ([*DRIVES, "--free", "free_dead.csv", "--loaded", "loaded.csv"], 3, "'joint2' moves, and cannot be left out"),
    ([*DRIVES, "--free", "free_ms.csv", "--loaded", "loaded.csv"], 3, "where free_ms.csv"),
    ([*DRIVES, "--free", "free_mA.csv", "--loaded", "loaded.csv"], 3, "times that of 'loaded.csv' where free_mA.csv"),
    ([*DRIVES, "--free", "free.csv", "--loaded", "free.csv"], 2, "'free.csv' is named twice likely a log that is named twice"),
    (["calibrate", "puma560", "--mass", "1", "--free", "ur1.csv", "--loaded", "ur2.csv"], 3, "'puma560' does not explain"),
    ([*DRIVES, "--free", "free.csv", "--loaded", "ur1.csv"], 3, "ur1.csv"),
    ([*DRIVES, "--free", "free_deg.csv", "--loaded", "loaded.csv", "--unit", "position=deg"], 3, "'loaded.csv' moves"),
    (
        ["calibrate", "two_link", "--mass", "500", "--free", "free.csv", "--loaded", "loaded.csv"],
        2,
        "--mass 500 is 58 times what the arm itself weighs, 8.57 kg likely it is in grams try --mass 0.5, in kilograms",
    ),
    (["calibrate", "two_link", "--mass", "inf", "--free", "free.csv", "--loaded", "loaded.csv"], 2, "--mass inf"),
    ([*SENSORS, "--free", "poses_deg.csv", "--loaded", "hung.csv"], 3, DEGREES),
    ([*SENSORS, "--free", "poses.csv", "--loaded", "hung_deg.csv"], 3, DEGREES),
    ([*SENSORS, "--free", "poses.csv", "--loaded", "poses.csv"], 2, "named twice"),
    (["gravity", "two_link", "poses_deg.csv"], 3, DEGREES),
    (["gravity", "two_link", "free_deg.csv", "--moving"], 3, DEGREES),
    (["gravity", "two_link", "poses_mA.csv"], 3, "likely it is in mN m try --unit torque='mN m'"),
    (["gravity", "two_link", "poses.csv", "poses_deg.csv", "--unit", "position=deg"], 3, "'poses.csv' moves 57 times less"),
    (["tare", "ur_deg.csv", "--robot", "ur10e"], 3, DEGREES),
]


@pytest.mark.parametrize(("words", "code", "said"), REFUSED, ids=[" ".join(words) for words, _, _ in REFUSED])
def test_what_is_wrong_is_said_in_one_letter(place, monkeypatch, capsys, words, code, said):
    monkeypatch.chdir(place)
    assert main(words) == code
    out, err = capsys.readouterr()
    assert out == "" and said in " ".join(err.split()) and "  try  " in err and "Traceback" not in err, err


FINE = [
    [*DRIVES, "--free", "free.csv", "--loaded", "loaded.csv"],  # two motions
    [*DRIVES, "--free", "free_mA.csv", "--loaded", "loaded_mA.csv"],  # N m/mA
    [*DRIVES, "--free", "free_deg.csv", "--loaded", "loaded_deg.csv", "--unit", "position=deg"],
    [*DRIVES, "--free", "free.csv", "--loaded", "loaded.csv", "--sign", "joint1=-1", "joint2=-1"],  # wired the other way
    [*DRIVES, "--free", "free.csv", "--loaded", "loaded.csv", "--nominal", "7.5", "5.5", "--anyway"],
    [*SENSORS, "--free", "poses.csv", "--loaded", "hung.csv"],
    ["gravity", "two_link", "poses_deg.csv", "--unit", "position=deg"],
    ["gravity", "two_link", "poses_mA.csv", "--unit", "torque=mNm"],
    ["tare", "ur.csv", "--robot", "ur10e", "--steady"],
    ["tare", "ur_deg.csv", "--robot", "ur10e", "--steady", "--unit", "position=deg"],
]


@pytest.mark.parametrize("words", FINE, ids=[" ".join(words) for words in FINE])
def test_what_is_right_or_declared_is_taken(place, monkeypatch, capsys, words):
    monkeypatch.chdir(place)
    assert main([*words, "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts.get("doubt", "") == ""
    if words[0] == "calibrate" and "--sensors" not in words:
        unit = 1000 if "free_mA.csv" in words else 1
        np.testing.assert_allclose(np.abs(facts["factor"]) * unit, GAINS, rtol=0.06)


DOUBTED = [
    ([*DRIVES, "--free", "loaded.csv", "--loaded", "free.csv"], "exchanged", "--free free.csv --loaded loaded.csv"),
    ([*DRIVES, "--free", "loaded.csv", "--loaded", "free.csv", "--sign", "joint1=-1", "joint2=-1"], "exchanged", "--free free"),
    ([*SENSORS, "--free", "hung.csv", "--loaded", "poses.csv"], "exchanged", "--free poses.csv --loaded hung.csv"),
    (
        [*DRIVES, "--free", "free_nominal.csv", "--loaded", "loaded_nominal.csv", "--nominal", "8", "5"],
        "gains are about 0.001 times the nominal ones: is the current in mA",
        "bifilar fit",
    ),
]


@pytest.mark.parametrize(("words", "doubt", "after"), DOUBTED, ids=[" ".join(words) for words, _, _ in DOUBTED])
def test_a_load_that_lifts_and_gains_of_another_unit_are_doubted(place, monkeypatch, capsys, words, doubt, after):
    monkeypatch.chdir(place)
    page = place / f"{abs(hash(str(words)))}.html"
    assert main([*words, "-o", page.name]) == 1
    said = " ".join(capsys.readouterr().out.split())
    assert doubt in said and after in said and doubt in page.read_text()
    if words is DOUBTED[-1][0]:  # the same words for programs
        assert main([*words, "--json"]) == 1
        assert doubt in json.loads(capsys.readouterr().out)["doubt"]


def test_currents_are_calibrated_and_their_gains_make_torques(tmp_path, monkeypatch, capsys):
    """Logs of amperes as they are; what is printed goes into a mapping, by which fit reads torques."""
    monkeypatch.chdir(tmp_path)
    for name, arm, seed in (("free.csv", ARM, 1), ("loaded.csv", HEAVY, 2)):
        log = swing(arm, seed)
        columns = np.column_stack([log.time, log.position, log.torque])
        np.savetxt(name, columns, delimiter=",", header="t,q1,q2,i1,i2", comments="")
    mapping = (
        'joints = ["joint1", "joint2"]\n[clock]\ncolumn = "t"\n[channels.position]\ncolumns = ["q1", "q2"]\nunit = "rad"\n'
        '[channels.current]\ncolumns = ["i1", "i2"]\nunit = "A"\n'
    )
    Path("log.toml").write_text(mapping)
    words = ["calibrate", "two_link", "--free", "free.csv", "--loaded", "loaded.csv", "--mass", "0.5", "--mapping", "log.toml"]
    assert main(words) == 0
    said = " ".join(capsys.readouterr().out.split())
    factors = re.search(r"from = \"current\", factor = (\[.*?\])", said)[1]
    np.testing.assert_allclose(json.loads(factors), GAINS, rtol=0.05)
    Path("log.toml").write_text(f'{mapping}[channels.torque]\nfrom = "current"\nfactor = {factors}\n')
    assert main(["fit", "two_link", "free.csv", "--mapping", "log.toml", "--no-page", "--json", "-o", "run"]) == 0
    assert json.loads(capsys.readouterr().out)["verdict"]["level"] == "good"


def test_currents_that_are_taken_for_torques_give_no_usable_masses(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    swing(ARM, 3).save(Path("amperes.csv"))
    words = ["fit", "two_link", "amperes.csv", "--no-page", "--json", "-o", "run"]
    assert main(words) == 1
    verdict = json.loads(capsys.readouterr().out)["verdict"]
    assert verdict["level"] in ("poor", "refused")
    assert "torque.scale" in [one["facts"].get("mistake", one["code"]) for one in verdict["findings"]]
    assert main([*words, "--force", "--anyway"]) == 1

"""What a certificate stands on: a file without limits through fit, export and design, and the machine in the end."""

from __future__ import annotations

import json

import numpy as np
import pytest
from drawn_machines import drawn

import bifilar as bf
from bifilar.cli import main

ARM = """<mujoco model="arm"><compiler angle="radian"/><worldbody><body name="upper"><joint name="shoulder" axis="0 1 0"
range="-2 2" limited="true"/><inertial pos="0 0 .1" mass="2" diaginertia=".02 .02 .01"/><body name="lower" pos="0 0 .3">
<joint name="elbow" axis="0 1 0" range="-2 2" limited="true"/><inertial pos="0 0 .1" mass="1" diaginertia=".01 .01 .005"/>
</body></body></worldbody></mujoco>"""
FRICTION = bf.Viscous() + bf.Coulomb(width=0.01)
VALUES = {"shoulder.viscous": 0.3, "elbow.viscous": 0.1, "shoulder.coulomb": 0.5, "elbow.coulomb": 0.2}
MOST = {"velocity": 1.5, "acceleration": 5.0, "effort": 12.0}
WORDS = [word for name, value in MOST.items() for word in (f"--max-{name}", str(value))]
MOTION = ["--duration", "4", "--starts", "1", "--no-page"]


@pytest.fixture(scope="module")
def machine() -> bf.Robot:
    """Masses up to 15 % off, and friction that the file does not mention."""
    import tempfile
    from pathlib import Path

    file = Path(tempfile.mkdtemp(), "arm.xml")
    file.write_text(ARM)
    robot = bf.Robot.load(file).with_friction(FRICTION, VALUES)
    return drawn(robot, 0.15, np.random.default_rng(1), possible=True)


@pytest.fixture(scope="module")
def folder(machine, tmp_path_factory):
    """With arm.xml, a log of the machine, and the run of a fit."""
    place = tmp_path_factory.mktemp("certain")
    (place / "arm.xml").write_text(ARM)
    limited = machine.with_limits({name: {"effort": 12.0, "velocity": 5.0} for name in machine.joint_names})
    rng, time = np.random.default_rng(0), np.arange(0, 12, 0.01)
    rates, phases = rng.uniform(0.8, 4.0, (2, 4)), rng.uniform(0, 6, (2, 4))
    q = 0.3 * np.sin(rates * time[:, None, None] + phases).sum(axis=2)
    v = 0.3 * (rates * np.cos(rates * time[:, None, None] + phases)).sum(axis=2)
    log = bf.VirtualRobot(limited).play((time, q, v), rate=100.0, sensors=bf.Sensors.realistic())
    log.save(place / "log.parquet")
    words = [str(place / "arm.xml"), str(place / "log.parquet"), "--friction", "viscous+coulomb", "--no-page"]
    assert main(["fit", *words, "-o", str(place / "run")]) == 0
    return place


def told(capsys, *words: str) -> tuple[int, dict]:
    capsys.readouterr()
    code = main([*words, "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_from_a_file_without_limits_to_the_machine(folder, machine, capsys):
    run, out = str(folder / "run"), str(folder / "excite.csv")
    for source in (run, str(folder / "x.urdf"), str(folder / "x.xml")):
        if source != run:
            assert main(["export", run, "-o", source]) == 0
        code, said = told(capsys, "design", source, *MOTION, "-o", out)
        assert (code, said["error"]["code"]) == (3, "limits.missing")
    code, said = told(capsys, "design", run, *MOTION, "-o", out, *WORDS)
    assert code == 0 and said["stands_on"]["covariance"]["sigmas"] == 3 and said["stands_on"]["friction"]
    assert [one["code"] for one in said["not_covered"]] == ["torque.residual"]
    certificate = bf.Certificate.load(folder / "excite.certificate.json")
    assert certificate.stands_on == said["stands_on"] and [one.code for one in certificate.doubts] == ["torque.residual"]
    motion = certificate.run().motion.sample(1000)
    torque = machine.inverse_dynamics(motion.position, motion.velocity, motion.acceleration)
    assert np.abs(torque).max() <= MOST["effort"]
    code, said = told(capsys, "simulate", run, out, "-o", str(folder / "again.parquet"), "--no-page", *WORDS)
    assert code == 0 and said["certified"] and said["followed"] and not said["limits_left"]


def test_a_nominal_model_says_what_it_does_not_know(folder, machine, capsys):
    """A share that contains the machine keeps its limits; the friction that no file mentions is named."""
    arm, out = str(folder / "arm.xml"), str(folder / "nominal.csv")
    code, said = told(capsys, "design", arm, *MOTION, "-o", out, *WORDS)
    assert code == 0 and said["stands_on"] == {"friction": [], "uncertainty": 0.0, "covariance": None}
    assert [one["code"] for one in said["not_covered"]] == ["torque.friction_unknown", "torque.error_unknown"]
    code, said = told(capsys, "design", arm, *MOTION, "-o", out, *WORDS, "--uncertainty", "0.15", "--force")
    assert code == 0 and [one["code"] for one in said["not_covered"]] == ["torque.friction_unknown"]
    motion = bf.load_motion(out)
    state = motion.position, motion.velocity, motion.acceleration
    assert np.abs(machine.with_friction(None).inverse_dynamics(*state)).max() <= MOST["effort"]
    for share in ("-0.1", "1", "nan"):
        code, said = told(capsys, "design", arm, *MOTION, "-o", out, *WORDS, "--force", f"--uncertainty={share}")
        assert (code, said["error"]["code"]) == (2, "usage.value")


def test_a_run_whose_joints_were_locked_since_has_no_covariance(folder, capsys):
    run, out = str(folder / "run"), str(folder / "locked.csv")
    code, said = told(capsys, "design", run, *MOTION, "-o", out, *WORDS, "--lock", "elbow")
    assert code == 0 and said["stands_on"]["covariance"] is None
    assert "torque.error_unknown" in [one["code"] for one in said["not_covered"]]


def test_certificates_of_before_are_read(folder):
    """Version 1 said nothing of what torque stands on."""
    from bifilar.experiment.fingerprint import digest

    robot = bf.Robot.load("two_link")
    bf.certify(robot, bf.design(robot, duration=5.0).motion).save(folder / "old.certificate.json")
    content = json.loads((folder / "old.certificate.json").read_text())
    for name in ("stands_on", "not_covered", "digest"):
        content.pop(name)
    content["format"] = "bifilar certificate 1"
    (folder / "old.certificate.json").write_text(json.dumps(content | {"digest": digest(content)}))
    old = bf.Certificate.load(folder / "old.certificate.json")
    assert old.stands_on is None and old.doubts == ()

"""The verbs about sensors and gravity, as one types them."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import bifilar as bf
from bifilar.calibrate.wrist_model import predicted, rotations, sensor_frame
from bifilar.cli import main
from bifilar.cli.calibrate_drives import _worse
from bifilar.estimate.study_arm import exciting


def test_tare_of_a_real_sensor(dataset, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:  # type: ignore[no-untyped-def]
    """Seventy poses predict thirty; a constant bias gives the published mass, which one look at single axes refutes."""
    dataset("ft_static")
    page = tmp_path / "tare.html"
    assert main(["tare", "ft_static", "--axes", "base", "-o", str(page), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["predicted"][0] <= 0.17 and facts["predicted"][1] <= 2.2e-3
    assert [f["code"] for f in facts["findings"]] == ["drift"]
    assert facts["predicted"][0] == min(way["force"] for way in facts["held_out"].values())
    assert "<svg" in page.read_text()
    log = bf.datasets.load("ft_static", "100")
    assert isinstance(log, bf.Recording)
    pose, wrench = (np.asarray(log.channels[name].values) for name in ("pose", "wrench"))
    robust = facts["held_out"]["bias constant, robust"]  # all that was published of this set, by one constant bias
    assert robust["force"] <= 0.17 and robust["moment"] <= 2.2e-3 and robust["mass"] == pytest.approx(1.237, rel=0.01)
    assert facts["held_out"]["bias constant"]["mass"] == pytest.approx(1.237, rel=0.01)
    assert facts["constant_bias_mass"] == pytest.approx(1.237, rel=0.01)
    assert robust["force"] > 3 * facts["predicted"][0]
    assert "Poses not used" in page.read_text()
    down = np.swapaxes(rotations(pose[:, 3:]), 1, 2) @ [0.0, 0.0, -9.81]
    force = sensor_frame(wrench, rotations(pose[:, 3:]), "base")[:, :3]
    for axis in (0, 1):  # neighbouring poses, one axis of the sensor: whatever the bias was, it was the same in both
        step, turned = np.diff(force[:, axis]), np.diff(down[:, axis])
        assert step @ turned / (turned @ turned) == pytest.approx(facts["mass"], rel=0.005)


def test_tare_names_the_wrong_frame(dataset, capsys: pytest.CaptureFixture[str]) -> None:  # type: ignore[no-untyped-def]
    dataset("ft_static")
    assert main(["tare", "ft_static"]) == 1
    assert "--axes base" in capsys.readouterr().out


def test_poses_without_a_clock_and_what_is_wrong_with_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Too few, not turned, in the base's axes, heavier than the range: each is named, with a way out."""
    q = np.random.default_rng(0).normal(size=(14, 4))
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    load = np.concatenate([[0, 0, -1.2 * 9.80665], [1.0, -2.0, 3.0], [0.0, 0.01, 0.05], [0.1, 0.0, -0.1]])
    wrench = predicted(load, rotations(q)) + 0.01 * np.random.default_rng(1).normal(size=(14, 6))
    based = np.einsum("nab,nkb->nka", rotations(q), wrench.reshape(-1, 2, 3)).reshape(-1, 6)
    for rows, more, code, said in (
        (np.hstack([q, wrench])[:3], [], 4, "at least eight different orientations"),
        (np.hstack([np.repeat(q[:1], 14, axis=0), wrench]), [], 4, "tilt the sensor about two different axes"),
        (np.hstack([q, based]), [], 1, "--axes base"),
        (np.hstack([q, wrench]), ["--reach", *"10 10 10 1 1 1".split()], 1, "a lighter tool or a larger sensor"),
        (np.hstack([q, wrench]), [], 0, "mass"),
        (np.hstack([q, -wrench]), [], 0, "--reversed"),
        (np.hstack([q, -wrench]), ["--level"], 1, "--reversed"),
        (np.hstack([q, -wrench]), ["--reversed", "--level"], 0, "mass"),
        (np.hstack([q * [-1, -1, -1, 1], wrench]), [], 1, "--inverted"),
        (np.hstack([q * [-1, -1, -1, 1], wrench]), ["--inverted"], 0, "mass"),
        (np.hstack([q, wrench]), ["--inverted", "--robot", "panda"], 2, "leave one of them out"),
    ):
        file = tmp_path / "poses.csv"
        np.savetxt(file, rows, delimiter=",", header="qx,qy,qz,qw,fx,fy,fz,tx,ty,tz", comments="")
        assert main(["tare", str(file), *more]) == code
        out = capsys.readouterr()
        assert said in " ".join((out.out + out.err).split())


def test_the_next_command_reads_the_log_in_the_same_way(dataset, capsys: pytest.CaptureFixture[str]) -> None:  # type: ignore[no-untyped-def]
    dataset("ft_static")
    assert main(["tare", "ft_static", "--axes", "base", "--steady"]) == 0
    assert "bifilar tare ft_static --axes base --steady -o tare.html" in capsys.readouterr().out
    dataset("ur10e_mamedov")
    runs = ["ur10e_mamedov:ur-20_01_22-joint_2", "ur10e_mamedov:ur-20_01_22-joint_3"]
    main(["gravity", "ur10e_mamedov:robot", *runs, "--moving"])
    assert f"{' '.join(runs)} --moving -o gravity.html" in capsys.readouterr().out.replace("\n", " ")


def test_gravity_from_held_poses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    robot, rng = bf.Robot.load("ur10e"), np.random.default_rng(0)
    poses = rng.uniform(-1, 1, (24, 6))
    motion = bf.pose_sequence(robot.joint_names, poses, hold=1.0, move=1.0).sample(100)
    torque = robot.inverse_dynamics(motion.position, motion.velocity, motion.acceleration) + 2.0
    torque += 0.01 * rng.normal(size=torque.shape)
    log = bf.Recording(joint_names=robot.joint_names, time=motion.time, position=motion.position, torque=torque)
    log.save(tmp_path / "p.csv")
    assert main(["gravity", "ur10e", str(tmp_path / "p.csv"), "-o", str(tmp_path / "g.html"), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    truth = bf.GravityModel.of(robot).values
    assert np.abs(np.array(facts["values"]) - truth)[2:].max() < 0.01
    assert max(facts["predicted"]["model"][1:]) < 0.1
    page = (tmp_path / "g.html").read_text()
    assert "not used, predicted by a fit to the rest" in page and "<svg" in page
    for way, word in (("all", "not seen"), ("description", "description")):
        assert main(["gravity", "ur10e", str(tmp_path / "p.csv"), "--method", way]) == 0
        assert word in capsys.readouterr().out


def test_gravity_of_real_sweeps(dataset, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:  # type: ignore[no-untyped-def]
    """Slow single-joint sweeps of a UR10e: the model predicts the torque that the description misses."""
    dataset("ur10e_mamedov")
    runs = [f"ur10e_mamedov:ur-20_01_22-joint_{k}" for k in range(1, 7)]
    page = tmp_path / "gravity.html"
    gains = ["--nominal", "10.0", "10.6956", "8.4566", "9.0029", "9.48", "10.1232"]
    words = ["gravity", "ur10e_mamedov:robot", *runs, "--moving", *gains]
    assert main([*words, "-o", str(page), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    left = facts["predicted"]
    assert facts["unit"] == "A" and "Sweeps" in page.read_text() and page.read_text().count("<svg") == 12
    assert all(left["model"][j] < 0.8 * left["description"][j] for j in (1, 2, 3))
    assert all(left["model"][j] <= 1.01 * left["description"][j] for j in (4, 5))  # they hardly feel gravity


def test_drive_gains_of_real_currents(dataset, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:  # type: ignore[no-untyped-def]
    folder = dataset("ur10e_mamedov")
    nominal = ["10.0", "10.6956", "8.4566", "9.0029", "9.48", "10.1232"]
    runs = ("--free", "ur10e_mamedov:ur-20_02_19_14harm50sec", "--loaded", "ur10e_mamedov:ur-20_02_19_14harm50secLoad")
    words = ["calibrate", str(folder / "ur10e.urdf"), *runs, "--mass", "2.805", "--cutoff", "5", "--nominal", *nominal]
    assert main([*words, "-o", str(tmp_path / "gains.html"), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["identified"] == [False, True, True, True, True, True]
    np.testing.assert_allclose(facts["factor"][1:4], [1.16, 1.18, 1.16], atol=0.06)
    page = (tmp_path / "gains.html").read_text()
    assert "inertia alone" in page and "Motion not used" in page and page.count("<svg") == 12
    assert all(left < 0.3 * size for run in facts["unused"] for left, size in zip(run["error"][1:4], run["size"][1:4]))
    tests = ("--test-free", "ur10e_mamedov:ur-20_01_31-unload", "--test-loaded", "ur10e_mamedov:ur-20_01_31-load")
    assert main([*words, *tests, "--json"]) == 0
    again = json.loads(capsys.readouterr().out)
    assert again["gain"] == facts["gain"]  # other runs are judged, not used
    assert again["load"]["found"][0] == pytest.approx(2.805, rel=0.05) and again["load"]["nominal"][0] < 2.6
    assert main([*words, *tests[:2]]) == 2
    assert "go together" in capsys.readouterr().err


def test_a_paper_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["reproduce", "ma1996", "--seeds", "2", "--runs", "20", "-o", str(tmp_path / "ma.html"), "--json"]
    assert main(words) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["good"] and len(facts["claims"]) >= 12
    assert "<svg" in (tmp_path / "ma.html").read_text()


def test_planned_sweeps_are_held_recorded_and_identified(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, robot = tmp_path / "sweeps.csv", bf.Robot.load("ur10e")
    assert main(["design", "ur10e", "--kind", "sweep", "-o", str(file), "--rate", "20", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["unseen"] == ["joint1"]
    motion = bf.load_motion(file)
    torque = robot.inverse_dynamics(motion.position, motion.velocity, motion.acceleration)
    torque += 3.0 * np.tanh(motion.velocity / 1e-3) + 0.01 * np.random.default_rng(0).normal(size=torque.shape)
    log = bf.Recording(joint_names=robot.joint_names, time=motion.time, position=motion.position, torque=torque)
    log.save(tmp_path / "recorded.csv")
    assert main(["gravity", "ur10e", str(tmp_path / "recorded.csv"), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert np.abs(np.array(facts["values"]) - bf.GravityModel.of(robot).values)[2:].max() < 0.01
    assert main(["design", "ur10e", "--kind", "sweep", "-o", str(file)]) == 3  # it exists
    assert main(["design", "ur10e", "--kind", "sweep", "--above", "tool0=0.1", "-o", str(tmp_path / "b.csv")]) == 2
    assert "do not look at --above" in capsys.readouterr().err


def test_planned_poses_are_held_recorded_and_weighed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, robot, rng = tmp_path / "poses.csv", bf.Robot.load("panda"), np.random.default_rng(0)
    assert main(["design", "panda", "--kind", "tare", "--sensor", "flange", "-o", str(file), "--rate", "20", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert 4 <= facts["suffice"] <= len(facts["poses"]) == 9
    motion = bf.load_motion(file)
    load = np.concatenate([[0, 0, -1.2 * 9.80665], [1.0, -2.0, 3.0], [0.0, 0.01, 0.05], [0.1, 0.0, -0.1]])
    wrench = predicted(load, robot.pose("flange", motion.position)[0])
    wrench += rng.normal(size=wrench.shape) * np.repeat([0.1, 0.005], 3)
    log = bf.Recording(joint_names=robot.joint_names, time=motion.time, position=motion.position, wrench=wrench)
    log.save(tmp_path / "recorded.csv")
    words = ["tare", str(tmp_path / "recorded.csv"), "--robot", "panda", "--link", "flange", "--steady", "--json"]
    assert main(words) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["mass"] == pytest.approx(1.2, abs=4 * found["mass_deviation"]) and found["mass_deviation"] < 0.02
    assert main(["design", "panda", "--kind", "tare", "--sensor", "flunge", "-o", str(tmp_path / "b.csv")]) == 3
    assert "flange" in capsys.readouterr().err
    assert main(["design", "panda", "--kind", "tare", "--margin", "0.2", "-o", str(tmp_path / "b.csv")]) == 2


def test_torque_sensors_from_held_poses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A mass at a point that nobody measured, in two places."""
    robot, rng = bf.Robot.load("ur10e"), np.random.default_rng(0)
    frame, gain, files = robot.frame_names[-1], np.array([1.1, 0.9, 1.05, 1.2, 0.95, 1.0]), []
    for name, at in (("bare", None), ("here", [0.03, 0.02, 0.1]), ("there", [0.13, 0.02, 0.1])):
        load = None if at is None else bf.Inertia.from_center_of_mass(2.0, at, np.zeros((3, 3)))
        arm = robot if load is None else robot.with_payload(frame, load)
        motion = bf.pose_sequence(robot.joint_names, rng.uniform(-1.5, 1.5, (20, 6)), hold=1.0, move=1.0).sample(20)
        torque = gain * arm.inverse_dynamics(motion.position, motion.velocity, motion.acceleration) + 0.5
        torque += 0.01 * rng.normal(size=torque.shape)
        log = bf.Recording(joint_names=robot.joint_names, time=motion.time, position=motion.position, torque=torque)
        files.append(str(tmp_path / f"{name}.csv"))
        log.save(files[-1])
    words = ["calibrate", "ur10e", "--sensors", "--free", files[0], "--mass", "2", "--loaded", *files[1:], "--json"]
    assert main(words) == 2  # where did it hang?
    capsys.readouterr()
    assert main([*words, "--moved", "0", "0", "0", "0.1", "0", "0", "-o", str(tmp_path / "s.html")]) == 1
    facts = json.loads(capsys.readouterr().out)
    assert facts["gain_seen"] == [False] + [True] * 5 and "gravity never loads" in facts["status"]["sentence"]
    np.testing.assert_allclose(facts["gain"][1:], gain[1:], rtol=0.01)
    np.testing.assert_allclose(facts["offset"], 0.5, atol=0.05)
    page = (tmp_path / "s.html").read_text()
    assert "not seen" in page and "Poses not used" in page
    assert main([*words[:-1], "--moved", *"0 0 0 0.1 0 0".split(), "--encoders"]) == 1
    assert "encoder x" in capsys.readouterr().out
    assert main([*words, "--cutoff", "5"]) == 2 and "--cutoff goes without --sensors" in capsys.readouterr().out
    assert max(facts["unused"]["calibrated"]) < 0.05 < min(facts["unused"]["plain"])


def test_logs_without_and_with_a_load_that_are_exchanged_end_with_code_1(tmp_path, capsys):
    arm = bf.Robot.load("two_link")
    time, names = np.arange(0, 10, 0.01), arm.joint_names
    rate, size = np.array([1.3, 2.9]), np.array([1.2, 0.9])
    turn = rate * time[:, None]
    q, v, a = size * np.sin(turn), size * rate * np.cos(turn), -size * rate**2 * np.sin(turn)
    files = [str(tmp_path / "free.csv"), str(tmp_path / "loaded.csv")]
    load = bf.Inertia.from_center_of_mass(0.3, [0.1, 0, 0], 1e-4 * np.eye(3))
    for seed, (file, robot) in enumerate(zip(files, (arm, arm.with_payload("link2", load)))):
        torque = robot.inverse_dynamics(q, v, a) + np.random.default_rng(seed).normal(scale=0.005, size=q.shape)
        bf.Recording(joint_names=names, time=time, position=q, torque=torque).save(file)
    words = ["calibrate", "two_link", "--mass", "0.3", "--cutoff", "8", "--json"]
    assert main([*words, "--free", files[0], "--loaded", files[1]]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert np.allclose(facts["gain"], 1.0, atol=0.05) and facts["worse"] == []
    assert main([*words[:-1], "--free", files[0], "--loaded", files[1], "--sign", "*=1"]) == 0
    again = shlex.split(capsys.readouterr().out.splitlines()[-1].removeprefix("next     bifilar "))
    assert again[:3] == ["fit", "two_link", files[0]] and again[-2:] == ["--sign", "*=1"]
    assert main([*again, "--no-page", "-o", str(tmp_path / "run")]) == 0  # it reads the calibrated log
    factors = dict(word.split("=") for word in again if word.startswith("joint"))
    assert np.allclose(np.array(list(factors.values()), dtype=float), facts["factor"], rtol=1e-4)
    capsys.readouterr()
    assert main([*words, "--free", files[1], "--loaded", files[0]]) == 1
    assert "--free and --loaded exchanged" in json.loads(capsys.readouterr().out)["doubt"]


def test_a_joint_whose_gain_makes_it_worse_is_named() -> None:
    """Gains of which one is wrong: the motion that was not used shows it at that joint, and at no other."""
    arm = bf.Robot.load("two_link")
    rng, load = np.random.default_rng(0), bf.Inertia.from_center_of_mass(2.0, [0.1, 0, 0], 0.01 * np.eye(3))

    def run(robot: bf.Robot, seed: int) -> bf.Samples:
        motion = exciting(robot, duration=10.0, rate=100.0, seed=seed)
        torque = robot.inverse_dynamics(motion.position, motion.velocity, motion.acceleration)
        channels = {name: getattr(motion, name) for name in ("position", "velocity", "acceleration")}
        torque = torque / [8.0, 5.0] + 0.002 * rng.normal(size=torque.shape)
        log = bf.Recording(joint_names=robot.joint_names, time=motion.time, torque=torque, **channels)
        return bf.prepare(log, "recorded")

    free, unused = run(arm, 1), run(arm, 2)
    found = bf.identify_drive_gains(arm, free, run(arm.with_payload("link2", load), 3), mass=2.0)
    assert _worse(arm, found, [free], [unused]) == ()
    wrong = replace(found, gain=found.gain * [1.0, 1.3])
    assert [note.facts["joint"] for note in _worse(arm, wrong, [free], [unused])] == ["joint2"]

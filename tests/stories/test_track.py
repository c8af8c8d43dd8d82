"""`bifilar track` over logs of every kind: the same beliefs, a load that is right, and logs that are wrong are noticed."""

from __future__ import annotations

import json
import re

import numpy as np
from bags import joint_states

import bifilar as bf

FRICTION = bf.Viscous() + bf.Coulomb(width=0.05)
VALUES = {f"joint{k}.{word}": value for k in (1, 2) for word, value in (("viscous", 0.2), ("coulomb", 1.5))}
ARM = bf.Robot.load("two_link")
MACHINE = ARM.with_friction(FRICTION, VALUES)


def swing(robot=MACHINE, *, rest=0.0, scale=1.0, seed=0):
    """15 s of two sinusoids; then the arm stands, held by friction that nobody can foretell."""
    t = np.arange(round((15 + rest) * 100)) / 100
    fade = np.clip((15 - t) / 0.5, 0, 1)[:, None] ** 3
    angle = np.column_stack([np.sin(t), np.cos(1.3 * t)]) * fade
    v, a = (np.gradient(x, 0.01, axis=0) for x in (angle, np.gradient(angle, 0.01, axis=0)))
    rng = np.random.default_rng(seed)
    torque = robot.inverse_dynamics(angle, v, a) + 0.02 * rng.normal(size=angle.shape)
    torque[t > 15] += np.array([-1.4, 1.3])  # static friction, up to the Coulomb one
    jitter = 1e-4 * rng.normal(size=angle.shape)
    return bf.Recording(joint_names=ARM.joint_names, time=t, position=scale * (angle + jitter), torque=torque)


def test_csv_parquet_and_mcap_tell_the_same(bifilar, tmp_path):
    log = swing()
    log.save(tmp_path / "run.csv")
    log.save(tmp_path / "run.parquet")
    joint_states(log, tmp_path / "run.mcap")
    told = []
    for ending in ("csv", "parquet", "mcap"):
        code, out, err = bifilar("track", "two_link", f"run.{ending}", "--cutoff", "5", "-o", f"{ending}.csv", "--json")
        assert code == 0, err
        said = json.loads(out)
        told.append([row["value"] for row in said["last"]])
        assert said["rows"]["accepted"] > 100 and max(said["unexplained"]) < 0.2
        assert (tmp_path / f"{ending}.html").is_file() and (tmp_path / f"{ending}.csv").is_file()
    assert np.allclose(told[0], told[1], rtol=1e-6, atol=1e-9) and np.allclose(told[0], told[2], rtol=1e-6, atol=1e-9)


def test_times_are_from_the_start_of_the_log_and_the_page_agrees_with_itself(bifilar, tmp_path):
    log = swing()
    log.with_clock(time=log.time + 1890.0).save(tmp_path / "run.csv")
    code, out, err = bifilar("track", "two_link", "run.csv", "--cutoff", "5")
    assert code == 0, err
    since = [float(x) for x in re.findall(r"since ([\d.e+]+) s", out)]
    page = (tmp_path / "track.html").read_text("utf-8")
    assert since and max(since) < 16 and f"since {since[0]:.3g} s" in page
    assert ("not seen" in out) is ("Every parameter had some effect" not in page)
    code, out, _ = bifilar("track", "two_link", "run.csv", "--cutoff", "5")
    assert code == 0 and "wrote    track-2.csv, track-2.html" in out


def test_a_load_in_a_bag(bifilar, tmp_path):
    """The load is found from an MCAP log, its bars hold, and an arm that then stands does not spoil it."""
    load = bf.Inertia.from_center_of_mass(1.0, [0.05, 0.0, 0.0], 0.002 * np.eye(3))
    MACHINE.save(tmp_path / "arm.urdf")
    joint_states(swing(MACHINE.with_payload("tip", load), rest=5.0), tmp_path / "run.mcap")
    words = ("track", "arm.urdf", "run.mcap", "--payload", "tip", "--cutoff", "5", "--json")
    code, out, err = bifilar(*words)
    assert code == 0, err
    said = json.loads(out)
    mass = next(row for row in said["last"] if row["name"] == "payload.mass")
    assert abs(mass["value"] - 1.0) < 3 * mass["deviation"] and mass["deviation"] < 0.2 and mass["seen"]
    assert "changed" not in said["rows"]


def test_degrees_end_it_with_a_remedy(bifilar, tmp_path):
    swing(scale=np.degrees(1.0)).save(tmp_path / "wrong.csv")
    for more in ([], ["--payload", "tip"]):
        code, _, err = bifilar("track", "two_link", "wrong.csv", "--no-page", *more)
        assert code == 3 and "it is in degrees" in err and "--unit position=deg" in err and "--anyway" in err
        assert not (tmp_path / "track.csv").exists()
    code, out, _ = bifilar("track", "two_link", "wrong.csv", "--no-page", "--anyway", "--cutoff", "5")
    said = " ".join(out.split())
    assert code == 1 and "is not that of this robot: is the log in degrees" in said and "error of the log: position" in said
    code, _, err = bifilar("track", "two_link", "wrong.csv", "--no-page", "--unit", "position=deg", "--force", "--cutoff", "5")
    assert code == 0, err


def test_the_real_load_of_a_ur10e(dataset):
    """2.805 kg, in torques of gains that are 15 % too small (docs/sensors.md): as a batch, and bars that hold."""
    from bifilar.online.recordings import track

    dataset("ur10e_mamedov")
    robot = bf.datasets.robot("ur10e_mamedov")
    free, loaded = (bf.datasets.load("ur10e_mamedov", f"ur-20_02_19_14harm50sec{word}") for word in ("", "Load"))
    arm = bf.fit(robot, free).robot
    for log, mass in ((free, 0.0), (loaded, 2.805)):
        found = track(arm, log, payload="tool0", cutoff=5.0, shown=20)
        assert abs(found.mean[-1, 0] - mass) < 2 * found.deviation[-1, 0] and found.deviation[-1, 0] < 0.3
        assert set(found.outcomes) <= {"accepted", "outlier"} and found.outcomes.get("outlier", 0) < 5

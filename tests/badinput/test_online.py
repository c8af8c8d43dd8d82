"""Filters asked for what cannot be: each answer names what there is, and a way out."""

from __future__ import annotations

import numpy as np
import pytest

import bifilar as bf
from bifilar.cli import main
from bifilar.online.recordings import track

ARM = bf.Robot.load("two_link")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ({"parameters": ("link9.mass",)}, ("link9.mass", "link1.mass")),
        ({"parameters": ("joint1.viscous",)}, ("joint1.viscous", "with_friction")),
        ({"parameters": ()}, ("no parameters",)),
        ({"noise": -1.0}, ("noise", "not above zero")),
        ({"noise": [0.1]}, ("1 noises for 2 rows",)),
        ({"noise": None}, ("give the noise",)),
        ({"bounds": {"link1.mass": (5.0, 6.0)}}, ("link1.mass", "outside its bounds", "start={")),
        ({"bounds": {"link1.mass": (2.0, 1.0)}}, ("must be the smaller",)),
        ({"bounds": "thrice"}, ("thrice", "twice, payload")),
        ({"form": "nine"}, ("nine", "principal")),
        ({"start": {"link7.mass": 1.0}}, ("link7.mass", "not followed")),
        ({"parameters": ("link2.mass",), "form": "log_cholesky"}, ("whole bodies", "link2.*")),
        ({"measurements": [bf.WristSensor(link="hand")], "noise": None}, ("hand", "tip")),
    ],
)
def test_a_filter_that_cannot_be(words, expected):
    settings = {"parameters": ("*.mass",), "noise": 0.1} | words
    with pytest.raises(bf.BifilarError) as caught:
        bf.ParameterFilter(ARM, **{k: v for k, v in settings.items() if v is not None or k == "noise"})
    for word in expected:
        assert word in str(caught.value), str(caught.value)


@pytest.mark.parametrize(
    "wrong", [{"process": -1.0}, {"forgetting": 0.0}, {"iterations": 0}, {"prior": 0.0}, {"exact": True, "process": 1.0}]
)
def test_a_tuning_that_cannot_be(wrong):
    with pytest.raises(bf.ShapeError):
        bf.Tuning(**wrong)


def test_an_unknown_frame_lists_the_frames():
    with pytest.raises(bf.RobotError, match="tip"):
        bf.attach(ARM, "tipp", noise=0.1)


def test_a_recording_without_torque(tmp_path, capsys):
    t = np.arange(500) / 100
    swing = np.column_stack([np.sin(t), np.cos(t)])
    bf.Recording(joint_names=ARM.joint_names, time=t, position=swing).save(tmp_path / "still.csv")
    assert main(["track", "two_link", str(tmp_path / "still.csv"), "-o", str(tmp_path / "track.csv")]) == 3
    assert "torque" in capsys.readouterr().err
    assert main(["track", "two_link", str(tmp_path / "still.csv"), "--payload", "hand", "-o", str(tmp_path / "a.csv")]) == 3


def test_a_log_that_ends_mid_row_loses_nothing_before_it(tmp_path, capsys):
    t = np.arange(1500) / 100
    q = np.column_stack([np.sin(t), np.cos(1.3 * t)])
    v, a = np.column_stack([np.cos(t), -1.3 * np.sin(1.3 * t)]), np.column_stack([-np.sin(t), -1.69 * np.cos(1.3 * t)])
    torque = ARM.inverse_dynamics(q, v, a)
    log = tmp_path / "log.csv"
    bf.Recording(joint_names=ARM.joint_names, time=t, position=q, torque=torque).save(log)
    whole = log.read_text()
    log.write_text(whole[: len(whole) - 25])
    assert main(["track", "two_link", str(log), "-o", str(tmp_path / "track.csv"), "--cutoff", "5", "--json"]) == 0
    capsys.readouterr()
    table = (tmp_path / "track.csv").read_text().splitlines()
    assert table[0].startswith("time,link1.mass,link1.mass.deviation") and (tmp_path / "track.html").exists()
    assert float(table[-1].split(",")[0]) > 14.0
    log.write_text(whole[: whole.rindex("\n", 0, len(whole) - 25) + 1])  # without the row that was cut: the very same
    assert main(["track", "two_link", str(log), "-o", str(tmp_path / "same.csv"), "--cutoff", "5", "--json"]) == 0
    assert (tmp_path / "same.csv").read_text().splitlines() == table


def test_a_paper_that_is_not_here(capsys):
    assert main(["reproduce", "nobody1999"]) == 2
    assert "joukov2015" in capsys.readouterr().err


def swing(position_scale=1.0, torque_scale=1.0):
    t = np.arange(1500) / 100
    q = np.column_stack([np.sin(t), np.cos(1.3 * t)])
    v, a = np.column_stack([np.cos(t), -1.3 * np.sin(1.3 * t)]), np.column_stack([-np.sin(t), -1.69 * np.cos(1.3 * t)])
    torque = torque_scale * ARM.inverse_dynamics(q, v, a) + 0.02 * abs(torque_scale) * np.random.default_rng(0).normal(
        size=q.shape
    )
    return bf.Recording(joint_names=ARM.joint_names, time=t, position=position_scale * q, torque=torque)


def test_a_torque_that_is_zero_all_the_time(tmp_path, capsys):
    swing(torque_scale=0.0).save(tmp_path / "log.csv")
    for more in ([], ["--payload", "tip"]):
        assert main(["track", "two_link", str(tmp_path / "log.csv"), "-o", str(tmp_path / "track.csv"), *more]) == 3
        assert "is 0 throughout, while the machine moves and 1 more" in " ".join(capsys.readouterr().err.split())
    with pytest.raises(bf.RecordingError, match="torque of joint1, joint2 is zero"):
        track(ARM, swing(torque_scale=0.0))


def test_a_track_says_what_was_seen_and_since_when():
    found = track(ARM, swing(), cutoff=5.0)
    rows = {row["name"]: row for row in found.rows()}
    assert not rows["link2.mcz"]["seen"] and rows["link2.mcz"]["since"] is None  # along the axis: gravity has no lever
    assert rows["link2.mcx"]["seen"] and found.time[0] <= rows["link2.mcx"]["since"] < 2.0
    assert (
        "link2.mcz" in found.never_excited and "link2.Izz" not in found.never_excited and "link2.Iyy" not in found.not_seen[-1]
    )
    assert found.unexplained.max() < 0.1


def test_a_ragged_table_is_refused_by_its_name():
    tracker = bf.ParameterFilter(ARM, ("*.mass",), noise=0.1)
    with pytest.raises(bf.ShapeError, match="velocity is no table of numbers"):
        tracker.run([0.0, 0.1], np.zeros((2, 2)), [[1.0, 2.0], [3.0]], np.zeros((2, 2)), np.zeros((2, 2)))


def test_a_load_that_no_sensor_can_show_is_refused():
    arm = bf.Robot.load("panda")
    wrist = bf.WristSensor(link="flange", noise=0.3)
    for frame, words in (("link7", {"measurements": wrist}), ("link0", {"noise": 0.1})):
        with pytest.raises(bf.RobotError, match=f"a load at '{frame}' has no effect"):
            bf.attach(arm, frame, **words)
    assert bf.attach(arm, "link7", measurements=[wrist, bf.Torque(noise=0.1)]).row_names[0] == "flange.fx"
    assert bf.attach(arm, "link0", measurements=bf.BaseWrench(noise=1.0)).row_names[0] == "base.fx"
    with pytest.raises(bf.ShapeError, match="no number"):
        bf.attach(arm, "link7", noise="much")


@pytest.mark.parametrize("kind", ["four", "log", "ten"])
def test_a_load_heavier_than_the_paper_s_is_reached_if_it_is_said_to_be(kind):
    arm, rng = bf.Robot.load("panda"), np.random.default_rng(0)
    box = bf.Inertia.from_center_of_mass(12.0, [0.02, 0, 0.1], 0.05 * np.eye(3))
    t, w = np.arange(1500)[:, None] / 100, np.array([0.5, 0.7, 0.9, 0.6, 1.1, 1.3, 1.7])
    q = np.array([0.0, 0.3, 0.0, -1.5, 0.0, 1.5, 0.2]) + 0.4 * np.sin(w * t)
    v, a = 0.4 * w * np.cos(w * t), -0.4 * w**2 * np.sin(w * t)
    torque = arm.with_payload("flange", box).inverse_dynamics(q, v, a) + 0.2 * rng.normal(size=q.shape)
    at = {"center": [0.02, 0, 0.1]} if kind == "four" else {}
    tracker = bf.attach(arm, "flange", noise=0.2, parameters=kind, largest=20.0, limits=False, **at)
    tracker.run(t[:, 0], q, v, a, torque)
    assert abs(tracker.payload.mass - 12.0) < 0.2

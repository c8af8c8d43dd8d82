"""Parquet: what goes in comes out, to the bit; what is not ours is refused with a reason."""

from __future__ import annotations

import numpy as np
import pytest

import bifilar as bf

MOVE = bf.quintic(["lift", "elbow"], [[0.0, 0.1], [1.0, -0.3]], [0.0, 2.0]).sample(50)


def recording():
    robot = bf.Robot.load("pendulum")
    time = np.linspace(0, 0.5, 51)
    swing = (time, 0.3 * np.sin(6 * time)[:, None], 1.8 * np.cos(6 * time)[:, None])
    return bf.VirtualRobot(robot).play(swing, rate=100, sensors=bf.Sensors(position_noise=1e-4))


def test_a_motion_comes_back(tmp_path):
    path = tmp_path / "move.parquet"
    bf.save_motion(path, MOVE, units={"lift": "m"}, comments=["a test"])
    back = bf.load_motion(path)
    assert back.joint_names == MOVE.joint_names
    for name in ("time", "position", "velocity", "acceleration", "jerk"):
        assert np.array_equal(getattr(back, name), getattr(MOVE, name))
    assert bf.load_motion(path, joint_names=["elbow"]).joint_names == ("elbow",)


def test_other_programs_find_names_and_units(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    bf.save_motion(tmp_path / "move.parquet", MOVE, units={"lift": "m"})
    names = parquet.read_table(tmp_path / "move.parquet").column_names
    assert names[:3] == ["time_s", "lift.position_m", "lift.velocity_m_per_s"]
    recording().save(tmp_path / "swing.parquet")
    assert parquet.read_table(tmp_path / "swing.parquet").column_names[:2] == ["time [s]", "joint1.position [rad]"]


def test_a_recording_comes_back_with_its_truth(tmp_path):
    made = recording()
    made.save(tmp_path / "swing.parquet")
    back = bf.Recording.load(tmp_path / "swing.parquet")
    for name in ("time", "position", "velocity", "torque"):
        assert np.array_equal(getattr(back, name), getattr(made, name))
    assert back.truth is not None and made.truth is not None
    for name in ("time", "position", "velocity", "acceleration", "torque"):
        assert np.array_equal(getattr(back.truth, name), getattr(made.truth, name))
    assert back.truth.parameters == made.truth.parameters or np.array_equal(
        back.truth.parameters.values, made.truth.parameters.values
    )


def test_gaps_stay_gaps(tmp_path):
    gap = bf.Recording(joint_names=("a",), sliding=("a",), time=[0, 1], position=[[1.0], [np.nan]], torque=[[2.0], [3.0]])
    gap.save(tmp_path / "gap.parquet")
    back = bf.Recording.load(tmp_path / "gap.parquet")
    assert np.isnan(back.position[1, 0]) and back.velocity is None and back.sliding == ("a",)


@pytest.mark.parametrize("load", [bf.load_motion, bf.Recording.load])
def test_what_is_no_table_is_refused(tmp_path, load):
    whole = tmp_path / "whole.parquet"
    bf.save_motion(whole, MOVE)
    files = {"text": b"hello", "empty": b"", "half": whole.read_bytes()[:-50], "zip": b"PK\x03\x04" + bytes(100)}
    for name, content in files.items():
        path = tmp_path / f"{name}.parquet"
        path.write_bytes(content)
        with pytest.raises(bf.BifilarError) as caught:
            load(path)
        assert name in str(caught.value.where)
    with pytest.raises(bf.BifilarError, match="cannot be read"):
        load(tmp_path / "missing.parquet")


def test_a_motion_is_no_recording(tmp_path):
    bf.save_motion(tmp_path / "move.parquet", MOVE)
    with pytest.raises(bf.RecordingError, match="it is not clear what 4 of 9 columns are"):
        bf.Recording.load(tmp_path / "move.parquet")
    recording().save(tmp_path / "swing.parquet")
    with pytest.raises(bf.MotionError, match="no column 'time_s'"):
        bf.load_motion(tmp_path / "swing.parquet")


def test_columns_that_are_not_numbers_or_not_finite(tmp_path):
    pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pyarrow.table({"time_s": ["now"]}), tmp_path / "words.parquet")
    with pytest.raises(bf.MotionError, match="does not hold numbers"):
        bf.load_motion(tmp_path / "words.parquet")
    columns = {f"a.{name}": [0.0, np.nan] for name in ("position_rad", "velocity_rad_per_s", "acceleration_rad_per_s2")}
    parquet.write_table(pyarrow.table({"time_s": [0.0, 1.0], **columns}), tmp_path / "gap.parquet")
    with pytest.raises(bf.MotionError, match="not finite"):
        bf.load_motion(tmp_path / "gap.parquet")


def test_endings_that_say_nothing(tmp_path):
    for name, words in (("move.xlsx", "no form '.xlsx'"), ("move", "has no ending")):
        with pytest.raises(bf.MotionError, match=words):
            bf.save_motion(tmp_path / name, MOVE)
    bf.save_motion(tmp_path / "move.yaml", MOVE, comments=["for the controller"])
    assert (tmp_path / "move.yaml").read_text().startswith("# for the controller\nheader:")
    with pytest.raises(bf.MotionError, match="written for controllers, not read"):
        bf.load_motion(tmp_path / "move.yaml")

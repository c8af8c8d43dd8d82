"""What is declared of a log, and rows that no machine logs so: names, gains, absurd values, order, numbering."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from bags import joint_states

import bifilar as bf
from bifilar.cli import main

NAMES = ("shoulder", "elbow", "wrist")


def recording(count=200, names=NAMES, **channels):
    time = np.arange(count) / 100
    q = np.sin(np.outer(time, [1.0, 1.7, 2.3]) + [0.1, 0.5, 0.9])
    return bf.Recording(joint_names=names, time=time, position=q, **(channels or {"torque": 3 * q}))


def table(file: Path, names: list[str], *columns: np.ndarray) -> Path:
    np.savetxt(file, np.column_stack(columns), delimiter=",", header=",".join(names), comments="", fmt="%.17g")
    return file


@pytest.mark.parametrize("ending", [".csv", ".npz", ".parquet", ".mcap", ".txt"])
def test_other_names_of_joints_change_nothing_but_the_names(tmp_path, ending):
    """Whatever the format: a log by other names, renamed, is the log; joints then come in the robot's order."""
    own, theirs = recording(), recording(names=("axis_c", "axis_b", "axis_a"))
    file = tmp_path / f"log{ending}"
    if ending == ".mcap":
        joint_states(theirs, file)
    elif ending == ".txt":
        words = ["t", *(f"{name}_{word}" for word in ("pos", "torque") for name in theirs.joint_names)]
        table(file, words, theirs.time, theirs.position, theirs.torque)
    else:
        theirs.save(file)
    read = bf.Recording.load(file, rename=dict(zip(theirs.joint_names, NAMES)))
    assert read.joint_names == NAMES
    np.testing.assert_allclose(read.position, own.position, atol=1e-12)
    np.testing.assert_allclose(read.torque, own.torque, atol=1e-12)
    for wrong, code in (({"axis_d": "elbow"}, "rename.not_recorded"), ({"axis_a": "axis_b"}, "rename.twice")):
        with pytest.raises(bf.RecordingError) as error:
            bf.Recording.load(file, rename=wrong)
        assert error.value.code == code


def test_a_bag_of_other_names_says_how_to_rename_and_a_mapping_does_it(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    robot = bf.Robot.load("two_link")
    log = recording(names=("a", "b", "c")).joints(["a", "b"])
    joint_states(log, tmp_path / "run.mcap")
    for more in ({}, {"by_position": True}):
        with pytest.raises(bf.RecordingError) as error:
            bf.Recording.load("run.mcap", robot, **more)
        assert error.value.remedy.cli.endswith("--rename a=joint1 b=joint2")
    assert main(["check", "run.mcap", "--robot", "two_link", "--write-mapping", "map.toml"]) == 3
    text = (tmp_path / "map.toml").read_text()
    (tmp_path / "map.toml").write_text(text.replace('# "', '"'))
    capsys.readouterr()
    for words in (["--mapping", "map.toml"], ["--rename", "a=joint1", "b=joint2"]):
        main(["convert", "run.mcap", "out.csv", "--force", *words])
        assert bf.Recording.load("out.csv", robot).joint_names == robot.joint_names
    assert main(["check", "run.mcap", "--rename", "a"]) == 2
    assert main(["check", "run.mcap", "--gain", "a=zero"]) == 2
    assert main(["check", "run.mcap", "--gain", "z=2"]) == 3


def test_gains_multiply_torque_or_make_it_of_currents(tmp_path):
    log = recording()
    log.save(tmp_path / "torque.csv")
    current = recording(current=np.ones((200, 3)))
    current.save(tmp_path / "current.csv")
    doubled = bf.Recording.load(tmp_path / "torque.csv", gain={"*": 2.0, "wrist": 0.5})
    np.testing.assert_allclose(doubled.torque, log.torque * [2.0, 2.0, 0.5])
    made = bf.Recording.load(tmp_path / "current.csv", gain={"elbow": 13.6})
    np.testing.assert_allclose(made.torque, np.broadcast_to([1.0, 13.6, 1.0], (200, 3)))


def test_absurd_values_are_named_with_their_row_and_left_out():
    """One damaged number is one error about that number: nothing is said of clock or robot because of it."""
    q = np.array(recording().position)
    clean = bf.check(recording()).codes
    q[120, 1] = 1e282
    log = bf.Recording(joint_names=NAMES, time=recording().time, position=q, torque=3 * np.array(recording().position))
    found = bf.check(log)
    (absurd,) = (finding for finding in found if finding.code == "values.absurd")
    assert absurd.about == "elbow" and absurd.number("row") == 120 and absurd.severity == "error"
    assert {f.code for f in found.alarms} - set(clean) <= {"values.absurd", "nan"}
    assert np.abs(bf.prepare(log, cutoff=5.0).position).max() < 2


def test_rows_out_of_order_are_sorted_and_two_runs_are_not(tmp_path):
    log = recording()
    words = ["t", *(f"{name}_{word}" for word in ("pos", "torque") for name in NAMES)]
    order = np.arange(len(log))
    order[50], order[51] = 51, 50
    order[100:120] = order[100:120][::-1]
    file = table(tmp_path / "a.csv", words, log.time[order], log.position[order], log.torque[order])
    read = bf.Recording.load(file)
    np.testing.assert_array_equal(read.time, log.time)
    np.testing.assert_array_equal(read.position, log.position)
    assert "log.rows_sorted" in bf.check(read).codes and "back" not in bf.check(read).codes
    twice = [np.concatenate([x, x]) for x in (log.time, log.position, log.torque)]
    both = bf.Recording.load(table(tmp_path / "b.csv", words, *twice))
    assert "back" in bf.check(both).codes and "log.rows_sorted" not in bf.check(both).codes


def test_numbers_that_start_at_0_and_at_1_are_matched_by_order(tmp_path):
    log = recording()
    words = ["t", *(f"q{k}" for k in range(3)), *(f"tau{k}" for k in (1, 2, 3))]
    read = bf.Recording.load(table(tmp_path / "a.csv", words, log.time, log.position, log.torque))
    assert len(read.joint_names) == 3 and "joints.counted_apart" in bf.check(read).codes
    np.testing.assert_array_equal(read.torque, log.torque)
    fewer = ["t", *(f"q{k}" for k in range(3)), "tau1", "tau2"]  # here joint 0 has no torque
    read = bf.Recording.load(table(tmp_path / "b.csv", fewer, log.time, log.position, log.torque[:, 1:]))
    assert "joints.counted_apart" not in bf.check(read).codes
    assert read.channels["torque"].columns == read.joint_names[1:]

"""A user's own files by command line alone: the Panda's public recording as CSV, its URDF as it came, no Python.

Scored as the recording's collection says: first 70 % fitted, last 30 % predicted, torque and prediction filtered at 8 Hz.
"""

from __future__ import annotations

import json
import shutil

import numpy as np

import bifilar as bf

BOUND = 0.0160


def halves(whole) -> None:
    """Cut the CSV by its stamps, as any editor can."""
    head, *rows = whole.read_text("utf-8").splitlines(keepends=True)
    time = np.array([float(row.partition(",")[0]) for row in rows])
    first = int(np.searchsorted(time, time[0] + 0.7 * (time[-1] - time[0])))
    (whole.parent / "log.csv").write_text(head + "".join(rows[:first]), "utf-8")
    (whole.parent / "other.csv").write_text(head + "".join(rows[first:]), "utf-8")


def test_a_panda_from_csv_to_a_page(bifilar, dataset, tmp_path):
    shutil.copy(dataset("panda_gaz/panda.urdf"), tmp_path / "panda.urdf")
    assert bifilar("convert", "panda_gaz", "panda.csv")[0] == 0
    halves(tmp_path / "panda.csv")
    code, out, err = bifilar("fit", "panda.urdf", "log.csv", "--test", "other.csv", "--score-cutoff", "8")
    assert code == 0 and err == "" and "verdict  good" in out
    assert "panda_finger_joint1: not recorded; taken as locked" in out
    run = tmp_path / "runs" / "panda-001"
    score = json.loads((run / "run.json").read_text("utf-8"))["score"]
    assert score["relative_error"] <= BOUND and f"{100 * score['relative_error']:.2f} % of the torque" in out
    assert score["relative_error_raw"] < 0.03 and score["relative_error_of_description"] > 0.1
    pages = list(run.glob("*.html"))
    assert len(pages) == 1 and "panda_joint4" in pages[0].read_text("utf-8")
    assert bf.Robot.load(run / "identified.urdf").joint_names[:7] == tuple(f"panda_joint{k}" for k in range(1, 8))
    code, out, _ = bifilar("validate", str(run), "other.csv", "--score-cutoff", "8", "--json")
    assert code == 0 and json.loads(out)["score"]["relative_error"] == score["relative_error"]
    code, out, _ = bifilar("check", "log.csv", "--robot", "panda.urdf")
    assert "take it out of the nominal model" in out and "--lock NAME=POSITION" in out  # what is typed, not Python
    assert not any(word in out for word in ("robot.with_inertia", "robot.locked", "Recording.load"))


def test_numbers_that_cannot_be_links_lead_to_the_method_that_can(bifilar, dataset, tmp_path):
    shutil.copy(dataset("panda_gaz/panda.urdf"), tmp_path / "panda.urdf")
    assert bifilar("convert", "panda_gaz", "panda.csv")[0] == 0
    halves(tmp_path / "panda.csv")
    words = ("fit", "panda.urdf", "log.csv", "--test", "other.csv", "--no-page")
    code, out, _ = bifilar(*words, "--method", "least-squares", "-o", "free")
    told = " ".join(out.split())
    assert code == 1 and "not positive definite" in told
    assert "bifilar fit panda.urdf log.csv --test other.csv --method consistent" in told
    assert "the test repeats the training motion" not in told  # a refusal has worse to say
    assert "samples)" in told and "Hz filter" in told and "more: bifilar check other.csv" in told

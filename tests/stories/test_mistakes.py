"""Mistakes in recordings of real machines: a fit that is doubted or poor names them (benchmarks/study_mistakes.py has all)."""

from __future__ import annotations

import numpy as np
import pytest

import bifilar as bf
from bifilar.validate.holdout import held_out
from bifilar.validate.mistakes_seeded import spoilt
from bifilar.validate.verdict import judge

UR10E = ("ur10e_mamedov", "ur-20_02_12-50sec_12harm")
CASES = {
    "one sign": (UR10E, "has the opposite sign"),
    "all signs": (UR10E, "has the opposite sign in every informative joint"),
    "torque in mN m": (UR10E, "times the model's torque"),
    "degrees": (UR10E, "rad"),
    "two joints swapped": (("two_link", "norm"), "are in another order"),
    "rate times 5": (("two_link", "norm"), "times the true one"),
    "a dead channel": (("two_link", "norm"), "is 0 throughout"),
    "clipped at 60 %": (("two_link", "norm"), "stays at its highest value"),
}


def told(name, run, mistake=""):
    robot, recording = bf.datasets.robot(name), bf.datasets.load(name, run)
    recording = spoilt(recording, mistake, 7) if mistake else recording
    border = recording.time[0] + 0.7 * recording.duration
    estimate = bf.fit(robot, recording.part(None, border), bf.PhysicallyConsistent(prior_weight=1.0, uncertainty="white"))
    verdict = judge(estimate, held_out(estimate, recording.part(border), described=robot))
    lines = [line for line in (*estimate.notes, *verdict.reasons) if line.startswith("likely mistake")]
    return estimate, verdict, lines


@pytest.mark.parametrize("mistake", CASES)
def test_a_fit_that_went_wrong_names_the_mistake(mistake, dataset):
    (name, run), words = CASES[mistake]
    dataset(name)
    estimate, verdict, lines = told(name, run, mistake)
    assert verdict.level in ("poor", "refused")
    assert any(words in line and "try" in line for line in lines), (estimate.status, lines)
    if estimate.status.code == "doubtful":
        assert "likely" in estimate.status.sentence and "likely" in str(verdict)


def test_good_fits_are_called_no_names(dataset):
    dataset(UR10E[0])
    _, verdict, lines = told(*UR10E)
    assert verdict.level != "refused" and not lines  # a prior this weak leaves a link that could not be built: poor


def test_checks_are_asked_of_fits_that_went_wrong_only(monkeypatch):
    """They cost time: a fit that is well does not pay for them, nor do arrays, which have no clock."""
    from bifilar.estimate import likely
    from bifilar.recording.check import example

    asked = []
    check = likely.check
    monkeypatch.setattr(likely, "check", lambda *words: (asked.append(1), check(*words))[1])
    recording, robot = example()
    assert bf.fit(robot, recording).status.ok and not asked
    turned = bf.fit(robot, recording.with_channel("torque", -recording.torque))
    assert turned.status.code == "doubtful" and len(asked) == 1
    assert "likely torque: has the opposite sign" in turned.status.sentence and "sign" in turned.status.remedy
    q, v, a = np.random.default_rng(0).normal(size=(3, 200, len(robot.joint_names)))
    assert bf.fit(robot, (q, v, a, -robot.inverse_dynamics(q, v, a))).status.code == "doubtful" and len(asked) == 1

"""`bifilar benchmark-methods` as a stranger runs it, and what a study promises: nothing dropped, the truth known."""

from __future__ import annotations

import json

import numpy as np
import pytest

import bifilar as bf
from bifilar.estimate.method_study import MethodStudy, NoiseLevel, birdy_levels
from bifilar.estimate.methods import available_methods
from bifilar.estimate.study_arm import exciting, mistaken, with_typical_friction

QUIET = (NoiseLevel("quiet", 1e-6, 1e-4),)
SHORT = ("--noise", "1e-4:0.01", "--starts", "1", "--duration", "3", "--methods", "weighted", "likelihood")


def test_a_table_of_methods(bifilar):
    code, out, err = bifilar("benchmark-methods", "pendulum", *SHORT)
    assert code == 0 and err == ""
    for piece in (
        "pendulum",
        "1e-4:0.01",
        "weighted least squares",
        "maximum likelihood",
        "bias",
        "failed",
        "1 start",
        "0 of 1",
    ):
        assert piece in out


def test_json_holds_every_run(bifilar):
    code, out, _ = bifilar("benchmark-methods", "pendulum", *SHORT, "--json")
    told = json.loads(out)
    assert code == 0 and len(told["runs"]) == 2 == len(told["summaries"])
    assert told["study"]["starts"] == 1 and told["levels"][0]["position"] == 1e-4
    assert all(len(run["values"]) == len(told["names"]) == len(told["truth"]) for run in told["runs"])
    assert all(np.isfinite(row["error"]) and row["torque"] < 0.1 for row in told["summaries"])


@pytest.mark.parametrize(
    "words, told",
    [
        (("--noise", "much"), "two numbers"),
        (("--methods", "guessing"), "no such method"),
        (("--starts", "0"), "1 or more"),
        (("--preset", "matlab"), "preset"),
    ],
)
def test_wrong_words_are_told(bifilar, words, told):
    code, _, err = bifilar("benchmark-methods", *words)
    assert code == 2 and told in err


def test_the_preset_is_that_of_birdy():
    levels = birdy_levels()
    assert len(levels) == 5 and np.isclose(levels[1].position, np.deg2rad(1e-3)) and levels[1].torque == 0.05
    study = MethodStudy(robot=bf.Robot.load("pendulum"), levels=levels, starts=25, repeats=3)
    assert study.runs({"a": None, "b": None}) == 2 * 5 * 25 * 3


def test_methods_that_fail_are_counted_and_stay_in_the_figures():
    class Wrong:
        def fit(self, robot, recording, **settings):
            raise bf.SolveError("it does not work")

    class Doubtful:
        def fit(self, robot, recording, **settings):
            from dataclasses import replace

            from bifilar.estimate.status import Status

            return replace(bf.LeastSquares().fit(robot, recording, **settings), status=Status("doubtful", "who knows"))

    robot = with_typical_friction(bf.Robot.load("pendulum"), coulomb=False)
    study = MethodStudy(robot=robot, levels=QUIET, starts=2, duration=3.0, rate=250.0)
    rows = study.run({"wrong": lambda case: Wrong(), "doubtful": lambda case: Doubtful()}).summaries()
    wrong, doubtful = rows
    assert (wrong.runs, wrong.failures, wrong.reasons) == (2, 2, ("raised: it does not work",)) and np.isnan(wrong.error)
    assert (doubtful.runs, doubtful.failures) == (2, 2) and np.isfinite(doubtful.error)


def test_starts_differ_and_are_possible_and_motions_stay_inside():
    robot = bf.Robot.load("two_link")
    one, other = (mistaken(robot, 0.15, seed=seed) for seed in (0, 1))
    assert not np.allclose(one.parameters().values, other.parameters().values)
    assert all(link.inertia.is_consistent for link in one.links if link.inertia.mass > 0)
    swing = exciting(robot, duration=4.0, rate=100.0, seed=3)
    limits = robot.limits
    assert (swing.position >= limits.lower).all() and (swing.position <= limits.upper).all()
    assert np.allclose(np.gradient(swing.position, 0.01, axis=0)[5:-5], swing.velocity[5:-5], atol=0.02)


def test_almost_without_noise_every_method_finds_the_machine():
    robot = with_typical_friction(bf.Robot.load("pendulum"), coulomb=False)
    result = MethodStudy(robot=robot, levels=QUIET, duration=4.0, rate=500.0).run()
    errors = {row.method: row.error for row in result.summaries()}
    assert set(errors) == set(available_methods())
    # The torque is held between samples; least squares take it as it is logged and see half a sample of delay as friction.
    delayed = [name for name in errors if "squares" in name or "robust" in name or "ridge" in name or "consistent" in name]
    assert max(errors[name] for name in delayed) < 0.15, errors
    assert max(error for name, error in errors.items() if name not in delayed) < 1e-3, errors

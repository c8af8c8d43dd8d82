"""Stories of the closed loop: noise in it biases least squares, and what the other methods make of the same recording.

A small version of benchmarks/study_closed_loop.py, which has the figures; and real recordings, most of which do not tell what
their controller was to follow and are refused with a sentence.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from closed_loop_arm import arm, controller, motion, recorded, truth

import bifilar as bf
from bifilar.errors import RecordingError
from bifilar.estimate.closed_loop import JointController
from bifilar.estimate.direct_inverse import DirectInverse
from bifilar.estimate.instrumental import InstrumentalVariables
from bifilar.estimate.loop_settings import loop_problem

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

RECIPE = bf.Recipe(cutoff=20.0)
DURATION = 5.0  # [s] half the study's


@pytest.fixture(scope="module")
def recording():
    """One run of the study's arm, encoder noise in the loop."""
    return recorded(3, arm(), duration=DURATION)


def error(found: bf.BaseEstimate) -> float:
    """Mean absolute relative error [%]."""
    return 100 * float(np.abs(found.values / truth(arm()) - 1).mean())


def fitted(method, recording, gain: float = 1.0, **settings) -> bf.BaseEstimate:
    told = controller(arm(), gain=gain, duration=DURATION)
    return method(controller=told, reference=motion(DURATION), **settings).fit(arm(), recording, recipe=RECIPE)


def test_noise_in_the_loop_biases_least_squares_alone(recording):
    plain = bf.LeastSquares().fit(arm(), recording, recipe=RECIPE)
    instruments, direct = fitted(InstrumentalVariables, recording), fitted(DirectInverse, recording)
    assert error(plain) > 4.0
    assert error(instruments) < 1.0
    assert error(direct) < 0.5
    assert instruments.status.ok
    assert direct.status.ok
    assert instruments.tables["least squares"].differs
    assert any(note.code == "least_squares.biased" for note in instruments.notes)
    assert not any("controller" in note for note in instruments.notes)


@pytest.mark.parametrize("gain", [1.2, 0.8])
def test_a_wrong_gain_is_flagged_and_leaves_instruments_alone(recording, gain):
    right, wrong = fitted(InstrumentalVariables, recording), fitted(InstrumentalVariables, recording, gain)
    assert np.all(np.abs(wrong.values - right.values) < 0.3 * right.deviations)
    assert any("the controller's gains are wrong" in note for note in wrong.notes)
    direct = fitted(DirectInverse, recording, gain)
    assert direct.status.code == "doubtful"
    assert "the controller's gains are wrong" in direct.status.sentence


def test_starts_that_are_no_machine_end_well(recording):
    from study_closed_loop import drawn_starts

    settings = {"controller": controller(arm(), duration=DURATION), "reference": motion(DURATION)}
    problem, references = loop_problem(InstrumentalVariables(**settings), arm(), recording, recipe=RECIPE)
    for number, start in zip(range(6), drawn_starts(truth(arm()))):
        method = (InstrumentalVariables, DirectInverse)[number % 2]
        found = method(**settings, start=start).solve(problem, references)
        assert np.isfinite(found.values).all()
        assert np.isfinite(found.covariance).all()
        assert found.status.ok or found.status.sentence
        assert error(found) < 1.0


def test_a_hopeless_controller_is_a_status(recording):
    """Nothing can be simulated: the reference serves as instrument, and the direct inverse says that it cannot."""
    hopeless = {"controller": JointController(kp=-500.0, kd=0.0), "reference": motion(DURATION)}
    instruments = InstrumentalVariables(**hopeless).fit(arm(), recording, recipe=RECIPE)
    assert error(instruments) < 2.0
    assert any("the reference itself served" in note for note in instruments.notes)
    direct = DirectInverse(**hopeless).fit(arm(), recording, recipe=RECIPE)
    assert direct.status.code == "infeasible"
    assert np.isfinite(direct.values).all()
    with pytest.raises(bf.SolveError, match="no start can be simulated"):
        DirectInverse(**hopeless).fit(arm(), recording, recipe=RECIPE, strict=True)


@pytest.mark.parametrize("name", ["staubli_tx40", "double_pendulum", "two_link"])
def test_recordings_without_a_reference_are_refused(dataset, name):
    dataset(name)
    found = bf.datasets.load(name)
    recording = found if isinstance(found, bf.Recording) else next(iter(found.values()))
    robot = bf.datasets.robot(name)
    with pytest.raises(RecordingError, match="no reference motion"):
        InstrumentalVariables(controller=JointController(kp=1.0, kd=1.0)).fit(robot, recording)


def test_kuka_follows_a_reference_that_is_logged_early(dataset):
    """LWR4+: commanded positions lead by 281 samples, velocities are in another unit; its gains are guessed.

    No better than least squares (weakly exciting, a slow motion): the test says so. The guess is called wrong.
    """
    dataset("kuka_lwr4")
    runs, robot = bf.datasets.load("kuka_lwr4"), bf.datasets.robot("kuka_lwr4")
    believed = robot
    robot = robot.with_friction(bf.Viscous() + bf.Coulomb() + bf.Offset())
    first, early, rate = runs["1"], 281, 1000.0
    with pytest.raises(RecordingError, match="times the rate of its position"):
        InstrumentalVariables(controller=JointController(kp=1.0, kd=1.0)).fit(robot, first)
    wanted = first.require("target_position")[:-early]
    train = bf.Recording(
        joint_names=first.joint_names, time=first.time[early:], position=first.position[early:], torque=first.torque[early:]
    )
    assert np.median(np.abs(train.position - wanted)) < 5e-4
    motion_ = (train.time, wanted, np.gradient(wanted, train.time, axis=0))
    from bifilar.simulate.reference import reference

    inertia = believed.mass_matrix(reference(robot, motion_, rate).position) + 0.1 * np.eye(7)
    guess = JointController(kp=40.0**2 * inertia, kd=80.0 * inertia, feedforward=believed)
    recipe = bf.Recipe(cutoff=5.0)
    method = InstrumentalVariables(controller=guess, reference=motion_, control_rate=rate, held_torque=False)
    found = method.fit(robot, train, recipe=recipe)
    plain = bf.LeastSquares().fit(robot, train, recipe=recipe)
    assert found.score(runs["2"]).relative < 1.1 * plain.score(runs["2"]).relative
    assert not found.tables["least squares"].differs
    assert any("the controller's gains are wrong" in note for note in found.notes)

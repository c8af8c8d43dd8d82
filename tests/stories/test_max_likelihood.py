"""Maximum likelihood where it is needed: noise of the encoders in the loop, and a real recording beside least squares."""

from __future__ import annotations

import numpy as np

import bifilar as bf
from bifilar.estimate.likelihood_parts import cutoff_of
from bifilar.estimate.max_likelihood import MaximumLikelihood
from bifilar.estimate.method_study import MethodStudy, NoiseLevel
from bifilar.estimate.position_drift import drifts, watched
from bifilar.estimate.raw_pieces import raw_pieces
from bifilar.estimate.study_arm import with_typical_friction


def test_noise_in_the_loop_does_not_bias_it():
    """Two joints in a vertical plane, encoder noise 1e-3 rad in the loop, torque noise 0.05 N m."""
    robot = with_typical_friction(bf.Robot.load("two_link"), coulomb=False)
    study = MethodStudy(robot=robot, levels=(NoiseLevel("standard", 1e-3, 0.05),), starts=2, duration=5.0)
    methods = {"least squares": lambda case: bf.LeastSquares(), "likelihood": lambda case: MaximumLikelihood()}
    plain, likely = study.run(methods).summaries()
    assert likely.failures == 0
    assert likely.torque < 0.002 and likely.torque < plain.torque and likely.error < 0.03
    assert likely.coverage > 0.75


def test_a_real_machine_that_is_not_rigid_is_not_taken_at_its_encoders_word(dataset):
    """Five runs of a double pendulum, judged on the sixth: how far accelerations carry its positions away."""
    dataset("double_pendulum")
    robot = bf.datasets.robot("double_pendulum")
    *fitted, other = (bf.datasets.load("double_pendulum", run) for run in bf.datasets.describe("double_pendulum").runs)
    (piece,) = raw_pieces(robot, other, held=True).pieces
    (seen,) = watched((piece,), cutoff=cutoff_of(piece))
    drift = {}
    for word, method in {
        "least squares": bf.LeastSquares(),
        "spectrum": MaximumLikelihood(position_noise="spectrum"),
        "chosen": MaximumLikelihood(),
    }.items():
        model = method.fit(robot, fitted).model
        drift[word] = float(np.median(drifts(model, seen, np.ones(len(seen.first), dtype=bool))))
    assert drift["chosen"] < drift["least squares"] and drift["chosen"] < 0.5 * drift["spectrum"]


def test_a_real_arm_beside_least_squares(dataset):
    """The laboratory two-link: fitted to the slow run, scored on the fast one, torque through 5 Hz."""
    dataset("two_link")
    robot = bf.datasets.robot("two_link")
    slow, fast = (bf.datasets.load("two_link", run=run) for run in ("slow", "norm"))
    estimate = MaximumLikelihood().fit(robot, slow, friction=bf.Viscous() + bf.Coulomb() + bf.Offset())
    score = estimate.score(bf.prepare(fast, robot=robot, cutoff=5.0))
    assert estimate.status.ok, estimate.status
    assert score.relative < 0.065
    assert np.isfinite(estimate.deviations).all()

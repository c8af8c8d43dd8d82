"""A predictor beside the model: only where torque is what no rigid links and no passive friction can cause."""

from __future__ import annotations

import numpy as np
import pytest

import bifilar as bf
from bifilar.cli.design_files import TakenError
from bifilar.cli.fit_folder import ESTIMATE, RUN, may_be_made
from bifilar.estimate.saved import PREDICTOR


def recorded(name: str, seed: int, feedback: float) -> tuple[bf.Robot, bf.Recording]:
    """A smooth motion; torque of the robot with friction, noise, and a feedback that drives where friction brakes."""
    robot = bf.Robot.load(name)
    rng, t = np.random.default_rng(seed), np.arange(0, 20, 0.005)[:, None]
    n = len(robot.joint_names)
    w, phase, size = rng.uniform(1, 6, (5, 1, n)), rng.uniform(0, 6, (5, 1, n)), rng.uniform(0.1, 0.4, (5, 1, n))
    q = np.sum(size * np.sin(w * t + phase), axis=0)
    v = np.sum(size * w * np.cos(w * t + phase), axis=0)
    a = np.sum(-size * w**2 * np.sin(w * t + phase), axis=0)
    tau = robot.inverse_dynamics(q, v, a)
    scale = np.sqrt(np.mean(tau**2, axis=0))
    tau = tau + scale * (0.1 * np.tanh(v / 0.05) - feedback * v + 0.02 * rng.standard_normal(q.shape))
    return robot, bf.Recording(joint_names=robot.joint_names, time=t[:, 0], position=q, torque=tau)


@pytest.mark.parametrize("name", ["two_link", "ur10e"])
def test_passive_machines_need_none(name):
    robot, recording = recorded(name, 1, 0.0)
    estimate = bf.PhysicallyConsistent(uncertainty="white").fit(robot, recording, friction="choose")
    assert estimate.predictor is None and not estimate.tables["torque predictor"].offered


@pytest.mark.parametrize("name", ["two_link", "ur10e"])
def test_active_torque_is_predicted_by_values_that_no_machine_has(name, tmp_path):
    robot, recording = recorded(name, 2, 0.5)
    _, unseen = recorded(name, 3, 0.5)
    estimate = bf.PhysicallyConsistent(uncertainty="white").fit(robot, recording, friction=bf.Viscous() + bf.Coulomb())
    free = estimate.predictor
    assert free is not None and free.score(unseen).relative < 0.7 * estimate.score(unseen).relative
    assert min(x for key, x in zip(free.names, free.values) if key.endswith("viscous")) < 0
    assert min(x for key, x in zip(estimate.parameters.names, estimate.parameters.values) if "viscous" in key) >= 0
    bf.save_estimate(estimate, tmp_path)
    again = bf.load_estimate(tmp_path)
    assert np.array_equal(again.predictor.values, free.values)


def test_a_run_that_holds_a_predictor_can_be_replaced(tmp_path):
    """Its folder is the run's own; what somebody put into it is not."""
    inner = tmp_path / "run" / PREDICTOR
    inner.mkdir(parents=True)
    for file in (tmp_path / "run" / RUN, *(inner / name for name in ESTIMATE)):
        file.touch()
    may_be_made(tmp_path / "run", force=True)
    (inner / "thesis.txt").touch()
    with pytest.raises(TakenError) as error:
        may_be_made(tmp_path / "run", force=True)
    assert error.value.code == "folder.strange" and "thesis.txt" in error.value.what

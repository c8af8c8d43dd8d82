"""A real recording, from its stamps to a prediction of motion that was not fitted: a Panda arm, Gaz et al. 2019.

Scored as its collection says: torque filtered at 8 Hz, first 70 % fitted, last 30 % predicted; plain weighted least squares
with viscous and Coulomb friction and offsets reaches 1.44 % there. The recording is cut before it is filtered, so that nothing
of the last part is seen.
"""

from __future__ import annotations

import numpy as np
import pytest

import bifilar as bf

CUT = 8.0  # [Hz] of the scored torque


@pytest.fixture(scope="module")
def recording(dataset):
    folder = dataset("panda_gaz")
    read = {name: np.loadtxt(folder / f"exciting_traj_{name}.txt") for name in ("time", "positions", "torques")}
    return bf.Recording(
        joint_names=bf.Robot.load("panda").joint_names,
        time=read["time"],
        position=read["positions"].reshape(-1, 7),
        torque=read["torques"].reshape(-1, 7),
    )


def error(found, measured):
    return np.linalg.norm(found - measured) / np.linalg.norm(measured)


def unseen(recording, recipe):
    """Errors of the last 30 % after a fit of the rest: filtered as the collection says, against the raw torque, undescribed."""
    border = recording.time[0] + 0.7 * recording.duration
    robot = bf.Robot.load("panda").with_friction(bf.Viscous() + bf.Coulomb() + bf.Offset())
    base = bf.base_parameters(robot)
    train = bf.prepare(recording.part(None, border), recipe, robot=robot)
    model = base.model(robot, bf.solve(bf.reduce(robot, train, columns=base)))
    test = bf.prepare(recording.part(border), cutoff=CUT, decimate=False, robot=robot)
    assert len(base) == 64
    predicted = test.predict(model)
    return error(predicted, test.torque), error(predicted, test.raw_torque), error(test.predict(robot), test.torque)


@pytest.mark.parametrize("recipe", ["default", "smoother", "plain"])
def test_unseen_motion_is_predicted(recording, recipe):
    filtered, raw, described = unseen(recording, recipe)
    assert filtered < 0.0144 and raw < 0.029
    assert filtered < 0.5 * described


def test_the_row_number_is_no_clock(recording):
    """Its stamps are irregular, and without them the prediction is several times worse."""
    counted = recording.with_clock(rate=1000.0)
    assert unseen(counted, "default")[0] > 0.03


def test_the_cutoff_is_found(recording):
    samples = bf.prepare(recording)
    assert 2 < samples.cutoff < 9
    assert len(samples.segments) == 1

"""Real logs with a part of their motion missing: a sensible model or a refusal that names the cause, never an absurd number."""

from __future__ import annotations

import numpy as np
import pytest

import bifilar as bf
from bifilar.estimate.score import score

MACHINES = {"ur10e_mamedov": ("ur-20_02_12-50sec_12harm", "ur-20_02_10-30sec_12harm"), "two_link": ("norm", "slow")}
JOINT = 1  # whose motion in one direction is left out


@pytest.fixture(scope="module", params=MACHINES)
def machine(request, dataset):
    """Robot, fitted run, test run."""
    dataset(request.param)
    train, test = (bf.datasets.load(request.param, run) for run in MACHINES[request.param])
    return bf.datasets.robot(request.param), train, test


def speeds(recording: bf.Recording) -> np.ndarray:
    """Of every joint, from positions over a tenth of a second, so that noise has no direction."""
    step = max(1, round(0.05 / float(np.median(np.diff(recording.time)))))
    q = recording.position
    v = np.zeros_like(q)
    v[step:-step] = (q[2 * step :] - q[: -2 * step]) / (recording.time[2 * step :] - recording.time[: -2 * step])[:, None]
    return v


def bounded_by_torque(robot: bf.Robot, estimate: bf.Estimate, recording: bf.Recording) -> None:
    """No friction torque is larger than a machine of this torque could have."""
    largest = dict(zip(recording.joint_names, np.abs(recording.torque).max(axis=0)))
    for name, value in zip(estimate.parameters.names, estimate.parameters.values):
        joint, _, word = name.partition(".")
        if joint in largest and word in ("coulomb", "offset"):
            assert abs(value) <= 3 * largest[joint], name


def test_the_slow_half_of_a_log(machine):
    robot, train, test = machine
    size = np.linalg.norm(speeds(train) / speeds(train).std(axis=0), axis=1)
    slow = train.masked(size > np.median(size))
    try:
        estimate = bf.PhysicallyConsistent().fit(robot, slow, friction="choose")
    except bf.RecordingError as error:
        assert "long enough" in error.what  # pieces between what was left out
        return
    bounded_by_torque(robot, estimate, train)
    whole = bf.PhysicallyConsistent().fit(robot, train, friction="choose")
    assert estimate.score(test).relative < 2 * whole.score(test).relative


def test_a_log_without_one_direction_of_a_joint(machine):
    robot, train, test = machine
    one_way = train.masked(speeds(train)[:, JOINT] < 0)
    try:
        estimate = bf.PhysicallyConsistent().fit(robot, one_way, friction="choose")
    except bf.RecordingError as error:
        assert "long enough" in error.what
        return
    bounded_by_torque(robot, estimate, train)
    nominal = score(robot, test, recipe=estimate.recipe).relative
    assert estimate.score(test).relative < 0.5 * nominal


def test_rows_near_standstill_keep_both_directions(machine):
    """A log so noisy that half of its rows are slower than the noise: of either direction the faster half stays."""
    robot, train, _ = machine
    rng = np.random.default_rng(0)
    noise = 0.02 * np.ptp(train.position, axis=0) * rng.standard_normal(train.position.shape)
    samples = bf.prepare(train.with_channel("position", train.position + noise), robot=robot)
    for joint in range(len(samples.joint_names)):
        v, kept = samples.velocity[:, joint], samples.mask[:, joint]
        for side in (v > 0, v < 0):
            assert kept[side].mean() > 0.35

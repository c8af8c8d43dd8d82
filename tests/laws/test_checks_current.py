"""Laws of checks on currents: gains, of whatever size and sign, change nothing that is found; nothing else goes unseen."""

from __future__ import annotations

import numpy as np
import pytest
from clean_recordings import clean

from bifilar.recording.check import example
from bifilar.recording.checks_current import OF_A_TORQUE, directions
from bifilar.validate.mistakes_seeded import MISTAKES, NAMES, spoilt

RECORDING, ROBOT = example()
GAINS = [np.array([1.0, 1.0]), np.array([0.004, 30.0]), np.array([-12.0, 0.1]), np.array([-0.02, -5.0])]


@pytest.mark.parametrize("gain", GAINS, ids=str)
def test_a_clean_recording_raises_no_alarm(gain):
    assert RECORDING.with_channel("torque", RECORDING.torque / gain).check(ROBOT, current=True).alarms == ()


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_are_named_whatever_the_gains_are(mistake):
    bad = spoilt(RECORDING, mistake)
    wanted = {NAMES[mistake]} - OF_A_TORQUE
    for gain in GAINS:
        found = bad.with_channel("torque", bad.torque / gain).check(ROBOT, current=True).alarms
        assert set(found.codes) == wanted, f"{mistake}, {gain}: {found}"


@pytest.mark.parametrize("seed", range(111, 114))
def test_drives_of_virtual_robots_raise_no_alarm(seed):
    recording, robot = clean(seed, duration=4.0)
    gain = np.exp(np.random.default_rng(seed).normal(size=len(recording.joint_names)))
    found = recording.with_channel("torque", recording.torque / gain).check(robot, current=True).alarms
    assert found == (), str(found)


def test_the_way_a_motor_is_wired_is_told_by_every_joint_that_speaks():
    for gain in GAINS:
        found = directions(RECORDING.with_channel("torque", RECORDING.torque / gain), ROBOT)
        np.testing.assert_array_equal(found, np.sign(gain))

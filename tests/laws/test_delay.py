"""Laws of the scan for a delay: any shift of the torque is named, also a long one; torque that is in time never is."""

from __future__ import annotations

import re

import numpy as np
import pytest
from clean_recordings import clean

import bifilar as bf
from bifilar.recording.check import example


def shifted(recording, seconds):
    torque = [np.interp(recording.time - seconds, recording.time, column) for column in recording.torque.T]
    return recording.with_channel("torque", np.column_stack(torque))


def said(recording, robot):
    """Delays [s] that the check names, positive: torque is late; and all that it names."""
    alarms = bf.check(recording, robot).alarms
    words = [re.search(r"comes (?:at least )?([\d.]+) ms (after|before)", finding.what) for finding in alarms.of("delay")]
    return [float(word[1]) * (1e-3 if word[2] == "after" else -1e-3) for word in words], alarms.codes


@pytest.fixture(scope="module", params=["two_link", "panda"])
def machine(request):
    return example() if request.param == "two_link" else clean(115, duration=6.0)


@pytest.mark.parametrize("seconds", [-0.2, -0.03, 0.01, 0.042, 0.24])
def test_a_shift_is_named_whatever_its_size(machine, seconds):
    recording, robot = machine
    found, codes = said(shifted(recording, seconds), robot)
    assert codes == ("delay",) and found == [pytest.approx(seconds, abs=3.5e-3)]


@pytest.mark.parametrize("seconds", [-0.3, 0.27, 0.3])
def test_a_shift_beyond_the_scan_is_named_as_at_least_its_end(machine, seconds):
    recording, robot = machine
    late = shifted(recording, seconds)
    (finding,) = bf.check(late, robot).of("delay")
    assert "at least 250 ms" in finding.what and ("after" if seconds > 0 else "before") in finding.what
    assert "may be more" in finding.remedy


@pytest.mark.parametrize("seed", range(131, 134))
def test_what_was_shifted_back_is_in_time(seed):
    """The remedy is the cure: after it nothing is named, but a few milliseconds where friction hides them."""
    recording, robot = clean(seed, duration=4.0)
    assert said(recording, robot) == ([], ())
    late = shifted(recording, 0.12)
    ((found,), _) = said(late, robot)
    left, codes = said(shifted(late, -found), robot)
    assert np.all(np.abs(left) < 5e-3) and set(codes) <= {"delay"}


def test_another_robot_is_not_taken_for_a_delay():
    recording, robot = clean(115, "panda", duration=5.0)
    draw = np.random.default_rng(0)
    torque = draw.normal(size=(12, len(robot.joint_names))).cumsum(axis=0)
    time = np.linspace(recording.time[0], recording.time[-1], 12)
    strange = np.column_stack([np.interp(recording.time, time, column) for column in 10 * torque.T])
    assert said(recording.with_channel("torque", strange), robot) == ([], ("robot",))

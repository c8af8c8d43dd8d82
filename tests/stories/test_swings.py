"""Logs of a simulated leg, and what their fit says where torques have little noise."""

from __future__ import annotations

import numpy as np
import pytest

import bifilar as bf
from bifilar.walking.demonstration import swung, unlike
from bifilar.walking.sensor_file import Carried, carried
from bifilar.walking.sensors import Accelerometer
from bifilar.walking.stance_likelihood import fit_stance
from bifilar.walking.stretches import Stretch, stretches
from bifilar.walking.walk_fit import base_of, smooth_pinned
from bifilar.walking.walk_log import walk_recording
from bifilar.walking.walk_track import WalkTrack
from bifilar.walking.walker import Walker


def swing(noise: float, stated: float | None = None) -> tuple[bf.Recording, list[Stretch], Walker]:
    """A leg whose first fit ends in a local minimum: log, stretches, machine; noises in peaks of the torque."""
    machine = unlike(Walker.load("leg"), 0.2, 1)
    shown = swung(machine, 10.0, seed=1)
    peak, sensors = float(np.abs(shown.torques).max()), carried(machine, "imu").sensors
    motion = (shown.time, shown.states, shown.stance, shown.torques)
    log = walk_recording(Carried(sensors, noise * peak), *motion, np.random.default_rng([1, 4]), planars=shown.planars)
    return log, stretches(Carried(sensors, (stated or noise) * peak), log), machine


def test_little_noise_of_the_torque_leads_to_no_local_minimum_and_wrong_noise_is_doubtful() -> None:
    for stated, code in ((0.005, "ok"), (0.0005, "doubtful")):
        _, parts, machine = swing(0.005, stated)
        pinned = smooth_pinned(machine)
        base = base_of(pinned)
        found = fit_stance(pinned, [s.log for s in parts], motion=[s.motion for s in parts], base=base)
        assert found.status.code == code
        if code == "ok":
            true = base.from_full(pinned.parameters())
            assert np.abs(found.values / true - 1).max() < 0.1
            assert np.abs((found.values - true) / found.deviations).max() < 5.0


def test_an_accelerometer_of_a_simulated_leg_feels_the_motion_of_its_states() -> None:
    """Its reading along the link is gravity and the second difference of the angle, also where dry friction turns."""
    log, _, machine = swing(0.0, 0.01)
    sensor = next(s for s in carried(machine, "imu").sensors.sensors if isinstance(s, Accelerometer))
    states, own = log.channels["truth"].values, sensor.on(machine, 0)
    h = float(np.diff(log.time).mean())
    v, a = (states[2:] - states[:-2]) / (2 * h), (states[2:] - 2 * states[1:-1] + states[:-2]) / h**2
    expected = own.reading(states[1:-1], v, a)
    felt = np.stack([log.channels["accelerometer"].values[1:-1, k] for k in range(2)], axis=1)
    off = (felt - expected)[:, 0] / sensor.noise
    assert np.sqrt(np.mean(off**2)) == pytest.approx(1.0, abs=0.1)


def test_samples_without_a_reading_do_not_make_a_filter_look_better() -> None:
    time, none = np.arange(400) / 100.0, np.zeros((400, 6))
    seen = np.full(400, 12.0)
    rest = {"time": time, "names": (), "mean": none, "deviation": none, "stance": np.zeros(400, int), "angles": none[:, :3]}
    means = []
    for surprise in (seen, np.where(np.arange(400) % 3, 0.0, seen), 0 * seen):
        found = WalkTrack(walker=Walker.load("walker3"), surprise=surprise, truth=None, lost=False, **rest)
        means.append(found.mean_surprise())
    assert means == [12.0, 12.0, np.inf]

"""Time of one iteration of the likelihood of a leg without encoder at its pivot, against the number of samples.

    python benchmarks/stance_speed.py [--json]

Work is linear in the number of samples: ten times as many may take twelve times as long.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from time import perf_counter

import numpy as np

from bifilar.papers.dolinsky_leg import leg
from bifilar.walking.stance import StanceLog
from bifilar.walking.stance_likelihood import StanceLikelihood
from bifilar.walking.stance_sensors import StanceSensor

ROUNDS = 12


def likelihood_of(samples: int) -> tuple[object, np.ndarray, np.ndarray]:
    """A smooth motion of the leg, with every sensor's reading; what is timed does not depend on the values."""
    own, t = leg(), np.arange(samples)[:, None] * 0.01
    q = np.concatenate([0.4 * np.sin(3 * t), 0.8 * np.sin(5 * t + 1)], axis=1)
    v = np.concatenate([1.2 * np.cos(3 * t), 4 * np.cos(5 * t + 1)], axis=1)
    a = np.concatenate([-3.6 * np.sin(3 * t), -20 * np.sin(5 * t + 1)], axis=1)
    sensors = [StanceSensor(own.walker, sensor) for sensor in (own.felt, own.turn)]
    log = StanceLog(
        position=q,
        torque=own.pinned.inverse_dynamics(q, v, a),
        period=0.01,
        position_noise=[np.inf, 1e-4],
        torque_noise=[0.0, 0.02],
        readings=tuple(sensor.readings(sensor.sensed(q, v, a).value) for sensor in sensors),
    )
    settings = StanceLikelihood()
    likelihood = settings._likelihood(own.pinned, own.base, (log,), np.array([0.01, 0.02]))
    return likelihood, q.ravel(), own.base.from_full(own.pinned.parameters())


def iteration(samples: int) -> Callable[[], float]:
    """Seconds of filling and solving the equations once, whenever it is called."""
    likelihood, x, theta = likelihood_of(samples)
    system = likelihood.system()  # type: ignore[attr-defined]

    def once() -> float:
        begun = perf_counter()
        system.clear()
        likelihood.fill(x, theta, system)  # type: ignore[attr-defined]
        system.step()
        return perf_counter() - begun

    return once


def measure() -> dict:
    """Three lengths and their ratio."""
    every = {count: iteration(count) for count in (1_000, 10_000, 100_000)}
    times = [{count: once() for count, once in every.items()} for _ in range(ROUNDS)]  # interleaved: others may be at work
    found = {count: min(row[count] for row in times[1:]) for count in every}
    return {"milliseconds": {str(k): 1e3 * x for k, x in found.items()}, "ratio": found[10_000] / found[1_000]}


def demands(result: dict) -> list[tuple[str, str, float, float]]:
    """Cost is linear in the number of samples."""
    return [("likelihood on one foot, an iteration of 10,000 samples / 1,000", "<=", 12, result["ratio"])]


def main() -> None:
    """Measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    as_json = parser.parse_args().json
    result = measure()
    if as_json:
        print(json.dumps(result))
        return
    for count, milliseconds in result["milliseconds"].items():
        print(f"{int(count):7d} samples: {milliseconds:8.2f} ms, {1e3 * milliseconds / int(count):.2f} us per sample")
    print(f"10,000 samples take {result['ratio']:.1f} times as long as 1,000")


if __name__ == "__main__":
    main()

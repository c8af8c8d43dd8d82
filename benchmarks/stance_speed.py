"""Time of one iteration of the likelihood of a leg without encoder at its pivot, against the number of samples.

    python benchmarks/stance_speed.py [--json]

Work is linear in the number of samples: ten times as many may take twelve times as long.
"""

from __future__ import annotations

import argparse
import json
from time import perf_counter

import numpy as np

from bifilar.papers.dolinsky_leg import leg
from bifilar.walking.stance import StanceLog
from bifilar.walking.stance_likelihood import StanceLikelihood
from bifilar.walking.stance_sensors import StanceSensor


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


def iteration(samples: int, repeats: int) -> float:
    """Seconds of filling and solving the equations once: the least of several."""
    likelihood, x, theta = likelihood_of(samples)
    system, times = likelihood.system(), []  # type: ignore[attr-defined]
    for _ in range(repeats + 1):
        begun = perf_counter()
        system.clear()
        likelihood.fill(x, theta, system)  # type: ignore[attr-defined]
        system.step()
        times.append(perf_counter() - begun)
    return min(times[1:])


def main() -> None:
    """Three lengths and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    found = {count: iteration(count, 20 if count < 50_000 else 5) for count in (1_000, 10_000, 100_000)}
    result = {"milliseconds": {str(k): 1e3 * x for k, x in found.items()}, "ratio": found[10_000] / found[1_000]}
    if parser.parse_args().json:
        print(json.dumps(result))
        return
    for count, seconds in found.items():
        print(f"{count:7d} samples: {1e3 * seconds:8.2f} ms, {1e6 * seconds / count:.2f} us per sample")
    print(f"10,000 samples take {result['ratio']:.1f} times as long as 1,000")


if __name__ == "__main__":
    main()

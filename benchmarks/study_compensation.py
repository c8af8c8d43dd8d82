"""Gravity compensation fed with states that a broken bus could deliver: no torque and no rate above its limit, ever.

    python benchmarks/study_compensation.py --count 10000000 --jobs 2

Smooth and jumping motions with NaN, infinities, 1e300, values out of range and things that are no state at all; clocks that
jump, stand and run back; stale stamps. Counts violations and says how often each state of the guard was met.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from concurrent.futures import ProcessPoolExecutor

import numpy as np

import bifilar as bf

ODD = np.array([np.nan, np.inf, -np.inf, 1e300, -1e300, 1e-300, 1e6, 0.0])
NO_STATES = (None, "a state", [], [0.0] * 3, np.zeros((7, 2)), {}, [None] * 7)
BLOCK, PERIOD = 10_000, 0.001


def motions(rng: np.random.Generator, robot: bf.Robot, size: int) -> np.ndarray:
    """Positions and velocities (size, 2, joints): smooth, jumping inside the limits, or jumping beyond them."""
    middle, half = (robot.limits.upper + robot.limits.lower) / 2, (robot.limits.upper - robot.limits.lower) / 2
    kind, n = rng.choice(["smooth", "jumping", "beyond"]), len(half)
    if kind == "smooth":
        speed = rng.uniform(0.1, 1.5, n)
        angle = speed * PERIOD * np.arange(size)[:, None] + rng.uniform(0, 2 * np.pi, n)
        return np.stack([middle + 0.4 * half * np.sin(angle), 0.4 * half * speed * np.cos(angle)], axis=1)
    wide = 1.0 if kind == "jumping" else 1.2
    return np.stack([middle + wide * half * rng.uniform(-1, 1, (size, n)), rng.uniform(-2, 2, (size, n))], axis=1)


def trial(seed: int, count: int) -> tuple[int, Counter[str]]:
    """Violations and states met in `count` steps."""
    rng = np.random.default_rng(seed)
    robot = bf.Robot.load("panda")
    settings = bf.SafetySettings.of(robot, seconds=0.1, fade_in=0.01, damping=np.full(7, 5.0))
    arm = bf.GravityCompensation(bf.GravityModel.of(robot), settings, damping=np.full(7, 1.0))
    clock, latest, last, bad, met = 0.0, 0.0, np.zeros(7), 0, Counter[str]()
    for begin in range(0, count, BLOCK):
        size = min(BLOCK, count - begin)
        states = motions(rng, robot, size)
        broken = rng.random(states.shape) < rng.choice([0.0, 0.001, 0.02])
        states[broken] = rng.choice(ODD, int(broken.sum()))
        often = rng.choice([0.0, 0.02])
        steps = np.where(rng.random(size) >= often, PERIOD, rng.choice([0.0, -1.0, 10.0, np.nan, np.inf, 1e300], size))
        ages = np.where(rng.random(size) >= often / 2, PERIOD, rng.choice([0.0, 0.01, 1.0, np.nan, -1e300], size))
        for (q, v), step, age, strange in zip(states, steps, ages, rng.random(size), strict=True):
            told = clock + step
            clock = told if abs(told) < 1e12 else clock
            given = (q, v) if strange >= often / 100 else (NO_STATES[rng.integers(len(NO_STATES))], v)
            torque, state = arm.step(*given, told, clock - age)
            passed = min(max(told - latest, 0.0), settings.longest) if np.isfinite(told) else 0.0
            inside = np.all(np.abs(torque) <= settings.torque)
            gentle = np.all(np.abs(torque - last) <= settings.rate * passed * (1 + 1e-9) + 1e-12)
            bad += not (inside and gentle)
            met[state] += 1
            last, latest = torque, told if np.isfinite(told) else latest
    return bad, met


def main() -> None:
    """Run as many as asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--jobs", type=int, default=1)
    settings = parser.parse_args()
    parts = max(settings.jobs, 1) * 4
    each = -(-settings.count // parts)
    with ProcessPoolExecutor(settings.jobs) as pool:
        results = list(pool.map(trial, range(parts), [each] * parts))
    met = sum((states for _, states in results), Counter[str]())
    print(json.dumps({"steps": each * parts, "violations": sum(bad for bad, _ in results), "states": dict(met)}))


if __name__ == "__main__":
    main()

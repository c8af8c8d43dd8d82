"""Two machines that swing, recorded: weighted least squares and maximum likelihood on the same runs, simulated on others.

    python benchmarks/real_pendulums.py [--horizon 0.5] [--position-noise spectrum] [--json]

A simulation is begun at every quarter of a second of the run left out, from its own position and smoothed velocity, and
driven by its measured torque. The error is the root mean square of the angles over the horizon; lost simulations count
as pi. A double pendulum is chaotic: longer horizons measure the start, not the model.
"""

from __future__ import annotations

import argparse
import json
from typing import Literal

import numpy as np

import bifilar as bf
from bifilar.dynamics.tree import Array
from bifilar.robot.model import Model

EVERY = 0.25  # [s] between two starts
LOST = np.pi  # [rad]


def starts(recording: bf.Recording, robot: bf.Robot, horizon: float) -> tuple[Array, Array, Array, float]:
    """Positions (windows, samples, joints), first velocities (windows, joints), torques like positions, and the period."""
    samples = bf.prepare(recording, robot=robot)
    fine = samples.fine[0]
    q, v, t = np.asarray(fine.motion.position), np.asarray(fine.motion.velocity), fine.time
    period = float(np.mean(np.diff(t)))
    torque = np.stack([np.interp(t, recording.time, column) for column in recording.torque.T], axis=1)
    count, step = round(horizon / period), max(1, round(EVERY / period))
    first = np.arange(0, len(t) - count - 1, step)
    window = first[:, None] + np.arange(count + 1)
    return q[window], v[first], torque[window], period


def simulated(model: Model, q: Array, v: Array, torque: Array, period: float) -> Array:
    """Root mean square of the angles' error of every window, (windows,): Runge-Kutta, torque between samples on a line."""
    x, rate, total = q[:, 0].copy(), v.copy(), np.zeros(len(q))

    def push(x: Array, rate: Array, u: Array) -> Array:
        # a model that is not physical may blow up; it is counted as lost, below
        return model.forward_dynamics(np.clip(x, -1e3, 1e3), np.clip(rate, -1e3, 1e3), u)

    for k in range(q.shape[1] - 1):
        u0, u2 = torque[:, k], torque[:, k + 1]
        u1, h = 0.5 * (u0 + u2), period
        a1 = push(x, rate, u0)
        a2 = push(x + h / 2 * rate, rate + h / 2 * a1, u1)
        a3 = push(x + h / 2 * (rate + h / 2 * a1), rate + h / 2 * a2, u1)
        a4 = push(x + h * (rate + h / 2 * a2), rate + h * a3, u2)
        x = x + h * rate + h**2 / 6 * (a1 + a2 + a3)
        rate = rate + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
        error = np.minimum(np.abs(x - q[:, k + 1]), LOST)
        total += np.mean(np.where(np.isfinite(error), error, LOST) ** 2, axis=1)
    return np.sqrt(total / (q.shape[1] - 1))


def folds(name: str) -> list[tuple[list[str], str]]:
    """Runs to fit and the one left out."""
    runs = list(bf.datasets.describe(name).runs)
    if name == "pendulum":
        return [(["harmonic_input_1"], "harmonic_input_2"), (["free_fall_1"], "free_fall_2")]
    return [([other for other in runs if other != run], run) for run in runs]


def table(name: str, horizon: float, noise: float | Literal["spectrum"] | None = None) -> list[dict[str, object]]:
    """Every fold: errors of both methods and of the description, median over the windows."""
    robot, rows = bf.datasets.robot(name), []
    for train, test in folds(name):
        data = [bf.datasets.load(name, run) for run in train]
        held = starts(bf.datasets.load(name, test), robot, horizon)
        row: dict[str, object] = {"fitted": "+".join(train) if len(train) < 3 else f"{len(train)} others", "left out": test}
        for word, method in (("WLS", bf.LeastSquares()), ("ML", bf.MaximumLikelihood(position_noise=noise))):
            estimate = method.fit(robot, data)
            row[word] = float(np.median(simulated(estimate.model, *held)))
            row[f"{word} status"] = estimate.status.code
            row[f"{word} seconds"] = float(sum(estimate.timings.values()))
        row["description"] = float(np.median(simulated(robot, *held)))
        rows.append(row)
    return rows


def _noise(word: str) -> float | Literal["spectrum"]:
    return "spectrum" if word == "spectrum" else float(word)


def main() -> None:
    """Both machines."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--horizon", type=float, default=0.5)
    help = "[rad] of likelihood, or spectrum; left out: chosen on stretches of the fitted runs"
    parser.add_argument("--position-noise", type=_noise, help=help)
    parser.add_argument("--json", action="store_true")
    settings = parser.parse_args()
    found = {name: table(name, settings.horizon, settings.position_noise) for name in ("pendulum", "double_pendulum")}
    if settings.json:
        print(json.dumps(found))
        return
    for name, rows in found.items():
        print(f"{name}: median over the starts of the rms angle error [rad] after {settings.horizon:g} s")
        for row in rows:
            words = ", ".join(f"{key} {row[key]:.4f}" for key in ("WLS", "ML", "description"))
            print(f"  {row['left out']} from {row['fitted']}: {words} ({row['WLS status']}, {row['ML status']})")


if __name__ == "__main__":
    main()

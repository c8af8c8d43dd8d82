"""Do 95 % intervals cover the truth 95 times in a hundred? A six-joint arm, a thousand recordings of each kind of noise.

    python benchmarks/study_noise_colour.py --count 1000 --jobs 2

white      rows at 25 Hz, white noise on every joint's torque
coloured   recorded at 500 Hz with noise that decays over 40 ms and is shared between joints, prepared (filtered at 10 Hz,
           decimated to 20 Hz) as any recording
slow       the same, noise that decays over 400 ms: a fifth of the runs; nothing is demanded

Ten motions (Fourier series, 20 s), each with its share of the runs. Between runs only the torque changes, so the columns of
a motion are computed once; the estimator, with its second pass over the rows, runs anew each time. Coverage is averaged over
all 54 parameters. Prints one JSON; exit code 1 unless the default covers 93.6-96.4 % with white noise and at least 90 % with
coloured noise.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from typing import Any

os.environ |= {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")}  # one process per core

import numpy as np

import bifilar as bf
from bifilar.dynamics.reduce import BlockFactor, RowFactor
from bifilar.estimate.bootstrap import slim
from bifilar.estimate.problem import Problem, RowChunk
from bifilar.estimate.sources import Arrays
from bifilar.recording.samples import Samples

ROBOT, DURATION, PERIOD, HARMONICS = "puma560", 20.0, 10.0, 5
MOTIONS = 10
FINE, ROWS, CUTOFF = 500.0, 25.0, 10.0  # [Hz]
DECAY = {"coloured": 0.04, "slow": 0.4}  # [s]
SHARED = 0.4  # correlation of the joints' noise
LOUD = 0.03  # noise, of the spread of a joint's torque
WAYS = ("robust", "white")  # the default first
EVERY = 5  # runs for one in which the others are asked, too


@cache
def arm() -> bf.Robot:
    """The arm with friction that is not zero."""
    robot = bf.Robot.load(ROBOT).with_friction(bf.Viscous() + bf.Coulomb() + bf.Offset())
    words = {"viscous": 2.0, "coulomb": 3.0, "offset": 0.5}
    return robot.with_parameters({f"{joint}.{word}": size for joint in robot.joint_names for word, size in words.items()})


def motion(seed: int, rate: float, duration: float = DURATION) -> tuple[np.ndarray, ...]:
    """Time, position, velocity and acceleration of a Fourier series."""
    size = np.random.default_rng(seed).normal(size=(2, HARMONICS, 1, len(arm().joint_names)))
    time = np.arange(int(duration * rate)) / rate
    speed = 2 * np.pi / PERIOD * np.arange(1, HARMONICS + 1)[:, None, None]
    s, c = size / np.arange(1, HARMONICS + 1)[:, None, None]
    sin, cos = np.sin(speed * time[:, None]), np.cos(speed * time[:, None])
    sums = ((s * sin + c * cos), speed * (s * cos - c * sin), -(speed**2) * (s * sin + c * cos))
    return time, *(x.sum(axis=0) for x in sums)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Drawn(Problem):
    """A problem whose columns were computed once, with another torque."""

    chunks: tuple[RowChunk, ...] = ()

    def rows(self, which: str = "base", *, wanted: object = None) -> Iterator[RowChunk]:
        """The second pass."""
        yield from self.chunks


class Recorded:
    """One motion of the arm, recorded and reduced without noise; `with_noise` is what another recording would have given."""

    def __init__(self, kind: str, seed: int, duration: float = DURATION) -> None:
        self.kind, robot = kind, arm()
        rate = ROWS if kind == "white" else FINE
        time, q, v, a = motion(seed, rate, duration)
        tau = robot.inverse_dynamics(q, v, a)
        self.loudness = LOUD * tau.std(axis=0)
        self.fine, self.samples = len(time), None
        data: Any = Arrays(q, v, a, tau)
        if kind != "white":
            names = robot.joint_names
            data = bf.prepare(bf.Recording(joint_names=names, time=time, position=q, torque=tau), cutoff=CUTOFF)
            self.samples = data
            self.shift = round((data.fine[0].time[0] - time[0]) * rate)
        self.problem = slim(Problem.of(robot, data, blocks=8))
        self.truth = self.problem.base.from_full(robot.parameters())
        self.chunks = tuple(self.problem.rows())
        self.columns, self.torque, self.weight = (
            np.concatenate([getattr(c, name) for c in self.chunks]) for name in ("columns", "torque", "weight")
        )
        ends = np.cumsum([0, *(block.samples for block in self.problem.reduction.blocks)])
        self.slices = [slice(int(b), int(e)) for b, e in pairwise(ends)]
        self.factors = [self._factors(part, block) for part, block in zip(self.slices, self.problem.reduction.blocks)]

    def _factors(self, part: slice, block: BlockFactor) -> list[tuple[np.ndarray, np.ndarray]]:
        place = {int(column): k for k, column in enumerate(self.problem.base.columns)}
        factors = []
        for j, row in enumerate(block.rows):
            w = self.columns[part, j][:, [place[int(column)] for column in row.columns]] * self.weight[part, j, None]
            factors.append(np.linalg.qr(w))
        return factors

    def noise(self, rng: np.random.Generator) -> np.ndarray:
        """Of the rows' torque: white, or decaying and shared between joints and then through the torque's filter."""
        joints = len(self.loudness)
        if self.samples is None:
            return rng.normal(size=(self.fine, joints)) * self.loudness
        from scipy.signal import lfilter

        keep = np.exp(-1 / (DECAY[self.kind] * FINE))
        long = int(8 * DECAY[self.kind] * FINE)
        raw = rng.normal(size=(self.fine + long, joints)) * np.sqrt(1 - SHARED) + np.sqrt(SHARED) * rng.normal(
            size=(self.fine + long, 1)
        )
        decaying = lfilter([np.sqrt(1 - keep**2)], [1, -keep], raw, axis=0)[long:]
        own = decaying[self.shift : self.shift + len(self.samples.fine[0].time)] * self.loudness
        return filtered(self.samples, own)

    def with_noise(self, noise: np.ndarray) -> Problem:
        """What the recording would have been."""
        torque = self.torque + noise
        blocks = []
        for part, block, factors in zip(self.slices, self.problem.reduction.blocks, self.factors):
            rows = []
            for j, (row, (basis, r)) in enumerate(zip(block.rows, factors)):
                tau = self.weight[part, j] * torque[part, j]
                z = basis.T @ tau
                triangle = np.zeros((len(row.columns) + 1,) * 2)
                triangle[: len(r), :-1], triangle[: len(z), -1] = r, z
                triangle[-1, -1] = np.linalg.norm(tau - basis @ z)
                rows.append(RowFactor(row.columns, triangle, row.samples))
            blocks.append(BlockFactor(tuple(rows), block.samples))
        chunks, start = [], 0
        for chunk in self.chunks:
            chunks.append(chunk._replace(torque=torque[start : start + len(chunk.torque)]))
            start += len(chunk.torque)
        problem = self.problem
        fields = {name: getattr(problem, name) for name in problem.__dataclass_fields__}
        fields["reduction"] = replace(problem.reduction, blocks=tuple(blocks))
        return Drawn(**fields, chunks=tuple(chunks))


def filtered(samples: Samples, fine: np.ndarray) -> np.ndarray:
    """Fine torque as the rows have it."""
    return samples.filter.at(fine, samples.fine[0].rows)


def one(task: tuple[str, int, int, tuple[str, ...]]) -> dict[str, Any]:
    """Some runs of one motion: how often each parameter was covered, and its error in deviations."""
    kind, seed, count, ways = task
    recorded = Recorded(kind, 1000 + seed)
    result: dict[str, Any] = {"kind": kind, "count": count, "rows": len(recorded.torque), "doubted": 0}
    for way in ways:
        result[way] = {"runs": 0, "covered": np.zeros(len(recorded.truth)), "squares": np.zeros(len(recorded.truth))}
    for k in range(count):
        problem = recorded.with_noise(recorded.noise(np.random.default_rng([seed, k, len(kind)])))
        for way in ways if k % EVERY == 0 else ways[:1]:
            estimate = bf.LeastSquares(uncertainty=way).solve(problem)
            error = (estimate.values - recorded.truth) / estimate.deviations
            low, high = estimate.interval(0.95)
            result[way]["covered"] += (low < recorded.truth) & (recorded.truth < high)
            result[way]["squares"] += error**2
            result[way]["runs"] += 1
            result["doubted"] += int(not estimate.status.ok)
    return result


def summary(results: list[dict[str, Any]], ways: tuple[str, ...]) -> dict[str, Any]:
    """Coverage over all runs of one kind."""
    report: dict[str, Any] = {"rows": results[0]["rows"], "doubted": sum(r["doubted"] for r in results)}
    for way in ways:
        runs = sum(result[way]["runs"] for result in results)
        covered = sum(result[way]["covered"] for result in results) / runs
        motions = [float((result[way]["covered"] / result[way]["runs"]).mean()) for result in results]
        squares = sum(result[way]["squares"] for result in results) / runs
        report[way] = {
            "runs": runs,
            "coverage": round(float(covered.mean()), 4),
            "worst_parameter": round(float(covered.min()), 4),
            "by_motion": [round(min(motions), 4), round(max(motions), 4)],
            "rms_error_in_deviations": round(float(np.sqrt(squares.mean())), 3),
        }
    return report


def main() -> int:
    """Run the study."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--count", type=int, default=1000, help="runs of each kind of noise")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--bootstrap", action="store_true", help="also draw blocks (slow)")
    options = parser.parse_args()
    kinds, ways = ("white", *DECAY), (*WAYS, "bootstrap") if options.bootstrap else WAYS
    each = -(-options.count // MOTIONS)
    counts = {kind: each if kind != "slow" else -(-each // 5) for kind in kinds}
    tasks = [(kind, seed, counts[kind], ways) for kind in kinds for seed in range(MOTIONS)]
    with multiprocessing.get_context("spawn").Pool(options.jobs) as pool:
        results = list(pool.imap_unordered(one, tasks))
    report = {kind: summary([r for r in results if r["kind"] == kind], ways) for kind in kinds}
    print(json.dumps({"robot": ROBOT, "parameters": len(Recorded("white", 1000).truth)} | report, indent=2))
    good = 0.936 <= report["white"]["robust"]["coverage"] <= 0.964 and report["coloured"]["robust"]["coverage"] >= 0.90
    return int(not good)


if __name__ == "__main__":
    sys.exit(main())

"""`make study-coverage`: do error bars of `bifilar fit`, with no option but names, hold the truth?

    python benchmarks/study_coverage.py --count 200 --jobs 2
    python benchmarks/study_coverage.py --count 12 --first 1000 --cases cases     keeps the simulated logs in a folder

A run is a seven-joint arm (Panda, KUKA LWR4+, a random chain in turn) in MuJoCo with friction whose sign of speed is hard,
a log of 20 s through realistic sensors (17-bit encoders, torque noise of 0.5 % of the limit, an offset, a delay, an
unsteady clock), and a nominal model whose masses, centres of mass and inertias are off by a standard deviation that is
drawn from 10 to 30 % for the arm. The log and the URDF go through what `bifilar fit nominal.urdf log.parquet` does; the
last 30 % are kept apart as usual.

Scored are all base parameters (inertial and friction, the offset of the torque sensor among them) and every mass that
claims to come from the data: share within two deviations, over all runs and in the worst run, largest error in deviations,
median deviation over RMS error, parameters called identified, masses beyond a factor of 3 of the truth in runs called good.
Prints a line per run and one JSON; exit code 1 if a demand fails.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

os.environ |= {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")}  # one process per core

import numpy as np

import bifilar as bf
from bifilar.errors import BifilarError
from bifilar.estimate.estimate import Estimate
from bifilar.estimate.study_arm import SHARES, UNKNOWN_EFFORT, UNKNOWN_SPEED, exciting

KINDS = ("panda", "kuka_lwr4", "chain")
WRONG = 0.1, 0.3  # standard deviation of the nominal model's numbers, relative
DURATION, RATE = 20.0, 500.0  # [s], [Hz] of a log
HARDEST = 3.0  # a nominal number is off by at most so many deviations
DENSITY = 300.0, 2500.0  # [kg/m^3] of a random link around its outline
SLIP = 0.01  # [rad/s] half width of the plant's sign of speed, a hundredth of usual speeds
STEEPEST = 3000.0  # [1/s] slope of friction over inertia
LARGEST = 3.0  # a mass is to be within this factor of the truth


class Case(NamedTuple):
    """One arm: the machine, what is believed of it, and its log."""

    kind: str
    wrong: float
    machine: bf.Robot
    nominal: bf.Robot
    log: bf.Recording


def case(seed: int, folder: Path | None = None) -> Case:
    """The arm of a seed; simulated once if a folder keeps the logs."""
    kind = KINDS[seed % len(KINDS)]
    rng = np.random.default_rng([seed, 22])
    machine = with_friction(chain(rng) if kind == "chain" else bf.Robot.load(kind), rng)
    wrong = float(rng.uniform(*WRONG))
    nominal = mistaken(machine.with_friction(()), wrong, rng)
    place = None if folder is None else folder / f"{seed}.parquet"
    if place is not None and place.exists():
        return Case(kind, wrong, machine, nominal, bf.Recording.load(place))
    motion = exciting(machine, duration=DURATION, rate=1000.0, seed=seed)
    log = bf.VirtualRobot(machine, slip=SLIP).play(motion.played, rate=RATE, seed=seed, sensors=bf.Sensors.realistic())
    log = bf.Recording(
        joint_names=log.joint_names, time=log.time, position=log.position, velocity=log.velocity, torque=log.torque
    )
    if place is not None:
        place.parent.mkdir(parents=True, exist_ok=True)
        log.save(place)
    return Case(kind, wrong, machine, nominal, log)


def with_friction(robot: bf.Robot, rng: np.random.Generator) -> bf.Robot:
    """Viscous and Coulomb friction, some hundredths of the effort limit, each off by up to a factor of two.

    Coulomb friction over the width of the plant's sign is a slope; a light wrist gets as much as it can be integrated with.
    """
    effort = np.where(np.isfinite(robot.limits.effort), robot.limits.effort, UNKNOWN_EFFORT)
    speed = np.where(np.isfinite(robot.limits.velocity), robot.limits.velocity, UNKNOWN_SPEED)
    pose = np.random.default_rng(0).uniform(-1, 1, (50, len(effort)))
    lightest = 1 / np.linalg.inv(robot.mass_matrix(pose)).diagonal(axis1=1, axis2=2).max(axis=0)
    dry = np.minimum(SHARES["coulomb"] * effort, STEEPEST * SLIP * lightest)
    sizes = {"viscous": SHARES["viscous"] / SHARES["coulomb"] * dry / speed, "coulomb": dry}
    values = {}
    for word, size in sizes.items():
        scale = 2.0 ** rng.uniform(-1, 1, len(size))
        values |= {f"{joint}.{word}": float(x) for joint, x in zip(robot.joint_names, scale * size)}
    return robot.with_friction(bf.Viscous() + bf.Coulomb(), values)


def mistaken(robot: bf.Robot, share: float, rng: np.random.Generator) -> bf.Robot:
    """Logarithms of masses off by a deviation of `share`, centres by that share of the radius of gyration, moments likewise.

    The body is stretched by a random matrix about its centre, so that axes turn as well and the links stay possible.
    """
    changed = {}
    for link in robot.links:
        body = link.inertia
        if body.mass <= 0:
            continue
        mass = body.mass * float(np.exp(share * np.clip(rng.normal(), -HARDEST, HARDEST)))
        second = 0.5 * np.trace(body.about_center_of_mass) * np.eye(3) - body.about_center_of_mass
        radius = np.sqrt(max(np.trace(second), 0.0) / body.mass / 3)
        centre = body.center_of_mass + share * radius * np.clip(rng.normal(size=3), -HARDEST, HARDEST)
        stretch = np.eye(3) + 0.5 * share * np.clip(rng.normal(size=(3, 3)), -HARDEST, HARDEST)
        second = mass / body.mass * stretch @ second @ stretch.T
        changed[link.name] = bf.Inertia.from_center_of_mass(mass, centre, np.trace(second) * np.eye(3) - second)
    return robot.with_inertia(changed)


def chain(rng: np.random.Generator) -> bf.Robot:
    """A random arm: seven revolute joints about turned axes, solid links that become smaller outwards."""
    count = 7
    lengths = rng.uniform(0.05, 0.4, count) * np.linspace(1.2, 0.5, count)
    links, joints = [bf.Link("base")], []
    for k in range(count):
        radius = rng.uniform(0.04, 0.08) * (1.2 - 0.1 * k)
        length = max(lengths[k], 2 * radius)
        mass = rng.uniform(*DENSITY) * np.pi * radius**2 * length
        box = np.array([2 * radius, 2 * radius, length]) * rng.uniform(0.8, 1.2, 3)
        second = np.diag(box**2) / 12
        turn = np.linalg.qr(rng.normal(size=(3, 3)) * 0.3 + np.eye(3))[0]
        second = mass * turn @ second @ turn.T
        centre = np.array([0, 0, 0.5 * length]) + rng.normal(size=3) * 0.2 * radius
        links.append(
            bf.Link(f"link{k + 1}", inertia=bf.Inertia.from_center_of_mass(mass, centre, np.trace(second) * np.eye(3) - second))
        )
        axis = ("z", "y", "z", "x", "z", "y", "z")[k]
        vector = {"x": [1.0, 0, 0], "y": [0, 1.0, 0], "z": [0, 0, 1.0]}[axis]
        pose = bf.Pose(np.eye(3), np.array([0.0, 0.0, 0.3 if k == 0 else lengths[k - 1]]))
        names = "base" if k == 0 else f"link{k}", f"link{k + 1}"
        joints.append(bf.Joint(f"joint{k + 1}", "revolute", *names, pose=pose, axis=vector))
    robot = bf.Robot.build(bf.Description("chain", tuple(links), tuple(joints)))
    limits = {"lower": -2.8, "upper": 2.8, "velocity": 2.5, "effort": 1.0}
    q = rng.uniform(-2.8, 2.8, (500, count))
    v, a = rng.uniform(-2.5, 2.5, (500, count)), rng.uniform(-8, 8, (500, count))
    effort = 1.3 * np.abs(robot.inverse_dynamics(q, v, a)).max(axis=0)
    return robot.with_limits({name: limits | {"effort": float(x)} for name, x in zip(robot.joint_names, effort)})


def one(task: tuple[int, Path | None]) -> dict[str, Any]:
    """One arm, fitted as the command line does."""
    from bifilar.cli.fit import Settings
    from bifilar.cli.fit_run import fitted

    seed, folder = task
    own = case(seed, folder)
    row: dict[str, Any] = {"seed": seed, "kind": own.kind, "wrong": round(own.wrong, 3)}
    with tempfile.TemporaryDirectory() as place:
        names = str(Path(place, "nominal.urdf")), str(Path(place, "log.parquet"))
        own.nominal.save(names[0])
        own.log.save(names[1])
        began = time.process_time()
        try:
            done = fitted(Settings(robot=names[0], logs=(names[1],)))
        except BifilarError as error:
            return row | {"refused": error.code or str(error)}
        row["seconds"] = round(time.process_time() - began, 1)
    row |= {"level": done.verdict.level, "nrmse": round(done.verdict.validation.relative, 4)}
    return row | scored(own, done.estimate)


def scored(own: Case, estimate: bf.BaseEstimate) -> dict[str, Any]:
    """Errors in deviations of base parameters and of masses from data, and what is claimed."""
    truth = true_values(own, estimate)
    base = estimate.base.from_full(truth)
    error = estimate.values - base
    ratio = in_deviations(error, estimate.deviations)
    row: dict[str, Any] = {
        "status": estimate.status.code,
        "names": list(estimate.names),
        "error": error.tolist(),
        "deviation": estimate.deviations.tolist(),
        "identified": estimate.identified.tolist(),
        "covered": round(float(np.mean(ratio <= 2)), 3),
        "worst": [estimate.names[int(np.argmax(ratio))], round(float(ratio.max()), 2)],
        "known": int(np.sum(estimate.identified)),
    }
    strength = estimate.tables.get("prior weight")
    if strength is not None:
        row["prior"] = strength.facts() if hasattr(strength, "facts") else [strength.weight, strength.mass_weight]
    if isinstance(estimate, Estimate):
        names = estimate.parameters.names
        places = [k for k, name in enumerate(names) if name.endswith(".mass")]
        values, deviations = estimate.parameters.values[places], estimate.parameter_deviations[places]
        row["masses"] = {
            "ratio": (values / truth[places]).tolist(),
            "data": [estimate.origins[k] == "data" for k in places],
            "error": (values - truth[places]).tolist(),
            "deviation": deviations.tolist(),
        }
    return row


def in_deviations(error: np.ndarray, deviation: np.ndarray) -> np.ndarray:
    """Size of errors; what is right to rounding is right, whatever its deviation (friction that its bound holds at 0)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(np.abs(error) < 1e-9, 0.0, np.abs(error) / np.asarray(deviation))


def true_values(own: Case, estimate: bf.BaseEstimate) -> np.ndarray:
    """Of every column that was fitted: friction of the machine, the sensors' offset, zero for terms that it does not have."""
    machine = dict(zip(own.machine.parameters().names, own.machine.parameters().values))
    offset = bf.Sensors.realistic().torque_offset * own.machine.limits.effort
    machine |= {f"{joint}.offset": float(x) for joint, x in zip(own.machine.joint_names, offset)}
    return np.array([machine.get(name, 0.0) for name in estimate.described.parameters().names])


def summary(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The figures that are asked for."""
    fits = [row for row in rows if "refused" not in row]
    pieces = [np.abs(_claims(row)) for row in fits]  # (claims, 2): error and deviation
    everything = np.concatenate(pieces)
    ratio = in_deviations(*everything.T)
    worst = [float(np.mean(in_deviations(*piece.T) <= 2)) for piece in pieces]
    masses = [np.column_stack([row["masses"]["error"], row["masses"]["deviation"]])[row["masses"]["data"]] for row in fits]
    told = np.abs(np.concatenate(masses))
    sizes = [r for row in fits if row["level"] == "good" for r in row["masses"]["ratio"]]
    known = np.concatenate([np.array(row["identified"], dtype=bool) for row in fits])
    base = np.abs(np.concatenate([np.column_stack([row["error"], row["deviation"]]) for row in fits]))
    return {
        "runs": len(rows),
        "refused": [row["seed"] for row in rows if "refused" in row],
        "levels": {level: sum(row["level"] == level for row in fits) for level in sorted({row["level"] for row in fits})},
        "coverage": round(float(np.mean(ratio <= 2)), 4),
        "coverage of identified": round(float(np.mean((in_deviations(*base.T) <= 2)[known])), 4),
        "coverage of masses from data": round(float(np.mean(in_deviations(*told.T) <= 2)), 4) if len(told) else None,
        "masses from data": len(told),
        "worst run": round(min(worst), 3),
        "runs below 80 %": int(np.sum(np.array(worst) < 0.8)),
        "largest error in deviations": round(float(ratio.max()), 2),
        "beyond 6": int(np.sum(ratio > 6)),
        "deviation over RMS error": scale(fits),
        "identified": int(known.sum()),
        "of": len(known),
        "masses beyond a factor of 3 in good runs": int(np.sum([not 1 / LARGEST <= r <= LARGEST for r in sizes])),
        "largest mass ratio": round(max((max(r, 1 / r) for row in fits for r in row["masses"]["ratio"]), default=1.0), 2),
        "seconds": round(float(np.median([row["seconds"] for row in fits])), 1),
    }


def _claims(row: dict[str, Any]) -> np.ndarray:
    masses = np.array(row["masses"]["data"], dtype=bool)
    own = np.column_stack([row["masses"]["error"], row["masses"]["deviation"]])[masses]
    return np.vstack([np.column_stack([row["error"], row["deviation"]]), own])


def scale(rows: list[dict[str, Any]]) -> float:
    """Median over parameters of (median claimed deviation / RMS error), a parameter being one name of one kind of arm."""
    found: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for row in rows:
        for name, error, deviation in zip(row["names"], row["error"], row["deviation"]):
            found.setdefault((row["kind"], name), []).append((error, deviation))
    shares = []
    for pairs in found.values():
        if len(pairs) >= min(4, len(rows)):
            error, deviation = np.array(pairs).T
            shares.append(float(np.median(deviation) / max(np.sqrt(np.mean(error**2)), 1e-300)))
    return round(float(np.median(shares)), 3) if shares else float("nan")


def failures(report: dict[str, Any]) -> list[str]:
    """Demands that do not hold."""
    demands = {
        "coverage": 0.92 <= report["coverage"] <= 0.98,
        "worst run": report["worst run"] >= 0.8,
        "largest error in deviations": report["largest error in deviations"] <= 6,
        "deviation over RMS error": 0.7 <= report["deviation over RMS error"] <= 1.4,
        "masses beyond a factor of 3 in good runs": report["masses beyond a factor of 3 in good runs"] == 0,
        "refused": not report["refused"],
    }
    return [name for name, holds in demands.items() if not holds]


def main() -> int:
    """Run the study."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--count", type=int, default=200, help="arms")
    parser.add_argument("--first", type=int, default=0, help="seed of the first arm")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--cases", type=Path, default=None, help="folder that keeps the simulated logs")
    parser.add_argument("--lines", type=Path, default=None, help="file for a JSON line per run")
    asked = parser.parse_args()
    tasks = [(seed, asked.cases) for seed in range(asked.first, asked.first + asked.count)]
    rows = []
    with multiprocessing.get_context("spawn").Pool(asked.jobs) as pool:
        for row in pool.imap_unordered(one, tasks):
            rows.append(row)
            short = {k: v for k, v in row.items() if k not in ("names", "error", "deviation", "identified", "masses")}
            print(json.dumps(short), file=sys.stderr, flush=True)
            if asked.lines:
                with asked.lines.open("a") as file:
                    file.write(json.dumps(row) + "\n")
    report = summary(rows)
    failed = failures(report)
    print(json.dumps(report | {"failed": failed}, indent=1))
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())

"""Loads of 0.2 to 5 kg in the hands of arms that are known to 3 %: do the error bars contain the true mass and centre?

    python benchmarks/study_payload.py --count 50

Every arm's estimate is drawn from the covariance that it states: the whole arm heavier or lighter by one factor of 3 %, each
link by a factor of its own, or every parameter by itself. The recording of the loaded arm is of another motion, with torque
noise of 2 % of each joint's RMS torque whose errors follow each other (autoregressive, 0.95 from sample to sample). Counted are
true values within +-2 standard deviations, and loads that are not physically consistent.

Prints one JSON; exit code 1 unless 92 to 98 % of the masses, and of the centres' coordinates, are within their bars and every
load is physically consistent. With a share s of hits in n loads the figure itself has a deviation of sqrt(s (1 - s) / n).
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from typing import Any

os.environ |= {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")}  # one process per core

import numpy as np

import bifilar as bf
from bifilar.estimate.study_arm import exciting
from bifilar.robot.base_parameters import base_parameters

ROBOTS = ("ur10e", "panda", "kuka_lwr4")
KINDS = ("whole arm", "each link", "each parameter")
KNOWN = 0.03  # relative standard deviation of the arm's parameters
NOISE, FOLLOWS = 0.02, 0.95  # of the RMS torque; correlation of neighbouring errors
LIGHTEST, HEAVIEST = 0.2, 5.0  # [kg]
REACH = 0.15  # [m] of the centre of mass, along every axis of the last link
LEAST, MOST = 0.92, 0.98


def arm(name: str) -> bf.Robot:
    """With friction that the recording shows."""
    robot = bf.Robot.load(name).with_friction(bf.Viscous() + bf.Coulomb(width=0.05) + bf.Offset())
    size = np.where(np.isfinite(robot.limits.effort), robot.limits.effort, 10.0)
    own = {f"{joint}.{word}": share * effort
           for joint, effort in zip(robot.joint_names, size)
           for word, share in (("viscous", 0.02), ("coulomb", 0.03), ("offset", 0.01))}  # fmt: skip
    return robot.with_parameters(own)


def spread(robot: bf.Robot, kind: str) -> np.ndarray:
    """The covariance of all parameters that the estimate states."""
    phi = robot.parameters().values
    links = np.repeat(np.arange(len(phi)), 1)
    if kind != "each parameter":
        bodies = 10 * (len(robot.body_parameters) - 1)
        links[:bodies] = 0 if kind == "whole arm" else np.arange(bodies) // 10
    same = links[:, None] == links
    return np.asarray(KNOWN**2 * np.where(same, np.outer(phi, phi), 0.0))


def estimated(robot: bf.Robot, kind: str, rng: np.random.Generator) -> bf.BaseEstimate:
    """What a run might have found: off by what its covariance says."""
    base, covariance = base_parameters(robot), spread(robot, kind)
    sizes, directions = np.linalg.eigh(covariance)
    off = directions @ (np.sqrt(np.maximum(sizes, 0.0)) * rng.normal(size=len(sizes)))
    return bf.BaseEstimate(
        described=robot, base=base, values=base.from_full(robot.parameters().values + off),
        covariance=base.matrix @ covariance @ base.matrix.T, noise=np.ones(len(robot.joint_names)), status=bf.Status(),
        method="drawn", rows=1,
    )  # fmt: skip


def one(seed: int) -> dict[str, Any]:
    """One arm, one load."""
    rng = np.random.default_rng(seed)
    name, kind = ROBOTS[seed % len(ROBOTS)], KINDS[seed // len(ROBOTS) % len(KINDS)]
    robot = arm(name)
    mass, centre = float(rng.uniform(LIGHTEST, HEAVIEST)), rng.uniform(-REACH, REACH, 3)
    axes = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    squares = mass * rng.uniform(0.02, 0.08, 3) ** 2
    body = bf.Inertia.from_center_of_mass(mass, centre, axes @ np.diag(squares.sum() - squares) @ axes.T)
    link = [word for word in robot.column_names() if word.endswith(".mass")][-1].removesuffix(".mass")
    motion = exciting(robot, duration=10.0, rate=100.0, seed=seed)
    state = motion.position, motion.velocity, motion.acceleration
    torque = robot.with_payload(link, body).inverse_dynamics(*state)
    error = rng.normal(size=torque.shape) * np.sqrt(1 - FOLLOWS**2)
    error[0] /= np.sqrt(1 - FOLLOWS**2)
    for k in range(1, len(error)):
        error[k] += FOLLOWS * error[k - 1]
    torque = torque + NOISE * np.sqrt(np.mean(torque**2, axis=0)) * error
    found = bf.identify_payload(robot, estimated(robot, kind, rng), (*state, torque), link=link)
    off = (found.values - body.vector) / found.deviations
    return {
        "seed": seed, "robot": name, "kind": kind, "true": mass, "mass": found.mass, "deviation": float(found.deviations[0]),
        "mass_off": float(off[0]), "centre_off": ((found.centre - centre) / found.centre_deviations).tolist(),
        "inertia_off": off[4:].tolist(), "consistent": found.inertia.is_consistent, "scale": found.arm_scale,
        "status": found.status.code,
    }  # fmt: skip


def summary(runs: list[dict[str, Any]]) -> dict[str, Any]:
    """Shares within two standard deviations."""
    inside = {word: np.abs([run[f"{word}_off"] for run in runs]) <= 2 for word in ("mass", "centre", "inertia")}
    return {
        "runs": len(runs),
        **{f"{word} within 2 sigma": float(np.mean(hit)) for word, hit in inside.items()},
        "mass off, most [sigma]": float(np.max(np.abs([run["mass_off"] for run in runs]))),
        "centre off, most [sigma]": float(np.max(np.abs([run["centre_off"] for run in runs]))),
        "mass deviation, median [kg]": float(np.median([run["deviation"] for run in runs])),
        "mass off, root mean square [sigma]": float(np.sqrt(np.mean([run["mass_off"] ** 2 for run in runs]))),
        "physically consistent": sum(run["consistent"] for run in runs),
        "ok": sum(run["status"] == "ok" for run in runs),
        "scale of the arm's deviations, largest": max(run["scale"] for run in runs),
    }


def good(report: dict[str, Any]) -> bool:
    """Whether the demands are met."""
    shares = (report["mass within 2 sigma"], report["centre within 2 sigma"])
    return all(LEAST <= share <= MOST for share in shares) and report["physically consistent"] == report["runs"]


def main() -> None:
    """Run, print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])  # type: ignore[union-attr]
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--runs", action="store_true", help="print every run as well")
    given = parser.parse_args()
    runs = [one(seed) for seed in range(given.count)]
    report = summary(runs)
    print(json.dumps(report | ({"each": runs} if given.runs else {}), indent=2))
    sys.exit(0 if good(report) else 1)


if __name__ == "__main__":
    main()

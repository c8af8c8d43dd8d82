"""Everything that bifilar decides about a recording, as a plain table, for tests that ask whether it depends on rounding."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from rounding_noise import shaken

import bifilar as bf

SHAKEN = 1e-14  # of each number that was recorded: what another processor, or another way to write decimals, changes


def swung(robot: bf.Robot, seed: int, noise: float, real: bf.Robot | None = None) -> bf.Recording:
    """Two sines per joint; torque of the robot, or of the real one behind it, with noise as a share of its size."""
    rng, time, n = np.random.default_rng(seed), np.arange(0, 10, 0.01), len(robot.joint_names)
    rate, size = rng.uniform(1.5, 4.5, (2, n)), rng.uniform(0.3, 0.7, (2, n))
    turns = rate * time[:, None, None]
    q, v, a = ((size * x).sum(axis=1) for x in (np.sin(turns), rate * np.cos(turns), -(rate**2) * np.sin(turns)))
    torque = (robot if real is None else real).inverse_dynamics(q, v, a) + 0.4 * v + 0.3 * np.tanh(v / 0.05)
    torque = torque + noise * torque.std() * rng.normal(size=q.shape)
    return bf.Recording(joint_names=robot.joint_names, time=time, position=q, torque=torque)


def heavier(robot: bf.Robot) -> bf.Robot:
    """A machine whose links are not as described."""
    factors = np.linspace(0.8, 1.3, len(robot.body_parameters))[:, None]
    return robot.with_body_parameters(robot.body_parameters * factors)


MISTAKES: dict[str, Callable[[bf.Recording], bf.Recording]] = {
    "none": lambda log: log,
    "sign of all": lambda log: log.with_channel("torque", -log.torque),
    "sign of one": lambda log: log.with_channel("torque", log.torque * np.where(np.arange(log.torque.shape[1]) == 0, -1, 1)),
    "order": lambda log: log.with_channel("torque", log.torque[:, ::-1]),
    "degrees": lambda log: log.with_channel("position", np.degrees(log.position)),
    "half the torque": lambda log: log.with_channel("torque", 0.5 * log.torque),
    "dead": lambda log: log.with_channel("torque", log.torque * np.where(np.arange(log.torque.shape[1]) == 0, 0, 1)),
    "late": lambda log: log.with_channel("torque", np.roll(log.torque, 4, axis=0)),
}


def shaken_log(log: bf.Recording, seed: int) -> bf.Recording:
    """The same log, each position and torque changed by a few last bits; seed 0 leaves it."""
    if seed == 0:
        return log
    for name in ("position", "torque"):
        log = log.with_channel(name, shaken(log.get(name), seed, SHAKEN))
    return log


def of_check(log: bf.Recording, robot: bf.Robot) -> dict[str, Any]:
    """Findings, each with how bad and where."""
    found = bf.check(log, robot)
    return {"findings": sorted((one.severity, one.code, one.where) for one in found)}


def of_fit(log: bf.Recording, test: bf.Recording, robot: bf.Robot, **settings: Any) -> dict[str, Any]:
    """Cut-off, friction, prior weight, status, identified parameters, where each comes from, and the verdict."""
    samples = bf.prepare(log)
    estimate = bf.fit(robot, samples, **settings)
    return dict(of_estimate(estimate)) | {
        "cutoff": None if samples.cutoff is None else float(f"{samples.cutoff:.6g}"),
        "level": bf.judge(estimate, bf.held_out(estimate, test)).level,
    }


def of_estimate(estimate: Any) -> Iterator[tuple[str, Any]]:
    """What an estimate of any method decides."""
    yield "status", estimate.status.code
    yield "base", estimate.base.independent
    yield "identified", tuple(map(bool, estimate.identified))
    yield "origins", getattr(estimate, "origins", None)
    if "prior weight" in estimate.tables:
        found = estimate.tables["prior weight"]
        yield "prior", found.chosen  # the weight itself follows the data without steps
    if "friction" in estimate.tables:
        yield "terms", tuple(map(str, estimate.tables["friction"].chosen))


def of_structure(robot: bf.Robot) -> dict[str, Any]:
    """Base parameters."""
    found = bf.base_parameters(robot)
    return {"status": found.status, "independent": found.independent, "no_effect": found.no_effect}


def differences(first: dict[str, Any], other: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    """What was decided otherwise."""
    return {name: (value, other[name]) for name, value in first.items() if value != other[name]}

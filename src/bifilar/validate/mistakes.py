"""Cross-examination of a fit: a low residual proves nothing, so the fitted numbers are asked what they would mean.

Plain least squares (base parameters, viscous and Coulomb friction, rotors, offset) explains a recording with a wrong rate,
unit or sign as well as a right one. But its numbers then say impossible things:

    mass matrix M(q) not positive definite        some torque has the wrong sign, or acceleration does not belong to torque
    friction that drives                          the sign of that joint
    M far from the description's beside gravity   the rate: M scales with its square, gravity does not move
    both far by the same factor                   the unit of torque
    an offset beyond the torque's own spread      a sensor's zero, or a constant load

M and gravity of a base-parameter model are exact: they do not depend on how dependent parameters are chosen. Fits with a
prior are compared by their errors: a recording that only a fit far from the description explains is suspect.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics import decompose
from bifilar.dynamics.tree import Array
from bifilar.errors import BifilarError, Finding, SolveError
from bifilar.estimate.likely import MISTAKES, PLAIN, suspicions
from bifilar.recording.checks_view import View
from bifilar.recording.findings import Findings
from bifilar.recording.recording import Recording
from bifilar.robot.base_parameters import BaseParameters, base_parameters
from bifilar.robot.friction import Coulomb, Offset, RotorInertia, Viscous
from bifilar.robot.model import Model
from bifilar.robot.reduction import reduce
from bifilar.robot.robot import Robot
from bifilar.robot.solve import Solution, solve

APART = 6.0  # ratio to the description: 2.5 in the rate
ROTORS = 12.0  # ratio of M that rotors alone may explain
THOUSAND = (2.2, 3.8)  # log10 of a ratio that is a unit
SIGMAS = 5.0  # deviations of residuals that are not white
COLOURED = 4.0  # by which residuals that follow each other make deviations of white ones too small
LIGHT = 0.05  # of the largest inertia: lighter joints are not asked
STRAIN = 1.5  # error of a fit with the description as prior over the plain one's


@dataclass(frozen=True, eq=False)
class Examination:
    """What plain least squares would mean, and what is suspected.

    >>> from bifilar.recording.check import example
    >>> recording, robot = example()
    >>> examine(robot, recording).findings
    Findings()
    """

    error: float  # |torque - fit| / |torque|, over all joints
    inertia_ratio: Array  # (joints,) diagonal of M over the description's, median over the samples
    gravity_ratio: float  # size of gravity torque over the description's; nan where it has none
    least_eigenvalue: float  # of M, relative to the description's, smallest over the samples
    findings: Findings


def examine(robot: Robot, samples: Recording | Any, fits: Mapping[str, float] | None = None) -> Examination:
    """Fit plainly and ask what the numbers mean. `samples`: a recording, or Samples (position, velocity, acceleration, torque).

    `fits`: relative errors of other fits on the same samples, by name ("weak prior", "description as prior").

    >>> from bifilar.recording.check import example
    >>> recording, robot = example()
    >>> examine(robot, recording.with_channel("torque", -recording.torque)).findings.codes
    ('sign_all',)
    """
    seen = View.of(samples, robot) if isinstance(samples, Recording) else samples
    if seen is None or seen.torque is None or getattr(seen, "robot", robot) is None:
        raise SolveError("recordings.none/mistakes")
    robot = getattr(seen, "robot", robot)
    q, v, a, tau = (np.ascontiguousarray(x) for x in (seen.position, seen.velocity, seen.acceleration, seen.torque))
    full = robot.with_friction(Viscous() + Coulomb() + Offset() + RotorInertia())
    base = base_parameters(full)
    solution = solve(reduce(full, (q, v, a, tau), columns=base))
    model = base.model(full, solution.values)
    error = float(np.linalg.norm(tau - model.inverse_dynamics(q, v, a)) / np.linalg.norm(tau))
    few = q[:: max(1, len(q) // 200)]
    ratio, clear = _inertia(full, base, solution, robot, few)
    least = _least(model, robot, few)
    gravity = _gravity(model, robot, few)
    values = dict(zip(solution.names, zip(solution.values, solution.deviations)))
    found = [*_meaning(robot, ratio, clear, gravity), *_drives(robot, values, tau)]
    turned = [finding for finding in found if finding.code == "sign"]
    if len(turned) == len(robot.joint_names) or any(finding.code == "sign_all" for finding in found):
        found = [finding for finding in found if finding.code not in ("sign", "inertia")]
    return Examination(error, ratio, gravity, least, Findings([*found, *strained(error, fits or {})]))


def suspected(
    robot: Robot, recordings: Sequence[Recording], fits: Mapping[str, float] | None = None, plain: bool = False
) -> Findings:
    """Likely mistakes behind a poor fit, the plainest first: what checks say, else what a plain fit's numbers would mean.

    `plain`: only what is plain, of recordings that leave parameters open.

    >>> from bifilar.recording.check import example
    >>> recording, robot = example()
    >>> suspected(robot, [recording.with_channel("torque", -recording.torque)]).codes
    ('sign_all',)
    """
    found = suspicions(robot, recordings, PLAIN if plain else MISTAKES)
    if found or plain or not recordings:
        return found
    try:
        return examine(robot, recordings[0], fits).findings.alarms
    except BifilarError:  # too little to examine
        return found


def strained(error: float, fits: Mapping[str, float]) -> Findings:
    """Fits that pay much for staying near the description: what `fits` of `examine` is judged by.

    >>> strained(0.05, {"weak prior": 0.055, "description as prior": 0.2}).codes
    ('strain',)
    """
    found = []
    for name, other in fits.items():
        if other > STRAIN * error + 0.02:
            found.append(Finding("strain", "warning", "fit", name=name, other=other, error=error))
    return Findings(found)


def _inertia(full: Robot, base: BaseParameters, solution: Solution, robot: Robot, q: Array) -> tuple[Array, NDArray[np.bool_]]:
    """Diagonal of M over the description's, and for which joints the recording tells it.

    M_ii is linear in the parameters, so its deviation follows from theirs; those take residuals for white, which they are not.
    """
    n, still = q.shape[1], np.zeros_like(q)
    ratio, clear = np.empty(n), np.empty(n, dtype=bool)
    described = np.median(np.einsum("kii->ki", robot.mass_matrix(q)), axis=0)
    rest = full.regressor(q, still, still)
    for i in range(n):
        push = still.copy()
        push[:, i] = 1.0
        y = base.regressor(full.regressor(q, still, push) - rest)[:, i]
        values = y @ solution.values
        deviations = np.sqrt(np.einsum("ki,ij,kj->k", y, solution.covariance, y))
        ratio[i] = np.median(values) / max(described[i], 1e-12)
        clear[i] = abs(np.median(values)) > SIGMAS * COLOURED * np.median(deviations)
    # joints far lighter than the rest show their rotors, which the description does not know
    return ratio, clear & (described > LIGHT * described.max())


def _least(model: Model, robot: Robot, q: Array) -> float:
    """Smallest eigenvalue of M relative to the description's M, so that hips and wrists count alike."""
    fitted, described = model.mass_matrix(q), robot.mass_matrix(q)
    size = np.trace(described, axis1=1, axis2=2).max()
    root = np.linalg.inv(np.linalg.cholesky(described + 1e-9 * size * np.eye(q.shape[1])))
    return float(np.median(decompose.eigvalsh(root @ fitted @ root.transpose(0, 2, 1))[:, 0]))


def _gravity(model: Model, robot: Robot, q: Array) -> float:
    described, fitted = robot.gravity_torque(q), model.gravity_torque(q)
    described, fitted = described - described.mean(axis=0), fitted - fitted.mean(axis=0)
    size = float(np.sum(described**2))
    return float(np.sum(described * fitted)) / size if size > 0 else np.nan


def _meaning(robot: Robot, ratio: Array, clear: NDArray[np.bool_], gravity: float) -> list[Finding]:
    if not clear.any():
        return []
    told = ratio[clear]
    if np.all(told < 0):
        return [Finding("sign_all/mistakes", "error", "fit")]
    found = []
    for i in np.flatnonzero(clear & (ratio < 0)):
        joint = robot.joint_names[i]
        found.append(Finding("inertia", "warning", f"fit of '{joint}'", joint=joint, ratio=ratio[i]))
    if not np.isfinite(gravity) or not gravity:
        return found
    if THOUSAND[0] < abs(np.log10(abs(gravity))) < THOUSAND[1]:
        name = "mN m" if abs(gravity) > 1 else "kN m"
        found.append(
            Finding("unit/mistakes" if abs(gravity) > 1 else "unit/meaning", "error", "fit", gravity=gravity, name=name)
        )
    beside = np.abs(told / gravity)
    if np.max(beside) < 1 / APART or np.min(beside) > ROTORS:
        k = float(np.sqrt(np.median(beside)))
        found.append(Finding("rate/mistakes", "error", "fit", median=np.median(np.abs(told)), gravity=gravity, k=k))
    return found


def _drives(robot: Robot, values: Mapping[str, tuple[float, float]], tau: Array) -> list[Finding]:
    """Friction that drives, offsets that are larger than all else."""
    found = []
    for i, joint in enumerate(robot.joint_names):
        viscous, coulomb = (values.get(f"{joint}.{word}", (0.0, np.inf)) for word in ("viscous", "coulomb"))
        if all(value < -SIGMAS * deviation for value, deviation in (viscous, coulomb)):
            found.append(
                Finding("sign/mistakes", "error", f"fit of '{joint}'", joint=joint, viscous=viscous[0], coulomb=coulomb[0])
            )
        offset = values.get(f"{joint}.offset", (0.0, np.inf))
        if abs(offset[0]) > max(3 * float(tau[:, i].std()), SIGMAS * offset[1]):
            found.append(Finding("offset", "note", f"fit of '{joint}'", offset=offset[0], std=tau[:, i].std()))
    return found

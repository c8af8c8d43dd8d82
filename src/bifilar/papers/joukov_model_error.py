"""Figures 7 to 9 and Table II of Joukov et al. without their data: a WAM that differs from its description by up to 30 %.

True masses, moments and first moments are the described ones times 0.7 to 1.3, each on its own; Coulomb friction is there and
not modelled; noise is 2 % of the largest torque. State: mass, moments, first moments, viscous friction: 56 numbers. Three
filters: without constraint, with sigmoids (on second moments, so that the moments' triangle inequality holds too), and on
log-Cholesky numbers (77 with the products of inertia).
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from bifilar.dynamics import decompose
from bifilar.online.parameter_filter import ParameterFilter
from bifilar.online.tuning import Tuning
from bifilar.papers.joukov_scenes import Run, clock, series
from bifilar.robot.friction import Coulomb, Viscous
from bifilar.robot.inertia import Array, Inertia
from bifilar.robot.robot import Robot

OFF, NOISE, TRAINING, VALIDATION = 0.3, 0.02, 90.0, 30.0  # shares; [s]
VISCOUS = (2.0, 2.0, 1.0, 1.0, 0.1, 0.1, 0.05)  # [N m s/rad] true
COULOMB = (1.5, 1.5, 0.8, 0.8, 0.1, 0.1, 0.05)  # [N m] true, not modelled
WIDTH, GUESS, MOST = 0.02, 0.5, 5.0  # [rad/s] of the smooth sign; [N m s/rad] first guess and bound of viscous friction
STATE = ("link[1-7].*", "*.viscous")
# Fixed on seeds 100 to 103: readings are believed ten times less than their noise alone would allow, because of the friction
# that is not modelled.
DOUBT = 10.0
TUNING = Tuning(prior=0.3, exact=False)  # the paper's filter
KINDS = ("none", "sigmoid", "log_cholesky")


class Machine(NamedTuple):
    """The description, the true machine, and what it does.

    >>> machine(0, 2.0).torque.shape
    (200, 7)
    """

    described: Robot  # with viscous friction as guessed
    true: Robot
    run: Run
    torque: Array
    noise: Array


def machine(seed: int, duration: float = TRAINING) -> Machine:
    """One seed.

    >>> machine(0, 1.0).true.joint_names[0]
    'joint1'
    """
    rng, wam = np.random.default_rng(seed), Robot.load("wam")
    run = series(rng, clock(duration), wam)
    names = wam.joint_names
    described = wam.with_friction(Viscous(), {f"{joint}.viscous": GUESS for joint in names})
    bodies = np.array(wam.body_parameters)
    for k in range(1, len(bodies)):
        bodies[k] = _another(rng, Inertia.from_vector(bodies[k]))
    drives = {f"{joint}.viscous": b for joint, b in zip(names, VISCOUS)} | {f"{j}.coulomb": c for j, c in zip(names, COULOMB)}
    true = wam.with_body_parameters(bodies).with_friction(Viscous() + Coulomb(width=WIDTH), drives)
    clean = true.inverse_dynamics(*run[1:])
    noise = NOISE * np.abs(clean).max(axis=0)
    return Machine(described, true, run, clean + noise * rng.normal(size=clean.shape), noise)


def _another(rng: np.random.Generator, body: Inertia) -> Array:
    """A body that can exist, whose mass, moments and first moments are each up to 30 % off."""
    from bifilar.online.body_maps import principal, principal_parts

    seven, axes = principal_parts(body)
    for _ in range(1000):
        ten = principal(seven * rng.uniform(1 - OFF, 1 + OFF, 7), axes)[0]
        if Inertia.from_vector(ten).is_consistent:
            break
    return ten


def filter_for(case: Machine, kind: str) -> ParameterFilter:
    """A filter that starts from the description.

    >>> len(filter_for(machine(0, 1.0), "sigmoid").space)
    56
    """
    bounds = {"*.viscous": (0.0, MOST)}
    form = {"none": "principal", "sigmoid": "second", "log_cholesky": "log_cholesky"}[kind]
    constraint = "none" if kind == "none" else "sigmoid"
    return ParameterFilter(
        case.described,
        STATE,
        noise=(1.0 if kind == "none" else DOUBT) * case.noise,
        form=form,  # type: ignore[arg-type]
        constraint=constraint,  # type: ignore[arg-type]
        bounds=bounds,
        tuning=Tuning(exact=False) if kind == "none" else TUNING,
        limits=False,
    )


def violations(robot: Robot) -> dict[str, int]:
    """Links that could not exist: without positive mass and moments, and by the full condition on the pseudo-inertia.

    >>> violations(Robot.load("wam"))
    {'negative': 0, 'impossible': 0}
    """
    bodies = [Inertia.from_vector(ten) for ten in robot.body_parameters[1:]]
    negative = [body for body in bodies if not body.mass > 0 or decompose.eigvalsh(body.about_center_of_mass)[0] <= 0]
    return {"negative": len(negative), "impossible": sum(not body.is_consistent for body in bodies)}


class Outcome(NamedTuple):
    """One filter on one seed.

    >>> Outcome("none", {}, {}, [], np.zeros(1), np.zeros((1, 1)), ()).kind
    'none'
    """

    kind: str
    violations: dict[str, int]
    error: dict[str, tuple[float, float]]  # by validation motion: of the description, of the filter; shares of the torque
    worse: list[str]  # joints that the filter made worse on one of the motions
    time: Array
    masses: Array  # over time
    names: tuple[str, ...]


def study(seed: int, kind: str, duration: float = TRAINING, shown: int = 60) -> Outcome:
    """Follow the parameters over the training motion, then predict the same kind of motion and one four times as fast.

    >>> study(0, "sigmoid", 1.0, shown=2).violations["negative"]
    0
    """
    case = machine(seed, duration)
    tracker = filter_for(case, kind)
    names = tuple(name for name in tracker.belief.names if name.endswith(".mass"))
    masses, ends = [], np.linspace(0, len(case.torque), shown + 1).astype(int)
    for first, last in pairwise(ends):
        part = slice(first, last)
        t, q, v, a = (x[part] for x in case.run)
        tracker.run(t, q, v, a, case.torque[part])
        belief = tracker.belief
        masses.append([belief[name] for name in names])
    errors, worse = {}, set()
    for word, speed in (("same", 1.0), ("4x", 4.0)):
        before, after, lost = _judged(case, tracker.robot, seed, speed)
        errors[word] = (before, after)
        worse |= set(lost)
    times = case.run.time[ends[1:] - 1]
    return Outcome(kind, violations(tracker.robot), errors, sorted(worse), times, np.array(masses), names)


def _judged(case: Machine, found: Robot, seed: int, speed: float) -> tuple[float, float, list[str]]:
    rng = np.random.default_rng(10_000 + seed)
    slow = series(rng, clock(VALIDATION) * speed, case.described)
    motion = slow.position, speed * slow.velocity, speed**2 * slow.acceleration
    torque = case.true.inverse_dynamics(*motion)
    torque = torque + NOISE * np.abs(torque).max(axis=0) * rng.normal(size=torque.shape)
    off = [robot.inverse_dynamics(*motion) - torque for robot in (case.described, found)]
    total = [float(np.linalg.norm(each) / np.linalg.norm(torque)) for each in off]
    rms = [np.sqrt((each**2).mean(axis=0)) for each in off]
    return total[0], total[1], [name for name, a, b in zip(case.described.joint_names, *rms) if b > a]

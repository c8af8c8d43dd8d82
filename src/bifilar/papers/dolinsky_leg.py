"""Table 3.5 of Dolinsky 2017, simulated: a two-link leg that hangs on a pivot nothing drives, identified without encoder there.

An inertial sensor on the upper link, an encoder and a motor at the knee; Hall sensors at both joints, whose magnets are not
centred, as the rival with both angles. The thesis had a machine; ours is a leg of about its size (`walking.builtin.LEG`).
Models are simulated with a torque of their own, from the true first state; errors are sums of squares over 6 s, of both
angles and of both rates.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.errors import BifilarError
from bifilar.estimate.estimate import BaseEstimate
from bifilar.robot.base_parameters import BaseParameters
from bifilar.robot.robot import Robot
from bifilar.walking.planar import Planar
from bifilar.walking.sensors import Accelerometer, Gyroscope
from bifilar.walking.stance import Derivatives, StanceLog, low_passed, smoothed
from bifilar.walking.stance_likelihood import StanceLikelihood
from bifilar.walking.stance_rows import fit_motion, fit_rows
from bifilar.walking.stance_sensors import StanceSensor, angle_from_felt
from bifilar.walking.straight import straight_base
from bifilar.walking.walker import Walker

PERIOD, SECONDS, FINE = 0.01, 6.0, 10
WIDTH = 0.02  # [rad/s] over which the sign of a speed is smooth
ARM = 0.12  # [m] of the inertial sensor below the pivot
FELT, TURN, TORQUE, ENCODER = 0.15, 0.03, 0.02, 2 * np.pi / 8000  # noises, and the knee's encoder's step
HALL, OFF_CENTRE = 2 * np.pi / 4096, 0.02  # [rad] step and eccentricity
CUTOFF = 0.2  # of half the rate, for least squares
ROWS = 0.01  # [N m] for the undriven row
METHODS = ("WLS-Hall", "WLS-IMU", "ML")


class Run(NamedTuple):
    """Truth and measurements of one experiment.

    >>> experiment(0).states.shape
    (601, 4)
    """

    states: Array  # (N, 4) angles and rates of the links
    fine_torque: Array  # held over each fine step
    log: StanceLog  # knee encoder, knee torque, inertial sensor; the pivot unseen
    hall: Array  # (N, 2) both joints, off-centre


@dataclass(frozen=True, eq=False)
class Leg:
    """The machine.

    >>> leg().base.independent[-1]
    'leg_2.coulomb'
    """

    walker: Walker
    pinned: Robot
    base: BaseParameters
    felt: Accelerometer
    turn: Gyroscope


@cache
def leg() -> Leg:
    """The leg with signs of speed as smooth as they are simulated.

    >>> leg().pinned.joint_names
    ('pivot', 'leg_2')
    """
    walker = Walker.load("leg")
    pinned = walker.pinned(0)
    smooth = tuple(replace(term, width=WIDTH) if hasattr(term, "width") else term for term in pinned.friction)  # type: ignore[call-arg]
    pinned = pinned.with_friction(smooth, dict(zip(pinned.drive_columns.names, pinned.drive_values)))
    felt, turn = Accelerometer("leg_1", (0.0, -ARM), noise=FELT), Gyroscope("leg_1", noise=TURN)
    return Leg(walker, pinned, straight_base(pinned), felt, turn)


def torque_of(seed: int) -> Array:
    """The knee's torque on the fine clock: five sinusoids.

    >>> torque_of(0).shape
    (6000,)
    """
    rng, t = np.random.default_rng(seed), (np.arange(round(SECONDS / PERIOD) * FINE) + 0.5) * PERIOD / FINE
    parts = zip(rng.uniform(0.05, 0.16, 5), rng.uniform(0.4, 1.6, 5), rng.uniform(0, 6, 5))
    return np.asarray(sum(size * np.sin(2 * np.pi * rate * t + phase) for size, rate, phase in parts))


def simulated(planar: Planar, torque: Array) -> Array:
    """States (N, 4) of the leg from hanging still; not numbers where it was lost.

    >>> simulated(Planar.of(leg().pinned), np.zeros(20)).shape
    (3, 4)
    """
    x, states = np.zeros((1, 4)), [np.zeros(4)]
    for start in range(0, len(torque), FINE):
        for u in torque[start : start + FINE]:
            x = planar.flow(x, np.array([[0.0, u]]), PERIOD / FINE)
        states.append(x[0] if np.abs(x).max() < 1e3 else np.full(4, np.nan))
    return np.array(states)


@cache
def experiment(seed: int) -> Run:
    """One experiment and its measurements.

    >>> experiment(0).log.unseen
    array([ True, False])
    """
    own, fine, rng = leg(), torque_of(seed), np.random.default_rng(seed + 50)
    planar = Planar.of(own.pinned)
    states = simulated(planar, fine)
    u = np.concatenate([fine[:1], 0.5 * (fine[1:] + fine[:-1]), fine[-1:]])[::FINE]
    torque = np.column_stack([0 * u, u])
    rates = planar.rates(states, torque)
    joint = np.asarray(planar.joint).T
    q, v, a = states[:, :2] @ joint - planar.offset, states[:, 2:] @ joint, rates[:, 2:] @ joint
    readings = []
    for sensor in (own.felt, own.turn):
        mounted = StanceSensor(own.walker, sensor)
        exact = mounted.sensed(q, v, a).value
        readings.append(mounted.readings(exact + sensor.noise * rng.normal(size=exact.shape)))
    log = StanceLog(
        position=np.column_stack([np.zeros(len(q)), np.round(q[:, 1] / ENCODER) * ENCODER]),
        torque=torque + TORQUE * rng.normal(size=torque.shape) * [0, 1],
        period=PERIOD,
        position_noise=np.array([np.inf, ENCODER / np.sqrt(12)]),
        torque_noise=np.array([0.0, TORQUE]),
        readings=tuple(readings),
    )
    hall = np.round((q + OFF_CENTRE * np.sin(q + [0.7, 0.3])) / HALL) * HALL
    return Run(states, fine, log, hall)


def first_motion(run: Run) -> Derivatives:
    """The pivot's angle out of accelerometer and gyroscope, its rate the gyroscope's, all low-passed.

    >>> first_motion(experiment(0)).position.shape
    (601, 2)
    """
    own = leg()
    felt, turn = (readings.values[0] for readings in run.log.readings)
    knee, fx, fz, rate = smoothed(np.column_stack([run.log.position[:, 1], felt, turn]), CUTOFF, 4).T
    q, v = np.column_stack([0 * rate, knee]), np.column_stack([rate, np.gradient(knee, PERIOD)])
    a = np.gradient(v, PERIOD, axis=0)
    angle = angle_from_felt(own.walker, own.felt, np.column_stack([fx, fz]), q, v, a)
    return Derivatives(np.column_stack([angle, knee]), v, a, run.log.torque)


def fitted(name: str, run: Run) -> Array | None:
    """Base parameters by one of METHODS; None if it failed.

    >>> fitted("WLS-IMU", experiment(0)).shape
    (8,)
    """
    own = leg()
    try:
        if name == "WLS-Hall":
            return fit_rows(own.pinned, low_passed(run.log.with_position(run.hall), CUTOFF, 4), base=own.base, row_noise=ROWS)
        moved = first_motion(run)
        if name == "WLS-IMU":
            return fit_motion(own.pinned, [moved], np.array([ROWS, TORQUE]), base=own.base)
        return likeliest(run).values
    except (BifilarError, np.linalg.LinAlgError):
        return None


def likeliest(run: Run) -> BaseEstimate:
    """Maximum likelihood, with its motion."""
    own = leg()
    return StanceLikelihood(row_noise=ROWS).fit(own.pinned, run.log, motion=[first_motion(run).position], base=own.base)


def leg_motion(theta: Array | None, seed: int) -> Array:
    """Angles and rates of both joints (N, 4), simulated with a torque of its own; without parameters, the truth's.

    >>> leg_motion(None, 999).shape
    (601, 4)
    """
    own = leg()
    model = own.pinned if theta is None else own.base.model(own.pinned, theta)
    states = simulated(Planar.of(model), torque_of(seed))  # type: ignore[arg-type]
    joint = np.asarray(Planar.of(own.pinned).joint).T
    return np.hstack([states[:, :2] @ joint, states[:, 2:] @ joint])


def leg_errors(theta: Array | None, seed: int) -> tuple[float, ...]:
    """Sums of squares of both angles and both rates, simulated with a torque of its own; infinite if the model was lost.

    >>> own = leg()
    >>> max(leg_errors(own.base.from_full(own.pinned.parameters()), 999)) < 1e-20
    True
    """
    if theta is None:
        return (np.inf,) * 4
    error = (leg_motion(theta, seed) - leg_motion(None, seed)) ** 2
    return tuple(float(x) for x in np.where(np.isfinite(error), error, np.inf).sum(axis=0))

"""The virtual arm of a study: a motion inside its limits, and descriptions that are wrong about it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.errors import MotionError
from bifilar.robot.friction import Coulomb, Viscous
from bifilar.robot.inertia import Inertia
from bifilar.robot.robot import Robot

HARMONICS = 5
WIDEST = 1.2  # [rad] or [m] from the middle of a joint's range
ROOM = 0.7  # of velocity and effort limits
TRIES = 20  # motions that are drawn; the one that is slowed down least is taken
SHARES = {"viscous": 0.03, "coulomb": 0.01}  # of the effort limit, at full speed and always
WIDTH = 0.05  # [rad/s] of the sign of speed: a light wrist under a harder one cannot be integrated
UNKNOWN_EFFORT, UNKNOWN_SPEED = 10.0, 3.0  # [N m], [rad/s] where a description has no limits


class Swing(NamedTuple):
    """A periodic motion, sampled.

    >>> exciting(bf.Robot.load("pendulum"), duration=2.0, rate=100.0).position.shape
    (201, 1)
    """

    time: Array
    position: Array
    velocity: Array
    acceleration: Array

    @property
    def played(self) -> tuple[Array, Array, Array]:
        """As a virtual robot takes it.

        >>> len(exciting(bf.Robot.load("pendulum"), duration=2.0, rate=100.0).played)
        3
        """
        return self.time, self.position, self.velocity


def exciting(robot: Robot, *, duration: float, rate: float, seed: int = 0) -> Swing:
    """Sums of sines inside every joint's range, as fast as its limits allow; two periods in the duration.

    >>> bool(np.abs(exciting(bf.Robot.load("two_link"), duration=4.0, rate=100.0).velocity).max() > 0.5)
    True
    """
    rng, limits = np.random.default_rng(seed), robot.limits
    lower, upper = np.maximum(limits.lower, -np.pi), np.minimum(limits.upper, np.pi)
    time = np.arange(round(duration * rate) + 1) / rate
    speed = np.where(np.isfinite(limits.velocity), limits.velocity, UNKNOWN_SPEED)
    best: tuple[float, Swing | None] = (0.0, None)
    for _ in range(TRIES):
        amplitude, phase = rng.uniform(0.3, 1.0, (2, HARMONICS, len(lower)))
        shape = _series(time, amplitude / np.arange(1, HARMONICS + 1)[:, None], 2 * np.pi * phase, 4 * np.pi / duration)
        reach = np.minimum(0.4 * (upper - lower), WIDEST) / np.abs(shape[0]).max(axis=0)
        reach = np.minimum(reach, ROOM * speed / np.abs(shape[1]).max(axis=0))
        room = 0.48 * (upper - lower) - reach * np.abs(shape[0]).max(axis=0)
        middle = 0.5 * (lower + upper) + rng.uniform(-1.0, 1.0, len(lower)) * np.maximum(room, 0.0)
        share = _share(robot, middle, [reach * x for x in shape], max(1, len(time) // 200))
        if share > best[0]:
            size = share * reach
            best = share, Swing(time, middle + size * shape[0], size * shape[1], size * shape[2])
    if best[1] is None:
        raise MotionError("design.no_motion")
    return best[1]


def _share(robot: Robot, middle: Array, shape: list[Array], every: int) -> float:
    """How much of the motion the motors can follow."""
    q, v, a = (np.ascontiguousarray(x[::every]) for x in shape)
    effort = np.where(np.isfinite(robot.limits.effort), ROOM * robot.limits.effort, np.inf)
    for share in 0.85 ** np.arange(16):
        if np.all(np.abs(robot.inverse_dynamics(middle + share * q, share * v, share * a)) <= effort):
            return float(share)
    return 0.0


def _series(time: Array, amplitude: Array, phase: Array, base: float) -> tuple[Array, Array, Array]:
    """Position, velocity and acceleration of sums of sines, (samples, joints) each."""
    shape = (len(time), amplitude.shape[1])
    q, v, a = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    for k, (size, shift) in enumerate(zip(amplitude, phase), 1):
        angle = k * base * time[:, None] + shift
        q += size * np.sin(angle)
        v += size * k * base * np.cos(angle)
        a -= size * (k * base) ** 2 * np.sin(angle)
    return q, v, a


def with_typical_friction(robot: Robot, *, coulomb: bool = True) -> Robot:
    """Friction for a robot whose description has none: some hundredths of the effort limit, viscous and Coulomb.

    >>> with_typical_friction(bf.Robot.load("two_link"), coulomb=False).drive_columns.names
    ('joint1.viscous', 'joint2.viscous')
    """
    if len(robot.friction.terms) and robot.drive_values.any():
        return robot
    effort = np.where(np.isfinite(robot.limits.effort), robot.limits.effort, UNKNOWN_EFFORT)
    speed = np.where(np.isfinite(robot.limits.velocity), robot.limits.velocity, UNKNOWN_SPEED)
    sizes = {"viscous": effort / speed, "coulomb": effort}
    kinds = ("viscous", "coulomb") if coulomb else ("viscous",)
    values = {f"{j}.{kind}": float(SHARES[kind] * sizes[kind][k]) for kind in kinds for k, j in enumerate(robot.joint_names)}
    return robot.with_friction(Viscous() + Coulomb(width=WIDTH) if coulomb else Viscous(), values)


def mistaken(robot: Robot, share: float, *, seed: int) -> Robot:
    """A description that is wrong: masses, centres, inertias, friction each off by a deviation of `share`; links stay possible.

    >>> wrong = mistaken(bf.Robot.load("two_link"), 0.15, seed=0)
    >>> wrong.link("link2").inertia.is_consistent, bool(wrong.link("link2").inertia.mass != 2.0458)
    (True, True)
    """
    rng = np.random.default_rng(seed)
    changed = {}
    for link in robot.links:
        mass, centre, turn = 1 + share * np.clip(rng.standard_normal(3), -3, 3)
        body = link.inertia
        if body.mass > 0:
            about = max(turn, 0.1) * max(mass, 0.1) * body.about_center_of_mass
            changed[link.name] = Inertia.from_center_of_mass(max(mass, 0.1) * body.mass, centre * body.center_of_mass, about)
    off = np.maximum(1 + share * np.clip(rng.standard_normal(len(robot.drive_values)), -3, 3), 0.1)
    friction = dict(zip(robot.drive_columns.names, map(float, off * robot.drive_values)))
    wrong = robot.with_inertia(changed)
    return wrong.with_friction(robot.friction, friction) if friction else wrong

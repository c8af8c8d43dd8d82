"""Joint torque sensors calibrated on the assembled arm, by a known mass whose attachment nobody measured.

    reading_i = gain_i (G(q) n + load torque(q; m, r))_i + offset_i,       q = position gain * encoder + position offset

n are the arm's mass moments (gravity_model.py), unknown; the mass m is known, the point r of the tool frame where it hangs is
not. Without the mass only gain times n can be told. The mass adds m times lengths that the kinematics know, which sets the
scale of every joint that these lengths reach. Joints of a wrist whose axes meet in a point feel the mass by r alone: gain times
r. Their gains follow if sensors nearer the base tell r, which one fit of all joints finds out; with the wrist's sensors alone
they stay open until the mass hangs at a second point a known way from the first. Which unknowns are open is read from the null
space of the equations, never guessed.

After Ma, Hollerbach and Xu 1994 (gravity-based autonomous calibration) and Ma and Hollerbach 1996, with all joints at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bifilar.calibrate.sensor_equations import Equations, Layout, Load
from bifilar.dynamics import decompose
from bifilar.dynamics.tree import Array
from bifilar.errors import Note, SolveError
from bifilar.estimate.gravity_model import GravityModel
from bifilar.estimate.status import Status
from bifilar.recording.static_poses import StaticPoses
from bifilar.robot.robot import Robot

STEPS = 60
WEIGHINGS = 8
KNOWN = 0.3  # relative deviation beyond which a gain counts as not told
SETTLED = 1e-11
OPEN = 1e-8  # relative singular value below which a direction is open
TOUCHED = 1e-4  # share of an open direction that makes an unknown open


@dataclass(frozen=True, eq=False, repr=False)
class TorqueSensorCalibration:
    """Gain and offset of every joint's sensor, with deviations, and which of them the data could tell.

    >>> robot = bf.Robot.load("two_link")
    >>> q = np.random.default_rng(0).uniform(-1.5, 1.5, (30, 2))
    >>> bare = bf.StaticPoses(robot.joint_names, q, 1.1 * robot.gravity_torque(q) + 0.2)
    >>> loaded = robot.with_payload("link2", bf.Inertia.from_center_of_mass(0.5, [0.2, 0.0, 0.0], np.zeros((3, 3))))
    >>> hung = bf.StaticPoses(robot.joint_names, q, 1.1 * loaded.gravity_torque(q) + 0.2)
    >>> found = bf.calibrate_torque_sensors(robot, bare, [(hung, bf.HungMass(0.5))], frame="link2")
    >>> found.gain.round(6), found.gain_seen
    (array([1.1, 1.1]), array([ True,  True]))
    """

    joint_names: tuple[str, ...]
    gain: Array  # (joints,) reading per true torque
    offset: Array  # (joints,) [N m] reading without torque
    position_gain: Array  # (joints,) true angle per encoder angle
    position_offset: Array  # (joints,) [rad]
    attachment: Array  # (3,) [m] where the mass first hung, in the tool frame
    model: GravityModel  # of the arm without the mass
    gain_deviation: Array
    offset_deviation: Array
    gain_seen: NDArray[np.bool_]  # False: the data do not tell it, the value is as near to one as they allow
    offset_seen: NDArray[np.bool_]
    position_gain_seen: NDArray[np.bool_]
    position_offset_seen: NDArray[np.bool_]
    noise: Array  # (joints,) of one reading; NaN for a joint without readings
    status: Status
    frame: str  # on which the mass hung

    def torque(self, reading: ArrayLike) -> Array:
        """True torque (N, joints) from readings.

        >>> robot = bf.Robot.load("pendulum")
        >>> q = np.linspace(-1, 1, 9)[:, None]
        >>> bare = bf.StaticPoses(robot.joint_names, q, robot.gravity_torque(q) + 0.2)
        >>> hung = bf.StaticPoses(robot.joint_names, q, robot.gravity_torque(q) + 0.2)
        >>> bf.calibrate_torque_sensors(robot, bare, [], frame="link1").torque([[0.2]]).round(9) + 0.0
        array([[0.]])
        """
        return (np.asarray(reading, dtype=float) - self.offset) / self.gain

    def readings(self, position: ArrayLike, load: Load | None = None) -> Array:
        """What the sensors read at rest, (N, joints), without a load or with one.

        >>> robot = bf.Robot.load("pendulum")
        >>> q = np.linspace(-1, 1, 9)[:, None]
        >>> bare = bf.StaticPoses(robot.joint_names, q, robot.gravity_torque(q) + 0.2)
        >>> found = bf.calibrate_torque_sensors(robot, bare, [], frame="link1")
        >>> bool(np.allclose(found.readings(q), bare.torque))
        True
        """
        return self.gain * self.torque_at(position, load) + self.offset

    def torque_at(self, position: ArrayLike, load: Load | None = None) -> Array:
        """True torque at rest, (N, joints) [N m], at what the encoders say, without a load or with one.

        >>> robot = bf.Robot.load("pendulum")
        >>> q = np.linspace(-1, 1, 9)[:, None]
        >>> bare = bf.StaticPoses(robot.joint_names, q, robot.gravity_torque(q) + 0.2)
        >>> bf.calibrate_torque_sensors(robot, bare, [], frame="link1").torque_at(q).shape
        (9, 1)
        """
        q = self.position_gain * np.atleast_2d(np.asarray(position, dtype=float)) + self.position_offset
        torque = self.model.torque(q)
        if load is None:
            return torque
        levers = self.model.arm.jacobian(self.frame, q, self.attachment + np.asarray(load.moved))[:, :3]
        return torque - load.mass * np.einsum("nkj,k->nj", levers, self.model.arm.gravity)

    def summary(self) -> str:
        """One line per joint.

        >>> robot = bf.Robot.load("pendulum")
        >>> q = np.linspace(-1, 1, 9)[:, None]
        >>> bare = bf.StaticPoses(robot.joint_names, q, robot.gravity_torque(q) + 0.2)
        >>> print(bf.calibrate_torque_sensors(robot, bare, [], frame="link1").summary().splitlines()[0])
        joint1  gain not seen    offset     0.2000 ± ... N m
        """
        width = max(map(len, self.joint_names))
        lines = []
        for j, name in enumerate(self.joint_names):
            gain = f"{self.gain[j]:.4f} ± {self.gain_deviation[j]:.2g}" if self.gain_seen[j] else "not seen"
            offset = f"{self.offset[j]:10.4f} ± {self.offset_deviation[j]:.2g} N m" if self.offset_seen[j] else "not seen"
            encoder = ""
            if self.position_gain_seen[j] or self.position_offset_seen[j]:
                encoder = f"    encoder x {self.position_gain[j]:.5f} {self.position_offset[j]:+.5f} rad"
            lines.append(f"{name:<{width}}  gain {gain}    offset {offset}{encoder}")
        return "\n".join(lines if self.status.ok else [*lines, str(self.status)])

    def __repr__(self) -> str:
        return f"TorqueSensorCalibration(gains of {int(self.gain_seen.sum())} of {len(self.gain)} joints, {self.status.code})"


def calibrate_torque_sensors(
    robot: Robot,
    bare: StaticPoses,
    loaded: Sequence[tuple[StaticPoses, Load]],
    *,
    frame: str,
    position_gain: bool = False,
    position_offset: bool = False,
) -> TorqueSensorCalibration:
    """Sensors from static poses without load (`bare`) and with a known mass on `frame`, hung at one or several points.

    A `HungMass` says how heavy it is and how far, in the tool frame, it hangs from where it hung first. `position_gain` and
    `position_offset` let the encoders be wrong too.

    >>> robot = bf.Robot.load("pendulum")
    >>> q = np.linspace(-1, 1, 9)[:, None]
    >>> bare = bf.StaticPoses(robot.joint_names, q, robot.gravity_torque(q) + 0.2)
    >>> bf.calibrate_torque_sensors(robot, bare, [], frame="link1")
    TorqueSensorCalibration(gains of 0 of 1 joints, rank deficient)
    """
    runs = [(bare, None), *loaded]
    layout = Layout.of(robot, position_gain, position_offset)
    equations = Equations.of(robot, frame, runs, layout)
    rows = equations.count
    if rows <= layout.count:
        raise SolveError("readings.too_few", rows=rows, count=layout.count)
    noise = np.ones(layout.joints)
    x, settled = _solved(equations, equations.start(), noise)
    for _ in range(WEIGHINGS):
        noise, before = _noise(equations, x, noise), noise
        x, settled = _solved(equations, x, noise)
        if np.allclose(noise, before, rtol=0.01):
            break
    for _ in range(WEIGHINGS):  # what is open comes as near to nominal gains as the data allow
        way = _towards_nominal(equations, x, noise)
        if np.linalg.norm(way) < 1e-9:
            break
        x, settled = _solved(equations, equations.layout.bounded(x + way), noise)
    return _calibration(robot, layout, equations, x, noise, settled)


def _solved(equations: Equations, x: Array, noise: Array) -> tuple[Array, bool]:
    """Gauss-Newton, readings weighted by their joint's noise; and whether it settled."""
    weight = 1 / noise[equations.owner]
    for _ in range(STEPS):
        J, error = equations.linear(x)
        step = _smallest_step(J * weight[:, None], error * weight)
        x = equations.layout.bounded(x + step)
        if np.linalg.norm(step) < SETTLED * max(float(np.linalg.norm(x)), 1.0):
            return x, True
    moved = float(np.linalg.norm((J * weight[:, None]) @ step))
    return x, moved < 1e-2 * np.sqrt(len(error))  # against noise: what still moves may be open


def _noise(equations: Equations, x: Array, noise: Array) -> Array:
    """Of every joint's readings: what the fit leaves, over the equations that the unknowns did not use up."""
    J, error = equations.linear(x)
    left, _, _ = decompose.svd(_scaled(J / noise[equations.owner][:, None])[0], full_matrices=False)
    kept = _kept(J / noise[equations.owner][:, None])
    used = np.sum(left[:, kept] ** 2, axis=1)
    count = np.bincount(equations.owner, 1 - used, len(noise))
    power = np.bincount(equations.owner, error**2, len(noise))
    size = np.sqrt(power / np.maximum(count, 1e-9))
    told = count > 0.5
    common = np.sqrt(power.sum() / max(float(count.sum()), 1.0))
    reading = np.sqrt(np.nanmean(np.square(equations.reading[np.isfinite(equations.reading)])))
    return np.maximum(np.where(told, size, common), 1e-8 * max(float(reading), 1e-300))


def _kept(J: Array) -> NDArray[np.bool_]:
    singular = decompose.svd(_scaled(J)[0], compute_uv=False)
    return np.asarray(singular > OPEN * singular[0])


def _towards_nominal(equations: Equations, x: Array, noise: Array) -> Array:
    """A step along open directions that brings the gains nearest to one."""
    A, size = _scaled(equations.linear(x)[0] / noise[equations.owner][:, None])
    _, singular, right = decompose.svd(A, full_matrices=False)
    ways = right[singular <= OPEN * singular[0]] / size
    if not len(ways):
        return np.zeros_like(x)
    ways = ways / np.linalg.norm(ways, axis=1, keepdims=True)
    gain = equations.layout.part("gain")
    left, size, across = decompose.svd(ways[:, gain].T, full_matrices=False)
    moving = size > TOUCHED  # an open place of the mass moves no gain
    step = ((left[:, moving].T @ (1 - x[gain]) / size[moving]) @ across[moving]) @ ways
    longest = np.abs(step[gain]).max(initial=0.0)
    return np.asarray(step / max(1.0, longest / 0.3))


def _scaled(J: Array) -> tuple[Array, Array]:
    size = np.linalg.norm(J, axis=0)
    size = np.where(size > 1e-12 * size.max(initial=0.0), size, 1.0)
    return J / size, size


def _smallest_step(J: Array, error: Array) -> Array:
    """Least squares; open directions do not move."""
    A, size = _scaled(J)
    return decompose.lstsq(A, error, rcond=OPEN)[0] / size


def _calibration(
    robot: Robot, layout: Layout, equations: Equations, x: Array, noise: Array, settled: bool
) -> TorqueSensorCalibration:
    J = equations.linear(x)[0] / noise[equations.owner][:, None]
    A, size = _scaled(J)
    _, singular, right = decompose.svd(A, full_matrices=False)
    kept = singular > OPEN * singular[0]
    open_directions = right[~kept]
    lost = np.abs(open_directions).max(axis=0) > TOUCHED if len(open_directions) else np.zeros(len(x), dtype=bool)
    lost |= ~np.any(J, axis=0)
    root = (right[kept].T / singular[kept]) / size[:, None]
    covariance = root @ root.T
    deviation = np.where(lost, np.inf, np.sqrt(np.diag(covariance)))
    gain, offset, pgain, poffset = (layout.part(name) for name in ("gain", "offset", "position_gain", "position_offset"))
    idle = lost[gain] & (np.abs(equations.linear(x)[0][:, gain]).max(axis=0) < 1e-6 * np.nanmax(np.abs(equations.reading)))
    x = np.append(np.where(idle, 1.0, x[gain]), x[gain.stop :])  # no torque, no gain: not the rounding that was left
    full = layout.filled(x)
    vague = ~lost[gain] & ~(deviation[gain] <= KNOWN * np.abs(x[gain]))
    model = GravityModel(
        robot, full["moments"], np.where(np.outer(lost, lost), np.inf, covariance)[layout.moments, layout.moments]
    )
    return TorqueSensorCalibration(
        robot.joint_names, full["gain"], full["offset"], full["position_gain"], full["position_offset"],
        full["attachment"], model,
        deviation[gain], deviation[offset], ~lost[gain] & ~vague, ~lost[offset],
        ~lost[pgain] if layout.size("position_gain") else np.zeros(len(robot.joint_names), dtype=bool),
        ~lost[poffset] if layout.size("position_offset") else np.zeros(len(robot.joint_names), dtype=bool),
        np.where(equations.heard, noise, np.nan), _status(robot, ~lost[gain], vague, equations, settled),
        equations.frame,
    )  # fmt: skip


def _status(robot: Robot, told: NDArray[np.bool_], vague: NDArray[np.bool_], equations: Equations, settled: bool) -> Status:
    def named(which: NDArray[np.bool_]) -> str:
        return ", ".join(name for name, yes in zip(robot.joint_names, which, strict=True) if yes)

    if vague.any() and equations.masses:
        return Status("rank deficient", Note("mass.not_felt", named=named(vague)))
    if not settled:
        return Status("not converged", Note("encoders.not_converged", steps=STEPS))
    missing = ~told & equations.heard
    if told.all() and not vague.any():
        return Status()
    if not missing.any():
        return Status("rank deficient", Note("joints.unheard", named=named(~equations.heard)))
    if equations.masses == 0:
        return Status("rank deficient", Note("sensors.no_mass", named=named(missing)))
    if not np.any(missing & ~equations.never_loaded):
        return Status("rank deficient", Note("sensors.no_gravity", named=named(missing)))
    if equations.places < 2:
        return Status("rank deficient", Note("sensors.few_poses", named=named(missing)))
    return Status("rank deficient", Note("sensors.open", named=named(missing)))

"""A wrist force/torque sensor and the tool it carries, from static poses: bias, mass, centre of mass, direction of gravity.

Held still with the rotation R = base_from_sensor, the sensor reads (in its own frame)

    force  = R' w + bias,          w = mass times gravity, in the base frame [N]
    moment = c x (R' w) + bias     c centre of mass of what it carries, in the sensor's frame [m]

Twelve unknowns, ten if the direction of gravity is known. Both lines are fitted together by Gauss-Newton, forces and moments
weighted by their own noise, which is found on the way. Biases of such sensors wander as they warm up: the bias is taken as a
random walk (drift.py) of the size that the order of the poses makes likely, and the one of the last pose is given. A walk is
reported where it is beyond luck. Where it is, a constant bias (by least squares, and by Huber's loss, by which poses in which
something touched the tool count less) is fitted beside it: of the three, that one is returned which, fitted to the first 70 %
of the poses, predicts the others best. The bias's error bar does not know that the walk's size was estimated too: where the
walk is as large as the noise, 95 % bars hold some 75 % of the time.

Error bars: those of white errors, or, where they are larger, those of a jackknife over blocks of neighbouring poses, which hold
for errors that follow each other.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from bifilar.calibrate.drift import BEYOND_LUCK, wandering, whitened
from bifilar.calibrate.wrist_doubts import drifts, no_load, not_followed, suspicions, upside_down
from bifilar.calibrate.wrist_model import (
    PARTS,
    TURNED,
    Frame,
    jacobian,
    predicted,
    rotations,
    sensor_frame,
    spread,
    start,
    wrenches,
)
from bifilar.dynamics import decompose
from bifilar.dynamics.tree import Array
from bifilar.errors import ShapeError, SolveError
from bifilar.estimate.freedom import quantile
from bifilar.estimate.robust import slope_of, weight_of
from bifilar.recording.findings import Findings

Way = Literal["followed", "constant", "robust"]
WAYS: dict[Way, tuple[bool | None, bool]] = {"followed": (None, False), "constant": (False, False), "robust": (None, True)}
"""drift and robust, as `tare` takes them"""
FIRST = 0.7  # of the poses that predict the others
CLEARER = 0.99  # of an error: less is no tie
BLOCKS = 12  # of neighbouring poses that are left out in turn
TWO_SIGMA = 0.9545  # probability of +-2 standard deviations
STEPS = 50
ROBUST_STEPS, SCALED = 200, 20  # reweighting settles slowly; after so many of them the scale of the errors is held
SETTLED = 1e-10
ROUNDS = 4  # of fitting, then looking how the biases wander
STANDARD = 9.80665  # [m/s^2] where no other is given
LEAST_POSES = 4
NO_WALK = np.zeros(6)
BIASES = np.array([3, 4, 5, 9, 10, 11])  # their places among the twelve numbers


class Prediction(NamedTuple):
    """One way to take the bias, fitted to the first poses, and how well it predicts the others.

    >>> Prediction("constant", 1.2, 0.1, 0.002, np.zeros((1, 6)), np.zeros((1, 6))).moment
    0.002
    """

    way: Way
    mass: float  # [kg] by the first poses
    force: float  # [N] RMS error at the others
    moment: float  # [N m]
    read: Array  # (others, 6) in the sensor's frame
    predicted: Array

    @property
    def error(self) -> float:
        """Geometric mean of both errors: their order does not depend on the unit of either.

        >>> Prediction("constant", 1.0, 4.0, 1.0, np.zeros((1, 6)), np.zeros((1, 6))).error
        2.0
        """
        return float(np.sqrt(self.force * self.moment))


@dataclass(frozen=True, eq=False, repr=False)
class WristCalibration:
    """What a wrist sensor's readings mean.

    >>> found = bf.tare(*bf.calibrate_example(mass=1.2))
    >>> round(found.mass, 3)
    1.2
    """

    weight: Array  # (3,) [N] mass times gravity, in the base frame
    center: Array  # (3,) [m] centre of mass of the load in the sensor's frame
    bias: Array  # (6,) [N], [N m] reading without load; where it wanders, after the last pose
    covariance: Array  # (12, 12) of weight, force bias, center, moment bias
    noise: tuple[float, float]  # standard deviation of one force [N] and of one moment [N m]
    drift: Array  # (6,) [N], [N m] standard deviation of the bias's step from pose to pose; zero: it is constant
    gravity: float  # [m/s^2] that the mass was computed with
    poses: int
    findings: Findings
    constant_bias_mass: float  # [kg] what a bias that does not wander would have made of the same readings
    compared: tuple[
        Prediction, ...
    ] = ()  # ways to take the bias, by how well the first poses predict the others; the best first

    @property
    def mass(self) -> float:
        """Of all that the sensor carries [kg].

        >>> round(bf.tare(*bf.calibrate_example(mass=0.7)).mass, 3)
        0.7
        """
        return float(np.linalg.norm(self.weight) / self.gravity)

    @property
    def mass_deviation(self) -> float:
        """Standard deviation of the mass [kg].

        >>> bf.tare(*bf.calibrate_example()).mass_deviation < 0.01
        True
        """
        along = self.direction
        return float(np.sqrt(max(float(along @ self.covariance[:3, :3] @ along), 0.0)) / self.gravity)

    @property
    def direction(self) -> Array:
        """Unit vector of gravity in the base frame; (0, 0, -1) for a base that stands level.

        >>> bf.tare(*bf.calibrate_example()).direction.round(2) + 0.0
        array([ 0.,  0., -1.])
        """
        size = np.linalg.norm(self.weight)
        return self.weight / size if size > 0 else np.array([0.0, 0.0, -1.0])

    @property
    def tilt(self) -> float:
        """Angle between gravity and the base's -z [rad].

        >>> bf.tare(*bf.calibrate_example()).tilt < 0.01
        True
        """
        return float(np.arccos(np.clip(-self.direction[2], -1.0, 1.0)))

    @property
    def deviations(self) -> Array:
        """Standard deviations (12,) of weight, force bias, center, moment bias.

        >>> bf.tare(*bf.calibrate_example()).deviations.shape
        (12,)
        """
        return np.sqrt(np.diag(self.covariance))

    @property
    def parameters(self) -> Array:
        """(12,) weight, force bias, center, moment bias.

        >>> bf.tare(*bf.calibrate_example()).parameters.shape
        (12,)
        """
        return np.concatenate([self.weight, self.bias[:3], self.center, self.bias[3:]])

    def predict(self, rotation: ArrayLike) -> Array:
        """Readings at rest (N, 6), in the sensor's frame.

        >>> rotation, wrench = bf.calibrate_example()
        >>> bf.tare(rotation, wrench).predict(rotation).shape == wrench.shape
        True
        """
        return predicted(self.parameters, rotations(rotation))

    def external(self, rotation: ArrayLike, wrench: ArrayLike, frame: Frame = "sensor") -> Array:
        """What touches the tool: readings without bias and weight, (N, 6) in the sensor's frame.

        >>> rotation, wrench = bf.calibrate_example()
        >>> bool(np.abs(bf.tare(rotation, wrench).external(rotation, wrench)).max() < 1.0)
        True
        """
        R = rotations(rotation)
        return sensor_frame(wrenches(wrench, len(R)), R, frame) - predicted(self.parameters, R)

    def summary(self) -> str:
        """In words.

        >>> bf.tare(*bf.calibrate_example()).summary().splitlines()[0].split()[0]
        'mass'
        """
        s = self.deviations
        mm, b = 1e3 * self.center, self.bias
        lines = [
            f"mass      {self.mass:.4g} ± {self.mass_deviation:.2g} kg",
            f"centre    {mm[0]:.2f} {mm[1]:.2f} {mm[2]:.2f} mm  ± {1e3 * s[6:9].max():.2g}",
            f"bias      {b[0]:.3f} {b[1]:.3f} {b[2]:.3f} N  ± {s[3:6].max():.2g}    "
            f"{b[3]:.4f} {b[4]:.4f} {b[5]:.4f} N m  ± {s[9:].max():.2g}",
            f"gravity   {np.degrees(self.tilt):.2f} degrees off the base's -z",
            f"noise     {self.noise[0]:.3g} N, {1e3 * self.noise[1]:.3g} mN m in {self.poses} poses",
        ]
        return "\n".join([*lines, *map(str, self.findings)])

    def __repr__(self) -> str:
        return f"WristCalibration({self.mass:.4g} ± {self.mass_deviation:.2g} kg from {self.poses} poses)"


def tare(
    rotation: ArrayLike,
    wrench: ArrayLike,
    *,
    frame: Frame = "sensor",
    gravity: ArrayLike | float = STANDARD,
    reach: ArrayLike | None = None,
    drift: bool | None = None,
    robust: bool = False,
) -> WristCalibration:
    """Bias and load of a wrist sensor from static poses.

    `rotation`: base_from_sensor, (N, 3, 3) or quaternions xyzw (N, 4). `wrench`: (N, 6) force then moment, axes of `frame`,
    moment about the sensor's origin. `gravity`: its size [m/s^2], or the whole vector in the base frame if the base's pose is
    known. `reach`: six largest readings of the sensor. `drift`: whether the bias may wander from pose to pose (they must then
    come in the order in which they were measured); left out, held-out poses decide; False is for poses without order. `robust`:
    poses far from the rest, in which something touched the tool, count less; the bias is then constant.

    >>> bf.tare(*bf.calibrate_example(mass=2.0))
    WristCalibration(2 ± ... kg from 30 poses)
    """
    R = rotations(rotation)
    readings = wrenches(wrench, len(R))
    if robust and drift:
        raise ShapeError("drift.robust")
    settings = _Settings(frame, *_gravity(gravity), reach)
    found = _calibrated(R, readings, settings, drift, robust)
    if drift is not None or robust or not any(finding.code == "drift" for finding in found.findings):
        return found
    told = predictions(R, readings, frame=frame, gravity=gravity)
    if not told or told[0].way == "followed":
        return replace(found, compared=told)
    best = _calibrated(R, readings, settings, False, told[0].way == "robust")
    return replace(best, compared=told, findings=Findings([*best.findings, not_followed(told)]))


def predictions(
    rotation: ArrayLike,
    wrench: ArrayLike,
    ways: Collection[Way] = tuple(WAYS),
    *,
    frame: Frame = "sensor",
    gravity: ArrayLike | float = STANDARD,
) -> tuple[Prediction, ...]:
    """How well the first 70 % of the poses predict the others, by each way to take the bias; the best first, none if too few.

    >>> [found.way for found in predictions(*bf.calibrate_example(), ways=["constant"])]
    ['constant']
    """
    R = rotations(rotation)
    readings = wrenches(wrench, len(R))
    settings, cut = _Settings(frame, *_gravity(gravity), None), int(FIRST * len(R))
    told: list[Prediction] = []
    for way in ways if cut < len(R) else ():
        try:
            first = _calibrated(R[:cut], readings[:cut], settings, *WAYS[way])
        except SolveError:
            return ()
        off, model = first.external(R[cut:], readings[cut:], frame), first.predict(R[cut:])
        force, moment = (float(np.sqrt(np.mean(part**2))) for part in (off[:, :3], off[:, 3:]))
        told.append(Prediction(way, first.mass, force, moment, model + off, model))
    if not told:
        return ()
    best = told[0]
    for other in told[1:]:
        best = other if other.error < CLEARER * best.error else best
    return (best, *(each for each in told if each is not best))


class _Settings(NamedTuple):
    frame: Frame
    size: float  # [m/s^2] of gravity
    known: Array | None  # its direction
    reach: ArrayLike | None


def _calibrated(R: Array, readings: Array, told: _Settings, drift: bool | None, robust: bool) -> WristCalibration:
    y, size, known = sensor_frame(readings, R, told.frame), told.size, told.known
    if len(R) < LEAST_POSES:
        raise SolveError("poses.too_few/wrist_sensor", r_count=len(R))
    _turned_enough(R, y, known)
    solved = first = _fitted(R, y, known)
    doubts = suspicions(R, readings, told.frame, solved.noise, told.reach, lambda r, w: _fitted(r, w, known, steps=10).noise)
    ratios, beyond = np.zeros(6), np.zeros(6, dtype=bool)
    wrong = any(doubt.severity == "error" for doubt in doubts)  # then what is left over is no drift
    if robust:
        solved = _robust(R, y, known)
    for _ in range(ROUNDS if drift is not False and not robust and not wrong else 0):
        found = wandering(y - predicted(solved.first, R), insist=True)
        before, ratios = ratios, np.array([walk.ratio for walk in found])
        beyond = np.array([bool(drift) or walk.gain > BEYOND_LUCK for walk in found])
        if np.allclose(before, ratios, rtol=0.01):
            break
        solved = _fitted(R, y, known, ratios)
    step = np.repeat(solved.noise, 3) * np.sqrt(ratios)
    x = solved.parameters
    constant = float(np.linalg.norm(first.parameters[:3]) / size)
    moved = drifts(np.where(beyond, step, 0.0), len(R), solved.noise, constant)
    empty = no_load(x[:3], solved.covariance[:3, :3])
    turned = [] if wrong or empty else upside_down(x[:3], known)
    findings = Findings([*doubts, *turned, *empty, *moved])
    bias = np.append(x[3:6], x[9:])
    return WristCalibration(x[:3], x[6:9], bias, solved.covariance, solved.noise, step, size, len(R), findings, constant)


def _gravity(given: ArrayLike) -> tuple[float, Array | None]:
    """Its size [m/s^2], and its direction in the base frame where a vector is given."""
    g = np.asarray(given, dtype=float)
    size = float(np.linalg.norm(g))
    if g.shape not in ((), (3,)) or not (np.isfinite(size) and size > 0):
        raise ShapeError("gravity.wrong/wrist_sensor", g=g)
    return size, None if g.ndim == 0 else g / size


@dataclass(frozen=True, eq=False)
class _Fit:
    first: Array  # biases as they were before the first pose
    parameters: Array  # and after the last
    covariance: Array
    noise: tuple[float, float]


def _fitted(R: Array, y: Array, known: Array | None, ratios: Array = NO_WALK, steps: int = STEPS) -> _Fit:
    x: Array = start(R, y, known)
    free = _directions(known)
    spare = 3 * len(R) - free.shape[1] / 2
    if spare <= 0:
        raise SolveError("poses.too_few/fitted", r_count=len(R))
    for _ in range(steps):
        J, error = _white(jacobian(x, R) @ free, y - predicted(x, R), ratios)
        power: Array = np.sum(error.reshape(-1, 2, 3) ** 2, axis=(0, 2))
        size = np.maximum(np.sqrt(power / spare), 1e-12)
        weight = np.repeat(1 / size, 3)
        A = (J * weight[None, :, None]).reshape(-1, free.shape[1])
        step = decompose.lstsq(A, (error * weight).ravel(), rcond=None)[0]
        x, noise = x + free @ step, size
        if np.linalg.norm(step) < SETTLED * max(float(np.linalg.norm(x)), 1.0):
            break
    at_the_end = _to_the_end(R, y, x, ratios, noise)
    turn = at_the_end.turn @ free
    J, error = _white(jacobian(x, R) @ free, y - predicted(x, R), ratios)
    white = turn @ decompose.pinv(A.T @ A) @ turn.T
    by_blocks = turn @ _jackknife(J * weight[None, :, None], error * weight) @ turn.T
    covariance = _wider(white, by_blocks) + np.diag(at_the_end.variance)
    return _Fit(x, x + at_the_end.moved, covariance, (float(noise[0]), float(noise[1])))


def _robust(R: Array, y: Array, known: Array | None) -> _Fit:
    """A constant bias by Huber's loss: forces and moments in units of their own errors' median (reweighted Gauss-Newton)."""
    x, free = start(R, y, known), _directions(known)
    for k in range(ROBUST_STEPS):
        error: Array = y - predicted(x, R)
        parts = np.abs(error).reshape(-1, 2, 3)
        if k < SCALED:
            size = np.maximum(np.median(parts, axis=(0, 2)) / 0.6745, 1e-12)
        unit = np.repeat(1 / size, 3)
        weight = np.sqrt(weight_of(error * unit, "huber")) * unit
        J = jacobian(x, R) @ free
        step = decompose.lstsq((J * weight[:, :, None]).reshape(-1, free.shape[1]), (error * weight).ravel(), rcond=None)[0]
        x = x + free @ step
        if k > SCALED and np.linalg.norm(step) < SETTLED * max(float(np.linalg.norm(x)), 1.0):
            break
    r = (y - predicted(x, R)) * unit
    rows = (J * unit[:, None]).reshape(-1, 2, 3, free.shape[1])
    gram = np.einsum("npai,npaj->pij", rows, rows)
    parted = r.reshape(-1, 2, 3)
    still = np.mean(slope_of(parted, "huber"), axis=(0, 2))  # what a change of the numbers still changes
    pull = np.mean((parted * weight_of(parted, "huber")) ** 2, axis=(0, 2))  # what errors still pull
    inverse = free @ decompose.pinv(np.tensordot(still, gram, 1))
    white = inverse @ np.tensordot(pull, gram, 1) @ inverse.T
    by_blocks = free @ _jackknife(J * weight[:, :, None], (y - predicted(x, R)) * weight) @ free.T
    return _Fit(x, x, _wider(white, by_blocks), (float(size[0]), float(size[1])))


def _jackknife(rows: Array, error: Array) -> Array:
    """Covariance of a step of least squares, from steps that leave out one block of neighbouring poses each.

    `rows` (poses, 6, unknowns) and `error` (poses, 6) in units of the noise. Zero where there are too few poses for blocks.
    """
    count, _, unknowns = rows.shape
    blocks = np.array_split(np.arange(count), min(BLOCKS, count))
    if 6 * (count - len(blocks[0])) < 2 * unknowns:
        return np.zeros((unknowns, unknowns))
    normal = [(np.einsum("nki,nkj->ij", rows[b], rows[b]), np.einsum("nki,nk->i", rows[b], error[b])) for b in blocks]
    gram, right = sum(a for a, _ in normal), sum(r for _, r in normal)
    steps = np.array([decompose.lstsq(gram - a, right - r, rcond=None)[0] for a, r in normal])
    off, groups = steps - steps.mean(axis=0), len(blocks)
    return np.asarray((quantile(TWO_SIGMA, groups - 1) / 2.0) ** 2 * (groups - 1) / groups * off.T @ off)


def _wider(white: Array, by_blocks: Array) -> Array:
    """The first covariance, each deviation as large as the larger of both."""
    own, other = np.diag(white), np.diag(by_blocks)
    times = np.sqrt(np.maximum(1.0, np.divide(other, own, out=np.ones_like(own), where=own > 0)))
    return np.asarray(white * np.outer(times, times))


class _End(NamedTuple):
    """From biases at the first pose to biases at the last."""

    moved: Array  # (12,) by how much
    turn: Array  # (12, 12) what errors of the first become
    variance: Array  # (12,) that the walk adds


def _to_the_end(R: Array, y: Array, x: Array, ratios: Array, noise: Array) -> _End:
    moved, turn, variance = np.zeros(len(x)), np.eye(len(x)), np.zeros(len(x))
    if ratios.any():
        walk = whitened(y - predicted(x, R), ratios)
        moved[BIASES], variance[BIASES] = walk.last, np.repeat(noise, 3) ** 2 * walk.variance
        turn[BIASES] -= whitened(jacobian(x, R), ratios[:, None]).last
    return _End(moved, turn, variance)


def _white(J: Array, error: Array, ratios: Array) -> tuple[Array, Array]:
    """Rows without the correlation that wandering biases put into them."""
    if not ratios.any():
        return J, error
    return whitened(J, ratios[:, None]).columns, whitened(error, ratios).columns


def _directions(known: Array | None) -> Array:
    """Columns along which the twelve numbers may move."""
    every = np.eye(sum(PARTS))
    if known is None:
        return every
    return np.column_stack([np.append(known, np.zeros(9)), every[:, 3:]])


def _turned_enough(R: Array, y: Array, known: Array | None) -> None:
    """Refuses poses whose orientations do not tell load from bias, or leave a direction of the centre open."""
    x = start(R, y, known)
    size = np.linalg.norm(x[:3])
    along = x[:3] / size if size > 0 else np.array([0.0, 0.0, -1.0])
    if spread(R, along, _directions(known)) < TURNED:
        raise SolveError("poses.not_told")


def calibrate_example(mass: float = 1.0, poses: int = 30, seed: int = 0, noise: Literal[0, 1] = 1) -> tuple[Array, Array]:
    """Made-up readings of a sensor with a tool: rotations (N, 3, 3) and wrenches (N, 6), to try things on.

    >>> rotation, wrench = bf.calibrate_example()
    >>> rotation.shape, wrench.shape
    ((30, 3, 3), (30, 6))
    """
    rng = np.random.default_rng(seed)
    q = rng.normal(size=(poses, 4))
    R = rotations(q / np.linalg.norm(q, axis=1, keepdims=True))
    x = np.concatenate([[0, 0, -mass * STANDARD], [1.0, -2.0, 3.0], [0.001, 0.002, 0.05], [0.01, -0.02, 0.03]])
    return R, predicted(x, R) + noise * rng.normal(size=(poses, 6)) * np.repeat([0.05, 0.002], 3)

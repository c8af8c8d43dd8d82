"""Mistakes of a log or a setup that explain it better than any nominal model that is wrong by as much as nominal models are.

Every mistake is a hypothesis with a few columns X beside those of the fit, linearised where it is not linear:

    H0    tau = Y phi0 + Y d + F f + e            d: links that differ from the nominal model, F: friction, e: noise
    Hk    tau = Y phi0 + Y d + F f + X_k t + e

    torque of all joints, or of one, by a factor       X = rigid-body torque of the nominal model
    tilted gravity                                     X = its derivative by the horizontal components of gravity
    a load at a link                                   X = the columns of that link's ten parameters
    an encoder offset, a gear factor of a joint        X = derivative of torque by that joint's position, or by its scale
    a clock factor                                     X = derivative of torque by the scale of time

d, f and t are Gaussian: d with the curvature of the log-det prior, links known to a share s; s is not known and is summed over
(a poor nominal model makes d large, and every mistake less certain). So the evidence of each hypothesis has a closed form
(MacKay 1992), from one triangular factor. A mistake is named if its odds against H0, divided among its kind, exceed one common
threshold and its size is one that matters. Rows follow each other and models are not exact: noise counts `COLOURED` times, and
is at least a small share of the torque.

What cannot be told apart is said to be: a common factor of torque below 1.4 is a robot as much heavier, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.special import logsumexp

from bifilar.dynamics.blas import one_blas_thread
from bifilar.dynamics.tree import Array
from bifilar.estimate.bodies import curvatures
from bifilar.estimate.estimate import BaseEstimate, Estimate
from bifilar.estimate.physical_prior import physical_prior
from bifilar.estimate.sources import Data, Weighted, equations_of, listed
from bifilar.robot.model import Model

ROWS = 600  # of all recordings together: what is looked for is not subtle
SHARES = (0.1, 0.2, 0.4, 0.8, 1.6)  # by which links may differ from the nominal model
USUAL, SPREAD = 0.2, np.log(2.0)  # of nominal models: 20 %, within a factor of two
COLOURED = 10.0  # rows that say the same, because noise and model errors last longer than a row
FLOOR = 0.02  # of a joint's torque: errors of models, whatever the residual
STEP = 1e-4  # of central differences
CLEAR = 5.0  # log odds from which a mistake is named, beyond the number of its kind: 150 to 1
FRICTION = 1.0  # times the torque of its joint: how large a friction term may be


class Kind(NamedTuple):
    """A kind of mistake: its code, how large it may be, and what is too small to name."""

    code: str
    deviation: float  # of t before anything is seen
    least: float  # |t| from which it is named


SCALE = Kind("torque.scale", 1.0, 0.3)
SCALE_JOINT = Kind("torque.scale_joint", 1.0, 0.25)
TILT = Kind("gravity.tilt", 9.81 * np.sin(np.radians(20)), 9.81 * np.sin(np.radians(3)))
OFFSET = Kind("position.offset", 0.2, 0.02)
GEAR = Kind("position.gear", 0.5, 0.1)
CLOCK = Kind("clock.factor", 0.5, 0.1)
LOAD = Kind("load.undeclared", 2.0, 0.2)  # [kg]
REACH = 0.1  # [m] from the link's origin to a load, and its radius of gyration: what makes its moments of its mass


@dataclass(frozen=True, eq=False)
class Hypothesis:
    """One mistake and its columns, (rows, columns), with the standard deviations of their factors."""

    kind: Kind
    where: str  # joint or link; empty: all
    columns: Array
    deviations: Array


@dataclass(frozen=True, eq=False)
class Explanation:
    """A mistake, how large it would be and the odds that it is there."""

    code: str
    where: str
    values: Array  # t: factor - 1, gravity [m/s^2], offset [rad], or a load's ten parameters
    odds: float  # log of the odds against a nominal model that is only wrong, divided among the joints or links
    named: bool

    @property
    def size(self) -> float:
        """In the unit that it is named in: a factor, degrees, radians or kilograms."""
        first = float(self.values[0])
        if self.code == TILT.code:
            return float(np.degrees(np.arctan2(np.hypot(*self.values[:2]), 9.81)))
        return first if self.code in (OFFSET.code, LOAD.code) else 1.0 + first


def explanations(estimate: BaseEstimate, recordings: Data | Iterable[Data]) -> tuple[Explanation, ...]:
    """All hypotheses, the likeliest first."""
    rows = _Rows.of(estimate, recordings)
    if rows is None:
        return ()
    tried = list(_hypotheses(estimate, rows))
    with one_blas_thread():
        found = _compared(estimate, rows, tried)
    return tuple(sorted(found, key=lambda one: -one.odds))


@dataclass(frozen=True, eq=False)
class _Rows:
    """Motion and torque at some rows of the recordings, (rows, joints), and the weight of every joint's rows."""

    position: Array
    velocity: Array
    acceleration: Array
    torque: Array
    weight: Array  # (joints,) 1 / noise

    @classmethod
    def of(cls, estimate: BaseEstimate, recordings: Data | Iterable[Data]) -> _Rows | None:
        robot = estimate.described
        if robot.is_floating:
            return None
        sources = [equations_of(data, robot, estimate.recipe) for data in listed(recordings)]
        sources = [source.source if isinstance(source, Weighted) else source for source in sources]
        if not sources or not all(hasattr(source, "position") for source in sources):
            return None
        words = ("position", "velocity", "acceleration", "torque")
        whole = [np.concatenate([np.asarray(getattr(source, word)) for source in sources]) for word in words]
        every = -(-len(whole[0]) // ROWS)
        some = [np.ascontiguousarray(x[::every]) for x in whole]
        size = np.sqrt(np.mean(some[3] ** 2, axis=0))
        noise = np.maximum(np.asarray(estimate.noise), FLOOR * size)
        noise = np.where(noise > 0, noise, max(float(noise.max()), 1e-300))
        return cls(*some, 1.0 / (noise * np.sqrt(max(1.0, COLOURED / every))))

    def flat(self, values: Array) -> Array:
        """(rows, joints, ...) in units of the noise, as (rows joints, ...)."""
        weighted = values * self.weight.reshape(1, -1, *[1] * (values.ndim - 2))
        return weighted.reshape(-1, *values.shape[2:])


def _hypotheses(estimate: BaseEstimate, rows: _Rows) -> Iterator[Hypothesis]:
    robot = estimate.described
    rigid = robot.with_friction(None)
    known = estimate.robot.with_friction(None) if isinstance(estimate, Estimate) else rigid
    q, v, a = rows.position, rows.velocity, rows.acceleration
    nominal = rigid.inverse_dynamics(q, v, a)
    n = len(robot.joint_names)

    def made(kind: Kind, where: str, *columns: Array) -> Hypothesis:
        flat = np.column_stack([rows.flat(column) for column in columns])
        return Hypothesis(kind, where, flat, np.full(flat.shape[1], kind.deviation))

    yield made(SCALE, "", nominal)
    yield made(TILT, "", *(_slope(known, rows, gravity=axis) for axis in np.eye(3)[:2]))
    yield made(CLOCK, "", _slope(known, rows, rates=np.ones(n)))
    for j, name in enumerate(robot.joint_names):
        one = np.eye(n)[j]
        yield made(SCALE_JOINT, name, nominal * one)
        yield made(OFFSET, name, _slope(known, rows, offset=one))
        yield made(GEAR, name, _slope(known, rows, scale=one))
    columns = rigid.regressor(q, v, a)
    first = columns.shape[2] // 10 - len(robot.body_names)
    size = LOAD.deviation * np.array([1.0, *[REACH] * 3, *[REACH**2] * 6])
    for k, name in enumerate(robot.body_names):
        if k + first >= 0:
            ten = columns[:, :, 10 * (k + first) : 10 * (k + first) + 10]
            yield Hypothesis(LOAD, name, rows.flat(ten), size)


def _slope(
    model: Model, rows: _Rows, *, gravity: Array | None = None, offset: Array | None = None, scale: Array | None = None,
    rates: Array | None = None,
) -> Array:  # fmt: skip
    """Derivative of torque by one number, where what was logged has the mistake: the model is asked at the true motion."""
    q, v, a = rows.position, rows.velocity, rows.acceleration
    both = []
    for h in (STEP, -STEP):
        if gravity is not None:
            both.append(model.with_gravity(model.gravity + h * gravity).inverse_dynamics(q, v, a))  # type: ignore[attr-defined]
        elif offset is not None:
            both.append(model.inverse_dynamics(q - h * offset, v, a))
        elif scale is not None:
            true = 1.0 - h * scale
            both.append(model.inverse_dynamics(q * true, v * true, a * true))
        else:
            assert rates is not None  # a clock that is fast by 1 + h shows speeds that are too small
            both.append(model.inverse_dynamics(q, v * (1 + h), a * (1 + 2 * h)))
    return (both[0] - both[1]) / (2 * STEP)


def _compared(estimate: BaseEstimate, rows: _Rows, tried: list[Hypothesis]) -> Iterator[Explanation]:
    robot = estimate.described
    columns = robot.regressor(rows.position, rows.velocity, rows.acceleration)
    drives = len(robot.drive_values)
    inertial = columns.shape[2] - drives
    known = np.concatenate([robot.parameters().values[:inertial], np.zeros(drives)])
    flat, target = rows.flat(columns), rows.flat(rows.torque)
    all_ = np.column_stack([flat, *(one.columns for one in tried), target - flat @ known])
    norms = np.linalg.norm(all_, axis=0)
    triangle = np.linalg.qr(all_ / np.where(norms > 0, norms, 1.0), mode="r") * norms
    gram = triangle.T @ triangle
    count = flat.shape[1]
    stiff = _stiffness(estimate, inertial, norms[inertial:count], float(np.linalg.norm(target)))
    borders = np.cumsum([count, *(len(one.deviations) for one in tried)])
    plain, with_, best = [], [[] for _ in tried], [[] for _ in tried]
    for share in SHARES:
        precision = np.array(stiff)
        precision[:inertial, :inertial] /= share**2
        matrix = cho_factor(gram[:count, :count] + precision)
        rest = gram[count:, count:] - gram[count:, :count] @ cho_solve(matrix, gram[:count, count:])
        size = np.sum(np.log(np.diag(matrix[0]))) + inertial * np.log(share) + 0.5 * (np.log(share / USUAL) / SPREAD) ** 2
        plain.append(-0.5 * rest[-1, -1] - size)
        for k, one in enumerate(tried):
            own = slice(borders[k] - count, borders[k + 1] - count)
            g, inner = rest[own, -1], rest[own, own]
            posterior = cho_factor(inner + np.diag(one.deviations**-2))
            t = cho_solve(posterior, g)
            less = np.sum(np.log(np.diag(posterior[0]))) + np.sum(np.log(one.deviations))
            with_[k].append(plain[-1] + 0.5 * float(g @ t) - less)
            best[k].append(t)
    nothing = logsumexp(plain)
    import os
    if os.environ.get("HYPDBG"):
        print("plain", np.round(np.array(plain)-nothing,1), "rss", rest[-1,-1])
        for one, ev in zip(tried, with_):
            if one.kind is LOAD or one.kind is SCALE: print(one.where, np.round(np.array(ev)-nothing,1))
    kinds = [one.kind for one in tried]
    for one, evidence, values in zip(tried, with_, best):
        odds = float(logsumexp(evidence) - nothing - np.log(kinds.count(one.kind)))
        t = values[int(np.argmax(evidence))]
        large = np.hypot(*t[:2]) if one.kind is TILT else t[0] if one.kind is LOAD else abs(t[0])
        yield Explanation(one.kind.code, one.where, t, odds, bool(odds > CLEAR and large > one.kind.least))


def _stiffness(estimate: BaseEstimate, inertial: int, norms: Array, torque: float) -> Array:
    """Precision of the parameters, links known to 100 %; friction terms about as large as the torque."""
    bodies = physical_prior(estimate.described).bodies
    bodies = bodies[len(bodies) - inertial // 10 :]
    stiff = np.zeros((inertial + len(norms),) * 2)
    for k, curvature in enumerate(curvatures(bodies)):
        stiff[10 * k : 10 * k + 10, 10 * k : 10 * k + 10] = curvature
    places = np.arange(inertial, len(stiff))
    stiff[places, places] = (np.where(norms > 0, norms, 1.0) / (FRICTION * max(torque, 1e-300))) ** 2
    return stiff

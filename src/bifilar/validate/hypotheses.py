"""Mistakes of a log or a setup that explain it better than any nominal model that is wrong by as much as nominal models are.

Every mistake is a hypothesis with a few columns X beside those of the fit, linearised where it is not linear:

    H0    tau = Y phi0 + Y d + F f + e            d: links that differ from the nominal model, F: friction, e: noise
    Hk    tau = Y phi0 + Y d + F f + X_k t + e

    torque of all joints, or of one, by a factor       X = rigid-body torque of the nominal model
    tilted gravity                                     X = its derivative by the horizontal components of gravity
    a load at a link                                   X = the columns of that link's mass, first moments and size
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
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.special import logsumexp

from bifilar.dynamics.blas import one_blas_thread
from bifilar.dynamics.tree import Array
from bifilar.errors import Note
from bifilar.estimate.bodies import curvatures
from bifilar.estimate.estimate import BaseEstimate, Estimate
from bifilar.estimate.likely import MISTAKE
from bifilar.estimate.physical_prior import physical_prior
from bifilar.estimate.sources import Data, Weighted, equations_of, listed
from bifilar.robot.friction import Coulomb, Friction, Offset, RotorInertia, Viscous
from bifilar.robot.model import Model
from bifilar.robot.robot import Robot

ROWS = 600  # of all recordings together: what is looked for is not subtle
SHARES = (0.1, 0.2, 0.4, 0.8, 1.6)  # by which links may differ from the nominal model
USUAL, SPREAD = 0.2, np.log(1.5)  # of nominal models: 20 % within a factor of 1.5, so mostly 10 to 30 %
COLOURED = 10.0  # rows that say the same, because noise and model errors last longer than a row
FLOOR = 0.02  # of a joint's torque: errors of models, whatever the residual
STEP = 1e-4  # of central differences
CLEAR = np.log(3.0)  # log odds from which a mistake is named: three to one, substantial evidence (Jeffreys 1961)
USUAL_DRIVES = (Viscous(), Coulomb(), Offset(), RotorInertia())
FRICTION = 1.0  # times the torque of its joint: how large a friction term may be


class Kind(NamedTuple):
    """A kind of mistake.

    >>> Kind("clock.factor", 0.5, -0.07, 0.07).code
    'clock.factor'
    """

    code: str
    deviation: float  # of t before anything is seen
    below: float  # t from which it is named, downwards
    above: float  # and upwards


# sizes of t: factors less 1, gravity [m/s^2], offsets [rad], a load [kg]
SCALE = Kind("torque.scale", 1.0, -0.3, 0.4)  # less is a robot as much lighter or heavier, which happens
SCALE_JOINT = Kind("torque.scale_joint", 1.0, -0.2, 0.25)
TILT = Kind("gravity.tilt", 9.81 * np.sin(np.radians(20)), -np.inf, 9.81 * np.sin(np.radians(3)))
OFFSET = Kind("position.offset", 0.2, -0.02, 0.02)
GEAR = Kind("position.gear", 0.5, -0.1, 0.1)
CLOCK = Kind("clock.factor", 0.5, -0.07, 0.07)
LOAD = Kind("load.undeclared", 2.0, -np.inf, 0.2)
NOMINAL = "nominal"  # code of H0
SIGNS = {SCALE.code: "sign_all", SCALE_JOINT.code: "sign"}  # codes of `check`
ROBOT = "robot"  # code where links would have to differ from the nominal model by FAR, whatever the mistake
FAR = 0.8
REACH = 0.1  # [m] from the link's origin to a load
COMPACT = REACH**2 * np.array([1.0, 0.0, 1.0, 0.0, 0.0, 0.2])  # [m^2] moments of a load of 1 kg, on the axis of its joint
AS_WELL = np.log(10.0)  # a mistake that is less behind the likeliest explains the log nearly as well


@dataclass(frozen=True, eq=False)
class Hypothesis:
    """One mistake and its columns, (rows, columns), with the standard deviations of their factors.

    >>> Hypothesis(CLOCK, "", np.ones((6, 1)), np.full((1, 1), CLOCK.deviation), 1.0).kind.code
    'clock.factor'
    """

    kind: Kind
    where: str  # joint or link; empty: all
    columns: Array
    deviations: Array  # (scales, columns): none of the scales is believed more than the others
    chance: float  # of this one, if it is one of its kind


@dataclass(frozen=True, eq=False)
class Explanation:
    """A mistake, how large it would be and the odds that it is there.

    >>> Explanation("position.offset", "elbow", np.array([0.05]), 9.0, 0.2, True).words
    "an encoder offset of 0.05 rad at 'elbow'"
    """

    code: str
    where: str
    values: Array  # t: factor - 1, gravity [m/s^2], offset [rad], or a load's mass [kg] and first moments
    odds: float  # log of the odds against a nominal model that is only wrong, divided among the joints or links
    share: float  # by which links would then differ from the nominal model
    named: bool

    @property
    def size(self) -> float:
        """In the unit that it is named in: a factor, degrees, radians or kilograms.

        >>> Explanation("clock.factor", "", np.array([0.2]), 9.0, 0.2, True).size
        1.2
        """
        if self.code == TILT.code:
            return float(np.degrees(np.arctan2(np.hypot(*self.values[:2]), 9.81)))
        return float(self.values[0]) + (0.0 if self.code in (OFFSET.code, LOAD.code) else 1.0)

    @property
    def words(self) -> str:
        """What would be wrong, in a few words.

        >>> Explanation("load.undeclared", "hand", np.array([2.96, 0, 0, 0]), 9.0, 0.2, True).words
        "a load of 3 kg at 'hand'"
        """
        at = f"'{self.where}'"
        said = {
            SCALE.code: f"torque that is {self.size:.2g} times the nominal model's at every joint",
            SCALE_JOINT.code: f"torque of {at} that is {self.size:.2g} times the other joints' scale",
            TILT.code: f"gravity tilted by {self.size:.2g} degrees",
            OFFSET.code: f"an encoder offset of {self.size:.2g} rad at {at}",
            GEAR.code: f"position of {at} that is {self.size:.3g} times the true one",
            CLOCK.code: f"timestamps that are {self.size:.3g} times the true ones",
            LOAD.code: f"a load of {self.size:.2g} kg at {at}",
        }
        return said.get(self.code, "another robot")


def explanations(estimate: BaseEstimate, recordings: Data | Iterable[Data]) -> tuple[Explanation, ...]:
    """All hypotheses with H0 ("nominal") among them, the likeliest first; none where links or motion are not known.

    >>> from bifilar.recording.check import example
    >>> recording, robot = example()
    >>> explanations(bf.fit(robot, recording), recording)[0].code
    'nominal'
    >>> doubled = recording.with_channel("torque", 2.5 * recording.torque)
    >>> explanations(bf.fit(robot, doubled), doubled)[0].code
    'torque.scale'
    """
    rows = _Rows.of(estimate, recordings)
    if rows is None:
        return ()
    tried = list(_hypotheses(estimate, rows))
    with one_blas_thread():
        found = list(_compared(estimate, rows, tried))
    return tuple(sorted(found, key=lambda one: -one.odds))


def named_mistakes(estimate: BaseEstimate, recordings: Data | Iterable[Data]) -> tuple[Note, ...]:
    """The mistake that explains recordings clearly better than a wrong nominal model does, as a note; mostly none.

    >>> from bifilar.recording.check import example
    >>> recording, robot = example()
    >>> doubled = recording.with_channel("torque", 2.5 * recording.torque)
    >>> [note.facts["mistake"] for note in named_mistakes(bf.fit(robot, doubled), doubled)]
    ['torque.scale']
    """
    found = explanations(estimate, recordings)
    if not found:
        return ()
    named = [one for one in found if one.named]
    # only the likeliest of all counts: others that are clear may be its shadow, even of one that is too small to matter
    first = named[0] if named[:1] == list(found[:1]) else next(one for one in found if one.code == NOMINAL)
    if first.share >= FAR and (first.code != NOMINAL or not found[0].odds > CLEAR or found[0].share >= FAR):
        return (Note(f"{MISTAKE}/{ROBOT}", mistake=ROBOT, place="", share=first.share),)
    if first.code == NOMINAL:
        return ()
    also = [one for one in named[1:] if first.odds - one.odds < AS_WELL]
    words = "".join(f"; {one.words} nearly as well" for one in also)
    facts: dict[str, Any] = {
        "place": first.where,
        "size": first.size,
        "log_odds": first.odds,
        "also": [one.code for one in also],
    }
    code = SIGNS.get(first.code, first.code) if first.size < 0 else first.code  # a factor below 0 is a sign
    return (Note(f"{MISTAKE}/{code}", mistake=code, also_words=words, **facts),)


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
        if robot.is_floating or not np.isfinite(estimate.values).all() or physical_prior(robot).invented[1:].any():
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
        if not np.any(size > 0) or not np.isfinite(size).all():
            return None
        noise = np.maximum(np.asarray(estimate.noise), FLOOR * size)
        noise = np.where(noise > 0, noise, max(float(noise.max()), 1e-300))
        q, v, a, tau = some
        return cls(q, v, a, tau, 1.0 / (noise * np.sqrt(max(1.0, COLOURED / every))))

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
        return Hypothesis(kind, where, flat, np.full((1, flat.shape[1]), kind.deviation), 1.0 / n if where else 1.0)

    yield made(SCALE, "", nominal)
    yield made(TILT, "", *(_slope(known, rows, gravity=axis) for axis in np.eye(3)[:2]))
    yield made(CLOCK, "", _slope(rigid, rows, rates=np.ones(n)))
    for j, name in enumerate(robot.joint_names):
        one = np.eye(n)[j]
        yield made(SCALE_JOINT, name, nominal * one)
        yield made(OFFSET, name, _slope(known, rows, offset=one))
        yield made(GEAR, name, _slope(known, rows, scale=one))
    columns = rigid.regressor(q, v, a)
    bodies = columns.shape[2] // 10
    names = robot.body_names[len(robot.body_names) - bodies :]
    last = {name for k, name in enumerate(names, start=robot.tree.n_joints + 1 - bodies) if k not in robot.tree.parent}
    for k, name in enumerate(names):
        ten = columns[:, :, 10 * k : 10 * k + 10]
        moments = ten[..., 4:] @ COMPACT[:, None]
        five = np.concatenate([ten[..., :1] + moments, ten[..., 1:4], moments], axis=2)
        scales = LOAD.deviation * np.array([[0.25], [0.5], [1.0], [2.0]]) * [1.0, REACH, REACH, REACH, 1.0]
        others = max(1, len(names) - len(last))
        yield Hypothesis(LOAD, name, rows.flat(five), scales, 0.5 / len(last) if name in last else 0.5 / others)


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
    own = tuple(estimate.described.friction)
    missing = tuple(term for term in USUAL_DRIVES if not any(isinstance(one, type(term)) for one in own))
    robot = estimate.described.with_friction(Friction((*own, *missing)))  # what was not fitted is no evidence against links
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
    stiff = _stiffness(robot, inertial, norms[inertial:count], float(np.linalg.norm(target)))
    borders = np.cumsum([0, *(one.columns.shape[1] for one in tried)])
    plain: list[float] = []
    found: list[list[tuple[float, float, Array]]] = [[] for _ in tried]  # evidence, share, t
    for share in SHARES:
        precision = np.array(stiff)
        precision[:inertial, :inertial] /= share**2
        matrix = cho_factor(gram[:count, :count] + precision)
        rest = gram[count:, count:] - gram[count:, :count] @ cho_solve(matrix, gram[:count, count:])
        size = np.sum(np.log(np.diag(matrix[0]))) + inertial * np.log(share) + 0.5 * (np.log(share / USUAL) / SPREAD) ** 2
        plain.append(float(-0.5 * rest[-1, -1] - size))
        for k, one in enumerate(tried):
            part = slice(borders[k], borders[k + 1])
            g, inner = rest[part, -1], rest[part, part]
            for deviations in one.deviations:
                posterior = cho_factor(inner + np.diag(deviations**-2))
                t = cho_solve(posterior, g)
                less = np.sum(np.log(np.diag(posterior[0]))) + np.sum(np.log(deviations))
                evidence = plain[-1] + 0.5 * float(g @ t) - less - np.log(len(one.deviations))
                found[k].append((float(evidence), share, t))
    nothing = logsumexp(plain)
    yield Explanation(NOMINAL, "", np.zeros(1), 0.0, SHARES[int(np.argmax(plain))], False)
    for one, tries in zip(tried, found):
        odds = float(logsumexp([evidence for evidence, _, _ in tries]) - nothing + np.log(one.chance))
        _, share, t = max(tries, key=lambda each: each[0])
        large = float(np.hypot(*t[:2]) if one.kind is TILT else t[0])
        matters = not one.kind.below < large < one.kind.above
        yield Explanation(one.kind.code, one.where, t, odds, share, bool(odds > CLEAR and matters))


def _stiffness(robot: Robot, inertial: int, norms: Array, torque: float) -> Array:
    """Precision of the parameters, links known to 100 %; friction terms about as large as the torque."""
    bodies = physical_prior(robot).bodies
    bodies = bodies[len(bodies) - inertial // 10 :]
    stiff = np.zeros((inertial + len(norms),) * 2)
    for k, curvature in enumerate(curvatures(bodies)):
        stiff[10 * k : 10 * k + 10, 10 * k : 10 * k + 10] = curvature
    places = np.arange(inertial, len(stiff))
    stiff[places, places] = (np.where(norms > 0, norms, 1.0) / (FRICTION * max(torque, 1e-300))) ** 2
    return stiff

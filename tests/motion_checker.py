"""The independent checker of motions: a Fourier series is sampled 100 times finer than a robot is commanded, and looked at.

    worst = violations(robot, motion, constraints)      {"position joint1": -0.12, "Above flange": 0.003, ...}
    broken(worst)                                       those above zero: by how much a limit is exceeded, in its unit

Nothing here calls bifilar: the series, the chain of rotations, the velocity of a point, the distance of two segments are
written anew, from what a description states (joint poses, axes, mimics, inertias) and in another way than the library has them.

    R_child = R_parent (R_joint (A A') + cos q R_joint (1 - A A') + sin q R_joint [A]x)        Rodrigues, constant matrices
    w_child = w_parent + R_child A v,   o'_child = o'_parent + w_parent x (o_child - o_parent)   (+ R_child A v where it slides)
    distance of two segments: least over the faces of the unit square (inside, four sides) of |d + s u - t w|

Torques are Pinocchio's, on a model built here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

TOLERANCE = 1e-9  # in the limit's unit: rounding, not violation
BLOCK = 4000  # instants looked at together: they fit a processor's cache
Excess = Iterable[tuple[str, float]]


def violations(
    robot: Any,
    motion: Any,
    constraints: Sequence[Any] = (),
    *,
    oversampling: int = 100,
    rate: float = 100.0,
    margin: float = 0.0,
) -> dict[str, float]:
    """By how much each limit is exceeded at worst, in its unit; negative is room.

    `margin`: share of every joint's range that should be left unused. Margins of constraints are not looked at, only limits.
    """
    time, worst, aids = instants(motion, oversampling * rate), Worst(), {}
    with threadpool_limits(1), np.errstate(invalid="ignore"):  # matrices this small are slower on two threads
        for some in np.array_split(time, len(time) // BLOCK + 1):
            q, v, a, jerk = series(motion, some)
            worst.take("", joint_excess(robot, q, v, a, jerk, margin))
            limbs = Limbs(robot, q, v, a, aids)
            for number, constraint in enumerate(constraints):
                worst.take(f"{number} ", CHECKS[type(constraint).__name__](limbs, constraint))
    return worst


class Worst(dict[str, float]):
    """The largest excess of each name; one that is no number stays."""

    def take(self, prefix: str, found: Iterable[tuple[str, float]]) -> None:
        """Another part of the motion."""
        for name, excess in found:
            self[prefix + name] = float(np.maximum(self.get(prefix + name, -np.inf), excess))


def broken(worst: dict[str, float], tolerance: float = TOLERANCE) -> dict[str, float]:
    """What is exceeded by more than rounding; numbers that are none are exceeded too."""
    return {name: excess for name, excess in worst.items() if not excess <= tolerance}


# ---- the series


def instants(motion: Any, rate: float) -> np.ndarray:
    """From the beginning to the end, both included."""
    duration = motion.periods / motion.base_frequency + 2 * motion.fade
    return np.linspace(0.0, duration, int(np.ceil(duration * rate)) + 1)


def series(motion: Any, time: np.ndarray) -> list[np.ndarray]:
    """Position, velocity, acceleration and jerk of a Fourier series, (samples, joints) each."""
    w = 2 * np.pi * motion.base_frequency * np.asarray(motion.harmonics, dtype=float)
    a, b = np.split(np.asarray(motion.coefficients, dtype=float), 2, axis=1)
    complex_sum = (a - 1j * b) / (1j * w)  # q = Re sum c exp(i w t): the velocity is Re (a - i b) exp(i w t)
    turning = np.exp(1j * np.outer(time - motion.fade, w))
    plain = [(turning @ (complex_sum * (1j * w) ** n).T).real for n in range(4)]
    if motion.fade:
        plain = faded(plain, time, motion)
    plain[0] = plain[0] + motion.offset
    return plain


def faded(plain: list[np.ndarray], time: np.ndarray, motion: Any) -> list[np.ndarray]:
    """Derivatives of window times series; the window is the integral of a bump u^3 (1 - u)^3, scaled to end at one."""
    bump = np.polynomial.Polynomial([0, 0, 0, 1]) * np.polynomial.Polynomial([1, -1]) ** 3
    window = bump.integ() / bump.integ()(1.0)
    rising = np.minimum(time, time[-1] - time) / motion.fade
    sign = np.where(time > time[-1] / 2, -1.0, 1.0) / motion.fade
    W = [np.where(rising < 1, window.deriv(n)(rising) * sign**n if n else window(rising), float(n == 0)) for n in range(4)]
    x, dx, ddx, dddx = plain
    W = [row[:, None] for row in W]
    return [
        W[0] * x,
        W[1] * x + W[0] * dx,
        W[2] * x + 2 * W[1] * dx + W[0] * ddx,
        W[3] * x + 3 * W[2] * dx + 3 * W[1] * ddx + W[0] * dddx,
    ]


# ---- joints


def followed(robot: Any, joint: Any) -> tuple[int, float, float]:
    """Coordinate, ratio and offset of a joint."""
    by_name = {other.name: other for other in robot.joints}
    if joint.mimic is None:
        return robot.joint_names.index(joint.name), 1.0, 0.0
    coordinate, ratio, offset = followed(robot, by_name[joint.mimic.joint])
    return coordinate, joint.mimic.ratio * ratio, joint.mimic.ratio * offset + joint.mimic.offset


def joint_excess(robot: Any, q: np.ndarray, v: np.ndarray, a: np.ndarray, jerk: np.ndarray, margin: float) -> Excess:
    """Position, velocity, acceleration and jerk of every joint that moves, followers too."""
    for joint in robot.joints:
        if joint.moves:
            k, ratio, offset = followed(robot, joint)
            limits, angle = joint.limits, ratio * q[:, k] + offset
            unused = margin * (limits.upper - limits.lower) / 2 if np.isfinite(limits.upper - limits.lower) else 0.0
            yield f"position {joint.name}", np.maximum(angle.max() - limits.upper, limits.lower - angle.min()) + unused
            for what, rate in (("velocity", v), ("acceleration", a), ("jerk", jerk)):
                yield f"{what} {joint.name}", np.abs(ratio * rate[:, k]).max() - (1 - margin) * getattr(limits, what)


# ---- where the links are


class Limbs:
    """Poses and velocities of links in the world, each computed when it is first asked for; instants are the last axis."""

    def __init__(self, robot: Any, q: np.ndarray, v: np.ndarray, a: np.ndarray, aids: dict[Any, Any]) -> None:
        self.robot, self.q, self.v, self.a = robot, q, v, a
        self.aids = aids  # kept between the parts of a motion: Pinocchio's models
        self.held = {joint.child: joint for joint in robot.joints}  # by the link it holds
        self.known: dict[Any, Any] = {}

    def link(self, name: str) -> tuple[np.ndarray, ...]:
        """Rotation (3, 3, N), origin (3, N), angular velocity, velocity of the origin."""
        if name not in self.known:
            self.known[name] = self._moved(self.held[name]) if name in self.held else self._ground()
        return self.known[name]

    def _ground(self) -> tuple[np.ndarray, ...]:
        still = np.zeros((3, len(self.q)))
        return np.repeat(np.eye(3)[:, :, None], len(self.q), axis=2), still, still, still

    def _moved(self, joint: Any) -> tuple[np.ndarray, ...]:
        turn, origin, spin, speed = self.link(joint.parent)
        reach = joint.pose.translation @ turn
        here, going = origin + reach, speed + crossed(spin, reach)
        if not joint.moves:
            return joint.pose.rotation.T @ turn, here, spin, going
        k, ratio, offset = followed(self.robot, joint)
        angle, rate = ratio * self.q[:, k] + offset, ratio * self.v[:, k]
        axis = joint.axis / np.sqrt(joint.axis @ joint.axis)
        if joint.kind == "prismatic":
            now = joint.pose.rotation.T @ turn
            along = axis @ now
            slid = angle * along
            return now, here + slid, spin, going + crossed(spin, slid) + rate * along
        x, y, z = axis
        cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        parts = (np.outer(axis, axis), np.eye(3) - np.outer(axis, axis), cross)
        still, swung, crossing = ((joint.pose.rotation @ part).T @ turn for part in parts)
        now = still + np.cos(angle) * swung + np.sin(angle) * crossing
        return now, here, spin + rate * (axis @ now), going

    def point(self, frame: str | None, point: Sequence[float]) -> np.ndarray:
        """A point of a link in the world, (3, N); no link is the world."""
        key = (frame or None, tuple(float(x) for x in point))
        if key not in self.known:
            place = np.array(key[1])
            if frame:
                turn, origin, _, _ = self.link(frame)
                self.known[key] = origin + place @ turn
            else:
                self.known[key] = np.repeat(place[:, None], len(self.q), axis=1)
        return self.known[key]

    def velocity(self, frame: str, point: Sequence[float]) -> np.ndarray:
        """Velocity of a point of a link, (3, N)."""
        turn, _, spin, speed = self.link(frame)
        return speed + crossed(spin, np.array(point, dtype=float) @ turn)


def crossed(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Cross products by components: several times faster than np.cross."""
    (a0, a1, a2), (b0, b1, b2) = a, b
    return np.stack([a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0])


def dot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Of vectors (3, N)."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


# ---- constraints: name and worst excess of each of their limits


def above(limbs: Limbs, constraint: Any) -> Excess:
    """normal . p >= least"""
    height = np.asarray(constraint.normal, dtype=float) @ limbs.point(constraint.frame, constraint.point)
    yield f"above {constraint.frame}", constraint.least - height.min()


def within(limbs: Limbs, constraint: Any) -> Excess:
    """lower <= p <= upper"""
    place = limbs.point(constraint.frame, constraint.point)
    lower, upper = (np.broadcast_to(np.asarray(x, dtype=float), 3) for x in (constraint.lower, constraint.upper))
    yield f"within {constraint.frame}", max((place.max(axis=1) - upper).max(), (lower - place.min(axis=1)).max())


def speed_below(limbs: Limbs, constraint: Any) -> Excess:
    """|p'| <= most"""
    velocity = limbs.velocity(constraint.frame, constraint.point)
    yield f"speed {constraint.frame}", np.sqrt(dot(velocity, velocity).max()) - constraint.most


def torque_within(limbs: Limbs, constraint: Any) -> Excess:
    """|torque| <= effort, whichever way each link's part of it is wrong by a share."""
    robot, state = limbs.robot, (limbs.q, limbs.v, limbs.a)
    who = limbs.aids["torques"] = limbs.aids.get("torques") or Torques(robot)
    torque = np.abs(who.total(*state))
    if constraint.uncertainty:
        torque = torque + constraint.uncertainty * who.sizes(*state)
    for name, most in zip(robot.joint_names, torque.max(axis=0)):
        yield f"torque {name}", most - robot.joint(name).limits.effort


def clearance(limbs: Limbs, constraint: Any) -> Excess:
    """Distance of capsules >= least."""
    worst: dict[str, float] = {}
    for one, other in ([constraint.capsules[k] for k in pair] for pair in constraint.pairs):
        name = f"distance {one.link or 'world'} {other.link or 'world'}"
        worst[name] = max(worst.get(name, -np.inf), constraint.least - closest(limbs, one, other, constraint.least))
    yield from worst.items()


CHECKS = {
    "Above": above,
    "Within": within,
    "SpeedBelow": speed_below,
    "TorqueWithin": torque_within,
    "Clearance": clearance,
}


# ---- torque


class Torques:
    """Pinocchio's torques of a robot that stands, built from its links and joints; friction by its definition."""

    def __init__(self, robot: Any, links: Sequence[str] | None = None) -> None:
        import pinocchio as pin

        assert robot.drivetrain is None, "motors that drive several joints are not written down here"
        self.pin, self.robot, self.model, self.parts = pin, robot, pin.Model(), []
        self.model.gravity.linear = np.array(robot.gravity)
        self.held = {joint.child: joint for joint in robot.joints}
        self.place: dict[str, tuple[int, Any]] = {}
        self.rows: list[tuple[int, float, float]] = []
        for link in robot.links:
            body, at = self._placed(link.name)
            if link.inertia.vector.any() and (links is None or link.name in links):
                self.model.appendBodyToJoint(body, self._inertia(link.inertia), at)
        self.share, self.offset = np.zeros((len(self.rows), len(robot.joint_names))), np.zeros((len(self.rows), 1))
        for k, (coordinate, ratio, offset) in enumerate(self.rows):
            self.share[k, coordinate], self.offset[k] = ratio, offset
        self.pool = pin.ModelPool(self.model, 1)

    def _inertia(self, inertia: Any) -> Any:
        """As Pinocchio has it, about the centre of mass; a link may have moments without a mass."""
        m, h = inertia.mass, inertia.first_moment
        assert m or not h.any(), "a first moment without mass is not written down here"
        c = h / m if m else h
        return self.pin.Inertia(m, c, inertia.rotational - m * (c @ c * np.eye(3) - np.outer(c, c)))

    def _placed(self, name: str) -> tuple[int, Any]:
        """Pinocchio's joint that carries a link, and where on it."""
        pin, joint = self.pin, self.held.get(name)
        if joint is None:
            return 0, pin.SE3.Identity()
        if name not in self.place:
            body, at = self._placed(joint.parent)
            at = at * pin.SE3(np.array(joint.pose.rotation), np.array(joint.pose.translation))
            if joint.moves:
                kind = pin.JointModelPrismaticUnaligned if joint.kind == "prismatic" else pin.JointModelRevoluteUnaligned
                body = self.model.addJoint(body, kind(joint.axis / np.sqrt(joint.axis @ joint.axis)), at, joint.name)
                at = pin.SE3.Identity()
                self.rows.append(followed(self.robot, joint))
            self.place[name] = (body, at)
        return self.place[name]

    def rigid(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        """Of the links alone, (N, joints)."""
        wide = [self.share @ q.T + self.offset, self.share @ v.T, self.share @ a.T]
        torque = self.pin.rneaInParallel(1, self.pool, *(np.asfortranarray(x) for x in wide))
        return torque.reshape(len(self.rows), -1).T @ self.share  # one joint comes as a vector

    def total(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        """Links, rotors and friction."""
        torque = self.rigid(q, v, a)
        for term in self.robot.friction:
            assert term.driven_by is None and not term.asymmetric, "friction of this kind is not written down here"
            for k, name in enumerate(self.robot.joint_names):
                if term.at is None or name in term.at:
                    torque[:, k] += self._drive(term, name) * self._effect(term, v[:, k], a[:, k])
        return torque

    def _drive(self, term: Any, joint: str) -> float:
        return float(self.robot.drive_values[self.robot.drive_columns.names.index(f"{joint}.{term.word}")])

    def _effect(self, term: Any, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        kind = type(term).__name__
        if kind == "Coulomb":
            return v / np.sqrt(v**2 + term.width**2) if term.width else np.sign(v)
        return {"RotorInertia": a, "Viscous": v, "Offset": np.ones_like(v)}[kind]

    def sizes(self, q: np.ndarray, v: np.ndarray, a: np.ndarray, every: int = 10) -> np.ndarray:
        """Sum over links of |their part of the torque|, (N, joints): of each tenth sample, held until the next."""
        some = slice(None, None, every)
        total = np.zeros((len(q[some]), q.shape[1]))
        self.parts = self.parts or [Torques(self.robot, [link.name]) for link in self.robot.links if link.inertia.vector.any()]
        for part in self.parts:
            total += np.abs(part.rigid(q[some], v[some], a[some]))
        return np.repeat(total, every, axis=0)[: len(q)]


# ---- distance


def closest(limbs: Limbs, one: Any, other: Any, least: float, stride: int = 20) -> float:
    """Least distance: of each 20th instant, then of all around those from which the ends might have got below `least`."""
    ends = [limbs.point(c.link, p) for c in (one, other) for p in (c.start, c.end)]
    radii = one.radius + other.radius
    some = segment_distance(*(np.ascontiguousarray(end[:, ::stride]) for end in ends)) - radii
    reach = stride * (longest_step(limbs, one) + longest_step(limbs, other))  # a capsule moves no further than its ends
    near = np.repeat(some - reach < min(least, some.min()), stride)[: ends[0].shape[1]]
    fine = segment_distance(*(end[:, near] for end in ends)) - radii if near.any() else some
    return float(min(some.min(), fine.min()))


def longest_step(limbs: Limbs, capsule: Any) -> float:
    """How far an end moves between two instants at most."""
    key = ("step", id(capsule))
    if key not in limbs.known:
        steps = [np.diff(limbs.point(capsule.link, p)) for p in (capsule.start, capsule.end)] if capsule.link else []
        limbs.known[key] = max((float(np.sqrt(dot(step, step).max())) for step in steps), default=0.0)
    return limbs.known[key]


def segment_distance(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> np.ndarray:
    """Between segments a b and c d, (3, N) each: the least over the inside and the four sides of the square of s and t."""
    u, w, r = b - a, d - c, a - c
    uu, ww, uw, ur, wr = dot(u, u), dot(w, w), dot(u, w), dot(u, r), dot(w, r)
    area = uu * ww - uw**2
    with np.errstate(divide="ignore", invalid="ignore"):
        s, t = (uw * wr - ww * ur) / area, (uu * wr - uw * ur) / area
    inside = (area > 1e-12 * uu * ww) & (s > 0) & (s < 1) & (t > 0) & (t < 1)
    s, t = np.where(inside, s, 0.0), np.where(inside, t, 0.0)  # else a corner, which the sides have anyhow
    gap = r + s * u - t * w
    sides = [point_distance(a, c, w, ww), point_distance(b, c, w, ww), point_distance(c, a, u, uu), point_distance(d, a, u, uu)]
    return np.sqrt(np.minimum.reduce([dot(gap, gap), *sides]))


def point_distance(p: np.ndarray, start: np.ndarray, along: np.ndarray, squared: np.ndarray) -> np.ndarray:
    """Squared distance of points from segments."""
    r = p - start
    share = np.clip(dot(r, along) / np.where(squared > 0, squared, 1.0), 0.0, 1.0)
    gap = r - share * along
    return dot(gap, gap)

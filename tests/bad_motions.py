"""Motions that must not be certified, each made from one that may be, and bad in a single way where that can be.

    bad = bad_motion(number, good, folder)     the kind by number; `good`: robot, motion, constraints, whether torque counts
    bad.attempt()                              must raise; what it returns would be a certificate
    bad.is_bad()                               the independent checker agrees that something is broken

A limit is never moved far: it is put where the good motion goes beyond it for a few milliseconds, or by a thousandth, or only
between the points of a grid on which one would look.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from design_problems import apart
from motion_checker import Limbs, Torques, broken, instants, series, violations

import bifilar as bf

QUANTITIES = ("position", "velocity", "acceleration", "jerk")
FIELDS = ("lower", "upper", "velocity", "acceleration", "jerk", "effort")


@dataclass(frozen=True, eq=False)
class Good:
    """What a certificate is asked for: it exists."""

    robot: bf.Robot
    motion: bf.Fourier
    constraints: tuple[Any, ...]
    torque: bool
    design: Any = None  # where it comes from
    margin: float = 0.0  # of joint limits, with which it was designed

    def certify(self) -> Any:
        """The certificate, or the letter why there is none."""
        return bf.certify(self.robot, self.motion, constraints=self.constraints, torque=self.torque)

    def is_broken(self) -> bool:
        """Whether the independent checker sees something."""
        also = (bf.TorqueWithin(),) if self.torque else ()
        return bool(
            broken(violations(self.robot, self.motion, (*self.constraints, *also), oversampling=1, rate=pace(self.motion)), 0.0)
        )


def pace(motion: bf.Fourier) -> float:
    """Instants per second at which a motion is looked at: 10 kHz, less if it is slow."""
    return min(10_000.0, 80_000 * motion.base_frequency / motion.periods)


@dataclass(frozen=True, eq=False)
class Bad:
    """One thing that must be refused."""

    kind: str
    attempt: Callable[[], Any]
    is_bad: Callable[[], bool]


def of(kind: str, case: Good) -> Bad:
    """A motion that is bad by itself."""
    return Bad(kind, case.certify, case.is_broken)


def with_limit(robot: bf.Robot, name: str, **changes: float) -> bf.Robot:
    """The robot with another limit of one joint."""
    joints = tuple(replace(j, limits=replace(j.limits, **changes)) if j.name == name else j for j in robot.joints)
    return bf.Robot.build(replace(robot.description(), joints=joints), friction=robot.friction, values=drives(robot))


def drives(robot: bf.Robot) -> dict[str, float]:
    """Its coefficients of friction and rotors."""
    return dict(zip(robot.drive_columns.names, robot.drive_values.tolist()))


def for_a_moment(values: np.ndarray, rng: np.random.Generator) -> float:
    """A limit that the largest values exceed: at 10 kHz for one to five milliseconds in all."""
    count = int(rng.integers(10, 50))
    return float(np.partition(values, -count)[-count])


# ---- a single limit of a joint


def scaled(good: Good, rng: np.random.Generator) -> Bad | None:
    """One joint moves more until the limit of speed, acceleration or jerk that it meets first is exceeded by 0.1 to 50 %."""
    j, share = int(rng.integers(len(good.robot.joint_names))), float(np.exp(rng.uniform(np.log(1e-3), np.log(0.5))))
    limits = good.robot.joint(good.robot.joint_names[j]).limits
    largest = [np.abs(rate[:, j]).max() for rate in series(good.motion, instants(good.motion, 10_000))[1:]]
    if min(largest) < 1e-9:
        return None
    room, what = min((getattr(limits, name) / most, name) for name, most in zip(QUANTITIES[1:], largest))
    c = np.array(good.motion.coefficients)
    c[j] *= room * (1 + share)
    motion = replace(good.motion, coefficients=c)
    return of(f"scaled beyond {what}", replace(good, motion=motion, constraints=(), torque=False))


def between(good: Good, rng: np.random.Generator) -> Bad | None:
    """A limit halfway between the largest value on a grid and the largest there is: 100 Hz, or 64 points per highest period."""
    motion, what, j = good.motion, int(rng.integers(4)), int(rng.integers(len(good.robot.joint_names)))
    grid = 100.0 if rng.random() < 0.5 else 64 * max(motion.harmonics) * motion.base_frequency
    duration = motion.periods / motion.base_frequency
    coarse = series(motion, np.arange(int(duration * grid + 0.5)) / grid)[what][:, j]
    fine = series(motion, instants(motion, 20_000))[what][:, j]
    if what:
        coarse, fine = np.abs(coarse), np.abs(fine)
    if not fine.max() > coarse.max() + 1e-8 * max(1.0, np.ptp(fine)):
        return None
    name, middle = good.robot.joint_names[j], float((coarse.max() + fine.max()) / 2)
    field = "upper" if what == 0 else QUANTITIES[what]
    return of(f"{QUANTITIES[what]} between samples", replace(good, robot=with_limit(good.robot, name, **{field: middle})))


def outside(good: Good, rng: np.random.Generator) -> Bad:
    """The same motion about a pose beyond a limit, by a thousandth of the range to half of it."""
    j, share = int(rng.integers(len(good.robot.joint_names))), float(np.exp(rng.uniform(np.log(1e-3), np.log(0.5))))
    limits = good.robot.limits
    offset, room = np.array(good.motion.offset), share * (limits.upper - limits.lower)[j]
    start = series(good.motion, np.zeros(1))[0][0, j] - offset[j]
    offset[j] = (limits.upper[j] + room if rng.random() < 0.5 else limits.lower[j] - room) - start
    return of("start pose outside", replace(good, motion=replace(good.motion, offset=offset)))


# ---- a constraint, for a few milliseconds


def states(good: Good) -> list[np.ndarray]:
    """Position, velocity and acceleration, finely."""
    return series(good.motion, instants(good.motion, pace(good.motion)))[:3]


def low(good: Good, rng: np.random.Generator) -> Bad:
    """A point below a plane."""
    q, v, a = states(good)
    frame, point = good.robot.frame_names[-1], rng.uniform(-0.1, 0.1, 3)
    normal = np.array([0.0, 0.0, 1.0]) if rng.random() < 0.5 else rng.normal(size=3)
    normal /= np.linalg.norm(normal)
    height = normal @ Limbs(good.robot, q, v, a, {}).point(frame, point)
    wall = bf.Above(frame, -for_a_moment(-height, rng), point=point, normal=normal)
    return of("below a plane", replace(good, constraints=(*good.constraints, wall)))


def out_of_box(good: Good, rng: np.random.Generator) -> Bad:
    """A point beyond one side of a box."""
    q, v, a = states(good)
    frame, point, k = good.robot.frame_names[-1], rng.uniform(-0.1, 0.1, 3), int(rng.integers(3))
    place = Limbs(good.robot, q, v, a, {}).point(frame, point)
    lower, upper = place.min(axis=1) - 0.5, place.max(axis=1) + 0.5
    upper[k] = for_a_moment(place[k], rng)
    if not np.ptp(place[k]) > 1e-6:
        upper[k] -= 1e-6
    return of("out of a box", replace(good, constraints=(*good.constraints, bf.Within(frame, lower, upper, point=point))))


def fast(good: Good, rng: np.random.Generator) -> Bad:
    """A point too fast."""
    q, v, a = states(good)
    frame, point = good.robot.frame_names[-1], rng.uniform(-0.1, 0.1, 3)
    velocity = Limbs(good.robot, q, v, a, {}).velocity(frame, point)
    most = for_a_moment(np.linalg.norm(velocity, axis=0), rng)
    return of("a tool too fast", replace(good, constraints=(*good.constraints, bf.SpeedBelow(frame, most, point=point))))


def strong(good: Good, rng: np.random.Generator) -> Bad:
    """A torque that the drive does not have."""
    return _weak(good, rng, "torque beyond its limit")


def held(good: Good, rng: np.random.Generator) -> Bad:
    """The motion ten times slower: what the drive does not have is needed against gravity."""
    return _weak(replace(good, motion=good.motion.slowed(10.0)), rng, "slow motion against gravity")


def _weak(good: Good, rng: np.random.Generator, kind: str) -> Bad:
    j = int(rng.integers(len(good.robot.joint_names)))
    torque = np.abs(Torques(good.robot).total(*states(good)))
    if not torque[:, j].max() > 1e-3:
        j = int(np.argmax(torque.max(axis=0)))
    robot = with_limit(good.robot, good.robot.joint_names[j], effort=for_a_moment(torque[:, j], rng))
    return of(kind, replace(good, robot=robot, torque=True))


def touching(good: Good, rng: np.random.Generator) -> Bad | None:
    """The last capsule closer to an obstacle than allowed."""
    q, v, a = states(good)
    limbs = Limbs(good.robot, q, v, a, {})
    frame = good.robot.frame_names[-1]
    ball = bf.Capsule(frame, [0, 0, 0], rng.uniform(-0.1, 0.1, 3), 0.03)
    far = limbs.point(frame, (0, 0, 0))[:, int(rng.integers(len(q)))] + rng.normal(size=3)
    post = bf.Capsule("", far, far + rng.uniform(-0.5, 0.5, 3), 0.02)
    gap = apart(limbs, ball, post)
    if not np.ptp(gap) > 1e-6:
        return None
    wall = bf.Clearance((ball, post), ((0, 1),), least=-for_a_moment(-gap, rng))
    return of("too close to an obstacle", replace(good, constraints=(*good.constraints, wall)))


# ---- numbers, files, robots


def no_number(good: Good, rng: np.random.Generator) -> Bad:
    """A coefficient, or the offset, that is not a finite number: given, or found in the motion later."""
    value, names = float(rng.choice([np.nan, np.inf, -np.inf])), good.robot.joint_names
    c, offset = np.array(good.motion.coefficients), np.array(good.motion.offset)
    if rng.random() < 0.5:
        c[int(rng.integers(len(names))), int(rng.integers(c.shape[1]))] = value
    else:
        offset[int(rng.integers(len(names)))] = value
    if rng.random() < 0.5:
        return Bad(
            "no number", lambda: replace(good, motion=replace(good.motion, coefficients=c, offset=offset)).certify(), yes
        )
    motion = replace(good.motion)
    object.__setattr__(motion, "coefficients", c)
    object.__setattr__(motion, "offset", offset)
    return of("no number", replace(good, motion=motion))


def yes() -> bool:
    """Bad by construction."""
    return True


def edited(good: Good, rng: np.random.Generator, folder: Path) -> Bad | None:
    """A certified file with one digit changed."""
    file, certificate = saved(good, folder)
    text = file.read_text()
    digits = [match.start() for match in re.finditer(r"\d", text) if not comment(text, match.start())]
    at = digits[int(rng.integers(len(digits)))]
    digit = str((int(text[at]) + int(rng.integers(1, 10))) % 10)
    file.write_text(text[:at] + digit + text[at + 1 :])
    return Bad("file edited", lambda: checked(certificate, good.robot, file), yes)


def of_another(good: Good, rng: np.random.Generator, folder: Path) -> Bad:
    """A certificate shown to another robot: another limit, another mass, other gravity, a frame elsewhere."""
    file, certificate = saved(good, folder)
    name = good.robot.joint_names[int(rng.integers(len(good.robot.joint_names)))]
    field, link = str(rng.choice(FIELDS)), good.robot.body_names[-1]
    value = getattr(good.robot.joint(name).limits, field)
    others = (
        lambda: with_limit(good.robot, name, **{field: 1.001 * value if np.isfinite(value) else 100.0}),
        lambda: good.robot.with_parameters({f"{link}.mass": good.robot.link(link).inertia.mass + 1e-3}),
        lambda: good.robot.with_gravity(good.robot.gravity + [0.01, 0, 0]),
        lambda: bf.Robot.load("two_link" if good.robot.name != "two_link" else "pendulum"),
        lambda: moved(good.robot),
    )
    other = others[int(rng.integers(len(others)))]()
    return Bad("certificate of another robot", lambda: checked(certificate, other, file), yes)


def comment(text: str, at: int) -> bool:
    """Whether a place in a file is in a comment."""
    return text.startswith("#", text.rfind("\n", 0, at) + 1)


def moved(robot: bf.Robot) -> bf.Robot:
    """The last link a millimetre further away; it may be a frame without mass."""
    last = next(joint for joint in robot.joints if joint.child == robot.frame_names[-1])
    pose = bf.Pose(last.pose.rotation, last.pose.translation + [0, 0, 1e-3])
    joints = tuple(replace(joint, pose=pose) if joint is last else joint for joint in robot.joints)
    return bf.Robot.build(replace(robot.description(), joints=joints), friction=robot.friction, values=drives(robot))


def saved(good: Good, folder: Path) -> tuple[Path, Any]:
    """One of the files of the design, which its certificate covers as long as nothing has changed."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "excite.csv"
    good.design.save(file)
    certificate = bf.Certificate.load(folder / "excite.certificate.json")
    certificate.covers(good.robot, file)
    return file, certificate


def checked(certificate: Any, robot: bf.Robot, file: Path) -> Any:
    """Returns if the certificate covers the file."""
    certificate.covers(robot, file)
    return certificate


WITH_FILES = (edited, of_another)
KINDS = (scaled, between, outside, low, out_of_box, fast, strong, held, touching, no_number, *WITH_FILES)


def bad_motion(number: int, good: Good, folder: Path, seed: int = 0) -> Bad | None:
    """The kind by number, its details by seed; None where this motion cannot be bad in this way."""
    rng = np.random.default_rng([number, seed, 7])
    kind = KINDS[number % len(KINDS)]
    return kind(good, rng, folder) if kind in WITH_FILES else kind(good, rng)  # type: ignore[operator]

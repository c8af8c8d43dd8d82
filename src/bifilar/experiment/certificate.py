"""The certificate: what a motion was proven to keep, for which robot, in which files.

Joint limits and walls are proven for every instant (`proof`), then checked again at many instants by kinematics and dynamics
that are not ours (`recheck`) and by a formula of its own for the series. Hashes bind the statement to the robot, its limits,
the motion and the files that hold it; a file is executable only if a certificate covers it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from pathlib import Path as FilePath
from typing import Any, Self

import numpy as np

from bifilar.dynamics.blas import one_blas_thread
from bifilar.dynamics.tree import Array
from bifilar.errors import MotionError
from bifilar.experiment.clearance import Clearance
from bifilar.experiment.compose import SPEEDS
from bifilar.experiment.constraints import Constraint, Wall, walls
from bifilar.experiment.envelope import QUANTITIES, Bounds
from bifilar.experiment.files import load_motion
from bifilar.experiment.fingerprint import described, digest, limits_hash, plain, robot_hash, series_of
from bifilar.experiment.fourier import Fourier
from bifilar.experiment.points import Above, Within
from bifilar.experiment.proof import Path, proven_rooms
from bifilar.experiment.recheck import Recheck
from bifilar.experiment.torque_limits import TorqueWithin
from bifilar.robot.robot import Robot
from bifilar.robot.write_file import write_file

AGREE = 1e-6  # how far the second opinion may be from ours, in the wall's own scale
AT_REST = 1e-9  # share of the largest velocity (acceleration) that counts as rest
CHECKS = 401  # instants of the second opinion at least; not on the grid of the proof
CLOSE = 1e-6  # how far samples in a file may be from the series they stand for (files of others round)
UNITS = {"position": "rad", "velocity": "rad/s", "acceleration": "rad/s^2", "jerk": "rad/s^3"}
FORMAT = "bifilar certificate 1"


@dataclass(frozen=True)
class Margin:
    """Room that is proven to be left, in the unit of the limit.

    >>> Margin("velocity of joint1", 0.1, 2.0, "rad/s").room
    0.1
    """

    name: str
    room: float
    limit: float
    unit: str


@dataclass(frozen=True)
class Run:
    """One speed of the motion: its series and their hash, its margins, and the file that holds it.

    >>> robot = bf.Robot.load("two_link")
    >>> bf.certify(robot, bf.design(robot, duration=5.0).motion).runs[0].speed
    1.0
    """

    speed: float  # share of the full speed
    series: dict[str, Any]  # joint_names, base_frequency, harmonics, periods, coefficients, offset
    series_hash: str
    margins: tuple[Margin, ...]
    instants: int  # at which the second opinion was asked
    disagreement: float  # its largest difference, in the walls' scales
    file: str = ""
    sha256: str = ""

    @property
    def motion(self) -> Fourier:
        """The motion itself.

        >>> robot = bf.Robot.load("two_link")
        >>> bf.certify(robot, bf.design(robot, duration=5.0).motion).runs[0].motion.duration
        5.0
        """
        return Fourier(**self.series)


@dataclass(frozen=True, repr=False)
class Certificate:
    """What holds, for whom. `Certificate.load(file).covers(robot, "excite.csv")` says nothing, or writes a letter.

    >>> robot = bf.Robot.load("two_link")
    >>> certificate = bf.certify(robot, bf.design(robot, duration=5.0).motion)
    >>> certificate.robot == bf.certify(robot, certificate.runs[0].motion).robot
    True
    """

    robot: str  # hash of kinematics, inertias, friction
    limits: str  # hash of joint limits and constraints
    constraints: tuple[dict[str, Any], ...]
    runs: tuple[Run, ...]
    second_opinion: str  # who checked again
    not_checked: tuple[str, ...] = ()  # limits that the robot does not state, or that were not to be kept
    format: str = FORMAT

    def __repr__(self) -> str:
        speeds = ", ".join(f"{100 * run.speed:g} %" for run in self.runs)
        open_ = f", not checked: {', '.join(self.not_checked)}" if self.not_checked else ""
        return f"Certificate({speeds} speed, {len(self.runs[-1].margins)} limits{open_})"

    def run(self, speed: float = 1.0) -> Run:
        """The run at a speed.

        >>> robot = bf.Robot.load("two_link")
        >>> bf.certify(robot, bf.design(robot, duration=5.0).motion).run().speed
        1.0
        """
        for run in self.runs:
            if run.speed == speed:
                return run
        raise MotionError(f"the certificate has no run at {speed!r}", speeds=", ".join(f"{run.speed:g}" for run in self.runs))

    def with_files(self, files: dict[float, str | os.PathLike[str]]) -> Certificate:
        """Bound to files that hold the runs, by their bytes; speed -> path.

        >>> robot = bf.Robot.load("two_link")
        >>> bf.certify(robot, bf.design(robot, duration=5.0).motion).with_files({}).runs[0].file
        ''
        """
        bound = {speed: FilePath(file) for speed, file in files.items()}
        for speed, file in bound.items():
            _holds(file, self.run(speed))
        runs = [
            replace(run, file=bound[run.speed].name, sha256=_bytes_hash(bound[run.speed])) if run.speed in bound else run
            for run in self.runs
        ]
        return replace(self, runs=tuple(runs))

    def with_runs_of(self, path: str | os.PathLike[str]) -> Certificate:
        """With the runs of other files that an earlier certificate at `path` holds, if it is of the same robot and limits.

        >>> robot = bf.Robot.load("two_link")
        >>> len(bf.certify(robot, bf.design(robot, duration=5.0).motion).with_runs_of("nowhere.json").runs)
        1
        """
        try:
            earlier = Certificate.load(path)
        except MotionError:
            return self
        mine = {run.file for run in self.runs}
        same = (earlier.robot, earlier.limits) == (self.robot, self.limits)
        kept = [
            run
            for run in earlier.runs
            if same and run.file and run.file not in mine and run.series in [r.series for r in self.runs]
        ]
        return replace(self, runs=(*self.runs, *kept))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it as JSON.

        >>> import pathlib, tempfile
        >>> robot, file = bf.Robot.load("two_link"), pathlib.Path(tempfile.mkdtemp(), "move.certificate.json")
        >>> bf.certify(robot, bf.design(robot, duration=5.0).motion).save(file)
        >>> bf.Certificate.load(file).runs[0].speed
        1.0
        """
        content = asdict(self)
        text = json.dumps(content | {"digest": digest(content)}, indent=1, default=plain)
        write_file(path, (text + "\n").encode())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read one that was saved.

        >>> bf.Certificate.load("nowhere.json")
        Traceback (most recent call last):
        bifilar.errors.MotionError: the certificate cannot be read: ...
        """
        try:
            data = json.loads(FilePath(path).read_text(encoding="utf-8"))
            if not isinstance(data, dict) or data.get("format") != FORMAT:
                raise ValueError("it is none, or of another version of bifilar")
            if data.pop("digest", "") != digest(data):
                raise ValueError("it was changed after it was written")
            runs = tuple(Run(**run | {"margins": tuple(Margin(**m) for m in run["margins"])}) for run in data.pop("runs"))
            lists: dict[str, Any] = {name: tuple(data.pop(name)) for name in ("constraints", "not_checked")}
            return cls(runs=runs, **lists, **data)
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            reason = getattr(error, "strerror", None) or error
            remedy = "certify the motion again"
            raise MotionError(f"the certificate cannot be read: {reason}", where=os.fspath(path), remedy=remedy) from None

    def covers(self, robot: Robot, file: str | os.PathLike[str]) -> Run:
        """The run that a file holds, if file, robot and limits are still those that were certified; else a letter.

        >>> robot = bf.Robot.load("two_link")
        >>> bf.certify(robot, bf.design(robot, duration=5.0).motion).covers(robot, "other.csv")
        Traceback (most recent call last):
        bifilar.errors.MotionError: the certificate does not cover other.csv
        ...
        """
        where, name = os.fspath(file), FilePath(file).name
        run = next((run for run in self.runs if run.file == name), None)
        if run is None:
            files = ", ".join(run.file for run in self.runs if run.file) or "none"
            raise MotionError(f"the certificate does not cover {name}", where=where, files=files)
        again = "design or certify the motion again"
        if run.series_hash != digest(run.series) or any(not margin.room >= 0 for margin in run.margins):
            raise MotionError(f"the certificate of {name} contradicts itself", where=where, remedy=again)
        if _bytes_hash(FilePath(file)) != run.sha256:
            raise MotionError(f"{name} was changed after it was certified", where=where, remedy=again)
        if robot_hash(robot) != self.robot:
            raise MotionError(
                f"{name} was certified for another robot", where=where, likely="other masses or links", remedy=again
            )
        if limits_hash(robot, self.constraints) != self.limits:
            raise MotionError(
                f"{name} was certified for other limits", where=where, likely="a changed limits file", remedy=again
            )
        return run


def certificate_of(file: str | os.PathLike[str]) -> Certificate | None:
    """The certificate beside a file that names it, or None.

    >>> certificate_of("nowhere/move.csv") is None
    True
    """
    path = FilePath(file)
    stem = path.stem
    for candidate in (stem, stem.rpartition("_")[0]):
        beside = path.with_name(f"{candidate}.certificate.json")
        if candidate and beside.exists():
            certificate = Certificate.load(beside)
            if any(run.file == path.name for run in certificate.runs):
                return certificate
    return None


def certify(
    robot: Robot,
    motion: Fourier,
    *,
    constraints: Sequence[Constraint] = (),
    torque: bool = True,
    speeds: Sequence[float] = (1.0,),
) -> Certificate:
    """Prove that a motion, at all these speeds, keeps the robot's limits and the constraints at every instant; else a letter.

    `torque`: the effort limits too, where the robot states any.

    >>> robot = bf.Robot.load("two_link")
    >>> bf.certify(robot, bf.design(robot, duration=5.0).motion, speeds=(0.1, 1.0)).runs[1].speed
    1.0
    """
    if not isinstance(motion, Fourier):
        raise MotionError(f"limits of a {type(motion).__name__} are not proven", remedy="a Fourier series: bf.refit gives one")
    if not speeds or not all(0 < speed <= 1 for speed in speeds):
        raise MotionError(f"the speeds are {tuple(speeds)}", remedy="shares of the full speed, above 0 and up to 1")
    if not np.isfinite(motion.coefficients).all() or not np.isfinite(motion.offset).all():
        raise MotionError("the motion holds numbers that are not finite")
    if tuple(motion.joint_names) != robot.joint_names:
        facts = {"motion": ", ".join(motion.joint_names), "robot": ", ".join(robot.joint_names)}
        raise MotionError("the motion is of other joints than the robot's", **facts)
    constraints = with_torque(robot, [constraint.without_margin() for constraint in constraints], torque)
    bounds, put_up, second = Bounds.of(robot, margin=0.0), walls(robot, constraints), Recheck(robot)
    with one_blas_thread():
        runs = tuple(_run(robot, motion, speed, bounds, put_up, second) for speed in speeds)
    stated = tuple(described(constraint) for constraint in constraints)
    return Certificate(robot_hash(robot), limits_hash(robot, stated), stated, runs, _name(), _not_checked(robot, constraints))


def with_torque(robot: Robot, constraints: Iterable[Constraint], torque: bool, margin: float = 0.0) -> list[Constraint]:
    """The constraints, and torque limits with them unless there are such already or the robot states none.

    >>> [type(constraint).__name__ for constraint in with_torque(bf.Robot.load("panda"), [], True)]
    ['TorqueWithin']
    """
    given = list(constraints)
    if torque and np.isfinite(robot.limits.effort).any() and not any(isinstance(c, TorqueWithin) for c in given):
        given.append(TorqueWithin(margin=margin))
    return given


def _run(robot: Robot, motion: Fourier, speed: float, bounds: Bounds, put_up: Sequence[Wall], second: Recheck) -> Run:
    series = motion if speed == 1 else motion.slowed(1 / speed)
    path, told = Path(series), f" at {100 * speed:g} % speed" * (speed != 1)
    _at_rest(path, told)
    margins, low, high = [], *path.ranges()
    for k, what in enumerate(QUANTITIES):
        for j, joint in enumerate(robot.joint_names):
            for limit, room in (
                (bounds.lower[k, j], low[k, j] - bounds.lower[k, j]),
                (bounds.upper[k, j], bounds.upper[k, j] - high[k, j]),
            ):
                if np.isfinite(limit):
                    unit = UNITS[what].replace("rad", "m") if joint in robot.sliding else UNITS[what]
                    margins.append(Margin(f"{what} of {joint}", float(room), float(limit), unit))
    for wall in put_up:
        rooms = proven_rooms(robot, wall, path)
        margins += [Margin(w.name, float(room), w.limit, w.unit) for w, room in zip(wall.watched, rooms, strict=True)]
    _all_kept(margins, told)
    count, disagreement = _ask_again(series, bounds, put_up, second, told)
    told_of = series_of(series)
    return Run(speed, told_of, digest(told_of), tuple(margins), count, disagreement)


def _all_kept(margins: Sequence[Margin], told: str) -> None:
    broken = sorted((m for m in margins if not m.room >= 0), key=lambda m: m.room / max(abs(m.limit), 1e-9))
    if broken:
        worst = broken[0]
        what = f"the motion{told} breaks '{worst.name}', or it cannot be proven that it does not"
        facts = {"limit": f"{worst.limit:.6g} {worst.unit}", "room": f"{worst.room:.3g} {worst.unit}"}
        others = {"others": ", ".join(dict.fromkeys(m.name for m in broken[1:6]))} if len(broken) > 1 else {}
        remedy = "a smaller motion; " + (
            "it cannot be held there" if "at rest" in worst.name else "or a slower one, or design one"
        )
        raise MotionError(what, remedy=remedy, **facts, **others)


def _at_rest(path: Path, told: str) -> None:
    _, v, a, _ = path.derivatives(np.zeros(1))[:, 0]
    for what, value, largest in (("velocity", v, path.largest[1]), ("acceleration", a, path.largest[2])):
        j = int(np.argmax(np.abs(value) - AT_REST * largest))
        if abs(value[j]) > AT_REST * largest[j] + 1e-12:
            raise MotionError(
                f"the motion{told} does not begin and end at rest: {what} of {path.motion.joint_names[j]} is {value[j]:.3g}",
                remedy="coefficients from bf.rest_basis, or design one",
            )


def _ask_again(series: Fourier, bounds: Bounds, put_up: Sequence[Wall], second: Recheck, told: str) -> tuple[int, float]:
    """Instants that are not on the grid of the proof, the series by its complex form, kinematics and dynamics by MuJoCo."""
    count = max(CHECKS, 8 * max(series.harmonics) + 1)
    state = _complex_series(series, np.arange(count) / count)
    for k, what in enumerate(QUANTITIES):
        out = np.maximum(bounds.lower[k] - state[k], state[k] - bounds.upper[k]).max(axis=0)
        if np.any(out > 1e-9):
            raise MotionError(
                f"a second check of the motion{told} finds the {what} limit of {series.joint_names[int(out.argmax())]} broken"
            )
    worst = 0.0
    for wall in put_up:
        ours, theirs = wall.rooms(*state[:3]), wall.second_opinion(second, *state[:3])
        worst = max(worst, float(np.abs((ours - theirs) / wall.scales).max()))
        if worst > AGREE or (theirs / wall.scales).min() < -AGREE:
            k = int(np.argmax(np.abs(ours - theirs).max(axis=0)))
            what = f"a second check of '{wall.watched[k].name}' disagrees with the first by {worst:.2g}"
            raise MotionError(what, likely="a fault in bifilar: please report it")
    return count, worst


def _complex_series(series: Fourier, phase: Array) -> Array:
    """Position and three derivatives at phases of a period, from q = q0 + Re sum c_k exp(2 pi i k phase)."""
    a, b = np.split(series.coefficients, 2, axis=1)
    rate = 2j * np.pi * series.base_frequency * np.array(series.harmonics)
    turning = np.exp(2j * np.pi * np.outer(phase, series.harmonics))
    velocity = (a - 1j * b).T
    values = np.array([(turning @ (rate[:, None] ** (n - 1) * velocity)).real for n in range(4)])
    values[0] += series.offset
    return values


def _not_checked(robot: Robot, constraints: Sequence[Constraint]) -> tuple[str, ...]:
    limits, torque = robot.limits, any(isinstance(constraint, TorqueWithin) for constraint in constraints)
    effort = limits.effort if torque else np.full(len(limits.effort), np.inf)
    pairs = (("acceleration", limits.acceleration), ("jerk", limits.jerk), ("effort", effort))
    spaces = (("floor", (Above, Within)), ("self-collision and obstacles", (Clearance,)))
    open_ = [f"{what} (no such constraint)" for what, kinds in spaces if not any(isinstance(c, kinds) for c in constraints)]
    followers = [
        f"effort of {joint.name}" for joint in robot.joints if joint.mimic and joint.moves and np.isfinite(joint.limits.effort)
    ]
    return tuple(
        f"{what} of {joint}" for what, most in pairs for joint, x in zip(robot.joint_names, most) if not np.isfinite(x)
    ) + tuple(followers + open_)


def _bytes_hash(file: FilePath) -> str:
    try:
        return sha256(file.read_bytes()).hexdigest()
    except OSError as error:
        raise MotionError(f"the file cannot be read: {error.strerror}", where=os.fspath(file)) from None


def _holds(file: FilePath, run: Run) -> None:
    """Refuse a file whose samples are not those of the run; a trajectory for ROS is written by ourselves and not read back."""
    if file.suffix in (".yaml", ".yml"):
        return
    read, motion = load_motion(file, joint_names=run.series["joint_names"]), run.motion
    ours = motion.at(read.time)
    if (
        abs(read.time[0]) > CLOSE
        or abs(read.time[-1] - motion.duration) > 0.5
        or not np.allclose(read.position, ours.position, atol=CLOSE)
    ):
        raise MotionError(f"{file.name} does not hold the motion that was certified", where=os.fspath(file))


def _name() -> str:
    from importlib.metadata import version

    return f"MuJoCo {version('mujoco')}"


LADDER = SPEEDS

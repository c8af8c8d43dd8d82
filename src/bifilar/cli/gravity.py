"""`bifilar gravity ROBOT LOG ...`: the gravity model of an arm from held poses, sweeps or slow motion."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from tyro.conf import arg

from bifilar.cli.design_files import may_be_written
from bifilar.cli.design_words import robot_of
from bifilar.cli.friction_words import GIVEN_WORDS, beside, friction_of
from bifilar.cli.guard import UsageError
from bifilar.cli.letter import counted, json_text
from bifilar.cli.log_checks import OF_MOTION, as_decided, looked_at
from bifilar.cli.log_words import log_of, one_log, page_of
from bifilar.cli.one_unit import refuse_two_units
from bifilar.cli.options import Anyway, Gains, Logs, MotionSettings, PageOutput, RobotFile
from bifilar.cli.output import Column, complete_table, next_step, show, typed_command, words
from bifilar.cli.progress import steps
from bifilar.cli.typed_log import log_options
from bifilar.dynamics.tree import Array
from bifilar.estimate.gravity import GravityEstimate, identify_gravity
from bifilar.recording.prepare import prepare
from bifilar.recording.recording import Recording
from bifilar.recording.samples import Samples
from bifilar.recording.static_poses import StaticPoses
from bifilar.robot.friction import Coulomb, Offset, RotorInertia, Viscous
from bifilar.robot.friction_text import friction_text
from bifilar.robot.robot import Robot

SUMMARY = """The gravity torque of an arm, two numbers per joint, from held poses, single-joint sweeps or slow motion.

Every third part of the log's time is left out of a first fit and predicted by it."""
EXAMPLES = """\
  bifilar gravity arm.urdf poses.csv                         the poses that the log holds, found by themselves
  bifilar gravity arm.urdf sweep1.csv sweep2.csv --moving    slow sweeps; friction is fitted beside gravity
  bifilar gravity arm.urdf poses.csv -o gravity.html         with a page
"""
FEW = "note     the logs hold still in {count} only: --moving takes all of their motion"
PARTS = 9  # of every log's time; every third is predicted by the others
METHODS = {"description": "with description", "all": "all at once", "recursive": "recursive"}
STANDS = 0.02  # [rad/s] a joint that is slower is held by stiction as much as by its motor: its torque is left out
MOVING = Viscous() + Coulomb(width=STANDS) + Offset() + RotorInertia()  # a joint that is held has no sign of velocity
FRICTION = beside(f"fitted beside gravity; offset if left out, {friction_text(MOVING)} for moving logs")


@dataclass(frozen=True, kw_only=True)
class Settings(MotionSettings, PageOutput):
    """Which arm, which logs, and how they are taken.

    >>> Settings(robot="arm.urdf", logs=("poses.csv",)).moving
    False
    """

    robot: RobotFile
    logs: Logs
    moving: Annotated[bool, arg(help_behavior_hint="")] = False  # take all of the motion, not only poses that are held
    friction: Annotated[str | None, arg(metavar="TERMS", help=FRICTION, help_behavior_hint=""), GIVEN_WORDS] = None
    nominal: Gains = ()
    method: Literal["description", "all", "recursive"] = "description"
    """all torques, near the description where they hardly tell; all torques alone; or joint by joint from the tip"""
    anyway: Anyway = False


def run(settings: Settings) -> int:
    """Identify; 1 if numbers that act on some joint were not seen.

    >>> run(Settings(robot="panda", logs=("nowhere.csv",)))
    Traceback (most recent call last):
    ...
    bifilar.errors.RecordingError: ...
    """
    if not settings.logs:
        raise UsageError("usage.no_log/gravity", robot=settings.robot)
    page = None if settings.output is None else page_of(settings.output)
    if page is not None:
        may_be_written([page], force=settings.force)
    robot = robot_of(settings.robot)
    nominal = nominal_of(settings.nominal, robot)
    given = friction_of(settings.friction, robot, width=STANDS) if settings.friction else None
    friction = given if given is not None else MOVING if settings.moving else Offset()
    with steps(len(settings.logs) + 1) as tell:
        logs, odd = _logs(settings, robot, tell)
        data = _data(settings, logs)
        tell("fitting")
        method: Any = METHODS[settings.method if _has_masses(robot) or settings.method != "description" else "all"]
        found = identify_gravity(robot, data, friction=friction, method=method)
        first = _first(robot, data, friction, len(settings.logs), "all at once" if method == "recursive" else method)
        ahead = None if first is None else tuple(x / nominal for x in _ahead(robot, *first))
    if page is not None:
        _page(settings, robot, found, data, first, ahead, page)
    if settings.json:
        sys.stdout.write(json_text(_facts(settings, found, ahead, page) | {"findings": odd}))
    else:
        _show(settings, found, ahead, odd, page, len(data))
    return 0 if found.status.ok or found.status.cause != "poses" else 1


def nominal_of(given: tuple[float, ...], robot: Robot) -> Array:
    """Gains that were stated, or ones.

    >>> nominal_of((), bf.Robot.load("two_link"))
    array([1., 1.])
    """
    if given and len(given) != len(robot.joint_names):
        raise UsageError(
            "usage.value/gravity",
            joints=robot.joint_names,
            given_count=len(given),
            name=robot.name,
            joint_name_count=len(robot.joint_names),
        )
    if not np.all(np.isfinite(given)) or 0.0 in given:
        raise UsageError("usage.value/nominal_of")
    return np.array(given or [1.0] * len(robot.joint_names))


def _unit(settings: Settings) -> str:
    return "A" if settings.nominal else "N m"


def _has_masses(robot: Robot) -> bool:
    """Whether there is a description to draw numbers to."""
    return bool(np.any(robot.body_parameters[1:, :4]))


def _data(settings: Settings, logs: list[Recording]) -> Any:
    """Held poses of all logs together, or all of their motion as arrays."""
    parts: list[Any] = [
        prepare(log, kinematics=settings.kinematics) if settings.moving else StaticPoses.of(log) for log in logs
    ]
    if not settings.moving:
        whole = parts[0]
        for part in parts[1:]:
            whole = whole + part
        return whole
    assert all(isinstance(part, Samples) for part in parts)
    q, v, a, tau = (np.vstack([getattr(p, w) for p in parts]) for w in ("position", "velocity", "acceleration", "torque"))
    return q, v, a, np.where(np.abs(v) > STANDS, tau, np.nan)


def _logs(settings: Settings, robot: Robot, tell: Any) -> tuple[list[Recording], list[str]]:
    """The logs, joints in the robot's order, and what is odd about them; refused if checks find errors in them."""
    logs = []
    for name in settings.logs:
        tell("reading")
        logs.append((name, log_of(one_log(settings, name)).read(robot).joints(robot.joint_names)))
    refuse_two_units(settings.unit, logs)
    odd = looked_at(logs, robot, anyway=settings.anyway, without=() if settings.moving else OF_MOTION)
    whole, more = as_decided(robot, [log for _, log in logs]) if settings.moving else ([log for _, log in logs], [])
    return whole, [*odd, *more]


def _split(data: Any, logs: int) -> tuple[Any, Any, Array]:
    """Two thirds to fit, one third to predict, and where the third is."""
    count = len(data) if isinstance(data, StaticPoses) else len(data[0])
    left_out = (np.arange(count) * PARTS * logs // max(count, 1)) % 3 == 2
    if isinstance(data, StaticPoses):
        return data[~left_out], data[left_out], left_out
    return tuple(x[~left_out] for x in data), tuple(x[left_out] for x in data), left_out


def _first(robot: Robot, data: Any, friction: Any, logs: int, method: Any) -> tuple[GravityEstimate, Any] | None:
    """A fit to two thirds of the data, and the third that it did not see; nothing where that is too little."""
    from bifilar.errors import SolveError

    fitted, rest, left_out = _split(data, logs)
    if not left_out.any():
        return None
    try:
        return identify_gravity(robot, fitted, friction=friction, method=method), rest
    except SolveError:
        return None


def _ahead(robot: Robot, found: GravityEstimate, rest: Any) -> tuple[Array, Array, Array]:
    """Root mean square per joint of torque, of what the description leaves and of what the model leaves, predicted."""
    position, torque = _held(robot, found, rest)
    left = torque, torque - robot.gravity_torque(position), torque - found.torque(position)
    count = np.maximum(np.isfinite(torque).sum(axis=0), 1)
    size = [np.sqrt(np.nansum(x**2, axis=0) / count) for x in left]
    return size[0], size[1], size[2]


def _held(robot: Robot, found: GravityEstimate, data: Any) -> tuple[Array, Array]:
    """Positions, and torque without friction and offset."""
    if isinstance(data, StaticPoses):
        q, v, a, tau = data.position, data.approach, np.zeros_like(data.position), data.torque
    else:
        q, v, a, tau = data
    columns = found.model.arm.drive_columns.columns
    if columns.count and len(q):
        f = columns.values(v, a, np.nan_to_num(tau), q)
        tau = tau - (f * found.friction_values) @ columns.effect
    return q, tau


def _page(settings: Settings, robot: Robot, found: GravityEstimate, data: Any, first: Any, ahead: Any, page: Path) -> None:
    from bifilar.report.gravity_page import gravity_page
    from bifilar.report.sweep_figures import sweep_plots

    model, shown = (found, data) if first is None else first
    position, torque = _held(robot, model, shown)
    per, unit = nominal_of(settings.nominal, robot), _unit(settings)
    every, whole = _held(robot, found, data)
    sweeps = sweep_plots(robot.joint_names, every, whole / per, lambda q: found.torque(q) / per, unit=unit)
    more: dict[str, Any] = {"by": None if first is None else model, "sweeps": sweeps, "per": per, "unit": unit}
    title, errors = f"Gravity of {robot.name}", _rows(found, ahead, unit)
    gravity_page(found, position, torque, robot.gravity_torque(position), title=title, errors=errors, **more).save(page)


def _rows(found: GravityEstimate, ahead: Any, unit: str) -> list[list[str]]:
    if ahead is None:
        return []
    rows = [[name, *(f"{x[j]:.3g}" for x in ahead)] for j, name in enumerate(found.model.arm.joint_names)]
    return [
        ["joint", f"{'current' if unit == 'A' else 'torque'} [{unit}]", "description leaves", "gravity model leaves"],
        *rows,
    ]


def _facts(settings: Settings, found: GravityEstimate, ahead: Any, page: Path | None) -> dict[str, Any]:
    names = ("torque", "description", "model")
    return {
        "robot": settings.robot,
        "logs": list(settings.logs),
        "names": list(found.model.names),
        "values": found.model.values.tolist(),
        "deviations": found.model.deviations.tolist(),
        "seen": found.seen.tolist(),
        "method": found.method,
        "description_off_by": found.share,
        "friction": dict(zip(found.friction_names, found.friction_values.tolist(), strict=True)),
        "status": found.status.data(),
        "unit": _unit(settings),
        "predicted": None if ahead is None else {name: x.tolist() for name, x in zip(names, ahead, strict=True)},
        "page": None if page is None else str(page),
    }


def _show(settings: Settings, found: GravityEstimate, ahead: Any, odd: list[str], page: Path | None, poses: int) -> None:
    few = not settings.moving and not found.status.ok and poses < len(found.model.names)
    again_by = ["--moving"] if settings.moving or few else []
    again_by += ["--friction", settings.friction] if settings.friction else []
    again_by += ["--method", settings.method] if settings.method != "description" else []
    again_by += ["--nominal", *(f"{gain:g}" for gain in settings.nominal)] if settings.nominal else []
    typed = (*settings.logs, *log_options(settings, *settings.logs), *again_by)
    again = ("gravity", settings.robot, *typed, "-o", "gravity.html")
    after = again if page is None or few else ("inspect", settings.robot)
    rows = _rows(found, ahead, _unit(settings))
    table = complete_table([Column(rows[0][0], "name"), *(Column(x, "number") for x in rows[0][1:])], rows[1:]) if rows else []
    show(
        [
            *map(words, [*found.summary().splitlines(), *odd]),
            *([words(""), words("parts of the log that a first fit did not use, root mean square")] if rows else []),
            *table,
            *([words(FEW.format(count=counted(poses, "pose")))] if few else []),
            *([words(f"look     {page}")] if page is not None else []),
            next_step(typed_command("bifilar", *after)),
        ]
    )

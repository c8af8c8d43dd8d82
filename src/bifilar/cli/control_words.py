"""Words of `bifilar control` as what they mean: where the tool or the joints should go, a push, the controller's model.

circle:-0.4,0,0.6:0.12:yz         centre, radius [m], plane (xy, yz or zx; yz if left out)
line:0.4,-0.1,0.5:0.4,0.1,0.5     from, to
path.toml                         kind = "circle", "line" or "poses", and its numbers
move.csv                          a motion of the joints, as 'bifilar design' writes it
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from bifilar.cli.design_words import assigned, motion_of, number, robot_of, three
from bifilar.cli.guard import UsageError
from bifilar.control.cartesian_path import CartesianPath, Circle, Line
from bifilar.control.pose_path import PosePath
from bifilar.dynamics.tree import Array
from bifilar.errors import MotionError, RobotError
from bifilar.experiment.trajectory import Motion
from bifilar.formats import PATH, toml_table
from bifilar.robot.description import Pose
from bifilar.robot.model import Model
from bifilar.robot.robot import Robot
from bifilar.robot.table import suggestion, toml_place
from bifilar.simulate.pushes import JointPush

CIRCLE, LINE, PUSH = "circle:-0.4,0,0.6:0.12:yz", "line:0.4,-0.1,0.5:0.4,0.1,0.5", "joint4=20:1,1.6"
TOML = 'kind = "circle"; center = [-0.4, 0.0, 0.6]; radius = 0.12; plane = "yz"'
MOST = 1 << 20  # [bytes] of a path's file
KEYS = {
    "circle": ("center", "radius", "plane", "turns"),
    "line": ("start", "stop", "turns"),
    "poses": ("points", "quaternions"),
}
NEEDED = {"circle": ("center", "radius"), "line": ("start", "stop"), "poses": ("points",)}


def reference_of(word: str) -> CartesianPath | Motion:
    """A path in space, or a motion of the joints.

    >>> reference_of("circle:-0.4,0,0.6:0.12:yz").radius
    0.12
    """
    if word.startswith(("circle:", "line:")) and not os.path.exists(word):
        return _spoken(word)
    if word.lower().endswith(".toml"):
        return _from_toml(word)
    if word in KEYS and not os.path.exists(word):
        remedy = f"{CIRCLE} or {LINE}" if word != "poses" else "a .toml file with kind, points and perhaps quaternions"
        raise UsageError(f"'{word}' alone says no place", code="path.form", remedy=remedy)
    kind = word.partition(":")[0]
    if len(kind) > 1 and ":" in word and not os.path.exists(word):  # one letter before a colon is a drive
        raise UsageError(
            f"there is no path '{kind}'",
            code="path.unknown",
            likely=suggestion(kind, ("circle", "line")),
            remedy=f"{CIRCLE} or {LINE}",
        )
    return motion_of(word)


def _spoken(word: str) -> CartesianPath:
    kind, *parts = word.split(":")
    if kind == "line":
        if len(parts) != 2:
            raise UsageError(f"'{word}' is not line:FROM:TO", code="path.form", remedy=LINE)
        return Line(_point("line", parts[0], LINE), _point("line", parts[1], LINE))
    if len(parts) not in (2, 3):
        raise UsageError(f"'{word}' is not circle:CENTRE:RADIUS or circle:CENTRE:RADIUS:PLANE", code="path.form", remedy=CIRCLE)
    plane = parts[2] if len(parts) == 3 else "yz"
    return Circle(_point("circle", parts[0], CIRCLE), number("circle", parts[1], CIRCLE), plane=plane)


def _point(option: str, text: str, example: str) -> Array:
    point = np.array(three(option, text, example))
    if not np.isfinite(point).all():
        raise UsageError(f"{option}: '{text}' is not x,y,z", code="usage.value", remedy=example)
    return point


def _from_toml(file: str) -> CartesianPath:
    table = PATH.unstamped(_table(file), file)
    kind = table.pop("kind", None)
    if kind not in KEYS:
        what = "the file does not say what kind of path it is" if kind is None else f"there is no path '{kind}'"
        raise MotionError(what, code="path.unknown", where=file, kinds=", ".join(KEYS), remedy=f"such as: {TOML}")
    strange = [key for key in table if key not in KEYS[kind]]
    missing = [key for key in NEEDED[kind] if key not in table]
    if strange or missing:
        what = f"a {kind} has no '{strange[0]}'" if strange else f"the {kind} has no '{missing[0]}'"
        raise MotionError(what, code="path.key", where=file, keys=", ".join(KEYS[kind]), remedy="write these, each once")
    try:
        if kind == "poses":
            return _poses(table)
        return (Circle if kind == "circle" else Line)(**table)  # type: ignore[no-any-return]
    except (TypeError, ValueError) as error:
        raise MotionError(
            f"the {kind} cannot be read: {error}", code="path.unreadable", where=file, remedy="numbers, and lists of three"
        ) from None


def _poses(table: dict[str, Any]) -> PosePath:
    points = [np.asarray(point, dtype=float) for point in table["points"]]
    turns = [np.asarray(turn, dtype=float) for turn in table.get("quaternions", ())]
    if not turns:
        return PosePath(points)
    if len(turns) != len(points) or any(turn.shape != (4,) or not np.linalg.norm(turn) > 0 for turn in turns):
        raise ValueError("quaternions are x, y, z, w, one for every point")
    return PosePath([Pose(rotation=_rotation(turn), translation=point) for point, turn in zip(points, turns, strict=True)])


def _rotation(quaternion: Array) -> Array:
    x, y, z, w = quaternion / np.linalg.norm(quaternion)
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.asarray(np.eye(3) + 2 * w * cross + 2 * cross @ cross)


def _table(file: str) -> dict[str, Any]:
    import tomllib

    try:
        with open(file, "rb") as stream:
            data = stream.read(MOST + 1)
        if len(data) > MOST:
            raise MotionError(
                "this is no path: the file is too large", code="file.too_large", where=file, remedy=f"such as: {TOML}"
            )
        return toml_table(data.decode("utf-8-sig"))
    except OSError as error:
        raise MotionError(
            f"the path cannot be read: {error.strerror}", code="file.unreadable", where=file, remedy="check the name"
        ) from None
    except UnicodeDecodeError:
        raise MotionError("this is no text", code="file.not_text", where=file, remedy=f"such as: {TOML}") from None
    except tomllib.TOMLDecodeError as error:
        what, _, _ = toml_place(error)
        raise MotionError(f"this is not TOML: {what}", code="toml.invalid", where=file, remedy=f"such as: {TOML}") from None


def push_of(word: str, robot: Robot, duration: float) -> JointPush:
    """JOINT=TORQUE, or JOINT=TORQUE:FROM,TO; from a quarter of the motion to two fifths if it does not say.

    >>> push_of("joint1=5", Robot.load("pendulum"), 2.0)
    JointPush(joint='joint1', torque=5.0, start=0.5, stop=0.8)
    """
    joint, value = assigned("--push", word, PUSH)
    if joint not in robot.joint_names:
        raise UsageError(f"--push: there is no joint '{joint}'", code="joint.unknown", joints=", ".join(robot.joint_names))
    torque, _, span = value.partition(":")
    if not span:
        return JointPush(joint=joint, torque=number("--push", torque, PUSH), start=0.25 * duration, stop=0.4 * duration)
    ends = span.split(",")
    if len(ends) != 2:
        raise UsageError(f"--push: '{span}' is not FROM,TO", code="usage.value", remedy=f"--push {PUSH}")
    start, stop = (number("--push", end, PUSH) for end in ends)
    if not 0 <= start < stop < duration:
        raise UsageError(
            f"--push from {start:g} s to {stop:g} s of a motion of {duration:g} s", code="usage.value", remedy=f"--push {PUSH}"
        )
    return JointPush(joint=joint, torque=number("--push", torque, PUSH), start=start, stop=stop)


def model_of(source: str, robot: Robot) -> Model:
    """What the controller believes: a run's estimate, or a robot's file; its joints are the robot's.

    >>> model_of("two_link", Robot.load("pendulum"))
    Traceback (most recent call last):
    ...
    bifilar.errors.RobotError: the model has other joints than the robot
    ...
    """
    from bifilar.cli.exchanged import is_run

    model: Model
    if is_run(source):
        from bifilar.estimate.saved import load_estimate
        from bifilar.export.run_reader import at_once

        model = at_once(source, lambda: load_estimate(Path(source))).model
    else:
        model = robot_of(source)
    if model.joint_names != robot.joint_names:
        facts = {"model": ", ".join(model.joint_names), "robot": ", ".join(robot.joint_names)}
        raise RobotError(
            "the model has other joints than the robot",
            code="model.other_joints",
            where=source,
            remedy="name a run of this robot",
            **facts,
        )
    return model


def lacking(robot: Robot, model: Model, share: float) -> list[str]:
    """Joints at which a controller with this model would compensate more than twice the friction that the robot has.

    >>> arm = Robot.load("pendulum")
    >>> rubbing = arm.with_friction(bf.Viscous(), {"joint1.viscous": 0.5})
    >>> lacking(arm, rubbing, 1.0), lacking(rubbing, arm, 1.0), lacking(rubbing, rubbing, 1.0)
    (['joint1'], [], [])
    """
    believed, there = share * _drag(model), _drag(robot)
    return [name for name, more in zip(robot.joint_names, believed > 2 * there + 1e-9, strict=True) if more]


def _drag(model: Model) -> Array:
    """Friction against one rad/s or m/s, without offsets."""
    still = np.zeros(len(model.joint_names))
    speed = still + 1.0
    both = [
        model.inverse_dynamics(still, v, still) - model.inverse_dynamics(still, v, still, friction=False)
        for v in (speed, -speed)
    ]
    return 0.5 * (both[0] - both[1])

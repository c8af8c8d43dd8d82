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
from bifilar.errors import MotionError, RobotError, near_names
from bifilar.experiment.trajectory import Motion
from bifilar.formats import PATH, toml_table
from bifilar.robot.description import Pose
from bifilar.robot.model import Model
from bifilar.robot.robot import Robot
from bifilar.robot.table import toml_place
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
        raise UsageError("path.form/control_words" if word != "poses" else "path.form/reference_of", word=word)
    kind = word.partition(":")[0]
    if len(kind) > 1 and ":" in word and not os.path.exists(word):  # one letter before a colon is a drive
        raise UsageError(
            "path.unknown/control_words",
            kind=kind,
            near=near_names(kind, ("circle", "line"), 1, 0.6),
            choices=sorted(("circle", "line")),
        )
    return motion_of(word)


def _spoken(word: str) -> CartesianPath:
    kind, *parts = word.split(":")
    if kind == "line":
        if len(parts) != 2:
            raise UsageError("path.form/spoken", word=word)
        return Line(_point("line", parts[0], LINE), _point("line", parts[1], LINE))
    if len(parts) not in (2, 3):
        raise UsageError("path.form/control_words_spoken", word=word)
    plane = parts[2] if len(parts) == 3 else "yz"
    return Circle(_point("circle", parts[0], CIRCLE), number("circle", parts[1], CIRCLE), plane=plane)


def _point(option: str, text: str, example: str) -> Array:
    point = np.array(three(option, text, example))
    if not np.isfinite(point).all():
        raise UsageError("usage.value/control_words", option=option, text=text, remedy=example)
    return point


def _from_toml(file: str) -> CartesianPath:
    table = PATH.unstamped(_table(file), file)
    kind = table.pop("kind", None)
    if kind not in KEYS:
        raise MotionError(
            "path.unknown/from_toml" if kind is None else "path.unknown/control_words_from_toml",
            where=file,
            kinds=KEYS,
            kind=kind,
        )
    strange = [key for key in table if key not in KEYS[kind]]
    missing = [key for key in NEEDED[kind] if key not in table]
    if strange or missing:
        raise MotionError(
            "path.key/control_words" if strange else "path.key/from_toml",
            where=file,
            keys=KEYS[kind],
            kind=kind,
            strange=strange[:1],
            missing=missing[:1],
        )
    try:
        if kind == "poses":
            return _poses(table)
        return (Circle if kind == "circle" else Line)(**table)  # type: ignore[no-any-return]
    except (TypeError, ValueError) as error:
        raise MotionError("path.unreadable", where=file, kind=kind, error=error) from None


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
            raise MotionError("file.too_large/control_words", where=file)
        return toml_table(data.decode("utf-8-sig"))
    except OSError as error:
        raise MotionError("file.unreadable/control_words", where=file, strerror=error.strerror) from None
    except UnicodeDecodeError:
        raise MotionError("file.not_text/control_words", where=file) from None
    except tomllib.TOMLDecodeError as error:
        what, _, _ = toml_place(error)
        raise MotionError("toml.invalid/control_words", where=file, thing=what) from None


def push_of(word: str, robot: Robot, duration: float) -> JointPush:
    """JOINT=TORQUE, or JOINT=TORQUE:FROM,TO; from a quarter of the motion to two fifths if it does not say.

    >>> push_of("joint1=5", Robot.load("pendulum"), 2.0)
    JointPush(joint='joint1', torque=5.0, start=0.5, stop=0.8)
    """
    joint, value = assigned("--push", word, PUSH)
    if joint not in robot.joint_names:
        raise UsageError("joint.unknown/control_words", joints=robot.joint_names, joint=joint)
    torque, _, span = value.partition(":")
    if not span:
        return JointPush(joint=joint, torque=number("--push", torque, PUSH), start=0.25 * duration, stop=0.4 * duration)
    ends = span.split(",")
    if len(ends) != 2:
        raise UsageError("usage.value/push_of", span=span)
    start, stop = (number("--push", end, PUSH) for end in ends)
    if not 0 <= start < stop < duration:
        raise UsageError("usage.value/control_words_push_of", start=start, stop=stop, duration=duration)
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
        facts: dict[str, Any] = {"model": list(model.joint_names), "robot": list(robot.joint_names)}
        raise RobotError("model.other_joints/control_words", where=source, **facts)
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

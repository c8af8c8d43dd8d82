"""Words of `design` and `simulate` as what they mean: a robot with limits, heights, boxes, speeds, a pose."""

from __future__ import annotations

import math
from collections.abc import Sequence

from bifilar.cli.guard import UsageError
from bifilar.cli.held import locked_as
from bifilar.cli.options import GivenLimits
from bifilar.cli.public_sets import public_robot
from bifilar.errors import BifilarError, MotionError
from bifilar.experiment.trajectory import Motion
from bifilar.robot.limits_file import at_most
from bifilar.robot.robot import Robot


def robot_of(source: str, *, lock: Sequence[str] = (), limits: GivenLimits | None = None) -> Robot:
    """The robot, with joints held and limits given where asked for.

    >>> robot_of("two_link", lock=["joint2"], limits=GivenLimits(max_effort=3.0)).limits.effort
    array([3.])
    """
    robot = public_robot(source) or Robot.load(source)
    return limited(locked_as(robot, lock) if lock else robot, limits)


def limited(robot: Robot, limits: GivenLimits | None) -> Robot:
    """The robot with limits of a file, then with those for all joints."""
    if limits is None:
        return robot
    for name, value in limits.largest.items():
        if not 0 < value < math.inf:
            raise UsageError("usage.value/largest_limit", option=f"--max-{name}", value=value)
    robot = robot if limits.limits is None else robot.with_limits(limits.limits)
    return robot.with_limits(at_most(robot, limits.largest)) if limits.largest else robot


def motion_of(file: str, joint_names: Sequence[str] | None = None) -> Motion:
    """A motion from its file; a recording is told as what it is.

    >>> motion_of("nowhere.csv")
    Traceback (most recent call last):
    ...
    bifilar.errors.MotionError: ...
    """
    from bifilar.experiment.files import load_motion

    try:
        return load_motion(file, joint_names=joint_names)
    except MotionError:
        if not _is_recording(file):
            raise
    raise MotionError("file.other_kind/design_words", where=file)


def _is_recording(file: str) -> bool:
    from bifilar.recording.recording import Recording

    try:
        return Recording.load(file).torque is not None
    except (BifilarError, OSError, ValueError):
        return False


def assigned(option: str, text: str, example: str) -> tuple[str, str]:
    """NAME=VALUE taken apart; a name may contain '=' itself.

    >>> assigned("--above", "hand=0.15", "hand=0.15")
    ('hand', '0.15')
    """
    name, sign, value = text.rpartition("=")
    if not sign or not name.strip() or not value.strip():
        raise UsageError("usage.value/design_words", option=option, text=text, example=example)
    return name.strip(), value.strip()


def number(option: str, text: str, example: str) -> float:
    """One finite number.

    >>> number("--above", "0.15", "hand=0.15")
    0.15
    """
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise UsageError("usage.value/number", option=option, text=text, example=example)
    return value


def three(option: str, text: str, example: str) -> tuple[float, float, float]:
    """x,y,z; an empty place is unbounded, as nan.

    >>> three("--within", "0,-1,0.5", "")
    (0.0, -1.0, 0.5)
    """
    parts = text.split(",")
    if len(parts) != 3:
        raise UsageError("usage.value/three", option=option, text=text, example=example)
    x, y, z = (number(option, part, example) if part.strip() else math.nan for part in parts)
    return x, y, z


def pose_of(option: str, words: Sequence[str], joint_names: Sequence[str]) -> dict[str, float] | None:
    """Positions of all joints from `joint1=0.1 joint2=-0.5 ...` or from as many numbers as there are joints.

    >>> pose_of("--start", ["0.1", "joint2=0.5"], ["joint1", "joint2"])
    Traceback (most recent call last):
    ...
    bifilar.cli.guard.UsageError: --start mixes numbers and NAME=VALUE
    ...
    >>> pose_of("--start", ["0.1", "0.5"], ["joint1", "joint2"])
    {'joint1': 0.1, 'joint2': 0.5}
    """
    if not words:
        return None
    example = " ".join(f"{name}=0.0" for name in joint_names)
    named = ["=" in word for word in words]
    if any(named) and not all(named):
        raise UsageError("usage.value/pose_of", option=option, example=[f"{name}=0.0" for name in joint_names])
    if all(named):
        pairs = [assigned(option, word, example) for word in words]
        given = {name: number(option, value, example) for name, value in pairs}
    else:
        given = dict(zip(joint_names, (number(option, word, example) for word in words)))
    strange = [name for name in given if name not in joint_names]
    missing = [name for name in joint_names if name not in given]
    if strange or missing or len(given) != len(words):
        what = (
            f"there is no joint '{strange[0]}'"
            if strange
            else f"{len(words)} positions, the robot has {len(joint_names)} joints"
        )
        raise UsageError(
            "usage.value/design_words_pose_of",
            joints=joint_names,
            option=option,
            thing=what,
            example=[f"{name}=0.0" for name in joint_names],
        )
    return {name: given[name] for name in joint_names}

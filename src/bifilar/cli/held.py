"""`--lock` beside logs: joints stand where the log has them, or where `--lock joint2=-0.5` says; their columns are left out.

A joint that carries weight and moves all the same is refused by name: no one position is right for it.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Sequence

import numpy as np

from bifilar.cli.guard import UsageError
from bifilar.cli.light_joints import LIGHT, share_beyond
from bifilar.recording.checks_channels import SMALL
from bifilar.recording.recording import Recording
from bifilar.robot.robot import Robot

Named = Sequence[tuple[str, Recording]]


def lock_words(lock: Sequence[str], names: Sequence[str]) -> dict[str, float | None]:
    """Joints that `--lock` names, by pattern, each with its position where one is given.

    >>> lock_words(["finger*", "elbow=-0.5"], ["elbow", "finger1", "finger2"])
    {'finger1': None, 'finger2': None, 'elbow': -0.5}
    """
    found: dict[str, float | None] = {}
    for word in lock:
        pattern, at = word, None
        if word not in names and "=" in word:
            pattern, _, text = word.rpartition("=")
            at = _number(word, text)
        matched = [pattern] if pattern in names else (fnmatch.filter(names, pattern) or [pattern])
        found |= dict.fromkeys(matched, at)
    return found


def locked_as(robot: Robot, lock: Sequence[str], logs: Named = ()) -> Robot:
    """The robot with joints held: as given, else at the median of the first log that records them, else at zero.

    >>> swing = Recording(joint_names=("joint1", "joint2"), time=[0.0, 0.1], position=[[0.0, 0.5], [1.0, 0.5]])
    >>> locked_as(Robot.load("two_link"), ["joint2"], [("swing.csv", swing)]).joint_names
    ('joint1',)
    """
    said = lock_words(lock, robot.joint_names)
    if not said:
        return robot
    given = {name: at if at is not None else _stood(name, logs) for name, at in said.items()}
    for name, at in given.items():
        if name in robot.joint_names and at is not None and share_beyond(robot, name) > LIGHT:
            _stands(name, at, logs)
    nearest = np.clip(0.0, np.minimum(robot.limits.lower, robot.limits.upper), robot.limits.upper)
    usual = dict(zip(robot.joint_names, nearest.tolist()))  # of a joint that no log has; joints that mimic follow theirs
    held = robot.locked({name: usual.get(name) if at is None else at for name, at in given.items()})  # type: ignore[misc]
    if not held.joint_names:
        raise UsageError("usage.lock/held")
    return held


def without_held(recording: Recording, lock: Sequence[str]) -> Recording:
    """The recording without the columns of joints that `--lock` names.

    >>> both = Recording(joint_names=("hip", "knee"), time=[0.0], position=[[1.0, 2.0]])
    >>> without_held(both, ["knee=2"]).joint_names
    ('hip',)
    """
    held = lock_words(lock, recording.joint_names)
    left = [name for name in recording.joint_names if name not in held]
    return recording.joints(left) if len(left) < len(recording.joint_names) else recording


def _number(word: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = np.nan
    if not np.isfinite(value):
        raise UsageError("usage.lock/number", word=word, text=text)
    return value


def _positions(name: str, recording: Recording) -> np.ndarray:
    if recording.position is None or name not in recording.joint_names:
        return np.zeros(0)
    q = np.asarray(recording.position)[:, recording.joint_names.index(name)]
    return np.asarray(q[np.isfinite(q)])


def _stood(name: str, logs: Named) -> float | None:
    for _, recording in logs:
        q = _positions(name, recording)
        if len(q):
            return float(np.median(q))
    return None


def _stands(name: str, at: float, logs: Named) -> None:
    """Every log has the joint where it is held, but for its noise."""
    for log, recording in logs:
        q = _positions(name, recording)
        if not len(q):
            continue
        low, high = np.percentile(q, [1, 99])
        if high - low > SMALL:
            raise UsageError("lock.moves", name=name, low=low, high=high, log=log)
        if abs(np.median(q) - at) > SMALL:
            raise UsageError("lock.elsewhere", name=name, instant=at, median=np.median(q), log=log)

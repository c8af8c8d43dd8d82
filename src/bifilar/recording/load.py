"""From a file to a recording."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from bifilar.recording.recording import Recording
from bifilar.recording.store import read
from bifilar.robot.robot import Robot


def load(
    path: str | os.PathLike[str], robot: Robot | None = None, mapping: Any = None, by_position: bool = False, **declared: Any
) -> Recording:
    """Read a log.

    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp(), "swing.npz")
    >>> Recording(joint_names=("hip",), time=[0.5], position=[[1.0]], torque=[[2.0]]).save(file)
    >>> load(file).torque
    array([[2.]])
    """
    found = read(path)
    return found if robot is None else found.joints(robot.joint_names)


def stream(
    path: str | os.PathLike[str],
    robot: Robot | None = None,
    mapping: Any = None,
    by_position: bool = False,
    rows: int = 65536,
    **declared: Any,
) -> Iterator[Recording]:
    """Read a log in pieces.

    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp(), "swing.npz")
    >>> Recording(joint_names=("hip",), time=[0.5], position=[[1.0]], torque=[[2.0]]).save(file)
    >>> len(list(stream(file)))
    1
    """
    whole = load(path, robot, mapping, by_position, **declared)
    for start in range(0, len(whole), rows):
        stop = start + rows
        kept = {name: channel.rows(slice(start, stop)) for name, channel in whole.channels.items()}
        yield Recording(
            joint_names=whole.joint_names,
            sliding=whole.sliding,
            time=whole.time[start:stop],
            mask=whole.mask[start:stop],
            channels=kept,
            clock=whole.clock,
            name=whole.name,
        )

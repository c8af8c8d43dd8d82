"""Public sets as they are typed: `panda_gaz` or `kuka_lwr4:2` for a recording, `panda_gaz:robot` for the robot it is of.

A file of that name goes first, then a built-in robot, then a public set. After the colon stands a run, `robot`, or one of the
set's descriptions where it has several (`kuka_lwr4:kuka_lwr4_gaz.urdf`).
"""

from __future__ import annotations

import os
from typing import NamedTuple

from bifilar.errors import RecordingError, RobotError, near_names
from bifilar.recording.recording import Recording
from bifilar.robot import library
from bifilar.robot.robot import Robot

ROBOT = "robot"


class Named(NamedTuple):
    """A public set, and what of it.

    >>> named("kuka_lwr4:2"), named("run.csv")
    (Named(set='kuka_lwr4', part='2'), None)
    """

    set: str
    part: str  # a run, "robot", a description; empty: the first run, or the only one

    def recording(self) -> Recording:
        """The run that is meant.

        >>> Named("puma560", "").recording()
        Traceback (most recent call last):
        ...
        bifilar.errors.RecordingError: 'puma560' is a public model and holds no recording
          try     'bifilar datasets' lists recordings; puma560:robot names its description
        """
        from bifilar.recording import datasets

        known = datasets.describe(self.set)
        if known.kind != "recording":
            robot = f"; {self.set}:{ROBOT} names its description" if known.content.get(ROBOT) else ""
            raise RecordingError("dataset.no_recording/public_sets", set=self.set, kind=known.kind, robot=robot)
        if self.part and self.part not in known.runs:
            raise RecordingError(
                "dataset.no_run/public_sets" if known.runs else "dataset.no_run/one",
                set=self.set,
                part=self.part,
                first=f"{self.set}:{known.runs[0]}" if known.runs else self.set,
                near=near_names(self.part, known.runs, 1, 0.6),
                choices=sorted(known.runs),
            )
        found = datasets.load(self.set, self.part or (known.runs[0] if known.runs else None))
        assert isinstance(found, Recording)
        return found


def named(text: str) -> Named | None:
    """The public set that a word names; None if it is a file, or nothing that is known.

    >>> named("panda_gaz"), named("nowhere:2")
    (Named(set='panda_gaz', part=''), None)
    """
    from bifilar.recording import datasets

    name, _, part = text.partition(":")
    if os.path.exists(text) or name not in datasets.names():
        return None
    return Named(name, part)


def robot_named(text: str) -> Named | None:
    """The public set whose robot a word names; None if it is a file, a built-in robot, or a set without one.

    >>> robot_named("panda"), robot_named("tiago"), robot_named("human_force_plate")
    (None, Named(set='tiago', part=''), None)
    """
    from bifilar.recording import datasets

    found = None if text in library.names() else named(text)
    return found if found is not None and datasets.describe(found.set).content.get(ROBOT) else None


def public_robot(text: str) -> Robot | None:
    """The robot of a public set; None if the word is a file or a built-in robot, or names none.

    >>> public_robot("panda") is None, public_robot("rokae_xmate7:robot").joint_names[:2]
    (True, ('j1', 'j2'))
    >>> public_robot("panda_gaz:2")
    Traceback (most recent call last):
    ...
    bifilar.errors.RobotError: 'panda_gaz:2' is no robot
      likely  a recording of the set
      try     panda_gaz:robot is the robot that was recorded
    """
    found = robot_named(text)
    if found is None:
        return None
    from bifilar.recording import datasets

    entry = datasets.describe(found.set).content[ROBOT]
    files = (entry.get("file", ""), *entry.get("others", {}))
    if found.part and found.part != ROBOT and found.part not in files:
        raise RobotError(
            "robot.unknown/public_sets" if "." not in found.part else "robot.unknown/public_robot",
            text=text,
            set=found.set,
            near=near_names(found.part, files, 1, 0.6),
            choices=sorted(files),
        )
    return datasets.robot(found.set, "" if found.part in ("", ROBOT) else found.part)

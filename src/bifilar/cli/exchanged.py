"""Words in the wrong order: a log where the robot is asked for, and the robot where the log is. The right command is told."""

from __future__ import annotations

import os

from bifilar.cli.guard import UsageError
from bifilar.cli.output import typed_command
from bifilar.readers import is_called


def is_robot(word: str) -> bool:
    """Whether a word names a robot: a built-in one, or a file with such an ending.

    >>> is_robot("panda"), is_robot("arm.urdf"), is_robot("run.csv")
    (True, True, False)
    """
    from bifilar.robot.library import names

    return word in names() or is_called("robot", word)


def is_log(word: str) -> bool:
    """Whether a word names a log, or a motion, by its ending.

    >>> is_log("run.csv"), is_log("arm.urdf")
    (True, False)
    """
    return is_called("recording", word)


def is_run(word: str) -> bool:
    """Whether a word names the folder of a run.

    >>> is_run("nowhere")
    False
    """
    return os.path.isfile(os.path.join(word, "run.json"))


def refuse_exchange(verb: str, first: str, others: tuple[str, ...], what: str = "robot and log", *end: str) -> None:
    """Tell the command as it was meant, if the first two words are exchanged; `end`: words that follow.

    >>> refuse_exchange("fit", "panda", ("run.csv",))
    >>> refuse_exchange("fit", "run.csv", ("panda",))
    Traceback (most recent call last):
    ...
    bifilar.cli.guard.UsageError: robot and log are exchanged
      try     bifilar fit panda run.csv
    """
    known = [word for word in others if is_robot(word) or is_run(word)]
    if is_log(first) and known:
        rest = [word for word in (first, *others) if word != known[0]]
        raise UsageError("usage.exchanged/exchanged", thing=what, remedy=typed_command("bifilar", verb, known[0], *rest, *end))

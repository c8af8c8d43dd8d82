"""The letters bifilar writes when something is wrong.

Every error says what is wrong, where, what the likely cause is and what to try. The facts are attributes, so that the
command line, the report and a test can use them without parsing a sentence; `str(error)` is the whole letter:

    RobotError: joint 'elbow' names the parent link 'uper_arm', which does not exist
      where   arm.urdf:41
      likely  a misspelt link name; the file has 'upper_arm'
      try     correct the name in <parent link="...">
"""

from __future__ import annotations


class BifilarError(Exception):
    """Base of everything bifilar raises on purpose; anything else that escapes is a bug.

    >>> error = BifilarError("the file is empty", where="arm.urdf", likely="an interrupted copy", remedy="copy it again")
    >>> print(error)
    the file is empty
      where   arm.urdf
      likely  an interrupted copy
      try     copy it again
    """

    exit_code = 3  # input refused; see the table of exit codes in CONVENTIONS.md

    def __init__(self, what: str, *, where: str = "", likely: str = "", remedy: str = "", **facts: object) -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.likely = likely
        self.remedy = remedy
        self.facts = facts

    def __str__(self) -> str:
        lines = [self.what]
        lines += [f"  where   {self.where}"] if self.where else []
        lines += [f"  {name:<7} {value}" for name, value in self.facts.items()]
        lines += [f"  likely  {self.likely}"] if self.likely else []
        lines += [f"  try     {self.remedy}"] if self.remedy else []
        return "\n".join(lines)


class RobotError(BifilarError):
    """A description cannot be read as a robot, or a robot was asked for something it does not have.

    >>> print(RobotError("no joint 'elbw'", likely="a misspelling of 'elbow'"))
    no joint 'elbw'
      likely  a misspelling of 'elbow'
    """


class ShapeError(BifilarError):
    """An array does not have the size the robot asks for, or holds values that are not finite.

    >>> print(ShapeError("position has 6 columns, the robot has 7 joints"))
    position has 6 columns, the robot has 7 joints
    """


class RecordingError(BifilarError):
    """A recording cannot be read, or does not hold what was asked of it.

    >>> print(RecordingError("torque of 'elbow' is missing", where="train.csv:1"))
    torque of 'elbow' is missing
      where   train.csv:1
    """


class MotionError(BifilarError):
    """A motion was asked for that cannot be, or a file of one cannot be read.

    >>> print(MotionError("the duration is -1 s"))
    the duration is -1 s
    """


class SolveError(BifilarError):
    """The numbers do not determine an answer.

    >>> SolveError("no rows were given").exit_code
    4
    """

    exit_code = 4


class ResourceError(BifilarError):
    """Disk or memory does not suffice.

    >>> ResourceError("the folder is read-only").exit_code
    5
    """

    exit_code = 5

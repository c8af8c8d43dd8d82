"""What bifilar says when something is wrong, or worth knowing: meaning as data, sentences for people.

Errors (`BifilarError`), findings of a check (`Finding`) and sentences of a verdict or an estimate (`Note`) carry a stable
`code`, facts and a remedy, so that the command line, a page and a test decide by these and never by words; a sentence may be
reworded at any time. A `Remedy` has two spellings, Python's and the command line's. `str(error)` is the whole letter:

    RobotError: joint 'elbow' names the parent link 'uper_arm', which does not exist
      where   arm.urdf:41
      likely  a misspelt link name; the file has 'upper_arm'
      try     correct the name in <parent link="...">
"""

from __future__ import annotations

import errno
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeVar

Severity = Literal["error", "warning", "note"]


class Remedy(str):
    """What to try, in two spellings: as a string it is Python's, `cli` is what is typed.

    >>> flip = Remedy("Recording.load(..., sign={'elbow': -1})", cli="--sign elbow=-1", lead="turn it round: ")
    >>> print(flip)
    turn it round: Recording.load(..., sign={'elbow': -1})
    >>> flip.cli
    'turn it round: --sign elbow=-1'
    >>> flip.both
    "turn it round: --sign elbow=-1 (in Python: Recording.load(..., sign={'elbow': -1}))"
    """

    lead: str  # words that both spellings begin with
    python: str
    cli: str
    needs: tuple[str, ...]  # options that `cli` names; a command without them says `otherwise`
    otherwise: str

    def __new__(cls, python: str, *, cli: str = "", lead: str = "", needs: Collection[str] = (), otherwise: str = "") -> Remedy:
        """`cli` left out: the words are the same for both."""
        self = super().__new__(cls, lead + python)
        self.lead, self.python, self.cli = lead, python, lead + (cli or python)
        self.needs, self.otherwise = tuple(needs), otherwise
        return self

    def __add__(self, more: str) -> Remedy:
        """Words that follow in both spellings.

        >>> (Remedy("rate=100", cli="--rate 100") + ", or so").cli
        '--rate 100, or so'
        """
        typed = self.cli[len(self.lead) :] + more
        return Remedy(self.python + more, cli=typed, lead=self.lead, needs=self.needs, otherwise=self.otherwise)

    def followed_by(self, other: Remedy) -> Remedy:
        """Both remedies, one after the other, each in its spelling.

        >>> Remedy("rate=100", cli="--rate 100").followed_by(Remedy("or again")).cli
        '--rate 100; or again'
        """
        if not other:
            return self
        typed = f"{self.cli[len(self.lead) :]}; {other.cli}"
        return Remedy(f"{self.python}; {other}", cli=typed, lead=self.lead, needs=self.needs, otherwise=self.otherwise)

    @classmethod
    def of(cls, words: str) -> Remedy:
        """Words that are the same in both spellings, or a remedy as it is.

        >>> Remedy.of("record again").cli
        'record again'
        """
        return words if isinstance(words, cls) else cls(words)

    @property
    def both(self) -> str:
        """For a page, whose reader may type or write Python.

        >>> Remedy.of("record again").both
        'record again'
        """
        return self.cli if self.cli == self else f"{self.cli} (in Python: {self.python})"

    def typed(self, options: Collection[str] | None = None) -> str:
        """For a command with these options; None: any.

        >>> held = Remedy("robot.locked(['elbow'])", cli="--lock elbow", needs=["--lock"], otherwise="a fixed 'elbow'")
        >>> held.typed(), held.typed({"--sign"})
        ('--lock elbow', "a fixed 'elbow'")
        """
        return self.cli if options is None or {*self.needs} <= {*options} or not self.otherwise else self.otherwise


class Note(str):
    """A sentence about an estimate or a verdict that carries what it means.

    >>> note = Note("elbow opposes gravity", code="torque.sign", remedy=Remedy("sign={'elbow': -1}", cli="--sign elbow=-1"))
    >>> print(note)
    elbow opposes gravity; try sign={'elbow': -1}
    >>> note.typed, note.code
    ('elbow opposes gravity; try --sign elbow=-1', 'torque.sign')
    """

    text: str
    code: str
    remedy: Remedy
    facts: dict[str, Any]

    def __new__(cls, text: str, *, code: str = "", remedy: str = "", **facts: Any) -> Note:
        """`facts`: numbers and names that the sentence is about."""
        self = super().__new__(cls, f"{text}; try {remedy}" if remedy else text)
        self.text, self.code, self.remedy, self.facts = text, code, Remedy.of(remedy), facts
        return self

    @classmethod
    def of(cls, text: str) -> Note:
        """A sentence without a code of its own, or a note as it is.

        >>> Note.of("14 of 61 base parameters are not identified").code
        ''
        """
        return text if isinstance(text, cls) else cls(text)

    @property
    def typed(self) -> str:
        """With the remedy as it is typed.

        >>> Note.of("a sentence").typed
        'a sentence'
        """
        return f"{self.text}; try {self.remedy.cli}" if self.remedy else self.text

    @property
    def both(self) -> str:
        """With the remedy in both spellings, for a page.

        >>> Note("late", code="delay", remedy=Remedy("log_delay=1", cli="--log-delay 1")).both
        'late; try --log-delay 1 (in Python: log_delay=1)'
        """
        return f"{self.text}; try {self.remedy.both}" if self.remedy else self.text

    def data(self) -> dict[str, Any]:
        """As plain values, for JSON.

        >>> Note("5 ms late", code="delay", seconds=0.005).data()
        {'code': 'delay', 'text': '5 ms late', 'facts': {'seconds': 0.005}, 'remedy': '', 'typed': ''}
        """
        return {
            "code": self.code, "text": self.text, "facts": dict(self.facts),
            "remedy": str(self.remedy), "typed": self.remedy.cli,
        }  # fmt: skip

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> Note:
        """The note of such values.

        >>> Note.from_data(Note("5 ms late", code="delay", seconds=0.005).data()).facts
        {'seconds': 0.005}
        """
        remedy = Remedy(str(data.get("remedy", "")), cli=str(data.get("typed", "")))
        facts = {
            str(name): value for name, value in dict(data.get("facts", {})).items() if name not in ("code", "remedy", "text")
        }
        return cls(str(data["text"]), code=str(data.get("code", "")), remedy=remedy, **facts)


class Place(NamedTuple):
    """A stretch of one channel to be marked in a plot.

    >>> Place("torque", "elbow", 1.0, 2.5).joint
    'elbow'
    """

    channel: str  # "time" for the clock itself
    joint: str  # "" for all of them
    start: float  # [s] as stamped
    stop: float  # [s]


@dataclass(frozen=True)
class Finding:
    """Something a user should know about: how bad, where, what with numbers, what to do, the likely cause, where to mark it.

    `code` is a short name that programs and tests can rely on ("gap", "degrees", "link.massless").

    >>> print(Finding("warning", "link 'hand'", "has no mass", "give it one, or lump it into its parent", code="link.massless"))
    warning  link 'hand': has no mass (give it one, or lump it into its parent)
    >>> print(Finding("warning", "torque of 'elbow'", "opposes gravity", "sign={'elbow': -1}", "motor-side sign", code="sign"))
    warning  torque of 'elbow': opposes gravity
      likely  motor-side sign
      try     sign={'elbow': -1}
    """

    severity: Severity
    where: str
    what: str
    remedy: str = ""
    likely: str = ""
    code: str = ""
    at: tuple[Place, ...] = ()
    numbers: tuple[tuple[str, float], ...] = ()  # what was measured, by name, in SI units
    about: str = ""  # joint or link that it is about, by name

    def __str__(self) -> str:
        said = f"{self.severity}  {self.where}: {self.what}"
        if not self.likely:
            return f"{said} ({self.remedy})" if self.remedy else said
        return f"{said}\n  likely  {self.likely}" + (f"\n  try     {self.remedy}" if self.remedy else "")

    @property
    def typed(self) -> str:
        """The remedy as it is typed.

        >>> Finding("error", "torque", "opposes", Remedy("sign={'*': -1}", cli="--sign '*=-1'")).typed
        "--sign '*=-1'"
        """
        return Remedy.of(self.remedy).cli

    def facts(self) -> dict[str, Any]:
        """As plain values, for JSON.

        >>> Finding("note", "time", "jumps", code="gap", at=(Place("time", "", 0.0, 1.0),)).facts()["at"]
        [{'channel': 'time', 'joint': '', 'start': 0.0, 'stop': 1.0}]
        """
        words = ("severity", "code", "where", "about", "what", "likely", "remedy", "typed")
        at = [place._asdict() for place in self.at]
        return {word: str(getattr(self, word)) for word in words} | {"at": at, "numbers": dict(self.numbers)}

    def number(self, name: str) -> float | None:
        """One of the numbers that were measured; None: not of this finding.

        >>> Finding("warning", "torque", "is late", code="delay", numbers=(("delay", 0.005),)).number("delay")
        0.005
        """
        return dict(self.numbers).get(name)


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
    code = ""  # a stable name for programs, such as 'format.newer'; empty where there is none yet

    def __init__(
        self, what: str, *, code: str = "", where: str = "", likely: str = "", remedy: str = "", **facts: object
    ) -> None:
        super().__init__(what)
        self.what = what
        self.code = code
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


class FormatError(BifilarError):
    """A file is of a version, or of a format, that is not read here (`bifilar.formats`).

    >>> FormatError("a run folder of version 9 cannot be read", code="format.newer", found=9, known=1).code
    'format.newer'
    """

    def __init__(
        self, what: str, *, code: str, where: str = "", likely: str = "", remedy: str = "", found: object, known: object
    ) -> None:
        super().__init__(what, where=where, likely=likely, remedy=remedy, found=found, known=known)
        self.code = code


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


def one_line(words: object) -> str:
    """An error of another library, or a text, in one line.

    >>> one_line(ValueError("a\\n  b"))
    'a b'
    """
    return " ".join(str(words).split())


_Kind = TypeVar("_Kind", bound=BifilarError)
AGAIN = "copy or record it again"  # of a file that is empty
TEXT = "name a text file; this one is a picture, an archive or the like"
_FILES = {  # errno: code, what to try
    errno.ENOENT: ("file.missing", "check the path"),
    errno.ENOTDIR: ("file.missing", "check the path"),
    errno.EACCES: ("file.forbidden", "ask for the right to read it, or copy it to where you have it"),
    errno.EPERM: ("file.forbidden", "ask for the right to read it, or copy it to where you have it"),
    errno.ELOOP: ("file.loop", "it is a link that leads to itself: name the file it should lead to"),
    errno.EISDIR: ("file.folder", "name a file, not a folder"),
}


def unreadable(kind: type[_Kind], thing: str, error: Exception, where: object, remedy: str = "") -> _Kind:
    """A letter about a file that cannot be opened, with the code of the reason.

    >>> unreadable(RecordingError, "recording", FileNotFoundError(2, "No such file or directory"), "run.csv").code
    'file.missing'
    """
    code, usual = _FILES.get(getattr(error, "errno", None) or 0, ("file.unreadable", ""))
    reason = getattr(error, "strerror", None) or error
    return kind(f"the {thing} cannot be read: {reason}", code=code, where=str(where), remedy=remedy or usual)

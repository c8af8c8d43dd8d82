"""What bifilar says when something is wrong, or worth knowing: meaning as data, sentences for people.

Errors (`BifilarError`), findings of a check (`Finding`) and notes of a verdict or an estimate (`Note`) are made of a key and
facts: `RobotError("joint.unknown/checks", joint="elbw", joints=names)`. The part of the key before a slash is the stable
`code`; the sentences of a key stand in the catalogue (`bifilar.messages`) and are put together when they are shown. So the
command line, a page and a test decide by codes and facts, and a sentence may be reworded at any time. A `Remedy` has two
spellings, Python's and the command line's. `str(error)` is the whole message:

    RobotError: joint 'elbow' names the parent link 'uper_arm', which does not exist
      where   arm.urdf:41
      likely  a misspelt name; the file has 'upper_arm'
      try     correct the name in <parent link="...">
"""

from __future__ import annotations

import errno
import math
from collections.abc import Collection, Iterable, Iterator, KeysView, Mapping, ValuesView
from typing import Any, Literal, NamedTuple, TypeVar

from bifilar.messages import Message, chosen, joined, message, rendered

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
    """A sentence about an estimate or a verdict that carries what it means: a key of the catalogue, facts and a remedy.

    >>> note = Note("clock.even/prepare", rate=100.0)
    >>> print(note)
    even clock of 100 Hz from the timestamps
    >>> note.code, note.facts
    ('clock.even', {'rate': 100.0})
    """

    text: str
    code: str
    remedy: Remedy
    facts: dict[str, Any]

    def __new__(cls, key: str, *, what: str = "", remedy: str = "", **facts: Any) -> Note:
        """`what` and `remedy`: in place of the catalogue's, for words that are not ours."""
        facts = _kept(facts)
        entry = None if what else message(key)
        text = what or (rendered(entry.what, facts) if entry else key)
        told = Remedy.of(remedy) if remedy or entry is None else _remedy(entry, facts)
        self = super().__new__(cls, f"{text}; try {told}" if told else text)
        self.text, self.code, self.remedy, self.facts = text, key.partition("/")[0] if what or entry else "", told, facts
        return self

    @classmethod
    def of(cls, text: str) -> Note:
        """Words of others without a code, or a note as it is.

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

        >>> Note("delay", what="late", remedy=Remedy("log_delay=1", cli="--log-delay 1")).both
        'late; try --log-delay 1 (in Python: log_delay=1)'
        """
        return f"{self.text}; try {self.remedy.both}" if self.remedy else self.text

    def data(self) -> dict[str, Any]:
        """As plain values, for JSON.

        >>> Note("clock.even/prepare", rate=np.float64(100.0)).data()["facts"]
        {'rate': 100.0}
        """
        return {
            "code": self.code, "text": self.text, "facts": plain(self.facts),
            "remedy": str(self.remedy), "typed": self.remedy.cli,
        }  # fmt: skip

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> Note:
        """The note of such values.

        >>> Note.from_data(Note("clock.even/prepare", rate=100.0).data()).facts
        {'rate': 100.0}
        """
        remedy = Remedy(str(data.get("remedy", "")), cli=str(data.get("typed", "")))
        facts = {
            str(name): value
            for name, value in dict(data.get("facts", {})).items()
            if name not in ("code", "remedy", "what", "key")
        }
        return cls(str(data.get("code", "")), what=str(data["text"]), remedy=remedy, **facts)


class Place(NamedTuple):
    """A stretch of one channel to be marked in a plot.

    >>> Place("torque", "elbow", 1.0, 2.5).joint
    'elbow'
    """

    channel: str  # "time" for the clock itself
    joint: str  # "" for all of them
    start: float  # [s] as stamped
    stop: float  # [s]


class Finding:
    """Something a user should know about: a key of the catalogue, how bad, where, facts, and where to mark it in a plot.

    >>> print(Finding("mass.negative", "error", "link 'hand'", mass=-1.0))
    error  link 'hand': the mass is negative: -1 kg (state a positive mass)
    """

    def __init__(
        self,
        key: str,
        severity: str,
        where: str = "",
        *,
        what: str = "",
        likely: str = "",
        remedy: str = "",
        at: tuple[Place, ...] = (),
        about: str = "",
        **facts: Any,
    ) -> None:
        """`about`: the joint or link, by name. `what`, `likely` and `remedy`: in place of the catalogue's."""
        self.key, self.code = key, key.partition("/")[0]
        self.severity: Severity = severity  # type: ignore[assignment]
        self.where, self.at, self.about = where, tuple(at), about
        self.facts = _kept(facts)
        self._own = {"what": what, "likely": likely, "remedy": remedy}

    @property
    def what(self) -> str:
        """What was found, in a sentence without its subject.

        >>> Finding("mass.negative", "error", "link 'hand'", mass=-1.0).what
        'the mass is negative: -1 kg'
        """
        return self._own["what"] or _what(self.key, self.facts)

    @property
    def likely(self) -> str:
        """The likely cause; '' if none is known.

        >>> Finding("mass.negative", "error", "link 'hand'", mass=-1.0).likely
        ''
        """
        return self._own["likely"] or ("" if self._own["what"] else _likely(self.key, self.facts))

    @property
    def remedy(self) -> Remedy:
        """What to try.

        >>> Finding("mass.negative", "error", "link 'hand'", mass=-1.0).remedy
        'state a positive mass'
        """
        own = self._own["remedy"]
        return Remedy.of(own) if own or self._own["what"] else _remedy(message(self.key), self.facts)

    def __str__(self) -> str:
        said = f"{self.severity}  {self.where}: {self.what}"
        if not self.likely:
            return f"{said} ({self.remedy})" if self.remedy else said
        return f"{said}\n  likely  {self.likely}" + (f"\n  try     {self.remedy}" if self.remedy else "")

    def __repr__(self) -> str:
        return f"Finding({self.key!r}, {self.severity!r}, {self.where!r}, {self.facts!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Finding) and self.data() == other.data()

    def __hash__(self) -> int:
        return hash((self.code, self.severity, self.where))

    def changed(self, **parts: Any) -> Finding:
        """The same finding with other parts: severity, where, what, likely, remedy, at, about, or facts by name.

        >>> Finding("mass.negative", "error", "link 'hand'", mass=-1.0).changed(severity="note").severity
        'note'
        """
        now = {"severity": self.severity, "where": self.where, "at": self.at, "about": self.about} | self._own | self.facts
        return Finding(self.key, **(now | parts))

    @property
    def typed(self) -> str:
        """The remedy as it is typed.

        >>> Finding("sign", "error", "torque", remedy=Remedy("sign={'*': -1}", cli="--sign '*=-1'")).typed
        "--sign '*=-1'"
        """
        return self.remedy.cli

    def data(self) -> dict[str, Any]:
        """As plain values, for JSON.

        >>> Finding("gap", "note", "time", at=(Place("time", "", 0.0, 1.0),)).data()["at"]
        [{'channel': 'time', 'joint': '', 'start': 0.0, 'stop': 1.0}]
        """
        words = ("severity", "code", "where", "about", "what", "likely", "remedy", "typed")
        at = [place._asdict() for place in self.at]
        return {word: str(getattr(self, word)) for word in words} | {"at": at, "facts": plain(self.facts)}

    def number(self, name: str) -> float | None:
        """One of the numbers that were measured, in SI units; None: not of this finding.

        >>> Finding("delay", "warning", "torque", delay=0.005).number("delay")
        0.005
        """
        return self.facts.get(name)


class BifilarError(Exception):
    """Base of everything bifilar raises on purpose; anything else that escapes is a bug.

    A key of the catalogue and the facts of its sentences. `what`, `likely` and `remedy` may be given in place of the
    catalogue's, for words that are not ours or for a code of one's own.

    >>> error = RobotError("robot.no_links_of_mine", where="arm.urdf", what="the file is empty", remedy="copy it again")
    >>> print(error)
    the file is empty
      where   arm.urdf
      try     copy it again
    """

    exit_code = 3  # input refused; see the table of exit codes in CONVENTIONS.md

    def __init__(
        self, key: str, *, where: str = "", what: str = "", likely: str = "", remedy: str = "", **facts: object
    ) -> None:
        super().__init__(key)
        self.key = key
        self.code = key.partition("/")[0]
        self.where = where
        self.facts = _kept(facts)
        self._own: dict[str, str | None] = {"what": what or None, "likely": likely or None, "remedy": remedy or None}

    @property
    def what(self) -> str:
        """What is wrong.

        >>> ResourceError("memory.full").what
        'there is not enough memory'
        """
        own = self._own["what"]
        return _what(self.key, self.facts) if own is None else own

    @what.setter
    def what(self, words: str) -> None:
        self._own["what"] = words

    @property
    def likely(self) -> str:
        """What probably caused it; '' if nothing is known.

        >>> ResourceError("memory.full").likely
        ''
        """
        own = self._own["likely"]
        return (_likely(self.key, self.facts) if self._own["what"] is None else "") if own is None else own

    @likely.setter
    def likely(self, words: str) -> None:
        self._own["likely"] = words

    @property
    def remedy(self) -> Remedy:
        """What to try.

        >>> ResourceError("memory.full").remedy
        'close other programs, or use fewer samples'
        """
        own = self._own["remedy"]
        if own is None and self._own["what"] is None:
            return _remedy(message(self.key), self.facts)
        return Remedy.of(own or "")

    @remedy.setter
    def remedy(self, words: str) -> None:
        self._own["remedy"] = words

    def listed(self) -> dict[str, str]:
        """Facts that are shown in lines of their own.

        >>> FormatError("format.newer", thing="a run folder", found=9, known=1).listed()
        {'found': '9', 'known': '1'}
        """
        entry = message(self.key) if self._own["what"] is None else None
        names = entry.listed if entry else tuple(self.facts)
        shown = {name: joined(self.facts[name]) for name in names if self.facts.get(name) is not None}
        return {name: text for name, text in shown.items() if text}

    def data(self) -> dict[str, Any]:
        """As plain values, for JSON.

        >>> ResourceError("memory.full").data()["code"]
        'memory.full'
        """
        words = {name: str(getattr(self, name)) for name in ("code", "what", "where", "likely", "remedy")}
        return {"kind": type(self).__name__, **words, "facts": plain(self.facts), "exit_code": self.exit_code}

    def __str__(self) -> str:
        lines = [self.what]
        lines += [f"  where   {self.where}"] if self.where else []
        lines += [f"  {name:<7} {value}" for name, value in self.listed().items()]
        lines += [f"  likely  {self.likely}"] if self.likely else []
        lines += [f"  try     {self.remedy}"] if self.remedy else []
        return "\n".join(lines)


class FormatError(BifilarError):
    """A file is of a version, or of a format, that is not read here (`bifilar.formats`).

    >>> FormatError("format.newer", thing="a run folder", found=9, known=1).code
    'format.newer'
    """


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
_FILES = {
    errno.ENOENT: "file.missing/unreadable",
    errno.ENOTDIR: "file.missing/unreadable",
    errno.EACCES: "file.forbidden/unreadable",
    errno.EPERM: "file.forbidden/unreadable",
    errno.ELOOP: "file.loop/unreadable",
    errno.EISDIR: "file.folder/unreadable",
}


def unreadable(kind: type[_Kind], thing: str, error: Exception, where: object, remedy: str = "") -> _Kind:
    """A letter about a file that cannot be opened, with the code of the reason.

    >>> unreadable(RecordingError, "recording", FileNotFoundError(2, "No such file or directory"), "run.csv").code
    'file.missing'
    """
    key = _FILES.get(getattr(error, "errno", None) or 0, "file.unreadable/unreadable")
    reason = getattr(error, "strerror", None) or str(error)
    return kind(key, where=str(where), thing=thing, reason=reason, remedy=remedy)


def near_names(name: object, names: Iterable[str], most: int = 2, cutoff: float = 0.8) -> list[str]:
    """Names that look like this one, for a likely cause.

    >>> near_names("link3.mas", ["link3.mass", "elbow.viscous"])
    ['link3.mass']
    """
    from difflib import get_close_matches

    return get_close_matches(str(name), [str(each) for each in names], n=most, cutoff=cutoff)


def plain(value: Any) -> Any:
    """A fact as JSON has it: numbers, words, lists and mappings; what is not finite is None, anything else in words.

    >>> plain({"shape": (3, 2), "rate": np.float64(100), "joint": None})
    {'shape': [3, 2], 'rate': 100.0, 'joint': None}
    """
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if value is None or type(value) in (bool, int, float, str):
        return value
    if isinstance(value, Mapping):
        return {str(name): plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(each) for each in value]
    if hasattr(value, "tolist"):  # NumPy's arrays and numbers
        return plain(value.tolist())
    return str(value)


def _kept(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Facts that can be read twice."""
    return {
        name: list(value) if isinstance(value, Iterator | KeysView | ValuesView | set | frozenset) else value
        for name, value in facts.items()
    }


def _what(key: str, facts: Mapping[str, Any]) -> str:
    entry = message(key)
    return rendered(entry.what, facts) if entry else key


def _likely(key: str, facts: Mapping[str, Any]) -> str:
    entry = message(key)
    return chosen(entry.likely, facts) if entry else ""


def _remedy(entry: Message | None, facts: Mapping[str, Any]) -> Remedy:
    if entry is None:
        return Remedy("")
    python = chosen(entry.remedy, facts)
    cli, lead, otherwise = (chosen(each, facts) for each in (entry.cli, entry.lead, entry.otherwise))
    return Remedy(python, cli=cli, lead=lead if python else "", needs=entry.needs, otherwise=otherwise)

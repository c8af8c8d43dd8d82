"""What a check found: each finding says how bad, where, what with numbers, the likely cause, the remedy, and where to mark it.

`code` is a short name that programs and tests can rely on ("gap", "degrees", "sign"); `at` are the places in a plot.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple, overload

from bifilar.robot.description import Finding

ORDER = {"error": 0, "warning": 1, "note": 2}


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
class Suspicion(Finding):
    """A finding about a recording.

    >>> print(Suspicion("warning", "torque of 'elbow'", "opposes gravity", "sign={'elbow': -1}", "motor-side sign", "sign"))
    warning  torque of 'elbow': opposes gravity
      likely  motor-side sign
      try     sign={'elbow': -1}
    """

    likely: str = ""
    code: str = ""
    at: tuple[Place, ...] = ()
    numbers: tuple[tuple[str, float], ...] = ()  # what was measured, by name, in SI units

    def __str__(self) -> str:
        lines = [f"{self.severity}  {self.where}: {self.what}"]
        lines += [f"  likely  {self.likely}"] if self.likely else []
        lines += [f"  try     {self.remedy}"] if self.remedy else []
        return "\n".join(lines)

    def facts(self) -> dict[str, Any]:
        """As plain values, for JSON.

        >>> Suspicion("note", "time", "jumps", code="gap", at=(Place("time", "", 0.0, 1.0),)).facts()["at"]
        [{'channel': 'time', 'joint': '', 'start': 0.0, 'stop': 1.0}]
        """
        words = ("severity", "code", "where", "what", "likely", "remedy")
        at = [place._asdict() for place in self.at]
        return {word: getattr(self, word) for word in words} | {"at": at, "numbers": dict(self.numbers)}

    def number(self, name: str) -> float | None:
        """One of the numbers that were measured; None: not of this finding.

        >>> Suspicion("warning", "torque", "is late", code="delay", numbers=(("delay", 0.005),)).number("delay")
        0.005
        """
        return dict(self.numbers).get(name)


class Findings(tuple[Finding, ...]):
    """Findings, the worst first.

    >>> gap, nan = Suspicion("note", "time", "a gap of 2 s", code="gap"), Suspicion("error", "torque", "nan", code="nan")
    >>> found = Findings([gap, nan])
    >>> found.codes, found.worst
    (('nan', 'gap'), 'error')
    """

    __slots__ = ()

    def __new__(cls, findings: Iterable[Finding] = ()) -> Findings:
        return super().__new__(cls, sorted(findings, key=lambda finding: ORDER[finding.severity]))

    @overload  # type: ignore[override]
    def __add__(self, other: tuple[Finding, ...]) -> Findings: ...
    @overload
    def __add__(self, other: tuple[Any, ...]) -> Findings: ...
    def __add__(self, other: tuple[Any, ...]) -> Findings:
        return Findings((*self, *other))

    @property
    def codes(self) -> tuple[str, ...]:
        """Short names of all findings, the worst first.

        >>> Findings().codes
        ()
        """
        return tuple(getattr(finding, "code", "") for finding in self)

    @property
    def worst(self) -> str:
        """The highest severity; "" if nothing was found.

        >>> Findings().worst
        ''
        """
        return self[0].severity if self else ""

    @property
    def alarms(self) -> Findings:
        """Errors and warnings, without the notes.

        >>> Findings([Suspicion("note", "time", "a gap")]).alarms
        Findings()
        """
        return Findings(finding for finding in self if finding.severity != "note")

    def of(self, *codes: str) -> Findings:
        """Those with one of these codes.

        >>> len(Findings([Suspicion("note", "time", "a gap", code="gap")]).of("gap", "jitter"))
        1
        """
        return Findings(finding for finding in self if getattr(finding, "code", "") in codes)

    def __repr__(self) -> str:
        return f"Findings({', '.join(self.codes)})"

    def __str__(self) -> str:
        return "\n".join(map(str, self)) if self else "nothing found"

    def _repr_html_(self) -> str:
        from bifilar.robot.notebook import notebook_table

        rows = [[f.severity, f.where, f.what, getattr(f, "likely", ""), f.remedy] for f in self]
        head = ["", "where", "what", "likely", "try"]
        return notebook_table(
            f"{len(self)} finding{'' if len(self) == 1 else 's'}" if self else "Nothing found",
            [head, *rows] if rows else [],
            words=5,
        )

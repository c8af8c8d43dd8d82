"""How an estimation ended: a word for programs, a sentence for people.

ok               nothing to report
rank deficient   the data leave some parameters open; their values are the description's and they count as not identified
not converged    an iteration ran out of steps; the values are the best that were seen
infeasible       no parameters satisfy what was asked for; the values violate it least
doubtful         solved, but a test of the assumptions failed (wrong controller, wrong robot for the recording)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from bifilar.errors import Note, SolveError, plain

CONSISTENCY = "consistency.costly"  # a cause: physically consistent parameters leave more error than free ones
Code = Literal["ok", "rank deficient", "not converged", "infeasible", "doubtful"]


@dataclass(frozen=True)
class Status:
    """A code, and a note that says why.

    >>> str(Status("doubtful", Note("torque.zero/joint", joint="elbow")))
    "doubtful: the torque of 'elbow' is zero throughout"
    """

    code: Code = "ok"
    sentence: str = ""  # a note; its text, code, remedy and facts are kept
    remedy: str = ""
    cause: str = ""  # the note's code
    facts: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)  # the note's

    def __post_init__(self) -> None:
        if isinstance(self.sentence, Note):
            note = self.sentence
            kept = {"sentence": note.text, "remedy": self.remedy or note.remedy, "cause": self.cause or note.code}
            for name, value in (kept | {"facts": self.facts or note.facts}).items():
                object.__setattr__(self, name, value)
        if self.code not in get_args(Code):
            raise SolveError("status.unknown", found_code=self.code, get_args=get_args(Code))

    @property
    def ok(self) -> bool:
        """Whether there is nothing to report.

        >>> Status().ok
        True
        """
        return self.code == "ok"

    def __str__(self) -> str:
        return self.code if not self.sentence else f"{self.code}: {self.sentence}"

    def insist(self) -> None:
        """Raises unless all is well.

        >>> Status("infeasible", "the total mass is below that of one link").insist()
        Traceback (most recent call last):
        ...
        bifilar.errors.SolveError: infeasible: the total mass is below that of one link
        """
        if not self.ok:
            raise SolveError("status.not_ok", status=self.code, sentence=str(self), reason=self.cause, remedy=self.remedy)

    def worse(self, other: Status) -> Status:
        """The graver of two; both sentences if both are grave.

        >>> Status().worse(Status("doubtful", "a"))
        Status(code='doubtful', sentence='a', remedy='', cause='')
        """
        if self.ok or other.ok:
            return other if self.ok else self
        order = get_args(Code)
        first, second = (self, other) if order.index(self.code) <= order.index(other.code) else (other, self)
        sentences = "; ".join(part for part in (first.sentence, second.sentence) if part)
        alike = first.code != second.code or first.cause == second.cause  # of two doubts neither is the only cause
        remedy, cause = first.remedy or second.remedy, (first.cause or second.cause) if alike else ""
        return Status(first.code, sentences, remedy, cause, {**second.facts, **first.facts})

    def data(self) -> dict[str, Any]:
        """As plain values, for JSON.

        >>> Status("doubtful", Note("torque.zero/joint", joint="elbow")).data()["cause"]
        'torque.zero'
        """
        words = {"code": self.code, "sentence": self.sentence, "remedy": str(self.remedy), "cause": self.cause}
        return words | {"facts": plain(self.facts)}

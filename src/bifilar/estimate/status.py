"""How an estimation ended: a word for programs, a sentence for people.

ok               nothing to report
rank deficient   the data leave some parameters open; their values are the description's and they count as not identified
not converged    an iteration ran out of steps; the values are the best that were seen
infeasible       no parameters satisfy what was asked for; the values violate it least
doubtful         solved, but a test of the assumptions failed (wrong controller, wrong robot for the recording)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from bifilar.errors import SolveError

Code = Literal["ok", "rank deficient", "not converged", "infeasible", "doubtful"]


@dataclass(frozen=True)
class Status:
    """A code and a sentence.

    >>> str(Status("rank deficient", "joint 3 never moved"))
    'rank deficient: joint 3 never moved'
    """

    code: Code = "ok"
    sentence: str = ""
    remedy: str = ""
    cause: str = ""  # a code, where a program may want to know more: "poses" of a gravity model

    def __post_init__(self) -> None:
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
        return Status(first.code, sentences, first.remedy or second.remedy, first.cause or second.cause)

"""What became of a sample: taken in, or refused and why. A filter in a control loop answers with one of these, always."""

from __future__ import annotations

from dataclasses import dataclass

from bifilar.online.tables import ACCEPTED, CHANGED, STATUS


@dataclass(frozen=True)
class Outcome:
    """Answer of an update; true if the sample was taken in.

    >>> bool(OUTCOMES[0]), OUTCOMES[3].word
    (True, 'stale')
    """

    code: int
    word: str
    reason: str

    def __bool__(self) -> bool:
        return self.code in (ACCEPTED, CHANGED)

    def __str__(self) -> str:
        return self.word


OUTCOMES: tuple[Outcome, ...] = tuple(Outcome(code, *words) for code, words in sorted(STATUS.items()))

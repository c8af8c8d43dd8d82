"""What a check found: findings in order, the worst first, and those of a code."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, overload

from bifilar.errors import Finding

ORDER = {"error": 0, "warning": 1, "note": 2}


class Findings(tuple[Finding, ...]):
    """Findings, the worst first.

    >>> gap, nan = Finding("gap", "note", "time"), Finding("nan", "error", "torque")
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
        return tuple(finding.code for finding in self)

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

        >>> Findings([Finding("gap", "note", "time")]).alarms
        Findings()
        """
        return Findings(finding for finding in self if finding.severity != "note")

    def of(self, *codes: str) -> Findings:
        """Those with one of these codes.

        >>> len(Findings([Finding("gap", "note", "time")]).of("gap", "jitter"))
        1
        """
        return Findings(finding for finding in self if finding.code in codes)

    def __repr__(self) -> str:
        return f"Findings({', '.join(self.codes)})"

    def __str__(self) -> str:
        return "\n".join(map(str, self)) if self else "nothing found"

    def _repr_html_(self) -> str:
        from bifilar.robot.notebook import notebook_table

        rows = [[f.severity, f.where, f.what, f.likely, f.remedy] for f in self]
        head = ["", "where", "what", "likely", "try"]
        return notebook_table(
            f"{len(self)} finding{'' if len(self) == 1 else 's'}" if self else "Nothing found",
            [head, *rows] if rows else [],
            words=5,
        )

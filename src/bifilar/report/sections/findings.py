"""What checks found in the logs and in the description, and what the fit assumed, chose or found odd."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from bifilar.errors import Note, Remedy
from bifilar.report.markup import bullets, fill, paragraphs, table
from bifilar.report.page import Section
from bifilar.report.run import Run

ORDER = ("error", "warning", "note")


@dataclass(frozen=True, eq=False)
class FindingsSection(Section):
    """Findings of all logs and of the description, the worst first, and notes of the fit.

    >>> FindingsSection.title
    'Findings'
    """

    run: Run
    title = "Findings"
    template: ClassVar[str] = "{words}{table}{notes}"

    def parts(self) -> Mapping[str, Any]:
        """A table and a list."""
        found = [(name, one) for name, all_ in self.run.findings for one in all_]
        found += [("description", one) for one in self.run.described.check() if one.severity != "note"]
        found.sort(key=lambda pair: ORDER.index(pair[1].severity))
        rows = [["log", "", "where", "what", "likely", "remedy"]]
        rows += [[name, f.severity, f.where, f.what, f.likely, Remedy.of(f.remedy).both] for name, f in found]
        estimate = self.run.estimate
        notes = [f"{estimate.rows:,} rows by {estimate.method}; status: {estimate.status}", *estimate.notes]
        notes = [Note.of(note).both for note in notes]
        words = "" if found else "Checks found nothing wrong with the logs and with the description."
        return {
            "words": paragraphs(words),
            "table": table(rows, prose=True, kinds=[f.severity for _, f in found]) if found else "",
            "notes": fill("<h3>Notes of the fit</h3>{notes}", notes=bullets(notes)),
        }

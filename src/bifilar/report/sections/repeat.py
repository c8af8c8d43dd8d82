"""How to repeat the run: the command, the inputs with their hashes, versions."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from bifilar.recording.recipes import recipe_words
from bifilar.report.markup import command, fill, paragraphs, table
from bifilar.report.page import Section
from bifilar.report.run import Run


@dataclass(frozen=True, eq=False)
class RepeatSection(Section):
    """The command again, and what it read.

    >>> RepeatSection.title
    'How to repeat it'
    """

    run: Run
    title = "How to repeat it"
    template: ClassVar[str] = "{words}{again}{made}{inputs}{versions}"

    def parts(self) -> Mapping[str, Any]:
        """Commands and tables."""
        run = self.run
        rows = [["read", "sha256"], *([name, digest or "of the library"] for name, digest in run.inputs)]
        versions = ", ".join(f"{name} {number}" for name, number in run.versions.items() if number)
        made = fill("{words}{it}", words=paragraphs("It was made by"), it=command(run.command)) if run.command else ""
        notes = [f"Prepared by {recipe_words(self.run.estimate.recipe)}."]
        folder = shlex.quote(run.folder) if run.folder else "RUN"
        return {
            "words": paragraphs("The same inputs give the same numbers to the last digit; this does it again and compares:"),
            "again": command(f"bifilar rerun {folder}"),
            "made": made,
            "inputs": table(rows) if run.inputs else "",
            "versions": paragraphs(*notes, f"Versions: {versions}." if versions else ""),
        }

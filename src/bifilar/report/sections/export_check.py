"""Whether the identified robot survives being written: the URDF read again by another program, torques compared."""

from __future__ import annotations

import shlex
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from bifilar.errors import BifilarError
from bifilar.estimate.estimate import Estimate
from bifilar.export.write_model import write_model
from bifilar.report.markup import bullets, command, fill, paragraphs
from bifilar.report.page import Section
from bifilar.report.run import Run


@dataclass(frozen=True, eq=False)
class ExportSection(Section):
    """One sentence, what the file holds and what it cannot.

    >>> ExportSection.title
    'Export check'
    """

    run: Run
    title = "Export check"
    template: ClassVar[str] = "{words}{lists}{how}"

    def parts(self) -> Mapping[str, Any]:
        """The URDF is written to a temporary place, read again, compared and removed."""
        run = self.run
        folder = shlex.quote(run.folder) if run.folder else "RUN"
        if not isinstance(run.estimate, Estimate):
            words = "Base parameters have no links: they are written as a table (.csv, .json), not as a URDF."
            return {"words": paragraphs(words), "lists": "", "how": command(f"bifilar export {folder} -o parameters.csv")}
        if not run.verdict.may_be_used:
            return {"words": paragraphs("The verdict is 'refused': no robot is handed on."), "lists": "", "how": ""}
        try:
            with tempfile.TemporaryDirectory() as place:
                done = write_model(run.estimate, Path(place, "identified.urdf"))
        except BifilarError as error:
            return {"words": paragraphs(f"The URDF does not survive being written: {error.what}"), "lists": "", "how": ""}
        words = (
            f"identified.urdf was read again by {done.reader}: joint torques at 40 random states agree to "
            f"{done.difference:.1g} of "
            "their size."
        )
        lists = fill(
            "<h3>The file holds</h3>{here}<h3>It cannot say</h3>{gone}", here=bullets(done.carried), gone=bullets(done.lost)
        )
        return {
            "words": paragraphs(words),
            "lists": lists,
            "how": command(f"bifilar export {folder} -o arm.xml arm.csv arm.yaml"),
        }

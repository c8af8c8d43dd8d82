"""`bifilar report RUN`: the report of a run, as one HTML file."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from bifilar import __version__
from bifilar.cli.letter import json_text
from bifilar.cli.options import FileOutput, RunFolder, written
from bifilar.cli.output import patience, show, words

SUMMARY = """The report of a run as one HTML file: verdict, errors, every number, what to record next.

It opens by a double click and needs no network. 'bifilar fit' writes it already; this makes it again."""
EXAMPLES = """\
  bifilar report runs/arm-001                     writes runs/arm-001/report.html
  bifilar report runs/arm-001 -o for-anna.html    a copy to send
"""
ONE_WORD = "report takes one run at a time"


@dataclass(frozen=True, kw_only=True)
class Settings(FileOutput):
    """Which run, and where to.

    >>> Settings(run="runs/arm-001").output is None
    True
    """

    run: RunFolder
    output: Annotated[str | None, written("PAGE", "(default: RUN/report.html)")] = None


def run(settings: Settings) -> int:
    """Write the page.

    >>> run(Settings(run="nowhere"))
    Traceback (most recent call last):
    ...
    bifilar.cli.fit_folder.RunError: there is no run here
    ...
    """
    from bifilar.cli.design_files import may_be_written
    from bifilar.cli.fit_folder import PAGE, about_run
    from bifilar.cli.log_words import page_of as page_named
    from bifilar.cli.report_run import page_of, stored_run

    about_run(Path(settings.run))
    target = Path(settings.run, PAGE) if settings.output is None else page_named(settings.output)
    may_be_written([target], force=settings.force or settings.output is None)
    with patience("reading the logs and drawing"):
        told = stored_run(settings.run)
        page = page_of(told)
        page.save(target)
    size = target.stat().st_size
    if settings.json:
        facts = {"bifilar": __version__, "run": settings.run, "file": str(target), "bytes": size}
        sections = [section.title for section in page.sections]
        sys.stdout.write(json_text({**facts, "sections": sections, "missing": list(told.missing)}))
    else:
        lines = [words(f"wrote    {target}: {size / 1e3:.0f} kB, {len(page.sections)} sections")]
        lines += [words(f"note     gone or changed since, not drawn: {name}", "yellow") for name in told.missing]
        show([*lines, words("next     open it in a browser: a double click is enough")])
    return 0

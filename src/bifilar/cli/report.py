"""`bifilar report RUN`: the report of a run, as one HTML file."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from bifilar import __version__
from bifilar.cli.letter import json_text
from bifilar.cli.options import FileOutput, RunFolder, written
from bifilar.cli.output import patience, show, words
from bifilar.errors import ResourceError

if TYPE_CHECKING:
    from bifilar.cli.stored_run import StoredRun

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
    bifilar.cli.fit_folder.RunError: this folder holds no run
    ...
    """
    from bifilar.cli.design_files import may_be_written
    from bifilar.cli.log_words import page_of as page_named
    from bifilar.cli.report_run import page_of, with_logs
    from bifilar.cli.stored_run import stored
    from bifilar.run_files import PAGE

    run = stored(settings.run)
    target = Path(settings.run, PAGE) if settings.output is None else page_named(settings.output)
    may_be_written([target], force=settings.force or settings.output is None)
    with patience("reading the logs and drawing"):
        told = with_logs(run)
        page = page_of(told)
        if settings.output is None:
            _save_sealed(run, target, page.content())
        else:
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


def _save_sealed(run: StoredRun, target: Path, page: bytes) -> None:
    """Write the page into the run's folder, which is sealed again; a run of the time before seals stays as it is."""
    from bifilar.cli.stored_run import about_run
    from bifilar.robot.write_file import write_files
    from bifilar.run_files import ABOUT, PAGE, about_bytes, sealed

    files = {target: page}
    if "seal" in run.facts:
        files[run.folder / ABOUT] = about_bytes(sealed(run.facts, run.folder, {PAGE: page}))
    if about_run(run.folder) != run.facts:
        raise ResourceError("folder.busy/run_reader", where=str(run.folder))
    write_files(files)

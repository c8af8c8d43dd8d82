"""`bifilar reproduce PAPER`: the experiments of a paper again, published numbers beside ours, every figure drawn."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from tyro.conf import Positional, arg

from bifilar import __version__
from bifilar.cli.design_files import free_name, may_be_written
from bifilar.cli.guard import UsageError
from bifilar.cli.letter import json_text
from bifilar.cli.options import FileOutput, written
from bifilar.cli.output import Column, show, symbol, table, words
from bifilar.cli.progress import steps

PAPERS = {"joukov2015": "bifilar.papers.joukov2015", "ma1996": "bifilar.papers.ma1996", "wang2018": "bifilar.papers.wang2018"}
PAPERS |= {"dolinsky2017": "bifilar.papers.dolinsky2017", "bargsten2013": "bifilar.papers.bargsten2013"}
SEEDS = 10  # of papers that do not say
SUMMARY = """The experiments of a paper again: published numbers beside ours, every figure drawn into one page.

Exit code 1 if a demand is not met. Parts that need public recordings are left out where those are not here."""
EXAMPLES = """\
  bifilar reproduce joukov2015                     ten seeds each, a few minutes
  bifilar reproduce joukov2015 --seeds 2 --json    quicker, as JSON
  bifilar reproduce ma1996 --seeds 20              gravity and torque sensors, half a minute
  bifilar reproduce wang2018                       twenty legs simplified, some minutes
  bifilar reproduce dolinsky2017 --full            walkers, a thousand runs per cell, on all processors; without: forty
  bifilar reproduce bargsten2013                   an arm from its DH table to a circle in space, ten recordings, some minutes
"""


@dataclass(frozen=True, kw_only=True)
class Settings(FileOutput):
    """Which paper, how thoroughly.

    >>> Settings(paper="joukov2015").runs
    1000
    """

    paper: Annotated[Positional[str], arg(metavar="PAPER")]  # joukov2015, ma1996, wang2018, dolinsky2017, bargsten2013
    seeds: Annotated[int | None, arg(metavar="N", help_behavior_hint="(default: 10, wang2018 20, dolinsky2017 40)")] = None
    """of every experiment with noise"""
    runs: Annotated[int, arg(metavar="N")] = 1000  # of the study of deviations, and of false alarms
    updates: Annotated[int, arg(metavar="N")] = 10_000_000  # of the long run; a tenth of them at rest
    full: Annotated[bool, arg(help_behavior_hint="")] = False  # as many runs as the paper had, if it had more
    output: Annotated[str | None, written("PAGE")] = None  # the page; PAPER.html


def run(settings: Settings) -> int:
    """Do it all again; 1 if a demand is not met.

    >>> run(Settings(paper="nobody1999"))
    Traceback (most recent call last):
    ...
    bifilar.cli.guard.UsageError: there is no paper 'nobody1999' here
      papers  joukov2015, ma1996...
    """
    from importlib import import_module

    if settings.paper not in PAPERS:
        raise UsageError("paper.unknown", papers=PAPERS, paper=settings.paper)
    if (settings.seeds is not None and settings.seeds < 1) or settings.runs < 10 or settings.updates < 1000:
        raise UsageError("usage.value/reproduce")
    page = free_name(settings.output, f"{settings.paper}.html", force=settings.force)
    may_be_written([page], force=settings.force)
    module = import_module(PAPERS[settings.paper])
    with steps(len(module.PARTS)) as tell:
        usual = getattr(module, "FULL" if settings.full else "SEEDS", getattr(module, "SEEDS", SEEDS))
        seeds = settings.seeds if settings.seeds is not None else usual
        done = module.reproduced(seeds=seeds, runs=settings.runs, updates=settings.updates, tell=tell)
    done.page().save(page)
    if settings.json:
        sys.stdout.write(json_text({"bifilar": __version__, "page": str(page), **done.facts()}))
    else:
        show(_view(done, page))
    return 0 if done.good else 1


def _view(done: Any, page: Path) -> list[Any]:
    mark = {True: symbol("✓", "yes"), False: symbol("✗", "NO"), None: ""}
    rows = [[c.where, c.what, c.published, c.ours, c.asked, mark[c.good]] for c in done.claims]
    columns = [
        Column("", "text"),
        Column("what", "wrapped"),
        Column("published", "wrapped", drop=2),
        Column("here", "wrapped"),
        Column("asked", "wrapped", drop=1),
        Column(""),
    ]
    return [words(done.citation), words(""), table(columns, rows), words(""), words(f"wrote    {page}")]

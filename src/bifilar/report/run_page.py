"""The report about a run: every section, in the order in which one asks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from bifilar.estimate.estimate import BaseEstimate
from bifilar.estimate.sources import Data, listed
from bifilar.report.page import Page, Section
from bifilar.report.run import Run, repeats
from bifilar.report.sections.bodies import BodiesSection
from bifilar.report.sections.export_check import ExportSection
from bifilar.report.sections.findings import FindingsSection
from bifilar.report.sections.friction import FrictionSection
from bifilar.report.sections.ladder import ladder_sections
from bifilar.report.sections.motion import MotionSection
from bifilar.report.sections.next_recording import NextSection
from bifilar.report.sections.parameters import ParametersSection
from bifilar.report.sections.repeat import RepeatSection
from bifilar.report.sections.residuals import ResidualsSection
from bifilar.report.sections.seen import SeenSection
from bifilar.report.sections.torque import TorqueSection
from bifilar.report.sections.torque_errors import ErrorsSection
from bifilar.report.sections.trust import TrustSection
from bifilar.report.sections.uncertainty import UncertaintySection
from bifilar.report.sections.verdict import COLOURS, VerdictSection
from bifilar.report.ticks import percent
from bifilar.validate.holdout import held_out
from bifilar.validate.verdict import judge

SECTIONS: tuple[type, ...] = (
    *(VerdictSection, TrustSection, NextSection, FindingsSection, ErrorsSection, TorqueSection, ParametersSection),
    *(SeenSection, BodiesSection, FrictionSection, ResidualsSection, MotionSection, UncertaintySection, ExportSection),
    RepeatSection,
)


def run_page(run: Run, *, lead: str = "", foot: str = "", more: Sequence[Section] = ()) -> Page:
    """The whole report; `more` sections stand before the last, which tells how to repeat it.

    >>> robot = bf.Robot.load("pendulum")
    >>> q, v, a = np.random.default_rng(0).normal(size=(3, 200, 1))
    >>> data = q, v, a, robot.inverse_dynamics(q, v, a)
    >>> estimate = bf.fit(robot, data)
    >>> run = Run(estimate=estimate, verdict=bf.judge(estimate), train=[("swing", data)])
    >>> [section.title for section in run_page(run).sections][:2]
    ['Verdict: not judged', 'Can I trust it for my motion?']
    """
    *first, last = (kind(run) for kind in SECTIONS)
    return Page(run.title, lead, _facts(run), [*first, *ladder_sections(run.estimate.tables), *more, last], foot)


def report_of(
    estimate: BaseEstimate, train: Data | Iterable[Data] = (), test: Data | Iterable[Data] = (), *, title: str = ""
) -> Page:
    """The report of an estimate, with the recordings that it was fitted to and those to judge it on; `save` writes it.

    >>> robot = bf.Robot.load("pendulum")
    >>> q, v, a = np.random.default_rng(0).normal(size=(3, 200, 1))
    >>> data = q, v, a, robot.inverse_dynamics(q, v, a)
    >>> report_of(bf.fit(robot, data), data).sections[0].title
    'Verdict: not judged'
    """
    fitted, judged = _named(train, "fitted"), _named(test, "judged on")
    verdict = judge(estimate, held_out(estimate, [data for _, data in judged], fitted=train) if judged else None)
    name = title or estimate.described.name
    words = ", ".join(name for name, _ in judged)
    return run_page(Run(estimate=estimate, verdict=verdict, title=name, train=fitted, test=judged, judged_on=words))


def _named(recordings: Data | Iterable[Data], word: str) -> list[tuple[str, Data]]:
    """Recordings by their own names, others by a number."""
    if isinstance(recordings, (list, tuple)) and not recordings:
        return []
    found = listed(recordings)
    names = [getattr(data, "name", "") or (f"{word} {k}" if len(found) > 1 else word) for k, data in enumerate(found, 1)]
    return list(zip(names, found))


def _facts(run: Run) -> list[tuple[str, str, str]]:
    seen, estimate = run.verdict.validation, run.estimate
    facts: list[tuple[str, str, str]] = [(run.verdict.level, "verdict", COLOURS[run.verdict.level])]
    if seen is not None:
        where = "when the motion comes again" if repeats(run.verdict) else "on unseen motion"
        facts.append((percent(seen.relative), f"of the torque missing {where}", ""))
        facts.append((percent(seen.described), "by the description as it was", ""))
    known = int(np.sum(estimate.identified))
    facts.append((f"{known} of {len(estimate.values)}", "base parameters identified", ""))
    found = [one for _, all_ in run.findings for one in all_ if one.severity != "note"]
    facts.append((str(len(found)), "warnings or errors in the logs", "warn" if found else ""))
    return facts

"""The verdict in one sentence, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from bifilar.errors import Note
from bifilar.report.markup import Html, bullets, fill
from bifilar.report.page import Section
from bifilar.report.run import Run, judged_motion, repeats
from bifilar.report.ticks import percent

COLOURS = {"good": "good", "usable": "warn", "poor": "bad", "refused": "bad", "not judged": "warn"}
MAY = {
    "good": "It predicts about as well as the recording's noise allows",
    "usable": "It may be used with care, for gravity compensation, feed-forward and simulation",
    "poor": "It helps, but leaves more than is usable",
    "refused": "It is not to be used",
    "not judged": "No motion was kept apart, so nothing says how it predicts",
}


@dataclass(frozen=True, eq=False)
class VerdictSection(Section):
    """Good, usable, poor, refused or not judged.

    >>> from bifilar.report.run import Run
    >>> VerdictSection(Run(estimate=None, verdict=bf.Verdict("poor", ("why",)))).title
    'Verdict: poor'
    """

    run: Run
    template: ClassVar[str] = '<p class="answer">{sentence}</p>{reasons}'

    @property
    def title(self) -> str:  # type: ignore[override]
        """The level.

        >>> VerdictSection(Run(estimate=None, verdict=bf.Verdict("good", ()))).title
        'Verdict: good'
        """
        return f"Verdict: {self.run.verdict.level}"

    @property
    def key(self) -> str:
        """Always the same.

        >>> VerdictSection(Run(estimate=None, verdict=bf.Verdict("good", ()))).key
        'verdict'
        """
        return "verdict"

    @property
    def kind(self) -> str:  # type: ignore[override]
        """Colour of the frame.

        >>> VerdictSection(Run(estimate=None, verdict=bf.Verdict("good", ()))).kind
        'verdict good'
        """
        return f"verdict {COLOURS[self.run.verdict.level]}"

    def parts(self) -> Mapping[str, Any]:
        """A sentence, and the reasons.

        >>> VerdictSection(Run(estimate=None, verdict=bf.Verdict("poor", ("why",)))).parts()["reasons"]
        '<ul><li>why</li></ul>'
        """
        files = [str(file) for file in self.run.files if file.notable]
        return {"sentence": verdict_sentence(self.run), "reasons": bullets([*files, *self.run.verdict.reasons])}


def verdict_sentence(run: Run) -> Html:
    """The verdict as one sentence.

    >>> verdict_sentence(Run(estimate=None, verdict=bf.Verdict("not judged", ())))
    '<b>Not judged</b>. No motion was kept apart, so nothing says how it predicts.'
    """
    verdict = run.verdict
    level = verdict.level[:1].upper() + verdict.level[1:]
    seen = verdict.validation
    if seen is None:
        return fill("<b>{level}</b>. {may}.", level=level, may=MAY[verdict.level])
    return fill(
        "<b>{level}</b>: on {where}, the identified robot misses <b>{now}</b> of the joint torque; "
        "the description missed {before}. {may}.",
        where=judged_motion(run), level=level, now=percent(seen.relative), before=percent(seen.described), may=_may(run),
    )  # fmt: skip


def _may(run: Run) -> str:
    """What it may be used for; a motion that was fitted tells about no other."""
    said = MAY[run.verdict.level]
    if any(Note.of(reason).code == "model.torque_only" for reason in run.verdict.reasons):
        said = said.replace(", feed-forward and simulation", " and feed-forward")
    return f"{said}; other motion was not tried" if repeats(run.verdict) and run.verdict.may_be_used else said

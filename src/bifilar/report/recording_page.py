"""The page about a recording: what was found, the clock, and every channel drawn with the findings marked in it."""

from __future__ import annotations

from collections.abc import Sequence

from bifilar.dynamics.tree import Array
from bifilar.errors import Finding, Remedy
from bifilar.recording.recording import Recording
from bifilar.report.page import Drawings, Page, Section, Words
from bifilar.report.recording_figures import MOST_MARKS, Mark, begin, channel_plots, clock_plot, marks

MOST_FIGURES = 120  # of one page; what is more is named
ORDER = ("position", "velocity", "acceleration", "torque", "current")


def recording_page(
    recording: Recording,
    findings: Sequence[Finding],
    *,
    title: str = "A recording",
    lead: str = "",
    facts: Sequence[tuple[str, str, str]] = (),
    foot: str = "",
    steps: Array | None = None,
) -> Page:
    """All about a recording. The findings' numbers in the table are those in the pictures. `steps` of the clock [s] are
    given where the recording is an envelope of a longer one.

    >>> swing = Recording(joint_names=("hip",), time=[0.0, 0.1, 0.2], position=[[0], [1], [2]])
    >>> [section.title for section in recording_page(swing, []).sections]
    ['Findings: none', 'Clock', 'Position']
    """
    found = marks(findings)
    sections: list[Section] = [_findings(findings, found)]
    if len(recording) > 1:
        sections.append(Drawings("Clock", _clock_words(recording), [clock_plot(recording, found, steps)], wide=True))
    left, hidden = MOST_FIGURES, []
    for name in sorted(recording.channels, key=_rank):
        channel = recording.channels[name]
        if len(channel.columns) > left:
            hidden.append(name)
            continue
        left -= len(channel.columns)
        sections.append(Drawings(_headline(name), _origin_words(recording, name), channel_plots(recording, name, found)))
    if hidden:
        sections.append(Words("Not drawn", f"There are too many columns for one page; left out: {', '.join(hidden)}."))
    return Page(title, lead, facts, sections, foot)


def _rank(name: str) -> tuple[int, str]:
    return (ORDER.index(name), "") if name in ORDER else (len(ORDER), name)


def _headline(name: str) -> str:
    words = name.replace("_", " ")
    return words[:1].upper() + words[1:]


def _findings(findings: Sequence[Finding], found: Sequence[Mark]) -> Section:
    if not findings:
        return Words("Findings: none", "Nothing that was looked for was found.")
    marked = {mark.number for mark in found}
    rows = [["", "", "where", "what", "likely", "remedy"]]
    for number, finding in enumerate(findings, 1):
        sign = f"{number}" + ("" if number in marked else " *")
        capped = len(finding.at) >= MOST_MARKS
        what = finding.what + (f" (the first {MOST_MARKS} places are marked)" if capped else "")
        rows.append([sign, finding.severity, finding.where, what, finding.likely, Remedy.of(finding.remedy).both])
    words = "Numbers are those in the pictures: red for errors, amber for warnings, blue for notes."
    words += " Those with a star have no place of their own." if len(marked) < len(findings) else ""
    return Words("Findings", words, rows, prose=True, kinds=[finding.severity for finding in findings])


def _clock_words(recording: Recording) -> str:
    said = "Time from each sample to the next."
    if recording.clock == "assumed":
        said = "Nobody stamped these samples: the rate is an assumption."
    zero = begin(recording)
    return said + (f" In all pictures time counts from the first stamp, {zero:.3f} s." if zero else "")


def _origin_words(recording: Recording, name: str) -> str:
    channel = recording.channels[name]
    parts = [f"From {channel.origin[:300]}" if channel.origin else ""]
    si = ", ".join(dict.fromkeys(channel.units))
    parts.append(f"stated in {channel.stated_unit}" if channel.stated_unit and channel.stated_unit != si else "")
    parts.append(f"in the frame '{channel.frame}'" if channel.frame else "")
    parts.append("with stamps of its own" if channel.time is not None else "")
    parts.append("on an assumed clock" if channel.clock == "assumed" else "")
    said = ", ".join(part for part in parts if part)
    return said[:1].upper() + said[1:] + "." if said else ""

"""Every entry of the catalogue on every surface: an exception, a terminal, a page, JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from bifilar.cli.letter import as_typed, json_text, letter_text
from bifilar.errors import BifilarError, Finding, Note, Remedy
from bifilar.messages import Message, catalogue, placeholders
from bifilar.report.markup import bullets

FIGURE = re.compile(r"\{(?:[-\d.e]+\*)?(\w+)(?::[^{}]*[gfe%d]|:one=[^{}]*)\}")
LISTED = re.compile(r"\{(\w+):(?:join|quoted)[^{}]*\}")


def templates(entry: Message) -> list[str]:
    """All that an entry says."""
    several = [entry.likely] if isinstance(entry.likely, str) else list(entry.likely)
    several += [entry.remedy] if isinstance(entry.remedy, str) else list(entry.remedy)
    return [entry.what, entry.cli, entry.lead, entry.otherwise, *several]


def facts_of(entry: Message) -> dict[str, object]:
    """A value of the right kind for every fact."""
    text = " ".join(templates(entry))
    lists, numbers = set(LISTED.findall(text)), set(FIGURE.findall(text))
    names = set().union(*map(placeholders, templates(entry))) | set(entry.listed)
    return {name: ["one", "two"] if name in lists else 2.5 if name in numbers else f"<{name}>" for name in names}


def all_entries(law: Callable[[str], None]) -> None:
    """A law of one entry holds for all; thousands of tests of their own would take a minute. Names those that break it."""
    broken = {}
    for key in sorted(catalogue()):
        try:
            law(key)
        except Exception as error:
            broken[key] = f"{type(error).__name__}: {error}"
    assert not broken, "\n".join(f"{key}: {why}" for key, why in broken.items())


def test_every_entry_is_rendered_on_every_surface():
    all_entries(rendered)


def rendered(key: str) -> None:
    entry, code = catalogue()[key], key.partition("/")[0]
    facts = facts_of(entry)
    error, finding, note = BifilarError(key, **facts), Finding(key, "note", "here", **facts), Note(key, **facts)
    for said in (str(error), letter_text(error), str(finding), note, note.typed, note.both, str(bullets([note.both]))):
        assert said.strip() and said.count("?") <= "".join(templates(entry)).count("?"), said
    assert error.code == finding.code == note.code == code
    assert json.loads(json_text(error.data()))["facts"] == json.loads(json_text(note.data()))["facts"] == facts
    assert json.loads(json_text(finding.data()))["facts"] == facts
    again = Note.from_data(json.loads(json_text(note.data())))
    assert (again, again.code, again.facts) == (note, code, facts)
    assert as_typed(error).remedy == (Remedy.of(finding.remedy).cli or "bifilar --help")


def test_sentences_are_plain():
    all_entries(plain)


def plain(key: str) -> None:
    """No full stop at the end, no line breaks but in an example of a file."""
    entry = catalogue()[key]
    assert "\n" not in entry.what and "\n" not in "".join(entry.likely)
    assert not [text for text in templates(entry) if text.endswith(".") and not text.endswith("...")]


def test_a_message_never_fails():
    """A fact that is missing, or of another kind, is a poor sentence and not a second error."""
    assert BifilarError("joint.unknown/checks").what
    assert str(BifilarError("mass.missing", moment="heavy"))
    assert str(BifilarError("no.such_key")) == "no.such_key"

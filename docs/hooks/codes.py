"""Every code of an error, a finding or a note, with its sentences, likely causes and remedies, from the catalogue."""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "src"))

from bifilar.messages import Message, catalogue

SHOWN = 3  # sentences of one code
HOLE = re.compile(r"\{[^{}]*\}")


def page() -> str:
    """The list as Markdown, a section for each first word of a code."""
    by_code: dict[str, list[Message]] = defaultdict(list)
    for key, entry in catalogue().items():
        by_code[key.partition("/")[0]].append(entry)
    lines = [
        "# Codes",
        "",
        "Every error, finding and note has a code, in Python as `.code` and in JSON. Sentences may be reworded at any time,",
        "codes stay. `…` stands for a fact. This page is made from the catalogue, `bifilar.messages`.",
    ]
    area = None
    for code in sorted(by_code):
        if code.split(".")[0] != area:
            area = code.split(".")[0]
            lines += ["", f"## {area}", "", "| code | said | likely cause | to try |", "|---|---|---|---|"]
        columns = zip(*((entry.what, _first(entry.likely), _typed(entry)) for entry in by_code[code]))
        cells = ["<br>".join(list(dict.fromkeys(filter(None, map(_plain, each))))[:SHOWN]) for each in columns]
        lines.append(f"| `{code}` | {' | '.join(_cell(cell) for cell in cells)} |")
    return "\n".join(lines) + "\n"


def _first(templates: str | tuple[str, ...]) -> str:
    return templates if isinstance(templates, str) else templates[0]


def _typed(entry: Message) -> str:
    """The remedy as it is typed."""
    return entry.lead + (entry.cli or _first(entry.remedy))


def _plain(template: str) -> str:
    """A template with … for its facts."""
    return HOLE.sub("…", template.replace("{{", "\0").replace("}}", "\1")).replace("\0", "{").replace("\1", "}")


def _cell(text: str) -> str:
    return text.replace("|", "/").replace("<br>", "\n").replace("<", "&lt;").replace("\n", "<br>")

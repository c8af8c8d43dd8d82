"""One HTML page that holds everything: texts, tables, figures and the code that draws them. It asks no network for anything."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any

from bifilar.robot.write_file import write_file

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

# 'none' for everything that is not written here: the page can neither load nor send.
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval' blob:; style-src 'unsafe-inline'; "
    "img-src data: blob:; worker-src blob:"
)
STYLE = """
:root { color-scheme: light; }
* { box-sizing: border-box; }
body { margin: 0; background: #f3f4f6; color: #1f2937; 
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
main { max-width: 1180px; margin: 0 auto; padding: 20px 16px 40px; }
h1 { font-size: 26px; line-height: 1.25; margin: 6px 0 2px; }
h2 { font-size: 18px; margin: 0 0 2px; }
p { margin: 4px 0 10px; color: #4b5563; max-width: 78ch; }
p.lead { font-size: 16px; }
section { background: white; border: 1px solid #e5e7eb; border-radius: 10px; padding: 16px 18px; margin-top: 16px; }
.facts { display: flex; flex-wrap: wrap; gap: 8px; margin: 12px 0 0; padding: 0; list-style: none; }
.facts li { background: white; border: 1px solid #e5e7eb; border-radius: 8px; padding: 6px 12px; }
.facts b { display: block; font-size: 17px; line-height: 1.3; }
.facts span { color: #6b7280; font-size: 13px; }
.facts li.bad { border-color: #b91c1c; background: #fef2f2; }
.facts li.warn { border-color: #d97706; background: #fffbeb; max-width: 60ch; }
.facts li.good { border-color: #047857; background: #ecfdf5; }
.grid { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 268px), 1fr)); gap: 6px 12px; }
.figure { min-width: 0; width: 100%; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 14px; }
th, td { padding: 3px 16px 3px 0; text-align: right; white-space: nowrap; }
th { color: #6b7280; font-weight: 500; border-bottom: 1px solid #e5e7eb; }
th:first-child, td:first-child { text-align: left; }
table.prose th, table.prose td { text-align: left; white-space: normal; vertical-align: top; min-width: 2em; }
table.prose td:nth-child(-n+2) { white-space: nowrap; }
table.prose td:nth-child(n+3) { min-width: 9em; }
table.prose td:nth-child(n+4) { min-width: 13em; }
table.prose td { border-bottom: 1px solid #f3f4f6; overflow-wrap: break-word; }
tr.error td:nth-child(-n+2) { color: #b91c1c; font-weight: 600; }
tr.warning td:nth-child(-n+2) { color: #d97706; font-weight: 600; }
tr.note td:nth-child(-n+2) { color: #2563eb; }
footer { color: #6b7280; font-size: 13px; margin-top: 18px; }
code { background: #f3f4f6; padding: 1px 4px; border-radius: 4px; }
@media (max-width: 600px) { section { padding: 12px 10px; } main { padding: 12px 8px 30px; } h1 { font-size: 21px; } }
@media print { body { background: white; } section { break-inside: avoid; } }
"""
DRAW = """
for (const place of document.querySelectorAll(".figure")) {
  const drawn = JSON.parse(place.querySelector("script").textContent);
  drawn.config = {responsive: true, displaylogo: false, displayModeBar: false};
  Plotly.newPlot(place, drawn);
}
"""


@dataclass(frozen=True, eq=False)
class Section:
    """A part of a page: a title, a sentence, a table, figures; `small` figures stand side by side.

    >>> Section("Margins", "What is left.").title
    'Margins'
    """

    title: str
    words: str = ""
    figures: Sequence[Figure] = ()
    small: bool = False
    table: Sequence[Sequence[str]] = ()  # the first row is its head
    prose: bool = False  # whether the table holds sentences, which are broken into lines


@dataclass(frozen=True, eq=False)
class Page:
    """A page about one thing.

    >>> "<h1>A motion</h1>" in Page("A motion").html()
    True
    """

    title: str
    lead: str = ""
    facts: Sequence[tuple[str, str, str]] = ()  # value, what it is, and '', 'good', 'warn' or 'bad'
    sections: Sequence[Section] = field(default=())
    foot: str = ""

    def html(self) -> str:
        """The whole page as text.

        >>> Page("A motion").html().count("<script")
        2
        """
        from plotly.offline import get_plotlyjs

        facts = "".join(
            f'<li class="{escape(kind)}"><b>{escape(value)}</b><span>{escape(what)}</span></li>'
            for value, what, kind in self.facts
        )
        body = f"<h1>{escape(self.title)}</h1>"
        body += f'<p class="lead">{escape(self.lead)}</p>' if self.lead else ""
        body += f'<ul class="facts">{facts}</ul>' if facts else ""
        body += "".join(_section(section) for section in self.sections)
        body += f"<footer>{escape(self.foot)}</footer>" if self.foot else ""
        head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        head += f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        head += f"<title>{escape(self.title)}</title><style>{STYLE}</style><script>{get_plotlyjs()}</script>"
        body = f"<main>{body}</main>\n<script>{DRAW}</script>"
        return f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body>{body}</body></html>\n'

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it; any browser opens it.

        >>> import pathlib, tempfile
        >>> file = pathlib.Path(tempfile.mkdtemp(), "page.html")
        >>> Page("A motion").save(file)
        >>> file.read_text()[:15]
        '<!doctype html>'
        """
        write_file(path, self.html().encode("utf-8", "backslashreplace"))


def _section(section: Section) -> str:
    figures = "".join(_figure(figure) for figure in section.figures)
    words = f"<p>{escape(section.words)}</p>" if section.words else ""
    table = _table(section.table, section.prose) if section.table else ""
    drawn = f'<div class="{"grid" if section.small else ""}">{figures}</div>'
    return f"<section><h2>{escape(section.title)}</h2>{words}{table}{drawn}</section>"


def _figure(figure: Figure) -> str:
    text: Any = figure.to_json(engine="json")
    text = text.replace("<", "\\u003c")  # a name cannot end the script
    return (
        f'<div class="figure" style="min-height:{figure.layout.height}px"><script type="application/json">{text}</script></div>'
    )


def _table(rows: Sequence[Sequence[str]], prose: bool) -> str:
    head, *body = (
        "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in row) for row, tag in zip(rows, ["th"] + ["td"] * len(rows))
    )
    kind = ' class="prose"' if prose else ""
    lines = "".join(f"<tr{_severity(row)}>{cells}</tr>" for row, cells in zip(rows[1:], body))
    return f'<div class="scroll"><table{kind}><tr>{head}</tr>{lines}</table></div>'


def _severity(row: Sequence[str]) -> str:
    """Rows of findings are coloured by how bad they are, which stands in their second cell."""
    return f' class="{row[1]}"' if len(row) > 1 and row[1] in ("error", "warning", "note") else ""

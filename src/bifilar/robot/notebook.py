"""Small HTML tables for notebooks: no script, no network, and names of strangers as plain text."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

MOST = 40  # rows that are shown

_TABLE = "border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:13px;margin:4px 0"
_CELL = "padding:2px 12px 2px 0;text-align:{side};border-bottom:1px solid rgba(128,128,128,.25);vertical-align:top"
_SHADES = {"error": "#c0392b", "warning": "#b36b00", "note": "#2471a3"}


def notebook_table(title: str, rows: Sequence[Sequence[object]], note: str = "", words: int = 1) -> str:
    """A title, a table with its head first, and a note; of long tables the first rows. The first `words` columns hold words.

    >>> html = notebook_table("<b>arm", [["link", "mass"], ["hand", "0.5 kg"]])
    >>> "&lt;b&gt;arm" in html, html.count("<tr>")
    (True, 2)
    """
    shown, more = rows[: MOST + 1], len(rows) - 1 - MOST
    lines = "".join(f"<tr>{_cells(row, 'td' if k else 'th', words)}</tr>" for k, row in enumerate(shown))
    table = f'<table style="{_TABLE}">{lines}</table>' if rows else ""
    rest = f"and {more} more. " if more > 0 else ""
    foot = f'<div style="opacity:.7;font-size:12px">{_text(rest + note)}</div>' if rest or note else ""
    return f'<div><div style="font-size:14px"><b>{_text(title)}</b></div>{table}{foot}</div>'


def _cells(row: Sequence[object], tag: str, words: int) -> str:
    cells = []
    for k, value in enumerate(row):
        shade = _SHADES.get(str(value)) if tag == "td" else None
        colour = f";color:{shade};font-weight:600" if shade else ""
        weight = ";font-weight:500;opacity:.7" if tag == "th" else ""
        side = "left" if k < words else "right"
        cells.append(f'<{tag} style="{_CELL.format(side=side)}{colour}{weight}">{_text(str(value))}</{tag}>')
    return "".join(cells)


def _text(text: str) -> str:
    return escape("".join(c if c.isprintable() else c.encode("unicode_escape", "backslashreplace").decode() for c in text))

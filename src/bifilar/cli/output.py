"""Where results are printed: a rich console that takes every text literally, in colours only where a terminal shows them.

Names come from files of strangers. Nothing here reads markup, and `words` spells out control characters.
"""

from __future__ import annotations

import math
import os
import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal, NamedTuple, TextIO

from bifilar.cli.letter import plain

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table
    from rich.text import Text

    from bifilar.errors import Finding

WIDTH = 160  # columns where there is no terminal to ask
NARROW = 16  # columns a name keeps at least
COLOURS = {"error": "bold red", "warning": "yellow", "note": "cyan", "ok": "green"}


def console(stream: TextIO | None = None) -> Console:
    """A console on stdout or another stream.

    >>> console().options.max_width > 0
    True
    """
    from rich.console import Console

    stream = sys.stdout if stream is None else stream
    asked = stream.isatty() or os.environ.get("COLUMNS", "").isdigit()
    return Console(file=stream, width=None if asked else WIDTH, markup=False, highlight=False, emoji=False)


def words(text: str, style: str = "") -> Text:
    """A text as it is, whatever it contains.

    >>> words("[red]arm").plain
    '[red]arm'
    """
    from rich.text import Text

    return Text(plain(text), style=style)


def show(parts: Iterable[RenderableType]) -> None:
    """Print the parts, one below the other, in one write: a pipe that closes early is then seen by the caller.

    >>> show([words("one"), words("two")])
    one
    two
    """
    target = console()
    with target.capture() as capture:
        for part in parts:
            target.print(part, soft_wrap=getattr(part, "no_wrap", None) is True)  # code to copy is left to the terminal
    sys.stdout.write("\n".join(line.rstrip() for line in capture.get().split("\n")))


def heading(text: str) -> Text:
    """A title of a section, with an empty line above.

    >>> heading("Links").plain
    '\\nLinks'
    """
    from rich.text import Text

    return Text(f"\n{text}", style="bold")


def next_step(command: str) -> Text:
    """The line that every command ends with: what is usually typed next, left whole so that it can be copied.

    >>> next_step("bifilar check run.csv").plain
    'next     bifilar check run.csv'
    """
    return unbroken(f"next     {command}")


def unbroken(text: str, style: str = "") -> Text:
    """A line with something to copy, left whole: a terminal that is too narrow breaks it, and copies it in one piece.

    >>> unbroken("and 3 more: bifilar check run.csv").no_wrap
    True
    """
    line = words(text, style)
    line.no_wrap = True
    return line


def typed_command(*parts: str) -> str:
    """A command as a shell takes it: names with spaces in quotes.

    >>> typed_command("bifilar", "check", "my run.csv")
    "bifilar check 'my run.csv'"
    """
    import shlex

    return shlex.join(parts)


class Column(NamedTuple):
    """A column of a table. Names may be cut; numbers never are: when there is no room, the highest `drop` goes first.

    >>> Column("mass [kg]", drop=1).drop
    1
    """

    title: str
    kind: Literal["name", "number", "text", "wrapped"] = "text"
    drop: int = 0  # 0 stays
    least: int = NARROW  # columns that a name or a wrapped text keeps
    about: str = ""  # what it is called where it is left out, if not by its title


def table(columns: Sequence[Column], rows: Sequence[Sequence[str | Text]], width: int | None = None) -> Table:
    """A table without lines, as wide as it must be and no wider than the console; rows may be shorter than columns.

    >>> wide = table([Column("link", "name"), Column("mass", "number", drop=1)], [["hand", "0.5 kg"]], width=8)
    >>> [column.header for column in wide.columns]
    ['link']
    """
    from rich.table import Table
    from rich.text import Text

    width = console().options.max_width if width is None else width
    cells = [
        [Text(cell) if isinstance(cell, str) else cell for cell in row] + [Text()] * (len(columns) - len(row)) for row in rows
    ]
    kept = _kept(columns, _natural(columns, rows), width)
    shown = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim", show_header=any(c.title for c in columns))
    for k in kept:
        right, wraps = columns[k].kind == "number", columns[k].kind in ("name", "wrapped")
        shown.add_column(columns[k].title, justify="right" if right else "left", no_wrap=not wraps, overflow="fold")
    for row in cells:
        for k in kept:
            if columns[k].kind == "name":  # the column may shrink, the name then ends in an ellipsis instead of wrapping
                row[k].no_wrap, row[k].overflow = True, "ellipsis"
        shown.add_row(*(row[k] for k in kept))
    return shown


def complete_table(
    columns: Sequence[Column], rows: Sequence[Sequence[str | Text]], width: int | None = None
) -> Iterator[RenderableType]:
    """The table and, where columns had no room, a line that says which.

    >>> _, note = complete_table([Column("link", "name"), Column("mass", drop=1)], [["hand", "0.5 kg"]], width=8)
    >>> note.plain
    '(left out for lack of width: mass; COLUMNS=20 shows them)'
    """
    width = console().options.max_width if width is None else width
    yield table(columns, rows, width)
    natural = _natural(columns, rows)
    there = [k for k, n in enumerate(natural) if n]
    gone = [columns[k].about or columns[k].title for k in there if k not in _kept(columns, natural, width)]
    if gone:
        enough = -(-(sum(natural[k] + 2 for k in there) - 2) // 20) * 20
        yield words(f"(left out for lack of width: {', '.join(dict.fromkeys(gone))}; COLUMNS={enough} shows them)", "dim")


def _natural(columns: Sequence[Column], rows: Sequence[Sequence[str | Text]]) -> list[int]:
    """How wide each column would like to be; 0 where nothing is in it."""
    from rich.text import Text

    widths = [0] * len(columns)
    for row in rows:
        for k, cell in enumerate(row):
            widths[k] = max(widths[k], (Text(cell) if isinstance(cell, str) else cell).cell_len)
    return [max(len(c.title), n) if n else 0 for c, n in zip(columns, widths)]


def _kept(columns: Sequence[Column], natural: Sequence[int], width: int) -> list[int]:
    """Which columns fit, names and wrapped text cut down to their least width if need be."""
    least = [min(n, c.least) if c.kind in ("name", "wrapped") else n for c, n in zip(columns, natural)]
    kept = [k for k, n in enumerate(natural) if n]
    while sum(least[k] + 2 for k in kept) - 2 > width and any(columns[k].drop for k in kept):
        kept.remove(max(kept, key=lambda k: columns[k].drop))
    return kept


def aligned(triples: Sequence[Sequence[float]], form: str) -> list[str]:
    """Numbers side by side, each under the one above.

    >>> aligned([[1.0, -20.0], [-3.0, 4.0]], ".0f")
    [' 1  -20', '-3    4']
    """
    texts = [[_number(value, form) for value in triple] for triple in triples]
    widths = [max(map(len, column)) for column in zip(*texts)]
    return ["  ".join(text.rjust(width) for text, width in zip(row, widths)) for row in texts]


def _number(value: float, form: str) -> str:
    """Formatted, but never -0.000; empty if it is not finite."""
    text = format(value, form) if math.isfinite(value) else ""
    return text.removeprefix("-") if text and float(text) == 0 else text


def flowing(items: Sequence[str], width: int | None = None) -> str:
    """Items side by side with a dot between, on as many lines as they need; none is broken.

    >>> print(flowing(["7 joints", "16.7 kg"], width=12))
    7 joints
    16.7 kg
    """
    width = console().options.max_width if width is None else width
    lines = [""]
    for item in items:
        longer = f"{lines[-1]}  {symbol('·', '|')}  {item}" if lines[-1] else item
        lines = [*lines[:-1], longer] if len(longer) <= width or not lines[-1] else [*lines, item]
    return "\n".join(lines)


def finding_table(findings: Iterable[Finding]) -> Table:
    """Findings, each with its remedy below; what is said of several places is said once.

    >>> from bifilar.errors import Finding
    >>> finding_table([Finding("mjcf.mocap", "note", "link 'hand'"), Finding("mjcf.mocap", "note", "link 'arm'")]).row_count
    1
    """
    from rich.text import Text

    places: dict[tuple[str, str, str], list[str]] = {}
    for finding in findings:
        places.setdefault((finding.severity, finding.what, finding.typed), []).append(finding.where)
    rows = []
    for (severity, what, remedy), where in places.items():
        text = Text.assemble((plain(", ".join(where)), "bold"), "  ", plain(what))
        if remedy:
            text.append(f"\n{symbol('→', '->')} {plain(remedy)}", style="dim")
        rows.append([Text(severity, style=COLOURS[severity]), text])
    return table([Column(""), Column("", "wrapped")], rows)


@contextmanager
def patience(text: str, after: float = 1.5) -> Iterator[None]:
    """Say on stderr why it takes long, if it does and a person is watching.

    >>> with patience("compiling"):
    ...     pass
    """
    if not sys.stderr.isatty():
        yield
        return
    timer = threading.Timer(after, lambda: print(text, file=sys.stderr, flush=True))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def symbol(pretty: str, simple: str) -> str:
    """A sign that stdout can encode.

    >>> symbol("x", "y")
    'x'
    """
    try:
        pretty.encode(sys.stdout.encoding or "utf-8")
        return pretty
    except (UnicodeEncodeError, LookupError):
        return simple

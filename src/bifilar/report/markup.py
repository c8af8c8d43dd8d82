"""HTML from templates that escape whatever is put into them, so that no name of a stranger becomes markup.

A template is a text with {places}. What stands in a place is escaped unless it is `Html`, which only templates make; of several
things each is put in, one after the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from string import Formatter
from typing import Any


class Html(str):
    """Text that is markup already.

    >>> fill("<p>{words}</p>", words=Html("<b>a</b>"))
    '<p><b>a</b></p>'
    """

    __slots__ = ()


def plain(text: str) -> str:
    """A text from a file with control characters spelt out.

    >>> print(plain("arm\\x07"))
    arm\\x07
    """
    return "".join(c if c.isprintable() or c == "\n" else c.encode("unicode_escape", "backslashreplace").decode() for c in text)


def fill(template: str, **parts: Any) -> Html:
    """A template with its places filled.

    >>> fill("<b>{name}</b>: {mass:.2f} kg", name="<script>", mass=1.5)
    '<b>&lt;script&gt;</b>: 1.50 kg'
    >>> fill("<ul>{lines}</ul>", lines=[Html("<li>a</li>"), "&"])
    '<ul><li>a</li>&amp;</ul>'
    """
    return Html(_FILLED.vformat(template, (), parts))


def joined(parts: Iterable[Any]) -> Html:
    """Several things, one after the other.

    >>> joined([Html("<b>"), "<"])
    '<b>&lt;'
    """
    return fill("{parts}", parts=list(parts))


class _Escaping(Formatter):
    def format_field(self, value: Any, spec: str) -> str:
        if isinstance(value, Html):
            return str(value)
        if isinstance(value, (list, tuple)):
            return "".join(self.format_field(one, spec) for one in value)
        return escape(plain(format(value, spec)))


_FILLED = _Escaping()


def table(rows: Sequence[Sequence[Any]], *, prose: bool = False, kinds: Sequence[str] = ()) -> Html:
    """A table whose first row is its head; `prose` cells are broken into lines, `kinds` are classes of the rows.

    >>> table([["joint", "error"], ["<b>", "1 %"]]).count("&lt;b&gt;")
    1
    """
    if not rows:
        return Html("")
    head = fill("<tr>{cells}</tr>", cells=[fill("<th>{title}</th>", title=title) for title in rows[0]])
    cell = '<td data-l="{word}">{cell}</td>' if prose else "<td>{cell}</td>"  # on a phone cells stand below each other
    body = [
        fill('<tr class="{kind}">{cells}</tr>', kind=kind, cells=[fill(cell, word=w, cell=c) for w, c in zip(rows[0], row)])
        for row, kind in zip(rows[1:], [*kinds, *[""] * len(rows)])
    ]
    titled = head if any(str(cell) for cell in rows[0]) else ""
    return fill(
        '<div class="scroll"><table class="{kind}">{head}{body}</table></div>',
        kind="prose" if prose else "",
        head=titled,
        body=body,
    )


def paragraphs(*texts: str) -> Html:
    """Texts as paragraphs; empty ones are left out.

    >>> paragraphs("a < b", "")
    '<p>a &lt; b</p>'
    """
    return joined([fill("<p>{text}</p>", text=text) for text in texts if text])


def bullets(texts: Iterable[Any]) -> Html:
    """Texts as a list.

    >>> bullets(["one"])
    '<ul><li>one</li></ul>'
    """
    lines = [fill("<li>{text}</li>", text=text) for text in texts]
    return fill("<ul>{lines}</ul>", lines=lines) if lines else Html("")


def command(text: str) -> Html:
    """A command to copy.

    >>> command("bifilar demo")
    '<pre class="command"><code>bifilar demo</code></pre>'
    """
    return fill('<pre class="command"><code>{text}</code></pre>', text=text)

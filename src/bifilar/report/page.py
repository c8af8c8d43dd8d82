"""One HTML page that holds everything: texts, tables, drawings, style and a small script. It asks no network for anything.

A page is a list of sections. A section is a class with a title, a template and the parts that fill it; `bifilar.report` tells
how to add one.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any, ClassVar

from bifilar.report.markup import Html, fill, joined, paragraphs, table
from bifilar.report.plot import Plot, grid, legend
from bifilar.robot.write_file import write_file

# 'none' for everything that is not written here: the page can neither load nor send.
POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:"
NAVIGATE = 4  # sections from which on a page has a list of them


class Section:
    """A part of a page. Subclasses set `title` and `template`, and give what fills it in `parts`.

    >>> class Greeting(Section):
    ...     title, template = "Greeting", "<p>Hello {name}</p>"
    ...     def parts(self):
    ...         return {"name": "<b>arm</b>"}
    >>> print(Greeting().html())
    <section id="greeting"><h2>Greeting</h2><p>Hello &lt;b&gt;arm&lt;/b&gt;</p></section>
    """

    title: str = ""
    template: ClassVar[str] = ""
    kind: ClassVar[str] = ""  # class of the section in the style

    def parts(self) -> Mapping[str, Any]:
        """What stands in the places of the template.

        >>> Section().parts()
        {}
        """
        return {}

    @property
    def key(self) -> str:
        """What a link to the section says.

        >>> Words("What the data saw").key
        'what-the-data-saw'
        """
        return (
            "-".join("".join(c if c.isascii() and c.isalnum() else " " for c in self.title.lower()).split())[:60] or "section"
        )

    def html(self) -> Html:
        """The section as markup.

        >>> Words("A").html()
        '<section id="a"><h2>A</h2></section>'
        """
        kind = fill(' class="{kind}"', kind=self.kind) if self.kind else ""
        body = fill(self.template, **self.parts())
        whole = '<section id="{key}"{kind}><h2>{title}</h2>{body}</section>'
        return fill(whole, key=self.key, kind=kind, title=self.title, body=body)


@dataclass(frozen=True, eq=False)
class Words(Section):
    """A title, sentences, and a table.

    >>> Words("Margins", "What is left.").html().count("<p>")
    1
    """

    title: str
    words: str | Sequence[str] = ""
    table: Sequence[Sequence[Any]] = ()  # the first row is its head
    prose: bool = False  # whether the table holds sentences, which are broken into lines
    kinds: Sequence[str] = ()  # classes of the table's rows

    template: ClassVar[str] = "{words}{table}"

    def parts(self) -> Mapping[str, Any]:
        """Paragraphs and the table.

        >>> Words("a", "b").parts()["words"]
        '<p>b</p>'
        """
        words = paragraphs(self.words) if isinstance(self.words, str) else paragraphs(*self.words)
        return {"words": words, "table": table(self.table, prose=self.prose, kinds=self.kinds)}


@dataclass(frozen=True, eq=False)
class Drawings(Section):
    """A title, a sentence, a legend, drawings side by side, other pictures, and a table.

    >>> from bifilar.report.plot import Line
    >>> Drawings("Torque", plots=[Plot("elbow", "torque [N m]", [Line([0, 1], [2, 3], "ink")])]).html().count("<svg")
    1
    """

    title: str
    words: str = ""
    plots: Sequence[Plot] = ()
    keys: Sequence[tuple[str, str, str]] = ()  # of the legend: name, colour, kind of line
    wide: bool = False  # fewer and wider drawings
    pictures: Html | str = ""  # whatever else there is to see
    table: Sequence[Sequence[Any]] = ()

    template: ClassVar[str] = "{words}{legend}{plots}{pictures}{table}"

    def parts(self) -> Mapping[str, Any]:
        """Sentence, legend, drawings, table.

        >>> Drawings("a", "b").parts()["words"]
        '<p>b</p>'
        """
        return {
            "words": paragraphs(self.words),
            "legend": legend(self.keys) if self.keys else "",
            "plots": grid(self.plots, self.wide) if self.plots else "",
            "pictures": self.pictures,
            "table": table(self.table),
        }


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
        1
        """
        return "<!doctype html>\n" + fill(
            '<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
            '<meta http-equiv="Content-Security-Policy" '
            'content="{policy}"><title>{title}</title><style>{style}</style></head>\n'
            "<body>{navigation}<main><h1>{title}</h1>{lead}{facts}{sections}{foot}</main>\n<script>{script}</script></body></html>\n",
            policy=Html(POLICY), title=self.title, style=asset("page.css"), script=asset("page.js"),
            navigation=_navigation(self.sections), lead=fill('<p class="lead">{lead}</p>', lead=self.lead) if self.lead else "",
            facts=_facts(self.facts), sections=joined([joined([section.html(), "\n"]) for section in self.sections]),
            foot=fill("<footer>{foot}</footer>", foot=self.foot) if self.foot else "",
        )  # fmt: skip

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it; any browser opens it.

        >>> import pathlib, tempfile
        >>> file = pathlib.Path(tempfile.mkdtemp(), "page.html")
        >>> Page("A motion").save(file)
        >>> file.read_text()[:15]
        '<!doctype html>'
        """
        write_file(path, self.html().encode("utf-8", "backslashreplace"))


@cache
def asset(name: str) -> Html:
    """The style or the script that every page holds.

    >>> "svg" in asset("page.css")
    True
    """
    return Html(files("bifilar.report").joinpath(name).read_text("utf-8"))


def _navigation(sections: Sequence[Section]) -> Html:
    if len(sections) < NAVIGATE:
        return Html("")
    links = [fill('<a href="#{key}">{title}</a>', key=section.key, title=section.title) for section in sections]
    return fill("<nav><div>{links}</div></nav>", links=links)


def _facts(facts: Sequence[tuple[str, str, str]]) -> Html:
    tile = '<li class="{kind}"><b>{value}</b><span>{what}</span></li>'
    tiles = [fill(tile, kind=kind, value=value, what=what) for value, what, kind in facts]
    return fill('<ul class="facts">{tiles}</ul>', tiles=tiles) if tiles else Html("")

"""What a paper states beside what comes out here: claims with a demand each, and figures drawn anew."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from bifilar.report.page import Drawings, Page, Section, Words
from bifilar.report.plot import Plot


@dataclass(frozen=True)
class Claim:
    """One number: what was published, what came out, what was asked for.

    >>> Claim("Fig. 4", "error of link 7's mass", "converges", "0.3 %", "at most 2 %", True).good
    True
    """

    where: str  # figure or table of the paper
    what: str
    published: str  # as the paper states it; "-" where it says nothing
    ours: str
    asked: str  # what is demanded of it; "" where nothing is
    good: bool | None = None  # None: nothing is demanded


@dataclass(frozen=True, eq=False)
class Part:
    """A figure or a table of a paper: claims, drawings, sentences, numbers.

    >>> Part("Figure 1").claims
    ()
    """

    title: str
    words: Sequence[str] = ()
    claims: tuple[Claim, ...] = ()
    plots: Sequence[Plot] = ()
    keys: Sequence[tuple[str, str, str]] = ()  # of the legend
    table: Sequence[Sequence[Any]] = ()
    numbers: dict[str, Any] = field(default_factory=dict)  # for --json


@dataclass(frozen=True, eq=False)
class Reproduction:
    """A whole paper.

    >>> Reproduction("a paper", "who", "what it is about", ()).good
    True
    """

    name: str
    citation: str
    about: str
    parts: tuple[Part, ...]

    @property
    def claims(self) -> tuple[Claim, ...]:
        """Of all parts.

        >>> Reproduction("a", "b", "c", (Part("Figure 1"),)).claims
        ()
        """
        return tuple(claim for part in self.parts for claim in part.claims)

    @property
    def good(self) -> bool:
        """Whether every demand is met.

        >>> Reproduction("a", "b", "c", (Part("f", claims=(Claim("f", "x", "1", "2", "1", False),)),)).good
        False
        """
        return all(claim.good is not False for claim in self.claims)

    def facts(self) -> dict[str, Any]:
        """What `--json` says.

        >>> Reproduction("a", "b", "c", ()).facts()["name"]
        'a'
        """
        claims = [_plain(vars(claim)) for claim in self.claims]
        numbers = {part.title: _plain(part.numbers) for part in self.parts if part.numbers}
        return {"name": self.name, "citation": self.citation, "good": self.good, "claims": claims, "numbers": numbers}

    def page(self) -> Page:
        """Everything, drawn.

        >>> Reproduction("a", "b", "c", (Part("Figure 1"),)).page().title
        'a'
        """
        asked = [claim for claim in self.claims if claim.good is not None]
        met = sum(bool(claim.good) for claim in asked)
        facts = [(f"{met} of {len(asked)}", "demands met", "good" if met == len(asked) else "bad")]
        rows = [["", "what", "published", "here", "asked", ""]]
        rows += [
            [c.where, c.what, c.published, c.ours, c.asked, {True: "yes", False: "NO", None: ""}[c.good]] for c in self.claims
        ]
        head = Words("Published beside ours", self.about, rows, prose=True)
        return Page(self.name, self.citation, facts, [head, *(_section(part) for part in self.parts)])


def _plain(value: Any) -> Any:
    """Numbers as JSON knows them."""
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    return value.tolist() if hasattr(value, "tolist") else value


def _section(part: Part) -> Section:
    return Drawings(part.title, " ".join(part.words), part.plots, part.keys, wide=True, table=part.table)

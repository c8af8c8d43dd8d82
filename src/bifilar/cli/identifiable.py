"""What measurements can and cannot identify, in words: which parameters alone, which only in sums, which never."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from bifilar.cli.letter import counted
from bifilar.cli.output import COLOURS, Column, heading, table, words
from bifilar.robot.base_parameters import SUBJECT, BaseParameters, base_parameters
from bifilar.robot.inertia import PARAMETERS
from bifilar.robot.robot import Robot

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

_LEGEND = "mc is mass times centre of mass, I inertia about the link's origin."
_SUMS = " No motion can take a sum apart."


def identify(robot: Robot, rows: str = "auto") -> BaseParameters:
    """Base parameters for one kind of measurement; auto is joint torque, and both for a floating base.

    >>> identify(Robot.load("pendulum"))
    BaseParameters(3 of 10, clear)
    """
    return base_parameters(robot, rows=None if rows == "auto" else rows)  # type: ignore[arg-type]


def groups(base: BaseParameters) -> dict[str, dict[str, list[str]]]:
    """By link or drive: its parameters that are known alone, only in sums, never.

    >>> groups(identify(Robot.load("pendulum")))["link1"]["alone"]
    ['mcx', 'mcy', 'Izz']
    """
    found = {}
    for sight in base.sights():
        place = {word: k for k, word in enumerate(PARAMETERS)}
        sums = sorted([*sight.combined, *sight.inside], key=lambda word: place.get(word, len(place)))
        found[sight.owner] = {"alone": list(sight.alone), "in_sums": sums, "no_effect": list(sight.hidden)}
    return found


def identifiable_facts(base: BaseParameters) -> dict[str, Any]:
    """What `--json` says about it.

    >>> identifiable_facts(identify(Robot.load("pendulum")))["base_parameters"]
    3
    """
    by_owner = groups(base)
    return {
        "rows": base.rows,
        "status": base.status,
        "parameters": len(base.names),
        "base_parameters": base.rank,
        "candidates": list(base.candidates),
        **{group: _names(by_owner, group) for group in ("alone", "in_sums", "no_effect")},
        "equations": dict(zip(base.independent, base.equations())),
        "method": base.method,
    }


def identifiable_parts(
    base: BaseParameters, full: bool = False, carried: Mapping[str, Sequence[str]] | None = None
) -> Iterator[RenderableType]:
    """The counts in a sentence, a table by link (with the fixed links it carries) and, if asked for, every equation.

    >>> next(identifiable_parts(identify(Robot.load("pendulum")))).plain
    '\\nWhat joint torque can tell'
    """
    yield heading(f"What {SUBJECT[base.rows]} can tell")
    yield words(sentence(base))
    if base.status != "clear":
        yield words("This count is ambiguous; see the findings.", COLOURS["warning"])
    if base.names:
        yield _table(base, carried or {})
        yield words(
            f"mc is mass times centre of mass, I inertia about the link's origin.{_SUMS if base.dependent else ''}", "dim"
        )
    if full and base.rank:
        yield heading(f"The {counted(base.rank, 'base parameter')}")
        for equation in base.equations():
            yield words(equation)


def sentence(base: BaseParameters) -> str:
    """The counts, in words.

    >>> print(sentence(identify(Robot.load("two_link"))))
    6 base parameters: 4 of 20 parameters alone, and 2 sums of 3 others. 13 have no effect.
    """
    if not base.rank:
        return "Nothing: no parameter has an effect on it."
    by_owner = groups(base)
    alone, sums, never = (len(_names(by_owner, group)) for group in ("alone", "in_sums", "no_effect"))
    parts = [f"{alone} of {len(base.names)} parameters alone"] if alone else []
    parts += [f"{counted(base.rank - alone, 'sum')} of {sums} {'others' if alone else 'parameters'}"] if sums else []
    inertial = sum(name.rpartition(".")[2] in PARAMETERS for name in base.independent)
    drives = f" ({inertial} of links, {base.rank - inertial} of drives)" if inertial < base.rank else ""
    rest = f" {never} {'has' if never == 1 else 'have'} no effect." if never else ""
    return f"{counted(base.rank, 'base parameter')}{drives}: {', and '.join(parts)}.{rest}"


def _names(by_owner: dict[str, dict[str, list[str]]], group: str) -> list[str]:
    return [f"{owner}.{word}" for owner, found in by_owner.items() for word in found[group]]


def _table(base: BaseParameters, carried: Mapping[str, Sequence[str]]) -> Table:
    by_owner = groups(base)
    styles = {"alone": COLOURS["ok"], "in_sums": "", "no_effect": "dim"}
    titles = [
        Column("", "name", least=24),
        *(Column(title, "wrapped") for title in ("known alone", "only in sums", "no effect")),
    ]
    rows = []
    for owners, found in _alike(by_owner):
        rows.append(
            [
                words(_with_carried(owners, carried.get(owners, ()))),
                *(words(_listed(found[group]), style) for group, style in styles.items()),
            ]
        )
    return table(titles, rows)


def _with_carried(owner: str, fixed: Sequence[str], most: int = 32) -> str:
    """A link and those fixed to it, by name if that is short: together they are one body."""
    named = " + ".join([owner, *fixed])
    return named if not fixed or len(named) <= most else f"{owner} + {len(fixed)} fixed"


def _alike(by_owner: dict[str, dict[str, list[str]]]) -> Iterator[tuple[str, dict[str, list[str]]]]:
    """Drives of which the same is known share one row."""
    drives: list[tuple[list[str], dict[str, list[str]]]] = []
    for owner, found in by_owner.items():
        if any(word in PARAMETERS for group in found.values() for word in group):
            yield owner, found
        elif drives and drives[-1][1] == found:
            drives[-1][0].append(owner)
        else:
            drives.append(([owner], found))
    for owners, found in drives:
        yield (owners[0] if len(owners) == 1 else f"{owners[0]} to {owners[-1]}"), found


def _listed(found: list[str]) -> str:
    """`mass mcx mcy mcz Ixx` is long: runs of the ten that are all there get short names."""
    if found == list(PARAMETERS):
        return "all ten"
    if len(found) == 9 and set(found) < set(PARAMETERS):
        return f"all but {next(word for word in PARAMETERS if word not in found)}"
    return " ".join(found)

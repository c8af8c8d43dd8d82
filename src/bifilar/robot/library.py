"""The robots that come with bifilar: our own mesh-free descriptions, written from published numbers.

Each is one TOML file in `descriptions/`, in the format of `read_dh`, with the citation it was written from and primitive
shapes for a viewer. Joints are joint1..jointN, links link0 (the base), link1..linkN, beside named fixed frames.
"""

from __future__ import annotations

from functools import cache
from importlib import resources

from bifilar.errors import RobotError, near_names
from bifilar.robot.description import Description
from bifilar.robot.read_dh import from_table
from bifilar.robot.table import Table, parse_toml


@cache
def names() -> tuple[str, ...]:
    """The built-in robots.

    >>> "panda" in names()
    True
    """
    folder = resources.files("bifilar.robot").joinpath("descriptions")
    return tuple(sorted(file.name.removesuffix(".toml") for file in folder.iterdir() if file.name.endswith(".toml")))


def load_description(name: str) -> Description:
    """A built-in robot by name.

    >>> [joint.name for joint in load_description("two_link").joints]
    ['joint1', 'joint2', 'tip_fixed']
    """
    return from_table(_table(name), default_name=name)


def citation(name: str) -> str:
    """Where its numbers were published, and what is odd about them.

    >>> "Gaz" in citation("panda")
    True
    """
    table = _table(name)
    return "\n".join(text for text in (table.text("source"), table.text("note")) if text)


def _table(name: str) -> Table:
    if name not in names():
        raise RobotError(
            "robot.unknown/library", name=name, near=near_names(name, names(), 1, 0.6), choices=sorted(names()), names=names()
        )
    file = resources.files("bifilar.robot").joinpath("descriptions", f"{name}.toml")
    return Table(parse_toml(file.read_bytes(), file.name), f"built-in robot '{name}'")

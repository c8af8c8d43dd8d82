"""A tree of links as lines: guides on the left, the joint that holds each link, in the file's order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from bifilar.robot.description import Joint, Link

GUIDES = {"unicode": ("├ ", "└ ", "│ ", "  "), "ascii": ("+ ", "` ", "| ", "  ")}


class Line(NamedTuple):
    """One link, the joint above it (None at a root) and the guides before it.

    >>> Line("", Link("base"), None).depth
    0
    """

    guides: str
    link: Link
    joint: Joint | None
    depth: int = 0


def tree_lines(links: Sequence[Link], joints: Sequence[Joint], style: str = "unicode", widest: int = 40) -> Iterator[Line]:
    """Every link, parents before children; guides wider than `widest` become a number, the depth.

    >>> arm = [Link("base"), Link("upper"), Link("lower")]
    >>> held = [Joint("shoulder", "revolute", "base", "upper"), Joint("elbow", "revolute", "upper", "lower")]
    >>> for line in tree_lines(arm, held):
    ...     print(line.guides + line.link.name)
    base
    └ upper
      └ lower
    """
    branch, last, through, gap = GUIDES[style]
    by_name = {link.name: link for link in links}
    below: dict[str, list[Joint]] = {}
    for joint in joints:
        below.setdefault(joint.parent, []).append(joint)
    held = {joint.child for joint in joints}
    # (link, joint, guides of this line, guides of what hangs below, depth); a stack, because a chain may be long
    todo: list[tuple[Link, Joint | None, str, str, int]] = []
    todo += [(link, None, "", "", 0) for link in reversed(links) if link.name not in held]
    while todo:
        link, above, own, inner, depth = todo.pop()
        yield Line(own if len(own) <= widest else f"({depth}) ", link, above, depth)
        children = below.get(link.name, [])
        for k, child in reversed(list(enumerate(children))):
            end = k == len(children) - 1
            own, under = inner + (last if end else branch), inner + (gap if end else through)
            if child.child in by_name:  # guides that nobody will see do not grow
                todo.append((by_name[child.child], child, own, under if depth < widest else inner, depth + 1))

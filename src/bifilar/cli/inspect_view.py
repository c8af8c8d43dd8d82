"""What `bifilar inspect` shows: who it is, the tree, the links' numbers, findings, what can be identified."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from bifilar.cli.identifiable import identifiable_parts
from bifilar.cli.letter import counted, plain
from bifilar.cli.output import (
    COLOURS,
    Column,
    aligned,
    complete_table,
    console,
    finding_table,
    flowing,
    heading,
    next_step,
    symbol,
    typed_command,
    words,
)
from bifilar.cli.tree_lines import Line, tree_lines
from bifilar.dynamics import decompose
from bifilar.errors import Finding
from bifilar.robot.base_parameters import BaseParameters
from bifilar.robot.description import Joint, Link
from bifilar.robot.robot import Robot
from bifilar.robot.xml_reader import shown

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

NOTES = 6  # so many notes are shown without --full


def view(
    robot: Robot,
    source: str,
    findings: Sequence[Finding],
    base: BaseParameters,
    full: bool = False,
    python: str = "",
    locked: Sequence[str] = (),
) -> Iterator[RenderableType]:
    """The parts, from top to bottom; `python` is the expression that gives this robot, whose joints `locked` are held.

    >>> from bifilar.cli.identifiable import identify
    >>> robot = Robot.load("pendulum")
    >>> next(view(robot, "pendulum", robot.check(), identify(robot))).plain
    'pendulum  built in'
    """
    yield from _header(robot, source, full)
    yield heading("Tree")
    yield from _tree(robot)
    yield heading("Links")
    yield from _links(robot, findings)
    yield heading("Findings" if findings else "Findings: none")
    yield from _findings(findings, full)
    yield from identifiable_parts(base, full, carried(robot))
    if python:
        yield from _next(robot, source, python, full, locked)


def _header(robot: Robot, source: str, full: bool) -> Iterator[RenderableType]:
    from rich.text import Text

    from bifilar.robot.library import citation, names

    built_in = source in names()
    yield Text.assemble((plain(robot.name), "bold"), "  ", ("built in" if built_in else plain(source), "dim"))
    moving, fixed = len(robot.joint_names), sum(not joint.moves for joint in robot.joints)
    follow = sum(joint.moves and joint.mimic is not None for joint in robot.joints)
    joints = f"{counted(len(robot.joints), 'joint')}: {moving} move{'s' * (moving == 1)}"
    joints += (f", {follow} follow{'s' * (follow == 1)}" if follow else "") + (f", {fixed} fixed" if fixed else "")
    mass = f"{sum(link.inertia.mass for link in robot.links):.4g} kg"
    gravity = "gravity " + " ".join(f"{value:g}" for value in robot.gravity) + f" {symbol('m/s²', 'm/s^2')}"
    base = "floating base" if robot.is_floating else "fixed base"
    yield Text(flowing([counted(len(robot.links), "link"), joints, mass, base, gravity]))
    if full and built_in:
        yield from (words(line, "dim") for line in citation(source).splitlines())


def carried(robot: Robot) -> dict[str, list[str]]:
    """By moving link: the links with mass that are fixed to it and count as part of it.

    >>> carried(Robot.load("two_link").locked(["joint2"]))
    {'link1': ['link2']}
    """
    found: dict[str, list[str]] = {}
    places = robot.link_map()
    for link in robot.links:
        place = places.get(link.name)
        if place is not None and robot.body_names[place.body] != link.name and link.inertia.vector.any():
            found.setdefault(robot.body_names[place.body], []).append(link.name)
    return found


def _tree(robot: Robot) -> Iterator[RenderableType]:
    room = console().options
    lines = list(tree_lines(robot.links, robot.joints, "ascii" if room.ascii_only else "unicode", room.max_width // 3))
    least = max(len(line.guides) for line in lines) + 12
    titles = [Column("link", "name", least=least), Column("joint", "name"), Column("kind", drop=1)]
    titles += [Column("range", "number", 2), Column("speed", "number", 3), Column("effort", "number", 4)]
    titles += [Column("", drop=5, about=_drive_words(robot))]
    return complete_table(titles, [_tree_row(line) for line in lines])


def _drive_words(robot: Robot) -> str:
    """What the last column of the tree holds of this robot."""
    of = [joint for joint in robot.joints if joint.moves]
    there = {
        "damping": any(joint.damping for joint in of),
        "friction": any(joint.friction for joint in of),
        "rotor": any(joint.armature for joint in of),
        "mimic": any(joint.mimic is not None for joint in of),
    }
    return ", ".join(name for name, found in there.items() if found)


def _tree_row(line: Line) -> list[Text | str]:
    from rich.text import Text

    joint = line.joint
    style = "" if joint is None or joint.moves else "dim"
    name = Text.assemble((line.guides, "dim"), (plain(line.link.name), style))
    if joint is None:
        return [name]
    follows = ", follows" if joint.moves and joint.mimic is not None else ""
    cells: list[Text | str] = [name, words(joint.name, style), Text(joint.kind + follows, style)]
    if not joint.moves:
        return cells
    if joint.mimic is not None:
        offset = f" {joint.mimic.offset:+g}" if joint.mimic.offset else ""
        return [*cells, "", "", "", words(f"= {joint.mimic.ratio:g} * {joint.mimic.joint}{offset}")]
    limits, units = joint.limits, ("m", "m/s", "N") if joint.kind == "prismatic" else ("rad", "rad/s", "N m")
    bounded = np.isfinite(limits.lower) or np.isfinite(limits.upper)
    return [
        *cells,
        f"{limits.lower:.4g} {symbol('…', '..')} {limits.upper:.4g} {units[0]}" if bounded else "",
        f"{limits.velocity:.4g} {units[1]}" if np.isfinite(limits.velocity) else "",
        f"{limits.effort:.4g} {units[2]}" if np.isfinite(limits.effort) else "",
        _drive(joint),
    ]


def _drive(joint: Joint) -> str:
    """What the file states about the drive, where it does."""
    stated = (("damping", joint.damping), ("friction", joint.friction), ("rotor", joint.armature))
    return ", ".join(f"{name} {value:.3g}" for name, value in stated if value)


def _links(robot: Robot, findings: Sequence[Finding]) -> Iterator[RenderableType]:
    titles = [Column("link", "name"), Column("mass [kg]", "number"), Column("centre of mass [m]", drop=1)]
    titles += [Column(f"principal moments [kg {symbol('m²', 'm^2')}]", drop=2), Column("")]
    heavy = [link for link in robot.links if link.inertia.mass]
    centers = aligned([link.inertia.center_of_mass.tolist() for link in heavy], ".3f")
    moments = aligned([_moments(link) for link in heavy], ".3g")
    numbers = {link.name: pair for link, *pair in zip(heavy, centers, moments)}
    rows: list[list[str | Text]] = []
    for link in robot.links:
        empty = not link.inertia.vector.any()
        mass = "" if empty else f"{link.inertia.mass:.4g}"
        mark = words("no mass", "dim") if empty else _mark(link, findings)
        rows.append([words(link.name, "dim" if empty else ""), mass, *numbers.get(link.name, ["", ""]), mark])
    return complete_table(titles, rows)


def _moments(link: Link) -> Sequence[float]:
    """Principal moments about the centre of mass; not a number where the file's numbers overflow."""
    matrix = link.inertia.about_center_of_mass
    return decompose.eigvalsh(matrix).tolist() if np.isfinite(matrix).all() else [np.nan] * 3


def _mark(link: Link, findings: Sequence[Finding]) -> Text:
    """The worst that was found about this link."""
    about = {finding.severity for finding in findings if finding.where == f"link {shown(link.name)}"}
    for severity in ("error", "warning", "note"):
        if severity in about:
            sign = {"error": symbol("✗ ", ""), "warning": "! ", "note": "i "}[severity]
            return words(f"{sign}{severity}", COLOURS[severity])
    return words(symbol("✓", "ok"), COLOURS["ok"])


def _findings(findings: Sequence[Finding], full: bool) -> Iterator[RenderableType]:
    order = {"error": 0, "warning": 1, "note": 2}
    ranked = sorted(findings, key=lambda finding: order[finding.severity])
    notes = [finding for finding in ranked if finding.severity == "note"]
    hidden = 0 if full or len(notes) <= NOTES + 1 else len(notes) - NOTES
    if ranked:
        yield finding_table(ranked[: len(ranked) - hidden])
    if hidden:
        yield words(f"and {hidden} more notes; --full shows them", "dim")


def _next(robot: Robot, source: str, python: str, full: bool, locked: Sequence[str]) -> Iterator[RenderableType]:
    from rich.text import Text

    yield heading("Next")
    yield Text(("" if full else "--full shows every equation, ") + "--json gives all of it to a program; in Python:", "dim")
    for line in ("import bifilar as bf", f"robot = {python}"):
        code = words(line, "cyan")
        code.no_wrap = True
        yield code
    yield next_step(_command(robot, source, locked))


def _command(robot: Robot, source: str, locked: Sequence[str]) -> str:
    """What is usually typed next: a motion to record; a robot that moves freely has one already."""
    held = ["--lock", *locked] if locked else []
    if robot.is_floating:
        return typed_command("bifilar", "export", source, "--to", "mjcf")
    return typed_command("bifilar", "design", source, *held, "--duration", "20", "-o", "excite.csv")

"""The reference: every public name with its signature, what it is for, and an example that the tests run."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import re
import textwrap
from collections.abc import Iterator
from typing import Any

CHAPTERS = {
    "robot": "Robots",
    "dynamics": "States of motion",
    "filters": "Filters",
    "recording": "Recordings",
    "experiment": "Motions and designs",
    "simulate": "The virtual robot",
    "estimate": "Estimates",
    "calibrate": "Calibration",
    "online": "Online",
    "control": "Control",
    "walking": "Walking",
    "validate": "Verdicts",
    "export": "Export",
    "report": "Report",
    "view": "Viewer",
    "errors": "Errors",
}
WIDE = 96


def names() -> dict[str, list[tuple[str, str]]]:
    """Public names of each chapter, with the module that defines them."""
    import bifilar

    found: dict[str, list[tuple[str, str]]] = {chapter: [] for chapter in CHAPTERS}
    for module, members in bifilar._STAGES.items():
        found.setdefault(module.split(".")[1], []).extend((module, name) for name in members)
    return {chapter: members for chapter, members in found.items() if members}


def titles() -> dict[str, str]:
    """Chapters that have something in them."""
    return {"commands": "Commands"} | {chapter: CHAPTERS.get(chapter, chapter.capitalize()) for chapter in names()}


def pages() -> dict[str, str]:
    """One page per chapter."""
    chapters = {f"reference/{chapter}.md": page(titles()[chapter], members) for chapter, members in names().items()}
    return {"reference/commands.md": commands()} | chapters


def commands() -> str:
    """Every command with what it does and how it is called."""
    from bifilar.cli import VERBS

    parts = [
        "# Commands",
        "",
        "`bifilar COMMAND --help` lists every option; exit codes are in [Conventions](../conventions.md).",
        "",
    ]
    for verb in VERBS:
        module = importlib.import_module(f"bifilar.cli.{verb.replace('-', '_')}")
        text = [escaped(" ".join(block.split())) for block in module.SUMMARY.split("\n\n")]
        parts += [
            f"## {verb}",
            "",
            *(line for block in text for line in (block, "")),
            f"```\n{textwrap.dedent(module.EXAMPLES).rstrip()}\n```",
            "",
        ]
    return "\n".join(parts)


def page(title: str, members: list[tuple[str, str]]) -> str:
    """A chapter."""
    parts = [f"# {title}", ""]
    for module, name in members:
        member = getattr(importlib.import_module(module), name)
        parts += [f"## {name} {{: #{name} }}", "", *entry(f"bf.{name}", member), ""]
        for inner, thing in methods(member):
            parts += [f"### {name}.{inner} {{: #{name}.{inner} }}", "", *entry(f"{name}.{inner}", thing), ""]
    return "\n".join(parts)


def entry(name: str, member: Any) -> Iterator[str]:
    """Signature, sentences and examples of one name."""
    if isinstance(member, property):
        yield from text_of(member.fget)
        return
    yield f"```python\n{signature(name, member)}\n```\n"
    yield from text_of(member)
    if dataclasses.is_dataclass(member):
        yield from fields_of(member)


def signature(name: str, member: Any) -> str:
    """How it is called, one line per parameter where it is long."""
    try:
        called = inspect.signature(member)
    except (TypeError, ValueError):
        return name
    words, star = [], False
    for parameter in called.parameters.values():
        if parameter.name in ("self", "cls") and not words:
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not star:
            words.append("*")
            star = True
        star = star or parameter.kind is parameter.VAR_POSITIONAL
        words.append(_parameter(parameter))
    end = (
        "" if inspect.isclass(member) or called.return_annotation is called.empty else f" -> {_type(called.return_annotation)}"
    )
    line = f"{name}({', '.join(words)}){end}"
    return line if len(line) <= WIDE else f"{name}(\n    " + ",\n    ".join(words) + f",\n){end}"


def _parameter(parameter: inspect.Parameter) -> str:
    star = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
    text = star + parameter.name + ("" if parameter.annotation is parameter.empty else f": {_type(parameter.annotation)}")
    if parameter.default is parameter.empty:
        return text
    default = repr(parameter.default)
    return f"{text} = {'...' if default.startswith('<') or len(default) > 60 else default}"


def _type(annotation: Any) -> str:
    text = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", str(annotation))
    return re.sub(r"\b(?:typing|collections\.abc|bifilar(?:\.\w+)+)\.", "", text)


def methods(member: Any) -> list[tuple[str, Any]]:
    """Public methods and properties of a class, those of its bases in bifilar too."""
    if not inspect.isclass(member):
        return []
    found: dict[str, Any] = {}
    for base in member.__mro__:  # its own first
        if base.__module__.startswith("bifilar"):
            found = found | {
                name: thing for name, thing in vars(base).items() if not name.startswith("_") and name not in found
            }
    things = {name: getattr(thing, "__func__", thing) for name, thing in found.items()}
    things = {name: property(thing.func) if hasattr(thing, "func") else thing for name, thing in things.items()}  # cached
    return [(name, thing) for name, thing in things.items() if isinstance(thing, property) or inspect.isfunction(thing)]


def fields_of(member: Any) -> Iterator[str]:
    """Fields of a dataclass with the comments that stand beside them."""
    try:
        source = inspect.getsource(member)
    except OSError:
        return
    rows = []
    for field in dataclasses.fields(member):
        found = re.search(rf"^    {field.name}: (?P<type>[^=#\n]+?)(?: = .*?)?(?:  # (?P<comment>.*))?$", source, re.M)
        if found and not field.name.startswith("_") and found["comment"]:
            rows.append(f"- `{field.name}` {escaped(re.sub(r'^type: .*?#', '', found['comment']).strip())}")
    if rows:
        yield "\n" + "\n".join(rows) + "\n"


def text_of(member: Any) -> Iterator[str]:
    """A docstring: sentences as they are, indented lines and examples as code."""
    for block in re.split(r"\n\s*\n", inspect.getdoc(member) or ""):
        lines = block.splitlines()
        example = next((k for k, line in enumerate(lines) if line.startswith(">>>")), len(lines))
        if lines[:example]:
            code = all(line.startswith("    ") for line in lines[:example])
            yield "\n".join(lines[:example]) if code else escaped(" ".join(lines[:example]))
            yield ""
        if lines[example:]:
            yield "```pycon\n" + "\n".join(lines[example:]) + "\n```\n"


def escaped(text: str) -> str:
    """Signs that Markdown would take for its own, outside of `code`."""
    parts = text.split("`")
    return "`".join(part if k % 2 else re.sub(r"([*_<\[\]$\\])", r"\\\1", part) for k, part in enumerate(parts))

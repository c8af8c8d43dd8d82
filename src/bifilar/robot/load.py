"""Which reader a description needs (`bifilar.readers`), or a name of the library."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from bifilar.errors import RobotError
from bifilar.readers import endings, is_called, joined, reader_for
from bifilar.robot.description import Description


def read_description(source: str | os.PathLike[str]) -> Description:
    """A description from a file or from the library.

    >>> read_description("pendulum").name
    'pendulum'
    >>> read_description("pandda")
    Traceback (most recent call last):
    ...
    bifilar.errors.RobotError: there is no file and no built-in robot 'pandda'
      likely  a misspelling of 'panda'
      try     a .urdf, .xml, .mjcf or .toml file, or one of ...
    """
    reader = reader_for("robot", source)
    if reader is None:
        return _from_library(str(source), Path(source))
    return replace(reader.open(Path(source)), file=os.path.abspath(source))


def write_description(description: Description, path: str | os.PathLike[str]) -> None:
    """Write a description in the format its extension names.

    >>> write_description(read_description("pendulum"), "pendulum.step")
    Traceback (most recent call last):
    ...
    bifilar.errors.RobotError: a robot cannot be written as '.step'
      where   pendulum.step
      try     .urdf
    """
    suffix = Path(path).suffix.lower()
    if suffix != ".urdf":
        raise RobotError("robot.ending/load", where=str(path), suffix=suffix)
    from bifilar.robot.write_urdf import write_urdf

    write_urdf(description, description.links, description.joints, path)


def _from_library(source: str, path: Path) -> Description:
    from bifilar.robot.library import load_description, names
    from bifilar.robot.parameters import close_names

    if source in names():
        return load_description(source)
    remedy = f"a {joined(endings('robot'))} file, or one of {', '.join(names())}"
    if source and os.path.isdir(source):
        raise RobotError("file.folder/load", where=source)
    if os.path.exists(source):  # unlike Path.exists, it takes any text
        known = f"a {path.suffix.lower()} file is not read as a robot" if path.suffix else f"'{path.name}' has no extension"
        likely = "a recording, where the robot itself is asked for" if is_called("recording", path) else ""
        raise RobotError(known, code="robot.ending", where=source, likely=likely, remedy=remedy)
    likely = close_names(source, names()) or close_names(source.lower(), names())
    raise RobotError("robot.unknown/load", source=source, joined=joined(endings("robot")), names=names(), likely=likely)

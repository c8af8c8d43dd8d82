"""Which reader a description needs (`bifilar.readers`), or a name of the library."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from bifilar.errors import RobotError, near_names
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

    if source in names():
        return load_description(source)
    f"a {joined(endings('robot'))} file, or one of {', '.join(names())}"
    if source and os.path.isdir(source):
        raise RobotError("file.folder/load", where=source)
    if os.path.exists(source):  # unlike Path.exists, it takes any text
        log = is_called("recording", path)
        key = "robot.ending/none" if not path.suffix else "robot.ending/recording" if log else "robot.ending/other"
        facts = {"suffix": path.suffix.lower(), "name": path.name}
        raise RobotError(key, where=source, forms=joined(endings("robot")), names=names(), **facts)
    near = near_names(source, names()) or near_names(source.lower(), names())
    raise RobotError("robot.unknown/load", source=source, joined=joined(endings("robot")), names=names(), near=near)

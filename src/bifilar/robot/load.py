"""Which reader a description needs: by extension, by the outermost element of an XML file, or a name of the library."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path

from bifilar.errors import RobotError
from bifilar.robot.description import Description

RECORDINGS = (".csv", ".txt", ".npz", ".npy", ".mat", ".parquet", ".mcap", ".bag", ".db3", ".h5", ".hdf5")
PEEK = 1 << 20  # [bytes] of an XML file that are looked at to see what it is


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
    path = Path(source)
    suffix = path.suffix.lower()
    if suffix == ".urdf" or (suffix in (".xml", ".mjcf") and outermost(path) != "mujoco"):
        from bifilar.robot.read_urdf import read_urdf

        return _from_file(read_urdf(path), path)
    if suffix in (".xml", ".mjcf"):
        from bifilar.robot.read_mjcf import read_mjcf

        return _from_file(read_mjcf(path), path)
    if suffix == ".toml":
        from bifilar.robot.read_dh import read_dh

        return _from_file(read_dh(path), path)
    return _from_library(str(source), path)


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
        raise RobotError(f"a robot cannot be written as '{suffix}'", code="robot.ending", where=str(path), remedy=".urdf")
    from bifilar.robot.write_urdf import write_urdf

    write_urdf(description, description.links, description.joints, path)


def _from_file(description: Description, path: Path) -> Description:
    return replace(description, file=os.path.abspath(path))


def _from_library(source: str, path: Path) -> Description:
    from bifilar.robot.library import load_description, names
    from bifilar.robot.parameters import close_names

    if source in names():
        return load_description(source)
    remedy = "a .urdf, .xml, .mjcf or .toml file, or one of " + ", ".join(names())
    if path.suffix.lower() == ".xacro":
        raise RobotError(
            "a xacro file is a program that writes a URDF",
            code="robot.xacro",
            where=source,
            remedy="run xacro file.xacro > robot.urdf",
        )
    if source and os.path.isdir(source):
        raise RobotError("this is a folder, not a file", code="file.folder", where=source, remedy="name the file inside it")
    if os.path.exists(source):  # unlike Path.exists, it takes any text
        known = f"a {path.suffix.lower()} file is not read as a robot" if path.suffix else f"'{path.name}' has no extension"
        likely = "a recording, where the robot itself is asked for" if path.suffix.lower() in RECORDINGS else ""
        raise RobotError(known, code="robot.ending", where=source, likely=likely, remedy=remedy)
    likely = close_names(source, names()) or close_names(source.lower(), names())
    raise RobotError(f"there is no file and no built-in robot '{source}'", code="robot.unknown", likely=likely, remedy=remedy)


def outermost(path: str | os.PathLike[str]) -> str:
    """Name of the first element of an XML file; empty if it cannot be read (the reader then says why).

    >>> outermost("no_such_file.xml")
    ''
    """
    try:
        with open(path, "rb") as file:
            text = file.read(PEEK).decode("utf-8", "replace")
    except OSError:
        return ""
    first = re.search(r"<([A-Za-z_][\w.-]*)", re.sub(r"<!--.*?-->", "", text, flags=re.S))
    return first.group(1) if first else ""

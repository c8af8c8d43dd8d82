"""The formats a robot is handed on in, by the name's ending or by word.

URDF   .urdf             the robot's own file with other numbers in it, or a fresh one
MJCF   .xml, .mjcf       MuJoCo
SDF    .sdf              Gazebo
JSON   .json             table of parameters with error bars, friction terms, base parameters
CSV    .csv              the same table for a spreadsheet
YAML   .yaml, .yml       parameters of a ROS 2 node: numbers, limits, friction
C      a folder          the equations of motion as a C99 library with its own test
NumPy  .py               the equations of motion as one Python file that needs NumPy only
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal, get_args

from bifilar.errors import RobotError

Format = Literal["URDF", "MJCF", "SDF", "JSON", "CSV", "YAML", "C", "NumPy"]
ENDINGS: dict[str, Format] = {
    ".urdf": "URDF",
    ".xml": "MJCF",
    ".mjcf": "MJCF",
    ".sdf": "SDF",
    ".json": "JSON",
    ".csv": "CSV",
    ".yaml": "YAML",
    ".yml": "YAML",
    ".py": "NumPy",
}
FOLDERS: dict[Format, str] = {"C": "_c"}  # formats of several files, and how their folder's name ends
CODE: tuple[Format, ...] = ("C", "NumPy")  # equations instead of a description: these take any model
TABLES: tuple[Format, ...] = ("JSON", "CSV")  # these hold base parameters too


def written_formats() -> str:
    """Every format as messages list them.

    >>> written_formats()
    '.urdf, .xml or .mjcf (MJCF), .sdf, .json, .csv, .yaml or .yml, .py (NumPy); a folder for C, with --to c'
    """
    own = {format: [ending for ending, of in ENDINGS.items() if of == format] for format in dict.fromkeys(ENDINGS.values())}
    shown = [" or ".join(by) + ("" if f".{format.lower()}" in by[:1] else f" ({format})") for format, by in own.items()]
    return f"{', '.join(shown)}; a folder for {', '.join(FOLDERS)}, with --to c"


def format_of(path: str | os.PathLike[str], word: str | None = None) -> Format:
    """The format a word names, else the one that the ending means.

    >>> format_of("arm.xml"), format_of("arm.txt", "csv")
    ('MJCF', 'CSV')
    >>> format_of("arm.step")
    Traceback (most recent call last):
    ...
    bifilar.errors.RobotError: a robot is not written as '.step'
      where   arm.step
      try     .urdf, .xml or .mjcf (MJCF), .sdf, .json, .csv, .yaml or .yml, .py (NumPy); a folder for C, with --to c
    """
    if word is not None:
        known = {name.lower(): name for name in get_args(Format)}
        if word.lower() not in known:
            raise RobotError("export.format_unknown", word=word, known=known)
        return known[word.lower()]  # type: ignore[no-any-return]
    suffix = Path(path).suffix.lower()
    if suffix not in ENDINGS:
        if suffix in (".c", ".h"):
            raise RobotError("export.folder", where=os.fspath(path), stem=Path(path).stem)
        key = "export.ending" if suffix else "export.ending/none"
        raise RobotError(key, where=os.fspath(path), suffix=suffix, forms=written_formats())
    return ENDINGS[suffix]


def ending_of(format: Format) -> str:
    """The usual ending of a format's name.

    >>> ending_of("MJCF"), ending_of("C")
    ('.xml', '_c')
    """
    if format in FOLDERS:
        return FOLDERS[format]
    return next(ending for ending, name in ENDINGS.items() if name == format)

"""`bifilar export RUN -o arm.urdf`: an identified robot, or any other, in the formats that others read; read again at once."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Annotated, get_args

from tyro.conf import Positional, arg

from bifilar.cli.letter import json_text
from bifilar.cli.options import FileOutput, Now, written
from bifilar.cli.output import show
from bifilar.cli.progress import steps
from bifilar.export.formats import Format, written_formats

SUMMARY = """Write the robot of a run, or a robot's file, as URDF, MJCF, SDF, JSON, CSV, YAML for ROS 2, C or NumPy code.

Every file is read again (URDF and MJCF by MuJoCo, C by a compiler) and its joint torques compared before it gets its name;
what the format cannot say is listed with its values. Code takes base parameters too."""
EXAMPLES = """\
  bifilar export runs/arm-001 -o arm.urdf                     what was identified; comments and meshes stay as they were
  bifilar export runs/arm-001 -o arm.xml arm.csv arm.yaml     MJCF, a table with error bars, parameters for ROS 2
  bifilar export arm.urdf --to mjcf sdf                       another robot, as arm.xml and arm.sdf in this folder
  bifilar export runs/arm-001 --to c                          equations of motion as a C99 library with its test, in arm_c
  bifilar export runs/arm-001 -o arm.py                       the same as one Python file that needs NumPy only
"""
UNVERIFIED = 1  # exit code: written, but nobody read it again
ONE_WORD = "export takes one run or robot at a time"

TO = "named after the robot; with one -o FILE, the format of that file"
WORDS = tuple(format.lower() for format in get_args(Format))
Formats = Annotated[tuple[str, ...], Now(lambda: f"{' '.join(WORDS)}, {TO}", lambda: WORDS, "FORMAT ...", "")]
FILES = f"{written_formats()}; several at once are written all or none"


@dataclass(frozen=True, kw_only=True)
class Settings(FileOutput):
    """What to hand on, and as what.

    >>> Settings(source="runs/arm-001", output=("arm.urdf",)).anyway
    False
    """

    source: Annotated[Positional[str], arg(metavar="RUN|ROBOT")]  # a folder that 'bifilar fit' wrote, a robot's file, or a name
    output: Annotated[tuple[str, ...], written("FILE ...", "", FILES)] = ()
    to: Formats = ()
    anyway: Annotated[bool, arg(help_behavior_hint="")] = False  # hand on a run whose verdict is 'refused'


def run(settings: Settings) -> int:
    """Write the files, all or none.

    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> run(Settings(source="pendulum", output=(str(folder / "swing.xml"), str(folder / "swing.csv")), json=True))
    {...}
    0
    >>> sorted(path.name for path in folder.iterdir())
    ['swing.csv', 'swing.xml']
    """
    from bifilar.cli.export_run import exported

    with steps(1) as tell:
        tell("writing, and reading again")
        done = exported(settings)
    if settings.json:
        sys.stdout.write(json_text(done.facts()))
    else:
        from bifilar.cli.export_view import view

        show(view(done))
    return UNVERIFIED if any(file.unverified for file in done.files) else 0

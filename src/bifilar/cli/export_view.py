"""What `bifilar export` prints: per file its format, who read it again, the largest difference, what stayed behind."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING

from bifilar.cli.export_run import Done
from bifilar.cli.output import Column, table, words

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

CHECKED = {"C": "compiled and run by {}; results differ", "NumPy": "run by {}; results differ"}
ROBOTS = ("URDF", "MJCF")  # what `bifilar inspect` reads


def view(done: Done) -> Iterator[RenderableType]:
    """The parts, one below the other.

    >>> from bifilar.cli.output import show
    >>> from bifilar.export.write_model import Exported
    >>> file = Exported("arm.xml", "MJCF", "MuJoCo 3.3", 1e-14, ("2 links",), ("MJCF cannot state torque offset: a 0.2 N m",))
    >>> show(view(Done("arm.urdf", "arm", "", (file,))))
    wrote   arm.xml, MJCF: 2 links
            read again by MuJoCo 3.3; joint torques of what it states differ by at most 1.0e-14 of their size
    lost    MJCF cannot state torque offset: a 0.2 N m
    next    bifilar inspect arm.xml
    """
    rows: list[list[str | Text]] = []
    if done.verdict:
        said = f"{done.verdict}; {done.doubt}" if done.doubt else done.verdict
        rows.append(
            ["verdict", words(said, "bold yellow" if done.verdict == "not judged" else "bold red" if done.doubt else "")]
        )
    own = [done.alone[file.format] for file in done.files if file.format in done.alone]
    rows += [["", words(str(file), "bold red" if file.level == "poor" else "yellow")] for file in own if file.notable]
    for file in done.files:
        rows.append(["wrote", words(f"{file.path}, {file.format}: {', '.join(file.carried)}")])
        if file.unverified:
            rows.append(["", words(f"NOT VERIFIED: {file.unverified}", "bold red")])
        else:
            seen = CHECKED.get(file.format, "read again by {}; joint torques of what it states differ")
            size = f"by at most {file.difference:.1e} of their size"
            rows.append(["", words(f"{seen.format(file.reader)} {size}", "dim")])
        rows += [["lost" if k == 0 else "", words(sentence, "yellow")] for k, sentence in enumerate(file.lost)]
    robots = [file.path for file in done.files if file.format in ROBOTS]
    source = shlex.quote(done.source)
    code_alone = all(file.format in CHECKED for file in done.files)  # of base parameters there is no URDF to write next
    verb = "report" if done.verdict else "inspect"
    other = f"bifilar {verb} {source}" if code_alone else f"bifilar export {source} --to urdf"
    other = f"bifilar validate {source} other.csv" if done.verdict == "not judged" else other
    again = f"bifilar inspect {shlex.quote(robots[0])}" if robots and done.verdict != "not judged" else other
    yield table([Column(""), Column("", "wrapped")], rows)
    yield words(f"{'next':<{7 if done.verdict else 5}}  {again}")

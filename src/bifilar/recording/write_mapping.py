"""A mapping file to begin with: what is understood of a log's columns, the rest as lines to be filled in.

What the names tell is written down; what they do not tell is never guessed. Every column is listed with its first values, so
that a reader can see which is which.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.errors import RecordingError
from bifilar.recording.mapping import FileForm
from bifilar.recording.open_source import is_bag, open_source
from bifilar.recording.plan import Plan
from bifilar.recording.plan_names import understood
from bifilar.recording.source import Source
from bifilar.recording.units import UNKNOWN
from bifilar.robot.robot import Robot
from bifilar.robot.write_file import write_file

SHOWN = 200  # columns that are listed
EXAMPLE = """
# What the columns are is not clear from their names. Take the # off the lines that apply, and correct them.
# {why}
{joints}
[clock]
# column = {first}      # stamps: a name, or a number from 1
# unit = "s"          # s, ms, us, ns
# rate = 1000.0       # [Hz], instead of a column, where nobody stamped the samples

# [channels.position]
# columns = "2-8"     # a list of names or numbers, a range of numbers, "q{{n}}", or the name of an array
# unit = "rad"        # or deg, m, mm
# [channels.velocity]
# columns = "9-15"
# unit = "rad/s"
# [channels.torque]
# columns = "16-22"
# unit = "N m"        # a sign = -1, a gear ratio = 100, a factor or an offset may follow, for all joints or a list
"""


def write_mapping(log: str | os.PathLike[str], path: str | os.PathLike[str], robot: Robot | None = None, **known: Any) -> bool:
    """Write a mapping for a log; False if its columns were not understood and must be filled in. `known`: rate=, units=.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "run.csv").write_text("t,q1_deg,tau1\\n0,90,1\\n0.1,91,1\\n")
    >>> write_mapping(folder / "run.csv", folder / "run.toml")
    True
    >>> bf.Recording.load(folder / "run.csv", mapping=folder / "run.toml").position.ravel()
    array([1.57079633, 1.58824962])
    """
    if is_bag(log):
        raise RecordingError("a log of messages needs no mapping", where=os.fspath(log), likely="its joints are named in it")
    source = open_source(log, FileForm())
    head = [f"# What the columns of {_quoted(Path(log).name)} are.", *_listing(source), ""]
    try:
        body, clear = _understood(source, understood(source, robot, **known)), True
    except RecordingError as error:
        names = robot.joint_names if robot else ()
        joints = f"joints = {_list(names)}" if names else '# joints = ["shoulder", "elbow"]      # in the order of the columns'
        why = " ".join(error.what.split())
        body, clear = EXAMPLE.format(why=why, joints=joints, first=_column(source, 0)), False
    write_file(path, ("\n".join(head) + body).encode("utf-8", "backslashreplace"))
    return clear


def _listing(source: Source) -> list[str]:
    """Every column with its first values, as comments."""
    columns = range(min(len(source.names), SHOWN))
    first = next(iter(source.blocks(list(columns))), None)
    lines = []
    for k in columns:
        values = "" if first is None or not len(first) else _values(first[:, k])
        lines.append(f"#   {k + 1:>3}  {_plain(source.names[k])[:40]:<24}  {values}".rstrip())
    return lines + ([f"#   and {len(source.names) - SHOWN} more"] if len(source.names) > SHOWN else [])


def _values(column: Array) -> str:
    """The first value, and between which the first block lies: a column that rests at first says little."""
    real = column[np.isfinite(column)]
    span = f"from {real.min():.6g} to {real.max():.6g}" if len(real) else ""
    return f"begins with {column[0]:<12.6g}  {span}"


def _understood(source: Source, plan: Plan) -> str:
    lines = [f"joints = {_list(plan.joint_names)}"]
    lines += [f"sliding = {_list(plan.sliding)}"] if plan.sliding else []
    lines += ["", "[clock]"]
    if plan.clock is not None:
        lines += [f"column = {_column(source, plan.clock[1])}", f'unit = "{plan.clock_unit or "s"}"']
    else:
        lines.append(f"rate = {plan.rate}")
    for channel in plan.channels:
        unit = channel.stated_unit or (channel.units[0] if len(set(channel.units)) == 1 else "")
        lines += ["", f"[channels.{channel.name}]"]
        lines.append(f"columns = [{', '.join(_column(source, k) for k in channel.places)}]")
        if channel.columns != plan.joint_names:
            kind = "joints" if set(channel.columns) <= set(plan.joint_names) else "labels"
            lines.append(f"{kind} = {_list(channel.columns)}")
        if unit and unit != UNKNOWN:
            lines.append(f'unit = "{unit}"' + ("" if channel.stated_unit else "      # usual; the file does not say"))
    used = {k for channel in plan.channels for k in channel.places} | ({plan.clock[1]} if plan.clock else set())
    rest = [source.names[k] for k in range(len(source.names)) if k not in used and source.names[k]]
    lines[1:1] = [f"ignore = {_list(rest)}"] if rest else []
    return "\n".join(lines) + "\n"


def _column(source: Source, k: int) -> str:
    """By name, or by number where the name is missing, not unique, or looks like a number."""
    name = source.names[k] if k < len(source.names) else ""
    clear = name and source.names.count(name) == 1 and "{n}" not in name and not re.fullmatch(r"\d+(-\d+)?", name)
    return _quoted(name) if clear else str(k + 1)


def _list(names: Sequence[str]) -> str:
    return f"[{', '.join(map(_quoted, names))}]"


def _quoted(text: str) -> str:
    """A text as TOML writes it; JSON's escapes are TOML's, but for the delete character."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _plain(text: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in text)

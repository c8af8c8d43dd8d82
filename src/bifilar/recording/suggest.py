"""A mapping to begin with: what the names of a log's columns say, and room for what they do not, with comments.

`bifilar check LOG --write-mapping log.toml` writes it; a person reads it, corrects it, and gives it back with --mapping.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence

import numpy as np

from bifilar.errors import RecordingError
from bifilar.recording.column_names import Meaning, meaning
from bifilar.recording.mapping import FileForm
from bifilar.recording.open_source import is_bag, open_source
from bifilar.recording.source import Source
from bifilar.recording.units import SENSORS, quantity, si_unit
from bifilar.robot.robot import Robot
from bifilar.robot.write_file import write_file

SHOWN = 400  # columns that are listed
EXAMPLE = '# joints = ["shoulder", "elbow"]  # in the order of the columns below'
HEAD = """\
# What the columns of {name} are. Correct what is wrong, then: bifilar check {name} --mapping THIS_FILE
# Columns are given by name, by number from 1, as "2-8", or as a pattern "q{{n}}".
# value = offset + factor * sign * (stated value in SI); ratio is a gear: it divides positions and multiplies torques.
"""


def suggest_mapping(
    path: str | os.PathLike[str], robot: Robot | None = None, write: str | os.PathLike[str] | None = None
) -> str:
    """The text of a mapping for a log, and the file `write` with it.

    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp(), "log.csv")
    >>> _ = file.write_text("clock;Joint_1;Joint_2\\n0;1;2\\n")
    >>> print(suggest_mapping(file).split("joints = ")[1])
    ["shoulder", "elbow"]  # in the order of the columns below
    <BLANKLINE>
    [clock]
    column = "clock"
    unit = "s"  # s, ms, us, ns
    <BLANKLINE>
    # 2 columns say nothing about themselves: "Joint_1", "Joint_2". Take the # off, and correct:
    # [channels.position]
    # columns = ["Joint_1", "Joint_2"]
    # unit = "rad"
    # [channels.torque]
    <BLANKLINE>
    """
    if is_bag(path):
        raise RecordingError("a bag names its joints and needs no mapping", where=os.fspath(path))
    source = open_source(path, FileForm())
    text = _text(source, robot)
    if write is not None:
        write_file(write, text.encode())
    return text


def _text(source: Source, robot: Robot | None) -> str:
    joints = robot.joint_names if robot else source.joint_names
    said = {k: meaning(name, joints) if name else None for k, name in enumerate(source.names)}
    clock = next((k for k, found in said.items() if found is not None and found.channel == "time"), None)
    strange = [k for k, found in said.items() if found is None]
    if clock is None and strange and not any(source.names) and len(strange) > 1:
        clock = strange.pop(0)  # without names the first column is the clock more often than not
    channels = _channels(said, clock)
    counts = [len(places) for name, places in channels.items() if name not in SENSORS]
    names = _names(said, joints, counts or ([] if channels else [len(strange)]))
    lines = [HEAD.format(name=os.path.basename(source.where)) + "#", *_listing(source), ""]
    known = channels or joints
    lines += [f"joints = {_list(names)}  # in the order of the columns below" if known else EXAMPLE, "", "[clock]"]
    lines += _clock_lines(source, said, clock)
    for channel, places in channels.items():
        lines += ["", *_channel_lines(source, channel, places, said, names)]
    if strange:
        lines += ["", *_strange_lines(source, strange, bool(channels))]
    return "\n".join(lines) + "\n"


def _channels(said: dict[int, Meaning | None], clock: int | None) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for k, what in said.items():
        if what is not None and what.channel != "time" and k != clock:
            found.setdefault(what.channel, []).append(k)
    return {name: sorted(places, key=lambda k: _rank(name, said[k], k)) for name, places in found.items()}


def _rank(channel: str, said: Meaning | None, place: int) -> int:
    if said is not None and channel in SENSORS and said.joint in SENSORS[channel][0]:
        return SENSORS[channel][0].index(said.joint)
    return place if said is None or said.number is None else said.number


def _names(said: dict[int, Meaning | None], joints: Sequence[str], counts: list[int]) -> list[str]:
    named = [w.joint for w in said.values() if w is not None and w.joint and w.channel not in SENSORS]
    if named:
        return list(dict.fromkeys(named))
    return list(joints) if len(joints) in counts else [f"joint{k + 1}" for k in range(max(counts, default=0))]


def _clock_lines(source: Source, said: dict[int, Meaning | None], clock: int | None) -> list[str]:
    if clock is None:
        return ["rate = 1000.0  # [Hz] CHECK THIS: no column is a clock, so the rate must be known"]
    found = said[clock]
    stated = found.unit if found is not None and found.unit else "s"
    doubt = "  # CHECK THIS: no column says that it is the clock" if found is None else ""
    return [f"column = {_column(source, clock)}{doubt}", f'unit = "{stated}"  # s, ms, us, ns']


def _channel_lines(
    source: Source, channel: str, places: list[int], said: dict[int, Meaning | None], names: list[str]
) -> list[str]:
    whats = [said[k] for k in places]
    own = [what.joint for what in whats if what is not None and what.joint]
    stated = next((what.unit for what in whats if what is not None and what.unit), "")
    lines = [f"[channels.{channel}]", f"columns = [{', '.join(_column(source, k) for k in places)}]"]
    if channel in SENSORS:
        part = [] if len(own) == len(SENSORS[channel][0]) else [f"labels = {_list(own)}"]
        return [*lines, *part, 'frame = ""  # in which it is written']
    if len(own) == len(places) and own != names:
        lines.append(f"joints = {_list(own)}")
    note = "" if stated else "  # nobody stated it"
    lines.append(f'unit = "{stated or si_unit(channel)}"{note}')
    if quantity(channel) == "torque":
        lines.append("# sign = [1, -1]  # per joint, if the drive counts the other way")
    return lines


def _strange_lines(source: Source, strange: list[int], known: bool) -> list[str]:
    shown = ", ".join(_column(source, k) for k in strange[:20]) + (", ..." if len(strange) > 20 else "")
    lines = [f"# {len(strange)} columns say nothing about themselves: {shown}."]
    columns = f"columns = [{', '.join(_column(source, k) for k in strange)}]"
    if known:
        return [*lines, "# To use them:", "# [channels.current]", f"# {columns}", '# unit = "A"']
    # nothing is guessed: what nobody corrected is refused when the log is read
    example = ["# [channels.position]", f"# {columns}", '# unit = "rad"', "# [channels.torque]"]
    return [lines[0] + " Take the # off, and correct:", *example]


def _listing(source: Source) -> list[str]:
    """Every column with its first value and its range at the beginning of the log, to tell which is which."""
    try:
        block = next(iter(source.blocks(range(len(source.names)))), np.zeros((0, 0)))
    except RecordingError:
        return []
    lines = []
    for k, name in enumerate(source.names[:SHOWN] if len(block) else ()):
        shown = "".join(c if c.isprintable() else "?" for c in name[:40])
        real = block[np.isfinite(block[:, k]), k]
        span = f"from {real.min():.6g} to {real.max():.6g}" if len(real) else "no numbers"
        lines.append(f"# {k + 1:>5}  {shown:<24}  begins with {block[0, k]:<12.6g}  {span}")
    return lines


def _column(source: Source, place: int) -> str:
    name = source.names[place]
    return json.dumps(name, ensure_ascii=False) if name and source.names.count(name) == 1 else str(place + 1)


def _list(words: Sequence[str]) -> str:
    return "[" + ", ".join(json.dumps(word, ensure_ascii=False) for word in words) + "]"

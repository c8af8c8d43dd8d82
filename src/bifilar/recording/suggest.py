"""A mapping to begin with: what the names of a log's columns say, and room for what they do not, with comments.

`bifilar check LOG --write-mapping log.toml` writes it; a person reads it, corrects it, and gives it back with --mapping.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.errors import RecordingError
from bifilar.formats import KEY, MAPPING
from bifilar.readers import reader_for
from bifilar.recording.column_names import Meaning
from bifilar.recording.mapping import FileForm
from bifilar.recording.open_source import names_joints, open_source
from bifilar.recording.plan_names import meanings, stamps, without_doubtful
from bifilar.recording.source import Source
from bifilar.recording.units import SENSORS, quantity, si_unit
from bifilar.robot.robot import Robot
from bifilar.robot.write_file import write_file

SHOWN = 400  # columns that are listed
EXAMPLE = '# joints = ["shoulder", "elbow"]  # in the order of the columns below'
RENAMES = """\
# Joints of {name} and their names in the robot's file. Take off the # where a line is right, correct it where it is not,
# then: bifilar check {name} --mapping THIS_FILE. A topic as the clock: [clock] with topic = "/joint_states"."""
HEAD = """\
# What the columns of {name} are. Correct what is wrong, then: bifilar check {name} --mapping THIS_FILE
# Columns are given by name, by number from 1, as "2-8", or as a pattern "q{{n}}".
# A channel in another file of the same folder says so: file = "torques.csv". Broken lines: [file] with bad_lines = "nan".
# Torque from motor current: in [channels.torque], from = "current" and factor = [...] in N m/A, in place of columns.
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
    if names_joints(path):
        text = _bag_text(path, robot)
    else:
        text = _text(open_source(path, FileForm()), robot)
    if write is not None:
        write_file(write, text.encode())
    return text


def _bag_text(path: str | os.PathLike[str], robot: Robot | None) -> str:
    """A log that names its joints: names to exchange, in the order of both, for a person to look at."""
    reader = reader_for("recording", path)
    assert reader is not None
    names = reader.open(path, None).joint_names
    theirs = robot.joint_names if robot is not None else ()
    lines = [RENAMES.format(name=os.path.basename(os.fspath(path))), f'{KEY} = "{MAPPING.stamp}"', "", "[rename]"]
    strange = [name for name in names if name not in theirs]
    free = [name for name in theirs if name not in names]
    for k, name in enumerate(strange):
        new = free[k] if len(free) == len(strange) else "NAME"
        lines.append(f"# {json.dumps(name)} = {json.dumps(new)}")
    lines += [f"# the robot's joints: {', '.join(theirs)}"] if theirs else []
    return "\n".join(lines) + "\n"


def _text(source: Source, robot: Robot | None) -> str:
    joints = robot.joint_names if robot else source.joint_names
    said = without_doubtful(meanings(source, joints))
    block = _beginning(source)
    clock, rest = stamps(source.names, said)
    strange = [k for k, found in said.items() if found is None]
    if clock is None and len(strange) > 1 and not any(source.names) and _rises(block[:, 0]):
        clock = strange.pop(0)  # without names the first column is the clock more often than not
    channels = _channels(said, clock)
    counts = [len(places) for name, places in channels.items() if name not in SENSORS]
    width = _width(len(strange), joints)
    named = list(dict.fromkeys(w.joint for w in said.values() if w is not None and w.joint and w.channel not in SENSORS))
    names, doubt = _names(named, joints, counts or ([] if channels else [width]))
    called = dict(zip(named, names))
    lines = [HEAD.format(name=os.path.basename(source.where)) + "#", *_listing(source, block), ""]
    lines += [f'{KEY} = "{MAPPING.stamp}"']
    known = channels or joints
    lines += [f"joints = {_list(names)}  # {doubt}in the order of the columns below" if known else EXAMPLE, "", "[clock]"]
    lines += _clock_lines(source, said, clock, rest)
    for channel, places in channels.items():
        lines += ["", *_channel_lines(source, channel, places, said, names, called)]
    if strange:
        lines += ["", *_strange_lines(source, strange, bool(channels), width)]
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


def _names(named: list[str], joints: Sequence[str], counts: list[int]) -> tuple[list[str], str]:
    """Names of the joints, and the doubt: where the log has other names than the robot, or none, its order is a guess."""
    count = len(named) or max(counts, default=0)
    if set(named) & set(joints) or not joints or count > len(joints):
        return named or [f"joint{k + 1}" for k in range(count)], ""
    more = f" first {count} of {len(joints)}" if count < len(joints) else ""
    theirs = f", which the log calls {', '.join(named[:12])}" if named else ""
    return list(joints[:count]), f"CHECK THIS: the robot's{more} joints{theirs}, "


def _width(strange: int, joints: Sequence[str]) -> int:
    """Columns of one channel among those without names: as many as the robot has joints, fewer if it has fingers."""
    return next((n for n in range(len(joints), 1, -1) if strange % n == 0 and 2 * n > len(joints)), strange)


def _rises(column: Array) -> bool:
    """Whether it can be a clock."""
    return len(column) > 0 and bool(np.all(np.diff(column) >= 0)) and column[-1] > column[0]


def _clock_lines(source: Source, said: dict[int, Meaning | None], clock: int | None, rest: int | None) -> list[str]:
    if clock is None:
        return ["rate = 1000.0  # [Hz] CHECK THIS: no column is a clock, so the rate must be known"]
    found = said[clock]
    stated = found.unit if found is not None and found.unit else "s"
    doubt = "  # CHECK THIS: no column says that it is the clock" if found is None else ""
    second = [] if rest is None else [f"nanoseconds = {_column(source, rest)}  # what is beyond the whole seconds"]
    return [f"column = {_column(source, clock)}{doubt}", *second, f'unit = "{stated}"  # s, ms, us, ns']


def _channel_lines(
    source: Source, channel: str, places: list[int], said: dict[int, Meaning | None], names: list[str], called: dict[str, str]
) -> list[str]:
    whats = [said[k] for k in places]
    own = [called.get(what.joint, what.joint) for what in whats if what is not None and what.joint]
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


def _strange_lines(source: Source, strange: list[int], known: bool, width: int) -> list[str]:
    shown = ", ".join(_column(source, k) for k in strange[:20]) + (", ..." if len(strange) > 20 else "")
    lines = [f"# {len(strange)} columns say nothing about themselves: {shown}."]
    columns = f"columns = [{', '.join(_column(source, k) for k in strange)}]"
    if known:
        return [*lines, "# To use them:", "# [channels.current]", f"# {columns}", '# unit = "A"']
    # nothing is guessed: what nobody corrected is refused when the log is read
    groups = [strange[k : k + width] for k in range(0, len(strange), width)]
    names = [*("position", "velocity", "torque")][: len(groups)] if len(groups) != 2 else ["position", "torque"]
    names += [f"another_{k}" for k in range(4, len(groups) + 1)]
    example = []
    for name, group in zip(names, groups):
        unit = f'# unit = "{si_unit(name)}"'
        example += [f"# [channels.{name}]", f"# columns = [{', '.join(_column(source, k) for k in group)}]", unit]
    return [lines[0] + " Take the # off, and correct:", *example, *(["# [channels.torque]"] if len(groups) == 1 else [])]


def _beginning(source: Source) -> Array:
    """The first rows, none if they cannot be read."""
    none = np.zeros((0, len(source.names)))
    try:
        return next(iter(source.blocks(range(len(source.names)))), none)
    except RecordingError:
        return none


def _listing(source: Source, block: Array) -> list[str]:
    """Every column with its first value and its range at the beginning of the log, to tell which is which."""
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

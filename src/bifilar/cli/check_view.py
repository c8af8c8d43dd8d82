"""What `bifilar check` shows: the log in a line, its channels joint by joint, the findings with their remedies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bifilar.cli.check_facts import Checked
from bifilar.cli.letter import counted, plain
from bifilar.cli.open_words import listed
from bifilar.cli.output import COLOURS, Column, complete_table, flowing, heading, next_step, symbol, table, words
from bifilar.dynamics.tree import Array
from bifilar.errors import Finding
from bifilar.recording.recording import Recording

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

NOTES = 6  # so many notes are shown without --full
MANY = 3  # joints that are named, not counted, in a finding about several
ROWS = 24  # so many columns of a table of channels
BARS = "▁▂▃▄▅▆▇█"
SPARK = 16  # characters of a small line
ORDER = ("position", "velocity", "torque", "current", "acceleration")


def view(done: Checked, files: Sequence[Path] = (), full: bool = False, next_command: str = "") -> Iterator[RenderableType]:
    """The parts, from top to bottom.

    >>> from bifilar.cli.log_words import Log
    >>> from bifilar.recording.findings import Findings
    >>> swing = Recording(joint_names=("hip",), time=[0.0, 0.1], position=[[0.0], [1.0]])
    >>> next(view(Checked(Log("swing.csv", False, {}), swing, Findings(), None))).plain
    'swing.csv  without a robot'
    """
    from rich.text import Text

    beside = "without a robot" if done.robot is None else f"beside {done.robot.name}"
    yield Text.assemble((plain(done.log.name), "bold"), "  ", (plain(beside), "dim"))
    recording = done.recording
    clock = "stamped" if recording.clock == "recorded" else "clock assumed"
    parts = [counted(done.size, "sample"), f"{recording.duration:.4g} s"]
    parts += [f"{done.rate:.4g} Hz"] if np.isfinite(done.rate) else []
    unused = 0 if done.samples else int((~recording.mask).sum())
    yield Text(flowing([*parts, clock, *([f"{unused:,} samples masked"] if unused else [])]))
    if done.about:
        yield words(done.about, "dim")
    yield from _channels(recording, full)
    yield from _findings(done.findings, full)
    yield from _verdict(done)
    if files:
        yield heading("Written")
        for path in files:
            what = "what the columns are: correct it, then --mapping" if path.suffix == ".toml" else "pictures, for a browser"
            yield Text.assemble((plain(str(path)), "cyan"), "  ", (what, "dim"))
    if next_command:
        yield next_step(next_command)


def _channels(recording: Recording, full: bool) -> Iterator[RenderableType]:
    """Joints as rows, channels as columns; sensors below."""
    of_joints = [
        name for name, c in recording.channels.items() if c.time is None and set(c.columns) <= set(recording.joint_names)
    ]
    of_joints = sorted(of_joints, key=lambda name: ORDER.index(name) if name in ORDER else len(ORDER))
    if of_joints:
        yield heading("Channels")
        titles = [Column("joint", "name")]
        for k, name in enumerate(of_joints):
            units = ", ".join(dict.fromkeys(recording.channels[name].units))
            titles.append(Column(f"{name.replace('_', ' ')} [{units}]", "text", drop=k))
            if name in ("position", "torque"):
                titles.append(Column("", "text", drop=20 + k, about="small lines"))
        rows = [_joint(recording, of_joints, joint) for joint in recording.joint_names[: None if full else ROWS]]
        yield from complete_table(titles, rows)
        yield from _more(len(recording.joint_names), full, "joints")
    others = [name for name in recording.channels if name not in of_joints]
    if others:
        yield heading("Other channels")
        lines = [line for name in others for line in _sensor(recording, name)]
        titles = [Column("channel", "name"), Column("column"), Column("range"), Column("", drop=1)]
        yield from complete_table(titles, lines[: None if full else ROWS])
        yield from _more(len(lines), full, "columns")


def _more(count: int, full: bool, what: str) -> Iterator[RenderableType]:
    if count > ROWS and not full:
        yield words(f"and {count - ROWS} more {what}; --full shows them", "dim")


def _joint(recording: Recording, names: Sequence[str], joint: str) -> list[str | Text]:
    row: list[str | Text] = [words(joint)]
    for name in names:
        channel = recording.channels[name]
        values = channel.values[:, channel.columns.index(joint)] if joint in channel.columns else np.zeros(0)
        row.append(_range(values))
        if name in ("position", "torque"):
            row.append(words(sparkline(values), "dim"))
    return row


def _sensor(recording: Recording, name: str) -> Iterator[list[str | Text]]:
    channel = recording.channels[name]
    for k, (column, unit) in enumerate(zip(channel.columns, channel.units)):
        about = name.replace("_", " ") + (f", frame {channel.frame}" if channel.frame else "")
        values = channel.values[:, k]
        unit = "" if unit == "unknown" else f" {unit}"
        yield [words(about if k == 0 else ""), words(column), _range(values) + unit, words(sparkline(values), "dim")]


def _range(values: Array) -> str:
    real = values[np.isfinite(values)]
    if not len(values):
        return symbol("–", "-")
    if not len(real):
        return "no numbers"
    low, high = real.min(), real.max()
    return f"{low:.4g}" if low == high else f"{low:.4g} {symbol('…', '..')} {high:.4g}"


def sparkline(values: Array, width: int = SPARK) -> str:
    """The course of a signal in a few characters; "" where the terminal has no such characters.

    >>> sparkline(np.arange(8.0), 8)
    '▁▂▃▄▅▆▇█'
    """
    if symbol(BARS, "") == "" or len(values) < 2 or not np.isfinite(values).any():
        return ""
    low, high = np.nanmin(values), np.nanmax(values)
    if not high > low or not np.isfinite([low, high]).all():
        return ""
    chosen = values[np.linspace(0, len(values) - 1, width).astype(int)]
    levels = np.nan_to_num((chosen - low) / (high - low), nan=-1.0)
    return "".join(" " if level < 0 else BARS[min(int(level * len(BARS)), len(BARS) - 1)] for level in levels)


def _findings(findings: Sequence[Finding], full: bool) -> Iterator[RenderableType]:
    for severity in ("error", "warning", "note"):
        mine = [finding for finding in findings if finding.severity == severity]
        if not mine:
            continue
        yield heading(f"{severity.capitalize()}s" if len(mine) > 1 else severity.capitalize())
        groups = [[finding] for finding in mine] if full else _alike(mine)
        shown = groups if full or severity != "note" or len(groups) <= NOTES + 1 else groups[:NOTES]
        yield table([Column(""), Column("", "wrapped")], [_row(group[0], _where(group)) for group in shown])
        if len(shown) < len(groups):
            yield words(f"and {len(groups) - len(shown)} more notes; --full shows them", "dim")


def _alike(findings: Sequence[Finding]) -> list[list[Finding]]:
    """Findings that say the same of several columns, together: a lost line is one mishap, not one for every column."""
    groups: dict[tuple[str, ...], list[Finding]] = {}
    for finding in findings:
        same = (finding.code, finding.what, finding.likely, finding.remedy, _places(finding))
        groups.setdefault(same, []).append(finding)
    return list(groups.values())


def _where(group: Sequence[Finding]) -> str:
    """Where findings that say the same are: channel by channel, joints counted where they are many."""
    joints: dict[str, list[str]] = {}
    for finding in group:
        channel, of, joint = finding.where.partition(" of ")
        joints.setdefault(channel, []).extend([joint] if of else [])
    parts = {name: f"{len(many)} joints" if len(many) > MANY else ", ".join(many) for name, many in joints.items()}
    channels = {who: [name for name, other in parts.items() if other == who] for who in parts.values()}
    return "; ".join(listed(names) + (f" of {who}" if who else "") for who, names in channels.items())


def _row(finding: Finding, where: str) -> list[str | Text]:
    from rich.text import Text

    text = Text.assemble((plain(where), "bold"), "  ", plain(finding.what))
    likely = finding.likely
    places = _places(finding)
    for mark, line in (("at", places), ("likely", likely), (symbol("→", "->"), finding.typed)):
        if line:
            text.append(f"\n{mark} {plain(line)}", style="dim")
    return [Text(finding.code or finding.severity, style=COLOURS[finding.severity]), text]


def _places(finding: Finding) -> str:
    """Where in time, if that is short: places that cover everything say nothing."""
    at = finding.at
    spans = list(dict.fromkeys((place.start, place.stop) for place in at if np.isfinite([place.start, place.stop]).all()))
    if len(spans) < 2:
        return ""
    shown = ", ".join(f"{a:.6g}" if a == b else f"{a:.6g}{symbol('–', '-')}{b:.6g}" for a, b in spans[:6])
    return f"{shown} s" + (f" and {len(spans) - 6} more" if len(spans) > 6 else "")


def _verdict(done: Checked) -> Iterator[RenderableType]:
    counts = {kind: sum(f.severity == kind for f in done.findings) for kind in ("error", "warning", "note")}
    said = ", ".join(counted(n, kind) for kind, n in counts.items() if n) or "nothing found"
    style = COLOURS["error"] if counts["error"] else COLOURS["warning"] if counts["warning"] else COLOURS["ok"]
    yield heading("")
    yield words(said + ("; not to be trusted as it is" if counts["error"] else ""), style)
    if done.robot is None:
        yield words("With --robot, torques are compared with a model: signs, units, order, delay, a tool.", "dim")

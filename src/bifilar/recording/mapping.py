"""A mapping: what the columns of a log are, written down in a TOML (or JSON) file. Nothing in it is code.

    format = "bifilar mapping 1"              # may be left out
    joints = ["shoulder", "elbow"]            # names, in the order of the columns below
    rename = {axis_2 = "elbow"}               # joints of a log that names them, such as a bag
    log_delay = 0.005                         # [s] by which the torque was logged late; it is moved
    [file]
    names = ["t", "q1", "dq1", "q2", "dq2", "i1", "i2"]     # where the file has no header
    [clock]
    column = "t"                              # or rate = 5000.0, which is then an assumption
    # nanoseconds = "nsec"                    # where stamps are cut into whole seconds and the rest
    [channels.position]
    columns = ["q1", "q2"]                    # by name, by number from 1, "2-8", "q{n}", or the name of an array
    unit = "deg"
    [channels.torque]
    from = "current"                          # of another channel: here current * factor
    factor = [13.6, 13.6]

value = offset + factor * sign * matrix @ (stated value in SI). A gear `ratio` divides positions, velocities and accelerations
and multiplies torques. `motor_from_joint` couples: motor speeds = it @ joint speeds, joint torques = its transpose @ motor
torques.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bifilar.errors import RecordingError, unreadable
from bifilar.formats import MAPPING, NESTED, toml_table
from bifilar.recording.mapping_checks import Number, Row, checked
from bifilar.robot.table import toml_place

LARGEST = 256 * 2**10  # [bytes] of a mapping file


@dataclass(frozen=True, kw_only=True)
class FileForm:
    """How the files are laid out, as far as that should not be guessed.

    >>> FileForm(delimiter=";").delimiter
    ';'
    """

    name: str = ""  # of the log this mapping is for; {run} stands for anything, and for the same in other names
    delimiter: str | None = None
    decimal: str | None = None
    header: bool | int | None = None  # false: none; a number: on that line
    skip: int = 0  # lines at the beginning to be left out
    comment: str | None = None  # what lines begin with that are to be left out
    names: tuple[str, ...] | None = None  # of the columns
    one_value_per_line: int = 0  # so many lines make one sample
    transposed: bool = False  # one signal per line
    bad_lines: str = "refuse"  # or "nan"


@dataclass(frozen=True, kw_only=True)
class ClockForm:
    """Where the stamps are.

    >>> ClockForm(rate=100.0).rate
    100.0
    """

    column: str | int | None = None
    nanoseconds: str | int | None = None  # a second column, what is beyond the whole seconds of the first
    file: str = ""
    unit: str = ""
    rate: float | None = None  # [Hz] assumed
    topic: str = ""


@dataclass(frozen=True, kw_only=True)
class ChannelForm:
    """Where a channel is, and what is to be done to its numbers.

    >>> ChannelForm(columns="q{n}", unit="deg").unit
    'deg'
    """

    columns: str | tuple[str | int, ...] = ()
    joints: tuple[str, ...] = ()  # default: those of the whole mapping
    labels: tuple[str, ...] = ()  # instead of joints, for a sensor
    file: str = ""  # default: the log itself
    source: str = ""  # 'from' in the file: another channel
    unit: str = ""
    sign: Row = 1.0
    ratio: Row = 1.0
    factor: Row = 1.0
    offset: Row = 0.0
    matrix: tuple[tuple[float, ...], ...] = ()
    frame: str = ""
    one_value_per_line: int = 0


@dataclass(frozen=True, kw_only=True)
class UseForm:
    """Which samples may be used; the others are masked.

    >>> UseForm(samples=((921, 6791),)).samples
    ((921, 6791),)
    """

    samples: tuple[tuple[int, int], ...] = ()  # from, to (not included), counted from 0
    time: tuple[tuple[float, float], ...] = ()  # [s]


@dataclass(frozen=True, kw_only=True)
class Mapping:
    """What the columns of a log are.

    >>> mapping = Mapping.of({"joints": ["hip"], "clock": {"rate": 100}, "channels": {"position": {"columns": [1]}}})
    >>> mapping.clock.rate, mapping.channels["position"].columns
    (100.0, (1,))
    """

    joints: tuple[str, ...] = ()
    sliding: tuple[str, ...] = ()
    rename: dict[str, str] = field(default_factory=dict)  # joints that the log calls otherwise: old name, new name
    file: FileForm = field(default_factory=FileForm)
    clock: ClockForm = field(default_factory=ClockForm)
    channels: dict[str, ChannelForm] = field(default_factory=dict)
    motor_from_joint: tuple[tuple[float, ...], ...] = ()
    log_delay: Number | None = None  # [s] by which the torque is late; it is moved
    use: UseForm = field(default_factory=UseForm)
    ignore: tuple[str, ...] = ()  # columns that need not be mentioned
    robot: str = ""  # description file, for information
    notes: str | tuple[str, ...] = ""
    licence: str = ""
    citation: str = ""
    source: str = ""  # where the data come from
    where: str = ""  # the file it was read from

    @classmethod
    def of(cls, content: dict[str, Any], where: str = "the mapping") -> Mapping:
        """From plain dictionaries, each key checked.

        >>> Mapping.of({"chanels": {}})
        Traceback (most recent call last):
        ...
        bifilar.errors.RecordingError: the mapping has no key 'chanels'
          where   the mapping
          likely  'channels' is meant
          try     use one of: channels, citation, clock, file, ignore, joints, licence, log_delay, motor_from_joint, notes, ...
        """
        content = MAPPING.unstamped(content, where)
        parts = {"file": FileForm, "clock": ClockForm, "use": UseForm}
        tables: dict[str, Any] = {}
        for name, form in parts.items():
            if name in content:
                tables[name] = form(**checked(content[name], form, f"{where} [{name}]"))
        named = content.get("channels", {})
        if not isinstance(named, dict):
            raise RecordingError("mapping.form/mapping", where=where)
        tables["channels"] = {name: _channel(name, table, where) for name, table in named.items()}
        rest = {name: value for name, value in content.items() if name not in (*parts, "channels")}
        rest = checked(rest, cls, where, also=(*parts, "channels"), hidden=("where",))
        return cls(**rest, **tables, where=where)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Mapping:
        """Read a .toml or .json file.

        >>> import pathlib, tempfile
        >>> file = pathlib.Path(tempfile.mkdtemp(), "log.toml")
        >>> _ = file.write_text('[clock]\\nrate = 100\\n[channels.position]\\ncolumns = "q{n}"\\nunit = "deg"\\n')
        >>> Mapping.load(file).channels["position"].unit
        'deg'
        """
        where = os.fspath(path)
        try:
            if os.stat(path).st_size > LARGEST:
                raise RecordingError("mapping.too_large", where=where, largest=LARGEST // 1024)
            text = Path(path).read_text("utf-8-sig")
        except OSError as error:
            raise unreadable(RecordingError, "mapping", error, where) from None
        except UnicodeDecodeError:
            raise RecordingError("file.not_text/mapping", where=where) from None
        return cls.of(_parsed(text, where), where)


def _parsed(text: str, where: str) -> dict[str, Any]:
    is_json = where.lower().endswith(".json")
    deepest = max(text.count(mark) for mark in "[{.")
    try:
        if deepest > NESTED:
            raise ValueError(f"{deepest} brackets or dots")
        found = json.loads(text) if is_json else toml_table(text)
    except (ValueError, RecursionError, OverflowError) as error:
        line = getattr(error, "lineno", None) or toml_place(error)[1]
        kind = "JSON" if is_json else "TOML"
        what = "is nested too deeply" if isinstance(error, RecursionError) else f"is not {kind}: {str(error)[:200]}"
        raise RecordingError("mapping.form/parsed", where=f"{where}:{line}" if line else where, thing=what) from None
    if not isinstance(found, dict):
        raise RecordingError("mapping.form/mapping_parsed", where=where)
    return found


def _channel(name: str, table: Any, where: str) -> ChannelForm:
    place = f"{where} [channels.{name}]"
    if isinstance(table, dict) and "from" in table:
        if "source" in table:
            raise RecordingError("mapping.channel/mapping", where=place)
        table = {("source" if key == "from" else key): value for key, value in table.items()}
    form = ChannelForm(**checked(table, ChannelForm, place))
    if bool(form.columns) == bool(form.source):
        raise RecordingError("mapping.channel/channel", where=place)
    if form.joints and form.labels:
        raise RecordingError("mapping.channel/mapping_channel", where=place)
    return form

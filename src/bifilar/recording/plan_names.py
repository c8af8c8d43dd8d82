"""A plan from names alone: columns that say what they are. What cannot be understood is listed, never guessed.

Joints are matched by name. Columns that only have numbers fit a robot only if its joints carry the same numbers, or if the
caller says so (`by_position`).
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bifilar.errors import Finding, RecordingError, Remedy
from bifilar.recording.column_names import NANOSECONDS, OWN, SECONDS, Meaning, meaning
from bifilar.recording.declarations import check_rename, rename_remedy
from bifilar.recording.plan import ChannelPlan, Plan, named
from bifilar.recording.source import Source
from bifilar.recording.units import QUANTITIES, SENSORS, UNKNOWN, quantity, si_unit, unit
from bifilar.robot.robot import Robot

AS_ROWS = "ordered=False (--kinematics logged) takes rows as they are, by their logged velocities and accelerations"
CONVERTED = (  # for a command that takes logs without a word about their columns
    "bifilar convert LOG right.csv --mapping log.toml, then name right.csv; "
    "'bifilar check LOG --write-mapping log.toml' writes one to fill in"
)
WRITE_MAPPING = Remedy(
    "bifilar check LOG --write-mapping log.toml, then mapping='log.toml'",
    cli="bifilar check LOG --write-mapping log.toml, then --mapping log.toml",
    lead="write down what the columns are: ",
    needs=["--mapping"],
    otherwise=CONVERTED,
)
OWN_CLOCKS = ("time [s]", "assumed time [s]")


class CountError(RecordingError):
    """Columns that number other joints than the robot has; with some of them locked, the count may be right.

    >>> CountError("the columns number 7 joints, the robot has 6").exit_code
    3
    """


def understood(
    source: Source,
    robot: Robot | None = None,
    *,
    by_position: bool = False,
    rate: float | None = None,
    units: dict[str, str] | None = None,
    ignore: Sequence[str] = (),
    ordered: bool = True,
    rename: Mapping[str, str] | None = None,
) -> Plan:
    """What the columns are, by their names; not `ordered`: rows without a clock are numbered.

    >>> from bifilar.recording.source import Arrays
    >>> plan = understood(Arrays("log.csv", ("t", "q1_deg", "tau1"), []))
    >>> plan.joint_names, [channel.name for channel in plan.channels]
    (('joint1',), ['position', 'torque'])
    """
    if not any(source.names):
        raise RecordingError("columns.unnamed", where=source.where, name_count=len(source.names))
    other = dict(rename or {})
    joints = (*(robot.joint_names if robot else source.joint_names), *other)
    found = {k: said for k, said in meanings(source, joints).items() if source.names[k] and source.names[k] not in ignore}
    found = without_doubtful(found)
    clock, rest = _clock(source, found, rate, ordered)
    numbered = clock is None and rate is None
    known = {k: said for k, said in found.items() if said is not None and said.channel != "time"}
    _refuse_strange(source, found, joints)
    names, notes = _joint_names(source, known, robot, by_position)
    check_rename(other, list(dict.fromkeys(names[k] for k in names if quantity(known[k].channel))))
    names = {k: other.get(name, name) for k, name in names.items()}
    channels, stated = _channels(source, known, names, robot, units or {})
    order = _order({k: name for k, name in names.items() if quantity(known[k].channel)}, robot, source, notes)
    sliding = _sliding(channels, order, robot)
    return Plan(
        joint_names=order,
        sliding=sliding,
        channels=tuple(channels),
        clock=None if clock is None or rate is not None else (0, clock),
        clock_rest=None if rate is not None else rest,
        clock_unit=(units or {}).get("time", "") or (found[clock].unit if clock is not None and rate is None else ""),  # type: ignore[union-attr]
        assumed=clock is not None and "assumed" in source.names[clock].split(),
        rate=1.0 if numbered else rate,
        numbered=numbered,
        notes=(*notes, *_unused(source, found), *stated),
    )


def meanings(source: Source, joints: Sequence[str]) -> dict[int, Meaning | None]:
    """What each column is; arrays of one struct (log.time, log.q) are understood without its name.

    >>> from bifilar.recording.source import Arrays
    >>> log = Arrays("log.mat", ("log.time", "log.q[0]"), [], {"log.time": (0,), "log.q": (1,)})
    >>> [said.channel for said in meanings(log, ()).values()]
    ['time', 'position']
    """
    found = {k: meaning(name, joints) if name else None for k, name in enumerate(source.names)}
    if source.names and source.names[0] in OWN_CLOCKS:  # bifilar's own: other channels have such names too
        ours = {k: OWN.fullmatch(name) for k, name in enumerate(source.names) if found[k] is None}
        return found | {k: Meaning(own["channel"], own["joint"], unit=own["unit"]) for k, own in ours.items() if own}
    prefix = re.match(r"[A-Za-z_]\w*[./]", source.names[0]) if source.groups else None
    clocked = any(said is not None and said.channel == "time" for said in found.values())
    if prefix is None or clocked or not all(name.startswith(prefix[0]) for name in source.names):
        return found
    return {k: meaning(name.removeprefix(prefix[0]), joints) for k, name in enumerate(source.names)}


def without_doubtful(found: dict[int, Meaning | None]) -> dict[int, Meaning | None]:
    """Beside numbered columns (tau1), 'tau_con1' is no joint's; three axes make a sensor, four an orientation, fewer neither.

    >>> without_doubtful({0: meaning("tau1"), 1: meaning("tau_con1")})[1] is None
    True
    """
    numbered = any(said and said.number is not None for said in found.values())
    axes = {(said.channel, said.joint[0]) for said in found.values() if said and said.channel in SENSORS}
    whole = {
        kind for kind in axes if {said.joint for said in found.values() if said and (said.channel, said.joint[:1]) == kind}
        >= {kind[1] + axis for axis in ("wxyz" if kind[0] == "pose" else "xyz")}
    }  # fmt: skip

    def doubtful(said: Meaning) -> bool:
        if said.channel in SENSORS:
            return (said.channel, said.joint[0]) not in whole
        return numbered and bool(said.joint) and said.channel != "time"

    return {k: None if said is not None and doubtful(said) else said for k, said in found.items()}


def stamps(names: Sequence[str], found: dict[int, Meaning | None]) -> tuple[int | None, int | None]:
    """The column of the stamps, and that of the nanoseconds if the stamps are cut into two (stamp.sec, stamp.nanosec).

    >>> names = ("header.stamp.sec", "header.stamp.nanosec")
    >>> stamps(names, {k: meaning(name) for k, name in enumerate(names)})
    (0, 1)
    """
    clocks = [k for k, said in found.items() if said is not None and said.channel == "time"]
    words = {k: tuple(re.findall(r"[a-z]+", names[k].lower())) for k in clocks}
    parts = {words[k][:-1]: k for k in clocks if words[k][-1] in NANOSECONDS}
    cut = {k: parts[words[k][:-1]] for k in clocks if words[k][-1] in SECONDS and words[k][:-1] in parts}
    whole = [k for k in clocks if k not in cut and k not in cut.values()]
    first = min(whole or cut, key=lambda k: (len(names[k]), k), default=None)
    return first, None if first is None else cut.get(first)


def or_mapping(python: str, cli: str = "") -> Remedy:
    """Something to try, or else a mapping.

    >>> or_mapping("rate=100, or ", "--rate 100, or ").cli[:17]
    '--rate 100, or wr'
    """
    whole, typed = WRITE_MAPPING.lead + WRITE_MAPPING.python, WRITE_MAPPING.cli
    return Remedy(python + whole, cli=(cli or python) + typed, needs=WRITE_MAPPING.needs, otherwise=CONVERTED)


def _clock(
    source: Source, found: dict[int, Meaning | None], rate: float | None, ordered: bool
) -> tuple[int | None, int | None]:
    clock, rest = stamps(source.names, found)
    if clock is not None or rate is not None or not ordered:
        return clock, rest
    columns = _listed(source, range(len(source.names)))
    remedy = or_mapping("declare rate=... [Hz] if there is none, or ", "declare --rate [Hz] if there is none, or ")
    if {"velocity", "acceleration"} <= {said.channel for said in found.values() if said is not None}:
        remedy += f"; {AS_ROWS}"
    raise RecordingError("clock.missing/plan_names", where=source.where, columns=columns, remedy=remedy)


def _refuse_strange(source: Source, found: dict[int, Meaning | None], joints: Sequence[str]) -> None:
    """Refuse if nothing is understood, or if a signal of a joint is not."""
    strange = [k for k, said in found.items() if said is None]
    known = [said for said in found.values() if said is not None and said.channel != "time"]
    signals = [k for k in strange if re.search(r"\d", source.names[k]) or any(joint in source.names[k] for joint in joints)]
    bad = strange if not known else signals
    if bad and joints and all(meaning(source.names[k]) is not None for k in bad):
        likely = "another description of the same robot, or another robot"
        facts: dict[str, Any] = {"columns": _listed(source, bad), "robot": list(joints[:12]), "likely": likely}
        recorded = list(dict.fromkeys(said.joint for k in bad if (said := meaning(source.names[k])) is not None and said.joint))
        remedy = rename_remedy(recorded, joints) if recorded else or_mapping("give the description with these names, or ")
        raise RecordingError("joints.other_names", where=source.where, remedy=remedy, **facts)
    if bad or not known:
        raise RecordingError(
            "columns.not_understood/plan_names" if bad else "columns.not_understood/refuse_strange",
            where=source.where,
            columns=_listed(source, bad),
            bad_count=len(bad),
            name_count=len(source.names),
        )


def _joint_names(
    source: Source, known: dict[int, Meaning], robot: Robot | None, by_position: bool
) -> tuple[dict[int, str], list[Finding]]:
    """The joint of every column, or the column of its sensor."""
    names = {k: said.joint for k, said in known.items() if said.joint}
    rest = {k: said for k, said in known.items() if not said.joint}
    if not rest:
        return names, []
    base, apart = _first_numbers(source, rest)
    numbers = {k: 0 if said.number is None else said.number - base[said.channel] for k, said in rest.items()}
    count = max(numbers.values()) + 1
    if count > 1 and any(said.number is None for said in rest.values()):
        odd = [k for k, said in rest.items() if said.number is None]
        raise RecordingError("columns.no_joint", where=source.where, columns=_listed(source, odd))
    called, notes = _numbered(source, count, robot, by_position)
    notes = [*apart, *notes]
    return names | {k: called[number] for k, number in numbers.items()}, notes


def _first_numbers(source: Source, rest: dict[int, Meaning]) -> tuple[dict[str, int], list[Finding]]:
    """Of every channel the number of the first joint: 0 or 1, the same for all; where equally many columns of one channel are
    counted from 0 and of another from 1 (q0 ... q5 beside tau1 ... tau6), each by itself, which is noted."""
    channels = dict.fromkeys(said.channel for said in rest.values())
    numbers = {c: [said.number for said in rest.values() if said.channel == c and said.number is not None] for c in channels}
    zero = {said.channel for said in rest.values() if said.number == 0 or said.bracketed}
    whole = {c: sorted(found) == list(range(min(found), min(found) + len(found))) for c, found in numbers.items() if found}
    one = {c for c, found in numbers.items() if found and min(found) == 1 and c not in zero}
    if zero and one and all(whole.values()) and len({len(numbers[c]) for c in zero | one}) == 1:
        note = Finding("joints.counted_apart", "note", source.where, zero=sorted(zero), one=sorted(one))
        return {c: 0 if c in zero else 1 for c in channels}, [note]
    return dict.fromkeys(channels, 0 if zero else 1), []


def _numbered(source: Source, count: int, robot: Robot | None, by_position: bool) -> tuple[Sequence[str], list[Finding]]:
    """Names for joints that have only numbers."""
    where = source.where
    if source.joint_names and len(source.joint_names) >= count:
        return source.joint_names, []
    if robot is None:
        return [f"joint{k + 1}" for k in range(count)], [Finding("joints.numbered/plan_names", "note", where, count=count)]
    names = robot.joint_names
    numbers = [[int(n) for n in re.findall(r"\d+", name)][-1:] for name in names]
    if not by_position and numbers[:count] == [[k + 1] for k in range(count)] and count == sum(map(bool, numbers)):
        return names, [Finding("joints.by_number", "note", where)]
    if count != len(names):
        raise _other_count(where, count, names, by_position)
    if by_position:
        return names, [Finding("joints.by_position", "note", where)]
    remedy = or_mapping("say by_position=True if the order is the same, or ", "say --by-position if the order is the same, or ")
    raise RecordingError("joints.numbered/numbered", where=where, joints=names, remedy=remedy)


def _other_count(where: str, count: int, names: Sequence[str], by_position: bool) -> CountError:
    """A log of more joints is another robot's; one of fewer lacks columns of joints that stood still, as fingers do."""
    likely, remedy = "a log of another robot", or_mapping("name the robot that was recorded, or ")
    if count < len(names):
        likely, remedy = "joints that have no column, or a log of another robot", WRITE_MAPPING
    if count < len(names) <= count + 6:
        without = f"{' '.join(names[count:])} if these have no column, or "
        remedy = or_mapping(f"robot.locked: {without}", f"--lock {without}")
    key = "joints.count/by_position" if by_position else "joints.count/by_number"
    return CountError(key, where=where, joints=names, count=count, expected=len(names), likely=likely, remedy=remedy)


def _channels(
    source: Source, known: dict[int, Meaning], names: dict[int, str], robot: Robot | None, units: dict[str, str]
) -> tuple[list[ChannelPlan], list[Finding]]:
    channels, taken = [], []
    for channel in dict.fromkeys(said.channel for said in known.values()):
        places = [k for k, said in known.items() if said.channel == channel]
        columns = [names[k] for k in places]
        twice = next((name for j, name in enumerate(columns) if name in columns[:j]), None)
        if twice is not None:
            both = _listed(source, [k for k in places if names[k] == twice])
            raise RecordingError("column.twice/plan_names", where=source.where, columns=both, channel=channel, twice=twice)
        if channel in SENSORS:
            order = [columns.index(axis) for axis in SENSORS[channel][0] if axis in columns]
            places, columns = [places[k] for k in order], [columns[k] for k in order]
        slides = frozenset(robot.sliding if robot else ())
        usual = [_usual(channel, column, column in slides) for column in columns]
        declared = _fitting(units.get(channel) or units.get(quantity(channel) or "") or "", usual)
        stated = [word or known[k].unit for k, word in zip(places, declared)]
        chosen = [unit(word, source.where) if word else unit(usual[k]) for k, word in enumerate(stated)]
        _refuse_unit(channel, columns, stated, [made.si for made in chosen], source)
        assumed = next((si for si, word in zip(usual, stated) if not word), UNKNOWN)
        if assumed != UNKNOWN:
            taken.append(f"{channel} {'' if channel in SENSORS else assumed}".strip())
        channels.append(
            ChannelPlan(
                name=channel,
                places=tuple(places),
                columns=tuple(columns),
                units=tuple(made.si for made in chosen),
                stated_unit=stated[0] if len(set(stated)) == 1 else "",
                scale=np.array([1.0 if len(set(stated)) == 1 and stated[0] else made.factor for made in chosen]),
                origin=named(source, places),
            )
        )
    return channels, [Finding("log.unit_assumed/plan_names", "note", source.where, taken=taken)] if taken else []


def _fitting(word: str, usual: list[str]) -> list[str]:
    """A declared unit, column by column: degrees are not those of joints that slide, where others turn."""
    fits = [bool(word) and unit(word).si == si for si in usual]
    return [word if fit or not any(fits) else "" for fit in fits]


def _usual(channel: str, column: str, slides: bool) -> str:
    if channel in SENSORS:
        names, units = SENSORS[channel]
        return units[names.index(column)] if column in names else UNKNOWN
    return si_unit(channel, slides)


def _refuse_unit(channel: str, columns: list[str], stated: list[str], si: list[str], source: Source) -> None:
    kind = quantity(channel)
    for column, word, made in zip(columns, stated, si):
        if word and kind and channel not in SENSORS and made not in (*QUANTITIES[kind], UNKNOWN):
            raise RecordingError(
                "unit.unknown/plan_names",
                where=source.where,
                channel=channel,
                column=column,
                word=word,
                kind=kind,
                fromkeys=dict.fromkeys(QUANTITIES[kind]),
            )


def _order(names: dict[int, str], robot: Robot | None, source: Source, notes: list[Finding]) -> tuple[str, ...]:
    axes = {axis for columns, _ in SENSORS.values() for axis in columns}
    recorded = [name for name in dict.fromkeys(names.values()) if name not in axes or (robot and name in robot.joint_names)]
    if robot is None or not recorded:
        return tuple(recorded)
    order = tuple(name for name in robot.joint_names if name in recorded)
    if not order:
        facts = {"joints": ", ".join(recorded[:12]), "robot": ", ".join(robot.joint_names[:12])}
        remedy = rename_remedy(recorded, robot.joint_names)
        raise RecordingError("joints.other_robot/finished", where=os.fspath(source.where), remedy=remedy, **facts)
    missing = [name for name in robot.joint_names if name not in recorded]
    if missing:
        notes.append(Finding("joints.absent", "note", source.where, missing=missing[:12]))
    return order + tuple(name for name in recorded if name not in order)


def _sliding(channels: list[ChannelPlan], joints: tuple[str, ...], robot: Robot | None) -> tuple[str, ...]:
    length = {"m", "m/s", "m/s^2", "N"}
    lengths = {c for p in channels if p.name not in SENSORS for c, u in zip(p.columns, p.units) if u in length}
    slides = lengths | set(robot.sliding if robot else ())
    return tuple(name for name in joints if name in slides)


def _unused(source: Source, found: dict[int, Meaning | None]) -> list[Finding]:
    strange = [k for k, said in found.items() if said is None]
    if not strange:
        return []
    return [Finding("log.columns_left_out/plan_names", "note", source.where, shown=_listed(source, strange))]


def _listed(source: Source, places: Sequence[int]) -> str:
    words = [(source.names[k] or f"column {k + 1}")[:40] for k in list(places)[:24]]
    return ", ".join(words) + (", ..." if len(places) > 24 else "")

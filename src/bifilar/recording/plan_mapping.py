"""A plan from a mapping file: what its tables say, resolved against the columns that the files really have."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from bifilar.dynamics import decompose
from bifilar.dynamics.tree import Array
from bifilar.errors import Finding, RecordingError
from bifilar.recording.mapping import ChannelForm, Mapping
from bifilar.recording.plan import ChannelPlan, Plan, named, row
from bifilar.recording.plan_names import AS_ROWS, understood
from bifilar.recording.source import Source
from bifilar.recording.units import QUANTITIES, SENSORS, UNKNOWN, quantity, si_unit, unit
from bifilar.robot.robot import Robot


def planned(
    mapping: Mapping,
    sources: dict[str, Source],
    robot: Robot | None = None,
    by_position: bool = False,
    ordered: bool = True,
) -> Plan:
    """What a mapping asks for; `sources` by the file's name as the mapping says it, '' being the log itself.

    Not `ordered`: a mapping needs no clock.

    >>> from bifilar.recording.source import Arrays
    >>> tables = {"joints": ["hip"], "clock": {"rate": 100}, "channels": {"position": {"columns": [1], "unit": "deg"}}}
    >>> planned(Mapping.of(tables), {"": Arrays("q.csv", ("",), [])}).channels[0].columns
    ('hip',)
    """
    order = {name: k for k, name in enumerate(sources)}
    sliding = tuple(dict.fromkeys([*mapping.sliding, *(robot.sliding if robot else ())]))
    if not mapping.channels:
        return _by_names(mapping, sources[""], robot, by_position, ordered)
    channels: dict[str, ChannelPlan] = {}
    for name, form in _parents_first(mapping):
        if form.source:
            channels[name] = _derived(name, form, mapping, channels, sliding)
        else:
            channels[name] = _measured(name, form, mapping, sources[form.file], order[form.file], sliding)
    joints = _joint_names(mapping, list(channels.values()), robot)
    numbered = not ordered and mapping.clock.rate is None and mapping.clock.column is None and not mapping.clock.file
    return Plan(
        joint_names=joints,
        sliding=tuple(name for name in joints if name in sliding),
        channels=tuple(channels.values()),
        clock=None if numbered else _clock(mapping, sources, order),
        clock_rest=_clock_rest(mapping, sources),
        clock_unit=mapping.clock.unit,
        rate=1.0 if numbered else mapping.clock.rate,
        numbered=numbered,
        samples=mapping.use.samples,
        time=mapping.use.time,
        notes=tuple(_unmentioned(mapping, sources, channels)),
    )


def _by_names(mapping: Mapping, source: Source, robot: Robot | None, by_position: bool, ordered: bool) -> Plan:
    """A mapping without channels: names are declared, and speak for themselves."""
    units = {"time": mapping.clock.unit} if mapping.clock.unit else {}
    settings = {"by_position": by_position, "rate": mapping.clock.rate, "units": units, "ignore": mapping.ignore}
    settings["ordered"] = ordered
    if mapping.joints:
        source.joint_names = mapping.joints
    try:
        plan = understood(source, robot, **settings)  # type: ignore[arg-type]
    except RecordingError as error:
        error.likely = f"{mapping.where} describes no channel"
        error.remedy = "take the # off [channels.position] and the others in it, and correct them"
        raise
    return replace(plan, samples=mapping.use.samples, time=mapping.use.time)


def _parents_first(mapping: Mapping) -> list[tuple[str, ChannelForm]]:
    done: dict[str, ChannelForm] = {}
    waiting = dict(mapping.channels)
    while waiting:
        ready = [name for name, form in waiting.items() if not form.source or form.source in done]
        if not ready:
            name, form = next(iter(waiting.items()))
            raise RecordingError(
                "mapping.channel/plan_mapping", where=mapping.where, channels=mapping.channels, name=name, source=form.source
            )
        for name in ready:
            done[name] = waiting.pop(name)
    return list(done.items())


def _measured(
    name: str, form: ChannelForm, mapping: Mapping, source: Source, number: int, sliding: Sequence[str]
) -> ChannelPlan:
    where = f"{mapping.where} [channels.{name}]"
    places = _places(form.columns, source, where)
    made = unit(form.unit, where)
    columns = _labels(name, form, mapping, len(places) if not form.matrix else len(form.matrix), where)
    units = _units(name, columns, made.si, sliding, where, bool(form.unit))
    plan = ChannelPlan(
        name=name,
        source=number,
        places=tuple(places),
        columns=columns,
        units=units,
        stated_unit=form.unit or (units[0] if units and len(set(units)) == 1 and units[0] != UNKNOWN else ""),
        origin=named(source, places),
        frame=form.frame,
    )
    return _changed(plan, form, where, len(places), None)


def _derived(
    name: str, form: ChannelForm, mapping: Mapping, channels: dict[str, ChannelPlan], sliding: Sequence[str]
) -> ChannelPlan:
    where = f"{mapping.where} [channels.{name}]"
    parent = channels[form.source]
    coupling = _coupling(name, form, mapping, where)
    width = len(coupling) if coupling is not None else len(form.matrix) or len(parent.columns)
    columns = parent.columns if width == len(parent.columns) and not (form.joints or form.labels) else None
    columns = columns or _labels(name, form, mapping, width, where)
    si = unit(form.unit, where).si
    plan = ChannelPlan(
        name=name,
        parent=form.source,
        columns=columns,
        units=_units(name, columns, si, sliding, where, bool(form.unit)),
        stated_unit=form.unit,
        origin=f"{parent.origin} ({form.source})",
        frame=form.frame or parent.frame,
    )
    return _changed(plan, form, where, len(parent.columns), coupling)


def _changed(plan: ChannelPlan, form: ChannelForm, where: str, width: int, coupling: Array | None) -> ChannelPlan:
    """With the sign, gear, factor, offset and matrix of the mapping."""
    count = len(plan.columns)
    ratio = row(form.ratio, count, "ratio", where)
    if not ratio.all():
        raise RecordingError("mapping.ratio", where=where)
    gear = ratio if quantity(plan.name) == "torque" else 1.0 / ratio
    scale = row(form.sign, count, "sign", where) * gear * row(form.factor, count, "factor", where)
    matrix = np.array(form.matrix, dtype=float) if form.matrix else coupling
    if matrix is not None and matrix.shape != (count, width):
        raise RecordingError("mapping.matrix/plan_mapping", where=where, shape=matrix.shape, value=(count, width))
    return replace(plan, scale=scale, offset=row(form.offset, count, "offset", where), matrix=matrix)


def _coupling(name: str, form: ChannelForm, mapping: Mapping, where: str) -> Array | None:
    """From motors to joints: speeds by the inverse of motor_from_joint, torques by its transpose, so that power is kept."""
    if not mapping.motor_from_joint or not form.source.startswith("motor_") or name.startswith("motor_") or form.matrix:
        return None
    motor_from_joint = np.array(mapping.motor_from_joint)
    if motor_from_joint.shape[0] != motor_from_joint.shape[1] or decompose.rank(motor_from_joint) < len(motor_from_joint):
        raise RecordingError("mapping.matrix/coupling", where=mapping.where)
    return motor_from_joint.T if quantity(name) == "torque" else np.linalg.inv(motor_from_joint)


def _places(columns: str | tuple[str | int, ...], source: Source, where: str) -> list[int]:
    """Indices of columns that are given by name, number, range, pattern or array."""
    if not isinstance(columns, str):
        return [place for column in columns for place in _place(column, source, where)]
    if "{n}" in columns:
        pattern = re.compile(r"(\d+)".join(re.escape(part) for part in columns.split("{n}", 1)))
        found = {int(match[1]): k for k, name in enumerate(source.names) if (match := pattern.fullmatch(name))}
        if not found:
            raise _missing(columns, source, where)
        return [found[number] for number in sorted(found)]
    return _place(columns, source, where)


def _place(column: str | int, source: Source, where: str) -> list[int]:
    if isinstance(column, str) and column in source.names:
        return [source.names.index(column)]
    if isinstance(column, str) and column in source.groups:
        return list(source.groups[column])
    span = re.fullmatch(r"(\d{1,6})-(\d{1,6})", column) if isinstance(column, str) else None
    first, last = (int(span[1]), int(span[2])) if span else (column, column)
    if isinstance(first, int) and isinstance(last, int) and 1 <= first <= last <= len(source.names):
        return list(range(first - 1, last))
    raise _missing(column, source, where)


def _missing(column: str | int, source: Source, where: str) -> RecordingError:
    words = [name or f"{k}" for k, name in enumerate(source.names, 1)]
    shown = ", ".join(word[:40] for word in words[:24]) + (", ..." if len(words) > 24 else "")
    named = repr(column)[:90]
    return RecordingError("mapping.channel/missing", where=where, column=named, file=source.where, columns=shown or "none")


def _labels(name: str, form: ChannelForm, mapping: Mapping, count: int, where: str) -> tuple[str, ...]:
    sensor = SENSORS[name][0] if name in SENSORS else ()
    labels = form.labels or form.joints or (sensor if len(sensor) == count else mapping.joints if quantity(name) else ())
    if not labels and quantity(name):
        raise RecordingError("mapping.no_joints", where=where)
    labels = labels or tuple(f"{name}{k + 1}" if count > 1 else name for k in range(count))
    if len(labels) != count:
        raise RecordingError("mapping.count/plan_mapping", where=where, names=labels[:12], label_count=len(labels), count=count)
    return labels


def _units(name: str, columns: Sequence[str], si: str, sliding: Sequence[str], where: str, said: bool) -> tuple[str, ...]:
    """Units in SI; where the mapping says none, those that are usual (a mapping is a promise)."""
    if name in SENSORS and set(columns) <= set(SENSORS[name][0]):
        return tuple(SENSORS[name][1][SENSORS[name][0].index(column)] for column in columns)
    kind = quantity(name)
    if kind is None:
        return (si,) * len(columns)
    if said and si not in (*QUANTITIES[kind], UNKNOWN):
        raise RecordingError("unit.unknown/plan_mapping", where=where, kind=kind, si=si, quantity=QUANTITIES[kind])
    return tuple(UNKNOWN if said and si == UNKNOWN else si_unit(name, column in sliding) for column in columns)


def _joint_names(mapping: Mapping, channels: list[ChannelPlan], robot: Robot | None) -> tuple[str, ...]:
    recorded = list(dict.fromkeys(column for channel in channels if quantity(channel.name) for column in channel.columns))
    recorded = [name for name in recorded if name not in ("fx", "fy", "fz")]
    if robot is None:
        return tuple(name for name in mapping.joints if name in recorded) + tuple(
            n for n in recorded if n not in mapping.joints
        )
    order = tuple(name for name in robot.joint_names if name in recorded)
    if recorded and not order:
        facts: dict[str, Any] = {"joints": list(recorded[:12]), "robot": list(robot.joint_names[:12])}
        raise RecordingError("joints.other_robot/plan_mapping", where=mapping.where, **facts)
    return order + tuple(name for name in recorded if name not in order)


def _clock(mapping: Mapping, sources: dict[str, Source], order: dict[str, int]) -> tuple[int, int] | None:
    clock, where = mapping.clock, f"{mapping.where} [clock]"
    if clock.rate is not None:
        if clock.column is not None or clock.file:
            raise RecordingError("mapping.clock", where=where)
        return None
    source = sources[clock.file]
    if clock.column is not None:
        places = _places((clock.column,), source, where)
        if len(places) != 1:
            raise RecordingError("clock.several/plan_mapping", where=where, column=clock.column, place_count=len(places))
        return order[clock.file], places[0]
    if len(source.names) == 1 and clock.file:
        return order[clock.file], 0
    remedy = 'say [clock] column = "t", or rate = 100.0 if there are no stamps'
    remedy += f"; {AS_ROWS}" if {"velocity", "acceleration"} <= set(mapping.channels) else ""
    raise RecordingError("mapping.no_clock", where=mapping.where, remedy=remedy)


def _clock_rest(mapping: Mapping, sources: dict[str, Source]) -> int | None:
    clock, where = mapping.clock, f"{mapping.where} [clock]"
    if clock.nanoseconds is None:
        return None
    if clock.column is None:
        raise RecordingError("clock.nanoseconds/plan_mapping", where=where)
    places = _places((clock.nanoseconds,), sources[clock.file], where)
    if len(places) != 1:
        raise RecordingError("clock.several/clock_rest", where=where, nanoseconds=clock.nanoseconds, place_count=len(places))
    return places[0]


def _unmentioned(mapping: Mapping, sources: dict[str, Source], channels: dict[str, ChannelPlan]) -> list[Finding]:
    """Named columns that the mapping does not speak of."""
    notes = []
    for number, source in enumerate(sources.values()):
        used = {place for channel in channels.values() if channel.source == number for place in channel.places}
        rest = [name for k, name in enumerate(source.names) if name and k not in used and name not in mapping.ignore]
        rest = [name for name in rest if name not in (mapping.clock.column, mapping.clock.nanoseconds)]
        if rest:
            shown = ", ".join(word[:40] for word in rest[:12]) + (", ..." if len(rest) > 12 else "")
            notes.append(Finding("log.columns_left_out/plan_mapping", "note", source.where, shown=shown))
    return notes

"""Check a recording: all that can be known before a fit, each finding with where, how much, the likely cause and a remedy.

From the certain to the inferred: the clock, single channels, positions, velocities beside positions, and, with a robot, torques
beside its equations. A mistake that makes the rest meaningless (degrees, another order) ends the way there: findings that would
only be its shadow are not reported.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

import numpy as np

from bifilar.errors import Finding, RecordingError, Severity
from bifilar.recording import checks_excitation, checks_order, checks_position, checks_rate, checks_simulated, checks_tool
from bifilar.recording import checks_torque as torques
from bifilar.recording.checks_channels import channels
from bifilar.recording.checks_clock import clock
from bifilar.recording.checks_current import OF_A_TORQUE, as_torque
from bifilar.recording.checks_delay import delay, undone
from bifilar.recording.checks_model import Comparison
from bifilar.recording.checks_robot import strange
from bifilar.recording.checks_steps import lost_steps
from bifilar.recording.checks_velocity import targets, velocity
from bifilar.recording.checks_view import View
from bifilar.recording.findings import Findings
from bifilar.recording.plausible_rows import without_absurd
from bifilar.recording.recording import Recording
from bifilar.recording.signs import as_declared
from bifilar.recording.stretches import on_the_stamps
from bifilar.robot.robot import Robot

IN_TIME = {"dropped", "stuck", "spike", "steps", "coarse", "still"}  # what a channel says only if its rows follow each other
BROKEN = {"saturation", "dropped", "dead"}  # what leaves torques unexplained by itself


def check(recording: Recording, robot: Robot | None = None, *, current: bool = False) -> Findings:
    """All findings about a recording, the worst first; with a robot, also against its description.

    `current`: what stands as torque is that up to a factor of every joint, which nobody knows yet, of either sign.

    >>> recording, robot = example()
    >>> check(recording, robot).alarms
    Findings()
    >>> check(recording.with_channel("torque", -recording.torque), robot).codes
    ('sign_all',)
    >>> check(recording.with_channel("torque", recording.torque * [-0.08, 0.01]), robot, current=True).alarms
    Findings()
    """
    recording = without_absurd(recording)
    notes = recording.notes
    recording, lost = _without_lost(recording)
    with np.errstate(all="ignore"):  # numbers that overflow are part of what is to be found
        found = [*notes, *lost, *(as_declared(one, recording) for one in _checked(recording, robot, current))]
    shadows = {"limits", "speed"} if "order" in Findings(found).codes else set()
    return Findings(finding for finding in found if finding.code not in shadows)


def _without_lost(recording: Recording) -> tuple[Recording, list[Finding]]:
    """Without the masked rows that have no stamp: lines that could not be read."""
    lost = ~recording.mask & ~np.isfinite(recording.time)
    if not lost.any():
        return recording, []
    kept = np.flatnonzero(~lost)
    content = {name: c if c.time is not None else c.rows(kept) for name, c in recording.channels.items()}
    severity: Severity = "error" if 2 * lost.sum() > len(lost) else "warning" if lost.mean() > 0.01 else "note"
    finding = Finding("bad_lines", severity, "log", lost_count=lost.sum(), lost_count_2=len(lost))
    fewer = replace(recording, time=recording.time[kept], mask=recording.mask[kept], channels=content, truth=None)
    return fewer, [finding]


def _checked(recording: Recording, robot: Robot | None, current: bool) -> list[Finding]:
    if recording.clock == "none":
        return _rows_checked(recording, robot, current)
    found = [*clock(recording), *_own_clocks(recording), *channels(recording)]
    recording = _one_clock(recording)
    found += [*checks_position.wraps(recording), *targets(recording), *_names(recording, robot)]
    view = View.of(recording, robot)
    if view is None:
        return found
    view = as_torque(view) if current else view
    found += _motion(view, recording)
    known = {finding.code for finding in found}
    if not known & {"degrees", "motor_side"}:
        torque = _torque(view, recording, known)
        found += [finding for finding in torque if not (current and finding.code in OF_A_TORQUE)]
    return found


def _rows_checked(recording: Recording, robot: Robot | None, current: bool) -> list[Finding]:
    """What rows without an order in time say: nothing about clocks, rates, steps and delays."""
    found = [*(one for one in channels(recording) if one.code not in IN_TIME), *_names(recording, robot)]
    view = View.of_rows(recording, robot)
    if view is None:
        return found
    view = as_torque(view) if current else view
    found += checks_position.scale(view, recording)
    comparison = Comparison.of(view)
    if comparison is None or {one.code for one in found} & {"degrees", "motor_side"}:
        return found
    order = list(checks_order.order(view))
    signs = [] if order else list(torques.sign(view, comparison))
    other = [] if order or any(one.code == "gravity" for one in signs) else list(strange(view, comparison))
    rest = [] if order or other else [*signs, *torques.unit(view, comparison), *checks_tool.tool(view, comparison)]
    torque = [*order, *other, *rest]
    return found + [one for one in torque if not (current and one.code in OF_A_TORQUE)]


def _motion(view: View, recording: Recording) -> Iterator[Finding]:
    """What positions and velocities say, the description's limits at hand."""
    scaled = list(checks_position.scale(view, recording))
    yield from scaled
    codes = {finding.code for finding in scaled}
    for finding in velocity(view):
        if not (finding.code == "degrees" and codes & {"degrees", "motor_side"}):
            yield finding
    if not codes & {"motor_side"}:
        yield from lost_steps(recording)


def _torque(view: View, recording: Recording, known: set[str]) -> Iterator[Finding]:
    """What torques say beside the equations of motion; `known`: what was found before."""
    comparison = Comparison.of(view)
    yield from checks_excitation.excitation(view)
    if comparison is None:
        yield from checks_order.order(view)
        return
    yield from checks_simulated.simulated(view, recording)
    wrong_rate = "rate" in known
    order = [] if wrong_rate else list(checks_order.order(view))
    yield from order
    if order:
        return
    late = [] if wrong_rate or "dropped" in known else list(delay(view, comparison, 1.0 / recording.rate))
    if late and (together := undone(view, comparison)) is not view:  # what else is wrong shows without the delay
        view = together
        comparison = Comparison.of(view) or comparison
    signs = list(torques.sign(view, comparison))
    rate = [] if wrong_rate else list(checks_rate.rate(view, comparison))
    if wrong_rate or any(finding.code == "rate" for finding in rate):
        yield from [*signs, *rate]  # inertial torques, and with them scale, tool and delay, mean nothing
        return
    if not known & BROKEN and not any(finding.code == "gravity" for finding in signs):
        other = list(strange(view, comparison))
        if other:  # signs, scale and tool say nothing about this machine
            yield from [*other, *(finding for finding in late if finding.number("at_least") is not None)]
            return
    yield from [*signs, *rate]
    yield from torques.unit(view, comparison)
    yield from checks_tool.tool(view, comparison)
    yield from late


def _own_clocks(recording: Recording) -> Iterator[Finding]:
    """What is wrong with stamps that a channel has for itself."""
    for name, channel in recording.channels.items():
        if channel.time is not None:
            for finding in clock(Recording(joint_names=(), time=channel.time)):
                yield finding.changed(where=f"{finding.where} of {name}")


def _one_clock(recording: Recording) -> Recording:
    """Torque and velocity at the recording's stamps; what cannot be put there stays as it is, and was found above."""
    for name in ("torque", "velocity"):
        channel = recording.channels.get(name)
        if channel is not None and channel.time is not None:
            with suppress(RecordingError):
                recording = recording.with_channel(name, on_the_stamps(recording, name))
    return recording


def _names(recording: Recording, robot: Robot | None) -> Iterator[Finding]:
    if robot is None:
        return
    known = {*robot.joint_names, *(joint.name for joint in robot.joints if not joint.moves)}  # held ones may be recorded too
    strangers = [name for name in recording.joint_names if name not in known]
    if strangers:
        yield Finding("names", "error", "joints", strangers=strangers, joint_names=robot.joint_names)
    absent = [name for name in robot.joint_names if name not in recording.joint_names]
    if absent and not strangers:
        yield Finding("absent", "note", "joints", absent=absent)


def example(friction: bool = True, noise: bool = True) -> tuple[Recording, Robot]:
    """A clean recording of the built-in two-link arm by formula, for examples and tests: 8 s at 250 Hz.

    >>> example()[0]
    Recording(joint1, joint2: 2000 samples, 7.996 s at 250 Hz)
    """
    robot = Robot.load("two_link")
    time = np.arange(2000) / 250
    w = np.array([[1.9, 4.4], [2.7, 3.6]])
    size = np.array([[0.7, 0.3], [0.6, 0.4]])
    angle = time[:, None, None] * w + [[0.3, 1.0], [2.0, 0.1]]
    q, v, a = ((size * part).sum(axis=2) for part in (np.sin(angle), w * np.cos(angle), -(w**2) * np.sin(angle)))
    tau = robot.inverse_dynamics(q, v, a)
    tau = tau + (0.3 * v + 0.4 * np.tanh(v / 0.02) if friction else 0.0)
    if noise:
        draw = np.random.default_rng(0)
        q, v = q + 2e-5 * draw.standard_normal(q.shape), v + 2e-3 * draw.standard_normal(v.shape)
        tau = tau + 0.01 * np.std(tau, axis=0) * draw.standard_normal(tau.shape)
    return Recording(joint_names=robot.joint_names, time=time, position=q, velocity=v, torque=tau, name="example"), robot

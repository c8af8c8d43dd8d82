"""Motion of a model under torques and pushes, integrated by our own equations: implicitly or explicitly.

    implicit   h(t, s, s') = 0 by SUNDIALS IDA (variable order, exact Jacobian): any parameters, stiff friction
    explicit   a = forward dynamics by Runge-Kutta of order 8 (scipy's DOP853): full models, no extra package

Inputs jump where pushes begin and end, and at `breaks`: integration starts anew there, so that no step reaches across.
Events are functions of time, position and velocity whose zeros are found; some of them end the motion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from bifilar.dynamics.state import table
from bifilar.dynamics.tree import Array
from bifilar.errors import ShapeError
from bifilar.experiment.trajectory import Motion
from bifilar.robot.model import Model
from bifilar.robot.smooth import SLIP
from bifilar.simulate.implicit_form import ImplicitForm, Input
from bifilar.simulate.pushes import Push
from bifilar.simulate.reference import ticks

EventFunction = Callable[[float, Array, Array], float]


class Event(NamedTuple):
    """A zero of one of the functions that were watched.

    >>> Event("floor", 0.5, np.zeros(1), np.zeros(1)).name
    'floor'
    """

    name: str
    time: float  # [s]
    position: Array
    velocity: Array


class Stretch(NamedTuple):
    """What an integrator returns for a stretch of time without jumps.

    >>> Stretch(np.zeros(1), np.zeros((1, 2)), (), False, 7).evaluations
    7
    """

    time: Array  # (N,) those asked for that were reached, and the last one
    state: Array  # (N, 2 joints)
    events: tuple[Event, ...]
    ended: bool  # by an event
    evaluations: int


@dataclass(frozen=True, eq=False, repr=False)
class MotionRun:
    """What the model did.

    >>> simulate_motion(bf.Robot.load("pendulum"), [0.5], [0.0], 1.0, method="explicit")
    MotionRun(joint1: 1 s, 0 events)
    """

    motion: Motion  # states at the instants asked for; where an event ended it, up to that instant
    events: tuple[Event, ...]
    evaluations: int  # of the equations of motion

    def __repr__(self) -> str:
        names = ", ".join(self.motion.joint_names[:8])
        count = len(self.events)
        return f"MotionRun({names}: {self.motion.time[-1]:.4g} s, {count} event{'' if count == 1 else 's'})"


def simulate_motion(
    model: Model,
    position: ArrayLike,
    velocity: ArrayLike,
    duration: float,
    *,
    torque: Input = None,
    pushes: Push | tuple[Push, ...] | list[Push] = (),
    method: Literal["implicit", "explicit"] = "implicit",
    rate: float = 100.0,
    tolerance: float = 1e-8,
    slip: float = SLIP,
    breaks: Iterable[float] = (),
    events: Mapping[str, EventFunction] | None = None,
    ends: Iterable[str] = (),
) -> MotionRun:
    """The motion from a state on, for `duration` [s], noted `rate` times a second.

    `torque`: constant, or a function of time, position and velocity; none if left out. `tolerance`: relative and absolute,
    of one step. `slip`: least width of the signs in friction [rad/s] or [m/s]. `events`: functions by name; those named in
    `ends` end the motion.

    >>> robot = bf.Robot.load("pendulum")
    >>> low = lambda time, q, v: q[0]
    >>> run = simulate_motion(robot, [0.5], [0.0], 2.0, events={"low": low}, ends=["low"])
    >>> [event.name for event in run.events], bool(run.motion.time[-1] < 0.5)
    (['low'], True)
    """
    if method not in ("implicit", "explicit"):
        raise ShapeError("method.unknown/motion_run", method=method)
    if not 1e-14 <= tolerance <= 1e-2:
        raise ShapeError("tolerance.wrong/motion_run", tolerance=tolerance)
    form = ImplicitForm(model, torque=torque, pushes=pushes, slip=slip)
    start = [table(name, value, model.joint_names)[0][0] for name, value in (("position", position), ("velocity", velocity))]
    watched, last = _watched(events or {}, ends), frozenset(ends)
    time = ticks(float(duration), rate)
    time = time if np.isclose(time[-1], duration) else np.append(time, duration)
    edges = [edge for push in form.pushes for edge in (push.start, push.stop)] + list(breaks)
    inner = sorted({float(edge) for edge in edges if 1e-9 < edge < duration - 1e-9})
    state, found, count = np.concatenate(start), [], 0
    seen: list[Event] = []
    for begin, stop in zip([0.0, *inner], [*inner, float(time[-1])]):
        wanted = time[(time > begin + 1e-12) & (time < stop - 1e-12)]
        span = np.concatenate([[begin], wanted, [stop]])
        part = _integrated(form.held(0.5 * (begin + stop)), span, state, method, tolerance, watched, last)
        keep = slice(0 if begin == 0 else 1, None)
        found.append((part.time[keep], part.state[keep]))
        seen, count, state = [*seen, *part.events], count + part.evaluations, part.state[-1]
        if part.ended:
            break
    return MotionRun(_motion(form, found, time), tuple(seen), count)


def _integrated(
    form: ImplicitForm,
    span: Array,
    state: Array,
    method: str,
    tolerance: float,
    watched: Mapping[str, EventFunction],
    last: frozenset[str],
) -> Stretch:
    if method == "implicit":
        from bifilar.simulate.implicit import integrate
    else:
        from bifilar.simulate.explicit import integrate
    return integrate(form, span, state, tolerance, watched, last)


def _watched(events: Mapping[str, EventFunction], ends: Iterable[str]) -> Mapping[str, EventFunction]:
    strange = [name for name in ends if name not in events]
    if strange:
        raise ShapeError("event.unknown", events=events, strange=strange[0])
    return events


def _motion(form: ImplicitForm, found: list[tuple[Array, Array]], asked: Array) -> Motion:
    """States at the instants asked for (jumps in between are left out), and at the end."""
    time, state = np.concatenate([t for t, _ in found]), np.concatenate([s for _, s in found])
    keep = np.isin(time, asked)
    keep[-1] = True
    time, (q, v) = time[keep], np.split(state[keep], 2, axis=1)
    a = np.array([form.acceleration(float(t), *x) for t, *x in zip(time, q, v)])
    return Motion(joint_names=form.model.joint_names, time=time, position=q, velocity=v, acceleration=a)

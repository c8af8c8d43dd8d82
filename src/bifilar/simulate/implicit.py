"""SUNDIALS IDA, through scikit-sundae: backward differences of variable order for h(t, s, s') = 0."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.errors import ResourceError, SolveError
from bifilar.simulate.implicit_form import ImplicitForm
from bifilar.simulate.motion_run import Event, Stretch

MOST_STEPS = 1_000_000  # between two instants that were asked for


def integrate(
    form: ImplicitForm,
    span: Array,
    state: Array,
    tolerance: float,
    events: Mapping[str, Callable[[float, Array, Array], float]],
    ends: frozenset[str],
) -> Stretch:
    """States at the instants of `span`, from the first of them.

    >>> form = ImplicitForm(bf.Robot.load("pendulum"))
    >>> integrate(form, np.array([0.0, 0.1, 0.2]), np.zeros(2), 1e-8, {}, frozenset()).state[-1]
    array([0., 0.])
    """
    try:
        from sksundae.ida import IDA
    except ImportError:
        raise ResourceError("package.missing/implicit") from None

    def residual(time: float, s: Array, rate: Array, out: Array) -> None:
        out[:] = form.residual(time, s, rate)

    def jacobian(time: float, s: Array, rate: Array, _: Array, alpha: float, out: Array) -> None:
        out[:] = form.jacobian(time, s, rate, alpha)

    settings: dict[str, Any] = {"rtol": tolerance, "atol": tolerance, "max_num_steps": MOST_STEPS, "jacfn": jacobian}
    if events:
        settings |= {"eventsfn": _watch(events, ends), "num_events": len(events)}
    asked = span if len(span) > 2 else np.array([span[0], 0.5 * (span[0] + span[1]), span[1]])  # two: IDA notes its own steps
    q, v = np.split(state, 2)
    first = np.concatenate([v, form.acceleration(float(span[0]), q, v)])
    result = IDA(residual, **settings).solve(asked, state, first)
    if not result.success:
        when = float(result.t[-1]) if len(result.t) else float(span[0])
        raise SolveError("simulation.stopped/implicit", when=when, message=result.message)
    found = _events(result, events)
    ended = any(event.name in ends for event in found)
    keep = np.ones(len(result.t), dtype=bool)
    if len(span) == 2:
        keep = (np.arange(len(keep)) == 0) | (np.arange(len(keep)) == len(keep) - 1)
    return Stretch(np.array(result.t)[keep], np.array(result.y)[keep], found, ended, int(result.nfev))


def _watch(events: Mapping[str, Callable[[float, Array, Array], float]], ends: frozenset[str]) -> Callable[..., None]:
    functions = tuple(events.values())

    def watch(time: float, s: Array, rate: Array, out: Array) -> None:
        q, v = np.split(s, 2)
        out[:] = [function(time, q, v) for function in functions]

    watch.terminal = [name in ends for name in events]  # type: ignore[attr-defined]
    watch.direction = [0] * len(functions)  # type: ignore[attr-defined]
    return watch


def _events(result: Any, events: Mapping[str, Any]) -> tuple[Event, ...]:
    if result.t_events is None:
        return ()
    names = tuple(events)
    rows = zip(result.t_events, result.i_events, result.y_events)
    return tuple(Event(names[k], float(t), *np.split(y.copy(), 2)) for t, which, y in rows for k in np.flatnonzero(which))

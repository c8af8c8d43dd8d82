"""Forward dynamics integrated by Runge-Kutta of order 8 with steps of its own choice (scipy's DOP853)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.errors import SolveError
from bifilar.simulate.implicit_form import ImplicitForm
from bifilar.simulate.motion_run import Event, Stretch


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
    from scipy.integrate import solve_ivp

    def rate(time: float, s: Array) -> Array:
        q, v = np.split(s, 2)
        return np.concatenate([v, form.model.forward_dynamics(q, v, form.applied(time, q, v))])

    watch = [_watch(function, name in ends) for name, function in events.items()]
    settings = {"method": "DOP853", "rtol": max(tolerance, 1e-13), "atol": tolerance, "events": watch or None}
    result = solve_ivp(rate, (span[0], span[-1]), state, t_eval=span, **settings)
    if result.status < 0:
        when = float(result.t[-1]) if len(result.t) else float(span[0])
        raise SolveError("simulation.stopped/explicit", when=when, message=result.message)
    found = [
        Event(name, float(t), *np.split(y, 2))
        for name, times, states in zip(events, result.t_events or (), result.y_events or ())
        for t, y in zip(times, states)
    ]
    found.sort(key=lambda event: event.time)
    time, states = result.t, result.y.T
    if result.status == 1:  # scipy leaves the instant of the last event out
        last = found[-1]
        time, states = np.append(time, last.time), np.vstack([states, np.concatenate([last.position, last.velocity])])
    return Stretch(time, states, tuple(found), result.status == 1, int(result.nfev))


def _watch(function: Callable[[float, Array, Array], float], ends: bool) -> Callable[[float, Array], float]:
    def watch(time: float, s: Array) -> float:
        return function(time, *np.split(s, 2))

    watch.terminal = ends  # type: ignore[attr-defined]
    return watch

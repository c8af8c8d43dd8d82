"""Touchdown: the swing foot hits the ground and stays, the other foot leaves it, all in no time.

    [ D_e  -E' ] [ rates after ]   [ D_e rates before ]
    [ E     0  ] [ impulse     ] = [ 0                ]       D_e: unpinned model, E: Jacobian of the swing foot

(Hurmuzlu and Marghitu 1994; printed with -E in Dolinsky 2017, (2.27).) Angles stay. Energy never grows, and the angular
momentum about the new contact is kept: the only impulse acts there. Then the feet change their roles. That the foot neither
slips nor pulls, and that the other one really leaves the ground, are assumptions; they are checked and reported.

The derivative follows from the same equations, D_e (w - v) - E' F = 0 and E w = 0, with w, F the solution.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.errors import Finding
from bifilar.walking.phases import Phases
from bifilar.walking.planar import placed, turned

GRIP = 0.8  # coefficient of friction that is taken for granted


@dataclass(frozen=True, eq=False)
class Impact:
    """What a touchdown does.

    >>> from bifilar.walking.walker import Walker
    >>> phases = Phases.of(Walker.load("walker3"))
    >>> hit = impact(phases, 0, np.array([0.39, 0.5, -0.39, 2.0, 0.0, -2.0]))
    >>> hit.stance, bool(hit.energy_lost > 0)
    (1, True)
    """

    state: Array  # (2 n,) after it, links in the order of the new foot's model
    stance: int  # the foot that stands now
    impulse: Array  # (2,) along the ground and along its normal [N s]
    lift: Array  # (2,) velocity of the foot that stood [m/s]
    energy_lost: float  # [J]
    grip: float  # coefficient of friction that the impulse needs; infinite if the ground would have to pull
    findings: tuple[Finding, ...] = ()


def impact(phases: Phases, stance: int, state: Array, *, grip: float = GRIP) -> Impact:
    """The state after a touchdown, impulses, and what speaks against it; `grip`: friction coefficient of the ground.

    >>> from bifilar.walking.walker import Walker
    >>> phases = Phases.of(Walker.load("walker3"))
    >>> impact(phases, 0, np.array([0.39, 0.5, -0.39, 2.0, 0.0, -2.0])).findings
    ()
    """
    x = phases.state(state)
    solved = _solve(phases, stance, x)
    n = len(phases)
    before, after = x[n:], solved.rates
    lost = 0.5 * before @ solved.matrix[:n, :n] @ before - 0.5 * after @ solved.matrix @ after
    tangent, normal = solved.impulse
    needs = float(abs(tangent) / normal) if normal > 0 else np.inf
    lift = after[n:]
    findings = []
    where = f"touchdown of '{phases.feet[1 - stance]}'"
    if normal <= 0:
        findings.append(Finding("impact.pulls", "warning", where, normal=normal))
    elif needs > grip:
        findings.append(Finding("impact.slips", "warning", where, needs=needs, grip=grip))
    if lift[1] < -1e-9:
        findings.append(Finding("impact.both_feet", "warning", where, feet=phases.feet[stance], lift=-lift[1]))
    swapped = list(phases.swap[stance])
    new = np.concatenate([x[:n][swapped], after[:n][swapped]])
    return Impact(new, 1 - stance, solved.impulse, lift, float(lost), needs, tuple(findings))


def impact_states(phases: Phases, stance: int, states: Array) -> Array:
    """States after the touchdown, one by one, (K, 2 n), in the order of the new foot's model.

    >>> from bifilar.walking.walker import Walker
    >>> impact_states(Phases.of(Walker.load("walker3")), 0, np.array([[0.39, 0.5, -0.39, 2.0, 0.0, -2.0]])).shape
    (1, 6)
    """
    n = len(phases)
    swapped = list(phases.swap[stance])
    after = np.array([_solve(phases, stance, x).rates[:n] for x in states])
    return np.concatenate([states[:, :n][:, swapped], after[:, swapped]], axis=1)


def impact_jacobian(phases: Phases, stance: int, state: Array) -> tuple[Array, Array]:
    """The state after a touchdown and its derivative by the state before, (2 n, 2 n).

    >>> from bifilar.walking.walker import Walker
    >>> phases = Phases.of(Walker.load("walker3"))
    >>> impact_jacobian(phases, 0, np.array([0.39, 0.5, -0.39, 2.0, 0.0, -2.0]))[1][:3, :3]
    array([[0., 0., 1.],
           [0., 1., 0.],
           [1., 0., 0.]])
    """
    n, planar = len(phases), phases.planar[stance]
    x = np.asarray(state, dtype=float)
    solved = _solve(phases, stance, x)
    angles, w = x[:n], solved.rates
    y = w.copy()
    y[:n] -= x[n:]
    apart = angles[:, None] - angles
    cross = planar.parts[0] * np.sin(apart) + planar.parts[1] * np.cos(apart)
    center, foot = placed(angles, planar.moment), placed(angles, phases.foot[stance])
    right = np.zeros((n + 4, 2 * n))
    # d (D_e y) by the angles: D_jl changes by its two angles, the coupling with the foot's motion by one
    by_angle = cross * y[:n]
    by_angle[np.arange(n), np.arange(n)] -= by_angle.sum(axis=1) + center @ y[n:]
    right[:n, :n] = -by_angle
    right[n : n + 2, :n] = center.T * y[:n]
    right[np.arange(n), np.arange(n)] -= foot @ solved.impulse
    right[n + 2 :, :n] = foot.T * w[:n]
    right[: n + 2, n:] = solved.matrix[:, :n]
    change = np.linalg.solve(solved.system, right)[:n]
    swapped = list(phases.swap[stance])
    slope = np.zeros((2 * n, 2 * n))
    slope[np.arange(n), swapped] = 1.0
    slope[n:] = change[swapped]
    return np.concatenate([angles[swapped], w[:n][swapped]]), slope


class _Solved(NamedTuple):
    rates: Array  # (n + 2,) after: links, then the foot that stood
    impulse: Array  # (2,)
    matrix: Array  # D_e
    system: Array  # (n + 4, n + 4)


def _solve(phases: Phases, stance: int, x: Array) -> _Solved:
    n, planar = len(phases), phases.planar[stance]
    angles = x[:n]
    d = planar.unpinned_matrix(angles)
    system = np.zeros((n + 4, n + 4))
    system[: n + 2, : n + 2] = d
    system[n + 2 :, :n] = turned(angles, phases.foot[stance]).T
    system[n + 2 :, n : n + 2] = np.eye(2)
    system[: n + 2, n + 2 :] = -system[n + 2 :, : n + 2].T
    right = np.zeros(n + 4)
    right[: n + 2] = d[:, :n] @ x[n:]
    solution = np.asarray(np.linalg.solve(system, right), dtype=np.float64)
    return _Solved(solution[: n + 2], solution[n + 2 :], d, system)

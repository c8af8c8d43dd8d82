"""At which rung of a ladder to stop. Held-out motion says it; what the papers did is there to be compared.

LeastError   the least error on motion that was not fitted; `slack` takes the smallest model that is hardly worse     default
Tolerance    the smallest model whose held-out error of every joint stays inside what was asked for
Condition    the first whose condition number is below a fixed one (Schroeer: 100)
Stall        where the condition number no longer falls (Wang et al. 2018)
Own          where the rule itself stops: a threshold, an F test

A falling condition number does not mean a falling error, so the last three are options, not the default.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.errors import SolveError
from bifilar.estimate.held_errors import HeldErrors, Judged

JUDGED: dict[Judged, str] = {"noise": ", in units of each joint's noise", "torque": ", all torque together"}


class Curve(NamedTuple):
    """A ladder as a stopping rule sees it.

    >>> Curve(np.array([2, 1]), np.array([9.0, 1.0]), None, 1, "F test").own
    1
    """

    sizes: Array  # (steps,) falling
    conditions: Array  # (steps,)
    held: HeldErrors | None
    own: int | None
    own_words: str


class Halt(NamedTuple):
    """A step and why it.

    >>> Halt(3, "least error").step
    3
    """

    step: int
    why: str


class Stop(Protocol):
    """What every stopping rule can do."""

    def halt(self, curve: Curve) -> Halt:
        """Where to stop."""
        ...


def turn_of(held: HeldErrors, judged: Judged = "noise") -> int:
    """The step from which on the held-out error only gets worse: the last one that has the least error.

    >>> held = HeldErrors(("a",), np.array([4.0, 1, 9]).reshape(3, 1, 1), *np.ones((2, 1, 1)), np.ones(1))
    >>> turn_of(held)
    1
    """
    errors = held.by(judged)
    return int(np.flatnonzero(errors <= errors.min())[-1])


@dataclass(frozen=True, kw_only=True)
class LeastError:
    """The step with the least held-out error, or the smallest model that is worse by `slack` at most.

    >>> held = HeldErrors(("a",), np.array([4.0, 1, 1.1]).reshape(3, 1, 1), *np.ones((2, 1, 1)), np.ones(1))
    >>> curve = Curve(np.array([3, 2, 1]), np.ones(3), held, None, "")
    >>> LeastError().halt(curve).step, LeastError(slack=0.1).halt(curve).step
    (1, 2)
    """

    slack: float = 0.0  # share by which the error may exceed the least, for a smaller model
    judged: Judged = "noise"  # in units of each joint's noise, so that weak joints count too, or all torque together

    def __post_init__(self) -> None:
        if not 0 <= self.slack < np.inf or self.judged not in ("noise", "torque"):
            raise SolveError("setting.wrong/stopping", slack=self.slack, judged=self.judged)

    def halt(self, curve: Curve) -> Halt:
        """Where to stop.

        >>> LeastError().halt(Curve(np.ones(1), np.ones(1), None, None, ""))
        Traceback (most recent call last):
        ...
        bifilar.errors.SolveError: there is no held-out motion to choose by
          try     give validate=..., a longer recording, or another stop
        """
        errors = _held(curve).by(self.judged)
        within = np.flatnonzero(errors <= (1 + self.slack) * errors.min())
        step = int(within[-1])
        more = f", within {100 * self.slack:.2g} % of the least" if self.slack else ""
        return Halt(step, f"the least error on held-out motion{JUDGED[self.judged]}{more}")


@dataclass(frozen=True, kw_only=True)
class Tolerance:
    """The smallest model whose held-out error stays inside a tolerance, joint by joint.

    >>> held = HeldErrors(("a",), np.array([1.0, 4.0]).reshape(2, 1, 1), *np.ones((2, 1, 1)), np.ones(1))
    >>> Tolerance(torque={"a": 1.5}).halt(Curve(np.array([2, 1]), np.ones(2), held, None, "")).step
    0
    """

    torque: Mapping[str, float] | float = field(default_factory=dict)  # [N m] or [N] root mean square, by joint or for all

    def of(self, names: tuple[str, ...]) -> Array:
        """The tolerance of every joint; infinite where nothing is asked.

        >>> Tolerance(torque={"b": 2.0}).of(("a", "b"))
        array([inf,  2.])
        """
        if not isinstance(self.torque, Mapping):
            given = np.full(len(names), float(self.torque))
        else:
            strange = [name for name in self.torque if name not in names]
            if strange:
                raise SolveError("joint.unknown/stopping", joints=names, strange=strange[0])
            given = np.array([float(self.torque.get(name, np.inf)) for name in names])
        if not np.all(given > 0) or not np.isfinite(given).any():
            raise SolveError("tolerance.wrong/stopping")
        return given

    def halt(self, curve: Curve) -> Halt:
        """Where to stop; refused, with the joint that is furthest off, if no model of the ladder is inside.

        >>> held = HeldErrors(("a",), np.full((1, 1, 1), 4.0), *np.ones((2, 1, 1)), np.ones(1))
        >>> Tolerance(torque=1.0).halt(Curve(np.ones(1), np.ones(1), held, None, ""))
        Traceback (most recent call last):
        ...
        bifilar.errors.SolveError: no model of the path keeps the tolerance on held-out motion; ...
          best    a 2 of 1
          likely  a tolerance below what this robot's friction and noise leave
          try     a wider tolerance, richer friction, or more motion to fit
        """
        held = _held(curve)
        limit = self.of(held.joint_names)
        share = (held.rms / limit).max(axis=1)
        inside = np.flatnonzero(share <= 1)
        if not len(inside):
            best = int(np.argmin(share))
            size, over = int(curve.sizes[best]), [j for j in range(len(limit)) if held.rms[best, j] > limit[j]]
            raise SolveError(
                "simplify.no_model",
                best=", ".join(f"{held.joint_names[j]} {held.rms[best, j]:.3g} of {limit[j]:.3g}" for j in over),
                size=size,
                value="s" * (size != 1),
            )
        return Halt(int(inside[-1]), "the smallest model inside the tolerance of every joint")


@dataclass(frozen=True, kw_only=True)
class Condition:
    """The first model whose condition number is below a fixed one.

    >>> Condition().halt(Curve(np.array([2, 1]), np.array([500.0, 50.0]), None, None, "")).step
    1
    """

    below: float = 100.0  # as suggested by Schroeer, and Wang et al. 2018

    def halt(self, curve: Curve) -> Halt:
        """Where to stop: the smallest model if none is below.

        >>> Condition(below=10.0).halt(Curve(np.array([2, 1]), np.array([500.0, 50.0]), None, None, "")).step
        1
        """
        good = np.flatnonzero(curve.conditions < self.below)
        return Halt(int(good[0]) if len(good) else len(curve.sizes) - 1, f"the condition number below {self.below:g}")


@dataclass(frozen=True, kw_only=True)
class Stall:
    """Where dropping no longer lowers the condition number by a good share (what Wang et al. 2018 did).

    >>> Stall().halt(Curve(np.array([3, 2, 1]), np.array([500.0, 100.0, 99.0]), None, None, "")).step
    1
    """

    share: float = 0.05  # by which it must fall for a loss to be worth while

    def halt(self, curve: Curve) -> Halt:
        """Where to stop.

        >>> Stall().halt(Curve(np.array([1]), np.ones(1), None, None, "")).step
        0
        """
        c = curve.conditions
        stalled = np.flatnonzero(c[1:] > (1 - self.share) * c[:-1])
        return Halt(int(stalled[0]) if len(stalled) else len(c) - 1, "the condition number stalls")


@dataclass(frozen=True, kw_only=True)
class Own:
    """Where the rule itself would stop.

    >>> Own().halt(Curve(np.array([2, 1]), np.ones(2), None, 1, "F test")).why
    'F test'
    """

    def halt(self, curve: Curve) -> Halt:
        """Where to stop; refused if the rule does not say.

        >>> Own().halt(Curve(np.ones(1), np.ones(1), None, None, ""))
        Traceback (most recent call last):
        ...
        bifilar.errors.SolveError: this rule has no stop of its own
          try     the default: the least error on held-out motion
        """
        if curve.own is None:
            raise SolveError("stop.none")
        return Halt(curve.own, curve.own_words)


STOPS: dict[str, Stop] = {"validation": LeastError(), "condition": Condition(), "stall": Stall(), "own": Own()}


def _held(curve: Curve) -> HeldErrors:
    if curve.held is None:
        raise SolveError("test.none/stopping")
    return curve.held

"""The ladder of a simplification: every model from full to smallest with its errors, and the step that was taken."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bifilar.estimate.held_errors import HeldErrors, Judged, Ratio
from bifilar.estimate.rungs import Path
from bifilar.estimate.stopping import Halt, turn_of
from bifilar.estimate.subset import Subset


@dataclass(frozen=True, eq=False)
class Step:
    """One model of the ladder.

    >>> Step(3, ("link2.Ixy",), 0.001, "contributes 0.1 %", 250.0, 0.05, 0.06, 1.2).size
    3
    """

    size: int  # parameters
    dropped: tuple[str, ...]  # to come here
    score: float  # by which the rule chose
    why: str
    condition: float  # of the observation matrix, rows weighted as fitted
    fitted: float  # |error| / |torque| in units of noise, on the fitted data
    held: float | None  # |error| / |torque| on held-out motion, all joints together
    held_noise: float | None  # held-out error in units of noise
    back: tuple[str, ...] = ()  # dropped by a step before, and here again


@dataclass(frozen=True, eq=False)
class Ladder:
    """All steps, the one that was taken, and the one from which on held-out motion gets worse.

    >>> Ladder("relative contribution", "run2.csv", (), Halt(0, "least error"), None).chosen
    0
    """

    rule: str  # in words
    judged_on: str  # in words
    steps: tuple[Step, ...]
    halt: Halt
    turn: int | None  # None: nothing was held out
    held: HeldErrors | None = None
    judged: Judged = "noise"  # by which errors are compared

    @property
    def over_full(self) -> Ratio | None:
        """Held-out error of the step that was taken over the full model's; chosen by it, so a little too good.

        >>> Ladder("", "", (), Halt(0, ""), None).over_full is None
        True
        """
        return None if self.held is None else self.held.over_full(self.chosen, self.judged)

    @property
    def chosen(self) -> int:
        """The step that was taken.

        >>> Ladder("", "", (), Halt(2, "")).chosen
        Traceback (most recent call last):
        ...
        TypeError: Ladder.__init__() missing 1 required positional argument: 'turn'
        """
        return self.halt.step

    @property
    def dropped(self) -> tuple[tuple[str, str], ...]:
        """What is not in the model that was taken, first to last, each with the reason.

        >>> Ladder("", "", (Step(2, (), 0, "", 1, 0, 0, 0), Step(1, ("a",), 0, "why", 1, 0, 0, 0)), Halt(1, ""), None).dropped
        (('a', 'why'),)
        """
        return gone_by((step.dropped, step.back, step.why) for step in self.steps[1 : self.chosen + 1])

    def text(self, most: int = 20) -> str:
        """A line per step, at most so many; the step taken is always there.

        >>> print(Ladder("", "", (Step(2, (), 0, "", 9, 0.1, 0.2, 1.5),), Halt(0, "least error"), 0).text())
        parameters   condition   fitted   held out   in noise   dropped
                 2           9     10 %       20 %        1.5             <- taken, the least held-out error
        """
        count = len(self.steps)
        every = max(1, -(-count // most))
        shown = sorted({*range(0, count, every), self.chosen, count - 1, *([] if self.turn is None else [self.turn])})
        lines = ["parameters   condition   fitted   held out   in noise   dropped"]
        for k in shown:
            step = self.steps[k]
            held = "" if step.held is None else f"{100 * step.held:.3g} %"
            noise = "" if step.held_noise is None else f"{step.held_noise:.4g}"
            marks = ["taken"] * (k == self.chosen) + ["the least held-out error"] * (k == self.turn)
            mark = f"  <- {', '.join(marks)}" if marks else ""
            names = ", ".join(step.dropped)
            numbers = f"{step.size:>10}  {step.condition:>10.4g}  {100 * step.fitted:>5.3g} %  {held:>9}  {noise:>9}"
            lines.append(f"{numbers}   {names:<10}{mark}".rstrip())
        return "\n".join(lines)

    def facts(self) -> dict[str, Any]:
        """As plain data: what an estimate keeps in its tables.

        >>> Ladder("a", "b", (), Halt(0, "c"), None).facts()["rule"]
        'a'
        """
        held = self.held
        per_joint = None if held is None else {"joints": list(held.joint_names), "rms": held.rms.tolist()}
        return {
            "rule": self.rule,
            "judged on": self.judged_on,
            "chosen": self.chosen,
            "turn": self.turn,
            "stopped": self.halt.why,
            "judged": self.judged,
            "over full": None if self.over_full is None else _plain(self.over_full._asdict()),
            "steps": [_plain(vars(step)) for step in self.steps],
            "held out per joint": per_joint,
        }


def gone_by(steps: Iterable[tuple[Sequence[str], Sequence[str], str]]) -> tuple[tuple[str, str], ...]:
    """What (dropped, back, why) of steps leave out in the end, first to last, each with the reason.

    >>> gone_by([(("a",), (), "small"), (("b", "c"), ("a",), "smaller")])
    (('b', 'smaller'), ('c', 'smaller'))
    """
    gone: dict[str, str] = {}
    for dropped, back, why in steps:
        for name in back:
            gone.pop(name, None)
        gone |= dict.fromkeys(dropped, why)
    return tuple(gone.items())


def ladder_of(
    path: Path, models: list[Subset], held: HeldErrors | None, halt: Halt, rule: str, judged_on: str, judged: Judged
) -> Ladder:
    """Puts the parts together."""
    relative = None if held is None else held.relative
    noise = None if held is None else held.in_noise
    steps = tuple(
        Step(
            rung.size,
            rung.dropped,
            rung.score,
            rung.why,
            model.condition,
            model.residual / (float(np.linalg.norm(model.triangle.factor[:, -1])) or 1.0),
            None if relative is None else float(relative[k]),
            None if noise is None else float(noise[k]),
            rung.back,
        )
        for k, (rung, model) in enumerate(zip(path.rungs, models, strict=True))
    )
    return Ladder(rule, judged_on, steps, halt, None if held is None else turn_of(held, judged), held, judged)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, tuple):
        return list(value)
    return None if isinstance(value, float) and not np.isfinite(value) else value

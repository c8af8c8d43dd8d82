"""What a fit decided about the delay of the torque, beside what the checks say: answered, contradicted, or left as it is.

`check` names a delay of every log before the fit; the fit compensates what all of its logs agree on. A delay that was named and
is compensated is a note. One of 10 ms or more that was named and is not compensated makes masses and friction that belong to no
machine, however small the error: such a result is not to be trusted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from bifilar.cli.log_words import delay_of
from bifilar.errors import Finding, Note, Remedy
from bifilar.estimate.delay_choice import LARGE, DelayChoice
from bifilar.estimate.estimate import BaseEstimate
from bifilar.estimate.kinematics_choice import KinematicsChoice
from bifilar.recording.findings import Findings
from bifilar.recording.recipes import recipe_of
from bifilar.validate.verdict import Verdict

if TYPE_CHECKING:
    from bifilar.cli.log_words import MotionSettings

Named = tuple[tuple[str, Findings], ...]
ALIKE = 0.5  # of a delay that was named, by which what is left may differ
DECLARE = Remedy(
    "Recording.load(..., log_delay=...)", cli="--log-delay SECONDS, if you know it; --log-delay 0 if there is none"
)


def answered(findings: Named, estimate: BaseEstimate) -> Named:
    """The findings with what the fit decided: delays that it compensated as notes, one that it would not as a warning.

    >>> answered((), None)
    ()
    """
    if not findings:
        return findings
    choice = estimate.tables.get("delay")
    done = tuple((name, Findings(_answered(one, estimate) for one in found)) for name, found in findings)
    named = any(_late(one) is not None for _, found in done for one in found)
    if not isinstance(choice, DelayChoice) or choice.code != "delay.inconsistent" or named:
        return done
    numbers: dict[str, Any] = {"delay": choice.found, "deviation": choice.deviation, "gain": choice.gain}
    told = Finding("delay_inconsistent", "warning", "torque", thing=choice.sentence(), remedy=DECLARE, **numbers)
    first, found = done[0]
    return ((first, found + (told,)), *done[1:])


def in_time(verdict: Verdict, findings: Named, logs: Sequence[str]) -> Verdict:
    """The verdict, poor where the torque of a fitted log is late and nothing was done about it.

    >>> late = Finding("delay", "warning", "torque", what="is late", delay=0.03)
    >>> in_time(Verdict("good", ()), (("run.csv", Findings([late])),), ["run.csv"]).level
    'poor'
    """
    late = [(name, one, size) for name, found in findings for one in found if (size := _late(one)) is not None]
    bad = [(name, one, size) for name, one, size in late if name in logs and abs(size) >= LARGE]
    if not bad or verdict.level not in ("good", "usable"):
        return verdict
    name, one, size = bad[0]
    return replace(
        verdict, level="poor", reasons=(Note("delay/fit_delay", seconds=size, name=name, thing=one.what), *verdict.reasons)
    )


def reading_facts(settings: MotionSettings, estimate: BaseEstimate) -> dict[str, Any]:
    """Delay and kinematics that were used, and how they were decided, for JSON.

    >>> from bifilar.cli.fit import Settings
    >>> q, v, a = np.random.default_rng(0).normal(size=(3, 200, 1))
    >>> robot = bf.Robot.load("pendulum")
    >>> estimate = bf.LeastSquares().fit(robot, (q, v, a, robot.inverse_dynamics(q, v, a)))
    >>> reading_facts(Settings(robot="pendulum", logs=("run.csv",), log_delay=0.005), estimate)["log_delay"]
    {'code': 'delay.declared', 'delay': 0.005}
    """
    recipe, declared = recipe_of(estimate.recipe), delay_of(settings.log_delay)
    delay: dict[str, Any] = {"code": "delay.none" if declared is None else "delay.declared"}
    delay["delay"] = (recipe.delay or 0.0) if declared is None else declared
    kinematics: dict[str, Any] = {"code": f"kinematics.{'logged' if recipe.kinematics == 'logged' else 'derived'}"}
    for name, facts in (("delay", delay), ("kinematics", kinematics)):
        choice: Any = estimate.tables.get(name)
        facts |= choice.facts() if isinstance(choice, (DelayChoice, KinematicsChoice)) else {}
    return {"log_delay": delay, "kinematics": kinematics}


def _answered(one: Finding, estimate: BaseEstimate) -> Finding:
    size, moved = _late(one), recipe_of(estimate.recipe).delay or 0.0
    if size is None:
        return one
    if not moved and abs(size) < LARGE and isinstance(estimate.tables.get("delay"), DelayChoice):
        return one.changed(severity="note", what=f"{one.what}; blocks and joints of the fit do not confirm it")
    if not moved or abs(size - moved) > ALIKE * abs(size):
        return one
    return one.changed(severity="note", what=f"{one.what}; the fit moved it by {-1e3 * moved:+.1f} ms")


def _late(one: Finding) -> float | None:
    """The delay that a check names [s], not compensated."""
    return one.number("delay") if one.code == "delay" and one.severity != "note" else None

"""A doubtful fit and the mistake that most likely made it: recordings are checked once more, and what they say is told.

Checks (`bifilar.recording.check`) know signs, units, degrees, gear ratios, joints in another order, delays and wrong rates by
what they do to torque beside the description. They cost a second, so only fits that are doubted, or left open, ask them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from time import perf_counter
from typing import Any, Protocol, TypeVar

from bifilar.dynamics.blas import singular_refused
from bifilar.errors import BifilarError, Finding, Note
from bifilar.estimate.estimate import BaseEstimate
from bifilar.estimate.problem import Problem
from bifilar.estimate.sources import Data, listed
from bifilar.recording.check import check
from bifilar.recording.findings import Findings
from bifilar.recording.recording import Recording
from bifilar.robot.robot import Robot

# codes of findings that make fits wrong, the plainest first; of few or poor rows only the plain ones are believed
PLAIN = ("degrees", "motor_side", "order", "sign_all", "sign", "rate", "unit", "dead", "saturation")
MISTAKES = (*PLAIN, "gravity", "delay", "dropped", "tool", "torque_scale", "robot")
Some = TypeVar("Some", bound=BaseEstimate)
Told = TypeVar("Told", bound=BaseEstimate, covariant=True)
LOOKED = 2  # recordings, at most


def suspicions(robot: Robot, recordings: Iterable[Data], codes: tuple[str, ...] = MISTAKES) -> Findings:
    """What checks say against recordings, as far as it makes fits wrong, the plainest first; each kind once.

    >>> from bifilar.recording.check import example
    >>> recording, robot = example()
    >>> suspicions(robot, [recording.with_channel("torque", -recording.torque)]).codes
    ('sign_all',)
    """
    found: dict[str, Finding] = {}
    for recording in [entry for entry in recordings if isinstance(entry, Recording)][:LOOKED]:
        try:
            alarms = check(recording, robot).alarms
        except BifilarError:  # it has been said before, or does not matter here
            continue
        for finding in alarms.of(*codes):
            found.setdefault(finding.code, finding)
    return Findings(found[code] for code in MISTAKES if code in found)


MISTAKE = "mistake.likely"


def told(finding: Finding) -> Note:
    """A finding that is likely what went wrong, in one sentence, with what to do.

    >>> print(told(Finding("sign", "error", "torque of 'elbow'", what="opposes gravity", remedy="sign={'elbow': -1}")))
    likely mistake: torque of 'elbow': opposes gravity; try sign={'elbow': -1}
    """
    return Note(MISTAKE, mistake=finding.code, place=finding.where, thing=finding.what, remedy=finding.remedy, **finding.facts)


class Solving(Protocol[Told]):
    """A method that solves a problem that was built."""

    def solve(self, problem: Problem, *, built: float = 0.0) -> Told:
        """Its own way; `built`: seconds that building took."""
        ...


def fitted_by(method: Solving[Some], robot: Robot, recordings: Data | Iterable[Data], strict: bool, **problem: Any) -> Some:
    """Build the problem, solve it, and name the likely mistake if the answer is doubted; `strict` raises unless all is well.

    >>> robot = bf.Robot.load("pendulum")
    >>> q, v, a = np.random.default_rng(0).normal(size=(3, 200, 1))
    >>> fitted_by(bf.LeastSquares(), robot, (q, v, a, robot.inverse_dynamics(q, v, a)), strict=True).status.code
    'ok'
    """
    start, data = perf_counter(), list(listed(recordings))
    with singular_refused():
        built = Problem.of(robot, data, **problem)
        estimate = with_likely(method.solve(built, built=perf_counter() - start), robot, data)
    if strict:
        estimate.status.insist()
    return estimate


def with_likely(estimate: Some, robot: Robot, recordings: Sequence[Data]) -> Some:
    """The estimate; a doubtful one names the likely mistake in its status and its notes.

    >>> from bifilar.recording.check import example
    >>> recording, robot = example()
    >>> bf.fit(robot, recording.with_channel("torque", -recording.torque)).status.sentence.split("; likely ")[1][:29]
    'torque: has the opposite sign'
    """
    if estimate.status.code not in ("doubtful", "rank deficient"):
        return estimate
    found = suspicions(robot, recordings, MISTAKES if estimate.status.code == "doubtful" else PLAIN)
    if not found:
        return estimate
    first = found[0]
    sentence = f"{estimate.status.sentence}; likely {first.where}: {first.what}"
    status = replace(estimate.status, sentence=sentence, remedy=first.remedy or estimate.status.remedy)
    return replace(estimate, status=status, notes=(*estimate.notes, *map(told, found)))

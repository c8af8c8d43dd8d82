"""What the methods that simulate the closed loop share: controller, reference, clock, and how a problem is built with them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bifilar.errors import SolveError
from bifilar.estimate.closed_loop import SLIP, Controller
from bifilar.estimate.estimate import BaseEstimate
from bifilar.estimate.likely import with_likely
from bifilar.estimate.loop_rows import held, reference_of, samples_of
from bifilar.estimate.problem import Problem
from bifilar.estimate.sources import Data, listed
from bifilar.recording.recipes import recipe_of
from bifilar.recording.recording import Recording
from bifilar.robot.robot import Robot
from bifilar.simulate.reference import Playable, Reference


@dataclass(frozen=True, kw_only=True, eq=False)
class LoopSettings(ABC):
    """Settings of `InstrumentalVariables` and `DirectInverse`."""

    controller: Controller | Sequence[Controller] = ()  # of all recordings, or one each; it must be given
    reference: Playable | None = (
        None  # the motion that was played, from a recording's first stamp on; None: its commanded positions
    )
    control_rate: float | None = None  # [Hz]; None: the recording's
    held_torque: bool = True  # whether the logged torque was held until the next stamp
    start: ArrayLike | None = None  # base values of the first simulation; None: found along the reference
    slip: float = SLIP  # [rad/s] or [m/s] least width of the sign of speed in the simulation

    def __post_init__(self) -> None:
        name, given = type(self).__name__, self.controller
        each = [given] if isinstance(given, Controller) or not isinstance(given, Sequence) else list(given)
        if not each or given is None:
            raise SolveError("controller.missing", name=name)
        odd = next((one for one in each if not isinstance(one, Controller)), None)
        if odd is not None:
            raise SolveError("controller.form", odd=odd)
        if not np.isfinite(self.slip) or self.slip <= 0:
            raise SolveError("setting.wrong/loop_settings", slip=self.slip)

    def fit(self, robot: Robot, recordings: Data | Iterable[Data], *, strict: bool = False, **problem: Any) -> BaseEstimate:
        """Build the problem (settings as in `Problem.of`) and solve it; `strict` raises unless the status is ok.

        >>> import inspect
        >>> list(inspect.signature(LoopSettings.fit).parameters)
        ['self', 'robot', 'recordings', 'strict', 'problem']
        """
        start = perf_counter()
        data = list(listed(recordings))
        built, references = loop_problem(self, robot, data, **problem)
        estimate = with_likely(self.solve(built, references, built=perf_counter() - start), robot, data)
        if strict:
            estimate.status.insist()
        return estimate

    @abstractmethod
    def solve(
        self, problem: Problem, references: Sequence[Reference] | None = None, *, strict: bool = False, built: float = 0.0
    ) -> BaseEstimate:
        """Each method's own.

        >>> "solve" in vars(bf.DirectInverse)
        True
        """


def loop_problem(
    method: Any, robot: Robot, recordings: Data | Iterable[Data], **problem: Any
) -> tuple[Problem, list[Reference]]:
    """The problem of a closed-loop method, and what each recording was to follow.

    >>> import inspect
    >>> list(inspect.signature(loop_problem).parameters)
    ['method', 'robot', 'recordings', 'problem']
    """
    data = listed(recordings)
    references = [reference_of(robot, entry, method.reference, method.control_rate) for entry in data]
    if method.held_torque:
        data = tuple(held(entry) if isinstance(entry, Recording) else entry for entry in data)
    recipe = recipe_of(problem.pop("recipe", "default"))
    # noise that a controller feeds back looks like torque ahead of the motion, and the loop is simulated with its own clock
    timed = recipe if recipe.delay is not None else recipe_of(recipe, delay=0.0)
    return Problem.of(robot, data, recipe=timed, **problem), references


def references_of(method: Any, problem: Problem) -> list[Reference]:
    """What each recording of a problem was to follow, by the method's own motion.

    >>> import inspect
    >>> list(inspect.signature(references_of).parameters)
    ['method', 'problem']
    """
    sources = [samples_of(source)[0] for source in problem.sources]
    return [reference_of(problem.robot, samples, method.reference, method.control_rate) for samples in sources]

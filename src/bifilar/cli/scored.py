"""`--score-cutoff HZ`: the share of the torque that is not explained, every sample counted, at a filter that no fit chose.

    |torque - predicted| / |torque|      over all joints and samples, both through a zero-phase Butterworth filter of 4th order

The error of a verdict depends on the filter that the log asked for; a figure to be compared with others needs a fixed one. The
error against the torque as it was measured stands beside it: motion filtered at the same cut-off, prediction and torque not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from bifilar.estimate.estimate import BaseEstimate
from bifilar.recording.prepare import prepare
from bifilar.recording.recipes import Recipe, recipe_of
from bifilar.recording.recording import Recording
from bifilar.robot.robot import Robot


class Scored(NamedTuple):
    """Errors at a fixed cut-off.

    >>> print(Scored(8.0, 0.0144, 0.029, 0.164))
    1.44 % of the torque is not explained at 8 Hz, every sample counted (as measured: 2.90 %; description: 16.4 %)
    """

    cutoff: float  # [Hz]
    relative: float
    raw: float  # against the torque as it was measured
    described: float  # of the description, at the same cut-off

    def __str__(self) -> str:
        beside = f"as measured: {100 * self.raw:.2f} %; description: {100 * self.described:.1f} %"
        return (
            f"{100 * self.relative:.2f} % of the torque is not explained at {self.cutoff:g} Hz, every sample counted ({beside})"
        )

    def facts(self) -> dict[str, Any]:
        """What `--json` says.

        >>> Scored(8.0, 0.0144, 0.029, 0.164).facts()["cutoff"]
        8.0
        """
        keys = ("cutoff", "relative_error", "relative_error_raw", "relative_error_of_description")
        return dict(zip(keys, self))


def scored(estimate: BaseEstimate, recordings: Sequence[Recording], cutoff: float, described: Robot) -> Scored:
    """Score an estimate, and the description beside it, on recordings that were not fitted.

    >>> from bifilar.recording.check import example
    >>> recording, robot = example(friction=False)
    >>> estimate = bf.LeastSquares().fit(robot, recording.part(None, 5.0), friction=())
    >>> found = scored(estimate, [recording.part(5.0)], 8.0, robot)
    >>> found.relative < 0.01 and found.described < 0.01
    True
    """
    read = recipe_of(estimate.recipe)
    recipe = Recipe(cutoff=cutoff, slow=0.0, decimate=False, delay=read.delay, kinematics=read.kinematics)
    sums = np.zeros(5)  # squares: torque, error, the description's, torque as measured, error against it
    for recording in recordings:
        samples = prepare(recording, recipe, robot=estimate.described)
        plain = prepare(recording, replace(recipe, filter_columns=False), robot=estimate.described)
        errors = (samples.predict(model) - samples.torque for model in (estimate.model, described))
        raw = plain.predict(estimate.model) - plain.raw_torque
        sums += [np.sum(x**2) for x in (samples.torque, *errors, plain.raw_torque, raw)]
    torque, error, before, measured, off = np.sqrt(sums)
    return Scored(cutoff, float(error / torque), float(off / measured), float(before / torque))

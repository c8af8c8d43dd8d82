"""Bars: how much of every limit is used, and how well each parameter will be known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from bifilar.report.bars import Bar, bar_groups
from bifilar.report.markup import Html
from bifilar.report.plot import colour
from bifilar.report.usage import Use

SHADES = {"position": "j0", "velocity": "j5", "acceleration": "j2", "torque": "j4"}
BEST, WORST = 0.01, 1000.0  # [%] between which deviations are drawn


def margin_bars(uses: Sequence[Use], joint_names: Sequence[str]) -> Html:
    """The largest share of its limits that every joint uses; what is missing to 100 % is the margin.

    >>> from bifilar.report.usage import used
    >>> robot = bf.Robot.load("two_link")
    >>> motion = bf.quintic(robot.joint_names, [[0.0, 0.0], [1.0, -1.0]], [0.0, 2.0]).sample(100)
    >>> "joint1" in margin_bars(used(robot, motion), robot.joint_names)
    True
    """
    groups = []
    for k, name in enumerate(joint_names):
        bars = [
            Bar(float(100 * use.share[k]), SHADES[use.quantity], f"{100 * use.share[k]:.0f} %", use.quantity)
            for use in uses
            if np.isfinite(use.share[k])
        ]
        groups.append((name, bars))
    top = max([100.0, *(bar.value for _, bars in groups for bar in bars)])
    return bar_groups(groups, top)


def margin_keys(uses: Sequence[Use]) -> list[tuple[str, str, str]]:
    """A legend of quantities that have limits.

    >>> margin_keys([])
    []
    """
    return [(use.quantity, SHADES[use.quantity], "box") for use in uses if np.isfinite(use.share).any()]


class Promise(NamedTuple):
    """How well a base parameter will be known.

    >>> Promise("link1.mass", 0.02, 2.0, 2.0).relative
    0.01
    """

    name: str
    deviation: float  # predicted standard deviation, in the parameter's unit
    value: float  # that the description states for it
    size: float  # what the deviation is compared with: the value, or a tenth of the largest of its kind if that is more

    @property
    def relative(self) -> float:
        """Of the size; infinite if nothing of its kind is stated.

        >>> Promise("joint1.viscous", 0.02, 0.0, 0.0).relative
        inf
        """
        return self.deviation / self.size if self.size else np.inf


def promises(deviations: Mapping[str, float], values: Mapping[str, float], sizes: Mapping[str, float]) -> list[Promise]:
    """Deviations beside the stated values and sizes, the best known first, those of unknown size last.

    >>> [promise.name for promise in promises({"a": 1.0, "b": 1.0}, {"a": 1.0, "b": 5.0}, {"a": 1.0, "b": 5.0})]
    ['b', 'a']
    """
    found = [Promise(name, deviation, values[name], sizes[name]) for name, deviation in deviations.items()]
    return sorted(found, key=lambda promise: (promise.relative, promise.name))


def deviation_bars(found: Sequence[Promise], owners: Mapping[str, int]) -> Html:
    """Predicted relative deviation of every base parameter, sorted, on a logarithmic scale from 0.01 to 1000 %.

    `owners`: the joint of each link and joint by name.

    >>> "5 %" in deviation_bars([Promise("link1.mass", 0.1, 2.0, 2.0)], {"link1": 0})
    True
    """
    groups = []
    for promise in found:
        percent = 100 * promise.relative
        if not np.isfinite(percent):
            continue
        place = owners.get(promise.name.rpartition(".")[0], 8)
        length = float(np.log10(np.clip(percent, BEST, WORST) / BEST))
        words = f"{percent:.2g} %" + (": unknown" if percent >= 100 else "")
        groups.append((promise.name, [Bar(length, colour(place), words)]))
    return bar_groups(groups, float(np.log10(WORST / BEST)))

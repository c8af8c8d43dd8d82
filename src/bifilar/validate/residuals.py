"""What a torque error still knows: of its own past, of position, velocity, acceleration, temperature.

A model that is complete leaves noise. Errors that follow a joint's velocity ask for other friction, errors that follow its
position for gravity, gears or cables, errors that follow acceleration for inertia. Measured by the share of the error's
variance that ten bins of equal count explain (the correlation ratio), against what chance would give for as many
independent errors as the rows are worth:

    share = sum_b n_b mean_b^2 / sum e^2,      F = share / (1 - share) (n_eff - 10) / 9,      n_eff = n (1 - r) / (1 + r)

r is the correlation of neighbouring rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bifilar.dynamics.tree import Array

BINS = 10
LARGE = 0.15  # share of variance that is worth a sentence
CHANCE = 1e-3  # probability below which it is not chance


@dataclass(frozen=True)
class Dependence:
    """How much of one joint's error one quantity explains.

    >>> Dependence("elbow", "velocity", 0.4, 1e-9).matters
    True
    """

    joint: str
    on: str  # "position", "velocity", "acceleration", "temperature" or "its past"
    share: float  # of the error's variance
    chance: float  # probability of as much without any dependence

    @property
    def matters(self) -> bool:
        """Whether it is large and no accident.

        >>> Dependence("elbow", "velocity", 0.01, 1e-9).matters
        False
        """
        return self.share >= LARGE and self.chance <= CHANCE

    def __str__(self) -> str:
        return f"{100 * self.share:.0f} % of the error of '{self.joint}' follows {_WORDS.get(self.on, self.on)}"


_WORDS = {
    "position": "its position: gears, cables, gravity or a wrong tool",
    "velocity": "its velocity: friction of another shape",
    "acceleration": "its acceleration: inertia, or a delay between torque and position",
    "temperature": "its temperature: friction that changes as the joint warms up",
    "its past": "its own past: something slow is not in the model, and error bars of white noise would be too small",
}


def dependences(joint: str, error: Array, quantities: dict[str, Array]) -> list[Dependence]:
    """Of one joint's errors (rows in the order of time) on the quantities and on their own past.

    >>> v = np.sin(np.arange(400.0))
    >>> noise = np.random.default_rng(0).normal(size=400)
    >>> [str(d.on) for d in dependences("elbow", np.sign(v) + 0.1 * noise, {"velocity": v}) if d.matters]
    ['velocity']
    """
    e = error - error.mean()
    if len(e) < 5 * BINS or not e.any():
        return []
    past = float(np.clip(e[1:] @ e[:-1] / (e @ e), -0.999, 0.999))
    worth = max(BINS + 2.0, len(e) * (1 - abs(past)) / (1 + abs(past)))
    found = [Dependence(joint, name, *_explained(e, x, worth)) for name, x in quantities.items() if np.ptp(x) > 0]
    return [*found, Dependence(joint, "its past", past * past, _two_sided(past * np.sqrt(len(e))))]


def _explained(e: Array, x: Array, worth: float) -> tuple[float, float]:
    """Share of variance that bins of x explain, and the probability of as much by chance."""
    from scipy.special import fdtrc

    order = np.argsort(x, kind="stable")
    means = np.array([len(part) * part.mean() ** 2 for part in np.array_split(e[order], BINS)])
    share = float(np.clip(means.sum() / (e @ e), 0.0, 1 - 1e-12))
    ratio = share / (1 - share) * (worth - BINS) / (BINS - 1)
    return share, float(fdtrc(BINS - 1, worth - BINS, ratio))


def _two_sided(z: float) -> float:
    from math import erfc, sqrt

    return erfc(abs(z) / sqrt(2.0))

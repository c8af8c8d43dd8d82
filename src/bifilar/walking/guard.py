"""When a walker touches down: a function of its state that sinks through zero, with its gradient.

    guard = max(angle - t_0, height of the swing foot)

Feet that fold away (McGeer 1990) touch nothing until the stance link has turned to `angle`, and are out then. Without knees,
legs of equal length that mirror each other keep the foot at height zero: the height alone tells nothing, the angle decides
(`height=False`). Legs with knees lift the foot: `angle=-inf`, and the height decides.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.errors import MotionError
from bifilar.walking.phases import Phases

BELOW = 1e-6  # [m] that a foot may be under the ground at the start


@dataclass(frozen=True, kw_only=True)
class Guard:
    """Where touchdown happens.

    >>> Guard(angle=0.4).height
    False
    """

    angle: float = np.pi / 8  # [rad] of the stance link, from which on the swing foot is out; -inf: always
    height: bool = False  # whether the foot must reach the ground, or touches as soon as it is out
    fallen: float = 1.2  # [rad] of the stance link, either way: the walker lies on the ground

    @property
    def numbers(self) -> Array:
        """As kernels take them.

        >>> Guard(angle=0.4).numbers
        array([0.4, 0. , 1.2])
        """
        return np.array([self.angle, float(self.height), self.fallen])

    def value(self, phases: Phases, stance: int, state: Array) -> float:
        """Positive before touchdown.

        >>> from bifilar.walking.walker import Walker
        >>> Guard(angle=0.4).value(Phases.of(Walker.load("walker3")), 0, np.zeros(6))
        0.4
        """
        n = len(phases)
        left = self.angle - float(state[0])
        return max(left, float(phases.foot_position(stance, state[:n])[1])) if self.height else left

    def gradient(self, phases: Phases, stance: int, state: Array) -> Array:
        """By the state, (2 n,).

        >>> from bifilar.walking.walker import Walker
        >>> Guard(angle=0.4).gradient(Phases.of(Walker.load("walker3")), 0, np.zeros(6))
        array([-1.,  0.,  0.,  0.,  0.,  0.])
        """
        n = len(phases)
        out = np.zeros(2 * n)
        if self.height and phases.foot_position(stance, state[:n])[1] > self.angle - state[0]:
            out[:n] = phases.foot_jacobian(stance, state[:n])[1]
        else:
            out[0] = -1.0
        return out

    def check_start(self, phases: Phases, stance: int, state: Array) -> None:
        """Refuses a walker that begins with a foot in the ground, or past its touchdown.

        >>> from bifilar.walking.walker import Walker
        >>> phases = Phases.of(Walker.load("walker3"))
        >>> Guard(angle=-np.inf, height=True).check_start(phases, 0, np.array([0.3, 0.0, -0.1, 0, 0, 0]))
        Traceback (most recent call last):
        ...
        bifilar.errors.MotionError: foot 'foot2' is 21.2 mm below the ground at the start
          likely  legs that are swapped, or an angle of the wrong sign
          try     lift it, or let it fold away until the stance link has turned: Guard(angle=...)
        """
        angles = state[: len(phases)]
        depth = -float(phases.foot_position(stance, angles)[1])
        if self.height and state[0] >= self.angle and depth > BELOW:
            raise MotionError("walker.start_below_ground", feet=phases.feet[1 - stance], depth=depth)
        if not self.height and state[0] >= self.angle:
            raise MotionError("walker.start_past_touchdown", state=state[0], angle=self.angle)

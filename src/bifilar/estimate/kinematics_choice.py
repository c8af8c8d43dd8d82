"""Whether logged velocities and accelerations explain the torque better than derivatives of the positions.

What a machine logs as velocity may come from its motors' encoders, at a rate and resolution that no log of positions has; or it
may be filtered and late. Blocks of time that are predicted tell (`reading_evidence`), on the same rows of the same torque. The
logged ones are taken if their held-out error is 3 % less, and by two standard errors of the blocks' own gains: derivatives of
filtered positions are the safe choice, since their filter is known and has no delay.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.errors import Note
from bifilar.estimate.reading_evidence import Rows, errors, in_noise

GAIN, CLEAR = 0.03, 2.0  # of the held-out error; standard errors of it

Code = Literal["kinematics.derived", "kinematics.logged"]


@dataclass(frozen=True)
class KinematicsChoice:
    """Held-out errors of the two, and which was taken.

    >>> KinematicsChoice("kinematics.logged", 1.24, 1.0, 0.19, 0.02, (0.2, 0.18)).chosen
    'logged'
    """

    code: Code
    derived: float  # root mean square over blocks of the held-out errors, in units of those of the derivatives
    logged: float
    gain: float  # share of the error that is gone with the logged ones
    gain_deviation: float  # of it, over blocks
    blocks: tuple[float, ...]  # gain of each block of time

    @property
    def chosen(self) -> Literal["logged", "derived"]:
        """Which is taken.

        >>> KinematicsChoice("kinematics.derived", 1.0, 1.1, -0.1, 0.02, ()).chosen
        'derived'
        """
        return "logged" if self.code == "kinematics.logged" else "derived"

    def facts(self) -> dict[str, Any]:
        """As plain values.

        >>> KinematicsChoice("kinematics.derived", 1.0, 1.1, -0.1, 0.02, (-0.1,)).facts()["chosen"]
        'derived'
        """
        names = ("code", "chosen", "derived", "logged", "gain", "gain_deviation")
        return {name: getattr(self, name) for name in names} | {"blocks": list(self.blocks)}

    def sentence(self) -> Note | None:
        """What was decided; None where it is the usual choice.

        >>> KinematicsChoice("kinematics.logged", 1.24, 1.0, 0.19, 0.02, ()).sentence()
        'logged velocities were used, not derivatives of the positions: the held-out error is 19 % less'
        """
        if self.code == "kinematics.derived":
            return None
        return Note("kinematics.logged", gain=self.gain)


def choose_kinematics(rows: Rows, torque: Array) -> KinematicsChoice | None:
    """Which explains the torque (rows, joints), already where it belongs in time; None where no velocity was logged.

    >>> from bifilar.estimate.reading_evidence import rows_of
    >>> from bifilar.recording.check import example
    >>> recording, robot = example()
    >>> rows = rows_of(robot, [(recording, bf.prepare(recording, robot=robot))], 0.0, 0.005, logged=True)
    >>> choose_kinematics(rows, rows.torque[:, :, 0]).chosen
    'derived'
    """
    if rows.logged is None:
        return None
    both = [errors(rows, columns, torque[:, :, None]) for columns in (rows.derived, rows.logged)]
    derived, logged = (np.sqrt(in_noise(each, both[0][:, :, 0]).sum(axis=(1, 2))) for each in both)
    gains = 1 - logged / np.maximum(derived, 1e-300)
    gain, spread = float(gains.mean()), float(np.std(gains, ddof=1) / np.sqrt(len(gains)))
    better = gain >= GAIN and gain >= CLEAR * spread
    before, after = (float(np.sqrt(np.mean(x**2))) for x in (derived, logged))
    code: Code = "kinematics.logged" if better else "kinematics.derived"
    return KinematicsChoice(code, before, after, gain, spread, tuple(map(float, gains)))

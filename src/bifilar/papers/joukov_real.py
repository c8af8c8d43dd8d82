"""Table II of Joukov et al. needs a data set that nobody can get; real recordings of a Panda and a UR10e stand in for it.

A filter on all links (log-Cholesky) and friction runs over the first part; its last robot predicts the rest. Beside it weighted
least squares of the same parameters on the same part. Scored as the collections say: torque and prediction at 8 Hz.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bifilar.online.recordings import Track, track
from bifilar.recording import datasets
from bifilar.recording.prepare import prepare
from bifilar.recording.recording import Recording
from bifilar.robot.base_parameters import base_parameters
from bifilar.robot.friction import Coulomb, Offset, Viscous
from bifilar.robot.inertia import Array, Inertia
from bifilar.robot.reduction import reduce
from bifilar.robot.robot import Robot
from bifilar.robot.solve import solve

CUTOFF, SHARE = 8.0, 0.7


class Real(NamedTuple):
    """One recording.

    >>> Real("a", "b", 0.04, 0.016, 0.014, 0, np.zeros(1), np.zeros(1), None).ratio
    1.1428571428571428
    """

    name: str
    parts: str
    described: float  # relative errors of unseen torque
    filtered: float
    batch: float
    impossible: int  # links that could not exist
    rms_before: Array  # (joints,) [N m]
    rms_after: Array
    track: Track | None

    @property
    def ratio(self) -> float:
        """Error of the filter over that of the batch.

        >>> Real("a", "b", 1.0, 2.0, 1.0, 0, np.zeros(1), np.zeros(1), None).ratio
        2.0
        """
        return self.filtered / self.batch


def panda(shown: int = 30) -> Real:
    """The Panda of Gaz et al.: first 70 %, rest predicted."""
    recording, robot = datasets.load("panda_gaz"), datasets.robot("panda_gaz")
    assert isinstance(recording, Recording)
    border = recording.time[0] + SHARE * recording.duration
    return _case("panda_gaz", "first 70 % -> last 30 %", robot, recording.part(None, border), recording.part(border), shown)


def ur10e(shown: int = 30) -> Real:
    """The UR10e of Mamedov and Mikhel: one Fourier run, another predicted."""
    runs = [datasets.load("ur10e_mamedov", f"ur-20_02_{run}_12harm") for run in ("12-50sec", "10-30sec")]
    first, other = runs
    assert isinstance(first, Recording) and isinstance(other, Recording)
    return _case("ur10e_mamedov", "50 s run -> 30 s run", datasets.robot("ur10e_mamedov"), first, other, shown)


def _case(name: str, parts: str, robot: Robot, first: Recording, rest: Recording, shown: int) -> Real:
    found = track(robot, first, cutoff=CUTOFF, shown=shown)
    described = robot.with_friction(Viscous() + Coulomb() + Offset())
    base = base_parameters(described)
    batch = base.model(described, solve(reduce(described, prepare(first, robot=described), columns=base)).values)
    test = prepare(rest, cutoff=CUTOFF, decimate=False, robot=described)
    off = [test.predict(model) - test.torque for model in (robot, found.robot, batch)]
    share = [float(np.linalg.norm(each) / np.linalg.norm(test.torque)) for each in off]
    rms = [np.sqrt(np.mean(each**2, axis=0)) for each in off]
    bodies = [Inertia.from_vector(ten) for ten in found.robot.body_parameters[1:]]
    impossible = sum(not body.is_consistent for body in bodies)
    return Real(name, parts, share[0], share[1], share[2], impossible, rms[0], rms[1], found)

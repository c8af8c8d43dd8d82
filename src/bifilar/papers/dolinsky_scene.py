"""The closed loop of Dolinsky 2017, chapter 4: the laboratory's three-link walker (4.41), its first state, noises and filters.

first state (4.71), first guess (4.72): angles 10 % off, no rates, deviation 1 of every state; third angle 0.09, which
the print leaves out. Sensors (4.73), 100 Hz, 5 s, two Runge-Kutta steps in a sample. (4.74) is read as noise on the
derivative, Q = Ts^2 Sigma_Q: per sample nothing walks. The accelerometer sits 0.1 m above the hip, the torque is cut
at 20 N m: ours. Touchdown at pi/8. The impact's noise is not printed: 1e-2 for the thesis's own way, which leaves up to
a sample of the instant unknown; 1e-4 where the instant is located.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.papers.dolinsky_closed_loop import machine
from bifilar.walking.closed_loop import Loop, Tracked
from bifilar.walking.detector import Detector
from bifilar.walking.feedback import upright
from bifilar.walking.hybrid_filter import HybridFilter, Kind, Passage
from bifilar.walking.hybrid_maps import HybridMaps
from bifilar.walking.phases import Phases
from bifilar.walking.sensor_set import KINDS, usual_sensors
from bifilar.walking.walker import Walker

START = np.array([2.65 + 0.1 - np.pi, 0.1, 3.43 + 0.1 - np.pi, 2.0, 0.5, -2.0])  # (4.71), as angles of the links
GUESS = np.array([2.38 + 0.09 - np.pi, 0.09, 3.1 + 0.09 - np.pi, 0.0, 0.0, 0.0])
PERIOD, SECONDS, LIMIT = 0.01, 5.0, 20.0
PROCESS = PERIOD**2 * np.array([1e-3, 1e-3, 1e-3, 1e-2, 1e-2, 1e-2])
IMPACT: dict[Passage, float] = {"sample": 1e-2, "heuristic": 0.0075}  # others 1e-4
STEPS = 6  # that a walk of five seconds must make
FILTERS: dict[str, tuple[Kind, Passage]] = {
    "UKF": ("unscented", "saltation"),
    "EKF": ("extended", "saltation"),
    "UKF, thesis": ("unscented", "sample"),
    "EKF, thesis": ("extended", "heuristic"),
}
SETS = dict(zip(KINDS, ("IRC", "IRC & gyro", "IRC & accel", "IRC & IMU")))


class Walked(NamedTuple):
    """What is kept of a run.

    >>> Walked(7, 0.001, np.zeros(6), False, False).through
    True
    """

    steps: int
    rms: float  # [rad] of the torso's angle after 1 s
    squares: Array  # (6,) mean square errors over the whole run
    fell: bool
    lost: bool

    @property
    def through(self) -> bool:
        """Whether the walker walked for the whole time.

        >>> Walked(2, 0.001, np.zeros(6), True, False).through
        False
        """
        return self.steps >= STEPS and not self.fell and not self.lost


@cache
def walker() -> Walker:
    """The laboratory's.

    >>> walker().encoders
    ('joint4', 'joint5')
    """
    return Walker.load("walker3")


def loop_of(
    name: str,
    sensors: str,
    *,
    model: Phases | None = None,
    passage: Passage | None = None,
    detector: Detector | None = None,
    **settings: Any,
) -> Loop:
    """The loop with one of FILTERS and one of KINDS; `model`: what the filter believes in, if not the truth.

    >>> loop_of("UKF", "encoders").filter.kind
    'unscented'
    """
    kind, own = FILTERS[name]
    way = passage or own
    settings = {"process_noise": PROCESS, "impact_noise": IMPACT.get(way, 1e-4), **settings}
    mounted, truth = usual_sensors(walker(), sensors), machine().phases
    maps = HybridMaps(sensors=mounted, phases=truth if model is None else model, period=PERIOD)
    return Loop(
        plant=truth,
        sensors=mounted,
        filter=HybridFilter(maps=maps, kind=kind, passage=way, **settings),
        feedback=upright(truth, limit=LIMIT),
        detector=detector or Detector(),
    )


def run_of(loop: Loop, seed: int) -> Tracked:
    """Five seconds from the thesis's start."""
    return loop.run(START, loop.filter.start(GUESS, 0, 1.0), SECONDS, seed)


def kept(run: Tracked) -> Walked:
    """What tables need of a run."""
    squares = np.mean((run.mean - run.truth) ** 2, axis=0)
    return Walked(run.steps, run.torso_rms(), squares, run.fell, run.lost)

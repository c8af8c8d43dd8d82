"""The set-ups of Joukov et al. (IROS 2015) on a simulated WAM: motions, noise, a first guess that is 20 % off.

What the paper does not print is chosen here and stays so: Fourier series of five harmonics over 10 s with amplitudes falling as
1/k, 90 % of the joint ranges; slope c = 1, so that P0 = 1 is half the guess; process noise 0.01 per second, dying away in 2 s.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bifilar.online.measurements import BaseWrench, Measurement, Torque
from bifilar.online.parameter_filter import ParameterFilter
from bifilar.online.tuning import Tuning
from bifilar.robot.inertia import Array
from bifilar.robot.robot import Robot

RATE, DURATION = 100.0, 40.0  # [Hz], [s] IV-A
NOISE, ERROR = 0.01, 0.2  # of the largest reading; of the parameters
PERIOD, HARMONICS, SHARE = 10.0, 5, 0.9
FIRST_SEED = 200  # seeds below were looked at while settings and motions were chosen
ANNEALED = Tuning(process=0.01, anneal=2.0)
STATE = ("*.mass", "*.J*")


class Run(NamedTuple):
    """A motion on a clock.

    >>> series(np.random.default_rng(0), np.arange(3.0), Robot.load("wam")).position.shape
    (3, 7)
    """

    time: Array
    position: Array
    velocity: Array
    acceleration: Array


def series(rng: np.random.Generator, time: Array, robot: Robot, *, period: float = PERIOD, share: float = SHARE) -> Run:
    """A random Fourier series inside the joint ranges.

    >>> wam = Robot.load("wam")
    >>> run = series(np.random.default_rng(0), np.linspace(0, 10, 500), wam)
    >>> bool((run.position > wam.limits.lower).all() and (run.position < wam.limits.upper).all())
    True
    """
    half, middle = 0.5 * (robot.limits.upper - robot.limits.lower), 0.5 * (robot.limits.upper + robot.limits.lower)
    k = np.arange(1, HARMONICS + 1)
    w = 2 * np.pi * k / period
    a, b = rng.normal(size=(2, HARMONICS, len(half))) / k[:, None]

    def at(t: Array, order: int) -> Array:
        s, c = np.sin(np.outer(t, w)), np.cos(np.outer(t, w))
        return np.asarray((s @ a + c @ b, (c * w) @ a - (s * w) @ b, -(s * w**2) @ a - (c * w**2) @ b)[order])

    scale = share * half / np.abs(at(np.linspace(0, period, 1000), 0)).max(axis=0)
    return Run(time, middle + at(time, 0) * scale, at(time, 1) * scale, at(time, 2) * scale)


def clock(duration: float = DURATION) -> Array:
    """Stamps [s].

    >>> len(clock(1.0))
    100
    """
    return np.arange(round(duration * RATE)) / RATE


class Scene(NamedTuple):
    """One seed: motion, readings, and a filter that starts 20 % off.

    >>> scene(0, "joints", 1.0).reading.shape
    (100, 7)
    """

    robot: Robot
    run: Run
    clean: Array  # readings without noise
    reading: Array
    noise: Array  # (rows,) standard deviations
    tracker: ParameterFilter
    true: dict[str, float]


def scene(seed: int, rows: str, duration: float = DURATION, tuning: Tuning = ANNEALED) -> Scene:
    """Torques ("joints"), base force and moment ("base") or "both", with 1 % of their largest as noise.

    >>> scene(0, "both", 0.5).tracker.row_names[0]
    'joint1'
    """
    robot = Robot.load("wam")
    rng = np.random.default_rng(seed)
    run = series(rng, clock(duration), robot)
    parts: list[Measurement] = []
    clean = []
    if rows in ("joints", "both"):
        clean.append(robot.inverse_dynamics(*run[1:]))
        parts.append(Torque(noise=NOISE * np.abs(clean[-1]).max(axis=0)))
    if rows in ("base", "both"):
        clean.append(robot.base_wrench(*run[1:]))
        parts.append(BaseWrench(noise=NOISE * np.abs(clean[-1]).max(axis=0)))
    whole = np.concatenate(clean, axis=1)
    noise = NOISE * np.abs(whole).max(axis=0)
    true = start_values(robot)
    return Scene(
        robot=robot,
        run=run,
        clean=whole,
        reading=whole + noise * rng.normal(size=whole.shape),
        noise=noise,
        tracker=wrong_tracker(robot, parts, tuning, true),
        true=true,
    )


def start_values(robot: Robot) -> dict[str, float]:
    """Masses and principal moments as they are.

    >>> start_values(Robot.load("wam"))["link7.mass"]
    0.06864753
    """
    right = ParameterFilter(robot, STATE, noise=1.0, limits=False).belief
    return dict(zip(right.names, right.mean.tolist()))


def wrong_tracker(robot: Robot, parts: list[Measurement], tuning: Tuning, true: dict[str, float]) -> ParameterFilter:
    """A filter whose first guess is 20 % too large, bounds 0 to twice that.

    >>> wam = Robot.load("wam")
    >>> tracker = wrong_tracker(wam, [Torque(noise=1.0)], ANNEALED, start_values(wam))
    >>> round(tracker.belief["link7.mass"] / 0.06864753, 6)
    1.2
    """
    start = {name: (1 + ERROR) * value for name, value in true.items()}
    bounds = {name: (0.0, 2 * value) for name, value in start.items()}
    return ParameterFilter(robot, STATE, measurements=parts, start=start, bounds=bounds, tuning=tuning, limits=False)


def mass_errors(tracker: ParameterFilter, true: dict[str, float]) -> dict[str, float]:
    """Errors of the masses, as shares of the truth.

    >>> first = scene(0, "joints", 0.1)
    >>> round(mass_errors(first.tracker, first.true)["link3"], 6)
    0.2
    """
    belief = tracker.belief
    names = [name for name in belief.names if name.endswith(".mass")]
    return {name.removesuffix(".mass"): belief[name] / true[name] - 1 for name in names}

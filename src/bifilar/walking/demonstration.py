"""Walks to learn from: a walker on its gait with its torques shaken a little, a leg that its motors swing; a machine that is
not quite as described.

A steady gait shows few parameters: its constraints hold and every step is the same. Sinusoids on the torques show the rest.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics.tree import Array
from bifilar.errors import MotionError
from bifilar.walking.feedback import upright
from bifilar.walking.gait import Gait, find_gait
from bifilar.walking.guard import Guard
from bifilar.walking.hybrid import Stepping, Walk, simulate
from bifilar.walking.phases import Phases
from bifilar.walking.planar import Planar
from bifilar.walking.walk_fit import smooth_pinned
from bifilar.walking.walker import Walker

WAVES = 3  # per motor
SHAKE = 0.03  # of the gait's largest torque; more makes some walkers fall
SLOW, FAST = 1.0, 4.0  # [Hz] of shaking
SWING = (0.4, 1.6)  # [Hz] of a leg's motors
STRENGTH = 0.6  # of the largest gravity torque, of a leg's motors


class Shown(NamedTuple):
    """A motion on a clock.

    >>> Shown._fields[:2]
    ('time', 'states')
    """

    time: Array  # (N,) [s]
    states: Array  # (N, 2 n) of the links
    stance: NDArray[np.int64]  # (N,)
    torques: Array  # (N, joints) as held
    origin: Array  # (N,) [m] of the standing foot
    walk: Walk | None
    gait: Gait | None
    planars: tuple[Planar, ...]  # what moved, by the standing foot; dry friction as smooth as it was integrated


def walked(walker: Walker, duration: float, *, period: float = 0.005, shake: float = SHAKE, torso: float = np.pi / 6,
    guard: Guard | None = None, seed: int = 0) -> Shown:  # fmt: skip
    """A walk from the gait's own start; `shake`: size of the sinusoids, of the gait's largest torque.

    >>> walked(Walker.load("walker3"), 1.0).walk.steps
    1
    """
    phases = Phases.of(walker)
    gait = find_gait(upright(phases, torso=torso), guard)
    wave = waves(seed, len(walker.encoders), (SLOW, FAST))

    def controller(time: float, state: Array, stance: int) -> Array:
        return np.asarray(gait.feedback(time, state, stance) + shake * gait.peak_torque * wave(time))

    hit = gait.touchdown
    walk = simulate(
        phases, gait.start, controller, duration, stance=hit.stance, guard=gait.guard, stepping=Stepping(period=period)
    )
    if not walk.touchdowns:
        what = "falls" if walk.fell else "does not touch down"
        raise MotionError("walker.falls", thing=what, duration=duration, period=gait.period)
    return Shown(walk.time, walk.states, walk.stance, walk.torques, walk.origin, walk, gait, phases.planar)


def swung(walker: Walker, duration: float, *, period: float = 0.005, seed: int = 0) -> Shown:
    """A walker on one foot, such as a leg on a pivot, from hanging still.

    >>> swung(Walker.load("leg"), 1.0).states.shape
    (201, 4)
    """
    pinned = smooth_pinned(walker)
    planar, motors = walker.planar_of(pinned), len(walker.encoders)
    rng = np.random.default_rng([seed, 1])
    poses = rng.uniform(-np.pi, np.pi, (200, len(planar)))
    most = np.abs(np.array([pinned.gravity_torque(pose) for pose in poses])).max(axis=0)[list(walker.order(0))]
    wave = waves(seed, motors, SWING)
    count, x = round(duration / period), np.zeros(2 * len(planar))
    states, torques = [], []
    for k in range(count + 1):
        u = STRENGTH * most * wave((k + 0.5) * period)
        states.append(x)
        torques.append(u)
        x = planar.flow(x[None], walker.torques(0, u)[None], period, 5)[0]
        if not np.abs(x).max() < 1e3:
            raise MotionError("simulation.lost", k=k * period)
    time = np.asarray(period * np.arange(count + 1), dtype=float)
    none = np.zeros(count + 1, dtype=np.int64)
    return Shown(time, np.array(states), none, np.array(torques), np.zeros(count + 1), None, None, (planar,))


def waves(seed: int, motors: int, ends: tuple[float, float]):  # type: ignore[no-untyped-def]
    """A sum of sinusoids for every motor, of size one together, as a function of time.

    >>> waves(0, 2, (1.0, 2.0))(0.3).shape
    (2,)
    """
    rng = np.random.default_rng([seed, 2])
    rate, phase = rng.uniform(*ends, (motors, WAVES)), rng.uniform(0, 2 * np.pi, (motors, WAVES))
    return lambda time: np.sin(2 * np.pi * rate * time + phase).mean(axis=1)


def unlike(walker: Walker, share: float, seed: int = 0) -> Walker:
    """A machine whose links are up to `share` heavier, lighter, longer in their centres than described; legs stay alike.

    >>> unlike(Walker.load("walker3"), 0.2).is_symmetric
    True
    """
    rng = np.random.default_rng([seed, 3])
    names, robot = walker.planar(0).names, walker.robot
    values = dict(zip(robot.parameters().names, robot.parameters().values))
    changed: dict[str, float] = {}
    for k in range((len(names) + 1) // 2):
        mass, centre = 1 + share * rng.uniform(-1, 1, 2)
        for name in {names[k], names[-1 - k]} if walker.feet and len(walker.feet) == 2 else {names[k]}:
            for key, times in (("mass", mass), *((f"mc{axis}", mass * centre) for axis in "xyz")):
                changed[f"{name}.{key}"] = float(values[f"{name}.{key}"] * times)
            for key in ("Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz"):  # scaled as a body is that keeps its shape
                changed[f"{name}.{key}"] = float(values[f"{name}.{key}"] * mass * centre**2)
    return walker.with_robot(robot.with_parameters(changed))

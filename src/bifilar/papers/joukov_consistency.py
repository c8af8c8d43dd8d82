"""Whether a filter's deviations are honest: normalised errors (NEES) of the ten payload parameters over many runs.

A load is drawn from the filter's own prior, 30 % of each number, carried through a random motion of 2 s on a WAM, and followed.
The error of the ten parameters, normalised by the covariance that the filter states for them, is ten on average if that is
honest. Four filters with their default settings for a load that does not change: linear in the ten; the same, told as a body
that can exist (loads that could not exist are drawn again for it: two of three are such); on sigmoids and on log-Cholesky
numbers, which keep all readings (`exact`). And the filters of `attach` as they come, on loads that are grasped without a first
guess.
"""

from __future__ import annotations

import numpy as np

from bifilar.online.measurements import Torque
from bifilar.online.payload import NAME, Kind, PayloadFilter, attach, payload_space
from bifilar.online.space import Space
from bifilar.online.states import Builder
from bifilar.online.tuning import Tuning
from bifilar.papers.joukov_scenes import RATE, series
from bifilar.robot.inertia import PARAMETERS, Array, Inertia
from bifilar.robot.robot import Robot

PRIOR, DURATION, NOISE, LINK = 0.3, 2.0, 0.01, "link7"
BOUNDS = {"*.mass": (0.0, 4.0), "*.mc?": (-0.8, 0.8), "*.I??": (0.0, 0.2)}
KINDS = ("ten", "physical", "sigmoid", "log")
GRASPED = ("physical", "ten", "log")
EMPTY, HELD, TORQUE_NOISE = 2.0, 5.0, 0.2  # [s] before and after the grasp; [N m]


def load() -> Inertia:
    """A load none of whose ten numbers is zero.

    >>> load().is_consistent
    True
    """
    turn = np.linalg.qr(np.array([[3.0, 1.0, -2.0], [1.0, 2.0, 1.0], [-1.0, 1.0, 4.0]]))[0]
    return Inertia.from_center_of_mass(2.0, [0.03, -0.02, 0.1], turn @ np.diag([0.010, 0.014, 0.018]) @ turn.T)


def space_for(robot: Robot, kind: str) -> Space:
    """The state of one of the filters.

    >>> len(space_for(Robot.load("wam"), "sigmoid"))
    10
    """
    if kind != "sigmoid":
        return payload_space(robot, LINK, kind, load())  # type: ignore[arg-type]
    builder = Builder(BOUNDS, "sigmoid", {})
    names = [f"{NAME}.{word}" for word in PARAMETERS]
    body = robot.link_map()[LINK].body
    builder.body(NAME, load(), names, 10 * body, form="ten", axes="link", size=0.2, link=LINK)
    return builder.space(np.concatenate([robot.body_parameters.ravel(), robot.drive_values]))


def normalised_errors(kind: str, runs: int, *, seed: int = 0, motions: int = 10, tuning: Tuning | None = None) -> Array:
    """One number per run, n = 10 on average for an honest filter.

    >>> normalised_errors("ten", 4, motions=1).shape
    (4,)
    """
    robot, rng, time = Robot.load("wam"), np.random.default_rng(seed), np.arange(round(DURATION * RATE)) / RATE
    space, out = space_for(robot, kind), []
    tuning = tuning or Tuning(relative=PRIOR)
    body = robot.link_map()[LINK].body
    columns = slice(10 * (body - 1), 10 * body)
    for _ in range(motions):
        run = series(rng, time, robot, period=4.0, share=0.5)
        rows, own = robot.regressor(*run[1:])[:, :, columns], robot.inverse_dynamics(*run[1:])
        noise = NOISE * np.abs(own + rows @ load().vector).max(axis=0)
        tracker = PayloadFilter(robot, space, Torque(noise=noise), tuning, limits=False)
        for _ in range(runs // motions):
            true = _drawn(space, tracker, rng, possible=kind == "physical")
            tracker.reset()
            tracker.run(*run, own + rows @ true + noise * rng.normal(size=own.shape))
            out.append(tracker.belief.surprise(true))
    return np.array(out)


def _drawn(space: Space, tracker: PayloadFilter, rng: np.random.Generator, *, possible: bool) -> Array:
    """Ten numbers from the filter's prior; drawn again until they are a body, if asked for."""
    while True:
        state = space.start + np.sqrt(tracker._core.prior) * rng.normal(size=len(space))
        true = space.gathered(state)[0]
        if not possible or Inertia.from_vector(true).is_consistent:
            return np.asarray(true)


def grasped(kind: Kind, runs: int, *, seed: int = 0) -> Array:
    """Normalised errors of `attach(panda, "link7")` as it comes, for random loads of 0.3 to 3.5 kg some seconds after a grasp.

    >>> grasped("physical", 2).shape
    (2,)
    """
    arm, rng, t = Robot.load("panda"), np.random.default_rng(seed), np.arange(round((EMPTY + HELD) * RATE))[:, None] / RATE
    stance, before, out = np.array([0.0, 0.3, 0.0, -1.5, 0.0, 1.5, 0.2]), t[:, 0] < EMPTY, []
    for _ in range(runs):
        box, speed, phase = _box(rng), rng.uniform(0.4, 2.0, 7), rng.uniform(0, 2 * np.pi, 7)
        angle = speed * t + phase
        run = stance + 0.4 * np.sin(angle), 0.4 * speed * np.cos(angle), -0.4 * speed**2 * np.sin(angle)
        torque = arm.with_payload("link7", box).inverse_dynamics(*run)
        torque[before] = arm.inverse_dynamics(*run)[before]
        tracker = attach(arm, "link7", noise=TORQUE_NOISE, parameters=kind)
        tracker.run(t[:, 0], *run, torque + TORQUE_NOISE * rng.normal(size=torque.shape))
        out.append(tracker.belief.surprise(box.vector))
    return np.array(out)


def _box(rng: np.random.Generator) -> Inertia:
    """A load of any shape, some centimetres from the flange."""
    mass, turn = rng.uniform(0.3, 3.5), np.linalg.qr(rng.normal(size=(3, 3)))[0]
    second = mass * rng.uniform(0.02, 0.08, 3) ** 2
    centre = rng.normal(scale=0.05, size=3) + np.array([0.0, 0.0, 0.08])
    return Inertia.from_center_of_mass(mass, centre, turn @ np.diag(second.sum() - second) @ turn.T)


def band(runs: int, n: int = 10) -> tuple[float, float]:
    """Where the mean of so many honest runs lies in 95 of 100 cases.

    >>> [round(x, 2) for x in band(1000)]
    [9.72, 10.28]
    """
    half = float(1.96 * np.sqrt(2 * n / runs))
    return n - half, n + half


def smallest_variance(updates: int, still: int, *, forgetting: float = 0.999, seed: int = 0) -> tuple[float, float]:
    """Smallest and largest number of D after so many updates of a payload filter in motion, then so many at rest, forgetting.

    Covariance is U D U': it is positive definite as long as every number of D is positive.

    >>> low, high = smallest_variance(200, 200)
    >>> bool(0 < low <= high < np.inf)
    True
    """
    robot, rng = Robot.load("wam"), np.random.default_rng(seed)
    run = series(rng, np.arange(1000) / RATE, robot)
    torque = robot.with_payload(LINK, load()).inverse_dynamics(*run[1:])
    noise = NOISE * np.abs(torque).max(axis=0)
    tracker = PayloadFilter(robot, space_for(robot, "ten"), Torque(noise=noise), Tuning(forgetting=forgetting), limits=False)
    at_rest = [np.repeat(run.position[:1], 1000, axis=0), np.zeros((1000, 7)), np.zeros((1000, 7))]
    held = robot.with_payload(LINK, load()).inverse_dynamics(*at_rest)
    last = 0.0
    for count, state, reading in ((updates, run[1:], torque), (still, at_rest, held)):
        for _ in range(-(-count // 1000)):
            part = slice(0, min(1000, count))
            stamps = last + np.arange(1, 1001)[part] / RATE
            q, v, a = (x[part] for x in state)
            tracker.run(stamps, q, v, a, reading[part] + noise * rng.normal(size=reading[part].shape))
            last = float(stamps[-1])
    return float(tracker._core.d.min()), float(tracker._core.d.max())

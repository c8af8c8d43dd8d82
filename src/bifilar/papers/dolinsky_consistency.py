"""Whether filters through touchdowns know how wrong they are: the normalised squared error of 1000 walks against its 95 % band.

Plant, first error and sensors have exactly the noise that the filter was told, small: encoders 1e-4 rad, first angles 1e-3 rad
and rates 1e-2 rad/s off, every sample pushes every rate by 1e-4 rad/s, at its end. In the sample of a touchdown filters count
that push twice, before it and after it: they have predicted already when they learn of it (rates up to 4 % wider). It starts on
its gait, 1.5 s, two touchdowns; switches tell which foot stands. d = 6: the mean over R runs lies within the quantiles of a
chi-squared of 6 R over R in 95 % of the samples.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.filters.belief import Belief
from bifilar.papers.claims import Claim, Part
from bifilar.papers.dolinsky_closed_loop import machine
from bifilar.papers.dolinsky_scene import LIMIT, PERIOD, walker
from bifilar.papers.many_runs import Told, many_runs
from bifilar.report.plot import Level, Line, Plot
from bifilar.walking.closed_loop import Loop
from bifilar.walking.feedback import upright
from bifilar.walking.hybrid_filter import HybridFilter, Kind, Passage
from bifilar.walking.hybrid_maps import HybridMaps
from bifilar.walking.sensor_set import usual_sensors

FIRST = 40_000  # seeds below were looked at while this was written
SECONDS, SIZE = 1.5, 6
ENCODER, ANGLE, RATE, PUSH = 1e-4, 1e-3, 1e-2, 1e-4
AFTER = 5  # samples after a touchdown at which the error is looked at: all walks have passed it
PLANT = np.array([0.0, 0.0, 0.0, PUSH**2, PUSH**2, PUSH**2])


class Way(NamedTuple):
    """One filter of this study.

    >>> WAYS["EKF, saltation"].guard is None
    True
    """

    kind: Kind
    passage: Passage
    guard: float | None = None  # deviation with which the guard is taken as measured
    after: bool = False  # whether the push of a touchdown's sample is counted once, where the plant has it


WAYS = {
    "EKF, saltation": Way("extended", "saltation"),
    "EKF, reset's Jacobian": Way("extended", "reset"),
    "EKF, saltation, push counted once": Way("extended", "saltation", after=True),
    "UKF, points through their own instants": Way("unscented", "saltation"),
    "EKF, switch with a clock, guard measured": Way("extended", "timed", 1e-6),
    "EKF, switch with a clock, guard not used": Way("extended", "timed"),
    "EKF, switch at the sample, saltation, guard measured": Way("extended", "saltation", 1e-6),
    "EKF, switch at the sample, (4.6), impact noise 1e-4": Way("extended", "sample"),
}


def surprises(name: str, seed: int) -> Array:
    """Normalised squared errors of one walk, sample by sample; infinite after a fall.

    >>> surprises("EKF, saltation", 0).shape
    (150,)
    """
    way, own = WAYS[name], machine()
    sensors = usual_sensors(walker(), "encoders", noise=(ENCODER, 0.1, 0.1))
    maps = HybridMaps(sensors=sensors, phases=own.phases, period=PERIOD, steps=4)
    hit = np.full(SIZE, 1e-4) if way.passage == "sample" else PLANT
    noises = {"process_noise": PLANT, "impact_noise": hit, "guard_noise": way.guard, "noise_after": way.after}
    filter = HybridFilter(maps=maps, kind=way.kind, passage=way.passage, **noises)  # type: ignore[arg-type]
    loop = Loop(plant=own.phases, sensors=sensors, filter=filter, feedback=upright(own.phases, limit=LIMIT), plant_noise=PLANT)
    spread = np.repeat([ANGLE, RATE], 3)
    off = spread * np.random.default_rng([1, seed]).normal(size=SIZE)
    belief = Belief(maps.state(own.start, 0) + off, np.diag(spread**2), maps.names)
    run = loop.run(own.start, belief, SECONDS, seed)
    whole = np.full(round(SECONDS / PERIOD), np.inf)
    whole[: len(run.surprise)] = run.surprise
    return whole


def consistency_part(runs: int, *, jobs: int | None = None, tell: Told | None = None) -> Part:
    """All ways, `runs` walks each."""
    low, high = band(runs)
    found: dict[str, Array] = {}
    for name in WAYS:
        if tell is not None:
            tell(name, 1 / len(WAYS))
        found[name] = np.array(many_runs(partial(surprises, name), range(FIRST, FIRST + runs), jobs=jobs))
    touch = touchdowns()
    rows: list[list[Any]] = [["", "samples inside", *(f"{AFTER} samples after touchdown {k + 1}" for k in range(2)), "largest"]]
    for name, values in found.items():
        mean = values.mean(axis=0)
        inside = np.mean((mean >= low) & (mean <= high))
        rows.append([name, f"{100 * inside:.0f} %", *(f"{mean[k + AFTER]:.3g}" for k in touch), f"{mean.max():.3g}"])
    claims = tuple(_claim(name, found[name], touch, low, high) for name in WAYS)
    time = [PERIOD * k for k in range(round(SECONDS / PERIOD))]
    lines = [Line(time, np.minimum(found[name].mean(axis=0), 20.0), f"j{k}", name) for k, name in enumerate(list(WAYS)[:2])]
    words = (
        f"Mean normalised squared error of {runs} walks, 6 if the filter is honest; 95 % band {low:.2f} to {high:.2f}.",
        "Through the instant at which the belief's guard is zero, errors of that instant are errors of the state, and only",
        "saltation says so. With a clock on the switch the instant is the same for truth and belief: then the reset's own",
        "Jacobian is right, and the guard is a measurement besides. The push of a touchdown's sample is counted before and",
        "after it, which makes errors look 1 % smaller; 'counted once' is exact. Of two samples that are looked at after",
        "touchdowns, an honest filter has one outside the band in up to a tenth of all studies. Lines are cut at 20.",
    )
    plot = Plot("normalised squared error", "", lines, levels=[Level(low, "quiet"), Level(high, "quiet")], height=220)
    legend = [(name, f"j{k}", "line") for k, name in enumerate(list(WAYS)[:2])]
    numbers = {name: values.mean(axis=0) for name, values in found.items()}
    return Part("Error bars through touchdowns", words, claims, [plot], legend, rows, numbers)


def band(runs: int) -> tuple[float, float]:
    """Where the mean of `runs` honest ones lies, 95 %.

    >>> [round(x, 2) for x in band(1000)]
    [5.79, 6.22]
    """
    from scipy.stats import chi2

    return float(chi2.ppf(0.025, SIZE * runs) / runs), float(chi2.ppf(0.975, SIZE * runs) / runs)


def touchdowns() -> list[int]:
    """Samples by which the gait has touched down.

    >>> touchdowns()
    [70, 139]
    """
    from bifilar.walking.gait import find_gait

    own = machine()
    period = find_gait(upright(own.phases)).period
    return [int(np.ceil(k * period / PERIOD)) for k in (1, 2)]


def _claim(name: str, values: Array, touch: list[int], low: float, high: float) -> Claim:
    mean = values.mean(axis=0)
    after = [float(mean[k + AFTER]) for k in touch]
    held = all(low <= x <= high for x in after)
    asked, good = "", None
    if name == "EKF, saltation":
        asked, good = f"inside {low:.2f} to {high:.2f}", held
    elif name == "EKF, reset's Jacobian":
        asked, good = f"outside {low:.2f} to {high:.2f}", not any(low <= x <= high for x in after)
    what = f"{name}: normalised squared error after touchdowns"
    inside = np.mean((mean >= low) & (mean <= high))
    ours = f"{' and '.join(f'{x:.3g}' for x in after)}; {100 * inside:.0f} % of samples inside"
    return Claim("4.1", what, "-", ours, asked, good)

"""Who tells a touchdown, (4.1) of Dolinsky 2017, and a slope found while walking, which the thesis leaves open."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from bifilar.papers.claims import Claim, Part
from bifilar.papers.dolinsky_closed_loop import machine
from bifilar.papers.dolinsky_scene import (
    GUESS,
    LIMIT,
    PERIOD,
    PROCESS,
    SECONDS,
    SETS,
    START,
    loop_of,
    run_of,
    walker,
)
from bifilar.papers.many_runs import Told, many_runs, share_interval
from bifilar.walking.closed_loop import Loop
from bifilar.walking.detector import Detector
from bifilar.walking.feedback import upright
from bifilar.walking.hybrid_filter import HybridFilter
from bifilar.walking.hybrid_maps import HybridMaps
from bifilar.walking.phases import Phases
from bifilar.walking.sensor_set import KINDS, usual_sensors

FIRST = 50_000  # seeds below were looked at while this was written
LATE = 5  # samples after which a touchdown counts as missed
WAYS = {
    "switch": ("imu", Detector()),
    "gyroscope, jump above 1 rad/s": ("gyroscope", Detector(by="gyroscope")),
    "accelerometer, (4.1) with a margin of 0.5": ("accelerometer", Detector(by="accelerometer")),
    "accelerometer, (4.1) as printed": ("accelerometer", Detector(by="accelerometer", margin=0.0)),
}
SLOPES = (-3.0, -2.0, -1.0, 0.0, 1.0)  # [degrees], downhill first
SPREAD = np.array([0.3] * 3 + [2.0] * 3 + [np.deg2rad(5.0)])  # [rad], [rad/s], [rad] first deviations with a slope
ROAMS = 1e-10  # [rad^2] that a sample adds to its variance


class Verdicts(NamedTuple):
    """Touchdowns of one walk.

    >>> Verdicts(7, 7, 0, 0, 0, False).steps
    7
    """

    steps: int
    hit: int  # told at the sample after it, as a switch would
    late: int  # told up to LATE samples later
    missed: int
    false: int
    fell: bool


def told(name: str, seed: int) -> Verdicts:
    """Touchdowns of one walk as the detector told them; the filter believes it, and walks or falls with it.

    >>> told("switch", 0).false
    0
    """
    sensors, detector = WAYS[name]
    run = run_of(loop_of("UKF", sensors, detector=detector), seed)
    claimed, true = list(np.flatnonzero(run.noticed)), np.flatnonzero(run.touched)
    hit = late = 0
    for at in true:
        near = [k for k in claimed if 0 <= k - at <= LATE]
        if near:
            claimed.remove(near[0])
            hit, late = hit + int(near[0] == at), late + int(near[0] > at)
    return Verdicts(len(true), hit, late, len(true) - hit - late, len(claimed), run.fell)


def touchdown_part(steps: int = 1000, *, jobs: int | None = None, tell: Told | None = None) -> Part:
    """Rates over at least so many steps of every detector."""
    rows: list[list[Any]] = [["", "steps", "at once", "late", "missed", "false per step", "walks that fell"]]
    claims, numbers = [], {}
    for name in WAYS:
        if tell is not None:
            tell(name, 1 / len(WAYS))
        walks: list[Verdicts] = []
        while sum(walk.steps for walk in walks) < steps and len(walks) < steps:
            first = FIRST + len(walks)
            walks += many_runs(partial(told, name), range(first, first + max(8, steps // 12)), jobs=jobs)
        total = {key: sum(getattr(walk, key) for walk in walks) for key in ("steps", "hit", "late", "missed", "false", "fell")}
        n = max(total["steps"], 1)
        shares = [f"{100 * total[key] / n:.2f} %" for key in ("hit", "late", "missed", "false")]
        rows.append([name, total["steps"], *shares, f"{total['fell']} of {len(walks)}"])
        share, low, high = share_interval(total["hit"], n)
        ours = f"{100 * share:.1f} % ({100 * low:.1f} to {100 * high:.1f}), late {shares[1]}, false {shares[3]}"
        claims.append(Claim("(4.1)", f"touchdowns told at once by {name}", "-", ours, "", None))
        numbers[name] = {**total, "walks": len(walks)}
    words = (
        "Every detector's word is believed by its own UKF and controller; a walk with a wrong word seldom goes on. Late: up to",
        f"{LATE} samples. As printed, (4.1) has no margin: wherever a touchdown would hardly change the acceleration, noise",
        "decides, and nearly every walk falls. Limit and margin were chosen on other seeds.",
    )
    return Part("Who tells a touchdown", words, tuple(claims), table=rows, numbers=numbers)


def slope_error(sensors: str, degrees: float, seed: int) -> tuple[float, float, int]:
    """Error of the slope after the walk [degrees], the filter's own deviation of it, steps.

    >>> slope_error("imu", 0.0, 0)[2] >= 5
    True
    """
    plant = walker().on_slope(np.deg2rad(degrees))
    maps = HybridMaps(sensors=usual_sensors(walker(), sensors), phases=machine().phases, sloped=True, period=PERIOD)
    filter = HybridFilter(
        maps=maps, process_noise=np.array([*PROCESS, ROAMS]), impact_noise=np.array([1e-4] * 6 + [0.0]), guard_noise=1e-3
    )
    loop = Loop(
        plant=Phases.of(plant),
        sensors=usual_sensors(plant, sensors),
        filter=filter,
        feedback=upright(machine().phases, limit=LIMIT),
    )
    run = loop.run(START, filter.start(GUESS, 0, SPREAD), SECONDS, seed)
    off = np.rad2deg(run.mean[-1, 6]) - degrees
    return float(off), float(np.rad2deg(run.deviation[-1, 6])), run.steps if not run.fell else -run.steps


def slope_part(runs: int, *, jobs: int | None = None, tell: Told | None = None) -> Part:
    """Slopes found by the UKF together with the state."""
    rows: list[list[Any]] = [["slope", *(f"{SETS[kind]}: mean error, largest [degrees], fell" for kind in KINDS)]]
    worst = dict.fromkeys(KINDS, 0.0)
    numbers: dict[str, Any] = {}
    for degrees in SLOPES:
        row: list[Any] = [f"{degrees:g} degrees"]
        for kind in KINDS:
            if tell is not None:
                tell(f"slope of {degrees:g} degrees, {SETS[kind]}", 1 / (len(SLOPES) * len(KINDS)))
            found = many_runs(partial(slope_error, kind, degrees), range(FIRST, FIRST + runs), jobs=jobs)
            off = np.array([each[0] for each in found])
            fell = sum(each[2] < 0 for each in found)
            row.append(f"{off.mean():+.2f}, {np.abs(off).max():.2f}, {fell} of {runs}")
            worst[kind] = max(worst[kind], float(np.abs(off).max()))
            numbers[f"{degrees:g}, {SETS[kind]}"] = [list(each) for each in found]
        rows.append(row)
    claims = tuple(
        Claim(
            "5",
            f"slope found with {SETS[kind]}, largest error",
            "open",
            f"{worst[kind]:.2f} degrees",
            "at most 1",
            worst[kind] <= 1,
        )
        for kind in KINDS
    )
    words = (
        f"{runs} walks of {SECONDS:g} s on every slope. The filter starts at 0 with a deviation of 5 degrees, 0.3 rad and",
        "2 rad/s for the state; the controller knows of no slope, and uphill it runs out of speed. Angles are counted from the",
        "ground, gravity leans; a switch tells that the stance leg is at the angle of touchdown, within the sample, and",
        "that is what tells the slope where only encoders are.",
    )
    return Part("A slope found while walking", words, claims, table=rows, numbers=numbers)

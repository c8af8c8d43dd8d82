"""Table 3.5, Figures 3.4 and 3.5 of Dolinsky 2017: a leg without encoder at its pivot, simulated (`dolinsky_leg`)."""

from __future__ import annotations

from typing import Any

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.papers.claims import Claim, Part
from bifilar.papers.dolinsky_leg import METHODS, Run, experiment, fitted, leg, leg_errors, leg_motion, likeliest
from bifilar.papers.many_runs import Told, many_runs
from bifilar.report.plot import Line, Plot
from bifilar.walking.stance_sensors import StanceSensor

PUBLISHED = {  # q1, q2 and their rates
    "WLS-Hall": (12.927, 17.064, 18.284, 7.762),
    "WLS-IMU": (10.216, 19.258, 17.341, 7.620),
    "ML": (0.919, 1.748, 25.927, 6.028),
}
COLOURS = {"WLS-Hall": "described", "WLS-IMU": "noise", "ML": "identified"}
VALIDATION = 999  # seed of the torque that models are judged with
LEAST, MOST = 10, 100  # data sets
FIRST = 20_000  # seeds below were looked at while this was written
EDGE = 4  # samples at both ends, where differences and filters have no neighbours
SIGNALS = ("q1", "q2", "rate of q1", "rate of q2")


def leg_run(seed: int) -> dict[str, tuple[float, ...]]:
    """Errors of every method on one data set."""
    run = experiment(seed)
    return {name: leg_errors(fitted(name, run), VALIDATION) for name in METHODS}


def table_3_5(runs: int, *, jobs: int | None = None, tell: Told | None = None) -> Part:
    """Table 3.5, as medians over data sets."""
    count = max(LEAST, min(runs, MOST))
    every = many_runs(leg_run, range(FIRST, FIRST + count), jobs=jobs, tell=tell)
    found = {name: np.array([run[name] for run in every]) for name in METHODS}
    rows: list[list[Any]] = [["", *(f"{name}, {who}" for name in SIGNALS for who in ("thesis", "here")), "lost"]]
    for name in METHODS:
        middle, lost = np.median(found[name], axis=0), int(np.isinf(found[name]).any(axis=1).sum())
        cells = [f"{x:.3g}" for pair in zip(PUBLISHED[name], middle) for x in pair]
        rows.append([name, *cells, f"{lost} of {count}"])
    with np.errstate(invalid="ignore"):
        ratio = float(np.max((np.median(found["ML"], axis=0) / np.median(found["WLS-IMU"], axis=0))[:2]))
    lost = int(np.isinf(found["ML"]).any(axis=1).sum())
    claims = (
        Claim("Table 3.5", "ML over WLS-IMU, median, the worse angle", "0.09", f"{ratio:.2g}", "at most 0.1", ratio <= 0.1),
        Claim("Table 3.5", "models by ML that were lost", "0 of 1", f"{lost} of {count}", "", None),
    )
    words = (
        f"Sums of squares over 6 s, medians over {count} data sets. The thesis has one set, of a machine whose numbers",
        "are not printed; ours is simulated, so sizes differ and ratios can be compared. On the machine ML was no",
        "better in the rates: its validation data hold the machine's own noise, ours are exact.",
    )
    return Part("Table 3.5: a leg without encoder at its pivot", words, claims, table=rows, numbers=found)


def leg_figures(seed: int = FIRST) -> Part:
    """Figures 3.4 and 3.5 of one data set."""
    run, found = experiment(seed), likeliest(experiment(seed))
    moved = run.log.with_position(np.asarray(found.tables["motion"])).differences(1)
    time: Array = np.asarray(run.log.period * np.arange(len(run.log)), dtype=float)
    inner, own = time[2:-2], leg()
    plots = []
    for sensor, readings in zip((own.felt, own.turn), run.log.readings):
        sensed = StanceSensor(own.walker, sensor).sensed(moved.position, moved.velocity, moved.acceleration).value
        for k, name in enumerate(sensor.channels):
            unit = "[m/s^2]" if "accelerometer" in name else "[rad/s]"
            lines = [Line(time, readings.values[0][:, k], "noise", "measured"), Line(inner, sensed[:, k], "identified", "ML")]
            plots.append(Plot(f"Figure 3.4 (a), {name}", unit, lines))
    plots += _torques(run, found.values, moved, inner)
    validated = {name: leg_motion(fitted(name, run), VALIDATION) for name in METHODS}
    truth = leg_motion(None, VALIDATION)
    for k, name in enumerate(SIGNALS):
        reach = 1.5 * np.abs(truth[:, k]).max()
        lines = [Line(time, truth[:, k], "ink", "measured")]
        lines += [Line(time, np.clip(found[:, k], -reach, reach), COLOURS[word], word) for word, found in validated.items()]
        plots.append(Plot(f"Figure 3.5, {name}", "[rad]" if k < 2 else "[rad/s]", lines))
    keys = [("measured", "ink", "line"), *((name, colour, "line") for name, colour in COLOURS.items())]
    words = (
        "The first of the data sets. Below: readings and their ML estimates; torques, of which the pivot's must be",
        "zero; and a motion that was not fitted, simulated with every model (lines beyond half again of the truth are",
        "cut).",
    )
    return Part("Figures 3.4 and 3.5", words, (), plots, keys)


def _torques(run: Run, theta: Array, moved: Any, inner: Array) -> list[Plot]:
    """Figure 3.4 (b): both torques, measured and by two models, each on its own motion."""
    from bifilar.papers.dolinsky_leg import CUTOFF
    from bifilar.walking.stance import low_passed

    own = leg()
    hall = low_passed(run.log.with_position(run.hall), CUTOFF, 4).differences(1)
    parts = {"WLS-Hall": (hall, fitted("WLS-Hall", run)), "ML": (moved, theta)}
    plots = []
    for k, name in enumerate(("pivot", "knee")):
        lines = [Line(inner, moved.torque[:, k], "ink", "measured")]
        part = slice(EDGE, -EDGE)
        for word, (motion, values) in parts.items():
            if values is not None:
                torque = own.base.regressor(own.pinned.regressor(*motion[:3])) @ values
                lines.append(Line(inner[part], torque[part, k], COLOURS[word], word))
        plots.append(Plot(f"Figure 3.4 (b), {name}", "torque [N m]", lines))
    return plots

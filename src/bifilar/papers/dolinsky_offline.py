"""Chapter 3 of Dolinsky 2017 again: Tables 3.2 and 3.3, a distance meter, and walking under feedback."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.papers.claims import Claim, Part
from bifilar.papers.dolinsky_closed_loop import METHODS as LOOP_METHODS
from bifilar.papers.dolinsky_closed_loop import estimates, machine
from bifilar.papers.dolinsky_distance import distance_errors
from bifilar.papers.dolinsky_step import CASES, METHODS, UNRELIABLE, run_errors
from bifilar.papers.many_runs import Told, many_runs, mean_interval, share_interval
from bifilar.report.plot import Line, Plot, colour

FIRST = 20_000  # seeds below were looked at while this was written
CELLS = {**{f"case {k}": case for k, case in CASES.items()}, "variance 1e-3": UNRELIABLE}
PUBLISHED = {  # mean, variance, and failed simulations of 1000
    "ML": ((1.242, 0.009, 0), (1.231, 0.010, 0), (1.195, 0.011, 0), (1.149, 2.567, 2)),
    "WLS": ((1.753, 0.016, 0), (1.884, 0.055, 0), (2.480, 5.023, 0), (6e4, 1.9e12, 132)),
    "HEKF": ((6.804, 455.9, 25), (214.1, 1e7, 228), (1e3, 2e8, 246), (196.1, 2.98e6, 160)),
    "RLS": ((1.245, 0.009, 0), (0.5952, 0.0279, 0), (0.5136, 0.1169, 0), (7.1788, 173.2, 4)),
}
Cell = dict[Any, Array]  # errors of every run, by method; not a number: lost


def table_3_3(runs: int, *, jobs: int | None = None, tell: Callable[[str, float], Any] | None = None) -> Part:
    """Table 3.3, and the variance of 1e-3 that its text calls unreliable."""
    found = {}
    for name, case in CELLS.items():
        told = None if tell is None else partial(_said, tell, name)
        every = many_runs(partial(run_errors, case), range(FIRST, FIRST + runs), jobs=jobs, tell=told)
        found[name] = {method: np.array([run[method] for run in every]) for method in METHODS}
    words = (
        f"Sum of squares of a simulation with the estimate, {runs} runs: mean with its 95 % interval, variance; lost",
        "ones are counted and not averaged. Torque, first state, the weight of the undriven row, the error's definition",
        "and the start of HEKF and RLS are not printed in the thesis and are ours, so sizes differ: our torques are",
        "smooth, lengths are taken as known and links as straight (six parameters instead of eight), and ML's error is",
        "smaller. WLS is biased by noise in its regressor from case 2 on, with any weight of the undriven row (six were",
        "tried); the thesis reports it, and RLS, nearly unharmed in cases 2 and 3: that is not reproduced. RLS from",
        "zero equals WLS, as it must; '20 %' starts near the truth. HEKF depends on its start. At a variance of 1e-3",
        "noise is as large as the motion's curvature: local minima.",
    )
    return Part(
        "Tables 3.2 and 3.3: one step, six decades of noise",
        words,
        _step_claims(found, runs),
        _step_plots(found),
        [(name, colour(k), "line") for k, name in enumerate(CELLS)],
        _step_rows(found),
        {method: {name: cell[method] for name, cell in found.items()} for method in METHODS},
    )


def _said(tell: Told, name: str, words: str, share: float) -> None:
    tell(f"{name}: {words}", share)


def _step_rows(found: dict[str, Cell]) -> list[list[Any]]:
    """A line per method and case, the thesis's number before ours."""
    rows: list[list[Any]] = [["", "mean, thesis", "here", "95 %", "variance, thesis", "here", "lost, thesis", "here"]]
    for method in METHODS:
        known = [tuple(f"{x:g}" for x in case) for case in PUBLISHED.get(method, ())]
        for k, (name, cell) in enumerate(found.items()):
            values = cell[method]
            mean, low, high = mean_interval(values)
            theirs = (*known[k][:2], f"{int(known[k][2]) / 10:g} %") if k < len(known) else ("-",) * 3
            lost = f"{100 * np.isnan(values).mean():.3g} %"
            ours = (f"{mean:.3g}", f"{low:.3g} to {high:.3g}", f"{np.nanvar(values):.2g}", lost)
            rows.append([f"{method}, {name}", theirs[0], ours[0], ours[1], theirs[1], ours[2], theirs[2], ours[3]])
    return rows


def _step_plots(found: dict[str, Cell]) -> list[Plot]:
    """Every run's error, sorted: a tail is a share of runs that ended elsewhere."""
    plots = []
    for method in ("ML", "WLS"):
        lines = []
        for k, (name, cell) in enumerate(found.items()):
            known = np.sort(cell[method][np.isfinite(cell[method])])
            share = 100 * (np.arange(len(known)) + 0.5) / max(len(cell[method]), 1)
            lines.append(Line(share, np.log10(np.maximum(known, 1e-12)), colour(k), name))
        what = "errors of all runs, sorted: log10 of the sum of squares over the share of runs [%]"
        plots.append(Plot(method, what, lines, x_unit="%", x_range=(0.0, 100.0)))
    return plots


def _step_claims(found: dict[str, Cell], runs: int) -> tuple[Claim, ...]:
    where, usual = "Table 3.3", list(CELLS)[:4]
    ml, five, wls = ([found[name][method] for name in usual] for method in ("ML", "ML five-point", "WLS"))
    ratio, fine = (float(np.nanmean(each[3]) / np.nanmean(each[0])) for each in (ml, five))
    lost = [int(np.isnan(each).sum()) for each in ml]
    over = [float(np.nanmean(a) / np.nanmean(b)) if np.isfinite(b).any() else 0.0 for a, b in zip(ml, wls)]
    hard = found["variance 1e-3"]["ML"]
    astray = int(np.sum(~(hard <= 10 * np.nanmedian(ml[3]))))
    share, low, high = share_interval(astray, runs)
    few = 0.05 * runs
    return (
        Claim(where, "ML, mean error of case 4 over case 1", "0.93", f"{ratio:.2f}", "at most 2", ratio <= 2),
        Claim(where, "the same with five-point differences", "-", f"{fine:.2f}", "", None),
        Claim(where, "ML, simulations lost in cases 1 to 3", "0", str(sum(lost[:3])), "0", sum(lost[:3]) == 0),
        Claim(where, "ML, simulations lost in case 4", "0.2 %", f"{lost[3] / runs:.1%}", "at most 5 %", lost[3] <= few),
        Claim(where, "ML over WLS, worst case", "0.71", f"{max(over):.3g}", "at most 1", max(over) <= 1),
        Claim(where, "ML over WLS, case 4", "2e-5", f"{over[3]:.2g}", "at most 0.25", over[3] <= 0.25),
        Claim(
            where,
            "ML at a variance of 1e-3: lost, or ten times worse than case 4's median",
            "unreliable",
            f"{share:.0%} ({low:.0%} to {high:.0%})",
            "",
            None,
        ),
    )


def _words(values: Array) -> str:
    mean, low, high = mean_interval(values)
    lost = int(np.isnan(values).sum())
    return f"{mean:.3g} ({low:.3g} to {high:.3g}), variance {np.nanvar(values):.2g}" + (
        f", {lost} of {len(values)} lost" if lost else ""
    )


def distance_part(runs: int, *, jobs: int | None = None, tell: Told | None = None) -> Part:
    """(3.10) to (3.13)."""
    every = many_runs(distance_errors, range(FIRST, FIRST + runs), jobs=jobs, tell=tell)
    found = {name: np.array([run[name] for run in every]) for name in ("WLS", "ML")}
    rows = [["", "simulation error"], *([name, _words(values)] for name, values in found.items())]
    ratio = float(np.nanmean(found["ML"]) / np.nanmean(found["WLS"]))
    claims = (Claim("(3.10)", "ML over elimination with WLS", "-", f"{ratio:.2g}", "at most 0.25", ratio <= 0.25),)
    words = (
        "The stance leg's angle is not measured; a distance meter on it is, whose noise grows with the distance. The",
        "thesis gives the equations and no numbers. The angle is found by atan2: the printed arcsine is singular where",
        "the leg is upright.",
    )
    return Part("A distance meter instead of the angle", words, claims, table=rows, numbers=found)


def loop_part(runs: int, *, jobs: int | None = None, tell: Told | None = None) -> Part:
    """Walking under feedback."""
    count = max(8, min(runs, 40))
    every = many_runs(estimates, range(FIRST, FIRST + count), jobs=jobs, tell=tell)
    truth, names = machine().truth, machine().base.independent
    rows: list[list[Any]] = [["relative bias", *names]]
    worst, numbers = {}, {}
    for method in LOOP_METHODS:
        off = np.array([np.asarray(run[method]) / truth - 1 for run in every if run[method] is not None])
        bias, sure = off.mean(axis=0), off.std(axis=0) / np.sqrt(len(off))
        rows.append([method, *(f"{100 * b:.1f} +- {100 * s:.1f} %" for b, s in zip(bias, sure))])
        worst[method], numbers[method] = float(np.abs(bias).max()), off
    claims = tuple(
        Claim("5", f"largest bias of {method}", "-", f"{100 * worst[method]:.2g} %", "", None) for method in LOOP_METHODS
    )
    words = (f"{count} walks of 10 s; the controller reads the noise that is recorded. Open in the thesis.",)
    return Part("Identification from walking under feedback", words, claims, table=rows, numbers=numbers)

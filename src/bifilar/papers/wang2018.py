"""Wang et al. 2018: parameters dropped by their relative torque contribution, with a new motion for every model.

Printed tables are checked against each other. The experiments ran on a leg in a rehabilitation machine whose 12-parameter model
is in another paper; here a stand-in of the same size, limits and sampling runs them (`wang_leg` gives the reasons), so
ratios can be compared and absolute numbers cannot. What the paper shows once, on one trajectory, is repeated over seeds.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.estimate.contribution import relative_contributions
from bifilar.estimate.held_errors import on_recordings
from bifilar.estimate.problem import Problem
from bifilar.estimate.repetitions import spread_of
from bifilar.estimate.simplify import Simplify
from bifilar.estimate.simplify_loop import Fitted, fitted
from bifilar.experiment.fourier import Fourier
from bifilar.papers.claims import Claim, Part, Reproduction
from bifilar.papers.wang_leg import Machine, circle, leg
from bifilar.papers.wang_study import FIRST, LIKE_PAPER, ROUNDS, Trial, study, trial
from bifilar.papers.wang_tables import implied_torque, table_1
from bifilar.report.plot import Line, Plot, colour

CITATION = (
    "W. Wang, Z.-G. Hou, X. Liang, S. Ren, L. Peng, L. Luo, C. Cui: Relative torque contribution based model simplification "
    "for robotic dynamics identification. 2018"
)
PARTS = ("Printed tables", "One leg", "Five repetitions", "Optimised motion", "Many legs")
SEEDS = 20  # of the study: what is asked for
SHOWN = 42  # seed of the leg that is drawn; no other was looked at for it
STAGES = 8  # designs of the optimised motion: as many as the ladder has models
JOINTS = ("hip", "knee")


def reproduced(*, seeds: int = SEEDS, runs: int = 0, updates: int = 0, tell: Callable[[str], Any] = print) -> Reproduction:
    """All of it; the leg is simplified `seeds` times; `runs` and `updates` are for other papers."""
    tell(PARTS[0])
    parts = [table_1(), implied_torque()]
    tell(PARTS[1])
    shown = trial(SHOWN)
    parts += [_motions(shown), _ladder(shown)]
    tell(PARTS[2])
    parts += [_repeated(shown)]
    tell(PARTS[3])
    parts += [_validated(shown)]
    tell(PARTS[4])
    parts += [study(seeds, FIRST)[0]]
    about = "A leg with two joints and 12 parameters under tight limits, simulated: the paper's own model is not printed in it."
    return Reproduction("wang2018", CITATION, about, tuple(parts))


def _at(one: Trial, size: int) -> Fitted:
    return next(stage for stage in one.stages if len(stage.stage.kept) == size)


def _path(motion: Fourier, title: str) -> Plot:
    time = np.linspace(0.0, motion.series.period, 400)
    angle = np.degrees(motion.at(time).position)
    lines = [Line(time, angle[:, j], colour(j), name) for j, name in enumerate(JOINTS)]
    return Plot(title, "joint angle [deg]", lines, y_unit="deg")


def _motions(one: Trial) -> Part:
    full, small = one.stages[0], _at(one, LIKE_PAPER)
    plots = [
        _path(full.stage.motion, "Figure 2: for all 12 parameters"),
        _path(small.stage.motion, f"Figure 4: for {LIKE_PAPER} parameters"),
        _path(circle(2 * one.seed + 1), "Figure 7 (a): the round that scores"),
    ]
    keys = [(name, colour(j), "line") for j, name in enumerate(JOINTS)]
    words = ("Motions of least condition number, proven inside the limits; each search begins at the motion before.",)
    return Part("Figures 2, 4 and 7 (a)", words, (), plots, keys)


def _ladder(one: Trial) -> Part:
    steps = one.ladder.steps
    size = [float(step.size) for step in steps]
    conditions = Plot(
        "Condition number", "over the number of parameters", [Line(size, [s.condition for s in steps], "described")], x_unit=""
    )
    errors = [Line(size, [100 * (s.held or 0.0) for s in steps], "identified", "round that chooses")]
    errors.append(Line(size, [100 * x for x in one.tested], "ink", "round that scores", "dashed"))
    plots = [conditions, Plot("Error", "share of the torque [%], over the number of parameters", errors, x_unit="")]
    rows = [["parameters", "dropped", "contribution [%]", "condition", "chooses [%]", "scores [%]"]]
    for k, step in enumerate(steps):
        share = "" if not step.dropped else f"{100 * step.score:.3f}"
        held = f"{100 * (step.held or 0.0):.3f}"
        taken = " <- taken" if k == one.ladder.chosen else ""
        names = ", ".join(step.dropped)
        rows.append([f"{step.size}{taken}", names, share, f"{step.condition:.1f}", held, f"{100 * one.tested[k]:.3f}"])
    gamma = relative_contributions(one.stages[0].model)
    at8 = next(step.condition for step in steps if step.size == LIKE_PAPER)
    claims = (
        Claim(
            "Fig. 3", f"condition number at {LIKE_PAPER} parameters", "503.4", f"{at8:.0f}, from {steps[0].condition:.0f}", ""
        ),
        Claim(
            "(7)",
            "relative contributions sum to 1",
            "by definition",
            f"{gamma.sum():.12f}",
            "1e-12",
            bool(abs(gamma.sum() - 1) < 1e-12),
        ),
    )
    words = ("The ladder of one leg. Errors are of the two rounds: the first chooses the step, the second scores it.",)
    keys = (("round that chooses", "identified", "line"), ("round that scores", "ink", "dashed"))
    return Part("Figure 3", words, claims, plots, keys, rows)


def _again(stage: Fitted, seed: int) -> Fitted:
    """The motion of a stage, run and estimated once more."""
    data = Machine().play(stage.stage.motion, seed=seed)
    return fitted(leg(), stage.stage, data, Simplify(weights="equal"))


def _repeated(one: Trial) -> Part:
    small = _at(one, LIKE_PAPER)
    runs = [_again(small, 5000 + k) for k in range(5)]
    places = list(small.model.kept)
    mean, spread = spread_of([run.model.values[places] for run in runs])
    rows = [["parameter", *map(str, range(1, 6)), "mean", "spread [%]"]]
    for j, (name, place) in enumerate(zip(small.stage.kept, places, strict=True)):
        rows.append([name, *(f"{run.model.values[place]:.4f}" for run in runs), f"{mean[j]:.4f}", f"{spread[j]:.4f}"])
    measured = Machine().play(small.stage.motion, seed=5100, periods=3)
    errors, plots = _predicted(runs[0], measured, "Figure 5")
    rms = np.sqrt(np.mean(errors**2, axis=0))
    share = 100 * float(np.linalg.norm(errors) / np.linalg.norm(measured.torque))
    told = f"hip {rms[0]:.3f}, knee {rms[1]:.3f} N m, {share:.2f} %"
    claims = (Claim("Table II", "reconstructed torque, another run of the same motion", "0.409, 0.184 N m, 1.01 %", told, ""),)
    words = (f"Table I and Figure 5 in our terms: {LIKE_PAPER} parameters from five runs of one motion.",)
    keys = (("measured", "ink", "line"), ("model", "identified", "line"))
    return Part("Tables I and II, Figure 5", words, claims, plots, keys, rows)


def _predicted(run: Fitted, measured: Any, title: str) -> tuple[Array, list[Plot]]:
    """Errors, and measured beside predicted torque of both joints over one period."""
    model = run.problem.base.model(run.problem.robot, run.model.values)
    predicted = measured.predict(model)
    time = measured.time - measured.time[0]
    some = time < 20.0
    plots = []
    for j, name in enumerate(JOINTS):
        lines = [
            Line(time[some], measured.torque[some, j], "ink", "measured"),
            Line(time[some], predicted[some, j], "identified", "model"),
        ]
        plots.append(Plot(f"{title}, {name}", "torque [N m]", lines, y_unit="N m"))
    return measured.torque - predicted, plots


def _validated(one: Trial) -> Part:
    """PDM, ODM, SDM and both together on the same round."""
    optimised = trial(SHOWN, drop=False, most=STAGES)
    both = trial(SHOWN, rounds=2)
    measured = Machine().play(circle(2 * SHOWN + 1), seed=1000 * SHOWN + 901, periods=ROUNDS)
    test = Problem.of(leg(), measured, friction=leg().friction)
    small, last = _at(one, LIKE_PAPER), optimised.stages[-1]
    models = {
        "PDM: 12 parameters": one.stages[0],
        "ODM: 12 parameters, motion optimised again": last,
        f"SDM: {LIKE_PAPER} parameters, as in the paper": small,
        "SDM: chosen on another round": one.stages[one.ladder.chosen],
        "both: chosen, every motion optimised twice": both.stages[both.ladder.chosen],
    }
    rows, plots = [["model", "parameters", "condition", "hip [N m]", "knee [N m]", "relative [%]"]], []
    for name, stage in models.items():
        held = on_recordings(test, [stage.model.values], np.ones(2))
        cells = (f"{stage.stage.condition:.0f}", *(f"{x:.3f}" for x in held.rms[0]), f"{100 * held.relative[0]:.2f}")
        rows.append([name, str(len(stage.stage.kept)), *cells])
        if name[0] != "b" and "chosen" not in name:
            plots += _predicted(stage, measured, f"Figure 7, {name[:3]}")[1]
    conditions = [step.condition for step in optimised.ladder.steps]
    falls = all(b <= a for a, b in pairwise(conditions))
    told = f"{conditions[0]:.0f} to {conditions[-1]:.0f}"
    claims = (
        Claim("Table III", "relative error PDM, ODM, SDM [%]", "2.95, 1.85, 1.56", ", ".join(row[-1] for row in rows[1:4]), ""),
        Claim("Fig. 6", "condition number when only the motion is optimised", "-", told, "never rises", falls),
    )
    plots.insert(0, _path(last.stage.motion, "Figure 6: optimised again for 12 parameters"))
    words = ("One leg, one round: a single comparison, as the paper's. The next part tells how far it can be trusted.",)
    keys = (("measured", "ink", "line"), ("model", "identified", "line"))
    return Part("Table III, Figures 6 and 7", words, claims, plots, keys, rows)

"""Held-out torque errors on public recordings of real robots: the table of docs/real_data.md.

    python benchmarks/real_data.py                     prints it
    python benchmarks/real_data.py --write             and writes the page
    python benchmarks/real_data.py --inner             settings alone: what is held out stays unseen
    python benchmarks/real_data.py --sets tiago ...    some sets only; with --keep FILE the others are those of earlier runs

Every setting (cut-off of the fit, delay of the torque, friction, rotor inertia, strength of a ridge) is chosen on inner blocks
of the fitted part. What is scored is fixed by the datasets: torque and prediction through the same zero-phase Butterworth
filter of fourth order at the stated cut-off; beside it the error against the torque as it was measured.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from real_cases import CASES, Case
from real_extra import MADE, consistency, franka_friction, payload, published
from real_human import human

import bifilar as bf
from bifilar.estimate.friction_choice import loaded
from bifilar.estimate.problem import Problem
from bifilar.robot.friction import LoadDependent

INNER, ROUNDS = 5, 4  # folds of the fitted part, stretches of time in each
CAUTIONS = (None, 1.0)  # of friction terms: beyond luck; and whatever predicts better by a standard error
DELAYS = (-0.02, -0.01, -0.005, -0.003, -0.002, -0.001, 0.001, 0.002, 0.003, 0.005, 0.01, 0.02)  # [s]
PREPARED: dict[tuple[Any, ...], list[bf.Samples]] = {}
PAGE = Path(__file__).resolve().parents[1] / "docs" / "real_data.md"


@dataclass(frozen=True)
class Settings:
    """What inner blocks decide."""

    cutoff: float | None  # [Hz] of the fit
    friction: bf.Friction
    delay: float = 0.0  # [s] the torque's stamps are late
    ridge: str | None = None

    @property
    def method(self) -> bf.LeastSquares:
        """As a method; error bars are not asked for here."""
        return bf.LeastSquares(ridge=self.ridge, uncertainty="white")


def shifted(recording: bf.Recording, delay: float) -> bf.Recording:
    """Torque that was stamped too late, moved back."""
    if not delay:
        return recording
    moved = [np.interp(recording.time + delay, recording.time, column) for column in recording.torque.T]
    return recording.with_channel("torque", np.column_stack(moved))


def samples_of(
    case: Case, runs: list[bf.Recording], cutoff: float | None, delay: float, every: int | bool = True
) -> list[bf.Samples]:
    """Recordings as a fit takes them; those of the last fold are remembered."""
    key = (case.name, *map(id, runs), cutoff, delay, every)
    if key not in PREPARED:
        PREPARED[key] = [bf.prepare(shifted(run, delay), case.recipe(cutoff, every), robot=case.robot) for run in runs]
    return PREPARED[key]


def with_loads(case: Case, sources: list[Any], friction: bf.Friction) -> Any:
    """Loads of a first fit, where friction needs them."""
    needed = any(isinstance(term, LoadDependent) for term in friction)
    return loaded(case.robot, sources, friction) if needed else sources


def pieces(case: Case, samples: list[bf.Samples]) -> list[tuple[int, bf.Samples]]:
    """Stretches of time (or whole runs) with the number of their fold, in turn: the same times at every cut-off.

    What lies before the first of given times is fold -1: fitted always, never predicted.
    """
    if case.inner == "runs":
        return list(enumerate(samples))
    if isinstance(case.inner, tuple):
        cut = [(k, s.part(low, high)) for s in samples for k, (low, high) in enumerate(pairwise((-np.inf, *case.inner)), -1)]
        return [(k, part) for k, part in cut if len(part)]
    spans = [(s.time[0], s.time[-1]) for s in samples]
    length, out = sum(b - a for a, b in spans) / (INNER * ROUNDS), []
    for s, (a, b) in zip(samples, spans, strict=True):
        edges = np.linspace(a, b, max(1, round((b - a) / length)) + 1)
        edges[0], edges[-1] = -np.inf, np.inf
        out += [s.part(low, high) for low, high in pairwise(edges)]
    return [(k % INNER, part) for k, part in enumerate(out) if len(part)]


def inner_error(case: Case, runs: list[bf.Recording], settings: Settings) -> float:
    """Relative error of blocks of the fitted part, each predicted from the others, at the scored cut-off."""
    fitted = pieces(case, samples_of(case, runs, settings.cutoff, settings.delay))
    scored = pieces(case, samples_of(case, runs, case.cutoff, settings.delay))
    sources = with_loads(case, [part for _, part in fitted], settings.friction)
    build = {"friction": settings.friction, "blocks": 6 * INNER}
    problem = Problem.of(case.robot, sources, **build)
    target = Problem.of(case.robot, with_loads(case, [part for _, part in scored], settings.friction), **build)
    error = torque = 0.0
    for fold in sorted({fold for fold, _ in scored if fold >= 0}):
        kept = [k for k, owner in enumerate(problem.owners) if fitted[owner][0] != fold]
        held = [k for k, owner in enumerate(target.owners) if scored[owner][0] == fold]
        values = settings.method.solve(problem.choose(kept)).values
        rows = target.choose(held).factor().rows
        error += sum(row.residual(values) ** 2 for row in rows)
        torque += sum(float(np.sum(row.triangle[:, -1] ** 2)) for row in rows)
    return float(np.sqrt(error / torque))


def choose(case: Case, runs: list[bf.Recording], log: Any) -> Settings:
    """One setting after the other, the best on inner blocks."""
    best, table = Settings(case.cutoff, case.friction), {}

    def better(candidates: list[Settings]) -> Settings:
        for candidate in candidates:
            if candidate not in table:
                table[candidate] = inner_error(case, runs, candidate)
                log(f"    inner {100 * table[candidate]:.3f} %  {words(candidate)}")
        return min(candidates, key=table.__getitem__)

    starts = [best.friction] if case.rotors is None else [best.friction, best.friction + case.rotors]
    for _ in range(1 if case.inner is None else 2):  # they depend on each other: once more with the friction that was found
        best = better([best, *(replace(best, cutoff=cutoff) for cutoff in case.cutoffs)])
        best = better([best, *(replace(best, delay=delay) for delay in near(best.delay))])
        tried = [best.friction, *starts, *frictions(case, runs, best, starts)]
        best = better([replace(best, friction=friction) for friction in tried])
    best = better([best, *(replace(best, delay=delay) for delay in near(best.delay))])
    return better([best, replace(best, ridge="auto")])


def near(delay: float) -> list[float]:
    """Delays to try beside one."""
    return [other for other in DELAYS if delay == 0 or 0.4 < other / delay < 2.1]


def frictions(case: Case, runs: list[bf.Recording], settings: Settings, starts: list[bf.Friction]) -> list[bf.Friction]:
    """Friction chosen with more and less caution, from every start, on folds of the kind that is asked for.

    Where the fitted part holds none, on six long stretches, as usual, and without torque of the position alone: places between
    fitted ones flatter it.
    """
    sources, given = samples_of(case, runs, settings.cutoff, settings.delay), {"gears": case.gears, "cables": False}
    if case.inner is not None:
        parts = pieces(case, sources)
        sources, given = [part for _, part in parts], {"gears": case.gears, "folds": [fold for fold, _ in parts]}
    found = [bf.choose_friction(case.robot, sources, start=a, caution=b, **given) for a in starts for b in CAUTIONS]
    return [choice.friction for choice in found]


def words(settings: Settings) -> str:
    """Settings in a line."""
    kinds: dict[str, int] = {}
    for term in settings.friction:
        name = type(term).__name__ + (" asymmetric" if term.asymmetric else "")
        kinds[name] = kinds.get(name, 0) + (len(term.at) if term.at else 0)
    terms = ", ".join(name + (f" ({count})" if count else "") for name, count in kinds.items())
    cut = "as logged" if settings.cutoff is None else f"{settings.cutoff:g} Hz"
    delay = f", delay {1e3 * settings.delay:g} ms" if settings.delay else ""
    return f"{cut}{delay}; {terms}" + ("; ridge to the description" if settings.ridge else "")


def errors(case: Case, model: bf.Model, runs: list[bf.Recording], delay: float = 0.0) -> np.ndarray:
    """Sums of squares: error and torque, filtered; error and torque, as measured."""
    total = np.zeros(4)
    for run in runs:
        samples = case.scored(shifted(run, delay))
        kept = samples.mask
        error = (samples.torque - samples.predict(model)) * kept
        plain = samples if case.cutoff is None else raw_samples(case, shifted(run, delay))
        raw = (plain.raw_torque - plain.predict(model)) * plain.mask
        total += [
            np.sum(error**2),
            np.sum((samples.torque * kept) ** 2),
            np.sum(raw**2),
            np.sum((plain.raw_torque * plain.mask) ** 2),
        ]
    return total


def raw_samples(case: Case, run: bf.Recording) -> bf.Samples:
    """Motion filtered at the scored cut-off; the prediction itself and the torque not at all."""
    recipe = replace(case.recipe(case.cutoff, every=case.every or False), filter_columns=False)
    return bf.prepare(run, recipe, robot=case.robot)


def relative(total: np.ndarray) -> list[float]:
    """Filtered, and as measured."""
    return [float(np.sqrt(total[0] / total[1])), float(np.sqrt(total[2] / total[3]))]


def chosen_only(case: Case, log: Any) -> None:
    """What inner blocks choose; the predicted parts stay unseen."""
    for k, (train, _) in enumerate(case.folds):
        PREPARED.clear()
        log(f"  {case.name} {k + 1} of {len(case.folds)}")
        log(f"    chosen: {words(choose(case, train, log))}")


def line(case: Case, log: Any) -> dict[str, Any]:
    """All columns of one set."""
    totals: dict[str, np.ndarray] = {}
    notes, started = [], time.perf_counter()
    for k, (train, test) in enumerate(case.folds):
        PREPARED.clear()
        log(f"  {case.name} {k + 1} of {len(case.folds)}")
        settings = choose(case, train, log)
        notes.append(words(settings))
        models = fitted_models(case, train, settings, log)
        for name, (model, delay) in models.items():
            totals[name] = totals.get(name, np.zeros(4)) + errors(case, model, test, delay)
    result = {"set": case.name, "words": case.words, "bound": case.bound, "cutoff": case.cutoff, "settings": notes}
    result["seconds"] = round(time.perf_counter() - started, 1)
    result |= {name: relative(total) for name, total in totals.items()}
    log(json.dumps(result))
    return result


def fitted_models(case: Case, train: list[bf.Recording], settings: Settings, log: Any) -> dict[str, tuple[bf.Model, float]]:
    """The description, plain least squares, ours, and the physically consistent one, with the delay each takes for true."""
    plain = [
        bf.prepare(run, replace(case.recipe(case.cutoff, every=False), filter_columns=False), robot=case.robot) for run in train
    ]
    models: dict[str, tuple[bf.Model, float]] = {} if case.described == "none" else {"described": (case.robot, 0.0)}
    ols = bf.LeastSquares(weights="equal", uncertainty="white").fit(case.robot, plain, friction=case.friction)
    models["ols"] = (ols.model, 0.0)
    sources = with_loads(case, samples_of(case, train, settings.cutoff, settings.delay), settings.friction)
    ours = settings.method.fit(case.robot, sources, friction=settings.friction)
    models["ours"] = (ours.model, settings.delay)
    try:
        consistent = bf.PhysicallyConsistent().fit(case.robot, sources, friction=settings.friction)
        models["consistent"] = (consistent.model, settings.delay)
        with tempfile.TemporaryDirectory() as folder:  # every consistent model can be handed on
            consistent.robot.save(Path(folder) / "robot.urdf")
        log(f"    consistent: {consistent.status}; exported")
    except bf.BifilarError as letter:
        log(f"    no consistent fit: {letter.what}")
    return models


def page(lines: list[dict[str, Any]], extra: list[str]) -> str:
    """The page of the documentation."""
    out = [
        "# Real data, held out",
        "",
        "Public recordings of real robots. Made by `python benchmarks/real_data.py --write`; `bf.datasets` finds the files.",
        "",
        "Relative torque error |torque - predicted| / |torque| over all joints, in per cent, on a part that was not fitted.",
        "Torque and prediction go through the same zero-phase Butterworth filter of fourth order at the stated cut-off,",
        "whatever the fit used; in brackets the error against the torque as it was measured (motion filtered at the cut-off,",
        "the prediction not at all). Settings of *ours* and of the *consistent* fit were chosen on inner blocks of the fitted",
        "part: twenty stretches in turn (friction: six long ones), or, where the fitted part holds parts of the kind that is",
        "asked for, these: the other five blocks of staubli_tx40, the two periods of kuka_lwr4's run 1 (run 2 is the same",
        "motion again), whole runs of kinova_gen3. Every consistent model was written to a URDF.",
        "",
        "| set | fitted -> predicted | scored at | asked for | description | ordinary least squares | ours | consistent |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for entry in lines:
        cut = "as logged" if entry["cutoff"] is None else f"{entry['cutoff']:g} Hz"
        bound = "stated" if entry["bound"] is None else f"{100 * entry['bound']:.3g}"
        cells = [cell(entry.get(name)) for name in ("described", "ols", "ours", "consistent")]
        out.append(f"| {entry['set']} | {entry['words']} | {cut} | {bound} | " + " | ".join(cells) + " |")
    out += ["", *extra, "", "## Settings that inner blocks chose", ""]
    out += [f"- {entry['set']}: " + " / ".join(dict.fromkeys(entry["settings"])) for entry in lines]
    out += ["", *MADE]
    return "\n".join(out) + "\n"


def extra() -> list[str]:
    """What is no line of the table."""
    return [*franka_friction(), "", *published(), "", *consistency(), "", *human(), "", *payload()]


def cell(pair: list[float] | None) -> str:
    """An error and, in brackets, that of the torque as measured."""
    if pair is None:
        return "-"
    return f"{100 * pair[0]:.3g} ({100 * pair[1]:.3g})" if pair[0] < 10 else "> 1000"


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sets", nargs="*", choices=[*CASES, "extra"], default=[*CASES, "extra"])
    parser.add_argument("--write", action="store_true", help="write docs/real_data.md")
    parser.add_argument("--keep", type=Path, help="a JSON file of earlier results, read and written")
    parser.add_argument("--inner", action="store_true", help="settings only: nothing is predicted but inner blocks")
    parser.add_argument("--quiet", action="store_true")
    asked = parser.parse_args()
    log = (lambda text: None) if asked.quiet else (lambda text: print(text, file=sys.stderr, flush=True))
    kept: dict[str, Any] = json.loads(asked.keep.read_text("utf-8")) if asked.keep and asked.keep.exists() else {}
    if asked.inner:
        for name in asked.sets:
            chosen_only(CASES[name](), log)
        return
    for name in asked.sets:
        kept[name] = line(CASES[name](), log) if name in CASES else extra()
        if asked.keep:
            asked.keep.write_text(json.dumps(kept, indent=1), encoding="utf-8")
    text = page([kept[name] for name in CASES if name in kept], kept.get("extra", []))
    print(text)
    if asked.write:
        PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

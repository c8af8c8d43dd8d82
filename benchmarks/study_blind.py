"""`make study-blind`: `bifilar fit` with no option but names, beside plain least squares, on ten real machines.

    python benchmarks/study_blind.py                     the table, printed
    python benchmarks/study_blind.py --write             and written into docs/real_data.md
    python benchmarks/study_blind.py --machines tiago    some machines only

Every pair of blind_pairs.py is fitted by the command line as a user would type it: the fitted part as a Parquet file, the
nominal model by its public name, everything else by default. What is scored is what the run folder holds: the torque predictor
where the run hands one over beside the physically consistent model, else that model; both stand in the table.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from blind_pairs import CUTOFFS, DEVELOPED, KEPT, Pair, baseline, nrmse, pairs, robot_of

import bifilar as bf
from bifilar.estimate.saved import load_estimate

PAGE = Path(__file__).resolve().parents[1] / "docs" / "real_data.md"
REFUSED = 3  # exit code
BEGIN, END = "<!-- study-blind -->", "<!-- end of study-blind -->"


def fitted(pair: Pair, folder: Path) -> tuple[bf.BaseEstimate, dict[str, Any], float]:
    """The run of `bifilar fit`, what it printed as JSON, and seconds."""
    logs = []
    for k, recording in enumerate(pair.train):
        logs.append(str(folder / f"train{k}.parquet"))
        recording.save(logs[-1])
    command = [sys.executable, "-m", "bifilar", "fit", f"{pair.machine}:robot", *logs, "--test", "none", "--no-page", "--json"]
    started = time.perf_counter()
    done = subprocess.run([*command, "-o", str(folder / "run")], capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - started
    refused = done.returncode == REFUSED  # a check found an error in the log: fitted all the same, and marked
    if refused:
        command.append("--anyway")
        done = subprocess.run([*command, "-o", str(folder / "run")], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{pair.machine}, {pair.name}: exit {done.returncode}\n{done.stdout[-500:]}{done.stderr[-1500:]}")
    return load_estimate(folder / "run"), json.loads(done.stdout) | {"refused": refused}, seconds


def scored(pair: Pair) -> dict[str, Any]:
    """One line of the table."""
    test, raw = pair.samples(pair.test), pair.raw(pair.test)
    plain = baseline(pair)
    with tempfile.TemporaryDirectory() as folder:
        estimate, facts, seconds = fitted(pair, Path(folder))
    model = estimate.model
    free = getattr(estimate, "predictor", None)
    best = model if free is None else free.model
    delay = getattr(estimate.recipe, "delay", 0.0) if not isinstance(estimate.recipe, str) else 0.0
    late = _delayed(pair, delay or 0.0)
    return {
        "machine": pair.machine,
        "pair": pair.name,
        "baseline": nrmse(plain, test),
        "nominal": nrmse(robot_of(pair.machine), test),
        "model": _nrmse(model, test, late),
        "predictor": None if free is None else _nrmse(free.model, test, late),
        "fit": _nrmse(best, test, late),
        "raw": nrmse(best, raw, raw=True),
        "raw_baseline": nrmse(plain, raw, raw=True),
        "delay": delay,
        "friction": sorted({type(term).__name__ for term in estimate.described.friction}),
        "kinematics": facts["kinematics"],
        "refused": facts["refused"],
        "seconds": round(seconds, 1),
    }


def _delayed(pair: Pair, delay: float) -> list[bf.Samples] | None:
    """Motion of the test part as it was a delay earlier: the recorded torque belongs to it."""
    if not delay:
        return None
    moved = []
    for one in pair.test:
        position = np.column_stack([np.interp(one.time - delay, one.time, column) for column in one.position.T])
        changed = one.with_channel("position", position)
        for name in ("velocity", "acceleration"):
            values = one.get(name) if name in one.channels else None
            if values is not None:
                columns = [np.interp(one.time - delay, one.time, column) for column in np.asarray(values).T]
                changed = changed.with_channel(name, np.column_stack(columns))
        moved.append(changed)
    return pair.samples(tuple(moved))


def _nrmse(model: bf.Model, test: list[bf.Samples], late: list[bf.Samples] | None) -> float:
    """Against the torque as it was recorded; a model that knows of a delay predicts from the motion before it."""
    if late is None:
        return nrmse(model, test)
    error = torque = 0.0
    for one, moved in zip(test, late, strict=True):
        rows = min(len(one), len(moved))
        kept = one.mask[:rows]
        error += float(np.sum((one.torque[:rows] - moved.predict(model)[:rows])[kept] ** 2))
        torque += float(np.sum(one.torque[:rows][kept] ** 2))
    return float(np.sqrt(error / torque))


def means(rows: list[dict[str, Any]], key: str = "fit") -> dict[str, float]:
    """Geometric mean of the ratios to the baseline, by machine."""
    machines = dict.fromkeys(row["machine"] for row in rows)
    logs = {m: [np.log(row[key] / row["baseline"]) for row in rows if row["machine"] == m] for m in machines}
    return {machine: float(np.exp(np.mean(values))) for machine, values in logs.items()}


def summary(rows: list[dict[str, Any]]) -> list[str]:
    """The figures that are asked for."""
    lines = []
    for words, some in (("all machines", (*DEVELOPED, *KEPT)), ("rules chosen on", DEVELOPED), ("kept apart", KEPT)):
        own = [row for row in rows if row["machine"] in some]
        if not own:
            continue
        fit, model = means(own), means(own, "model")
        worst = max(own, key=lambda row: row["fit"] / row["baseline"])
        lines.append(
            f"{words}: mean over machines {np.mean(list(fit.values())):.3f} (physically consistent model alone "
            f"{np.mean(list(model.values())):.3f}); "
            f"largest machine {max(fit.values()):.3f} ({max(fit, key=lambda m: fit[m])}); "
            f"largest pair {worst['fit'] / worst['baseline']:.3f} ({worst['machine']}, {worst['pair']}); "
            f"{sum(row['fit'] > 1.15 * row['baseline'] for row in own)} of {len(own)} pairs above 1.15, "
            f"{sum(row['fit'] < row['baseline'] for row in own)} below 1"
        )
    return lines


def table(rows: list[dict[str, Any]]) -> list[str]:
    """As Markdown; NRMSE in per cent, against the torque as measured in brackets."""
    head = [
        "machine",
        "fitted -> predicted",
        "scored at",
        "nominal",
        "baseline",
        "bifilar fit",
        "ratio",
        "consistent",
        "predictor",
    ]
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for row in rows:
        cut = CUTOFFS[row["machine"]]
        free = "-" if row["predictor"] is None else f"{100 * row['predictor']:.3g}"
        cells = [
            row["machine"],
            row["pair"] + (" (refused by checks, fitted with --anyway)" if row["refused"] else ""),
            "as logged" if cut is None else f"{cut:g} Hz",
            f"{100 * row['nominal']:.3g}",
            f"{100 * row['baseline']:.3g} ({100 * row['raw_baseline']:.3g})",
            f"{100 * row['fit']:.3g} ({100 * row['raw']:.3g})",
            f"{row['fit'] / row['baseline']:.3f}",
            f"{100 * row['model']:.3g}",
            free,
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def written(rows: list[dict[str, Any]]) -> None:
    """The part of the page between its marks."""
    text = PAGE.read_text("utf-8")
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    by_machine = [f"| {m} | {a:.3f} | {b:.3f} |" for (m, a), b in zip(means(rows).items(), means(rows, "model").values())]
    content = [
        *table(rows),
        "",
        "| machine | bifilar fit / baseline | consistent model / baseline |",
        "|---|---|---|",
        *by_machine,
        "",
    ]
    content += [f"- {line}" for line in summary(rows)]
    PAGE.write_text(f"{before}{BEGIN}\n" + "\n".join(content) + f"\n{END}{after}", "utf-8")


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--machines", nargs="+", default=[*DEVELOPED, *KEPT], choices=[*DEVELOPED, *KEPT])
    parser.add_argument("--pairs", type=int, default=6, help="at most so many of each machine")
    parser.add_argument("--write", action="store_true", help="write docs/real_data.md")
    parser.add_argument("--json", help="file for all numbers")
    given = parser.parse_args()
    rows = []
    for machine in given.machines:
        for pair in list(pairs(machine))[: given.pairs]:
            rows.append(scored(pair))
            row = rows[-1]
            print(
                f"{machine}, {pair.name}: {100 * row['fit']:.2f} % against {100 * row['baseline']:.2f} %, "
                f"ratio {row['fit'] / row['baseline']:.3f}, model alone {row['model'] / row['baseline']:.3f}, "
                f"{row['seconds']} s",
                flush=True,
            )
    for machine, ratio in means(rows).items():
        print(f"{machine}: {ratio:.3f}")
    print(*summary(rows), sep="\n")
    print(f"{platform.machine()}, NumPy {np.__version__}, bifilar {bf.__version__}")
    if given.json:
        Path(given.json).write_text(json.dumps(rows, indent=1))
    if given.write:
        written(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())

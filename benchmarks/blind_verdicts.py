"""Verdicts of `bifilar fit` on the pairs of `make study-blind`: of the model, and of each file that is handed over.

    python benchmarks/blind_verdicts.py --write                     the table of docs/real_data.md
    python benchmarks/blind_verdicts.py --machines tiago --pairs 1  some of it, printed

Each pair is fitted and tested by the command line's own function with its default options. Logs that checks refuse are fitted
with --anyway, and marked. NRMSE are those of the run: on the test part, torque and prediction filtered as the fit filters them.
Masses are those of all moving links together, and of the link that differs most from its nominal mass.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from blind_pairs import DEVELOPED, KEPT, Pair, pairs

import bifilar as bf
from bifilar.cli.fit import Settings
from bifilar.cli.fit_run import Fitted, fitted
from bifilar.errors import Note, RecordingError

PAGE = Path(__file__).resolve().parents[1] / "docs" / "real_data.md"
BEGIN, END = "<!-- verdicts -->", "<!-- end of verdicts -->"
FORMATS = ("URDF", "MJCF")
SAID = (
    "mistake.likely",
    "link.odd",
    "link.mass",
    "nominal.better_joints",
    "error.joints",
    "error.over_noise",
    "nominal.better",
)


def judged(pair: Pair) -> dict[str, Any]:
    """One line of the table."""
    with tempfile.TemporaryDirectory() as folder:
        names: dict[str, tuple[str, ...]] = {}
        for part in ("train", "test"):
            names[part] = tuple(str(Path(folder, f"{part}{k}.parquet")) for k in range(len(getattr(pair, part))))
            for name, recording in zip(names[part], getattr(pair, part)):
                recording.save(name)
        settings = {"robot": f"{pair.machine}:robot", "logs": names["train"], "test": names["test"], "no_page": True}
        refused = ""
        try:
            done = fitted(Settings(**settings))
        except RecordingError as error:
            refused = str(error.facts.get("finding", error.code))
            done = fitted(Settings(**settings, anyway=True))
    seen = done.verdict.validation
    assert seen is not None
    notes = [Note.of(reason) for reason in done.verdict.reasons]
    said = [str(note.facts.get("mistake", note.code)) for note in notes if note.code in SAID or note.code.startswith("status.")]
    return {
        "machine": pair.machine,
        "pair": pair.name,
        "refused": refused,
        "level": done.verdict.level,
        "why": list(dict.fromkeys(said)),
        "nominal": seen.described,
        "model": seen.relative,
        "predictor": None
        if done.predictor is None or done.predictor.validation is None
        else done.predictor.validation.relative,
        "files": {file.format: [file.level, file.relative_error] for file in done.files},
        "masses": masses(done),
        "reasons": [f"{note.code}: {note}" for note in notes],
    }


def masses(done: Fitted) -> dict[str, Any] | None:
    """Of all moving links, and of the one that differs most; nothing of base parameters."""
    if not isinstance(done.estimate, bf.Estimate):
        return None
    before, after = done.estimate.described.parameters(), done.estimate.parameters
    names = [name for name in after.names if name.endswith(".mass")]
    was, now = (np.array([values[name] for name in names]) for values in (before, after))
    worst = int(np.argmax(np.abs(np.log(np.maximum(now, 1e-9) / np.maximum(was, 1e-9)))))
    link = {"link": names[worst].removesuffix(".mass"), "nominal": float(was[worst]), "identified": float(now[worst])}
    return {"nominal": float(was.sum()), "identified": float(now.sum()), "worst": link}


def line(row: dict[str, Any]) -> str:
    """As Markdown."""
    files = []
    for format in FORMATS:
        level, error = row["files"].get(format, ("-", None))
        files.append("-" if error is None else f"{level} {100 * error:.3g}")
    mass = "-"
    if row["masses"] is not None:
        worst = row["masses"]["worst"]
        mass = f"{row['masses']['identified']:.3g} ({row['masses']['nominal']:.3g}); "
        mass += f"{worst['link']} {worst['identified']:.2g} ({worst['nominal']:.2g})"
    free = "-" if row["predictor"] is None else f"{100 * row['predictor']:.3g}"
    pair = row["pair"] + (f" (refused by checks: {row['refused']}; --anyway)" if row["refused"] else "")
    cells = [row["machine"], pair, row["level"], ", ".join(row["why"]) or "-", f"{100 * row['nominal']:.3g}"]
    cells += [f"{100 * row['model']:.3g}", free, *files, mass]
    return f"| {' | '.join(cells)} |"


HEAD = [
    "machine",
    "fitted -> tested",
    "verdict",
    "because of",
    "nominal",
    "model",
    "predictor",
    *FORMATS,
    "masses [kg] (nominal)",
]


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--machines", nargs="+", default=[*DEVELOPED, *KEPT], choices=[*DEVELOPED, *KEPT])
    parser.add_argument("--pairs", type=int, default=6, help="at most so many of each machine")
    parser.add_argument("--write", action="store_true", help="write docs/real_data.md")
    parser.add_argument("--json", help="file for all numbers")
    given = parser.parse_args()
    rows = []
    for machine in given.machines:
        for pair in list(pairs(machine))[: given.pairs]:
            rows.append(judged(pair))
            print(line(rows[-1]), flush=True)
            if given.json:
                Path(given.json).write_text(json.dumps(rows, indent=1))
    if given.write:
        text = PAGE.read_text("utf-8")
        before, _, rest = text.partition(BEGIN)
        _, _, after = rest.partition(END)
        content = "\n".join([f"| {' | '.join(HEAD)} |", "|---" * len(HEAD) + "|", *map(line, rows)])
        PAGE.write_text(f"{before}{BEGIN}\n{content}\n{END}{after}", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

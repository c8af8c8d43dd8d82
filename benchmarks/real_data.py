"""Public recordings beyond the study of the defaults: published numbers, one joint's friction, a person, a load.

    python benchmarks/real_data.py                     prints these parts of docs/real_data.md
    python benchmarks/real_data.py --write             and writes them

The table of held-out errors on that page is `make study-blind`. The functions here serve tests with fixed settings: what is
scored goes through the filter that the datasets state, torque and prediction alike.
"""

from __future__ import annotations

import argparse
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from real_cases import CASES as CASES
from real_cases import Case
from real_extra import consistency, franka_friction, payload, published
from real_human import human

import bifilar as bf
from bifilar.estimate.friction_choice import loaded
from bifilar.robot.friction import LoadDependent

PREPARED: dict[tuple[Any, ...], list[bf.Samples]] = {}
PAGE = Path(__file__).resolve().parents[1] / "docs" / "real_data.md"
BEGIN, END = "<!-- other recordings -->", "<!-- end of other recordings -->"


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


def extra() -> list[str]:
    """What is no line of the table."""
    return [*franka_friction(), "", *published(), "", *consistency(), "", *human(), "", *payload()]


def main() -> None:
    """Print, write."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--write", action="store_true", help="write docs/real_data.md")
    text = "\n".join(extra())
    print(text)
    if parser.parse_args().write:
        page = PAGE.read_text("utf-8")
        before, _, rest = page.partition(BEGIN)
        PAGE.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{rest.partition(END)[2]}", "utf-8")


if __name__ == "__main__":
    main()

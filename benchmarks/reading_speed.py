"""How fast a large text log is read, and in how much memory, beside Arrow and pandas on the same file.

    python benchmarks/reading_speed.py --megabytes 2000 --repeat 2 --check

Writes a CSV of a clock and 7 joints (position, velocity, torque; doubles with all their digits) into a temporary folder, and
reads it in fresh processes: streamed (nothing is kept: memory must not grow with the file), checked piece by piece, loaded
whole, by pyarrow.csv.read_csv and by pandas.read_csv. Prints one JSON: MB/s of wall time and of processor time (less
sensitive to what else the machine does), and the peak of resident memory.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from peak_memory import peak_megabytes

JOINTS = 7
NAMES = ["time [s]"] + [
    f"joint{k}.{what}" for what in ("position [rad]", "velocity [rad/s]", "torque [N m]") for k in range(1, 8)
]
LIMIT = 500  # [MB] resident while streaming


def write(path: Path, megabytes: float, rows: int = 20_000) -> None:
    """A log of that size: the same motion again and again, on a clock that goes on."""
    rng = np.random.default_rng(0)
    phase = 2 * np.pi * np.arange(rows)[:, None] / rows * np.arange(1, JOINTS + 1)
    table = np.hstack([np.sin(phase), np.cos(phase), 10 * np.sin(phase + 1)]) + 1e-3 * rng.normal(size=(rows, 3 * JOINTS))
    body = [",".join(map(repr, row)) for row in table.tolist()]
    start, written = 0, 0
    with open(path, "w", encoding="ascii") as file:
        file.write(",".join(NAMES) + "\n")
        while written < megabytes * 1e6:
            lines = "".join(f"{(start + k) / 1000!r},{line}\n" for k, line in enumerate(body))
            file.write(lines)
            start, written = start + rows, written + len(lines)


def streamed(path: str) -> int:
    """Read it in pieces and keep nothing."""
    from bifilar.recording.load import stream

    return sum(len(piece) for piece in stream(path))


def checked(path: str) -> int:
    """Check it piece by piece."""
    from bifilar.recording.load import stream

    return sum(len(piece) for piece in stream(path, rows=16384) if piece.check() is not None)


def loaded(path: str) -> int:
    """Read it whole."""
    from bifilar.recording.load import load

    return len(load(path))


def by_arrow(path: str) -> int:
    """Read it whole by Arrow."""
    import pyarrow.csv

    return int(pyarrow.csv.read_csv(path).num_rows)


def by_pandas(path: str) -> int:
    """Read it whole by pandas."""
    import pandas

    return len(pandas.read_csv(path))


WAYS = {"streamed": streamed, "checked": checked, "loaded": loaded, "pyarrow": by_arrow, "pandas": by_pandas}


def measure(way: str, path: str) -> dict[str, float]:
    """Read the file in this process, after a small one that loads the libraries."""
    with tempfile.TemporaryDirectory() as folder:
        small = Path(folder, "small.csv")
        write(small, 0.1, rows=300)
        WAYS[way](str(small))
    wall, processor = time.perf_counter(), time.process_time()
    rows = WAYS[way](path)
    wall, processor = time.perf_counter() - wall, time.process_time() - processor
    size = os.path.getsize(path) / 1e6
    return {
        "rows": rows,
        "megabytes_per_second": size / wall,
        "per_processor_second": size / processor,
        "peak_megabytes": peak_megabytes(),
    }


def fresh(ways: list[str], path: str, repeat: int) -> dict[str, dict[str, float]]:
    """The best of some runs of each in processes of their own; they take turns, so that a busy machine is unfair to none."""
    best: dict[str, dict[str, float]] = {}
    for _ in range(repeat):
        for way in ways:
            run = subprocess.run([sys.executable, __file__, "--way", way, "--file", path], capture_output=True, text=True)
            if run.returncode:
                best[way] = {"failed": run.returncode}  # an out-of-memory end, most likely
                continue
            found = json.loads(run.stdout)
            old = best.get(way, found)
            best[way] = {name: max(found[name], old.get(name, found[name])) for name in found}
    return {way: {name: round(value, 1) for name, value in run.items()} for way, run in best.items()}


def main() -> int:
    """Command line; exit code 1 if streaming is slower than 0.8 of the others, or takes too much memory."""
    parser = argparse.ArgumentParser(description="Reading speed of a large text log.")
    parser.add_argument("--megabytes", type=float, default=200)
    parser.add_argument("--repeat", type=int, default=2)
    parser.add_argument("--check", action="store_true", help="also check it piece by piece")
    parser.add_argument("--whole", action="store_true", help="also load it whole by all three, whatever memory that takes")
    parser.add_argument("--way", choices=WAYS, help=argparse.SUPPRESS)
    parser.add_argument("--file", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.way:
        print(json.dumps(measure(options.way, options.file)))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "large.csv")
        write(path, options.megabytes)
        ways = ["streamed", "checked"] if options.check else ["streamed"]
        ways += ["loaded", "pyarrow", "pandas"] if options.whole or options.megabytes <= 500 else []
        found = fresh(ways, str(path), options.repeat)
        size = path.stat().st_size / 1e6
    speeds = {way: run["megabytes_per_second"] for way, run in found.items() if "megabytes_per_second" in run}
    ratio = {way: round(speeds["streamed"] / speeds[way], 2) for way in ("pyarrow", "pandas") if way in speeds}
    memory = max(found[way].get("peak_megabytes", np.inf) for way in found if way in ("streamed", "checked"))
    passed = memory < LIMIT and (not ratio or min(ratio.values()) >= 0.8)
    print(json.dumps({"megabytes": round(size), **found, "streamed_against": ratio, "passed": bool(passed)}, indent=2))
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())

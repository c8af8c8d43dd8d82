"""Time of walking behind a filter: one run of five seconds, and a thousand runs of a table's cell on two processors.

    python benchmarks/walking_speed.py [--runs 1000] [--jobs 2] [--json]

Asked: a closed-loop run with an unscented filter in 0.5 s of one core, a thousand runs of a cell in 5 min on two.
"""

from __future__ import annotations

import argparse
import json
from time import perf_counter, process_time

from bifilar.papers.dolinsky_online import cell
from bifilar.papers.dolinsky_scene import loop_of, run_of
from bifilar.walking.sensor_set import KINDS


def one_run(sensors: str, repeats: int = 10) -> float:
    """Processor seconds of one run: the least of several."""
    loop, times = loop_of("UKF", sensors), []
    for seed in range(repeats + 1):
        begun = process_time()
        run_of(loop, seed)
        times.append(process_time() - begun)
    return min(times[1:])


def main() -> None:
    """Both figures for every set of sensors, the cell for the slowest."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    single = {sensors: one_run(sensors) for sensors in KINDS}
    slowest = max(single, key=lambda sensors: single[sensors])
    begun = perf_counter()
    cell("UKF", slowest, given.runs, jobs=given.jobs)
    whole = perf_counter() - begun
    if given.json:
        print(json.dumps({"run_seconds": single, "cell": slowest, "runs": given.runs, "cell_seconds": whole}))
        return
    for sensors, seconds in single.items():
        print(f"one run of 5 s, UKF, {sensors}: {seconds:.3f} s of one core")
    print(f"{given.runs} runs of the cell '{slowest}' on {given.jobs} processes: {whole:.0f} s")


if __name__ == "__main__":
    main()

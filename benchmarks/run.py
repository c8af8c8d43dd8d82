"""`make bench`: one JSON with everything measured in one run, each demand beside its figure."""

from __future__ import annotations

import json
import os
import platform
import sys
from pathlib import Path

import code_speed
import design_speed
import estimate_speed
import online_speed
import reduction_speed
import regressor_speed
import report_size
import stance_speed
import startup_time

from bifilar.dynamics.parallel import thread_count


def demands(results: dict) -> list[dict[str, object]]:
    """What is asked for, what was measured, whether it holds."""
    plain, extra, start = results["panda"], results["panda_with_drive_columns"], results["startup_seconds"]
    table = [
        ("Pinocchio loop / ours, consumed in cache", ">=", 20, plain["ratio_in_cache"]),
        ("Pinocchio loop / ours, dense on one thread", ">=", 10, plain["ratio_dense_one_thread"]),
        ("the same with drive columns, in cache", ">=", 15, extra["ratio_in_cache"]),
        ("the same with drive columns, dense", ">=", 7, extra["ratio_dense_one_thread"]),
        ("dense on all threads / memory-write limit", "<=", 2, plain["dense_all_threads_over_write_limit"]),
        ("reduction to base columns, us per sample, one thread", "<=", 1.6, results["reduction"]["us_one_thread"]),
        ("ten million samples, MB", "<", 500, results["ten_million_samples"]["peak_megabytes"]),
        ("import, s", "<", 0.3, start["import_bifilar"]),
        ("slowest first call after install, s", "<=", 8, max(start["first_call_cold_cache"].values())),
        ("first result, warm cache, s", "<", 0.8, max(start["first_result_warm_cache"].values())),
        *design_speed.demands(results["design"]),
        *estimate_speed.demands(results["estimate"]),
        *report_size.demands(results["report"]),
        *online_speed.demands(results["online"]),
        *code_speed.demands(results["code"]),
        *stance_speed.demands(results["stance"]),
    ]
    holds = {">=": lambda x, y: x >= y, "<=": lambda x, y: x <= y, "<": lambda x, y: x < y}
    return [
        {"demand": f"{name} {sign} {bound}", "measured": value, "met": holds[sign](value, bound)}
        for name, sign, bound, value in table
    ]


def processor() -> str:
    """What the machine says of itself."""
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    told = {key.strip(): value.strip() for key, _, value in (line.partition(":") for line in lines[:30])}
    family = f", family {told['cpu family']}" if "cpu family" in told else ""
    wide = "AVX-512" if "avx512f" in told.get("flags", "") else "AVX2" if "avx2" in told.get("flags", "") else ""
    return f"{told.get('model name', platform.machine())}{family}{', ' + wide if wide else ''}"


def main() -> None:
    """Measure, print."""
    steps = {
        "panda": lambda: regressor_speed.panda(extra=False),
        "panda_with_drive_columns": lambda: regressor_speed.panda(extra=True),
        "humanoid_30_joints_floating": regressor_speed.humanoid,
        "reduction": reduction_speed.speed,
        "ten_million_samples": reduction_speed.memory,
        "startup_seconds": startup_time.measure,
        "design": design_speed.measure,
        "estimate": estimate_speed.measure,
        "report": report_size.measure,
        "online": online_speed.measure,
        "code": code_speed.measure,
        "stance": stance_speed.measure,
    }
    results: dict = {"machine": {"processor": processor(), "threads": thread_count()}}
    results["machine"]["load_before"] = round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None
    for name, step in steps.items():
        print(f"measuring {name} ...", file=sys.stderr)
        results[name] = step()
    print(json.dumps({**results, "demands": demands(results)}, indent=2))


if __name__ == "__main__":
    main()

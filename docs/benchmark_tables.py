"""The tables of docs/benchmarks.md, and the speeds of the README, from what commands print.

bifilar benchmark-methods --json > methods.json
make bench > bench.json
python docs/benchmark_tables.py methods.json bench.json
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

PAGE = Path(__file__).with_name("benchmarks.md")
README = Path(__file__).resolve().parents[1] / "README.md"


def table(head: list[str], rows: list[list[str]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def methods(said: dict[str, Any]) -> str:
    """Every method at every noise level, as the study summarised them."""
    head = ["method", "noise", "error, %", "bias, %", "spread, %", "torque, %", "95 % interval covers, %", "failed"]
    rows = []
    for row in said["summaries"]:
        shares = [_percent(row.get(key)) for key in ("error", "bias", "spread", "torque", "coverage")]
        rows.append([row["method"], row["noise"], *shares, f"{row['failures']} of {row['runs']}"])
    return table(head, rows)


def speed(said: dict[str, Any]) -> str:
    """What was asked for beside what was measured."""
    rows = [[row["demand"], f"{row['measured']:g}", "yes" if row["met"] else "**no**"] for row in said["demands"]]
    return table(["demand", "measured", "met"], rows)


def _percent(share: Any) -> str:
    return "-" if share is None else f"{100 * float(share):.3g}"


def page(study: dict[str, Any], bench: dict[str, Any]) -> str:
    """The whole page."""
    machine = bench["machine"]
    return f"""# Methods and speed

Made by `python docs/benchmark_tables.py methods.json bench.json` from the output of two commands; run them to have your
machine's figures. Errors on real machines are on a [page of their own](real_data.md).

## Every method on the same recordings

`bifilar benchmark-methods --json`: a virtual {study["robot"]} whose parameters are known. Noise reaches the loop as well as
the log. Starts are descriptions wrong by 15 %. *error* is the mean relative error of the base parameters that act, *bias* and
*spread* its two parts, *torque* the error along another motion without noise. Nothing is dropped: a failed run counts. Noise is
{levels(study)}. So few runs tell coverage only roughly; `make study-noise-colour` counts a thousand.

{methods(study)}

## Speed

`make bench` on {machine["threads"]} threads ({machine["processor"]}), the last run that was kept{busy(machine)}.
What is missed is in bold.

{speed(bench)}
"""


def readme_speed(bench: dict[str, Any]) -> str:
    """The README's section."""
    panda, drives, reduction = bench["panda"], bench["panda_with_drive_columns"], bench["reduction"]
    whole, start = bench["ten_million_samples"], bench["startup_seconds"]
    first, warm = start["first_call_cold_cache"].values(), start["first_result_warm_cache"].values()
    rows = [
        ("a Python loop over Pinocchio that stores the regressor", f"{panda['us_pinocchio_loop']:.2f}"),
        ("regressor, consumed in the cache (`robot.parameter_gradient`), one thread", f"{panda['us_in_cache']:.2f}"),
        (
            "dense regressor written to memory, one thread / two",
            f"{panda['us_dense_one_thread']:.2f} / {panda['us_dense_all_threads']:.2f}",
        ),
        ("memset of the same bytes, two threads", f"{panda['us_write_limit_all_threads']:.2f}"),
        (
            f"dense with friction, offset and rotor columns, one thread (the loop: {drives['us_pinocchio_loop']:.2f})",
            f"{drives['us_dense_one_thread']:.2f}",
        ),
        (
            f"reduction to {reduction['columns']} base columns, one thread / two",
            f"{reduction['us_one_thread']:.2f} / {reduction['us_all_threads']:.2f}",
        ),
    ]
    machine = bench["machine"]
    return f"""## Speed

From one run of `make bench` on two virtual cores of {machine["processor"]}{busy(machine)}:
Panda, 7 joints, medians of 15 interleaved repeats. The same command prints your machine's figures as JSON, each beside what it
is meant to reach; [docs/benchmarks.md](docs/benchmarks.md) has all of them.

{table(["", "µs per sample"], [list(row) for row in rows])}

Ten million samples were reduced in {whole["seconds"]} s and {whole["peak_megabytes"]} MB. The first call of a function
compiles its kernels ({min(first):.1f} to {max(first):.1f} s), later processes have their first result after {max(warm):.1f} s.
From 100,000 samples to a robot whose links can exist: {bench["estimate"]["consistent_seconds"]:.2f} s with default settings.

"""


def busy(machine: dict[str, Any]) -> str:
    """Whether others used the processors meanwhile."""
    load = machine.get("load_before") or 0.0
    return f" (others worked on it meanwhile, load {load:g}: times are too long)" if load > 1.0 else ""


def levels(study: dict[str, Any]) -> str:
    """Noise levels in words."""
    told = [f"*{level['name']}*: {level['position']:g} rad and {level['torque']:g} N m" for level in study["levels"]]
    return ", ".join(told)


if __name__ == "__main__":
    study, bench = (json.loads(Path(name).read_text("utf-8")) for name in sys.argv[1:3])
    PAGE.write_text(page(study, bench), encoding="utf-8")
    before, after = README.read_text("utf-8").split("## Speed\n")[0], README.read_text("utf-8").split("## Name and licence")[1]
    README.write_text(f"{before}{readme_speed(bench)}## Name and licence{after}", encoding="utf-8")

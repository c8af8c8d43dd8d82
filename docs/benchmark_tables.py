"""The tables of docs/benchmarks.md from what commands print: methods on a virtual arm, and speed.

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
{levels(study)}. So few runs tell coverage only roughly; `make study-coverage` counts a thousand.

{methods(study)}

## Speed

`make bench` on {machine["threads"]} threads ({machine["processor"]}), the last run that was kept{busy(machine)}:

{speed(bench)}
"""


def busy(machine: dict[str, Any]) -> str:
    """Whether others used the processors meanwhile."""
    load = machine.get("load_before") or 0.0
    return f"; others worked on the machine meanwhile (load {load:g}), so times are too long" if load > 0.5 else ""


def levels(study: dict[str, Any]) -> str:
    """Noise levels in words."""
    told = [f"*{level['name']}*: {level['position']:g} rad and {level['torque']:g} N m" for level in study["levels"]]
    return ", ".join(told)


if __name__ == "__main__":
    study, bench = (json.loads(Path(name).read_text("utf-8")) for name in sys.argv[1:3])
    PAGE.write_text(page(study, bench), encoding="utf-8")

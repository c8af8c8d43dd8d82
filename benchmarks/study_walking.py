"""Walking behind filters, chapter 4 of Dolinsky 2017 and beyond: every part with its demands.

    python benchmarks/study_walking.py [--runs 50] [--only "Table 4.2"] [--jobs 2] [--json FILE]

The same parts stand on the page of `bifilar reproduce dolinsky2017`.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from time import perf_counter

from bifilar.papers.claims import Reproduction
from bifilar.papers.dolinsky_online_parts import online_parts


def main() -> None:
    """Parts one after the other, claims and tables as text."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=50, help="per cell of a table")
    parser.add_argument("--only", action="append", help="name of a part; may be given again")
    parser.add_argument("--jobs", type=int, default=None, help="processes")
    parser.add_argument("--json", type=Path, default=None, help="all numbers, into this file")
    given = parser.parse_args()
    parts = []
    for name, step in online_parts(given.runs, jobs=given.jobs).items():
        if given.only and name not in given.only:
            continue
        begun = perf_counter()
        part = step(None)
        parts.append(part)
        print(f"\n{part.title} ({perf_counter() - begun:.0f} s)")
        for row in part.table:
            print("   ", " | ".join(str(cell) for cell in row))
        for claim in part.claims:
            mark = {True: "met   ", False: "MISSED", None: "      "}[claim.good]
            print(mark, claim.what, "->", claim.ours, f"[{claim.asked}]" if claim.asked else "", flush=True)
    if given.json is not None:
        given.json.write_text(json.dumps(Reproduction("dolinsky2017", "", "", tuple(parts)).facts()))


if __name__ == "__main__":
    main()

"""The command line that all fuzzers share: how many cases, from which seed; one JSON, exit code 1 unless all passed."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping


def fuzz_main(words: str, count: int, run: Callable[[int, int], Mapping[str, object]]) -> int:
    """Ask, run, print."""
    parser = argparse.ArgumentParser(description=words)
    parser.add_argument("--count", type=int, default=count)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    summary = run(options.count, options.seed)
    print(json.dumps(summary, indent=2))
    return 0 if summary["passed"] else 1

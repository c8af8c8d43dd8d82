"""Fuzzing watched: cases run in child processes under a limit of memory; what hangs or escapes is told by its case.

A fuzzer is a module with `seeds()`, `case(number, seed, sources)` (what it is, file name, content), `prepare(folder)` and
`one(name, content, folder)`, whose outcome is one of `GOOD` or else a failure. Every case has ten seconds of processor time,
every child may grow by 300 MB beyond what it began with; the parent ends a child that is held up by one case. Prints one JSON;
exit code 1 if anything else than a BifilarError escaped or a limit was passed.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from importlib import import_module
from pathlib import Path
from typing import Any

from peak_memory import peak_megabytes

SECONDS = 10
MEGABYTES = 300


def _alarm(*_: object) -> None:
    raise TimeoutError(f"more than {SECONDS} s")


def fuzz(module: str, count: int, seed: int, first: int = 0, at: Any = None) -> dict[str, Any]:
    """Run cases in this process; the summary. `at` is told which case is in work."""
    fuzzer = import_module(module)
    outcomes: Counter[str] = Counter()
    failures: list[dict[str, str]] = []
    slowest, sources = (0.0, ""), fuzzer.seeds()
    watch = hasattr(signal, "setitimer")  # processor time: other programs may leave little of the other kind
    if watch:
        signal.signal(signal.SIGPROF, _alarm)
    begin = time.perf_counter()
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=memory) as place, warnings.catch_warnings():
        warnings.simplefilter("error")
        folder = Path(place)
        fuzzer.prepare(folder)
        before = peak_megabytes()
        for number in range(first, first + count):
            what, name, data = fuzzer.case(number, seed, sources)
            if at is not None:
                at.value = number
            start = time.perf_counter()
            if watch:
                signal.setitimer(signal.ITIMER_PROF, SECONDS)
            try:
                outcome = fuzzer.one(name, data, folder)
            except (Exception, MemoryError) as error:
                outcome = type(error).__name__
                last = traceback.extract_tb(error.__traceback__)[-1]
                failures.append({"case": what, "error": repr(error)[:200], "at": f"{Path(last.filename).name}:{last.lineno}"})
            finally:
                if watch:
                    signal.setitimer(signal.ITIMER_PROF, 0)
            if outcome not in fuzzer.GOOD and (not failures or failures[-1]["case"] != what):
                failures.append({"case": what, "error": outcome[:200], "at": ""})
                outcome = outcome.split(":")[0]
            outcomes[outcome] += 1
            slowest = max(slowest, (time.perf_counter() - start, what))
    grown = peak_megabytes() - before
    return {
        "count": count,
        "seed": seed,
        "outcomes": dict(outcomes),
        "seconds": round(time.perf_counter() - begin, 1),
        "slowest": {"ms": round(1e3 * slowest[0], 1), "case": slowest[1]},
        "grown_megabytes": round(grown, 1),
        "failures": failures[:20],
        "passed": not failures and grown < MEGABYTES,
    }


def _child(module: str, count: int, seed: int, first: int, at: Any, answer: Any) -> None:
    """Cases under a hard limit of address space, where the system has one, once libraries and their threads are there."""
    fuzz(module, 100, seed + 1)
    try:
        import resource

        size = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        room = size + MEGABYTES * 2**20
        resource.setrlimit(resource.RLIMIT_AS, (room, room))
    except (ImportError, OSError):
        pass
    answer.put(fuzz(module, count, seed, first, at))


def watched(module: str, count: int, seed: int, chunk: int = 5000) -> dict[str, Any]:
    """Run cases in children, some at a time; a child that hangs is ended and counts as a failure."""
    begin, total, failures = time.perf_counter(), Counter[str](), []
    slowest: dict[str, Any] = {"ms": 0.0}
    grown = 0.0
    context = multiprocessing.get_context("spawn")
    os.environ.update(MALLOC_ARENA_MAX="1", ARROW_IO_THREADS="1")  # address space that is reserved per thread is no memory
    first = 0
    while first < count:
        todo = min(chunk, count - first)
        at, answer = context.Value("q", -1), context.Queue()
        child = context.Process(target=_child, args=(module, todo, seed, first, at, answer))
        child.start()
        found = _waited(child, at, answer)
        if found is None:
            failures.append({"case": str(at.value), "error": f"the child was ended, exit code {child.exitcode}", "at": ""})
            first = max(at.value, first) + 1
            continue
        total.update(found["outcomes"])
        failures += found["failures"]
        grown = max(grown, found["grown_megabytes"])
        slowest = max(slowest, found["slowest"], key=lambda one: one["ms"])
        first += todo
        print(f"{first} of {count}: {dict(total)}", file=sys.stderr)
    return {
        "count": count,
        "seed": seed,
        "outcomes": dict(total),
        "seconds": round(time.perf_counter() - begin, 1),
        "slowest": slowest,
        "grown_megabytes": grown,
        "failures": failures[:20],
        "passed": not failures and grown < MEGABYTES,
    }


def _waited(child: Any, at: Any, answer: Any) -> dict[str, Any] | None:
    last, since = -2, time.perf_counter()
    while True:
        try:
            found: dict[str, Any] = answer.get(timeout=0.5)
        except Exception:
            if at.value != last:
                last, since = at.value, time.perf_counter()
            patience = 12 * SECONDS if last >= 0 else 120 * SECONDS  # -1: libraries are being loaded
            if not child.is_alive() or time.perf_counter() - since > patience:
                child.kill()
                child.join()
                return None
            continue
        child.join()
        return found


def command_line(module: str, words: str, count: int) -> int:
    """Ask how many cases from which seed, run them, print."""
    parser = argparse.ArgumentParser(description=words)
    parser.add_argument("--count", type=int, default=count)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    summary = watched(module, asked.count, asked.seed)
    print(json.dumps(summary, indent=2))
    return 0 if summary["passed"] else 1

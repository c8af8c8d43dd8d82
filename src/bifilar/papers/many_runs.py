"""Monte Carlo studies of papers: many seeds over all processors, and what is said about their spread."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bifilar.dynamics.tree import Array

FEW = 8  # runs that no other process is started for
BLOCKS = 40  # that are told of
Told = Callable[[str, float], Any]  # what begins, and which share of the part it is


def many_runs(
    run: Callable[[int], Any], seeds: Sequence[int], *, jobs: int | None = None, tell: Told | None = None
) -> list[Any]:
    """run(seed) of every seed, in their order. `run` is a function of a module, or a partial of one.

    `tell`: hears of every block that begins, as words and as a share of the whole.

    >>> many_runs(abs, [-1, -2])
    [1, 2]
    """
    workers = min(jobs or os.cpu_count() or 1, len(seeds))
    many = workers > 1 and len(seeds) >= FEW
    done: list[Any] = []
    with ProcessPoolExecutor(workers) if many else nullcontext() as pool:
        results = map(run, seeds) if pool is None else pool.map(run, seeds, chunksize=max(1, len(seeds) // (16 * workers)))
        block = max(1, len(seeds) // BLOCKS)
        for start in range(0, len(seeds), block):
            count = min(block, len(seeds) - start)
            if tell is not None:
                tell(f"{start} of {len(seeds)} runs", count / len(seeds))
            done += islice(results, count)
    return done


def mean_interval(values: ArrayLike) -> tuple[float, float, float]:
    """Mean of those that are numbers, and its 95 % interval by resampling.

    >>> mean_interval([1.0, 1.0, np.nan])
    (1.0, 1.0, 1.0)
    """
    known = np.asarray(values, dtype=float)
    known = known[np.isfinite(known)]
    if not len(known):
        return (float("nan"),) * 3
    rng = np.random.default_rng(0)
    means: Array = rng.choice(known, (1000, len(known))).mean(axis=1)
    low, high = np.quantile(means, [0.025, 0.975])
    return float(known.mean()), float(low), float(high)


def share_interval(hits: int, runs: int) -> tuple[float, float, float]:
    """Share of hits and its 95 % interval (Clopper and Pearson).

    >>> [round(x, 3) for x in share_interval(50, 50)]
    [1.0, 0.929, 1.0]
    """
    from scipy.stats import beta

    low = 0.0 if hits == 0 else float(beta.ppf(0.025, hits, runs - hits + 1))
    high = 1.0 if hits == runs else float(beta.ppf(0.975, hits + 1, runs - hits))
    return hits / runs, low, high

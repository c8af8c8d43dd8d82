"""Whether one model predicts better than another, or the stretches that happened to be predicted say so: a paired bootstrap.

    ratio = sqrt(sum of ours / sum of theirs)          squares of the errors of both, piece of time by piece of time

Blocks of consecutive pieces are drawn with repetition, anywhere and round the end (circular moving blocks), for both models the
same: what is hard for both cancels. Blocks are eight times as long as the pieces' differences stay correlated, so nothing is
assumed about that; the deviation of the drawn logarithms and Student's t make the interval. Both models stay as
fitted: the interval is about the motion that is predicted, not about the fit.

    python benchmarks/paired_blocks.py        how often it holds a ratio that is known
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.signal import lfilter
from scipy.stats import t as student

Array = NDArray[np.float64]

DRAWS = 4000
LONGER = 8  # blocks over the memory of what they are drawn from
SHORTEST = 5  # pieces of a block
FEWEST = 10  # blocks in all
QUIET = 5  # lags in a row without correlation end the memory


def ratio_interval(ours: ArrayLike, theirs: ArrayLike, block: int, *, level: float = 0.95) -> tuple[float, float, float]:
    """Root of the ratio of sums of squares, and its interval.

    >>> ratio_interval([4.0] * 50, [1.0] * 50, 5)
    (2.0, 2.0, 2.0)
    """
    pairs = np.stack([np.asarray(ours, dtype=float), np.asarray(theirs, dtype=float)])
    count = pairs.shape[1]
    around = np.concatenate([np.zeros((2, 1)), np.cumsum(np.concatenate([pairs, pairs[:, :block]], axis=1), axis=1)], axis=1)
    sums = around[:, block : block + count] - around[:, :count]  # of the block that begins at each piece
    starts = np.random.default_rng(0).integers(count, size=(DRAWS, max(2, round(count / block))))
    drawn = sums[:, starts].sum(axis=2)
    ratio = float(np.sqrt(pairs[0].sum() / pairs[1].sum()))
    blocks = starts.shape[1]
    deviation = float(np.std(np.log(drawn[0] / drawn[1]) / 2)) * np.sqrt(blocks / (blocks - 1))
    reach = float(np.exp(student.ppf(0.5 + level / 2, blocks - 1) * deviation))  # few blocks know their deviation badly
    return ratio, ratio / reach, ratio * reach


def memory(ours: ArrayLike, theirs: ArrayLike) -> int:
    """Pieces over which the difference that decides the ratio stays correlated (as Politis and White 2004 look for it).

    >>> memory([1.0, 2.0] * 50, [1.0, 2.0] * 50)
    0
    """
    a, b = np.asarray(ours, dtype=float), np.asarray(theirs, dtype=float)
    d = a - b * (a.sum() / b.sum())  # its mean is zero
    count, power = len(d), float(d @ d)
    if power <= 1e-24 * float(a @ a):
        return 0
    lags = np.array([d[: count - k] @ d[k:] for k in range(1, count // 2)]) / power
    quiet = np.abs(lags) < 2 * np.sqrt(np.log10(count) / count)
    return next((k for k in range(len(quiet) - QUIET) if quiet[k : k + QUIET].all()), len(quiet))


def block_length(pairs: list[tuple[Array, Array]]) -> tuple[int, int]:
    """Pieces of a block that suits all of these pairs, and their longest memory.

    >>> block_length([(np.ones(100), np.ones(100))])
    (5, 0)
    """
    longest = max(memory(*pair) for pair in pairs)
    return min(max(LONGER * longest, SHORTEST), len(pairs[0][0]) // FEWEST), longest


def noise_pair(rng: np.random.Generator, count: int, stays: float, ratio: float) -> tuple[Array, Array]:
    """Squares of two errors of known ratio: each follows itself from piece to piece, and both share most of it.

    >>> noise_pair(np.random.default_rng(0), 50, 0.8, 1.1)[0].shape
    (50,)
    """
    noise = rng.normal(size=(2, count + 200))
    noise[1] = 0.95 * noise[0] + np.sqrt(1 - 0.95**2) * noise[1]
    ours, theirs = lfilter([1.0], [1.0, -stays], noise, axis=1)[:, 200:]
    return (ratio * ours) ** 2, theirs**2


def main() -> None:
    """How often intervals hold a known ratio: blocks as long as wanted, and blocks that are cut to a tenth of the whole."""
    for count, stays in ((800, 0.0), (800, 0.8), (600, 0.95)):
        rng, hits = np.random.default_rng(7), 0
        for _ in range(500):
            pair = noise_pair(rng, count, stays, 1.1)
            block, longest = block_length([pair])
            _, low, high = ratio_interval(*pair, block)
            hits += low <= 1.1 <= high
        print(f"{count} pieces that keep {stays:g} of the one before, last block {block} of memory {longest}: {hits / 5:.1f} %")


if __name__ == "__main__":
    main()

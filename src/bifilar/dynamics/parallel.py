"""Long work over samples, split over the cores.

Kernels release the interpreter lock, so plain threads suffice. `BIFILAR_THREADS` or `threads(n)` set how many.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from typing import TypeVar

from bifilar.errors import BifilarError

MOST_THREADS = 1024

_limit: int | None = None
Item = TypeVar("Item")
Result = TypeVar("Result")


def thread_count() -> int:
    """How many threads are used: the cores this process may run on, unless told otherwise.

    >>> thread_count() >= 1
    True
    """
    if _limit is not None:
        return _limit
    asked = os.environ.get("BIFILAR_THREADS", "").strip()
    if asked:
        if not asked.isdecimal() or not 0 < int(asked) <= MOST_THREADS:
            where = "environment variable BIFILAR_THREADS"
            raise BifilarError("threads.count/environment", where=where, asked=asked[:20], most=MOST_THREADS)
        return int(asked)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def threads(count: int) -> Iterator[None]:
    """Use so many threads inside the block.

    >>> with threads(1):
    ...     thread_count()
    1
    """
    global _limit
    if count < 1:
        raise BifilarError("threads.count", count=count)
    previous, _limit = _limit, count
    try:
        yield
    finally:
        _limit = previous


@cache
def _pool(count: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(count, thread_name_prefix="bifilar")


if hasattr(os, "register_at_fork"):  # threads do not survive a fork; a child that waited for them would wait for ever
    os.register_at_fork(after_in_child=_pool.cache_clear)


def in_parallel(work: Callable[[int, int, int], None], samples: int, *, grain: int) -> None:
    """Call work(part, start, stop) for consecutive ranges that cover all samples; at least `grain` samples each.

    Parts are numbered in the order of the samples, so that what they leave can be put together the same way every time.

    >>> done = []
    >>> in_parallel(lambda part, start, stop: done.append(stop - start), 10, grain=64)
    >>> done
    [10]
    """
    parts = min(thread_count(), samples // grain) if samples >= 2 * grain else 1
    if parts <= 1:
        work(0, 0, samples)
        return
    step = -(-samples // parts)
    step = -(-step // 64) * 64  # whole blocks
    ranges = [(start, min(start + step, samples)) for start in range(0, samples, step)]
    others = [_pool(parts - 1).submit(work, part, *span) for part, span in enumerate(ranges) if part]
    try:
        work(0, *ranges[0])  # this thread takes its share: one less to be woken up
    finally:
        for other in others:
            other.result()


def each_in_parallel(work: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
    """work(item) of every item, in their order; items are made in this thread while others work on those before.

    The work must not itself ask for this pool: it would wait for its own thread.

    >>> each_in_parallel(abs, [-3, 2])
    [3, 2]
    """
    count = thread_count()
    if count <= 1:
        return [work(item) for item in items]
    pending = [_work_pool(count).submit(work, item) for item in items]
    return [one.result() for one in pending]


@cache
def _work_pool(count: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(count, thread_name_prefix="bifilar-work")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_work_pool.cache_clear)

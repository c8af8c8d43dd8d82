"""Small matrices on one BLAS thread: several cost more in waiting for each other than they save, on a busy machine by far."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any

_guard, _users = Lock(), 0
_limit: Any = None


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """NumPy's linear algebra uses one thread inside the block.

    >>> with one_blas_thread():
    ...     float(np.linalg.norm([3.0, 4.0]))
    5.0
    """
    global _users, _limit
    with _guard:
        if _users == 0:
            _limit = _controller().limit(limits=1, user_api="blas")
        _users += 1
    try:
        yield
    finally:
        with _guard:  # the last one out puts back what the first one found
            _users -= 1
            if _users == 0:
                _limit.restore_original_limits()


@cache
def _controller() -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()

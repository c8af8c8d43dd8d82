"""Small matrices on one BLAS thread: several cost more in waiting for each other than they save, on a busy machine by far."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """NumPy's linear algebra uses one thread inside the block.

    >>> with one_blas_thread():
    ...     float(np.linalg.norm([3.0, 4.0]))
    5.0
    """
    with _controller().limit(limits=1, user_api="blas"):
        yield


@cache
def _controller() -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()

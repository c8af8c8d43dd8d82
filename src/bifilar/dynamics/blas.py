"""Small matrices on one BLAS thread: several cost more in waiting for each other than they save, on a busy machine by far."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any

import numpy as np

from bifilar.errors import SolveError

_guard, _users = Lock(), 0
_limits: list[Any] = []


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """NumPy's linear algebra uses one thread inside the block.

    >>> with one_blas_thread():
    ...     float(np.linalg.norm([3.0, 4.0]))
    5.0
    """
    global _users
    with _guard:
        if _users == 0:
            _limits.append(_controller().limit(limits=1, user_api="blas"))
        _users += 1
    try:
        yield
    finally:
        with _guard:  # the last one out puts back what the first one found
            _users -= 1
            if _users == 0:
                while _limits:
                    _limits.pop().restore_original_limits()


def singular() -> SolveError:
    """What stands in the place of NumPy's LinAlgError: a matrix has no inverse, to rounding.

    >>> singular().exit_code
    4
    """
    return SolveError("matrix.singular/blas")


@contextmanager
def singular_refused() -> Iterator[None]:
    """Around a calculation that users call: a singular matrix is refused in our words, not by a LinAlgError.

    >>> with singular_refused():
    ...     np.linalg.inv(np.zeros((2, 2)))
    Traceback (most recent call last):
    ...
    bifilar.errors.SolveError: the numbers do not determine an answer: a matrix is singular, to rounding
    ...
    """
    try:
        yield
    except np.linalg.LinAlgError as error:
        raise singular() from error


@cache
def _controller() -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


@cache
def lapack() -> Any:
    """SciPy's LAPACK, whose routines keep a factor as it is; on one thread where NumPy's is.

    >>> float(lapack().dtrtrs(np.array([[2.0]]), np.array([[6.0]]))[0][0, 0])
    3.0
    """
    import scipy.linalg.lapack as routines

    with _guard:
        _controller.cache_clear()  # SciPy brings a BLAS of its own
        if _users:
            _limits.append(_controller().limit(limits=1, user_api="blas"))
    return routines

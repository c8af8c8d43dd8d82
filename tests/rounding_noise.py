"""Another processor's rounding, on this one: results of linear algebra differ by the last bits, as the seed says.

Two BLAS kernels that sum in another order differ by a few units in the last place. Every matrix that goes into numpy.linalg is
multiplied, entry by entry, by 1 + eps * u with |u| <= SIZE: the algorithms there are backward stable, so their results move as
those of another processor would. Zeros stay zeros, and equal matrices get equal noise: a processor repeats itself.

    BIFILAR_ROUNDING_SEED=1 python -m pytest tests/laws/test_friction_choice.py
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

SIZE = 2.0  # units of relative machine precision
FUNCTIONS = ("qr", "svd", "eigh", "eigvalsh", "cholesky", "solve", "lstsq", "inv", "pinv", "eig", "eigvals", "slogdet", "det")
TWO_SIDED = ("solve", "lstsq")  # their second argument is data too


def install(seed: int) -> None:
    """Replace the functions of numpy.linalg for the rest of this process."""
    for name in FUNCTIONS:
        setattr(np.linalg, name, _noisy(getattr(np.linalg, name), seed, 2 if name in TWO_SIDED else 1))


def shaken(values: Any, seed: int, size: float = SIZE * np.finfo(float).eps) -> Any:
    """An array of floats with every entry changed by up to `size` of itself, as seed and values say; others as they are."""
    array = np.asarray(values)
    if array.dtype.kind not in "fc":
        return array
    rng = np.random.default_rng([seed, zlib.crc32(np.ascontiguousarray(array).tobytes())])
    return array * (1.0 + size * rng.uniform(-1.0, 1.0, array.shape))


def _noisy(function: Callable[..., Any], seed: int, count: int) -> Callable[..., Any]:
    @wraps(function)
    def noisy(*arguments: Any, **options: Any) -> Any:
        return function(*(shaken(x, seed) for x in arguments[:count]), *arguments[count:], **options)

    return noisy

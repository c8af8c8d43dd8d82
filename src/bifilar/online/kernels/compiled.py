"""How these functions are compiled: as those of `bifilar.dynamics.kernels`, with a cache folder named after these sources.

Numba does not see that a file which a kernel calls into has changed; the folder's name does.
"""

# mypy: ignore-errors
from __future__ import annotations

import hashlib
from functools import cache, cached_property
from pathlib import Path

from bifilar.dynamics.workspace import kernels

lanes = kernels(1, "lanes")
U, ZERO, ONE, TWO, THREE = lanes.U, lanes.ZERO, lanes.ONE, lanes.TWO, lanes.THREE
IN1, IN2, TABLE1, TABLE2, OUT1, OUT2 = (getattr(lanes, k) for k in ("IN1", "IN2", "TABLE1", "TABLE2", "OUT1", "OUT2"))
# Sums may be taken in any order, several at once. Comparisons with NaN and infinities stay as they are.
_SUMS = {"reassoc", "contract", "nsz"}


@cache
def _folder():
    digest = hashlib.sha256()
    for source in (*sorted(Path(__file__).parent.glob("*.py")), Path(__file__).parents[1] / "tables.py"):
        digest.update(source.read_bytes())
    return str(lanes.cache_folder() / f"online-{digest.hexdigest()[:12]}")


def _jit(function, signature=None, **options):
    return lanes.jit(function, signature, _folder, **options)


def kernel(function):
    """A function that other kernels call."""
    return _jit(function, no_cpython_wrapper=True, no_cfunc_wrapper=True)


def sums(function):
    """A kernel whose sums may be reordered."""
    return _jit(function, no_cpython_wrapper=True, no_cfunc_wrapper=True, fastmath=_SUMS)


class Entry:
    """A kernel called from Python, compiled at its first call."""

    def __init__(self, function, signature):
        self.function, self.signature = function, signature

    @cached_property
    def compiled(self):
        """The compiled function."""
        return _jit(self.function, self.signature)


def entry(*arguments):
    """Marks a kernel as callable from Python with these argument types."""
    return lambda function: Entry(function, lanes.types.void(*arguments))

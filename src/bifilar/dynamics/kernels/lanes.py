"""How many samples a block holds, and how a kernel is compiled and cached.

What makes LLVM vectorise these loops: unsigned 64-bit offsets (signed ones need an overflow check), one scratch array
with constant row strides (rows provably do not overlap), short loops, plain helper functions instead of inlined ones.

Numba notices that a function's own file changed, but not that a file it calls into did. The cache folder is therefore
named after a hash of all kernel sources; it lies in the user's cache, so a read-only installation works too.
"""

import hashlib
import math
import os
import sys
from functools import cache, cached_property
from pathlib import Path

import numba
import numpy as np
from numba import types

U = np.uint64
LANES = 1 if __name__.split(".")[-2].endswith("_1") else 64  # see bifilar.dynamics.fast.kernels
L = U(LANES)

IN1 = types.Array(types.float64, 1, "C", readonly=True)
IN2 = types.Array(types.float64, 2, "C", readonly=True)
TABLE1 = types.Array(types.uint64, 1, "C", readonly=True)
TABLE2 = types.Array(types.uint64, 2, "C", readonly=True)
OUT1 = types.float64[::1]
OUT2 = types.float64[:, ::1]
OUT3 = types.float64[:, :, ::1]
OUT4 = types.float64[:, :, :, ::1]
SIZE = types.uint64


@cache
def cache_folder() -> Path:
    """Where compiled kernels are kept: one folder per version of these sources and block size."""
    digest = hashlib.sha256(f"{numba.__version__} {np.__version__} {sys.version}".encode())
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.read_bytes())
    if os.environ.get("BIFILAR_CACHE"):
        home = Path(os.environ["BIFILAR_CACHE"])
    elif sys.platform == "win32":
        home = Path(os.environ.get("LOCALAPPDATA", Path.home())) / "bifilar"
    else:
        home = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "bifilar"
    return home / "kernels" / f"{digest.hexdigest()[:16]}-{LANES}"


def _jit(function, signature=None):
    """Compile, with the cache folder above; without a cache where no folder can be written."""
    options = {"fastmath": True, "nogil": True, "error_model": "numpy", "boundscheck": False}
    previous = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(cache_folder())
    try:
        return numba.njit(signature, cache=True, **options)(function)
    except RuntimeError:  # numba found no writable cache folder
        return numba.njit(signature, **options)(function)
    finally:
        numba.config.CACHE_DIR = previous


def kernel(function):
    """A helper that other kernels call; compiled with them."""
    return _jit(function)


class Entry:
    """A kernel called from Python: compiled for one signature, at its first call."""

    def __init__(self, function, signature):
        self.function = function
        self.signature = signature
        self.__doc__ = function.__doc__

    @cached_property
    def compiled(self):
        """The compiled function; other kernels may call it too."""
        return _jit(self.function, self.signature)

    def __call__(self, *arguments):
        self.compiled(*arguments)


def entry(*arguments):
    """Marks a kernel as callable from Python with these argument types."""
    return lambda function: Entry(function, types.void(*arguments))


# Quarter turns are removed with pi/2 in three parts (Cody and Waite 1980), exact for |x| < 1e5; then the minimax
# polynomials of fdlibm on +-pi/4. The library's own sine is scalar and would stop the loop from being vectorised.
HALF_PI = (1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21)
TWO_OVER_PI = 2.0 / math.pi


@numba.njit(fastmath=True, inline="always")
def sine_cosine(x):
    k = np.floor(x * TWO_OVER_PI + 0.5)
    r = ((x - k * HALF_PI[0]) - k * HALF_PI[1]) - k * HALF_PI[2]
    z = r * r
    s = 2.75573137070700676789e-06 + z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)
    s = 8.33333333332248946124e-03 + z * (-1.98412698298579493134e-04 + z * s)
    s = r + r * z * (-1.66666666666666324348e-01 + z * s)
    c = -2.75573143513906633035e-07 + z * (2.08757232129817482790e-09 - z * 1.13596475577881948265e-11)
    c = 4.16666666666666019037e-02 + z * (-1.38888888888741095749e-03 + z * (2.48015872894767294178e-05 + z * c))
    c = 1.0 - 0.5 * z + z * z * c
    quarter = k - 4.0 * np.floor(k * 0.25)
    swap = quarter - 2.0 * np.floor(quarter * 0.5) > 0.5
    sine = c if swap else s
    cosine = s if swap else c
    return (-sine if quarter > 1.5 else sine), (-cosine if 0.5 < quarter < 2.5 else cosine)

"""How many samples a block holds, and how a kernel is compiled and cached.

Kernels work on explicit vectors of WIDTH samples (`vectors`), so nothing depends on a compiler guessing that loops can be vectorised:
no run-time overlap checks, no scalar second version of every loop. A block of LANES samples is small enough
for a body's rows to stay in the first-level cache and large enough to hide the cost of a call.

Numba notices that a function's own file changed, but not that a file it calls into did. The cache folder is therefore
named after a hash of all kernel sources; it lies in the user's cache, so a read-only installation works too.
"""

import hashlib
import os
import shutil
import sys
import tempfile
from functools import cache, cached_property
from importlib.util import find_spec
from pathlib import Path

import numba
import numpy as np
from numba import types

from bifilar.dynamics.engine import check_jit
from bifilar.dynamics.friction_laws import FORMS, MOST_SETTINGS

check_jit()


def _skip_import_of_scipy():
    """Numba imports scipy.linalg, a third of a second, only to learn that it is there; knowing its place is enough."""
    if "numba.np.arraymath" in sys.modules or find_spec("scipy") is None:
        return
    from numba.np import linalg

    check, linalg.ensure_blas = linalg.ensure_blas, lambda: None
    try:
        from numba.np import arraymath

        arraymath.ensure_blas = check
    finally:
        linalg.ensure_blas = check


_skip_import_of_scipy()
U = np.uint64
LANES = 1 if __name__.split(".")[-2].endswith("_1") else 32  # see bifilar.dynamics.workspace.kernels
WIDTH = min(LANES, 4)  # samples per vector: one 256-bit register; wider vectors spill
L, STEP = U(LANES), U(WIDTH)
L2, L3, L4, L5, L6, L7, L8, L9 = (U(k * LANES) for k in range(2, 10))
ZERO, ONE, TWO, THREE = U(0), U(1), U(2), U(3)

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
    digest = hashlib.sha256(f"{numba.__version__} {np.__version__} {sys.version} {FORMS} {MOST_SETTINGS}".encode())
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.read_bytes())
    if os.environ.get("BIFILAR_CACHE"):
        home = Path(os.environ["BIFILAR_CACHE"])
    elif sys.platform == "win32":
        home = Path(os.environ.get("LOCALAPPDATA", Path.home())) / "bifilar"
    else:
        home = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "bifilar"
    return home / "kernels" / f"{digest.hexdigest()[:16]}-{LANES}"


@cache
def can_cache():
    """Whether the folder above can be written. Numba would look for another one, where both block sizes share file names."""
    try:
        cache_folder().mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=cache_folder()):
            return True
    except OSError:
        return False


def jit(function, signature=None, folder=cache_folder, **options):
    """Compile, with the cache in a folder (the one above); without a cache where it cannot be written."""
    # No reference counts: kernels allocate nothing, and counting the arrays of inlined parts is slow.
    options |= {"nogil": True, "error_model": "numpy", "boundscheck": False, "_nrt": False}
    if not can_cache():
        return numba.njit(signature, **options)(function)
    return cached(lambda: numba.njit(signature, cache=True, **options)(function), folder)


def cached(compile, folder=cache_folder):
    """What `compile` returns, its machine code in a folder (the one above), which is made anew if a file in it is damaged.

    Numba unpickles whatever it finds: a file that a full disk or a crash has cut off raises any kind of error, so every error
    is answered by compiling once more without the folder's files. Other processes that use them compile again, too.
    """
    previous = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(folder())
    try:
        return compile()
    except Exception:
        if not any(folder().rglob("*.nb[ic]")):
            raise
        shutil.rmtree(folder(), ignore_errors=True)
        folder().mkdir(parents=True, exist_ok=True)
        return compile()
    finally:
        numba.config.CACHE_DIR = previous


def kernel(function):
    """A loop over the lanes, compiled by itself: LLVM vectorises short functions best."""
    return jit(function, no_cpython_wrapper=True, no_cfunc_wrapper=True)


def part(function):
    """A function that mostly calls kernels; made part of its caller, because every level of calls is optimised anew."""
    return numba.njit(function, inline="always")


class Entry:
    """A kernel called from Python: compiled for one signature, at its first call."""

    def __init__(self, function, signature):
        self.function = function
        self.signature = signature
        self.__doc__ = function.__doc__

    @cached_property
    def compiled(self):
        """The compiled function; other kernels may call it too."""
        return jit(self.function, self.signature)

    def __call__(self, *arguments):
        self.compiled(*arguments)


def entry(*arguments):
    """Marks a kernel as callable from Python with these argument types."""
    return lambda function: Entry(function, types.void(*arguments))


def block_entry(*arguments):
    """The same for a kernel that exists for whole blocks only; with one lane the plain function is left alone."""
    return entry(*arguments) if LANES > 1 else lambda function: function

"""Factors of friction laws as machine code that kernels call by address, so that no kernel knows which laws there are.

`factor(speed, load, position, *settings)` is the function of the table in `bifilar.dynamics.friction_laws`. For blocks it is
compiled on vectors; where it uses what vectors do not have, sample by sample. Machine code is cached under a name that holds a hash of
the file in which the factor stands.
"""

import hashlib
import inspect
from functools import cache
from pathlib import Path
from types import FunctionType

import numba
from llvmlite import ir
from numba import types
from numba.core.errors import NumbaError
from numba.extending import intrinsic

from bifilar.errors import RobotError

from .lanes import LANES, STEP, ZERO, L, cached, can_cache
from .vectors import get, put

factor, COUNT = None, 0  # of a law; every law has its own copy of the functions below, with these replaced
REAL, PLACE = types.float64, types.uint64
OPTIONS = {"error_model": "numpy", "boundscheck": False, "_nrt": False}
if LANES == 1:
    SIGNATURE = REAL(*[REAL] * 7)
else:
    SIGNATURE = REAL(types.CPointer(REAL), *[PLACE] * 4, *[REAL] * 4)


def one(speed, load, position, x0, x1, x2, x3):
    """A single sample."""
    return factor(speed, load, position, *(x0, x1, x2, x3)[:COUNT])


def vectors(rows, speed, load, position, to, x0, x1, x2, x3):
    """A block in vectors: the row `to` from the rows of speed, load and position."""
    for b in range(ZERO, L, STEP):
        x = factor(get(rows, speed + b), get(rows, load + b), get(rows, position + b), *(x0, x1, x2, x3)[:COUNT])
        put(rows, to + b, x)
    return 0.0


def samples(rows, speed, load, position, to, x0, x1, x2, x3):
    """A block sample by sample."""
    for b in range(L):
        rows[to + b] = factor(rows[speed + b], rows[load + b], rows[position + b], *(x0, x1, x2, x3)[:COUNT])
    return 0.0


@cache
def compiled(law):
    """The C function of a law's factor."""
    for way in (one,) if LANES == 1 else (vectors, samples):
        try:
            return _compiled(law, way)
        except NumbaError as error:
            why = error
    raise RobotError("friction.not_compiled", word=law.word) from why


def address(law):
    """Where the factor's machine code begins; zero if the law has none."""
    return 0 if law.factor is None else compiled(law).address


def _compiled(law, way):
    known = {"factor": numba.njit(**OPTIONS)(law.factor), "COUNT": len(law.settings)}
    function = FunctionType(way.__code__, globals() | known, f"{way.__name__}_{law.word}")
    function.__module__, source = __name__, _source(law.factor)
    function.__qualname__ = f"{function.__name__}_{source}"
    if source and can_cache():
        return cached(lambda: numba.cfunc(SIGNATURE, cache=True, **OPTIONS)(function))
    return numba.cfunc(SIGNATURE, **OPTIONS)(function)


def _source(function):
    """Hash of the file in which a function stands; nothing where it has none, or depends on variables around it."""
    try:
        path = Path(inspect.getsourcefile(function) or "")
        text = b"" if function.__closure__ else path.read_bytes()
    except (OSError, TypeError):
        return ""
    return hashlib.sha256(function.__qualname__.encode() + b"\0" + text).hexdigest()[:16] if text else ""


def _call(builder, address, values, argument_types):
    kind = ir.FunctionType(ir.DoubleType(), argument_types)
    return builder.call(builder.inttoptr(address, kind.as_pointer()), values)


@intrinsic
def call_one(typing, address, speed, load, position, x0, x1, x2, x3):
    """Factor of one sample by the function at an address (of the kernels for one sample)."""

    def generate(context, builder, sig, values):
        return _call(builder, values[0], values[1:], [ir.DoubleType()] * 7)

    return REAL(PLACE, *[REAL] * 7), generate


@intrinsic
def call_rows(typing, address, s, speed, load, position, to, x0, x1, x2, x3):
    """Factors of a block by the function at an address; rows are offsets in s."""

    def generate(context, builder, sig, values):
        rows = context.make_array(sig.args[1])(context, builder, values[1]).data
        word, real = ir.IntType(64), ir.DoubleType()
        return _call(builder, values[0], [rows, *values[2:]], [rows.type, *[word] * 4, *[real] * 4])

    return REAL(PLACE, s, *[PLACE] * 4, *[REAL] * 4), generate

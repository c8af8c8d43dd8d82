"""How these functions are compiled: as those of `bifilar.dynamics.kernels`; not at all where the engine is NumPy.

Numba does not see that a file which a kernel calls into has changed; the folder's name, a hash of the sources, does.
"""

# mypy: ignore-errors
from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from bifilar.dynamics import engine

COMPILED = engine.current().__name__.endswith("fast")

if COMPILED:
    from bifilar.dynamics.workspace import kernels

    lanes = kernels(1, "lanes")
    IN1, IN2, IN3, OUT1, OUT2 = (
        lanes.IN1,
        lanes.IN2,
        lanes.types.Array(lanes.types.float64, 3, "C", readonly=True),
        *(
            lanes.OUT1,
            lanes.OUT2,
        ),
    )
    FLOAT, INT = lanes.types.float64, lanes.types.int64

    @cache
    def _folder():
        digest = hashlib.sha256()
        for source in sorted(Path(__file__).parent.glob("*.py")):
            digest.update(source.read_bytes())
        return str(lanes.cache_folder() / f"walking-{digest.hexdigest()[:12]}")

    def kernel(function):
        """A function that other kernels call."""
        return lanes.jit(function, None, _folder, no_cpython_wrapper=True, no_cfunc_wrapper=True)

    def entry(result, *arguments):
        """Marks a kernel as callable from Python with these argument types."""
        return lambda function: _Lazy(function, result(*arguments))

    class _Lazy:
        """Compiled at its first call."""

        def __init__(self, function, signature):
            self.function, self.signature, self.compiled = function, signature, None

        def __call__(self, *arguments):
            if self.compiled is None:
                self.compiled = lanes.jit(self.function, self.signature, _folder)
            return self.compiled(*arguments)

    VOID = lanes.types.void

    def record(named, *fields):
        """The type of a named tuple of such arrays; all of them read-only where a field says so."""
        return lanes.types.NamedTuple(fields, named)
else:

    class _Anything:
        """Stands where a type would."""

        def __call__(self, *arguments):
            return self

    IN1 = IN2 = IN3 = OUT1 = OUT2 = FLOAT = INT = VOID = _Anything()

    def record(named, *fields):
        """Any tuple."""
        return _Anything()

    def kernel(function):
        """As it is."""
        return function

    def entry(result, *arguments):
        """As it is."""
        return lambda function: function

"""Which implementation of the equations runs: numba kernels where numba is installed, NumPy otherwise.

Both modules hold the same functions (see `plain`). The environment variable BIFILAR_ENGINE, numpy or numba, overrides the
choice. It is made once, at the first call, because importing numba costs time that `import bifilar` must not pay.
"""

from __future__ import annotations

import os
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

from bifilar.errors import BifilarError

MODULES = {"numpy": "bifilar.dynamics.plain", "numba": "bifilar.dynamics.fast"}


def available() -> list[str]:
    """The engines that can run here, the preferred one first.

    >>> "numpy" in available()
    True
    """
    compiled = find_spec("numba") is not None and find_spec(MODULES["numba"]) is not None and not _without_jit()
    return ["numba", "numpy"] if compiled else ["numpy"]


def _without_jit() -> bool:
    """Whether numba was asked not to compile; its functions are then no kernels."""
    return os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")


def check_jit() -> None:
    """Refuse to compile where numba will not."""
    if _without_jit():
        raise BifilarError("engine.no_jit", where="environment variable NUMBA_DISABLE_JIT")


@cache
def load(name: str) -> ModuleType:
    """The module of an engine by its name.

    >>> load("numpy").__name__
    'bifilar.dynamics.plain'
    """
    if name not in MODULES:
        raise BifilarError("engine.unknown", where="environment variable BIFILAR_ENGINE", name=name)
    if name == "numba":
        check_jit()
    if name not in available():
        raise BifilarError("engine.missing", where="environment variable BIFILAR_ENGINE")
    return import_module(MODULES[name])


@cache
def current() -> ModuleType:
    """The engine in use; `current.cache_clear()` makes it choose again.

    >>> current().__name__ in ("bifilar.dynamics.plain", "bifilar.dynamics.fast")
    True
    """
    return load(os.environ.get("BIFILAR_ENGINE") or available()[0])

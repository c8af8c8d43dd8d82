"""The compiled kernels: which there are, which of them are in the cache, and compiling the rest."""

from __future__ import annotations

import os
import pkgutil
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

_FOLDER = re.compile(r"[0-9a-f]{16}-[0-9]{1,3}")  # of one version; see bifilar.dynamics.kernels.lanes.cache_folder


class Kernel(NamedTuple):
    """One function that is compiled at its first call, for blocks of samples or for single ones.

    >>> Kernel("torque.inverse_dynamics", 1, None, Path()).lanes
    1
    """

    name: str
    lanes: int
    entry: Any  # bifilar.dynamics.kernels.lanes.Entry
    folder: Path

    @property
    def is_cached(self) -> bool:
        """Whether numba left its index file in the folder; its name holds the function and its line.

        >>> Kernel("torque.inverse_dynamics", 1, all_kernels, Path("nowhere")).is_cached
        False
        """
        function = getattr(self.entry, "function", self.entry)
        name = f"{function.__module__.rpartition('.')[2]}.{function.__qualname__}-{function.__code__.co_firstlineno}."
        return any(self.folder.glob(f"*/{name}*nbi"))


@dataclass(frozen=True)
class CacheState:
    """Where compiled kernels are kept and how many are there.

    >>> CacheState("kernels", True, 24, 24, 10, 0).is_warm
    True
    """

    folder: str
    writable: bool
    kernels: int
    compiled: int
    size: int  # [bytes] of this version's kernels
    older: int  # [bytes] left by other versions of bifilar, numba or Python
    removed: int = 0  # [bytes] of those that were deleted just now

    @property
    def is_warm(self) -> bool:
        """Whether nothing is left to compile.

        >>> CacheState("kernels", True, 24, 23, 10, 0).is_warm
        False
        """
        return self.compiled == self.kernels


def all_kernels() -> Iterator[Kernel]:
    """Every kernel that Python calls, for single samples and for blocks.

    >>> "torque.inverse_dynamics" in {kernel.name for kernel in all_kernels()}
    True
    """
    import bifilar.dynamics.kernels as package
    from bifilar.dynamics.workspace import BLOCK, kernels

    for lanes in (1, BLOCK):
        how = kernels(lanes, "lanes")
        for part in pkgutil.iter_modules(package.__path__):
            module = kernels(lanes, part.name)
            for name, entry in vars(module).items():
                if isinstance(entry, how.Entry) and entry.function.__module__ == module.__name__:
                    yield Kernel(f"{part.name}.{name}", lanes, entry, how.cache_folder())


def cache_state() -> CacheState:
    """What is in the cache now.

    >>> state = cache_state()
    >>> state.compiled <= state.kernels
    True
    """
    from bifilar.dynamics.workspace import kernels

    every = list(all_kernels())
    ours = {kernel.folder for kernel in every}
    home = every[0].folder.parent
    size = sum(_size(folder) for folder in ours)
    cached = sum(kernel.is_cached for kernel in every)
    writable = all(kernels(k, "lanes").can_cache() for k in {kernel.lanes for kernel in every})
    return CacheState(str(home), writable, len(every), cached, size, max(0, _size(home) - size))


def tidy() -> int:
    """Delete what other versions left in the cache; how many bytes that were.

    Only folders that bear a name we give (sixteen hexadecimal digits, a dash, the block size) directly in the cache.

    >>> from inspect import signature
    >>> signature(tidy).return_annotation
    'int'
    """
    import shutil

    ours = {kernel.folder for kernel in all_kernels()}
    home = next(iter(ours)).parent
    removed = 0
    for folder in sorted(home.iterdir()) if home.is_dir() else ():
        if folder in ours or not _FOLDER.fullmatch(folder.name) or folder.is_symlink() or not folder.is_dir():
            continue
        before = _size(folder)
        shutil.rmtree(folder, ignore_errors=True)  # another process may be at it too
        removed += before - _size(folder)
    return removed


def warm(progress: Callable[[str, int, int], None]) -> None:
    """Compile every kernel that is not compiled yet; `progress(name, done, of)` is called before each and at the end.

    >>> from inspect import signature
    >>> list(signature(warm).parameters)
    ['progress']
    """
    every = list(all_kernels())
    for done, kernel in enumerate(every):
        progress(kernel.name, done, len(every))
        _ = kernel.entry.compiled
    progress("", len(every), len(every))


def _size(folder: Path) -> int:
    total = 0
    for here, _, files in os.walk(folder):
        for name in files:
            try:
                total += os.stat(os.path.join(here, name)).st_size
            except OSError:  # another process cleans up
                continue
    return total

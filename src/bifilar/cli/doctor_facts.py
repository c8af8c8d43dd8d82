"""What `bifilar doctor` finds out about the machine, Python, the packages, the engine and the compiled kernels."""

from __future__ import annotations

import os
import platform
import re
import sys
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Any

from bifilar.errors import Finding

NEEDED = ("numpy", "numba", "mujoco", "rich", "tyro", "threadpoolctl")
OPTIONAL = {"pin": "checks against Pinocchio", "sympy": "tests", "hypothesis": "tests", "pytest": "tests"}


@dataclass(frozen=True)
class Package:
    """A package bifilar uses, and its version where it is installed.

    >>> Package("numpy", "2.1.0").present
    True
    """

    name: str
    version: str
    needed: bool = True
    purpose: str = ""

    @property
    def present(self) -> bool:
        """Whether it is installed.

        >>> Package("pin", "").present
        False
        """
        return bool(self.version)


def packages() -> list[Package]:
    """Those bifilar needs, then those that only tests use.

    >>> packages()[0].name
    'numpy'
    """
    every = [Package(name, _version(name)) for name in NEEDED]
    return every + [Package(name, _version(name), False, purpose) for name, purpose in OPTIONAL.items()]


def machine() -> dict[str, Any]:
    """Python, system and cores.

    >>> sorted(machine())
    ['cores', 'cores_usable', 'processor', 'python', 'python_path', 'system', 'threads']
    """
    from bifilar.dynamics.parallel import thread_count

    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return {
        "python": platform.python_version(),
        "python_path": sys.executable,
        "system": f"{platform.system()} {platform.release()}",
        "processor": platform.machine(),
        "cores": os.cpu_count() or 1,
        "cores_usable": usable,
        "threads": thread_count(),
    }


def blas() -> list[dict[str, Any]]:
    """The linear algebra libraries NumPy and SciPy brought, and their threads.

    >>> isinstance(blas(), list)
    True
    """
    try:
        import numpy.linalg  # loads it  # noqa: F401
        from threadpoolctl import threadpool_info
    except ImportError:
        return []
    pools = [pool for pool in threadpool_info() if pool.get("user_api") == "blas"]
    return [{"library": p["internal_api"], "version": p.get("version") or "", "threads": p["num_threads"]} for p in pools]


def datasets() -> dict[str, Any]:
    """Where recorded data are looked for; only tests and benchmarks use them.

    >>> sorted(datasets())
    ['folder', 'found']
    """
    folder = os.environ.get("BIFILAR_DATA", "")
    return {"folder": folder, "found": bool(folder) and Path(folder).is_dir()}


def package_findings(every: list[Package]) -> list[Finding]:
    """What is missing.

    >>> package_findings([Package("numba", "")])[0].severity
    'error'
    """
    remedy = "install bifilar again into this environment"
    missing = [
        Finding("package.missing/doctor_facts", "error", f"package {p.name}") for p in every if p.needed and not p.present
    ]
    return missing + _too_old(every, remedy)


def _too_old(every: list[Package], remedy: str) -> list[Finding]:
    """Compared with what bifilar's own metadata ask for, where it is installed as a package."""
    try:
        asked = requires("bifilar") or []
    except PackageNotFoundError:
        return []
    least = {m[1]: m[2] for line in asked if (m := re.match(r"([\w.-]+)>=([\d.]+)$", line.partition(";")[0].strip()))}
    old = [p for p in every if p.present and p.name in least and _number(p.version) < _number(least[p.name])]
    return [
        Finding("package.old", "warning", f"package {p.name}", version=p.version, least=least[p.name], remedy=remedy)
        for p in old
    ]


def _number(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", text)[:3])


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""

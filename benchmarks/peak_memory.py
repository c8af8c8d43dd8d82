"""The most memory this process has had, in megabytes.

Linux counts what the parent had in `ru_maxrss` of a program that it starts, so a small program started by a large one looks
large; its own peak stands in its status file.
"""

from __future__ import annotations

import sys
from pathlib import Path

STATUS = Path("/proc/self/status")


def peak_megabytes() -> float:
    """0 where it cannot be asked (Windows)."""
    if STATUS.exists():
        lines = STATUS.read_text("utf-8").splitlines()
        return next(float(line.split()[1]) for line in lines if line.startswith("VmHWM:")) * 1024 / 1e6
    try:
        import resource
    except ImportError:
        return 0.0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e6

"""bifilar as a process of its own: started, awaited, killed; as somebody else than root; and what a folder holds."""

from __future__ import annotations

import hashlib
import os
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NOBODY = 65534
ROOT = Path(__file__).resolve().parents[1]


def start(*words: str, cwd: Path, **options: object) -> subprocess.Popen[str]:
    """`bifilar words` in a folder, its output kept."""
    extra = options.pop("env", {})
    env = os.environ | {"PYTHONPATH": str(ROOT / "src"), "COLUMNS": "120", "OPENBLAS_NUM_THREADS": "1"} | extra  # type: ignore
    pipe = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
    return subprocess.Popen([sys.executable, "-m", "bifilar", *words], cwd=cwd, env=env, text=True, **pipe)  # type: ignore


def awake(process: subprocess.Popen[str], seconds: float = 30.0) -> None:
    """Wait until Python has started and bifilar is at work: NumPy is loaded; where nobody tells, for a second."""
    maps = Path(f"/proc/{process.pid}/maps")
    if not maps.exists():
        time.sleep(1.0)
        return
    end = time.monotonic() + seconds
    while process.poll() is None and time.monotonic() < end:
        if "multiarray" in maps.read_text("utf-8", "replace"):
            return
        time.sleep(0.02)


def content(folder: Path) -> dict[str, str]:
    """Hashes of a folder's files."""
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}


@contextmanager
def as_anybody(folder: Path) -> Iterator[None]:
    """Not as root, who may read everything; the folders above are opened for that long."""
    if os.name == "nt" or os.geteuid() != 0:
        yield
        return
    above = [path for path in folder.parents if path.stat().st_uid == 0 and not path.stat().st_mode & stat.S_IXOTH]
    modes = {path: path.stat().st_mode for path in [folder, *above]}
    for path, mode in modes.items():
        path.chmod(mode | 0o755)
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)
        for path, mode in modes.items():
            path.chmod(mode)

"""Compiled kernels on disk heal themselves, and settings of the environment that cannot be meant are answered."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TORQUE = """
import numpy as np, bifilar as bf
robot = bf.Robot.load("pendulum")
print(robot.inverse_dynamics(*np.ones((3, 40, 1)))[0, 0].round(9))
"""


def python(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    known = {**os.environ, "PYTHONPATH": str(ROOT / "src"), **environment}
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=known, timeout=600)


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """A cache of our own with the kernels of inverse dynamics, and the torque that they find."""
    home = tmp_path_factory.mktemp("cache")
    found = python(TORQUE, BIFILAR_CACHE=str(home))
    assert found.returncode == 0, found.stderr
    return home, found.stdout


@pytest.mark.parametrize(("ending", "how"), [("nbi", "empty"), ("nbi", "noise"), ("nbc", "half")])
def test_a_damaged_cache_is_made_anew(compiled, ending, how):
    home, torque = compiled
    files = sorted(home.rglob(f"*.{ending}"))
    assert files
    for file in files:
        data = file.read_bytes()
        file.write_bytes({"empty": b"", "half": data[: len(data) // 2], "noise": b"\x93NUMPY" + data[:40]}[how])
    again = python(TORQUE, BIFILAR_CACHE=str(home))
    assert (again.returncode, again.stdout) == (0, torque), again.stderr


def test_without_compiling_the_plain_engine_answers(compiled):
    found = python(TORQUE, NUMBA_DISABLE_JIT="1")
    assert (found.returncode, found.stdout) == (0, compiled[1]), found.stderr
    asked = python(TORQUE, NUMBA_DISABLE_JIT="1", BIFILAR_ENGINE="numba")
    assert "BifilarError" in asked.stderr and "NUMBA_DISABLE_JIT" in asked.stderr


@pytest.mark.parametrize("count", ["0", "-2", "many", "1.5", "99999999999999999999"])
def test_numbers_of_threads_that_are_none(count, monkeypatch):
    from bifilar.dynamics.parallel import thread_count
    from bifilar.errors import BifilarError

    monkeypatch.setenv("BIFILAR_THREADS", count)
    with pytest.raises(BifilarError) as caught:
        thread_count()
    assert caught.value.code == "threads.count"

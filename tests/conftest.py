"""Shared by all tests: recorded data where there is any, and how hard Hypothesis searches."""

from __future__ import annotations

import importlib.util
import os
import signal
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import HealthCheck, settings

# A shell that starts the tests in the background lets them ignore Ctrl-C, and the programs they start with them.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# The rounding of other processors is asked for by a number: see tests/rounding_noise.py and benchmarks/rounding.py.
if os.environ.get("BIFILAR_ROUNDING_SEED"):
    import rounding_noise

    rounding_noise.install(int(os.environ["BIFILAR_ROUNDING_SEED"]))

# A first call may compile a kernel, so a time limit per example would fail for no reason. The search is repeatable:
# a law that breaks breaks for everybody. HYPOTHESIS_PROFILE=thorough looks further.
_SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture]
settings.register_profile("modest", deadline=None, max_examples=30, derandomize=True, suppress_health_check=_SLOW)
settings.register_profile("thorough", deadline=None, max_examples=1000, suppress_health_check=_SLOW)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "modest"))


@pytest.fixture(scope="session")
def dataset() -> Callable[[str], Path]:
    """`dataset("barrett_wam/wam7_cad.yml")` is that file or folder under BIFILAR_DATA; the test is skipped without it."""

    def find(name: str) -> Path:
        folder = os.environ.get("BIFILAR_DATA", "")
        path = Path(folder) / name
        if not folder or not path.exists():
            pytest.skip(f"dataset {name} is not here (BIFILAR_DATA is {'set' if folder else 'not set'})")
        return path

    return find


@pytest.fixture(scope="session")
def benchmark_module() -> Callable[[str], ModuleType]:
    """`benchmark_module("fuzz_urdf")` is that file of benchmarks/, imported."""

    def load(name: str) -> ModuleType:
        path = Path(__file__).parents[1] / "benchmarks" / f"{name}.py"
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return load

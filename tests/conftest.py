"""Shared by all tests: recorded data where there is any, and how hard Hypothesis searches."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
from collections.abc import Callable, Iterator
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
settings.register_profile("modest", deadline=None, max_examples=20, derandomize=True, suppress_health_check=_SLOW)
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


PRINTED: list[tuple[list[str], str]] = []  # commands, and the JSON that they printed


@pytest.fixture(scope="session", autouse=True)
def _hear_json() -> Iterator[None]:
    """Remembers every JSON object that a command prints in this process."""
    import bifilar.cli
    from bifilar.cli import letter

    dispatch = bifilar.cli._dispatch
    typed: list[list[str]] = []

    def hear(words: list[str]) -> int:
        typed.append(list(words))
        try:
            return dispatch(words)
        finally:
            typed.pop()

    class Heard:
        """Stands for the module `json` where commands turn their facts into text."""

        def __getattr__(self, name: str) -> object:
            return getattr(json, name)

        def dumps(self, value: object, **how: object) -> str:
            said = json.dumps(value, **how)  # type: ignore[arg-type]
            if typed:
                PRINTED.append((typed[-1], said))
            return said

    bifilar.cli._dispatch, letter.json = hear, Heard()  # type: ignore[assignment]
    yield
    bifilar.cli._dispatch, letter.json = dispatch, json


@pytest.fixture(autouse=True)
def _printed_json_is_as_published(_hear_json: None) -> Iterator[None]:
    """Whatever a command printed with --json during a test is what `bifilar schema` says, and nothing besides."""
    yield
    said = PRINTED[:]
    PRINTED.clear()
    if said:
        from json_schema import problems

        from bifilar.cli import VERBS
        from bifilar.cli.schemas import schema_of

        for words, text in said:
            if words and words[0] in VERBS:
                wrong = problems(json.loads(text), schema_of(words[0]), strict=True)
                assert not wrong, f"{words}:\n  " + "\n  ".join(wrong[:20])

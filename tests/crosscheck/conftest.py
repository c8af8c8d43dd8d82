"""Shared by the comparisons with other programs: both engines in turn."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bifilar.dynamics import engine as engines


@pytest.fixture(params=["numba", "numpy"])
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The engine in use; a test that asks for it runs on both."""
    if request.param not in engines.available():
        pytest.skip("numba is not installed")
    monkeypatch.setenv("BIFILAR_ENGINE", request.param)
    engines.current.cache_clear()
    yield request.param
    engines.current.cache_clear()

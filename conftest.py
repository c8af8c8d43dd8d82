"""What every docstring example may use without importing it: np, and bf for the library. Temporary files are pytest's."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator

import numpy as np
import pytest


@pytest.fixture(autouse=True)
def _names_for_examples(doctest_namespace: dict[str, object]) -> None:
    import bifilar

    doctest_namespace.update(np=np, bf=bifilar)


@pytest.fixture(autouse=True, scope="session")
def _temporary_files_go_with_the_tests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Examples make folders by `tempfile.mkdtemp()` and leave them: pytest removes its own after three runs."""
    before, tempfile.tempdir = tempfile.tempdir, str(tmp_path_factory.mktemp("examples"))
    yield
    tempfile.tempdir = before

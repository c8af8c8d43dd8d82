"""What every docstring example may use without importing it: np, and bf for the library."""

from __future__ import annotations

import numpy as np
import pytest


@pytest.fixture(autouse=True)
def _names_for_examples(doctest_namespace: dict[str, object]) -> None:
    import bifilar

    doctest_namespace.update(np=np, bf=bifilar)

"""Help as a terminal of 80 columns shows it: examples that fit, no default that says nothing."""

from __future__ import annotations

import pytest

from bifilar.cli import VERBS


@pytest.mark.parametrize("verb", VERBS)
def test_help_fits_80_columns(bifilar, monkeypatch, verb):
    """A command to copy is never broken; what it is for stands below it where there is no room beside it."""
    monkeypatch.setenv("COLUMNS", "80")
    code, out, err = bifilar(verb, "--help")
    examples = out.partition("\nusage: ")[0].splitlines()
    wide = [line for line in examples if len(line) > 80 and "   " in line.strip()]
    assert code == 0 and wide == [] and "(default: )" not in out, err

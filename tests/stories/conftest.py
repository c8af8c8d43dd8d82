"""Shared by the stories: the command line as a stranger has it."""

from __future__ import annotations

import pytest

from bifilar.cli import main


@pytest.fixture
def bifilar(capsys, monkeypatch, tmp_path):
    """`bifilar("design", ...)` is (exit code, stdout, stderr), in an empty folder and a terminal of 120 columns."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")

    def run(*words: str) -> tuple[int, str, str]:
        code = main(words)
        out, err = capsys.readouterr()
        return code, out, err

    return run

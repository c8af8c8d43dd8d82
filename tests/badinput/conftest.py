"""Every letter that a command writes in these tests names something to try, and what it names can be typed."""

from __future__ import annotations

import pytest
from typed_back import complaints

import bifilar.cli
from bifilar.cli import guard


@pytest.fixture(autouse=True)
def remedies_can_be_typed(monkeypatch):
    """Listens to what is typed and to the letters that answer; looks at them when the test is over."""
    dispatch, as_typed = bifilar.cli._dispatch, guard.as_typed
    typed, letters = [], []

    def hear(words):
        typed.append(list(words))
        return dispatch(words)

    def answer(letter, verb=""):
        letters.append((typed[-1] if typed else [], as_typed(letter, verb)))
        return letter

    monkeypatch.setattr(bifilar.cli, "_dispatch", hear)
    monkeypatch.setattr(guard, "as_typed", answer)
    yield
    for words, letter in letters:
        assert letter.remedy, f"nothing to try: {letter}"
        wrong = complaints(words, letter.remedy)
        assert not wrong, f"{words}\n  {letter.what}\n  try {letter.remedy}\n  {wrong}"

"""Names of strangers in tables: a spreadsheet must not take `=HYPERLINK(...)` for a formula. An apostrophe makes it text."""

from __future__ import annotations

FORMULA = "=+-@\t\r\n|%＝＋－＠'"  # first characters that a spreadsheet may act upon; the apostrophe is ours


def guarded(text: str) -> str:
    """A text that no spreadsheet takes for a formula.

    >>> print(guarded("=1+1"), guarded("link1.mass"))
    '=1+1 link1.mass
    """
    return f"'{text}" if _acts(text) else text


def unguarded(text: str) -> str:
    """The text that was guarded.

    >>> unguarded(guarded("'=a")), unguarded("link1.mass"), unguarded("'tis")
    ("'=a", 'link1.mass', "'tis")
    """
    return text[1:] if text[:1] == "'" and _acts(text[1:]) else text


def _acts(text: str) -> bool:
    return text.lstrip(" ")[:1] in tuple(FORMULA)

"""Round numbers for the ticks of an axis, and numbers as people read them."""

from __future__ import annotations

import math


def ticks(low: float, high: float, most: int = 5) -> list[float]:
    """Round numbers between low and high, `most` of them or fewer.

    >>> ticks(0.0, 10.0)
    [0.0, 2.5, 5.0, 7.5, 10.0]
    """
    span = high - low
    if not span > 0 or not math.isfinite(span):
        return []
    size = 10.0 ** math.floor(math.log10(span / most))
    step = next((m * size for m in (1, 2, 2.5, 5, 10, 20) if span / (m * size) <= most - 1 + 1e-9), 10 * size)
    first = math.ceil(low / step - 1e-9)
    return [k * step for k in range(first, math.floor(high / step + 1e-9) + 1)]


def tick_label(value: float, step: float) -> str:
    """A tick's number with as many decimals as its neighbours need.

    >>> tick_label(0.30000000000000004, 0.1), tick_label(2000.0, 1000.0), tick_label(3e-5, 1e-5)
    ('0.3', '2000', '3e-05')
    """
    if value != 0 and (abs(value) >= 1e5 or step < 1e-3):
        return f"{value:.3g}"
    digits = next((d for d in range(5) if abs(step * 10**d - round(step * 10**d)) < 1e-6), 4)
    text = f"{value:.{digits}f}"
    return text.lstrip("-") if float(text) == 0 else text


def short(value: float) -> str:
    """A number in three digits; a word where it is none.

    >>> short(0.012345), short(float("inf")), short(12345.0)
    ('0.0123', 'unknown', '12345')
    """
    if not math.isfinite(value):
        return "unknown"
    return f"{value:.0f}" if 1000 <= abs(value) < 1e6 else f"{value:.3g}"


def percent(share: float) -> str:
    """A share as people say it.

    >>> percent(0.00438), percent(0.5), percent(float("nan"))
    ('0.44 %', '50 %', 'unknown')
    """
    if not math.isfinite(share):
        return "unknown"
    hundred = 100 * share
    return f"{hundred:.0f} %" if abs(hundred) >= 9.95 else f"{hundred:.2g} %"


def listed(names: list[str] | tuple[str, ...], most: int = 6) -> str:
    """Names in a sentence.

    >>> listed(["a", "b", "c"]), listed(["a"] * 9, 2)
    ('a, b and c', 'a, a and 7 more')
    """
    if len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}" if names else ""

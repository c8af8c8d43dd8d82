"""Bars in groups, values with their error bars beside what the description said, and maps of correlations: HTML and SVG."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.report.markup import Html, fill, joined
from bifilar.report.ticks import short, tick_label, ticks

SHADES = 6  # steps of a correlation's colour
FAINT = 0.15  # correlation that is not drawn


class Bar(NamedTuple):
    """One bar of a group.

    >>> Bar(12.0, "described", "12 %").value
    12.0
    """

    value: float
    colour: str
    words: str
    name: str = ""  # as the legend calls it


def bar_groups(groups: Sequence[tuple[str, Sequence[Bar]]], top: float | None = None) -> Html:
    """Horizontal bars, a group for every name; `top` is the value of a full bar, longer ones are cut.

    >>> bar_groups([("elbow", [Bar(1.0, "identified", "1 %")])]).count("bar")
    2
    """
    values = [bar.value for _, bars in groups for bar in bars if np.isfinite(bar.value)]
    full = max(values, default=1.0) if top is None else top
    line = '<span class="bar" data-s="{name}" style="width:{wide:.2f}%;background:var(--{colour})"><em>{words}</em></span>'
    group = '<b>{name}</b><div class="group">{bars}</div>'
    rows = []
    for name, bars in groups:
        shares = [min(1.0, bar.value / full) if np.isfinite(bar.value) and full > 0 else 0.0 for bar in bars]
        drawn = [fill(line, name=b.name, wide=100 * s, colour=b.colour, words=b.words) for b, s in zip(bars, shares)]
        rows.append(fill(group, name=name, bars=drawn))
    return fill('<div class="bars">{rows}</div>', rows=rows)


class Value(NamedTuple):
    """A number before and after, with its deviation.

    >>> Value("link1.mass", 2.0, 2.2, 0.1, True, 0.9).known
    True
    """

    name: str
    before: float
    value: float
    deviation: float
    known: bool  # whether it may be called identified
    share: float | None = None  # of the data, the rest is the prior's; None: nobody knows


def values(rows: Sequence[Value], unit: str, reach: float = 2.0) -> Html:
    """Numbers of one unit on one axis: a bar of `reach` deviations around each, and what the description said.

    >>> values([Value("link1.mass", 2.0, 2.2, 0.1, True)], "kg").count("whisker")
    1
    """
    bars = [min(reach * row.deviation, 3 * abs(row.value)) if np.isfinite(row.deviation) else 0.0 for row in rows]
    reaches = [x for row, bar in zip(rows, bars) for x in (row.value - bar, row.value + bar, row.before) if np.isfinite(x)]
    low, high = min([0.0, *reaches]), max([0.0, *reaches])
    high = high if high > low else low + 1.0
    low, high = low - 0.03 * (high - low), high + 0.03 * (high - low)

    def at(x: float) -> float:
        return float(np.clip(100 * (x - low) / (high - low), 0, 100))

    line = (
        '<div class="row"><b>{name}</b><div class="track {weak}" title="{words}"><i class="zero" style="left:{zero:.2f}%"></i>'
        '<i class="whisker" style="left:{start:.2f}%;width:{wide:.2f}%"></i><i class="before" style="left:{before:.2f}%"></i>'
        '<i class="value" style="left:{value:.2f}%"></i></div><span class="number">{number} <span class="small">± '
        "{bar}</span></span>"
        "{share}</div>"
    )
    drawn = []
    for row, bar in zip(rows, bars):
        start, end = (0.0, 100.0) if not np.isfinite(row.deviation) else (at(row.value - bar), at(row.value + bar))
        words = f"{row.name}: {short(row.value)} ± {short(row.deviation)} {unit}; description {short(row.before)}"
        drawn.append(
            fill(
                line, name=row.name, weak="" if row.known else "weak", words=words, zero=at(0.0), start=start, wide=end - start,
                before=at(row.before), value=at(row.value), number=short(row.value), bar=short(row.deviation),
                share=share_bar(row.share),
            )
        )  # fmt: skip
    found = ticks(low, high, 5)
    step = found[1] - found[0] if len(found) > 1 else 1.0
    texts = [(x, tick_label(x, step) + (f" {unit}" if x == found[-1] else "")) for x in found]
    sides = ["right:0;transform:none" if at(x) > 80 and x == found[-1] else f"left:{at(x):.2f}%" for x in found]
    marks = [fill('<b style="{side}">{text}</b>', side=side, text=text) for side, (_, text) in zip(sides, texts)]
    head = Html('<span class="head"></span>')
    scale = fill('<div class="row">{head}<div class="scale">{marks}</div>{head}{head}</div>', head=head, marks=marks)
    return fill('<div class="values">{rows}{scale}</div>', rows=drawn, scale=scale)


def pair_track(first: tuple[float, float], second: tuple[float, float], colours: tuple[str, str], reach: float = 2.0) -> Html:
    """Two values with their deviations on one small axis, each with a bar of `reach` deviations.

    >>> pair_track((1.0, 0.1), (1.2, 0.1), ("identified", "j2")).count("<i")
    4
    """
    known = [(x, min(reach * d, 1e300)) for x, d in (first, second) if np.isfinite(x) and np.isfinite(d)]
    low, high = min([x - d for x, d in known], default=0.0), max([x + d for x, d in known], default=1.0)
    span = high - low or 1.0
    bar = '<i class="whisker" style="top:{top}px;left:{left:.1f}%;width:{wide:.1f}%;background:var(--{colour})"></i>'
    dot = '<i class="value" style="top:{top}px;left:{left:.1f}%;background:var(--{colour})"></i>'
    drawn = []
    for k, ((value, deviation), colour) in enumerate(zip((first, second), colours)):
        if np.isfinite(value) and np.isfinite(deviation):
            left, wide = 100 * (value - reach * deviation - low) / span, 200 * reach * deviation / span
            drawn += [fill(bar, top=5 + 7 * k, left=left, wide=wide, colour=colour)]
            drawn += [fill(dot, top=2 + 7 * k, left=100 * (value - low) / span, colour=colour)]
    return fill('<div class="values pair"><div class="track">{drawn}</div></div>', drawn=drawn)


def share_bar(share: float | None) -> Html:
    """How much of a value is the data's, the rest the prior's.

    >>> 'width:90%' in share_bar(0.9)
    True
    """
    if share is None or not np.isfinite(share):
        return Html("<span></span>")
    part = float(np.clip(share, 0, 1))
    bar = '<span class="share" title="{percent:.0f} % from the data"><i style="width:{percent:.0f}%"></i></span>'
    return fill(bar, percent=100 * part)


def correlation_map(matrix: Array, names: Sequence[str]) -> Html:
    """Correlations as squares: blue together, orange against each other; names of their owners beside them.

    >>> correlation_map(np.eye(2), ["a.mass", "b.mass"]).count("<path")
    2
    """
    count = len(names)
    cells: dict[tuple[str, int], list[str]] = {}
    strong = np.argwhere(np.isfinite(matrix) & (np.abs(matrix) > FAINT))
    for row, column in strong.tolist():
        value = matrix[row, column]
        key = ("identified" if value > 0 else "described", min(SHADES, int(np.ceil(abs(value) * SHADES))))
        cells.setdefault(key, []).append(f"M{column} {row}h1v1h-1z")
    path = '<path style="fill:var(--{colour});opacity:{opacity:.2f}" d="{drawn}"/>'
    drawn = [fill(path, colour=c, opacity=s / SHADES, drawn=Html("".join(parts))) for (c, s), parts in sorted(cells.items())]
    owners = [name.rpartition(".")[0] or name for name in names]
    starts = [k for k in range(count) if k == 0 or owners[k] != owners[k - 1]]
    lines = "".join(f"M0 {k}H{count}M{k} 0V{count}" for k in starts[1:])
    grid = fill('<path style="fill:none;stroke:var(--line);stroke-width:.06" d="{lines}"/>', lines=Html(lines)) if lines else ""
    label = '<b style="top:{at:.2f}%">{name}</b>'
    marks, last = [], -100.0
    for k, end in zip(starts, [*starts[1:], count]):
        middle = 50 * (k + end) / count
        if middle - last > 2.6:  # names that would lie on top of each other are left out
            marks.append(fill(label, at=middle, name=owners[k]))
            last = middle
    whole = (
        '<div class="square"><div class="owners">{marks}</div><svg viewBox="0 0 {count} {count}" role="img" '
        'aria-label="correlations of {count} values" style="background:var(--grid)">{body}</svg></div>'
    )
    return fill(whole, marks=joined(marks), count=count, body=joined([*drawn, grid]))

"""Lines, points and bands over an axis, as SVG that stretches with the page while its texts keep their size.

A drawing is one SVG of 4000 x 1000 units stretched over its box, with strokes that do not stretch; ticks, titles and marks are
HTML beside it. So it is sharp on every screen and on paper, follows light and dark by the style's variables, and needs no
script: the page's script only adds reading off, zooming and hiding.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.report.envelope import envelope
from bifilar.report.markup import Html, fill, joined
from bifilar.report.ticks import tick_label, ticks

WIDE, HIGH = 4000, 1000  # units of a drawing
COLOURS = 10  # of joints; as many as the style has
MOST_POINTS = 1500  # of a cloud
FEW_POINTS = 60  # up to which they are drawn larger


def colour(joint: int) -> str:
    """Colour of the joint at this place, the same on the whole page.

    >>> colour(0) == colour(COLOURS)
    True
    """
    return f"j{joint % COLOURS}"


class Line(NamedTuple):
    """A line, or a cloud of points; nan breaks a line.

    >>> Line([0, 1], [2, 3], "identified").kind
    'line'
    """

    x: Array | Sequence[float]
    y: Array | Sequence[float]
    colour: str  # one of the style's: j0 to j9, ink, described, identified, noise, forbidden, quiet
    name: str = ""  # in the legend, and where one reads off
    kind: Literal["line", "dashed", "points", "thin", "thick", "faint"] = "line"


class Band(NamedTuple):
    """Everything between two lines.

    >>> Band([0, 1], [-1, -1], [1, 1], "noise").name
    ''
    """

    x: Array | Sequence[float]
    low: Array | Sequence[float]
    high: Array | Sequence[float]
    colour: str
    name: str = ""


class Level(NamedTuple):
    """A horizontal line; what lies beyond is shaded if it is forbidden there: 1 above, -1 below.

    >>> Level(1.0, beyond=1).colour
    'forbidden'
    """

    y: float
    colour: str = "forbidden"
    beyond: int = 0


class Mark(NamedTuple):
    """A stretch of the x axis, with a number at its head and what it means.

    >>> Mark(0.0, 1.0, "error", "3", "a gap").label
    '3'
    """

    start: float
    stop: float
    colour: str  # error, warning or note
    label: str = ""
    words: str = ""
    opacity: float = 0.2
    at: float | None = None  # where the label stands, if not in the middle


@dataclass(frozen=True, eq=False)
class Plot:
    """One drawing.

    >>> Plot("elbow", "torque [N m]", [Line([0, 1], [2, 3], "ink", "measured")]).html().count("<path")
    1
    """

    title: str
    what: str  # quantity and unit of y, behind the title
    lines: Sequence[Line] = ()
    bands: Sequence[Band] = ()
    levels: Sequence[Level] = ()
    marks: Sequence[Mark] = ()
    x_unit: str = "s"
    height: int = 150  # [px]
    x_range: tuple[float, float] | None = None
    y_range: tuple[float, float] | None = None
    y_unit: str = ""
    equal: bool = False  # one unit is as long in x as in y, in a square of `height`: a circle is drawn round

    def html(self) -> Html:
        """The drawing as markup.

        >>> "&lt;b&gt;" in Plot("<b>", "").html()
        True
        """
        x, y = self._x(), self._y()
        if self.equal:
            x, y = _alike(x, y)
        body = [_band(band, x, y) for band in self.bands]
        body += [_level(level, x, y) for level in self.levels]
        body += [_mark(mark, x) for mark in self.marks]
        body += [_line(line, x, y) for line in self.lines]
        empty = fill('<p class="none">no numbers</p>') if not any(np.isfinite(line.y).any() for line in self.lines) else ""
        return fill(
            '<figure class="plot"><figcaption><b>{title}</b> {what}</figcaption>'
            '<div class="axes" style="{size}" data-x="{x0} {x1}" data-y="{y0} {y1}" '
            'data-u="{xu}|{yu}">{y_ticks}{x_ticks}'
            '<svg viewBox="0 0 4000 1000" preserveAspectRatio="none" role="img" aria-label="{title} '
            '{what}">{body}</svg>{heads}{empty}'
            "</div></figure>",
            title=self.title, what=self.what, size=self._size(), x0=f"{x[0]:.8g}", x1=f"{x[1]:.8g}", y0=f"{y[0]:.8g}",
            y1=f"{y[1]:.8g}", xu=self.x_unit, yu=self.y_unit, y_ticks=_y_ticks(y, self.height),
            x_ticks=_x_ticks(x, self.x_unit), body=body, heads=[_head(mark, x) for mark in self.marks if mark.label],
            empty=empty,
        )  # fmt: skip

    def _size(self) -> str:
        return f"aspect-ratio:1;max-width:{self.height}px" if self.equal else f"height:{self.height}px"

    def _x(self) -> tuple[float, float]:
        if self.x_range is not None:
            return self.x_range
        return _range([line.x for line in self.lines] + [band.x for band in self.bands], 0.0)

    def _y(self) -> tuple[float, float]:
        if self.y_range is not None:
            return self.y_range
        return _range([line.y for line in self.lines] + [edge for band in self.bands for edge in (band.low, band.high)], 0.07)


def legend(entries: Sequence[tuple[str, str, str]]) -> Html:
    """Names beside their colours: (name, colour, kind of line, "band" too). A click hides one in the whole section.

    >>> legend([("measured", "ink", "line")]).count("<button")
    1
    """
    key = (
        '<button type="button" data-s="{name}" aria-pressed="true"><i class="key {kind}" style="color:var(--{colour})"></i>'
        "{name}</button>"
    )
    return fill('<div class="legend">{keys}</div>', keys=[fill(key, name=n, colour=c, kind=k) for n, c, k in entries])


def grid(plots: Sequence[Plot], wide: bool = False) -> Html:
    """Drawings side by side, as many as there is room for; `wide` ones are half as many.

    >>> grid([Plot("a", "")]).count("figure class")
    1
    """
    return fill('<div class="grid {kind}">{plots}</div>', kind="wide" if wide else "", plots=[plot.html() for plot in plots])


def band_plot(
    time: Array,
    mean: Array,
    deviation: Array,
    *,
    title: str,
    what: str,
    truth: Array | float | None = None,
    colour: str = "identified",
    times: float = 2.0,
    height: int = 150,
) -> Plot:
    """A value over time with a band of so many deviations, and the truth or a prior as a dashed line where there is one.

    >>> t = np.linspace(0, 1, 9)
    >>> len(band_plot(t, 0 * t, 0 * t + 1, title="payload", what="mass [kg]", truth=0.5).lines)
    2
    """
    low, high = mean - times * deviation, mean + times * deviation
    centre = envelope(time, mean)
    under, over = (np.interp(centre.time, time, edge) for edge in (low, high))
    lines = [Line(centre.time, centre.values, colour, "mean")]
    if truth is not None:
        whole = np.broadcast_to(np.asarray(truth, dtype=float), np.shape(time))
        lines.append(Line(*envelope(time, whole), "ink", "truth", "dashed"))
    return Plot(title, what, lines, [Band(centre.time, under, over, colour, f"± {times:g} deviations")], height=height)


def _range(arrays: Sequence[Array | Sequence[float]], margin: float) -> tuple[float, float]:
    """Lowest and highest number of all, and some air."""
    known = [array[np.isfinite(array)] for array in (np.asarray(a, dtype=float) for a in arrays)]
    known = [array for array in known if len(array)]
    if not known:
        return 0.0, 1.0
    low, high = min(float(a.min()) for a in known), max(float(a.max()) for a in known)
    if high - low <= 1e-9 * max(abs(high), abs(low)):  # round-off is not drawn as a signal
        half = 0.1 * abs(high) or 0.5
        return low - half, high + half
    return low - margin * (high - low), high + margin * (high - low)


def _alike(x: tuple[float, float], y: tuple[float, float]) -> tuple[tuple[float, float], tuple[float, float]]:
    """The shorter one made as long as the other, about its middle, with some air."""
    half = 0.5 * max(1.14 * (x[1] - x[0]), y[1] - y[0])
    across, up = 0.5 * (x[0] + x[1]), 0.5 * (y[0] + y[1])
    return (across - half, across + half), (up - half, up + half)


def _places(values: Array | Sequence[float], ends: tuple[float, float], size: int) -> Array:
    return (np.asarray(values, dtype=float) - ends[0]) / (ends[1] - ends[0]) * size


def _line(line: Line, x: tuple[float, float], y: tuple[float, float]) -> Html:
    px, py = _places(line.x, x, WIDE), HIGH - _places(line.y, y, HIGH)
    if line.kind == "points":
        px, py = _thinned(px, py)
        steps = _steps(px, py)
        drawn = "".join(f"m{dx} {dy}h0" for dx, dy in steps)
    else:
        drawn = _strokes(px, py)
    path = '<path class="{kind}" data-s="{name}" style="stroke:var(--{colour})" d="{drawn}"/>'
    kind = "points few" if line.kind == "points" and len(line.x) <= FEW_POINTS else line.kind
    return fill(path, kind=kind, name=line.name, colour=line.colour, drawn=Html(drawn))


def _thinned(px: Array, py: Array) -> tuple[Array, Array]:
    kept = np.flatnonzero(np.isfinite(px) & np.isfinite(py))
    kept = kept[:: max(1, -(-len(kept) // MOST_POINTS))]
    return px[kept], py[kept]


def _steps(px: Array, py: Array) -> list[list[int]]:
    """Steps from each point to the next; the first from the corner. Far outside is still outside."""
    points = np.rint(np.clip(np.column_stack([px, py]), -WIDE, 2 * WIDE)).astype(int)
    return np.diff(points, axis=0, prepend=np.zeros((1, 2), dtype=int)).tolist() if len(points) else []


def _strokes(px: Array, py: Array) -> str:
    """A path of relative steps, broken where a number is missing."""
    known = np.isfinite(px) & np.isfinite(py)
    begins = np.flatnonzero(known & ~np.concatenate([[False], known[:-1]]))
    ends = np.flatnonzero(known & ~np.concatenate([known[1:], [False]])) + 1
    drawn, place = [], np.zeros(2)
    for first, last in zip(begins, ends):
        points = np.rint(np.clip(np.column_stack([px[first:last], py[first:last]]), -WIDE, 2 * WIDE))
        steps = np.diff(points, axis=0, prepend=place[None, :]).astype(int)
        kept = np.concatenate([[True], np.any(steps[1:] != 0, axis=1)])
        drawn.append("m" + " ".join(f"{dx} {dy}" for dx, dy in steps[kept].tolist()) + ("h0" if kept.sum() == 1 else ""))
        place = points[-1]
    return "".join(drawn).replace(" -", "-")


def _band(band: Band, x: tuple[float, float], y: tuple[float, float]) -> Html:
    px = _places(band.x, x, WIDE)
    low, high = (HIGH - _places(edge, y, HIGH) for edge in (band.low, band.high))
    known = np.isfinite(px) & np.isfinite(low) & np.isfinite(high)
    around = _strokes(np.concatenate([px[known], px[known][::-1]]), np.concatenate([high[known], low[known][::-1]]))
    path = '<path class="band" data-s="{name}" style="fill:var(--{colour})" d="{around}"/>'
    return fill(path, name=band.name, colour=band.colour, around=Html(around + "z" if around else ""))


def _level(level: Level, x: tuple[float, float], y: tuple[float, float]) -> Html:
    at = HIGH - float(_places([level.y], y, HIGH)[0])
    if not -1 <= at <= HIGH + 1:
        return Html("")
    line = fill('<path class="thin" style="stroke:var(--{colour})" d="M0 {at:.0f}h4000"/>', colour=level.colour, at=at)
    far = {1: 0.0, -1: float(HIGH)}.get(level.beyond, at)
    shade = '<path class="beyond" style="fill:var(--{colour})" d="M0 {at:.0f}h4000V{far:.0f}H0z"/>'
    return joined([line, fill(shade, colour=level.colour, at=at, far=far) if level.beyond else ""])


def _mark(mark: Mark, x: tuple[float, float]) -> Html:
    a, b = _places([mark.start, mark.stop], x, WIDE)
    shade = '<path class="mark" style="fill:var(--{colour});opacity:{opacity}" d="M{a:.0f} 0H{b:.0f}V1000H{a:.0f}z"/>'
    return fill(shade, colour=mark.colour, opacity=mark.opacity, a=a, b=b)


def _head(mark: Mark, x: tuple[float, float]) -> Html:
    at = float(_places([0.5 * (mark.start + mark.stop) if mark.at is None else mark.at], x, 100)[0])
    head = '<b class="head" style="left:{at:.2f}%;color:var(--{colour})" title="{words}">{label}</b>'
    return fill(head, at=at, colour=mark.colour, words=mark.words, label=mark.label)


def _y_ticks(y: tuple[float, float], height: int) -> Html:
    found = ticks(*y, most=max(5, height // 34))
    step = found[1] - found[0] if len(found) > 1 else 1.0
    line = '<i class="y" style="top:{at:.2f}%"><b>{label}</b></i>'
    return joined([fill(line, at=100 - float(_places([t], y, 100)[0]), label=tick_label(t, step)) for t in found])


def _x_ticks(x: tuple[float, float], unit: str) -> Html:
    found = ticks(*x, most=5)
    step = found[1] - found[0] if len(found) > 1 else 1.0
    line = '<i class="{kind}" style="left:{at:.2f}%"><b>{label}</b></i>'
    places = _places(found, x, 100)
    labels = [tick_label(t, step) for t in found]
    labels = [*labels[:-1], f"{labels[-1]} {unit}".strip()] if labels else []
    kinds = ["x last" if at > 90 else "x" for at in places]  # the last one must not leave the page
    return joined([fill(line, kind=kind, at=float(at), label=text) for kind, at, text in zip(kinds, places, labels)])

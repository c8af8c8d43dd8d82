"""How pictures look: one colour per joint everywhere, one font, light lines; names of strangers shown as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bifilar.dynamics.tree import Array

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

# Okabe and Ito's colours, told apart with colour-blind eyes too, and four more.
JOINTS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7A5195", "#8C564B", "#6B7280", "#A3A500")
INK, QUIET, GRID, FORBIDDEN = "#1f2937", "#6b7280", "#e5e7eb", "#b91c1c"
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
MOST_POINTS = 500  # of one line


def colour(joint: int) -> str:
    """Colour of the joint at this place.

    >>> colour(0) == colour(len(JOINTS))
    True
    """
    return JOINTS[joint % len(JOINTS)]


def label(name: str) -> str:
    """A name as a picture may show it: plotly reads tags in texts, and control characters are spelt out.

    >>> label("<b>arm")
    '&lt;b&gt;arm'
    """
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape", "backslashreplace").decode() for c in name)
    return shown.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def thinned(time: Array, *tables: Array) -> tuple[Array, ...]:
    """Every so-many-th sample, the last one included, so that a line has no more points than a screen shows.

    >>> len(thinned(np.arange(10_001.0))[0])
    478
    """
    every = max(1, -(-len(time) // MOST_POINTS))
    keep = np.unique(np.append(np.arange(0, len(time), every), len(time) - 1))
    return tuple(np.asarray(table)[keep] for table in (time, *tables))


def figure(height: int, **layout: Any) -> Figure:
    """An empty figure in the house style; it takes the width of the page.

    >>> figure(200).layout.height
    200
    """
    from plotly.graph_objects import Figure

    settings: dict[str, Any] = {
        "template": "none",
        "height": height,
        "margin": {"l": 56, "r": 12, "t": 30, "b": 40},
        "font": {"family": FONT, "size": 13, "color": INK},
        "hoverlabel": {"font": {"family": FONT, "size": 13}},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "white",
        "colorway": list(JOINTS),
    }
    return Figure(layout=settings | layout)


def legend() -> dict[str, Any]:
    """A legend below the axes, centred.

    >>> legend()["orientation"]
    'h'
    """
    return {"orientation": "h", "x": 0.5, "xanchor": "center", "y": 0, "yref": "container", "yanchor": "bottom"}


def axis(title: str = "", **more: Any) -> dict[str, Any]:
    """Settings of an axis in the house style.

    >>> axis("time [s]")["title"]["text"]
    'time [s]'
    """
    settings = {
        "title": {"text": title, "font": {"size": 13, "color": QUIET}, "standoff": 8},
        "gridcolor": GRID,
        "linecolor": "#9ca3af",
        "zeroline": False,
        "showline": True,
        "ticks": "outside",
        "ticklen": 4,
        "tickcolor": "#9ca3af",
        "tickfont": {"size": 12},
        "automargin": True,
        "ticklabeloverflow": "allow",
    }
    return settings | more

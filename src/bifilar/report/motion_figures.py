"""Joint motions beside their limits: a small picture per joint, and all joints together in shares of their limits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.report.style import FORBIDDEN, QUIET, axis, colour, figure, label, legend, thinned
from bifilar.report.usage import Use

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

SMALL = 196  # [px] height of a joint's picture


def joint_figures(time: Array, use: Use, joint_names: Sequence[str]) -> list[Figure]:
    """A picture per joint: the quantity over time, its limits as red lines, what is forbidden shaded.

    >>> from bifilar.report.usage import used
    >>> robot = bf.Robot.load("two_link")
    >>> motion = bf.quintic(robot.joint_names, [[0.0, 0.0], [1.0, -1.0]], [0.0, 2.0]).sample(100)
    >>> len(joint_figures(motion.time, used(robot, motion)[0], robot.joint_names))
    2
    """
    return [_joint(time, use, k, name) for k, name in enumerate(joint_names)]


def _joint(time: Array, use: Use, k: int, name: str) -> Figure:
    t, values = thinned(time, use.values[:, k])
    title = f"<b>{label(name)}</b>  {use.quantity} [{use.units[k]}]"
    drawn = figure(SMALL, margin={"l": 46, "r": 22, "t": 30, "b": 26}, showlegend=False)
    drawn.update_layout(title={"text": title, "font": {"size": 13}, "x": 0.01, "y": 0.97, "yanchor": "top"})
    low, high = _window(values, use.lower[k], use.upper[k])
    drawn.update_xaxes(axis("", range=[t[0], t[-1]], ticksuffix=" s"))
    drawn.update_yaxes(axis("", range=[low, high], nticks=6))
    for limit, far in ((use.lower[k], low), (use.upper[k], high)):
        if np.isfinite(limit) and low <= limit <= high:
            drawn.add_hrect(limit, far, fillcolor=FORBIDDEN, opacity=0.08, line_width=0)
            drawn.add_hline(limit, line={"color": FORBIDDEN, "width": 1})
    hover = f"%{{x:.2f}} s: %{{y:.3f}} {use.units[k]}<extra></extra>"
    drawn.add_scatter(x=t, y=values, mode="lines", line={"color": colour(k), "width": 2}, hovertemplate=hover)
    return drawn


def _window(values: Array, lower: float, upper: float) -> tuple[float, float]:
    """What the axis shows: both limits if the values come near them, else the values and some air."""
    low, high = float(values.min()), float(values.max())
    span = max(high - low, 1e-9)
    if np.isfinite([lower, upper]).all() and upper - lower < 8 * span:
        low, high, span = min(low, lower), max(high, upper), max(upper - lower, span)
    return low - 0.08 * span, high + 0.08 * span


def shares_figure(time: Array, uses: Sequence[Use], joint_names: Sequence[str]) -> Figure:
    """All joints together, a row per quantity, as shares of their limits; a quantity without limits is left out.

    >>> from bifilar.report.usage import used
    >>> robot = bf.Robot.load("two_link")
    >>> motion = bf.quintic(robot.joint_names, [[0.0, 0.0], [1.0, -1.0]], [0.0, 2.0]).sample(100)
    >>> len(shares_figure(motion.time, used(robot, motion), robot.joint_names).data) % 2
    0
    """
    rows = [use for use in uses if np.isfinite(use.share).any()]
    drawn = figure(70 + 150 * len(rows), hovermode="closest", margin={"l": 64, "r": 24, "t": 10, "b": 66})
    drawn.update_layout(legend=legend())
    for number, use in enumerate(rows, 1):
        place = str(number) if number > 1 else ""
        top, bottom = 1 - (number - 1) / len(rows), 1 - number / len(rows)
        reach = 100 * max(1.0, float(np.nanmax(np.abs(use.shares)))) + 12
        last = number == len(rows)
        grid = axis(
            "", range=[-reach, reach], domain=[bottom + 0.02, top - 0.02], ticksuffix=" %", tickvals=[-100, -50, 0, 50, 100]
        )
        drawn.update_layout({f"yaxis{place}": grid})
        clock = axis("", anchor=f"y{place}", range=[time[0], time[-1]], showticklabels=last, ticksuffix=" s")
        drawn.update_layout({f"xaxis{place}": clock | ({} if number == 1 else {"matches": "x"})})
        _lines(drawn, time, use, joint_names, place)
        drawn.add_annotation(
            text=f"<b>{use.quantity}</b>", x=0.006, y=top - 0.03, xref="paper", yref="paper", showarrow=False,
            xanchor="left", yanchor="top", font={"color": QUIET}, bgcolor="rgba(255,255,255,0.8)",
        )  # fmt: skip
        for limit in (-100, 100):
            drawn.add_shape(
                type="line", xref=f"x{place} domain", yref=f"y{place}", x0=0, x1=1, y0=limit, y1=limit,
                line={"color": FORBIDDEN, "width": 1},
            )  # fmt: skip
    return drawn


def _lines(drawn: Figure, time: Array, use: Use, joint_names: Sequence[str], place: str) -> None:
    for k, name in enumerate(joint_names):
        if not np.isfinite(use.share[k]):
            continue
        t, share, values = thinned(time, 100 * use.shares[:, k], use.values[:, k])
        hover = f"{label(name)} at %{{x:.2f}} s: %{{customdata:.3g}} {use.units[k]} (%{{y:.0f}} %)<extra></extra>"
        drawn.add_scatter(
            x=t, y=share, customdata=values, mode="lines", name=label(name), legendgroup=str(k), showlegend=place == "",
            line={"color": colour(k), "width": 1.6}, xaxis=f"x{place}", yaxis=f"y{place}", hovertemplate=hover,
        )  # fmt: skip

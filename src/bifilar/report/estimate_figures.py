"""Pictures of an estimate: torque measured and predicted, errors before and after, values with their bars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.report.envelope import envelope
from bifilar.report.style import FORBIDDEN, GRID, INK, QUIET, axis, colour, figure, label, legend

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

BEFORE, AFTER, FLOOR = "#c2410c", "#0072B2", "#9ca3af"


def torque_figures(
    time: Array, measured: Array, predicted: Array, described: Array, names: Sequence[str], units: Sequence[str]
) -> list[Figure]:
    """One picture per joint: the torque as measured, as identified, and what each model leaves.

    >>> t = np.arange(5.0)
    >>> len(torque_figures(t, *np.zeros((3, 5, 2)), ["a", "b"], ["N m", "N m"]))
    2
    """
    drawn = []
    for k, name in enumerate(names):
        picture = figure(210, margin={"l": 48, "r": 8, "t": 28, "b": 30}, showlegend=False)
        picture.update_layout(title={"text": label(f"{name}  [{units[k]}]"), "font": {"size": 13}, "x": 0.02, "y": 0.97})
        for values, shade, width, word in (
            (described[:, k], BEFORE, 1.0, "description"),
            (measured[:, k], INK, 1.6, "measured"),
            (predicted[:, k], AFTER, 1.2, "identified"),
        ):
            line = envelope(time, values)
            hover = f"{word} %{{y:.3g}}<extra></extra>"
            dash = "dot" if word == "description" else "solid"
            picture.add_scatter(
                x=line.time,
                y=line.values,
                mode="lines",
                name=word,
                line={"color": shade, "width": width, "dash": dash},
                hovertemplate=hover,
            )
        picture.update_xaxes(axis("", ticksuffix=" s", nticks=5))
        picture.update_yaxes(axis("", nticks=5))
        drawn.append(picture)
    return drawn


def errors_figure(names: Sequence[str], described: Array, identified: Array, floor: Array) -> Figure:
    """Relative torque errors on unseen motion, joint by joint, before and after, beside what noise alone leaves.

    >>> errors_figure(["a"], np.ones(1), np.full(1, 0.1), np.full(1, 0.05)).data[0].name
    'description'
    """
    drawn = figure(320, barmode="group", bargap=0.25, bargroupgap=0.06, margin={"l": 60, "r": 12, "t": 10, "b": 70})
    drawn.update_layout(legend=legend())
    shown = [label(name) for name in names]
    top = 0.0
    for values, shade, word in ((described, BEFORE, "description"), (identified, AFTER, "identified"), (floor, FLOOR, "noise")):
        percent = np.where(np.isfinite(values), 100 * np.asarray(values), 0.0)
        top = max(top, float(np.max(percent, initial=0.0)))
        hover = f"%{{x}} {word}: %{{customdata:.3g}} %<extra></extra>"
        drawn.add_bar(
            x=shown, y=np.minimum(percent, 150.0), name=word, marker_color=shade, customdata=percent, hovertemplate=hover
        )
    drawn.update_yaxes(axis("of the torque", range=[0, 1.06 * min(max(top, 1.0), 150.0)], ticksuffix=" %"))
    drawn.update_xaxes(axis("", ticks="", tickangle=0 if len(shown) <= 8 else -45))
    return drawn


def values_figure(names: Sequence[str], described: Array, values: Array, deviations: Array, owners: dict[str, int]) -> Figure:
    """How far each value moved from the description, in its own deviations, with bars of two of them.

    >>> values_figure(["link1.mcx"], np.zeros(1), np.ones(1), np.full(1, 0.5), {}).data[0].x[0]
    np.float64(2.0)
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        moved = (values - described) / deviations
    known = np.flatnonzero(np.isfinite(moved))
    order = known[np.argsort(-np.abs(moved[known]), kind="stable")]
    drawn = figure(90 + 17 * max(len(order), 1), margin={"l": 10, "r": 16, "t": 14, "b": 44}, showlegend=False)
    drawn.add_vrect(x0=-2, x1=2, fillcolor=GRID, opacity=0.6, line_width=0)
    shades = [colour(owners[names[k].rpartition(".")[0]]) if names[k].rpartition(".")[0] in owners else QUIET for k in order]
    words = [f"{described[k]:.4g} → {values[k]:.4g} ± {deviations[k]:.2g}" for k in order]
    drawn.add_scatter(
        x=np.array([moved[k] for k in order]),
        y=[label(names[k]) for k in order],
        mode="markers",
        marker={"color": shades, "size": 8},
        customdata=words,
        hovertemplate="%{y}: %{customdata}<extra></extra>",
    )
    drawn.add_vline(0, line={"color": FORBIDDEN, "width": 1, "dash": "dot"})
    drawn.update_xaxes(axis("change from the description, in standard deviations"))
    drawn.update_yaxes(axis("", autorange="reversed", ticks="", tickfont={"size": 11}, dtick=1, showgrid=False))
    return drawn

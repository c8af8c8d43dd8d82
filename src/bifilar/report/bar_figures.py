"""Bars: how much of every limit is used, and how well each parameter will be known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.report.style import FORBIDDEN, QUIET, axis, colour, figure, label, legend
from bifilar.report.usage import Use

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

SHADES = {"position": "#1f4e79", "velocity": "#4a90c2", "acceleration": "#9cc5e3", "torque": "#e0a040"}


def margins_figure(uses: Sequence[Use], joint_names: Sequence[str]) -> Figure:
    """The largest share of its limits that every joint uses; what is above the bar, up to 100 %, is the margin.

    >>> from bifilar.report.usage import used
    >>> robot = bf.Robot.load("two_link")
    >>> motion = bf.quintic(robot.joint_names, [[0.0, 0.0], [1.0, -1.0]], [0.0, 2.0]).sample(100)
    >>> margins_figure(used(robot, motion), robot.joint_names).data[0].name
    'position'
    """
    drawn = figure(320, barmode="group", bargap=0.25, bargroupgap=0.06, margin={"l": 60, "r": 12, "t": 10, "b": 70})
    drawn.update_layout(legend=legend())
    names = [label(name) for name in joint_names]
    top = 100.0
    for use in uses:
        share = 100 * use.share
        if not np.isfinite(share).any():
            continue
        top = max(top, float(np.nanmax(share)))
        words = [f"{low:.3g} to {high:.3g} {unit}" for low, high, unit in zip(use.lowest, use.highest, use.units)]
        drawn.add_bar(
            x=names, y=np.where(np.isfinite(share), share, 0.0), name=use.quantity, marker_color=SHADES[use.quantity],
            customdata=words, hovertemplate="%{x} " + use.quantity + ": %{y:.1f} %, %{customdata}<extra></extra>",
        )  # fmt: skip
    drawn.add_hline(100, line={"color": FORBIDDEN, "width": 1.5})
    drawn.update_yaxes(axis("of the limit", range=[0, 1.06 * top], ticksuffix=" %"))
    drawn.update_xaxes(axis("", ticks="", tickangle=0 if len(names) <= 8 else -45))
    return drawn


class Promise(NamedTuple):
    """How well a base parameter will be known.

    >>> Promise("link1.mass", 0.02, 2.0, 2.0).relative
    0.01
    """

    name: str
    deviation: float  # predicted standard deviation, in the parameter's unit
    value: float  # that the description states for it
    size: float  # what the deviation is compared with: the value, or a tenth of the largest of its kind if that is more

    @property
    def relative(self) -> float:
        """Of the size; infinite if nothing of its kind is stated.

        >>> Promise("joint1.viscous", 0.02, 0.0, 0.0).relative
        inf
        """
        return self.deviation / self.size if self.size else np.inf


def promises(deviations: Mapping[str, float], values: Mapping[str, float], sizes: Mapping[str, float]) -> list[Promise]:
    """Deviations beside the stated values and sizes, the best known first, those of unknown size last.

    >>> [promise.name for promise in promises({"a": 1.0, "b": 1.0}, {"a": 1.0, "b": 5.0}, {"a": 1.0, "b": 5.0})]
    ['b', 'a']
    """
    found = [Promise(name, deviation, values[name], sizes[name]) for name, deviation in deviations.items()]
    return sorted(found, key=lambda promise: (promise.relative, promise.name))


def deviations_figure(found: Sequence[Promise], owners: Mapping[str, int]) -> Figure:
    """Predicted relative deviation of every base parameter, sorted; `owners`: the joint of each link and joint by name.

    >>> deviations_figure([Promise("link1.mass", 0.1, 2.0, 2.0)], {"link1": 0}).data[0].x[0]
    np.float64(5.0)
    """
    shown = [promise for promise in found if np.isfinite(promise.relative)]
    percent: Array = np.array([100 * promise.relative for promise in shown])
    names = [label(promise.name) for promise in shown]
    drawn = figure(90 + 17 * max(len(shown), 1), margin={"l": 10, "r": 16, "t": 34, "b": 44}, showlegend=False, bargap=0.25)
    colours = [colour(owners[owner]) if (owner := promise.name.rpartition(".")[0]) in owners else QUIET for promise in shown]
    words = [f"{promise.value:.3g} ± {promise.deviation:.2g}" for promise in shown]
    drawn.add_bar(
        x=percent, y=names, orientation="h", marker_color=colours, customdata=words,
        hovertemplate="%{y}: %{x:.3g} %, %{customdata}<extra></extra>",
    )  # fmt: skip
    low, high = (percent.min(), percent.max()) if len(percent) else (1.0, 100.0)
    ends = [np.floor(np.log10(low)) - 0.1, max(np.ceil(np.log10(high)), 2.0) + 0.1]
    scale = axis(
        "predicted deviation / size",
        type="log",
        range=ends,
        ticksuffix=" %",
        dtick=1,
        exponentformat="none",
    )
    drawn.update_xaxes(scale)
    drawn.update_yaxes(axis("", autorange="reversed", ticks="", tickfont={"size": 11}, dtick=1, showgrid=False))
    look = {"y": 1, "yref": "paper", "yanchor": "bottom", "showarrow": False, "font": {"size": 11, "color": QUIET}}
    for at, side, text in ((10, "right", "good below 10 %"), (100, "left", "above 100 %: unknown")):
        drawn.add_vline(at, line={"color": FORBIDDEN if at == 100 else QUIET, "width": 1, "dash": "dot"})
        drawn.add_annotation(x=np.log10(at), xanchor=side, text=text, **look)
    return drawn

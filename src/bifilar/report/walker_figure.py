"""A walker as a stick figure that walks on the page: as it was, and beside it as a filter believed."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics.tree import Array
from bifilar.report.markup import Html, fill
from bifilar.walking.picture import postures
from bifilar.walking.walker import Walker

FRAMES = 300  # at most
DIGITS = 3


def walker_figure(
    walker: Walker,
    time: Array,
    angles: Array,
    stance: NDArray[np.int64],
    *,
    origin: Array | None = None,
    estimated: Array | None = None,
) -> Html:
    """An animation; `angles` and `estimated` (N, n) of the links in the order of the first foot's model.

    >>> from bifilar.walking.walker import Walker
    >>> still = np.zeros((3, 3))
    >>> "<canvas" in walker_figure(Walker.load("walker3"), np.arange(3.0), still, np.zeros(3, dtype=int))
    True
    """
    along = origins(walker, angles, stance) if origin is None else origin
    pick = np.unique(np.linspace(0, len(time) - 1, FRAMES).astype(int))
    shown = postures(walker, stance[pick], angles[pick], along[pick])
    names = walker.planar(0).names
    middle = shown[:, names.index(walker.base), 0, 0]  # where the torso hangs
    heights = shown[..., 1]
    low, high = min(float(heights.min()), 0.0), max(float(heights.max()), 0.1)
    data: dict[str, Any] = {
        "time": _numbers(time[pick] - time[0]),
        "shown": _numbers(shown.reshape(len(pick), -1)),
        "middle": _numbers(middle),
        "height": [round(low, DIGITS), round(high, DIGITS)],
        "slope": round(walker.slope, 5),
        "names": list(names),
    }
    boxes = []
    if estimated is not None:
        believed = postures(walker, stance[pick], np.nan_to_num(estimated[pick]), along[pick])
        data["estimated"] = _numbers(believed.reshape(len(pick), -1))
        box = (
            '<label><input type="checkbox" name="{key}" checked> '
            '<i class="key {kind}" style="color:var(--{ink})"></i>{word}</label>'
        )
        words = (("shown", "thick", "ink", "as it was"), ("estimated", "dashed", "identified", "as estimated"))
        boxes = [fill(box, key=key, kind=kind, ink=ink, word=word) for key, kind, ink, word in words]
    return fill(
        '<div class="walker"><canvas role="img" aria-label="the walker"></canvas><div class="controls">'
        '<button type="button">Play</button>'
        '<input type="range" min="0" max="{last}" value="0" aria-label="time"><output></output>'
        '{boxes}</div><script type="application/json">{data}</script></div>',
        last=len(pick) - 1,
        boxes=boxes,
        data=Html(json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")),  # a name cannot end the script
    )


def origins(walker: Walker, angles: Array, stance: NDArray[np.int64]) -> Array:
    """Where along the ground the standing foot is (N,), from zero: at a touchdown the foot that comes down stays where it is.

    >>> from bifilar.walking.walker import Walker
    >>> leaning = np.array([[0.2, 0.0, -0.2], [0.2, 0.0, -0.2]])
    >>> origins(Walker.load("walker3"), leaning, np.array([0, 1])).round(3)
    array([0.   , 0.213])
    """
    out, names = np.zeros(len(stance)), walker.planar(0).names
    for k in np.flatnonzero(stance[1:] != stance[:-1]) + 1:
        old = int(stance[k - 1])
        planar, way = walker.planar(old), walker.way(walker.feet[1 - old], old)
        t = angles[k][[names.index(name) for name in planar.names]]
        out[k:] += float(np.sum(np.cos(t) * way[:, 0] + np.sin(t) * way[:, 1]))
    return out


def _numbers(array: Array) -> Any:
    return np.round(np.where(np.isfinite(array), array, 0.0), DIGITS).tolist()

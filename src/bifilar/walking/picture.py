"""Stick figures as SVG: lines from joint to joint, in the frame of the ground."""

from __future__ import annotations

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.walking.phases import Phases
from bifilar.walking.planar import Planar, placed
from bifilar.walking.walker import Walker


def bones(planar: Planar, foot: Array, ends: Array | None = None) -> list[tuple[int, Array, Array]]:
    """Lines of a figure: (link, ways to its first end, ways to its second end), each (n, 2).

    A link's line runs from where it hangs to where the next ones hang, to the swing foot, or to twice its centre of mass.

    >>> from bifilar.walking.walker import Walker
    >>> phases = Phases.of(Walker.load("walker3"))
    >>> len(bones(phases.planar[0], phases.foot[0]))
    3
    """
    n = len(planar)
    lines = []
    last = int(np.flatnonzero(foot.any(axis=1))[-1]) if foot.any() else -1
    for k in range(n):
        start = planar.ways[k]
        nexts = [j for j in range(n) if planar.ways[j, k].any() and j != k]
        if nexts:
            end = start.copy()
            end[k] += planar.ways[nexts[0], k]
        elif k == last:
            end = foot
        else:
            end = start.copy()
            own = planar.moment[k]  # a link that carries nothing: its first moment is its own
            size = np.linalg.norm(own)
            end[k] += own / size * 2 * _reach(planar, k) if size > 0 else 0.0
        lines.append((k, start, end))
    return lines


def _reach(planar: Planar, link: int) -> float:
    """Distance of the centre of mass that a link with this moment and inertia has, if the mass sat in one point."""
    return float(planar.parts[0, link, link] / max(np.linalg.norm(planar.moment[link]), 1e-12)) * 0.8


def figure(phases: Phases, stance: int, angles: Array) -> list[tuple[str, Array, Array]]:
    """Name, first and second end (x, z) [m] of every link, from the standing foot.

    >>> from bifilar.walking.walker import Walker
    >>> figure(Phases.of(Walker.load("walker3")), 0, np.zeros(3))[0][2]
    array([0.   , 0.535])
    """
    planar = phases.planar[stance]
    lines = bones(planar, phases.foot[stance])
    return [(planar.names[k], placed(angles, a).sum(axis=0), placed(angles, b).sum(axis=0)) for k, a, b in lines]


def postures(walker: Walker, stance: Array, angles: Array, origin: Array) -> Array:
    """Both ends (x, z) [m] of every link at N instants, (N, links, 2, 2), links in the order of the first foot's model.

    `angles` (N, n) in that order too, whichever foot stands; `origin` (N,): where along the ground it stands.

    >>> from bifilar.walking.walker import Walker
    >>> postures(Walker.load("leg"), np.array([0]), np.zeros((1, 2)), np.zeros(1))[0, 0].round(2) + 0.0
    array([[ 0.  ,  0.  ],
           [ 0.  , -0.25]])
    """
    names = walker.planar(0).names
    out = np.zeros((len(angles), len(names), 2, 2))
    for foot in range(len(walker.feet)):
        mine, planar = np.flatnonzero(stance == foot), walker.planar(foot)
        swing = walker.way(walker.feet[1 - foot], foot) if len(walker.feet) == 2 else np.zeros((len(planar), 2))
        own = angles[mine][:, [names.index(name) for name in planar.names]]
        for link, *ends in bones(planar, swing):
            for k, way in enumerate(ends):
                out[mine, names.index(planar.names[link]), k] = placed(own, way).sum(axis=-2)
    out[..., 0] += origin[:, None, None]
    return out


def strobe(phases: Phases, states: Array, stance: int = 0, *, width: int = 640) -> str:
    """Some postures side by side in one drawing.

    >>> from bifilar.walking.walker import Walker
    >>> strobe(Phases.of(Walker.load("walker3")), np.zeros((2, 6))).count("<line")
    7
    """
    n = len(phases)
    drawn = [figure(phases, stance, x[:n]) for x in states]
    points = np.array([end for posture in drawn for _, a, b in posture for end in (a, b)])
    size = float(np.ptp(points[:, 1])) or 1.0
    apart = 0.45 * size
    left, low = points[:, 0].min() - 0.1 * size, min(points[:, 1].min(), 0.0) - 0.05 * size
    wide = points[:, 0].max() + 0.1 * size - left + apart * (len(states) - 1)
    high = points[:, 1].max() + 0.1 * size - low
    scale = width / wide
    lines = [_line(0, -low * scale, width, -low * scale, high * scale, "ground")]
    for k, posture in enumerate(drawn):
        shift = k * apart - left
        for name, a, b in posture:
            ends = ((a[0] + shift) * scale, (a[1] - low) * scale, (b[0] + shift) * scale, (b[1] - low) * scale)
            lines.append(_line(*ends, high * scale, "bone", name))
    body = "".join(lines)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {high * scale:.0f}" role="img" '
        f'stroke="currentColor" stroke-linecap="round" fill="none">{body}</svg>'
    )


def _line(x1: float, z1: float, x2: float, z2: float, high: float, kind: str, name: str = "") -> str:
    thick = 1 if kind == "ground" else 2.5
    title = f"<title>{name}</title>" if name.isidentifier() else ""
    return (
        f'<line class="{kind}" x1="{x1:.1f}" y1="{high - z1:.1f}" x2="{x2:.1f}" y2="{high - z2:.1f}" '
        f'stroke-width="{thick}">{title}</line>'
    )

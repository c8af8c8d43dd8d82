"""Bodies in space: links as sticks, inertias as ellipsoids, before and after, along a motion.

The ellipsoid drawn for a body is the solid one of even density with the same mass, centre and inertia:

    half axes = sqrt(5 eigenvalues of S / m),        S / m = (tr(I)/2 - I) / m - c c'      about the centre of mass c

The page's script turns and plays it; an ellipsoid seen from far away is an ellipse, so no graphics library is needed.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from bifilar.dynamics import decompose
from bifilar.dynamics.tree import Array
from bifilar.report.markup import Html, fill
from bifilar.robot.robot import Robot

INSTANTS = 60  # of the slider
PATH = 200  # points of the path of an end
DIGITS = 4


def ellipsoid(ten: Array) -> tuple[Array, Array] | None:
    """Centre (3,) and half axes (3, 3), one in each row, of a body; None of a body without mass or that could not exist.

    >>> ball = bf.Inertia.from_center_of_mass(2.0, [0.1, 0, 0], 2.0 * 0.4 * 0.3**2 * np.eye(3))
    >>> centre, half = ellipsoid(ball.vector)
    >>> np.linalg.norm(half, axis=1).round(3)
    array([0.3, 0.3, 0.3])
    """
    mass = float(ten[0])
    if not mass > 1e-9:
        return None
    centre = ten[1:4] / mass
    xx, xy, yy, xz, yz, zz = ten[4:10]
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    spread = (0.5 * np.trace(inertia) * np.eye(3) - inertia) / mass - np.outer(centre, centre)
    sizes, axes = decompose.eigh(spread)
    if sizes[0] < -1e-6 * max(sizes[2], 1e-12):
        return None
    return centre, (axes * np.sqrt(5 * np.maximum(sizes, 0.0))).T


def space(
    robot: Robot,
    time: Array,
    position: Array,
    *,
    described: Array | None = None,
    identified: Array | None = None,
    words: Sequence[Sequence[str]] = (),
) -> Html:
    """The robot along a motion; `described`, `identified`: ten numbers of every body, `words` what is said of each.

    >>> robot = bf.Robot.load("two_link")
    >>> "<canvas" in space(robot, np.arange(3.0), np.zeros((3, 2)), described=robot.body_parameters)
    True
    """
    pick = np.unique(np.linspace(0, len(time) - 1, INSTANTS).astype(int))
    names = robot.frame_names
    turns, places = robot.poses(position[pick])  # (instants, links, 3, 3), (instants, links, 3)
    bodies = [names.index(name) for name in robot.body_names if name in names]
    ends = [names.index(name) for name in _ends(robot)]
    path = robot.poses(position[:: max(1, len(position) // PATH)])[1]
    moving = {joint.name: names.index(joint.child) for joint in robot.joints if joint.name in robot.joint_names}
    low, high = _extent(places, turns, bodies, [each for each in (described, identified) if each is not None])
    data: dict[str, Any] = {
        "time": _numbers(time[pick] - time[0]),
        "frames": [
            {"o": _numbers(place), "b": [[_numbers(turn[k].ravel()), _numbers(place[k])] for k in bodies]}
            for turn, place in zip(turns, places)
        ],
        "sticks": [
            [names.index(joint.parent), names.index(joint.child)]
            for joint in robot.joints
            if joint.parent in names and joint.child in names
        ],
        "joints": [moving[name] for name in robot.joint_names if name in moving],
        "paths": [_numbers(path[:, k]) for k in ends[:4]],
        "centre": _numbers(0.5 * (low + high)),
        "reach": round(0.56 * float(np.max(high - low)) + 0.05, DIGITS),
        "floor": round(min(float(low[2]), 0.0), DIGITS),
        "described": _shapes(described),
        "identified": _shapes(identified),
        "words": [list(lines) for lines in words] or [[name] for name in robot.body_names],
    }
    both = [(word, key) for word, key in (("description", "described"), ("identified", "identified")) if data[key]]
    box = '<label><input type="checkbox" name="{key}" checked> <i class="key box" style="color:var(--{key})"></i>{word}</label>'
    return fill(
        '<div class="space"><canvas role="img" aria-label="the robot in space"></canvas><div class="controls">'
        '<button type="button">Play</button><input type="range" min="0" max="{last}" value="0" '
        'aria-label="time"><output></output>'
        '{boxes}</div><script type="application/json">{data}</script></div>',
        last=len(pick) - 1, boxes=[fill(box, key=key, word=word) for word, key in both],
        data=Html(json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")),  # a name cannot end the script
    )  # fmt: skip


def _ends(robot: Robot) -> list[str]:
    """Links nothing hangs on, that move."""
    parents = {joint.parent for joint in robot.joints}
    return [name for name, place in robot.link_map().items() if name not in parents and place.body]


def _extent(places: Array, turns: Array, bodies: list[int], shapes: list[Array]) -> tuple[Array, Array]:
    """Corners of a box around all links at all instants, and around the ellipsoids at the first, within reason."""
    low, high = places.min(axis=(0, 1)), places.max(axis=(0, 1))
    room = 0.5 * float(np.max(high - low)) + 0.05
    points = [low, high]
    for each in shapes:
        for body, ten in zip(bodies, each):
            found = ellipsoid(ten)
            if found is not None:
                half = np.linalg.norm(turns[0, body] @ found[1].T, axis=1)
                middle = turns[0, body] @ found[0] + places[0, body]
                points += [np.maximum(middle - half, low - room), np.minimum(middle + half, high + room)]
    return np.min(points, axis=0), np.max(points, axis=0)


def _shapes(bodies: Array | None) -> list[dict[str, Any] | None] | None:
    if bodies is None:
        return None
    found = [ellipsoid(ten) for ten in bodies]
    return [None if one is None else {"c": _numbers(one[0]), "a": _numbers(one[1])} for one in found]


def _numbers(array: Array) -> Any:
    return np.round(np.where(np.isfinite(array), array, 0.0), DIGITS).tolist()

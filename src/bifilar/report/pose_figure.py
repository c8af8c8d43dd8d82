"""The motion in space: the links as sticks between their origins, with a slider for time and the paths of the ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.experiment.trajectory import Motion
from bifilar.report.style import GRID, INK, QUIET, colour, figure, label
from bifilar.robot.robot import Robot

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

INSTANTS = 60  # poses on the slider
STICK = "#374151"


def pose_figure(robot: Robot, motion: Motion) -> Figure:
    """A stick figure with a slider; drag to turn, scroll to zoom.

    >>> robot = bf.Robot.load("two_link")
    >>> len(pose_figure(robot, bf.quintic(robot.joint_names, [[0, 0], [1, -1]], [0.0, 2.0]).sample(100)).frames)
    60
    """
    from plotly.graph_objects import Frame

    motion = motion.joints(robot.joint_names)
    pick = np.unique(np.linspace(0, len(motion) - 1, INSTANTS).astype(int))
    names = robot.frame_names
    places = robot.poses(motion.position[pick])[1]  # (instants, links, 3)
    path = robot.poses(motion.position[:: max(1, len(motion) // 400)])[1]
    sticks = [(names.index(joint.parent), names.index(joint.child)) for joint in robot.joints]
    drawn = figure(600, margin={"l": 0, "r": 0, "t": 0, "b": 104}, showlegend=False)
    for end in _ends(robot):
        drawn.add_scatter3d(
            **_line(path[:, names.index(end)]), mode="lines", line={"color": "#9ca3af", "width": 2}, hoverinfo="skip"
        )
    first = len(drawn.data)
    drawn.add_scatter3d(**_sticks(places[0], sticks), mode="lines", line={"color": STICK, "width": 9}, hoverinfo="skip")
    drawn.add_scatter3d(**_joints(robot, places[0]))
    drawn.frames = [
        Frame(
            data=[{"type": "scatter3d", **_sticks(place, sticks)}, {"type": "scatter3d", **_joints(robot, place)}],
            traces=[first, first + 1],
            name=f"{motion.time[k] - motion.time[0]:.2f}",
        )
        for k, place in zip(pick, places)
    ]
    drawn.update_layout(scene=_scene(places), updatemenus=[_play()], sliders=[_slider(motion.time[pick] - motion.time[0])])
    return drawn


def _ends(robot: Robot) -> list[str]:
    """Links nothing hangs on, that move."""
    parents = {joint.parent for joint in robot.joints}
    return [name for name, place in robot.link_map().items() if name not in parents and place.body]


def _line(points: Any) -> dict[str, Any]:
    return dict(zip("xyz", points.T))


def _sticks(place: Array, sticks: list[tuple[int, int]]) -> dict[str, Any]:
    """All links as one line with gaps."""
    gap = np.full(3, np.nan)
    points = np.array([point for parent, child in sticks for point in (place[parent], place[child], gap)]).reshape(-1, 3)
    return _line(points.astype(np.float32))


def _joints(robot: Robot, place: Array) -> dict[str, Any]:
    """A ball where every moving joint is, in its colour."""
    names = robot.frame_names
    moving = {joint.name: names.index(joint.child) for joint in robot.joints if joint.name in robot.joint_names}
    points = np.array([place[moving[name]] for name in robot.joint_names]).reshape(-1, 3).astype(np.float32)
    colours = [colour(k) for k in range(len(robot.joint_names))]
    text = [label(name) for name in robot.joint_names]
    marker = {"size": 6, "color": colours, "line": {"color": "white", "width": 1}}
    return _line(points) | {"mode": "markers", "marker": marker, "text": text, "hovertemplate": "%{text}<extra></extra>"}


def _scene(places: Array) -> dict[str, Any]:
    """Equal scales, all of the motion in view; a floor where the lowest point is, or at the base."""
    low, high = places.min(axis=(0, 1)), places.max(axis=(0, 1))
    low[2] = min(low[2], 0.0)
    middle, reach = 0.5 * (low + high), 0.55 * float((high - low).max()) + 1e-3
    scene: dict[str, Any] = {"aspectmode": "cube", "dragmode": "orbit"}
    floor = low[2] - 0.02 * reach
    ranges = [[middle[0] - reach, middle[0] + reach], [middle[1] - reach, middle[1] + reach], [floor, floor + 2 * reach]]
    for letter, span in zip("xyz", ranges):
        scene[f"{letter}axis"] = {
            "title": {"text": f"{letter} [m]", "font": {"size": 12, "color": QUIET}},
            "tickfont": {"size": 11, "color": QUIET},
            "range": span,
            "nticks": 5,
            "gridcolor": GRID,
            "zeroline": False,
            "showbackground": True,
            "backgroundcolor": "#f9fafb",
        }
    scene["camera"] = {"eye": {"x": 1.45, "y": 1.45, "z": 0.75}, "center": {"x": 0, "y": 0, "z": -0.12}}
    return scene


def _play() -> dict[str, Any]:
    frame = {"frame": {"duration": 80, "redraw": True}, "transition": {"duration": 0}, "fromcurrent": True}
    stop = {"frame": {"duration": 0, "redraw": False}, "mode": "immediate", "transition": {"duration": 0}}
    buttons = [
        {"label": "▶", "method": "animate", "args": [None, frame]},
        {"label": "❚❚", "method": "animate", "args": [[None], stop]},
    ]
    look = {"bgcolor": "white", "bordercolor": "#d1d5db", "pad": {"t": 62}, "showactive": False}
    place = {"x": 0.02, "y": 0, "xanchor": "left", "yanchor": "top", "direction": "left"}
    return {"type": "buttons", "buttons": buttons, **look, **place}


def _slider(time: Array) -> dict[str, Any]:
    jump = {"mode": "immediate", "frame": {"duration": 0, "redraw": True}, "transition": {"duration": 0}}
    steps = [{"method": "animate", "label": f"{t:.2f} s", "args": [[f"{t:.2f}"], jump]} for t in time]
    look = {"bgcolor": "#d1d5db", "activebgcolor": "#0072B2", "borderwidth": 0, "ticklen": 0, "minorticklen": 0}
    told = {"prefix": "", "xanchor": "right", "font": {"size": 13, "color": INK}}
    hidden = {"color": "rgba(0,0,0,0)", "size": 1}  # sixty labels would lie on top of each other
    place = {"x": 0.02, "len": 0.96, "y": 0, "pad": {"t": 4, "b": 4}}
    return {"steps": steps, "active": 0, "currentvalue": told, "font": hidden, **look, **place}

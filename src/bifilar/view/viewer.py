"""A robot in the browser: a slider per joint, a recording played back, inertias before and after as ellipsoids.

viser (extra `view`) serves the page and keeps it up to date over a websocket; page and scripts come from the installed package,
nothing from elsewhere. The server listens on this machine only, unless told otherwise.
"""

from __future__ import annotations

import contextlib
import io
import os
import socket
import threading
import time
from html import escape
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bifilar.dynamics.tree import Array
from bifilar.errors import ResourceError, ShapeError
from bifilar.robot.robot import Robot
from bifilar.view.playback import Playback, Played
from bifilar.view.scene import Scene
from bifilar.view.words import SMALL, headline, mass_table

PICTURES = 30.0  # [1/s] while a motion is played
SLIDERS = 8.0  # [1/s] that sliders follow it: they are looked at less closely
WIDE = {"prismatic": 1.0}  # [m] that a slider goes without limits; pi for angles
DIGITS = 3  # behind the point of a slider's angle [rad] or way [m]
SPEEDS = ("0.1", "0.25", "0.5", "1", "2", "5")


class Viewer:
    """The page of one robot; `recording` is a Recording or samples of a motion, `identified` the robot after a fit.

    >>> with Viewer(bf.Robot.load("two_link"), port=8090) as viewer:
    ...     before = viewer.place("link2")
    ...     viewer.move([1.0, 0.5])
    ...     moved = viewer.place("link2") - before
    >>> bool(np.linalg.norm(moved) > 0.1)
    True
    """

    def __init__(
        self,
        robot: Robot,
        recording: Played | None = None,
        *,
        identified: Robot | None = None,
        mesh_folder: str | os.PathLike[str] | None = None,
        host: str = "127.0.0.1",
        port: int = 8080,
    ) -> None:
        self.robot = robot
        self._position = resting(robot)
        self.playback = None if recording is None else Playback(robot, recording, self._position)
        self.server = _server(host, port, robot.name)
        self._lock = threading.RLock()
        self._time = 0.0
        self._playing, self._closed = threading.Event(), threading.Event()
        self.scene = Scene(self.server, robot, identified=identified, mesh_folder=mesh_folder)
        self._furnish()
        self._panel(identified)
        self.move(self._position if self.playback is None else self.playback.at(0.0))
        self._player = threading.Thread(target=self._play_on, daemon=True)
        if self.playback is not None:
            self._player.start()

    @property
    def address(self) -> str:
        """What to open in a browser."""
        host = self.server.get_host()
        return f"http://{'localhost' if host in ('0.0.0.0', '127.0.0.1') else host}:{self.server.get_port()}"

    @property
    def position(self) -> Array:
        """Joint positions as drawn now.

        >>> resting(bf.Robot.load("two_link"))
        array([0., 0.])
        """
        return np.array(self._position)

    def place(self, link: str) -> Array:
        """Where a link's origin is drawn now [m].

        >>> Viewer.place.__annotations__["link"]
        'str'
        """
        return self.scene.place(link)

    def move(self, position: ArrayLike, *, sliders: bool = True) -> None:
        """Draw the robot at these joint positions.

        >>> with Viewer(bf.Robot.load("pendulum"), port=8090) as viewer:
        ...     viewer.move([0.5])
        ...     viewer.position
        array([0.5])
        """
        values = np.array(position, dtype=float)
        if values.shape != self._position.shape or not np.isfinite(values).all():
            raise ShapeError("position.form", position_count=len(self._position), position=position)
        with self._lock:
            self._position = values
            self.scene.move(values)
            for slider, value in zip(self.sliders if sliders else (), values):
                slider.value = float(np.clip(round(value, DIGITS), slider.min, slider.max))

    def play(self) -> None:
        """Play the recording from where it stands.

        >>> Viewer.play.__annotations__["return"]
        'None'
        """
        self._playing.set()

    def pause(self) -> None:
        """Stop where it is.

        >>> Viewer.pause.__annotations__["return"]
        'None'
        """
        self._playing.clear()
        with self._lock:  # sliders follow a little behind while it is played
            self.move(self._position)
            if self.playback is not None:
                self.clock.value = round(self._time, 2)

    def wait(self) -> None:
        """Serve the page until the viewer is closed or Ctrl-C is pressed.

        >>> Viewer.wait.__annotations__["return"]
        'None'
        """
        while not self._closed.wait(0.5):
            pass

    def close(self) -> None:
        """Stop serving.

        >>> Viewer.close.__annotations__["return"]
        'None'
        """
        if not self._closed.is_set():
            self._closed.set()
            self._playing.set()  # whoever waits for it finds that it is over
            if self._player.is_alive():
                self._player.join(timeout=5.0)
            with contextlib.redirect_stdout(io.StringIO()):  # viser says good-bye
                self.server.stop()

    def __enter__(self) -> Viewer:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _furnish(self) -> None:
        """Floor, light and where to look from."""
        reach = self.scene.reach
        self.server.gui.configure_theme(
            control_width="medium", show_logo=False, show_share_button=False, brand_color=(0, 114, 178)
        )
        cell = 10.0 ** np.floor(np.log10(reach))
        self.server.scene.add_grid("/floor", width=4 * reach, height=4 * reach, cell_size=cell / 5, section_size=cell)
        self.server.scene.configure_environment_map(None)  # costs a machine without a graphics card its first ten seconds
        self.server.scene.add_light_hemisphere("/sky", ground_color=(170, 170, 180), intensity=2.5)
        self.server.initial_camera.position = (0.72 * reach, 0.72 * reach, 0.65 * reach)
        self.server.initial_camera.look_at = (0.0, 0.0, 0.35 * reach)

    def _panel(self, identified: Robot | None) -> None:
        gui = self.server.gui
        gui.add_html(headline(self.robot, identified))
        if self.playback is not None:
            with gui.add_folder("Motion"):
                self._motion_panel(self.playback)
        with gui.add_folder("Joints"):
            self.sliders = [self._slider(k) for k in range(len(self.robot.joint_names))]
        with gui.add_folder("Show"):
            self._show_panel(identified is not None)
        notes = self.scene.notes + (
            [] if self.playback is None else [f"{name} is not recorded" for name in self.playback.missing]
        )
        with gui.add_folder("Masses", expand_by_default=identified is not None):
            gui.add_html(mass_table(self.robot, identified))
        if notes:
            more = [f"and {len(notes) - 8} more"] if len(notes) > 8 else []
            gui.add_html("".join(f"<p {SMALL}>{escape(note)}</p>" for note in notes[:8] + more))

    def _motion_panel(self, playback: Playback) -> None:
        gui = self.server.gui
        self.play_button, stop = gui.add_button("Play"), gui.add_button("Pause")
        end = max(float(np.ceil(100 * playback.duration) / 100), 0.01)
        self.clock = gui.add_slider("time [s]", min=0.0, max=end, step=0.01, initial_value=0.0)
        self.speed = gui.add_dropdown("speed", SPEEDS, initial_value="1")
        self.play_button.on_click(lambda _: self.play())
        stop.on_click(lambda _: self.pause())

        def turned(event: Any) -> None:
            if event.client is not None:  # a person's hand, not our own update
                self._playing.clear()
                self._time = float(self.clock.value)
                self.move(playback.at(self._time))

        self.clock.on_update(turned)

    def _slider(self, k: int) -> Any:
        name = self.robot.joint_names[k]
        low, high = slider_range(self.robot)[k]
        kind = self.robot.joint(name).kind
        unit = "m" if kind == "prismatic" else "rad"
        start = float(np.clip(round(self._position[k], DIGITS), low, high))
        slider = self.server.gui.add_slider(f"{name} [{unit}]", min=low, max=high, step=10.0**-DIGITS, initial_value=start)

        def turned(event: Any) -> None:
            if event.client is not None:
                played, value = self._playing.is_set(), float(slider.value)
                self._playing.clear()
                with self._lock:
                    position = self.position
                    position[k] = value
                    self.move(position, sliders=played)

        slider.on_update(turned)
        return slider

    def _show_panel(self, identified: bool) -> None:
        gui, scene = self.server.gui, self.scene

        def toggle(label: str, handles: list[Any], shown: bool) -> None:
            box = gui.add_checkbox(label, initial_value=shown)

            def turned(_: Any) -> None:
                for handle in handles:
                    handle.visible = box.value

            box.on_update(turned)
            turned(None)

        toggle("links", scene.links, True)
        toggle("inertia, described (orange)", scene.described, identified)
        if identified:
            toggle("inertia, identified (blue)", scene.identified, True)
        glass = gui.add_checkbox("look through links", initial_value=identified)
        glass.on_update(lambda _: scene.see_through(glass.value))
        scene.see_through(identified)
        axes = gui.add_checkbox("frames", initial_value=False)
        axes.on_update(lambda _: scene.show_frames(axes.value))

    def _play_on(self) -> None:
        """The thread that moves the robot while a motion is played."""
        assert self.playback is not None
        shown = before = time.monotonic()
        while not self._closed.is_set():
            if not self._playing.is_set():
                self._playing.wait()
                before = time.monotonic()
                continue
            now = time.monotonic()
            self._time = (self._time + (now - before) * float(self.speed.value)) % max(self.playback.duration, 1e-9)
            before = now
            follow = now - shown > 1 / SLIDERS
            self.move(self.playback.at(self._time), sliders=follow)
            if follow:
                shown, self.clock.value = now, round(self._time, 2)
            time.sleep(1 / PICTURES)


def resting(robot: Robot) -> Array:
    """Zero, or the nearest to it that every joint's limits allow.

    >>> resting(bf.Robot.load("panda"))[3]
    np.float64(-0.0698)
    """
    return np.clip(np.zeros(len(robot.joint_names)), robot.limits.lower, robot.limits.upper)


def slider_range(robot: Robot) -> list[tuple[float, float]]:
    """From where to where each joint's slider goes: its limits, or a turn where it has none.

    >>> slider_range(bf.Robot.load("panda"))[3]
    (-3.0718, -0.0698)
    """
    found = []
    for name, low, high in zip(robot.joint_names, robot.limits.lower, robot.limits.upper):
        wide = WIDE.get(robot.joint(name).kind, np.pi)
        low, high = (low if np.isfinite(low) else -wide), (high if np.isfinite(high) else wide)
        found.append((float(low), float(high)) if high > low else (float(low) - wide, float(low) + wide))
    return found


def _server(host: str, port: int, name: str) -> Any:
    try:
        import viser
    except ImportError:
        raise ResourceError("package.missing/viewer") from None
    try:
        socket.create_server((host, 0)).close()  # viser itself would wait for ever
    except OSError as error:
        raise ResourceError("viewer.address", host=host, strerror=error.strerror or error) from None
    with contextlib.redirect_stdout(io.StringIO()):  # its banner; who prints here is the command line
        return viser.ViserServer(host=host, port=port, label=f"bifilar: {name}", verbose=False)

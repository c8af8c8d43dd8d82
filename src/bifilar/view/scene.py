"""A robot in the scene of a viser server: a frame per link, what the link looks like in it, its inertia as an ellipsoid.

Only the frames move. A link is drawn by its visual shapes; by its collision shapes where a mesh of those cannot be read; and by
sticks to its joints where there is nothing else.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bifilar.dynamics.tree import Array
from bifilar.robot.description import Link, Pose, Shape
from bifilar.robot.inertia import Inertia
from bifilar.robot.robot import Robot
from bifilar.view.bodies import equivalent
from bifilar.view.meshes import Reader, mesh_reader
from bifilar.view.surfaces import Surface, surface_of

GREY, BLUE, ORANGE, RED = (176, 184, 196), (0, 114, 178), (230, 120, 0), (204, 41, 41)
STICK = 0.02  # radius as a share of the robot's reach
CLEAR = 0.35  # opacity of links that one looks through


class Scene:
    """What is drawn, and where it stands now.

    >>> Scene.__init__.__annotations__["robot"]
    'Robot'
    """

    def __init__(
        self,
        server: Any,
        robot: Robot,
        *,
        identified: Robot | None = None,
        mesh_folder: str | os.PathLike[str] | None = None,
    ) -> None:
        self.robot = robot
        self.reach = reach_of(robot)
        self.notes: list[str] = []
        self._server = server
        self._frames = [
            server.scene.add_frame(
                f"/robot/{k}", show_axes=False, axes_length=0.15 * self.reach, axes_radius=0.006 * self.reach
            )
            for k in range(len(robot.frame_names))
        ]
        self.links = self._links(mesh_reader(robot, mesh_folder))
        self.described = self._ellipsoids(robot, ORANGE, "described", wireframe=identified is not None)
        self.identified = [] if identified is None else self._ellipsoids(identified, BLUE, "identified", wireframe=False)

    def move(self, position: ArrayLike) -> None:
        """Put every link where these joint positions put it.

        >>> Scene.move.__annotations__["return"]
        'None'
        """
        from viser.transforms import SO3

        rotation, translation = self.robot.poses(np.asarray(position, dtype=float))
        turns = SO3.from_matrix(rotation).wxyz
        with self._server.atomic():
            for frame, turn, place in zip(self._frames, turns, translation):
                frame.wxyz, frame.position = turn, place

    def place(self, link: str) -> Array:
        """Where a link's origin is drawn now [m].

        >>> Scene.place.__annotations__["link"]
        'str'
        """
        return np.array(self._frames[self.robot.frame_names.index(link)].position)

    def see_through(self, through: bool) -> None:
        """Links as glass, so that ellipsoids inside are seen, or solid.

        >>> CLEAR < 1
        True
        """
        for handle in self.links:
            handle.opacity = CLEAR if through else None

    def show_frames(self, shown: bool) -> None:
        """The axes of every link's frame.

        >>> Scene.show_frames.__annotations__["shown"]
        'bool'
        """
        for frame in self._frames:
            frame.show_axes = shown

    def _links(self, read: Reader) -> list[Any]:
        drawn = []
        for k, name in enumerate(self.robot.frame_names):
            shapes, told = drawable(self.robot.link(name), read)
            self.notes += [f"{name}: {note}" for note in told]
            shapes = shapes or sticks(self.robot, name, STICK * self.reach)
            for number, (surface, pose) in enumerate(shapes):
                corners = surface.corners @ pose.rotation.T + pose.translation
                path = f"/robot/{k}/shape{number}"
                drawn.append(self._server.scene.add_mesh_simple(path, corners, surface.triangles, color=GREY))
        return drawn

    def _ellipsoids(self, robot: Robot, colour: tuple[int, int, int], what: str, *, wireframe: bool) -> list[Any]:
        from viser.transforms import SO3

        drawn = []
        for name, ten in zip(robot.body_names, robot.body_parameters):
            body = equivalent(Inertia.from_vector(ten))
            if body is None or name not in self.robot.frame_names:
                continue
            if not body.possible:
                self.notes.append(f"{name}: the {what} inertia could not exist; it is drawn red and flat")
            drawn.append(
                self._server.scene.add_icosphere(
                    f"/robot/{self.robot.frame_names.index(name)}/{what}",
                    radius=1.0,
                    subdivisions=2 if wireframe else 3,
                    wireframe=wireframe,
                    color=colour if body.possible else RED,
                    opacity=None if wireframe else 0.4,
                    scale=tuple(float(axis) for axis in body.half_axes),
                    wxyz=SO3.from_matrix(body.rotation).wxyz,
                    position=body.center,
                    cast_shadow=False,
                )
            )
        return drawn


def drawable(link: Link, read: Reader) -> tuple[list[tuple[Surface, Pose]], list[str]]:
    """What a link looks like, and what of it could not be drawn.

    >>> link = Link("hand", shapes=(Shape("mesh", (1.0, 1.0, 1.0), mesh="hand.dae"), Shape("sphere", (0.1,), role="collision")))
    >>> shapes, told = drawable(link, lambda shape: "hand.dae is not there")
    >>> len(shapes), told
    (1, ['hand.dae is not there; its collision shape is drawn'])
    """
    missing: list[str] = []
    for role, instead in (("visual", ""), ("collision", "; its collision shape is drawn")):
        shapes = [shape for shape in link.shapes if shape.role == role]
        found = [(read(shape) if shape.kind == "mesh" else surface_of(shape), shape.pose) for shape in shapes]
        whole = [(surface, pose) for surface, pose in found if isinstance(surface, Surface)]
        if shapes and len(whole) == len(found):
            return whole, [f"{why}{instead}" for why in missing[:1]]
        missing += [surface for surface, _ in found if isinstance(surface, str)]
    return [], [f"{why}; sticks are drawn" for why in missing[:1]]


def sticks(robot: Robot, link: str, radius: float) -> list[tuple[Surface, Pose]]:
    """A capsule from a link's origin to each joint it carries; a ball where it carries none.

    >>> len(sticks(bf.Robot.load("panda"), "link3", 0.01))
    1
    """
    ends = [joint.pose.translation for joint in robot.joints if joint.parent == link]
    found = [_capsule(end, radius) for end in ends if np.linalg.norm(end) > radius]
    return found or [(surface_of(Shape("sphere", (1.5 * radius,))), Pose())]


def reach_of(robot: Robot) -> float:
    """How large the robot is [m]: the farthest that joints and links are from its root along the tree, at least 0.1.

    >>> round(reach_of(bf.Robot.load("two_link")), 2) > 0.5
    True
    """
    far = {joint.child: (joint.parent, float(np.linalg.norm(joint.pose.translation))) for joint in robot.joints}

    def along(name: str) -> float:
        total = 0.0
        while name in far:
            name, step = far[name]
            total += step
        return total

    masses = [float(np.linalg.norm(link.inertia.center_of_mass)) for link in robot.links if link.inertia.mass > 0]
    return max(0.1, *(along(name) for name in robot.frame_names), *masses, 0.1)


def _capsule(end: Array, radius: float) -> tuple[Surface, Pose]:
    length = float(np.linalg.norm(end))
    z = end / length
    x = np.cross(z, np.eye(3)[int(np.argmin(np.abs(z)))])
    x /= np.linalg.norm(x)
    rod = surface_of(Shape("capsule", (radius, length)))
    return rod, Pose(np.column_stack([x, np.cross(z, x), z]), end / 2)

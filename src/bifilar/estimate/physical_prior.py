"""A prior that can exist, from a description that perhaps cannot.

Descriptions state impossible bodies (PUMA 560: no mass, yet inertia), points without size, or no inertia at all. The log-det
prior needs every body positive definite, so each is taken as stated where that is possible, otherwise

    mass, but moments that no body has    mass and centre of mass stay; second moments about it are raised to the least possible
    no mass                               a solid of water's density in the link's shapes; without shapes, a rod to a joint

and a sentence says so. Bodies at the border of what can exist (published models that were fitted with bounds are full of them:
Panda's link 2 is a sheet of 1 mm) would hold a fit at that border, because the prior is relative: they are made as thick as
links are. Second moments about the centre of mass are S_c = S - h h' / m (see robot/inertia.py).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics import decompose
from bifilar.dynamics.tree import Array
from bifilar.errors import Note, RobotError
from bifilar.estimate.bodies import margins, pseudo, ten_of
from bifilar.robot.capsules import Capsule, capsules
from bifilar.robot.inertia import Inertia
from bifilar.robot.robot import Robot

THINNEST = 0.15  # of the largest radius of gyration: the least thickness of a prior body; links from CAD are thicker
SMALLEST = 0.01  # [m] radius of gyration of a point
DENSITY = 1000.0  # [kg/m^3] of a capsule around a link: metal, motors and air
LIGHTEST, HEAVIEST = 50.0, 8000.0  # [kg/m^3] of such a capsule: a shell of foam or plastic, solid steel
SLIMNESS = 0.2  # radius over length of a rod that nothing is known of
SHORTEST = 0.1  # [m] length of such a rod


@dataclass(frozen=True, eq=False)
class PhysicalPrior:
    """Bodies that can exist.

    >>> from bifilar.estimate.physical_prior import physical_prior
    >>> physical_prior(bf.Robot.load("two_link")).notes
    ()
    """

    bodies: Array  # (bodies, 10) root first, as robot.body_parameters
    invented: NDArray[np.bool_]  # (bodies,) those of which the description says nothing
    notes: tuple[Note, ...]
    sized: bool = True  # whether shapes or distances between joints tell how large the invented bodies are


def physical_prior(robot: Robot) -> PhysicalPrior:
    """The description's bodies, repaired where none could be like that.

    >>> from bifilar.estimate.bodies import is_definite
    >>> from bifilar.estimate.physical_prior import physical_prior
    >>> odd = bf.Robot.load("pendulum").with_parameters({"link1.Izz": 3.0})
    >>> prior = physical_prior(odd)
    >>> prior.notes[0].code, prior.notes[0].facts["names"]
    ('prior.inconsistent_link', ['link1'])
    >>> is_definite(prior.bodies[1:])
    True
    """
    stated = np.array(robot.body_parameters)
    bodies, invented = stated.copy(), np.zeros(len(stated), dtype=bool)
    raised: list[str] = []
    thick: list[str] = []
    made: list[str] = []
    outlines: tuple[Capsule, ...] | None = None
    heavy = (stated[:, 0] > 0) & (np.abs(stated[:, 1:4]).max(axis=1) < 1e3 * stated[:, 0])
    heavy[0] &= robot.is_floating  # a base that stands still is never seen
    bodies[heavy] = _raised(stated[heavy])
    for k, (name, ten) in enumerate(zip(robot.body_names, stated, strict=True)):
        if k == 0 and not robot.is_floating:
            continue
        if heavy[k]:
            if not np.array_equal(bodies[k], ten):
                (thick if margins(ten) > 1e-9 else raised).append(name)
            continue
        outlines = _outlines(robot) if outlines is None else outlines
        bodies[k], invented[k] = _invented(robot, k, outlines), True
        made.append(name)
    sized = not made or bool(outlines) or float(np.linalg.norm(robot.tree.translation[1:], axis=1).sum()) > 0
    return PhysicalPrior(bodies, invented, _notes(raised, thick, made), sized)


def _raised(bodies: Array) -> Array:
    """Mass and centre of mass as stated, the least second moments that are possible and not thinner than `THINNEST`."""
    j = pseudo(bodies)
    mass, first = bodies[:, 0], bodies[:, 1:4]
    about = first[:, :, None] * first[:, None, :] / mass[:, None, None]
    values, axes = decompose.eigh(j[:, :3, :3] - about)
    point = mass * SMALLEST**2
    least = np.maximum(THINNEST**2 * values[:, -1], np.where(values[:, -1] <= point, point, 0.0))
    thin = values[:, 0] < least
    j[:, :3, :3] = (axes * np.maximum(values, least[:, None])[:, None, :]) @ axes.swapaxes(1, 2) + about
    return np.where(thin[:, None], ten_of(j), bodies)


def _outlines(robot: Robot) -> tuple[Capsule, ...]:
    try:
        return capsules(robot, skip_missing=True)
    except RobotError:  # a mesh that cannot be read says nothing about the mass
        return ()


def _invented(robot: Robot, body: int, outlines: tuple[Capsule, ...]) -> Array:
    """A solid in the shapes of the body's links, or a rod towards the next joint."""
    places = robot.link_map()
    poses = dict(zip((link.name for link in robot.links), robot.assembly.link_pose, strict=True))
    total = np.zeros(10)
    for capsule in outlines:
        if capsule.link in places and places[capsule.link].body == body and capsule.volume > 1e-6:
            pose = poses[capsule.link]
            ends = [pose.rotation @ point + pose.translation for point in (capsule.start, capsule.end)]
            total += _solid(ends[0], ends[1], capsule.radius, DENSITY * capsule.volume)
    if total[0] > 0:
        return total
    children = np.flatnonzero(np.asarray(robot.tree.parent) == body)
    lengths = np.linalg.norm(robot.tree.translation, axis=1)
    usual = max(SHORTEST, 0.5 * float(lengths.mean())) if len(lengths) else SHORTEST
    far = robot.tree.translation[children[np.argmax(lengths[children])]] if len(children) else np.zeros(3)
    if np.linalg.norm(far) < 0.5 * usual:  # joints in one place: a stub along its own axis, not a body without size
        along = robot.tree.axis[body - 1] if body > 0 else np.array([0.0, 0.0, 1.0])
        far = usual * along / max(float(np.linalg.norm(along)), 1e-12)
    length = float(np.linalg.norm(far))
    radius = max(SLIMNESS * length, SLIMNESS * SHORTEST)
    return _solid(np.zeros(3), far, radius, DENSITY * np.pi * radius**2 * length)


def _solid(start: Array, end: Array, radius: float, mass: float) -> Array:
    """A cylinder as heavy as asked for, with the length of the capsule."""
    axis = end - start
    length = float(np.linalg.norm(axis))
    along = axis / length if length > 1e-9 else np.array([0.0, 0.0, 1.0])
    across = np.eye(3) - np.outer(along, along)
    second = mass * (((length + radius) ** 2 / 12 + 0.05 * radius**2) * np.outer(along, along) + radius**2 / 4 * across)
    inertia = np.trace(second) * np.eye(3) - second
    return Inertia.from_center_of_mass(mass, 0.5 * (start + end), inertia).vector


def _notes(raised: list[str], thick: list[str], made: list[str]) -> tuple[Note, ...]:
    found = {"prior.inconsistent_link": raised, "prior.thin_link": thick, "prior.no_mass": made}
    return tuple(Note(key, count=len(names), links=_listed(names), names=names) for key, names in found.items() if names)


def _listed(names: list[str]) -> str:
    quoted = [f"'{name}'" for name in names[:6]] + (["..."] if len(names) > 6 else [])
    return quoted[0] if len(quoted) == 1 else ", ".join(quoted[:-1]) + " and " + quoted[-1]

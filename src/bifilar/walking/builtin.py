"""Walkers made of segments: a leg that swings, legs without knees, legs with knees, any number of segments and legs.

A segment is a rigid link seen from where it hangs: length, distance of its centre of mass, mass, inertia about it. The
torso stands up from the hip, legs hang down from it; every angle is about +y, clockwise seen with x to the right and z up, and
zero where the torso stands and the legs hang. The base is two slides and a pitch joint at the hip: a walker is a Robot like
others.

Numbers: GRIZZLE is (3.80) of Dolinsky 2017, after Grizzle, Abba and Plestan 2001; LABORATORY is (4.41), three links with
the numbers of a machine in Prague (also built in as "walker3"); LEG has numbers of our own, of the size of that machine's leg.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bifilar.errors import RobotError
from bifilar.robot.description import Description, Joint, Link, Pose, Shape
from bifilar.robot.inertia import Inertia

Y = np.array([0.0, 1.0, 0.0])


@dataclass(frozen=True)
class Segment:
    """One rigid link of a walker.

    >>> Segment(length=1.0, center=0.5, mass=5.0).inertia
    0.0
    """

    length: float  # [m]
    center: float  # [m] of mass, from where it hangs
    mass: float  # [kg]
    inertia: float = 0.0  # [kg m^2] about the centre of mass
    viscous: float = 0.0  # [N m s/rad] friction of the joint it hangs at
    coulomb: float = 0.0  # [N m]


GRIZZLE = (Segment(0.5, 0.2, 25.0, 1.5), (Segment(1.0, 0.5, 5.0),))
LABORATORY = (Segment(0.25, 0.1189, 1.1646, 0.0182), (Segment(0.535, 0.2675, 0.4192, 0.0034),))
RABBIT = (Segment(0.625, 0.2, 20.0, 2.22), (Segment(0.4, 0.163, 6.8, 1.08), Segment(0.4, 0.128, 3.2, 0.93)))
LEG = (Segment(0.25, 0.13, 0.6, 0.004, 0.02, 0.01), Segment(0.25, 0.12, 0.45, 0.003, 0.02, 0.03))


def walker_description(
    torso: Segment, leg: Sequence[Segment], other: Sequence[Segment] | None = None, *, name: str = "walker", hip: float = 0.0
) -> Description:
    """A torso and two legs; `other`: the second leg, if it is not like the first.

    `hip`: how far up the torso the second leg hangs [m]; zero in any real machine (the appendix of Dolinsky 2017 has it at
    the torso's end).

    >>> from bifilar.walking.builtin import GRIZZLE
    >>> bf.Robot.build(walker_description(*GRIZZLE)).joint_names
    ('x', 'z', 'pitch', 'leg1_1', 'leg2_1')
    """
    links, joints = _base(_link("torso", torso, up=True))
    for number, segments in enumerate((leg, leg if other is None else other), start=1):
        _hang(links, joints, "torso", f"leg{number}", segments, 0.0 if number == 1 else hip)
        _foot(links, joints, f"foot{number}", links[-1].name, segments[-1].length)
    return Description(name, tuple(links), tuple(joints))


def leg_description(segments: Sequence[Segment] = LEG, *, name: str = "leg") -> Description:
    """A leg on a pivot that nothing drives; its one foot is the pivot.

    >>> bf.Robot.build(leg_description()).joint_names
    ('x', 'z', 'pitch', 'leg_2')
    """
    first, *others = segments
    links, joints = _base(_link("leg_1", first, up=False), first)
    _hang(links, joints, "leg_1", "leg", others, -first.length, start=2)
    _foot(links, joints, "foot", "leg_1", 0.0)
    return Description(name, tuple(links), tuple(joints))


def _base(body: Link, rubs: Segment | None = None) -> tuple[list[Link], list[Joint]]:
    viscous, coulomb = (0.0, 0.0) if rubs is None else (rubs.viscous, rubs.coulomb)
    joints = [
        Joint("x", "prismatic", "world", "carriage_x", axis=np.array([1.0, 0.0, 0.0])),
        Joint("z", "prismatic", "carriage_x", "carriage_z", axis=np.array([0.0, 0.0, 1.0])),
        Joint("pitch", "continuous", "carriage_z", body.name, axis=Y, damping=viscous, friction=coulomb),
    ]
    return [Link("world"), Link("carriage_x"), Link("carriage_z"), body], joints


def _link(name: str, segment: Segment, *, up: bool) -> Link:
    sign = 1.0 if up else -1.0
    s = segment
    if not (s.length >= 0 and s.mass > 0 and s.inertia >= 0 and np.isfinite([s.length, s.center, s.mass, s.inertia]).all()):
        raise RobotError("walker.segment", name=name, s=s)
    about = np.diag([s.inertia, s.inertia, 0.1 * s.inertia])  # only the middle one acts
    inertia = Inertia.from_center_of_mass(s.mass, [0.0, 0.0, sign * s.center], about)
    middle = Pose(np.eye(3), np.array([0.0, 0.0, 0.5 * sign * s.length]))
    return Link(name, inertia, (Shape("capsule", (0.04 * s.length + 1e-3, s.length), middle),), has_inertia=True)


def _hang(
    links: list[Link], joints: list[Joint], parent: str, name: str, segments: Sequence[Segment], at: float, start: int = 1
) -> None:
    for number, segment in enumerate(segments, start=start):
        own = f"{name}_{number}"
        pose = Pose(np.eye(3), np.array([0.0, 0.0, at]))
        links.append(_link(own, segment, up=False))
        joints.append(Joint(own, "continuous", parent, own, pose, Y, damping=segment.viscous, friction=segment.coulomb))
        parent, at = own, -segment.length


def _foot(links: list[Link], joints: list[Joint], name: str, parent: str, length: float) -> None:
    links.append(Link(name))
    joints.append(Joint(f"{name}_fixed", "fixed", parent, name, Pose(np.eye(3), np.array([0.0, 0.0, -length]))))

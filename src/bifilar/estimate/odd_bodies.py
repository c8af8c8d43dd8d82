"""Identified links that could exist in theory but could not be built: said before a file with them is handed on.

A consistent fit gives bodies of positive mass everywhere. Where torque does not tell a mass alone, the rest can still leave it
where no material is: denser than any metal, or lighter than air. That check is the one of descriptions (robot/plausibility.py);
what the description has itself is not held against the fit, nor is a centre of mass outside an outline: shapes are rough, and
links fixed to each other share theirs by guess. One check is added: with the solid ellipsoid of a body's inertia, its centre
at distance |c| from the link's origin and its longest half axis a,

    |c| + a  >  LARGER max( reach, |c0| + a0 of every described body ),    reach = sum of the distances between joints

is a body larger than the robot. Such a link does not spoil the prediction of torque, so it is no doubt in the recording.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bifilar.dynamics import decompose
from bifilar.dynamics.tree import Array
from bifilar.errors import Note
from bifilar.estimate.bodies import pseudo
from bifilar.robot.plausibility import of_density
from bifilar.robot.robot import Robot
from bifilar.robot.xml_reader import shown

LARGER = 2.0  # times the robot: ends of last links are not stated, and descriptions are rough


def odd_bodies(described: Robot, identified: Robot) -> dict[str, str]:
    """What is wrong with links of the second robot that the first has right, by link.

    >>> robot = bf.Robot.load("two_link")
    >>> odd_bodies(robot, robot)
    {}
    >>> dense = bf.Inertia.from_center_of_mass(90.0, [0.1, 0, 0], 0.01 * np.eye(3))
    >>> print(odd_bodies(robot, robot.with_inertia({"link1": dense}))["link1"])
    90 kg with the inertia of a ball of 16.7 mm radius: denser than any metal (4.64e+06 kg/m^3)
    """
    before, after = (dict(_found(robot)) for robot in (described, identified))
    large = dict(_large(described, identified))
    return large | {name: what for name, what in after.items() if name not in before}


def words(odd: dict[str, str], origins: dict[str, str]) -> tuple[Note, ...]:
    """A sentence for each; `origins` by parameter tell whether a mass was seen.

    >>> print(words({"link1": "90 kg in a thimble"}, {"link1.mass": "prior"})[0])
    'link1' is physically implausible: 90 kg in a thimble; its mass alone is not identifiable from torque, only in combination
    """
    return tuple(
        Note("link.odd/prior" if origins.get(f"{name}.mass") == "prior" else "link.odd/data", link=shown(name), thing=what)
        for name, what in odd.items()
    )


def _found(robot: Robot) -> Iterator[tuple[str, str]]:
    for link in robot.links:
        if link.inertia.mass > 0:
            yield from ((link.name, finding.what) for finding in of_density(link))


def _large(described: Robot, identified: Robot) -> Iterator[tuple[str, str]]:
    reach = sum(float(np.linalg.norm(joint.pose.translation)) for joint in described.description().joints)
    first = 0 if described.is_floating else 1  # a base that stands still is not fitted
    sizes = _sizes(np.array(described.body_parameters)[first:])
    limit = LARGER * max(reach, float(sizes.max(initial=0.0)))
    if limit == 0:
        return
    for name, size in zip(identified.body_names[first:], _sizes(np.array(identified.body_parameters)[first:])):
        if size > limit:
            yield name, f"it reaches {size:.2g} m from its joint, the whole robot {limit / LARGER:.2g} m"


def _sizes(bodies: Array) -> Array:
    """How far the ellipsoid of each body can reach from its link's origin, (bodies,) [m]; 0 of what has no mass."""
    there = bodies[:, 0] > 0
    mass = np.where(there, bodies[:, 0], 1.0)
    center = bodies[:, 1:4] / mass[:, None]
    second = pseudo(bodies)[:, :3, :3] / mass[:, None, None] - center[:, :, None] * center[:, None, :]
    axis = np.sqrt(5 * np.maximum(decompose.eigvalsh(second)[:, -1], 0.0))
    return np.where(there, np.linalg.norm(center, axis=1) + axis, 0.0)

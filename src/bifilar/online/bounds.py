"""How far a parameter may go: named recipes, or pairs by name.

"twice"     0 to twice the guess for masses, moments and friction; first moments +- link size x mass     Joukov et al., IV-A
"payload"   mass 0 to 4 kg, moments 0 to 0.2 kg m^2, first moments +- 0.8 kg m                            IV-B, for a WAM
{"*.mass": (0.0, 5.0), "joint3.viscous": (0.0, 2.0)}    pairs for some names; the rest by "twice"
"""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase

import numpy as np

from bifilar.errors import RobotError, near_names
from bifilar.robot.robot import Robot

Bounds = str | Mapping[str, tuple[float, float]]
RECIPES = ("twice", "payload")
REACH = 0.2  # [m] of a payload's centre from the frame that carries it, in the recipe for payloads
PAYLOAD_MASS, PAYLOAD_MOMENT = 4.0, 0.2  # [kg], [kg m^2]
LEAST_SIZE = 0.05  # [m] of a link
MOMENTS = ("J1", "J2", "J3", "Jxx", "Jyy", "Jzz", "S1", "S2", "S3")


def link_size(robot: Robot, body: int) -> float:
    """How large a link is [m]: from its origin to the joints it carries, to its shapes, twice to its centre of mass.

    >>> link_size(bf.Robot.load("two_link"), 1) > 0.2
    True
    """
    tree = robot.tree
    reach = [float(np.linalg.norm(tree.translation[k])) for k in range(tree.n_joints) if tree.parent[k] == body]
    mass, *h = robot.body_parameters[body, :4]
    centre = float(np.linalg.norm(h)) / mass if mass > 0 else 0.0
    poses = zip(robot.links, robot.assembly.link_body, robot.assembly.link_pose)
    spots = [pose.translation for _, where, pose in poses if where == body]
    spots += [shape.pose.translation for link in robot.links if link.name == robot.body_names[body] for shape in link.shapes]
    return max(LEAST_SIZE, 2 * centre, *reach, *(float(np.linalg.norm(spot)) for spot in spots))


def pair_of(name: str, guess: float, bounds: Bounds, *, mass: float = 0.0, size: float = LEAST_SIZE) -> tuple[float, float]:
    """Lower and upper bound of one parameter; `mass` and `size` are those of its link.

    >>> pair_of("link3.mass", 2.0, "twice"), pair_of("payload.J1", 0.01, "payload")
    ((0.0, 4.0), (0.0, 0.2))
    """
    if not isinstance(bounds, str):
        for pattern, pair in bounds.items():
            if fnmatchcase(name, pattern):
                return _checked(name, pair)
        bounds = "twice"
    if bounds not in RECIPES:
        raise RobotError("bounds.recipe_unknown", recipes=RECIPES, bounds=bounds, near=near_names(bounds, RECIPES))
    word = name.rpartition(".")[2]
    if word.startswith("mc"):
        reach = PAYLOAD_MASS * REACH if bounds == "payload" else mass * size
        return -reach, reach
    if word.startswith("offset"):
        return guess - max(1.0, abs(guess)), guess + max(1.0, abs(guess))
    if bounds == "payload" and (word == "mass" or word in MOMENTS):
        return 0.0, PAYLOAD_MASS if word == "mass" else PAYLOAD_MOMENT
    if not guess > 0:
        raise RobotError("bounds.start_zero", name=name, guess=guess)
    return 0.0, 2.0 * guess


def _checked(name: str, pair: object) -> tuple[float, float]:
    try:
        low, high = (float(number) for number in pair)  # type: ignore[attr-defined]
    except (TypeError, ValueError):
        raise RobotError("bounds.form", name=name, pair=pair) from None
    if not (np.isfinite([low, high]).all() and low < high):
        raise RobotError("bounds.order/bounds", name=name, low=low, high=high)
    return low, high

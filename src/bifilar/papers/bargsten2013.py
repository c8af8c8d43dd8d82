"""Bargsten, Zometa and Findeisen 2013: a KUKA LWR from its DH table to a controller, on a virtual robot.

Published are the DH table, how many parameters there are and how many can be told, and drawings; the machine's numbers are not.
So the virtual arm has masses of public descriptions (`kuka_lwr4`) and friction of our choice, and what is compared is what must
hold for any such arm: counts, ratios, the shape of an answer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.papers.claims import Claim, Part, Reproduction
from bifilar.robot.base_parameters import base_parameters
from bifilar.robot.friction import Coulomb, Friction, Offset, RotorInertia, Viscous
from bifilar.robot.robot import Robot

CITATION = (
    "V. Bargsten, P. Zometa, R. Findeisen: Modeling, parameter identification and model-based control of a lightweight robotic "
    "manipulator. IEEE CCA 2013"
)
COULOMB = (1.2, 1.2, 0.8, 0.8, 0.6, 0.3, 0.1)  # [N m] of our choice
VISCOUS = (1.0, 1.0, 0.7, 0.7, 0.5, 0.3, 0.1)  # [N m s/rad]
SLIP = 0.05  # [rad/s] width of the virtual robot's sign of speed
D = (0.3105, 0.0, 0.4, 0.0, 0.39, 0.0, 0.078)  # [m] as published; all a are zero
ALPHA = (90, -90, -90, 90, 90, -90, 0)  # [deg]
COUNTS = (
    ("two friction numbers per joint", 84, 57, "57 of 84"),
    ("without gravity", 84, 53, "-"),
    ("on a tilted base", 84, 59, "-"),
    ("with torque offsets", 91, 64, "-"),
    ("with rotor inertias", 91, 62, "-"),
)
PARTS = (
    "Counts",
    "Figure 3: an optimal motion",
    "Figure 4: torque of the fitted model",
    "Fewer parameters",
    "Figures 5 to 7: the circle",
    "Figure 8: a push",
    "The identified model in the loop",
    "Predictive path following",
)


def arm(*, friction: Friction | None = None) -> Robot:
    """The virtual LWR with its friction, or with other terms and no values.

    >>> len(arm().parameters())
    84
    """
    robot = Robot.load("kuka_lwr4")
    if friction is not None:
        return robot.with_friction(friction)
    values = {f"joint{k + 1}.coulomb": x for k, x in enumerate(COULOMB)}
    values |= {f"joint{k + 1}.viscous": x for k, x in enumerate(VISCOUS)}
    return robot.with_friction(Coulomb(width=SLIP) + Viscous(), values)


def reproduced(*, seeds: int = 10, runs: int = 1000, updates: int = 0, tell: Callable[[str], Any] = print) -> Reproduction:
    """All of it; `seeds` counts the experiments of the reduction (three at least); the others are for other papers."""
    from bifilar.papers import bargsten_control as control
    from bifilar.papers import bargsten_identification as identification

    del runs, updates
    made: list[Part] = []

    def step(number: int, make: Callable[[], Any]) -> Any:
        tell(PARTS[number])
        result = make()
        made.append(result[0] if isinstance(result, tuple) else result)
        return result

    robot = arm()
    step(0, counts)
    step(1, lambda: identification.optimal_motion(robot))
    _, found = step(2, lambda: identification.fitted(robot))
    _, fewer = step(3, lambda: identification.reduction(robot, max(seeds, 3)))
    step(4, lambda: control.circle(robot))
    step(5, lambda: control.push(robot))
    base = f"base parameters of {max(seeds, 3)} recordings"
    models = {
        "links that can exist, from one recording": found.model,
        f"{len(fewer.full.names)} {base}": fewer.full.model,
        f"{len(fewer.kept)} {base}": fewer.estimate.model,
    }
    step(6, lambda: control.identified(robot, models))
    step(7, lambda: control.short_of_torque(robot))
    about = "From a DH table to a moving arm: counts, an optimal motion, a fitted model, computed torque, on a virtual LWR."
    return Reproduction("bargsten2013", CITATION, about, tuple(made))


def counts() -> Part:
    """How many parameters there are, and how many a motion can tell.

    >>> all(claim.good for claim in counts().claims)
    True
    """
    usual = Coulomb() + Viscous()
    tilted: Array = np.array([3.0, 2.0, -9.0])
    arms = (
        arm(friction=usual),
        arm(friction=usual).with_gravity([0, 0, 0]),
        arm(friction=usual).with_gravity(tilted),
        arm(friction=usual + Offset()),
        arm(friction=usual + RotorInertia()),
    )
    claims, numbers = [], {}
    for robot, (what, whole, told, published) in zip(arms, COUNTS, strict=True):
        found = base_parameters(robot)
        ours = f"{len(found)} of {len(robot.parameters())}"
        good = (len(found), len(robot.parameters())) == (told, whole)
        claims.append(Claim("Section II-A", f"parameters, {what}", published, ours, f"{told} of {whole}", good))
        numbers[what] = {"told": len(found), "of": len(robot.parameters())}
    words = ("Ten numbers per link and friction per joint, and how many independent ones the torque depends on.",)
    return Part(PARTS[0], words, tuple(claims), numbers=numbers)

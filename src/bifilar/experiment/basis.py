"""What a certificate of torque stands on: the friction a model describes, how wrong it may be, and what is not covered.

A proof is about the model it was made with. Position and velocity follow from the motion alone; torque depends on masses and
friction, which a nominal model may state wrongly or not at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bifilar.errors import Note
from bifilar.experiment.constraints import Constraint
from bifilar.experiment.torque_limits import TorqueWithin
from bifilar.robot.friction_text import term_text
from bifilar.robot.robot import Robot


def stands_on(robot: Robot, constraints: Sequence[Constraint]) -> dict[str, Any]:
    """Friction terms with values, share and covariance that the torque's limits cover; nothing without limits of torque.

    >>> stands_on(bf.Robot.load("pendulum"), [bf.TorqueWithin(uncertainty=0.1)])
    {'friction': [], 'uncertainty': 0.1, 'covariance': None}
    """
    torque = _torque(constraints)
    if torque is None:
        return {}
    covariance = None if torque.covariance is None else torque.covariance.described()
    friction = [term_text(term) for term in robot.friction] if len(_rubbing(robot)) else []
    return {"friction": friction, "uncertainty": float(torque.uncertainty), "covariance": covariance}


def not_covered(robot: Robot, constraints: Sequence[Constraint]) -> tuple[Note, ...]:
    """What the limits of torque do not cover, by code.

    >>> [note.code for note in not_covered(bf.Robot.load("pendulum"), [bf.TorqueWithin()])]
    ['torque.friction_unknown', 'torque.error_unknown']
    """
    torque, found = _torque(constraints), []
    if torque is None:
        return ()
    without = [name for name in robot.joint_names if name not in _rubbing(robot)]
    if without:
        every = len(without) == len(robot.joint_names)
        found.append(Note("torque.friction_unknown" if every else "torque.friction_unknown/some", joints=without))
    known = torque.covariance
    if not torque.uncertainty and known is None:
        found.append(Note("torque.error_unknown"))
    if known is not None and known.left_open:
        found.append(Note("torque.parameters_unknown", names=list(known.left_open)))
    if known is not None and known.residual:
        joint = max(known.residual, key=lambda name: known.residual[name])
        facts: dict[str, Any] = {"joint": joint, "residual": known.residual[joint], "of": dict(known.residual)}
        found.append(Note("torque.residual", **facts, unit="N" if joint in robot.sliding else "N m"))
    return tuple(found)


def _torque(constraints: Sequence[Constraint]) -> TorqueWithin | None:
    return next((one for one in constraints if isinstance(one, TorqueWithin)), None)


def _rubbing(robot: Robot) -> list[str]:
    """Joints whose friction the model describes; a constant offset is none."""
    columns = robot.drive_columns.columns
    counts = columns.having(lambda law: not law.is_inertia and law.word != "offset") & (robot.drive_values != 0)
    felt = np.any((columns.effect != 0) & counts[:, None], axis=0)
    return [name for name, yes in zip(robot.joint_names, felt) if yes]

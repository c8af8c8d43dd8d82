"""Gains per joint, checked once."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from bifilar.dynamics.state import numbers
from bifilar.dynamics.tree import Array
from bifilar.errors import ShapeError


def per_joint(name: str, value: ArrayLike, joint_names: tuple[str, ...], *, zero: bool = False) -> Array:
    """One positive number for every joint, from one for all or one each, (joints,); `zero`: nothing is allowed too.

    >>> per_joint("omega", 20.0, ("shoulder", "elbow"))
    array([20., 20.])
    """
    given = numbers(name, value)
    if given.shape not in ((), (len(joint_names),)):
        raise ShapeError(
            "shape.wrong/gains", joints=joint_names, name=name, shape=given.shape, joint_name_count=len(joint_names)
        )
    if not np.isfinite(given).all() or np.any(given < 0) or (np.any(given == 0) and not zero):
        raise ShapeError("setting.wrong/gains", name=name, value=value, words="of zero or more" if zero else "above zero")
    array = np.array(np.broadcast_to(given, (len(joint_names),)))
    array.flags.writeable = False
    return array


def share(name: str, value: float) -> float:
    """A number between nothing and all.

    >>> share("friction", 0.7)
    0.7
    """
    if not (np.isfinite(value) and 0 <= value <= 1):
        raise ShapeError("setting.wrong/share", name=name, value=value)
    return float(value)

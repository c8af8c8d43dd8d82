"""What comes from outside, checked: names of joints, times, numbers per joint, limits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from bifilar.dynamics.state import Array, numbers
from bifilar.errors import MotionError, ShapeError, near_names

if TYPE_CHECKING:
    from bifilar.robot.described import JointLimits


def named(joint_names: Sequence[str]) -> tuple[str, ...]:
    """Names of joints: some, all different.

    >>> named(["shoulder", "elbow"])
    ('shoulder', 'elbow')
    """
    names = (joint_names,) if isinstance(joint_names, str) else tuple(joint_names)
    if not names or not all(isinstance(name, str) and name for name in names):
        raise MotionError("joints.none/checks")
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise MotionError("joints.twice", twice=twice[0], count=names.count(twice[0]))
    return names


def place(joint: str, joint_names: Sequence[str]) -> int:
    """Column of a joint.

    >>> place("elbow", ("shoulder", "elbow"))
    1
    """
    if joint not in joint_names:
        raise MotionError("joint.unknown/checks", joints=joint_names, joint=joint, near=near_names(str(joint), joint_names))
    return tuple(joint_names).index(joint)


def positive(what: str, value: float, unit: str = "", *, zero: bool = False) -> float:
    """A finite number above zero (or zero), or a letter.

    >>> positive("the duration", 2, "s")
    2.0
    """
    number = numbers(what, value)
    if number.ndim or not np.isfinite(number) or number < 0 or (number == 0 and not zero):
        shown = f"{number:g} {unit}".strip() if not number.ndim else f"an array of the shape {number.shape}"
        raise MotionError("setting.wrong/checks", thing=what, shown=shown, words=" of at least 0" if zero else " above 0")
    return float(number)


def instants(time: ArrayLike) -> Array:
    """Times as a finite (N,) array; one number is one instant.

    >>> instants(0.5)
    array([0.5])
    """
    t = np.atleast_1d(numbers("time", time))
    if t.ndim != 1:
        raise ShapeError("shape.wrong/checks", shape=t.shape)
    if not np.isfinite(t).all():
        k = int(np.argmin(np.isfinite(t)))
        raise ShapeError("not_finite/checks", where=f"time[{k}]", t=t[k], k=k)
    return t


def row(what: str, value: ArrayLike, names: Sequence[str]) -> Array:
    """One finite number per joint; a single number stands for all.

    >>> row("offset", 0.5, ("shoulder", "elbow"))
    array([0.5, 0.5])
    """
    array = numbers(what, value)
    if array.shape not in ((), (len(names),)):
        raise ShapeError("shape.wrong/row", joints=names, thing=what, shape=array.shape, name_count=len(names))
    array = np.broadcast_to(array, (len(names),))
    if not np.isfinite(array).all():
        k = int(np.argmin(np.isfinite(array)))
        raise ShapeError("setting.wrong/row", thing=what, name=names[k], array=array[k])
    return read_only(array)


def inside(what: str, position: Array, names: Sequence[str], limits: JointLimits | None) -> None:
    """Refuse positions (N, joints) beyond the limits of a robot.

    >>> inside("point", np.array([[0.1]]), ("joint1",), bf.Robot.load("pendulum").limits)
    """
    if limits is None:
        return
    if len(limits.lower) != len(names):
        raise MotionError("limits.count/checks", lower_count=len(limits.lower), name_count=len(names))
    over = np.maximum(position - limits.upper, limits.lower - position)
    if (over > 0).any():
        k, j = (int(i) for i in np.unravel_index(int(np.argmax(over)), over.shape))
        raise MotionError(
            "limits.broken/degrees" if over[k, j] > 6 else "limits.broken/checks",
            thing=what,
            row=k,
            joint=names[j],
            position=float(position[k, j]),
            beyond=float(over[k, j]),
            allowed=f"{limits.lower[j]:.6g} to {limits.upper[j]:.6g}",
        )


def read_only(array: Array) -> Array:
    """The array itself if nobody can write to it, else a copy.

    >>> read_only(np.zeros(2)).flags.writeable
    False
    """
    if array.flags.writeable or array.base is not None:
        array = np.array(array)
        array.flags.writeable = False
    return array

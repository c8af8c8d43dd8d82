"""Currents of drives whose gains are not known yet, looked at as if they were torques.

    torque_i ~ k_i current_i,    |k_i| = spread of the model's torque / spread of the current,    k_i < 0: wired the other way

A unit, a sign or a scale cannot be wrong where a factor of every joint is what is looked for. All else (degrees, the clock, the
order of joints, a delay, another robot, gravity the other way round) shows in currents as it does in torques, once every
joint counts by what its torque is in the description: the findings are the same whatever the gains are.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics.tree import Array
from bifilar.recording.checks_model import Comparison
from bifilar.recording.checks_torque import votes
from bifilar.recording.checks_view import View
from bifilar.recording.recording import Recording
from bifilar.robot.robot import Robot

OF_A_TORQUE = {"sign", "sign_all", "unit", "torque_scale", "tool"}  # findings about a torque in N m
LEAST = 1e-3  # of the largest spread: a joint without a torque in the description counts as little as this


def as_torque(view: View) -> View:
    """The view with currents in about the size and the sign of the description's torques; as it is if that is silent.

    >>> from bifilar.recording.check import example
    >>> recording, robot = example()
    >>> seen = [as_torque(View.of(recording.with_channel("torque", recording.torque * k), robot)) for k in (1, [9, -0.1])]
    >>> bool(np.allclose(seen[0].torque, seen[1].torque))
    True
    """
    seen = _sized(view)
    if seen is view:
        return view
    _, vote, turned = _voted(seen)
    return _times(seen, np.where((vote < 0) & ~turned, -1.0, 1.0))


def directions(recording: Recording, robot: Robot) -> Array:
    """Whether a positive current drives each of the robot's joints forwards, 1, or backwards, -1; 0 where nothing tells.

    >>> from bifilar.recording.check import example
    >>> recording, robot = example()
    >>> directions(recording.with_channel("torque", recording.torque * [-3, 0.1]), robot)
    array([-1.,  1.])
    """
    view = View.of(recording, robot)
    if view is None or view.robot is None or view.torque is None:
        return np.zeros(len(robot.joint_names))
    _, vote, turned = _voted(_sized(view))
    told = dict(zip(view.joint_names, np.where(turned, 0.0, vote), strict=True))
    return np.array([told.get(name, 0.0) for name in robot.joint_names])


def _sized(view: View) -> View:
    """Every joint's current in the size of its torque in the description; the view itself where that is silent."""
    comparison = Comparison.of(view)
    if comparison is None or view.torque is None:
        return view
    size, recorded = (comparison.gravity + comparison.inertial).std(axis=0), view.torque.std(axis=0)
    if not 0 < size.max(initial=0.0) < np.inf:
        return view
    return _times(view, np.maximum(size, LEAST * size.max()) / np.where(recorded > 0, recorded, 1.0))


def _times(view: View, factor: Array) -> View:
    assert view.torque is not None
    return replace(view, torque=view.torque * factor, every_torque=view.every_torque * factor, gains=False)


def _voted(view: View) -> tuple[Array, Array, NDArray[np.bool_]]:
    comparison = Comparison.of(view)
    assert comparison is not None
    return votes(view, comparison)

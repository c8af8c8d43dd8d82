"""Motions that show too little: joints that stand still, base parameters that no torque of this recording depends on.

The own torque of a base parameter (coverage.py) is what it causes that no other could cause as well:

    own torque_j of this motion        against        1 % of what random states of full range would show

A recording may be meant for a part of the robot, so this is a note, and a warning only if half of the base parameters are
unseen.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bifilar.errors import BifilarError, Finding, Place
from bifilar.recording.checks_channels import SMALL
from bifilar.recording.checks_view import View
from bifilar.robot.base_parameters import base_parameters

ROWS = 400
NAMED = 8  # parameters in a sentence


def excitation(view: View) -> Iterator[Finding]:
    """Findings about joints and parameters that the motion hardly shows.

    >>> from bifilar.recording.check import example
    >>> recording, robot = example()
    >>> still = recording.with_channel("position", recording.position * [1, 0])
    >>> [finding.code for finding in excitation(View.of(still, robot))]
    ['still']
    """
    span = np.ptp(view.position, axis=0)
    for joint, width in zip(view.joint_names, span):
        if width < SMALL:
            place = (Place("position", joint, float(view.time[0]), float(view.time[-1])),)
            yield Finding("still", "note", f"position of '{joint}'", width=width, joint=joint, at=place)
    if view.robot is None:
        return
    yield from _parameters(view)


def _parameters(view: View) -> Iterator[Finding]:
    rows = slice(None, None, -(-len(view.time) // ROWS))
    assert view.robot is not None
    states = tuple(np.ascontiguousarray(x[rows]) for x in (view.position, view.velocity, view.acceleration))
    try:
        base = base_parameters(view.robot.with_friction(None), states=states)
    except BifilarError:  # a description whose base parameters are in doubt has findings of its own
        return
    if base.data is None or not base.data.weak:
        return
    weak = base.data.weak
    half = len(weak) > 0.5 * len(base)
    shown = ", ".join(weak[:NAMED]) + (", ..." if len(weak) > NAMED else "")
    place = (Place("position", "", float(view.time[0]), float(view.time[-1])),)
    yield Finding(
        "excitation", "warning" if half else "note", "motion", weak_count=len(weak), base_count=len(base), shown=shown, at=place
    )

"""Whether a motion's file may be called executable: certificate, robot, limits, and every constraint of the limits file."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from bifilar.cli.open_words import grouped
from bifilar.dynamics.tree import Array
from bifilar.errors import BifilarError, FormatError, MotionError
from bifilar.experiment.certificate import Certificate, certificate_of
from bifilar.experiment.constraint_file import load_constraints
from bifilar.experiment.fingerprint import described, digest
from bifilar.robot.robot import Robot


class Verdict(NamedTuple):
    """What a certificate says of a file.

    >>> Verdict("it was changed").uncovered
    'it was changed'
    """

    uncovered: str  # why the file is not certified for this robot; '' if it is
    open: tuple[str, ...] = ()  # what was not checked


def verdict(robot: Robot, path: str, limits: str | None = None, mesh_folder: str | None = None) -> Verdict:
    """Why a motion's file is not certified for this robot and the constraints of its limits file, if it is not.

    >>> verdict(Robot.load("pendulum"), "nowhere.csv").uncovered
    "there is no certificate that names 'nowhere.csv' beside it"
    """
    try:
        certificate = certificate_of(path)
        if certificate is None:
            return Verdict(f"there is no certificate that names '{Path(path).name}' beside it")
        certificate.covers(robot, path)
        return Verdict(_unknown(robot, certificate, limits, mesh_folder), tuple(grouped(certificate.not_checked)))
    except (MotionError, FormatError) as error:
        return Verdict(error.what)


def _unknown(robot: Robot, certificate: Certificate, limits: str | None, folder: str | None) -> str:
    """The first constraint of the limits file that the certificate was not made for; margins do not count."""
    if limits is None:
        return ""
    name = Path(limits).name
    try:
        wanted = [constraint.without_margin() for constraint in load_constraints(robot, limits, mesh_folder=folder)]
    except BifilarError as error:  # what cannot be read cannot have been checked
        return f"the constraints of {name} cannot be compared: {error.what}"
    known = {digest(constraint) for constraint in certificate.constraints}
    for constraint in wanted:
        if digest(described(constraint)) not in known:
            told = getattr(constraint, "frame", None) or "distances between links and to obstacles"
            limit = next((f" {x:g}" for key in ("least", "most") if (x := getattr(constraint, key, None)) is not None), "")
            return f"the certificate does not know the constraint {type(constraint).__name__} ({told}{limit}) of {name}"
    return ""


def beyond(robot: Robot, position: Array, velocity: Array) -> list[str]:
    """Limits that states do not keep, in words.

    >>> beyond(Robot.load("pendulum"), np.zeros((1, 1)), np.full((1, 1), 1e3))
    ['velocity of joint1 by ... rad/s']
    """
    limits, told = robot.limits, []
    out = (
        ("position", "", np.maximum(limits.lower - position, position - limits.upper).max(axis=0)),
        ("velocity", "/s", (np.abs(velocity) - limits.velocity).max(axis=0)),
    )
    for what, per, excess in out:
        for name, by in zip(robot.joint_names, excess):
            if by > 1e-9:
                told.append(f"{what} of {name} by {by:.2g} {'m' if name in robot.sliding else 'rad'}{per}")
    return told

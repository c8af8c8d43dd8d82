"""What a certificate of a designed motion speaks of, and what it does not, in words that claim no more than was proven."""

from __future__ import annotations

from bifilar.cli.open_words import listed
from bifilar.experiment.certificate import Certificate

KINDS = ("position", "velocity", "acceleration", "jerk", "torque")


def proven(certificate: Certificate) -> str:
    """What holds at every instant.

    >>> robot = bf.Robot.load("two_link")
    >>> proven(bf.certify(robot, bf.design(robot, duration=5.0).motion))
    'position, velocity and torque limits'
    """
    names = [margin.name for margin in certificate.run().margins]
    kinds = [kind for kind in KINDS if any(name.startswith(f"{kind} of ") for name in names)]
    walls = sum(constraint.get("kind") != "TorqueWithin" for constraint in certificate.constraints)
    told = f"{listed(kinds)} limits"
    return told + (f" and {walls} constraint{'s' * (walls > 1)}" if walls else "")

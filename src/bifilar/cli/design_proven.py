"""What a certificate of a designed motion speaks of, and what it does not, in words that claim no more than was proven."""

from __future__ import annotations

from bifilar.cli.open_words import listed
from bifilar.experiment.certificate import Certificate

KINDS = ("position", "velocity", "acceleration", "jerk", "torque")
TORQUE = "torque"


def proven(certificate: Certificate) -> str:
    """What holds at every instant, and of which model the torque is.

    >>> robot = bf.Robot.load("two_link")
    >>> proven(bf.certify(robot, bf.design(robot, duration=5.0).motion))
    'position and velocity limits hold at every instant; torque limits hold for the model as it is'
    """
    names = [margin.name for margin in certificate.run().margins]
    kinds = [kind for kind in KINDS if any(name.startswith(f"{kind} of ") for name in names)]
    walls = sum(constraint.get("kind") != "TorqueWithin" for constraint in certificate.constraints)
    told = f"{listed([kind for kind in kinds if kind != TORQUE])} limits"
    told += f" and {walls} constraint{'s' * (walls > 1)}" if walls else ""
    return f"{told} hold at every instant" + (f"; torque limits hold {model_of(certificate)}" if TORQUE in kinds else "")


def model_of(certificate: Certificate) -> str:
    """For which model the torque keeps its limits.

    >>> robot, motion = bf.Robot.load("two_link"), bf.design(bf.Robot.load("two_link"), duration=5.0).motion
    >>> model_of(bf.certify(robot, motion.slowed(2.0), constraints=[bf.TorqueWithin(uncertainty=0.1)]))
    'though every body and friction is wrong by up to 10 %'
    """
    basis = certificate.stands_on or {}
    known, share = basis.get("covariance"), basis.get("uncertainty", 0.0)
    told = [f"within {known['sigmas']:g} standard deviations of the fitted parameters"] if known else []
    told += [f"though every body and friction is wrong by up to {100 * share:g} %"] if share else []
    return " and ".join(told) or "for the model as it is"

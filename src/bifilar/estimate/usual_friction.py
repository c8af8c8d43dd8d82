"""The friction that nearly every drive has: viscous, Coulomb and an offset."""

from __future__ import annotations

from bifilar.robot.friction import Coulomb, Friction, Offset, Viscous

USUAL_FRICTION = Viscous() + Coulomb() + Offset()


def with_usual(own: Friction) -> Friction:
    """A robot's own terms and the usual ones it lacks: what files state about friction is seldom all there is.

    >>> len(with_usual(bf.Viscous() + bf.Coulomb(at=("elbow",))).terms)
    3
    """
    kinds = {type(term) for term in own}
    return Friction((*own, *(term for term in USUAL_FRICTION if type(term) not in kinds)))

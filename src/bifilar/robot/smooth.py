"""Friction that a simulation can follow: every hard sign of speed becomes s / sqrt(s^2 + width^2)."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from bifilar.robot.friction import Friction
from bifilar.robot.model import Model
from bifilar.robot.robot import Robot

Smoothed = TypeVar("Smoothed", bound=Model)
SLIP = 0.01  # [rad/s] or [m/s] least width of the sign of speed, where nobody says another


def smoothed(model: Smoothed, slip: float = SLIP) -> Smoothed:
    """The model with signs of speed at least as wide as `slip` [rad/s] or [m/s]; columns keep their names and values.

    >>> robot = bf.Robot.load("pendulum").with_friction(bf.Coulomb(), {"joint1.coulomb": 0.2})
    >>> smoothed(robot).friction.terms[0].width
    0.01
    """
    terms = tuple(
        replace(term, width=max(term.width, slip)) if hasattr(term, "width") else term  # type: ignore[call-arg]
        for term in model.friction
    )
    if terms == model.friction.terms:
        return model
    if isinstance(model, Robot):
        return model.with_friction(Friction(terms))  # type: ignore[return-value]
    return replace(model, friction=Friction(terms))

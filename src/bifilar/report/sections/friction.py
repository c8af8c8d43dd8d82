"""Friction over speed: identified, described, and what the recordings leave when everything else is taken off.

data at a row = measured torque - identified torque + identified friction at that row's velocity
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.report.markup import fill, paragraphs
from bifilar.report.page import Section
from bifilar.report.plot import Line, Plot, grid, legend
from bifilar.report.run import Run
from bifilar.robot.model import Model

KEYS = (("recorded", "noise", "points"), ("description", "described", "dashed"), ("identified", "identified", "line"))
STEPS = 60  # speeds on each side of zero
SLOW = 1e-3  # [rad/s] or [m/s] that shows dry friction and no viscous one
WAVES = "position_"  # how coefficients of friction that depends on the position begin


@dataclass(frozen=True, eq=False)
class FrictionSection(Section):
    """A drawing for every joint that has friction.

    >>> FrictionSection.title
    'Friction'
    """

    run: Run
    title = "Friction"
    template: ClassVar[str] = "{words}{legend}{plots}"

    def parts(self) -> Mapping[str, Any]:
        """Curves and clouds."""
        run = self.run
        if not len(run.described.drive_values) or run.described.is_floating:
            return {"words": paragraphs("The model has no friction."), "legend": "", "plots": ""}
        words = (
            "Points: measured torque of the fitted recordings, without what the identified bodies need. Offsets are included."
        )
        plots = grid([self._joint(k) for k in range(len(run.joint_names))])
        waves = [k for k, name in enumerate(run.joint_names) if any(w.startswith(f"{name}.{WAVES}") for w in _drives(run))]
        if waves and run.seen:
            over = grid([self._waves(k) for k in waves])
            plots = fill("{a}<h3>Dry friction over position</h3>{b}", a=plots, b=over)
        return {"words": paragraphs(words), "legend": legend(KEYS), "plots": plots}

    def _joint(self, k: int) -> Plot:
        run = self.run
        signals = run.fitted or run.judged
        speeds = [np.abs(s.velocity[:, k]).max() for s in signals]
        top = max([*speeds, 1e-3])
        pose = np.mean(np.concatenate([s.position for s in signals]), axis=0) if signals else np.zeros(len(run.joint_names))
        v = np.concatenate([np.linspace(-top, -1e-3 * top, STEPS), [np.nan], np.linspace(1e-3 * top, top, STEPS)])
        lines = []
        if signals:
            poses = [
                np.tile(pose, (len(s.time), 1)) for s in signals
            ]  # where friction depends on the pose, all is drawn at one
            points = [s.error[:, k] + drive_torque(run.model, q, s.velocity)[:, k] for q, s in zip(poses, signals)]
            lines.append(
                Line(np.concatenate([s.velocity[:, k] for s in signals]), np.concatenate(points), "noise", "recorded", "points")
            )
        lines.append(Line(v, _curve(run.described, pose, v, k), "described", "description", "dashed"))
        lines.append(Line(v, _curve(run.model, pose, v, k), "identified", "identified"))
        what = f"friction [{run.units[k]}]"
        return Plot(run.joint_names[k], what, lines, x_unit=f"{run.angles[k]}/s", y_unit=run.units[k])

    def _waves(self, k: int) -> Plot:
        """Half the difference between forward and backward friction, which no offset enters, over the joint's position."""
        run = self.run
        signals = run.fitted or run.judged
        q, v, error = (np.concatenate([getattr(s, word)[:, k] for s in signals]) for word in ("position", "velocity", "error"))
        span = np.linspace(q.min(), q.max(), 2 * STEPS)
        points = np.sign(v) * error + _dry(run.model, q, k)
        lines = [
            Line(q, points, "noise", "recorded", "points"),
            Line(span, _dry(run.described, span, k), "described", "description", "dashed"),
            Line(span, _dry(run.model, span, k), "identified", "identified"),
        ]
        return Plot(run.joint_names[k], f"friction [{run.units[k]}]", lines, x_unit=run.angles[k], y_unit=run.units[k])


def _drives(run: Run) -> tuple[str, ...]:
    return run.described.drive_columns.names


def _dry(model: Model, positions: Array, k: int) -> Array:
    q, v = np.zeros((2, len(positions), len(model.joint_names)))
    q[:, k], v[:, k] = positions, SLOW
    return 0.5 * (drive_torque(model, q, v) - drive_torque(model, q, -v))[:, k]


def drive_torque(model: Model, position: Array, velocity: Array) -> Array:
    """Torque of friction and offsets at these states, (states, joints).

    >>> robot = bf.Robot.load("pendulum").with_friction(bf.Viscous(), {"joint1.viscous": 0.5})
    >>> drive_torque(robot, np.zeros((1, 1)), np.full((1, 1), 2.0))
    array([[1.]])
    """
    plain = Model(**{f.name: getattr(model, f.name) for f in fields(Model)})
    none = replace(plain, drive_values=np.zeros(len(plain.drive_values)))
    still = np.zeros_like(velocity)
    q, v = np.ascontiguousarray(position), np.ascontiguousarray(velocity)
    return np.asarray(plain.inverse_dynamics(q, v, still)) - np.asarray(none.inverse_dynamics(q, v, still))


def _curve(model: Model, pose: Array, speeds: Array, k: int) -> Array:
    known = np.isfinite(speeds)
    v = np.zeros((int(known.sum()), len(pose)))
    v[:, k] = speeds[known]
    out = np.full(len(speeds), np.nan)
    out[known] = drive_torque(model, np.tile(pose, (len(v), 1)), v)[:, k]
    return out

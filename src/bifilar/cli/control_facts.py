"""What `bifilar control` found out: how well a controller followed, what a push did, what the drives had left."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bifilar import __version__
from bifilar.cli.control_laws import Held, guarded, held, law_of, read_by
from bifilar.cli.control_words import lacking, model_of, push_of, reference_of
from bifilar.cli.design_words import pose_of
from bifilar.cli.guard import UsageError
from bifilar.cli.run_robot import robot_or_run
from bifilar.cli.simulate_certified import beyond
from bifilar.cli.simulate_words import machine
from bifilar.control.cartesian import PathMotion, cartesian_motion, end_frame
from bifilar.control.model_error import wrong_by
from bifilar.control.tracking import PushResponse, Tracking, push_response, tracking
from bifilar.dynamics.tree import Array
from bifilar.experiment.trajectory import Motion
from bifilar.report.usage import UNITS
from bifilar.robot.model import Model
from bifilar.robot.robot import Robot
from bifilar.robot.smooth import smoothed
from bifilar.simulate.closed_loop import LoopRun, run_loop
from bifilar.simulate.pushes import JointPush

if TYPE_CHECKING:
    from bifilar.cli.control import Settings
    from bifilar.report.page import Page

WRONG, DURATION = 0.05, 4.0  # share of the model, and [s] of a path, if nothing is said


@dataclass(frozen=True, eq=False)
class Controlled:
    """A loop that was run.

    >>> Controlled.__dataclass_fields__["push"].type
    'JointPush | None'
    """

    settings: Settings
    robot: Robot  # the machine in the loop
    motion: PathMotion | Motion
    frame: str
    believed: str  # of the controller's model, in words
    run: LoopRun
    push: JointPush | None
    response: PushResponse | None
    limits: Array  # (joints,) [N m] of the drives
    safety: Held  # what the wrapper around the controller did
    lacking: Sequence[str] = ()  # joints that have much less friction than the model compensates

    @cached_property
    def seen(self) -> Tracking:
        """Errors and margins.

        >>> Controlled.seen.attrname
        'seen'
        """
        motion = self.motion if isinstance(self.motion, PathMotion) else None
        return tracking(self.robot, self.run, self.frame, motion=motion, limits=self.limits)

    @property
    def saturated(self) -> bool:
        """Whether a drive gave all it has."""
        return bool(self.seen.saturated.any())

    @property
    def read(self) -> str:
        """What the controller reads, in words."""
        words = {None: "The true state is read", "kalman": "Velocity is of a Kalman filter behind encoders"}
        return words.get(self.settings.encoders, "Velocity is of filtered differences of encoders")

    @cached_property
    def left(self) -> list[str]:
        """Position and velocity limits that the machine did not keep.

        >>> Controlled.left.attrname
        'left'
        """
        return beyond(self.robot, self.run.position, self.run.velocity)

    def rows(self) -> list[list[str]]:
        """A line per joint, as text; the head first."""
        seen, table = self.seen, [["joint", "error, rms", "largest", "torque, peak", "margin"]]
        for k, name in enumerate(self.robot.joint_names):
            slides = name in self.robot.sliding
            unit, peak = ("mrad", "mm")[slides], float(np.abs(self.run.command[:, k]).max())
            left = f"{100 * seen.margin[k]:.0f} %" if np.isfinite(self.limits[k]) else ""
            left += f", at its limit {100 * seen.saturated[k]:.2g} % of the time" if seen.saturated[k] else ""
            errors = [f"{1e3 * x:.3g} {unit}" for x in (seen.joint_rms[k], seen.joint_max[k])]
            table.append([name, *errors, f"{peak:.3g} {UNITS['torque'][slides]}", left])
        return table

    def told(self) -> list[tuple[str, str]]:
        """What is said of the tool, the path and the push, each with its name."""
        seen = self.seen
        lines = [("tool", f"'{self.frame}' {1e3 * seen.tool_rms:.3g} mm rms, {1e3 * seen.tool.max():.3g} mm at most")]
        if seen.path is not None:
            lines.append(("path", f"{1e3 * (seen.path_rms or 0.0):.3g} mm rms from it, {1e3 * seen.path.max():.3g} mm at most"))
        if self.response is not None and self.push is not None:
            one, unit = self.response, "mm" if self.push.joint in self.robot.sliding else "mrad"
            size = f"{self.push.torque:g} {UNITS['torque'][unit == 'mm']}"
            done = f"overshoot {100 * one.overshoot:.1f} %, settled to 5 % in {one.settling:.3g} s"
            off = f"'{one.joint}' by {size}: {1e3 * one.deviation:.3g} {unit} off"
            lines.append(("push", f"{off}, {done} (linear theory {one.theory:.3g} s)"))
        lines.append(("safety", self.safety.said()))
        if self.lacking:
            less = f"the model compensates more than twice what the virtual robot has in {', '.join(self.lacking)}"
            lines.append(("friction", f"{less}: give it --friction, or name a run's identified.urdf as the robot"))
        return lines

    def facts(self, files: Sequence[Path]) -> dict[str, Any]:
        """What `--json` says."""
        seen, given = self.seen, self.settings
        response = None
        if self.response is not None and self.push is not None:
            response = {**vars(self.response), "torque": self.push.torque, "start": self.push.start, "stop": self.push.stop}
        return {
            "bifilar": __version__,
            "robot": given.robot,
            "reference": given.reference,
            "controller": given.controller,
            "model": self.believed,
            "friction_lacking": list(self.lacking),
            "friction_at": given.friction_at,
            "omega": given.omega,
            "period": given.period,
            "lag": given.lag,
            "delay": given.delay,
            "encoders": given.encoders,
            "duration": float(self.run.time[-1]),
            "tool": {"frame": self.frame, "rms": seen.tool_rms, "largest": float(seen.tool.max())},
            "path": None if seen.path is None else {"rms": seen.path_rms, "largest": float(seen.path.max())},
            "push": response,
            "safety": {"rise": given.rise} | {name: value for name, value in vars(self.safety).items() if name != "rate"},
            "joints": {
                name: {
                    "error_rms": float(seen.joint_rms[k]),
                    "error_largest": float(seen.joint_max[k]),
                    "torque_peak": float(np.abs(self.run.command[:, k]).max()),
                    "torque_margin": float(seen.margin[k]),
                    "saturated": float(seen.saturated[k]),
                    "rate_held": self.safety.rate[name],
                }
                for k, name in enumerate(self.robot.joint_names)
            },
            "limits_left": self.left,
            "files": [str(path) for path in files],
        }

    def page(self) -> Page:
        """The page with pictures."""
        from bifilar.report.control_page import control_page

        least = float(self.seen.margin.min())
        facts = [(f"{1e3 * self.seen.tool_rms:.3g} mm", "rms error of the tool", "")]
        facts += [(f"{100 * least:.0f} %", "of its torque is left to the weakest drive", "bad" if self.saturated else "")]
        if self.response is not None:
            facts += [(f"{100 * self.response.overshoot:.1f} %", "overshoot after the push", "")]
            facts += [(f"{self.response.settling:.3g} s", f"to settle, linear theory {self.response.theory:.3g} s", "")]
        facts += [("left its limits", "; ".join(self.left), "bad")] if self.left else []
        facts += [("not believed", self.safety.said(), "bad")] if self.safety.lost else []
        told = [["of the", "error"], *([name, text] for name, text in self.told())]
        given = self.settings
        lead = (
            f"{given.controller.replace('-', ' ')} at {1e3 * given.period:g} ms and omega = {given.omega:g} rad/s along "
            f"{Path(given.reference).name}. {self.believed}. Drives lag by {1e3 * given.lag:g} ms. {self.read}."
        )
        motion = self.motion if isinstance(self.motion, PathMotion) else None
        return control_page(
            self.robot, self.run, self.seen, self.frame, motion=motion, push=self.push, limits=self.limits,
            title=f"{self.robot.name} in the loop", lead=lead, facts=facts, table=self.rows(), told=told,
            foot=f"Made by bifilar {__version__}.",
        )  # fmt: skip


def controlled(settings: Settings, tell: Callable[[str], Any] = lambda words: None) -> Controlled:
    """Run the loop; see Controlled."""
    _check(settings)
    described = robot_or_run(settings.robot, lock=settings.lock, limits=settings)
    described = smoothed(machine(described, friction=settings.friction, payload=None, unlike=0.0), settings.slip)
    real = machine(described, friction=(), payload=settings.payload, unlike=0.0)
    tell("finding the motion of the joints")
    motion = _motion(described, settings)
    frame = settings.frame or end_frame(described)
    described.pose(frame, np.zeros(len(described.joint_names)))  # a frame that is not there is told before anything moves
    model, believed = _model(described, settings)
    limits = settings.torque * np.asarray(real.limits.effort)
    last = motion.duration if isinstance(motion, PathMotion) else float(motion.time[-1] - motion.time[0])
    push = None if settings.push is None else push_of(settings.push, real, last)
    tell("running the loop")
    loop = {"period": settings.period, "torque_lag": settings.lag, "delay": settings.delay, "limits": limits}

    def once(pushes: tuple[JointPush, ...]) -> tuple[LoopRun, Held]:
        guard = guarded(law_of(model, motion, limits, settings), model, real, motion, limits, settings)
        run = run_loop(real, guard, motion, pushes=pushes, **loop, **read_by(settings, len(limits)))  # type: ignore[arg-type]
        return run, held(guard, run, real)

    (run, safety), response = once(() if push is None else (push,)), None
    if push is not None:
        response = push_response(run, once(())[0], push.joint, push.stop, settings.omega)
    less = lacking(real, model, settings.compensate)
    return Controlled(settings, real, motion, frame, believed, run, push, response, limits, safety, less)


def _check(settings: Settings) -> None:
    if not 0 < settings.torque <= 1:
        raise UsageError("usage.value/control_facts", torque=settings.torque)
    if not 0 < settings.omega < np.inf:
        raise UsageError("usage.value/check", omega=settings.omega)
    if not 0 < settings.slip < np.inf:
        raise UsageError("usage.value/control_facts_check", slip=settings.slip)
    if settings.friction_at == "actual" and settings.controller != "computed-torque":
        raise UsageError("usage.not_for/control_facts", controller=settings.controller)
    if not 0 < settings.rise < np.inf:
        raise UsageError("usage.value/control_facts_check_2", rise=settings.rise)
    if not 0 <= settings.compensate <= 1:
        raise UsageError("usage.value/control_facts_check_3", compensate=settings.compensate)
    if settings.model_error is not None and not 0 <= settings.model_error < 1 / 3:
        raise UsageError("usage.value/control_facts_check_4", model_error=settings.model_error)


def _motion(robot: Robot, settings: Settings) -> PathMotion | Motion:
    found = reference_of(settings.reference)
    if isinstance(found, Motion):
        given = {"--duration": settings.duration, "--held": settings.held, "--start": settings.start}
        extra = [option for option, value in given.items() if value]
        if settings.controller == "path-following":
            raise UsageError("usage.not_for/motion")
        if extra:
            raise UsageError("usage.not_for/control_facts_motion", extra=extra[0])
        return found
    begin = pose_of("--start", settings.start, robot.joint_names)
    return cartesian_motion(
        robot,
        found,
        duration=DURATION if settings.duration is None else settings.duration,
        frame=settings.frame,
        orientation="held" if settings.held else "free",
        start=None if begin is None else list(begin.values()),
    )


def _model(robot: Robot, settings: Settings) -> tuple[Model, str]:
    """What the controller believes, and what is said of it."""
    wrong = settings.model_error
    if settings.model is not None:
        if wrong:
            raise UsageError("usage.together/control_facts")
        return model_of(settings.model, robot), f"The controller's model is {settings.model}"
    wrong = WRONG if wrong is None else wrong
    share = f"{100 * settings.compensate:g} % of its friction is compensated"
    return wrong_by(robot, wrong, seed=settings.seed), f"The model is wrong by {100 * wrong:g} % per link; {share}"

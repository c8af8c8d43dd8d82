"""What `bifilar design` found: the motion with its proof, what it uses of the limits, what it promises."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bifilar import __version__
from bifilar.cli.design_constraints import constraints_of
from bifilar.cli.design_progress import watched
from bifilar.cli.design_proven import proven
from bifilar.cli.design_words import motion_of, pose_of
from bifilar.cli.friction_words import friction_of
from bifilar.cli.guard import UsageError
from bifilar.cli.open_words import grouped
from bifilar.dynamics.tree import Array
from bifilar.errors import MotionError
from bifilar.experiment.certificate import Certificate, Margin
from bifilar.experiment.design import NOISE, Design, design
from bifilar.experiment.fingerprint import described
from bifilar.experiment.information import Information, relative_sizes
from bifilar.report.bar_figures import Promise, promises
from bifilar.report.usage import Use, used
from bifilar.robot.base_parameters import base_parameters
from bifilar.robot.friction import Friction
from bifilar.robot.robot import Robot

if TYPE_CHECKING:
    from bifilar.cli.design import Settings
    from bifilar.report.page import Page

FINE = 1000.0  # [Hz] at which peaks are shown; limits are proven, not sampled
STOPPED = "stopped by the user"


class Spare(NamedTuple):
    """The least proven margin of a joint.

    >>> Spare(0.05, "velocity").quantity
    'velocity'
    """

    share: float  # of the limit
    quantity: str


@dataclass(frozen=True, eq=False)
class Designed:
    """A designed motion, ready to be written and shown.

    >>> from bifilar.cli.design import Settings
    >>> done = designed(Robot.load("two_link"), Settings(robot="two_link", duration=5.0, output="excite.csv", starts=1))
    >>> len(done.spare) == 2 and all(spare.share >= 0.05 for spare in done.spare)
    True
    """

    settings: Settings
    robot: Robot  # as it moves; what is to be identified may have more terms
    found: Design
    values: dict[str, float]  # that the description states for the parameters
    sizes: dict[str, float]  # that deviations are compared with; zero where nothing of the kind is stated

    @property
    def stopped(self) -> bool:
        """Whether Ctrl-C ended the search."""
        return any(start.status == STOPPED for start in self.found.starts)

    @property
    def score(self) -> float:
        """The criterion as people say it; the search maximises logarithms."""
        kind, value = self.found.criterion.kind, self.found.value
        power = {"E": 1.0, "A": -1.0, "condition": -0.5, "worst": -0.5}
        return float(np.exp(power[kind] * value)) if kind in power else value

    @cached_property
    def uses(self) -> tuple[Use, ...]:
        """Peaks beside limits.

        >>> Designed.uses.attrname
        'uses'
        """
        return used(self.robot, self.found.motion.sample(FINE))

    @cached_property
    def promises(self) -> list[Promise]:
        """How well each parameter will be known, the best first.

        >>> Designed.promises.attrname
        'promises'
        """
        return promises(self.found.deviations, self.values, self.sizes)

    @property
    def margins(self) -> tuple[Margin, ...]:
        """All that was proven at full speed."""
        return self.found.certificate.run().margins

    @cached_property
    def spare(self) -> list[Spare]:
        """Per joint the least margin, as a share of its limit (of half the range, for positions).

        >>> Designed.spare.attrname
        'spare'
        """
        limits = self.robot.limits
        half = dict(zip(self.robot.joint_names, 0.5 * (limits.upper - limits.lower)))
        least = {name: Spare(np.inf, "") for name in self.robot.joint_names}
        for margin in self.margins:
            quantity, _, rest = margin.name.partition(" of ")
            name = rest if rest in least else rest.rpartition(",")[0]
            if name in least and quantity in ("position", "velocity", "acceleration", "jerk", "torque"):
                size = half[name] if quantity == "position" else abs(margin.limit)
                least[name] = min(least[name], Spare(margin.room / size, quantity))
        return list(least.values())

    @property
    def walls(self) -> list[Margin]:
        """Margins of what is not a limit of a joint, the least first: heights, boxes, speeds, distances."""
        of_joints = tuple(
            f"{q} of {n}" for q in ("position", "velocity", "acceleration", "jerk", "torque") for n in self.robot.joint_names
        )
        return sorted((m for m in self.margins if not m.name.startswith(of_joints)), key=lambda margin: margin.room)

    def save(self, path: Path, *, ladder: bool) -> Certificate:
        """Write the motion, its slower ones and the certificate."""
        return self.found.save(path, ladder=ladder)

    def counts(self) -> dict[str, int]:
        """How many parameters will be known how well."""
        relative = np.array([promise.relative for promise in self.promises])
        return {
            "parameters": len(relative),
            "below_10_percent": int((relative < 0.1).sum()),
            "below_100_percent": int(((relative >= 0.1) & (relative < 1)).sum()),
            "above_100_percent": int(((relative >= 1) & np.isfinite(relative)).sum()),
            "no_stated_value": int(np.isinf(relative).sum()),
        }

    def facts(self, files: Sequence[Path]) -> dict[str, Any]:
        """What `--json` says."""
        found, names = self.found, self.robot.joint_names
        run = found.certificate.run()
        joints = {
            name: {
                use.quantity: {"lowest": float(use.lowest[k]), "highest": float(use.highest[k]), "share": float(use.share[k])}
                for use in self.uses
            }
            | {"least_margin": self.spare[k].share, "least_margin_of": self.spare[k].quantity}
            for k, name in enumerate(names)
        }
        return {
            "bifilar": __version__,
            "certified": True,  # a motion that is not is not written
            "robot": self.settings.robot,
            "duration": found.motion.duration,
            "harmonics": list(found.motion.harmonics),
            "criterion": found.criterion.kind,
            "value": found.value,
            "score": self.score,
            "starts": [
                {"value": start.value, "iterations": start.iterations, "status": start.status} for start in found.starts
            ],
            "stopped": self.stopped,
            "joints": joints,
            "margins": [{"name": m.name, "room": m.room, "limit": m.limit, "unit": m.unit} for m in self.margins],
            "second_opinion": {
                "by": found.certificate.second_opinion,
                "instants": run.instants,
                "disagreement": run.disagreement,
            },
            "constraints": [described(constraint) for constraint in found.constraints],
            "not_checked": grouped(found.certificate.not_checked),
            "known": self.counts(),
            "deviations": {p.name: p._asdict() | {"relative": p.relative} for p in self.promises},
            "files": [str(path) for path in files],
        }

    def page(self, name: str) -> Page:
        """The page with pictures."""
        from bifilar.report.design_page import design_page

        counts, found = self.counts(), self.found
        unchecked = grouped(found.certificate.not_checked)
        tightest = {wall.unit: wall for wall in reversed(self.walls)}.values()  # metres and speeds are not compared
        least = min(self.spare)
        run = found.certificate.run()
        facts = [
            ("certified", f"{proven(found.certificate)}, at every instant", "good"),
            *([("not checked", "; ".join(unchecked), "warn")] if unchecked else []),
            (f"{found.motion.duration:g} s", f"{len(found.motion.harmonics)} harmonics", ""),
            (f"{self.score:.4g}", CRITERIA[found.criterion.kind], ""),
            (
                f"{100 * least.share:.1f} %",
                f"least margin of a joint limit, {least.quantity} of {self.robot.joint_names[self.spare.index(least)]}",
                "",
            ),
            *((room_of(wall), f"least room of a constraint, {wall.name}", "") for wall in tightest),
            (f"{counts['below_10_percent']} of {counts['parameters']}", "parameters known to 10 %", ""),
        ]
        walls = [[margin.name, room_of(margin), f"{margin.limit:.3g} {margin.unit}"] for margin in self.walls]
        foot = f"Made by bifilar {__version__}. Checked again by {found.certificate.second_opinion} at {run.instants} instants"
        foot += f", largest disagreement {run.disagreement:.1g}."
        head = ["beyond the joints", "room left", "limit"]
        sampled, lead = found.motion.sample(found.rate), f"An exciting motion for {self.robot.name}."
        return design_page(
            self.robot,
            sampled,
            self.promises,
            title=name,
            lead=lead,
            facts=facts,
            margins=[head, *walls] if walls else [],
            foot=foot,
        )


def room_of(margin: Margin) -> str:
    """Room as people say it: lengths in mm.

    >>> room_of(Margin("height of tool", 0.0123, 0.15, "m"))
    '12.3 mm'
    """
    return f"{1e3 * margin.room:.1f} mm" if margin.unit == "m" else f"{margin.room:.3g} {margin.unit}"


CRITERIA = {
    "D": "log det of the information",
    "A": "trace of the covariance",
    "E": "least eigenvalue of the information",
    "condition": "condition number of the weighted regressor",
    "worst": "largest relative deviation",
}


def designed(robot: Robot, settings: Settings, watch: Callable[..., None] | None = None) -> Designed:
    """Search as the settings say; see Designed."""
    _limits_known(robot, settings)
    wanted = _identified(robot, settings.friction)
    noise = _noise(robot, settings.noise)
    pose = pose_of("--start", settings.start, robot.joint_names)
    only = settings.only or ("*",)
    prior = _prior(wanted, settings.after, noise, settings.rate, only) if settings.after else None
    assert settings.duration is not None
    with watched(settings.starts, settings.criterion) as told:
        found = design(
            wanted,
            duration=settings.duration,
            harmonics=settings.harmonics,
            criterion=settings.criterion,
            starts=settings.starts,
            seed=settings.seed,
            margin=settings.margin,
            noise=noise,
            rate=settings.rate,
            prior=prior,
            constraints=constraints_of(robot, settings),
            start=None if pose is None else np.array(list(pose.values())),
            only=only,
            watch=told if watch is None else watch,
        )
    base = base_parameters(wanted)
    values = base.from_full(wanted.parameters())
    sizes = relative_sizes(base, wanted)
    sizes = np.where((values == 0) & (sizes == 1.0), 0.0, sizes)  # 1 stands for a kind of which nothing is stated
    named = [dict(zip(base.independent, array.tolist())) for array in (values, sizes)]
    return Designed(settings, robot, replace(found, robot=robot), *named)


def _identified(robot: Robot, text: str) -> Robot:
    """The robot with the terms that are to be identified beside its own; new coefficients are zero.

    Open signs are hard: with a smooth one (0.01 rad/s) the search ended at less information in 8 of 9 runs, by 0.9 to 5.2 in
    log det, counted with that smooth sign (Panda and UR10e, 10 s, one start each).
    """
    own = robot.friction.terms
    given = friction_of(text, robot).terms
    more = [term for term in given if type(term) not in {type(other) for other in own}]
    return robot.with_friction(Friction((*own, *more)))


def _limits_known(robot: Robot, settings: Settings) -> None:
    """Ask for limits by name before anything else, with the command that writes a file for them."""
    limits = robot.limits
    pairs = (("position", limits.upper - limits.lower), ("velocity", limits.velocity))
    missing = {what: [n for n, x in zip(robot.joint_names, span) if not np.isfinite(x)] for what, span in pairs}
    if any(missing.values()):
        raise MotionError(
            "limits.missing/design_facts",
            where=settings.robot,
            which=[f"{what} of {', '.join(names)}" for what, names in missing.items() if names],
            robot=settings.robot,
        )
    unknown = [name for name, x in zip(robot.joint_names, limits.effort) if not np.isfinite(x)]
    if unknown and not settings.noise:
        raise MotionError("noise.unknown/design_facts", where=settings.robot, unknown=unknown, noise=NOISE)


def _noise(robot: Robot, given: Sequence[float]) -> Array:
    if len(given) not in (0, 1, len(robot.joint_names)):
        raise UsageError(
            "usage.value/design_facts",
            joints=robot.joint_names,
            joint_name_count=len(robot.joint_names),
            given_count=len(given),
        )
    if any(not 0 < value < np.inf for value in given):
        raise UsageError("usage.value/noise")
    return np.broadcast_to(np.array(given), (len(robot.joint_names),)) if given else NOISE * robot.limits.effort


def _prior(robot: Robot, files: Sequence[str], noise: Array, rate: float, only: Sequence[str]) -> Array:
    """Information of motions that were played already, each as often as the rate of a recording says."""
    seen = Information.on(robot, base_parameters(robot), noise=noise, only=only)
    total = np.zeros((len(seen.names), len(seen.names)))
    for file in files:
        motion = motion_of(file, robot.joint_names)
        if len(motion) < 2:
            raise MotionError("motion.too_short/design_facts", where=file)
        period = float(np.median(np.diff(motion.time)))
        total += rate * period * seen.matrix(motion.position, motion.velocity, motion.acceleration)
    return total

"""`held_out`: a model on motion that it has not seen, joint by joint, beside the description and the noise.

    rmse, relative    size of the torque error, absolute and as a share of the torque
    r2                share of the torque's variance that is explained
    floor             the torque noise that the fit found: what a perfect model would leave
    described         the error of the description as it was, friction included where it states any

Rows are never shuffled: neighbours of a filtered recording know each other, and a shuffled split tests nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.errors import SolveError
from bifilar.estimate.estimate import BaseEstimate
from bifilar.estimate.score import Score, predicted, raw_errors
from bifilar.estimate.sources import Data, Equations, equations_of, listed
from bifilar.recording.checks_excitation import SMALL
from bifilar.recording.recording import Recording
from bifilar.recording.samples import Samples
from bifilar.validate.repeats import repeated
from bifilar.validate.residuals import Dependence, dependences

if TYPE_CHECKING:
    from bifilar.robot.robot import Robot


NOTHING = "nothing"  # of the torque's variance: the mean torque would err less
ABSURD = 10.0  # share of the torque from which figures mean nothing
FAR = 1000.0  # times the noise, likewise


@dataclass(frozen=True, eq=False)
class Validation:
    """Errors of an estimate on recordings that were not fitted.

    >>> robot = bf.Robot.load("pendulum")
    >>> q, v, a = np.random.default_rng(0).normal(size=(3, 200, 1))
    >>> data = q, v, a, robot.inverse_dynamics(q, v, a)
    >>> held_out(bf.LeastSquares().fit(robot, data, friction=()), data).relative < 1e-9
    True
    """

    joint_names: tuple[str, ...]
    rows: int
    relative: float  # over all joints together
    raw: float | None  # of the unfiltered prediction against the torque as measured
    described: float  # the description's own relative error on the same rows
    rmse: Array  # (joints,)
    per_joint: Array  # (joints,) relative
    r2: Array  # (joints,)
    floor: Array  # (joints,) noise of the fit
    described_per_joint: Array  # (joints,) relative
    dependences: tuple[Dependence, ...]
    recordings: tuple[Recording, ...] = ()  # as they were given, to look for mistakes in
    repeated: float = 0.0  # share of the motion that was fitted as well, where the fitted recordings are known
    still: tuple[str, ...] = ()  # joints that hardly moved in any of the fitted recordings
    fitted: tuple[Recording, ...] = ()  # of the fit, where they are known: mistakes are looked for there first

    @property
    def over_floor(self) -> Array:
        """Errors in units of the noise that the fit found, (joints,): 1 is all one can ask for.

        >>> robot = bf.Robot.load("pendulum")
        >>> q, v, a = np.random.default_rng(0).normal(size=(3, 400, 1))
        >>> tau = robot.inverse_dynamics(q, v, a) + 0.1 * np.random.default_rng(1).normal(size=(400, 1))
        >>> half = [tuple(x[k::2] for x in (q, v, a, tau)) for k in (0, 1)]
        >>> float(held_out(bf.LeastSquares().fit(robot, half[0], friction=()), half[1]).over_floor[0].round(1))
        1.0
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(self.floor > 0, self.rmse / self.floor, np.inf)

    def table(self) -> list[list[str]]:
        """Head and one row per joint, as text.

        >>> robot = bf.Robot.load("pendulum")
        >>> q, v, a = np.random.default_rng(0).normal(size=(3, 200, 1))
        >>> data = q, v, a, robot.inverse_dynamics(q, v, a)
        >>> held_out(bf.LeastSquares().fit(robot, data, friction=()), data).table()[0][:3]
        ['joint', 'error', 'identified']
        """
        head = ["joint", "error", "identified", "description", "explained", "error / noise"]
        rows = zip(self.joint_names, self.rmse, self.per_joint, self.described_per_joint, self.r2, self.over_floor)
        shares = [
            [name, f"{e:.3g}", _share(x, 2), _share(d, 1), f"{100 * r:.2f} %" if r > 0 else NOTHING, _times(f)]
            for name, e, x, d, r, f in rows
        ]
        return [head, *shares]


def held_out(
    estimate: BaseEstimate,
    recordings: Data | Iterable[Data],
    *,
    described: Robot | None = None,
    fitted: Data | Iterable[Data] = (),
) -> Validation:
    """Judge an estimate on recordings that were not fitted, prepared as the fitted ones were.

    `described`: the robot to compare with, if it is not the one that was fitted. `fitted`: the recordings of the fit, to tell
    whether the motion is another.

    >>> robot = bf.Robot.load("pendulum")
    >>> data = *np.random.default_rng(0).normal(size=(3, 200, 1)), np.ones((200, 1))
    >>> held_out(bf.LeastSquares().fit(robot, data), data).rows
    200
    """
    robot, given = estimate.described, listed(recordings)
    known: list[object] = [fitted] if isinstance(fitted, Recording) else list(fitted)  # type: ignore[arg-type]
    sources = [equations_of(data, robot, estimate.recipe) for data in given]
    torque = np.concatenate([_torque(source, robot) for source in sources])
    errors = torque - np.concatenate([predicted(estimate.model, source) for source in sources])
    own = described or robot
    before = torque - np.concatenate([predicted(own, source) for source in sources])
    if not np.isfinite(errors).all():
        raise SolveError("torque.not_finite")
    total, prior = Score.of(robot.row_names(), torque, errors), Score.of(robot.row_names(), torque, before)
    spread = ((torque - torque.mean(axis=0)) ** 2).sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        r2 = 1 - (errors**2).sum(axis=0) / spread
    return Validation(
        robot.row_names(),
        len(torque),
        total.relative,
        _raw(estimate, sources),
        prior.relative,
        total.rmse,
        total.per_joint,
        r2,
        np.asarray(estimate.noise),
        prior.per_joint,
        tuple(_dependences(robot.row_names(), given, sources, errors)),
        tuple(data for data in given if isinstance(data, Recording)),
        repeated(known, given),
        _still(known),
        tuple(data for data in known if isinstance(data, Recording)),
    )


def _share(share: float, digits: int) -> str:
    return f"{100 * share:.{digits}f} %" if not share > ABSURD else f"> {100 * ABSURD:.0f} %"


def _times(times: float) -> str:
    return f"{times:.2f}" if not FAR < times < np.inf else f"> {FAR:.0f}"


def _still(fitted: list[object]) -> tuple[str, ...]:
    """Joints that no fitted recording moves by more than `SMALL`."""
    seen = [one for one in fitted if isinstance(one, Recording) and one.position is not None and len(one.time)]
    spans: dict[str, float] = {}
    for one in seen:
        for name, q in zip(one.joint_names, np.asarray(one.position).T):
            moved = q[np.isfinite(q)]
            spans[name] = max(spans.get(name, 0.0), float(np.ptp(moved)) if len(moved) else 0.0)
    return tuple(name for name, span in spans.items() if span < SMALL)


def _raw(estimate: BaseEstimate, sources: list[Equations]) -> float | None:
    """Error against the torque as it was measured, over all rows together as `relative` is; None where it is not known."""
    samples = [source for source in sources if isinstance(source, Samples)]
    if len(samples) < len(sources) or estimate.described.is_floating:
        return None
    errors = np.concatenate([raw_errors(estimate.model, each) for each in samples])
    return float(np.linalg.norm(errors) / np.linalg.norm(np.concatenate([each.raw_torque for each in samples])))


def _torque(source: object, robot: Robot) -> Array:
    if isinstance(source, Samples):
        return source.torque
    return np.concatenate([np.asarray(chunk.torque) for chunk in source.chunks(robot)])  # type: ignore[attr-defined]


def _dependences(names: tuple[str, ...], given: Iterable[Data], sources: list, errors: Array) -> list[Dependence]:
    """Of every joint, where the rows' states are known; on its temperature where all recordings hold it."""
    if not all(hasattr(source, "position") for source in sources) or errors.shape[1] != sources[0].position.shape[1]:
        return []
    quantity = {
        name: np.concatenate([getattr(source, name) for source in sources]) for name in ("position", "velocity", "acceleration")
    }
    found = []
    for k, name in enumerate(names):
        of_joint = {what: x[:, k] for what, x in quantity.items()}
        warmth = [_temperature(name, data, source) for data, source in zip(given, sources)]
        of_joint_errors = dependences(name, errors[:, k], of_joint)
        if all(x is not None for x in warmth):
            warm = {"temperature": np.concatenate([x for x in warmth if x is not None])}
            against = errors[:, k] * np.sign(of_joint["velocity"])  # what friction lacks: it turns round with the motion
            ways = [d for e in (errors[:, k], against) for d in dependences(name, e, warm) if d.on == "temperature"]
            of_joint_errors[-1:-1] = sorted(ways, key=lambda d: d.chance)[:1]
        found += of_joint_errors
    return found


def _temperature(joint: str, data: Data, source: Equations) -> Array | None:
    """Of a joint at the rows, (rows,); None where it was not recorded, or rows are means over periods."""
    if not isinstance(data, Recording) or not isinstance(source, Samples) or source.noise is not None:
        return None
    channel = data.channels.get("temperature")
    if channel is None or joint not in channel.columns:
        return None
    time, values = data.time if channel.time is None else channel.time, channel.values[:, channel.columns.index(joint)]
    known = np.isfinite(values) & np.isfinite(time)
    if known.sum() < 2:
        return None
    order = np.argsort(time[known], kind="stable")
    return np.asarray(np.interp(source.time, time[known][order], values[known][order]))

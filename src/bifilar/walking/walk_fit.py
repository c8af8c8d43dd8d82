"""Parameters of a walker from the recording of a walk: maximum likelihood over its stretches on one foot, judged on others.

The last strides are held out. On them the identified model and the description are simulated with the recorded torque
(`stance_simulation`). Legs that are alike make one model for both feet; otherwise, or with a sensor on a leg, stretches on the
first foot are used alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.errors import Note, RecordingError
from bifilar.estimate.estimate import BaseEstimate
from bifilar.recording.recording import Recording
from bifilar.robot.base_parameters import BaseParameters, base_parameters
from bifilar.robot.robot import Robot
from bifilar.walking.planar import Planar
from bifilar.walking.sensor_file import Carried
from bifilar.walking.sensors import ContactSwitch, Encoder
from bifilar.walking.stance import StanceLog
from bifilar.walking.stance_likelihood import StanceLikelihood
from bifilar.walking.stance_simulation import HORIZON, Followed, follow
from bifilar.walking.straight import straight_base
from bifilar.walking.stretches import Stretch, stretches
from bifilar.walking.walker import Walker

HELD = 0.3  # of the strides, the last ones
WIDTH = 0.02  # [rad/s] over which the sign of a speed is smooth
ACROSS = 1e-9  # [kg m] of a first moment across a link that is straight


@dataclass(frozen=True, eq=False)
class WalkFit:
    """What was found."""

    walker: Walker
    pinned: Robot
    base: BaseParameters
    estimate: BaseEstimate
    fitted: tuple[Stretch, ...]
    held: tuple[Stretch, ...]
    identified: tuple[Followed, ...]  # the held ones, simulated
    described: tuple[Followed, ...]
    horizon: float  # [s]
    notes: tuple[Note, ...]

    @property
    def error(self) -> float:
        """Simulation error [rad] of the identified model on the held strides, root mean square."""
        return _rms(self.identified)

    @property
    def described_error(self) -> float:
        """The same of the description."""
        return _rms(self.described)

    def rows(self) -> list[dict[str, object]]:
        """Every base parameter: what it stands for, found, deviation, described."""
        described = self.base.from_full(self.pinned.parameters())
        found, off = self.estimate.values, self.estimate.deviations
        return [
            {"name": name, "equation": equation, "value": float(x), "deviation": float(d), "described": float(t)}
            for name, equation, x, d, t in zip(self.base.independent, self.base.equations(), found, off, described)
        ]


def fit_walk(
    carried: Carried, recording: Recording, *, held: float = HELD, horizon: float = HORIZON, skip: bool = False
) -> WalkFit:
    """Fit the first strides, simulate the last."""
    walker = carried.sensors.walker
    every, notes = _usable(carried, stretches(carried, recording, skip=skip))
    train, test = _cut(every, held)
    pinned = smooth_pinned(walker)
    base = base_of(pinned)
    found = StanceLikelihood().fit(pinned, [s.log for s in train], motion=[s.motion for s in train], base=base)
    model, described = Planar.of(found.model), Planar.of(pinned)  # type: ignore[arg-type]
    return WalkFit(
        walker,
        pinned,
        base,
        found,
        tuple(train),
        tuple(test),
        tuple(follow(model, s.log, s.motion, held=s.held, horizon=horizon) for s in test),
        tuple(follow(described, s.log, s.motion, held=s.held, horizon=horizon) for s in test),
        horizon,
        notes,
    )


def smooth_pinned(walker: Walker, stance: int = 0) -> Robot:
    """The robot on a foot, with signs of speeds smooth enough for derivatives.

    >>> smooth_pinned(Walker.load("leg")).friction.terms[-1].width
    0.02
    """
    pinned = walker.pinned(stance)
    terms = tuple(replace(term, width=WIDTH) if hasattr(term, "width") else term for term in pinned.friction)  # type: ignore[call-arg]
    return pinned.with_friction(terms, dict(zip(pinned.drive_columns.names, pinned.drive_values)))


def base_of(pinned: Robot) -> BaseParameters:
    """What is estimated: without first moments across the links where these are straight.

    >>> base_of(Walker.load("walker3").pinned(0)).rank
    6
    """
    return straight_base(pinned) if _is_straight(pinned) else base_parameters(pinned)


def _rms(runs: Sequence[Followed]) -> float:
    return float(np.sqrt(np.mean([run.rms**2 for run in runs])))


def _is_straight(pinned: Robot) -> bool:
    known = pinned.parameters()
    across = [value for name, value in zip(known.names, known.values) if name.endswith(".mcx")]
    return bool(np.abs(across).max() < ACROSS)


def _usable(carried: Carried, every: list[Stretch]) -> tuple[list[Stretch], tuple[Note, ...]]:
    """Stretches that one model describes, and why others were left out."""
    walker = carried.sensors.walker
    if len(walker.feet) == 1:
        return every, ()
    on_legs = [
        sensor.channels[0]
        for sensor in carried.sensors.sensors
        if not isinstance(sensor, (Encoder, ContactSwitch)) and sensor.on(walker, 0).body != _torso(walker)
    ]
    if walker.is_symmetric and not on_legs:
        return every, ()
    left = Note("walk.one_foot/sensor" if on_legs else "walk.one_foot/legs", foot=walker.feet[0], sensors=on_legs[:1])
    return [s for s in every if s.stance == 0], (left,)


def _torso(walker: Walker) -> int:
    return walker.planar(0).names.index(walker.base)


def _cut(every: list[Stretch], held: float) -> tuple[list[Stretch], list[Stretch]]:
    """First ones to fit, last ones to judge; a single long stretch is cut in two."""
    if len(every) == 1:
        whole = every[0]
        at = round((1 - held) * len(whole.log))
        every = [_part(whole, slice(0, at)), _part(whole, slice(at, len(whole.log)))]
        return every[:1], every[1:]
    count = max(1, round(held * len(every)))
    if count >= len(every):
        raise RecordingError("walk.no_stride")
    return every[:-count], every[-count:]


def _part(stretch: Stretch, part: slice) -> Stretch:
    log = stretch.log
    readings = tuple(one._replace(values=(one.values[0][part],)) for one in log.readings)
    cut: StanceLog = replace(log, position=log.position[part], torque=log.torque[part], readings=readings)
    motion: Array = stretch.motion[part]
    held = None if stretch.held is None else stretch.held[part]
    return Stretch(cut, stretch.stance, stretch.start + part.start, motion, held)

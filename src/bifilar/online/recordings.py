"""A filter over a recording: what it believed at every time, as a table and for a page.

Positions are differentiated without delay and torque is filtered alike (`prepare`, recipe "plain"), rows are kept at the
bandwidth, so that their errors are almost independent. The noise of a joint is what a first pass leaves unexplained. Links
and friction do not change, so all rows are remembered (`exact`); a load is followed with the noise that
no load explains within seconds. Where a joint stands, nobody knows the sign of its Coulomb friction: its torque is believed
less there, by that friction for a load, by all of the joint's torque where friction itself is sought.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from bifilar.dynamics import decompose
from bifilar.errors import RecordingError
from bifilar.online.outcome import OUTCOMES
from bifilar.online.parameter_filter import ParameterFilter
from bifilar.online.payload import attach
from bifilar.online.states import Form
from bifilar.online.tracker import Tracker
from bifilar.online.tuning import Change, Tuning
from bifilar.recording.prepare import prepare
from bifilar.recording.recipes import Kinematics
from bifilar.recording.recording import Recording
from bifilar.recording.samples import Samples
from bifilar.robot.friction import Coulomb, Offset, Viscous
from bifilar.robot.inertia import Array
from bifilar.robot.parameters import Parameters
from bifilar.robot.robot import Robot

SHOWN = 60  # instants that are kept
FIRST = 0.05  # of a joint's torque: its noise in the first pass
LEAST = 0.01  # of a joint's torque: its noise at least
PRIOR = 0.3  # deviation of log-Cholesky numbers and sigmoids' arguments at the start
# chosen on the first 70 % of panda_gaz, cut at 50 %
FRICTION = 1.0  # of a joint's largest torque, at its largest speed: bound of a friction coefficient
START = 0.02  # of that bound, where friction starts
LOAD = Tuning(
    process=1e-3, iterations=10, change=Change(chance=1e-9, patience=5)
)  # of a load; chosen on one pair of runs of a UR10e
STRETCH = 3.0  # [s] within which a load is taken as constant, to size the noise
DRIVES = 2.0  # deviation of a friction coefficient's sigmoid at the start: it is hardly known


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Track:
    """What a filter believed over time; made by `track`.

    >>> Track.__dataclass_fields__["mean"].type
    'Array'
    """

    names: tuple[str, ...]
    units: tuple[str, ...]
    time: Array  # (K,) [s]
    mean: Array  # (K, names)
    deviation: Array  # (K, names)
    surprise: Array  # (K,) mean normalised innovation of the rows in between, per row; near one if all is well
    not_seen: tuple[tuple[str, ...], ...]  # (K,) parameters that were not seen until then
    outcomes: dict[str, int]  # of the rows
    never_excited: tuple[str, ...]
    robot: Robot  # at the end
    tracker: Tracker
    samples: Samples
    noise: Array  # (joints,) [N m] that was used

    def __repr__(self) -> str:
        return f"Track({len(self.names)} parameters, {len(self.samples)} rows, {self.time[0]:.3g} to {self.time[-1]:.3g} s)"

    def rows(self) -> list[dict[str, Any]]:
        """The last belief: name, value, deviation, unit, whether it was seen, and since when [s]."""
        last = zip(self.names, self.mean[-1].tolist(), self.deviation[-1].tolist(), self.units, self.seen_from)
        return [{"name": n, "value": v, "deviation": d, "unit": u, "seen": t is not None, "since": t} for n, v, d, u, t in last]

    @property
    def seen_from(self) -> tuple[float | None, ...]:
        """Since when every parameter has been seen [s]; None where it was not, at the end."""
        out: list[float | None] = []
        for name in self.names:
            unseen = [k for k, names in enumerate(self.not_seen) if name in names]
            first = unseen[-1] + 1 if unseen else 0
            out.append(float(self.time[first]) if first < len(self.time) else None)
        return tuple(out)

    @property
    def unexplained(self) -> Array:
        """Share of each joint's torque that the robot at the end does not explain: root mean squares, (joints,)."""
        state = self.samples.position, self.samples.velocity, self.samples.acceleration
        left = self.samples.torque - self.robot.inverse_dynamics(*state)
        size = np.sqrt(np.mean(self.samples.torque**2, axis=0))
        return np.asarray(np.sqrt(np.mean(left**2, axis=0)) / np.maximum(size, 1e-3 * size.max()))


def track(
    robot: Robot,
    recording: Recording,
    *,
    payload: str | None = None,
    form: Form = "log_cholesky",
    cutoff: float | None = None,
    kinematics: Kinematics = "derived",
    shown: int = SHOWN,
) -> Track:
    """Follow a recording: all links and friction, or the load at a frame of a robot that is otherwise known.

    `kinematics`: velocities derived from the positions, or "logged".

    >>> arm = bf.Robot.load("two_link")
    >>> t = np.arange(3000) / 200
    >>> q, v, a = (np.column_stack([w**k * np.sin(w * t + k * np.pi / 2) for w in (1.0, 1.7)]) for k in range(3))
    >>> log = bf.Recording(joint_names=arm.joint_names, time=t, position=q, torque=arm.inverse_dynamics(q, v, a))
    >>> track(arm, log, cutoff=5.0).outcomes["accepted"] > 100
    True
    """
    if recording.torque is None:
        raise RecordingError("torque.missing/recordings")
    recording = recording.joints(robot.joint_names)
    if silent := [
        name for name, column in zip(robot.joint_names, np.asarray(recording.torque).T) if not np.nan_to_num(column).any()
    ]:
        raise RecordingError("torque.zero", silent=silent)
    if payload is not None:
        robot._frame(payload)  # refuses an unknown name
    else:
        robot = robot if len(robot.drive_values) else robot.with_friction(Viscous() + Coulomb() + Offset())
    samples = prepare(recording, "plain", robot=robot, decimate=True, cutoff=cutoff, kinematics=kinematics)
    if payload is not None:
        noise = _left_by_a_load(robot, samples, payload)
        doubt = _doubt(samples, _coulomb(robot))
        return _followed(
            attach(robot, payload, noise=noise, tuning=LOAD, limits=False).generally(), samples, noise, shown, doubt
        )
    sign = _coulomb(robot) > 0
    doubt = _doubt(samples, np.where(sign, np.abs(samples.torque).max(axis=0), 0.0))
    tracker, noise = _links(robot, samples, form, doubt)
    return _followed(tracker, samples, noise, shown, doubt)


def _coulomb(robot: Robot) -> Array:
    """Coulomb friction of every joint [N m]; where its coefficient is not known yet, the smallest number that is not zero."""
    out, columns = np.zeros(len(robot.joint_names)), robot.drive_columns
    for name, value, effect in zip(columns.names, robot.drive_values, columns.columns.effect):
        if name.rpartition(".")[2].startswith("coulomb"):
            out += np.abs(effect) * max(abs(float(value)), np.finfo(float).tiny)
    return out


def _doubt(samples: Samples, size: Array) -> Array:
    """(N, joints, joints) variance beside the noise, where a joint stands."""
    return np.asarray(np.where(samples.mask, 0.0, size**2)[:, :, None] * np.eye(samples.mask.shape[1]))


def _links(robot: Robot, samples: Samples, form: Form, doubt: Array) -> tuple[Tracker, Array]:
    size = np.abs(samples.torque).max(axis=0)
    noise = FIRST * np.maximum(size, 1e-3 * size.max())
    start, bounds = _friction(robot, samples)
    words = [f"{body}.*" for body in robot.body_names[1:]] + list(robot.drive_columns.names)
    tuning = Tuning(prior=PRIOR, drives=DRIVES, exact=True)
    settings: dict[str, Any] = {"form": form, "start": start, "bounds": bounds, "tuning": tuning, "limits": False}
    for _ in range(2):
        tracker = ParameterFilter(robot, words, noise=noise, **settings)
        tracker._take(samples.time, (samples.position, samples.velocity, samples.acceleration), samples.torque, doubt)
        left = samples.torque - tracker.robot.inverse_dynamics(samples.position, samples.velocity, samples.acceleration)
        noise = np.maximum(np.sqrt(np.mean(left**2, axis=0)), LEAST * size)
    return ParameterFilter(robot, words, noise=noise, **settings), noise


def _friction(robot: Robot, samples: Samples) -> tuple[dict[str, float], dict[str, tuple[float, float]]]:
    """Starts and bounds of drive coefficients, from the size of torque and speed."""
    torque, speed = np.abs(samples.torque).max(axis=0), np.abs(samples.velocity).max(axis=0)
    start, bounds = {}, {}
    columns = robot.drive_columns
    for name, value, effect in zip(columns.names, robot.drive_values, columns.columns.effect):
        joint = int(np.argmax(np.abs(effect)))
        word = name.rpartition(".")[2]
        most = FRICTION * torque[joint] / (max(speed[joint], 0.1) if word.startswith(("viscous", "rotor")) else 1.0)
        signed = word.startswith("offset")
        bounds[name] = (-most if signed else 0.0, max(most, 3 * abs(float(value))))
        start[name] = float(value) if signed or value > 0 else START * most
    return start, bounds


def _left_by_a_load(robot: Robot, samples: Samples, frame: str) -> Array:
    """What no load explains within a few seconds, doubled because a load explains some of the model's errors too."""
    place = robot.link_map()[frame]
    state = samples.position, samples.velocity, samples.acceleration
    left = samples.torque - robot.inverse_dynamics(*state)
    columns = robot.regressor(*state, rows="both")[:, 6:, 10 * place.body : 10 * place.body + 10] @ place.matrix
    size = np.abs(samples.torque).max(axis=0)
    weight = 1.0 / np.maximum(size, 1e-3 * size.max())
    ends = np.linspace(0, len(left), max(2, round(float(np.ptp(samples.time)) / STRETCH) + 1)).astype(int)
    found = []
    for first, last in pairwise(ends):
        rows, right = (columns[first:last] * weight[:, None]).reshape(-1, 10), (left[first:last] * weight).reshape(-1)
        load = decompose.lstsq(rows, right, rcond=1e-6)[0]
        found.append(np.sqrt(np.mean((left[first:last] - columns[first:last] @ load) ** 2, axis=0)))
    return np.maximum(2.0 * np.median(found, axis=0), LEAST / weight)


def _followed(tracker: Tracker, samples: Samples, noise: Array, shown: int, doubt: Array) -> Track:
    ends = np.unique(np.linspace(0, len(samples), shown + 1).astype(int))
    means, deviations, surprises, unseen, codes = [], [], [], [], Counter[str]()
    for first, last in pairwise(ends):
        part = slice(first, last)
        state = samples.position[part], samples.velocity[part], samples.acceleration[part]
        spread = noise**2 + np.diagonal(doubt[part], axis1=1, axis2=2)
        left = (samples.torque[part] - tracker.robot.inverse_dynamics(*state)) / np.sqrt(spread)
        taken = tracker._take(samples.time[part], state, samples.torque[part], doubt[part])
        codes.update(OUTCOMES[code].word for code in taken)
        belief = tracker.belief
        means.append(belief.mean)
        deviations.append(belief.deviations)
        surprises.append(float(np.mean(left**2)))
        unseen.append(tracker.not_seen)
    names = tracker.space.parameter_names
    return Track(
        names=names,
        units=Parameters.of(dict.fromkeys(names, 0.0)).units,
        time=samples.time[ends[1:] - 1],
        mean=np.array(means),
        deviation=np.array(deviations),
        surprise=np.array(surprises),
        not_seen=tuple(unseen),
        outcomes=dict(codes),
        never_excited=tracker.never_excited,
        robot=tracker.robot,
        tracker=tracker,
        samples=samples,
        noise=noise,
    )

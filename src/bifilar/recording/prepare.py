"""`prepare`: a recording becomes samples. Every step is a setting of the recipe and a sentence of the history.

    1  rows that can be used; stamps that repeat and wraps of angles are taken out            stretches.py
    2  the cut-off: where the motion sinks into noise                                         cutoff.py
    3  stretches between holes, each on an even clock made from the stamps
    4  velocity and acceleration: Butterworth, smoother, differences, as logged, or Fourier   filters/, periodic.py
    5  ends that filters spoil are left out
    6  torque through a filter without delay, rows at its bandwidth                           filters/fir.py

The filter of the torque is kept in the samples, for the regressor's columns. The motion itself is filtered twice as wide:
within the torque's band it is as good as unfiltered, and noise beyond goes with the columns' filter. Rows come twice per period
of the cut-off, so that errors of neighbouring rows are almost independent and error bars are honest.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics.tree import Array
from bifilar.errors import Note, RecordingError
from bifilar.filters.butterworth import Derived, derived, impulse_response, low_pass
from bifilar.filters.differences import central, moving_average
from bifilar.filters.fir import RowFilter
from bifilar.filters.smoother import smooth
from bifilar.recording.cutoff import Cutoff, find_cutoff
from bifilar.recording.log_delay import declared_delay, in_time
from bifilar.recording.plain_rows import as_rows, is_unordered
from bifilar.recording.plausible_rows import without_absurd
from bifilar.recording.recipes import Recipe, recipe_of
from bifilar.recording.recording import Recording
from bifilar.recording.samples import Samples, Stretch
from bifilar.recording.stretches import BAND, FEW_STEPS, Usable, resampled, usable, without_history

if TYPE_CHECKING:
    from bifilar.experiment.fourier import Fourier
    from bifilar.robot.model import Model

WIDER = 2.0  # the motion's cut-off, in those of the torque
HIGHEST = 0.45  # of the rate; a filter beyond is none
FELT = 1.5  # periods of its cut-off that a filter feels an end
INSIDE = 0.75  # periods of its cut-off that a row keeps from the ends: most of its weights fall inside
SLOW = 3.0  # deviations of the velocity: slower, its sign is a guess
MOST = 10.0  # times the recorded rate is the fastest even clock
PERIODS = 10.0  # of the cut-off in the longest segment, at least: ends that filters spoil take three of them, rows four
SHORTEST = 8  # rows of a stretch that is kept


class Even(NamedTuple):
    """One stretch on an even clock, its ends left out.

    >>> Even(np.zeros(2), Derived(*np.zeros((3, 2, 1))), np.ones((2, 1))).torque.shape
    (2, 1)
    """

    time: Array
    motion: Derived
    torque: Array
    margin: int = 0  # samples at both ends that serve a filter only


class Plan(NamedTuple):
    """What was decided for the whole recording.

    >>> Plan(Recipe(), 100.0, 8.0, 20.0, None).cutoff
    8.0
    """

    recipe: Recipe
    rate: float  # [Hz] of the even clock
    cutoff: float  # [Hz] of the torque's filter
    motion_cutoff: float  # [Hz] of the positions' filter
    spectrum: Cutoff | None  # None: the cut-off was given
    finer: int = 1  # samples that were recorded for one of the even clock, where that is slower


def prepare(
    recording: Recording,
    recipe: str | Recipe = "default",
    *,
    robot: Model | None = None,
    motion: Fourier | None = None,
    **changes: Any,
) -> Samples:
    """Samples for a fit. `recipe`: a name of `RECIPES` or a `Recipe`; `changes` are settings to differ from it.

    `robot` puts the joints into its order. `motion`, the periodic motion that was played, makes the default a Fourier series
    through the measured positions and an average over the periods, which also tells the noise of each joint's torque.

    >>> t = np.arange(4000) / 400
    >>> swing = bf.Recording(joint_names=("joint1",), time=t, position=np.sin(t)[:, None], torque=np.cos(t)[:, None])
    >>> samples = prepare(swing, cutoff=5.0)
    >>> bool(np.abs(samples.acceleration[:, 0] + np.sin(samples.time)).max() < 0.01)
    True
    >>> print(*samples.history, sep="\\n")
    even clock of 400 Hz from the timestamps
    cut-off 5 Hz, as asked for
    positions through a Butterworth filter of order 4, forward and backward, at 10 Hz, and its derivatives
    left out 0.3 s at both ends of each segment
    torque and the regressor's columns through the same filter at 5 Hz
    one row for every 40 samples, 10 Hz
    """
    settings = recipe_of(recipe, **changes)
    recording = without_absurd(recording)
    if robot is not None:
        recording = recording.joints(robot.joint_names)
    default = motion is not None and recipe == "default" and "method" not in changes
    if settings.kinematics == "logged" and settings.method != "recorded":
        settings, default = replace(settings, method="recorded"), False
    with np.errstate(all="ignore"):  # what overflows is not finite, and samples that are not are refused
        made = _prepared(recording, replace(settings, method="fourier") if default else settings, motion)
    return made if not settings.whole_periods else _without_ends(made, recording, settings.whole_periods, motion)


def _without_ends(samples: Samples, recording: Recording, periods: int, motion: Fourier | None) -> Samples:
    """Whole periods left out at both ends, cut after filters and differences have looked across the borders."""
    if motion is None:
        return replace(samples, history=(*samples.history, Note("periods.unknown")))
    first, last = float(recording.time[0]), float(recording.time[-1])
    away = motion.fade + periods * motion.series.period
    if last - first <= 2 * away:
        raise RecordingError(
            "period.too_few/prepare",
            where=recording.name,
            last=last - first,
            last_2=(last - first) / motion.series.period,
            periods=2 * periods,
        )
    kept = samples.part(first + away, last - away)
    left = Note("periods.left_out/one" if periods == 1 else "periods.left_out/several", periods=periods)
    return replace(kept, history=(*samples.history, left))


def _prepared(recording: Recording, settings: Recipe, motion: Fourier | None) -> Samples:
    if settings.method == "recorded" and is_unordered(recording):
        return as_rows(recording, settings)
    recording, history = _in_time(recording, settings)
    rows = usable(recording, derivatives=settings.method == "recorded")
    if settings.method == "fourier":
        from bifilar.recording.periodic import averaged

        return averaged(recording, rows, settings, motion)
    history += rows.history
    plan = _plan(rows, settings, history)
    gap = settings.gap or max(FEW_STEPS / plan.rate, 1 / (8 * plan.cutoff))
    parts = rows.stretches(gap)
    if len(parts) > 1:
        history.append(Note("clock.holes/prepare", part_count=len(parts), gap=gap))
    edge = _edge(plan)
    history += _words(plan, rows, edge + _margin(plan) / plan.rate)
    evens = [even for part in parts if (even := _even(without_history(rows, part), plan, rows.time[0], edge)) is not None]
    return assemble(recording, plan, evens, history, dropped=len(parts) - len(evens))


def _in_time(recording: Recording, settings: Recipe) -> tuple[Recording, list[Note]]:
    """The torque moved by the recipe's delay, unless one was declared for this recording; and a sentence that says so."""
    if not settings.delay or declared_delay(recording) is not None:
        return recording, []
    key = "torque.moved/late" if settings.delay > 0 else "torque.moved/early"
    return in_time(recording, settings.delay), [Note(key, delay=settings.delay)]


def assemble(recording: Recording, plan: Plan, evens: list[Even], history: list[Note], *, dropped: int = 0) -> Samples:
    """Torque through its filter, rows at its bandwidth, a mask for slow ones: the last steps, whatever the method.

    >>> import inspect
    >>> inspect.signature(assemble).return_annotation
    'Samples'
    """
    recipe = plan.recipe
    kept = [(even, places) for even in evens if len(places := rows_of(even, plan)) >= SHORTEST]
    dropped += len(evens) - len(kept)
    if not kept:  # before the filter: its weights could be more than there is memory
        raise RecordingError("recording.too_short/prepare", where=recording.name)
    row_filter = RowFilter(impulse_response(rate=plan.rate, cutoff=plan.cutoff, order=recipe.order)) if _filters(plan) else None
    fine, columns = [], []
    slow = _slow(plan, [even.motion.velocity for even, _ in kept], recording.joint_names)
    known = plan.spectrum is not None and recipe.method != "recorded"
    noise = _velocity_noise(plan) if known else None
    for even, places in kept:
        v = even.motion.velocity
        still = (np.abs(v) < np.where(v > 0, *slow)).astype(float)
        together = np.hstack([*even.motion, even.torque, still])
        filtered = np.hsplit(together[places] if row_filter is None else row_filter.at(together, places), 5)
        if not recipe.filter_columns and _motion_filtered(plan):  # through the torque's filter already, and once is enough
            filtered[:3] = [x[places] for x in even.motion]
        fine.append(Stretch(_read_only(even.time), Derived(*map(_read_only, even.motion)), places))
        columns.append([even.time[places], *filtered, even.torque[places]])
    if dropped:
        history.append(Note("samples.short_stretches", count=dropped))
    history += _last_words(plan, row_filter)
    time, q, v, a, tau, still, raw = (np.concatenate(x) for x in zip(*columns))
    return Samples(
        joint_names=recording.joint_names,
        sliding=recording.sliding,
        **{"time": time, "position": q, "velocity": v, "acceleration": a, "torque": tau, "raw_torque": raw},
        mask=still <= 0.5,
        rate=plan.rate / _every(plan),
        cutoff=plan.cutoff if _filters(plan) else None,
        noise=None,
        history=tuple(history),
        fine=tuple(fine),
        filter=row_filter if recipe.filter_columns else None,
        velocity_noise=noise,
        masks_smooth=recipe.slow is not None,
    )


def rows_of(even: Even, plan: Plan) -> NDArray[np.int64]:
    """Samples of a stretch that are rows: evenly, as far from one end as from the other.

    >>> even = Even(np.zeros(12), Derived(*np.zeros((3, 12, 1))), np.zeros((12, 1)))
    >>> rows_of(even, Plan(Recipe(decimate=5), 100.0, 8.0, 20.0, None))
    array([ 0,  5, 10])
    """
    every, count = _every(plan), len(even.time) - 2 * even.margin
    return np.arange(even.margin + (count - 1) % every // 2, even.margin + count, every)


def _plan(rows: Usable, recipe: Recipe, history: list[Note]) -> Plan:
    rate = recipe.rate or float(f"{1 / rows.step:.5g}")
    if rate * rows.step > MOST:
        raise RecordingError("rate.too_high/prepare", rate=rate, most=MOST, step=1 / rows.step)
    history.append(Note("clock.even/prepare", rate=rate))
    finer = max(1, int(np.ceil(1 / (rows.step * rate) - 0.05)))
    if finer > 1:
        history.append(Note("clock.even/plan", band=BAND * rate, step=1 / rows.step))
    found = None
    if recipe.cutoff is None or recipe.slow is None:
        longest = max(rows.stretches(10 * rows.step), key=lambda part: part.stop - part.start)
        time = rows.time[longest]
        grid = np.arange(time[0], time[-1], 1 / rate)
        found = find_cutoff(resampled(time, rows.position[longest], grid, finer), rate=rate)
    cutoff, reason = _cutoff(recipe, found, rate)
    if found is not None and recipe.cutoff is None and cutoff < (least := min(PERIODS / float(np.ptp(time)), HIGHEST * rate)):
        cutoff, reason = least, f"{PERIODS:g} periods in the longest segment: {reason}"
    needed = recipe.filter_torque or (recipe.method in ("butterworth", "differences") and recipe.motion_cutoff is None)
    if needed:
        history.append(Note("filter.cutoff", cutoff=cutoff, reason=reason))
    wider = WIDER if recipe.filter_torque and recipe.filter_columns else 1.0
    return Plan(recipe, rate, cutoff, min(recipe.motion_cutoff or wider * cutoff, 0.5 * rate), found, finer)


def _cutoff(recipe: Recipe, found: Cutoff | None, rate: float) -> tuple[float, str]:
    """[Hz], and why so."""
    if recipe.cutoff is not None or found is None:
        return recipe.cutoff or 0.0, "as asked for"
    if recipe.fitted_cutoff is None:
        return found.value, found.reason
    cutoff = found.at_least(recipe.fitted_cutoff, rate)
    return cutoff, "as the fit had it" if cutoff <= recipe.fitted_cutoff else "more than the fit had: this motion is faster"


def _even(rows: Usable, plan: Plan, origin: float, edge: float) -> Even | None:
    """A stretch on the even clock; None if nothing is left of it."""
    step = 1 / plan.rate
    first = int(np.ceil((rows.time[0] - origin) / step - 1e-6))
    last = int(np.floor((rows.time[-1] - origin) / step + 1e-6))
    time = origin + step * np.arange(first, last + 1)
    cut = int(np.ceil(edge / step))
    if len(time) < 2 * (cut + _margin(plan)) + SHORTEST or len(rows.time) < 4:
        return None
    time = np.clip(time, rows.time[0], rows.time[-1])
    motion, torque = _motion(rows, time, plan), resampled(rows.time, rows.torque, time, plan.finer)
    if plan.recipe.torque_span > 1:
        torque = moving_average(torque, plan.recipe.torque_span)
    inner = slice(cut, len(time) - cut)
    state = Derived(*(np.ascontiguousarray(x[inner]) for x in motion))
    return Even(time[inner], state, np.ascontiguousarray(torque[inner]), _margin(plan))


def _motion(rows: Usable, time: Array, plan: Plan) -> Derived:
    """Position, velocity and acceleration by the recipe's method."""
    recipe, rate = plan.recipe, plan.rate
    filters = plan.motion_cutoff < HIGHEST * rate

    def put(x: Array) -> Array:
        return resampled(rows.time, x, time, plan.finer)

    if recipe.method == "smoother":
        return smooth(rows.time, rows.position, cutoff=recipe.motion_cutoff).at(time)
    q = put(rows.position)
    if recipe.method == "butterworth" and filters:
        return derived(q, rate=rate, cutoff=plan.motion_cutoff, order=recipe.order)
    if recipe.method == "recorded":
        if rows.velocity is None:
            raise RecordingError("velocity.missing")
        v = put(rows.velocity)
        return Derived(q, v, central(v, rate=rate) if rows.acceleration is None else put(rows.acceleration))
    q = low_pass(q, rate=rate, cutoff=plan.motion_cutoff, order=recipe.order) if filters else q
    v = central(q, rate=rate)
    return Derived(q, v, moving_average(central(v, rate=rate), recipe.acceleration_span))


def _edge(plan: Plan) -> float:
    """How long a stretch's ends are spoilt [s]."""
    recipe = plan.recipe
    if recipe.edge is not None:
        return recipe.edge
    samples = {"differences": 2 + recipe.acceleration_span // 2, "recorded": 1}.get(recipe.method, 0)
    samples = max(samples, recipe.torque_span // 2 if recipe.torque_span > 1 else 0)
    filtered = _motion_filtered(plan) or recipe.method == "smoother"
    resampling = FELT / (BAND * plan.rate) if plan.finer > 1 else 0.0
    return samples / plan.rate + resampling + (FELT / plan.motion_cutoff if filtered else 0.0)


def _motion_filtered(plan: Plan) -> bool:
    """Whether the positions go through a low-pass before they are differentiated."""
    return plan.recipe.method in ("butterworth", "differences") and plan.motion_cutoff < HIGHEST * plan.rate


def _margin(plan: Plan) -> int:
    return int(np.ceil(INSIDE * plan.rate / plan.cutoff)) if _filters(plan) else 0


def _filters(plan: Plan) -> bool:
    return plan.recipe.filter_torque and plan.cutoff < HIGHEST * plan.rate


def _every(plan: Plan) -> int:
    """How many samples a row stands for."""
    decimate = plan.recipe.decimate
    if decimate is True:
        return max(1, int(plan.rate / (2 * plan.cutoff) + 1e-6)) if _filters(plan) else 1
    return 1 if decimate is False else int(decimate)


def _slow(plan: Plan, velocities: list[Array], names: tuple[str, ...]) -> tuple[Array, Array]:
    """Speeds below which a sign is a guess, forwards and backwards, (joints,) each.

    Where noise decides, the faster half of each direction of a joint that moves stays: rows of one direction only could not
    tell Coulomb friction from an offset.
    """
    joints = len(names)
    if plan.recipe.slow is None:
        if plan.spectrum is None:
            return np.zeros(joints), np.zeros(joints)
        v, limit = np.concatenate(velocities), SLOW * _velocity_noise(plan)
        moves = np.isfinite(plan.spectrum.motion)
        halves = [[_half(side * x) if moving else np.inf for x, moving in zip(v.T, moves)] for side in (1, -1)]
        return np.minimum(limit, halves[0]), np.minimum(limit, halves[1])
    slow = np.asarray(plan.recipe.slow, dtype=float)
    if slow.shape not in ((), (joints,)):
        raise RecordingError("setting.wrong/prepare", joints=names, size=slow.size)
    same = np.broadcast_to(slow, (joints,))
    return same, same


def _half(v: Array) -> float:
    """Median speed of the samples that move forwards; zero if none does."""
    forward = v[v > 0]
    return float(np.median(forward)) if len(forward) else 0.0


def _velocity_noise(plan: Plan) -> Array:
    """[rad/s] standard deviation of filtered velocities, (joints,)."""
    assert plan.spectrum is not None
    return plan.spectrum.velocity_noise(min(plan.motion_cutoff, HIGHEST * plan.rate))


def _words(plan: Plan, rows: Usable, edge: float) -> list[Note]:
    """What is done to the motion."""
    recipe = plan.recipe
    facts: dict[str, Any] = {"order": recipe.order, "cutoff": plan.motion_cutoff}
    filters = plan.motion_cutoff < HIGHEST * plan.rate
    if recipe.method == "smoother":
        words = [Note("motion.smoother")]
    elif recipe.method == "recorded":
        words = [Note("motion.logged/all" if rows.acceleration is not None else "motion.logged/velocity")]
    elif recipe.method == "butterworth" and filters:
        words = [Note("motion.filtered/derivatives", **facts)]
    else:
        words = [Note("motion.filtered/positions", **facts)] if recipe.method == "differences" and filters else []
        words.append(Note("motion.differences"))
    for name, span in (("acceleration", recipe.acceleration_span), ("torque", recipe.torque_span)):
        words += [Note("channel.averaged", channel=name, span=span)] if span > 1 else []
    return [*words, *([Note("samples.ends_left_out", seconds=edge)] if edge else [])]


def _last_words(plan: Plan, row_filter: RowFilter | None) -> list[Note]:
    every = _every(plan)
    key = "torque.filtered/columns" if plan.recipe.filter_columns else "torque.filtered/alone"
    words = [Note("torque.not_filtered") if row_filter is None else Note(key, cutoff=plan.cutoff)]
    return [*words, *([Note("samples.decimated", every=every, rate=plan.rate / every)] if every > 1 else [])]


def _read_only(x: Array) -> Array:
    x.flags.writeable = False
    return x

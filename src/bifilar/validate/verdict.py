"""`judge`: good, usable, poor or refused, with the reasons in sentences. Thresholds are settings.

    refused   the fit failed, contradicts itself, or predicts worse than the description did: not to be used. Worse within the
              noise is not worse: a description that is right cannot be improved
    poor      it helps, but leaves more than is usable
    usable    good enough for gravity compensation, feed-forward, simulation with care
    good      close to what the noise of the recording leaves, at no joint half of its own torque or more, and links that could
              be built where the description's could: a file with a link denser than any metal is not good, however it predicts

A verdict needs motion that was not fitted. Without it the best there is to say is "not judged", and that is a level too. A
test that repeats the fitted motion keeps its level, which is about its samples, and says so among its reasons.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics import decompose
from bifilar.errors import BifilarError, Note, SolveError
from bifilar.estimate.estimate import BaseEstimate, Estimate
from bifilar.estimate.least_squares import LeastSquares
from bifilar.estimate.likely import MISTAKE, told
from bifilar.estimate.odd_bodies import odd_bodies
from bifilar.estimate.status import CONSISTENCY
from bifilar.robot.model_data import BASE_ROWS
from bifilar.validate.holdout import ABSURD, Validation, held_out
from bifilar.validate.hypotheses import named_mistakes
from bifilar.validate.mistakes import suspected

MOST = 3  # sentences about what errors follow
NAMED = 2  # likely mistakes
STANDING = 6  # joints that hardly moved, by name
UNKNOWN = 0.5  # of a joint's torque that a model may leave: beyond, it is not good and mistakes are looked for
REPEATED = 0.5  # of the motion: beyond, a test does not tell about other motion
MASS_MATRIX, DRIVING = "model.mass_matrix", "friction.drives"  # codes of reasons for which consistent parameters help
BETTER_JOINTS = "nominal.better_joints"
MACHINES = 2.0  # times the mass of the whole nominal model: no link of it has more
TIMES = 3.0  # a link's nominal mass, or that part of it: beyond, the model is not good
LITTLE = 0.02  # of the whole mass: such differences are those of covers and screws
Level = Literal["good", "usable", "poor", "refused", "not judged"]
LEVELS: tuple[Level, ...] = get_args(Level)  # the best first


def worst(level: Level, most: Level) -> Level:
    """The worse of two levels.

    >>> worst("good", "usable"), worst("poor", "usable")
    ('usable', 'poor')
    """
    return max(level, most, key=LEVELS.index)


@dataclass(frozen=True, kw_only=True)
class Thresholds:
    """What a verdict asks for; relative torque errors are over all joints together.

    >>> Thresholds(good=0.02).good
    0.02
    """

    good: float = 0.05  # relative torque error on unseen motion, at most
    usable: float = 0.15  # relative torque error on unseen motion, at most
    over_noise: float = 2.0  # error of a joint in units of the fit's noise: beyond, and beyond `good`, it is only usable
    worse: float = 1.2  # error over the description's own: beyond, and beyond the noise, it is refused
    negligible: float = 1e-4  # relative torque error that no measurement shows: what is below is not worse than anything
    least_eigenvalue: float = 0.0  # of the mass matrix anywhere inside the limits: at or below, it is refused

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not isinstance(value, (int, float)) or not np.isfinite(value) or value < 0:
                raise SolveError("threshold.wrong/verdict", name=field.name, value=value)


@dataclass(frozen=True, eq=False)
class Verdict:
    """A level and why.

    >>> print(Verdict("usable", ("6.1 % of the torque is not explained on unseen motion",)))
    usable
      6.1 % of the torque is not explained on unseen motion
    """

    level: Level
    reasons: tuple[Note, ...]  # notes, with codes and facts, as `judge` makes them
    validation: Validation | None = None

    @property
    def may_be_used(self) -> bool:
        """Whether a model with this verdict is handed on without being asked twice.

        >>> Verdict("refused", ()).may_be_used
        False
        """
        return self.level != "refused"

    def __str__(self) -> str:
        return "\n".join([self.level, *(f"  {reason}" for reason in self.reasons)])

    def facts(self) -> dict[str, Any]:
        """For programs.

        >>> Verdict("poor", ("why",)).facts()["level"]
        'poor'
        """
        facts: dict[str, Any] = {"level": self.level, "reasons": list(map(str, self.reasons))}
        facts["findings"] = [Note.of(reason).data() for reason in self.reasons]
        if self.validation is not None:
            seen = self.validation
            facts["relative_error"], facts["relative_error_raw"] = seen.relative, seen.raw
            facts["relative_error_of_description"], facts["rows"] = seen.described, seen.rows
            facts["repeated"], facts["still"] = seen.repeated, list(seen.still)
            rows = zip(seen.joint_names, seen.rmse, seen.per_joint, seen.described_per_joint, seen.r2, seen.over_floor)
            keys = ("joint", "rmse", "relative_error", "relative_error_of_description", "r2", "error_over_noise")
            facts["joints"] = [dict(zip(keys, (row[0], *(_finite(x) for x in row[1:])))) for row in rows]
            facts["residuals"] = [
                {"joint": d.joint, "on": d.on, "share": d.share, "chance": d.chance, "matters": d.matters}
                for d in seen.dependences
            ]
        return facts


def judge(estimate: BaseEstimate, validation: Validation | None = None, thresholds: Thresholds | None = None) -> Verdict:
    """Judge an estimate, by its own status and by motion that was not fitted.

    >>> robot = bf.Robot.load("pendulum")
    >>> q, v, a = np.random.default_rng(0).normal(size=(3, 200, 1))
    >>> data = q, v, a, robot.inverse_dynamics(q, v, a)
    >>> judge(bf.LeastSquares().fit(robot, data, friction=())).level
    'not judged'
    """
    asked = thresholds or Thresholds()
    worse = _against_description(validation, asked) if validation else []
    massless = _massless(estimate, asked)
    simplified = "simplify" in estimate.tables  # inertias that the motion does not show were left out on purpose
    costly = _costly(estimate, validation)
    refusals = [*([] if costly else _of_status(estimate)), *_of_itself(estimate), *([] if simplified else massless), *worse]
    named = _named(estimate, validation)
    if refusals:
        likely = _mistakes(estimate, validation, named) if worse else []
        return Verdict("refused", (*refusals, *_too_little(validation), *likely, *named), validation)
    if validation is None:
        return Verdict("not judged", (Note("test.none/verdict"),), None)
    level, reasons = _level(validation, asked)
    limits = [Note("model.torque_only", reason=reason) for reason in massless] if simplified else []
    absurd, heavy = _not_built(estimate)
    better = _worse_joints(validation, asked)
    limits += [*absurd, *heavy, *named, *costly, *(note for note in better if note.code == BETTER_JOINTS)]
    limits += _too_little(validation)  # nobody has seen those joints move
    if limits:
        level, reasons = worst(level, "poor" if absurd else "usable"), [*reasons, *limits]
    if validation.repeated > REPEATED:
        reasons.append(Note("test.repeats", share=validation.repeated))
    if level == "poor" or (level == "usable" and np.any(validation.per_joint > UNKNOWN)):
        reasons += _mistakes(estimate, validation, named, plain=level == "usable")
    notes = [*(note for note in better if note.code != BETTER_JOINTS), *_followed(validation)]
    kept = (estimate.values != 0) | (not simplified)
    weak = int(np.sum(~estimate.identified & kept))
    if weak:
        notes.append(Note("parameters.not_identified", count=weak, of=int(kept.sum())))
    return Verdict(level, tuple([*reasons, *notes]), validation)


def _named(estimate: BaseEstimate, validation: Validation | None) -> list[Note]:
    """The mistake that explains the fitted recordings, or where they are not known the others, best."""
    seen = () if validation is None else validation.fitted or validation.recordings
    if not seen:
        return []
    try:
        return list(named_mistakes(estimate, seen))
    except BifilarError:  # too little to look at
        return []


def _of_status(estimate: BaseEstimate) -> list[Note]:
    status = estimate.status
    bad = status.code in ("infeasible", "doubtful", "not converged")
    facts: dict[str, Any] = {"sentence": str(status), "reason": status.cause}
    return [Note(f"status.{status.code.replace(' ', '_')}", **facts)] if bad else []


def _costly(estimate: BaseEstimate, validation: Validation | None) -> list[Note]:
    """A doubt that is about the cost of consistency alone, where test motion answers it: the model predicts better than the
    nominal one and than free base parameters do."""
    if validation is None or estimate.status.cause != CONSISTENCY or validation.relative > validation.described:
        return []
    free = _free(estimate, validation)
    if free is None or held_out(free, validation.recordings, described=estimate.described).relative < validation.relative:
        return []
    return [Note(f"{CONSISTENCY}/verdict", sentence=estimate.status.sentence)]


def _free(estimate: BaseEstimate, validation: Validation) -> BaseEstimate | None:
    """Base parameters without inequalities, of the same recordings: the torque predictor, or plain least squares."""
    if not validation.recordings:
        return None
    if isinstance(estimate, Estimate) and estimate.predictor is not None:
        return estimate.predictor
    try:
        return LeastSquares().fit(estimate.described, validation.fitted, recipe=estimate.recipe) if validation.fitted else None
    except BifilarError:
        return None


def _of_itself(estimate: BaseEstimate) -> list[Note]:
    """What is wrong whatever the torque says."""
    if not np.isfinite(estimate.values).all():
        return [Note("parameters.not_finite")]
    return [] if isinstance(estimate, Estimate) else _driving(estimate)


def _massless(estimate: BaseEstimate, asked: Thresholds) -> list[Note]:
    """Whether the mass matrix is none somewhere between the limits of the joints."""
    if estimate.described.is_floating or not np.isfinite(estimate.values).all():
        return []
    limits = estimate.described.limits
    poses = np.random.default_rng(0).uniform(
        np.where(np.isfinite(limits.lower), limits.lower, -np.pi),
        np.where(np.isfinite(limits.upper), limits.upper, np.pi),
        (200, len(estimate.described.joint_names)),
    )
    least = float(decompose.eigvalsh(estimate.model.mass_matrix(poses)).min())
    wrong = least <= asked.least_eigenvalue
    return [Note(MASS_MATRIX, least_eigenvalue=least)] if wrong else []


def _mistakes(estimate: BaseEstimate, validation: Validation | None, known: Sequence[Note], plain: bool = False) -> list[Note]:
    """What checks say went wrong with the recordings of a model that is not to be used; `known`: what is named already."""
    named = any(Note.of(note).code == MISTAKE for note in estimate.notes)
    if validation is None or not validation.recordings or named:
        return []
    bare, open_ = estimate.described.with_friction(()), estimate.status.code == "rank deficient"
    found = suspected(bare, validation.recordings, {"the model": validation.relative}, plain=plain or open_)
    codes = {note.facts.get("mistake") for note in known}
    return [told(finding) for finding in found if finding.code not in codes][:NAMED]


def _not_built(estimate: BaseEstimate) -> tuple[list[Note], list[Note]]:
    """Links that no machine could have, and masses that are far from the nominal ones; torque does not care, other uses of the
    file do."""
    if not isinstance(estimate, Estimate):
        return [], []
    odd = odd_bodies(estimate.described, estimate.robot)
    absurd = [Note("link.odd", link=name, thing=what) for name, what in odd.items()]
    before, after = estimate.described.parameters(), estimate.parameters
    nominal = {name: before[name] for name in after.names if name.endswith(".mass")}
    total = sum(mass for mass in nominal.values() if mass > 0)
    heavy = []
    for name, was in nominal.items() if total > 0 else ():
        facts: dict[str, Any] = {"link": name.removesuffix(".mass"), "mass": after[name], "nominal": was, "total": total}
        if after[name] > MACHINES * total:
            absurd.append(Note("link.mass/whole", **facts))
        elif was > 0 and not 1 / TIMES < after[name] / was < TIMES and abs(after[name] - was) > LITTLE * total:
            heavy.append(Note("link.mass", **facts))
    return absurd[:MOST], heavy[:MOST]


def _too_little(validation: Validation | None) -> list[Note]:
    """Joints that the fitted motion leaves out."""
    if validation is None or not validation.still:
        return []
    rest = len(validation.still) - STANDING
    shown = ", ".join(validation.still[:STANDING]) + (f" and {rest} more" if rest > 0 else "")
    return [Note("joints.still", joints=list(validation.still), shown=shown)]


def in_words(share: float) -> str:
    """A share of the torque; one beyond all sense is not a figure.

    >>> in_words(0.115), in_words(102.0)
    ('11.5 % of the torque', 'more than the torque itself')
    """
    return f"{100 * share:.3g} % of the torque" if share <= 1 else "more than the torque itself"


def _driving(estimate: BaseEstimate) -> list[Note]:
    """Friction that drives, beyond its error bars."""
    bounds = dict(zip(estimate.described.drive_columns.names, estimate.described.drive_columns.lower_bounds))
    lines = zip(estimate.names, estimate.values, estimate.deviations)
    wrong = [name for name, value, deviation in lines if bounds.get(name, -np.inf) == 0 and value < -4 * deviation < 0]
    return [Note(DRIVING, parameter=name) for name in wrong[:3]]


def _against_description(validation: Validation, asked: Thresholds) -> list[Note]:
    if validation.relative > asked.worse * validation.described and not _as_good(validation, asked).all():
        now, before = in_words(validation.relative), in_words(validation.described)
        return [
            Note(
                "nominal.better",
                relative_error=validation.relative,
                nominal=validation.described,
                now=now,
                removesuffix=before.removesuffix(" of the torque"),
            )
        ]
    return []


def _worse_joints(validation: Validation, asked: Thresholds) -> list[Note]:
    """Joints that the description explains better, in a model that is better as a whole."""
    rows = zip(validation.joint_names, validation.per_joint, validation.described_per_joint, _as_good(validation, asked))
    ratios = [(name, now, was, fine) for name, now, was, fine in rows if now > asked.worse * was]
    worse = [f"{name} ({_percent(now)} against {_percent(was)})" for name, now, was, fine in ratios if not fine]
    if worse:
        joints = [name for name, _, _, fine in ratios if not fine]
        return [Note(BETTER_JOINTS, joints=joints, worse=worse)]
    if validation.relative > asked.worse * validation.described:
        return [Note("nominal.as_good")]
    return []


def _as_good(validation: Validation, asked: Thresholds) -> NDArray[np.bool_]:
    """Joints whose error is that of the noise, (joints,): no model leaves less.

    The noise is the fit's own, so it counts only if the description does not show it to be far smaller.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        torque = np.where(validation.per_joint > 0, validation.rmse / validation.per_joint, 0.0)
    described = np.where(torque > 0, validation.described_per_joint, 0.0) * torque
    noise = (validation.rmse <= asked.over_noise * validation.floor) & (validation.floor <= asked.over_noise * described)
    size = np.sqrt(np.sum(torque**2))
    return np.asarray(noise | (validation.rmse <= asked.negligible * size))


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %" if share <= ABSURD else f"> {100 * ABSURD:.0f} %"


def _followed(validation: Validation) -> list[Note]:
    """What errors still follow, the largest shares first."""
    found = sorted((d for d in validation.dependences if d.matters and d.on != "its past"), key=lambda d: -d.share)
    told = [Note("residual.follows", thing=str(d), joint=d.joint, on=d.on, share=d.share) for d in found[:MOST]]
    rest = len(found) - MOST
    return [*told, *([Note("residual.more", count=rest)] if rest > 0 else [])]


def _level(validation: Validation, asked: Thresholds) -> tuple[Level, list[Note]]:
    error = validation.relative
    where = "samples that were not fitted" if validation.repeated > REPEATED else "unseen motion"
    was = in_words(validation.described).removesuffix(" of the torque")
    said = f"{in_words(error)} is not explained on {where} (description: {was})"
    if error > 1:
        said = f"the model errs by more than the torque itself on {where} (description: {was})"

    def reason(more: str = "") -> Note:
        return Note("error.held_out", relative_error=error, nominal=validation.described, said=said, more=more)

    if error > asked.usable:
        return "poor", [reason(f"; usable is up to {100 * asked.usable:g} %")]
    if not np.any(validation.r2 > 0):
        return "poor", [reason(), Note("test.too_little")]
    missed = _missed(validation, asked)
    # a joint within the error of a good model is good, however quiet the recording is
    above = (validation.over_floor > asked.over_noise) & ~_as_good(validation, asked) & (validation.per_joint > asked.good)
    loud = [validation.joint_names[j] for j in np.argsort(-validation.over_floor) if above[j]]  # the worst first
    if error > asked.good:
        return "usable", [reason(f"; good is up to {100 * asked.good:g} %"), *missed]
    if loud:
        few = ", ".join(loud[:STANDING]) + (f" and {len(loud) - STANDING} more" if len(loud) > STANDING else "")
        return "usable", [reason(), Note("error.over_noise", joints=loud, few=few, over_noise=asked.over_noise), *missed]
    return ("usable" if missed else "good"), [reason(), *missed]


def _missed(validation: Validation, asked: Thresholds) -> list[Note]:
    """Joints whose own torque is not explained, however little it is of the whole.

    The noise of the fit does not excuse them: it is what the fit left, and a joint that it never explained leaves it all. A
    torque that hardly changes has no variance to explain, so below 0 there counts only with an error that is not small. Rows of
    a free base are balances, often of nothing: they do not count.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        torque = np.where(validation.per_joint > 0, validation.rmse / validation.per_joint, 0.0)
    seen = validation.rmse > asked.negligible * np.sqrt(np.nansum(torque**2))
    bad = (validation.per_joint > UNKNOWN) | ((validation.r2 <= 0) & (validation.per_joint > asked.good))
    bad &= seen & np.isfinite(validation.per_joint) & ~np.isin(validation.joint_names, BASE_ROWS)
    rows = zip(validation.joint_names, validation.per_joint, bad)
    names = [f"{name} (misses {_percent(share)} of its own torque)" for name, share, is_bad in rows if is_bad]
    rest = [f"{len(names) - STANDING} more"] if len(names) > STANDING else []
    joints = [name for name, is_bad in zip(validation.joint_names, bad) if is_bad]
    return [Note("error.joints", joints=joints, value=[*names[:STANDING], *rest])] if names else []


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None

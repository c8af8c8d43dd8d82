"""The page about an estimate: the verdict and why, errors before and after on unseen motion, every value with its bar."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bifilar.estimate.estimate import NOT_IDENTIFIED, BaseEstimate, Estimate
from bifilar.estimate.score import predicted
from bifilar.estimate.sources import Data, equations_of
from bifilar.recording.samples import Samples
from bifilar.report.estimate_figures import errors_figure, torque_figures, values_figure
from bifilar.report.page import Page, Section
from bifilar.validate.verdict import Verdict

COLOURS = {"good": "good", "usable": "warn", "poor": "bad", "refused": "bad", "not judged": "warn"}


def estimate_page(
    estimate: BaseEstimate,
    verdict: Verdict,
    test: Data | None = None,
    *,
    title: str = "An identified robot",
    lead: str = "",
    facts: Sequence[tuple[str, str, str]] = (),
    foot: str = "",
) -> Page:
    """All about an estimate; `test` is the recording (or samples) it was judged on.

    >>> robot = bf.Robot.load("pendulum")
    >>> q, v, a = np.random.default_rng(0).normal(size=(3, 200, 1))
    >>> estimate = bf.fit(robot, (q, v, a, robot.inverse_dynamics(q, v, a)))
    >>> estimate_page(estimate, bf.judge(estimate)).sections[-1].title
    'Notes'
    """
    seen = verdict.validation
    head: list[tuple[str, str, str]] = [(verdict.level, "verdict", COLOURS[verdict.level])]
    if seen is not None:
        head.append((f"{100 * seen.relative:.2f} %", "of the torque not explained on unseen motion", ""))
        head.append((f"{100 * seen.described:.3g} %", "by the description as it was", ""))
    known = int(np.sum(estimate.identified))
    head.append((f"{known} of {len(estimate.values)}", "base parameters identified", ""))
    sections = [
        Section("Why", table=[["", ""], *([f"{k}", reason] for k, reason in enumerate(verdict.reasons, 1))], prose=True)
    ]
    if seen is not None:
        with np.errstate(divide="ignore", invalid="ignore"):
            floor = seen.per_joint * seen.floor / seen.rmse
        sections.append(
            Section(
                "Torque error on motion that was not fitted",
                "Error: root mean square in N m (N at sliding joints). Identified, description: its share of the measured "
                "torque's. Explained: of the torque's variance. Noise: what a perfect model would leave.",
                [errors_figure(seen.joint_names, seen.described_per_joint, seen.per_joint, floor)],
                table=seen.table(),
            )
        )
    if test is not None:
        sections += _torques(estimate, test)
    sections += [*_values(estimate), _notes(estimate)]
    return Page(title, lead, [*head, *facts], sections, foot)


def _torques(estimate: BaseEstimate, test: Data) -> list[Section]:
    """Measured and predicted torque of the recording it was judged on."""
    samples = equations_of(test, estimate.described, estimate.recipe)
    if not isinstance(samples, Samples):
        return []
    units = ["N" if name in samples.sliding else "N m" for name in samples.joint_names]
    now, before = predicted(estimate.model, samples), predicted(estimate.described, samples)
    time = samples.time - samples.time[0]
    figures = torque_figures(time, samples.torque, now, before, samples.joint_names, units)
    words = "Black: measured. Blue: identified. Orange, dotted: the description. All through the same filter."
    return [Section("Torque on motion that was not fitted", words, figures, small=True)]


def _values(estimate: BaseEstimate) -> list[Section]:
    owners = {name: k for k, name in enumerate(estimate.described.joint_names)}
    owners |= {name: k for k, name in enumerate(estimate.described.body_names[1:])}
    described = estimate.base.from_full(estimate.described.parameters())
    picture = values_figure(estimate.names, described, estimate.values, estimate.deviations, owners)
    sums = [["base parameter", "description", "identified", "± deviation", "stands for"]]
    for name, before, value, deviation, known, equation in zip(
        estimate.names, described, estimate.values, estimate.deviations, estimate.identified, estimate.base.equations(3)
    ):
        short = equation if len(equation) < 70 else equation[:67] + "..."
        sums.append([name, f"{before:.4g}", f"{value:.4g}", _bar(deviation, bool(known)), short])
    words = (
        "Torque can tell these sums apart. A grey band of two deviations: nothing says that the description was wrong there."
    )
    sections = [Section("Base parameters", words, [picture], table=sums)]
    return [*sections, _links(estimate)] if isinstance(estimate, Estimate) else sections


def _links(estimate: Estimate) -> Section:
    before, after = estimate.described.parameters().values, estimate.parameters
    rows = [["parameter", "description", "identified", "± deviation", "unit", "from"]]
    for k, name in enumerate(after.names):
        value = after.values[k]
        deviation = float(estimate.parameter_deviations[k])
        bar = _bar(deviation, deviation <= NOT_IDENTIFIED * abs(value))
        rows.append([name, f"{before[k]:.4g}", f"{value:.4g}", bar, after.units[k], estimate.origins[k]])
    words = (
        "Ten numbers of every link that a real body can have. What torque cannot tell comes from the description: "
        "'prior', with a deviation that says how far the description was trusted, not what was measured."
    )
    return Section("Links, friction and drives", words, table=rows)


def _notes(estimate: BaseEstimate) -> Section:
    rows = [["", ""], ["method", estimate.method], ["status", str(estimate.status)], ["rows", f"{estimate.rows:,}"]]
    rows += [["", note] for note in estimate.notes]
    return Section("Notes", "What was assumed, chosen or odd.", table=rows, prose=True)


def _bar(deviation: float, known: bool) -> str:
    if not np.isfinite(deviation):
        return "not identified"
    return f"{deviation:.2g}" if known else f"{deviation:.2g}, not identified"

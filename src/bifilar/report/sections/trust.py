"""Can I trust it for my motion? Where it was tried, how well it did there, and what its error bars cost elsewhere."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.report.markup import command, paragraphs, table
from bifilar.report.page import Section
from bifilar.report.run import Run, repeats
from bifilar.report.ticks import listed, percent, short
from bifilar.report.usage import travel
from bifilar.report.weak import Reach

LITTLE = 0.25  # of the base parameters that are weak: then the motion is to blame
CARE = 1.0  # parameter uncertainty over error on the judged motion, beyond which one should not go


@dataclass(frozen=True, eq=False)
class TrustSection(Section):
    """The ranges that were tried, errors there, and error bars of torque beyond.

    >>> TrustSection.title
    'Can I trust it for my motion?'
    """

    run: Run
    title = "Can I trust it for my motion?"
    template: ClassVar[str] = '<p class="answer">{answer}</p>{beyond}{table}{words}{try_it}'

    def parts(self) -> Mapping[str, Any]:
        """The answer, a table of ranges and errors, and how to try a motion of one's own."""
        run = self.run
        where = shlex.quote(run.folder) if run.folder else "RUN"
        own = command(f"bifilar validate {where} your-motion.csv")
        if not run.seen or run.described.is_floating:
            answer = self._short_answer() + (" The logs are not at hand, so ranges are not shown." if run.missing else "")
            return {"answer": answer, "beyond": "", "table": "", "words": "", "try_it": own}
        reach = Reach(run)
        elsewhere = reach.deviation(*reach.states(reach.seen_speed, reach.seen_quick))
        faster = reach.deviation(*reach.states(2 * reach.seen_speed, 2 * reach.seen_quick))
        words = paragraphs(
            "Position, speed, acceleration: what the recordings hold. Error: root mean square on the motion it was judged on. "
            "Error bars: root mean square of the torque's deviation that comes from the parameters' error bars alone, in poses "
            "anywhere in the limits, as fast as recorded and twice as fast. They cannot know of effects that no "
            "recording showed.",
            "A recording of your own motion settles it:",
        )
        return {
            "answer": self._short_answer(),
            "beyond": paragraphs(self._cause(reach) if run.verdict.level == "refused" else self._beyond(elsewhere, faster)),
            "table": table(self._rows(elsewhere, faster)),
            "words": words,
            "try_it": own,
        }

    def _short_answer(self) -> str:
        seen, level = self.run.verdict.validation, self.run.verdict.level
        if seen is None:
            return "Nobody knows yet: it was judged on no motion. Record another one and validate it."
        worst = [
            f"{name} ({percent(share)})"
            for name, share in zip(seen.joint_names, seen.per_joint)
            if share > max(2 * seen.relative, 0.05)
        ]
        said = f"expect to miss {percent(seen.relative)} of the torque"
        said += f", more at {listed(worst, 4)}" if worst else ", joint by joint as below"
        if repeats(self.run.verdict) and level != "refused":
            care = {"good": "Yes, for the fitted motion", "poor": "Only for rough work, in the fitted motion"}
            return f"{care.get(level, 'With care, for the fitted motion')}: {said}. Only this motion was tried: record another."
        return {
            "good": f"Yes, for a motion inside the ranges below: {said}.",
            "usable": f"With care, for a motion inside the ranges below: {said}.",
            "poor": f"Only for rough work: {said}.",
            "refused": "No. See the verdict's reasons, then record or fit again.",
        }.get(level, f"For a motion inside the ranges below: {said}.")

    def _cause(self, reach: Reach) -> str:
        """Why it is refused, if the motion is to blame."""
        weak, count = len(reach.weak), len(self.run.estimate.values)
        if weak < LITTLE * count:
            return ""
        return f"The motion showed too little: {weak} of {count} base parameters are hardly known. What to do is below."

    def _beyond(self, elsewhere: Array, faster: Array) -> str:
        """One sentence about motions that leave the recorded ranges."""
        names = self.run.joint_names
        seen = self.run.verdict.validation
        floor = self.run.floor if seen is None else np.maximum(seen.rmse[-len(names) :], self.run.floor)
        there = [name for name, x, e in zip(names, elsewhere, floor) if x > CARE * e]
        fast = [name for name, x, e in zip(names, faster, floor) if x > CARE * e and name not in there]
        if there:
            return (
                f"Not in poses far from the recorded ones: parameters alone may cost more than this error at {listed(there)}."
            )
        if fast:
            return (
                "Other poses at the recorded speeds are covered by the error bars; at twice the speed the parameters "
                "alone may cost "
                f"more than this error at {listed(fast)}."
            )
        return (
            "Other poses, and twice the recorded speeds, are covered too as far as the parameters go: their error bars "
            "cost less than "
            "the error that was measured. Friction at other speeds and temperatures, and a load, were not tried."
        )

    def _rows(self, elsewhere: Array, faster: Array) -> list[list[str]]:
        run = self.run
        limits, seen = run.described.limits, run.verdict.validation
        q = np.concatenate([s.position for s in run.seen])
        v = np.concatenate([s.velocity for s in run.seen])
        a = np.concatenate([s.acceleration for s in run.seen])
        error = np.full(len(run.joint_names), np.nan) if seen is None else seen.rmse[-len(run.joint_names) :]
        head = [
            "joint",
            "position",
            "of its range",
            "speed",
            "acceleration",
            "error",
            "error bar anywhere",
            "and twice as fast",
        ]
        most = 3 * np.max(np.abs(np.concatenate([s.torque for s in run.seen])), axis=0)  # beyond, nothing is known
        elsewhere, faster = (np.where(x < most, x, np.inf) for x in (elsewhere, faster))
        rows = [head]
        for k, name in enumerate(run.joint_names):
            span = travel(limits)[k]
            low, high = float(q[:, k].min()), float(q[:, k].max())
            unit, force = run.angles[k], run.units[k]
            rows.append(
                [
                    name, f"{low:.2f} to {high:.2f} {unit}", percent((high - low) / span) if 0 < span < np.inf else "",
                    f"{np.abs(v[:, k]).max():.2f} {unit}/s", f"{np.abs(a[:, k]).max():.2f} {unit}/s²",
                    f"{short(error[k])} {force}", _bar(elsewhere[k]), _bar(faster[k]),
                ]
            )  # fmt: skip
        return rows


def _bar(deviation: float) -> str:
    return f"± {short(deviation)}" if np.isfinite(deviation) else "unknown"

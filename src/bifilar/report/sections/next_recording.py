"""What should I record next? Parameters whose uncertainty costs torque, the motion that shows them, and a command."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from bifilar.report.markup import Html, bullets, command, fill, joined, paragraphs, table
from bifilar.report.page import Section
from bifilar.report.run import Run, owners
from bifilar.report.ticks import listed, percent, short
from bifilar.report.usage import travel
from bifilar.report.weak import Reach, Weak

MOST = 8  # rows of the table
USED = 0.5  # of a limit: less is little
LARGEST = 1000  # times the noise; what is more is said to be more
SLOW = ("moment", "coulomb")  # shown by poses; the others by speed
FEW = 12  # weak parameters up to which a design is asked for those alone
MODEL = {
    "velocity": "friction of another shape; bifilar fit without --friction chooses terms by evidence",
    "position": "gears, cables, a spring or a tool that is not in the description; look at the residual plots",
    "acceleration": "a delay between torque and position, rotor inertia (--friction viscous+coulomb+offset+rotor)",
    "temperature": "friction that changes as the joint warms up: record it warm",
}


@dataclass(frozen=True, eq=False)
class NextSection(Section):
    """Advice, from what the data left open.

    >>> NextSection.title
    'What should I record next?'
    """

    run: Run
    title = "What should I record next?"
    template: ClassVar[str] = '<p class="answer">{answer}</p>{advice}{design}{table}{model}'

    def parts(self) -> Mapping[str, Any]:
        """The answer, what to move how, the command, and what no recording will mend."""
        run = self.run
        if run.described.is_floating:
            return {"answer": "More and livelier motion.", "advice": "", "design": "", "table": "", "model": self._model()}
        reach = Reach(run)
        weak = reach.weak
        return {
            "answer": self._answer(reach),
            "advice": bullets(advice(run, reach, weak)),
            "design": self._design(weak) if weak else self._another(),
            "table": self._table(weak),
            "model": self._model([one.joint for one in weak]),
        }

    def _answer(self, reach: Reach) -> str:
        weak, count = reach.weak, len(self.run.estimate.values)
        if not weak:
            return (
                f"For the parameters, nothing: what is unknown of the {count} base parameters costs less torque than "
                "the noise, "
                "anywhere in the robot's limits. "
            ) + ("Another motion to judge on would say more." if self.run.verdict.validation is None else "")
        joints = list(dict.fromkeys(one.joint for one in weak))
        if all(one.over_noise <= 1 for one in weak):
            worst = int(np.argmax(np.where(np.isfinite(reach.together), reach.together, 0.0) / self.run.floor))
            cost = f"{short(float(reach.together[worst]))} {self.run.units[worst]} at {self.run.joint_names[worst]}"
            return (
                "What was recorded is enough for motions like it. For faster ones in other poses, what is unknown of "
                f"{len(weak)} base "
                f"parameters adds up to {cost}, more than the noise ({short(float(self.run.floor[worst]))}). To have these too:"
            )
        return (
            f"{len(weak)} of {count} base parameters are known so badly that they may cost more torque than the noise, "
            "most of all at "
            f"{listed(joints, 4)}. Record a motion that shows them:"
        )

    def _design(self, weak: Sequence[Weak]) -> Html:
        run = self.run
        only = () if len(weak) > FEW else ("--only", *(one.name for one in weak))
        same = "%" in run.judged_on or run.verdict.validation is None
        test = ("another-motion.csv",) if same else tuple(name for name, _ in run.test)
        logs = tuple(name for name, _ in run.train) or ("LOG",)
        both = ("fit", run.robot or "ROBOT", *logs, "next-recorded.csv", *(("--test", *test) if test else ()), *run.read_with)
        return fill(
            "{first}{words}{second}",
            first=self._motion(*only, "-o", "next.csv"),
            words=paragraphs("Run it on the machine, record it, then fit both together:"),
            second=command(shlex.join(("bifilar", *both))),
        )

    def _motion(self, *words: str) -> Html:
        """The command that designs a motion of the joints that were not held."""
        held = ("--lock", *self.run.lock) if self.run.lock else ()
        return command(shlex.join(("bifilar", "design", self.run.robot or "ROBOT", "--duration", "20", *held, *words)))

    def _another(self) -> Html:
        """Another motion to judge on, if only the end of the fitted one was there."""
        if "%" in self.run.judged_on or self.run.verdict.validation is None:
            words = "To be judged on, record a motion of another kind than the fitted one, and name it with --test:"
        else:
            words = "To be sure, a third motion tells whether it holds:"
        return joined([paragraphs(words), self._motion("--seed", "1", "-o", "another.csv")])

    def _table(self, weak: Sequence[Weak]) -> Html:
        if not weak:
            return Html("")
        estimate = self.run.estimate
        place = {name: k for k, name in enumerate(estimate.names)}
        units = dict(zip(self.run.joint_names, self.run.units))
        rows = [["parameter", "value", "± deviation", "may cost", "at", "over noise"]]
        for one in weak[:MOST]:
            k = place[one.name]
            deviation = "open" if one.open else f"± {short(estimate.deviations[k])}"
            cost = f"{short(one.cost)} {units[one.joint]}" if one.over_noise < LARGEST else "unknown"
            over = f"{one.over_noise:.1f}" if one.over_noise < LARGEST else f"> {LARGEST}"
            rows.append([one.name, short(estimate.values[k]), deviation, cost, one.joint, over])
        more = f"And {len(weak) - MOST} more. " if len(weak) > MOST else ""
        what = (
            f"{more}A name stands for a sum, see Parameters. The cost is over poses anywhere in the limits, at lively speeds."
        )
        return fill("{table}{what}", table=table(rows), what=fill('<p class="small">{what}</p>', what=what))

    def _model(self, weak: Sequence[str] = ()) -> Html:
        """What errors still follow: no recording mends the model. Joints with weak parameters are not blamed on it."""
        seen = self.run.verdict.validation
        found = [] if seen is None else [d for d in seen.dependences if d.matters and d.on in MODEL and d.joint not in weak]
        if not found:
            return Html("")
        lines = []
        for on, words in MODEL.items():
            joints = [d.joint for d in found if d.on == on]
            if joints:
                lines.append(f"Errors of {listed(joints)} follow their {on}: {words}.")
        return fill("{words}{lines}", words=paragraphs("More data will not mend what the model lacks:"), lines=bullets(lines))


def advice(run: Run, reach: Reach, weak: Sequence[Weak]) -> list[str]:
    """What to move how, from what is weak and what was moved little."""
    own = owners(run.described)
    kinds: dict[str, list[int]] = {}
    for one in weak:
        owner, _, word = one.name.rpartition(".")
        place = own.get(owner, run.joint_names.index(one.joint))
        kinds.setdefault(_kind(word), []).append(place)
    limits = run.described.limits
    ranges = np.ptp(np.concatenate([s.position for s in run.seen]), axis=0) if run.seen else np.zeros(len(run.joint_names))
    lines: list[str] = []
    told: set[tuple[bool, int]] = set()
    for kind, words in _HOW.items():
        places = sorted(set(kinds.get(kind, ())))
        if places:
            whole = len(places) == len(run.joint_names) > 1
            names = "every joint" if whole else listed([run.joint_names[k] for k in places], len(places))
            new = [k for k in places if (kind in SLOW, k) not in told]  # what was used so far is said once
            told.update((kind in SLOW, k) for k in places)
            lines.append(words.format(joints=names) + _used(run, reach, kind, new, ranges, limits))
    return lines


_HOW = {
    "moment": "Move {joints} slowly through many poses, far from each other: gravity shows masses and centres.",
    "inertia": "Move {joints} fast, with quick reversals, and in poses that differ: only acceleration shows inertia.",
    "viscous": "Move {joints} at several speeds, up to the highest: speed shows viscous friction.",
    "coulomb": "Move {joints} slowly in both directions over the same path: reversals show dry friction and offsets.",
    "drive": "Move {joints} with quick reversals: acceleration shows the rotors.",
}


def _kind(word: str) -> str:
    if word == "mass" or word.startswith("mc"):
        return "moment"
    if word.startswith("I"):
        return "inertia"
    return next((kind for kind in ("viscous", "rotor") if kind in word), "coulomb").replace("rotor", "drive")


def _used(run: Run, reach: Reach, kind: str, places: Sequence[int], ranges: Any, limits: Any) -> str:
    """How little was used so far of what the joints can do."""
    said = []
    for k in places:
        name, unit = run.joint_names[k], run.angles[k]
        span = travel(limits)[k]
        if kind in SLOW and np.isfinite(span) and ranges[k] < USED * span:
            said.append(f"{name} {percent(ranges[k] / span)} of its range")
        if kind not in SLOW:
            top = limits.velocity[k]
            if np.isfinite(top) and reach.seen_speed[k] < USED * top:
                said.append(f"{name} {short(reach.seen_speed[k])} of {short(top)} {unit}/s")
    return f" So far: {listed(said, 7)}." if said else ""

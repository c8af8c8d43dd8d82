"""The ladder of a simplification: error and condition number against model size, what was dropped and why, rivals beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from bifilar.estimate.held_errors import Ratio
from bifilar.estimate.ladder import gone_by
from bifilar.estimate.simplify_compare import rival_table
from bifilar.report.markup import bullets, fill, paragraphs, table
from bifilar.report.page import Section
from bifilar.report.plot import Line, Mark, Plot, grid, legend

HIGHEST = 3.0  # times the least error: what is above is cut off, or the interesting part would be flat


@dataclass(frozen=True, eq=False)
class LadderSection(Section):
    """Drawn from an estimate's tables, so that a run's folder can be drawn again.

    >>> step = {"size": 2, "dropped": [], "why": "", "condition": 9.0, "fitted": 0.1, "held": 0.2, "held_noise": 1.0}
    >>> facts = {"rule": "a", "judged on": "b", "chosen": 0, "turn": 0, "stopped": "c", "steps": [step]}
    >>> LadderSection(facts).html().count("<svg")
    3
    """

    ladder: Mapping[str, Any]  # `Ladder.facts`
    rivals: Sequence[Mapping[str, Any]] = ()

    title = "Simpler models"
    template: ClassVar[str] = "{words}{legend}{plots}{dropped}{rivals}{steps}"

    def parts(self) -> Mapping[str, Any]:
        """Sentences, drawings, what is gone, the table of rules, all steps."""
        keys = [("held out", "identified", "line"), ("fitted", "ink", "dashed"), ("condition number", "described", "line")]
        return {
            "words": paragraphs(*self._words()),
            "legend": legend(keys if self._held() else keys[1:]),
            "plots": grid([self._errors(), *self._noise(), self._conditions()], True),
            "dropped": self._dropped(),
            "rivals": self._rivals(),
            "steps": self._table(),
        }

    def _steps(self) -> list[Mapping[str, Any]]:
        return list(self.ladder["steps"])

    def _gone(self) -> Any:
        sizes = np.array([step["size"] for step in self._steps()], dtype=float)
        return sizes[0] - sizes

    def _held(self) -> bool:
        return self.ladder["turn"] is not None

    def _words(self) -> list[str]:
        facts, steps = self.ladder, self._steps()
        full, taken = steps[0], steps[facts["chosen"]]
        words = [
            f"From {full['size']} to {taken['size']} parameters by {facts['rule']}. The step was chosen as {facts['stopped']} "
            f"({facts['judged on']})."
        ]
        if not self._held():
            return words
        change = taken["held"] / full["held"] - 1 if full["held"] else 0.0
        than = f"{abs(100 * change):.2g} % {'less' if change < 0 else 'more'} than" if abs(change) > 5e-4 else "as much as"
        words.append(f"On held-out motion it leaves {100 * taken['held']:.3g} % of the torque, {than} the full model.")
        ratio = facts.get("over full")
        if ratio and facts["chosen"]:
            spread = np.inf if ratio["deviation"] is None else ratio["deviation"]
            words.append(f"By the error it was chosen by: {Ratio(ratio['value'], spread).text}.")
        turn, smallest = steps[facts["turn"]], steps[-1]
        if turn["size"] > smallest["size"]:
            words.append(f"Below {turn['size']} parameters the held-out error turns up; the drawing marks where.")
        fall = f"from {full['condition'] or np.inf:.4g} to {taken['condition'] or np.inf:.4g}"
        words.append(f"The condition number goes {fall} meanwhile. That alone proves nothing: it falls on where errors rise.")
        return words

    def _errors(self) -> Plot:
        steps = self._steps()
        x = self._gone()
        lines = [Line(x, [100 * step["fitted"] for step in steps], "ink", "fitted", "dashed")]
        top = 100 * max(steps[0]["fitted"], 1e-12)
        if self._held():
            held = np.array([100 * step["held"] for step in steps])
            lines.insert(0, Line(x, held, "identified", "held out"))
            top = max(top, float(min(held[0], HIGHEST * held.min())))
        return Plot(
            "Torque error",
            f"share of the torque [%], over the parameters dropped of {steps[0]['size']}",
            lines,
            marks=self._marks(x),
            x_unit="dropped",
            y_unit="%",
            height=220,
            y_range=(0.0, HIGHEST * top if top > 0 else 1.0),
        )

    def _noise(self) -> list[Plot]:
        """The error that the step was chosen by, where it is not that of all torque together."""
        steps = self._steps()
        if not self._held() or self.ladder.get("judged", "noise") != "noise":
            return []
        x = self._gone()
        y = np.array([step["held_noise"] for step in steps])
        what = f"held-out error over each joint's noise, over the parameters dropped of {steps[0]['size']}"
        top = float(min(y.max(), HIGHEST * y.min()))
        lines = [Line(x, y, "identified", "held out")]
        shown = (0.0, 1.05 * top if top > 0 else 1.0)
        return [Plot("Error in noise", what, lines, marks=self._marks(x), x_unit="dropped", height=220, y_range=shown)]

    def _conditions(self) -> Plot:
        steps = self._steps()
        x = self._gone()
        y = np.log10([step["condition"] or np.nan for step in steps])
        line = Line(x, y, "described", "condition number")
        what = f"power of ten, over the parameters dropped of {steps[0]['size']}"
        return Plot("Condition number", what, [line], marks=self._marks(x), x_unit="dropped", height=220)

    def _marks(self, x: Any) -> list[Mark]:
        chosen, turn = self.ladder["chosen"], self.ladder["turn"]
        size = self._steps()[chosen]["size"]
        taken = Mark(x[chosen] - 0.3, x[chosen] + 0.3, "note", f"taken: {size}", "the model that was taken", 0.5)
        if turn is None or turn + 1 >= len(x):
            return [taken]
        middle = 0.5 * (x[turn] + x[-1])
        return [taken, Mark(x[turn] + 0.5, x[-1], "warning", "error turns up", "smaller models predict worse", 0.12, middle)]

    def _dropped(self) -> Any:
        taken = self._steps()[1 : self.ladder["chosen"] + 1]
        gone = gone_by((step["dropped"], step.get("back", ()), step["why"]) for step in taken)
        lines = [f"{name}: {why}" for name, why in gone]
        if not lines:
            return paragraphs("Nothing was dropped: every smaller model predicts worse.")
        return fill(
            "<h3>What is gone, first to last</h3><details><summary>{count} parameters, each with its reason</summary>"
            "{lines}</details>",
            count=len(lines),
            lines=bullets(lines),
        )

    def _rivals(self) -> Any:
        if not self.rivals:
            return ""
        words = (
            "The same recordings by every rule. Parameters, held-out and test error are those of the step that held-out motion "
            "chooses; last, where the rule itself would have stopped."
        )
        return fill("<h3>Other rules</h3>{words}{table}", words=paragraphs(words), table=table(rival_table(self.rivals)))

    def _table(self) -> Any:
        rows = [["dropped", "parameters", "condition", "fitted", "held out", "in noise", ""]]
        for k, step in enumerate(self._steps()):
            held = "" if step["held"] is None else f"{100 * step['held']:.3g} %"
            condition = "" if step["condition"] is None else f"{step['condition']:.4g}"
            taken = "taken" if k == self.ladder["chosen"] else "error turns up" if k - 1 == self.ladder["turn"] else ""
            names = ", ".join(step["dropped"]) or "nothing"
            noise = "" if step["held_noise"] is None else f"{step['held_noise']:.4g}"
            rows.append([names, str(step["size"]), condition, f"{100 * step['fitted']:.3g} %", held, noise, taken])
        whole = "<h3>All steps</h3><details><summary>{count} models</summary>{table}</details>"
        return fill(whole, count=len(rows) - 1, table=table(rows))


def ladder_sections(tables: Mapping[str, Any]) -> list[Section]:
    """The section of an estimate that was simplified; none of one that was not.

    >>> ladder_sections({})
    []
    """
    facts = tables.get("simplify")
    return [] if not facts else [LadderSection(facts, tables.get("rivals", ()))]

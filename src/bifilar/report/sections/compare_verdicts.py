"""Two runs side by side: verdicts, errors over all joints, what they were made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from bifilar.report.markup import paragraphs, table
from bifilar.report.page import Section
from bifilar.report.run import Run
from bifilar.report.ticks import listed, percent


@dataclass(frozen=True, eq=False)
class CompareVerdicts(Section):
    """A sentence and a table of facts.

    >>> CompareVerdicts.title
    'Verdicts'
    """

    runs: tuple[Run, Run]
    title = "Verdicts"
    template: ClassVar[str] = '<p class="answer">{answer}</p>{table}{care}'

    def parts(self) -> Mapping[str, Any]:
        """Which one is better, and the facts."""
        care = "" if same_judge(self.runs) else "They were judged on different motions: errors are not strictly comparable."
        return {"answer": better(self.runs), "table": table(fact_rows(self.runs), prose=True), "care": paragraphs(care)}


def better(runs: tuple[Run, Run]) -> str:
    """Which of two runs predicts better, in a sentence.

    >>> judged = [Run(estimate=None, verdict=bf.Verdict("not judged", ()), folder=name) for name in "ab"]
    >>> better(tuple(judged))
    'Not both were judged on unseen motion.'
    >>> refused = Run(estimate=None, verdict=bf.Verdict("refused", ("it contradicts itself",)), folder="c")
    >>> better((judged[0], refused))
    'Use a, whose verdict is not judged; c is refused: it contradicts itself.'
    """
    seen = [run.verdict.validation for run in runs]
    bad = [run.verdict.level == "refused" for run in runs]
    if bad[0] != bad[1]:
        use, leave = (runs[1], runs[0]) if bad[0] else (runs[0], runs[1])
        why = f": {leave.verdict.reasons[0]}" if leave.verdict.reasons else ""
        return f"Use {use.folder}, whose verdict is {use.verdict.level}; {leave.folder} is refused{why}."
    if all(bad):
        return f"Use neither {runs[0].folder} nor {runs[1].folder}: both are refused."
    if seen[0] is None or seen[1] is None:
        return "Not both were judged on unseen motion."
    a, b = seen[0].relative, seen[1].relative
    if abs(a - b) <= 0.05 * max(a, b):
        return f"They predict alike: {percent(a)} and {percent(b)} of the torque is missing on unseen motion."
    first, second = (0, 1) if a < b else (1, 0)
    return (
        f"{runs[first].folder} predicts better: it misses {percent(min(a, b))} of the torque on unseen motion, "
        f"{runs[second].folder} {percent(max(a, b))}."
    )


def same_judge(runs: tuple[Run, Run]) -> bool:
    """Whether both were judged on the same logs.

    >>> judged = [Run(estimate=None, verdict=bf.Verdict("not judged", ()), judged_on="a.csv") for _ in range(2)]
    >>> same_judge(tuple(judged))
    True
    """
    first, second = (sorted(name for name, _ in run.test) or [run.judged_on] for run in runs)
    return first == second and runs[0].judged_on == runs[1].judged_on


def fact_rows(runs: tuple[Run, Run]) -> list[list[str]]:
    """Head and facts, a column for each run."""
    rows = [["", *(run.folder for run in runs)]]
    rows.append(["verdict", *(run.verdict.level for run in runs)])
    rows.append(["torque missing on unseen motion", *(_error(run) for run in runs)])
    rows.append(["method", *(run.estimate.method for run in runs)])
    rows.append(["fitted to", *(listed([name for name, _ in run.train], 3) or "not at hand" for run in runs)])
    rows.append(["judged on", *(run.judged_on for run in runs)])
    rows.append(["rows", *(f"{run.estimate.rows:,}" for run in runs)])
    known = [f"{int(np.sum(run.estimate.identified))} of {len(run.estimate.values)}" for run in runs]
    return [*rows, ["base parameters identified", *known], ["status", *(str(run.estimate.status) for run in runs)]]


def _error(run: Run) -> str:
    seen = run.verdict.validation
    return "not judged" if seen is None else percent(seen.relative)

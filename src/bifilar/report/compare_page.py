"""Two runs on one page: verdicts, errors, parameters, what each leaves of the same torque."""

from __future__ import annotations

from bifilar.report.page import Page
from bifilar.report.run import Run
from bifilar.report.sections.compare_errors import CompareErrors
from bifilar.report.sections.compare_parameters import CompareParameters
from bifilar.report.sections.compare_torque import CompareTorque
from bifilar.report.sections.compare_verdicts import CompareVerdicts
from bifilar.report.sections.verdict import COLOURS

SECTIONS = (CompareVerdicts, CompareErrors, CompareParameters, CompareTorque)


def compare_page(runs: tuple[Run, Run], foot: str = "") -> Page:
    """The page.

    >>> robot = bf.Robot.load("pendulum")
    >>> q, v, a = np.random.default_rng(0).normal(size=(3, 200, 1))
    >>> estimate = bf.LeastSquares().fit(robot, (q, v, a, robot.inverse_dynamics(q, v, a)))
    >>> run = Run(estimate=estimate, verdict=bf.judge(estimate), folder="runs/a")
    >>> [section.title for section in compare_page((run, run)).sections][:2]
    ['Verdicts', 'Torque errors']
    """
    title = f"{runs[0].folder} and {runs[1].folder}"
    facts = [(run.verdict.level, run.folder, COLOURS[run.verdict.level]) for run in runs]
    return Page(title, "Two runs, side by side.", facts, [kind(runs) for kind in SECTIONS], foot)

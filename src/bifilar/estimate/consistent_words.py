"""What a physically consistent fit says about itself: how far the prior was believed, and what consistency cost.

    cost = |errors of links that can exist| / |errors of free numbers| - 1,    both in units of the noise

A cost beyond `COSTLY` is a doubt: torque of another robot, a wrong sign or unit, or too strong a prior.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bifilar.dynamics.reduce import BlockFactor
from bifilar.dynamics.tree import Array
from bifilar.errors import Note
from bifilar.estimate.physical_problem import PhysicalAnswer
from bifilar.estimate.prior_strength import PriorStrength, percent
from bifilar.estimate.problem import Problem
from bifilar.estimate.status import Status
from bifilar.robot.solve import WeightedFit, unseen

COSTLY = 0.5  # of the residual: what consistency may cost before the data are doubted
QUIETEST = 1e-7  # of the torque: noise below this is rounding


def belief(weight: float, strength: PriorStrength | None, masses: bool = False) -> tuple[Note, ...]:
    """How far the nominal model was trusted; `masses`: whether they were held by themselves too.

    >>> print(belief(100.0, None)[0])
    prior standard deviation 10 % (inertias), as given
    """
    if not weight > 0:
        return ()
    inertias = percent(1.0 / np.sqrt(weight))
    if strength is None:
        return (Note("prior.given", weight=weight, percent=inertias),)
    spread: dict[str, Any] = {"percent": percent(strength.deviation), "inertias_percent": inertias}
    spread |= {"masses_percent": percent(1.0 / np.sqrt(strength.mass_weight))} if masses else {}
    key = "prior.chosen/masses" if masses else "prior.chosen"
    return Note(key, **spread, **strength.facts()), *strength.notes


def status_of(
    problem: Problem,
    factor: BlockFactor,
    plain: WeightedFit,
    weights: Array,
    answer: PhysicalAnswer,
    base_values: Array,
    held_out: float | None = None,
) -> tuple[Status, Note]:
    """What to report, and what consistency costs in words.

    `held_out`: by how much the error of the consistent model exceeds that of free base parameters on held-out blocks; left out,
    the fitted rows decide whether the recording is doubted, where many free parameters follow noise.

    >>> robot, rng = bf.Robot.load("pendulum"), np.random.default_rng(0)
    >>> q, v, a = rng.normal(size=(3, 50, 1))
    >>> problem = Problem.of(robot, (q, v, a, robot.inverse_dynamics(q, v, a)), friction=())
    >>> from bifilar.robot.solve import weighted_fit
    >>> factor, truth = problem.factor(), robot.parameters().values
    >>> plain = weighted_fit(problem.base.independent, factor, None, problem.prior())
    >>> answer = PhysicalAnswer(values=truth, outcome="solved", words="", cost=0.0, gap=0.0, iterations=0)
    >>> status_of(problem, factor, plain, np.ones(1), answer, problem.base.from_full(truth))[0].ok
    True
    """
    errors = weights * np.array([row.residual(base_values) for row in factor.rows])
    least = weights * np.maximum(plain.residuals, QUIETEST / 1e-12 * plain.floor)  # less is rounding
    rise = float(np.linalg.norm(errors) / max(float(np.linalg.norm(least)), 1e-300)) - 1.0
    small = float(np.linalg.norm(errors)) <= 1e-3 * np.sqrt(problem.reduction.samples)
    cost = Note("consistency.cost" if rise > 1e-4 and not small else "consistency.free", rise=rise, more=percent(rise))
    status = Status()
    if answer.outcome == "infeasible":
        return Status("infeasible", Note("conditions.infeasible")), cost
    if not answer.solved:
        status = Status("not converged", Note("solver.stopped", outcome=answer.words))
    if len(plain.open):
        letter = unseen(problem.base.independent, plain.open)
        open_ = Note("parameters.open/prior", thing=letter.what, remedy=letter.remedy, **letter.facts)
        status = status.worse(Status("rank deficient", open_))
    if (rise if held_out is None else held_out) > COSTLY and rise > COSTLY and not small:
        status = status.worse(Status("doubtful", Note("consistency.costly", thing=cost.text, rise=rise)))
    return status, cost

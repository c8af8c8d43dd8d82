"""Identification through a distance meter, (3.10) to (3.13) of Dolinsky 2017: the stance leg's angle is not measured at all.

The step of Table 3.2 (`dolinsky_step`); a beam from the stance leg meets the ground in front of the foot. Its noise grows with
the distance. Elimination: the angle by atan2 from the reading, a low-pass, differences, least squares. Maximum likelihood
takes the reading as it is. The thesis gives no numbers for this; the meter is ours, of the grade of small triangulating ones.
"""

from __future__ import annotations

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.errors import BifilarError
from bifilar.papers.dolinsky_step import PERIOD, ROW_NOISE, TORQUE_NOISE, Case, one_step
from bifilar.walking.builtin import GRIZZLE, walker_description
from bifilar.walking.planar import Planar
from bifilar.walking.sensor_set import angle_from_distance
from bifilar.walking.sensors import DistanceMeter
from bifilar.walking.stance import StanceLog, smoothed
from bifilar.walking.stance_likelihood import StanceLikelihood
from bifilar.walking.stance_rows import fit_rows
from bifilar.walking.stance_sensors import StanceSensor
from bifilar.walking.walker import Walker

METER = DistanceMeter("leg1_1", (0.0, -0.3), beam=0.9, noise=5e-4, growth=1e-3)  # [m]; towards the front, at the ground
FILTER = Case(0.0, 0.25, 5)  # of case 3, whose angle is as noisy


def measured(seed: int) -> tuple[StanceLog, Array]:
    """One draw: encoders, torques and distances, and the angle that they give, (69,).

    >>> measured(0)[0].unseen
    array([ True, False, False])
    """
    step, rng = one_step(), np.random.default_rng(seed)
    walker = Walker.build(walker_description(*GRIZZLE))
    on_leg = StanceSensor(walker, METER)
    exact = on_leg.sensed(step.position, 0 * step.position, 0 * step.position).value
    distance = exact + METER.deviation(exact) * rng.normal(size=exact.shape)
    torque = step.torque.copy()
    torque[:, 1:] += TORQUE_NOISE * rng.normal(size=(len(torque), 2))
    log = StanceLog(
        position=np.column_stack([np.zeros(len(torque)), step.position[:, 1:]]),
        torque=torque,
        period=PERIOD,
        position_noise=np.array([np.inf, 1e-7, 1e-7]),
        torque_noise=np.array([0.0, TORQUE_NOISE, TORQUE_NOISE]),
        readings=(on_leg.readings(distance),),
    )
    planar: Planar = walker.planar(0)
    links: Array = np.asarray(np.linalg.solve(planar.joint, (log.position + planar.offset).T).T, dtype=float)
    return log, angle_from_distance(METER.on(walker, 0), distance[:, 0], links)


def distance_errors(seed: int) -> dict[str, float]:
    """Simulation errors of elimination with least squares and of maximum likelihood.

    >>> sorted(distance_errors(0))
    ['ML', 'WLS']
    """
    step = one_step()
    log, angle = measured(seed)
    smooth = smoothed(angle[:, None], FILTER.cutoff)
    first = log.with_position(np.column_stack([smooth, log.position[:, 1:]]))
    errors = {}
    for name in ("ML", "WLS"):
        try:
            if name == "WLS":
                theta = fit_rows(step.pinned, first, base=step.base, span=FILTER.span, row_noise=ROW_NOISE)
            else:
                settings = StanceLikelihood(row_noise=ROW_NOISE, stencil=1)
                theta = settings.fit(step.pinned, log, motion=[first.position], base=step.base).values
            errors[name] = step.error(theta)
        except (BifilarError, np.linalg.LinAlgError):
            errors[name] = float("nan")
    return errors

"""Links whose centre of mass lies on their middle line: parameters that need not be estimated.

A pinned walker has three base parameters per link: mcz along it, mcx across it, Iyy. Where links are straight, mcx is known
to be zero; estimating it from a noisy absolute angle is what makes a fit go astray (it stands in for an error of that angle).
"""

from __future__ import annotations

from dataclasses import replace

from bifilar.robot.base_parameters import BaseParameters, base_parameters
from bifilar.robot.robot import Robot

ACROSS = ".mcx"


def straight_base(pinned: Robot) -> BaseParameters:
    """Base parameters of a pinned walker with straight links, mcx left out as zero.

    >>> from bifilar.walking.walker import Walker
    >>> straight_base(Walker.load("leg").pinned()).independent[:2]
    ('foot.mcz', 'foot.Iyy')
    """
    base = base_parameters(pinned)
    kept = [k for k, name in enumerate(base.independent) if not name.endswith(ACROSS)]
    names = tuple(base.independent[k] for k in kept)
    return replace(base, independent=names, coefficients=base.coefficients[kept], matrix=base.matrix[kept])

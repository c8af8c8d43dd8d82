"""The printed tables of Wang et al. 2018, and what follows from them alone.

(14) is printed as sqrt(sum (x - mean)^2) / (5 mean); Table I follows sqrt(sum (x - mean)^2 / 5) / |mean|. Entries were rounded
to four decimals before printing, so a spread computed from them is only known to an interval. (16) ties errors to the torque
itself: Tables II and III state both, hence imply it.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from bifilar.estimate.repetitions import spread_of
from bifilar.papers.claims import Claim, Part

TABLE_1: dict[str, tuple[tuple[float, ...], float, float]] = {  # five values, mean, spread [%]
    "p2": ((13.8238, 14.0202, 13.7847, 13.8903, 13.8968), 13.8831, 0.5783),
    "p4": ((0.9722, 0.9721, 0.9725, 0.9722, 0.9722), 0.9722, 0.0144),
    "p5": ((0.0120, 0.0122, 0.0119, 0.0120, 0.0117), 0.0120, 1.4498),
    "p6": ((-2.3991, -2.2644, -2.4859, -2.4584, -2.4552), -2.4126, 3.2857),
    "p7": ((0.5071, 0.4829, 0.4715, 0.4430, 0.4632), 0.4735, 4.4917),
    "p8": ((43.9145, 40.8640, 45.6607, 38.2915, 41.7885), 42.1038, 6.0180),
    "p9": ((38.6113, 31.2062, 38.5468, 28.1294, 33.0645), 33.9116, 12.1614),
    "p11": ((0.2772, 0.2668, 0.2750, 0.2751, 0.2739), 0.2736, 1.3063),
}
EXACT = ("p2", "p8", "p9")
ERRORS = {  # hip [N m], knee [N m], relative [%]
    "Table II, reconstructed": (0.4089, 0.1841, 1.01),
    "Table III, PDM": (0.4487, 0.7666, 2.95),
    "Table III, ODM": (0.4182, 0.3672, 1.85),
    "Table III, SDM": (0.37, 0.288, 1.56),
}
IMPLIED = {"Table II, reconstructed": 31.4, "Table III, PDM": 21.3, "Table III, ODM": 21.3, "Table III, SDM": 21.3}
HALF = 0.5e-4  # of the last printed digit


def spread_interval(values: tuple[float, ...], half: float = HALF) -> tuple[float, float]:
    """Least and largest spread [%] of numbers that print as these.

    >>> low, high = spread_interval((0.9722, 0.9721, 0.9725, 0.9722, 0.9722))
    >>> low < 0.0144 < high
    True
    """
    x = np.array(values)
    corners = x + half * np.array(list(product((-1.0, 1.0), repeat=len(x))))  # a convex function is largest at a corner
    high = max(float(spread_of(corner[:, None])[1][0]) for corner in corners)
    middles = np.linspace(x.min() - half, x.max() + half, 2001)
    nearest = np.clip(middles[:, None], x - half, x + half)  # all as near to one number as rounding allows
    low = min(float(spread_of(row[:, None])[1][0]) for row in nearest)
    return low, high


def table_1() -> Part:
    """Spreads of Table I from its own columns.

    >>> all(claim.good for claim in table_1().claims)
    True
    """
    rows, exact, inside = (
        [["parameter", "mean", "printed", "spread [%]", "printed", "rounding allows", "(14) as printed"]],
        0,
        0,
    )
    for name, (values, mean, printed) in TABLE_1.items():
        ours, spread = (float(x[0]) for x in spread_of(np.array(values)[:, None]))
        low, high = spread_interval(values)
        exact += name in EXACT and f"{spread:.4g}" == f"{printed:.4g}"
        inside += low <= printed <= high
        literal = 100 * float(np.sqrt(np.sum((np.array(values) - ours) ** 2))) / (5 * ours)
        cells = (f"{ours:.4f}", f"{mean:.4f}", f"{spread:.4f}", f"{printed:.4f}", f"{low:.4f} to {high:.4f}", f"{literal:.4f}")
        rows.append([name, *cells])
    claims = (
        Claim(
            "Table I",
            "spreads of p2, p8, p9 by the corrected (14)",
            "0.5783, 6.018, 12.16",
            f"{exact} of 3",
            "4 digits",
            exact == 3,
        ),
        Claim("Table I", "spreads inside what rounding allows", "8", f"{inside} of 8", "all", inside == 8),
    )
    words = (
        "Spreads from the five printed columns. (14) as printed gives 1/sqrt(5) of them, and a negative one for p6;",
        "the root mean square over the size of the mean is what the table holds.",
    )
    return Part("Table I", words, claims, table=rows)


def implied_torque() -> Part:
    """Root mean square torque that Tables II and III imply by (16).

    >>> all(claim.good for claim in implied_torque().claims)
    True
    """
    claims, rows = [], [["", "hip [N m]", "knee [N m]", "relative [%]", "implied torque [N m]"]]
    for name, (hip, knee, share) in ERRORS.items():
        torque = float(np.sqrt((hip**2 + knee**2) / 2)) / (share / 100)
        asked = IMPLIED[name]
        claims.append(
            Claim(name, "root mean square torque", "-", f"{torque:.1f} N m", f"{asked} N m", f"{torque:.1f}" == f"{asked}")
        )
        rows.append([name, f"{hip:g}", f"{knee:g}", f"{share:g}", f"{torque:.2f}"])
    words = ("By (16) the relative error is the error over the torque, both over all joints: the three of Table III agree.",)
    return Part("Tables II and III, what they imply", words, tuple(claims), table=rows)

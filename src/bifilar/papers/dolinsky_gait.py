"""Section 4.3.3 and appendix of Dolinsky 2017: the gait with the law corrected and as printed; misprints of (6.6)-(6.61)."""

from __future__ import annotations

import numpy as np

from bifilar.papers.claims import Claim, Part
from bifilar.papers.dolinsky_appendix import MISPRINTS, appendix_walker, generated, random_numbers
from bifilar.report.plot import Line, Plot
from bifilar.walking.builtin import GRIZZLE, LABORATORY, walker_description
from bifilar.walking.feedback import finite_time, printed, upright
from bifilar.walking.gait import Gait, find_gait, next_rate
from bifilar.walking.hybrid import Stepping, simulate
from bifilar.walking.phases import Phases
from bifilar.walking.walker import Walker

START = np.array([2.65 + 0.1 - np.pi, 0.1, 3.43 + 0.1 - np.pi, 2.0, 0.5, -2.0])  # (4.71), as angles of the links
MACHINES = {"(4.41)": (LABORATORY, 2.159, 0.692, 0.540), "(3.80)": (GRIZZLE, 1.602, 0.828, 0.555)}


def gait_part() -> Part:
    """Fixed points of both machines, and what the printed law does.

    >>> gait_part().claims[0].good
    True
    """
    claims, plots, rows = [], [], [["machine", "rate before touchdown", "step", "multiplier", "speed", "torque"]]
    for name, (numbers, rate, period, multiplier) in MACHINES.items():
        gait = find_gait(upright(Phases.of(Walker.build(walker_description(*numbers)))))
        good = abs(gait.rate - rate) < 0.005 and abs(gait.period - period) < 0.002 and abs(gait.multiplier - multiplier) < 0.02
        said = f"{gait.rate:.4f} rad/s, {gait.period:.4f} s, {gait.multiplier:.3f}"
        claims.append(
            Claim(name, "rate, step, multiplier", "a stable cycle", said, f"{rate}, {period}, {multiplier}", bool(good))
        )
        cells = (f"{gait.rate:.4f} rad/s", f"{gait.period:.4f} s", f"{gait.multiplier:.3f}", f"{gait.speed:.3f} m/s")
        rows.append([name, *cells, f"at most {gait.peak_torque:.3g} N m"])
        plots.append(_map(name, gait))
    phases = Phases.of(Walker.build(walker_description(*LABORATORY)))
    for word, law, asked in (("as printed", printed(), "falls"), ("corrected", finite_time(), "walks")):
        walk = simulate(phases, START, upright(phases, law=law), 5.0, stepping=Stepping(period=0.002, steps=2))
        said = f"{'falls' if walk.fell else 'walks'}, {walk.steps} steps in 5 s"
        claims.append(Claim("(4.69)", f"the law {word}", "stable", said, asked, said.startswith(asked)))
    words = (
        "The law needs 1/eps^2, the exponent alpha/(2 - alpha) and the factor 1/(2 - alpha), on w instead of q. The",
        "thesis states that its cycle is stable and gives none of these numbers. Drawn: Poincare's map; where it",
        "crosses the dashed line, the gait repeats itself.",
    )
    keys = [("next rate", "identified", "line"), ("the same rate", "ink", "dashed")]
    return Part("Section 4.3.3: the gait", words, tuple(claims), plots, keys, rows)


def _map(name: str, gait: Gait) -> Plot:
    rates = np.linspace(0.85 * gait.rate, 1.6 * gait.rate, 25)
    after = np.array([next_rate(gait.feedback, gait.guard, rate) for rate in rates])
    lines = [Line(rates, after, "identified", "next rate"), Line(rates, rates, "ink", "the same rate", "dashed")]
    return Plot(f"Poincare's map, {name}", "rate before the next touchdown over the last [rad/s]", lines, x_unit="rad/s")


def appendix_part(points: int = 5) -> Part:
    """Six misprints against the generator, with the appendix's own topology.

    >>> appendix_part(1).claims[0].good
    True
    """
    rows, worst = [["entry", "where", "what", "printed is off by", "corrected by"]], 0.0
    for entry in MISPRINTS:
        kind, row, column = entry.place
        off = []
        for seed in range(points):
            n = random_numbers(seed)
            q, v = (np.array([n[f"{letter}{k}"] for k in range(1, 6)]) for letter in "qv")
            d, c, _ = generated(appendix_walker(n, hip=False), q, v)
            ours = (d if kind == "D" else c)[row, column]
            off.append([abs(entry.printed(n) - ours), abs(entry.corrected(n) - ours)])
        most = np.max(off, axis=0)
        rows.append([entry.name, entry.where, entry.what, f"{most[0]:.2g}", f"{most[1]:.1g}"])
        worst = max(worst, float(most[1]))
    claims = (
        Claim("6.1", "six corrected entries against the generator", "-", f"{worst:.1g}", "1e-10", worst < 1e-10),
        Claim(
            "6.1", "topology of the printed D, C, G", "swing leg at the hip", "at the torso's end; l3 = 0 is right", "", None
        ),
    )
    words = (f"At {points} random machines and motions. Everything else in bifilar is generated, never transcribed.",)
    return Part("Appendix: six misprints", words, claims, table=rows)

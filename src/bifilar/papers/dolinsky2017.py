"""Dolinsky, Algorithms for Complex Bipedal Walking, 2017: its tables and figures on identification and state estimation.

The thesis has some forty errata (docs/walking.md has those that matter); everything is derived anew and printed results
stand beside ours. What it leaves open is chosen in `dolinsky_step`, `dolinsky_leg` and their neighbours.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from bifilar.papers.claims import Part, Reproduction
from bifilar.papers.dolinsky_gait import appendix_part, gait_part
from bifilar.papers.dolinsky_leg_part import leg_figures, table_3_5
from bifilar.papers.dolinsky_offline import CELLS, distance_part, loop_part, table_3_3
from bifilar.papers.dolinsky_online_parts import online_parts

CITATION = "K. Dolinsky: Algorithms for complex bipedal walking, dissertation, Czech Technical University in Prague, 2017"
ABOUT = (
    "Simulated: the thesis's own machines where it prints their numbers, and a leg of our own for its laboratory one. Torques, "
    "first states, weights and the definition of errors are not all printed; each part says what was chosen and why it differs."
)
SEEDS, FULL = 40, 1000  # runs of every cell
PARTS = (
    "The gait",
    "Appendix",
    *(f"Table 3.3, {name}" for name in CELLS),
    "Distance meter",
    "Table 3.5",
    "Figures 3.4 and 3.5",
    "Walking under feedback",
    *online_parts(0),
)


def reproduced(*, seeds: int = SEEDS, runs: int = 0, updates: int = 0, tell: Callable[..., Any] = print) -> Reproduction:
    """All of it, `seeds` runs per cell; `runs` and `updates` are for other papers."""
    made: list[Part] = []
    steps: dict[str, Callable[[], Part]] = {
        "The gait": gait_part,
        "Appendix": appendix_part,
        "Table 3.3": lambda: table_3_3(seeds, tell=partial(_told, tell, "Table 3.3")),
        "Distance meter": lambda: distance_part(seeds, tell=partial(_told, tell, "Distance meter")),
        "Table 3.5": lambda: table_3_5(seeds, tell=partial(_told, tell, "Table 3.5")),
        "Figures 3.4 and 3.5": leg_figures,
        "Walking under feedback": lambda: loop_part(seeds, tell=partial(_told, tell, "Walking under feedback")),
    }
    steps |= {name: partial(part, partial(_told, tell, name)) for name, part in online_parts(seeds).items()}
    for name, step in steps.items():
        if name in ("The gait", "Appendix", "Figures 3.4 and 3.5", "Figure 4.4"):
            tell(name)
        made.append(step())
    return Reproduction("dolinsky2017", CITATION, ABOUT, tuple(made))


def _told(tell: Callable[..., Any], name: str, words: str, share: float) -> None:
    tell(f"{name}, {words}", share)

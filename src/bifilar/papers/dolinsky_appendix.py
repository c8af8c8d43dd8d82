"""Appendix of Dolinsky 2017: the five-link model in the angle of the stance shank and relative angles, (6.6)-(6.61).

The printed matrices let the swing leg hang at the torso's end (l_3 stands in them), while the printed way to its foot,
(6.62), lets it hang at the hip. Six entries carry misprints besides; they stand here as printed and corrected. All else is
generated: `appendix_walker` is that machine, with the leg at the torso's end or, right, at the hip.

    phi_i = q_1 + ... + q_i         legs point from the hip to the foot: phi_4, phi_5 near pi
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.walking.builtin import Segment, walker_description
from bifilar.walking.coordinates import Coordinates
from bifilar.walking.walker import Walker

Numbers = Mapping[str, float]  # q1..q5, v1..v5, l1..l5, c1..c5 (centres), m1..m5, I1..I5
Entry = Callable[[Numbers], float]


def appendix_walker(n: Numbers, *, hip: bool = True) -> Walker:
    """The machine of the appendix; `hip`: whether the swing leg hangs at the hip, or as printed at the torso's end.

    >>> appendix_walker(random_numbers(0)).feet
    ('foot1', 'foot2')
    """
    torso = Segment(n["l3"], n["c3"], n["m3"], n["I3"])
    stance = [Segment(n[f"l{k}"], n[f"l{k}"] - n[f"c{k}"], n[f"m{k}"], n[f"I{k}"]) for k in (2, 1)]  # from the hip down
    swing = [Segment(n[f"l{k}"], n[f"c{k}"], n[f"m{k}"], n[f"I{k}"]) for k in (4, 5)]
    return Walker.build(walker_description(torso, stance, swing, hip=0.0 if hip else n["l3"]))


def appendix_coordinates(walker: Walker) -> Coordinates:
    """q_1 to q_5: angles of the links are their sums, our hanging legs half a turn behind.

    >>> appendix_coordinates(appendix_walker(random_numbers(0))).matrix[4]
    array([1., 1., 1., 1., 1.])
    """
    return Coordinates(("q1", "q2", "q3", "q4", "q5"), np.tril(np.ones((5, 5))), np.array([0, 0, 0, -np.pi, -np.pi]))


def generated(walker: Walker, q: Array, v: Array) -> tuple[Array, Array, Array]:
    """D, C (Christoffel) and G by the engine, in the coordinates of the appendix.

    >>> n = random_numbers(0)
    >>> generated(appendix_walker(n), np.zeros(5), np.zeros(5))[0].shape
    (5, 5)
    """
    chosen, chain, robot = appendix_coordinates(walker), walker.coordinates("stance"), walker.pinned()
    turn = chain.inverse @ chosen.matrix  # rates of the pinned robot's joints from those of q
    own, rates = chain.values(chosen.angles(q)), turn @ v
    d, c = robot.mass_matrix(own), robot.coriolis_matrix(own, rates)
    return turn.T @ d @ turn, turn.T @ c @ turn, turn.T @ robot.gravity_torque(own)


def random_numbers(seed: int) -> dict[str, float]:
    """A machine and a motion, drawn.

    >>> len(random_numbers(0))
    30
    """
    rng = np.random.default_rng(seed)
    ranges = {"q": (-1, 1), "v": (-1, 1), "l": (0.2, 1.0), "c": (0.1, 0.5), "m": (1, 5), "I": (0.1, 1)}
    return {f"{letter}{k}": float(rng.uniform(*ends)) for letter, ends in ranges.items() for k in range(1, 6)}


@dataclass(frozen=True)
class Misprint:
    """An entry as printed and as it must be.

    >>> MISPRINTS[0].name
    'D13'
    """

    name: str  # matrix, row, column
    where: str  # equation
    what: str
    printed: Entry
    corrected: Entry

    @property
    def place(self) -> tuple[str, int, int]:
        """Matrix, row and column from zero.

        >>> MISPRINTS[0].place
        ('D', 0, 2)
        """
        return self.name[0], int(self.name[1]) - 1, int(self.name[2]) - 1


def _sine(n: Numbers, first: int, last: int) -> float:
    return float(np.sin(sum(n[f"q{k}"] for k in range(first, last + 1))))


def _cosine(n: Numbers, first: int, last: int) -> float:
    return float(np.cos(sum(n[f"q{k}"] for k in range(first, last + 1))))


def _beyond(n: Numbers, k: int) -> float:
    """First moment of the chain beyond joint k, along link k: l_k times the masses further out, c_k times its own."""
    return n[f"l{k}"] * sum(n[f"m{j}"] for j in range(k + 1, 6)) + n[f"c{k}"] * n[f"m{k}"]


def _d13(n: Numbers, factor: float) -> float:
    l1, l2, l3, l4, c3, c4, c5 = (n[k] for k in ("l1", "l2", "l3", "l4", "c3", "c4", "c5"))
    m3, m4, m5 = n["m3"], n["m4"], n["m5"]
    still = n["I3"] + n["I4"] + n["I5"] + l3**2 * (m4 + m5) + l4**2 * m5 + c3**2 * m3 + c4**2 * m4 + c5**2 * m5
    return (
        still
        + l2 * c5 * m5 * _cosine(n, 3, 5)
        + l1 * (l4 * m5 + c4 * m4) * _cosine(n, 2, 4)
        + l1 * _beyond(n, 3) * _cosine(n, 2, 3)
        + l2 * _beyond(n, 3) * _cosine(n, 3, 3)
        + l1 * c5 * m5 * _cosine(n, 2, 5)
        + 2 * l3 * c5 * m5 * _cosine(n, 4, 5)
        + l2 * (l4 * m5 + c4 * m4) * _cosine(n, 3, 4)
        + 2 * l4 * c5 * m5 * _cosine(n, 5, 5)
        + (2 * l3 * l4 * m5 + factor * l3 * c4 * m4) * _cosine(n, 4, 4)
    )


def _c21(n: Numbers, *, printed: bool) -> float:
    l1, l2, l3, l4, c4, c5, m4, m5 = (n[k] for k in ("l1", "l2", "l3", "l4", "c4", "c5", "m4", "m5"))
    v1, v3, v4, v5 = n["v1"], n["v3"], n["v4"], n["v5"]
    by_five = (-v3 - v5) if printed else (-v3 - v4 - v5)
    knee = -v3 * l2 if printed else -v5 * l4
    return (
        v1 * l1 * _beyond(n, 3) * _sine(n, 2, 3)
        + v1 * l1 * _beyond(n, 2) * _sine(n, 2, 2)
        + v1 * l1 * (l4 * m5 + c4 * m4) * _sine(n, 2, 4)
        + v1 * l1 * c5 * m5 * _sine(n, 2, 5)
        + by_five * l2 * c5 * m5 * _sine(n, 3, 5)
        + knee * c5 * m5 * _sine(n, 5, 5)
        - (v4 + v5) * l3 * c5 * m5 * _sine(n, 4, 5)
        - (v3 + v4) * l2 * (l4 * m5 + c4 * m4) * _sine(n, 3, 4)
        - v4 * l3 * (l4 * m5 + c4 * m4) * _sine(n, 4, 4)
        - v3 * l2 * _beyond(n, 3) * _sine(n, 3, 3)
    )


def _c22(n: Numbers, *, printed: bool) -> float:
    l2, l3, l4, c4, c5, m4, m5 = (n[k] for k in ("l2", "l3", "l4", "c4", "c5", "m4", "m5"))
    v3, v4, v5 = n["v3"], n["v4"], n["v5"]
    inner = l4 * m5 + (l3 if printed else 1.0) * c4 * m4
    return (
        -(v3 + v4 + v5) * l2 * c5 * m5 * _sine(n, 3, 5)
        - v5 * l4 * c5 * m5 * _sine(n, 5, 5)
        - v3 * l2 * _beyond(n, 3) * _sine(n, 3, 3)
        - (v4 + v5) * l3 * c5 * m5 * _sine(n, 4, 5)
        - v4 * l3 * (l4 * m5 + c4 * m4) * _sine(n, 4, 4)
        - (v4 * l2 * (l4 * m5 + c4 * m4) + v3 * l2 * inner) * _sine(n, 3, 4)
    )


def _c4(n: Numbers, column: int, *, printed: bool) -> float:
    """(6.47), (6.48), (6.49): row 4, columns 1 to 3."""
    l1, l2, l3, l4, c4, c5, m4, m5 = (n[k] for k in ("l1", "l2", "l3", "l4", "c4", "c5", "m4", "m5"))
    v1, v2, v3, v5 = n["v1"], n["v2"], n["v3"], n["v5"]
    total = (v1 + v2 + v3) * l3 * c5 * m5 * _sine(n, 4, 5) - v5 * l4 * c5 * m5 * _sine(n, 5, 5)
    masses = l4 * m5 + c4 * m4
    if column == 3:
        return total + ((v1 + v3) if printed else (v1 + v2 + v3)) * l3 * masses * _sine(n, 4, 4)
    total += (v1 + v2) * l2 * c5 * m5 * _sine(n, 3, 5)
    if column == 1:
        total += v1 * l1 * (masses * _sine(n, 2, 4) + c5 * m5 * _sine(n, 2, 5))
        light = 2 * v1 if printed else v1 + v2 + v3  # q1' twice, q3' left out
        hip = (v1 + v2) * l2 * masses
    else:
        light = v1 + v2 if printed else v1 + v2 + v3  # q3' left out
        hip = (v1 + v2) * l2 * l4 * m5 + ((2 * v2) if printed else (v1 + v2)) * l2 * c4 * m4
    return total + hip * _sine(n, 3, 4) + (light * l3 * l4 * m5 + (v1 + v2 + v3) * l3 * c4 * m4) * _sine(n, 4, 4)


MISPRINTS = (
    Misprint("D13", "(6.8)", "l3 lc4 m4 must be doubled", lambda n: _d13(n, 1.0), lambda n: _d13(n, 2.0)),
    Misprint(
        "C21",
        "(6.37)",
        "the rate of q4 is missing in sin(q3+q4+q5); q3' l2 must be q5' l4 in sin q5",
        lambda n: _c21(n, printed=True),
        lambda n: _c21(n, printed=False),
    ),
    Misprint("C22", "(6.38)", "l3 lc4 must be lc4", lambda n: _c22(n, printed=True), lambda n: _c22(n, printed=False)),
    Misprint(
        "C41",
        "(6.47)",
        "the second q1' must be q2', q3' l3 l4 m5 is missing",
        lambda n: _c4(n, 1, printed=True),
        lambda n: _c4(n, 1, printed=False),
    ),
    Misprint(
        "C42",
        "(6.48)",
        "q2' must be q1' in l2 lc4 m4, q3' l3 l4 m5 is missing",
        lambda n: _c4(n, 2, printed=True),
        lambda n: _c4(n, 2, printed=False),
    ),
    Misprint("C43", "(6.49)", "q2' is missing", lambda n: _c4(n, 3, printed=True), lambda n: _c4(n, 3, printed=False)),
)

"""D, C and G of walkers against Lagrange's equations by sympy, and the thesis's appendix against both."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

from bifilar.papers.dolinsky_appendix import (
    MISPRINTS,
    appendix_coordinates,
    appendix_walker,
    generated,
    random_numbers,
)
from bifilar.walking.builtin import GRIZZLE, LEG, leg_description, walker_description
from bifilar.walking.coordinates import Coordinates
from bifilar.walking.walker import Walker

Link = tuple[list[tuple[int, float]], float, float, float]  # ways over other links, centre, mass, inertia


def lagrange(q, phi, links: list[Link], sign=1):
    """D, C by Christoffel, G: as functions of numbers. A link's centre is at sum of lengths along others plus its own."""
    v = sp.symbols(f"v1:{len(q) + 1}")
    d, potential = sp.zeros(len(q), len(q)), sp.Integer(0)
    for k, (ways, center, mass, inertia) in enumerate(links):
        x = sum((length * sp.sin(phi[j]) for j, length in ways), sp.Integer(0)) + center * sp.sin(phi[k])
        z = sum((length * sp.cos(phi[j]) for j, length in ways), sp.Integer(0)) + center * sp.cos(phi[k])
        jacobian, turn = sp.Matrix([x, z]).jacobian(q), sp.Matrix([phi[k]]).jacobian(q)
        d += mass * jacobian.T * jacobian + inertia * turn.T * turn
        potential += sign * 9.81 * mass * z
    slopes = [d.diff(each) for each in q]
    n = len(q)
    c = sp.zeros(n, n)
    for i in range(n):
        for j in range(n):
            c[i, j] = sum((slopes[k][i, j] + slopes[j][i, k] - slopes[i][j, k]) * v[k] for k in range(n)) / 2
    g = sp.Matrix([potential]).jacobian(q).T
    return sp.lambdify((q, v), (d, c, g), "numpy", cse=True)


def by_engine(walker: Walker, chosen: Coordinates, q, v):
    chain, robot = walker.coordinates("stance"), walker.pinned()
    turn = chain.inverse @ chosen.matrix
    own, rates = chain.values(chosen.angles(q)), turn @ v
    d, c = robot.mass_matrix(own), robot.coriolis_matrix(own, rates)
    return turn.T @ d @ turn, turn.T @ c @ turn, turn.T @ robot.gravity_torque(own)


def compare(function, walker, chosen, seeds=5):
    for seed in range(seeds):
        q, v = np.random.default_rng(seed).normal(size=(2, len(chosen)))
        d, c, g = function(q, v)
        ours = by_engine(walker, chosen, q, v)
        for theirs, mine in zip((d, c, np.ravel(g)), ours):
            assert np.allclose(theirs, mine, rtol=0, atol=1e-10)


def test_two_links_of_a_leg_that_hangs():
    q = sp.symbols("q1:3")
    one, two = LEG
    links = [([], one.center, one.mass, one.inertia), ([(0, one.length)], two.center, two.mass, two.inertia)]
    function = lagrange(q, (q[0], q[0] + q[1]), links, sign=-1)  # down: height counts the other way
    compare(function, Walker.build(leg_description(LEG)), Coordinates(("q1", "q2"), [[1, 0], [1, 1]]))


def test_three_links_with_the_swing_leg_at_the_hip():
    """(3.80) in the coordinates of section 3.4: stance leg absolute, swing leg and torso relative to it."""
    q = sp.symbols("q1:4")
    torso, (leg,) = GRIZZLE
    phi = (q[0], q[0] + q[1], q[0] + q[2])  # stance leg, swing leg from the hip down, torso
    links = [
        ([], leg.length - leg.center, leg.mass, leg.inertia),
        ([(0, leg.length)], leg.center, leg.mass, leg.inertia),
        ([(0, leg.length)], torso.center, torso.mass, torso.inertia),
    ]
    walker = Walker.build(walker_description(*GRIZZLE))  # our order: stance leg, torso, swing leg; a leg hangs at zero
    chosen = Coordinates(("q1", "q2", "q3"), [[1, 0, 0], [1, 0, 1], [1, 1, 0]], [0, 0, -np.pi])
    compare(lagrange(q, phi, links), walker, chosen)


def five(n, *, hip):
    q = sp.symbols("q1:6")
    phi = tuple(sum(q[: k + 1]) for k in range(5))
    ways: list[tuple[int, float]] = []
    links: list[Link] = []
    for k in range(1, 6):
        along = [way for way in ways if not (hip and way[0] == 2)]
        links.append((along, n[f"c{k}"], n[f"m{k}"], n[f"I{k}"]))
        ways.append((k - 1, n[f"l{k}"]))
    return lagrange(q, phi, links)


@pytest.mark.parametrize("hip", [True, False])
def test_five_links(hip):
    n = random_numbers(1)
    walker = appendix_walker(n, hip=hip)
    compare(five(n, hip=hip), walker, appendix_coordinates(walker), seeds=3)


def motion(n):
    return (np.array([n[f"{letter}{k}"] for k in range(1, 6)]) for letter in "qv")


@pytest.mark.parametrize("misprint", MISPRINTS, ids=lambda m: m.name)
def test_the_appendix_once_corrected_is_the_machine_with_its_leg_at_the_torso_s_end(misprint):
    for seed in range(3):
        n = random_numbers(seed)
        d, c, _ = generated(appendix_walker(n, hip=False), *motion(n))
        matrix, i, j = misprint.place
        value = (d if matrix == "D" else c)[i, j]
        assert misprint.corrected(n) == pytest.approx(value, abs=1e-10)
        assert abs(misprint.printed(n) - value) > 1e-4


def test_a_torso_of_no_length_puts_the_leg_back_to_the_hip():
    n = random_numbers(2)
    q, v = motion(n)
    wrong = generated(appendix_walker({**n, "l3": 0.0}, hip=False), q, v)
    right = generated(appendix_walker(n, hip=True), q, v)
    for one, other in zip(wrong, right):
        assert np.allclose(one, other, atol=1e-12)
    assert not np.allclose(generated(appendix_walker(n, hip=False), q, v)[0], right[0], atol=1e-3)
    again = generated(appendix_walker(n, hip=True), q, v)
    assert np.allclose(again[1] @ v, right[1] @ v)

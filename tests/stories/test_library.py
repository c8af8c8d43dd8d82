"""The robots that come with us: they load, they cite, they draw, and they are the machines that were published."""

from __future__ import annotations

import numpy as np
import pytest

from bifilar.dynamics import plain
from bifilar.errors import RobotError
from bifilar.robot import library
from bifilar.robot.assemble import assemble

NUMBER_OF_JOINTS = {
    "pendulum": 1,
    "two_link": 2,
    "puma560": 6,
    "wam": 7,
    "wam_libbarrett": 7,
    "kuka_lwr4": 7,
    "panda": 7,
    "ur10e": 6,
    "walker3": 5,
    "walker5": 7,
}
IMPOSSIBLE = {"puma560": {"link1", "link3"}}  # published so, see its note
DOWN = np.r_[np.zeros(6), 0.0, 0.0, 9.81][None]  # a root at rest


def torque(name: str, q, v=None, a=None) -> np.ndarray:
    description = library.load_description(name)
    parts = assemble(description)
    q = np.atleast_2d(np.asarray(q, dtype=float))
    v, a = (np.zeros_like(q) if x is None else np.atleast_2d(np.asarray(x, dtype=float)) for x in (v, a))
    return plain.inverse_dynamics(parts.tree, parts.fold(description.links), q, v, a, DOWN)[:, 6:]


def test_all_names_are_known():
    assert set(library.names()) == set(NUMBER_OF_JOINTS)


@pytest.mark.parametrize("name", NUMBER_OF_JOINTS)
def test_loads_cites_draws_and_could_exist(name):
    description = library.load_description(name)
    n = NUMBER_OF_JOINTS[name]
    moving = [joint for joint in description.joints if joint.moves]
    assert [joint.name for joint in moving] == [f"joint{i + 1}" for i in range(n)]
    assert [joint.child for joint in moving] == [f"link{i + 1}" for i in range(n)]
    assert description.links[0].name == "link0"
    assert len(library.citation(name)) > 60
    shapes = [shape for link in description.links for shape in link.shapes]
    assert len(shapes) >= len([link for link in description.links if link.inertia.mass > 0 and link.name != "link0"])
    assert all(shape.kind != "mesh" for shape in shapes)
    assert {link.name for link in description.links if not link.inertia.is_consistent} == IMPOSSIBLE.get(name, set())


def test_unknown_name_is_a_letter():
    with pytest.raises(RobotError) as error:
        library.load_description("pandas")
    assert error.value.likely == "a misspelling of 'panda'" and "kuka_lwr4" in error.value.remedy


def test_pendulum_is_a_rod():
    """tau = (m l^2 / 3 + m r^2 / 4) a + m g l / 2 sin q."""
    q, a = 0.7, 2.0
    expected = (1.0 * 0.5**2 / 3 + 1.0 * 0.01**2 / 4) * a + 9.81 * 0.25 * np.sin(q)
    assert torque("pendulum", [q], a=[a]) == pytest.approx(expected, rel=1e-12)


def test_two_link_is_the_textbook_arm():
    """Kelly, Santibanez and Loria's equations of the Pelican, angles from the downward vertical."""
    l1, lc1, lc2, m1, m2, i1, i2, g = 0.26, 0.0983, 0.0229, 6.5225, 2.0458, 0.1213, 0.0116, 9.81
    rng = np.random.default_rng(0)
    (q1, q2), (v1, v2), (a1, a2) = rng.normal(size=(3, 2))
    m11 = m1 * lc1**2 + m2 * (l1**2 + lc2**2 + 2 * l1 * lc2 * np.cos(q2)) + i1 + i2
    m12 = m2 * (lc2**2 + l1 * lc2 * np.cos(q2)) + i2
    c = m2 * l1 * lc2 * np.sin(q2)
    g1 = (m1 * lc1 + m2 * l1) * g * np.sin(q1) + m2 * lc2 * g * np.sin(q1 + q2)
    first = m11 * a1 + m12 * a2 - c * (2 * v1 * v2 + v2**2) + g1
    second = m12 * a1 + (m2 * lc2**2 + i2) * a2 + c * v1**2 + m2 * lc2 * g * np.sin(q1 + q2)
    assert torque("two_link", [q1, q2], [v1, v2], [a1, a2])[0] == pytest.approx([first, second], rel=1e-12)


def test_puma_gravity_is_that_of_the_paper():
    """Armstrong, Khatib and Burdick's printed constants of the gravity torque of joint 2."""
    g1, g2, g3, g4, g5 = -37.2, -8.44, 1.02, 0.249, -0.0282  # [N m]
    rng = np.random.default_rng(1)
    for q in rng.uniform(-np.pi, np.pi, size=(20, 6)):
        c23, s23, c4, c5, s5 = np.cos(q[1] + q[2]), np.sin(q[1] + q[2]), np.cos(q[3]), np.cos(q[4]), np.sin(q[4])
        printed = g1 * np.cos(q[1]) + g2 * s23 + g3 * np.sin(q[1]) + g4 * c23 + g5 * (s23 * c5 + c23 * c4 * s5)
        assert torque("puma560", q)[0, 1] == pytest.approx(printed, abs=0.06)


def test_panda_weighs_what_was_identified():
    description = library.load_description("panda")
    moving = [link.inertia.mass for link in description.links[1:]]
    assert sum(moving) == pytest.approx(16.062132, abs=1e-6)
    limits = {joint.name: joint.limits for joint in description.joints}
    assert (limits["joint1"].acceleration, limits["joint1"].jerk, limits["joint6"].effort) == (15.0, 7500.0, 12.0)


def test_lwr_weighs_what_the_data_sheet_says():
    assert sum(link.inertia.mass for link in library.load_description("kuka_lwr4").links) == pytest.approx(16.0)


def test_wam_sets_differ_in_the_wrist_only():
    one, two = (library.load_description(name) for name in ("wam", "wam_libbarrett"))
    same = [np.array_equal(a.inertia.vector, b.inertia.vector) for a, b in zip(one.links, two.links) if a.has_inertia]
    assert same == [True] * 4 + [False] * 4


@pytest.mark.parametrize(("name", "mass", "leg"), [("walker3", 1.1646 + 2 * 0.4192, 0.535), ("walker5", 20 + 2 * 10.0, 0.8)])
def test_walkers_stand_on_their_feet(name, mass, leg):
    """Upright and still, the hip must be held up by the whole weight and nothing else; the feet are a leg's length below it."""
    held = torque(name, np.zeros(NUMBER_OF_JOINTS[name]))[0]
    assert held[1] == pytest.approx(9.81 * mass, rel=1e-12)
    assert np.abs(np.delete(held, 1)).max() < 1e-12
    holder = {joint.child: joint for joint in library.load_description(name).joints}
    for foot in ("foot1", "foot2"):
        link, height = foot, 0.0
        while link in holder:
            link, height = holder[link].parent, height + holder[link].pose.translation[2]
        assert height == pytest.approx(-leg)

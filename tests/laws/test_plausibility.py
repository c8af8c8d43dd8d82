"""Bodies that exist raise no alarm; bodies that cannot exist always raise one, whatever is wrong with them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from bifilar.robot.description import Joint, Link, Pose, Shape
from bifilar.robot.inertia import Inertia
from bifilar.robot.plausibility import findings_of
from bifilar.robot.read_urdf import read_urdf
from bifilar.robot.urdf_fields import rotation_from_rpy
from bifilar.robot.urdf_shapes import half_extent

seeds = st.integers(0, 2**32 - 1)
CLAIMS = ("negative", "triangle", "ten numbers", "outer space", "yet there is inertia")  # that a body cannot exist


def link(inertia: Inertia, *shapes: Shape) -> Link:
    return Link("arm", inertia, shapes, has_inertia=True)


def alarms(inertia: Inertia) -> list[str]:
    return [f.what for f in findings_of([link(inertia)], []) if any(claim in f.what for claim in CLAIMS)]


def solid_box(rng: np.random.Generator) -> tuple[Inertia, Shape]:
    """A block of some metal, somewhere, turned somehow, and its outline."""
    sides, pose = rng.uniform(0.01, 1.0, 3), Pose(rotation_from_rpy(*rng.uniform(-3, 3, 3)), rng.normal(size=3))
    mass = rng.uniform(500, 10_000) * float(np.prod(sides))
    second = mass / 12 * np.diag(sides**2)
    body = Inertia.from_center_of_mass(mass, [0, 0, 0], np.trace(second) * np.eye(3) - second)
    return body.moved(pose.rotation, pose.translation), Shape("box", tuple(sides), pose)


@given(seeds)
def test_real_blocks_have_no_findings(seed):
    body, shape = solid_box(np.random.default_rng(seed))
    assert findings_of([link(body, shape)], []) == ()


@given(arrays(float, 10, elements=st.floats(-3, 3)))
def test_bodies_that_can_exist_raise_no_alarm(theta):
    assert alarms(Inertia.from_log_cholesky(theta)) == []


@given(arrays(float, 10, elements=st.floats(-10, 10)))
def test_an_inconsistent_body_always_raises_one(ten):
    body = Inertia.from_vector(ten)
    if not body.is_consistent:
        assert alarms(body)


@given(arrays(float, 10, elements=st.floats(-1e12, 1e12) | st.floats(-1e-300, 1e-300)))
def test_no_number_overflows(ten):
    with np.errstate(all="raise", under="ignore"):
        for finding in findings_of([link(Inertia.from_vector(ten), Shape("sphere", (1.0,)))], []):
            assert "nan" not in finding.what.split()


@given(seeds)
def test_the_alarm_does_not_depend_on_the_frame(seed):
    rng = np.random.default_rng(seed)
    flat = Inertia.from_center_of_mass(1.0, [0, 0, 0], np.diag([1.0, 1.0, rng.uniform(2.1, 5)]))
    moved = flat.moved(rotation_from_rpy(*rng.uniform(-3, 3, 3)), rng.normal(size=3))
    assert len(alarms(moved)) == 1 and "triangle inequality" in alarms(moved)[0]


@pytest.mark.parametrize(
    ("ten", "severity", "what"),
    [
        ([-1, 0, 0, 0, 1, 0, 1, 0, 0, 1], "error", "the mass is negative: -1 kg"),
        ([0, 0, 0, 0, 1, 0, 1, 0, 0, 2], "warning", "the mass is zero, yet there is inertia (largest moment 2 kg m^2)"),
        ([1, 0, 0, 0, 1, 0, 1, 0, 0, -1], "error", "a principal moment about the centre of mass is negative: -1, 1, 1 kg m^2"),
        (
            [1, 0, 0, 0, 0.1, 0, 0.1, 0, 0, 0.4],
            "warning",
            "the principal moments 0.1, 0.1, 0.4 kg m^2 violate the triangle inequality: 0.1 + 0.1 is 50 % short of 0.4",
        ),
        ([2, 0, 0, 0, 0, 0, 0, 0, 0, 0], "note", "2 kg without rotational inertia: a point"),
        ([2, 0, 0, 1, 0.5, 0, 0.5, 0, 0, 0], "note", "2 kg without rotational inertia: a point"),
        (
            [1, 0, 0, 0, 1e-5, 0, 1e-5, 0, 0, 1e-5],
            "warning",
            "1 kg with the inertia of a ball of 5 mm radius: denser than any metal (1.91e+06 kg/m^3)",
        ),
        (
            [1, 0, 0, 0, 1, 0, 1, 0, 0, 1],
            "warning",
            "1 kg with the inertia of a body of 3.16 x 3.16 x 3.16 m: lighter than air",
        ),
    ],
)
def test_sentences(ten, severity, what):
    (finding,) = findings_of([link(Inertia.from_vector(ten))], [])
    assert (finding.severity, finding.where, finding.what) == (severity, "link 'arm'", what)


def test_center_of_mass_outside_the_outline():
    body = Inertia.from_center_of_mass(1.0, [0, 0, 0.5], 1e-3 * np.diag([1.0, 1.0, 1.5]))
    inside, outside = Shape("capsule", (0.05, 1.0)), Shape("sphere", (0.1,))
    assert findings_of([link(body, inside)], []) == ()
    (finding,) = findings_of([link(body, outside)], [])
    assert finding.what == "the centre of mass (0 0 0.5) m lies 0.4 m outside the link's outline, 0.346 m across"
    assert findings_of([link(body, Shape("mesh", (1, 1, 1), mesh="a.stl"))], []) == ()
    mixed = (outside, Shape("mesh", (1, 1, 1), mesh="a.stl"))  # the sphere may be a knob on the mesh
    assert findings_of([link(body, *mixed)], []) == ()


@given(seeds)
def test_the_box_around_a_shape_holds_its_points(seed):
    rng = np.random.default_rng(seed)
    rotation = rotation_from_rpy(*rng.uniform(-3, 3, 3))
    radius, length = rng.uniform(0.1, 1, 2)
    angle = np.linspace(0, 2 * np.pi, 2001)
    rim = np.stack([radius * np.cos(angle), radius * np.sin(angle), np.full_like(angle, length / 2)])
    reach = np.abs(rotation @ rim).max(axis=1)
    assert np.allclose(half_extent(Shape("cylinder", (radius, length), Pose(rotation))), reach, atol=1e-5)
    assert np.all(half_extent(Shape("capsule", (radius, length), Pose(rotation))) >= reach - 1e-12)


def test_templates_are_recognised():
    same = Inertia.from_center_of_mass(1.0, [0, 0, 0.1], 0.01 * np.eye(3))
    links = [Link(name, same, has_inertia=True) for name in "abcd"]
    (finding,) = findings_of(links, [])
    assert finding.where == "links 'a', 'b', 'c', ..."
    assert finding.what == "4 links have the same 1 kg and 0.01 kg m^2 about every axis: placeholders?"


def test_moving_links_without_mass():
    heavy = Inertia.from_center_of_mass(1.0, [0, 0, 0], 1e-3 * np.diag([1.0, 1.0, 1.5]))
    chain = [Joint("j1", "revolute", "base", "a"), Joint("weld", "fixed", "a", "b"), Joint("j2", "revolute", "b", "c")]
    bare = [Link(name) for name in ("base", "a", "b", "c")]
    assert [f.where for f in findings_of(bare, chain)] == ["link 'a'", "link 'c'"]
    welded = [Link(n, heavy) if n == "b" else Link(n) for n in ("base", "a", "b", "c")]
    assert [f.where for f in findings_of(welded, chain)] == ["link 'c'"]  # a moves with b, which has mass
    tip = [Link(n, heavy) if n == "c" else Link(n) for n in ("base", "a", "b", "c")]
    assert [(f.severity, f.where) for f in findings_of(tip, chain)] == [("note", "link 'a'")]


@pytest.mark.parametrize(
    ("model", "violators"),
    [
        ("puma560/puma560_akb.urdf", {"l1"}),
        ("puma560/puma560_corke_stdDH.urdf", {"l1", "l3"}),
        ("tiago/tiago_48_schunk.urdf", {"arm_1_link"}),
        ("kuka_lwr4/kuka_lwr4_identified.urdf", {f"lwr_{i}_link" for i in range(1, 8)}),
        ("ur10e_mamedov/ur10e.urdf", set()),
        ("panda_gaz/panda.urdf", set()),
    ],
)
def test_published_models_load_and_are_judged(model, violators, dataset):
    robot = read_urdf(dataset(model))
    found = [f for f in findings_of(robot.links, robot.joints) if "triangle" in f.what]
    assert {f.where.split("'")[1] for f in found} == violators

"""Friction terms and drives: formulas against plain arithmetic, slopes against differences, power on both sides of a gear."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bifilar as bf

JOINTS = ("a", "b", "c")
WRIST = bf.Drivetrain(joints=("a", "b", "c"), motors=("m1", "m2", "m3"), matrix=[[2, 0, 0], [0, 45, 0], [0, 32, 32]])
ALL = (
    bf.Viscous(asymmetric=True)
    + bf.Coulomb(width=0.1)
    + bf.Coulomb(width=0.2, at="m3")
    + bf.Offset()
    + bf.Stribeck(speed=0.5, width=0.05)
    + bf.Stribeck(speed=0.7, width=0.3, at="m2", asymmetric=True)
    + bf.PowerLaw(exponent=0.6, width=0.1)
    + bf.LoadDependent(width=0.1)
    + bf.LoadDependent(width=0.1, at="m3", asymmetric=True)
    + bf.PositionDependent(width=0.2, harmonic=2)
    + bf.PositionDependent(width=0.2, at="m3", asymmetric=True)
    + bf.Viscous(at="a", driven_by="c")
    + bf.Coulomb(at="b", driven_by="m3", width=0.4)
    + bf.RotorInertia()
    + bf.RotorInertia(at="m3")
)


# Each term: its value by plain arithmetic at speed 0.3, acceleration 2, load -5 (one joint).
BY_HAND = [
    (bf.Viscous(), 0.3),
    (bf.Coulomb(), 1.0),
    (bf.Coulomb(width=0.4), 0.6),
    (bf.Offset(), 1.0),
    (bf.Stribeck(speed=0.3), np.exp(-1.0)),
    (bf.PowerLaw(exponent=2.0), 0.09),
    (bf.LoadDependent(), 5.0),
    (bf.LoadDependent(width=0.4), 3.0),
    (bf.RotorInertia(), 2.0),
]


@pytest.mark.parametrize(("term", "value"), BY_HAND, ids=lambda x: repr(x) if isinstance(x, bf.Friction) else None)
def test_a_term_is_its_formula(term, value):
    columns = term.columns(("a",)).columns
    assert columns.values(np.array([[0.3]]), np.array([[2.0]]), np.array([[-5.0]])) == pytest.approx(value)
    backward = columns.values(np.array([[-0.3]]), np.array([[2.0]]), np.array([[-5.0]]))
    even = isinstance(term, bf.Offset | bf.RotorInertia)
    assert backward == pytest.approx(value if even else -value)


@given(st.floats(-3, 3), st.sampled_from([0.0, 1e-9, 0.01, 0.5]))
def test_the_two_directions_of_an_asymmetric_term_add_up_to_the_symmetric_one(speed, width):
    v, a, load = np.array([[speed]]), np.zeros((1, 1)), np.array([[2.0]])
    for kind in (bf.Viscous, bf.Coulomb, bf.LoadDependent, bf.Offset):
        settings = {} if kind in (bf.Viscous, bf.Offset) else {"width": width}
        one = kind(**settings).columns(("a",)).columns.values(v, a, load)
        two = kind(**settings, asymmetric=True).columns(("a",)).columns.values(v, a, load)
        assert two.sum() == pytest.approx(one.item(), abs=1e-12)


def test_a_hard_asymmetric_term_keeps_one_direction():
    columns = bf.Coulomb(asymmetric=True).columns(("a",)).columns
    assert columns.values(np.array([[2.0], [-2.0]]), np.zeros((2, 1))).tolist() == [[1.0, 0.0], [0.0, -1.0]]


@given(st.integers(0, 10_000))
def test_both_sides_of_the_gears_have_the_same_power(seed):
    rng = np.random.default_rng(seed)
    speed, torque = rng.normal(size=(2, 50, 3))
    motor_speed, motor_torque = WRIST.motor_from_joint(speed), WRIST.motor_torque_from_joint(torque)
    np.testing.assert_allclose((motor_speed * motor_torque).sum(1), (speed * torque).sum(1), atol=1e-9)
    np.testing.assert_allclose(WRIST.joint_from_motor(motor_speed), speed, atol=1e-12)
    np.testing.assert_allclose(WRIST.joint_torque_from_motor(motor_torque), torque, atol=1e-12)


@given(st.integers(0, 10_000))
def test_friction_of_a_motor_loses_the_same_power_in_the_joints(seed):
    """Power that the joints lose = speed of the motor times its own friction torque, for one term at a coupled motor."""
    v = np.random.default_rng(seed).normal(size=(10, 3))
    for term in (bf.Viscous(at="m3"), bf.Coulomb(at="m3", width=0.1), bf.Coulomb(at="m3", asymmetric=True)):
        columns = term.columns(JOINTS, WRIST).columns
        values = columns.values(v, np.zeros_like(v))
        shaft = WRIST.motor_from_joint(v)[:, 2]
        np.testing.assert_allclose((v * (values @ columns.effect)).sum(1), shaft * values.sum(1), atol=1e-12)
        assert ((v * (values @ columns.effect)).sum(1) >= 0).all()  # friction only takes


def test_names_units_and_bounds_stand_beside_the_columns():
    made = ALL.columns(JOINTS, WRIST, sliding=("b",))
    assert len(made.names) == len(made.units) == len(made.lower_bounds) == made.columns.count == len(set(made.names))
    fact = {name: (unit, lower) for name, unit, lower in zip(made.names, made.units, made.lower_bounds, strict=True)}
    assert fact["a.viscous_forward"] == ("N m s/rad", 0.0)
    assert fact["b.viscous_backward"] == ("N s/m", 0.0)
    assert fact["a.viscous_by_c"] == ("N m s/rad", -np.inf)
    assert fact["b.coulomb_by_m3"] == ("N", -np.inf)
    assert fact["c.offset"] == ("N m", -np.inf)
    assert fact["m3.rotor_inertia"] == ("kg m^2", 0.0)
    assert fact["a.load"] == ("1", 0.0)


def test_adding_is_associative_and_keeps_the_order():
    a, b, c = bf.Viscous(), bf.Coulomb(), bf.Offset()
    assert (a + b) + c == a + (b + c) == bf.Friction((a, b, c))


REFUSED = [
    (lambda: (bf.Viscous() + bf.Viscous()).columns(("a",)), "the friction model has the column 'a.viscous' twice"),
    (lambda: (bf.Coulomb() + bf.Coulomb(at="b", width=0.1)).columns(("a", "b")), "has the column 'b.coulomb' twice"),
    (lambda: bf.Viscous(at="elbow").columns(("a",)), "Viscous names 'elbow', which is neither"),
    (lambda: bf.Viscous(driven_by="elbow").columns(("a",)), "Viscous names 'elbow', which is neither"),
    (lambda: bf.RotorInertia(asymmetric=True), "a rotor inertia belongs to one shaft"),
    (lambda: bf.RotorInertia(driven_by="a"), "a rotor inertia belongs to one shaft"),
    (lambda: bf.Stribeck(speed=0.0), r"Stribeck\(speed=0.0\) must be a finite positive number"),
    (lambda: bf.Stribeck(speed=np.nan), r"Stribeck\(speed=nan\)"),
    (lambda: bf.Coulomb(width=-1.0), r"Coulomb\(width=-1.0\)"),
    (lambda: bf.PowerLaw(exponent=-0.5), r"PowerLaw\(exponent=-0.5\)"),
    (lambda: bf.LoadDependent().columns(("a",)).columns.values(np.zeros((1, 1)), np.zeros((1, 1))), "needs the load torque"),
    (lambda: bf.Drivetrain(joints=("a",), motors=("m",), matrix=[[1, 2]]), "the drivetrain matrix is"),
    (lambda: bf.Drivetrain(joints=("a",), motors=("a",), matrix=[[1]]), "the name 'a' is used twice"),
    (lambda: bf.Drivetrain(joints=("a",), motors=("m",), matrix=[[0]]), "motor 'm' moves no joint"),
    (lambda: bf.Drivetrain(joints=("a",), motors=("m",), matrix=[[np.inf]]), "not finite"),
    (lambda: bf.Drivetrain(joints=("a", "b"), motors=("m",), matrix=[[1, 1]]).joint_from_motor([1.0]), "do not determine"),
    (lambda: WRIST.motor_from_joint([1.0, 2.0]), "the last axis must be 3"),
    (lambda: bf.Viscous(at="m1").columns(("a", "b"), WRIST), "the drivetrain names the joint 'c'"),
]


@pytest.mark.parametrize(("call", "letter"), REFUSED, ids=[letter for _, letter in REFUSED])
def test_nonsense_is_refused_with_a_letter(call, letter):
    with pytest.raises(bf.BifilarError, match=letter):
        call()

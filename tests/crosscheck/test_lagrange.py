"""Two small machines against Lagrange's equations, done by sympy from the geometry alone: no recursion, no screws.

    tau = d/dt (dL/dv) - dL/dq,   L = kinetic - potential energy

The Lagrangian is linear in mass, first moments and rotational inertia about the link's origin, so its derivative by one of them
gives that column of the regressor.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest

import bifilar as bf

sympy = pytest.importorskip("sympy")

Q, V, A = (sympy.symbols(f"{letter}1:3") for letter in "qva")
SAMPLES, GRAVITY = 100, 9.81


@dataclass(frozen=True)
class Equations:
    """Everything that follows from a Lagrangian, as functions of (q1, q2, v1, v2, a1, a2)."""

    lagrangian: sympy.Expr

    def rate(self, expression: sympy.Expr) -> sympy.Expr:
        """Total derivative by time."""
        return sum(expression.diff(q) * v + expression.diff(v) * a for q, v, a in zip(Q, V, A))

    @property
    def torque(self) -> sympy.Matrix:
        return sympy.Matrix([self.rate(self.lagrangian.diff(v)) - self.lagrangian.diff(q) for q, v in zip(Q, V)])

    @property
    def mass(self) -> sympy.Matrix:
        return self.torque.jacobian(A)

    @property
    def coriolis(self) -> sympy.Matrix:
        """By Christoffel's symbols."""
        m = self.mass

        def entry(i: int, j: int) -> sympy.Expr:
            terms = (m[i, j].diff(Q[k]) + m[i, k].diff(Q[j]) - m[j, k].diff(Q[i]) for k in range(2))
            return sum(term * V[k] for k, term in enumerate(terms)) / 2

        return sympy.Matrix(2, 2, entry)


def numbers(matrix: sympy.Matrix, q, v, a) -> np.ndarray:
    """A matrix of expressions at all samples."""
    function = sympy.lambdify([*Q, *V, *A], matrix.tolist(), "numpy")
    rows = function(*q.T, *v.T, *a.T)
    return np.array([[np.broadcast_to(entry, len(q)) for entry in row] for row in rows]).transpose(2, 0, 1)


def close(ours, theirs):
    assert ours.shape == theirs.shape
    assert np.abs(ours - theirs).max() <= 1e-10 * np.abs(theirs).max()


def planar_link(origin, angle, parameters) -> sympy.Expr:
    """Lagrangian of a link in a vertical plane: x to the right, y up; its first moments in its own axes."""
    mass, hx, hy, inertia = parameters
    first = sympy.Matrix([sympy.cos(angle) * hx - sympy.sin(angle) * hy, sympy.sin(angle) * hx + sympy.cos(angle) * hy])
    speed = origin.jacobian(Q) * sympy.Matrix(V)
    spin = sum(sympy.sympify(angle).diff(q) * v for q, v in zip(Q, V))
    kinetic = mass * speed.dot(speed) / 2 + spin * (speed[1] * first[0] - speed[0] * first[1]) + inertia * spin**2 / 2
    return kinetic - GRAVITY * (mass * origin[1] + first[1])


PARAMETERS = sympy.symbols("m1 hx1 hy1 i1 m2 hx2 hy2 i2")
# Kelly, Santibanez, Loria 2005, Table 5.1: masses, centres of mass, inertias about them; 0.26 m from shoulder to elbow.
PELICAN = (6.5225, 6.5225 * 0.0983, 0.0, 0.1213 + 6.5225 * 0.0983**2, 2.0458, 2.0458 * 0.0229, 0.0, 0.0116 + 2.0458 * 0.0229**2)


@cache
def arm() -> Equations:
    """Hanging down at zero, angles counter-clockwise."""
    down = Q[0] - sympy.pi / 2
    elbow = sympy.Matrix([sympy.cos(down), sympy.sin(down)]) * sympy.Rational(26, 100)
    upper = planar_link(sympy.zeros(2, 1), down, PARAMETERS[:4])
    return Equations(upper + planar_link(elbow, down + Q[1], PARAMETERS[4:]))


@cache
def known_arm() -> Equations:
    return Equations(arm().lagrangian.subs(dict(zip(PARAMETERS, PELICAN))))


def states():
    return np.random.default_rng(0).normal(size=(3, SAMPLES, 2)) * 2


def test_the_two_link_arm(engine):
    robot = bf.Robot.load("two_link")
    q, v, a = states()
    expected = numbers(known_arm().torque, q, v, a)[..., 0]
    close(robot.inverse_dynamics(q, v, a), expected)
    close(robot.mass_matrix(q), numbers(known_arm().mass, q, v, a))
    close(robot.coriolis_matrix(q, v), numbers(known_arm().coriolis, q, v, a))
    close(robot.gravity_torque(q), numbers(known_arm().torque, q, 0 * v, 0 * a)[..., 0])
    close(robot.forward_dynamics(q, v, expected), a)


def test_its_derivatives(engine):
    robot = bf.Robot.load("two_link")
    q, v, a = states()
    for ours, by in zip(robot.derivatives(q, v, a), (Q, V, A)):
        close(ours, numbers(known_arm().torque.jacobian(by), q, v, a))


def test_its_regressor(engine):
    """The columns that a plane knows; all others do nothing."""
    robot = bf.Robot.load("two_link")
    q, v, a = states()
    seen = [f"{link}.{word}" for link in ("link1", "link2") for word in ("mass", "mcx", "mcy", "Izz")]
    columns = [robot.column_names().index(name) for name in seen]
    y = robot.regressor(q, v, a)
    close(y[..., columns], numbers(arm().torque.jacobian(PARAMETERS), q, v, a))
    assert np.abs(np.delete(y, columns, axis=2)).max() < 1e-12


def test_a_pendulum_on_a_tilted_rail(engine):
    """A slide that climbs by 0.3 rad, and a rod that swings from it in the same plane."""
    rise, mass, rod, arm_length, inertia = 0.3, 2.0, 0.7, 0.4, 0.05
    rail = sympy.Matrix([sympy.cos(rise), sympy.sin(rise)]) * Q[0]
    trolley = planar_link(rail, 0 * Q[0], (mass, 0, 0, 0))
    swing = planar_link(rail, Q[1] - sympy.pi / 2, (rod, rod * arm_length, 0, inertia + rod * arm_length**2))
    tilt = np.array([[np.cos(rise), 0, -np.sin(rise)], [0, 1, 0], [np.sin(rise), 0, np.cos(rise)]])
    links = (
        bf.Link("ground"),
        bf.Link("trolley", bf.Inertia(mass, np.zeros(3), np.zeros((3, 3)))),
        bf.Link("rod", bf.Inertia.from_center_of_mass(rod, [0, 0, -arm_length], np.diag([inertia, inertia, 0]))),
    )
    joints = (
        bf.Joint("rail", "prismatic", "ground", "trolley", bf.Pose(tilt), axis=[1, 0, 0]),
        bf.Joint("pivot", "continuous", "trolley", "rod", bf.Pose(tilt.T), axis=[0, -1, 0]),
    )
    robot = bf.Robot.build(bf.Description("crane", links, joints))
    q, v, a = states()
    expected = Equations(trolley + swing)
    close(robot.inverse_dynamics(q, v, a), numbers(expected.torque, q, v, a)[..., 0])
    close(robot.mass_matrix(q), numbers(expected.mass, q, v, a))
    close(robot.coriolis_matrix(q, v), numbers(expected.coriolis, q, v, a))

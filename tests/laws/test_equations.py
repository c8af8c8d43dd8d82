"""Laws of mechanics that every engine must keep on every tree, with nothing to compare to but the laws themselves.

Rates along a motion are central differences with five points, error O(h^4): the state at time t is
q + v t + a t^2 / 2, v + a t, and the root's twist changes by its acceleration (in the root's own, turning axes).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import Machine, State, random_machine, random_state

from bifilar.dynamics import engine
from bifilar.dynamics.columns import Columns
from bifilar.dynamics.tree import Tree

STEP = 1e-3
POINTS, WEIGHTS = np.array([-2, -1, 1, 2]), np.array([1, -8, 8, -1]) / 12


@pytest.fixture(scope="module", params=engine.available())
def equations(request: pytest.FixtureRequest) -> ModuleType:
    return engine.load(request.param)


@st.composite
def machines(draw: st.DrawFn, floating: bool | None = None) -> tuple[Machine, State, np.random.Generator]:
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    machine = random_machine(
        rng,
        draw(st.integers(1, 8)),
        branches=draw(st.booleans()),
        prismatic=draw(st.sampled_from([0.0, 0.3, 1.0])),
        mimic=draw(st.booleans()),
        shuffled=draw(st.booleans()),
        floating=draw(st.booleans()) if floating is None else floating,
    )
    return machine, random_state(rng, machine.tree, 3, moving_root=draw(st.booleans())), rng


def rate(function: Callable[[float], np.ndarray]) -> np.ndarray:
    """Derivative at zero."""
    return sum(w * function(k * STEP) for k, w in zip(POINTS, WEIGHTS, strict=True)) / STEP


def assert_equal(a: np.ndarray, b: np.ndarray, relative: float) -> None:
    assert a.shape == b.shape
    assert np.abs(a - b).max(initial=0.0) <= relative * max(np.abs(b).max(initial=0.0), 1.0)


def twist_at(tree: Tree, s: State, t: float) -> np.ndarray:
    """Twist of the root in its own axes: classical acceleration - omega x v is what its components change by."""
    classical = s.root[:, 6:] + s.gravity_in_root(tree)
    components = np.hstack((classical - np.cross(s.root[:, :3], s.linear_velocity), s.root[:, 3:6]))
    return s.twist + t * components


def moved(s: State, t: float) -> tuple[np.ndarray, np.ndarray]:
    return s.q + s.v * t + 0.5 * s.a * t**2, s.v + s.a * t


@given(case=machines())
def test_regressor_times_any_parameters_is_inverse_dynamics(equations, case):
    machine, s, rng = case
    tree, phi = machine.tree, rng.normal(size=machine.phi.shape)  # bodies that cannot exist, too
    tau = equations.inverse_dynamics(tree, phi, s.q, s.v, s.a, s.root)
    both = equations.regressor(tree, s.q, s.v, s.a, s.root, "both", no_columns(tree), None, None)
    assert_equal(both @ phi.ravel(), tau, 1e-12)
    joints = equations.regressor(tree, s.q, s.v, s.a, s.root, "joints", no_columns(tree), None, None)
    assert_equal(joints @ phi[1:].ravel(), tau[:, 6:], 1e-12)
    base = equations.regressor(tree, s.q, s.v, s.a, s.root, "base", no_columns(tree), None, None)
    assert_equal(base @ phi.ravel(), tau[:, :6], 1e-12)


def no_columns(tree: Tree) -> Columns:
    return Columns.none(tree.n_coordinates)


@given(case=machines())
def test_power_in_is_the_rate_of_energy(equations, case):
    machine, s, _ = case
    tree, phi = machine.tree, machine.phi.ravel()
    gravity = s.gravity_in_root(tree)
    tau = equations.inverse_dynamics(tree, machine.phi, s.q, s.v, s.a, s.root)
    power = np.sum(tau * np.hstack((s.twist, s.v)), axis=1)

    def kinetic(t: float) -> np.ndarray:
        return equations.energy_regressor(tree, *moved(s, t), twist_at(tree, s, t), gravity)[0] @ phi

    momentum = equations.momentum_regressor(tree, s.q, s.v, s.twist) @ phi
    assert_equal(power, rate(kinetic) - np.sum(gravity * momentum[:, :3], axis=1), 1e-8)


@given(case=machines())
def test_potential_energy_falls_as_the_masses_fall(equations, case):
    machine, s, _ = case
    tree, phi = machine.tree, machine.phi.ravel()
    gravity, still = s.gravity_in_root(tree), np.zeros((1, 6))

    def potential(t: float) -> np.ndarray:
        return equations.energy_regressor(tree, *moved(s, t), still, gravity)[1] @ phi

    momentum = equations.momentum_regressor(tree, s.q, s.v, still) @ phi
    assert_equal(rate(potential), -np.sum(gravity * momentum[:, :3], axis=1), 1e-8)


@given(case=machines())
def test_kinetic_energy_is_the_mass_matrix_and_momentum_its_base_rows(equations, case):
    machine, s, _ = case
    tree, phi = machine.tree, machine.phi.ravel()
    speed = np.hstack((s.twist, s.v))
    matrix = equations.mass_matrix(tree, machine.phi, s.q)
    kinetic = equations.energy_regressor(tree, s.q, s.v, s.twist, np.zeros((1, 3)))[0] @ phi
    assert_equal(kinetic, 0.5 * np.einsum("si,sij,sj->s", speed, matrix, speed), 1e-12)
    momentum = equations.momentum_regressor(tree, s.q, s.v, s.twist) @ phi
    assert_equal(momentum, np.einsum("sij,sj->si", matrix, speed)[:, :6], 1e-12)


@given(case=machines())
def test_wrench_is_the_rate_of_momentum(equations, case):
    machine, s, _ = case
    tree, phi = machine.tree, machine.phi.ravel()
    gravity, omega = s.gravity_in_root(tree), s.root[:, :3]

    def momentum(t: float) -> np.ndarray:
        return equations.momentum_regressor(tree, *moved(s, t), twist_at(tree, s, t)) @ phi

    h, dh = momentum(0.0), rate(momentum)
    linear = dh[:, :3] + np.cross(omega, h[:, :3])  # the root's axes turn
    angular = dh[:, 3:] + np.cross(omega, h[:, 3:]) + np.cross(s.linear_velocity, h[:, :3])  # and its origin moves
    pull = [equations.energy_regressor(tree, s.q, s.v, np.zeros((1, 6)), -g[None])[1] @ phi for g in np.eye(3)]
    weight = np.cross(np.stack(pull, axis=1), gravity)
    mass = machine.phi[:, 0].sum()
    wrench = equations.inverse_dynamics(tree, machine.phi, s.q, s.v, s.a, s.root)[:, :6]
    assert_equal(wrench, np.hstack((linear - mass * gravity, angular - weight)), 1e-8)


@given(case=machines())
def test_mass_matrix_is_symmetric_and_positive(equations, case):
    machine, s, _ = case
    matrix = equations.mass_matrix(machine.tree, machine.phi, s.q)
    assert_equal(matrix, matrix.swapaxes(1, 2), 1e-14)
    assert np.linalg.eigvalsh(matrix).min() > 0


@given(case=machines())
def test_inverse_dynamics_are_affine_in_acceleration(equations, case):
    machine, s, _ = case
    tree, phi = machine.tree, machine.phi
    still = np.hstack((s.root[:, :3], np.zeros((len(s.q), 6))))
    bias = equations.inverse_dynamics(tree, phi, s.q, s.v, 0 * s.a, still)
    acceleration = np.hstack((s.root[:, 6:], s.root[:, 3:6], s.a))
    tau = equations.inverse_dynamics(tree, phi, s.q, s.v, s.a, s.root)
    assert_equal(tau, bias + np.einsum("sij,sj->si", equations.mass_matrix(tree, phi, s.q), acceleration), 1e-12)


@given(case=machines())
def test_coriolis_matrix_is_christoffels(equations, case):
    machine, s, _ = case
    tree, phi = machine.tree, machine.phi
    c = equations.coriolis_matrix(tree, phi, s.q, s.v, s.root)
    still = np.hstack((s.root[:, :3], np.zeros((len(s.q), 6))))
    speed = np.hstack((0 * s.linear_velocity, s.root[:, :3], s.v))
    bias = equations.inverse_dynamics(tree, phi, s.q, s.v, 0 * s.a, still)
    assert_equal(np.einsum("sij,sj->si", c, speed), bias, 1e-12)
    growth = rate(lambda t: equations.mass_matrix(tree, phi, s.q + t * s.v))
    assert_equal(c + c.swapaxes(1, 2), growth, 1e-8)
    joint = christoffel(equations, tree, phi, s.q, s.v)
    still_root = equations.coriolis_matrix(tree, phi, s.q, s.v, np.zeros((1, 9)))[:, 6:, 6:]
    assert_equal(still_root, joint, 1e-8)


def christoffel(equations: ModuleType, tree: Tree, phi: np.ndarray, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """sum_k (dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i) v_k / 2 of the joint block."""
    slopes = [rate(lambda t, u=unit: equations.mass_matrix(tree, phi, q + t * u)[:, 6:, 6:]) for unit in np.eye(q.shape[1])]
    slope = np.stack(slopes, axis=-1)
    return 0.5 * np.einsum("sijk,sk->sij", slope + slope.swapaxes(2, 3) - slope.transpose(0, 3, 2, 1), v)


@given(case=machines())
def test_forward_of_inverse_is_the_acceleration(equations, case):
    machine, s, rng = case
    tree, phi, n = machine.tree, machine.phi, machine.tree.n_coordinates
    rotor = np.diag(rng.uniform(0, 1, n))
    tau = equations.inverse_dynamics(tree, phi, s.q, s.v, s.a, s.root)
    tau[:, 6:] += s.a @ rotor
    first = 0 if tree.floating else 6
    back = equations.forward_dynamics(tree, phi, rotor, s.q, s.v, np.ascontiguousarray(tau[:, first:]), s.root)
    assert_equal(back, np.hstack((s.root[:, 6:], s.root[:, 3:6], s.a))[:, first:], 1e-9)


@given(case=machines())
def test_permuting_the_coordinates_permutes_the_results(equations, case):
    machine, s, rng = case
    tree, phi, n = machine.tree, machine.phi, machine.tree.n_coordinates
    order = rng.permutation(n)  # new coordinate k is the old coordinate order[k]
    other = replace(tree, coordinate=np.argsort(order)[tree.coordinate])
    q, v, a = (np.ascontiguousarray(x[:, order]) for x in (s.q, s.v, s.a))
    rows = np.r_[0:6, 6 + order]
    tau = equations.inverse_dynamics(tree, phi, s.q, s.v, s.a, s.root)
    assert_equal(equations.inverse_dynamics(other, phi, q, v, a, s.root), tau[:, rows], 1e-13)
    matrix = equations.mass_matrix(tree, phi, s.q)
    assert_equal(equations.mass_matrix(other, phi, q), matrix[:, rows][:, :, rows], 1e-13)
    c = equations.coriolis_matrix(tree, phi, s.q, s.v, s.root)
    assert_equal(equations.coriolis_matrix(other, phi, q, v, s.root), c[:, rows][:, :, rows], 1e-13)
    y = equations.regressor(tree, s.q, s.v, s.a, s.root, "both", no_columns(tree), None, None)
    assert_equal(equations.regressor(other, q, v, a, s.root, "both", no_columns(tree), None, None), y[:, rows], 1e-13)


@given(case=machines())
def test_derivatives_are_those_of_inverse_dynamics(equations, case):
    machine, s, _ = case
    tree, phi, n = machine.tree, machine.phi, machine.tree.n_coordinates
    by_position, by_speed = equations.derivatives(tree, phi, s.q, s.v, s.a, s.root)
    for k, unit in enumerate(np.eye(n)):
        slope = rate(lambda t, u=unit: equations.inverse_dynamics(tree, phi, s.q + t * u, s.v, s.a, s.root))
        assert_equal(by_position[..., k], slope, 1e-7)
        slope = rate(lambda t, u=unit: equations.inverse_dynamics(tree, phi, s.q, s.v + t * u, s.a, s.root))
        assert_equal(by_speed[..., k], slope, 1e-9)


@given(case=machines())
def test_products_with_the_derivatives_from_either_side(equations, case):
    machine, s, rng = case
    tree, phi = machine.tree, machine.phi
    by_q, by_v = equations.derivatives(tree, phi, s.q, s.v, s.a, s.root)
    by_a = equations.mass_matrix(tree, phi, s.q)[..., 6:]
    dq, dv, da = rng.normal(size=(3, *s.q.shape))
    weight = rng.normal(size=(len(s.q), 6 + tree.n_coordinates))
    forward = equations.tangent(tree, phi, s.q, s.v, s.a, s.root, dq, dv, da)
    expected = sum(np.einsum("sij,sj->si", m, d) for m, d in ((by_q, dq), (by_v, dv), (by_a, da)))
    assert_equal(forward, expected, 1e-11)
    for gradient, matrix in zip(equations.adjoint(tree, phi, s.q, s.v, s.a, s.root, weight), (by_q, by_v, by_a), strict=True):
        assert_equal(gradient, np.einsum("si,sij->sj", weight, matrix), 1e-11)


@given(case=machines())
def test_jacobian_is_the_rate_of_the_pose_and_gives_a_point_mass_its_mass_matrix(equations, case):
    machine, s, rng = case
    tree, body, point = machine.tree, int(rng.integers(machine.tree.n_joints + 1)), rng.normal(size=3)
    jacobian = equations.jacobian(tree, s.q, body, point)

    def place(t: float) -> np.ndarray:
        rotation, translation = equations.poses(tree, s.q + t * s.v)
        return translation[:, body] + rotation[:, body] @ point

    assert_equal(np.einsum("sij,sj->si", jacobian[:, :3, 6:], s.v), rate(place), 1e-8)
    rotation = equations.poses(tree, s.q)[0][:, body]
    spin = rate(lambda t: equations.poses(tree, s.q + t * s.v)[0][:, body]) @ rotation.swapaxes(1, 2)
    angular = np.stack((spin[:, 2, 1], spin[:, 0, 2], spin[:, 1, 0]), axis=1)
    assert_equal(np.einsum("sij,sj->si", jacobian[:, 3:, 6:], s.v), angular, 1e-8)
    mass = np.zeros_like(machine.phi)
    mass[body] = np.r_[1.0, point, (point @ point * np.eye(3) - np.outer(point, point))[[0, 0, 1, 0, 1, 2], [0, 1, 1, 2, 2, 2]]]
    linear = jacobian[:, :3]
    assert_equal(equations.mass_matrix(tree, mass, s.q), linear.swapaxes(1, 2) @ linear, 1e-12)


@given(case=machines())
def test_one_root_for_all_samples_is_the_same_root_for_each(equations, case):
    machine, s, _ = case
    tree, phi = machine.tree, machine.phi
    one, each = s.root[:1].copy(), np.repeat(s.root[:1], len(s.q), axis=0)
    same = equations.inverse_dynamics(tree, phi, s.q, s.v, s.a, one)
    assert_equal(same, equations.inverse_dynamics(tree, phi, s.q, s.v, s.a, each), 1e-15)
    for ours, theirs in zip(
        equations.derivatives(tree, phi, s.q, s.v, s.a, one), equations.derivatives(tree, phi, s.q, s.v, s.a, each), strict=True
    ):
        assert_equal(ours, theirs, 1e-15)

"""The NumPy engine against Pinocchio on random trees: branches, slides, mimic joints, shuffled coordinates, a moving root."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("pinocchio")

from oracles import KINDS, Machine, Pinocchio, State, random_machine, random_state

from bifilar.dynamics import engine, plain
from bifilar.dynamics.columns import Columns
from bifilar.dynamics.friction_laws import LAWS
from bifilar.dynamics.plain_motion import batches
from bifilar.dynamics.tree import Tree
from bifilar.errors import BifilarError, ShapeError, SolveError

CASES = KINDS | {"slides": {"joints": 5, "branches": False, "prismatic": 1.0}}


@pytest.fixture(params=[(name, seed) for name in CASES for seed in range(3)], ids=lambda p: f"{p[0]}-{p[1]}")
def pair(request: pytest.FixtureRequest) -> tuple[Machine, State, Pinocchio]:
    name, seed = request.param
    rng = np.random.default_rng([seed, len(name)])
    machine = random_machine(rng, **CASES[name])
    return machine, random_state(rng, machine.tree, 4, moving_root=seed > 0), Pinocchio(machine)


def assert_close(ours: np.ndarray, theirs: np.ndarray, relative: float = 1e-12) -> None:
    """Relative to the largest entry of the array; an array of zeros is compared absolutely."""
    assert ours.shape == theirs.shape
    if theirs.size:
        assert np.abs(ours - theirs).max() <= relative * max(np.abs(theirs).max(), 1.0)


def test_poses_and_jacobian(pair):
    machine, state, twin = pair
    for ours, theirs in zip(plain.poses(machine.tree, state.q), twin.poses(state), strict=True):
        assert_close(ours, theirs)
    point = np.array([0.3, -0.2, 0.7])
    for body in {0, machine.tree.n_joints // 2, machine.tree.n_joints}:
        assert_close(plain.jacobian(machine.tree, state.q, body, point), twin.jacobian(state, body, point))


def test_inverse_dynamics(pair):
    machine, s, twin = pair
    assert_close(plain.inverse_dynamics(machine.tree, machine.phi, s.q, s.v, s.a, s.root), twin.inverse_dynamics(s))


def test_mass_and_coriolis_matrix(pair):
    machine, s, twin = pair
    assert_close(plain.mass_matrix(machine.tree, machine.phi, s.q), twin.mass_matrix(s))
    assert_close(plain.coriolis_matrix(machine.tree, machine.phi, s.q, s.v, s.root), twin.coriolis_matrix(s))


def test_derivatives(pair):
    machine, s, twin = pair
    for ours, theirs in zip(
        plain.derivatives(machine.tree, machine.phi, s.q, s.v, s.a, s.root), twin.derivatives(s), strict=True
    ):
        assert_close(ours, theirs)


def test_regressors(pair):
    machine, s, twin = pair
    theirs = twin.regressor(s)
    assert_close(plain.regressor(machine.tree, s.q, s.v, s.a, s.root, "both"), theirs)
    assert_close(plain.regressor(machine.tree, s.q, s.v, s.a, s.root, "base"), theirs[:, :6])
    assert_close(plain.regressor(machine.tree, s.q, s.v, s.a, s.root, "joints"), theirs[:, 6:, 10:])


def test_momentum_and_energy(pair):
    machine, s, twin = pair
    assert_close(plain.momentum_regressor(machine.tree, s.q, s.v, s.twist) @ machine.phi.ravel(), twin.momentum(s))
    gravity = s.gravity_in_root(machine.tree)
    for ours, theirs in zip(
        plain.energy_regressor(machine.tree, s.q, s.v, s.twist, gravity), twin.energy_regressors(s), strict=True
    ):
        assert_close(ours, theirs)


@pytest.mark.parametrize("seed", range(5))
def test_forward_dynamics_of_a_floating_machine(seed):
    rng = np.random.default_rng(seed)
    machine = random_machine(rng, 6, mimic=False, floating=True)
    state = random_state(rng, machine.tree)
    tau = rng.normal(size=(4, 12))
    ours = plain.forward_dynamics(machine.tree, machine.phi, np.zeros((6, 6)), state.q, state.v, tau, state.root)
    assert_close(ours, Pinocchio(machine).forward_dynamics(state, tau), 1e-10)


def all_columns(coordinates: int, rng: np.random.Generator) -> Columns:
    m = len(LAWS)
    drive, effect = rng.normal(size=(2, m, coordinates))
    return Columns(LAWS, drive, effect, np.full(m, 0.1), np.array([0, 1, 0, -1, 0, 0, 0, -1.0]), np.full((m, 4), 0.7))


def test_drive_columns_stand_beside_the_inertial_ones():
    rng = np.random.default_rng(3)
    tree = random_machine(rng, 5).tree
    s = random_state(rng, tree, 6)
    columns, load = all_columns(tree.n_coordinates, rng), rng.normal(size=s.q.shape)
    both = plain.regressor(tree, s.q, s.v, s.a, s.root, "both", columns, load)
    assert np.array_equal(both[..., :-8], plain.regressor(tree, s.q, s.v, s.a, s.root, "both"))
    assert not both[:, :6, -8:].any()
    expected = np.einsum("sm,mr->srm", columns.values(s.v, s.a, load, s.q), columns.effect)
    assert_close(both[:, 6:, -8:], expected)
    out = np.full((6, tree.n_coordinates, 58), np.nan)
    assert plain.regressor(tree, s.q, s.v, s.a, s.root, "joints", columns, load, out) is out
    assert_close(out, np.delete(both[:, 6:], np.s_[:10], axis=2))
    assert not plain.regressor(tree, s.q, s.v, s.a, s.root, "base", columns, load)[..., -8:].any()


def test_many_samples_are_each_like_one():
    rng = np.random.default_rng(4)
    machine = random_machine(rng, 3)
    tree, phi = machine.tree, machine.phi
    first = next(batches(tree, 10**6)).stop
    s = random_state(rng, tree, 2 * first + 3)
    for pick in (np.s_[:1], np.s_[first - 1 : first + 2], np.s_[-1:]):
        q, v, a, root = s.q[pick], s.v[pick], s.a[pick], s.root[pick]
        for name, all_samples, some in (
            ("inverse_dynamics", (phi, s.q, s.v, s.a, s.root), (phi, q, v, a, root)),
            ("mass_matrix", (phi, s.q), (phi, q)),
            ("coriolis_matrix", (phi, s.q, s.v, s.root), (phi, q, v, root)),
            ("regressor", (s.q, s.v, s.a, s.root), (q, v, a, root)),
        ):
            function = getattr(plain, name)
            assert_close(function(tree, *all_samples)[pick], function(tree, *some), 1e-14)


@pytest.mark.parametrize("joints", [0, 3])
def test_no_samples_and_no_joints_give_empty_arrays(joints):
    rng = np.random.default_rng(5)
    machine = random_machine(rng, joints, mimic=False)
    tree, phi, n = machine.tree, machine.phi, joints
    none, root = np.zeros((0, n)), np.zeros((1, 9))
    assert plain.inverse_dynamics(tree, phi, none, none, none, root).shape == (0, 6 + n)
    assert plain.mass_matrix(tree, phi, none).shape == (0, 6 + n, 6 + n)
    assert plain.coriolis_matrix(tree, phi, none, none, root).shape == (0, 6 + n, 6 + n)
    assert [d.shape for d in plain.derivatives(tree, phi, none, none, none, root)] == [(0, 6 + n, n)] * 2
    assert plain.tangent(tree, phi, none, none, none, root, none, none, none).shape == (0, 6 + n)
    assert plain.adjoint(tree, phi, none, none, none, root, np.zeros((0, 6 + n)))[2].shape == (0, n)
    assert plain.forward_dynamics(tree, phi, np.zeros((n, n)), none, none, none, root).shape == (0, n)
    assert plain.regressor(tree, none, none, none, root, "joints").shape == (0, n, 10 * n)
    assert plain.momentum_regressor(tree, none, none, np.zeros((1, 6))).shape == (0, 6, 10 * (n + 1))
    assert plain.energy_regressor(tree, none, none, np.zeros((1, 6)), np.zeros((1, 3)))[1].shape == (0, 10 * (n + 1))
    assert plain.poses(tree, none)[0].shape == (0, n + 1, 3, 3)
    assert plain.regressor(tree, np.zeros((2, n)), np.zeros((2, n)), np.zeros((2, n)), root).shape == (2, n, 10 * n)


def test_wrong_asks_are_answered_in_words():
    tree = Tree([0], [False], [np.eye(3)], [[0, 0, 0]], [[0, 1, 0]])
    zero, root = np.zeros((1, 1)), np.zeros((1, 9))
    with pytest.raises(ShapeError, match="no rows 'all'"):
        plain.regressor(tree, zero, zero, zero, root, "all")
    with pytest.raises(ShapeError, match="buffer"):
        plain.regressor(tree, zero, zero, zero, root, "joints", out=np.zeros((1, 1, 9)))
    with pytest.raises(SolveError, match="singular"):
        plain.forward_dynamics(tree, np.zeros((2, 10)), np.zeros((1, 1)), zero, zero, zero, root)


def test_the_environment_chooses_the_engine(monkeypatch):
    engine.current.cache_clear()
    monkeypatch.setenv("BIFILAR_ENGINE", "numpy")
    assert engine.current() is plain
    engine.current.cache_clear()
    monkeypatch.setenv("BIFILAR_ENGINE", "fortran")
    with pytest.raises(BifilarError, match="no engine 'fortran'"):
        engine.current()
    monkeypatch.delenv("BIFILAR_ENGINE")
    engine.current.cache_clear()

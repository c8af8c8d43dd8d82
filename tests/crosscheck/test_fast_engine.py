"""The numba engine against the NumPy engine: every function, whole and broken blocks of samples, every kind of column.

A few samples go through kernels compiled for one lane, more through blocks of 32, many through several threads; the numbers
must not depend on it. Inputs are read-only throughout, so a kernel that writes into them fails.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

pytest.importorskip("numba")

from oracles import KINDS, Machine, random_machine, random_state

from bifilar.dynamics import fast, plain
from bifilar.dynamics.columns import Columns
from bifilar.dynamics.friction_laws import LAWS
from bifilar.dynamics.parallel import threads
from bifilar.dynamics.tree import Tree
from bifilar.dynamics.workspace import BLOCK, GRAIN, SHORT

MACHINES = KINDS | {
    "slides": {"joints": 4, "branches": False, "prismatic": 1.0},
    "followers in a chain": {"joints": 5, "branches": False},
    "no joints": {"joints": 0},
}
SAMPLES = [0, 1, 8, 9, 32, 33, 100]


def read_only(*arrays: np.ndarray) -> list[np.ndarray]:
    """C-contiguous copies that cannot be written."""
    copies = [np.array(array, dtype=float, order="C") for array in arrays]
    for copy in copies:
        copy.flags.writeable = False
    return copies


def all_columns(rng: np.random.Generator, coordinates: int) -> Columns:
    """Every kind, for both directions, forwards, backwards, with soft and with hard sign; drives that mix coordinates.

    Only a rotor knows no direction (its term refuses to be asymmetric).
    """
    sides, widths = (0.0, 1.0, -1.0), (0.0, 0.1)
    cases = [(law, side, width) for law in LAWS for side in sides for width in widths if not law.is_inertia or side == 0]
    laws, side, width = zip(*cases, strict=True)
    m = len(laws)
    mixing = rng.random((2, m, coordinates)) < 0.6
    drive, effect = rng.normal(size=(2, m, coordinates)) * mixing
    return Columns(laws, drive, effect, np.array(width), np.array(side), rng.uniform(0.3, 2, (m, 4)))


def questions(machine: Machine, samples: int, *, moving: bool = True, seed: int = 0) -> list[tuple]:
    """All fourteen functions with their arguments, read-only; a moving root is (samples, 9), a resting one (1, 9)."""
    rng = np.random.default_rng([seed, samples])
    tree, n = machine.tree, machine.tree.n_coordinates
    s = random_state(rng, tree, max(samples, 1), moving_root=moving)
    rows = max(samples, 1) if moving else 1
    q, v, a, phi = read_only(s.q[:samples], s.v[:samples], s.a[:samples], machine.phi)
    root, twist, down = read_only(s.root[:rows], s.twist[:rows], s.gravity_in_root(tree)[:rows])
    if moving:
        root, twist, down = root[:samples], twist[:samples], down[:samples]
    dq, dv, da, load = read_only(*rng.normal(size=(4, samples, n)))
    weight, tau = read_only(rng.normal(size=(samples, 6 + n)), rng.normal(size=(samples, n + 6 * tree.floating)))
    extra, point = read_only(np.diag(rng.uniform(0, 0.3, n)), rng.normal(size=3))
    columns = all_columns(rng, n)
    state = (q, v, a, root)
    pulls = {"joints": np.ascontiguousarray(weight[:, 6:]), "base": np.ascontiguousarray(weight[:, :6]), "both": weight}
    sizes = {"joints": (n, 0), "base": (6, 10), "both": (6 + n, 10)}
    if tree.n_joints > 9 or samples not in (1, 2, 9, 33):  # the NumPy engine goes column by column
        sizes = {}
    entries = {r: rng.normal(size=(samples, height, 10 * tree.n_joints + root)) for r, (height, root) in sizes.items()}
    return [
        ("poses", tree, q),
        *(("jacobian", tree, q, body, point) for body in sorted({0, (tree.n_joints + 1) // 2, tree.n_joints})),
        ("inverse_dynamics", tree, phi, *state),
        ("tangent", tree, phi, *state, dq, dv, da),
        ("adjoint", tree, phi, *state, weight),
        ("mass_matrix", tree, phi, q),
        ("coriolis_matrix", tree, phi, q, v, root),
        ("derivatives", tree, phi, *state),
        ("forward_dynamics", tree, phi, extra, q, v, tau, root),
        *(("regressor", tree, *state, r, columns, load) for r in ("joints", "base", "both")),
        *(("regressor", tree, *state, r, Columns.none(n), None) for r in ("joints", "base", "both")),
        *(("parameter_gradient", tree, *state, r, columns, load, w) for r, w in pulls.items()),
        *(("regressor_adjoint", tree, *state, r, pull) for r, pull in entries.items()),
        ("momentum_regressor", tree, q, v, twist),
        ("energy_regressor", tree, q, v, twist, down),
    ]


def answers(module, name: str, *arguments) -> list[np.ndarray]:
    """What the engine returns, always as a list."""
    result = getattr(module, name)(*arguments)
    if name == "regressor_adjoint":  # one gradient; its part by position alone may be all rounding
        result = np.array(result)
    return list(result) if isinstance(result, tuple) else [result]


def assert_alike(question: tuple, tolerance: float = 1e-12) -> None:
    """Relative to the largest number of the answer."""
    for ours, theirs in zip(answers(fast, *question), answers(plain, *question), strict=True):
        assert ours.shape == theirs.shape and ours.dtype == np.float64, question[0]
        if theirs.size:
            assert np.abs(ours - theirs).max() <= tolerance * max(np.abs(theirs).max(), 1e-3), question[0]


def machine_of(name: str, seed: int = 0) -> Machine:
    return random_machine(np.random.default_rng([seed, len(name)]), **MACHINES[name])


def test_all_functions_are_asked():
    asked = {question[0] for question in questions(machine_of("arm"), 2)}
    assert asked == set(plain.__all__) and len(asked) == 14
    assert SHORT in SAMPLES and SHORT + 1 in SAMPLES and BLOCK in SAMPLES and BLOCK + 1 in SAMPLES


@pytest.mark.parametrize("moving", [True, False], ids=["moving root", "resting root"])
@pytest.mark.parametrize("name", MACHINES)
def test_every_function_for_any_number_of_samples(name, moving):
    machine = machine_of(name)
    for samples in SAMPLES if moving else (1, SHORT + 1, BLOCK + 1):  # a root that rests is a special case of one that moves
        for question in questions(machine, samples, moving=moving):
            assert_alike(question)


@pytest.mark.parametrize("seed", range(12))
def test_random_trees(seed):
    """Joints that follow others on the same branch or on another, anywhere in the tree."""
    rng = np.random.default_rng(seed)
    machine = random_machine(rng, int(rng.integers(2, 13)), floating=bool(seed % 2), branches=seed % 3 > 0)
    for samples in (1, 40):
        for question in questions(machine, samples, seed=seed):
            assert_alike(question)


@pytest.mark.parametrize("name", ["followers", "floating"])
def test_two_threads_say_what_one_says(name):
    many = 2 * GRAIN + 700  # a last block that is not whole
    machine = machine_of(name)
    for question in questions(machine, many):
        with threads(1):
            alone = answers(fast, *question)
        with threads(2):
            together = answers(fast, *question)
            again = answers(fast, *question)
        assert all(np.array_equal(x, y) for x, y in zip(together, again, strict=True)), question[0]
        if question[0] != "parameter_gradient":  # a sum over samples: its last digits depend on where it is cut
            assert all(np.array_equal(x, y) for x, y in zip(alone, together, strict=True)), question[0]
        assert_alike(question)


def test_callers_in_several_threads_do_not_disturb_each_other():
    """Scratch belongs to a thread: the same tree, asked different things at the same time."""
    machine = machine_of("tree")
    asked = [question for seed in range(4) for question in questions(machine, 33, seed=seed)]
    expected = [answers(fast, *question) for question in asked]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda question: answers(fast, *question), asked))
    assert all(np.array_equal(x, y) for f, e in zip(found, expected, strict=True) for x, y in zip(f, e, strict=True))


def test_what_was_computed_before_leaves_no_trace():
    """Scratch is kept between calls: after large numbers and a failed factorisation the answers are the same bits."""
    machine = machine_of("floating")
    for samples in (5, 40):
        asked = questions(machine, samples)
        before = [answers(fast, *question) for question in asked]
        hostile = Machine(machine.tree, -1e200 * machine.phi)
        for question in questions(hostile, samples, seed=1):
            if question[0] != "forward_dynamics":
                answers(fast, *question)
        negative = Machine(machine.tree, -machine.phi)  # not positive definite: Cholesky's square roots have no value
        assert_alike(next(question for question in questions(negative, samples) if question[0] == "forward_dynamics"))
        after = [answers(fast, *question) for question in asked]
        assert all(np.array_equal(x, y) for f, e in zip(after, before, strict=True) for x, y in zip(f, e, strict=True))


@pytest.mark.parametrize("samples", [1, 33, 2 * GRAIN + 1])
@pytest.mark.parametrize("rows", ["joints", "base", "both"])
def test_a_buffer_is_filled_completely(samples, rows):
    machine = machine_of("followers")
    name, *arguments = next(x for x in questions(machine, samples) if x[0] == "regressor" and x[6] == rows)
    expected = plain.regressor(*arguments)
    out = np.full(expected.shape, np.nan)
    assert fast.regressor(*arguments, out) is out
    assert np.abs(out - expected).max() <= 1e-12 * np.abs(expected).max()


def test_sine_and_cosine_are_exact_after_many_turns():
    """The kernels have their own; the angle that remains of many turns must not lose digits."""
    tree = Tree([0], [False], [np.eye(3)], np.zeros((1, 3)), [[0, 0, 1]])
    rng = np.random.default_rng(8)
    for turns in (0.5, 1.0, 10.0, 1e3, 1e4):
        for samples in (8, 2000):  # one lane, blocks
            (q,) = read_only(rng.uniform(-2 * np.pi * turns, 2 * np.pi * turns, size=(samples, 1)))
            rotation = fast.poses(tree, q)[0][:, 1]
            assert np.abs(rotation[:, 0, 0] - np.cos(q[:, 0])).max() < 5e-16
            assert np.abs(rotation[:, 1, 0] - np.sin(q[:, 0])).max() < 5e-16
    (eighths,) = read_only(np.arange(-64, 65)[:, None] * np.pi / 8)
    assert np.abs(fast.poses(tree, eighths)[0][:, 1, 0, 0] - np.cos(eighths[:, 0])).max() < 5e-16


def test_a_long_chain():
    """More joints than any robot has: the scratch grows with the tree."""
    n = 60
    chain = Tree(np.arange(n), np.arange(n) % 5 == 4, [np.eye(3)] * n, np.full((n, 3), 0.05), np.eye(3)[np.arange(n) % 3])
    machine = Machine(chain, random_machine(np.random.default_rng(9), n).phi)
    for samples in (1, 33):
        for question in questions(machine, samples):
            assert_alike(question, 1e-11)

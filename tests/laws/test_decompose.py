"""Decompositions go on where LAPACK's divide-and-conquer drivers give up, and nobody goes around them."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import bifilar
from bifilar.dynamics import decompose

SOURCE = Path(bifilar.__file__).parent
DIRECT = re.compile(r"np\.linalg\.(svd|lstsq|pinv|eigh|eigvalsh|matrix_rank|cond)\b(?!`)")


@pytest.fixture
def no_divide_and_conquer(monkeypatch):
    def gives_up(*arguments, **options):
        raise np.linalg.LinAlgError("did not converge")

    for name in ("svd", "lstsq", "pinv", "eigh", "eigvalsh"):
        monkeypatch.setattr(np.linalg, name, gives_up)


def matrices(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


def test_singular_values_of_stacks(no_divide_and_conquer):
    for shape in ((5, 3), (3, 5), (4, 6, 2), (2, 3, 4, 4)):
        a = matrices(*shape)
        for full in (False, True):
            u, s, vt = decompose.svd(a, full_matrices=full)
            k = s.shape[-1]
            np.testing.assert_allclose((u[..., :k] * s[..., None, :]) @ vt[..., :k, :], a, atol=1e-12)
            np.testing.assert_allclose(s, decompose.svd(a, compute_uv=False), atol=1e-12)
            assert u.shape[-1] == (shape[-2] if full else k)


def test_smallest_of_the_least_squares_solutions(no_divide_and_conquer):
    a, x = matrices(7, 4), matrices(4, seed=1)
    found, _, rank, _ = decompose.lstsq(a, a @ x)
    np.testing.assert_allclose(found, x, atol=1e-12)
    assert rank == 4
    twice = np.hstack([a, a])
    found, _, rank, _ = decompose.lstsq(twice, a @ x, rcond=1e-10)
    np.testing.assert_allclose(found, np.concatenate([x, x]) / 2, atol=1e-12)
    assert rank == 4
    two = decompose.lstsq(a, np.column_stack([a @ x, 2 * a @ x]))[0]
    np.testing.assert_allclose(two, np.column_stack([x, 2 * x]), atol=1e-12)


def test_pseudo_inverse_obeys_penrose(no_divide_and_conquer):
    a = matrices(5, 2) @ matrices(2, 4, seed=1)
    p = decompose.pinv(a, rcond=1e-10)
    np.testing.assert_allclose(a @ p @ a, a, atol=1e-12)
    np.testing.assert_allclose(p @ a @ p, p, atol=1e-12)
    np.testing.assert_allclose((a @ p).T, a @ p, atol=1e-12)
    np.testing.assert_allclose((p @ a).T, p @ a, atol=1e-12)


def test_eigenvalues_of_real_and_of_hermitian_matrices(no_divide_and_conquer):
    whole = matrices(3, 4, 4) + 1j * matrices(3, 4, 4, seed=1)
    for a in (whole.real, whole):
        a = a + np.conj(np.swapaxes(a, -1, -2))
        values, vectors = decompose.eigh(a)
        np.testing.assert_allclose(a @ vectors, vectors * values[..., None, :], atol=1e-11)
        np.testing.assert_allclose(decompose.eigvalsh(a), values, atol=1e-11)


def test_numbers_that_are_not_finite_are_refused(no_divide_and_conquer):
    with pytest.raises(np.linalg.LinAlgError, match="not finite"):
        decompose.svd(np.full((2, 2), np.nan))


def test_nobody_asks_numpy_directly():
    lines = [
        f"{path.relative_to(SOURCE)}:{number}"
        for path in sorted(SOURCE.rglob("*.py"))
        if path.name != "decompose.py"
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if DIRECT.search(line)
    ]
    assert not lines

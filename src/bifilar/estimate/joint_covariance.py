"""Full covariance of the joints' errors: what disturbs one joint of a row tells about its neighbours.

    least sum over rows of e(t)' S^-1 e(t),        S_ij = mean of e_i(t) e_j(t)            iterated until S settles

One more pass over dense rows: products of every joint with every joint, in columns that were made orthonormal before, so
that nothing is lost by squaring. After it, iterations cost nothing. Rows that leave out some joints count with the others.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bifilar.dynamics import decompose
from bifilar.dynamics.blas import one_blas_thread
from bifilar.dynamics.tree import Array
from bifilar.errors import SolveError
from bifilar.estimate.problem import Problem
from bifilar.robot.solve import WeightedFit

MOST = 50
SETTLED = 1e-6
TINY = 1e-10  # of a joint's variance: what is added so that joints with equal errors do not count infinitely


@dataclass(frozen=True, eq=False)
class JointCovariance:
    """The weighted equations R x = z, and the weights.

    >>> JointCovariance(np.eye(1), np.ones(1), np.eye(1), np.eye(1), True).noise
    array([1.])
    """

    r: Array  # (parameters, parameters)
    z: Array
    mix: Array  # (joints, joints): mix' mix = S^-1; rows are multiplied by it
    covariance: Array  # S
    converged: bool

    @property
    def noise(self) -> Array:
        """Standard deviation of every joint.

        >>> JointCovariance(np.eye(1), np.ones(1), np.eye(1), np.full((1, 1), 4.0), True).noise
        array([2.])
        """
        return np.sqrt(np.diag(self.covariance))


def joint_covariance(problem: Problem, fit: WeightedFit) -> JointCovariance:
    """From a fit with a weight for each joint.

    >>> from bifilar.robot.solve import weighted_fit
    >>> robot = bf.Robot.load("two_link")
    >>> q, v, a = np.random.default_rng(0).normal(size=(3, 500, 2))
    >>> common = np.random.default_rng(1).normal(size=(500, 1))
    >>> problem = Problem.of(robot, (q, v, a, robot.inverse_dynamics(q, v, a) + common * [1, 2]), friction=())
    >>> S = joint_covariance(problem, weighted_fit(problem.base.independent, problem.factor())).covariance
    >>> bool(S[0, 1] > 0.99 * np.sqrt(S[0, 0] * S[1, 1]))
    True
    """
    if not problem.whole:
        raise SolveError("rows.missing/joint_covariance")
    with one_blas_thread():
        products, pairs = _products(problem, fit)
        used = np.maximum(pairs - _used(fit, np.diag(pairs)), 1.0)
        width = len(fit.values)
        y, covariance, converged = np.zeros(width), np.zeros_like(pairs), False
        for _ in range(MOST):
            left = np.append(-y, 1.0)
            previous, covariance = covariance, np.einsum("p,ijpq,q->ij", left, products, left, optimize=True) / used
            sizes = np.maximum(np.diag(covariance), (fit.floor * fit.weights) ** 2)
            covariance[np.diag_indices(len(pairs))] = sizes * (1 + TINY)
            weight = np.linalg.inv(_positive(covariance))
            total = np.einsum("ij,ijpq->pq", weight, products)
            values, vectors = decompose.eigh(total[:width, :width])
            y = _solved(values, vectors, total[:width, width])
            if np.all(np.abs(covariance - previous) < SETTLED * np.sqrt(np.outer(sizes, sizes))):
                converged = True
                break
    size = np.sqrt(np.maximum(values, 0.0))
    r = size[:, None] * (vectors.T @ problem.triangle(fit.weights)[:width, :width])
    mix = np.linalg.cholesky(weight).T * fit.weights
    own = covariance / np.outer(fit.weights, fit.weights)
    return JointCovariance(r, r @ fit.values + size * (vectors.T @ y), mix, own, converged)


def _solved(values: Array, vectors: Array, right: Array) -> Array:
    kept = values > 1e-13 * values[-1]
    return vectors[:, kept] @ ((vectors[:, kept].T @ right) / values[kept])


def _products(problem: Problem, fit: WeightedFit) -> tuple[Array, Array]:
    """Sums over rows of [V e]_i' [V e]_j for all pairs of joints, and how many rows have both."""
    joints, width = len(fit.weights), len(fit.values)
    products, pairs = np.zeros((joints, joints, width + 1, width + 1)), np.zeros((joints, joints))
    for chunk in problem.rows():
        errors = chunk.torque - chunk.columns @ fit.values
        rows = np.concatenate([chunk.columns @ fit.inverse, errors[:, :, None]], axis=2)
        rows = rows * (chunk.weight * fit.weights)[:, :, None]
        flat = rows.reshape(len(rows), -1)
        products += (flat.T @ flat).reshape(joints, width + 1, joints, width + 1).transpose(0, 2, 1, 3)
        present = (chunk.weight > 0).astype(float)
        pairs += present.T @ present
    return products, pairs


def _used(fit: WeightedFit, rows: Array) -> Array:
    """Equations that the parameters have used up, of every pair of joints."""
    own = np.sqrt(np.maximum(rows - fit.free, 0.0))
    return np.outer(own, own)


def _positive(matrix: Array) -> Array:
    """The same with correlations that can be: pairs of joints are counted on different rows where some are left out."""
    size = np.sqrt(np.diag(matrix))
    values, vectors = decompose.eigh(matrix / np.outer(size, size))
    return (vectors * np.maximum(values, TINY)) @ vectors.T * np.outer(size, size)

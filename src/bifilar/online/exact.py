"""All readings so far as one triangle in the parameters, in which they are linear; the state is the mode of prior times it.

    triangle    |R phi - t|^2 = sum over readings of |W phi - z|^2 / noise^2, up to a constant        by QR, as rows come in
    mode        x = argmin (x - x0)' P0^-1 (x - x0) + |R phi(x) - t|^2                                damped Gauss-Newton steps
    covariance  P = (P0^-1 + (R D)' R D)^-1 at the mode, D = dphi/dx

An extended filter commits every reading at the point where it was linearised; where the prior is wide and readings are
precise, sigmoid and log-Cholesky filters become too sure of themselves. Here nothing is linearised for good. Rows
go into the triangle a few samples at a time; the mode is searched when it is asked for.
"""

from __future__ import annotations

import numpy as np

from bifilar.dynamics.blas import one_blas_thread
from bifilar.online.space import Space
from bifilar.online.tables import SCALAR, SIGMOID
from bifilar.robot.inertia import Array

STRIDE = 1.5  # of a sigmoid's argument in one step
ENOUGH = 1e-6  # gain, in units of the squared normalised error: less ends the search
MOST = 60  # steps
SHORTEST = 1e-6  # share of a step that is still tried


class Memory:
    """Prior and quadratic form of a filter.

    >>> from bifilar.online.states import space_of
    >>> space = space_of(bf.Robot.load("pendulum"), ("link1.mass",))
    >>> memory = Memory(space, np.ones(1))
    >>> w = np.zeros((50, 1, 10)); w[:, 0, 0] = 100.0
    >>> memory.add(w, np.full((50, 1), 130.0))
    >>> space.values(memory.mode(space.start)[0])[0].round(3)
    array([1.3])
    """

    def __init__(self, space: Space, prior: Array) -> None:
        self.space, self.fresh = space, False  # whether rows came in since the last search
        self.start_from(space.start, np.diag(prior))
        first = [10 * b + k for b, block in enumerate(space.blocks) for k in range(1 if block.kind == SCALAR else 10)]
        self.used = np.array(first)
        self.triangle = np.zeros((len(first) + 1, len(first) + 1))
        loose = np.where(space.scalars[:, 2] > 0, space.scalars[:, 2], np.inf)
        self.stride = np.where(space.kinds == SIGMOID, STRIDE, loose)

    def start_from(self, mean: Array, covariance: Array) -> None:
        """Another prior."""
        self.centre = np.array(mean, dtype=float)
        self.root = np.linalg.inv(np.linalg.cholesky(covariance))

    def clear(self) -> None:
        """Forget all readings."""
        self.triangle[:] = 0.0
        self.fresh = False

    def add(self, w: Array, z: Array) -> None:
        """Rows with white noise of variance one, (N, rows, columns) and (N, rows)."""
        rows = np.column_stack([w.reshape(-1, w.shape[-1])[:, self.used], z.reshape(-1)])
        with one_blas_thread():
            found = np.linalg.qr(np.vstack([self.triangle, rows]), mode="r")
        self.triangle[: len(found)] = found
        self.fresh = True

    def mode(self, x: Array) -> tuple[Array, Array]:
        """State of highest posterior, searched from x, and the inverse of the curvature there."""
        self.fresh = False
        with one_blas_thread(), np.errstate(all="ignore"):
            left, slope = self._at(x)
            for _ in range(MOST):
                q, r = np.linalg.qr(slope)
                step: Array = -np.linalg.solve(r, q.T @ left).astype(float)
                step *= min(1.0, float(np.min(self.stride / np.maximum(np.abs(step), 1e-300))))
                better = self._shorter(x, step, left)
                if better is None:
                    break
                gained, (x, left, slope) = left @ left - better[1] @ better[1], better
                if gained <= ENOUGH:
                    break
            inverse = np.linalg.inv(np.linalg.qr(slope, mode="r"))
            return x, inverse @ inverse.T

    def _shorter(self, x: Array, step: Array, left: Array) -> tuple[Array, Array, Array] | None:
        """The longest share of a step that helps."""
        share = 1.0
        while share > SHORTEST:
            newer = np.clip(x + share * step, -self.space.cap, self.space.cap)
            found, slope = self._at(newer)
            if found @ found < left @ left:
                return newer, found, slope
            share *= 0.3
        return None

    def _at(self, x: Array) -> tuple[Array, Array]:
        """What is left of prior and readings, and its derivative by the state."""
        phi, by = self.space.gathered(x)
        r, root = self.triangle[:-1, :-1], self.root
        left = np.concatenate([root @ (x - self.centre), r @ phi[self.used] - self.triangle[:-1, -1]])
        return left, np.vstack([root, r @ by[self.used]])

"""The spectrum of torque errors, from the residuals of a fit.

    f_ij(w) = sum over lags k of G_ij(k) exp(-i w k),       G_ij(k) = mean of e_i(t) e_j(t + k)

Residuals are smaller than errors, most of all where the motion has its own frequencies: parameters take up errors that look
like motion. White errors of joint j leave the share 1 - h_j(w) of their power, h_j the leverage at that frequency, so the
residuals' spectrum is divided by it. It is smoothed by a Parzen taper over the lags (never negative), and before that what can
be predicted of each joint's error from the rows before is taken out and afterwards put back (Andrews and Monahan 1992),
because smoothing flattens the very peak at low frequencies that makes error bars large.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics import decompose
from bifilar.dynamics.tree import Array

Complex = NDArray[np.complex128]
GRID = 1024  # lags and frequencies of the estimate
ORDER = 2  # rows before a row that its error is predicted from
STEEPEST = 0.97  # slowest decay from row to row that is believed
BLUNT = 3e-3  # of the variance: errors are not predicted better than so
LEAST = 0.1  # share of the errors' power that residuals are taken to keep


@dataclass(frozen=True, eq=False)
class Lagged:
    """Sums over pairs of rows that lie k apart, k = 0 .. GRID / 2 - 1 and, behind, -GRID / 2 .. -1.

    >>> x = np.array([[1.0], [2.0], [0.0]])
    >>> Lagged.of(x, np.ones((3, 1)), np.zeros((3, 1, 1)), np.zeros(1)).products[:3, 0, 0].round(9)
    array([5., 2., 0.])
    """

    products: Array  # (GRID, joints, joints) of residuals
    pairs: Array  # (GRID, joints, joints) how many
    leverage: Array  # (GRID, joints)
    rows: int

    @classmethod
    def of(cls, residuals: Array, present: Array, columns: Array, bread: Array) -> Lagged:
        """Of one uninterrupted stretch: residuals and presence (rows, joints), columns (rows, joints, coordinates).

        >>> rows = np.zeros((5, 2))
        >>> Lagged.of(rows, rows + 1, np.zeros((5, 2, 3)), np.ones(3)).pairs[1, 0, 1].round(9)
        np.float64(4.0)
        """
        return cls.of_transform(residuals, present, transform(columns), bread)

    @classmethod
    def of_transform(cls, residuals: Array, present: Array, turned: Complex, bread: Array) -> Lagged:
        """The same with columns that are a transform already.

        >>> rows = np.zeros((5, 2))
        >>> Lagged.of_transform(rows, rows + 1, transform(np.zeros((5, 2, 3))), np.ones(3)).leverage.shape == (GRID, 2)
        True
        """
        products, pairs = (_crossed(transform(x)) for x in (residuals, present))
        flat = turned.reshape(-1, turned.shape[2]).view(float)  # real and imaginary parts side by side
        power = np.einsum("wp,wp,p->w", flat, flat, np.repeat(bread, 2)).reshape(turned.shape[:2])
        return cls(products, pairs, _short(np.fft.irfft(power, axis=0)), len(residuals))

    def __add__(self, other: Lagged) -> Lagged:
        products, pairs = self.products + other.products, self.pairs + other.pairs
        return Lagged(products, pairs, self.leverage + other.leverage, self.rows + other.rows)


def transform(rows: Array) -> Complex:
    """Of one uninterrupted stretch along its rows, with room for all lags that count.

    >>> transform(np.ones((5, 2))).shape, transform(np.ones((3000, 2))).shape
    ((6, 2), (1793, 2))
    """
    return np.fft.rfft(rows, room(len(rows)), axis=0)


def room(rows: int) -> int:
    """Even size of the transform of a stretch, a product of small primes.

    >>> room(5), room(2048)
    (10, 2560)
    """
    least = rows + min(rows, GRID // 2)
    sizes = [odd << max(1, (-(-least // odd) - 1).bit_length()) for odd in (1, 3, 5, 7, 9, 15)]
    return min(sizes)


def _crossed(turned: Complex) -> Array:
    joints = turned.shape[1]
    out = np.empty((GRID, joints, joints))
    for i in range(joints):
        out[:, i] = _short(np.fft.irfft(turned[:, i : i + 1].conj() * turned, axis=0))
    return out


def _short(lagged: Array) -> Array:
    """The first lags to either side, none beyond those of a short stretch."""
    reach = min(GRID, len(lagged)) // 2
    out = np.zeros((GRID, *lagged.shape[1:]))
    out[:reach], out[-reach:] = lagged[:reach], lagged[-reach:]
    return out


def spectrum(sums: Lagged, bandwidth: int) -> Array:
    """Spectral matrices of the errors on GRID frequencies, (GRID, joints, joints), Hermitian and not negative.

    >>> x = np.random.default_rng(0).normal(size=(4000, 1))
    >>> flat = spectrum(Lagged.of(x, np.ones((4000, 1)), np.zeros((4000, 1, 1)), np.zeros(1)), 20)
    >>> bool(abs(flat[:, 0, 0].real - 1).max() < 0.3)
    True
    """
    told = sums.pairs > np.maximum(0.02 * sums.pairs[0].max(), 2)
    lags = np.where(told, sums.products / np.maximum(sums.pairs, 1.0), 0.0)
    own = np.einsum("kjj->kj", sums.pairs)
    used = np.where(np.einsum("kjj->kj", told), sums.leverage / np.maximum(own, 1.0), 0.0)
    kept = np.maximum(1.0 - np.fft.fft(used * parzen(bandwidth)[:, None], axis=0).real, LEAST)
    lift = 1.0 / np.sqrt(kept[:, :, None] * kept[:, None, :])
    first = np.fft.ifft(np.fft.fft(lags * parzen(2 * bandwidth)[:, None, None], axis=0) * lift, axis=0).real
    whiten = np.fft.fft(_predictor(first), GRID, axis=0)
    gain = whiten.conj()[:, :, None] * whiten[:, None, :]
    rough = np.fft.ifft(np.fft.fft(lags * parzen(GRID // 2)[:, None, None], axis=0) * gain, axis=0)
    smooth = np.fft.fft(rough * parzen(bandwidth)[:, None, None], axis=0)
    return smooth / gain * lift


def _predictor(lags: Array) -> Array:
    """Weights of a row and the ORDER rows before it that leave the least of each joint's error, (ORDER + 1, joints)."""
    joints = lags.shape[1]
    out = np.zeros((ORDER + 1, joints))
    out[0] = 1.0
    apart = np.abs(np.subtract.outer(np.arange(ORDER), np.arange(ORDER)))
    for j in range(joints):
        own = lags[: ORDER + 1, j, j] / max(lags[0, j, j], np.finfo(float).tiny)
        ahead = np.linalg.solve(own[apart] + BLUNT * np.eye(ORDER), own[1:]) if own[0] > 0 else np.zeros(ORDER)
        out[1:, j] = -ahead * STEEPEST ** np.arange(1, ORDER + 1)
    return out


def parzen(bandwidth: int) -> Array:
    """Weights of the lags, (GRID,), zero from the bandwidth on; their transform is not negative.

    >>> parzen(4)[[0, 1, 2, 3, 4]]
    array([1.     , 0.71875, 0.25   , 0.03125, 0.     ])
    """
    x = np.abs(np.fft.fftfreq(GRID, 1 / GRID)) / bandwidth
    weights: Array = np.where(x <= 0.5, 1 - 6 * x**2 + 6 * x**3, np.where(x <= 1, 2 * (1 - np.minimum(x, 1)) ** 3, 0.0))
    return weights


def roots(spectral: Array, size: int) -> Array:
    """Square roots h, h h^H = f, at the size / 2 + 1 frequencies of a transform of another size.

    >>> roots(np.ones((GRID, 1, 1)), 8).ravel().real.round(9)
    array([1., 1., 1., 1., 1.])
    """
    lags = np.fft.ifft(spectral, axis=0).real
    reach = min(GRID, size) // 2
    wide = np.zeros((size, *lags.shape[1:]))
    wide[:reach], wide[-reach:] = lags[:reach], lags[-reach:]
    values, vectors = decompose.eigh(np.fft.fft(wide, axis=0)[: size // 2 + 1])
    return vectors * np.sqrt(np.maximum(values, 0.0))[:, None, :]


def doubled(turned: Complex, half: Array) -> Array:
    """Sum over all pairs of rows of V' (covariance of their errors) V, from V's transform and square roots of the spectrum.

    >>> v = np.arange(6.0).reshape(3, 1, 2)
    >>> np.allclose(doubled(transform(v), roots(np.ones((GRID, 1, 1)), room(3))), v[:, 0].T @ v[:, 0])
    True
    """
    twice = np.full(len(turned), 1.0 / (len(turned) - 1))
    twice[[0, -1]] *= 0.5  # frequencies without a mirror image
    through = (half * np.sqrt(twice)[:, None, None]).transpose(0, 2, 1) @ turned
    flat = through.reshape(-1, turned.shape[2])
    rows = np.concatenate([flat.real, flat.imag])
    return np.asarray(rows.T @ rows)

"""Motions that are finite Fourier series: periodic, band-limited, with derivatives that are exact.

The excitation of Swevers et al. (1997), which bargsten2013, wang2018 and joukov2015 use; `harmonics.py` has the formula.
Coefficients are amplitudes of velocity in rad/s (m/s for sliding joints), per joint first all a_k, then all b_k.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from bifilar.dynamics.state import table
from bifilar.errors import ShapeError
from bifilar.experiment.checks import named, read_only, row
from bifilar.experiment.harmonics import Basis, FourierBasis
from bifilar.experiment.trajectory import Array, Curve, Derivatives, Window


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Fourier(Curve):
    """A finite Fourier series per joint.

    >>> swing = Fourier(joint_names=["elbow"], base_frequency=0.5, harmonics=1, coefficients=[[1.0, 0.0]])
    >>> swing.at([0.0, 0.5]).velocity.round(12).ravel() + 0.0
    array([1., 0.])
    """

    joint_names: tuple[str, ...]
    coefficients: Array  # (joints, 2 harmonics) [rad/s]: a_1 .. a_K, b_1 .. b_K
    base_frequency: float  # [Hz]
    harmonics: tuple[int, ...]  # multiples of the base frequency; a number 5 stands for 1 .. 5
    offset: Array = 0.0  # type: ignore[assignment]  # (joints,) q0 [rad], the mean over a period
    periods: int = 1  # whole periods at full amplitude
    fade: float = 0.0  # [s] before and after them, in which the amplitude rises from 0 and falls to 0

    def __post_init__(self) -> None:
        names, shape = named(self.joint_names), self.series
        labels = [f"{letter}{k}" for letter in "ab" for k in shape.harmonics]
        c = table("coefficients", self.coefficients, labels, "coefficient")[0]
        if len(c) != len(names):
            raise ShapeError(
                "shape.wrong/fourier", joints=names, c_count=len(c), name_count=len(names), label_count=len(labels)
            )
        values = {"joint_names": names, "coefficients": read_only(c), "offset": row("offset", self.offset, names)}
        values |= {name: getattr(shape, name) for name in ("base_frequency", "harmonics", "periods", "fade")}
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @classmethod
    def of(cls, series: FourierBasis, joint_names: Sequence[str], coefficients: ArrayLike, offset: ArrayLike = 0.0) -> Self:
        """From a basis and coefficients (joints, 2 harmonics), as an optimiser has them.

        >>> basis = bf.FourierBasis.lasting(10.0, harmonics=3)
        >>> bf.Fourier.of(basis, ["elbow"], [bf.rest_basis(3)[:, 0]])
        Fourier(10 s of elbow)
        """
        return cls(
            joint_names=tuple(joint_names),
            coefficients=coefficients,  # type: ignore[arg-type]
            base_frequency=series.base_frequency,
            harmonics=series.harmonics,
            offset=offset,  # type: ignore[arg-type]
            periods=series.periods,
            fade=series.fade,
        )

    @cached_property
    def series(self) -> FourierBasis:
        """Harmonics, periods and fades without the coefficients.

        >>> Fourier(joint_names=["elbow"], base_frequency=0.5, harmonics=1, coefficients=[[1.0, 0.0]]).series.size
        2
        """
        return FourierBasis(base_frequency=self.base_frequency, harmonics=self.harmonics, periods=self.periods, fade=self.fade)

    @property
    def duration(self) -> float:
        """Whole periods and both fades, in seconds.

        >>> Fourier(joint_names=["elbow"], base_frequency=0.5, harmonics=1, coefficients=[[1, 0]], fade=1.0).duration
        4.0
        """
        return self.series.duration

    @property
    def steady(self) -> Window:
        """The whole periods at full amplitude.

        >>> Fourier(joint_names=["elbow"], base_frequency=0.5, harmonics=1, coefficients=[[1, 0]], fade=1.0).steady
        Window(start=1.0, stop=3.0)
        """
        return self.series.steady

    @property
    def amplitudes(self) -> Array:
        """Of position, per joint and harmonic: its sum bounds the distance from the offset.

        >>> Fourier(joint_names=["elbow"], base_frequency=0.5, harmonics=1, coefficients=[[np.pi, 0.0]]).amplitudes
        array([[1.]])
        """
        a, b = np.split(self.coefficients, 2, axis=1)
        return np.hypot(a, b) / (2 * np.pi * self.base_frequency * np.array(self.harmonics))

    def basis(self, time: ArrayLike) -> Basis:
        """Matrices with position = offset + basis.position @ coefficients.T, likewise velocity and acceleration.

        >>> swing = Fourier(joint_names=["elbow"], base_frequency=0.5, harmonics=1, coefficients=[[1.0, 0.0]])
        >>> swing.basis([0.0, 1.0]).position.shape
        (2, 2)
        """
        return self.series.basis(time)

    def _derivatives(self, time: Array) -> Derivatives:
        q, v, a, j = (matrix @ self.coefficients.T for matrix in self.series._matrices(time, 3))
        return q + self.offset, v, a, j

    def slowed(self, factor: float) -> Self:
        """The same path in `factor` times the time: again a Fourier series.

        >>> swing = Fourier(joint_names=["elbow"], base_frequency=0.5, harmonics=1, coefficients=[[1.0, 0.0]])
        >>> swing.slowed(5).base_frequency
        0.1
        """
        from bifilar.experiment.compose import slowing

        s = slowing(factor)
        changes = {"coefficients": self.coefficients / s, "base_frequency": self.base_frequency / s, "fade": self.fade * s}
        return replace(self, **changes)  # type: ignore[arg-type]

    def with_offset(self, offset: ArrayLike) -> Self:
        """The same motion about another pose.

        >>> swing = Fourier(joint_names=["elbow"], base_frequency=0.5, harmonics=1, coefficients=[[1.0, 0.0]])
        >>> swing.with_offset(0.5).offset
        array([0.5])
        """
        return replace(self, offset=self.offset + row("offset", offset, self.joint_names))

"""Inertias of bodies and of the pieces of a tree, brought to the root frame and origin, in NumPy.

A body's ten numbers act on twists by the 6 x 6 matrix I = [[m, -(h x)], [(h x), J]]. With its motion comes the matrix

    B = 1/2 [(v x*) I - I (v x) + (I v) x*bar],      B v = v x* I v,      B + B' = rate of I

of which multiplying out leaves [[0, -(l x)], [0, D]], l the linear momentum and 2 D = (rate of J) - (angular momentum x).
Both add up over bodies, so that a whole branch behaves like one body. Samples are the last axis.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bifilar.dynamics.plain_motion import Array, cross, turn


@dataclass(frozen=True, eq=False)
class Masses:
    """Mass, first moment and inertia of bodies (or of the pieces beyond them), root frame, about the root's origin.

    >>> Masses(np.ones((1, 1)), np.zeros((1, 3, 1)), np.zeros((1, 3, 3, 1))).times(np.ones((1, 6, 1))).ravel()
    array([1., 1., 1., 0., 0., 0.])
    """

    mass: Array  # (bodies, 1) [kg]
    moment: Array  # (bodies, 3, samples) [kg m]
    inertia: Array  # (bodies, 3, 3, samples) [kg m^2]

    def times(self, x: Array) -> Array:
        """I x for twists x (bodies, 6, samples): momenta, or forces of accelerations.

        >>> Masses(np.ones((1, 1)), np.ones((1, 3, 1)), np.zeros((1, 3, 3, 1))).times(np.ones((1, 6, 1))).ravel()
        array([1., 1., 1., 0., 0., 0.])
        """
        linear, angular = x[..., :3, :], x[..., 3:, :]
        force = self.mass[..., None] * linear + cross(angular, self.moment)
        return np.concatenate((force, cross(self.moment, linear) + turn(self.inertia, angular)), axis=-2)

    def __getitem__(self, body: int) -> Masses:
        """One body, ready to multiply a stack of twists."""
        return Masses(self.mass[body], self.moment[body], self.inertia[body])


@dataclass(frozen=True, eq=False)
class Swirl:
    """The matrix B = [[0, -(l x)], [0, D]] of bodies (or of the pieces beyond them), as in the heading.

    >>> Swirl(np.ones((1, 3, 1)), np.zeros((1, 3, 3, 1))).times(np.ones((1, 6, 1))).any()
    np.False_
    """

    momentum: Array  # (bodies, 3, samples) [kg m/s]
    block: Array  # (bodies, 3, 3, samples) D

    def times(self, x: Array) -> Array:
        """B x for twists x.

        >>> Swirl(np.zeros((1, 3, 1)), np.ones((1, 3, 3, 1))).times(np.ones((1, 6, 1))).ravel()
        array([0., 0., 0., 3., 3., 3.])
        """
        return np.concatenate((cross(x[..., 3:, :], self.momentum), turn(self.block, x[..., 3:, :])), axis=-2)

    def times_transposed(self, x: Array) -> Array:
        """B' x for twists x.

        >>> Swirl(np.zeros((1, 3, 1)), np.ones((1, 3, 3, 1))).times_transposed(np.ones((1, 6, 1))).ravel()
        array([0., 0., 0., 3., 3., 3.])
        """
        angular = cross(self.momentum, x[..., :3, :]) + turn(np.swapaxes(self.block, -3, -2), x[..., 3:, :])
        return np.concatenate((np.zeros_like(angular), angular), axis=-2)

    def __getitem__(self, body: int) -> Swirl:
        """One body, ready to multiply a stack of twists."""
        return Swirl(self.momentum[body], self.block[body])


def _pair(a: Array, b: Array) -> Array:
    """- (a x)(b x) - (b x)(a x) = 2 (a . b) 1 - (a b' + b a'): what moving the reference point adds to an inertia."""
    product = np.einsum("...as,...bs->...abs", a, b)
    dot = np.einsum("...as,...as->...s", a, b)
    return 2 * dot[..., None, None, :] * np.eye(3)[:, :, None] - product - np.swapaxes(product, -3, -2)


def masses(phi: Array, rotation: Array, position: Array) -> Masses:
    """The bodies' ten parameters (bodies, 10), body frame and origin, brought to the root frame and origin.

    >>> masses(np.eye(10)[:1], np.eye(3)[None, :, :, None], np.array([[[2.0], [0], [0]]])).inertia[0, 2, 2]
    array([4.])
    """
    mass = phi[:, :1]
    own = phi[:, [[4, 5, 7], [5, 6, 8], [7, 8, 9]]]
    moment = np.einsum("iabs,ib->ias", rotation, phi[:, 1:4])
    half = np.einsum("iabs,ibc->iacs", rotation, own)
    inertia = np.einsum("iabs,icbs->iacs", half, rotation)
    shift = mass[..., None] * position
    return Masses(mass, moment + shift, inertia + _pair(position, moment + 0.5 * shift))


def swirls(bodies: Masses, velocity: Array, momentum: Array) -> Swirl:
    """B of every body from its velocity and momentum.

    >>> still = Masses(np.ones((1, 1)), np.zeros((1, 3, 1)), np.zeros((1, 3, 3, 1)))
    >>> swirls(still, np.zeros((1, 6, 1)), np.zeros((1, 6, 1))).block.any()
    np.False_
    """
    linear, angular = velocity[:, :3], velocity[:, 3:]
    spun = np.swapaxes(cross(angular[:, None], np.swapaxes(bodies.inertia, 1, 2)), 1, 2)  # (w x) I, column by column
    rate = spun + np.swapaxes(spun, 1, 2) + _pair(linear, bodies.moment)
    x, y, z = np.moveaxis(momentum[:, 3:], 1, 0)
    o = np.zeros_like(x)
    turning = np.stack((np.stack((o, -z, y), 1), np.stack((z, o, -x), 1), np.stack((-y, x, o), 1)), 1)
    return Swirl(momentum[:, :3], 0.5 * (rate - turning))

"""Machines that are unlike their nominal model by a stated share, as a certificate of torque allows.

    machine = drawn(robot, 0.2, rng)        mass, first moment, inertia of every body, every drive coefficient

The mass of a body is off by the share, its first moment by a vector of the share of its length, its inertia about the link's
origin by a matrix of the share of its norm, friction and rotors by the share: as wrong as may be, one against the other.
"""

from __future__ import annotations

from typing import Any

import numpy as np

BLOCKS = ((0, 1), (1, 4), (4, 10))
TRIES = 5
TWICE = np.array([1, 1, 1, 1, 1, 2, 1, 2, 2, 1.0])  # entries of a symmetric matrix that are there twice


def drawn(robot: Any, share: float, rng: np.random.Generator, *, possible: bool = False) -> Any:
    """Another machine; `possible`: bodies that can exist, as MuJoCo asks for (scaled as a whole where no draw could)."""
    phi = robot.body_parameters
    other = phi + share * _wrong(phi, rng)
    if possible:
        for _ in range(TRIES):
            other = np.where([[_exists(one)] for one in other], other, phi + share * _wrong(phi, rng))
        whole = phi * rng.uniform(1 - share, 1 + share, (len(phi), 1))
        other = np.where([[_exists(one)] for one in other], other, whole)
    values = robot.drive_values * rng.choice([1 - share, 1 + share, 1.0], len(robot.drive_values))
    named = dict(zip(robot.drive_columns.names, values.tolist()))
    return robot.with_body_parameters(other).with_friction(robot.friction, named)


def _wrong(phi: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Block by block as long as the block itself, in a random direction; a quarter along it: bodies scaled as a whole."""
    part = rng.normal(size=phi.shape)
    part = np.where(rng.random((len(phi), 1)) < 0.25, phi * rng.choice([-1, 1], (len(phi), 1)), part)
    for start, stop in BLOCKS:
        size, length = (np.sqrt((TWICE[start:stop] * x[:, start:stop] ** 2).sum(axis=1, keepdims=True)) for x in (phi, part))
        part[:, start:stop] *= np.divide(size, length, out=np.zeros_like(size), where=length > 0)
    return part


def _exists(phi: np.ndarray) -> bool:
    """Whether a body of positive density has these parameters: its pseudo-inertia is positive definite."""
    m, h, (xx, xy, yy, xz, yz, zz) = phi[0], phi[1:4], phi[4:]
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    pseudo = np.block([[0.5 * np.trace(inertia) * np.eye(3) - inertia, h[:, None]], [h[None, :], np.array([[m]])]])
    return bool(np.linalg.eigvalsh(pseudo).min() > 0)

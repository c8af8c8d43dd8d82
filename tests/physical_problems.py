"""Random problems for the two solvers of physically consistent estimates: the worst of what recordings bring.

Each number is another problem. Kinds: equations of random trees of bodies; matrices with a given spectrum, up to condition 1e8;
fewer equations than unknowns; links of a few milligrams; a prior far off; data that no robot could cause; total mass,
ellipsoids, mirror images and bounds; and the plain matrix inequality without a prior.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.random import Generator

from bifilar.dynamics.columns import Columns
from bifilar.dynamics.plain import regressor
from bifilar.dynamics.tree import Array, Tree
from bifilar.estimate.bodies import from_log_cholesky, pseudo, ten_of
from bifilar.estimate.ellipsoids import Ellipsoid
from bifilar.estimate.physical_problem import PhysicalProblem

KINDS = (
    "tree",
    "ill-conditioned",
    "rank deficient",
    "massless",
    "far prior",
    "impossible data",
    "conditions",
    "tree with impossible data",
    "plain inequality",
)


def kind_of(number: int) -> str:
    """Of the problem with this number."""
    return KINDS[number % len(KINDS)]


def problem(number: int) -> PhysicalProblem:
    """The problem with this number."""
    rng = np.random.default_rng([5, number])
    kind = kind_of(number)
    links = int(rng.integers(1, 9))
    truth = bodies(rng, links)
    if kind == "massless":
        truth[rng.random(links) < 0.4] *= 10.0 ** rng.uniform(-9, -3)
    prior = stretched(rng, truth, 1.5 if kind == "far prior" else rng.uniform(0.05, 0.4))
    drives = int(rng.integers(0, 2 * links))
    x = np.concatenate([truth.ravel(), np.abs(rng.normal(size=drives)) * (rng.random(drives) < 0.7)])
    if "impossible" in kind or kind == "plain inequality":
        x[: 10 * links] += rng.normal(size=10 * links) * np.abs(x[: 10 * links]) * rng.uniform(0.1, 1.0)
    factor = of_tree(rng, links, drives) if "tree" in kind else of_spectrum(rng, len(x), kind)
    noise = 10.0 ** rng.uniform(-2, 1)
    target = factor @ x + noise * rng.normal(size=len(factor))
    lower = np.full(len(x), -np.inf)
    lower[10 * links :] = np.where(rng.random(drives) < 0.8, 0.0, -np.inf)
    made = PhysicalProblem(
        factor=factor, target=target, prior=prior, weight=10.0 ** rng.uniform(-4, 3), lower=lower, rest=rng.chisquare(20)
    )
    if kind == "conditions":
        return conditions(rng, made)
    return replace(made, weight=0.0, floor=1e-6) if kind == "plain inequality" else made


def bodies(rng: Generator, count: int) -> Array:
    """Links of 0.2 to 20 kg and a few centimetres to decimetres."""
    theta = np.zeros((count, 10))
    theta[:, 0] = 0.5 * np.log(10.0 ** rng.uniform(-0.7, 1.3, count))
    theta[:, 1:4] = np.log(rng.uniform(0.01, 0.3, (count, 3)))
    theta[:, 4:7] = 0.03 * rng.normal(size=(count, 3))
    theta[:, 7:] = 0.15 * rng.normal(size=(count, 3))
    return from_log_cholesky(theta)


def stretched(rng: Generator, truth: Array, by: float) -> Array:
    """Other bodies, off by about this much."""
    root = np.linalg.cholesky(pseudo(truth)) @ (np.eye(4) + by * np.tril(rng.normal(size=(len(truth), 4, 4))))
    return ten_of(root @ root.transpose(0, 2, 1))


def of_spectrum(rng: Generator, width: int, kind: str) -> Array:
    """A matrix with singular values from 1 down to 1e-8, some of them zero, times the information of up to 1e10 samples."""
    left, _ = np.linalg.qr(rng.normal(size=(width, width)))
    right, _ = np.linalg.qr(rng.normal(size=(width, width)))
    low = {"ill-conditioned": rng.uniform(4, 8), "plain inequality": rng.uniform(0, 2)}.get(kind, rng.uniform(0, 4))
    rank = int(rng.integers(width // 3, width)) if kind == "rank deficient" else width
    values = np.zeros(width)
    values[:rank] = 10.0 ** (-low * np.linspace(0, 1, rank)) * 10.0 ** rng.uniform(0, 5 if kind != "plain inequality" else 2)
    return np.asarray(np.linalg.qr((left * values) @ right.T, mode="r"))


def of_tree(rng: Generator, links: int, drives: int) -> Array:
    """Joint torques of a random tree at random states, and drive columns beside them."""
    parent = [int(rng.integers(max(0, k - 1), k + 1)) for k in range(links)]
    turns = np.linalg.qr(rng.normal(size=(links, 3, 3)))[0]
    turns = turns * np.sign(np.linalg.det(turns))[:, None, None]
    axes = rng.normal(size=(links, 3))
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    tree = Tree(parent, rng.random(links) < 0.15, turns, rng.uniform(-0.4, 0.4, (links, 3)), axes)
    samples = int(rng.integers(5, 80))
    q, v, a = rng.uniform(-2, 2, (3, samples, links))
    root = np.concatenate([np.zeros(6), [0, 0, 9.81]])[None]
    rows = regressor(tree, q, v, a, root, "joints", Columns.none(links), None, None).reshape(samples * links, -1)
    extra = rng.normal(size=(len(rows), drives))
    return np.hstack([rows, extra]) * 10.0 ** rng.uniform(0, 2)


def conditions(rng: Generator, made: PhysicalProblem) -> PhysicalProblem:
    """Total mass, ellipsoids, a mirror image and bounds, all of which the prior or something near it fulfils."""
    width, links = made.factor.shape[1], made.bodies
    mass = np.zeros((1, width))
    mass[0, : 10 * links : 10] = 1.0
    rows, side = [mass], [made.prior[:, 0].sum() * rng.uniform(0.7, 1.4)]
    if rng.random() < 0.5:
        mirror = np.zeros((3, width))
        mirror[[0, 1, 2], [2, 5, 8]] = 1.0  # the first body is its own mirror image in the xz plane
        rows.append(mirror)
        side += [0.0] * 3
    above = np.zeros((links, width))
    for k in range(links):
        center = made.prior[k, 1:4] / made.prior[k, 0]
        size = np.sqrt(np.abs(np.diag(pseudo(made.prior[k]))[:3]) / made.prior[k, 0] + 1e-4)
        above[k, 10 * k : 10 * k + 10] = Ellipsoid.of_axes(center * (k > 0), rng.uniform(2.5, 5.0) * size).row()
    upper = np.full(width, np.inf)
    upper[10 * links :] = rng.uniform(0.5, 5.0)
    return replace(made, equal=(np.vstack(rows), np.array(side)), above=(above, np.zeros(links)), upper=upper)

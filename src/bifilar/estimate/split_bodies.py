"""A body's ten numbers, handed to the links it consists of, so that every link can exist.

Links fixed to a moving link are one body with it: only the sum J = sum_l J_l is seen. The moving link takes the change and
the others stay as described, as long as the moving link keeps a fair share of itself. Otherwise the whole body is stretched,

    J_l  ->  T J_l T',     T = U_new U_old^-1   (J = U U', U upper triangular: an affine map of its points, a factor on mass)

which keeps every link possible and their sum exact.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from bifilar.dynamics import decompose
from bifilar.dynamics.tree import Array
from bifilar.estimate.bodies import pseudo, ten_of
from bifilar.robot.inertia import Inertia
from bifilar.robot.parameters import Parameters
from bifilar.robot.robot import Robot

KEPT = 0.1  # of itself: the least that a moving link keeps while links fixed to it stay


def robot_of(described: Robot, parameters: Parameters) -> Robot:
    """The robot with these parameters of bodies and drives; links that make up a body share its numbers.

    >>> from bifilar.estimate.split_bodies import robot_of
    >>> robot = bf.Robot.load("two_link")
    >>> twice = robot_of(robot, robot.parameters().with_values(2 * robot.parameters().values))
    >>> twice.link("link2").inertia.mass / robot.link("link2").inertia.mass
    2.0
    """
    count = len(parameters) - len(described.drive_values)
    bodies = np.array(described.body_parameters)
    bodies[len(bodies) - count // 10 :] = parameters.values[:count].reshape(-1, 10)
    drives = dict(zip(described.drive_columns.names, parameters.values[count:].tolist(), strict=True))
    return described.with_inertia(split(described, bodies)).with_parameters(drives)


def split(described: Robot, bodies: ArrayLike) -> dict[str, Inertia]:
    """Inertias of all links whose body has changed, from body parameters (bodies, 10).

    >>> from bifilar.estimate.split_bodies import split
    >>> robot = bf.Robot.load("two_link")
    >>> sorted(split(robot, robot.body_parameters * [[1], [1], [2]]))
    ['link2']
    """
    wanted = np.asarray(bodies, dtype=float)
    changed = np.flatnonzero(np.any(wanted != described.body_parameters, axis=1))
    shares: dict[str, Inertia] = {}
    for body in changed:
        names = [name for name, place in described.link_map().items() if place.body == body]
        shares |= _shared(described, names, described.body_names[body], wanted[body])
    return shares


def _shared(described: Robot, names: list[str], head: str, wanted: Array) -> dict[str, Inertia]:
    places = described.link_map()
    seen = {name: pseudo(places[name].matrix @ described.link(name).inertia.vector) for name in names}
    new = _parts(seen, head, pseudo(wanted))
    own = {name: np.linalg.solve(places[name].matrix, ten_of(part)) for name, part in new.items()}
    untouched = [name for name in names if np.array_equal(new[name], seen[name])]
    return {name: Inertia.from_vector(ten) for name, ten in own.items() if name not in untouched or name == head}


def _parts(seen: dict[str, Array], head: str, wanted: Array) -> dict[str, Array]:
    """Pseudo-inertias of the links in the body's frame that add up to the wanted one."""
    old = np.sum(list(seen.values()), axis=0)
    others = old - seen[head]
    alone = {name: (wanted if name == head else np.zeros((4, 4))) for name in seen}
    if not others.any():
        return alone
    if _share(wanted - others, seen[head]) >= KEPT:
        return {**seen, head: wanted - others}
    possible = all(decompose.eigvalsh(part)[0] >= -1e-9 * abs(np.trace(part)) for part in seen.values())
    if not possible or decompose.eigvalsh(old)[0] <= 1e-12 * np.trace(old) or decompose.eigvalsh(wanted)[0] <= 0:
        return alone
    stretch = np.linalg.solve(_upper(old).T, _upper(wanted).T).T
    return {name: stretch @ part @ stretch.T for name, part in seen.items()}


def _share(new: Array, old: Array) -> float:
    """Smallest factor by which a link shrinks in any direction; negative if it could not exist."""
    values, axes = decompose.eigh(old)
    if values[0] <= 1e-12 * max(values[-1], 1e-300):
        return -1.0
    root = axes / np.sqrt(values)
    return float(decompose.eigvalsh(root.T @ new @ root)[0])


def _upper(matrix: Array) -> Array:
    return np.asarray(np.linalg.cholesky(matrix[::-1, ::-1])[::-1, ::-1], dtype=float)

"""The parameters that act on a pinned walker, grouped as in Dolinsky 2017, (3.81), (3.85), (4.56): torque = Z(motion) beta.

    inertia.j      a_jj    I + squares of lengths times masses beyond     beta_1..3
    coupling.j.k   a_jk    length of j times first moment beyond it       beta_4, 5     (cross.j.k: b_jk, where links bend)
    moment.j       m_jz    first moment along the link                    beta_6..8     (side.j: m_jx, where links bend)
    JOINT.viscous, JOINT.coulomb, JOINT.rotor_inertia                     beta_6..9 of the leg

Rows are in the angles of the links, or in any `Coordinates` (T' Z). Gravity stands in Z, as in (4.56), not in beta as in
(3.81); beta_9, the total mass, acts in the unpinned model only and is `Planar.mass`.
Our legs hang where the thesis lets them point, so coupling and moment of a swinging leg are minus the thesis's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from bifilar.dynamics.tree import Array
from bifilar.errors import ShapeError
from bifilar.walking.coordinates import Coordinates
from bifilar.walking.planar import Planar, placed


@dataclass(frozen=True, eq=False)
class Grouping:
    """Names of beta and what each multiplies, for one pinned model.

    >>> from bifilar.walking.walker import Walker
    >>> Grouping.of(Walker.load("walker3").planar(0)).names[3:5]
    ('coupling.link4.link3', 'coupling.link4.link5')
    """

    planar: Planar
    names: tuple[str, ...]
    kinds: tuple[
        tuple[str, int, int], ...
    ]  # inertia, coupling, cross, moment, side, viscous, coulomb or rotor; which links, joint
    joints: tuple[str, ...]  # of the pinned model's rows

    @classmethod
    def of(
        cls,
        planar: Planar,
        joints: Sequence[str] | None = None,
        *,
        bent: bool | None = None,
        drives: Sequence[str] | None = None,
    ) -> Grouping:
        """All that can be told of a model; `bent`: whether links may bend (left out: if this model's do).

        `drives`: which of viscous, coulomb, rotor_inertia the joints have (left out: those of this model).

        >>> from bifilar.walking.walker import Walker
        >>> leg = Walker.load("leg")
        >>> Grouping.of(leg.planar(), leg.pinned().joint_names).names
        ('inertia.leg_1', 'inertia.leg_2', 'coupling.leg_1.leg_2', 'moment.leg_1', 'moment.leg_2', 'pivot.viscous',
        'leg_2.viscous', 'pivot.coulomb', 'leg_2.coulomb')
        """
        n = len(planar)
        rows = tuple(joints) if joints is not None else ("pivot", *(f"joint{k}" for k in range(1, n)))
        size = np.abs(planar.parts[0]).max()
        if bent is None:
            bent = bool(np.abs(planar.parts[1]).max() > 1e-12 * size or np.abs(planar.moment[:, 0]).max() > 1e-12 * size)
        carried = planar.ways.any(axis=2) | np.eye(n, dtype=bool)  # carried[i, j]: link j is on the way to link i
        pairs = [(j, k) for j in range(n) for k in range(j + 1, n) if (carried[:, j] & carried[:, k]).any()]
        kinds = [("inertia", j, j) for j in range(n)] + [("coupling", j, k) for j, k in pairs]
        kinds += [("cross", j, k) for j, k in pairs] if bent else []
        kinds += [("moment", j, j) for j in range(n)] + ([("side", j, j) for j in range(n)] if bent else [])
        if drives is None:
            some = (planar.rub[:, 0].any(), planar.rub[:, 1].any(), np.abs(planar.parts[2]).any())
            drives = [word for word, there in zip(("viscous", "coulomb", "rotor_inertia"), some) if there]
        # a rotor at the pivot is the same as inertia of the first link
        kinds += [(word, j, j) for word in drives for j in range(word == "rotor_inertia", n)]
        names = tuple(_name(kind, planar.names, rows) for kind in kinds)
        return cls(planar, names, tuple(kinds), rows)

    def __len__(self) -> int:
        return len(self.names)

    @property
    def values(self) -> Array:
        """beta of the model it was made for.

        >>> from bifilar.walking.walker import Walker
        >>> Grouping.of(Walker.load("walker3").planar(0)).values[5:].round(4)
        array([ 0.9595,  0.1385, -0.1121])
        """
        p = self.planar
        rotor = np.linalg.solve(p.joint.T, np.linalg.solve(p.joint.T, p.parts[2]).T).diagonal()  # J of J' diag J
        of = {
            "inertia": p.parts[0].diagonal(), "moment": p.moment[:, 1], "side": p.moment[:, 0],
            "viscous": p.rub[:, 0], "coulomb": p.rub[:, 1], "rotor_inertia": rotor,
        }  # fmt: skip
        two = {"coupling": p.parts[0], "cross": p.parts[1]}
        return np.array([two[kind][j, k] if kind in two else of[kind][j] for kind, j, k in self.kinds])

    def with_values(self, beta: ArrayLike) -> Planar:
        """The model with other beta: what an estimate is simulated with. The total mass stays.

        >>> from bifilar.walking.walker import Walker
        >>> g = Grouping.of(Walker.load("walker3").planar(0))
        >>> bool(np.allclose(g.with_values(2 * g.values).mass_matrix(np.zeros(3)), 2 * g.planar.mass_matrix(np.zeros(3))))
        True
        """
        beta = np.asarray(beta, dtype=float)
        if beta.shape != (len(self),):
            raise ShapeError("walker.beta_shape", shape=beta.shape, self_count=len(self), names=self.names)
        p = self.planar
        parts, moment, rub = p.parts.copy(), p.moment.copy(), p.rub.copy()
        rotor = np.zeros(len(p))
        for (kind, j, k), value in zip(self.kinds, beta):
            if kind in ("inertia", "coupling"):
                parts[0, j, k] = parts[0, k, j] = value
            elif kind == "cross":
                parts[1, j, k], parts[1, k, j] = value, -value
            elif kind in ("moment", "side"):
                moment[j, 1 if kind == "moment" else 0] = value
            elif kind == "rotor_inertia":
                rotor[j] = value
            else:
                rub[j, 0 if kind == "viscous" else 1] = value
        if any(kind == "rotor_inertia" for kind, _, _ in self.kinds):
            parts[2] = p.joint.T @ np.diag(rotor) @ p.joint
        return replace(p, parts=parts, moment=moment, rub=rub)

    def regressor(self, states: Array, accelerations: Array, coordinates: Coordinates | None = None) -> Array:
        """Z, (N, n, columns): generalised torque = Z beta. States (N, 2 n), accelerations (N, n).

        They are in `coordinates`, and so are the rows; left out: angles of the links.

        >>> from bifilar.walking.walker import Walker
        >>> g = Grouping.of(Walker.load("walker3").planar(0))
        >>> g.regressor(np.zeros((1, 6)), np.zeros((1, 3))).shape
        (1, 3, 8)
        """
        p, n = self.planar, len(self.planar)
        x, a = np.atleast_2d(states), np.atleast_2d(accelerations)
        if coordinates is not None:
            x, a = coordinates.links(x), a @ coordinates.matrix.T
        t, v = x[:, :n], x[:, n:]
        s, c = np.sin(t), np.cos(t)
        speed, push = v @ p.joint.T, a @ p.joint.T
        z = np.zeros((len(x), n, len(self)))
        for column, (kind, j, k) in enumerate(self.kinds):
            if kind == "inertia":
                z[:, j, column] = a[:, j]
            elif kind in ("coupling", "cross"):
                sd, cd = s[:, j] * c[:, k] - c[:, j] * s[:, k], c[:, j] * c[:, k] + s[:, j] * s[:, k]
                one, two = (cd, sd) if kind == "coupling" else (-sd, cd)
                z[:, j, column] = one * a[:, k] + two * v[:, k] ** 2
                z[:, k, column] = one * a[:, j] - two * v[:, j] ** 2
            elif kind == "moment":
                z[:, j, column] = -p.gravity[0] * c[:, j] + p.gravity[1] * s[:, j]
            elif kind == "side":
                z[:, j, column] = p.gravity[0] * s[:, j] + p.gravity[1] * c[:, j]
            else:
                drive = {"viscous": speed[:, j], "rotor_inertia": push[:, j]}.get(kind)
                drive = _smooth(speed[:, j], p.width) if drive is None else drive
                z[:, :, column] = drive[:, None] * p.joint[j]
        return z if coordinates is None else np.einsum("ji,njk->nik", coordinates.matrix, z)

    def torque(self, torques: Array, coordinates: Coordinates | None = None) -> Array:
        """Left side of torque = Z beta, (N, n), from torques of the pinned model's joints (N, n), the pivot's first.

        >>> from bifilar.walking.walker import Walker
        >>> g = Grouping.of(Walker.load("walker3").planar(0))
        >>> g.torque(np.array([[0.0, 1.0, 2.0]]))
        array([[ 1., -3.,  2.]])
        """
        rows = np.atleast_2d(torques) @ self.planar.joint
        return rows if coordinates is None else rows @ coordinates.matrix


def inverse_dynamics(planar: Planar, states: Array, accelerations: Array) -> Array:
    """Generalised torques (N, n) in the angles of the links that a motion needs: D a + h + G + F.

    >>> from bifilar.walking.walker import Walker
    >>> inverse_dynamics(Walker.load("walker3").planar(), np.zeros((2, 6)), np.zeros((2, 3))).shape
    (2, 3)
    """
    g = Grouping.of(planar)
    return np.asarray(g.regressor(states, accelerations) @ g.values)


def inverse_slopes(planar: Planar, states: Array, accelerations: Array) -> tuple[Array, Array, Array]:
    """Derivatives of `inverse_dynamics` by angles, rates and accelerations, each (N, n, n).

    >>> from bifilar.walking.walker import Walker
    >>> len(inverse_slopes(Walker.load("walker3").planar(), np.zeros((2, 6)), np.zeros((2, 3))))
    3
    """
    n = len(planar)
    x, a = np.atleast_2d(states), np.atleast_2d(accelerations)
    t, v = x[:, :n], x[:, n:]
    apart = t[:, :, None] - t[:, None, :]
    s, c = np.sin(apart), np.cos(apart)
    cosine, cross = planar.parts[0] * c - planar.parts[1] * s, planar.parts[0] * s + planar.parts[1] * c
    by_angle = cross * a[:, None, :] - cosine * v[:, None, :] ** 2
    here = np.arange(n)
    by_angle[:, here, here] = 0.0
    own = np.stack([planar.gravity @ placed(angles, planar.moment).T for angles in t])  # G = -g . turned
    by_angle[:, here, here] = own - by_angle.sum(axis=2)
    speed = v @ planar.joint.T
    width = max(planar.width, 1e-9)
    slope = planar.rub[:, 0] + planar.rub[:, 1] * width**2 / (speed**2 + width**2) ** 1.5
    by_rate = 2 * cross * v[:, None, :] + np.einsum("ri,nr,rj->nij", planar.joint, slope, planar.joint)
    return by_angle, by_rate, cosine + planar.parts[2]


def _smooth(speed: Array, width: float) -> Array:
    return np.sign(speed) if width == 0 else speed / np.sqrt(speed**2 + width**2)


def _name(kind: tuple[str, int, int], links: tuple[str, ...], joints: tuple[str, ...]) -> str:
    word, j, k = kind
    if word in ("coupling", "cross"):
        return f"{word}.{links[j]}.{links[k]}"
    return f"{word}.{links[j]}" if word in ("inertia", "moment", "side") else f"{joints[j]}.{word}"

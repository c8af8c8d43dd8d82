"""Arrays that come from outside, checked once: (samples, joints), finite, as many samples in one as in the other.

A single state (joints,) is one sample; what is computed from it loses the sample axis again. A floating base brings its
own motion, `BaseMotion`; the kernels eat it as nine numbers per sample: angular velocity, angular acceleration, and the
linear acceleration of the root's origin minus gravity, all in the root frame (so that gravity is only an acceleration).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bifilar.errors import ShapeError

Array = NDArray[np.float64]


FARTHEST = 1e7  # [rad, m] beyond, an angle has no digits left below a thousandth of a turn


def numbers(name: str, value: object) -> Array:
    """`value` as real floats, or a letter that says why it is none.

    >>> numbers("position", [[1, 2]])
    array([[1., 2.]])
    """
    try:
        array = np.asarray(value)
    except ValueError:
        raise ShapeError("shape.ragged", name=name) from None
    if array.dtype.kind not in "fiu":
        raise ShapeError(
            "not_numbers/state" if array.dtype.kind in "OSU" else "not_numbers/numbers", name=name, dtype=array.dtype
        )
    return np.ascontiguousarray(array, dtype=np.float64) if array.ndim else array.astype(np.float64)


def table(name: str, value: object, labels: Sequence[str], of: str = "joint", floating: bool = False) -> tuple[Array, bool]:
    """`value` as a finite (samples, labels) array, and whether it was a single state.

    >>> table("position", [0.0, 1.0], ("shoulder", "elbow"))
    (array([[0., 1.]]), True)
    """
    array = numbers(name, value)
    single = array.ndim == 1
    rows = array[None] if single else array
    if rows.ndim != 2 or rows.shape[1] != len(labels):
        raise _wrong_width(name, array, labels, of, floating)
    with np.errstate(over="ignore", invalid="ignore"):
        total = rows.sum()  # finite only if every number is, and faster than a mask
    if not np.isfinite(total) and not np.isfinite(rows).all():
        raise _not_finite(name, rows, labels, of)
    if name == "position" and rows.size and max(rows.max(), -rows.min()) > FARTHEST:
        raise ShapeError("position.too_far", largest=max(rows.max(), -rows.min()), farthest=FARTHEST)
    return rows, single


def _not_finite(name: str, rows: Array, labels: Sequence[str], of: str) -> ShapeError:
    row, column = (int(k) for k in np.argwhere(~np.isfinite(rows))[0])
    return ShapeError(
        "not_finite/state",
        where=f"{name}[{row}, {column}]",
        name=name,
        of=of,
        label=labels[column],
        row=rows[row, column],
        row_2=row,
    )


def _wrong_width(name: str, array: Array, labels: Sequence[str], of: str, floating: bool) -> ShapeError:
    names = ", ".join(labels[:12]) + (", ..." if len(labels) > 12 else "")
    likely, remedy = "", f"give (samples, {len(labels)}) or ({len(labels)},)"
    if array.ndim == 2 and array.shape[0] == len(labels):
        likely, remedy = "rows and columns are exchanged", f"give {name}.T"
    elif array.ndim == 1 and len(labels) == 1:
        likely, remedy = f"one column per {of} is asked for, also for a single one", f"give {name}[:, None]"
    elif floating and array.ndim in (1, 2) and array.shape[-1] - len(labels) in (6, 7):
        likely = f"the first {array.shape[-1] - len(labels)} columns are the base's"
        remedy += "; the base's pose goes into base=BaseMotion(...)"
    who = "the robot has" if of == "joint" else "it needs"
    return ShapeError(
        "shape.wrong/state",
        name=name,
        shape=array.shape,
        who=who,
        label_count=len(labels),
        of=of,
        likely=likely,
        remedy=remedy,
        **{f"{of}s": names or "none"},
    )


def states(labels: Sequence[str], *, floating: bool = False, **arrays: object) -> tuple[list[Array], bool]:
    """Several tables of the same samples; whether all of them were single states. `floating` is for the letter only.

    >>> states(("a",), position=[[0.0], [1.0]], velocity=[[2.0], [3.0]])[1]
    False
    """
    checked = {name: table(name, value, labels, floating=floating) for name, value in arrays.items()}
    counts = {name: len(rows) for name, (rows, _) in checked.items()}
    if len(set(counts.values())) > 1:
        raise ShapeError("shapes.differ/state", items=[f"{name} {n}" for name, n in counts.items()])
    return [rows for rows, _ in checked.values()], all(single for _, single in checked.values())


def squeezed(result: Array, single: bool) -> Array:
    """The result of one state without its sample axis.

    >>> squeezed(np.zeros((1, 7)), single=True).shape
    (7,)
    """
    return result[0] if single else result


def fixed_root(gravity: Array) -> Array:
    """The nine root numbers of a base that stands still, (1, 9).

    >>> fixed_root(np.array([0.0, 0.0, -9.81]))[0, -1]
    np.float64(9.81)
    """
    return np.concatenate([np.zeros(6), -gravity])[None]


_POSE = ("x", "y", "z", "qx", "qy", "qz", "qw")
_SIX = ("linear x", "linear y", "linear z", "angular x", "angular y", "angular z")


@dataclass(frozen=True, eq=False)
class BaseMotion:
    """How a floating base moves. Left out: standing at the world's origin.

    >>> BaseMotion(pose=[[0, 0, 0.5, 0, 0, 0, 1]]).samples
    1
    """

    pose: Array = None  # type: ignore[assignment]  # (N, 7) world_from_base: x y z [m], quaternion x y z w
    twist: Array = None  # type: ignore[assignment]  # (N, 6) linear [m/s], angular [rad/s], in the base frame
    acceleration: Array = None  # type: ignore[assignment]  # (N, 6) classical: linear [m/s^2], angular, in the base frame

    def __post_init__(self) -> None:
        given = {"pose": _POSE, "twist": _SIX, "acceleration": _SIX}
        rest = {"pose": np.array([0.0, 0, 0, 0, 0, 0, 1]), "twist": np.zeros(6), "acceleration": np.zeros(6)}
        given = {name: labels for name, labels in given.items() if getattr(self, name) is not None}
        tables = {name: table(f"base {name}", getattr(self, name), labels, "column")[0] for name, labels in given.items()}
        samples = max((len(rows) for rows in tables.values()), default=1)
        if any(len(rows) not in (1, samples) for rows in tables.values()):
            raise ShapeError("shapes.differ/post_init", counts=[f"{name} {len(rows)}" for name, rows in tables.items()])
        for name, at_rest in rest.items():
            rows = np.broadcast_to(tables.get(name, at_rest[None]), (samples, len(at_rest))).copy()
            rows.flags.writeable = False
            object.__setattr__(self, name, rows)
        norm = np.linalg.norm(self.pose[:, 3:], axis=1)
        if np.any(np.abs(norm - 1) > 1e-6):
            row = int(np.argmax(np.abs(norm - 1) > 1e-6))
            raise ShapeError("base.quaternion", where=f"base pose[{row}, 3:]", row=row, norm=norm[row])

    @property
    def samples(self) -> int:
        """Number of rows; one row serves any number of samples.

        >>> BaseMotion().samples
        1
        """
        return len(self.pose)

    @property
    def rotation(self) -> Array:
        """world_from_base, (N, 3, 3).

        >>> BaseMotion().rotation[0].diagonal()
        array([1., 1., 1.])
        """
        x, y, z, w = (self.pose[:, 3:] / np.linalg.norm(self.pose[:, 3:], axis=1, keepdims=True)).T
        rows = [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
        return np.moveaxis(np.array(rows), -1, 0)

    def gravity(self, gravity: ArrayLike) -> Array:
        """A world vector, such as gravity, in the base frame, (N, 3).

        >>> BaseMotion(pose=[0, 0, 0, 1, 0, 0, 0]).gravity([0, 0, -9.81])
        array([[0.  , 0.  , 9.81]])
        """
        return np.einsum("nji,j->ni", self.rotation, np.asarray(gravity, dtype=float))

    def rows(self, gravity: ArrayLike) -> Array:
        """Angular velocity, angular acceleration, linear acceleration minus gravity, in the base frame, (N, 9).

        >>> BaseMotion().rows([0, 0, -9.81])
        array([[0.  , 0.  , 0.  , 0.  , 0.  , 0.  , 0.  , 0.  , 9.81]])
        """
        linear = self.acceleration[:, :3] - self.gravity(gravity)
        return np.hstack([self.twist[:, 3:], self.acceleration[:, 3:], linear])

    def at_rest(self) -> BaseMotion:
        """The same poses without motion.

        >>> BaseMotion(twist=np.ones(6)).at_rest().twist.sum()
        np.float64(0.0)
        """
        return BaseMotion(pose=self.pose)

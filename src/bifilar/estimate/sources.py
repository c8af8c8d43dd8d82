"""Where the equations of a fit come from: prepared samples, recordings, or arrays; with weights; readable again and again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from bifilar.dynamics.tree import Array
from bifilar.errors import ShapeError, SolveError
from bifilar.recording.prepare import prepare
from bifilar.recording.recipes import Recipe, recipe_of
from bifilar.recording.recording import Recording
from bifilar.recording.samples import Samples
from bifilar.robot.reduction import Chunk

if TYPE_CHECKING:
    from bifilar.robot.model import Model

CHUNK = 8192  # samples that are worked on at once


@runtime_checkable
class Equations(Protocol):
    """What a problem reads, possibly several times.

    >>> isinstance(Arrays(*np.zeros((4, 3, 1))), Equations)
    True
    """

    def chunks(self, model: Model) -> Iterable[Chunk]:
        """Samples in a row, one chunk after the other.

        >>> len(list(Arrays(*np.zeros((4, 3, 1))).chunks(None)))
        1
        """
        ...

    def __len__(self) -> int: ...


Data = Recording | Equations | Sequence[ArrayLike]


@dataclass(frozen=True, eq=False)
class Arrays:
    """Position, velocity, acceleration and torque that somebody else prepared, (samples, joints) each.

    >>> len(Arrays(*np.zeros((4, 5, 2))))
    5
    """

    position: Array
    velocity: Array
    acceleration: Array
    torque: Array
    weight: Array | None = None  # (samples, rows) or (samples,); 0 leaves a sample out

    def __post_init__(self) -> None:
        for name in ("position", "velocity", "acceleration", "torque"):
            array = np.ascontiguousarray(getattr(self, name), dtype=float)
            if array.ndim != 2 or len(array) != len(np.asarray(self.position)):
                raise ShapeError("shape.wrong/sources", name=name, shape=array.shape)
            object.__setattr__(self, name, array)

    def __len__(self) -> int:
        return len(self.position)

    def chunks(self, model: Model | None = None) -> Iterator[Chunk]:
        """All samples, some thousands at a time.

        >>> [len(chunk.torque) for chunk in Arrays(*np.zeros((4, 10000, 1))).chunks()]
        [8192, 1808]
        """
        table = (self.position, self.velocity, self.acceleration, self.torque)
        for start in range(0, len(self), CHUNK):
            part = slice(start, start + CHUNK)
            q, v, a, tau = (x[part] for x in table)
            yield Chunk(q, v, a, tau, None if self.weight is None else np.asarray(self.weight)[part])


@dataclass(frozen=True, eq=False)
class Weighted:
    """Another source whose rows are multiplied by weights: of a recording, of robust statistics, of a mask.

    >>> source = Weighted(Arrays(*np.zeros((4, 3, 2))), np.array([1.0, 0.0, 2.0]))
    >>> next(iter(source.chunks(None))).weight[:, 1]
    array([1., 0., 2.])
    """

    source: Equations
    weight: Array | float  # (samples, rows), (samples,) or one number

    def __len__(self) -> int:
        return len(self.source)

    def chunks(self, model: Model) -> Iterator[Chunk]:
        """The chunks of the source, weighted.

        >>> next(iter(Weighted(Arrays(*np.zeros((4, 3, 1))), 2.0).chunks(None))).weight.ravel()
        array([2., 2., 2.])
        """
        start = 0
        for chunk in self.source.chunks(model):
            torque = np.asarray(chunk.torque)
            own = np.ones(torque.shape) if chunk.weight is None else _wide(np.asarray(chunk.weight, dtype=float), torque)
            more = np.asarray(self.weight, dtype=float)
            more = more if more.ndim == 0 else _wide(more[start : start + len(torque)], torque)
            start += len(torque)
            yield chunk._replace(weight=own * more)


def _wide(weight: Array, torque: Array) -> Array:
    wide = weight[:, None] if weight.ndim == 1 else weight
    return np.broadcast_to(wide, torque.shape).copy()


def equations_of(data: Data, model: Model, recipe: str | Recipe = "default") -> Equations:
    """A recording is prepared; samples are checked for their joints; four arrays are taken as they are.

    >>> robot = bf.Robot.load("pendulum")
    >>> type(equations_of(tuple(np.zeros((4, 5, 1))), robot)).__name__
    'Arrays'
    """
    if isinstance(data, Recording):
        data = prepare(data, recipe, robot=model)
    if isinstance(data, Samples):
        return _same_joints(data, model)
    if isinstance(data, Equations) and not isinstance(data, (list, tuple)):
        return data
    if isinstance(data, (list, tuple)) and 4 <= len(data) <= 5:
        return Arrays(*data)  # type: ignore[arg-type]
    raise SolveError("recording.kind/sources", kind=type(data).__name__)


def listed(recordings: Data | Iterable[Data]) -> tuple[Data, ...]:
    """One recording or several, as a tuple.

    >>> len(listed(tuple(np.zeros((4, 5, 1))))), len(listed([tuple(np.zeros((4, 5, 1)))] * 2))
    (1, 2)
    """
    if isinstance(recordings, (Recording, Samples)) or (
        isinstance(recordings, Equations) and not isinstance(recordings, (list, tuple))
    ):
        return (recordings,)
    several = tuple(recordings)  # type: ignore[arg-type]
    if several and all(isinstance(entry, np.ndarray) for entry in several):
        return (several,)
    if not several:
        raise SolveError("recordings.none/sources")
    return several  # type: ignore[return-value]


def _same_joints(samples: Samples, model: Model) -> Samples:
    if samples.joint_names != model.joint_names:
        missing = [name for name in model.joint_names if name not in samples.joint_names]
        raise SolveError(
            "joints.other/sources" if missing else "joints.other/same_joints",
            samples=samples.joint_names,
            robot=model.joint_names,
            missing=missing[:1],
        )
    return samples


def as_fitted(recipe: str | Recipe, sources: Iterable[object]) -> str | Recipe:
    """The recipe by which recordings are prepared that a fit of these sources is judged on: in the same band.

    The cut-off is that of the fitted samples, the largest where they differ; as before where a cut-off was asked for.

    >>> t = np.arange(500) / 100
    >>> swing = bf.Recording(joint_names=["joint1"], time=t, position=np.sin(t)[:, None], torque=np.cos(t)[:, None])
    >>> as_fitted("default", [bf.prepare(swing, cutoff=5.0)]).fitted_cutoff, as_fitted("default", [])
    (5.0, 'default')
    """
    found = [cutoff for source in sources if (cutoff := _cutoff_of(source)) is not None]
    asked = recipe_of(recipe)
    return recipe if not found or asked.cutoff is not None else recipe_of(asked, fitted_cutoff=max(found))


def _cutoff_of(source: object) -> float | None:
    while not isinstance(source, Samples) and hasattr(source, "source"):
        source = source.source
    return source.cutoff if isinstance(source, Samples) else None

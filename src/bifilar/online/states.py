"""Which parameters of a robot are followed, and in which form: names and patterns to a `Space`.

    form "principal"      mass, moments J1 J2 J3 at the centre of mass along the principal axes (axes="link": Jxx Jyy Jzz along
                          the link's), first moments mcx mcy mcz: the state of Joukov et al. (10). A first moment that is
                          not followed goes with the mass: the centre of mass is then taken as known.
    form "second"         the same with second moments S1 S2 S3 in place of moments: a body between bounds can always exist
    form "ten"            the ten numbers about the link's origin: the measurement is linear. With constraint="physical" what is
                          given out are the nearest bodies that can exist (`possible`)
    form "log_cholesky"   all ten, physical by construction

Drive coefficients (joint3.viscous, joint3.coulomb, joint3.rotor_inertia ...) may be named with any form; the robot must have
the terms: `robot.with_friction(bf.Viscous() + bf.Coulomb())`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Literal, get_args

import numpy as np

from bifilar.errors import RobotError, near_names
from bifilar.online.body_maps import principal_parts
from bifilar.online.bounds import Bounds, link_size, pair_of
from bifilar.online.maps import sigmoid_inverse
from bifilar.online.space import Block, Space, refuse_outside
from bifilar.online.tables import AFFINE, LOG_CHOLESKY, PRINCIPAL, SCALAR, SECOND, SIGMOID, TEN
from bifilar.robot.friction import term_of
from bifilar.robot.inertia import PARAMETERS, Array, Inertia, six_of
from bifilar.robot.robot import Robot

Form = Literal["principal", "second", "ten", "log_cholesky"]
Constraint = Literal["sigmoid", "none", "physical"]
CAP = 9.0  # of a sigmoid's argument: 1e-4 of the range from a bound
FREE = 1e9  # cap of a state without bounds
LOGS, LENGTHS = 10.0, 40.0  # caps of a log-Cholesky vector: factors of e^10, lengths in sizes of the body
LOG_WORDS = ("alpha", "d1", "d2", "d3", "s12", "s23", "s13", "t1", "t2", "t3")
FIRST = ("mcx", "mcy", "mcz")


def words_of(form: Form, axes: str) -> tuple[str, ...]:
    """What the numbers of a body are called.

    >>> words_of("principal", "link")
    ('mass', 'Jxx', 'Jyy', 'Jzz', 'mcx', 'mcy', 'mcz')
    """
    if form not in get_args(Form):
        raise RobotError("form.unknown", forms=get_args(Form), form=form, near=near_names(form, get_args(Form)))
    if form == "second":
        return ("mass", "S1", "S2", "S3", *FIRST)
    if form != "principal":
        return PARAMETERS
    if axes not in ("principal", "link"):
        raise RobotError("axes.unknown", axes=axes)
    return ("mass", *(("J1", "J2", "J3") if axes == "principal" else ("Jxx", "Jyy", "Jzz")), *FIRST)


def chosen_names(names: Sequence[str], patterns: Sequence[str]) -> list[str]:
    """Names that match a pattern, in their own order; a pattern without a match is refused.

    >>> chosen_names(["a.mass", "a.J1", "b.mass"], ["*.mass"])
    ['a.mass', 'b.mass']
    """
    for pattern in (patterns := (patterns,) if isinstance(patterns, str) else tuple(patterns)):
        if not any(fnmatchcase(name, pattern) for name in names):
            shown = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
            key = "parameters.no_match/friction" if term_of(pattern.rpartition(".")[2]) else "parameters.no_match/states"
            raise RobotError(key, names=shown, pattern=pattern, near=near_names(pattern, names))
    if not patterns:
        raise RobotError("parameters.none")
    return [name for name in names if any(fnmatchcase(name, pattern) for pattern in patterns)]


class Builder:
    """Collects states and blocks.

    >>> Builder("twice", "sigmoid", {}).names
    []
    """

    def __init__(
        self, bounds: Bounds, constraint: Constraint, start: Mapping[str, float], *, largest: float | None = None
    ) -> None:
        if constraint not in get_args(Constraint):
            raise RobotError("constraint.unknown/states", constraint=constraint)
        self.bounds, self.constraint, self.first = bounds, constraint, dict(start)
        self.largest = largest  # [kg] that a body whose guess is light may weigh
        self.names: list[str] = []
        self.start: list[float] = []
        self.kinds: list[int] = []
        self.scalars: list[tuple[float, float, float]] = []
        self.cap: list[float] = []
        self.blocks: list[Block] = []
        self.walls: list[tuple[int, float, float]] = []

    def bounded(self, name: str, guess: float, *, mass: float = 0.0, size: float = 0.05) -> int:
        """A state between bounds (or free, of their size); returns its place.

        >>> Builder("twice", "sigmoid", {}).bounded("link1.mass", 2.0)
        0
        """
        low, high = pair_of(name, guess, self.bounds, mass=mass, size=size)
        value = float(self.first.pop(name, guess))
        if self.constraint == "none":
            return self.free(name, value, 0.25 * (high - low))
        if self.constraint == "physical":
            refuse_outside(name, value, low, high)
            self.walls.append((len(self.names), low, high))
            return self.free(name, value, 0.25 * (high - low))
        refuse_outside(name, value, low, high)
        x = float(sigmoid_inverse(value, low, high))
        return self._add(name, x, SIGMOID, (low, high, 1.0), max(CAP, abs(x) + 1.0))

    def free(self, name: str, value: float, scale: float, cap: float = FREE, stride: float = 0.0) -> int:
        """A state without bounds: value + scale x, no further than `stride` in one step (0: as far as it likes).

        >>> Builder("twice", "none", {}).free("link1.mass", 2.0, 1.0)
        0
        """
        value = float(self.first.pop(name, value))
        if not np.isfinite(value):
            raise RobotError("parameters.start", name=name, value=value)
        return self._add(name, 0.0, AFFINE, (value, scale, stride), cap)

    def _add(self, name: str, x: float, kind: int, numbers: tuple[float, float, float], cap: float) -> int:
        self.names.append(name)
        self.start.append(x)
        self.kinds.append(kind)
        self.scalars.append(numbers)
        self.cap.append(cap)
        return len(self.names) - 1

    def body(
        self,
        name: str,
        inertia: Inertia,
        chosen: Sequence[str],
        column: int,
        *,
        form: Form,
        axes: str,
        size: float,
        move: Array | None = None,
        link: str = "",
    ) -> None:
        """A body some of whose numbers are states.

        >>> builder, ball = Builder("twice", "sigmoid", {}), Inertia.from_center_of_mass(1.0, [0, 0, 0], np.eye(3))
        >>> builder.body("ball", ball, ["ball.mass"], 0, form="principal", axes="principal", size=0.1)
        >>> builder.names
        ['ball.mass']
        """
        if self.constraint == "physical" and form != "ten":
            raise RobotError("constraint.form", form=form)
        add = {"principal": self._principal, "second": self._second, "ten": self._ten, "log_cholesky": self._log_cholesky}[form]
        kind, slots, fixed, axes_, rest = add(name, inertia, set(chosen), axes, size)
        self.blocks.append(
            Block(
                name=name,
                kind=kind,
                column=column,
                slots=slots,
                fixed=fixed,
                axes=axes_,
                rest=rest,
                move=move,
                link=link or name,
            )
        )

    def _principal(self, name: str, inertia: Inertia, chosen: set[str], axes: str, size: float):  # type: ignore[no-untyped-def]
        seven, turn = principal_parts(inertia)
        rest = np.zeros(6)
        if axes == "link":
            about, turn = inertia.about_center_of_mass, np.eye(3)
            seven[1:4] = np.diag(about)
            rest = six_of(about - np.diag(np.diag(about)))
        return PRINCIPAL, *self._seven(name, inertia, chosen, words_of("principal", axes), seven, size), turn, rest

    def _second(self, name: str, inertia: Inertia, chosen: set[str], axes: str, size: float):  # type: ignore[no-untyped-def]
        seven, turn = principal_parts(inertia, second=True)
        return SECOND, *self._seven(name, inertia, chosen, words_of("second", axes), seven, size), turn, np.zeros(6)

    def _seven(
        self, name: str, inertia: Inertia, chosen: set[str], words: tuple[str, ...], seven: Array, size: float
    ) -> tuple[tuple[int, ...], Array]:
        fixed, slots = np.zeros(10), []
        for word, value in zip(words, seven):
            state = f"{name}.{word}" in chosen
            slots.append(self.bounded(f"{name}.{word}", value, mass=inertia.mass, size=size) if state else -1)
        fixed[:4], fixed[4:7] = seven[:4], inertia.center_of_mass
        for k, word in enumerate(words[:4]):  # a start of a number that is not followed is what is taken as known
            fixed[k] = self.first.pop(f"{name}.{word}", fixed[k])
        return (*slots, -1, -1, -1), fixed

    def _ten(self, name: str, inertia: Inertia, chosen: set[str], axes: str, size: float):  # type: ignore[no-untyped-def]
        if self.constraint == "physical":
            _refuse_parts(name, chosen, "constraint='physical'")
        ten, slots, radius = inertia.vector, [], _radius(inertia, size)
        mass = max(inertia.mass, 1e-3)
        if self.largest is not None and self.largest > mass:
            mass, radius = self.largest, 0.5 * size
        scales = 0.5 * mass * np.array([1.0, *(radius,) * 3, *(radius**2,) * 6])
        for word, value, scale in zip(PARAMETERS, ten, scales):
            if f"{name}.{word}" not in chosen:
                slots.append(-1)
            elif self.constraint != "sigmoid" or (word not in ("mass", "Ixx", "Iyy", "Izz", *FIRST)):
                slots.append(self.free(f"{name}.{word}", value, scale))
            else:
                slots.append(self.bounded(f"{name}.{word}", value, mass=inertia.mass, size=size))
        return TEN, tuple(slots), ten, None, None

    def _log_cholesky(self, name: str, inertia: Inertia, chosen: set[str], axes: str, size: float):  # type: ignore[no-untyped-def]
        _refuse_parts(name, chosen, "log-Cholesky")
        ten = [self.first.pop(f"{name}.{word}", value) for word, value in zip(PARAMETERS, inertia.vector)]
        try:
            theta = Inertia.from_vector(ten).log_cholesky()
        except RobotError:
            raise RobotError("body.impossible/states", name=name) from None
        radius = float(np.sqrt(np.exp(2 * theta[1:4]).sum()))
        scales, caps = [1.0] * 4 + [radius] * 6, [LOGS] * 4 + [LENGTHS] * 6
        slots = [self.free(f"{name}.{w}", v, s, c, 1.0) for w, v, s, c in zip(LOG_WORDS, theta, scales, caps)]
        return LOG_CHOLESKY, tuple(slots), np.zeros(10), None, None

    def drive(self, name: str, guess: float, column: int) -> None:
        """A drive coefficient.

        >>> builder = Builder("twice", "sigmoid", {})
        >>> builder.drive("joint1.viscous", 0.5, 10)
        >>> builder.names
        ['joint1.viscous']
        """
        place = self.bounded(name, guess)
        self.blocks.append(Block(name=name, kind=SCALAR, column=column, slots=(place,), fixed=np.zeros(10)))

    def space(self, known: Array) -> Space:
        """Done: what was collected; `known` are the parameters of all columns that no block says.

        >>> builder = Builder("twice", "sigmoid", {})
        >>> builder.drive("joint1.viscous", 0.5, 10)
        >>> len(builder.space(np.zeros(11)))
        1
        """
        if self.first:
            name = next(iter(self.first))
            raise RobotError("parameters.start_unused", name=name, near=near_names(name, self.names))
        kinds = np.array(self.kinds, dtype=np.uint64)
        return Space(
            names=tuple(self.names),
            start=np.array(self.start),
            kinds=kinds,
            scalars=np.array(self.scalars).reshape(-1, 3),
            cap=np.array(self.cap),
            blocks=tuple(self.blocks),
            known=known,
            physical=self.constraint == "physical",
            walls=tuple(self.walls),
        )


def space_of(
    robot: Robot,
    parameters: Sequence[str] = ("*.mass", "*.J*"),
    *,
    form: Form = "principal",
    axes: str = "principal",
    bounds: Bounds = "twice",
    constraint: Constraint = "sigmoid",
    start: Mapping[str, float] | None = None,
) -> Space:
    """The state that follows these parameters; the robot's own numbers are the guess.

    >>> space_of(bf.Robot.load("two_link"), ("link2.*",)).names
    ('link2.mass', 'link2.J1', 'link2.J2', 'link2.J3', 'link2.mcx', 'link2.mcy', 'link2.mcz')
    """
    words = words_of(form, axes)
    asked = (parameters,) if isinstance(parameters, str) else tuple(parameters)
    bodies = [body for body, ten in zip(robot.body_names, robot.body_parameters) if ten[0] > 0 or _named(body, asked)]
    names = [f"{body}.{word}" for body in bodies for word in words] + list(robot.drive_columns.names)
    chosen = chosen_names(names, asked)
    builder = Builder(bounds, constraint, dict(start or {}))
    known = np.concatenate([robot.body_parameters.ravel(), robot.drive_values])
    for k, body in enumerate(robot.body_names):
        mine = [name for name in chosen if name.rpartition(".")[0] == body and name.rpartition(".")[2] in words]
        if mine:
            inertia = Inertia.from_vector(robot.body_parameters[k])
            builder.body(body, inertia, mine, 10 * k, form=form, axes=axes, size=link_size(robot, k))
            known[10 * k : 10 * k + 10] = 0.0
    for k, name in enumerate(robot.drive_columns.names):
        if name in chosen:
            column = 10 * len(robot.body_names) + k
            builder.drive(name, float(robot.drive_values[k]), column)
            known[column] = 0.0
    return builder.space(known)


def _named(body: str, patterns: tuple[str, ...]) -> bool:
    """Whether a body is meant although it weighs nothing: by its own name, not by a star."""
    return any(pattern.startswith(body + ".") for pattern in patterns)


def _refuse_parts(name: str, chosen: set[str], what: str) -> None:
    """Whether a body can exist is asked of all its ten numbers."""
    if missing := [word for word in PARAMETERS if f"{name}.{word}" not in chosen]:
        raise RobotError("parameters.body_incomplete", thing=what, name=name, missing=missing[0])


def _radius(inertia: Inertia, size: float) -> float:
    """How far from its origin the mass of a body is [m]."""
    if not inertia.mass > 0:
        return size
    return float(np.sqrt(max(0.5 * np.trace(inertia.rotational) / inertia.mass, 0.25 * size**2)))

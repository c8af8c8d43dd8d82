"""A model whose links are known: which body carries them, their limits, columns for each of them.

Every link of the file is kept, those held by fixed joints too: phi_body = sum over links of X_link phi_link, hence the
regressor of a link is Y_body X_link. `parameters()` are the bodies', `parameters(per_link=True)` the links'.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from bifilar.dynamics.state import BaseMotion
from bifilar.dynamics.tree import Array
from bifilar.errors import Finding, RobotError, near_names
from bifilar.robot.assemble import Assembly, moving_matrix
from bifilar.robot.description import Description, Joint, Link, Pose
from bifilar.robot.inertia import PARAMETERS
from bifilar.robot.model import Model
from bifilar.robot.model_data import Rows
from bifilar.robot.parameters import Parameters


class LinkPlace(NamedTuple):
    """Where a link's ten numbers go: phi_body = sum of matrix @ phi_link.

    >>> bf.Robot.load("pendulum").link_map()["link1"].body
    1
    """

    body: int
    matrix: Array  # 10 x 10


class JointLimits(NamedTuple):
    """Limits of the independent joints, one array each; infinite where the file says nothing.

    >>> bf.Robot.load("pendulum").limits.effort
    array([10.])
    """

    lower: Array
    upper: Array
    velocity: Array
    acceleration: Array
    jerk: Array
    effort: Array


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Described(Model):
    """Everything a Robot knows; `Robot` adds where it comes from and how to make another.

    >>> isinstance(bf.Robot.load("pendulum"), Described)
    True
    """

    name: str
    links: tuple[Link, ...]  # all of them, in the file's order
    joints: tuple[Joint, ...]  # all of them, in the file's order, fixed and mimic ones too
    assembly: Assembly  # which body carries which link
    findings: tuple[Finding, ...] = ()  # of reading the file; `check` adds what is odd about the links
    source: object = None  # what the writer of the same format needs to change numbers only
    file: str = ""  # absolute path it was read from, where its meshes are looked for; "" if it came from no file

    def __repr__(self) -> str:
        return super().__repr__().replace("(", f"({self.name!r}: ", 1)

    def _repr_html_(self) -> str:
        """Joints with their limits and the masses they move, in a notebook."""
        from bifilar.robot.notebook import notebook_table

        limits, of = self.limits, {joint.name: joint for joint in self.joints}
        mass = dict(zip(self.body_names, self.body_parameters[:, 0]))
        rows: list[list[object]] = [["joint", "moves", "mass [kg]", "lower", "upper", "speed", "torque"]]
        for k, name in enumerate(self.joint_names):
            ends = (limits.lower[k], limits.upper[k], limits.velocity[k], limits.effort[k])
            child = of[name].child
            rows.append([name, child, f"{mass.get(child, 0.0):.3g}", *(f"{x:.3g}" if np.isfinite(x) else "" for x in ends)])
        drives = ", ".join(type(term).__name__ for term in self.friction) or "none"
        return notebook_table(f"Robot {self.name}", rows, f"{len(self.links)} links, friction: {drives}", words=2)

    def check(self) -> tuple[Finding, ...]:
        """What a user should know: findings of reading the file, then links that could not exist as they are now.

        >>> bf.Robot.load("two_link").with_parameters({"link1.mass": -1.0}).check()[0].where
        "link 'link1'"
        """
        from bifilar.robot.plausibility import findings_of

        now = findings_of(self.links, self.joints)
        return (*(finding for finding in self.findings if finding not in now), *now)

    def description(self) -> Description:
        """Links and joints as they are now.

        >>> bf.Robot.load("pendulum").description().name
        'pendulum'
        """
        return Description(self.name, self.links, self.joints, self.findings, self.source, self.gravity, self.file)

    def model(self) -> Model:
        """The bare equations, without links and file.

        >>> bf.Robot.load("pendulum").model()
        Model(joint1)
        """
        return Model(**{field.name: getattr(self, field.name) for field in fields(Model)})

    @property
    def frame_names(self) -> tuple[str, ...]:
        """Every link.

        >>> "tip" in bf.Robot.load("two_link").frame_names
        True
        """
        return tuple(link.name for link, body in zip(self.links, self.assembly.link_body) if body >= 0)

    def _frame(self, name: str) -> tuple[int, Pose]:
        for link, body, pose in zip(self.links, self.assembly.link_body, self.assembly.link_pose):
            if link.name == name and body >= 0:
                return body, pose
        raise self._unknown("link", name, self.frame_names)

    def link(self, name: str) -> Link:
        """A link by its name.

        >>> bf.Robot.load("pendulum").link("link1").inertia.mass
        1.0
        """
        found = [link for link in self.links if link.name == name]
        if not found:
            raise self._unknown("link", name, tuple(link.name for link in self.links))
        return found[0]

    def joint(self, name: str) -> Joint:
        """A joint by its name.

        >>> bf.Robot.load("pendulum").joint("joint1").kind
        'revolute'
        """
        found = [joint for joint in self.joints if joint.name == name]
        if not found:
            raise self._unknown("joint", name, tuple(joint.name for joint in self.joints))
        return found[0]

    def _unknown(self, what: str, name: str, names: tuple[str, ...]) -> RobotError:
        shown = ", ".join(names[:20]) + (", ..." if len(names) > 20 else "")
        return RobotError(
            "name.unknown/described",
            name=self.name,
            thing=what,
            name_2=name,
            near=near_names(name, names),
            **{f"{what}s": shown},
        )

    @property
    def limits(self) -> JointLimits:
        """Limits of the independent joints as arrays, in the order of `joint_names`.

        >>> bf.Robot.load("two_link").limits.lower.shape
        (2,)
        """
        of = {joint.name: joint.limits for joint in self.joints}
        return JointLimits(*(np.array([getattr(of[name], f) for name in self.joint_names]) for f in JointLimits._fields))

    def link_map(self) -> dict[str, LinkPlace]:
        """Which body carries each link, and how its ten numbers enter that body's.

        >>> robot = bf.Robot.load("two_link")
        >>> body, matrix = robot.link_map()["link2"]
        >>> bool(np.allclose(matrix @ robot.link("link2").inertia.vector, robot.body_parameters[body]))
        True
        """
        return dict(self._link_places)

    @cached_property
    def _link_places(self) -> dict[str, LinkPlace]:
        places = zip(self.links, self.assembly.link_body, self.assembly.link_pose)
        return {link.name: LinkPlace(body, moving_matrix(pose)) for link, body, pose in places if body >= 0}

    # ---- columns per link

    def column_names(self, rows: Rows | None = None, *, per_link: bool = False) -> tuple[str, ...]:
        """What the regressor's columns are: ten per body, or per link.

        >>> bf.Robot.load("two_link").column_names(per_link=True)[-1]
        'tip.Izz'
        """
        if not per_link:
            return super().column_names(rows)
        return tuple(f"{name}.{word}" for name in self._links_in(rows) for word in PARAMETERS) + self.drive_columns.names

    def parameters(self, rows: Rows | None = None, *, per_link: bool = False) -> Parameters:
        """The values that belong to the columns.

        >>> bf.Robot.load("two_link").parameters(per_link=True)["tip.mass"]
        0.0
        """
        if not per_link:
            return super().parameters(rows)
        of = {link.name: link.inertia.vector for link in self.links}
        values = np.array([of[name] for name in self._links_in(rows)]).ravel()
        return self._named(self.column_names(rows, per_link=True), values, of_bodies=False)

    def parameters_of(self, *patterns: str) -> Parameters:
        """Links' and drives' parameters whose names match a pattern; all of them without one.

        >>> bf.Robot.load("two_link").parameters_of("link*.mass").names
        ('link0.mass', 'link1.mass', 'link2.mass')
        """
        every = self.parameters("both", per_link=True)
        return every.select(*patterns) if patterns else every

    def regressor(  # type: ignore[override]
        self,
        position: ArrayLike,
        velocity: ArrayLike,
        acceleration: ArrayLike,
        *,
        rows: Rows | None = None,
        base: BaseMotion | None = None,
        load: ArrayLike | None = None,
        out: Array | None = None,
        per_link: bool = False,
    ) -> Array:
        """Y with torque = Y parameters(rows); `per_link` gives ten columns to every link, fixed ones too.

        See `Model.regressor` for the other arguments.

        >>> robot = bf.Robot.load("two_link")
        >>> robot.regressor([0.1, 0.2], [0.0, 0.0], [1.0, 0.0], per_link=True).shape
        (2, 30)
        """
        if not per_link:
            return super().regressor(position, velocity, acceleration, rows=rows, base=base, load=load, out=out)
        bodies = super().regressor(position, velocity, acceleration, rows=rows, base=base, load=load)
        links = bodies @ self._per_link(rows)
        if out is None:
            return links
        self._buffer(out, (1, *links.shape), single=True)[0] = links
        return out

    def _links_in(self, rows: Rows | None) -> tuple[str, ...]:
        first = 1 if self._rows(rows) == "joints" else 0
        return tuple(link.name for link, body in zip(self.links, self.assembly.link_body) if body >= first)

    def _per_link(self, rows: Rows | None) -> Array:
        """Matrix from link columns to body columns: Y_links = Y_bodies @ matrix."""
        first, drives = (1 if self._rows(rows) == "joints" else 0), len(self.drive_values)
        places = [self._link_places[name] for name in self._links_in(rows)]
        inertial = 10 * (len(self.body_names) - first)
        matrix = np.zeros((inertial + drives, 10 * len(places) + drives))
        for k, (body, block) in enumerate(places):
            matrix[10 * (body - first) : 10 * (body - first + 1), 10 * k : 10 * k + 10] = block
        matrix[inertial:, 10 * len(places) :] = np.eye(drives)
        return matrix

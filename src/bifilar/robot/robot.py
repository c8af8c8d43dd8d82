"""The robot: a model that remembers everything its file said. Nothing changes it; `with_...` gives another one.

Every link of the file is kept, those held by fixed joints too: phi_body = sum over links of X_link phi_link, hence the
regressor of a link is Y_body X_link. `parameters()` are the bodies', `parameters(per_link=True)` the links'.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from bifilar.dynamics.state import BaseMotion, numbers
from bifilar.dynamics.tree import Array
from bifilar.errors import RobotError, ShapeError
from bifilar.robot import changes
from bifilar.robot.assemble import Assembly, assemble, moving_matrix
from bifilar.robot.description import Description, Finding, Joint, Link, Pose
from bifilar.robot.drivetrain import Drivetrain
from bifilar.robot.friction import Friction, Term
from bifilar.robot.inertia import PARAMETERS, Inertia
from bifilar.robot.model import Model
from bifilar.robot.model_data import Rows
from bifilar.robot.parameters import Parameters, close_names
from bifilar.robot.stated import restated, stated_friction, stated_values


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
class Robot(Model):
    """Links, joints, limits, inertias, friction, drives: what the machine is.

    >>> robot = bf.Robot.load("two_link")
    >>> robot
    Robot('two_link': joint1, joint2)
    """

    name: str
    links: tuple[Link, ...]  # all of them, in the file's order
    joints: tuple[Joint, ...]  # all of them, in the file's order, fixed and mimic ones too
    assembly: Assembly  # which body carries which link
    findings: tuple[Finding, ...] = ()
    source: object = None  # what the writer of the same format needs to change numbers only

    def __repr__(self) -> str:
        return super().__repr__().replace("(", f"({self.name!r}: ", 1)

    @classmethod
    def build(
        cls,
        description: Description,
        *,
        gravity: ArrayLike | None = None,
        floating: bool | None = None,
        friction: Friction | Term | None = None,
        drivetrain: Drivetrain | None = None,
        values: Mapping[str, float] | None = None,
    ) -> Robot:
        """A robot from links and joints.

        `floating`: whether the base moves freely; left out, the description decides. `friction`: terms; left out, what the
        joints state (damping, friction, armature). `values`: drive coefficients by name, over those the joints state.

        >>> arm = bf.Description("arm", (bf.Link("base"), bf.Link("rod")), (bf.Joint("hinge", "revolute", "base", "rod"),))
        >>> bf.Robot.build(arm).joint_names
        ('hinge',)
        """
        gravity = description.gravity if gravity is None else gravity
        assembly = assemble(description, floating=floating, gravity=gravity)
        stated = stated_values(description.joints)
        friction = stated_friction(stated) if friction is None else Friction() + friction
        ordered = None if drivetrain is None else drivetrain.in_order(assembly.joint_names)
        names = friction.columns(assembly.joint_names, ordered, assembly.sliding).names
        drive = dict.fromkeys(names, 0.0) | {name: stated[name] for name in names if name in stated}
        drive |= changes.known_drive_values(values or {}, names)
        return cls(
            tree=assembly.tree,
            joint_names=assembly.joint_names,
            body_names=assembly.body_names,
            body_parameters=assembly.fold(description.links),
            friction=friction,
            drivetrain=ordered,
            drive_values=np.array([drive[name] for name in names]),
            sliding=assembly.sliding,
            name=description.name,
            links=tuple(description.links),
            joints=restated(description.joints, drive),
            assembly=assembly,
            findings=tuple(description.findings),
            source=description.source,
        )

    @classmethod
    def load(cls, source: str | os.PathLike[str], *, floating: bool | None = None, gravity: ArrayLike | None = None) -> Robot:
        """A robot from a file (.urdf; .xml or .mjcf; .toml, a DH table) or from the library by its name.

        >>> bf.Robot.load("panda").joint_names[-1]
        'joint7'
        """
        from bifilar.robot.load import read_description

        return cls.build(read_description(source), floating=floating, gravity=gravity)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it as a URDF; a robot that came from a URDF keeps everything of that file but its numbers.

        >>> import tempfile, pathlib
        >>> file = pathlib.Path(tempfile.mkdtemp(), "pendulum.urdf")
        >>> bf.Robot.load("pendulum").save(file)
        >>> bf.Robot.load(file).joint_names
        ('joint1',)
        """
        from bifilar.robot.load import write_description

        write_description(self.description(), path)

    def description(self) -> Description:
        """Links and joints as they are now.

        >>> bf.Robot.load("pendulum").description().name
        'pendulum'
        """
        return Description(self.name, self.links, self.joints, self.findings, self.source, gravity=self.gravity)

    def model(self) -> Model:
        """The bare equations, without links and file.

        >>> bf.Robot.load("pendulum").model()
        Model(joint1)
        """
        return Model(**{field.name: getattr(self, field.name) for field in fields(Model)})

    # ---- links and joints

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
        return RobotError(f"robot '{self.name}' has no {what} '{name}'", likely=close_names(name, names), **{f"{what}s": shown})

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
        return self._named(self.column_names(rows, per_link=True), values)

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

    # ---- other robots

    def with_parameters(self, values: Mapping[str, float] | Parameters) -> Robot:
        """Other numbers by name: `link3.mass` is that link's own (not its body's), `joint3.viscous` a drive coefficient.

        >>> bf.Robot.load("pendulum").with_parameters({"link1.mass": 2.0}).link("link1").inertia.mass
        2.0
        """
        return changes.with_parameters(self, values)

    def with_inertia(self, inertias: Mapping[str, Inertia]) -> Robot:
        """Other inertias of some links.

        >>> bf.Robot.load("pendulum").with_inertia({"link1": bf.Inertia.zero()}).link("link1").inertia.mass
        0.0
        """
        return changes.with_inertia(self, inertias)

    def with_body_parameters(self, values: ArrayLike) -> Robot:
        """Other body parameters (bodies, 10); the moving link of each body takes the change, links fixed to it stay.

        >>> robot = bf.Robot.load("two_link")
        >>> robot.with_body_parameters(2 * robot.body_parameters).link("link1").inertia.mass / robot.link("link1").inertia.mass
        2.0
        """
        wanted = numbers("body_parameters", values)
        if wanted.shape != self.body_parameters.shape or not np.isfinite(wanted).all():
            raise ShapeError(f"body_parameters must be {self.body_parameters.shape} finite numbers, it is {wanted.shape}")
        change = zip(self.body_names, wanted - self.body_parameters)
        return self.with_inertia({n: Inertia.from_vector(self.link(n).inertia.vector + d) for n, d in change})

    def with_payload(self, link: str, payload: Inertia, pose: Pose | None = None) -> Robot:
        """The robot holding something: `payload` at `pose` (link_from_payload) becomes part of the link.

        >>> tool = bf.Inertia.from_center_of_mass(0.5, [0, 0, 0.1], np.zeros((3, 3)))
        >>> bf.Robot.load("pendulum").with_payload("link1", tool).link("link1").inertia.mass
        1.5
        """
        pose = Pose() if pose is None else pose
        added = payload.moved(pose.rotation, pose.translation).vector
        return self.with_inertia({link: Inertia.from_vector(self.link(link).inertia.vector + added)})

    def with_friction(self, friction: Friction | Term | None, values: Mapping[str, float] | None = None) -> Robot:
        """Other friction terms (None: none); coefficients of the same name stay, new ones are zero unless given.

        >>> bf.Robot.load("pendulum").with_friction(bf.Viscous() + bf.Coulomb()).drive_values
        array([0., 0.])
        """
        return changes.rebuilt(self, friction=Friction() if friction is None else friction, values=values)

    def with_drivetrain(self, drivetrain: Drivetrain | None) -> Robot:
        """Other motors; terms name them by `at`.

        >>> both = bf.Drivetrain(joints=("joint1", "joint2"), motors=("motor2",), matrix=[[1, 1]])
        >>> bf.Robot.load("two_link").with_drivetrain(both).with_friction(bf.Viscous(at="motor2")).drive_columns.names
        ('motor2.viscous',)
        """
        return changes.rebuilt(self, drivetrain=drivetrain)

    def with_gravity(self, gravity: ArrayLike) -> Robot:
        """Under another gravity, in the world frame [m/s^2] (tilt the vector for a tilted base).

        >>> bf.Robot.load("pendulum").with_gravity([0, 0, 0]).gravity_torque([1.0])
        array([0.])
        """
        return changes.rebuilt(self, gravity=gravity)

    def locked(self, positions: Mapping[str, float]) -> Robot:
        """Some joints held at a position [rad or m]; they become fixed joints, joints that mimic them too.

        >>> bf.Robot.load("two_link").locked({"joint2": 0.5}).joint_names
        ('joint1',)
        """
        return changes.locked(self, positions)

    def select(self, joints: tuple[str, ...] | list[str]) -> Robot:
        """Only these joints move; the others are locked at zero, or at the limit nearest to it.

        >>> bf.Robot.load("panda").select(["joint2", "joint4"]).joint_names
        ('joint2', 'joint4')
        """
        return changes.select(self, joints)

    def renamed(self, names: Mapping[str, str]) -> Robot:
        """Other names for links and joints (a name that both have changes in both).

        >>> bf.Robot.load("pendulum").renamed({"joint1": "pivot"}).joint_names
        ('pivot',)
        """
        return changes.renamed(self, names)

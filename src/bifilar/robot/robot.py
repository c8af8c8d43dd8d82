"""The robot: a model that remembers everything its file said. Nothing changes it; `with_...` gives another one."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bifilar.dynamics.state import numbers
from bifilar.errors import ShapeError
from bifilar.robot import changes
from bifilar.robot.assemble import assemble
from bifilar.robot.described import Described
from bifilar.robot.description import Description, Pose
from bifilar.robot.drivetrain import Drivetrain
from bifilar.robot.friction import Friction, Term, friction_of
from bifilar.robot.inertia import Inertia
from bifilar.robot.parameters import Parameters
from bifilar.robot.stated import restated, stated_friction, stated_values


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Robot(Described):
    """Links, joints, limits, inertias, friction, drives: what the machine is.

    >>> robot = bf.Robot.load("two_link")
    >>> robot
    Robot('two_link': joint1, joint2)
    """

    @classmethod
    def build(
        cls,
        description: Description,
        *,
        gravity: ArrayLike | None = None,
        floating: bool | None = None,
        friction: Friction | Term | Iterable[Term] | None = None,
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
        friction = stated_friction(stated) if friction is None else friction_of(friction)
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
            file=description.file,
        )

    @classmethod
    def load(cls, source: str | os.PathLike[str], *, floating: bool | None = None, gravity: ArrayLike | None = None) -> Robot:
        """A robot from a file of any format that `bifilar.readers` knows, or from the library by its name.

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

    def with_parameters(self, values: Mapping[str, float] | Parameters) -> Robot:
        """Other numbers by name: `link3.mass` is that link's own, `joint3.viscous` a drive coefficient.

        `robot.parameters()` counts fixed links in the link that carries them; given back, the moving link takes the change.

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
            raise ShapeError("shape.wrong/robot", shape=self.body_parameters.shape, shape_2=wanted.shape)
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

    def with_friction(
        self, friction: Friction | Term | Iterable[Term] | None, values: Mapping[str, float] | None = None
    ) -> Robot:
        """Other friction terms (a sum, a list or None: none); coefficients of the same name stay, new ones are zero.

        >>> bf.Robot.load("pendulum").with_friction(bf.Viscous() + bf.Coulomb(), {"joint1.viscous": 0.1}).drive_values
        array([0.1, 0. ])
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

    def with_limits(self, limits: Mapping[str, Any] | str | os.PathLike[str]) -> Robot:
        """Other limits of some joints, by name or from a TOML file with a table [joints.NAME] for each (see `write_limits`).

        Keys are lower, upper, velocity, acceleration, jerk, effort [rad, m, s, N m, N]; what is left out stays as it is.

        >>> bf.Robot.load("two_link").with_limits({"joint2": {"lower": -2.0, "velocity": 3.0}}).limits.velocity[1]
        np.float64(3.0)
        """
        from bifilar.robot.limits_file import with_limits

        return with_limits(self, limits)

    def locked(self, joints: Mapping[str, float] | Iterable[str]) -> Robot:
        """Some joints held at a position [rad or m]; they become fixed joints, joints that mimic them too.

        Names alone are locked at zero, or at the limit nearest to it.

        >>> bf.Robot.load("two_link").locked({"joint2": 0.5}).joint_names
        ('joint1',)
        >>> bf.Robot.load("two_link").locked(["joint2"]).joint_names
        ('joint1',)
        """
        return changes.locked(self, joints)

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

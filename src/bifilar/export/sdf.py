"""A robot as SDF 1.9 (1.11 if joints follow others), for Gazebo: links, frames, joints, friction, shapes.

    link      pose relative to its parent link at joint position zero; inertia about the centre of mass, in the link's axes
    frame     a fixed link without mass: SDF would give it a kilogram
    joint     at its child's origin, axis in the child's frame; the base of a robot that stands is welded to the world

A moving link without mass that others are fixed to gets the inertia of them all, since Gazebo takes no links without mass.
In a model, links, joints and frames must have different names: a joint named as a link becomes NAME_joint. `notes_of` says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

import numpy as np

from bifilar.errors import RobotError
from bifilar.robot.description import Joint, Link, Pose, Shape
from bifilar.robot.fresh_urdf import attribute, numbers, rpy_from_rotation
from bifilar.robot.inertia import Inertia
from bifilar.robot.robot import Robot

BASE = "base_to_world"  # the joint that welds a base to the world
_SIX = (("ixx", 0, 0), ("ixy", 0, 1), ("ixz", 0, 2), ("iyy", 1, 1), ("iyz", 1, 2), ("izz", 2, 2))


@dataclass(frozen=True, eq=False)
class Plan:
    """What is written as what: inertias by link, which links are frames only, names that had to change.

    >>> sorted(plan_of(bf.Robot.load("two_link")).frames)
    ['tip']
    """

    inertia: dict[str, Inertia]
    frames: frozenset[str]
    names: dict[tuple[str, str], str]  # ("link" or "joint", name) -> name in the file
    root: str
    shapes: dict[str, tuple[Shape, ...]]  # of every link that stays one; those of frames moved to what carries them

    def called(self, kind: str, name: str) -> str:
        """The name in the file.

        >>> plan_of(bf.Robot.load("two_link")).called("joint", "joint1")
        'joint1'
        """
        return self.names.get((kind, name), name)


def plan_of(robot: Robot) -> Plan:
    """Decide what is written as what.

    >>> plan_of(bf.Robot.load("pendulum")).root
    'link0'
    """
    inertia: dict[str, Inertia] = {}
    frames: set[str] = set()
    shapes: dict[str, list[Shape]] = {link.name: list(link.shapes) for link in robot.links}
    for body, head in enumerate(robot.body_names):
        places = zip(robot.links, robot.assembly.link_body, robot.assembly.link_pose)
        riders = {link.name: (link, pose) for link, b, pose in places if b == body}
        alone = robot.link(head).inertia.mass == 0  # then everything that rides on it is written into it
        inertia[head] = Inertia.from_vector(robot.body_parameters[body]) if alone else robot.link(head).inertia
        for name, (link, pose) in riders.items():
            if name == head:
                continue
            if not alone and link.inertia.vector.any():
                inertia[name] = link.inertia
            else:
                frames.add(name)
                shapes[head] += [Shape(s.kind, s.size, pose @ s.pose, s.mesh, s.role) for s in shapes.pop(name)]
    return Plan(inertia, frozenset(frames), _names(robot), robot.body_names[0], {n: tuple(s) for n, s in shapes.items()})


def notes_of(robot: Robot) -> tuple[str, ...]:
    """What somebody who opens the file should know, beside what is lost.

    >>> notes_of(bf.Robot.load("pendulum"))
    ("link 'link0' has no mass: SDF takes 1 kg for it, which the fixed base carries",)
    """
    plan = plan_of(robot)
    said = [f"{kind} '{old}' is called '{new}' in SDF" for (kind, old), new in plan.names.items()]
    for name, body in plan.inertia.items():
        if body.mass == 0 and name == plan.root and not robot.is_floating:
            said.append(f"link '{name}' has no mass: SDF takes 1 kg for it, which the fixed base carries")
        elif body.mass == 0:
            said.append(f"link '{name}' moves and has no mass: Gazebo does not take such links")
    return tuple(said)


def sdf_bytes(robot: Robot) -> bytes:
    """The whole file.

    >>> print(sdf_bytes(bf.Robot.load("pendulum")).decode().splitlines()[2])
      <model name="pendulum">
    """
    plan = plan_of(robot)
    refused = [n for n, body in plan.inertia.items() if body.mass == 0 and body.first_moment.any()]
    if refused:
        raise RobotError("export.sdf_massless", refused=refused[0])
    version = "1.11" if any(joint.mimic is not None and joint.moves for joint in robot.joints) else "1.9"
    lines = ['<?xml version="1.0" encoding="utf-8"?>', f'<sdf version="{version}">', f"  <model name={attribute(robot.name)}>"]
    arrives = {joint.child: joint for joint in robot.joints if joint.kind != "floating"}
    here = [link for link, body in zip(robot.links, robot.assembly.link_body) if body >= 0]
    for link in sorted(here, key=lambda link: link.name != plan.root):  # a model's own frame is its first link's
        lines += [f"    {line}" for line in _link(plan, link, arrives.get(link.name), robot.is_floating)]
    if not robot.is_floating:
        lines += [f'    <joint name={attribute(plan.called("joint", BASE))} type="fixed">', "      <parent>world</parent>"]
        lines += [f"      <child>{escape(plan.called('link', plan.root))}</child>", "    </joint>"]
    for joint in robot.joints:
        if joint.kind != "floating" and joint.child not in plan.frames and joint.child != plan.root:
            lines += [f"    {line}" for line in _joint(plan, joint)]
    return "\n".join([*lines, "  </model>", "</sdf>", ""]).encode()


def _names(robot: Robot) -> dict[tuple[str, str], str]:
    """New names where SDF keeps one for itself or wants different ones."""
    taken = {link.name for link in robot.links} | {joint.name for joint in robot.joints} | {BASE, "world"}

    def free(name: str) -> str:
        while name in taken:
            name += "_"
        taken.add(name)
        return name

    links = {link.name for link in robot.links}
    new = {
        ("link", name): free(_possible(name, "link")) for name in links if name == "world" or _possible(name, "link") != name
    }
    for joint in robot.joints:
        if joint.name in links | {BASE, "world"} or _possible(joint.name, "joint") != joint.name:
            new["joint", joint.name] = free(_possible(f"{joint.name}_joint", "joint"))
    return new


def _possible(name: str, kind: str) -> str:
    """A name that SDF can hold: blanks at its ends get lost between tags, 'world' and __names__ are its own."""
    kept = name.strip() or kind
    return f"{kept}_{kind}" if kept == "world" or (kept.startswith("__") and kept.endswith("__")) else kept


def _link(plan: Plan, link: Link, joint: Joint | None, floating: bool) -> Iterator[str]:
    name = attribute(plan.called("link", link.name))
    parent = None if joint is None else attribute(plan.called("link", joint.parent))
    if link.name in plan.frames:
        assert joint is not None
        yield f"<frame name={name} attached_to={parent}><pose>{_pose(joint.pose)}</pose></frame>"
        return
    yield f"<link name={name}>"
    if joint is not None:
        yield f"  <pose relative_to={parent}>{_pose(joint.pose)}</pose>"
    body = plan.inertia[link.name]
    if body.mass or link.name != plan.root or floating:
        yield from (f"  {line}" for line in _inertial(body))
    for k, shape in enumerate(plan.shapes[link.name], 1):
        yield f'  <{shape.role} name="{shape.role}{k}"><pose>{_pose(shape.pose)}</pose>{_geometry(shape)}</{shape.role}>'
    yield "</link>"


def _inertial(body: Inertia) -> list[str]:
    about = body.about_center_of_mass
    center = body.center_of_mass if body.mass else np.zeros(3)
    six = "".join(f"<{key}>{numbers([about[row, column]])}</{key}>" for key, row, column in _SIX)
    mass, pose = f"<mass>{numbers([body.mass])}</mass>", f"<pose>{numbers(center)} 0 0 0</pose>"
    return ["<inertial>", f"  {mass}", f"  {pose}", f"  <inertia>{six}</inertia>", "</inertial>"]


def _joint(plan: Plan, joint: Joint) -> Iterator[str]:
    yield f'<joint name={attribute(plan.called("joint", joint.name))} type="{joint.kind}">'
    yield f"  <parent>{escape(plan.called('link', joint.parent))}</parent>"
    yield f"  <child>{escape(plan.called('link', joint.child))}</child>"
    if joint.moves:
        yield "  <axis>"
        yield f"    <xyz>{numbers(joint.axis)}</xyz>"
        bounds = {key: getattr(joint.limits, key) for key in ("lower", "upper", "effort", "velocity")}
        ends = "".join(f"<{key}>{numbers([x])}</{key}>" for key, x in bounds.items() if np.isfinite(x))
        yield f"    <limit>{ends}</limit>"
        values = f"<damping>{numbers([joint.damping])}</damping><friction>{numbers([joint.friction])}</friction>"
        yield f"    <dynamics>{values}</dynamics>"
        if joint.mimic is not None:
            m = joint.mimic
            inside = f"<multiplier>{numbers([m.ratio])}</multiplier><offset>{numbers([m.offset])}</offset>"
            yield f"    <mimic joint={attribute(plan.called('joint', m.joint))}>{inside}<reference>0</reference></mimic>"
        yield "  </axis>"
    yield "</joint>"


def _pose(pose: Pose) -> str:
    return f"{numbers(pose.translation)} {numbers(rpy_from_rotation(pose.rotation))}"


def _geometry(shape: Shape) -> str:
    if shape.kind == "mesh":
        inside = f"<mesh><uri>{escape(shape.mesh)}</uri><scale>{numbers(shape.size)}</scale></mesh>"
    elif shape.kind == "box":
        inside = f"<box><size>{numbers(shape.size)}</size></box>"
    else:
        inside = f"<{shape.kind}>{_round(shape.size)}</{shape.kind}>"
    return f"<geometry>{inside}</geometry>"


def _round(size: Sequence[float]) -> str:
    return "".join(f"<{key}>{numbers([x])}</{key}>" for key, x in zip(("radius", "length"), size))

"""Any description as MJCF: bodies nested, numbers to the last digit, shapes for a viewer.

A link becomes a body; a moving link without mass that carries nothing but the next moving link becomes one more joint of that
link's body (MuJoCo wants mass in every moving body), its anchor and axis seen from there. Fixed links stay bodies of their
own. MuJoCo has no bodies that could not exist (principal moments A + B >= C, mass and moments > 1e-15 where something moves):
where a fixed link alone is such a body its inertia is written into the moving link it rides on, and what is still impossible is
refused by name. Principal axes are computed here, since MuJoCo's own stop at 1e-12. A mimic joint becomes a joint
equality, which in MuJoCo is a soft constraint. Limits of speed, acceleration and jerk have no place in MJCF.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import quoteattr

import numpy as np

from bifilar.dynamics import decompose
from bifilar.dynamics.tree import GRAVITY
from bifilar.errors import RobotError
from bifilar.robot.description import UNLIMITED, Description, Joint, Link, Pose, Shape
from bifilar.robot.inertia import Array, Inertia

SMALLEST = 1e-14  # MuJoCo's own bound (mjMINVAL) is 1e-15
MAX_JOINTS = 6  # of one body


def write_mjcf(
    description: Description, *, floating: bool = False, motors: bool = True, gravity: Sequence[float] | None = None
) -> str:
    """The description as MJCF text.

    `floating` frees the root link, `motors` adds one torque motor per independent joint.

    >>> arm = Description("rock", links=(Link("rock"),), joints=())
    >>> print(write_mjcf(arm))
    <mujoco model="rock">
      <compiler angle="radian" autolimits="false" inertiafromgeom="false" fusestatic="false" balanceinertia="false"/>
      <option gravity="0.0 0.0 -9.81"/>
      <worldbody>
        <body name="rock">
        </body>
      </worldbody>
    </mujoco>
    <BLANKLINE>
    """
    plan = _Plan.of(description, floating)
    field = gravity if gravity is not None else description.gravity if description.gravity is not None else GRAVITY
    lines = [
        f"<mujoco model={_text(description.name)}>",
        '  <compiler angle="radian" autolimits="false" inertiafromgeom="false" fusestatic="false" balanceinertia="false"/>',
        f'  <option gravity="{_numbers(field)}"/>',
        "  <worldbody>",
        *_bodies(plan),
        "  </worldbody>",
        *_equalities(description),
        *(_motors(description) if motors else ()),
        "</mujoco>",
    ]
    return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class _Plan:
    """Who hangs on whom, and which inertia is written where."""

    links: dict[str, Link]
    below: dict[str, list[Joint]]
    root: str
    is_world: bool  # the root link is MuJoCo's world
    floating: bool
    inertia: dict[str, Inertia]

    @classmethod
    def of(cls, description: Description, floating: bool) -> _Plan:
        links = {link.name: link for link in description.links}
        below: dict[str, list[Joint]] = {name: [] for name in links}
        for joint in description.joints:
            if joint.parent not in links or joint.child not in links:
                raise RobotError("link.unknown/write_mjcf", where=description.name, name=joint.name)
            below[joint.parent].append(joint)
        children = {joint.child for joint in description.joints}
        roots = [name for name in links if name not in children]
        if len(roots) != 1 or len(children) != len(description.joints):
            raise RobotError("robot.loop/write_mjcf", where=description.name)
        root = roots[0]
        free = any(joint.kind == "floating" for joint in description.joints)
        if any(joint.kind == "floating" and joint.parent != root for joint in description.joints):
            raise RobotError("robot.floating_joint/write_mjcf", where=description.name)
        is_world = root == "world" or free
        if "world" in children or (is_world and floating and not free):
            raise RobotError("name.world", where=description.name)
        inertia = _shared(description, below, root, links, floating)
        return cls(links, below, root, is_world, floating and not free, inertia)


def _shared(
    description: Description, below: dict[str, list[Joint]], root: str, links: dict[str, Link], floating: bool
) -> dict[str, Inertia]:
    """The inertia to write for every link: its own, or the moving link's with its riders when one alone could not exist."""
    written: dict[str, Inertia] = {}
    refused: list[str] = []
    moved = {joint.child: joint.kind for joint in description.joints if joint.kind != "fixed"}
    for head in [root, *moved]:
        riders = _riders(head, below)
        own = {name: links[name].inertia for name in riders if np.any(links[name].inertia.vector != 0)}
        moves = head != root or floating
        carrier = not own and moved.get(head, "floating") != "floating"  # its joint becomes one more of the next body
        enough = not moves or carrier or any(_possible(body, SMALLEST) for body in own.values())
        if all(_possible(body, 0.0) for body in own.values()) and enough:
            written.update(own)
            continue
        total = np.zeros(10)
        for name, body in own.items():
            total += body.moved(riders[name].rotation, riders[name].translation).vector
        lumped = Inertia.from_vector(total)
        if _possible(lumped, SMALLEST if moves else 0.0):
            written[head] = lumped
        elif moves:
            refused += [name for name, body in own.items() if not _possible(body, 0.0)] or [head]
    if refused:
        raise RobotError("mjcf.bodies", where=description.name, refused=refused)
    return written


def _riders(head: str, below: dict[str, list[Joint]]) -> dict[str, Pose]:
    """The links that move with one link, itself first, as head_from_link."""
    found = {head: Pose()}
    waiting = [head]
    while waiting:
        name = waiting.pop()
        for joint in below[name]:
            if joint.kind == "fixed":
                found[joint.child] = found[name] @ joint.pose
                waiting.append(joint.child)
    return found


def _principal(inertia: Inertia) -> tuple[Array, Array]:
    """Principal moments and axes (columns); axes are the link's own where the tensor is diagonal already."""
    tensor = inertia.about_center_of_mass
    tensor = (tensor + tensor.T) / 2
    if not np.any(tensor - np.diag(np.diag(tensor))):
        moments, axes = np.diag(tensor).copy(), np.eye(3)
    else:
        moments, axes = decompose.eigh(tensor)
        axes = axes * np.sign(np.linalg.det(axes))
    largest = int(np.argmax(moments))
    others = float(np.sum(np.delete(moments, largest)))
    if others < moments[largest] <= others * (1 + 1e-9):  # a flat body, to rounding
        moments[largest] = others
    moments[np.abs(moments) < 1e-15 * np.max(np.abs(moments))] = 0.0
    return moments, axes


def _possible(inertia: Inertia, least: float) -> bool:
    """Whether MuJoCo takes it: mass and moments of at least `least`, A + B >= C."""
    moments, _ = _principal(inertia)
    low, middle, high = np.sort(moments)
    return bool(inertia.mass >= max(least, 0.0) and low >= least and low + middle >= high and (inertia.mass > 0 or high == 0))


def _bodies(plan: _Plan) -> Iterable[str]:
    """Opening and closing lines of all bodies, without recursion: a chain may be longer than Python's stack."""
    if plan.is_world:
        yield from _geoms(plan.links[plan.root].shapes, 4)
        waiting: list[tuple[int, str | tuple[list[Joint], Pose]]] = _opened(plan, plan.root, 4)
    else:
        yield f"    <body name={_text(plan.root)}>"
        if plan.floating:
            yield f"      <freejoint name={_text(plan.root + '_free')}/>"
        yield from _content(plan, plan.root, 6)
        waiting = [(4, "</body>"), *_opened(plan, plan.root, 6)]
    while waiting:
        depth, item = waiting.pop()
        if isinstance(item, str):
            yield " " * depth + item
            continue
        joints, stand = item
        name = joints[-1].child
        yield f"{' ' * depth}<body name={_text(name)}{_stand(stand)}>"
        yield from _joints(joints, depth + 2)
        yield from _content(plan, name, depth + 2)
        waiting += [(depth, "</body>"), *_opened(plan, name, depth + 2)]


def _opened(plan: _Plan, parent: str, depth: int) -> list[tuple[int, str | tuple[list[Joint], Pose]]]:
    """The bodies to write below one link, last first: each with its joints, carriers folded in, and where it stands."""
    found: list[tuple[int, str | tuple[list[Joint], Pose]]] = []
    for joint in reversed(plan.below[parent]):
        joints, stand = [joint], joint.pose
        while joint.moves and joint.child not in plan.inertia and not _carries_mass(plan, joint.child):
            onward = plan.below[joint.child]
            if len(onward) != 1 or not onward[0].moves or len(joints) == MAX_JOINTS:
                raise RobotError("link.massless/write_mjcf", child=joint.child)
            joint = onward[0]
            joints, stand = [*joints, joint], stand @ joint.pose
        found.append((depth, (joints, stand)))
    return found


def _carries_mass(plan: _Plan, name: str) -> bool:
    return any(rider in plan.inertia for rider in _riders(name, plan.below))


def _joints(joints: list[Joint], depth: int) -> Iterable[str]:
    """The joints of one body, outermost first; anchors and axes in the body's frame, which is the last joint's child."""
    seen, lines = Pose(), []  # the joint's child frame, seen from the body's
    for joint in reversed(joints):
        lines.append(" " * depth + _joint(joint, seen))
        seen = seen @ joint.pose.inverse()
    return [line for line in reversed(lines) if line.strip()]


def _joint(joint: Joint, seen: Pose) -> str:
    if joint.kind == "fixed":
        return ""
    if joint.kind == "floating":
        return f"<freejoint name={_text(joint.name)}/>"
    words = [f'type="{"slide" if joint.kind == "prismatic" else "hinge"}"', f'axis="{_numbers(seen.rotation @ joint.axis)}"']
    if np.any(seen.translation != 0) and joint.kind != "prismatic":
        words.append(f'pos="{_numbers(seen.translation)}"')
    lower, upper = max(joint.limits.lower, -UNLIMITED), min(joint.limits.upper, UNLIMITED)
    if lower < upper and (lower > -UNLIMITED or upper < UNLIMITED):
        words.append(f'limited="true" range="{_numbers((lower, upper))}"')
    if np.isfinite(joint.limits.effort) and joint.limits.effort > 0:
        bound = joint.limits.effort
        words.append(f'actuatorfrclimited="true" actuatorfrcrange="{_numbers((-bound, bound))}"')
    for word, value in (("armature", joint.armature), ("damping", joint.damping), ("frictionloss", joint.friction)):
        if value < 0:
            raise RobotError("friction.negative/write_mjcf", name=joint.name, word=word, value=value)
        words += [f'{word}="{_numbers((value,))}"'] if value else []
    return f"<joint name={_text(joint.name)} {' '.join(words)}/>"


def _content(plan: _Plan, name: str, depth: int) -> Iterable[str]:
    inertia = plan.inertia.get(name)
    if inertia is not None:
        moments, axes = _principal(inertia)
        turned = "" if np.array_equal(axes, np.eye(3)) else f' quat="{_numbers(_quaternion(axes))}"'
        place = f'pos="{_numbers(inertia.center_of_mass)}"{turned}'
        yield f'{" " * depth}<inertial mass="{_numbers((inertia.mass,))}" {place} diaginertia="{_numbers(moments)}"/>'
    yield from _geoms(plan.links[name].shapes, depth)


def _geoms(shapes: Sequence[Shape], depth: int) -> Iterable[str]:
    """Shapes that weigh nothing and touch nothing; meshes are left to whoever has their files."""
    for shape in shapes:
        sizes = shape.size if shape.kind != "box" else tuple(x / 2 for x in shape.size)
        sizes = (sizes[0], sizes[1] / 2) if shape.kind in ("cylinder", "capsule") else sizes
        if shape.kind == "mesh" or min(sizes) <= 0:
            continue
        group = 3 if shape.role == "collision" else 1
        words = f'type="{shape.kind}" size="{_numbers(sizes)}"{_stand(shape.pose)}'
        yield f'{" " * depth}<geom {words} mass="0" contype="0" conaffinity="0" group="{group}"/>'


def _stand(pose: Pose) -> str:
    place = f' pos="{_numbers(pose.translation)}"' if np.any(pose.translation != 0) else ""
    turn = f' quat="{_numbers(_quaternion(pose.rotation))}"' if not np.array_equal(pose.rotation, np.eye(3)) else ""
    return place + turn


def _equalities(description: Description) -> Iterable[str]:
    lines = []
    for joint in description.joints:
        if joint.mimic is not None:
            who = f"joint1={_text(joint.name)} joint2={_text(joint.mimic.joint)}"
            lines.append(f'    <joint {who} polycoef="{_numbers((joint.mimic.offset, joint.mimic.ratio, 0.0, 0.0, 0.0))}"/>')
    return ["  <equality>", *lines, "  </equality>"] if lines else []


def _motors(description: Description) -> Iterable[str]:
    names = [joint.name for joint in description.joints if joint.moves and joint.mimic is None]
    return (
        ["  <actuator>", *(f"    <motor name={_text(n)} joint={_text(n)}/>" for n in names), "  </actuator>"] if names else []
    )


def _numbers(values: Iterable[float]) -> str:
    """Shortest decimals that read back as the same doubles."""
    numbers = [float(value) + 0.0 for value in values]
    if not np.all(np.isfinite(numbers)):
        raise RobotError("not_finite/write_mjcf")
    return " ".join(repr(number) for number in numbers)


def _text(name: str) -> str:
    if any((ord(c) < 32 and c not in "\t\n\r") or c in "\ufffe\uffff" or "\ud800" <= c <= "\udfff" for c in name):
        raise RobotError("name.characters", name=name)
    return quoteattr(name)


def _quaternion(rotation: Array) -> Array:
    """w, x, y, z of a rotation matrix, from its largest component so that nothing cancels."""
    r = np.asarray(rotation, dtype=float)
    xx, yy, zz = np.diag(r)
    squares = np.array([1 + xx + yy + zz, 1 + xx - yy - zz, 1 - xx + yy - zz, 1 - xx - yy + zz])  # 4 w^2, 4 x^2, ...
    w = np.array([squares[0], r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]])
    x = np.array([w[1], squares[1], r[0, 1] + r[1, 0], r[0, 2] + r[2, 0]])
    y = np.array([w[2], x[2], squares[2], r[1, 2] + r[2, 1]])
    z = np.array([w[3], x[3], y[3], squares[3]])
    q = (w, x, y, z)[int(np.argmax(squares))]
    return q / np.linalg.norm(q)

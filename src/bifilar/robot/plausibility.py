"""Whether the links of a description could exist. Nothing is refused: what is odd becomes a sentence with its numbers.

A rigid body of positive density has mass m > 0 and principal moments I1 <= I2 <= I3 about its centre of mass with

    I1 >= 0   and   I1 + I2 >= I3                (equivalently: its pseudo-inertia is positive semi-definite)

Published models break this often (PUMA 560, TIAGo), usually because a number was rounded, guessed or stated about another
point; they still predict torque, so they load. Three weaker signs of a wrong number are looked for as well: a centre of
mass outside the link's own outline, a density that no material has, and the inertias that templates leave behind.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from bifilar.dynamics import decompose
from bifilar.errors import Finding, Severity
from bifilar.robot.description import Joint, Link, Shape
from bifilar.robot.inertia import Array, Inertia
from bifilar.robot.urdf_shapes import half_extent
from bifilar.robot.urdf_tree import body_groups
from bifilar.robot.xml_reader import shown

MARGIN = 0.1  # of the outline's diagonal: how far outside a centre of mass may lie before it is reported
DENSEST = 22_600.0  # [kg/m^3] osmium
LIGHTEST = 1.2  # [kg/m^3] air
FAR = 1e6  # [m] a centre of mass beyond this is a first moment without a mass
ROUNDING = 1e-9  # of the largest moment: below this a violated inequality is rounding


def findings_of(links: Sequence[Link], joints: Sequence[Joint]) -> tuple[Finding, ...]:
    """What is implausible about these links, worst first for each link.

    >>> plate = Link("plate", Inertia.from_center_of_mass(1.0, [0, 0, 0], np.diag([1.0, 1.0, 3.0])), has_inertia=True)
    >>> print(findings_of([plate], [])[0].what)
    the principal moments 1, 1, 3 kg m^2 violate the triangle inequality: 1 + 1 is 33 % short of 3
    """
    found = [finding for link in links for finding in _of_link(link)]
    return (*found, *_placeholders(links), *_moving_without_mass(links, joints))


def _of_link(link: Link) -> Iterator[Finding]:
    body, where = link.inertia, f"link {shown(link.name)}"
    if body.mass == 0 and not body.vector.any():
        return
    if _is_far(body):
        moment = float(np.max(np.abs(body.first_moment)))
        yield Finding("com.far", "error", where, moment=moment, mass=body.mass)
        return
    scale = float(np.max(np.abs(body.rotational)))
    found = list(_of_mass(body, where)) + list(_of_moments(body, where, scale))
    if not found and not body.is_consistent:
        lowest = float(decompose.eigvalsh(body.pseudo())[0])
        found.append(Finding("inertia.impossible", "warning", where, lowest=lowest))
    yield from found
    if body.mass > 0:
        yield from _of_center(link, where)
        if not found:
            yield from of_density(link, where)


_MEASURE = "check the source of these numbers, or identify them with physically consistent bounds"


def _is_far(body: Inertia) -> bool:
    return bool(body.mass != 0 and np.max(np.abs(body.first_moment)) > FAR * abs(body.mass))


def _of_mass(body: Inertia, where: str) -> Iterator[Finding]:
    if body.mass < 0:
        yield Finding("mass.negative", "error", where, mass=body.mass)
    elif body.mass == 0:
        yield Finding("mass.missing", "warning", where, moment=float(np.max(np.abs(body.rotational))))


def _of_moments(body: Inertia, where: str, scale: float) -> Iterator[Finding]:
    moments = decompose.eigvalsh(body.about_center_of_mass)
    if moments[0] < -ROUNDING * scale:
        yield Finding("inertia.triangle", "error", where, shown=moments)
    elif moments[0] + moments[1] < moments[2] - ROUNDING * scale:
        short = 100 * (1 - (moments[0] + moments[1]) / moments[2])
        yield Finding(
            "inertia.doubtful",
            "warning",
            where,
            shown=moments,
            moment=moments[0],
            moment_2=moments[1],
            short=f"{short:.{(0 if short >= 1 else 2)}f}",
            moment_3=moments[2],
        )
    elif body.mass > 0 and moments[2] <= ROUNDING * scale:
        yield Finding("inertia.point", "note", where, mass=body.mass)


def _of_center(link: Link, where: str) -> Iterator[Finding]:
    box = _outline(link.shapes)
    if box is None:
        return
    low, high = box
    center = link.inertia.center_of_mass
    outside = float(np.linalg.norm(np.maximum(0.0, np.maximum(low - center, center - high))))
    diagonal = float(np.linalg.norm(high - low))
    if outside > MARGIN * diagonal:
        partial = any(shape.kind == "mesh" for shape in link.shapes)  # the mesh may reach further than the primitives
        yield Finding("com.outside", "note" if partial else "warning", where, xyz=center, outside=outside, diagonal=diagonal)


def _outline(shapes: Sequence[Shape]) -> tuple[Array, Array] | None:
    """Box around the primitives, if they tell the whole link: a role that has meshes as well may state only a part."""
    whole = [
        role
        for role in ("visual", "collision")
        if (kinds := {s.kind for s in shapes if s.role == role}) and "mesh" not in kinds
    ]
    if not whole:
        return None
    primitives = [shape for shape in shapes if shape.kind != "mesh"]
    reach = [half_extent(shape) for shape in primitives]
    low = np.min([shape.pose.translation - half for shape, half in zip(primitives, reach, strict=True)], axis=0)
    high = np.max([shape.pose.translation + half for shape, half in zip(primitives, reach, strict=True)], axis=0)
    return low, high


def of_density(link: Link, where: str = "") -> Iterator[Finding]:
    """Compares with the solid ellipsoid of the same inertia, semi-axes a_i = sqrt(5 lambda_i / m), lambda of the second moment.
    A rod or a plate has one axis near zero, so it is too dense only if the ball around it is; too thin only if its box is.

    >>> thimble = Link("thimble", Inertia.from_center_of_mass(90.0, [0, 0, 0], 0.01 * np.eye(3)), has_inertia=True)
    >>> print(next(of_density(thimble)).what)
    90 kg with the inertia of a ball of 16.7 mm radius: denser than any metal (4.64e+06 kg/m^3)
    """
    body = link.inertia
    center = body.about_center_of_mass
    second = decompose.eigvalsh(0.5 * np.trace(center) * np.eye(3) - center)
    axes = np.sqrt(5 * np.clip(second, 0.0, None)) / np.sqrt(body.mass)
    if axes[2] == 0.0:
        return
    ball = _density(body.mass, axes[[2, 2, 2]])
    if ball > DENSEST:
        yield Finding("inertia.too_large", "warning", where, mass=body.mass, axe=axes[2], ball=ball)
    elif axes[0] > 0 and _density(body.mass, axes) < LIGHTEST:
        yield Finding("inertia.too_small", "warning", where, mass=body.mass, size=[2 * axis for axis in axes])


def _density(mass: float, axes: Array) -> float:
    """Mass over the volume of an ellipsoid; in logarithms, because nonsense from a file must not overflow."""
    return float(np.exp(np.clip(np.log(mass) - np.log(4 / 3 * np.pi) - np.sum(np.log(axes)), -700, 700)))


def _placeholders(links: Sequence[Link]) -> Iterator[Finding]:
    """Several links with the same round isotropic inertia: what a template leaves behind."""
    alike: dict[tuple[float, float], list[str]] = defaultdict(list)
    for link in links:
        key = _round_isotropic(link.inertia)
        if key is not None:
            alike[key].append(shown(link.name))
    for (mass, moment), names in alike.items():
        if len(names) >= 2:
            listed = ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")
            yield Finding("links.alike", "warning", f"links {listed}", name_count=len(names), mass=mass, moment=moment)


def _round_isotropic(body: Inertia) -> tuple[float, float] | None:
    if body.mass <= 0 or _is_far(body):
        return None
    inertia = body.about_center_of_mass
    moment = float(f"{inertia[0, 0]:.9g}")
    if moment <= 0 or np.max(np.abs(inertia - moment * np.eye(3))) > 1e-9 * moment:
        return None
    digits = f"{moment:.9e}".partition("e")[0].rstrip("0")
    return (float(f"{body.mass:.9g}"), moment) if digits in ("1.", "5.") else None


def _moving_without_mass(links: Sequence[Link], joints: Sequence[Joint]) -> Iterator[Finding]:
    """A joint beyond which nothing has mass: the mass matrix is singular there."""
    groups = body_groups([link.name for link in links], list(joints))
    body_of = {name: head for head, names in groups.items() for name in names}
    inertia_of = {link.name: link.inertia for link in links}
    has = {head: any(inertia_of[name].vector.any() for name in names) for head, names in groups.items()}
    below: dict[str, list[str]] = {head: [] for head in groups}
    for joint in joints:
        if joint.moves and joint.child in body_of and joint.parent in body_of:
            below[body_of[joint.parent]].append(body_of[joint.child])
    loaded = _reaches_mass(has, below)
    for joint in joints:
        if joint.moves and joint.child in body_of:
            body = body_of[joint.child]
            if not loaded[body]:
                yield _massless(
                    "warning", joint, "and nothing beyond it has either: its torque is always zero", "state the masses"
                )
            elif not has[body]:
                yield _massless("note", joint, "what hangs on it has", "fine for a frame between two joints")


def _massless(severity: Severity, joint: Joint, more: str, remedy: str) -> Finding:
    return Finding(
        "link.massless/plausibility", severity, f"link {shown(joint.child)}", name=shown(joint.name), more=more, remedy=remedy
    )


def _reaches_mass(has: dict[str, bool], below: dict[str, list[str]]) -> dict[str, bool]:
    """Whether a body or any body it carries has mass; outermost bodies first, without recursion."""
    above = {child: parent for parent, children in below.items() for child in children}
    loaded = dict.fromkeys(has, False)
    for body, massive in has.items():
        here: str | None = body if massive else None
        while here is not None and not loaded[here]:
            loaded[here] = True
            here = above.get(here)
    return loaded

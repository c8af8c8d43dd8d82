"""Outlines of a URDF link: boxes, spheres, cylinders, capsules as numbers, meshes as names that are never opened.

A mesh is a file name written by a stranger. It is kept as text for the writer and the viewer; a name that leads out of
the description's folder is reported once per file and followed by nobody.
"""

from __future__ import annotations

import re

import numpy as np

from bifilar.robot.description import Shape
from bifilar.robot.inertia import Array
from bifilar.robot.urdf_fields import Reading
from bifilar.robot.xml_reader import Element, shown

_OUTSIDE = re.compile(r"^(/|\\|~|[a-zA-Z]:[/\\]|file:|https?:|ftp:)|(^|[/\\])\.\.([/\\]|$)", re.IGNORECASE)


def leads_outside(mesh: str) -> bool:
    """Whether a mesh name points out of the description's folder (or to the network).

    >>> [leads_outside(name) for name in ("meshes/hand.stl", "package://arm/hand.stl", "../hand.stl", "file:///etc/passwd")]
    [False, False, True, True]
    """
    return _OUTSIDE.search(mesh) is not None or _OUTSIDE.search(mesh.partition("://")[2]) is not None


def read_shapes(reading: Reading, link: Element, owner: str) -> tuple[Shape, ...]:
    """Every <visual> and <collision> of a link that has a usable outline.

    >>> reading = Reading.of(b'<link><visual><geometry><sphere radius="0.1"/></geometry></visual></link>')
    >>> read_shapes(reading, reading.document.root, "link 'ball'")[0].size
    (0.1,)
    """
    shapes = []
    for element in link.children:
        if element.tag in ("visual", "collision"):
            shape = _read_shape(reading, element, owner)
            shapes += [shape] if shape is not None else []
    return tuple(shapes)


def _read_shape(reading: Reading, element: Element, owner: str) -> Shape | None:
    pose = reading.pose(element, f"<{element.tag}> of {owner}")
    geometry = reading.only(element, "geometry", f"<{element.tag}> of {owner}")
    outlines = [child for child in geometry.children if child.tag in _READERS] if geometry else []
    if len(outlines) > 1:
        raise reading.refuse(outlines[1], "urdf.invalid/urdf_shapes", owner=owner, outline_count=len(outlines), tag=element.tag)
    if not outlines:
        reading.find("urdf.no_outline", "note", element, tag=element.tag, owner=owner)
        return None
    outline = outlines[0]
    size = _READERS[outline.tag](reading, outline, owner)
    if outline.tag != "mesh" and min(size) < 0:
        reading.find("urdf.negative_size", "warning", outline, owner=owner, tag=outline.tag)
        return None
    role = "visual" if element.tag == "visual" else "collision"
    return Shape(outline.tag, size, pose, mesh=outline.get("filename") or "", role=role)  # type: ignore[arg-type]


def _box(reading: Reading, box: Element, owner: str) -> tuple[float, ...]:
    return tuple(reading.measures(box, "size", 3, owner))


def _sphere(reading: Reading, sphere: Element, owner: str) -> tuple[float, ...]:
    return (reading.measure(sphere, "radius", owner),)


def _cylinder(reading: Reading, cylinder: Element, owner: str) -> tuple[float, ...]:
    return tuple(reading.measure(cylinder, name, owner) for name in ("radius", "length"))


def _mesh(reading: Reading, mesh: Element, owner: str) -> tuple[float, ...]:
    if not mesh.get("filename"):
        reading.find("urdf.no_filename", "note", mesh, owner=owner)
    return tuple(reading.measures(mesh, "scale", 3, owner, default=1.0))


_READERS = {"box": _box, "sphere": _sphere, "cylinder": _cylinder, "capsule": _cylinder, "mesh": _mesh}


def note_meshes_outside(reading: Reading, links: list[Element]) -> None:
    """One note per file, not one per mesh.

    >>> reading = Reading.of(b'<link><mesh filename="../a.stl"/><mesh filename="../b.stl"/></link>')
    >>> note_meshes_outside(reading, [reading.document.root])
    >>> reading.findings[0].what
    "2 mesh names lead out of the file's folder ('../a.stl'); kept as text, never opened"
    """
    meshes = [e for link in links for e in link.walk() if e.tag == "mesh" and leads_outside(e.get("filename") or "")]
    if meshes:
        many = f"{len(meshes)} mesh names lead" if len(meshes) > 1 else "a mesh name leads"
        reading.find("urdf.meshes", "note", meshes[0], many=many, get=shown(meshes[0].get("filename") or ""))


def half_extent(shape: Shape) -> Array:
    """Half the sides of the box, parallel to the link's axes, around a primitive shape [m].

    >>> half_extent(Shape("cylinder", (0.1, 1.0)))
    array([0.1, 0.1, 0.5])
    """
    r = shape.pose.rotation
    if shape.kind == "box":
        return np.abs(r) @ (0.5 * np.array(shape.size))
    if shape.kind == "sphere":
        return np.full(3, shape.size[0])
    radius, length = shape.size
    across = np.full(3, radius) if shape.kind == "capsule" else radius * np.sqrt(np.clip(1.0 - r[:, 2] ** 2, 0.0, None))
    return across + np.abs(r[:, 2]) * length / 2

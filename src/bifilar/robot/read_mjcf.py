"""MJCF files, read through MuJoCo's own compiler, after a scan for what must not be opened (mjcf_scan).

A MuJoCo body stands in its parent by a constant pose P and then moves by its joints in turn, each about an anchor c:

    parent_from_body(q) = P E_1(q_1) ... E_n(q_n),     E(q) = T(c) Rot(axis, q - ref) T(-c)      (slide: T(axis (q - ref)))

Our links have one joint each and lie on its axis. So joint k < n of a body gets a massless link `<body>_<joint>`, and a link
whose hinge does not pass through the body's origin is moved (parallel) to the point of the axis nearest to it; the
body's own frame then stays available as the fixed, massless link `<body>_frame`. Torques, positions and names are MuJoCo's.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from bifilar.errors import Finding, RobotError
from bifilar.readers import Reader
from bifilar.robot.description import Description, Joint, Limits, Link, Pose
from bifilar.robot.inertia import Array, Inertia, skew
from bifilar.robot.mjcf_extras import ActuatorTerms, actuator_terms, extra_findings, gravity_of, link_shapes, mimics
from bifilar.robot.mjcf_scan import scan_file, scan_text
from bifilar.robot.xml_reader import outermost

NAMED = 5  # files that a finding lists
NUMBERS = ("body_pos", "body_quat", "body_ipos", "body_iquat", "body_mass", "body_inertia", "jnt_pos", "jnt_axis", "qpos0")


def read_mjcf(path: str | os.PathLike[str]) -> Description:
    """A robot description from an MJCF file.

    >>> read_mjcf("no_such_file.xml")
    Traceback (most recent call last):
    ...
    bifilar.errors.RobotError: no such file
      where   no_such_file.xml
      try     check the path
    """
    scan_file(path)
    return _describe(*compiled(os.fspath(path), is_file=True), Path(path).stem, os.fspath(path))


def parse_mjcf(xml: str, name: str = "model.xml") -> Description:
    """A robot description from MJCF text that names no other files.

    >>> xml = '''<mujoco model="rod"><worldbody><body name="rod"><joint name="hinge" axis="0 1 0"/>
    ...   <inertial mass="1" pos="0 0 -0.5" diaginertia="0.1 0.1 0.01"/></body></worldbody></mujoco>'''
    >>> [joint.name for joint in parse_mjcf(xml).joints]
    ['hinge']
    """
    scan_text(xml, name)
    return _describe(*compiled(xml, is_file=False, name=name), Path(name).stem, name)


def mesh_corners(path: str | os.PathLike[str]) -> dict[str, Array]:
    """Corners (n, 3) of every mesh of an MJCF file by its name, scaled, in the frame that the shapes of its links stand in [m].

    >>> mesh_corners("no_such_file.xml")
    Traceback (most recent call last):
    ...
    bifilar.errors.RobotError: no such file
      where   no_such_file.xml
      try     check the path
    """
    scan_file(path)
    model, _ = compiled(os.fspath(path), is_file=True)
    found = {}
    for k in range(model.nmesh):
        first, count = int(model.mesh_vertadr[k]), int(model.mesh_vertnum[k])
        turned = np.array(model.mesh_vert[first : first + count], dtype=float) @ _rotation(model.mesh_quat[k]).T
        found[model.mesh(k).name] = turned + model.mesh_pos[k]  # MuJoCo centres meshes; the shapes undo it
    return found


def compiled(source: str, *, is_file: bool, name: str = "") -> tuple[Any, list[Finding]]:
    """MuJoCo's model; what it refuses becomes our letter, what it warns of a finding (NaN it only warns of: a letter too).

    >>> compiled("<mujoco/>", is_file=False)[0].nbody
    1
    """
    import mujoco

    where = source if is_file else name
    try:
        with _warnings_kept(mujoco) as warnings:
            load = mujoco.MjModel.from_xml_path if is_file else mujoco.MjModel.from_xml_string
            model = load(source)
    except (ValueError, mujoco.FatalError, MemoryError, OverflowError) as error:
        without = _without_missing_files(source, error) if is_file else None
        if without is None:
            raise RobotError("mujoco.refused", where=where, mujoco_words=mujoco_words(error)) from error
        return without
    for warning in warnings:
        if "NaN" in warning:
            raise RobotError("mujoco.warning/read_mjcf", where=where, mujoco_words=mujoco_words(warning))
    return model, [
        Finding("mujoco.warning/compiled", "warning", where, mujoco_words=mujoco_words(warning)) for warning in warnings
    ]


def _without_missing_files(path: str, error: Exception) -> tuple[Any, list[Finding]] | None:
    """The model without meshes, height fields and textures whose files are not here, and a finding about them.

    None: no file is missing, or MuJoCo refuses what remains. A body whose mass would come from such a mesh is refused.
    """
    import mujoco

    try:
        spec = mujoco.MjSpec.from_file(path)
    except (ValueError, mujoco.FatalError, MemoryError, OverflowError):
        return None
    home = Path(path).parent
    kinds = {
        "mesh": (spec.meshdir, spec.meshes),
        "hfield": (spec.meshdir, spec.hfields),
        "texture": (spec.texturedir, spec.textures),
    }

    def missing(folder: str, file: str) -> bool:
        names = (file, Path(file).name)  # strippath="true"
        return bool(file) and not any((home / folder / name).exists() for name in names)

    gone = {kind: {x.name or Path(x.file).stem: x for x in those if missing(at, x.file)} for kind, (at, those) in kinds.items()}
    if not any(gone.values()):
        return None
    for geom in list(spec.geoms):
        if geom.meshname in gone["mesh"] or geom.hfieldname in gone["hfield"]:
            body = geom.parent
            if not (body.explicitinertial or body.name == "world" or geom.mass == 0):
                found = {"body": body.name, "mesh": geom.meshname or geom.hfieldname}
                raise RobotError("mjcf.mesh_missing/mass", where=path, **found) from error
            spec.delete(geom)
    if gone["texture"]:
        for painted in (*spec.geoms, *spec.sites):
            painted.material = ""
        for asset in (*spec.materials, *spec.textures):
            spec.delete(asset)
    for asset in (*gone["mesh"].values(), *gone["hfield"].values()):
        spec.delete(asset)
    try:
        with _warnings_kept(mujoco) as warnings:
            model = spec.compile()
    except (ValueError, mujoco.FatalError, MemoryError, OverflowError):
        return None
    said = [Finding("mujoco.warning/compiled", "warning", path, mujoco_words=mujoco_words(one)) for one in warnings]
    names = [Path(one.file).name for those in gone.values() for one in those.values()]
    more = [f"{len(names) - NAMED} more"] if len(names) > NAMED else []
    missed = Finding("mjcf.mesh_missing/shape", "warning", path, count=len(names), files=names[:NAMED] + more)
    return model, [*said, missed]


def mujoco_words(message: object) -> str:
    """What MuJoCo says, in one line without its own headings.

    >>> mujoco_words("XML Error: Error: no body\\nhere")
    'no body here'
    """
    return re.sub("^((XML )?Error: )+", "", " ".join(str(message).split()))[:500] or type(message).__name__


@contextmanager
def _warnings_kept(mujoco: Any) -> Iterator[list[str]]:
    """Collect MuJoCo's warnings, which it would otherwise append to a log file in the working folder."""
    kept: list[str] = []
    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(lambda message: kept.append(str(message)))
    try:
        yield kept
    finally:
        mujoco.set_mju_user_warning(before)


def _describe(model: Any, warnings: list[Finding], default_name: str, where: str) -> Description:
    for field in NUMBERS:
        if not np.all(np.isfinite(getattr(model, field))):
            raise RobotError("not_finite/read_mjcf", where=where, field=field)
    builder = _Builder(model, where)
    for body in range(1, model.nbody):
        builder.body(body)
    joints = mimics(model, builder.joints, builder.joint_names, builder.findings)
    extra_findings(model, builder.joint_names, builder.findings)
    name = model.names[: model.names.index(b"\0")].decode("utf-8", "replace") or default_name
    findings = (*warnings, *builder.findings)
    return Description(name, tuple(builder.links), tuple(joints), findings, gravity=gravity_of(model)).believed()


class _Builder:
    """Collects links and joints body by body; `tails` remembers the body's frame seen from its link."""

    def __init__(self, model: Any, where: str) -> None:
        self.model, self.where = model, where
        self.link_names = _unique([model.body(i).name or f"body{i}" for i in range(model.nbody)])
        holder = [self.link_names[model.jnt_bodyid[j]] for j in range(model.njnt)]
        self.joint_names = _unique([model.joint(j).name or f"{holder[j]}_joint" for j in range(model.njnt)])
        self.taken = {*self.link_names, *self.joint_names}
        self.actuators = actuator_terms(model)
        self.links = [Link(self.link_names[0], shapes=link_shapes(model, 0, Pose()))]
        self.joints: list[Joint] = []
        self.findings: list[Finding] = []
        self.tails = {0: Pose()}

    def body(self, body: int) -> None:
        model, name = self.model, self.link_names[body]
        parent = self.link_names[model.body_parentid[body]]
        stand = Pose(_rotation(model.body_quat[body]), model.body_pos[body])
        place = self.tails[int(model.body_parentid[body])] @ stand
        joints = range(int(model.body_jntadr[body]), int(model.body_jntadr[body] + model.body_jntnum[body]))
        anchor = np.zeros(3)
        if not joints:
            self.joints.append(Joint(self.new_name(f"{name}_fixed"), "fixed", parent, name, place))
        for j in joints:
            last = j == joints[-1]
            child = name if last else self.new_name(f"{name}_{self.joint_names[j]}")
            joint, anchor_here = self.joint(j, parent, child)
            move = Pose(np.eye(3), anchor_here - anchor) if j != joints[0] else place @ Pose(np.eye(3), anchor_here)
            self.joints.append(replace(joint, pose=move @ joint.pose))
            if not last:
                self.links.append(Link(child))
            parent, anchor = child, anchor_here
        self.tails[body] = Pose(np.eye(3), -anchor)
        self.link(body, name)

    def link(self, body: int, name: str) -> None:
        model, tail = self.model, self.tails[body]
        axes = _rotation(model.body_iquat[body])
        about_center = axes @ np.diag(model.body_inertia[body]) @ axes.T
        center = model.body_ipos[body] + tail.translation
        inertia = Inertia.from_center_of_mass(float(model.body_mass[body]), center, about_center)
        self.links.append(Link(name, inertia, link_shapes(model, body, tail), bool(np.any(inertia.vector != 0))))
        if np.any(tail.translation != 0):
            frame = self.new_name(f"{name}_frame")
            self.links.append(Link(frame))
            self.joints.append(Joint(self.new_name(f"{frame}_fixed"), "fixed", name, frame, tail))
            self.findings.append(Finding("mjcf.link", "note", f"link '{name}'", frame=frame))

    def joint(self, j: int, parent: str, child: str) -> tuple[Joint, Array]:
        """The joint, its pose at position zero still without the anchor, and its anchor in the body's frame."""
        import mujoco

        model, name = self.model, self.joint_names[j]
        kind = int(model.jnt_type[j])
        if kind == mujoco.mjtJoint.mjJNT_BALL:
            raise RobotError("mjcf.ball", where=self.where, name=name, child=child)
        if kind == mujoco.mjtJoint.mjJNT_FREE:
            return Joint(name, "floating", parent, child), np.zeros(3)
        dof, axis = int(model.jnt_dofadr[j]), np.array(model.jnt_axis[j])
        axis = axis / np.linalg.norm(axis)
        ref = float(model.qpos0[model.jnt_qposadr[j]])
        extra = self.actuators.get(j, ActuatorTerms())
        limits = _limits(model, j, extra)
        drive: dict[str, Any] = {
            "damping": float(model.dof_damping[dof]) + extra.damping,
            "friction": float(model.dof_frictionloss[dof]),
            "armature": float(model.dof_armature[dof]) + extra.armature,
        }
        if kind == mujoco.mjtJoint.mjJNT_SLIDE:
            pose = Pose(np.eye(3), -ref * axis)
            return Joint(name, "prismatic", parent, child, pose, axis, limits, **drive), np.zeros(3)
        anchor = np.array(model.jnt_pos[j])
        anchor = anchor - (anchor @ axis) * axis
        if np.linalg.norm(anchor) < 1e-15:
            anchor = np.zeros(3)
        hinge = "revolute" if np.isfinite(limits.lower) or np.isfinite(limits.upper) else "continuous"
        return Joint(name, hinge, parent, child, Pose(_turn(axis, -ref)), axis, limits, **drive), anchor  # type: ignore[arg-type]

    def new_name(self, name: str) -> str:
        """A name nobody has yet."""
        while name in self.taken:
            name += "_"
        self.taken.add(name)
        return name


def _limits(model: Any, j: int, extra: ActuatorTerms) -> Limits:
    lower, upper = (float(x) for x in model.jnt_range[j]) if model.jnt_limited[j] else (-np.inf, np.inf)
    effort = float(np.max(np.abs(model.jnt_actfrcrange[j]))) if model.jnt_actfrclimited[j] else np.inf
    effort = min(effort, extra.effort)
    return Limits(lower, upper, effort=effort)


def _unique(names: list[str]) -> list[str]:
    seen: set[str] = set()
    for i, name in enumerate(names):
        while name in seen:
            name += "_"
        names[i] = name
        seen.add(name)
    return names


def _rotation(quaternion: Array) -> Array:
    """Matrix of a quaternion w, x, y, z of any length but zero."""
    w, x, y, z = np.asarray(quaternion, dtype=float) / np.linalg.norm(quaternion)
    v = skew([x, y, z])
    return np.eye(3) + 2 * w * v + 2 * v @ v


def _turn(axis: Array, angle: float) -> Array:
    if angle == 0.0:
        return np.eye(3)
    k = skew(axis)
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k


MJCF = Reader(
    kind="robot",
    name="MJCF",
    endings=(".xml", ".mjcf"),
    open=read_mjcf,
    sniff=lambda path, head: outermost(head) == "mujoco",
)

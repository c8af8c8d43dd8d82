"""What an MJCF says beside bodies and joints: actuators, equalities, shapes, gravity; and what of it is not carried over.

An actuator on a joint with gear g adds g^2 times its armature and damping to the joint and limits its torque to |g| times its
force range. A joint equality y - y0 = a0 + a1 (x - x0) is a mimic joint with ratio a1. The rest is reported as findings.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bifilar.dynamics.tree import GRAVITY
from bifilar.errors import Finding
from bifilar.robot.description import Joint, Mimic, Pose, Shape
from bifilar.robot.inertia import Array


@dataclass(frozen=True)
class ActuatorTerms:
    """What the actuators of one joint add to it.

    >>> ActuatorTerms().effort
    inf
    """

    armature: float = 0.0
    damping: float = 0.0
    effort: float = np.inf


def actuator_terms(model: Any) -> dict[int, ActuatorTerms]:
    """By joint number; only actuators that act on one joint directly.

    >>> from types import SimpleNamespace
    >>> actuator_terms(SimpleNamespace(nu=0))
    {}
    """
    import mujoco

    found: dict[int, ActuatorTerms] = {}
    direct = (mujoco.mjtTrn.mjTRN_JOINT, mujoco.mjtTrn.mjTRN_JOINTINPARENT)
    one_axis = (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE)
    for i in range(model.nu):
        j = int(model.actuator_trnid[i, 0])
        if int(model.actuator_trntype[i]) not in direct or int(model.jnt_type[j]) not in one_axis:
            continue
        gear = float(model.actuator_gear[i, 0])
        before = found.get(j, ActuatorTerms())
        found[j] = ActuatorTerms(
            before.armature + gear * gear * _value(model, "actuator_armature", i),
            before.damping + gear * gear * _value(model, "actuator_damping", i),
            (before.effort if j in found else 0.0) + abs(gear) * _force_limit(model, i),
        )
    return found


def _value(model: Any, field: str, i: int) -> float:
    """A field that older MuJoCo versions do not have."""
    return float(getattr(model, field)[i]) if hasattr(model, field) else 0.0


def _force_limit(model: Any, i: int) -> float:
    """Largest force of an actuator; a plain motor is limited by its control range too."""
    import mujoco

    limit = float(np.max(np.abs(model.actuator_forcerange[i]))) if model.actuator_forcelimited[i] else np.inf
    kinds = (int(model.actuator_gaintype[i]), int(model.actuator_biastype[i]), int(model.actuator_dyntype[i]))
    plain = kinds == (mujoco.mjtGain.mjGAIN_FIXED, mujoco.mjtBias.mjBIAS_NONE, mujoco.mjtDyn.mjDYN_NONE)
    if plain and model.actuator_ctrllimited[i]:
        limit = min(limit, abs(float(model.actuator_gainprm[i, 0])) * float(np.max(np.abs(model.actuator_ctrlrange[i]))))
    return limit if limit > 0 else np.inf


def mimics(model: Any, joints: list[Joint], names: list[str], findings: list[Finding]) -> list[Joint]:
    """The joints with linear joint equalities turned into mimics; other equalities become findings.

    >>> from types import SimpleNamespace
    >>> mimics(SimpleNamespace(neq=0), [], [], [])
    []
    """
    import mujoco

    follow: dict[str, Mimic] = {}
    for i in range(model.neq):
        if not model.eq_active0[i]:
            continue
        where = f"equality '{model.equality(i).name or i}'"
        kind = mujoco.mjtEq(int(model.eq_type[i]))
        leader = int(model.eq_obj2id[i])
        if kind != mujoco.mjtEq.mjEQ_JOINT or leader < 0:
            what = "a joint held still" if kind == mujoco.mjtEq.mjEQ_JOINT else kind.name.removeprefix("mjEQ_").lower()
            findings.append(Finding("mjcf.equality/mjcf_extras", "warning", where, thing=what))
            continue
        follower, a = int(model.eq_obj1id[i]), np.array(model.eq_data[i, :5])
        name = names[follower]
        if np.any(a[2:] != 0) or a[1] == 0 or name in follow:
            what = "a second one for this joint" if name in follow else "it is not linear"
            findings.append(Finding("mjcf.equality/mimics", "warning", where, name=name, name_2=names[leader], thing=what))
            continue
        x0, y0 = (float(model.qpos0[model.jnt_qposadr[j]]) for j in (leader, follower))
        follow[name] = Mimic(names[leader], float(a[1]), y0 + float(a[0]) - float(a[1]) * x0)
    return [replace(joint, mimic=follow[joint.name]) if joint.name in follow else joint for joint in joints]


def gravity_of(model: Any) -> Array | None:
    """Gravity where it is another than ours [m/s^2].

    >>> import mujoco
    >>> gravity_of(mujoco.MjModel.from_xml_string('<mujoco><option gravity="0 0 -1.62"/></mujoco>'))
    array([ 0.  ,  0.  , -1.62])
    """
    import mujoco

    off = bool(model.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_GRAVITY)
    gravity = np.zeros(3) if off else np.array(model.opt.gravity)
    return None if np.array_equal(gravity, GRAVITY) else gravity


def extra_findings(model: Any, names: list[str], findings: list[Finding]) -> None:
    """Say what acts in MuJoCo and is not carried over.

    >>> import mujoco
    >>> found = []
    >>> xml = '<mujoco><option density="1.2"/></mujoco>'
    >>> extra_findings(mujoco.MjModel.from_xml_string(xml), [], found)
    >>> print(found[0])
    warning  option: the medium (density, viscosity) is not carried over
    """
    import mujoco

    for j, name in enumerate(names):
        free = int(model.jnt_type[j]) == mujoco.mjtJoint.mjJNT_FREE
        dofs = slice(int(model.jnt_dofadr[j]), int(model.jnt_dofadr[j]) + (6 if free else 1))
        if model.jnt_stiffness[j] != 0 or _nonzero(model, "jnt_stiffnesspoly", j):
            findings.append(Finding("mjcf.spring", "warning", f"joint '{name}'"))
        if _nonzero(model, "dof_dampingpoly", dofs):
            findings.append(Finding("mjcf.damping", "warning", f"joint '{name}'"))
        drives = (model.dof_damping[dofs], model.dof_armature[dofs], model.dof_frictionloss[dofs])
        if free and np.any(np.concatenate(drives) != 0):
            findings.append(Finding("mjcf.joint", "warning", f"joint '{name}'"))
    if model.ntendon:
        findings.append(Finding("mjcf.tendons", "warning", "tendons", ntendon=model.ntendon))
    if np.any(model.body_gravcomp != 0):
        findings.append(Finding("mjcf.gravcomp", "warning", "gravcomp"))
    if model.opt.density != 0 or model.opt.viscosity != 0:
        findings.append(Finding("mjcf.medium", "warning", "option"))
    if gravity_of(model) is not None:
        findings.append(Finding("mjcf.gravity", "note", "option", gravity_of=gravity_of(model)))
    if np.any(model.body_mocapid >= 0):
        findings.append(Finding("mjcf.mocap", "note", "mocap"))


def _nonzero(model: Any, field: str, index: int | slice) -> bool:
    return hasattr(model, field) and bool(np.any(getattr(model, field)[index] != 0))


def link_shapes(model: Any, body: int, tail: Pose) -> tuple[Shape, ...]:
    """The body's geoms that are boxes, spheres, cylinders, capsules or meshes; `tail` is link_from_body.

    >>> import mujoco
    >>> model = mujoco.MjModel.from_xml_string('<mujoco><worldbody><geom type="box" size="1 2 3"/></worldbody></mujoco>')
    >>> link_shapes(model, 0, Pose())[0].size
    (2.0, 4.0, 6.0)
    """
    import mujoco

    kinds = mujoco.mjtGeom
    found = []
    for g in range(int(model.body_geomadr[body]), int(model.body_geomadr[body] + model.body_geomnum[body])):
        a, b, c = (float(x) for x in model.geom_size[g])
        sizes = {
            kinds.mjGEOM_BOX: ("box", (2 * a, 2 * b, 2 * c)),
            kinds.mjGEOM_SPHERE: ("sphere", (a,)),
            kinds.mjGEOM_CYLINDER: ("cylinder", (a, 2 * b)),
            kinds.mjGEOM_CAPSULE: ("capsule", (a, 2 * b)),
            kinds.mjGEOM_MESH: ("mesh", (1.0, 1.0, 1.0)),
        }
        if int(model.geom_type[g]) not in sizes:
            continue
        kind, size = sizes[kinds(int(model.geom_type[g]))]
        pose, mesh = _pose(model.geom_pos[g], model.geom_quat[g]), ""
        if kind == "mesh":
            number = int(model.geom_dataid[g])
            mesh = model.mesh(number).name
            pose = pose @ _pose(model.mesh_pos[number], model.mesh_quat[number]).inverse()  # MuJoCo centres meshes
        role = "collision" if model.geom_contype[g] or model.geom_conaffinity[g] else "visual"
        found.append(Shape(kind, size, tail @ pose, mesh, role))  # type: ignore[arg-type]
    return tuple(found)


def _pose(position: Array, quaternion: Array) -> Pose:
    import mujoco

    rotation = np.zeros(9)
    mujoco.mju_quat2Mat(rotation, np.array(quaternion))
    return Pose(rotation.reshape(3, 3), np.array(position))

"""The robots that are compared with Pinocchio and MuJoCo, and the files the three of us read.

    kind      robot                          Pinocchio reads          MuJoCo reads
    urdf      a URDF of the datasets         the same file            the MJCF that we write from it
    library   a built-in robot               the URDF that we write   the MJCF that we write
    random    a random tree, from a URDF     the same URDF            the MJCF that we write
    mjcf      an MJCF file of these tests    our arrays               the same file

All but the last kind on a fixed base and on a floating one; an MJCF file says itself whether it floats.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from oracles import description_of, random_machine

import bifilar as bf
from bifilar.robot import library
from bifilar.robot.write_mjcf import write_mjcf

# What must be changed in a file before Pinocchio reads all of it. Ours reads it as it is, but for the malformed number.
REPAIRS = {
    "double_pendulum/acrobot.urdf": ("<joint", '<link name="world"/><joint'),  # parent of the first joint
    "double_pendulum/pendubot.urdf": ("<joint", '<link name="world"/><joint'),
    "kuka_lwr4/kuka_lwr4_identified.urdf": ('friction="-', 'friction="'),  # negative, from an identification
    "iiwa7/iiwa7.urdf": ("0.-021", "-0.021"),
}
URDF = (
    "barrett_wam/wam7_from_libbarrett_conf.urdf",
    "double_pendulum/acrobot.urdf",
    "double_pendulum/pendubot.urdf",
    "iiwa7/iiwa7.urdf",
    "kinova_gen3/gen3.urdf",
    "kinova_gen3/kinova.urdf",
    "kuka_lwr4/kuka_lwr4.urdf",
    "kuka_lwr4/kuka_lwr4_centroepiaggio.urdf",
    "kuka_lwr4/kuka_lwr4_cogimon.urdf",
    "kuka_lwr4/kuka_lwr4_gaz.urdf",
    "kuka_lwr4/kuka_lwr4_identified.urdf",
    "panda_gaz/panda.urdf",
    "puma560/puma560_akb.urdf",
    "puma560/puma560_corke_stdDH.urdf",
    "rokae_xmate7/xmate3pro_kinematics.urdf",
    "sarcos/sarcos7_inferred.urdf",
    "solo12_sim/solo12.urdf",
    "staubli_tx40/tx40_mdh_modified.urdf",
    "tiago/tiago_48_schunk.urdf",
    "ur10/ur10_robot.urdf",
    "ur10e_mamedov/ur10e.urdf",
)
# Links that could not exist (moments violate A + B >= C): MuJoCo has no such bodies, so Pinocchio alone is asked.
IMPOSSIBLE = {
    "iiwa7/iiwa7.urdf",
    "kuka_lwr4/kuka_lwr4_gaz.urdf",
    "kuka_lwr4/kuka_lwr4_identified.urdf",
    "puma560/puma560_akb.urdf",
    "puma560/puma560_corke_stdDH.urdf",
    "staubli_tx40/tx40_mdh_modified.urdf",
    "tiago/tiago_48_schunk.urdf",
    "puma560",
}
# Bases without mass, which MuJoCo does not let float (nor could they: their mass matrix is singular).
BASELESS = {
    "barrett_wam/wam7_from_libbarrett_conf.urdf",
    "rokae_xmate7/xmate3pro_kinematics.urdf",
    "sarcos/sarcos7_inferred.urdf",
}
# Mass matrices that are singular; our forward dynamics must say so.
SINGULAR = {
    ("puma560/puma560_akb.urdf", True),
    ("puma560/puma560_corke_stdDH.urdf", True),
    ("staubli_tx40/tx40_mdh_modified.urdf", False),
    ("staubli_tx40/tx40_mdh_modified.urdf", True),
    *((name, True) for name in BASELESS),
}
TRUNK = bf.Inertia.from_center_of_mass(8.0, [0.02, -0.01, 0.03], [[0.3, 0.01, 0.02], [0.01, 0.4, -0.01], [0.02, -0.01, 0.2]])
RANDOM = {
    "arm": {"joints": 7, "branches": False, "prismatic": 0.0, "mimic": False},
    "slides": {"joints": 5, "branches": False, "prismatic": 1.0, "mimic": False},
    "one joint": {"joints": 1},
    "slides and hinges": {"joints": 6, "branches": False, "prismatic": 0.5, "mimic": False},
    "tree": {"joints": 9, "mimic": False},
    "tree with follower": {"joints": 8},
    "chain with follower": {"joints": 6, "branches": False},
    "hand": {"joints": 16, "prismatic": 0.2},
    "humanoid": {"joints": 30, "prismatic": 0.1, "mimic": False},
    "weightless": {"joints": 5, "gravity": False},
}
LIBRARY = library.names()
FOLDER = Path(__file__).parent / "mjcf"
MJCF = tuple(sorted(file.stem for file in FOLDER.glob("*.xml")))
KINDS = {"urdf": URDF, "library": LIBRARY, "random": tuple(RANDOM), "mjcf": MJCF}
MODELS = [(kind, name) for kind, names in KINDS.items() for name in names]


@dataclass(frozen=True)
class Files:
    """A robot and what the other programs read."""

    robot: bf.Robot
    urdf: Path | None
    mjcf: Path | str | None  # a file, or text


def files_of(kind: str, name: str, floating: bool, dataset: Callable[[str], Path], folder: Path) -> Files:
    """Find or write them; what is written goes to `folder`."""
    if kind == "mjcf":
        mjcf = FOLDER / f"{name}.xml"
        return Files(bf.Robot.load(mjcf), None, mjcf)
    urdf = folder / f"{kind}-{name.replace('/', '-')}-{floating}.urdf"
    if kind == "urdf":
        robot = bf.Robot.load(repaired(dataset(name), name, urdf), floating=floating)
    elif kind == "library":
        robot = bf.Robot.load(name, floating=floating)
        robot = robot.with_payload(robot.body_names[0], TRUNK) if floating else robot
        robot.save(urdf)
    else:
        description = random_description(name)
        bf.Robot.build(description).save(urdf)
        robot = bf.Robot.load(urdf, floating=floating, gravity=description.gravity)
    alone = name in IMPOSSIBLE or (floating and name in BASELESS)
    text = None if alone else write_mjcf(renamed_root(robot.description()), floating=floating)
    return Files(robot, urdf, text)


def repaired(path: Path, name: str, copy: Path) -> Path:
    """Write what Pinocchio reads to `copy`; returns what we read."""
    before, after = REPAIRS.get(name, ("", ""))
    text = path.read_text()
    assert before in text
    copy.write_text(text.replace(before, after, -1 if "=" in before else 1) if before else text)
    return copy if name.startswith("iiwa7") else path


def random_description(name: str) -> bf.Description:
    """A random tree whose file has the joints in any order."""
    rng = np.random.default_rng(len(name))
    description = description_of(random_machine(rng, **RANDOM[name]))
    return replace(description, joints=tuple(description.joints[k] for k in rng.permutation(len(description.joints))))


def renamed_root(description: bf.Description) -> bf.Description:
    """MuJoCo's `world` cannot float."""
    name = {"world": "ground"}
    links = tuple(replace(link, name=name.get(link.name, link.name)) for link in description.links)
    joints = tuple(replace(joint, parent=name.get(joint.parent, joint.parent)) for joint in description.joints)
    return replace(description, links=links, joints=joints)

"""DH tables: frames against the product of homogeneous matrices, torques against Pinocchio models built from the table."""

from __future__ import annotations

import re

import numpy as np
import pytest
from oracles import random_body

from bifilar.robot import library
from bifilar.robot.assemble import assemble, joint_motion
from bifilar.robot.description import Description, Pose
from bifilar.robot.inertia import Inertia
from bifilar.robot.read_dh import from_dh, read_dh

pin = pytest.importorskip("pinocchio")


def screw(axis: int, angle: float, length: float) -> np.ndarray:
    """Rotation about and translation along x (0) or z (2), as a 4 x 4 matrix."""
    c, s = np.cos(angle), np.sin(angle)
    t = np.eye(4)
    i, j = (1, 2) if axis == 0 else (0, 1)
    t[i, i], t[i, j], t[j, i], t[j, j] = c, -s, s, c
    t[axis, 3] = length
    return t


def dh_matrix(row: dict, q: float, convention: str) -> np.ndarray:
    """previous_from_frame, by the book."""
    slides = row["kind"] == "prismatic"
    about_z = screw(2, row["theta"] + (0 if slides else q), row["d"] + (q if slides else 0))
    about_x = screw(0, row["alpha"], row["a"])
    return about_z @ about_x if convention == "standard" else about_x @ about_z


def random_rows(rng: np.random.Generator, n: int = 6) -> list[dict]:
    rows = []
    for _ in range(n):
        row = {key: float(rng.normal()) for key in ("a", "alpha", "d", "theta")}
        row["a"] *= float(rng.random() < 0.6)
        row["kind"] = "prismatic" if rng.random() < 0.3 else "revolute"
        body = Inertia.from_vector(random_body(rng))
        c, o = body.about_center_of_mass, body.rotational
        row |= {"mass": body.mass}
        row |= {"com": list(body.center_of_mass)} if rng.random() < 0.5 else {"first_moment": list(body.first_moment)}
        key, m = ("inertia_com", c) if rng.random() < 0.5 else ("inertia_origin", o)
        row[key] = {"xx": m[0, 0], "xy": m[0, 1], "yy": m[1, 1], "xz": m[0, 2], "yz": m[1, 2], "zz": m[2, 2]}
        row["_body"] = body
        rows.append(row)
    return rows


def stated(rows: list[dict]) -> list[dict]:
    return [{key: value for key, value in row.items() if key != "_body"} for row in rows]


def link_poses(description: Description, q: dict[str, float]) -> dict[str, Pose]:
    """root_from_link, joint by joint."""
    found = {description.links[0].name: Pose()}
    for joint in description.joints:
        step = joint.pose @ joint_motion(joint, q[joint.name]) if joint.moves else joint.pose
        found[joint.child] = found[joint.parent] @ step
    return found


def pinocchio_from_rows(rows: list[dict], convention: str):
    """The arm built in Pinocchio straight from the table; inertias placed in frame i by Pinocchio itself."""
    model = pin.Model()
    parent, before = 0, pin.SE3.Identity()
    for i, row in enumerate(rows):
        after = dh_matrix({**row, "kind": "revolute"}, 0.0, convention)
        x, z = screw(0, row["alpha"], row["a"]), screw(2, row["theta"], row["d"])
        joint_at, frame_at = (np.eye(4), z @ x) if convention == "standard" else (x, z)
        assert np.allclose(joint_at @ frame_at, after)
        kind = pin.JointModelPZ() if row["kind"] == "prismatic" else pin.JointModelRZ()
        parent = model.addJoint(parent, kind, before * pin.SE3(joint_at), f"joint{i + 1}")
        before = pin.SE3(frame_at)
        body = row["_body"]
        inertia = pin.Inertia(body.mass, body.center_of_mass, body.about_center_of_mass)
        model.appendBodyToJoint(parent, inertia, before)
    return model


@pytest.mark.parametrize("convention", ["standard", "modified"])
@pytest.mark.parametrize("seed", range(5))
def test_frames_are_the_product_of_the_table(convention, seed):
    rng = np.random.default_rng(seed)
    rows = random_rows(rng)
    description = from_dh(stated(rows), convention=convention)
    names = {link.name for link in description.links}
    for _ in range(10):
        q = {f"joint{i + 1}": float(x) for i, x in enumerate(rng.normal(size=len(rows)))}
        poses, product = link_poses(description, q), np.eye(4)
        for i, row in enumerate(rows):
            product = product @ dh_matrix(row, q[f"joint{i + 1}"], convention)
            frame = f"link{i + 1}_dh" if f"link{i + 1}_dh" in names else f"link{i + 1}"
            assert np.allclose(poses[frame].rotation, product[:3, :3], atol=1e-12)
            assert np.allclose(poses[frame].translation, product[:3, 3], atol=1e-12)


@pytest.mark.parametrize("convention", ["standard", "modified"])
@pytest.mark.parametrize("seed", range(5))
def test_torques_are_those_of_pinocchio_built_from_the_table(convention, seed):
    from bifilar.dynamics import plain

    rng = np.random.default_rng(seed)
    rows = random_rows(rng)
    description = from_dh(stated(rows), convention=convention)
    parts = assemble(description)
    model = pinocchio_from_rows(rows, convention)
    data = model.createData()
    q, v, a = rng.normal(size=(3, 50, len(rows)))
    expected = np.array([pin.rnea(model, data, q[k], v[k], a[k]) for k in range(50)])
    root = np.r_[np.zeros(6), 0.0, 0.0, 9.81][None]
    ours = plain.inverse_dynamics(parts.tree, parts.fold(description.links), q, v, a, root)[:, 6:]
    assert np.abs(ours - expected).max() <= 1e-12 * np.abs(expected).max()


def test_a_frame_off_its_axis_keeps_its_published_numbers():
    """The body of link i seen from `<name>_dh` has the numbers of the row."""
    rng = np.random.default_rng(9)
    row = random_rows(rng, 1)[0] | {"a": 0.3, "kind": "revolute"}
    description = from_dh(stated([row]))
    weld = next(joint for joint in description.joints if joint.child == "link1_dh")
    link = next(link for link in description.links if link.name == "link1")
    back = weld.pose.inverse()
    assert np.allclose(link.inertia.moved(back.rotation, back.translation).vector, row["_body"].vector, atol=1e-14)
    assert any("link1_dh" in finding.what for finding in description.findings)


def test_right_angles_are_exact():
    rows = [{"alpha": sign * np.pi / 2, "d": 0.1} for sign in (1, -1, -1, 1)]
    degrees = [{"alpha": sign * 90, "d": 0.1} for sign in (1, -1, -1, 1)]
    for description in (from_dh(rows), from_dh(degrees, angle="deg")):
        for joint in description.joints:
            assert set(np.abs(joint.pose.rotation).ravel()) == {0.0, 1.0} and set(np.abs(joint.axis)) == {0.0, 1.0}


def test_toml_and_python_are_the_same_table(tmp_path):
    path = tmp_path / "arm.toml"
    path.write_text(
        """
        name = "arm"
        convention = "standard"
        angle = "deg"
        [base]
        name = "stand"
        mass = 3
        [[row]]
        a = 0.4
        alpha = 90
        limits = { lower = -170, upper = 170, velocity = 100, effort = 50 }
        mass = 2
        com = [-0.2, 0, 0]
        inertia_com = { xx = 0.01, yy = 0.02, zz = 0.025 }
        [[row]]
        kind = "prismatic"
        d = 0.1
        limits = { lower = -0.1, upper = 0.2 }
        armature = 0.5
        """
    )
    first = read_dh(path)
    rows = [
        {
            "a": 0.4,
            "alpha": np.pi / 2,
            "limits": {"lower": -np.radians(170), "upper": np.radians(170), "velocity": np.radians(100), "effort": 50},
            "mass": 2,
            "com": np.array([-0.2, 0, 0]),
            "inertia_com": {"xx": 0.01, "yy": 0.02, "zz": 0.025},
        },
        {"kind": "prismatic", "d": 0.1, "limits": {"lower": -0.1, "upper": 0.2}, "armature": 0.5},
    ]
    second = from_dh(rows, name="arm", base={"name": "stand", "mass": 3})
    assert (
        [link.name for link in first.links] == [link.name for link in second.links] == ["stand", "link1", "link1_dh", "link2"]
    )
    for one, two in zip(first.links, second.links):
        assert np.array_equal(one.inertia.vector, two.inertia.vector)
    for one, two in zip(first.joints, second.joints):
        assert (one.name, one.kind, one.limits, one.armature) == (two.name, two.kind, two.limits, two.armature)
        assert np.array_equal(one.pose.rotation, two.pose.rotation) and np.array_equal(one.axis, two.axis)


def test_wam_in_its_dh_frames_is_the_published_cad(dataset):
    """Inertia about the origins of the standard DH frames, as Sousa and Cortesao list it from Barrett's CAD."""
    text = dataset("barrett_wam/wam7_cad.yml").read_text()
    cad = {key: float(value) for key, value in re.findall(r"^(\w+): (\S+)$", text, re.MULTILINE)}
    wam = library.load_description("wam")
    bodies = {link.name: link.inertia for link in wam.links}
    frames = {joint.child: joint.pose.inverse() for joint in wam.joints if joint.kind == "fixed"}
    for i in range(1, 8):
        body = bodies[f"link{i}"]
        back = frames.get(f"link{i}_dh", Pose())
        body = body.moved(back.rotation, back.translation)
        names = [f"m_{i}", *(f"l_{i}{k}" for k in "xyz"), *(f"L_{i}{k}" for k in ("xx", "xy", "yy", "xz", "yz", "zz"))]
        published = np.array([cad[name] for name in names])
        assert np.allclose(body.vector, published, rtol=2e-6, atol=1e-8)

"""Capsules hold the shapes they stand for, wherever the shape comes from, and are not much larger than needed."""

from __future__ import annotations

import os
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bifilar as bf
from bifilar.robot import mesh_points
from bifilar.robot.enclosing_capsule import Segment, around_cylinder, around_points, distances
from bifilar.robot.library import names
from bifilar.robot.mesh_points import find_mesh, read_points

LENGTH = st.floats(1e-3, 2.0)
SEEDS = st.integers(0, 10**6)


def robot_of(*shapes: bf.Shape) -> bf.Robot:
    return bf.Robot.build(bf.Description("thing", (bf.Link("body", shapes=shapes),), ()))


def any_pose(rng: np.random.Generator) -> bf.Pose:
    turn, _ = np.linalg.qr(rng.standard_normal((3, 3)))
    return bf.Pose(turn * np.sign(np.linalg.det(turn)), rng.standard_normal(3))


def surface(shape: bf.Shape, rng: np.random.Generator, count: int = 400) -> np.ndarray:
    """Points of a shape's surface, corners and rims among them, in the link's frame."""
    if shape.kind == "box":
        points = (rng.choice([-0.5, 0.5], (count, 3)) * rng.choice([1.0, 1.0, 0.3], (count, 3))) * shape.size
    else:
        u = rng.standard_normal((count, 3))
        u /= np.linalg.norm(u, axis=1)[:, None]
        half = shape.size[1] / 2 if shape.kind != "sphere" else 0.0
        ends = rng.choice([-half, half], (count, 1)) * [0, 0, 1]
        if shape.kind == "cylinder":
            u[:, 2] = 0.0
            u /= np.linalg.norm(u, axis=1)[:, None]
        points = shape.size[0] * u + ends
    return points @ shape.pose.rotation.T + shape.pose.translation


@pytest.mark.parametrize(("kind", "sizes"), [("sphere", 1), ("capsule", 2), ("cylinder", 2), ("box", 3)])
@given(seed=SEEDS, lengths=st.lists(LENGTH, min_size=3, max_size=3))
def test_a_capsule_holds_its_shape(kind, sizes, seed, lengths):
    rng = np.random.default_rng(seed)
    shape = bf.Shape(kind, tuple(lengths[:sizes]), any_pose(rng))
    (capsule,) = bf.capsules(robot_of(shape))
    assert capsule.link == "body"
    assert (distances(surface(shape, rng), capsule.start, capsule.end) <= capsule.radius + 1e-9).all()


@pytest.mark.parametrize("length", [0.05, 1.0, 7.0])
def test_no_capsule_on_the_same_axis_is_smaller(length):
    half, radius = around_cylinder(0.3, length)
    volume = Segment(np.zeros(3), np.array([0, 0, 2 * half]), radius).volume
    for shorter in np.linspace(0, length / 2, 5001):
        other = Segment(np.zeros(3), np.array([0, 0, 2 * shorter]), float(np.hypot(0.3, length / 2 - shorter)))
        assert volume <= other.volume * (1 + 1e-5)


def test_spheres_and_capsules_are_exact():
    ball, rod = bf.capsules(robot_of(bf.Shape("sphere", (0.2,)), bf.Shape("capsule", (0.1, 0.8))))
    assert (ball.length, ball.radius, rod.length, rod.radius) == (0.0, 0.2, 0.8, 0.1)


def test_a_long_box_gets_a_capsule_along_its_longest_side():
    (capsule,) = bf.capsules(robot_of(bf.Shape("box", (0.1, 2.0, 0.2))))
    assert abs(capsule.end - capsule.start)[[0, 2]].max() == 0.0 and capsule.length > 1.5
    assert np.isclose(capsule.radius, np.hypot(0.05, 0.1), rtol=0.05)


# ---- points


@given(
    seed=SEEDS, count=st.integers(1, 300), flat=st.sampled_from([(1, 1, 1), (1, 0.1, 1e-3), (1, 1, 0), (1, 0, 0), (0, 0, 0)])
)
def test_every_point_is_inside(seed, count, flat):
    rng = np.random.default_rng(seed)
    pose = any_pose(rng)
    points = rng.standard_normal((count, 3)) * flat @ pose.rotation.T + 10 * pose.translation
    found = around_points(points)
    assert distances(points, found.start, found.end).max() <= found.radius + 1e-9


@settings(max_examples=10)
@given(seed=SEEDS, length=st.floats(0.0, 5.0))
def test_points_of_a_capsule_give_it_back(seed, length):
    rng = np.random.default_rng(seed)
    pose = any_pose(rng)
    truth = bf.Shape("capsule", (0.5, length), pose)
    found = around_points(surface(truth, rng, 2000))
    assert found.volume <= 1.02 * Segment(np.zeros(3), np.array([0, 0, length]), 0.5).volume


@given(seed=SEEDS)
def test_points_of_a_box_need_no_more_than_the_box(seed):
    rng = np.random.default_rng(seed)
    shape = bf.Shape("box", tuple(rng.uniform(0.05, 1.0, 3)), any_pose(rng))
    corners = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]) * shape.size
    points = corners @ shape.pose.rotation.T + shape.pose.translation
    (by_shape,) = bf.capsules(robot_of(shape))
    assert around_points(points).volume <= by_shape.volume * 1.001


# ---- meshes


def binary_stl(triangles: np.ndarray, head: bytes = b"solid made by a tool") -> bytes:
    body = b"".join(struct.pack("<12fH", 0, 0, 0, *triangle.ravel(), 0) for triangle in triangles)
    return head.ljust(80) + struct.pack("<I", len(triangles)) + body


def text_stl(triangles: np.ndarray) -> bytes:
    corners = ["".join(f"vertex {x:.9g} {y:.9g} {z:.9g}\n" for x, y, z in triangle) for triangle in triangles]
    facets = [f"facet normal 0 0 0\nouter loop\n{three}endloop\nendfacet\n" for three in corners]
    return ("solid thing\n" + "".join(facets) + "endsolid thing\n").encode()


def obj(triangles: np.ndarray) -> bytes:
    corners = "".join(f"v {x:.9g} {y:.9g} {z:.9g}\r\n" for x, y, z in triangles.reshape(-1, 3))
    return f"# made by a tool\r\nvn 0 0 1\r\n{corners}f 1 2 3\r\n".encode()


WRITERS = {"binary.stl": binary_stl, "text.STL": text_stl, "thing.obj": obj}


@pytest.mark.parametrize("name", WRITERS)
def test_the_three_kinds_of_file_hold_the_same_points(name, tmp_path):
    triangles = np.random.default_rng(0).standard_normal((50, 3, 3)).astype(np.float32).astype(float)
    (tmp_path / name).write_bytes(WRITERS[name](triangles))
    assert np.allclose(read_points(tmp_path / name), triangles.reshape(-1, 3), rtol=1e-7)


def urdf(mesh: str, scale: str = "1 1 1", role: str = "collision") -> str:
    return f"""<robot name="arm"><link name="base"/><link name="rod"><{role}><origin xyz="0 0 1"/>
      <geometry><mesh filename="{mesh}" scale="{scale}"/></geometry></{role}></link>
      <joint name="hinge" type="continuous"><parent link="base"/><child link="rod"/></joint></robot>"""


ROD = np.random.default_rng(1).uniform(-1, 1, (200, 3, 3)) * [40, 30, 200]  # [mm]


@pytest.mark.parametrize(
    ("mesh", "stands_in"),
    [
        ("meshes/rod.stl", "arm_description/urdf/meshes"),
        ("package://arm_description/meshes/rod.stl", "arm_description/meshes"),
        ("package://data/robots/arm_description/meshes/rod.stl", "arm_description/meshes"),
        ("package://arm_meshes/rod.stl", "arm_meshes"),
    ],
)
def test_meshes_are_found_and_enclosed(mesh, stands_in, tmp_path):
    (tmp_path / "arm_description/urdf").mkdir(parents=True)
    (tmp_path / stands_in).mkdir(parents=True, exist_ok=True)
    (tmp_path / stands_in / "rod.stl").write_bytes(binary_stl(ROD))
    file = tmp_path / "arm_description/urdf/arm.urdf"
    file.write_text(urdf(mesh, "0.001 0.001 0.001"))
    robot = bf.Robot.load(file)
    for same in (robot, robot.with_gravity([0, 0, -1]), robot.renamed({"hinge": "pin"}), robot.locked(["hinge"])):
        (capsule,) = bf.capsules(same)
        points = ROD.reshape(-1, 3) / 1000 + [0, 0, 1]
        assert distances(points, capsule.start, capsule.end).max() <= capsule.radius + 1e-7  # 32-bit numbers in the file
        assert capsule.radius < 0.06 and capsule.length > 0.25


@pytest.mark.parametrize(
    "mesh", ["../meshes/rod.stl", "file:///meshes/rod.stl", "package://arm/meshes/rod.stl", "/meshes/rod.stl"]
)
def test_a_folder_of_meshes_can_be_given(mesh, tmp_path):
    (tmp_path / "urdf").mkdir()
    (tmp_path / "urdf/arm.urdf").write_text(urdf(mesh, "0.001 0.001 0.001"))
    (tmp_path / "elsewhere/meshes").mkdir(parents=True)
    (tmp_path / "elsewhere/meshes/rod.stl").write_bytes(binary_stl(ROD))
    robot = bf.Robot.load(tmp_path / "urdf/arm.urdf")
    with pytest.raises(bf.RobotError, match=r"rod.stl' of link 'rod' is not there") as letter:
        bf.capsules(robot)
    assert "mesh_folder" in letter.value.remedy
    assert bf.capsules(robot, skip_missing=True) == ()
    assert len(bf.capsules(robot, mesh_folder=tmp_path / "elsewhere")) == 1
    assert len(bf.capsules(robot, mesh_folder=tmp_path / "elsewhere/meshes")) == 1


@pytest.mark.parametrize("mesh", ["../secret.stl", "meshes/../../secret.stl", "package://../secret.stl", "FILE://x/secret.stl"])
def test_names_that_lead_outside_are_not_followed(mesh, tmp_path):
    (tmp_path / "urdf/meshes").mkdir(parents=True)
    (tmp_path / "secret.stl").write_bytes(binary_stl(ROD))
    assert find_mesh(mesh, str(tmp_path / "urdf")) is None
    assert find_mesh(str(tmp_path / "secret.stl"), str(tmp_path / "urdf")) is None


def test_collision_shapes_come_before_visual_ones():
    ball, box = bf.Shape("sphere", (0.1,), role="collision"), bf.Shape("box", (1.0, 1.0, 1.0), role="visual")
    assert [capsule.radius for capsule in bf.capsules(robot_of(box, ball))] == [0.1]
    assert len(bf.capsules(robot_of(box))) == 1
    assert bf.capsules(robot_of()) == ()


def test_meshes_of_mjcf(tmp_path):
    (tmp_path / "rod.stl").write_bytes(binary_stl(ROD))
    (tmp_path / "arm.xml").write_text("""<mujoco><asset><mesh name="rod" file="rod.stl" scale="0.001 0.001 0.001"/></asset>
      <worldbody><body name="rod" pos="1 2 3"><joint name="hinge" pos="0.3 0 0"/>
      <geom type="mesh" mesh="rod" pos="0 0 0.5" euler="20 30 40"/></body></worldbody></mujoco>""")
    import mujoco

    model = mujoco.MjModel.from_xml_path(os.fspath(tmp_path / "arm.xml"))
    data = mujoco.MjData(model)
    data.qpos[0] = 0.7
    mujoco.mj_forward(model, data)
    world = model.mesh_vert @ data.geom_xmat[0].reshape(3, 3).T + data.geom_xpos[0]
    robot = bf.Robot.load(tmp_path / "arm.xml")
    (capsule,) = bf.capsules(robot)
    rotation, translation = robot.pose(capsule.link, [0.7])
    start, end = (rotation @ x + translation for x in (capsule.start, capsule.end))
    assert distances(world, start, end).max() <= capsule.radius + 1e-6
    assert capsule.radius < 0.06


@pytest.mark.parametrize("name", names())
def test_library_robots_have_capsules(name):
    robot = bf.Robot.load(name)
    found = bf.capsules(robot)
    assert found and {capsule.link for capsule in found} <= set(robot.frame_names)
    assert all(0 < capsule.radius < 0.5 for capsule in found)


def test_published_robots(dataset, tmp_path):
    """The Panda with a mesh wherever its description names one."""
    file = dataset("panda_gaz/panda.urdf")
    robot = bf.Robot.load(file)
    named = {s.mesh for link in robot.links for s in link.shapes if s.kind == "mesh" and s.role == "collision"}
    assert named
    for mesh in named:
        path = tmp_path / mesh.split("/robots/")[-1]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(binary_stl(ROD / 1000))
    with pytest.raises(bf.RobotError, match="meshes of robot 'panda' are not there"):
        bf.capsules(robot)
    found = bf.capsules(robot, mesh_folder=tmp_path)
    assert len(found) == sum(1 for link in robot.links for s in link.shapes if s.role == "collision")
    floating = bf.Robot.load(file, floating=True)
    assert len(bf.capsules(floating, mesh_folder=tmp_path)) == len(found)


# ---- letters


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.stl", b"", "announces 0 triangles"),
        ("a.stl", b"solid x\nendsolid x\n", "no corners"),
        ("a.stl", binary_stl(ROD)[:-10], "announces 200 triangles, its 10074 bytes hold 199"),
        ("a.stl", b"\x00" * 80 + b"\xff\xff\xff\xff", "announces 4294967295 triangles"),
        ("a.stl", binary_stl(np.full((1, 3, 3), np.nan)), "not finite"),
        ("a.obj", b"v 1 2 x\n", "not a number"),
        ("a.obj", b"f 1 2 3\n", "no corners"),
        ("a.dae", b"<COLLADA/>", "'.dae' mesh is not read"),
    ],
)
def test_broken_meshes_are_refused(name, data, message, tmp_path):
    (tmp_path / name).write_bytes(data)
    with pytest.raises(bf.RobotError, match=message):
        read_points(tmp_path / name)


def test_meshes_of_another_kind_can_be_left_out(tmp_path):
    (tmp_path / "rod.dae").write_text("<COLLADA/>")
    (tmp_path / "arm.urdf").write_text(urdf("rod.dae"))
    robot = bf.Robot.load(tmp_path / "arm.urdf")
    with pytest.raises(bf.RobotError, match="dae' mesh is not read"):
        bf.capsules(robot)
    assert bf.capsules(robot, skip_missing=True) == ()


def test_large_meshes_are_refused_before_they_are_read(tmp_path, monkeypatch):
    monkeypatch.setattr(mesh_points, "MAX_BYTES", 100)
    (tmp_path / "rod.stl").write_bytes(binary_stl(ROD))
    with pytest.raises(bf.RobotError, match="at most 100 are read"):
        read_points(tmp_path / "rod.stl")


def test_millimetres_are_asked_about(tmp_path):
    (tmp_path / "rod.stl").write_bytes(binary_stl(ROD))
    (tmp_path / "arm.urdf").write_text(urdf("rod.stl"))
    with pytest.raises(bf.RobotError, match="reaches") as letter:
        bf.capsules(bf.Robot.load(tmp_path / "arm.urdf"))
    assert "millimetres" in letter.value.likely


@pytest.mark.parametrize(
    "wrong",
    [
        {"radius": -1.0},
        {"radius": np.nan},
        {"radius": "0.1"},
        {"radius": None},
        {"start": [0, 0]},
        {"end": [0, 0, np.inf]},
        {"end": "here"},
        {"link": 3},
    ],
)
def test_capsules_that_cannot_be_are_refused(wrong):
    good = {"link": "hand", "start": [0, 0, 0], "end": [0, 0, 1], "radius": 0.1}
    with pytest.raises(bf.RobotError):
        bf.Capsule(**(good | wrong))


def test_capsules_cannot_be_changed():
    capsule = bf.Capsule(None, [0, 0, 0], [0, 0, 1], 0.1)
    assert capsule.link == ""
    with pytest.raises(ValueError):
        capsule.start[0] = 1.0


def test_a_mesh_folder_that_is_none(tmp_path):
    with pytest.raises(bf.RobotError, match="is no folder"):
        bf.capsules(bf.Robot.load("pendulum"), mesh_folder=Path(tmp_path, "nowhere"))

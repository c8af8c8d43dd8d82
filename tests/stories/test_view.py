"""`bifilar view` in a real browser: the robot is drawn, a slider moves it, a recording plays, no request leaves the machine."""

from __future__ import annotations

import io
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from browsers import chromium

import bifilar as bf
from bifilar.cli import main
from bifilar.cli.view import Settings, opened, subjects
from bifilar.errors import BifilarError, RecordingError, ResourceError
from bifilar.robot.description import Shape
from bifilar.view.bodies import equivalent
from bifilar.view.surfaces import surface_of

pytest.importorskip("viser", reason="viser is not installed: pip install 'bifilar[view]'")


def swing(robot: bf.Robot) -> bf.Recording:
    time = np.arange(0, 4, 0.01)
    wave = 0.5 * np.sin(2 * time)[:, None] * np.ones(len(robot.joint_names))
    return bf.Recording(joint_names=robot.joint_names, time=time, position=wave)


def until(true, seconds: float = 60.0) -> bool:
    """Whether something becomes true; a page drawn without a graphics card takes its time."""
    end = time.monotonic() + seconds
    while not true() and time.monotonic() < end:
        time.sleep(0.1)
    return bool(true())


def picture(page) -> np.ndarray:
    """The part of the page that nothing but the 3-D view covers: left of it a message may be, right of it the panel is."""
    from PIL import Image

    with Image.open(io.BytesIO(page.screenshot(clip={"x": 290, "y": 0, "width": 190, "height": 400}))) as image:
        return np.asarray(image.convert("RGB"), dtype=float)


def test_the_robot_is_drawn_and_a_slider_moves_it():
    robot = bf.Robot.load("two_link")
    heavier = robot.with_parameters({"link2.mass": 2 * robot.parameters()["link2.mass"]})
    asked, errors = [], []
    with chromium() as browser, bf.Viewer(robot, swing(robot), identified=heavier, port=8620) as viewer:
        viewer.server.scene.remove_by_name("/floor")  # what is left to be seen is the robot
        viewer.server.scene.configure_default_lights(cast_shadow=False)
        page = browser.new_page(viewport={"width": 800, "height": 400})
        page.on("request", lambda request: asked.append(request.url))
        page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(viewer.address)
        slider = page.get_by_role("slider").nth(1)  # the first is the clock of the recording
        slider.wait_for(timeout=90_000)
        assert until(lambda: picture(page).std() > 2), "nothing is drawn"
        before, tip = picture(page), viewer.place("link2")
        slider.focus()
        slider.press("End")
        assert until(lambda: np.linalg.norm(viewer.place("link2") - tip) > 0.1), "the slider moves nothing"
        expected = robot.pose("link2", viewer.position)[1]
        np.testing.assert_allclose(viewer.place("link2"), expected, atol=1e-9)
        assert until(lambda: np.mean(np.abs(picture(page) - before).max(axis=2) > 30) > 0.01), "the picture stays as it was"
        page.get_by_role("button", name="Play").click()
        assert until(lambda: abs(viewer.position[0] - viewer.position[1]) < 1e-9), "the recording is not played"
        viewer.pause()
    assert not errors and all(url.startswith((viewer.address, f"blob:{viewer.address}")) for url in asked)


def test_the_command_serves_until_it_is_stopped(tmp_path):
    words = [sys.executable, "-m", "bifilar", "view", "pendulum", "--no-browser", "--port", "8640"]
    run = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path)
    try:
        address = re.search(r"http://localhost:\d+", run.stdout.readline())
        assert address
        from urllib.request import urlopen

        assert b"<html" in urlopen(address[0], timeout=30).read()[:2000].lower()
    finally:
        run.send_signal(signal.SIGINT if sys.platform != "win32" else signal.SIGTERM)
        _, err = run.communicate(timeout=60)
    assert run.returncode == 0 and not err


def test_a_run_is_shown_before_and_after(tmp_path):
    robot = bf.Robot.load("two_link")
    rng = np.random.default_rng(0)
    motion = rng.uniform(-1, 1, (3, 300, 2))
    truth = robot.with_parameters({"link2.mass": 3.0})
    torque = truth.inverse_dynamics(*motion) + rng.normal(scale=0.01, size=(300, 2))
    clock = np.arange(300) * 0.01
    words = dict(zip(("position", "velocity", "acceleration"), motion))
    log = bf.Recording(joint_names=robot.joint_names, time=clock, torque=torque, **words)
    samples = bf.prepare(log, "recorded")
    estimate = bf.fit(robot, samples, friction=bf.Friction())
    bf.save_estimate(estimate, tmp_path / "run")
    described, identified = subjects(Settings(robot=str(tmp_path / "run")))
    assert described.name == "two_link" and identified.link("link2").inertia.mass == estimate.robot.link("link2").inertia.mass
    with opened(Settings(robot="two_link", run=str(tmp_path / "run"), port=8660)) as viewer:
        assert len(viewer.scene.described) == len(viewer.scene.identified) == 2
    with pytest.raises(BifilarError, match="of another robot"):
        subjects(Settings(robot="ur10e", run=str(tmp_path / "run")))
    bf.save_estimate(bf.fit(robot, samples, bf.LeastSquares(), friction=bf.Friction()), tmp_path / "base")
    with pytest.raises(BifilarError, match="base parameters only"):
        subjects(Settings(robot=str(tmp_path / "base")))


def test_without_viser_it_says_what_to_install(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "viser", None)
    with pytest.raises(ResourceError, match="further package"):
        bf.Viewer(bf.Robot.load("pendulum"))
    assert main(["view", "pendulum"]) == 5 and "pip install 'bifilar[view]'" in capsys.readouterr().err


def test_an_address_of_another_machine_is_refused():
    with pytest.raises(ResourceError, match="no page can be served"):
        bf.Viewer(bf.Robot.load("pendulum"), host="192.0.2.1")


def test_a_recording_of_another_robot_is_refused():
    with pytest.raises(RecordingError, match="no joint of the robot is recorded"):
        bf.Viewer(bf.Robot.load("panda"), bf.Recording(joint_names=("hip",), time=np.arange(3.0), position=np.zeros((3, 1))))


@pytest.mark.parametrize(
    ("shape", "volume"),
    [
        (Shape("box", (1.0, 2.0, 3.0)), 6.0),
        (Shape("sphere", (0.5,)), 4 / 3 * np.pi * 0.5**3),
        (Shape("cylinder", (0.5, 2.0)), np.pi * 0.25 * 2),
        (Shape("capsule", (0.5, 2.0)), np.pi * 0.25 * 2 + 4 / 3 * np.pi * 0.5**3),
    ],
)
def test_surfaces_enclose_their_shape_and_face_outwards(shape, volume):
    surface = surface_of(shape)
    assert 0.97 * volume < surface.volume <= volume * (1 + 1e-12)
    edges = {}
    _, same = np.unique(surface.corners.round(9), axis=0, return_inverse=True)
    for triangle in same.reshape(-1)[surface.triangles]:
        for a, b in zip(triangle, np.roll(triangle, -1)):
            edges[a, b] = edges.get((a, b), 0) + 1
    assert all(count == edges.get((b, a)) == 1 for (a, b), count in edges.items()), "open, or two triangles disagree"


@pytest.mark.parametrize("seed", range(5))
def test_an_ellipsoid_has_the_inertia_it_stands_for(seed):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(20, 3)) * [0.3, 0.2, 0.1] + rng.normal(size=3)
    weights = rng.uniform(0.1, 1, 20)
    lifted = np.column_stack([points, np.ones(20)])
    body = bf.Inertia.from_pseudo(lifted.T @ (weights[:, None] * lifted))
    seen = equivalent(body)
    x, y, z = seen.half_axes**2
    about = seen.rotation @ np.diag([y + z, x + z, x + y]) @ seen.rotation.T * body.mass / 5
    np.testing.assert_allclose(about, body.about_center_of_mass, atol=1e-12)
    assert seen.possible and np.linalg.det(seen.rotation) > 0


def test_meshes_are_drawn_where_they_are_found(tmp_path):
    import trimesh

    trimesh.creation.box((0.1, 0.1, 0.4)).export(tmp_path / "arm.stl")
    text = """<robot name="r"><link name="a"><visual><geometry><mesh filename="arm.stl"/></geometry></visual></link>
    <link name="b"><visual><geometry><mesh filename="gone.dae"/></geometry></visual>
      <collision><geometry><sphere radius="0.1"/></geometry></collision></link>
    <joint name="j" type="continuous"><parent link="a"/><child link="b"/><origin xyz="0 0 1"/></joint></robot>"""
    (tmp_path / "arm.urdf").write_text(text)
    with bf.Viewer(bf.Robot.load(tmp_path / "arm.urdf"), port=8680) as viewer:
        assert len(viewer.scene.links) == 2
        assert viewer.scene.notes == ["b: gone.dae is not there; its collision shape is drawn"]
        assert np.ptp(viewer.scene.links[0].vertices[:, 2]) == pytest.approx(0.4)


def test_meshes_of_a_mujoco_file_stand_where_mujoco_has_them(tmp_path):
    import trimesh

    trimesh.creation.box((0.1, 0.2, 0.4)).apply_translation([0, 0, 0.2]).export(tmp_path / "arm.stl")
    text = """<mujoco><asset><mesh name="arm" file="arm.stl"/></asset><worldbody><body name="a"><joint name="j" type="hinge"/>
    <geom type="mesh" mesh="arm" pos="0.5 0 0"/></body></worldbody></mujoco>"""
    (tmp_path / "arm.xml").write_text(text)
    with bf.Viewer(bf.Robot.load(tmp_path / "arm.xml"), port=8690) as viewer:
        corners = max((handle.vertices for handle in viewer.scene.links), key=lambda points: np.ptp(points, axis=0).max())
        np.testing.assert_allclose(np.min(corners, axis=0), [0.45, -0.1, 0.0], atol=1e-6)
        np.testing.assert_allclose(np.max(corners, axis=0), [0.55, 0.1, 0.4], atol=1e-6)

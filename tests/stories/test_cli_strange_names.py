"""A robot whose names are script tags and formulas, through the whole line: pages and tables show them as the text they are."""

from __future__ import annotations

import csv
from html.parser import HTMLParser
from xml.sax.saxutils import quoteattr

import numpy as np
import pytest

import bifilar as bf

JOINTS = ("=HYPERLINK(1)", "<script>alert(1)</script>")
LINKS = ("@SUM(A1)", "<img src=x onerror=alert(1)>")
NAME = "<b>+arm</b>"


class Tags(HTMLParser):
    """Tags of a page, and its text outside of scripts and styles."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text, self.inside = "", ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self.inside = tag

    def handle_endtag(self, tag: str) -> None:
        self.inside = ""

    def handle_data(self, data: str) -> None:
        self.text += "" if self.inside in ("script", "style") else data


@pytest.fixture
def line(bifilar, tmp_path):
    """Everything that the commands write about such a robot."""
    text, parent = f"<robot name={quoteattr(NAME)}><link name='base'/>", "base"
    for k, (joint, link) in enumerate(zip(JOINTS, LINKS)):
        text += f"<link name={quoteattr(link)}><inertial><origin xyz='0.2 0 0.01'/><mass value='{2 - k}'/>"
        text += "<inertia ixx='0.01' iyy='0.03' izz='0.03' ixy='0' ixz='0' iyz='0'/></inertial></link>"
        text += f"<joint name={quoteattr(joint)} type='revolute'><parent link={quoteattr(parent)}/>"
        text += f"<child link={quoteattr(link)}/><origin xyz='{0.4 * k} 0 0'/><axis xyz='0 1 0'/>"
        text += "<limit lower='-2' upper='2' velocity='3' effort='30'/></joint>"
        parent = link
    (tmp_path / "arm.urdf").write_text(text + "</robot>")
    robot = bf.Robot.load("arm.urdf").with_friction(bf.Viscous(), {f"{name}.viscous": 0.2 for name in JOINTS})
    t = np.arange(0, 8, 0.005)
    for seed, name in enumerate(("a.npz", "b.npz")):
        rng = np.random.default_rng(seed)
        rate, phase = rng.uniform(1, 5, (2, 3)), rng.uniform(0, 6, (2, 3))
        turns = t[:, None, None] * rate + phase
        q, v, a = (0.4 * x.sum(-1) for x in (np.sin(turns), rate * np.cos(turns), -(rate**2) * np.sin(turns)))
        torque = robot.inverse_dynamics(q, v, a) + 0.02 * rng.normal(size=q.shape)
        bf.Recording(joint_names=JOINTS, time=t, position=q, torque=torque).save(tmp_path / name)
    lines = [
        ["convert", "a.npz", "a.csv"],
        ["check", "a.csv", "--robot", "arm.urdf", "-o", "check.html"],
        ["fit", "arm.urdf", "a.csv", "--test", "b.npz", "-o", "run"],
        ["export", "run", "-o", "table.csv"],
        ["design", "arm.urdf", "--duration", "4", "--starts", "1", "-o", "excite.csv"],
        ["simulate", "arm.urdf", "excite.csv", "-o", "sim.csv"],
    ]
    for words in lines:
        code, out, err = bifilar(*words)
        assert code == 0 and err == "", (words, err)
        assert "\x1b" not in out
    return tmp_path


def test_pages_and_tables_show_names_as_text_and_read_them_back(line):
    pages = [line / "check.html", *(line / "run").glob("*.html"), line / "excite.html", line / "sim.html"]
    assert len(pages) == 4
    for path in pages:
        source = path.read_text("utf-8")
        page = Tags(source)
        assert not [attrs for _, attrs in page.tags if attrs.get("src") == "x" or "onerror" in attrs], path
        assert "<script>alert" not in source and JOINTS[1] in page.text, path
    for name in ("a.csv", "sim.csv", "excite.csv", "table.csv"):
        with open(line / name, encoding="utf-8", newline="") as file:
            texts = [cell for row in csv.reader(file) for cell in row if not _is_number(cell)]
        assert any("HYPERLINK" in text or "SUM" in text for text in texts)
        assert not [text for text in texts if text.lstrip()[:1] in ("=", "+", "-", "@")], name
    robot = bf.Robot.load("arm.urdf")
    for name in ("a.csv", "sim.csv"):  # what was guarded reads back
        assert bf.Recording.load(line / name, robot).joint_names == JOINTS
    assert bf.load_motion(line / "excite.csv").joint_names == JOINTS


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True

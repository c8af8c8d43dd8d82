"""Remedies of findings: whoever types finds words to type, in the terminal and on every page, and Python beside them."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import numpy as np
import pytest
from typed_back import complaints

import bifilar as bf
from bifilar.report.recording_page import recording_page
from bifilar.report.remedies import both_ways, typed_finding

SOURCE = Path(bf.__file__).parent
FILES = [
    *sorted((SOURCE / "recording").glob("check*.py")),
    SOURCE / "validate" / "mistakes.py",
    SOURCE / "estimate" / "doubts.py",
]
PYTHON = re.compile(r"Recording\.load|\brecording\.\w+\(|\brobot\.\w+\(|\bbf\.\w+|\w=\{|\bprepare\(")


def text_of(node: ast.expr) -> str:
    """A string of the source; X where something is put in."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.JoinedStr):
        return "".join(part.value if isinstance(part, ast.Constant) else "X" for part in node.values)
    return text_of(node.left) + text_of(node.right) if isinstance(node, ast.BinOp) else ""


def remedies() -> list[str]:
    """Every remedy that a finding about a log may have."""
    found = []
    for file in FILES:
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Assign) and any(getattr(to, "id", "") in ("remedy", "STAMPS") for to in node.targets):
                found.append(text_of(node.value))
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("Suspicion", "Finding"):
                found += [text_of(word) for word in node.args[3:4]]
                found += [text_of(word.value) for word in node.keywords if word.arg == "remedy"]
    return [text for text in found if text]


def test_every_remedy_can_be_typed():
    assert len(remedies()) > 40
    for remedy in remedies():
        assert not PYTHON.search(typed_finding(remedy)), remedy
        shown = both_ways(remedy)
        assert shown.startswith(typed_finding(remedy)) and (not PYTHON.search(remedy) or "(in Python: " in shown)


TYPED = ["calibrate", "arm.urdf", "--free", "a.csv", "--loaded", "b.csv", "--mass", "2800"]


@pytest.mark.parametrize(
    "remedy",
    [
        "--mass 2.8, in kilograms; --anyway takes it as it is",
        "--unit position=deg",
        "--unit torque='mN m'; --anyway takes it as it is",
        "bifilar calibrate arm.urdf --free b.csv --loaded a.csv --mass 2.8",
        "name the folder that 'bifilar fit' wrote",
        "install bifilar again",
        "bifilar check LOG --write-mapping log.toml, then --mapping log.toml",
    ],
)
def test_what_can_be_typed_back(remedy):
    assert complaints(TYPED, remedy) == []


@pytest.mark.parametrize(
    ("remedy", "why"),
    [
        ("--robot other.urdf", "calibrate has no --robot"),
        ("record again, or --lock joint2", "calibrate has no --lock"),
        ("--mass heavy.2", "is not a number"),
        ("bifilar calibrat arm.urdf", "there is no command 'calibrat'"),
        ("bifilar fit --method consistent", "ROBOT"),
        ("see 'bifilar check run.csv --robt arm.urdf'", "--robt"),
        ("bifilar check LOG --write-map log.toml, then --mapping log.toml", "--write-map"),
    ],
)
def test_what_cannot_be_typed_back_is_seen(remedy, why):
    assert why in " ".join(complaints(TYPED, remedy))


@pytest.mark.parametrize(("spoilt", "typed"), [("sign", "--sign joint2=-1"), ("degrees", "--unit position=deg")])
def test_a_page_about_a_log_says_both(spoilt, typed):
    arm = bf.Robot.load("two_link")
    t = np.arange(1500) / 100
    q, v, a = (np.column_stack([w**k * np.sin(w * t + k * np.pi / 2) for w in (1.0, 1.7)]) for k in range(3))
    torque = arm.inverse_dynamics(q, v, a) * (np.array([1, -1]) if spoilt == "sign" else 1.0)
    log = bf.Recording(joint_names=arm.joint_names, time=t, position=np.degrees(q) if spoilt == "degrees" else q, torque=torque)
    page = recording_page(log, log.check(arm)).html()
    assert typed in page and "(in Python: Recording.load" in page

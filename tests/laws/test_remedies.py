"""Remedies of findings: whoever types finds words to type, in the terminal and on every page, and Python beside them."""

from __future__ import annotations

import ast
import copy
import json
import pickle
import re
from pathlib import Path

import numpy as np
import pytest
from typed_back import complaints

import bifilar as bf
from bifilar.errors import Note, Remedy
from bifilar.messages import catalogue
from bifilar.report.recording_page import recording_page

SOURCE = Path(bf.__file__).parent
HOLE = re.compile(r"\{[^{}]*\}")
PYTHON = re.compile(r"Recording\.load|\brecording\.\w+\(|\brobot\.\w+\(|\bbf\.\w+|\b[a-z_]+=(\{|\[|True|False)|\bprepare\(")


def typed(key: str) -> list[str]:
    """What a message says to type, with X for its facts."""
    entry = catalogue()[key]
    remedies = [entry.remedy] if isinstance(entry.remedy, str) else list(entry.remedy)
    return [HOLE.sub("X", entry.lead + text) for text in ([entry.cli] if entry.cli else remedies) if text]


def test_every_remedy_of_a_finding_can_be_typed():
    """Words of Python stand in a remedy of two spellings; what is typed has none."""
    both = [key for key, entry in catalogue().items() if entry.cli]
    assert len(both) > 50
    assert not [key for key in both if any(map(PYTHON.search, typed(key)))]
    calls = [
        (node.args[0], path)
        for path in sorted((SOURCE / "recording").glob("check*.py"))
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Finding" and node.args
    ]
    checks = {one.value for first, _ in calls for one in ast.walk(first) if isinstance(one, ast.Constant)} & catalogue().keys()
    assert len(checks) > 40
    assert not [key for key in checks if any(map(PYTHON.search, typed(key)))]


def test_two_spellings():
    """A string is Python's; the other is typed; a page has both, what they share said once."""
    held = Remedy(
        "robot.locked(['elbow'])", cli="--lock elbow", lead="move it, or: ", needs=["--lock"], otherwise="a fixed elbow"
    )
    assert str(held) == "move it, or: robot.locked(['elbow'])" and held.cli == "move it, or: --lock elbow"
    assert held.both == "move it, or: --lock elbow (in Python: robot.locked(['elbow']))"
    assert held.typed({"--lock", "--sign"}) == held.cli and held.typed({"--sign"}) == "a fixed elbow"
    assert (held + "!").cli.endswith("--lock elbow!") and str(held + "!").endswith("['elbow'])!")
    for copied in (copy.deepcopy(held), pickle.loads(pickle.dumps(held))):
        assert copied == held and copied.cli == held.cli and copied.needs == held.needs
    note = Note("joint.still", what="it never moved", remedy=held, joint="elbow")
    again = Note.from_data(json.loads(json.dumps(note.data())))
    assert (again, again.code, again.facts, again.typed) == (note, "joint.still", {"joint": "elbow"}, note.typed)
    assert copy.deepcopy(note).code == note.code


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

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
from bifilar.report.recording_page import recording_page

SOURCE = Path(bf.__file__).parent
PYTHON = re.compile(r"Recording\.load|\brecording\.\w+\(|\brobot\.\w+\(|\bbf\.\w+|\b[a-z_]+=(\{|\[|True|False)|\bprepare\(")


def text_of(node: ast.expr) -> str:
    """A string of the source; X where something is put in."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.JoinedStr):
        return "".join(part.value if isinstance(part, ast.Constant) else "X" for part in node.values)
    return text_of(node.left) + text_of(node.right) if isinstance(node, ast.BinOp) else ""


def remedies(file: Path) -> tuple[list[str], list[tuple[str, str]]]:
    """Remedies of one spelling, and those of two: Python's and what is typed."""
    one, two = [], []
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Assign) and any(getattr(to, "id", "").lower() == "remedy" for to in node.targets):
            one.append(text_of(node.value))
        if isinstance(node, ast.Call):
            named = {word.arg: text_of(word.value) for word in node.keywords}
            name = getattr(node.func, "id", "")
            if name == "Remedy":
                python = text_of(node.args[0])
                two.append((named.get("lead", "") + python, named.get("lead", "") + named.get("cli", "")))
            else:
                one += [text for word, text in named.items() if word == "remedy"]
                one += [text_of(word) for word in node.args[3:4]] if name == "Finding" else []
    return [text for text in one if text], two


def test_every_remedy_of_a_finding_can_be_typed():
    """Words of Python stand in a remedy of two spellings; what is typed has none."""
    files = [*(SOURCE / "recording").rglob("*.py"), *(SOURCE / "robot").rglob("*.py"), *(SOURCE / "validate").rglob("*.py")]
    plain, both = zip(*map(remedies, sorted(files)))
    typed = [cli for pairs in both for _, cli in pairs if cli]
    assert len(typed) > 25
    assert not [text for text in typed if PYTHON.search(text)]
    checks = [text for file in sorted((SOURCE / "recording").glob("check*.py")) for text in remedies(file)[0]]
    assert len(checks) > 20 and not [text for text in checks if PYTHON.search(text)]


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
    note = Note("it never moved", code="joint.still", remedy=held, joint="elbow")
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

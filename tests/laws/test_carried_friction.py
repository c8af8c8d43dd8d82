"""Friction handed on: a file read again is the robot it was said to state, and every term is accounted for once."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bifilar as bf
from bifilar.export.carried_friction import as_stated, carried_columns, commented, friction_carried
from bifilar.export.formats import CODE
from bifilar.export.losses import friction_sentences
from bifilar.export.parity import states_of
from bifilar.export.write_model import written
from bifilar.robot.friction import TERMS, Friction

JOINTS = ("joint1", "joint2")


def same(data: bytes) -> str:
    """A file without comments and white space between its elements."""
    return ElementTree.canonicalize(data, strip_text=True)


@st.composite
def rubbing(draw):
    """A two-link arm with one term of every kind that is drawn, at some joints, with any width, and with values."""
    terms = []
    for kind in draw(st.lists(st.sampled_from(TERMS), unique=True, max_size=5)):
        names = kind.__dataclass_fields__
        made = {"at": draw(st.none() | st.lists(st.sampled_from(JOINTS), min_size=1, unique=True).map(tuple))}
        made |= {"width": draw(st.sampled_from([0.0, 0.02, 0.3]))} if "width" in names else {}
        made |= {"speed": 0.1} if "speed" in names else {"exponent": 0.5} if "exponent" in names else {}
        made |= {"asymmetric": draw(st.booleans())} if kind.directional else {}
        terms.append(kind(**made))
    robot = bf.Robot.load("two_link").with_friction(Friction(tuple(terms)))
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    return robot.with_parameters({name: rng.uniform(0.1, 1.0) for name in robot.drive_columns.names})


@settings(max_examples=25, deadline=None)
@given(rubbing(), st.sampled_from(["URDF", "MJCF"]))
def test_a_file_states_what_it_was_said_to_state(tmp_path_factory, robot, format):
    path = tmp_path_factory.mktemp("file") / ("arm.urdf" if format == "URDF" else "arm.xml")
    path.write_bytes(written(robot, format))
    read, said, at = bf.Robot.load(path), as_stated(robot, format), states_of(robot)
    torque = [one.inverse_dynamics(at.q, at.v, at.a) for one in (read, said)]
    assert np.allclose(*torque, rtol=1e-9, atol=1e-9)


@given(rubbing(), st.sampled_from(["URDF", "MJCF", "SDF", "C", "NumPy", "JSON", "YAML"]))
def test_every_term_of_every_joint_is_accounted_for_once(robot, format):
    found = friction_carried(robot, format)
    told = sorted((one["term"], joint) for one in found for joint in one["joints"])
    terms = [(term.word.partition("_")[0], joint) for term in robot.friction for joint in term.at or JOINTS]
    assert told == sorted(terms)
    if format in (*CODE, "JSON", "YAML"):
        assert {one["how"] for one in found} <= {"exact"}
    else:
        kept = sum(len(one["joints"]) for one in found if one["how"] != "lost")
        assert kept == len(carried_columns(robot, format))
        assert all(one["how"] in ("exact", "lost") for one in found if not one["settings"].get("width"))


@given(rubbing(), st.sampled_from(["URDF", "MJCF", "SDF"]))
def test_a_comment_is_there_if_something_is_lost_and_changes_nothing_else(robot, format):
    data, said = written(robot, format), list(friction_sentences(robot, format))
    bare = commented(data, (), format)
    assert (data == bare) == (not said) and commented(data, said, format) == data
    assert same(data) == same(bare)
    assert all(one.split(":")[0].encode() in data for one in said)


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("name", ["a--b", "--", "ü\u2028", "x -->", "a\nb", "-"])
def test_names_do_not_end_a_comment(name, ending):
    data = f'<robot name="arm">{ending}  <link name="l"/>{ending}</robot>'.encode()
    made = commented(data, [f"URDF cannot state torque offset: {name}"], "URDF")
    assert same(made) == same(data) and made.count(b"-->") == 1
    assert commented(made, (), "URDF") == data


@pytest.mark.parametrize("text", [b"<robot/>", b"", b"\xff\xfe<\x00r\x00"])
def test_a_file_without_an_end_to_write_before_stays_as_it_is(text):
    assert commented(text, ["something is lost"], "URDF") == text

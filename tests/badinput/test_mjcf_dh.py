"""Broken MJCF files and DH tables: each is refused with the letter it deserves, and nothing outside the folder is opened."""

from __future__ import annotations

import random

import pytest

from bifilar.errors import BifilarError, RobotError
from bifilar.robot.description import Description, Joint, Link
from bifilar.robot.inertia import Inertia
from bifilar.robot.read_dh import from_dh, read_dh
from bifilar.robot.write_mjcf import write_mjcf

BODY = '<body name="arm"><joint name="a"/><inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/></body>'

TABLES = {
    "a = ": "not valid TOML",
    "name = 3\n[[row]]": "'name' is a number; a text is needed",
    "row = []": "0 rows; between 1 and 1000 are needed",
    "[[rwo]]\na = 1": "0 rows; between 1 and 1000 are needed",
    "[[row]]\nalhpa = 1": "unknown key 'alhpa'",
    "convention = 'modifed'\n[[row]]": "convention 'modifed' is not one of standard, modified, pose",
    "angle = 'degree'\n[[row]]": "angle 'degree' is not one of rad, deg",
    "[[row]]\na = nan": "'a' is nan; a finite number is needed",
    "[[row]]\nd = inf": "'d' is inf; a finite number is needed",
    "[[row]]\nd = 'far'": "'d' is a text; a number is needed",
    "[[row]]\nd = true": "'d' is true or false; a number is needed",
    "[[row]]\nmass = 1\ncom = [1, 2]": "'com' has 2 numbers, 3 are needed",
    "[[row]]\nmass = 1\ncom = [1, 2, nan]": "'com[2]' is nan; a finite number is needed",
    "[[row]]\nmass = 1\ncom = [1, 2, 3]\nfirst_moment = [1, 2, 3]": "both com and first_moment are given",
    "[[row]]\nmass = 1\ninertia_com = {xx = 1}\ninertia_origin = {xx = 1}": "both inertia_com and inertia_origin are given",
    "[[row]]\nmass = 1\ninertia_com = {xx = 1, xw = 2}": "unknown key 'xw'",
    "[[row]]\nmass = 0\nfirst_moment = [1, 0, 0]": "a first moment without mass has no centre of mass",
    "[[row]]\nkind = 'ball'": "kind 'ball' is not one of revolute, continuous, prismatic, fixed",
    "[[row]]\nlimits = {lower = 1, upper = -1}": "lower limit 1.0 is above upper limit -1.0",
    "[[row]]\nlimits = {velocity = -1}": "the velocity limit is -1.0; a positive number is needed",
    "[[row]]\nlimits = 3": "a table of named values is needed, not a number",
    "[[row]]\nname = 'x'\n[[row]]\nname = 'x'": "link 'x' was named before",
    "[[row]]\njoint = 'x'\n[[row]]\njoint = 'x'": "joint 'x' was named before",
    "[[row]]\nparent = 'link7'": "the parent 'link7' is no link of an earlier row",
    "[[row]]\nmimic = {}": "mimic names no joint",
    "[[row]]\nshapes = [{kind = 'cone'}]": "kind 'cone' is not one of box, sphere, cylinder, capsule",
    "[[row]]\nshapes = [{kind = 'sphere', radius = 0}]": "the sphere has no size",
    "convention = 'pose'\n[[row]]\naxis = [0, 0, 0]": "the axis has no length",
    "x = " + "[" * 5000: "not",
}


@pytest.mark.parametrize("text", TABLES, ids=range(len(TABLES)))
def test_tables(text, tmp_path):
    path = tmp_path / "arm.toml"
    path.write_text(text)
    with pytest.raises(RobotError) as error:
        read_dh(path)
    assert error.value.what.startswith(TABLES[text])
    assert "arm.toml" in error.value.where


def test_a_slip_in_a_table_is_found_by_its_line(tmp_path):
    path = tmp_path / "arm.toml"
    path.write_text("name = 'arm'\n[[row]]\na =\n")
    with pytest.raises(RobotError) as error:
        read_dh(path)
    assert error.value.where.endswith("arm.toml:3") and "line" not in error.value.what and error.value.remedy


def test_misspellings_are_recognised():
    with pytest.raises(RobotError, match="misspelling of 'alpha'"):
        from_dh([{"alhpa": 1.0}])


def test_table_files_that_are_none(tmp_path):
    big = tmp_path / "big.toml"
    big.write_bytes(b"#" * 1_000_001)
    with pytest.raises(RobotError, match="larger than 1000000 bytes"):
        read_dh(big)
    latin = tmp_path / "latin.toml"
    latin.write_bytes('name = "fünf"'.encode("latin-1"))
    with pytest.raises(RobotError, match="not UTF-8"):
        read_dh(latin)
    with pytest.raises(RobotError, match="cannot be read"):
        read_dh(tmp_path)


def world(inner: str, outer: str = "") -> str:
    return f"<mujoco>{outer}<worldbody>{inner}</worldbody></mujoco>"


MODELS = {
    '<!DOCTYPE mujoco [<!ENTITY x "y">]>' + world(BODY): "the file has a DOCTYPE, which is not allowed",
    "<robot name='x'><link name='y'/></robot>": "the file's outer element is <robot>, an MJCF's is <mujoco>",
    world('<include file="/etc/hostname"/>'): "<include> names '/etc/hostname', which is outside the file's folder",
    world('<include file="../secret.xml"/>'): "<include> names '../secret.xml', which is outside the file's folder",
    world('<include file="C:/secret.xml"/>'): "<include> names 'C:/secret.xml', which is outside the file's folder",
    world('<include file="link.xml"/>'): "<include> names 'link.xml', which is outside the file's folder",
    world('<include file="none.xml"/>'): "the included file 'none.xml' does not exist",
    world(
        BODY, '<asset><model name="m" file="../m.xml"/></asset>'
    ): "<model> names '../m.xml', which is outside the file's folder",
    world(BODY, '<asset><mesh name="m" file="/usr/m.stl"/></asset>'): "<mesh> names '/usr/m.stl', which is outside",
    world(BODY, '<compiler meshdir="../meshes"/>'): "<compiler> names '../meshes', which is outside the file's folder",
    world(BODY, '<asset><texture name="t" builtin="flat" width="99999" height="99999"/></asset>'): "textures, height fields",
    world(
        f'<replicate count="100"><replicate count="100">{BODY}</replicate></replicate>'
    ): "the model has more than 20000 elements, copies counted",
    world('<body><composite type="cable" count="9 1 1" size="1"/></body>'): "<composite> makes a deformable body",
    world(
        '<body><joint type="ball" name="b"/><geom size="1"/></body>'
    ): "joint 'b' of body 'body1' is a ball joint, which is not read",
    world("<body><joint/></body>"): "MuJoCo refuses the model: mass and inertia of moving bodies must be larger than mjMINVAL",
    world('<body pos="nan 0 0"><geom size="1"/></body>'): "MuJoCo warns of the model: XML contains a 'NaN'",
    world('<body pos="1 2"><geom size="1"/></body>'): "MuJoCo refuses the model: attribute 'pos' does not have enough data",
    world("<bdoy/>"): "MuJoCo refuses the model: Schema violation",
    world(BODY + BODY): "MuJoCo refuses the model: repeated name 'arm' in body",
    "<mujoco><worldbody>": "the file ",
    "": "the file is empty",
}


@pytest.mark.parametrize("text", MODELS, ids=range(len(MODELS)))
def test_models(text, tmp_path, monkeypatch):
    pytest.importorskip("mujoco")
    from bifilar.robot.read_mjcf import read_mjcf

    folder = tmp_path / "model"
    folder.mkdir()
    monkeypatch.chdir(folder)
    (tmp_path / "secret.xml").write_text(f"<mujocoinclude>{BODY}</mujocoinclude>")
    (tmp_path / "m.xml").write_text(world(BODY))
    (folder / "link.xml").symlink_to(tmp_path / "secret.xml")
    path = folder / "model.xml"
    path.write_text(text)
    with pytest.raises(RobotError) as error:
        read_mjcf(path)
    assert error.value.what.startswith(MODELS[text])
    assert "model.xml" in error.value.where
    assert not (folder / "MUJOCO_LOG.TXT").exists()


def test_includes_are_scanned_too(tmp_path):
    pytest.importorskip("mujoco")
    from bifilar.robot.read_mjcf import read_mjcf

    (tmp_path / "part.xml").write_text(f'<!DOCTYPE x [<!ENTITY a "b">]><mujocoinclude>{BODY}</mujocoinclude>')
    (tmp_path / "model.xml").write_text(world('<include file="part.xml"/>'))
    with pytest.raises(RobotError, match="DOCTYPE") as error:
        read_mjcf(tmp_path / "model.xml")
    assert "part.xml:1" in error.value.where


def test_models_in_memory_name_no_files():
    pytest.importorskip("mujoco")
    from bifilar.robot.read_mjcf import parse_mjcf

    with pytest.raises(RobotError, match="a model in memory can name none"):
        parse_mjcf(world('<include file="part.xml"/>'))


def test_mutated_models_end_in_an_object_or_a_letter():
    pytest.importorskip("mujoco")
    from bifilar.robot import library
    from bifilar.robot.read_mjcf import parse_mjcf

    chance = random.Random(1)
    original = write_mjcf(library.load_description("walker3"))
    pieces = ['"', "<", ">", "nan", "-1", "1e400", "0", " ", "/", "joint1", "&", "<body>", "</body>", "free", "\x00"]
    for _ in range(300):
        text = list(original)
        for _ in range(chance.randint(1, 4)):
            at = chance.randrange(len(text))
            text[at : at + chance.randint(0, 12)] = chance.choice(pieces)
        try:
            assert isinstance(parse_mjcf("".join(text)), Description)
        except BifilarError as error:
            assert error.what


def tree(*links: Link, joints: tuple[Joint, ...] = ()) -> Description:
    return Description("bad", (Link("base"), *links), joints)


SOLID = Inertia.from_vector([1, 0, 0, 0, 1, 0, 1, 0, 0, 1])
HINGE = Joint("hinge", "continuous", "base", "arm")
DESCRIPTIONS = {
    "MuJoCo has no such bodies: 'arm'": tree(Link("arm", Inertia.from_vector([1, 0, 0, 0, 1, 0, 1, 0, 0, 5])), joints=(HINGE,)),
    "link 'arm' moves and has no mass": tree(Link("arm"), joints=(HINGE,)),
    "joint 'hinge' has a negative damping": tree(
        Link("arm", SOLID), joints=(Joint("hinge", "continuous", "base", "arm", damping=-1),)
    ),
    "the name 'a\\x01' holds characters that XML cannot": tree(
        Link("a\x01", SOLID), joints=(Joint("hinge", "continuous", "base", "a\x01"),)
    ),
    "links and joints do not form one tree": tree(Link("arm")),
    "joint 'hinge' names a link that does not exist": tree(joints=(HINGE,)),
    "'world' is MuJoCo's name for what does not move": tree(
        Link("world", SOLID), joints=(Joint("hinge", "continuous", "base", "world"),)
    ),
}


@pytest.mark.parametrize("what", DESCRIPTIONS)
def test_what_mujoco_cannot_have_is_refused_when_writing(what):
    with pytest.raises(RobotError) as error:
        write_mjcf(DESCRIPTIONS[what])
    assert error.value.what.startswith(what)

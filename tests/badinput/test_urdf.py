"""Broken URDFs and the exact sentence each must give, with its line; then three hundred that chance has broken."""

# ruff: noqa: E501   a table of sentences is read by the line
from __future__ import annotations

import os

import pytest

from bifilar.errors import BifilarError, ResourceError, RobotError
from bifilar.robot import xml_reader
from bifilar.robot.read_urdf import parse_urdf, read_urdf
from bifilar.robot.write_file import write_file

BASE = """<robot name="arm">
<link name="base"/>
<link name="arm">
  <inertial>
    <origin xyz="0 0 0.1" rpy="0 0 0"/>
    <mass value="1"/>
    <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>
  </inertial>
</link>
<joint name="elbow" type="revolute">
  <parent link="base"/>
  <child link="arm"/>
  <axis xyz="0 0 1"/>
  <limit lower="-1" upper="1" effort="10" velocity="2"/>
</joint>
</robot>"""
SECOND = '<link name="c"/><joint name="wrist" type="revolute"><parent link="arm"/><child link="c"/>{}</joint>\n</robot>'


def broken(old: str, new: str) -> bytes:
    assert BASE.count(old) == 1, old
    return BASE.replace(old, new).encode()


def wrist(inside: str) -> bytes:
    return broken("</robot>", SECOND.format(inside))


# what the file is, line, the sentence
TABLE = [
    # not XML, or not allowed
    (b"", None, "the file is empty"),
    (b" \n\t\n", None, "the file is empty"),
    (b"hello", 1, "the file is not XML: it does not begin with '<'"),
    (b"\x7fELF\x02\x01\x00\x00", 1, "the file holds a NUL byte; it is not text"),
    (b"\x1f\x8b\x08" + b"x" * 20, None, "the file is compressed, not XML"),
    (BASE.encode("utf-16"), 1, "the file is written in UTF-16; only UTF-8 is read"),
    (BASE.encode("utf-16-be"), 1, "the file holds a NUL byte; it is not text"),
    (b'<?xml version="1.0" encoding="latin-1"?>' + BASE.encode(), 1, "the file says it is written in 'latin-1'; only UTF-8 is read"),
    (BASE.replace("elbow", "ell\xe4").encode("latin-1"), 10, "the file holds the byte 0xe4, which is not UTF-8"),
    (BASE.encode()[:200], 8, "the file ends inside <inertial>, which begins in line 4"),
    (BASE.encode()[:-8], 16, "the file ends inside <robot>, which begins in line 1"),
    (b"<robot", 1, "the file is not well-formed XML: unclosed token"),
    (b"<!-- nothing -->", 1, "the file is not well-formed XML: no element found"),
    (broken("</link>\n<joint", "\n<joint"), 16, "the file is not well-formed XML: mismatched tag"),
    (broken('name="base"', 'name="base" name="b"'), 2, "the file is not well-formed XML: duplicate attribute"),
    (broken('name="base"', 'name="&base;"'), 2, "the file is not well-formed XML: undefined entity"),
    (BASE.encode() + BASE.encode(), 16, "the file is not well-formed XML: junk after document element"),
    (b'<!DOCTYPE robot [<!ENTITY a "aaaa">]>' + BASE.encode(), 1, "the file has a DOCTYPE, which is not allowed"),
    (b'\n<!DOCTYPE robot SYSTEM "http://example.org/x.dtd">' + BASE.encode(), 2, "the file has a DOCTYPE, which is not allowed"),
    (broken("</robot>", "<x>" * 200 + "</x>" * 200 + "</robot>"), 16, "elements are nested more than 200 deep"),
    (broken("<link name=\"base\"/>", "<x/>" * 200_000), 2, "the file has more than 200000 elements"),
    (broken('name="base"', 'name="' + "b" * 65_537 + '"'), 2, "<link> has a name or attribute of more than 65536 characters"),
    (broken('name="base"', 'name="' + "b" * 3_000_000 + '"'), 2, "a single tag or comment is longer than 1048576 bytes"),
    (broken('name="base"', " ".join(f'x{i}="1"' for i in range(101))), 2, "<link> has 101 attributes; at most 100 are read"),
    (broken("</robot>", "long " * 900_000 + "</robot>"), 16, "the file has more than 4194304 characters of text between its tags"),
    # another format
    (b"<mujoco/>", 1, "the file's outer element is <mujoco>, a URDF's is <robot>"),
    (b"<robot/>", 1, "the robot has no links"),
    (broken("<link name=\"base\"/>", "<xacro:arm/>"), 2, "this is a xacro template, not a URDF"),
    (broken('xyz="0 0 0.1"', 'xyz="0 0 ${length}"'), 5, "this is a xacro template, not a URDF"),
    (broken('name="base"', 'name="$(arg prefix)base"'), 2, "this is a xacro template, not a URDF"),
    # names
    (broken('<link name="base"/>', "<link/>"), 2, 'a link: <link> has no name="..."'),
    (broken('<link name="base"/>', '<link name=""/>'), 2, 'a link: <link> has an empty name=""'),
    (broken('<link name="base"/>', '<link name="arm"/>'), 3, "two links are named 'arm' (lines 2 and 3)"),
    (broken("</robot>", BASE[BASE.index("<joint") :]), 16, "two joints are named 'elbow' (lines 10 and 16)"),
    (broken('<parent link="base"/>', '<parent link="bse"/>'), 10, "joint 'elbow' names the parent link 'bse', which does not exist"),
    (broken('<child link="arm"/>', '<child link="am"/>'), 10, "joint 'elbow' names the child link 'am', which does not exist"),
    (broken('<child link="arm"/>', ""), 10, "joint 'elbow' has no <child>"),
    (broken('<parent link="base"/>', "<parent/>"), 11, "joint 'elbow': <parent> has no link=\"...\""),
    (broken("elbow", "el\u0085bow").replace(b"revolute", b"ball"), 10, "joint 'el\\x85bow' has the unknown type 'ball'"),
    # the tree
    (broken("</robot>", '<link name="c"/></robot>'), 16, "the file has 2 roots where one is expected: 'base', 'c'"),
    (broken('<child link="arm"/>', '<child link="base"/>'), 10, "the links form a loop: 'base' -> 'base'"),
    (
        broken("</robot>", '<joint name="j" type="fixed">\n<parent link="arm"/><child link="base"/></joint></robot>'),
        10,
        "the links form a loop: 'base' -> 'arm' -> 'base'",
    ),
    (
        broken("</robot>", '<joint name="j" type="fixed">\n<parent link="base"/><child link="arm"/></joint></robot>'),
        16,
        "link 'arm' has two parents: joints 'elbow' and 'j' both lead to it",
    ),
    # kinds of joints
    (broken('type="revolute"', 'type="ball"'), 10, "joint 'elbow' has the unknown type 'ball'"),
    (broken('type="revolute"', 'type="planar"'), 10, "joint 'elbow' is planar, which bifilar does not model"),
    (broken('type="revolute"', ""), 10, "joint 'elbow': <joint> has no type=\"...\""),
    (wrist("").replace(b'"wrist" type="revolute"', b'"wrist" type="floating"'), 16,
     "joint 'wrist' is floating, but not the only joint below the root 'base'"),
    (broken('<axis xyz="0 0 1"/>', '<axis xyz="0 0 0"/>'), 13, "joint 'elbow' moves, but its axis is zero"),
    # numbers
    (broken("0 0 0.1", "-0.0001 0.-021 0.076"), 5,
     "<inertial> of link 'arm': <origin> has xyz=\"-0.0001 0.-021 0.076\": '0.-021' is not a number"),
    (broken("0 0 0.1", "0 0 nan"), 5, "<inertial> of link 'arm': <origin> has xyz=\"0 0 nan\": 'nan' is not a number"),
    (broken('value="1"', 'value="inf"'), 6, "link 'arm': <mass> has value=\"inf\": 'inf' is not a number"),
    (broken('value="1"', 'value="1_000"'), 6, "link 'arm': <mass> has value=\"1_000\": '1_000' is not a number"),
    (broken('value="1"', 'value="0x10"'), 6, "link 'arm': <mass> has value=\"0x10\": '0x10' is not a number"),
    (broken('value="1"', 'value="1,5"'), 6, "link 'arm': <mass> has value=\"1,5\": '1,5' is not a number"),
    (broken('value="1"', 'value="\u0661"'), 6, "link 'arm': <mass> has value=\"\u0661\": '\u0661' is not a number"),
    (broken('value="1"', 'value="1\u00a0"'), 6, "link 'arm': <mass> has value=\"1\\xa0\": '1\\xa0' is not a number"),
    (broken('value="1"', 'value=""'), 6, "link 'arm': <mass> has value=\"\": 0 instead of one number"),
    (broken('value="1"', 'value="1 2"'), 6, "link 'arm': <mass> has value=\"1 2\": 2 instead of one number"),
    (broken('value="1"', 'value="1e999"'), 6, "link 'arm': <mass> has value=\"1e999\", which is too large for a number"),
    (broken('value="1"', 'value="1e13"'), 6, "link 'arm': <mass> has value=\"1e13\", larger than 1e+12"),
    (broken('<mass value="1"/>', "<mass>1</mass>"), 6, "link 'arm': <mass> has no value=\"...\""),
    (broken('<mass value="1"/>', ""), 4, "<inertial> of link 'arm' has no <mass>"),
    (broken('<inertia ixx="1"', '<inertia\n ixx="1" iyx="1"').replace(b'ixy="0"', b""), 7, "link 'arm': <inertia> has no ixy=\"...\""),
    (broken('<inertia ixx="1"', '<inertia\n\n ixx="l"'), 9, "link 'arm': <inertia> has ixx=\"l\": 'l' is not a number"),
    (broken("0 0 0.1", "0 0.1"), 5, "<inertial> of link 'arm': <origin> has xyz=\"0 0.1\": 2 instead of 3 numbers"),
    (broken('rpy="0 0 0"', 'quat_xyzw="0 0 0 2"'), 5, "<inertial> of link 'arm': <origin> has a quaternion of length 2 instead of 1"),
    (broken('lower="-1"', 'lower="-1rad"'), 14, "joint 'elbow': <limit> has lower=\"-1rad\": '-1rad' is not a number"),
    # what stands twice
    (broken("  </inertial>", "</inertial><inertial/>"), 8, "link 'arm' has 2 <inertial> where one is expected (lines 4 and 8)"),
    (broken('<mass value="1"/>', '<mass value="1"/><mass value="2"/>'), 6,
     "<inertial> of link 'arm' has 2 <mass> where one is expected (lines 6 and 6)"),
    (broken('  <axis xyz="0 0 1"/>', "<origin/>\n<origin/>"), 14, "joint 'elbow' has 2 <origin> where one is expected (lines 13 and 14)"),
    (broken('<parent link="base"/>', '<parent link="base"/><parent link="arm"/>'), 11,
     "joint 'elbow' has 2 <parent> where one is expected (lines 11 and 11)"),
    (broken('<link name="base"/>', '<link name="base"><visual><geometry><sphere radius="1"/><box size="1 1 1"/></geometry></visual></link>'),
     2, "<geometry> of link 'base' holds 2 outlines where one is expected"),
    # mimic
    (wrist('<mimic joint="elbw"/>'), 16, "joint 'wrist' mimics joint 'elbw', which does not exist"),
    (wrist('<mimic joint="wrist"/>'), 16, "joints mimic each other in a circle: 'wrist' -> 'wrist'"),
    (wrist('<mimic joint="elbow"/>').replace(b'<axis xyz="0 0 1"/>', b'<mimic joint="wrist"/>'), 10,
     "joints mimic each other in a circle: 'elbow' -> 'wrist' -> 'elbow'"),
    (wrist('<mimic joint="elbow"/>').replace(b'"elbow" type="revolute"', b'"elbow" type="fixed"'), 16,
     "joint 'wrist' mimics joint 'elbow', which is fixed"),
    (wrist("<mimic/>"), 16, "joint 'wrist': <mimic> has no joint=\"...\""),
]  # fmt: skip


@pytest.mark.parametrize(("data", "line", "what"), TABLE, ids=[f"{i}-{row[2][:60]}" for i, row in enumerate(TABLE)])
def test_each_broken_file_gives_its_sentence(data, line, what):
    with pytest.raises(RobotError) as caught:
        parse_urdf(data, "arm.urdf")
    assert caught.value.what == what
    assert caught.value.where == ("arm.urdf" if line is None else f"arm.urdf:{line}")


@pytest.mark.parametrize(
    ("old", "new", "likely", "remedy"),
    [
        ("0 0 0.1", "-0.0001 0.-021 0.076", "a minus sign in the wrong place", "write -0.021 or 0.021"),
        ("0 0 0.1", "0 0 0,1", "a decimal comma", "write 0.1"),
        ("0 0 0.1", "0,0,0.1", "commas between the numbers", "separate them by blanks"),
        ("0 0 0.1", "0 0 -NaN", "a program that wrote the result of a failed calculation", "write a finite number"),
        ('<parent link="base"/>', '<parent link="bas"/>', "a misspelt name; the file has 'base'",
         'correct the name in <parent link="...">, or add <link name="..."/>'),
    ],
)  # fmt: skip
def test_the_letter_says_what_to_do(old, new, likely, remedy):
    with pytest.raises(RobotError) as caught:
        parse_urdf(broken(old, new))
    assert (caught.value.likely, caught.value.remedy) == (likely, remedy)


FINDINGS = [
    (BASE.encode(), []),
    (broken('value="1"', 'value="-1"'), []),  # a matter for plausibility
    (broken('<robot name="arm">', "<robot>"), ["the robot has no name; the file's is used"]),
    (broken('<axis xyz="0 0 1"/>', ""), ["joint 'elbow' has no <axis>; URDF's default is used, the x axis"]),
    (broken('<axis xyz="0 0 1"/>', '<axis xyz="0 3 4"/>'), ["joint 'elbow' has an axis of length 5; normalised"]),
    (broken('<axis xyz="0 0 1"/>', '<axis xyz="0 0 1e300"/>'), ["joint 'elbow' has an axis of length 1e+300; normalised"]),
    (broken('<limit lower="-1" upper="1" effort="10" velocity="2"/>', ""), ["joint 'elbow' is revolute without <limit>; taken as unlimited"]),
    (broken('lower="-1" upper="1" ', ""),
     ["joint 'elbow': <limit> has no lower and no upper; taken as unlimited (URDF's default 0 would hold it still)"]),
    (broken('lower="-1"', 'lower="2"'), ["joint 'elbow': lower limit 2 above upper limit 1"]),
    (broken('velocity="2"', 'velocity="0"'), ["joint 'elbow': velocity limit 0; it may not move"]),
    (broken('rpy="0 0 0"', 'rpz="0 0 0"'), ["<origin> has attributes that URDF does not know, ignored: 'rpz'"]),
    (broken('<parent link="base"/>', '<parent link="world"/>').replace(b'<link name="base"/>', b""),
     ["joint 'elbow' starts from a link 'world' that the file does not declare; added without mass"]),
    (broken('<link name="base"/>', '<link name="base"><visual><geometry><mesh filename="file:///etc/passwd"/></geometry></visual></link>'),
     ["a mesh name leads out of the file's folder ('file:///etc/passwd'); kept as text, never opened"]),
    (broken('<link name="base"/>', '<link name="base"><visual><geometry><sphere radius="-1"/></geometry></visual></link>'),
     ["link 'base': <sphere> has a negative size; ignored"]),
    (broken("</joint>", '<dynamics damping="-1"/></joint>'), ["joint 'elbow': negative damping -1 would drive the joint"]),
    (wrist('<axis xyz="1 0 0"/><limit lower="0" upper="1"/><mimic joint="elbow" multiplier="0"/>'),
     ["joint 'wrist' mimics 'elbow' times zero: it never moves"]),
    (broken("</robot>", '<gazebo><link name="base"/><link name="base"/><mass value="x"/></gazebo><transmission><joint name="elbow"/>'
            "</transmission></robot>"), []),
    (broken('type="revolute"', 'type="fixed"').replace(b'<axis xyz="0 0 1"/>', b'<origin xyz="1 0 0"/><origin xyz="2 0 0"/>'),
     ["joint 'elbow' has 2 <origin> where one is expected (lines 13 and 13); the first is used"]),
]  # fmt: skip


@pytest.mark.parametrize(("data", "what"), FINDINGS, ids=range(len(FINDINGS)))
def test_what_is_odd_loads_with_a_finding(data, what):
    assert [finding.what for finding in parse_urdf(data).findings] == what


def test_odd_names_are_data():
    names = ["../../etc", "a b", "; rm -rf", "\u202eevil", "{0}", "%s", "<&>"]
    links = "".join(f'<link name="{name.replace("&", "&amp;").replace("<", "&lt;")}"/>' for name in names)
    with pytest.raises(RobotError, match="7 roots"):
        parse_urdf(f"<robot name='r'>{links}</robot>".encode())
    for name in names[:-1]:
        assert parse_urdf(f"<robot name='r'><link name='{name}'/></robot>".encode()).links[0].name == name


def test_chains_of_mimics_are_composed():
    data = wrist('<axis xyz="1 0 0"/><limit lower="0" upper="1"/><mimic joint="elbow" multiplier="2" offset="1"/>').decode()
    more = '<link name="d"/><joint name="tip" type="continuous"><parent link="c"/><child link="d"/><mimic joint="wrist" multiplier="3"/>'
    robot = parse_urdf(data.replace("</robot>", more + "</joint></robot>").encode())
    assert (robot.joints[2].mimic.joint, robot.joints[2].mimic.ratio, robot.joints[2].mimic.offset) == ("elbow", 6.0, 3.0)


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("missing.urdf", "no such file"),
        ("", "this is a folder, not a file"),
        ("a\0b.urdf", "the file cannot be read: "),
    ],
)
def test_paths_that_are_no_files(name, what, tmp_path):
    with pytest.raises(RobotError) as caught:
        read_urdf(os.path.join(tmp_path, name))
    assert caught.value.what.startswith(what)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.urdf")
    with pytest.raises(RobotError, match="not an ordinary file"):
        read_urdf(tmp_path / "pipe.urdf")


def test_size_is_checked_before_reading(tmp_path):
    with open(tmp_path / "huge.urdf", "wb") as file:
        file.truncate(xml_reader.MAX_BYTES + 1)  # sparse: costs nothing unless somebody reads it
    with pytest.raises(RobotError) as caught:
        read_urdf(tmp_path / "huge.urdf")
    assert caught.value.what == "the file has 67108865 bytes; at most 67108864 are read"


def test_a_file_that_cannot_be_written_leaves_nothing(tmp_path):
    with pytest.raises(ResourceError, match="cannot be written"):
        write_file(tmp_path / "no" / "such" / "folder.urdf", b"x")
    (tmp_path / "taken").mkdir()
    with pytest.raises(ResourceError, match="cannot be written"):
        write_file(tmp_path / "taken", b"x")
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]


def test_iiwa7_is_refused_by_its_line(dataset):
    with pytest.raises(RobotError) as caught:
        read_urdf(dataset("iiwa7/iiwa7.urdf"))
    assert caught.value.where.endswith("iiwa7.urdf:101")
    assert caught.value.what.startswith("<inertial> of link 'link5': <origin> has xyz=") and "'0.-021'" in caught.value.what


def test_chance_finds_no_other_exception(benchmark_module):
    summary = benchmark_module("fuzz_urdf").fuzz(300, seed=7)
    assert summary["failures"] == [] and set(summary["outcomes"]) == {"object", "refused"}, summary


def test_every_refusal_is_a_bifilar_error():
    assert issubclass(RobotError, BifilarError) and RobotError.exit_code == 3

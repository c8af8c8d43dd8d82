"""A hundred thousand broken URDF, MJCF and DH files: each must give a robot or a BifilarError, in little time and memory.

    python benchmarks/fuzz_urdf.py --count 100000 --seed 1

Mutates small built-in seeds, and the URDFs under $BIFILAR_DATA when they are there, at the level of bytes (flips, cuts,
NUL, doubled slices) and of structure (elements deleted, doubled, swapped; numbers, words, names and attributes replaced; deep
nesting, entity bombs, loops). They run as `watching` says.
"""

from __future__ import annotations

import contextlib
import os
import random
import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import watching
from mutations import Mutation, cut, doubled, flip, inserted

from bifilar.errors import BifilarError
from bifilar.robot.inertia import Inertia
from bifilar.robot.load import read_description
from bifilar.robot.plausibility import findings_of
from bifilar.robot.robot import Robot
from bifilar.robot.write_urdf import write_urdf

BODY = Inertia.from_pseudo(np.diag([0.1, 0.2, 0.3, 2.0]) + 0.05)
GOOD = ("object", "refused")

ARM = b"""<?xml version="1.0"?>
<robot name="arm">
  <link name="base"/>
  <link name="upper"><inertial><origin xyz="0 0 .1" rpy="0.1 0 0"/><mass value="2"/>
    <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.05"/></inertial>
    <visual><origin xyz="0 0 0.1"/><geometry><cylinder radius="0.05" length="0.2"/></geometry></visual></link>
  <link name="lower"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
    <collision><geometry><mesh filename="package://arm/lower.stl" scale="1 1 1"/></geometry></collision></link>
  <joint name="shoulder" type="revolute"><origin xyz="0 0 0.3" rpy="1.5708 0 0"/><parent link="base"/><child link="upper"/>
    <axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="10" velocity="2"/><dynamics damping="0.1" friction="0.2"/></joint>
  <joint name="elbow" type="continuous"><parent link="upper"/><child link="lower"/><axis xyz="0 1 0"/></joint>
  <gazebo reference="upper"><mu1>0.2</mu1></gazebo>
</robot>
"""
HAND = b"""<robot name="hand"><link name="world"/><link name="palm"><inertial><mass value="0.5"/>
<inertia ixx="1e-3" ixy="0" ixz="0" iyy="1e-3" iyz="0" izz="1e-3"/></inertial></link>
<link name="a"/><link name="b"/><link name="c"/>
<joint name="free" type="floating"><parent link="world"/><child link="palm"/></joint>
<joint name="f1" type="prismatic"><parent link="palm"/><child link="a"/><axis xyz="1 0 0"/><limit lower="0" upper="1"/></joint>
<joint name="f2" type="prismatic"><parent link="palm"/><child link="b"/><mimic joint="f1" multiplier="-1" offset="0.1"/></joint>
<joint name="f3" type="revolute"><parent link="b"/><child link="c"/><mimic joint="f2"/></joint></robot>
"""
MODEL = b"""<mujoco model="arm"><compiler angle="radian"/><default><joint damping="0.1" armature="0.01"/></default>
<asset><material name="grey"/></asset><worldbody><body name="upper" pos="0 0 0.3">
<joint name="shoulder" axis="0 0 1" range="-1 1" frictionloss="0.2"/>
<inertial pos="0 0 0.1" mass="2" diaginertia="0.1 0.1 0.05"/><geom type="capsule" size="0.05 0.2" material="grey"/>
<body name="lower" pos="0 0 0.5" euler="0.1 0.2 0.3">
<joint name="elbow" type="slide" axis="0 1 0"/><geom type="box" size="0.1 0.1 0.1" density="500"/>
<replicate count="3" offset="0.1 0 0"><geom type="sphere" size="0.01"/></replicate></body></body></worldbody>
<equality><joint joint1="elbow" joint2="shoulder" polycoef="0 0.5 0 0 0"/></equality>
<actuator><motor name="m" joint="shoulder" gear="50" ctrlrange="-1 1"/></actuator></mujoco>
"""
TABLE = b"""name = "arm"
convention = "standard"
angle = "deg"
[base]
name = "foot"
[[row]]
a = 0.5
alpha = 90
limits = { lower = -170, upper = 170, velocity = 112, effort = 176 }
mass = 2.0
com = [-0.25, 0, 0]
inertia_com = { xx = 0.01, yy = 0.1, zz = 0.1 }
[[row]]
kind = "prismatic"
d = 0.2
mass = 1.0
first_moment = [0.1, 0, 0]
shapes = [{ kind = "capsule", radius = 0.05, from = [0, 0, 0], to = [0, 0, 1] }]
[[row]]
theta = 30
mimic = { joint = "joint1", ratio = 2.0, offset = 0.1 }
damping = 0.1
"""
NUMBERS = (
    *(
        b"nan",
        b"inf",
        b"-inf",
        b"1e999",
        b"1e308",
        b"-1e300",
        b"1e-320",
        b"0.-021",
        b"1_000",
        b"0x10",
        b"1,5",
        b"",
        b" ",
        b"--1",
    ),
    *(
        b"0",
        b"-0",
        b"-1",
        b"1e12",
        b"1e13",
        b"0 0 0",
        b"0 0",
        b"1 2 3 4",
        b"${x}",
        b"\xc2\xa01",
        b"9" * 400,
        b"1" * 70_000,
        b"\xd9\xa1",
    ),
)
NAMES = (
    b"base",
    b"upper",
    b"world",
    b"",
    b" ",
    b"\xc3\xa4",
    b"&#10;",
    b"a" * 300,
    b"a" * 70_000,
    b"&lt;",
    b"../x",
    b"&x;",
    b"b",
    b"f1",
)
KINDS = (b"revolute", b"fixed", b"floating", b"planar", b"prismatic", b"continuous", b"Revolute", b"ball")
PIECES = (
    *(
        b"<robot>",
        b"</robot>",
        b"<link",
        b"/>",
        b"<!--",
        b"-->",
        b"<![CDATA[",
        b"]]>",
        b"&amp;",
        b"&#0;",
        b"&bomb;",
        b"\0",
        b"\xff",
    ),
    *(b"\xef\xbb\xbf", b'"', b"'", b"<xacro:macro/>", b"<?pi?>", b"<a:b/>", b'<mimic joint="f1"/>', b'<parent link="upper"/>'),
    *(b'<mimic joint="elbow"/>', b'<origin xyz="1 2 3"/>', b"<inertial/>", b'<mass value="1"/>', b'<axis xyz="0 0 0"/>'),
)
ELEMENT = re.compile(rb"<(\w+)[^<>]*/>|<(link|joint|inertial|visual|collision|geometry)\b[^<>]*>.*?</\2>", re.DOTALL)
VALUE = re.compile(rb"=\s*\"([^\"]*)\"")
NUMERIC = re.compile(rb"=\s*\"([\s\d.eE+-]+)\"")
NAMED = re.compile(rb"(?:name|link|joint)\s*=\s*\"([^\"]*)\"")


def _spot(rng: random.Random, pattern: re.Pattern[bytes], data: bytes, group: int) -> tuple[int, int] | None:
    """Where a random match lies; looks from a random place on, so that long files stay cheap."""
    match = pattern.search(data, rng.randrange(len(data) + 1)) or pattern.search(data)
    return match.span(group) if match else None


def _replaced(rng: random.Random, data: bytes, pattern: re.Pattern[bytes], group: int, choices: tuple[bytes, ...]) -> bytes:
    span = _spot(rng, pattern, data, group)
    return data[: span[0]] + rng.choice(choices) + data[span[1] :] if span else data


def double(rng: random.Random, data: bytes) -> bytes:
    """A slice stands twice."""
    return doubled(rng, data, 1000)


def insert(rng: random.Random, data: bytes) -> bytes:
    """A piece somewhere."""
    return inserted(rng, data, PIECES)


def insert_element(rng: random.Random, data: bytes) -> bytes:
    """A piece of markup where one may stand."""
    places = [m.end() for m in re.finditer(rb">", data)]
    at = rng.choice(places) if places else 0
    return data[:at] + rng.choice(PIECES) + data[at:]


def drop_element(rng: random.Random, data: bytes) -> bytes:
    """An element is missing."""
    return _replaced(rng, data, ELEMENT, 0, (b"",))


def double_element(rng: random.Random, data: bytes) -> bytes:
    """An element stands twice, or many times."""
    span = _spot(rng, ELEMENT, data, 0)
    times = rng.choice((2, 2, 2, 300))
    return data[: span[0]] + data[span[0] : span[1]] * times + data[span[1] :] if span else data


def swap_elements(rng: random.Random, data: bytes) -> bytes:
    """Two elements change places."""
    spans = sorted({span for span in (_spot(rng, ELEMENT, data, 0) for _ in range(2)) if span})
    if len(spans) < 2 or spans[0][1] > spans[1][0]:
        return data
    (a, b), (c, d) = spans
    return data[:a] + data[c:d] + data[b:c] + data[a:b] + data[d:]


def change_number(rng: random.Random, data: bytes) -> bytes:
    """A number becomes something else."""
    return _replaced(rng, data, NUMERIC, 1, NUMBERS)


def rescale_number(rng: random.Random, data: bytes) -> bytes:
    """A number becomes another number: the file stays valid and the robot becomes strange."""
    span = _spot(rng, re.compile(rb"[-+]?\d+\.?\d*(?:[eE][-+]?\d+)?"), data, 0)
    value = b"%g" % (rng.choice((1, -1)) * 10.0 ** rng.choice((0, 1, 2, 6, 11, -3, -9, -30, -300)) * rng.uniform(0.1, 1))
    return data[: span[0]] + rng.choice((value, value, b"0")) + data[span[1] :] if span else data


def change_name(rng: random.Random, data: bytes) -> bytes:
    """A name becomes another: unknown links, loops, two parents, mimic circles."""
    others = tuple(m[1] for m in NAMED.finditer(data))
    return _replaced(rng, data, NAMED, 1, NAMES if rng.random() < 0.3 or not others else others)


def change_kind(rng: random.Random, data: bytes) -> bytes:
    """A joint becomes another kind."""
    return _replaced(rng, data, re.compile(rb"type=\"(\w+)\""), 1, KINDS)


def change_any_value(rng: random.Random, data: bytes) -> bytes:
    """Any attribute gets any value."""
    return _replaced(rng, data, VALUE, 1, NUMBERS + NAMES + KINDS)


def nest(rng: random.Random, data: bytes) -> bytes:
    """Far too deep, or just deep enough."""
    depth = rng.choice((50, 199, 250, 20_000))
    at = data.rfind(b"</robot>")
    return data[:at] + b"<x>" * depth + b"</x>" * depth + data[at:] if at >= 0 else data


def bomb(rng: random.Random, data: bytes) -> bytes:
    """Entities that grow, or fetch."""
    grow = b"".join(b'<!ENTITY e%d "%s">' % (i, b"&e%d;" % (i - 1) * 10) for i in range(1, 10))
    fetch = b'<!ENTITY e9 SYSTEM "file:///etc/hostname">'
    head = b'<!DOCTYPE robot [<!ENTITY e0 "aaaaaaaaaa">' + rng.choice((grow, fetch)) + b"]>"
    body = data[data.find(b"<robot") :] if b"<robot" in data else data
    return head + body.replace(b'name="', b'name="&e9;', 1)


def many_attributes(rng: random.Random, data: bytes) -> bytes:
    """One element with a crowd of attributes."""
    crowd = b" ".join(b'x%d="1"' % i for i in range(rng.choice((90, 101, 5000))))
    return data.replace(b"<link ", b"<link " + crowd + b" ", 1)


def many_links(rng: random.Random, data: bytes) -> bytes:
    """A long chain, or a crowd of strangers."""
    count = rng.choice((10, 100, 500))
    links = b"".join(b'<link name="n%d"/>' % i for i in range(count))
    joint = b'<joint name="k%d" type="fixed"><parent link="%s"/><child link="n%d"/></joint>'
    joints = b"".join(joint % (i, b"n%d" % (i - 1) if i else rng.choice((b"base", b"palm", b"n1")), i) for i in range(count))
    at = data.rfind(b"</robot>")
    return data[:at] + links + (joints if rng.random() < 0.7 else b"") + data[at:] if at >= 0 else data


def encode(rng: random.Random, data: bytes) -> bytes:
    """Another encoding, declared or not."""
    with contextlib.suppress(UnicodeDecodeError):
        return data.decode().encode(rng.choice(("utf-16", "utf-16-le", "utf-8-sig", "utf-32")))
    return b'<?xml version="1.0" encoding="latin-1"?>' + data


BYTE_LEVEL: tuple[Mutation, ...] = (flip, cut, double, insert)
STRUCTURE: tuple[Mutation, ...] = (
    *(insert_element, drop_element, double_element, swap_elements, change_number, change_name, change_kind, change_any_value),
    *(change_number, change_name, *[rescale_number] * 6),
)
RARE: tuple[Mutation, ...] = (nest, bomb, many_attributes, many_links, encode)


TOML_NUMBER = re.compile(rb"[-+]?\d+\.?\d*(?:[eE][-+]?\d+)?")
TOML_WORD = re.compile(rb'"[^"\n]*"|\b[a-z_]+\b|\[\[?[^\]\n]*\]?\]')
WORDS = (
    *b'row base mimic limits shapes "revolute" "prismatic" "fixed" "standard" "modified" "pose"'.split(),
    *b"[[row]] [] {} true '' -1 nan inf 1e308 1e13 mass com inertia_com axis alpha theta".split(),
)


def change_toml(rng: random.Random, data: bytes) -> bytes:
    """A number or a word of a table becomes another."""
    if rng.random() < 0.5:
        return _replaced(rng, data, TOML_NUMBER, 0, NUMBERS)
    return _replaced(rng, data, TOML_WORD, 0, WORDS)


def seeds() -> list[tuple[str, bytes]]:
    """Built-in descriptions of every format, and URDFs of the datasets (the largest left out: they only cost time)."""
    folder = os.environ.get("BIFILAR_DATA", "")
    files = sorted(Path(folder).glob("*/*.urdf")) if folder else []
    texts = [file.read_bytes() for file in files if file.stat().st_size < 20_000]
    urdfs = [ARM, HAND] * 3 + [text.replace(b"0.-021", b"-0.021") for text in texts]  # iiwa7 as it was meant
    robots = [*(("arm.urdf", text) for text in urdfs), *[("arm.xml", MODEL)] * 8, *[("arm.toml", TABLE)] * 6]
    return robots


def case(number: int, seed: int, sources: list[tuple[str, bytes]]) -> tuple[str, str, bytes]:
    """A mutated file: the names of its mutations, its name and its content."""
    rng = random.Random(seed * 1_000_003 + number)
    name, data = rng.choice(sources)
    structure = (change_toml,) if name.endswith(".toml") else STRUCTURE
    done = []
    for _ in range(rng.choice((1, 1, 1, 2, 3, 6))):
        mutate = rng.choice(rng.choices((BYTE_LEVEL, structure, RARE), weights=(2, 9, 1))[0])
        data = mutate(rng, data)
        done.append(mutate.__name__)
    return f"{number} {name} {'+'.join(done)}", name, data


def prepare(folder: Path) -> None:
    """What is loaded once."""
    for name, data in (("arm.urdf", ARM), ("arm.xml", MODEL), ("arm.toml", TABLE)):
        (folder / name).write_bytes(data)
        Robot.load(folder / name)


def one(name: str, data: bytes, folder: Path) -> str:
    """Read a case, judge it, build a robot; a URDF is written unchanged and changed; what came out."""
    (folder / name).write_bytes(data)
    try:
        description = read_description(folder / name)
        findings_of(description.links, description.joints)
        Robot.build(description)
    except BifilarError as error:
        return "refused" if error.what and str(error) else "refused without a word"
    try:
        *others, last = description.links
        if len(data) % 3 or not name.endswith(".urdf"):  # every third is enough
            return "object"
        if write_urdf(description, description.links, description.joints) != data:
            return "the writer changed what nobody asked for"
        write_urdf(description, [*others, replace(last, inertia=BODY)], description.joints)
        return "object"
    except BifilarError as error:
        return f"the writer refused: {error}"


def fuzz(count: int, seed: int) -> dict[str, Any]:
    """Cases in this process."""
    return watching.fuzz(__name__, count, seed)


if __name__ == "__main__":
    sys.exit(watching.command_line("fuzz_urdf", "Mutated URDF, MJCF, DH: an object or a BifilarError, nothing else.", 100_000))

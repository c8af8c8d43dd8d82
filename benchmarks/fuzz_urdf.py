"""Ten thousand broken URDFs: each must give a description or a BifilarError, in little time and memory.

    python benchmarks/fuzz_urdf.py --count 10000 --seed 1

Mutates small built-in seeds, and the URDFs under $BIFILAR_DATA when they are there, at the level of bytes (flips, cuts,
NUL, doubled slices) and of structure (elements deleted, doubled, swapped; numbers, names and attributes replaced; deep
nesting, entity bombs, loops). Watchdog: five seconds per case by SIGALRM where there is one; memory: the process's peak.
Prints one JSON; exit code 1 if anything else than a BifilarError escaped or a limit was passed.
"""

from __future__ import annotations

import contextlib
import os
import random
import re
import signal
import sys
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from fuzz_main import fuzz_main
from mutations import Mutation, cut, doubled, flip, inserted
from peak_memory import peak_megabytes

from bifilar.errors import BifilarError
from bifilar.robot.inertia import Inertia
from bifilar.robot.plausibility import findings_of
from bifilar.robot.read_urdf import parse_urdf
from bifilar.robot.write_urdf import write_urdf

BODY = Inertia.from_pseudo(np.diag([0.1, 0.2, 0.3, 2.0]) + 0.05)
SECONDS = 5
MEGABYTES = 300

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


def seeds() -> list[bytes]:
    """Built-in descriptions, and those of the datasets (the largest left out: they only cost time)."""
    folder = os.environ.get("BIFILAR_DATA", "")
    files = sorted(Path(folder).glob("*/*.urdf")) if folder else []
    texts = [file.read_bytes() for file in files if file.stat().st_size < 20_000]
    return [ARM, HAND] * 3 + [text.replace(b"0.-021", b"-0.021") for text in texts]  # iiwa7 as it was meant


def cases(count: int, seed: int) -> Iterator[tuple[str, bytes]]:
    """Mutated files with the names of their mutations; the same for the same seed and seeds."""
    rng = random.Random(seed)
    sources = seeds()
    for _ in range(count):
        data, names = rng.choice(sources), []
        for _ in range(rng.choice((1, 1, 1, 2, 3, 6))):
            mutate = rng.choice(rng.choices((BYTE_LEVEL, STRUCTURE, RARE), weights=(2, 9, 1))[0])
            data = mutate(rng, data)
            names.append(mutate.__name__)
        yield "+".join(names), data


def _alarm(*_: object) -> None:
    raise TimeoutError(f"more than {SECONDS} s")


def build() -> Callable[[object], object] | None:
    """Robot.build when this version has it."""
    try:
        from bifilar.robot.robot import Robot
    except ImportError:
        return None
    return Robot.build


def one(data: bytes, make: Callable[[object], object] | None) -> str:
    """Read a case, judge it, build a robot, write it unchanged and changed; returns what came out."""
    try:
        description = parse_urdf(data, "case.urdf")
        findings_of(description.links, description.joints)
        if make is not None:
            make(description)
    except BifilarError as error:
        return "refused" if error.what and str(error) else "refused without a word"
    try:
        *others, last = description.links
        if len(data) % 3:  # every third is enough, and keeps ten thousand under two minutes
            return "object"
        if write_urdf(description, description.links, description.joints) != data:
            return "the writer changed what nobody asked for"
        write_urdf(description, [*others, replace(last, inertia=BODY)], description.joints)
        return "object"
    except BifilarError as error:
        return f"the writer refused: {error}"


def fuzz(count: int, seed: int) -> dict[str, object]:
    """Run all cases; the summary."""
    outcomes: Counter[str] = Counter()
    failures: list[dict[str, str]] = []
    slowest, make = (0.0, ""), build()
    watch = hasattr(signal, "SIGALRM")
    if watch:
        signal.signal(signal.SIGALRM, _alarm)
    begin = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # an overflow in NumPy is a number that should have been refused
        for name, data in cases(count, seed):
            start = time.perf_counter()
            if watch:
                signal.alarm(SECONDS)
            try:
                outcome = one(data, make)
            except Exception as error:
                outcome = type(error).__name__
                last = traceback.extract_tb(error.__traceback__)[-1]
                failures.append({"case": name, "error": repr(error)[:200], "at": f"{Path(last.filename).name}:{last.lineno}"})
            finally:
                if watch:
                    signal.alarm(0)
            outcomes[outcome] += 1
            slowest = max(slowest, (time.perf_counter() - start, name))
    good = sum(outcomes[key] for key in ("object", "refused")) == count
    memory = peak_megabytes()
    return {
        "count": count,
        "seed": seed,
        "seeds": len(seeds()),
        "robots_built": make is not None,
        "outcomes": dict(outcomes),
        "seconds": round(time.perf_counter() - begin, 1),
        "slowest": {"ms": round(1e3 * slowest[0], 1), "case": slowest[1]},
        "peak_megabytes": round(memory, 1),
        "failures": failures[:20],
        "passed": good and memory < MEGABYTES,
    }


if __name__ == "__main__":
    sys.exit(fuzz_main("Mutated URDFs: an object or a BifilarError, never anything else.", 10_000, fuzz))

"""Small files that claim much, repeat themselves, point elsewhere or hold absurd numbers, for every reader, and the command
that meets each. Every one is built here, from nothing; `outside` is a file that no command has any business to read.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import sqlite3
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from fuzz_urdf import ARM

import bifilar as bf
from bifilar.cli.walk import Settings as Walk
from bifilar.formats import WALK
from bifilar.recording.ros_messages import KINDS
from bifilar.run_files import about_bytes, sealed


class Case(NamedTuple):
    """A hostile file, the words of the command, and how it is written."""

    name: str
    words: tuple[str, ...]  # {} is the file
    write: Callable[[Path], object]


def cases(outside: Path) -> Iterator[Case]:
    """All of them."""
    for ending, words, found in (
        (".urdf", ("inspect", "{}"), urdfs(outside)),
        (".xml", ("inspect", "{}"), mjcfs(outside)),
        (".toml", ("inspect", "{}"), dhs()),
        (".csv", ("check", "{}"), texts()),
        (".npz", ("check", "{}"), archives()),
        (".mat", ("check", "{}"), mats()),
        (".parquet", ("check", "{}"), parquets()),
        (".h5", ("check", "{}"), hdf5s(outside)),
        (".mcap", ("check", "{}"), mcaps()),
        (".db3", ("check", "{}"), bags(outside)),
        (".toml", ("check", "log.csv", "--mapping", "{}"), mappings(outside)),
        (".toml", ("inspect", "two_link", "--settings", "{}"), tables()),
        (".toml", ("control", "two_link", "{}"), tables()),
        (".toml", ("design", "two_link", "--limits", "{}", "--duration", "4", "--starts", "1"), tables()),
        (".csv", ("simulate", "two_link", "{}", "-o", "out.csv"), motions()),
        (".json", ("walk", "track", "leg", "log.csv", "--sensors", "imu", "--fitted", "{}"), walks()),
    ):
        kind = words[0] if words[0] in ("control", "design", "simulate", "walk") else words[-2].strip("-")
        for name, content in found:
            yield Case(f"{kind} {name}{ending}", words, content if callable(content) else _put(content))
    for name, change in runs(outside):
        yield Case(f"run {name}", ("export", "{}", "-o", "out.csv"), change)


def _put(content: str | bytes) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(content.encode() if isinstance(content, str) else content)


Found = Iterator[tuple[str, str | bytes | Callable[[Path], object]]]


def special(outside: Path) -> Found:
    """What is no file at all, or another one."""
    yield "a pipe that nobody writes", lambda path: os.mkfifo(path)
    yield "a folder", lambda path: path.mkdir()
    yield "a link to itself", lambda path: path.symlink_to(path)
    yield "empty", b""
    yield "sparse, of a gigabyte", lambda path: (path.touch(), os.truncate(path, 2**30))
    yield "nothing but brackets", b"<" * 10**6 + b"[" * 10**6 + b"{" * 10**6


def urdfs(outside: Path) -> Found:
    """Robots as URDF."""
    yield from special(outside)
    text = ARM.decode()
    grow = "".join(f'<!ENTITY e{i} "{f"&e{i - 1};" * 10}">' for i in range(1, 12))
    for name, head in (("entities that grow", grow), ("an entity outside", f'<!ENTITY e11 SYSTEM "file://{outside}">')):
        yield name, f'<!DOCTYPE robot [<!ENTITY e0 "aaaaaaaaaa">{head}]>' + text[22:].replace('"base"', '"&e11;"')
    yield "a doctype outside", f'<!DOCTYPE robot SYSTEM "{outside}">' + text[22:]
    yield "an inclusion", text.replace("</robot>", f'<xi:include href="{outside}"/></robot>')
    for name in (str(outside), f"../{outside.parent.name}/{outside.name}", f"file://{outside}", f"package://../{outside.name}"):
        mesh = text.replace("package://arm/lower.stl", name)
        yield f"a mesh {name.replace('/', '|')[:24]}", mesh
    for value in ("1e308", "-1e308", "nan", "inf", "1e-320", "9" * 5000, "1" * 70_000, "1e12", "0x7f", "1_0"):
        for old in ('mass value="2"', 'ixx="0.1"', 'xyz="0 0 0.3"', 'damping="0.1"', 'upper="1"', 'axis xyz="0 0 1"'):
            start, number = old.rsplit('"', 2)[0], old.rsplit('"', 2)[1]
            new = f'{start}"{" ".join([value] * len(number.split()))}"'
            yield f"{old.split()[0].split('=')[0]} {value[:8]} {len(old)}", text.replace(old, new, 1)
    for count, what in ((60_000, "x"), (199, "link"), (10_000, "visual")):
        yield f"nested {count} {what}", "<robot>" + f"<{what}>" * count + f"</{what}>" * count + "</robot>"
    yield "many attributes", text.replace("<link ", "<link " + " ".join(f'a{k}="1"' for k in range(50_000)) + " ", 1)
    yield "a name of a megabyte", text.replace("upper", "u" * 10**6)
    yield "many comments", text.replace("</robot>", "<!-- x -->" * 10**6 + "</robot>")
    yield "a comment of 40 MB", text.replace("</robot>", f"<!--{'x' * 40_000_000}--></robot>")
    for count in (151, 3000, 20_000):
        yield f"a chain of {count}", chain(count, "continuous")
        yield f"a fixed chain of {count}", chain(count, "fixed")
        yield f"a star of {count}", chain(count, "continuous", star=True)
    yield "mimics of mimics", mimics(140, 10.0)
    yield "a mimic of itself", mimics(2, 1.0).replace('joint="j0" multiplier', 'joint="j1" multiplier')
    yield (
        "many shapes",
        text.replace("</link>", "<visual><geometry><sphere radius='1'/></geometry></visual>" * 60_000 + "</link>", 1),
    )
    yield "in UTF-32", text.encode("utf-32")
    yield "packed", gzip.compress(text.encode() * 1000)
    yield (
        "many joints of one name",
        text.replace("</robot>", text[text.index("<joint") : text.index("</joint>") + 8] * 5000 + "</robot>"),
    )


def chain(count: int, kind: str, star: bool = False) -> str:
    """Links one behind the other, or all on the first."""
    links = "".join(f'<link name="l{k}"/>' for k in range(count + 1))
    joint = '<joint name="j{k}" type="{kind}"><parent link="l{p}"/><child link="l{c}"/><axis xyz="0 0 1"/></joint>'
    joints = "".join(joint.format(k=k, kind=kind, p=0 if star else k, c=k + 1) for k in range(count))
    return f'<robot name="chain">{links}{joints}</robot>'


def mimics(count: int, ratio: float) -> str:
    """Every joint follows the one before it."""
    text = chain(count, "continuous")
    for k in range(1, count):
        text = text.replace(
            f'<joint name="j{k}" type="continuous">',
            f'<joint name="j{k}" type="continuous"><mimic joint="j{k - 1}" multiplier="{ratio}"/>',
        )
    return text


BODY = '<body name="{n}"><joint name="{n}j"/><inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/>{i}</body>'


def body(inner: str = "", name: str = "b") -> str:
    """A body with a joint."""
    return BODY.format(n=name, i=inner)


def mjcfs(outside: Path) -> Found:
    """Robots as MJCF."""
    yield from special(outside)
    model = "<mujoco>{head}<worldbody>" + body() + "</worldbody>{tail}</mujoco>"

    def made(head: str = "", tail: str = "") -> str:
        return model.replace("{head}", head).replace("{tail}", tail)

    for key in (
        "njmax",
        "nconmax",
        "nstack",
        "nkey",
        "nuserdata",
        "nuser_body",
        "nuser_jnt",
        "nuser_geom",
        "nuser_site",
        "nuser_cam",
        "nuser_tendon",
        "nuser_actuator",
        "nuser_sensor",
    ):
        yield f"size {key}", made(f'<size {key}="2000000000"/>')
    for memory in ("900G", "99999999999999999999", "-1"):
        yield f"memory {memory}", made(f'<size memory="{memory}"/>')
    yield "numeric", made('<custom><numeric name="a" size="2000000000"/></custom>')
    yield "user sensor", made(tail='<sensor><user name="a" dim="2000000000"/></sensor>')
    yield "camera sensor", made(tail='<sensor><camprojection site="x" camera="c"/></sensor>')
    yield "activations", made(tail='<actuator><general name="a" joint="bj" dyntype="user" actdim="2000000000"/></actuator>')
    for key in ("nsample", "history"):
        yield f"delayed {key}", made(tail=f'<actuator><general joint="bj" {key}="2000000000" delay="1"/></actuator>')
    yield "resolution", made().replace("</worldbody>", '<camera name="c" resolution="2000000000 2000000000"/></worldbody>')
    for kind, sides in (("cube", 1), ("2d", 1), ("skybox", 1)):
        yield (
            f"texture {kind}",
            made(f'<asset><texture name="t" type="{kind}" builtin="flat" width="60000" height="{60000 * sides}"/></asset>'),
        )
    yield (
        "many textures",
        made(
            "<asset>"
            + "".join(f'<texture name="t{k}" type="2d" builtin="flat" width="2000" height="2000"/>' for k in range(300))
            + "</asset>"
        ),
    )
    yield (
        "many fields",
        made(
            "<asset>"
            + "".join(f'<hfield name="h{k}" nrow="2000" ncol="2000" size="1 1 1 1"/>' for k in range(300))
            + "</asset>"
        ),
    )
    for kind, params in (
        ("sphere", "19"),
        ("plate", "30000 30000"),
        ("wedge", "30000 30000 1 1 1"),
        ("supersphere", "20000 1 1"),
        ("supertorus", "20000 1 1 1"),
        ("torus", "20000 0.1"),
        ("cone", "100000000 1"),
        ("prism", "100000000"),
        ("hemisphere", "20000"),
    ):
        yield f"mesh {kind}", made(f'<asset><mesh name="m" builtin="{kind}" params="{params}"/></asset>')
    for name, shape in (("line", 'count="2000000000 1 1"'), ("nest", 'count="2000"')):
        inner = (
            f'<replicate {shape} offset="1 0 0">' * (3 if name == "nest" else 1)
            + "<geom size='1'/>"
            + "</replicate>" * (3 if name == "nest" else 1)
        )
        yield f"replicate {name}", made().replace("</worldbody>", inner + "</worldbody>")
    yield (
        "replicate twins",
        made().replace(
            "</worldbody>",
            "".join(f'<replicate count="900" prefix="r{k}"><geom size="1"/></replicate>' for k in range(60)) + "</worldbody>",
        ),
    )
    yield (
        "composite",
        made().replace(
            "</worldbody>", body('<composite type="cable" count="100000 1 1" curve="s" size="1"/>', "c") + "</worldbody>"
        ),
    )
    yield "flexcomp", made().replace("</worldbody>", '<flexcomp name="f" type="grid" count="500 500 500"/></worldbody>')
    yield "a plugin", made('<extension><plugin plugin="mujoco.elasticity.cable"/></extension>')
    yield "an inclusion", made(f'<include file="{outside}"/>')
    yield "an inclusion above", made(f'<include file="../{outside.parent.name}/{outside.name}"/>')
    yield "an inclusion of itself", lambda path: path.write_text(made(f'<include file="{path.name}"/>'))
    for key in ("meshdir", "texturedir", "assetdir"):
        yield (
            f"{key} outside",
            made(f'<compiler {key}="{outside.parent}"/><asset><mesh name="m" file="{outside.name}"/></asset>'),
        )
    for name in (str(outside), f"../{outside.parent.name}/{outside.name}"):
        for kind, key in (("mesh", "file"), ("hfield", "file"), ("texture", "file"), ("skin", "file")):
            yield f"{kind} {len(name)}", made(f'<asset><{kind} name="m" {key}="{name}"/></asset>')
    yield "a model outside", made(f'<asset><model name="m" file="{outside}"/></asset>')
    yield (
        "a doctype",
        f'<!DOCTYPE mujoco [<!ENTITY a SYSTEM "file://{outside}">]>'
        + made(tail="<custom><text name='t' data='&a;'/></custom>"),
    )
    for depth in (140, 160, 3000):
        text = ""
        for k in range(depth):
            text = body(text, f"n{k}") if depth < 200 else f"<body>{text}</body>"
        yield f"nested {depth}", f"<mujoco><worldbody>{text}</worldbody></mujoco>"
    yield "many bodies", "<mujoco><worldbody>" + "".join(body(name=f"n{k}") for k in range(4000)) + "</worldbody></mujoco>"
    yield "many defaults", made("<default>" + "".join(f'<default class="c{k}"/>' for k in range(15_000)) + "</default>")
    for value in ("1e308", "nan", "inf", "1e-300", "9" * 5000):
        yield f"mass {value[:6]}", made().replace('mass="1"', f'mass="{value}"')
        yield f"place {value[:6]}", made().replace('pos="0 0 0"', f'pos="{value} {value} 0"')
        yield f"damping {value[:6]}", made().replace('name="bj"', f'name="bj" damping="{value}" armature="{value}"')
        yield f"range {value[:6]}", made().replace('name="bj"', f'name="bj" range="-{value} {value}"')
        yield (
            f"gear {value[:6]}",
            made(tail=f'<actuator><motor joint="bj" gear="{value}" forcerange="-{value} {value}"/></actuator>'),
        )
    equal = "".join(f'<joint joint1="k{k + 1}" joint2="k{k}" polycoef="0 1e9 0 0 0"/>' for k in range(100))
    yield (
        "equalities of equalities",
        "<mujoco><worldbody>"
        + "".join(
            body(name=f"k{k}").replace(f'"k{k}j"', f'"k{k}"', 1).replace(f'<body name="k{k}"', f'<body name="x{k}"')
            for k in range(101)
        )
        + f"</worldbody><equality>{equal}</equality></mujoco>",
    )
    picture = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + (60_000).to_bytes(4, "big") * 2 + b"\x08\x06\0\0\0"
    for name, content in (
        ("a picture of 3.6 GB", picture),
        ("a mesh of four triangles", b"\0" * 80 + (2**32 - 1).to_bytes(4, "little")),
    ):
        ending = "png" if name.startswith("a picture") else "stl"
        tag = 'texture type="2d"' if ending == "png" else "mesh"
        head = f'<asset><{tag} name="t" file="t.{ending}"/></asset>'

        def both(path: Path, content: bytes = content, head: str = head, ending: str = ending) -> None:
            path.write_text(made(head))
            path.with_name(f"t.{ending}").write_bytes(content)

        yield name, both


def dhs() -> Found:
    """Robots as DH tables."""
    for key in ("a", "d", "alpha", "theta", "mass", "damping", "armature"):
        for value in ("1e308", "1e13", "nan", "inf", "9" * 400):
            yield (
                f"{key} {value[:5]}",
                f'name = "arm"\n[[row]]\na = 0.5\nmass = 1.0\n[[row]]\n{key} = {value}\nalpha_ = 0\n'.replace(
                    "alpha_ = 0\n", ""
                ),
            )
    for key in ("com", "first_moment", "inertia_com.xx", "limits.upper", "limits.effort", "mimic.ratio"):
        value = "[1e308, 1e308, 0]" if key in ("com", "first_moment") else "1e308"
        yield f"{key} huge", f'name = "arm"\n[[row]]\na = 0.5\n[[row]]\nmass = 1.0\n{key} = {value}\n'
    for count in (200, 900, 30_000):
        yield f"{count} rows", 'name = "arm"\n' + "[[row]]\na = 0.1\n" * count
    yield "many shapes", 'name = "arm"\n[[row]]\na = 1\n' + '[[row.shapes]]\nkind = "sphere"\nradius = 1\n' * 20_000
    yield "nested", "a = " + "[" * 100_000
    yield "dotted", "a" + ".a" * 100_000 + " = 1"
    yield "many dotted", "\n".join(f"a{'.b' * 300}.c{k} = 1" for k in range(800))


def tables() -> Found:
    """Settings, limits and paths."""
    yield "nested", "a = " + "[" * 200_000
    yield "dotted", "a" + ".a" * 100_000 + " = 1"
    yield "sections", "[" + "a." * 100_000 + "a]"
    yield "many dotted", "\n".join(f"a{'.b' * 390}.c{k} = 1" for k in range(2000))
    yield "many keys", "\n".join(f"a{k} = 1" for k in range(60_000))
    yield "huge numbers", "duration = 1e308\nrate = " + "9" * 5000 + '\n[joints."*"]\nvelocity = 1e308\n'
    yield "sparse, of a gigabyte", lambda path: (path.touch(), os.truncate(path, 2**30))
    yield "a pipe", lambda path: os.mkfifo(path)


def texts() -> Found:
    """Logs as text."""
    yield from special(Path())
    rows = "".join(f"{k / 100},{np.sin(k / 9):.4f},{np.cos(k / 9):.4f}\n" for k in range(200))
    head = "t,q1,tau1\n"
    yield (
        "a bomb",
        gzip.compress(head.encode() + b"0" * 300_000_000, 9),
    )
    yield "a bomb of rows", gzip.compress((head + rows[:40]).encode() + b"1,1,1\n" * 40_000_000, 9)
    yield "a bomb in a bomb", gzip.compress(gzip.compress(b"\0" * 200_000_000, 9), 9)
    yield "a row of 50 MB", head + "1," * 25_000_000
    yield "a header of 10 MB", ",".join(f"q{k}" for k in range(1_500_000)) + "\n" + rows
    yield "a cell of 50 MB", head + "0,1," + "7" * 50_000_000
    yield "a quote without end", head + '0,"1,' + "a,b\n" * 5_000_000
    yield "empty lines", "\n" * 30_000_000
    yield "only separators", ",;\t " * 5_000_000
    yield "only comments", "# a\n" * 8_000_000
    yield "carriage returns", (head + rows).replace("\n", "\r") * 50
    yield "without an end", (head + rows)[:-3].encode() + b"\xff\xfe\0\0"
    for value in ("1e308", "-1e308", "nan", "1e-320", "9" * 400, "1e99999999999", "0x1p9999", "٣", "1_0", "1e5d3"):
        yield f"values {value[:8]}", head + "".join(f"{k / 100},{value if k % 7 == 0 else k},{value}\n" for k in range(300))
        yield f"stamps {value[:8]}", head + "".join(f"{value if k == 150 else k / 100},{np.sin(k)},{k}\n" for k in range(300))
    yield "stamps far apart", head + "".join(f"{10.0**k},{k},{k}\n" for k in range(300))
    yield "stamps of one value", head + "5,1,1\n" * 3000
    yield "stamps back and forth", head + "".join(f"{(-1) ** k * k},{k},1\n" for k in range(3000))
    yield "wide", ",".join(f"j{k}.position [rad]" for k in range(19_000)) + "\n" + (",".join(["1"] * 19_000) + "\n") * 3
    yield (
        "many names",
        "time," + ",".join(f"a{k}_pos,a{k}_vel,a{k}_tau" for k in range(3000)) + "\n" + (",".join(["1"] * 9001) + "\n") * 20,
    )
    yield "in UTF-16", (head + rows).encode("utf-16")
    yield "formulas", "t,=cmd|' /C calc'!A0,tau1\n" + rows
    yield "a picture", b"\x89PNG\r\n\x1a\n" + b"\0" * 100
    yield "a pickle", b"\x80\x04\x95" + b"cos\nsystem\n(S'true'\ntR."


def archives() -> Found:
    """Logs as NPZ."""
    yield from special(Path())

    def packed(members: dict[str, bytes], kind: int = zipfile.ZIP_DEFLATED) -> bytes:
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", kind) as file:
            for name, content in members.items():
                file.writestr(name, content)
        return buffer.getvalue()

    def npy(array: object) -> bytes:
        buffer = io.BytesIO()
        np.save(buffer, array, allow_pickle=True)  # type: ignore[arg-type]
        return buffer.getvalue()

    def header(text: str, data: bytes = b"", version: bytes = b"\1\0") -> bytes:
        size = struct.pack("<H" if version[0] == 1 else "<I", len(text))
        return b"\x93NUMPY" + version + size + text.encode() + data

    yield "a bomb", packed({"t.npy": npy(np.zeros(30_000_000)), "q.npy": npy(np.zeros(30_000_000))})
    yield "many members", packed({f"a{k}.npy": b"" for k in range(120_000)}, zipfile.ZIP_STORED)
    yield "many arrays", packed({f"a{k}.npy": npy(np.arange(3.0)) for k in range(9000)}, zipfile.ZIP_STORED)
    yield "names outside", packed({"../../t.npy": npy(np.arange(9.0)), "/etc/q.npy": npy(np.arange(9.0))})
    yield "objects", packed({"t.npy": npy(np.array([{}, 1], dtype=object))})
    yield "an archive in an archive", packed({"t.npy": packed({"t.npy": npy(np.arange(3.0))})})
    for shape in (
        "(1000000000000,)",
        "(-1,)",
        "(0, 1000000000000)",
        "(1000000000000, 0)",
        "(" * 3000 + ")" * 3000,
        "(9" + "9" * 5000 + ",)",
        "(2.5,)",
        "()",
    ):
        text = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}\n"
        yield (
            f"shape {shape[:16]}",
            packed({"t.npy": header(text) if len(text) < 60_000 else b"", "q.npy": npy(np.arange(3.0))}),
        )
    for kind in ("'<U1000000000'", "'|O'", "'|V1000000000'", "[('a', '<f8', (100000, 100000))]", "'<M8[s]'", "'<c16'", "'<f2'"):
        yield (
            f"kind {kind[:12]}",
            packed({"t.npy": header(f"{{'descr': {kind}, 'fortran_order': True, 'shape': (3,), }}\n", b"\0" * 64)}),
        )
    yield "a header of 100 MB", packed({"t.npy": header("{" + " " * 100_000_000 + "}", version=b"\2\0")})
    yield "a size that is a lie", packed({"t.npy": npy(np.arange(1000.0))})[:-60] + b"\xff" * 60
    yield "many columns", packed({"t.npy": npy(np.arange(9.0)), "q.npy": npy(np.zeros((9, 300_000)))})


def mats() -> Found:
    """Logs as MATLAB files."""

    def element(kind: int, content: bytes) -> bytes:
        return struct.pack("<II", kind, len(content)) + content + b"\0" * (-len(content) % 8)

    def matrix(kind: int, shape: tuple[int, ...], inner: bytes, name: bytes = b"q") -> bytes:
        head = element(6, struct.pack("<II", kind, 0)) + element(5, struct.pack(f"<{len(shape)}i", *shape)) + element(1, name)
        return element(14, head + inner)

    def file(*parts: bytes) -> bytes:
        return b"MATLAB 5.0".ljust(124) + b"\0\1IM" + b"".join(parts)

    def squeezed(content: bytes) -> bytes:
        plain = zlib.compress(content, 9)
        return struct.pack("<II", 15, len(plain)) + plain

    empty, numbers = element(14, b""), matrix(6, (3, 1), element(9, bytes(24)))
    yield "cells", file(squeezed(matrix(1, (1, 2_000_000), empty * 2_000_000)))
    yield "cells of numbers", file(squeezed(matrix(1, (1, 300_000), numbers * 300_000)))
    yield "many matrices", file(numbers * 300_000)
    deep = numbers
    for _ in range(2000):
        deep = matrix(1, (1, 1), deep)
    yield "cells in cells", file(deep)
    yield "zeros", file(squeezed(matrix(6, (2**27, 1), element(9, bytes(2**28)))))
    yield "many packed", file(squeezed(matrix(6, (10**6, 1), element(9, bytes(8 * 10**6)))) * 60)
    for shape in ((-1, 3), (2**31 - 1, 2**31 - 1), (), (1,) * 5000):
        yield f"shape {len(shape)} {shape[:1]}", file(matrix(6, shape, element(9, bytes(24))))
    fields = element(5, struct.pack("<i", 32)) + element(1, b"a".ljust(32, b"\0") * 500_000)
    yield "fields", file(squeezed(matrix(2, (1, 1), fields + empty * 500_000)))
    yield "fields of no length", file(matrix(2, (1, 1), element(5, struct.pack("<i", 0)) + element(1, b"")))
    yield "a size that is a lie", file(struct.pack("<II", 14, 2**32 - 1))
    yield "cut", file(numbers)[:-20]


def parquets() -> Found:
    """Logs as Parquet."""
    import pyarrow as pa
    from pyarrow import parquet

    yield from special(Path())

    def table(columns: dict[str, object], **words: object) -> bytes:
        buffer = io.BytesIO()
        parquet.write_table(pa.table(columns), buffer, **words)  # type: ignore[arg-type]
        return buffer.getvalue()

    zeros = np.zeros(4_000_000)
    yield "one value", table({"t": zeros, "q1": zeros}, compression="zstd")
    yield "many columns", table({f"q{k}": [1.0, 2.0] for k in range(25_000)})
    yield "many groups", table({"t": np.arange(3000.0), "q1": np.arange(3000.0)}, row_group_size=1)
    yield "nested", table({"t": [1.0, 2.0], "q": [[[1.0]] * 3] * 2})
    yield "text", table({"t": ["a" * 1000] * 100})
    whole = table({"t": np.arange(1000.0), "q1": np.arange(1000.0)})
    for number, place in enumerate((-30, -60, -100, -200, 4, 20, 60, 300)):
        yield f"damaged {number}", whole[:place] + b"\xff\x7f" + whole[place + 2 or len(whole) :]
    yield "a footer without end", whole[:-8] + struct.pack("<I", 2**31 - 1) + b"PAR1"
    rows = table({"t": np.zeros(3_000_000), "q1": np.zeros(3_000_000)}, compression="zstd", write_statistics=False)
    many = _varint(2 * 3_000_000)
    for few in (100, 1):  # pages hold more rows than the footer says
        yield f"more rows than {few}", rows.replace(many, _varint(2 * few, len(many)))
    yield "of ours, with metadata that is none", table({"time [s]": [0.0, 1.0]}).replace(b"ARROW:schema", b"bifilar\0\0\0\0\0")


def _varint(number: int, length: int = 1) -> bytes:
    """A number as Thrift writes it, in more bytes than it needs if it must be as long as another."""
    length = max(length, -(-number.bit_length() // 7))
    return bytes([number >> 7 * k & 127 | (128 if k < length - 1 else 0) for k in range(length)])


def hdf5s(outside: Path) -> Found:
    """Logs as HDF5."""
    try:
        import h5py
    except ImportError:
        return
    yield from special(outside)

    def made(fill: Callable[[h5py.File], object]) -> Callable[[Path], object]:
        def write(path: Path) -> None:
            with h5py.File(path, "w", libver="latest") as file:
                file["t"] = np.arange(20.0)
                fill(file)

        return write

    def deep(file: h5py.File) -> None:
        here = file
        for _ in range(3000):
            here = here.create_group("g")

    def external(file: h5py.File) -> None:
        file.create_dataset("q1", shape=(20,), dtype="u1", external=[(str(outside), 0, 20)])

    def virtual(file: h5py.File) -> None:
        layout = h5py.VirtualLayout(shape=(20,), dtype="f8")
        layout[:] = h5py.VirtualSource(str(outside), "q", shape=(20,))
        file.create_virtual_dataset("q1", layout)

    yield "groups", made(lambda file: [file.create_group(f"g{k}") for k in range(30_000)])
    yield "groups in groups", made(deep)
    yield "data sets", made(lambda file: [file.create_dataset(f"q{k}", shape=(20,), dtype="f8") for k in range(12_000)])
    yield "a loop", made(lambda file: (file.create_group("a"), file["a"].__setitem__("up", file["/"])))
    yield "links to itself", made(lambda file: file.__setitem__("l", h5py.SoftLink("/l")))
    yield "a link outside", made(lambda file: file.__setitem__("q1", h5py.ExternalLink(str(outside), "/q")))
    yield "numbers outside", made(external)
    yield "virtual numbers outside", made(virtual)
    for shape in ((10**9,), (20, 10**8), (10**8, 20), (0, 5)):
        yield (
            f"shape {shape[0]} {len(shape)}",
            made(lambda file, s=shape: file.create_dataset("q", shape=s, dtype="f8", chunks=True)),
        )
    yield (
        "chunks",
        made(
            lambda file: file.create_dataset(
                "q", shape=(20,), maxshape=(None,), chunks=(50_000_000,), dtype="f8", compression=9
            )
        ),
    )
    yield "text", made(lambda file: file.create_dataset("q", data=["a" * 10**6] * 20))


def _joints(names: list[str], numbers: int | None = None) -> bytes:
    """A message of joint states in CDR."""
    data = b"\0\1\0\0" + struct.pack("<iII", 5, 0, 1) + b"\0"
    data += b"\0" * (-(len(data) - 4) % 4) + struct.pack("<I", len(names))
    for name in names:
        data += b"\0" * (-(len(data) - 4) % 4) + struct.pack("<I", len(name) + 1) + name.encode() + b"\0"
    for count in (len(names) if numbers is None else numbers, 0, 0):
        data += b"\0" * (-(len(data) - 4) % 4) + struct.pack("<I", count)
        data += b"\0" * (-(len(data) - 4) % 8) * bool(count) + struct.pack(
            f"<{min(count, 20_000)}d", *[1.0] * min(count, 20_000)
        )
    return data


def _messages() -> Iterator[tuple[str, list[tuple[str, bytes]]]]:
    yield "name sets", [("/joint_states", _joints([f"a{k}", f"b{k}"])) for k in range(5000)]
    yield "topics", [(f"/t{k}", _joints([f"a{k}"])) for k in range(5000)]
    yield "many joints", [("/joint_states", _joints([f"a{k}" for k in range(9000)])) for _ in range(20)]
    yield "one joint many times", [("/joint_states", _joints(["a"] * 5000)) for _ in range(5)]
    yield "a count that is a lie", [("/joint_states", _joints(["a"], 2**31))] * 5
    yield "half a message", [("/joint_states", _joints(["a", "b"])[:-9])] * 5
    yield "nothing", [("/joint_states", b"")] * 5
    yield "the same stamp", [("/joint_states", _joints(["a", "b"]))] * 3000


def mcaps() -> Found:
    """Logs as MCAP."""
    try:
        from mcap.writer import CompressionType, Writer
    except ImportError:
        return
    yield from special(Path())

    def made(
        said: list[tuple[str, bytes]], kind: CompressionType = CompressionType.ZSTD, chunk: int = 2**20, **more: bool
    ) -> bytes:
        buffer = io.BytesIO()
        writer = Writer(buffer, compression=kind, chunk_size=chunk, **more)
        writer.start()
        schema = writer.register_schema(next(iter(KINDS)), "ros2msg", b"")
        channels = {topic: writer.register_channel(topic, "cdr", schema) for topic in dict.fromkeys(topic for topic, _ in said)}
        for number, (topic, data) in enumerate(said):
            writer.add_message(channels[topic], number * 10**7, data, number * 10**7)
        writer.finish()
        return buffer.getvalue()

    for name, said in _messages():
        yield name, made(said)
    for kind in (CompressionType.ZSTD, CompressionType.LZ4):
        yield f"a chunk that unfolds {kind.name}", made([("/joint_states", bytes(90 << 20))] * 3, kind, 400 << 20)
    whole = made([("/joint_states", _joints(["a", "b"]))] * 100)
    yield "cut", whole[: len(whole) // 2]
    yield "a record without end", b"\x89MCAP0\r\n\x01" + struct.pack("<Q", 2**62)
    yield (
        "schemas",
        whole[:8]
        + (
            b"\x03"
            + struct.pack("<Q", 22)
            + struct.pack("<HI", 7, 1)
            + b"a"
            + struct.pack("<I", 1)
            + b"b"
            + struct.pack("<I", 2)
            + b"cd"
            + b"\0\0\0\0"
        )[:31]
        * 200_000,
    )


def bags(outside: Path) -> Found:
    """Logs as SQLite files of ROS 2."""
    yield from special(outside)
    kind = next(iter(KINDS))

    def made(*programs: str, said: list[tuple[str, bytes]] | None = None) -> Callable[[Path], object]:
        def write(path: Path) -> None:
            base = sqlite3.connect(path)
            for program in programs:
                base.execute(program)
            if said is not None:
                base.execute("CREATE TABLE topics(id INTEGER, name TEXT, type TEXT)")
                base.execute("CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER, timestamp INTEGER, data BLOB)")
                topics = list(dict.fromkeys(topic for topic, _ in said))
                base.executemany("INSERT INTO topics VALUES (?, ?, ?)", [(k, name, kind) for k, name in enumerate(topics)])
                rows = [(None, topics.index(topic), k * 10**7, data) for k, (topic, data) in enumerate(said)]
                base.executemany("INSERT INTO messages VALUES (?, ?, ?, ?)", rows)
            base.commit()
            base.close()

        return write

    for name, said in _messages():
        yield name, made(said=said)
    endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x AS id, 'n' AS name, 'k' AS type FROM c"
    table = "CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER, timestamp INTEGER, data BLOB{})"
    yield "a view without end", made(f"CREATE VIEW topics AS {endless}", table.format(""))
    yield (
        "a computed column",
        made("CREATE TABLE topics(id INTEGER, name TEXT, type TEXT)", table.format(", x AS (zeroblob(1e9))")),
    )
    yield (
        "many topics",
        made(
            "CREATE TABLE topics(id INTEGER, name TEXT, type TEXT)",
            table.format(""),
            "INSERT INTO topics WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 200000) "
            f"SELECT x, 'n' || x, '{kind}' FROM c",
        ),
    )
    yield "a program outside", made(f"ATTACH '{outside.with_suffix('.none')}' AS other", table.format(""))
    yield "columns that are missing", made("CREATE TABLE topics(id)", "CREATE TABLE messages(id)")
    yield (
        "a message of a gigabyte",
        made(
            "CREATE TABLE topics(id INTEGER, name TEXT, type TEXT)",
            table.format(""),
            f"INSERT INTO topics VALUES (1, '/joint_states', '{kind}')",
            "INSERT INTO messages VALUES (1, 1, 1, zeroblob(150000000))",
        ),
    )


def mappings(outside: Path) -> Found:
    """Mapping files."""
    yield from tables()
    base = 'joints = ["a"]\n{}[channels.position]\ncolumns = ["q1"]\nunit = "rad"\n'
    for name in (str(outside), f"../{outside.parent.name}/{outside.name}", "{run}.csv", "."):
        yield f"a file {name.replace('/', '|')[:12]}", base.format("") + f'file = "{name}"\n'
    yield (
        "many joints",
        f"joints = [{', '.join(chr(34) + f'a{k}' + chr(34) for k in range(9000))}]\n[channels.position]\ncolumns = 'q{{n}}'\n",
    )
    for text in ('columns = "1-2000000000"', 'columns = "q{n}{n}{n}"', "columns = [1e308]", 'unit = "' + "m" * 10**5 + '"'):
        yield f"words {text[:18]}", f'joints = ["a"]\n[channels.position]\n{text}\n'
    yield "samples", 'joints = ["a"]\n[channels.position]\ncolumns = ["q1"]\n[use]\nsamples = [[0, 99999999999999999999]]\n'
    yield "matrix", "joints = ['a']\nmotor_from_joint = [" + "[" + "1," * 10_000 + "1]," + "]\n"


def motions() -> Found:
    """Motions that are to be played."""
    head = "time [s],joint1.position [rad],joint2.position [rad]\n"
    for value in ("1e308", "nan", "1e-320", "9" * 400):
        yield f"positions {value[:6]}", head + "".join(f"{k / 100},{value},{k}\n" for k in range(50))
        yield f"stamps {value[:6]}", head + "".join(f"{value},{k / 100},{k / 100}\n" for k in range(50))
    yield "a step of years", head + "0,0,0\n1e9,1,1\n2e9,0,0\n3e9,1,0\n"
    yield "a step of nothing", head + "".join(f"{k * 1e-15},0,0\n" for k in range(50))
    yield "empty", b""
    yield "a pipe", lambda path: os.mkfifo(path)
    yield "a bomb", gzip.compress(head.encode() + b"0,0,0\n" * 40_000_000, 9)


def walks() -> Found:
    """Files that `walk fit` would have written."""
    assert Walk.__name__ == "Settings"
    stamp = {"format": WALK.stamp}
    yield "nested", '{"format": ' + "[" * 500_000
    yield "numbers", json.dumps(stamp | {"parameters": [{"name": "m", "value": 10**400}]})
    yield "nan", '{"format": "%s", "parameters": [{"name": "m", "value": NaN}]}'.replace("%s", WALK.stamp)
    yield "digits", json.dumps(stamp | {"parameters": [{"name": "m", "value": 0}]}).replace(" 0}", " " + "9" * 10**6 + "}")
    yield "rows", json.dumps(stamp | {"parameters": [{"name": f"m{k}", "value": 1.0} for k in range(10**5)]})
    yield "a pipe", lambda path: os.mkfifo(path)
    yield "sparse, of a gigabyte", lambda path: (path.touch(), os.truncate(path, 2**30))


def runs(outside: Path) -> Iterator[tuple[str, Callable[[Path], object]]]:
    """Folders of runs; those without a seal, or with one that fits, are read."""

    def made(change: Callable[[Path], object], seal: bool = True) -> Callable[[Path], object]:
        def write(folder: Path) -> None:
            robot = bf.Robot.load("pendulum")
            q, v, a = np.random.default_rng(0).normal(size=(3, 50, 1))
            bf.save_estimate(bf.LeastSquares().fit(robot, (q, v, a, robot.inverse_dynamics(q, v, a))), folder)
            about = {
                **{"folder": "r", "robot": "r", "command": [], "judged_on": "nothing", "settings": {"robot": "r", "logs": []}},
                **{"inputs": [], "versions": {}, "findings": {}, "verdict": {"level": "good", "reasons": []}},
            }
            (folder / "run.json").write_bytes(about_bytes(sealed(about, folder)))
            change(folder)
            if seal and (folder / "run.json").is_file():
                about = json.loads((folder / "run.json").read_text())
                (folder / "run.json").write_bytes(about_bytes(sealed(about, folder)))

        return write

    def edited(file: str, **values: object) -> Callable[[Path], object]:
        return lambda folder: (folder / file).write_text(json.dumps(json.loads((folder / file).read_text()) | values))

    def arrays(**more: np.ndarray) -> Callable[[Path], object]:
        return lambda folder: np.savez_compressed(folder / "estimate.npz", **{**dict(np.load(folder / "estimate.npz")), **more})

    yield "arrays that unfold", made(arrays(values=np.zeros(60_000_000)))
    yield "arrays of another shape", made(arrays(covariance=np.zeros((2, 9))))
    yield "arrays of nan", made(arrays(values=np.full(6, np.nan)))
    yield "another robot", made(lambda folder: (folder / "robot.urdf").write_text(chain(3000, "continuous")))
    yield "a robot of pipes", made(lambda folder: ((folder / "robot.urdf").unlink(), os.mkfifo(folder / "robot.urdf")))
    yield (
        "numbers of pipes",
        made(lambda folder: ((folder / "estimate.npz").unlink(), os.mkfifo(folder / "estimate.npz")), seal=False),
    )
    yield "facts of pipes", made(lambda folder: ((folder / "run.json").unlink(), os.mkfifo(folder / "run.json")), seal=False)
    for file in ("run.json", "estimate.json"):
        nested = b'{"format": ' + b"[" * 500_000
        yield f"{file} nested", made(lambda folder, f=file, n=nested: (folder / f).write_bytes(n), seal=file != "run.json")
        yield f"{file} sparse", made(lambda folder, f=file: os.truncate(folder / f, 2**30), seal=file != "run.json")
        yield f"{file} with huge numbers", made(edited(file, rows=10**400, verdict={"level": "good", "reasons": [10**300]}))
        yield f"{file} with texts for numbers", made(edited(file, rows="many", gravity="down", findings="none", versions=[]))
    yield "a recipe of another kind", made(edited("estimate.json", recipe={"method": "butterworth", "order": 10**9}))
    yield "terms of another kind", made(edited("estimate.json", friction=[{"term": "Coulomb", "width": "wide", "at": 5}]))
    yield (
        "names outside in the seal",
        made(lambda folder: edited("run.json", seal={"files": {str(outside): "0" * 64}, "content": ""})(folder), seal=False),
    )
    yield "inputs outside", made(edited("run.json", inputs=[{"name": str(outside), "given": "a", "sha256": "0" * 64}]))
    yield "a predictor in a predictor", made(lambda folder: os.symlink(".", folder / "torque_predictor"), seal=False)

"""A look at an MJCF file and everything it includes, before MuJoCo opens any of it.

MuJoCo accepts a DOCTYPE, follows absolute includes and includes that leave the folder, and multiplies bodies by <replicate>.
So the file is parsed first with our own reader (caps, no DOCTYPE), every file it names must lie in its own folder, and
what could grow without bound is counted, in sums over the whole model, and refused beyond a budget. Deformable bodies are
refused too: they are no rigid robot.
"""

from __future__ import annotations

import math
import ntpath
import os
import re
from pathlib import Path
from typing import Any

from bifilar.errors import RobotError
from bifilar.robot.xml_reader import Document, Element, parse_document, read_document, shown

MAX_FILES = 100  # main file and includes
MAX_ELEMENTS = 20_000  # of a model, copies by <replicate> counted
MAX_POINTS = 2**26  # of all textures, height fields and generated meshes together
MAX_COUNT = 100_000  # that <size> may reserve of anything
MAX_MEMORY = 2**28  # bytes that <size> may reserve
DEFORMABLE = ("composite", "flexcomp", "flex", "skin")
FOLDERS = ("meshdir", "texturedir", "assetdir")
FILES = ("file", "fileright", "fileleft", "fileup", "filedown", "filefront", "fileback")


def scan_file(path: str | os.PathLike[str]) -> list[Document]:
    """The file and its includes, parsed and found harmless.

    >>> scan_file("no_such_file.xml")
    Traceback (most recent call last):
    ...
    bifilar.errors.RobotError: no such file
      where   no_such_file.xml
      try     check the path
    """
    main = Path(os.fspath(path))
    documents: dict[Path, Document] = {}
    waiting = [main]
    while waiting:
        file = waiting.pop()
        if file.resolve() in documents:
            continue
        document = read_document(file)
        documents[file.resolve()] = document
        if len(documents) > MAX_FILES:
            raise RobotError("mjcf.includes", where=str(main), max_files=MAX_FILES)
        for element in document.root.walk():
            if element.tag in ("include", "model") and element.get("file") is not None:
                waiting += _included(document, element, main.parent, file.parent)
    found = list(documents.values())
    _check_all(found, main.parent)
    return found


def scan_text(xml: str, name: str = "model.xml") -> Document:
    """The same for a model in memory, which may include nothing.

    >>> scan_text("<mujoco/>").root.tag
    'mujoco'
    """
    document = parse_document(xml.encode("utf-8"), name)
    for element in document.root.walk():
        for attribute in (*FILES, *FOLDERS):
            if element.get(attribute) is not None:
                raise _refuse(document, element, "mjcf.other/mjcf_scan", tag=element.tag)
    _check_all([document], None)
    return document


def _check_all(documents: list[Document], folder: Path | None) -> None:
    root = documents[0].root
    if root.tag != "mujoco":
        raise _refuse(
            documents[0],
            root,
            "mjcf.other/check_all" if root.tag == "robot" else "mjcf.other/mjcf_scan_check_all",
            tag=shown(root.tag, ""),
        )
    folders = [value for d in documents for e in d.root.walk() for value in (e.get(key) for key in FOLDERS) if value]
    points = 0
    for document in documents:
        for element in document.root.walk():
            _check_kind(document, element)
            points += _points(document, element, folder, folders or [""])
            if points > MAX_POINTS:
                raise _refuse(document, element, "mjcf.other/points", most=MAX_POINTS)
            if element.tag not in ("include", "model") and folder is not None:
                _check_assets(document, element, folder, folders or [""])
    elements = 0
    for document in documents:
        elements += _elements(document)
        if elements > MAX_ELEMENTS:
            raise _refuse(document, document.root, "mjcf.other/elements", most=MAX_ELEMENTS)


def _refuse(document: Document, element: Element, key: str, **facts: Any) -> RobotError:
    return RobotError(key, where=document.where(element), **facts)


def _included(document: Document, element: Element, main: Path, here: Path) -> list[Path]:
    """Where MuJoCo may look for an included file: beside the main file, beside the including one."""
    name = element.get("file") or ""
    candidates = {_inside(document, element, main, folder, name) for folder in (main, here)}
    existing = [file for file in candidates if file.is_file()]
    if not existing:
        raise _refuse(document, element, "mjcf.other/included", name=shown(name))
    return existing


def _inside(document: Document, element: Element, main: Path, folder: Path, name: str) -> Path:
    """The file a name stands for; refused unless it lies in the main file's folder, links followed."""
    absolute = os.path.isabs(name) or ntpath.isabs(name) or bool(ntpath.splitdrive(name)[0]) or ":" in name.split("/")[0]
    try:
        home, file = main.resolve(), (folder / name).resolve()
    except (OSError, ValueError, RuntimeError):
        raise _refuse(document, element, "mjcf.other/inside", name=shown(name)) from None
    if absolute or not file.is_relative_to(home):
        raise _refuse(document, element, "mjcf.other/mjcf_scan_inside", tag=shown(element.tag, ""), name=shown(name))
    return file


def _check_assets(document: Document, element: Element, folder: Path, folders: list[str]) -> None:
    """Mesh, texture and height-field files stay in the folder; whether one that is missing matters is seen later."""
    for key in FOLDERS:
        if element.get(key):
            _inside(document, element, folder, folder, element.get(key) or "")
    for key in FILES:
        name = element.get(key)
        if name is None:
            continue
        for place in folders:
            _inside(document, element, folder, folder / place, name)


def _check_kind(document: Document, element: Element) -> None:
    if element.tag in DEFORMABLE:
        raise _refuse(document, element, "mjcf.other/deformable", tag=element.tag)
    if element.tag == "size":
        for key, text in element.attributes:
            most = MAX_MEMORY if key == "memory" else MAX_COUNT
            if _amount(text) > most:
                raise _refuse(document, element, "mjcf.other/size", attribute=shown(key, ""), most=most)


def _amount(text: str) -> float:
    """A number with a suffix such as 10M; 0 where it is none: MuJoCo says so itself."""
    found = re.fullmatch(r"\s*([0-9.eE+]+)\s*([kKMGTPE]?)\s*", text)
    try:
        return float(found[1]) * 1024.0 ** " KMGTPE".index(found[2].upper() or " ") if found else 0.0
    except ValueError:
        return 0.0


def _points(document: Document, element: Element, folder: Path | None, folders: list[str]) -> int:
    """How many points a texture, a height field or a generated mesh unfolds to."""
    sides = 6 if element.tag == "texture" and element.get("type") in ("cube", "skybox") else 1
    stated = _whole(document, element, "width") * _whole(document, element, "height") * sides
    stated += _whole(document, element, "nrow") * _whole(document, element, "ncol")
    if element.tag == "mesh" and element.get("builtin") is not None:
        numbers = [_amount(part) for part in (element.get("params") or "").split()[:8]]
        stated += 4 ** min(int(min(numbers[0], 20)), 20) if element.get("builtin") == "sphere" and numbers else 0
        stated += int(min(max(1.0, math.prod(max(x, 1.0) for x in numbers)), 1e12)) if numbers else 0
    for key in FILES:
        name = element.get(key)
        if name is not None and folder is not None and name.lower().endswith(".png"):
            stated += max(_pixels(_inside(document, element, folder, folder / place, name)) for place in folders)
    return stated


def _pixels(file: Path) -> int:
    """Of a PNG, from its head; nothing is decoded."""
    try:
        with open(file, "rb") as stream:
            head = stream.read(24)
    except OSError:
        return 0
    return int.from_bytes(head[16:20], "big") * int.from_bytes(head[20:24], "big") if head[:4] == b"\x89PNG" else 0


def _elements(document: Document) -> int:
    """Elements of a document with their copies by <replicate>, siblings added, nests multiplied."""
    total, waiting = 0, [(document.root, 1)]
    while waiting and total <= MAX_ELEMENTS:
        element, copies = waiting.pop()
        if element.tag == "replicate":
            copies *= max(_whole(document, element, "count"), 1)
        total += copies
        waiting += [(child, copies) for child in element.children]
    return total


def _whole(document: Document, element: Element, key: str) -> int:
    """An attribute that counts something; 1 where it is not given."""
    text = element.get(key)
    if text is None:
        return 1
    try:
        return max(abs(int(part)) for part in text.split()[:3])
    except ValueError:
        return 1  # MuJoCo names the fault with its own message

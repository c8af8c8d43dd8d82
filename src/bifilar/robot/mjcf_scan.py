"""A look at an MJCF file and everything it includes, before MuJoCo opens any of it.

MuJoCo accepts a DOCTYPE, follows absolute includes and includes that leave the folder, and multiplies bodies by <replicate>.
So the file is parsed first with our own reader (caps, no DOCTYPE), every file it names must lie in its own folder, and
what could grow without bound is refused. Deformable bodies are refused too: they are no rigid robot.
"""

from __future__ import annotations

import ntpath
import os
from pathlib import Path
from typing import Any

from bifilar.errors import RobotError
from bifilar.robot.xml_reader import Document, Element, parse_document, read_document, shown

MAX_FILES = 100  # main file and includes
MAX_COPIES = 1000  # of nested <replicate>
MAX_PIXELS = 2**26  # of one texture or height field
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
    for document in documents:
        for element in document.root.walk():
            _check_size(document, element)
            if element.tag not in ("include", "model") and folder is not None:
                _check_assets(document, element, folder, folders or [""])
        _check_copies(document, document.root, 1)


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
    """Mesh, texture and height-field files stay in the folder; a missing mesh is told apart from a broken one."""
    for key in FOLDERS:
        if element.get(key):
            _inside(document, element, folder, folder, element.get(key) or "")
    for key in FILES:
        name = element.get(key)
        if name is None:
            continue
        files = [_inside(document, element, folder, folder / place, name) for place in folders]
        names = [*files, *(file.parent / Path(name).name for file in files)]  # strippath="true"
        if not any(file.exists() for file in names):
            raise _refuse(document, element, "mjcf.other/check_assets", tag=shown(element.tag, ""), name=shown(name))


def _check_size(document: Document, element: Element) -> None:
    if element.tag in DEFORMABLE:
        raise _refuse(document, element, "mjcf.other/check_size", tag=element.tag)
    pairs = (("width", "height"), ("nrow", "ncol"))
    for first, second in pairs:
        if _whole(document, element, first) * _whole(document, element, second) > MAX_PIXELS:
            raise _refuse(document, element, "mjcf.other/mjcf_scan_check_size", tag=element.tag, max_pixels=MAX_PIXELS)


def _check_copies(document: Document, element: Element, copies: int) -> None:
    waiting = [(element, copies)]
    while waiting:
        element, copies = waiting.pop()
        if element.tag == "replicate":
            copies *= max(_whole(document, element, "count"), 1)
            if copies > MAX_COPIES:
                raise _refuse(document, element, "mjcf.other/check_copies", max_copies=MAX_COPIES)
        waiting += [(child, copies) for child in element.children]


def _whole(document: Document, element: Element, key: str) -> int:
    """An attribute that counts something; 1 where it is not given."""
    text = element.get(key)
    if text is None:
        return 1
    try:
        return max(abs(int(part)) for part in text.split()[:3])
    except ValueError:
        return 1  # MuJoCo names the fault with its own message

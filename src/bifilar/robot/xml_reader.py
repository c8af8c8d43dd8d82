"""XML for files from strangers: expat directly, so that every element knows its line and byte, and caps hold while parsing.

A robot description may come from anywhere, so nothing of XML that can grow or fetch is allowed: no DOCTYPE (hence no
entities, no external files), at most `MAX_BYTES`, `MAX_DEPTH`, `MAX_ELEMENTS` and so on, each checked as soon as it is
passed and not after the tree has filled the memory. Byte offsets are kept because the URDF writer replaces numbers in
the original bytes and leaves the rest of the file as it was; that is also why only UTF-8 (and ASCII) is read.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple
from xml.parsers import expat

from bifilar.errors import RobotError, unreadable

MAX_BYTES = 64 * 2**20
MAX_DEPTH = 200
MAX_ELEMENTS = 200_000
MAX_ATTRIBUTES = 100  # of one element
MAX_ATTRIBUTE_LENGTH = 65_536  # characters of one attribute, or of one name
MAX_TOKEN = 2**20  # bytes of one start tag or comment
MAX_TEXT = 4 * 2**20  # characters between the tags, in the whole file
CHUNK = 65_536  # bytes handed to expat at once; the caps are looked at in between

_ATTRIBUTE = re.compile(rb"""([^\s=<>"'/]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_START_TAG = re.compile(rb"""<(?:[^<>"']+|"[^"]*"|'[^']*')*>""")
_LIKELY = {  # expat's code -> what usually happened
    "no element found": "an empty or truncated file",
    "unclosed token": "a truncated file",
    "mismatched tag": "a tag that is never closed, or closed in the wrong order",
    "duplicate attribute": "a line copied and not finished",
    "junk after document element": "two documents in one file, or text after </robot>",
    "undefined entity": "an & that should be written &amp;",
}


class Element(NamedTuple):
    """One element of the file; immutable, as light as a tuple.

    >>> parse_document(b'<a><b x="1"/></a>', "small.xml").root.children[0].get("x")
    '1'
    """

    tag: str
    attributes: tuple[tuple[str, str], ...]
    children: tuple[Any, ...]  # of Element
    text: str
    line: int
    start: int  # byte of its "<"

    def get(self, name: str) -> str | None:
        """An attribute's value, or None.

        >>> parse_document(b'<a x="1"/>', "small.xml").root.get("y") is None
        True
        """
        return next((value for key, value in self.attributes if key == name), None)

    def walk(self) -> Iterator[Element]:
        """The element and everything below it, in the file's order.

        >>> [element.tag for element in parse_document(b"<a><b><c/></b><d/></a>", "small.xml").root.walk()]
        ['a', 'b', 'c', 'd']
        """
        waiting = [self]
        while waiting:
            element = waiting.pop()
            yield element
            waiting.extend(reversed(element.children))


@dataclass(frozen=True)
class Document:
    """A parsed file with its bytes, so that a place in the tree can be found in the text again.

    >>> document = parse_document(b'<a>\\n <b x="1"/></a>', "small.xml")
    >>> document.where(document.root.children[0])
    'small.xml:2'
    """

    name: str
    data: bytes
    root: Element

    def tag_end(self, element: Element) -> int:
        """The byte after the ">" of its start tag.

        >>> document = parse_document(b"<a >text</a>", "small.xml")
        >>> document.tag_end(document.root)
        4
        """
        match = _START_TAG.match(self.data, element.start)
        return match.end() if match else element.start

    def value_span(self, element: Element, attribute: str) -> tuple[int, int] | None:
        """First byte of an attribute's value and the byte after its last, without the quotes; None if it has no such attribute.

        >>> document = parse_document(b'<a x="12"/>', "small.xml")
        >>> document.value_span(document.root, "x")
        (6, 8)
        """
        first = element.start + 1 + len(element.tag.encode())
        for match in _ATTRIBUTE.finditer(self.data, first, self.tag_end(element)):
            if match[1] == attribute.encode():
                return match.span(2 if match[2] is not None else 3)
        return None

    def where(self, element: Element, attribute: str = "") -> str:
        """File and line of an element, or of the value of one of its attributes when the start tag spans several lines.

        >>> document = parse_document(b'<a\\n x="12"/>', "small.xml")
        >>> document.where(document.root, "x")
        'small.xml:2'
        """
        span = self.value_span(element, attribute) if attribute else None
        until = span[0] if span else element.start
        return f"{self.name}:{element.line + _newlines(self.data[element.start : until])}"


def _newlines(data: bytes) -> int:
    return data.count(b"\n") + data.count(b"\r") - data.count(b"\r\n")


class _Builder:
    """Receives expat's events, keeps the open elements on a stack and counts."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.parser = parser = expat.ParserCreate()
        parser.ordered_attributes = True
        parser.buffer_text = True
        if hasattr(parser, "SetReparseDeferralEnabled"):  # expat >= 2.6 would wait; MAX_TOKEN bounds the work it wants to save
            parser.SetReparseDeferralEnabled(False)
        parser.XmlDeclHandler = self.declaration
        parser.StartDoctypeDeclHandler = self.doctype
        parser.EntityDeclHandler = self.doctype
        parser.StartElementHandler = self.start
        parser.EndElementHandler = self.end
        parser.CharacterDataHandler = self.text
        self.open: list[tuple[str, tuple[tuple[str, str], ...], list[Element], list[str], int, int]] = []
        self.elements = 0
        self.text_length = 0
        self.root: Element | None = None

    def refuse(self, key: str, **facts: Any) -> RobotError:
        return RobotError(key, where=f"{self.name}:{self.parser.CurrentLineNumber}", **facts)

    def declaration(self, version: str, encoding: str | None, standalone: int) -> None:
        if encoding is not None and encoding.lower() not in ("utf-8", "utf8", "us-ascii", "ascii"):
            raise self.refuse("xml.invalid/xml_reader", encoding=shown(encoding))

    def doctype(self, *_: object) -> None:
        raise self.refuse("xml.invalid/doctype")

    def start(self, tag: str, flat: list[str]) -> None:
        self.elements += 1
        if self.elements > MAX_ELEMENTS:
            raise self.refuse("xml.invalid/start", max_elements=MAX_ELEMENTS)
        if len(self.open) >= MAX_DEPTH:
            raise self.refuse("xml.invalid/xml_reader_start", max_depth=MAX_DEPTH)
        if len(flat) > 2 * MAX_ATTRIBUTES:
            raise self.refuse(
                "xml.invalid/xml_reader_start_2", tag=shown(tag, ""), flat_count=len(flat) // 2, max_attributes=MAX_ATTRIBUTES
            )
        if max(map(len, flat), default=0) > MAX_ATTRIBUTE_LENGTH or len(tag) > MAX_ATTRIBUTE_LENGTH:
            raise self.refuse("xml.invalid/xml_reader_start_3", tag=shown(tag, ""), max_attribute_length=MAX_ATTRIBUTE_LENGTH)
        attributes = tuple(zip(flat[::2], flat[1::2], strict=True))
        self.open.append((tag, attributes, [], [], self.parser.CurrentLineNumber, self.parser.CurrentByteIndex))

    def end(self, _: str) -> None:
        tag, attributes, children, text, line, start = self.open.pop()
        element = Element(tag, attributes, tuple(children), "".join(text), line, start)
        if self.open:
            self.open[-1][2].append(element)
        else:
            self.root = element

    def text(self, text: str) -> None:
        if self.open and not text.isspace():
            self.text_length += len(text)
            if self.text_length > MAX_TEXT:
                raise self.refuse("xml.invalid/text", max_text=MAX_TEXT)
            self.open[-1][3].append(text)


def shown(name: str, quote: str = "'") -> str:
    """A name from the file as a message may show it: control characters escaped, long ones cut, in quotes.

    >>> shown("upper\\narm")
    "'upper\\\\narm'"
    """
    cut = name if len(name) <= 60 else name[:57] + "..."
    escaped = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in cut)
    return f"{quote}{escaped}{quote}"


def parse_document(data: bytes, name: str) -> Document:
    """The tree of a file's bytes; `name` is what messages call it.

    >>> parse_document(b"<robot/>", "arm.urdf").root.tag
    'robot'
    """
    if len(data) > MAX_BYTES:
        raise RobotError("file.too_large/xml_reader", where=name, data_count=len(data), max_bytes=MAX_BYTES)
    _refuse_other_than_text(data, name)
    builder = _Builder(name)
    try:
        for first in range(0, len(data), CHUNK):
            builder.parser.Parse(data[first : first + CHUNK], False)
            if first + CHUNK - max(builder.parser.CurrentByteIndex, 0) > MAX_TOKEN:
                raise builder.refuse("xml.invalid/parse_document", max_token=MAX_TOKEN)
        builder.parser.Parse(b"", True)
    except expat.ExpatError as error:
        raise _not_xml(error, builder, data) from None
    assert builder.root is not None  # expat has refused a file without an element
    return Document(name, data, builder.root)


def _refuse_other_than_text(data: bytes, name: str) -> None:
    if not data or data.isspace():
        raise RobotError("file.empty/xml_reader", where=name)
    if data[:2] in (b"\xff\xfe", b"\xfe\xff") or data[:4] in (b"<\0?\0", b"\0<\0?"):
        raise RobotError("file.not_text/xml_reader", where=f"{name}:1")
    if data[:2] == b"\x1f\x8b" or data[:4] == b"PK\x03\x04":
        raise RobotError("file.compressed", where=name)
    zero = data.find(b"\0")
    if zero >= 0:
        line = 1 + _newlines(data[:zero])
        raise RobotError("file.not_text/refuse_other_than_text", where=f"{name}:{line}")


def _not_xml(error: expat.ExpatError, builder: _Builder, data: bytes) -> RobotError:
    name = builder.name
    reason = expat.ErrorString(error.code) or "not well-formed"
    where = f"{name}:{error.lineno}"
    if not data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        return RobotError("xml.invalid/not_xml", where=where)
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as wrong:
        line = 1 + _newlines(data[: wrong.start])
        return RobotError("file.not_text/not_xml", where=f"{name}:{line}", data=data[wrong.start])
    if builder.open and reason in ("no element found", "unclosed token"):
        return RobotError(
            "xml.invalid/xml_reader_not_xml", where=where, open=shown(builder.open[-1][0], ""), open_2=builder.open[-1][4]
        )
    return RobotError("xml.invalid/xml_reader_not_xml_2", where=where, reason=reason, likely=_LIKELY.get(reason, ""))


def read_document(path: str | os.PathLike[str]) -> Document:
    """The tree of a file on disk, its kind and size looked at before it is opened.

    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp(), "arm.urdf")
    >>> _ = file.write_text("<robot/>")
    >>> read_document(file).root.tag
    'robot'
    """
    name = os.fspath(path)
    try:
        status = os.stat(path)
        if stat.S_ISDIR(status.st_mode):
            raise RobotError("file.folder/load", where=shown(name, ""))
        if not stat.S_ISREG(status.st_mode):
            raise RobotError("file.special/mesh_points", where=shown(name, ""))
        if status.st_size > MAX_BYTES:
            raise RobotError("file.too_large/read_document", where=shown(name, ""), st_size=status.st_size, max_bytes=MAX_BYTES)
        with open(path, "rb") as file:
            data = file.read(MAX_BYTES + 1)  # it may have grown since
    except FileNotFoundError:
        raise RobotError("file.missing", where=shown(name, "")) from None
    except (OSError, ValueError) as error:
        raise unreadable(RobotError, "file", error, shown(name, "")) from None
    return parse_document(data, name)


def outermost(head: bytes) -> str:
    """Name of the first element of an XML file, from its first bytes; empty if there is none.

    >>> outermost(b"<?xml version='1.0'?><!-- <note/> --><mujoco/>"), outermost(b"t,q1")
    ('mujoco', '')
    """
    text = re.sub(r"<!--.*?-->", "", head.decode("utf-8", "replace"), flags=re.S)
    first = re.search(r"<([A-Za-z_][\w.-]*)", text)
    return first.group(1) if first else ""

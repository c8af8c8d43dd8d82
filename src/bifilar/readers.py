"""Every file format that is read, declared once: how its files end, how their content begins, and what opens them.

A reader is a module-level `Reader` in a file `read_*.py` of `bifilar.robot` or `bifilar.recording`; nothing else has to be
changed for it. `register` adds one at run time. Loading, help texts, messages that list endings, and the check for a log
where a robot is expected all ask here.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any, Literal

Kind = Literal["robot", "recording"]
PathLike = str | os.PathLike[str]
HEAD = 1 << 20  # [bytes] of a file that are looked at: an XML file may begin with a long comment


@dataclass(frozen=True, kw_only=True)
class Reader:
    """A format.

    >>> reader = Reader(kind="robot", name="pebble", endings=(".pebble",), open=print)
    >>> reader.takes("arm.PEBBLE"), reader.words
    (True, '.pebble')
    """

    kind: Kind
    name: str
    endings: tuple[str, ...]
    # robot: open(path) -> Description; recording: open(path, form) -> Source, or open(path, mapping) -> Recording if `whole`
    open: Callable[..., Any]
    sniff: Callable[[Path, bytes], bool] | None = None  # from the path and its first bytes; None: the ending decides
    about: str = ""  # how help names it; left out, its endings
    whole: bool = False  # the file names joints and units itself: no columns to be understood
    usual: bool = False  # opens what has its ending, or of recordings any ending, and no other reader recognises
    listed: bool = True  # in help and messages; a reader that only explains why it refuses is not

    @property
    def words(self) -> str:
        """How help names it.

        >>> Reader(kind="robot", name="MJCF", endings=(".xml", ".mjcf"), open=print).words
        '.xml or .mjcf'
        """
        return self.about or " or ".join(self.endings)

    def takes(self, path: PathLike) -> bool:
        """Whether a file is called like one of this format.

        >>> Reader(kind="recording", name="text", endings=(".csv", ".gz"), open=print).takes("run.csv.gz")
        True
        """
        return Path(path).name.lower().endswith(self.endings)

    def recognises(self, path: PathLike, head: bytes) -> bool:
        """Whether the content is of this format; without a sniffer, whether the name is.

        >>> reader = Reader(kind="recording", name="x", endings=(".x",), open=print, sniff=lambda path, head: head == b"x")
        >>> reader.recognises("a.csv", b"x"), reader.recognises("a.x", b"y")
        (True, False)
        """
        return self.sniff(Path(path), head) if self.sniff is not None else self.takes(path) and not self.usual


_added: list[Reader] = []


def register(reader: Reader) -> Reader:
    """Add a format; of several readers that recognise a file, the one that was added last opens it.

    >>> pebble = register(Reader(kind="robot", name="pebble", endings=(".pebble",), open=print))
    >>> pebble in readers("robot"), ".pebble" in endings("robot")
    (True, True)
    >>> unregister(pebble)
    """
    _added.append(reader)
    return reader


def unregister(reader: Reader) -> None:
    """Forget a format that was added.

    >>> unregister(register(Reader(kind="robot", name="pebble", endings=(".pebble",), open=print)))
    >>> ".pebble" in endings("robot")
    False
    """
    _added.remove(reader)


def readers(kind: Kind) -> list[Reader]:
    """All formats of robots or of recordings, the usual one first, added ones last.

    >>> [reader.name for reader in readers("robot") if reader.listed]
    ['URDF', 'MJCF', 'TOML']
    """
    return [*_built_in(kind), *(reader for reader in _added if reader.kind == kind)]


@cache
def _built_in(kind: Kind) -> tuple[Reader, ...]:
    package = import_module(f"bifilar.{kind}")
    modules = [import_module(f"{package.__name__}.{m.name}") for m in iter_modules(package.__path__) if m.name[:5] == "read_"]
    found = {each.name: each for module in modules for each in vars(module).values() if isinstance(each, Reader)}
    return tuple(sorted(found.values(), key=lambda each: (not each.usual, each.name)))


def reader_for(kind: Kind, path: PathLike) -> Reader | None:
    """What opens a file; None if nothing does. A robot's file needs a known ending, a recording may be called anything.

    >>> reader_for("robot", "arm.urdf").name, reader_for("recording", "run.dat").name, reader_for("robot", "run.csv")
    ('URDF', 'text', None)
    """
    known = readers(kind)[::-1]
    fitting = sorted((reader for reader in known if reader.takes(path)), key=lambda reader: reader.usual)
    others = [] if kind == "robot" else [reader for reader in known if reader not in fitting]
    head = first_bytes(path) if fitting or others else b""
    recognised = (reader for reader in (*fitting, *others) if reader.recognises(path, head))
    fallback = [*fitting[::-1], *(reader for reader in others if reader.usual)]
    return next(recognised, None) or next(iter(fallback), None)


def first_bytes(path: PathLike) -> bytes:
    """How a file begins; nothing of a folder, or of a file that cannot be read.

    >>> first_bytes("no such file")
    b''
    """
    try:
        with open(path, "rb") as file:
            return file.read(HEAD)
    except (OSError, ValueError):  # a NUL in the name
        return b""


def is_called(kind: Kind, path: PathLike) -> bool:
    """Whether a word is called like a robot's file, or like a recording; the content of a file that exists must not object.

    >>> is_called("robot", "arm.urdf"), is_called("recording", "run.csv.gz"), is_called("recording", "run.html")
    (True, True, False)
    """
    fitting = [reader for reader in readers(kind) if reader.takes(path)]
    if kind == "recording" or not fitting or not os.path.isfile(path):
        return bool(fitting)
    head = first_bytes(path)
    return any(reader.sniff is None or reader.recognises(path, head) for reader in fitting)


def endings(kind: Kind) -> tuple[str, ...]:
    """Endings that messages list.

    >>> endings("robot")
    ('.urdf', '.xml', '.mjcf', '.toml')
    """
    return tuple(dict.fromkeys(ending for reader in readers(kind) if reader.listed for ending in reader.endings))


def formats(kind: Kind) -> tuple[str, ...]:
    """Formats as help lists them.

    >>> formats("robot")
    ('.urdf', '.xml or .mjcf', '.toml (DH table)')
    """
    return tuple(reader.words for reader in readers(kind) if reader.listed)


def without_ending(kind: Kind, path: PathLike) -> str:
    """A file's name without the endings that are known.

    >>> without_ending("recording", "logs/run.csv.gz"), without_ending("recording", "run")
    ('run', 'run')
    """
    name = Path(path).name
    every = sorted({ending for reader in readers(kind) for ending in reader.endings}, key=len, reverse=True)
    while found := next((ending for ending in every if name.lower().endswith(ending) and len(name) > len(ending)), ""):
        name = name[: -len(found)]
    return name


def joined(parts: Sequence[str], last: str = "or") -> str:
    """A list in words.

    >>> joined((".urdf", ".xml", ".toml"))
    '.urdf, .xml or .toml'
    """
    return f" {last} ".join(part for part in (", ".join(parts[:-1]), *parts[-1:]) if part)

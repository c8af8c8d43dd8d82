"""Code to disk: files under temporary names until they were compiled and compared, then all of them get their names."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import NamedTuple

import numpy as np

from bifilar.errors import ResourceError
from bifilar.export.c_check import checked
from bifilar.export.c_code import c_code, file_names
from bifilar.export.formats import FOLDERS, Format
from bifilar.export.numpy_code import checked_numpy
from bifilar.export.traced import Program
from bifilar.robot.model import Model
from bifilar.robot.write_file import Draft

NOT_VERIFIED = "no C compiler was found (cc, gcc, clang or what CC names): the code was neither compiled nor compared"


class Written(NamedTuple):
    """What is to be said of code.

    >>> Written("gcc 12", 1e-15, ()).reader
    'gcc 12'
    """

    reader: str  # who compiled it or ran it; "" if nobody could
    worst: float  # largest relative difference
    said: tuple[str, ...]


class Drafts:
    """Files of one folder that have no names yet; the folder is made if it is not there.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp(), "arm_c")
    >>> Drafts(folder, {"arm.c": "int arm;"}).discard()
    >>> folder.exists()
    False
    """

    def __init__(self, folder: str | os.PathLike[str], files: dict[str, str]) -> None:
        self.folder, self._made, self._drafts = Path(folder), False, list[Draft]()
        try:
            self._made = not self.folder.exists()
            self.folder.mkdir(exist_ok=True)
            for name, text in files.items():
                self._drafts.append(Draft(self.folder / name, text.encode("utf-8")))
        except OSError as error:
            self.discard()
            raise ResourceError(
                "folder.unwritable/write_code", where=os.fspath(folder), strerror=error.strerror or error
            ) from None
        except BaseException:
            self.discard()
            raise

    def take_name(self) -> None:
        """Give every file its name."""
        for draft in self._drafts:
            draft.take_name()

    def discard(self) -> None:
        """Remove what has no name yet, and the folder if it was made for it."""
        for draft in self._drafts:
            draft.discard()
        if self._made:
            with contextlib.suppress(OSError):  # somebody else put something there
                self.folder.rmdir()


def code_name(path: str | os.PathLike[str], format: Format) -> str:
    """What the functions are called after: the name of the file or folder.

    >>> code_name("libs/panda_c", "C"), code_name("arm.py", "NumPy")
    ('panda', 'arm')
    """
    stem = Path(path).name.partition(".")[0]
    return stem.removesuffix(FOLDERS.get(format, "")) or stem


def code_paths(path: str | os.PathLike[str], format: Format) -> list[Path]:
    """Every file that will be written.

    >>> [file.name for file in code_paths("panda_c", "C")]
    ['panda.h', 'panda.c', 'panda_test.c', 'CMakeLists.txt']
    """
    return [Path(path, name) for name in file_names(code_name(path, format))]


def drafted(model: Model, path: str | os.PathLike[str], format: Format) -> tuple[Draft | Drafts, Written]:
    """The files under temporary names, and what is to be said of them.

    >>> import tempfile
    >>> draft, written = drafted(bf.Robot.load("pendulum"), tempfile.mkdtemp() + "/swing.py", "NumPy")
    >>> draft.discard()
    >>> written.reader.split()[0], written.worst < 1e-12
    ('NumPy', True)
    """
    name, where = code_name(path, format), os.fspath(path)
    if format == "NumPy":
        text, off, program = checked_numpy(model, name, where)
        return Draft(path, text.encode("utf-8")), Written(f"NumPy {np.__version__}", max(off.values()), _said(program))
    code = c_code(model, name)
    found = checked(code.files, code.name, where)
    written = Written(found.compiler if found else "", found.worst if found else float("nan"), _said(code.program))
    return Drafts(path, code.files), written


def _said(program: Program) -> tuple[str, ...]:
    """What the code holds."""
    count = f"{program.function('inverse_dynamics').operations} operations for inverse dynamics"
    return f"{len(program.functions)} functions of {len(program.joints)} joints", count

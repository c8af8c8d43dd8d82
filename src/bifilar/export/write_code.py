"""Code to disk: files under temporary names until they were compiled and compared, then all of them get their names."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from bifilar.errors import ResourceError
from bifilar.export.c_check import checked
from bifilar.export.c_code import c_code, file_names
from bifilar.export.formats import FOLDERS, Format
from bifilar.robot.model import Model
from bifilar.robot.write_file import REMEDY, Draft

NOT_VERIFIED = "no C compiler was found (cc, gcc, clang or what CC names): the code was neither compiled nor compared"


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
            what = f"the folder cannot be written: {error.strerror or error}"
            raise ResourceError(what, where=os.fspath(folder), remedy=REMEDY) from None
        except BaseException:
            self.discard()
            raise

    def take_name(self) -> None:
        """Give every file its name.

        >>> Drafts.take_name.__name__
        'take_name'
        """
        for draft in self._drafts:
            draft.take_name()

    def discard(self) -> None:
        """Remove what has no name yet, and the folder if it was made for it.

        >>> Drafts.discard.__name__
        'discard'
        """
        for draft in self._drafts:
            draft.discard()
        if self._made:
            with contextlib.suppress(OSError):  # somebody else put something there
                self.folder.rmdir()


def code_name(path: str | os.PathLike[str], format: Format) -> str:
    """What the functions are called after: the name of the file or folder.

    >>> code_name("libs/panda_c", "C"), code_name("arm.py", "C")
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


def drafted_c(model: Model, path: str | os.PathLike[str]) -> tuple[Drafts, str, float, tuple[str, ...]]:
    """The files, who compiled them (nobody: ""), the largest difference, and what is in them.

    >>> import tempfile
    >>> draft, compiler, off, said = drafted_c(bf.Robot.load("pendulum"), tempfile.mkdtemp() + "/swing_c")
    >>> draft.discard()
    >>> off < 1e-12 or not compiler
    True
    """
    code = c_code(model, code_name(path, "C"))
    found = checked(code.files, code.name, os.fspath(path))
    names = [function.name for function in code.program.functions]
    said = f"{', '.join(names)} of {len(code.program.joints)} joints"
    count = f"{code.program.function('inverse_dynamics').operations} operations for inverse dynamics"
    draft = Drafts(path, code.files)
    return draft, found.compiler if found else "", found.worst if found else float("nan"), (said, count)

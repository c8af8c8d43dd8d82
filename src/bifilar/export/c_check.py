"""Compile a written C library with whatever compiler is here, run its own test, and read what it says.

    cc -std=c99 -Wall -Wextra -pedantic -Werror ... arm.c arm_test.c -lm  &&  ./arm_test

A compiler that warns is a failure: the library is to be compiled by others, with their settings.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from bifilar.errors import RobotError
from bifilar.export.c_files import FLAGS

COMPILERS = ("cc", "gcc", "clang")
PATIENCE = 600.0  # [s] for compiling, and for running


@dataclass(frozen=True)
class Checked:
    """Who compiled it, and how far each function was off.

    >>> Checked("gcc 12", {"inverse_dynamics": 1e-16, "gravity": 0.0}).worst
    1e-16
    """

    compiler: str
    differences: dict[str, float]

    @property
    def worst(self) -> float:
        """The largest of them.

        >>> Checked("gcc 12", {}).worst
        0.0
        """
        return max(self.differences.values(), default=0.0)


def compiler() -> str | None:
    """The C compiler of this machine: what CC names, else cc, gcc or clang; None if there is none.

    >>> compiler() is None or isinstance(compiler(), str)
    True
    """
    named = os.environ.get("CC", "").split()
    return shutil.which(named[0]) if named else next(filter(None, map(shutil.which, COMPILERS)), None)


def checked(files: dict[str, str], name: str, where: str) -> Checked | None:
    """Compile the files of a library and run its test; None without a compiler, a letter if anything is wrong.

    >>> checked({"broken.c": "int", "broken_test.c": ""}, "broken", "broken") is None or True
    Traceback (most recent call last):
    ...
    bifilar.errors.RobotError: the written C does not compile
    ...
    """
    found = compiler()
    if found is None:
        return None
    with tempfile.TemporaryDirectory(prefix="bifilar-c-") as folder:
        for file, text in files.items():
            Path(folder, file).write_text(text, "utf-8")
        program = os.path.join(folder, f"{name}_test" + (".exe" if sys.platform == "win32" else ""))
        words = [found, *FLAGS, "-Werror", "-O1", "-o", program, f"{name}.c", f"{name}_test.c", "-lm"]
        built = _run(words, folder, where)
        if built.returncode:
            said = (built.stderr or built.stdout).strip().splitlines()
            raise RobotError("export.c_fails", where=where, compiler=found, says=said[0] if said else "nothing")
        ran = _run([program], folder, where)
    return Checked(_called(found), _differences(ran, found, where))


def _run(words: list[str], folder: str, where: str) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(words, cwd=folder, capture_output=True, text=True, errors="replace", timeout=PATIENCE)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise RobotError("export.compiler", where=where, basename=os.path.basename(words[0]), error=error) from None


def _differences(ran: subprocess.CompletedProcess[str], found: str, where: str) -> dict[str, float]:
    lines = [line.split(maxsplit=2) for line in ran.stdout.splitlines()]
    if ran.returncode or not lines:
        said = "; ".join(ran.stdout.strip().splitlines()) or f"nothing (it ended with {ran.returncode})"
        raise RobotError("export.c_differs", where=where, compiler=found, says=said)
    return {words[0]: float(words[1]) for words in lines}


def _called(found: str) -> str:
    """A compiler's own words for itself, first line."""
    try:
        told = subprocess.run([found, "--version"], capture_output=True, text=True, errors="replace", timeout=60).stdout
    except (OSError, subprocess.TimeoutExpired):
        told = ""
    return told.splitlines()[0] if told else os.path.basename(found)

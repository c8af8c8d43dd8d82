"""The folder of a run: whether a name may be taken, asked before the work, and what it remembers of the files it read."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from bifilar.cli.design_files import TakenError
from bifilar.errors import BifilarError, ResourceError
from bifilar.export.run_folder import real, tidy
from bifilar.robot.write_file import remove_stale
from bifilar.run_files import ABOUT, ESTIMATE, FILES, PREDICTOR, file_hash


class RunError(BifilarError):
    """There is no run, or it cannot be read.

    >>> RunError("there is no run here").exit_code
    3
    """


def may_be_made(folder: Path, *, force: bool = False, forced_by: str = "--force replaces it, or ") -> None:
    """Refuse a name that is taken or cannot be written; what killed runs left beside it is removed first.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> (folder / "thesis.txt").touch()
    >>> may_be_made(folder, force=True)
    Traceback (most recent call last):
    ...
    bifilar.cli.design_files.TakenError: the folder holds files that are not part of a run: thesis.txt
    ...
    """
    above = real(folder).parent
    tidy(above)
    if folder.exists():
        if not folder.is_dir():
            raise TakenError("folder.is_file/fit_folder", where=str(folder))
        known = FILES if (folder / ABOUT).is_file() else set()
        for name in known:
            remove_stale(str(folder / name))  # as a killed `report` leaves one
        strange = sorted(entry.name for entry in folder.iterdir() if entry.name not in known)
        inner = folder / PREDICTOR
        if inner.is_dir():
            strange += sorted(f"{PREDICTOR}/{entry.name}" for entry in inner.iterdir() if entry.name not in ESTIMATE)
        if strange:
            more = f" and {len(strange) - 1} more" if len(strange) > 1 else ""
            raise TakenError("folder.strange/fit_folder", where=str(folder), strange=strange[0], more=more)
        if not force and any(folder.iterdir()):
            raise TakenError("folder.taken/fit_folder", where=str(folder), forced_by=forced_by)
    while not above.exists() and above != above.parent:
        above = above.parent
    if not above.is_dir() or not os.access(above, os.W_OK):
        why = "is a file" if not above.is_dir() else "may not be written"
        raise ResourceError("folder.unwritable/fit_folder", where=str(folder), above=above, why=why)


def input_facts(name: str) -> dict[str, Any]:
    """What a run remembers of a file: where it is, and the hash of its content; None for names that are no files.

    >>> input_facts("panda")["sha256"] is None
    True
    """
    path = Path(name)
    return {"name": str(path.resolve()) if path.is_file() else name, "given": name, "sha256": file_hash(path)}

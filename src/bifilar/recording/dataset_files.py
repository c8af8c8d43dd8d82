"""Where files of a public set are: in the folder BIFILAR_DATA names, in the user's cache, else downloaded into it.

Checksums are those of the unpacked content: a copy may be packed with gzip. A file whose checksum differs is never read.
Nothing is downloaded but from the address that the set's entry states.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from urllib.parse import quote

from bifilar.errors import RecordingError, one_line

BLOCK = 2**20  # [bytes] read at once
LARGEST = 2**30  # [bytes] that a file may unpack to


@dataclass(frozen=True)
class DataFile:
    """A file of a set.

    >>> DataFile("q.csv", "0" * 64, "https://github.com/some/arm", "abc", "data/q 1.csv").address
    'https://github.com/some/arm/raw/abc/data/q%201.csv'
    """

    name: str
    sha256: str  # of the unpacked content
    repository: str = ""
    commit: str = ""
    path: str = ""  # in the repository; "" if the file is not there under any known name

    @property
    def address(self) -> str:
        """Where it can be downloaded; "" if it cannot.

        >>> DataFile("arm.urdf", "0" * 64).address
        ''
        """
        return f"{self.repository}/raw/{self.commit}/{quote(self.path)}" if self.path else ""


def cache_folder(name: str) -> Path:
    """The user's copy of a set.

    >>> cache_folder("panda_gaz").name
    'panda_gaz'
    """
    home = os.environ.get("LOCALAPPDATA") if os.name == "nt" else os.environ.get("XDG_CACHE_HOME")
    own = os.environ.get("BIFILAR_CACHE")
    return (Path(own) if own else Path(home or Path.home() / ".cache") / "bifilar") / "datasets" / name


def folder_of(name: str, files: Iterable[DataFile]) -> Path:
    """A folder that holds all these files, each with the right checksum; what is missing is downloaded.

    >>> folder_of("nothing", []) == cache_folder("nothing")
    True
    """
    wanted = list(files)
    shared = os.environ.get("BIFILAR_DATA", "")
    place = Path(shared) / name if shared else None
    if place is not None and place.is_dir() and all(present(place, file.name) for file in wanted):
        folder = place
    else:
        folder = cache_folder(name)
        for file in wanted:
            if present(folder, file.name) is None:
                _download(name, file, folder)
    for file in wanted:
        _verify(name, file, folder)
    return folder


def present(folder: Path, name: str) -> Path | None:
    """The file, plain or packed, if it is there.

    >>> present(Path("nowhere"), "q.csv") is None
    True
    """
    return next((place for place in (folder / name, folder / f"{name}.gz") if place.is_file()), None)


def checksum(path: Path) -> str:
    """SHA-256 of the content, unpacked if it is a .gz.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp(), "a.txt.gz")
    >>> _ = file.write_bytes(gzip.compress(b"abc"))
    >>> checksum(file)[:8]
    'ba7816bf'
    """
    stat = path.stat()
    return _checksum(str(path), stat.st_mtime_ns, stat.st_size)


@lru_cache(maxsize=256)
def _checksum(path: str, _changed: int, _size: int) -> str:
    found, length = hashlib.sha256(), 0
    opened = gzip.open(path, "rb") if path.endswith(".gz") else open(path, "rb")
    with opened as file:
        while block := file.read(BLOCK):
            length += len(block)
            if length > LARGEST:
                raise RecordingError("file.bomb/dataset_files", where=path)
            found.update(block)
    return found.hexdigest()


def _verify(name: str, file: DataFile, folder: Path) -> None:
    place = present(folder, file.name)
    assert place is not None
    try:
        found = checksum(place)
    except (OSError, EOFError, zlib.error) as error:
        raise RecordingError("file.unreadable/dataset_files", where=str(place), name=name, error=error) from None
    if found != file.sha256:
        raise RecordingError(
            "download.changed/dataset_files",
            where=str(place),
            expected=f"sha256 {file.sha256}",
            found=f"sha256 {found}",
            name=place.name,
            name_2=name,
        )


def _download(name: str, file: DataFile, folder: Path) -> None:
    if not file.address:
        source = file.repository or "nobody offers it for download"
        raise RecordingError("download.no_address", source=source, name=file.name, name_2=name, folder=folder)
    try:
        import pooch
    except ModuleNotFoundError:
        raise RecordingError(
            "package.missing/dataset_files", source=file.address, name=file.name, name_2=name, folder=folder
        ) from None
    pooch.get_logger().setLevel("ERROR")
    try:
        got = pooch.retrieve(file.address, None, fname=file.name, path=folder, progressbar=False)
    except ValueError as error:
        raise RecordingError(
            "download.failed/dataset_files", source=file.address, name=file.name, name_2=name, error=error, folder=folder
        ) from None
    except OSError as error:  # no network, a proxy that refuses, no such address, a full disk: requests' errors are OSErrors
        reason = one_line(error)[:200]
        answered = getattr(error, "response", None) is not None
        raise RecordingError(
            "download.failed/download" if answered else "download.failed/dataset_files_download",
            source=file.address,
            reason=reason,
            name=file.name,
            name_2=name,
            folder=folder,
        ) from None
    if pooch.file_hash(got) != file.sha256:
        os.remove(got)
        raise RecordingError("download.changed/download", source=file.address, name=file.name, name_2=name, folder=folder)

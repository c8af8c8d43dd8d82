"""Formats of the files that bifilar writes and reads again: their names and versions, in one place.

A file says under the key `format` what it is: "bifilar run 1" is version 1 of a run. Every writer takes that text from here
(`RUN.stamp`), and every reader asks here whether it may go on (`RUN.check`, or `LIMITS.unstamped` for a table whose other keys
are checked one by one). A file without the key is of the time before versions, or was written by hand, and counts as version 0.

Columns of CSV files, URDF and other formats that programs share have no version of ours: their headers say what they hold.

To change a format: raise its `version`, and let its reader take the old ones too. Where that cannot be done, raise `oldest`
and give the command that converts a file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bifilar.errors import FormatError

KEY = "format"
DOTS = 400  # of one line of TOML: tomllib takes the square of a key's parts
NESTED = 20_000  # brackets of a TOML file
_STAMP = re.compile(r"bifilar ([a-z]+) ([0-9]{1,6})")


@dataclass(frozen=True)
class Format:
    """A format: its name, the version that is written, and the oldest that is read (0: files without a version).

    >>> Format("run", 3, "a run folder").stamp
    'bifilar run 3'
    """

    name: str
    version: int
    what: str  # in words, with an article
    oldest: int = 0
    convert: str = ""  # the command that converts older files; {file} is the file's name

    @property
    def stamp(self) -> str:
        """What a file of this format carries under `format`.

        >>> RUN.stamp
        'bifilar run 1'
        """
        return f"bifilar {self.name} {self.version}"

    def check(self, content: Mapping[str, Any], where: str = "") -> int:
        """The version of what was read from a file; what cannot be read is refused.

        >>> LIMITS.check({"format": "bifilar limits 1"}), LIMITS.check({"joints": {}})
        (1, 0)
        >>> LIMITS.check({"format": "bifilar limits 9"}, "limits.toml")
        Traceback (most recent call last):
        ...
        bifilar.errors.FormatError: a limits file of version 9 cannot be read: this bifilar knows versions up to 1
          where   limits.toml
          found   9
          known   1
          likely  it was written by a newer bifilar
          try     update bifilar, or write the file again with this one
        """
        stated = content.get(KEY)
        version = 0 if stated is None else self._version(stated, where)
        if version > self.version:
            raise FormatError("format.newer", where=where, found=version, known=self.version, thing=self.what)
        if version < self.oldest:
            age = f"of version {version}" if version else "without a version"
            raise FormatError(
                "format.older",
                where=where,
                found=version,
                known=self.version,
                thing=self.what,
                age=age,
                oldest=self.oldest,
                remedy=self.convert.format(file=where or "FILE"),
            )
        return version

    def unstamped(self, content: Mapping[str, Any], where: str = "") -> dict[str, Any]:
        """The content without its format, which is checked.

        >>> MAPPING.unstamped({"format": "bifilar mapping 1", "joints": ["hip"]})
        {'joints': ['hip']}
        """
        self.check(content, where)
        return {key: value for key, value in content.items() if key != KEY}

    def _version(self, stated: object, where: str) -> int:
        found = _STAMP.fullmatch(stated) if isinstance(stated, str) else None
        if found is not None and found[1] == self.name and int(found[2]) > 0:
            return int(found[2])
        other = FORMATS.get(found[1]) if found is not None else None
        known = other is not None and other.name != self.name
        raise FormatError(
            "format.other" if known else "format.unknown",
            where=where,
            found=str(stated)[:60],
            known=self.stamp,
            other=other.what if other else "",
            expected=self.what,
        )


RUN = Format("run", 1, "a run folder")
ESTIMATE = Format("estimate", 1, "a saved estimate")
PARAMETERS = Format("parameters", 1, "a table of parameters")
CERTIFICATE = Format("certificate", 1, "a certificate")
SIMPLIFY = Format("simplify", 1, "a simplification folder")
WALK = Format("walk", 1, "a walker's fit")
RECORDING = Format("recording", 1, "a recording")
MOTION = Format("motion", 1, "a motion")
SETTINGS = Format("settings", 1, "a settings file")
MAPPING = Format("mapping", 1, "a mapping file")
LIMITS = Format("limits", 1, "a limits file")
SENSORS = Format("sensors", 1, "a sensors file")
DH = Format("dh", 1, "a DH table")
PATH = Format("path", 1, "a path file")

FORMATS = {
    each.name: each
    for each in (
        *(RUN, ESTIMATE, PARAMETERS, CERTIFICATE, SIMPLIFY, WALK, RECORDING, MOTION),
        *(SETTINGS, MAPPING, LIMITS, SENSORS, DH, PATH),
    )
}


def toml_table(text: str) -> dict[str, Any]:
    """A TOML text as a table; whatever is wrong with it, also what would take too long, is tomllib's error.

    >>> toml_table("a.b = 1.5")
    {'a': {'b': 1.5}}
    """
    import tomllib

    if max((line.count(".") for line in text.splitlines()), default=0) > DOTS:
        raise tomllib.TOMLDecodeError(f"a line with more than {DOTS} dots")
    if max(text.count(mark) for mark in "[{") > NESTED:
        raise tomllib.TOMLDecodeError(f"more than {NESTED} brackets")
    try:
        return tomllib.loads(text.replace("\r\n", "\n"))
    except tomllib.TOMLDecodeError:
        raise
    except (RecursionError, OverflowError, ValueError) as error:
        raise tomllib.TOMLDecodeError(f"nested too deep, or a huge number: {str(error)[:100]}") from None

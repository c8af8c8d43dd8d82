"""`--settings FILE`: options of any command from a TOML file. What is typed wins over what the file says.

    format = "bifilar settings 1"    # may be left out
    cutoff = 8.0                     # for every command that reads the file
    lock = ["finger*"]

    [fit]                            # for this command only
    test = ["other.csv"]
    friction = "viscous+coulomb:width=0.01"

Keys are the options' long names, with - or _; those without dashes in the help (ROBOT, LOG) by their names in small letters.
Paths are those that one would type: seen from where one stands.
"""

from __future__ import annotations

import types
from collections.abc import Iterable
from dataclasses import MISSING, fields
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

from bifilar.cli.guard import UsageError
from bifilar.errors import BifilarError
from bifilar.formats import SETTINGS, toml_table
from bifilar.robot.table import toml_place

MOST = 1 << 20  # [bytes] of a file of settings


class SettingsError(BifilarError):
    """A file of settings cannot be read, or says what no option says.

    >>> SettingsError("there is no setting 'cutof'").exit_code
    3
    """


class Given(NamedTuple):
    """What a file says for one command: values by the names of its settings, and flags, which are added after the words.

    >>> Given("fit.toml", {"cutoff": 8.0}, frozenset({"force"})).flags
    frozenset({'force'})
    """

    file: str
    values: dict[str, Any]
    flags: frozenset[str]


def taken_out(words: list[str]) -> tuple[list[str], str | None]:
    """The words without `--settings FILE`, and the file.

    >>> taken_out(["panda", "--settings", "fit.toml", "--json"])
    (['panda', '--json'], 'fit.toml')
    """
    rest: list[str] = []
    files: list[str] = []
    waiting = False
    for word in words:
        if waiting:
            files.append(word)
        elif word.startswith("--settings="):
            files.append(word.partition("=")[2])
        elif word != "--settings":
            rest.append(word)
        waiting = word == "--settings" and not waiting
    if waiting or any(not file or file.startswith("--") for file in files):
        raise UsageError("usage.value/settings_file")
    if len(files) > 1:
        raise UsageError("usage.twice/settings_file")
    return rest, files[0] if files else None


def read_settings(file: str, settings: type, verb: str, verbs: Iterable[str]) -> Given:
    """What a file says for a command.

    >>> import tempfile
    >>> from bifilar.cli.fit import Settings
    >>> path = tempfile.mkdtemp() + "/fit.toml"
    >>> with open(path, "w") as file:
    ...     _ = file.write('cutof = 8.0')
    >>> read_settings(path, Settings, "fit", ["fit", "check"])
    Traceback (most recent call last):
    ...
    bifilar.cli.settings_file.SettingsError: there is no setting 'cutof' of 'bifilar fit'
    ...
    """
    table = SETTINGS.unstamped(_read(file), file)
    hints, known = get_type_hints(settings), {field.name: field for field in fields(settings)}
    own: dict[str, Any] = {}
    tables = {key: value for key, value in table.items() if key in verbs and isinstance(value, dict)}
    for key, value in ({k: v for k, v in table.items() if k not in tables} | tables.get(verb, {})).items():
        name = key.replace("-", "_")
        if name not in known or isinstance(value, dict):
            raise _unknown(key, file, verb, list(known), [k for k in tables if k != verb], list(verbs))
        own[name] = _value(value, hints[name], key, file)
    flags = {name for name, value in own.items() if hints[name] is bool}
    return Given(file, {k: v for k, v in own.items() if k not in flags}, frozenset(k for k in flags if own[k]))


def default_of(settings: type, given: Given) -> Any:
    """Settings with the file's values as defaults; what neither file nor class says is asked of the words.

    >>> from bifilar.cli.fit import Settings
    >>> default_of(Settings, Given("fit.toml", {"robot": "panda", "logs": ("a.csv",), "cutoff": 8.0}, frozenset())).cutoff
    8.0
    """
    import tyro

    missing = {
        field.name: tyro.MISSING
        for field in fields(settings)
        if field.default is MISSING and field.default_factory is MISSING and field.name not in given.values
    }
    return settings(**missing, **given.values)


def without_negations(words: list[str], given: Given) -> tuple[list[str], frozenset[str]]:
    """Words without `--no-force` and the like, and the flags of the file that they leave.

    >>> without_negations(["panda", "--no-force"], Given("", {}, frozenset({"force", "json"})))
    (['panda'], frozenset({'json'}))
    """
    option = {flag: flag.replace("_", "-") for flag in given.flags}
    off = {f"--{name[3:]}" if name.startswith("no-") else f"--no-{name}": flag for flag, name in option.items()}
    denied = {off[word] for word in words if word in off}
    return [word for word in words if word not in off], given.flags - denied


def _read(file: str) -> dict[str, Any]:
    import tomllib

    try:
        with open(file, "rb") as stream:
            data = stream.read(MOST + 1)
        if len(data) > MOST:
            raise SettingsError("file.too_large/settings_file", where=file)
        return toml_table(data.decode("utf-8-sig"))
    except OSError as error:
        raise SettingsError("file.unreadable/settings_file", where=file, strerror=error.strerror) from None
    except UnicodeDecodeError:
        raise SettingsError("file.not_text/settings_file", where=file) from None
    except tomllib.TOMLDecodeError as error:
        what, line, _ = toml_place(error)
        where = f"{file}:{line or len(data.splitlines()) or 1}"  # else: at the end
        raise SettingsError("toml.invalid/settings_file", where=where, thing=what) from None


def _unknown(key: str, file: str, verb: str, known: list[str], tables: list[str], verbs: list[str]) -> SettingsError:
    from difflib import get_close_matches

    shown = [name.replace("_", "-") for name in known]
    near = get_close_matches(key.replace("_", "-").lower(), shown, 1, 0.7) or get_close_matches(key, verbs, 1, 0.7)
    likely = f"a misspelling of '{near[0]}'" if near else ""
    if tables and not near:
        likely = f"it belongs to another command: put it below [{tables[0]}]"
    return SettingsError("settings.key_unknown", where=file, settings=shown, entry=key, verb=verb, likely=likely)


def _value(value: Any, hint: Any, key: str, file: str) -> Any:
    """A value of TOML as a setting has it; one word where a list is asked for will do."""
    if get_origin(hint) is tuple:
        entries = value if isinstance(value, list) else [value]
        return tuple(_value(entry, get_args(hint)[0], key, file) for entry in entries)
    if get_origin(hint) in (Union, types.UnionType):
        return _of_any(value, [part for part in get_args(hint) if part is not type(None)], key, file)
    if get_origin(hint) is Literal:
        if value in get_args(hint):
            return value
        raise SettingsError("settings.value/settings_file", where=file, entry=key, toml=_toml(value), get_args=get_args(hint))
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if hint is float and number:
        return float(value)
    if (hint is int and number and value == int(value)) or (hint in (str, bool) and isinstance(value, hint)):
        return hint(value)
    wanted = {float: "a number", int: "a whole number", bool: "true or false", str: "a text in quotes"}[hint]
    raise SettingsError("settings.value/value", where=file, entry=key, toml=_toml(value), wanted=wanted)


def _of_any(value: Any, hints: list[Any], key: str, file: str) -> Any:
    """A value that may be of several kinds, such as a number or the word auto."""
    words = [word for part in hints if get_origin(part) is Literal for word in get_args(part)]
    if value in words:
        return value
    kind = next(part for part in hints if get_origin(part) is not Literal)
    try:
        return _value(value, kind, key, file)
    except SettingsError as error:
        error.remedy = f"{error.remedy}, or {' or '.join(map(repr, words))}" if words and error.remedy else error.remedy
        raise


def _toml(value: Any) -> str:
    return {True: "true", False: "false"}.get(value, repr(value)) if isinstance(value, bool) else repr(value)

"""Friction as one line of text, and back: `viscous+coulomb:width=0.01+stribeck:speed=0.05@elbow,wrist*`.

    text     none, or terms joined by '+'
    term     WORD[:SETTING,...][@PLACE,...]        without places: every joint
    setting  NAME=VALUE, or the name alone of one that is on or off
    place    a joint or motor, or a pattern of their names (* ? [...])

Words and settings are those of the classes in bifilar.robot.friction: a new term or a new field can be written at once, and
help, completion and error messages list it. A character of a name that means something here, or to a shell, is written as
%2B: a percent sign and two hexadecimal digits for each byte of its UTF-8.
"""

from __future__ import annotations

import fnmatch
import glob
import re
from collections.abc import Sequence
from dataclasses import MISSING, fields
from difflib import get_close_matches
from typing import Any, NamedTuple, get_type_hints
from urllib.parse import quote, unquote

from bifilar.errors import RobotError
from bifilar.robot.friction import TERMS, WIDTH, Friction, Term, word_of

EXAMPLE = "viscous+coulomb+offset"
NONE = "none"
CLOSE = 0.75  # likeness of two words from which on one may be meant by the other
ESCAPE = re.compile(r"((?:%[0-9A-Fa-f]{2})+)")
PLAIN = "_-./~"  # characters of a name that stay as they are, beside letters and digits
BETWEEN = re.compile(r"\+(?![0-9])")  # no word begins with a digit: the plus of 1e+3 is part of a number


class Setting(NamedTuple):
    """A setting of a term: its name, the type of its value, and whether a term can do without.

    >>> Setting("speed", float, True).name
    'speed'
    """

    name: str
    kind: type
    required: bool


class Asked(NamedTuple):
    """A term that was asked for, and the settings that were given by name: others are the class's own.

    >>> asked("coulomb:width=0")[0].given
    frozenset({'width'})
    """

    term: Term
    given: frozenset[str]

    @property
    def is_open(self) -> bool:
        """Whether its sign has a width and none was given.

        >>> [one.is_open for one in asked("viscous+coulomb+coulomb:width=0")]
        [False, True, False]
        """
        return hasattr(self.term, "width") and "width" not in self.given


def settings_of(kind: type[Term]) -> tuple[Setting, ...]:
    """Settings that a term has, places aside.

    >>> [setting.name for setting in settings_of(bf.Stribeck)]
    ['speed', 'width', 'asymmetric', 'driven_by']
    """
    hints = get_type_hints(kind)
    common = {field.name for field in fields(Term)}
    left_out = {"at"} if kind.directional else common
    found = [
        Setting(f.name, hints[f.name] if hints[f.name] in (float, int, bool) else str, f.default is MISSING)
        for f in fields(kind)
        if f.name not in left_out
    ]
    return tuple(sorted(found, key=lambda one: (one.name in common, not one.required, one.name)))


def words() -> tuple[str, ...]:
    """All words for terms.

    >>> words()[:3]
    ('viscous', 'coulomb', 'offset')
    """
    return tuple(map(word_of, TERMS))


def example_of(kind: type[Term]) -> str:
    """A term with the settings that it cannot do without.

    >>> example_of(bf.Stribeck), example_of(bf.Viscous)
    ('stribeck:speed=0.05', 'viscous')
    """
    needed = [f"{one.name}={_sample(kind, one.name)}" for one in settings_of(kind) if one.required]
    return ":".join([word_of(kind), *([",".join(needed)] if needed else [])])


def asked(text: str, names: Sequence[str] | None = None) -> tuple[Asked, ...]:
    """The terms of a text with what was said of each. With `names` of joints and motors, places are looked up among them.

    >>> asked("stribeck:speed=0.05@wrist*", ["elbow", "wrist1", "wrist2"])[0].term.at
    ('wrist1', 'wrist2')
    """
    if text.strip().lower() == NONE:
        return ()
    return tuple(dict.fromkeys(_asked(part.strip(), names) for part in BETWEEN.split(text)))


def friction_from_text(text: str, names: Sequence[str] | None = None) -> Friction:
    """Terms of a text.

    >>> friction_from_text("viscous+power:exponent=0.5").terms[1].exponent
    0.5
    >>> friction_from_text("stribek:speed=0.05")
    Traceback (most recent call last):
    ...
    bifilar.errors.RobotError: there is no friction term 'stribek'
      terms   viscous, coulomb, offset, stribeck, power, load, position, rotor
      likely  a misspelling of 'stribeck'
      try     stribeck:speed=0.05
    """
    return Friction(tuple(one.term for one in asked(text, names)))


def friction_text(friction: Friction) -> str:
    """Terms as a text. Settings that are the class's own are left out, but for the width of a sign: left out, it is open.

    >>> friction_text(bf.Viscous(asymmetric=True) + bf.Coulomb(at=("elbow", "left wrist")))
    'viscous:asymmetric+coulomb:width=0@elbow,left%20wrist'
    """
    return "+".join(term_text(term) for term in friction if term.at != ()) or NONE


def term_text(term: Term) -> str:
    """One term as a text.

    >>> term_text(bf.PositionDependent(harmonic=2, at="elbow"))
    'position:harmonic=2,width=0@elbow'
    """
    usual = {field.name: field.default for field in fields(term)}
    values = [(one, getattr(term, one.name)) for one in settings_of(type(term))]
    said = ",".join(_written(one, value) for one, value in values if value != usual[one.name] or one.name == "width")
    settings = f":{said}" if said else ""
    places = "" if term.at is None else f"@{','.join(_escaped(name) for name in term.at)}"
    return f"{word_of(type(term))}{settings}{places}"


def _written(setting: Setting, value: Any) -> str:
    if setting.kind is bool:
        return setting.name
    if setting.kind is str:
        return f"{setting.name}={_escaped(value)}"
    return f"{setting.name}={repr(setting.kind(value)).replace('e+', 'e').removesuffix('.0')}"


def _sample(kind: type[Term], name: str) -> str:
    """A value of a setting, for examples only."""
    return next((f"{one.example:g}" for one in (*kind.law.settings, WIDTH) if one.name == name), "joint6")


def _escaped(name: str) -> str:
    return "".join(c if c.isalnum() else quote(c, safe=PLAIN, errors="surrogatepass") for c in name)


def _plain(part: str, entry: str) -> str:
    """A name without its escapes."""
    try:
        return unquote(entry, errors="surrogatepass")
    except UnicodeDecodeError:
        raise RobotError("friction.text/friction_text", part=part, entry=entry) from None


def _asked(part: str, names: Sequence[str] | None) -> Asked:
    head, at, places = part.partition("@")
    word, colon, said = head.partition(":")
    kind = _kind(word.strip().lower())
    if (colon and not said.strip()) or (at and not places.strip()):
        empty, instead = ("setting", example_of(kind)) if colon and not said.strip() else ("joint", f"{example_of(kind)}@elbow")
        raise RobotError(
            "friction.text/asked", part=part, empty=empty, words=":" if empty == "setting" else "@", remedy=instead
        )
    given: dict[str, Any] = {}
    for entry in said.split(",") if colon else ():
        name, value = _setting(kind, entry.strip(), names)
        if name in given:
            raise RobotError("friction.text/friction_text_asked", part=part, name=name)
        given[name] = value
    missing = [one.name for one in settings_of(kind) if one.required and one.name not in given]
    if missing:
        raise RobotError("friction.text/friction_text_asked_2", part=part, missing=missing, remedy=example_of(kind))
    everywhere: dict[str, Any] = {"at": _places(part, places.split(","), names)} if at else {}
    return Asked(kind(**given, **everywhere), frozenset(given))


def _kind(word: str) -> type[Term]:
    known = {term.law.word: term for term in TERMS} | {word_of(term): term for term in TERMS}
    if word in known:
        return known[word]
    near = get_close_matches(word, known, 1, CLOSE)
    raise RobotError(
        "friction.unknown/friction_text" if word else "friction.unknown/empty",
        word=word,
        terms=words(),
        near=near,
        example=example_of(known[near[0]]) if near else EXAMPLE,
    )


def _setting(kind: type[Term], entry: str, names: Sequence[str] | None) -> tuple[str, Any]:
    name, sign, text = (piece.strip() for piece in entry.partition("="))
    known = {one.name: one for one in settings_of(kind)}
    if name not in known:
        near = get_close_matches(name, known, 1, CLOSE)
        likely = f"a misspelling of '{near[0]}'" if near else ""
        raise RobotError(
            "friction.setting/friction_text",
            settings=", ".join(known) or "none",
            word_of=word_of(kind),
            name=name,
            likely=likely,
            remedy=example_of(kind),
        )
    one = known[name]
    if one.kind is bool:
        if sign:
            raise RobotError("friction.text/setting", entry=entry, name=name, word_of=word_of(kind))
        return name, True
    if not text:
        raise RobotError(
            "friction.text/friction_text_setting", entry=entry, name=name, word_of=word_of(kind), sample=_sample(kind, name)
        )
    if one.kind is str:
        return name, _places(entry, [text], names)[0]
    try:
        return name, one.kind(text)
    except ValueError:
        wanted = "a whole number" if one.kind is int else "a number"
        raise RobotError(
            "friction.text/friction_text_setting_2",
            entry=entry,
            text=text,
            wanted=wanted,
            word_of=word_of(kind),
            name=name,
            sample=_sample(kind, name),
        ) from None


def _places(part: str, written: Sequence[str], names: Sequence[str] | None) -> tuple[str, ...]:
    """Names, in the order they were given; of a pattern, in the robot's order."""
    found: dict[str, None] = {}
    for entry in (one.strip() for one in written):
        if not entry:
            raise RobotError("friction.text/places", part=part, partition=part.partition("@")[0])
        name = _plain(part, entry)
        if names is None or name in names:
            matched = [name]
        else:
            matched = [entry] if entry in names else [one for one in names if fnmatch.fnmatchcase(one, _pattern(part, entry))]
        if not matched:
            near = get_close_matches(name, names or (), 1, CLOSE)
            raise RobotError(
                "joint.unknown/friction_text" if near else "joint.unknown/places",
                joints=map(_escaped, names or ()),
                part=part,
                name=name,
                near=near[:1],
            )
        found |= dict.fromkeys(matched)
    return tuple(found)


def _pattern(part: str, entry: str) -> str:
    """What was escaped stands for itself, also a star."""
    pieces = ESCAPE.split(entry)
    return "".join(glob.escape(_plain(part, piece)) if k % 2 else piece for k, piece in enumerate(pieces))

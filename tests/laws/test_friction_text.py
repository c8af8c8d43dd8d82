"""Friction as a line of text: what is written is read as the same terms, whatever the terms, their settings and the names."""

from __future__ import annotations

import shlex
from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bifilar as bf
from bifilar.robot.friction import TERMS, Friction
from bifilar.robot.friction_text import (
    asked,
    example_of,
    friction_from_text,
    friction_text,
    settings_of,
    word_of,
)

NAMES = st.text(min_size=1, max_size=8).filter(lambda name: name == name.strip())
VALUES = {float: st.floats(1e-9, 1e12), int: st.integers(1, 1000), bool: st.booleans(), str: st.none() | NAMES}


@st.composite
def terms(draw, names=NAMES):
    """Any term with any settings that its class has."""
    kind = draw(st.sampled_from(TERMS))
    settings = {one.name: draw(VALUES[one.kind]) for one in settings_of(kind) if one.required or draw(st.booleans())}
    at = draw(st.none() | st.lists(names, min_size=1, max_size=3, unique=True).map(tuple))
    return kind(at=at, **settings)


@given(st.lists(terms(), max_size=5, unique=True))
def test_what_is_written_is_read_again(chosen):
    friction = Friction(tuple(chosen))
    assert friction_from_text(friction_text(friction)) == friction


@given(st.lists(terms(), max_size=3, unique=True))
def test_names_that_are_known_are_found_again(chosen):
    """Also names that look like patterns or escapes of others."""
    names = [name for term in chosen for name in (*(term.at or ()), *filter(None, [term.driven_by]))]
    friction = Friction(tuple(chosen))
    assert friction_from_text(friction_text(friction), names) == friction


@given(st.lists(terms(), max_size=3))
def test_a_shell_leaves_it_alone(chosen):
    """One word of a command line that needs no quotes, but for letters beyond ASCII, which shells leave alone, too."""
    text = friction_text(Friction(tuple(chosen)))
    ascii_only = "".join(c for c in text if c.isascii())
    assert shlex.split(ascii_only) == [ascii_only] and not set(ascii_only) & set("*?[]{}$`\"'\\|&;<>()!# \t\n")


@pytest.mark.parametrize("kind", TERMS)
def test_every_term_can_be_asked_for_with_each_of_its_settings(kind):
    assert isinstance(friction_from_text(example_of(kind)).terms[0], kind)
    assert {one.name for one in settings_of(kind)} <= {field.name for field in fields(kind)}
    head = example_of(kind)
    for one in settings_of(kind):
        if one.required:
            continue
        value = one.name if one.kind is bool else f"{one.name}={3}"
        text = f"{head}{',' if ':' in head else ':'}{value}"
        assert getattr(friction_from_text(text).terms[0], one.name) in (True, 3, 3.0, "3")
    assert friction_from_text(f"{head}@b*", ["a", "b1", "b2"]).terms[0].at == ("b1", "b2")


def test_the_words_of_columns_are_words_too():
    """rotor and rotor_inertia are one."""
    for kind in TERMS:
        text = example_of(kind)
        assert friction_from_text(text.replace(word_of(kind), kind.word, 1)) == friction_from_text(text)


def test_a_width_that_is_not_given_is_open():
    given = asked("viscous+coulomb+coulomb:width=0@a+stribeck:speed=0.1+power:exponent=2,width=0.1")
    assert [one.is_open for one in given] == [False, True, False, True, False]


def test_none_and_numbers_with_a_plus():
    assert friction_from_text(" none ") == Friction() and friction_text(Friction()) == "none"
    assert friction_from_text("stribeck:speed=1e+3+viscous") == bf.Stribeck(speed=1000.0) + bf.Viscous()

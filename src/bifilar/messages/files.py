"""Sentences about files and their versions, by key (see `bifilar.messages`)."""

from __future__ import annotations

from bifilar.messages import Message

MESSAGES = {
    "file.folder/unreadable": Message("the {thing} cannot be read: {reason}", remedy="name a file, not a folder"),
    "file.forbidden/unreadable": Message(
        "the {thing} cannot be read: {reason}", remedy="ask for the right to read it, or copy it to where you have it"
    ),
    "file.loop/unreadable": Message(
        "the {thing} cannot be read: {reason}", remedy="it is a link that leads to itself: name the file it should lead to"
    ),
    "file.missing/unreadable": Message("the {thing} cannot be read: {reason}", remedy="check the path"),
    "file.unreadable/unreadable": Message("the {thing} cannot be read: {reason}"),
    "format.newer": Message(
        "{thing} of version {found} cannot be read: this bifilar knows versions up to {known}",
        likely="it was written by a newer bifilar",
        remedy="update bifilar, or write the file again with this one",
        listed=("found", "known"),
    ),
    "format.older": Message(
        "{thing} {age} cannot be read: this bifilar reads versions {oldest} to {known}",
        likely="it was written by an older bifilar",
        listed=("found", "known"),
    ),
    "format.other": Message(
        "the file says that it is {other}, where {expected} is expected",
        likely="another file is meant",
        remedy="name the right file, or correct the format that it states",
        listed=("found", "known"),
    ),
    "format.unknown": Message(
        "the file says that it is no format of {expected}",
        likely="a misspelling, or a file of another program",
        remedy="name the right file, or correct the format that it states",
        listed=("found", "known"),
    ),
}

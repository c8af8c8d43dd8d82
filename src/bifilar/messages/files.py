"""Sentences about files and their versions, by key (see `bifilar.messages`)."""

from __future__ import annotations

from bifilar.messages import Message

MESSAGES = {
    "file.folder/unreadable": Message("the {thing} cannot be read: {reason}", remedy="name a file, not a folder"),
    "file.forbidden/unreadable": Message(
        "the {thing} cannot be read: {reason}", remedy="get permission to read it, or copy it to another folder"
    ),
    "file.loop/unreadable": Message(
        "the {thing} cannot be read: {reason}", remedy="name the target: it is a symbolic link to itself"
    ),
    "file.missing/unreadable": Message("the {thing} cannot be read: {reason}", remedy="check the path"),
    "file.unreadable/unreadable": Message("the {thing} cannot be read: {reason}"),
    "format.newer": Message(
        "{thing} of version {found} cannot be read: this version of bifilar reads up to {known}",
        likely="it was written by a newer version of bifilar",
        remedy="update bifilar, or write the file again with this one",
        listed=(
            "found",
            "known",
        ),
    ),
    "format.older": Message(
        "{thing} {age} cannot be read: this version of bifilar reads {oldest} to {known}",
        likely="it was written by an older version of bifilar",
        listed=(
            "found",
            "known",
        ),
    ),
    "format.other": Message(
        "the file states the format {other}, but {expected} is expected",
        likely="another file is meant",
        remedy="name the right file, or correct the format that it states",
        listed=(
            "found",
            "known",
        ),
    ),
    "format.unknown": Message(
        "the file's format is not one of {expected}",
        likely="a misspelling, or a file of another program",
        remedy="name the right file, or correct the format that it states",
        listed=(
            "found",
            "known",
        ),
    ),
}

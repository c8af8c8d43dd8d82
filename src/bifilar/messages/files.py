"""Sentences about files and their versions, by key (see `bifilar.messages`)."""

from __future__ import annotations

from bifilar.messages import Message

EDITED = "it was edited, or copied incompletely"
AGAIN = "copy it again, or write it again with the command that made it"

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
    "file.too_many": Message("the file holds more than {most} {thing}", likely="a damaged file, or no log"),
    "format.damaged": Message(
        "the file is damaged: '{entry}' is {found}, where {expected} is expected", likely=EDITED, remedy=AGAIN
    ),
    "format.damaged/content": Message("the file cannot be read: {reason}", likely=EDITED, remedy=AGAIN),
    "format.damaged/gone": Message("the file is gone", likely="the folder was copied incompletely", remedy=AGAIN),
    "format.damaged/missing": Message("the file is damaged: '{entry}' is missing", likely=EDITED, remedy=AGAIN),
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
    "seal.broken": Message(
        "{files:join} changed, or went missing, since the run was written",
        likely="edited by hand, or copied incompletely; values and verdict need not belong together any more",
        remedy="fit again; load_estimate(folder, anyway=True) takes it as it is",
        cli="--anyway takes it as it is",
        needs=("--anyway",),
        otherwise="make the run again: bifilar rerun RUN -o NEW",
        lead="copy the folder again; ",
    ),
    "seal.none": Message("a run without a seal, of an older bifilar: whether its files were changed is not known"),
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

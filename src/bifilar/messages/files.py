"""Sentences about files and their versions, by key (see `bifilar.messages`)."""

from __future__ import annotations

from bifilar.messages import Message

MESSAGES = {
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
}

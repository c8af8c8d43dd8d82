"""Sentences about view, by key (see `bifilar.messages`)."""

from __future__ import annotations

from bifilar.messages import Message

MESSAGES = {
    "package.missing/viewer": Message("the viewer needs the optional package viser", remedy="pip install 'bifilar[view]'"),
    "position.form": Message("position must be {position_count} finite numbers, one per joint, not {position!r}"),
    "recording.no_position/init": Message(
        "the recording holds no positions",
        remedy="give a log or mapping with positions of these joints",
        listed=(
            "recorded",
            "robot",
        ),
    ),
    "recording.no_position/playback": Message(
        "no joint of the robot is recorded",
        remedy="give a log or mapping with positions of these joints",
        listed=(
            "recorded",
            "robot",
        ),
    ),
    "recording.no_position/playback_init": Message(
        "no sample of the recording has the positions of all joints", remedy="see the gaps with 'bifilar check'"
    ),
    "viewer.address": Message(
        "the viewer cannot be served at '{host}': {strerror}",
        likely="an address that this machine does not have",
        remedy="--host 127.0.0.1, or 0.0.0.0",
    ),
}

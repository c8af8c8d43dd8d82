"""Sentences about view, by key (see `bifilar.messages`)."""

from __future__ import annotations

from bifilar.messages import Message

MESSAGES = {
    "package.missing/viewer": Message("the viewer needs a further package, viser", remedy="pip install 'bifilar[view]'"),
    "position.form": Message("position must be {position_count} finite numbers, one per joint, not {position!r}"),
    "recording.no_position/init": Message(
        "there are no positions in the recording",
        remedy="a log or mapping with positions of these joints",
        listed=("recorded", "robot"),
    ),
    "recording.no_position/playback": Message(
        "no joint of the robot is recorded",
        remedy="a log or mapping with positions of these joints",
        listed=("recorded", "robot"),
    ),
    "recording.no_position/playback_init": Message(
        "no sample of the recording has all positions", remedy="bifilar check shows where it has gaps"
    ),
    "viewer.address": Message(
        "no page can be served at '{host}': {strerror}",
        likely="not an address of this machine",
        remedy="--host 127.0.0.1, or 0.0.0.0",
    ),
}

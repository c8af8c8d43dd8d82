"""Messages of a log: MCAP (the extra 'ros'), SQLite files of ROS 2 bags, or the folder that holds them."""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

from bifilar.errors import BifilarError, Finding, RecordingError, ResourceError, unreadable
from bifilar.readers import first_bytes
from bifilar.recording.ros_messages import KINDS
from bifilar.recording.source import RATIO, UNPACKED

LARGEST = 128 * 2**20  # [bytes] of one record
PIECE = 2**20  # [bytes] that are unpacked at a time
ENDINGS = (".mcap", ".db3")
MCAP, SQLITE, ROS_1 = b"\x89MCAP", b"SQLite format 3", b"#ROSBAG"


class Raw(NamedTuple):
    """One message as it lies in the file.

    >>> Raw("/joint_states", "joints", 0, b"").topic
    '/joint_states'
    """

    topic: str
    kind: str  # joints, wrench or imu
    logged: int  # [ns]
    data: bytes


def is_bag(path: Path, head: bytes) -> bool:
    """Whether a file, or a folder, holds messages.

    >>> is_bag(Path("run.dat"), b"SQLite format 3"), is_bag(Path("run.dat"), b"t,q1")
    (True, False)
    """
    return head.startswith((MCAP, SQLITE, ROS_1)) or (path / "metadata.yaml").is_file()


def messages(path: str | os.PathLike[str], notes: list[Finding]) -> Iterator[Raw]:
    """All messages of the kinds that are known, in the order of the files.

    >>> import tempfile
    >>> next(messages(tempfile.mkdtemp(), []))
    Traceback (most recent call last):
    ...
    bifilar.errors.RecordingError: the folder holds no .mcap or .db3
    ...
    """
    place = Path(path)
    files = [place]
    if place.is_dir():
        files = sorted(file for file in place.iterdir() if file.suffix.lower() in ENDINGS)
        if not files:
            packed = any(file.suffix == ".zstd" for file in place.iterdir())
            raise RecordingError("bag.empty/bag_files" if packed else "bag.empty/messages", where=str(place), endings=ENDINGS)
    for file in files:
        head = first_bytes(file)
        if head.startswith(ROS_1) or file.suffix.lower() == ".bag":
            raise RecordingError("bag.ros1", where=str(file))
        if not file.is_file():
            raise unreadable(RecordingError, "recording", FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT)), file)
        is_mcap = head.startswith(MCAP) or file.suffix.lower() == ".mcap"
        yield from _mcap(file, notes) if is_mcap else _sqlite(file, notes)


def _sqlite(file: Path, notes: list[Finding]) -> Iterator[Raw]:
    known: dict[int, tuple[str, str]] = {}
    try:
        base = sqlite3.connect(file.absolute().as_uri() + "?mode=ro&immutable=1", uri=True)
        try:
            base.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LARGEST)
            _refuse_programs(base, file)
            others = []
            for number, topic, kind in base.execute("SELECT id, name, type FROM topics"):
                if kind in KINDS:
                    known[number] = (str(topic), KINDS[kind])
                else:
                    others.append(str(topic))
            _left_out(others, str(file), notes)
            query = (
                f"SELECT topic_id, timestamp, data FROM messages WHERE topic_id IN ({','.join('?' * len(known))}) ORDER BY id"
            )
            for number, logged, data in base.execute(query, list(known)):
                if not isinstance(data, bytes) or not isinstance(logged, int):
                    raise RecordingError("bag.message", where=str(file))
                yield Raw(*known[number], logged, data)
        finally:
            base.close()
    except (sqlite3.Error, OverflowError, UnicodeError) as error:
        raise RecordingError("bag.unreadable", where=str(file), error=str(error)[:160]) from None


def _refuse_programs(base: sqlite3.Connection, file: Path) -> None:
    """A view, or a column that is computed, is a program: it may never end. Bags have plain tables."""
    kinds = dict(base.execute("SELECT name, type FROM sqlite_master WHERE name IN ('topics', 'messages')").fetchall())
    hidden = [row for name in kinds for row in base.execute(f"PRAGMA table_xinfo({name})") if row[6]]
    virtual = base.execute("SELECT count(*) FROM sqlite_master WHERE sql LIKE 'CREATE VIRTUAL%'").fetchone()[0]
    if set(kinds.values()) - {"table"} or hidden or virtual:
        raise RecordingError("bag.computed", where=str(file))


def _mcap(file: Path, notes: list[Finding]) -> Iterator[Raw]:
    try:
        from mcap.exceptions import EndOfFile, McapError
        from mcap.records import Channel, Message, Schema
    except ImportError:
        raise RecordingError("package.missing/bag_files", where=str(file)) from None
    others: dict[str, None] = {}
    schemas: dict[int, str] = {}
    channels: dict[int, Any] = {}
    count = 0
    try:
        for record in _records(file):
            if isinstance(record, Schema):
                schemas[record.id] = record.name
            elif isinstance(record, Channel):
                channels[record.id] = record
            elif isinstance(record, Message):
                channel = channels[record.channel_id]
                kind = KINDS.get(schemas.get(channel.schema_id, ""))
                if kind is None or channel.message_encoding != "cdr":
                    others[channel.topic] = None
                    continue
                count += 1
                yield Raw(channel.topic, kind, record.log_time, record.data)
    except EndOfFile:
        notes.append(Finding("log.damaged", "warning", str(file), count=count))
    except BifilarError:
        raise
    except McapError as error:
        raise RecordingError("file.other_kind/bag_files", where=str(file), error=str(error)[:160]) from None
    except OSError as error:
        raise unreadable(RecordingError, "recording", error, file) from None
    except Exception as error:  # damaged chunks: errors of the decompressors, of struct, of dictionaries
        raise RecordingError(
            "file.damaged/bag_files", where=str(file), kind=type(error).__name__, error=str(error)[:120]
        ) from None
    _left_out(list(others), str(file), notes)


def _records(file: Path) -> Iterator[Any]:
    """Records of an MCAP file, those inside of chunks too. All chunks together may not unfold to more than a log can."""
    from mcap.records import Chunk
    from mcap.stream_reader import StreamReader, breakup_chunk

    room = max(UNPACKED, RATIO * file.stat().st_size)
    with open(file, "rb") as stream:
        for record in StreamReader(stream, emit_chunks=True, record_size_limit=LARGEST).records:
            if not isinstance(record, Chunk):
                yield record
                continue
            data = _unpacked(record, room, file)
            room -= len(data)
            yield from breakup_chunk(replace(record, compression="", data=data))


def _unpacked(chunk: Any, room: int, file: Path) -> bytes:
    """The records of a chunk, unpacked piece by piece: what its header says of its size may be a lie."""
    packed, plain = BytesIO(chunk.data), bytearray()
    if chunk.compression == "zstd":
        import zstandard

        reader: Any = zstandard.ZstdDecompressor(max_window_size=LARGEST).stream_reader(packed)
    elif chunk.compression == "lz4":
        import lz4.frame

        reader = lz4.frame.open(packed)
    else:
        reader = packed
    while piece := reader.read(PIECE):
        plain += piece
        if len(plain) > room:
            raise ResourceError("file.bomb/bag_files", where=str(file), ratio=RATIO)
    if len(plain) != chunk.uncompressed_size:
        raise ValueError(f"a chunk of {len(plain)} bytes says {chunk.uncompressed_size}")
    return bytes(plain)


def _left_out(topics: list[str], where: str, notes: list[Finding]) -> None:
    if topics:
        shown = ", ".join(topics[:12]) + (", ..." if len(topics) > 12 else "")
        notes.append(Finding("log.topics_left_out", "note", where, shown=shown))

"""Damage at the level of bytes, shared by the fuzzing studies: what bad disks, editors and copies do to any file."""

from __future__ import annotations

import random
from collections.abc import Callable

Mutation = Callable[[random.Random, bytes], bytes]


def flip(rng: random.Random, data: bytes) -> bytes:
    """Some bytes become others."""
    changed = bytearray(data)
    for _ in range(rng.choice((1, 2, 8, 64))):
        if changed:
            changed[rng.randrange(len(changed))] = rng.randrange(256)
    return bytes(changed)


def cut(rng: random.Random, data: bytes) -> bytes:
    """The end, or a slice, is missing."""
    start, end = sorted(rng.randrange(len(data) + 1) for _ in range(2))
    return data[:start] if rng.random() < 0.5 else data[:start] + data[end:]


def doubled(rng: random.Random, data: bytes, longest: int) -> bytes:
    """A slice stands twice."""
    start = rng.randrange(len(data) + 1)
    end = start + rng.randrange(longest)
    return data[:end] + data[start:end] + data[end:]


def inserted(rng: random.Random, data: bytes, pieces: tuple[bytes, ...]) -> bytes:
    """A piece somewhere."""
    at = rng.randrange(len(data) + 1)
    return data[:at] + rng.choice(pieces) + data[at:]

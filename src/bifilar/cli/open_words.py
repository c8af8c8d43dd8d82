"""What was not checked, in few words: 'acceleration and jerk of j1, j2; floor (no such constraint)'."""

from __future__ import annotations

from collections.abc import Sequence


def grouped(entries: Sequence[str]) -> list[str]:
    """Entries such as 'jerk of j1', those of the same joints together.

    >>> grouped(["acceleration of j1", "acceleration of j2", "jerk of j1", "jerk of j2", "floor"])
    ['acceleration and jerk of j1, j2', 'floor']
    """
    joints: dict[str, list[str]] = {}
    for entry in entries:
        kind, of, joint = entry.partition(" of ")
        joints.setdefault(kind, []).extend([joint] if of else [])
    kinds: dict[tuple[str, ...], list[str]] = {}
    for kind, names in joints.items():
        key = tuple(dict.fromkeys(names)) or ("", kind)  # what is of no joint stays by itself
        kinds.setdefault(key, []).append(kind)
    return [listed(which) + (f" of {', '.join(names)}" if names[0] else "") for names, which in kinds.items()]


def listed(words: Sequence[str]) -> str:
    """Words with an 'and' before the last.

    >>> listed(["position", "velocity", "torque"])
    'position, velocity and torque'
    """
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)

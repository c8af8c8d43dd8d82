"""A finding's remedy in the words of whoever reads: as it is typed, and as it is called.

Findings are written once, in the library. On a page nobody knows whether the reader types commands or writes Python: both are
shown where they differ, what is typed first.
"""

from __future__ import annotations

import re

EITHER = "     or     "  # between the words of Python and those of the command line, in findings about logs
FOUND = (  # a piece of a finding's remedy, what is typed
    ("robot.with_inertia({link", "take it out of the description, or set its mass and inertia to zero there"),
    ("otherwise robot.locked({", "nothing if they stood still at zero; otherwise --lock NAME=POSITION"),
    ("robot.with_gravity(", "turn the base in the description: a robot that hangs has its first joint upside down"),
    ("bf.VirtualRobot", "do not conclude from it about a machine; 'bifilar simulate' makes one with the noise of sensors"),
    ("robot.with_limits({...}) if the", "other limits in the description if the machine is faster; else compare unit and gear"),
    ("recording.masked(", "leave these stretches out: time = [[2.0, 30.0]] below [use] in a mapping keeps the others"),
)
PATTERNS = (  # the same, with something of the remedy kept
    (r"recording\.joints\(\[\.\.\.\]\) without '(.+?)'", r"--lock \1"),
    (r"Recording\.load\(\.\.\., sign=\{'(.+?)': -1\}\)", r"--sign \1=-1"),
    (r"Recording\.load\(\.\.\., rate=\.\.\.\)", "--rate ..."),
    (r"unit=\{'(.+?)': \.\.\.\}", r"--unit \1=..."),
    (r"robot\.locked\(\['(.+?)'\]\)", r"--lock \1"),
    (r"\(bf\.design\)", "('bifilar design')"),
    (r"bf\.check\(recording, robot\)", "'bifilar check LOG --robot ROBOT'"),
    (r", or robot\.with_limits\(\{\.\.\.\}\)", ", or in the description"),
)


def typed_finding(remedy: str) -> str:
    """The remedy of a finding about a log, as it is typed.

    >>> typed_finding("Recording.load(..., unit={'position': 'deg'})     or     --unit position=deg")
    '--unit position=deg'
    >>> typed_finding("move it too, or identify without it: robot.locked(['elbow'])")
    'move it too, or identify without it: --lock elbow'
    """
    for piece, instead in FOUND:
        if piece in remedy:
            return instead
    python, either, typed_words = remedy.partition(EITHER)
    if either:
        _, about, factor = python.partition("), about ")
        return f"{typed_words}, about {factor}" if about else typed_words
    for pattern, instead in PATTERNS:
        remedy = re.sub(pattern, instead, remedy)
    return remedy


def both_ways(remedy: str) -> str:
    """What is typed, and behind it what is called in Python, where that is something else.

    >>> both_ways("Recording.load(..., sign={'elbow': -1})     or     --sign elbow=-1")
    "--sign elbow=-1 (in Python: Recording.load(..., sign={'elbow': -1}))"
    >>> both_ways("record again")
    'record again'
    >>> both_ways("nothing if they stood still at zero; otherwise robot.locked({name: position})")
    'nothing if they stood still at zero; otherwise --lock NAME=POSITION (in Python: robot.locked({name: position}))'
    >>> both_ways("move it too, or identify without it: robot.locked(['elbow'])")
    "move it too, or identify without it: --lock elbow (in Python: robot.locked(['elbow']))"
    """
    typed, python = typed_finding(remedy), remedy.partition(EITHER)[0]
    call = python
    for end in ("; otherwise ", ": "):  # what both begin with is said once
        said, found, rest = call.rpartition(end)
        call = rest if found and typed.startswith(said + found) else call
    return typed if typed == python else f"{typed} (in Python: {call})"


def sentence_both_ways(text: str) -> str:
    """The same for a sentence of a status or a note that ends in a remedy.

    >>> sentence_both_ways("the torque of joint2 opposes gravity; try Recording.load(..., sign={'joint2': -1})")
    "the torque of joint2 opposes gravity; try --sign joint2=-1 (in Python: Recording.load(..., sign={'joint2': -1}))"
    """
    said, tries, remedy = text.rpartition("; try ")
    return f"{said}{tries}{both_ways(remedy)}" if tries else text

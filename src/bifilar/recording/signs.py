"""Signs of torques that whoever reads a log declares, by name or by pattern; and what to say if just they are wrong.

A torque that was turned round remembers it: where a check finds it the wrong way round, turning it is the mistake, and saying
so again would change nothing.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from bifilar.errors import Finding, RecordingError, Remedy, near_names
from bifilar.recording.recording import Recording

OWN = "it was turned round by what was declared"


def sign_words(sign: Mapping[str, float], names: Sequence[str]) -> dict[str, float]:
    """Signs by joint; a pattern stands for several, and what is said later wins.

    >>> sign_words({"*": -1, "wrist": 1}, ["elbow", "wrist"])
    {'elbow': -1, 'wrist': 1}
    >>> sign_words({"elbw": -1}, ["elbow", "wrist"])
    Traceback (most recent call last):
    ...
    bifilar.errors.RecordingError: a sign is declared for 'elbw', which is not recorded
      joints  elbow, wrist
      likely  a misspelling of 'elbow'
    """
    found: dict[str, float] = {}
    for word, value in sign.items():
        matched = [word] if word in names else fnmatch.filter(names, word)
        if not matched:
            raise RecordingError("sign.not_recorded", joints=names, word=word, near=near_names(word, names, 1, 0.6))
        if value not in (1, -1):
            raise RecordingError("sign.wrong", word=word, value=value)
        found |= dict.fromkeys(matched, value)
    return found


def signed(recording: Recording, sign: Mapping[str, float]) -> Recording:
    """The recording with its torques turned round as declared.

    >>> swing = Recording(joint_names=("hip",), time=[0.0], torque=[[5.0]])
    >>> signed(swing, {"hip": -1}).torque
    array([[-5.]])
    """
    said, torque = sign_words(sign, recording.joint_names), recording.channels.get("torque")
    if not said or torque is None:
        return recording
    signs = np.array([float(said.get(column, 1)) for column in torque.columns])
    turned = tuple(column for column in torque.columns if said.get(column, 1) < 0)
    return recording.with_channel("torque", replace(torque, values=torque.values * signs, turned=turned))


def as_declared(finding: Finding, recording: Recording) -> Finding:
    """A finding about a sign; where the sign was declared, the remedy is to leave that out.

    >>> turned = signed(Recording(joint_names=("hip",), time=[0.0], torque=[[5.0]]), {"hip": -1})
    >>> as_declared(Finding("error", "torque", "has the opposite sign", "", "", "sign_all"), turned).typed
    'leave out --sign hip=-1'
    """
    torque = recording.channels.get("torque")
    if torque is None or not torque.turned or finding.code not in ("sign", "sign_all"):
        return finding
    joints = torque.columns if finding.code == "sign_all" else tuple({place.joint for place in finding.at})
    own = [joint for joint in joints if joint in torque.turned]
    if not own:
        return finding
    call, typed = ", ".join(f"'{joint}': -1" for joint in own), " ".join(f"{joint}=-1" for joint in own)
    remedy = Remedy(f"Recording.load(...) without sign={{{call}}}", cli=f"leave out --sign {typed}")
    if len(own) < len(joints):
        remedy += ", and turn the others round"
    return finding.changed(remedy=remedy, likely=OWN)

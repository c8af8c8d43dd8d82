"""What whoever reads a log declares of its joints: other names, and gains of its torques (or currents)."""

from __future__ import annotations

import fnmatch
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from bifilar.errors import RecordingError, Remedy, near_names
from bifilar.recording.recording import Recording
from bifilar.recording.units import quantity, si_unit
from bifilar.robot.table import suggestion


def rename_remedy(recorded: Sequence[str], robot: Sequence[str]) -> Remedy:
    """Names that are to be exchanged, as they are declared; in the order of both, which is to be looked at.

    >>> rename_remedy(["a", "b"], ["hip", "knee"]).cli
    'if these are the same joints: --rename a=hip b=knee'
    """
    pairs = list(zip(recorded, robot)) if len(recorded) == len(robot) else [(recorded[0], robot[0])]
    call = ", ".join(f"'{old}': '{new}'" for old, new in pairs)
    typed = " ".join(f"{old}={new}" for old, new in pairs) + ("" if len(pairs) == len(recorded) else " ...")
    typed, lead = f"--rename {typed}", "if these are the same joints: "
    other = "bifilar convert LOG right.csv --rename OLD=NEW, then name right.csv"
    return Remedy(f"Recording.load(..., rename={{{call}}})", cli=typed, lead=lead, needs=["--rename"], otherwise=other)


def renamed(recording: Recording, rename: Mapping[str, str]) -> Recording:
    """The recording with other names of its joints.

    >>> swing = Recording(joint_names=("a", "b"), time=[0.0], torque=[[5.0, 6.0]])
    >>> renamed(swing, {"a": "hip"}).joint_names
    ('hip', 'b')
    """
    if not rename:
        return recording
    check_rename(rename, recording.joint_names)

    def new(names: Sequence[str]) -> tuple[str, ...]:
        return tuple(rename.get(name, name) for name in names)

    own = set(recording.joint_names)
    channels = {
        name: replace(channel, columns=new(channel.columns)) if set(channel.columns) <= own else channel
        for name, channel in recording.channels.items()
    }
    names, sliding = new(recording.joint_names), new(recording.sliding)
    return replace(recording, joint_names=names, sliding=sliding, channels=channels)


def check_rename(rename: Mapping[str, str], names: Sequence[str]) -> None:
    """Refuse names that are not recorded, and two joints of one name.

    >>> check_rename({"elbw": "joint2"}, ["shoulder", "elbow"])
    Traceback (most recent call last):
    ...
    bifilar.errors.RecordingError: 'elbw' is to be renamed, which is not recorded
      joints  shoulder, elbow
      likely  a misspelling of 'elbow'
    """
    for old in rename:
        if old not in names:
            near = suggestion(old, names)
            raise RecordingError(
                "rename.not_recorded/declarations" if "misspelling" in near else "rename.not_recorded/check_rename",
                joints=names,
                before=old,
                near=near_names(old, names, 1, 0.6),
                choices=sorted(names),
            )
    after = [rename.get(name, name) for name in names]
    twice = next((name for k, name in enumerate(after) if name in after[:k]), None)
    if twice is not None:
        raise RecordingError("rename.twice", joints=names, twice=twice)


def scaled(recording: Recording, gain: Mapping[str, float]) -> Recording:
    """The recording with its torques multiplied by gains, joint by joint or by pattern; of its currents if it has no torque.

    >>> swing = Recording(joint_names=("hip",), time=[0.0], current=[[2.0]])
    >>> scaled(swing, {"hip": 13.6}).torque
    array([[27.2]])
    """
    if not gain:
        return recording
    own = recording.channels.get("torque")
    channel = own or recording.channels.get("current")
    if channel is None:
        raise RecordingError("torque.missing/declarations")
    factors = np.ones(len(channel.columns))
    for word, value in gain.items():
        matched = [word] if word in channel.columns else fnmatch.filter(channel.columns, word)
        if not matched:
            raise RecordingError("gain.not_recorded", joints=channel.columns, word=word)
        if not np.isfinite(value) or value == 0:
            raise RecordingError("gain.wrong", word=word, value=value)
        factors[[channel.columns.index(name) for name in matched]] = value
    if own is None:
        units = tuple(si_unit("torque", name in recording.sliding) for name in channel.columns)
        channel = replace(channel, units=units, stated_unit="", origin=f"{channel.origin} times declared gains".strip())
    return recording.with_channel("torque", replace(channel, values=channel.values * factors))


def of_joints(name: str) -> bool:
    """Whether a channel holds a quantity of joints.

    >>> of_joints("position"), of_joints("wrench")
    (True, False)
    """
    return quantity(name) is not None

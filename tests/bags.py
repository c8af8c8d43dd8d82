"""A ROS 2 bag of joint states as MCAP, written by rosbags, which shares no code with our reader."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

import bifilar as bf


def joint_states(recording: bf.Recording, file: Path) -> Path:
    """`file` (.mcap) with /joint_states: position and effort of the recording at its stamps."""
    rosbags = pytest.importorskip("rosbags.rosbag2")
    typesys = pytest.importorskip("rosbags.typesys")
    pytest.importorskip("mcap", reason="mcap is not installed: pip install 'bifilar[ros]'")
    store = typesys.get_typestore(typesys.Stores.ROS2_HUMBLE)
    kinds = {name.split("/")[-1]: store.types[name] for name in store.types}
    folder, names, nothing = file.with_suffix(".bag"), list(recording.joint_names), np.zeros(0)
    with rosbags.Writer(folder, version=9, storage_plugin=rosbags.StoragePlugin.MCAP) as writer:
        link = writer.add_connection("/joint_states", kinds["JointState"].__msgtype__, typestore=store)
        for time, position, torque in zip(recording.time, np.array(recording.position), np.array(recording.torque)):
            stamp = kinds["Time"](sec=int(time), nanosec=round((time % 1) * 1e9))
            header = kinds["Header"](stamp=stamp, frame_id="")
            said = kinds["JointState"](header, names, position.copy(), nothing, torque.copy())
            writer.write(link, round(time * 1e9), store.serialize_cdr(said, link.msgtype))
    next(folder.glob("*.mcap")).replace(file)
    shutil.rmtree(folder)
    return file

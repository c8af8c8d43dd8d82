"""A log of your own: columns without names, degrees, milliamperes, a drive that counts backwards, joints in another order.

    python examples/11_own_log.py

What the columns mean is written down once, in a mapping. `bifilar check run.txt --robot arm.urdf --write-mapping run.toml`
writes one to start from, with the range of every column; docs/recordings.md lists all that a mapping may say.
"""

from pathlib import Path

import numpy as np

import bifilar as bf

robot = bf.Robot.load("two_link")

# Such a file as loggers write: milliseconds; elbow before shoulder; no header; a comma where others have a point.
time = np.arange(0, 8, 0.01)
angle = np.column_stack([np.sin(2 * time) + 0.3 * np.sin(5.3 * time), 0.8 * np.cos(1.7 * time)])
speed = np.column_stack([2 * np.cos(2 * time) + 1.59 * np.cos(5.3 * time), -1.36 * np.sin(1.7 * time)])
push = np.column_stack([-4 * np.sin(2 * time) - 8.427 * np.sin(5.3 * time), -2.312 * np.cos(1.7 * time)])
torque = robot.inverse_dynamics(angle, speed, push)
gain = np.array([2.5, 1.5])  # N m/A
current = 1000 * torque / gain * [1, -1]
columns = np.column_stack([1000 * time, np.degrees(angle[:, ::-1]), current[:, ::-1]])
text = "\n".join(";".join(f"{x:.4f}".replace(".", ",") for x in row) for row in columns)
Path("run.txt").write_text(text + "\n")

Path("run.toml").write_text("""\
joints = ["joint2", "joint1"]      # in the order of the columns

[clock]
column = 1
unit = "ms"

[channels.position]
columns = "2-3"
unit = "deg"

[channels.current]
columns = "4-5"
unit = "mA"
sign = [-1, 1]

[channels.torque]
from = "current"
factor = [1.5, 2.5]                # N m/A
""")

log = bf.Recording.load("run.txt", robot, mapping="run.toml")
print(log)
print("largest difference to what was measured:", np.abs(log.torque - torque).max().round(4), "N m")
print(log.check(robot).worst or "nothing is wrong with it")
log.save("run.parquet")  # once and for all: names and SI units in the columns

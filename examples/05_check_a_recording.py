"""What is wrong with a log, before anything is fitted to it. Most identifications fail here, and a fit hides it.

    python examples/05_check_a_recording.py        reads train.csv of example 04

In a shell: bifilar check train.csv --robot panda
"""

import numpy as np

import bifilar as bf

robot = bf.Robot.load("panda")
log = bf.Recording.load("train.csv", robot)  # joints by their names, whatever the order of the columns
findings = log.check(robot)
print("as recorded:", findings.worst or "nothing to say")
for finding in findings:
    print("  ", finding)

# The mistakes that really happen, each made on purpose: what does the check call them?
torque = np.array(log.torque)
turned = torque * np.where(np.arange(7) == 3, -1, 1)  # one drive counts the other way round
swapped = torque[:, [1, 0, 2, 3, 4, 5, 6]]  # two cables exchanged
late = np.roll(torque, 20, axis=0)  # 100 ms behind the positions
degrees = np.degrees(np.array(log.position))

mistakes = {
    "a turned sign": log.with_channel("torque", turned),
    "two joints exchanged": log.with_channel("torque", swapped),
    "torque too late": log.with_channel("torque", late),
    "degrees": log.with_channel("position", degrees),
}
for name, wrong in mistakes.items():
    alarms = [finding for finding in wrong.check(robot) if finding.severity != "note"]
    print(f"{name}:")
    for alarm in alarms[:2]:
        print(f"   {alarm.what}")
        print(f"   -> {alarm.remedy}")

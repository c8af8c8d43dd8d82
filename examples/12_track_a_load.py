"""What the hand holds, followed while it is picked up, carried and put down: one reading after the other.

    python examples/12_track_a_load.py

A filter believes ten numbers of the load, always those of a body that can exist. Between readings the load may change a little;
a reading that does not fit opens the belief at once, so that a grasp is noticed within a few samples.
"""

import numpy as np

import bifilar as bf

robot = bf.Robot.load("panda")
box = bf.Inertia.from_center_of_mass(2.0, [0.0, 0.02, 0.10], np.diag([0.006, 0.006, 0.004]))
loaded = robot.with_payload("link7", box)

# Thirty seconds of some motion at 100 Hz; the box is held from 8 s to 20 s.
middle = [0.0, 0.0, 0.0, -1.5, 0.0, 1.5, 0.0]
series = 0.4 * np.random.default_rng(2).normal(size=(7, 6))  # three harmonics of 0.2 Hz, [rad/s]
words = {"base_frequency": 0.2, "harmonics": 3, "periods": 6, "offset": middle}
run = bf.Fourier(joint_names=robot.joint_names, coefficients=series, **words).sample(100)
held = (run.time >= 8) & (run.time < 20)
state = run.position, run.velocity, run.acceleration
torque = np.where(held[:, None], loaded.inverse_dynamics(*state), robot.inverse_dynamics(*state))
torque += np.random.default_rng(0).normal(scale=0.2, size=torque.shape)

tracker = bf.attach(robot, "link7", noise=0.2)
for first in range(0, len(run), 100):  # a second at a time; one reading at a time does as well
    part = slice(first, first + 100)
    tracker.run(run.time[part], *(channel[part] for channel in state), torque[part])
    load = tracker.payload
    if round(run.time[first]) % 3 == 0:
        print(f"{run.time[part][-1]:5.2f} s   {load.mass:5.2f} kg   centre {np.round(load.center_of_mass, 3)} m")
    if first == 1900:
        carried = load

print(f"carried: {carried.mass:.2f} kg, truth {box.mass:.2f}; put down again: {load.mass:.2f} kg")

# A controller that wants to know: the robot as it is now.
print("torque to hold the last pose:", np.round(tracker.with_payload().gravity_torque(run.position[-1]), 2), "N m")

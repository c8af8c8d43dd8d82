"""A virtual machine plays the motions of example 03, and its sensors record them.

    python examples/04_simulate.py        reads train_motion.csv and test_motion.csv, writes train.csv and test.csv

With a real robot this is where you leave Python: play the motion, slowest version first, and log positions and torques.
"""

import numpy as np

import bifilar as bf

described = bf.Robot.load("panda")

# No machine is like its description. This one's links are up to 25 % heavier or lighter, and its joints have friction.
factors = np.random.default_rng(5).uniform(0.75, 1.25, (len(described.body_names), 1))
machine = described.with_body_parameters(factors * described.body_parameters)
friction = {"viscous": 0.8, "coulomb": 0.6, "offset": 0.2}
values = {f"{joint}.{term}": value for joint in described.joint_names for term, value in friction.items()}
machine = machine.with_friction(bf.Viscous() + bf.Coulomb() + bf.Offset(), values)

# Its dynamics are MuJoCo's, which share no code with ours. The controller believes the description, as a real one would;
# encoders count, torques are noisy, the clock is not quite steady.
plant = bf.VirtualRobot(machine, controller_model=described.model())
for seed, name in enumerate(("train", "test")):
    motion = bf.load_motion(f"{name}_motion.csv", joint_names=described.joint_names)
    recording = plant.play(motion, rate=200, sensors=bf.Sensors.realistic(), seed=seed)
    recording.save(f"{name}.csv")
    print(name, recording)

"""A motion worth recording: the one that tells most about the parameters and provably breaks no limit.

    python examples/03_design_a_motion.py        writes train_motion.csv and test_motion.csv

The motions are for example 04; `bifilar design panda --duration 6 -o excite.csv` does the same in a shell.
"""

import bifilar as bf

robot = bf.Robot.load("panda").with_friction(bf.Viscous() + bf.Coulomb() + bf.Offset())

# Joint limits, their speeds, accelerations and torques are kept anyway. On a real table, add what else must not happen:
# constraints=[bf.Above("flange", 0.15), bf.SpeedBelow("flange", 1.0)], Within a box, Clearance between links and obstacles.

for name, seed in (("train", 0), ("test", 1)):
    design = bf.design(robot, duration=6.0, harmonics=3, starts=1, seed=seed)
    design.save(f"{name}_motion.csv")  # with slower versions to try first, and a certificate of what was proven

    # Margins are proven for every instant, not for the samples of the file.
    tightest = min(design.certificate.run(1.0).margins, key=lambda margin: margin.room / margin.limit)
    print(f"{name}: {tightest.name} has {tightest.room:.3g} {tightest.unit} of room")

# How well will each parameter be known, before anything has moved? Standard deviations, for the noise that was assumed.
for name, deviation in sorted(design.deviations.items(), key=lambda item: item[1])[:5]:
    print(f"{name:20} ± {deviation:.4f}")

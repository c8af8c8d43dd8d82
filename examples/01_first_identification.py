"""A first identification: two recordings of a robot, a better robot, and whether to believe it.

    python examples/01_first_identification.py panda demo/train.parquet demo/test.parquet

`make demo` makes the recordings: a Panda that is up to 30 % unlike its description, with friction that nobody described.
"""

import sys

import bifilar as bf


def main(name: str, train_file: str, test_file: str) -> None:
    robot = bf.Robot.load(name)
    train, test = (bf.Recording.load(file, robot) for file in (train_file, test_file))

    for finding in train.check(robot):  # most identification failures are data failures, and a fit hides them
        print(finding)

    # Links that a real body can have; friction that the description lacks; torque and model filtered alike.
    friction = bf.Viscous() + bf.Coulomb(width=0.01) + bf.Offset()
    estimate = bf.fit(robot, train, friction=friction)
    print(estimate.summary())

    # What counts is motion that was not fitted.
    validation = bf.held_out(estimate, test, described=robot)
    for row in validation.table():
        print("".join(f"{cell:>14}" for cell in row))
    print(f"\nverdict: {bf.judge(estimate, validation)}")

    estimate.robot.save("identified.urdf")


if __name__ == "__main__":
    main(*sys.argv[1:])

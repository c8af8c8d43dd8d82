"""From two recordings to a better robot: masses, inertias and friction with error bars.

    python examples/06_fit.py                                              reads train.csv of example 04
    python examples/06_fit.py panda demo/train.parquet                     or a robot and a log of yours

In a shell, with verdict and files: bifilar fit panda train.csv --test test.csv
"""

import sys

import bifilar as bf


def main(name: str = "panda", train_file: str = "train.csv") -> None:
    robot = bf.Robot.load(name)
    train = bf.Recording.load(train_file, robot)

    # Links that a real body can have; friction that the description lacks; torque and model filtered alike.
    friction = bf.Viscous() + bf.Coulomb(width=0.01) + bf.Offset()
    estimate = bf.fit(robot, train, friction=friction)

    # What torque can tell are sums of parameters (example 02). Every one has a deviation, and is 'identified' if that is small.
    identified = int(estimate.identified.sum())
    print(f"{estimate.rows} rows; {identified} of {len(estimate.names)} base parameters identified; {estimate.status}")

    # Single masses: some follow from the data, for others the description was believed. The estimate says which.
    now = estimate.parameters
    for k, parameter in enumerate(now.names):
        if parameter.endswith((".mass", ".viscous", ".coulomb")):
            deviation, origin = estimate.parameter_deviations[k], estimate.origins[k]
            print(f"{parameter:18} {now.values[k]:8.3f} ± {deviation:6.3f}  from {origin}")

    bf.save_estimate(estimate, "estimate")  # a folder: numbers, covariance, how it was made


if __name__ == "__main__":
    main(*sys.argv[1:])

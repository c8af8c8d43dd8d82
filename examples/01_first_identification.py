"""A first identification: two recordings of a robot, a better model of it, and a look at whether to believe it.

    python examples/01_first_identification.py panda demo/train.parquet demo/test.parquet

`make demo` makes the recordings: a Panda that is up to 30 % unlike its description, with friction that nobody described.
"""

import sys

import numpy as np
from rich.console import Console
from rich.table import Table

import bifilar as bf
from bifilar.recording.recording import Truth

HARMONICS = 200  # of the measured positions, far more than were designed: friction makes a machine stick where it turns
EDGE = 0.2  # [s] left out at both ends, where the series is not at its best


def samples(file: str, robot: bf.Robot) -> tuple[np.ndarray, ...]:
    """Positions, velocities, accelerations and torques of a recording of one period.

    Differences of measured positions would be noise. A Fourier series through them has exact derivatives (bargsten2013); the
    machine does not end exactly where it began, and a straight line takes that up.
    """
    recording = bf.Recording.load(file)
    time, period, names = recording.time - recording.time[0], recording.duration, recording.joint_names
    slope = (recording.position[-1] - recording.position[0]) / period
    line = slope * time[:, None]
    fit = bf.refit(time, recording.position - line, base_frequency=1 / period, harmonics=HARMONICS, joint_names=names)
    motion = fit.trajectory.at(time)
    inner = (time > EDGE) & (time < period - EDGE)
    order = [names.index(name) for name in robot.joint_names]
    table = (motion.position + line, motion.velocity + slope, motion.acceleration, recording.torque)
    return tuple(array[inner][:, order] for array in table)


def error(model: bf.Model, data: tuple[np.ndarray, ...]) -> np.ndarray:
    """Torque error of a model per joint, as a share of the measured torque."""
    position, velocity, acceleration, torque = data
    predicted = model.inverse_dynamics(position, velocity, acceleration)
    return np.sqrt(((predicted - torque) ** 2).mean(axis=0) / (torque**2).mean(axis=0))


def main(name: str, train_file: str, test_file: str) -> None:
    robot = bf.Robot.load(name).with_friction(bf.Viscous() + bf.Coulomb(width=0.01) + bf.Offset())
    train, test = samples(train_file, robot), samples(test_file, robot)

    base = bf.base_parameters(robot)
    answer = bf.solve(bf.reduce(robot, train, columns=base))
    identified = base.model(robot, answer)

    show_parameters(robot, base, answer, bf.Recording.load(train_file).truth)
    floor = answer.noise / np.sqrt((test[3] ** 2).mean(axis=0))
    rows = [
        [joint, *(f"{100 * value:.1f} %" for value in errors)]
        for joint, *errors in zip(robot.joint_names, error(robot, test), error(identified, test), floor)
    ]
    show("Torque error on a motion that was not fitted", ["joint", "description", "identified", "noise alone"], rows)
    print("Shares of the measured torque, root mean square. Noise alone is what a perfect model would show.")


def show_parameters(robot: bf.Robot, base: bf.BaseParameters, answer: bf.Solution, truth: Truth | None) -> None:
    """The ten base parameters of which it is surest that the description has them wrong; the truth, where it is known."""
    described = base.from_full(robot.parameters())
    ours = np.array([not name.endswith(".offset") for name in base.independent])  # torque sensors have offsets of their own
    surest = np.argsort(-(ours * np.abs(answer.values - described)) / answer.deviations)[:10]
    columns = [described, answer.values, 2 * answer.deviations]
    titles = ["base parameter", "description", "identified", "± 2 deviations"]
    if truth is not None and truth.parameters is not None:
        known = truth.parameters
        columns.append(base.from_full([known[name] if name in known.names else 0.0 for name in base.names]))
        titles.append("truth")
    rows = [[base.independent[k], *(f"{column[k]:.4f}" for column in columns)] for k in surest]
    show(f"{len(base)} base parameters from {answer.samples:,} samples; the ten that changed most surely", titles, rows)
    if len(columns) == 4:
        inside = np.abs(columns[1] - columns[3]) <= columns[2]
        print(f"The truth is inside two deviations for {inside[ours].sum()} of {ours.sum()} (offsets left out: the sensors")
        print("have their own). 95 % would be right: torque that arrives 1 ms late and states from a fit are not in the bars.")


def show(title: str, head: list[str], rows: list[list[str]]) -> None:
    """A table on the terminal."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    for column in head:
        table.add_column(column, justify="left" if column == head[0] else "right")
    for row in rows:
        table.add_row(*row)
    screen = Console(highlight=False)
    screen.print(f"\n[bold]{title}[/bold]")
    screen.print(table)


if __name__ == "__main__":
    main(*sys.argv[1:])

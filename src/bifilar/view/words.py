"""What the viewer's panel says in words; names of a stranger's file are escaped."""

from __future__ import annotations

from html import escape

from bifilar.robot.robot import Robot

SMALL = 'style="font-size: 0.8em; margin: 0.3em 0.75em"'
CELL = 'style="text-align: right; padding: 0 0.4em"'


def headline(robot: Robot, identified: Robot | None = None) -> str:
    """Name, joints and weight.

    >>> headline(bf.Robot.load("pendulum"))
    '<p style="..."><b>pendulum</b>, 1 joint; described 1.00 kg</p>'
    """
    count = len(robot.joint_names)
    weight = f"described {sum(robot.body_parameters[:, 0]):.2f} kg"
    weight += "" if identified is None else f", identified {sum(identified.body_parameters[:, 0]):.2f} kg"
    return f"<p {SMALL}><b>{escape(robot.name)}</b>, {count} joint{'' if count == 1 else 's'}; {weight}</p>"


def mass_table(robot: Robot, identified: Robot | None = None) -> str:
    """Masses of the bodies [kg], before and after.

    >>> mass_table(bf.Robot.load("pendulum")).count("<tr>")  # the head, the base and the link
    3
    """
    robots = [robot] if identified is None else [robot, identified]
    masses = [{name: float(ten[0]) for name, ten in zip(one.body_names, one.body_parameters)} for one in robots]
    head = "".join(f"<th {CELL}>{word}</th>" for word in ("described", "identified")[: len(robots)])
    rows = [f"<tr><th></th>{head}</tr>"]
    for name in robots[-1].body_names:
        cells = "".join(f"<td {CELL}>{f'{of[name]:.2f}' if name in of else ''}</td>" for of in masses)
        rows.append(f"<tr><td>{escape(name)}</td>{cells}</tr>")
    return f"<table {SMALL}>{''.join(rows)}</table>"

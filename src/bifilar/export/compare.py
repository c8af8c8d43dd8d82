"""Who reads a written file again, and whether it is the same robot then: others where they can, bifilar itself where not."""

from __future__ import annotations

from bifilar.dynamics.tree import Array
from bifilar.errors import RobotError
from bifilar.estimate.estimate import BaseEstimate, Estimate
from bifilar.export.formats import TABLES, Format
from bifilar.export.parity import States, carried_torque, demand, difference, states_of
from bifilar.export.table import table_torque, values_from_csv, values_from_json
from bifilar.robot.robot import Robot

OURSELVES = "bifilar itself"


def compared(data: bytes, subject: Robot | BaseEstimate, format: Format, where: str) -> tuple[str, float]:
    """Who read the file again, and how far its torques are off; refuses what is another robot.

    >>> robot = bf.Robot.load("pendulum")
    >>> from bifilar.export.write_model import written
    >>> compared(written(robot, "YAML"), robot, "YAML", "pendulum.yaml")[0]
    'bifilar itself'
    """
    robot = subject.described if isinstance(subject, BaseEstimate) else subject
    states = states_of(robot)
    if format in ("URDF", "MJCF"):
        return _by_others(data, robot_of(subject), format, states, where)
    try:
        off = difference(*_by_ourselves(data, subject, format, states))
    except (LookupError, ValueError, TypeError) as error:
        raise RobotError("export.not_read_again", where=where, format=format, kind=type(error).__name__, error=error) from None
    demand(off, OURSELVES, where)
    return OURSELVES, off


def robot_of(subject: Robot | BaseEstimate) -> Robot:
    """The robot itself, or the one that was identified.

    >>> robot_of(bf.Robot.load("pendulum")).name
    'pendulum'
    """
    if isinstance(subject, Estimate):
        return subject.robot
    assert isinstance(subject, Robot)
    return subject


def _by_others(data: bytes, robot: Robot, format: Format, states: States, where: str) -> tuple[str, float]:
    """MuJoCo, and Pinocchio for a URDF; ourselves where neither takes it."""
    from bifilar.export import reread

    wanted = carried_torque(robot, format, states)
    programs = [(reread.mujoco_name(), reread.mujoco_torque)]
    if format == "URDF" and reread.pinocchio_name():
        programs.append((reread.pinocchio_name(), reread.pinocchio_torque))
    readers, refusals, worst = [], [], 0.0
    for name, torque in programs:
        try:
            off = difference(torque(data, robot, states), wanted)
        except reread.RefusedError as refusal:
            refusals.append(f"{name.split()[0]} does not take it: {refusal}")
            continue
        demand(off, name, where)
        readers.append(name)
        worst = max(worst, off)
    if not readers:
        if format == "MJCF":
            raise RobotError("export.mujoco_refuses", where=where, refusal=refusals[0])
        readers, worst = [OURSELVES], difference(_own_urdf(data, robot, states), wanted)
        demand(worst, OURSELVES, where)
    return ", ".join(readers) + (f" ({'; '.join(refusals)})" if refusals else ""), worst


def _own_urdf(data: bytes, robot: Robot, states: States) -> Array:
    from bifilar.robot.read_urdf import parse_urdf

    read = Robot.build(parse_urdf(data, "the written file"), floating=robot.is_floating, gravity=robot.gravity)
    return read.inverse_dynamics(states.q, states.v, states.a, base=states.base)


def _by_ourselves(data: bytes, subject: Robot | BaseEstimate, format: Format, states: States) -> tuple[Array, Array]:
    """Torque of the file and torque of the subject."""
    model = subject.model if isinstance(subject, BaseEstimate) else subject
    if format in TABLES:
        values = values_from_json(data) if format == "JSON" else values_from_csv(data)
        read = table_torque(values, subject, states)
    elif format == "SDF":
        from bifilar.export.read_sdf import sdf_torque

        return sdf_torque(data, robot_of(subject), states), carried_torque(robot_of(subject), "SDF", states)
    else:
        from bifilar.export.yaml_file import yaml_torque

        read = yaml_torque(data, robot_of(subject), states)
    return read, model.inverse_dynamics(states.q, states.v, states.a, base=states.base)

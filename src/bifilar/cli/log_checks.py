"""Logs of commands beside `fit` are looked at as its own are: errors end it, what is merely odd is told with the result."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from bifilar.recording.recording import Recording
from bifilar.robot.robot import Robot

OF_MOTION = frozenset({"rate", "speed", "delay", "excitation", "still"})  # findings that say nothing about poses that are held
WAY_OUT = "{remedy}; --anyway takes it as it is"
USUAL = {"excitation", "coarse", "stuck"}  # of logs that move a joint at a time


def as_decided(robot: Robot, logs: Sequence[Recording]) -> tuple[list[Recording], list[str]]:
    """Logs whose torque is moved by a delay that they clearly show together, and what was decided, in sentences.

    >>> from bifilar.recording.check import example
    >>> log, arm = example()
    >>> as_decided(arm, [log])[1]
    []
    """
    from bifilar.estimate.log_reading import decided, sentences
    from bifilar.recording.log_delay import in_time
    from bifilar.recording.recipes import recipe_of

    found = decided(robot, logs, recipe_of("default", kinematics="derived"))
    return [in_time(log, recipe_of(found.recipe).delay or 0.0) for log in logs], list(sentences(found.tables))


def looked_at(
    logs: Sequence[tuple[str, Recording]],
    robot: Robot,
    *,
    anyway: bool = False,
    current: bool = False,
    without: Collection[str] = frozenset(),
) -> list[str]:
    """What is odd about the logs, in sentences; errors are refused unless `anyway`. The rest as for `checked`.

    >>> from bifilar.recording.check import example
    >>> log, arm = example()
    >>> looked_at([("run.csv", log)], arm)
    []
    >>> looked_at([("run.csv", log.with_channel("position", np.degrees(log.position)))], arm)
    Traceback (most recent call last):
    ...
    bifilar.errors.RecordingError: position: of 'joint1' spans ... rad, its limits are -3.142 to 3.142
      where   run.csv
      likely  it is in degrees
      try     --unit position=deg; --anyway takes it as it is
    """
    from bifilar.cli.fit_run import checked, refuse

    found = [(name, checked(name, log, robot, current=current, without=without)) for name, log in logs]
    if not anyway:
        refuse(found, WAY_OUT)
    odd = [(name, one) for name, findings in found for one in findings.alarms if one.code not in USUAL]
    return [f"{one.severity} of {name}: {one.where}: {one.what}" for name, one in odd]

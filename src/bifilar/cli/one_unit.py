"""`--unit position=deg` holds for every log of a command. A log that was in radians already then hardly moves: it is told."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bifilar.cli.output import typed_command
from bifilar.errors import RecordingError
from bifilar.recording.recording import Recording
from bifilar.recording.units import unit

NEAR = 3.0  # ranges of motion differ by less, once units agree


def refuse_two_units(units: Sequence[str], logs: Sequence[tuple[str, Recording]]) -> None:
    """Refuse logs of which one moves as much less than another as the declared unit of positions makes it.

    >>> swing = Recording(joint_names=("hip",), time=[0.0, 1.0], position=[[0.0], [1.0]])
    >>> tiny = Recording(joint_names=("hip",), time=[0.0, 1.0], position=[[0.0], [0.02]])
    >>> refuse_two_units(["position=deg"], [("a.csv", swing), ("b.csv", tiny)])
    Traceback (most recent call last):
    ...
    bifilar.errors.RecordingError: 'b.csv' moves 50 times less than 'a.csv', and both were read with --unit position=deg
      where   b.csv
      likely  one is in degrees, the other in radians already
      try     bifilar convert a.csv a.parquet --unit position=deg, then name a.parquet, without --unit
    >>> refuse_two_units([], [("a.csv", swing), ("b.csv", tiny)])
    """
    said = next((word for word in units if word.startswith("position=")), None)
    moved = {
        name: float(np.ptp(log.position, axis=0).max(initial=0.0))
        for name, log in logs
        if log.position is not None and len(log)
    }
    if said is None or len(moved) < 2:
        return
    factor = unit(said.partition("=")[2]).factor
    most, least = max(moved, key=moved.__getitem__), min(moved, key=moved.__getitem__)
    if moved[least] <= 0 or factor >= 1 / NEAR or not 1 / NEAR < factor * moved[most] / moved[least] < NEAR:
        return
    times = moved[most] / moved[least]
    made = most.rpartition(".")[0] + ".parquet"
    raise RecordingError(
        "unit.mixed/one_unit" if said.endswith("deg") else "unit.mixed/refuse_two_units",
        where=least,
        least=least,
        times=times,
        most=most,
        said=said,
        typed_command=typed_command("bifilar", "convert", most, made, "--unit", said),
        rpartition=most.rpartition(".")[0],
    )

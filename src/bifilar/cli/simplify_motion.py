"""Whether a log is of the motion that was designed for its stage.

Every stage of `bifilar simplify --next` has a motion of its own, and its model is told by what that motion shows. Pieces of the
designed path are looked for in the log (`validate.repeats`); a way to the first pose, a second round and a controller that
follows badly do no harm, another motion, a slower one or half of one do.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bifilar.cli.simplify_folder import StageError
from bifilar.experiment.fourier import Fourier
from bifilar.recording.recording import Recording
from bifilar.validate.repeats import repeated

RATE = 100.0  # [Hz] at which a designed motion is compared with its log
TRACKED = 0.25  # deviations of a joint by which a machine may be off its motion: far more than a controller leaves
COVERED = 0.5  # of the motion that its logs must show


def refuse_other_motion(motion: Fourier, file: str, logs: Sequence[tuple[str, Recording]]) -> None:
    """Refuse logs that together go through less than half of a motion; `file` is the one that holds it.

    >>> swing = bf.Fourier(joint_names=["hip"], base_frequency=0.2, harmonics=1, coefficients=[[1.0, 0.0]])
    >>> state = swing.sample(50.0)
    >>> ran, slow = (Recording(joint_names=("hip",), time=k * state.time, position=state.position) for k in (1, 4))
    >>> refuse_other_motion(swing, "stage-01.csv", [("log-01.csv", ran)])
    >>> refuse_other_motion(swing, "stage-01.csv", [("log-01.csv", slow.part(None, 9.0))])
    Traceback (most recent call last):
    ...
    bifilar.cli.simplify_folder.StageError: 'log-01.csv' goes through 10 % of the motion in 'stage-01.csv'
      where   log-01.csv
      likely  the log of another motion, of the same at a lower speed, or one that ended early
      try     run stage-01.csv at full speed and record it; --anyway takes the log as it is
    """
    state = motion.sample(RATE)
    planned = Recording(joint_names=motion.joint_names, time=state.time, position=state.position)
    share = repeated([log.joints(motion.joint_names) for _, log in logs], [planned], near=TRACKED)
    if share >= COVERED:
        return
    raise StageError(
        "simplify.other_motion",
        where=logs[0][0],
        names=[f"'{Path(name).name}'" for name, _ in logs],
        log_count=len(logs),
        share=share,
        file=file,
    )

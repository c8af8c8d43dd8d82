"""The folder of `bifilar simplify --next`: a motion for every model, and the logs that come back.

begun.json       what it was begun with: robot and limits by their hashes, friction, duration, rule, how logs are read
stage-01.csv     the motion to run; stage-01_10.csv and so on are slower ones, stage-01.certificate.json proves them all
stage-01.json    parameters, condition number, what went and why, hashes of the logs and the stage that said so
log-01.csv       what was recorded, in any format that bifilar reads; log-01-a.csv and log-01-b.csv are two of them, and a
                 page or a note beside them, log-01.html, is none

A stage's .json is written last and whole: what a killed command left unfinished is made again, to the same digits. Logs are
the user's and are never written to.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bifilar.cli.fit_folder import input_facts
from bifilar.errors import BifilarError, ResourceError
from bifilar.estimate.simplify_loop import Stage
from bifilar.experiment.certify import certify
from bifilar.experiment.compose import SPEEDS
from bifilar.experiment.constraints import Constraint
from bifilar.experiment.fingerprint import series_of
from bifilar.experiment.fourier import Fourier
from bifilar.experiment.save_certified import save_certified
from bifilar.formats import KEY, SIMPLIFY
from bifilar.readers import is_called
from bifilar.robot.robot import Robot
from bifilar.robot.write_file import write_file

BEGUN = "begun.json"


class StageError(BifilarError):
    """A folder of stages that cannot be gone on with.

    >>> StageError("begun with another robot").exit_code
    3
    """


def read_begun(folder: Path) -> dict[str, Any] | None:
    """What a folder was begun with; None if it is new or empty.

    >>> read_begun(Path("nowhere")) is None
    True
    """
    if (folder / BEGUN).is_file():
        facts = _read(folder / BEGUN)
        if not isinstance(facts.get("settings", {}), dict):
            raise _unreadable(folder / BEGUN, ValueError("no settings"))
        return facts
    if folder.exists() and not folder.is_dir():
        raise StageError("folder.is_file/simplify_folder", where=str(folder))
    strange = sorted(path.name for path in folder.iterdir() if not path.name.startswith(".")) if folder.is_dir() else []
    if strange:
        raise StageError("folder.strange/simplify_folder", where=str(folder), strange=strange[0])
    return None


def write_begun(folder: Path, facts: Mapping[str, Any]) -> None:
    """Remember what a folder is begun with.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp(), "steps")
    >>> write_begun(folder, {"robot": "abc"})
    >>> read_begun(folder)["robot"]
    'abc'
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ResourceError("folder.unwritable/simplify_folder", where=str(folder), strerror=error.strerror) from None
    _write(folder / BEGUN, facts)


def stage_path(folder: Path, number: int) -> Path:
    """The motion of a stage.

    >>> stage_path(Path("steps"), 3).name
    'stage-03.csv'
    """
    return folder / f"stage-{number:02d}.csv"


def stage_file(folder: Path, number: int) -> Path:
    """What is remembered of a stage.

    >>> stage_file(Path("steps"), 3).name
    'stage-03.json'
    """
    return stage_path(folder, number).with_suffix(".json")


def log_path(folder: Path, number: int) -> Path:
    """Where the log of a stage is looked for first.

    >>> log_path(Path("steps"), 3).name
    'log-03.csv'
    """
    return folder / f"log-{number:02d}.csv"


def logs_of(folder: Path, number: int) -> tuple[str, ...]:
    """Logs of a stage: whatever is called log-03, with any ending that logs have.

    >>> logs_of(Path("nowhere"), 1)
    ()
    """
    ours = re.compile(rf"log-0*{number}(?!\d).*")
    found = sorted(folder.iterdir()) if folder.is_dir() else []
    return tuple(str(path) for path in found if ours.fullmatch(path.name) and is_called("recording", path))


def save_stage(
    folder: Path,
    number: int,
    stage: Stage,
    robot: Robot,
    constraints: Sequence[Constraint],
    rate: float,
    made_from: Sequence[str] = (),
) -> None:
    """Write the motion with its proof, then the stage; `made_from` are logs and file of the stage before."""
    proof = certify(robot, stage.motion, constraints=constraints, speeds=SPEEDS)
    save_certified(stage_path(folder, number), robot, proof, rate)
    facts = {name: getattr(stage, name) for name in ("kept", "condition", "dropped", "why")}
    facts |= {name: _finite(getattr(stage, name)) for name in ("before", "score")}
    facts |= {
        "motion": series_of(stage.motion),
        "made from": {Path(name).name: input_facts(name)["sha256"] for name in made_from},
    }
    _write(stage_file(folder, number), facts)


def load_stage(folder: Path, number: int) -> Stage | None:
    """A stage that was written; None if it was not. Files that have changed since it was made from them are refused.

    >>> load_stage(Path("nowhere"), 1) is None
    True
    """
    file = stage_file(folder, number)
    if not file.is_file():
        return None
    facts = _read(file)
    try:
        for name, digest in facts["made from"].items():
            _unchanged(folder / name, digest, number)
        return Stage(
            kept=tuple(facts["kept"]),
            motion=Fourier(**facts["motion"]),
            condition=float(facts["condition"]),
            before=np.inf if facts["before"] is None else float(facts["before"]),
            dropped=tuple(facts["dropped"]),
            score=np.nan if facts["score"] is None else float(facts["score"]),
            why=str(facts["why"]),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise _unreadable(file, error) from None


def _unchanged(file: Path, digest: str | None, number: int) -> None:
    if digest is None or input_facts(str(file))["sha256"] == digest:
        return
    what = "is gone" if not file.exists() else "is not what it was"
    raise StageError("simplify.changed/simplify_folder", where=str(file), name=file.name, thing=what, number=number)


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _write(path: Path, facts: Mapping[str, Any]) -> None:
    write_file(path, (json.dumps({KEY: SIMPLIFY.stamp, **facts}, indent=1, allow_nan=False) + "\n").encode())


def _read(path: Path) -> dict[str, Any]:
    try:
        facts = dict(json.loads(path.read_text("utf-8")))
        SIMPLIFY.check(facts, str(path))
        return facts
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise _unreadable(path, error) from None


def _unreadable(path: Path, error: Exception) -> StageError:
    return StageError("simplify.unreadable", where=str(path), error=error)

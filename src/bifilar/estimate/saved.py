"""An estimate on disk: a description, a JSON of facts for people and programs, an NPZ of exact numbers. No pickles.

    robot.urdf       what was fitted, with the description's own numbers
    estimate.json    method, status, notes, friction terms; every value with its deviation
    estimate.npz     values and covariances, exact

`load_estimate` reads the three back; values are the same to the last digit, predictions to rounding.
"""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.errors import Note, SolveError
from bifilar.estimate.estimate import BaseEstimate, Estimate
from bifilar.estimate.status import Status
from bifilar.formats import ESTIMATE, KEY
from bifilar.recording.recipes import Recipe
from bifilar.robot.base_parameters import base_parameters
from bifilar.robot.friction_data import drivetrain_data, drivetrain_from, friction_data, friction_from
from bifilar.robot.robot import Robot
from bifilar.robot.write_file import write_file

ROBOT, FACTS, NUMBERS = "robot.urdf", "estimate.json", "estimate.npz"
PREDICTOR = "torque_predictor"  # folder of the estimate that only predicts torque, where there is one
MOST = 1 << 28  # [bytes] of arrays that are read: far beyond any robot


def save_estimate(estimate: BaseEstimate, folder: str | os.PathLike[str]) -> None:
    """Write an estimate into a folder, which is made if it is not there.

    >>> import tempfile
    >>> robot = bf.Robot.load("pendulum")
    >>> q, v, a = np.random.default_rng(0).normal(size=(3, 200, 1))
    >>> estimate = bf.LeastSquares().fit(robot, (q, v, a, robot.inverse_dynamics(q, v, a)))
    >>> folder = tempfile.mkdtemp()
    >>> save_estimate(estimate, folder)
    >>> bool((load_estimate(folder).values == estimate.values).all())
    True
    """
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    estimate.described.save(place / ROBOT)
    arrays = {"values": estimate.values, "covariance": estimate.covariance, "noise": estimate.noise}
    arrays["body_parameters"] = estimate.described.body_parameters
    more = {"seen": estimate.seen, "freedom": estimate.freedom, "importance": estimate.importance}
    arrays |= {name: array for name, array in more.items() if array is not None}
    if isinstance(estimate, Estimate):
        arrays |= {"parameters": estimate.parameters.values, "parameter_covariance": estimate.parameter_covariance}
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)  # type: ignore[arg-type]
    write_file(place / NUMBERS, buffer.getvalue())
    if isinstance(estimate, Estimate) and estimate.predictor is not None:
        save_estimate(estimate.predictor, place / PREDICTOR)
    write_file(place / FACTS, (json.dumps(estimate_facts(estimate), indent=2, allow_nan=False) + "\n").encode())


def estimate_facts(estimate: BaseEstimate) -> dict[str, Any]:
    """Everything about an estimate as plain data: what `estimate.json` holds.

    >>> robot = bf.Robot.load("pendulum")
    >>> q, v, a = np.random.default_rng(0).normal(size=(3, 200, 1))
    >>> facts = estimate_facts(bf.LeastSquares().fit(robot, (q, v, a, robot.inverse_dynamics(q, v, a))))
    >>> facts["base_parameters"][0]["name"]
    'link1.mcx'
    """
    robot = estimate.described
    facts: dict[str, Any] = {
        KEY: ESTIMATE.stamp,
        "method": estimate.method,
        "status": estimate.status.data(),
        "rows": estimate.rows,
        "recipe": _recipe(estimate.recipe),
        "notes": list(map(str, estimate.notes)),
        "findings": [Note.of(note).data() for note in estimate.notes],
        "timings": {name: float(value) for name, value in estimate.timings.items()},
        "joints": list(robot.joint_names),
        "gravity": robot.gravity.tolist(),
        "floating": robot.is_floating,
        "friction": friction_data(robot.friction),
        "drivetrain": drivetrain_data(robot.drivetrain),
        "drive_values": dict(zip(robot.drive_columns.names, robot.drive_values.tolist())),
        "noise": dict(zip(robot.row_names(), map(_number, estimate.noise))),
        "base_parameters": _rows(estimate.names, estimate.values, estimate.deviations, {"equation": estimate.base.equations()}),
        "tables": {name: plain(table) for name, table in estimate.tables.items()},
    }
    if isinstance(estimate, Estimate):
        parameters = estimate.parameters
        more = {"unit": parameters.units, "origin": estimate.origins}
        facts["parameters"] = _rows(parameters.names, parameters.values, estimate.parameter_deviations, more)
    return facts


def load_estimate(folder: str | os.PathLike[str]) -> BaseEstimate:
    """Read an estimate that `save_estimate` wrote; an `Estimate` if it was one.

    >>> load_estimate("nowhere")
    Traceback (most recent call last):
    ...
    bifilar.errors.SolveError: there is no estimate here
      where   nowhere
      try     name the folder that 'bifilar fit' wrote
    """
    place = Path(folder)
    facts, arrays = _facts(place), _arrays(place)
    robot = _robot(place, facts, arrays)
    base = base_parameters(robot)
    names = tuple(row["name"] for row in facts["base_parameters"])
    if base.independent != names or len(arrays["values"]) != len(names):
        raise SolveError("estimate.other_robot/saved", where=str(place))
    common: dict[str, Any] = {
        "described": robot,
        "base": base,
        **{name: arrays[name] for name in ("values", "covariance", "noise")},
        "status": Status(**facts["status"]),
        "method": str(facts["method"]),
        "rows": int(facts["rows"]),
        "recipe": facts["recipe"] if isinstance(facts["recipe"], str) else Recipe(**facts["recipe"]),
        "notes": tuple(map(Note.from_data, facts["findings"]) if "findings" in facts else map(Note.of, facts["notes"])),
        **{name: dict(facts[name]) for name in ("timings", "tables")},
        "seen": arrays.get("seen"),
        "freedom": arrays.get("freedom"),
        "importance": arrays.get("importance"),
    }
    if "parameters" not in facts:
        return BaseEstimate(**common)
    parameters = robot.parameters().with_values(arrays["parameters"])
    origins = tuple(row["origin"] for row in facts["parameters"])
    predictor = load_estimate(place / PREDICTOR) if (place / PREDICTOR).is_dir() else None
    own: dict[str, Any] = {"parameters": parameters, "parameter_covariance": arrays["parameter_covariance"], "origins": origins}
    return Estimate(**common, **own, predictor=predictor)


def plain(value: Any) -> Any:
    """Anything of a table as JSON knows it.

    >>> plain({"a": np.float64(1.5), "b": (1, np.inf)})
    {'a': 1.5, 'b': [1, None]}
    """
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [plain(entry) for entry in value]
    if isinstance(value, (bool, int, str)) or value is None:
        return value
    if isinstance(value, (float, np.floating)):
        return _number(value)
    if isinstance(value, (np.integer, np.bool_)):
        return value.item()
    if hasattr(value, "__dataclass_fields__"):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    return str(value)


def _number(value: Any) -> float | None:
    return float(value) if np.isfinite(value) else None


def _rows(
    names: tuple[str, ...], values: Array, deviations: Array, more: Mapping[str, tuple[str, ...]]
) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "value": _number(values[k]),
            "deviation": _number(deviations[k]),
            **{key: column[k] for key, column in more.items()},
        }
        for k, name in enumerate(names)
    ]


def _recipe(recipe: str | Recipe) -> Any:
    return recipe if isinstance(recipe, str) else {field.name: plain(getattr(recipe, field.name)) for field in fields(recipe)}


def _facts(place: Path) -> dict[str, Any]:
    if not (place / FACTS).is_file():
        raise SolveError("estimate.missing", where=str(place))
    try:
        facts = json.loads((place / FACTS).read_text("utf-8"))
        needed = ("status", "method", "rows", "recipe", "notes", "timings", "tables", "friction", "base_parameters")
        ESTIMATE.check(dict(facts), str(place / FACTS))
        missing = [name for name in needed if name not in facts]
        if missing:
            raise KeyError(missing[0])
        return dict(facts)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise _damaged(place / FACTS, error) from None


def _arrays(place: Path) -> dict[str, Array]:
    path = place / NUMBERS
    try:
        with zipfile.ZipFile(path) as archive:
            if sum(entry.file_size for entry in archive.infolist()) > MOST:
                raise ValueError("too large")
        with np.load(path, allow_pickle=False) as stored:
            return {name: np.asarray(stored[name], dtype=float) for name in stored.files}
    except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
        raise _damaged(path, error) from None


def _robot(place: Path, facts: Mapping[str, Any], arrays: Mapping[str, Array]) -> Robot:
    bare = Robot.load(place / ROBOT, floating=bool(facts["floating"]), gravity=facts["gravity"])
    drives = bare.with_friction(None).with_drivetrain(drivetrain_from(facts["drivetrain"]))
    robot = drives.with_friction(friction_from(facts["friction"]), facts["drive_values"])
    if robot.joint_names != tuple(facts["joints"]) or arrays["body_parameters"].shape != robot.body_parameters.shape:
        raise SolveError("estimate.other_robot/saved", where=str(place))
    return robot


def _damaged(path: Path, error: Exception) -> SolveError:
    return SolveError("estimate.unreadable", where=str(path), error=error)

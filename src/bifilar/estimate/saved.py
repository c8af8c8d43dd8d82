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
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, TypedDict

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.errors import FormatError, Note, SolveError
from bifilar.estimate.estimate import BaseEstimate, Estimate
from bifilar.estimate.status import Status
from bifilar.formats import ESTIMATE, KEY
from bifilar.recording.read_npz import read_npz
from bifilar.recording.recipes import Recipe
from bifilar.robot.base_parameters import base_parameters
from bifilar.robot.friction_data import drivetrain_data, drivetrain_from, friction_data, friction_from
from bifilar.robot.robot import Robot
from bifilar.robot.write_file import write_file
from bifilar.run_files import ABOUT, FACTS, NUMBERS, PREDICTOR, ROBOT, changed, refuse_changed
from bifilar.typed import damage_named, read_json


class NoteFacts(TypedDict):
    """What `Note.data` gives.

    >>> sorted(NoteFacts.__annotations__)
    ['code', 'facts', 'remedy', 'text', 'typed']
    """

    code: str
    text: str
    facts: dict[str, Any]
    remedy: str
    typed: str


class _Name(TypedDict):
    name: str


class _Parameter(_Name):
    origin: str


class _DrivetrainFacts(TypedDict):
    joints: list[str]
    motors: list[str]
    matrix: list[list[float]]


class _LaterFacts(TypedDict, total=False):
    """What runs have since it is written."""

    findings: list[NoteFacts]
    parameters: list[_Parameter]  # of an `Estimate`


class EstimateFacts(_LaterFacts):
    """What is read of `estimate.json`.

    >>> "status" in EstimateFacts.__annotations__
    True
    """

    method: str
    status: Status
    rows: int
    recipe: str | Recipe
    notes: list[str]
    timings: dict[str, float]
    tables: dict[str, Any]
    joints: list[str]
    gravity: tuple[float, float, float]
    floating: bool
    friction: list[dict[str, Any]]
    drivetrain: _DrivetrainFacts | None
    drive_values: dict[str, float]
    base_parameters: list[_Name]


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


def load_estimate(folder: str | os.PathLike[str], *, anyway: bool = False) -> BaseEstimate:
    """Read an estimate that `save_estimate` wrote; an `Estimate` if it was one.

    The folder of a run is refused if its files are not those that were written, unless `anyway`.

    >>> load_estimate("nowhere")
    Traceback (most recent call last):
    ...
    bifilar.errors.SolveError: this folder holds no estimate
      where   nowhere
      try     name the folder that 'bifilar fit' wrote
    """
    place = Path(folder)
    if not (place / FACTS).is_file():
        raise SolveError("estimate.missing", where=str(place))
    found = changed(place)
    if not anyway:
        refuse_changed(place, found)
    estimate = _estimate(place)
    unsealed = found is None and (place / ABOUT).is_file()
    return replace(estimate, notes=(*estimate.notes, Note("seal.none"))) if unsealed else estimate


def _estimate(place: Path) -> BaseEstimate:
    facts, arrays = read_json(place / FACTS, EstimateFacts, ESTIMATE), _arrays(place)
    robot = _robot(place, facts, arrays)
    base = base_parameters(robot)
    if base.independent != tuple(row["name"] for row in facts["base_parameters"]):
        raise SolveError("estimate.other_robot/saved", where=str(place))
    count = len(base.independent)
    sizes = {"values": (count,), "covariance": (count, count), "noise": (len(robot.row_names()),)}
    sizes |= {name: (count,) for name in ("seen", "freedom", "importance") if name in arrays}
    common: dict[str, Any] = {
        "described": robot,
        "base": base,
        **{name: _sized(place, arrays, name, size) for name, size in sizes.items()},
        **{name: facts[name] for name in ("status", "method", "rows", "recipe", "timings", "tables")},  # type: ignore[literal-required]
        "notes": tuple(map(Note.from_data, facts["findings"]) if "findings" in facts else map(Note.of, facts["notes"])),
    }
    if "parameters" not in facts:
        return BaseEstimate(**common)
    bodies = robot.parameters()
    own: dict[str, Any] = {"parameter_covariance": _sized(place, arrays, "parameter_covariance", 2 * bodies.values.shape)}
    own["parameters"] = bodies.with_values(_sized(place, arrays, "parameters", bodies.values.shape))
    own["origins"] = tuple(row["origin"] for row in facts["parameters"])
    if len(own["origins"]) != len(bodies.values):
        raise SolveError("estimate.other_robot/saved", where=str(place))
    predictor = _estimate(place / PREDICTOR) if (place / PREDICTOR).is_dir() else None
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


def _arrays(place: Path) -> dict[str, Array]:
    if not (place / NUMBERS).is_file():  # a pipe would wait for somebody to write
        raise FormatError("format.damaged/gone", where=str(place / NUMBERS))
    return {name: array.astype(float) for name, array in read_npz(place / NUMBERS).items() if array.dtype.kind in "fiub"}


def _sized(place: Path, arrays: Mapping[str, Array], name: str, shape: tuple[int, ...]) -> Array:
    """An array, as large as the robot says."""
    where = str(place / NUMBERS)
    if name not in arrays:
        raise FormatError("format.damaged/missing", where=where, entry=name)
    if arrays[name].shape != shape:
        raise FormatError("format.damaged", where=where, entry=name, found=f"{arrays[name].shape}", expected=f"{shape}")
    return arrays[name]


def _robot(place: Path, facts: EstimateFacts, arrays: Mapping[str, Array]) -> Robot:
    bare = Robot.load(place / ROBOT, floating=facts["floating"], gravity=facts["gravity"])
    with damage_named(str(place / FACTS)):
        drives = bare.with_friction(None).with_drivetrain(drivetrain_from(facts["drivetrain"]))
        robot = drives.with_friction(friction_from(facts["friction"]), facts["drive_values"])
    _sized(place, arrays, "body_parameters", robot.body_parameters.shape)
    if robot.joint_names != tuple(facts["joints"]):
        raise SolveError("estimate.other_robot/saved", where=str(place))
    return robot

"""Files carry the version of their format: written today they have it, without it they are read, newer ones are refused."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet
import pytest

import bifilar as bf
from bifilar import formats
from bifilar.cli import main
from bifilar.cli.control_words import _from_toml
from bifilar.cli.fit import Settings
from bifilar.cli.fit_folder import about_run
from bifilar.cli.settings_file import read_settings
from bifilar.cli.simplify_folder import read_begun, write_begun
from bifilar.cli.walk_track import fitted_phases
from bifilar.estimate.saved import load_estimate, save_estimate
from bifilar.experiment.fingerprint import digest
from bifilar.experiment.parquet import parquet_bytes
from bifilar.export.table import json_bytes, values_from_json
from bifilar.formats import FORMATS, KEY, Format
from bifilar.walking.sensor_file import carried
from bifilar.walking.walk_fit import base_of, smooth_pinned
from bifilar.walking.walker import Walker

ROBOT = bf.Robot.load("pendulum")


@dataclass(frozen=True)
class Case:
    """A file of a format: who writes it, who reads it, and how what it states is changed."""

    format: Format
    write: Callable[[Path], Path]  # into a folder; the file that carries the format
    read: Callable[[Path], object]
    kind: str = "json"


def arrays() -> tuple[np.ndarray, ...]:
    q, v, a = np.random.default_rng(0).normal(size=(3, 200, 1))
    return q, v, a, ROBOT.inverse_dynamics(q, v, a)


def write_run(folder: Path) -> Path:
    time = np.arange(0, 6, 0.01)
    rate = np.array([1.1, 2.3, 3.1])
    turns = np.outer(time, rate)
    q, v, a = (x.sum(axis=1)[:, None] for x in (np.sin(turns), rate * np.cos(turns), -(rate**2) * np.sin(turns)))
    torque = ROBOT.inverse_dynamics(q, v, a) + 0.01 * np.random.default_rng(0).normal(size=q.shape)
    log = folder / "a.csv"
    bf.Recording(joint_names=("joint1",), time=time, position=q, torque=torque).save(log)
    words = ["fit", "pendulum", str(log), "--friction", "none", "--no-page", "--anyway", "-o", str(folder / "run"), "--json"]
    assert main(words) in (0, 1)
    return folder / "run" / "run.json"


def write_estimate(folder: Path) -> Path:
    save_estimate(bf.LeastSquares().fit(ROBOT, arrays()), folder)
    return folder / "estimate.json"


def write_parameters(folder: Path) -> Path:
    (folder / "parameters.json").write_bytes(json_bytes(ROBOT))
    return folder / "parameters.json"


def write_certificate(folder: Path) -> Path:
    arm = bf.Robot.load("two_link")
    bf.certify(arm, bf.design(arm, duration=5.0, starts=1).motion).save(folder / "move.certificate.json")
    return folder / "move.certificate.json"


def write_simplify(folder: Path) -> Path:
    write_begun(folder / "steps", {"robot": "abc"})
    return folder / "steps" / "begun.json"


def write_walk(folder: Path) -> Path:
    """What `walk fit` writes, with the nominal values: a fit takes seconds (tests/stories/test_walk_cli.py has one)."""
    pinned = smooth_pinned(Walker.load("walker3"))
    base = base_of(pinned)
    values = base.from_full(pinned.parameters())
    rows = [{"name": name, "value": float(value)} for name, value in zip(base.independent, values)]
    return by_hand("walk", {KEY: formats.WALK.stamp, "parameters": rows})(folder)


def by_hand(name: str, content: dict[str, Any]) -> Callable[[Path], Path]:
    """A file that people write: JSON, or TOML of a few plain keys."""

    def write(folder: Path) -> Path:
        file = folder / f"{name}.{'json' if name == 'walk' else 'toml'}"
        lines = "".join(f"{key} = {json.dumps(value)}\n" for key, value in content.items())
        file.write_text(json.dumps(content) if name == "walk" else lines)
        return file

    return write


def write_limits(folder: Path) -> Path:
    bf.write_limits(ROBOT, folder / "limits.toml")
    return folder / "limits.toml"


def write_mapping(folder: Path) -> Path:
    (folder / "log.csv").write_text("t,q1,tau1\n0,1,2\n1,2,3\n")
    bf.suggest_mapping(folder / "log.csv", write=folder / "log.toml")
    return folder / "log.toml"


def write_sensors(folder: Path) -> Path:
    carried(Walker.load("leg"), "encoders").save(folder / "leg.sensors.toml")
    return folder / "leg.sensors.toml"


def recording(ending: str) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        q, _, _, torque = arrays()
        bf.Recording(joint_names=("joint1",), time=np.arange(200) / 100, position=q, torque=torque).save(
            folder / f"log.{ending}"
        )
        return folder / f"log.{ending}"

    return write


def write_motion(folder: Path) -> Path:
    bf.save_motion(folder / "move.parquet", bf.quintic(["joint1"], [[0.0], [1.0]], [0.0, 2.0]).sample(100))
    return folder / "move.parquet"


CASES = {
    "run": Case(formats.RUN, write_run, lambda file: about_run(file.parent)),
    "estimate": Case(formats.ESTIMATE, write_estimate, lambda file: load_estimate(file.parent)),
    "parameters": Case(formats.PARAMETERS, write_parameters, lambda file: values_from_json(file.read_bytes())),
    "certificate": Case(formats.CERTIFICATE, write_certificate, bf.Certificate.load),
    "simplify": Case(formats.SIMPLIFY, write_simplify, lambda file: read_begun(file.parent)),
    "walk": Case(formats.WALK, write_walk, lambda file: fitted_phases(Walker.load("walker3"), str(file))),
    "recording npz": Case(formats.RECORDING, recording("npz"), bf.Recording.load, "npz"),
    "recording parquet": Case(formats.RECORDING, recording("parquet"), bf.Recording.load, "parquet"),
    "motion": Case(formats.MOTION, write_motion, bf.load_motion, "parquet"),
    "settings": Case(
        formats.SETTINGS,
        by_hand("settings", {KEY: formats.SETTINGS.stamp, "cutoff": 8.0}),
        lambda file: read_settings(str(file), Settings, "fit", ["fit", "check"]),
        "toml",
    ),
    "mapping": Case(formats.MAPPING, write_mapping, bf.Mapping.load, "toml"),
    "limits": Case(formats.LIMITS, write_limits, ROBOT.with_limits, "toml"),
    "constraints": Case(formats.LIMITS, write_limits, lambda file: bf.load_constraints(ROBOT, file), "toml"),
    "sensors": Case(formats.SENSORS, write_sensors, lambda file: carried(Walker.load("leg"), file), "toml"),
    "dh": Case(formats.DH, by_hand("dh", {KEY: formats.DH.stamp, "name": "arm"}), bf.Robot.load, "toml"),
    "path": Case(
        formats.PATH,
        by_hand("path", {KEY: formats.PATH.stamp, "kind": "line", "start": [0, 0, 1.0], "stop": [0.1, 0, 1.0]}),
        lambda file: _from_toml(str(file)),
        "toml",
    ),
}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A file of every format, as it is written today."""
    made = {}
    for name, case in CASES.items():
        made[name] = case.write(tmp_path_factory.mktemp(name.replace(" ", "_")))
    dh = made["dh"]
    dh.write_text(dh.read_text() + "[[row]]\na = 0.5\nmass = 1.0\n")
    return made


def stated(file: Path, kind: str) -> object:
    """What a file says under `format`."""
    if kind == "npz":
        with np.load(file, allow_pickle=False) as content:
            return str(content[KEY])
    if kind == "parquet":
        return json.loads(pyarrow.parquet.read_schema(file).metadata[b"bifilar"])[KEY]
    return (json.loads if kind == "json" else tomllib.loads)(file.read_text("utf-8"))[KEY]


def state(file: Path, kind: str, value: object) -> None:
    """The same file with another format; None takes it away."""
    if kind == "npz":
        with np.load(file, allow_pickle=False) as stored:
            content = {key: stored[key] for key in stored.files if key != KEY}
        np.savez(file, **content, **({} if value is None else {KEY: np.array(value)}))
    elif kind == "parquet":
        table = pyarrow.parquet.read_table(file)
        facts = json.loads(table.schema.metadata[b"bifilar"])
        changed = {k: v for k, v in facts.items() if k != KEY} | ({} if value is None else {KEY: value})
        columns = np.column_stack([column.to_numpy() for column in table.columns])
        file.write_bytes(parquet_bytes(table.column_names, columns, changed))
    elif kind == "toml":
        lines = file.read_text("utf-8").splitlines()
        told = [] if value is None else [f"{KEY} = {json.dumps(value)}"]
        file.write_text("\n".join([*told, *(line for line in lines if not line.startswith(f"{KEY} ="))]) + "\n")
    else:
        content = json.loads(file.read_text("utf-8"))
        content = {k: v for k, v in content.items() if k != KEY} | ({} if value is None else {KEY: value})
        if "digest" in content:
            content |= {"digest": digest({k: v for k, v in content.items() if k != "digest"})}
        file.write_text(json.dumps(content))


@pytest.mark.parametrize("name", CASES)
def test_a_format_written_today_carries_its_version_and_is_read(name, files):
    case = CASES[name]
    assert stated(files[name], case.kind) == case.format.stamp == f"bifilar {case.format.name} {case.format.version}"
    assert case.read(files[name]) is not None


@pytest.mark.parametrize("name", CASES)
def test_versions_that_are_read_and_refused(name, files):
    case, file = CASES[name], files[name]
    state(file, case.kind, None)
    assert case.read(file) is not None  # as written before files had versions
    state(file, case.kind, f"bifilar {case.format.name} {case.format.version + 1}")
    with pytest.raises(bf.FormatError) as newer:
        case.read(file)
    assert newer.value.code == "format.newer" and newer.value.remedy and newer.value.exit_code == 3
    assert newer.value.facts.items() >= {"found": case.format.version + 1, "known": case.format.version}.items()
    nonsense = ["bifilar", f"bifilar {case.format.name}", f"bifilar {case.format.name} 0", f"bifilar {case.format.name} x", "2"]
    for value in nonsense + ([] if case.kind == "npz" else [2, True, ["bifilar"]]):
        state(file, case.kind, value)
        with pytest.raises(bf.FormatError) as unknown:
            case.read(file)
        assert unknown.value.code == "format.unknown" and unknown.value.facts["known"] == case.format.stamp
    other = formats.LIMITS if case.format is not formats.LIMITS else formats.RUN
    state(file, case.kind, other.stamp)
    with pytest.raises(bf.FormatError) as mistaken:
        case.read(file)
    assert mistaken.value.code == "format.other" and other.what in mistaken.value.what
    state(file, case.kind, case.format.stamp)
    assert case.read(file) is not None


def test_every_format_is_tested_and_old_ones_can_be_converted():
    assert {case.format.name for case in CASES.values()} == set(FORMATS)
    for each in FORMATS.values():
        assert 0 <= each.oldest <= each.version and each.version > 0
        assert each.oldest == 0 or "{file}" in each.convert, f"no command converts {each.what} of version {each.oldest - 1}"


def test_an_older_file_that_is_not_read_is_refused_with_the_command_that_converts_it():
    third = replace(formats.LIMITS, version=3, oldest=2, convert="bifilar convert {file} new.toml")
    assert third.check({KEY: "bifilar limits 2"}) == 2
    for content, found in (({KEY: "bifilar limits 1"}, 1), ({}, 0)):
        with pytest.raises(bf.FormatError) as older:
            third.check(content, "arm.toml")
        assert older.value.code == "format.older" and older.value.remedy == "bifilar convert arm.toml new.toml"
        assert older.value.facts.items() >= {"found": found, "known": 3}.items()


def test_the_command_refuses_a_newer_file_and_json_has_the_code(files, capsys):
    file = files["settings"]
    state(file, "toml", "bifilar settings 9")
    assert main(["inspect", "pendulum", "--json", "--settings", str(file)]) == 3
    error = json.loads(capsys.readouterr().out)["error"]
    assert (error["kind"], error["code"]) == ("FormatError", "format.newer")
    assert error["facts"] == {"found": 9, "known": 1, "thing": "a settings file"}
    state(file, "toml", formats.SETTINGS.stamp)


def test_a_newer_certificate_certifies_nothing(files):
    from bifilar.cli.simulate_certified import verdict

    arm, file = bf.Robot.load("two_link"), files["certificate"]
    state(file, "json", "bifilar certificate 7")
    assert "version 7" in verdict(arm, str(file.with_name("move.csv"))).uncovered
    assert bf.certificate_of(file.with_name("other.csv")) is None
    state(file, "json", formats.CERTIFICATE.stamp)

"""A reader and an estimator that are added at run time are everywhere: loading, fitting, help, messages, completion."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import bifilar as bf
import bifilar.recording as bifilar_recording
from bifilar import readers
from bifilar.cli.completion import verbs
from bifilar.errors import BifilarError, RecordingError
from bifilar.estimate import methods
from bifilar.recording.mapping import FileForm
from bifilar.recording.source import Source, from_arrays
from bifilar.robot.read_dh import from_dh

MARK = b"#TICKS\n"


def read_ticks(path: Path, form: FileForm) -> Source:
    """A log of one joint in encoder ticks."""
    table = np.loadtxt(path, ndmin=2)
    return from_arrays(str(path), {"time": table[:, 0], "joint1.position": table[:, 1] / 1000, "joint1.torque": table[:, 2]})


def read_stick(path: Path) -> bf.Description:
    """An arm of one uniform rod: its length and its mass."""
    length, mass = map(float, path.read_text("utf-8").split())
    inertia = {"xx": 1e-4, "yy": mass * length**2 / 12, "zz": mass * length**2 / 12}
    limits = {"lower": -3.0, "upper": 3.0, "velocity": 10.0, "effort": 10.0}
    row = {
        "alpha": np.pi / 2,
        "theta": -np.pi / 2,
        "mass": mass,
        "com": [length / 2, 0, 0],
        "inertia_com": inertia,
        "limits": limits,
    }
    return from_dh([row], convention="modified", name=path.stem)


TICKS = readers.Reader(
    kind="recording",
    name="ticks",
    endings=(".ticks",),
    open=read_ticks,
    sniff=lambda path, head: head.startswith(MARK),
)
STICK = readers.Reader(kind="robot", name="stick", endings=(".stick",), open=read_stick, about=".stick (a rod)")


@dataclass(frozen=True)
class Steadied:
    """Least squares that stays near the nominal model, as far as `strength` says."""

    strength: float = 1.0

    def fit(self, robot, recordings, *, strict=False, **problem):
        return bf.LeastSquares(ridge=self.strength).fit(robot, recordings, strict=strict, **problem)

    def solve(self, problem, *, strict=False):
        return bf.LeastSquares(ridge=self.strength).solve(problem, strict=strict)


STEADIED = methods.Estimator(
    name="steadied least squares",
    method=Steadied,
    word="steadied",
    about="base parameters near the nominal model",
    options={"prior": lambda share: {"strength": 1 / share**2}},
    assumes="the nominal model is right on average",
)


@pytest.fixture
def added() -> Iterator[None]:
    readers.register(TICKS)
    readers.register(STICK)
    methods.register(STEADIED)
    yield
    readers.unregister(TICKS)
    readers.unregister(STICK)
    methods.unregister(STEADIED)


@pytest.fixture
def place(tmp_path) -> Path:
    (tmp_path / "rod.stick").write_text("0.5 1.0\n", "utf-8")
    robot, time = bf.Robot.build(read_stick(tmp_path / "rod.stick")), np.arange(0, 10, 0.01)
    rate = np.array([1.3, 2.1, 2.9])
    sine, cosine = np.sin(np.outer(time, rate)), np.cos(np.outer(time, rate))
    q, v, a = (x.sum(axis=1)[:, None] for x in (sine, rate * cosine, -(rate**2) * sine))
    torque = robot.inverse_dynamics(q, v, a) + 0.01 * np.random.default_rng(0).normal(size=q.shape)
    with open(tmp_path / "swing.ticks", "wb") as file:
        file.write(MARK)
        np.savetxt(file, np.column_stack([time, 1000 * q, torque]))
    return tmp_path


def test_a_reader_is_everywhere(added, place, bifilar):
    log, rod = place / "swing.ticks", place / "rod.stick"
    robot = bf.Robot.load(rod)
    recording = bf.Recording.load(log, robot)
    assert robot.joint_names == ("joint1",) == recording.joint_names and recording.name == "swing"
    assert np.ptp(recording.position) < 7  # rad, not ticks
    log.rename(place / "anything")  # known by its first bytes, too
    assert len(bf.Recording.load(place / "anything")) == len(recording)
    (place / "anything").rename(log)

    code, out, err = bifilar("check", "swing.ticks", "--robot", "rod.stick", "--json")
    assert code == 0 and err == "" and json.loads(out)["joints"] == ["joint1"]
    assert bifilar("convert", "swing.ticks", "swing.csv")[0] == 0
    assert ".ticks" in bifilar("check", "--help")[1] and ".stick (a rod)" in bifilar("fit", "--help")[1]
    with pytest.raises(BifilarError) as missing:
        bf.Robot.load("nobody")
    assert ".stick" in missing.value.remedy
    (place / "page.csv").write_text("<html></html>")
    with pytest.raises(RecordingError) as strange:
        bf.Recording.load(place / "page.csv")
    assert ".ticks" in strange.value.remedy


def test_words_of_a_new_format_in_the_wrong_order_are_told(added, place, bifilar):
    code, _, err = bifilar("fit", "swing.ticks", "rod.stick")
    assert code == 2 and "bifilar fit rod.stick swing.ticks" in err
    code, _, err = bifilar("check", "rod.stick", "swing.ticks")
    assert code == 2 and "bifilar check swing.ticks --robot rod.stick" in err
    assert bifilar("convert", "rod.stick", "rod.csv")[0] == 2
    with pytest.raises(BifilarError) as exchanged:
        bf.Robot.load(place / "swing.ticks")
    assert "recording" in exchanged.value.likely


def test_a_reader_that_is_forgotten_is_gone(place, bifilar):
    with pytest.raises(BifilarError):
        bf.Robot.load(place / "rod.stick")
    assert ".ticks" not in bifilar("check", "--help")[1]


def test_an_estimator_is_everywhere(added, place, bifilar):
    words = ("fit", "rod.stick", "swing.ticks", "--friction", "none", "--no-page", "--json")
    code, out, err = bifilar(*words, "--method", "steadied", "--prior", "0.5")
    assert code == 0 and err == ""
    run = Path(json.loads(out)["folder"])
    assert json.loads((run / "run.json").read_text("utf-8"))["settings"]["method"] == "steadied"
    assert bifilar("rerun", str(run))[0] == 0
    (place / "fit.toml").write_text('method = "steadied"\n')
    assert bifilar(*words, "--settings", "fit.toml")[0] == 0
    assert STEADIED.as_typed({"prior": 0.5}).strength == 4.0 and STEADIED.all_settings() == {"strength": 1.0}

    shown = bifilar("fit", "--help")[1]
    assert "{consistent,least-squares,steadied}" in shown and STEADIED.about in " ".join(shown.split())
    fit = next(verb for verb in verbs() if verb.name == "fit")
    assert "steadied" in next(option for option in fit.options if option.word == "--method").choices
    assert "| steadied least squares, `bf.Steadied` |" in methods.method_table()
    small = ("--noise", "1e-4:0.01", "--starts", "1", "--duration", "3", "--methods", "steadied")
    code, out, _ = bifilar("benchmark-methods", "rod.stick", *small, "--json")
    assert code == 0 and {row["method"] for row in json.loads(out)["summaries"]} == {"steadied least squares"}


def test_an_estimator_that_is_forgotten_is_gone(place, bifilar):
    code, _, err = bifilar("fit", "pendulum", "swing.csv", "--method", "steadied")
    assert code == 2 and "--method 'steadied' is not one of consistent, least-squares" in err
    (place / "fit.toml").write_text('method = "steadied"\n')
    assert bifilar("fit", "pendulum", "swing.csv", "--settings", "fit.toml")[0] == 3


def test_a_word_belongs_to_one_estimator(added):
    with pytest.raises(BifilarError):
        methods.register(STEADIED)


def test_a_file_in_its_folder_is_all_that_a_reader_or_an_estimator_needs(tmp_path, monkeypatch):
    reader = "from bifilar.readers import Reader\nDOT = Reader(kind='recording', name='dots', endings=('.dots',), open=print)\n"
    (tmp_path / "read_dots.py").write_text(reader)
    where = "bifilar.estimate.least_squares:LeastSquares"
    estimator = f"from bifilar.estimate.methods import Estimator\nDOT = Estimator(name='dots', word='dots', method='{where}')\n"
    (tmp_path / "dots.py").write_text(estimator)
    with monkeypatch.context() as patch:
        patch.setattr(bifilar_recording, "__path__", [*bifilar_recording.__path__, str(tmp_path)])
        patch.setattr(methods, "__path__", [str(tmp_path), *methods.__path__])
        readers._built_in.cache_clear()
        methods._built_in.cache_clear()
        assert ".dots" in readers.endings("recording") and list(methods.typed()) == ["consistent", "dots", "least-squares"]
    for name in ("bifilar.recording.read_dots", "bifilar.estimate.methods.dots"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    readers._built_in.cache_clear()
    methods._built_in.cache_clear()
    assert ".dots" not in readers.endings("recording") and "dots" not in methods.typed()


@pytest.mark.parametrize("estimator", methods.estimators(), ids=lambda each: each.name)
def test_every_estimator_is_what_it_says(estimator):
    assert hasattr(bf, estimator.kind.__name__) and set(estimator.settings) <= set(estimator.all_settings())
    assert all(hasattr(estimator.kind, name) for name in ("fit", "solve"))
    assert estimator.needs_controller or estimator.make() is not None


def test_no_list_of_endings_exists_twice():
    """Endings of readers are written where the reader is; elsewhere they stand in examples, or one at a time."""
    source = Path(bf.__file__).parent
    known = {ending for kind in ("robot", "recording") for reader in readers.readers(kind) for ending in reader.endings}
    written = {"recording/bag_files.py", "recording/store.py", "experiment/files.py"}  # files of one format; what is written
    lists = []
    for path in source.rglob("*.py"):
        for line in path.read_text("utf-8").splitlines():
            named = {first for first, _ in pairwise(re.findall(r'"(\.\w+)"', line)) if first in known}
            if named and ">>>" not in line and " if " not in line and not path.name.startswith("read_"):
                lists.append(path.relative_to(source).as_posix())
    assert set(lists) <= written

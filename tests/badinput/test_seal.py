"""Runs that were changed, damaged or copied by halves: named by a code, handed on only by a word; older ones with a note."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from stored_runs import as_run, edited

import bifilar as bf
from bifilar.cli import main
from bifilar.cli.stored_run import about_run, stored
from bifilar.run_files import NAMES, changed

ROBOT = bf.Robot.load("pendulum")


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    place = tmp_path_factory.mktemp("sealed") / "run"
    q, v, a = np.random.default_rng(1).normal(size=(3, 300, 1))
    data = q, v, a, ROBOT.inverse_dynamics(q, v, a) + 0.01 * np.random.default_rng(2).normal(size=q.shape)
    as_run(place, bf.PhysicallyConsistent(prior_weight=10.0).fit(ROBOT, data, friction=bf.Viscous() + bf.Coulomb()))
    return place


@pytest.fixture
def run(template, tmp_path, monkeypatch):
    shutil.copytree(template, tmp_path / "run")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "run"


def code_of(words: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """The error of a command; '' if there is none."""
    capsys.readouterr()
    code = main([*words, "--json"])
    error = json.loads(capsys.readouterr().out).get("error", {})
    assert (code == 3) == bool(error)
    return str(error.get("code", ""))


def better(run: Path) -> None:
    edited(run, lambda about: about["verdict"].update(level="good", reasons=[]))


def heavier(run: Path) -> None:
    text = (run / "robot.urdf").read_text()
    (run / "robot.urdf").write_text(text.replace("<mass value=", "<mass  value="))


def other_value(run: Path) -> None:
    numbers = dict(np.load(run / "estimate.npz"))
    np.savez(run / "estimate.npz", **{**numbers, "values": 1.1 * numbers["values"]})


def added(run: Path) -> None:
    shutil.copyfile(run / "robot.urdf", run / "identified.urdf")


def unsealed(run: Path) -> None:
    edited(run, lambda about: about.pop("seal"))


def other_hash(run: Path) -> None:
    edited(run, lambda about: about["seal"]["files"].update({"robot.urdf": "0" * 64}))


CHANGES = {
    "run.json": better,
    "robot.urdf": heavier,
    "estimate.npz": other_value,
    "identified.urdf": added,
    "run.json without its seal": unsealed,
    "run.json with another hash": other_hash,
    "estimate.json": lambda run: (run / "estimate.json").unlink(),
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_change_is_named_and_handed_on_by_a_word_only(run, what, capsys):
    assert changed(run) == ()
    CHANGES[what](run)
    name = what.split()[0]
    assert changed(run) == (name,)
    for words in (
        ["export", "run", "-o", "x.csv"],
        ["track", "run", "log.csv"],
        ["report", "run"],
        ["validate", "run", "log.csv"],
    ):
        assert code_of(words, capsys) == "seal.broken", words
    assert not Path("x.csv").exists() and changed(run) == (name,)
    if name != "estimate.json":
        with pytest.raises(bf.FormatError) as caught:
            bf.load_estimate(run)
        assert caught.value.code == "seal.broken" and caught.value.facts["files"] == [name]
        assert bf.load_estimate(run, anyway=True).values.size
        assert main(["export", "run", "-o", "x.csv", "--anyway"]) == 0


def test_a_report_seals_again(run):
    before = json.loads((run / "run.json").read_text())
    assert main(["report", "run"]) == 0
    after = json.loads((run / "run.json").read_text())
    assert changed(run) == () and set(after["seal"]["files"]) == {*before["seal"]["files"], "report.html"}
    assert {**after, "seal": 0} == {**before, "seal": 0}
    (run / "report.html").write_text("<p>mine</p>")
    assert changed(run) == ("report.html",)  # nothing that is read of a run
    assert main(["export", "run", "-o", "x.csv"]) == 0 and main(["report", "run"]) == 0 and changed(run) == ()


def test_an_older_run_is_read_with_a_note(run, capsys):
    edited(run, lambda about: (about.pop("seal"), about.update(format="bifilar run 1")))
    assert changed(run) is None
    assert main(["export", "run", "-o", "x.csv"]) == 0 and "without a seal" in capsys.readouterr().err
    assert [note.code for note in bf.load_estimate(run).notes if note.code.startswith("seal")] == ["seal.none"]
    assert main(["report", "run"]) == 0 and changed(run) is None


@pytest.mark.parametrize("name", ["../outside.txt", "/etc/hostname", "thesis.txt"])
def test_a_seal_over_other_files_reads_none_of_them(run, name, monkeypatch):
    edited(run, lambda about: about["seal"]["files"].update({name: "0" * 64}))
    monkeypatch.setattr("bifilar.run_files.file_hash", lambda path: pytest.fail(f"{path} was read"))
    assert changed(run) == ("run.json",) and set(NAMES).isdisjoint([name])


STRANGE = (None, True, -1, 1e300, 10**400, "x", [], {}, [[]], {"a": {}}, ["\ud800"])


def places(value, path=()):
    """Where a JSON value holds others."""
    items = value.items() if isinstance(value, dict) else enumerate(value[:2]) if isinstance(value, list) else ()
    for key, inner in items:
        yield (*path, key)
        yield from places(inner, (*path, key))


@pytest.mark.parametrize("file", ["run.json", "estimate.json"])
def test_a_key_that_is_missing_or_of_another_type(run, file):
    """Every key of a run without a seal: a run that is read, or our error with a code."""
    edited(run, lambda about: (about.pop("seal"), about.update(format="bifilar run 1")))
    whole = json.loads((run / file).read_text())
    for number, path in enumerate(places(whole)):
        for value in (..., STRANGE[number % len(STRANGE)], STRANGE[(7 * number + 3) % len(STRANGE)]):
            content = json.loads(json.dumps(whole))
            inner = content
            for key in path[:-1]:
                inner = inner[key]
            if value is ...:
                del inner[path[-1]]
            else:
                inner[path[-1]] = value
            (run / file).write_text(json.dumps(content))
            try:
                found = stored(str(run))
                assert found.estimate.values.size and about_run(run)["verdict"]["level"]
            except bf.BifilarError as error:
                assert error.code and str(error)


def test_chance_finds_no_other_exception(benchmark_module):
    """The study damages twenty thousand (make study-run-fuzz)."""
    summary = benchmark_module("fuzz_runs").fuzz(90, seed=7)
    assert summary["passed"] and summary["outcomes"].keys() >= {"read", "refused"}, summary

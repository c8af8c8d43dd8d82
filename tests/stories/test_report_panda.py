"""The page about a real Panda: its two answers, and every number on it equal to the one in run.json."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from html.parser import HTMLParser
from importlib import import_module
from pathlib import Path

import pytest

import bifilar as bf
from bifilar.cli import main
from bifilar.cli.settings import parse

TRUST, NEXT = "can-i-trust-it-for-my-motion", "what-should-i-record-next"
NUMBER = re.compile(r"[-+]?\d+(?:\.(\d+))?(?:e([-+]\d+))?")


class Cells(HTMLParser):
    """Tables, sentences and commands of a page, by the id of their section."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.section, self.tables, self.words = "", {}, {}
        self.cell: list[str] | None = None
        self.feed(page.read_text("utf-8"))

    def handle_starttag(self, tag, attributes):
        if tag == "section":
            self.section = dict(attributes)["id"]
        if tag == "table":
            self.tables.setdefault(self.section, []).append([])
        if tag == "tr":
            self.tables[self.section][-1].append([])
        if tag in ("td", "th"):
            self.cell = []

    def handle_endtag(self, tag):
        if tag in ("td", "th") and self.cell is not None:
            self.tables[self.section][-1][-1].append(" ".join("".join(self.cell).split()))
            self.cell = None

    def handle_data(self, data):
        if self.cell is not None:
            self.cell.append(data)
        self.words[self.section] = f"{self.words.get(self.section, '')} {data}"

    def said(self, section):
        return " ".join(self.words[section].split())

    def rows(self, section, place=0):
        head, *rows = self.tables[section][place]
        return [dict(zip(head, row)) for row in rows]


def same(text, value, factor=1.0):
    """Whether a number as shown is that number, to half of its last digit."""
    if text == "nothing":  # of a joint's variance is explained: R² is not positive
        return value <= 1e-6
    found = NUMBER.search(text)
    digits = len(found[1] or "") - int(found[2] or 0)
    return abs(float(found[0]) - factor * value) <= 0.5 * 10.0**-digits * (1 + 1e-6)


@pytest.fixture(scope="module")
def runs(dataset, tmp_path_factory):
    """The first 70 % fitted and the rest predicted; and two seconds of it, in which little happens."""
    urdf, folder = dataset("panda_gaz/panda.urdf"), tmp_path_factory.mktemp("panda")
    shutil.copy(urdf, folder / "panda.urdf")
    log = bf.datasets.load("panda_gaz")
    border = log.time[0] + 0.7 * log.duration
    log.part(None, border).save(folder / "log.parquet")
    log.part(border).save(folder / "other.parquet")
    log.part(None, log.time[0] + 2.0).save(folder / "faint.parquet")
    arm, other = str(folder / "panda.urdf"), str(folder / "other.parquet")
    for name, run in (("log", "run"), ("faint", "bad")):
        words = ["fit", arm, str(folder / f"{name}.parquet"), "--test", other, "-o", str(folder / run), "--json"]
        assert main([*words, "--score-cutoff", "8"]) == 0
    return {
        run: (Cells(folder / run / "report.html"), json.loads((folder / run / "run.json").read_text("utf-8")))
        for run in ("run", "bad")
    }


def test_can_i_trust_it(runs):
    """Yes, with the error to expect and the joints where it is larger; with care and not everywhere after two seconds."""
    page, run = runs["run"]
    said, verdict = page.said(TRUST), run["verdict"]
    expected = re.search(
        r"Yes, for the fitted motion: expect to miss ([\d.]+ %) of the torque, more at (.+?)\. Only this", said
    )
    assert same(expected[1], verdict["relative_error"], 100)
    named = dict(re.findall(r"(panda_joint\d) \(([\d.]+ %)\)", expected[2]))
    errors = {joint["joint"]: joint["relative_error"] for joint in verdict["joints"]}
    assert set(named) == {name for name, error in errors.items() if error > 0.05}
    assert all(same(text, errors[name], 100) for name, text in named.items())
    assert "record another" in said and "bifilar validate" in said
    assert "at twice the speed" in said or "Not in poses far from the recorded ones" in said
    page, run = runs["bad"]
    said = page.said(TRUST)
    assert run["verdict"]["level"] == "usable" and "Yes" not in said and "Not in poses far from the recorded ones" in said
    loud = next(reason for reason in run["verdict"]["reasons"] if "times the noise" in reason)
    assert all(one["joint"] in loud for one in run["verdict"]["joints"] if one["error_over_noise"] > 3)
    expected = re.search(r"With care, for a motion inside the ranges below: expect to miss ([\d.]+ %)", said)
    assert same(expected[1], run["verdict"]["relative_error"], 100)


def test_what_should_i_record_next(runs):
    """The joints and the kind of motion, and commands that are understood as they stand; more of it after two seconds."""
    known = {}
    for name, (page, run) in runs.items():
        said, rows = page.said(NEXT), page.rows(NEXT)
        known[name] = sum(
            abs(one["value"]) > 3 * (one["deviation"] or float("inf")) for one in run["estimate"]["base_parameters"]
        )
        base = {one["name"]: one for one in run["estimate"]["base_parameters"]}
        assert rows and all(row["parameter"] in base and row["at"] in run["estimate"]["joints"] for row in rows)
        assert all(same(row["value"], base[row["parameter"]]["value"]) for row in rows)
        assert "Move panda_joint" in said
        design = re.search(r"bifilar (design \S*panda\.urdf .*?-o next\.csv)", said)[1]
        fit = re.search(r"bifilar (fit \S*panda\.urdf .*?next-recorded\.csv(?: --test \S+)?)", said)[1]
        for words in (shlex.split(design), shlex.split(fit)):
            assert parse(import_module(f"bifilar.cli.{words[0]}"), words[0], words[1:]) is not None
    assert known["bad"] < known["run"]
    assert "known so badly" in runs["bad"][0].said(NEXT)


def test_torque_errors_are_those_of_the_run(runs):
    for page, run in runs.values():
        joints = {joint["joint"]: joint for joint in run["verdict"]["joints"]}
        rows = page.rows("torque-errors")
        assert [row["joint"] for row in rows] == list(joints)
        for row in rows:
            facts = joints[row["joint"]]
            assert same(row["error"], facts["rmse"]) and same(row["identified"], facts["relative_error"], 100)
            assert same(row["description"], facts["relative_error_of_description"], 100)
            assert same(row["explained"], facts["r2"], 100) and same(row["error / noise"], facts["error_over_noise"])
        for row in page.rows(TRUST):
            assert same(row["error"], joints[row["joint"]]["rmse"])
        told = re.search(
            r"([\d.]+) % of the torque is not explained at 8 Hz.*?as measured: ([\d.]+) %; description: ([\d.]+) %",
            page.said("torque-errors"),
        )
        score = run["score"]
        for text, word in zip(told.groups(), ("relative_error", "relative_error_raw", "relative_error_of_description")):
            assert same(text, score[word], 100)
        assert all(reason in page.said("verdict") for reason in run["verdict"]["reasons"])


def test_parameters_are_those_of_the_run(runs):
    page, run = runs["run"]
    base, rows = run["estimate"]["base_parameters"], page.rows("parameters")
    assert [row["base parameter"] for row in rows] == [one["name"] for one in base]
    for row, one in zip(rows, base):
        names, shown = (re.sub(r"[\d.]+\*", "", text) for text in (one["equation"], row["stands for"]))
        assert same(row["identified"], one["value"]) and names.startswith(shown.removesuffix(" ..."))
        assert same(row["± deviation"], one["deviation"]) if one["deviation"] is not None else "±" not in row["± deviation"]
    single = {one["name"]: one for one in run["estimate"]["parameters"]}
    for row in page.rows("bodies"):
        mass = single[f"{row['link']}.mass"]
        assert same(row["mass after"], mass["value"]) and row["mass from"] == mass["origin"]
        assert same(row["±"], mass["deviation"]) if mass["origin"] == "data" else row["±"] == ""  # nobody measured it


def test_findings_and_inputs_are_those_of_the_run(runs):
    page, run = runs["run"]
    rows = [row for row in page.rows("findings") if row["log"] != "description"]
    found = [(Path(log).name, one["where"], one["what"]) for log, all_ in run["findings"].items() for one in all_]
    assert sorted((Path(row["log"]).name, row["where"], row["what"]) for row in rows) == sorted(found)
    hashes = {Path(one["given"]).name: one["sha256"] for one in run["inputs"]}
    assert {Path(row["read"]).name: row["sha256"] for row in page.rows("how-to-repeat-it")} == hashes
    assert all(f"{name} {version}" in page.said("how-to-repeat-it") for name, version in run["versions"].items())


def test_a_wrong_number_on_the_page_would_be_seen():
    assert same("6.07 %", 0.060660638, 100) and not same("6.08 %", 0.060660638, 100)
    assert same("1.2e-05", 1.23e-5) and not same("± 0.0655", 0.06556) and same("-0.2", -0.2003)

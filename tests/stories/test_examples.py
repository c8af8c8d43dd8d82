"""Every example runs, in the order of its number and in one folder, and does what its first line promises."""

from __future__ import annotations

import re
import runpy
import sys
from pathlib import Path

import numpy as np
import pytest

import bifilar as bf

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("[0-9]*.py"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("examples")


def numbers(text: str) -> np.ndarray:
    """Rows of a printed table: the numbers at the end of each line that has some."""
    rows = [re.findall(r"(?<=\s)-?\d+\.\d+(?=\s|$)", line) for line in text.splitlines()]
    return np.array([[float(x) for x in row] for row in rows if len(row) == 3])


def judged(out: str, folder: Path) -> bool:
    rows = np.array(re.findall(r"^ +joint\d +[\d.]+ +([\d.]+) % +([\d.]+) % +[\d.]+ % +([\d.]+)$", out, re.M), dtype=float)
    after, before, over_noise = rows.T
    written = [(folder / f"identified.{kind}").is_file() for kind in ("urdf", "xml", "csv")]
    return (
        len(rows) == 7 and np.all(over_noise < 2) and np.median(before / after) > 5 and "verdict: good" in out and all(written)
    )


def followed(out: str) -> bool:
    carried, truth, after = (
        float(x) for x in re.search(r"carried: ([\d.]+) kg, truth ([\d.]+); .*: ([\d.]+) kg", out).groups()
    )
    return abs(carried - truth) < 0.1 and after < 0.1


def compared(out: str) -> bool:
    slow, small, fast = numbers(out)
    return slow.max() < 1 and small[0] > 1.2 * small[1] and fast[:2].max() < 2 and fast.max() < 5


PROMISES = {
    "01": lambda out, folder: out.count(" kg, ") == 9 and "a kilogram in the hand adds" in out,
    "02": lambda out, folder: "BaseParameters(10 of 24" in out and float(re.search(r"torque: (\S+)", out)[1]) < 1e-12,
    "03": lambda out, folder: (folder / "train_motion.csv").is_file() and (folder / "train_motion_10.csv").is_file(),
    "04": lambda out, folder: (folder / "train.csv").is_file() and (folder / "test.csv").is_file(),
    "05": lambda out, folder: (
        all(word in out for word in ("sign={'joint4': -1}", "another order", "unit={'position': 'deg'}"))
        and abs(float(re.search(r"comes ([\d.]+) ms after the motion", out)[1]) - 100) < 3
    ),
    "06": lambda out, folder: out.count("from data") >= 14 and (folder / "estimate").is_dir(),
    "07": judged,
    "08": lambda out, folder: np.diff([float(x) for x in re.findall(r"misses ([\d.]+) %", out)])[0] < -5 and "Stribeck" in out,
    "09": lambda out, folder: compared(out),
    "10": lambda out, folder: abs(float(re.search(r"^mass +([\d.]+) ±", out, re.M)[1]) - 3.0) < 0.05,
    "11": lambda out, folder: "measured: 0.0 N m" in out and bf.Recording.load(folder / "run.parquet").duration == 7.99,
    "12": lambda out, folder: followed(out),
}


def test_there_are_twelve():
    assert [path.name[:2] for path in EXAMPLES] == list(PROMISES)
    listed = re.findall(r"\]\((\d+_\w+\.py)\)", (ROOT / "examples" / "README.md").read_text("utf-8"))
    assert listed == [path.name for path in EXAMPLES]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_is_short(path):
    lines = path.read_text("utf-8").splitlines()
    assert len(lines) < 60 and lines[0].startswith('"""') and f"python examples/{path.name}" in "\n".join(lines[:8])


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_does_what_it_promises(path, folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "argv", [path.name])
    runpy.run_path(str(path), run_name="__main__")
    out = capsys.readouterr().out
    assert PROMISES[path.name[:2]](out, folder), out


def test_the_readme_s_picture_is_drawn_from_such_results(folder):
    """`make picture` needs a demo; what examples 04 and 06 left has the same shape."""
    if not (folder / "estimate").is_dir():
        pytest.skip("example 06 was not run")
    demo = folder / "demo"
    demo.mkdir()
    (folder / "estimate").rename(demo / "run")
    bf.Recording.load(folder / "test.csv").save(demo / "test.parquet")
    picture = runpy.run_path(str(ROOT / "docs" / "demo_picture.py"))["picture"](demo)
    assert picture.startswith("<svg") and picture.count("<polyline") == 9 and "nan" not in picture

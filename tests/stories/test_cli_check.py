"""A stranger looks at a log: findings in the terminal, on a page and as JSON; mappings, signs, units; large logs in pieces."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

import bifilar as bf
from bifilar.cli import log_words
from bifilar.recording.check import example

ROOT = Path(__file__).resolve().parents[2]


def text_log(path, recording, scale=1.0, order=None, time=None):
    """A log as a stranger would write it, with NumPy."""
    order = list(range(len(recording.joint_names))) if order is None else order
    columns = [recording.time if time is None else time, *(scale * recording.position.T), *recording.torque[:, order].T]
    names = ["t", *(f"{n}_pos" for n in recording.joint_names), *(f"{n}_torque" for n in recording.joint_names)]
    np.savetxt(path, np.column_stack(columns), header=",".join(names), comments="", delimiter=",", fmt="%.9g")


def test_a_clean_log(bifilar, tmp_path):
    recording, _ = example()
    text_log("run.csv", recording)
    code, out, err = bifilar("check", "run.csv", "--robot", "two_link", "-o", "run.html")
    assert code == 0 and err == ""
    for piece in ("run.csv  beside two_link", "2000 samples", "250 Hz", "joint1", "position [rad]", "torque [N m]", "run.html"):
        assert piece in out
    page = (tmp_path / "run.html").read_text("utf-8")
    assert len(page) < 8e6 and "http" + "s://" not in re.sub(r"<script>.*?</script>", "", page, flags=re.S)
    assert page.count('class="plot"') == 1 + 4  # the clock, and every column


def test_without_a_robot_it_says_so(bifilar):
    text_log("run.csv", example()[0])
    code, out, _ = bifilar("check", "run.csv")
    assert code == 0 and "With --robot" in out


@pytest.mark.parametrize(
    "mistake, words, told, mended",
    [
        ({"scale": 180 / np.pi}, [], "degrees", ["--unit", "position=deg"]),
        ({"order": [1, 0]}, [], "order", None),
        ({"time": np.arange(2000) / 250 + np.repeat([0, 1.5], 1000)}, [], "gap", None),
        ({"time": np.abs(np.arange(2000) / 250 - 2.0)}, [], "back", None),
    ],
)
def test_mistakes_are_named_with_a_remedy(bifilar, mistake, words, told, mended):
    text_log("run.csv", example()[0], **mistake)
    code, out, _ = bifilar("check", "run.csv", "--robot", "two_link", *words)
    assert told in out and "→" in out
    code, out, _ = bifilar("check", "run.csv", "--robot", "two_link", "--json", *words)
    said = json.loads(out)
    found = next(finding for finding in said["findings"] if finding["code"] == told)
    assert found["remedy"] and code == (1 if said["worst"] == "error" else 0)
    if mended:
        code, out, _ = bifilar("check", "run.csv", "--robot", "two_link", *mended)
        assert code == 0 and told not in out


def test_a_sign_from_the_command_line(bifilar):
    recording, _ = example()
    text_log("run.csv", recording.with_channel("torque", recording.torque * [-1, 1]))
    code, out, _ = bifilar("check", "run.csv", "--robot", "two_link")
    assert code == 1 and "sign" in out and "not to be trusted" in out
    code, out, _ = bifilar("check", "run.csv", "--robot", "two_link", "--sign", "joint1=-1")
    assert code == 0 and "error" not in out.lower()


def test_signs_may_be_given_one_by_one(bifilar):
    """The last of several --sign once silenced the others."""
    recording, _ = example()
    text_log("run.csv", recording.with_channel("torque", -recording.torque))
    together = bifilar("check", "run.csv", "--robot", "two_link", "--sign", "joint1=-1", "joint2=-1", "--json")
    apart = bifilar("check", "--sign", "joint1=-1", "--robot", "two_link", "--sign", "joint2=-1", "--json", "run.csv")
    assert together[0] == 0 and apart == together


def test_a_lost_line_is_told_once(bifilar):
    text_log("run.csv", example()[0])
    rows = Path("run.csv").read_text().splitlines()
    rows[500] = rows[500].split(",")[0] + 4 * ",nan"
    Path("run.csv").write_text("\n".join(rows) + "\n")
    _, out, _ = bifilar("check", "run.csv", "--robot", "two_link")
    assert out.count("not a number") + out.count("not numbers") == 1
    assert "position and torque of 'joint1', 'joint2'" in " ".join(out.split())
    _, out, _ = bifilar("check", "run.csv", "--robot", "two_link", "--full")
    assert out.count("not a number") + out.count("not numbers") == 4


def test_every_finding_is_marked_on_the_page(bifilar, tmp_path):
    recording, _ = example()
    time, torque = recording.time.copy(), recording.torque.copy()
    time[1000:] += 2.0
    torque[300:400, 1] = np.nan
    bf.Recording(joint_names=recording.joint_names, time=time, position=recording.position, torque=torque).save("run.csv")
    code, out, _ = bifilar("check", "run.csv", "--robot", "two_link", "-o", "run.html", "--json")
    said = json.loads(out)
    page = (tmp_path / "run.html").read_text("utf-8")
    drawn = {
        re.sub("<.*?>", "", figure.split("</figcaption>")[0]): figure for figure in page.split('<figure class="plot">')[1:]
    }
    numbers = {finding["code"]: str(k) for k, finding in enumerate(said["findings"], 1)}
    assert {"gap", "nan"} <= set(numbers)

    def marked(figure):
        return re.findall(r'<b class="head".*?>(\d+)</b>', figure)

    assert numbers["gap"] in marked(next(figure for title, figure in drawn.items() if "clock" in title))
    hurt = next(figure for title, figure in drawn.items() if "joint2" in title and "torque" in title)
    assert numbers["nan"] in marked(hurt)
    first, last = map(float, re.search(r'data-x="(\S+) (\S+)"', hurt).groups())
    stretch = re.search(r'class="mark".*?d="M(-?\d+) 0H(-?\d+)', hurt).groups()
    start, stop = (first + float(x) / 4000 * (last - first) for x in stretch)
    assert start <= time[300] <= stop + 1e-6 and stop == pytest.approx(time[399], abs=0.1)
    for finding in said["findings"]:
        assert finding["what"].split(";")[0][:30].replace("'", "&#x27;") in page


def test_json_says_what_the_text_says(bifilar):
    text_log("run.csv", example()[0])
    code, out, err = bifilar("check", "run.csv", "--robot", "two_link", "--json")
    said = json.loads(out)
    assert code == 0 and err == ""
    assert set(said) == {
        *("bifilar", "log", "robot", "samples", "used", "duration", "rate", "clock", "joints", "channels", "findings", "worst"),
        "files",
    }
    assert said["channels"]["position"]["columns"] == ["joint1", "joint2"] and said["samples"] == 2000
    assert said["channels"]["torque"]["highest"]["joint1"] == pytest.approx(example()[0].torque[:, 0].max(), rel=1e-6)


def test_a_mapping_is_written_corrected_and_used(bifilar, tmp_path):
    recording, _ = example()
    table = np.column_stack([1e3 * recording.time, recording.position, recording.torque])
    np.savetxt("log.txt", table, fmt="%.9g")
    code, _, err = bifilar("check", "log.txt", "--robot", "two_link", "--write-mapping", "log.toml")
    assert code == 3 and "correct log.toml" in " ".join(err.split())
    text = (tmp_path / "log.toml").read_text()
    assert "begins with" in text
    code, _, err = bifilar("check", "log.txt", "--mapping", "log.toml")
    assert code == 3  # nothing was guessed
    filled = 'joints = ["joint1", "joint2"]\n[clock]\ncolumn = 1\nunit = "ms"\n'
    filled += '[channels.position]\ncolumns = "2-3"\nunit = "rad"\n[channels.torque]\ncolumns = "4-5"\nunit = "N m"\n'
    (tmp_path / "log.toml").write_text(filled)
    code, out, _ = bifilar("check", "log.txt", "--mapping", "log.toml", "--robot", "two_link", "--json")
    said = json.loads(out)
    assert code == 0 and said["rate"] == pytest.approx(250.0, rel=1e-3)


def test_a_mapping_knows_the_robot(bifilar, tmp_path):
    """Columns without names in groups of the robot's joints; a column that goes up and down is no clock."""
    recording, _ = example()
    columns = {"all.txt": [recording.time, *recording.position.T, *recording.torque.T], "q.txt": [*recording.position.T]}
    for name, table in columns.items():
        np.savetxt(name, np.column_stack(table), fmt="%.9g")
        bifilar("check", name, "--robot", "two_link", "--write-mapping", f"{name}.toml")
    text = (tmp_path / "all.txt.toml").read_text()
    assert "column = 1 " in text and 'joints = ["joint1", "joint2"]' in text
    assert "columns = [2, 3]" in text and "columns = [4, 5]" in text
    assert "rate = 1000.0" in (tmp_path / "q.txt.toml").read_text()
    code, _, err = bifilar("check", "all.txt", "--mapping", "all.txt.toml", "--robot", "two_link")
    assert code == 3 and "take the # off" in " ".join(err.split())
    taken = re.sub(r"^# (\[channels|columns =|unit =)", r"\1", text, flags=re.M)
    (tmp_path / "all.txt.toml").write_text(taken)
    code, _, _ = bifilar("check", "all.txt", "--mapping", "all.txt.toml", "--robot", "two_link")
    assert code == 0


def test_a_mapping_for_a_robot_with_other_names(bifilar, tmp_path):
    recording, _ = example()
    text_log("run.csv", replace(recording, joint_names=("upper", "lower"), channels=_renamed(recording, ("upper", "lower"))))
    code, _, _ = bifilar("check", "run.csv", "--robot", "two_link", "--write-mapping", "run.toml")
    assert code == 3 and "which the log calls upper, lower" in (tmp_path / "run.toml").read_text()
    code, _, _ = bifilar("check", "run.csv", "--mapping", "run.toml", "--robot", "two_link")
    assert code == 0


def _renamed(recording, names):
    return {name: replace(channel, columns=names) for name, channel in recording.channels.items()}


def test_a_mapping_of_names_that_are_understood(bifilar, tmp_path):
    text_log("run.csv", example()[0])
    code, out, _ = bifilar("check", "run.csv", "--write-mapping", "run.toml")
    assert code == 0 and "run.toml" in out
    code, _, err = bifilar("check", "run.csv", "--write-mapping", "run.toml")
    assert code == 3 and "--force" in err
    again = bf.Recording.load("run.csv", mapping="run.toml")
    assert np.array_equal(again.position, bf.Recording.load("run.csv").position)


def test_the_page_about_recordings_knows_every_key_of_a_mapping(tmp_path):
    text = re.search(r"```toml\n(.*?)```", (ROOT / "docs" / "recordings.md").read_text("utf-8"), re.S).group(1)
    (tmp_path / "run.toml").write_text(text, "utf-8")
    mapping = bf.Mapping.load(tmp_path / "run.toml")
    assert mapping.channels["torque"].source == "current" and mapping.use.time == ((2.0, 30.0),)
    about = {"robot", "notes", "licence", "citation", "where"}  # for information
    for form in (mapping, mapping.file, mapping.clock, mapping.use, mapping.channels["position"]):
        words = {"from" if field.name == "source" else field.name for field in fields(form)}
        assert {word for word in words - about if not re.search(rf"\b{word}\b", text)} == set()


def test_the_page_about_recordings_runs(tmp_path, monkeypatch, capsys):
    robot = bf.Robot.load("panda")
    rates = np.linspace(0.5, 3.0, 7)
    time = np.arange(0, 34, 0.01)
    turns = np.outer(time, rates)
    middle = np.array([0, 0, 0, -1.5, 0, 1.8, 0])
    position = middle + 0.6 * np.sin(turns)
    torque = robot.inverse_dynamics(position, 0.6 * rates * np.cos(turns), -0.6 * rates**2 * np.sin(turns))
    torque *= np.where(np.arange(7) == 1, -1, 1)  # as the page declares it, and degrees
    monkeypatch.chdir(tmp_path)
    names = ["t", *(f"{joint}_pos" for joint in robot.joint_names), *(f"{joint}_torque" for joint in robot.joint_names)]
    table = np.column_stack([time, np.degrees(position), torque])
    np.savetxt("run.csv", table, header=",".join(names), comments="", delimiter=",", fmt="%.9g")
    page = (ROOT / "docs" / "recordings.md").read_text("utf-8")
    said: dict = {}
    exec(compile(re.search(r"```python\n(.*?)```", page, re.S).group(1), "recordings.md", "exec"), said)
    assert said["answer"].values.shape == (64,) and "cut-off" in capsys.readouterr().out
    assert not {"sign", "degrees"} & set(said["log"].check(robot).codes)


@pytest.mark.parametrize("ending", ["csv", "parquet", "npz"])
def test_convert(bifilar, ending):
    recording, _ = example()
    text_log("run.txt", recording)
    code, out, err = bifilar("convert", "run.txt", f"out.{ending}", "--robot", "two_link")
    assert code == 0 and err == "" and "2,000 samples" in out
    converted, read = bf.Recording.load(f"out.{ending}"), bf.Recording.load("run.txt")
    assert np.array_equal(converted.position, read.position) and np.array_equal(converted.torque, read.torque)
    assert converted.channels["torque"].units == ("N m", "N m")
    code, _, err = bifilar("convert", "run.txt", f"out.{ending}")
    assert code == 3 and "exists already" in err


def test_a_large_log_is_read_in_pieces(bifilar, monkeypatch, tmp_path):
    """The same findings in little memory: a gap, a step back and lost values are seen wherever they are."""
    recording, _ = example()
    repeats = 40
    time = np.concatenate([recording.time + 8.0 * k for k in range(repeats)])
    time[60_000:] += 5.0
    time[70_000] -= 0.1
    torque = np.tile(recording.torque, (repeats, 1))
    torque[50_000:50_010, 0] = np.nan
    position = np.tile(recording.position, (repeats, 1))
    position[12_345, 1] = 9.0
    bf.Recording(joint_names=recording.joint_names, time=time, position=position, torque=torque).save("long.csv")
    monkeypatch.setattr(log_words, "LARGE", 1000)
    code, out, err = bifilar("check", "long.csv", "--json", "-o", "long.html")
    said = json.loads(out)
    assert code == 1 and err == "" and said["samples"] == 80_000
    assert {"gap", "back", "nan"} <= {finding["code"] for finding in said["findings"]}
    assert said["channels"]["position"]["highest"]["joint2"] == 9.0  # no spike is lost
    assert (tmp_path / "long.html").stat().st_size < 8e6
    code, out, _ = bifilar("check", "long.csv")
    assert code == 1 and "Read in pieces: 80,000 samples" in out


def test_a_page_of_a_long_log_is_small(bifilar, tmp_path):
    time = np.arange(300_000) / 1000
    table = np.sin(np.outer(time, np.arange(1, 8)))
    names = [f"joint{k}" for k in range(1, 8)]
    recording = bf.Recording(joint_names=names, time=time, position=table, velocity=table, torque=table, acceleration=table)
    recording.save("long.parquet")
    code, _, _ = bifilar("check", "long.parquet", "-o", "long.html")
    assert code in (0, 1) and (tmp_path / "long.html").stat().st_size < 8e6


def test_names_of_strangers_cannot_break_the_page(bifilar, tmp_path):
    name = "</script><b>hip"
    time = np.arange(200) / 100
    recording = bf.Recording(joint_names=(name,), time=time, position=np.sin(time)[:, None], torque=np.cos(time)[:, None])
    recording.save("odd.npz")
    code, out, _ = bifilar("check", "odd.npz", "-o", "odd.html", "--full")
    page = (tmp_path / "odd.html").read_text("utf-8")
    assert code in (0, 1) and "</script><b>" not in page and "</script><b>" in out


def test_public_sets(bifilar, dataset):
    code, out, err = bifilar("datasets")
    assert code == 0 and "panda_gaz" in out and err == ""
    code, out, _ = bifilar("datasets", "kinova_gen3")
    assert code == 0 and "GPL-3.0" in out and "opposite sign" in " ".join(out.split())
    assert json.loads(bifilar("datasets", "--json")[1])["datasets"][0]["files"][0]["sha256"]
    dataset("pendulum")
    code, out, _ = bifilar("check", "pendulum")
    assert "Run 'harmonic_input_1', the first of 4" in out and "beside pendulum" in out
    code, out, _ = bifilar("convert", "pendulum:free_fall_1", "fall.csv")
    assert code == 0 and len(bf.Recording.load("fall.csv")) == 5000


def test_a_terminal_without_signs(tmp_path):
    text_log(tmp_path / "run.csv", example()[0])
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "PYTHONIOENCODING": "ascii", "COLUMNS": "60"}
    words = [sys.executable, "-m", "bifilar", "check", "run.csv"]
    run = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, env=environment)
    assert run.returncode == 0 and run.stderr == "" and "joint2" in run.stdout and run.stdout.isascii()
    assert max(map(len, run.stdout.splitlines())) <= 60

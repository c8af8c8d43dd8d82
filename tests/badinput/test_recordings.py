"""Logs and mappings that are wrong: each gets a letter with the file, the row where there is one, and a way out."""

from __future__ import annotations

import gzip
import io
import zipfile
from pathlib import Path

import numpy as np
import pytest

import bifilar as bf
from bifilar.errors import Remedy

resource = pytest.importorskip("resource")  # there is none on Windows

GOOD = "t,q1,tau1\n" + "".join(f"{k / 10},{k},{2 * k}\n" for k in range(20))


def letter(path: Path, **settings) -> bf.BifilarError:
    with pytest.raises(bf.BifilarError) as caught:
        bf.Recording.load(path, **settings)
    assert path.name in caught.value.where, caught.value
    return caught.value


def written(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize(
    ("content", "what", "row"),
    [
        ("", "the file is empty", None),
        ("\n\n \n", "the file is empty", None),
        ("# nothing\n# at all\n", "only comments", None),
        ("0,1,2\n1,2,3\n", "names none of its 3 columns", None),
        ("t,gain_level_7\n0,1\n", "it is not clear what 1 of 2 columns are", None),
        ("q1,tau1\n0,1\n", "no column is a clock", None),
        ("t,mode\n0,1\n", "it is not clear", None),
        ("t,q1,q1\n0,1,2\n", "position of 'joint1' is in more than one column", None),
        ("t,q,q2\n0,1,2\n", "columns name no joint", None),
        ("t,hip.position [N m]\n0,1\n", "position of 'hip' is said to be in 'N m'", None),
        (GOOD.replace("0.3,3,6", "0.3,3"), "2 values, 3 are expected", 5),
        (GOOD.replace("0.3,3,6", "0.3,3,6,9"), "4 values, 3 are expected", 5),
        (GOOD.replace("0.3,3,6", "0.3,three,6"), "'three' is no number", 5),
        (GOOD.replace("0.3,3,6", "0.3,3\0,6"), "is no number", 5),
        (GOOD.replace("0.3,3,6", "0.3,1_000,6"), "is no number", 5),
        (GOOD.replace("0.3,3,6", "0.3,٣,6"), "is no number", 5),
        ("t,q1\n0,1\nt,q1\n1,2\n2,3\n", "'t' is no number", 3),
    ],
)
def test_text_that_is_wrong(tmp_path, content, what, row):
    error = letter(written(tmp_path, "log.csv", content))
    assert what in error.what
    if row is not None:
        assert error.where.endswith(f":{row}")


def test_a_last_line_that_was_cut_off_costs_only_itself(tmp_path):
    recording = bf.Recording.load(written(tmp_path, "log.csv", GOOD + "2.0,20"))
    assert len(recording) == 20
    assert any(note.where.endswith("log.csv:22") and "cut off" in note.what for note in recording.notes)


def test_a_bad_line_can_be_declared(tmp_path):
    path = written(tmp_path, "log.csv", GOOD.replace("0.3,3,6", "0.3,three"))
    assert np.isnan(bf.Recording.load(path, bad_lines="nan").position[3, 0])


def test_what_is_too_large_for_a_double_is_infinite_and_stays(tmp_path):
    recording = bf.Recording.load(written(tmp_path, "log.csv", GOOD.replace("0.3,3,6", "0.3,1e400,-1e400")))
    assert recording.position[3, 0] == np.inf and recording.torque[3, 0] == -np.inf


@pytest.mark.parametrize("word", ["", "nan", "NaN", "NULL", "N/A", "-", "?"])
def test_missing_values_are_nan(tmp_path, word):
    recording = bf.Recording.load(written(tmp_path, "log.csv", GOOD.replace("0.3,3,6", f"0.3,{word},6")))
    assert np.isnan(recording.position[3, 0]) and recording.torque[3, 0] == 6


def test_files_that_are_not_there_or_not_files(tmp_path):
    assert "No such file" in letter(tmp_path / "missing.csv").what
    (tmp_path / "folder").mkdir()
    assert "folder" in letter(tmp_path / "folder").what
    for ending in (".npz", ".mat", ".parquet", ".h5", ".mcap", ".db3"):
        assert "No such file" in letter(tmp_path / f"missing{ending}").what


OTHERS = [b"", b"hello, world\n" * 20, bytes(300), b"PK\x03\x04" + bytes(200), b"\x89HDF\r\n\x1a\n" + bytes(99)]


@pytest.mark.parametrize("ending", ["npz", "npy", "mat", "parquet", "h5", "mcap", "db3"])
@pytest.mark.parametrize("content", OTHERS)
def test_other_things_under_a_known_name(tmp_path, ending, content):
    letter(written(tmp_path, f"log.{ending}", content))


# ---- names and robots


def test_position_alone_is_refused_unless_asked_for(tmp_path):
    arm = bf.Robot.load("two_link").renamed({"joint1": "shoulder", "joint2": "elbow"})
    path = written(tmp_path, "log.csv", "t,q1,q2\n0,1,2\n")
    assert "the columns number the joints, the robot names them" in letter(path, robot=arm).what
    assert bf.Recording.load(path, arm, by_position=True).joint_names == ("shoulder", "elbow")
    three = written(tmp_path, "three.csv", "t,q1,q2,q3\n0,1,2,3\n")
    assert "3 columns cannot be the 2 joints" in letter(three, robot=arm, by_position=True).what
    assert bf.Recording.load(path, bf.Robot.load("two_link")).joint_names == ("joint1", "joint2")


@pytest.mark.parametrize(
    ("count", "what", "remedy"),
    [
        (3, "the columns number 3 joints, the robot has 2", "name the robot that was recorded, or "),
        (1, "the columns number 1 joint, the robot has 2", "--lock elbow if these have no column, or "),
        (2, "the columns number the joints, the robot names them", "say --by-position if the order"),
    ],
)
def test_numbers_of_other_joints_than_the_robot_has(tmp_path, count, what, remedy):
    arm = bf.Robot.load("two_link").renamed({"joint1": "shoulder", "joint2": "elbow"})
    names = ["t", *(f"{word}{k + 1}" for word in ("q", "tau") for k in range(count))]
    error = letter(written(tmp_path, "log.csv", ",".join(names) + "\n" + ",".join("0" for _ in names) + "\n"), robot=arm)
    assert error.what == what and Remedy.of(error.remedy).cli.startswith(remedy)


def test_joints_of_another_robot(tmp_path):
    path = written(tmp_path, "log.csv", "t,hip_pos,knee_pos\n0,1,2\n")
    assert "none of the recorded joints" in letter(path, robot=bf.Robot.load("two_link")).what


def test_what_nobody_can_declare(tmp_path):
    path = written(tmp_path, "log.csv", GOOD)
    for settings in ({"colour": "red"}, {"rate": -1}, {"unit": "furlong"}, {"sign": {"knee": 1}}, {"sign": {"joint1": 2}}):
        assert letter(path, **settings).what


# ---- mappings

MAPPING = """joints = ["hip"]
[clock]
column = "t"
[channels.position]
columns = ["q1"]
unit = "deg"
"""


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("joints", "jionts", "no key 'jionts'"),
        ('["hip"]', '"hip"', "cannot be the word 'hip'"),
        ('["hip"]', '["hip", "knee"]', "2 names for 1 columns"),
        ('joints = ["hip"]', "", "says nowhere which joints"),
        ('column = "t"', 'column = "time"', "no column 'time'"),
        ('column = "t"', "rate = -5", "'rate' cannot be -5"),
        ('column = "t"', "", "names no clock"),
        ('column = "t"', 'column = "t"\nrate = 5', "stamps or a rate, not both"),
        ('["q1"]', "[9]", "no column 9"),
        ('["q1"]', '"2-9"', "no column '2-9'"),
        ('["q1"]', '"z{n}"', "no column 'z{n}'"),
        ('["q1"]', "[]", "needs columns"),
        ('"deg"', '"furlong"', "'furlong' is not known"),
        ('"deg"', '"N m"', "a position is not in 'N m'"),
        ('unit = "deg"', "ratio = 0", "a gear ratio is 0"),
        ('unit = "deg"', "sign = [1, 1]", "'sign' has 2 numbers for 1 columns"),
        ('unit = "deg"', "matrix = [[1, 0]]", "the matrix has the shape (1, 2)"),
        ('unit = "deg"', 'file = "../other.csv"', "leads out of the log's folder"),
        ('unit = "deg"', 'file = "run_{run}.csv"', "which 'run'"),
        ('columns = ["q1"]', 'from = "current"', "no channel of the mapping"),
        ('columns = ["q1"]', 'from = "position"', "no channel of the mapping"),
        ("[clock]", "[clock", "is not TOML"),
        ("[clock]", "x = " + "[" * 3000, "nested too deep"),
        ("[clock]", "x = " + "9" * 5000 + "\n[clock]", "is not TOML"),
        ("[clock]", "a" + ".a" * 30000 + " = 1\n[clock]", "is not TOML"),
    ],
)
def test_mappings_that_are_wrong(tmp_path, old, new, what):
    written(tmp_path, "log.csv", GOOD)
    mapping = written(tmp_path, "map.toml", MAPPING.replace(old, new, 1))
    with pytest.raises(bf.RecordingError) as caught:
        bf.Recording.load(tmp_path / "log.csv", mapping=mapping)
    assert what in str(caught.value) and "map.toml" in caught.value.where


def test_a_log_as_a_mapping(tmp_path):
    log = written(tmp_path, "log.csv", GOOD)
    with pytest.raises(bf.RecordingError, match="is not TOML"):
        bf.Recording.load(log, mapping=log)
    with pytest.raises(bf.RecordingError, match="larger than"):
        bf.Recording.load(log, mapping=written(tmp_path, "big.toml", "# " + "x" * 300_000))


# ---- sizes


def npy(shape: str, kind: str = "<f8", data: bytes = b"") -> bytes:
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}".ljust(69) + "\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + data


def zipped(**members: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members.items():
            file.writestr(f"{name}.npy", content)
    return buffer.getvalue()


def test_eighty_bytes_that_claim_32_gigabytes(tmp_path):
    lie = npy("(4000000000,)")
    assert len(lie) == 80
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert "is not as long as it says" in letter(written(tmp_path, "log.npy", lie)).what
    assert "is not as long as it says" in letter(written(tmp_path, "log.npz", zipped(t=lie))).what
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000  # kB


def test_no_pickle_is_ever_opened(tmp_path):
    class Trap:
        def __reduce__(self):
            return (Path.touch, (tmp_path / "sprung",))

    np.savez(tmp_path / "log.npz", t=np.arange(3.0), q=np.array([Trap(), None, 1], dtype=object))
    assert "objects" in letter(tmp_path / "log.npz").what
    assert not (tmp_path / "sprung").exists()


def test_a_line_of_a_hundred_megabytes(tmp_path):
    path = tmp_path / "log.csv"
    with open(path, "wb") as file:
        file.write(b"t,q1\n0,1\n")
        for _ in range(100):
            file.write(b"1" * 2**20)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert "a line is longer than" in letter(path).what
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000  # kB
    one = written(tmp_path, "one.csv", b"1," * 50_000_000)
    assert "a line holds" in letter(one).what


def test_bombs(tmp_path):
    zeros = gzip.compress(b"t,q1\n" + b"0,0\n" * 30_000_000, 9)
    assert "times its size" in letter(written(tmp_path, "log.csv.gz", zeros)).what
    big = npy("(100000000,)", "|b1", bytes(100_000_000))
    assert "unfolds" in letter(written(tmp_path, "log.npz", zipped(t=big))).what


def test_a_crowd_of_columns(tmp_path):
    assert "values" in letter(written(tmp_path, "log.csv", ",".join(f"q{k}" for k in range(30_000)) + "\n")).what


def test_mutated_logs(benchmark_module):
    """A recording or a letter, whatever is done to the bytes; the study runs a hundred thousand (make study-recording-fuzz)."""
    summary = benchmark_module("fuzz_recordings").fuzz(2_000, seed=7)
    assert summary["passed"], summary
    assert summary["outcomes"]["recording"] > 200 and summary["outcomes"]["refused"] > 200


def test_files_of_different_lengths(tmp_path):
    written(tmp_path, "q.csv", "t,q1\n" + "".join(f"{k},1\n" for k in range(300)))
    written(tmp_path, "tau.csv", "tau1\n" + "1\n" * 200)
    tables = {
        "joints": ["hip"],
        "clock": {"column": "t"},
        "channels": {"position": {"columns": ["q1"]}, "torque": {"columns": ["tau1"], "file": "tau.csv"}},
    }
    mapping = bf.Mapping.of(tables)
    with pytest.raises(bf.RecordingError, match=r"'tau.csv' holds 200 samples, 'q.csv' 300"):
        bf.Recording.load(tmp_path / "q.csv", mapping=mapping)
    with pytest.raises(bf.RecordingError, match="one of the files ends"):
        list(bf.Recording.stream(tmp_path / "q.csv", mapping=mapping, rows=100))
    written(tmp_path, "tau.csv", "tau1\n" + "1\n" * 299)
    recording = bf.Recording.load(tmp_path / "q.csv", mapping=mapping)
    assert len(recording) == 299 and any("left out" in note.what for note in recording.notes)


@pytest.mark.parametrize(
    "content, said",
    [
        (b"\x89PNG\r\n\x1a\n\0\0", "a picture"), (b'<svg xmlns="">', "a picture"), (b'<?xml version="1.0"?><svg>', "XML"),
        (b'{"t": [0, 1]}', "JSON"), (b'[{"t": 0}]', "JSON"), (b"[[0, 1], [1, 2]]", "JSON"), (b"%PDF-1.4", "PDF"),
    ],
)  # fmt: skip
def test_what_is_no_log_is_told_so(tmp_path, content, said):
    (tmp_path / "run.csv").write_bytes(content)
    with pytest.raises(bf.RecordingError, match=said):
        bf.Recording.load(tmp_path / "run.csv")

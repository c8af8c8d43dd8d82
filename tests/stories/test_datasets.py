"""Public recordings by name: each loads by its entry alone, holds the published numbers, and its traps are known or found."""

from __future__ import annotations

import gzip
import hashlib
import os
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

import bifilar as bf
from bifilar.recording import dataset_files
from bifilar.recording.mapping import Mapping

RECORDINGS = bf.datasets.names("recording")
# samples, seconds and columns of the channels, counted in the files by other means
EXPECTED = {
    "panda_gaz": (20544, 20.999, {"position": 7, "velocity": 7, "torque": 7}),
    "ur10e_mamedov": (5457, 58.078, {"position": 6, "velocity": 6, "current": 6, "commanded_torque": 6, "torque": 6}),
    "staubli_tx40": (45000, 8.9998, {"motor_position": 6, "motor_torque": 6, "position": 6, "torque": 6}),
    "tiago": (8022, 80.211, {"position": 8, "velocity": 8, "current": 8, "torque": 8}),
    "kuka_lwr4": (5027, 25.129, {"position": 7, "velocity": 7, "acceleration": 7, "torque": 7, "target_position": 7}),
    "kinova_gen3": (1380, 13.921, {"position": 7, "velocity": 7, "acceleration": 7, "torque": 7}),
    "rokae_xmate7": (20000, 19.999, {"position": 7, "velocity": 7, "acceleration": 7, "torque": 7, "motor_torque": 7}),
    "two_link": (5960, 59.883, {"motor_position": 2, "position": 2, "velocity": 2, "torque": 2}),
    "pendulum": (5000, 10.0, {"position": 1, "velocity": 1, "torque": 1}),
    "double_pendulum": (4998, 9.999, {"position": 2, "velocity": 2, "torque": 2, "commanded_torque": 2}),
    "ft_static": (100, 99.0, {"wrench": 6, "pose": 7}),
    "friction_franka": (25390, 59.999, {"position": 1, "velocity": 1, "torque": 1, "prediction": 8}),
    "solo12_sim": (
        2000,
        19.99,
        {"position": 12, "velocity": 12, "acceleration": 12, "torque": 12, "base_pose": 7, "contact": 4},
    ),
    "barrett_wam": (60958, 121.914, {"commanded_position": 7}),
}


def one(name):
    """The first run, or the only one."""
    runs = bf.datasets.describe(name).runs
    return bf.datasets.load(name, runs[0] if runs else None)


@pytest.mark.parametrize("name", bf.datasets.names())
def test_an_entry_says_everything(name):
    known = bf.datasets.describe(name)
    assert known.title and known.licence and known.citation and known.files
    assert len({file.name for file in known.files}) == len(known.files)
    for file in known.files:
        assert re.fullmatch(r"[0-9a-f]{64}", file.sha256)
        assert not file.address or re.fullmatch(r"https://github\.com/[\w.-]+/[\w.-]+/raw/[0-9a-f]{7,40}/\S+", file.address)
    if known.kind == "recording":
        assert known.notes, "a real recording without a catch has not been looked at"
        for run in known.runs or ("",):
            word = known.content.get("runs_files", {}).get(run, run)
            table = bf.datasets._filled(known.content["mapping"], word)
            mapping = Mapping.of(table)
            named = {mapping.file.name, mapping.clock.file, *(form.file for form in mapping.channels.values())} - {""}
            assert named <= {file.name for file in known.files}, run


def test_every_recording_is_expected_here():
    assert set(EXPECTED) == set(RECORDINGS)


@pytest.mark.parametrize("name", RECORDINGS)
def test_a_set_loads_by_its_mapping(dataset, name):
    dataset(name)
    recording = one(name)
    samples, seconds, channels = EXPECTED[name]
    assert len(recording) == samples and recording.duration == pytest.approx(seconds, abs=2e-3)
    assert {word: len(recording.channels[word].columns) for word in channels} == channels
    assert all(np.isfinite(channel.values).all() for channel in recording.channels.values())
    assert np.all(np.diff(recording.time) >= 0)
    if "robot" in bf.datasets.describe(name).content:
        assert recording.joint_names == bf.datasets.robot(name).joint_names


@pytest.mark.parametrize("name", [name for name in RECORDINGS if bf.datasets.describe(name).runs])
def test_all_runs_load(dataset, name):
    dataset(name)
    runs = bf.datasets.load(name)
    assert tuple(runs) == bf.datasets.describe(name).runs
    assert len({tuple(run.channels) for run in runs.values()}) == 1
    assert len({run.joint_names for run in runs.values()}) == 1
    assert len({run.channels[next(iter(run.channels))].values.tobytes() for run in runs.values()}) == len(runs)


def test_the_numbers_are_those_of_the_files(dataset):
    """Read again with NumPy alone, for sets of each layout."""
    panda, folder = one("panda_gaz"), dataset("panda_gaz")
    assert np.array_equal(panda.torque, np.loadtxt(folder / "exciting_traj_torques.txt").reshape(-1, 7))
    assert np.array_equal(panda.time, np.loadtxt(folder / "exciting_traj_time.txt"))
    lwr = np.load(dataset("kuka_lwr4") / "measurements_1.npz")
    assert np.array_equal(one("kuka_lwr4").acceleration, lwr["accelerations"])
    with gzip.open(dataset("solo12_sim") / "solo_robot_dq.dat.gz") as file:
        table = np.loadtxt(file)
    solo = one("solo12_sim")
    assert np.array_equal(solo.velocity, table[6:].T) and np.array_equal(solo.channels["base_twist"].values, table[:6].T)
    text = (dataset("ur10e_mamedov") / "ur-20_02_12-50sec_12harm.csv").read_text().splitlines()
    ur = np.array([[float(word) for word in line.split(",")] for line in text])
    assert np.array_equal(one("ur10e_mamedov").current, ur[:, 13:19])
    assert np.allclose(one("ur10e_mamedov").torque[:, 2], 8.4566 * ur[:, 15], rtol=1e-14)


def test_problem_and_models(dataset):
    dataset("human_force_plate")
    ready = bf.datasets.problem("human_force_plate")
    prior = ready.more["prior"].T.reshape(-1)

    def error(parameters):
        return np.linalg.norm(ready.matrix @ parameters - ready.right_side) / np.linalg.norm(ready.right_side)

    assert ready.matrix.shape == (990, 160) and error(prior) == pytest.approx(0.034, abs=1e-3)
    for name in ("puma560", "ur10", "sarcos"):
        assert len(bf.datasets.robot(name).joint_names) in (6, 7)
    with pytest.raises(bf.RobotError, match="not a number"):
        bf.datasets.robot("iiwa7")  # as published; its entry says so


# ---- a plain fit reaches the floor that others found


def even(recording, rate, cutoff):
    """On an even clock, filtered without delay, differentiated; by SciPy and NumPy alone."""
    signal = pytest.importorskip("scipy.signal")
    time = np.arange(recording.time[0], recording.time[-1], 1 / rate)
    sections = signal.butter(4, cutoff, fs=rate, output="sos")
    q, tau = (
        signal.sosfiltfilt(sections, np.stack([np.interp(time, recording.time, c) for c in table.T], axis=1), axis=0)
        for table in (recording.position, recording.torque)
    )
    v = np.gradient(q, 1 / rate, axis=0)
    inner = slice(int(0.2 * rate), -int(0.2 * rate))
    return tuple(table[inner] for table in (q, v, np.gradient(v, 1 / rate, axis=0), tau))


def predicted_error(robot, train, test):
    robot = robot.with_friction(bf.Viscous() + bf.Coulomb() + bf.Offset())
    base = bf.base_parameters(robot)
    model = base.model(robot, bf.solve(bf.reduce(robot, train, columns=base)))
    return np.linalg.norm(model.inverse_dynamics(*test[:3]) - test[3]) / np.linalg.norm(test[3])


def cut(samples, share):
    at = int(share * len(samples[0]))
    return tuple(table[:at] for table in samples), tuple(table[at:] for table in samples)


@pytest.mark.parametrize("name, rate, cutoff, most", [("panda_gaz", 1000.0, 8.0, 0.0155), ("rokae_xmate7", 1000.0, 5.0, 0.052)])
def test_the_floor_of_one_run(dataset, name, rate, cutoff, most):
    dataset(name)
    train, test = cut(even(one(name), rate, cutoff), 0.7)
    assert predicted_error(bf.datasets.robot(name), train, test) < most


@pytest.mark.parametrize(
    "name, train, test, rate, cutoff, most",
    [("kuka_lwr4", "1", "2", 200.0, 5.0, 0.0235), ("two_link", "norm", "slow", 100.0, 5.0, 0.07)],
)
def test_the_floor_of_two_runs(dataset, name, train, test, rate, cutoff, most):
    dataset(name)
    samples = [even(bf.datasets.load(name, run), rate, cutoff) for run in (train, test)]
    assert predicted_error(bf.datasets.robot(name), *samples) < most


def test_the_floor_of_gen3(dataset):
    dataset("kinova_gen3")
    runs = [(run.position, run.velocity, run.acceleration, run.torque) for run in bf.datasets.load("kinova_gen3").values()]
    train = tuple(np.concatenate(tables) for tables in zip(*runs[:2]))
    assert predicted_error(bf.datasets.robot("kinova_gen3"), train, runs[2]) < 0.068


def test_friction_and_static_floors(dataset):
    """Coulomb and viscous friction of the slow run; a mass and its centre from poses at rest."""
    dataset("friction_franka")
    slow = bf.datasets.load("friction_franka", "slow")
    columns = np.hstack([np.sign(slow.velocity), slow.velocity, np.ones_like(slow.velocity)])
    left = slow.torque - columns @ np.linalg.lstsq(columns, slow.torque, rcond=None)[0]
    assert np.sqrt(np.mean(left**2)) < 0.19  # 0.174 with a smooth sign
    dataset("ft_static")
    rest = bf.datasets.load("ft_static", "100")
    assert rest.channels["wrench"].frame == "base"
    turn = np.stack([rotation(q) for q in rest.channels["pose"].values[:, 3:]])
    still = np.tile(np.eye(3), (len(rest), 1, 1))
    # written in the base frame: a weight that stays, and the sensor's offset, which turns with it
    weight, error = fitted(np.concatenate([still, turn], axis=2), rest.channels["wrench"].values[:, :3])
    assert np.linalg.norm(weight[:3]) / 9.81 == pytest.approx(1.237, rel=0.01) and error < 0.3
    # taken for the sensor's frame, the same numbers make no sense
    _, wrong = fitted(np.concatenate([turn.transpose(0, 2, 1), still], axis=2), rest.channels["wrench"].values[:, :3])
    assert wrong > 10 * error


def fitted(columns, values):
    table, right = columns.reshape(-1, 6), values.reshape(-1)
    solution = np.linalg.lstsq(table, right, rcond=None)[0]
    return solution, np.sqrt(np.mean((table @ solution - right) ** 2))


def rotation(quaternion):
    x, y, z, w = quaternion / np.linalg.norm(quaternion)
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + 2 * w * cross + 2 * cross @ cross


# ---- traps


def test_panda_stamps_and_hand(dataset):
    dataset("panda_gaz")
    recording = one("panda_gaz")
    found = recording.check(bf.datasets.robot("panda_gaz", "panda.urdf"))
    assert {"jitter", "tool"} <= set(found.codes)
    assert "tool" not in recording.check(bf.datasets.robot("panda_gaz")).codes


def test_gen3_sign(dataset):
    dataset("kinova_gen3")
    recording, robot = one("kinova_gen3"), bf.datasets.robot("kinova_gen3")
    logged = np.loadtxt(dataset("kinova_gen3") / "tau_downsampled_1.csv")
    assert np.array_equal(recording.torque, -logged)  # declared in the mapping
    assert "sign_all" in recording.with_channel("torque", logged).check(robot).codes


def test_lwr4_targets(dataset):
    dataset("kuka_lwr4")
    recording = one("kuka_lwr4")
    target, measured = recording.get("target_position"), recording.position
    assert np.abs(target).max(axis=0) == pytest.approx(np.abs(measured).max(axis=0), rel=2e-3)
    assert recording.channels["target_velocity"].units[0] == "unknown"
    as_logged = recording.with_channel("target_position", target * np.pi / 180)
    assert "target_unit" in as_logged.check().codes and "target_unit" not in recording.check().codes


def test_tx40_motor_side_and_coupling(dataset):
    dataset("staubli_tx40")
    recording, robot = one("staubli_tx40"), bf.datasets.robot("staubli_tx40")
    assert recording.clock == "assumed"
    motors = recording.motor_position
    by_hand = motors / [32, 32, 45, -48, 45, 32] + [0, -np.pi / 2, np.pi / 2, 0, 0, 0]
    by_hand[:, 5] -= motors[:, 4] / 45  # motor 6 turns with joint 5 too
    assert np.allclose(recording.position, by_hand, atol=1e-12)
    power = (recording.get("motor_torque") * np.gradient(motors, axis=0)).sum(axis=1)  # the gears neither make nor lose power
    assert np.allclose((recording.torque * np.gradient(recording.position, axis=0)).sum(axis=1), power, atol=1e-9)
    raw = bf.Recording(joint_names=recording.joint_names, time=recording.time, position=motors, torque=recording.torque)
    assert "motor_side" in raw.check(robot).codes


def test_ur10e_last_line(dataset, tmp_path, monkeypatch):
    """Everything before a line that was cut off is kept, and the cut is told."""
    source = dataset("ur10e_mamedov") / "ur-20_01_31-load.csv"
    whole = bf.datasets.load("ur10e_mamedov", "ur-20_01_31-load")
    table = bf.datasets._filled(bf.datasets.describe("ur10e_mamedov").content["mapping"], "ur-20_01_31-load")
    text = source.read_bytes()
    for lost in (7, 60, 150):
        (tmp_path / source.name).write_bytes(text[:-lost])
        cut_off = bf.Recording.load(tmp_path / source.name, mapping=Mapping.of(table))
        assert len(cut_off) in (len(whole) - 1, len(whole))
        assert np.array_equal(cut_off.position[: len(whole) - 1], whole.position[:-1])
        assert cut_off.notes and any("last" in note.what or "cut" in note.what for note in cut_off.notes)


def test_two_link_absolute_angles(dataset):
    """Joint angles are differences, the first joint carries both motors; at rest gravity of the CAD explains the torque."""
    dataset("two_link")
    recording, robot = bf.datasets.load("two_link", "slow"), bf.datasets.robot("two_link")
    raw = np.loadtxt(dataset("two_link") / "two_link_observer_05_slow.csv")
    assert np.allclose(recording.position, np.column_stack([raw[:, 1], raw[:, 3] - raw[:, 1]]), atol=1e-14)
    assert np.allclose(recording.torque, np.column_stack([raw[:, 5] + raw[:, 6], raw[:, 6]]) / 400, atol=1e-14)
    gravity = robot.inverse_dynamics(recording.position, 0 * recording.position, 0 * recording.position)
    assert np.corrcoef(gravity[:, 0], recording.torque[:, 0])[0, 1] > 0.8


# ---- where files are found


@pytest.fixture
def two_files(monkeypatch, tmp_path):
    """A small set of two files in a source that is a folder; nothing of it is on this machine yet."""
    content = {"t.txt": b"0\n0.1\n0.2\n", "q.txt": b"1\n2\n3\n"}
    files = tuple(
        dataset_files.DataFile(name, hashlib.sha256(data).hexdigest(), "https://github.com/a/b", "abc1234", f"data/{name}")
        for name, data in content.items()
    )
    monkeypatch.setenv("BIFILAR_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("BIFILAR_DATA", raising=False)
    return files, content


def fetching(monkeypatch, content, asked):
    """In place of the network: pooch's own check of checksums, on what a server would send."""
    pooch = pytest.importorskip("pooch")

    def sent(url, output_file, pooch_of):
        asked.append(url)
        Path(output_file).write_bytes(content[url.rpartition("/")[2]])

    monkeypatch.setattr(pooch.core, "choose_downloader", lambda url, progressbar=False: sent)


def test_downloaded_once_with_checksum(two_files, monkeypatch):
    files, content = two_files
    asked: list[str] = []
    fetching(monkeypatch, content, asked)
    folder = dataset_files.folder_of("small", files)
    assert (folder / "q.txt").read_bytes() == content["q.txt"]
    assert asked == ["https://github.com/a/b/raw/abc1234/data/t.txt", "https://github.com/a/b/raw/abc1234/data/q.txt"]
    dataset_files.folder_of("small", files)
    assert len(asked) == 2


def test_another_file_is_refused(two_files, monkeypatch):
    files, content = two_files
    fetching(monkeypatch, {**content, "q.txt": b"<html>moved</html>"}, [])
    with pytest.raises(bf.RecordingError, match="not the file that was published"):
        dataset_files.folder_of("small", files)
    assert not (dataset_files.cache_folder("small") / "q.txt").exists()


def test_offline_is_told(two_files, monkeypatch):
    requests = pytest.importorskip("requests")
    pooch = pytest.importorskip("pooch")

    def refused(url, output_file, pooch_of):
        raise requests.exceptions.ConnectionError("Name or service not known")

    monkeypatch.setattr(pooch.core, "choose_downloader", lambda url, progressbar=False: refused)
    with pytest.raises(bf.RecordingError, match="could not be downloaded") as caught:
        dataset_files.folder_of("small", two_files[0])
    assert "BIFILAR_DATA" in caught.value.remedy and "github.com/a/b" in str(caught.value)


def test_a_folder_of_ones_own_comes_first(two_files, monkeypatch, tmp_path):
    """Packed or plain; a changed file is refused, wherever it lies."""
    files, content = two_files
    fetching(monkeypatch, {}, [])
    place = tmp_path / "data" / "small"
    place.mkdir(parents=True)
    (place / "t.txt").write_bytes(content["t.txt"])
    (place / "q.txt.gz").write_bytes(gzip.compress(content["q.txt"]))
    monkeypatch.setenv("BIFILAR_DATA", str(place.parent))
    assert dataset_files.folder_of("small", files) == place
    (place / "t.txt").write_bytes(b"0\n0.1\n0.3\n")
    with pytest.raises(bf.RecordingError, match="not the file that was published"):
        dataset_files.folder_of("small", files)


def test_a_file_without_an_address_is_told(monkeypatch, tmp_path):
    monkeypatch.setenv("BIFILAR_CACHE", str(tmp_path))
    monkeypatch.delenv("BIFILAR_DATA", raising=False)
    with pytest.raises(bf.RecordingError, match="no known address") as caught:
        bf.datasets.load("double_pendulum", "20230629-143339")
    assert "double_pendulum" in caught.value.remedy


def test_a_packed_copy_reads_the_same(dataset, monkeypatch, tmp_path):
    source = dataset("pendulum")
    whole = bf.datasets.load("pendulum", "free_fall_1")
    place = tmp_path / "pendulum"
    place.mkdir()
    with gzip.open(place / "free_fall_1.csv.gz", "wb") as packed, open(source / "free_fall_1.csv", "rb") as plain:
        shutil.copyfileobj(plain, packed)
    monkeypatch.setenv("BIFILAR_DATA", str(tmp_path))
    assert np.array_equal(bf.datasets.load("pendulum", "free_fall_1").position, whole.position)


@pytest.mark.parametrize("name, run", [("kuka_lwr4", "3"), ("panda_gaz", "1"), ("nothing", None)])
def test_unknown_names_and_runs(name, run):
    with pytest.raises(bf.RecordingError):
        bf.datasets.load(name, run)


def test_nothing_is_looked_up_on_import():
    import subprocess
    import sys

    code = "import sys, bifilar as bf; bf.datasets.names(); bf.datasets.describe('tiago'); print('pooch' in sys.modules)"
    environment = {**os.environ, "PYTHONPATH": str(Path(bf.__file__).parents[1])}
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert run.stdout.strip() == "False", run.stderr

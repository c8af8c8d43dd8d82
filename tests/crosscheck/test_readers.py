"""Readers against the writers and readers of others: NumPy, SciPy, Arrow, h5py, rosbags; a real log converted by hand."""

from __future__ import annotations

import gzip

import numpy as np
import pytest

import bifilar as bf

RNG = np.random.default_rng(4)
TIME = np.cumsum(RNG.uniform(0.5e-3, 1.5e-3, 300))
POSITION, TORQUE = RNG.normal(size=(300, 3)), 20 * RNG.normal(size=(300, 3))
NAMES = ("t", "q1", "q2", "q3", "tau1", "tau2", "tau3")
TABLE = np.column_stack([TIME, POSITION, TORQUE])


def same(recording: bf.Recording) -> None:
    assert recording.clock == "recorded" and recording.joint_names == ("joint1", "joint2", "joint3")
    for mine, true in ((recording.time, TIME), (recording.position, POSITION), (recording.torque, TORQUE)):
        np.testing.assert_array_equal(mine, true)


def lines(separator: str, decimal: str = ".") -> list[str]:
    return [separator.join(repr(x).replace(".", decimal) for x in row) for row in TABLE.tolist()]


LAYOUTS = {
    "comma": "\n".join([",".join(NAMES), *lines(",")]) + "\n",
    "semicolon and decimal comma": "\n".join([";".join(NAMES), *lines(";", ",")]) + "\n",
    "tab and decimal comma": "\n".join(["\t".join(NAMES), *lines("\t", ",")]) + "\n",
    "blanks": "\n".join(["  ".join(NAMES), *("  " + line for line in lines("   "))]) + "\n",
    "pipe": "\n".join(["|".join(NAMES), *lines("|")]) + "\n",
    "Windows": "\r\n".join([",".join(NAMES), *lines(",")]) + "\r\n",
    "old Mac": "\r".join([",".join(NAMES), *lines(",")]) + "\r",
    "no last line end": "\n".join([",".join(NAMES), *lines(",")]),
    "blanks behind commas": "\n".join([", ".join(NAMES), *lines(", ")]) + "\n",
    "separator at the end": "\n".join([",".join(NAMES), *(line + "," for line in lines(","))]) + "\n",
    "comments": "\n".join(["# of Tuesday", ",".join(NAMES), *lines(",")[:50], "# paused", *lines(",")[50:]]) + "\n",
    "names in a comment": "\n".join(["# " + " ".join(NAMES), *lines(" ")]) + "\n",
    "words before": "\n".join(["Robot: arm 7", "Date: Tuesday", "", ",".join(NAMES), *lines(",")]) + "\n",
    "units below": "\n".join([",".join(NAMES), "s,rad,rad,rad,Nm,Nm,Nm", *lines(",")]) + "\n",
    "quotes": "\n".join([",".join(f'"{name}"' for name in NAMES), *lines(",")]) + "\n",
    "a column of words": "\n".join([",".join((*NAMES, "mode")), *(line + ",auto" for line in lines(","))]) + "\n",
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("form", ["plain", "mark", "gzip", "utf-16"])
def test_every_layout_of_text(tmp_path, layout, form):
    text = LAYOUTS[layout]
    content = {
        "plain": text.encode(),
        "mark": text.encode("utf-8-sig"),
        "gzip": gzip.compress(text.encode()),
        "utf-16": text.encode("utf-16"),
    }[form]
    (tmp_path / "log.csv").write_bytes(content)
    same(bf.Recording.load(tmp_path / "log.csv"))


def test_small_blocks_change_nothing(tmp_path, monkeypatch):
    """Blocks end anywhere: in a line, in a number, in the header."""
    monkeypatch.setattr("bifilar.recording.text_bytes.BLOCK", 700)
    (tmp_path / "log.csv").write_text(LAYOUTS["comma"])
    same(bf.Recording.load(tmp_path / "log.csv"))
    pieces = list(bf.Recording.stream(tmp_path / "log.csv", rows=70))
    assert [len(piece) for piece in pieces] == [70, 70, 70, 70, 20]
    np.testing.assert_array_equal(np.concatenate([piece.torque for piece in pieces]), TORQUE)


def test_numpy_text(tmp_path):
    np.savetxt(tmp_path / "log.txt", TABLE, header=" ".join(NAMES), fmt="%.18e")
    same(bf.Recording.load(tmp_path / "log.txt"))


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_numpy_archives(tmp_path, save):
    save(tmp_path / "log.npz", t=TIME, position=POSITION, effort=np.asfortranarray(TORQUE))
    same(bf.Recording.load(tmp_path / "log.npz"))


def test_names_of_joints_in_an_archive(tmp_path):
    np.savez(tmp_path / "log.npz", time=TIME, q=POSITION, tau=TORQUE, joint_names=["a", "b", "c"])
    assert bf.Recording.load(tmp_path / "log.npz").joint_names == ("a", "b", "c")


def test_matlab(tmp_path):
    scipy_io = pytest.importorskip("scipy.io")
    scipy_io.savemat(tmp_path / "log.mat", {"t": TIME, "q": POSITION, "tau": TORQUE.T}, do_compression=True)
    same(bf.Recording.load(tmp_path / "log.mat"))
    scipy_io.savemat(tmp_path / "struct.mat", {"log": {"t": TIME[:, None], "q": POSITION, "tau": TORQUE}})
    mapping = bf.Mapping.of(
        {
            "joints": ["joint1", "joint2", "joint3"],
            "clock": {"column": "log.t"},
            "channels": {"position": {"columns": "log.q"}, "torque": {"columns": "log.tau"}},
        }
    )
    same(bf.Recording.load(tmp_path / "struct.mat", mapping=mapping))


def test_parquet_of_others(tmp_path):
    pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    table = pyarrow.table({**dict(zip(NAMES, TABLE.T)), "mode": ["auto"] * len(TIME)})
    parquet.write_table(table, tmp_path / "log.parquet", row_group_size=70)
    same(bf.Recording.load(tmp_path / "log.parquet"))
    assert sum(len(piece) for piece in bf.Recording.stream(tmp_path / "log.parquet", rows=64)) == len(TIME)


def test_stamps_of_arrow(tmp_path):
    pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    stamps = pyarrow.array([0, 1_500_000, 2_000_000], pyarrow.timestamp("us"))
    parquet.write_table(pyarrow.table({"time": stamps, "q1": [1, 2, None]}), tmp_path / "log.parquet")
    recording = bf.Recording.load(tmp_path / "log.parquet")
    np.testing.assert_allclose(recording.time, [0, 1.5, 2.0])
    assert np.isnan(recording.position[2, 0])


@pytest.mark.parametrize("turned", [False, True])
def test_hdf5(tmp_path, turned):
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "log.h5", "w") as file:
        file["t"], file["q"] = TIME, POSITION
        file["tau"] = TORQUE.T if turned else TORQUE
        file["note"] = "of Tuesday"
    same(bf.Recording.load(tmp_path / "log.h5"))


def bag(path, plugin: str, *, shuffled: bool = True):
    """A ROS 2 bag written by rosbags: joint states whose order of names changes, a wrench, an IMU, and a topic of words."""
    rosbags = pytest.importorskip("rosbags.rosbag2")
    typesys = pytest.importorskip("rosbags.typesys")
    store = typesys.get_typestore(typesys.Stores.ROS2_HUMBLE)
    kinds = {name.split("/")[-1]: store.types[name] for name in store.types}

    def header(time: float, frame: str):
        stamp = kinds["Time"](sec=int(time), nanosec=round((time % 1) * 1e9))
        return kinds["Header"](stamp=stamp, frame_id=frame)

    def vector(xyz):
        return kinds["Vector3"](*map(float, xyz))

    names = np.array(["joint1", "joint2", "joint3"])
    nothing = np.zeros(9)
    topics = {"/joint_states": "JointState", "/wrist/ft": "WrenchStamped", "/imu": "Imu", "/words": "String"}
    with rosbags.Writer(path, version=9, storage_plugin=getattr(rosbags.StoragePlugin, plugin)) as writer:
        links = {
            topic: writer.add_connection(topic, kinds[kind].__msgtype__, typestore=store) for topic, kind in topics.items()
        }

        def write(topic: str, time: float, said) -> None:
            writer.write(links[topic], round(time * 1e9), store.serialize_cdr(said, links[topic].msgtype))

        for k, time in enumerate(TIME):
            order = RNG.permutation(3) if shuffled else np.arange(3)
            states = kinds["JointState"](
                header(time, ""), names[order].tolist(), POSITION[k, order], np.zeros(0), TORQUE[k, order]
            )
            write("/joint_states", time, states)
            if k % 3 == 0:
                wrench = kinds["Wrench"](force=vector((k, 1, 2)), torque=vector((3, 4, 5)))
                write("/wrist/ft", time, kinds["WrenchStamped"](header(time, "tool"), wrench))
                turn = kinds["Quaternion"](0.0, 0.0, 0.0, 1.0)
                imu = kinds["Imu"](
                    header(time, "base"), turn, nothing, vector((0, 0, k)), nothing, vector((0, 0, 9.81)), nothing
                )
                write("/imu", time, imu)
                write("/words", time, kinds["String"](data="hello"))
    return path


@pytest.mark.parametrize("plugin", ["SQLITE3", "MCAP"])
def test_bags(tmp_path, plugin):
    folder = bag(tmp_path / "run", plugin)
    file = next(file for file in folder.iterdir() if file.suffix in (".db3", ".mcap"))
    for path in (folder, file):
        recording = bf.Recording.load(path)
        order = ("joint1", "joint2", "joint3")
        recording = recording.joints(order)
        np.testing.assert_allclose(recording.time, TIME, atol=1e-9)
        np.testing.assert_array_equal(recording.position, POSITION)
        np.testing.assert_array_equal(recording.torque, TORQUE)
        assert recording.velocity is None
        wrench, imu = recording.channels["wrench"], recording.channels["imu"]
        assert wrench.frame == "tool" and imu.frame == "base" and wrench.origin == "/wrist/ft"
        np.testing.assert_array_equal(wrench.values[1], [3, 1, 2, 3, 4, 5])
        np.testing.assert_array_equal(imu.values[2], [0, 0, 6, 0, 0, 9.81])
        np.testing.assert_allclose(wrench.time, TIME[::3], atol=1e-9)
        assert any("/words" in note.what for note in recording.notes)


def test_a_bag_that_was_cut_off_keeps_what_came_before(tmp_path):
    folder = bag(tmp_path / "run", "MCAP")
    file = next(folder.glob("*.mcap"))
    (tmp_path / "half.mcap").write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    try:
        half = bf.Recording.load(tmp_path / "half.mcap")
    except bf.RecordingError as error:  # everything was in one chunk
        assert "half.mcap" in error.where
    else:
        assert any("ends in the middle" in note.what for note in half.notes)


def test_a_robots_order_is_kept(tmp_path):
    folder = bag(tmp_path / "run", "SQLITE3")
    recording = bf.Recording.load(folder, bf.Robot.load("two_link"))
    assert recording.joint_names == ("joint1", "joint2", "joint3")
    np.testing.assert_array_equal(recording.position, POSITION)


def test_motor_side_and_coupling_of_a_real_robot(dataset):
    """Staubli TX40: motor angles and torques, gears, and a wrist in which joint 6 turns with joint 5."""
    folder = dataset("staubli_tx40")
    ratio = np.array([32.0, 32, 45, -48, 45, 32])
    coupling = np.diag(ratio)
    coupling[5, 4] = 32
    names = [f"joint_{k}" for k in range(1, 7)]
    offset = [0, -np.pi / 2, np.pi / 2, 0, 0, 0]
    mapping = bf.Mapping.of(
        {
            "joints": names,
            "motor_from_joint": coupling.tolist(),
            "clock": {"rate": 5000},
            "channels": {
                "motor_position": {"file": "pos_read_data.csv", "columns": "Joint_{n}"},
                "motor_torque": {"file": "curr_data.csv", "columns": "Joint_{n}"},
                "position": {"from": "motor_position", "offset": offset},
                "torque": {"from": "motor_torque"},
            },
        }
    )
    recording = bf.Recording.load(folder, mapping=mapping)
    motor, torque = (np.loadtxt(folder / f, delimiter=",", skiprows=1) for f in ("pos_read_data.csv", "curr_data.csv"))
    q = motor / ratio
    q[:, 5] -= q[:, 4]
    tau = torque * ratio
    tau[:, 4] += 32 * torque[:, 5]
    np.testing.assert_allclose(recording.position, q + offset, atol=1e-12)
    np.testing.assert_allclose(recording.torque, tau, atol=1e-10)
    np.testing.assert_array_equal(recording.motor_position, motor)
    assert recording.clock == "assumed" and recording.rate == pytest.approx(5000)


def test_empty_lines_are_no_samples(tmp_path, monkeypatch):
    monkeypatch.setattr("bifilar.recording.text_bytes.BLOCK", 700)
    rows = LAYOUTS["comma"].split("\n")
    for every in (1, 7, 250):
        text = "".join(line + "\n" + "\n" * (k % every == 0) for k, line in enumerate(rows))
        (tmp_path / "log.csv").write_text(text)
        same(bf.Recording.load(tmp_path / "log.csv"))
        (tmp_path / "bad.csv").write_text(text + "1,2\n" + rows[1] + "\n")
        with pytest.raises(bf.RecordingError, match="2 values, 7 are expected") as caught:
            bf.Recording.load(tmp_path / "bad.csv")
        assert caught.value.where.endswith(f":{text.count(chr(10)) + 1}")


def test_one_number_per_line(tmp_path):
    (tmp_path / "t.txt").write_text("".join(f"{x!r}\n" for x in TIME.tolist()) + "\n\n")
    (tmp_path / "q.txt").write_text("".join(f"{x!r}\n\n" for x in POSITION.ravel().tolist()))
    tables = {
        "joints": ["joint1", "joint2", "joint3"],
        "file": {"one_value_per_line": 3},
        "clock": {"file": "t.txt"},
        "channels": {"position": {"columns": "1-3", "file": "q.txt"}},
    }
    recording = bf.Recording.load(tmp_path, mapping=bf.Mapping.of(tables))
    np.testing.assert_array_equal(recording.position, POSITION)
    np.testing.assert_array_equal(recording.time, TIME)

"""Small files that claim much, or compute instead of hold: a letter, in little time and memory."""

from __future__ import annotations

import gzip
import sqlite3
import struct
import tracemalloc
import zlib

import numpy as np
import pytest

import bifilar as bf
from bifilar.recording.check import example
from bifilar.recording.column_names import meaning
from bifilar.recording.ros_messages import KINDS


def refused(path, **settings):
    tracemalloc.start()
    try:
        with pytest.raises(bf.BifilarError) as caught:
            bf.Recording.load(path, **settings)
        assert tracemalloc.get_traced_memory()[1] < 300 * 2**20
    finally:
        tracemalloc.stop()
    assert path.name in caught.value.where
    return caught.value


def element(kind, content):
    return struct.pack("<II", kind, len(content)) + content + b"\0" * (-len(content) % 8)


def test_a_matlab_file_of_many_packed_elements(tmp_path):
    inner = element(6, struct.pack("<II", 6, 0)) + element(5, struct.pack("<ii", 5 << 20, 1)) + element(1, b"q")
    packed = zlib.compress(element(14, inner + element(9, bytes(40 << 20))), 1)
    path = tmp_path / "log.mat"
    path.write_bytes(b"MATLAB 5.0".ljust(124) + b"\0\1IM" + 20 * (struct.pack("<II", 15, len(packed)) + packed))
    assert "unfolds to more than" in refused(path, rate=100.0).what


@pytest.mark.parametrize("shape", [(10**9,), (2, 10**9), (10**9, 2)])
def test_an_hdf5_file_of_rows_that_were_never_written(tmp_path, shape):
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "log.h5", "w") as file:
        file.create_dataset("t", shape=(10**9,), dtype="f8", chunks=(65536,))
        file.create_dataset("q", shape=shape, dtype="f8", chunks=True)
    assert "unfolds" in refused(tmp_path / "log.h5").what


def test_an_hdf5_file_that_points_into_other_files(tmp_path):
    h5py = pytest.importorskip("h5py")
    (tmp_path / "secret.bin").write_bytes(np.arange(20.0).tobytes())
    with h5py.File(tmp_path / "log.h5", "w") as file:
        file["t"] = np.arange(20.0)
        file.create_dataset("q1", shape=(20,), dtype="f8", external=[(str(tmp_path / "secret.bin"), 0, 160)])
    assert "nothing but a clock" in refused(tmp_path / "log.h5").what


def test_a_parquet_file_of_one_value(tmp_path):
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    column = np.zeros(2_000_000)
    with parquet.ParquetWriter(tmp_path / "log.parquet", pa.schema([("t", pa.float64()), ("q1", pa.float64())])) as file:
        for _ in range(8):
            file.write_table(pa.table({"t": column, "q1": column}))
    assert "unfolds" in refused(tmp_path / "log.parquet").what


@pytest.mark.parametrize("chunk", ["zstd", "lz4"])
def test_an_mcap_chunk_that_unfolds(tmp_path, chunk):
    writer_of = pytest.importorskip("mcap.writer")
    with open(tmp_path / "log.mcap", "wb") as stream:
        kind = writer_of.CompressionType.ZSTD if chunk == "zstd" else writer_of.CompressionType.LZ4
        writer = writer_of.Writer(stream, chunk_size=400 << 20, compression=kind)
        writer.start()
        schema = writer.register_schema(next(iter(KINDS)), "ros2msg", b"")
        channel = writer.register_channel("/joint_states", "cdr", schema)
        for _ in range(3):
            writer.add_message(channel, 0, bytes(90 << 20), 0)
        writer.finish()
    assert "unfolds" in refused(tmp_path / "log.mcap").what


ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x AS id, 'n' AS name, 'k' AS type FROM c"
TABLES = "CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER, timestamp INTEGER, data BLOB{more})"


@pytest.mark.parametrize(
    "programs",
    [
        [f"CREATE VIEW topics AS {ENDLESS}", TABLES.format(more="")],
        ["CREATE TABLE topics(id INTEGER, name TEXT, type TEXT)", TABLES.format(more=", x AS (zeroblob(1e9))")],
    ],
)
def test_a_bag_whose_tables_are_programs(tmp_path, programs):
    base = sqlite3.connect(tmp_path / "log.db3")
    for program in programs:
        base.execute(program)
    base.commit()
    base.close()
    assert "computed, not stored" in refused(tmp_path / "log.db3").what


@pytest.mark.parametrize("left", [0, 1, 2, 3])
@pytest.mark.parametrize("padding", [0, 5])
def test_every_member_of_a_gzip_file_is_read_wherever_it_begins(tmp_path, left, padding):
    """Files are read in pieces: the first member ends `left` bytes before the end of one."""
    rows = [f"{k / 10},{k},{2 * k}\n" for k in range(200)]
    first, second = ("".join(rows[:100]), "".join(rows[100:]))
    packed = bytearray(gzip.compress(("t,q1,tau1\n" + first).encode()))
    packed[3] |= 0x10  # a comment as long as is needed follows the head
    room = 256 * 2**10 - left - padding - len(packed) - 1
    member = bytes(packed[:10]) + b"x" * room + b"\0" + bytes(packed[10:])
    (tmp_path / "log.csv.gz").write_bytes(member + bytes(padding) + gzip.compress(second.encode()))
    log = bf.Recording.load(tmp_path / "log.csv.gz")
    np.testing.assert_array_equal(log.position[:, 0], np.arange(200))
    assert not [note for note in log.notes if note.severity != "note"]


@pytest.mark.parametrize(
    ("name", "channel"),
    [
        *(
            ("q_dot_1", "velocity"),
            ("theta1dot", "velocity"),
            ("elbow_q_ddot", "acceleration"),
            ("q_ref_dot1", "commanded_velocity"),
        ),
        *(("pos_error_elbow", None), ("torque_error_1", None), ("angle_std", None), ("dq/dt", None), ("tau_dot1", None)),
    ],
)
def test_what_is_derived_from_a_position_is_no_position(name, channel):
    said = meaning(name)
    assert (said.channel if said else None) == channel


def test_a_rate_of_change_in_degrees(tmp_path):
    (tmp_path / "log.csv").write_text("t,q1_deg,q_dot1_deg,tau1\n0,180,90,1\n1,180,90,1\n")
    log = bf.Recording.load(tmp_path / "log.csv")
    np.testing.assert_allclose([log.position[0, 0], log.velocity[0, 0]], [np.pi, np.pi / 2])


@pytest.mark.parametrize("ending", ["npz", "parquet"])
@pytest.mark.parametrize("name", ["contact2", "ft_Sensor1_wrench"])
def test_channels_of_any_name_come_back(tmp_path, ending, name):
    log = bf.Recording(joint_names=("a",), time=[0.0, 1.0], position=[[1.0], [2.0]]).with_channel(name, [[3.0], [4.0]])
    log.save(tmp_path / f"log.{ending}")
    np.testing.assert_array_equal(bf.Recording.load(tmp_path / f"log.{ending}").get(name), [[3.0], [4.0]])


EXTREMES = (0.0, 1e-320, 1e308, -1e308, np.nan, np.inf, 1e150, 1e-150, 1e12)


def spoilt(x, draw):
    """Some, many or all numbers extreme, in a block, in a column, or everywhere."""
    x, value = x.copy(), draw.choice(EXTREMES)
    kind = draw.integers(5)
    with np.errstate(all="ignore"):
        if kind == 0:
            x[draw.random(x.shape) < draw.choice([0.001, 0.1, 0.9])] = value
        elif kind == 1:
            x = x * (value if np.isfinite(value) else 1.0)
        elif kind == 2:
            x.T[draw.integers(len(x.T))] = value
        elif kind == 3:
            x[slice(*sorted(draw.integers(len(x), size=2)))] = value
        else:
            x = x + draw.choice([1e9, 1e15, 1e300])
    return x


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("seed", range(6))
def test_extreme_numbers_are_found_or_refused(seed):
    """A check always answers; a preparation gives finite samples or a letter. Not even a warning of NumPy's comes out."""
    recording, robot = example()
    draw = np.random.default_rng([seed, 4])
    for _ in range(40):
        log = recording.part(0.0, draw.choice([0.1, 0.5, 4.0]))
        for word in draw.choice(["position", "torque", "velocity", "time"], size=2):
            if word == "time":
                log = log.with_clock(time=spoilt(log.time, draw))
            else:
                log = log.with_channel(word, spoilt(log.get(word), draw))
        log.check(robot)
        try:
            samples = bf.prepare(log, draw.choice(["default", "smoother", "recorded", "gautier", "wang2018"]))
        except bf.BifilarError:
            continue
        assert np.isfinite(samples.torque).all()


BODY = '<body name="arm"><joint name="a"/><inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/></body>'
MODELS = {  # small files that ask MuJoCo for gigabytes or hours
    "size": '<mujoco><size nuser_body="2000000000"/><worldbody/></mujoco>',
    "keys": '<mujoco><size nkey="2000000000"/><worldbody/></mujoco>',
    "memory": '<mujoco><size memory="900G"/><worldbody/></mujoco>',
    "textures": "<mujoco><asset>"
    + "".join(f'<texture name="t{k}" type="cube" builtin="flat" width="3000" height="18000"/>' for k in range(30))
    + "</asset><worldbody/></mujoco>",
    "fields": "<mujoco><asset>"
    + "".join(f'<hfield name="h{k}" nrow="8000" ncol="8000" size="1 1 1 1"/>' for k in range(30))
    + "</asset><worldbody/></mujoco>",
    "siblings": "<mujoco><worldbody>"
    + "".join(f'<replicate count="900" prefix="r{k}">{BODY}</replicate>' for k in range(40))
    + "</worldbody></mujoco>",
    "mesh": '<mujoco><asset><mesh name="m" builtin="sphere" params="18"/></asset><worldbody/></mujoco>',
}


@pytest.mark.parametrize("kind", MODELS)
def test_models_that_would_grow_are_refused_before_mujoco_sees_them(tmp_path, kind, monkeypatch):
    import mujoco

    def opened(*_):
        raise AssertionError("MuJoCo was asked")

    monkeypatch.setattr(mujoco.MjModel, "from_xml_path", opened)
    (tmp_path / "m.xml").write_text(MODELS[kind])
    with pytest.raises(bf.RobotError):
        bf.Robot.load(tmp_path / "m.xml")


def test_a_picture_is_measured_before_it_is_decoded(tmp_path):
    head = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + (90_000).to_bytes(4, "big") * 2
    (tmp_path / "t.png").write_bytes(head)
    (tmp_path / "m.xml").write_text(
        f'<mujoco><asset><texture name="t" type="2d" file="t.png"/></asset><worldbody>{BODY}</worldbody></mujoco>'
    )
    with pytest.raises(bf.RobotError):
        bf.Robot.load(tmp_path / "m.xml")


def test_a_chain_without_end_is_refused(tmp_path):
    links = "".join(f'<link name="l{k}"/>' for k in range(3001))
    joints = "".join(
        f'<joint name="j{k}" type="continuous"><parent link="l{k}"/><child link="l{k + 1}"/></joint>' for k in range(3000)
    )
    (tmp_path / "long.urdf").write_text(f'<robot name="chain">{links}{joints}</robot>')
    with pytest.raises(bf.RobotError) as caught:
        bf.Robot.load(tmp_path / "long.urdf")
    assert caught.value.code == "robot.too_large"


@pytest.mark.parametrize("key", ["a" + ".a" * 50_000 + " = 1", "[" + "a." * 50_000 + "a]", "a = " + "[" * 50_000])
def test_keys_of_many_parts_are_refused_everywhere(tmp_path, key, monkeypatch):
    from bifilar.cli import main

    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.toml").write_text(key)
    for words in (["inspect", "x.toml"], ["inspect", "two_link", "--settings", "x.toml"], ["control", "two_link", "x.toml"]):
        assert main(words) in (2, 3)
    with pytest.raises(bf.BifilarError):
        bf.Robot.load("two_link").with_limits("x.toml")

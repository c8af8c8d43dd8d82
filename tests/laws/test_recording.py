"""Laws of recordings: what goes in comes out, masks delete nothing, order is by name, files bring everything back."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bifilar as bf
from bifilar.recording.suggest import suggest_mapping

words = st.text(st.characters(blacklist_categories=("Cs", "Cc")), min_size=1, max_size=12).filter(
    lambda word: word.strip() == word
)
floats = st.floats(allow_nan=True, allow_infinity=True, width=64)


@st.composite
def recordings(draw) -> bf.Recording:
    names = tuple(draw(st.lists(words, min_size=1, max_size=4, unique=True)))
    count = draw(st.integers(0, 6))

    def table(width: int) -> np.ndarray:
        return np.array(draw(st.lists(floats, min_size=count * width, max_size=count * width))).reshape(count, width)

    kinds = draw(st.lists(st.sampled_from(["velocity", "torque", "current", "motor_position", "target_position"]), unique=True))
    channels = {kind: table(len(names)) for kind in ["position", *kinds]}
    if draw(st.booleans()):
        channels["wrench"] = table(6)
    sliding = tuple(name for name in names if draw(st.booleans()))
    clock = draw(st.sampled_from(["recorded", "assumed"]))
    return bf.Recording(joint_names=names, time=np.sort(table(1)[:, 0]), channels=channels, sliding=sliding, clock=clock)


@given(recordings(), st.sampled_from([".csv", ".parquet", ".npz"]))
def test_files_bring_everything_back(recording, ending):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "run" + ending)
        recording.save(path)
        back = bf.Recording.load(path)
    assert back.joint_names == recording.joint_names and back.clock == recording.clock
    assert back.sliding == recording.sliding and set(back.channels) == set(recording.channels)
    np.testing.assert_array_equal(back.time, recording.time)
    for name, channel in recording.channels.items():
        assert back.channels[name].columns == channel.columns and back.channels[name].units == channel.units
        np.testing.assert_array_equal(back.channels[name].values, channel.values)


@given(recordings(), st.randoms())
def test_joints_are_matched_by_name(recording, random):
    order = list(recording.joint_names)
    random.shuffle(order)
    other = recording.joints(order)
    for k, name in enumerate(order):
        np.testing.assert_array_equal(other.position[:, k], recording.position[:, recording.joint_names.index(name)])
    np.testing.assert_array_equal(other.joints(recording.joint_names).position, recording.position)


def swing(count: int = 100, start: float = 0.0, **more) -> bf.Recording:
    time = start + np.arange(count) / 100
    return bf.Recording(joint_names=("hip", "knee"), time=time, position=np.sin(time[:, None] + [0, 1]), **more)


def test_nothing_can_be_changed():
    values = np.zeros((100, 2))
    recording = swing(torque=values)
    values[:] = 7
    assert not recording.torque.any()
    for array in (recording.torque, recording.time, recording.mask, recording.channels["position"].values):
        with pytest.raises(ValueError):
            array[0] = 1
    with pytest.raises(TypeError):
        recording.channels["torque"] = None


def test_parts_that_follow_each_other_share_nothing_and_lose_nothing():
    own = bf.Channel(np.arange(50.0)[:, None], ("fx",), "N", time=np.arange(50) / 50)
    recording = swing().masked(np.arange(100) % 2 == 0).with_channel("wrench", own)
    parts = [recording.part(stop=0.3), recording.part(0.3, 0.8), recording.part(0.8)]
    np.testing.assert_array_equal(np.concatenate([part.time for part in parts]), recording.time)
    np.testing.assert_array_equal(np.concatenate([part.mask for part in parts]), recording.mask)
    forces = np.concatenate([part.channels["wrench"].values for part in parts])
    np.testing.assert_array_equal(forces, own.values)


def test_masks_only_grow_and_delete_nothing():
    first, second = np.arange(100) < 50, np.arange(100) % 2 == 0
    recording = swing().masked(first).masked(second)
    np.testing.assert_array_equal(recording.mask, first & second)
    assert len(recording) == 100


def test_merging_files_of_one_signal_each():
    position, torque = (
        swing(),
        bf.Recording(joint_names=("knee", "hip"), time=np.arange(100) / 100, torque=np.ones((100, 2)) * [1, 2]),
    )
    both = bf.Recording.merge(position, torque)
    assert both.joint_names == ("hip", "knee")
    np.testing.assert_array_equal(both.torque[0], [2, 1])
    np.testing.assert_array_equal(both.position, position.position)


def test_merging_within_a_tolerance():
    late = bf.Recording(joint_names=("hip",), time=np.arange(5, 95) / 100 + 0.001, torque=np.arange(90.0)[:, None])
    both = bf.Recording.merge(swing(), late)
    assert np.isnan(both.torque[:5, 0]).all() and np.isnan(both.torque[95:, 0]).all()
    np.testing.assert_array_equal(both.torque[5:95, 0], np.arange(90))
    assert np.isnan(both.torque[:, 1]).all()  # the knee has no torque
    assert any("no partner" in note.what for note in both.notes)
    with pytest.raises(bf.RecordingError, match="have a partner"):
        bf.Recording.merge(swing(), swing(start=500.0).with_channel("torque", np.zeros((100, 2))))


def test_merging_the_same_channel_of_the_same_joint_is_refused():
    with pytest.raises(bf.RecordingError, match="position of 'hip' is in both"):
        bf.Recording.merge(swing(), swing())


def test_an_assumed_clock_says_so():
    recording = swing().with_clock(rate=500)
    assert recording.clock == recording.channels["position"].clock == "assumed" and recording.rate == pytest.approx(500)
    assert recording.with_clock(time=np.arange(100)).clock == "recorded"


def test_units_become_si(tmp_path):
    (tmp_path / "log.csv").write_text(
        "time_ms,hip.position [deg],hip_vel [rpm],slide position [mm],hip_current_ma\n500,180,60,250,1500\n"
    )
    recording = bf.Recording.load(tmp_path / "log.csv")
    assert recording.time[0] == 0.5 and recording.current[0, 0] == 1.5
    np.testing.assert_allclose(recording.position[0], [np.pi, 0.25])
    np.testing.assert_allclose(recording.velocity[0, 0], 2 * np.pi)
    assert recording.sliding == ("slide",) and recording.channels["position"].units == ("rad", "m")


def test_stamps_since_1970_tell_their_unit(tmp_path):
    (tmp_path / "log.csv").write_text("%time,field.position0\n1460034860000000000,1\n1460034860500000000,2\n")
    recording = bf.Recording.load(tmp_path / "log.csv")
    assert recording.duration == pytest.approx(0.5, abs=1e-6) and any("since 1970" in note.what for note in recording.notes)


def test_what_is_declared_wins(tmp_path):
    (tmp_path / "log.csv").write_text("time,hip.position [deg],hip.torque [N m]\n0,1,5\n1,2,6\n")
    recording = bf.Recording.load(tmp_path / "log.csv", rate=10, unit={"position": "rad"}, sign={"hip": -1})
    assert recording.clock == "assumed" and recording.position[1, 0] == 2 and recording.torque[0, 0] == -5


@pytest.mark.parametrize("said", ["", 'unit = "us"\n'])
def test_what_is_declared_wins_over_a_mapping(tmp_path, said):
    (tmp_path / "log.csv").write_text("t,a,b\n0,180,5\n500,0,6\n")
    clock = f'[clock]\ncolumn = "t"\n{said}'
    channels = '[channels.motor_position]\ncolumns = ["a"]\n[channels.torque]\ncolumns = ["b"]\n'
    (tmp_path / "log.toml").write_text(f'joints = ["hip"]\n{clock}{channels}')
    words = {"mapping": tmp_path / "log.toml", "unit": {"time": "ms", "position": "deg"}}
    recording = bf.Recording.load(tmp_path / "log.csv", **words)
    assert recording.duration == 0.5 and recording.channels["motor_position"].values[0, 0] == pytest.approx(np.pi)
    (piece,) = bf.Recording.stream(tmp_path / "log.csv", **words)
    assert piece.duration == 0.5
    with pytest.raises(bf.RecordingError, match="timestamps are not in 'deg'"):
        bf.Recording.load(tmp_path / "log.csv", mapping=tmp_path / "log.toml", unit={"time": "deg"})
    (tmp_path / "log.toml").write_text(f'joints = ["hip"]\n[clock]\nrate = 2.0\n{channels}')
    with pytest.raises(bf.RecordingError, match="the clock is a rate of 2 Hz"):
        bf.Recording.load(tmp_path / "log.csv", **words)


def test_a_gear_divides_positions_and_multiplies_torques(tmp_path):
    (tmp_path / "log.csv").write_text("t,a,b\n0,100,2\n")
    tables = {
        "joints": ["hip"],
        "clock": {"column": "t"},
        "channels": {
            "position": {"columns": ["a"], "ratio": -50, "offset": 1.0},
            "torque": {"columns": ["b"], "ratio": -50},
            "motor_torque": {"from": "torque", "factor": 0.5},
        },
    }
    recording = bf.Recording.load(tmp_path / "log.csv", mapping=bf.Mapping.of(tables))
    assert recording.position[0, 0] == -1.0 and recording.torque[0, 0] == -100
    assert recording.channels["motor_torque"].values[0, 0] == -50


def test_power_is_kept_by_a_coupling(tmp_path):
    """Joint torque times joint speed is motor torque times motor speed, whatever couples them."""
    rng = np.random.default_rng(0)
    np.savetxt(tmp_path / "log.csv", np.column_stack([np.arange(50), rng.normal(size=(50, 6))]), delimiter=",")
    tables = {
        "joints": ["a", "b", "c"],
        "motor_from_joint": rng.normal(size=(3, 3)).tolist(),
        "file": {"header": False},
        "clock": {"column": 1},
        "channels": {
            "motor_velocity": {"columns": "2-4"},
            "motor_torque": {"columns": "5-7"},
            "velocity": {"from": "motor_velocity"},
            "torque": {"from": "motor_torque"},
        },
    }
    recording = bf.Recording.load(tmp_path / "log.csv", mapping=bf.Mapping.of(tables))
    motor = (recording.channels["motor_velocity"].values * recording.channels["motor_torque"].values).sum(axis=1)
    np.testing.assert_allclose((recording.velocity * recording.torque).sum(axis=1), motor, rtol=1e-9)


def test_a_suggested_mapping_reads_the_log_it_was_made_for(tmp_path):
    (tmp_path / "log.csv").write_text("t,q1_deg,q2_deg,tau1,tau2,fx,fy,fz\n0,1,2,3,4,5,6,7\n1,1,2,3,4,5,6,7\n")
    text = bf.suggest_mapping(tmp_path / "log.csv", write=tmp_path / "log.toml")
    assert (tmp_path / "log.toml").read_text() == text
    by_mapping, by_name = (
        bf.Recording.load(tmp_path / "log.csv", mapping=tmp_path / "log.toml"),
        bf.Recording.load(tmp_path / "log.csv"),
    )
    for name in ("position", "torque"):
        np.testing.assert_allclose(by_mapping.get(name), by_name.get(name))


def test_mask_and_notes_survive(tmp_path):
    recording = swing().masked(np.arange(100) < 20)
    for ending in (".npz", ".parquet"):
        recording.save(tmp_path / f"run{ending}")
        np.testing.assert_array_equal(bf.Recording.load(tmp_path / f"run{ending}").mask, recording.mask)


def test_a_channel_with_its_own_clock_gets_its_own_file(tmp_path):
    force = bf.Channel(np.ones((7, 6)), ("fx", "fy", "fz", "tx", "ty", "tz"), ("N",) * 3 + ("N m",) * 3, time=np.arange(7.0))
    recording = swing().with_channel("wrench", force)
    recording.save(tmp_path / "run.csv")
    beside = bf.Recording.load(tmp_path / "run.wrench.csv")
    np.testing.assert_array_equal(beside.channels["wrench"].values, force.values)
    recording.save(tmp_path / "run.npz")
    np.testing.assert_array_equal(bf.Recording.load(tmp_path / "run.npz").channels["wrench"].time, np.arange(7))


def test_streaming_is_loading_in_pieces(tmp_path):
    recording = swing(1000, torque=np.random.default_rng(1).normal(size=(1000, 2)))
    for ending in (".csv", ".parquet", ".npz"):
        recording.save(tmp_path / f"run{ending}")
        pieces = list(bf.Recording.stream(tmp_path / f"run{ending}", rows=300))
        assert [len(piece) for piece in pieces] == [300, 300, 300, 100]
        np.testing.assert_array_equal(np.concatenate([piece.torque for piece in pieces]), recording.torque)
        np.testing.assert_array_equal(np.concatenate([piece.time for piece in pieces]), recording.time)


@pytest.mark.parametrize(
    "second, rest", [("stamp.sec", "stamp.nanosec"), ("secs", "nsecs"), ("header.stamp.secs", "header.stamp.nsecs"),
                     ("/joint_states/header/stamp/sec", "/joint_states/header/stamp/nanosec")],
)  # fmt: skip
def test_stamps_in_two_columns_are_put_together(tmp_path, second, rest):
    rows = [f"{1700000000 + k // 4},{k % 4 * 250000000},{k}" for k in range(9)]
    (tmp_path / "log.csv").write_text(f"{second},{rest},hip_pos\n" + "\n".join(rows) + "\n")
    recording = bf.Recording.load(tmp_path / "log.csv")
    np.testing.assert_allclose(np.diff(recording.time), 0.25, atol=1e-6)
    assert recording.channels["position"].values[-1] == 8
    suggest_mapping(tmp_path / "log.csv", write=tmp_path / "log.toml")
    np.testing.assert_array_equal(bf.Recording.load(tmp_path / "log.csv", mapping=tmp_path / "log.toml").time, recording.time)
    streamed = bf.Recording.stream(tmp_path / "log.csv", rows=4)
    np.testing.assert_array_equal(np.concatenate([piece.time for piece in streamed]), recording.time)
    (tmp_path / "log.csv").write_text(f"{second},{rest},hip_pos\n1,1700000000000000000,0\n")
    with pytest.raises(bf.RecordingError, match="not 0 to 1e9"):
        bf.Recording.load(tmp_path / "log.csv")


def test_whole_seconds_are_no_clock():
    recording = swing(100).with_clock(time=np.arange(100) // 10)
    (finding,) = bf.check(recording).of("duplicate")
    assert finding.severity == "error" and "nanoseconds" in finding.remedy
    (finding,) = bf.check(swing(100).with_clock(time=np.maximum(np.arange(100), 10))).of("duplicate")
    assert finding.severity == "warning"


def test_arrays_of_one_struct(tmp_path):
    scipy_io = pytest.importorskip("scipy.io")
    wave = np.sin(np.arange(50)[:, None] / [5, 7])
    scipy_io.savemat(tmp_path / "run.mat", {"log": {"time": np.arange(50) / 10, "q": wave, "tau": 2 * wave}})
    recording = bf.Recording.load(tmp_path / "run.mat")
    assert recording.joint_names == ("joint1", "joint2") and recording.rate == pytest.approx(10)
    np.testing.assert_array_equal(recording.torque, 2 * wave)


@pytest.mark.parametrize("ending", [".parquet", ".npz"])
def test_a_saved_recording_takes_a_rate_and_refuses_what_contradicts_it(tmp_path, ending):
    swing().save(tmp_path / f"run{ending}")
    assert bf.Recording.load(tmp_path / f"run{ending}", rate=50).clock == "assumed"
    assert next(bf.Recording.stream(tmp_path / f"run{ending}", rate=50)).rate == pytest.approx(50)
    with pytest.raises(bf.RecordingError, match="states its units itself"):
        bf.Recording.load(tmp_path / f"run{ending}", unit={"position": "deg"})
    with pytest.raises(bf.RecordingError, match="not matched by position"):
        bf.Recording.load(tmp_path / f"run{ending}", bf.Robot.load("panda"), by_position=True)


def test_broken_lines_are_masked(tmp_path):
    lines = [f"{k / 100},{np.sin(k / 20)},{np.cos(k / 20)}" for k in range(400)]
    lines[100] = "0.5,###"
    (tmp_path / "log.csv").write_text("t,hip_pos,hip_torque\n" + "\n".join(lines) + "\n")
    recording = bf.Recording.load(tmp_path / "log.csv", bad_lines="nan")
    assert len(recording) == 400 and not recording.mask[100] and recording.mask.sum() == 399
    found = bf.check(recording)
    assert found.worst != "error" and "bad_lines" in found.codes and not {"nan", "nan_time"} & set(found.codes)


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".npz"])
def test_a_channel_of_another_kind_comes_back(tmp_path, ending):
    gripper = bf.Channel(np.arange(200.0).reshape(100, 2), ("in1", "in2"), ("V", "V"))
    swing().with_channel("gpio4", gripper).save(tmp_path / f"run{ending}")
    back = bf.Recording.load(tmp_path / f"run{ending}")
    np.testing.assert_array_equal(back.channels["gpio4"].values, gripper.values)
    assert back.channels["gpio4"].columns == ("in1", "in2") and back.joint_names == swing().joint_names


def test_parquet_brings_back_what_was_written_beside_it(tmp_path):
    force = bf.Channel(np.ones((7, 6)), ("fx", "fy", "fz", "tx", "ty", "tz"), ("N",) * 3 + ("N m",) * 3, time=np.arange(7.0))
    swing().with_channel("wrench", force).save(tmp_path / "run.parquet")
    back = bf.Recording.load(tmp_path / "run.parquet")
    np.testing.assert_array_equal(back.channels["wrench"].values, force.values)
    np.testing.assert_array_equal(back.channels["wrench"].time, np.arange(7))
    (tmp_path / "run.wrench.parquet").unlink()
    assert any("which is not there" in note.what for note in bf.Recording.load(tmp_path / "run.parquet").notes)


def test_degrees_are_of_joints_that_turn(tmp_path):
    """One unit for all positions: a gripper that slides beside them keeps its metres."""
    text = """<robot name="r"><link name="a"/><link name="b"/><link name="c"/>
    <joint name="hip" type="continuous"><parent link="a"/><child link="b"/></joint>
    <joint name="jaw" type="prismatic"><parent link="b"/><child link="c"/>
    <limit lower="0" upper="1" velocity="1" effort="1"/></joint></robot>"""
    (tmp_path / "arm.urdf").write_text(text)
    (tmp_path / "run.csv").write_text("time,hip_pos,jaw_pos\n0,90,0.5\n1,180,0.25\n")
    robot = bf.Robot.load(tmp_path / "arm.urdf")
    turned = bf.Recording.load(tmp_path / "run.csv", robot, unit={"position": "deg"})
    np.testing.assert_allclose(turned.position, [[np.pi / 2, 0.5], [np.pi, 0.25]])
    slid = bf.Recording.load(tmp_path / "run.csv", robot, unit={"position": "mm"})
    np.testing.assert_allclose(slid.position, [[90, 5e-4], [180, 2.5e-4]])


def test_an_orientation_has_four_columns(tmp_path):
    """qx qy qz qw, or a message's fields, are one; three of them are none."""
    for names in ("qx,qy,qz,qw", "orientation.x,orientation.y,orientation.z,orientation.w"):
        (tmp_path / "poses.csv").write_text(f"time,fx,fy,fz,{names}\n0,1,2,3,0,0,0.6,0.8\n1,1,2,3,0,0,0,1\n")
        log = bf.Recording.load(tmp_path / "poses.csv")
        np.testing.assert_allclose(log.channels["pose"].values[0], [0, 0, 0.6, 0.8])
        log.save(tmp_path / "copy.csv")
        np.testing.assert_allclose(
            bf.Recording.load(tmp_path / "copy.csv").channels["pose"].values, log.channels["pose"].values
        )
    (tmp_path / "poses.csv").write_text("time,fx,fy,fz,qx,qy,qz\n0,1,2,3,0,0,0.6\n1,1,2,3,0,0,0\n")
    assert set(bf.Recording.load(tmp_path / "poses.csv").channels) == {"wrench"}

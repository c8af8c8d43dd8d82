"""Motions that cannot be and files that hold none, each with the exact letter it must get."""

from __future__ import annotations

import numpy as np
import pytest

import bifilar as bf
from bifilar.errors import TEXT, BifilarError, MotionError, ResourceError, ShapeError, SolveError
from bifilar.experiment.compose import Slowed

TWO = ("shoulder", "elbow")
MOVE = bf.quintic(TWO, [[0, 0], [1, 1]], [0, 2])
BASIS = {"base_frequency": 0.1, "harmonics": 2}
SWING = bf.Fourier(joint_names=TWO, coefficients=np.ones((2, 4)), **BASIS)
ARM = bf.Robot.load("two_link")


def sweep(joint="elbow", **changes):
    options = {"pose": [0, 0], "lower": -1.0, "upper": 1.0, "speed": 0.2, "acceleration": 1.0} | changes
    return lambda: bf.sweep(TWO, joint, **options)


def refit(t, q, **changes):
    return lambda: bf.refit(t, q, **({"base_frequency": 1.0, "harmonics": 2, "joint_names": ["a"]} | changes))


T = np.arange(100) / 100
Q = np.sin(2 * np.pi * T)[:, None]
GAP = np.where(T[:, None] == 0.5, np.nan, Q)

LETTERS = [
    # names
    (lambda: bf.quintic([], [[0], [1]], [0, 1]), "a motion needs the names of its joints\n  try     give robot.joint_names"),
    (lambda: bf.quintic(["a", "a"], [[0, 0]], [0]), "the joint 'a' is named 2 times\n  try     name every joint once"),
    (
        sweep("elbw"),
        "the motion has no joint 'elbw'\n  joints  shoulder, elbow\n  likely  a misspelling of 'elbow'",
    ),
    (lambda: MOVE.sample(10).joints(["wrist"]), "the motion has no joint 'wrist'\n  joints  shoulder, elbow"),
    # times
    (lambda: bf.quintic(TWO, [[0, 0], [1, 1]], [0, -1]), "the times do not rise: 0 s is followed by -1 s\n  where   instant 1"),
    (lambda: bf.quintic(TWO, [[0, 0], [1, 1]], [1, 2]), "the times begin at 1 s\n  try     let them begin at 0"),
    (lambda: bf.quintic(TWO, [[0, 0]], [0]), "the times are 1 instants, a motion needs two\n  try     give a start and an end"),
    (lambda: bf.quintic(TWO, [[0, 0], [1, 1]], [0, 1, 2]), "there are 2 points and 3 times\n  try     give one time per point"),
    (lambda: MOVE.at([0.0, np.nan]), "time is nan in sample 1\n  where   time[1]\n  try     cut out those samples"),
    (lambda: MOVE.at([[0.0]]), "time has the shape (1, 1), one axis is asked for\n  try     give time.ravel()"),
    (lambda: MOVE.sample(0), "the sampling rate is 0 Hz\n  try     give one finite number above 0"),
    (lambda: bf.BSpline(TWO, np.zeros((6, 2)), -1.0), "the duration is -1 s\n  try     give one finite number above 0"),
    (
        lambda: bf.FourierBasis.lasting(-5.0, harmonics=3),
        "the duration is -5 s\n  try     give one finite number above 0",
    ),
    (
        lambda: bf.FourierBasis.lasting(5.0, harmonics=3, base_frequency=0.1),
        "5 s hold 0.5 of a period of 10 s\n  likely  too short for the base frequency\n"
        "  try     10 s or longer, or a base frequency of 0.2 Hz",
    ),
    (
        lambda: bf.FourierBasis.lasting(25.0, harmonics=3, base_frequency=0.1),
        "25 s are 2.5 periods of 10 s, not a whole number\n  try     a duration of 20 s or 30 s, or no base frequency at all",
    ),
    (
        lambda: bf.FourierBasis.lasting(0.5, harmonics=5, highest=2.0),
        "in 0.5 s harmonic 5 has 10 Hz, above 2 Hz\n  likely  too short for so many harmonics\n"
        "  try     2.5 s or longer, or fewer harmonics",
    ),
    (
        lambda: bf.FourierBasis.lasting(3.0, harmonics=5, fade=2.0),
        "two fades of 2 s leave nothing of 3 s\n  try     more than 4 s, or shorter fades",
    ),
    (
        lambda: bf.FourierBasis(base_frequency=1.0, harmonics=5).synchronous(8.0),
        "harmonic 5 has 5 Hz, too fast for 8 samples per second\n  try     sample faster than 10 Hz, or slow the motion down",
    ),
    # Fourier series
    (
        lambda: bf.FourierBasis(base_frequency=0.1, harmonics=(1, 1)),
        "(1, 1) are no harmonics\n  try     give whole numbers from 1, each once, or how many from 1 on",
    ),
    (
        lambda: bf.FourierBasis(base_frequency=0.1, harmonics=(0.5,)),
        "(0.5,) are no harmonics\n  try     give whole numbers from 1, each once, or how many from 1 on",
    ),
    (
        lambda: bf.FourierBasis(base_frequency=0.1, harmonics=10**12),
        "1000000000000 are no harmonics\n  try     give whole numbers from 1, each once, or how many from 1 on",
    ),
    (
        lambda: bf.FourierBasis(base_frequency=0.1, harmonics="all"),
        "'all' are no harmonics\n  try     give whole numbers from 1, each once, or how many from 1 on",
    ),
    (lambda: bf.FourierBasis(**BASIS, periods=1.5), "the number of periods is 1.5\n  try     give a whole number"),
    (lambda: bf.FourierBasis(**BASIS, fade=-1), "the fade is -1 s\n  try     give one finite number of at least 0"),
    (
        lambda: bf.FourierBasis(base_frequency=np.nan, harmonics=1),
        "the base frequency is nan Hz\n  try     give one finite number above 0",
    ),
    (
        lambda: bf.Fourier(joint_names=TWO, coefficients=np.ones((3, 4)), **BASIS),
        "coefficients have 3 rows, the motion has 2 joints\n  joints  shoulder, elbow\n  try     give (2, 4): a row per joint",
    ),
    (
        lambda: bf.Fourier(joint_names=TWO, coefficients=np.ones((2, 4)), offset=[0, 0, 0], **BASIS),
        "offset has the shape (3,), the motion has 2 joints\n  joints  shoulder, elbow",
    ),
    (
        lambda: bf.Fourier(joint_names=TWO, coefficients=np.ones((2, 4)), offset=[0, np.inf], **BASIS),
        "offset of joint 'elbow' is inf",
    ),
    (
        lambda: bf.rest_basis(1),
        "1 harmonic cannot begin and end at rest: only standing still would\n  try     take more harmonics, or a fade instead",
    ),
    # points
    (
        lambda: bf.quintic(ARM.joint_names, [[0, 0], [90, 0]], [0, 1], limits=ARM.limits),
        "point 1 has joint 'joint1' at 90, 86.9 beyond its limit\n  allowed -3.14159 to 3.14159\n"
        "  likely  degrees where radians are asked for",
    ),
    (
        lambda: bf.pose_sequence(TWO, [[0, 0], [1, 1]], hold=1.0),
        "how long may a move take?\n  try     give move=... seconds, or limits=robot.limits",
    ),
    (
        lambda: bf.pose_sequence(TWO, np.zeros((0, 2)), hold=1.0, move=1.0),
        "there is no pose to hold\n  try     give at least one",
    ),
    (
        lambda: bf.pose_sequence(TWO, [[0, 0]], hold=0.0, move=1.0),
        "the time of a hold is 0 s\n  try     give one finite number above 0",
    ),
    (
        lambda: bf.BSpline(TWO, np.zeros((5, 2)), 1.0),
        "a spline of degree 5 has 5 control points\n  try     give at least 6",
    ),
    (
        lambda: bf.BSpline.at_rest(TWO, [[0, 0]], 1.0),
        "a motion needs two points, there is 1\n  try     give a start and an end",
    ),
    # sweeps
    (sweep(lower=1.0, upper=-1.0), "joint 'elbow' is to sweep from 1 up to -1\n  try     give lower below upper"),
    (sweep(speed=-0.1), "the speed is -0.1 rad/s\n  try     give one finite number above 0"),
    (sweep(repeats=0), "the number of repeats is 0\n  try     give a whole number from 1"),
    (
        sweep(speed=2.0),
        "joint 'elbow' cannot reach 2 rad/s within 2 rad: its ramps take 7.5 rad\n"
        "  try     a speed below 1.03, or more acceleration or way",
    ),
    # composition
    (
        lambda: MOVE.slowed(0.1),
        "slowed by 0.1, the motion would become faster\n  likely  10 % of the speed was meant\n"
        "  try     give 10, or design a faster motion",
    ),
    (lambda: Slowed(MOVE, np.inf), "the factor of time is inf\n  try     give one finite number above 0"),
    (lambda: bf.concatenate(), "there is no trajectory to concatenate\n  try     give at least one"),
    (
        lambda: bf.concatenate(MOVE, MOVE),
        "the position of joint 'shoulder' jumps from 1 to 0 before part 1\n  try     give transition=... seconds",
    ),
    (
        lambda: bf.concatenate(SWING, SWING),
        None,  # periodic: whole periods follow each other without a seam
    ),
    (
        lambda: bf.concatenate(MOVE, SWING, transition=1.0),
        "the velocity of joint 'shoulder' jumps from 0 to 2 before part 1\n"
        "  try     give the parts a fade, or rest at their ends",
    ),
    (
        lambda: bf.concatenate(MOVE, bf.quintic(TWO[::-1], [[1, 1], [0, 0]], [0, 1])),
        "part 1 moves the joints elbow, shoulder, part 0 shoulder, elbow\n  likely  the same joints in another order",
    ),
    # refits
    (
        refit(T[:4], Q[:4]),
        "4 samples cannot determine 5 numbers per joint (2 harmonics and an offset)\n"
        "  try     give 5 samples or more, or fewer harmonics",
    ),
    (
        refit(T[:40], Q[:40]),
        "the samples cover 0.4 of a period of 1 s\n  likely  a base frequency of another motion\n"
        "  try     give at least one whole period",
    ),
    (
        refit(T, GAP),
        "position of joint 'a' is nan in sample 50\n  where   position[50, 0]\n"
        "  likely  a gap in the recording, or a division by zero upstream\n  try     cut out or interpolate those samples",
    ),
    (refit(T[:50], Q), "position has 100 samples, time has 50\n  try     give one timestamp per sample"),
    (
        refit(T[::-1], Q),
        "time goes from 0.99 s to 0.98 s\n  where   time[1]\n  likely  two recordings in one, or a clock that was set",
    ),
    (
        refit(np.arange(20) / 4, np.zeros((20, 1)), harmonics=(1, 3)),
        "the harmonics cannot be separated by these samples\n"
        "  likely  harmonics faster than half the sampling rate, or timestamps that repeat the same phases\n"
        "  try     sample faster, or fewer harmonics",
    ),
    (
        refit(T, Q, base_frequency=1.0 / 0.995, average=True),
        "a period of 0.995 s is 99.5 samples, not a whole number\n"
        "  try     a base frequency of 1 Hz (see FourierBasis.synchronous), or refit without averaging",
    ),
    (
        refit(T**2 * 1.03, Q, average=True),
        "timestamps are up to 25 samples away from equal spacing\n  try     resample, or refit without averaging",
    ),
    # motions
    (
        lambda: bf.Motion(joint_names=["a"], time=[0], position=[[0], [1]], velocity=[[0], [1]], acceleration=[[0], [1]]),
        "the motion has 1 instants and 2 positions",
    ),
    (
        lambda: bf.save_motion("x.csv", MOVE.sample(1), units={"elbow": "deg"}),
        "joint 'elbow' is to be written in 'deg'\n  try     rad, or m for sliding joints",
    ),
]


@pytest.mark.parametrize("call, letter", LETTERS, ids=[str(k) for k in range(len(LETTERS))])
def test_letters(call, letter):
    if letter is None:
        call()
        return
    with pytest.raises(BifilarError) as error:
        call()
    assert str(error.value) == letter


HEAD = "time_s,a.position_rad,a.velocity_rad_per_s,a.acceleration_rad_per_s2\n"

FILES = [
    (None, "the file cannot be read: No such file or directory\n  where   m.csv\n  try     check the path"),
    (b"", "the file is empty\n  where   m.csv\n  likely  an interrupted copy\n  try     copy or record it again"),
    (
        b"# only\n# words\n",
        "the file is empty\n  where   m.csv\n  likely  an interrupted copy\n  try     copy or record it again",
    ),
    (b"\xff\xfe\x00", f"the file cannot be read: it is not text in UTF-8\n  where   m.csv\n  try     {TEXT}"),
    (b"time_s\0", f"the file is not text: it holds a NUL byte\n  where   m.csv\n  try     {TEXT}"),
    (
        b"0,1,2,3\n",
        "there is no column 'time_s'\n  where   m.csv:1\n  columns 0, 1, 2, 3\n  likely  no header, or time under another name",
    ),
    (b"# c\ntime_s\n0\n", "there is no joint in the file\n  where   m.csv:2\n  try     columns such as 'elbow.position_rad'"),
    (
        b"time_s,a.position_furlong\n",
        "the column 'a.position_furlong' is not understood\n  where   m.csv:1\n"
        "  try     JOINT.position_rad, JOINT.velocity_rad_per_s, JOINT.acceleration_rad_per_s2; rad, deg, m or mm",
    ),
    (b"time_s,time_s\n", "the column 'time_s' exists 2 times\n  where   m.csv:1"),
    (b"time_s,a.position_rad,a.position_deg\n", "the position of joint 'a' exists in two units\n  where   m.csv:1"),
    (
        b"time_s,a.position_rad\n0,0\n",
        "joint 'a' has no velocity\n  where   m.csv\n  try     a column 'a.velocity_rad_per_s'",
    ),
    (HEAD, "the file has a header and no samples\n  where   m.csv\n  likely  an interrupted copy"),
    (HEAD + "0,0,0,0\n1,0,0\n", "the line has 3 fields, the header 4\n  where   m.csv:3\n  likely  an interrupted copy"),
    (
        HEAD + "0,0,0,0,0\n",
        "the line has 5 fields, the header 4\n  where   m.csv:2\n  likely  a comma as the decimal sign",
    ),
    ("# c\n" + HEAD + "0,0,zero,0\n", "not a number: 'zero'\n  where   m.csv:3"),
    (
        HEAD + "0,0,nan,0\n",
        "the line holds a number that is not finite\n  where   m.csv:2\n  likely  a gap in a recording",
    ),
    (HEAD + "0,0,0,0\n0,0,0,0\n", "time goes from 0 s to 0 s\n  where   m.csv, sample 1"),
]


@pytest.mark.parametrize("content, letter", FILES, ids=[str(k) for k in range(len(FILES))])
def test_files(content, letter, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if content is not None:
        (tmp_path / "m.csv").write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(MotionError) as error:
        bf.load_motion("m.csv")
    assert str(error.value) == letter


def test_the_kinds_of_errors(tmp_path):
    with pytest.raises(ResourceError):
        bf.save_motion(tmp_path / "nowhere" / "m.csv", MOVE.sample(1))
    with pytest.raises(SolveError):
        refit(T[:4], Q[:4])()
    with pytest.raises(ShapeError):
        bf.quintic(TWO, [[0, 0, 0], [1, 1, 1]], [0, 1])
    with pytest.raises(MotionError, match="not one after the other"):
        bf.save_joint_trajectory(tmp_path / "m.yaml", MOVE.at([0.0, 1e-10]))
    with pytest.raises(MotionError, match="without samples"):
        bf.save_joint_trajectory(tmp_path / "m.yaml", MOVE.at([]))
    assert not list(tmp_path.iterdir())


def test_limits_that_do_not_bound_a_move_are_asked_for():
    robot = bf.Robot.load("two_link")
    limits = robot.limits._replace(velocity=np.array([1.0, np.inf]))
    with pytest.raises(MotionError, match="joint 'joint2' has no limit of velocity"):
        bf.pose_sequence(robot.joint_names, [[0, 0], [0.1, 0.1]], hold=1.0, limits=limits)
    with pytest.raises(MotionError, match="the limits are of 2 joints, the motion has 1"):
        bf.pose_sequence(["joint1"], [[0], [0.1]], hold=1.0, limits=limits)

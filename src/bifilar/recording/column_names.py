"""What a column is, from its name: which channel, which joint, which unit.

    shoulder.position [rad]   as bifilar writes them            q1  dq_2  tau3   ddq[0]    a letter and a number
    arm_1_joint_velocity      a joint and a word                joint2_pos_deg             with the unit at the end
    position_0  effort[3]     a message's field and its place   cmd_pos3  motor_vel_1      commanded, motor side
    fx  force.y  wrench.torque.z      of a wrench               gyro_x  linear_acceleration.z   of an IMU
    qx qy qz qw  orientation.w        of a sensor's orientation, all four

A name is cut into words. Words that say the quantity and its side are taken out; what remains is the joint: by its own
name where a robot is known, else as it stands, or a number.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bifilar.recording.units import QUANTITIES, SENSORS, is_unit, quantity, unit

WORDS = {
    "position": "position positions pos q angle angles angular theta qpos ang rotation actualq encoder enc",
    "velocity": "velocity velocities vel dq qd qdot qvel speed speeds omega qp dtheta thetadot",
    "acceleration": "acceleration accelerations acc accel ddq qdd qddot qacc ddtheta qpp",
    "torque": "torque torques tau effort efforts trq tor tauj moment",
    "current": "current currents cur curr i amps",
    "temperature": "temperature temperatures temp",
    "voltage": "voltage voltages volt",
}
SIDES = {
    "motor": "motor mot m rotor",
    "commanded": "commanded command cmd desired des ref reference setpoint goal",
    "target": "target",
    "filtered": "filtered filt",
    "external": "external ext",
}
DERIVED = {"dot": "velocity", "ddot": "acceleration"}  # theta_dot: behind a position
OTHER = frozenset(  # what is no measurement of a joint, whatever stands beside it
    "error errors err std var covariance limit limits min max bias offset residual tolerance gain dt".split()
)
FILLERS = frozenset("joint joints j axis actual act measured meas state states field data value values link msg".split())
CLOCK = frozenset("time t timestamp timestamps stamp times sec secs seconds clock header field ros record rec assumed".split())
NEEDS = frozenset("time t timestamp timestamps stamp times sec secs seconds clock".split())
SUFFIXES = {"deg": "deg", "rad": "rad", "mrad": "mrad", "nm": "N m", "mnm": "mN m", "mm": "mm", "rpm": "rpm", "ma": "mA"}
SECONDS = frozenset("sec secs seconds".split())  # a whole number of them may stand beside ...
NANOSECONDS = frozenset("nsec nsecs nanosec nanosecs nanoseconds".split())  # ... the rest, as ROS writes stamps
TIMES = {"s": "s", "ms": "ms", "us": "us", "ns": "ns", "usec": "us", "usecs": "us", "msec": "ms", "msecs": "ms"}
TIMES |= dict.fromkeys(NANOSECONDS, "ns") | {"milliseconds": "ms", "microseconds": "us"}
QUATERNIONS = frozenset("q quat quaternion orientation".split())
FORCES, TURNS = frozenset("force f".split()), frozenset("torque moment t m".split())
OWN = re.compile(r"(?P<joint>.+)\.(?P<channel>[A-Za-z_][A-Za-z0-9_]*) \[(?P<unit>[^\]]*)\]", re.S)

_QUANTITY = {word: name for name, words in WORDS.items() for word in words.split()}
_SIDE = {word: name for name, words in SIDES.items() for word in words.split()}


@dataclass(frozen=True)
class Meaning:
    """What a column is.

    >>> Meaning("position", joint="elbow", unit="deg").channel
    'position'
    """

    channel: str  # "time", "position", "wrench", ...
    joint: str = ""  # its name, or the column of a sensor: fx
    number: int | None = None  # of the joint, where the name has only that
    unit: str = ""  # as stated
    bracketed: bool = False  # q[0]: counts from 0


def meaning(name: str, joints: Sequence[str] = ()) -> Meaning | None:
    """What a column of that name is, or None; `joints` are those of a robot.

    >>> meaning("dq_3"), meaning("- arm_1_joint_velocity").joint, meaning("mode")
    (Meaning(channel='velocity', joint='', number=3, unit='', bracketed=False), 'arm_1_joint', None)
    >>> meaning("joint2_pos_deg", ("joint1", "joint2"))
    Meaning(channel='position', joint='joint2', number=None, unit='deg', bracketed=False)
    """
    own = OWN.fullmatch(name)
    if own and (quantity(own["channel"]) or own["channel"] in SENSORS):
        return Meaning(own["channel"], own["joint"], unit=own["unit"])
    plain, stated = _unit(name.strip().strip('"'))
    sensor = _sensor(plain)
    if sensor is not None:
        return Meaning(sensor[0], sensor[1], unit=stated)
    joint, rest = _joint(plain, joints)
    words = re.findall(r"[A-Za-z]+|\d+", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", rest))
    low = [word.lower() for word in words]
    if not joint and _is_clock(set(low)):
        return Meaning("time", unit=stated or next((TIMES[word] for word in low if word in TIMES), ""))
    stated = stated or _suffix(low)
    return _of_joint(joint, plain, low, stated)


def _is_clock(low: set[str]) -> bool:
    """Whether the words are those of a clock; a topic may stand before the header's stamp (joint_states/header/stamp/sec)."""
    beside = FILLERS if {"header", "stamp"} <= low else frozenset()
    return low <= CLOCK | set(TIMES) | beside and bool(low & (NEEDS | NANOSECONDS))


def _of_joint(joint: str, plain: str, low: list[str], stated: str) -> Meaning | None:
    kinds = [word for word in low if word in _QUANTITY]
    if len(kinds) > 1:  # 'q2_tau': a letter can be a name, a word is meant
        kinds = [word for word in kinds if len(word) > 2] or kinds
    if len({_QUANTITY[word] for word in kinds}) != 1:
        return None
    kind = _QUANTITY[kinds[0]]
    dots = {DERIVED[word] for word in low if word in DERIVED}
    if set(low) & OTHER or len(dots) > 1 or (dots and kind != "position"):
        return None
    kind = next(iter(dots), kind)
    taken = set(kinds) | (set(low) & set(DERIVED)) | ({low[-1]} if low and low[-1] in SUFFIXES else set())
    sides = [] if joint and not set(low) & set(_SIDE) else [_SIDE[word] for word in low if word in _SIDE and word not in taken]
    channel = "_".join([*dict.fromkeys(sides), kind])
    rest = [word for word in low if word not in taken and word not in _SIDE]
    if joint:
        return Meaning(channel, joint, unit=stated) if set(rest) <= FILLERS | set(SUFFIXES) else None
    numbers = [word for word in rest if word.isdigit()]
    others = [word for word in rest if not word.isdigit() and word not in FILLERS]
    if not others and len(numbers) == 1 and len(numbers[0]) < 4:
        return Meaning(channel, number=int(numbers[0]), unit=stated, bracketed=re.search(r"\[\d+\]", plain) is not None)
    if not others and not numbers:
        return Meaning(channel, unit=stated)
    name = _named(plain, taken, sides)
    return Meaning(channel, name, unit=stated) if name else None


def _named(plain: str, taken: set[str], sides: list[str]) -> str:
    """The joint's name as written: what stands before or behind the words of the quantity."""
    parts = [part for part in re.split(r"([^A-Za-z0-9]+)", plain) if part]
    spoken = taken | {word for word in _SIDE if _SIDE[word] in sides} | {"actual", "measured", "meas", "act"}
    inside = [part.lower() not in spoken and re.fullmatch(r"[^A-Za-z0-9]+", part) is None for part in parts]
    if not any(inside):
        return ""
    first, last = inside.index(True), len(inside) - 1 - inside[::-1].index(True)
    between = [part.lower() in taken for part in parts[first : last + 1]]
    return "" if any(between) else "".join(parts[first : last + 1])


def _unit(name: str) -> tuple[str, str]:
    """The name without a unit in brackets, and the unit."""
    found = re.fullmatch(r"(.*?)\s*[\[(]\s*([^\[\]()]*?)\s*[\])]", name, re.S)
    if found and is_unit(found[2]) and not found[2].isdigit():
        return found[1], found[2]
    return name, ""


def _suffix(low: list[str]) -> str:
    """A unit at the end: _deg, _deg_s, _rad_s2."""
    if low and low[-1] in SUFFIXES:
        stated = SUFFIXES[low[-1]]
    elif len(low) > 1 and low[-2] in ("deg", "rad") and low[-1] in ("s", "ps"):
        stated = f"{low[-2]}/s"
        low[-2:] = []
    elif len(low) > 2 and low[-3] in ("deg", "rad") and low[-2:] == ["s", "2"]:
        stated = f"{low[-3]}/s^2"
        low[-3:] = []
    else:
        return ""
    spoken = [DERIVED[word] for word in low if word in DERIVED] + [_QUANTITY[word] for word in low if word in _QUANTITY]
    kind = next(iter(spoken), "")
    if unit(stated).si == "rad" and kind in ("velocity", "acceleration"):  # dq_deg: degrees per second are meant
        stated = QUANTITIES[kind][0].replace("rad", stated)
    return stated


def _sensor(plain: str) -> tuple[str, str] | None:
    """Channel and column of a sensor with three axes."""
    words = [word.lower() for word in re.findall(r"[A-Za-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", plain))]
    if len(words) == 1 and len(words[0]) == 2 and not re.search(r"\d", plain):
        words = list(words[0])
    if len(words) < 2 or words[-1] not in "wxyz" or re.search(r"\d", plain):
        return None
    axis, said = words[-1], set(words[:-1])
    if said & QUATERNIONS and said <= QUATERNIONS | {"pose"}:
        return "pose", f"q{axis}"
    if axis == "w":
        return None
    if said & {"orientation", "covariance", "pose", "quaternion", "linear"} and not said & {"acceleration", "linear"}:
        return None
    if ("angular" in said and "velocity" in said) or "gyro" in said or said == {"g"}:
        return "imu", f"g{axis}"
    if (
        ("linear" in said and "acceleration" in said)
        or said & {"accelerometer"}
        or said in ({"acc"}, {"accel"}, {"imu", "acc"})
    ):
        return "imu", f"a{axis}"
    if said & FORCES and said <= FORCES | {"wrench", "ft", "sensor"}:
        return "wrench", f"f{axis}"
    if said & TURNS and said <= TURNS | {"wrench", "ft", "sensor"}:
        return "wrench", f"t{axis}"
    return None


def _joint(plain: str, joints: Sequence[str]) -> tuple[str, str]:
    """The robot's joint that the name holds, longest first, and the name without it."""
    for joint in sorted(joints, key=len, reverse=True):
        found = re.search(rf"(?<![A-Za-z0-9]){re.escape(joint)}(?![0-9]|(?<=[A-Za-z])[A-Za-z])", plain, re.I)
        if found:
            return joint, plain[: found.start()] + "_" + plain[found.end() :]
    return "", plain

"""Ma and Hollerbach 1996: mass moments by turning one joint at a time, and torque sensors calibrated in place.

Table 2 follows from Table 1 with twists (-, -, +, +, -, +) 90 degrees, the last one zero, no link lengths, and three sums of
mass times offset that the paper does not print (single masses and offsets cannot be told from it). Table 3 and Figure 6 come
from a machine that nobody else has: its twelve numbers drive a simulated arm here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from bifilar.calibrate.recalibration import SensorWatch, follow_sensors
from bifilar.calibrate.sensor_equations import HungMass
from bifilar.calibrate.torque_sensor import calibrate_torque_sensors
from bifilar.dynamics import decompose
from bifilar.dynamics.tree import Array
from bifilar.estimate.gravity import identify_gravity
from bifilar.estimate.gravity_model import GravityModel, gravity_matrix
from bifilar.papers.claims import Claim, Part, Reproduction
from bifilar.recording.static_poses import StaticPoses
from bifilar.report.plot import Line, Plot
from bifilar.robot.inertia import Inertia
from bifilar.robot.read_dh import from_dh
from bifilar.robot.robot import Robot

CITATION = (
    "D. Ma, J. M. Hollerbach: Mass parameters for gravity compensation and automatic torque sensor calibration. ICRA 1996"
)
TABLE_1 = np.array(
    [
        [0.1116, 0.0485, -0.6305],
        [-0.1063, 0.3289, 0.5566],
        [0.1256, 0.2997, 0.8100],
        [0.0437, 0.2184, -0.0692],
        [0.0376, -0.0057, 0.1491],
        [-0.0217, -0.0620, 0.0149],
        [0.1132, -0.0594, 0.8770],
    ]
)  # [kg m] first moments of the links
TABLE_2 = np.array(
    [
        [0.1116, -0.9594],
        [-0.1063, -4.6877],
        [0.1256, -1.0284],
        [0.0437, 1.5219],
        [0.0376, 0.0871],
        [-0.0217, 0.6686],
        [0.1132, -0.0597],
    ]
)  # [kg m] as printed
TABLE_3 = np.array([0.7022, 0.4967, -0.6180, 6.6570, 0.2125, -0.1663, -0.2865, -3.0014, 0.0213, -0.0207, 0.0276, -0.0417])
TWISTS = (-1, -1, 1, 1, -1, 1, 0)
CARRIED = {2: -5.5440, 4: -1.4584, 6: -1.5605}  # [kg m] mass from the joint outwards times its offset
MASSES = np.array([8.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.5])  # [kg] of our choice: only the products above are told
GRAVITY = (3.0, 4.0, -8.4)  # [m/s^2] a base that leans, so that the first joint feels it too


PARTS = ("Tables 1 and 2", "Global re-identification", "Torque sensors in place", "Recalibration", "Table 3 and Figure 6")


def arm(masses: Array = MASSES) -> Robot:
    """The paper's simulated arm; whatever its masses, Table 2 must come out.

    >>> arm().joint_names[0]
    'joint1'
    """
    rows = [
        {
            "alpha": TWISTS[k] * np.pi / 2,
            "d": CARRIED.get(k, 0.0) / masses[k:].sum(),
            "mass": float(masses[k]),
            "first_moment": TABLE_1[k].tolist(),
            "inertia_com": {"xx": 0.1, "yy": 0.1, "zz": 0.1},
        }
        for k in range(7)
    ]
    return Robot.build(from_dh(rows, name="sarcos")).with_gravity(GRAVITY)


def reproduced(
    *, seeds: int = 20, runs: int = 1000, updates: int = 0, tell: Callable[[str], Any] = print, parts: int = len(PARTS)
) -> Reproduction:
    """The first `parts` of it, or all; noise is drawn `seeds` times, false alarms are counted in `runs` runs.

    `updates` is for other papers.

    >>> reproduced(parts=1, tell=lambda name: None).good
    True
    """
    robot, made = arm(), []
    steps: tuple[Callable[[], Part], ...] = (
        lambda: _tables(robot),
        lambda: _at_once(robot, seeds),
        lambda: _sensors(robot, seeds),
        lambda: _drift(robot, seeds, runs),
        _table_3,
    )
    for name, step in list(zip(PARTS, steps, strict=True))[:parts]:
        tell(name)
        made.append(step())
    return Reproduction("ma1996", CITATION, "Gravity and torque sensors of the Sarcos arm, simulated.", tuple(made))


def _swept(rng: np.random.Generator, count: int = 13, poses: int = 1) -> Array:
    """One joint after the other through 170 degrees, the others held."""
    q = np.repeat(rng.uniform(-1.2, 1.2, (poses, 1, 1, 7)), 7, axis=1).repeat(count, axis=2)
    for j in range(7):
        q[:, j, :, j] = np.linspace(-1.5, 1.5, count)
    return q.reshape(-1, 7)


def _tables(robot: Robot) -> Part:
    rng = np.random.default_rng(0)
    q = _swept(rng)
    poses = StaticPoses(robot.joint_names, q, robot.gravity_torque(q)).own_sensors()
    found = identify_gravity(robot, poses, method="recursive").model
    ours = found.values.reshape(7, 2)
    off = np.abs(ours - TABLE_2)
    anywhere = rng.uniform(-np.pi, np.pi, (50, 7))
    torque = float(np.abs(found.torque(anywhere) - robot.gravity_torque(anywhere)).max())
    rank = int(decompose.rank(gravity_matrix(robot, anywhere).reshape(-1, 14)))
    same, last = int((off < 1e-4).sum()), float(ours[6, 1])
    claims = (
        Claim("Table 2", "entries that follow from Table 1 to 1e-4", "14", str(same), "13 of 14", same == 13),
        Claim(
            "Table 2", "n_7y", "-0.0597", f"{last:.4f}", "-0.0594: Table 1 and the print disagree", abs(last + 0.0594) < 1e-4
        ),
        Claim("Section 5", "torque at 50 random poses", "agrees", f"{torque:.1e} N m", "1e-9", torque < 1e-9),
        Claim("Section 3", "numbers that can be told", "2 per joint", str(rank), "14", rank == 14),
    )
    rows = [["link", "n_x", "printed", "n_y", "printed"]]
    pairs = np.stack([ours, TABLE_2], axis=2).reshape(7, 4)
    rows += [[str(k + 1), *(f"{x:.4f}" for x in row)] for k, row in enumerate(pairs)]
    return Part("Tables 1 and 2", ("Mass moments [kg m] identified from noise-free sweeps.",), claims, table=rows)


def _at_once(robot: Robot, seeds: int) -> Part:
    rng = np.random.default_rng(1)
    q, anywhere = _swept(rng), rng.uniform(-2, 2, (50, 7))
    truth, errors, apart = robot.gravity_torque(anywhere), [], 0.0
    for _ in range(seeds):
        poses = StaticPoses(robot.joint_names, q, robot.gravity_torque(q) + 0.05 * rng.normal(size=q.shape))
        single = poses.own_sensors()
        by_joint = identify_gravity(robot, single, method="recursive")
        apart = max(apart, float(np.abs(by_joint.model.values - identify_gravity(robot, single).model.values).max()))
        every = identify_gravity(robot, poses)
        errors.append([np.mean((found.torque(anywhere) - truth) ** 2) for found in (by_joint, every)])
    recursive, at_once = np.sqrt(np.mean(errors, axis=0))
    ratio = float(at_once / recursive)
    claims = (
        Claim(
            "Section 7", "all at once on the same data", "better", f"differs by {apart:.0e}", "identical to 1e-9", apart < 1e-9
        ),
        Claim(
            "Section 7", "torque error with all sensors over the recursion's", "-", f"{ratio:.2f}", "at most 0.6", ratio <= 0.6
        ),
    )
    words = (
        "A joint's own sweep has exactly its own two unknowns, so solving all joints at once on the same data changes nothing;",
        "what helps is logging every joint's sensor in every sweep.",
    )
    return Part("Global re-identification", words, claims)


def _sensors(robot: Robot, seeds: int) -> Part:
    gains, offsets, wrists = [], [], []
    way, point, frame = np.array([0.1, 0.05, 0.0]), np.array([0.03, -0.02, 0.1]), robot.frame_names[-1]
    alone_open = True
    for seed in range(max(2, seeds // 5)):
        rng = np.random.default_rng(seed)
        q = _swept(rng, 9, 4)
        gain, offset = rng.uniform(0.8, 1.2, 7), rng.uniform(-1, 1, 7)
        runs = [_read(rng, robot, q, gain, offset, frame, at) for at in (None, point, point + way)]
        hung = [(runs[1], HungMass(2.0)), (runs[2], HungMass(2.0, way))]
        found = calibrate_torque_sensors(robot, runs[0], hung, frame=frame)
        gains.append(np.abs(found.gain / gain - 1).max())
        offsets.append(np.abs((found.offset - offset) / (np.ptp(runs[1].torque, axis=0) / 2)).max())
        wrist = [StaticPoses(r.joint_names, r.position, np.where(np.arange(7) >= 4, r.torque, np.nan)) for r in runs]
        one, other = (wrist[1], HungMass(2.0)), (wrist[2], HungMass(2.0, way))
        alone, both = (calibrate_torque_sensors(robot, wrist[0], hung, frame=frame) for hung in ([one], [one, other]))
        alone_open &= not alone.gain_seen[4:].any()
        wrists.append(np.abs(both.gain / gain - 1)[4:].max() if both.gain_seen[4:].all() else np.inf)
    worst, shift = max(gains), max(offsets)
    claims = (
        Claim("[11]", "gains, 0.1 % noise", "two joints, no numbers", f"{worst:.2%} at worst", "1 %", worst < 0.01),
        Claim("[11]", "offsets over the sweep's amplitude", "-", f"{shift:.2%} at worst", "1 %", shift < 0.01),
        Claim(
            "-",
            "a wrist's gains, its own sensors, one attachment",
            "-",
            "open" if alone_open else "claimed",
            "open",
            alone_open,
        ),
        Claim("-", "the same, two attachments", "-", f"{max(wrists):.2%} at worst", "1 %", max(wrists) < 0.01),
    )
    words = (
        "A known mass at a point that nobody measured. With all joints' sensors the ones before the wrist tell where it hangs,",
        "and the wrist's gains follow from one attachment; from the wrist's sensors alone they need a second one, a known way",
        "from the first.",
    )
    return Part("Torque sensors in place", words, claims)


def _read(
    rng: np.random.Generator, robot: Robot, q: Array, gain: Array, offset: Array, frame: str, at: Array | None
) -> StaticPoses:
    held = robot if at is None else robot.with_payload(frame, Inertia.from_center_of_mass(2.0, at, np.zeros((3, 3))))
    true = gain * held.gravity_torque(q) + offset
    return StaticPoses(robot.joint_names, q, true + 1e-3 * np.abs(true).max(axis=0) * rng.normal(size=true.shape))


def _alarms(model: GravityModel, runs: int) -> int:
    """Runs of five minutes without drift in which some sensor is reported."""
    count, time = 0, np.arange(0, 300, 2.0)
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        angle = np.outer(time, rng.uniform(0.03, 0.1, 7)) + rng.uniform(0, 6, 7)
        true = model.torque(1.2 * np.sin(angle))
        still = np.zeros_like(angle)
        count += bool(
            follow_sensors(
                model, time, 1.2 * np.sin(angle), still, true + 0.05 * rng.normal(size=true.shape), noise=0.05
            ).findings
        )
    return count


def _drift(robot: Robot, seeds: int, runs: int) -> Part:
    rng, model = np.random.default_rng(2), GravityModel.of(robot)
    ratios, time = [], np.arange(0, 600, 1.0)
    for _ in range(max(2, seeds // 5)):
        angle = np.outer(time, rng.uniform(0.03, 0.1, 7)) + rng.uniform(0, 6, 7)
        q, v = 1.2 * np.sin(angle), np.zeros_like(angle)
        true = model.torque(q)
        gain = 1 + np.outer(np.clip(time / 300, 0, 1), 0.1 * np.sign(rng.normal(size=7)))
        reading = gain * true + 0.05 * rng.normal(size=true.shape)
        track = follow_sensors(model, time, q, v, reading, noise=0.05)
        ratios.append(np.sqrt(np.mean((reading - true) ** 2) / np.mean((track.torque - true) ** 2)))
    worst = float(min(ratios))
    what = "torque error before over after, 10 % gain drift"
    claim = Claim("Section 7", what, "proposed", f"{worst:.1f} at least", "5", worst >= 5)
    alarms, level = _alarms(model, runs), SensorWatch().false_alarms
    sense = f"at most {level:.0%}"
    false = Claim("-", "runs without drift that raise an alarm", "-", f"{alarms} of {runs}", sense, alarms <= level * runs)
    lines = [Line(time, gain[:, 1], "ink", "true", "dashed"), Line(time, track.gain[:, 1], "identified", "followed")]
    plot = Plot("gain of joint 2", "", lines)
    keys = (("true", "ink", "dashed"), ("followed", "identified", "line"))
    return Part("Recalibration while it works", ("Gains that drift by 10 % in five minutes.",), (claim, false), [plot], keys)


def _table_3() -> Part:
    """Six joints with the numbers of the real machine: sweeps with noise, then poses that were not used."""
    rows = [{"alpha": TWISTS[k] * np.pi / 2, "mass": 1.0, "inertia_com": {"xx": 0.1, "yy": 0.1, "zz": 0.1}} for k in range(6)]
    robot = Robot.build(from_dh(rows, name="sarcos")).with_gravity(GRAVITY)
    truth = GravityModel(robot, TABLE_3)
    rng = np.random.default_rng(3)
    q = _swept(rng)[:-13, :6]
    poses = StaticPoses(robot.joint_names, q, truth.torque(q) + 0.3 * rng.normal(size=q.shape))
    found = identify_gravity(robot, poses.own_sensors(), method="recursive")
    held = rng.uniform(-1.5, 1.5, (30, 6))
    measured, predicted = truth.torque(held) + 0.3 * rng.normal(size=held.shape), found.torque(held)
    x = np.arange(1.0, 31.0)
    plots = []
    for j in range(6):
        lines = [Line(x, predicted[:, j], "identified", "model"), Line(x, measured[:, j], "ink", "sensor", "dashed")]
        plots.append(Plot(f"joint {j + 1}", "[N m]", lines, x_unit="pose"))
    off = np.abs(found.model.values - TABLE_3) / np.maximum(found.model.deviations, 1e-12)
    inside = int((off < 3).sum())
    what = "numbers that come back within three deviations"
    claim = Claim("Table 3", what, "a real arm", f"{inside} of 12", "11 or more", inside >= 11)
    words = ("Twelve numbers of the real arm drive a simulated one with 0.3 N m of noise; poses not used, as in Figure 6.",)
    return Part("Table 3 and Figure 6", words, (claim,), plots, (("model", "identified", "line"), ("sensor", "ink", "dashed")))

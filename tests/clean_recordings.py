"""Clean recordings: virtual robots with other masses than the description's, friction and realistic sensors; two real ones."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

import bifilar as bf

ROBOTS = ("panda", "kuka_lwr4", "ur10e", "wam", "two_link")
EFFORT = {"wam": (77, 160, 95, 29, 12, 12, 3)}  # [N m] where the description states none
SLIP = 0.05  # [rad/s]: a harder sign of speed makes the plant stiff and the study long
NO_SPEED = 3.0  # [rad/s] where the description states no velocity limit


def motion(robot: bf.Robot, draw: np.random.Generator, duration: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sums of sines inside the limits of position and speed: a slow one, or one near the limits, or of few joints."""
    limits = robot.limits
    n = len(robot.joint_names)
    lower, upper = np.clip(limits.lower, -2.5, 2.5), np.clip(limits.upper, -2.5, 2.5)
    speed = np.where(np.isfinite(limits.velocity), limits.velocity, NO_SPEED)
    lively = draw.uniform(0.3, 0.9)
    base = 2 * np.pi / duration
    harmonics = np.arange(1, 6)
    size, phase = draw.normal(size=(n, 5)), draw.uniform(0, 2 * np.pi, (n, 5))
    time = np.arange(int(duration * 1000) + 1) / 1000
    angle = base * time[:, None, None] * harmonics + phase
    q = (size * np.sin(angle)).sum(axis=2)
    v = (size * base * harmonics * np.cos(angle)).sum(axis=2)
    room = 0.5 * (upper - lower) * draw.uniform(0.3, 0.9, n)
    scale = np.minimum(room / np.abs(q).max(axis=0), lively * speed / np.abs(v).max(axis=0))
    free = np.maximum(0.0, 0.5 * (upper - lower) - scale * np.abs(q).max(axis=0))
    middle = 0.5 * (lower + upper) + draw.uniform(-0.9, 0.9, n) * free
    return time, middle + scale * q, scale * v


def machine(robot: bf.Robot, draw: np.random.Generator) -> bf.Robot:
    """The machine behind the description: masses wrong by 15 %, friction and rotors that nobody wrote down."""
    wrong = np.exp(0.15 * draw.standard_normal(len(robot.body_parameters)))[:, None]
    real = robot.with_body_parameters(robot.body_parameters * wrong)
    effort = robot.limits.effort
    values = {}
    for name, limit in zip(robot.joint_names, effort):
        values[f"{name}.viscous"] = limit * draw.uniform(0.005, 0.03)
        values[f"{name}.coulomb"] = limit * draw.uniform(0.005, 0.03)
        values[f"{name}.rotor_inertia"] = limit * draw.uniform(0.001, 0.004)
    return real.with_friction(bf.Viscous() + bf.Coulomb() + bf.RotorInertia(), values)


def within_reach(real: bf.Robot, drawn: tuple[np.ndarray, np.ndarray, np.ndarray]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The motion, smaller until the drives have room: a saturated recording is not a clean one."""
    time, q, v = drawn
    for _ in range(30):
        torque = real.inverse_dynamics(q[::10], v[::10], np.gradient(v[::10], 0.01, axis=0))
        if np.all(np.abs(torque) < 0.75 * real.limits.effort):
            break
        q, v = q[0] + 0.85 * (q - q[0]), 0.85 * v
        q = 0.9 * q  # towards zero, where most arms are stretched out straight or upright
    return time, q, v


def clean(seed: int, robot: str | None = None, duration: float = 6.0) -> tuple[bf.Recording, bf.Robot]:
    """A recording without a mistake, and the description to check it against."""
    draw = np.random.default_rng([seed, 2024])
    name = robot or ROBOTS[seed % len(ROBOTS)]
    described = bf.Robot.load(name)
    if name in EFFORT:
        described = described.with_limits({j: {"effort": float(e)} for j, e in zip(described.joint_names, EFFORT[name])})
    sensors = bf.Sensors.realistic()
    if draw.random() < 0.3:
        sensors = replace(sensors, velocity=False)
    rate = float(draw.choice([500.0, 250.0]))
    real = machine(described, draw)
    wanted = within_reach(real, motion(described, draw, duration))
    played = bf.VirtualRobot(real, slip=SLIP).play(wanted, rate=rate, control_rate=500.0, seed=seed, sensors=sensors)
    return played, described


def panda_gaz(folder: Path) -> tuple[bf.Recording, bf.Robot]:
    """The Panda of Gaz et al.: irregular stamps, and a description with a hand that it did not carry."""
    time, position, velocity, torque = (
        np.loadtxt(folder / f"exciting_traj_{name}.txt") for name in ("time", "positions", "velocity", "torques")
    )
    robot = bf.Robot.load(folder / "panda.urdf")
    wide = {"position": position, "velocity": velocity, "torque": torque}
    tables = {name: values.reshape(-1, 7) for name, values in wide.items()}
    return bf.Recording(joint_names=robot.joint_names[:7], time=time, **tables), robot


def staubli_tx40(folder: Path) -> tuple[bf.Recording, bf.Robot]:
    """The TX40: motor side turned into joint side by its gears, joint 6 coupled to 5; a row index at 5 kHz as clock."""
    motor, torque = (np.loadtxt(folder / name, delimiter=",", skiprows=1) for name in ("pos_read_data.csv", "curr_data.csv"))
    gears = np.diag([32.0, 32.0, 45.0, -48.0, 45.0, 32.0])
    gears[5, 4] = 32.0
    position = motor @ np.linalg.inv(gears).T + [0, -np.pi / 2, np.pi / 2, 0, 0, 0]
    robot = bf.Robot.load(folder / "tx40_mdh_modified.urdf")
    recording = bf.Recording(
        joint_names=robot.joint_names, time=np.arange(len(motor)) / 5000, position=position, torque=torque @ gears
    )
    return recording, robot

"""Motions as files beside the certificate that covers them."""

from __future__ import annotations

import os
from pathlib import Path

from bifilar.experiment.certificate import Certificate
from bifilar.experiment.files import COMMANDED, save_joint_trajectory, save_motion
from bifilar.experiment.fourier import Fourier
from bifilar.robot.robot import Robot

DENSE = 40  # samples per cycle of the highest harmonic in a file, at least: whoever joins them by lines is off by 0.3 %


def save_certified(path: str | os.PathLike[str], robot: Robot, certificate: Certificate, rate: float) -> Certificate:
    """Write every run of a certificate (.csv, .parquet or .yaml), slower ones as NAME_10 and so on, and the certificate last.

    >>> import pathlib, tempfile
    >>> robot, folder = bf.Robot.load("two_link"), pathlib.Path(tempfile.mkdtemp())
    >>> motion = bf.design(robot, duration=5.0).motion
    >>> _ = save_certified(folder / "move.csv", robot, bf.certify(robot, motion, speeds=(0.5, 1.0)), 100.0)
    >>> sorted(file.name for file in folder.iterdir())
    ['move.certificate.json', 'move.csv', 'move_50.csv']
    """
    target, files = Path(path), {}
    for run in certificate.runs:
        name = target if run.speed == 1 else target.with_name(f"{target.stem}_{100 * run.speed:g}{target.suffix}")
        _write(name, robot, run.motion, rate)
        files[run.speed] = name
    bound = certificate.with_files(files)  # type: ignore[arg-type]
    home = target.with_name(f"{target.stem}.certificate.json")
    bound.with_runs_of(home).save(home)
    return bound


def _write(path: Path, robot: Robot, motion: Fourier, rate: float) -> None:
    sampled = motion.sample(max(rate, DENSE * motion.series.highest_frequency))
    if path.suffix in COMMANDED:
        save_joint_trajectory(path, sampled)
        return
    save_motion(path, sampled, units=dict.fromkeys(robot.sliding, "m"))

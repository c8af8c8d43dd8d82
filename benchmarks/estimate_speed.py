"""From samples of a 7-joint arm to base parameters and to a robot, beside FIGAROH 1.0.2 on the same arrays.

FIGAROH's part is its own sequence for base parameters: regressor of all samples (friction and offset columns included), zero
columns taken out, base columns by double QR, least squares. Ours builds the problem and solves it, weights and error bars
included; these are of white errors, as FIGAROH has them. Once more after that, the consistent fit as it is by default: the
prior's weight chosen on held-out blocks, error bars of errors that follow each other. Seconds are the least of some runs,
beside them the median and the processor's seconds on all cores: on a busy machine only the last mean anything.
"""

from __future__ import annotations

import json
import tempfile
import time
from pathlib import Path

import numpy as np
from regressor_speed import states

import bifilar as bf

SAMPLES = 100_000
REPEATS = 7
FRICTION = bf.Viscous() + bf.Coulomb() + bf.Offset()
NOISE = 0.05  # [N m]


def measure(samples: int = SAMPLES, peer: bool = True) -> dict[str, float]:
    """Seconds and their ratios; of several runs of ours, of a single one of FIGAROH's."""
    robot = bf.Robot.load("panda").with_friction(FRICTION)
    values = np.abs(np.random.default_rng(1).normal(size=len(robot.drive_values)))
    truth = robot.with_friction(FRICTION, dict(zip(robot.drive_columns.names, values)))
    q, v, a = states(7, samples)
    torque = truth.inverse_dynamics(q, v, a) + NOISE * np.random.default_rng(0).normal(size=q.shape)
    data = (q, v, a, torque)
    base, base_seconds = timed(lambda: bf.LeastSquares(uncertainty="white").fit(robot, data))
    full, seconds = timed(lambda: bf.PhysicallyConsistent().fit(robot, data))
    _, white = timed(lambda: bf.PhysicallyConsistent(uncertainty="white").fit(robot, data))
    found = {
        "samples": samples,
        "base_seconds": base_seconds[0],
        "consistent_seconds": seconds[0],
        "consistent_seconds_median": seconds[1],
        "consistent_processor_seconds": seconds[2],
        "consistent_seconds_with_white_error_bars": white[0],
        "base_error": error(base, truth),
        "consistent_error": error(full, truth),
    }
    if peer:
        found["figaroh_seconds"], found["figaroh_parameters"] = figaroh(robot, data)
        found["figaroh_over_ours"] = found["figaroh_seconds"] / base_seconds[0]
    return found


def timed(run):
    """The last result; least and median time [s] of some runs after a first one, and the least of the processor's."""
    run()
    seconds, processor = [], []
    for _ in range(REPEATS):
        start = time.perf_counter(), time.process_time()
        result = run()
        seconds.append(time.perf_counter() - start[0])
        processor.append(time.process_time() - start[1])
    return result, (min(seconds), float(np.median(seconds)), min(processor))


def error(estimate: bf.BaseEstimate, truth: bf.Robot) -> float:
    """Torque error at states that were not fitted, relative."""
    q, v, a = np.random.default_rng(5).normal(size=(3, 500, 7))
    want = truth.inverse_dynamics(q, v, a)
    return float(np.linalg.norm(estimate.model.inverse_dynamics(q, v, a) - want) / np.linalg.norm(want))


def figaroh(robot: bf.Robot, data: tuple[np.ndarray, ...]) -> tuple[float, int]:
    """Seconds that FIGAROH takes from the arrays to base parameters, and how many it finds."""
    from figaroh.tools.qrdecomposition import QRDecomposer
    from figaroh.tools.regressor import build_regressor_basic, build_regressor_reduced, get_index_eliminate
    from pinocchio.robot_wrapper import RobotWrapper

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "robot.urdf")
        robot.save(file)
        peer = RobotWrapper.BuildFromURDF(str(file), [folder])
    settings = {"has_friction": True, "has_joint_offset": True, "is_joint_torques": True, "act_idxv": list(range(7))}
    names = {f"p{k}": 0.0 for k in range(13 * 7)}
    q, v, a, torque = data
    start = time.perf_counter()
    wide = build_regressor_basic(peer, q, v, a, settings)
    left_out, kept = get_index_eliminate(wide, names)
    decomposed = QRDecomposer().double_decomposition(torque.T.ravel(), build_regressor_reduced(wide, left_out), kept)
    return time.perf_counter() - start, len(decomposed[3])


def demands(found: dict[str, float]) -> list[tuple[str, str, float, float]]:
    """What is asked for."""
    return [
        ("100,000 samples of a 7-joint arm to a consistent robot, default settings, s", "<", 1.0, found["consistent_seconds"]),
        ("FIGAROH 1.0.2 / ours, arrays to base parameters", ">=", 20, found["figaroh_over_ours"]),
    ]


if __name__ == "__main__":
    print(json.dumps(measure(), indent=2))

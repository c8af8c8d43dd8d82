"""Error bars of a leg identified from its log: the figures of docs/walking.md.

    python benchmarks/leg_bars.py --count 12

Simulated legs that differ from their description by 20 %, read by encoder, gyroscope and accelerometer, torques with noise of a
stated share of their peak, with dry friction and without. Told per share: root mean square of error over deviation, from the
least to the largest of the parameters, the worst single one, and how many fits called themselves doubtful.
"""

from __future__ import annotations

import argparse
import json
import os
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from bifilar.walking.demonstration import swung, unlike
from bifilar.walking.sensor_file import Carried, carried
from bifilar.walking.stance_likelihood import fit_stance
from bifilar.walking.stretches import stretches
from bifilar.walking.walk_fit import base_of, smooth_pinned
from bifilar.walking.walk_log import walk_recording
from bifilar.walking.walker import Walker

SHARES = 0.02, 0.005, 0.001  # of the torque's peak


def machine_of(seed: int, dry: bool) -> Walker:
    """A leg that is unlike its description; without dry friction if so asked."""
    machine = unlike(Walker.load("leg"), 0.2, seed)
    if dry:
        return machine
    robot = machine.robot
    values = zip(robot.drive_columns.names, robot.drive_values, strict=True)
    return machine.with_robot(robot.with_parameters({name: 0.0 if "coulomb" in name else float(x) for name, x in values}))


def errors_of(seed: int, share: float, dry: bool) -> tuple[str, np.ndarray]:
    """Status, and every parameter's error in units of its deviation."""
    machine = machine_of(seed, dry)
    shown = swung(machine, 10.0, seed=seed)
    worn = Carried(carried(machine, "imu").sensors, share * float(np.abs(shown.torques).max()))
    motion = (shown.time, shown.states, shown.stance, shown.torques)
    log = walk_recording(worn, *motion, np.random.default_rng([seed, 4]), planars=shown.planars)
    parts, pinned = stretches(worn, log), smooth_pinned(machine)
    base = base_of(pinned)
    found = fit_stance(pinned, [part.log for part in parts], motion=[part.motion for part in parts], base=base)
    return found.status.code, (found.values - base.from_full(pinned.parameters())) / found.deviations


def row(count: int, share: float, dry: bool) -> dict[str, Any]:
    """One line of the table."""
    runs = [errors_of(seed, share, dry) for seed in range(count)]
    z = np.array([errors for _, errors in runs])
    size = np.sqrt(np.mean(z**2, axis=0))
    return {
        "torque noise": share,
        "dry friction": dry,
        "rms of error over deviation": [round(float(size.min()), 2), round(float(size.max()), 2)],
        "worst": round(float(np.abs(z).max()), 1),
        "doubtful": sum(code != "ok" for code, _ in runs),
    }


def main() -> None:
    """Measure, print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])  # type: ignore[union-attr]
    parser.add_argument("--count", type=int, default=12)
    count = parser.parse_args().count
    for dry in (True, False):
        for share in SHARES:
            print(json.dumps(row(count, share, dry)), flush=True)


if __name__ == "__main__":
    main()

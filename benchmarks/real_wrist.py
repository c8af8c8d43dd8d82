"""The public wrist-sensor poses (`ft_static`) worked out in several ways: what each leaves of poses not used, and the mass.

    python benchmarks/real_wrist.py

The first 70 poses predict the other 30; a constant bias also on 200 random choices of 70 poses. `by parts` is how this set is
usually worked out: weight and bias by least squares on forces alone, then centre and bias of the moments given the weight.
"""

from __future__ import annotations

import json

import numpy as np

import bifilar as bf
from bifilar.calibrate.wrist_model import predicted, rotations, sensor_frame

GRAVITY = 9.80665
WAYS = {"followed": {}, "constant": {"drift": False}, "constant, robust": {"robust": True}}


def by_parts(R: np.ndarray, wrench: np.ndarray) -> np.ndarray:
    """Twelve numbers, forces first; `wrench` in the sensor's frame."""
    down, one = np.swapaxes(R, 1, 2), np.broadcast_to(np.eye(3), R.shape)
    w, force_bias = np.split(np.linalg.lstsq(np.dstack([down, one]).reshape(-1, 6), wrench[:, :3].ravel(), rcond=None)[0], 2)
    turned = np.stack([np.cross(axis, down @ w) for axis in np.eye(3)], axis=2)  # c x f, column by column of c
    found = np.linalg.lstsq(np.dstack([turned, one]).reshape(-1, 6), wrench[:, 3:].ravel(), rcond=None)[0]
    return np.concatenate([w, force_bias, found])


def left(x: np.ndarray, R: np.ndarray, wrench: np.ndarray) -> dict[str, float]:
    """Root mean squares of what twelve numbers leave, and their mass."""
    off = wrench - predicted(x, R)
    force, moment = (float(np.sqrt(np.mean(part**2))) for part in (off[:, :3], off[:, 3:]))
    return {"force_N": force, "moment_mNm": 1e3 * moment, "mass_kg": float(np.linalg.norm(x[:3])) / GRAVITY}


def main() -> None:
    """All of it as JSON."""
    log = bf.datasets.load("ft_static", "100")
    pose, wrench = (np.asarray(log.channels[name].values) for name in ("pose", "wrench"))
    R = rotations(pose[:, 3:])
    y = sensor_frame(wrench, R, "base")
    first, rest = (R[:70], y[:70]), (R[70:], y[70:])
    out = {name: left(bf.tare(*first, gravity=GRAVITY, **how).parameters, *rest) for name, how in WAYS.items()}
    out["constant, by parts"] = left(by_parts(*first), *rest)
    chosen = [np.random.default_rng(seed).permutation(len(R)) for seed in range(200)]
    drawn = [left(by_parts(R[p[:70]], y[p[:70]]), R[p[70:]], y[p[70:]]) for p in chosen]
    spans = {name: [min(d[name] for d in drawn), max(d[name] for d in drawn)] for name in drawn[0]}
    print(json.dumps(out | {"constant, by parts, 200 random choices, least and largest": spans}, indent=2))


if __name__ == "__main__":
    main()

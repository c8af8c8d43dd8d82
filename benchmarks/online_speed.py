"""Speed of the online filters, CPU time on one thread: sample by sample through `update`, and over a recording.

    python benchmarks/online_speed.py

Compared with the same filter (84 states, linear, random walk off) written in NumPy with Pinocchio's regressor.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from time import thread_time

import numpy as np

import bifilar as bf
from bifilar.dynamics.parallel import threads

SAMPLES, ROUNDS, NOISE = 4000, 5, 0.2


def motion(samples: int = SAMPLES) -> tuple[np.ndarray, ...]:
    """Random states of a Panda, inside its limits."""
    q, v, a = 0.3 * np.random.default_rng(0).normal(size=(3, samples, 7))
    return np.arange(samples) * 1e-3, q + np.array([0, 0, 0, -1.5, 0, 1.8, 0]), v, a


def per_second(make, torque: np.ndarray, asked: bool = False) -> float:
    """Updates per second of CPU time, one sample at a time, regressor included; `asked`: for the belief after every one."""
    t, q, v, a = motion()
    best = np.inf
    for _ in range(ROUNDS):
        tracker = make()
        tracker.update(q[0], v[0], a[0], torque[0], t[0])
        start = thread_time()
        for k in range(1, len(t)):
            tracker.update(q[k], v[k], a[k], torque[k], t[k])
            if asked:
                tracker.belief  # noqa: B018
        best = min(best, (thread_time() - start) / (len(t) - 1))
        assert tracker.updates > 0.9 * len(t)
    return 1.0 / best


def over_recording(make, torque: np.ndarray) -> float:
    """CPU time per sample over a recording [s]."""
    times = []
    for _ in range(ROUNDS):
        tracker = make()
        start = thread_time()
        tracker.run(*motion(), torque)
        times.append((thread_time() - start) / SAMPLES)
    return min(times)


def numpy_and_pinocchio(
    robot: bf.Robot, torque: np.ndarray, tracker: bf.ParameterFilter, samples: int
) -> tuple[float, np.ndarray]:
    """The same filter by hand; CPU time per sample and the mean."""
    import pinocchio as pin

    with tempfile.TemporaryDirectory() as folder:
        robot.save(Path(folder) / "arm.urdf")
        model = pin.buildModelFromUrdf(str(Path(folder) / "arm.urdf"))
    data, (_, q, v, a) = model.createData(), motion()
    offset, scale = tracker.space.scalars[:, 0], tracker.space.scalars[:, 1]
    n, x, p = len(scale), np.zeros(len(scale)), np.eye(len(scale))
    one, noise, joints = np.eye(n), NOISE**2 * np.eye(7), np.arange(7)
    h = np.zeros((7, n))
    start = thread_time()
    for k in range(samples):
        h[:, :70] = pin.computeJointTorqueRegressor(model, data, q[k], v[k], a[k])
        h[joints, 70 + joints], h[joints, 77 + joints] = v[k], np.sign(v[k])
        rows = h * scale
        y = torque[k] - h @ offset - rows @ x
        ph = p @ rows.T
        gain = np.linalg.solve(rows @ ph + noise, ph.T).T
        x = x + gain @ y
        left = one - gain @ rows
        p = left @ p @ left.T + gain @ noise @ gain.T
    return (thread_time() - start) / samples, x


def measure() -> dict[str, float]:
    """All figures."""
    with threads(1):
        arm = bf.Robot.load("panda")
        rng, (_, q, v, a) = np.random.default_rng(1), motion()
        box = bf.Inertia.from_center_of_mass(2.0, [0, 0, 0.1], 0.01 * np.eye(3))
        held = arm.with_payload("link7", box).inverse_dynamics(q, v, a) + NOISE * rng.normal(size=q.shape)
        drives = {f"{joint}.{word}": 0.1 for joint in arm.joint_names for word in ("viscous", "coulomb")}
        full = arm.with_friction(bf.Viscous() + bf.Coulomb(), drives)
        torque = np.ascontiguousarray(full.inverse_dynamics(q, v, a) + NOISE * rng.normal(size=q.shape))
        names = ("link[1-7].*", "*.viscous", "*.coulomb")

        def payload():
            return bf.attach(arm, "link7", noise=NOISE)

        def links():
            return bf.ParameterFilter(full, names, form="log_cholesky", noise=NOISE, tuning=bf.Tuning(process=0.01))

        def constant():
            return bf.ParameterFilter(full, names, form="log_cholesky", noise=NOISE)  # keeps all readings

        def linear():
            return bf.ParameterFilter(full, names, form="ten", constraint="none", noise=NOISE, limits=False)

        ours = over_recording(linear, torque)
        few = 400
        theirs, mean = numpy_and_pinocchio(full, torque, linear(), few)
        same = linear()
        same.run(*(x[:few] for x in motion()), torque[:few])
        return {
            "payload_khz": 1e-3 * per_second(payload, np.ascontiguousarray(held)),
            "links_84_states_khz": 1e-3 * per_second(links, torque),
            "payload_asked_khz": 1e-3 * per_second(payload, np.ascontiguousarray(held), asked=True),
            "constant_84_states_khz": 1e-3 * per_second(constant, torque),
            "recording_us": 1e6 * ours,
            "numpy_pinocchio_us": 1e6 * theirs,
            "ratio": theirs / ours,
            "largest_difference": float(np.abs(same.state.mean - mean).max()),
        }


def demands(found: dict[str, float]) -> list[tuple[str, str, float, float]]:
    """What is asked for."""
    return [
        ("payload filter, sample by sample, kHz", ">=", 30, found["payload_khz"]),
        ("filter on 84 states, sample by sample, kHz", ">=", 20, found["links_84_states_khz"]),
        ("NumPy + Pinocchio / ours, over a recording", ">=", 5, found["ratio"]),
    ]


if __name__ == "__main__":
    print(json.dumps(measure(), indent=2))

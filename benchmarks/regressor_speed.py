"""Regressors of the Panda arm, ours against a Python loop over Pinocchio that stores W; and of a humanoid-size tree.

Repeats are interleaved, so a change of clock or load hits all contestants alike; medians, in microseconds per sample.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import bifilar as bf
from bifilar.dynamics.engine import current
from bifilar.dynamics.parallel import thread_count, threads
from bifilar.robot.fresh_urdf import fresh_urdf

REPEATS = 15
SAMPLES = 40_000  # dense matrices of 157 MB: far beyond any cache, and long enough for two threads to spread
CACHED = 4_096  # samples whose states fit into the cache, as those of the Python loop do
LOOP = 1_000  # samples of the Python loop per repeat


def medians(contestants: dict[str, tuple[int, Callable[[], object]]]) -> dict[str, float]:
    """Microseconds per sample of every contestant, (samples per call, call)."""
    for _, call in contestants.values():
        call()
    times: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(REPEATS):
        for name, (samples, call) in contestants.items():
            start = time.perf_counter()
            call()
            times[name].append((time.perf_counter() - start) / samples * 1e6)
    return {name: float(np.median(values)) for name, values in times.items()}


def pinocchio_model(robot: bf.Robot):
    import pinocchio as pin

    text = fresh_urdf(robot.name, robot.links, robot.joints).decode()
    model = pin.buildModelFromXML(text)
    assert tuple(model.names[1:]) == robot.joint_names
    return pin, model, model.createData()


def pinocchio_loop(robot: bf.Robot, q, v, a, extra: bool) -> Callable[[], None]:
    """computeJointTorqueRegressor sample by sample into W; drive columns filled vectorised, as FIGAROH-like tools do."""
    pin, model, data = pinocchio_model(robot)
    n, joints = len(q), q.shape[1]
    w = np.zeros((n, joints, 10 * joints + (4 * joints if extra else 0)))
    rows = np.arange(joints)

    def run() -> None:
        for k in range(n):
            w[k, :, : 10 * joints] = pin.computeJointTorqueRegressor(model, data, q[k], v[k], a[k])
        if extra:
            for place, values in enumerate((v, np.sign(v), np.ones_like(v), a)):
                w[:, rows, 10 * joints + place * joints + rows] = values

    return run


def states(joints: int, samples: int, seed: int = 0):
    return np.random.default_rng(seed).uniform(-2, 2, (3, samples, joints))


def in_cache(robot: bf.Robot, q, v, a, base: bf.BaseMotion | None = None) -> Callable[[], object]:
    """Every entry computed and used while it is in the cache: W' y, with W never written to memory.

    Called as the other stages call it, with states that were checked once; Pinocchio does not check them either.
    """
    weight = np.ones((len(q), len(robot.row_names())))
    root = robot._root(base, len(q))
    rows, columns = "both" if robot.is_floating else "joints", robot.drive_columns.columns
    return lambda: current().parameter_gradient(robot.tree, q, v, a, root, rows, columns, None, weight)


def write_limit(out: np.ndarray, workers: int) -> Callable[[], object]:
    """The same bytes written by memset on so many threads."""
    parts = np.array_split(out.reshape(-1), workers)
    pool = ThreadPoolExecutor(workers)
    return lambda: list(pool.map(lambda part: part.fill(0.0), parts))


def one_thread(call: Callable[[], object]) -> Callable[[], object]:
    def run() -> None:
        with threads(1):
            call()

    return run


def five_times(call: Callable[[], object]) -> Callable[[], object]:
    """About as long as the Python loop takes, so that both run warm."""
    return lambda: [call() for _ in range(5)]


def panda(extra: bool) -> dict[str, float]:
    """One arm, with or without drive columns: ratios to the Pinocchio loop, two threads against the write limit."""
    robot = bf.Robot.load("panda")
    if extra:
        robot = robot.with_friction(bf.Viscous() + bf.Coulomb() + bf.Offset() + bf.RotorInertia())
    q, v, a = states(7, SAMPLES)
    out = robot.regressor(q, v, a)
    dense = lambda: robot.regressor(q, v, a, out=out)  # noqa: E731
    public = lambda: robot.parameter_gradient(q, v, a, np.ones_like(q))  # noqa: E731
    few = lambda count: (np.ascontiguousarray(x[:count]) for x in (q, v, a))  # noqa: E731
    contestants = {
        "pinocchio_loop": (LOOP, pinocchio_loop(robot, *few(LOOP), extra)),
        "in_cache": (5 * CACHED, one_thread(five_times(in_cache(robot, *few(CACHED))))),
        "in_cache_public": (SAMPLES, one_thread(public)),
        "dense_one_thread": (SAMPLES, one_thread(dense)),
        "dense_all_threads": (SAMPLES, dense),
        "write_limit_one_thread": (SAMPLES, write_limit(out, 1)),
        "write_limit_all_threads": (SAMPLES, write_limit(out, thread_count())),
    }
    micro = medians(contestants)
    return {
        **{f"us_{name}": round(value, 4) for name, value in micro.items()},
        "ratio_in_cache": round(micro["pinocchio_loop"] / micro["in_cache"], 1),
        "ratio_in_cache_public": round(
            micro["pinocchio_loop"] / micro["in_cache_public"], 1
        ),  # checks included, states from memory
        "ratio_dense_one_thread": round(micro["pinocchio_loop"] / micro["dense_one_thread"], 1),
        "dense_all_threads_over_write_limit": round(micro["dense_all_threads"] / micro["write_limit_all_threads"], 2),
    }


def humanoid() -> dict[str, float]:
    """Thirty joints on a floating base: four limbs of six and a neck of six, all 36 rows."""
    rng = np.random.default_rng(3)
    limbs = [(limb, joint) for limb in range(5) for joint in range(6)]
    links = [bf.Link("pelvis", _body(rng), has_inertia=True)]
    links += [bf.Link(f"limb{limb}_{joint}", _body(rng), has_inertia=True) for limb, joint in limbs]
    joints = [
        bf.Joint(
            f"joint{limb}_{joint}",
            "revolute",
            parent=f"limb{limb}_{joint - 1}" if joint else "pelvis",
            child=f"limb{limb}_{joint}",
            pose=bf.Pose(np.eye(3), rng.uniform(-0.3, 0.3, 3)),
            axis=np.eye(3)[joint % 3],
            limits=bf.Limits(-3.0, 3.0, velocity=10.0, effort=100.0),
        )
        for limb, joint in limbs
    ]
    robot = bf.Robot.build(bf.Description("humanoid", tuple(links), tuple(joints)), floating=True)
    q, v, a = states(30, 2_000)
    base = bf.BaseMotion(twist=np.full(6, 0.3))
    out = robot.regressor(q, v, a, base=base)
    pin, model, data = _pinocchio_floating(robot)
    base_q, base_v = np.array([0, 0, 0, 0, 0, 0, 1.0]), np.full(6, 0.3)

    def loop() -> None:
        for k in range(100):
            pin.computeJointTorqueRegressor(
                model, data, np.concatenate([base_q, q[k]]), np.concatenate([base_v, v[k]]), np.concatenate([0 * base_v, a[k]])
            )

    micro = medians(
        {
            "pinocchio_loop": (100, loop),
            "in_cache": (2_000, one_thread(in_cache(robot, q, v, a, base=base))),
            "dense_one_thread": (2_000, one_thread(lambda: robot.regressor(q, v, a, base=base, out=out))),
        }
    )
    return {
        **{f"us_{name}": round(value, 2) for name, value in micro.items()},
        "ratio_in_cache": round(micro["pinocchio_loop"] / micro["in_cache"], 1),
        "ratio_dense_one_thread": round(micro["pinocchio_loop"] / micro["dense_one_thread"], 1),
    }


def _body(rng: np.random.Generator) -> bf.Inertia:
    return bf.Inertia.from_log_cholesky(rng.normal(scale=0.3, size=10))


def _pinocchio_floating(robot: bf.Robot):
    import pinocchio as pin

    text = fresh_urdf(robot.name, robot.links, robot.joints).decode()
    model = pin.buildModelFromXML(text, pin.JointModelFreeFlyer())
    return pin, model, model.createData()

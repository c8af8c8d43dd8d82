"""Exciting motions of the Panda: ours, SciPy SLSQP over Pinocchio, CasADi with IPOPT, on the problem of `design_problem`.

Nine seeds, seed by seed through all contestants, so that a change of load hits all alike; one core, one BLAS thread. The same
judge looks at everybody's motion. Searches on a grid break limits between its points; the criterion is therefore reported as
found, and again with amplitudes made smaller until the limits are kept. What is built or compiled once is not timed; all that
a call of `bf.design` does is, the proof between the samples included. A result counts as failed if it breaks a limit on the
grid it was asked to keep, or if its solver says so; failed ones stay in the medians, with their time and the lowest criterion
there is.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from design_peers import PATIENT, Answer, casadi_functions, compiler, ipopt, slsqp
from design_problem import DURATION, FRAME, HARMONICS, HEIGHT, MARGIN, Problem

import bifilar as bf
from bifilar.dynamics.parallel import threads

PEERS = ("slsqp", "ipopt", "ipopt_patient")
SEEDS = 9
NINE = 9  # starts
KEPT = 1e-3  # rad, rad/s, rad/s^2 or m: more than that beyond a limit on the grid that everyone was asked to keep is a failure
CLOCKS = ("seconds", "processor_seconds")  # the second one hardly feels what else the machine does
LOWEST = -1e9  # criterion of a failed search
ONE_CORE = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")}


def ours(problem: Problem, seed: int, **options: Any) -> bf.Design:
    """`bf.design` as a user calls it; limits are proven at every instant, so its problem is the narrower one."""
    return bf.design(
        problem.robot,
        duration=DURATION,
        harmonics=HARMONICS,
        seed=seed,
        margin=MARGIN,
        noise=1 / problem.weight,
        constraints=(bf.Above(FRAME, HEIGHT),),
        torque=False,  # nobody else keeps effort limits here
        **options,
    )


def of_ours(problem: Problem, seed: int, **options: Any) -> dict[str, Any]:
    """One call of ours, timed and judged."""
    design, clocks = _timed(lambda: _letter(lambda: ours(problem, seed, **options)))
    if isinstance(design, str):  # no motion, but a letter that says why
        return _row(
            clocks, 0, design, {"log_det": LOWEST, "log_det_kept": LOWEST, "condition": -LOWEST, "violation": 0.0}, False
        )

    def states(instants: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        state = design.motion.at(instants)
        return state.position, state.velocity, state.acceleration

    best, judged = design.starts[0], problem.judge(states)
    return _row(clocks, best.iterations, best.status, judged, judged["violation_on_grid"] <= KEPT)


def of_peer(problem: Problem, solve: Callable[[np.ndarray], Answer], seed: int) -> dict[str, Any]:
    """One search of a peer, timed and judged."""
    start = problem.start(seed)
    answer, clocks = _timed(lambda: solve(start))
    judged = problem.judge(problem.motion(answer.x))
    ok = answer.converged and judged["violation_on_grid"] <= KEPT
    return _row(clocks, answer.iterations, answer.status, judged, ok)


def compare(seeds: int = SEEDS) -> dict[str, Any]:
    """All contestants over all seeds, and the two demands on ours that no peer takes part in."""
    problem = Problem.panda()
    _tell(f"building peers (C compiler: {compiler() or 'none, CasADi interprets'})")
    functions = casadi_functions(problem)
    peers = {"slsqp": slsqp(problem), "ipopt": ipopt(problem, functions)}
    peers["ipopt_patient"] = ipopt(problem, functions, **PATIENT)
    contestants: dict[str, Callable[[int], dict[str, Any]]] = {"ours": lambda seed: of_ours(problem, seed)}
    contestants |= {name: (lambda seed, solve=solve: of_peer(problem, solve, seed)) for name, solve in peers.items()}
    ours(problem, seeds + 1)  # kernels are loaded, as the peers' code is
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in contestants}
    for seed in range(seeds):
        for name, run in contestants.items():
            rows[name].append(run(seed))
            _tell(f"seed {seed} {name:13} {_words(rows[name][-1])}")
    many = of_ours(problem, 0, starts=NINE)
    _tell(f"{NINE} starts of ours: {_words(many)}")
    condition = [of_ours(problem, seed, criterion="condition") for seed in range(seeds)]
    for seed, row in enumerate(condition):
        _tell(f"seed {seed} condition {row['condition']} in {row['seconds']} s {'' if row['ok'] else 'FAILED'}")
    result: dict[str, Any] = {name: _summary(found) for name, found in rows.items()}
    return {**result, **_figures(result), "ours_nine_starts": many, "ours_condition": _summary(condition)}


def measure() -> dict[str, Any]:
    """The comparison in a process of its own, so that every library in it is held to one thread from its start."""
    environment = {**os.environ, **ONE_CORE}
    answer = subprocess.run([sys.executable, __file__], env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(answer.stdout)


def demands(results: dict[str, Any]) -> list[tuple[str, str, float, float]]:
    """Demand, sign, bound, measured: as `run.py` prints them."""
    single = max(row["log_det_kept"] for name in ("ours", *PEERS) for row in results[name]["seeds"] if row["ok"])
    condition, nine = results["ours_condition"], results["ours_nine_starts"]
    return [
        ("design: median log det, ours - SLSQP", ">=", 0, results["log_det_over_slsqp"]),
        ("design: median log det, ours - IPOPT", ">=", 0, results["log_det_over_ipopt"]),
        ("design: median log det, limits kept by all, ours - SLSQP", ">=", 0, results["log_det_kept_over_slsqp"]),
        ("design: median log det, limits kept by all, ours - IPOPT", ">=", 0, results["log_det_kept_over_ipopt"]),
        (
            "design: median log det, limits kept by all, ours - patient IPOPT",
            ">=",
            0,
            results["log_det_kept_over_ipopt_patient"],
        ),
        ("design: median time, ours / SLSQP", "<=", 1 / 8, results["time_over_slsqp"]),
        ("design: median time, ours / IPOPT", "<=", 1 / 2, results["time_over_ipopt"]),
        ("design: median time, ours / patient IPOPT", "<=", 1 / 2, results["time_over_ipopt_patient"]),
        ("design: failures of ours", "<=", 0, results["ours"]["failed"]),
        (
            "design: nine starts - best single start of anyone, limits kept by all",
            ">=",
            0,
            round(nine["log_det_kept"] - single, 3),
        ),
        ("design: condition number, median over seeds", "<=", 100, condition["median_condition"]),
        ("design: condition number, slowest seed, s", "<=", 3, max(row["seconds"] for row in condition["seeds"])),
    ]


def _timed(call: Callable[[], Any]) -> tuple[Any, dict[str, float]]:
    """What a call returns, how long it took and how much of that the processor was at work for it."""
    begin, worked = time.perf_counter(), time.process_time()
    result = call()
    clocks = {"seconds": time.perf_counter() - begin, "processor_seconds": time.process_time() - worked}
    return result, {name: round(value, 3) for name, value in clocks.items()}


def _letter(call: Callable[[], bf.Design]) -> bf.Design | str:
    try:
        return call()
    except bf.MotionError as letter:
        return str(letter).splitlines()[0]


def _row(clocks: dict[str, float], iterations: int, status: str, judged: dict[str, float], ok: bool) -> dict[str, Any]:
    numbers = {name: float(f"{value:.6g}") for name, value in judged.items()}
    return {"ok": bool(ok), **clocks, "iterations": iterations, "status": status, **numbers}


def _summary(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Medians over all seeds; a failed one counts as the worst there is."""
    quality = [row["log_det"] if row["ok"] else LOWEST for row in rows]
    kept = [row["log_det_kept"] if row["ok"] else LOWEST for row in rows]
    condition = [row["condition"] if row["ok"] else -LOWEST for row in rows]
    return {
        "median_log_det_kept": round(float(np.median(kept)), 3),
        "median_log_det": round(float(np.median(quality)), 3),
        "median_condition": round(float(np.median(condition)), 1),
        **{f"median_{clock}": round(float(np.median([row[clock] for row in rows])), 3) for clock in CLOCKS},
        "largest_violation_between_samples": max((row["violation"] for row in rows if row["ok"]), default=None),
        "failed": sum(not row["ok"] for row in rows),
        "seeds": rows,
    }


def _figures(result: dict[str, Any]) -> dict[str, float]:
    """Ours beside each peer."""
    mine, figures = result["ours"], {}
    for name in PEERS:
        figures[f"log_det_over_{name}"] = round(mine["median_log_det"] - result[name]["median_log_det"], 3)
        figures[f"log_det_kept_over_{name}"] = round(mine["median_log_det_kept"] - result[name]["median_log_det_kept"], 3)
        figures[f"time_over_{name}"] = round(mine["median_seconds"] / result[name]["median_seconds"], 4)
    return figures


def _words(row: dict[str, Any]) -> str:
    mark = "" if row["ok"] else "  FAILED"
    return f"log det {row['log_det']:.2f} in {row['seconds']:.2f} s, {row['iterations']} iterations, {row['status']}{mark}"


def _tell(what: str) -> None:
    print(f"  design: {what}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    with threads(1):
        print(json.dumps(compare(int(sys.argv[1]) if len(sys.argv) > 1 else SEEDS), indent=2))

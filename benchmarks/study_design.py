"""A thousand designed motions, a thousand bad ones: the independent checker finds nothing, the certificate lets nothing pass.

    python benchmarks/study_design.py --count 1000 --jobs 2
    python benchmarks/study_design.py --machines --count 300

Problems are numbered (tests/design_problems.py): ten robots of the library with durations, harmonics, margins, heights, boxes,
tool speeds, torques and distances mixed. Each motion is sampled at 10 kHz by tests/motion_checker.py, which shares no code with
the library; from each a bad one is made (tests/bad_motions.py) which must be refused. A design may be refused too, in a letter
that says why: then the next number is taken. Prints one JSON; exit code 1 if a limit was broken, a bad motion certified, or
anything but a letter escaped.

--machines: what a certificate of torque is worth. The nominal model has friction and rotors; the motion is designed with an
uncertainty of 5 to 30 %; machines are drawn within it (tests/drawn_machines.py). Their torque along the motion is
Pinocchio's, at 10 kHz; one of them is played in MuJoCo under a controller that knows the nominal model. Torque, velocity
and position limits must hold in all of them.
"""

from __future__ import annotations

import argparse
import itertools
import json
import multiprocessing
import os
import sys
import tempfile
import time
import traceback
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

os.environ |= {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")}  # one process per core
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import numpy as np
from bad_motions import KINDS, Good, bad_motion
from design_problems import ROBOTS, problem
from drawn_machines import drawn
from motion_checker import broken, violations

import bifilar as bf
from bifilar.errors import BifilarError

SHARES = (0.05, 0.1, 0.2, 0.3)
MACHINES = 4  # per design, the last one played
RUBBING = bf.Viscous() + bf.Coulomb(width=0.02) + bf.RotorInertia()
PLAYED = {"rate": 100.0, "control_rate": 1000.0}


def one(number: int, machines: bool = False) -> dict[str, Any]:
    """Design, check, spoil, try to certify: what came of it."""
    try:
        return with_machines(number) if machines else designed(number)
    except BifilarError as letter:
        return {"number": number, "robot": ROBOTS[number % len(ROBOTS)], "refused": letter.what}
    except Exception:
        return {"number": number, "robot": ROBOTS[number % len(ROBOTS)], "crash": traceback.format_exc(limit=-4)}


def designed(number: int) -> dict[str, Any]:
    """Of one number."""
    name, robot, settings, constraints = problem(number)
    times = [time.perf_counter()]
    design = bf.design(robot, constraints=constraints, **settings)
    times.append(time.perf_counter())
    certified = uncertified(design)
    times.append(time.perf_counter())
    watched = (*constraints, bf.TorqueWithin()) if settings["torque"] else constraints
    found = violations(robot, design.motion, watched, margin=settings["margin"])
    slow = {} if certified else violations(robot, design.motion.slowed(10.0), watched, rate=10.0)  # the lowest rung
    times.append(time.perf_counter())
    result = {
        "number": number,
        "robot": name,
        **dict(zip(("design_s", "certify_s", "check_s"), np.diff(times).tolist())),
        "constraints": [type(constraint).__name__ for constraint in watched],
        "least_room": -max(found.values()),
        "broken": broken(found) | {f"10 % speed, {what}": excess for what, excess in broken(slow).items()},
        "uncertified": certified,
    }
    return result | {"bad": spoiled(number, Good(robot, design.motion, constraints, settings["torque"], design))}


def with_machines(number: int) -> dict[str, Any]:
    """A motion designed for an uncertain model, and machines within the uncertainty."""
    name, robot, settings, _ = problem(number)
    rng, share = np.random.default_rng([number, 5]), SHARES[number // len(ROBOTS) % len(SHARES)]
    robot = rubbing(robot)
    settings |= {"margin": max(settings["margin"], 0.05), "torque": True}
    times = [time.perf_counter()]
    wall = bf.TorqueWithin(uncertainty=share, margin=settings["margin"])
    design = bf.design(robot, constraints=[wall], **settings)
    times.append(time.perf_counter())
    certified, broke, used = uncertified(design), {}, 0.0
    times.append(time.perf_counter())
    for k in range(MACHINES):
        machine = drawn(robot, share, rng, possible=True)  # Pinocchio refuses others
        found = violations(machine, design.motion, [bf.TorqueWithin()])
        broke |= {f"machine {k}, {what}": excess for what, excess in broken(found).items()}
        torques = {what: excess for what, excess in found.items() if "torque" in what}
        used = max(used, *(1 + excess / limit for excess, limit in zip(torques.values(), robot.limits.effort)))
    played = in_the_loop(machine, robot, design.motion)
    times.append(time.perf_counter())
    return {
        "number": number,
        "robot": name,
        "share": share,
        "used": used,
        **dict(zip(("design_s", "certify_s", "check_s"), np.diff(times).tolist())),
        "broken": broke | {f"played, {what}": excess for what, excess in broken(played or {}).items()},
        "played": played is not None,
        "uncertified": certified,
    }


def rubbing(robot: Any) -> Any:
    """With friction of two hundredths of the effort limit, viscous and Coulomb, and rotors."""
    values = {}
    limits = robot.limits
    for name, effort, speed, most in zip(robot.joint_names, limits.effort, limits.velocity, limits.acceleration):
        values |= {f"{name}.viscous": 0.01 * effort / speed, f"{name}.coulomb": 0.01 * effort}
        values[f"{name}.rotor_inertia"] = 0.05 * effort / most
    return robot.with_friction(RUBBING, values)


def in_the_loop(machine: Any, nominal: Any, motion: Any) -> dict[str, float] | None:
    """By how much the machine leaves its limits in MuJoCo, whose drives could give more; None: MuJoCo has no such bodies."""
    efforts = zip(machine.joint_names, machine.limits.effort)
    strong = machine.with_limits({name: {"effort": 1e3 * most} for name, most in efforts})
    try:
        truth = bf.VirtualRobot(strong, controller_model=nominal.model()).play(motion, **PLAYED).truth
    except BifilarError:
        return None
    limits, found = nominal.limits, {}
    for k, name in enumerate(nominal.joint_names):
        found[f"torque {name}"] = float(np.abs(truth.torque[:, k]).max() - limits.effort[k])
        found[f"velocity {name}"] = float(np.abs(truth.velocity[:, k]).max() - limits.velocity[k])
        beyond = np.maximum(limits.lower[k] - truth.position[:, k], truth.position[:, k] - limits.upper[k])
        found[f"position {name}"] = float(beyond.max())
    return found


def uncertified(design: Any) -> str:
    """Why a design has no certificate for all its speeds; nothing if it has."""
    try:
        return "" if len(design.certificate.runs) >= 4 else "a speed is missing"
    except BifilarError as letter:
        return str(letter)


def spoiled(number: int, good: Good) -> dict[str, Any]:
    """A bad motion of the next kind that this one can be made into, and what the certificate said to it."""
    with tempfile.TemporaryDirectory() as folder:
        for kind in range(len(KINDS)):
            bad = bad_motion(number // len(ROBOTS) + kind, good, Path(folder, str(kind)), seed=number)
            if bad is None or not bad.is_bad():
                continue
            try:
                bad.attempt()
            except BifilarError as letter:
                return {"kind": bad.kind, "certified": False, "letter": letter.what}
            return {"kind": bad.kind, "certified": True}
    return {"kind": "none", "certified": False}


def summary_of_machines(results: list[dict[str, Any]], seconds: float) -> dict[str, Any]:
    """What the study of machines shows."""
    done = [result for result in results if "broken" in result]
    return {
        "designed": len(done),
        "machines": MACHINES * len(done),
        "played": sum(result["played"] for result in done),
        "robots": dict(Counter(result["robot"] for result in done)),
        "shares": dict(Counter(str(result["share"]) for result in done)),
        "torque_used_at_most": max((result["used"] for result in done), default=None),
        "violations": [{key: result[key] for key in ("number", "robot", "broken")} for result in done if result["broken"]],
        "uncertified": [result["number"] for result in done if result["uncertified"]],
        "refused": dict(Counter(f"{r['robot']}: {r['refused']}" for r in results if "refused" in r).most_common(10)),
        "bad_certified": [],
        "crashes": [result for result in results if "crash" in result],
        "median_s": {n: round(float(np.median([r[n] for r in done])), 2) for n in ("design_s", "certify_s", "check_s") if done},
        "seconds": round(seconds, 1),
    }


def summary(results: list[dict[str, Any]], seconds: float) -> dict[str, Any]:
    """What the study shows."""
    done = [result for result in results if "broken" in result]
    bad = [result["bad"] for result in done if result["bad"]["kind"] != "none"]
    refused = Counter(f"{result['robot']}: {result['refused']}" for result in results if "refused" in result)
    times = {name: np.array([result[name] for result in done] or [0.0]) for name in ("design_s", "certify_s", "check_s")}
    return {
        "designed": len(done),
        "robots": dict(Counter(result["robot"] for result in done)),
        "constraints": dict(Counter(name for result in done for name in result["constraints"])),
        "violations": [{key: result[key] for key in ("number", "robot", "broken")} for result in done if result["broken"]],
        "uncertified": [
            {key: result[key] for key in ("number", "robot", "uncertified")} for result in done if result["uncertified"]
        ],
        "least_room": min((result["least_room"] for result in done), default=None),
        "bad": len(bad),
        "bad_kinds": dict(Counter(one["kind"] for one in bad)),
        "bad_certified": [
            result["bad"] | {"number": result["number"], "robot": result["robot"]}
            for result in done
            if result["bad"]["certified"]
        ],
        "letters": {one["kind"]: one["letter"] for one in bad if not one["certified"]},
        "refused": len(results) - len(done) - sum("crash" in result for result in results),
        "refused_most": dict(refused.most_common(10)),
        "crashes": [result for result in results if "crash" in result],
        "median_s": {name: round(float(np.median(values)), 3) for name, values in times.items()},
        "largest_s": {name: round(float(values.max()), 3) for name, values in times.items()},
        "seconds": round(seconds, 1),
    }


def main() -> int:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1000, help="designed motions, and bad ones")
    parser.add_argument("--first", type=int, default=0, help="number of the first problem")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes")
    parser.add_argument("--machines", action="store_true", help="machines within the stated uncertainty instead of bad motions")
    asked = parser.parse_args()
    begin, results, good = time.perf_counter(), [], 0
    with multiprocessing.get_context("spawn").Pool(asked.jobs) as pool:
        numbers = itertools.islice(itertools.count(asked.first), 4 * asked.count + 20)
        for result in pool.imap_unordered(partial(one, machines=asked.machines), numbers):
            results.append(result)
            good += "broken" in result if asked.machines else result.get("bad", {"kind": "none"})["kind"] != "none"
            print(f"\r{good} of {asked.count}", end="", file=sys.stderr, flush=True)
            if good >= asked.count:
                pool.terminate()
                break
    print(file=sys.stderr)
    found = (summary_of_machines if asked.machines else summary)(results, time.perf_counter() - begin)
    print(json.dumps(found, indent=2))
    return int(
        bool(found["violations"] or found["bad_certified"] or found["uncertified"] or found["crashes"]) or good < asked.count
    )


if __name__ == "__main__":
    sys.exit(main())

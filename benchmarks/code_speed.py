"""Time of one inverse dynamics by the written C, beside Pinocchio's C++ rnea: both compiled here, with the same flags.

    python benchmarks/code_speed.py

Pinocchio's headers come with its wheel, Eigen's with casadi's. Where they are not, Pinocchio is called from Python, once for
each state, and the answer says so: that time holds the call as well. Both get the same states and must give the same torques.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter

import numpy as np

import bifilar as bf
from bifilar.export.c_check import compiler
from bifilar.export.c_code import c_code
from bifilar.export.c_files import FLAGS

STATES, ROUNDS, REPEATS = 1000, 40, 7
OPTIMISED = ("-O3", "-march=native", "-DNDEBUG")
BOOST = ("LIST_SIZE=30", "VECTOR_SIZE=30")
TIMER = """
static double now(void) { struct timespec t; clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); return t.tv_sec + 1e-9*t.tv_nsec; }
static double states[%(states)d][21], torques[%(states)d][7];
int main(int count, char **names)
{
    FILE *file = fopen(names[1], "rb");
    double best = 1e9;
    int round, repeat, k;
    if (count != 3 || !file || fread(states, sizeof states, 1, file) != 1) return 1;
    fclose(file);
    %(prepare)s
    for (round = 0; round < %(rounds)d; round++) {
        double start = now();
        for (repeat = 0; repeat < %(repeats)d; repeat++)
            for (k = 0; k < %(states)d; k++) { %(call)s }
        start = (now() - start)/(%(repeats)d*%(states)d);
        best = start < best ? start : best;
    }
    file = fopen(names[2], "wb");
    fwrite(torques, sizeof torques, 1, file);
    fclose(file);
    printf("%%.9g\\n", best);
    return 0;
}
"""


def timer(prepare: str, call: str) -> str:
    """A program that reads states, times a call and writes its torques."""
    return TIMER % {"states": STATES, "rounds": ROUNDS, "repeats": REPEATS, "prepare": prepare, "call": call}


def states() -> np.ndarray:
    """Positions, velocities, accelerations, (STATES, 21)."""
    return np.ascontiguousarray(np.random.default_rng(0).normal(size=(STATES, 21)))


def timed(program: Path, folder: Path) -> tuple[float, np.ndarray]:
    """Seconds of one call, and the torques."""
    states().tofile(folder / "states.bin")
    said = subprocess.run([program, "states.bin", "torques.bin"], cwd=folder, capture_output=True, text=True, check=True)
    return float(said.stdout), np.fromfile(folder / "torques.bin").reshape(STATES, 7)


def ours(robot: bf.Robot, folder: Path) -> tuple[float, np.ndarray, int]:
    """The C that `bifilar export panda --to c` writes."""
    code = c_code(robot, "panda")
    for name, text in code.files.items():
        (folder / name).write_text(text)
    call = "const double *x = states[k]; panda_inverse_dynamics(x, x + 7, x + 14, torques[k]);"
    begin = '#define _POSIX_C_SOURCE 199309L\n#include "panda.h"\n#include <stdio.h>\n#include <time.h>\n'
    (folder / "timer.c").write_text(begin + timer("", call))
    found = compiler()
    if found is None:
        raise SystemExit("there is no C compiler here: nothing to measure")
    words = [found, *FLAGS, *OPTIMISED, "panda.c", "timer.c", "-o", "timer", "-lm"]
    subprocess.run(words, cwd=folder, check=True)
    return *timed(folder / "timer", folder), code.program.function("inverse_dynamics").operations


def headers() -> list[str] | None:
    """Include folders of Pinocchio, Boost and Eigen; None where one of them or a C++ compiler is not here."""
    roots = [Path(place).parent for name in ("pinocchio", "casadi") for place in _folders(name)]
    roots = [
        *roots,
        *(root for place in _folders("pinocchio") for root in Path(place).parents),
        Path("/usr"),
        Path("/usr/local"),
    ]
    found = []
    for file in ("pinocchio/algorithm/rnea.hpp", "boost/version.hpp", "Eigen/Core"):
        places = (root / sub for root in roots for sub in ("include", "include/eigen3", "casadi/include/eigen3"))
        place = next((str(place) for place in places if (place / file).is_file()), None)
        if place is None:
            return None
        found.append(place)
    return list(dict.fromkeys(found)) if shutil.which(os.environ.get("CXX", "c++")) else None


def _folders(package: str) -> list[str]:
    spec = find_spec(package)
    return list(spec.submodule_search_locations or ()) if spec else []


def pinocchio_model(robot: bf.Robot):
    """What Pinocchio reads from the URDF that we write."""
    import pinocchio as pin

    with tempfile.TemporaryDirectory() as folder:
        robot.save(Path(folder, "panda.urdf"))
        return pin.buildModelFromUrdf(str(Path(folder, "panda.urdf")))


def built(model) -> str:
    """The same model in C++, joint by joint: placements and inertias as exact decimals."""

    def numbers(values) -> str:
        return ", ".join(repr(float(x)) for x in np.asarray(values).ravel())

    lines = ["pinocchio::Model model;", "Eigen::Matrix3d R, I; Eigen::Vector3d p, c;"]
    for k in range(1, model.njoints):
        kind, place, body = model.joints[k].shortname(), model.jointPlacements[k], model.inertias[k]
        assert kind in ("JointModelRX", "JointModelRY", "JointModelRZ"), kind
        lines += [f"R << {numbers(place.rotation)}; p << {numbers(place.translation)};"]
        lines += [f"I << {numbers(body.inertia)}; c << {numbers(body.lever)};"]
        made = f'pinocchio::{kind}(), pinocchio::SE3(R, p), "j{k}"'
        lines += [f"model.addJoint({model.parents[k]}, {made});"]
        weight = f"pinocchio::Inertia({float(body.mass)!r}, c, I)"
        lines += [f"model.appendBodyToJoint({k}, {weight}, pinocchio::SE3::Identity());"]
    lines += ["pinocchio::Data data(model);", "Eigen::VectorXd q(7), v(7), a(7);"]
    return "\n    ".join(lines)


def theirs_compiled(robot: bf.Robot, folder: Path, include: list[str]) -> tuple[float, np.ndarray]:
    """Pinocchio's rnea, its templates compiled with our flags."""
    call = (
        "typedef Eigen::Map<const Eigen::Matrix<double, 7, 1>> Row; const double *x = states[k];"
        " q = Row(x); v = Row(x + 7); a = Row(x + 14);"
        " Eigen::Map<Eigen::Matrix<double, 7, 1>> out(torques[k]); out = pinocchio::rnea(model, data, q, v, a);"
    )
    begin = "#include <pinocchio/multibody.hpp>\n#include <pinocchio/algorithm/rnea.hpp>\n#include <cstdio>\n#include <ctime>\n"
    (folder / "timer.cpp").write_text(begin + timer(built(pinocchio_model(robot)), call))
    words = [os.environ.get("CXX", "c++"), "-std=c++17", "-w", *OPTIMISED, *(f"-DBOOST_MPL_LIMIT_{word}" for word in BOOST)]
    words += ["-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS", "-DBOOST_FUSION_INVOKE_MAX_ARITY=12"]
    words += [word for place in include for word in ("-isystem", place)]
    subprocess.run([*words, "timer.cpp", "-o", "timer_cpp"], cwd=folder, check=True)
    return timed(folder / "timer_cpp", folder)


def theirs_from_python(robot: bf.Robot) -> tuple[float, np.ndarray]:
    """Pinocchio's rnea called from Python, once for every state."""
    import pinocchio as pin

    model = pinocchio_model(robot)
    data, (q, v, a) = model.createData(), np.split(states(), 3, axis=1)
    best = np.inf
    for _ in range(ROUNDS):
        start = perf_counter()
        torques = [pin.rnea(model, data, *x).copy() for x in zip(q, v, a, strict=True)]
        best = min(best, (perf_counter() - start) / STATES)
    return best, np.array(torques)


def measure() -> dict[str, object]:
    """All figures."""
    robot, include = bf.Robot.load("panda"), headers()
    with tempfile.TemporaryDirectory(prefix="bifilar-speed-") as made:
        folder = Path(made)
        us, torque, operations = ours(robot, folder)
        if include is None:
            them, other = theirs_from_python(robot)
        else:
            print("compiling Pinocchio's templates, a minute or two ...", file=sys.stderr)
            them, other = theirs_compiled(robot, folder, include)
    again = robot.inverse_dynamics(*np.split(states(), 3, axis=1))
    size = np.abs(again).max()
    return {
        "c_ns": 1e9 * us,
        "pinocchio_ns": 1e9 * them,
        "pinocchio": "compiled with the same flags" if include is not None else "called from Python",
        "ratio": us / them,
        "operations": operations,
        "difference_to_python": float(np.abs(torque - again).max() / size),
        "difference_to_pinocchio": float(np.abs(torque - other).max() / size),
    }


def demands(found: dict) -> list[tuple[str, str, float, float]]:
    """What is asked for."""
    return [
        ("C inverse dynamics of the Panda / Pinocchio's rnea", "<=", 1.5, found["ratio"]),
        ("C against Python, relative difference", "<=", 1e-12, found["difference_to_python"]),
    ]


if __name__ == "__main__":
    print(json.dumps(measure(), indent=2))

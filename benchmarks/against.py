"""`make bench-against COMMIT=...`: how much longer the same work takes than at another commit.

    python benchmarks/against.py COMMIT --rounds 5

The other commit is checked out beside this one. Both run the same small jobs through the public interface, in turns and in
processes of their own, on one thread; a job's time is the least processor time of all rounds, so that whatever else the machine
does counts little. Prints a ratio per job, this tree over the other; exit code 1 if the geometric mean is above --bound.
A job that the other commit cannot do is left out and said.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

HOME = Path(__file__).resolve().parents[1]
ONE_THREAD = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS", "BIFILAR_THREADS")}


def jobs() -> Iterator[tuple[str, Callable[[], object]]]:
    """Name and work; what the work needs is made before it is timed."""
    import numpy as np

    import bifilar as bf

    rng = np.random.default_rng(0)
    terms = bf.Viscous() + bf.Coulomb() + bf.Offset()
    panda = bf.Robot.load("panda").with_friction(terms)
    rubs = panda.with_friction(terms, {name: 0.3 for name in panda.drive_columns.names})
    q, v, a = rng.normal(size=(3, 20_000, 7))
    torque = rubs.inverse_dynamics(q, v, a) + 0.05 * rng.normal(size=q.shape)
    yield "inverse dynamics, 7 joints, 20,000 states", lambda: rubs.inverse_dynamics(q, v, a)
    yield "regressor, 7 joints, 20,000 states", lambda: panda.regressor(q, v, a)
    yield "least squares, 20,000 states", lambda: bf.LeastSquares().fit(panda, (q, v, a, torque))
    yield "physically consistent, 20,000 states", lambda: bf.PhysicallyConsistent().fit(panda, (q, v, a, torque))

    everything = terms + bf.Stribeck(speed=0.3) + bf.PowerLaw(exponent=0.6) + bf.LoadDependent() + bf.RotorInertia()
    two = bf.Robot.load("two_link").with_friction(everything)
    two = two.with_friction(everything, {name: 0.1 for name in two.drive_columns.names})
    motion = bf.Fourier(
        joint_names=two.joint_names,
        base_frequency=0.2,
        harmonics=4,
        coefficients=0.15 * rng.normal(size=(2, 8)),
        offset=[0.0, 0.0],
    )
    x, y, z = rng.normal(size=(3, 20_000, 2))
    yield "inverse dynamics with every friction term", lambda: two.inverse_dynamics(x, y, z)
    plain = bf.Robot.load("two_link").with_friction(terms)
    plant = bf.VirtualRobot(plain.with_friction(terms, {name: 0.1 for name in plain.drive_columns.names}))
    yield "virtual robot, 5 s", lambda: plant.play(motion, rate=200, seed=0)
    log = plant.play(motion, rate=500, sensors=bf.Sensors.realistic(), seed=0)
    yield "check a log", lambda: bf.check(log, plain)
    yield "fit a log", lambda: bf.fit(plain, log)
    yield "design, 5 s", lambda: bf.design(plain, duration=5.0, starts=1, seed=0)
    folder = Path(tempfile.mkdtemp())
    yield "write C", lambda: bf.write_model(panda, folder / "arm", format="c")


def measured() -> dict[str, float]:
    """Least processor seconds of a few runs of every job, after a first one that compiles."""
    found = {}
    for name, work in jobs():
        try:
            work()
        except Exception as error:
            print(f"{name}: {type(error).__name__}: {error}", file=sys.stderr)
            continue
        spent, start = [], time.monotonic()
        while len(spent) < 3 or (len(spent) < 15 and time.monotonic() - start < 1.0):
            before = time.process_time()
            work()
            spent.append(time.process_time() - before)
        found[name] = min(spent)
    return found


def of_tree(folder: Path) -> dict[str, float]:
    """The jobs, as the sources in a folder do them."""
    path = os.pathsep.join(filter(None, [str(folder / "src"), os.environ.get("PYTHONPATH")]))
    run = subprocess.run(
        [sys.executable, str(HOME / "benchmarks" / "against.py"), "--here"],
        env={**os.environ, **ONE_THREAD, "PYTHONPATH": path}, capture_output=True, text=True, cwd=folder,
    )  # fmt: skip
    if run.returncode:
        raise SystemExit(run.stderr)
    print(run.stderr, end="", file=sys.stderr)
    return dict(json.loads(run.stdout))


def compared(commit: str, rounds: int) -> dict[str, tuple[float, float]]:
    """Seconds here and there of every job that both can do."""
    here: dict[str, float] = {}
    there: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        other = Path(folder, "other")
        subprocess.run(["git", "worktree", "add", "--quiet", "--detach", str(other), commit], cwd=HOME, check=True)
        try:
            for k in range(rounds):
                for least, tree in ((here, HOME), (there, other))[:: 1 if k % 2 else -1]:
                    for name, seconds in of_tree(tree).items():
                        least[name] = min(seconds, least.get(name, math.inf))
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", str(other)], cwd=HOME, check=True)
    return {name: (seconds, there[name]) for name, seconds in here.items() if name in there}


def main() -> int:
    """Compare, print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("commit", nargs="?", default="HEAD~1")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--bound", type=float, default=1.05, help="of the geometric mean of all ratios")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.here:
        print(json.dumps(measured()))
        return 0
    found = compared(given.commit, given.rounds)
    for name, (here, there) in found.items():
        print(f"{name:45s} {1e3 * here:9.2f} ms here, {1e3 * there:9.2f} ms there, ratio {here / there:.2f}")
    mean = math.exp(sum(math.log(here / there) for here, there in found.values()) / len(found))
    print(f"geometric mean of {len(found)} ratios: {mean:.3f} (bound {given.bound:g})")
    return int(mean > given.bound)


if __name__ == "__main__":
    sys.exit(main())

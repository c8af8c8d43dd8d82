"""`make test-rounding`: tests that contain decisions, under the rounding of other processors.

    NUMBA_CPU_NAME      which instructions our compiled kernels are scheduled for; "generic" has no fused multiply-add
    OPENBLAS_CORETYPE   whose kernels NumPy's and SciPy's linear algebra uses: sums in another order
    a seed              tests/rounding_noise.py changes whatever goes into numpy.linalg by its last bits: processors nobody has

A setting that this processor cannot execute is skipped, and so is one that turns out to be the same code as another. Compiled
kernels of different settings do not mix: numba's cache is keyed by the processor's name and features. Prints a line per
setting; the exit code is 1 if a test fails under any of them.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import NamedTuple

HOME = Path(__file__).resolve().parents[1]
PROCESSORS = ("generic", "haswell", "znver4", "skylake-avx512")
CORES = ("Haswell", "Zen", "SkylakeX", "Sandybridge", "Nehalem")
SEEDS = (1, 2, 3)
FEW = ("tests/laws/test_rounding.py",)
FILES = (  # the tests that contain decisions: whoever writes another one adds it here
    *FEW,
    "tests/laws/test_consistent_bars.py",
    "tests/laws/test_base_parameters.py",
    "tests/laws/test_checks_current.py",
    "tests/laws/test_consistent.py",
    "tests/laws/test_cutoff.py",
    "tests/laws/test_doubts.py",
    "tests/laws/test_drive_gains.py",
    "tests/laws/test_estimator_invariance.py",
    "tests/laws/test_friction_choice.py",
    "tests/laws/test_gravity.py",
    "tests/laws/test_gravity_prior.py",
    "tests/laws/test_max_likelihood.py",
    "tests/laws/test_paired_blocks.py",
    "tests/laws/test_payload.py",
    "tests/laws/test_prior_strength.py",
    "tests/laws/test_simplify.py",
    "tests/laws/test_verdict.py",
    "tests/badinput/test_cli_calibrate.py",
    "tests/badinput/test_estimate.py",
    "tests/stories/test_mistakes.py",
)
PROBE = """
import numpy as np, threadpoolctl
import bifilar as bf
from bifilar.dynamics.blas import lapack
rng = np.random.default_rng(0)
a = rng.normal(size=(60, 40))
np.linalg.qr(a), np.linalg.svd(a), np.linalg.eigh(a.T @ a), np.linalg.cholesky(a.T @ a), lapack().dgeqrf(a)
robot = bf.Robot.load("two_link")
robot.inverse_dynamics(*rng.normal(size=(3, 100, 2)))
print(*sorted({one["architecture"] for one in threadpoolctl.threadpool_info() if one["user_api"] == "blas"}))
"""


class Setting(NamedTuple):
    """What the tests run under; nothing where this processor's own is meant."""

    processor: str = ""
    core: str = ""
    seed: int = 0

    @property
    def environment(self) -> dict[str, str]:
        """Of the process that runs the tests."""
        given = {"NUMBA_CPU_NAME": self.processor, "OPENBLAS_CORETYPE": self.core}
        given["BIFILAR_ROUNDING_SEED"] = str(self.seed or "")
        path = os.pathsep.join(filter(None, [str(HOME / "src"), os.environ.get("PYTHONPATH")]))
        return {**os.environ, "PYTHONPATH": path} | {name: value for name, value in given.items() if value}

    def __str__(self) -> str:
        return ", ".join(filter(None, [self.processor, self.core, f"seed {self.seed}" if self.seed else ""]))


def settings(quick: bool) -> Iterator[Setting]:
    """All, or one of each kind."""
    if quick:
        yield Setting("generic", CORES[-1])
        yield Setting(seed=SEEDS[0])
        return
    for processor, core in product(PROCESSORS, CORES):
        yield Setting(processor, core)
    for seed in SEEDS:
        yield Setting(seed=seed)


def code_of(setting: Setting) -> str:
    """Which BLAS kernels a setting really uses; empty if this processor cannot execute it."""
    probe = [sys.executable, "-c", PROBE]
    done = subprocess.run(probe, env=setting.environment, cwd=HOME, capture_output=True, text=True, timeout=600)
    return done.stdout.strip() if done.returncode == 0 else ""


def run(setting: Setting, files: tuple[str, ...], jobs: int) -> tuple[bool, str]:
    """Whether all tests pass, and pytest's last line with those that do not."""
    spread = ["--numprocesses", str(jobs), "--dist", "loadfile" if len(files) > 1 else "load"] if jobs > 1 else []
    command = [sys.executable, "-m", "pytest", "-q", "--tb=no", "-rfE", "-p", "no:cacheprovider", *spread, *files]
    done = subprocess.run(command, env=setting.environment, cwd=HOME, capture_output=True, text=True)
    lines = done.stdout.strip().splitlines() or [done.stderr.strip()[-500:]]
    failed = [f"    {line}" for line in lines if re.match("FAILED|ERROR", line)]
    return done.returncode == 0, "\n".join([lines[-1].strip("= "), *failed])


def main() -> int:
    """Run the matrix; 1 if anything fails."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="two settings on few files")
    parser.add_argument("--jobs", type=int, default=2, help="processes at a time")
    parser.add_argument("--only", default="", help="settings whose name contains this")
    given = parser.parse_args()
    files, seen, good = FEW if given.quick else FILES, {}, True
    for setting in settings(given.quick):
        if given.only not in str(setting):
            continue
        code = code_of(setting)
        same = seen.setdefault((setting.processor, code, setting.seed), setting)
        if not code or same is not setting:
            why = f"the same code as {same}" if code else "this processor cannot execute it"
            print(f"{setting}: skipped, {why}", flush=True)
            continue
        start = time.monotonic()
        passed, told = run(setting, files, given.jobs)
        good &= passed
        print(f"{setting} (BLAS {code}, {time.monotonic() - start:.0f} s): {told}", flush=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())

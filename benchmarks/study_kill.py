"""`bifilar fit` killed at random moments, many times: the run before stays whole, the next start tidies what is left.

    python benchmarks/study_kill.py --count 200            kill -9
    python benchmarks/study_kill.py --count 200 --stop     Ctrl-C: code 130, one line, nothing left behind
    python benchmarks/study_kill.py --count 20 --cold      every command a process of its own, imports and all; slow

Commands run in forks of a process that has loaded everything, so that the moments fall into the fit, not into imports.
Half of the moments are spread over the whole command, half over its last fifth, where files are written and named. After every
kill, before anything is tidied: the result that was there before is there still, byte for byte, or the new one is, whole (every
file of it is opened); only if the kill fell between two renames is the old one aside, and the next start puts it back. The next
start is a command that refuses: it must leave one folder and nothing else.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import io
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

import bifilar as bf
from bifilar.cli import main
from bifilar.cli.fit_folder import FILES, PAGE

FIT = ("fit", "two_link", "train.csv", "--test", "test.csv", "-o", "runs/arm", "--force")
LATE = 0.8  # of the command's time, after which files are written
INTERRUPTED, REFUSED = 130, 3


@dataclass
class Tally:
    """What happened."""

    seen: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)


def swing(path: Path, seed: int, viscous: float = 0.2) -> None:
    """Six seconds of a two-link arm with friction that nobody described."""
    robot = bf.Robot.load("two_link").with_friction(
        bf.Viscous() + bf.Coulomb(), {"joint1.viscous": viscous, "joint2.coulomb": 0.15}
    )
    rng = np.random.default_rng(seed)
    t = np.arange(0, 6, 0.005)[:, None, None]
    size, rate, phase = rng.uniform(0.3, 0.6, (2, 3)), rng.uniform(1, 6, (2, 3)), rng.uniform(0, 6, (2, 3))
    q = (size * np.sin(rate * t + phase)).sum(-1)
    v, a = (size * rate * np.cos(rate * t + phase)).sum(-1), -(size * rate**2 * np.sin(rate * t + phase)).sum(-1)
    torque = robot.inverse_dynamics(q, v, a) + rng.normal(size=q.shape) * (0.05, 0.02)
    bf.Recording(joint_names=robot.joint_names, time=t[:, 0, 0], position=q, torque=torque).save(path)


class Command:
    """`bifilar words` in a folder: a fork of this process, or (`cold`) a process of its own."""

    def __init__(
        self, home: Path, words: Sequence[str], cold: bool = False, first: Callable[[], object] = lambda: None
    ) -> None:
        """`first` is done in the fork, before the command."""
        self.said = tempfile.TemporaryFile("w+")
        if cold:
            command, quiet = [sys.executable, "-m", "bifilar", *words], subprocess.DEVNULL
            self.process = subprocess.Popen(command, cwd=home, stdout=quiet, stderr=self.said, start_new_session=True)
            self.pid = self.process.pid
            return
        self.pid = os.fork()
        if self.pid == 0:
            os.chdir(home)
            first()
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            os.dup2(self.said.fileno(), 2)
            sys.argv = ["bifilar", *words]
            sys.stdout, sys.stderr = open(1, "w", closefd=False), open(2, "w", closefd=False)
            code = main()
            sys.stderr.flush()
            os._exit(code)

    def end(self, number: int | None = None) -> tuple[int, str]:
        """Send a signal or none, and wait; its code and what it said on stderr."""
        if number is not None:
            os.kill(self.pid, number)
        code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        self.said.seek(0)
        with self.said:
            return code, self.said.read()


def hashes(folder: Path) -> dict[str, str]:
    """Of every file."""
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.iterdir())}


def whole(folder: Path) -> str:
    """Why a result is not whole; empty if it is: every file opens, and numbers agree with one another."""
    try:
        about = json.loads((folder / "run.json").read_text("utf-8"))
        estimate = bf.load_estimate(folder)
        bf.Robot.load(folder / "identified.urdf")
        page = (folder / PAGE).read_text("utf-8")
    except (OSError, ValueError, KeyError, bf.BifilarError) as error:
        return f"{type(error).__name__}: {error}"
    if set(path.name for path in folder.iterdir()) - FILES:
        return "there are files that no run writes"
    if not page.rstrip().endswith("</html>"):
        return "the page is cut off"
    return "" if about["estimate"]["rows"] == estimate.rows else "run.json and estimate.npz are of different runs"


def look(runs: Path, before: dict[str, str], tally: Tally) -> None:
    """What is there after a kill, before anything is tidied."""
    left = sorted(path.name for path in runs.iterdir() if path.name != "arm")
    tally.seen["temporaries left"] += bool(left)
    if not (runs / "arm").is_dir():
        aside = list(runs.glob(".arm.*.old"))
        tally.seen["between two renames"] += 1
        if len(aside) != 1 or hashes(aside[0]) != before:
            tally.wrong.append(f"no result, and none aside: {left}")
        return
    if hashes(runs / "arm") == before:
        tally.seen["the old result"] += 1
    elif reason := whole(runs / "arm"):
        tally.wrong.append(reason)
    else:
        tally.seen["the new result"] += 1


def study(home: Path, count: int, *, stop: bool = False, cold: bool = False, seed: int = 0, log: bool = False) -> Tally:
    """Kill, look, start again, look; `stop` sends Ctrl-C instead."""
    for number, name in enumerate(("train.csv", "test.csv"), 1):
        swing(home / name, number)
    there = os.getcwd()
    os.chdir(home)
    with contextlib.redirect_stdout(io.StringIO()):
        assert main(FIT) == 0  # loads and compiles what has to be
    os.chdir(there)
    began = time.monotonic()
    assert Command(home, FIT, cold).end()[0] == 0
    took, runs, draw, tally = time.monotonic() - began, home / "runs", random.Random(seed), Tally()
    for k in range(count):
        before, began = hashes(runs / "arm"), time.monotonic()
        command = Command(home, FIT, cold)
        time.sleep(draw.uniform(0, 1) * took if k % 2 else draw.uniform(LATE, 1.05) * took)
        code, said = command.end(signal.SIGINT if stop else signal.SIGKILL)
        tally.seen[f"code {code}"] += 1
        if code == 0:  # was faster than the clock said
            took = 0.7 * took + 0.3 * (time.monotonic() - began)
        if stop and code == INTERRUPTED and said != "bifilar: stopped\n":
            tally.wrong.append(f"Ctrl-C: {said!r}")
        if code not in (0, INTERRUPTED if stop else -signal.SIGKILL):
            tally.wrong.append(f"code {code}: {said[-300:]!r}")
        look(runs, before, tally)
        code, said = Command(home, FIT[:-1], cold).end()  # refused, because it exists; and tidy
        left = sorted(path.name for path in runs.iterdir())
        if code != REFUSED or left != ["arm"] or whole(runs / "arm"):
            tally.wrong.append(f"at the next start: code {code}, {left}, {whole(runs / 'arm')}, {said[-200:]}")
        if log and (k + 1) % 20 == 0:
            print(f"{k + 1}: {dict(tally.seen)}, {len(tally.wrong)} wrong", file=sys.stderr, flush=True)
    return tally


def command_line() -> int:
    """Run the study, print what happened."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--stop", action="store_true", help="Ctrl-C instead of kill -9")
    parser.add_argument("--cold", action="store_true", help="every command a process of its own")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    if os.name == "nt":
        print("Windows has no kill -9")
        return 0
    with tempfile.TemporaryDirectory() as home:
        tally = study(Path(home), asked.count, stop=asked.stop, cold=asked.cold, seed=asked.seed, log=True)
    print(json.dumps({**vars(asked), "seen": tally.seen, "wrong": tally.wrong}, indent=1))
    return 1 if tally.wrong else 0


if __name__ == "__main__":
    sys.exit(command_line())

"""Hostile files of every format through the command line: bounded in time and memory, refused by a code, nothing outside read.

    python benchmarks/study_hostile.py                  all of them
    python benchmarks/study_hostile.py --only parquet   those whose names contain the word

Every file is built here (`hostile_files`) and met by a command in a child, a fork of a process that has loaded everything: 5 s
of processor time and 512 MB beyond what the child begins with. It passes with exit code 2, 3 or 5 and an error with a code, or
with 0 or 1 and a result in JSON; 70, a signal, or output that is no JSON fails. What is opened is watched by an audit hook,
and by the time of last access of a file outside that many of them name.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("NUMBA_NUM_THREADS", "1")
os.environ.update(MALLOC_ARENA_MAX="1", ARROW_IO_THREADS="1")

import numpy as np
from hostile_files import Case, cases

import bifilar as bf
from bifilar.cli import main

SECONDS, MEGABYTES = 5, 512
REFUSED, RESULT = (2, 3, 5), (0, 1)
PATIENCE = 90.0  # [s] of wall time, of a child that waits for something


def ready(home: Path) -> None:
    """A log that is sound; everything that a command needs is loaded, and its kernels are compiled."""
    t = np.arange(0, 4, 0.01)
    q = np.column_stack([np.sin(3 * t), np.cos(2 * t)])
    bf.Recording(joint_names=("joint1", "joint2"), time=t, position=q, torque=q).save(home / "log.csv")
    for kind in ("npz", "parquet"):
        bf.Recording(joint_names=("joint1", "joint2"), time=t, position=q, torque=q).save(home / f"log.{kind}")
    (home / "m.xml").write_text("<mujoco><worldbody><body><joint/><geom size='1'/></body></worldbody></mujoco>")
    move = bf.quintic(["joint1", "joint2"], [[0.0, 0.0], [0.3, 0.3]], [0.0, 1.0]).sample(100)
    bf.save_motion(home / "move.csv", move)
    for name in ("h5py", "mcap.writer", "zstandard", "sqlite3"):
        try:
            __import__(name)
        except ImportError:
            print(f"{name} is not installed: its files are left out", file=sys.stderr)
    words = [["inspect", "m.xml"], ["check", "log.csv", "--robot", "two_link"], ["check", "log.npz"], ["check", "log.parquet"]]
    words += [["simulate", "two_link", "move.csv", "-o", "sim.csv"], ["export", "two_link", "-o", "two.csv"]]
    words += [["check", "log.csv"], ["design", "two_link", "--duration", "4", "--starts", "1", "-o", "d.csv"]]
    for each in words:
        _child(home, each, {}, limited=False)  # compiles what is not in the cache yet
    keep = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    here = os.getcwd()
    os.chdir(home)
    for each in words[:-1]:
        main([*each, "--json", *(["--force"] if "-o" in each else [])])
    os.chdir(here)
    os.dup2(keep, 1)


def one(home: Path, case: Case, outside: Path) -> dict[str, Any]:
    """Meet one file."""
    folder = home / "case"
    folder.mkdir()
    os.link(home / "log.csv", folder / "log.csv")
    ending = Path(case.name).suffix if not case.name.startswith("run ") else ""
    target = folder / f"hostile{ending}"
    if case.name.startswith("run "):
        target.mkdir()
    found: dict[str, Any] = {"case": case.name}
    try:
        case.write(target)
        os.utime(outside, (0, outside.stat().st_mtime))
        found |= _child(folder, [word.replace("{}", target.name) for word in case.words], {"home": str(folder)})
        found["outside"] += [str(outside)] if outside.stat().st_atime else []
    finally:
        import shutil

        shutil.rmtree(folder)
    return found | {"wrong": "; ".join(_wrong(found))}


def _wrong(found: dict[str, Any]) -> list[str]:
    wrong = []
    if found["code"] not in (*REFUSED, *RESULT):
        wrong.append(f"code {found['code']}: {found['said'][-300:]}")
    elif found["code"] in REFUSED and not found["error"]:
        wrong.append(f"refused without a code: {found['said'][-300:]}")
    if found["seconds"] > SECONDS:
        wrong.append(f"{found['seconds']} s")
    if found["megabytes"] > MEGABYTES:
        wrong.append(f"{found['megabytes']} MB")
    if found["outside"]:
        wrong.append(f"read outside: {found['outside'][:3]}")
    return wrong


def _child(folder: Path, words: list[str], about: dict[str, str], limited: bool = True) -> dict[str, Any]:
    out, err, watch = tempfile.TemporaryFile("w+"), tempfile.TemporaryFile("w+"), tempfile.TemporaryFile("w+")
    pid = os.fork()
    if pid == 0:
        os.chdir(folder)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(out.fileno(), 1)
        os.dup2(err.fileno(), 2)
        sys.stdout, sys.stderr = open(1, "w", closefd=False), open(2, "w", closefd=False)
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        os.write(watch.fileno(), f"{pages * os.sysconf('SC_PAGE_SIZE') / 1e6}\0".encode())
        if limited:
            _limit()
            sys.addaudithook(_watcher(watch.fileno(), about["home"]))
        sys.argv = ["bifilar", *words]
        code = main([*words, "--json"] if "--json" not in words else words)
        sys.stdout.flush()
        os._exit(code)
    used, started = None, time.monotonic()
    while used is None:
        done, status, usage = os.wait4(pid, os.WNOHANG)
        if done:
            used = usage
        elif limited and time.monotonic() - started > PATIENCE:
            os.kill(pid, 9)
            time.sleep(0.1)
        else:
            time.sleep(0.003)
    for stream in (out, err, watch):
        stream.seek(0)
    said = out.read(1 << 20)
    try:
        error = json.loads(said).get("error", {}).get("code", "")
    except (ValueError, AttributeError):
        error = ""
    base, *opened = watch.read().split("\0")[:-1] or ["0"]
    return {
        "code": os.waitstatus_to_exitcode(status),
        "error": error,
        "said": said[-200:] + err.read()[-200:],
        "seconds": round(used.ru_utime + used.ru_stime, 2),
        "megabytes": round(max(used.ru_maxrss * 1024 / 1e6 - float(base), 0)),
        "outside": opened,
    }


def _limit() -> None:
    size = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    resource.setrlimit(resource.RLIMIT_AS, (size + (MEGABYTES << 20),) * 2)
    resource.setrlimit(resource.RLIMIT_CPU, (3 * SECONDS, 3 * SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _watcher(handle: int, home: str) -> Any:
    """Tells of files that are opened for reading, but for those of the folder and of the program itself."""
    own = (
        home,
        sys.prefix,
        sys.base_prefix,
        os.path.dirname(os.path.dirname(bf.__file__)),
        "/proc",
        "/sys",
        "/dev",
        "/usr",
        "/lib",
    )
    own += (tempfile.gettempdir() + "/numba", os.path.expanduser("~/.cache"), os.environ.get("NUMBA_CACHE_DIR") or home)

    def hook(event: str, given: tuple[Any, ...]) -> None:
        if event != "open" or not isinstance(given[0], (str, bytes)):
            return
        path = os.path.abspath(os.fsdecode(given[0]))
        if not path.startswith(own) and os.path.isfile(path):
            os.write(handle, path.encode("utf-8", "replace") + b"\0")

    return hook


def study(only: str = "", log: bool = False, every: int = 1) -> dict[str, Any]:
    """Meet all files, or every so many."""
    tally: Counter[str] = Counter()
    wrong: list[dict[str, Any]] = []
    slowest, largest = ("", 0.0), ("", 0)
    with tempfile.TemporaryDirectory() as place:
        home, outside = Path(place, "home"), Path(place, "elsewhere", "secret.bin")
        home.mkdir()
        outside.parent.mkdir()
        outside.write_bytes(b"secret" * 100)
        ready(home)
        chosen = [case for case in cases(outside) if only in case.name][::every]
        for number, case in enumerate(chosen, 1):
            found = one(home, case, outside)
            tally["a sound result" if found["code"] in RESULT else f"code {found['code']}"] += 1
            slowest = max(slowest, (case.name, found["seconds"]), key=lambda each: each[1])
            largest = max(largest, (case.name, found["megabytes"]), key=lambda each: each[1])
            if found["wrong"]:
                wrong.append({"case": case.name, "wrong": found["wrong"]})
                if log:
                    print(f"{case.name}: {found['wrong']}", file=sys.stderr)
            if log and number % 50 == 0:
                print(f"{number} of {len(chosen)}: {dict(tally)}, {len(wrong)} wrong", file=sys.stderr)
    return {
        "files": len(chosen),
        "outcomes": dict(sorted(tally.items())),
        "slowest": {"case": slowest[0], "seconds": slowest[1]},
        "largest": {"case": largest[0], "megabytes": largest[1]},
        "wrong": wrong,
        "passed": not wrong,
    }


def command_line() -> int:
    """Run the study, print what happened."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="")
    parser.add_argument("--every", type=int, default=1)
    asked = parser.parse_args()
    if os.name == "nt":
        print("Windows has neither forks nor limits")
        return 0
    told = study(asked.only, log=True, every=asked.every)
    print(json.dumps(told, indent=1))
    return 0 if told["passed"] else 1


if __name__ == "__main__":
    sys.exit(command_line())

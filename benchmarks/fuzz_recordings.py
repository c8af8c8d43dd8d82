"""A hundred thousand broken logs: each must give a recording or a BifilarError that names the file, in little time and memory.

    python benchmarks/fuzz_recordings.py --count 100000 --seed 1

Mutates small logs (text of many layouts, plain and packed; NPZ; mapping files in TOML and JSON) at the level of bytes and of
structure: numbers, separators, lines, headers of arrays, keys and values of tables. The cases run in a child process that may
not have more than 300 MB beyond what it began with; the parent ends a child that is held up by one case.
Prints one JSON; exit code 1 if anything else than a BifilarError escaped or a limit was passed.
"""

from __future__ import annotations

import gzip
import io
import json
import multiprocessing
import os
import random
import re
import signal
import sys
import tempfile
import time
import traceback
import warnings
import zipfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from fuzz_main import fuzz_main
from mutations import Mutation, cut, doubled, flip, inserted
from peak_memory import peak_megabytes

from bifilar.errors import BifilarError
from bifilar.recording.load import load
from bifilar.recording.recording import Recording

SECONDS = 10
MEGABYTES = 300
ROWS = 24
TIME = np.arange(ROWS) / 100
TABLE = np.column_stack([TIME, *(np.round(np.sin(k + TIME), 4) for k in range(4))])
NAMES = ("time", "q1", "q2", "tau1", "tau2")
NUMBERS = (
    *b'nan inf -inf 1e400 -1e400 1e-400 --1 1,5 0x10 1_000 1d5 + 1e . - True null "1" " 1;2 #'.split(),
    *(b"", b" ", b"9" * 400, b"1" * 70_000, b"\xd9\xa1", b"\xc2\xa01", b"\0"),
)
PIECES = (
    *b', ; | " \' # % // [ ] { } = [[ """ \\ \\u0000 {n} .. - 1979-05-27 true PK\x03\x04 \x1f\x8b \xff\xfe \xff \0'.split(),
    *(b"\n", b"\r", b"\r\n", b"\n\n\n", b"\t", b" ", b"\xef\xbb\xbf", b"[a]\n[a]\n", b"x" * 100_000),
    *(b"," * 3000, b"\n" * 3000, b"[" * 3000, b'{"a":' * 3000, b"a." * 3000),
)
TOML = b"""joints = ["a", "b"]
notes = "two joints"
motor_from_joint = [[1, 0], [1, 1]]
[file]
delimiter = ","
skip = 0
header = true
[clock]
column = "time"
unit = "s"
[channels.motor_position]
columns = ["q1", "q2"]
unit = "deg"
[channels.position]
from = "motor_position"
offset = [0.5, -0.5]
[channels.torque]
columns = "tau{n}"
sign = [1, -1]
ratio = 2.0
[use]
samples = [[2, 20]]
"""
WORDS = (
    *b'joints file clock channels columns unit "deg" "furlong" from offset [] {} -1 [[]] "" true false 0 1e400 nan inf'.split(),
    *b'"1-3" "9-3" "q{n}" [1,2] [1,"a"] names one_value_per_line transposed rate matrix labels "../x" "{run}" "time"'.split(),
    *(b"99999999999", b"9" * 5000),
)


def text(separator: str, decimal: str = ".", header: bool = True) -> bytes:
    """A small log."""
    rows = [separator.join(repr(x).replace(".", decimal) for x in row) for row in TABLE.tolist()]
    return "\n".join([separator.join(NAMES)] * header + rows + [""]).encode()


def archive(save: Callable[..., None] = np.savez) -> bytes:
    """A small NPZ of somebody else."""
    buffer = io.BytesIO()
    save(buffer, time=TIME, position=TABLE[:, 1:3], torque=TABLE[:, 3:], joint_names=np.array(["a", "b"]))
    return buffer.getvalue()


def own_archive(ending: str = ".npz") -> bytes:
    """A small NPZ or Parquet of ours, with everything in it."""
    channels: dict[str, Any] = {"wrench": np.zeros((ROWS, 6)), "current": TABLE[:, 1:3]}
    recording = Recording(
        joint_names=("a", "b"), time=TIME, position=TABLE[:, 1:3], torque=TABLE[:, 3:], sliding=("b",), channels=channels
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "own" + ending)
        recording.save(path)
        return path.read_bytes()


def seeds() -> list[tuple[str, bytes]]:
    """File names and contents to begin with."""
    texts = [text(","), text(";", ","), text("\t"), text("  "), text(",", header=False), b"# of Tuesday\n" + text(",")]
    found = [(f"log{k}.csv", content) for k, content in enumerate(texts)]
    found += [("packed.csv.gz", gzip.compress(texts[0], mtime=0)), ("wide.csv", texts[0].decode().encode("utf-16"))]
    found += [("log.npz", archive()), ("packed.npz", archive(np.savez_compressed)), ("own.npz", own_archive())]
    found += [("array.npy", archive_member(archive(), "position.npy"))]
    mapping = json.dumps(_as_json()).encode()
    return found + [("map.toml", TOML)] * 3 + [("map.json", mapping)] * 2


def _as_json() -> dict[str, Any]:
    import tomllib

    return tomllib.loads(TOML.decode())


def archive_member(content: bytes, name: str) -> bytes:
    """One array of an NPZ, as an NPY."""
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        return file.read(name)


# ---- mutations


def double(rng: random.Random, data: bytes) -> bytes:
    """A slice stands twice."""
    return doubled(rng, data, 300)


def insert(rng: random.Random, data: bytes) -> bytes:
    """A piece somewhere."""
    return inserted(rng, data, PIECES)


def change_number(rng: random.Random, data: bytes) -> bytes:
    """A number becomes something else."""
    found = list(re.finditer(rb"[-+]?\d+[.,]?\d*(?:[eE][-+]?\d+)?", data))
    if not found:
        return data
    spot = rng.choice(found)
    return data[: spot.start()] + rng.choice(NUMBERS) + data[spot.end() :]


def change_word(rng: random.Random, data: bytes) -> bytes:
    """A word of a table becomes another."""
    found = list(re.finditer(rb'"[^"\n]*"|\w+|\[[^\]\n]*\]', data))
    if not found:
        return data
    spot = rng.choice(found)
    return data[: spot.start()] + rng.choice(WORDS) + data[spot.end() :]


def swap_lines(rng: random.Random, data: bytes) -> bytes:
    """Two lines change places, or one is gone, or stands a hundred times."""
    lines = data.split(b"\n")
    a, b = rng.randrange(len(lines)), rng.randrange(len(lines))
    lines[a], lines[b] = rng.choice(((lines[b], lines[a]), (b"", lines[b]), (lines[b], lines[b]), (lines[a] * 100, lines[b])))
    return b"\n".join(lines)


def rewrap(rng: random.Random, data: bytes) -> bytes:
    """The arrays of an NPZ are damaged before they are packed, so that checksums fit."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as file:
            members = {name: file.read(name) for name in file.namelist()}
    except Exception:
        return flip(rng, data)
    buffer = io.BytesIO()
    with (
        warnings.catch_warnings(action="ignore"),
        zipfile.ZipFile(buffer, "w", rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))) as file,
    ):
        for name, content in members.items():
            changed = rng.choice((header, header, flip, cut))(rng, content) if rng.random() < 0.4 else content
            if rng.random() < 0.95:
                file.writestr(rng.choice((name, name, name, name, "time.npy", "position.npy", "x", "../x.npy")), changed)
    return buffer.getvalue()


def header(rng: random.Random, data: bytes) -> bytes:
    """An array claims another shape, kind or order."""
    shape = rng.choice([b"(%d,)" % 10 ** rng.randrange(12), *b"(-1,) () (4,6) (0,0) (2,3,4) ('a',) (1e9,)".split()])
    kind = rng.choice(b"'<f4' '|O' '<i8' '|S8' '<U1000000' '<c16' '<M8[s]' '>f8' '|b1' [('a','f8')]".split())
    for pattern, new in ((rb"\([^)]*\)", shape), (rb"'[<|>=][^']*'", kind)):
        if rng.random() < 0.6:
            spot = re.search(pattern, data[:200])
            if spot:
                new = new.ljust(spot.end() - spot.start())[: max(spot.end() - spot.start(), len(new))]
                data = data[: spot.start()] + new + data[spot.end() :]
    return data


ALL: tuple[Mutation, ...] = (flip, cut, double, insert)
FOR: dict[str, tuple[Mutation, ...]] = {
    ".csv": (change_number, change_number, swap_lines, insert),
    ".gz": (flip, cut),
    ".npz": (rewrap, rewrap, rewrap),
    ".npy": (header, header),
    ".toml": (change_word, change_word, change_number, swap_lines),
    ".json": (change_word, change_word, change_number),
}


def case(number: int, seed: int, sources: list[tuple[str, bytes]]) -> tuple[str, str, bytes]:
    """A mutated file: the names of its mutations, its name and its content."""
    rng = random.Random(seed * 1_000_003 + number)
    name, data = rng.choice(sources)
    done = []
    for _ in range(rng.choice((1, 1, 1, 2, 3, 6))):
        mutate = rng.choice(FOR[Path(name).suffix] if rng.random() < 0.7 else ALL)
        data = mutate(rng, data)
        done.append(mutate.__name__)
    return f"{number} {name} {'+'.join(done)}", name, data


def one(name: str, data: bytes, folder: Path) -> str:
    """Read a case; returns what came out."""
    path = folder / name
    path.write_bytes(data)
    if path.suffix in (".toml", ".json"):
        mapping, log = path, folder / "healthy.csv"
    else:
        mapping, log = None, path
    try:
        recording = load(log, mapping=mapping, **({} if mapping or len(data) % 2 else {"rate": 100.0}))
    except BifilarError as error:
        named = str(folder) in error.where  # the log, the mapping, or a file that the mapping names
        return "refused" if named and error.what and str(error) else f"refused without the file: {error}"
    shapes = {channel.values.shape[0] == len(recording) or channel.time is not None for channel in recording.channels.values()}
    return "recording" if shapes <= {True} else "a recording that does not fit its clock"


# ---- watching


def _alarm(*_: object) -> None:
    raise TimeoutError(f"more than {SECONDS} s")


def fuzz(count: int, seed: int, first: int = 0, at: Any = None) -> dict[str, Any]:
    """Run cases in this process; the summary. `at` is told which case is in work."""
    outcomes: Counter[str] = Counter()
    failures: list[dict[str, str]] = []
    slowest, sources = (0.0, ""), seeds()
    watch = hasattr(signal, "SIGALRM")
    if watch:
        signal.signal(signal.SIGALRM, _alarm)
    begin = time.perf_counter()
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=memory) as place, warnings.catch_warnings():
        warnings.simplefilter("error")
        folder = Path(place)
        (folder / "healthy.csv").write_bytes(text(","))
        load(folder / "healthy.csv")
        before = peak_megabytes()
        for number in range(first, first + count):
            what, name, data = case(number, seed, sources)
            if at is not None:
                at.value = number
            start = time.perf_counter()
            if watch:
                signal.alarm(SECONDS)
            try:
                outcome = one(name, data, folder)
            except (Exception, MemoryError) as error:
                outcome = type(error).__name__
                last = traceback.extract_tb(error.__traceback__)[-1]
                failures.append({"case": what, "error": repr(error)[:200], "at": f"{Path(last.filename).name}:{last.lineno}"})
            finally:
                if watch:
                    signal.alarm(0)
            if outcome not in ("recording", "refused") and (not failures or failures[-1]["case"] != what):
                failures.append({"case": what, "error": outcome[:200], "at": ""})
                outcome = outcome.split(":")[0]
            outcomes[outcome] += 1
            slowest = max(slowest, (time.perf_counter() - start, what))
    grown = peak_megabytes() - before
    return {
        "count": count,
        "seed": seed,
        "outcomes": dict(outcomes),
        "seconds": round(time.perf_counter() - begin, 1),
        "slowest": {"ms": round(1e3 * slowest[0], 1), "case": slowest[1]},
        "grown_megabytes": round(grown, 1),
        "failures": failures[:20],
        "passed": not failures and grown < MEGABYTES,
    }


def _child(count: int, seed: int, first: int, at: Any, answer: Any) -> None:
    """Cases under a hard limit of address space, where the system has one, once libraries and their threads are there."""
    fuzz(100, seed + 1)
    try:
        import resource

        size = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        room = size + MEGABYTES * 2**20
        resource.setrlimit(resource.RLIMIT_AS, (room, room))
    except (ImportError, OSError):
        pass
    answer.put(fuzz(count, seed, first, at))


def watched(count: int, seed: int, chunk: int = 5000) -> dict[str, Any]:
    """Run cases in children, some at a time; a child that hangs is ended and counts as a failure."""
    begin, total, failures = time.perf_counter(), Counter[str](), []
    slowest: dict[str, Any] = {"ms": 0.0}
    grown = 0.0
    context = multiprocessing.get_context("spawn")
    os.environ.update(MALLOC_ARENA_MAX="1", ARROW_IO_THREADS="1")  # address space that is reserved per thread is no memory
    first = 0
    while first < count:
        todo = min(chunk, count - first)
        at, answer = context.Value("q", -1), context.Queue()
        child = context.Process(target=_child, args=(todo, seed, first, at, answer))
        child.start()
        found = _waited(child, at, answer)
        if found is None:
            failures.append({"case": str(at.value), "error": f"the child was ended, exit code {child.exitcode}", "at": ""})
            first = max(at.value, first) + 1
            continue
        total.update(found["outcomes"])
        failures += found["failures"]
        grown = max(grown, found["grown_megabytes"])
        slowest = max(slowest, found["slowest"], key=lambda one: one["ms"])
        first += todo
        print(f"{first} of {count}: {dict(total)}", file=sys.stderr)
    return {
        "count": count,
        "seed": seed,
        "outcomes": dict(total),
        "seconds": round(time.perf_counter() - begin, 1),
        "slowest": slowest,
        "grown_megabytes": grown,
        "failures": failures[:20],
        "passed": not failures and grown < MEGABYTES,
    }


def _waited(child: Any, at: Any, answer: Any) -> dict[str, Any] | None:
    last, since = -2, time.perf_counter()
    while True:
        try:
            found: dict[str, Any] = answer.get(timeout=0.5)
        except Exception:
            if at.value != last:
                last, since = at.value, time.perf_counter()
            patience = 3 * SECONDS if last >= 0 else 30 * SECONDS  # -1: libraries are being loaded
            if not child.is_alive() or time.perf_counter() - since > patience:
                child.kill()
                child.join()
                return None
            continue
        child.join()
        return found


if __name__ == "__main__":
    sys.exit(fuzz_main("Mutated logs: a recording or a BifilarError, never anything else.", 100_000, watched))

"""Twenty thousand damaged run folders: read, or a BifilarError; none with a seal is read as if it were whole.

    python benchmarks/fuzz_runs.py --count 20000 --seed 1

A file of a small run is changed: bytes, keys that go or come twice, values of another type or size, arrays of another shape,
files that are gone or exchanged. A third of the runs keep their seal, a third are of the time before seals, a third are sealed
again over the damage. They run as `watching` says. Of every twentieth, the report is drawn.
"""

from __future__ import annotations

import contextlib
import io
import json
import random
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import watching
from fuzz_recordings import header, rewrap
from mutations import cut, doubled, flip

import bifilar as bf
from bifilar.cli import main
from bifilar.cli.report_run import page_of, with_logs
from bifilar.cli.stored_run import stored
from bifilar.errors import BifilarError
from bifilar.run_files import about_bytes, sealed

GOOD = ("read", "refused", "unharmed")
VALUES = (
    *(None, True, False, 0, -1, 1, 10**400, 2**53 + 1, 1e300, -1e-300, "", "x", "good", "\ud800", "../../x", [], {}, [[]], [0]),
    *(
        [None],
        ["a"],
        [1e308] * 3,
        {"a": 1},
        {"code": "ok"},
        [{"name": "joint1.viscous"}],
        "9" * 5000,
        [[1, 2], [3]],
        "butterworth",
    ),
)
PIECES = (b"[" * 5000, b"{" * 5000, b"\0", b"NaN", b"1e999", b"9" * 5000, b"null", b'"\\ud800"', b"\xff\xfe", b"}", b"]", b",")
_home: list[Path] = []


def seeds() -> list[tuple[str, dict[str, bytes]]]:
    """A run of two joints, and the names of the files that are damaged."""
    if not _home:
        _home.append(Path(tempfile.mkdtemp()))
        robot = bf.Robot.load("pendulum").with_friction(bf.Viscous(), {"joint1.viscous": 0.1})
        t = np.arange(0, 6, 0.01)
        motion = [f(np.outer(t, (1.1, 2.3, 3.1))) for f in (np.sin, np.cos)]
        q, v = motion[0].sum(1)[:, None], (motion[1] @ (1.1, 2.3, 3.1))[:, None]
        a = -(motion[0] @ np.square((1.1, 2.3, 3.1)))[:, None]
        torque = robot.inverse_dynamics(q, v, a) + 0.01 * np.random.default_rng(0).normal(size=q.shape)
        log = _home[0] / "log.csv"
        bf.Recording(joint_names=("joint1",), time=t, position=q, torque=torque).save(log)
        words = ["fit", "pendulum", str(log), "--friction", "viscous+coulomb", "--score-cutoff", "8", "--anyway"]
        assert main([*words, "-o", str(_home[0] / "run")]) in (0, 1)
    files = {str(path.relative_to(_home[0] / "run")): path.read_bytes() for path in (_home[0] / "run").rglob("*.*")}
    names = [
        "run.json",
        "run.json",
        "run.json",
        "estimate.json",
        "estimate.json",
        "estimate.json",
        "estimate.npz",
        "robot.urdf",
    ]
    return [(name, files) for name in names]


def prepare(folder: Path) -> None:
    """A copy of the run."""
    for name, content in seeds()[0][1].items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(content)
    page_of(with_logs(stored(str(folder)))).content()


def case(number: int, seed: int, sources: list[tuple[str, dict[str, bytes]]]) -> tuple[str, str, Any]:
    """A file, how its seal is, and its damaged content."""
    rng = random.Random(seed * 1_000_003 + number)
    name, files = rng.choice(sources)
    kind = ("sealed", "older", "sealed again")[number % 3]
    data: bytes | None = files[name]
    done = []
    for _ in range(rng.choice((1, 1, 2, 5))):
        options: list[Any] = [flip, cut, lambda r, d: doubled(r, d, 500), insert]
        own = {".json": [key, key, key, key, key, key], ".npz": [rewrap, array, array, array], ".urdf": [number_of]}[
            Path(name).suffix
        ]
        mutate = rng.choice([*own, rng.choice(options)])
        data = mutate(rng, data or b"")
        done.append(getattr(mutate, "__name__", "doubled"))
    if rng.random() < 0.01:
        data = None
        done = ["gone"]
    return f"{number} {name} {kind} {'+'.join(done)}", name, (kind, files, data)


def insert(rng: random.Random, data: bytes) -> bytes:
    """A piece somewhere."""
    at = rng.randrange(len(data) + 1)
    return data[:at] + rng.choice(PIECES) + data[at:]


def key(rng: random.Random, data: bytes) -> bytes:
    """A value somewhere in the tree goes, or becomes another, or changes places with one beside it."""
    try:
        whole = json.loads(data)
        here, path = whole, [whole]
        while isinstance(here, (dict, list)) and here and (len(path) < 3 or rng.random() < 0.8):
            path.append(here)
            here = here[rng.choice(list(here) if isinstance(here, dict) else range(len(here)))]
        holder = path[-1]
        if not holder:
            return flip(rng, data)
        name = rng.choice(list(holder) if isinstance(holder, dict) else range(len(holder)))
        if rng.random() < 0.3:
            del holder[name]
        elif rng.random() < 0.3:
            holder[name] = holder[rng.choice(list(holder) if isinstance(holder, dict) else range(len(holder)))]
        else:
            holder[name] = rng.choice(VALUES)
        return json.dumps(whole).encode()
    except (ValueError, RecursionError, UnicodeError):
        return flip(rng, data)


def number_of(rng: random.Random, data: bytes) -> bytes:
    """A number becomes another."""
    places = [k for k in range(len(data)) if data[k : k + 1].isdigit()]
    at = rng.choice(places) if places else 0
    return data[:at] + rng.choice((b"1e300", b"nan", b"-", b"9", b"0", b"1e13", b"x")) + data[at + 1 :]


def array(rng: random.Random, data: bytes) -> bytes:
    """An array goes, or has another shape, kind or value."""
    try:
        with np.load(io.BytesIO(data)) as stored_arrays:
            arrays = dict(stored_arrays)
        name = rng.choice(list(arrays))
        one = arrays.pop(name)
        new = (
            one[:-1],
            one.T,
            one * np.nan,
            one * 1e300,
            one.astype(str),
            np.zeros((0,)),
            np.zeros((3, 3)),
            1j * one,
            one[None],
        )
        if rng.random() < 0.8:
            arrays[name] = new[rng.randrange(len(new))]
        buffer = io.BytesIO()
        with np.errstate(all="ignore"):
            np.savez(buffer, **arrays)
        return header(rng, buffer.getvalue()) if rng.random() < 0.1 else buffer.getvalue()
    except Exception:
        return flip(rng, data)


def one(name: str, data: Any, folder: Path) -> str:
    """Read the damaged run; the folder is made whole again."""
    kind, files, content = data
    run, path = folder / "run.json", folder / name
    try:
        if content is None:
            path.unlink()
        else:
            path.write_bytes(content)
        if kind != "sealed" and run.is_file():
            _seal(folder, again=kind == "sealed again")
        if kind == "sealed" and content == files[name]:
            return "unharmed"
        try:
            with contextlib.redirect_stderr(io.StringIO()):
                found = stored(str(folder))
        except BifilarError as error:
            return "refused" if error.code and str(error) else "refused without a code"
        if kind == "sealed" and (content is None or not _alike(name, content, files[name])):
            return f"a damaged {name} was read as if it were whole"
        _ = found.estimate.deviations, found.estimate.model
        if len(content or b"") % 20 == 0:
            page_of(with_logs(found)).content()
        return "read"
    except BifilarError as error:
        return "refused" if error.code and str(error) else "refused without a code"
    finally:
        for each in (name, "run.json"):
            (folder / each).write_bytes(files[each])


def _alike(name: str, content: bytes, before: bytes) -> bool:
    """JSON that says the same in other bytes is the same run."""
    try:
        return name == "run.json" and bool(json.loads(content) == json.loads(before))
    except (ValueError, RecursionError):
        return False


def _seal(folder: Path, again: bool) -> None:
    try:
        facts = json.loads((folder / "run.json").read_bytes())
        if again:
            content = about_bytes(sealed(facts, folder))
        else:
            content = json.dumps(
                {key: value for key, value in facts.items() if key != "seal"} | {"format": "bifilar run 1"}
            ).encode()
        (folder / "run.json").write_bytes(content)
    except (ValueError, AttributeError, RecursionError, TypeError):
        pass  # no JSON any more


def fuzz(count: int, seed: int) -> dict[str, Any]:
    """Cases in this process."""
    return watching.fuzz(__name__, count, seed)


if __name__ == "__main__":
    sys.exit(watching.command_line("fuzz_runs", "Damaged runs: read or a BifilarError, nothing else.", 20_000))

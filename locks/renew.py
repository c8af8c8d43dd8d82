"""Write the lock files: every package that a purpose needs, at the version of constraints.txt, with the hashes of its wheels.

    python locks/renew.py           in an environment that holds everything (make lint test bench docs)

The hashes are those that the index names which pip is set up to ask. A lock holds no addresses: pip takes a file from
wherever it is told to, and refuses it if its hash is another one. Wheels are listed for CPython from 3.11 on.
"""

from __future__ import annotations

import re
import subprocess
import sys
import urllib.request
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement

HERE = Path(__file__).parent
PURPOSES = ("core", "test", "lint", "bench", "docs")
BUILD = ("hatchling", "editables", "packaging", "pathspec", "pluggy", "trove-classifiers")  # what installs the project itself
WHEEL = re.compile(
    r"-(py3|py2\.py3|cp3\d+(\.cp3\d+)*)-(none|abi3|cp3(1[1-9]))-(any|manylinux.*(x86_64|aarch64)|macosx.*|win_amd64)\.whl$"
)
OLD = re.compile(r"-cp3(10|[6-9])-cp3")


def plain(name: str) -> str:
    """A package's name as indices write it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def needed(purpose: str, pins: dict[str, str]) -> list[str]:
    """The project's own requirements for a purpose and all that these require, by name."""
    extra = "" if purpose == "core" else purpose
    waiting = [Requirement(name) for name in BUILD]
    waiting += [r for r in _requirements("bifilar") if r.marker is None or (extra and r.marker.evaluate({"extra": extra}))]
    known: set[tuple[str, str]] = set()
    found = set()
    while waiting:
        one = waiting.pop()
        name = plain(one.name)
        for part in ("", *one.extras):
            if (name, part) in known:
                continue
            known.add((name, part))
            waiting += [r for r in _requirements(name) if r.marker is None or r.marker.evaluate({"extra": part})]
        found |= {name} & pins.keys()
    return sorted(found)


def _requirements(name: str) -> list[Requirement]:
    try:
        return [Requirement(text) for text in distribution(name).requires or ()]
    except PackageNotFoundError:
        return []


def hashes(name: str, version: str, index: str) -> list[str]:
    """SHA-256 of the wheels of a version."""
    with urllib.request.urlopen(f"{index.rstrip('/')}/{name}/", timeout=60) as answer:
        page = answer.read().decode("utf-8")
    files = re.findall(r"#sha256=([0-9a-f]{64})[^>]*>\s*([^<\s]+)\s*</a>", page)
    stem = re.compile(rf"{name.replace('-', '[-_.]+')}-{re.escape(version)}(-|\.tar\.gz$)", re.IGNORECASE)
    own = [(digest, file) for digest, file in files if stem.match(file)]
    wheels = [(digest, file) for digest, file in own if WHEEL.search(file) and not OLD.search(file)]
    found = sorted({digest for digest, _ in wheels or own})
    if not found:
        sys.exit(f"the index names no hash of {name} {version}")
    return found


def index() -> str:
    """What pip asks."""
    told = subprocess.run([sys.executable, "-m", "pip", "config", "get", "global.index-url"], capture_output=True, text=True)
    if told.returncode == 0:
        return told.stdout.strip()
    from pip._internal.models.index import PyPI

    return str(PyPI.simple_url)


def main() -> None:
    """Write all of them."""
    lines = (HERE.parent / "constraints.txt").read_text("utf-8").split()
    pins = dict(line.split("==") for line in lines)
    for name in BUILD:
        if name not in pins:
            sys.exit(f"{name} is not pinned in constraints.txt")
    address, known = index(), {}
    for purpose in PURPOSES:
        text = f"# What '{purpose}' needs, with hashes; written by locks/renew.py.\n"
        for name in needed(purpose, pins):
            known[name] = known.get(name) or hashes(name, pins[name], address)
            text += f"{name}=={pins[name]}" + "".join(f" \\\n    --hash=sha256:{digest}" for digest in known[name]) + "\n"
        (HERE / f"{purpose}.txt").write_text(text, "utf-8")


if __name__ == "__main__":
    main()

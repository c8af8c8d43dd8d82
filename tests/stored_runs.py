"""Folders of runs, made without a fit: an estimate, a verdict, and the seal."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bifilar as bf
from bifilar.run_files import about_bytes, sealed


def as_run(folder: Path, estimate: bf.BaseEstimate, level: str = "good", reasons: tuple[str, ...] = ("it predicts",)) -> None:
    """A run as `bifilar fit` would have written it, without logs and page."""
    bf.save_estimate(estimate, folder)
    about: dict[str, Any] = {
        **{"folder": str(folder), "robot": estimate.described.name, "command": ["bifilar", "fit"], "judged_on": "nothing"},
        "settings": {"verb": "fit", "robot": estimate.described.name, "logs": []},
        **{"inputs": [], "versions": {}, "findings": {}},
        "verdict": {"level": level, "reasons": list(reasons)},
    }
    (folder / "run.json").write_bytes(about_bytes(sealed(about, folder)))


def edited(folder: Path, change: Callable[[dict[str, Any]], object], file: str = "run.json", seal: bool = False) -> None:
    """Edit a JSON file of a run, as by hand; `seal`: and seal it again."""
    about = json.loads((folder / file).read_text("utf-8"))
    change(about)
    (folder / file).write_text(json.dumps(about), "utf-8")
    if seal:
        facts = json.loads((folder / "run.json").read_text("utf-8"))
        (folder / "run.json").write_bytes(about_bytes(sealed(facts, folder)))

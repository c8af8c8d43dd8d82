"""What `bifilar doctor` shows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from bifilar import __version__
from bifilar.cli.doctor import Health
from bifilar.cli.doctor_facts import blas, datasets, machine, packages
from bifilar.cli.kernel_cache import CacheState
from bifilar.cli.output import COLOURS, Column, finding_table, heading, next_step, symbol, table, words

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table
    from rich.text import Text


def view(health: Health) -> Iterator[RenderableType]:
    """The parts, from top to bottom.

    >>> next(view(Health("numpy", None, [], 0.0, []))).plain
    'bifilar 0.1.0'
    """
    yield words(f"bifilar {__version__}", "bold")
    yield _surroundings(health)
    yield heading("Packages")
    yield _packages()
    yield heading(f"Self-test ({health.seconds:.1f} s)")
    yield _checks(health)
    if health.findings:
        yield heading("Findings")
        yield finding_table(health.findings)
    yield _verdict(health)
    yield next_step("bifilar demo" if health.is_good else "bifilar doctor, when that is mended")


def _surroundings(health: Health) -> Table:
    here, data = machine(), datasets()
    facts = {
        "python": f"{here['python']}  {here['python_path']}",
        "system": f"{here['system']}, {here['processor']}",
        "cores": f"{here['cores_usable']} of {here['cores']}, bifilar uses {here['threads']} threads",
        "blas": "; ".join(f"{b['library']} {b['version']}, {b['threads']} threads" for b in blas()) or "unknown",
        "engine": {"numba": "numba, compiled", "numpy": "NumPy, not compiled"}.get(health.engine, "none"),
        "kernels": _kernels(health.cache),
        "datasets": (data["folder"] + ("" if data["found"] else "  (not found)"))
        if data["folder"]
        else "BIFILAR_DATA is not set",
    }
    return table([Column(""), Column("", "wrapped")], [[words(name, "dim"), words(text)] for name, text in facts.items()])


def _kernels(state: CacheState | None) -> str:
    if state is None:
        return "none are used"
    how = "all compiled" if state.is_warm else f"{state.compiled} of {state.kernels} compiled"
    older = f" and {state.older / 1e6:.1f} MB of other versions (--tidy deletes them)" if state.older > 1e5 else ""
    access = "" if state.writable else ", not writable"
    removed = f"; {state.removed / 1e6:.1f} MB of other versions deleted" if state.removed else ""
    return f"{how}, {state.size / 1e6:.1f} MB{older} in {state.folder}{access}{removed}"


def _packages() -> Table:
    rows = []
    for package in packages():
        good = words(symbol("✓", "ok"), COLOURS["ok"])
        bad = words(symbol("✗", "x"), COLOURS["error"]) if package.needed else words("-", "dim")
        use = "" if package.needed else f"optional: {package.purpose}"
        mark = good if package.present else bad
        rows.append([mark, words(package.name), words(package.version or "absent"), words(use, "dim")])
    return table([Column(""), Column(""), Column(""), Column("", drop=1)], rows)


def _checks(health: Health) -> Table:
    rows = []
    for check in health.checks:
        sign = words(symbol("✓", "ok"), COLOURS["ok"]) if check.passed else words(symbol("✗", "x"), COLOURS["error"])
        rows.append([sign, words(check.name), words(f"relative difference {check.error:.0e}", "dim")])
    return table([Column(""), Column("", "wrapped"), Column("", drop=1)], rows)


def _verdict(health: Health) -> Text:
    from rich.text import Text

    if not health.is_good:
        return Text("\nSomething is wrong; see above.", COLOURS["error"])
    good = Text("\nAll is well.", COLOURS["ok"])
    if health.cache is not None and health.cache.writable and not health.cache.is_warm:
        good.append(" Other kernels are compiled when first called; 'bifilar doctor --warm' does it now.", "dim")
    return good

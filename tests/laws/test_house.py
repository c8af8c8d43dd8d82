"""Rules of the house that no single module can keep alone.

Imports point one way; importing the library is light; names are documented, those of the public interface by an example that
shows something (pytest runs the examples, here we see that they exist); the README's code runs and prints what it says; nothing
that only exists on one machine is in the repository.
"""

from __future__ import annotations

import ast
import contextlib
import io
import os
import re
import subprocess
import sys
from collections.abc import Collection, Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src"
MODULES = sorted((SOURCE / "bifilar").rglob("*.py"))

# From left to right as the data flow: a module may import from its own room and from those to its left.
ROOMS = (
    *(
        "messages",
        "errors",
        "formats",
        "readers",
        "dynamics",
        "robot",
        "filters",
        "experiment",
        "recording",
        "simulate",
        "estimate",
    ),
    *("calibrate", "online", "control", "walking", "validate", "export", "report", "view", "papers", "cli"),
)
HEAVY = (
    *("numba", "llvmlite", "scipy", "mujoco", "rich", "tyro", "threadpoolctl", "pyarrow", "viser", "pinocchio"),
    "sympy",
)


def dotted(path: Path) -> str:
    """Module name of a source file: src/bifilar/robot/__init__.py is bifilar.robot."""
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported(path: Path, tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and full name of everything a module imports, inside functions too."""
    package = dotted(path).split(".")
    package = package if path.name == "__init__.py" else package[:-1]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*start, *([node.module] if node.module else [])])
            yield from ((node.lineno, f"{base}.{alias.name}") for alias in node.names)


def room(name: str) -> str:
    """Which room of the house a dotted name belongs to; '' for the front door, bifilar itself."""
    parts = name.split(".")
    return parts[1] if len(parts) > 1 and parts[1] in ROOMS else ""


def wrong_imports(path: Path, source: str) -> list[str]:
    """Imports of one module that point to the right, or back through the front door."""
    here = room(dotted(path))
    wrong = []
    for line, name in imported(path, ast.parse(source)):
        if name.split(".")[0] != "bifilar" or not here:
            continue
        there = room(name)
        if not there and here != "cli" and name != "bifilar.__version__":  # the front door shows everything but cli
            wrong.append(f"{dotted(path)}:{line} imports {name}: name the module that defines it")
        elif there and ROOMS.index(there) > ROOMS.index(here):
            wrong.append(f"{dotted(path)}:{line} imports {name}: {there} is to the right of {here}")
    return wrong


def test_imports_point_one_way():
    wrong = [complaint for path in MODULES for complaint in wrong_imports(path, path.read_text("utf-8"))]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    "line",
    [
        "from bifilar.robot import Robot",
        "from ..robot.inertia import Inertia",
        "def f():\n    import bifilar.cli",
        "import bifilar",
        "from bifilar import Robot",
    ],
)
def test_a_wrong_import_is_seen(line):
    assert wrong_imports(SOURCE / "bifilar" / "dynamics" / "example.py", line)


def test_every_module_lives_in_a_room():
    strangers = {path for path in MODULES if not room(dotted(path)) and dotted(path) not in ("bifilar", "bifilar.__main__")}
    assert not strangers, f"not in the order of imports: {sorted(dotted(path) for path in strangers)}"


def python(code: str) -> str:
    """What a fresh interpreter prints."""
    environment = os.environ | {"PYTHONPATH": str(SOURCE)}
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, timeout=120)
    assert run.returncode == 0, run.stderr
    return run.stdout


@pytest.mark.parametrize("module", ["bifilar", "bifilar.cli"])
def test_importing_is_light(module):
    heavy = python(f"import sys, {module}; print(*(m for m in {HEAVY!r} if m in sys.modules))")
    assert heavy.split() == [], f"import {module} loads {heavy}"


def test_all_public_names_of_the_front_door_exist():
    missing = python("import bifilar; print(*(n for n in getattr(bifilar, '__all__', ()) if not hasattr(bifilar, n)))")
    assert missing.split() == []


Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def public(body: list[ast.stmt], prefix: str = "") -> Iterator[tuple[str, Definition]]:
    """Public functions, classes, methods and properties, by the name a user would type."""
    for node in body:
        if not isinstance(node, Definition) or node.name.startswith("_"):
            continue
        tags = {ast.unparse(decorator).split(".")[-1] for decorator in node.decorator_list}
        if tags & {"overload", "setter", "deleter"}:
            continue
        yield prefix + node.name, node
        if isinstance(node, ast.ClassDef):
            yield from public(node.body, f"{prefix}{node.name}.")


HOLLOW = re.compile(r">>> ([\w.]+\.__(name|doc|qualname)__.*|callable\(.*\))$", re.M)


def undocumented(source: str, shown: Collection[str] = ()) -> list[str]:
    """Public names without a docstring, those of the public interface without an example, and examples that show nothing."""
    complaints = []
    for name, node in public(ast.parse(source).body):
        text, asked = ast.get_docstring(node) or "", name in shown
        wrong = ["no docstring"] * (not text) + ["no example"] * (asked and ">>>" not in text)
        wrong += ["an example that is skipped"] * bool(re.search(r"doctest:\s*\+SKIP", text))
        wrong += ["an example that shows nothing"] * bool(HOLLOW.search(text))
        complaints += [f"{name} (line {node.lineno}) has {what}" for what in wrong]
    return complaints


@cache
def front_door() -> dict[str, set[str]]:
    """Names that `import bifilar` offers, by the module that defines them."""
    printed = python(
        "import bifilar\nfor name in bifilar.__all__:\n    it = getattr(bifilar, name)\n"
        "    print(getattr(it, '__module__', ''), getattr(it, '__name__', name))"
    )
    found: dict[str, set[str]] = {}
    for line in printed.splitlines():
        module, _, name = line.partition(" ")
        found.setdefault(module, set()).add(name)
    return found


def test_public_names_are_documented():
    complaints = []
    for path in MODULES:
        source = path.read_text("utf-8")
        tree = ast.parse(source)
        if path.name != "__init__.py" and tree.body and not ast.get_docstring(tree):
            complaints.append(f"{dotted(path)} does not say what it is for")
        if "kernels" not in path.parts:  # compiled code is described where it is called from
            complaints += [f"{dotted(path)}: {what}" for what in undocumented(source, front_door().get(dotted(path), ()))]
    assert not complaints, "\n".join(complaints)


def test_the_public_interface_is_found():
    assert len([name for names in front_door().values() for name in names]) > 50
    assert "Robot" in front_door()["bifilar.robot.robot"]


def test_a_missing_example_is_seen():
    source = 'class A:\n    """A."""\n    @property\n    def b(self):\n        return 1\ndef _c(): pass\n'
    assert [complaint.split(" ")[0] for complaint in undocumented(source, ["A"])] == ["A", "A.b"]
    assert [complaint.split(" ")[0] for complaint in undocumented(source)] == ["A.b"]
    assert undocumented('def a():\n    """>>> a.__name__\n    \'a\'"""')


def tracked() -> list[Path]:
    """Files of the repository; without git (an unpacked archive) there is nothing to ask."""
    run = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    if run.returncode:
        pytest.skip("not a git checkout")
    return [ROOT / name for name in run.stdout.split("\0") if name and (ROOT / name).is_file()]


# Written in pieces, so that this file does not find itself.
FOLDERS = "|".join(("work", "tmp", "root", r"home/\w+", r"Users/\w+", "opt"))
FORBIDDEN = {
    "a path of one machine": re.compile(rf"(?<![\w.~}}:/-])/(?:{FOLDERS})(?:/[\w.]|\b(?=[\"'\s]))"),
    "an address of a package registry": re.compile(
        "|".join(("py" + r"pi\.\w", "python" + "hosted", "npm" + r"js\.", "/sim" + "ple/"))
    ),
    "a choice of package registry": re.compile("|".join(("index" + "-url", "find" + "-links", "trusted" + "-host"))),
}


def test_nothing_of_one_machine_is_tracked():
    found = []
    for path in tracked():
        if path == Path(__file__).resolve() or path.name == "LICENSE":
            continue
        try:
            lines = path.read_text("utf-8").splitlines()
        except UnicodeDecodeError:  # a picture
            continue
        for number, line in enumerate(lines, 1):
            found += [
                f"{path.relative_to(ROOT)}:{number} {what}: {line.strip()}" for what, it in FORBIDDEN.items() if it.search(line)
            ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "line", ["open('/home/joe/arm.urdf')", "cd /tmp/x", "root = '/work'", "https://py" + "pi.org", "--index" + "-url x"]
)
def test_a_machine_is_seen(line):
    assert any(pattern.search(line) for pattern in FORBIDDEN.values())


@pytest.mark.parametrize(
    "line", ["../shared/datasets", "tmp_path / 'work'", "src/tmp/x", "a/opt", "http://www.w3.org/2000/svg"]
)
def test_no_machine_is_seen(line):
    assert not any(pattern.search(line) for pattern in FORBIDDEN.values())


def test_the_constraints_are_plain_pins():
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    assert [line for line in lines if not re.fullmatch(r"[a-z0-9-]+==[0-9][0-9a-z.]*", line)] == []
    assert lines == sorted(lines)


def blocks(name: str) -> str:
    """All Python of a page, in order, as one program."""
    return "\n".join(re.findall(r"^```python\n(.*?)^```", (ROOT / name).read_text("utf-8"), re.M | re.S))


def test_the_readme_runs_and_prints_what_it_says(tmp_path, monkeypatch):
    """A line `print(...)  # text` must print that text; '...' in it stands for anything."""
    program = blocks("README.md")
    monkeypatch.chdir(tmp_path)
    said = re.findall(r"^print\(.*\)  # (.*)$", program, re.M)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(program, "README.md", "exec"), {"__name__": "readme"})
    assert len(said) == len(printed.getvalue().splitlines()), "every print in the README says on its line what it prints"
    for expected, got in zip(said, printed.getvalue().splitlines(), strict=True):
        assert re.fullmatch(re.escape(expected).replace(r"\.\.\.", ".*"), got), f"the README says {expected!r}, it is {got!r}"

"""Every command line of README and docs is run as it stands, in a folder that has the files it names.

What is not run word for word is in one of the tables below, with what is done in its place. Nothing else is left out; an
entry that fits no command fails.
"""

from __future__ import annotations

import re
import shlex
import shutil
import tomllib
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

import doc_folder
import pytest

from bifilar.cli import VERBS, main
from bifilar.report.page import Page

ROOT = Path(__file__).resolve().parents[2]
PAGES = [*sorted((ROOT / "docs").glob("*.md")), ROOT / "README.md"]
STANDS_FOR = {"RUN": "runs/arm-001", "RUN1": "runs/arm-001", "RUN2": "runs/arm-002", "LOG": "run.csv", "ROBOT": "arm.urdf"}
SMALLER = {  # how a command begins: what is added, so that it takes seconds
    "benchmark-methods": ("--methods", "weighted", "--starts", "1", "--repeats", "1", "--duration", "3"),
    "design panda": ("--starts", "1", "--duration", "5"),
    "control kuka_lwr4": ("--period", "0.004"),
    "design arm.urdf --duration 20": ("--starts", "1", "--duration", "4"),
    "design arm.urdf --limits": ("--starts", "1", "--duration", "4"),
    "design arm.urdf --kind sweep": ("--rate", "20"),
}
STOPPED = (
    "reproduce",
)  # after the first part, as by Ctrl-C; all parts at reduced size: test_joukov2015.py, test_sensors_cli.py
SERVED = ("view",)  # the page is fetched once, then the server is stopped as by Ctrl-C; test_view.py looks at it in a browser
ELSEWHERE = {  # the same words are in
    "demo": ("test_demo.py", 'bifilar("demo"'),
    "gravity ur10e_mamedov:robot": ("test_sensors_cli.py", '"gravity", "ur10e_mamedov:robot"'),
    "calibrate ur10e.urdf": ("test_sensors_cli.py", '"ur10e_mamedov:ur-20_02_19_14harm50secLoad"'),
    "tare ft_static": ("test_sensors_cli.py", '"tare", "ft_static", "--axes", "base"'),
}
DATA = {  # run by a test of its own, which says so where the recording is not here
    "check panda_gaz": "panda_gaz",
    "fit panda_gaz:robot": "panda_gaz",
}
CODES = {  # other exit codes than 0, and why
    "check run.txt --robot arm.urdf --write-mapping": 3,  # written; nobody knows the columns before it is corrected
    "reproduce": 130,  # stopped
}


def edited(file: str, *changes: tuple[str, str]):
    """What the page asks a person to do in an editor."""

    def edit(folder: Path) -> None:
        text = (folder / file).read_text("utf-8")
        for pattern, new in changes:
            text, count = re.subn(pattern, new, text, flags=re.M)
            assert count, f"{file} has no {pattern}"
        (folder / file).write_text(text, "utf-8")

    return edit


def another_run(folder: Path) -> None:
    assert main(["fit", "arm.urdf", "run.csv", "third.csv", "--test", "other.csv"]) == 0


BEFORE = {  # what must have happened before a command: a log of the kind it is for, a file that was filled in
    "check run.csv --robot arm.urdf --unit": doc_folder.in_degrees,
    "check run.csv --robot arm.urdf --lock": doc_folder.without_fingers,
    "check run.txt --robot arm.urdf --mapping": edited("run.toml", (r"^# (\[channels|columns|unit)", r"\1")),
    "design arm.urdf --limits limits.toml --duration 10 -o": edited(
        "limits.toml", ("^# acceleration =", "acceleration = 20.0"), ("^# jerk =", "jerk = 500.0")
    ),
    "compare runs/arm-001 runs/arm-002": another_run,
}
FRAME = (r"<meta http-equiv=.*?>", r"<style>.*?</style>", r"<script>.*?</script>")  # of a page: policy, style, script
AT_LEAST = {"README": 7, "own_robot": 5, "online": 2, "look_at_it": 4}  # pages that the commands write
EMPTY = {"own_robot"}  # begins with a description alone
OWN_RUNS = {"README", "own_robot"}  # make their runs themselves


def spoken(page: Path) -> list[str]:
    """Every `bifilar ...` of a page: lines of blocks, what their comments name, and code in sentences and tables."""
    text = page.read_text("utf-8")
    blocks = re.findall(r"^```(\w*)\n(.*?)^```", text, re.M | re.S)
    lines = [line for kind, block in blocks if kind != "python" for line in block.replace("\\\n", " ").splitlines()]
    found = [said.strip() for line in lines for said in re.findall(r"(?:^|# |; |next +)bifilar ([^#;]*)", line)]
    prose = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    return found + [" ".join(said.split()) for said in re.findall(r"`bifilar\s([^`\n]*(?:\n[^`\n]+)?)`", prose)]


def is_name(said: str) -> bool:
    """`bifilar fit` in a sentence names a command that cannot be typed so; `bifilar ...` names them all."""
    from bifilar.cli.guard import UsageError
    from bifilar.cli.settings import parse

    if said == "..." or said not in VERBS:
        return said == "..."
    try:
        return parse(import_module(f"bifilar.cli.{said.replace('-', '_')}"), said, []) is None
    except UsageError:
        return True


def of(table, said: str):
    """The entry of a table whose beginning of a command this one has."""
    return next((key for key in table if (said + " ").startswith(key + " ") or said.startswith(key)), None)


@contextmanager
def stopping(total):
    """Steps of a long command; at the second one somebody presses Ctrl-C."""
    told = []

    def tell(word: str) -> None:
        told.append(word)
        if len(told) > 1:
            raise KeyboardInterrupt

    yield tell


def fetched(viewer) -> None:
    from urllib.request import urlopen

    assert b"<html" in urlopen(viewer.address, timeout=60).read()[:2000].lower()
    raise KeyboardInterrupt


@pytest.fixture(scope="session")
def arm(tmp_path_factory):
    return doc_folder.prepared(tmp_path_factory.mktemp("arm"))


@pytest.fixture(scope="session")
def arm_with_runs(arm, tmp_path_factory):
    folder = shutil.copytree(arm, tmp_path_factory.mktemp("fitted") / "arm")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        doc_folder.fitted(folder)
    return folder


@pytest.fixture
def place(request, tmp_path, monkeypatch):
    """`place(page)`: a folder with what the page takes for granted, in which we are from now on."""

    def prepare(page: Path) -> Path:
        folder = tmp_path / page.stem
        if page.stem in EMPTY:
            folder.mkdir()
            (folder / "arm.urdf").write_text(doc_folder.URDF)
        else:
            shutil.copytree(request.getfixturevalue("arm" if page.stem in OWN_RUNS else "arm_with_runs"), folder)
        if page.stem == "online":
            doc_folder.panda(folder)
        if page.stem == "README":
            shutil.copytree(request.getfixturevalue("arm_with_runs") / "demo", folder / "demo")
        for block in re.findall(r"^```toml\n(# bifilar .*?)^```", page.read_text("utf-8"), re.M | re.S):
            (folder / re.search(r"--settings (\S+)", block)[1]).write_text(block, "utf-8")
        monkeypatch.chdir(folder)
        monkeypatch.setattr("bifilar.cli.reproduce.steps", stopping)
        monkeypatch.setattr("webbrowser.open", lambda address: True)
        monkeypatch.setattr("bifilar.view.viewer.Viewer.wait", fetched)
        return folder

    return prepare


@pytest.mark.parametrize("page", [page for page in PAGES if spoken(page)], ids=lambda page: page.stem)
def test_every_command_of_a_page_runs(page, place, capsys):
    folder, done = place(page), set()
    for said in spoken(page):
        if said in done or is_name(said) or of(ELSEWHERE, said) or of(DATA, said):
            continue
        done.add(said)
        words = [STANDS_FOR.get(word, word) for word in shlex.split(said)]
        words += SMALLER.get(of(SMALLER, said), ())
        kept = (folder / "run.csv").read_bytes() if (folder / "run.csv").exists() else None
        if of(BEFORE, said):
            BEFORE[of(BEFORE, said)](folder)
        code = main(words)
        out, err = capsys.readouterr()
        assert code == CODES.get(of(CODES, said), 0), f"bifilar {said}\n{out}{err}"
        if kept is not None:
            (folder / "run.csv").write_bytes(kept)

    pages = sorted(folder.rglob("*.html"))
    for made in pages:  # one frame, one style, one script for all
        text = made.read_text("utf-8")
        frame = Page("").html()
        assert all(re.search(part, text, re.S)[0] == re.search(part, frame, re.S)[0] for part in FRAME), made.name
        assert "://" not in re.sub(FRAME[-1], "", text, flags=re.S).replace("http://www.w3.org/2000/svg", ""), made.name
    assert len(pages) >= AT_LEAST.get(page.stem, 0), pages


ABOUT_DATA = sorted({(said, DATA[of(DATA, said)]) for page in PAGES for said in spoken(page) if of(DATA, said)})


@pytest.mark.parametrize(("said", "name"), ABOUT_DATA, ids=lambda word: str(word))
def test_commands_about_public_recordings_run(said, name, dataset, tmp_path, monkeypatch, capsys):
    dataset(name)
    monkeypatch.chdir(tmp_path)
    assert main(shlex.split(said)) == 0, capsys.readouterr()


def test_every_command_is_told_of():
    told = {said.split()[0] for page in PAGES for said in spoken(page)}
    assert not set(VERBS) - told, "README's list of commands lacks some"


def test_the_architecture_names_every_folder_and_dependency():
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    folders = [path.name for path in (ROOT / "src" / "bifilar").iterdir() if (path / "__init__.py").is_file()]
    assert not [name for name in folders if f"| `src/bifilar/{name}/` |" not in text]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    needed = [*project["dependencies"], *(one for some in project["optional-dependencies"].values() for one in some)]
    names = {re.match(r"[A-Za-z0-9-]+", one)[0] for one in needed} - {"bifilar"}
    table = "\n".join(re.findall(r"^\| ([^|]*) \|", text, re.M))
    assert not [name for name in names if not re.search(rf"\b{name}\b", table)]


def test_no_entry_of_the_tables_is_left_over():
    every = [said for page in PAGES for said in spoken(page)]
    for table in (SMALLER, STOPPED, SERVED, ELSEWHERE, DATA, CODES, BEFORE):
        unused = [key for key in table if not any(said.startswith(key) for said in every)]
        assert not unused, unused
    for file, words in ELSEWHERE.values():
        assert words in (Path(__file__).parent / file).read_text("utf-8"), f"{file} does not run {words}"

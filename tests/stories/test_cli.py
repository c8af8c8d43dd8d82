"""A stranger at the command line: what they type, what they read, and the code the shell gets."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import bifilar as bf
from bifilar.cli import VERBS, main
from bifilar.cli.inspect import Settings, load

ROOT = Path(__file__).resolve().parents[2]
BUILT_IN = ["kuka_lwr4", "panda", "pendulum", "puma560", "two_link", "ur10e", "walker3", "walker5", "wam", "wam_libbarrett"]


@pytest.fixture
def bifilar(capsys, monkeypatch):
    """`bifilar("inspect", "panda")` is (exit code, stdout, stderr), as in a terminal of 100 columns."""
    monkeypatch.setenv("COLUMNS", "100")

    def run(*words: str, columns: int = 100) -> tuple[int, str, str]:
        monkeypatch.setenv("COLUMNS", str(columns))
        code = main(words)
        out, err = capsys.readouterr()
        return code, out, err

    return run


def process(*words: str, **settings: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")} | settings
    command = [sys.executable, "-m", "bifilar", *words]
    return subprocess.run(command, capture_output=True, encoding="utf-8", env=environment, timeout=300)


def test_help_names_every_verb_and_loads_nothing_heavy(bifilar):
    code, out, err = bifilar("--help")
    assert code == 0 and err == ""
    assert all(verb in out for verb in VERBS)
    assert max(map(len, out.splitlines())) <= 100
    script = "import sys; from bifilar.cli import main; main(['--help']); print(*sys.modules, file=sys.stderr)"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT / "src")
    assert not {"numpy", "rich", "tyro", "numba"} & set(run.stderr.split())


@pytest.mark.parametrize("verb", VERBS)
def test_help_of_a_verb_opens_with_an_example(bifilar, verb):
    code, out, err = bifilar(verb, "--help")
    assert code == 0 and err == ""
    assert out.lstrip().startswith(f"bifilar {verb}")
    assert "--json" in out


def test_version(bifilar):
    assert bifilar("--version") == (0, "bifilar 0.1.0\n", "")


def test_the_panda_has_43_base_parameters(bifilar):
    code, out, err = bifilar("inspect", "panda")
    assert code == 0 and err == ""
    assert "43 base parameters: 20 of 70 parameters alone, and 23 sums of 39 others. 11 have no effect." in out
    for piece in ("16.69 kg", "fixed base", "gravity 0 0 -9.81", "└ link1", "-2.897 … 2.897 rad", "flange_fixed"):
        assert piece in out


@pytest.mark.parametrize("robot", BUILT_IN)
def test_every_built_in_robot_fits_its_terminal(bifilar, robot):
    for columns in (60, 80, 120):
        code, out, err = bifilar("inspect", robot, columns=columns)
        assert code == 0 and err == ""
        lines = [line for line in out.splitlines() if not line.startswith("next  ")]  # to be copied: never broken
        assert max(map(len, lines)) <= columns
        assert "\x1b" not in out


def test_numbers_are_never_cut(bifilar, tmp_path):
    """Names give way, then whole columns; a number that lost its end would be another number."""
    text = '<robot name="arm"><link name="base"/>'
    for k in range(12):
        parent = "base" if k == 0 else f"a_link_with_a_rather_long_name_{k - 1}"
        text += f'<link name="a_link_with_a_rather_long_name_{k}"><inertial><mass value="1.234"/>'
        text += '<inertia ixx="0.0123" iyy="0.0123" izz="0.0123" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        text += f'<joint name="a_joint_with_a_long_name_{k}" type="revolute"><parent link="{parent}"/>'
        text += f'<child link="a_link_with_a_rather_long_name_{k}"/><axis xyz="0 1 0"/>'
        text += '<limit lower="-1.234" upper="2.345" velocity="3.21" effort="43.21"/></joint>'
    file = tmp_path / "arm.urdf"
    file.write_text(text + "</robot>")
    for columns in (50, 60, 80, 100, 120):
        out = bifilar("inspect", str(file), columns=columns)[1]
        assert not re.search(r"[\d.]…|\d\.$", out.partition("Findings")[0].replace(" … ", "").replace(str(tmp_path), ""))
        assert "1.234" in out


def test_json_of_inspect_keeps_its_names(bifilar):
    code, out, err = bifilar("inspect", "panda", "--json")
    said = json.loads(out)
    assert code == 0 and err == ""
    assert set(said) == {"bifilar", "robot", "links", "joints", "findings", "identifiable"}
    assert set(said["robot"]) == {
        *("name", "source", "citation", "floating", "gravity", "mass", "moving_joints", "moving_links"),
    }
    ten = {"mass", "mcx", "mcy", "mcz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz"}
    assert all(set(link) == {"name", "moves_with", "stated", "consistent", "center_of_mass"} | ten for link in said["links"])
    joint = {"name", "kind", "parent", "child", "axis", "limits", "mimic", "damping", "friction", "armature"}
    assert all(set(one) == joint for one in said["joints"])
    assert set(said["joints"][0]["limits"]) == {"lower", "upper", "velocity", "acceleration", "jerk", "effort"}
    found = said["identifiable"]
    assert set(found) == {
        *(
            "rows",
            "status",
            "parameters",
            "base_parameters",
            "candidates",
            "alone",
            "in_sums",
            "no_effect",
            "equations",
            "method",
        ),
    }
    assert (found["base_parameters"], found["parameters"], found["status"]) == (43, 70, "clear")
    assert len(found["alone"]) + len(found["in_sums"]) + len(found["no_effect"]) == 70
    assert len(found["equations"]) == 43 and set(found["alone"]) <= set(found["equations"])


def test_full_shows_every_equation(bifilar):
    out = bifilar("inspect", "two_link", "--full")[1]
    assert "link1.mcx + 0.26*link2.mass" in out and "The 6 base parameters" in out


def test_settings_change_the_question(bifilar):
    def count(*words: str) -> int:
        return json.loads(bifilar("inspect", *words, "--json")[1])["identifiable"]["base_parameters"]

    assert count("wam", "--rows", "base") == 50  # the wrench sees the fixed base's mass and its place too
    assert count("kuka_lwr4", "--gravity", "0", "0", "0") < count("kuka_lwr4") == 43
    assert count("panda", "--lock", "joint1") < 43
    assert count("pendulum", "--floating") > 10


def test_next_gives_the_same_robot_in_python(bifilar):
    words = ("panda", "--floating", "--lock", "joint4", "joint7", "--gravity", "0", "0", "-1.62")
    found: dict[str, bf.Robot] = {}
    exec(bifilar("inspect", *words, columns=60)[1].partition("in Python:\n")[2].partition("next ")[0], found)
    asked = load(Settings(robot="panda", floating=True, lock=("joint4", "joint7"), gravity=(0.0, 0.0, -1.62)))
    robot = found["robot"]
    assert robot.is_floating and robot.joint_names == asked.joint_names
    assert (robot.gravity == asked.gravity).all() and (robot.body_parameters == asked.body_parameters).all()


def test_columns_without_room_are_named(bifilar):
    narrow, wide = (bifilar("inspect", "panda", columns=columns)[1] for columns in (60, 160))
    note = re.search(r"\(left out for lack of width: (.*?); COLUMNS=(\d+) shows them\)", " ".join(narrow.split()))
    assert note and "effort" in note[1] and "effort" in wide and "left out" not in wide
    assert "left out" not in bifilar("inspect", "panda", columns=int(note[2]))[1].partition("Links")[0]


def test_a_pipe_is_wide():
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"} | {"PYTHONPATH": str(ROOT / "src")}
    command = [sys.executable, "-m", "bifilar", "inspect", "panda"]
    run = subprocess.run(command, capture_output=True, encoding="utf-8", env=environment, timeout=300)
    assert "effort" in run.stdout and "left out" not in run.stdout


def test_one_of_a_kind_is_no_plural(bifilar):
    out = bifilar("inspect", "pendulum", "--gravity", "0", "0", "0", "--full")[1]
    assert "1 joint: 1 moves" in out and "1 base parameter: " in out and "The 1 base parameter\n" in out
    assert "1 sum of 2 others" in bifilar("inspect", "two_link", "--gravity", "0", "0", "0")[1]


def test_a_body_names_the_fixed_links_it_carries(bifilar):
    out = bifilar("inspect", "two_link", "--lock", "joint2")[1]
    assert "link1 + link2" in out.partition("can tell")[2]
    out = bifilar("inspect", "panda", "--lock", *(f"joint{k}" for k in range(2, 8)))[1]
    assert "link1 + 6 fixed" in out.partition("can tell")[2]


def test_an_impossible_link_is_a_finding_and_code_1(bifilar, tmp_path):
    file = tmp_path / "arm.urdf"
    inertia = '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
    file.write_text(f'<robot name="a"><link name="rod"><inertial><mass value="-1"/>{inertia}</inertial></link></robot>')
    code, out, err = bifilar("inspect", str(file))
    assert code == 1 and err == ""
    assert "the mass is negative: -1 kg" in out and "state a positive mass" in out and "✗ error" in out


def test_a_violated_triangle_inequality_is_a_warning_and_code_0(bifilar):
    code, out, _ = bifilar("inspect", "puma560")
    assert code == 0 and "violate the triangle inequality" in " ".join(out.split())


def test_names_are_shown_as_they_are(bifilar, tmp_path):
    """Markup, emoji codes and control characters in a name reach the screen as text."""
    file = tmp_path / "evil.urdf"
    names = ("[red]base[/red]", ":smile: &#x9b;31m&#x202e;hand", "[/bold]&#x9;j")
    file.write_text(
        f'<robot name="[blink]arm"><link name="{names[0]}"/><link name="{names[1]}"/>'
        f'<joint name="{names[2]}" type="continuous"><parent link="{names[0]}"/><child link="{names[1]}"/></joint></robot>'
    )
    out = bifilar("inspect", str(file))[1]
    for shown in ("[blink]arm", "[red]base[/red]", r":smile: \x9b31m\u202ehand", r"[/bold]\tj"):
        assert shown in out
    assert all(character.isprintable() or character == "\n" for character in out)
    assert json.loads(bifilar("inspect", str(file), "--json")[1])["links"][1]["name"] == ":smile: \x9b31m\u202ehand"


def test_colours_only_where_asked_for():
    assert "\x1b[" in process("inspect", "pendulum", FORCE_COLOR="1", TTY_COMPATIBLE="1").stdout
    assert "\x1b[" not in process("inspect", "pendulum").stdout


def test_a_terminal_without_unicode_gets_ascii():
    run = process("inspect", "puma560", PYTHONIOENCODING="ascii")
    assert run.returncode == 0 and run.stdout.isascii() and "\\x" not in run.stdout and "\\u" not in run.stdout


def test_doctor_says_what_is_there_and_that_it_works(bifilar):
    code, out, err = bifilar("doctor")
    assert code == 0
    for piece in ("python", "cores", "blas", "engine", "kernels", "datasets", "numpy", "mujoco", "Self-test", "All is well."):
        assert piece in out
    assert max(map(len, out.splitlines())) <= 100 or "/" in out  # only a path may be longer


def test_json_of_doctor_keeps_its_names(bifilar):
    said = json.loads(bifilar("doctor", "--json")[1])
    names = (
        "bifilar",
        "good",
        "machine",
        "packages",
        "blas",
        "engine",
        "kernels",
        "datasets",
        "self_test",
        "self_test_seconds",
    )
    assert set(said) == {*names, "findings"}
    assert said["good"] and all(check["passed"] for check in said["self_test"])
    assert {package["name"] for package in said["packages"]} >= {"numpy", "numba", "mujoco", "rich", "tyro", "pin"}


def test_tidying_deletes_kernels_of_other_versions_and_nothing_else(tmp_path):
    home, outside = tmp_path / "kernels", tmp_path / "outside"
    old, kept = home / ("0123456789abcdef" + "-32"), [home / "notes", home / "0123456789abcdef", home / "0123456789ABCDEF-8"]
    for folder in (old / "part", outside, *kept):
        folder.mkdir(parents=True)
        (folder / "file.nbi").write_bytes(b"x" * 1000)
    (home / "0123456789abcdee-1").write_bytes(b"a file, not a folder")
    (home / "0123456789abcdef-1").symlink_to(outside)
    script = "from bifilar.cli.kernel_cache import all_kernels, tidy; ours = next(all_kernels()).folder; "
    script += "ours.mkdir(exist_ok=True); print(tidy(), ours.is_dir())"
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src"), "BIFILAR_CACHE": str(tmp_path)}
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment, timeout=300)
    assert run.stdout.split() == ["1000", "True"], run.stderr
    assert not old.exists() and all((folder / "file.nbi").exists() for folder in (outside, *kept))
    assert (home / "0123456789abcdee-1").exists() and (home / "0123456789abcdef-1").is_symlink()


def test_doctor_without_the_compiled_engine():
    run = process("doctor", "--warm", "--json", BIFILAR_ENGINE="numpy")
    said = json.loads(run.stdout)
    assert run.returncode == 0 and said["engine"] == "numpy" and said["kernels"] is None


def test_the_picture_shows_what_the_demo_prints_now(bifilar):
    """Names and numbers of the committed picture; `make picture` draws it anew."""
    picture = (ROOT / "docs" / "pictures" / "inspect.svg").read_text("utf-8").replace("&#160;", " ").replace("&#x27;", "'")
    drawn = " ".join(re.sub(r"<[^>]*>", " ", picture).split())
    out = bifilar("inspect", "panda")[1]
    missing = [word for word in set(out.split()) if word.isalnum() and word not in drawn]
    assert not missing, f"make picture: {missing}"
    assert "docs/pictures/inspect.svg" in (ROOT / "README.md").read_text("utf-8")

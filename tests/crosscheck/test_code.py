"""Written code, compiled here: the same numbers as Python at states it was not written with, and nothing but numbers."""

from __future__ import annotations

import ast
import ctypes
import json
import re
import shutil
import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import zoo

import bifilar as bf
from bifilar.cli import main
from bifilar.errors import RobotError
from bifilar.export import c_code as c_module
from bifilar.export.c_check import compiler
from bifilar.export.c_code import c_code
from bifilar.export.c_files import FLAGS
from bifilar.export.code_golden import golden
from bifilar.export.numpy_code import numpy_code
from bifilar.robot.model import Model

CLOSE = 1e-12  # relative
DRIVES = (
    bf.Viscous()
    + bf.Coulomb(asymmetric=True)
    + bf.Stribeck(speed=0.3)
    + bf.PowerLaw(exponent=0.6)
    + bf.Offset()
    + bf.RotorInertia()
)
LOADED = DRIVES + bf.LoadDependent() + bf.PositionDependent()
MATHS = {"sin", "cos", "sincos", "sqrt", "exp", "fabs", "pow", "fmax"}
STRANGE = ('a"b', "joint*/", "??/\\", "ü\U0001f916", "%s%n", "#endif", "-1", "double")
needs_compiler = pytest.mark.skipif(compiler() is None, reason="there is no C compiler here")


def with_drives(robot: bf.Robot, friction: bf.Friction, seed: int = 4) -> bf.Robot:
    rng, drives = np.random.default_rng(seed), robot.with_friction(friction)
    return drives.with_parameters({name: rng.uniform(0.05, 0.8) for name in drives.drive_columns.names})


ARMS: dict[str, Callable[[], Model]] = {
    "panda": lambda: with_drives(bf.Robot.load("panda"), DRIVES),
    "scara": lambda: with_drives(bf.Robot.load(zoo.FOLDER / "scara.xml"), LOADED),
    "gripper": lambda: bf.Robot.load(zoo.FOLDER / "gripper.xml"),
    "two_link": lambda: with_drives(bf.Robot.load("two_link"), LOADED),
    "base parameters": lambda: least_squares(with_drives(bf.Robot.load("kuka_lwr4"), bf.Viscous() + bf.Coulomb())).model,
    "slides and hinges": lambda: bf.Robot.build(zoo.random_description("slides and hinges")),
    "tree with follower": lambda: bf.Robot.build(zoo.random_description("tree with follower")),
    "weightless": lambda: bf.Robot.build(zoo.random_description("weightless")),
}


@cache
def arm(name: str) -> Model:
    return ARMS[name]()


def least_squares(robot: bf.Robot, noise: float = 0.05) -> bf.BaseEstimate:
    rng = np.random.default_rng(2)
    q, v, a, e = rng.normal(size=(4, 400, len(robot.joint_names)))
    return bf.LeastSquares().fit(robot, (q, v, a, robot.inverse_dynamics(q, v, a) + noise * e), friction=robot.friction)


class Compiled:
    """A library, called through its plain arrays."""

    def __init__(self, model: Model, folder: Path, *flags: str, name: str = "arm") -> None:
        self.code, self.name = c_code(model, name), name
        for file, text in self.code.files.items():
            (folder / file).write_text(text, "utf-8")
        self.file = folder / f"lib{name}{''.join(flags)}.so"
        words = [compiler(), *FLAGS, "-Werror", *flags, "-shared", "-fPIC", f"{name}.c", "-o", str(self.file), "-lm"]
        subprocess.run(words, cwd=folder, check=True)
        self.library = ctypes.CDLL(str(self.file))

    def rows(self, name: str, inputs: dict[str, np.ndarray]) -> np.ndarray:
        """Results of one function at many states, (states, size)."""
        function = self.code.program.function(name)
        call, pointer = getattr(self.library, f"{self.name}_{name}"), ctypes.POINTER(ctypes.c_double)
        result = np.full((len(next(iter(inputs.values()))), function.output.size), np.nan)
        for k in range(len(result)):
            given = [np.ascontiguousarray(inputs[one.name][k], dtype=float) for one in function.inputs]
            arguments = [
                x.ctypes.data_as(pointer) if one.shape else ctypes.c_double(float(x[0]))
                for x, one in zip(given, function.inputs, strict=True)
            ]
            call(*arguments, result[k].ctypes.data_as(pointer))
        return result


@needs_compiler
@pytest.mark.parametrize("name", ARMS)
def test_compiled_c_and_numpy_give_what_python_gives(name, tmp_path):
    model = arm(name)
    made, space = Compiled(model, tmp_path, "-O0"), {}
    exec(numpy_code(model, "arm"), space)
    known = golden(model, made.code.program, states=40, seed=77)
    assert set(known) >= {"inverse_dynamics", "gravity", "mass_matrix", "coriolis_matrix", "friction", "regressor"}
    for function in made.code.program.functions:
        values = known[function.name]
        assert values.off(made.rows(function.name, values.inputs)) <= CLOSE, function.name
        inputs = [values.inputs[one.name] if one.shape else values.inputs[one.name][0, 0] for one in function.inputs]
        assert values.off(space[function.name](*inputs).reshape(values.wanted.shape)) <= CLOSE, function.name


@needs_compiler
def test_every_optimisation_gives_the_same_bits_and_nothing_is_remembered(tmp_path):
    model = arm("scara")
    made = [Compiled(model, tmp_path, *flags) for flags in (("-O0",), ("-O3",), ("-O2", "-march=native"))]
    for name, values in golden(model, made[0].code.program, states=30, seed=5).items():
        forwards = made[0].rows(name, values.inputs)
        backwards = made[0].rows(name, {key: x[::-1] for key, x in values.inputs.items()})[::-1]
        assert forwards.tobytes() == backwards.tobytes(), name
        assert all(one.rows(name, values.inputs).tobytes() == forwards.tobytes() for one in made[1:]), name


@needs_compiler
@pytest.mark.skipif(shutil.which("nm") is None, reason="nm lists a library's symbols")
def test_the_library_asks_for_mathematics_alone_and_has_no_state(tmp_path):
    Compiled(arm("two_link"), tmp_path)
    subprocess.run([compiler(), *FLAGS, "-O1", "-fno-pie", "-c", "arm.c"], cwd=tmp_path, check=True)
    said = subprocess.run(["nm", "arm.o"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    kinds = [line.split()[-2:] for line in said.splitlines()]
    assert {name for kind, name in kinds if kind == "U"} <= MATHS
    assert not [name for kind, name in kinds if kind in "BbDdCGgSs"]  # variables; constants are r


@needs_compiler
def test_a_result_may_be_written_over_an_input(tmp_path):
    model = arm("two_link")
    made = Compiled(model, tmp_path)
    values = golden(model, made.code.program, seed=3)["inverse_dynamics"]
    wanted = made.rows("inverse_dynamics", values.inputs)
    pointer = ctypes.POINTER(ctypes.c_double)
    for over in "qva":
        given = {key: np.array(x[0]) for key, x in values.inputs.items()}
        places = {key: x.ctypes.data_as(pointer) for key, x in given.items()}
        made.library.arm_inverse_dynamics(places["q"], places["v"], places["a"], places[over])
        assert given[over].tobytes() == wanted[0].tobytes()


@needs_compiler
def test_a_library_of_c_plus_plus_includes_it(tmp_path):
    Compiled(arm("two_link"), tmp_path)
    other = shutil.which("c++") or shutil.which("g++")
    if other is None:
        pytest.skip("there is no C++ compiler here")
    (tmp_path / "user.cpp").write_text('#include "arm.h"\nint main() { return arm_joint_name(0) == 0; }\n')
    words = [other, "-Wall", "-Wextra", "-Werror", "user.cpp", "libarm.so", "-Wl,-rpath,.", "-o", "user"]
    subprocess.run(words, cwd=tmp_path, check=True)
    assert subprocess.run(["./user"], cwd=tmp_path).returncode == 0


@needs_compiler
def test_names_of_joints_are_text_and_never_code(tmp_path):
    robot = bf.Robot.build(zoo.random_description("tree with follower"))
    names = dict(zip(robot.joint_names, STRANGE, strict=False))
    text = Path(robot.save(tmp_path / "plain.urdf") or tmp_path / "plain.urdf").read_text()
    from xml.sax.saxutils import quoteattr

    for plain, strange in names.items():
        text = re.sub(rf'"{re.escape(plain)}"', lambda _, s=strange: quoteattr(s), text)
    (tmp_path / "strange.urdf").write_text(text)
    robot = bf.Robot.load(tmp_path / "strange.urdf")
    assert set(names.values()) <= set(robot.joint_names)
    made = Compiled(robot, tmp_path, name="c_names")
    made.library.c_names_joint_name.restype = made.library.c_names_column_name.restype = ctypes.c_char_p
    joints = [made.library.c_names_joint_name(k).decode() for k in range(len(robot.joint_names))]
    assert tuple(joints) == robot.joint_names
    assert made.library.c_names_joint_name(len(joints)) is None and made.library.c_names_joint_name(-1) is None
    columns = robot.column_names()
    assert tuple(made.library.c_names_column_name(k).decode() for k in range(len(columns))) == columns
    space: dict = {}
    exec(numpy_code(robot, "strange"), space)
    assert space["JOINTS"] == robot.joint_names


@needs_compiler
@pytest.mark.skipif(shutil.which("cmake") is None, reason="there is no cmake here")
def test_cmake_builds_it_and_its_test_passes_and_finds_a_wrong_sign(tmp_path):
    assert main(["export", "two_link", "--to", "c", "-o", str(tmp_path / "two_c")]) == 0
    build = [["cmake", "-S", "two_c", "-B", "build"], ["cmake", "--build", "build"], ["ctest", "--test-dir", "build"]]
    for words in build:
        subprocess.run(words, cwd=tmp_path, check=True, capture_output=True)
    source = tmp_path / "two_c" / "two.c"
    source.write_text(source.read_text().replace("torque[0] = ", "torque[0] = -", 1))
    subprocess.run(build[1], cwd=tmp_path, check=True, capture_output=True)
    assert subprocess.run(build[2], cwd=tmp_path, capture_output=True).returncode != 0


def test_what_a_simplification_drops_costs_nothing():
    robot = with_drives(bf.Robot.load("kuka_lwr4"), bf.Viscous() + bf.Coulomb())
    rng = np.random.default_rng(0)
    q, v, a, e = rng.normal(size=(4, 600, 7))
    data = q, v, a, robot.inverse_dynamics(q, v, a) + 0.5 * e
    found = bf.Simplify().fit(robot, data, friction=robot.friction)
    assert len(found.kept) < len(found.full.names)
    full, small = (c_code(one.model).program.function("inverse_dynamics").operations for one in (found.full, found.estimate))
    assert small < 0.9 * full
    at = golden(found.estimate.model, c_code(found.estimate.model).program, states=5)["inverse_dynamics"]
    space: dict = {}
    exec(numpy_code(found.estimate.model), space)
    assert at.off(space["inverse_dynamics"](*(at.inputs[x] for x in "qva"))) <= CLOSE


def test_friction_that_is_zero_leaves_no_trace():
    plain, drives = bf.Robot.load("two_link"), bf.Robot.load("two_link").with_friction(DRIVES)
    assert not drives.drive_values.any()
    dynamics = [c_code(one).program.function("inverse_dynamics").operations for one in (plain, drives)]
    assert dynamics[0] == dynamics[1]


def test_numpy_code_needs_numpy_alone():
    tree = ast.parse(numpy_code(arm("scara"), "arm"))
    imports = [node for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom))]
    assert [ast.unparse(node) for node in imports] == ["import numpy as np"]


def test_numpy_code_takes_one_state_or_many_and_says_what_it_wants():
    model, space = arm("two_link"), {}
    exec(numpy_code(model), space)
    rng = np.random.default_rng(1)
    q, v, a = rng.normal(size=(3, 5000, 2))  # more than a block
    whole = space["inverse_dynamics"](q, v, a)
    assert np.array_equal(space["inverse_dynamics"](q[7], v[7], a[7]), whole[7])
    assert space["regressor"](q[:3], v[:3], a[:3]).shape == (3, 2, len(space["PARAMETERS"]))
    assert np.allclose(space["regressor"](q[:9], v[:9], a[:9]) @ space["PARAMETERS"], whole[:9], rtol=0, atol=1e-11)
    with pytest.raises(ValueError, match="its last axis must be 2"):
        space["inverse_dynamics"](q[:, :1], v, a)


def run(words, capsys) -> tuple[int, str]:
    code = main(words)
    out, err = capsys.readouterr()
    return code, out + err


def test_without_a_compiler_the_command_says_that_it_could_not_verify(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("CC", "no-such-compiler")
    code, said = run(["export", "two_link", "--to", "c", "-o", str(tmp_path / "two_c")], capsys)
    assert code == 1 and "NOT VERIFIED" in said and "neither compiled nor compared" in said
    assert sorted(path.name for path in (tmp_path / "two_c").iterdir()) == ["CMakeLists.txt", "two.c", "two.h", "two_test.c"]
    code, said = run(["export", "two_link", "--to", "c", "-o", str(tmp_path / "x_c"), "--json"], capsys)
    facts = json.loads(said)["files"][0]
    assert code == 1 and facts["unverified"] and facts["torque_difference"] is None


@needs_compiler
def test_code_that_differs_or_warns_is_not_written(tmp_path, capsys, monkeypatch):
    right = c_module.c_source
    for wrong, words in (("torque[0] = -", "other numbers than bifilar"), ("int unused; torque[0] = ", "does not compile")):
        monkeypatch.setattr(c_module, "c_source", lambda p, w=wrong: right(p).replace("torque[0] = ", w, 1))
        code, said = run(["export", "two_link", "--to", "c", "-o", str(tmp_path / "two_c")], capsys)
        assert code == 3 and words in said and "nothing was written" in said
        assert not (tmp_path / "two_c").exists()


def test_files_that_are_there_stay_unless_told(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("CC", "no-such-compiler")
    (tmp_path / "two_c").mkdir()
    (tmp_path / "two_c" / "two.h").write_text("mine")
    code, said = run(["export", "two_link", "--to", "c", "-o", str(tmp_path / "two_c")], capsys)
    assert code == 3 and "--force" in said and (tmp_path / "two_c" / "two.h").read_text() == "mine"
    assert main(["export", "two_link", "--to", "c", "-o", str(tmp_path / "two_c"), "--force"]) == 1


def test_floating_robots_are_refused():
    with pytest.raises(RobotError, match="fixed base"):
        c_code(bf.Robot.load("panda", floating=True))


@needs_compiler
def test_a_run_of_base_parameters_becomes_code(tmp_path, capsys):
    robot = with_drives(bf.Robot.load("two_link"), bf.Viscous() + bf.Coulomb())
    estimate = least_squares(robot)
    bf.save_estimate(estimate, tmp_path / "run")
    (tmp_path / "run" / "run.json").write_text(json.dumps({"verdict": {"level": "good", "reasons": []}}))
    code, said = run(["export", str(tmp_path / "run"), "--to", "c", "-o", str(tmp_path / "arm_c")], capsys)
    assert code == 0 and "compiled and run by" in said, said
    assert main(["export", str(tmp_path / "run"), "-o", str(tmp_path / "arm.py")]) == 0
    space: dict = {}
    exec((tmp_path / "arm.py").read_text(), space)
    q, v, a = np.random.default_rng(8).normal(size=(3, 20, 2))
    wanted = estimate.model.inverse_dynamics(q, v, a)
    assert np.abs(space["inverse_dynamics"](q, v, a) - wanted).max() <= CLOSE * np.abs(wanted).max()

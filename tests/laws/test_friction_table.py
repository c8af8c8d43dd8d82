"""Every friction term of the table, and terms declared here, in all places that compute with them.

Tests run over `TERMS`, so that a term declared tomorrow is tested without a line here. Beside them stand the worked example of
docs/extending.md and laws of other forms, declared while the tests run.
"""

from __future__ import annotations

import copy
import json
import pickle
import re
import sys
from dataclasses import dataclass, fields
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import bifilar as bf
from bifilar.cli import main
from bifilar.cli.friction_words import asked_for, friction_of
from bifilar.control.friction_share import friction_to_compensate
from bifilar.dynamics import plain
from bifilar.dynamics.friction_laws import LAWS, Law, Setting
from bifilar.estimate.closed_loop import JointController, simulate_loop
from bifilar.estimate.friction_candidates import candidates_at
from bifilar.experiment.criteria import Criterion
from bifilar.experiment.fingerprint import robot_hash
from bifilar.experiment.information import Information
from bifilar.export.c_check import checked, compiler
from bifilar.export.c_code import c_code
from bifilar.export.code_golden import golden
from bifilar.export.numpy_code import numpy_code
from bifilar.robot.friction import TERMS, Friction, Term
from bifilar.robot.friction_data import friction_data, friction_from
from bifilar.robot.friction_text import example_of, friction_from_text, friction_text
from bifilar.robot.smooth import smoothed
from bifilar.simulate.plant import Plant
from bifilar.simulate.plant_friction import PlantFriction
from bifilar.simulate.reference import Reference

PAGE = Path(__file__).resolve().parents[2] / "docs" / "extending.md"
SECTION = PAGE.read_text("utf-8").partition("## A friction term")[2]
CODE = re.findall(r"```python\n(.*?)```", SECTION, re.S)
EXTENDING = sys.modules["extending"] = ModuleType("extending")
exec(compile(CODE[0], "extending", "exec", dont_inherit=True), EXTENDING.__dict__)


def swirl(speed, load, position, size):
    return size * np.abs(speed) * np.cos(position)


@dataclass(frozen=True, kw_only=True)
class Swirl(Term):
    """Of speed and position, without a sign."""

    size: float = 0.5
    law = Law(
        word="swirl",
        title="swirl",
        formula="size |v| v cos(q)",
        times="speed",
        factor=swirl,
        by_speed=lambda speed, load, position, size: size * np.sign(speed) * np.cos(position),
        by_position=lambda speed, load, position, size: -size * np.abs(speed) * np.sin(position),
        bound=lambda speed, size: (size * speed, size),
        settings=(Setting("size", 0.5),),
        signed=True,
    )
    tried = ({"size": 0.5}, {"size": 2.0})


def pressed(speed, load, position):
    wave = np.sin(position)
    return np.sqrt(load * load) * wave * wave


@dataclass(frozen=True, kw_only=True)
class Pressed(Term):
    """Of load and position."""

    width: float = 0.0
    law = Law(
        word="pressed",
        title="pressed gear",
        formula="|load| sin(q)^2 s(v)",
        sign=True,
        factor=pressed,
        by_load=lambda speed, load, position: np.sign(load) * np.sin(position) ** 2,
        by_position=lambda speed, load, position: np.abs(load) * np.sin(2 * position),
        units=("1", "1"),
    )


@dataclass(frozen=True, kw_only=True)
class Cable(Term):
    """Of position alone: a torque that does not brake."""

    law = Law(
        word="cable",
        title="cable",
        formula="sin(q)",
        factor=lambda speed, load, position: np.sin(position),
        by_position=lambda speed, load, position: np.cos(position),
        signed=True,
        dissipates=False,
    )


ADDED = (EXTENDING.Tanh, Swirl, Pressed, Cable)
for added in ADDED:
    TERMS.remove(added)
EVERY = pytest.mark.parametrize("kind", [*TERMS, *ADDED], ids=lambda kind: kind.__name__)
WRIST = bf.Drivetrain(joints=("joint1", "joint2"), motors=("motor",), matrix=[[1, 0.5]])


@pytest.fixture(autouse=True)
def known(request):
    """Terms declared here are known while a test runs."""
    TERMS.extend(ADDED)
    yield
    for kind in ADDED:
        TERMS.remove(kind)


def made(kind, *, width=0.2, **common):
    """A term with the examples of its settings."""
    own = {one.name: one.example for one in kind.law.settings if one.name in {field.name for field in fields(kind)}}
    return kind(**own | ({"width": width} if kind.law.sign else {}) | common)


def several(kind, width=0.2, *, smooth=False) -> Friction:
    """A term in all ways that a robot can have it; or in those that can be simulated."""
    if not kind.directional:
        return made(kind, width=width) + made(kind, at="motor")
    jumps = kind.law.times == "one" and not kind.law.sign and kind.law.by_speed is None  # by direction, with no width to follow
    ways = ({"at": "joint1"}, {"at": "joint2", "asymmetric": not (jumps and smooth)}, {"at": "motor"})
    return Friction(tuple(made(kind, width=width, **way) for way in (*ways, {"at": "joint1", "driven_by": "joint2"})))


def arm(friction, size=0.3) -> bf.Robot:
    robot = bf.Robot.load("two_link").with_drivetrain(WRIST).with_friction(friction)
    rng = np.random.default_rng(0)
    return robot.with_parameters({name: size * rng.uniform(0.5, 1) for name in robot.drive_columns.names})


def states(samples=40, seed=0):
    return np.random.default_rng(seed).normal(size=(3, samples, 2)) * np.array([2.0, 0.7, 1.0])[:, None, None]


def test_the_table_and_the_terms_are_one():
    assert [kind.law for kind in TERMS if kind not in ADDED] and {kind.law for kind in TERMS if kind not in ADDED} == set(LAWS)
    assert len({law.word for law in LAWS}) == len({law.title for law in LAWS}) == len(LAWS)


@EVERY
@pytest.mark.parametrize("width", [0.0, 0.2])
def test_both_engines_agree(kind, width):
    pytest.importorskip("numba")
    from bifilar.dynamics import fast

    robot = arm(several(kind, width))
    columns = robot.drive_columns.columns
    for samples in (1, 9, 70):
        q, v, a = states(samples)
        load = np.random.default_rng(1).normal(size=q.shape)
        question = (robot.tree, q, v, a, robot._root(None, samples), "joints", columns, load)
        theirs = plain.regressor(*question)
        np.testing.assert_allclose(fast.regressor(*question), theirs, rtol=1e-12, atol=1e-13 * np.abs(theirs).max())


@EVERY
@pytest.mark.parametrize("width", [0.0, 0.2])
def test_regressor_times_parameters_is_inverse_dynamics(kind, width):
    robot, (q, v, a) = arm(several(kind, width), size=0.05), states()
    torque = robot.inverse_dynamics(q, v, a)
    np.testing.assert_allclose(robot.regressor(q, v, a) @ robot.parameters().values, torque, atol=1e-11)
    assert np.abs(torque - robot.with_friction(None).inverse_dynamics(q, v, a)).max() > 1e-3
    np.testing.assert_allclose(robot.forward_dynamics(q, v, torque), a, atol=1e-9)


@EVERY
def test_slopes_are_central_differences(kind):
    robot, state = arm(several(kind)), states()
    columns, (q, v, a) = robot.drive_columns.columns, state
    load = np.random.default_rng(1).normal(size=q.shape)
    for j, move in enumerate(1e-6 * np.eye(2)):
        for slope, mixed, up, down in (
            (columns.slopes(v, load, q), columns.drive, (v + move, a, load, q), (v - move, a, load, q)),
            (columns.load_slopes(v, load, q), columns.effect, (v, a, load + move, q), (v, a, load - move, q)),
            (columns.position_slopes(v, q, load), columns.drive, (v, a, load, q + move), (v, a, load, q - move)),
        ):
            rise = (columns.values(*up) - columns.values(*down)) / 2e-6
            np.testing.assert_allclose(slope * mixed[:, j], rise, atol=1e-6 * (1 + np.abs(rise).max()))
    slopes = robot.derivatives(*state)
    weight = np.random.default_rng(1).normal(size=q.shape)
    adjoint = robot.adjoint(*state, weight)
    for k in range(3):
        for j in range(2):
            move = np.zeros_like(state)
            move[k, :, j] = 1e-6
            rise = (robot.inverse_dynamics(*(state + move)) - robot.inverse_dynamics(*(state - move))) / 2e-6
            np.testing.assert_allclose(slopes[k][:, :, j], rise, atol=1e-6 * (1 + np.abs(rise).max()))
            np.testing.assert_allclose(adjoint[k][:, j], (weight * slopes[k][:, :, j]).sum(axis=1), atol=1e-9)
            np.testing.assert_allclose(robot.tangent(*state, tuple(1e6 * move)), slopes[k][:, :, j], atol=1e-9)


@EVERY
def test_slopes_are_finite_at_standstill(kind):
    for width in (0.0, 0.2):
        columns = arm(several(kind, width)).drive_columns.columns
        rest = np.zeros((3, 1, 2))
        assert np.isfinite(columns.slopes(*rest)).all() and np.isfinite(columns.values(*rest[:2], *rest[:2])).all()


@EVERY
def test_the_plant_accelerates_as_the_equations_say(kind):
    robot = arm(several(kind), size=0.05)
    plant, friction = Plant(robot), PlantFriction.of(robot)
    for q, v, torque in states(20).transpose(1, 0, 2):
        plant.reset(q, v)
        np.testing.assert_allclose(plant.acceleration(torque), robot.forward_dynamics(q, v, torque), rtol=1e-8, atol=1e-8)
        np.testing.assert_allclose(friction.torque(v, torque, q), robot.friction_torque(v, torque, q), atol=1e-12)


@EVERY
def test_the_closed_loop_and_the_plant_move_alike(kind):
    robot = arm(several(kind, smooth=True), size=0.02)
    time = np.arange(201) / 1e3
    q = np.column_stack([np.sin(6 * time), np.cos(5 * time)])
    wanted = Reference(time, q, np.gradient(q, 1e-3, axis=0))
    virtual = bf.VirtualRobot(robot)
    truth = virtual.play((time, q, wanted.velocity)).truth
    torque = virtual.played.inverse_dynamics(truth.position, truth.velocity, truth.acceleration)
    np.testing.assert_allclose(torque, truth.torque, atol=1e-9 * np.abs(torque).max())
    if kind.law.needs_load:
        with pytest.raises(bf.RobotError, match="depends on the load"):
            simulate_loop(robot, JointController.of(virtual, wanted), wanted)
        return
    run = simulate_loop(robot, JointController.of(virtual, wanted), wanted)
    torque = smoothed(robot).inverse_dynamics(run.position, run.velocity, run.acceleration)
    assert run.ok and np.allclose(torque, run.held_torque, atol=1e-9)
    np.testing.assert_allclose(run.position, truth.position[: len(run.position)], atol=1e-5)


@EVERY
def test_stiff_friction_does_not_overshoot(kind):
    """A light body under friction alone comes to rest and stays there."""
    if not kind.law.dissipates or kind.law.signed or kind.law.needs_load:
        pytest.skip("it need not brake")
    robot = bf.Robot.load("pendulum").with_gravity([0, 0, 0]).with_friction(made(kind, width=0.0))
    robot = robot.with_parameters(dict.fromkeys(robot.drive_columns.names, 50.0))
    wanted = Reference(np.arange(200) / 1e3, np.zeros((200, 1)), np.r_[np.full((1, 1), 3.0), np.zeros((199, 1))])
    run = simulate_loop(robot, JointController(kp=0.0, kd=0.0), wanted, slip=1e-3)
    assert run.ok and run.velocity.min() > -1e-2 and np.abs(np.diff(run.velocity, axis=0)).max() < 3.0


@EVERY
@pytest.mark.parametrize("width", [0.0, 0.2])
def test_generated_code_computes_it(kind, width):
    robot, space = arm(several(kind, width)), {}
    code = c_code(robot, "arm")
    if compiler() is not None:
        found = checked(code.files, "arm", "arm")
        assert found is not None and max(found.differences.values()) < 1e-11
    exec(numpy_code(robot, "arm"), space)
    for name, values in golden(robot, code.program, states=20, seed=7).items():
        inputs = [values.inputs[one.name] if one.shape else values.inputs[one.name][0, 0] for one in _inputs(code, name)]
        result = np.asarray(space[name](*inputs))
        assert values.off(result.reshape(len(result), -1)) < 1e-11


def _inputs(code, name):
    return code.program.function(name).inputs


@EVERY
def test_torque_limits_count_all_of_it(kind):
    robot = arm(several(kind))
    wall = bf.TorqueWithin().on(robot.with_limits({name: {"effort": 100.0} for name in robot.joint_names}))
    q, v, a = states(500)
    rigid = robot.inverse_dynamics(q, v, a, friction=False) - a @ robot._rotor.T
    most = wall._friction(v) + np.abs(rigid) @ wall._load_share().T
    friction = robot.inverse_dynamics(q, v, a) - rigid - a @ robot._rotor.T
    assert (np.abs(friction) <= most * (1 + 1e-9) + 1e-12).all()
    move = 1e-6 * np.random.default_rng(1).normal(size=v.shape)
    rise = wall._friction(v + move) - wall._friction(v - move)
    np.testing.assert_allclose(np.einsum("nij,nj->ni", wall._friction_slope(v), 2 * move), rise, atol=1e-10)
    rooms, margins = wall.rooms(q, v, a), robot.inverse_dynamics(q, v, a)
    assert (rooms[:, :2] <= 100.0 - margins + 1e-9).all() and (rooms[:, 2:4] <= 100.0 + margins + 1e-9).all()


@EVERY
def test_designs_know_its_gradient(kind):
    robot, state = arm(made(kind) + bf.Friction()), states(60)
    seen, criterion = Information.on(robot, bf.base_parameters(robot)), Criterion()
    if kind.law.needs_load:
        with pytest.raises(bf.MotionError, match="cannot be designed for"):
            seen.judged(criterion, *state)[1]()
        return
    direction = np.random.default_rng(1).normal(size=state.shape)
    slope = sum(np.sum(g * d) for g, d in zip(seen.judged(criterion, *state)[1](), direction))
    rise = [criterion.value(seen.matrix(*(state + h * direction))) for h in (2e-4, 1e-4, -1e-4, -2e-4)]
    assert slope == pytest.approx((8 * (rise[1] - rise[2]) - (rise[0] - rise[3])) / 1.2e-3, rel=1e-4)


@EVERY
def test_controllers_compensate_it(kind):
    robot = arm(several(kind))
    q, v, _ = states(1)[:, 0]
    load = robot.gravity_torque(q)
    np.testing.assert_allclose(friction_to_compensate(robot, q, v, v), robot.friction_torque(v, load, q), atol=1e-12)


@EVERY
def test_a_fit_finds_it(kind):
    robot, (q, v, a) = arm(made(kind) + bf.Friction()), states(400)
    data, bare = (q, v, a, robot.inverse_dynamics(q, v, a)), bf.Robot.load("two_link").with_drivetrain(WRIST)
    load = {"load": robot.inverse_dynamics(q, v, a, friction=False)} if kind.law.needs_load else {}
    W = bare.with_friction(robot.friction).regressor(q, v, a, **load)
    found = np.linalg.lstsq(W.reshape(-1, W.shape[2]), data[3].ravel(), rcond=1e-10)[0]
    np.testing.assert_allclose(W @ found, data[3], atol=1e-8)
    if not kind.law.needs_load:
        estimate = bf.LeastSquares(uncertainty="white").fit(bare, data, friction=robot.friction)
        np.testing.assert_allclose(estimate.values, estimate.base.from_full(robot.parameters()), rtol=1e-8, atol=1e-8)


@EVERY
def test_texts_and_data_are_read_back(kind):
    friction = several(kind)
    assert friction_from_text(friction_text(friction)) == friction == friction_from(friction_data(friction))
    assert isinstance(friction_of(example_of(kind)).terms[0], kind) and isinstance(asked_for(example_of(kind))[0].term, kind)
    robot = arm(friction)
    assert set(robot.parameters().of_kind("friction").names) == set(robot.drive_columns.names if kind.law.dissipates else ())
    named = bf.Parameters.of(dict.fromkeys(robot.drive_columns.names, 1.0))
    assert named.units == robot.drive_columns.units and np.array_equal(named.lower, robot.drive_columns.lower_bounds)


@EVERY
def test_formats_state_it_or_say_that_they_cannot(kind, tmp_path):
    robot = arm(several(kind))
    written = bf.write_model(robot, tmp_path / "arm.xml")
    assert any(kind.law.title in line for line in written.lost)  # at the motor, which no format knows
    alone = bf.write_model(arm(made(kind, width=0.0) + bf.Friction()), tmp_path / "alone.xml")
    assert any(kind.law.title in line for line in alone.lost) == ("MJCF" not in kind.law.places)


@EVERY
def test_hashes_count_its_settings(kind):
    robot = arm(made(kind) + bf.Friction())
    for one in kind.law.settings:
        if one.name in {field.name for field in fields(kind)}:
            assert robot_hash(arm(made(kind, **{one.name: one.example + 1}) + bf.Friction())) != robot_hash(robot)


def test_the_worked_example_works():
    exec(CODE[1], EXTENDING.__dict__)
    assert sum(isinstance(term, Swirl) for term in candidates_at("a", 1.0, [])) == 2


def test_the_control_command_compensates_it(tmp_path, monkeypatch, capsys):
    """`bifilar control --friction` takes a term that is declared in a test alone; a loop that compensates it tracks better."""
    monkeypatch.chdir(tmp_path)
    words = ("control", "panda", "circle:0.4,0,0.5:0.05:yz", "--friction", "tanh=1", "--json", "--no-page")
    errors = []
    for share in ("1", "0"):
        assert main((*words, "--compensate", share)) == 0
        errors.append([joint["error_rms"] for joint in json.loads(capsys.readouterr().out)["joints"].values()])
    assert np.linalg.norm(errors[0]) < 0.5 * np.linalg.norm(errors[1])


GOOD = {"word": "new", "title": "new", "formula": "new"}
INCOMPLETE = [
    (lambda: Law(**GOOD, factor=pressed), "by_load is not the derivative"),
    (lambda: Law(**GOOD, factor=lambda s, load, q: np.abs(s), by_speed=lambda s, load, q: s), "by_speed is not the derivative"),
    (lambda: Law(**GOOD, factor=lambda s, load, q: s, by_speed=lambda s, load, q: 1.0), "larger than its bound"),
    (lambda: Law(**GOOD, factor=lambda s, load, q: 1.0), "no finite number for each state"),
    (lambda: Law(**GOOD, by_speed=pressed), "belong to a factor"),
    (lambda: Law(**GOOD, times="acceleration", sign=True), "an inertia is constant"),
    (lambda: Law(**GOOD, times="jerk"), "no such form"),
    (lambda: Law(**GOOD | {"title": ""}), "are needed"),
    (lambda: type("New", (Term,), {}), "has no law"),
    (lambda: type("New", (Term,), {"law": LAWS[0]}), "are both 'viscous'"),
    (lambda: type("Viscous", (Term,), {"law": Law(**GOOD)}), "are both 'Viscous'"),
]


@pytest.mark.parametrize(("call", "words"), INCOMPLETE, ids=[words for _, words in INCOMPLETE])
def test_what_is_incomplete_is_refused(call, words):
    with pytest.raises(bf.BifilarError, match=words):
        call()


def test_copies_are_the_same_robot():
    robot = arm(Friction(tuple(map(made, TERMS[: len(LAWS)]))))
    for again in (copy.deepcopy(robot), pickle.loads(pickle.dumps(robot.drive_columns.columns))):
        columns = again if not isinstance(again, bf.Robot) else again.drive_columns.columns
        assert columns.laws == robot.drive_columns.columns.laws
    assert pickle.loads(pickle.dumps(EXTENDING.Tanh.law)).form == EXTENDING.Tanh.law.form


def test_what_cannot_be_compiled_is_refused():
    pytest.importorskip("numba")
    from bifilar.dynamics.workspace import kernels

    odd = Law(
        **GOOD,
        factor=lambda s, load, q: np.einsum("i,i->i", np.sin(q), np.sin(q)),
        by_position=lambda s, load, q: np.sin(2 * q),
    )
    for lanes in (1, 32):
        with pytest.raises(bf.RobotError, match="'new' cannot be compiled"):
            kernels(lanes, "laws").address(odd)


def test_a_class_without_its_law_s_settings_is_refused():
    new = type("New", (Term,), {"law": Law(**GOOD, sign=True)})
    TERMS.remove(new)
    with pytest.raises(bf.RobotError, match="lacks width"):
        new()

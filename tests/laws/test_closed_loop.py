"""Laws of the closed-loop simulation and of the estimators that live on it."""

from __future__ import annotations

import numpy as np
import pytest
from closed_loop_arm import arm, controller, machine, motion, recorded, truth

import bifilar as bf
from bifilar.errors import RecordingError, RobotError, ShapeError, SolveError
from bifilar.estimate.closed_loop import JointController, centred, simulate_loop, smoothed
from bifilar.estimate.direct_inverse import DirectInverse
from bifilar.estimate.instrumental import InstrumentalVariables
from bifilar.estimate.loop_rows import LoopRows, Stretch, held, reference_of
from bifilar.estimate.loop_solve import Fitted, covariance
from bifilar.estimate.loop_triangle import solve_triangle
from bifilar.simulate.reference import Reference

SHORT = 2.5  # [s]
RECIPE = bf.Recipe(cutoff=20.0)


@pytest.mark.parametrize("coulomb", [False, True])
def test_the_simulation_agrees_with_mujoco(coulomb):
    robot = arm(coulomb)
    played = recorded(0, robot, duration=1.0, noise=0.0).truth
    run = simulate_loop(robot, controller(robot, duration=1.0), motion(1.0))
    assert run.ok
    for ours, theirs, least in (
        (run.position, played.position, 1e-7),
        (run.velocity, played.velocity, 1e-4),
        (run.torque, played.torque, 1e-3),
    ):
        assert np.abs(ours - theirs).max() < least


@pytest.mark.parametrize("name", ["two_link", "puma560"])
def test_torque_is_inverse_dynamics_of_the_simulated_motion(name):
    robot = bf.Robot.load(name)
    robot = robot.with_friction(
        bf.Viscous() + bf.Coulomb() + bf.RotorInertia(),
        {f"{joint}.{word}": value for joint in robot.joint_names for word, value in FRICTION.items()},
    )
    time = np.arange(301) / 1e3
    q = 0.2 * np.sin(np.outer(time, np.arange(3, 3 + len(robot.joint_names))))
    wanted = Reference(time, q, np.gradient(q, 1e-3, axis=0))
    run = simulate_loop(robot, JointController.of(bf.VirtualRobot(robot), wanted), wanted)
    assert run.ok
    torque = smoothed(robot).inverse_dynamics(run.position, run.velocity, run.acceleration)
    assert np.allclose(torque, run.held_torque, atol=1e-9)


FRICTION = {"viscous": 0.5, "coulomb": 0.7, "rotor_inertia": 0.02}


@pytest.mark.parametrize(
    "settings", [{"ki": 30.0}, {"velocity_cutoff": 300.0, "limit": [25.0, 9.0]}, {"feedforward": "gravity"}]
)
def test_a_law_in_python_moves_as_the_compiled_one(settings):
    robot, wanted = arm(True), motion(0.3)
    settings = settings | ({"feedforward": robot} if "feedforward" in settings else {})
    compiled = JointController(kp=[150.0, 40.0], kd=[15.0, 4.0], **settings)

    class Own:
        def begin(self, reference):
            return compiled.begin(reference)

    fast, slow = simulate_loop(robot, compiled, wanted), simulate_loop(robot, Own(), wanted)
    assert np.allclose(fast.torque, slow.torque, atol=1e-8)
    assert np.allclose(fast.position, slow.position, atol=1e-10)


def test_stiff_friction_does_not_overshoot():
    """A light body under Coulomb friction alone comes to rest and stays there."""
    robot = bf.Robot.load("pendulum").with_gravity([0, 0, 0]).with_friction(bf.Coulomb(), {"joint1.coulomb": 50.0})
    time = np.arange(200) / 1e3
    wanted = Reference(time, np.zeros((200, 1)), np.r_[np.full((1, 1), 3.0), np.zeros((199, 1))])
    run = simulate_loop(robot, JointController(kp=0.0, kd=0.0), wanted, slip=1e-4)
    assert run.ok
    assert run.velocity.min() > -1e-3
    assert abs(run.velocity[-1, 0]) < 1e-3


@pytest.mark.parametrize("gains, word", [((-500.0, 0.0), "runs away"), ((1e7, 1e5), "runs away")])
def test_a_loop_that_runs_away_is_a_status(gains, word):
    run = simulate_loop(arm(), JointController(kp=gains[0], kd=gains[1]), motion(2.0))
    assert not run.ok
    assert word in run.status.sentence
    assert all(np.isfinite(x).all() for x in (run.position, run.velocity, run.acceleration, run.torque))


def test_a_mass_matrix_that_is_not_positive_is_a_status():
    robot = arm()
    base = bf.base_parameters(robot)
    run = simulate_loop(base.model(robot, -truth(robot)), controller(robot, duration=1.0), motion(1.0))
    assert run.status.code == "infeasible"
    assert "not positive" in run.status.sentence


def test_what_cannot_be_simulated_is_refused():
    wanted = motion(0.1)
    robot = arm().with_friction(bf.LoadDependent(), {"joint1.load": 0.1, "joint2.load": 0.1})
    with pytest.raises(RobotError, match="depends on the load"):
        simulate_loop(robot, controller(arm(), duration=0.1), wanted)
    with pytest.raises(ShapeError, match="kp has the shape"):
        simulate_loop(arm(), JointController(kp=np.ones(3), kd=1.0), wanted)


def test_gains_of_a_cascade():
    """P around PI is the PID it is written as: compare with a law that has two loops."""
    robot, wanted = arm(), motion(0.3)

    class Cascade:
        def begin(self, reference):
            total = np.zeros(2)

            def law(k, q, v):
                nonlocal total
                error = reference.velocity[k] + 10.0 * (reference.position[k] - q) - v
                torque = 15.0 * error + 40.0 * total
                total = total + 1e-3 * error
                return torque

            return law

    two = simulate_loop(robot, Cascade(), wanted)
    one = simulate_loop(robot, JointController.cascade(position=10.0, velocity=15.0, integral=40.0), wanted)
    assert np.abs(two.position - one.position).max() < 0.01 * np.abs(two.position - wanted.position).max()


@pytest.mark.parametrize("method", [InstrumentalVariables, DirectInverse])
@pytest.mark.parametrize("coulomb", [False, True])
def test_truth_comes_back_from_recordings_without_noise(method, coulomb):
    robot = arm(coulomb)
    recording = recorded(0, robot, duration=SHORT, noise=0.0)
    found = method(controller=controller(robot, duration=SHORT), reference=motion(SHORT)).fit(robot, recording, recipe=RECIPE)
    assert found.status.ok, found.status
    # Measured positions go through a filter, which smears the jumps of acceleration where Coulomb friction changes its sign.
    least = 5e-5 if method is DirectInverse else 2e-2 if coulomb else 2e-4
    assert np.abs(found.values / truth(robot) - 1).max() < least


def test_one_factor_gives_the_three_solutions():
    rng = np.random.default_rng(0)
    z = rng.normal(size=(200, 4))
    w = z + 0.3 * rng.normal(size=z.shape)
    y = w @ np.arange(1.0, 5.0) + 0.1 * rng.normal(size=200)
    r = np.linalg.qr(np.column_stack([z, w, y]), mode="r")
    prior = np.zeros(4)
    assert np.allclose(solve_triangle(r, "Z", "W", prior).values, np.linalg.solve(z.T @ w, z.T @ y))
    assert np.allclose(solve_triangle(r, "Z", "Z", prior).values, np.linalg.lstsq(z, y)[0])
    assert np.allclose(solve_triangle(r, "W", "W", prior).values, np.linalg.lstsq(w, y)[0])


def test_a_direction_nobody_sees_keeps_the_prior():
    rng = np.random.default_rng(0)
    w = rng.normal(size=(100, 3))
    w[:, 2] = w[:, 1]
    r = np.linalg.qr(np.column_stack([w, w, w @ np.array([1.0, 2.0, 2.0])]), mode="r")
    for left, right in ("ZW", "ZZ", "WW"):
        found = solve_triangle(r, left, right, np.array([0.0, 3.0, 0.0]))
        assert len(found.open) == 1
        assert np.allclose(found.values, [1.0, 3.5, 0.5])


def test_weak_instruments_are_left_to_least_squares():
    rng = np.random.default_rng(0)
    w = rng.normal(size=(300, 2))
    z = np.column_stack([w[:, 0], rng.normal(size=300)])  # knows nothing of the second column
    y = w @ np.array([1.0, 2.0]) + 0.1 * rng.normal(size=300)
    found = solve_triangle(np.linalg.qr(np.column_stack([z, w, y]), mode="r"), "Z", "W", np.zeros(2))
    assert found.weak == 1
    assert np.allclose(found.values, [1.0, 2.0], atol=0.05)


@pytest.mark.parametrize("left, right", ["ZW", "ZZ", "WW"])
def test_deviations_of_coloured_noise(left, right):
    """Errors that follow each other, 200 draws: stated and found deviations agree to a third."""
    rng = np.random.default_rng(1)
    time = np.arange(600)
    z = np.column_stack([np.sin(0.05 * time), np.cos(0.11 * time)])
    found, stated = [], []
    for _ in range(200):
        noise = np.convolve(rng.normal(size=605), np.ones(6) / 6, mode="valid")
        w = z + (0.02 * rng.normal(size=z.shape) if left + right != "ZZ" else 0.0)
        table = np.column_stack([z, w, z @ np.array([1.0, 2.0]) + noise])[:, None]
        rows = LoopRows.of([Stretch(table, np.ones((600, 1), dtype=bool))])
        fit = Fitted.of(rows, left, right, np.zeros(2))
        found.append(fit.values)
        stated.append(np.sqrt(np.diag(covariance(rows, fit))))
    assert np.allclose(np.mean(stated, axis=0) / np.std(found, axis=0), 1.0, atol=0.33)


def test_held_torque_is_what_accelerates():
    robot = arm()
    recording = recorded(0, robot, duration=0.5, noise=0.0)
    assert np.allclose(held(recording).torque, centred(recording.torque))
    run = simulate_loop(robot, controller(robot, duration=0.5), motion(0.5))
    assert np.abs(held(recording).torque - run.held_torque).max() < 1e-4


def test_where_the_reference_comes_from():
    robot, wanted = arm(), motion(0.5)
    recording = recorded(0, robot, duration=0.5)
    with pytest.raises(RecordingError, match="no reference motion"):
        reference_of(robot, recording, None)
    channels = {"commanded_position": wanted.position, "commanded_velocity": wanted.velocity}
    told = bf.Recording(joint_names=robot.joint_names, time=recording.time + 5, position=recording.position, **channels)
    found = reference_of(robot, told, None)
    assert np.allclose(found.position, wanted.position)
    assert np.allclose(found.time, wanted.time + 5)
    in_degrees = bf.Recording(
        joint_names=robot.joint_names,
        time=recording.time,
        position=recording.position,
        channels={"target_position": wanted.position, "target_velocity": np.rad2deg(wanted.velocity)},
    )
    with pytest.raises(RecordingError, match=r"57\.3 times the rate"):
        reference_of(robot, in_degrees, None)


@pytest.mark.parametrize("rate", [None, 1000.0, 250.0, 330.0])
def test_a_controller_on_a_clock_of_its_own_follows_the_same_motion(rate):
    """Commanded positions are logged at 500 Hz; whatever the controller's clock, its ticks lie on them."""
    time = 7.0 + np.arange(1001) / 500
    wanted = np.sin(3 * time)[:, None]
    recording = bf.Recording(joint_names=("joint1",), time=time, position=wanted, torque=wanted)
    recording = recording.with_channel("commanded_position", wanted)
    ticks = reference_of(bf.Robot.load("pendulum"), recording, None, rate)
    assert ticks.time.shape == ticks.position[:, 0].shape == ticks.velocity[:, 0].shape
    assert ticks.time[0] == 7.0 and abs(ticks.time[-1] - 9.0) < 1 / 250
    inner = slice(3, -3)
    assert np.allclose(ticks.position[inner, 0], np.sin(3 * ticks.time[inner]), atol=1e-4)
    assert np.allclose(ticks.velocity[inner, 0], 3 * np.cos(3 * ticks.time[inner]), atol=1e-2)


def test_torque_that_does_not_belong_to_the_robot_is_doubted():
    robot = arm()
    recording = recorded(0, robot, duration=SHORT, noise=0.0)
    turned = recording.with_channel("torque", -recording.torque)
    method = InstrumentalVariables(controller=controller(robot, duration=SHORT), reference=motion(SHORT))
    estimate = method.fit(robot, turned, recipe=RECIPE)
    assert not estimate.status.ok and "sign" in estimate.status.remedy


def test_arrays_have_no_clock():
    robot = arm()
    q, v, a = np.random.default_rng(0).normal(size=(3, 200, 2))
    data = (q, v, a, robot.inverse_dynamics(q, v, a))
    method = InstrumentalVariables(controller=controller(robot, duration=1.0), reference=motion(1.0), control_rate=1000.0)
    with pytest.raises(SolveError, match="need a clock"):
        method.fit(robot, data)


def test_samples_are_as_good_as_the_recording():
    robot = arm()
    recording = recorded(0, robot, duration=SHORT)
    method = DirectInverse(controller=controller(robot, duration=SHORT), reference=motion(SHORT))
    whole = method.fit(robot, recording, recipe=RECIPE)
    samples = bf.prepare(held(recording), RECIPE, robot=robot)
    assert np.allclose(method.fit(robot, samples).values, whole.values)
    assert np.allclose(method.solve(bf.Problem.of(robot, samples)).values, whole.values)


def test_a_start_of_the_wrong_size_is_refused():
    robot = arm()
    settings = {"controller": controller(robot, duration=SHORT), "reference": motion(SHORT), "start": np.ones(3)}
    with pytest.raises(SolveError, match="the start has the shape"):
        InstrumentalVariables(**settings).fit(robot, recorded(0, robot, duration=SHORT, noise=0.0), recipe=RECIPE)


def test_the_virtual_robots_own_controller():
    """Gains from the mass matrix, effort limits and feed-forward of a wrong model are told to the estimator as they are."""
    robot = arm()
    believed = robot.with_parameters({"link2.mass": 2.5})
    wanted = motion(0.5)
    virtual = bf.VirtualRobot(robot, controller_model=believed, bandwidth=20.0)
    played = virtual.play(tuple(wanted)).truth
    run = simulate_loop(robot, JointController.of(virtual, wanted), wanted)
    assert np.abs(run.position - played.position).max() < 1e-7
    assert machine(robot).gains is not None

"""Controllers in MuJoCo's world: adaptation loses energy and stays among bodies that exist, springs give way as springs do, a
tool presses with the force it was told, and all of them may stand behind the safety limits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import description_of, random_machine

import bifilar as bf
from bifilar.control.inertia_steps import gradient_of, natural_step, pseudo_of
from bifilar.control.mixed_motion import mixed_regressor, mixed_torque

REST = np.array([0.0, 0.3, 0.0, -1.5, 0.0, 1.5, 0.0])


def swings(robot: bf.Robot, duration: float = 4.0) -> bf.Piecewise:
    """There and back, joint by joint a bit different, the same every two seconds."""
    n = len(robot.joint_names)
    places = np.array([[0.0] * n, np.linspace(0.8, 0.5, n), np.linspace(-0.6, -0.9, n), [0.0] * n])
    rounds = int(duration / 2)
    return bf.quintic(
        robot.joint_names, np.vstack([places[:1], *[places[1:]] * rounds]), np.linspace(0, 2 * rounds, 3 * rounds + 1)
    )


def rms(x: np.ndarray) -> float:
    return float(np.sqrt(np.mean(x**2)))


@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.booleans())
def test_two_velocities_give_the_coriolis_matrix_times_the_wanted_one(seed, joints, mimic):
    rng = np.random.default_rng(seed)
    robot = bf.Robot.build(description_of(random_machine(rng, joints, mimic=mimic, shuffled=False)))
    q, v, w, a = rng.normal(size=(4, len(robot.joint_names)))
    wanted = robot.mass_matrix(q) @ a + robot.coriolis_matrix(q, v) @ w + robot.gravity_torque(q)
    size = max(1.0, float(np.abs(wanted).max()))
    assert np.abs(mixed_torque(robot, q, v, w, a) - wanted).max() < 1e-9 * size
    found = np.tensordot(mixed_regressor(robot, q, v, w, a), robot.body_parameters[1:], 2)
    assert np.abs(found - wanted).max() < 1e-9 * size


@given(st.integers(0, 2**32 - 1), st.floats(1e-6, 1e6))
def test_natural_steps_stay_among_bodies_and_do_not_depend_on_the_frame(seed, length):
    rng = np.random.default_rng(seed)
    body = bf.Inertia.from_log_cholesky(rng.normal(size=10))
    b = rng.normal(size=(1, 10))
    P, G = pseudo_of(body.vector[None]), gradient_of(b)
    after = natural_step(P, G, length)
    assert np.linalg.eigvalsh(after[0])[0] > 0 and bf.Inertia.from_pseudo(after[0]).is_consistent
    small = 1e-7 / max(1.0, float(np.abs(P @ G).max()))
    rate = (natural_step(P, G, small) - P) / small
    assert np.abs(rate + P @ G @ P).max() < 1e-5 * max(1.0, float(np.abs(P @ G @ P).max()))
    move = np.eye(4)
    move[:3, :3], move[:3, 3] = np.linalg.qr(rng.normal(size=(3, 3)))[0], rng.normal(size=3)
    back = np.linalg.inv(move)
    there = natural_step(move @ P @ move.T, back.T @ G @ back, length)
    assert np.abs(there - move @ after @ move.T).max() < 1e-6 * np.abs(there).max()


@pytest.mark.parametrize("metric", ["natural", "fixed"])
def test_what_is_learnt_makes_up_for_a_wrong_model(metric):
    robot = bf.Robot.load("two_link").with_friction(bf.Viscous(), {"joint1.viscous": 0.3, "joint2.viscous": 0.1})
    believed = bf.wrong_by(robot, 0.3, seed=4).with_parameters({"joint1.viscous": 0.1, "joint2.viscous": 0.2})
    error = {}
    for rate in (0.0, 2.0):
        law = bf.AdaptiveControl(believed, omega=10.0, rate=rate, metric=metric)
        run = bf.run_loop(robot, law, swings(robot, 8.0), period=4e-3)
        error[rate] = [rms(run.error[:500]), rms(run.error[-500:])]
    assert error[0.0][1] > 0.9 * error[0.0][0], "without learning it stays as it is"
    assert error[2.0][1] < 0.5 * error[2.0][0] and error[2.0][1] < 0.3 * error[0.0][1]


def test_adaptation_never_gains_energy():
    """V = s'Bs / 2 + log-det divergence of the true bodies from the believed ones / rate, on the true robot."""
    robot, rate = bf.Robot.load("two_link").with_friction(None), 5.0
    law = bf.AdaptiveControl(bf.wrong_by(robot, 0.3, seed=1), omega=8.0, rate=rate)
    beliefs = []

    class Watched:
        def torque(self, state, reference, time):
            tau = law.torque(state, reference, time)
            beliefs.append(pseudo_of(law.model.body_parameters[1:]))
            return tau

    run = bf.run_loop(robot, Watched(), swings(robot, 2.0), period=5e-4)
    s = run.velocity - run.reference.velocity - 8.0 * run.error
    kinetic = 0.5 * np.einsum("ni,nij,nj->n", s, robot.mass_matrix(run.position), s)
    X = np.linalg.solve(np.array(beliefs), pseudo_of(robot.body_parameters[1:])[None])
    apart = (np.trace(X, axis1=2, axis2=3) - np.linalg.slogdet(X)[1] - 4).sum(axis=1)
    V = kinetic + apart / rate
    assert V[-1] < 0.9 * V[0] and np.diff(V).max() < 2e-4 * V[0]


def test_only_the_natural_law_keeps_bodies_that_exist():
    """Far too eager, and pushed: the plain law ends with links that cannot exist, the natural one does not."""
    robot = bf.Robot.load("two_link").with_friction(None)
    physical = {}
    for metric in ("natural", "fixed"):
        law = bf.AdaptiveControl(bf.wrong_by(robot, 0.3, seed=2), omega=10.0, rate=200.0, metric=metric)
        push = bf.JointPush(joint="joint2", torque=2.0, start=0.3, stop=0.9)
        seen = []

        class Watched:
            def torque(self, state, reference, time, law=law, seen=seen):
                tau = law.torque(state, reference, time)
                seen.append(law.is_physical)
                return tau

        try:
            bf.run_loop(robot, Watched(), swings(robot, 2.0), pushes=push, period=2e-3)
        except bf.SolveError:
            assert metric == "fixed"
        physical[metric] = all(seen)
    assert physical == {"natural": True, "fixed": False}


def test_springs_give_way_as_springs_do_and_do_not_swing():
    """Constant torques on the joints, without friction: the arm rests at K^-1 torque from its goal."""
    robot, K = bf.Robot.load("two_link").with_friction(None), np.array([40.0, 8.0])
    goal = bf.Goal(np.array([0.4, -0.7]), *np.zeros((2, 2)))
    torque = np.array([2.0, -0.4])
    pushes = [bf.JointPush(joint=f"joint{k + 1}", torque=torque[k], start=0.0, stop=9.0) for k in range(2)]
    law = bf.JointImpedance(robot, stiffness=K)
    run = bf.run_loop(robot, law, lambda t: goal, duration=3.0, period=2e-3, pushes=pushes)
    off = run.position - goal.position
    assert np.abs(off[-1] - torque / K).max() < 1e-6
    L = np.linalg.cholesky(robot.mass_matrix(goal.position))
    modes = L @ np.linalg.eigh(np.linalg.solve(L, np.linalg.solve(L, np.diag(K)).T))[1]
    assert (off @ modes / (torque / K @ modes)).max() < 1.02  # joints may, but no mode swings over


def test_dampers_of_every_mode_are_critical():
    robot = bf.Robot.load("panda")
    law, B = bf.JointImpedance(robot, stiffness=np.linspace(300, 40, 7)), robot.mass_matrix(REST)
    D, n = law.dampers(REST), 7
    rate = np.block([[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(B, np.diag(law.stiffness)), -np.linalg.solve(B, D)]])
    values = np.linalg.eigvals(rate)
    assert np.abs(values.imag).max() < 1e-4 * np.abs(values.real).max() and values.real.max() < 0
    assert np.abs(D - D.T).max() < 1e-9 and np.linalg.eigvalsh(D)[0] > 0


@pytest.mark.parametrize("stiffness", [3e3, 3e4])
def test_the_tool_presses_as_it_was_told_and_moves_along_the_wall(stiffness):
    robot = bf.Robot.load("panda").with_friction(None)
    start = robot.pose("link7", REST)[1]
    line = bf.Line(start, start + [0.05, 0.08, 0.0])
    motion = bf.cartesian_motion(robot, line, duration=1.5, start=REST, frame="link7")
    wall = bf.Wall(link="link7", place=start - [0, 0, 0.005], normal=[0, 0, 1], stiffness=stiffness, damping=50.0)
    law = bf.ToolForce(bf.wrong_by(robot, 0.05), "link7", direction=[0, 0, -1], force=15.0, omega=30.0)
    run = bf.run_loop(robot, law, motion, wall=wall, period=1e-3)
    pressed = np.array([wall.wrench(robot, q, v)[2] for q, v in zip(run.position[-300:], run.velocity[-300:], strict=True)])
    assert np.abs(pressed - 15.0).max() < 0.5
    along = (robot.pose("link7", run.position)[1] - robot.pose("link7", run.reference.position)[1])[:, :2]
    assert np.abs(along).max() < 2e-3


def test_a_robot_that_adds_its_own_gravity_moves_as_one_that_does_not():
    """The maker's gravity model is not ours; what is sent is less by exactly it."""
    robot, maker = bf.Robot.load("two_link"), bf.wrong_by(bf.Robot.load("two_link"), 0.1, seed=3)
    law = bf.ComputedTorque(robot, omega=20.0)
    plain = bf.run_loop(robot, law, swings(robot, 2.0), period=5e-4)
    over = bf.run_loop(robot, bf.Superposed(law, maker), swings(robot, 2.0), period=5e-4, own_gravity=maker)
    assert np.abs(plain.position - over.position).max() < 1e-4  # its torque follows the pose between the ticks
    assert np.abs(over.command + maker.gravity_torque(over.position) - plain.command).max() < 0.02
    twice = bf.run_loop(robot, law, swings(robot, 2.0), period=5e-4, own_gravity=maker)
    assert rms(twice.error) > 20 * rms(over.error)  # gravity compensated twice


LAWS = {
    "pd": lambda robot, q: bf.GravityPD.like(robot, q, omega=10.0),
    "computed torque": lambda robot, q: bf.ComputedTorque(robot, omega=20.0),
    "superposed": lambda robot, q: bf.Superposed(bf.ComputedTorque(robot, omega=20.0), robot),
    "adaptive": lambda robot, q: bf.AdaptiveControl(robot, omega=20.0),
    "impedance": lambda robot, q: bf.JointImpedance(robot, stiffness=100.0),
    "force": lambda robot, q: bf.ToolForce(robot, "link7", direction=[0, 0, -1], force=5.0, omega=20.0),
    "path": lambda robot, q: bf.PathFollowing(
        robot, bf.cartesian_motion(robot, bf.Circle([0.45, 0.0, 0.5], 0.1), duration=2.0), omega=20.0
    ),
}


@pytest.mark.parametrize("name", LAWS)
def test_any_controller_behind_the_limits(name):
    """Whatever comes in, torque and its rate stay inside, nothing is raised, and a loop can ask it whether it would work."""
    robot, rng = bf.Robot.load("panda"), np.random.default_rng(0)
    settings = bf.SafetySettings.of(robot)
    law = bf.SafeController(LAWS[name](robot, REST), settings)
    law.check(bf.Conditions(1e-3, 0.0, 0.0, None, REST, robot.limits.lower, robot.limits.upper))
    sent = [np.zeros(7)]
    for k in range(300):
        q, v = REST + rng.normal(size=7), rng.normal(size=7)
        if k % 7 == 3:
            q[k % 5] = np.nan
        wrench = None if k % 11 == 5 else rng.normal(size=6) * 1e3
        sent.append(law.torque(bf.State(q, v, wrench), bf.Goal(REST, 0 * q, 0 * q), k * 1e-3))
    sent = np.array(sent)
    assert np.isfinite(sent).all() and (np.abs(sent) <= settings.torque).all()
    assert (np.abs(np.diff(sent, axis=0)) <= settings.rate * 1e-3 * (1 + 1e-9)).all()


def test_letters():
    robot = bf.Robot.load("panda")
    point = robot.with_inertia({"link7": bf.Inertia.from_center_of_mass(1.0, [0, 0, 0.1], np.zeros((3, 3)))})
    for make, words in (
        (lambda: bf.AdaptiveControl(robot, omega=1.0, metric="euclid"), "no metric 'euclid'"),
        (lambda: bf.AdaptiveControl(robot, omega=1.0, rate=-1.0), "rate of -1"),
        (lambda: bf.AdaptiveControl(robot, omega=1.0, within=1.0), "above one"),
        (lambda: bf.AdaptiveControl(point, omega=1.0), "'link7' is physically inconsistent or singular"),
        (lambda: bf.JointImpedance(robot, stiffness=0.0), "above zero"),
        (lambda: bf.ToolForce(robot, "link7", direction=[0, 0, 0], force=1.0, omega=20.0), "not all zero"),
        (lambda: bf.ToolForce(robot, "hand9", direction=[0, 0, 1], force=1.0, omega=20.0), "hand9"),
        (lambda: bf.ToolForce(robot, "link7", direction=[0, 0, 1], force=1.0, omega=20.0, gain=50.0), "unstable in contact"),
        (lambda: bf.Wall(link="link7", place=[0, 0, 0], normal=[0, 0, 0], stiffness=1.0), "no length"),
        (lambda: bf.Wall(link="link7", place=[0, 0, 0], normal=[0, 0, 1], stiffness=0.0), "above zero"),
    ):
        with pytest.raises(bf.BifilarError, match=words):
            make()

"""Laws of a robot, whatever its links: order, folding, mimic, locking, payload, energy, derivatives, round trips."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import random_body, random_rotation

import bifilar as bf

seeds = given(st.integers(0, 100_000))
FRICTION = bf.Viscous() + bf.Coulomb(width=0.3) + bf.Offset() + bf.LoadDependent(width=0.3) + bf.RotorInertia()


def random_description(rng, links=9, mimic=True, order=None):
    """Branches, revolute, continuous, prismatic and fixed joints, one mimic joint; the file's order is shuffled."""
    bodies = [bf.Link(f"link{k}", bf.Inertia.from_vector(random_body(rng))) for k in range(links)]
    kinds = ["revolute", *rng.choice(["revolute", "continuous", "prismatic", "fixed"], links - 2)]
    joints = []
    for k, kind in enumerate(kinds, 1):
        axis = rng.normal(size=3)
        pose = bf.Pose(random_rotation(rng), rng.normal(size=3) * 0.4)
        parent = f"link{rng.integers(max(0, k - 3), k)}"
        joints.append(bf.Joint(f"joint{k}", str(kind), parent, f"link{k}", pose, axis / np.linalg.norm(axis)))
    moving = [k for k, joint in enumerate(joints) if joint.moves]
    if mimic and len(moving) > 2:
        leader, follower = moving[0], rng.choice(moving[1:])  # joint1 stays independent
        joints[follower] = replace(joints[follower], mimic=bf.Mimic(joints[leader].name, rng.uniform(-2, 2), rng.normal()))
    order = rng.permutation(len(joints)) if order is None else order
    return bf.Description("random", tuple(bodies), tuple(joints[k] for k in order))


def random_robot(seed, *, floating=False, friction=FRICTION, mimic=True):
    rng = np.random.default_rng(seed)
    robot = bf.Robot.build(random_description(rng, mimic=mimic), gravity=rng.normal(size=3) * 6, floating=floating)
    if friction is not None:
        robot = robot.with_friction(friction)
        values = rng.uniform(0.05, 0.3, len(robot.drive_values))
        robot = robot.with_friction(friction, dict(zip(robot.drive_columns.names, values, strict=True)))
    return robot, rng


def random_motion(rng, robot, samples=4):
    q, v, a = rng.normal(size=(3, samples, len(robot.joint_names)))
    if not robot.is_floating:
        return q, v, a, None
    turn = rng.normal(size=(samples, 4))
    pose = np.hstack([rng.normal(size=(samples, 3)), turn / np.linalg.norm(turn, axis=1, keepdims=True)])
    return q, v, a, bf.BaseMotion(pose=pose, twist=rng.normal(size=(samples, 6)), acceleration=rng.normal(size=(samples, 6)))


def close(actual, expected, digits=10):
    expected = np.asarray(expected)
    np.testing.assert_allclose(actual, expected, rtol=0, atol=10.0**-digits * (1 + np.abs(expected).max(initial=0.0)))


@seeds
def test_permuting_the_joints_of_the_file_permutes_the_results(seed):
    rng = np.random.default_rng(seed)
    description = random_description(rng)
    shuffled = replace(description, joints=tuple(description.joints[k] for k in rng.permutation(len(description.joints))))
    one, two = bf.Robot.build(description), bf.Robot.build(shuffled)
    q, v, a, _ = random_motion(rng, one)
    to = [one.joint_names.index(name) for name in two.joint_names]
    close(two.inverse_dynamics(q[:, to], v[:, to], a[:, to]), one.inverse_dynamics(q, v, a)[:, to])
    close(two.mass_matrix(q[:, to]), one.mass_matrix(q)[:, to][:, :, to])
    close(two.jacobian("link8", q[:, to]), one.jacobian("link8", q)[:, :, to])
    columns = [one.column_names().index(name) for name in two.column_names()]
    close(two.regressor(q[:, to], v[:, to], a[:, to]), one.regressor(q, v, a)[:, to][:, :, columns])


@pytest.mark.parametrize("floating", [False, True])
@seeds
def test_regressor_times_parameters_is_the_torque(floating, seed):
    robot, rng = random_robot(seed, floating=floating)
    q, v, a, base = random_motion(rng, robot)
    torque = robot.inverse_dynamics(q, v, a, base=base)
    wrench = robot.base_wrench(q, v, a, base=base)
    for per_link in (False, True):
        for rows, expected in ((None, torque), ("base", wrench), ("joints", torque[:, -len(robot.joint_names) :])):
            Y = robot.regressor(q, v, a, rows=rows, base=base, per_link=per_link)
            assert Y.shape[1:] == (len(robot.row_names(rows)), len(robot.column_names(rows, per_link=per_link)))
            close(Y @ robot.parameters(rows, per_link=per_link).values, expected)
    load = rng.normal(size=q.shape)
    out = np.empty((len(q), len(robot.row_names()), len(robot.column_names())))
    assert robot.regressor(q, v, a, base=base, load=load, out=out) is not None
    close(out @ robot.parameters().values, robot.inverse_dynamics(q, v, a, base=base, load=load))


@pytest.mark.parametrize("floating", [False, True])
@seeds
def test_a_single_state_is_one_sample(floating, seed):
    robot, rng = random_robot(seed, floating=floating)
    q, v, a, base = random_motion(rng, robot, samples=1)
    for many, one in (
        (robot.inverse_dynamics(q, v, a, base=base), robot.inverse_dynamics(q[0], v[0], a[0], base=base)),
        (robot.mass_matrix(q), robot.mass_matrix(q[0])),
        (robot.regressor(q, v, a, base=base), robot.regressor(q[0], v[0], a[0], base=base)),
        (robot.coriolis_matrix(q, v, base=base), robot.coriolis_matrix(q[0], v[0], base=base)),
        (robot.kinetic_energy(q, v, base=base), robot.kinetic_energy(q[0], v[0], base=base)),
        (robot.poses(q)[1], robot.poses(q[0])[1]),
    ):
        np.testing.assert_array_equal(many[0], one)


@pytest.mark.parametrize("floating", [False, True])
@seeds
def test_forward_dynamics_undo_inverse_dynamics(floating, seed):
    robot, rng = random_robot(seed, floating=floating)
    q, v, a, base = random_motion(rng, robot)
    back = robot.forward_dynamics(q, v, robot.inverse_dynamics(q, v, a, base=base), base=base)
    close(back, a if base is None else np.hstack([base.acceleration, a]), digits=7)


@seeds
def test_a_mimic_joint_is_the_chain_rule(seed):
    rng = np.random.default_rng(seed)
    description = random_description(rng)
    free = bf.Robot.build(replace(description, joints=tuple(replace(joint, mimic=None) for joint in description.joints)))
    robot = bf.Robot.build(description)
    share, offset = np.zeros((len(free.joint_names), len(robot.joint_names))), np.zeros(len(free.joint_names))
    for k, name in enumerate(free.joint_names):
        mimic = robot.joint(name).mimic or bf.Mimic(name)
        share[k, robot.joint_names.index(mimic.joint)], offset[k] = mimic.ratio, mimic.offset
    q, v, a, _ = random_motion(rng, robot)
    motion = q @ share.T + offset, v @ share.T, a @ share.T
    close(robot.inverse_dynamics(q, v, a), free.inverse_dynamics(*motion) @ share)
    close(robot.mass_matrix(q), share.T @ free.mass_matrix(motion[0]) @ share)
    close(robot.jacobian("link8", q), free.jacobian("link8", motion[0]) @ share)


@seeds
def test_a_locked_joint_is_a_joint_at_rest(seed):
    robot, rng = random_robot(seed, friction=bf.Viscous() + bf.RotorInertia())
    q, v, a, _ = random_motion(rng, robot)
    chosen = list(rng.choice(robot.joint_names, rng.integers(1, len(robot.joint_names) + 1), replace=False))
    k = [robot.joint_names.index(name) for name in chosen]
    free = [j for j in range(len(robot.joint_names)) if j not in k]
    q[:], v[:, k], a[:, k] = np.where(np.isin(np.arange(q.shape[1]), k), q[0], q), 0, 0
    locked = robot.locked(dict(zip(chosen, q[0, k], strict=True)))
    assert locked.joint_names == tuple(robot.joint_names[j] for j in free)
    assert [link.name for link in locked.links] == [link.name for link in robot.links]
    close(locked.inverse_dynamics(q[:, free], v[:, free], a[:, free]), robot.inverse_dynamics(q, v, a)[:, free])
    close(locked.base_wrench(q[:, free], v[:, free], a[:, free]), robot.base_wrench(q, v, a))
    for link in robot.frame_names:
        close(locked.pose(link, q[:, free])[1], robot.pose(link, q)[1])
        close(locked.pose(link, q[:, free])[0], robot.pose(link, q)[0])


@seeds
def test_a_payload_is_one_more_link(seed):
    rng = np.random.default_rng(seed)
    description = random_description(rng)
    tool, pose = bf.Link("tool", bf.Inertia.from_vector(random_body(rng))), bf.Pose(random_rotation(rng), rng.normal(size=3))
    weld = bf.Joint("weld", "fixed", "link5", "tool", pose)
    longer = replace(description, links=(tool, *description.links), joints=(weld, *description.joints))
    robot = bf.Robot.build(description).with_payload("link5", tool.inertia, pose)
    close(robot.body_parameters, bf.Robot.build(longer).body_parameters)


@pytest.mark.parametrize("floating", [False, True])
@seeds
def test_energy_belongs_to_the_matrices(floating, seed):
    robot, rng = random_robot(seed, floating=floating)
    q, v, a, base = random_motion(rng, robot)
    speed = v if base is None else np.hstack([base.twist, v])
    close(robot.kinetic_energy(q, v, base=base), 0.5 * np.einsum("ni,nij,nj->n", speed, robot.mass_matrix(q), speed))
    step = 1e-5
    for j in range(q.shape[1]):
        move = step * np.eye(q.shape[1])[j]
        climb = (robot.potential_energy(q + move, base=base) - robot.potential_energy(q - move, base=base)) / (2 * step)
        close(robot.gravity_torque(q, base=base)[:, j - q.shape[1]], climb, digits=6)
    if base is not None:  # lifting the base is work against its gravity wrench, turned into the world
        force = np.einsum("nij,nj->ni", base.rotation, robot.gravity_torque(q, base=base)[:, :3])
        for j in range(3):
            lifted = replace(base, pose=base.pose + step * np.eye(7)[j])
            climb = (robot.potential_energy(q, base=lifted) - robot.potential_energy(q, base=base)) / step
            close(force[:, j], climb, digits=5)


@seeds
def test_momentum_is_the_first_rows_of_the_mass_matrix(seed):
    robot, rng = random_robot(seed, floating=True)
    q, v, _, base = random_motion(rng, robot)
    momentum = robot.momentum_regressor(q, v, base=base) @ robot.parameters("both").values
    close(momentum, np.einsum("nij,nj->ni", robot.mass_matrix(q)[:, :6], np.hstack([base.twist, v])))


@pytest.mark.parametrize("floating", [False, True])
@seeds
def test_coriolis_gravity_and_mass_add_up_to_the_torque(floating, seed):
    robot, rng = random_robot(seed, floating=floating)
    q, v, a, base = random_motion(rng, robot)
    speed, push = v, a
    if base is not None:
        speed = np.hstack([np.zeros((len(q), 3)), base.twist[:, 3:], v])
        push = np.hstack([base.acceleration, a])
    torque = np.einsum("nij,nj->ni", robot.mass_matrix(q), push) + robot.gravity_torque(q, base=base)
    torque += np.einsum("nij,nj->ni", robot.coriolis_matrix(q, v, base=base), speed)
    close(robot.inverse_dynamics(q, v, a, base=base, friction=False), torque)


@pytest.mark.parametrize("floating", [False, True])
@seeds
def test_derivatives_are_those_of_the_torque_with_friction(floating, seed):
    robot, rng = random_robot(seed, floating=floating)
    q, v, a, base = random_motion(rng, robot)
    matrices, step = robot.derivatives(q, v, a, base=base), 1e-6
    along = tuple(rng.normal(size=q.shape) for _ in range(3))
    ahead, behind = (
        robot.inverse_dynamics(*(x + sign * step * d for x, d in zip((q, v, a), along, strict=True)), base=base)
        for sign in (1, -1)
    )
    change = robot.tangent(q, v, a, along, base=base)
    close(change, (ahead - behind) / (2 * step), digits=5)
    close(change, sum(np.einsum("nij,nj->ni", m, d) for m, d in zip(matrices, along, strict=True)))
    weight = rng.normal(size=change.shape)
    for gradient, matrix in zip(robot.adjoint(q, v, a, weight, base=base), matrices, strict=True):
        close(gradient, np.einsum("ni,nij->nj", weight, matrix))


@seeds
def test_jacobians_are_derivatives_of_poses(seed):
    robot, rng = random_robot(seed, friction=None)
    q, step, point = rng.normal(size=(3, len(robot.joint_names))), 1e-6, rng.normal(size=3)
    for link in ("link8", "link3"):
        J = robot.jacobian(link, q, point)
        for j in range(q.shape[1]):
            (R1, p1), (R0, p0) = (robot.pose(link, q + s * step * np.eye(q.shape[1])[j]) for s in (1, -1))
            close(J[:, :3, j], ((R1 @ point + p1) - (R0 @ point + p0)) / (2 * step), digits=6)
            spin = (R1 - R0) / (2 * step) @ np.swapaxes(robot.pose(link, q)[0], 1, 2)
            close(J[:, 3:, j], np.stack([spin[:, 2, 1], spin[:, 0, 2], spin[:, 1, 0]], axis=1), digits=6)


@seeds
def test_a_floating_robot_at_rest_is_the_fixed_one(seed):
    robot, rng = random_robot(seed)
    q, v, a, _ = random_motion(rng, robot)
    floating = bf.Robot.build(robot.description(), floating=True, friction=robot.friction, values=drives(robot))
    both = floating.inverse_dynamics(q, v, a, base=bf.BaseMotion())
    close(both[:, 6:], robot.inverse_dynamics(q, v, a))
    close(both[:, :6], robot.base_wrench(q, v, a))


@seeds
def test_a_base_far_away_and_turned_feels_the_same_with_gravity_turned(seed):
    robot, rng = random_robot(seed, floating=True)
    q, v, a, base = random_motion(rng, robot, samples=1)
    here = replace(base, pose=[[0, 0, 0, 0, 0, 0, 1]])
    turned = robot.with_gravity(base.gravity(robot.gravity)[0])
    close(turned.inverse_dynamics(q, v, a, base=here), robot.inverse_dynamics(q, v, a, base=base))
    R, p = robot.pose("link4", q)
    close(robot.pose("link4", q, base=base)[1], np.einsum("nij,nj->ni", base.rotation, p) + base.pose[:, :3])
    close(robot.pose("link4", q, base=base)[0], base.rotation @ R)


def test_a_floating_joint_at_the_root_makes_a_floating_robot():
    rng = np.random.default_rng(3)
    description = random_description(rng)
    world = replace(
        description,
        links=(bf.Link("world"), bf.Link("ground"), *description.links),
        joints=(
            *description.joints,
            bf.Joint("weld", "fixed", "world", "ground"),
            bf.Joint("free", "floating", "world", "link0"),
        ),
    )
    one, two = bf.Robot.build(world), bf.Robot.build(description, floating=True)
    assert one.is_floating and one.body_names == two.body_names and one.frame_names == two.frame_names
    close(one.body_parameters, two.body_parameters)
    welded = bf.Robot.build(world, floating=False)
    assert not welded.is_floating and welded.body_names[0] == "world"
    close(welded.body_parameters, two.body_parameters)


def drives(robot):
    return dict(zip(robot.drive_columns.names, robot.drive_values.tolist(), strict=True))


@seeds
def test_parameters_go_out_and_come_back(seed):
    robot, rng = random_robot(seed)
    every = robot.parameters_of()
    other = every.with_values(every.values + rng.normal(size=len(every)))
    changed = robot.with_parameters(other)
    np.testing.assert_allclose(changed.parameters_of().values, other.values, atol=1e-12)
    np.testing.assert_allclose(changed.with_parameters(every).body_parameters, robot.body_parameters, atol=1e-12)
    np.testing.assert_array_equal(robot.parameters_of().values, every.values)  # nothing changed in place
    bodies = rng.normal(size=robot.body_parameters.shape)
    close(robot.with_body_parameters(bodies).body_parameters, bodies)
    assert robot.with_parameters({}).parameters_of().as_dict() == every.as_dict()


@seeds
def test_other_names_are_only_names(seed):
    robot, rng = random_robot(seed, friction=bf.Viscous() + bf.Coulomb(at="joint1"))
    names = {joint.name: f"J{joint.name}" for joint in robot.joints} | {"link4": "forearm"}
    other = robot.renamed(names)
    q, v, a, _ = random_motion(rng, robot)
    assert other.joint_names == tuple(f"J{name}" for name in robot.joint_names)
    np.testing.assert_array_equal(other.inverse_dynamics(q, v, a), robot.inverse_dynamics(q, v, a))
    back = other.renamed({new: old for old, new in names.items()})
    assert back.parameters_of().as_dict() == robot.parameters_of().as_dict()


def test_selecting_locks_the_others_at_zero_or_at_the_nearest_limit():
    panda = bf.Robot.load("panda")
    arm = panda.select(["joint2", "joint6"])
    assert arm.joint_names == ("joint2", "joint6")
    limits = panda.limits
    home = np.clip(0.0, limits.lower, limits.upper)
    q = np.tile(home, (5, 1))
    q[:, [1, 5]] = np.random.default_rng(0).normal(size=(5, 2))
    close(arm.gravity_torque(q[:, [1, 5]]), panda.gravity_torque(q)[:, [1, 5]])
    np.testing.assert_array_equal(arm.limits.upper, limits.upper[[1, 5]])
    assert home[3] < 0  # joint 4 of the Panda cannot stand at zero


def test_what_the_joints_state_becomes_friction_and_goes_back():
    rod = bf.Link("rod", bf.Inertia.from_vector([1, 0, 0, 0.1, 1, 0, 1, 0, 0, 1]))
    tip = bf.Link("tip", rod.inertia)
    hinge = bf.Joint("hinge", "revolute", "base", "rod", damping=0.5, friction=2.0, armature=0.1)
    follower = bf.Joint(
        "follower", "revolute", "rod", "tip", mimic=bf.Mimic("hinge", -2.0), damping=0.25, friction=1.0, armature=0.2
    )
    robot = bf.Robot.build(bf.Description("arm", (bf.Link("base"), rod, tip), (hinge, follower)))
    assert drives(robot) == {"hinge.viscous": 1.5, "hinge.coulomb": 4.0, "hinge.rotor_inertia": pytest.approx(0.9)}
    assert [joint.damping for joint in robot.joints] == [0.5, 0.25]  # as the file has it
    softer = robot.with_parameters({"hinge.viscous": 0.75})
    assert [joint.damping for joint in softer.joints] == [0.75, 0.0]
    assert [joint.friction for joint in softer.joints] == [2.0, 1.0]
    assert bf.Robot.build(softer.description()).parameters_of().as_dict() == softer.parameters_of().as_dict()
    assert [joint.armature for joint in robot.with_friction(None).joints] == [0.0, 0.0]
    assert bf.Robot.load("pendulum").friction.terms == ()


@seeds
def test_coupled_rotors_enter_the_mass_matrix(seed):
    robot, rng = random_robot(seed, friction=None)
    names = robot.joint_names[:2]
    wrist = bf.Drivetrain(joints=names, motors=("m1", "m2"), matrix=[[3, 0], [2, 2]])
    coupled = robot.with_drivetrain(wrist).with_friction(
        bf.RotorInertia(at=("m1", "m2")), {"m1.rotor_inertia": 0.2, "m2.rotor_inertia": 0.3}
    )
    q, v, a, _ = random_motion(rng, robot)
    expected = np.zeros((len(robot.joint_names),) * 2)
    expected[:2, :2] = wrist.matrix.T @ np.diag([0.2, 0.3]) @ wrist.matrix
    close(coupled.mass_matrix(q) - robot.mass_matrix(q), np.broadcast_to(expected, (len(q), *expected.shape)))
    close(coupled.inverse_dynamics(q, v, a) - robot.inverse_dynamics(q, v, a), a @ expected)
    assert coupled.drive_columns.columns.is_inertia.all()
    left = coupled.locked({names[0]: 0.0})  # motor 1 has nothing left to turn
    assert left.drive_columns.names == ("m2.rotor_inertia",) and left.drive_values.tolist() == [0.3]


def test_a_model_is_the_robot_without_its_file():
    robot, rng = random_robot(5)
    q, v, a, _ = random_motion(rng, robot)
    np.testing.assert_array_equal(robot.model().inverse_dynamics(q, v, a), robot.inverse_dynamics(q, v, a))
    assert not hasattr(robot.model(), "save")


def test_a_robot_that_holds_still_has_no_joints():
    robot = bf.Robot.load("pendulum").locked({"joint1": 0.4})
    assert robot.joint_names == ()
    none = np.zeros((3, 0))
    assert robot.inverse_dynamics(none, none, none).shape == (3, 0)
    assert robot.regressor(none, none, none, rows="base").shape == (3, 6, 10)
    close(robot.base_wrench(none, none, none)[:, 2], np.full(3, 9.81))


def test_nothing_can_be_written_into_a_robot():
    robot, _ = random_robot(1)
    for array in (robot.body_parameters, robot.drive_values, robot.tree.axis, robot.parameters().values):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0

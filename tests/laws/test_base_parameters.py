"""Laws of base parameters on random trees: the same torque, the same rank however one looks, wishes that are respected."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from oracles import random_body, random_machine, random_rotation

import bifilar as bf
from bifilar.dynamics.grouping import group, triangular_factor
from bifilar.robot.snapping import snapped, snapped_axis, snapped_rotation

seeds = given(st.integers(0, 100_000))
DRIVES = bf.Viscous() + bf.Coulomb() + bf.Offset() + bf.RotorInertia()


def random_model(seed, joints=5, friction=None, **settings):
    rng = np.random.default_rng(seed)
    machine = random_machine(rng, joints, **settings)
    tree = machine.tree
    assume(np.abs(tree.ratio).min() > 0.05)  # a joint that hardly follows makes parameters that hardly act: no clear count
    bodies = tuple(f"body{k}" for k in range(tree.n_joints + 1))
    names = tuple(f"joint{k}" for k in range(tree.n_coordinates))
    model = bf.Model(
        tree=tree,
        joint_names=names,
        body_names=bodies,
        body_parameters=machine.phi,
        friction=bf.Friction() if friction is None else friction,
    )
    return model, rng


def random_robot(seed, links=7):
    """Branches, fixed links, sliding joints, one mimic joint."""
    rng = np.random.default_rng(seed)
    bodies = tuple(bf.Link(f"link{k}", bf.Inertia.from_vector(random_body(rng))) for k in range(links))
    joints = []
    for k in range(1, links):
        kind = "revolute" if k in (1, 2) else str(rng.choice(["revolute", "prismatic", "fixed"]))
        pose = bf.Pose(random_rotation(rng), rng.normal(size=3) * 0.4)
        mimic = bf.Mimic("joint1", 0.5, 0.2) if k == 2 else None
        axis = np.eye(3)[rng.integers(3)]
        joints.append(bf.Joint(f"joint{k}", kind, f"link{rng.integers(max(0, k - 3), k)}", f"link{k}", pose, axis, mimic=mimic))
    return bf.Robot.build(bf.Description("random", bodies, tuple(joints)), gravity=rng.normal(size=3) * 6), rng


def motion(model, rng, samples=20):
    q, v, a = rng.normal(size=(3, samples, len(model.joint_names)))
    if not model.is_floating:
        return (q, v, a), {}
    turn = rng.normal(size=(samples, 4))
    pose = np.hstack([rng.normal(size=(samples, 3)), turn / np.linalg.norm(turn, axis=1, keepdims=True)])
    twist, acceleration = rng.normal(size=(2, samples, 6))
    return (q, v, a), {"base": bf.BaseMotion(pose=pose, twist=twist, acceleration=acceleration)}


def close(actual, expected, digits=9):
    np.testing.assert_allclose(actual, expected, rtol=0, atol=10.0**-digits * (1 + np.abs(expected).max(initial=0.0)))


@pytest.mark.parametrize(("rows", "floating"), [("joints", False), ("base", False), ("both", False), ("both", True)])
@seeds
def test_base_values_and_the_full_vector_they_stand_for_cause_the_same_torque(rows, floating, seed):
    model, rng = random_model(seed, friction=DRIVES, floating=floating)
    found = bf.base_parameters(model, rows=rows)
    assert found.status == "clear" and found.names == model.column_names(rows)
    states, base = motion(model, rng)
    Y = model.regressor(*states, rows=rows, **base)
    phi = rng.normal(size=len(found.names))  # any values, physical or not
    beta = found.from_full(phi)
    close(found.regressor(Y) @ beta, Y @ phi)
    close(Y @ found.to_full(beta), Y @ phi)
    close(found.from_full(found.to_full(beta)), beta, digits=12)


@seeds
def test_what_the_base_values_do_not_see_changes_no_torque(seed):
    model, rng = random_model(seed)
    found = bf.base_parameters(model)
    states, _ = motion(model, rng)
    Y = model.regressor(*states)
    _, _, right = np.linalg.svd(found.matrix)
    unseen = right[found.rank :].T @ rng.normal(size=len(found.names) - found.rank)
    assert np.abs(Y @ unseen).max(initial=0) < 1e-7 * np.abs(Y).max(initial=1) * np.linalg.norm(unseen)
    phi = model.parameters().values
    close(found.from_full(phi + unseen), found.from_full(phi))
    none = [found.names.index(name) for name in found.no_effect]
    assert np.abs(Y[..., none]).max(initial=0) < 1e-8 * np.abs(Y).max(initial=1)


@seeds
def test_columns_are_divided_into_three_and_named(seed):
    model, _ = random_model(seed, friction=DRIVES)
    found = bf.base_parameters(model)
    assert sorted(found.independent + found.dependent + found.no_effect) == sorted(model.column_names())
    assert found.coefficients.shape == (found.rank, len(found.dependent)) == (len(found), len(found.dependent))
    assert [equation.split(" ")[0] for equation in found.equations()] == list(found.independent)
    told = {f"{s.owner}.{word}" for s in found.sights() for word in (*s.alone, *s.combined, *s.inside, *s.hidden)}
    assert told == set(found.names)


@seeds
def test_the_rank_is_a_property_of_the_structure(seed):
    model, rng = random_model(seed)
    found = bf.base_parameters(model)
    assert {bf.base_parameters(model, seed=k).rank for k in (1, 2)} == {found.rank}
    other = replace(model, body_parameters=rng.normal(size=model.body_parameters.shape))
    assert bf.base_parameters(other).independent == found.independent
    assert found.rank == bf.base_parameters(model, keep=rng.permutation(found.names)).rank


@seeds
def test_links_and_bodies_have_the_same_rank(seed):
    robot, rng = random_robot(seed)
    states, _ = motion(robot, rng)
    for rows in ("joints", "both"):
        bodies, links = (bf.base_parameters(robot, rows=rows, per_link=flag) for flag in (False, True))
        assert bodies.rank == links.rank
        assert links.names == robot.column_names(rows, per_link=True)
        Y = robot.regressor(*states, rows=rows, per_link=True)
        phi = robot.parameters(rows, per_link=True)
        close(links.regressor(Y) @ links.from_full(phi), Y @ phi.values)
        moving = bf.base_parameters(robot, rows=rows, per_link=True, bodies="moving")
        assert set(moving.names) == set(robot.column_names("joints", per_link=True)) and moving.rank <= links.rank


@seeds
def test_permuting_the_joints_of_the_file_does_not_change_the_rank(seed):
    robot, rng = random_robot(seed)
    joints = tuple(robot.joints[k] for k in rng.permutation(len(robot.joints)))
    other = bf.Robot.build(replace(robot.description(), joints=joints))
    assert bf.base_parameters(other).rank == bf.base_parameters(robot).rank


@seeds
def test_a_column_that_can_be_kept_is_kept(seed):
    model, rng = random_model(seed)
    found = bf.base_parameters(model)
    wanted = str(rng.choice(found.dependent or found.independent))
    again = bf.base_parameters(model, keep=[wanted])
    assert wanted in again.independent and again.rank == found.rank
    assert not [finding for finding in again.findings if finding.where.startswith("keep")]
    states, _ = motion(model, rng)
    Y, phi = model.regressor(*states), model.parameters().values
    close(again.regressor(Y) @ again.from_full(phi), Y @ phi)
    swapped = bf.base_parameters(model, keep=again.independent)
    assert swapped.independent == again.independent


@seeds
def test_generic_revolute_chains_have_seven_parameters_per_link_less_four(seed):
    """Gautier and Khalil 1990: three for the first link whose axis gravity does not follow, seven for every other one."""
    model, _ = random_model(seed, joints=4, branches=False, prismatic=0.0, mimic=False)
    axes = np.random.default_rng(seed).normal(size=(4, 3))
    tree = replace(model.tree, axis=axes / np.linalg.norm(axes, axis=1, keepdims=True))
    assert bf.base_parameters(replace(model, tree=tree)).rank == 7 * 4 - 4


def test_a_wish_that_cannot_be_granted_is_a_finding():
    robot = bf.Robot.load("two_link")
    found = bf.base_parameters(robot, keep=["link1.mass", "link1.mcx", "link1.Izz", "link2.mass"])
    assert [finding.where for finding in found.findings] == ["keep 'link1.mass'", "keep 'link2.mass'"]
    assert "no effect" in found.findings[0].what and "combination" in found.findings[1].what
    preferred = bf.base_parameters(robot, keep=["*.mass"])  # a pattern only prefers
    assert "link2.mass" in preferred.independent and not preferred.findings
    with pytest.raises(bf.RobotError, match=r"'link1\.mas'"):
        bf.base_parameters(robot, keep=["link1.mas"])
    with pytest.raises(bf.RobotError, match="knows no links"):
        bf.base_parameters(robot.model(), per_link=True)


def rounded(robot):
    """The robot as a file with five digits would have it: every twist off by what 1.5708 is off."""
    c, s = np.cos(3.7e-6), np.sin(3.7e-6)
    turn = np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
    joints = tuple(replace(j, pose=bf.Pose(j.pose.rotation @ turn, j.pose.translation)) if j.moves else j for j in robot.joints)
    return bf.Robot.build(replace(robot.description(), joints=joints, source=None), friction=robot.friction)


@pytest.mark.parametrize("kind", ["robot", "model"])
def test_rounded_right_angles_do_not_make_parameters(kind):
    robot = rounded(bf.Robot.load("panda").with_friction(None))
    model = robot if kind == "robot" else robot.model()
    found = bf.base_parameters(model)
    assert found.rank == 43 and found.gaps[0].rank == 43 and found.gaps[-1].rank > 43
    assert found.findings[0].where == "joint origins"
    rng = np.random.default_rng(0)
    states, _ = motion(robot, rng)
    Y, phi = robot.regressor(*states), robot.parameters().values
    close(found.regressor(Y) @ found.from_full(phi), Y @ phi, digits=4)  # what rounding leaves out


def test_snapping_leaves_everything_else_alone():
    rng = np.random.default_rng(0)
    turn, axis = random_rotation(rng), np.array([0.6, 0.8, 0.0])
    assert snapped_rotation(turn) is turn
    np.testing.assert_array_equal(snapped_axis(axis), axis)
    robot = bf.Robot.load("panda")
    assert snapped(robot).model is robot and snapped(robot.model()).off == {}


def test_slow_friction_and_one_sided_friction_are_seen_for_what_they_are():
    robot = bf.Robot.load("pendulum")
    slow = bf.base_parameters(robot.with_friction(bf.Coulomb() + bf.Stribeck(speed=1e-3)))
    assert {"joint1.coulomb", "joint1.stribeck"} <= set(slow.independent) and slow.status == "clear"
    sided = bf.base_parameters(robot.with_friction(bf.Coulomb(asymmetric=True) + bf.Offset()))
    assert sided.equations()[-1] == "joint1.coulomb_backward - joint1.offset"
    assert sided.dependent == ("joint1.offset",)
    gear = bf.base_parameters(robot.with_friction(bf.LoadDependent()))
    assert "joint1.load" in gear.independent


def test_a_robot_that_holds_still_has_no_base_parameters():
    robot = bf.Robot.load("pendulum").locked({"joint1": 0.4})
    found = bf.base_parameters(robot)
    assert found.rank == 0 and found.names == () and found.describe()
    wrench = bf.base_parameters(robot, rows="base")
    assert wrench.independent == ("link0.mass", "link0.mcx", "link0.mcy")  # weight, and where it acts
    assert bf.base_parameters(robot, rows="base", gravity=False).rank == 0


def test_data_do_not_change_the_grouping_but_say_what_they_see():
    robot = bf.Robot.load("panda").with_friction(None)
    rng = np.random.default_rng(0)
    structural = bf.base_parameters(robot)
    rich = bf.base_parameters(robot, states=tuple(rng.normal(size=(3, 3000, 7))))
    assert rich.independent == structural.independent and rich.data.weak == () and rich.data.condition < 1e3
    q, v, a = rng.normal(size=(3, 500, 7)) * 1e-3  # hardly moving: the columns are there, the data do not show them
    poor = bf.base_parameters(robot, states=(q, v, a))
    assert poor.rank == 43 and poor.data.condition > 1e5 and len(poor.data.weak) > 20
    assert poor.findings[-1].severity == "warning" and poor.data.directions
    v[:, 1:] = a[:, 1:] = q[:, 1:] = 0
    q[:, 0], v[:, 0], a[:, 0] = rng.normal(size=(3, 500))  # only the first, vertical joint moves
    first = bf.base_parameters(robot, states=(q, v, a)).data
    assert len(first.directions) >= 43 - 3 * 7  # seven torques, each of a constant, an acceleration and a squared speed
    assert np.all(first.visibility >= 0) and np.isfinite(first.visibility).all()


def test_own_torque_is_the_distance_from_the_other_columns():
    robot = bf.Robot.load("two_link")
    q, v, a = np.random.default_rng(0).normal(size=(3, 50, 2))
    found = bf.base_parameters(robot, states=(q, v, a))
    W = found.regressor(robot.regressor(q, v, a)).reshape(-1, found.rank)
    for k, own in enumerate(found.data.own_torque):
        others = np.delete(W, k, axis=1)
        rest = W[:, k] - others @ np.linalg.lstsq(others, W[:, k])[0]
        assert own == pytest.approx(np.linalg.norm(rest) / np.sqrt(50), rel=1e-9)


@seeds
def test_grouping_finds_a_planted_structure(seed):
    rng = np.random.default_rng(seed)
    rank, extra = rng.integers(1, 8, 2)
    base, mix = rng.normal(size=(40, rank)), rng.normal(size=(rank, extra))
    columns = rng.permutation(rank + extra + 1)
    matrix = np.hstack([base, base @ mix, np.zeros((40, 1))])[:, columns]
    found = group(matrix)
    assert (found.rank, found.status) == (rank, "clear")
    assert found.no_effect.tolist() == [int(np.argmax(columns == rank + extra))]
    close(matrix[:, found.independent] @ found.matrix, matrix)
    wish = list(np.argsort(columns)[:rank])  # the planted base
    assert set(group(matrix, order=wish).independent) == set(group(matrix, keep=wish).independent) == set(wish)
    factor = triangular_factor([matrix[:7], matrix[7:]], matrix.shape[1])
    assert group(factor).independent.tolist() == found.independent.tolist()


def test_rounding_errors_are_no_parameters_and_no_gap_is_no_answer():
    rng = np.random.default_rng(0)
    noise = 1e-16 * rng.normal(size=(100, 2))
    matrix = np.hstack([rng.normal(size=(100, 3)), noise])
    assert group(matrix).rank == 3 and group(matrix).no_effect.tolist() == [3, 4]
    assert group(matrix / np.linalg.norm(matrix, axis=0)).rank == 5  # what dividing by norms would invent
    slope = group(np.diag(10.0 ** -np.arange(16.0)))
    assert slope.status == "ambiguous" and len(slope.candidates) >= 1 and "fall only" in slope.reason
    assert group(np.zeros((4, 3))).rank == 0 and group(np.zeros((0, 3))).no_effect.tolist() == [0, 1, 2]
    with pytest.raises(bf.ShapeError, match="finite"):
        group([[np.nan]])

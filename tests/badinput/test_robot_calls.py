"""Wrong arrays, names and trees, each with the exact letter it must get. Nothing else than a BifilarError may come out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import bifilar as bf

ARM = bf.Robot.load("two_link")
FLOATING = bf.Robot.load("two_link", floating=True)
LOADED = ARM.with_friction(bf.LoadDependent())
HAND = bf.Robot.build(
    bf.Description(
        "hand",
        (bf.Link("palm"), bf.Link("left"), bf.Link("right")),
        (
            bf.Joint("leader", "prismatic", "palm", "left"),
            bf.Joint("follower", "prismatic", "palm", "right", mimic=bf.Mimic("leader", ratio=-2.0, offset=0.1)),
        ),
    )
)
GOOD = np.zeros((3, 2))
NAN = np.array([[0.0, 0.0], [0.0, np.nan], [0.0, 0.0]])


def arm(position=GOOD, velocity=GOOD, acceleration=GOOD, robot=ARM, **more):
    return lambda: robot.inverse_dynamics(position, velocity, acceleration, **more)


CALLS = [
    (
        arm(np.zeros((3, 3))),
        "position has the shape (3, 3), the robot has 2 joints\n  joints  joint1, joint2\n  try     give (samples, 2) or (2,)",
    ),
    (
        arm(np.zeros((2, 3))),
        "position has the shape (2, 3), the robot has 2 joints\n  joints  joint1, joint2\n"
        "  likely  rows and columns are exchanged\n  try     give position.T",
    ),
    (
        arm(0.5),
        "position has the shape (), the robot has 2 joints\n  joints  joint1, joint2\n  try     give (samples, 2) or (2,)",
    ),
    (
        arm(np.zeros((1, 3, 2))),
        "position has the shape (1, 3, 2), the robot has 2 joints\n  joints  joint1, joint2\n"
        "  try     give (samples, 2) or (2,)",
    ),
    (
        arm(velocity=np.zeros((4, 2))),
        "the arrays hold different numbers of samples: position 3, velocity 4, acceleration 3\n"
        "  try     give every array one row per sample (np.zeros_like(position) for a robot at rest)",
    ),
    (
        arm(velocity=NAN),
        "velocity of joint 'joint2' is nan in sample 1\n  where   velocity[1, 1]\n"
        "  likely  a gap in the recording, or a division by zero upstream\n  try     cut out or interpolate those samples",
    ),
    (
        arm(acceleration=np.full((3, 2), -np.inf)),
        "acceleration of joint 'joint1' is -inf in sample 0\n  where   acceleration[0, 0]\n"
        "  likely  a gap in the recording, or a division by zero upstream\n  try     cut out or interpolate those samples",
    ),
    (arm(GOOD + 1j), "position holds complex128, not real numbers\n  try     convert it to float first"),
    (arm(GOOD > 0), "position holds bool, not real numbers\n  try     convert it to float first"),
    (
        arm([["a", "b"]]),
        "position holds <U1, not real numbers\n  likely  a text column or missing values were read as objects\n"
        "  try     convert it to float first",
    ),
    (
        arm(None),
        "position holds object, not real numbers\n  likely  a text column or missing values were read as objects\n"
        "  try     convert it to float first",
    ),
    (arm([[1.0, 2.0], [3.0]]), "position has rows of different lengths\n  try     give a rectangular array (samples, joints)"),
    (
        lambda: bf.Robot.load("pendulum").gravity_torque(np.zeros(5)),
        "position has the shape (5,), the robot has 1 joint\n  joints  joint1\n"
        "  likely  one column per joint is asked for, also for a single one\n  try     give position[:, None]",
    ),
    (
        arm(base=bf.BaseMotion()),
        "the robot stands on a fixed base, but a base motion was given\n"
        "  try     leave base=... away, or load the robot with floating=True",
    ),
    (
        arm(robot=FLOATING),
        "the robot floats: the motion of its base is missing\n"
        "  try     give base=BaseMotion(pose=..., twist=..., acceleration=...); BaseMotion() stands at the origin",
    ),
    (
        arm(robot=FLOATING, base=bf.BaseMotion(twist=np.zeros((2, 6)))),
        "the base motion holds 2 samples, the joints' 3\n  try     give one row per sample, or one for all",
    ),
    (arm(robot=LOADED, load=np.zeros((2, 2))), "load holds 2 samples, the state 3\n  try     give one row per sample"),
    (
        lambda: LOADED.friction_torque(GOOD),
        "load-dependent friction needs the load torque\n  try     give load=..., (samples, joints)",
    ),
    (
        lambda: bf.BaseMotion(pose=[0, 0, 0, 0, 0, 0, 2]),
        "the base quaternion of sample 0 has the norm 2, not 1\n  where   base pose[0, 3:]\n"
        "  try     give x y z w, divided by its norm",
    ),
    (
        lambda: bf.BaseMotion(twist=np.zeros((2, 6)), acceleration=np.zeros((3, 6))),
        "the base motion holds different numbers of samples: twist 2, acceleration 3\n"
        "  try     give one row per sample, or one for all",
    ),
    (
        lambda: bf.BaseMotion(pose=np.zeros((2, 6))),
        "base pose has the shape (2, 6), it needs 7 columns\n  columns x, y, z, qx, qy, qz, qw\n"
        "  try     give (samples, 7) or (7,)",
    ),
    (
        lambda: ARM.regressor(GOOD, GOOD, GOOD, rows="all"),
        "there are no rows 'all'\n  try     choose 'joints', 'base' or 'both'",
    ),
    (
        lambda: ARM.regressor(GOOD, GOOD, GOOD, out=np.zeros((3, 2, 19))),
        "out must be a writable, aligned, C-contiguous float64 array (3, 2, 20), it is float64 (3, 2, 19)\n"
        "  try     make it once: np.empty((3, 2, 20))",
    ),
    (
        lambda: ARM.forward_dynamics(GOOD, GOOD, np.zeros((2, 2))),
        "torque holds 2 samples, the state 3\n  try     give one row per sample",
    ),
    (
        lambda: ARM.pose("lnk2", GOOD),
        "robot 'two_link' has no link 'lnk2'\n  links   link0, link1, link2, tip\n  likely  a misspelling of 'link2'",
    ),
    (lambda: ARM.jacobian("link2", GOOD, point=[0, 0]), "point must be three finite numbers [m], it is [0, 0]"),
    (lambda: ARM.joint("elbow"), "robot 'two_link' has no joint 'elbow'\n  joints  joint1, joint2, tip_fixed"),
    (
        lambda: ARM.with_parameters({"link2.mas": 1.0}),
        "robot 'two_link' has no parameter 'link2.mas'\n"
        "  likely  a misspelling of 'link2.mass' or 'link1.mass'\n"
        "  try     names are link.mass, link.mcx, ... and, with friction terms, joint.viscous, joint.coulomb, ...",
    ),
    (lambda: ARM.with_parameters({"link2.mass": np.nan}), "'link2.mass' must be one finite number, not nan"),
    (lambda: ARM.with_parameters({"link2.mass": "1"}), "'link2.mass' must be one finite number, not '1'"),
    (
        lambda: ARM.with_friction(bf.Viscous(), {"joint1.coulomb": 1.0}),
        "there is no drive column 'joint1.coulomb'\n  try     add the term to the friction model: with_friction(...)",
    ),
    (lambda: ARM.with_body_parameters(np.zeros((2, 10))), "body_parameters must be (3, 10) finite numbers, it is (2, 10)"),
    (
        lambda: ARM.locked({"joint3": 0.0}),
        "robot 'two_link' has no moving joint 'joint3'\n  joints  joint1, joint2\n"
        "  likely  a misspelling of 'joint2' or 'joint1'\n  try     name one of these",
    ),
    (
        lambda: ARM.locked({"tip_fixed": 0.0}),
        "robot 'two_link' has no moving joint 'tip_fixed'\n  joints  joint1, joint2\n  try     name one of these",
    ),
    (
        arm(np.zeros((3, 9)), robot=FLOATING, base=bf.BaseMotion()),
        "position has the shape (3, 9), the robot has 2 joints\n  joints  joint1, joint2\n"
        "  likely  the first 7 columns are the base's\n"
        "  try     give (samples, 2) or (2,); the base's pose goes into base=BaseMotion(...)",
    ),
    (
        lambda: bf.Viscous(0.1),
        "Viscous(0.1): a term holds no values, only named settings\n"
        '  try     with_friction(Viscous(), {"joint1.viscous": 0.1})',
    ),
    (
        lambda: bf.Viscous("joint1"),
        "Viscous('joint1'): a term holds no values, only named settings\n  try     Viscous(at='joint1') for some joints only",
    ),
    (
        lambda: ARM.with_friction([bf.Viscous(), 0.1]),
        "0.1 is no friction term\n"
        "  try     bf.Viscous() + bf.Coulomb(), or a list of terms; values go into with_friction(terms, values)",
    ),
    (
        lambda: HAND.locked({"follower": 0.0}),
        "joint 'follower' mimics 'leader'\n  try     name 'leader'; 'follower' follows",
    ),
    (
        lambda: HAND.locked({"follower": 0.3, "leader": 0.2}),
        "joint 'follower' mimics 'leader'\n  try     name 'leader'; 'follower' follows",
    ),
    (lambda: ARM.locked({"joint1": np.inf}), "'position of joint1' must be one finite number, not inf"),
    (
        lambda: ARM.select(["joint1", "elbow"]),
        "robot 'two_link' has no moving joint 'elbow'\n  joints  joint1, joint2\n  try     name one of these",
    ),
    (lambda: ARM.renamed({"elbow": "x"}), "robot 'two_link' has no link or joint 'elbow'"),
    (
        lambda: ARM.renamed({"link1": "link2"}),
        "two links are named 'link2'\n  where   two_link\n  try     give each its own name",
    ),
    (
        lambda: ARM.with_gravity([0, -9.81]),
        "gravity must be three finite numbers [m/s^2], not [0, -9.81]\n  try     for example [0, 0, -9.81]",
    ),
    (lambda: ARM.parameters_of("*.weight"), "no parameter matches '*.weight'"),
    (
        lambda: ARM.parameters()["link9.mass"],
        "there is no parameter 'link9.mass'\n  likely  a misspelling of 'link2.mass' or 'link1.mass'\n  try     see .names",
    ),
    (lambda: ARM.save("arm.step"), "a robot cannot be written as '.step'\n  where   arm.step\n  try     .urdf"),
    (
        lambda: bf.Robot.load("arm.urdf.xacro"),
        "a xacro file is a program that writes a URDF\n  where   arm.urdf.xacro\n  try     run xacro file.xacro > robot.urdf",
    ),
]


@pytest.mark.parametrize(("call", "letter"), CALLS, ids=[letter.split("\n")[0] for _, letter in CALLS])
def test_a_wrong_call_gets_a_letter(call, letter):
    with pytest.raises(bf.BifilarError) as refusal:
        call()
    assert str(refusal.value) == letter


def test_a_follower_may_be_locked_beside_its_leader():
    for joints in (["follower", "leader"], {"leader": 0.0}, {"follower": 0.1, "leader": 0.0}, "leader"):
        held = HAND.locked(joints)
        assert held.joint_names == ()
        np.testing.assert_allclose(held.pose("right", np.zeros(0))[1], HAND.pose("right", [0.0])[1])


def test_friction_may_be_a_list():
    listed = ARM.with_friction([bf.Viscous(), bf.Coulomb() + bf.Offset()])
    assert listed.friction == bf.Viscous() + bf.Coulomb() + bf.Offset()


def test_an_unknown_robot_is_answered_with_the_names_there_are():
    with pytest.raises(bf.RobotError) as refusal:
        bf.Robot.load("pnda")
    assert refusal.value.what == "there is no file and no built-in robot 'pnda'"
    assert refusal.value.likely.startswith("a misspelling of 'panda'")
    assert "puma560" in refusal.value.remedy


LINKS = tuple(bf.Link(name) for name in ("base", "upper", "lower"))
SHOULDER = bf.Joint("shoulder", "revolute", "base", "upper", axis=[0, 1, 0])
ELBOW = bf.Joint("elbow", "revolute", "upper", "lower", axis=[0, 1, 0])
MIRROR = bf.Pose(np.diag([1.0, 1.0, -1.0]))

TREES = [
    ((), (), "the description has no links"),
    (LINKS, (SHOULDER,), "2 links have no parent: 'base', 'lower'"),
    (
        LINKS,
        (SHOULDER, ELBOW, replace(ELBOW, name="third", child="base")),
        "every link is some joint's child: the joints form a loop",
    ),
    (LINKS, (SHOULDER, replace(ELBOW, child="upper")), "link 'upper' is the child of two joints, 'shoulder' and 'elbow'"),
    (
        (*LINKS, bf.Link("a"), bf.Link("b")),
        (SHOULDER, ELBOW, bf.Joint("x", "fixed", "a", "b"), bf.Joint("y", "fixed", "b", "a")),
        "joint 'x' belongs to a loop that the root does not reach",
    ),
    (LINKS, (SHOULDER, replace(ELBOW, parent="uper")), "joint 'elbow' names the parent link 'uper', which does not exist"),
    (LINKS, (SHOULDER, replace(ELBOW, child="lowr")), "joint 'elbow' names the child link 'lowr', which does not exist"),
    ((*LINKS, bf.Link("upper")), (SHOULDER, ELBOW), "two links are named 'upper'"),
    (LINKS, (SHOULDER, replace(ELBOW, name="shoulder")), "two joints are named 'shoulder'"),
    (LINKS, (SHOULDER, replace(ELBOW, axis=np.zeros(3))), "joint 'elbow' has an axis of length zero"),
    (LINKS, (SHOULDER, replace(ELBOW, axis=[np.nan, 0, 0])), "joint 'elbow' has an origin or axis that is not finite"),
    (LINKS, (SHOULDER, replace(ELBOW, pose=MIRROR)), "the origin of joint 'elbow' is not a rotation"),
    (LINKS, (SHOULDER, replace(ELBOW, mimic=bf.Mimic("elbow"))), "joint 'elbow' mimics 'elbow', which leads back to it"),
    (LINKS, (SHOULDER, replace(ELBOW, mimic=bf.Mimic("wrist"))), "joint 'elbow' mimics 'wrist', which does not exist"),
    (
        LINKS,
        (replace(SHOULDER, kind="fixed"), replace(ELBOW, mimic=bf.Mimic("shoulder"))),
        "joint 'elbow' mimics 'shoulder', which does not move",
    ),
    (
        LINKS,
        (replace(SHOULDER, mimic=bf.Mimic("elbow")), replace(ELBOW, mimic=bf.Mimic("shoulder"))),
        "joint 'shoulder' mimics 'shoulder', which leads back to it",
    ),
    (
        LINKS,
        (SHOULDER, replace(ELBOW, mimic=bf.Mimic("shoulder", np.inf))),
        "joint 'elbow' mimics with a ratio or an offset that is not finite",
    ),
    (
        LINKS,
        (SHOULDER, replace(ELBOW, kind="floating")),
        "the floating joint 'elbow' is not the only thing that moves at the root",
    ),
    (
        (bf.Link("base", bf.Inertia.from_vector(np.full(10, np.nan))),),
        (),
        "link 'base' has an inertia that is not finite",
    ),
]


@pytest.mark.parametrize(("links", "joints", "what"), TREES, ids=[what for _, _, what in TREES])
def test_what_is_no_tree_is_refused(links, joints, what):
    with pytest.raises(bf.RobotError) as refusal:
        bf.Robot.build(bf.Description("thing", links, joints))
    assert refusal.value.what == what


def test_a_chain_of_thousands_of_links_is_no_trouble():
    """Nothing recurses over the tree: a hostile file may be one long chain."""
    links = tuple(bf.Link(f"l{k}") for k in range(3000))
    joints = tuple(bf.Joint(f"j{k}", "fixed", f"l{k}", f"l{k + 1}") for k in range(2999))
    robot = bf.Robot.build(bf.Description("chain", links, joints))
    assert robot.joint_names == ()

"""Whole robots against Pinocchio and MuJoCo, which read the files their own way: on both engines, joints matched by name.

The robots stand in tests/zoo.py, the other programs' answers in our coordinates in tests/twins.py. Errors are relative to the
largest number of the same sample. Of an MJCF file MuJoCo checks the reading and the equations; the regressors and derivatives,
which MuJoCo does not have, are checked by Pinocchio on the arrays that we read.
"""

from __future__ import annotations

import numpy as np
import pytest
from oracles import Machine, Pinocchio, State
from twins import Motion, MujocoFile, PinocchioFile, random_motion
from zoo import BASELESS, IMPOSSIBLE, KINDS, MODELS, SINGULAR, URDF, files_of

import bifilar as bf

pytest.importorskip("pinocchio")
pytest.importorskip("mujoco")

STATES = 100
TOLERANCE = 1e-10
DERIVATIVES = 1e-9
POINT = np.array([0.1, -0.2, 0.3])  # [m] of a link, whose Jacobian is compared

IN_PINOCCHIO = [(kind, name, floating) for kind, name in MODELS if kind != "mjcf" for floating in (False, True)]
IN_MUJOCO = [case for case in IN_PINOCCHIO if case[1] not in IMPOSSIBLE and not (case[2] and case[1] in BASELESS)]
IN_MUJOCO += [(kind, name, None) for kind, name in MODELS if kind == "mjcf"]


def label(case) -> str:
    kind, name, floating = case
    return f"{kind} {name}{' floating' if floating else ''}"


def test_there_are_enough_of_them():
    """Also where the datasets are not."""
    here = [name for kind, names in KINDS.items() if kind != "urdf" for name in names]
    assert STATES >= 100 and len(here) >= 20 and len(set(MODELS)) >= 45
    assert len({case[:2] for case in IN_PINOCCHIO}) >= 35
    assert len({case[:2] for case in IN_MUJOCO}) >= 35


def test_every_urdf_of_the_datasets_is_among_them(dataset):
    folder = dataset(".")
    assert {str(file.relative_to(folder)) for file in folder.glob("*/*.urdf")} == set(URDF)


@pytest.fixture(scope="module")
def prepared(dataset, tmp_path_factory):
    """prepared(make, case): robot, motion and the other program's answers, computed once for both engines."""
    folder, kept = tmp_path_factory.mktemp("models"), {}

    def get(make, case):
        if (make, case) not in kept:
            files = files_of(*case, dataset, folder)
            motion = random_motion(np.random.default_rng(len(case[1])), files.robot, STATES)
            kept[make, case] = make(files, motion)
        return kept[make, case]

    return get


def some_links(names):
    """At most five, evenly picked, the last among them."""
    return list(names)[:: -max(1, len(names) // 5)][:5]


def error(ours, theirs, small=0.0) -> float:
    """The largest difference in a sample relative to the largest number in it, of all samples the worst.

    Samples with nothing but small numbers are measured by a thousandth of the largest in any sample, or by `small`.
    """
    assert ours.shape == theirs.shape
    if not theirs.size or not (ours.any() or theirs.any()):
        return 0.0
    off, size = (np.abs(x).reshape(len(x), -1).max(axis=1) for x in (ours - theirs, theirs))
    return float((off / np.maximum(size, max(1e-3 * size.max(), small))).max())


def common_answers(who, motion: Motion, torque, links) -> dict:
    """What a twin says of the quantities that both programs know."""
    answers = {
        "inverse dynamics": who.inverse_dynamics(motion),
        "mass matrix": who.mass_matrix(motion),
        "forward dynamics": who.forward_dynamics(motion, torque),
    }
    for link, theirs in links.items():
        answers[f"Jacobian of {link}"] = who.jacobian(motion, theirs, POINT)
        answers[f"pose of {link}"] = who.pose(motion, theirs)
    return answers


def our_answers(robot: bf.Robot, motion: Motion, torque, links) -> dict:
    """The same by us."""
    q, v, a, base = motion.q, motion.v, motion.a, motion.given
    answers = {
        "inverse dynamics": robot.inverse_dynamics(q, v, a, **base),
        "mass matrix": robot.mass_matrix(q),
    }
    if torque is not None:
        answers["forward dynamics"] = robot.forward_dynamics(q, v, torque, **base)
    for link in links:
        answers[f"Jacobian of {link}"] = robot.jacobian(link, q, POINT)
        rotation, translation = robot.pose(link, q, **base)
        answers[f"pose of {link}"] = np.concatenate([rotation, translation[..., None]], axis=2)
    return answers


def our_slopes(robot: bf.Robot, motion: Motion, rows=None) -> dict:
    """What only Pinocchio knows beside us."""
    q, v, a, base = motion.q, motion.v, motion.a, motion.given
    by_q, by_v, by_a = robot.derivatives(q, v, a, **base)
    return {
        "regressor": robot.regressor(q, v, a, rows=rows, **base),
        "Coriolis matrix": robot.coriolis_matrix(q, v, **base),
        "derivative by position": by_q,
        "derivative by velocity": by_v,
        "derivative by acceleration": by_a,
    }


def errors(ours: dict, theirs: dict) -> dict[str, float]:
    assert ours.keys() <= theirs.keys()
    # A single joint has no velocity torque: rounding must not be compared with rounding, but with mass times speed.
    mass = 1e-3 * np.abs(theirs.get("derivative by acceleration", 0.0)).max()
    small = dict.fromkeys(("Coriolis matrix", "derivative by velocity"), mass)
    return {name: error(ours[name], theirs[name], small.get(name, 0.0)) for name in ours}


def assert_alike(ours: dict, theirs: dict) -> None:
    worst = errors(ours, theirs)
    allowed = {name: DERIVATIVES if name.startswith("derivative") else TOLERANCE for name in worst}
    assert not {name: off for name, off in worst.items() if not off <= allowed[name]}


def ask_pinocchio(files, motion: Motion):
    """Robot without losses, motion, torque, links and Pinocchio's answers."""
    robot = files.robot.with_friction(None)
    twin = PinocchioFile(files.urdf, robot)
    links = {link: link for link in some_links(robot.frame_names)}
    torque = twin.inverse_dynamics(motion)[:, ::-1].copy()
    theirs = common_answers(twin, motion, torque, links)
    slopes = ("regressor", "Coriolis matrix")
    theirs |= dict(zip(slopes, (twin.regressor(motion), twin.coriolis_matrix(motion))))
    by = ("position", "velocity", "acceleration")
    theirs |= {f"derivative by {word}": matrix for word, matrix in zip(by, twin.derivatives(motion))}
    return robot, motion, torque, links, theirs


@pytest.mark.parametrize("case", IN_PINOCCHIO, ids=label)
def test_like_pinocchio(prepared, engine, case):
    robot, motion, torque, links, theirs = prepared(ask_pinocchio, case)
    if case[1:] in SINGULAR:
        with pytest.raises(bf.SolveError, match="mass matrix of sample 0 is singular"):
            robot.forward_dynamics(motion.q, motion.v, torque, **motion.given)
        torque = None
    assert_alike(our_answers(robot, motion, torque, links) | our_slopes(robot, motion), theirs)


def ask_mujoco(files, motion: Motion):
    """Robot with damping and rotors, which MuJoCo knows too, motion, torque, links and MuJoCo's answers."""
    robot = files.robot.with_friction(bf.Viscous() + bf.RotorInertia())
    twin = MujocoFile(files.mjcf, robot)
    bodies = [twin.model.body(i).name for i in range(1, twin.model.nbody)]
    links = {f"{b}_frame" if f"{b}_frame" in robot.frame_names else b: b for b in some_links(bodies) if b != "ground"}
    torque = twin.inverse_dynamics(motion)[:, ::-1].copy()
    return robot, motion, torque, links, common_answers(twin, motion, torque, links)


@pytest.mark.parametrize("case", IN_MUJOCO, ids=label)
def test_like_mujoco(prepared, engine, case):
    robot, motion, torque, links, theirs = prepared(ask_mujoco, case)
    assert_alike(our_answers(robot, motion, torque, links), theirs)
    y = robot.regressor(motion.q, motion.v, motion.a, **motion.given)
    assert error(y @ robot.parameters().values, theirs["inverse dynamics"]) <= TOLERANCE


def ask_pinocchio_about_arrays(files, motion: Motion):
    """Robot without losses, motion, and what Pinocchio says of the tree and the body parameters that we read."""
    robot = files.robot.with_friction(None)
    base = motion.base or bf.BaseMotion(np.tile([0.0, 0, 0, 0, 0, 0, 1], (STATES, 1)))
    state = State(motion.q, motion.v, motion.a, base.rows(robot.gravity), base.twist[:, :3], base.rotation)
    twin, own = Pinocchio(Machine(robot.tree, robot.body_parameters)), slice(0 if robot.is_floating else 6, None)
    by_q, by_v = twin.derivatives(state)
    return (
        robot,
        motion,
        {
            "regressor": twin.regressor(state),
            "Coriolis matrix": twin.coriolis_matrix(state)[:, own, own],
            "derivative by position": by_q[:, own],
            "derivative by velocity": by_v[:, own],
            "derivative by acceleration": twin.mass_matrix(state)[:, own, 6:],
        },
    )


@pytest.mark.parametrize("case", [case for case in IN_MUJOCO if case[0] == "mjcf"], ids=label)
def test_regressors_of_mjcf_files_like_pinocchio(prepared, engine, case):
    robot, motion, theirs = prepared(ask_pinocchio_about_arrays, case)
    assert_alike(our_slopes(robot, motion, rows="both"), theirs)

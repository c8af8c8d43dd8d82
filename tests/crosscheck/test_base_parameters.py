"""Base parameters against what others published or compute: counts per robot, Pinocchio's rank, the WAM's CAD values."""

from __future__ import annotations

import re

import numpy as np
import pytest
from oracles import Pinocchio, random_machine, random_state

import bifilar as bf
from bifilar.dynamics.grouping import group

ROTORS = bf.RotorInertia()
VISCOUS_COULOMB = bf.Viscous() + bf.Coulomb()
FILES = {
    "puma560/puma560_akb.urdf": (36, 40),
    "puma560/puma560_corke_stdDH.urdf": (36, 40),
    "staubli_tx40/tx40_mdh_modified.urdf": (36, 40),
    "ur10/ur10_robot.urdf": (36, 40),
    "kuka_lwr4/kuka_lwr4.urdf": (43, 48),
    "kuka_lwr4/kuka_lwr4_centroepiaggio.urdf": (43, 48),
    "kuka_lwr4/kuka_lwr4_cogimon.urdf": (43, 48),
    "kuka_lwr4/kuka_lwr4_gaz.urdf": (43, 48),
    "kuka_lwr4/kuka_lwr4_identified.urdf": (43, 48),
    "barrett_wam/wam7_from_libbarrett_conf.urdf": (43, 48),
    "kinova_gen3/gen3.urdf": (43, 48),
    "kinova_gen3/kinova.urdf": (43, 48),
}
LIBRARY = {
    "puma560": (36, 40),
    "ur10e": (36, 40),
    "panda": (43, 48),
    "kuka_lwr4": (43, 48),
    "wam": (43, 48),
    "wam_libbarrett": (43, 48),
    "two_link": (6, 7),
    "pendulum": (3, 3),
}


def count(robot, friction=None, **settings):
    found = bf.base_parameters(robot.with_friction(friction), **settings)
    assert found.status == "clear" and found.candidates == (found.rank,)
    return found.rank


@pytest.mark.parametrize("name", LIBRARY)
def test_counts_of_the_library(name):
    robot = bf.Robot.load(name)
    assert (count(robot), count(robot, ROTORS)) == LIBRARY[name]


@pytest.mark.parametrize("name", FILES)
def test_counts_of_files(name, dataset):
    robot = bf.Robot.load(dataset(name))
    assert (count(robot), count(robot, ROTORS)) == FILES[name]


def test_panda_with_its_hand(dataset):
    robot = bf.Robot.load(dataset("panda_gaz/panda.urdf"))
    fingers = [joint.name for joint in robot.joints if joint.kind == "prismatic"]
    assert len(fingers) == 2 and len(robot.joint_names) == 8  # the second finger mimics the first
    assert count(robot) == 48
    held = robot.locked({name: 0.01 for name in fingers if name in robot.joint_names})
    assert (count(held), count(held, ROTORS)) == (43, 48)


@pytest.mark.parametrize("name", ["wam", "wam_libbarrett"])
def test_base_wrench_of_the_wam(name):
    robot = bf.Robot.load(name)
    assert count(robot, rows="base", bodies="moving") == 48
    assert count(robot, rows="base") == 50
    assert count(robot, rows="both") == 50  # joint torques add equations, not parameters


def test_friction_and_gravity_of_the_lwr():
    """Counts of Bargsten, Zometa and Findeisen 2013, and what gravity and the base's tilt change."""
    robot = bf.Robot.load("kuka_lwr4")
    with_friction = robot.with_friction(VISCOUS_COULOMB)
    assert len(with_friction.column_names()) == 84
    assert count(robot, VISCOUS_COULOMB) == 57
    assert count(robot, VISCOUS_COULOMB, gravity=False) == 53
    assert count(robot.with_gravity([0, 0, 0]), VISCOUS_COULOMB) == 53
    assert count(robot.with_gravity([2.0, 1.0, -9.5]), VISCOUS_COULOMB) == 59
    for extra, expected in ((bf.Offset(), 64), (ROTORS, 62)):
        assert len(robot.with_friction(VISCOUS_COULOMB + extra).column_names()) == 91
        assert count(robot, VISCOUS_COULOMB + extra) == expected


@pytest.mark.parametrize("file", ["gen3.urdf", "kinova.urdf"])
def test_rounded_angles_of_the_kinova_are_seen_through(file, dataset):
    found = bf.base_parameters(bf.Robot.load(dataset(f"kinova_gen3/{file}")).with_friction(None))
    assert [gap.rank for gap in found.gaps] == [43, 45]  # both falls are told
    assert [gap.rank for gap in found.scaled_gaps] == [45]  # columns divided by their norms hide the first
    (warning,) = [finding for finding in found.findings if finding.where == "joint origins"]
    assert "45" in warning.what and "43" in warning.what and "rounded at 7 joints" in warning.what
    assert found.rank == found.gap.rank == 43 and "exact" in found.method


def test_textbook_equations_of_the_puma():
    """Regrouping of Khalil and Dombre 2002 (modified DH): Iyy, mcz and mass of a link move towards the base."""
    found = bf.base_parameters(bf.Robot.load("puma560").with_friction(ROTORS))
    equations = dict(zip(found.independent, found.equations(), strict=True))
    assert equations["link6.Ixx"] == "link6.Ixx - link6.Iyy"
    assert equations["link5.Izz"] == "link5.Izz + link6.Iyy"
    assert equations["link4.mcy"] == "link4.mcy + link5.mcz"
    assert equations["link2.mcx"].startswith("link2.mcx + 0.4318*link3.mass + 0.4318*link4.mass")
    assert equations["link1.Izz"].endswith(" + joint1.rotor_inertia")
    assert not [name for name in found.independent if name.endswith((".mass", ".Iyy", ".mcz"))]


@pytest.mark.parametrize("seed", range(6))
def test_pinocchio_has_the_same_rank_and_our_coefficients_fit_it(seed):
    rng = np.random.default_rng(seed)
    machine = random_machine(rng, joints=5)
    tree = machine.tree
    bodies = tuple(f"body{k}" for k in range(tree.n_joints + 1))
    joints = tuple(f"joint{k}" for k in range(tree.n_coordinates))
    model = bf.Model(tree=tree, joint_names=joints, body_names=bodies, body_parameters=machine.phi)
    theirs = Pinocchio(machine).regressor(random_state(rng, tree, 120, moving_root=False))
    for rows, matrix in (("joints", theirs[:, 6:, 10:]), ("base", theirs[:, :6]), ("both", theirs)):
        flat = matrix.reshape(-1, matrix.shape[-1])
        found = bf.base_parameters(model, rows=rows)
        assert found.rank == group(flat).rank == np.linalg.matrix_rank(flat, tol=1e-9 * np.linalg.norm(flat))
        np.testing.assert_allclose(found.regressor(flat) @ found.matrix, flat, atol=1e-9 * np.abs(flat).max())


def symbol_name(robot, symbol):
    """Published symbol to our column, in the published (standard DH) frames: L_3xy, l_3z, m_3; Ia_1 and Ia_2 stand for Lyy."""
    kind, place = symbol.split("_")
    link = f"link{place[0]}_dh" if f"link{place[0]}_dh" in robot.frame_names else f"link{place[0]}"
    word = {"L": f"I{place[1:]}", "l": f"mc{place[1:]}", "m": "mass", "Ia": "Iyy"}[kind]
    return f"{link}.{word}"


def test_wam_cad_values_are_the_published_ones(dataset):
    """CAD column of Sousa and Cortesao, IJRR 2014, from the CAD parameters, to every printed digit."""
    text = dataset("barrett_wam/published_base_params_sousa_ijrr2014.txt").read_text("utf-8")
    lines = re.findall(r"\['((?:Ia|L|l)_\w+)[^']*', (?:Ia_\d \+ )?(-?[\d.e-]+),", text)
    assert len(lines) == 43
    robot = bf.Robot.load("wam").with_friction(None)
    published = {symbol_name(robot, symbol): value for symbol, value in lines}
    found = bf.base_parameters(robot, per_link=True, keep=list(published))
    assert set(found.independent) == set(published) and not found.findings
    values = dict.fromkeys(found.names, 0.0)
    for line in dataset("barrett_wam/wam7_cad.yml").read_text("utf-8").splitlines():
        symbol, _, value = line.partition(":")
        values[symbol_name(robot, symbol)] = float(value)
    ours = dict(zip(found.independent, found.from_full([values[name] for name in found.names]), strict=True))
    for name, printed in published.items():
        assert f"{ours[name]:.3e}" == f"{float(printed):.3e}", name


def test_the_library_wam_has_the_cad_values_too(dataset):
    """The same values through the robot's own numbers, which hold fewer digits."""
    robot = bf.Robot.load("wam").with_friction(None)
    values = dict.fromkeys(robot.column_names(per_link=True), 0.0)
    for line in dataset("barrett_wam/wam7_cad.yml").read_text("utf-8").splitlines():
        symbol, _, value = line.partition(":")
        values[symbol_name(robot, symbol)] = float(value)
    found = bf.base_parameters(robot, per_link=True)
    ours = found.from_full(robot.parameters(per_link=True))
    np.testing.assert_allclose(ours, found.from_full(list(values.values())), rtol=1e-5, atol=1e-7)

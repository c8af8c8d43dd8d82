"""Real recordings, held out: small versions of the table in docs/real_data.md (benchmarks/real_data.py makes it).

Settings here are fixed and simple, and known to reach what is asserted; the benchmark chooses its own on the fitted parts.
"""

from __future__ import annotations

import importlib
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import bifilar as bf

USUAL = bf.Viscous() + bf.Coulomb() + bf.Offset()
WAVES = bf.Viscous() + bf.Coulomb(width=0.02) + bf.Offset() + bf.RotorInertia() + bf.PositionDependent(width=0.02)


@pytest.fixture(scope="module")
def bench():
    """The benchmark's modules."""
    folder = str(Path(__file__).resolve().parents[2] / "benchmarks")
    sys.path.insert(0, folder)
    yield importlib.import_module("real_data"), importlib.import_module("real_extra")
    sys.path.remove(folder)


def held_out(real, case, cutoff, friction, method=None, delay=0.0):
    """Relative error of the scored torque, and of the torque as measured."""
    train, test = case.folds[0]
    sources = real.with_loads(case, real.samples_of(case, train, cutoff, delay), friction)
    estimate = (method or bf.LeastSquares(uncertainty="white")).fit(case.robot, sources, friction=friction)
    return real.relative(real.errors(case, estimate.model, test, delay)), estimate


@pytest.mark.parametrize(
    "name, cutoff, friction, delay, most, raw",
    [
        ("panda_gaz", 8.0, USUAL + bf.RotorInertia(), 0.0, 0.0145, 0.03),
        ("tiago", 1.0, USUAL, 0.0, 0.074, 0.16),
        ("kinova_gen3", None, USUAL, 0.0, 0.066, 0.066),
        ("rokae_sensor", 2.5, USUAL + bf.RotorInertia(), 0.0, 0.049, 0.14),
        ("rokae_motor", 10.0, USUAL + bf.RotorInertia(), 0.02, 0.106, 0.27),
        ("kuka_lwr4", 10.0, WAVES, 0.0, 0.0205, 0.0205),
        ("two_link", 5.0, USUAL, 0.0, 0.062, 0.063),
    ],
)
def test_unseen_motion(dataset, bench, name, cutoff, friction, delay, most, raw):
    dataset(name.partition("_")[0] + "_xmate7" if name.startswith("rokae") else name)
    real, _ = bench
    (filtered, measured), estimate = held_out(real, real.CASES[name](), cutoff, friction, delay=delay)
    assert filtered <= most and measured <= raw
    assert estimate.status.code in ("ok", "doubtful", "rank deficient")


def test_a_consistent_panda_predicts_as_well_and_can_be_saved(dataset, bench, tmp_path):
    dataset("panda_gaz")
    real, _ = bench
    case = real.CASES["panda_gaz"]()
    method = bf.PhysicallyConsistent(prior_weight=0.1)
    (filtered, _), estimate = held_out(real, case, 4.0, USUAL + bf.RotorInertia(), method)
    assert filtered <= 0.0150
    estimate.robot.save(tmp_path / "panda.urdf")
    again = bf.Robot.load(tmp_path / "panda.urdf")
    assert all(again.link(link.name).inertia.is_consistent for link in again.links if link.inertia.mass > 0)


def test_friction_of_a_ur10e_is_chosen(dataset, bench):
    """A smooth sign is what its currents show: the usual hard one leaves a quarter more."""
    dataset("ur10e_mamedov")
    real, _ = bench
    case = real.CASES["ur10e_mamedov"]()
    train, _ = case.folds[0]
    choice = bf.choose_friction(case.robot, real.samples_of(case, train, 8.0, 0.0))
    (chosen, _), _ = held_out(real, case, 8.0, choice.friction)
    (plain, _), _ = held_out(real, case, 8.0, USUAL)
    assert chosen <= 0.067 and chosen < 0.9 * plain
    assert all(term.width > 0 for term in choice.friction if isinstance(term, bf.Coulomb))


def test_the_published_tx40(dataset, bench):
    """61 base parameters; friction and rotors as published, at a sign of 0.05 rad/s width. The shafts of joints 5 and 6 carry
    motor 6, whose viscosity and rotor the published numbers contain."""
    dataset("staubli_tx40")
    count, ratio = bench[1].published_ratios()
    assert count == 61
    assert np.all(np.abs(ratio["viscous"][:5] - 1) < 0.08)
    assert np.all(np.abs(ratio["coulomb"][:5] - 1) < 0.08)
    assert np.all(np.abs(ratio["rotor_inertia"][2:5] - 1) < 0.08)
    assert 0.9 < ratio["rotor_inertia"][5] < 1.1 and 1.1 < ratio["coulomb"][5] < 1.4


def test_torque_of_the_tx40_is_stamped_early(dataset, bench):
    """By two to three milliseconds: every block of the motion says so, and the error falls by a tenth."""
    dataset("staubli_tx40")
    real, _ = bench
    case = real.CASES["staubli_tx40"]()
    case = replace(case, folds=case.folds[:1])
    friction = importlib.import_module("real_cases").tx40_classic(case.robot.joint_names, width=0.2)
    errors = {delay: held_out(real, case, 50.0, friction, delay=delay)[0][0] for delay in (-0.005, -0.002, 0.0, 0.002)}
    assert min(errors, key=errors.__getitem__) == -0.002


def test_friction_of_one_joint(dataset, bench):
    dataset("friction_franka")
    errors = bench[1].franka_errors()
    assert errors["chosen"] <= 0.174 < errors["hard"]


def test_a_load_in_the_hand(dataset, bench):
    """In the scale of the published drive gains; runs of the same and of another motion agree."""
    dataset("ur10e_mamedov")
    (_, _, same), *_ = bench[1].payloads(pairs=1)
    assert same.status.ok and same.inertia.is_consistent
    assert same.mass == pytest.approx(2.43, abs=0.08)
    assert same.gain(2.805)[0] == pytest.approx(1.155, abs=0.04)


def test_a_person_on_a_force_plate(dataset, bench):
    dataset("human_force_plate")
    ready = bf.datasets.problem("human_force_plate")
    theirs = importlib.import_module("real_human").THEIRS
    bodies = ready.more["prior"].T[:, theirs]
    columns = np.concatenate([10 * k + np.array(theirs) for k in range(16)])
    matrix, right, cut = ready.matrix[:, columns], ready.right_side, 690
    estimate = bf.consistent_bodies(matrix[:cut], right[:cut], bodies, period=6, prior_weight=1.0)
    error = np.linalg.norm(matrix[cut:] @ estimate.values - right[cut:]) / np.linalg.norm(right[cut:])
    assert error <= 0.025


def test_consistency_costs_little_on_a_tx40(dataset, bench):
    """At most one per cent of the residual, without a prior and if bodies are taken as known to a factor of ten only."""
    dataset("staubli_tx40")
    for _, _, rise, _ in bench[1].consistency_costs(weights=(0.0, 0.01)):
        assert 0 <= rise <= 0.01


def test_periods_are_seen_in_positions(bench):
    """A way to a periodic motion, then two and a half periods of it."""
    t = np.arange(0.0, 30.0, 0.01)
    round_ = np.column_stack([np.sin(0.6 * t) + 0.5 * np.cos(1.2 * t), np.cos(0.6 * t)])
    share = np.clip(t / 3.0, 0.0, 1.0)[:, None]
    run = bf.Recording(joint_names=("a", "b"), time=5.0 + t, position=share * round_, torque=round_)
    begin, *more, end = importlib.import_module("real_cases").periods(run)
    assert 7.0 < begin <= 8.05 and end == np.inf
    assert np.diff([begin, *more]) == pytest.approx(2 * np.pi / 0.6, abs=0.02)

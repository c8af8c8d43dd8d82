"""What a fit says to data that cannot tell: a status with a sentence, or a letter; no number is identified that is not."""

from __future__ import annotations

import numpy as np
import pytest

import bifilar as bf
from bifilar.errors import RecordingError, RobotError, ShapeError, SolveError
from bifilar.estimate import consistent
from bifilar.estimate.closed_loop import JointController
from bifilar.estimate.sources import Arrays

FRICTION = bf.Viscous() + bf.Coulomb() + bf.Offset()


def robot(name="two_link"):
    found = bf.Robot.load(name).with_friction(FRICTION)
    sizes = {"viscous": 1.0, "coulomb": 1.0, "offset": 0.3}
    return found.with_parameters({f"{joint}.{word}": x for joint in found.joint_names for word, x in sizes.items()})


def moving(name="two_link", rows=300, seed=1):
    """Position, velocity, acceleration and torque with some noise."""
    machine, rng = robot(name), np.random.default_rng(seed)
    n = len(machine.joint_names)
    t = np.arange(rows)[:, None] / 25
    q, v, a = (np.zeros((rows, n)) for _ in range(3))
    for k in range(1, 6):
        s, c = rng.normal(size=(2, n)) / k
        w = 2 * np.pi * k / 10
        q, v = q + s * np.sin(w * t) + c * np.cos(w * t), v + w * (s * np.cos(w * t) - c * np.sin(w * t))
        a = a - w**2 * (s * np.sin(w * t) + c * np.cos(w * t))
    tau = machine.inverse_dynamics(q, v, a)
    return q, v, a, tau + 0.02 * tau.std(axis=0) * rng.normal(size=tau.shape)


def still_joint(data, joint):
    q, v, a, _ = (x.copy() for x in data)
    q[:, joint], v[:, joint], a[:, joint] = 0.3, 0.0, 0.0
    return q, v, a, robot().inverse_dynamics(q, v, a)


def fit(data, name="two_link", method=None, **settings):
    return (method or bf.LeastSquares()).fit(robot(name), data, **settings)


STATUSES = {
    "nothing moves": (
        lambda: fit((np.zeros((50, 2)),) * 3 + (np.ones((50, 2)),)),
        "rank deficient",
        "the data do not determine",
    ),
    "one joint still": (lambda: fit(still_joint(moving(), 1)), "rank deficient", "joint2.viscous"),
    "too few rows": (
        lambda: fit([x[:4] for x in moving()] and tuple(x[:4] for x in moving())),
        "rank deficient",
        "do not determine",
    ),
    "one row": (lambda: fit(tuple(x[:1] for x in moving())), "rank deficient", "the data do not determine"),
    "all rows masked": (lambda: fit(Arrays(*moving(), np.zeros(300))), "rank deficient", "12 of 12 parameters"),
    "a joint masked": (lambda: fit(Arrays(*moving(), np.ones((300, 2)) * [1, 0])), "rank deficient", "joint2"),
    "zero torque": (lambda: fit((*moving()[:3], np.zeros((300, 2)))), "doubtful", "the torque is zero throughout"),
    "no torque of a joint": (lambda: fit((*moving()[:3], moving()[3] * [1, 0])), "doubtful", "the torque of 'joint2' is zero"),
    "turned torque": (lambda: fit((*moving()[:3], -moving()[3])), "doubtful", "has the opposite sign"),
    "noise alone": (
        lambda: fit((*moving()[:3], np.random.default_rng(0).normal(size=(300, 2)))),
        "doubtful",
        "friction alone explains the torque as well as the whole robot does",
    ),
    "another arm": (lambda: fit(moving("ur10e"), "puma560"), "doubtful", "would have to be wrong by"),
    "another arm of seven": (
        lambda: fit(moving("kuka_lwr4"), "wam"),
        "doubtful",
        "friction alone explains the torque of 'joint4'",
    ),
}


@pytest.mark.parametrize(("call", "code", "words"), STATUSES.values(), ids=STATUSES.keys())
def test_a_status_and_a_sentence(call, code, words):
    estimate = call()
    assert estimate.status.code == code and words in estimate.status.sentence
    assert estimate.status.remedy and words in estimate.summary()
    with pytest.raises(SolveError, match=code):
        estimate.status.insist()


NOTHING_KNOWN = ("nothing moves", "one row", "too few rows", "all rows masked", "zero torque", "noise alone")


CONSISTENT = {
    "nothing moves": ((np.zeros((50, 2)),) * 3 + (np.ones((50, 2)),), "rank deficient"),
    "one row": (tuple(x[:1] for x in moving()), "rank deficient"),
    "too few rows": (tuple(x[:4] for x in moving()), "rank deficient"),
    "all rows masked": (Arrays(*moving(), np.zeros(300)), "rank deficient"),
    "zero torque": ((*moving()[:3], np.zeros((300, 2))), "doubtful"),
    "turned torque": ((*moving()[:3], -moving()[3]), "doubtful"),
    "noise alone": ((*moving()[:3], np.random.default_rng(0).normal(size=(300, 2))), "doubtful"),
    "no torque of a joint": ((*moving()[:3], moving()[3] * [1, 0]), "doubtful"),
}


@pytest.mark.parametrize("weight", [None, 100.0])
@pytest.mark.parametrize("name", CONSISTENT)
def test_the_consistent_fit_doubts_what_least_squares_doubt(name, weight):
    """The usual method says no less than least squares, and does not take its prior for knowledge."""
    data, code = CONSISTENT[name]
    estimate = fit(data, method=bf.PhysicallyConsistent(prior_weight=weight))
    assert estimate.status.code == code and len(estimate.status.sentence) < 500
    assert np.isfinite(estimate.values).all() and not np.isnan(estimate.covariance).any()
    if name in ("nothing moves", "one row", "too few rows", "all rows masked"):
        mechanical = [known for known, word in zip(estimate.identified, estimate.names) if not word.endswith("offset")]
        assert not any(mechanical)


@pytest.mark.parametrize("name", NOTHING_KNOWN)
def test_nothing_is_identified_that_is_not(name):
    estimate = STATUSES[name][0]()
    mechanical = [known for known, parameter in zip(estimate.identified, estimate.names) if not parameter.endswith("offset")]
    assert not any(mechanical)
    assert np.isfinite(estimate.values).all()


@pytest.mark.parametrize("robust", ["huber", "tukey"])
def test_as_many_equations_as_unknowns_identify_nothing(robust):
    """Twelve equations for twelve unknowns leave no residual: that is no proof of no noise."""
    q, v, a = np.random.default_rng(0).normal(size=(3, 6, 2))
    data = q, v, a, robot().inverse_dynamics(q, v, a) + 0.5 * np.random.default_rng(1).normal(size=(6, 2))
    estimate = fit(data, method=bf.LeastSquares(robust=robust))
    assert not estimate.identified.any() and np.isinf(estimate.deviations).all()


def test_what_a_still_joint_leaves_open_is_not_identified_and_the_rest_is():
    estimate = STATUSES["one joint still"][0]()
    for parameter in ("joint2.viscous", "joint2.coulomb"):
        assert not estimate.identified[estimate.names.index(parameter)]
    assert estimate.identified[estimate.names.index("joint1.viscous")]
    assert "joint2.viscous" in estimate.summary() and "not identified" in estimate.summary()


@pytest.mark.parametrize(
    "method", [bf.LeastSquares(robust="tukey"), bf.LeastSquares(weights="full"), bf.LeastSquares(ridge=1.0)]
)
@pytest.mark.parametrize("name", ["one row", "all rows masked", "one joint still"])
def test_other_methods_do_not_know_more(method, name):
    data = {
        "one row": tuple(x[:1] for x in moving()),
        "all rows masked": Arrays(*moving(), np.zeros(300)),
        "one joint still": still_joint(moving(), 1),
    }[name]
    estimate = fit(data, method=method)
    assert np.isfinite(estimate.values).all()
    assert not estimate.identified[estimate.names.index("joint2.viscous")]


def swung(seconds=2.0):
    """A pendulum in closed loop, and what a closed-loop method is told of it."""
    time = np.arange(int(500 * seconds) + 1) / 500
    swing = time, 0.8 * np.sin(5 * time)[:, None], 4.0 * np.cos(5 * time)[:, None]
    machine = bf.VirtualRobot(bf.Robot.load("pendulum"), gains=([9.0], [0.9]), feedback="measured")
    recording = machine.play(
        swing, rate=500, control_rate=500, seed=1, sensors=bf.Sensors(position_noise=1e-3, torque_noise=0.02)
    )
    told = {"controller": JointController(kp=9.0, kd=0.9, feedforward=machine.robot), "reference": swing}
    return machine.robot, recording, told


def stopped_short(name, monkeypatch):
    """An estimate whose solver had too few steps."""
    if name == "robust":
        monkeypatch.setattr("bifilar.estimate.robust.MOST", 1)
        return fit(moving(), method=bf.LeastSquares(robust="tukey"))
    if name == "consistent":
        for solver in ("newton", "clarabel_solution"):
            whole = getattr(consistent, solver)
            monkeypatch.setattr(consistent, solver, lambda stated, whole=whole, **_: whole(stated, iterations=1))
        return fit(moving(), method=bf.PhysicallyConsistent(prior_weight=1.0))
    described, recording, told = swung()
    described = described.with_inertia({"link1": bf.Inertia.from_vector(3 * described.link("link1").inertia.vector)})
    method = {
        "maximum likelihood": lambda: bf.MaximumLikelihood(iterations=1),
        "instrumental variables": lambda: bf.InstrumentalVariables(**told, iterations=1),
        "direct inverse": lambda: bf.DirectInverse(**told, iterations=1, start=3 * np.array([0.25, 0.1, 0.083])),
    }[name]()
    return method.fit(described, recording, friction=())


@pytest.mark.parametrize("name", ["robust", "consistent", "maximum likelihood", "instrumental variables", "direct inverse"])
def test_a_solver_out_of_iterations_says_so(name, monkeypatch):
    estimate = stopped_short(name, monkeypatch)
    assert estimate.status.code == "not converged" and estimate.status.sentence and estimate.status.remedy, estimate.status
    assert np.isfinite(estimate.values).all() and not estimate.identified.any()
    assert " %)" not in estimate.summary().split("\n\n")[1]


def test_the_wrong_robots_numbers_are_not_identified():
    for name in ("another arm", "another arm of seven", "turned torque"):
        estimate = STATUSES[name][0]()
        assert not estimate.identified.any() and " %)" not in estimate.summary().split("\n\n")[1]


def samples_of(names):
    t = np.arange(1000) / 100
    q = np.stack([np.sin(t), np.cos(t)], axis=1)
    return bf.prepare(bf.Recording(joint_names=names, time=t, position=q, torque=q), cutoff=5.0)


LETTERS = {
    "a rule": (lambda: fit(moving(), method=bf.PhysicallyConsistent(rule="two")), SolveError, "there is no rule 'two'"),
    "bars": (lambda: fit(moving(), method=bf.PhysicallyConsistent(uncertainty="x")), SolveError, "there are no error bars 'x'"),
    "weights of joints": (
        lambda: fit(moving(), method=bf.PhysicallyConsistent(weights="full")),
        SolveError,
        "there are no weights 'full'",
    ),
    "another robot as the prior": (
        lambda: fit(moving(), method=bf.PhysicallyConsistent(prior=bf.Robot.load("panda"))),
        SolveError,
        "the prior is another robot",
    ),
    "no recordings": (lambda: fit([]), SolveError, "no recording was given"),
    "no rows": (lambda: fit(tuple(x[:0] for x in moving())), SolveError, "no samples were given"),
    "a number": (lambda: fit([5]), SolveError, "a int is neither a recording nor samples"),
    "NaN weight": (lambda: fit([moving()], weights=[np.nan]), ShapeError, "a weight is negative or not finite"),
    "NaN row weight": (lambda: fit(Arrays(*moving(), np.full(300, np.nan))), ShapeError, "weights must be"),
    "two weights for one": (lambda: fit([moving()], weights=[1.0, 1.0]), ShapeError, "2 weights for 1 recordings"),
    "NaN torque": (lambda: fit((*moving()[:3], np.nan * moving()[3])), ShapeError, "torque"),
    "torque of more joints": (lambda: fit((*moving()[:3], np.ones((300, 3)))), ShapeError, "torque has the shape (300, 3)"),
    "rows missing": (lambda: fit((*moving()[:3], moving()[3][:99])), ShapeError, "torque has the shape (99, 2)"),
    "joint weights": (
        lambda: fit(moving(), method=bf.LeastSquares(weights=(1.0,))),
        SolveError,
        "weights must be 2 positive numbers",
    ),
    "NaN joint weights": (
        lambda: fit(moving(), method=bf.LeastSquares(weights=(1.0, np.nan))),
        SolveError,
        "2 positive numbers",
    ),
    "other joints": (
        lambda: fit(samples_of(("elbow", "wrist"))),
        SolveError,
        "the samples are of other joints than the robot's",
    ),
    "other order": (
        lambda: fit(samples_of(("joint2", "joint1"))),
        SolveError,
        "the samples are of other joints than the robot's",
    ),
    "a method by name": (lambda: bf.fit(robot(), moving(), "ols"), SolveError, "'ols' is no method"),
    "a method without brackets": (lambda: bf.fit(robot(), moving(), bf.LeastSquares), SolveError, "LeastSquares is no method"),
    "a robot by name": (lambda: bf.fit("two_link", moving()), RobotError, "'two_link' is no robot"),
    "instruments without a controller": (lambda: bf.InstrumentalVariables(), SolveError, "needs the controller"),
    "a direct inverse without one": (lambda: bf.DirectInverse(controller=None), SolveError, "needs the controller"),
    "no controller": (lambda: bf.DirectInverse(controller=5), SolveError, "5 is no controller"),
    "one of two is none": (
        lambda: bf.InstrumentalVariables(controller=[JointController(kp=1, kd=1), "pd"]),
        SolveError,
        "'pd' is no",
    ),
    "no slip": (lambda: bf.DirectInverse(controller=JointController(kp=1, kd=1), slip=0), SolveError, "slip is 0"),
    "no motion": (
        lambda: fit(moving(), method=bf.DirectInverse(controller=JointController(kp=1, kd=1))),
        RecordingError,
        "no commanded motion",
    ),
    "no clock": (lambda: fit(moving(), method=bf.MaximumLikelihood()), SolveError, "no sample rate"),
    "a slip in words": (lambda: bf.MaximumLikelihood(slip="x"), SolveError, "makes no sense"),
    "likelihood's bars": (lambda: bf.MaximumLikelihood(uncertainty="x"), SolveError, "there are no error bars 'x'"),
    "noise in words": (
        lambda: fit(moving(), method=bf.MaximumLikelihood(rate=25.0, position_noise="x")),
        ShapeError,
        "position_noise is 'x'",
    ),
    "a number as the prior": (lambda: fit(moving(), method=bf.PhysicallyConsistent(prior=0.1)), SolveError, "the prior is 0.1"),
    "a mass in words": (
        lambda: fit(moving(), method=bf.PhysicallyConsistent(total_mass="2 kg")),
        SolveError,
        "the total mass is '2 kg'",
    ),
    "inside nothing": (lambda: fit(moving(), method=bf.PhysicallyConsistent(inside=5)), SolveError, "inside is 5"),
    "bounds of nothing": (lambda: fit(moving(), method=bf.PhysicallyConsistent(bounds=5)), SolveError, "bounds is 5"),
    "strict": (lambda: fit((np.zeros((50, 2)),) * 4, strict=True), SolveError, "rank deficient"),
    "one block": (
        lambda: fit(tuple(x[:30] for x in moving()), blocks=1, method=bf.LeastSquares(ridge="auto")),
        SolveError,
        "one block cannot be parted",
    ),
}


@pytest.mark.parametrize(("call", "kind", "words"), LETTERS.values(), ids=LETTERS.keys())
def test_letters(call, kind, words):
    with pytest.raises(kind) as caught:
        call()
    assert words in caught.value.what and caught.value.remedy


def test_a_recording_of_other_joints_is_refused_by_name():
    t = np.arange(1000) / 100
    recording = bf.Recording(joint_names=("elbow", "wrist"), time=t, position=np.zeros((1000, 2)), torque=np.zeros((1000, 2)))
    with pytest.raises(RecordingError, match="joint1"):
        bf.LeastSquares().fit(robot(), recording)

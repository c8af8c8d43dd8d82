"""Laws of the parameter filter: exact derivatives, compiled as plain, batch least squares in the linear case, never NaN."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bifilar as bf
from bifilar.online.body_maps import log_cholesky, principal
from bifilar.online.maps import sigmoid, sigmoid_inverse, sigmoid_slope
from bifilar.online.states import space_of
from bifilar.online.tables import STATUS
from bifilar.papers.joukov_consistency import smallest_variance
from bifilar.papers.joukov_particle import followed
from bifilar.papers.joukov_parts import identifiable, never_excited

WAM = bf.Robot.load("wam").with_friction(bf.Viscous() + bf.Coulomb(width=0.02), {f"joint{k}.viscous": 0.3 for k in range(1, 8)})
FORMS = ("principal", "second", "ten", "log_cholesky")
TUNINGS = (
    bf.Tuning(process=0.1, anneal=0.5),
    bf.Tuning(forgetting=0.98),
    bf.Tuning(iterations=4, process=0.01),
    bf.Tuning(iterations=3, change=bf.Change()),
)


def differences(function, x, step=1e-6):
    return np.stack([(function(x + step * e) - function(x - step * e)) / (2 * step) for e in np.eye(len(x))], axis=-1)


def motion(seed, count, robot=WAM):
    rng = np.random.default_rng(seed)
    q, v, a = 0.6 * rng.normal(size=(3, count, len(robot.joint_names)))
    return rng, np.arange(count) / 100, q, v, a


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=4), st.floats(-5, 5), st.floats(1e-3, 10))
def test_a_sigmoid_never_leaves_its_bounds(x, low, width):
    x = np.array(x)
    p = sigmoid(x, low, low + width)
    assert ((p >= low) & (p <= low + width)).all() and np.isfinite(sigmoid_slope(x, low, low + width)).all()
    mild = np.clip(x, -20, 20)
    assert np.allclose(sigmoid_inverse(sigmoid(mild, 0, 1), 0, 1), mild, atol=1e-5)
    assert np.allclose(differences(lambda y: sigmoid(y, 0, 1), mild).diagonal(), sigmoid_slope(mild, 0, 1), atol=1e-8)


@given(st.integers(0, 1000), st.booleans())
def test_derivatives_of_the_body_maps_are_exact(seed, second):
    rng = np.random.default_rng(seed)
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    seven, theta = rng.normal(size=7) + np.array([3, 0, 0, 0, 0, 0, 0]), 0.5 * rng.normal(size=10)
    ten = lambda x: principal(x, turn, second=second)[0]  # noqa: E731
    assert np.allclose(differences(ten, seven), principal(seven, turn, second=second)[1], atol=1e-7)
    assert np.allclose(differences(lambda x: log_cholesky(x)[0], theta), log_cholesky(theta)[1], atol=1e-7)
    assert np.allclose(log_cholesky(theta)[0], bf.Inertia.from_log_cholesky(theta).vector)


@pytest.mark.parametrize("form", FORMS)
def test_jacobians_of_the_measurement_are_exact(form):
    """Of the compiled rows too: H = d(torque)/dx."""
    names = ("link[3-7].*", "*.viscous")
    tracker = bf.ParameterFilter(WAM, names, form=form, noise=0.1, limits=False, tuning=bf.Tuning(exact=False))
    rng, t, q, v, a = motion(1, 1)
    x = tracker.space.start + 0.1 * rng.normal(size=len(tracker.space))
    matrix = WAM.regressor(q, v, a, rows="both")[0, 6:]
    expected = differences(lambda y: matrix @ tracker.space.columns(y)[0], x)
    assert np.allclose(expected, matrix @ tracker.space.columns(x)[1], atol=1e-6)
    core = tracker._core
    core.x[:] = x
    core.run(t, q, v, a, np.ascontiguousarray(matrix[None, :, 10:]), np.zeros((1, 7)))
    assert np.allclose(core.work[5].reshape(7, -1), matrix @ tracker.space.columns(x)[1], atol=1e-9)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("tuning", TUNINGS)
def test_compiled_and_plain_filters_agree(form, tuning):
    rng, t, q, v, a = motion(2, 25)
    torque = 1.02 * WAM.inverse_dynamics(q, v, a) + 0.1 * rng.normal(size=q.shape)
    torque[7], t[9] = np.nan, 0.0
    torque[12:16] += 1.0
    names = ("link[67].*", "*.viscous")
    trackers = [bf.ParameterFilter(WAM, names, form=form, noise=0.1, tuning=tuning, limits=False) for _ in range(3)]
    trackers[1]._core._compiled = False
    codes = [tracker.run(t, q, v, a, torque) for tracker in trackers[:2]]
    codes.append(np.array([trackers[2].update(q[k], v[k], a[k], torque[k], t[k]).code for k in range(len(t))]))
    assert np.array_equal(codes[0], codes[1]) and np.array_equal(codes[0], codes[2])
    for other in trackers[1:]:
        assert np.allclose(trackers[0].state.mean, other.state.mean, atol=1e-7)
        assert np.allclose(trackers[0].state.covariance, other.state.covariance, atol=1e-7)


def test_the_linear_filter_is_batch_least_squares():
    rng, t, q, v, a = motion(3, 200)
    torque = WAM.inverse_dynamics(q, v, a) + 0.1 * rng.normal(size=q.shape)
    tracker = bf.ParameterFilter(WAM, ("link[567].*",), form="ten", constraint="none", noise=0.1, limits=False)
    tracker.run(t, q, v, a, torque)
    space = tracker.space
    matrix = WAM.regressor(q, v, a, rows="both")[:, 6:].reshape(-1, len(space.known))
    phi, slope = space.columns(space.start)
    rows, left = matrix @ slope / 0.1, (torque.reshape(-1) - matrix @ phi) / 0.1
    covariance = np.linalg.inv(np.eye(len(space)) + rows.T @ rows)
    assert np.allclose(tracker.state.mean, space.start + covariance @ rows.T @ left, atol=1e-6)
    assert np.allclose(tracker.state.covariance, covariance, atol=1e-9)
    exact = bf.ParameterFilter(
        WAM, ("link[567].*",), form="ten", constraint="none", noise=0.1, limits=False, tuning=bf.Tuning(exact=True)
    )
    exact.run(t, q, v, a, torque)
    assert np.allclose(exact.state.mean, tracker.state.mean, atol=1e-6)


def test_stacks_agree_with_torques_and_wrist_sees_only_what_is_distal():
    rng, t, q, v, a = motion(4, 60)
    load = bf.Inertia.from_center_of_mass(1.5, [0.02, 0, 0.1], 0.01 * np.eye(3))
    heavy = WAM.with_payload("link7", load)
    torque = heavy.inverse_dynamics(q, v, a)
    simple = bf.attach(WAM, "link7", noise=0.1, parameters="ten", tuning=bf.Tuning(), limits=False)
    general = bf.attach(WAM, "link7", noise=0.1, parameters="ten", tuning=bf.Tuning(), limits=False).generally()
    simple.run(t, q, v, a, torque)
    general.run(t, q, v, a, torque)
    assert np.allclose(simple.state.mean, general.state.mean, atol=1e-7)
    wrist = bf.WristSensor(link="link7", noise=0.01)
    rows = wrist.rows(WAM, q, v, a).matrix
    assert not rows[:, :, :70].any() and not rows[:, :, 80:].any()
    reading = rows @ np.concatenate([heavy.body_parameters.ravel(), WAM.drive_values])
    sensor = bf.attach(WAM, "link7", measurements=wrist, tuning=bf.Tuning(), parameters="ten", limits=False)
    sensor.run(t, q, v, a, reading)
    assert np.allclose(sensor.payload.vector, load.vector, atol=2e-3)
    links = bf.ParameterFilter(WAM, ("link[1-7].mass",), measurements=[wrist], limits=False)
    links.run(t, q, v, a, reading)
    assert links.never_excited == tuple(f"link{k}.mass" for k in range(1, 7))


def test_the_operational_image_is_refused_near_singular_poses():
    rng, t, q, v, a = motion(5, 30)
    q[10] = 0.0  # stretched: singular
    image = bf.OperationalSpace(link="link7", noise=0.1)
    tracker = bf.ParameterFilter(WAM, ("link[3-7].mass",), measurements=[image], limits=False)
    whole, exists = image.image(WAM, q)
    reading = np.einsum("nrj,nj->nr", whole, WAM.inverse_dynamics(q, v, a))
    codes = tracker.run(t, q, v, a, reading)
    assert STATUS[codes[10]][0] == "singular" and not exists[10] and (codes == 0).sum() == exists.sum()
    assert all(abs(tracker.belief[f"link{k}.mass"] / WAM.link(f"link{k}").inertia.mass - 1) < 0.05 for k in (3, 4, 6))


ODD = st.one_of(
    st.floats(allow_nan=True, allow_infinity=True),
    st.sampled_from([None, "x", [], [1.0], np.zeros(7), np.full(7, 1e308), np.full(7, np.nan), np.zeros((7, 7)), {}, object()]),
)


@settings(max_examples=100)
@given(st.lists(st.tuples(ODD, ODD, ODD, ODD, ODD), min_size=1, max_size=5), st.sampled_from(FORMS), st.booleans())
def test_an_update_never_raises_and_never_returns_nan(samples, form, general):
    tracker = bf.ParameterFilter(WAM, ("link7.*",), form=form, noise=0.1)
    tracker = tracker.generally() if general else tracker
    for q, v, a, z, t in samples:
        outcome = tracker.update(q, v, a, z, t)
        assert outcome.word in [words[0] for words in STATUS.values()]
    good = tracker.update(np.full(7, 0.3), np.zeros(7), np.zeros(7), np.zeros(7), tracker.time + 1.0)
    assert good.word in ("accepted", "stale", "not finite", "out of limits")
    belief = tracker.belief
    assert np.isfinite(belief.mean).all() and np.isfinite(belief.covariance).all()
    assert (tracker._core.d > 0).all()


@pytest.mark.parametrize("form", ["second", "log_cholesky"])
def test_wild_readings_leave_bodies_that_can_exist(form):
    rng, t, q, v, a = motion(6, 500)
    tracker = bf.ParameterFilter(WAM, ("link[1-7].*",), form=form, noise=0.01, limits=False, tuning=bf.Tuning(process=1.0))
    tracker.run(t, q, v, a, 1e4 * rng.normal(size=q.shape))
    bodies = [bf.Inertia.from_vector(ten) for ten in tracker.robot.body_parameters[1:]]
    assert all(body.mass > 0 and body.is_consistent for body in bodies)
    assert np.isfinite(tracker.belief.covariance).all()


def test_a_state_at_its_bound_returns():
    assert followed(0, "printed", 12.0).inside > 0.3  # as printed it does not
    assert followed(0, "walk", 12.0).inside < 0.05


def test_ranks_and_what_is_never_excited():
    assert identifiable(120) == {"joints": 43, "base": 48, "both": 48}
    assert never_excited() == ("base", "link1.Jxx", "link1.Jzz", "link1.mcy")


def test_the_covariance_stays_positive_over_many_updates():
    low, high = smallest_variance(100_000, 50_000)
    assert 0 < low <= high < 10


def test_unexcited_parameters_stay_and_are_named():
    tracker = bf.ParameterFilter(WAM, ("link7.*",), noise=0.1, limits=False)
    before = tracker.belief
    still = np.zeros((50, 7))
    q = np.tile([0.3, 1.0, 0.2, 0.9, 0.1, 0.4, 0.2], (50, 1))
    tracker.run(np.arange(50) / 100, q, still, still, WAM.gravity_torque(q) + 0.05)
    for word in ("J1", "J2", "J3"):
        assert f"link7.{word}" in tracker.never_excited and f"link7.{word}" in tracker.not_seen
        assert tracker.belief[f"link7.{word}"] == pytest.approx(before[f"link7.{word}"], rel=1e-9)


def test_positions_alone_suffice():
    """The dual filter beats finite differences by far."""
    from bifilar.papers.joukov_scenes import scene

    case = scene(0, "joints", 12.0)
    noisy = case.run.position + 5e-4 * np.random.default_rng(0).normal(size=case.run.position.shape)
    dual = bf.DualFilter(case.tracker, noise=5e-4, jerk=10.0)
    for k in range(len(noisy)):
        assert dual.update(noisy[k], case.reading[k], case.run.time[k])
    v = np.gradient(noisy, 0.01, axis=0)
    plain = scene(0, "joints", 12.0).tracker
    plain.run(case.run.time, noisy, v, np.gradient(v, 0.01, axis=0), case.reading)
    errors = [np.linalg.norm(each.robot.inverse_dynamics(*case.run[1:]) - case.clean) for each in (dual, plain)]
    assert errors[0] < 0.3 * errors[1]
    late = bf.DualFilter(scene(0, "joints", 12.0).tracker, noise=5e-4, jerk=10.0)  # looking both ways
    noisy[7, 2] = np.nan
    codes = late.run(case.run.time, noisy, case.reading)
    assert STATUS[codes[7]][0] == "not finite" and not np.delete(codes, 7).any()
    smoothed = np.linalg.norm(late.robot.inverse_dynamics(*case.run[1:]) - case.clean)
    assert smoothed < 0.9 * errors[0]


def test_a_space_has_what_was_named():
    space = space_of(WAM, ("link3.mass", "joint2.viscous"))
    assert space.names == ("link3.mass", "joint2.viscous")


def test_friction_and_rotors_are_followed_too():
    terms = bf.Viscous() + bf.Coulomb(width=0.02) + bf.RotorInertia()
    true = {"viscous": 0.7, "coulomb": 1.2, "rotor_inertia": 0.08}
    arm = bf.Robot.load("two_link")
    values = {f"{joint}.{word}": value for joint in arm.joint_names for word, value in true.items()}
    right = arm.with_friction(terms, values)
    guess = right.with_parameters({name: 0.5 * value for name, value in values.items()})
    rng, t, q, v, a = motion(7, 1500, right)
    torque = right.inverse_dynamics(q, v, a) + 0.05 * rng.normal(size=q.shape)
    bounds = {"*.viscous": (0.0, 3.0), "*.coulomb": (0.0, 4.0), "*.rotor_inertia": (0.0, 0.5)}
    tracker = bf.ParameterFilter(guess, tuple(values), noise=0.05, bounds=bounds, limits=False, tuning=bf.Tuning(iterations=5))
    tracker.run(t, q, v, a, torque)
    belief, found = tracker.belief, dict(zip(right.drive_columns.names, tracker.robot.drive_values))
    for name, value in values.items():
        deviation = belief.deviations[belief.index(name)]
        assert deviation < 0.1 * value and abs(belief[name] - value) < 4 * deviation, name
        assert found[name] == pytest.approx(belief[name])


def test_noise_is_what_differs_between_periods():
    rng = np.random.default_rng(0)
    wave = np.tile(rng.normal(size=(50, 3)), (40, 1))
    found = bf.periodic_noise(wave + np.array([0.1, 1.0, 3.0]) * rng.normal(size=wave.shape), 50)
    assert np.allclose(found, [0.1, 1.0, 3.0], rtol=0.08)
    with pytest.raises(bf.ShapeError, match="two or more"):
        bf.periodic_noise(wave[:60], 50)


@pytest.mark.parametrize("tuning", [bf.Tuning(), bf.Tuning(iterations=3), bf.Tuning(exact=True)])
@pytest.mark.parametrize("link", ["link7", "flange"])
def test_what_has_no_effect_is_named_alike_in_every_form(tuning, link):
    """Ten numbers or their log-Cholesky vector: the columns that were zero are the same ones, compiled or not."""
    arm = bf.Robot.load("panda")
    _, t, q, v, a = motion(8, 20, arm)
    q[:], v[:, :6], a[:, :6] = q[0], 0.0, 0.0  # only the last joint turns
    torque, shown = arm.inverse_dynamics(q, v, a), []
    for kind in ("ten", "log"):
        for compiled in (True, False):
            tracker = bf.attach(arm, link, noise=0.1, parameters=kind, tuning=tuning, limits=False)
            tracker._core._compiled = compiled
            tracker.run(t, q, v, a, torque)
            shown.append(tracker.never_excited)
    assert all(each == shown[0] for each in shown), shown
    still = bf.attach(arm, link, noise=0.1, tuning=tuning, limits=False)
    still.run(t, q, 0 * v, 0 * a, torque)
    assert still.never_excited == tuple(f"payload.I{axes}" for axes in ("xx", "xy", "yy", "xz", "yz", "zz"))


class Hostile:
    """Raises what nobody expects when it is asked for numbers."""

    def __init__(self, where):
        self.where = where

    @property
    def shape(self):
        if self.where == "shape":
            raise RuntimeError("no shape")
        return (7,)

    def __array__(self, *_, **__):
        raise RuntimeError("no numbers")

    def __float__(self):
        raise RuntimeError("no number")


@pytest.mark.parametrize("place", range(5))
@pytest.mark.parametrize("general", [False, True])
def test_objects_that_raise_are_malformed(place, general):
    tracker = bf.ParameterFilter(WAM, ("link7.*",), noise=0.1)
    tracker = tracker.generally() if general else tracker
    table = np.empty(7, dtype=object)
    for k in range(7):
        table[k] = Hostile("float")
    for odd in (Hostile("shape"), Hostile("array"), table):
        given = [np.full(7, 0.3), np.zeros(7), np.zeros(7), np.zeros(7), 1.0]
        given[place] = odd
        assert tracker.update(*given).word == "malformed"


STANCE = np.array([0.0, 0.3, 0.0, -1.5, 0.0, 1.5, 0.2])


@pytest.mark.parametrize("kind", ["simple", "plain", "general", "exact"])
def test_a_stamp_from_the_future_does_not_lock_the_filter(kind):
    """One wrong stamp costs some samples, not all that follow; and it does not make the filter unsure without bounds."""
    arm = bf.Robot.load("panda")
    tuning = bf.Tuning(exact=True) if kind == "exact" else bf.Tuning(process=0.1, anneal=1.0)
    tracker = bf.attach(arm, "link7", noise=0.2, tuning=tuning)
    if kind == "plain":
        tracker._core._compiled, tracker._one = False, None
    tracker = tracker.generally() if kind == "general" else tracker
    still, torque = np.zeros(7), arm.gravity_torque(STANCE)
    stamps = [0.0, 0.01, 1e15, *(0.02 + 0.01 * np.arange(100))]
    words = [tracker.update(STANCE, still, still, torque, stamp).word for stamp in stamps]
    assert words[:3] == ["accepted"] * 3 and words[3:52] == ["stale"] * 49 and set(words[52:]) == {"accepted"}
    assert tracker.update(STANCE, still, still, torque, 0.5).word == "stale" and tracker.time == stamps[-1]
    assert tracker.state.deviations.max() <= 10.0 + 1e-9


def test_hours_of_standstill_leave_a_load_that_can_be_carried_on():
    """The random walk ends where nothing is known any more; the load is right again within seconds of motion."""
    arm = bf.Robot.load("panda")
    box = bf.Inertia.from_center_of_mass(2.0, [0.02, 0, 0.1], 0.01 * np.eye(3))
    heavy, rng = arm.with_payload("link7", box), np.random.default_rng(0)
    tracker = bf.attach(arm, "link7", noise=0.2)
    q, still = np.tile(STANCE, (3000, 1)), np.zeros((3000, 7))
    tracker.run(10.0 * np.arange(3000), q, still, still, heavy.gravity_torque(q) + 0.2 * rng.normal(size=q.shape))
    assert tracker.state.deviations.max() <= 10.0 + 1e-6 and tracker.payload.is_consistent
    assert abs(tracker.payload.mass - 2.0) < 4 * tracker.belief.deviations[0]
    t, w = np.arange(1000)[:, None] / 100, np.array([0.5, 0.7, 0.9, 0.6, 1.1, 1.3, 1.7])
    q, v, a = STANCE + 0.4 * np.sin(w * t), 0.4 * w * np.cos(w * t), -0.4 * w**2 * np.sin(w * t)
    tracker.run(3e4 + t[:, 0], q, v, a, heavy.inverse_dynamics(q, v, a) + 0.2 * rng.normal(size=q.shape))
    assert abs(tracker.payload.mass - 2.0) < 0.1 and np.allclose(tracker.payload.center_of_mass, [0.02, 0, 0.1], atol=0.03)


def test_an_empty_hand_is_seen_to_be_empty():
    """A sigmoid at its bound is kept unsure so that it may return; the mass is known to be next to nothing all the same."""
    arm = bf.Robot.load("panda")
    tracker = bf.attach(arm, "link7", noise=0.2, parameters="four", center=[0, 0, 0.1])
    assert "payload.mass" in tracker.not_seen
    q, still = np.tile(STANCE, (3000, 1)), np.zeros((3000, 7))
    noise = 0.2 * np.random.default_rng(0).normal(size=q.shape)
    tracker.run(np.arange(3000) / 100, q, still, still, arm.gravity_torque(q) + noise)
    assert tracker.payload.mass < 0.02 and tracker.not_seen == ("payload.Jxx", "payload.Jyy", "payload.Jzz")


@pytest.mark.parametrize("kind", ["ten", "log"])
def test_a_grasp_without_a_first_guess_is_followed_and_its_deviation_is_honest(kind):
    arm, rng = bf.Robot.load("panda"), np.random.default_rng(1)
    box = bf.Inertia.from_center_of_mass(2.0, [0.02, 0, 0.1], 0.01 * np.eye(3))
    t, w = np.arange(2000)[:, None] / 100, np.array([0.5, 0.7, 0.9, 0.6, 1.1, 1.3, 1.7])
    q, v, a = STANCE + 0.4 * np.sin(w * t), 0.4 * w * np.cos(w * t), -0.4 * w**2 * np.sin(w * t)
    torque = arm.with_payload("link7", box).inverse_dynamics(q, v, a) + 0.2 * rng.normal(size=q.shape)
    torque[:1000] = arm.inverse_dynamics(q, v, a)[:1000] + 0.2 * rng.normal(size=(1000, 7))
    tracker = bf.attach(arm, "link7", noise=0.2, parameters=kind)
    codes = tracker.run(t[:, 0], q, v, a, torque)
    assert not (codes[:1000] == 1).any() and (codes[1000:1010] == 1).any()
    belief = tracker.belief
    assert (np.abs(belief.mean - box.vector)[:4] < 4 * belief.deviations[:4]).all()


HUGE_TUNINGS = (
    bf.Tuning(forgetting=0.9),
    bf.Tuning(process=1.0, iterations=5),
    bf.Tuning(iterations=3, change=bf.Change()),
    bf.Tuning(exact=True),
)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("tuning", HUGE_TUNINGS)
@pytest.mark.parametrize("compiled", [True, False])
def test_numbers_of_any_size_leave_a_belief(form, tuning, compiled):
    """Readings and accelerations of 1e-5 to 1e300, without limits: no NaN, and good samples are taken in afterwards."""
    if compiled is False and tuning.exact:
        pytest.skip("the same code")
    rng, t, q, v, a = motion(9, 60)
    words = {"form": form, "constraint": "none" if form == "ten" else "sigmoid", "tuning": tuning, "limits": False}
    tracker = bf.ParameterFilter(WAM, ("link7.*",), noise=1e-3, **words)
    if not compiled:
        tracker._core._compiled, tracker._one = False, None
    torque = WAM.inverse_dynamics(q, v, a)
    for k in range(50):
        sizes = 10.0 ** rng.uniform(-5, (99, 300)[k % 2], size=2)
        tracker.update(q[k], v[k], sizes[0] * a[k], sizes[1] * torque[k], t[k])
        belief = tracker.belief
        assert np.isfinite(belief.mean).all() and np.isfinite(belief.covariance).all() and (tracker._core.d > 0).all()
    words = [tracker.update(q[k], v[k], a[k], torque[k], t[k]).word for k in range(50, 60)]
    assert set(words) <= {"accepted", "changed", "outlier", "unusable"}
    if tuning.exact:
        assert words == ["accepted"] * 10


def test_an_exact_filter_goes_on_from_a_belief():
    """Half of the samples, reset to what was believed, the other half: as all at once where the measurement is linear."""
    rng, t, q, v, a = motion(10, 200)
    torque = WAM.inverse_dynamics(q, v, a) + 0.1 * rng.normal(size=q.shape)
    words = {"form": "ten", "constraint": "none", "noise": 0.1, "limits": False, "tuning": bf.Tuning(exact=True)}
    whole, first, second = (bf.ParameterFilter(WAM, ("link[67].*",), **words) for _ in range(3))
    whole.run(t, q, v, a, torque)
    first.run(t[:100], q[:100], v[:100], a[:100], torque[:100])
    second.reset(first.state)
    second.run(t[100:], q[100:], v[100:], a[100:], torque[100:])
    assert np.allclose(second.state.mean, whole.state.mean, atol=1e-6)
    assert np.allclose(second.state.covariance, whole.state.covariance, atol=1e-9)


def test_a_dual_filter_survives_bad_positions_and_clocks():
    arm = bf.Robot.load("panda")
    dual = bf.DualFilter(bf.attach(arm, "link7", noise=0.2), noise=1e-4, jerk=50.0)
    torque = arm.gravity_torque(STANCE)
    for k in range(20):
        assert dual.update(STANCE, torque, 0.01 * k)
    assert dual.update(STANCE + 100.0, torque, 0.2).word == "out of limits"
    assert dual.update(STANCE, torque, 0.21) and dual.update(STANCE, torque, 1e60)  # a clock that errs
    words = [dual.update(STANCE, torque, 0.22 + 0.01 * k).word for k in range(100)]
    assert words == ["stale"] * 49 + ["accepted"] * 51
    assert dual.update(STANCE, torque, Hostile("float")).word == "malformed"
    assert np.isfinite(dual.motion.covariance).all() and np.isfinite(dual.belief.covariance).all()
    with pytest.raises(bf.ShapeError, match="one for each of 7 joints"):
        bf.DualFilter(bf.attach(arm, "link7", noise=0.2), noise=[1e-4, 1e-4], jerk=50.0)

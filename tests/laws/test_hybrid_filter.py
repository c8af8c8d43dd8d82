"""Filters through touchdowns: derivatives, two ways of computing the same, honest error bars, walks that go on."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from bifilar.errors import MotionError, RobotError, ShapeError
from bifilar.walking.closed_loop import Loop
from bifilar.walking.detector import Detector
from bifilar.walking.feedback import upright
from bifilar.walking.guard import Guard
from bifilar.walking.hybrid import Stepping, advance
from bifilar.walking.hybrid_filter import HybridFilter
from bifilar.walking.hybrid_maps import HybridMaps
from bifilar.walking.phases import Phases
from bifilar.walking.saltation import saltation, through, through_state
from bifilar.walking.sensor_set import KINDS, SensorSet, usual_sensors
from bifilar.walking.sensors import Accelerometer, DistanceMeter
from bifilar.walking.walker import Walker

START = np.array([2.65 + 0.1 - np.pi, 0.1, 3.43 + 0.1 - np.pi, 2.0, 0.5, -2.0])  # (4.71), as angles of the links
GUESS = np.array([2.38 + 0.09 - np.pi, 0.09, 3.1 + 0.09 - np.pi, 0.0, 0.0, 0.0])  # (4.72), angles 10 % off, no rates
PROCESS = 1e-4 * np.array([1e-3, 1e-3, 1e-3, 1e-2, 1e-2, 1e-2])  # (4.74) as noise on the derivative, Ts^2


@cache
def walker(name="walker3"):
    return Walker.load(name)


def made(sensors="encoders", *, sloped=False, slope=0.0, start=1.0, detector=None, limit=20.0, **settings):
    """A loop with the laboratory's walker and the first belief of its filter."""
    own = walker().on_slope(slope)
    phases = Phases.of(own)
    maps = HybridMaps(sensors=usual_sensors(walker(), sensors), sloped=sloped)
    more = [1e-12] if sloped else []
    settings = {"process_noise": np.array([*PROCESS, *more]), "impact_noise": np.array([1e-4] * 6 + more), **settings}
    filter = HybridFilter(maps=maps, **settings)
    loop = Loop(
        plant=phases,
        sensors=usual_sensors(own, sensors),
        filter=filter,
        feedback=upright(Phases.of(walker()), limit=limit),
        detector=detector or Detector(),
    )
    return loop, filter.start(GUESS, 0, np.array([start] * 6 + [0.1] * sloped))


def differences(function, at, step=1e-6):
    return np.stack([(function(at + d) - function(at - d)) / (2 * step) for d in step * np.eye(len(at))], axis=1)


@pytest.mark.parametrize("name", ["walker3", "walker5"])
@pytest.mark.parametrize("foot", [0, 1])
def test_saltation_is_the_derivative_of_the_flow_through_the_event(name, foot):
    """Errors before a touchdown become errors after it, at one instant, whenever the touchdown was; by simulation alone."""
    phases, guard, rng = Phases.of(walker(name)), Guard(), np.random.default_rng(3)
    n = len(phases)
    stepping = Stepping(period=0.02, steps=40)
    for _ in range(3):
        x = np.concatenate([[0.375], rng.uniform(-0.4, 0.5, n - 1), [2.0], rng.uniform(-2, 2, n - 1)])
        u = rng.uniform(-2, 2, n - 1)
        end, stance, _, hits = advance(phases, foot, x, u, guard, stepping)
        assert len(hits) == 1 and stance == 1 - foot
        before = phases.planar[foot].flow_slopes(x, phases.torques(foot, u), hits[0].time, 20)
        after, salted = saltation(phases, foot, hits[0].before, u, guard)
        rest = phases.planar[stance].flow_slopes(after, phases.torques(stance, u), 0.02 - hits[0].time, 20)
        flown = differences(lambda y, u=u: advance(phases, foot, y, u, guard, stepping)[0], x, 1e-5)
        assert rest.value == pytest.approx(end, abs=1e-7)
        assert rest.state @ salted @ before.state == pytest.approx(flown, abs=2e-4 * np.abs(flown).max())


def test_a_state_passes_its_touchdown_and_comes_back_on_its_clock():
    """From before or from beyond the guard, the same motion is found."""
    phases, guard, u = Phases.of(walker()), Guard(), np.array([1.0, -2.0])
    at = np.array([np.pi / 8, 0.5, -0.4, 2.0, 0.1, -1.8])
    found = []
    for lead in (-0.006, 0.006):
        x = phases.planar[0].flow(at[None], phases.torques(0, u)[None], lead, 20)[0]
        hit = through(phases, 0, x, u, guard, reach=0.02, steps=20)
        assert hit.time == pytest.approx(-lead, abs=1e-9)
        assert hit.slope == pytest.approx(
            differences(lambda y: through_state(phases, 0, y, u, guard, reach=0.02, steps=20), x), abs=1e-5
        )
        found.append(phases.planar[1].flow(hit.state[None], phases.torques(1, u)[None], -lead, 20)[0])
    assert found[0] == pytest.approx(found[1], abs=1e-9)


def test_a_foot_that_rises_does_not_touch_down():
    phases = Phases.of(walker())
    back = np.array([np.pi / 8, 0.5, -0.4, -2.0, 0.1, 1.8])
    with pytest.raises(MotionError, match="does not come down"):
        saltation(phases, 0, back, np.zeros(2), Guard())
    assert through(phases, 0, back, np.zeros(2), Guard(), reach=0.02) is None


@pytest.mark.parametrize("sloped", [False, True])
@pytest.mark.parametrize("foot", [0, 1])
def test_maps_have_their_derivatives(foot, sloped):
    maps, u = HybridMaps(sensors=usual_sensors(walker(), "imu"), sloped=sloped, steps=8), np.array([1.0, -2.0])
    z = maps.state(np.array([0.38, 0.5, -0.4, 2.0, 0.1, -1.8]), foot, 0.05)
    for value, slope in (
        (lambda z: maps.flow(z, foot, u), maps.flow_slope(z, foot, u)[1]),
        (lambda z: maps.readings(z, foot, u), maps.readings_slope(z, foot, u)[1]),
        (lambda z: maps.touchdown(z, foot, u, located=False), maps.touchdown_slope(z, foot, u, located=False)[1]),
        (lambda z: maps.touchdown(z, foot, u, located=True), maps.touchdown_slope(z, foot, u, located=True)[1]),
        (lambda z: np.array([maps.guard_slope(z, foot, u)[0]]), maps.guard_slope(z, foot, u)[1][None]),
    ):
        assert slope == pytest.approx(differences(value, z), abs=1e-5)


def test_a_touchdown_leaves_angles_and_slope_and_swaps_the_foot():
    maps = HybridMaps(sensors=usual_sensors(walker(), "encoders"), sloped=True)
    z = maps.state(np.array([np.pi / 8, 0.5, -0.4, 2.0, 0.1, -1.8]), 0, 0.05)
    after = maps.touchdown(z, 0, np.zeros(2), located=True)
    assert after[[0, 1, 2, 6]] == pytest.approx(z[[0, 1, 2, 6]], abs=1e-12)
    assert maps.readings(after, 1, np.zeros(2)) == pytest.approx(maps.readings(z, 0, np.zeros(2)), abs=1e-12)


@pytest.mark.parametrize("kind", ["extended", "unscented"])
@pytest.mark.parametrize(("sensors", "sloped", "by"), [("imu", True, "accelerometer"), ("gyroscope", False, "gyroscope")])
def test_the_compiled_loop_is_the_filters_one_by_one(kind, sensors, sloped, by):
    """The functions of bifilar.filters on the maps, sample by sample, give what the fused kernels give."""
    loop, belief = made(sensors, sloped=sloped, slope=0.02 * sloped, start=0.3, kind=kind, detector=Detector(by=by))
    plain, fast = (loop.run(START, belief, 0.8, 5, compiled=compiled) for compiled in (False, True))
    assert plain.touched.sum() == 1 and len(plain.time) == 80
    for name in ("truth", "mean", "deviation", "readings", "torques"):
        assert getattr(fast, name) == pytest.approx(getattr(plain, name), abs=1e-8)
    assert fast.surprise == pytest.approx(plain.surprise, rel=1e-5)
    assert (fast.stance == plain.stance).all() and (fast.followed == plain.followed).all()


@pytest.mark.parametrize("sensors", KINDS)
def test_walks_go_on_behind_an_unscented_filter(sensors):
    """Right model, first guess and noises of the thesis; encoders of variance 1e-10 leave covariances positive."""
    loop, belief = made(sensors)
    for seed in range(3):
        walk = loop.run(START, belief, 5.0, seed)
        assert walk.steps >= 6 and not walk.fell and not walk.lost
        assert walk.torso_rms() <= 0.015
        assert (walk.deviation > 0).all() and np.isfinite(walk.surprise).all()


def test_without_the_impact_the_torso_is_lost():
    errors = {}
    for passage in ("saltation", "ignored"):
        loop, belief = made("encoders", passage=passage)
        walks = [loop.run(START, belief, 5.0, seed) for seed in range(3)]
        errors[passage] = np.mean([np.mean((walk.mean - walk.truth)[:, 0] ** 2) for walk in walks])
    assert errors["ignored"] > 50 * errors["saltation"]


@pytest.mark.parametrize(
    ("settings", "most"),
    [
        ({"passage": "sample", "impact_noise": 1e-2}, 0.015),
        ({"passage": "heuristic", "kind": "extended", "impact_noise": 0.0075}, 0.02),
    ],
)
def test_the_thesis_s_ways_walk_too(settings, most):
    loop, belief = made("encoders", **settings)
    walk = loop.run(START, belief, 5.0, 0)
    assert walk.steps >= 6 and walk.torso_rms() <= most


def test_a_slope_is_found_while_walking():
    slope = np.deg2rad(-2.0)
    loop, belief = made("imu", sloped=True, slope=slope, guard_noise=1e-3)
    walk = loop.run(START, belief, 5.0, 1)
    assert walk.steps >= 5
    assert walk.mean[-1, 6] == pytest.approx(slope, abs=np.deg2rad(1.0))


def test_what_cannot_be():
    maps = HybridMaps(sensors=usual_sensors(walker(), "encoders"))
    with pytest.raises(ShapeError, match="passage 'by magic'"):
        HybridFilter(maps=maps, passage="by magic")
    with pytest.raises(RobotError, match="no gyroscope to detect touchdowns"):
        made("encoders", detector=Detector(by="gyroscope"))[0].run(START, made()[1], 0.1, 0)
    with pytest.raises(RobotError, match="by 'ear'"):
        Detector(by="ear")
    with pytest.raises(ShapeError, match="other sensors"):
        loop, belief = made("encoders")
        Loop(plant=loop.plant, sensors=usual_sensors(walker(), "imu"), filter=loop.filter, feedback=loop.feedback).run(
            START, belief, 0.1, 0
        )
    with pytest.raises(ShapeError, match="a state of 7 numbers"):
        maps.links(np.zeros(7), 0)


@pytest.mark.parametrize("kind", ["extended", "unscented"])
def test_a_touchdown_at_a_given_instant(kind):
    """With the instant known, the map is the flow to it, the touchdown and the flow from it."""
    loop, _ = made("encoders", passage="timed", kind=kind, impact_noise=0.0)
    maps, u, since = loop.filter.maps, np.array([1.0, -2.0]), 0.004
    belief = loop.filter.start(np.array([0.4, 0.5, -0.4, 2.0, 0.1, -1.8]), 0, 1e-5)
    after = loop.filter.touchdown(belief, 0, u, since=since)

    def passed(z):
        hit = maps.touchdown(maps.flow(z, 0, u, -since), 0, u, located=False)
        return maps.flow(hit, 1, u, since)

    slope = differences(passed, belief.mean)
    assert after.mean == pytest.approx(passed(belief.mean), abs=1e-7)
    assert after.covariance == pytest.approx(slope @ belief.covariance @ slope.T, rel=1e-4, abs=1e-14)
    with pytest.raises(ShapeError, match="time of the touchdown"):
        loop.filter.touchdown(belief, 0, u)


@pytest.mark.parametrize("kind", ["extended", "unscented"])
def test_any_number_of_links_and_every_sensor(kind):
    """Five links, a distance meter whose noise grows, a tilted accelerometer of three axes with a bias, a touchdown."""
    own = walker("walker5")
    phases = Phases.of(own)
    feedback = upright(phases)
    more = (
        DistanceMeter(own.base, (0.0, 0.2), beam=0.3, noise=1e-3, growth=0.01),
        Accelerometer(own.base, axes=3, tilt=0.2, noise=0.1, bias=0.05),
    )
    sensors = SensorSet(own, (*usual_sensors(own, "imu").sensors, *more))
    filter = HybridFilter(maps=HybridMaps(sensors=sensors), kind=kind, process_noise=1e-6)
    loop = Loop(plant=phases, sensors=sensors, filter=filter, feedback=feedback)
    start = feedback.on_constraints(0.3, 2.5)
    belief = filter.start(start + 0.01, 0, 0.05)
    plain, fast = (loop.run(start, belief, 0.2, 1, compiled=compiled) for compiled in (False, True))
    assert plain.steps == 1 and fast.stance[-1] == 1
    for name in ("truth", "mean", "deviation", "readings", "torques"):
        assert getattr(fast, name) == pytest.approx(getattr(plain, name), abs=1e-9)


@pytest.mark.parametrize("kind", ["extended", "unscented"])
def test_noise_of_the_period_is_counted_once_where_it_comes_after_the_touchdown(kind):
    """A plant that is pushed at the sample's end, after its touchdown: simulated slopes of the whole period, plus the push."""
    push = np.array([0.0, 0.0, 0.0, 1e-8, 2e-8, 3e-8])
    loop, _ = made("encoders", kind=kind, process_noise=push, impact_noise=push, noise_after=True)
    maps, u = loop.filter.maps, np.array([1.0, -2.0])
    belief = loop.filter.start(np.array([0.385, 0.5, -0.4, 2.0, 0.1, -1.8]), 0, 1e-5)

    def passed(z):
        end, foot, _, hits = advance(maps.phases, 0, maps.links(z, 0), u, maps.guard, Stepping(period=maps.period, steps=20))
        assert len(hits) == 1
        return maps.state(end, foot)

    slope = differences(passed, belief.mean, 1e-5)
    after = loop.filter.touchdown(loop.filter.predict(belief, 0, u), 0, u)
    wanted = slope @ belief.covariance @ slope.T + np.diag(push)
    assert after.covariance == pytest.approx(wanted, rel=1e-2, abs=1e-3 * wanted.max())

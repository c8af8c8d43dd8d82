"""Gaits of the three-link walkers: found, stable, as fast as they must be; and what a user hears where there is none."""

from __future__ import annotations

import numpy as np
import pytest

from bifilar.errors import MotionError, RobotError, SolveError
from bifilar.walking.builtin import GRIZZLE, LABORATORY, Segment, walker_description
from bifilar.walking.feedback import finite_time, printed, upright
from bifilar.walking.gait import find_gait, next_rate, stride
from bifilar.walking.guard import Guard
from bifilar.walking.hybrid import Stepping, simulate
from bifilar.walking.phases import Phases
from bifilar.walking.walker import Walker

START = np.array([2.65 + 0.1 - np.pi, 0.1, 3.43 + 0.1 - np.pi, 2.0, 0.5, -2.0])  # (4.71), as angles of the links


def phases_of(numbers):
    return Phases.of(Walker.build(walker_description(*numbers)))


@pytest.mark.parametrize(
    ("numbers", "rate", "period", "multiplier"), [(LABORATORY, 2.159, 0.692, 0.540), (GRIZZLE, 1.602, 0.828, 0.555)]
)
def test_the_gait_of_each_machine(numbers, rate, period, multiplier):
    gait = find_gait(upright(phases_of(numbers)))
    assert gait.rate == pytest.approx(rate, abs=0.005)
    assert gait.period == pytest.approx(period, abs=0.002)
    assert gait.multiplier == pytest.approx(multiplier, abs=0.02)
    assert gait.is_stable and gait.speed == pytest.approx(gait.length / gait.period)
    assert not gait.touchdown.findings
    assert gait.picture().count('class="bone"') == 27
    assert next_rate(gait.feedback, gait.guard, gait.rate) == pytest.approx(gait.rate, abs=1e-9)


@pytest.mark.parametrize(("law", "least", "most"), [(finite_time(), 7, 8), (printed(), 0, 0)])
def test_the_printed_law_falls(law, least, most):
    """(4.69) and (4.70) as printed: 1/eps, exponent alpha/2 - alpha, factor 1/2 - alpha."""
    phases = phases_of(LABORATORY)
    walk = simulate(phases, START, upright(phases, law=law), 5.0, stepping=Stepping(period=0.002, steps=2))
    assert least <= walk.steps <= most
    assert walk.fell == (most == 0)


def test_too_slow_a_start_falls_back():
    feedback = upright(phases_of(LABORATORY))
    assert np.isnan(next_rate(feedback, Guard(), 1.9))
    assert next_rate(feedback, Guard(), 2.0) > 2.0


def test_a_controller_sampled_at_a_hundred_hertz_still_walks():
    phases = phases_of(LABORATORY)
    walk = simulate(phases, START, upright(phases), 10.0)
    assert walk.steps >= 14 and not walk.fell
    assert walk.origin[-1] == pytest.approx(walk.steps * 2 * 0.535 * np.sin(np.pi / 8), rel=0.02)


def test_downhill_the_torso_need_not_lean_so_far():
    walker = Walker.load("walker3").on_slope(-0.05)
    gait = find_gait(upright(Phases.of(walker), torso=0.35))
    assert gait.is_stable


def test_a_gait_that_does_not_exist():
    with pytest.raises(SolveError, match="there is no gait"):
        find_gait(upright(phases_of(LABORATORY), torso=-0.5))


def test_no_touchdown_within_the_horizon():
    feedback = upright(phases_of(LABORATORY))
    with pytest.raises(MotionError, match=r"no touchdown within 0.1 s"):
        stride(feedback, Guard(), START, longest=0.1)


def test_a_foot_below_the_ground_at_the_start():
    phases = phases_of(LABORATORY)
    with pytest.raises(MotionError, match=r"foot 'foot2' is .* mm below the ground at the start"):
        simulate(phases, np.array([0.3, 0.0, -0.1, 0, 0, 0]), None, 1.0, guard=Guard(angle=-np.inf, height=True))


def test_legs_that_are_not_alike_have_no_gait_of_one_step():
    torso, (leg,) = LABORATORY
    other = Segment(leg.length, leg.center, 1.1 * leg.mass, leg.inertia)
    walker = Walker.build(walker_description(torso, (leg,), (other,)))
    with pytest.raises(RobotError, match="the legs are not alike"):
        find_gait(upright(Phases.of(walker)))

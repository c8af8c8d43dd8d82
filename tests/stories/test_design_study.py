"""Designed motions before the independent checker, bad ones before the certificate: `make study-design` in small."""

from __future__ import annotations

import numpy as np
import pytest
from bad_motions import KINDS, Good, bad_motion
from design_problems import ROBOTS, problem
from motion_checker import broken, violations

import bifilar as bf
from bifilar.errors import BifilarError

pytest.importorskip("pinocchio")


@pytest.fixture(scope="module")
def designed():
    """designed(number): the first problem of that robot, from there on, that has a solution; each is designed once."""
    kept: dict[int, Good] = {}

    def get(number: int) -> Good:
        if number not in kept:
            for tried in range(number, number + 5 * len(ROBOTS), len(ROBOTS)):
                given = problem(tried)
                try:
                    found = bf.design(given.robot, constraints=given.constraints, **given.settings)
                except BifilarError:  # no such motion
                    continue
                torque = given.settings["torque"]
                kept[number] = Good(given.robot, found.motion, given.constraints, torque, found, given.settings["margin"])
                break
        return kept[number]

    return get


@pytest.mark.parametrize("number", range(len(ROBOTS)), ids=ROBOTS)
def test_nothing_is_broken_at_ten_kilohertz(number, designed):
    good = designed(number)
    watched = (*good.constraints, bf.TorqueWithin()) if good.torque else good.constraints
    assert not broken(violations(good.robot, good.motion, watched, margin=good.margin))


@pytest.mark.parametrize("number", range(2 * len(KINDS)), ids=lambda k: f"{KINDS[k % len(KINDS)].__name__} {k // len(KINDS)}")
def test_bad_motions_are_refused(number, designed, tmp_path):
    robots = np.roll(np.arange(len(ROBOTS)), -number).tolist()
    for robot in robots:  # the first that can be bad in this way
        bad = bad_motion(number, designed(robot), tmp_path / str(robot))
        if bad is not None and bad.is_bad():
            with pytest.raises(BifilarError):
                bad.attempt()
            return
    pytest.fail("no robot can be bad in this way")

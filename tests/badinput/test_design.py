"""Designs and certificates under bad input: what is silently lost, forged or misadvised elsewhere is told here."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

import bifilar as bf
from bifilar.errors import BifilarError, MotionError

PANDA, TWO = bf.Robot.load("panda"), bf.Robot.load("two_link")


def letter(call) -> MotionError:
    with pytest.raises(BifilarError) as refusal:
        call()
    return refusal.value


def test_an_obstacle_is_never_left_out():
    post = bf.Capsule("", [0.3, 0, 0], [0.3, 0, 1.0], 0.05)
    own = [bf.Capsule("link2", [0, 0, 0], [0, -0.1, 0], 0.06), bf.Capsule("flange", [0, 0, 0], [0, 0, 0.1], 0.05)]
    wall = bf.Clearance.of(PANDA, obstacles=[post], own=own, least=0.3)
    assert {(0, 2), (1, 2)} <= set(wall.pairs)
    assert "distance of link2 and obstacle 2" in str(letter(lambda: bf.design(PANDA, duration=5.0, constraints=[wall])))


def test_links_that_always_touch_are_named():
    wall = bf.Clearance.of(PANDA, ignore=[("link1", "link5")])
    assert ("link1", "link5") in wall.left_out


@pytest.mark.parametrize("above", [1e-4, 5e-4, 2e-3, 4e-3, 0.05])
def test_a_start_close_to_a_wall_works_or_is_refused(above):
    pose = np.array([0, 0, 0, -1.5, 0, 1.5, 0.0])
    height = bf.Above("flange", 0.0).on(PANDA).rooms(*np.array([[pose]] * 3))[0, 0]
    try:
        found = bf.design(PANDA, duration=5.0, start=pose, constraints=[bf.Above("flange", height - above)])
    except MotionError as refusal:
        assert above < 4e-3 and "the start pose is short of" in refusal.what
    else:
        assert np.isfinite(found.value) and np.isfinite(list(found.deviations.values())).all()


def test_limits_that_leave_nothing_are_told():
    tight = TWO.with_limits({joint: {"velocity": 1e-7} for joint in TWO.joint_names})
    refusal = letter(lambda: bf.design(tight, duration=5.0))
    assert "open are" in refusal.what or "no motion" in refusal.what


CONFLICTS = [
    [bf.Above("flange", 2.0)],
    [bf.Within("flange", [-9, -9, 0.9], [9, 9, 9]), bf.Within("flange", [-9, -9, -9], [9, 9, 0.7], margin=0.01)],
    [bf.Within("flange", [-9, -9, -9], [9, 9, -1.2])],
]


@pytest.mark.parametrize("constraints", CONFLICTS)
def test_following_the_advice_helps(constraints):
    """Every limit set to what the letter says: then there is a motion."""
    remedy = letter(lambda: bf.design(PANDA, duration=5.0, harmonics=3, constraints=constraints)).remedy
    advised = re.findall(r"'flange along ([^']+)' from (\S+) to (\S+) m", remedy)
    assert advised
    relaxed = []
    for constraint in constraints:
        for name, old, new in advised:
            side, old, new = name.split(", ")[-1], float(old), float(new)
            if isinstance(constraint, bf.Above):
                constraint = bf.Above("flange", new) if abs(constraint.least - old) < 1e-3 else constraint
            else:
                corners = {"lower": constraint.lower.copy(), "upper": constraint.upper.copy()}
                if abs(corners[side][2] - old) < 1e-3:
                    corners[side][2] = new
                constraint = bf.Within("flange", **corners, margin=constraint.margin)
        relaxed.append(constraint)
    assert np.isfinite(bf.design(PANDA, duration=5.0, harmonics=3, constraints=relaxed).value)


def test_torque_advice_counts_the_margin():
    pose = np.array([0, 1.0, 0, -0.8, 0, 1.5, 0])
    weak = PANDA.with_limits({"joint2": {"effort": 10.0}})
    refusal = letter(lambda: bf.design(weak, duration=5.0, harmonics=3, start=pose, margin=0.3))
    enough = float(re.search(r"'torque of joint2[^']*' from \S+ to (\S+) N m", refusal.remedy).group(1))
    strong = PANDA.with_limits({"joint2": {"effort": abs(enough)}})
    assert np.isfinite(bf.design(strong, duration=5.0, harmonics=3, start=pose, margin=0.3).value)


def test_what_cannot_be_held_is_not_swung_through(tmp_path):
    weak = bf.Robot.load("pendulum").with_limits({"joint1": {"effort": 1.0, "lower": -3.1, "upper": 3.1, "velocity": 20.0}})
    found = bf.design(weak, duration=5.0)
    assert [run.speed for run in found.save(tmp_path / "p.csv").runs] == [0.1, 0.25, 0.5, 1.0]


def test_ctrl_c_between_the_searches(monkeypatch):
    from bifilar.experiment.feasible import Poses

    real, calls = Poses.start, []

    def start(self, rng):
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return real(self, rng)

    monkeypatch.setattr(Poses, "start", start)
    found = bf.design(TWO, duration=5.0, starts=4)
    assert len(found.starts) == 1 and np.isfinite(found.value)


@pytest.mark.parametrize(
    "change",
    [
        {"seed": -1}, {"noise": [1.0] * 5}, {"noise": "x"}, {"prior": "x"}, {"starts": 2.5}, {"margin": "a"},
        {"constraints": [3]},
        {"only": "*.nothing"}, {"others": "unknwon"}, {"noise": np.inf}, {"rate": 0.0}, {"harmonics": 0},
        {"start": [np.nan, 0.0]}, {"start": [0.0]},
    ],
)  # fmt: skip
def test_wrong_calls_get_letters(change):
    assert isinstance(letter(lambda: bf.design(TWO, **({"duration": 5.0} | change))), BifilarError)


def test_worst_of_some():
    robot = TWO.with_friction(bf.Viscous())
    found = bf.design(robot, duration=5.0, criterion="worst", only="*.viscous", noise=0.1)
    assert found.names == ("joint1.viscous", "joint2.viscous")


@pytest.fixture
def saved(tmp_path):
    design = bf.design(TWO, duration=5.0)
    design.save(tmp_path / "move.v2.csv")
    return tmp_path


def test_names_with_dots_and_other_forms_are_found(saved):
    assert bf.certificate_of(saved / "move.v2.csv").covers(TWO, saved / "move.v2.csv").speed == 1.0
    bf.design(TWO, duration=5.0).save(saved / "move.v2.yaml")
    for name in ("move.v2.csv", "move.v2_10.csv", "move.v2.yaml"):
        assert bf.certificate_of(saved / name).covers(TWO, saved / name).file == name


@pytest.mark.parametrize(
    "forge",
    [
        lambda c: c["runs"][0]["margins"].clear(),
        lambda c: c["runs"][0]["margins"][0].update(room=-99.0),
        lambda c: c["runs"][0]["series"]["coefficients"][0].__setitem__(0, 50.0),
        lambda c: c["runs"][0].update(speed="fast"),
        lambda c: c["runs"][0].update(series=None),
        lambda c: c.update(robot="0" * 64),
        lambda c: c.pop("digest"),
    ],
)
def test_an_edited_certificate_is_refused(saved, forge):
    file = saved / "move.v2.certificate.json"
    content = json.loads(file.read_text())
    forge(content)
    file.write_text(json.dumps(content))
    assert "changed after it was written" in str(letter(lambda: bf.Certificate.load(file)))


def test_files_that_hold_something_else_are_not_bound(saved):
    certificate = bf.Certificate.load(saved / "move.v2.certificate.json")
    bf.save_motion(saved / "other.csv", bf.quintic(TWO.joint_names, [[0, 0], [1, 1]], [0, 5.0]).sample(100))
    assert "does not hold the motion" in str(letter(lambda: certificate.with_files({1.0: saved / "other.csv"})))
    (saved / "move.v2.csv").unlink()
    assert "cannot be read" in str(letter(lambda: certificate.covers(TWO, saved / "move.v2.csv")))
    assert "no run" in str(letter(lambda: certificate.run(0.3)))
    (saved / "deep.json").write_text("[" * 100_000)
    letter(lambda: bf.Certificate.load(saved / "deep.json"))


def test_what_was_not_checked_is_said():
    certificate = bf.certify(PANDA, bf.design(PANDA, duration=5.0, torque=False).motion, torque=False)
    assert "effort of joint1" in certificate.not_checked


def test_motions_that_cannot_be_certified():
    quintic = bf.quintic(TWO.joint_names, [[0, 0], [1, 1]], [0, 5.0])
    assert "not proven" in str(letter(lambda: bf.certify(TWO, quintic)))
    motion = bf.design(TWO, duration=5.0).motion
    for speeds in ((), (0.0,), (-1.0,), (2.0,)):
        assert "speeds" in str(letter(lambda speeds=speeds: bf.certify(TWO, motion, speeds=speeds)))


@pytest.mark.parametrize(
    "text",
    [
        "[[abvoe]]\nframe = 'link2'\nleast = 0.1\n",
        "[[collision]]\nleast = 0.5\n",
        "[collision]\nlesat = 0.5\n",
        "[[above]]\nframe = 'link2'\n",
        "[[above]]\nframe = 'linkk2'\nleast = 0.1\n",
        "[[above]]\nframe = 'link2'\nleast = true\n",
        "[[speed]]\nframe = 'link2'\nmost = 1.0\nmargin = 'x'\n",
        "[above]\nframe = 'link2'\nleast = 0.1\n",
        "[[above]]\nframe = 3\nleast = 0.1\n",
    ],
)
def test_constraint_files_lose_nothing_in_silence(tmp_path, text):
    (tmp_path / "limits.toml").write_text(text)
    assert isinstance(letter(lambda: bf.load_constraints(TWO, tmp_path / "limits.toml")), BifilarError)

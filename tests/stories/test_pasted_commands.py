"""Commands that are offered work as they stand: they carry every word that the log at hand was read with."""

from __future__ import annotations

import re
import shlex
from html import unescape
from pathlib import Path

import numpy as np
import pytest
from swings import swing

import bifilar as bf
from bifilar.cli import gravity
from bifilar.cli.settings import parse

ARM = bf.Robot.load("two_link")
WORDS = ("--mapping", "my log.toml", "--rate", "200", "--lock", "joint2", "--sign", "joint1=-1", "--unit", "position=deg")
MAPPING = """\
joints = ["joint1", "joint2"]

[channels.position]
columns = ["p_a", "p_b"]

[channels.torque]
columns = ["t_a", "t_b"]
"""


def strange_log(path: Path, seed: int, scale: float = 1.0) -> None:
    """Names, units and signs of a stranger, no clock, and a second joint that is held."""
    t, rng = np.arange(0, 12, 0.005), np.random.default_rng(seed)
    size, rate, phase = rng.uniform(0.3, 0.6, 3), rng.uniform(1, 6, 3), rng.uniform(0, 6, 3)
    angle = np.outer(t, rate) + phase
    q = np.column_stack([np.sin(angle) @ size, np.full_like(t, -0.7)])
    v = np.column_stack([np.cos(angle) @ (size * rate), 0 * t])
    a = np.column_stack([-np.sin(angle) @ (size * rate**2), 0 * t])
    tau = scale * ARM.inverse_dynamics(q, v, a) + 0.02 * rng.normal(size=q.shape)
    rows = np.column_stack([np.degrees(q), tau * (-1, 1)])
    np.savetxt(path, rows, delimiter=",", header="p_a,p_b,t_a,t_b", comments="", fmt="%.9g")


@pytest.fixture
def logs(tmp_path):
    (tmp_path / "my log.toml").write_text(MAPPING)
    strange_log(tmp_path / "run.csv", 1)
    strange_log(tmp_path / "other.csv", 2)


def offered(text: str, verb: str) -> list[list[str]]:
    """Commands of a verb in a text, taken apart as a shell does."""
    return [shlex.split(found) for found in re.findall(rf"bifilar ({verb} .*)", text)]


def test_every_command_about_a_log_says_how_it_is_read(bifilar, logs, monkeypatch, tmp_path):
    monkeypatch.setenv("COLUMNS", "60")  # narrower than the commands: they are not broken
    code, out, err = bifilar("check", "run.csv", "--robot", "two_link", *WORDS)
    assert code == 0, err
    assert offered(out, "fit") == [["fit", "two_link", "run.csv", *WORDS]]
    code, out, _ = bifilar("fit", "two_link", "run.csv", "--test", "other.csv", *WORDS, "--friction", "none", "-o", "run")
    assert code == 0
    page = unescape((tmp_path / "run" / "report.html").read_text("utf-8")).replace("</code>", "\n")
    assert offered(page, "design")
    for words in [*offered(page, "design"), *offered(page, "fit")]:
        assert words[words.index("--lock") + 1] == "joint2"
        if words[0] == "fit" and "next-recorded.csv" in words:
            assert words[-len(WORDS) :] == list(WORDS)
    code, out, _ = bifilar("track", "two_link", "run.csv", *WORDS)
    assert offered(out, "track") == [["track", "two_link", "run.csv", *WORDS, "--payload", "tip", "-o", "load.csv"]]


def test_a_fit_that_is_doubted_offers_checks_that_read_the_log_alike(bifilar, logs, monkeypatch, tmp_path):
    strange_log(tmp_path / "run.csv", 1, scale=3.0)  # a torque that no check lets pass
    monkeypatch.setenv("COLUMNS", "60")
    code, out, _ = bifilar("fit", "two_link", "run.csv", "--test", "other.csv", *WORDS, "--anyway", "--no-page", "-o", "run")
    assert code == 1
    assert ["check", "run.csv", "--robot", "two_link", *WORDS] in offered(out, "check")
    code, out, _ = bifilar("validate", "run", "other.csv", "--anyway")
    said = offered(out, "check")[0]
    assert code == 1 and said[-len(WORDS) + 2 :] == list(WORDS[2:])  # the mapping by its full path: a run knows where it lies
    assert Path(said[said.index("--mapping") + 1]).samefile(tmp_path / "my log.toml")


def test_a_run_judges_a_log_of_another_logger(bifilar, logs, tmp_path):
    """Words given to validate take the place of the run's; without any, logs are read as the run's own were."""
    assert (
        bifilar("fit", "two_link", "run.csv", "--test", "none", *WORDS, "--friction", "none", "--no-page", "-o", "run")[0] == 0
    )
    code, out, err = bifilar("validate", "run", "other.csv")
    assert code == 0, err
    log = bf.Recording.load("other.csv", ARM, mapping="my log.toml", rate=200, unit={"position": "deg"}, sign={"joint1": -1})
    log.save("named.csv")
    assert bifilar("validate", "run", "named.csv")[0] == 3  # not what the run's mapping says
    code, same, err = bifilar("validate", "run", "named.csv", "--mapping", "none")
    assert code == 0, err
    assert same.replace("named.csv", "other.csv") == out
    log.with_channel("torque", -log.torque).save("turned.csv")
    code, _, err = bifilar("validate", "run", "turned.csv", "--mapping", "none")
    assert code == 3 and "--sign" in err
    assert bifilar("validate", "run", "turned.csv", "--sign", "*=-1")[0] == 0


def test_a_run_is_tracked_and_controlled_by_its_folder(bifilar, tmp_path):
    swing("a.csv", 1, "two_link")
    assert bifilar("fit", "two_link", "a.csv", "--no-page", "-o", "run")[0] == 0
    swing("b.csv", 2, "two_link")
    code, out, err = bifilar("track", "run", "b.csv", "--no-page")
    assert code == 0 and offered(out, "track")[0][:3] == ["track", "run", "b.csv"], err
    bf.save_motion(tmp_path / "move.csv", bf.quintic(["joint1", "joint2"], [[0.0, 0.0], [0.5, 0.4]], [0.0, 1.0]).sample(100))
    assert bifilar("control", "run", "move.csv", "--no-page")[0] == 0
    (tmp_path / "run" / "identified.urdf").unlink()
    code, _, err = bifilar("control", "run", "move.csv", "--no-page")
    assert code == 3 and "what this run found is not to be used" in " ".join(err.split())


def test_gravity_offers_the_same_with_a_page(bifilar, tmp_path):
    held = np.repeat(np.random.default_rng(0).uniform(-1.5, 1.5, (12, 2)), 100, axis=0)
    rows = np.column_stack([np.arange(len(held)) / 100, held, ARM.gravity_torque(held)])
    np.savetxt(tmp_path / "held.csv", rows, delimiter=",", header="time,p_a,p_b,t_a,t_b", comments="", fmt="%.9g")
    (tmp_path / "my log.toml").write_text(f"{MAPPING}\n[clock]\ncolumn = 'time'\n")
    words = ("gravity", "two_link", "held.csv", "--mapping", "my log.toml", "--method", "all")
    code, out, err = bifilar(*words)
    assert code == 0, err
    again = offered(out, "gravity")[0]
    assert again == [*words, "-o", "gravity.html"]
    assert parse(gravity, "gravity", again[1:]).mapping == "my log.toml"


def test_gravity_of_logs_that_move_offers_moving(bifilar, tmp_path):
    swing("moving.csv", 0, "two_link")
    code, _, err = bifilar("gravity", "two_link", "moving.csv")
    assert code == 3 and "--moving, which takes all of the motion" in " ".join(err.split())
    time = np.arange(3000) / 100
    late = np.clip((time - 8) / 3, 0, 1)[:, None]
    grows, turn = late**3 * (10 - 15 * late + 6 * late**2), np.clip((time - 3) / 2, 0, 1)[:, None]
    rest = 0.4 + 0.2 * turn**3 * (10 - 15 * turn + 6 * turn**2)  # two poses that are held, then motion
    q = rest + grows * np.column_stack([np.sin(1.3 * time) + 0.4 * np.sin(2.9 * time), np.sin(1.9 * time + 1)])
    v = np.gradient(q, 0.01, axis=0)
    tau = ARM.inverse_dynamics(q, v, np.gradient(v, 0.01, axis=0)) + 0.01 * np.random.default_rng(0).normal(size=q.shape)
    bf.Recording(joint_names=ARM.joint_names, time=time, position=q, torque=tau).save("rested.csv")
    code, out, err = bifilar("gravity", "two_link", "rested.csv")
    assert code == 1, err
    assert "the logs hold still in 2 poses only: --moving takes all of their motion" in out
    assert offered(out, "gravity")[0] == ["gravity", "two_link", "rested.csv", "--moving", "-o", "gravity.html"]
    code, _, err = bifilar(*offered(out, "gravity")[0])
    assert code == 0, err

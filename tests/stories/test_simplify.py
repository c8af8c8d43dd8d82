"""`bifilar simplify` as a stranger uses it: logs that fit, choose and score; a motion for every model, kept in a folder."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import bifilar as bf
from bifilar.cli import main
from bifilar.cli.simplify import Settings
from bifilar.cli.simplify_next import begin
from bifilar.estimate.held_errors import on_recordings
from bifilar.estimate.simplify_loop import recorded, taken
from bifilar.export.file_lock import alone_in

FRICTION = bf.Viscous() + bf.Coulomb()
TRUE = {"joint1.viscous": 0.2, "joint2.viscous": 0.1, "joint1.coulomb": 0.3, "joint2.coulomb": 0.15}
NEXT = ("simplify", "two_link", "--next", "steps")
STAGES = 3


def arm() -> bf.Robot:
    return bf.Robot.load("two_link").with_friction(FRICTION, TRUE)


def log(path: Path, seed: int) -> None:
    """Six seconds of smooth motion, with noise."""
    rng = np.random.default_rng(seed)
    t = np.arange(0, 6, 0.01)[:, None, None]
    size, rate, phase = rng.uniform(0.3, 0.6, (2, 3)), rng.uniform(1, 6, (2, 3)), rng.uniform(0, 6, (2, 3))
    q = (size * np.sin(rate * t + phase)).sum(-1)
    v, a = (size * rate * np.cos(rate * t + phase)).sum(-1), -(size * rate**2 * np.sin(rate * t + phase)).sum(-1)
    torque = arm().inverse_dynamics(q, v, a) + rng.normal(size=q.shape) * (0.05, 0.02)
    bf.Recording(joint_names=arm().joint_names, time=t[:, 0, 0], position=q, torque=torque).save(path)


def played(folder: Path, number: int, speed: str = "") -> None:
    """The robot runs the motion of a stage; its log comes into the folder."""
    motion = bf.load_motion(folder / f"stage-{number:02d}{speed}.csv")
    rng, q = np.random.default_rng(number), motion.position
    torque = arm().inverse_dynamics(q, motion.velocity, motion.acceleration) + rng.normal(size=q.shape) * 0.05
    whole = bf.Recording(joint_names=motion.joint_names, time=motion.time, position=q, torque=torque)
    whole.save(folder / f"log-{number:02d}.csv")


def stages(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name.startswith(("stage", "begun"))}


@pytest.fixture(scope="module")
def recorded_folder(tmp_path_factory) -> Path:
    """Three stages, each by a call of its own, and logs of other motions beside the folder."""
    home, before = tmp_path_factory.mktemp("next"), os.getcwd()
    os.chdir(home)
    for seed, name in enumerate(("v.csv", "t.csv")):
        log(home / name, 10 + seed)
    assert main([*NEXT, "--duration", "5"]) == 0
    for number in range(1, STAGES + 1):
        played(home / "steps", number)
        assert main(list(NEXT)) == 0
    os.chdir(before)
    return home


@pytest.fixture
def place(recorded_folder, tmp_path, bifilar) -> Path:
    shutil.copytree(recorded_folder, tmp_path, dirs_exist_ok=True)
    return tmp_path


def test_a_simpler_model_is_chosen_on_one_log_and_scored_on_another(bifilar, tmp_path):
    for seed, name in enumerate(("a.csv", "v.csv", "t.csv")):
        log(tmp_path / name, seed)
    words = ("simplify", "two_link", "a.csv", "--validate", "v.csv", "--test", "t.csv", "-o", "run")
    code, out, err = bifilar(*words)
    assert (code, err) == (0, "") and re.search(r"^12 -> \d+ parameters by relative contribution$", out, re.M)
    for rule in ("contribution threshold", "essential", "F test", "spread across experiments", "LASSO"):
        assert rule in out
    page = (tmp_path / "run" / "report.html").read_text("utf-8")
    assert "Simpler models" in page and "What is gone, first to last" in page and "Other rules" in page
    about = json.loads((tmp_path / "run" / "run.json").read_text("utf-8"))
    estimate = bf.load_estimate(tmp_path / "run")
    steps = estimate.tables["simplify"]
    taken_step = steps["steps"][steps["chosen"]]
    assert taken_step["size"] == int(np.sum(estimate.values != 0)) < len(estimate.values)
    assert taken_step["held"] == min(step["held"] for step in steps["steps"]) or steps["chosen"] == steps["turn"]
    assert about["judged_on"] == "t.csv" and [entry["given"] for entry in about["inputs"]][1:] == ["a.csv", "v.csv", "t.csv"]
    assert bifilar("rerun", "run")[0] == 0
    code, out, _ = bifilar("validate", "run", "v.csv", "--json")
    assert code == 0 and bifilar("report", "run", "-o", "again.html")[0] == 0
    assert bifilar("export", "run", "-o", "two.csv")[0] == 0


@pytest.mark.parametrize("judged", ["noise", "torque"])
def test_the_step_taken_has_the_least_of_the_errors_it_was_judged_by(bifilar, tmp_path, judged):
    for seed, name in enumerate(("a.csv", "v.csv", "t.csv")):
        log(tmp_path / name, seed)
    words = ("simplify", "two_link", "a.csv", "--validate", "v.csv", "--test", "t.csv", "--judged", judged, "-o", "run")
    code, out, _ = bifilar(*words)
    assert code == 0 and re.search(r"held out: \d\.\d+ \+- \d\.\d+ of the full model's error: ", out)
    ladder = bf.load_estimate(tmp_path / "run").tables["simplify"]
    errors = [step["held_noise" if judged == "noise" else "held"] for step in ladder["steps"]]
    assert ladder["judged"] == judged and errors[ladder["chosen"]] == min(errors)
    assert ladder["over full"]["value"] == pytest.approx(min(errors) / errors[0], rel=1e-9)
    page = (tmp_path / "run" / "report.html").read_text("utf-8")
    assert ("Error in noise" in page) == (judged == "noise") and "By the error it was chosen by" in page
    assert bifilar("rerun", "run")[0] == 0


def test_c_code_has_no_trace_of_dropped_terms(bifilar, tmp_path):
    """Fewer operations than the full model has, in friction too, where offsets are gone; it is compiled and compared."""
    log(tmp_path / "a.csv", 0)
    log(tmp_path / "v.csv", 1)
    small = (
        "simplify",
        "two_link",
        "a.csv",
        "--validate",
        "v.csv",
        "--test",
        "none",
        "--no-page",
        "--no-rivals",
        "-o",
        "small",
    )
    whole = ("fit", "two_link", "a.csv", "--test", "none", "--no-page", "--method", "least-squares", "-o", "whole")
    counts = {}
    for words in (small, whole):
        assert bifilar(*words)[0] == 0
        assert bifilar("export", words[-1], "--to", "c", "-o", f"{words[-1]}_c")[0] == 0
        header = (tmp_path / f"{words[-1]}_c" / f"{words[-1]}.h").read_text("utf-8")
        counts[words[-1]] = [int(count) for count in re.findall(r"(\d+) additions and multiplications", header)]
    estimate = bf.load_estimate(tmp_path / "small")
    gone = {name for name, value in zip(estimate.names, estimate.values) if value == 0}
    assert {"joint1.offset", "joint2.offset"} <= gone and not gone & set(TRUE)
    (small_torque, _, small_friction, *_), (whole_torque, _, whole_friction, *_) = counts["small"], counts["whole"]
    assert small_torque < whole_torque and small_friction < whole_friction


def test_one_log_is_parted_and_stretches_choose(bifilar, tmp_path):
    log(tmp_path / "a.csv", 0)
    code, out, _ = bifilar("simplify", "two_link", "a.csv", "--no-page", "--no-rivals", "--json")
    said = json.loads(out)
    assert code == 0 and said["judged_on"] == "the last 30 % of each log"
    assert said["simplified"]["ladder"]["judged on"] == "6 stretches of the fitted data, in turn"


def test_the_folder_does_what_the_loop_in_memory_does(place):
    """Days between the stages, files in between: the same motions, parameters and choice to the last digit."""
    begun = begin(Settings(robot="two_link", next="steps"))

    def play(motion, stage):
        return bf.Recording.load(place / "steps" / f"log-{stage + 1:02d}.csv", begun.robot)

    told = recorded(begun.method, begun.robot, play, replace(begun.how, most=STAGES))
    validate = bf.Recording.load(place / "v.csv", begun.robot)
    found = taken(begun.method, told, bf.Problem.of(begun.robot, validate, friction=begun.robot.friction))
    assert main([*NEXT, "--validate", "v.csv", "--test", "t.csv", "-o", "run"]) == 0
    estimate = bf.load_estimate(place / "run")
    assert np.array_equal(estimate.values, found.estimate.values)
    for number, one in enumerate(told, 1):
        facts = json.loads((place / "steps" / f"stage-{number:02d}.json").read_text("utf-8"))
        assert facts["kept"] == list(one.stage.kept) and facts["condition"] == one.stage.condition
    conditions = [step["condition"] for step in estimate.tables["simplify"]["steps"]]
    assert conditions == sorted(conditions, reverse=True)
    for step, one in zip(found.ladder.steps, told, strict=True):  # a stage's error is of its own motion's torque
        own = on_recordings(one.problem, [one.model.values], one.rows.weights)
        left, whole = (own.squares[0] * own.weights**2).sum(), (own.torque * own.weights**2).sum()
        assert step.fitted == pytest.approx(np.sqrt(left / whole), rel=1e-9)


def test_a_run_of_a_folder_runs_again_whatever_came_later(place, bifilar):
    assert bifilar(*NEXT, "--validate", "v.csv", "--test", "t.csv", "-o", "run")[0] == 0
    played(place / "steps", STAGES + 1)
    assert bifilar(*NEXT)[0] == 0
    code, out, _ = bifilar("rerun", "run", "--json")
    assert code == 0 and json.loads(out)["same"] is True


def test_words_left_out_are_the_folders_and_others_are_refused(place, bifilar):
    code, out, _ = bifilar(*NEXT, "--json")
    upcoming = json.loads(out)["next"]
    assert code == 0 and upcoming["stage"] == STAGES + 1 and Path(upcoming["motion"]).is_file()
    code, _, err = bifilar(*NEXT, "--rule", "lasso")
    assert code == 3 and "begun with: contribution" in " ".join(err.split())
    code, _, err = bifilar("simplify", "panda", "--next", "steps")
    assert code == 3 and "another robot" in err
    code, _, err = bifilar(*NEXT, "-o", "run")
    assert code == 4 and "no held-out motion" in err and "--validate LOG" in err and not Path("run").exists()


def test_a_log_that_changes_later_or_comes_out_of_turn_is_told(place, bifilar):
    steps, before = place / "steps", stages(place / "steps")
    shutil.copy(steps / "log-01.csv", steps / "log-09.csv")
    code, _, err = bifilar(*NEXT)
    assert code == 3 and "log-09.csv" in err and "log-04.csv" in err
    (steps / "log-09.csv").unlink()
    log(steps / "log-01.csv", 77)
    code, _, err = bifilar(*NEXT)
    assert code == 3 and "'log-01.csv' is not what it was" in err and stages(steps) == before


def test_pages_beside_the_logs_are_no_logs_and_the_end_is_in_sight(place, bifilar):
    steps = place / "steps"
    for name in ("log-01.html", "log-04.html", "log-04.txt.bak", "log-02.md"):  # as simulate and people leave them
        (steps / name).write_text("<!DOCTYPE html>")
    code, out, err = bifilar(*NEXT)
    assert code == 0, err
    left = int(re.search(r"stage 4: (\d+) parameters", out)[1])
    assert f"motions  {left} more at most, this one among them" in out
    assert json.loads(bifilar(*NEXT, "--json")[1])["next"]["motions at most"] == left


def test_half_a_log_is_refused_and_nothing_is_lost(place, bifilar):
    played(place / "steps", STAGES + 1)
    whole, file = (place / "steps" / "log-04.csv").read_text(), place / "steps" / "log-04.csv"
    before = stages(place / "steps")
    file.write_text(whole[:40])
    assert bifilar(*NEXT)[0] == 3 and stages(place / "steps") == before
    file.write_text(whole)
    assert bifilar(*NEXT)[0] == 0 and set(before) < set(stages(place / "steps"))


@pytest.mark.parametrize("other", ["another", "slower", "aborted"])
def test_the_log_of_another_motion_is_told_and_nothing_is_lost(place, bifilar, other):
    steps, before, file = place / "steps", stages(place / "steps"), place / "steps" / f"log-{STAGES + 1:02d}.csv"
    if other == "another":
        log(file, 78)
    else:
        played(steps, STAGES + 1, "_25" if other == "slower" else "")
        whole = bf.Recording.load(file, arm())
        whole.part(None, None if other == "slower" else whole.time[0] + 0.4 * whole.duration).save(file)
    code, _, err = bifilar(*NEXT)
    assert code == 3 and f"of the motion in 'stage-{STAGES + 1:02d}.csv'" in err and stages(steps) == before
    played(steps, STAGES + 1)
    assert bifilar(*NEXT)[0] == 0 and set(before) < set(stages(steps))


@pytest.mark.parametrize("seed", range(5))
def test_a_machine_that_follows_badly_or_goes_round_twice_ran_its_motion(place, bifilar, seed):
    """Offsets of a twentieth of a radian, a way to the first pose and a second round are no other motion."""
    steps = place / "steps"
    motion = bf.load_motion(steps / f"stage-{STAGES + 1:02d}.csv")
    rng, period = np.random.default_rng(seed), motion.time[-1] - motion.time[0]
    q, v, a = (np.tile(x, (2, 1)) for x in (motion.position, motion.velocity, motion.acceleration))
    off = rng.uniform(-0.05, 0.05, 2)
    torque = arm().inverse_dynamics(q + off, v, a) + 0.05 * rng.normal(size=q.shape)
    time = np.concatenate([motion.time, motion.time + period + motion.time[1] - motion.time[0]])
    whole = bf.Recording(joint_names=motion.joint_names, time=time, position=q + off, torque=torque)
    whole.part(0.1 * period, 1.8 * period).save(steps / f"log-{STAGES + 1:02d}.csv")
    code, _, err = bifilar(*NEXT)
    assert code == 0, err


@pytest.mark.skipif(os.name == "nt", reason="Windows has no fork")
def test_one_command_at_a_time_works_in_a_folder(place, bifilar):
    """While another process holds the folder, a command gets a letter and changes nothing; when that is killed, it goes on."""
    steps = place / "steps"
    before = stages(steps)
    ready, told = os.pipe()
    child = os.fork()
    if not child:
        with alone_in(steps):
            os.write(told, b"x")
            time.sleep(600)
        os._exit(0)
    try:
        assert os.read(ready, 1) == b"x"
        (steps / f"stage-{STAGES + 1:02d}.json").unlink()
        code, _, err = bifilar(*NEXT)
        assert code == 5 and "another command is at work in this folder" in err and "wait until it has ended" in err
        assert f"stage-{STAGES + 1:02d}.json" not in stages(steps)
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    assert bifilar(*NEXT)[0] == 0 and stages(steps) == before
    assert not [path.name for path in steps.iterdir() if path.name.startswith(".")]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no fork")
def test_two_commands_at_the_same_time_make_what_one_makes(place, bifilar):
    """Both begin together: one designs, the other is sent away or comes after it; the folder is that of one command."""
    steps = place / "steps"
    before = stages(steps)
    for name in before:
        if name.startswith(f"stage-{STAGES + 1:02d}"):
            (steps / name).unlink()
    children = []
    for _ in range(2):
        child = os.fork()
        if not child:
            os._exit(main(list(NEXT)))
        children.append(child)
    codes = sorted(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children)
    assert codes in ([0, 5], [0, 0]) and stages(steps) == before


def test_a_command_that_is_refused_leaves_no_folder(bifilar, tmp_path):
    assert bifilar("simplify", "two_link", "--next", "new/steps")[0] == 2 and not (tmp_path / "new").exists()


@pytest.mark.skipif(os.name == "nt", reason="Windows has neither fork nor kill -9")
def test_killed_at_any_moment_and_resumed(place, bifilar):
    """The last stage is designed anew again and again, killed meanwhile; what stands in the end is what stood before."""
    steps = place / "steps"
    before = stages(steps)
    last = [name for name in before if name.startswith(f"stage-{STAGES + 1:02d}")]
    started = time.monotonic()
    for name in last:
        (steps / name).unlink()
    assert bifilar(*NEXT)[0] == 0 and stages(steps) == before
    long = time.monotonic() - started
    for share in (0.2, 0.5, 0.8, 0.9, 0.97):
        for name in last:
            (steps / name).unlink(missing_ok=True)
        child = os.fork()
        if not child:
            os._exit(main(list(NEXT)))
        time.sleep(share * long)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        assert all(stages(steps).get(name) == data for name, data in before.items() if name not in last)
        assert bifilar(*NEXT)[0] == 0 and stages(steps) == before
        assert not [path.name for path in steps.iterdir() if path.name.startswith(".")]

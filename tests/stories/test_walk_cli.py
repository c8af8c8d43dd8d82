"""`bifilar walk`: a walk is simulated, its log identified, a wrong one answered; the walker walks on its page."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from browsers import chromium, opened

import bifilar as bf
from bifilar.cli import main
from bifilar.recording.channel import Channel
from bifilar.walking.demonstration import unlike
from bifilar.walking.sensor_file import carried
from bifilar.walking.straight import straight_base
from bifilar.walking.stretches import stretches
from bifilar.walking.walker import Walker

WALK = ["walk", "simulate", "walker3", "--unlike", "0.2", "--seed", "1", "--seconds", "4"]


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    home = tmp_path_factory.mktemp("walk")
    assert main([*WALK, "-o", str(home / "walk.parquet"), "--json"]) == 0
    assert main(["walk", "fit", "walker3", str(home / "walk.parquet"), "-o", str(home / "fit.json"), "--json"]) == 0
    assert json.loads((home / "fit.json").read_text())["format"] == "bifilar walk 1"
    return home


def changed(place: Path, name: str, **channels: Channel | None) -> str:
    """The log with channels replaced, or without them, and its sensors beside it."""
    log = bf.Recording.load(place / "walk.parquet")
    kept = {key: value for key, value in {**log.channels, **channels}.items() if value is not None}
    bf.Recording(joint_names=log.joint_names, time=log.time, channels=kept).save(place / f"{name}.parquet")
    (place / f"{name}.sensors.toml").write_text((place / "walk.sensors.toml").read_text())
    return str(place / f"{name}.parquet")


def refused(capsys: pytest.CaptureFixture[str], code: int, *words: str) -> str:
    capsys.readouterr()
    assert main(["walk", *words]) == code
    out, err = capsys.readouterr()
    assert out == "" and "Traceback" not in err and "  try  " in err
    return " ".join(err.split())


def test_a_machine_unlike_its_description_is_found_inside_the_error_bars(place):
    found = json.loads((place / "fit.json").read_text())
    truth = unlike(Walker.load("walker3"), 0.2, 1).pinned(0)
    true = straight_base(truth).from_full(truth.parameters())
    off = [(row["value"] - x) / row["deviation"] for row, x in zip(found["parameters"], true)]
    assert np.abs(off).max() < 4.0 and found["trusted"]
    assert [row["name"] for row in found["parameters"]] == list(straight_base(truth).independent)
    apart = [abs(row["described"] / x - 1) for row, x in zip(found["parameters"], true)]
    assert max(apart) > 0.1  # there was something to be found
    error = found["simulation_error"]
    assert error["identified"] < 0.2 * error["described"]


def test_a_log_is_cut_at_its_touchdowns(place):
    log, walker = bf.Recording.load(place / "walk.parquet"), Walker.load("walker3")
    found = stretches(carried(walker, place / "walk.sensors.toml"), log)
    touches = log.channels["contact"].values
    assert len(found) >= 5 and [s.stance for s in found] == [(found[0].stance + k) % 2 for k in range(len(found))]
    for one in found:
        assert (touches[one.start - 1 : one.start + len(one.log) + 2, one.stance] == 1).all()
        truth = log.channels["truth"].values[one.start : one.start + len(one.log)]
        pivot = truth[:, 0 if one.stance == 0 else 2]
        assert np.abs(one.motion[:, 0] - pivot).max() < 0.15  # a first guess, by a gyroscope of 0.1 rad/s


def test_the_walker_walks_on_its_page(place):
    expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
    with chromium() as browser, opened(browser, place / "walk.html") as (page, said):
        clock = page.locator(".walker output")
        assert clock.inner_text() == "0.00 s"
        page.locator(".walker button").click()
        expect(clock).not_to_have_text("0.00 s", timeout=20_000)
        page.locator(".walker button").click()
        painted = "c => c.getContext('2d').getImageData(0, 0, c.width, c.height).data.some((x, k) => k % 4 === 3 && x > 0)"
        assert page.locator(".walker canvas").evaluate(painted) and said == []


def test_the_torso_is_followed_with_the_identified_model_and_not_with_the_description(place):
    fitted = ["--fitted", str(place / "fit.json")]
    codes = []
    for name, more in (("good", fitted), ("bad", [])):
        words = [
            "walk",
            "track",
            "walker3",
            str(place / "walk.parquet"),
            "--filter",
            "extended",
            "-o",
            str(place / f"{name}.csv"),
        ]
        codes.append(main([*words, *more, "--force"]))
    assert codes == [0, 1]  # readings contradict the description, and it is said
    log = bf.Recording.load(place / "walk.parquet")
    torso = log.channels["truth"].values[:, 1]
    error = {}
    for name in ("good", "bad"):
        table = np.genfromtxt(place / f"{name}.csv", delimiter=",", names=True, dtype=None, encoding="utf-8")
        late = table["time"] >= 1.0
        error[name] = float(np.sqrt(np.mean((table["link3"] - torso)[late] ** 2)))
        if name == "good":  # and its deviations are honest
            assert np.sqrt(np.mean(((table["link3"] - torso)[late] / table["link3deviation"][late]) ** 2)) < 1.5
    assert error["good"] < 0.015 and error["bad"] > 4 * error["good"]
    page = (place / "good.html").read_text("utf-8")
    assert "as estimated" in page and '"estimated":[[' in page


def test_the_ground_s_slope_is_found(place, capsys):
    log = str(place / "slope.csv")
    assert (
        main(["walk", "simulate", "walker3", "--slope", "-2", "--torso", "25", "--seconds", "3", "--no-page", "-o", log]) == 0
    )
    capsys.readouterr()
    words = ["--find-slope", "--filter", "extended", "--no-page", "--json", "-o", str(place / "slope_track.csv")]
    assert main(["walk", "track", "walker3", log, *words]) == 0
    found = json.loads(capsys.readouterr().out)
    assert abs(found["slope_degrees"] + 2) < 1.0


def test_a_lost_reading_is_named_and_its_stride_can_be_left_out(place, capsys):
    log = bf.Recording.load(place / "walk.parquet")
    values = np.array(log.channels["gyroscope"].values)
    values[100] = np.nan
    name = changed(place, "lost", gyroscope=Channel(values, ("link3",), ("rad/s",)))
    said = refused(capsys, 3, "fit", "walker3", name, "-o", str(place / "x.json"))
    assert "gyroscope.link3 reads nan at 0.5 s" in said and "--skip leaves" in said
    assert main(["walk", "fit", "walker3", name, "--skip", "--no-page", "--json", "-o", str(place / "y.json")]) == 0
    fewer, all_ = (json.loads((place / file).read_text())["strides"] for file in ("y.json", "fit.json"))
    assert sum(fewer.values()) == sum(all_.values()) - 1
    words = ["track", "walker3", name, "--filter", "extended", "-o", str(place / "z.csv"), "--no-page"]
    assert "gyroscope.link3 reads nan at 0.5 s" in refused(capsys, 3, *words)
    assert main(["walk", *words, "--fitted", str(place / "fit.json"), "--skip"]) == 0


WRONG = [
    (3, ["simulate", "pendulum"], "is no planar walker"),
    (4, ["simulate", "walker3", "--torso", "-25"], "there is no gait"),
    (3, ["simulate", "walker3", "--seconds", "0.1"], "does not touch down within 0.1 s"),
    (2, ["simulate", "walker3", "--seconds", "-1"], "--seconds -1 is not between"),
    (2, ["simulate", "walker3", "--held", "0.5"], "--held belongs to 'walk fit'"),
    (2, ["simulate", "walker3", "walk.csv"], "one word too many"),
    (2, ["simulate", "walker3", "-o", "walk.txt"], "cannot be written as 'walk.txt'"),
    (3, ["simulate", "walker3", "--sensors", "sonar"], "no set of sensors 'sonar'"),
    (2, ["fit", "walker3"], "there is no log to fit"),
    (2, ["fit", "walker3", "walk.parquet", "--find-slope"], "--find-slope belongs to 'walk track'"),
    (3, ["track", "leg", "walk.parquet"], "no encoder at 'joint4'"),
    (3, ["track", "walker3", "walk.parquet", "--fitted", "walk.html"], "this is no result of a fit"),
    (3, ["track", "walker3", "walk.parquet", "--sensors", "encoders", "--touchdown", "gyroscope"], "no gyroscope to detect"),
    (3, ["fit", "walker3", "walk.parquet", "--sensors", "encoders"], "nothing shows the walker's absolute angle"),
    (3, ["fit", "walker3", "walk.parquet", "--sensors", "distance"], "no column link4.distance"),
    (3, ["fit", "walker5", "walk.parquet", "--sensors", "imu"], "no column joint6.position"),
]


@pytest.mark.parametrize(("code", "words", "said"), WRONG, ids=[" ".join(words) for _, words, _ in WRONG])
def test_what_cannot_be_done_is_said(place, monkeypatch, capsys, code, words, said):
    monkeypatch.chdir(place)
    before = sorted(place.iterdir())
    more = [] if "-o" in words or words[0] != "simulate" else ["-o", "x.csv"]
    assert said in refused(capsys, code, *words, *more) and sorted(place.iterdir()) == before


def test_logs_that_miss_something(place, monkeypatch, capsys):
    monkeypatch.chdir(place)
    assert "does not say which foot stands" in refused(capsys, 3, "fit", "walker3", changed(place, "blind", contact=None))
    assert "no torque of 'joint4'" in refused(capsys, 3, "fit", "walker3", changed(place, "slack", torque=None))
    alone = Path(changed(place, "alone"))
    alone.with_suffix(".sensors.toml").unlink()
    assert "nobody says which sensors" in refused(capsys, 3, "fit", "walker3", str(alone))


SENSORS = [
    ("[[sensor]]\nkind = 'radar'", "kind 'radar' is not one of"),
    ("[[sensor]]\nkind = 'gyroscope'", "has no 'link'"),
    ("[[sensor]]\nkind = 'gyroscope'\nlink = 'tail'", "no link 'tail'"),
    ("[[sensor]]\nkind = 'gyroscope'\nlink = 'link3'\nnois = 1", "unknown key 'nois'"),
    ("[[sensor]]\nkind = 'gyroscope'\nlink = 'link3'\nnoise = -1", "no negative noise"),
    ("[[sensor]]\nkind = 'accelerometer'\nlink = 'link3'\npoint = [1]", "2 are needed"),
    ("torque = 0.1", "lists no sensors"),
]


@pytest.mark.parametrize(("text", "said"), SENSORS, ids=[said for _, said in SENSORS])
def test_files_of_sensors_that_are_wrong(place, capsys, text, said):
    file = place / "wrong.toml"
    file.write_text(text)
    words = ("simulate", "walker3", "--sensors", str(file), "-o", str(place / "x.csv"))
    assert said in refused(capsys, 3, *words)

"""A report is opened as its reader opens it: a double click, no network, light, dark, on a phone, on paper."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from browsers import chromium, opened

import bifilar as bf
from bifilar.cli import main
from bifilar.report.markup import fill
from bifilar.report.page import Page, Section
from bifilar.report.plot import Line, Plot, band_plot, grid
from bifilar.report.run_page import SECTIONS

STRANGE = "<script>alert(1)</script>elbow"
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
SPILLED = """[...document.querySelectorAll('main *')].filter(e => e.getBoundingClientRect().right > innerWidth + 1
  && !e.closest('.scroll, nav, svg, details:not([open])')).map(e => e.outerHTML.slice(0, 80))"""
EMPTY = """[...document.querySelectorAll('figure.plot')].filter(f => ![...f.querySelectorAll('path[data-s]')]
  .some(p => p.getTotalLength() > 0 && p.getBoundingClientRect().width > 0)).map(f => f.textContent.slice(0, 60))"""
PAINTED = """(() => { const c = document.querySelector('.space canvas'), seen = new Set();
  const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
  for (let k = 0; k < d.length; k += 4) if (d[k + 3]) seen.add(`${d[k] >> 4} ${d[k + 1] >> 4} ${d[k + 2] >> 4}`);
  return seen.size; })()"""


def swing(robot: bf.Robot, seed: int, size: float = 1.0, speed: float = 1.0) -> bf.Recording:
    """A noisy recording of a machine that is heavier than its description and has friction."""
    time = np.arange(0, 12, 0.004)
    phase = np.random.default_rng(seed).uniform(0, 2 * np.pi, (3, 2))
    rate = speed * np.array([[0.9, 1.3], [2.1, 1.7], [3.3, 4.1]])
    q = size * sum(np.sin(rate[k] * time[:, None] + phase[k]) / (k + 1) for k in range(3))
    v = size * sum(rate[k] * np.cos(rate[k] * time[:, None] + phase[k]) / (k + 1) for k in range(3))
    a = -size * sum(rate[k] ** 2 * np.sin(rate[k] * time[:, None] + phase[k]) / (k + 1) for k in range(3))
    machine = robot.with_parameters({"link2.mass": 1.3 * robot.link("link2").inertia.mass})
    names = [f"{name}.{word}" for word in ("viscous", "coulomb") for name in robot.joint_names]
    machine = machine.with_friction(bf.Viscous() + bf.Coulomb(), dict(zip(names, (0.3, 0.2, 0.4, 0.3))))
    noise = np.random.default_rng(100 + seed).normal(size=q.shape)
    torque = machine.inverse_dynamics(q, v, a) + 0.02 * noise
    return bf.Recording(joint_names=robot.joint_names, time=time, position=q + 1e-5 * noise, torque=torque)


@pytest.fixture(scope="module")
def home(tmp_path_factory) -> Path:
    """Two runs of an arm with a strange name, a badly excited one, and a comparison."""
    folder = tmp_path_factory.mktemp("report")
    robot = bf.Robot.load("two_link").renamed({"joint2": STRANGE})
    robot.save(folder / "arm.urdf")
    robot = bf.Robot.load(folder / "arm.urdf")
    for name, recording in (
        *(("train", swing(robot, 0)), ("test", swing(robot, 1))),
        *(("faint", swing(robot, 0, 0.02, 0.3)), ("faint_test", swing(robot, 1, 0.02, 0.3))),
    ):
        recording.save(folder / f"{name}.parquet")
    arm, train, test = (str(folder / name) for name in ("arm.urdf", "train.parquet", "test.parquet"))
    assert main(["fit", arm, train, "--test", test, "-o", str(folder / "run"), "--json"]) == 0
    assert main(["fit", arm, train, "--test", test, "-o", str(folder / "plain"), "--json", "--method", "least-squares"]) == 0
    faint = [str(folder / f"{name}.parquet") for name in ("faint", "faint_test")]
    main(["fit", arm, faint[0], "--test", faint[1], "-o", str(folder / "bad"), "--anyway", "--json"])
    runs = [str(folder / "run"), str(folder / "plain")]
    assert main(["compare", *runs, "-o", str(folder / "compare.html"), "--json"]) == 0
    return folder


@pytest.fixture(scope="module")
def browser():
    with chromium() as found:
        yield found


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_a_report_opens_offline_with_every_section_drawn(home, browser, dark):
    report = home / "run" / "report.html"
    assert report.stat().st_size < 3e6
    with opened(browser, report, dark=dark) as (page, said):
        titles = page.locator("section > h2").all_inner_texts()
        assert len(titles) == len(SECTIONS) and titles[0].startswith("Verdict") and "What should I record next?" in titles
        assert page.evaluate(EMPTY) == [] and page.locator("figure.plot").count() > 20
        assert page.evaluate(PAINTED) > 8
        shade = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (int(re.search(r"\d+", shade)[0]) < 60) == dark
        page.locator(".axes").first.hover()
        assert "measured" in page.locator(".axes .tip").inner_text()
        page.locator(".legend button").first.click()
        page.locator(".space input[type=range]").fill("30")
        page.get_by_role("button", name="Play").click()
        page.wait_for_timeout(200)
        assert said == []


@pytest.mark.parametrize("name", ["run/report.html", "bad/report.html", "plain/report.html", "compare.html"])
def test_nothing_leaves_a_phone(home, browser, name):
    with opened(browser, home / name, width=420) as (page, said):
        assert page.evaluate(OVERFLOW) <= 0 and page.evaluate(SPILLED) == [] and said == []


def test_a_report_prints_in_light_colours(home, browser):
    with opened(browser, home / "run" / "report.html", dark=True) as (page, said):
        page.emulate_media(media="print", color_scheme="dark")
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        assert page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--ink')").strip() == "#18212f"
        assert len(page.pdf(format="A4")) > 20_000 and said == []


def test_names_of_strangers_are_plain_text(home, browser):
    with opened(browser, home / "run" / "report.html") as (page, said):
        assert STRANGE in page.locator("main").inner_text() and said == []
    for name in ("run/report.html", "compare.html"):
        assert STRANGE not in (home / name).read_text("utf-8")
    assert fill("{name}", name=STRANGE) == "&lt;script&gt;alert(1)&lt;/script&gt;elbow"
    robot = bf.Robot.load(home / "arm.urdf")
    recording = bf.Recording.load(home / "train.parquet", robot)
    for shown in (robot, recording, bf.load_estimate(home / "run"), recording.check(robot)):
        html = shown._repr_html_()
        assert "<script" not in html and len(html) < 60_000


def words_of(home: Path, run: str, section: str) -> str:
    page = (home / run / "report.html").read_text("utf-8")
    part = page[page.index(f'id="{section}"') :].split("</section>")[0]
    return " ".join(re.sub("<[^>]+>", " ", part).split())


def test_the_page_alone_says_whether_to_trust_it(home):
    good, bad = (words_of(home, run, "can-i-trust-it-for-my-motion") for run in ("run", "bad"))
    assert re.search("Yes, for a motion inside the ranges below: expect to miss [0-9.]+ % of the torque", good)
    assert "bifilar validate" in good and "error bar anywhere" in good
    assert "Yes" not in bad


def test_the_page_alone_says_what_to_record_next(home):
    good, bad = (words_of(home, run, "what-should-i-record-next") for run in ("run", "bad"))
    assert "bifilar design" in good and "bifilar design" in bad
    assert re.search(r"\d+ of \d+ base parameters are known so badly", bad)
    assert "Move" in bad and "joint1" in bad and "fit both together" in bad


def test_a_page_that_nobody_named_leaves_the_one_before(home, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    for name in ("compare.html", "compare-2.html", "compare-3.html"):
        assert main(["compare", str(home / "run"), str(home / "plain")]) == 0
        assert f"wrote    {name}" in capsys.readouterr().out and (tmp_path / name).is_file()
    assert main(["compare", str(home / "run"), str(home / "plain"), "-o", "compare.html"]) == 3
    assert "an earlier page" in capsys.readouterr().err
    assert main(["compare", str(home / "run"), str(home / "plain"), "--force"]) == 0
    assert "wrote    compare.html" in capsys.readouterr().out


def test_a_comparison_fits_a_terminal_of_80_columns(home, capsys, monkeypatch):
    """Runs are named once, however long their paths; columns are called first and second."""
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["compare", str(home / "run"), str(home / "plain"), "--no-page"]) == 0
    out = capsys.readouterr().out
    assert f"first    {home / 'run'}second   {home / 'plain'}" in "".join(out.split("\n"))
    assert "left out" not in out and "…" not in out.partition("Base parameters")[0]


def test_report_and_compare_say_what_they_wrote(home, capsys):
    assert main(["report", str(home / "run"), "-o", str(home / "copy.html"), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert len(said["sections"]) == len(SECTIONS) and said["missing"] == [] and said["bytes"] < 3e6
    first, again = (
        re.sub(r"<footer>.*?</footer>", "", (home / name).read_text("utf-8")) for name in ("run/report.html", "copy.html")
    )
    assert first == again
    assert main(["report", str(home / "run"), "-o", str(home / "copy.html")]) == 3  # it is somebody's now
    assert main(["compare", str(home / "run"), str(home / "plain"), "--no-page", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["judged_on_the_same"] and len(said["joints"]) == 2 and said["parameters"][0]["apart"] >= 0
    assert main(["compare", str(home / "run"), str(home / "plain"), "--no-page"]) == 0
    assert "Torque missing on unseen motion" in capsys.readouterr().out


def test_logs_that_are_gone_are_named(home, tmp_path, capsys):
    recording, arm = home / "test.parquet", str(home / "arm.urdf")
    moved = tmp_path / "gone.parquet"
    moved.write_bytes(recording.read_bytes())
    run = tmp_path / "run"
    words = ["fit", arm, str(home / "train.parquet"), "--test", str(moved), "-o", str(run), "--no-page", "--json"]
    assert main(words) == 0
    moved.unlink()
    capsys.readouterr()
    assert main(["report", str(run), "--json"]) == 0
    assert [Path(name).name for name in json.loads(capsys.readouterr().out)["missing"]] == ["gone.parquet"]
    assert "Torque errors" in (run / "report.html").read_text("utf-8")


def test_a_new_section_is_a_class_with_a_template(tmp_path, browser):
    class Track(Section):
        title, template = "Payload <over> time", "<p>{words}</p>{plots}"

        def parts(self):
            t = np.linspace(0, 5, 50)
            plot = band_plot(t, np.sin(t), 0.1 + 0 * t, title="load", what="mass [kg]", truth=0.5)
            return {"words": STRANGE, "plots": grid([plot], wide=True)}

    Page("A track", sections=[Track()]).save(tmp_path / "track.html")
    with opened(browser, tmp_path / "track.html") as (page, said):
        assert page.locator("h2").inner_text() == "Payload <over> time" and page.evaluate(EMPTY) == [] and said == []


@pytest.mark.parametrize("width", [1280, 360])
def test_a_circle_is_drawn_round_on_a_wide_screen_and_on_a_phone(browser, tmp_path, width):
    class Tool(Section):
        title = "Tool"

        def html(self):
            turn = np.linspace(0, 2 * np.pi, 200)
            circle = Line(3 + 0.1 * np.cos(turn), 0.5 + 0.1 * np.sin(turn), "ink", "tool")
            return grid([Plot("tool", "z [m] over y", [circle], x_unit="m", height=300, equal=True)], wide=True)

    Page("circle", fill("x"), (), [Tool()], "").save(tmp_path / "circle.html")
    with opened(browser, tmp_path / "circle.html", width=width) as (page, _):
        box = page.evaluate("document.querySelector('path[data-s]').getBoundingClientRect().toJSON()")
        assert box["width"] == pytest.approx(box["height"], rel=0.01) and box["width"] > 150
        assert page.evaluate(OVERFLOW) <= 0 and page.evaluate(SPILLED) == []

"""The report of a Panda's run: how large it is, how long it takes to make, and how long a browser takes to show it."""

from __future__ import annotations

import json
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import bifilar as bf
from bifilar.report.run import Run
from bifilar.report.run_page import run_page

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update")
LOADED = "(() => { const t = performance.getEntriesByType('navigation')[0]; return t.loadEventEnd - t.startTime; })()"


def recording(robot: bf.Robot, seed: int) -> bf.Recording:
    """Ten seconds of a lively motion at 1 kHz, with friction and noise in the torque."""
    rng = np.random.default_rng(seed)
    t = np.arange(0, 10, 0.001)[:, None]
    low, high = robot.limits.lower, robot.limits.upper
    rate, phase = rng.uniform(0.5, 2.0, (3, 1, 7)), rng.uniform(0, 6, (3, 1, 7))
    size = 0.1 * (high - low)
    q = 0.5 * (low + high) + size * np.sin(rate * t[None] + phase).sum(axis=0)
    v = size * (rate * np.cos(rate * t[None] + phase)).sum(axis=0)
    a = -size * (rate**2 * np.sin(rate * t[None] + phase)).sum(axis=0)
    torque = robot.inverse_dynamics(q, v, a) + 0.3 * v + 0.4 * np.sign(v) + 0.1 * rng.normal(size=q.shape)
    return bf.Recording(joint_names=robot.joint_names, time=t[:, 0], position=q, torque=torque)


def report(folder: Path) -> dict[str, float]:
    """Fit, judge, write the page; its size and the seconds that drawing took."""
    robot = bf.Robot.load("panda")
    train, test = recording(robot, 0), recording(robot, 1)
    estimate = bf.fit(robot, train)
    verdict = bf.judge(estimate, bf.held_out(estimate, test))
    seconds = []
    for _ in range(2):  # the first also imports what the export check needs
        begin = time.perf_counter()
        run = Run(estimate=estimate, verdict=verdict, title="panda", train=[("train", train)], test=[("test", test)])
        run_page(run).save(folder / "report.html")
        seconds.append(time.perf_counter() - begin)
    size = (folder / "report.html").stat().st_size
    return {"megabytes": round(size / 1e6, 3), "seconds_to_make": round(seconds[1], 2)}


def loaded(path: Path) -> dict[str, Any]:
    """Seconds until the page has loaded and its script has run, the median of five; None where there is no browser."""
    found = next((place for name in BROWSERS if (place := shutil.which(name))), None)
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        found = None
    if found is None:
        return {"seconds_to_load": None, "requests": None}
    times, requests = [], []
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=found, args=list(FLAGS))
        for _ in range(5):
            page = browser.new_context(offline=True).new_page()
            page.on("request", lambda request: requests.append(request.url))
            page.goto(path.as_uri())
            times.append(page.evaluate(LOADED) / 1e3)
        browser.close()
    return {"seconds_to_load": round(float(np.median(times)), 3), "requests": len(requests) - len(times)}


def measure() -> dict[str, Any]:
    """Size and times of one report."""
    with tempfile.TemporaryDirectory() as place:
        return {**report(Path(place)), **loaded(Path(place, "report.html"))}


def demands(results: dict[str, Any]) -> list[tuple[str, str, float, float]]:
    """What is asked for, and what was measured."""
    found = [("report of a Panda's run, MB", "<", 3.0, results["megabytes"])]
    if results["seconds_to_load"] is not None:
        found.append(("report shown by a browser, s", "<", 1.0, results["seconds_to_load"]))
        found.append(("requests of the report", "<=", 0, results["requests"]))
    return found


if __name__ == "__main__":
    results = measure()
    print(json.dumps(results, indent=2))

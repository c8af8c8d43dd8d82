"""A browser for tests that look at a page: headless Chromium, drawing without a graphics card; skipped where there is none."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"),
    *("--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"),
)


@contextmanager
def chromium() -> Iterator[Any]:
    """A browser that closes at the end; CHROMIUM names another than the first on the path."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install 'bifilar[test]'")
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        pytest.skip(f"no browser is installed (looked for {', '.join(NAMES)}; CHROMIUM=... names another)")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=list(FLAGS))
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def opened(browser: Any, path: Path, *, width: int = 1280, dark: bool = False) -> Iterator[tuple[Any, list[str]]]:
    """A file opened as by a double click, offline, and a list that fills with complaints: console, errors, requests."""
    look = {"viewport": {"width": width, "height": 900}, "color_scheme": "dark" if dark else "light"}
    context = browser.new_context(**look, offline=True)
    page, said = context.new_page(), []
    page.on("console", lambda message: said.append(f"console: {message.text}"))
    page.on("pageerror", lambda error: said.append(f"error: {error}"))
    page.on("request", lambda request: request.url.startswith("file:") or said.append(f"request: {request.url}"))
    try:
        page.goto(path.resolve().as_uri())
        yield page, said
    finally:
        context.close()

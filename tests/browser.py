"""A headless browser for tests of pages: Chromium from file:// with the network off; what it said and asked for."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync"),
]


@contextlib.contextmanager
def chromium() -> Iterator[Any]:
    """A browser; the test is skipped with the reason where there is none."""
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed (extra 'test')")
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip("no Chromium on this machine: install Debian's package 'chromium'")
    with api.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=found, args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


@contextlib.contextmanager
def opened(browser: Any, path: Path, *, width: int = 1280, dark: bool = False) -> Iterator[tuple[Any, list[str]]]:
    """A page opened as by a double click, offline, and a list that fills with complaints: console, errors, requests."""
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme="dark" if dark else "light", offline=True
    )
    page, said = context.new_page(), []
    page.on("console", lambda message: said.append(f"console: {message.text}"))
    page.on("pageerror", lambda error: said.append(f"error: {error}"))
    page.on("request", lambda request: request.url.startswith("file:") or said.append(f"request: {request.url}"))
    try:
        page.goto(path.resolve().as_uri())
        page.wait_for_function("document.readyState === 'complete'")
        yield page, said
    finally:
        context.close()

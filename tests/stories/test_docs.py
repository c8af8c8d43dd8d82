"""The documentation: its programs run, its site builds without a warning and asks nothing of the network.

Its commands are run by test_docs_commands.py.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import subprocess
import sys
import tomllib
from html.parser import HTMLParser
from pathlib import Path

import pytest
from browsers import chromium

import bifilar as bf

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.glob("*.md"))
# run beside what they tell of: test_cli_fit.py, test_cli_check.py, test_friction_table.py
ELSEWHERE = {"identification.md", "recordings.md", "extending.md"}
PROGRAMS = [page for page in PAGES if "```python" in page.read_text("utf-8") and page.name not in ELSEWHERE]


@pytest.mark.parametrize("page", PROGRAMS, ids=lambda page: page.stem)
def test_programs_of_a_page_run(page, tmp_path, monkeypatch):
    program = "\n".join(re.findall(r"^```python\n(.*?)^```", page.read_text("utf-8"), re.M | re.S))
    monkeypatch.chdir(tmp_path)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(program, page.name, "exec", dont_inherit=True), {"__name__": page.stem})
    if page.stem in ("index", "look_at_it"):  # `print(...)  # text` prints that text; '...' in it stands for anything
        said = re.findall(r"^ *print\(.*\)  # (.*)$", program, re.M)
        for expected, got in zip(said, printed.getvalue().splitlines(), strict=True):
            assert re.fullmatch(re.escape(expected).replace(r"\.\.\.", ".*"), got), f"it says {expected!r}, it is {got!r}"


@pytest.mark.parametrize("page", [*PAGES, ROOT / "README.md", ROOT / "CONVENTIONS.md"], ids=lambda page: page.stem)
def test_settings_of_a_page_are_toml(page):
    for block in re.findall(r"^```toml\n(.*?)^```", page.read_text("utf-8"), re.M | re.S):
        assert tomllib.loads(block)


def test_the_readme_s_picture_is_that_of_the_demo_it_quotes():
    """`make picture` draws it from the demo's result; the README quotes what the demo prints."""
    readme = (ROOT / "README.md").read_text("utf-8")
    picture = (DOCS / "pictures" / "demo.svg").read_text("utf-8")
    before, after = re.search(r"NRMSE ([\d.]+) % by the nominal model, ([\d.]+) % by the identified robot", picture).groups()
    assert "docs/pictures/demo.svg" in readme.partition("make demo")[0]
    assert f"NRMSE {before} % by the nominal model" in readme and f"{after} % by the identified robot: good" in readme
    assert "href" not in picture and "@import" not in picture and picture.count("<polyline") == 9


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    pytest.importorskip("material", reason="mkdocs-material is not installed: pip install 'bifilar[docs]'")
    folder = tmp_path_factory.mktemp("site")
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src"), "NO_MKDOCS_2_WARNING": "1"}
    words = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    run = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300)
    assert run.returncode == 0 and "WARNING" not in run.stderr, run.stderr
    return folder


class Loads(HTMLParser):
    """What a page fetches by itself."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        of = {name: value or "" for name, value in attributes}
        fetched = {"script": "src", "img": "src", "iframe": "src", "source": "src", "video": "src", "object": "data"}.get(tag)
        if fetched and of.get(fetched):
            self.found.append(of[fetched])
        if tag == "link" and of.get("rel") not in ("canonical", "alternate", "prev", "next"):
            self.found.append(of.get("href", ""))
        self.found += re.findall(r"url\(\s*['\"]?([^'\")]+)", of.get("style", ""))


def test_no_page_fetches_anything_from_elsewhere(site):
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > 20
    for page in pages:
        loads = Loads()
        loads.feed(page.read_text("utf-8"))
        outside = [name for name in loads.found if re.match(r"(?:[a-z]+:)?//", name)]
        assert not outside, f"{page.name} fetches {outside}"
        missing = [name for name in loads.found if not (page.parent / name.split("?")[0].split("#")[0]).is_file()]
        assert not missing or page.name == "404.html", f"{page.name} lacks {missing}"
    for sheet in site.rglob("*.css"):
        assert not re.findall(r"url\(\s*['\"]?(?:[a-z]+:)?//|@import", sheet.read_text("utf-8")), sheet.name


def test_formulas_are_drawn_by_the_browser_itself(site):
    page = (site / "mathematics.html").read_text("utf-8")
    assert page.count("<math") > 40 and "arithmatex" not in page


def test_the_reference_has_every_public_name(site):
    pages = "".join(page.read_text("utf-8") for page in (site / "reference").glob("*.html"))
    missing = [name for name in bf.__all__ if f'id="{name}"' not in pages and name not in ("datasets", "__version__")]
    assert not missing


def test_the_site_opens_as_files_and_its_search_works(site):
    asked, errors = [], []
    with chromium() as browser:
        page = browser.new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: errors.append(str(error)))
        for name in ("mathematics.html", "reference/view.html", "index.html"):
            page.goto((site / name).as_uri())
        page.locator("input.md-search__input").first.click()
        page.keyboard.type("pseudo-inertia")
        page.locator("a.md-search-result__link").first.wait_for(state="attached", timeout=60_000)
    assert not errors
    assert all(url.startswith(("file:", "data:", "blob:", "about:")) for url in asked), asked

"""What MkDocs does besides: pages made while the site is built, and formulas that browsers draw themselves.

Made pages are never out of date: the reference comes from the docstrings, the examples from their files, the conventions from
CONVENTIONS.md. Formulas between dollars become MathML, so no script and no font is fetched to show them.
"""

from __future__ import annotations

import html
import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]

_FORMULA = re.compile(r'<(span|div) class="arithmatex">\\[(\[](.*?)\\[)\]]</\1>', re.S)


def on_files(files: Any, config: Any) -> Any:
    """Add the pages that are made."""
    from mkdocs.structure.files import File

    made = {
        "conventions.md": (ROOT / "CONVENTIONS.md").read_text("utf-8"),
        "examples.md": examples(),
        "codes.md": codes().page(),
    }
    for name, text in (made | reference().pages()).items():
        files.append(File.generated(config, name, content=text))
    return files


def on_config(config: Any) -> Any:
    """The reference's pages in the navigation."""
    chapters = [{title: f"reference/{name}.md"} for name, title in reference().titles().items()]
    config.nav = [{"Reference": chapters} if item == {"Reference": "reference/"} else item for item in config.nav]
    listed = set(re.findall(r"[\w/]+\.md", str(config.nav)))
    deep = next(item["In depth"] for item in config.nav if "In depth" in item)
    for page in sorted((ROOT / "docs").glob("*.md")):  # a new page needs no other file to be seen
        if page.name not in listed:
            deep.append({page.read_text("utf-8").splitlines()[0].lstrip("# "): page.name})
    return config


def on_page_markdown(text: str, **_: Any) -> str:
    """Tables that are made of declarations, where a comment stands for them."""
    reference()  # puts the sources on the path
    from bifilar.estimate.methods import method_table

    return re.sub(r"<!-- methods:.*?-->", lambda _: method_table(), text)


def on_page_content(text: str, **_: Any) -> str:
    """Formulas as MathML."""
    from latex2mathml.converter import convert

    def mathml(match: re.Match[str]) -> str:
        latex = html.unescape(match[2]).strip()
        return str(convert(latex, display="block" if match[1] == "div" else "inline"))

    return _FORMULA.sub(mathml, text)


def reference() -> Any:
    """The module beside this one; MkDocs keeps its own path."""
    for folder in (str(ROOT / "src"), str(Path(__file__).parent)):
        if folder not in sys.path:
            sys.path.insert(0, folder)
    import reference

    return reference


def codes() -> Any:
    """The list of codes, made of the source."""
    reference()  # puts the folder on the path
    import codes

    return codes


def examples() -> str:
    """Every example with what it is about, and its program."""
    parts = ["# Examples", "", "Each runs as it stands, and the tests run all of them. 03 to 07 hand files to each other."]
    for path in sorted((ROOT / "examples").glob("[0-9]*.py")):
        source = path.read_text("utf-8")
        title = path.stem[3:].replace("_", " ").capitalize()
        parts += [f"## {path.stem[:2]} {title}", "", f"```python\n{source}```", ""]
    return "\n".join(parts)

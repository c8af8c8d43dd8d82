"""No decision hangs on the wording of a message: sentences may be reworded at any time, codes and facts may not."""

from __future__ import annotations

import ast
import importlib.util
import re
from functools import cache
from pathlib import Path

import bifilar as bf
from bifilar.messages import catalogue

SOURCE = Path(bf.__file__).parent
WORDS_OF_VERBS = {"settings"}  # `bifilar walk` calls its first word `what`
SPOKEN = {"what", "remedy", "likely", "sentence", "reasons", "notes", "reason", "note", "message", "said"}
ASKING = {
    "startswith",
    "endswith",
    "partition",
    "rpartition",
    "split",
    "replace",
    "removeprefix",
    "removesuffix",
    "find",
    "index",
}
ERRORS = {"error", "letter", "err", "exception", "failure", "found", "finding", "one", "each", "verdict", "estimate", "status"}
FOREIGN = {  # adapters of libraries that say what is wrong in words only: file, function, whose words
    ("cli/settings.py", "complaint"): "tyro's box",
    ("cli/settings.py", "_in_words"): "tyro's box",
    ("robot/table.py", "toml_place"): "tomllib before Python 3.14 has no line number",
}


@cache
def sources() -> tuple[tuple[str, ast.Module], ...]:
    """Every module, by its path in the package."""
    paths = sorted(SOURCE.rglob("*.py"))
    return tuple((path.relative_to(SOURCE).as_posix(), ast.parse(path.read_text("utf-8"))) for path in paths)


def spoken(node: ast.expr) -> bool:
    """Whether an expression is a message: an attribute that holds one, of whatever carries it, or an error as a string."""
    if isinstance(node, ast.Attribute):
        return node.attr in SPOKEN and not (isinstance(node.value, ast.Name) and node.value.id in WORDS_OF_VERBS)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("str", "repr") and node.args:
        return isinstance(node.args[0], ast.Name) and node.args[0].id in ERRORS
    return isinstance(node, ast.Name) and node.id in ("reason", "note", "message", "remedy", "sentence")


def decisions(tree: ast.AST) -> list[tuple[int, str]]:
    """Places where words are compared, searched or taken apart."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and any(isinstance(op, ast.In | ast.NotIn) for op in node.ops):
            literal = isinstance(node.left, ast.Constant) and isinstance(node.left.value, str)
            if any(spoken(one) for one in node.comparators) and (literal or isinstance(node.left, ast.Name)):
                found.append((node.lineno, ast.unparse(node)))
        if isinstance(node, ast.Compare) and any(isinstance(op, ast.Eq | ast.NotEq) for op in node.ops):
            sides = (node.left, *node.comparators)
            if any(map(spoken, sides)) and any(isinstance(s, ast.Constant) and s.value not in ("", None) for s in sides):
                found.append((node.lineno, ast.unparse(node)))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in ASKING and spoken(node.func.value):
                found.append((node.lineno, ast.unparse(node)))
            pattern = isinstance(node.func.value, ast.Name) and node.func.value.id == "re"
            if (pattern or node.func.attr in ("search", "match", "fullmatch", "sub", "findall")) and any(
                map(spoken, node.args)
            ):
                found.append((node.lineno, ast.unparse(node)))
    return found


def test_the_test_sees_them():
    """What it is to find, and what it is not."""
    bad = [
        'if "exists" not in error.what: raise',
        'any(reason.startswith("likely mistake") for reason in verdict.reasons)',
        'error.remedy.replace("a", "b")',
        're.search("x", finding.remedy)',
        'if "hash" in str(error): pass',
        'if estimate.status.sentence == "doubtful": pass',
    ]
    good = [
        'if error.code == "file.missing": pass',
        "lines.append(finding.what)",
        "if error.remedy: pass",
        'name.startswith("a")',
    ]
    assert all(decisions(ast.parse(text)) for text in bad)
    assert not any(decisions(ast.parse(text)) for text in good)


def test_nothing_is_decided_by_the_wording_of_a_message():
    wrong = []
    for name, tree in sources():
        if name == "errors.py":
            continue
        spans = [(n.name, n.lineno, n.end_lineno) for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]
        for line, text in decisions(tree):
            inside = {function for function, first, last in spans if first <= line <= last}
            known = {(name, function) for function in inside} & FOREIGN.keys()
            wrong += [] if known else [f"{name}:{line}: {text}"]
    assert not wrong, "\n".join(wrong)


def test_findings_of_one_meaning_have_one_code():
    """Attributes of findings are there: nobody has to ask whether."""
    for path in sorted(SOURCE.rglob("*.py")):
        text = path.read_text("utf-8")
        assert 'getattr(finding, "' not in text and ', "code", "")' not in text, path
    assert not list(SOURCE.rglob("remedies.py"))


def test_the_list_of_codes_has_all_of_them():
    """docs/codes.md is made of the catalogue: every code once, with what is said."""
    spec = importlib.util.spec_from_file_location("codes", SOURCE.parents[1] / "docs" / "hooks" / "codes.py")
    codes = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(codes)
    listed = re.findall(r"^\| `([^`]+)` \|", codes.page(), re.M)
    said = {key.partition("/")[0] for key in catalogue()}
    assert len(listed) == len(set(listed)) and set(listed) == said
    assert all(re.fullmatch(r"[a-z][\w ]*(\.\w+)?", code) for code in said), sorted(said)

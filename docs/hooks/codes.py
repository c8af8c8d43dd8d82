"""Every code of an error, a finding or a note, with its sentences, likely causes and remedies, read from the source itself."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

SOURCE = Path(__file__).resolve().parents[2] / "src" / "bifilar"
FINDING, FOUND = ("severity", "where", "what", "remedy", "likely", "code"), ("severity", "element", "what", "remedy", "code")
SHOWN = 3  # sentences of one code


class Said(NamedTuple):
    """One place in the source that says something."""

    code: str
    kind: str  # class of the error, or "finding", or "note"
    what: str
    likely: str
    remedy: str


def said() -> list[Said]:
    """All of them, in the order of the source."""
    trees = [ast.parse(path.read_text("utf-8")) for path in sorted(SOURCE.rglob("*.py"))]
    kinds = _errors(trees)
    return [one for tree in trees for one in _of(tree, kinds)]


def page() -> str:
    """The list as Markdown, a section for each first word of a code."""
    by_code: dict[str, list[Said]] = defaultdict(list)
    for one in said():
        by_code[one.code].append(one)
    lines = [
        "# Codes",
        "",
        "Every error, finding and note has a code, in Python as `.code` and in JSON. Sentences may be reworded at any time,",
        "codes stay. `…` stands for what is put in. This page is made from the source.",
    ]
    area = None
    for code in sorted(by_code):
        if code.split(".")[0] != area:
            area = code.split(".")[0]
            lines += ["", f"## {area}", "", "| code | said | likely | to try |", "|---|---|---|---|"]
        ones = by_code[code]
        cells = ["<br>".join(list(dict.fromkeys(filter(None, each)))[:SHOWN]) for each in zip(*(one[2:] for one in ones))]
        lines.append(f"| `{code}` | {' | '.join(_cell(cell) for cell in cells)} |")
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "/").replace("<br>", "\n").replace("<", "&lt;").replace("\n", "<br>")


def _errors(trees: list[ast.Module]) -> set[str]:
    found = {"BifilarError"}
    for _ in range(4):  # classes of classes
        for tree in trees:
            found |= {
                node.name
                for node in ast.walk(tree)
                if isinstance(node, ast.ClassDef) and any(getattr(base, "id", "") in found for base in node.bases)
            }
    return found


def _of(tree: ast.Module, kinds: set[str]) -> list[Said]:
    out = []
    constants = {node.targets[0].id: node.value for node in tree.body if _is_constant(node)}
    for function in [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.Module))]:
        texts = dict(constants)
        for node in _inside(function):
            if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
                texts[node.targets[0].id] = node.value
            if isinstance(node, ast.Call):
                one = _call(node, kinds, texts)
                out += [one] if one is not None and one.code else []
    return out


def _is_constant(node: ast.stmt) -> bool:
    return isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name)


def _inside(function: ast.AST) -> list[ast.AST]:
    """Nodes of a function in the order of the text, without those of functions in it."""
    found: list[ast.AST] = []
    for child in ast.iter_child_nodes(function):
        if not isinstance(child, (ast.FunctionDef, ast.ClassDef)):
            found += [*_inside(child), child] if not isinstance(child, ast.Call) else [child, *_inside(child)]
    return found


def _call(node: ast.Call, kinds: set[str], texts: dict[str, ast.expr]) -> Said | None:
    name = getattr(node.func, "id", getattr(node.func, "attr", ""))
    named = {word.arg: word.value for word in node.keywords if word.arg}
    if name == "Finding" or (name == "find" and len(node.args) >= 3):
        named |= dict(zip(FINDING if name == "Finding" else FOUND, node.args))
        kind = "finding"
    elif name == "Note" or name in kinds:
        named |= dict(zip(("what",), node.args))
        kind = "note" if name == "Note" else name
    else:
        return None
    what, likely, remedy = (_words(named.get(key), texts) for key in ("what", "likely", "remedy"))
    return Said(_words(named.get("code"), texts), kind, what, likely, remedy)


def _words(node: ast.expr | None, texts: dict[str, ast.expr], depth: int = 0) -> str:
    """A text of the source; … where something is put in."""
    if node is None or depth > 4:
        return ""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.JoinedStr):
        return "".join(_words(part, texts, depth + 1) if isinstance(part, ast.Constant) else "…" for part in node.values)
    if isinstance(node, ast.Name):
        return _words(texts.get(node.id), texts, depth + 1)
    if isinstance(node, ast.IfExp):
        return _words(node.body, texts, depth + 1) or _words(node.orelse, texts, depth + 1)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _words(node.left, texts, depth + 1) + (_words(node.right, texts, depth + 1) or "…")
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Remedy":
        named = {word.arg: word.value for word in node.keywords if word.arg}
        typed = named.get("cli", node.args[0] if node.args else None)
        return _words(named.get("lead"), texts, depth + 1) + _words(typed, texts, depth + 1)
    return ""

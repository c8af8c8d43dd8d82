"""Every sentence lives in the catalogue: a call gives a key and facts, and they are all that its sentences need."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import bifilar as bf
from bifilar.messages import Message, catalogue, placeholders

SOURCE = Path(bf.__file__).parent
OWN = {"where", "what", "likely", "remedy", "at", "about", "severity", "code", "attribute"}
REFUSING = {"refuse", "_refuse", "find"}  # methods that hand a key and facts on to an error or a finding
ADDED = {"_refuse": {"word"}}  # facts that such a method gives itself
UNPACKED = "**"
# where what was said elsewhere, or is read from a file with its words, is said again
REVIVED = {"errors.py", "cli/report_run.py", "recording/store.py", "estimate/problem.py:_own"}


@cache
def trees() -> tuple[tuple[str, ast.Module], ...]:
    """Every module, by its path in the package."""
    paths = sorted(path for path in SOURCE.rglob("*.py") if path.parent.name != "messages")
    return tuple((path.relative_to(SOURCE).as_posix(), ast.parse(path.read_text("utf-8"))) for path in paths)


@cache
def kinds() -> frozenset[str]:
    """Names of the classes of errors, and of what else takes a key."""
    found = {"BifilarError"}
    for _ in range(4):
        for _, tree in trees():
            for node in ast.walk(tree):
                if isinstance(node, ast.ClassDef) and any(getattr(base, "id", "") in found for base in node.bases):
                    found.add(node.name)
    return frozenset(found | {"Note", "Finding"})


@cache
def constants() -> dict[str, str]:
    """Strings of modules, by name."""
    pairs = [
        (target, value)
        for _, tree in trees()
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target, value in zip(getattr(node.targets[0], "elts", node.targets), getattr(node.value, "elts", [node.value]))
    ]
    return {
        target.id: value.value
        for target, value in pairs
        if isinstance(target, ast.Name) and isinstance(value, ast.Constant) and isinstance(value.value, str)
    }


def strings(node: ast.expr, function: ast.AST) -> set[str]:
    """Every value that the expression of a key may have."""
    if isinstance(node, ast.Constant):
        return {node.value}
    if isinstance(node, ast.IfExp):
        return strings(node.body, function) | strings(node.orelse, function)
    if isinstance(node, ast.BoolOp):
        return set().union(*(strings(value, function) for value in node.values))
    if isinstance(node, ast.JoinedStr):
        parts = [part.value if isinstance(part, ast.Constant) else None for part in node.values]
        start = parts[0] or ""
        if start:
            return {key for key in catalogue() if key.startswith(start)}
        first = node.values[0]
        return {key for one in strings(first.value, function) for key in catalogue() if key.startswith(one)}
    if isinstance(node, ast.Name):
        here = [
            pair
            for one in ast.walk(function)
            if isinstance(one, ast.Assign | ast.For | ast.comprehension)
            for pair in assigned(one, node.id)
        ]
        found = set().union(*(strings(value, function) for value in here))
        return found or {constants()[node.id]} if node.id in constants() else found
    return set()


def assigned(node: ast.AST, name: str) -> list[ast.expr]:
    """What a name may be after this statement."""
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == name:
        return [node.value]
    target, values = getattr(node, "target", None), getattr(node, "iter", None)
    names = [getattr(one, "id", "") for one in ast.walk(target)] if isinstance(target, ast.Tuple) else []
    if name in names and values is not None:
        return [one for one in ast.walk(values) if isinstance(one, ast.Constant) and one.value in catalogue()]
    return []


@cache
def calls() -> list[tuple[str, ast.Call, str, set[str], set[str]]]:
    """Place, call, kind, keys and names of facts of every call that says something."""
    found = []
    for path, tree in trees():
        if path in REVIVED:
            continue
        functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            if name not in kinds() and name not in REFUSING:
                continue
            if any(f"{path}:{f.name}" in REVIVED for f in functions if f.lineno <= node.lineno <= (f.end_lineno or 0)):
                continue
            around = [f for f in functions if f.lineno <= node.lineno <= (f.end_lineno or 0)]
            function = around[-1] if around else tree
            if name in ("refuse", "_refuse"):
                keys = {key for arg in node.args for key in strings(arg, function) if key in catalogue()}
                if not keys:
                    continue
            else:
                keys = strings(node.args[0], function)
                if name == "find" and not keys & catalogue().keys():
                    continue
            if around and not keys and isinstance(node.args[0], ast.Name) and node.args[0].id == "key":
                continue  # handed on by a method of REFUSING, or by `Finding.changed`
            given = {word.arg or UNPACKED for word in node.keywords}
            found.append((f"{path}:{node.lineno}", node, name, keys, given))
    return found


def asked(entry: Message) -> set[str]:
    """Facts that the sentences of an entry need."""
    templates = [entry.what, entry.cli, entry.lead, entry.otherwise]
    templates += [entry.likely] if isinstance(entry.likely, str) else entry.likely
    templates += [entry.remedy] if isinstance(entry.remedy, str) else entry.remedy
    return set().union(*map(placeholders, templates))


def test_every_call_has_an_entry_and_gives_its_facts():
    wrong = []
    for place, node, name, keys, given in calls():
        if not keys:
            wrong.append(f"{place}: no key in {ast.unparse(node)[:80]}")
        for key in keys:
            entry = catalogue().get(key)
            if entry is None:
                wrong.append(f"{place}: no entry '{key}'")
                continue
            needed = asked(entry) | {one for one in entry.listed if one.isidentifier() and UNPACKED not in given}
            missing = needed - given - ADDED.get(name, set())
            if missing and UNPACKED not in given and len(keys) == 1:
                wrong.append(f"{place}: '{key}' needs {', '.join(sorted(missing))}")
    assert not wrong, "\n".join(wrong)


def test_every_entry_is_used():
    used = set().union(*(keys for *_, keys, _ in calls()))
    unread = {node.value for _, tree in trees() for node in ast.walk(tree) if isinstance(node, ast.Constant)}
    idle = catalogue().keys() - used - {key for key in unread if isinstance(key, str)}
    assert not idle, sorted(idle)


def test_no_sentence_stands_at_a_call():
    """`what=` is for words of others; a key has no space but in codes from before."""
    bare = [place for place, node, *_, given in calls() if given & {"what", "code"}]
    assert not bare, "\n".join(bare)

"""`bifilar schema`: published schemas are well formed, require what the docs promise, and refuse what is wrong.

That real output fits them is asked in tests/conftest.py, of every command that any test runs with --json.
"""

from __future__ import annotations

import contextlib
import copy
import io
import json
import re
import socket
from pathlib import Path

import pytest
from json_schema import KINDS, problems

from bifilar.cli import VERBS, view
from bifilar.cli.schemas import schema_of
from bifilar.cli.schemas.verbs import RESULTS
from bifilar.formats import FORMATS

DOCS = Path(__file__).resolve().parents[2] / "docs"
PROMISED = {  # keys that pages name: a path from the result, list entries by []
    "fit": (
        *("verdict.level", "verdict.reasons", "rows_used", "torque_predictor", "estimate.base_parameters[].deviation"),
        *("friction.terms[].term", "friction.urdf[].as", "friction.urdf[].how", "friction.urdf[].joints", "findings"),
        *("friction.urdf[].settings", "log_delay.code", "kinematics.code", "folder"),
    ),
    "export": ("files[].friction[].term", "files[].friction[].as", "files[].friction[].how", "files[].lost"),
    "check": ("findings[].severity", "findings[].what", "findings[].remedy", "worst", "channels"),
    "control": ("joints", "tool.rms", "push", "safety"),
    "design": ("certified", "margins", "files"),
    "inspect": ("findings[].what", "identifiable.base_parameters", "links", "joints"),
    "validate": ("verdict.level", "score"),
    "rerun": ("same", "differ"),
}
MUTANTS = [  # a change of a good result, and what the validator must say
    (lambda facts: facts.pop("samples"), "samples is missing"),
    (lambda facts: facts.update(samples="9"), "samples"),
    (lambda facts: facts.update(samples=9.5), "samples"),
    (lambda facts: facts.update(samples=True), "samples"),
    (lambda facts: facts["joints"].append(3), "joints[1]"),
    (lambda facts: facts.update(joints={}), "joints"),
    (lambda facts: facts.update(other=1), "other is not described"),
]
CONVERTED = {"log": "a.csv", "samples": 9, "joints": ["hip"], "channels": ["position"], "files": ["a.npz"]}


def parts(schema):
    """Every schema inside a schema."""
    yield schema
    inner = [*schema.get("properties", {}).values(), *schema.get("$defs", {}).values()]
    inner += [*schema.get("anyOf", ()), *schema.get("allOf", ())]
    inner += [schema[key] for key in ("items", "additionalProperties") if key in schema]
    for each in inner:
        yield from parts(each)


@pytest.mark.parametrize("verb", VERBS)
def test_a_schema_is_printed_and_well_formed(bifilar, verb):
    code, out, err = bifilar("schema", verb)
    schema = json.loads(out)
    assert code == 0 and err == "" and schema == schema_of(verb)
    assert bifilar("schema", verb, "--json") == (code, out, err)
    assert schema["$schema"].endswith("2020-12/schema") and verb in schema["$id"] and verb in schema["title"]
    for part in parts(schema):
        kinds = part.get("type", [])
        assert {kinds} <= set(KINDS) if isinstance(kinds, str) else set(kinds) <= set(KINDS)
        assert set(part.get("required", ())) <= set(part.get("properties", {}))
        if "$ref" in part:
            assert part["$ref"].removeprefix("#/$defs/") in schema["$defs"]
    refused = {"kind": "RobotError", "code": "", "what": "no", "where": "", "likely": "", "remedy": "", "facts": {}}
    assert problems({"error": refused | {"exit_code": 3}}, schema, strict=True) == []
    assert problems({"error": refused}, schema, strict=True)
    assert problems({}, schema, strict=True) and problems([], schema)


def test_every_command_has_a_schema_and_is_listed(bifilar):
    assert list(RESULTS) == list(VERBS)
    code, out, err = bifilar("schema")
    assert code == 0 and err == "" and all(verb in out for verb in VERBS)
    assert json.loads(bifilar("schema", "--json")[1])["commands"] == VERBS


def found(schema, part, path):
    """Whether a path leads through required keys; where a result is one of several kinds, of one of them."""
    if "$ref" in part:
        return found(schema, schema["$defs"][part["$ref"].removeprefix("#/$defs/")], path)
    if "anyOf" in part or "allOf" in part:
        return any(found(schema, each, path) for each in part.get("anyOf", part.get("allOf")))
    if not path:
        return True
    if path[0] == "[]":
        return "items" in part and found(schema, part["items"], path[1:])
    return path[0] in part.get("required", ()) and found(schema, part["properties"][path[0]], path[1:])


@pytest.mark.parametrize("verb", PROMISED)
def test_what_the_docs_promise_is_required(verb):
    schema = schema_of(verb)
    for path in PROMISED[verb]:
        assert found(schema, schema, re.findall(r"\[\]|[^.\[\]]+", path)), f"{verb}: {path}"


@pytest.mark.parametrize("k", range(len(MUTANTS)))
def test_the_validator_sees_what_is_wrong(k):
    change, said = MUTANTS[k]
    facts = copy.deepcopy(CONVERTED)
    assert problems(facts, schema_of("convert"), strict=True) == []
    change(facts)
    wrong = problems(facts, schema_of("convert"), strict=True)
    assert any(said in each for each in wrong), wrong
    assert bool(problems(facts, schema_of("convert"))) == ("described" not in said)  # published: further keys may come


def test_the_viewer_prints_what_its_schema_says():
    pytest.importorskip("viser")
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    settings, said = view.Settings(robot="pendulum", port=port, json=True, no_browser=True), io.StringIO()
    with view.opened(settings) as viewer, contextlib.redirect_stdout(said):
        view._tell(settings, viewer)
    assert problems(json.loads(said.getvalue()), schema_of("view"), strict=True) == []


def test_the_page_lists_every_format_with_its_version():
    rows = re.findall(r"^\| (\w+) \| (\d+) \|", (DOCS / "files.md").read_text("utf-8"), re.M)
    assert {name: int(version) for name, version in rows} == {name: each.version for name, each in FORMATS.items()}

"""An option means the same in every command: one name, one declaration, but for those listed here with a reason."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import fields
from importlib import import_module
from typing import get_type_hints

import pytest

from bifilar.cli import VERBS
from bifilar.cli.completion import verbs
from bifilar.cli.options import FileOutput, HowSettings, JsonOutput, MotionSettings, Now, PagedOutput, is_positional, resolved

# name -> commands that declare it otherwise -> why
OTHERWISE = {
    "anyway": {"export": "it is about a verdict, not about a log"},
    "duration": {
        "demo": "has a usual value",
        "design": "must be given, but for poses",
        "control": "has a usual value, of paths only",
    },
    "encoders": {"control": "which filter makes velocities of them", "calibrate": "a flag: they may be off"},
    "friction": {
        "design": "terms to be identified",
        "simulate": "terms with values",
        "fit": "terms to be fitted, chosen by default",
        "simplify": "its default depends on --next",
        "control": "terms with values",
        "gravity": "its default depends on --moving",
        "calibrate": "its default is the robot's own",
        "benchmark-methods": "one of two kinds, of an arm that has none",
    },
    "full": {"reproduce": "how many runs, not how much is told"},
    "gravity": {"inspect": "a vector in the world frame", "tare": "its size where the robot stands"},
    "harmonics": {"simplify": "only with --next"},
    "held": {"control": "the orientation of a path", "walk": "a share of the strides"},
    "lock": {verb: "without a log, joints are held at 0" for verb in ("inspect", "design", "simulate", "control", "view")},
    "log": {"walk": "simulate makes one"},
    "logs": {"simplify": "with --next they lie in its folder"},
    "method": {"gravity": "of a gravity model, not an estimator of all parameters"},
    "noise": {
        "design": "of the torque that is assumed",
        "simulate": "of all sensors, or none",
        "benchmark-methods": "levels of positions and torques",
    },
    "output": {
        "demo": "a folder with a usual name",
        "design": "must be given",
        "simulate": "must be given",
        "export": "several files",
        "control": "a page with a usual name",
        "report": "a page with a usual name",
        "compare": "a page with a usual name",
        "rerun": "a folder, only if it is to be kept",
        "convert": "a word without a dash, as cp has it",
        "track": "a table with a usual name",
        "walk": "a file with a usual name",
        "reproduce": "a page with the paper's name",
        "fit": "a run's folder",
        "simplify": "a run's folder",
    },
    "payload": {"track": "what is followed, of unknown mass"},
    "rate": {"design": "of the file that is written", "simulate": "of the file that is written"},
    "robot": {
        "check": "an option: checks need none",
        "tare": "an option: orientations may be logged",
        "convert": "an option: only the order is taken from it",
        "control": "may be a run",
        "view": "may be a run",
        "track": "may be a run",
        "benchmark-methods": "a preset has its own",
    },
    "run": {"view": "beside a robot", **{verb: "the run itself" for verb in ("validate", "payload", "report", "rerun")}},
    "seed": {"walk": "only of simulate"},
    "sensors": {"calibrate": "a flag: torque sensors in place of drives", "walk": "which are carried"},
    "start": {"design": "a pose for begin and end", "control": "a posture that a path begins near"},
    "starts": {"design": "of a search", "benchmark-methods": "wrong models, as many as the preset says"},
    "unlike": {"demo": "has a usual value", "simulate": "the machine is as described unless asked", "walk": "only of simulate"},
}
GROUPS = {"mapping": HowSettings, "kinematics": MotionSettings, "force": FileOutput, "no_page": PagedOutput}
SETTINGS = {verb: import_module(f"bifilar.cli.{verb.replace('-', '_')}").Settings for verb in VERBS}


def declarations() -> dict[str, dict[str, tuple[str, str]]]:
    """Of every option: its annotation (type, metavar, help, hint) and default, by command."""
    found: dict[str, dict[str, tuple[str, str]]] = defaultdict(dict)
    for verb, settings in SETTINGS.items():
        hints = get_type_hints(settings, include_extras=True)
        for one in fields(settings):
            found[one.name][verb] = (repr(hints[one.name]), repr(one.default))
    return found


@pytest.mark.parametrize("name, by_verb", declarations().items(), ids=list(declarations()))
def test_an_option_has_one_declaration(name, by_verb):
    alike = {verb: said for verb, said in by_verb.items() if verb not in OTHERWISE.get(name, {})}
    assert len(set(alike.values())) <= 1, f"--{name} differs: {alike}"


def test_reasons_are_about_options_that_differ():
    known = declarations()
    for name, reasons in OTHERWISE.items():
        assert set(reasons) <= set(known[name]), f"{name}: {set(reasons) - set(known[name])} have no such option"
        assert len(set(known[name].values())) > 1 or name == "anyway", f"{name} has one declaration: no reason is needed"


@pytest.mark.parametrize("verb", VERBS)
def test_every_command_takes_whole_groups(verb):
    settings = SETTINGS[verb]
    names = {one.name for one in fields(settings)}
    assert issubclass(settings, JsonOutput)
    for name, group in GROUPS.items():
        assert issubclass(settings, group) == (name in names), f"{verb} retypes --{name} of {group.__name__}"


@pytest.mark.parametrize("verb", VERBS)
def test_settings_are_resolved_whole_and_words_stay_in_their_order(verb):
    stated, now = SETTINGS[verb], resolved(SETTINGS[verb])
    before, after = get_type_hints(stated, include_extras=True), get_type_hints(now, include_extras=True)
    assert {one.name: one.default for one in fields(stated)} == {one.name: one.default for one in fields(now)}
    assert not any(isinstance(mark, Now) for hint in after.values() for mark in getattr(hint, "__metadata__", ()))
    in_order = [[one.name for one in fields(kind) if is_positional(before[one.name])] for kind in (stated, now)]
    assert in_order[0] == in_order[1]


def test_a_shell_completes_what_the_registries_list():
    options = {(verb.name, option.word): option.choices for verb in verbs() for option in verb.options}
    assert options["fit", "--method"] == ("consistent", "least-squares")
    assert "urdf" in options["export", "--to"]

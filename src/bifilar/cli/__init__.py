"""The command `bifilar`: finds the verb, hands it the rest of the line and turns what happens into an exit code.

A verb is a module with SUMMARY (one line), EXAMPLES (what its help opens with), Settings (a dataclass, its comments are
the help) and `run(settings) -> int`. Modules of verbs are loaded when they are named, so that `bifilar --help` is instant.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

VERBS = {
    "demo": "the whole line in a minute, on a simulated arm",
    "inspect": "what a robot is, what is odd about it, what its motion can tell",
    "design": "a motion that tells most about a robot and breaks none of its limits",
    "simulate": "a motion played on a virtual robot, recorded as its sensors would",
    "check": "what is in a log, and what is wrong with it",
    "fit": "masses, inertias and friction from logs, judged on unseen motion",
    "simplify": "a model with fewer parameters that predicts as well, chosen on unseen motion",
    "validate": "an identified robot on logs that it has not seen",
    "export": "a robot as URDF, MJCF, SDF, a table, YAML or C code, read again and compared",
    "control": "a controller in the loop with a virtual robot: errors, pushes, torque left",
    "report": "the report of a run as one page: verdict, errors, numbers, what to record next",
    "compare": "two runs side by side, in the terminal and on a page",
    "rerun": "a run again, every number compared",
    "view": "a robot in the browser, a recording played back, inertias before and after",
    "gravity": "the gravity torque of an arm from held poses, sweeps or slow motion",
    "payload": "mass, centre and inertia of a load, from an arm's run and a log with the load",
    "calibrate": "torque per ampere of every drive, from a load of known mass",
    "tare": "a wrist force/torque sensor: its bias, and what it carries",
    "convert": "a log as CSV, Parquet or NPZ, with names and units",
    "track": "parameters or a load followed over a log, mean and band at every time",
    "walk": "a planar walker: its walk simulated, identified from a log, or followed",
    "reproduce": "the experiments of a paper again, published numbers beside ours",
    "benchmark-methods": "every method of estimation on a virtual arm whose parameters are known",
    "datasets": "public recordings and models by name",
    "doctor": "whether everything bifilar needs is in place, and works",
    "schema": "the JSON Schema of what a command prints with --json",
    "completion": "a script that teaches a shell to complete all this",
}

_HELP = """\
bifilar works out the masses, inertias and friction of a robot from recordings of its motion.

  bifilar inspect panda         look at a built-in robot
  bifilar inspect arm.urdf      or at your own; 'bifilar inspect --help' lists formats

commands
{verbs}

options
  -h, --help     this text; 'bifilar COMMAND --help' shows a command's options
  --version      the version

exit codes
  0 good                            4 the data do not determine an answer
  1 done, but not to be trusted     5 not enough disk or memory
  2 command not understood         70 a bug in bifilar; BIFILAR_DEBUG=1 shows where
  3 input refused                 130 stopped by Ctrl-C
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit code; without arguments, those of the process.

    >>> main(["--version"])
    bifilar 0.1.0
    0
    """
    alone = arguments is None
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        from bifilar.cli.guard import guarded

        debug = bool(os.environ.get("BIFILAR_DEBUG"))
        return guarded(lambda: _dispatch(words), json="--json" in words, debug=debug, alone=alone, verb=_verb(words))
    except KeyboardInterrupt:  # before it was listened for
        sys.stderr.write("bifilar: stopped\n")
        return 130


def help_text() -> str:
    """What `bifilar --help` prints.

    >>> "inspect" in help_text()
    True
    """
    return _HELP.format(verbs="\n".join(f"  {verb:<17}   {what}" for verb, what in VERBS.items()))


def _verb(words: list[str]) -> str:
    return words[0] if words and words[0] in VERBS else ""


def _dispatch(words: list[str]) -> int:
    from bifilar.cli.guard import UsageError

    if not words:
        sys.stderr.write(help_text())
        return UsageError.exit_code
    verb, *rest = words
    if verb in ("-h", "--help", "help"):
        sys.stdout.write(help_text())
        return 0
    if verb in ("-V", "--version"):
        from bifilar import __version__

        sys.stdout.write(f"bifilar {__version__}\n")
        return 0
    if verb not in VERBS:
        raise _unknown(verb)
    from importlib import import_module

    from bifilar.cli.settings import parse

    module = import_module(f"bifilar.cli.{verb.replace('-', '_')}")
    settings = parse(module, verb, rest)
    return 0 if settings is None else int(module.run(settings))


def _unknown(verb: str) -> Exception:
    from difflib import get_close_matches

    from bifilar.cli.guard import UsageError

    if verb.startswith("-"):
        return UsageError("usage.option_unknown/verb", verb=verb)
    near = get_close_matches(verb, VERBS, 1, 0.5)
    from bifilar.robot.library import names

    robot = verb.lower() if verb.lower() in names() else verb
    if robot in names() or (not near and (os.path.exists(verb) or "." in verb)):  # a robot without a verb
        return UsageError("usage.command_unknown/init__", verb=verb, robot=robot)
    return UsageError(
        "usage.command_unknown/unknown" if near else "usage.command_unknown/init___unknown",
        commands=VERBS,
        verb=verb,
        near=near[:1],
    )

"""Definitions that several commands share: errors, findings, verdicts, estimates."""

from __future__ import annotations

from typing import get_args

from bifilar.cli.schemas.kinds import (
    Kind,
    anything,
    by_name,
    count,
    flag,
    many,
    maybe,
    number,
    record,
    shared,
    text,
    word,
)
from bifilar.estimate.status import Code
from bifilar.validate.verdict import Level

SEVERITY = word("error", "warning", "note", about="error: not to be trusted as it is")
FILES = many(text(), "paths of what was written")

_ERROR = record(
    {
        "kind": text("class of the error, such as RobotError"),
        "code": text("stable name of what is wrong, such as format.newer"),
        "what": text("what is wrong"),
        "where": text("file, line or part; may be empty"),
        "likely": text("likely cause; may be empty"),
        "remedy": text("what to try"),
        "facts": by_name(anything(), "names and numbers that it is about, SI units"),
        "exit_code": count("of the command: 2 usage, 3 input refused, 4 not determined, 5 resources, 70 a bug"),
    }
)
_FINDING = record(
    {"severity": SEVERITY, "where": text("link, joint, channel or file"), "what": text(), "remedy": text("may be empty")},
    optional={
        "code": text("stable name of what was found"),
        "about": text("joint or link, by name; may be empty"),
        "typed": text("the remedy as it is typed; may be empty"),
        "likely": text("likely cause; may be empty"),
        "at": many(
            record({"channel": text(), "joint": text(), "start": number("[s]"), "stop": number("[s]")}), "where in the log"
        ),
        "facts": by_name(anything(), "names and numbers that it is about, SI units"),
    },
)
_NOTE = record(
    {
        "code": text("stable name of what is meant"),
        "text": text("the sentence"),
        "facts": by_name(anything(), "names and numbers that it is about"),
        "remedy": text("what to try, in Python; may be empty"),
        "typed": text("what to try, as it is typed; may be empty"),
    }
)
_VERDICT = record(
    {
        "level": word(*get_args(Level)),
        "reasons": many(text(), "sentences"),
        "findings": many(shared("note"), "the reasons, as codes and facts"),
    },
    "whether the model is to be trusted; without a test motion, level and reasons alone",
    optional={
        "relative_error": number("RMS torque error / RMS torque on test motion, all joints"),
        "relative_error_raw": number("the same against the unfiltered torque"),
        "relative_error_of_description": number("the same of the nominal model"),
        "rows": count("samples it was evaluated on"),
        "repeated": number("share of the test motion that repeats the fitted one"),
        "still": many(text(), "joints that hardly move in the fitted motion"),
        "joints": many(
            record(
                {
                    "joint": text(),
                    "rmse": number("[N m], or [N]"),
                    "relative_error": number(),
                    "relative_error_of_description": number(),
                    "r2": number(),
                    "error_over_noise": number("RMSE in units of the fit's noise"),
                }
            )
        ),
        "residuals": many(
            record(
                {
                    "joint": text(),
                    "on": text("what the residual depends on: position, velocity, its past ..."),
                    "share": number("of the residual that is explained by it"),
                    "chance": number("that noise alone does the same"),
                    "matters": flag(),
                }
            )
        ),
    },
)
_STATUS = record(
    {"code": word(*get_args(Code)), "sentence": text()},
    optional={"facts": by_name(anything(), "of the cause"), "remedy": text(), "cause": text("a code; may be empty")},
)
_SCORE = record(
    {
        "cutoff": number("[Hz]"),
        "relative_error": number(),
        "relative_error_raw": number(),
        "relative_error_of_description": number(),
    },
    "errors on test motion at the cut-off that --score-cutoff names",
)
_CARRIED = record(
    {
        "term": text("as in --friction"),
        "joints": many(text()),
        "settings": anything("of the term, such as width"),
        "as": maybe(text(), "name in the file; null: it has none"),
        "how": text("exact, hard sign, lost ..."),
    },
    "how a file format carries a friction term",
)
_BASE = {"name": text(), "value": number(), "deviation": number("standard deviation; null: not identified")}
_ESTIMATE = record(
    {
        "format": text('format and version, such as "bifilar estimate 1"'),
        "method": text(),
        "status": shared("status"),
        "rows": count("samples of the fit"),
        "recipe": anything("how recordings were filtered: a name, or settings"),
        "notes": many(text(), "sentences"),
        "findings": many(shared("note"), "the notes, as codes and facts"),
        "timings": by_name(number("[s]")),
        "joints": many(text()),
        "gravity": many(number(), "[m/s^2] in the world frame"),
        "floating": flag("whether the base floats"),
        "friction": many(anything("term with its settings")),
        "drivetrain": anything("coupling of motors and joints, or null"),
        "drive_values": by_name(number(), "nominal friction coefficients"),
        "noise": by_name(number("[N m], or [N]"), "standard deviation of the torque, per joint"),
        "base_parameters": many(record({**_BASE, "equation": text("the sum that it stands for")})),
        "tables": anything("how choices were made: friction, delay, prior ..."),
    },
    "what estimate.json in a run folder holds",
    optional={
        "parameters": many(
            record({**_BASE, "unit": text(), "origin": text("data or prior")}),
            "of every body; only where the estimate is physically consistent",
        )
    },
)
_LADDER = record(
    {
        "rule": text(),
        "judged on": text(),
        "chosen": count("step of the model path"),
        "turn": maybe(count()),
        "stopped": text("why the path ends"),
        "judged": text(),
        "over full": anything("gain over the full model with its deviation, or null"),
        "steps": many(anything("a model: parameters, what was dropped and why, errors")),
        "held out per joint": anything("errors per joint and step, or null"),
    },
    "the models that were tried, largest first",
)
_FIT = record(
    {
        "bifilar": text("version"),
        "folder": text("of the run"),
        "robot": text(),
        "judged_on": text("test motion, in words"),
        "verdict": shared("verdict"),
        "files": many(
            record(
                {
                    "format": text(),
                    "level": word(*get_args(Level)),
                    "relative_error": number("NRMSE on test motion of what the file can state"),
                    "whole": number("NRMSE of the whole model"),
                    "without": many(text(), "what it cannot state"),
                    "instead": many(text(), "formats that state all of it"),
                }
            ),
            "verdicts of files that may be handed over, by format",
        ),
        "torque_predictor": maybe(
            record(
                {
                    "gain": number("of held-out error over the consistent model"),
                    "standard_error": number(),
                    "strength": number(),
                    "offered": flag("whether one is handed over"),
                    "folder": maybe(text(), "inside the run folder"),
                    "verdict": maybe(shared("verdict")),
                },
            ),
            "free base parameters beside the physically consistent model",
        ),
        "rows_used": by_name(count(), "rows of each joint that the fit used"),
        "score": maybe(shared("score")),
        "friction": record(
            {
                "asked": text("as --friction was given"),
                "text": text("the terms that were fitted, as --friction takes them"),
                "terms": many(
                    record(
                        {
                            "term": text(),
                            "joints": many(text()),
                            "settings": anything("of the term, such as width"),
                            "gain": number("share of the held-out error that it took away; null: not chosen by evidence"),
                            "trials": many(record({"joints": many(text()), "gain": number(), "standard_error": number()})),
                        }
                    )
                ),
                "urdf": maybe(many(shared("carried")), "how identified.urdf carries friction"),
            }
        ),
        "findings": by_name(many(shared("finding")), "of every log"),
        "log_delay": record(
            {
                "code": text("delay.none, delay.declared ..."),
                "delay": number("[s] by which torque was moved"),
            },
            optional={
                "found": number("[s]"),
                "deviation": number("[s]"),
                "gain": number("of held-out error"),
                "gain_deviation": number(),
                "nominal": number("[s] that the nominal model alone finds"),
                "blocks": many(number(), "[s] by block of time"),
                "joints": many(number(), "[s] by joint"),
                "failed": many(text(), "rules that speak against it"),
            },
        ),
        "kinematics": record(
            {"code": text("kinematics.logged or kinematics.derived")},
            optional={
                "chosen": text(),
                "derived": number("held-out error"),
                "logged": number("held-out error"),
                "gain": number(),
                "gain_deviation": number(),
                "blocks": many(number()),
            },
        ),
        "estimate": shared("estimate"),
    },
    "what a fit found; run.json in its folder holds the same and how it was made",
)

SHARED: dict[str, Kind] = {
    "error": _ERROR,
    "finding": _FINDING,
    "note": _NOTE,
    "verdict": _VERDICT,
    "status": _STATUS,
    "score": _SCORE,
    "carried": _CARRIED,
    "estimate": _ESTIMATE,
    "ladder": _LADDER,
    "fit": _FIT,
}

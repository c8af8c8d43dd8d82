"""What `--json` of every command prints: one object, or one of several where a command does several things."""

from __future__ import annotations

from bifilar.cli.schemas.definitions import FILES
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
from bifilar.robot.inertia import PARAMETERS

VERSION = {"bifilar": text("version")}
STATED = many(text(), "what checks found in the logs, in words")
PAGE = maybe(text(), "path of the page, if one was written")
PER_JOINT = many(number(), "one per joint")
SEEN = many(flag(), "one per joint: whether the logs determine it")
LIMITS_LEFT = many(text(), "limits that the motion did not keep, in words")

DEMO = record(
    VERSION
    | {
        "error_of_description": number("relative torque error of the nominal model on test motion"),
        "error_of_identified": number("relative torque error of the identified model"),
        "verdict": shared("verdict"),
        "masses": many(
            record(
                {
                    "link": text(),
                    "described": number("[kg] nominal"),
                    "true": number("[kg] of the simulated machine"),
                    "identified_value": number("[kg]"),
                    "deviation": number("[kg] standard deviation"),
                    "identified": flag(),
                    "inside_99_9_percent": flag("whether the true mass is inside the interval"),
                }
            )
        ),
        "folder": text("of the run"),
    }
)
INSPECT = record(
    VERSION
    | {
        "robot": record(
            {
                "name": text(),
                "source": text("file or name that was given"),
                "citation": maybe(text(), "of a built-in robot"),
                "floating": flag(),
                "gravity": many(number(), "[m/s^2] in the world frame"),
                "mass": number("[kg]"),
                "moving_joints": many(text()),
                "moving_links": many(text()),
            }
        ),
        "links": many(
            record(
                {
                    "name": text(),
                    "moves_with": maybe(text(), "body that it is fixed to"),
                    "stated": flag("whether the file states an inertia"),
                    "consistent": flag("whether the inertial parameters are physically consistent"),
                    "center_of_mass": maybe(many(number()), "[m] in the link frame; null without mass"),
                    **{name: number() for name in PARAMETERS},
                }
            ),
            "inertial parameters about the link's origin",
        ),
        "joints": many(
            record(
                {
                    "name": text(),
                    "kind": text("revolute, continuous, prismatic, fixed ..."),
                    "parent": text(),
                    "child": text(),
                    "axis": many(number()),
                    "limits": record(
                        {key: number() for key in ("lower", "upper", "velocity", "acceleration", "jerk", "effort")},
                        "null: not stated",
                    ),
                    "mimic": maybe(anything("joint, multiplier and offset that it follows")),
                    "damping": number(),
                    "friction": number(),
                    "armature": number(),
                }
            )
        ),
        "findings": many(shared("finding")),
        "identifiable": record(
            {
                "rows": text("joints, base or both: whose torque is measured"),
                "status": text("clear, or why the count is in doubt"),
                "parameters": count("inertial parameters of all bodies"),
                "base_parameters": count("that torque can determine"),
                "candidates": many(count(), "possible counts"),
                "alone": many(text(), "identifiable by themselves"),
                "in_sums": many(text(), "identifiable only in combination"),
                "no_effect": many(text(), "unidentifiable"),
                "equations": by_name(text(), "base parameter -> the sum that it stands for"),
                "method": text(),
            }
        ),
    }
)
DESIGN = record(
    VERSION
    | {
        "certified": flag("true: a trajectory that is not is not written"),
        "robot": text(),
        "duration": number("[s]"),
        "harmonics": many(count()),
        "criterion": text("D, A, E ..."),
        "value": number("of the criterion"),
        "score": number(),
        "starts": many(record({"value": number(), "iterations": count(), "status": text()})),
        "stopped": flag("whether Ctrl-C ended the search"),
        "joints": by_name(
            record(
                {
                    "least_margin": number("share of the tightest limit that is left"),
                    "least_margin_of": text("quantity of that limit"),
                },
                optional={
                    quantity: record(
                        {"lowest": number(), "highest": number(), "share": number("of the limit; null: no limit is known")}
                    )
                    for quantity in ("position", "velocity", "acceleration", "jerk", "torque")
                },
            )
        ),
        "margins": many(record({"name": text(), "room": number("proven to be left"), "limit": number(), "unit": text()})),
        "second_opinion": record({"by": text(), "instants": count(), "disagreement": number()}),
        "constraints": many(anything("kind and settings")),
        "not_checked": many(text(), "limits that are not known"),
        "known": record(
            {
                key: count()
                for key in ("parameters", "below_10_percent", "below_100_percent", "above_100_percent", "no_stated_value")
            },
            "how many parameters will have which relative standard deviation",
        ),
        "deviations": by_name(
            record({"name": text(), "deviation": number(), "value": number(), "size": number(), "relative": number()}),
            "predicted standard deviation of every parameter",
        ),
        "files": FILES,
        "removed": many(text(), "files of an earlier design that were removed"),
        "stale": many(text(), "files of an earlier design that were kept"),
    },
    "an optimal excitation trajectory",
)
SWEEP = record(
    {
        "robot": text(),
        "files": FILES,
        "joints": many(text()),
        "poses": count(),
        "duration": number("[s]"),
        "normal": many(number(), "per joint: share of gravity that bends it"),
        "unseen": many(text(), "joints that no pose shows"),
    },
    "--kind sweep",
)
TARE_POSES = record(
    {
        "robot": text(),
        "files": FILES,
        "sensor": text("link that carries it"),
        "duration": number("[s]"),
        "suffice": count("poses that determine the load"),
        "mass_deviation": number("[kg]"),
        "poses": many(many(number()), "[rad], or [m]"),
    },
    "--kind tare",
)
LIMITS = record({"files": FILES}, "--write-limits")
SIMULATE = record(
    VERSION
    | {
        "robot": text(),
        "motion": text(),
        "certified": flag(),
        "not_certified_because": text("empty if it is certified"),
        "certified_for": text(),
        "not_checked": many(text()),
        "machine_changed_by": text("how the machine differs from the nominal model; empty: it does not"),
        "limits_left": LIMITS_LEFT,
        "samples": count(),
        "dropped": count(),
        "duration": number("[s]"),
        "joints": by_name(
            record(
                {
                    "tracking_rms": number("[rad], or [m]"),
                    "tracking_largest": number("[rad], or [m]"),
                    "torque_peak": number("[N m], or [N]"),
                    "torque_share": number("of its limit; null: no limit is known"),
                    "saturated": number("share of the time"),
                }
            )
        ),
        "files": FILES,
    }
)
CHECK = record(
    VERSION
    | {
        "log": text(),
        "robot": text("empty without --robot"),
        "samples": count(),
        "used": count("samples that are not masked"),
        "duration": number("[s]"),
        "rate": number("[Hz]"),
        "clock": text("recorded, assumed or none"),
        "joints": many(text()),
        "channels": by_name(
            record(
                {
                    "columns": many(text(), "joints, or axes of a sensor"),
                    "units": many(text(), "SI, of every column"),
                    "stated_unit": text("of the log; may be empty"),
                    "origin": text("file and columns"),
                    "clock": text(),
                    "frame": text(),
                    "delay": number("[s]"),
                    "lowest": by_name(number()),
                    "highest": by_name(number()),
                    "missing": by_name(count(), "samples without a value, of columns that have some"),
                }
            )
        ),
        "findings": many(shared("finding")),
        "worst": word("error", "warning", "note", "", about="severity of the worst finding"),
        "files": FILES,
    }
)
SIMPLIFY: Kind = {
    "description": "what `fit` prints, and what was dropped",
    "allOf": [
        shared("fit"),
        record(
            {
                "simplified": record(
                    {
                        "parameters": record({"full": count(), "kept": many(text())}),
                        "dropped": many(record({"name": text(), "why": text()})),
                        "tested": many(
                            record(
                                {
                                    "log": text(),
                                    "relative_error": number(),
                                    "full_model": number("relative error of the full model"),
                                    "rmse": by_name(number("[N m], or [N]")),
                                }
                            )
                        ),
                        "tolerance": anything("that was asked for, or null"),
                        "tolerance_kept": maybe(flag()),
                        "ladder": shared("ladder"),
                        "rivals": many(
                            record(
                                {
                                    "rule": text(),
                                    "full": count(),
                                    "kept": count(),
                                    "held": number(),
                                    "tested": number(),
                                    "own": maybe(count()),
                                    "own_tested": number(),
                                    "refused": text(),
                                }
                            ),
                            "what other rules come to",
                        ),
                    }
                )
            }
        ),
    ],
}
SIMPLIFY_NEXT = record(
    VERSION
    | {
        "folder": text("of the stages"),
        "recorded": count("stages with logs"),
        "next": maybe(
            record(
                {
                    "stage": count(),
                    "motion": text("file to run"),
                    "log": text("file that is waited for"),
                    "parameters": many(text()),
                    "condition": number(),
                    "dropped": many(text()),
                    "why": text(),
                    "motions at most": count(),
                }
            )
        ),
        "ladder": maybe(shared("ladder")),
        "run": maybe(text(), "folder of the run, once it is written"),
    },
    "--next",
)
VALIDATE = record(
    VERSION | {"run": text(), "logs": many(text()), "verdict": shared("verdict"), "score": maybe(shared("score"))}
)
EXPORT = record(
    {
        "source": text("robot or run that was given"),
        "robot": text(),
        "verdict": maybe(text(), "level of the run's verdict"),
        "doubt": text("what speaks against using it; may be empty"),
        "files": many(
            record(
                {
                    "file": text(),
                    "format": text(),
                    "verdict": maybe(text(), "level of this file by itself, of a run that was tested"),
                    "relative_error": number("NRMSE on test motion of what the file can state"),
                    "reread_by": maybe(text(), "program that read it again"),
                    "torque_difference": number("largest, relative to the torque's size"),
                    "unverified": maybe(text(), "why nobody read it again"),
                    "carried": many(text(), "what the file holds"),
                    "lost": many(text(), "what it cannot hold"),
                    "friction": many(shared("carried")),
                }
            )
        ),
    }
)
_ERRORS = {"rms": number("[m]"), "largest": number("[m]")}
CONTROL = record(
    VERSION
    | {
        "robot": text(),
        "reference": text(),
        "controller": text(),
        "model": text("that the controller uses"),
        "friction_lacking": many(text()),
        "friction_at": text("wanted or measured velocity"),
        "omega": number("[rad/s]"),
        "period": number("[s]"),
        "lag": number("[s]"),
        "delay": number("[s]"),
        "encoders": anything("resolution and rate of the encoders, or null"),
        "duration": number("[s]"),
        "tool": record({"frame": text(), **_ERRORS}),
        "path": maybe(record(_ERRORS)),
        "push": anything("response to a push beside linear theory, or null"),
        "safety": record(
            {
                "rise": number(),
                "limited": number("share of the time"),
                "first": number("[s]"),
                "lost": number("share of the time"),
                "lost_first": number("[s]"),
                "unguarded": many(text(), "joints without an effort limit"),
            }
        ),
        "joints": by_name(
            record(
                {
                    "error_rms": number("[rad], or [m]"),
                    "error_largest": number("[rad], or [m]"),
                    "torque_peak": number("[N m], or [N]"),
                    "torque_margin": number("share of the limit that is left"),
                    "saturated": number("share of the time"),
                    "rate_held": number("share of the time"),
                }
            )
        ),
        "limits_left": LIMITS_LEFT,
        "files": FILES,
    }
)
REPORT = record(
    VERSION
    | {
        "run": text(),
        "file": text("the page"),
        "bytes": count(),
        "sections": many(text()),
        "missing": many(text(), "logs that are gone or changed, and not drawn"),
    }
)
COMPARE = record(
    VERSION
    | {
        "runs": many(record({"folder": text(), "verdict": shared("verdict")})),
        "summary": text(),
        "judged_on_the_same": flag(),
        "joints": many(
            record(
                {
                    "joint": text(),
                    "description": number("relative error of the nominal model"),
                    "first": number(),
                    "second": number(),
                    "second_description": number(),
                }
            )
        ),
        "parameters": many(
            record(
                {
                    "name": text(),
                    "first": number(),
                    "first_deviation": number(),
                    "second": number(),
                    "second_deviation": number(),
                    "apart": number("difference in standard deviations"),
                    "dropped": flag("whether one of the runs leaves it out"),
                }
            )
        ),
        "file": PAGE,
    }
)
RERUN = record(
    VERSION
    | {
        "run": text(),
        "same": flag("every number, to the last digit"),
        "largest_difference": number("of a value"),
        "compared": many(text()),
        "differ": many(text()),
        "folder": maybe(text(), "of the new run, if one was asked for"),
    }
)
VIEW = record({"address": text("to open in a browser"), "robot": text(), "joints": many(text()), "notes": many(text())})
GRAVITY = record(
    {
        "robot": text(),
        "logs": many(text()),
        "names": many(text(), "of the gravity parameters"),
        "values": many(number()),
        "deviations": many(number()),
        "seen": many(flag()),
        "method": text(),
        "description_off_by": number(),
        "friction": by_name(number()),
        "status": shared("status"),
        "unit": word("N m", "A", about="of what is predicted"),
        "predicted": maybe(
            record(
                {"torque": PER_JOINT, "description": PER_JOINT, "model": PER_JOINT},
                "RMS on parts of the logs that a first fit did not use: torque, residual of nominal and of gravity model",
            )
        ),
        "page": PAGE,
        "findings": STATED,
    }
)
PAYLOAD = record(
    VERSION
    | {
        "run": text("folder of the arm's run"),
        "logs": many(text()),
        "link": text("that carries the load"),
        "mass": number("[kg]"),
        "mass_deviation": number("[kg]; null: left open by the motion"),
        "centre": many(number(), "[m] in the link frame"),
        "centre_deviations": many(number(), "[m]; null: left open by the motion"),
        "parameters": many(
            record(
                {
                    "name": text(),
                    "value": number("physically consistent"),
                    "deviation": number("standard deviation; null: left open by the motion"),
                    "unit": text(),
                    "unconstrained": number("least squares without physical consistency"),
                }
            ),
            "the ten of the load, about the link's origin, in the link frame",
        ),
        "arm_scale": number("by which the standard deviations of the arm were multiplied; 1: as its run states them"),
        "noise": PER_JOINT,
        "status": shared("status"),
        "findings": many(shared("note")),
    }
)
DRIVES = record(
    {
        "robot": text(),
        "joints": many(text()),
        "gain": many(number(), "[N m/A], one per joint"),
        "deviations": PER_JOINT,
        "nominal": PER_JOINT,
        "factor": many(number(), "gain over nominal"),
        "identified": SEEN,
        "by_gravity": SEEN,
        "centre": many(number(), "[m] of the load"),
        "status": shared("status"),
        "doubt": text("may be empty"),
        "unused": many(record({"run": text(), "size": PER_JOINT, "error": PER_JOINT})),
        "worse": many(shared("note"), "joints that are predicted worse with these gains than without"),
        "load": by_name(many(number(), "[kg] mass and its standard deviation"), "with gains found and with nominal ones"),
        "page": PAGE,
        "findings": STATED,
    },
    "torque per ampere of every drive",
)
TORQUE_SENSORS = record(
    {
        "robot": text(),
        "joints": many(text()),
        **{name: PER_JOINT for name in ("gain", "gain_deviation", "offset", "offset_deviation")},
        **{name: PER_JOINT for name in ("position_gain", "position_offset", "noise")},
        **{name: SEEN for name in ("gain_seen", "offset_seen", "position_gain_seen", "position_offset_seen")},
        "attachment": many(number(), "[m] where the load is hung"),
        "unused": maybe(record({"reading": PER_JOINT, "plain": PER_JOINT, "calibrated": PER_JOINT})),
        "status": shared("status"),
        "doubt": text("may be empty"),
        "page": PAGE,
        "findings": STATED,
    },
    "--sensors",
)
TARE = record(
    {
        "mass": number("[kg]"),
        "mass_deviation": number("[kg]"),
        "centre": many(number(), "[m] in the sensor frame"),
        "bias": many(number(), "[N] and [N m]"),
        "weight": many(number(), "[N] in the base frame"),
        "deviations": many(number()),
        "noise": many(number(), "[N] and [N m]"),
        "drift": many(number()),
        "poses": count(),
        "predicted": maybe(many(number(), "[N] and [N m] on poses that were not fitted")),
        "held_out": by_name(record({"mass": number("[kg]"), "force": number("[N]"), "moment": number("[N m]")})),
        "constant_bias_mass": number("[kg]"),
        "findings": many(shared("finding")),
        "log": text(),
        "page": PAGE,
    }
)
CONVERT = record(
    {"log": text(), "samples": count(), "joints": many(text()), "channels": many(text()), "files": FILES},
)
TRACK = record(
    VERSION
    | {
        "robot": text(),
        "log": text(),
        "payload": maybe(text(), "link that carries it"),
        "rows": by_name(count(), "samples by what the filter did with them"),
        "noise": PER_JOINT,
        "never_excited": many(text()),
        "not_seen": many(text()),
        "unexplained": PER_JOINT,
        "last": many(
            record(
                {
                    "name": text(),
                    "value": number(),
                    "deviation": number(),
                    "unit": text(),
                    "seen": flag(),
                    "since": number("[s]"),
                }
            ),
            "the parameters at the end",
        ),
        "time": many(number(), "[s] of the rows of the file that was written"),
        "findings": many(text(), "codes of what checks found"),
    }
)
WALK_SIMULATE = record(
    VERSION
    | {
        "walker": text(),
        "samples": count(),
        "seconds": number(),
        "channels": many(text()),
        "torque_noise": number("[N m]"),
        "files": FILES,
    },
    "walk simulate",
    optional={
        "steps": count(),
        "fell": flag(),
        "way": number("[m]"),
        "gait": by_name(number()),
        "findings": STATED,
    },
)
WALK_FIT = record(
    {"format": text('format and version, such as "bifilar walk 1"')}
    | VERSION
    | {
        "walker": text(),
        "log": text(),
        "method": text(),
        "status": text("code"),
        "trusted": flag(),
        "strides": record({"fitted": count(), "held": count()}),
        "simulation_error": record({"horizon": number("[s]"), "identified": number(), "described": number()}),
        "parameters": many(
            record({"name": text(), "equation": text(), "value": number(), "deviation": number(), "described": number()})
        ),
        "covariance": many(many(number())),
        "notes": many(text()),
        "files": FILES,
    },
    "walk fit, and the file that it writes",
)
WALK_TRACK = record(
    VERSION
    | {
        "walker": text(),
        "log": text(),
        "model": text("description, or the file of a fit"),
        "filter": text(),
        "touchdowns": count(),
        "lost": flag(),
        "trusted": flag(),
        "surprise": number("mean squared innovation in units of its covariance"),
        "torso_deviation": number("[rad]"),
        "torso_error": number("[rad], where the truth is in the log"),
        "files": FILES,
    },
    "walk track",
    optional={"slope_degrees": number(), "slope_deviation_degrees": number()},
)
REPRODUCE = record(
    VERSION
    | {
        "page": text(),
        "name": text(),
        "citation": text(),
        "good": flag("whether every demand is met"),
        "claims": many(
            record(
                {
                    "where": text("figure or table"),
                    "what": text(),
                    "published": text(),
                    "ours": text(),
                    "asked": text(),
                    "good": maybe(flag(), "null: nothing is demanded"),
                }
            )
        ),
        "numbers": anything("by part of the paper"),
    }
)
BENCHMARK = record(
    {
        "robot": text(),
        "study": record(
            {"starts": count(), "repeats": count(), "seed": count()}
            | {name: number() for name in ("wrong", "duration", "rate", "bandwidth", "velocity_cutoff")}
        ),
        "levels": many(record({"name": text(), "position": number("[rad]"), "torque": number("[N m]")})),
        "names": many(text(), "of the parameters"),
        "truth": many(number()),
        "counted": many(flag(), "whether a parameter counts"),
        "summaries": many(
            record(
                {"method": text(), "noise": text(), "runs": count(), "failures": count(), "reasons": many(text())}
                | {name: number() for name in ("error", "bias", "spread", "torque", "coverage", "seconds")}
            )
        ),
        "runs": many(
            record(
                {
                    "method": text(),
                    "noise": text(),
                    "start": count(),
                    "repeat": count(),
                    "status": text(),
                    "sentence": text(),
                    "seconds": number(),
                    "values": maybe(many(number())),
                    "deviations": maybe(many(number())),
                    "torque": number("relative torque error"),
                    "failed": flag(),
                }
            )
        ),
    }
)
DATASETS = record(
    {
        "datasets": many(
            record(
                {
                    **{name: text() for name in ("name", "title", "kind", "licence", "citation", "repository")},
                    "notes": many(text()),
                    "runs": many(text()),
                    "scored": anything("what published numbers it is compared with"),
                    "files": many(record({"name": text(), "sha256": text(), "address": text("may be empty")})),
                }
            )
        )
    }
)
DOCTOR = record(
    VERSION
    | {
        "good": flag(),
        "machine": record(
            {name: text() for name in ("python", "python_path", "system", "processor")}
            | {name: count() for name in ("cores", "cores_usable", "threads")}
        ),
        "packages": many(
            record(
                {
                    "name": text(),
                    "version": text("empty: it is not installed"),
                    "needed": flag(),
                    "purpose": text(),
                    "present": flag(),
                }
            )
        ),
        "blas": many(record({"library": text(), "version": text(), "threads": count()})),
        "engine": text("numba or numpy"),
        "kernels": maybe(
            record(
                {"folder": text(), "writable": flag(), "warm": flag()}
                | {name: count() for name in ("kernels", "compiled", "size", "older", "removed")}
            ),
            "the cache of compiled kernels",
        ),
        "datasets": record({"folder": text(), "found": flag()}),
        "self_test": many(record({"name": text(), "error": number(), "passed": flag()})),
        "self_test_seconds": number(),
        "findings": many(shared("finding")),
    }
)
SCHEMAS = record(
    {
        "commands": by_name(text(), "commands that have --json, and what they do"),
    },
    "without a command",
)
SCHEMA = record(
    {
        "$schema": text(),
        "$id": text(),
        "title": text(),
        "description": text(),
        "anyOf": many(anything("a result, the last an error")),
        "$defs": by_name(anything("definition that is referred to")),
    },
    "a JSON Schema",
)
COMPLETION = record({"shell": text(), "script": text()})

RESULTS: dict[str, tuple[Kind, ...]] = {
    "demo": (DEMO,),
    "inspect": (INSPECT,),
    "design": (DESIGN, SWEEP, TARE_POSES, LIMITS),
    "simulate": (SIMULATE,),
    "check": (CHECK,),
    "fit": (shared("fit"),),
    "simplify": (SIMPLIFY, SIMPLIFY_NEXT),
    "validate": (VALIDATE,),
    "export": (EXPORT,),
    "control": (CONTROL,),
    "report": (REPORT,),
    "compare": (COMPARE,),
    "rerun": (RERUN,),
    "view": (VIEW,),
    "gravity": (GRAVITY,),
    "payload": (PAYLOAD,),
    "calibrate": (DRIVES, TORQUE_SENSORS),
    "tare": (TARE,),
    "convert": (CONVERT,),
    "track": (TRACK,),
    "walk": (WALK_SIMULATE, WALK_FIT, WALK_TRACK),
    "reproduce": (REPRODUCE,),
    "benchmark-methods": (BENCHMARK,),
    "datasets": (DATASETS,),
    "doctor": (DOCTOR,),
    "schema": (SCHEMA, SCHEMAS),
    "completion": (COMPLETION,),
}

"""Sentences about export, by key (see `bifilar.messages`)."""

from __future__ import annotations

from bifilar.messages import Message

MESSAGES = {
    "export.base_parameters": Message(
        (
            "these are base parameters: {format} needs mass and inertia of every link, and torque determines "
            "only combinations of them"
        ),
        likely="a fit by least squares, which gives base parameters",
        remedy=(
            "fit physically consistent parameters ('bifilar fit ROBOT LOG --method consistent'), or write .json, .csv, .py or C"
        ),
    ),
    "export.c_differs": Message(
        "the written C gives other numbers than bifilar",
        remedy="nothing was written; this is a bug of bifilar",
        listed=("compiler", "says"),
    ),
    "export.c_fails": Message(
        "the written C does not compile",
        remedy="nothing was written; CC=... names another compiler",
        listed=("compiler", "says"),
    ),
    "export.compiler": Message(
        "'{basename}' did not run: {error}", remedy="nothing was written; CC=... names another compiler"
    ),
    "export.ending": Message("a robot is not written as '{suffix}'", remedy="{forms}"),
    "export.ending/none": Message("the name of the file has no ending", remedy="{forms}"),
    "export.folder": Message("C code is a folder of several files", remedy="name a folder and the format: -o {stem}_c --to c"),
    "export.format_unknown": Message("there is no format '{word}'", remedy="one of {known:join}"),
    "export.function": Message(
        "np.{name} cannot be written as code", remedy="write the formula with {known:join} and arithmetic"
    ),
    "export.incomplete/read_sdf": Message("<{tag}> is missing in the written SDF"),
    "export.incomplete/table": Message("'{missing}' is missing in the written table"),
    "export.joints_differ/read_sdf": Message(
        "the written SDF has other joints than the robot", likely="names that SDF cannot hold"
    ),
    "export.joints_differ/yaml_file": Message("the written YAML has other joints or links than the robot"),
    "export.massless": Message(
        "link '{name}' has a first moment but no mass: it has no centre of mass",
        remedy="fit with physical consistency, or write a table: .json or .csv",
    ),
    "export.mujoco_refuses": Message("MuJoCo does not take the written MJCF: {refusal}", remedy="nothing was written"),
    "export.not_read_again": Message(
        "the written {format} cannot be read again ({kind}: {error})",
        likely="names that the format cannot hold",
        remedy="nothing was written",
    ),
    "export.numpy_differs": Message(
        "'{worst}' of the written Python is off by {off:.1g} of its size",
        remedy="nothing was written; allowed is {largest:g}, this is a bug of bifilar",
    ),
    "export.sdf_massless": Message(
        "link '{refused}' has a first moment but no mass, which SDF cannot state",
        remedy="fit with physical consistency, or write a table: .json or .csv",
    ),
    "export.subject": Message("a robot or an estimate is written, not {kind}"),
    "export.torque_differs": Message(
        "joint torques of the written file, read again by {reader}, are off by {off:.1g} of their size",
        likely="numbers that the format rounds or cannot hold (a link with nearly no mass?)",
        remedy="nothing was written; allowed is {largest:g}. Try another format, or 'bifilar inspect' on the robot",
    ),
    "export.twice/table": Message(
        "the written table has the name '{name}' twice", likely="names that look alike to the format"
    ),
    "export.twice/yaml_file": Message("the written YAML has the key '{entry}' twice"),
    "folder.busy/file_lock": Message(
        "another command is at work in this folder", remedy="wait until it has ended; nothing was changed"
    ),
    "folder.busy/run_folder": Message("other runs keep taking the name", remedy="choose another name"),
    "folder.busy/run_reader": Message("the folder keeps being replaced", remedy="wait until other runs have ended"),
    "folder.no_run/run_folder": Message("this is not the folder of a run, and is not replaced", remedy="choose another name"),
    "folder.taken/named": Message("another run took the name meanwhile", remedy="run it again"),
    "folder.taken/run_folder": Message("the folder exists", remedy="choose another name, or replace it with --force"),
    "folder.unusable": Message(
        "the folder cannot be used: {strerror}", remedy="check that the folder may be written and has space, or name another"
    ),
    "folder.unwritable/run_folder": Message(
        "the run cannot be written: {strerror}",
        remedy="check that the folder may be written and has space; nothing was changed",
    ),
    "folder.unwritable/write_code": Message(
        "the folder cannot be written: {strerror}", remedy="check that the folder exists, may be written and has space"
    ),
    "robot.floating/trace_model": Message(
        "code is written for robots on a fixed base; this one floats",
        remedy="load it with floating=False, or write its description instead (.urdf, .xml, .sdf)",
        cli="write its description instead (.urdf, .xml, .sdf)",
    ),
    "robot.no_joints": Message("the robot has no joint that moves: there are no equations to write"),
}

"""Sentences about export, by key (see `bifilar.messages`)."""

from __future__ import annotations

from bifilar.messages import Message

MESSAGES = {
    "export.base_parameters": Message(
        "this run identified base parameters; {format} needs mass and inertia of every link, of which torque "
        "determines combinations only",
        likely="a fit by least squares",
        remedy=(
            "fit physically consistent parameters ('bifilar fit ROBOT LOG --method consistent'), or write .json, .csv, .py or C"
        ),
    ),
    "export.c_differs": Message(
        "the generated C code computes other torques than bifilar",
        remedy="report this bug of bifilar; nothing was written",
        listed=(
            "compiler",
            "says",
        ),
    ),
    "export.c_fails": Message(
        "the generated C code does not compile",
        remedy="choose another compiler with CC=...; nothing was written",
        listed=(
            "compiler",
            "says",
        ),
    ),
    "export.compiler": Message(
        "'{basename}' could not be run: {error}", remedy="choose another compiler with CC=...; nothing was written"
    ),
    "export.ending": Message("a robot cannot be written as '{suffix}'", remedy="use {forms}"),
    "export.ending/none": Message("the name of the file has no ending", remedy="use {forms}"),
    "export.folder": Message("C code is a folder of several files", remedy="name a folder and the format: -o {stem}_c --to c"),
    "export.format_unknown": Message("there is no format '{word}'", remedy="use one of {known:join}"),
    "export.function": Message(
        "np.{name} cannot be translated to code", remedy="write the formula with {known:join} and arithmetic"
    ),
    "export.incomplete/read_sdf": Message("<{tag}> is missing in the written SDF"),
    "export.incomplete/table": Message("'{missing}' is missing in the written table"),
    "export.joints_differ/read_sdf": Message(
        "the written SDF and the robot have different joints", likely="names that SDF cannot hold"
    ),
    "export.joints_differ/yaml_file": Message("the written YAML and the robot have different joints or links"),
    "export.massless": Message(
        "link '{name}' has a first moment but no mass: it has no centre of mass",
        remedy="identify physically consistent parameters, or write a table: .json or .csv",
    ),
    "export.mujoco_refuses": Message(
        "MuJoCo does not accept the written MJCF: {refusal}", remedy="try another format; nothing was written"
    ),
    "export.not_read_again": Message(
        "the written {format} cannot be read again ({kind}: {error})",
        likely="names that the format cannot hold",
        remedy="try another format; nothing was written",
    ),
    "export.numpy_differs": Message(
        "'{worst}' of the generated Python code differs by a relative {off:.1g}, more than {largest:g}",
        remedy="report this bug of bifilar; nothing was written",
    ),
    "export.sdf_massless": Message(
        "link '{refused}' has a first moment but no mass, which SDF cannot state",
        remedy="identify physically consistent parameters, or write a table: .json or .csv",
    ),
    "export.subject": Message("only a robot or an estimate can be written, not {kind}"),
    "export.torque_differs": Message(
        "joint torques of the written file, read again by {reader}, differ by a relative {off:.1g}, more than {largest:g}",
        likely="numbers that the format rounds or cannot hold (a link with almost no mass?)",
        remedy="use another format, or look at the robot with 'bifilar inspect'; nothing was written",
    ),
    "export.twice/table": Message(
        "the written table has the name '{name}' twice", likely="names that look alike to the format"
    ),
    "export.twice/yaml_file": Message("the written YAML has the key '{entry}' twice"),
    "folder.busy/file_lock": Message("another command uses this folder", remedy="wait until it has ended; nothing was changed"),
    "folder.busy/run_folder": Message("other runs keep using the name", remedy="choose another name"),
    "folder.busy/run_reader": Message("the folder keeps being replaced", remedy="wait until other runs have ended"),
    "folder.no_run/run_folder": Message("this folder does not hold a run, and is not replaced", remedy="choose another name"),
    "folder.taken/named": Message("another run used the name meanwhile", remedy="run it again"),
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
        "code is generated for robots with a fixed base; this one has a floating base",
        remedy="load it with floating=False, or write a model file instead (.urdf, .xml, .sdf)",
        cli="write a model file instead (.urdf, .xml, .sdf)",
    ),
    "robot.no_joints": Message("the robot has no moving joint, so there are no equations to generate"),
}

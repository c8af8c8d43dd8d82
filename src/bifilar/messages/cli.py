"""Sentences about cli, by key (see `bifilar.messages`)."""

from __future__ import annotations

from bifilar.messages import Message

MESSAGES = {
    "back/stream": Message("goes back, {count} times", remedy="sort the rows, or cut the log at these points"),
    "bug": Message("internal error: {kind}: {error}. This is a bug in bifilar; BIFILAR_DEBUG=1 shows the traceback"),
    "calibrate.joint_worse": Message(
        "calibration makes {joint} worse: on test motion its error is {ratio:.2g} times that with the nominal gain",
        remedy="keep its nominal gain: leave it out of --gain",
    ),
    "dataset.no_recording/public_sets": Message(
        "'{set}' is a public {kind} and holds no recording", remedy="'bifilar datasets' lists recordings{robot}"
    ),
    "dataset.no_run/one": Message("'{set}' has no run '{part}'", likely="the set has a single run", remedy="name it: {first}"),
    "dataset.no_run/public_sets": Message(
        "'{set}' has no run '{part}'",
        likely=(
            "a misspelling of {near:quoted}",
            "known are {choices:join}",
        ),
        remedy="for example {first}",
    ),
    "delay/decided": Message("{thing}"),
    "delay/fit_delay": Message(
        "the torque of {name} {thing}, and blocks or joints disagree about the delay: the parameters are biased "
        "(--log-delay {seconds:.4g} shifts the torque, --log-delay 0 leaves it)"
    ),
    "delay_inconsistent": Message(
        "{thing}",
        remedy="Recording.load(..., log_delay=...), 0 if there is none",
        cli="--log-delay SECONDS, if you know it; --log-delay 0 if there is none",
    ),
    "disk.full": Message("the file cannot be written: {strerror}", remedy="free some disk space, or write elsewhere"),
    "doctor.cache_unwritable": Message(
        "{folder} is not writable: kernels are compiled again in every process", remedy="set BIFILAR_CACHE to a writable folder"
    ),
    "doctor.numpy_engine": Message(
        "NumPy by request (BIFILAR_ENGINE); numba is some ten times faster", remedy="unset BIFILAR_ENGINE"
    ),
    "doctor.robot": Message("{thing}", remedy="{advice}"),
    "doctor.self_test": Message("the self-test failed: {kind}: {error}", remedy="BIFILAR_ENGINE=numpy may work"),
    "duplicate/stream": Message("repeats, {count} times", remedy="give the sampling rate, rate=... (--rate), or a clock"),
    "duplicate/stream_few": Message("repeats, {count} times", remedy="nothing for a few: repeated timestamps are left out"),
    "file.forbidden": Message(
        "permission denied: {strerror}", remedy="choose another folder, or get permission to read and write this one"
    ),
    "file.is_folder": Message("'{first}' is a folder", remedy="choose another name"),
    "file.not_text/control_words": Message(
        "the file is not text",
        remedy='write for example: kind = "circle"; center = [-0.4, 0.0, 0.6]; radius = 0.12; plane = "yz"',
    ),
    "file.not_text/settings_file": Message("the file is not text", remedy="name a .toml file with lines such as: cutoff = 8.0"),
    "file.other_kind/design_words": Message(
        "this is a recording, not a motion", remedy="name the trajectory that was played, as 'bifilar design' wrote it"
    ),
    "file.taken/design_files": Message(
        "'{name}'{more} exist{words} already", likely="an earlier page", remedy="--force replaces it, or choose another name"
    ),
    "file.taken/may_be_written": Message(
        "'{name}'{more} exist{words} already",
        likely="an earlier run; its recordings may need it",
        remedy="--force replaces it, or choose another name",
    ),
    "file.too_large/control_words": Message(
        "the file is too large for a path",
        remedy='write for example: kind = "circle"; center = [-0.4, 0.0, 0.6]; radius = 0.12; plane = "yz"',
    ),
    "file.too_large/settings_file": Message("the file is too large for settings", remedy="name a .toml file"),
    "file.unreadable/control_words": Message("the path cannot be read: {strerror}", remedy="check the name"),
    "file.unreadable/settings_file": Message("the settings cannot be read: {strerror}", remedy="check the path"),
    "folder.is_file/demo_story": Message("this is a file; the demo writes a folder", remedy="-o with another name"),
    "folder.is_file/fit_folder": Message("this is a file; a run is written into a folder", remedy="choose another name"),
    "folder.is_file/simplify_folder": Message(
        "this is a file; --next names a folder", remedy="name another folder with --next"
    ),
    "folder.missing": Message("there is no folder '{folder}'", remedy="make it, or choose another"),
    "folder.no_run/export_run": Message(
        "this folder was not written by 'bifilar fit'",
        likely="it has no run.json or no estimate.json",
        remedy="name the folder of a run (runs/NAME-001), or a robot's file",
    ),
    "folder.no_run/fit_folder": Message("this folder holds no run", remedy="name the folder that 'bifilar fit' wrote"),
    "folder.strange/demo_story": Message(
        "the folder holds files that no demo wrote: {strange}", remedy="-o with a new or empty folder"
    ),
    "folder.strange/fit_folder": Message(
        "the folder holds files that are not part of a run: {strange}{more}", remedy="choose another name"
    ),
    "folder.strange/simplify_folder": Message(
        "the folder holds files that are not part of a simplification: {strange}", remedy="name a new folder with --next"
    ),
    "folder.taken/fit_folder": Message("the folder exists already", remedy="{forced_by}choose another name"),
    "folder.taken/fit_run": Message("no free name for the run's folder was found", remedy="name the folder: -o runs/mine"),
    "folder.unwritable/demo_story": Message("the folder cannot be made: {strerror}", remedy="-o with another folder"),
    "folder.unwritable/design_files": Message("the folder '{folder}' is not writable", remedy="choose another"),
    "folder.unwritable/fit_folder": Message("'{above}' {why}: no folder can be made there", remedy="choose another"),
    "folder.unwritable/simplify_folder": Message("the folder cannot be made: {strerror}", remedy="name another folder"),
    "friction.no_evidence": Message(
        "--friction choose needs recordings to compare the terms on; this command has none",
        remedy="--friction usual, or terms: viscous+coulomb+offset",
    ),
    "friction.no_value/simulate_words": Message(
        "--friction '{word}' gives no values",
        likely="a simulated robot needs numbers: there are no recordings to identify them from",
        remedy="{words:join}, or terms with values: --friction viscous=0.5 joint3.coulomb=0.2",
    ),
    "friction.no_value/valueless": Message(
        "--friction '{word}' gives no values",
        remedy="{words:join}, or terms with values: --friction viscous=0.5 joint3.coulomb=0.2",
    ),
    "friction.refused": Message("--friction: {thing}", listed=("terms", "settings", "names", "joints")),
    "friction.values": Message(
        "--friction: {given_count} values for {term_text}, which has {name_count}: {names:join}",
        remedy="--friction viscous=0.5 joint3.coulomb=0.2",
    ),
    "gap/stream": Message(
        "jumps by more than 5 sampling intervals, by up to {longest:.4g} s, {count} times",
        remedy="nothing: segments are processed separately",
    ),
    "joint.unknown/control_words": Message("--push: there is no joint '{joint}'", listed=("joints",)),
    "joint.unknown/simulate_words": Message(
        "--friction: there is no joint '{rpartition}'", remedy="--friction viscous=0.5 joint3.coulomb=0.2", listed=("joints",)
    ),
    "known": Message("{thing}"),
    "limits.missing/design_facts": Message(
        "the motion cannot be designed without limits; not known: {which:join|; }",
        likely="a continuous joint, or a URDF without <limit>",
        remedy=(
            "bifilar design {robot} --write-limits limits.toml, fill it in, then add --limits limits.toml; or "
            "--max-velocity X for all joints"
        ),
    ),
    "limits.missing/simulate_words": Message(
        "typical friction is computed from effort and velocity limits, and some are not known",
        remedy="give --limits, or values such as --friction viscous=0.5 coulomb=0.2",
    ),
    "load.heavy": Message(
        "--mass {mass:g} kg is {mass_2:.2g} times the mass of the arm itself, {weight:.3g} kg",
        likely="the mass is in grams",
        remedy="--mass {mass_3:g}, in kilograms; --anyway accepts it as it is",
    ),
    "lock.elsewhere": Message(
        "--lock {name}: the joint is to be held at {instant:.3g}, but is at {median:.3g} in '{log}'",
        likely="a recording in another pose, or a wrong position after --lock",
        remedy="use logs in which {name} has the same position, or --lock without a position",
    ),
    "lock.moves": Message(
        "--lock {name}: the joint moves from {low:.3g} to {high:.3g} in '{log}'",
        likely="the joint was not held during the recording",
        remedy="leave {name} out of --lock",
    ),
    "log.refused/check": Message("{thing}", likely="{cause}", remedy="correct {written}, then: {command}", listed=("written",)),
    "log.refused/fit_run": Message("{place}: {thing}{more}"),
    "log.twice/name": Message("'{name}' is given twice", remedy="give it once"),
    "log.twice/samples": Message("'{name}' holds the same samples as '{other}'", remedy="give one of them"),
    "log.unknown": Message(
        "there is no file '{name}', nor a public set of that name",
        likely=("a misspelling of {near:quoted}", "known are {choices:join}"),
        remedy="give a file; 'bifilar datasets' lists public recordings",
    ),
    "memory.full": Message("not enough memory", remedy="close other programs, or use fewer samples"),
    "method.unknown/benchmark_methods_study": Message("--methods {word}: there is no such method", listed=("methods",)),
    "model.other_joints/control_words": Message(
        "the model and the robot have different joints",
        remedy="name a run of this robot",
        listed=(
            "model",
            "robot",
        ),
    ),
    "motion.too_short/design_facts": Message(
        "the motion has a single sample", remedy="name a trajectory with at least two samples"
    ),
    "nan/check_stream": Message(
        "{count:,} of {samples:,} values are NaN", likely="lost messages", remedy="nothing: these samples are left out"
    ),
    "nan_time/stream": Message("is NaN, {count} times", remedy="these samples cannot be used"),
    "noise.unknown/design_facts": Message(
        "the torque noise is not known: it is taken as {100*noise:g} % of the effort limit, and {unknown:join} have none",
        remedy="give effort limits with --limits or --max-effort, or the noise with --noise, in N m",
    ),
    "orientation.missing": Message(
        "the log holds no orientation of the sensor",
        remedy="add columns qx qy qz qw, or compute it from the joints with --robot arm.urdf --link tool0",
    ),
    "package.missing/doctor_facts": Message("is not installed", remedy="install bifilar again into this environment"),
    "package.missing/guard": Message(
        "the package '{name}' is missing", remedy="install bifilar again into this environment, with all its dependencies"
    ),
    "package.old": Message(
        "version {version} is installed, {least} or newer is required", remedy="install bifilar again into this environment"
    ),
    "paper.unknown": Message("unknown paper '{paper}'", listed=("papers",)),
    "path.form/control_words": Message(
        "'{word}' needs its dimensions", remedy="circle:-0.4,0,0.6:0.12:yz or line:0.4,-0.1,0.5:0.4,0.1,0.5"
    ),
    "path.form/control_words_spoken": Message(
        "'{word}' is not circle:CENTRE:RADIUS or circle:CENTRE:RADIUS:PLANE", remedy="circle:-0.4,0,0.6:0.12:yz"
    ),
    "path.form/reference_of": Message(
        "a path of poses is read from a file", remedy="name a .toml file with kind, points and optionally quaternions"
    ),
    "path.form/spoken": Message("'{word}' is not line:FROM:TO", remedy="line:0.4,-0.1,0.5:0.4,0.1,0.5"),
    "path.key/control_words": Message(
        "'{strange:join}' is not a key of a {kind}", remedy="use these keys, each once", listed=("keys",)
    ),
    "path.key/from_toml": Message("the {kind} lacks '{missing:join}'", remedy="give these keys, each once", listed=("keys",)),
    "path.unknown/control_words": Message(
        "there is no path '{kind}'",
        likely=("a misspelling of {near:quoted}", "known are {choices:join}"),
        remedy="circle:-0.4,0,0.6:0.12:yz or line:0.4,-0.1,0.5:0.4,0.1,0.5",
    ),
    "path.unknown/control_words_from_toml": Message(
        "there is no path '{kind}'",
        remedy='such as: kind = "circle"; center = [-0.4, 0.0, 0.6]; radius = 0.12; plane = "yz"',
        listed=("kinds",),
    ),
    "path.unknown/from_toml": Message(
        "the file does not say what kind of path it is",
        remedy='such as: kind = "circle"; center = [-0.4, 0.0, 0.6]; radius = 0.12; plane = "yz"',
        listed=("kinds",),
    ),
    "path.unreadable": Message(
        "the {kind} cannot be constructed: {error}", remedy="give numbers, and lists of three numbers for points"
    ),
    "payload.arm_verdict": Message(
        "the verdict on the arm's model is {level}: its covariance may be too small, and with it these error bars"
    ),
    "poses.none/tare": Message(
        "the arm never moves slower than {slow:g} rad/s", remedy="hold it in some poses, or move it slowly"
    ),
    "robot.other/log_words": Message(
        "'{name}' was recorded on another robot than '{name_2}'",
        likely="models of one machine whose joints have different names",
        remedy="name {set}:robot in its place",
    ),
    "robot.other/view": Message("the run is of another robot: {thing}", remedy="bifilar view {folder}"),
    "robot.unknown/public_robot": Message(
        "'{text}' is not a robot",
        likely=(
            "a misspelling of {near:quoted}",
            "known are {choices:join}",
        ),
        remedy="{set}:robot is the robot that was recorded",
    ),
    "robot.unknown/public_sets": Message(
        "'{text}' is not a robot", likely="a recording of the public set", remedy="{set}:robot is the robot that was recorded"
    ),
    "run.base_parameters": Message(
        "this run identified base parameters only, not the parameters of each link",
        remedy="fit physically consistent parameters: bifilar fit ... --method consistent",
    ),
    "run.changed/gone": Message("'{file}' no longer exists", remedy="put the file back, or start a new run with 'bifilar fit'"),
    "run.changed/rerun": Message(
        "'{file}' has changed since the run was made", remedy="put the file back, or start a new run with 'bifilar fit'"
    ),
    "samples.none/check_stream": Message("the log holds no samples", remedy="name another file, or record again"),
    "sensors.unknown": Message(
        "the walker's sensors, their positions and noise are not stated",
        remedy="--sensors imu, or a .toml file such as 'bifilar walk simulate' writes",
    ),
    "settings.key_unknown": Message(
        "'{entry}' is not a setting of 'bifilar {verb}'",
        likely=("a misspelling of {near:quoted}", "a setting of another command, which stands below [{table}]"),
        remedy="bifilar {verb} --help",
        listed=("settings",),
    ),
    "settings.value/settings_file": Message("{entry} = {toml} is not one of {get_args:join}"),
    "settings.value/value": Message("{entry} = {toml} is not {wanted}", remedy="give {entry} as {wanted}"),
    "shape.wrong/tare": Message(
        "the wrench has the shape {shape}, but there are {rotation_count} poses",
        remedy="give (poses, 6): force and moment per pose",
    ),
    "simplify.changed/refuse_other": Message(
        "the folder was begun with {words}",
        likely="a robot model that was changed since",
        remedy="restore it, or start another folder: its motions are certified only for the robot they were designed for",
    ),
    "simplify.changed/simplify_folder": Message(
        "'{name}' {thing}: the motion of stage {number} was designed from it",
        remedy="restore it, or remove the files of stage {number} and later stages and continue from the new log",
    ),
    "simplify.changed/simplify_next": Message(
        "--{word} {given} differs from the {stored} that the folder was started with",
        remedy="leave --{word} out, or start another folder",
    ),
    "simplify.changed/simplify_next_refuse_other": Message(
        "the folder was begun with {words}",
        likely="a limits file that was changed since",
        remedy=("restore it, or start another folder: its motions are certified only for the limits they were designed for"),
    ),
    "simplify.log_missing": Message(
        "'{name}' exists, '{name_2}' does not",
        likely="a log with a wrong number",
        remedy="give it the number of the motion that was run",
    ),
    "simplify.other_motion": Message(
        "{names:join} {log_count:one=moves|move} through {100*share:.0f} % of the range of the motion in '{file}'",
        likely="the log of another motion, of the same at a lower speed, or one that ended early",
        remedy="run {file} at full speed and record it; --anyway accepts the log as it is",
    ),
    "system.exhausted": Message("a system resource is exhausted: {strerror}", remedy="close other programs"),
    "test.fitted/fit_run": Message(
        "'{other}' holds samples that are {used}: it is not a held-out test",
        remedy="evaluate on a log of another motion, or leave this one out",
    ),
    "test.fitted/validate": Message(
        "'{name}' was used in the fit of this run: it is not a held-out test", remedy="evaluate on a log of another motion"
    ),
    "toml.invalid/control_words": Message(
        "this is not TOML: {thing}", remedy='such as: kind = "circle"; center = [-0.4, 0.0, 0.6]; radius = 0.12; plane = "yz"'
    ),
    "toml.invalid/settings_file": Message("this is not TOML: {thing}", remedy='write such as: friction = "usual"'),
    "torque.missing/fit_run": Message(
        "the log holds no torque",
        likely="currents only, or a column with another name",
        remedy="bifilar check {name} --write-mapping map.toml, correct the file, then --mapping map.toml",
    ),
    "torque.scale": Message(
        "the recorded torque is {number:.2g} times the model's, and the identified masses are off by the same "
        "factor ({cause}; declare it with --unit or a mapping, or accept it with --anyway if the nominal masses "
        "are that wrong)"
    ),
    "torque.uneven": Message(
        "the torque of '{name}' is {ratio:.3g} times that of '{other}'",
        likely="currents in mA in one log and in A in the other, or mN m and N m",
        remedy="{convert}, then name right.csv; --anyway accepts them as they are",
    ),
    "unit.mixed/one_unit": Message(
        "the motion in '{least}' is {times:.0f} times smaller than in '{most}', and both were read with --unit {said}",
        likely="one log is in degrees, the other already in radians",
        remedy="{typed_command}, then name {rpartition}.parquet, without --unit",
    ),
    "unit.mixed/refuse_two_units": Message(
        "the motion in '{least}' is {times:.0f} times smaller than in '{most}', and both were read with --unit {said}",
        likely="logs in different units",
        remedy="{typed_command}, then name {rpartition}.parquet, without --unit",
    ),
    "usage.command_unknown/init__": Message(
        "there is no command '{verb}'", likely="'inspect' was left out", remedy="bifilar inspect {robot}"
    ),
    "usage.command_unknown/init___unknown": Message(
        "there is no command '{verb}'", remedy="bifilar --help", listed=("commands",)
    ),
    "usage.command_unknown/known": Message("there is no command '{command}'", remedy="bifilar schema", listed=("commands",)),
    "usage.command_unknown/schema": Message(
        "there is no command '{command}'",
        likely="a misspelling of '{near:join}'",
        remedy="bifilar schema {near:join}",
        listed=("commands",),
    ),
    "usage.command_unknown/unknown": Message(
        "there is no command '{verb}'", likely="a misspelling of '{near:join}'", remedy="bifilar --help", listed=("commands",)
    ),
    "usage.exchanged/exchanged": Message("{thing} are in the wrong order", remedy="{command}"),
    "usage.exchanged/log_of": Message("'{log}' is a robot model, not a log", remedy="name a recording in its place"),
    "usage.exchanged/log_words": Message(
        "'{log}' is a robot model, not a log", remedy="give the log first, then --robot {log}"
    ),
    "usage.lock/held": Message("--lock holds every joint", remedy="name fewer joints, or a narrower pattern"),
    "usage.lock/number": Message("--lock '{word}': '{text}' is not a position", remedy="--lock joint2=-0.5, in rad or m"),
    "usage.lock/simplify_next": Message(
        "--lock {loose} needs the position at which the joint is held",
        remedy="--lock {loose}=0, in rad or m: the motions are designed for this position",
    ),
    "usage.missing/calibrate_sensors": Message(
        "the positions of the load are not given",
        remedy="--moved 0 0 0 0.1 0 0: x y z relative to the first position, for each log",
    ),
    "usage.missing/design": Message("{missing} is missing", remedy="bifilar design {robot} --duration 20 -o excite.csv"),
    "usage.missing/design_sweep": Message("-o is missing", remedy="bifilar design {robot} --kind sweep -o sweeps.csv"),
    "usage.missing/design_tare": Message("-o is missing", remedy="bifilar design {robot} --kind tare -o poses.csv"),
    "usage.missing/export_run": Message("no output file is given", remedy="bifilar export {source} -o {name}.urdf"),
    "usage.missing/simplify_next": Message(
        "--duration is missing", remedy="bifilar simplify {robot} --next {next} --duration 20"
    ),
    "usage.no_log/fit_run": Message("no log is given", remedy="bifilar fit arm.urdf run.csv"),
    "usage.no_log/gravity": Message("no log is given", remedy="bifilar gravity {robot} poses.csv"),
    "usage.no_log/payload": Message("no log is given", remedy="bifilar payload {run} loaded.csv"),
    "usage.no_log/simplify": Message(
        "no log is given", remedy="bifilar simplify {robot} run.csv, or --next FOLDER to design motions step by step"
    ),
    "usage.no_log/validate": Message("no log is given", remedy="bifilar validate {run} other.csv"),
    "usage.no_log/walk": Message("there is no log to {thing}", remedy="bifilar walk {thing} {walker} walk.csv"),
    "usage.no_robot": Message("--lock needs a robot", remedy="--robot arm.urdf --lock finger1"),
    "usage.not_for/control_facts": Message(
        "--friction-at is for computed torque, not {controller}", remedy="leave --friction-at out"
    ),
    "usage.not_for/control_facts_motion": Message(
        "{extra} is for Cartesian paths; a joint motion has its own timing", remedy="leave {extra} out"
    ),
    "usage.not_for/design_sweep": Message("{who} do not use --{name}", remedy="leave --{name} out"),
    "usage.not_for/inspect": Message(
        "whether the robot of a public set has a floating base is stated in its entry", remedy="leave out --floating"
    ),
    "usage.not_for/log_of": Message("the run of a public set is part of its name", remedy="{set}:{run} in place of {log}"),
    "usage.not_for/log_words": Message("'{log}' is a public set: its entry states this already", remedy="leave out --{first}"),
    "usage.not_for/log_words_log_of": Message("--run is for mappings with {{run}} in file names", remedy="leave it out"),
    "usage.not_for/motion": Message(
        "path following needs a Cartesian path", remedy="give circle:..., line:... or a .toml file"
    ),
    "usage.not_for/walk": Message("--{wrong} belongs to 'walk {verb}'", remedy="leave it out"),
    "usage.option_unknown": Message("{thing}", likely="{cause}", remedy="bifilar {verb} --help"),
    "usage.option_unknown/verb": Message("there is no option '{verb}'", remedy="bifilar --help"),
    "usage.refused": Message("{thing}", likely="{cause}", remedy="bifilar {verb} --help"),
    "usage.together/calibrate": Message("--{word} cannot be used {how} --sensors", remedy="leave it out"),
    "usage.together/calibrate_drives": Message(
        "--test-free and --test-loaded are needed together", remedy="give test runs without and with the load"
    ),
    "usage.together/check": Message(
        "--write-mapping is for a log without a mapping", remedy="leave out --mapping, or --write-mapping"
    ),
    "usage.together/control_facts": Message(
        "--model and --model-error are both given", remedy="leave --model-error out: the model of a run has its own errors"
    ),
    "usage.together/method_of": Message("--judged needs --stop validation without --tolerance", remedy="leave one of them out"),
    "usage.together/simplify_next": Message(
        "logs cannot be given together with --next", remedy="put them into '{next}' as log-01.csv, log-02.csv, ..."
    ),
    "usage.together/simplify_run": Message("--slack needs --stop validation", remedy="leave one of them out"),
    "usage.together/tare": Message(
        "--inverted is for logged quaternions, but --robot computes the orientations", remedy="leave one of them out"
    ),
    "usage.together/view": Message("two runs are given", remedy="bifilar view ROBOT --run {run}"),
    "usage.twice/export_run": Message("'{twice}' is given twice", remedy="give each file once"),
    "usage.twice/settings_file": Message("--settings is given twice", remedy="put everything into one file"),
    "usage.value/benchmark_methods_study": Message(
        "--starts and --repeats must be at least 1", remedy="leave them out for the defaults"
    ),
    "usage.value/calibrate": Message("--mass {mass:g} is not positive", remedy="--mass 2.8, in kilograms"),
    "usage.value/calibrate_sensors": Message(
        "--moved has {moved_count} numbers for {count} loaded log{count:one=|s}",
        remedy="give x y z for each log: --moved 0 0 0",
    ),
    "usage.value/check": Message("--omega {omega:g} is not a bandwidth", remedy="--omega 20, in rad/s"),
    "usage.value/control_facts": Message(
        "--torque {torque:g} is not between 0 and 1", remedy="--torque 0.5, as a fraction of the torque limits"
    ),
    "usage.value/control_facts_check": Message("--slip {slip:g} is not positive", remedy="--slip 0.05, in rad/s"),
    "usage.value/control_facts_check_2": Message("--rise {rise:g} is not positive", remedy="--rise 0.05, in seconds"),
    "usage.value/control_facts_check_3": Message(
        "--compensate {compensate:g} is not between 0 and 1", remedy="--compensate 0.7"
    ),
    "usage.value/control_facts_check_4": Message(
        "--model-error {model_error:g} is not between 0 and 0.33", remedy="--model-error 0.05"
    ),
    "usage.value/control_words": Message("{option}: '{text}' is not x,y,z", remedy="{example}"),
    "usage.value/control_words_push_of": Message(
        "--push from {start:g} s to {stop:g} s is not inside the motion of {duration:g} s", remedy="--push joint4=20:1,1.6"
    ),
    "usage.value/delay_of": Message(
        "--log-delay {given} is not a delay in seconds",
        remedy="--log-delay 0.005: seconds by which the torque is late, at most {longest:g}; or --log-delay auto",
    ),
    "usage.value/demo": Message("--duration {duration:g} is not positive", remedy="--duration 10, in seconds"),
    "usage.value/demo_run": Message("--seed {seed} is negative", remedy="--seed 0 or more"),
    "usage.value/design": Message("--starts {starts} is not positive", remedy="--starts 1 or more"),
    "usage.value/design_constraints": Message(
        "--within '{text}' has one corner, a box needs two",
        remedy="--within tool=-0.5,-0.5,0.1:0.5,0.5,1.0; an empty number is no limit",
    ),
    "usage.value/design_facts": Message(
        "--noise takes one number, or {joint_name_count}, not {given_count}", remedy="--noise 0.5", listed=("joints",)
    ),
    "usage.value/design_words": Message("{option} '{text}' is not NAME=VALUE", remedy="{option} {example}"),
    "usage.value/design_words_pose_of": Message("{option}: {thing}", remedy="{option} {example:join| }", listed=("joints",)),
    "usage.value/export_run": Message(
        "-o and --to can be combined for a single file only", remedy="give -o FILE ... alone, or --to FORMAT ... alone"
    ),
    "usage.value/fit_run": Message(
        "--test none cannot be combined with logs", remedy="give logs to evaluate on, or none alone"
    ),
    "usage.value/fit_run_understood": Message(
        "--score-cutoff has no effect with --test none", remedy="give a log to evaluate on"
    ),
    "usage.value/fit_run_understood_2": Message(
        "--total-mass {typed:joing| } is not a positive mass and its standard deviation", remedy="--total-mass 16 0.5"
    ),
    "usage.value/fit_run_understood_3": Message(
        "--total-mass has no effect with --method {method}, which estimates no masses", remedy="leave one of the two out"
    ),
    "usage.value/gain": Message(
        "--gain '{text}': '{value}' is not a gain", remedy="--gain elbow=13.6, in N m per recorded unit"
    ),
    "usage.value/gravity": Message(
        "--nominal has {given_count} numbers, {name} has {joint_name_count} joints",
        remedy="give one per joint, in this order",
        listed=("joints",),
    ),
    "usage.value/inspect": Message("--gravity takes three numbers, not {gravity_count}", remedy="--gravity 0 0 -9.81"),
    "usage.value/keep_log": Message(
        "'{log}' is the log itself and would be overwritten", remedy="choose another name for the output"
    ),
    "usage.value/largest_limit": Message("{option} must be positive, not {value:g}", remedy="{option} 2"),
    "usage.value/level": Message(
        "--noise {text} is not a pair of noise levels", remedy="--noise 1e-3:0.05, positions [rad] and torques [N m]"
    ),
    "usage.value/log_words": Message("--rate {rate:g} is not positive", remedy="--rate 500, samples per second"),
    "usage.value/mapping_of": Message("--write-mapping '{text}' does not end in .toml", remedy="{name}"),
    "usage.value/noise": Message("--noise must be positive torques, in N m", remedy="--noise 0.5"),
    "usage.value/nominal_of": Message(
        "--nominal holds a value that is not a gain", remedy="give N m per ampere, one per joint"
    ),
    "usage.value/number": Message("{option}: '{text}' is not a number", remedy="{option} {example}"),
    "usage.value/page_of": Message("-o '{text}' does not end in .html", remedy="-o {name}"),
    "usage.value/pose_of": Message("{option} mixes numbers and NAME=VALUE", remedy="{option} {example:join| }"),
    "usage.value/push_of": Message("--push: '{span}' is not FROM,TO", remedy="--push joint4=20:1,1.6"),
    "usage.value/recipe_for": Message("--cutoff {cutoff:g} is not positive", remedy="--cutoff 8, in Hz"),
    "usage.value/refuse_others": Message("'walk simulate' takes no log: '{log}'", remedy="-o {log} writes one"),
    "usage.value/reproduce": Message(
        "--seeds must be at least 1, --runs 10 and --updates 1000", remedy="leave them out for the defaults"
    ),
    "usage.value/run": Message("--unlike {unlike:g} is not in [0, 1)", remedy="--unlike 0.3"),
    "usage.value/sensible": Message("--clearance {clearance:g} is not a distance", remedy="--clearance 0.01, in metres"),
    "usage.value/settings": Message("{word} needs a value", remedy="bifilar {verb} --help"),
    "usage.value/settings_file": Message("--settings needs a file", remedy="--settings fit.toml"),
    "usage.value/sign": Message("--sign '{text}': a sign must be 1 or -1", remedy="--sign elbow=-1"),
    "usage.value/simplify_run": Message(
        "--slack {slack:g} is not a fraction of zero or more", remedy="--slack 0.01 allows an error 1 % larger"
    ),
    "usage.value/simulate_words": Message("--payload has a mass of {kilograms:g} kg", remedy="--payload flange=1.5:0,0,0.05"),
    "usage.value/subjects": Message("--mesh-folder is not a folder", remedy="--mesh-folder FOLDER, which holds the meshes"),
    "usage.value/tare": Message("--reach has {reach_count} values, six are needed", remedy="--reach 100 100 100 5 5 5"),
    "usage.value/tare_run": Message("--gravity {gravity:g} is not between 0 and 100 m/s^2", remedy="--gravity 9.81"),
    "usage.value/three": Message("{option}: '{text}' is not x,y,z", remedy="{option} {example}"),
    "usage.value/thresholds": Message("--{name} {value:g} is not a threshold", remedy="leave --{name} out, or give a number"),
    "usage.value/torque": Message("--tolerance {text} is not positive", remedy="--tolerance 2.0, in N m"),
    "usage.value/track": Message("the table cannot be written as '{name}'", remedy="-o track.csv"),
    "usage.value/track_run": Message("--cutoff {cutoff:g} is not positive", remedy="leave --cutoff out, or give a number [Hz]"),
    "usage.value/uncertainty": Message(
        "--uncertainty {uncertainty:g} is no share", remedy="--uncertainty 0.2 for masses and friction wrong by up to 20 %"
    ),
    "usage.value/understood": Message("--{word} {value:g} is not positive", remedy="--{word} {example}"),
    "usage.value/validate": Message("--{name} {value:g} is {least} 0", remedy="leave --{name} out, or give a number"),
    "usage.value/validate_thresholds": Message(
        "--usable {usable:g} is stricter than --good {good:g}", remedy="--usable {3*good:g}"
    ),
    "usage.value/view": Message("--port {port} is not a port", remedy="--port 8080; 1 to 65535"),
    "usage.value/walk": Message(
        "--{name} {value:g} is not between {low:g} and {high:g}", remedy="leave --{name} out for its default, {usual:g}"
    ),
    "usage.value/walk_fit": Message("the result cannot be written as '{name}'", remedy="-o fit.json"),
    "usage.value/walk_simulate": Message("a log cannot be written as '{name}'", remedy="-o walk.csv; {joined} are written"),
    "usage.word_too_many": Message("{thing}", likely="{cause}", remedy="bifilar {verb} --help"),
    "verdict.refused/export_run": Message(
        "the verdict on this run is 'refused': its model must not be used",
        remedy="record or fit again; --anyway exports it all the same",
        listed=("reason",),
    ),
    "verdict.refused/run_robot": Message(
        "the verdict on this run is '{level}': it holds no model to use",
        remedy="name the nominal model, or record and fit again",
    ),
    "wrench.missing": Message(
        "the log holds no wrench of the sensor", remedy="add columns fx fy fz tx ty tz, or use --mapping with [channels.wrench]"
    ),
}

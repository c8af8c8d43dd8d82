"""Sentences about cli, by key (see `bifilar.messages`)."""

from __future__ import annotations

from bifilar.messages import Message

MESSAGES = {
    "back/stream": Message("goes back, {count} times", remedy="sort the rows, or cut the log where it goes back"),
    "bug": Message("a bug in bifilar ({kind}: {error}); BIFILAR_DEBUG=1 shows where"),
    "calibrate.joint_worse": Message(
        "{joint} gets worse: unused motion is predicted {ratio:.2g} times as badly as without calibration",
        remedy="keep its nominal gain: leave it out of --gain",
    ),
    "dataset.no_recording/public_sets": Message(
        "'{set}' is a public {kind} and holds no recording", remedy="'bifilar datasets' lists recordings{robot}"
    ),
    "dataset.no_run/one": Message("'{set}' has no run '{part}'", likely="there is one only", remedy="{first}"),
    "dataset.no_run/public_sets": Message(
        "'{set}' has no run '{part}'", likely=("a misspelling of {near:quoted}", "known are {choices:join}"), remedy="{first}"
    ),
    "delay/decided": Message("{thing}"),
    "delay/fit_delay": Message(
        "the torque of {name} {thing}, and blocks or joints disagree on it: masses and friction are "
        "those of no machine (--log-delay {seconds:.4g} moves it, --log-delay 0 keeps it where it is)"
    ),
    "delay_inconsistent": Message("{thing}"),
    "disk.full": Message("writing failed: {strerror}", remedy="free some space, or write elsewhere"),
    "doctor.cache_unwritable": Message(
        "{folder} cannot be written: kernels are compiled again in every process",
        remedy="set BIFILAR_CACHE to a folder that can be written",
    ),
    "doctor.numpy_engine": Message(
        "NumPy by request (BIFILAR_ENGINE); numba is some ten times faster", remedy="unset BIFILAR_ENGINE"
    ),
    "doctor.robot": Message("{thing}", remedy="{advice}"),
    "doctor.self_test": Message("broke: {kind}: {error}", remedy="BIFILAR_ENGINE=numpy may work"),
    "duplicate/stream": Message("stands still, {count} times", remedy="give rate=... (--rate), or a clock"),
    "duplicate/stream_few": Message(
        "stands still, {count} times", remedy="nothing for a few: repeated timestamps are left out"
    ),
    "file.forbidden": Message(
        "this may not be done here: {strerror}", remedy="choose another folder, or ask for the right to read and write this one"
    ),
    "file.is_folder": Message("'{first}' is a folder", remedy="choose another name"),
    "file.not_text/control_words": Message(
        "this is no text", remedy='such as: kind = "circle"; center = [-0.4, 0.0, 0.6]; radius = 0.12; plane = "yz"'
    ),
    "file.not_text/settings_file": Message("this is no text", remedy="name a .toml file, such as: cutoff = 8.0"),
    "file.other_kind/design_words": Message(
        "this is a recording, not a motion", remedy="give the motion that was played, as 'bifilar design' wrote it"
    ),
    "file.other_kind/walk_track": Message("this is no result of a fit", remedy="name a file that 'bifilar walk fit' wrote"),
    "file.taken/design_files": Message(
        "'{name}'{more} exist{words} already", likely="an earlier page", remedy="--force replaces it, or choose another name"
    ),
    "file.taken/may_be_written": Message(
        "'{name}'{more} exist{words} already",
        likely="an earlier run; its recordings may need it",
        remedy="--force replaces it, or choose another name",
    ),
    "file.too_large/control_words": Message(
        "this is no path: the file is too large",
        remedy='such as: kind = "circle"; center = [-0.4, 0.0, 0.6]; radius = 0.12; plane = "yz"',
    ),
    "file.too_large/settings_file": Message("this is no file of settings: it is too large", remedy="name a .toml file"),
    "file.unreadable/control_words": Message("the path cannot be read: {strerror}", remedy="check the name"),
    "file.unreadable/settings_file": Message("the settings cannot be read: {strerror}", remedy="check the path"),
    "file.unreadable/walk_track": Message(
        "the parameters cannot be read: {strerror}", remedy="name a file that 'bifilar walk fit' wrote"
    ),
    "folder.is_file/demo_story": Message("this is a file; the demo wants a folder", remedy="-o elsewhere"),
    "folder.is_file/fit_folder": Message("this is a file; a run is a folder", remedy="choose another name"),
    "folder.is_file/simplify_folder": Message(
        "this is a file; stages are kept in a folder", remedy="name another after --next"
    ),
    "folder.missing": Message("there is no folder '{folder}'", remedy="make it, or choose another"),
    "folder.no_run/export_run": Message(
        "this folder is not one that 'bifilar fit' wrote",
        likely="it has no run.json or no estimate.json",
        remedy="name the folder of a run (runs/NAME-001), or a robot's file",
    ),
    "folder.no_run/fit_folder": Message("there is no run here", remedy="name the folder that 'bifilar fit' wrote"),
    "folder.strange/demo_story": Message(
        "the folder holds what no demo wrote: {strange}", remedy="-o with a folder that is new or empty"
    ),
    "folder.strange/fit_folder": Message("the folder holds what no run wrote: {strange}{more}", remedy="choose another name"),
    "folder.strange/simplify_folder": Message(
        "the folder holds what no simplification wrote: {strange}", remedy="name a new folder after --next"
    ),
    "folder.taken/fit_folder": Message("the folder exists already", remedy="{forced_by}choose another name"),
    "folder.taken/fit_run": Message("no free name was found", remedy="name the folder: -o runs/mine"),
    "folder.unwritable/demo_story": Message("the folder cannot be made: {strerror}", remedy="-o elsewhere"),
    "folder.unwritable/design_files": Message("the folder '{folder}' may not be written", remedy="choose another"),
    "folder.unwritable/fit_folder": Message("'{above}' {why}: no folder can be made there", remedy="choose another"),
    "folder.unwritable/simplify_folder": Message("the folder cannot be made: {strerror}", remedy="name another"),
    "friction.no_evidence": Message(
        "--friction choose: this command has no evidence to choose by",
        remedy="--friction usual, or terms: viscous+coulomb+offset",
    ),
    "friction.no_value/simulate_words": Message(
        "--friction '{word}' has no value",
        likely="a simulated robot has numbers: there is nothing to fit them to",
        remedy="{words:join}, or terms with values: --friction viscous=0.5 joint3.coulomb=0.2",
    ),
    "friction.no_value/valueless": Message(
        "--friction '{word}' has no value",
        remedy="{words:join}, or terms with values: --friction viscous=0.5 joint3.coulomb=0.2",
    ),
    "friction.refused": Message("--friction: {thing}", listed=("terms", "settings", "names", "joints")),
    "friction.values": Message(
        "--friction: {given_count} values for {term_text}, which has {name_count}: {names:join}",
        remedy="--friction viscous=0.5 joint3.coulomb=0.2",
    ),
    "gap/stream": Message(
        "jumps by more than 5 steps, by {longest:.4g} s at most, {count} times", remedy="segments are kept apart"
    ),
    "joint.unknown/control_words": Message("--push: there is no joint '{joint}'", listed=("joints",)),
    "joint.unknown/simulate_words": Message(
        "--friction: there is no joint '{rpartition}'", remedy="--friction viscous=0.5 joint3.coulomb=0.2", listed=("joints",)
    ),
    "known": Message("{thing}"),
    "limits.missing/design_facts": Message(
        "a motion is not designed without limits, and some are not known: {which:join|; }",
        likely="a continuous joint, or a description without <limit>",
        remedy=(
            "bifilar design {robot} --write-limits limits.toml, fill it in, then add --limits limits.toml; "
            "--max-velocity X is one number for all joints"
        ),
    ),
    "limits.missing/simulate_words": Message(
        "typical friction is a share of effort and velocity limits, and some are not known",
        remedy="give --limits, or values such as --friction viscous=0.5 coulomb=0.2",
    ),
    "load.heavy": Message(
        "--mass {mass:g} is {mass_2:.2g} times what the arm itself weighs, {weight:.3g} kg",
        likely="it is in grams",
        remedy="--mass {mass_3:g}, in kilograms; --anyway takes it as it is",
    ),
    "lock.elsewhere": Message(
        "--lock {name}: it is held at {instant:.3g}, and stands at {median:.3g} in '{log}'",
        likely="another pose, or another position was given",
        remedy="logs in which {name} stands at one place, or --lock without it",
    ),
    "lock.moves": Message(
        "--lock {name}: it moves from {low:.3g} to {high:.3g} in '{log}'",
        likely="it does not stand still",
        remedy="leave {name} out of --lock",
    ),
    "log.refused/check": Message("{thing}", likely="{cause}", remedy="correct {written}, then: {command}", listed=("written",)),
    "log.refused/fit_run": Message("{place}: {thing}{more}"),
    "log.twice/name": Message("'{name}' is named twice", remedy="name it once"),
    "log.twice/samples": Message("'{name}' holds the same samples as '{other}'", remedy="name it once"),
    "log.unknown": Message(
        "there is no file '{name}', nor a public set of that name",
        likely=("a misspelling of {near:quoted}", "known are {choices:join}"),
        remedy="give a file; 'bifilar datasets' lists public recordings",
    ),
    "memory.full": Message("there is not enough memory", remedy="close other programs, or use fewer samples"),
    "method.unknown/benchmark_methods_study": Message("--methods {word}: there is no such method", listed=("methods",)),
    "model.other_joints/control_words": Message(
        "the model has other joints than the robot", remedy="name a run of this robot", listed=("model", "robot")
    ),
    "motion.too_short/design_facts": Message("the motion has a single sample"),
    "nan/check_stream": Message(
        "{count:,} of {samples:,} values are not numbers", likely="lost messages", remedy="they are left out"
    ),
    "nan_time/stream": Message("is not a number, {count} times", remedy="these samples cannot be used"),
    "noise.unknown/design_facts": Message(
        "the torque noise is not known: {unknown:join} have no effort limit to take {100*noise:g} % of",
        remedy="give effort limits by --limits or --max-effort, or --noise in N m",
    ),
    "not_numbers/walk_track": Message("a parameter is not a number", remedy="name a file that 'bifilar walk fit' wrote"),
    "orientation.missing": Message(
        "the log holds no orientation",
        remedy="columns qx qy qz qw, or --robot arm.urdf --link tool0 to have it from the joints",
    ),
    "package.missing/doctor_facts": Message("is not installed", remedy="install bifilar again into this environment"),
    "package.missing/guard": Message(
        "the package '{name}' is missing", remedy="install bifilar again into this environment, with everything it needs"
    ),
    "package.old": Message("is {version}, {least} or newer is asked for"),
    "paper.unknown": Message("there is no paper '{paper}' here", listed=("papers",)),
    "path.form/control_words": Message(
        "'{word}' alone says no place", remedy="circle:-0.4,0,0.6:0.12:yz or line:0.4,-0.1,0.5:0.4,0.1,0.5"
    ),
    "path.form/control_words_spoken": Message(
        "'{word}' is not circle:CENTRE:RADIUS or circle:CENTRE:RADIUS:PLANE", remedy="circle:-0.4,0,0.6:0.12:yz"
    ),
    "path.form/reference_of": Message(
        "'{word}' alone says no place", remedy="a .toml file with kind, points and perhaps quaternions"
    ),
    "path.form/spoken": Message("'{word}' is not line:FROM:TO", remedy="line:0.4,-0.1,0.5:0.4,0.1,0.5"),
    "path.key/control_words": Message("a {kind} has no '{strange:join}'", remedy="write these, each once", listed=("keys",)),
    "path.key/from_toml": Message("the {kind} has no '{missing:join}'", remedy="write these, each once", listed=("keys",)),
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
    "path.unreadable": Message("the {kind} cannot be read: {error}", remedy="numbers, and lists of three"),
    "payload.arm_verdict": Message(
        "the verdict on the arm itself is {level}: its covariance, and with it these error bars, may be too small"
    ),
    "poses.none/tare": Message(
        "the arm is never slower than {slow:g} rad/s", remedy="hold it in some poses, or move it slowly"
    ),
    "robot.other/log_words": Message(
        "'{name}' was recorded on another robot than '{name_2}'",
        likely="descriptions of one machine that differ in the names of its joints",
        remedy="name {set}:robot in place of it",
    ),
    "robot.other/view": Message("the run is of another robot: {thing}", remedy="bifilar view {folder}"),
    "robot.unknown/public_robot": Message(
        "'{text}' is no robot",
        likely=("a misspelling of {near:quoted}", "known are {choices:join}"),
        remedy="{set}:robot is the robot that was recorded",
    ),
    "robot.unknown/public_sets": Message(
        "'{text}' is no robot", likely="a recording of the set", remedy="{set}:robot is the robot that was recorded"
    ),
    "run.base_parameters": Message(
        "this run identified base parameters only: it has no links",
        remedy="fit physically consistent parameters: bifilar fit ... --method consistent",
    ),
    "run.changed/gone": Message("'{file}' is gone", remedy="put the file back, or start a new run with 'bifilar fit'"),
    "run.changed/rerun": Message(
        "'{file}' is not what it was when the run was made", remedy="put the file back, or start a new run with 'bifilar fit'"
    ),
    "run.unreadable/export_run": Message("the verdict of the run cannot be read", likely="damaged ({kind}: {error})"),
    "run.unreadable/fit_folder": Message(
        "the run cannot be read", likely="damaged ({error})", remedy="make it again: bifilar fit"
    ),
    "samples.none/check_stream": Message("the log holds no samples"),
    "sensors.unknown": Message(
        "nobody says which sensors the walker carries, where and how noisy they are",
        remedy="--sensors imu, or a .toml file such as 'bifilar walk simulate' writes",
    ),
    "settings.key_unknown": Message(
        "there is no setting '{entry}' of 'bifilar {verb}'", remedy="bifilar {verb} --help", listed=("settings",)
    ),
    "settings.value/settings_file": Message("{entry} = {toml}: it is one of {get_args:join}"),
    "settings.value/value": Message("{entry} = {toml} is not {wanted}", remedy="give {entry} as {wanted}"),
    "shape.wrong/tare": Message("the wrench has the shape {shape}, there are {rotation_count} poses"),
    "simplify.changed/refuse_other": Message(
        "the folder was begun with {words}",
        likely="a description that was changed since",
        remedy="put it back, or begin another folder: its motions are proven for what they were designed for",
    ),
    "simplify.changed/simplify_folder": Message(
        "'{name}' {thing}: the motion of stage {number} was designed after it",
        remedy="put it back, or remove the files of stage {number} and later ones to go on from the new one",
    ),
    "simplify.changed/simplify_next": Message(
        "--{word} {given} is another than the folder was begun with: {stored}",
        remedy="leave --{word} out, or begin another folder",
    ),
    "simplify.changed/simplify_next_refuse_other": Message(
        "the folder was begun with {words}",
        likely="a limits file that was changed since",
        remedy="put it back, or begin another folder: its motions are proven for what they were designed for",
    ),
    "simplify.log_missing": Message(
        "'{name}' is there, '{name_2}' is not",
        likely="a log with another number",
        remedy="call it by the number of the motion that was run",
    ),
    "simplify.other_motion": Message(
        "{names:join} {log_count:one=goes|go} through {100*share:.0f} % of the motion in '{file}'",
        likely="the log of another motion, of the same at a lower speed, or one that ended early",
        remedy="run {file} at full speed and record it; --anyway takes the log as it is",
    ),
    "simplify.unreadable": Message(
        "the stage cannot be read", likely="damaged ({error})", remedy="remove it: it is made again from the logs before it"
    ),
    "system.exhausted": Message("the system has no more: {strerror}", remedy="close other programs"),
    "test.fitted/fit_run": Message(
        "'{other}' holds samples that are {used}: it is no test", remedy="evaluate on a log of another motion, or leave it out"
    ),
    "test.fitted/validate": Message(
        "'{name}' was fitted by this run: it is no test", remedy="evaluate on a log of another motion"
    ),
    "toml.invalid/control_words": Message(
        "this is not TOML: {thing}", remedy='such as: kind = "circle"; center = [-0.4, 0.0, 0.6]; radius = 0.12; plane = "yz"'
    ),
    "toml.invalid/settings_file": Message("this is not TOML: {thing}", remedy='write such as: friction = "usual"'),
    "torque.missing/fit_run": Message(
        "the log holds no torque",
        likely="currents only, or a column with another name",
        remedy="bifilar check {name} --write-mapping map.toml, correct it, then --mapping map.toml",
    ),
    "torque.scale": Message(
        "the recorded torque is {number:.2g} times the model's: masses come out as much too small or too "
        "large ({cause}; declare it by --unit or a mapping, or --anyway if the description's weights are "
        "that wrong)"
    ),
    "torque.uneven": Message(
        "torque of '{name}' is {ratio:.3g} times that of '{other}'",
        likely="currents in mA in one, in A in the other, or N m beside mN m",
        remedy="{convert}, then name right.csv; --anyway takes it as it is",
    ),
    "unit.mixed/one_unit": Message(
        "'{least}' moves {times:.0f} times less than '{most}', and both were read with --unit {said}",
        likely="one is in degrees, the other in radians already",
        remedy="{typed_command}, then name {rpartition}.parquet, without --unit",
    ),
    "unit.mixed/refuse_two_units": Message(
        "'{least}' moves {times:.0f} times less than '{most}', and both were read with --unit {said}",
        likely="their units differ",
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
    "usage.exchanged/exchanged": Message("{thing} are exchanged"),
    "usage.exchanged/log_of": Message("'{log}' is a robot's description, not a log", remedy="name a recording there"),
    "usage.exchanged/log_words": Message(
        "'{log}' is a robot's description, not a log", remedy="give the log first, then --robot {log}"
    ),
    "usage.lock/held": Message("--lock holds every joint", remedy="name fewer joints, or a narrower pattern"),
    "usage.lock/number": Message("--lock '{word}': '{text}' is no position", remedy="--lock joint2=-0.5, in rad or m"),
    "usage.lock/simplify_next": Message(
        "--lock {loose} does not say where it is held",
        remedy="--lock {loose}=0, in rad or m: the motions are designed for that pose",
    ),
    "usage.missing/calibrate_sensors": Message(
        "where did the load hang in each log?", remedy="--moved 0 0 0 0.1 0 0: x y z from its first point, per log"
    ),
    "usage.missing/design": Message("{missing} is missing", remedy="bifilar design {robot} --duration 20 -o excite.csv"),
    "usage.missing/design_sweep": Message("-o is missing", remedy="bifilar design {robot} --kind sweep -o sweeps.csv"),
    "usage.missing/design_tare": Message("-o is missing", remedy="bifilar design {robot} --kind tare -o poses.csv"),
    "usage.missing/export_run": Message("no file is named", remedy="bifilar export {source} -o {name}.urdf"),
    "usage.missing/simplify_next": Message(
        "--duration is missing", remedy="bifilar simplify {robot} --next {next} --duration 20"
    ),
    "usage.no_log/fit_run": Message("no log is named", remedy="bifilar fit arm.urdf run.csv"),
    "usage.no_log/gravity": Message("no log is named", remedy="bifilar gravity {robot} poses.csv"),
    "usage.no_log/payload": Message("no log is named", remedy="bifilar payload {run} loaded.csv"),
    "usage.no_log/simplify": Message(
        "no log is named", remedy="bifilar simplify {robot} run.csv, or --next FOLDER for motions to run"
    ),
    "usage.no_log/validate": Message("no log is named", remedy="bifilar validate {run} other.csv"),
    "usage.no_log/walk": Message("there is no log to {thing}", remedy="bifilar walk {thing} {walker} walk.csv"),
    "usage.no_robot": Message("--lock is about a robot, and none is given", remedy="--robot arm.urdf --lock finger1"),
    "usage.not_for/control_facts": Message(
        "--friction-at is for computed torque, not {controller}", remedy="leave --friction-at out"
    ),
    "usage.not_for/control_facts_motion": Message(
        "{extra} is for paths in space; a motion of joints has its own", remedy="leave {extra} out"
    ),
    "usage.not_for/design_sweep": Message("{who} do not look at --{name}", remedy="leave --{name} out"),
    "usage.not_for/inspect": Message(
        "the robot of a public set floats or stands as its entry says", remedy="leave out --floating"
    ),
    "usage.not_for/log_of": Message("the run of a public set stands behind its name", remedy="{set}:{run} in place of {log}"),
    "usage.not_for/log_words": Message(
        "'{log}' is a public set: what is known about it stands in its entry", remedy="leave out --{first}"
    ),
    "usage.not_for/log_words_log_of": Message(
        "--run belongs to a mapping with {{run}} in names of files", remedy="leave it out"
    ),
    "usage.not_for/motion": Message("path following needs a path in space", remedy="circle:..., line:... or a .toml file"),
    "usage.not_for/walk": Message("--{wrong} belongs to 'walk {verb}'", remedy="leave it out"),
    "usage.option_unknown": Message("{thing}", likely="{cause}"),
    "usage.option_unknown/verb": Message("there is no option '{verb}'", remedy="bifilar --help"),
    "usage.refused": Message("{thing}", likely="{cause}"),
    "usage.together/calibrate": Message("--{word} {how} --sensors", remedy="leave it out"),
    "usage.together/calibrate_drives": Message(
        "--test-free and --test-loaded go together", remedy="give runs without and with the load"
    ),
    "usage.together/check": Message("--write-mapping is for a log that has no mapping yet"),
    "usage.together/control_facts": Message(
        "--model and --model-error are given", remedy="the model of a run has errors of its own"
    ),
    "usage.together/method_of": Message("--judged belongs to --stop validation", remedy="leave one of them out"),
    "usage.together/simplify_next": Message(
        "logs are named beside --next", remedy="put them into '{next}' as log-01.csv, log-02.csv, ..."
    ),
    "usage.together/simplify_run": Message("--slack belongs to --stop validation", remedy="leave one of them out"),
    "usage.together/tare": Message(
        "--inverted is about logged quaternions, and --robot gives the orientations", remedy="leave one of them out"
    ),
    "usage.together/view": Message("two runs are named", remedy="bifilar view ROBOT --run {run}"),
    "usage.twice/export_run": Message("'{twice}' is named twice", remedy="name each file once"),
    "usage.twice/settings_file": Message("--settings is given twice", remedy="put everything into one file"),
    "usage.value/benchmark_methods_study": Message("--starts and --repeats are 1 or more"),
    "usage.value/calibrate": Message("--mass {mass:g} is not above 0", remedy="--mass 2.8, in kilograms"),
    "usage.value/calibrate_sensors": Message(
        "--moved has {moved_count} numbers for {count} loaded log{count:one=|s}", remedy="three per log: --moved 0 0 0"
    ),
    "usage.value/check": Message("--omega {omega:g} is no bandwidth", remedy="--omega 20"),
    "usage.value/control_facts": Message("--torque {torque:g} is not a share of the limits", remedy="--torque 0.5"),
    "usage.value/control_facts_check": Message("--slip {slip:g} is no width", remedy="--slip 0.05"),
    "usage.value/control_facts_check_2": Message("--rise {rise:g} is no time", remedy="--rise 0.05"),
    "usage.value/control_facts_check_3": Message(
        "--compensate {compensate:g} is not a share from 0 to 1", remedy="--compensate 0.7"
    ),
    "usage.value/control_facts_check_4": Message(
        "--model-error {model_error:g} is not a share from 0 to 0.33", remedy="--model-error 0.05"
    ),
    "usage.value/control_words": Message("{option}: '{text}' is not x,y,z"),
    "usage.value/control_words_push_of": Message(
        "--push from {start:g} s to {stop:g} s of a motion of {duration:g} s", remedy="--push joint4=20:1,1.6"
    ),
    "usage.value/delay_of": Message(
        "--log-delay {given} is not a delay in seconds",
        remedy="--log-delay 0.005, seconds by which the torque is late, at most {longest:g}; or auto",
    ),
    "usage.value/demo": Message("--duration {duration:g} is not above 0", remedy="--duration 10, in seconds"),
    "usage.value/demo_run": Message("--seed {seed} is below 0", remedy="--seed 0 or more"),
    "usage.value/design": Message("--starts {starts} searches nothing", remedy="--starts 1 or more"),
    "usage.value/design_constraints": Message(
        "--within '{text}' has one corner", remedy="--within tool=-0.5,-0.5,0.1:0.5,0.5,"
    ),
    "usage.value/design_facts": Message(
        "--noise takes one number, or {joint_name_count}, not {given_count}", remedy="--noise 0.5", listed=("joints",)
    ),
    "usage.value/design_words": Message("{option} '{text}' is not NAME=VALUE", remedy="{option} {example}"),
    "usage.value/design_words_pose_of": Message("{option}: {thing}", remedy="{option} {example:join| }", listed=("joints",)),
    "usage.value/export_run": Message(
        "-o and --to name different numbers of files", remedy="-o FILE ... alone, or --to FORMAT ... alone"
    ),
    "usage.value/fit_run": Message("--test none stands alone", remedy="name logs to evaluate on, or none of them"),
    "usage.value/fit_run_understood": Message(
        "--score-cutoff has nothing to score with --test none", remedy="name a log to evaluate on"
    ),
    "usage.value/fit_run_understood_2": Message(
        "--total-mass {typed:joing| } is not a mass above 0 and its deviation", remedy="--total-mass 16 0.5"
    ),
    "usage.value/fit_run_understood_3": Message(
        "--total-mass says nothing to --method {method}, which estimates no masses", remedy="leave one of the two out"
    ),
    "usage.value/gain": Message(
        "--gain '{text}': '{value}' is no gain", remedy="--gain elbow=13.6, N m per unit that was recorded"
    ),
    "usage.value/gravity": Message(
        "--nominal has {given_count} numbers, {name} has {joint_name_count} joints",
        remedy="give one per joint, in this order",
        listed=("joints",),
    ),
    "usage.value/inspect": Message("--gravity takes three numbers, not {gravity_count}", remedy="--gravity 0 0 -9.81"),
    "usage.value/keep_log": Message("'{log}' is the log itself", likely="it would be lost", remedy="choose another name"),
    "usage.value/largest_limit": Message("{option} takes a number above zero, not {value:g}", remedy="{option} 2"),
    "usage.value/level": Message(
        "--noise {text}: two numbers are needed", remedy="--noise 1e-3:0.05, positions [rad] and torques [N m]"
    ),
    "usage.value/log_words": Message("--rate {rate:g} is not above 0", remedy="--rate 500, samples per second"),
    "usage.value/mapping_of": Message("--write-mapping '{text}' is not a mapping's name", remedy="{name}"),
    "usage.value/noise": Message("--noise takes torques above zero, in N m", remedy="--noise 0.5"),
    "usage.value/nominal_of": Message("--nominal holds a number that is no gain", remedy="give N m per ampere, one per joint"),
    "usage.value/number": Message("{option}: '{text}' is not a number", remedy="{option} {example}"),
    "usage.value/page_of": Message("-o '{text}' is not a page's name", remedy="-o {name}"),
    "usage.value/pose_of": Message("{option} mixes numbers and NAME=VALUE", remedy="{option} {example:join| }"),
    "usage.value/push_of": Message("--push: '{span}' is not FROM,TO", remedy="--push joint4=20:1,1.6"),
    "usage.value/recipe_for": Message("--cutoff {cutoff:g} is not above 0", remedy="--cutoff 8, in Hz"),
    "usage.value/refuse_others": Message("'{log}' is one word too many", remedy="the log's name: -o {log}"),
    "usage.value/reproduce": Message("--seeds, --runs and --updates must be 1, 10 and 1000 at least", remedy="leave them out"),
    "usage.value/run": Message("--unlike {unlike:g} is not a share from 0 to less than 1", remedy="--unlike 0.3"),
    "usage.value/sensible": Message("--clearance {clearance:g} is no distance", remedy="--clearance 0.01, in metres"),
    "usage.value/settings": Message("{word} is followed by nothing"),
    "usage.value/settings_file": Message("--settings is followed by nothing", remedy="--settings fit.toml"),
    "usage.value/sign": Message("--sign '{text}': a sign is 1 or -1", remedy="--sign elbow=-1"),
    "usage.value/simplify_run": Message("--slack {slack:g} is no share", remedy="--slack 0.01 lets the error be 1 % worse"),
    "usage.value/simulate_words": Message("--payload weighs {kilograms:g} kg", remedy="--payload flange=1.5:0,0,0.05"),
    "usage.value/subjects": Message("--mesh-folder is not a folder"),
    "usage.value/tare": Message("--reach has {reach_count} numbers", remedy="--reach 100 100 100 5 5 5"),
    "usage.value/tare_run": Message("--gravity {gravity:g}", remedy="--gravity 9.81"),
    "usage.value/three": Message("{option}: '{text}' is not x,y,z", remedy="{option} {example}"),
    "usage.value/thresholds": Message(
        "--{name} {value:g} is no number to ask for", remedy="leave --{name} out, or give a number"
    ),
    "usage.value/torque": Message("--tolerance {text} is not above 0", remedy="--tolerance 2.0, in N m"),
    "usage.value/track": Message("the table cannot be written as '{name}'", remedy="-o track.csv"),
    "usage.value/track_run": Message("--cutoff {cutoff:g} is not above 0", remedy="leave --cutoff out, or give a number [Hz]"),
    "usage.value/understood": Message("--{word} {value:g} is not above 0", remedy="--{word} {example}"),
    "usage.value/validate": Message("--{name} {value:g} is {least} 0", remedy="leave --{name} out, or give a number"),
    "usage.value/validate_thresholds": Message(
        "--usable {usable:g} asks for more than --good {good:g}", remedy="--usable {3*good:g}"
    ),
    "usage.value/view": Message("--port {port} is not a port", remedy="--port 8080; 1 to 65535"),
    "usage.value/walk": Message(
        "--{name} {value:g} is not between {low:g} and {high:g}", remedy="leave --{name} out: {usual:g}"
    ),
    "usage.value/walk_fit": Message("the result cannot be written as '{name}'", remedy="-o fit.json"),
    "usage.value/walk_simulate": Message("a log cannot be written as '{name}'", remedy="-o walk.csv; {joined} are written"),
    "usage.word_too_many": Message("{thing}", likely="{cause}"),
    "verdict.refused/export_run": Message(
        "the verdict on this run is 'refused': its robot is not to be used",
        remedy="record or fit again; --anyway hands it on as it is",
        listed=("reason",),
    ),
    "verdict.refused/run_robot": Message(
        "what this run found is not to be used: its verdict is {level}",
        remedy="name the robot's description, or record and fit again",
    ),
    "wrench.missing": Message(
        "the log holds no wrench", remedy="columns fx fy fz tx ty tz, or --mapping with [channels.wrench]"
    ),
}

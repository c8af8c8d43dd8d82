"""Sentences about experiment, by key (see `bifilar.messages`)."""

from __future__ import annotations

from bifilar.messages import Message

MESSAGES = {
    "box.empty/points": Message(
        "the box for '{frame}' is empty along {axe}: from {lower:g} to {upper:g} m",
        likely="lower and upper limits were exchanged",
        remedy="use a wider box, or a smaller margin",
        cli="use a wider box, or a smaller --clearance",
    ),
    "box.empty/post_init": Message(
        "the box for '{frame}' is empty along {axe}: from {lower:g} to {upper:g} m",
        remedy="use a wider box, or a smaller margin",
        cli="use a wider box, or a smaller --clearance",
    ),
    "box.no_wall": Message("the box for '{frame}' has no finite side", remedy="give at least one finite side"),
    "certificate.broken": Message(
        "the motion{told} violates '{name}', or this cannot be excluded",
        remedy="use a smaller motion; {words}",
        listed=(
            "limit",
            "room",
            "others",
        ),
    ),
    "certificate.changed": Message("{name} was changed after it was certified", remedy="design or certify the motion again"),
    "certificate.contradicts": Message(
        "the certificate of {name} is inconsistent", remedy="design or certify the motion again"
    ),
    "certificate.no_run": Message("the certificate does not cover the speed {speed!r}", listed=("speeds",)),
    "certificate.not_at_rest": Message(
        "the motion{told} does not begin and end at rest: the {thing} of {joint_name} is {value:.3g}",
        remedy="use coefficients from bf.rest_basis, or design a motion",
    ),
    "certificate.not_covered": Message(
        "the certificate does not cover {name}", remedy="certify the motion again", listed=("files",)
    ),
    "certificate.not_proven/certify": Message(
        "the limits of a {kind} cannot be certified", remedy="use a Fourier series, which bf.refit gives"
    ),
    "certificate.not_proven/proof": Message(
        "the limits of a faded series cannot be certified", remedy="use a series that is at rest by itself (fade=0)"
    ),
    "certificate.other_limits": Message(
        "{name} was certified with other limits", likely="a changed limits file", remedy="design or certify the motion again"
    ),
    "certificate.other_motion": Message("{name} does not hold the motion that was certified"),
    "certificate.other_robot": Message(
        "{name} was certified for another robot", likely="other masses or links", remedy="design or certify the motion again"
    ),
    "certificate.second_check/ask_again": Message(
        "an independent check of '{name}' disagrees by {worst:.2g}", likely="a bug in bifilar: please report it"
    ),
    "certificate.second_check/certify": Message(
        "an independent check of the motion{told} finds the {thing} limit of {joint_name} violated",
        likely="a bug in bifilar: please report it",
    ),
    "certificate.speeds": Message("the speeds are {speeds}", remedy="give fractions of the full speed, above 0 and up to 1"),
    "certificate.unreadable": Message("the certificate cannot be read: {reason}", remedy="certify the motion again"),
    "clearance.no_pair": Message("the constraint has no pair of capsules", remedy="leave the constraint out"),
    "clearance.no_shapes": Message(
        "'{name}' has no shapes for a clearance",
        remedy="own=[bf.Capsule(link, start, end, radius), ...]",
        cli="give the links <collision> shapes in the URDF; --above and --within need none",
    ),
    "clearance.setting/clearance": Message(
        "the pair {wrong:join} is not valid",
        remedy="give pairs of two indices of capsules, and distances in m",
        listed=("capsules",),
    ),
    "clearance.setting/post_init": Message(
        "the least distance {least!r} or the margin {margin!r} is not valid",
        remedy="give finite distances in m, the margin zero or more",
        listed=("capsules",),
    ),
    "clock.not_rising/files": Message("timestamps must increase by at least 1 ns"),
    "clock.not_rising/piecewise": Message("{thing} do not increase: {time:g} s is followed by {time_2:g} s"),
    "clock.not_rising/refit": Message(
        "time goes from {t:.6g} s to {t_2:.6g} s", likely="two recordings in one, or a clock that was reset"
    ),
    "clock.not_rising/rises": Message("time goes from {time:.9g} s to {time_2:.9g} s"),
    "clock.start": Message("{thing} begin at {time:g} s", remedy="begin at 0"),
    "clock.uneven/refit": Message(
        "timestamps are up to {uneven:.2g} samples away from equal spacing", remedy="resample, or refit without averaging"
    ),
    "constraint.unknown/design": Message(
        "{strange!r} is not a constraint", remedy="use bf.Above, Within, SpeedBelow, TorqueWithin or Clearance"
    ),
    "covariance.form": Message(
        "a covariance of {names} parameters has the shape {shape}, or entries that are no numbers, or {sigmas:g} deviations",
        remedy="names and a square matrix of the same length, and a positive number of deviations",
    ),
    "covariance.other_robot": Message(
        "the covariance is of parameters that {robot} does not have",
        likely="it belongs to another robot, or to one whose joints were not locked",
        remedy="the estimate of this robot",
        cli="the run as it was fitted, without --lock",
        listed=("unknown",),
    ),
    "criterion.sharpness": Message("the sharpness is {sharpness:g}", remedy="give 1 or more"),
    "criterion.unknown": Message("there is no criterion '{kind}'", remedy="choose one of {kinds:join}"),
    "design.kind/design": Message(
        "the duration of the motion is missing", remedy='duration=20.0 [s], or kind="sweep" for held poses'
    ),
    "design.kind/design_design": Message(
        "there is no kind '{kind}' of motion", remedy='duration=20.0 [s], or kind="sweep" for held poses'
    ),
    "design.no_pose": Message(
        "no pose satisfies every constraint: the best pose found violates '{name}' by {lack:.3g} {unit}",
        listed=(
            "in conflict with",
            "pose",
        ),
    ),
    "design.no_pose/who": Message(
        "{who} violates '{name}' by {lack:.3g} {unit}",
        listed=(
            "in conflict with",
            "pose",
        ),
    ),
    "design.not_proven": Message(
        "no motion could be certified within its limits; the first exceeds the {quantity} limit of {joint} "
        "(relative margin {margin:.3g})",
        remedy="use a smaller margin, a longer duration, or fewer harmonics",
        cli="use a smaller --margin, a longer duration, or fewer harmonics",
    ),
    "design.open_parameters": Message(
        "no motion inside these limits identifies every parameter; not identifiable are {worst}",
        likely="limits so tight that the robot hardly moves",
        remedy="another start pose, or only=[...] for the parameters of interest",
        cli="another --start, or --only for the parameters of interest",
        lead="use wider limits, a longer duration, ",
    ),
    "design.seed": Message(
        "the seed is {seed!r}, the number of starts {starts!r}",
        remedy="give whole numbers, the seed from 0, the number of starts from 1",
    ),
    "design.sweep_duration": Message(
        "the duration of sweeps follows from their poses", remedy="leave duration out; hold=... gives seconds per pose"
    ),
    "duration.fades": Message(
        "two fades of {fade:g} s leave no time in {duration:g} s", remedy="give more than {2*fade:g} s, or shorter fades"
    ),
    "duration.missing/poses": Message(
        "the duration of a move is not known", remedy="give move=... seconds, or limits=robot.limits"
    ),
    "duration.missing/redesign": Message("a first motion needs a duration", remedy="give duration=... in seconds"),
    "duration.periods/harmonics": Message("the number of periods is {periods:g}", remedy="give a whole number"),
    "duration.periods/harmonics_whole_periods": Message(
        "{total:g} s are {periods:.4g} periods of {frequency:g} s, which is not a whole number",
        remedy="give a duration of {near:join| or }, or no base frequency",
    ),
    "duration.periods/whole_periods": Message(
        "{total:g} s are {periods:.3g} of a period of {frequency:g} s",
        likely="too short for the base frequency",
        remedy="give {frequency_2:g} s or longer, or a base frequency of {total_2:.4g} Hz",
    ),
    "file.empty/files": Message("the file is empty", likely="an interrupted copy", remedy="copy or record it again"),
    "file.not_csv": Message("the file is not CSV: {error}", remedy="give a CSV file that 'bifilar design' wrote"),
    "file.not_text/files": Message(
        "the file cannot be read: it is not text in UTF-8",
        remedy="name a text file; this one is a picture, an archive or the like",
    ),
    "file.not_text/lines": Message(
        "the file is not text: it holds a NUL byte", remedy="name a text file; this one is a picture, an archive or the like"
    ),
    "file.ragged/files": Message(
        "the line has {field_count} fields, the header {width}", likely="an interrupted copy", remedy="copy the file again"
    ),
    "file.ragged/numbers": Message(
        "the line has {field_count} fields, the header {width}",
        likely="a comma as decimal sign",
        remedy="write decimals with a point",
    ),
    "file.too_large/parquet": Message("the table has {held:.1f} GiB when decompressed, more than {most}"),
    "friction.not_linear/information": Message(
        "no motion can be designed for load-dependent friction", remedy="leave this term out"
    ),
    "gravity.none/sweep_plan": Message(
        "the robot model has no gravity, so no gravity torque can be measured",
        remedy="robot.with_gravity(...)",
        cli="name a robot model with gravity",
    ),
    "gravity.not_shown": Message(
        "gravity loads no joint of this arm: every joint axis is parallel to it", remedy="tilt the base"
    ),
    "harmonics.not_told": Message(
        "the harmonics cannot be separated by these samples",
        likely="harmonics faster than half the sampling rate, or timestamps that repeat the same phases",
        remedy="sample faster, or use fewer harmonics",
    ),
    "harmonics.too_fast/harmonics": Message(
        "in {duration:g} s harmonic {largest} has {highest_frequency:.4g} Hz, above {highest:g} Hz",
        likely="a duration too short for so many harmonics",
        remedy="use {slow:.4g} s or longer, or fewer harmonics",
    ),
    "harmonics.too_fast/synchronous": Message(
        "harmonic {largest} has {highest_frequency:.4g} Hz, too fast for {rate:g} samples per second",
        remedy="sample faster than {2*highest_frequency:.4g} Hz, or slow the motion down",
    ),
    "harmonics.too_few": Message(
        "{count} harmonic{value} cannot begin and end at rest", remedy="use more harmonics, or a fade"
    ),
    "harmonics.wrong": Message(
        "{harmonics!r} are not harmonics", remedy="give whole numbers from 1, each once, or the number of harmonics"
    ),
    "joint.unknown/checks": Message(
        "the motion has no joint '{joint}'", likely="a misspelling of {near:quoted| or }", listed=("joints",)
    ),
    "joints.none/checks": Message("a motion needs the names of its joints", remedy="give robot.joint_names"),
    "joints.none/files": Message("the file has no columns of joints", remedy="name columns like 'elbow.position_rad'"),
    "joints.twice": Message("the joint '{twice}' occurs {count} times", remedy="name every joint once"),
    "limits.broken/checks": Message(
        "{thing} {row}: joint '{joint}' at {position:.6g} exceeds its limit by {beyond:.3g}", listed=("allowed",)
    ),
    "limits.broken/degrees": Message(
        "{thing} {row}: joint '{joint}' at {position:.6g} exceeds its limit by {beyond:.3g}",
        likely="degrees instead of radians",
        listed=("allowed",),
    ),
    "limits.broken/envelope": Message(
        "{thing} is outside the limits or at their edge: {joint_name} at {pose:.4g}",
        likely="degrees instead of radians",
        remedy="use a smaller margin",
        cli="use a smaller --margin",
        lead="move it by {out:.3g}, or ",
        listed=("limits",),
    ),
    "limits.broken/holds": Message(
        "{thing} is outside the limits or at their edge: {joint_name} at {pose:.4g}",
        remedy="use a smaller margin",
        cli="use a smaller --margin",
        lead="move it by {out:.3g}, or ",
        listed=("limits",),
    ),
    "limits.count/checks": Message("the limits are for {lower_count} joints, the motion has {name_count}"),
    "limits.count/poses": Message("the limits are for {velocity_count} joints, the motion has {name_count}"),
    "limits.effort_missing/torque_limits": Message(
        "the effort limits of {unknown:join} are not known",
        remedy="robot.with_limits({{...: {{'effort': ...}}}}), or design without torque limits",
        cli=("give effort limits by --limits FILE ('bifilar design ROBOT --write-limits limits.toml' writes one to fill in)"),
    ),
    "limits.file/constraint_file": Message(
        "a limits file has no table '{name}'",
        likely=(
            "a misspelling of {near:quoted}",
            "known are {choices:join}",
        ),
    ),
    "limits.file/constraint_file_load_constraints": Message(
        "[collision] has no '{entry}'", likely=("a misspelling of {near:quoted}", "known are {choices:join}")
    ),
    "limits.file/constraint_file_made": Message("the table is incomplete, or a value has the wrong kind: {error}"),
    "limits.file/load_constraints": Message("'collision' is not a table", remedy="write [collision], in single brackets"),
    "limits.file/made": Message(
        "'{entry}' is not a key of this table",
        likely=(
            "a misspelling of {near:quoted}",
            "known are {choices:join}",
        ),
    ),
    "limits.file/tables": Message("'{name}' is not a list of tables", remedy="write [[{name}]], in double brackets"),
    "limits.missing/envelope": Message(
        "limits are not known: {gaps:join|; }",
        likely="continuous joints, or a URDF without <limit>",
        remedy=(
            "bf.write_limits(robot, 'limits.toml') writes a file to fill in: [joints.NAME] lower = -2.0, upper = "
            "2.0, velocity = 1.5, acceleration = 5.0; then robot.with_limits('limits.toml')"
        ),
        cli="--limits FILE ('bifilar design ROBOT --write-limits limits.toml' writes one to fill in)",
    ),
    "limits.missing/sweep_plan": Message(
        "prismatic joint '{name}' has no limits to sweep between",
        remedy="robot.with_limits(...)",
        cli="--limits FILE ('bifilar design ROBOT --write-limits limits.toml' writes one to fill in)",
    ),
    "limits.no_room": Message(
        "{joint} cannot move: its {quantity} is limited to {lower:g} to {upper:g}",
        remedy="robot.locked(['{joint}']), or give other limits",
        cli="--lock {joint}, or give other limits by --limits",
    ),
    "limits.no_room/sweep_plan": Message(
        "joint '{name}' has no range left for a sweep",
        remedy="a smaller margin, or lock the joint",
        cli="a smaller --margin, or --lock",
    ),
    "limits.no_stops": Message(
        "joint '{name}' has no end stops in its limits",
        remedy="at_stops=False, or robot.with_limits(...)",
        cli=("give effort limits by --limits FILE ('bifilar design ROBOT --write-limits limits.toml' writes one to fill in)"),
    ),
    "limits.velocity_missing": Message(
        "joint '{name}' has no velocity limit",
        likely="a robot model that does not state it",
        remedy="state it there, or give move=... seconds",
    ),
    "margin.wrong/envelope": Message("the margin is {margin!r}", remedy="give a fraction from 0 to less than 1"),
    "margin.wrong/points": Message("the margin is {margin:g}", remedy="give a fraction from 0 to less than 1"),
    "motion.channel_missing/files": Message(
        "joint '{missing}' has no {name}", remedy="add a column '{missing}.{name}_rad{per}'"
    ),
    "motion.column_twice/channels": Message(
        "the {thing} of joint '{joint}' is given in two units", remedy="keep one of the columns"
    ),
    "motion.column_twice/files": Message("the column '{twice}' occurs {count} times", remedy="keep one of them"),
    "motion.column_unknown": Message(
        "the column '{name}' is not understood",
        remedy=(
            "name columns JOINT.position_rad, JOINT.velocity_rad_per_s, JOINT.acceleration_rad_per_s2; units rad, deg, m or mm"
        ),
    ),
    "motion.empty/compose": Message("no trajectories are given", remedy="give at least one"),
    "motion.empty/files": Message("a motion without samples cannot be executed"),
    "motion.empty/finite": Message("the table has columns and no samples", likely="an interrupted copy"),
    "motion.empty/numbers": Message("the file has a header and no samples", likely="an interrupted copy"),
    "motion.faster": Message(
        "slowed down by {factor:g}, the motion would become faster",
        likely="{100*factor:g} % of the speed is meant",
        remedy="give {factor_2:g}, or design a faster motion",
    ),
    "motion.file_ending/commanded": Message(
        "a ROS 2 JointTrajectory file is written for controllers, and not read again",
        remedy="give the {forms} file it was made with",
    ),
    "motion.file_ending/read": Message("a motion cannot be read from '{ending}'", remedy="give a {forms} file"),
    "motion.file_ending/read_none": Message("the name of the motion has no ending", remedy="give a {forms} file"),
    "motion.file_ending/written": Message("a motion cannot be written as '{ending}'", remedy="name it {forms}"),
    "motion.file_ending/written_none": Message("the name of the motion has no ending", remedy="name it {forms}"),
    "motion.joints_differ/compose": Message(
        "part {k} moves the joints {joint_names:join}, part 0 the joints {joint_names_2:join}",
        likely="the same joints in another order",
    ),
    "motion.joints_differ/same_joints": Message("part {k} moves the joints {joint_names:join}, part 0 {joint_names_2:join}"),
    "motion.jumps/compose": Message(
        "the {thing} of joint '{joint_name}' jumps from {getattr:.6g} to {getattr_2:.6g} before part {k}",
        remedy="give transition=... seconds",
    ),
    "motion.jumps/no_jump": Message(
        "the {thing} of joint '{joint_name}' jumps from {getattr:.6g} to {getattr_2:.6g} before part {k}",
        remedy="give the parts a fade, or rest at their ends",
    ),
    "motion.length/piecewise": Message("{q_count} points and {t_count} times are given", remedy="give one time per point"),
    "motion.length/refit": Message(
        "{thing} has {value_count} samples, time has {t_count}", remedy="give one timestamp per sample"
    ),
    "motion.length/trajectory": Message("the motion has {time_count} instants and {position_count} positions"),
    "motion.no_time/channels": Message("no column is called 'time_s'", listed=("columns",)),
    "motion.no_time/files": Message(
        "no column is called 'time_s'", likely="a file without a header, or time under another name", listed=("columns",)
    ),
    "motion.other_joints": Message(
        "the motion and the robot have different joints",
        listed=(
            "motion",
            "robot",
        ),
    ),
    "motion.too_short/piecewise": Message(
        "{thing} have {time_count} instants, a motion needs two", remedy="give a start and an end"
    ),
    "motion.too_short/splines": Message("{p_count} points are given, a motion needs two", remedy="give a start and an end"),
    "noise.not_positive/information": Message(
        "the torque noise must be positive", remedy="give noise=... in N m", cli="give --noise in N m"
    ),
    "noise.unknown/design": Message(
        "the torque noise is not known: it is taken as a fraction of the effort limit, and {unknown:join} have none",
        remedy="give noise=... in N m, one number or one per joint",
        cli="give --noise in N m, one number or one for each joint",
    ),
    "not_finite/certify": Message("the motion holds numbers that are not finite"),
    "not_finite/checks": Message("time is {t} in sample {k}", remedy="remove these samples"),
    "not_finite/files": Message("the sample holds a number that is not finite", likely="a gap in a recording"),
    "not_finite/numbers": Message("the line holds a number that is not finite", likely="a gap in a recording"),
    "not_numbers/files": Message("not a number: {field!r}"),
    "parameters.no_match/on": Message(
        "no base parameter matches {only:join}",
        remedy="see base_parameters(robot).independent",
        cli="names are listed by 'bifilar inspect ROBOT --full'; patterns such as '*.viscous' or 'link7.*'",
    ),
    "parameters.other_robot/information": Message(
        "the base parameters do not belong to this robot, or the robot has a floating base",
        remedy="use base_parameters(robot) of a robot with a fixed base",
        cli="name a robot with a fixed base",
    ),
    "period.samples/covered": Message(
        "the samples cover {covered:.3g} of a period of {period:g} s",
        likely="the base frequency of another motion",
        remedy="give at least one whole period",
    ),
    "period.samples/refit": Message(
        "a period of {period:.6g} s has {period_2:.6g} samples, which is not a whole number",
        remedy="use a base frequency of {near:.6g} Hz (see FourierBasis.synchronous), or refit without averaging",
    ),
    "plane.normal": Message("the normal of a plane is zero", remedy="give a direction such as (0, 0, 1)"),
    "point.form/recheck": Message("the point of '{frame}' must be three finite numbers [m], it is {point!r}"),
    "poses.none/poses": Message("there is no pose to hold", remedy="give at least one"),
    "robot.floating/clearance": Message(
        "'{name}' has a floating base",
        remedy="use a robot with a fixed base: the constraints need one",
        cli="name a robot with a fixed base: the constraints need one",
    ),
    "robot.floating/recheck": Message(
        "robot '{name}' has a floating base; motions are checked on a fixed base",
        remedy="load it with floating=False: its root is then fixed",
        cli="name a robot with a fixed base",
    ),
    "robot.floating/torque_limits": Message(
        "'{name}' has a floating base",
        remedy="use a robot with a fixed base: torque limits need one",
        cli="name a robot with a fixed base: torque limits need one",
    ),
    "samples.too_few/least_squares": Message(
        ("{t_count} samples cannot determine {unknowns} numbers per joint ({harmonic_count} harmonics and an offset)"),
        remedy="give {unknowns} samples or more, or fewer harmonics",
    ),
    "samples.too_few/refit": Message(
        "{t_count} samples are fewer than a period of {m}", remedy="record at least one whole period"
    ),
    "samples.too_few/rising": Message("there are {t_count} samples", remedy="give at least two"),
    "setting.wrong/checks": Message("{thing} is {shown}", remedy="give one finite number{words}"),
    "setting.wrong/information": Message("others is {others!r}", remedy='give "known" or "unknown"'),
    "setting.wrong/number": Message("{thing} is {value!r}", remedy="give a finite number{above}"),
    "setting.wrong/points": Message("{thing} is {value!r}", remedy="give three {finite}numbers [m]"),
    "setting.wrong/row": Message("{thing} of joint '{name}' is {array}"),
    "shape.wrong/checks": Message("time has the shape {shape}, not one axis", remedy="give time.ravel()"),
    "shape.wrong/fourier": Message(
        "coefficients have {c_count} rows, the motion has {name_count} joints",
        remedy="give ({name_count}, {label_count}): a row per joint",
        listed=("joints",),
    ),
    "shape.wrong/information": Message(
        "the prior information has the shape {shape} for {count} parameters",
        likely="another robot, friction or choice of parameters",
        remedy="give design.information of the same robot, friction and parameters",
    ),
    "shape.wrong/piecewise": Message("control has the shape {shape}, it must be ({knot_count}, degree + 1, {name_count})"),
    "shape.wrong/row": Message("{thing} has the shape {shape}, the motion has {name_count} joints", listed=("joints",)),
    "spline.degree": Message("the degree of a spline is {degree}", remedy="give a whole number from 1; 5 is usual"),
    "spline.points": Message(
        "a spline of degree {degree} has {control_count} control points", remedy="give at least {degree_2}"
    ),
    "sweep.no_pose": Message(
        "no sweep of '{joint_name}' was found that the actuators can hold against gravity",
        likely="effort limits that are too small",
        remedy="robot.with_limits(...)",
        cli=("give effort limits by --limits FILE ('bifilar design ROBOT --write-limits limits.toml' writes one to fill in)"),
    ),
    "sweep.poses": Message("{count} poses of a joint do not determine a sinusoid with an offset", remedy="count=5 or more"),
    "sweep.range": Message(
        "joint '{joint}' would sweep from {lower:g} to {upper:g}", remedy="give a lower end below the upper one"
    ),
    "sweep.repeats": Message("the number of repeats is {repeats}", remedy="give a whole number from 1"),
    "sweep.too_fast": Message(
        "joint '{joint}' cannot reach {v:g} rad/s within {way:g} rad: acceleration alone needs {v_2:.4g} rad",
        remedy="use a speed below {sqrt:.3g} rad/s, a higher acceleration, or a longer range",
    ),
    "torque.error_unknown": Message(
        "errors of the model: it is taken as exact",
        remedy="TorqueWithin(uncertainty=0.2), or the covariance of an estimate",
        cli="--uncertainty 0.2, or the folder of a fit in place of the robot",
    ),
    "torque.friction_unknown": Message(
        "friction: the model describes none",
        remedy="robot.with_friction(...), or the robot of an estimate",
        cli="the folder of a fit in place of the robot",
    ),
    "torque.friction_unknown/some": Message(
        "friction of {joints:join}: the model describes none",
        remedy="robot.with_friction(...), or the robot of an estimate",
        cli="the folder of a fit in place of the robot",
    ),
    "torque.margin": Message(
        "TorqueWithin has uncertainty {uncertainty!r} and margin {margin!r}",
        remedy="give fractions: uncertainty from 0, margin from 0 to less than 1",
    ),
    "torque.parameters_unknown": Message("{names:join}, of which the fit knows nothing"),
    "torque.residual": Message("torque that the fitted model does not explain, RMS {residual:.2g} {unit} at {joint}"),
    "unit.unknown/files": Message(
        "the unit {unit!r} of joint '{joint}' is not known", remedy="use rad, or m for prismatic joints"
    ),
}

"""Sentences about experiment, by key (see `bifilar.messages`)."""

from __future__ import annotations

from bifilar.messages import Message

MESSAGES = {
    "box.empty/points": Message(
        "the box for '{frame}' is empty along {axe}: from {lower:g} to {upper:g} m",
        likely="lower and upper were exchanged",
        remedy="a wider box, or a smaller margin",
        cli="a wider box, or a smaller --clearance",
    ),
    "box.empty/post_init": Message(
        "the box for '{frame}' is empty along {axe}: from {lower:g} to {upper:g} m",
        remedy="a wider box, or a smaller margin",
        cli="a wider box, or a smaller --clearance",
    ),
    "box.no_wall": Message("the box for '{frame}' has no finite side", remedy="at least one finite side"),
    "certificate.broken": Message(
        "the motion{told} breaks '{name}', or it cannot be proven that it does not",
        remedy="a smaller motion; {words}",
        listed=("limit", "room", "others"),
    ),
    "certificate.changed": Message("{name} was changed after it was certified", remedy="design or certify the motion again"),
    "certificate.contradicts": Message(
        "the certificate of {name} contradicts itself", remedy="design or certify the motion again"
    ),
    "certificate.no_run": Message("the certificate has no run at {speed!r}", listed=("speeds",)),
    "certificate.not_at_rest": Message(
        "the motion{told} does not begin and end at rest: {thing} of {joint_name} is {value:.3g}",
        remedy="coefficients from bf.rest_basis, or design one",
    ),
    "certificate.not_covered": Message("the certificate does not cover {name}", listed=("files",)),
    "certificate.not_proven/certify": Message(
        "limits of a {kind} are not proven", remedy="a Fourier series: bf.refit gives one"
    ),
    "certificate.not_proven/proof": Message(
        "limits of a faded series are not proven", remedy="use a series that is at rest by itself (fade=0)"
    ),
    "certificate.other_limits": Message(
        "{name} was certified for other limits", likely="a changed limits file", remedy="design or certify the motion again"
    ),
    "certificate.other_motion": Message("{name} does not hold the motion that was certified"),
    "certificate.other_robot": Message(
        "{name} was certified for another robot", likely="other masses or links", remedy="design or certify the motion again"
    ),
    "certificate.second_check/ask_again": Message(
        "a second check of '{name}' disagrees with the first by {worst:.2g}", likely="a fault in bifilar: please report it"
    ),
    "certificate.second_check/certify": Message(
        "a second check of the motion{told} finds the {thing} limit of {joint_name} broken"
    ),
    "certificate.speeds": Message("the speeds are {speeds}", remedy="shares of the full speed, above 0 and up to 1"),
    "certificate.unreadable": Message("the certificate cannot be read: {reason}", remedy="certify the motion again"),
    "clearance.no_pair": Message("there is no pair of capsules to keep apart", remedy="leave the constraint away"),
    "clearance.no_shapes": Message(
        "'{name}' has no shapes to keep apart",
        remedy="own=[bf.Capsule(link, start, end, radius), ...]",
        cli="give the links <collision> shapes in the description; --above and --within need none",
    ),
    "clearance.setting/clearance": Message(
        "there is no pair {wrong:join}", remedy="pairs are two places in capsules; distances in m", listed=("capsules",)
    ),
    "clearance.setting/post_init": Message(
        "the least distance is {least!r}, margin {margin!r}",
        remedy="pairs are two places in capsules; distances in m",
        listed=("capsules",),
    ),
    "clock.not_rising/files": Message("the samples are not one after the other, in steps of at least 1 ns"),
    "clock.not_rising/piecewise": Message("{thing} do not rise: {time:g} s is followed by {time_2:g} s"),
    "clock.not_rising/refit": Message(
        "time goes from {t:.6g} s to {t_2:.6g} s", likely="two recordings in one, or a clock that was set"
    ),
    "clock.not_rising/rises": Message("time goes from {time:.9g} s to {time_2:.9g} s"),
    "clock.start": Message("{thing} begin at {time:g} s", remedy="let them begin at 0"),
    "clock.uneven/refit": Message(
        "timestamps are up to {uneven:.2g} samples away from equal spacing", remedy="resample, or refit without averaging"
    ),
    "constraint.unknown/design": Message(
        "{strange!r} is no constraint", remedy="bf.Above, Within, SpeedBelow, TorqueWithin or Clearance"
    ),
    "criterion.sharpness": Message("the sharpness is {sharpness:g}", remedy="give 1 or more"),
    "criterion.unknown": Message("there is no criterion '{kind}'", remedy="choose one of {kinds:join}"),
    "design.kind/design": Message("how long may the motion take?", remedy='duration=20.0 [s], or kind="sweep" for held poses'),
    "design.kind/design_design": Message(
        "there is no kind '{kind}' of motion", remedy='duration=20.0 [s], or kind="sweep" for held poses'
    ),
    "design.no_pose": Message(
        "no pose is inside every constraint: the best pose found is short of {lack:.3g} {unit} of '{name}'",
        listed=("in conflict with", "pose"),
    ),
    "design.no_pose/who": Message("{who} is short of {lack:.3g} {unit} of '{name}'", listed=("in conflict with", "pose")),
    "design.not_proven": Message(
        ("no motion is proven to keep its limits; the first one has {margin:.3g} of {quantity} left at {joint}"),
        remedy="a smaller margin, a longer duration, or fewer harmonics",
        cli="a smaller --margin, a longer duration, or fewer harmonics",
    ),
    "design.open_parameters": Message(
        "no motion inside these limits shows every parameter; open are {worst}",
        likely="limits so tight that the robot hardly moves",
        remedy="another start pose, or only=[...] for the parameters that matter",
        cli="another --start, or --only for the parameters that matter",
        lead="wider limits, a longer duration, ",
    ),
    "design.seed": Message("the seed is {seed!r}, the number of starts {starts!r}", remedy="whole numbers from 0 and from 1"),
    "design.sweep_duration": Message(
        "sweeps take as long as their poses need", remedy="leave duration out; hold=... seconds per pose"
    ),
    "duration.fades": Message(
        "two fades of {fade:g} s leave nothing of {duration:g} s", remedy="more than {2*fade:g} s, or shorter fades"
    ),
    "duration.missing/poses": Message("how long may a move take?", remedy="give move=... seconds, or limits=robot.limits"),
    "duration.missing/redesign": Message("a first motion needs a duration", remedy="give duration=... in seconds"),
    "duration.periods/harmonics": Message("the number of periods is {periods:g}", remedy="give a whole number"),
    "duration.periods/harmonics_whole_periods": Message(
        "{total:g} s are {periods:.4g} periods of {frequency:g} s, not a whole number",
        remedy="a duration of {near:join| or }, or no base frequency at all",
    ),
    "duration.periods/whole_periods": Message(
        "{total:g} s hold {periods:.3g} of a period of {frequency:g} s",
        likely="too short for the base frequency",
        remedy="{frequency_2:g} s or longer, or a base frequency of {total_2:.4g} Hz",
    ),
    "file.empty/files": Message("the file is empty", likely="an interrupted copy", remedy="copy or record it again"),
    "file.not_csv": Message("the file is not CSV: {error}"),
    "file.not_text/files": Message(
        "the file cannot be read: it is not text in UTF-8",
        remedy="name a text file; this one is a picture, an archive or the like",
    ),
    "file.not_text/lines": Message(
        "the file is not text: it holds a NUL byte", remedy="name a text file; this one is a picture, an archive or the like"
    ),
    "file.ragged/files": Message("the line has {field_count} fields, the header {width}", likely="an interrupted copy"),
    "file.ragged/numbers": Message(
        "the line has {field_count} fields, the header {width}", likely="a comma as the decimal sign"
    ),
    "file.too_large/parquet": Message("the table unfolds to {held:.1f} GiB, more than {most}"),
    "friction.not_linear/information": Message(
        "load-dependent friction cannot be designed for", remedy="leave the term away here"
    ),
    "gravity.none/sweep_plan": Message(
        "there is no gravity to measure", remedy="robot.with_gravity(...)", cli="a robot that gravity pulls at"
    ),
    "gravity.not_shown": Message("gravity shows no joint of this arm: every axis is parallel to it", remedy="tilt the base"),
    "harmonics.not_told": Message(
        "the harmonics cannot be separated by these samples",
        likely="harmonics faster than half the sampling rate, or timestamps that repeat the same phases",
        remedy="sample faster, or fewer harmonics",
    ),
    "harmonics.too_fast/harmonics": Message(
        "in {duration:g} s harmonic {largest} has {highest_frequency:.4g} Hz, above {highest:g} Hz",
        likely="too short for so many harmonics",
        remedy="{slow:.4g} s or longer, or fewer harmonics",
    ),
    "harmonics.too_fast/synchronous": Message(
        "harmonic {largest} has {highest_frequency:.4g} Hz, too fast for {rate:g} samples per second",
        remedy="sample faster than {2*highest_frequency:.4g} Hz, or slow the motion down",
    ),
    "harmonics.too_few": Message(
        "{count} harmonic{value} cannot begin and end at rest: only standing still would",
        remedy="take more harmonics, or a fade instead",
    ),
    "harmonics.wrong": Message(
        "{harmonics!r} are no harmonics", remedy="give whole numbers from 1, each once, or how many from 1 on"
    ),
    "joint.unknown/checks": Message(
        "the motion has no joint '{joint}'", likely="a misspelling of {near:quoted| or }", listed=("joints",)
    ),
    "joints.none/checks": Message("a motion needs the names of its joints", remedy="give robot.joint_names"),
    "joints.none/files": Message("there is no joint in the file", remedy="columns such as 'elbow.position_rad'"),
    "joints.twice": Message("the joint '{twice}' is named {count} times", remedy="name every joint once"),
    "limits.broken/checks": Message(
        "{thing} {row} has joint '{joint}' at {position:.6g}, {beyond:.3g} beyond its limit", listed=("allowed",)
    ),
    "limits.broken/degrees": Message(
        "{thing} {row} has joint '{joint}' at {position:.6g}, {beyond:.3g} beyond its limit",
        likely="degrees where radians are asked for",
        listed=("allowed",),
    ),
    "limits.broken/envelope": Message(
        "{thing} is outside the limits, or at their edge: {joint_name} at {pose:.4g}",
        likely="degrees, not radians",
        remedy="take a smaller margin",
        cli="take a smaller --margin",
        lead="move it by {out:.3g}, or ",
        listed=("limits",),
    ),
    "limits.broken/holds": Message(
        "{thing} is outside the limits, or at their edge: {joint_name} at {pose:.4g}",
        remedy="take a smaller margin",
        cli="take a smaller --margin",
        lead="move it by {out:.3g}, or ",
        listed=("limits",),
    ),
    "limits.count/checks": Message("the limits are of {lower_count} joints, the motion has {name_count}"),
    "limits.count/poses": Message("the limits are of {velocity_count} joints, the motion has {name_count}"),
    "limits.effort_missing/torque_limits": Message(
        "the effort limits of {unknown:join} are not known",
        remedy="robot.with_limits({{...: {{'effort': ...}}}}), or design without torque limits",
        cli=("give effort limits by --limits FILE ('bifilar design ROBOT --write-limits limits.toml' writes one to fill in)"),
    ),
    "limits.file/constraint_file": Message(
        "a file of limits has no table '{name}'", likely=("a misspelling of {near:quoted}", "known are {choices:join}")
    ),
    "limits.file/constraint_file_load_constraints": Message(
        "[collision] has no '{entry}'", likely=("a misspelling of {near:quoted}", "known are {choices:join}")
    ),
    "limits.file/constraint_file_made": Message("the table is incomplete, or a value has the wrong kind: {error}"),
    "limits.file/load_constraints": Message("'collision' is no table", remedy="write [collision], in single brackets"),
    "limits.file/made": Message(
        "there is no '{entry}' here", likely=("a misspelling of {near:quoted}", "known are {choices:join}")
    ),
    "limits.file/tables": Message("'{name}' is no list of tables", remedy="write [[{name}]], in double brackets"),
    "limits.missing/envelope": Message(
        "limits are not known: {gaps:join|; }",
        likely="continuous joints, or a description without <limit>",
        remedy=(
            "bf.write_limits(robot, 'limits.toml') writes a file to fill in: [joints.NAME] lower = -2.0, "
            "upper = 2.0, velocity = 1.5, acceleration = 5.0; then robot.with_limits('limits.toml')"
        ),
        cli="--limits FILE ('bifilar design ROBOT --write-limits limits.toml' writes one to fill in)",
    ),
    "limits.missing/sweep_plan": Message(
        "sliding joint '{name}' has no limits to sweep between",
        remedy="robot.with_limits(...)",
        cli="--limits FILE ('bifilar design ROBOT --write-limits limits.toml' writes one to fill in)",
    ),
    "limits.no_room": Message(
        "{joint} cannot move: its {quantity} may go from {lower:g} to {upper:g}",
        remedy="robot.locked(['{joint}']), or other limits",
        cli="--lock {joint}, or other limits by --limits",
    ),
    "limits.no_room/sweep_plan": Message(
        "joint '{name}' has no range left for a sweep",
        remedy="a smaller margin, or lock the joint",
        cli="a smaller --margin, or --lock",
    ),
    "limits.no_stops": Message(
        "joint '{name}' has no stops to be pressed on",
        remedy="at_stops=False, or robot.with_limits(...)",
        cli=("give effort limits by --limits FILE ('bifilar design ROBOT --write-limits limits.toml' writes one to fill in)"),
    ),
    "limits.velocity_missing": Message(
        "joint '{name}' has no limit of velocity",
        likely="the description does not state it",
        remedy="state it there, or give move=... seconds",
    ),
    "margin.wrong/envelope": Message("the margin is {margin!r}", remedy="give a share from 0 to less than 1"),
    "margin.wrong/points": Message("the margin is {margin:g}", remedy="a share from 0 to less than 1"),
    "motion.channel_missing/files": Message("joint '{missing}' has no {name}", remedy="a column '{missing}.{name}_rad{per}'"),
    "motion.column_twice/channels": Message("the {thing} of joint '{joint}' exists in two units"),
    "motion.column_twice/files": Message("the column '{twice}' exists {count} times"),
    "motion.column_unknown": Message(
        "the column '{name}' is not understood",
        remedy="JOINT.position_rad, JOINT.velocity_rad_per_s, JOINT.acceleration_rad_per_s2; rad, deg, m or mm",
    ),
    "motion.empty/compose": Message("there is no trajectory to concatenate", remedy="give at least one"),
    "motion.empty/files": Message("a motion without samples cannot be executed"),
    "motion.empty/finite": Message("the table has columns and no samples", likely="an interrupted copy"),
    "motion.empty/numbers": Message("the file has a header and no samples", likely="an interrupted copy"),
    "motion.faster": Message(
        "slowed by {factor:g}, the motion would become faster",
        likely="{100*factor:g} % of the speed was meant",
        remedy="give {factor_2:g}, or design a faster motion",
    ),
    "motion.file_ending/commanded": Message(
        "a ROS 2 JointTrajectory is written for controllers, not read", remedy="the {forms} it was made with"
    ),
    "motion.file_ending/read": Message("a motion has no form '{ending}'", remedy="a {forms} file"),
    "motion.file_ending/read_none": Message("the name of the motion has no ending", remedy="a {forms} file"),
    "motion.file_ending/written": Message("a motion has no form '{ending}'", remedy="name it {forms}"),
    "motion.file_ending/written_none": Message("the name of the motion has no ending", remedy="name it {forms}"),
    "motion.joints_differ/compose": Message(
        "part {k} moves the joints {joint_names:join}, part 0 {joint_names_2:join}", likely="the same joints in another order"
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
    "motion.length/piecewise": Message("there are {q_count} points and {t_count} times", remedy="give one time per point"),
    "motion.length/refit": Message(
        "{thing} has {value_count} samples, time has {t_count}", remedy="give one timestamp per sample"
    ),
    "motion.length/trajectory": Message("the motion has {time_count} instants and {position_count} positions"),
    "motion.no_time/channels": Message("there is no column 'time_s'", listed=("columns",)),
    "motion.no_time/files": Message(
        "there is no column 'time_s'", likely="no header, or time under another name", listed=("columns",)
    ),
    "motion.other_joints": Message("the motion is of other joints than the robot's", listed=("motion", "robot")),
    "motion.too_short/piecewise": Message(
        "{thing} are {time_count} instants, a motion needs two", remedy="give a start and an end"
    ),
    "motion.too_short/splines": Message("a motion needs two points, there is {p_count}", remedy="give a start and an end"),
    "noise.unknown/design": Message(
        "the torque noise is not known: {unknown:join} have no effort limit to take a share of",
        remedy="give noise=... in N m, one number or one per joint",
        cli="--noise in N m, one number or one for each joint",
    ),
    "not_finite/certify": Message("the motion holds numbers that are not finite"),
    "not_finite/checks": Message("time is {t} in sample {k}", remedy="cut out those samples"),
    "not_finite/files": Message("the sample holds a number that is not finite", likely="a gap in a recording"),
    "not_finite/numbers": Message("the line holds a number that is not finite", likely="a gap in a recording"),
    "not_numbers/files": Message("not a number: {field!r}"),
    "parameters.no_match/information": Message(
        "the noise must be positive",
        remedy="see base_parameters(robot).independent; noise in N m",
        cli="names are listed by 'bifilar inspect ROBOT --full'; patterns such as '*.viscous' or 'link7.*'",
    ),
    "parameters.no_match/on": Message(
        "no base parameter matches {only:join}",
        remedy="see base_parameters(robot).independent; noise in N m",
        cli="names are listed by 'bifilar inspect ROBOT --full'; patterns such as '*.viscous' or 'link7.*'",
    ),
    "parameters.other_robot/information": Message(
        "the base parameters do not belong to this robot",
        remedy="see base_parameters(robot).independent; noise in N m",
        cli="names are listed by 'bifilar inspect ROBOT --full'; patterns such as '*.viscous' or 'link7.*'",
    ),
    "period.samples/covered": Message(
        "the samples cover {covered:.3g} of a period of {period:g} s",
        likely="a base frequency of another motion",
        remedy="give at least one whole period",
    ),
    "period.samples/refit": Message(
        "a period of {period:.6g} s is {period_2:.6g} samples, not a whole number",
        remedy="a base frequency of {near:.6g} Hz (see FourierBasis.synchronous), or refit without averaging",
    ),
    "plane.normal": Message("the normal of a plane is zero", remedy="a direction such as (0, 0, 1)"),
    "point.form/recheck": Message("the point of '{frame}' must be three finite numbers [m], it is {point!r}"),
    "poses.none/poses": Message("there is no pose to hold", remedy="give at least one"),
    "robot.floating/clearance": Message("'{name}' has a floating base", remedy="constraints are for robots on a fixed base"),
    "robot.floating/recheck": Message(
        "robot '{name}' floats; motions are rechecked on a fixed base",
        remedy="load it with floating=False: its root is then held",
        cli="a robot that stands on a fixed base",
    ),
    "robot.floating/torque_limits": Message(
        "'{name}' has a floating base", remedy="torque limits are for robots on a fixed base"
    ),
    "samples.too_few/least_squares": Message(
        ("{t_count} samples cannot determine {unknowns} numbers per joint ({harmonic_count} harmonics and an offset)"),
        remedy="give {unknowns} samples or more, or fewer harmonics",
    ),
    "samples.too_few/refit": Message(
        "{t_count} samples are less than a period of {m}", remedy="record at least one whole period"
    ),
    "samples.too_few/rising": Message("there are {t_count} samples", remedy="give at least two"),
    "setting.wrong/checks": Message("{thing} is {shown}", remedy="give one finite number{words}"),
    "setting.wrong/information": Message("the others are {others!r}", remedy="known, or unknown"),
    "setting.wrong/number": Message("{thing} is {value!r}", remedy="give a finite number{above}"),
    "setting.wrong/points": Message("{thing} is {value!r}", remedy="give three {finite}numbers [m]"),
    "setting.wrong/row": Message("{thing} of joint '{name}' is {array}"),
    "shape.wrong/checks": Message("time has the shape {shape}, one axis is asked for", remedy="give time.ravel()"),
    "shape.wrong/fourier": Message(
        "coefficients have {c_count} rows, the motion has {name_count} joints",
        remedy="give ({name_count}, {label_count}): a row per joint",
        listed=("joints",),
    ),
    "shape.wrong/information": Message(
        "the prior information has the shape {shape}, and there are {count} parameters",
        likely="another robot, friction or choice of parameters",
        remedy="design.information of the same",
    ),
    "shape.wrong/piecewise": Message("control has the shape {shape}, ({knot_count}, degree + 1, {name_count}) is asked for"),
    "shape.wrong/row": Message("{thing} has the shape {shape}, the motion has {name_count} joints", listed=("joints",)),
    "spline.degree": Message("the degree of a spline is {degree}", remedy="give a whole number from 1; 5 is usual"),
    "spline.points": Message(
        "a spline of degree {degree} has {control_count} control points", remedy="give at least {degree_2}"
    ),
    "sweep.no_pose": Message(
        "no sweep of '{joint_name}' was found that the motors can hold against gravity",
        likely="effort limits that are too small",
        remedy="robot.with_limits(...)",
        cli=("give effort limits by --limits FILE ('bifilar design ROBOT --write-limits limits.toml' writes one to fill in)"),
    ),
    "sweep.poses": Message("{count} poses of a joint do not determine a sinusoid with an offset", remedy="count=5 or more"),
    "sweep.range": Message("joint '{joint}' is to sweep from {lower:g} up to {upper:g}", remedy="give lower below upper"),
    "sweep.repeats": Message("the number of repeats is {repeats}", remedy="give a whole number from 1"),
    "sweep.too_fast": Message(
        "joint '{joint}' cannot reach {v:g} rad/s within {way:g} rad: its ramps take {v_2:.4g} rad",
        remedy="a speed below {sqrt:.3g}, or more acceleration or way",
    ),
    "torque.margin": Message(
        "TorqueWithin has uncertainty {uncertainty!r} and margin {margin!r}",
        remedy="shares: uncertainty from 0, margin from 0 to less than 1",
    ),
    "unit.unknown/files": Message("joint '{joint}' is to be written in {unit!r}", remedy="rad, or m for sliding joints"),
}

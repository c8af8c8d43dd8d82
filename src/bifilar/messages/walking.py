"""Sentences about walking, by key (see `bifilar.messages`)."""

from __future__ import annotations

from bifilar.messages import Message

MESSAGES = {
    "bars.dry_friction": Message(
        "reversals of Coulomb friction between two samples are not modelled: standard deviations are too small "
        "if the torque noise is low"
    ),
    "bars.white/all": Message("standard deviations assume white noise"),
    "clock.uneven/stretches": Message(
        "the sampling interval is not constant", remedy="resample the log; 'bifilar check LOG' shows where"
    ),
    "contacts.not_finite": Message("the contacts contain NaN or infinity", remedy="give 1 or 0 for every sample"),
    "contacts.shape": Message(
        "contacts have the shape {shape}, but there are {count} samples and {feet_count} feet",
        remedy="give one column per foot, 1 where it touches, in the order of feet=...",
    ),
    "cost.falls/stance_likelihood": Message(
        "not converged: the cost still decreases after {iterations} iterations", remedy="raise iterations=... or row_noise=..."
    ),
    "filter.kind_unknown": Message(
        "filter '{kind}' with touchdown update '{passage}' does not exist",
        remedy="choose extended or unscented; {passages:join}",
    ),
    "filter.lost": Message("the filter diverges at the first sample", remedy="check the units and signs of the log"),
    "gait.constraints": Message(
        "the constraints act on the stance link, or leave other links undetermined", remedy="leave one link free"
    ),
    "gait.constraints_shape": Message(
        "constraints have {shape} numbers instead of {shape_2}",
        remedy="give one for each of the {n} motors: ({n}, {n_2}) and ({n},)",
    ),
    "gait.law": Message("eps {eps:g} and alpha {alpha:g} are not valid", remedy="give eps > 0 [s], 0 < alpha <= 1"),
    "gait.legs_differ": Message(
        "the legs are different: a step on one is not a step on the other",
        likely="masses, lengths or centres of mass that differ from leg to leg",
        remedy="use simulate(...) over two steps; a gait of one step needs equal legs",
    ),
    "gait.needs_angle": Message("a gait is defined at a touchdown angle", remedy="give Guard(angle=...)"),
    "gait.no_touchdown": Message(
        "no touchdown within {longest:g} s",
        likely="a walker that came to rest before its foot came down, or too slow a start",
        remedy="start faster, or give Guard(angle=...) an earlier touchdown",
    ),
    "gait.none": Message("no gait was found: {why}", remedy="lean the torso forward, or use an earlier touchdown"),
    "gait.not_biped": Message(
        "{n} links are not a torso and two equal legs", remedy="give Feedback(...) constraints of your own"
    ),
    "gait.other_plant": Message(
        "the plant of the stride is not that of the controller",
        remedy="use simulate(...), which integrates the plant with sampled torques",
    ),
    "impact.both_feet": Message(
        "'{feet}' would penetrate the ground at {lift:.3g} m/s",
        remedy="choose another state: both feet stay on the ground, which the model with one contact does not describe",
    ),
    "impact.pulls": Message(
        "the impact would need a pulling force of the ground ({normal:.3g} N s)",
        remedy="choose another state: the foot rebounds",
    ),
    "impact.slips": Message(
        "the foot slips: the impact needs a friction coefficient of {needs:.2f}",
        remedy="choose another state or ground: its coefficient is {grip:.2f}",
    ),
    "link.unknown/ground": Message(
        "the robot has no link '{unknown}'",
        remedy=(
            "feet are links; similar names are {near:join}",
            "name links of the robot",
        ),
    ),
    "link.unknown/walker": Message("walker '{name}' has no link '{link}'", listed=("links",)),
    "not_finite/stance": Message(
        "{name} is not finite in sample {row}",
        likely="a gap in the recording",
        remedy="split the segment there: one log before, one after",
    ),
    "reading.lost/sensor_set": Message(
        "{channel} reads {reading:g} at {time:g} s",
        likely="a lost sample, or a sensor that was not connected",
        remedy='use missing="skip", which uses the other channels',
    ),
    "reading.lost/stretches": Message(
        "{bad} reads {sensors_of:g} at {time:g} s",
        likely="a lost sample, or a sensor that was not connected",
        remedy="skip=True leaves out segments with lost readings",
        cli="--skip leaves out segments with lost readings",
    ),
    "recording.channel_missing": Message(
        "the recording has no {missing}",
        remedy="state them in the mapping; derivatives of a velocity with jumps are no substitute",
        listed=("has",),
    ),
    "recording.column_missing": Message(
        "the log has no column {column}.{name}",
        remedy="state the walker's sensors with --sensors, or the columns in a mapping",
        listed=("has",),
    ),
    "robot.fixed_base": Message("the robot has a fixed base", remedy="load it with floating=True"),
    "robot.has_friction": Message(
        "the robot model has friction", remedy="use robot.with_friction(()): inertial parameters alone are identified here"
    ),
    "sensors.axes/sensors": Message("an accelerometer has {axes} axes", remedy="give 2 (x, z) or 3 (x, y, z)"),
    "sensors.axes/stance_sensors": Message(
        "the accelerometer has three axes", remedy="give one with two axes; y does not depend on the angle"
    ),
    "sensors.empty": Message("the readings of a sensor are all NaN", remedy="leave the sensor out"),
    "sensors.length": Message(
        "the readings of a sensor and the positions have different lengths", remedy="give one reading per sample"
    ),
    "sensors.no_absolute_angle": Message(
        "no sensor measures the walker's absolute angle",
        remedy="add an accelerometer and a gyroscope on one link (--sensors imu), or a distance meter",
        listed=("has",),
    ),
    "sensors.no_encoder/sensors": Message("walker '{name}' has no encoder at '{joint}'", listed=("encoders",)),
    "sensors.no_encoder/stretches": Message(
        "no encoder measures '{joint}'", remedy="add its encoder: only the pivot may have none"
    ),
    "sensors.set_unknown/sensor_file": Message(
        "unknown set of sensors '{name}'", remedy="use one of the sets below, or a .toml file", listed=("sets",)
    ),
    "sensors.set_unknown/sensor_set": Message("unknown set of sensors '{kind}'", listed=("sets",)),
    "sensors.setting/set": Message("the {name} of a {kind} is {value}", remedy="give a finite number, noise zero or more"),
    "simulation.lost": Message("the simulation diverges after {k:g} s", remedy="give the joints some friction"),
    "stance.deviation": Message(
        "a standard deviation is negative", remedy="give positive ones for positions, infinity without an encoder"
    ),
    "stance.differ": Message(
        "the segments have different sampling intervals, noise or sensors", remedy="fit those of one experiment together"
    ),
    "stance.no_effect": Message(
        "{shape} of {shape_2} parameters have no effect on these segments",
        likely="a joint that hardly moves",
        remedy="move every joint, or keep the parameters of the others with base=...",
    ),
    "stance.no_start": Message(
        "'{name}' has no encoder, and no initial motion is given",
        remedy="compute it from the other sensors and give it as motion=...",
    ),
    "stance.none": Message("no segment is given", remedy="give at least one StanceLog"),
    "stance.shapes": Message(
        "position {shape} and torque {shape_2} have different shapes", remedy="give both as (samples, joints)"
    ),
    "stance.too_short/stance": Message(
        "a segment of {self_count} samples is too short for differences over {span}",
        remedy="use differences over fewer samples, or a longer segment",
    ),
    "stance.too_short/stretches": Message(
        "no segment on one foot has {shortest} consecutive samples{words}",
        likely="a low sampling rate, or a walker with both feet on the ground",
        remedy="record at a higher rate",
    ),
    "state.shape/hybrid_maps": Message("a state has {shape} numbers", remedy="give {self_count}: {names:join}"),
    "state.shape/phases": Message(
        "a state has {shape} numbers{words}", remedy="give {self_count} angles of links and {self_count} rates: {names}"
    ),
    "toml.value/carried": Message(
        "the standard deviation of the torque is {torque:g} N m",
        remedy="write [[sensor]] with kind, link and noise; torque = 0.02 above them",
    ),
    "toml.value/sensor": Message("the sensor has no '{place}'", remedy='add {place} = "..."'),
    "toml.value/sensor_file": Message(
        "the file lists no sensors", remedy="write [[sensor]] with kind, link and noise; torque = 0.02 above them"
    ),
    "torque.missed": Message(
        "the torque residual is {missed:.2g} times the stated noise",
        remedy="use another initial motion, or check the noise, the robot model and the signs",
    ),
    "torque.missing/stretches": Message(
        "the log has no torque of '{joint}'", remedy="record it: the torque of every motor is needed"
    ),
    "torque.missing/walk_track": Message("a torque is NaN", remedy="remove these samples: the filter needs every torque"),
    "touchdown.foot_rises": Message(
        "the foot does not move down: its distance to the ground changes by {down:.3g} per second",
        likely="a state that is not near a touchdown",
        remedy="give the state in which this distance decreases through zero",
    ),
    "touchdown.no_sensor": Message(
        "the sensors have no {by} to detect touchdowns", remedy="use a switch", listed=("channels",)
    ),
    "touchdown.not_told": Message(
        "the time of the touchdown is not given", remedy="give since=..., or choose another touchdown update"
    ),
    "touchdown.unknown_way": Message("touchdowns cannot be detected by '{by}'", listed=("detectors",)),
    "walk.no_stance_foot": Message(
        "the log does not state the stance foot", remedy="add columns {feet:join}: 1 while the foot touches the ground"
    ),
    "walk.no_stride": Message("no stride is left for the fit", remedy="record more strides, or hold fewer out"),
    "walk.one_foot/legs": Message("only strides on '{foot}' are used: the legs are different"),
    "walk.one_foot/sensor": Message("only strides on '{foot}' are used: {sensors:join} is mounted on a leg"),
    "walk.other_parameters": Message(
        "the parameters are not those of this walker in single support",
        remedy="name a file that 'bifilar walk fit' wrote for this walker",
        listed=("has",),
    ),
    "walker.axis_direction/check": Message(
        "joint '{name}' of robot '{name_2}' turns about -y",
        remedy=(
            "use a slide along x, a slide along z and a rotation about y as its first three joints, rotations about "
            "y for the others"
        ),
    ),
    "walker.axis_direction/walker": Message(
        "joint '{name}' of robot '{name_2}' does not turn about y",
        remedy=(
            "use a slide along x, a slide along z and a rotation about y as its first three joints, rotations about "
            "y for the others"
        ),
    ),
    "walker.beta_shape": Message("beta has the shape {shape}", remedy="give {self_count} numbers: {names:join}"),
    "walker.coordinates": Message(
        "{n} names, a map of shape {shape} and an offset of shape {shape_2} do not match",
        remedy="give n names, an invertible n x n matrix, and n numbers",
    ),
    "walker.falls": Message(
        "the walker {thing} within {duration:g} s", remedy="simulate longer, or disturb it less; a step takes {period:.2f} s"
    ),
    "walker.friction": Message(
        "'{strange}' is a friction term that walkers do not support", remedy="use Viscous(), Coulomb() and RotorInertia() only"
    ),
    "walker.joint_kind": Message(
        "joint '{name}' of robot '{name_2}' is not {word}",
        remedy=(
            "use a slide along x, a slide along z and a rotation about y as its first three joints, rotations about "
            "y for the others"
        ),
    ),
    "walker.joints": Message(
        "robot '{name}' is not a planar walker: it has {name_count} joints",
        remedy=(
            "use a slide along x, a slide along z and a rotation about y as its first three joints, rotations about "
            "y for the others"
        ),
    ),
    "walker.legs_differ": Message("different legs need constants for each foot", remedy="give both"),
    "walker.needs_two_feet": Message("steps need two feet; '{name}' has {feet_count}", remedy="name both: feet=(...)"),
    "walker.no_feet": Message("robot '{name}' has no feet", remedy="name the links that touch the ground: feet=(...)"),
    "walker.no_swing_foot": Message("a walker with {feet_count} feet has no swing foot", remedy="give two feet"),
    "walker.segment": Message(
        "segment '{name}' is physically inconsistent: {s}", remedy="give a length, a mass above zero, no negative inertia"
    ),
    "walker.sensors_differ": Message(
        "plant and filter have different sensors", remedy="mount the same sensors on both walkers"
    ),
    "walker.shapes": Message(
        "states {shape} and torques {shape_2} do not match {n} links",
        remedy="give (K, {n_2}) and (K or 1, {n}); the first torque, at the pivot, is zero",
    ),
    "walker.start_below_ground": Message(
        "foot '{feet}' is {1000.0*depth:.1f} mm below the ground at the start",
        likely="exchanged legs, or an angle with the wrong sign",
        remedy="raise the foot, or ignore contact until the stance link has rotated: Guard(angle=...)",
    ),
    "walker.start_past_touchdown": Message(
        "the stance link starts at {state:.3g} rad, past the touchdown at {angle:.3g} rad",
        remedy="start before it, or give another Guard(angle=...)",
    ),
    "walker.steps": Message(
        "{steps} steps of method '{method}' in {period:g} s are not possible",
        remedy="use rk4, euler or adaptive; a positive period; one step or more",
    ),
}

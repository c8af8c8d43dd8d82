"""Sentences about walking, by key (see `bifilar.messages`)."""

from __future__ import annotations

from bifilar.messages import Message

MESSAGES = {
    "bars.dry_friction": Message(
        "Coulomb friction that reverses between two samples is missed: standard deviations are too small "
        "where torque noise is low"
    ),
    "bars.white/all": Message("standard deviations assume white noise"),
    "clock.uneven/stretches": Message("the clock is not even", remedy="bifilar check LOG says where; resample it"),
    "contacts.not_finite": Message("contacts hold numbers that are not finite", remedy="say 1 or 0 for every sample"),
    "contacts.shape": Message(
        "contacts have the shape {shape}, there are {count} samples and {feet_count} feet",
        remedy="give one column per foot, 1 where it touches, in the order of feet=...",
    ),
    "cost.falls/stance_likelihood": Message(
        "the cost still falls after {iterations} iterations", remedy="raise iterations=... or row_noise=..."
    ),
    "filter.kind_unknown": Message(
        "no filter '{kind}' with the passage '{passage}'", remedy="extended or unscented; {passages:join}"
    ),
    "filter.lost": Message("the filter is lost at the first sample", remedy="check units and signs of the log"),
    "gait.constraints": Message("the constraints fix the stance link, or do not fix the others", remedy="let one link free"),
    "gait.constraints_shape": Message(
        "constraints of {shape} numbers, wanted {shape_2}", remedy="one for each of the {n} motors: ({n}, {n_2}) and ({n},)"
    ),
    "gait.law": Message("eps {eps:g} and alpha {alpha:g} make no law", remedy="eps > 0 [s], 0 < alpha <= 1"),
    "gait.legs_differ": Message(
        "the legs are not alike: a step on one is no step on the other",
        likely="masses, lengths or centres of mass that differ from leg to leg",
        remedy="a gait of one step needs equal legs; simulate two steps with simulate(...)",
    ),
    "gait.needs_angle": Message("a gait is looked for at a touchdown angle", remedy="Guard(angle=...)"),
    "gait.no_touchdown": Message(
        "no touchdown within {longest:g} s",
        likely="a walker that came to rest before its foot came down, or too slow a start",
        remedy="start faster, or give Guard(angle=...) an earlier touchdown",
    ),
    "gait.none": Message("there is no gait: {why}", remedy="lean the torso forwards, or touch down earlier"),
    "gait.not_biped": Message(
        "{n} links are not a torso and two legs alike", remedy="give Feedback(...) constraints of your own"
    ),
    "gait.other_plant": Message(
        "a stride with another plant than the controller's", remedy="use simulate(...), which holds torques"
    ),
    "impact.both_feet": Message(
        "'{feet}' would go into the ground at {lift:.3g} m/s", remedy="both feet stay: the model of one contact does not hold"
    ),
    "impact.pulls": Message("the ground would have to pull ({normal:.3g} N s)", remedy="the foot rebounds"),
    "impact.slips": Message("slips: needs a friction of {needs:.2f}", remedy="the ground has {grip:.2f}"),
    "link.unknown/ground": Message(
        "the robot has no link '{unknown}'", remedy=("feet are links; near: {near:join}", "feet are links")
    ),
    "link.unknown/walker": Message("walker '{name}' has no link '{link}'", listed=("links",)),
    "not_finite/stance": Message(
        "{name} is not finite in sample {row}", likely="a gap", remedy="cut the segment there: one log before, one after"
    ),
    "reading.lost/sensor_set": Message(
        "{channel} reads {reading:g} at {time:g} s",
        likely="a lost sample, or a sensor that was not connected",
        remedy='follow with missing="skip": the other channels are used',
    ),
    "reading.lost/stretches": Message(
        "{bad} reads {sensors_of:g} at {time:g} s",
        likely="a lost sample, or a sensor that was not connected",
        remedy="skip=True leaves segments with lost readings out",
        cli="--skip leaves segments with lost readings out",
    ),
    "recording.channel_missing": Message(
        "the recording has no {missing}",
        remedy="name them in the mapping; differences of a jumping velocity are no substitute",
        listed=("has",),
    ),
    "recording.column_missing": Message(
        "the log has no column {column}.{name}",
        remedy="say with --sensors what the walker carries, or name the columns in a mapping",
        listed=("has",),
    ),
    "robot.fixed_base": Message("the robot stands on a fixed base", remedy="load it with floating=True"),
    "robot.has_friction": Message(
        "the description has friction", remedy="robot.with_friction(()): bodies alone are fitted here"
    ),
    "sensors.axes/sensors": Message("an accelerometer with {axes} axes", remedy="2 (x, z) or 3 (x, y, z)"),
    "sensors.axes/stance_sensors": Message(
        "the accelerometer has three axes", remedy="give one with two; y does not see the angle"
    ),
    "sensors.empty": Message("a sensor's readings hold no number", remedy="leave the sensor away"),
    "sensors.length": Message("a sensor's readings are of another length than the positions"),
    "sensors.no_absolute_angle": Message(
        "nothing shows the walker's absolute angle",
        remedy="an accelerometer and a gyroscope on one link do (--sensors imu), or a distance meter",
        listed=("has",),
    ),
    "sensors.no_encoder/sensors": Message("walker '{name}' has no encoder at '{joint}'", listed=("encoders",)),
    "sensors.no_encoder/stretches": Message("no encoder sees '{joint}'", remedy="only the pivot may be without one"),
    "sensors.set_unknown/sensor_file": Message(
        "there is no set of sensors '{name}'", remedy="or a .toml file", listed=("sets",)
    ),
    "sensors.set_unknown/sensor_set": Message("there is no set of sensors '{kind}'", listed=("sets",)),
    "sensors.setting/set": Message("{name} {value} of a {kind}", remedy="a finite number, no negative noise"),
    "simulation.lost": Message("the simulation is lost after {k:g} s", remedy="give the joints some friction"),
    "stance.deviation": Message(
        "deviations are not negative", remedy="a position's is above zero, infinite without an encoder"
    ),
    "stance.differ": Message("segments differ in clock, noise or sensors", remedy="fit those of one experiment together"),
    "stance.no_effect": Message(
        "{shape} of {shape_2} parameters have no effect on these segments",
        likely="a joint that hardly moves",
        remedy="let every joint move, or hold the others with base=...",
    ),
    "stance.no_start": Message(
        "'{name}' has no encoder and no first motion was given",
        remedy="compute one from the other sensors and give it as motion=...",
    ),
    "stance.none": Message("no segment was given", remedy="give at least one StanceLog"),
    "stance.shapes": Message("position {shape} and torque {shape_2} differ", remedy="give (samples, joints) each"),
    "stance.too_short/stance": Message(
        "a segment of {self_count} samples has no such difference",
        remedy="take differences over fewer samples than {span}, or a longer segment",
    ),
    "stance.too_short/stretches": Message(
        "no segment on one foot has {shortest} samples in a row{words}",
        likely="a clock too slow, or a walker that stood on both feet",
        remedy="record at a higher rate",
    ),
    "state.shape/hybrid_maps": Message("a state of {shape} numbers", remedy="give {self_count}: {names:join}"),
    "state.shape/phases": Message(
        "a state of {shape} numbers{words}", remedy="give {self_count} angles of links and {self_count} rates: {names}"
    ),
    "toml.value/carried": Message(
        "the torque's deviation is {torque:g} N m", remedy="[[sensor]] with kind, link and noise; torque = 0.02 above them"
    ),
    "toml.value/sensor": Message("the sensor has no '{place}'", remedy='{place} = "..."'),
    "toml.value/sensor_file": Message(
        "the file lists no sensors", remedy="[[sensor]] with kind, link and noise; torque = 0.02 above them"
    ),
    "torque.missed": Message(
        "the torque residual is {missed:.2g} times the stated noise",
        remedy="another first motion, or check what the noise, the description and the signs are",
    ),
    "torque.missing/stretches": Message("the log has no torque of '{joint}'", remedy="every motor's torque is needed"),
    "torque.missing/walk_track": Message("a torque is not a number", remedy="the filter needs every torque"),
    "touchdown.foot_rises": Message(
        "the foot does not come down: its guard changes by {down:.3g} per second",
        likely="a state that is not near a touchdown",
        remedy="ask for the touchdown where the guard sinks through zero",
    ),
    "touchdown.no_sensor": Message("there is no {by} to detect touchdowns with", remedy="use a switch", listed=("channels",)),
    "touchdown.not_told": Message("the time of the touchdown is not given", remedy="give since=..., or take another passage"),
    "touchdown.unknown_way": Message("touchdowns cannot be detected by '{by}'", listed=("detectors",)),
    "walk.no_stance_foot": Message("the log does not say which foot stands", remedy="columns {feet:join}: 1 where it touches"),
    "walk.no_stride": Message("no stride is left to fit", remedy="record more strides, or hold fewer out"),
    "walk.one_foot/legs": Message("only strides on '{foot}' are used: the legs are not alike"),
    "walk.one_foot/sensor": Message("only strides on '{foot}' are used: {sensors:join} sits on a leg"),
    "walk.other_parameters": Message("the parameters are not those of this walker on one foot", listed=("has",)),
    "walker.axis_direction/check": Message(
        "joint '{name}' of robot '{name_2}' turns about -y",
        remedy=("its first three joints are a slide along x, a slide along z and a turn about y, the others turn about y"),
    ),
    "walker.axis_direction/walker": Message(
        "joint '{name}' of robot '{name_2}' does not turn about y",
        remedy=("its first three joints are a slide along x, a slide along z and a turn about y, the others turn about y"),
    ),
    "walker.beta_shape": Message("beta has the shape {shape}", remedy="give {self_count} numbers: {names:join}"),
    "walker.coordinates": Message(
        "{n} names, a map of {shape} and an offset of {shape_2} are no coordinates",
        remedy="give n names, n x n numbers that can be inverted, n numbers",
    ),
    "walker.falls": Message(
        "the walker {thing} within {duration:g} s", remedy="a step takes {period:.2f} s: simulate longer, shake less"
    ),
    "walker.friction": Message(
        "'{strange}' is friction that walkers do not have", remedy="use Viscous(), Coulomb() and RotorInertia() only"
    ),
    "walker.joint_kind": Message(
        "joint '{name}' of robot '{name_2}' is not {word}",
        remedy=("its first three joints are a slide along x, a slide along z and a turn about y, the others turn about y"),
    ),
    "walker.joints": Message(
        "robot '{name}' is no planar walker: {name_count} joints",
        remedy=("its first three joints are a slide along x, a slide along z and a turn about y, the others turn about y"),
    ),
    "walker.legs_differ": Message("legs that are not alike need constants for each foot", remedy="give both"),
    "walker.needs_two_feet": Message("steps need two feet; '{name}' has {feet_count}", remedy="name both: feet=(...)"),
    "walker.no_feet": Message("robot '{name}' has no feet", remedy="name the links that touch the ground: feet=(...)"),
    "walker.no_swing_foot": Message("a walker with {feet_count} feet has no swing foot", remedy="steps need two feet"),
    "walker.segment": Message(
        "segment '{name}' is physically inconsistent: {s}", remedy="give a length, a mass above zero, no negative inertia"
    ),
    "walker.sensors_differ": Message("plant and filter have other sensors", remedy="mount the same sensors on both walkers"),
    "walker.shapes": Message(
        "states {shape} and torques {shape_2} do not suit {n} links",
        remedy="give (K, {n_2}) and (K or 1, {n}); the first torque is the pivot's, zero",
    ),
    "walker.start_below_ground": Message(
        "foot '{feet}' is {1000.0*depth:.1f} mm below the ground at the start",
        likely="legs that are swapped, or an angle of the wrong sign",
        remedy="lift it, or let it fold away until the stance link has turned: Guard(angle=...)",
    ),
    "walker.start_past_touchdown": Message(
        "the stance link starts at {state:.3g} rad, past the touchdown at {angle:.3g} rad",
        remedy="start behind it, or give another Guard(angle=...)",
    ),
    "walker.steps": Message(
        "{steps} {method} steps in {period:g} s", remedy="rk4, euler or adaptive; a period above zero, one step or more"
    ),
}

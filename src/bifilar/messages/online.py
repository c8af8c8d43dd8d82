"""Sentences about online, by key (see `bifilar.messages`)."""

from __future__ import annotations

from bifilar.messages import Message

MESSAGES = {
    "axes.unknown": Message("unknown axes '{axes}'", remedy="choose 'principal' or 'link'"),
    "belief.other_states": Message("the estimate has other states than this filter", listed=("states",)),
    "body.impossible/states": Message(
        "the inertial parameters of '{name}' are physically inconsistent",
        remedy="bf.nearest(robot) gives a physically consistent robot; or choose form='principal'",
    ),
    "bounds.form": Message("the bounds of '{name}' are {pair!r}", remedy="give two numbers, the lower and the upper bound"),
    "bounds.order/bounds": Message(
        "the bounds of '{name}' are {low:g} and {high:g}, in the wrong order", remedy="give the smaller one first"
    ),
    "bounds.outside/maps": Message(
        "{value:g} is not inside the bounds {low:g} and {high:g}", remedy="start inside the bounds, or widen them"
    ),
    "bounds.outside/space": Message(
        "'{name}' starts at {value:.6g}, outside its bounds {low:g} and {high:g}",
        remedy='start inside: start={{"{name}": {0.5*low_2:.4g}}}, or widen the bounds',
    ),
    "bounds.recipe_unknown": Message(
        "unknown bounds '{bounds}'", likely="a misspelling of {near:quoted| or }", listed=("recipes",)
    ),
    "bounds.start_zero": Message(
        "'{name}' starts at {guess:g}, so default bounds of 0 and twice the start are empty",
        remedy='give bounds={{"{name}": (0.0, ...)}}, and a start between them: start={{"{name}": ...}}',
    ),
    "constraint.form": Message("constraint='physical' needs form='ten', not '{form}'", remedy="give form='ten'"),
    "constraint.unknown/states": Message(
        "there is no constraint '{constraint}'", remedy="choose 'sigmoid', 'physical' or 'none'"
    ),
    "derivative.missing": Message(
        "the dual filter cannot differentiate {kind} with respect to the motion", remedy="use Torque or BaseWrench"
    ),
    "filter.correlated_noise": Message("this filter assumes independent torque noise", remedy="use DualFilter"),
    "form.unknown": Message(
        "unknown parametrisation '{form}'", likely="a misspelling of {near:quoted| or }", listed=("forms",)
    ),
    "friction.not_linear/tracker": Message(
        "load-dependent friction is not linear in its coefficient", remedy="leave that term out"
    ),
    "gate.wrong": Message("{this} is not valid", remedy="use Change(chance=1e-6, patience=3, opening=1.0)"),
    "measurements.none": Message("no measurements are given", remedy="give measurements=[Torque(noise=0.1)]"),
    "noise.count": Message("{given_count} noise levels for {rows} rows", remedy="give one for all, or one for each"),
    "noise.not_positive/measurements": Message(
        "a noise level is not positive: {smallest:g}", remedy="give standard deviations"
    ),
    "noise.not_positive/motion": Message(
        "{name} must be positive",
        remedy="give position noise as a standard deviation [rad], jerk as a noise density [rad/s^3 s^0.5]",
    ),
    "noise.or_measurements/parameter_filter": Message(
        "give either the noise of the torques or measurements",
        remedy=(
            "noise=0.1 for torque noise of this standard deviation [N m], or measurements=[Torque(noise=0.1), "
            "BaseWrench(noise=1)]"
        ),
    ),
    "noise.or_measurements/payload": Message(
        "give either the noise of the torques or measurements",
        remedy="noise=0.1 for torque noise of this standard deviation [N m]",
    ),
    "noise.too_small": Message(
        "readings differ from what is expected by {times:.2g} times their noise; {changes} changes were suspected",
        likely="friction or another part of the model that is not described, or a noise stated too small",
        remedy="identify friction first (bf.fit), or state a larger noise",
        cli="identify the machine first ('bifilar fit'), and track with its identified robot",
    ),
    "not_numbers/incoming": Message("{name} is not an array of numbers", remedy="give (samples, {width})"),
    "not_numbers/measurements": Message("the noise {noise!r} is not a number", remedy="give standard deviations"),
    "parameter.at_bound/online": Message(
        "against a bound: {parameters:join}",
        likely="the bounds are too narrow, or something that is not described is put down to them",
        remedy="widen bounds=, or describe what is missing",
        cli="identify the machine first ('bifilar fit'), and track with its identified robot",
    ),
    "parameters.body_incomplete": Message(
        "{thing} estimates all parameters of a link, but '{name}.{missing}' is not selected",
        remedy="select '{name}.*', or choose another form",
    ),
    "parameters.no_match/friction": Message(
        "no parameter matches '{pattern}'",
        likely="the robot has no such friction term: robot.with_friction(bf.Viscous() + bf.Coulomb())",
        listed=("names",),
    ),
    "parameters.no_match/states": Message(
        "no parameter matches '{pattern}'", likely="a misspelling of {near:quoted| or }", listed=("names",)
    ),
    "parameters.none": Message("no parameters are selected", remedy='select some: "*.mass", "link7.*", "*.viscous"'),
    "parameters.start": Message("'{name}' cannot start at {value}", remedy="give a finite number"),
    "parameters.start_unused": Message(
        "a start is given for '{name}', which is not estimated", likely="a misspelling of {near:quoted| or }"
    ),
    "payload.center": Message("center must be three finite numbers [m]"),
    "payload.largest": Message("the largest payload must be a positive mass, not {largest:g} kg"),
    "payload.no_effect": Message(
        "a load at '{frame}' has no effect on the measurements: {thing:join}", remedy="choose a link beyond the sensor"
    ),
    "payload.start": Message("a load cannot start with a mass of {mass:g} kg", remedy="leave start out for an empty gripper"),
    "payload.unknown": Message("unknown payload parameters '{parameters}'", listed=("kinds",)),
    "periods.too_few": Message(
        "{given_count} samples are {periods} whole periods of {samples}",
        remedy="give two or more periods: noise is estimated from their differences",
    ),
    "robot.floating/tracker": Message(
        "the robot has a floating base", remedy="load it without floating=True: parameters are estimated online on a fixed base"
    ),
    "shape.wrong/incoming": Message("{name} has the shape {shape}", remedy="give (samples, {width})"),
    "shape.wrong/motion": Message("{name} has the shape {shape}", remedy="give one number, or one for each of {joints} joints"),
    "shape.wrong/noise": Message("readings of the shape {shape}", remedy="give (samples, rows), all finite"),
    "shapes.differ/dual": Message(
        "position has the shape {shape} and reading {shape_2}, time {shape_3}", remedy="give {wanted} and {wanted_2}"
    ),
    "shapes.differ/tracker": Message(
        "{t_count} timestamps, {row_count} readings, {state_count} positions", remedy="give one of each per sample"
    ),
    "standing.wrong": Message(
        "an error at standstill of the shape {shape} is none: it is not negative, and one or {rows}",
        remedy="standing=0.5: the deviation of static friction [N m]; 0: none",
    ),
    "torque.missing/recordings": Message(
        "the recording holds no torque", remedy="record it: the filter compares predicted with measured torque"
    ),
    "torque.zero": Message(
        "the torque of {silent:join} is always zero", remedy="check whether it is measured; lock joints that are not actuated"
    ),
    "tuning.exact": Message("Tuning(exact=True) is for constant parameters", remedy="leave process and change out"),
    "tuning.forgetting": Message("Tuning(forgetting={forgetting:g}) must be above 0 and at most 1"),
    "tuning.iterations": Message("Tuning(iterations={iterations}) must be 1 to 100"),
    "tuning.process": Message("Tuning(process={process:g}) is negative", remedy="give 0 for constant parameters"),
    "tuning.setting": Message("Tuning({name}={value:g}) must be a positive number"),
}

"""Sentences about online, by key (see `bifilar.messages`)."""

from __future__ import annotations

from bifilar.messages import Message

MESSAGES = {
    "axes.unknown": Message("there are no axes '{axes}'", remedy="choose 'principal' or 'link'"),
    "belief.other_states": Message("the belief is about other states", listed=("states",)),
    "body.impossible/states": Message(
        "the inertial parameters of '{name}' are physically inconsistent",
        remedy="bf.nearest(robot) gives a physically consistent robot; or choose form='principal'",
    ),
    "bounds.form": Message("the bounds of '{name}' are {pair!r}", remedy="give two numbers, lower and upper"),
    "bounds.order/bounds": Message(
        "the bounds of '{name}' are {low:g} and {high:g}", remedy="the first must be the smaller one"
    ),
    "bounds.outside/maps": Message(
        "{value:g} is not between the bounds {low:g} and {high:g}", remedy="start inside the bounds, or widen them"
    ),
    "bounds.outside/space": Message(
        "'{name}' starts at {value:.6g}, outside its bounds {low:g} and {high:g}",
        remedy='start inside: start={{"{name}": {0.5*low_2:.4g}}}, or widen the bounds',
    ),
    "bounds.recipe_unknown": Message(
        "there is no recipe of bounds '{bounds}'", likely="a misspelling of {near:quoted| or }", listed=("recipes",)
    ),
    "bounds.start_zero": Message(
        "'{name}' starts at {guess:g}: twice that are no bounds",
        remedy='give them: bounds={{"{name}": (0.0, ...)}}, and a start between them: start={{"{name}": ...}}',
    ),
    "constraint.form": Message("constraint='physical' is for the form 'ten', not for '{form}'", remedy="form='ten'"),
    "constraint.unknown/states": Message(
        "there is no constraint '{constraint}'", remedy="choose 'sigmoid', 'physical' or 'none'"
    ),
    "derivative.missing": Message("{kind} has no derivative by the motion here", remedy="use Torque, BaseWrench"),
    "filter.correlated_noise": Message("this filter was made for torques with independent noise", remedy="use DualFilter"),
    "form.unknown": Message("there is no form '{form}'", likely="a misspelling of {near:quoted| or }", listed=("forms",)),
    "friction.not_linear/tracker": Message(
        "load-dependent friction is not linear in its coefficient", remedy="leave that term out"
    ),
    "gate.wrong": Message("{this} is no gate", remedy="Change(chance=1e-6, patience=3, opening=1.0)"),
    "measurements.none": Message("nothing is measured", remedy="Torque(noise=0.1)"),
    "noise.count": Message("{given_count} noises for {rows} rows", remedy="give one for all, or one for each"),
    "noise.not_positive/measurements": Message("a noise of {smallest:g} is not above zero", remedy="give deviations"),
    "noise.not_positive/motion": Message("{name} must be positive: deviation of a position [rad], of the jerk [rad/s^3 s^0.5]"),
    "noise.or_measurements/parameter_filter": Message(
        "give the noise of the torques, or measurements, one of both",
        remedy=("noise=0.1 measures torques with that deviation [N m]; measurements=[Torque(noise=0.1), BaseWrench(noise=1)]"),
    ),
    "noise.or_measurements/payload": Message(
        "give the noise of the torques, or measurements, one of both", remedy="noise=0.1 [N m]"
    ),
    "not_numbers/incoming": Message("{name} is no table of numbers", remedy="give (samples, {width})"),
    "not_numbers/measurements": Message("a noise of {noise!r} is no number", remedy="give deviations"),
    "parameters.body_incomplete": Message(
        "{thing} follows whole bodies; '{name}.{missing}' is not named", remedy="name '{name}.*', or choose another form"
    ),
    "parameters.no_match/friction": Message(
        "no parameter matches '{pattern}'",
        likely="the robot has no such friction term: robot.with_friction(bf.Viscous() + bf.Coulomb())",
        listed=("names",),
    ),
    "parameters.no_match/states": Message(
        "no parameter matches '{pattern}'", likely="a misspelling of {near:quoted| or }", listed=("names",)
    ),
    "parameters.none": Message("no parameters are named", remedy='name some: "*.mass", "link7.*", "*.viscous"'),
    "parameters.start": Message("'{name}' cannot start at {value}"),
    "parameters.start_unused": Message(
        "a start is given for '{name}', which is not followed", likely="a misspelling of {near:quoted| or }"
    ),
    "payload.center": Message("center must be three finite numbers [m]"),
    "payload.largest": Message("largest={largest:g} kg must be a positive mass"),
    "payload.no_effect": Message(
        "a load at '{frame}' has no effect on what is measured: {thing:join}", remedy="name a link beyond the sensor"
    ),
    "payload.start": Message("a load cannot start with {mass:g} kg", remedy="an empty hand: leave start out"),
    "payload.unknown": Message("there is no payload '{parameters}'", listed=("kinds",)),
    "periods.too_few": Message(
        "{given_count} samples are {periods} whole periods of {samples}", remedy="noise shows between periods: give two or more"
    ),
    "robot.floating/tracker": Message(
        "the robot floats", remedy="parameters are followed on a fixed base: load it without floating=True"
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
    "torque.missing/recordings": Message(
        "the recording holds no torque", remedy="a filter compares expected torque with measured torque"
    ),
    "torque.zero": Message(
        "the torque of {silent:join} is zero all the time",
        remedy="nothing can be learnt from that: is it measured? lock joints that are not driven",
    ),
    "tuning.exact": Message("Tuning(exact=True) is for parameters that do not change", remedy="leave process and change out"),
    "tuning.forgetting": Message("Tuning(forgetting={forgetting:g}) must be above 0 and at most 1"),
    "tuning.iterations": Message("Tuning(iterations={iterations}) must be 1 to 100"),
    "tuning.process": Message("Tuning(process={process:g}) is a negative noise", remedy="0: the parameters are constant"),
    "tuning.setting": Message("Tuning({name}={value:g}) must be a positive number"),
}

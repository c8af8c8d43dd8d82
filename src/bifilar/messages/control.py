"""Sentences about control, by key (see `bifilar.messages`)."""

from __future__ import annotations

from bifilar.messages import Message

MESSAGES = {
    "body.impossible/adaptive": Message(
        "the inertia of link '{body_name}' is physically inconsistent or singular",
        likely="a point mass, or inertias that break the triangle inequality",
        remedy="repair the link first: bf.PhysicallyConsistent fits consistent parameters",
    ),
    "duration.ramps": Message("two ramps of {r:g} s do not fit into {t:g} s", remedy="give a ramp of at most {t_2:g} s"),
    "filter.none": Message("no filtered differences carry as much noise", likely="a filter noisier than bare differences"),
    "force.direction": Message("the direction is {direction!r}", remedy="give three finite numbers, not all zero"),
    "force.not_measured": Message(
        "the force at '{frame}' is not measured", remedy="give state.wrench: force and moment of the world on the tool"
    ),
    "frame.ambiguous": Message(
        "robot '{name}' has {best_count} ends",
        remedy="frame=... of {best:join}",
        cli="--frame, one of {best:join}",
        lead="say which: ",
    ),
    "friction.place": Message("friction at '{friction_at}'", remedy="choose 'wanted' or 'actual'"),
    "friction.unknown_to_controller": Message("adaptive control does not know {thing}", remedy="use a model without it"),
    "limits.effort_missing/path_following": Message(
        "the model has no torque limits", remedy="give limits=... [N m], one per joint"
    ),
    "limits.effort_missing/safety": Message(
        "joint '{lacking}' has no torque limit", remedy="state it in the description, or give SafetySettings"
    ),
    "loop.unstable/refuse_unstable_gains": Message(
        "the gains are unstable at a period of {period:g} ms",
        likely=(
            "gains too high for the sampling rate: some direction of the arm is much lighter than its joints are one by one"
        ),
        remedy=("stay below {down:g} times these stiffnesses and {down_2:g} times these dampings, or shorten the period"),
        listed=("drives", "velocity"),
    ),
    "loop.unstable/sampling": Message(
        "omega = {omega:g} rad/s of '{joint_name}' is unstable at a period of {period:g} ms",
        likely="gains too high for the sampling rate",
        remedy="stay below omega = {down:g} rad/s (half of it leaves a margin), or shorten the period",
        listed=("drives", "velocity"),
    ),
    "loop.unstable/tool_force": Message(
        "a gain of {gain:g} 1/s is unstable in contact with a damping of {damping:g} 1/s",
        remedy="stay below {damping:g}; a quarter of it leaves a margin",
    ),
    "mass_matrix.not_positive/impedance": Message(
        "the mass matrix is not positive definite: this model has a pose without mass",
        remedy="control by a physically consistent model, bf.PhysicallyConsistent()",
    ),
    "mass_matrix.not_positive/positive_mass": Message(
        "the mass matrix is not positive definite at {place:join}",
        likely="base parameters fitted to a poor motion, or a description with wrong signs",
        remedy="fit with PhysicallyConsistent, or record a motion that shows all joints",
        listed=("smallest",),
    ),
    "metric.unknown": Message("there is no metric '{metric}'", remedy="choose 'natural' or 'fixed'"),
    "orientation.unknown": Message("there is no orientation '{orientation}'", remedy="choose 'free' or 'held'"),
    "path.jump/far": Message(
        ("the path cannot be followed: at {100*share:.0f} % of the way '{frame}' stays {distance:.2g} m away from it"),
        listed=("point", "reached"),
    ),
    "path.jump/posture": Message(
        ("the path cannot be followed: at {100*share:.0f} % of the way '{frame}' would have to jump to another posture"),
        listed=("point",),
    ),
    "path.jump/turned": Message(
        (
            "the path cannot be followed: at {100*share:.0f} % of the way '{frame}' reaches the point, but "
            "is {degrees:.0f} degrees off"
        ),
        listed=("point",),
    ),
    "path.no_length": Message("the line has no length: its ends are the same point", remedy="give two different points"),
    "path.orientations": Message(
        "some poses have an orientation, others have none", remedy="give bf.Pose for all, or for none"
    ),
    "path.poses": Message("a path needs two poses, there is {pose_count}", remedy="give a start and an end"),
    "path.torque": Message(
        "there is no speed at which the path stays inside the torque limits",
        likely="limits that do not hold the arm's weight on the whole path",
        remedy="raise the limits, lower the reserve, or choose another path",
    ),
    "path.turns": Message("a line of {turns} ways", remedy="give a whole number from 1"),
    "plane.form": Message("a plane must be two vectors (2, 3) that are not parallel", remedy="choose xy, yz or zx"),
    "plane.unknown/cartesian_path": Message(
        "there is no plane '{plane}'", remedy="choose xy, yz or zx, or give two vectors (2, 3)"
    ),
    "point.form/cartesian_path": Message("{thing} must be three finite numbers [m], it is {value!r}"),
    "push.too_late": Message("the runs end before the push does", remedy="push earlier"),
    "robot.floating/cartesian": Message(
        "robot '{name}' floats; a path in space needs a fixed base",
        remedy="load it with floating=False",
        cli="a robot that stands on a fixed base",
    ),
    "rotation.not_orthogonal/pose_path": Message(
        "the orientation of pose {k} is no rotation", remedy="give an orthogonal 3 x 3 matrix, right-handed"
    ),
    "setting.wrong/adaptive": Message("a rate of {rate}", remedy="give a number of zero or more, in 1/J"),
    "setting.wrong/at_least_zero": Message("{name} is negative", remedy="give zero or more for every joint"),
    "setting.wrong/damping_of": Message("damping is infinite", remedy="give a finite number per joint"),
    "setting.wrong/gains": Message("{name} is {value!r}", remedy="give finite numbers {words}"),
    "setting.wrong/gravity_compensation": Message("a share of {share} of gravity", remedy="give a number from 0 to 1"),
    "setting.wrong/init": Message("links within a factor of {within}", remedy="give a number above one, such as 4"),
    "setting.wrong/model_error": Message(
        "a model error of {error}", remedy="give a share from 0 to {farthest:.2f}, such as 0.05"
    ),
    "setting.wrong/path_following": Message(
        "{this!r} makes no sense", remedy="leave the settings out; replan is shorter than the horizon"
    ),
    "setting.wrong/positive": Message("the limit of {name} must be {n} positive numbers", remedy="give one per joint"),
    "setting.wrong/safety": Message("a share of {share} in {seconds} s", remedy="a share in (0, 1], a positive time"),
    "setting.wrong/safety_init": Message("{name} is {getattr}", remedy="give seconds, zero or more"),
    "setting.wrong/share": Message("{name} is {value!r}", remedy="give a share from 0 to 1"),
    "setting.wrong/tool_force": Message(
        "force {force}, gain {gain}, damping {damping}", remedy="give finite numbers, a damping above zero"
    ),
    "setting.wrong/velocity_quality": Message(
        "a period of {period} s, noise {noise}, frequency {frequency} Hz",
        remedy="give positive numbers, and a frequency below half the sampling rate",
    ),
    "shape.wrong/gains": Message(
        "{name} has the shape {shape}, the robot {joint_name_count} joints",
        remedy="give one number, or one per joint",
        listed=("joints",),
    ),
    "shape.wrong/gravity_compensation": Message("the model answers {shape}, the limits are for {joints} joints"),
    "shape.wrong/safety": Message("{name} must be {n} numbers", remedy="give one per joint"),
}
